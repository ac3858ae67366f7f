/* Memory of ALI3-P (theory.md §5.1). */
#include <stdlib.h>

#include "formulation/ali3p.h"
#include "formulation/tangent.h"

static void iterates_layout(ali3p_iterates *iterates, size_t iterations, size_t n, size_t m, mbd_arena *a) {
  iterates->x = mbd_arena_real(a, iterations * n);
  iterates->mult = mbd_arena_real(a, iterations * m);
}

static void step_layout(ali3p *step, const mbd_sim *s, size_t n, size_t m, mbd_arena *a) {
  const size_t iterations = (size_t)s->c.projection_iterations;
  MBD_ARENA_REALS(a, n, &step->newton.vs, &step->newton.as, &step->newton.r, &step->newton.dz, &step->newton.dz_last,
                  &step->projection.p_star, &step->projection.step);
  MBD_ARENA_REALS(a, m + 1, &step->newton.phi, &step->newton.violation, &step->newton.dlam, &step->newton.weights,
                  &step->newton.left, &step->newton.left_before, &step->projection.phi_t, &step->projection.phidd,
                  &step->projection.sv, &step->projection.sa, &step->projection.minus_g, &step->projection.rg);
  MBD_ARENA_REALS(a, matrices_size(&step->x, &step->x.K_at), &step->tangent.K, &step->tangent.C, &step->tangent.T0);
  if (s->m->nvelocity > 0) {
    step->tangent.E = mbd_arena_real(a, (size_t)s->m->nvelocity_row * n);
    step->tangent.T_rows = mbd_arena_real(a, matrices_size(&step->x, &step->x.K_at));
  }
  step->projection.P0 =
      mbd_arena_real(a, matrices_size(&step->x, step->projection.ops->full ? &step->x.K_at : &step->x.M_at));
  if (!step->x.sparse) { factors_layout(&step->tangent.lu, n, a), factors_layout(&step->projection.lu, n, a); }
  if (s->c.npenalty > 0) {
    step->penalty = mbd_arena_take(a, m * sizeof *step->penalty);
    step->tangent.weight = mbd_arena_take(a, m * sizeof *step->tangent.weight);
    step->projection.weight = iterations > 0 ? mbd_arena_take(a, m * sizeof *step->projection.weight) : NULL;
  }
  newton_layout(&step->newton.memory, step->n, step->m, s->m->nz, a);
  iterates_layout(&step->projection.iter_v, iterations, n, m, a);
  iterates_layout(&step->projection.iter_a, iterations, n, m, a);
  step->tangent.pivots = mbd_arena_real(a, n + 1);
  step->tangent.slopes = mbd_arena_real(a, motion_kept_reals(s->m));
}

static void ali3p_sens_layout(ali3p_sens *sens, size_t n, size_t m, size_t np, mbd_arena *a) {
  MBD_ARENA_REALS(a, n * np, &sens->v_history, &sens->a_history, &sens->rhs, &sens->dz, &sens->vs, &sens->as,
                  &sens->v_rhs, &sens->a_rhs, &sens->it_rhs, &sens->step);
  MBD_ARENA_REALS(a, m * np + 1, &sens->row_rhs, &sens->v_rate, &sens->a_rate, &sens->it_rate, &sens->sigma,
                  &sens->kappa, &sens->minus_rate, &sens->rg);
  MBD_ARENA_REALS(a, m + 1, &sens->dphi, &sens->dphid, &sens->dphidd);
  MBD_ARENA_REALS(a, n, &sens->change, &sens->dr);
}

static void ali3p_node_layout(ali3p_node *node, size_t n, size_t m, size_t npsi, mbd_arena *a) {
  MBD_ARENA_REALS(a, n * npsi, &node->g_z, &node->g_zd, &node->by_accel);
  MBD_ARENA_REALS(a, n, &node->r, &node->x, &node->step);
  MBD_ARENA_REALS(a, m + 1, &node->lam, &node->zero_rows, &node->rg);
}

/* Matrices of derivatives by the joint coordinates, for more directions than are computed by products. */
static void derivatives_layout(ali3p *step, size_t n, size_t m, mbd_arena *a) {
  step->sens.Kp = mbd_arena_real(a, matrices_size(&step->x, &step->x.K_at));
  MBD_ARENA_REALS(a, m * n + 1, &step->rates.Phid_z, &step->rates.Phidd_z, &step->rates.Phidd_zd);
}

static void ali3p_layout(ali3p *step, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)step->n, m = (size_t)step->m, npsi = (size_t)s->npsi;
  step_layout(step, s, n, m, a);
  ali3p_sens_layout(&step->sens, n, m, (size_t)s->np_max, a);
  if (!step->mech->by_matrices && !ali3p_by_products(s, s->np_max)) { derivatives_layout(step, n, m, a); }
  MBD_ARENA_REALS(a, n * npsi, &step->back.vs, &step->back.as, &step->back.mu_zdd, &step->back.by_rate);
  ali3p_node_layout(&step->adjoint, n, m, npsi, a);
  if (s->m->nvelocity > 0) {
    const size_t rows = (size_t)s->m->nvelocity_row;
    MBD_ARENA_REALS(a, rows * n, &step->adjoint.Psid_z, &step->adjoint.Psid_zd);
    step->adjoint.nu = mbd_arena_real(a, rows * npsi + 1);
  }
}

static mbd_status check_integrator(const mbd_sim *s, mbd_error *err) {
  if (s->integrator->scheme) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED,
           "formulation '%s' needs an implicit integrator, not '%s': integrator = " MBD_IMPLICIT_NAMES
           "; or "
           "formulation = matrix_r",
           s->ops->name, s->integrator->name);
}

mbd_status ali3p_create_in(mbd_sim *s, ali3p *step, mbd_error *err) {
  s->memory = step;
  MBD_TRY(check_integrator(s, err));
  step->projection.ops = mbd_projection_find(s->c.projection_matrix);
  MBD_TRY(step->mech->matrices(s, &step->x, err));
  step->rates.Phi_at = &step->x.Phi_at;
  while (mbd_arena_pass(&step->arena)) { ali3p_layout(step, s, &step->arena); }
  MBD_TRY(mbd_arena_check(&step->arena, "a simulation", err));
  MBD_TRY(ali3p_find_penalties(s, err));
  if (s->tangent->create) { MBD_TRY(s->tangent->create(s, &step->x.K_at, err)); }
  MBD_TRY(matrices_more_factors(&step->x, 0, &step->tangent.lu, err));
  return matrices_more_factors(&step->x, !step->projection.ops->full, &step->projection.lu, err);
}

mbd_status ali3p_create(mbd_sim *s, mbd_error *err) {
  ali3p *step = calloc(1, sizeof *step);
  if (!step) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  step->mech = &mechanics_joint, step->n = s->m->nz, step->m = s->m->nphi;
  return ali3p_create_in(s, step, err);
}

void ali3p_release(ali3p *step) {
  mbd_sparse_destroy(step->tangent.lu.sparse), mbd_sparse_destroy(step->projection.lu.sparse);
  matrices_destroy(&step->x);
  free(step->arena.base);
}

void ali3p_destroy(mbd_sim *s) {
  if (s->memory) { ali3p_release(s->memory); }
  free(s->memory);
}

matrices *ali3p_matrices(const mbd_sim *s) {
  return &ali3p_of(s)->x;
}
