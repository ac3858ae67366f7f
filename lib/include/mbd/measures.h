/* Masses of the bodies of a design, and places of its joints. Bodies are counted in the order of the tree; 0 is the ground. */
#ifndef MBD_MEASURES_H
#define MBD_MEASURES_H

#include "mbd/params.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Return the mass [kg] of a body other than the ground, and compute its inertia [3][3] about the centre of mass, in its frame [kg m^2]. The centre of
 * mass is given by mbd_params_com. */
double mbd_params_mass(const mbd_params *p, int body);
void mbd_params_inertia(const mbd_params *p, int body, double inertia[9]);

/* A joint on its two bodies, the first and the second of the description. Places [m] and directions are in the frame of the body;
 * coordinates measure the motion of the second body relative to the first. */
typedef struct mbd_joint_place {
  int body[2];
  int nz;             /* number of coordinates */
  int has_point;      /* 0: the joint has no point, such as a prismatic joint */
  double point[2][3]; /* they coincide where all coordinates are zero */
  int naxis;          /* 0: none; 1: axis[0] is along axis[1]; 2: the axes of a cardan joint, one on each body */
  double axis[2][3];  /* unit vectors */
  double zero
      [9]; /* [3][3] row-major: orientation of the second body in the first one's frame at zero coordinates (e0 = 1) */
} mbd_joint_place;

/* Sets *place to that of joint 0 .. mbd_model_njoint - 1 for the design p. */
void mbd_params_joint_sized(const mbd_params *p, int joint, mbd_joint_place *place, size_t size);
static inline void mbd_params_joint(const mbd_params *p, int joint, mbd_joint_place *place) {
  mbd_params_joint_sized(p, joint, place, sizeof *place);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
