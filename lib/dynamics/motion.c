/* The interface to the mechanics of one motion (motion.h): each function calls those of the file that has the equation.
 * Equations: theory.md §3 (3.1), (3.3); S0 (25), (31). */
#include "dynamics/motion.h"

#include <assert.h>
#include <string.h>

#include "dynamics/parts.h"
#include "kinematics/sweep.h"

void motion_place(mbd_work *w, const mbd_params *p, mbd_real t, const mbd_real *z) {
  w->p = p, w->t = t;
  sweep_position(w, z);
}

void motion_move(mbd_work *w, const mbd_real *zd, const mbd_real *zdd, int gravity) {
  sweep_motion(w, zd, zdd, gravity);
}

void motion_light_bodies(mbd_work *w) {
  sweep_light(w);
}

/* ---- matrices ---- */

void motion_jacobian(mbd_work *w, const motion_terms *e, const mbd_nonzeros *at, mbd_real *K, mbd_real *C,
                     const mbd_nonzeros *M_at, mbd_real *M) {
  const int n = w->model->nz;
  w->formed.K_at = at && at->mirror ? at : NULL;
  w->formed.M_at = M_at && M_at->mirror ? M_at : NULL;
  mbd_nonzeros_clear(n, at, K);
  if (C) { mbd_nonzeros_clear(n, at, C); }
  if (e->forces) { forces_jacobian(w, K, C), externals_jacobian(w); }
  if (e->lam) { reactions_jacobian(w, e->rows, e->lam, K); }
  bodies_jacobian(w, e->inertia, K, C, M_at, M);
  if (e->forces || e->lam) { second_sum(w, K); }
}

/* ---- directions ---- */

void motion_along(mbd_work *w, const mbd_dparams *d, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dzdd) {
  vary_motion(w, d, dz, dzd, dzdd);
}

int motion_of_forces_alone(const mbd_model *m, const mbd_dparams *d) {
  if (!d) { return 1; }
  const int rotors = m->nrotor > 0 && d->any_force;
  return !(d->any_joint || d->any_marker || d->any_body || d->any_constraint || d->any_hold || rotors);
}

void motion_direction(mbd_work *w, const motion_terms *e, mbd_real *dr, mbd_real *dphi, mbd_real *dphid,
                      mbd_real *dphidd) {
  if (dr) {
    memset(dr, 0, (size_t)w->model->nz * sizeof *dr);
    if (e->inertia) { inertia_direction(w); }
    if (e->inertia && w->model->nrotor > 0) { rotors_direction(w, dr); }
    if (e->forces) { forces_direction(w, dr), externals_direction(w); }
    vary_sum(w, dr);
  }
  if (dr && e->lam) {
    reactions_direction(w, e->rows, e->lam, dr);
    vary_sum(w, dr);
  }
  if (dphi || dphid || dphidd) { rows_direction(w, e->rows, dphi, dphid, dphidd); }
}

/* ---- reverse ---- */

force_linear *motion_force_layout(const mbd_model *m, mbd_arena *a) {
  force_linear *list = mbd_arena_take(a, ((size_t)m->nforce + 1) * sizeof *list);
  for (int i = 0; i < m->nforce; i++) {
    const size_t n = (size_t)m->force[i].lift.narg;
    /* cppcheck-suppress uninitvar ; the layout writes it */
    force_linear counted, *f = list ? &list[i] : &counted;
    f->f = mbd_arena_take(a, n * sizeof *f->f);
    f->K = mbd_arena_take(a, n * sizeof *f->K), f->D = mbd_arena_take(a, n * sizeof *f->D);
    f->K_at = mbd_arena_take(a, n * n * sizeof *f->K_at), f->D_at = mbd_arena_take(a, n * n * sizeof *f->D_at);
  }
  return list;
}

static reaction_linear *reaction_layout(const mbd_model *m, mbd_arena *a) {
  const motion_rows rows = motion_with_holds(m, m->nhold);
  reaction_linear *list = mbd_arena_take(a, ((size_t)rows_elements(&rows) + 1) * sizeof *list);
  for (int i = 0; i < rows_elements(&rows); i++) {
    const size_t n = (size_t)rows_element(&rows, i).c->lift.narg;
    /* cppcheck-suppress uninitvar ; the layout writes it */
    reaction_linear counted, *r = list ? &list[i] : &counted;
    r->f = mbd_arena_take(a, n * sizeof *r->f);
    r->K = mbd_arena_take(a, n * sizeof *r->K);
    r->K_at = mbd_arena_take(a, n * n * sizeof *r->K_at);
  }
  return list;
}

void motion_linear_layout(motion_linear *l, const mbd_model *m, mbd_arena *a) {
  l->force = motion_force_layout(m, a);
  l->reaction = reaction_layout(m, a);
}

void motion_linearize_kept(mbd_work *w, motion_rows rows, const mbd_real *lam, const mbd_real *kept, motion_linear *l) {
  l->rows = rows;
  forces_linearize(w, kept, l->force);
  reactions_linearize(w, rows, lam, l->reaction);
}

void motion_linearize(mbd_work *w, motion_rows rows, const mbd_real *lam, motion_linear *l) {
  motion_linearize_kept(w, rows, lam, NULL, l);
}

void motion_reverse_residual(mbd_reverse *sweep, const motion_linear *l, const mbd_real *mu) {
  const int field = reverse_virtual(sweep, mu);
  if (sweep->theta) { coefficients_reverse(sweep, field); }
  if (!l) { return; }
  inertia_reverse(sweep, field);
  forces_reverse(sweep, l->force, field);
  externals_reverse(sweep, field);
  reactions_reverse(sweep, l->rows, l->reaction, field);
}

void motion_reverse_mass(mbd_reverse *sweep, const motion_terms *e, const mbd_real *mu, const mbd_real *x) {
  const int by_mu = reverse_virtual(sweep, mu), by_x = reverse_virtual(sweep, x);
  if (e->inertia) { mass_reverse(sweep, by_mu, by_x); }
  if (e->lam) { reactions_reverse_once(sweep, e->rows, e->lam, by_mu); }
}
