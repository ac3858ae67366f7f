/* Memory of ALI3-P (theory.md §5.1). */
#include <stdlib.h>

#include "formulation/ali3p.h"
#include "formulation/tangent.h"

static void iterates_layout(ali3p_iterates *iterates, size_t iterations, size_t n, size_t m, mbd_arena *a) {
  iterates->x = mbd_arena_real(a, iterations * n);
  iterates->mult = mbd_arena_real(a, iterations * m);
}

static void step_layout(ali3p *own, const mbd_sim *s, size_t n, size_t m, mbd_arena *a) {
  const size_t iterations = (size_t)s->c.projection_iterations;
  MBD_ARENA_REALS(a, n, &own->newton.vs, &own->newton.as, &own->newton.r, &own->newton.dz, &own->newton.dz_last,
                  &own->projection.p_star, &own->projection.step);
  MBD_ARENA_REALS(a, m + 1, &own->newton.phi, &own->newton.violation, &own->newton.dlam, &own->newton.weights,
                  &own->newton.left, &own->newton.left_before, &own->projection.phi_t, &own->projection.phidd,
                  &own->projection.sv, &own->projection.sa, &own->projection.minus_g, &own->projection.rg);
  MBD_ARENA_REALS(a, matrices_size(&own->x, &own->x.K_at), &own->tangent.K, &own->tangent.C, &own->tangent.T0);
  own->projection.P0 =
      mbd_arena_real(a, matrices_size(&own->x, own->projection.ops->full ? &own->x.K_at : &own->x.M_at));
  if (!own->x.sparse) { factors_layout(&own->tangent.lu, n, a), factors_layout(&own->projection.lu, n, a); }
  newton_layout(&own->newton.memory, own->n, own->m, s->m->nz, a);
  iterates_layout(&own->projection.iter_v, iterations, n, m, a);
  iterates_layout(&own->projection.iter_a, iterations, n, m, a);
  own->tangent.pivots = mbd_arena_real(a, n + 1);
  own->tangent.slopes = mbd_arena_real(a, motion_kept_reals(s->m));
}

static void sens_layout(ali3p_sens *sens, size_t n, size_t m, size_t np, mbd_arena *a) {
  MBD_ARENA_REALS(a, n * np, &sens->v_history, &sens->a_history, &sens->rhs, &sens->dz, &sens->vs, &sens->as,
                  &sens->v_rhs, &sens->a_rhs, &sens->it_rhs, &sens->step);
  MBD_ARENA_REALS(a, m * np + 1, &sens->row_rhs, &sens->v_rate, &sens->a_rate, &sens->it_rate, &sens->mult,
                  &sens->minus_rate, &sens->rg);
  MBD_ARENA_REALS(a, m + 1, &sens->dphi, &sens->dphid, &sens->dphidd);
  MBD_ARENA_REALS(a, n, &sens->change, &sens->dr);
}

static void node_layout(ali3p_node *node, size_t n, size_t m, size_t npsi, mbd_arena *a) {
  MBD_ARENA_REALS(a, n * npsi, &node->g_z, &node->g_zd, &node->by_accel);
  MBD_ARENA_REALS(a, n, &node->r, &node->x, &node->step);
  MBD_ARENA_REALS(a, m + 1, &node->lam, &node->zero_rows, &node->rg);
}

/* Matrices of derivatives by the joint coordinates, for more directions than are computed by products. */
static void derivatives_layout(ali3p *own, size_t n, size_t m, mbd_arena *a) {
  own->sens.Kp = mbd_arena_real(a, matrices_size(&own->x, &own->x.K_at));
  MBD_ARENA_REALS(a, m * n + 1, &own->rates.Phid_z, &own->rates.Phidd_z, &own->rates.Phidd_zd);
}

static void layout(ali3p *own, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)own->n, m = (size_t)own->m, npsi = (size_t)s->npsi;
  step_layout(own, s, n, m, a);
  sens_layout(&own->sens, n, m, (size_t)s->np_max, a);
  if (own->in == &ali3p_joint && !ali3p_by_products(s, s->np_max)) { derivatives_layout(own, n, m, a); }
  MBD_ARENA_REALS(a, n * npsi, &own->back.vs, &own->back.as, &own->back.mu_zdd, &own->back.by_rate);
  MBD_ARENA_REALS(a, m + 1, &own->back.row[0], &own->back.row[1], &own->back.row[2]);
  node_layout(&own->adjoint, n, m, npsi, a);
}

static mbd_status check_integrator(const mbd_sim *s, mbd_error *err) {
  if (s->integrator->scheme) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED,
           "formulation '%s' needs an implicit integrator, not '%s': integrator = newmark or generalized_alpha; or "
           "formulation = matrix_r",
           s->ops->name, s->integrator->name);
}

mbd_status ali3p_create_in(mbd_sim *s, ali3p *own, mbd_error *err) {
  s->memory = own;
  MBD_TRY(check_integrator(s, err));
  own->projection.ops = mbd_projection_find(s->c.projection_matrix);
  MBD_TRY(own->in->matrices(s, &own->x, err));
  while (mbd_arena_pass(&own->arena)) { layout(own, s, &own->arena); }
  MBD_TRY(mbd_arena_check(&own->arena, "a simulation", err));
  if (s->tangent->create) { MBD_TRY(s->tangent->create(s, &own->x.K_at, err)); }
  MBD_TRY(matrices_more_factors(&own->x, 0, &own->tangent.lu, err));
  return matrices_more_factors(&own->x, !own->projection.ops->full, &own->projection.lu, err);
}

mbd_status ali3p_create(mbd_sim *s, mbd_error *err) {
  ali3p *own = calloc(1, sizeof *own);
  if (!own) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  own->in = &ali3p_joint, own->n = s->m->nz, own->m = s->m->nphi;
  return ali3p_create_in(s, own, err);
}

void ali3p_release(ali3p *own) {
  mbd_sparse_destroy(own->tangent.lu.sparse), mbd_sparse_destroy(own->projection.lu.sparse);
  matrices_destroy(&own->x);
  free(own->arena.base);
}

void ali3p_destroy(mbd_sim *s) {
  if (s->memory) { ali3p_release(s->memory); }
  free(s->memory);
}

matrices *ali3p_matrices(const mbd_sim *s) {
  return &ali3p_of(s)->x;
}
