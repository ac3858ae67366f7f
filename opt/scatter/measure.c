/* The measures. Each is written for values of which high ones are bad; `lower` turns the signs around:
 *   F_lower(x) = -F(-x),   of a probability  F(-x) with the limit -limit */
#include "scatter/measure.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "scatter/normal.h"

/* Values are functions of complex numbers, so that the complex step differentiates them; their decisions are about real parts. */
struct across_measure {
  const char *name, *doc;
  int smooths; /* by `width` */
  int counts;  /* it is the part of scenarios in which something holds */
  double complex (*value)(const measure_numbers *p, int n, const double complex *x);
  void (*weights)(const measure_numbers *p, int n, const double *x, double *w);
  void (*change)(const measure_numbers *p, int n, const double *x, const double *dx, double *dw);
  double (*true_value)(const measure_numbers *p, int n,
                       double *x); /* of x [n] in ascending order; NULL: the value itself */
  double (*of_normal)(const measure_numbers *p, double mean, double sigma, double slope[2]); /* NULL: none */
};

/* ---- mean ---- */

static double complex mean_value(const measure_numbers *p, int n, const double complex *x) {
  double complex sum = 0;
  (void)p;
  for (int i = 0; i < n; i++) { sum += x[i]; }
  return sum / n;
}

static void mean_weights(const measure_numbers *p, int n, const double *x, double *w) {
  (void)p, (void)x;
  for (int i = 0; i < n; i++) { w[i] = 1.0 / n; }
}

static void mean_change(const measure_numbers *p, int n, const double *x, const double *dx, double *dw) {
  (void)p, (void)x, (void)dx;
  memset(dw, 0, (size_t)n * sizeof *dw);
}

static double mean_of_normal(const measure_numbers *p, double mean, double sigma, double slope[2]) {
  (void)p, (void)sigma;
  slope[0] = 1, slope[1] = 0;
  return mean;
}

/* ---- mean and standard deviation: mean + k s,  s^2 = sum (x_i - mean)^2/(n - 1)  theory.md §6 (6.32) ---- */

static double mean_of(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) { sum += x[i]; }
  return sum / n;
}

static double deviation_of(int n, const double *x) {
  const double mean = mean_of(n, x);
  double sum = 0;
  for (int i = 0; i < n; i++) { sum += (x[i] - mean) * (x[i] - mean); }
  return n > 1 ? sqrt(sum / (n - 1)) : 0;
}

static double complex mean_sigma_value(const measure_numbers *p, int n, const double complex *x) {
  const double complex mean = mean_value(p, n, x);
  double complex sum = 0;
  for (int i = 0; i < n; i++) { sum += (x[i] - mean) * (x[i] - mean); }
  return creal(sum) > 0 ? mean + p->sigmas * csqrt(sum / (n - 1)) : mean;
}

/* ds/dx_i = (x_i - mean)/((n - 1) s). Where all values are the same, s has no derivative; zero is one of its subgradients. */
static void mean_sigma_weights(const measure_numbers *p, int n, const double *x, double *w) {
  const double mean = mean_of(n, x), s = deviation_of(n, x);
  for (int i = 0; i < n; i++) { w[i] = 1.0 / n + (s > 0 ? p->sigmas * (x[i] - mean) / ((n - 1) * s) : 0); }
}

/* d(ds/dx_i) = ((dx_i - dmean) - (x_i - mean) ds/s)/((n - 1) s) */
static void mean_sigma_change(const measure_numbers *p, int n, const double *x, const double *dx, double *dw) {
  const double mean = mean_of(n, x), dmean = mean_of(n, dx), s = deviation_of(n, x);
  double ds = 0;
  memset(dw, 0, (size_t)n * sizeof *dw);
  if (!(s > 0)) { return; }
  for (int i = 0; i < n; i++) { ds += (x[i] - mean) * (dx[i] - dmean) / ((n - 1) * s); }
  for (int i = 0; i < n; i++) { dw[i] = p->sigmas * (dx[i] - dmean - (x[i] - mean) * ds / s) / ((n - 1) * s); }
}

static double mean_sigma_of_normal(const measure_numbers *p, double mean, double sigma, double slope[2]) {
  slope[0] = 1, slope[1] = p->sigmas;
  return mean + p->sigmas * sigma;
}

/* ---- the largest: w ln(sum exp(x_i/w)), above it by at most w ln n  theory.md §6 (6.33) ---- */

static double complex worst_value(const measure_numbers *p, int n, const double complex *x) {
  double top = creal(x[0]);
  double complex sum = 0;
  for (int i = 0; i < n; i++) { top = fmax(top, creal(x[i])); }
  for (int i = 0; i < n; i++) { sum += cexp((x[i] - top) / p->width); }
  return top + p->width * clog(sum);
}

static void worst_weights(const measure_numbers *p, int n, const double *x, double *w) {
  double top = x[0], sum = 0;
  for (int i = 0; i < n; i++) { top = fmax(top, x[i]); }
  for (int i = 0; i < n; i++) { sum += w[i] = exp((x[i] - top) / p->width); }
  for (int i = 0; i < n; i++) { w[i] /= sum; }
}

/* dw_i = w_i (dx_i - sum w_j dx_j)/width */
static void worst_change(const measure_numbers *p, int n, const double *x, const double *dx, double *dw) {
  double mean = 0;
  worst_weights(p, n, x, dw);
  for (int i = 0; i < n; i++) { mean += dw[i] * dx[i]; }
  for (int i = 0; i < n; i++) { dw[i] *= (dx[i] - mean) / p->width; }
}

static double worst_true(const measure_numbers *p, int n, double *x) {
  (void)p;
  return x[n - 1];
}

/* ---- the mean of the worst: min_t t + sum w ln(1 + exp((x_i - t)/w))/((1 - level) n)  theory.md §6 (6.34) ---- */

static double logistic(double y) {
  return y > 0 ? 1 / (1 + exp(-y)) : exp(y) / (1 + exp(y));
}

static double complex softplus(double complex y) {
  return creal(y) > 0 ? y + clog(1 + cexp(-y)) : clog(1 + cexp(y));
}

/* The t of the minimum: sum logistic((x_i - t)/w) = (1 - level) n, which falls with t. All x plus or minus w ln(level/(1 - level)) enclose it.
 * x [n] at distances of `stride` numbers. */
static double cvar_threshold(const measure_numbers *p, int n, const double *x, int stride) {
  enum { ITERATIONS = 200 };
  const double part = (1 - p->level) * n, off = p->width * log(p->level / (1 - p->level));
  double low = x[0], high = x[0];
  for (int i = 0; i < n; i++) { low = fmin(low, x[i * stride]), high = fmax(high, x[i * stride]); }
  low += off, high += off;
  double t = low + (high - low) / 2;
  for (int k = 0; k < ITERATIONS && high > low; k++) {
    double sum = -part, slope = 0;
    for (int i = 0; i < n; i++) {
      const double s = logistic((x[i * stride] - t) / p->width);
      sum += s, slope -= s * (1 - s) / p->width;
    }
    if (sum > 0) {
      low = t;
    } else {
      high = t;
    }
    double next = t - sum / slope;
    if (!(next >= low && next <= high)) { next = low + (high - low) / 2; }
    if (next == t) { break; }
    t = next;
  }
  return t;
}

/* At the minimum the derivative by t is zero, so that t counts as a constant. */
static double complex cvar_value(const measure_numbers *p, int n, const double complex *x) {
  const double t = cvar_threshold(p, n, (const double *)x, 2); /* of the real parts */
  double complex sum = 0;
  for (int i = 0; i < n; i++) { sum += softplus((x[i] - t) / p->width); }
  return t + p->width * sum / ((1 - p->level) * n);
}

static void cvar_weights(const measure_numbers *p, int n, const double *x, double *w) {
  const double t = cvar_threshold(p, n, x, 1);
  for (int i = 0; i < n; i++) { w[i] = logistic((x[i] - t) / p->width) / ((1 - p->level) * n); }
}

/* With l_i = logistic((x_i - t)/w), l' = l (1 - l):  dt = sum l_i' dx_i/sum l_i',  dw_i = l_i' (dx_i - dt)/(w (1 - level) n) */
static void cvar_change(const measure_numbers *p, int n, const double *x, const double *dx, double *dw) {
  const double t = cvar_threshold(p, n, x, 1);
  double sum = 0, moved = 0;
  for (int i = 0; i < n; i++) {
    const double l = logistic((x[i] - t) / p->width);
    dw[i] = l * (1 - l);
    sum += dw[i], moved += dw[i] * dx[i];
  }
  const double dt = sum > 0 ? moved / sum : 0;
  for (int i = 0; i < n; i++) { dw[i] *= (dx[i] - dt) / (p->width * (1 - p->level) * n); }
}

/* The largest values, of which the last one counts in part. */
static double cvar_true(const measure_numbers *p, int n, double *x) {
  const double part = (1 - p->level) * n;
  double sum = 0, left = part;
  for (int i = n - 1; i >= 0 && left > 0; i--, left--) { sum += fmin(left, 1) * x[i]; }
  return sum / part;
}

/* mean + sigma phi(z)/(1 - level), z the quantile of the level [Rockafellar, Uryasev 2000] */
static double cvar_of_normal(const measure_numbers *p, double mean, double sigma, double slope[2]) {
  slope[0] = 1, slope[1] = normal_density(normal_quantile(p->level)) / (1 - p->level);
  return mean + slope[1] * sigma;
}

/* ---- the part above a limit: mean of logistic((x_i - limit)/w)  theory.md §6 (6.35) ---- */

static double complex probability_value(const measure_numbers *p, int n, const double complex *x) {
  double complex sum = 0;
  for (int i = 0; i < n; i++) {
    const double complex y = (x[i] - p->limit) / p->width;
    sum += creal(y) > 0 ? 1 / (1 + cexp(-y)) : cexp(y) / (1 + cexp(y));
  }
  return sum / n;
}

static void probability_weights(const measure_numbers *p, int n, const double *x, double *w) {
  for (int i = 0; i < n; i++) {
    const double l = logistic((x[i] - p->limit) / p->width);
    w[i] = l * (1 - l) / (p->width * n);
  }
}

static void probability_change(const measure_numbers *p, int n, const double *x, const double *dx, double *dw) {
  for (int i = 0; i < n; i++) {
    const double l = logistic((x[i] - p->limit) / p->width);
    dw[i] = l * (1 - l) * (1 - 2 * l) / (p->width * p->width * n) * dx[i];
  }
}

static double probability_true(const measure_numbers *p, int n, double *x) {
  int above = 0;
  for (int i = 0; i < n; i++) { above += x[i] > p->limit; }
  return (double)above / n;
}

static double probability_of_normal(const measure_numbers *p, double mean, double sigma, double slope[2]) {
  slope[0] = slope[1] = 0;
  if (!(sigma > 0)) { return mean > p->limit; }
  const double z = (mean - p->limit) / sigma;
  slope[0] = normal_density(z) / sigma, slope[1] = -z * normal_density(z) / sigma;
  return normal_cdf(z);
}

/* ---- the table ---- */

static const across_measure measures[] = {
    {
        .name = "mean",
        .doc = "the mean",
        .value = mean_value,
        .weights = mean_weights,
        .change = mean_change,
        .of_normal = mean_of_normal,
    },
    {
        .name = "mean_sigma",
        .doc = "mean + across.sigmas times the standard deviation",
        .value = mean_sigma_value,
        .weights = mean_sigma_weights,
        .change = mean_sigma_change,
        .of_normal = mean_sigma_of_normal,
    },
    {
        .name = "cvar",
        .doc = "the mean of the worst part, 1 - across.level of all (conditional value at risk)",
        .smooths = 1,
        .value = cvar_value,
        .weights = cvar_weights,
        .change = cvar_change,
        .true_value = cvar_true,
        .of_normal = cvar_of_normal,
    },
    {
        .name = "worst",
        .doc = "the largest, with across.tail = lower the smallest",
        .smooths = 1,
        .value = worst_value,
        .weights = worst_weights,
        .change = worst_change,
        .true_value = worst_true,
    },
    {
        .name = "probability",
        .doc = "the probability of more than across.limit, with across.tail = lower of less",
        .smooths = 1,
        .counts = 1,
        .value = probability_value,
        .weights = probability_weights,
        .change = probability_change,
        .true_value = probability_true,
        .of_normal = probability_of_normal,
    },
};

enum { N_MEASURES = sizeof measures / sizeof measures[0] };

const char *measure_name(int i) {
  return i < N_MEASURES ? measures[i].name : NULL;
}

const char *measure_doc(int i) {
  return i < N_MEASURES ? measures[i].doc : NULL;
}

const across_measure *measure_find(const char *name) {
  for (int i = 0; i < N_MEASURES; i++) {
    if (strcmp(measures[i].name, name) == 0) { return &measures[i]; }
  }
  return NULL;
}

const char *measure_word(const across_measure *k) {
  return k->name;
}
int measure_smooths(const across_measure *k) {
  return k->smooths;
}
int measure_has_normal(const across_measure *k) {
  return k->of_normal != NULL;
}
int measure_counts(const across_measure *k) {
  return k->counts;
}

/* ---- either tail ---- */

/* The sign of x, and of the value. */
static double sign_of(const measure_numbers *p) {
  return p->lower ? -1 : 1;
}
static double sign_of_value(const across_measure *k, const measure_numbers *p) {
  return k->counts ? 1 : sign_of(p);
}

/* The numbers for values with the sign. */
static measure_numbers turned(const measure_numbers *p) {
  measure_numbers q = *p;
  q.limit *= sign_of(p);
  return q;
}

static void turn(const measure_numbers *p, int n, const double *x, double *y) {
  for (int i = 0; i < n; i++) { y[i] = sign_of(p) * x[i]; }
}

static double complex value_along(const across_measure *k, const measure_numbers *p, int n, const double *x,
                                  const double *dx, double h, double complex *z) {
  const measure_numbers q = turned(p);
  for (int i = 0; i < n; i++) { z[i] = sign_of(p) * (x[i] + (dx ? h * dx[i] : 0) * I); }
  return sign_of_value(k, p) * k->value(&q, n, z);
}

double measure_value(const across_measure *k, const measure_numbers *p, int n, const double *x, double *work) {
  return creal(value_along(k, p, n, x, NULL, 0, (double complex *)work));
}

double measure_complex_step(const across_measure *k, const measure_numbers *p, int n, const double *x, const double *dx,
                            double complex *z) {
  static const double h = 1e-100;
  return cimag(value_along(k, p, n, x, dx, h, z)) / h;
}

void measure_weights(const across_measure *k, const measure_numbers *p, int n, const double *x, double *w,
                     double *work) {
  const measure_numbers q = turned(p);
  turn(p, n, x, work);
  k->weights(&q, n, work, w);
  for (int i = 0; i < n; i++) { w[i] *= sign_of(p) * sign_of_value(k, p); }
}

void measure_change(const across_measure *k, const measure_numbers *p, int n, const double *x, const double *dx,
                    double *dw, double *work) {
  const measure_numbers q = turned(p);
  turn(p, n, x, work), turn(p, n, dx, work + n);
  k->change(&q, n, work, work + n, dw);
  for (int i = 0; i < n; i++) { dw[i] *= sign_of(p) * sign_of_value(k, p); }
}

double measure_true(const across_measure *k, const measure_numbers *p, int n, const double *x, double *work) {
  const measure_numbers q = turned(p);
  if (!k->true_value) { return measure_value(k, p, n, x, work); }
  turn(p, n, x, work);
  mbd_sort_values(n, work);
  return sign_of_value(k, p) * k->true_value(&q, n, work);
}

double measure_of_normal(const across_measure *k, const measure_numbers *p, double mean, double sigma,
                         double slope[2]) {
  const measure_numbers q = turned(p);
  const double value = k->of_normal(&q, sign_of(p) * mean, sigma, slope), s = sign_of_value(k, p);
  slope[0] *= s * sign_of(p), slope[1] *= s;
  return s * value;
}
