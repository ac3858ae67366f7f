/* The memory of an adjoint, and the operations that all formulations use (adjoint.h).
 * Equations: theory.md §7.4 (7.8), transposed. */
#include "state/adjoint.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static void layout(sim_adjoint *a, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, np = (size_t)s->npsi,
               rows = m + (size_t)s->m->nhold_row + n;
  a->reverse = mbd_arena_take(arena, np * sizeof *a->reverse);
  a->theta = mbd_arena_take(arena, np * sizeof *a->theta);
  for (size_t k = 0; k < np; k++) {
    mbd_reverse unplaced = {0};
    reverse_layout(arena->base ? &a->reverse[k] : &unplaced, s->m, arena);
  }
  MBD_ARENA_REALS(arena, n * np, &a->z, &a->zd, &a->zdd, &a->acc, &a->mu, &a->f, &a->dx);
  MBD_ARENA_REALS(arena, rows * np, &a->lam, &a->nu, &a->g, &a->rg);
  a->column = mbd_arena_real(arena, n);
  a->all = mbd_arena_real(arena, 3 * n);
  motion_linear_layout(&a->linear, s->m, arena);
  a->size = mbd_arena_take(arena, np * sizeof *a->size);
  a->row = mbd_arena_real(arena, rows + (size_t)output_lam_max(s->m) + 1);
  MBD_ARENA_REALS(arena, (m + 1) * np, &a->by_step.lam, &a->by_step.sigma, &a->by_step.kappa);
  MBD_ARENA_REALS(arena, n * np, &a->by_step.v, &a->by_step.a);
  MBD_ARENA_REALS(arena, m + 1, &a->weights[0], &a->weights[1], &a->weights[2]);
}

mbd_status adjoint_init(sim_adjoint *a, const mbd_sim *s, mbd_error *err) {
  a->npsi = a->max = s->npsi, a->n = s->m->nz;
  while (mbd_arena_pass(&a->arena)) { layout(a, s, &a->arena); }
  MBD_TRY(mbd_arena_check(&a->arena, "an adjoint", err));
  for (int k = 0; k < a->npsi; k++) { MBD_TRY(params_reverse_create(s->m, &a->theta[k], err)); }
  return MBD_OK;
}

void adjoint_release(sim_adjoint *a) {
  for (int k = 0; a->arena.base && k < a->max; k++) { params_reverse_destroy(a->theta[k]); }
  free(a->arena.base);
}

/* ---- reverse sweeps and systems ---- */

void adjoint_begin(const mbd_sim *s, sim_adjoint *a) {
  for (int k = 0; k < a->npsi; k++) { reverse_begin(&a->reverse[k], s->w, a->theta[k]); }
}

void adjoint_step_to_state(const mbd_sim *s, sim_adjoint *a) {
  const size_t n = (size_t)a->n * (size_t)a->npsi, m = (size_t)s->m->nphi * (size_t)a->npsi;
  adjoint_step_terms *by = &a->by_step;
  if (!by->any) { return; }
  for (size_t i = 0; i < n; i++) { a->zd[i] += by->v[i], a->zdd[i] += by->a[i]; }
  for (size_t i = 0; i < m; i++) { a->lam[i] += by->lam[i]; }
  by->any = 0;
}

void adjoint_close_acc(const mbd_sim *s, sim_adjoint *a) {
  const size_t size = (size_t)a->n * (size_t)a->npsi;
  for (size_t i = 0; s->scheme.has_acc && i < size; i++) { a->zdd[i] += s->scheme.acc_zdd * a->acc[i]; }
}

void adjoint_stretch(const mbd_sim *s, sim_adjoint *a, mbd_real scale, const mbd_real *x, const mbd_real *by) {
  for (int k = 0; s->c.free_duration && k < a->npsi; k++) {
    mbd_real sum = 0;
    for (int j = 0; j < a->n; j++) { sum += x[j] * by[j * a->npsi + k]; }
    a->theta[k]->stretch += scale * sum;
  }
}

void adjoint_stretch_rates(const mbd_sim *s, sim_adjoint *a) {
  adjoint_stretch(s, a, 1, s->now.zd, a->zd);
  adjoint_stretch(s, a, 2, s->now.zdd, a->zdd);
  if (s->scheme.has_acc) { adjoint_stretch(s, a, 2 * s->scheme.acc_zdd, s->now.zdd, a->acc); }
}

void adjoint_reverse_motion(mbd_sim *s, sim_adjoint *a) {
  motion_linearize(s->w, s->eq, s->now.lam, &a->linear);
  for (int k = 0; k < a->npsi; k++) {
    adjoint_get(s->m->nz, a->npsi, k, -1, a->mu, a->column);
    adjoint_get(s->m->nphi, a->npsi, k, -1, a->nu, a->row);
    motion_reverse_residual(&a->reverse[k], &a->linear, a->column);
    motion_reverse_rows(&a->reverse[k], s->eq, NULL, NULL, a->row);
  }
}

void adjoint_read(mbd_sim *s, sim_adjoint *a, int order, mbd_real *block) {
  const int n = s->m->nz;
  mbd_real *x = a->column;
  for (int k = 0; k < a->npsi; k++) {
    memset(x, 0, (size_t)n * sizeof *x);
    reverse_coordinates(&a->reverse[k], order == 0 ? x : NULL, order == 1 ? x : NULL, order == 2 ? x : NULL);
    adjoint_add(n, a->npsi, k, x, block);
  }
}

void adjoint_read_all(const mbd_sim *s, sim_adjoint *a) {
  const int n = s->m->nz;
  for (int k = 0; k < a->npsi; k++) {
    adjoint_get(n, a->npsi, k, 1, a->z, a->all);
    adjoint_get(n, a->npsi, k, 1, a->zd, a->all + n);
    adjoint_get(n, a->npsi, k, 1, a->zdd, a->all + 2 * n);
    reverse_coordinates(&a->reverse[k], a->all, a->all + n, a->all + 2 * n);
    adjoint_put(n, a->npsi, k, a->all, a->z);
    adjoint_put(n, a->npsi, k, a->all + n, a->zd);
    adjoint_put(n, a->npsi, k, a->all + 2 * n, a->zdd);
  }
}

void adjoint_read_joints(sim_adjoint *a) {
  for (int k = 0; k < a->npsi; k++) { reverse_joints(&a->reverse[k]); }
}

/* Column k of a block [n][np] times scale. */
static void scale_column(int n, int np, int k, mbd_real scale, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] *= scale; }
}

static double largest_in_column(int n, int np, int k, const mbd_real *block) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, mbd_largest(block[i * np + k])); }
  return max;
}

void adjoint_scale(sim_adjoint *a, int n, int m, mbd_real *f, mbd_real *g) {
  const int np = a->npsi;
  for (int k = 0; k < np && np > 1; k++) {
    const double size = fmax(largest_in_column(n, np, k, f), largest_in_column(m, np, k, g));
    a->size[k] = size > 0 && isfinite(size) ? size : 1;
    scale_column(n, np, k, 1 / a->size[k], f);
    scale_column(m, np, k, 1 / a->size[k], g);
  }
}

void adjoint_unscale(sim_adjoint *a, int n, int m, mbd_real *f, mbd_real *g) {
  const int np = a->npsi;
  for (int k = 0; k < np && np > 1; k++) {
    scale_column(n, np, k, a->size[k], a->mu);
    scale_column(m, np, k, a->size[k], a->nu);
    scale_column(n, np, k, a->size[k], f);
    scale_column(m, np, k, a->size[k], g);
  }
}

/* Number of coordinates up to which lists of nonzeros do not save time for one right-hand side, unless the matrices are
 * packed. */
enum { DENSE_UP_TO = 16 };

mbd_status adjoint_solve(sim_adjoint *a, const mbd_saddle *saddle, mbd_real *f, mbd_real *g, mbd_error *err) {
  const int n = saddle->n, m = saddle->m, np = a->npsi;
  mbd_saddle system = *saddle;
  if (np == 1 && n <= DENSE_UP_TO && !system.Phi_packed) { system.A_at = system.Phi_at = NULL; }
  adjoint_scale(a, n, m, f, g);
  adjoint_zero((size_t)m * (size_t)np, a->nu);
  MBD_TRY(mbd_saddle_solve(&system, np, f, g, a->mu, a->nu, a->dx, a->rg, err));
  adjoint_unscale(a, n, m, f, g);
  return MBD_OK;
}
