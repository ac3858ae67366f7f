/* Changes of the constants of the natural model along a direction of the coefficients: values.c differentiated.
 * Equations: theory.md §4.1 (4.6), (4.8), differentiated; theory.md §5.1 (5.4b). */
#include <string.h>

#include "model/derived.h"
#include "natural/direct.h"

/* ---- places in bodies ---- */

static void change_offsets(const natural_params *v, const mbd_dparams *d, natural_params *dv) {
  const mbd_model *m = v->n->m;
  for (int i = 1; i < m->nb; i++) {
    const mbd_body *body = &m->body[i];
    mbd_real *offset = dv->offset + 3 * i;
    v3_set(offset, 0, 0, 0);
    if (v->n->rigid[v->n->rigid_of[i]].body == i) { continue; }
    v3_sub(offset, d->joint[body->joint].ds[0], d->joint[body->joint].ds[1]);
    v3_add(offset, offset, dv->offset + 3 * body->parent);
  }
}

/* "e" and "f" of a side: F e with e along (c, s) of Q; dF = phi~ F, dQ = phi_mid~ Q. */
static void across_change(const natural_params *v, const mbd_dparams *d, const natural_local *l, const mbd_real x[3],
                          mbd_real dx[3]) {
  const joint_params *joint = &v->p->joint[l->marker.joint];
  const joint_dparams *dq = &d->joint[l->marker.joint];
  const int side = l->marker.side;
  mbd_real column[3], dQ[3], c, s, dc, ds;
  v3_set(column, joint->Q[2], joint->Q[5], joint->Q[8]);
  v3_cross(dQ, dq->phi_mid, column);
  c = joint->Q[2], s = joint->Q[5], dc = dQ[0], ds = dQ[1];
  if (side) { /* the third row of Q instead of its third column */
    c = joint->Q[6], s = joint->Q[7];
    dc = dq->phi_mid[0] * joint->Q[3] - dq->phi_mid[1] * joint->Q[0];
    ds = dq->phi_mid[0] * joint->Q[4] - dq->phi_mid[1] * joint->Q[1];
  }
  const mbd_real length = mbd_sqrt(c * c + s * s), along = (c * dc + s * ds) / (length * length);
  const mbd_real e[3] = {dc / length - c / length * along, ds / length - s / length * along, 0};
  const mbd_real turn = side ? -1 : 1, f[3] = {-turn * e[1], turn * e[0], 0};
  v3_cross(dx, dq->phi[side], x);
  m3_vec_add(dx, joint->F[side], l->across == 1 ? e : f);
}

void natural_local_change(const natural_params *v, const mbd_dparams *d, const natural_params *dv,
                          const natural_local *l, mbd_real dx[3]) {
  mbd_real x[3];
  if (l->across) {
    natural_local_value(v, l, x);
    across_change(v, d, l, x, dx);
    return;
  }
  derived_marker(v->p, &l->marker, x);
  derived_marker_change(v->p, d, &l->marker, x, dx);
  v3_scale(dx, l->sign, dx);
  if (l->marker.is_point) { v3_add(dx, dx, dv->offset + 3 * l->marker.body); }
}

static void basis_change(const natural_params *v, const mbd_dparams *d, const natural_params *dv, int r, int k,
                         mbd_real dx[3]) {
  const natural_rigid *rigid = &v->n->rigid[r];
  natural_local_change(v, d, dv, &rigid->local[rigid->basis[k]], dx);
}

/* d(Eb^-1) = -Eb^-1 dEb Eb^-1 */
static void change_dual(const natural_params *v, const mbd_dparams *d, natural_params *dv, int r) {
  mbd_real o[3], de[3], turned[9];
  basis_change(v, d, dv, r, 0, o);
  for (int k = 0; k < 3; k++) {
    basis_change(v, d, dv, r, 1 + k, de);
    if (natural_basis_is_point(v->n, r, 1 + k)) { v3_sub(de, de, o); }
    for (int a = 0; a < 3; a++) { turned[3 * a + k] = -v3_dot(v->dual[r] + 3 * a, de); }
  }
  m3_mul(dv->dual[r], turned, v->dual[r]);
}

/* dw of the weights of the local coordinates x that change by dx. */
static void weights_change(const natural_params *v, const mbd_dparams *d, const natural_params *dv, int r,
                           const mbd_real x[3], const mbd_real dx[3], int is_point, mbd_real dw[4]) {
  mbd_real o[3], from[3], change[3];
  v3_copy(from, x), v3_copy(change, dx);
  if (is_point) {
    natural_basis_value(v, r, 0, o);
    v3_sub(from, from, o);
    basis_change(v, d, dv, r, 0, o);
    v3_sub(change, change, o);
  }
  m3_vec(dw + 1, dv->dual[r], from);
  m3_vec_add(dw + 1, v->dual[r], change);
  dw[0] = 0;
  for (int k = 1; k < 4; k++) { dw[0] -= natural_basis_is_point(v->n, r, k) ? dw[k] : 0; }
}

static void change_place(const natural_params *v, const mbd_dparams *d, natural_params *dv, int i) {
  const natural_place *place = &v->n->place[i];
  mbd_real x[3], dx[3];
  memset(dv->weight[i], 0, sizeof dv->weight[i]);
  if (place->basic >= 0) { return; }
  natural_local_value(v, &place->local, x);
  natural_local_change(v, d, dv, &place->local, dx);
  weights_change(v, d, dv, place->rigid, x, dx, place->local.marker.is_point, dv->weight[i]);
}

/* ---- masses ---- */

typedef struct sums {
  mbd_real m, h[3], S[9];
} sums;

/* 1 tr(J)/2 - J */
static void spread(const mbd_real *J, mbd_real out[9]) {
  const mbd_real half = (J[0] + J[1] + J[2]) / 2;
  const mbd_real S[9] = {half - J[0], -J[3], -J[4], -J[3], half - J[1], -J[5], -J[4], -J[5], half - J[2]};
  memcpy(out, S, sizeof S);
}

/* Adds a body to the sums about o, and to their changes. */
static void add_body(const natural_params *v, const mbd_dparams *d, const natural_params *dv, int body,
                     const mbd_real o[3], const mbd_real no[3], sums *all, sums *change) {
  const mbd_body *of = &v->n->m->body[body];
  const mbd_real m = v->p->theta[of->mass], dm = d->dtheta[of->mass];
  mbd_real x[3], dx[3], S[9], dS[9];
  v3_add(x, v->p->theta + of->com, v->offset + 3 * body);
  v3_sub(x, x, o);
  v3_add(dx, d->dtheta + of->com, dv->offset + 3 * body);
  v3_sub(dx, dx, no);
  spread(v->p->theta + of->inertia, S), spread(d->dtheta + of->inertia, dS);
  all->m += m, change->m += dm;
  v3_axpy(all->h, m, x);
  v3_axpy(change->h, dm, x), v3_axpy(change->h, m, dx);
  for (int i = 0; i < 9; i++) {
    const int a = i / 3, b = i % 3;
    all->S[i] += S[i] + m * x[a] * x[b];
    change->S[i] += dS[i] + dm * x[a] * x[b] + m * (dx[a] * x[b] + x[a] * dx[b]);
  }
}

static void change_mass(const natural_params *v, const mbd_dparams *d, natural_params *dv, int r) {
  const natural *n = v->n;
  sums all = {0}, change = {0};
  mbd_real o[3], no[3], c[3], A[9], B[9], G[9];
  natural_basis_value(v, r, 0, o);
  basis_change(v, d, dv, r, 0, no);
  for (int i = n->rigid[r].body; i < n->m->nb; i++) {
    if (n->rigid_of[i] == r) { add_body(v, d, dv, i, o, no, &all, &change); }
  }
  m3_vec(c, dv->dual[r], all.h);
  m3_vec_add(c, v->dual[r], change.h);
  m3_mul(A, dv->dual[r], all.S); /* dE S E' and its transpose, E dS E' */
  m3_mulT(B, A, v->dual[r]);
  m3_mul(A, v->dual[r], change.S);
  m3_mulT(G, A, v->dual[r]);
  for (int i = 0; i < 9; i++) { G[i] += B[i] + B[3 * (i % 3) + i / 3]; }
  natural_assemble_mass(n, r, change.m, c, G, dv->mass[r], dv->moment[r]);
}

/* ---- all of them ---- */

/* The change of the constant of an equation: of a joint Q_zz, of a rigid body a product of two arguments. */
static void change_own(const natural_params *v, const mbd_dparams *d, natural_params *dv, int i) {
  const natural_element *e = &v->n->element[i];
  mbd_real x[2][3], dx[2][3], o[3];
  dv->constants[i] = 0;
  if (e->given || e->ops->nown == 0) { return; }
  if (e->joint >= 0) {
    const mbd_real *Q = v->p->joint[e->joint].Q, *mid = d->joint[e->joint].phi_mid;
    dv->constants[i] = mid[0] * Q[5] - mid[1] * Q[2];
    return;
  }
  natural_own_arguments(v, e, x);
  for (int a = 0; a < 2; a++) {
    natural_local_change(v, d, dv, &v->n->place[e->arg[a].b].local, dx[a]);
    if (e->arg[a].a < 0) { continue; }
    natural_local_change(v, d, dv, &v->n->place[e->arg[a].a].local, o);
    v3_sub(dx[a], dx[a], o);
  }
  dv->constants[i] = v3_dot(dx[0], x[1]) + v3_dot(x[0], dx[1]);
}

void natural_params_direct(const natural_params *v, const mbd_dparams *d, natural_params *dv) {
  const natural *n = v->n;
  const mbd_real zero[3] = {0, 0, 0};
  change_offsets(v, d, dv);
  for (int r = 0; r < n->nrigid; r++) {
    change_dual(v, d, dv, r);
    weights_change(v, d, dv, r, zero, zero, 1, dv->origin[r]);
    if (r > 0) { change_mass(v, d, dv, r); }
  }
  for (int i = 0; i < n->nbasic; i++) { natural_local_change(v, d, dv, &n->basic[i].local, dv->fixed[i]); }
  for (int i = 0; i < n->nplace; i++) { change_place(v, d, dv, i); }
  for (int i = 0; i < n->nelement; i++) { change_own(v, d, dv, i); }
}
