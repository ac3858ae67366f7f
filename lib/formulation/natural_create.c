/* Memory of ALI3-P in natural coordinates. */
#include <stdlib.h>

#include "formulation/ali3p.h"
#include "formulation/natural_ali3p.h"

static void node_layout(natural_node *q, size_t n, size_t m, int has_acc, mbd_arena *a) {
  MBD_ARENA_REALS(a, n, &q->q, &q->qd, &q->qdd);
  q->acc = has_acc ? mbd_arena_real(a, n) : NULL;
  q->lam = mbd_arena_real(a, m);
}

static void layout(natural_ali3p *q, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)q->n->nq + 1, m = (size_t)q->n->nphi + 1, places = (size_t)q->system->count + 1;
  node_layout(&q->now, n, m, s->scheme.has_acc, a);
  node_layout(&q->before, n, m, s->scheme.has_acc, a);
  MBD_ARENA_REALS(a, n, &q->moved, &q->vs, &q->as, &q->r, &q->f, &q->dq, &q->step);
  MBD_ARENA_REALS(a, m, &q->phi, &q->g, &q->dlam, &q->rest, &q->sv, &q->sa);
  q->Phi_q = mbd_arena_real(a, (size_t)q->n->first[q->n->nphi] + 1);
  MBD_ARENA_REALS(a, places, &q->M, &q->T, &q->sum);
  mbd_weak_layout(&q->weak, q->n->nq, q->n->nphi, a);
  q->X = mbd_arena_real(a, 6 * (size_t)s->m->nb);
  MBD_ARENA_REALS(a, (size_t)s->m->nz + 1, &q->by_z, &q->x_z, &q->dz);
  MBD_ARENA_REALS(a, (size_t)s->m->nphi + 1, &q->none, &q->rest_z);
}

static mbd_status check(const mbd_sim *s, mbd_error *err) {
  MBD_TRY(ali3p_check_integrator(s, err));
  if (strcmp(s->c.projection_matrix, "mass") != 0) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "coordinates = natural: projection_matrix = %s, expected mass",
             s->c.projection_matrix);
  }
  if (s->c.projection_iterations != 0) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "coordinates = natural: projection_iterations = %d, expected 0",
             s->c.projection_iterations);
  }
  return MBD_OK;
}

mbd_status natural_ali3p_create(mbd_sim *s, mbd_error *err) {
  MBD_TRY(check(s, err));
  natural_ali3p *q = s->own = calloc(1, sizeof *q);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  MBD_TRY(matrices_create(s, &q->x, err));
  MBD_TRY(natural_create(s->m, &q->n, err));
  MBD_TRY(natural_params_alloc(q->n, &q->v, err));
  MBD_TRY(natural_system_create(q->n, &q->system, err));
  MBD_TRY(natural_factors_create(q->system, &q->T_lu, err));
  MBD_TRY(natural_factors_create(q->system, &q->P_lu, err));
  while (mbd_arena_pass(&q->arena)) { layout(q, s, &q->arena); }
  return mbd_arena_check(&q->arena, "a simulation", err);
}

void natural_ali3p_destroy(mbd_sim *s) {
  natural_ali3p *q = s->own;
  if (!q) { return; }
  natural_factors_destroy(&q->T_lu), natural_factors_destroy(&q->P_lu);
  natural_system_destroy(q->system);
  natural_params_destroy(q->v);
  natural_destroy(q->n);
  matrices_destroy(&q->x);
  free(q->arena.base);
  free(q);
}
