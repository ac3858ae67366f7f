/* Statistics of a design that is fitted to measurements, as `mbopt fit` reports them: standard deviations, intervals and correlations of the
 * estimates, the combinations of variables that the data do not determine, and outputs whose measurement would determine them.
 *
 *   mbo_fit *f;
 *   mbo_run_optimize(r, &best, &err);
 *   mbo_run_fit(r, mbo_optimum_design(best), &f, &err);
 *   const double *x = mbo_fit_array(f, "estimate"), *deviation = mbo_fit_array(f, "deviation");
 *   mbo_fit_free(f);
 *
 * Residuals are r_i = (model_i - measured_i)/sigma. The statistics are those of the model linearized at the design. With the noise s in units of
 * sigma, and the singular values s_k and right singular vectors v_k of the Jacobian of the residuals by the variables divided by their scales,
 * the covariance of the scaled variables and the intervals are
 *   cov = s^2 sum_k v_k v_k'/s_k^2,   x_i -+ q scale_i sqrt(cov_ii),   q a quantile of Student's distribution.
 * Variables at a bound are taken as fixed. docs/fit_to_measurements.md explains all numbers.
 *
 * Errors, units and threads are those of mbo/run.h. Texts and arrays that functions return belong to the fit; free it before its run is changed
 * or closed. Numbers i, k count from 0. Functions that read the fit cost nothing and cannot fail; past the end, and for unknown names, they
 * return NULL or NaN. */
#ifndef MBO_FIT_H
#define MBO_FIT_H

#include "mbo/run.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbo_fit mbo_fit;

/* Checks whether the run file can be fitted. MBD_BAD_INPUT, with the reason in err->text: all measurements are held out, an objective is not a
 * measurement, there are constraints, a variable takes values of a catalogue, or there is no variable. Nothing is simulated. */
mbd_status mbo_run_fits(const mbo_run *r, mbd_error *err);

/* Residuals (model - measured)/sigma of all samples that are fitted, one measurement after the other in the order of mbo_fit_measurement without those that are
 * held out: for methods for least squares. mbo_run_residual_count tells how many there are, 0 where an objective is no measurement.
 * residual [count]; jac [count][variables], their derivatives per unit of the variables, NULL: not computed. Where every measurement has a sigma,
 * the covariance of the estimates is inv(J'J). Losses and weights of the run file are not in them. Errors: those of mbo_run_fits and of a simulation.
 * Cost: a simulation of all cases; with jac one direct differentiation. */
int mbo_run_residual_count(const mbo_run *r);
mbd_status mbo_run_residuals(mbo_run *r, const double *x, double *residual, double *jac, mbd_error *err);

/* Computes the statistics at the design x [variables], which should be the best fit (mbo_run_optimize); NULL: the start. *out belongs to the
 * caller, who frees it with mbo_fit_free; it is NULL after a failure. Errors: those of mbo_run_fits and of a simulation, MBD_NO_MEMORY, and
 * MBD_BAD_INPUT where the noise is to be estimated from no more samples than variables. Cost: direct differentiation of all cases, once
 * more with all outputs where the data leave directions undetermined, and once more of the cases with sensors or such outputs. */
mbd_status mbo_run_fit(mbo_run *r, const double *x, mbo_fit **out, mbd_error *err);

/* Frees the fit with all texts and arrays that belong to it. NULL: does nothing. */
void mbo_fit_free(mbo_fit *f);

/* Returns a number of the fit by its name. NaN: an unknown name, or the number does not exist for this fit.
 *   "confidence"    probability of the intervals
 *   "samples"       number of samples that are fitted (not held out)
 *   "estimated"     number of variables that are not at a bound
 *   "freedom"       samples - estimated
 *   "noise"         standard deviation of the noise, in units of sigma
 *   "noise_given"   1: the sigmas are taken as given; 0: the noise is estimated from the residuals
 *   "scatter"       sqrt(sum r_i^2/freedom), near 1 where sigma is right
 *   "contradicted"  1: with the given noise, residuals would be as large in less than one of 10000 cases
 *   "alike"         number of fitted measurements whose residuals are no independent noise: the model lacks something, or the noise is correlated
 *   "step_error"    largest change of an estimate, in its standard deviations, if the time step is halved, to first order; above 0.3 the
 *                   step is too long for the data. NaN: not known, as half the step cannot be simulated or the data are no measured ones
 *   "not_seen"      number of directions on which no sample depends
 *   "weak"          number of directions along which the uncertainty is more than one scale */
double mbo_fit_number(const mbo_fit *f, const char *name);

/* Returns an array of the fit by its name, in the units of the variables. NULL: an unknown name.
 *   "estimate"        [variables]
 *   "deviation"       [variables] standard deviation; INFINITY: not determined, 0: at a bound
 *   "lower", "upper"  [variables] ends of the intervals
 *   "step_shift"      [variables] change of the estimates if the time step is halved, to first order
 *   "correlation"     [variables][variables], row-major; NaN where a variable has no deviation */
const double *mbo_fit_array(const mbo_fit *f, const char *name);

const char *mbo_fit_bound(const mbo_fit *f, int i); /* "lower bound", "upper bound"; NULL: variable i is at neither */
int mbo_fit_determines(const mbo_fit *f, int i);    /* 1: its deviation is at most its scale, or it is at a bound */

/* ---- directions ----
 *
 * The right singular vectors v_k, combinations of the variables divided by their scales; the one that is determined worst comes first. */

int mbo_fit_directions(const mbo_fit *f);                 /* number of directions */
const double *mbo_fit_direction(const mbo_fit *f, int k); /* [variables] v_k, a unit vector */
double mbo_fit_singular(const mbo_fit *f, int k);         /* singular value s_k */
double mbo_fit_uncertainty(const mbo_fit *f,
                           int k); /* standard deviation s/s_k along it, in scales; INFINITY: no sample depends on it */
/* Returns the sensitivity [measurements] of each measurement, held out or not, to direction k: root of the sum of squares of the changes of its
 * residuals for a step of one scale along v_k. */
const double *mbo_fit_seen(const mbo_fit *f, int k);

/* An output that is not measured, and whose measurement would determine a direction. */
typedef struct mbo_informative_output {
  const char *in_case, *output, *unit;
  double change;   /* rms over time of its change, for a step of one scale along the direction */
  double relative; /* the same, divided by the rms of the output about its mean */
  double sigma;    /* if it is measured with this deviation, a hundredth of that rms, */
  int samples;     /* at its nodes, so many, */
  const double
      *deviation; /* [variables] standard deviations of the estimates; INFINITY: not determined, 0: at a bound */
} mbo_informative_output;

/* Returns output number i that would determine direction k, the most sensitive one first. NULL past the end, and where the data determine the
 * direction. */
const mbo_informative_output *mbo_fit_informative_output(const mbo_fit *f, int k, int i);

/* ---- what to measure next ----
 *
 * Sensors of the run file, [sensor NAME], and measurements that are held out and have a sigma, one after the other the best of those that are left,
 * beside the data and those before it: the one that determines most directions, then the largest determinant of the information matrix
 * or the least sum of variances, as [fit] criterion says. docs/which_experiment.md explains it. */

typedef struct mbo_next_measurement {
  const char *name, *of, *in_case, *unit;
  int held_out;   /* 1: a measurement that is held out; 0: a sensor */
  int determined; /* directions that are determined by it, the data and those before it */
  double sigma;   /* standard deviation of its noise [unit] */
  double samples; /* their number, that of a sensor with a rate as a product */
  double
      width; /* factor of the intervals by it: their geometric mean (D) or root of the sum of squares (A); NaN: it determines further directions */
  double share; /* of one effort that all divide in the best way: this part of its samples; the sum of all is 1 */
  const double
      *deviation; /* [variables] standard deviations of the estimates then; INFINITY: not determined, 0: at a bound */
} mbo_next_measurement;

/* Number i of them; NULL past the end. */
const mbo_next_measurement *mbo_fit_next(const mbo_fit *f, int i);

/* ---- measurements ---- */

int mbo_fit_measurements(const mbo_fit *f); /* number of measurements, held out ones included */

/* Returns a text of measurement k: what is "name", "case", "of" (the output) or "unit". */
const char *mbo_fit_measurement(const mbo_fit *f, int k, const char *what);

/* Returns a number of measurement k: what is "samples", "sigma" [unit], "rms" of model - measured [unit], "mean_square" of its residuals [-],
 * "neighbours" (correlation of the residuals of neighbouring samples, NaN: too few), "alike" (1: these are no independent noise), or "hold_out" (1: it
 * is not fitted). */
double mbo_fit_measurement_number(const mbo_fit *f, int k, const char *what);

/* Columns of mbo_fit_samples. */
enum {
  MBO_FIT_TIME,     /* time of the sensor [s] */
  MBO_FIT_MEASURED, /* measured value [unit] */
  MBO_FIT_MODEL,    /* value of the model, with delay and offset [unit] */
  MBO_FIT_RESIDUAL, /* (model - measured)/sigma [-] */
  MBO_FIT_DEVIATION, /* standard deviation of the model's value that follows from the estimates [unit]; INFINITY: not determined */
  MBO_FIT_BAND, /* half width of the interval in which a further sample is expected [unit] */
  MBO_FIT_COLUMNS
};

/* Returns the samples of measurement k, [samples][MBO_FIT_COLUMNS], row-major. */
const double *mbo_fit_samples(const mbo_fit *f, int k);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
