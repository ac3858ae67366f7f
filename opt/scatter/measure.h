/* What a quantity x is across scenarios: one number of its values x_1 ... x_n in them, with exact derivatives (theory.md §6 (6.31) to (6.35)), or,
 * to first order, of its mean and standard deviation. Numbers alone: neither mechanisms nor files. */
#ifndef MBO_MEASURE_H
#define MBO_MEASURE_H

typedef struct measure_numbers {
  double sigmas; /* [standard deviations] of mean_sigma */
  double level;  /* of cvar: 1 - level is the part of the scenarios that counts */
  double limit;  /* of probability, unit of x */
  double width;  /* of the smoothing, unit of x */
  int lower;     /* 1: low values are the bad ones */
} measure_numbers;

typedef struct across_measure across_measure;

const char *measure_name(int i); /* NULL past the end */
const char *measure_doc(int i);
const across_measure *measure_find(const char *name); /* NULL: there is none */

const char *measure_word(const across_measure *k); /* its name */

/* Is it smoothed by `width`? Does it have a value without scenarios, of mean and deviation? Does it count values, so that it has no unit? */
int measure_smooths(const across_measure *k);
int measure_has_normal(const across_measure *k);
int measure_counts(const across_measure *k);

/* The value of x [n], n >= 1 (2 for a standard deviation), its weights w [n], dvalue/dx, and the change dw [n] of these along dx [n]. work: [2 n].
 * cost: O(n), for cvar with some iterations. */
double measure_value(const across_measure *k, const measure_numbers *p, int n, const double *x, double *work);
void measure_weights(const across_measure *k, const measure_numbers *p, int n, const double *x, double *w,
                     double *work);
void measure_change(const across_measure *k, const measure_numbers *p, int n, const double *x, const double *dx,
                    double *dw, double *work);

/* The derivative along dx [n] by complex step of the value, which does not use the weights. z [n]: scratch. */
double measure_complex_step(const across_measure *k, const measure_numbers *p, int n, const double *x, const double *dx,
                            double _Complex *z);

/* The value without smoothing. work: [2 n] */
double measure_true(const across_measure *k, const measure_numbers *p, int n, const double *x, double *work);

/* The value of a normal distribution; slope [2]: its derivatives by mean and sigma >= 0. 0: none, see measure_has_normal. */
double measure_of_normal(const across_measure *k, const measure_numbers *p, double mean, double sigma, double slope[2]);

#endif
