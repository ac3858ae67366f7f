/* Second derivatives of objectives that are sums of squares: the matrix B_i of Gauss and Newton of each, which is known at every design, and a
 * symmetric rest S_i that fits the change of its gradient over the last step s,
 *
 *   (B_i + S_i) s = y_i = g_i(x + s) - g_i(x)
 *   S_i := a S_i + (r v' + v r')/(v's) - (r's) v v'/(v's)^2,   r = y_i - B_i s - a S_i s,   v = B_i s                         (6.19)
 *   a = min(1, |s'(y_i - B_i s)|/|s'S_i s|)
 *
 * [the least change of S in the metric of B, with the size a: Dennis, Gay, Welsch, ACM Transactions on Mathematical Software 7, 1981, who have v = y_i].
 * Each objective has a rest of its own, so that the sum with any multipliers is the matrix of the Lagrangian, and what was learned for one point of a
 * front is good for the next one, which has other limits. */
#ifndef MBO_SECANTS_H
#define MBO_SECANTS_H

#include "mbd/status.h"

typedef struct secants {
  int n, nf;
  double *x;    /* [n] design of the last gradients; x[0] NaN: there are none */
  double *g;    /* [nf][n] gradients there */
  double *base; /* [nf][n][n] B, to be set by the caller before secants_take */
  double *rest; /* [nf][n][n] S, 0 at first */
  double *work; /* [3 n] scratch */
} secants;

mbd_status secants_create(int n, int nf, secants *known, mbd_error *err);
void secants_free(secants *known); /* {0} allowed */

/* The gradients g [nf][n] at x, where known->base is: the rests change, unless it is the same design again. */
void secants_take(secants *known, const double *x, const double *g);

/* H [n][n] := B_k + S_k, which may be known->base of k. It may be indefinite. */
void secants_matrix(const secants *known, int k, double *H);

#endif
