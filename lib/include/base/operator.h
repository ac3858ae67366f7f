/* The operators of expressions (mbd/expression.h), each with its derivatives, in complex arithmetic too. */
#ifndef MBD_OPERATOR_H
#define MBD_OPERATOR_H

#include "base/real.h"
#include "mbd/expression.h"

#pragma GCC visibility push(default)

/* Second derivatives of f(a, b). */
typedef struct mbd_curvature {
  mbd_real aa, ab, bb;
} mbd_curvature;

/* Which units the operands may have, and the unit of the result. */
typedef enum mbd_unit_rule {
  MBD_UNITS_SAME,     /* alike, and the same */
  MBD_UNITS_PRODUCT,  /* any */
  MBD_UNITS_QUOTIENT, /* any */
  MBD_UNITS_POWER,    /* any, raised by the number that is the second one */
  MBD_UNITS_ROOT,     /* any */
  MBD_UNITS_NONE,     /* neither has one */
  MBD_UNITS_ANGLE,    /* alike; none */
  MBD_UNITS_UNKNOWN   /* any; not known */
} mbd_unit_rule;

typedef mbd_real mbd_operator_value(mbd_real a, mbd_real b);
typedef void mbd_operator_slopes(mbd_real a, mbd_real b, mbd_real *da, mbd_real *db);
typedef mbd_curvature mbd_operator_curvature(mbd_real a, mbd_real b);

typedef struct mbd_operator_info {
  const char *name; /* "+"; of a function, what stands before its parenthesis */
  int operands;     /* 0: a number or a leaf; 1: b is not read, and slopes by it are zero; 2 */
  mbd_unit_rule units;
  mbd_operator_value *f; /* NULL, and so d and dd: a curve (base/expression.h) */
  mbd_operator_slopes *d;
  mbd_operator_curvature *dd;
} mbd_operator_info;

const mbd_operator_info *mbd_operator_at(mbd_operator op); /* NULL: there is none */
int mbd_operator_find(const char *name);                   /* of one that can be written; -1: there is none */

#pragma GCC visibility pop
#endif
