/* Modes of [mode NAME], small motions about the start of cases, as numbers in the values of objectives and constraints: NAME.real, NAME.frequency,
 * NAME.damping_ratio of a mode that is followed by its vectors, and NAME.largest_real, a smooth maximum over cases or over all modes.
 *
 * At the start of the run file a mode is the one nearest to the numbers of its section in the first of its cases, and in each other case the one most like that of
 * the case before. At another design it is the one most like these, on the straight way from that start in as many parts as it takes: so results depend
 * on the design alone. Equations: theory.md §7.7 (7.14). */
#ifndef MBO_MODES_H
#define MBO_MODES_H

#include <jansson.h>

#include "config/config.h"

typedef struct mechanism mechanism;
typedef struct mechanism_case mechanism_case;
typedef struct mechanism_modes mechanism_modes;

/* Makes m->modes from the sections of the run; then, once the cases are there, their linear systems. */
mbd_status modes_create(mechanism *m, mbd_error *err);
mbd_status modes_set_up(mechanism *m, mbd_error *err);
void modes_destroy(mechanism *m);

/* The number *output of NAME.real and the like; -1: the name is none. MBD_BAD_INPUT: it begins as one. */
mbd_status modes_output(mechanism *m, const char *name, int *output, mbd_error *err);
int modes_are_used(const mechanism *m);

/* Finds the modes at the start of the run file, unless that is done; sets that design. */
mbd_status modes_find(mechanism *m, mbd_error *err);

/* The section that follows the mode of a case with the eigenvalue re +- im i at the start of the run file; NULL: none does, or modes_find has not found them. */
const char *modes_name_of(const mechanism *m, const mechanism_case *load, double re, double im);

/* At the design rho [n], which is set: values, and gradients if `gradient`, by reverse passes. Nothing without outputs. */
mbd_status modes_evaluate(mechanism *m, const double *rho, int gradient, mbd_error *err);
/* Afterwards: changes along w [n], of the gradients; or by complex step of the matrix. */
void modes_along(mechanism *m, const double *w);
mbd_status modes_complex_step(mechanism *m, const double *w, mbd_error *err);

/* Of an output. gradient [n] */
double modes_value(const mechanism *m, int output);
const double *modes_gradient(const mechanism *m, int output);
double modes_change(const mechanism *m, int output);

/* Appends warnings about modes near others, and about those that could not be followed, at the last design. */
void modes_warn(const mechanism *m, json_t *list);

#endif
