/* Multipliers of least norm, and the derivatives of outputs that read them (shares.h).
 * Equations: theory.md §6 (6.4), (6.5). */
#include "objective/shares.h"

#include "dynamics/motion.h"
#include "objective/objectives.h"

void shares_layout(sim_shares *q, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, rows = m + (size_t)s->m->nhold_row + n;
  q->lam = mbd_arena_real(arena, m + 1);
  MBD_ARENA_REALS(arena, rows, &q->rest, &q->by_rest);
  MBD_ARENA_REALS(arena, n, &q->u, &q->v, &q->x);
  q->row = mbd_arena_take(arena, (m + 1) * sizeof *q->row);
  q->col = mbd_arena_take(arena, n * sizeof *q->col);
}

static sim_shares *shares_of(const mbd_sim *s) {
  return &s->objectives->shares;
}

/* ---- the current motion ---- */

/* Redundant rows are dependent to within the tolerance of a step; rows of compliant constraints, less closely. */
static const double rank_from = 1e-9, rank_to = 1e-2;

/* Chooses as many free columns as at the start, on which the others depend. Returns 0 if there are not so many. */
static int choose_columns(mbd_sim *s) {
  sim_shares *q = shares_of(s);
  int rank = -1;
  for (double tol = rank_from; tol <= rank_to && rank != s->rank; tol *= 10) {
    rank = mbd_blocks_rank(q->rows, s->m->nphi, tol, MBD_RANK_BOTH, q->row, q->col);
  }
  if (rank != s->rank) { return 0; }
  mbd_blocks_keep(q->rows, s->m->nz - rank, q->col + rank);
  return 1;
}

/* b [rows and coordinates] := (1 - P) g, Phi_z x = P g */
static void split(const mbd_sim *s, const mbd_real *g, mbd_real *b, mbd_real *x) {
  mbd_blocks *rows = shares_of(s)->rows;
  memset(b, 0, (size_t)(rows->nrow + rows->nkept) * sizeof *b);
  memcpy(b, g, (size_t)s->m->nphi * sizeof *b);
  mbd_blocks_solve(rows, 1, b, x);
}

void shares_update(mbd_sim *s, int all) {
  sim_shares *q = shares_of(s);
  const mbd_real *mu = s->now.reaction;
  q->present = 0;
  if (s->rank == s->m->nphi || !(q->reads || (all && q->shown))) { return; }
  mbd_blocks_clear(q->rows);
  motion_phi_scattered(s->w, s->eq, NULL, q->rows->row, q->rows->at, q->rows->packed);
  q->present = choose_columns(s) && mbd_blocks_factor(q->rows, 0) == MBD_OK;
  q->lost = !q->present;
  if (q->lost) { return; }
  split(s, mu, q->rest, q->u);
  for (int i = 0; i < s->m->nphi; i++) { q->lam[i] = mu[i] - q->rest[i]; }
}

mbd_status shares_check(const mbd_sim *s, mbd_error *err) {
  const sim_shares *q = shares_of(s);
  if (!q->lost || !q->reads) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_SINGULAR,
      "reactions that an objective reads are not determined: other constraints depend on each other than at the start, "
      "as at a singular position; expected a motion that neither starts there nor passes it, or objectives of other "
      "outputs");
}

const mbd_real *shares_lam(const mbd_sim *s) {
  const sim_shares *q = shares_of(s);
  return q->present ? q->lam : s->now.reaction;
}

/* ---- derivatives ---- */

/* g := P g */
static void project(mbd_sim *s, mbd_real *g) {
  sim_shares *q = shares_of(s);
  split(s, g, q->by_rest, q->v);
  for (int i = 0; i < s->m->nphi; i++) { g[i] -= q->by_rest[i]; }
}

/* Derivatives of u . Phi_z' by_rest + v . Phi_z' rest by the coordinates into z, those by coefficients into theta. */
static void pull_changes(mbd_sim *s, params_pull *theta, mbd_real *z) {
  const sim_shares *q = shares_of(s);
  mbd_pull *to = s->w->pull;
  const motion_terms e[] = {{.rows = s->eq, .lam = q->by_rest}, {.rows = s->eq, .lam = q->rest}};
  pull_begin(to, s->w, theta);
  motion_pull_mass(to, &e[0], q->u, q->u);
  motion_pull_mass(to, &e[1], q->v, q->v);
  pull_coordinates(to, z, NULL, NULL);
  pull_joints(to);
}

void shares_rows(mbd_sim *s, mbd_real *g_lam, mbd_real *g_z) {
  if (!shares_of(s)->present) { return; }
  project(s, g_lam);
  pull_changes(s, NULL, g_z);
}

mbd_real shares_direction(mbd_sim *s) {
  const sim_shares *q = shares_of(s);
  const int n = s->m->nz;
  const motion_terms e[] = {{.rows = s->eq, .lam = q->by_rest}, {.rows = s->eq, .lam = q->rest}};
  if (!q->present) { return 0; }
  motion_direction(s->w, &e[0], q->x, NULL, NULL, NULL);
  const mbd_real by_u = mbd_dot(n, q->u, q->x);
  motion_direction(s->w, &e[1], q->x, NULL, NULL, NULL);
  return by_u + mbd_dot(n, q->v, q->x);
}

void shares_pull(mbd_sim *s, sim_adjoint *a, int k, mbd_real *g_lam) {
  const sim_shares *q = shares_of(s);
  if (!q->present) { return; }
  project(s, g_lam);
  memset(q->x, 0, (size_t)s->m->nz * sizeof *q->x);
  pull_changes(s, a->theta[k], q->x);
  mbd_axpy(s->m->nz, 1, q->x, a->pull[k].z);
}
