/* Expressions (mbd/expression.h): their making, value and derivatives. Numbers of model files, values of objectives and derived
 * quantities are made and evaluated here, the latter in complex arithmetic too. */
#ifndef MBD_BASE_EXPRESSION_H
#define MBD_BASE_EXPRESSION_H

#include "base/real.h"
#include "mbd/expression.h"

/* The product, which is zero if either factor is: what does not change has no effect where a slope is infinite. */
static inline mbd_real mbd_times(mbd_real a, mbd_real b) {
  return mbd_select(a == 0 || b == 0, 0, a * b);
}

#pragma GCC visibility push(default)

/* Appends an operation to an expression that owns its list. Returns its number; -1: no memory, and the expression is unchanged. */
int mbd_expression_append(mbd_expression *e, mbd_operation o);

/* The curves that operations MBD_OP_CURVE take: the value and slope of that of operation o at a; and, for second derivatives alone, the change of
 * both by da and by a direction of the curve's coefficients, of which *dy gets the latter alone. */
typedef struct mbd_expression_curves {
  void (*at)(const void *of, const mbd_operation *o, mbd_real a, mbd_real *y, mbd_real *slope);
  const void *of;
  void (*change)(const void *of, const mbd_operation *o, mbd_real a, mbd_real da, mbd_real *dy, mbd_real *dslope);
} mbd_expression_curves;

/* Values v [n] of all operations, the last of which is that of the expression, for values x of the leaves. dx: a direction in which the
 * leaves change, for changes dv [n] of all operations; NULL: no changes. What does not change has no effect, even where a slope is infinite.
 * curves: NULL where it has none. */
void mbd_expression_values(const mbd_expression *e, const mbd_expression_curves *curves, const mbd_real *x,
                           const mbd_real *dx, mbd_real *v, mbd_real *dv);

/* The reverse sweep after mbd_expression_values. Adds to xbar the derivatives of the value by the leaves, times scale; if dv is not NULL, the
 * changes of these derivatives along the direction instead: scale times the matrix of second derivatives times dx. Second derivatives of abs, min
 * and max are zero, and so are those of curves without `change`. reverse, dbar [n]: derivatives by the operations and their changes; dbar is not used without dv. */
void mbd_expression_reverse(const mbd_expression *e, const mbd_expression_curves *curves, const mbd_real *v,
                            const mbd_real *dv, mbd_real scale, mbd_real *reverse, mbd_real *dbar, mbd_real *xbar);

#pragma GCC visibility pop
#endif
