/* States in natural coordinates and motions of bodies, one from the other (theory.md §4.1 (4.9), (4.10)). */
#include "natural/natural.h"

/* A point or vector of a rigid body, in global axes, and its rates. */
static void take_basic(const natural_params *v, const mbd_work *w, const natural_basic *b, mbd_real *x, mbd_real *xd,
                       mbd_real *xdd) {
  const body_state *s = &w->body[v->n->rigid[b->rigid].body];
  mbd_real local[3], arm[3];
  natural_local_value(v, &b->local, local);
  m3_vec(x, s->A, local);
  v3_copy(arm, x);
  if (b->is_point) {
    v3_add(x, x, s->o);
    v3_sub(arm, x, s->r);
  }
  if (!xd) { return; }
  v3_cross(xd, s->V + 3, arm);
  if (b->is_point) { v3_add(xd, xd, s->V); }
  if (!xdd) { return; }
  v3_cross(xdd, s->Vd + 3, arm);
  v3_cross_add(xdd, s->V + 3, xd);
  if (b->is_point) { /* gravity is added back, which Vd contains with a minus sign if it was on */
    v3_add(xdd, xdd, s->Vd);
    v3_add(xdd, xdd, w->gravity.g);
  }
}

void natural_take(const natural_params *v, const mbd_work *w, mbd_real *q, mbd_real *qd, mbd_real *qdd) {
  const natural *n = v->n;
  assert(w->stage >= (qd ? WORK_MOVED : WORK_PLACED));
  for (int i = 0; i < n->nbasic; i++) {
    const natural_basic *b = &n->basic[i];
    if (b->q >= 0) { take_basic(v, w, b, q + b->q, qd ? qd + b->q : NULL, qdd ? qdd + b->q : NULL); }
  }
  for (int i = 0; i < n->nadded; i++) {
    const int j = n->added[i];
    q[n->q_of[j]] = w->z[j];
    if (qd) { qd[n->q_of[j]] = w->zd[j]; }
    if (qdd) { qdd[n->q_of[j]] = w->zdd[j]; }
  }
}

/* The directions of the basis at q, as rows. */
static void directions(const natural_params *v, const mbd_real *q, int r, mbd_real e[3][3]) {
  const mbd_real *o = natural_value(v, q, natural_basis(v->n, r, 0));
  for (int k = 0; k < 3; k++) {
    const int basic = natural_basis(v->n, r, 1 + k);
    v3_copy(e[k], natural_value(v, q, basic));
    if (v->n->basic[basic].is_point) { v3_sub(e[k], e[k], o); }
  }
}

void natural_dual(const natural_params *v, const mbd_real *q, int r, mbd_real dual[3][3]) {
  mbd_real e[3][3], g[9];
  directions(v, q, r, e);
  m3_mulT(g, v->dual[r], v->dual[r]);
  m3_mul(&dual[0][0], g, &e[0][0]);
}

/* Their rates; those of constant points and vectors are zero. */
static void direction_rates(const natural_params *v, const mbd_real *qd, int r, mbd_real ed[3][3]) {
  const int o = v->n->basic[natural_basis(v->n, r, 0)].q;
  for (int k = 0; k < 3; k++) {
    const natural_basic *b = &v->n->basic[natural_basis(v->n, r, 1 + k)];
    v3_set(ed[k], 0, 0, 0);
    if (b->q >= 0) { v3_add(ed[k], ed[k], qd + b->q); }
    if (b->is_point && o >= 0) { v3_sub(ed[k], ed[k], qd + o); }
  }
}

/* out := the origin of the rigid body's frame, of values x of the basis */
static void origin_of(const natural_params *v, int r, const mbd_real *const x[4], mbd_real out[3]) {
  v3_set(out, 0, 0, 0);
  for (int k = 0; k < 4; k++) {
    if (x[k]) { v3_axpy(out, v->origin[r][k], x[k]); }
  }
}

void natural_frame(const natural_params *v, const mbd_real *q, int body, mbd_real o[3], mbd_real A[9]) {
  const int r = v->n->rigid_of[body];
  const mbd_real *x[4];
  mbd_real e[3][3];
  directions(v, q, r, e);
  m3_Tmul(A, &e[0][0], v->dual[r]);
  for (int k = 0; k < 4; k++) { x[k] = natural_value(v, q, natural_basis(v->n, r, k)); }
  origin_of(v, r, x, o);
  m3_vec_add(o, A, v->offset + 3 * body);
}

/* The velocity (rate qd) or acceleration (qdd) of the origin of a rigid body's frame, linear in it. */
static void origin_rate(const natural_params *v, int r, const mbd_real *rate, mbd_real od[3]) {
  const mbd_real *xd[4];
  for (int k = 0; k < 4; k++) {
    const int at = v->n->basic[natural_basis(v->n, r, k)].q;
    xd[k] = at < 0 ? NULL : rate + at;
  }
  origin_of(v, r, xd, od);
}

void natural_velocity(const natural_params *v, const mbd_real *q, const mbd_real *qd, int body, mbd_real V[6]) {
  const int r = v->n->rigid_of[body];
  mbd_real ed[3][3], dual[3][3], A[9], o[3], arm[3];
  natural_dual(v, q, r, dual);
  direction_rates(v, qd, r, ed);
  v3_set(V + 3, 0, 0, 0);
  for (int k = 0; k < 3; k++) { v3_cross_add(V + 3, dual[k], ed[k]); }
  v3_scale(V + 3, 0.5, V + 3);
  origin_rate(v, r, qd, V);
  natural_frame(v, q, body, o, A);
  m3_vec(arm, A, v->offset + 3 * body);
  v3_cross_add(V, V + 3, arm);
}

/* w = 1/2 sum e*_k x ed_k changes by 1/2 sum (ed*_k x ed_k + e*_k x edd_k). */
void natural_acceleration(const natural_params *v, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd, int body,
                          mbd_real Vd[6]) {
  const int r = v->n->rigid_of[body];
  mbd_real V[6], ed[3][3], edd[3][3], dual[3][3], duald[3][3], g[9], A[9], o[3], arm[3], spin[3];
  /* The angular acceleration; e* changes by ed* = g ed, as g is constant. */
  natural_dual(v, q, r, dual);
  direction_rates(v, qd, r, ed), direction_rates(v, qdd, r, edd);
  m3_mulT(g, v->dual[r], v->dual[r]);
  m3_mul(&duald[0][0], g, &ed[0][0]);
  v3_set(Vd + 3, 0, 0, 0);
  for (int k = 0; k < 3; k++) {
    v3_cross_add(Vd + 3, dual[k], edd[k]);
    v3_cross_add(Vd + 3, duald[k], ed[k]);
  }
  v3_scale(Vd + 3, 0.5, Vd + 3);
  origin_rate(v, r, qdd, Vd);
  /* The acceleration of the body's velocity field at the place of its origin. */
  natural_frame(v, q, body, o, A);
  natural_velocity(v, q, qd, body, V);
  m3_vec(arm, A, v->offset + 3 * body);
  v3_cross(spin, V + 3, arm);
  v3_cross_add(Vd, Vd + 3, arm); /* the origin of the body from that of the rigid one: */
  v3_cross_add(Vd, V + 3, spin); /* alpha x arm + w x (w x arm), */
  v3_cross(arm, V + 3, V);
  v3_sub(Vd, Vd, arm); /* less w x v */
}
