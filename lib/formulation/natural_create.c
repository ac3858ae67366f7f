/* Memory of ALI3-P in natural coordinates (theory.md §5.1 (5.4a)). */
#include <stdlib.h>

#include "formulation/ali3p.h"
#include "formulation/natural_ali3p.h"

static void node_layout(natural_node *node, size_t n, size_t m, int has_acc, mbd_arena *a) {
  MBD_ARENA_REALS(a, n, &node->q, &node->qd, &node->qdd);
  node->acc = has_acc ? mbd_arena_real(a, n) : NULL;
  node->lam = mbd_arena_real(a, m);
}

static void sens_layout(natural_sens *sens, const mbd_sim *s, const natural *n, mbd_arena *a) {
  const size_t np = (size_t)s->np_max, nq = (size_t)n->nq, m = (size_t)n->nphi + 1, nz = (size_t)s->m->nz;
  const size_t rows = (size_t)s->m->nphi + 1;
  sens->dv = mbd_arena_take(a, (np + 1) * sizeof *sens->dv);
  if (np == 0 && s->npsi == 0) { return; }
  MBD_ARENA_REALS(a, (size_t)natural_bases_rows(n) + 1, &sens->x, &sens->xd, &sens->xdd, &sens->gap);
  sens->norm = mbd_arena_real(a, (size_t)s->m->nb);
  MBD_ARENA_REALS(a, nz, &sens->dz, &sens->dzd, &sens->dzdd);
  if (np == 0) { return; }
  sens->moves = mbd_arena_take(a, np * (size_t)natural_moves(n));
  MBD_ARENA_REALS(a, (size_t)n->first[n->nphi] + 1, &sens->Phid_q, &sens->Phidd_q);
  MBD_ARENA_REALS(a, nq * np, &sens->q, &sens->qd, &sens->qdd, &sens->acc, &sens->vs, &sens->as, &sens->moved,
                  &sens->side, &sens->step);
  MBD_ARENA_REALS(a, m * np, &sens->row_side, &sens->mult, &sens->rest);
  MBD_ARENA_REALS(a, nq, &sens->dq, &sens->dqd, &sens->dqdd, &sens->dr);
  sens->dphi = mbd_arena_real(a, m);
  MBD_ARENA_REALS(a, nz * np, &sens->z_side, &sens->x_z, &sens->z_step);
  MBD_ARENA_REALS(a, rows * np, &sens->z_row_side, &sens->z_rest);
}

static void back_layout(natural_back *back, const mbd_sim *s, const natural *n, mbd_arena *a) {
  const size_t npsi = (size_t)s->npsi, nq = (size_t)n->nq, rows = (size_t)natural_bases_rows(n);
  back->by = mbd_arena_take(a, (npsi + 1) * sizeof *back->by);
  if (npsi == 0) { return; }
  MBD_ARENA_REALS(a, nq * npsi, &back->q, &back->qd, &back->qdd, &back->acc);
  MBD_ARENA_REALS(a, nq, &back->vs, &back->as, &back->mu, &back->unused, &back->g_q, &back->g_qd, &back->g_qdd,
                  &back->by_accel);
  back->nu = mbd_arena_real(a, (size_t)n->nphi + 1);
  MBD_ARENA_REALS(a, rows + 1, &back->bases, &back->none);
}

static void layout(natural_ali3p *q, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)q->n->nq + 1, m = (size_t)q->n->nphi + 1, places = (size_t)q->system->count + 1;
  node_layout(&q->now, n, m, s->scheme.has_acc, a);
  node_layout(&q->before, n, m, s->scheme.has_acc, a);
  /* Vectors of the coordinates q and of the equations; sens_layout has the blocks of the sensitivities. */
  MBD_ARENA_REALS(a, n, &q->moved, &q->vs, &q->as, &q->r, &q->f, &q->dq, &q->dq_last, &q->step);
  MBD_ARENA_REALS(a, m, &q->phi, &q->g, &q->dlam, &q->rest, &q->sv, &q->sa);
  MBD_ARENA_REALS(a, (size_t)q->n->first[q->n->nphi] + 1, &q->Phi_q, &q->Phi_T, &q->Phi_here);
  MBD_ARENA_REALS(a, m, &q->left[0], &q->left[1], &q->trend.lam, &q->trend.lam_before);
  MBD_ARENA_REALS(a, n, &q->trend.moved, &q->trend.moved_before);
  MBD_ARENA_REALS(a, n, &q->kept, &q->kept_dq);
  MBD_ARENA_REALS(a, m, &q->kept_lam, &q->kept_dlam);
  MBD_ARENA_REALS(a, places, &q->M, &q->T, &q->sum);
  q->M_packed.first = mbd_arena_take(a, n * sizeof *q->M_packed.first);
  q->M_packed.col = mbd_arena_take(a, places * sizeof *q->M_packed.col);
  q->M_packed.val = mbd_arena_real(a, places);
  if (s->np_max > 0 || s->npsi > 0) { MBD_ARENA_REALS(a, places, &q->K, &q->C); }
  mbd_weak_layout(&q->weak, q->n->nq, q->n->nphi, a);
  q->X = mbd_arena_real(a, 6 * (size_t)s->m->nb);
  MBD_ARENA_REALS(a, (size_t)s->m->nz + 1, &q->by_z, &q->x_z, &q->dz);
  MBD_ARENA_REALS(a, (size_t)s->m->nphi + 1, &q->none, &q->rest_z);
  sens_layout(&q->sens, s, q->n, a);
  back_layout(&q->back, s, q->n, a);
}

static mbd_status check(const mbd_sim *s, mbd_error *err) {
  MBD_TRY(ali3p_check_integrator(s, err));
  if (strcmp(s->c.projection_matrix, "mass") != 0) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "coordinates = natural: projection_matrix = %s, expected mass",
             s->c.projection_matrix);
  }
  if (s->c.projection_iterations > 1) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "coordinates = natural: projection_iterations = %d, expected 0 (to the end) or 1",
             s->c.projection_iterations);
  }
  if (s->c.linear_solver == MBD_LINEAR_SPARSE && !mbd_sparse_available()) {
    return mbd_sparse_create(0, NULL, &(mbd_sparse *){NULL}, err); /* the error names the package */
  }
  return MBD_OK;
}

mbd_status natural_allocate(mbd_sim *s, natural_ali3p *q, mbd_error *err) {
  MBD_TRY(matrices_create(s, &q->x, err));
  MBD_TRY(natural_create(s->m, &q->n, err));
  MBD_TRY(natural_params_alloc(q->n, &q->v, err));
  MBD_TRY(natural_params_keep_curvature(q->v, err));
  MBD_TRY(natural_system_create_as(q->n, s->c.linear_solver == MBD_LINEAR_DENSE, &q->system, err));
  MBD_TRY(natural_factors_create(q->system, &q->P_lu, err));
  while (mbd_arena_pass(&q->arena)) { layout(q, s, &q->arena); }
  MBD_TRY(mbd_arena_check(&q->arena, "a simulation", err));
  for (int k = 0; k < s->np_max; k++) { MBD_TRY(natural_params_alloc(q->n, &q->sens.dv[k], err)); }
  for (int k = 0; k < s->npsi; k++) { MBD_TRY(natural_params_alloc(q->n, &q->back.by[k], err)); }
  return MBD_OK;
}

mbd_status natural_ali3p_create(mbd_sim *s, mbd_error *err) {
  MBD_TRY(check(s, err));
  natural_ali3p *q = s->own = calloc(1, sizeof *q);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  MBD_TRY(natural_allocate(s, q, err));
  return natural_factors_create(q->system, &q->T_lu, err);
}

void natural_release(const mbd_sim *s, natural_ali3p *q) {
  natural_factors_destroy(&q->T_lu), natural_factors_destroy(&q->P_lu);
  for (int k = 0; q->sens.dv && k < s->np_max; k++) { natural_params_destroy(q->sens.dv[k]); }
  for (int k = 0; q->back.by && k < s->npsi; k++) { natural_params_destroy(q->back.by[k]); }
  natural_system_destroy(q->system);
  natural_params_destroy(q->v);
  natural_destroy(q->n);
  matrices_destroy(&q->x);
  free(q->arena.base);
}

void natural_ali3p_destroy(mbd_sim *s) {
  natural_ali3p *q = s->own;
  if (!q) { return; }
  natural_release(s, q);
  free(q);
}
