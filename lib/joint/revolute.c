/* Revolute joint: one rotation about an axis fixed in both bodies.
 *   b = [ u x (r_i - r_j) ; u ]      (S0 Table 11) */
#include "joint/joint.h"
#include "joint/joint_math.h"

static void revolute_pose(const mbd_real *z, const mbd_real *Q, mbd_real *R, mbd_real *d) {
  (void)Q;
  joint_rot_z(R, z[0]);
  v3_set(d, 0, 0, 0);
}

static void revolute_h(const mbd_real *z, const mbd_real *Q, mbd_real *H) {
  (void)z, (void)Q;
  joint_unit_twist(H, 5);
}

static const char *const names[] = {"angle"};
static const char *const units[] = {"rad"};

const mbd_joint_ops mbd_joint_revolute = {
    JOINT(revolute, 1,
          "One rotation (angle) about an axis through a point that both bodies share. Zero where the frames of both "
          "bodies "
          "are parallel; positive as the second body turns about the axis by the right-hand rule.",
          .naxis = 1, .npoint = 1, .image = MBD_IMAGE_AXIS),
    .euler = -1,
    .mid = 1,
    .turns_only = 1,
    .measure = {MEASURE_ANGLE},
    .nclosure = 3,
    .closure = {{"coincident", NULL, NULL}, {"dot", "Px", "Cz"}, {"dot", "Py", "Cz"}},
    .shared = "z",
};
