/* The derivatives of mu . r in everything at once. With U the virtual velocity of the rates mu,
 *   L = mu . r = sum_i U_i . W_i - sum_a u_a . f_a,     W = I Vd + V x* (I V)
 * over bodies and the arguments of forces. */
#include <string.h>

#include "dynamics/dynamics.h"

/* Under x, c, e (variation.c) the wrench changes by  x x* W + I e + V x* (I c) + c x* p - I (V x c),  and U by x x U + u:
 * the parts in x cancel;  with (a x b) . F = -b . (a x* F):
 *   E = I U,    C = V x* (I U) - U x* p - I (V x U),    Y = W */
static void inertia(const body_state *b, const mbd_real U[6], int moving, body_pull *q) {
  mbd_real IU[6], VU[6], t[6] = {0};
  sv_inertia_mul(IU, &b->in, U);
  sv_add(q->E, IU);
  sv_add(q->Y[0], b->W);
  if (!moving) { return; }
  sv_cross_wrench_add(q->C, b->V, IU);
  sv_cross_wrench_add(t, U, b->p);
  sv_axpy(q->C, -1, t);
  sv_cross(VU, b->V, U);
  sv_inertia_mul(t, &b->in, VU);
  sv_axpy(q->C, -1, t);
}

/* theta += s d(a . I b) by mass, centre of mass and inertia:  a . I b = m a_G . b_G + a_w . A J_G A' b_w  with the motions
 * a_G, b_G of the centre of mass, which change by a_w x dc. */
void dyn_pull_inertia(const mbd_params *p, const mbd_work *w, int i, const mbd_real a[6], const mbd_real b[6],
                      mbd_real s, params_pull *t) {
  const mbd_body *body = &w->model->body[i];
  const body_state *q = &w->body[i];
  mbd_real arm[3], aG[6], bG[6], al[3], bl[3], dc[3] = {0, 0, 0}, local[3], *J = t->theta + body->inertia;
  v3_sub(arm, q->g, q->r);
  sv_shift_motion(aG, a, arm);
  sv_shift_motion(bG, b, arm);
  t->theta[body->mass] += s * v3_dot(aG, bG);
  v3_cross_add(dc, bG, a + 3);
  v3_cross_add(dc, aG, b + 3);
  m3_Tvec(local, q->A, dc);
  v3_axpy(t->theta + body->com, s * p->theta[body->mass], local);
  m3_Tvec(al, q->A, a + 3);
  m3_Tvec(bl, q->A, b + 3);
  for (int k = 0; k < 3; k++) { J[k] += s * al[k] * bl[k]; }
  J[3] += s * (al[0] * bl[1] + al[1] * bl[0]);
  J[4] += s * (al[0] * bl[2] + al[2] * bl[0]);
  J[5] += s * (al[1] * bl[2] + al[2] * bl[1]);
}

/* U . dI Vd + U . (V x* dI V) = U . dI Vd - (V x U) . dI V */
static void own_inertia(const mbd_params *p, const mbd_work *w, int i, const mbd_real U[6], params_pull *t) {
  mbd_real VU[6];
  dyn_pull_inertia(p, w, i, U, w->body[i].Vd, 1, t);
  if (!w->moving) { return; }
  sv_cross(VU, w->body[i].V, U);
  dyn_pull_inertia(p, w, i, VU, w->body[i].V, -1, t);
}

/* L = U . I X: symmetric in both fields. */
void dyn_pull_mass(const mbd_params *p, const mbd_work *w, int mu, int x, mbd_pull *q, params_pull *theta) {
  const mbd_real *U = q->field[mu].U, *X = q->field[x].U;
  for (int i = 1; i < w->model->nb; i++) {
    mbd_real I[6];
    sv_inertia_mul(I, &w->body[i].in, X + 6 * i);
    sv_add(q->body[i].Y[mu], I);
    sv_inertia_mul(I, &w->body[i].in, U + 6 * i);
    sv_add(q->body[i].Y[x], I);
    if (theta->body_wanted[i]) { dyn_pull_inertia(p, w, i, U + 6 * i, X + 6 * i, 1, theta); }
  }
}

void dyn_linearize_forces(const mbd_params *p, const mbd_work *w, mbd_real t, force_linear *list) {
  for (int i = 0; i < w->model->nforce; i++) {
    const mbd_force *f = &w->model->force[i];
    mbd_arg_state s;
    mbd_element_input in;
    lift_values(w, &f->lift, 1, &s);
    params_force_input(p, f, t, &s, &in);
    mbd_blocks_zero(f->lift.narg, list[i].K);
    mbd_blocks_zero(f->lift.narg, list[i].D);
    f->ops->f(&in, list[i].f);
    f->ops->f_x(&in, list[i].K, list[i].D);
    list[i].nK = lift_blocks(f->lift.narg, CONSTH(list[i].K), list[i].K_at);
    list[i].nD = lift_blocks(f->lift.narg, CONSTH(list[i].D), list[i].D_at);
  }
}

/* L = -u . f:  x = -f_x' u,  xd = -f_xd' u,  and -f on the virtual velocities. */
static void force_state(const mbd_work *w, const mbd_force *f, const force_linear *s, mbd_pull *q, params_pull *t) {
  const int n = f->lift.narg;
  mbd_real u[MBD_ARG_MAX][3];
  arg_pull g;
  g.field = 0;
  pull_virtual_arguments(w, q, 0, &f->lift, u);
  for (int b = 0; b < n; b++) {
    v3_set(g.x[b], 0, 0, 0), v3_set(g.xd[b], 0, 0, 0), v3_set(g.xdd[b], 0, 0, 0);
    v3_scale(g.u[b], -1, s->f[b]);
  }
  for (int i = 0; i < s->nK; i++) {
    const int a = s->K_at[i].a, b = s->K_at[i].b;
    m3_Tvec_sub(g.x[b], s->K[a][b], u[a]);
  }
  for (int i = 0; i < s->nD; i++) {
    const int a = s->D_at[i].a, b = s->D_at[i].b;
    m3_Tvec_sub(g.xd[b], s->D[a][b], u[a]);
  }
  pull_arguments(w, &f->lift, &g, q, t);
}

void dyn_pull(const mbd_work *w, const force_linear *force, mbd_pull *q, params_pull *theta) {
  const mbd_model *m = w->model;
  q->moving = 1;
  for (int i = 1; i < m->nb; i++) { inertia(&w->body[i], q->field[0].U + 6 * i, w->moving, &q->body[i]); }
  for (int i = 0; force && i < m->nforce; i++) { force_state(w, &m->force[i], &force[i], q, theta); }
}

static void force_coefficients(const mbd_params *p, const mbd_work *w, const mbd_force *f, mbd_real t,
                               const mbd_pull *q, params_pull *theta) {
  mbd_arg_state s;
  mbd_element_input in;
  mbd_real u[MBD_ARG_MAX][3];
  lift_values(w, &f->lift, 1, &s);
  params_force_input(p, f, t, &s, &in);
  pull_virtual_arguments(w, q, 0, &f->lift, u);
  for (int a = 0; a < f->lift.narg; a++) { v3_scale(u[a], -1, u[a]); }
  params_pull_force(theta, p, f, &in, CONST3(u));
}

void dyn_pull_coefficients(const mbd_params *p, const mbd_work *w, mbd_real t, const mbd_pull *q, params_pull *theta) {
  const mbd_model *m = w->model;
  for (int i = 1; i < m->nb; i++) {
    const mbd_real *U = q->field[0].U + 6 * i;
    if (theta->body_wanted[i]) { own_inertia(p, w, i, U, theta); }
    if (w->gravity_on && theta->gravity_wanted) { /* the ground's acceleration is -g */
      mbd_real IU[6];
      sv_inertia_mul(IU, &w->body[i].in, U);
      v3_sub(theta->theta + m->gravity, theta->theta + m->gravity, IU);
    }
  }
  for (int i = 0; i < m->nforce; i++) {
    if (theta->force_wants[i]) { force_coefficients(p, w, &m->force[i], t, q, theta); }
  }
}
