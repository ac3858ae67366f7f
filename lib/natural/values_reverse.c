/* Propagates derivatives by the constants of the natural model to the coefficients: values_direct.c transposed, in
 * reverse order.
 * Equations: theory.md §4.1 (4.6), (4.8), transposed; theory.md §5.1 (5.4c). */
#include <string.h>

#include "model/derived.h"
#include "natural/reverse.h"

void natural_params_clear(natural_params *by) {
  memset(by->arena.base, 0, by->arena.used);
}

/* ---- places in bodies ---- */

static void reverse_offsets(const natural_params *v, natural_params *by, params_reverse *u) {
  const mbd_model *m = v->n->m;
  for (int i = m->nb - 1; i > 0; i--) {
    const mbd_body *body = &m->body[i];
    const mbd_real *g = by->offset + 3 * i;
    joint_reverse *joint = &u->joint[body->joint];
    mbd_real *parent = by->offset + 3 * body->parent;
    if (v->n->rigid[v->n->rigid_of[i]].body == i) { continue; }
    v3_add(joint->ds[0], joint->ds[0], g);
    v3_sub(joint->ds[1], joint->ds[1], g);
    v3_add(parent, parent, g);
  }
}

/* "e" and "f" of a side, F e with e along (c, s) of Q: g . (phi~ F e) = phi . (F e x g), and likewise of dQ. */
static void across_reverse(const natural_params *v, const natural_local *l, const mbd_real g[3], params_reverse *u) {
  const joint_params *values = &v->p->joint[l->marker.joint];
  joint_reverse *joint = &u->joint[l->marker.joint];
  const int side = l->marker.side;
  const mbd_real c = side ? values->Q[6] : values->Q[2], s = side ? values->Q[7] : values->Q[5],
                 length = mbd_sqrt(c * c + s * s);
  mbd_real x[3], local[3];
  natural_local_value(v, l, x);
  v3_cross_add(joint->phi[side], x, g);
  /* by e; f is e turned by a quarter turn */
  m3_Tvec(local, values->F[side], g);
  const mbd_real turn = side ? -1 : 1;
  const mbd_real e[2] = {l->across == 1 ? local[0] : turn * local[1], l->across == 1 ? local[1] : -turn * local[0]};
  /* by c and s */
  const mbd_real along = (e[0] * c + e[1] * s) / (length * length);
  const mbd_real by[3] = {(e[0] - along * c) / length, (e[1] - along * s) / length, 0};
  if (side) {
    joint->phi_mid[0] += by[0] * values->Q[3] + by[1] * values->Q[4];
    joint->phi_mid[1] -= by[0] * values->Q[0] + by[1] * values->Q[1];
    return;
  }
  const mbd_real column[3] = {values->Q[2], values->Q[5], values->Q[8]};
  v3_cross_add(joint->phi_mid, column, by);
}

void natural_local_reverse(const natural_params *v, const natural_local *l, const mbd_real g[3], natural_params *by,
                           params_reverse *u) {
  mbd_real scaled[3];
  if (l->across) {
    across_reverse(v, l, g, u);
    return;
  }
  v3_scale(scaled, l->sign, g);
  derived_marker_reverse(v->p, &l->marker, scaled, u);
  if (l->marker.is_point) { v3_axpy(by->offset + 3 * l->marker.body, 1, g); }
}

/* L += s g . (local coordinates of number k of the basis) */
static void basis_reverse(const natural_params *v, int r, int k, mbd_real s, const mbd_real g[3], natural_params *by,
                          params_reverse *u) {
  const natural_rigid *rigid = &v->n->rigid[r];
  mbd_real scaled[3];
  v3_scale(scaled, s, g);
  natural_local_reverse(v, &rigid->local[rigid->basis[k]], scaled, by, u);
}

/* dD = -D dE D of D = Eb^-1 with the derivatives B:  -(B D') . (D dE),  column k of dE is the change of direction k. */
static void dual_reverse(const natural_params *v, int r, natural_params *by, params_reverse *u) {
  mbd_real W[9], g[3];
  m3_mulT(W, by->dual[r], v->dual[r]);
  for (int k = 0; k < 3; k++) {
    v3_set(g, 0, 0, 0);
    for (int a = 0; a < 3; a++) { v3_axpy(g, -W[3 * a + k], v->dual[r] + 3 * a); }
    basis_reverse(v, r, 1 + k, 1, g, by, u);
    if (natural_basis_is_point(v->n, r, 1 + k)) { basis_reverse(v, r, 0, -1, g, by, u); }
  }
}

/* From the derivatives w by the weights of a place with the local coordinates x to those gx by these. */
static void weights_reverse(const natural_params *v, int r, const mbd_real x[3], int is_point, const mbd_real w[4],
                            natural_params *by, params_reverse *u, mbd_real gx[3]) {
  mbd_real from[3], o[3], c[3];
  for (int k = 0; k < 3; k++) { c[k] = w[1 + k] - (natural_basis_is_point(v->n, r, 1 + k) ? w[0] : 0); }
  v3_copy(from, x);
  if (is_point) {
    natural_basis_value(v, r, 0, o);
    v3_sub(from, from, o);
  }
  for (int k = 0; k < 3; k++) { v3_axpy(by->dual[r] + 3 * k, c[k], from); }
  m3_Tvec(gx, v->dual[r], c);
  if (is_point) { basis_reverse(v, r, 0, -1, gx, by, u); }
}

static void place_reverse(const natural_params *v, int i, natural_params *by, params_reverse *u) {
  const natural_place *place = &v->n->place[i];
  mbd_real x[3], g[3];
  if (place->basic >= 0) { return; }
  natural_local_value(v, &place->local, x);
  weights_reverse(v, place->rigid, x, place->local.marker.is_point, by->weight[i], by, u, g);
  natural_local_reverse(v, &place->local, g, by, u);
}

/* ---- masses ---- */

/* The sums of the masses of a rigid body about o, or the derivatives by them. */
typedef struct sums {
  mbd_real m, h[3], S[9];
} sums;

/* The contribution of a body about o: the place x of its centre of mass, and its parts of the sums. */
static void add_body(const natural_params *v, int body, const mbd_real o[3], mbd_real x[3], sums *all) {
  const mbd_body *of = &v->n->m->body[body];
  const mbd_real m = v->p->theta[of->mass], *J = v->p->theta + of->inertia, half = (J[0] + J[1] + J[2]) / 2;
  const mbd_real spread[9] = {half - J[0], -J[3], -J[4], -J[3], half - J[1], -J[5], -J[4], -J[5], half - J[2]};
  v3_add(x, v->p->theta + of->com, v->offset + 3 * body);
  v3_sub(x, x, o);
  all->m += m;
  v3_axpy(all->h, m, x);
  for (int i = 0; i < 9; i++) { all->S[i] += spread[i] + m * x[i / 3] * x[i % 3]; }
}

/* From the derivatives by the sums to those by the numbers of one body. */
static void body_reversed(const natural_params *v, int r, int body, const sums *all, natural_params *by,
                          params_reverse *u) {
  const mbd_body *of = &v->n->m->body[body];
  const mbd_real m = v->p->theta[of->mass], *S = all->S, half = (S[0] + S[4] + S[8]) / 2;
  mbd_real o[3], x[3], left[3], right[3], gx[3], *J = u->theta + of->inertia;
  sums none = {0};
  natural_basis_value(v, r, 0, o);
  add_body(v, body, o, x, &none);
  m3_vec(left, S, x), m3_Tvec(right, S, x);
  u->theta[of->mass] += all->m + v3_dot(all->h, x) + v3_dot(left, x);
  for (int i = 0; i < 3; i++) {
    J[i] += half - S[4 * i];
    gx[i] = m * (all->h[i] + left[i] + right[i]);
  }
  J[3] -= S[1] + S[3], J[4] -= S[2] + S[6], J[5] -= S[5] + S[7];
  v3_axpy(u->theta + of->com, 1, gx);
  v3_axpy(by->offset + 3 * body, 1, gx);
  basis_reverse(v, r, 0, -1, gx, by, u);
}

/* natural_assemble_mass transposed: from the derivatives by the mass matrix and the first moments to those by m, c, G. */
static void assembled_reverse(const natural_params *v, int r, const natural_params *by, mbd_real *m, mbd_real c[3],
                              mbd_real G[9]) {
  mbd_real M[16], moment[4];
  memcpy(M, by->mass[r], sizeof M), memcpy(moment, by->moment[r], sizeof moment);
  for (int a = 1; a < 4; a++) {
    for (int k = 0; k < 4 && natural_basis_is_point(v->n, r, a); k++) { M[4 * k + a] -= M[4 * k]; }
  }
  for (int a = 1; a < 4; a++) {
    if (!natural_basis_is_point(v->n, r, a)) { continue; }
    moment[a] -= moment[0];
    for (int k = 0; k < 4; k++) { M[4 * a + k] -= M[k]; }
  }
  *m = moment[0] + M[0];
  for (int a = 0; a < 3; a++) {
    c[a] = moment[1 + a] + M[1 + a] + M[4 * (1 + a)];
    for (int b = 0; b < 3; b++) { G[3 * a + b] = M[4 * (1 + a) + 1 + b]; }
  }
}

/* c = D h, G = D S D' with D = Eb^-1. */
static void mass_reverse(const natural_params *v, int r, natural_params *by, params_reverse *u) {
  const natural *n = v->n;
  const mbd_real *D = v->dual[r];
  sums all = {0}, g = {0};
  mbd_real o[3], x[3], c[3], G[9], both[9], DS[9], part[9];
  natural_basis_value(v, r, 0, o);
  for (int i = n->rigid[r].body; i < n->m->nb; i++) {
    if (n->rigid_of[i] == r) { add_body(v, i, o, x, &all); }
  }
  assembled_reverse(v, r, by, &g.m, c, G);
  /* by D: c h' + (G + G') D S */
  for (int i = 0; i < 9; i++) { both[i] = G[i] + G[3 * (i % 3) + i / 3]; }
  m3_mul(DS, D, all.S);
  m3_mul(part, both, DS);
  for (int i = 0; i < 9; i++) { by->dual[r][i] += part[i] + c[i / 3] * all.h[i % 3]; }
  /* by h and S: D' c, D' G D */
  m3_Tvec(g.h, D, c);
  m3_Tmul(part, D, G);
  m3_mul(g.S, part, D);
  for (int i = n->rigid[r].body; i < n->m->nb; i++) {
    if (n->rigid_of[i] == r) { body_reversed(v, r, i, &g, by, u); }
  }
}

/* ---- all of them ---- */

/* L += s g . (argument, the difference of two places or a single one) */
static void between_reverse(const natural_params *v, const mbd_arg *arg, mbd_real s, const mbd_real g[3],
                            natural_params *by, params_reverse *u) {
  mbd_real scaled[3];
  v3_scale(scaled, s, g);
  natural_local_reverse(v, &v->n->place[arg->b].local, scaled, by, u);
  if (arg->a < 0) { return; }
  v3_scale(scaled, -s, g);
  natural_local_reverse(v, &v->n->place[arg->a].local, scaled, by, u);
}

/* Propagates derivatives by the constant of an equation (of a joint Q_zz, of a rigid body a product of two arguments)
 * to the coefficients. */
static void own_reverse(const natural_params *v, int i, natural_params *by, params_reverse *u) {
  const natural_element *e = &v->n->element[i];
  const mbd_real g = by->constants[i];
  mbd_real x[2][3];
  if (e->given || e->ops->nown == 0) { return; }
  if (e->joint >= 0) {
    const mbd_real *Q = v->p->joint[e->joint].Q;
    u->joint[e->joint].phi_mid[0] += g * Q[5];
    u->joint[e->joint].phi_mid[1] -= g * Q[2];
    return;
  }
  natural_own_arguments(v, e, x);
  between_reverse(v, &e->arg[0], g, x[1], by, u);
  between_reverse(v, &e->arg[1], g, x[0], by, u);
}

void natural_params_reverse(const natural_params *v, natural_params *by, params_reverse *u) {
  const natural *n = v->n;
  const mbd_real zero[3] = {0, 0, 0};
  mbd_real none[3];
  for (int i = 0; i < n->nelement; i++) { own_reverse(v, i, by, u); }
  for (int i = 0; i < n->nplace; i++) { place_reverse(v, i, by, u); }
  for (int i = 0; i < n->nbasic; i++) { natural_local_reverse(v, &n->basic[i].local, by->fixed[i], by, u); }
  for (int r = 0; r < n->nrigid; r++) {
    if (r > 0) { mass_reverse(v, r, by, u); }
    weights_reverse(v, r, zero, 1, by->origin[r], by, u, none);
    dual_reverse(v, r, by, u);
  }
  reverse_offsets(v, by, u);
}
