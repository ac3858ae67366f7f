/* The mechanism of the state-space formulations in joint coordinates.
 * Equations: theory.md §5.3 (5.6), theory.md §3 (3.1), theory.md §4 (4.2). */
#include <string.h>

#include "formulation/implicit_step.h"
#include "objective/objectives.h"

static mbd_status choice(mbd_sim *s, int kmax, independent **out, mbd_error *err) {
  return independent_create(s->m, &s->c, kmax, out, err);
}

static void place(mbd_sim *s) {
  motion_place(s->w, s->p, s->t, s->now.z);
}

static void move(mbd_sim *s) {
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
}

static mbd_status show(mbd_sim *s, mbd_sim **seen, mbd_error *err) {
  (void)err;
  *seen = s;
  return MBD_OK;
}

static mbd_status show_path(mbd_sim *s, const mbd_real *correction, newton_memory *newton, mbd_sim **seen,
                            mbd_error *err) {
  const size_t bytes = (size_t)s->m->nz * sizeof *correction;
  (void)err;
  *seen = s;
  memcpy(newton->way, correction, bytes), memcpy(newton->rates, s->now.zd, bytes);
  return MBD_OK;
}

static void phi_t(mbd_sim *s, mbd_real *x) {
  motion_phi_t(s->w, s->eq, x);
}

/* Constraints depend on differences of points only, which the acceleration -g of the ground does not change. */
static void sides(mbd_sim *s, mbd_real *f, mbd_real *g) {
  memset(s->now.zdd, 0, (size_t)s->m->nz * sizeof *s->now.zdd);
  move(s);
  motion_phidd(s->w, s->eq, g);
  motion_residual(s->w, f);
}

static void direction(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp, mbd_real *dphi, mbd_real *dphid,
                      mbd_real *dr, mbd_real *dphidd) {
  const motion_terms rows = {.rows = s->eq}, equations = motion_equations(s->eq, s->now.lam);
  if (zp) {
    sim_vary_motion(s, k, zp, zdp);
  } else {
    sim_vary(s, k);
  }
  motion_direction(s->w, dr ? &equations : &rows, dr, dphi, dphid, dphidd);
}

static mbd_status outputs_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  (void)err;
  adjoint_outputs(s, a);
  return MBD_OK;
}

static void rows_back(mbd_sim *s, sim_adjoint *a, int order) {
  for (int k = 0; k < a->npsi; k++) {
    adjoint_get(s->m->nphi, a->npsi, k, -1, a->nu, a->row);
    motion_reverse_rows(&a->reverse[k], s->eq, order == 0 ? a->row : NULL, order == 1 ? a->row : NULL, NULL);
  }
}

const ss_mechanics ss_joint = {.choice = choice,
                               .place = place,
                               .move = move,
                               .show = show,
                               .outputs = quadrature_outputs,
                               .phi_t = phi_t,
                               .sides = sides,
                               .direction = direction,
                               .begin_back = adjoint_begin,
                               .outputs_back = outputs_back,
                               .motion_back = adjoint_reverse_motion,
                               .rows_back = rows_back,
                               .read = adjoint_read,
                               .end_back = adjoint_read_joints,
                               .linearize = implicit_joint_linearize,
                               .times = implicit_joint_times,
                               .dense = 1,
                               .show_path = show_path};
