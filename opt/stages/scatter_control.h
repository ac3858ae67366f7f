/* What is known of the scatter at a design, beside the values that an optimization works with: which scalars it comes from, and a large independent
 * sample with intervals of confidence.
 *
 * To first order, the variance of a quantity is g' C g, g its derivatives by the deviates (theory.md §6 (6.36)). Scalar i has in it the share
 *   v_i = g_i (C g)_i/(g' C g),     sum v_i = 1     theory.md §6 (6.37)
 * (negative ones come from correlations), which also is by how many percent the standard deviation falls where that of the scalar is 1 % less: the price of
 * its tolerance.
 *
 * The mean to second order, psi + tr(H C)/2 with the second derivatives H by the deviates (6.39), is told where nothing is sampled, or where independent samples are.
 *
 * Of n independent samples, what a quantity is across them has the standard error sqrt(sum u_s^2)/n, u_s the influence of a sample, theory.md §6 (6.38):
 *   mean         x - m
 *   mean_sigma   x - m + k ((x - m)^2 - s^2)/(2 s)
 *   cvar         t + max(x - t, 0)/(1 - b) - value,   t the quantile of b
 * with Student's distribution; of cvar with as many degrees of freedom as samples count, which still is optimistic where these are few.
 * Of a probability the interval is that of Wilson (1927), which is right at 0 and 1, too. The largest of n says that, with the confidence c, no more than
 * 1 - (1 - c)^(1/n) of all are beyond it. */
#ifndef MBO_SCATTER_CONTROL_H
#define MBO_SCATTER_CONTROL_H

#include "mechanism/mechanism.h"

typedef struct scatter_of {
  int quantity;           /* which objective or constraint */
  double mean, sigma;     /* to first order; NaN: it could not be derived */
  double mean_second;     /* the mean to second order; NaN: it is not known */
  double *share;          /* [nuncertain] */
  double value, reported; /* of the independent samples; of the run file's own, without smoothing */
  double low, high;       /* its interval; NaN: none, of the largest */
  double beyond;          /* the part of all that may be beyond the largest; NaN: it is no largest */
  double sample_mean, sample_sigma;
} scatter_of;

typedef struct scatter_control {
  int n; /* quantities across scenarios; 0: there are none */
  scatter_of *of;
  int samples; /* independent ones; 0: none */
  double confidence;
  char failure[600]; /* why there are none, though asked for; "": that is not so */
} scatter_control;

/* At the design x of m, of which m->truth is known. *out is to be freed, after a failure, too. Errors of an evaluation to first order leave shares out, those of
 * a sample are told in out->failure. MBD_NO_MEMORY, MBD_INTERRUPTED. Cost: two more mechanisms; a gradient, the second
 * derivatives by all scalars that scatter (cases_curvature), and [scenarios] check simulations of each case. */
mbd_status scatter_control_create(const mechanism *m, const double *x, scatter_control *out, mbd_error *err);
void scatter_control_free(scatter_control *c);

/* The scalars with the largest shares in size, in this order, at most max; shares below a thousandth are left out. Returns their number. */
int scatter_control_largest(const mechanism *m, const scatter_of *k, int max, int *order);

/* Is the value of the run file's own samples outside of the interval, or, to first order, what it is taken from? */
int scatter_control_differs(const scatter_of *k);
/* Is the mean to second order another one than to first, by more than a hundredth of the deviation? */
int scatter_control_bends(const scatter_of *k);
/* Is it a constraint whose value across the independent samples is outside of its limits? */
int scatter_control_violates(const mechanism *m, const scatter_of *k);

#endif
