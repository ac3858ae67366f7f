/* Arguments of elements in natural coordinates, linear in q but for rotations, and forces on them.
 * Equations: theory.md §4.1 (4.6), (4.10). */
#include "natural/natural.h"

/* Appends the terms of one side of an argument. */
static int side_terms(const natural *n, const natural_params *v, int place, mbd_real sign, int basic[4],
                      mbd_real *weight) {
  const natural_place *at = &n->place[place];
  const int count = at->basic >= 0 ? 1 : 4;
  for (int k = 0; k < count; k++) {
    basic[k] = at->basic >= 0 ? at->basic : natural_basis(n, at->rigid, k);
    if (v) { weight[k] = sign * v->weight[place][k]; }
  }
  return count;
}

int natural_terms(const natural *n, const natural_params *v, const mbd_arg *x, int basic[NATURAL_TERMS],
                  mbd_real weight[NATURAL_TERMS]) {
  int count = side_terms(n, v, x->b, 1, basic, weight);
  if (x->a >= 0) { count += side_terms(n, v, x->a, -1, basic + count, v ? weight + count : NULL); }
  return count;
}

/* The sum of the terms. For rates, constant points and vectors contribute nothing. */
static void sum_terms(const natural *n, int count, const int *basic, const mbd_real *weight, const mbd_real *qd,
                      mbd_real sum[3]) {
  v3_set(sum, 0, 0, 0);
  for (int k = 0; k < count; k++) {
    const int q = n->basic[basic[k]].q;
    if (q >= 0) { v3_axpy(sum, weight[k], qd + q); }
  }
}

/* The value and the rates of a point or a vector. */
static void linear_argument(const natural_params *v, const mbd_arg *x, const mbd_real *q, const mbd_real *qd,
                            const mbd_real *qdd, int a, mbd_arg_state *s) {
  int basic[NATURAL_TERMS];
  mbd_real weight[NATURAL_TERMS];
  const int count = natural_terms(v->n, v, x, basic, weight);
  v3_set(s->x[a], 0, 0, 0);
  for (int k = 0; k < count; k++) { v3_axpy(s->x[a], weight[k], natural_value(v, q, basic[k])); }
  if (qd) { sum_terms(v->n, count, basic, weight, qd, s->xd[a]); }
  if (qdd) { sum_terms(v->n, count, basic, weight, qdd, s->xdd[a]); }
}

static void rotation(const natural_params *v, const mbd_arg *x, const mbd_real *q, const mbd_real *qd, int a,
                     mbd_arg_state *s) {
  mbd_real V[6];
  v3_set(s->x[a], 0, 0, 0), v3_set(s->xd[a], 0, 0, 0);
  if (!qd) { return; }
  natural_velocity(v, q, qd, x->b, V);
  v3_copy(s->xd[a], V + 3);
  if (x->a < 0) { return; }
  natural_velocity(v, q, qd, x->a, V);
  v3_sub(s->xd[a], s->xd[a], V + 3);
}

void natural_argument(const natural_params *v, const mbd_arg *x, const mbd_real *q, const mbd_real *qd,
                      const mbd_real *qdd, int a, mbd_arg_state *s) {
  switch (x->kind) {
    case MBD_ARG_POINT:
    case MBD_ARG_VECTOR: linear_argument(v, x, q, qd, qdd, a, s); break;
    case MBD_ARG_ROTATION: rotation(v, x, q, qd, a, s); break;
    case MBD_ARG_COORDINATE:
      v3_set(s->x[a], q[x->b], 0, 0);
      if (qd) { v3_set(s->xd[a], qd[x->b], 0, 0); }
      if (qdd) { v3_set(s->xdd[a], qdd[x->b], 0, 0); }
      break;
    case MBD_ARG_VALUE: break; /* of users' forces alone, which take it themselves */
  }
}

/* ---- forces ---- */

/* Q += a force on a point or vector of the list, times weight */
static void on_basic(const natural *n, int basic, mbd_real weight, const mbd_real f[3], mbd_real *Q) {
  const int q = n->basic[basic].q;
  if (q >= 0) { v3_axpy(Q + q, weight, f); }
}

/* A torque n on a body. Forces n x e*_a / 2 on the directions have the same power, n . w. */
static void on_body(const natural_params *v, const mbd_real *q, int body, mbd_real sign, const mbd_real torque[3],
                    mbd_real *Q) {
  const natural *n = v->n;
  const int r = n->rigid_of[body];
  mbd_real dual[3][3], f[3];
  natural_dual(v, q, r, dual);
  for (int k = 0; k < 3; k++) {
    const int basic = natural_basis(n, r, 1 + k);
    v3_cross(f, torque, dual[k]);
    on_basic(n, basic, sign / 2, f, Q);
    if (n->basic[basic].is_point) { on_basic(n, natural_basis(n, r, 0), -sign / 2, f, Q); }
  }
}

void natural_on_argument(const natural_params *v, const mbd_arg *x, const mbd_real *q, const mbd_real f[3],
                         mbd_real *Q) {
  int basic[NATURAL_TERMS], count;
  mbd_real weight[NATURAL_TERMS];
  switch (x->kind) {
    case MBD_ARG_POINT:
    case MBD_ARG_VECTOR:
      count = natural_terms(v->n, v, x, basic, weight);
      for (int k = 0; k < count; k++) { on_basic(v->n, basic[k], weight[k], f, Q); }
      break;
    case MBD_ARG_ROTATION:
      on_body(v, q, x->b, 1, f, Q);
      if (x->a >= 0) { on_body(v, q, x->a, -1, f, Q); }
      break;
    case MBD_ARG_COORDINATE: Q[x->b] += f[0]; break;
    case MBD_ARG_VALUE: break; /* of users' forces alone, which take it themselves */
  }
}
