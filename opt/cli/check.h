/* Parts of `mbopt check` in separate files. */
#ifndef MBO_CLI_CHECK_H
#define MBO_CLI_CHECK_H

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/cli.h"

/* Makes the mechanism of m with `change` applied to each of its cases, calls work(that mechanism, user, err) and returns its status. */
typedef mbd_status check_work(mechanism *other, void *user, mbd_error *err);
mbd_status check_with_cases(const mechanism *m, void (*change)(mbd_case *), check_work *work, void *user,
                            mbd_error *err);

/* Halves the steps of a case. Dormand-Prince of order five halves its own steps with 2^-5 of the tolerance. */
void check_halve(mbd_case *timing);

/* Compares the continuous adjoint with the exact gradient (discrete adjoint, or direct differentiation) at the run's steps and at half
 * of them: largest deviation of each quantity [nobjective + nconstraint], relative to its largest scaled derivative. NaN: the motion at
 * half the steps cannot be computed. */
mbd_status check_halved(const mechanism *m, double *deviation, mbd_error *err);

/* The rounding of a number of size |value| after sums over all steps and Newton's iterations. Two methods need not agree in a scaled
 * derivative below it. */
static inline double check_rounding(double value) {
  return 1e-12 * fabs(value);
}

/* The rounding of a central difference of such numbers, with the step of the run. */
static inline double check_difference_rounding(const mechanism *m, double value) {
  return check_rounding(value) / m->config->gradient.difference_step;
}

/* "right": within the tolerance; "tiny": outside, but within `rounding`, for a derivative so small that rounding is a noticeable part of
 * it; "WRONG". All are relative to the derivative. */
static inline const char *check_verdict(double deviation, double tolerance, double rounding) {
  static const double noticeable = 1e-4;
  return deviation <= tolerance ? "right" : rounding > noticeable && deviation <= rounding ? "tiny" : "WRONG";
}
/* A deviation up to by_steps is what the steps of the motion leave open. */
static inline const char *check_verdict_by_steps(double deviation, double tolerance, double by_steps, double rounding) {
  return deviation > tolerance && deviation <= by_steps ? "to the accuracy of the steps"
                                                        : check_verdict(deviation, tolerance, rounding);
}
static inline int check_is_wrong(const char *verdict) {
  return strcmp(verdict, "WRONG") == 0;
}

/* size [nobjective + nconstraint]: of each quantity at the start, if its outputs had no sign: sum |w| Y^p T^q, Y the largest absolute
 * value of the run's outputs of that unit, T its duration, y^p s^q the unit of the form. Quantities near zero are differences of such numbers. 0: the
 * quantity is an expression of scalars. */
mbd_status check_sizes(mechanism *m, double *size, mbd_error *err);

/* The larger one of two errors; NaN is kept. */
static inline double check_worse(double max, double error) {
  return error > max || isnan(error) ? error : max;
}

/* Largest scaled difference of two gradients [n], relative to `size`; NaN if a component is NaN. */
double check_deviation(const mechanism *m, const double *a, const double *b, double size);

/* Checks exact second derivatives at the start: a verdict for each quantity is printed or added to the list; *wrong counts the wrong
 * ones. */
mbd_status check_hessian(const cli_run *r, int *wrong, json_t *list, mbd_error *err);

/* Checks users' forces along the motions at the start: a verdict for each is printed or added to the list; *wrong counts the wrong ones. */
mbd_status check_plugins(const cli_run *r, int *wrong, json_t *list, mbd_error *err);

#endif
