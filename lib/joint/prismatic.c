/* Prismatic joint: one translation along an axis, no rotation.
 *   b = [ u ; 0 ]      (S0 Table 11) */
#include "joint/joint.h"
#include "joint/joint_math.h"

static void prismatic_pose(const mbd_real *z, const mbd_real *Q, mbd_real *R, mbd_real *d) {
  (void)Q;
  m3_identity(R);
  v3_set(d, 0, 0, z[0]);
}

static void prismatic_h(const mbd_real *z, const mbd_real *Q, mbd_real *H) {
  (void)z, (void)Q;
  joint_unit_twist(H, 2);
}

static const char *const names[] = {"distance"};
static const char *const units[] = {"m"};

const mbd_joint_ops mbd_joint_prismatic = {
    JOINT(prismatic, 1,
          "One translation (distance) along an axis; the bodies keep their relative orientation. Zero where the points "
          "of "
          "the joint coincide (without points: the origins of the body frames, along the axis); positive as the second "
          "body moves along the axis.",
          .naxis = 1, .npoint = 0, .image = MBD_IMAGE_DIRECTION),
    .euler = -1,
    .mid = 1,
    .measure = {MEASURE_TRAVEL("Pz")},
    .nclosure = 5,
    .closure = {{"dot", "Px", "d"}, {"dot", "Py", "d"}, {"dot", "Px", "Cz"}, {"dot", "Py", "Cz"}, {"dot", "Px", "Cy"}},
    .shared = "zx",
};
