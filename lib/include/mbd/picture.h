/* What a picture of a mechanism needs: where its points are on the bodies, what its forces look like, how high a road is.
 * Where the bodies are at a time: mbd_sim_pose (simulate.h).
 *
 * Bodies are counted in tree order, 0 is the ground. Places are in the body's own frame [m]. */
#ifndef MBD_PICTURE_H
#define MBD_PICTURE_H

#include "mbd/params.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A point of the model as one body has it; the name is the model's. */
typedef struct mbd_place {
  const char *name;
  int body;
  double x[3];
} mbd_place;

int mbd_model_npoint(const mbd_model *m);

/* Point i on the k-th of the bodies that share it. Returns 0, and leaves q alone, where there are no more. */
int mbd_params_point(const mbd_params *p, int i, int k, mbd_place *q);

void mbd_params_com(const mbd_params *p, int body, double x[3]);   /* centre of mass of a body but the ground */
void mbd_params_gravity(const mbd_params *p, double g[3]);         /* [m/s^2], global; zero without gravity */
double mbd_params_curve(const mbd_params *p, int curve, double x); /* its value at x */

typedef struct mbd_force_picture {
  mbd_look look;
  mbd_place end[2];          /* spring, stop: its ends; wheel: end[0] is its centre. Names are NULL */
  double stiffness, damping; /* spring: linear ones [N/m, N s/m] */
  double axis[3];            /* wheel: unit spin axis in the frame of its body */
  double radius;             /* wheel [m] */
  int road;                  /* wheel: curve of the road's height over the global x; -1: the plane z = 0 */
} mbd_force_picture;

/* What force i looks like; fields that its look has not are zero. */
void mbd_params_force_picture(const mbd_params *p, int i, mbd_force_picture *q);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
