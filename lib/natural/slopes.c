/* Slopes of forces and reactions in natural coordinates. An argument a of a force has
 *   X_a = dx_a/dq,   U_a = dxd_a/dqd,   Y_a = dxd_a/dq
 * constant with X_a = U_a, Y_a = 0 but for rotations, which have no x: w = 1/2 sum e*_c x ed_c (4.10), e*_c = sum_b g_cb e_b. With the
 * slopes K, D of the force f on its arguments, Q = sum U_a' f_a changes by
 *   dQ/dq  = sum_ab U_a' (K_ab X_b + D_ab Y_b) + sum_a (dU_a/dq)' f_a
 *   dQ/dqd = sum_ab U_a' D_ab U_b
 * A constraint's reactions sum_a x_a' phi_x' lam change by its own second derivatives between the arguments, which are linear in q.
 * Equations: theory.md §4.1 (4.12). */
#include <string.h>

#include "natural/system.h"

/* ---- arguments of a force ---- */

/* The columns of one force: variables, and the places of their pairs. */
typedef struct force_columns {
  int count;
  const int *col, *pair;
} force_columns;

static force_columns columns_of(const natural_system *s, int force) {
  const int i = s->n->nphi + s->n->nrigid + force;
  return (force_columns){s->set.first[i + 1] - s->set.first[i], s->set.col + s->set.first[i],
                         s->pair + s->pair_from[i]};
}

static int column_at(const force_columns *c, int q) {
  int k = 0;
  while (c->col[k] != q) { k++; }
  return k;
}

/* out [3][count] += s v~ in the three columns from variable q on: out dx = s v x dx */
static void add_cross(const force_columns *c, int q, mbd_real s, const mbd_real v[3], mbd_real *out) {
  if (q < 0) { return; }
  const int n = c->count;
  mbd_real *at = out + column_at(c, q);
  at[1] -= s * v[2], at[2] += s * v[1];
  at[n] += s * v[2], at[n + 2] -= s * v[0];
  at[2 * n] -= s * v[1], at[2 * n + 1] += s * v[0];
}

/* Linear arguments: X = U. */
static void add_linear(const natural_params *v, const force_columns *c, const mbd_arg *arg, mbd_real *X) {
  int basic[NATURAL_TERMS];
  mbd_real weight[NATURAL_TERMS];
  const int count = natural_terms(v->n, v, arg, basic, weight);
  for (int k = 0; k < count; k++) {
    const int q = v->n->basic[basic[k]].q;
    if (q < 0) { continue; }
    const int at = column_at(c, q);
    for (int i = 0; i < 3; i++) { X[i * c->count + at + i] += weight[k]; }
  }
}

/* The variables on which the rotation of one body depends. */
typedef struct turning {
  int direction[3], origin[3]; /* first variables of the directions, and of the point that is subtracted; -1: none */
  mbd_real dual[3][3], ed[3][3], g[9];
} turning;

static turning turning_of(const natural_params *v, const mbd_real *q, const mbd_real *qd, int body) {
  const natural *n = v->n;
  const int r = n->rigid_of[body], o = n->basic[natural_basis(n, r, 0)].q;
  turning t;
  natural_dual(v, q, r, t.dual);
  m3_mulT(t.g, v->dual[r], v->dual[r]);
  for (int k = 0; k < 3; k++) {
    const natural_basic *b = &n->basic[natural_basis(n, r, 1 + k)];
    t.direction[k] = b->q, t.origin[k] = b->is_point ? o : -1;
    v3_set(t.ed[k], 0, 0, 0);
    if (b->q >= 0) { v3_add(t.ed[k], t.ed[k], qd + b->q); }
    if (t.origin[k] >= 0) { v3_sub(t.ed[k], t.ed[k], qd + o); }
  }
  return t;
}

/* out += s v_c~ in the columns of each direction c, as 1/2 e*_c~ is of w by ed_c */
static void add_directions(const force_columns *c, const turning *t, mbd_real s, const mbd_real (*v)[3],
                           mbd_real *out) {
  for (int k = 0; k < 3; k++) {
    add_cross(c, t->direction[k], s, v[k], out);
    add_cross(c, t->origin[k], -s, v[k], out);
  }
}

static void add_rotation(const force_columns *c, const turning *t, mbd_real sign, mbd_real *U, mbd_real *Y) {
  mbd_real turned[3][3]; /* sum_c g_cb ed_c */
  m3_mul(&turned[0][0], t->g, &t->ed[0][0]);
  add_directions(c, t, sign / 2, CONST3(t->dual), U);
  add_directions(c, t, -sign / 2, CONST3(turned), Y);
}

/* A += k (dU/dq)' f of a rotation: f . w = 1/2 sum_cb g_cb (f x e_b) . ed_c */
static void add_turned(const force_columns *c, const turning *t, mbd_real k, const mbd_real f[3], mbd_real *A) {
  const mbd_real cross[9] = {0, -f[2], f[1], f[2], 0, -f[0], -f[1], f[0], 0};
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      const int to = i < 3 ? t->direction[i] : t->origin[i - 3], from = j < 3 ? t->direction[j] : t->origin[j - 3];
      if (to < 0 || from < 0) { continue; }
      const mbd_real scale = ((i < 3) == (j < 3) ? k : -k) / 2 * t->g[3 * (i % 3) + j % 3];
      const int row = column_at(c, to), col = column_at(c, from);
      for (int e = 0; e < 9; e++) { A[c->pair[(row + e / 3) * c->count + col + e % 3]] += scale * cross[e]; }
    }
  }
}

/* ---- forces ---- */

/* X, U, Y of argument a, at a [3][count] in each. */
static void argument_columns(const natural_params *v, const force_columns *c, const mbd_arg *arg, const turning t[2],
                             mbd_real *X, mbd_real *U, mbd_real *Y) {
  const size_t bytes = 3 * (size_t)c->count * sizeof *X;
  memset(X, 0, bytes), memset(U, 0, bytes), memset(Y, 0, bytes);
  if (arg->kind == MBD_ARG_ROTATION) {
    add_rotation(c, &t[0], 1, U, Y);
    if (arg->a >= 0) { add_rotation(c, &t[1], -1, U, Y); }
    return;
  }
  if (arg->kind == MBD_ARG_COORDINATE) {
    X[column_at(c, arg->b)] = 1;
  } else {
    add_linear(v, c, arg, X);
  }
  memcpy(U, X, bytes);
}

/* out [3][count] += c B X, B 3 x 3 */
static void add_product(int count, mbd_real c, const mbd_real B[9], const mbd_real *X, mbd_real *out) {
  for (int i = 0; i < 9; i++) {
    if (mbd_any(B[i] != 0)) { mbd_axpy(count, c * B[i], X + (i % 3) * count, out + (i / 3) * count); }
  }
}

/* A += U' G for U, G [3][count] */
static void add_outer(const force_columns *c, const mbd_real *U, const mbd_real *G, mbd_real *A) {
  for (int e = 0; e < 3; e++) {
    for (int i = 0; i < c->count; i++) {
      const mbd_real u = U[e * c->count + i];
      for (int j = 0; j < c->count && mbd_any(u != 0); j++) { A[c->pair[i * c->count + j]] += u * G[e * c->count + j]; }
    }
  }
}

/* The slopes of one force: K -= dQ/dq, C -= dQ/dqd */
static void add_force(const natural_system *s, const natural_params *v, int number, mbd_real time, const mbd_real *q,
                      const mbd_real *qd, mbd_real *K_of_q, mbd_real *C_of_qd) {
  const mbd_force *force = &s->n->m->force[number];
  const force_columns c = columns_of(s, number);
  const int narg = force->lift.narg, block = 3 * c.count;
  const size_t bytes = (size_t)block * sizeof *s->G;
  mbd_arg_state state;
  mbd_element_input in;
  mbd_real f[ELEMENT_ARG_MAX][3], K[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], D[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  /* The force on each argument, and its slopes K by the arguments and D by their rates. */
  arg_state_zero(narg, &state);
  for (int a = 0; a < narg; a++) {
    const mbd_arg arg = natural_arg_of(s->n, &force->lift.arg[a]);
    natural_argument(v, &arg, q, qd, NULL, a, &state);
  }
  natural_force_input(v, force, time, &state, &in);
  mbd_blocks_zero(narg, K), mbd_blocks_zero(narg, D);
  force->ops->f_x(&in, f, K, D);
  /* The columns X, U, Y of each argument, and (dU_a/dq)' f_a, which is zero but for rotations. */
  for (int a = 0; a < narg; a++) {
    const mbd_arg arg = natural_arg_of(s->n, &force->lift.arg[a]);
    turning t[2];
    if (arg.kind == MBD_ARG_ROTATION) {
      t[0] = turning_of(v, q, qd, arg.b);
      add_turned(&c, &t[0], -1, f[a], K_of_q);
      if (arg.a >= 0) {
        t[1] = turning_of(v, q, qd, arg.a);
        add_turned(&c, &t[1], 1, f[a], K_of_q);
      }
    }
    argument_columns(v, &c, &arg, t, s->X + a * block, s->U + a * block, s->Y + a * block);
  }
  /* The sums of (4.12): -U_a' sum_b (K_ab X_b + D_ab Y_b) to K_of_q, -U_a' sum_b D_ab U_b to C_of_qd. */
  for (int a = 0; a < narg; a++) {
    memset(s->G, 0, bytes), memset(s->D, 0, bytes);
    for (int b = 0; b < narg; b++) {
      add_product(c.count, -1, K[a][b], s->X + b * block, s->G);
      add_product(c.count, -1, D[a][b], s->Y + b * block, s->G);
      add_product(c.count, -1, D[a][b], s->U + b * block, s->D);
    }
    add_outer(&c, s->U + a * block, s->G, K_of_q);
    add_outer(&c, s->U + a * block, s->D, C_of_qd);
  }
}

void natural_add_slopes(const natural_system *s, const natural_params *v, mbd_real t, const mbd_real *q,
                        const mbd_real *qd, const mbd_real *lam, mbd_real *K, mbd_real *C) {
  for (int i = 0; i < s->n->m->nforce; i++) { add_force(s, v, i, t, q, qd, K, C); }
  natural_add_reactions(s, v, t, q, lam, 1, K);
}
