/* The derivatives of mu . r in everything at once, theory.md §3 (3.5). With U the virtual velocity of the rates mu,
 *   L = mu . r = sum_i U_i . W_i - sum_a u_a . f_a,     W = I Vd + V x* (I V)
 * over bodies and the arguments of forces. */
#include <assert.h>

#include "dynamics/parts.h"

/* Under x, c, e (variation.c) the wrench changes by  x x* W + I e + V x* (I c) + c x* p - I (V x c),  and U by x x U + u:
 * the parts in x cancel;  with (a x b) . F = -b . (a x* F):
 *   E = I U,    C = V x* (I U) - U x* p - I (V x U),    Y = W */
void inertia_reverse_rates(const body_state *b, const mbd_real U[6], int moving, body_reverse *body) {
  mbd_real IU[6], VU[6], t[6] = {0};
  sv_inertia_mul(IU, &b->in, U);
  sv_add(body->E, IU);
  if (!moving) { return; }
  sv_cross_wrench_add(body->C, b->V, IU);
  sv_cross_wrench_add(t, U, b->p);
  sv_axpy(body->C, -1, t);
  sv_cross(VU, b->V, U);
  sv_inertia_mul(t, &b->in, VU);
  sv_axpy(body->C, -1, t);
}

/* theta += s d(a . I b) by mass, centre of mass and inertia:  a . I b = m a_G . b_G + a_w . A J_G A' b_w  with the motions
 * a_G, b_G of the centre of mass, which change by a_w x dc. */
void motion_reverse_inertia(mbd_reverse *reverse, int i, const mbd_real a[6], const mbd_real b[6], mbd_real s) {
  const mbd_work *w = reverse->w;
  params_reverse *t = reverse->theta;
  const mbd_body *body = &w->model->body[i];
  const body_state *state = &w->body[i];
  mbd_real arm[3], aG[6], bG[6], al[3], bl[3], dc[3] = {0, 0, 0}, local[3], *J = t->theta + body->inertia;
  v3_sub(arm, state->g, state->r);
  sv_shift_motion(aG, a, arm);
  sv_shift_motion(bG, b, arm);
  /* By the mass: a_G . b_G. */
  t->theta[body->mass] += s * v3_dot(aG, bG);
  /* By the centre of mass, in the axes of the body. */
  v3_cross_add(dc, bG, a + 3);
  v3_cross_add(dc, aG, b + 3);
  m3_Tvec(local, state->A, dc);
  v3_axpy(t->theta + body->com, s * w->p->theta[body->mass], local);
  /* By the moments and products of inertia, in the axes of the body. */
  m3_Tvec(al, state->A, a + 3);
  m3_Tvec(bl, state->A, b + 3);
  for (int k = 0; k < 3; k++) { J[k] += s * al[k] * bl[k]; }
  J[3] += s * (al[0] * bl[1] + al[1] * bl[0]);
  J[4] += s * (al[0] * bl[2] + al[2] * bl[0]);
  J[5] += s * (al[1] * bl[2] + al[2] * bl[1]);
}

/* U . dI Vd + U . (V x* dI V) = U . dI Vd - (V x U) . dI V */
static void own_inertia(mbd_reverse *sweep, int i, const mbd_real U[6]) {
  const mbd_work *w = sweep->w;
  mbd_real VU[6];
  motion_reverse_inertia(sweep, i, U, w->body[i].Vd, 1);
  if (!w->moving) { return; }
  sv_cross(VU, w->body[i].V, U);
  motion_reverse_inertia(sweep, i, VU, w->body[i].V, -1);
}

/* L = U . I X: symmetric in both fields. */
void mass_reverse(mbd_reverse *sweep, int mu, int x) {
  const mbd_work *w = sweep->w;
  const mbd_real *U = sweep->field[mu].U, *X = sweep->field[x].U;
  for (int i = 1; i < w->model->nb; i++) {
    mbd_real I[6];
    sv_inertia_mul(I, &w->body[i].in, X + 6 * i);
    sv_add(sweep->body[i].Y[mu], I);
    sv_inertia_mul(I, &w->body[i].in, U + 6 * i);
    sv_add(sweep->body[i].Y[x], I);
    if (sweep->theta && sweep->theta->body_requested[i]) { motion_reverse_inertia(sweep, i, U + 6 * i, X + 6 * i, 1); }
  }
  rotors_reverse_own(sweep, mu, sweep->field[x].mu);
}

void forces_linearize(const mbd_work *w, const mbd_real *kept, force_linear *list) {
  for (int i = 0; i < w->model->nforce; i++) {
    const mbd_force *f = &w->model->force[i];
    mbd_blocks_zero(f->lift.narg, list[i].K);
    mbd_blocks_zero(f->lift.narg, list[i].D);
    if (kept && f->ops->keep) {
      force_read_kept(f, &kept, list[i].f, list[i].K, list[i].D);
    } else {
      mbd_arg_state s;
      mbd_element_input in;
      force_input(w, f, &s, &in);
      f->ops->f_x(&in, list[i].f, list[i].K, list[i].D);
    }
    list[i].nK = lift_blocks(f->lift.narg, CONSTH(list[i].K), list[i].K_at);
    list[i].nD = lift_blocks(f->lift.narg, CONSTH(list[i].D), list[i].D_at);
  }
}

void motion_linearize_forces(const mbd_work *w, force_linear *list) {
  forces_linearize(w, NULL, list);
}

/* L = -u . f:  x = -f_x' u,  xd = -f_xd' u,  and -f on the virtual velocities. */
static void one_force(mbd_reverse *sweep, const mbd_force *f, const force_linear *linear, int mu) {
  const int n = f->lift.narg;
  mbd_real u[ELEMENT_ARG_MAX][3];
  arg_reverse g;
  g.field = mu;
  reverse_virtual_arguments(sweep, mu, &f->lift, u);
  for (int b = 0; b < n; b++) {
    v3_set(g.x[b], 0, 0, 0), v3_set(g.xd[b], 0, 0, 0), v3_set(g.xdd[b], 0, 0, 0);
    v3_scale(g.u[b], -1, linear->f[b]);
  }
  /* Only slopes that are not zero are visited. */
  for (int i = 0; i < linear->nK; i++) {
    const int a = linear->K_at[i].a, b = linear->K_at[i].b;
    m3_Tvec_sub(g.x[b], linear->K[a][b], u[a]);
  }
  for (int i = 0; i < linear->nD; i++) {
    const int a = linear->D_at[i].a, b = linear->D_at[i].b;
    m3_Tvec_sub(g.xd[b], linear->D[a][b], u[a]);
  }
  reverse_arguments(sweep, &f->lift, &g);
}

void inertia_reverse(mbd_reverse *sweep, int mu) {
  const mbd_work *w = sweep->w;
  assert(w->stage >= WORK_MOVED);
  sweep->moving = 1;
  for (int i = 1; i < w->model->nb; i++) {
    inertia_reverse_rates(&w->body[i], sweep->field[mu].U + 6 * i, w->moving, &sweep->body[i]);
    sv_add(sweep->body[i].Y[mu], w->body[i].W);
  }
  rotors_reverse(sweep, mu);
}

void forces_reverse(mbd_reverse *sweep, const force_linear *list, int mu) {
  const mbd_model *m = sweep->w->model;
  for (int i = 0; i < m->nforce; i++) { one_force(sweep, &m->force[i], &list[i], mu); }
}

/* ---- coefficients that are no geometry ---- */

static void force_coefficients(mbd_reverse *sweep, const mbd_force *f, int mu) {
  const mbd_work *w = sweep->w;
  mbd_arg_state s;
  mbd_element_input in;
  mbd_real u[ELEMENT_ARG_MAX][3];
  force_input(w, f, &s, &in);
  reverse_virtual_arguments(sweep, mu, &f->lift, u);
  for (int a = 0; a < f->lift.narg; a++) { v3_scale(u[a], -1, u[a]); }
  params_reverse_force(sweep->theta, w->p, f, &in, CONST3(u));
}

void inertia_reverse_coefficients(mbd_reverse *sweep, int i, const mbd_real U[6]) {
  const mbd_work *w = sweep->w;
  const mbd_model *m = w->model;
  params_reverse *theta = sweep->theta;
  if (theta->body_requested[i]) { own_inertia(sweep, i, U); }
  if (w->gravity.on && theta->gravity_requested) { /* the ground's acceleration is -g */
    mbd_real IU[6];
    sv_inertia_mul(IU, &w->body[i].in, U);
    v3_sub(theta->theta + m->gravity, theta->theta + m->gravity, IU);
  }
}

void coefficients_reverse(mbd_reverse *sweep, int mu) {
  const mbd_model *m = sweep->w->model;
  const params_reverse *theta = sweep->theta;
  for (int i = 1; i < m->nb; i++) { inertia_reverse_coefficients(sweep, i, sweep->field[mu].U + 6 * i); }
  for (int i = 0; i < m->nforce; i++) {
    if (theta->force_requests[i]) { force_coefficients(sweep, &m->force[i], mu); }
  }
  rotors_reverse_own(sweep, mu, sweep->w->zdd);
}
