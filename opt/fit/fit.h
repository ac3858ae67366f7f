/* Statistics of a fit to measured series: the precision and the correlations of the estimates, the directions that the data do not
 * determine, and outputs that would determine them. Equations: theory.md §6 (6.7), (6.8).
 *
 * The residuals r_i = (y_i - v_i)/sigma of the samples that count have the Jacobian J [samples][variables], variables divided by their
 * scales; J = U S V' over the variables that are not at a bound. With the noise s in units of sigma,
 *   cov = s^2 sum_k v_k v_k'/s_k^2,     interval  x_i -+ q sqrt(cov_ii),    q of Student's distribution       (linearized)
 * s is 1 if the run file gives the sigmas, else s^2 = sum r^2/(samples - variables); with losses other than squares,
 *   s^2 = sum psi^2/(samples - variables)/(mean of psi')^2,  psi = rho'/2     [Huber 1981, 7.6]
 * and cov has the factor K^2 of few samples besides,  K = 1 + variables/samples var(psi')/(mean of psi')^2. */
#ifndef MBO_FIT_FIT_H
#define MBO_FIT_FIT_H

#include "mechanism/mechanism.h"

/* One measured series. */
typedef struct fit_series {
  const mbo_measurement_config *config;
  const mechanism_case *in_case;
  const char *unit;           /* of the output */
  const mbd_samples *samples; /* the measured samples */
  double *y;                  /* [n] the outputs of the model at the result, with the offset */
  double *J;                  /* [n][variables] derivatives of the residuals, variables divided by their scales */
  double *deviation; /* [n] standard deviation of y, by those of the estimates; INFINITY: y is not determined */
  double rms;        /* of y - v, in the unit */
  double reduced;    /* mean of r^2 */
  double
      neighbours; /* correlation of the residuals of neighbouring samples, sum r_k r_(k+1)/sum r_k^2, cut at three times the noise; NaN: too few */
  int alike;      /* 1: it is so large that the residuals are no independent noise, and matters to intervals */
} fit_series;

/* A combination of variables that the data hardly determine or do not determine, and those outputs without measurement that change most along
 * it. Outputs that change by less than a thousandth of their own variation are left out. */
typedef struct fit_informative_output {
  const char *in_case, *output, *unit;
  double change;     /* rms over time of the output's change, for a step of one scale along the direction */
  double part;       /* the same, divided by the rms of the output about its mean, or by its size if it is constant */
  double sigma;      /* FIT_INFORMATIVE_SIGMA of that rms: if the output is measured with this deviation */
  int samples;       /* at so many nodes, the deviations of the estimates are */
  double *deviation; /* [n] these; INFINITY: still not determined */
} fit_informative_output;
#define FIT_INFORMATIVE_SIGMA 0.01
enum { FIT_INFORMATIVE_OUTPUTS = 3 };

typedef struct fit_direction {
  double singular;  /* s_k: root of the sum of the residuals' changes squared, for a step of one scale */
  double deviation; /* standard deviation of the estimate along it, in scales: K s/s_k; INFINITY: not determined */
  double *part;     /* [variables] unit vector v_k, in variables divided by their scales; 0 for those at bounds */
  double
      *seen; /* [series] the part of each series in s_k^2; for series that are held out, the part that they would add */
  int ninformative; /* 0 if the data determine the direction */
  fit_informative_output
      informative_output[FIT_INFORMATIVE_OUTPUTS]; /* the output with the largest relative change comes first */
} fit_direction;

/* A series that could be added to the data: a sensor, or a measurement that is held out. */
typedef struct fit_next {
  const char *name, *of, *in_case, *unit;
  int held_out;   /* 1: it is a measurement that is held out */
  double sigma;   /* of its noise [unit] */
  double samples; /* number of samples */
  double share;   /* of one effort that all divide in the best way: this part of its samples (division.h) */
  int determined; /* number of directions that are determined with it, the data and those before it */
  /* factor of the intervals by it, beside the data and those before it: the geometric mean over the directions that are determined (D), or the
   * root of the ratio of the sums of the variances (A); NaN: it determines further directions */
  double width;
  /* [n] of the estimates from the data, it and those before it; INFINITY: not determined, 0: at a bound */
  double *deviation;
} fit_next;

typedef struct fit {
  const mechanism *m;
  int n, nseries;
  double *x, *deviation, *lower,
      *upper;          /* [n] estimates, standard deviations (INFINITY: not determined, 0: at a bound), intervals */
  const char **bound;  /* [n] "lower bound", "upper bound", NULL: neither, so that it counts as estimated */
  double *correlation; /* [n][n]; NaN where one of both has no deviation */
  int samples, estimated,
      freedom; /* number of samples that are not held out; number of variables not at bounds; their difference */
  double level, quantile; /* confidence level and quantile of the intervals */
  double noise;           /* s */
  double few;             /* K; 1 of squares and of noise that is given */
  int noise_given;        /* 1: s = 1, given by the run file */
  double scatter;         /* sqrt(sum r^2/freedom), which is near 1 if the sigmas are right; NaN without freedom */
  int contradicted; /* 1: s = 1, but residuals are so large that such noise causes them in less than one of 10000 cases */
  int alike;        /* number of series, of those that count, whose residuals are alike */
  double *step_shift; /* [n] change of the estimates if the time step is halved, to first order */
  double
      step_error; /* its largest ratio to the standard deviation; NaN: not known, as half the step cannot be simulated, or residuals */
  int step_of; /* are those of computed data; the variable that has it */
  int ndirection, blind,
      uncertain; /* numbers of directions; of those that are not determined; and of others with a deviation of more than one scale */
  fit_direction *direction; /* [ndirection] worst first */
  fit_series *series;       /* [nseries] */
  int nnext;
  double share_gap; /* the intervals of the optimum are shorter by at most this part than those of the shares */
  fit_next *next;   /* [nnext] one after the other the best beside those before it */
} fit;

/* Checks whether the run file can be fitted. MBD_BAD_INPUT with a reason: there is no measurement that counts, an objective that is no
 * measurement, a constraint, a variable with catalogue values, or no variable. */
mbd_status fit_check(const mbo_run_config *c, mbd_error *err);

/* Computes the statistics at x [n], the optimum. Cost: one direct differentiation of all cases, one simulation at half the
 * step, another differentiation with all outputs if directions are not determined, and one of the cases in which something could be measured
 * further. MBD_BAD_INPUT: the noise has to be estimated, but there are no more samples than variables; errors of a simulation.
 * The caller destroys the object. */
mbd_status fit_create(mechanism *m, const double *x, fit **out, mbd_error *err);
void fit_destroy(fit *f);

/* Half the step changes an estimate by more than this many standard deviations: the step is too long for the data. */
#define FIT_STEP_ERROR 0.3

/* 1: the deviation of variable i is at most its scale, or it is at a bound. */
int fit_determines(const fit *f, int i);

/* Half of the width of the band in which a further sample is expected where sample i of a series is: q sqrt(deviation^2 + (noise sigma)^2). */
double fit_band(const fit *f, const fit_series *s, int i);

#endif
