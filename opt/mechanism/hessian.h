/* Exact second derivatives of all objectives and constraints in the design variables: whole matrices, for few variables, or their
 * products with a direction, however many variables there are.
 *
 *   H = J' (d2 psi/d theta2) J + sum_k (d psi/d theta_k) (d2 theta_k/d rho2),   J = d theta/d rho
 *
 * One column of the first part for each variable: the complex step of the discrete adjoint (mbd_referee_second) along a column
 * of J; for the product with w one alone, along J w. The second part from the expressions of the model file (mbo_model_file_second). Cost: p
 * complex simulations with their adjoints for p variables, one for a product; one thread for each case. */
#ifndef MBO_HESSIAN_H
#define MBO_HESSIAN_H

#include "mechanism/mechanism.h"

/* m->hess [quantities][n][n] at rho, or, where w [n] is not NULL, [quantities][n] its products with w; along with it m->psi, and m->grad by
 * the same adjoint. As computed, so symmetric to rounding. MBD_UNSUPPORTED: a case's formulation has no adjoint; MBD_INTERRUPTED:
 * m->stop. */
mbd_status hessian_evaluate(mechanism *m, const double *rho, const double *w, mbd_error *err);

#endif
