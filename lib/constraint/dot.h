/* The product x_0 . x_1 of the first two arguments of a constraint, with its derivatives.
 * Lifted to z in theory.md §4 (4.1), (4.2), as all of Phi. */
#ifndef MBD_CONSTRAINT_DOT_H
#define MBD_CONSTRAINT_DOT_H

#include "base/v3.h"
#include "constraint/constraint.h"

static inline void dot_phi(const mbd_element_input *in, mbd_real *phi) {
  phi[0] = v3_dot(in->s->x[0], in->s->x[1]);
}

static inline void dot_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  v3_copy(J[0][0], in->s->x[1]);
  v3_copy(J[0][1], in->s->x[0]);
}

static inline void dot_phi_xx(const mbd_element_input *in, const mbd_real *s, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  (void)in;
  for (int k = 0; k < 3; k++) {
    H[0][1][4 * k] += s[0];
    H[1][0][4 * k] += s[0];
  }
}

#endif
