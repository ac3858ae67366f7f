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

/* The number of points of the model. */
int mbd_model_npoint(const mbd_model *m);

/* Point i on the k-th of the bodies that share it. Returns 0, and leaves q alone, where there are no more. */
int mbd_params_point(const mbd_params *p, int i, int k, mbd_place *q);

void mbd_params_com(const mbd_params *p, int body, double x[3]);   /* centre of mass of a body but the ground */
void mbd_params_gravity(const mbd_params *p, double g[3]);         /* [m/s^2], global; zero without gravity */
double mbd_params_curve(const mbd_params *p, int curve, double x); /* its value at x */

/* What an element looks like. Its places: of spring, stop, rod, bushing and guide the two ends; of a wheel its centre; of a push its point;
 * of torsion, motor and gear the joint of each coordinate, on the body that the joint carries, or the centre of mass of a body that is
 * turned. Coordinates that were added to those of the joints have no place, and an element of such alone the look MBD_LOOK_NONE. */
typedef struct mbd_force_picture {
  mbd_look look;
  int nend;
  mbd_place end[2];          /* [nend] names are NULL */
  double stiffness, damping; /* spring: linear ones [N/m, N s/m] */
  double axis[3]; /* wheel, torsion, motor, gear: unit axis in the frame of the body of end[0]; of a turned body zero */
  double radius;  /* wheel [m] */
  int road;       /* wheel: curve of the road's height over the global x; -1: the plane z = 0 */
} mbd_force_picture;

/* What force i looks like; fields that its look has not are zero. */
void mbd_params_force_picture(const mbd_params *p, int i, mbd_force_picture *q);

/* The same of constraint i. What closes a cut joint looks like nothing: the joint is there. */
void mbd_params_constraint_picture(const mbd_params *p, int i, mbd_force_picture *q);

/* The point of joint i on its second body as the model file names them, and its unit axis there; of a joint without a point the centre of
 * mass, as above. */
void mbd_params_joint_place(const mbd_params *p, int i, mbd_place *q, double axis[3]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
