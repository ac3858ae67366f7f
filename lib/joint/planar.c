/* Planar joint: two translations in a plane fixed in the parent, and a rotation about its normal e_z.
 * The rotation's axis goes through the displaced point, d = (z1, z2, 0):  H_3 = [ d x e_z ; e_z ].
 * Equations: theory.md §2 (2.1). */
#include "joint/joint.h"
#include "joint/joint_math.h"

static void planar_pose(const mbd_real *z, const mbd_real *Q, mbd_real *R, mbd_real *d) {
  (void)Q;
  joint_rot_z(R, z[2]);
  v3_set(d, z[0], z[1], 0);
}

static void planar_h(const mbd_real *z, const mbd_real *Q, mbd_real *H) {
  (void)Q;
  joint_unit_twist(H, 0);
  joint_unit_twist(H + 6, 1);
  joint_unit_twist(H + 12, 5);
  H[12] = z[1], H[13] = -z[0];
}

static void planar_hd_zd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *g) {
  (void)z, (void)Q;
  memset(g, 0, sizeof(mbd_real) * 6);
  g[0] = zd[1] * zd[2], g[1] = -zd[0] * zd[2];
}

static void planar_dh(const mbd_real *z, const mbd_real *Q, mbd_real *dH) {
  (void)z, (void)Q;
  memset(dH, 0, sizeof(mbd_real) * 3 * 3 * 6);
  dH[6 * (0 * 3 + 2) + 1] = -1; /* dH_3/dz_1 = [ -e_y ; 0 ] */
  dH[6 * (1 * 3 + 2) + 0] = 1;  /* dH_3/dz_2 = [  e_x ; 0 ] */
}

static void planar_dh_times(const mbd_real *z, const mbd_real *Q, const mbd_real *x, mbd_real *out) {
  (void)z, (void)Q;
  memset(out, 0, sizeof(mbd_real) * 3 * 6);
  out[1] = -x[2], out[6] = x[2];
}

static void planar_hd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *Hd) {
  (void)z, (void)Q;
  memset(Hd, 0, sizeof(mbd_real) * 3 * 6);
  Hd[12] = zd[1], Hd[13] = -zd[0];
}

static void planar_dhd_zd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *dg) {
  (void)z, (void)Q, (void)zd;
  memset(dg, 0, sizeof(mbd_real) * 3 * 6);
}

static const char *const names[] = {"x", "y", "angle"};
static const char *const units[] = {"m", "m", "rad"};

const mbd_joint_ops mbd_joint_planar = {
    JOINT(planar, 3,
          "Two translations (x, y) in a plane and a rotation (angle) about its normal, the axis, of the body farther "
          "from "
          "the ground relative to the other. Zero where the points of the joint coincide and the body frames are "
          "parallel; with `zero`, x is along that vector. If the body farther from the ground is the "
          "first one of the joint, y and angle have the opposite sign.",
          .naxis = 1, .npoint = 1),
    .euler = -1,
    .mid = 3,
    JOINT_COLUMNS_CHANGE(planar),
    .measure = {MEASURE_TRAVEL("Px"), MEASURE_TRAVEL("Py"), MEASURE_ANGLE},
    .nclosure = 3,
    .closure = {{"dot", "Pz", "d"}, {"dot", "Px", "Cz"}, {"dot", "Py", "Cz"}},
    .shared = "z",
};
