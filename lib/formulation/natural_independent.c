/* Independent coordinates among natural ones (natural_matrix_r.h): those that complete pivoting of Phi_q leaves over, with sparse factors.
 * Equations: theory.md §5.3 (5.7a). */
#include <stdlib.h>
#include <string.h>

#include "formulation/natural_matrix_r.h"

enum { PLACE_ITERATIONS = 30 };

static const double rank_tolerance = 1e-9; /* of the largest entry of Phi_q */
static const double nearly_there = 1e-7;   /* a Newton correction after which the next would be rounding */
static const double worse = 3;             /* choose anew when R has grown by this */
static const size_t most_entries = (size_t)1 << 27;

static natural_independent *of(independent *q) {
  return (natural_independent *)q;
}

/* ---- memory ---- */

static void layout(natural_independent *q, mbd_arena *a) {
  const natural *n = q->of->n;
  const size_t nq = (size_t)n->nq + 1, m = (size_t)n->nphi + 1, nf = (size_t)q->most_free + 1, k = (size_t)q->kmax;
  q->base.free = mbd_arena_take(a, nq * sizeof *q->base.free);
  q->base.index = mbd_arena_take(a, nq * sizeof *q->base.index);
  q->row = mbd_arena_take(a, m * sizeof *q->row);
  q->col = mbd_arena_take(a, nq * sizeof *q->col);
  MBD_ARENA_REALS(a, (size_t)q->of->system->count + 1, &q->B, &q->sum);
  q->phi = mbd_arena_real(a, m);
  q->Phi_q = mbd_arena_real(a, (size_t)n->first[n->nphi] + 1);
  q->R = mbd_arena_real(a, nq * nf);
  q->unit = mbd_arena_real(a, nf * nf);
  MBD_ARENA_REALS(a, nq * k, &q->f, &q->x, &q->step);
  MBD_ARENA_REALS(a, m * k, &q->g, &q->y, &q->rest);
  q->size = mbd_arena_take(a, k * sizeof *q->size);
  mbd_weak_layout(&q->weak, n->nq, n->nphi, a);
}

static void destroy(independent *base) {
  natural_independent *q = of(base);
  natural_factors_destroy(&q->lu);
  free(q->rank_arena.base);
  free(q->arena.base);
  free(q);
}

/* ---- systems ---- */

/* The columns of f and g, of which the solver would take the largest as the measure of all. */
static void scale_columns(natural_independent *q, int k, int n, mbd_real *f, int inverse, int m, mbd_real *g) {
  for (int c = 0; c < k; c++) {
    const double by = inverse ? 1 / q->size[c] : q->size[c];
    for (int i = 0; i < n; i++) { f[i * k + c] *= by; }
    for (int i = 0; i < m; i++) { g[i * k + c] *= by; }
  }
}

static void find_sizes(natural_independent *q, int k) {
  const int n = q->of->n->nq, m = q->of->n->nphi;
  for (int c = 0; c < k; c++) {
    double most = 0;
    for (int i = 0; i < n; i++) { most = fmax(most, mbd_absre(q->f[i * k + c])); }
    for (int i = 0; i < m; i++) { most = fmax(most, mbd_absre(q->g[i * k + c])); }
    q->size[c] = most > 0 && isfinite(most) ? most : 1;
  }
}

/* x, y of f, g */
static void solve_system(natural_independent *q, int k) {
  const natural *n = q->of->n;
  const mbd_packed A = natural_packed(q->of->system, q->B), Phi = {n->first, n->col, q->Phi_q};
  natural_saddle product = {q->of->system, &A, 0};
  const mbd_saddle system = {.n = n->nq,
                             .m = n->nphi,
                             .product = natural_saddle_product,
                             .user = &product,
                             .Phi_packed = &Phi,
                             .lu = &q->lu,
                             .alpha = q->alpha,
                             .weak = &q->weak,
                             .predict = 1,
                             .at_least = EXTRA_ITERATIONS,
                             .what = "independent coordinates"};
  mbd_error why = {0};
  find_sizes(q, k);
  scale_columns(q, k, n->nq, q->f, 1, n->nphi, q->g);
  memset(q->y, 0, (size_t)n->nphi * (size_t)k * sizeof *q->y);
  const mbd_status status = mbd_saddle_solve(&system, k, q->f, q->g, q->x, q->y, q->step, q->rest, &why);
  scale_columns(q, k, n->nq, q->x, 0, n->nphi, q->y);
  if (status == MBD_OK || q->failed != MBD_OK) { return; }
  q->failed = status, q->why = why;
}

mbd_status natural_independent_failed(natural_independent *q, mbd_error *err) {
  const mbd_status status = q->failed;
  q->failed = MBD_OK;
  if (status != MBD_OK && err) { *err = q->why; }
  return status;
}

static void solve(independent *base, int k, const mbd_real *b, const mbd_real *xi, mbd_real *x) {
  natural_independent *q = of(base);
  const size_t n = (size_t)q->of->n->nq * (size_t)k, m = (size_t)q->of->n->nphi * (size_t)k;
  memset(q->f, 0, n * sizeof *q->f);
  if (xi) { independent_add(base, k, xi, q->f); }
  if (b) {
    memcpy(q->g, b, m * sizeof *q->g);
  } else {
    memset(q->g, 0, m * sizeof *q->g);
  }
  solve_system(q, k);
  memcpy(x, q->x, n * sizeof *x);
}

static void solve_T(independent *base, int k, const mbd_real *x, mbd_real *b, mbd_real *xi) {
  natural_independent *q = of(base);
  const size_t n = (size_t)q->of->n->nq * (size_t)k, m = (size_t)q->of->n->nphi * (size_t)k;
  memcpy(q->f, x, n * sizeof *x);
  memset(q->g, 0, m * sizeof *q->g);
  solve_system(q, k);
  independent_read(base, k, q->x, xi);
  if (b) { memcpy(b, q->y, m * sizeof *b); }
}

const mbd_real *natural_independent_R(natural_independent *q) {
  const int nf = q->base.nf;
  if (q->R_there) { return q->R; }
  memset(q->unit, 0, (size_t)nf * (size_t)nf * sizeof *q->unit);
  for (int f = 0; f < nf; f++) { q->unit[f * nf + f] = 1; }
  if (nf > 0) { solve(&q->base, nf, NULL, q->unit, q->R); }
  q->R_there = 1;
  return q->R;
}

/* ---- factors ---- */

static mbd_status singular(mbd_error *err) {
  MBD_FAIL(err, MBD_SINGULAR,
           "the constraints in natural coordinates lose their rank: the mechanism is at a singular position, a dead "
           "point, which independent coordinates cannot pass (formulation = ali3p can, unless the mechanism locks "
           "there)");
}

/* Of Phi_q and B'B. */
static mbd_status factor_here(natural_independent *q, mbd_sim *s, mbd_error *err) {
  const natural_system *system = q->of->system;
  q->alpha = natural_penalty(system, q->B, q->Phi_q);
  q->R_there = 0;
  memcpy(q->sum, q->B, (size_t)system->count * sizeof *q->sum);
  natural_add_squares(system, q->alpha, q->Phi_q, q->sum);
  s->stats.factorizations++;
  return natural_factor(system, q->sum, &q->lu) == MBD_OK ? MBD_OK : singular(err);
}

static mbd_status factor_at(natural_independent *q, mbd_sim *s, const mbd_real *z, mbd_error *err) {
  natural_phi(q->of->v, s->t, z, q->phi, q->Phi_q);
  return factor_here(q, s, err);
}

static mbd_status factor(independent *base, mbd_sim *s, mbd_error *err) {
  return factor_at(of(base), s, s->now.z, err);
}

/* Off the constraints, redundant rows contradict each other by the square of what is left, and the solution of least squares would move the
 * independent coordinates. */
static mbd_status place(independent *base, mbd_sim *s, mbd_real *z, mbd_error *err) {
  natural_independent *q = of(base);
  const int n = q->of->n->nq, m = q->of->n->nphi;
  int after = 0;
  for (int it = 0; it < PLACE_ITERATIONS; it++) {
    MBD_TRY(factor_at(q, s, z, err));
    if (m == 0 || after > EXTRA_ITERATIONS) { return MBD_OK; }
    /* x = S Phi, theory.md §5.3 (5.7a), is Newton's correction of the dependent coordinates. */
    memset(q->f, 0, (size_t)n * sizeof *q->f);
    memcpy(q->g, q->phi, (size_t)m * sizeof *q->g);
    solve_system(q, 1);
    MBD_TRY(natural_independent_failed(q, err));
    /* Independent coordinates are held exactly. */
    for (int j = 0; j < n; j++) {
      if (base->index[j] < 0) { z[j] -= q->x[j]; }
    }
    const double step = mbd_norm_inf(n, q->x);
    if (isnan(step)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
    if (after || step <= nearly_there * (1 + mbd_norm_inf(n, z))) { after++; }
  }
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "the constraints cannot be closed from the independent natural coordinates: a smaller step, or formulation "
           "= ali3p");
}

/* ---- the choice ---- */

static void set_free(natural_independent *q) {
  const natural_system *system = q->of->system;
  int *index = q->base.index;
  memset(q->B, 0, (size_t)system->count * sizeof *q->B);
  q->base.nf = 0;
  for (int j = 0; j < q->of->n->nq; j++) {
    if (index[j] < 0) { continue; }
    index[j] = q->base.nf;
    q->base.free[q->base.nf++] = j;
  }
  natural_add_units(system, q->base.nf, q->base.free, q->B);
}

/* Room for the elimination grows at the start of a run alone. */
static mbd_status rank_room(natural_independent *q, size_t entries, mbd_error *err) {
  const natural *n = q->of->n;
  if (entries > most_entries) { MBD_FAIL(err, MBD_NO_MEMORY, "independent natural coordinates fill too much memory"); }
  free(q->rank_arena.base);
  q->rank_arena = (mbd_arena){0};
  while (mbd_arena_pass(&q->rank_arena)) {
    mbd_rank_layout(&q->rank, (size_t)n->nphi + 1, (size_t)n->nq + 1, entries, &q->rank_arena);
  }
  q->rank_entries = entries;
  return mbd_arena_check(&q->rank_arena, "independent natural coordinates", err);
}

/* -1: there is no room. */
static int find_rank(natural_independent *q) {
  const natural *n = q->of->n;
  const mbd_packed J = {n->first, n->col, q->Phi_q};
  const double smallest = rank_tolerance * mbd_norm_inf(n->first[n->nphi], q->Phi_q);
  return mbd_rank_packed(&q->rank, n->nphi, n->nq, &J, smallest, MBD_RANK_BOTH, q->row, q->col);
}

static double spread(natural_independent *q) {
  return fmax(1, mbd_norm_inf(q->of->n->nq * q->base.nf, natural_independent_R(q)));
}

static mbd_status take_choice(natural_independent *q, int rank, mbd_sim *s, mbd_error *err) {
  const int nq = q->of->n->nq;
  if (nq - rank > q->most_free) { return singular(err); }
  for (int j = 0; j < nq; j++) { q->base.index[q->col[j]] = j < rank ? -1 : 0; }
  set_free(q);
  MBD_TRY(factor_here(q, s, err));
  q->spread = spread(q);
  return natural_independent_failed(q, err);
}

static mbd_status choose(independent *base, mbd_sim *s, mbd_error *err) {
  natural_independent *q = of(base);
  int rank = -1;
  natural_phi(q->of->v, s->t, s->now.z, q->phi, q->Phi_q);
  if (q->rank_entries == 0) { MBD_TRY(rank_room(q, 2 * (size_t)q->of->n->first[q->of->n->nphi] + 1, err)); }
  while ((rank = find_rank(q)) < 0) { MBD_TRY(rank_room(q, 4 * q->rank_entries, err)); }
  return take_choice(q, rank, s, err);
}

/* The present choice stays where memory does not suffice for another one. */
static mbd_status keep_or_choose(independent *base, mbd_sim *s, double h, mbd_error *err) {
  natural_independent *q = of(base);
  (void)h;
  const double now = spread(q);
  MBD_TRY(natural_independent_failed(q, err));
  if (now <= worse * q->spread) { return MBD_OK; }
  const int rank = find_rank(q);
  if (rank < 0) { return MBD_OK; }
  if (q->of->n->nq - rank != base->nf) { return singular(err); }
  s->stats.choices++;
  return take_choice(q, rank, s, err);
}

static size_t reals(const independent *base) {
  return (size_t)((const natural_independent *)base)->of->n->nq + 1;
}

static void save(const independent *base, mbd_real *x) {
  const natural_independent *q = (const natural_independent *)base;
  *x++ = q->spread;
  for (int j = 0; j < q->of->n->nq; j++) { *x++ = base->index[j]; }
}

static void restore(independent *base, const mbd_real *x) {
  natural_independent *q = of(base);
  q->spread = mbd_re(*x++);
  q->R_there = 0;
  for (int j = 0; j < q->of->n->nq; j++) { base->index[j] = (int)mbd_re(*x++); }
  set_free(q);
}

static const independent_ops ops = {.destroy = destroy,
                                    .choose = choose,
                                    .keep_or_choose = keep_or_choose,
                                    .place = place,
                                    .factor = factor,
                                    .solve = solve,
                                    .solve_T = solve_T,
                                    .reals = reals,
                                    .save = save,
                                    .restore = restore};

mbd_status natural_independent_create(const natural_ali3p *model, int most_free, int kmax, independent **out,
                                      mbd_error *err) {
  natural_independent *q = calloc(1, sizeof *q);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for independent coordinates"); }
  *out = &q->base;
  q->base.ops = &ops;
  q->of = model, q->most_free = most_free, q->kmax = kmax > 1 ? kmax : 1;
  while (mbd_arena_pass(&q->arena)) { layout(q, &q->arena); }
  MBD_TRY(mbd_arena_check(&q->arena, "independent coordinates", err));
  return natural_factors_create(model->system, &q->lu, err);
}
