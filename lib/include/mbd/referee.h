/* The referee: exact derivatives of a whole simulation by complex step, to check all others against.
 *
 * It lives in a library of its own, libmbd_complex: the sources of libmbd built with a complex scalar. A perturbation
 * i h theta' of the coefficients, h tiny, gives psi' = Im(psi)/h with no subtraction. It shares the residual path with
 * the product build, but none of the hand-written derivatives decides its result: they only speed up its iterations.
 * Cost: some ten simulations per direction. */
#ifndef MBD_REFEREE_H
#define MBD_REFEREE_H

#include "mbd/inverse.h"
#include "mbd/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_referee mbd_referee;

/* Compile the description and the outputs (names as for mbd_outputs_add, in the same order, so that terms number them
 * alike) in the complex library. */
mbd_status mbd_referee_create(const mbd_spec *s, const mbd_case *c, int nname, const char *const *name, int nterm,
                              const mbd_term *term, int npsi, mbd_referee **out, mbd_error *err);
void mbd_referee_destroy(mbd_referee *r);

/* psi [npsi] and its derivative dpsi [npsi] along the direction (index[k], value[k]), k < n, at theta [ncoef]. */
mbd_status mbd_referee_derivative(mbd_referee *r, const double *theta, int n, const int *index, const double *value,
                                  double *psi, double *dpsi, mbd_error *err);

/* Second derivatives: the complex step of the discrete adjoint, which decides the result. With g = dpsi/dtheta by the adjoint,
 * a perturbation i h theta' gives  H theta' = Im(g)/h,  exact for the objective that is computed.
 * o       as for mbd_sim_adjoint: which coefficients, how much memory
 * gtheta  [npsi][ncoef] dpsi/dtheta, and dgtheta [npsi][ncoef] its derivative along the direction; entries of other
 *         coefficients are not defined
 * Cost: a simulation and a pass backwards in complex arithmetic. MBD_UNSUPPORTED: the formulation has no adjoint. */
mbd_status mbd_referee_second(mbd_referee *r, const double *theta, const mbd_adjoint_options *o, int n,
                              const int *index, const double *value, double *psi, double *gtheta, double *dgtheta,
                              mbd_error *err);

/* Inverse dynamics (inverse.h): the residual at a motion, and its derivative, by one evaluation in complex numbers. */
typedef struct mbd_referee_inverse mbd_referee_inverse;
mbd_status mbd_referee_inverse_create(const mbd_spec *s, mbd_reference reference, mbd_referee_inverse **out,
                                      mbd_error *err);
void mbd_referee_inverse_destroy(mbd_referee_inverse *r);

/* A motion at a time, or a direction of one (t: not read): arrays [nz] and [nwrench]. */
typedef struct mbd_referee_motion {
  double t;
  const double *z, *zd, *zdd;
  const mbd_wrench *wrench;
} mbd_referee_motion;

/* Q [nz] and its derivative dQ [nz] at theta [ncoef] along the direction (index[k], value[k]), k < n, of the coefficients and `along` of
 * the motion, whose arrays may be NULL: held. */
mbd_status mbd_referee_inverse_derivative(mbd_referee_inverse *r, const double *theta, const mbd_referee_motion *at,
                                          int nwrench, int n, const int *index, const double *value,
                                          const mbd_referee_motion *along, double *Q, double *dQ, mbd_error *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
