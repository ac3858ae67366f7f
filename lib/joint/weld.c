/* Weld: no motion. The bodies keep the relative position and orientation that they have at the design position: the
 * joint's points coincide, the body frames stay parallel. R = 1, d = 0, and there is no column.
 * Equations: theory.md §2 (2.1). */
#include "joint/joint.h"
#include "joint/joint_math.h"

static void weld_pose(const mbd_real *z, const mbd_real *Q, mbd_real *R, mbd_real *d) {
  (void)z, (void)Q;
  m3_identity(R);
  v3_set(d, 0, 0, 0);
}

static void weld_h(const mbd_real *z, const mbd_real *Q, mbd_real *H) {
  (void)z, (void)Q, (void)H;
}

static const char *const names[] = {NULL};
static const char *const units[] = {NULL};

const mbd_joint_ops mbd_joint_weld = {
    JOINT(weld, 0,
          "No motion: the second body is fixed to the first, its point at that of the first (without points: body "
          "frame at "
          "body frame), the body frames parallel. Has no coordinates.",
          .naxis = 0, .npoint = 0, .image = MBD_IMAGE_AXIS),
    .euler = -1,
    .mid = 0,
    .nclosure = 4,
    .closure = {{"coincident", NULL, NULL}, {"dot", "Px", "Cz"}, {"dot", "Py", "Cz"}, {"dot", "Px", "Cy"}},
    .shared = "zx",
};
