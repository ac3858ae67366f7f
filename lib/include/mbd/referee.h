/* The referee: derivatives of a whole simulation by complex step (theory.md §7.5 (7.9)), against which all others are checked.
 *
 * It is a separate library, libmbd_complex: the sources of libmbd built with complex numbers. A perturbation i h theta'
 * of the coefficients with a very small h gives psi' = Im(psi)/h without a subtraction. It evaluates the same residuals
 * as libmbd, but its result does not depend on the analytical derivatives, which only make its iterations converge.
 * Cost: some ten simulations for each direction. */
#ifndef MBD_REFEREE_H
#define MBD_REFEREE_H

#include "mbd/inverse.h"
#include "mbd/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_referee mbd_referee;

/* Compiles the description and the outputs in the complex library; the caller destroys *out. name [nname]: the names given to
 * mbd_outputs_add, in the same order, so that terms have the same numbers of outputs. Errors: those of mbd_model_create, mbd_outputs_add and
 * mbd_sim_create; *out is NULL then. */
mbd_status mbd_referee_create_sized(const mbd_spec *s, const mbd_case *c, size_t case_size, int nname,
                                    const char *const *name, int nterm, const mbd_term *term, size_t term_size,
                                    int npsi, mbd_referee **out, mbd_error *err);
static inline mbd_status mbd_referee_create(const mbd_spec *s, const mbd_case *c, int nname, const char *const *name,
                                            int nterm, const mbd_term *term, int npsi, mbd_referee **out,
                                            mbd_error *err) {
  return mbd_referee_create_sized(s, c, sizeof *c, nname, name, nterm, term, sizeof *term, npsi, out, err);
}
void mbd_referee_destroy(mbd_referee *r); /* NULL allowed */

/* Computes psi [npsi] and its derivative dpsi [npsi] along the direction (index[k], value[k]), k < n, at theta [ncoef]. Errors: those
 * of mbd_params_set and mbd_sim_run. */
mbd_status mbd_referee_derivative(mbd_referee *r, const double *theta, int n, const int *index, const double *value,
                                  double *psi, double *dpsi, mbd_error *err);

/* Computes second derivatives by the complex step of the discrete adjoint. With g = dpsi/dtheta by the adjoint,
 * a perturbation i h theta' gives  H theta' = Im(g)/h,  exact for the objective that is computed.
 * o       options of mbd_sim_adjoint; with o->nsum > 0 the derivatives are those of the sums, [nsum][ncoef] each
 * gtheta  [npsi][ncoef] dpsi/dtheta, and dgtheta [npsi][ncoef] its derivative along the direction; entries of other
 *         coefficients are not defined
 * Cost: a simulation and a reverse pass in complex arithmetic. Errors: those of mbd_params_set and mbd_sim_adjoint; MBD_UNSUPPORTED also for a
 * user force without second derivatives. */
mbd_status mbd_referee_second_sized(mbd_referee *r, const double *theta, const mbd_adjoint_options *o, size_t size,
                                    int n, const int *index, const double *value, double *psi, double *gtheta,
                                    double *dgtheta, mbd_error *err);
static inline mbd_status mbd_referee_second(mbd_referee *r, const double *theta, const mbd_adjoint_options *o, int n,
                                            const int *index, const double *value, double *psi, double *gtheta,
                                            double *dgtheta, mbd_error *err) {
  return mbd_referee_second_sized(r, theta, o, sizeof *o, n, index, value, psi, gtheta, dgtheta, err);
}

/* The derivative of the linear system x' = A x of small motions about the start (linearize.h) along a direction: A and dA, in new arrays [order][order] that
 * the caller frees by free. An eigenvalue with the right and left vectors r and l changes by l'dA r/(l'r). Exact for the
 * matrices that are computed, whose second derivatives of forces and third ones of constraints it takes. Errors: those of mbd_params_set and
 * mbd_sim_linearize; MBD_UNSUPPORTED also for a user force without second derivatives. */
mbd_status mbd_referee_linearize(mbd_referee *r, const double *theta, int n, const int *index, const double *value,
                                 int *order, double **A, double **dA, mbd_error *err);

/* The derivatives by all coefficients of sums of eigenvalues, Re sum_i c_i lambda_i, of modes of the start at theta (mbd_sim_modes of the same case at the same
 * theta), by reverse passes: exact, theory.md §7.7.
 * vectors   [nmode] mbd_modes_vectors of each of them
 * weight    [ncolumn][nmode][2] c: real part, imaginary part; ncolumn at most npsi of the referee
 * requested [ncoef] 1: a coefficient whose derivative is needed; NULL: all
 * gtheta    [ncolumn][ncoef]
 * Cost: a start in complex arithmetic, two motions for each mode and a reverse pass for each column at each of these, and the adjoint of a start, whatever
 * the number of coefficients. Errors: those of mbd_params_set and mbd_sim_start; MBD_UNSUPPORTED also for a user force without second derivatives. */
mbd_status mbd_referee_modes(mbd_referee *r, const double *theta, int ncolumn, int nmode, const double *const *vectors,
                             const double *weight, const unsigned char *requested, double *gtheta, mbd_error *err);

/* Inverse dynamics (inverse.h): the residual at a motion, and its derivative, by one evaluation in complex numbers. The caller destroys *out.
 * Errors: those of mbd_model_create and mbd_inverse_create; *out is NULL then. */
typedef struct mbd_referee_inverse mbd_referee_inverse;
mbd_status mbd_referee_inverse_create(const mbd_spec *s, mbd_reference reference, mbd_referee_inverse **out,
                                      mbd_error *err);
void mbd_referee_inverse_destroy(mbd_referee_inverse *r); /* NULL allowed */

/* A motion at a time, or a direction of one (t: not read): arrays [nz] and [nwrench]. It keeps this layout. */
typedef struct mbd_referee_motion {
  double t;
  const double *z, *zd, *zdd;
  const mbd_wrench *wrench;
} mbd_referee_motion;

/* Computes Q [nz] and its derivative dQ [nz] at theta [ncoef], along the direction (index[k], value[k]), k < n, of the coefficients and the direction
 * `along` of the motion, whose arrays may be NULL (held fixed). Errors: those of mbd_params_set and
 * mbd_inverse_dynamics. */
mbd_status mbd_referee_inverse_derivative(mbd_referee_inverse *r, const double *theta, const mbd_referee_motion *at,
                                          int nwrench, int n, const int *index, const double *value,
                                          const mbd_referee_motion *along, double *Q, double *dQ, mbd_error *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
