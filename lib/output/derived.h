/* Derived quantities, compiled (derived_compile.c): the expressions of a quantity and of the quantities that it uses, as one expression of
 * outputs, coefficients and the time. */
#ifndef MBD_DERIVED_H
#define MBD_DERIVED_H

#include "output/output.h"

enum { DERIVED_MAX = 2000 }; /* largest number of operations of a quantity */

typedef struct formula_leaf {
  mbd_leaf_kind is;
  int at; /* which output of `input`, or which coefficient */
} formula_leaf;

struct output_formula {
  mbd_expression value;
  int nleaf; /* at most DERIVED_MAX, since each is read by an operation of its own */
  formula_leaf *leaf;
  mbd_outputs *input; /* the outputs, each once; none of them is derived */
};

/* Compiles a quantity of the model, or the value of a force, to *out, which derived_free frees also after a failure. */
mbd_status derived_compile(const mbd_model *m, const model_quantity *formula, output_formula **out, mbd_error *err);
void derived_free(output_formula *f); /* NULL allowed */

/* If the quantity has a stated unit: MBD_BAD_INPUT if operands that are added, compared or used as angles have other units, or the
 * result has. Coefficients and unknown units are compatible with all units (derived_units.c). quantity: its number; -1: it is the value of a
 * force.
 * end [nquantity]: the operation whose value each quantity in the formula is, of one with a stated unit none but its own; -1: is not in it. */
mbd_status derived_check_units(const mbd_model *m, const output_formula *f, const model_quantity *formula, int quantity,
                               const int *end, mbd_error *err);

#endif
