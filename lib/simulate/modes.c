/* The vectors of modes. With A v = lam v and w'A = lam w', w'v = 1, for the matrix A of linearize.c,
 *   lam' = w'A'v
 * where A' holds the changes of everything from which A is made. The deviations of the mode are
 *   (dz, dzd, dzdd, dlam) = the columns of linearize.c times v
 * and the rows of A v are E1 dzd of the independent coordinates and E2 dzdd of the independent rates. So lam' is the change of
 *   L = w1'E1 dzd + w2'E2 dzdd - y'R - nudd'Phidd - nud'Phid - nu'Phi
 * with the changes R of the residual and Phi, Phid, Phidd of the rows along the deviations, all of which are zero, and multipliers by which L does not
 * change with the deviations to the first order:
 *   by dlam, dzdd:  M y + Phi_z'nudd = E2'w2,   Phi_z y = 0
 *   by dzd:         Phi_z'nud = E1'w1 - lam E2'w2 - C'y - Phidd_zd'nudd
 *   by dz:          Phi_z'nu = -lam E1'w1 - K'y - Phidd_z'nudd - Phid_z'nud
 * The last two are solved with the factors of the first, whose y is zero then. Of velocity constraints Phid is Psi, and there is no Phi.
 * In a steady turn the rows of A v are E1 (dzd - r S dz) and E2 (dzdd - r S dzd), S' = -S, so that the right-hand sides gain r S E2'w2 and r S E1'w1, and lam' a
 * term -r' (w1'E1 S dz + w2'E2 S dzd).
 * lam' = -(y.R + nudd.Phidd + nud.Phid + nu.Phi)', with deviations and multipliers held: no derivative of an eigenvector is needed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "objective/node_states.h"
#include "simulate/deviations.h"
#include "simulate/steady.h"

enum { RIGHT = MBD_MODE_RIGHT };
enum { PARTS = 2 };                    /* real part and imaginary part */
static const double double_from = 1e8; /* condition of an eigenvalue of which rounding leaves no derivative */

/* ---- memory ---- */

static size_t reals(int nz, int nphi) {
  return 2 + 2 * RIGHT + (size_t)RIGHT * (size_t)(3 * nz + nphi) + PARTS * (size_t)(nz + 3 * nphi);
}

mbd_status modes_allocate(const mbd_sim *s, const mbd_linear *l, mbd_modes *modes, mbd_error *err) {
  const size_t order = (size_t)linear_order_of(l);
  modes->nz = s->m->nz, modes->nphi = s->m->nphi;
  modes->v = mbd_zeros(order * PARTS * order, sizeof *modes->v);
  modes->w = mbd_zeros(order * PARTS * order, sizeof *modes->w);
  modes->vectors = mbd_zeros(modes->differentiated ? order * reals(modes->nz, modes->nphi) : 1, sizeof *modes->vectors);
  modes->has = mbd_zeros(order, 1);
  modes->apart = mbd_zeros(order * MODE_APART, sizeof *modes->apart);
  if (!modes->v || !modes->w || !modes->vectors || !modes->has || !modes->apart) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for modes");
  }
  return MBD_OK;
}

void modes_release(mbd_modes *m) {
  free(m->v), free(m->w), free(m->vectors), free(m->has), free(m->apart);
}

const mbd_linear *mbd_modes_linear(const mbd_modes *m) {
  return &m->l;
}

/* ---- places in the flat vectors: the derivative by the rate of turn; factors of right ones [RIGHT][2], right ones [RIGHT][z, zd, zdd, lam]: real part, imaginary part and what is apart; then left
 * ones [part][y, nudd, nud, nu] ---- */

static double *by_turn(const mbd_modes *m, int i) {
  return m->vectors + (size_t)i * reals(m->nz, m->nphi);
}

static double *factor(const mbd_modes *m, int i, int part) {
  return by_turn(m, i) + 2 + 2 * part;
}

static double *right(const mbd_modes *m, int i, int part) {
  return factor(m, i, RIGHT) + (size_t)part * (size_t)(3 * m->nz + m->nphi);
}

static double *left(const mbd_modes *m, int i, int part) {
  return right(m, i, RIGHT) + (size_t)part * (size_t)(m->nz + 3 * m->nphi);
}

const double *mbd_modes_vectors(const mbd_modes *m, int i) {
  return m->has[i] ? by_turn(m, i) : NULL;
}

static const double *reduced(const mbd_modes *m, const double *of, int i, int part) {
  const size_t order = (size_t)linear_order_of(&m->l);
  return of + ((size_t)i * PARTS + (size_t)part) * order;
}

/* ---- deviations ---- */

/* x [n] := the columns [n][k] times v */
static void combine(const deviations *columns, const mbd_linear *l, int n, const mbd_real *from, const double *v,
                    double *x) {
  for (int i = 0; i < n; i++) {
    const mbd_real *row = from + i * columns->k;
    mbd_real sum = 0;
    for (int j = 0; j < linear_order_of(l); j++) { sum += row[j < l->n ? j : columns->nfree + j - l->n] * v[j]; }
    x[i] = mbd_first(sum);
  }
}

static double *combine_all(const deviations *columns, const mbd_linear *l, const double *v, double *to) {
  const int n = columns->n, m = columns->nphi;
  combine(columns, l, n, columns->dz, v, to), combine(columns, l, n, columns->dzd, v, to + n);
  combine(columns, l, n, columns->dzdd, v, to + 2 * n), combine(columns, l, m, columns->dlam, v, to + 3 * n);
  return to;
}

/* The right vectors of mode i with their factors: 1, i, and those of the parts that are apart. unit [order]: zero */
static void take_right(const deviations *columns, const mbd_linear *l, mbd_modes *modes, int i, double *unit) {
  for (int part = 0; part < PARTS; part++) {
    combine_all(columns, l, reduced(modes, modes->v, i, part), right(modes, i, part));
    factor(modes, i, part)[part] = 1;
  }
  for (int k = 0; k < MODE_APART; k++) {
    const mode_apart *apart = &modes->apart[i * MODE_APART + k];
    if (!apart->entry) { continue; }
    unit[apart->entry - 1] = 1;
    combine_all(columns, l, unit, right(modes, i, PARTS + k));
    unit[apart->entry - 1] = 0;
    factor(modes, i, PARTS + k)[0] = apart->re, factor(modes, i, PARTS + k)[1] = apart->im;
  }
}

/* ---- multipliers ---- */

typedef struct multipliers {
  mbd_real *f, *g, *x, *step, *rg; /* [nz][2], [nphi][2]: one system */
  mbd_real *y, *nudd, *nud, *nu;   /* [nz][2], [nphi][2] */
  mbd_real *w1, *w2;               /* [nz][2] E1'w1, E2'w2 */
  double *unit;                    /* [order] zero */
  mbd_real *column, *turned;       /* [nz] */
} multipliers;

static void layout(multipliers *mult, size_t n, size_t m, mbd_arena *a) {
  mult->unit = mbd_arena_take(a, 2 * n * sizeof *mult->unit);
  MBD_ARENA_REALS(a, PARTS * n, &mult->f, &mult->x, &mult->step, &mult->y, &mult->w1, &mult->w2);
  MBD_ARENA_REALS(a, n, &mult->column, &mult->turned);
  MBD_ARENA_REALS(a, PARTS * m + 1, &mult->g, &mult->rg, &mult->nudd, &mult->nud, &mult->nu);
}

/* f += s lam x, of blocks with the real part and the imaginary part in two columns */
static void add_lam(int n, double s, double re, double im, const mbd_real *x, mbd_real *f) {
  for (int i = 0; i < n; i++) {
    f[2 * i] += s * (re * x[2 * i] - im * x[2 * i + 1]);
    f[2 * i + 1] += s * (re * x[2 * i + 1] + im * x[2 * i]);
  }
}

/* The left vector of mode i at its coordinates. */
static void place_left(const deviations *columns, const mbd_linear *l, const mbd_modes *modes, int i,
                       multipliers *mult) {
  const int *col = columns->col + columns->rank, *rate = columns->rate + columns->nfree - columns->nrate;
  const size_t size = PARTS * (size_t)columns->n * sizeof *mult->w1;
  memset(mult->w1, 0, size), memset(mult->w2, 0, size);
  for (int part = 0; part < PARTS; part++) {
    const double *w = reduced(modes, modes->w, i, part);
    for (int k = 0; k < l->n; k++) { mult->w1[PARTS * col[k] + part] = w[k]; }
    for (int k = 0; k < columns->nrate; k++) { mult->w2[PARTS * col[rate[k]] + part] = w[l->n + k]; }
  }
}

/* Phi_z'out = f, by M x + Phi_z'out = f, Phi_z x = 0 */
static mbd_status solve(deviations *columns, multipliers *mult, mbd_real *x, mbd_real *out, mbd_error *err) {
  memset(mult->g, 0, PARTS * (size_t)columns->nphi * sizeof *mult->g);
  memset(out, 0, PARTS * (size_t)columns->nphi * sizeof *out);
  return mbd_saddle_solve(&columns->x.motion, PARTS, mult->f, mult->g, x, out, mult->step, mult->rg, err);
}

/* f += r S w, of blocks of two columns */
static void add_turned(const mbd_sim *s, const deviations *columns, const mbd_real *w, multipliers *mult) {
  const int n = columns->n;
  if (mbd_none(columns->turn != 0)) { return; }
  for (int part = 0; part < PARTS; part++) {
    for (int i = 0; i < n; i++) { mult->column[i] = w[PARTS * i + part]; }
    steady_generator(s, mult->column, mult->turned);
    for (int i = 0; i < n; i++) { mult->f[PARTS * i + part] += columns->turn * mult->turned[i]; }
  }
}

/* -w1'E1 S dz - w2'E2 S dzd: the derivative of the eigenvalue by the rate of turn. */
static void take_by_turn(const mbd_sim *s, const deviations *columns, mbd_modes *modes, int i, multipliers *mult) {
  const int n = columns->n;
  double *by = by_turn(modes, i);
  by[0] = by[1] = 0;
  for (int k = 0; mbd_any(columns->turn != 0) && k < RIGHT; k++) {
    const double *f = factor(modes, i, k), *x = right(modes, i, k);
    for (int order = 0; order < 2; order++, x += n) {
      const mbd_real *w = order == 0 ? mult->w1 : mult->w2;
      double re = 0, im = 0;
      for (int j = 0; j < n; j++) { mult->column[j] = x[j]; }
      steady_generator(s, mult->column, mult->turned);
      for (int j = 0; j < n; j++) {
        re -= mbd_first(w[PARTS * j] * mult->turned[j]), im -= mbd_first(w[PARTS * j + 1] * mult->turned[j]);
      }
      by[0] += f[0] * re - f[1] * im, by[1] += f[0] * im + f[1] * re;
    }
  }
}

static mbd_status find_multipliers(const mbd_sim *s, deviations *columns, const mbd_linear *l, const mbd_modes *modes,
                                   int i, multipliers *mult, mbd_error *err) {
  const int n = columns->n, m = columns->nphi;
  const double re = l->re[i], im = l->im[i];
  const size_t size = PARTS * (size_t)n * sizeof *mult->f;
  place_left(columns, l, modes, i, mult);
  memcpy(mult->f, mult->w2, size);
  MBD_TRY(solve(columns, mult, mult->y, mult->nudd, err));
  if (m == 0) { return MBD_OK; }
  memcpy(mult->f, mult->w1, size);
  add_lam(n, -1, re, im, mult->w2, mult->f);
  add_turned(s, columns, mult->w2, mult);
  mbd_mulT_add(n, n, PARTS, -1, columns->C, mult->y, mult->f);
  mbd_mulT_add(m, n, PARTS, -1, columns->Phidd_zd, mult->nudd, mult->f);
  MBD_TRY(solve(columns, mult, mult->x, mult->nud, err));
  memset(mult->f, 0, size);
  add_lam(n, -1, re, im, mult->w1, mult->f);
  add_turned(s, columns, mult->w1, mult);
  mbd_mulT_add(n, n, PARTS, -1, columns->K, mult->y, mult->f);
  mbd_mulT_add(m, n, PARTS, -1, columns->Phidd_z, mult->nudd, mult->f);
  mbd_mulT_add(m, n, PARTS, -1, columns->Phid_z, mult->nud, mult->f);
  return solve(columns, mult, mult->x, mult->nu, err);
}

static double *take(int n, int part, const mbd_real *block, double *to) {
  for (int k = 0; k < n; k++) { to[k] = mbd_first(block[PARTS * k + part]); }
  return to + n;
}

/* |w_k v_k|, the part of entry k in w'v = 1, which has no unit. */
static double participation(const mbd_modes *m, int i, int k) {
  return hypot(reduced(m, m->w, i, 0)[k], reduced(m, m->w, i, 1)[k]) *
         hypot(reduced(m, m->v, i, 0)[k], reduced(m, m->v, i, 1)[k]);
}

double mbd_modes_condition(const mbd_modes *m, int i) {
  double sum = 0;
  for (int k = 0; k < linear_order_of(&m->l); k++) { sum += participation(m, i, k); }
  return sum;
}

static int has_left(const mbd_modes *m, int i) {
  return mbd_modes_condition(m, i) < double_from; /* not if it is no number */
}

/* A mode of states that measure, which are not part of the residual. */
static int is_measured(const mbd_sim *s, const mbd_linear *l, const mbd_modes *m, int i) {
  const node_states *measuring = &s->node_states->measuring;
  for (int k = 0; k < measuring->n; k++) {
    if (participation(m, i, l->n + l->nrate + measuring->state[k]) > 1e-6) { return 1; }
  }
  return 0;
}

static mbd_status take_mode(const mbd_sim *s, deviations *columns, const mbd_linear *l, mbd_modes *modes, int i,
                            multipliers *mult, mbd_error *err) {
  const int n = columns->n, m = columns->nphi;
  take_right(columns, l, modes, i, mult->unit);
  modes->has[i] = has_left(modes, i) && !is_measured(s, l, modes, i);
  if (!modes->has[i]) { return MBD_OK; }
  MBD_TRY(find_multipliers(s, columns, l, modes, i, mult, err));
  take_by_turn(s, columns, modes, i, mult);
  for (int part = 0; part < PARTS; part++) {
    double *to = take(n, part, mult->y, left(modes, i, part));
    to = take(m, part, mult->nudd, to), to = take(m, part, mult->nud, to);
    take(m, part, mult->nu, to);
  }
  return MBD_OK;
}

mbd_status modes_vectors(mbd_sim *s, deviations *columns, const mbd_linear *l, mbd_modes *modes, mbd_error *err) {
  multipliers mult = {0};
  mbd_arena a = {0};
  while (mbd_arena_pass(&a)) { layout(&mult, (size_t)columns->n, (size_t)columns->nphi, &a); }
  MBD_TRY(mbd_arena_check(&a, "modes", err));
  mbd_status status = MBD_OK;
  for (int i = 0; status == MBD_OK && i < linear_order_of(l); i++) {
    if (!l->rigid[i] && l->im[i] >= 0) { status = take_mode(s, columns, l, modes, i, &mult, err); }
  }
  free(a.base);
  return status;
}

/* ---- of two modes ---- */

/* w_i of a times the deviations of mode j of b. */
static void times_left(const mbd_modes *a, int i, const mbd_modes *b, int j, double product[2]) {
  const mbd_linear *l = &a->l;
  product[0] = product[1] = 0;
  for (int part = 0; part < PARTS; part++) {
    const double *re = reduced(a, a->w, i, 0), *im = reduced(a, a->w, i, 1);
    const double *dz = right(b, j, part), *dzd = dz + b->nz, *state = dzd + b->nz - l->nstate;
    double sum[2] = {0, 0};
    for (int k = 0; k < l->n; k++) { sum[0] += re[k] * dz[l->z[k]], sum[1] += im[k] * dz[l->z[k]]; }
    re += l->n, im += l->n;
    for (int k = 0; k < l->nrate; k++) { sum[0] += re[k] * dzd[l->rate[k]], sum[1] += im[k] * dzd[l->rate[k]]; }
    re += l->nrate, im += l->nrate;
    for (int k = 0; k < l->nstate; k++) { sum[0] += re[k] * state[k], sum[1] += im[k] * state[k]; }
    product[0] += part == 0 ? sum[0] : -sum[1];
    product[1] += part == 0 ? sum[1] : sum[0];
  }
}

double mbd_modes_likeness(const mbd_modes *a, int i, const mbd_modes *b, int j) {
  double x[2], y[2];
  if (a->l.rigid[i] || b->l.rigid[j]) { return NAN; }
  times_left(a, i, b, j, x), times_left(b, j, a, i, y);
  return hypot(x[0], x[1]) * hypot(y[0], y[1]);
}

void mbd_modes_along(const mbd_modes *m, int i, const double *dA, double change[2]) {
  const int order = linear_order_of(&m->l);
  const double *v[] = {reduced(m, m->v, i, 0), reduced(m, m->v, i, 1)},
               *w[] = {reduced(m, m->w, i, 0), reduced(m, m->w, i, 1)};
  change[0] = change[1] = 0;
  for (int row = 0; row < order; row++) {
    double sum[2] = {0, 0};
    for (int k = 0; k < order; k++) {
      sum[0] += dA[row * order + k] * v[0][k], sum[1] += dA[row * order + k] * v[1][k];
    }
    change[0] += w[0][row] * sum[0] - w[1][row] * sum[1];
    change[1] += w[0][row] * sum[1] + w[1][row] * sum[0];
  }
  for (int k = 0; k < MODE_APART; k++) {
    const mode_apart *apart = &m->apart[i * MODE_APART + k];
    double sum[2] = {0, 0};
    for (int row = 0; apart->entry && row < order; row++) {
      const double entry = dA[row * order + apart->entry - 1];
      sum[0] += w[0][row] * entry, sum[1] += w[1][row] * entry;
    }
    change[0] += apart->re * sum[0] - apart->im * sum[1], change[1] += apart->re * sum[1] + apart->im * sum[0];
  }
}
