/* Gradients compared with derivatives along one random direction of the variables; those that rounding decides are found by it. */
#ifndef MBO_ALONG_H
#define MBO_ALONG_H

#include "mechanism/mechanism.h"

/* d [n]: uniform in [-scale_j, scale_j], from a seed that is `number`. */
void along_draw(const mechanism *m, int number, double *d);

/* Sets *column, which it creates if it is NULL, to the direction (dtheta/drho) d of the coefficients at the numbers p. */
mbd_status along_column(const mechanism *m, const mechanism_variant *v, const mbd_params *p, const double *d,
                        mbd_dparams **column, mbd_error *err);

/* Sets the rows of the case's quantities in difference and size [quantities]: |g . d - along| and the sum of the sizes of the parts of g . d, with
 * along [npsi] the derivatives of the case's quantities along d. g [n]: scratch. Where the adjoint has differentiated the weighted sum of the
 * case, the first quantity has the row of the sum. */
void along_compare(const mechanism *m, const mechanism_case *load, const double *d, const double *along, double *g,
                   double *difference, double *size);

/* After a gradient of case q: where sensitivities have grown by orders of magnitude, the derivatives along one random direction are computed
 * a second time, from numbers that are changed in their last digits, by steps of a tighter tolerance. load->doubt tells a deviation of more than 1e-5 of the gradient.
 * cost: where they have grown, a simulation and one right-hand side in each step. */
mbd_status along_check_growth(mechanism *m, mechanism_case *load, mbd_error *err);

#endif
