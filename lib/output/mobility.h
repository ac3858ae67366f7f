/* Quantities of the motions that a mechanism admits at its place, whatever its velocity: functions y(x, u) of arguments x and their
 * virtual velocities u = x_z mu in admissible motions mu, Phi_z mu = 0.
 *
 * mu is the projection of a covector c onto the admissible motions: of all admissible motions of the same size, c . mu
 * is largest for it. y must not depend on the size of mu, nor on other degrees of freedom of the mechanism: then y_mu =
 * sum_a x_z' y_u is a combination Phi_z' nu of the constraints, and
 *   y' = y_x . x' + y_u . (x_z)' mu - nu . (Phi_z)' mu
 * whatever mu' is, theory.md §4 (4.5). If y depends on other degrees of freedom, there is no such nu, and y is NaN. */
#ifndef MBD_OUTPUT_MOBILITY_H
#define MBD_OUTPUT_MOBILITY_H

#include "output/output.h"

enum { MOBILITY_MOTIONS = 2 }; /* admissible motions at most */

/* The arguments x of a formula and their virtual velocities u, or the derivatives by them. A rotation has no x. */
typedef struct mobility_at {
  mbd_real x[MBD_ARG_MAX][3], u[MOBILITY_MOTIONS][MBD_ARG_MAX][3];
} mobility_at;

/* The formula of a kind of relation. */
typedef struct mobility_formula {
  int motions, candidates;
  /* Candidate number `which` for c of motion k: weights f of the arguments' virtual velocities, which are zero on
   * entry. */
  void (*covector)(const mobility_at *s, int k, int which, mbd_real (*f)[3]);
  /* A vector, with the gradient of each component; 0: it has none at these velocities, because of no_place. */
  int (*eval)(const mobility_at *s, mbd_real y[3], mobility_at g[3]);
  const char *no_place;
} mobility_formula;

mbd_status mobility_create(const mbd_model *m, output *o, mbd_error *err);
void mobility_destroy(output_mobility *mobility);

mbd_real mobility_value(const output_at *at);
const char *mobility_why(
    const output_mobility *mobility); /* why the value that was computed last is NaN; NULL: it is not */
void mobility_rows(const output_at *at, const output_row *g);
mbd_real mobility_direction(const output_at *at);
void mobility_reverse(const output_at *at, mbd_real s, const output_back *to);

#endif
