/* The backward pass over a simulation. */
#include "state/adjoint.h"

#include <stdlib.h>
#include <string.h>

/* ---- one node ---- */

/* Weight of term i in adjoint k. */
static mbd_real term_weight(const mbd_sim *s, const sim_adjoint *a, int i, int k) {
  const int psi = s->term[i].psi;
  if (!a->sum) { return psi == k ? a->we[i] : 0; }
  return a->sum[k * s->npsi + psi] * a->we[i];
}

/* A target over time is subtracted from its output. */
static void target_curve(const mbd_sim *s, int i, mbd_real weight, params_pull *theta) {
  const mbd_curve *q = s->target[i];
  const mbd_curve_value by = {-weight, 0, 0};
  if (!q || weight == 0 || !theta->curve_wanted[q - s->m->curve]) { return; }
  q->ops->pull(q, s->p->theta + q->coef, s->p->aux + q->aux, s->t, &by, theta->theta + q->coef, theta->aux + q->aux);
}

/* a->wy of adjoint k */
static void output_weights(mbd_sim *s, sim_adjoint *a, int k) {
  memset(a->wy, 0, (size_t)s->o->n * sizeof *a->wy);
  for (int i = 0; i < s->nterm; i++) {
    const mbd_real weight = term_weight(s, a, i, k);
    a->wy[s->term[i].output] += weight;
    target_curve(s, i, weight, a->theta[k]);
  }
}

void adjoint_outputs(mbd_sim *s, sim_adjoint *a) {
  const int no = s->o->n, m = s->m->nphi;
  const output_state at = {s->t, s->now.reaction};
  for (int k = 0; k < a->npsi; k++) {
    pull_clear(s->m, &a->pull[k]);
    memset(a->row, 0, ((size_t)m + 1) * sizeof *a->row);
    output_weights(s, a, k);
    for (int o = 0; o < no; o++) {
      if (a->wy[o] == 0) { continue; }
      output_pull(s->p, s->w, &s->o->item[o], &at, a->wy[o], &a->pull[k], a->theta[k], a->row);
    }
    adjoint_add(m, a->npsi, k, a->row, a->lam);
  }
}

void adjoint_read(mbd_sim *s, sim_adjoint *a, int order, mbd_real *block) {
  const int n = s->m->nz;
  mbd_real *x = a->column;
  for (int k = 0; k < a->npsi; k++) {
    memset(x, 0, (size_t)n * sizeof *x);
    pull_coordinates(s->p, s->w, &a->pull[k], order == 0 ? x : NULL, order == 1 ? x : NULL, order == 2 ? x : NULL);
    adjoint_add(n, a->npsi, k, x, block);
  }
}

void adjoint_read_joints(mbd_sim *s, sim_adjoint *a) {
  for (int k = 0; k < a->npsi; k++) {
    if (a->theta[k]->any_joint) { pull_joints(s->p, s->w, &a->pull[k], a->theta[k]); }
  }
}

/* Column k of a block [n][np] times scale. */
static void scale_column(int n, int np, int k, mbd_real scale, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] *= scale; }
}

static double largest_in_column(int n, int np, int k, const mbd_real *block) {
  double most = 0;
  for (int i = 0; i < n; i++) { most = fmax(most, mbd_absre(block[i * np + k])); }
  return most;
}

static void take_sizes(sim_adjoint *a, int n, int m, mbd_real *f, mbd_real *g) {
  const int np = a->npsi;
  for (int k = 0; k < np && np > 1; k++) {
    const double size = fmax(largest_in_column(n, np, k, f), largest_in_column(m, np, k, g));
    a->size[k] = size > 0 && isfinite(size) ? size : 1;
    scale_column(n, np, k, 1 / a->size[k], f);
    scale_column(m, np, k, 1 / a->size[k], g);
  }
}

static void give_sizes_back(sim_adjoint *a, int n, int m, mbd_real *f, mbd_real *g) {
  const int np = a->npsi;
  for (int k = 0; k < np && np > 1; k++) {
    scale_column(n, np, k, a->size[k], a->mu);
    scale_column(m, np, k, a->size[k], a->nu);
    scale_column(n, np, k, a->size[k], f);
    scale_column(m, np, k, a->size[k], g);
  }
}

/* Coordinates up to which lists of nonzeros do not pay for one right-hand side. */
enum { DENSE_UP_TO = 16 };

mbd_status adjoint_solve(sim_adjoint *a, const mbd_saddle *q, mbd_real *f, mbd_real *g, mbd_error *err) {
  const int n = q->n, m = q->m, np = a->npsi;
  mbd_saddle system = *q;
  if (np == 1 && n <= DENSE_UP_TO) { system.A_at = system.Phi_at = system.lu_at = NULL; }
  take_sizes(a, n, m, f, g);
  adjoint_zero((size_t)m * (size_t)np, a->nu);
  MBD_TRY(mbd_saddle_solve(&system, np, f, g, a->mu, a->nu, a->dx, a->rg, err));
  give_sizes_back(a, n, m, f, g);
  return MBD_OK;
}

mbd_status adjoint_solve_motion(mbd_sim *s, sim_adjoint *a, mbd_real *f, mbd_real *g, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi, np = a->npsi;
  take_sizes(a, n, m, f, g);
  adjoint_zero((size_t)m * (size_t)np, a->nu);
  MBD_TRY(start_solve_motion(s, np, f, g, a->mu, a->nu, a->dx, a->rg, err));
  give_sizes_back(a, n, m, f, g);
  return MBD_OK;
}

/* ---- memory ---- */

static void adjoint_layout(sim_adjoint *a, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, np = (size_t)s->npsi,
               rows = m + (size_t)s->m->nhold_row + n;
  a->pull = mbd_arena_take(arena, np * sizeof *a->pull);
  a->theta = mbd_arena_take(arena, np * sizeof *a->theta);
  for (size_t k = 0; k < np; k++) {
    mbd_pull unplaced = {0};
    pull_layout(arena->base ? &a->pull[k] : &unplaced, s->m, arena);
  }
  mbd_real **block[] = {&a->z,  &a->zd, &a->zdd, &a->acc, &a->vs,   &a->as,
                        &a->mu, &a->f,  &a->dx,  &a->g_z, &a->g_zd, &a->by_accel};
  for (size_t i = 0; i < sizeof block / sizeof block[0]; i++) { *block[i] = mbd_arena_real(arena, n * np); }
  mbd_real **row[] = {&a->lam, &a->nu, &a->g, &a->rg};
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) { *row[i] = mbd_arena_real(arena, rows * np); }
  a->we = mbd_arena_real(arena, (size_t)s->nterm + 1);
  a->wy = mbd_arena_real(arena, (size_t)s->o->n + 1);
  a->column = mbd_arena_real(arena, n);
  a->by = mbd_arena_real(arena, 3 * n);
  a->force = mbd_arena_take(arena, ((size_t)s->m->nforce + 1) * sizeof *a->force);
  a->reaction = mbd_arena_take(arena, ((size_t)s->m->nconstraint + 1) * sizeof *a->reaction);
  a->pivots = mbd_arena_real(arena, n + 1);
  a->size = mbd_arena_take(arena, np * sizeof *a->size);
  a->row = mbd_arena_real(arena, rows);
}

void adjoint_destroy(sim_adjoint *a) {
  if (!a) { return; }
  for (int k = 0; a->arena.base && k < a->most; k++) { params_pull_destroy(a->theta[k]); }
  params_pull_destroy(a->contradiction);
  store_destroy(a->trajectory);
  free(a->arena.base);
  free(a);
}

static mbd_status adjoint_create(mbd_sim *s, mbd_error *err) {
  sim_adjoint *a = calloc(1, sizeof *a);
  if (!a) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for an adjoint"); }
  a->npsi = a->most = s->npsi;
  while (mbd_arena_pass(&a->arena)) { adjoint_layout(a, s, &a->arena); }
  const mbd_status status = mbd_arena_check(&a->arena, "an adjoint", err);
  if (status != MBD_OK) {
    free(a);
    return status;
  }
  s->adjoint = a;
  for (int k = 0; k < a->npsi; k++) { MBD_TRY(params_pull_create(s->m, &a->theta[k], err)); }
  return params_pull_create(s->m, &a->contradiction, err);
}

/* ---- the trajectory ---- */

/* One node as numbers: first what restarts the simulation there, then the rest of what the adjoint of its step reads. */
static size_t state_reals(const mbd_sim *s) {
  return (s->scheme.has_acc ? 4 : 3) * (size_t)s->m->nz + (sim_reactions_apart(s) ? 2 : 1) * (size_t)s->m->nphi +
         (s->ops->state_reals ? s->ops->state_reals(s) : 0);
}

static size_t record_reals(const mbd_sim *s) {
  return state_reals(s) + (size_t)s->o->n + s->ops->record_reals(s);
}

size_t mbd_sim_step_bytes(const mbd_sim *s) {
  return s->ops->record_reals ? record_reals(s) * sizeof(mbd_real) : 0;
}

static void copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  const int n = s->m->nz, m = s->m->nphi;
  copy(at, s->now.z, n), copy(at, s->now.zd, n), copy(at, s->now.zdd, n), copy(at, s->now.lam, m);
  if (sim_reactions_apart(s)) { copy(at, s->now.reaction, m); }
  if (s->scheme.has_acc) { copy(at, s->now.acc, n); }
  if (s->ops->copy_state) { s->ops->copy_state(s, copy, at); }
}

static void copy_record(mbd_sim *s, sim_copy copy, mbd_real *record) {
  copy_state(s, copy, &record);
  copy(&record, s->y, s->o->n);
  s->ops->copy_record(s, copy, &record);
}

static void save_state(void *user, void *state) {
  mbd_real *at = state;
  copy_state(user, sim_into_record, &at);
}

static mbd_status save_record(void *user, void *record, mbd_error *err) {
  (void)err;
  copy_record(user, sim_into_record, record);
  return MBD_OK;
}

static void restore(void *user, int k, const void *state) {
  mbd_sim *s = user;
  mbd_real *at = (mbd_real *)state; /* read only: sim_from_record does not write there */
  copy_state(s, sim_from_record, &at);
  s->t = k * s->h;
}

static mbd_status advance(void *user, int k, mbd_error *err) {
  mbd_sim *s = user;
  MBD_TRY(sim_advance(s, k, err));
  quadrature_outputs(s);
  return MBD_OK;
}

/* ---- the pass ---- */

static mbd_status visit(void *user, int k, const void *record, mbd_error *err) {
  mbd_sim *s = user;
  sim_adjoint *a = s->adjoint;
  copy_record(s, sim_from_record, (mbd_real *)record);
  s->t = k * s->h;
  if (a->continuous) { return sim_at_time(s->ops->continuous_adjoint(s, a, k, err), s, err); }
  quadrature_weights(s, sim_weight(s, k), k == s->nsteps, a->we);
  return sim_at_time(s->ops->adjoint_step(s, a, err), s, err);
}

static const store_ops trajectory_ops = {
    .save_state = save_state, .save_record = save_record, .restore = restore, .advance = advance, .visit = visit};

/* Memory for the trajectory, kept for the next run with the same limit. */
static mbd_status make_trajectory(mbd_sim *s, size_t limit, mbd_error *err) {
  sim_adjoint *a = s->adjoint;
  if (a->trajectory && a->limit == limit) { return MBD_OK; }
  store_destroy(a->trajectory);
  a->trajectory = NULL, a->limit = limit;
  return store_create(s->nsteps, state_reals(s) * sizeof(mbd_real), record_reals(s) * sizeof(mbd_real), limit,
                      &trajectory_ops, s, &a->trajectory, err);
}

/* From node 0, restored, to the coefficients. */
static mbd_status start_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  s->w->nmarker = s->m->nmarker; /* held quantities look at axes of bodies */
  if (!a->continuous) { return adjoint_start(s, a, err); }
  MBD_TRY(s->ops->continuous_adjoint(s, a, 0, err));
  for (int k = 0; k < a->npsi; k++) { pull_clear(s->m, &a->pull[k]); }
  return adjoint_start_motion(s, a, err);
}

static mbd_status backwards(mbd_sim *s, mbd_error *err) {
  sim_adjoint *a = s->adjoint;
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi, rows = (size_t)s->m->nphi * (size_t)a->npsi;
  memset(a->z, 0, size * sizeof *a->z), memset(a->zd, 0, size * sizeof *a->z), memset(a->zdd, 0, size * sizeof *a->z);
  memset(a->acc, 0, size * sizeof *a->acc);
  memset(a->lam, 0, rows * sizeof *a->lam);
  for (int k = 0; k < a->npsi; k++) { params_pull_clear(a->theta[k]); }
  MBD_TRY(store_reverse(a->trajectory, err));
  MBD_TRY(sim_at_time(start_back(s, a, err), s, err));
  for (int k = 0; k < a->npsi; k++) { params_pull_finish(a->theta[k], s->p); }
  return MBD_OK;
}

/* Explicit steps of the adjoint are as long as those of the run were, which resting motions say nothing about. */
static const char *advice(const mbd_sim *s) {
  if (!s->adjoint->continuous || !s->integrator->tableau) { return ""; }
  return ": a stiff force makes the steps of the continuous adjoint unstable; a smaller 'step' or 'max_step', or the "
         "gradient method discrete_adjoint or direct";
}

static mbd_status check_finite(const mbd_sim *s, mbd_error *err) {
  const sim_adjoint *a = s->adjoint;
  for (int k = 0; k < a->npsi; k++) {
    for (int i = 0; i < s->m->ncoef; i++) {
      const double g = mbd_re(a->theta[k]->theta[i]);
      if (a->theta[k]->wanted[i] && !isfinite(g)) {
        MBD_FAIL(err, MBD_NOT_FINITE, "the derivative of objective %d by '%s' is %g%s", k + 1, s->m->coef_name[i],
                 fabs(g), advice(s));
      }
    }
  }
  return MBD_OK;
}

mbd_status mbd_sim_adjoint(mbd_sim *s, const mbd_params *p, const mbd_adjoint_options *o, double *psi, double *gtheta,
                           mbd_observer observer, void *user, mbd_error *err) {
  const size_t nc = (size_t)s->m->ncoef;
  const double begun = sim_seconds();
  if (!s->ops->adjoint_step) { MBD_FAIL(err, MBD_UNSUPPORTED, "formulation '%s' has no adjoint", s->ops->name); }
  if (o->continuous && !s->ops->continuous_adjoint) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "formulation '%s' has no continuous adjoint", s->ops->name);
  }
  if (!o->continuous) { MBD_TRY(sim_projection_derivatives(s, err)); }
  if (!s->adjoint) { MBD_TRY(adjoint_create(s, err)); }
  sim_adjoint *a = s->adjoint;
  if (o->nsum > a->most) { MBD_FAIL(err, MBD_BAD_INPUT, "%d sums of objectives, but memory for %d", o->nsum, a->most); }
  a->npsi = o->nsum ? o->nsum : a->most;
  a->sum = o->nsum ? o->sum : NULL;
  a->continuous = o->continuous;
  MBD_TRY(make_trajectory(s, o->memory_limit, err));
  for (int k = 0; k < a->npsi; k++) { params_pull_want(a->theta[k], o->wanted); }
  params_pull_want(a->contradiction, o->wanted);
  MBD_TRY(sim_run_kept(s, p, a->trajectory, observer, user, err));
  mbd_status status = backwards(s, err);
  s->stats.seconds = sim_seconds() - begun;
  s->stats.memory = store_get_stats(a->trajectory)->bytes;
  s->stats.recomputed = (long)store_get_stats(a->trajectory)->recomputed;
  MBD_TRY(status);
  MBD_TRY(check_finite(s, err));
  for (int i = 0; i < s->npsi; i++) { psi[i] = mbd_re(s->psi[i]); }
  for (int k = 0; k < a->npsi; k++) {
    for (size_t i = 0; i < nc; i++) { gtheta[(size_t)k * nc + i] = mbd_re(a->theta[k]->theta[i]); }
  }
  return MBD_OK;
}
