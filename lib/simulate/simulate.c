/* The time loop. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/nearest.h"
#include "kinematics/sweep.h"
#include "simulate/case.h"
#include "state/adjoint.h"

static void state_layout(sim_state *q, size_t n, size_t m, int apart, int has_acc, mbd_arena *a) {
  q->z = mbd_arena_real(a, n);
  q->zd = mbd_arena_real(a, n);
  q->zdd = mbd_arena_real(a, n);
  q->lam = mbd_arena_real(a, m + 1);
  q->reaction = apart ? mbd_arena_real(a, m + 1) : q->lam;
  q->acc = has_acc ? mbd_arena_real(a, n) : NULL;
}

static void iterates_layout(sim_iterates *q, size_t iterations, size_t n, size_t m, mbd_arena *a) {
  q->x = mbd_arena_real(a, iterations * n);
  q->mult = mbd_arena_real(a, iterations * m);
}

static void step_layout(mbd_sim *s, size_t n, size_t m, mbd_arena *a) {
  state_layout(&s->now, n, m, sim_reactions_apart(s), s->scheme.has_acc, a);
  state_layout(&s->before, n, m, sim_reactions_apart(s), s->scheme.has_acc, a);
  s->vs = mbd_arena_real(a, n);
  s->as = mbd_arena_real(a, n);
  s->r = mbd_arena_real(a, n);
  s->dz = mbd_arena_real(a, n);
  s->moved = mbd_arena_real(a, n);
  s->dz_last = mbd_arena_real(a, n);
  s->part.z = mbd_arena_real(a, n);
  s->part.zd = mbd_arena_real(a, n);
  s->part.lam = mbd_arena_real(a, m + 1);
  s->part.x = mbd_arena_real(a, n);
  s->part.correction = mbd_arena_real(a, n);
  s->part.mult = mbd_arena_real(a, m + 1);
  s->part.correction_mult = mbd_arena_real(a, m + 1);
  s->z_first = mbd_arena_real(a, n);
  s->phi = mbd_arena_real(a, m + 1);
  s->dlam = mbd_arena_real(a, m + 1);
  s->phi_t = mbd_arena_real(a, m + 1);
  s->gam = mbd_arena_real(a, m + 1);
  s->gap = mbd_arena_real(a, m + 1);
  s->sv = mbd_arena_real(a, m + 1);
  s->sa = mbd_arena_real(a, m + 1);
  watch_layout(&s->watch, n, a);
  iterates_layout(&s->iter_v, (size_t)s->c.projection_iterations, n, m, a);
  iterates_layout(&s->iter_a, (size_t)s->c.projection_iterations, n, m, a);
}

static void nonzeros_layout(mbd_nonzeros *z, size_t m, size_t n, mbd_arena *a) {
  z->count = mbd_arena_take(a, (m + 1) * sizeof *z->count);
  z->col = mbd_arena_take(a, (m * n + 1) * sizeof *z->col);
}

/* Memory that grows with the square of the model: for formulations that take it, and for starts that know no better. */
static int wants_dense(const mbd_sim *s) {
#ifdef MBD_COMPLEX
  if (s->integrator->scheme) { return 1; } /* the referee's implicit steps go by matrices */
#endif
  return s->ops->dense || !s->ops->factor_motion || s->c.start == MBD_START_EQUILIBRIUM;
}

static void dense_layout(mbd_sim *s, size_t n, size_t m, size_t nh, mbd_arena *a) {
  mbd_real **square[] = {&s->K, &s->C, &s->M, &s->T0, &s->T, &s->P0, &s->P};
  mbd_real **rows[] = {&s->Phi_z, &s->Phid_z, &s->Phidd_z, &s->Phidd_zd};
  mbd_nonzeros *at[] = {&s->T0_at, &s->T_at, &s->P_at, &s->M_at};
  for (size_t i = 0; i < sizeof square / sizeof square[0]; i++) { *square[i] = mbd_arena_real(a, n * n); }
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) { *rows[i] = mbd_arena_real(a, m * n + 1); }
  for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) { nonzeros_layout(at[i], n, n, a); }
  nonzeros_layout(&s->Phi_at, m, n, a);
  s->piv_T = mbd_arena_take(a, n * sizeof *s->piv_T);
  s->piv_P = mbd_arena_take(a, n * sizeof *s->piv_P);
  s->Kp = mbd_arena_real(a, n * n);
  mbd_weak_layout(&s->weak, (int)n, (int)m, a);
  if (s->c.start == MBD_START_EQUILIBRIUM) {
    s->J = mbd_arena_real(a, (m + nh + n) * n);
    s->z_assembled = mbd_arena_real(a, n);
    s->settled_work = mbd_arena_take(a, (m + nh + 5 * n) * n * sizeof *s->settled_work);
    s->settled_row = mbd_arena_take(a, (m + nh + n) * sizeof *s->settled_row);
    s->settled_col = mbd_arena_take(a, n * sizeof *s->settled_col);
    mbd_weak_layout(&s->weak_static, (int)n, (int)(m + nh + n), a);
  }
}

static void sens_layout(mbd_sim *s, size_t n, size_t m, size_t np, size_t nh, mbd_arena *a) {
  size_t nb = (size_t)s->m->nb, rows = m + nh;
  s->sens.z = mbd_arena_real(a, n * np);
  s->sens.zd = mbd_arena_real(a, n * np);
  s->sens.zdd = mbd_arena_real(a, n * np);
  s->sens.lam = mbd_arena_real(a, m * np + 1);
  s->sens.reaction = sim_reactions_apart(s) ? mbd_arena_real(a, m * np + 1) : s->sens.lam;
  s->sens.acc = s->scheme.has_acc ? mbd_arena_real(a, n * np) : NULL;
  s->B = mbd_arena_real(a, n * np);
  s->V0 = mbd_arena_real(a, n * np);
  s->A0 = mbd_arena_real(a, n * np);
  s->vsp = mbd_arena_real(a, n * np);
  s->asp = mbd_arena_real(a, n * np);
  s->E = mbd_arena_real(a, m * np + 1);
  s->G = mbd_arena_real(a, m * np + 1);
  s->Phi_th = mbd_arena_real(a, m * np + 1);
  s->Em = mbd_arena_real(a, m * np + 1);
  s->Gm = mbd_arena_real(a, m * np + 1);
  s->dr = mbd_arena_real(a, n);
  s->dphi = mbd_arena_real(a, rows + 1);
  s->dphid = mbd_arena_real(a, rows + 1);
  s->dphidd = mbd_arena_real(a, rows + 1);
  s->column_z = mbd_arena_real(a, n);
  s->column_zd = mbd_arena_real(a, n);
  s->vary.body = mbd_arena_take(a, nb * sizeof *s->vary.body);
  s->still.body = mbd_arena_take(a, nb * sizeof *s->still.body);
}

static void start_layout(mbd_sim *s, size_t n, size_t m, size_t np, size_t nh, mbd_arena *a) {
  size_t rows = m + nh + n;
  s->row = mbd_arena_take(a, (m + 1) * sizeof *s->row);
  s->free_z = mbd_arena_take(a, n * sizeof *s->free_z);
  s->all_rows = mbd_arena_take(a, (m + nh + 1) * sizeof *s->all_rows);
  s->all_z = mbd_arena_take(a, n * sizeof *s->all_z);
  s->F = mbd_arena_real(a, rows * (np > 1 ? np : 1));
  s->other.shift = mbd_arena_take(a, n * sizeof *s->other.shift);
  s->other.closest = mbd_arena_take(a, n * sizeof *s->other.closest);
  s->other.open = mbd_arena_take(a, n);
  s->y_static = mbd_arena_real(a, rows);
  s->dy_static = mbd_arena_real(a, rows * (np > 1 ? np : 1));
  s->rg_static = mbd_arena_real(a, rows * (np > 1 ? np : 1));
}

static void output_layout(mbd_sim *s, size_t n, size_t m, size_t np, mbd_arena *a) {
  size_t no = (size_t)s->o->n, npsi = (size_t)s->npsi;
  s->y = mbd_arena_real(a, no + 1);
  s->y_real = mbd_arena_take(a, (no + 1) * sizeof *s->y_real);
  s->observed = mbd_arena_take(a, (3 * n + m) * sizeof *s->observed);
  s->g_z = mbd_arena_real(a, n);
  s->g_zd = mbd_arena_real(a, n);
  s->g_zdd = mbd_arena_real(a, n);
  s->g_lam = mbd_arena_real(a, m + 1);
  s->yp = mbd_arena_real(a, np + 1);
  s->ep = mbd_arena_real(a, np + 1);
  s->target = mbd_arena_take(a, ((size_t)s->nterm + 1) * sizeof *s->target);
  s->wanted = mbd_arena_take(a, no + 1);
  s->psi = mbd_arena_real(a, npsi + 1);
  s->grad = mbd_arena_real(a, npsi * np + 1);
  s->gn = mbd_arena_real(a, npsi * np * np + 1);
  s->peak_top = mbd_arena_take(a, (npsi + 1) * sizeof *s->peak_top);
  s->peak_sum = mbd_arena_real(a, npsi + 1);
  s->peak_grad = mbd_arena_real(a, npsi * np + 1);
  s->term = mbd_arena_take(a, ((size_t)s->nterm + 1) * sizeof *s->term);
}

static void sim_layout(mbd_sim *s, mbd_arena *a) {
  size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, np = (size_t)s->np_max, nh = (size_t)s->m->nhold_row;
  step_layout(s, n, m, a);
  if (wants_dense(s)) { dense_layout(s, n, m, nh, a); }
  sens_layout(s, n, m, np, nh, a);
  start_layout(s, n, m, np, nh, a);
  output_layout(s, n, m, np, a);
}

/* Terms of a smooth maximum belong together. */
static mbd_status check_terms(int nterm, const mbd_term *term, mbd_error *err) {
  for (int i = 0; i < nterm; i++) {
    const mbd_term *a = &term[i];
    const int peak = mbd_form_is_peak(a->form);
    if (peak && !(a->sharpness > 0)) {
      MBD_FAIL(err, MBD_BAD_INPUT, "a peak needs a sharpness > 0, in 1/(unit of its output)");
    }
    for (int k = 0; k < i; k++) {
      const mbd_term *b = &term[k];
      if (a->psi != b->psi || (!peak && !mbd_form_is_peak(b->form))) { continue; }
      if (a->form != b->form || a->weight != b->weight || a->sharpness != b->sharpness) {
        MBD_FAIL(err, MBD_BAD_INPUT, "the terms of one peak must have the same form, weight and sharpness");
      }
    }
  }
  return MBD_OK;
}

static mbd_status find_target(const mbd_model *m, const mbd_term *k, const mbd_curve **target, mbd_error *err) {
  mbd_nearest near = {.wanted = k->target_curve};
  char hint[128];
  *target = NULL;
  if (!k->target_curve) { return MBD_OK; }
  for (int i = 0; i < m->ncurve; i++) {
    if (strcmp(m->curve[i].name, k->target_curve) == 0) { *target = &m->curve[i]; }
    mbd_nearest_offer(&near, m->curve[i].name);
  }
  if (*target) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "target curve '%s' is not known%s", k->target_curve,
           mbd_nearest_text(&near, hint, sizeof hint));
}

/* Where constraints yield, the penalty is part of the problem: a number of the case that neither state nor design changes. Their
 * projections have no end (penalty.c), but a number of iterations. */
static void set_compliance(mbd_sim *s) {
  enum { PROJECTIONS = 5 };
  if (s->ops->penalty == 0) { return; }
  if (s->c.penalty == 0) { s->c.penalty = s->ops->penalty; }
  s->compliance = 1 / s->c.penalty;
  s->own_projections = s->c.projection_iterations == 0;
  if (s->own_projections) { s->c.projection_iterations = PROJECTIONS; }
}

mbd_status mbd_sim_create(const mbd_model *m, const mbd_case *c, const mbd_outputs *o, int nterm, const mbd_term *term,
                          int npsi, int np, mbd_sim **out, mbd_error *err) {
  *out = NULL;
  MBD_TRY(case_check(c, err));
  if (c->start == MBD_START_EQUILIBRIUM && m->nhold_kept == m->nhold) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "a start from equilibrium needs held quantities that settle: settle = QUANTITY, ... in the model's [start]");
  }
  MBD_TRY(check_terms(nterm, term, err));
  mbd_sim *s = calloc(1, sizeof *s);
  if (!s) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  *s = (mbd_sim){.m = m,
                 .o = o,
                 .c = *c,
                 .ops = mbd_formulation_find(c->formulation),
                 .projection = mbd_projection_find(c->projection_matrix),
                 .nterm = nterm,
                 .npsi = npsi,
                 .np_max = np,
                 .eq = eq_constraints(m),
                 .holds = eq_holds(m)};
  set_compliance(s);
  s->nsteps = (int)ceil(c->duration / c->step - 1e-6);
  s->h = c->duration / s->nsteps;
  s->integrator = mbd_integrator_find(c->integrator);
  if (s->integrator->scheme) { s->scheme = s->integrator->scheme(c, s->h); }
  while (mbd_arena_pass(&s->arena)) { sim_layout(s, &s->arena); }
  mbd_status status = mbd_arena_check(&s->arena, "a simulation", err);
  if (status != MBD_OK) {
    free(s);
    return status;
  }
  if (nterm) { memcpy(s->term, term, (size_t)nterm * sizeof *term); }
  for (int i = 0; i < nterm; i++) { s->wanted[term[i].output] = 1; }
  status = work_create(m, c->reference, wants_dense(s), &s->w, err);
  if (status == MBD_OK && wants_dense(s)) { status = sim_nonzeros(s, err); }
  if (status == MBD_OK && wants_dense(s)) { status = sim_choose_solver(s, err); }
  if (status == MBD_OK) { status = start_rows_create(m, np > 1 ? np : 1, &s->rows, err); }
  for (int i = 0; i < nterm && status == MBD_OK; i++) { status = find_target(m, &term[i], &s->target[i], err); }
  if (status == MBD_OK && s->ops->create) { status = s->ops->create(s, err); }
  if (status != MBD_OK) {
    mbd_sim_destroy(s);
    return status;
  }
  *out = s;
  return MBD_OK;
}

void mbd_sim_destroy(mbd_sim *s) {
  if (!s) { return; }
  adjoint_destroy(s->adjoint);
  if (s->ops->destroy) { s->ops->destroy(s); }
  sim_places_destroy(s->places);
  mbd_sparse_destroy(s->T_lu.sparse), mbd_sparse_destroy(s->P_lu.sparse);
  mbd_work_destroy(s->w);
  mbd_blocks_destroy(s->rows);
  free(s->arena.base);
  free(s);
}

void mbd_sim_watch(mbd_sim *s, int all) {
  s->objectives_only = !all;
}

void mbd_sim_pose(const mbd_sim *s, int body, double o[3], double A[9]) {
  const body_state *b = &s->w->body[body];
  for (int i = 0; i < 3; i++) { o[i] = mbd_re(b->o[i]); }
  for (int i = 0; i < 9; i++) { A[i] = mbd_re(b->A[i]); }
}

int mbd_sim_steps(const mbd_sim *s) {
  return s->nsteps;
}

const mbd_stats *mbd_sim_stats(const mbd_sim *s) {
  return &s->stats;
}

void mbd_sim_rank(const mbd_sim *s, int *rank, const int **row, int *nheld, const int **held) {
  *rank = s->rank;
  *row = s->row;
  *nheld = s->nfree;
  *held = s->free_z;
}

const mbd_variation *sim_vary(mbd_sim *s, int k) {
  if (!s->d[k] || !s->d[k]->any_joint) { return &s->still; }
  vary_bodies(s->p, s->d[k], s->w, &s->vary);
  return &s->vary;
}

const mbd_variation *sim_vary_motion(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp) {
  const int n = s->m->nz, np = s->np;
  for (int j = 0; j < n; j++) { s->column_z[j] = zp[j * np + k]; }
  for (int j = 0; zdp && j < n; j++) { s->column_zd[j] = zdp[j * np + k]; }
  vary_motion(s->p, s->d[k], s->w, s->column_z, zdp ? s->column_zd : NULL, NULL, &s->vary);
  return &s->vary;
}

/* Only states that outputs look at need the axes of the bodies. */
static int markers_needed(const mbd_sim *s) {
  for (int i = 0; i < s->o->n; i++) {
    const mbd_lift *l = &s->o->item[i].lift;
    if (l->narg && l->arg[0].kind == MBD_ARG_VECTOR && l->arg[0].b >= s->m->nmarker_core) { return s->m->nmarker; }
  }
  return s->m->nmarker_core;
}

static int observe(mbd_sim *s, int k, mbd_observer observer, void *user) {
  const int n = s->m->nz, m = s->m->nphi;
  double *q = s->observed;
  if (!observer) { return 0; }
  for (int j = 0; j < n; j++) {
    q[j] = mbd_re(s->now.z[j]), q[n + j] = mbd_re(s->now.zd[j]), q[2 * n + j] = mbd_re(s->now.zdd[j]);
  }
  for (int i = 0; i < m; i++) { q[3 * n + i] = mbd_re(s->now.reaction[i]); }
  for (int i = 0; i < s->o->n; i++) { s->y_real[i] = mbd_re(s->y[i]); }
  return observer(user, k, mbd_re(s->t), q, q + n, q + 2 * n, q + 3 * n, s->y_real);
}

static void accept(mbd_sim *s) {
  sim_state t = s->before;
  s->before = s->now;
  s->now = t;
}

/* The scheme's own acceleration begins as the true one. */
static void start_acc(mbd_sim *s) {
  const size_t n = (size_t)s->m->nz;
  if (!s->scheme.has_acc) { return; }
  memcpy(s->now.acc, s->now.zdd, n * sizeof *s->now.acc);
  if (s->np > 0) { memcpy(s->sens.acc, s->sens.zdd, n * (size_t)s->np * sizeof *s->sens.acc); }
}

double sim_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

mbd_status sim_at_time(mbd_status status, const mbd_sim *s, mbd_error *err) {
  if (status != MBD_OK && err) { err->time = mbd_re(s->t); }
  return status;
}

mbd_status sim_advance(mbd_sim *s, int k, mbd_error *err) {
  accept(s);
  s->t = k * s->h;
  return sim_at_time(s->ops->step(s, err), s, err);
}

/* What to do with every node of a run. */
typedef struct run_options {
  int gauss_newton;
  store *trajectory; /* NULL: not kept */
  mbd_observer observer;
  void *user;
} run_options;

static mbd_status node(mbd_sim *s, int k, const run_options *o, mbd_error *err) {
  quadrature_add(s, sim_weight(s, k), k == s->nsteps, s->np > 0, s->gauss_newton);
  if (o->trajectory) { MBD_TRY(store_put(o->trajectory, k, err)); }
  if (observe(s, k, o->observer, o->user)) { MBD_FAIL(err, MBD_INTERRUPTED, "stopped at t = %g s", mbd_re(s->t)); }
  return MBD_OK;
}

static mbd_status run(mbd_sim *s, const run_options *o, mbd_error *err) {
  const int gradient = s->np > 0;
  s->w->nmarker = s->m->nmarker;
  MBD_TRY(sim_at_time(start_state(s, err), s, err));
  memcpy(s->z_first, s->now.z, (size_t)s->m->nz * sizeof *s->z_first);
  if (gradient) {
    MBD_TRY(sim_at_time(start_sens(s, err), s, err));
    sweep_columns(s->p, s->w);
  }
  start_acc(s);
  if (s->ops->begin) { MBD_TRY(sim_at_time(s->ops->begin(s, err), s, err)); }
  s->w->nmarker = markers_needed(s);
  s->watched = o->observer != NULL && !s->objectives_only;
  quadrature_reset(s);
  watch_begin(s);
  s->gathering = 1, s->gauss_newton = o->gauss_newton;
  MBD_TRY(node(s, 0, o, err));
  for (int k = 1; k <= s->nsteps; k++) {
    MBD_TRY(sim_advance(s, k, err));
    s->stats.steps = k;
    MBD_TRY(sim_at_time(watch_step(s, k, err), s, err));
    MBD_TRY(node(s, k, o, err));
  }
  watch_end(s);
  s->gathering = 0;
  return MBD_OK;
}

static mbd_status check_finite(int n, const mbd_real *x, const char *what, mbd_error *err) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(mbd_re(x[i]))) { MBD_FAIL(err, MBD_NOT_FINITE, "%s %d of the run is %g", what, i + 1, mbd_re(x[i])); }
  }
  return MBD_OK;
}

static void prepare(mbd_sim *s, const mbd_params *p, int np, mbd_dparams *const *d) {
  s->p = p;
  s->np = np;
  s->d = d;
  s->gathering = 0;
  s->stats = (mbd_stats){0};
  s->nwarning = 0, s->advised = 0;
}

#ifdef MBD_COMPLEX
/* The complex build hands out the imaginary parts of psi: `grad` [npsi]. */
static void copy_results(const mbd_sim *s, double *psi, double *grad, double *gn) {
  (void)gn;
  for (int i = 0; i < s->npsi; i++) {
    if (psi) { psi[i] = creal(s->psi[i]); }
    if (grad) { grad[i] = cimag(s->psi[i]); }
  }
}
#else
static void copy_results(const mbd_sim *s, double *psi, double *grad, double *gn) {
  const size_t np = (size_t)s->np, npsi = (size_t)s->npsi;
  if (psi) { memcpy(psi, s->psi, npsi * sizeof *psi); }
  if (grad) { memcpy(grad, s->grad, npsi * np * sizeof *grad); }
  if (gn) { memcpy(gn, s->gn, npsi * np * np * sizeof *gn); }
}
#endif

mbd_status sim_projection_derivatives(const mbd_sim *s, mbd_error *err) {
  if (s->projection->jacobian || s->m->nphi == 0) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_UNSUPPORTED,
      "projection_matrix '%s' has no derivatives: direct differentiation and discrete adjoint need 'mass' or 'unit'; "
      "continuous adjoint, complex step and central differences do not",
      s->projection->name);
}

mbd_status mbd_sim_run(mbd_sim *s, const mbd_params *p, int np, mbd_dparams *const *d, double *psi, double *grad,
                       double *gn, mbd_observer observer, void *user, mbd_error *err) {
  double begun = sim_seconds();
  if (np > s->np_max) { MBD_FAIL(err, MBD_BAD_INPUT, "%d directions, but memory for %d", np, s->np_max); }
  if (np > 0) { MBD_TRY(sim_projection_derivatives(s, err)); }
  prepare(s, p, np, d);
  const run_options o = {.gauss_newton = gn != NULL, .observer = observer, .user = user};
  mbd_status status = run(s, &o, err);
  s->stats.seconds = sim_seconds() - begun;
  MBD_TRY(status);
  MBD_TRY(check_finite(s->npsi, s->psi, "objective", err));
  MBD_TRY(check_finite(s->npsi * s->np, s->grad, "gradient component", err));
  copy_results(s, psi, grad, gn);
  return MBD_OK;
}

mbd_status sim_run_kept(mbd_sim *s, const mbd_params *p, store *trajectory, mbd_observer observer, void *user,
                        mbd_error *err) {
  const run_options o = {.trajectory = trajectory, .observer = observer, .user = user};
  prepare(s, p, 0, NULL);
  MBD_TRY(run(s, &o, err));
  return check_finite(s->npsi, s->psi, "objective", err);
}

mbd_status mbd_sim_start(mbd_sim *s, const mbd_params *p, double *z, double *zd, double *zdd, double *lam,
                         mbd_error *err) {
  prepare(s, p, 0, NULL);
  s->w->nmarker = s->m->nmarker;
  MBD_TRY(sim_at_time(start_state(s, err), s, err));
  for (int j = 0; j < s->m->nz; j++) {
    if (z) { z[j] = mbd_re(s->now.z[j]); }
    if (zd) { zd[j] = mbd_re(s->now.zd[j]); }
    if (zdd) { zdd[j] = mbd_re(s->now.zdd[j]); }
  }
  for (int i = 0; lam && i < s->m->nphi; i++) { lam[i] = mbd_re(s->now.lam[i]); }
  return MBD_OK;
}
