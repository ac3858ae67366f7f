/* What the sensors of [experiment NAME] would tell of parameters, as numbers in the values of objectives and constraints: NAME.information,
 * NAME.variance and NAME.deviation.PARAMETER, with exact gradients by products of second order. Equations: theory.md §6 (6.40), (6.42),
 * (6.43). */
#ifndef MBO_EXPERIMENTS_H
#define MBO_EXPERIMENTS_H

#include "config/config.h"

typedef struct mechanism mechanism;
typedef struct mechanism_experiments mechanism_experiments;

/* Makes m->experiments from the sections of the run; once the variables are known, finds the parameters of the experiments that values name; once the cases are
 * there, makes the simulations of the sensors. */
mbd_status experiments_create(mechanism *m, mbd_error *err);
mbd_status experiments_find_parameters(mechanism *m, mbd_error *err);
mbd_status experiments_set_up(mechanism *m, mbd_error *err);
void experiments_destroy(mechanism *m);

/* The number *output of NAME.information and the like; -1: the name is none. MBD_BAD_INPUT: it begins as one. */
mbd_status experiments_output(mechanism *m, const char *name, int *output, mbd_error *err);
int experiments_are_used(const mechanism *m);

/* At the design rho [n], which is set: values, and gradients if `gradient`. Nothing without outputs. MBD_SINGULAR: the sensors do not
 * determine the parameters; MBD_UNSUPPORTED: a case has no adjoint. Cost: for each experiment a direct differentiation of its cases by the parameters; for the
 * gradient of each output as many complex simulations of them with their adjoints as there are parameters. */
mbd_status experiments_evaluate(mechanism *m, const double *rho, int gradient, mbd_error *err);
/* Afterwards: changes along w [n], of the gradients; or by extrapolated differences of the values at six designs, which take no derivative of
 * second order. */
void experiments_along(mechanism *m, const double *w);
mbd_status experiments_differences(mechanism *m, const double *w, mbd_error *err);

/* Of an output. gradient [n] */
double experiments_value(const mechanism *m, int output);
const double *experiments_gradient(const mechanism *m, int output);
double experiments_change(const mechanism *m, int output);

#endif
