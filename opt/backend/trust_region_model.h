/* The least value of a quadratic model between bounds:
 *
 *   minimize  g's + s'(H + lambda I)s/2    subject to   lower <= x + s <= upper
 *
 * for a Gauss-Newton matrix H, which is positive semidefinite but for its rounding. By active sets, from s = 0 on: the least value over the
 * variables that are free; up to the first bound that is met, which holds its variable from then on; where all are within, the variable
 * that its bound keeps from falling most is freed. [Nocedal, Wright 2006, algorithm 16.3, for bounds] */
#ifndef MBO_TRUST_REGION_MODEL_H
#define MBO_TRUST_REGION_MODEL_H

#include "mbd/status.h"

typedef struct trust_region_model {
  int n, nfree;                  /* variables; of those, at no bound at the end of the step */
  double *step;                  /* [n] s */
  double *factor, *slope, *move; /* [n][n], [n], [n] scratch */
  signed char *at;               /* [n] -1, 1: held at the lower, upper bound; 0: free. The object owns all arrays. */
} trust_region_model;

mbd_status trust_region_model_create(int n, trust_region_model *b, mbd_error *err);
void trust_region_model_free(trust_region_model *b);

/* Sets step, at and nfree; x, lower, upper, g [n], H [n][n]. Returns the decrease of the model, -(g's + s'(H + lambda I)s/2) >= 0; INFINITY
 * where the matrix holds numbers that are not finite. lambda = 0: directions whose curvature is within the rounding of H are given that
 * rounding, so that the predicted decrease along them stays finite. Cost: n^3/6 for each variable that is held or freed. */
double trust_region_model_solve(trust_region_model *b, const double *x, const double *lower, const double *upper,
                                const double *g, const double *H, double lambda);

/* The decrease of the model without lambda along `step`. */
double trust_region_model_predicted(const trust_region_model *b, const double *g, const double *H);

#endif
