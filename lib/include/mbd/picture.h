/* Data for pictures of a mechanism: places of its points on the bodies, shapes of its forces, the height of a road. The places of the
 * bodies at a time are given by mbd_sim_pose (simulate.h).
 *
 * Bodies are counted in the order of the tree; 0 is the ground. Places are in the body's own frame [m]. */
#ifndef MBD_PICTURE_H
#define MBD_PICTURE_H

#include "mbd/params.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A point of the model on one of its bodies; the model owns the name. It keeps this layout. */
typedef struct mbd_place {
  const char *name;
  int body;
  double x[3];
} mbd_place;

/* Returns the number of points of the model. */
int mbd_model_npoint(const mbd_model *m);

/* Sets *place to point i on the k-th of the bodies that share it. Returns 0, and does not change *place, if there are not so many. */
int mbd_params_point(const mbd_params *p, int i, int k, mbd_place *place);

/* Numbers of the design: */
void mbd_params_com(const mbd_params *p, int body, double x[3]);   /* centre of mass of a body other than the ground */
void mbd_params_gravity(const mbd_params *p, double g[3]);         /* [m/s^2], global; zero without gravity */
double mbd_params_curve(const mbd_params *p, int curve, double x); /* the value of a curve at x */

/* The picture of an element. Its ends are the two points of a spring, stop, rod, bushing or guide; the centre of a wheel; the point of a
 * push; for torsion, motor and gear the joint of each coordinate, on the body that the joint carries, or the centre of mass of a body on
 * which a torque acts. Coordinates that the user added have no place, and an element on these alone has the look MBD_LOOK_NONE. */
typedef struct mbd_force_picture {
  mbd_look look;
  int nend;
  mbd_place end[2];          /* [nend]; their names are NULL */
  double stiffness, damping; /* spring: linear coefficients [N/m, N s/m] */
  double axis
      [3]; /* wheel, torsion, motor, gear: unit axis in the frame of the body of end[0]; zero for a torque on a body */
  double radius; /* wheel [m] */
  int road;      /* wheel: curve of the road's height over the global x; -1: the plane z = 0 */
} mbd_force_picture;

/* Sets *picture to that of force i; fields that do not apply to its look are zero. */
void mbd_params_force_picture_sized(const mbd_params *p, int i, mbd_force_picture *picture, size_t size);
static inline void mbd_params_force_picture(const mbd_params *p, int i, mbd_force_picture *picture) {
  mbd_params_force_picture_sized(p, i, picture, sizeof *picture);
}

/* Sets *picture to that of constraint i. Closures of a cut joint have the look MBD_LOOK_NONE, because the joint itself is drawn. */
void mbd_params_constraint_picture_sized(const mbd_params *p, int i, mbd_force_picture *picture, size_t size);
static inline void mbd_params_constraint_picture(const mbd_params *p, int i, mbd_force_picture *picture) {
  mbd_params_constraint_picture_sized(p, i, picture, sizeof *picture);
}

/* Sets *place to the point of joint i on the second body of the description, and axis to its unit axis there. A joint without a point is placed at the
 * centre of mass of that body. */
void mbd_params_joint_place(const mbd_params *p, int i, mbd_place *place, double axis[3]);

/* Stations along beam i, k = 0, 1, ... from its clamped end to its tip: sets *at to the place that moves with the beam, on the body of the node or
 * of the point of inertia, whose name it has, and *undeformed to where it is while the beam is undeformed, on the beam's own body. Returns 0, and
 * changes nothing, past the last one or if there is no such beam. */
int mbd_params_beam_station(const mbd_params *p, int i, int k, mbd_place *at, mbd_place *undeformed);

/* Place k of body i of those with data from outside (mbd_spec_modal): of its nodes, then of its points, likewise. */
int mbd_params_modal_place(const mbd_params *p, int i, int k, mbd_place *at, mbd_place *undeformed);

/* Sets *stress to the largest stress of the section there [N/m^2], the output BEAM.stress, at the coordinates z, or to that in the middle of the beam and
 * where its section is given, if this is the nearest station and they are larger. Returns 0, and changes nothing, where there is no such station, or section = given does not tell its outermost fibres. */
int mbd_params_beam_stress(const mbd_params *p, const double *z, int i, int k, double *stress);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
