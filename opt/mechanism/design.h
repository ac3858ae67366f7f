/* The design variables of a run: a section of the run file makes one of a scalar, or one of every control point of a
 * curve. */
#ifndef MBO_DESIGN_H
#define MBO_DESIGN_H

#include "config/config.h"

typedef struct design {
  int n;
  char **name;                           /* [n] SECTION, or SECTION.i for control points */
  char **what;                           /* [n + nparameter] what varies in the model: SCALAR, or curve.NAME.i */
  int nparameter;                        /* scalars in which outputs are differentiated, though they do not vary, */
  double *parameter;                     /* [nparameter] and their values */
  int *section;                          /* [n] number of its section among the [design ...] */
  double *start, *lower, *upper, *scale; /* [n] */
  unsigned char *scale_is_open;          /* [n] 1: the file leaves it out */
  int *nvalues;                          /* [n] catalogue values; NULL: no variable has any */
  const double **values;                 /* [n] which belong to the run file */
} design;

/* The variables that the sections make with the model f; starts and scales that are left out come from the model. */
mbd_status design_create(const mbo_run_config *c, const mbo_model_file *f, design *d, mbd_error *err);

/* The number of a scalar among the variables, or behind them among the parameters, to which it is added if it is none of both; -1: there is no memory.
 * value: it has with the model of the first case, NaN: it is not known there, which design_vary reports. */
int design_parameter(design *d, const mbo_model_file *f, const char *scalar, double *value);
void design_free(design *d);

/* Starts that come from the model may be outside of the bounds. */
mbd_status design_check_start(const design *d, const mbo_run_config *c, mbd_error *err);

/* Is x a value of variable i at one of its bounds? "lower bound", "upper bound", or NULL: neither. Interior-point methods end beside a
 * bound, not on it, so DESIGN_AT_BOUND of the distance of the bounds (of the scale, where one is open) counts as there. */
#define DESIGN_AT_BOUND 1e-6
const char *design_at_bound(const design *d, int i, double x);

/* The number of combinations of catalogue values; 1: no variable has any. */
double design_combinations(const design *d);

/* Make them and the parameters vary in f, the model with the scalars and curves of the case `own`. */
mbd_status design_vary(const design *d, const mbo_run_config *c, const mbo_case_config *own, mbo_model_file *f,
                       mbd_error *err);

#endif
