/* What measured series say of a design, as `mbopt fit` tells it: how precise the estimates are, which depend on each other, what the data do
 * not determine, and what would show it.
 *
 *   mbo_fit *f;
 *   mbo_run_optimize(r, &best, &err);
 *   mbo_run_fit(r, mbo_optimum_design(best), &f, &err);
 *   const double *x = mbo_fit_array(f, "estimate"), *deviation = mbo_fit_array(f, "deviation");
 *   mbo_fit_free(f);
 *
 * Residuals are r_i = (model_i - measured_i)/sigma; intervals are linearized: with the noise s in units of sigma and the singular values s_k and
 * right singular vectors v_k of the residuals' Jacobian by variables divided by their scales,
 *   cov = s^2 sum_k v_k v_k'/s_k^2,   x_i -+ q sqrt(cov_ii),   q of Student's distribution.
 * A variable at a bound is taken to stay there. Texts and arrays belong to the fit, which is to be freed before its run is changed or
 * closed. */
#ifndef MBO_FIT_H
#define MBO_FIT_H

#include "mbo/run.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbo_fit mbo_fit;

/* Can the run file be fitted? MBD_BAD_INPUT with the reason: no measurement counts, an objective is none, there are constraints, a
 * variable takes values of a catalogue, or there is no variable. Nothing is simulated. */
mbd_status mbo_run_fits(const mbo_run *r, mbd_error *err);

/* What the measurements say of x [variables], the design that they fit best (mbo_run_optimize); NULL: the start. *out is to be freed. Cost:
 * a direct differentiation of all cases, and another one with all outputs where directions are not determined. The errors of
 * mbo_run_fits and of a simulation; MBD_BAD_INPUT: the noise is to be estimated, but there are no more samples than variables. */
mbd_status mbo_run_fit(mbo_run *r, const double *x, mbo_fit **out, mbd_error *err);
void mbo_fit_free(mbo_fit *f); /* NULL: nothing */

/* "confidence" of the intervals; "samples" that count; "estimated", variables that are not at a bound; "freedom", their difference; "noise" in
 * units of sigma; "noise_given", 1: the sigmas are taken as they are; "scatter", root of sum r^2/freedom; "contradicted", 1: the
 * residuals are larger than such noise leaves them in one of 10000 cases; "not_seen" and "weak": directions that no sample sees, and that leave
 * an uncertainty of more than one scale. NaN: unknown name, or there is no such number. */
double mbo_fit_number(const mbo_fit *f, const char *name);

/* [variables]: "estimate"; "deviation", INFINITY: not determined, 0: at a bound; "lower" and "upper", the ends of the intervals;
 * [variables][variables]: "correlation", NaN where a variable has no deviation. NULL: unknown name. */
const double *mbo_fit_array(const mbo_fit *f, const char *name);

const char *mbo_fit_bound(const mbo_fit *f, int i); /* "lower bound", "upper bound"; NULL: variable i is at neither */
int mbo_fit_determines(const mbo_fit *f, int i);    /* 1: its deviation is at most its scale, or it is at a bound */

/* ---- directions: combinations of the variables, the worst determined first ---- */

int mbo_fit_directions(const mbo_fit *f);
const double *mbo_fit_direction(const mbo_fit *f, int k); /* [variables] v_k, a unit vector; NULL past the end */
double mbo_fit_singular(const mbo_fit *f, int k);         /* s_k */
double mbo_fit_uncertainty(const mbo_fit *f, int k);      /* s/s_k, in scales; INFINITY: no sample sees it */
/* Of each measurement, held out ones as well, [measurements]: root of the sum of its residuals' changes squared for a step of one scale. */
const double *mbo_fit_seen(const mbo_fit *f, int k);

/* An output that is not measured and would show a direction. */
typedef struct mbo_sight {
  const char *in_case, *output, *unit;
  double change;   /* rms over time of its change, for a step of one scale along the direction */
  double relative; /* the same, divided by the rms of the output about its mean */
} mbo_sight;

/* Number i of direction k, the one that shows most first; NULL past the end, and where the data determine the direction. */
const mbo_sight *mbo_fit_sight(const mbo_fit *f, int k, int i);

/* ---- measurements ---- */

int mbo_fit_measurements(const mbo_fit *f);
/* "name", "case", "of" (the output), "unit"; NULL: unknown name, or k past the end */
const char *mbo_fit_measurement(const mbo_fit *f, int k, const char *what);
/* "samples", "sigma", "rms" of model - measured in the unit, "mean_square" in sigma, "hold_out" (1: nothing is fitted to it); else NaN */
double mbo_fit_measurement_number(const mbo_fit *f, int k, const char *what);

/* Columns of mbo_fit_samples. */
enum {
  MBO_FIT_TIME,      /* [s] */
  MBO_FIT_MEASURED,  /* in the unit of the measurement, as all but the residual: */
  MBO_FIT_MODEL,     /* what the model shows, with delay and offset */
  MBO_FIT_RESIDUAL,  /* their difference in sigma */
  MBO_FIT_DEVIATION, /* standard deviation of the model's value, by those of the estimates; INFINITY: not determined */
  MBO_FIT_BAND,      /* half of the width in which a further sample is expected */
  MBO_FIT_COLUMNS
};
const double *mbo_fit_samples(const mbo_fit *f, int k); /* [samples][MBO_FIT_COLUMNS], row-major; NULL past the end */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
