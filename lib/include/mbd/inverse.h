/* Inverse dynamics: the motion is given, the forces are wanted; with all their derivatives (S4 (9), (16), (17); theory.md §3).
 *
 *   Q(z, zd, zdd, t, wrenches; theta) = M zdd - (forces of the model, gravity, gyroscopic terms) - (wrenches from outside)     [nz]
 *
 * is what has to act along the coordinates, beside the forces of the model and the wrenches from outside, for this motion: torques in
 * [N m] on angles, forces in [N] on distances. Any motion will do, constraints are not looked at: where there are some, the drives and
 * the reactions have Q together. */
#ifndef MBD_INVERSE_H
#define MBD_INVERSE_H

#include "mbd/params.h"
#include "mbd/work.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_inverse mbd_inverse;

/* A force and a torque from outside, in global axes, on a body at a point that is fixed in it. */
typedef struct mbd_wrench {
  int body;         /* in tree order, 1 .. mbd_model_nbody */
  double point[3];  /* where the force acts, in the frame of the body [m] */
  double force[3];  /* [N] */
  double torque[3]; /* [N m] */
} mbd_wrench;

/* All memory that evaluations need, for one thread.
 * reference  reference points of the recursion, which change no result
 * nwrench    the most wrenches from outside at once
 * The model must outlive the object. */
mbd_status mbd_inverse_create(const mbd_model *m, mbd_reference reference, int nwrench, mbd_inverse **out,
                              mbd_error *err);
void mbd_inverse_destroy(mbd_inverse *v); /* NULL allowed */

/* The forces of a motion. No allocation; cost O(bodies + forces + wrenches).
 * p          of the object's model; kept, with its values, until the next call, for the derivatives
 * t          time [s], which forces see through curves
 * z, zd, zdd [nz] each; wrench [nwrench], all copied
 * Q          out [nz]
 * returns    MBD_BAD_INPUT for parameters of another model, too many wrenches, or one on no body;
 *            MBD_NOT_FINITE with the name of the coordinate if a force is no finite number: there are no derivatives then */
mbd_status mbd_inverse_dynamics(mbd_inverse *v, const mbd_params *p, double t, const double *z, const double *zd,
                                const double *zdd, int nwrench, const mbd_wrench *wrench, double *Q, mbd_error *err);

/* ---- derivatives, at the motion of the last mbd_inverse_dynamics, which has returned MBD_OK ---- */

/* Q_z = dQ/dz, Q_zd = dQ/dzd, Q_zdd = dQ/dzdd = M, [nz][nz] row-major, row i of Q_i. The memory is the object's and holds until the next
 * call of a function of it. Cost O(sum of the depths of the coordinates) and the forces'. */
void mbd_inverse_jacobian(mbd_inverse *v, const double **Q_z, const double **Q_zd, const double **Q_zdd);

/* Where they can differ from zero, whatever the motion: row i has such columns col[i * nz + k], k < count[i], increasing; all other
 * entries are exact zeros. Q_i depends on coordinate j where one of both is on the other's way to the ground, and where a force reaches
 * from branch to branch; of Q_zdd the latter do not count. A tree of joints of one coordinate with no such forces has
 * 2 (sum of the depths) - nz of them. */
typedef enum mbd_inverse_by { MBD_INVERSE_Z, MBD_INVERSE_ZD, MBD_INVERSE_ZDD } mbd_inverse_by;
void mbd_inverse_pattern(const mbd_inverse *v, mbd_inverse_by by, const int **count, const int **col);

/* dQ [nz], the change of Q along a direction of everything at once, each NULL: held.
 * d             of the coefficients, set for the parameters of the motion
 * dz, dzd, dzdd [nz]
 * dwrench       [nwrench] changes of points, forces and torques; their body is not read
 * Cost O(bodies + forces + wrenches). */
void mbd_inverse_along(mbd_inverse *v, const mbd_dparams *d, const double *dz, const double *dzd, const double *dzdd,
                       const mbd_wrench *dwrench, double *dQ);

/* The transpose: derivatives of L = mu . Q for fixed weights mu [nz] by everything at once, each NULL: not wanted. They are *added* to
 *   theta       [ncoef] of all coefficients
 *   z, zd, zdd  [nz]
 *   wrench      [nwrench] of points, forces and torques
 * With dQ of a direction, mu . dQ = theta . dtheta + z . dz + ... Cost that of a few evaluations, whatever their number. */
void mbd_inverse_pull(mbd_inverse *v, const double *mu, double *theta, double *z, double *zd, double *zdd,
                      mbd_wrench *wrench);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
