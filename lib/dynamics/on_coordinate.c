/* The generalized force that acts along one coordinate, with its derivatives: y = sum f_a - sum lam' J_a - sum I zdd over the arguments
 * of forces and constraints that are this coordinate, and over its rotors. Wrenches on bodies are not part of it.
 * Equations: theory.md §3 (3.1), restricted to terms of one coordinate. */

#include "dynamics/element.h"
#include "dynamics/parts.h"

/* Returns the argument of an element that is coordinate j, or -1. No element has a coordinate twice. */
static int argument_of(const mbd_lift *l, int j) {
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE && l->arg[a].b == j) { return a; }
  }
  return -1;
}

static void reaction_at(const mbd_work *w, const mbd_constraint *c, const mbd_real *lam, element_state *e,
                        mbd_real (*f)[3]) {
  element_evaluate(w, c, 0, e);
  element_first(c->ops, e);
  element_reaction(c->ops, e, lam + c->row, f);
}

mbd_real motion_on_coordinate(const mbd_work *w, int j, const mbd_real *lam) {
  const mbd_model *m = w->model;
  mbd_real f[ELEMENT_ARG_MAX][3], y = 0;
  /* Q of forces with this coordinate among their arguments. */
  for (int i = 0; i < m->nforce; i++) {
    const int a = argument_of(&m->force[i].lift, j);
    mbd_arg_state x;
    if (a < 0) { continue; }
    motion_force(w, i, &x, f);
    y += f[a][0];
  }
  /* -Phi_z' lam of constraints on it. */
  for (int i = 0; i < m->nconstraint; i++) {
    const int a = argument_of(&m->constraint[i].lift, j);
    element_state e;
    if (a < 0) { continue; }
    reaction_at(w, &m->constraint[i], lam, &e, f);
    y -= f[a][0];
  }
  /* -I zdd of its rotors. */
  for (int i = 0; i < m->nrotor; i++) {
    int at;
    const mbd_real I = motion_rotor(w, i, &at);
    if (at == j) { y -= I * w->zdd[j]; }
  }
  return y;
}

static mbd_real rotors_change(const mbd_work *w, int j) {
  const mbd_real dzdd = w->variation.last.dzdd ? w->variation.last.dzdd[j] : 0;
  mbd_real sum = 0;
  for (int i = 0; i < w->model->nrotor; i++) {
    int at;
    const mbd_real I = motion_rotor(w, i, &at);
    if (at == j) { sum += motion_rotor_direction(w, i) * w->zdd[j] + I * dzdd; }
  }
  return sum;
}

mbd_real motion_on_coordinate_direction(const mbd_work *w, int j, const mbd_real *lam, const mbd_real *dlam) {
  const mbd_model *m = w->model;
  mbd_real f[ELEMENT_ARG_MAX][3], df[ELEMENT_ARG_MAX][3], dy = 0;
  for (int i = 0; i < m->nforce; i++) {
    const int a = argument_of(&m->force[i].lift, j);
    if (a >= 0 && force_change(w, i, f, df) != ELEMENT_SAME) { dy += df[a][0]; }
  }
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    const int a = argument_of(&c->lift, j), own = constraint_moves(w, i);
    element_state e;
    if (a < 0) { continue; }
    if (reaction_change(w, c, own, lam + c->row, f, df) != ELEMENT_SAME) { dy -= df[a][0]; }
    if (!dlam) { continue; }
    reaction_at(w, c, dlam, &e, df);
    dy -= df[a][0];
  }
  return dy - rotors_change(w, j);
}

static void reverse_force(mbd_reverse *sweep, int i, int a, mbd_real s) {
  const mbd_force *force = &sweep->w->model->force[i];
  const int n = force->lift.narg;
  const mbd_real along[3] = {s, 0, 0};
  mbd_real u[ELEMENT_ARG_MAX][3], f[ELEMENT_ARG_MAX][3], K[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9],
      D[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  mbd_arg_state x;
  mbd_element_input in;
  arg_reverse g;
  force_input(sweep->w, force, &x, &in);
  arg_reverse_zero(n, &g), mbd_blocks_zero(n, K), mbd_blocks_zero(n, D);
  force->ops->f_x(&in, f, K, D);
  for (int b = 0; b < n; b++) { m3_Tvec(g.x[b], K[a][b], along), m3_Tvec(g.xd[b], D[a][b], along); }
  reverse_arguments(sweep, &force->lift, &g);
  if (!sweep->theta || !sweep->theta->force_requests[i]) { return; }
  mbd_args_zero(n, u);
  u[a][0] = s;
  params_reverse_force(sweep->theta, sweep->w->p, force, &in, CONST3(u));
}

static void reverse_reaction(mbd_reverse *sweep, int i, int a, mbd_real s, const mbd_real *lam, mbd_real *lam_T) {
  const mbd_constraint *c = &sweep->w->model->constraint[i];
  element_state e;
  mbd_real u[ELEMENT_ARG_MAX][3], f[ELEMENT_ARG_MAX][3], H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  arg_reverse g;
  reaction_at(sweep->w, c, lam, &e, f);
  mbd_args_zero(c->lift.narg, u);
  u[a][0] = -s;
  for (int r = 0; r < c->ops->nphi; r++) { lam_T[c->row + r] -= s * e.J[r][a][0]; }
  if (sweep->theta && sweep->theta->constraint_requests[i]) {
    params_reverse_reaction(sweep->theta, sweep->w->p, c, &e.in, lam + c->row, CONST3(u));
  }
  if (!element_second(c->ops, &e, lam + c->row, H)) { return; }
  arg_reverse_zero(c->lift.narg, &g);
  element_second_T_times(CONSTH(H), c->lift.narg, CONST3(u), g.x);
  reverse_arguments(sweep, &c->lift, &g);
}

void motion_on_coordinate_reverse(mbd_reverse *sweep, int j, const mbd_real *lam, mbd_real s, mbd_real *lam_T) {
  const mbd_model *m = sweep->w->model;
  for (int i = 0; i < m->nforce; i++) {
    const int a = argument_of(&m->force[i].lift, j);
    if (a >= 0) { reverse_force(sweep, i, a, s); }
  }
  for (int i = 0; i < m->nconstraint; i++) {
    const int a = argument_of(&m->constraint[i].lift, j);
    if (a >= 0) { reverse_reaction(sweep, i, a, s, lam, lam_T); }
  }
  for (int i = 0; i < m->nrotor; i++) {
    int at;
    const mbd_real I = motion_rotor(sweep->w, i, &at);
    if (at != j) { continue; }
    sweep->zdd[j] -= s * I;
    motion_reverse_rotor(sweep, i, -s * sweep->w->zdd[j]);
  }
}
