/* Derivative of the residual along a direction of coefficients and coordinates (kinematics/lift.h), and of the time:
 * theory.md §3 (3.4), S0 (33). */
#include <string.h>

#include "dynamics/parts.h"

/* Computes the change of a body's inertia by its own mass, centre of mass and inertia coefficients. c = g - r, dc = A dcom:
 *   dh = dm c + m dc,   dJ = A dJ_G A' + dm (|c|^2 1 - c c') + m (2 c.dc 1 - dc c' - c dc') */
static inline void vary_inertia(const mbd_real *theta, const mbd_real *dtheta, const mbd_body *body,
                                const body_state *b, mbd_inertia *change) {
  const mbd_real dm = dtheta[body->mass], m = theta[body->mass];
  mbd_real c[3], dc[3];
  v3_sub(c, b->g, b->r);
  m3_vec(dc, b->A, dtheta + body->com);
  m3_turn_inertia(change->J, b->A, dtheta + body->inertia);
  mbd_real diag = dm * v3_dot(c, c) + 2 * m * v3_dot(c, dc);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { change->J[3 * i + k] -= dm * c[i] * c[k] + m * (dc[i] * c[k] + c[i] * dc[k]); }
    change->J[4 * i] += diag;
    change->h[i] = dm * c[i] + m * dc[i];
  }
  change->m = dm;
}

/* dW += under a displacement x, c, e (as in jacobian.c):  x x* W + I e + B c,   B c = V x* (I c) + c x* p - I (V x c) */
static void displaced(const mbd_work *w, const body_state *b, const body_variation *vi, mbd_real dW[6]) {
  mbd_real t[6], u[6];
  sv_inertia_mul(t, &b->in, vi->e);
  sv_add(dW, t);
  sv_cross_wrench_add(dW, vi->x, b->W);
  if (!w->moving) { return; }
  sv_inertia_mul(t, &b->in, vi->c);
  sv_cross_wrench_add(dW, b->V, t);
  sv_cross_wrench_add(dW, vi->c, b->p);
  sv_cross(t, b->V, vi->c);
  sv_inertia_mul(u, &b->in, t);
  sv_axpy(dW, -1, u);
}

mbd_real motion_vary_inertia(const mbd_work *w, int i, const mbd_real a[6], const mbd_real b[6]) {
  mbd_inertia din;
  mbd_real t[6];
  vary_inertia(w->p->theta, w->variation.last.d->dtheta, &w->model->body[i], &w->body[i], &din);
  sv_inertia_mul(t, &din, b);
  return sv_dot(a, t);
}

/* dW += by the body's own inertia:  dI Vd + V x* (dI V) */
static void reweighed(const mbd_work *w, int i, mbd_real dW[6]) {
  const body_state *b = &w->body[i];
  mbd_inertia din;
  mbd_real t[6];
  vary_inertia(w->p->theta, w->variation.last.d->dtheta, &w->model->body[i], b, &din);
  sv_inertia_mul(t, &din, b->Vd);
  sv_add(dW, t);
  if (!w->moving) { return; }
  sv_inertia_mul(t, &din, b->V);
  sv_cross_wrench_add(dW, b->V, t);
}

/* dW += by gravity: the ground's acceleration is -g */
static void reversed_down(const mbd_work *w, const body_state *b, mbd_real dW[6]) {
  mbd_real u[6] = {0}, t[6];
  v3_scale(u, -1, w->variation.last.d->dtheta + w->model->gravity);
  sv_inertia_mul(t, &b->in, u);
  sv_add(dW, t);
}

int inertia_change(const mbd_work *w, int i, mbd_real dW[6]) {
  const mbd_variation *v = &w->variation.last;
  const mbd_dparams *d = v->d;
  const int moves = v->body[i].active, own = d && d->body_active[i], falls = d && d->any_gravity && w->gravity.on;
  sv_zero(dW);
  if (moves) { displaced(w, &w->body[i], &v->body[i], dW); }
  if (own) { reweighed(w, i, dW); }
  if (falls) { reversed_down(w, &w->body[i], dW); }
  return moves || own || falls;
}

void inertia_direction(mbd_work *w) {
  const mbd_variation *v = &w->variation.last;
  const mbd_dparams *d = v->d;
  const int falls = d && d->any_gravity && w->gravity.on;
  if (!v->any && !(d && d->any_body) && !falls) { return; }
  for (int i = 1; i < w->model->nb; i++) {
    mbd_real dW[6];
    if (inertia_change(w, i, dW)) { vary_wrench(w, i, v->body[i].active ? w->body[i].W : NULL, dW); }
  }
}

int motion_force_moves(const mbd_work *w, int i) {
  const mbd_dparams *d = w->variation.last.d;
  return d && (d->force_active[i] ||
               (mbd_any(w->variation.last.stretch != 0) && params_force_has_time(&w->model->force[i])));
}

mbd_element_direction motion_force_along(const mbd_work *w, int i) {
  return params_direction(w->variation.last.d, w->model->force[i].coef, 0, w->variation.last.stretch * w->t);
}

element_change force_change(const mbd_work *w, int i, mbd_real (*f)[3], mbd_real (*df)[3]) {
  const mbd_force *force = &w->model->force[i];
  const int own = motion_force_moves(w, i);
  mbd_arg_state s, ds;
  mbd_element_input in;
  const int moved = vary_arguments(w, &force->lift, 1, &ds);
  if (!moved && !own) { return ELEMENT_SAME; }
  mbd_args_zero(force->lift.narg, df);
  force_input(w, force, &s, &in);
  if (own) {
    const mbd_element_direction e = motion_force_along(w, i);
    force->ops->f_c(&in, &e, df);
  }
  if (moved) { element_force_moved(force->ops, force->lift.narg, &in, &ds, f, df); }
  return moved ? ELEMENT_MOVED : ELEMENT_OTHER;
}

static void force_direction(mbd_work *w, int i, mbd_real *dr) {
  mbd_real f[ELEMENT_ARG_MAX][3], df[ELEMENT_ARG_MAX][3];
  const element_change change = force_change(w, i, f, df);
  if (change == ELEMENT_SAME) { return; }
  vary_forces(w, &w->model->force[i].lift, change == ELEMENT_MOVED ? CONST3(f) : NULL, CONST3(df), -1, dr);
}

void forces_direction(mbd_work *w, mbd_real *dr) {
  const mbd_variation *v = &w->variation.last;
  if (!v->any && !(v->d && (v->d->any_marker || v->d->any_force || mbd_any(v->stretch != 0)))) { return; }
  for (int i = 0; i < w->model->nforce; i++) { force_direction(w, i, dr); }
}
