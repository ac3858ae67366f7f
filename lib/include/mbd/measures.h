/* What the bodies of a design weigh, and where its joints are on them. Bodies are counted in tree order, 0 is the ground. */
#ifndef MBD_MEASURES_H
#define MBD_MEASURES_H

#include "mbd/params.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Mass [kg] of a body but the ground; inertia [3][3] about its centre of mass, in its frame [kg m^2]; com: mbd_params_com. */
double mbd_params_mass(const mbd_params *p, int body);
void mbd_params_inertia(const mbd_params *p, int body, double inertia[9]);

/* A joint as its two bodies carry it, the first and the second of the description. Places [m] and directions are in the frame
 * of the body; coordinates measure the second body relative to the first. */
typedef struct mbd_joint_place {
  int body[2];
  int nz;             /* coordinates */
  int has_point;      /* 0: its place plays no part, as of a prismatic joint */
  double point[2][3]; /* they meet where all coordinates are zero */
  int naxis;          /* 0; 1: axis[0] is along axis[1]; 2: a cardan joint's axes, one on each body */
  double axis[2][3];  /* unit */
  double
      zero[9]; /* frame of the second body where all coordinates are zero (e0 = 1): columns in the frame of the first */
} mbd_joint_place;

void mbd_params_joint(const mbd_params *p, int joint, mbd_joint_place *q); /* joint = 0 .. mbd_model_njoint - 1 */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
