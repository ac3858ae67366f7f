/* Constraints of velocities by expression: Psi(x, xd, theta, t) = A xd + b = 0 of arguments, coefficients, curves and the time, linear in the
 * rates. What it is made of is known above (output/acting_constraint.c); here its leaves are components of the arguments and of their rates, so
 * that all derivatives are those of one expression. theory.md §4.4 (4.21) */
#ifndef MBD_CONSTRAINT_EXPRESSION_H
#define MBD_CONSTRAINT_EXPRESSION_H

#include "constraint/constraint.h"
#include "mbd/expression.h"

enum { VELOCITY_OPERATIONS_MAX = 1000 };

typedef enum velocity_leaf_kind { VELOCITY_X, VELOCITY_XD, VELOCITY_COEFFICIENT, VELOCITY_TIME } velocity_leaf_kind;

typedef struct velocity_leaf {
  velocity_leaf_kind is;
  int at;        /* an argument, or the number of a coefficient */
  int component; /* of the argument */
} velocity_leaf;

typedef struct velocity_law {
  mbd_constraint_ops ops; /* of the type, with its arguments; ops.law is this */
  mbd_expression value;   /* curves by their slot of the constraint; with the leaves in memory of its own */
  int nleaf;
  velocity_leaf *leaf; /* each once */
} velocity_law;

extern const mbd_constraint_ops mbd_constraint_expression; /* the row of the table, without arguments */

/* A constraint without a value yet, in new memory; NULL: no memory. */
velocity_law *velocity_law_create(void);
void velocity_law_free(velocity_law *law); /* NULL allowed */

#endif
