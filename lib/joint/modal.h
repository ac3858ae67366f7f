/* The joint between a flexible body and one of its nodes: the coordinates of the joint are the amplitudes eta of the shapes of the flexible
 * body, and all its nodes have the same ones. In the frame of the joint, e_z along the undeformed body, the node is displaced and turned by
 *   d = L (a e_z + S eta + 1/2 e_z eta' G eta),   phi = Psi eta,   R = 1 + 4/(4 + |phi|^2) (phi~ + phi~ phi~/2)
 * theory.md §12 (12.1), with shapes S, Psi and foreshortening G per unit of the length L of the body. The numbers of a node stand one behind
 * the other: nm, L, a, then S_k [3], Psi_k [3] of shape k = 0 ... nm - 1, then G [nm][nm]. All translations are in proportion to L: it is
 * the scale of the joint (joint.h). */
#ifndef MBD_MODAL_H
#define MBD_MODAL_H

#include "joint/joint.h"

enum { MODAL_COUNT, MODAL_SCALE, MODAL_AT, MODAL_SHAPES };

/* How many numbers a node of a body with nm shapes has; places of S_k and of G in them. */
static inline int modal_size(int nm) {
  return MODAL_SHAPES + 6 * nm + nm * nm;
}
static inline int modal_shape(int k) {
  return MODAL_SHAPES + 6 * k;
}
static inline int modal_shortening(int nm) {
  return MODAL_SHAPES + 6 * nm;
}

const mbd_joint_ops *modal_joint(int nm); /* of nm shapes, 1 <= nm <= MBD_NZ_MAX */

#endif
