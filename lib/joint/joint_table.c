/* The table of joints: a new joint is one file and one word here. */
#include "base/table.h"
#include "joint/joint.h"

#define MBD_JOINTS(X) X(revolute) X(prismatic) X(cylindrical) X(cardan) X(spherical) X(planar) X(floating) X(weld)

#define DECLARED(n) extern const mbd_joint_ops mbd_joint_##n;
#define LISTED(n)   &mbd_joint_##n,
MBD_JOINTS(DECLARED)

MBD_TABLE(mbd_joint_ops, MBD_JOINTS(LISTED), mbd_joint_at, mbd_joint_find, mbd_joint_name, info.name)

MBD_TABLE_PART(const mbd_joint_info *, mbd_joint_info_at, mbd_joint_at, info)
