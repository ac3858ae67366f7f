/* Reverse sweeps over equations and forces in natural coordinates, direct.c transposed. An argument a has the value x, the rates xd, xdd and
 * the velocity u that it would have if the rates of q were mu. From the derivatives g of L by these follow, through
 *   x = sum w h,  xd = sum w hd,  xdd = sum w hdd,  u = sum w mu_h,
 * the derivatives by points and vectors h (variables of q, or constants) and by the weights w; and for rotations, through
 *   w = 1/2 sum e*_a x ed_a,   e*_a = sum g_ab e_b,   g = Eb^-1 Eb^-T,
 * those by the directions e and by Eb^-1. A force f on the arguments has the power sum u . f = mu . Q, so that derivatives by u are
 * forces.
 * Equations: theory.md §5.1 (5.4c); the transposes of theory.md §4.1 (4.6), (4.10), (4.11). */
#include "natural/reverse.h"

#include <string.h>

#include "natural/direct.h"

/* The motion of a sweep; NULL: not used. */
typedef struct swept_state {
  const mbd_real *q, *qd, *qdd, *mu;
} swept_state;

/* ---- arguments ---- */

/* Adds s g to the derivative by a point or vector, variable or constant. */
static void to_basic(const natural *n, int basic, mbd_real s, const mbd_real g[3], const natural_reverse *to) {
  const int q = n->basic[basic].q;
  if (q >= 0) {
    v3_axpy(to->q + q, s, g);
  } else if (to->by) {
    v3_axpy(to->by->fixed[basic], s, g);
  }
}

static void to_rate(const natural *n, int basic, mbd_real s, const mbd_real g[3], mbd_real *rate) {
  if (n->basic[basic].q >= 0) { v3_axpy(rate + n->basic[basic].q, s, g); }
}

static mbd_real rate_dot(const natural *n, int basic, const mbd_real *rate, const mbd_real g[3]) {
  return rate && n->basic[basic].q >= 0 ? v3_dot(rate + n->basic[basic].q, g) : 0;
}

/* Propagates the derivatives by one side of a point or vector to those by the basis and the weights. */
static void reverse_side(const natural_params *v, int place, mbd_real sign, const swept_state *s, int a,
                         const arg_reverse *weights, const natural_reverse *to) {
  const natural *n = v->n;
  const natural_place *p = &n->place[place];
  for (int k = 0; k < (p->basic >= 0 ? 1 : 4); k++) {
    const int basic = p->basic >= 0 ? p->basic : natural_basis(n, p->rigid, k);
    const mbd_real w = sign * v->weight[place][k];
    to_basic(n, basic, w, weights->x[a], to);
    if (s->qd) { to_rate(n, basic, w, weights->xd[a], to->qd); }
    if (s->qdd) { to_rate(n, basic, w, weights->xdd[a], to->qdd); }
    if (!to->by || p->basic >= 0) { continue; }
    to->by->weight[place][k] +=
        sign * (v3_dot(natural_value(v, s->q, basic), weights->x[a]) + rate_dot(n, basic, s->qd, weights->xd[a]) +
                rate_dot(n, basic, s->qdd, weights->xdd[a]) + rate_dot(n, basic, s->mu, weights->u[a]));
  }
}

/* The rate of direction k of a rigid body at given rates of q. */
static void direction_rate(const natural *n, int r, int k, const mbd_real *rate, mbd_real ed[3]) {
  const int basic = natural_basis(n, r, 1 + k), o = n->basic[natural_basis(n, r, 0)].q;
  v3_set(ed, 0, 0, 0);
  if (n->basic[basic].q >= 0) { v3_add(ed, ed, rate + n->basic[basic].q); }
  if (n->basic[basic].is_point && o >= 0) { v3_sub(ed, ed, rate + o); }
}

/* Propagates derivatives s_a by e*_a to those by Eb^-1, through both factors of g: the derivative by g_ab is s_a .
 * e_b. */
static void reverse_dual(const natural_params *v, const mbd_real *q, int r, const mbd_real by_dual[9],
                         natural_params *by) {
  const natural *n = v->n;
  mbd_real e[9], by_g[9], both[9], part[9];
  for (int k = 0; k < 3; k++) {
    v3_copy(e + 3 * k, natural_value(v, q, natural_basis(n, r, 1 + k)));
    if (!natural_basis_is_point(n, r, 1 + k)) { continue; }
    v3_sub(e + 3 * k, e + 3 * k, natural_value(v, q, natural_basis(n, r, 0)));
  }
  m3_mulT(by_g, by_dual, e);
  for (int i = 0; i < 9; i++) { both[i] = by_g[i] + by_g[3 * (i % 3) + i / 3]; }
  m3_mul(part, both, v->dual[r]);
  for (int i = 0; i < 9; i++) { by->dual[r][i] += part[i]; }
}

/* Propagates derivatives by the angular velocity of a body, and by the angular velocity at the rates mu, times sign. */
static void reverse_rotation(const natural_params *v, int body, mbd_real sign, const swept_state *s, int a,
                             const arg_reverse *weights, const natural_reverse *to) {
  const natural *n = v->n;
  const int r = n->rigid_of[body], o = natural_basis(n, r, 0);
  mbd_real dual[3][3], by_dual[9] = {0}, by_e[9], metric[9], ed[3], turned[3];
  natural_dual(v, s->q, r, dual);
  for (int k = 0; k < 3; k++) {
    const int basic = natural_basis(n, r, 1 + k), is_point = n->basic[basic].is_point;
    /* w = 1/2 sum e*_k x ed_k (4.10): its derivatives by the rates of the directions, and by e*_k. */
    if (s->qd) { /* g . (e* x ed) = ed . (g x e*) = e* . (ed x g) */
      v3_cross(turned, weights->xd[a], dual[k]);
      to_rate(n, basic, sign / 2, turned, to->qd);
      if (is_point) { to_rate(n, o, -sign / 2, turned, to->qd); }
      direction_rate(n, r, k, s->qd, ed);
      v3_cross_add(by_dual + 3 * k, ed, weights->xd[a]);
    }
    /* The angular velocity at the rates mu: its derivatives by e*_k. */
    if (s->mu) {
      direction_rate(n, r, k, s->mu, ed);
      v3_cross_add(by_dual + 3 * k, ed, weights->u[a]);
    }
    v3_scale(by_dual + 3 * k, sign / 2, by_dual + 3 * k);
  }
  /* From e*_a = sum g_ab e_b back to the directions: the derivative by e_b is sum_a g_ab times that by e*_a. */
  m3_mulT(metric, v->dual[r], v->dual[r]);
  m3_mul(by_e, metric, by_dual);
  for (int k = 0; k < 3; k++) {
    const int basic = natural_basis(n, r, 1 + k);
    to_basic(n, basic, 1, by_e + 3 * k, to);
    if (n->basic[basic].is_point) { to_basic(n, o, -1, by_e + 3 * k, to); }
  }
  /* The part of g = Eb^-1 Eb^-T, where the coefficients change it. */
  if (to->by) { reverse_dual(v, s->q, r, by_dual, to->by); }
}

static void reverse_argument(const natural_params *v, const mbd_arg *arg, const swept_state *s, int a,
                             const arg_reverse *weights, const natural_reverse *to) {
  switch (arg->kind) {
    case MBD_ARG_POINT:
    case MBD_ARG_VECTOR:
      reverse_side(v, arg->b, 1, s, a, weights, to);
      if (arg->a >= 0) { reverse_side(v, arg->a, -1, s, a, weights, to); }
      break;
    case MBD_ARG_ROTATION:
      reverse_rotation(v, arg->b, 1, s, a, weights, to);
      if (arg->a >= 0) { reverse_rotation(v, arg->a, -1, s, a, weights, to); }
      break;
    case MBD_ARG_COORDINATE:
      to->q[arg->b] += weights->x[a][0];
      if (s->qd) { to->qd[arg->b] += weights->xd[a][0]; }
      if (s->qdd) { to->qdd[arg->b] += weights->xdd[a][0]; }
      break;
    case MBD_ARG_VALUE: break; /* of users' forces alone, which take it themselves */
  }
}

/* The velocity of an argument at the rates mu. */
static void virtual_argument(const natural_params *v, const mbd_arg *arg, const mbd_real *q, const mbd_real *mu,
                             mbd_real u[3]) {
  mbd_arg_state state;
  natural_argument(v, arg, q, mu, NULL, 0, &state);
  v3_copy(u, state.xd[0]);
}

/* ---- equations ---- */

/* The direction of the element's constant, the only coefficient of an element that is not a constraint of the model. */
static mbd_element_direction own_direction(void) {
  static const mbd_real one = 1;
  return (mbd_element_direction){.down = &one};
}

static void own_rows(const natural_element *e, int i, const mbd_element_input *in, const mbd_real *const nu[3],
                     natural_params *by) {
  const mbd_element_direction own = own_direction();
  mbd_real d[3][MBD_ROW_MAX] = {{0}};
  if (e->ops->nown == 0 || !e->ops->phi_c) { return; }
  e->ops->phi_c(in, &own, d[0], d[1], d[2]);
  for (int k = 0; k < 3; k++) {
    for (int r = 0; nu[k] && r < e->ops->nphi; r++) { by->constants[i] += nu[k][r] * d[k][r]; }
  }
}

void natural_rows_reverse(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                          const mbd_real *qdd, const mbd_real *nu, const mbd_real *nud, const mbd_real *nudd,
                          const natural_reverse *to) {
  const swept_state state = {.q = q, .qd = qd, .qdd = qdd};
  for (int i = 0; i < v->n->nelement; i++) {
    const natural_element *e = &v->n->element[i];
    const mbd_real *const rows[3] = {nu ? nu + e->row : NULL, nud ? nud + e->row : NULL, nudd ? nudd + e->row : NULL};
    element_state at;
    arg_reverse weights;
    arg_state_zero(e->ops->narg, &at.s), arg_reverse_zero(e->ops->narg, &weights);
    natural_element_evaluate(v, i, t, q, qd, qdd, &at);
    element_rows_reverse(e->ops, &at, rows[0], rows[1], rows[2], weights.x, weights.xd, weights.xdd);
    for (int a = 0; a < e->ops->narg; a++) { reverse_argument(v, &e->arg[a], &state, a, &weights, to); }
    if (to->theta && e->given) {
      params_reverse_constraint(to->theta, v->p, e->given, &at.in, rows[0], rows[1], rows[2]);
    }
    if (to->theta && !e->given) { own_rows(e, i, &at.in, rows, to->by); }
  }
}

/* x[b] += sum_a H_ab' u_a */
static void add_blocks(int n, const mbd_real (*H)[ELEMENT_ARG_MAX][9], const mbd_real (*u)[3], mbd_real (*x)[3]) {
  mbd_real y[3];
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      m3_Tvec(y, H[a][b], u[a]);
      v3_add(x[b], x[b], y);
    }
  }
}

void natural_reactions_reverse(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *lam,
                               const mbd_real *mu, const natural_reverse *to) {
  const swept_state state = {.q = q, .mu = mu};
  for (int i = 0; i < v->n->nelement; i++) {
    const natural_element *e = &v->n->element[i];
    element_state at;
    arg_reverse weights;
    mbd_real u[ELEMENT_ARG_MAX][3], H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
    arg_state_zero(e->ops->narg, &at.s), arg_reverse_zero(e->ops->narg, &weights);
    natural_element_evaluate(v, i, t, q, NULL, NULL, &at);
    element_first(e->ops, &at);
    if (!element_reaction(e->ops, &at, lam + e->row, weights.u)) { continue; }
    for (int a = 0; a < e->ops->narg; a++) { virtual_argument(v, &e->arg[a], q, mu, u[a]); }
    if (element_second(e->ops, &at, lam + e->row, H)) {
      element_second_T_times(CONSTH(H), e->ops->narg, CONST3(u), weights.x);
    }
    for (int a = 0; a < e->ops->narg; a++) { reverse_argument(v, &e->arg[a], &state, a, &weights, to); }
    if (to->theta && e->given) { params_reverse_reaction(to->theta, v->p, e->given, &at.in, lam + e->row, CONST3(u)); }
  }
}

/* ---- forces and masses ---- */

void natural_forces_reverse(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                            const mbd_real *mu, const natural_reverse *to) {
  const mbd_model *m = v->n->m;
  const swept_state state = {.q = q, .qd = qd, .mu = mu};
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *force = &m->force[i];
    const int n = force->lift.narg;
    mbd_arg_state at;
    arg_reverse weights;
    mbd_element_input in;
    mbd_real u[ELEMENT_ARG_MAX][3], K[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], D[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
    mbd_arg arg[ELEMENT_ARG_MAX];
    arg_state_zero(n, &at), arg_reverse_zero(n, &weights);
    /* The power sum u . f of the force in the virtual motion mu is mu . Q. */
    for (int a = 0; a < n; a++) {
      arg[a] = natural_arg_of(v->n, &force->lift.arg[a]);
      natural_argument(v, &arg[a], q, qd, NULL, a, &at);
      virtual_argument(v, &arg[a], q, mu, u[a]);
    }
    natural_force_input(v, force, t, &at, &in);
    /* Derivatives of u . f: f by u, K' u by x, D' u by xd. */
    mbd_blocks_zero(n, K), mbd_blocks_zero(n, D);
    force->ops->f_x(&in, weights.u, K, D);
    add_blocks(n, CONSTH(K), CONST3(u), weights.x);
    add_blocks(n, CONSTH(D), CONST3(u), weights.xd);
    for (int a = 0; a < n; a++) { reverse_argument(v, &arg[a], &state, a, &weights, to); }
    if (to->theta) { params_reverse_force(to->theta, v->p, force, &in, CONST3(u)); }
  }
}

void natural_weight_reverse(const natural_params *v, const mbd_real *mu, const natural_reverse *to) {
  const natural *n = v->n;
  for (int r = 1; r < n->nrigid && n->m->gravity >= 0 && to->theta; r++) {
    for (int k = 0; k < 4; k++) {
      const int q = n->basic[natural_basis(n, r, k)].q;
      if (q < 0) { continue; }
      to->by->moment[r][k] += v3_dot(mu + q, v->p->theta + n->m->gravity);
      v3_axpy(to->theta->theta + n->m->gravity, v->moment[r][k], mu + q);
    }
  }
}

void natural_mass_reverse(const natural_params *v, const mbd_real *mu, const mbd_real *x, const natural_reverse *to) {
  const natural *n = v->n;
  if (!to->theta) { return; }
  for (int r = 1; r < n->nrigid; r++) {
    for (int i = 0; i < 16; i++) {
      const int row = n->basic[natural_basis(n, r, i / 4)].q, col = n->basic[natural_basis(n, r, i % 4)].q;
      if (row >= 0 && col >= 0) { to->by->mass[r][i] += v3_dot(mu + row, x + col); }
    }
  }
  for (int i = 0; i < n->m->nrotor; i++) {
    const mbd_force *f = &n->m->force[n->m->rotor[i]];
    const int q = n->q_of[f->lift.arg[0].b];
    mbd_element_input in;
    params_force_input(v->p, f, 0, NULL, NULL, &in);
    params_reverse_rotor(to->theta, v->p, f, &in, mu[q] * x[q]);
  }
}

/* ---- states ---- */

/* The transpose of local_moved of direct.c: from the derivatives by a point or vector of a body and its rates, adds to the sweep of the
 * body and, by its place in the body, to `shift`. */
static void local_reversed(mbd_reverse *sweep, int is_point, int body, const mbd_real local[3], const mbd_real x[3],
                           const mbd_real xd[3], const mbd_real xdd[3], mbd_real shift[3]) {
  const body_state *motion = &sweep->w->body[body];
  body_reverse *reverse = &sweep->body[body];
  mbd_real arm[3], rate[3], second[3], y[3], turned[3];
  natural_local_arm(motion, is_point, local, arm, rate, second);
  v3_cross_add(reverse->X + 3, arm, x), v3_cross_add(reverse->X + 3, rate, xd),
      v3_cross_add(reverse->X + 3, second, xdd);
  v3_cross_add(reverse->C + 3, arm, xd), v3_cross_add(reverse->C + 3, rate, xdd),
      v3_cross_add(reverse->C + 3, rate, xdd);
  v3_cross_add(reverse->E + 3, arm, xdd);
  if (is_point) {
    v3_add(reverse->X, reverse->X, x), v3_add(reverse->C, reverse->C, xd), v3_add(reverse->E, reverse->E, xdd);
  }
  sweep->moving = 1;
  v3_copy(y, x);
  v3_cross_add(y, xd, motion->V + 3), v3_cross_add(y, xdd, motion->Vd + 3);
  v3_cross(turned, xdd, motion->V + 3);
  v3_cross_add(y, turned, motion->V + 3);
  m3_Tvec(shift, motion->A, y);
}

static void place_reversed(const natural_params *v, int rigid, const natural_local *l, int is_point,
                           const mbd_real x[3], const mbd_real xd[3], const mbd_real xdd[3], mbd_reverse *sweep,
                           natural_params *by) {
  mbd_real local[3], shift[3];
  natural_local_value(v, l, local);
  local_reversed(sweep, is_point, v->n->rigid[rigid].body, local, x, xd, xdd, shift);
  if (sweep->theta && by) { natural_local_reverse(v, l, shift, by, sweep->theta); }
}

static void coordinate_reversed(mbd_reverse *sweep, int j, mbd_real x, mbd_real xd, mbd_real xdd) {
  sweep->z[j] += x, sweep->zd[j] += xd, sweep->zdd[j] += xdd;
}

void natural_take_reverse(const natural_params *v, const mbd_real *x, const mbd_real *xd, const mbd_real *xdd,
                          mbd_reverse *sweep, natural_params *by) {
  const natural *n = v->n;
  for (int i = 0; i < n->nbasic; i++) {
    const natural_basic *b = &n->basic[i];
    if (b->q < 0) { continue; }
    place_reversed(v, b->rigid, &b->local, b->is_point, x + b->q, xd + b->q, xdd + b->q, sweep, by);
  }
  for (int i = 0; i < n->nadded; i++) {
    const int j = n->added[i], at = n->q_of[j];
    coordinate_reversed(sweep, j, x[at], xd[at], xdd[at]);
  }
}

void natural_bases_reverse(const natural_params *v, const mbd_real *x, const mbd_real *xd, const mbd_real *xdd,
                           mbd_reverse *sweep, natural_params *by) {
  const natural *n = v->n;
  const int first = 12 * (n->nrigid - 1);
  for (int i = 0; i < 4 * (n->nrigid - 1); i++) {
    const int r = 1 + i / 4, k = i % 4;
    const natural_rigid *rigid = &n->rigid[r];
    place_reversed(v, r, &rigid->local[rigid->basis[k]], natural_basis_is_point(n, r, k), x + 3 * i, xd + 3 * i,
                   xdd + 3 * i, sweep, by);
  }
  for (int i = 0; i < n->nadded; i++) {
    coordinate_reversed(sweep, n->added[i], x[first + i], xd[first + i], xdd[first + i]);
  }
}

void natural_bases_scatter(const natural *n, const mbd_real *x, natural_params *by, mbd_real *q) {
  const int first = 12 * (n->nrigid - 1);
  for (int i = 0; i < 4 * (n->nrigid - 1); i++) {
    const int basic = natural_basis(n, 1 + i / 4, i % 4), at = n->basic[basic].q;
    if (at >= 0) { v3_axpy(q + at, 1, x + 3 * i); }
    if (at < 0 && by) { v3_axpy(by->fixed[basic], 1, x + 3 * i); }
  }
  for (int i = 0; i < n->nadded; i++) { q[n->q_of[n->added[i]]] += x[first + i]; }
}
