/* Cylindrical joint: translation along and rotation about one axis.
 *   b = [ u , u x (r_i - r_j) ; 0 , u ]      (S0 Table 11) */
#include "joint/joint.h"
#include "joint/joint_math.h"

static void cylindrical_pose(const mbd_real *z, const mbd_real *Q, mbd_real *R, mbd_real *d) {
  (void)Q;
  joint_rot_z(R, z[1]);
  v3_set(d, 0, 0, z[0]);
}

static void cylindrical_h(const mbd_real *z, const mbd_real *Q, mbd_real *H) {
  (void)z, (void)Q;
  joint_unit_twist(H, 2);
  joint_unit_twist(H + 6, 5);
}

static const char *const names[] = {"distance", "angle"};
static const char *const units[] = {"m", "rad"};

const mbd_joint_ops mbd_joint_cylindrical = {
    JOINT(
        cylindrical, 2,
        "Translation (distance) along and rotation (angle) about one axis. Zero where the points of the joint coincide "
        "and the frames of both bodies are parallel; positive as the second body moves along and turns about the axis.",
        .naxis = 1, .npoint = 1, .image = MBD_IMAGE_DIRECTION),
    .euler = -1,
    .mid = 2,
    .measure = {MEASURE_TRAVEL("Pz"), MEASURE_ANGLE},
    .nclosure = 4,
    .closure = {{"dot", "Px", "d"}, {"dot", "Py", "d"}, {"dot", "Px", "Cz"}, {"dot", "Py", "Cz"}},
    .shared = "z",
};
