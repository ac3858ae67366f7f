/* Derived quantities, compiled (derived_compile.c): the formulas of a quantity and of those that it is made of as one list of operations
 * on outputs. */
#ifndef MBD_DERIVED_H
#define MBD_DERIVED_H

#include "output/output.h"

enum { DERIVED_MOST = 2000 }; /* operations of one */

typedef struct derived_node {
  int op; /* place in the table of base/operator.h; of names: an output, a coefficient or the time */
  int a, b;
  double number;
  int input;          /* number among the outputs; -1 */
  int coef;           /* a coefficient; -1 */
  const char *stated; /* unit that the description states for the value so far; NULL: none */
} derived_node;

struct output_formula {
  int n;
  derived_node *node;
  int value;          /* the node that is the value */
  mbd_outputs *input; /* each once; none of them derived */
};

/* Where `unit` is stated: MBD_BAD_INPUT if what is added, compared or taken as an angle has other units, or the result has.
 * Coefficients and units that are not known go with all (derived_units.c). */
mbd_status derived_check_units(const output_formula *f, const model_quantity *q, mbd_error *err);

#endif
