/* Inverse dynamics: the forces for a given motion, with all their derivatives (S4 (9), (16), (17); theory.md §3 (3.8)).
 *
 *   Q(z, zd, zdd, t, wrenches; theta) = M zdd - (forces of the model, gravity, gyroscopic terms) - (wrenches from outside)     [nz]
 *
 * are the generalized forces along the coordinates that this motion requires in addition to the forces of the model and the external
 * wrenches: torques in [N m] on angles, forces in [N] on distances. The motion need not satisfy constraints; if there are some, Q is the
 * sum of the forces of drives and of the reactions. */
#ifndef MBD_INVERSE_H
#define MBD_INVERSE_H

#include "mbd/params.h"
#include "mbd/work.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_inverse mbd_inverse;

/* An external force and torque, in global axes, on a body at a point that is fixed in it. It keeps this layout. */
typedef struct mbd_wrench {
  int body;         /* number in the order of the tree, 1 .. mbd_model_nbody */
  double point[3];  /* where the force acts, in the frame of the body [m] */
  double force[3];  /* [N] */
  double torque[3]; /* [N m] */
} mbd_wrench;

/* Takes all memory that evaluations need, for one thread.
 * reference  reference points of the recursion, which change no result
 * nwrench    largest number of external wrenches
 * The model must outlive the object. MBD_NO_MEMORY; *out is NULL then. */
mbd_status mbd_inverse_create(const mbd_model *m, mbd_reference reference, int nwrench, mbd_inverse **out,
                              mbd_error *err);
void mbd_inverse_destroy(mbd_inverse *v); /* NULL allowed */

/* The forces of a motion. No allocation; cost O(bodies + forces + wrenches).
 * p          parameters of the object's model; they must not change until the last call for derivatives at this motion
 * t          time [s], the argument of curves over time
 * z, zd, zdd [nz] each; wrench [nwrench], all copied
 * Q          out [nz]
 * returns    MBD_BAD_INPUT for parameters of another model, too many wrenches, or a wrench on a body that does not exist;
 *            MBD_NOT_FINITE, with the name of the coordinate, if a force is not a finite number; there are no derivatives then */
mbd_status mbd_inverse_dynamics(mbd_inverse *v, const mbd_params *p, double t, const double *z, const double *zd,
                                const double *zdd, int nwrench, const mbd_wrench *wrench, double *Q, mbd_error *err);

/* ---- derivatives, at the motion of the last mbd_inverse_dynamics, which has returned MBD_OK ---- */

/* Computes Q_z = dQ/dz, Q_zd = dQ/dzd, Q_zdd = dQ/dzdd = M, [nz][nz] row-major, row i for Q_i. The object owns the memory, which is valid until the
 * next call of a function with this object. Cost O(sum of the depths of the coordinates) and that of the forces. */
void mbd_inverse_jacobian(mbd_inverse *v, const double **Q_z, const double **Q_zd, const double **Q_zdd);

/* Lists the nonzeros of these matrices, which are the same for every motion: those of row i are in columns col[i * nz + k], k < count[i], increasing;
 * all other entries are exactly zero. Q_i depends on coordinate j if one of their joints is between the other and the ground, or if a force connects
 * their branches; the latter does not matter for Q_zdd. A tree of joints of one coordinate without such forces has 2 (sum of the depths) - nz of
 * them. */
typedef enum mbd_inverse_by { MBD_INVERSE_Z, MBD_INVERSE_ZD, MBD_INVERSE_ZDD } mbd_inverse_by;
void mbd_inverse_pattern(const mbd_inverse *v, mbd_inverse_by by, const int **count, const int **col);

/* Computes dQ [nz], the change of Q along a direction of coefficients, motion and wrenches; arguments that are NULL are held fixed.
 * d             direction of the coefficients, set for the parameters of the motion
 * dz, dzd, dzdd [nz]
 * dwrench       [nwrench] changes of points, forces and torques; the member `body` is not read
 * Cost O(bodies + forces + wrenches). */
void mbd_inverse_along(mbd_inverse *v, const mbd_dparams *d, const double *dz, const double *dzd, const double *dzdd,
                       const mbd_wrench *dwrench, double *dQ);

/* Computes the transpose: derivatives of L = mu . Q for fixed weights mu [nz]; arguments that are NULL are not computed. They are *added* to
 *   theta       [ncoef] derivatives by all coefficients
 *   z, zd, zdd  [nz]
 *   wrench      [nwrench] derivatives by points, forces and torques
 * For every direction, mu . dQ = theta . dtheta + z . dz + ... Cost: a few evaluations, whatever the number of coefficients. */
void mbd_inverse_transpose(mbd_inverse *v, const double *mu, double *theta, double *z, double *zd, double *zdd,
                           mbd_wrench *wrench);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
