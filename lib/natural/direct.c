/* Changes of equations and forces in natural coordinates along a direction. Arguments are x = sum w h over points and vectors h, so that
 *   dx = sum (dw h + w dh)
 * and a force f on the argument is a force w f on h. For rotations (4.10), e*_a = sum g_ab e_b with g = Eb^-1 Eb^-T.
 * Equations: theory.md §4.1 (4.6), (4.10), (4.11), differentiated. */
#include "natural/direct.h"

#include <string.h>

/* ---- points, vectors, directions ---- */

/* x += s times entry i of a block of rates or changes that may be NULL, where the point or vector is not constant. */
static void add_rate(const natural *n, int basic, mbd_real s, const mbd_real *rate, mbd_real x[3]) {
  if (rate && n->basic[basic].q >= 0) { v3_axpy(x, s, rate + n->basic[basic].q); }
}

/* The same for a change of place; constants of the design change, too. */
static void add_change(const natural_params *v, int basic, mbd_real s, const natural_along *to, mbd_real x[3]) {
  if (v->n->basic[basic].q >= 0) {
    add_rate(v->n, basic, s, to->dq, x);
  } else if (to->dv) {
    v3_axpy(x, s, to->dv->fixed[basic]);
  }
}

/* The rotation of a body: e*_a, ed_a and their changes. */
typedef struct turn_change {
  mbd_real dual[3][3], ed[3][3], ddual[3][3], ded[3][3];
} turn_change;

static turn_change turn_along(const natural_params *v, const mbd_real *q, const mbd_real *qd, int body,
                              const natural_along *to) {
  const natural *n = v->n;
  const int r = n->rigid_of[body], o = natural_basis(n, r, 0);
  mbd_real e[3][3], de[3][3], g[9], dg[9], part[9];
  turn_change change;
  /* The directions e_a of the body with their rates, and the changes of both. */
  for (int k = 0; k < 3; k++) {
    const int basic = natural_basis(n, r, 1 + k), is_point = n->basic[basic].is_point;
    v3_copy(e[k], natural_value(v, q, basic));
    /* cppcheck-suppress uninitvar ; this writes it */
    v3_set(de[k], 0, 0, 0), v3_set(change.ed[k], 0, 0, 0), v3_set(change.ded[k], 0, 0, 0);
    add_change(v, basic, 1, to, de[k]), add_rate(n, basic, 1, qd, change.ed[k]),
        add_rate(n, basic, 1, to->dqd, change.ded[k]);
    if (!is_point) { continue; }
    v3_sub(e[k], e[k], natural_value(v, q, o));
    add_change(v, o, -1, to, de[k]), add_rate(n, o, -1, qd, change.ed[k]), add_rate(n, o, -1, to->dqd, change.ded[k]);
  }
  /* e*_a = sum g_ab e_b, g = Eb^-1 Eb^-T, and its change at fixed g. */
  m3_mulT(g, v->dual[r], v->dual[r]);
  m3_mul(&change.dual[0][0], g, &e[0][0]);
  m3_mul(&change.ddual[0][0], g, &de[0][0]);
  /* The change of g, where the direction changes the basis in the body. */
  if (!to->dv) { return change; }
  m3_mulT(dg, to->dv->dual[r], v->dual[r]);
  for (int i = 0; i < 9; i++) { part[i] = dg[i] + dg[3 * (i % 3) + i / 3]; }
  m3_mul(dg, part, &e[0][0]);
  for (int i = 0; i < 9; i++) { change.ddual[i / 3][i % 3] += dg[i]; }
  return change;
}

/* ---- arguments ---- */

static void linear_change(const natural_params *v, const mbd_arg *arg, const mbd_real *q, const mbd_real *qd,
                          const mbd_real *qdd, const natural_along *to, int a, mbd_arg_state *ds) {
  int basic[NATURAL_TERMS];
  mbd_real weight[NATURAL_TERMS], change[NATURAL_TERMS] = {0};
  const int count = natural_terms(v->n, v, arg, basic, weight);
  if (to->dv) { natural_terms(v->n, to->dv, arg, basic, change); }
  v3_set(ds->x[a], 0, 0, 0), v3_set(ds->xd[a], 0, 0, 0), v3_set(ds->xdd[a], 0, 0, 0);
  for (int k = 0; k < count; k++) {
    v3_axpy(ds->x[a], change[k], natural_value(v, q, basic[k]));
    add_change(v, basic[k], weight[k], to, ds->x[a]);
    add_rate(v->n, basic[k], change[k], qd, ds->xd[a]), add_rate(v->n, basic[k], weight[k], to->dqd, ds->xd[a]);
    add_rate(v->n, basic[k], change[k], qdd, ds->xdd[a]), add_rate(v->n, basic[k], weight[k], to->dqdd, ds->xdd[a]);
  }
}

static void rotation_change(const natural_params *v, const mbd_real *q, const mbd_real *qd, int body, mbd_real sign,
                            const natural_along *to, mbd_real dw[3]) {
  const turn_change change = turn_along(v, q, qd, body, to);
  mbd_real sum[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    v3_cross_add(sum, change.ddual[k], change.ed[k]);
    v3_cross_add(sum, change.dual[k], change.ded[k]);
  }
  v3_axpy(dw, sign / 2, sum);
}

/* Changes of argument a; qd, qdd NULL: rates are not computed. */
static void argument_change(const natural_params *v, const mbd_arg *arg, const mbd_real *q, const mbd_real *qd,
                            const mbd_real *qdd, const natural_along *to, int a, mbd_arg_state *ds) {
  const int j = arg->b;
  switch (arg->kind) {
    case MBD_ARG_POINT:
    case MBD_ARG_VECTOR: linear_change(v, arg, q, qd, qdd, to, a, ds); break;
    case MBD_ARG_ROTATION:
      v3_set(ds->x[a], 0, 0, 0), v3_set(ds->xd[a], 0, 0, 0), v3_set(ds->xdd[a], 0, 0, 0);
      if (qd) { rotation_change(v, q, qd, arg->b, 1, to, ds->xd[a]); }
      if (qd && arg->a >= 0) { rotation_change(v, q, qd, arg->a, -1, to, ds->xd[a]); }
      break;
    case MBD_ARG_COORDINATE:
      v3_set(ds->x[a], to->dq ? to->dq[j] : 0, 0, 0);
      v3_set(ds->xd[a], to->dqd ? to->dqd[j] : 0, 0, 0);
      v3_set(ds->xdd[a], to->dqdd ? to->dqdd[j] : 0, 0, 0);
      break;
    case MBD_ARG_VALUE: break; /* of users' forces alone, which take it themselves */
  }
}

/* Q += the change of the generalized force of f on an argument, where f changes by df. */
static void on_argument_change(const natural_params *v, const mbd_arg *arg, const mbd_real *q, const mbd_real f[3],
                               const mbd_real df[3], const natural_along *to, mbd_real *Q) {
  const natural *n = v->n;
  /* The change df of the force at fixed weights. */
  natural_on_argument(v, arg, q, df, Q);
  if (arg->kind == MBD_ARG_COORDINATE) { return; }
  /* A force w f on a point or vector changes by dw f. */
  if (arg->kind != MBD_ARG_ROTATION) {
    int basic[NATURAL_TERMS];
    mbd_real change[NATURAL_TERMS];
    const int count = to->dv ? natural_terms(n, to->dv, arg, basic, change) : 0;
    for (int k = 0; k < count; k++) {
      const int at = n->basic[basic[k]].q;
      if (at >= 0) { v3_axpy(Q + at, change[k], f); }
    }
    return;
  }
  /* A torque f is the forces f x e*_a/2 on the directions of a body, which change by f x de*_a/2. */
  for (int side = 0; side < 2; side++) {
    const int body = side ? arg->a : arg->b, r = body < 0 ? -1 : n->rigid_of[body];
    if (body < 0) { continue; }
    const turn_change turn = turn_along(v, q, NULL, body, to);
    for (int k = 0; k < 3; k++) {
      const natural_basic *b = &n->basic[natural_basis(n, r, 1 + k)], *o = &n->basic[natural_basis(n, r, 0)];
      mbd_real torque[3];
      v3_cross(torque, f, turn.ddual[k]);
      if (b->q >= 0) { v3_axpy(Q + b->q, side ? -0.5 : 0.5, torque); }
      if (b->is_point && o->q >= 0) { v3_axpy(Q + o->q, side ? 0.5 : -0.5, torque); }
    }
  }
}

/* ---- what a direction changes ---- */

static int any(int n, const mbd_real *x) {
  for (int i = 0; i < n; i++) {
    if (mbd_any(x[i] != 0)) { return 1; }
  }
  return 0;
}

static int rotation_moves(const natural_params *v, const natural_params *dv, int body) {
  const int r = v->n->rigid_of[body];
  int moves = any(9, dv->dual[r]);
  for (int k = 0; k < 4; k++) {
    const int basic = natural_basis(v->n, r, k);
    moves |= v->n->basic[basic].q < 0 && any(3, dv->fixed[basic]);
  }
  return moves;
}

/* Returns 1 if the constants of an argument change. */
static int argument_moves(const natural_params *v, const natural_params *dv, const mbd_arg *arg) {
  int basic[NATURAL_TERMS], moves = 0;
  mbd_real change[NATURAL_TERMS];
  if (arg->kind == MBD_ARG_COORDINATE) { return 0; }
  if (arg->kind == MBD_ARG_ROTATION) {
    return rotation_moves(v, dv, arg->b) || (arg->a >= 0 && rotation_moves(v, dv, arg->a));
  }
  const int count = natural_terms(v->n, dv, arg, basic, change);
  for (int k = 0; k < count; k++) {
    moves |= mbd_any(change[k] != 0) || (v->n->basic[basic[k]].q < 0 && any(3, dv->fixed[basic[k]]));
  }
  return moves;
}

static int element_moves(const natural_params *v, const mbd_dparams *d, const natural_params *dv, int i, int timed) {
  const natural_element *e = &v->n->element[i];
  int moves = mbd_any(dv->constants[i] != 0);
  if (e->given) {
    moves |= d->constraint_active[e->given - v->n->m->constraint] || (timed && params_constraint_has_time(e->given));
  }
  for (int a = 0; a < e->ops->narg; a++) { moves |= argument_moves(v, dv, &e->arg[a]); }
  return moves;
}

static int force_moves(const natural_params *v, const mbd_dparams *d, const natural_params *dv, int i, int timed) {
  const mbd_force *force = &v->n->m->force[i];
  int moves = d->force_active[i] || (timed && params_force_has_time(force));
  for (int a = 0; a < force->lift.narg; a++) {
    const mbd_arg arg = natural_arg_of(v->n, &force->lift.arg[a]);
    moves |= argument_moves(v, dv, &arg);
  }
  return moves;
}

static int masses_move(const natural_params *v, const mbd_dparams *d, const natural_params *dv) {
  const mbd_model *m = v->n->m;
  int moves = m->gravity >= 0 && any(3, d->dtheta + m->gravity);
  for (int r = 1; r < v->n->nrigid; r++) { moves |= any(16, dv->mass[r]) || any(4, dv->moment[r]); }
  for (int i = 0; i < m->nrotor; i++) { moves |= d->force_active[m->rotor[i]]; }
  return moves;
}

int natural_moves(const natural *n) {
  return n->nelement + n->m->nforce + 1;
}

void natural_find_moves(const natural_params *v, const mbd_dparams *d, const natural_params *dv, int timed,
                        unsigned char *moves) {
  const int elements = v->n->nelement, forces = v->n->m->nforce;
  for (int i = 0; i < elements; i++) { moves[i] = (unsigned char)element_moves(v, d, dv, i, timed); }
  for (int i = 0; i < forces; i++) { moves[elements + i] = (unsigned char)force_moves(v, d, dv, i, timed); }
  moves[elements + forces] = (unsigned char)masses_move(v, d, dv);
}

/* Returns 1 if equation, force or mass i of the list does not depend on the direction. */
static int at_rest(const natural_along *to, int i) {
  return to->moves && !to->moves[i] && !to->dq && !to->dqd && !to->dqdd;
}

/* ---- equations ---- */

static int own_moves(const natural_element *e, const natural_along *to) {
  if (!to->d) { return 0; }
  return e->given == NULL || to->d->constraint_active[e->given - to->dv->n->m->constraint] ||
         (mbd_any(to->dt != 0) && params_constraint_has_time(e->given));
}

static mbd_element_direction element_along(const natural_element *e, int i, const natural_along *to) {
  if (e->given) { return params_direction(to->d, e->given->coef, e->given->prepared, to->dt); }
  return (mbd_element_direction){
      .dc = to->d->dtheta, .dtheta = to->d->dtheta, .daux = to->d->daux, .down = to->dv->constants + i};
}

/* The changes of Phi and of its first two time derivatives along a direction, element by element: by the changes of the arguments, and by
 * those of the coefficients that the constraint itself has. */
void natural_rows_direction(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                            const mbd_real *qdd, const natural_along *to, mbd_real *dphi, mbd_real *dphid,
                            mbd_real *dphidd) {
  mbd_real *const out[3] = {dphi, dphid, dphidd};
  for (int i = 0; i < v->n->nelement; i++) {
    const natural_element *e = &v->n->element[i];
    element_state at;
    mbd_arg_state ds;
    mbd_real d[MBD_ROW_MAX][3] = {{0}};
    if (at_rest(to, i)) {
      for (int k = 0; k < 3; k++) {
        for (int r = 0; out[k] && r < e->ops->nphi; r++) { out[k][e->row + r] = 0; }
      }
      continue;
    }
    arg_state_zero(e->ops->narg, &at.s);
    natural_element_evaluate(v, i, t, q, qd, qdd, &at);
    element_first(e->ops, &at);
    for (int a = 0; a < e->ops->narg; a++) { argument_change(v, &e->arg[a], q, qd, qdd, to, a, &ds); }
    if (own_moves(e, to) && e->ops->phi_c) {
      const mbd_element_direction own = element_along(e, i, to);
      element_rows_own(e->ops, &at, &own, d);
    }
    for (int r = 0; r < e->ops->nphi; r++) { element_row_moved(e->ops, &at, &ds, r, d[r]); }
    for (int k = 0; k < 3; k++) {
      for (int r = 0; out[k] && r < e->ops->nphi; r++) { out[k][e->row + r] = d[r][k]; }
    }
  }
}

void natural_reactions_direction(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *lam,
                                 const natural_along *to, mbd_real *dr) {
  for (int i = 0; i < v->n->nelement; i++) {
    const natural_element *e = &v->n->element[i];
    element_state at;
    mbd_arg_state ds;
    mbd_real f[ELEMENT_ARG_MAX][3], df[ELEMENT_ARG_MAX][3];
    if (at_rest(to, i)) { continue; }
    arg_state_zero(e->ops->narg, &at.s);
    const int bent = e->ops->phi_xc && own_moves(e, to);
    const mbd_element_direction own = bent ? element_along(e, i, to) : (mbd_element_direction){0};
    natural_element_evaluate(v, i, t, q, NULL, NULL, &at);
    for (int a = 0; a < e->ops->narg; a++) { argument_change(v, &e->arg[a], q, NULL, NULL, to, a, &ds); }
    if (!element_reaction_moved(e->ops, &at, lam + e->row, &ds, bent ? &own : NULL, f, df)) { continue; }
    for (int a = 0; a < e->ops->narg; a++) { on_argument_change(v, &e->arg[a], q, f[a], df[a], to, dr); }
  }
}

/* ---- forces and masses ---- */

static void force_change(const natural_params *v, int number, const mbd_element_input *in, const mbd_arg_state *ds,
                         const natural_along *to, mbd_real (*f)[3], mbd_real (*df)[3]) {
  const mbd_force *force = &v->n->m->force[number];
  mbd_args_zero(force->lift.narg, df);
  if (to->d && (to->d->force_active[number] || (mbd_any(to->dt != 0) && params_force_has_time(force)))) {
    const mbd_element_direction own = params_direction(to->d, force->coef, 0, to->dt);
    force->ops->f_c(in, &own, df);
  }
  element_force_moved(force->ops, force->lift.narg, in, ds, f, df);
}

void natural_forces_direction(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                              const natural_along *to, mbd_real *dQ) {
  const mbd_model *m = v->n->m;
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *force = &m->force[i];
    mbd_arg_state state, ds;
    mbd_element_input in;
    mbd_real f[ELEMENT_ARG_MAX][3], df[ELEMENT_ARG_MAX][3];
    mbd_arg arg[ELEMENT_ARG_MAX];
    if (at_rest(to, v->n->nelement + i)) { continue; }
    arg_state_zero(force->lift.narg, &state), arg_state_zero(force->lift.narg, &ds);
    for (int a = 0; a < force->lift.narg; a++) {
      arg[a] = natural_arg_of(v->n, &force->lift.arg[a]);
      natural_argument(v, &arg[a], q, qd, NULL, a, &state);
      argument_change(v, &arg[a], q, qd, NULL, to, a, &ds);
    }
    natural_force_input(v, force, t, &state, &in);
    force_change(v, i, &in, &ds, to, f, df);
    for (int a = 0; a < force->lift.narg; a++) { on_argument_change(v, &arg[a], q, f[a], df[a], to, dQ); }
  }
}

void natural_weight_direction(const natural_params *v, const natural_along *to, mbd_real *dQ) {
  const natural *n = v->n;
  if (at_rest(to, natural_moves(n) - 1)) { return; }
  for (int r = 1; r < n->nrigid && n->m->gravity >= 0 && to->d; r++) {
    for (int k = 0; k < 4; k++) {
      const int q = n->basic[natural_basis(n, r, k)].q;
      if (q < 0) { continue; }
      v3_axpy(dQ + q, to->dv->moment[r][k], v->p->theta + n->m->gravity);
      v3_axpy(dQ + q, v->moment[r][k], to->d->dtheta + n->m->gravity);
    }
  }
}

void natural_mass_direction(const natural_params *v, const natural_along *to, const mbd_real *x, mbd_real *y) {
  const mbd_model *m = v->n->m;
  if (!to->d || at_rest(to, natural_moves(v->n) - 1)) { return; }
  natural_bodies_mul_add(to->dv, x, y);
  for (int i = 0; i < m->nrotor; i++) {
    const mbd_force *force = &m->force[m->rotor[i]];
    const mbd_element_direction own = params_direction(to->d, force->coef, 0, 0);
    const int q = v->n->q_of[force->lift.arg[0].b];
    mbd_element_input in;
    if (!to->d->force_active[m->rotor[i]]) { continue; }
    params_force_input(v->p, force, 0, NULL, NULL, &in);
    y[q] += force->ops->inertia_c(&in, &own) * x[q];
  }
}

/* ---- states ---- */

void natural_local_arm(const body_state *motion, int is_point, const mbd_real local[3], mbd_real arm[3],
                       mbd_real rate[3], mbd_real second[3]) {
  m3_vec(arm, motion->A, local);
  if (is_point) {
    v3_add(arm, arm, motion->o);
    v3_sub(arm, arm, motion->r);
  }
  v3_cross(rate, motion->V + 3, arm);
  if (is_point) { v3_add(rate, rate, motion->V); }
  v3_cross(second, motion->Vd + 3, arm);
  v3_cross_add(second, motion->V + 3, rate);
  if (is_point) { v3_add(second, second, motion->Vd); }
}

/* The changes of a point or vector x = A local (+ o) that is fixed in a body, where the direction displaces the body and changes `local`
 * by `shift`: the formulas of kinematics/variation.c, for a point or vector that is not a marker of the model. */
static void local_moved(const mbd_work *w, int is_point, int body, const mbd_real local[3], const mbd_real shift[3],
                        mbd_real dx[3], mbd_real dxd[3], mbd_real dxdd[3]) {
  const body_state *motion = &w->body[body];
  const body_variation *u = &w->variation.last.body[body];
  mbd_real arm[3], rate[3], second[3], y[3], yd[3];
  natural_local_arm(motion, is_point, local, arm, rate, second);
  m3_vec(dx, motion->A, shift);
  v3_copy(y, dx);
  v3_cross(dxd, motion->V + 3, y);
  v3_copy(yd, dxd);
  v3_cross(dxdd, motion->Vd + 3, y);
  v3_cross_add(dxdd, motion->V + 3, yd);
  if (!u->active) { return; }
  v3_cross_add(dx, u->x + 3, arm);
  v3_cross_add(dxd, u->x + 3, rate), v3_cross_add(dxd, u->c + 3, arm);
  v3_cross_add(dxdd, u->x + 3, second), v3_cross_add(dxdd, u->e + 3, arm);
  v3_cross(y, u->c + 3, rate);
  v3_axpy(dxdd, 2, y);
  if (!is_point) { return; }
  v3_add(dx, dx, u->x), v3_add(dxd, dxd, u->c), v3_add(dxdd, dxdd, u->e);
}

static void place_moved(const natural_params *v, const mbd_dparams *d, const natural_params *dv, const mbd_work *w,
                        int rigid, const natural_local *l, int is_point, mbd_real *dx, mbd_real *dxd, mbd_real *dxdd) {
  mbd_real local[3], shift[3] = {0, 0, 0};
  natural_local_value(v, l, local);
  if (d) { natural_local_change(v, d, dv, l, shift); }
  local_moved(w, is_point, v->n->rigid[rigid].body, local, shift, dx, dxd, dxdd);
}

static mbd_real moved(const mbd_real *dz, int j) {
  return dz ? dz[j] : 0;
}

void natural_take_direction(const natural_params *v, const mbd_dparams *d, const natural_params *dv, const mbd_work *w,
                            mbd_real *dq, mbd_real *dqd, mbd_real *dqdd) {
  const natural *n = v->n;
  for (int i = 0; i < n->nbasic; i++) {
    const natural_basic *b = &n->basic[i];
    if (b->q < 0) { continue; }
    place_moved(v, d, dv, w, b->rigid, &b->local, b->is_point, dq + b->q, dqd + b->q, dqdd + b->q);
  }
  for (int i = 0; i < n->nadded; i++) {
    const int j = n->added[i], at = n->q_of[j];
    dq[at] = moved(w->variation.last.dz, j), dqd[at] = moved(w->variation.last.dzd, j),
    dqdd[at] = moved(w->variation.last.dzdd, j);
  }
}

int natural_bases_rows(const natural *n) {
  return 12 * (n->nrigid - 1) + n->nadded;
}

void natural_bases_direction(const natural_params *v, const mbd_dparams *d, const natural_params *dv, const mbd_work *w,
                             mbd_real *dx, mbd_real *dxd, mbd_real *dxdd) {
  const natural *n = v->n;
  const int first = 12 * (n->nrigid - 1);
  for (int i = 0; i < 4 * (n->nrigid - 1); i++) {
    const int r = 1 + i / 4, k = i % 4;
    const natural_rigid *rigid = &n->rigid[r];
    place_moved(v, d, dv, w, r, &rigid->local[rigid->basis[k]], natural_basis_is_point(n, r, k), dx + 3 * i,
                dxd + 3 * i, dxdd + 3 * i);
  }
  for (int i = 0; i < n->nadded; i++) {
    const int j = n->added[i], at = first + i;
    dx[at] = moved(w->variation.last.dz, j), dxd[at] = moved(w->variation.last.dzd, j),
    dxdd[at] = moved(w->variation.last.dzdd, j);
  }
}

void natural_bases_gather(const natural *n, const natural_params *dv, const mbd_real *q, mbd_real *x) {
  const int first = 12 * (n->nrigid - 1);
  for (int i = 0; i < 4 * (n->nrigid - 1); i++) {
    const int basic = natural_basis(n, 1 + i / 4, i % 4), at = n->basic[basic].q;
    v3_set(x + 3 * i, 0, 0, 0);
    if (at >= 0) { v3_copy(x + 3 * i, q + at); }
    if (at < 0 && dv) { v3_copy(x + 3 * i, dv->fixed[basic]); }
  }
  for (int i = 0; i < n->nadded; i++) { x[first + i] = q[n->q_of[n->added[i]]]; }
}
