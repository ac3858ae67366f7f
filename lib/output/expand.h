/* Outputs as operations on the components of their arguments, so that expressions of outputs can be differentiated any number of times: for
 * constraints by expression (constraint/expression.h). theory.md §4.4 (4.21) */
#ifndef MBD_EXPAND_H
#define MBD_EXPAND_H

#include "output/output.h"

/* What an operation contains. */
enum { EXPANSION_FREE = 1, EXPANSION_RATE = 2 };

/* The value of a constraint while it is made. After a failure nothing is appended. */
struct expansion {
  const mbd_model *m;
  mbd_constraint *to; /* whose law, arguments and curves it becomes */
  const output *of;   /* which is being expanded */
  mbd_status status;
  mbd_error *err;
  unsigned char contains[VELOCITY_OPERATIONS_MAX]; /* [operation] terms with rates, and without */
  const char *rate[VELOCITY_OPERATIONS_MAX]; /* [operation] name of the output of a rate in it; NULL: it has none */
  const char *nonlinear;                     /* the first that is not linear in it; NULL: all are */
};

/* The number of an operation that is appended, or exists already. */
int expand_operation(expansion *x, mbd_operation o);
int expand_leaf(expansion *x, velocity_leaf leaf);
int expand_curve(expansion *x, int curve, int derivative, int a);

/* The forms of outputs. */
int expand_component(expansion *x, const output *o);
int expand_along_axis(expansion *x, const output *o);

#endif
