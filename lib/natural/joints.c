/* Joint coordinates of a natural state, from the pose of each joint between the frames of its two bodies (theory.md §4.1). Newton's
 * iteration with the columns H of the joint solves for the coordinates, from a guess that determines the number of turns of an angle and
 * the sign of Euler parameters. Rates follow from the velocities of the bodies, and zdd from their accelerations less those at zdd = 0.
 * These equations are consistent if the equations of q hold; otherwise they are solved in the sense of least squares. */
#include <string.h>

#include "dynamics/motion.h"
#include "la/dense.h"
#include "natural/natural.h"

/* A scalar that carries derivatives takes one correction more below `near`, by which these follow the values. */
enum { ITERATIONS_MAX = 30, AFTER = sizeof(mbd_real) > MBD_DESIGNS * sizeof(double) ? 2 : 1 };

static const double near = 1e-8;

/* x [nz] := (H'H + e e')^-1 x, with the Euler parameters e of the coordinates z. */
static int solve_squares(const mbd_joint_ops *ops, const mbd_real *z, const mbd_real *H, mbd_real *x) {
  const int n = ops->nz, k0 = ops->euler;
  mbd_real G[MBD_NZ_MAX * MBD_NZ_MAX];
  int piv[MBD_NZ_MAX];
  for (int i = 0; i < n * n; i++) { G[i] = sv_dot(H + 6 * (i / n), H + 6 * (i % n)); }
  for (int i = 0; i < 16 && k0 >= 0; i++) { G[(k0 + i / 4) * n + k0 + i % 4] += z[k0 + i / 4] * z[k0 + i % 4]; }
  if (mbd_lu_factor(n, G, piv) != MBD_OK) { return 0; }
  mbd_lu_solve(n, G, piv, 1, x);
  return 1;
}

/* x [nz]: least squares solution of sum H_k x_k = e, with e . x = norm for the Euler parameters e of the coordinates z. */
static int solve_columns(const mbd_joint_ops *ops, const mbd_real *z, const mbd_real *H, const mbd_real e[6],
                         mbd_real norm, mbd_real *x) {
  const int k0 = ops->euler;
  for (int i = 0; i < ops->nz; i++) { x[i] = sv_dot(H + 6 * i, e); }
  for (int i = 0; i < 4 && k0 >= 0; i++) { x[k0 + i] += z[k0 + i] * norm; }
  return solve_squares(ops, z, H, x);
}

/* ---- positions ---- */

/* The pose that the joint of body i must take, in its frame on the parent: orientation R and displacement d of the frame on the child. */
static void requested_pose(const natural_params *v, const mbd_real *q, int i, mbd_real R[9], mbd_real d[3]) {
  const mbd_body *b = &v->n->m->body[i];
  const joint_params *jp = &v->p->joint[b->joint];
  mbd_real o[2][3], A[2][9], D[9], C[9], violation[3];
  natural_frame(v, q, b->parent, o[0], A[0]);
  natural_frame(v, q, i, o[1], A[1]);
  m3_mul(D, A[0], jp->F[0]);
  m3_mul(C, A[1], jp->F[1]);
  m3_Tmul(R, D, C);
  m3_vec_add(o[0], A[0], jp->s[0]);
  m3_vec_add(o[1], A[1], jp->s[1]);
  v3_sub(violation, o[1], o[0]);
  m3_Tvec(d, D, violation);
}

/* The twist [v; w] at the joint's point on the parent from the pose of z to the wanted one, to first order. */
static void pose_error(const mbd_joint_ops *ops, const joint_params *jp, const mbd_real *z, const mbd_real R[9],
                       const mbd_real d[3], mbd_real e[6]) {
  mbd_real now[9], at[3], E[9], turned[3];
  ops->pose(z, jp->Q, now, at);
  m3_mulT(E, R, now);
  v3_set(e + 3, (E[7] - E[5]) / 2, (E[2] - E[6]) / 2, (E[3] - E[1]) / 2);
  v3_sub(e, d, at);
  v3_cross(turned, e + 3, at);
  v3_sub(e, e, turned);
}

static mbd_status joint_position(const natural_params *v, const mbd_real *q, int i, mbd_real *z, mbd_error *err) {
  const mbd_body *b = &v->n->m->body[i];
  const mbd_joint *joint = &v->n->m->joint[b->joint];
  const joint_params *jp = &v->p->joint[b->joint];
  const int n = joint->ops->nz, k0 = joint->ops->euler;
  mbd_real R[9], d[3], H[6 * MBD_NZ_MAX], e[6], dz[MBD_NZ_MAX];
  requested_pose(v, q, i, R, d);
  /* Newton's iteration on the pose, with the columns H of the joint; norm: the residual of |e|^2 = 1 of Euler parameters. */
  for (int it = 0, after = 0; it < ITERATIONS_MAX; it++) {
    mbd_real norm = 0.5;
    for (int k = 0; k < 4 && k0 >= 0; k++) { norm -= z[k0 + k] * z[k0 + k] / 2; }
    pose_error(joint->ops, jp, z, R, d, e);
    joint->ops->h(z, jp->Q, H);
    if (!solve_columns(joint->ops, z, H, e, norm, dz)) { break; }
    for (int k = 0; k < n; k++) { z[k] += dz[k]; }
    after += mbd_norm_inf(n, dz) <= near * (1 + mbd_norm_inf(n, z));
    if (after > AFTER) { return MBD_OK; }
  }
  MBD_FAIL(err, MBD_SINGULAR,
           "joint '%s': the places of its bodies do not determine its coordinates, which outputs of natural "
           "coordinates need",
           joint->name);
}

/* ---- rates ---- */

/* Columns of the joint of body i at the joint's point, where their entries are no larger than the joint. */
static void joint_columns(const natural_params *v, const mbd_work *w, int i, const mbd_real *z,
                          mbd_real columns[6 * MBD_NZ_MAX]) {
  const mbd_body *b = &v->n->m->body[i];
  const mbd_joint_ops *ops = v->n->m->joint[b->joint].ops;
  mbd_real H[6 * MBD_NZ_MAX];
  ops->h(z, v->p->joint[b->joint].Q, H);
  for (int k = 0; k < 2 * ops->nz; k++) { m3_vec(columns + 3 * k, w->body[i].D, H + 3 * k); }
}

/* x [nz], rates of the joint coordinates of body i, from the motions X [nb][6] of the bodies at their reference points, by
 * X_i = X_parent + b x. */
static int joint_rate(const natural_params *v, const mbd_work *w, int i, const mbd_real *X, const mbd_real *z,
                      mbd_real norm, mbd_real *x) {
  const mbd_body *b = &v->n->m->body[i];
  const body_state *s = &w->body[i];
  mbd_real arm[3], e[6], local[6], columns[6 * MBD_NZ_MAX];
  v3_sub(arm, s->r, w->body[b->parent].r);
  sv_shift_motion(local, X + 6 * b->parent, arm);
  for (int k = 0; k < 6; k++) { e[k] = X[6 * i + k] - local[k]; }
  v3_sub(arm, s->s, s->r);
  sv_shift_motion(local, e, arm);
  joint_columns(v, w, i, z, columns);
  return solve_columns(v->n->m->joint[b->joint].ops, z, columns, local, norm, x);
}

/* The transpose: from derivatives x by the coordinates of the joint to derivatives N [nb][6] by the motions of the two bodies. Leaves
 * (H'H + e e')^-1 x in x. */
static int joint_rate_back(const natural_params *v, const mbd_work *w, int i, const mbd_real *z, mbd_real *x,
                           mbd_real *N) {
  const mbd_body *b = &v->n->m->body[i];
  const mbd_joint_ops *ops = v->n->m->joint[b->joint].ops;
  const body_state *s = &w->body[i];
  mbd_real columns[6 * MBD_NZ_MAX], F[6] = {0}, arm[3];
  joint_columns(v, w, i, z, columns);
  if (!solve_squares(ops, z, columns, x)) { return 0; }
  for (int k = 0; k < ops->nz; k++) { sv_axpy(F, x[k], columns + 6 * k); }
  v3_sub(arm, s->s, s->r);
  sv_add_wrench_from(N + 6 * i, F, arm);
  for (int k = 0; k < 6; k++) { F[k] = -F[k]; }
  v3_sub(arm, s->s, w->body[b->parent].r);
  sv_add_wrench_from(N + 6 * b->parent, F, arm);
  return 1;
}

/* V of a body at its reference point, or Vd. */
static void at_reference(const mbd_work *w, int i, const mbd_real X[6], mbd_real out[6]) {
  mbd_real arm[3];
  v3_sub(arm, w->body[i].r, w->body[i].o);
  sv_shift_motion(out, X, arm);
}

static mbd_real norm_rate(const mbd_joint_ops *ops, const mbd_real *x, const mbd_real *y) {
  mbd_real sum = 0;
  for (int k = 0; k < 4 && ops->euler >= 0; k++) { sum -= x[ops->euler + k] * y[ops->euler + k]; }
  return sum;
}

static mbd_status singular(const natural_params *v, int i, mbd_error *err) {
  MBD_FAIL(err, MBD_SINGULAR, "joint '%s': its rates do not follow from the motions of its bodies",
           v->n->m->joint[v->n->m->body[i].joint].name);
}

/* Copies coordinates that the user added and that belong to no joint. */
static void own_coordinates(const natural_params *v, const mbd_real *q, mbd_real *z) {
  for (int j = v->n->m->nz_tree; j < v->n->m->nz; j++) { z[j] = q[v->n->q_of[j]]; }
}

mbd_status natural_joints(const natural_params *v, mbd_work *w, mbd_real t, const mbd_real *q, const mbd_real *qd,
                          const mbd_real *qdd, mbd_real *X, mbd_real *z, mbd_real *zd, mbd_real *zdd, mbd_error *err) {
  const mbd_model *m = v->n->m;
  mbd_real V[6];
  /* Positions, joint by joint. */
  for (int i = 1; i < m->nb; i++) {
    if (m->joint[m->body[i].joint].ops->nz > 0) { MBD_TRY(joint_position(v, q, i, z + m->body[i].z0, err)); }
  }
  own_coordinates(v, q, z), own_coordinates(v, qd, zd), own_coordinates(v, qdd, zdd);
  motion_place(w, v->p, t, z);
  /* Rates from the velocities of the bodies. */
  for (int i = 0; i < m->nb; i++) {
    natural_velocity(v, q, qd, i, V);
    at_reference(w, i, V, X + 6 * i);
  }
  for (int i = 1; i < m->nb; i++) {
    const int z0 = m->body[i].z0;
    if (m->joint[m->body[i].joint].ops->nz == 0) { continue; }
    if (!joint_rate(v, w, i, X, z + z0, 0, zd + z0)) { return singular(v, i, err); }
  }
  /* Accelerations: those of the bodies less those that they have with zdd = 0 are linear in zdd, as velocities are in zd. */
  memset(zdd, 0, (size_t)m->nz_tree * sizeof *zdd);
  motion_move(w, zd, zdd, 0);
  for (int i = 0; i < m->nb; i++) {
    natural_acceleration(v, q, qd, qdd, i, V);
    at_reference(w, i, V, X + 6 * i);
    for (int k = 0; k < 6; k++) { X[6 * i + k] -= w->body[i].Vd[k]; }
  }
  for (int i = 1; i < m->nb; i++) {
    const mbd_joint_ops *ops = m->joint[m->body[i].joint].ops;
    const int z0 = m->body[i].z0;
    if (ops->nz == 0) { continue; }
    if (!joint_rate(v, w, i, X, z + z0, norm_rate(ops, zd + z0, zd + z0), zdd + z0)) { return singular(v, i, err); }
  }
  /* The work is left at this motion, with gravity. */
  motion_move(w, zd, zdd, 1);
  return MBD_OK;
}

/* ---- changes ---- */

/* The displacement and rotation of a rigid body, at the origin of its frame, from changes of its basis, 4 x 3. */
static void basis_motion(const natural_params *v, int r, const mbd_real dual[3][3], const mbd_real *x, mbd_real X[6]) {
  sv_zero(X);
  for (int k = 0; k < 4; k++) { v3_axpy(X, v->origin[r][k], x + 3 * k); }
  for (int k = 1; k < 4; k++) {
    mbd_real change[3];
    v3_copy(change, x + 3 * k);
    if (natural_basis_is_point(v->n, r, k)) { v3_sub(change, change, x); }
    v3_cross_add(X + 3, dual[k - 1], change);
  }
  v3_scale(X + 3, 0.5, X + 3);
}

static void basis_motion_back(const natural_params *v, int r, const mbd_real dual[3][3], const mbd_real N[6],
                              mbd_real *x) {
  mbd_real half[3], f[3];
  for (int k = 0; k < 4; k++) { v3_scale(x + 3 * k, v->origin[r][k], N); }
  v3_scale(half, 0.5, N + 3);
  for (int k = 1; k < 4; k++) {
    v3_cross(f, half, dual[k - 1]);
    v3_add(x + 3 * k, x + 3 * k, f);
    if (natural_basis_is_point(v->n, r, k)) { v3_sub(x, x, f); }
  }
}

/* From the origin of the frame of a body's rigid body to the body's reference point. */
static void arm_of(const natural_params *v, const mbd_work *w, int i, mbd_real arm[3]) {
  const body_state *s = &w->body[i], *frame = &w->body[v->n->rigid[v->n->rigid_of[i]].body];
  v3_sub(arm, s->r, frame->o);
}

/* X [nb][6] of the bodies; those of one rigid body move alike. */
static void bodies_motion(const natural_params *v, const mbd_work *w, const mbd_real *q, const mbd_real *x,
                          mbd_real *X) {
  const natural *n = v->n;
  for (int i = 0; i < n->m->nb; i++) {
    const int r = n->rigid_of[i];
    mbd_real dual[3][3], arm[3], frame[6];
    sv_zero(X + 6 * i);
    if (r == 0) { continue; }
    natural_dual(v, q, r, dual);
    basis_motion(v, r, CONST3(dual), x + 12 * (r - 1), frame);
    arm_of(v, w, i, arm);
    sv_shift_motion(X + 6 * i, frame, arm);
  }
}

mbd_status natural_joints_change(const natural_params *v, const mbd_work *w, const mbd_real *q, const mbd_real *x,
                                 const mbd_real *norm, mbd_real *X, mbd_real *dz, mbd_error *err) {
  const natural *n = v->n;
  const mbd_model *m = n->m;
  bodies_motion(v, w, q, x, X);
  for (int i = 1; i < m->nb; i++) {
    const int z0 = m->body[i].z0;
    if (m->joint[m->body[i].joint].ops->nz == 0) { continue; }
    if (!joint_rate(v, w, i, X, w->z + z0, norm[i], dz + z0)) { return singular(v, i, err); }
  }
  for (int i = 0; i < n->nadded; i++) {
    if (n->added[i] >= m->nz_tree) { dz[n->added[i]] = x[12 * (n->nrigid - 1) + i]; }
  }
  return MBD_OK;
}

mbd_status natural_joints_reverse(const natural_params *v, const mbd_work *w, const mbd_real *q, mbd_real *by_z,
                                  mbd_real *N, mbd_real *x, mbd_error *err) {
  const natural *n = v->n;
  const mbd_model *m = n->m;
  memset(N, 0, 6 * (size_t)m->nb * sizeof *N);
  memset(x, 0, ((size_t)n->nadded + 12 * (size_t)(n->nrigid - 1)) * sizeof *x);
  /* From the coordinates of joints to wrenches N on the frames of bodies: the transposed least squares of each joint. */
  /* From these wrenches to the bases, by the transpose of (4.10). */
  for (int i = 1; i < m->nb; i++) {
    const int z0 = m->body[i].z0;
    if (m->joint[m->body[i].joint].ops->nz == 0) { continue; }
    if (!joint_rate_back(v, w, i, w->z + z0, by_z + z0, N)) { return singular(v, i, err); }
  }
  for (int i = 1; i < m->nb; i++) {
    const int r = n->rigid_of[i];
    mbd_real dual[3][3], arm[3], frame[6] = {0}, part[12];
    if (r == 0) { continue; }
    arm_of(v, w, i, arm);
    sv_add_wrench_from(frame, N + 6 * i, arm);
    natural_dual(v, q, r, dual);
    basis_motion_back(v, r, CONST3(dual), frame, part);
    for (int k = 0; k < 12; k++) { x[12 * (r - 1) + k] += part[k]; }
  }
  for (int i = 0; i < n->nadded; i++) {
    if (n->added[i] >= m->nz_tree) { x[12 * (n->nrigid - 1) + i] = by_z[n->added[i]]; }
  }
  return MBD_OK;
}
