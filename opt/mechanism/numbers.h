/* Numbers that values of objectives and constraints name beside objectives and scalars: those of modes (modes.h) and of experiments
 * (experiments.h), which are computed and differentiated at every design, each in its own way. */
#ifndef MBO_NUMBERS_H
#define MBO_NUMBERS_H

#include "mechanism/mechanism.h"

/* *number of a name; -1: it is none. MBD_BAD_INPUT: it begins as one. */
mbd_status numbers_find(mechanism *m, const char *name, int *number, mbd_error *err);

/* The kind of section of which some number is used: "mode", "experiment"; NULL: none is. Such numbers have first derivatives alone. */
const char *numbers_are_used(const mechanism *m);

/* At the design rho [n], which is set: values, and gradients if `gradient`. Then changes along w [n]: of the gradients, or in another way, by which these
 * are checked. */
mbd_status numbers_evaluate(mechanism *m, const double *rho, int gradient, mbd_error *err);
void numbers_along(mechanism *m, const double *w);
mbd_status numbers_otherwise(mechanism *m, const double *w, mbd_error *err);

/* Of a number. gradient [n] */
double numbers_value(const mechanism *m, int number);
const double *numbers_gradient(const mechanism *m, int number);
double numbers_change(const mechanism *m, int number);

#endif
