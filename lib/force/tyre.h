/* The common part of all tyre models: a wheel on a road, and the force element that uses a law in dual numbers.
 *
 * Arguments of a tyre: the wheel's centre (point), its spin axis (vector fixed in the wheel, pointing to the left of
 * travel), the wheel's rotation. Its inputs, in this order: centre c, axis u, velocity of the centre v, angular velocity w,
 * 3 each. Its results: force and moment on the wheel at its centre, then the scalars that can be outputs.
 *
 * The road is a height h(x) over the global x axis, z up: a curve, or the plane z = 0.
 *
 * Transient slip. With a relaxation length sigma_k the forces take a state x_k in place of the slip s_k of the wheel's motion at the contact point, which
 * is the slip (k = 0) or the tangent of the slip angle (k = 1), and lag behind it over the distance that is rolled:
 *   d/dt x_k = |v| (s_k - x_k)/sigma_k,    |v| the rolling speed by which slips are divided           theory.md §4.3 (4.20)
 *   [Pacejka, Tire and Vehicle Dynamics, 3rd ed. 2012, chapter 7]
 * Such a tyre has the states TYRE_STATES: their values are inputs number TYRE_TRANSIENT + k, their rates results number TYRE_RATES + k. */
#ifndef MBD_TYRE_H
#define MBD_TYRE_H

#include "force/force.h"

enum { TYRE_CENTRE, TYRE_AXIS = 3, TYRE_VELOCITY = 6, TYRE_SPIN = 9, TYRE_INPUTS = 12 };
enum { TYRE_FORCE, TYRE_MOMENT = 3, TYRE_SCALARS = 6, TYRE_NSCALAR = 10, TYRE_RESULTS = TYRE_SCALARS + TYRE_NSCALAR };
_Static_assert(TYRE_INPUTS == 12, "the Jacobian's dual numbers carry one direction for each input");
enum { TYRE_SLIPS = 2, TYRE_TRANSIENT = TYRE_INPUTS, TYRE_TRANSIENT_INPUTS = TYRE_INPUTS + TYRE_SLIPS };
enum { TYRE_RATES = TYRE_RESULTS, TYRE_TRANSIENT_RESULTS = TYRE_RESULTS + TYRE_SLIPS };
enum { TYRE_ROAD = 0 }; /* its first curve */

/* Scalars of tyres, after TYRE_SCALARS. The moments are those on the wheel at the contact point: the rolling resistance My about the axis to the
 * left, negative where it brakes a wheel that rolls forward, the overturning moment Mx about the axis forward, the aligning moment Mz about the
 * normal of the road. Mx and Mz are the last ones, because a simple tyre has none. */
#define TYRE_SCALAR_NAMES                                                                                      \
  {                                                                                                            \
    "deflection", "load", "longitudinal", "lateral", "slip", "slip_angle", "camber", "rolling", "overturning", \
        "aligning"                                                                                             \
  }
#define TYRE_SCALAR_UNITS \
  { "m", "N", "N", "N", "-", "rad", "rad", "N m", "N m", "N m" }

/* A tyre model: its first nresult results y (TYRE_SCALARS: without the scalars; or TYRE_RESULTS) alone, or with their Jacobian in the
 * inputs, or with their derivative along a direction of coefficients at given inputs; where it has states, their rates as well. */
typedef void tyre_value(const mbd_element_input *in, int nresult, mbd_real y[TYRE_TRANSIENT_RESULTS]);
typedef void tyre_jacobian(const mbd_element_input *in, int nresult, mbd_real y[TYRE_RESULTS],
                           mbd_real J[TYRE_RESULTS][TYRE_INPUTS]);
typedef void tyre_direction(const mbd_element_input *in, const mbd_element_direction *d, int nresult,
                            mbd_real y[TYRE_TRANSIENT_RESULTS], mbd_real dy[TYRE_TRANSIENT_RESULTS]);
typedef void tyre_transient(const mbd_element_input *in, int nresult, mbd_real y[TYRE_TRANSIENT_RESULTS],
                            mbd_real J[TYRE_TRANSIENT_RESULTS][TYRE_TRANSIENT_INPUTS]);

typedef struct tyre_law {
  tyre_value *value;
  tyre_jacobian *jacobian;
  tyre_direction *direction;
  tyre_transient *transient; /* the Jacobian of a tyre with states */
} tyre_law;

/* The operations of an element with the law in->law. */
void tyre_f(const mbd_element_input *in, mbd_real (*f)[3]);
void tyre_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
              mbd_real (*D)[ELEMENT_ARG_MAX][9]);
void tyre_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]);
mbd_real tyre_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]);
mbd_real tyre_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d);

extern const mbd_ref_info tyre_refs[];
extern const mbd_curve_info tyre_curves[];
extern const mbd_force_slopes tyre_slopes;
void tyre_inputs(const mbd_element_input *in, mbd_real x[TYRE_INPUTS]);

/* The argument of the state of slip k, of a tyre that has it; -1: it has not. */
static inline int tyre_argument(const mbd_element_input *in, int k) {
  return in->variant & 1 << k ? 3 + (k && in->variant & 1) : -1;
}

/* Coefficients of every tyre for its transient slip, X(name, key, unit, default, range, doc). */
#define TYRE_RELAXATION(X)                                                                                        \
  X(RELAXATION, "relaxation_length", "m", 0, MBD_NOT_NEGATIVE, "relaxation length of slip; 0: no transient slip") \
  X(RELAXATION_SIDE, "relaxation_length_side", "m", 0, MBD_NOT_NEGATIVE,                                          \
    "relaxation length of the slip angle; 0: no transient slip to the side")                                      \
  X(SLIP_START, "transient_slip_start", "-", 0, MBD_ANY,                                                          \
    "state `transient_slip` at the start; in equilibrium it settles")                                             \
  X(SIDE_SLIP_START, "transient_side_slip_start", "-", 0, MBD_ANY, "the same of `transient_side_slip`")
#define TYRE_TRANSIENT_DOC                                                                                             \
  "With a relaxation length L the forces take a state x in place of the slip s, dx/dt = v (s - x)/L with the rolling " \
  "speed v: FORCE.transient_slip, and FORCE.transient_side_slip in place of the tangent of the slip angle, which are " \
  "outputs as other states are."

/* The states of a tyre: with a key of its own that scales relaxation lengths of a property file, or NULL. */
#define TYRE_STATES(SCALE)                                                                          \
  ((const mbd_force_state_info[]){                                                                  \
      {"transient_slip", "-", {"relaxation_length", SCALE}, "transient_slip_start"},                \
      {"transient_side_slip", "-", {"relaxation_length_side", SCALE}, "transient_side_slip_start"}, \
      {0}})

/* The common part of the rows of all tyres, except the number of scalars. */
#define TYRE_ROW(LAW, SCALARS)                                                                                 \
  .narg = 3, .arg = {{MBD_ARG_POINT, 0, -1}, {MBD_ARG_VECTOR, 1, -1}, {MBD_ARG_ROTATION, 2, -1}}, .law = &LAW, \
  FORCE_F(tyre), .keep = &tyre_slopes, .nscalar = SCALARS, .scalar_name = TYRE_SCALAR_NAMES,                   \
  .scalar_unit = TYRE_SCALAR_UNITS, FORCE_SCALARS(tyre)

#endif
