/* Topology: finds the joints, chooses those that carry the bodies (the spanning tree), and cuts the others. */
#ifndef MBD_TOPOLOGY_H
#define MBD_TOPOLOGY_H

#include "joint/joint.h"
#include "model/spec_internal.h"

/* A joint before bodies are renumbered; bodies have the numbers of the description. */
typedef struct topo_joint {
  char *name; /* owned */
  const mbd_joint_ops *ops;
  int body[2];
  int point[2], axis[2], axis_from[2]; /* coefficients; -1: none */
  int zero[2];                         /* coefficients of the vector from which its angle is measured; -1: none */
  int opposite[2];                     /* 1: the axis has a minus sign (in a mirror image) */
  mbd_cut cut;
  int requested; /* 1: a coordinate of this joint is used by name, so it should stay in the tree */
  int found;
  int in_tree, reversed;
  int beam, node; /* 1 + the beam whose node body[1] is, and number of the node; 0: another joint */
  const char *why;
} topo_joint;

typedef struct topology {
  int njoint;
  topo_joint *joint;
  unsigned char *taken; /* [nconstraint] 1: a joint that was found replaces the constraint */
  int *order;           /* [nbody] bodies of the description in tree order; order[0] = 0, the ground */
  int *joint_of;        /* [nbody] the joint that carries a body of the description; -1: the ground */
  int *parent;          /* [nbody] */
  int *level;           /* [nbody] */
} topology;

mbd_status topology_create(const mbd_spec *s, topology *t, mbd_error *err);
void topology_destroy(topology *t);

#endif
