/* Slopes of elements that touch one body alone (a tyre on its wheel, a spring or a joint on the ground): 6x6 matrices at the body,
 * summed towards the ground and projected on the coordinates of a joint once for all elements beyond it, theory.md §3 (3.9).
 *
 * A displacement x of the body, with the velocity change c (work.h), changes its arguments by
 *   dx_a = lin x_v + x_w x arm + rot x_w,      dxd_a = x_w x xd_a + (lin c_v + c_w x arm + rot c_w)
 * (point: lin = 1; vector: neither; rotation: rot = 1 without an arm), and the sum F of the elements' wrenches by
 *   dF = x x* F + K x + D c
 * where K x is the change for an observer who moves with the body: at the argument df_a - x_w x f_a. Bodies beyond a joint that
 * move as one therefore have F, K, D as their sums, taken at one point, and as for inertia (dynamics/jacobian.c) is
 *   column j, rows k at or before the joint:  b_k . (b_j x* F + K b_j + D c_j),      by zd:  b_k . D b_j
 *   row j, columns k before the joint:        b_j . (K b_k + D c_k),                 by zd:  b_j . D b_k
 *
 * All this is taken at the centre of mass of each body, as K grows with the square of the arms: at a reference point far from it, such
 * as the global origin, digits would be lost. */
#include <assert.h>
#include <string.h>

#include "kinematics/lift.h"

/* ---- at the body ---- */

/* An argument, seen from the body. */
typedef struct arg_map {
  int rotation; /* without an arm, and others without rot */
  mbd_real arm[3], lin, rot;
} arg_map;

static void map_end(const mbd_work *w, int body, mbd_arg_kind kind, int k, mbd_real sign, arg_map *m) {
  const mbd_marker *marker = &w->model->marker[k];
  mbd_real arm[3];
  if (kind == MBD_ARG_ROTATION) {
    if (k == body) { m->rot += sign; }
    return;
  }
  if (marker->body != body) { return; }
  v3_copy(arm, work_marker(w, k)->p);
  if (marker->is_point) {
    v3_sub(arm, arm, w->body[body].g);
    m->lin += sign;
  }
  v3_axpy(m->arm, sign, arm);
}

/* R x += B (change of the argument under x); what is zero by the kind of the argument is left out */
static inline void add_block(mbd_real (*restrict R)[6], const mbd_real *restrict B, const arg_map *m) {
  for (int i = 0; i < 3 && m->rotation; i++) { v3_axpy(R[i] + 3, m->rot, B + 3 * i); }
  for (int i = 0; i < 3 && !m->rotation; i++) { v3_cross_add(R[i] + 3, m->arm, B + 3 * i); }
  for (int i = 0; i < 3 && mbd_any(m->lin != 0); i++) { v3_axpy(R[i], m->lin, B + 3 * i); }
}

/* R x += B (x_w x xd) */
static inline void add_turned(mbd_real (*restrict R)[6], const mbd_real *restrict B, const mbd_real xd[3]) {
  for (int i = 0; i < 3; i++) { v3_cross_add(R[i] + 3, xd, B + 3 * i); }
}

/* R x -= x_w x f */
static inline void less_turned_force(mbd_real (*R)[6], const mbd_real f[3]) {
  R[0][4] -= f[2], R[0][5] += f[1];
  R[1][3] += f[2], R[1][5] -= f[0];
  R[2][3] -= f[1], R[2][4] += f[0];
}

/* A += sign times the wrench of the changes R x of the force on an argument. */
static inline void add_wrenches(mbd_real (*restrict A)[6], mbd_real sign, const arg_map *m,
                                const mbd_real (*restrict R)[6]) {
  const mbd_real lin = sign * m->lin, rot = sign * m->rot;
  for (int i = 0; i < 3 && m->rotation; i++) {
    for (int c = 0; c < 6; c++) { A[3 + i][c] += rot * R[i][c]; }
  }
  for (int i = 0; i < 3 && !m->rotation; i++) {
    const int next = (i + 1) % 3, last = (i + 2) % 3;
    const mbd_real arm_next = sign * m->arm[next], arm_last = sign * m->arm[last];
    for (int c = 0; c < 6; c++) { A[3 + i][c] += arm_next * R[last][c] - arm_last * R[next][c]; }
  }
  for (int i = 0; i < 3 && mbd_any(lin != 0); i++) {
    for (int c = 0; c < 6; c++) { A[i][c] += lin * R[i][c]; }
  }
}

static inline void add_force(mbd_real F[6], mbd_real sign, const arg_map *m, const mbd_real f[3]) {
  mbd_real arm[3];
  v3_scale(arm, sign, m->arm);
  v3_axpy(F, sign * m->lin, f);
  v3_axpy(F + 3, sign * m->rot, f);
  v3_cross_add(F + 3, arm, f);
}

static body_slopes *in_use(mbd_work *w, int body, int damped) {
  body_slopes *s = &w->forces.slopes[body];
  if (!s->any) {
    memset(s->F, 0, sizeof s->F), memset(s->K, 0, sizeof s->K);
    s->damped = 0;
  }
  if (damped && !s->damped) { memset(s->D, 0, sizeof s->D), s->damped = 1; }
  s->any = 1;
  return s;
}

void slopes_add(mbd_work *w, const mbd_lift *l, const mbd_arg_state *x, const mbd_real (*f)[3],
                const mbd_real (*f_x)[ELEMENT_ARG_MAX][9], const mbd_real (*f_xd)[ELEMENT_ARG_MAX][9], mbd_real sign) {
  assert(w->stage >= WORK_PLACED && w->forces.slopes && l->body > 0);
  arg_map m[ELEMENT_ARG_MAX];
  lift_block at[ELEMENT_ARG_MAX * ELEMENT_ARG_MAX], at_rate[ELEMENT_ARG_MAX * ELEMENT_ARG_MAX];
  const int nx = f_x ? lift_blocks(l->narg, f_x, at) : 0, nxd = f_xd ? lift_blocks(l->narg, f_xd, at_rate) : 0;
  body_slopes *s = in_use(w, l->body, nxd > 0);
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    m[a] = (arg_map){.rotation = arg->kind == MBD_ARG_ROTATION};
    map_end(w, l->body, arg->kind, arg->b, 1, &m[a]);
    if (arg->a >= 0) { map_end(w, l->body, arg->kind, arg->a, -1, &m[a]); }
  }
  for (int a = 0, ix = 0, ixd = 0; a < l->narg; a++) { /* blocks are listed row by row */
    mbd_real K[3][6] = {{0}}, D[3][6] = {{0}};
    const int first = ixd, changes = (ix < nx && at[ix].a == a) || (ixd < nxd && at_rate[ixd].a == a);
    if (!changes && mbd_none(f[a][0] != 0 || f[a][1] != 0 || f[a][2] != 0)) { continue; }
    /* The force on argument a, and its change for an observer who moves with the body, which begins with -x_w x f_a. */
    less_turned_force(K, f[a]);
    add_force(s->F, sign, &m[a], f[a]);
    /* Changes by the other arguments: K_ab dx_b, and D_ab dxd_b, in which x_w x xd_b is part of K. */
    for (; ix < nx && at[ix].a == a; ix++) { add_block(K, f_x[a][at[ix].b], &m[at[ix].b]); }
    for (; ixd < nxd && at_rate[ixd].a == a; ixd++) {
      const int b = at_rate[ixd].b;
      add_block(D, f_xd[a][b], &m[b]);
      if (w->moving) { add_turned(K, f_xd[a][b], x->xd[b]); }
    }
    /* The wrench of this change on the body. */
    add_wrenches(s->K, sign, &m[a], CONST6(K));
    if (ixd > first) { add_wrenches(s->D, sign, &m[a], CONST6(D)); }
  }
}

/* ---- towards the ground ---- */

/* A += B, given at a point displaced by s: motions there are v + w x s, wrenches there turn n by s x f. */
static void add_matrix_from(mbd_real (*restrict A)[6], const mbd_real (*restrict B)[6], const mbd_real s[3]) {
  mbd_real T[6][6];
  for (int i = 0; i < 6; i++) {
    for (int c = 0; c < 6; c++) { T[i][c] = B[i][c]; }
    v3_cross_add(T[i] + 3, s, B[i]);
  }
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3, last = (i + 2) % 3;
    for (int c = 0; c < 6; c++) {
      A[i][c] += T[i][c];
      A[3 + i][c] += T[3 + i][c] + s[next] * T[last][c] - s[last] * T[next][c];
    }
  }
}

void slopes_add_from(mbd_work *w, int parent, int body) {
  const body_slopes *from = &w->forces.slopes[body];
  body_slopes *to = in_use(w, parent, from->damped);
  mbd_real s[3];
  v3_sub(s, w->body[body].g, w->body[parent].g);
  add_matrix_from(to->K, CONST6(from->K), s);
  if (from->damped) { add_matrix_from(to->D, CONST6(from->D), s); }
}

/* ---- onto a coordinate ---- */

/* y = A x */
static inline void product(mbd_real *restrict y, const mbd_real (*restrict A)[6], const mbd_real *restrict x) {
  for (int i = 0; i < 6; i++) { y[i] = sv_dot(A[i], x); }
}

/* y = A' x */
static inline void product_T(mbd_real *restrict y, const mbd_real (*restrict A)[6], const mbd_real *restrict x) {
  for (int c = 0; c < 6; c++) {
    y[c] = A[0][c] * x[0] + A[1][c] * x[1] + A[2][c] * x[2] + A[3][c] * x[3] + A[4][c] * x[4] + A[5][c] * x[5];
  }
}

void slopes_of_column(const mbd_work *w, int body, int column, slopes_column *u) {
  const body_slopes *s = &w->forces.slopes[body];
  const int row = w->model->body[body].parent > 0;
  mbd_real arm[3], b[6], c[6];
  /* The slopes are held at the centre of mass: the column is moved there, and the wrenches are moved back. */
  v3_sub(arm, w->body[body].g, w->body[body].r);
  sv_shift_motion(b, w->col[column].b, arm);
  product(u->z, CONST6(s->K), b);
  if (s->damped) {
    sv_shift_motion(c, w->col[column].c, arm);
    for (int i = 0; i < 6; i++) { u->z[i] += sv_dot(s->D[i], c); }
    product(u->v, CONST6(s->D), b);
    v3_cross_add(u->v + 3, arm, u->v);
  }
  v3_cross_add(u->z + 3, arm, u->z);
  /* K' b and D' b enter the row of the coordinate, which bodies on the ground do not need. */
  if (!row) { return; }
  product_T(u->Kb, CONST6(s->K), b);
  v3_cross_add(u->Kb + 3, arm, u->Kb);
  if (!s->damped) { return; }
  product_T(u->Db, CONST6(s->D), b);
  v3_cross_add(u->Db + 3, arm, u->Db);
}
