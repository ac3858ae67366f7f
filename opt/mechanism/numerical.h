/* Gradients by other means: central differences, and the complex step of the whole simulation, the referee. */
#ifndef MBO_NUMERICAL_H
#define MBO_NUMERICAL_H

#include "mechanism/mechanism.h"

/* dpsi [quantities]: derivatives of all objectives and constraints at rho [n] along the direction w [n] in the variables. The
 * step of differences is [gradient] difference_step along w. Uses m->psi. */
mbd_status numerical_derivative(mechanism *m, const double *rho, gradient_method method, const double *w, double *dpsi,
                                mbd_error *err);

/* dpsi [n][quantities]: derivatives by each of the n variables of a list. */
mbd_status numerical_columns(mechanism *m, const double *rho, gradient_method method, int n, const int *variable,
                             double *dpsi, mbd_error *err);

/* All of them, into m->psi and m->grad. */
mbd_status numerical_gradient(mechanism *m, const double *rho, gradient_method method, mbd_error *err);

#endif
