/* Derived quantities, compiled (derived_compile.c): the formulas of a quantity and of the quantities that it uses, as
 * one list of operations on outputs. */
#ifndef MBD_DERIVED_H
#define MBD_DERIVED_H

#include "output/output.h"

enum { DERIVED_MOST = 2000 }; /* largest number of operations of a quantity */

typedef struct derived_node {
  int op; /* place in the table of base/operator.h; of names: an output, a coefficient or the time */
  int a, b;
  double number;
  int input;          /* index of the output; -1: it is no output */
  int coef;           /* index of the coefficient; -1: it is none */
  const char *stated; /* unit that the description states for the value of this operation; NULL: none */
} derived_node;

struct output_formula {
  int n;
  derived_node *node;
  int value;          /* the node that is the value */
  mbd_outputs *input; /* the outputs, each once; none of them is derived */
};

/* If `unit` is stated: MBD_BAD_INPUT if operands that are added, compared or used as angles have other units, or the
 * result has. Coefficients and unknown units are compatible with all units (derived_units.c). */
mbd_status derived_check_units(const output_formula *f, const model_quantity *q, mbd_error *err);

#endif
