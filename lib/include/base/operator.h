/* The operations that expressions are made of, each with its derivatives: those of model files, and of derived quantities, which
 * are evaluated along with a simulation, in complex arithmetic too. */
#ifndef MBD_OPERATOR_H
#define MBD_OPERATOR_H

#include "base/real.h"

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
  MBD_UNITS_ANGLE     /* alike; none */
} mbd_unit_rule;

typedef mbd_real mbd_operator_value(mbd_real a, mbd_real b);
typedef void mbd_operator_slopes(mbd_real a, mbd_real b, mbd_real *da, mbd_real *db);
typedef mbd_curvature mbd_operator_curvature(mbd_real a, mbd_real b);

typedef struct mbd_operator {
  const char *name; /* "+"; of a function, what stands before its parenthesis */
  int operands;     /* 0: a leaf, not an operation; 1: b is not read; 2 */
  mbd_unit_rule units;
  mbd_operator_value *f;
  mbd_operator_slopes *d;     /* leaves db alone where there is one operand */
  mbd_operator_curvature *dd; /* NULL: all zero */
} mbd_operator;

/* Places in the table; functions follow. */
enum {
  MBD_OP_NUMBER,
  MBD_OP_NAME,
  MBD_OP_ADD,
  MBD_OP_SUB,
  MBD_OP_MUL,
  MBD_OP_DIV,
  MBD_OP_POW,
  MBD_OP_NEG,
  MBD_OP_FUNCTIONS
};

const mbd_operator *mbd_operator_at(int i); /* NULL past the end */
int mbd_operator_find(const char *name);    /* -1: there is none */

#pragma GCC visibility pop
#endif
