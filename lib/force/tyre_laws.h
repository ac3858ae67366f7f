/* The laws of the tyre models, each written once in dual numbers (tyre_contact_law.h, magic_formula_law.h) and compiled four times:
 * tyre_laws_value.c has their values, tyre_laws_direction.c their derivatives along one direction of coefficients,
 * tyre_laws_jacobian.c those in the inputs, tyre_laws_transient.c those of tyres with states. A new tyre has a law of its own and a row in each of these files. */
#ifndef MBD_TYRE_LAWS_H
#define MBD_TYRE_LAWS_H

#include "force/tyre.h"

/* Coefficients of tyre_contact, in the order of its table. */
enum {
  CONTACT_RADIUS,
  CONTACT_STIFFNESS,
  CONTACT_DAMPING,
  CONTACT_TOUCHDOWN,
  CONTACT_FRICTION,
  CONTACT_SLIP_SPEED,
  CONTACT_SLIP_RATIO,
  CONTACT_ROLLING_RESISTANCE,
#define X(name, key, unit, dflt, range, doc) CONTACT_##name,
  TYRE_RELAXATION(X)
#undef X
};

tyre_value tyre_contact_value, tyre_magic_formula_value;
tyre_direction tyre_contact_direction, tyre_magic_formula_direction;
tyre_jacobian tyre_contact_jacobian, tyre_magic_formula_jacobian;
tyre_transient tyre_contact_transient, tyre_magic_formula_transient;

/* Copies the results r of a law and, where the tyre has states, their rates. */
#define TYRE_COPY(COPY)                       \
  for (int i = 0; i < nresult; i++) { COPY; } \
  for (int i = TYRE_RATES; in->variant && i < TYRE_TRANSIENT_RESULTS; i++) { COPY; }

#endif
