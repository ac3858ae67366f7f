/* Cardan (universal) joint: a rotation about an axis u fixed in the parent, then one about an axis w fixed in the
 * child.  A_i = A_h Rot(u, z1) Rot(w, z2): the body frames are parallel at z = 0. In the joint frame, with
 * Q = F_P' F_C:  R = Rz(z1) Q Rz(z2), and the second axis is  w = Rz(z1) Q e_z.
 * Equations: theory.md §2 (2.1). */
#include "joint/joint.h"
#include "joint/joint_math.h"

static void second_axis(const mbd_real *z, const mbd_real *Q, mbd_real *w) {
  mbd_real R1[9], q[3] = {Q[2], Q[5], Q[8]};
  joint_rot_z(R1, z[0]);
  m3_vec(w, R1, q);
}

static void cardan_pose(const mbd_real *z, const mbd_real *Q, mbd_real *R, mbd_real *d) {
  mbd_real R1[9], R2[9], R1Q[9];
  joint_rot_z(R1, z[0]);
  joint_rot_z(R2, z[1]);
  m3_mul(R1Q, R1, Q);
  m3_mul(R, R1Q, R2);
  v3_set(d, 0, 0, 0);
}

static void cardan_h(const mbd_real *z, const mbd_real *Q, mbd_real *H) {
  joint_unit_twist(H, 5);
  v3_set(H + 6, 0, 0, 0);
  second_axis(z, Q, H + 9);
}

/* e_z x w, the derivative of w in z1. */
static void second_axis_dz1(const mbd_real *z, const mbd_real *Q, mbd_real *dw) {
  mbd_real w[3];
  second_axis(z, Q, w);
  v3_set(dw, -w[1], w[0], 0);
}

static void cardan_hd_zd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *g) {
  mbd_real dw[3];
  second_axis_dz1(z, Q, dw);
  v3_set(g, 0, 0, 0);
  v3_scale(g + 3, zd[0] * zd[1], dw);
}

static void cardan_dh(const mbd_real *z, const mbd_real *Q, mbd_real *dH) {
  memset(dH, 0, sizeof(mbd_real) * 2 * 2 * 6);
  second_axis_dz1(z, Q, dH + 6 * (0 * 2 + 1) + 3); /* dH_2/dz_1 */
}

static void cardan_dh_times(const mbd_real *z, const mbd_real *Q, const mbd_real *x, mbd_real *out) {
  mbd_real dw[3];
  second_axis_dz1(z, Q, dw);
  memset(out, 0, sizeof(mbd_real) * 2 * 6);
  v3_scale(out + 3, x[1], dw);
}

static void cardan_hd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *Hd) {
  mbd_real dw[3];
  second_axis_dz1(z, Q, dw);
  memset(Hd, 0, sizeof(mbd_real) * 2 * 6);
  v3_scale(Hd + 6 + 3, zd[0], dw);
}

static void cardan_dhd_zd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *dg) {
  mbd_real w[3];
  second_axis(z, Q, w);
  memset(dg, 0, sizeof(mbd_real) * 2 * 6);
  v3_set(dg + 3, -w[0] * zd[0] * zd[1], -w[1] * zd[0] * zd[1], 0); /* e_z x (e_z x w) zd1 zd2 */
}

static const char *const names[] = {"angle1", "angle2"};
static const char *const units[] = {"rad", "rad"};

const mbd_joint_ops mbd_joint_cardan = {
    JOINT(cardan, 2,
          "Universal joint: a rotation (angle1) about an axis fixed in the body nearer to the ground, then "
          "one (angle2) about an axis fixed in the other. The body frames are parallel at zero angles; positive angles "
          "turn "
          "the second body of the joint relative to the first by the right-hand rule.",
          .naxis = 2, .npoint = 1, .image = MBD_IMAGE_AXIS),
    .euler = -1,
    .mid = 1,
    JOINT_COLUMNS_CHANGE(cardan),
    .measure = {{"angle_coordinate", {"Cz", "Pe", "Pf"}}, {"angle_coordinate", {"Pz", "Ce", "Cf"}}},
    .nclosure = 2,
    .closure = {{"coincident", NULL, NULL}, {"dot_design", "Pz", "Cz"}},
};
