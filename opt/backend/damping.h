/* Levenberg-Marquardt damping of a Gauss-Newton matrix, for optimizers that take a matrix at every iterate but do not compare its
 * model with the objective.
 *
 *   m(s) = f + g' s + s' H s/2,   ratio = (f - f(x + s))/(f - m(s))
 *
 * The matrix handed on is H + lambda E, E diagonal with E_i = sqrt(D_i D_max), D_i the largest H_ii so far. With D_i alone [More 1978] a
 * variable that is hardly seen is hardly damped, and valleys are left where they bend; with D_max alone steps of such a variable are
 * short where it alone is what is left to be gained. The mean of both takes the fewest designs of the configs together (bench/README.md).
 * lambda falls where the model predicted the decrease (ratio near 1) and grows where it did not [Nielsen 1999]. All of it follows from the
 * iterates, so that a run that goes on from its journal repeats it to the bit. */
#ifndef MBO_DAMPING_H
#define MBO_DAMPING_H

#include "mbd/status.h"

typedef struct damping {
  int n, started;
  double lambda, refused; /* refused: of the last step that was poor, fading */
  double *D, curvature;   /* [n], the largest of them */
  unsigned char *held;    /* [n] with factor [n][n], step [n]: scratch of damping_left */
  double *factor, *step;
  double f, *x, *g, *H; /* of the last iterate, in the optimizer's variables: [n], [n], [n][n]. It owns all arrays. */
} damping;

mbd_status damping_create(int n, damping *d, mbd_error *err);
void damping_free(damping *d);

/* Another run begins: what was learned of the model is forgotten. */
void damping_begin(damping *d);

/* The optimizer has come to x [n] with f, g [n], H [n][n]; trials: designs that it tried from the last iterate on, this one among them.
 * The same x again changes nothing. */
void damping_iterate(damping *d, const double *x, double f, const double *g, const double *H, int trials);

/* What can be gained from the last iterate on, at most, within bounds lower, upper [n] in the optimizer's variables:  g' (H + lambda E)^-1
 * g/2 over the variables that may move, and |g_i| times the way to the bound of those that lie beside one and are driven there. Infinite
 * where the matrix cannot be factored. n^3/6 operations. */
double damping_left(damping *d, const double *lower, const double *upper);

/* lambda E_i, to be added to H_ii. */
double damping_added(const damping *d, int i);

#endif
