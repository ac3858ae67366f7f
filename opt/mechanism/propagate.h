/* Scatter to first order, without samples (theory.md §6 (6.36)), of a case at the means of all scalars that scatter, whose variables are the design rho and
 * the deviates xi:
 *   sigma^2 = g' C g,  g = dpsi/dxi;     dsigma/drho = H_(rho xi) C g/sigma,   H the second derivatives of psi
 * and the mean to second order, psi + tr(H C)/2 = psi + sum_k l_k' H l_k/2 with the columns of C = L L' (6.39). */
#ifndef MBO_PROPAGATE_H
#define MBO_PROPAGATE_H

#include "mechanism/mechanism.h"

/* Memory for it, and the coefficients that variables move; before threads begin. */
mbd_status propagate_prepare(mechanism_case *load, mbd_error *err);

/* In the thread of a case, after its gradient: standard deviations of its quantities, and, if `gradient`, their gradients, by products of second
 * derivatives: one complex simulation with its adjoint for each. */
mbd_status propagate_run(mechanism *m, mechanism_case *load, int gradient, mbd_error *err);

/* The derivatives of means (dpsi [quantities and samples]) and standard deviations along w [n], by the product with the other side of H: along
 * the design. Sets values and standard deviations, too. At the design that is set. */
mbd_status propagate_along(mechanism *m, mechanism_case *load, const double *w, double *dpsi, mbd_error *err);

/* In the thread of a case, after its gradient: curvature of its quantities, by a product of second derivatives for each deviate. */
mbd_status propagate_curvature(mechanism *m, mechanism_case *load, mbd_error *err);

#endif
