/* The table of joints: a new joint is one file and one word here. */
#include "base/table.h"
#include "joint/joint.h"

#define MBD_JOINTS(X) X(revolute) X(prismatic) X(cylindrical) X(cardan) X(spherical) X(planar) X(floating)

#define X(n) extern const mbd_joint_ops mbd_joint_##n;
MBD_JOINTS(X)
#undef X

static const mbd_joint_ops *const joints[] = {
#define X(n) &mbd_joint_##n,
    MBD_JOINTS(X)
#undef X
};

MBD_TABLE(mbd_joint_ops, joints, mbd_joint_at, mbd_joint_find, info.name)

const mbd_joint_info *mbd_joint_info_at(int i) {
  const mbd_joint_ops *j = mbd_joint_at(i);
  return j ? &j->info : NULL;
}
