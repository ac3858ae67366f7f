/* Memory for simulating one case. */
#include <stdlib.h>

#include "formulation/formulation.h"
#include "formulation/matrices.h"
#include "formulation/projection.h"
#include "objective/objectives.h"
#include "simulate/case.h"
#include "simulate/run.h"
#include "simulate/start.h"
#include "simulate/watch.h"

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
  s->row = mbd_arena_take(a, (m + 1) * sizeof *s->row);
  s->stage_gap = mbd_arena_take(a, n * sizeof *s->stage_gap);
  s->phi = mbd_arena_real(a, m + 1);
  s->dlam = mbd_arena_real(a, m + 1);
  s->phi_t = mbd_arena_real(a, m + 1);
  s->gam = mbd_arena_real(a, m + 1);
  s->gap = mbd_arena_real(a, m + 1);
  s->sv = mbd_arena_real(a, m + 1);
  s->sa = mbd_arena_real(a, m + 1);
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

static void dense_layout(mbd_sim *s, size_t n, size_t m, mbd_arena *a) {
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
}

static void sens_layout(mbd_sim *s, size_t n, size_t m, size_t np, mbd_arena *a) {
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
  s->dphi = mbd_arena_real(a, m + 1);
  s->dphid = mbd_arena_real(a, m + 1);
  s->dphidd = mbd_arena_real(a, m + 1);
  s->column_z = mbd_arena_real(a, n);
  s->column_zd = mbd_arena_real(a, n);
}

static void sim_layout(mbd_sim *s, mbd_arena *a) {
  size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, np = (size_t)s->np_max;
  step_layout(s, n, m, a);
  if (wants_dense(s)) { dense_layout(s, n, m, a); }
  sens_layout(s, n, m, np, a);
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

/* All parts of a simulation, in an object of zeros. */
static mbd_status make_parts(mbd_sim *s, int nterm, const mbd_term *term, mbd_error *err) {
  MBD_TRY(objectives_create(s, nterm, term, err));
  while (mbd_arena_pass(&s->arena)) { sim_layout(s, &s->arena); }
  MBD_TRY(mbd_arena_check(&s->arena, "a simulation", err));
  MBD_TRY(work_create(s->m, s->c.reference, wants_dense(s), &s->w, err));
  if (wants_dense(s)) {
    MBD_TRY(sim_nonzeros(s, err));
    MBD_TRY(sim_choose_solver(s, err));
  }
  MBD_TRY(start_create(s, err));
  MBD_TRY(watch_create(s, err));
  MBD_TRY(observed_create(s, err));
  return s->ops->create ? s->ops->create(s, err) : MBD_OK;
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
  mbd_sim *s = calloc(1, sizeof *s);
  if (!s) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  *s = (mbd_sim){.m = m,
                 .o = o,
                 .c = *c,
                 .ops = mbd_formulation_find(c->formulation),
                 .projection = mbd_projection_find(c->projection_matrix),
                 .integrator = mbd_integrator_find(c->integrator),
                 .npsi = npsi,
                 .np_max = np,
                 .eq = motion_constraints(m),
                 .held = motion_with_holds(m, m->nhold)};
  s->reactions_apart = s->ops->projects && s->projection->forces;
  set_compliance(s);
  s->nsteps = (int)ceil(c->duration / c->step - 1e-6);
  s->h = c->duration / s->nsteps;
  if (s->integrator->scheme) { s->scheme = s->integrator->scheme(c, s->h); }
  const mbd_status status = make_parts(s, nterm, term, err);
  if (status != MBD_OK) {
    mbd_sim_destroy(s);
    return status;
  }
  *out = s;
  return MBD_OK;
}

void mbd_sim_destroy(mbd_sim *s) {
  if (!s) { return; }
  if (s->adjoint) { s->adjoint_destroy(s->adjoint); }
  if (s->ops->destroy) { s->ops->destroy(s); }
  sim_places_destroy(s->places);
  mbd_sparse_destroy(s->T_lu.sparse), mbd_sparse_destroy(s->P_lu.sparse);
  mbd_work_destroy(s->w);
  objectives_destroy(s->objectives);
  start_destroy(s->start);
  watch_destroy(s->watch);
  observed_destroy(s->observed);
  free(s->arena.base);
  free(s);
}
