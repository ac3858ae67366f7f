/* The table of joints: a new joint is one file and one word here. */
#include <string.h>

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

enum { N_JOINTS = sizeof joints / sizeof joints[0] };

const mbd_joint_ops *mbd_joint_at(int i) {
  return i >= 0 && i < N_JOINTS ? joints[i] : NULL;
}

const mbd_joint_ops *mbd_joint_find(const char *name) {
  for (int i = 0; i < N_JOINTS; i++) {
    if (strcmp(joints[i]->info.name, name) == 0) { return joints[i]; }
  }
  return NULL;
}

const mbd_joint_info *mbd_joint_info_at(int i) {
  const mbd_joint_ops *j = mbd_joint_at(i);
  return j ? &j->info : NULL;
}
