/* Memory of ALI3-P (theory.md §5.1). */
#include <stdlib.h>

#include "formulation/ali3p.h"
#include "formulation/tangent.h"

static void iterates_layout(ali3p_iterates *iterates, size_t iterations, size_t n, size_t m, mbd_arena *a) {
  iterates->x = mbd_arena_real(a, iterations * n);
  iterates->mult = mbd_arena_real(a, iterations * m);
}

static void step_layout(ali3p *q, const mbd_sim *s, size_t n, size_t m, mbd_arena *a) {
  const size_t iterations = (size_t)s->c.projection_iterations;
  MBD_ARENA_REALS(a, n, &q->vs, &q->as, &q->r, &q->dz, &q->dz_last, &q->p_star, &q->step);
  MBD_ARENA_REALS(a, m + 1, &q->phi, &q->gap, &q->dlam, &q->weights, &q->left, &q->left_before, &q->phi_t, &q->phidd,
                  &q->sv, &q->sa, &q->minus_g, &q->rest);
  MBD_ARENA_REALS(a, matrices_size(&q->x, &q->x.K_at), &q->K, &q->C, &q->T0);
  q->P0 = mbd_arena_real(a, matrices_size(&q->x, q->projection->full ? &q->x.K_at : &q->x.M_at));
  if (!q->x.sparse) { factors_layout(&q->T_lu, n, a), factors_layout(&q->P_lu, n, a); }
  newton_layout(&q->newton, q->n, q->m, s->m->nz, a);
  iterates_layout(&q->iter_v, iterations, n, m, a);
  iterates_layout(&q->iter_a, iterations, n, m, a);
  q->pivots = mbd_arena_real(a, n + 1);
  q->slopes = mbd_arena_real(a, motion_kept_reals(s->m));
}

static void sens_layout(ali3p_sens *sens, size_t n, size_t m, size_t np, mbd_arena *a) {
  MBD_ARENA_REALS(a, n * np, &sens->v_history, &sens->a_history, &sens->side, &sens->dz, &sens->vs, &sens->as,
                  &sens->v_side, &sens->a_side, &sens->it_side, &sens->step);
  MBD_ARENA_REALS(a, m * np + 1, &sens->row_side, &sens->v_rate, &sens->a_rate, &sens->it_rate, &sens->mult,
                  &sens->minus_rate, &sens->rest);
  MBD_ARENA_REALS(a, m + 1, &sens->dphi, &sens->dphid, &sens->dphidd);
  MBD_ARENA_REALS(a, n, &sens->change, &sens->dr);
}

static void node_layout(ali3p_node *node, size_t n, size_t m, size_t npsi, mbd_arena *a) {
  MBD_ARENA_REALS(a, n * npsi, &node->g_z, &node->g_zd, &node->by_accel);
  MBD_ARENA_REALS(a, n, &node->r, &node->x, &node->step);
  MBD_ARENA_REALS(a, m + 1, &node->lam, &node->zero_rows, &node->rest);
}

/* Matrices of derivatives by the joint coordinates, for more directions than are computed by products. */
static void derivatives_layout(ali3p *q, size_t n, size_t m, mbd_arena *a) {
  q->sens.Kp = mbd_arena_real(a, matrices_size(&q->x, &q->x.K_at));
  MBD_ARENA_REALS(a, m * n + 1, &q->Phid_z, &q->Phidd_z, &q->Phidd_zd);
}

static void layout(ali3p *q, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)q->n, m = (size_t)q->m, npsi = (size_t)s->npsi;
  step_layout(q, s, n, m, a);
  sens_layout(&q->sens, n, m, (size_t)s->np_max, a);
  if (q->in == &ali3p_joint && !ali3p_by_products(s, s->np_max)) { derivatives_layout(q, n, m, a); }
  MBD_ARENA_REALS(a, n * npsi, &q->back.vs, &q->back.as, &q->back.mu_zdd, &q->back.by_rate);
  MBD_ARENA_REALS(a, m + 1, &q->back.row[0], &q->back.row[1], &q->back.row[2]);
  node_layout(&q->adjoint, n, m, npsi, a);
}

static mbd_status check_integrator(const mbd_sim *s, mbd_error *err) {
  if (s->integrator->scheme) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED,
           "formulation '%s' needs an implicit integrator, not '%s': integrator = newmark or generalized_alpha; or "
           "formulation = matrix_r",
           s->ops->name, s->integrator->name);
}

mbd_status ali3p_create_in(mbd_sim *s, ali3p *q, mbd_error *err) {
  s->own = q;
  MBD_TRY(check_integrator(s, err));
  q->projection = mbd_projection_find(s->c.projection_matrix);
  MBD_TRY(q->in->matrices(s, &q->x, err));
  while (mbd_arena_pass(&q->arena)) { layout(q, s, &q->arena); }
  MBD_TRY(mbd_arena_check(&q->arena, "a simulation", err));
  if (s->tangent->create) { MBD_TRY(s->tangent->create(s, &q->x.K_at, err)); }
  MBD_TRY(matrices_more_factors(&q->x, 0, &q->T_lu, err));
  return matrices_more_factors(&q->x, !q->projection->full, &q->P_lu, err);
}

mbd_status ali3p_create(mbd_sim *s, mbd_error *err) {
  ali3p *q = calloc(1, sizeof *q);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  q->in = &ali3p_joint, q->n = s->m->nz, q->m = s->m->nphi;
  return ali3p_create_in(s, q, err);
}

void ali3p_release(ali3p *q) {
  mbd_sparse_destroy(q->T_lu.sparse), mbd_sparse_destroy(q->P_lu.sparse);
  matrices_destroy(&q->x);
  free(q->arena.base);
}

void ali3p_destroy(mbd_sim *s) {
  if (s->own) { ali3p_release(s->own); }
  free(s->own);
}

matrices *ali3p_matrices(const mbd_sim *s) {
  return &ali3p_of(s)->x;
}
