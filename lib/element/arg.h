/* Arguments: the quantities of the mechanism on which a force, a constraint or an output depends.
 *
 * An argument is a small vector that moves with the mechanism: a point (or the difference of two), a vector fixed in
 * a body, the rotation of a body (or of one relative to another), a coordinate. With the natural coordinates q of S0
 * they are differences of entries of q. Elements know their arguments x, xd (and xdd); kinematics/lift.h knows how
 * these depend on z, zd, zdd; so neither needs the other's derivatives.
 *
 * A rotation has no value x, only a rate (the angular velocity) and virtual directions. */
#ifndef MBD_ARG_H
#define MBD_ARG_H

#include <string.h>

#include "base/real.h"
#include "mbd/element.h"

/* The largest number of arguments of an element. Types have MBD_ARG_MAX at most; a force by expression (force/expression.h) also has those of
 * the quantities in it, and a constraint by expression (constraint/expression.h) has those alone. */
enum { ELEMENT_ARG_MAX = 24, CONSTRAINT_ARG_MAX = 12 };

typedef struct mbd_arg {
  mbd_arg_kind kind;
  int b, a; /* point, vector: markers, x = x_b - x_a (a = -1: x_b); rotation: bodies; coordinate: b is its index */
} mbd_arg;

enum { LIFT_APART = 7 }; /* both ends, on different nodes of a flexible body or beyond them */

/* How one set of arguments depends on the coordinates: the columns that move any of them. */
typedef struct mbd_lift {
  int narg;
  mbd_arg arg[ELEMENT_ARG_MAX];
  int ncol;
  const int *col; /* [ncol] coordinates, increasing: on one chain a smaller index is nearer to the ground */
  const unsigned char
      *flag;     /* [narg][ncol] 1: moves b, 2: moves a, 3: both by the same column, LIFT_APART: each by its own */
  const int *of; /* [narg][ncol][2] the columns by which b and a are moved */
  int common;    /* body whose motion moves all arguments alike and is left out of the columns; 0: none */
  int body;      /* the one body that the arguments touch beside the ground; 0: several, or a coordinate */
} mbd_lift;

/* Values of the arguments. */
typedef struct mbd_arg_state {
  mbd_real x[ELEMENT_ARG_MAX][3], xd[ELEMENT_ARG_MAX][3], xdd[ELEMENT_ARG_MAX][3];
} mbd_arg_state;

/* Zeroes the values of narg arguments, not of as many as an element may have. */
static inline void arg_state_zero(int narg, mbd_arg_state *s) {
  const size_t bytes = (size_t)narg * sizeof s->x[0];
  memset(s->x, 0, bytes), memset(s->xd, 0, bytes), memset(s->xdd, 0, bytes);
}

#endif
