/* Derived quantities, compiled (derived_compile.c): the expressions of a quantity and of the quantities that it uses, as one expression of
 * outputs, coefficients and the time, in which a curve of the model is an operation on the value of another one. */
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

/* A formula, and the numbers of its coefficients and curves. */
typedef struct formula_at {
  const output_formula *f;
  const mbd_model *m;
  const mbd_real *theta, *aux;
} formula_at;

/* v [operations]: their values, for values x of the leaves. */
void formula_values(const formula_at *at, const mbd_real *x, mbd_real *v);

/* reverse [operations], xbar [leaves]: the derivatives of the value by the operations and by the leaves, times s. */
void formula_slopes(const formula_at *at, const mbd_real *v, mbd_real s, mbd_real *reverse, mbd_real *xbar);

/* What the coefficients of its curves contribute at the values v, weighted as `reverse` of formula_slopes is: its change along a direction, and
 * the transpose of that. */
mbd_real formula_curves_along(const formula_at *at, const mbd_real *v, const mbd_real *reverse, const mbd_real *dtheta,
                              const mbd_real *daux);
void formula_curves_reverse(const formula_at *at, const mbd_real *v, const mbd_real *reverse, params_reverse *to);

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
