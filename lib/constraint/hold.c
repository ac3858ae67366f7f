/* Held quantities of the start: constraints that act at the initial time only, with a value c0 and a rate c1.
 *   coordinate, component of a point:  Phi = x_k - c0,  phi_t = -c1
 *   angle of a body about a global axis, from u, a body axis seen in the plane normal to it:
 *                                      Phi = atan2(u_q, u_p) - c0 within half a turn of zero,  phi_t = -c1
 *       phi_u = (-u_q, u_p)/r^2,  phi_uu = [2 u_p u_q, u_q^2 - u_p^2; u_q^2 - u_p^2, -2 u_p u_q]/r^4,  r^2 = u_p^2 + u_q^2
 * Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "constraint/constraint.h"

static const double smallest_radius = 1e-8; /* length of the part of u in the plane, below which it has no angle */

/* ---- component k = in->variant of a point, 0 of a coordinate ---- */

static void component_phi(const mbd_element_input *in, mbd_real *phi) {
  phi[0] = in->s->x[0][in->variant] - in->prepared[0];
}

static void component_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  J[0][0][in->variant] = 1;
}

/* ---- angle about global axis k = in->variant, in the plane of the next two, (k, p, q) cyclic ----
 * The sine of the difference alone would also vanish half a turn from the value, and if the body axis is normal to the plane. There the
 * angle is undefined, and this equation is not a number. */

typedef struct plane {
  int p, q;
  mbd_real up, uq, r2;
} plane;

static plane plane_of(const mbd_element_input *in) {
  const int p = (in->variant + 1) % 3, q = (in->variant + 2) % 3;
  const mbd_real *u = in->s->x[0];
  return (plane){p, q, u[p], u[q], u[p] * u[p] + u[q] * u[q]};
}

static void angle_phi(const mbd_element_input *in, mbd_real *phi) {
  const plane g = plane_of(in);
  const mbd_real c = mbd_cos(in->prepared[0]), s = mbd_sin(in->prepared[0]);
  const mbd_truth defined = mbd_re(g.r2) > smallest_radius * smallest_radius;
  phi[0] = mbd_select(defined, mbd_atan2(g.uq * c - g.up * s, g.up * c + g.uq * s), NAN);
}

static void angle_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  const plane g = plane_of(in);
  J[0][0][g.q] = g.up / g.r2;
  J[0][0][g.p] = -g.uq / g.r2;
}

static void angle_phi_xx(const mbd_element_input *in, const mbd_real *weight, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  const plane g = plane_of(in);
  const mbd_real f = weight[0] / (g.r2 * g.r2), along = 2 * f * g.up * g.uq, across = f * (g.uq * g.uq - g.up * g.up);
  H[0][0][3 * g.p + g.p] += along;
  H[0][0][3 * g.q + g.q] -= along;
  H[0][0][3 * g.p + g.q] += across;
  H[0][0][3 * g.q + g.p] += across;
}

/* ---- value and rate of all of them ---- */

static void held_phi_t(const mbd_element_input *in, mbd_real *phi_t, mbd_real *phi_tt) {
  phi_t[0] = -in->prepared[1];
  phi_tt[0] = 0;
}

static void held_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *dphi_t,
                       mbd_real *dphi_tt) {
  (void)in;
  dphi[0] = -d->down[0];
  dphi_t[0] = -d->down[1];
  dphi_tt[0] = 0;
}

static const mbd_ref_info coordinate[] = {{"coordinate", MBD_REF_COORDINATE, 1, "held coordinate"}, {0}};
static const mbd_ref_info point[] = {{"point", MBD_REF_POINT, 1, "held point"}, {0}};
static const mbd_ref_info axis[] = {{"axis", MBD_REF_VECTOR, 1, "body axis"}, {0}};
static const mbd_coef_info value_and_rate[] = {{"value", 1, "m or rad", NAN, MBD_ANY, "value at the start"},
                                               {"rate", 1, "m/s or rad/s", 0, MBD_ANY, "rate at the start"},
                                               {0}};

#define HOLD(NAME, DOC, KIND, REFS, VARIANT)                                                                          \
  .info = {#NAME, DOC, REFS, value_and_rate, NO_CURVES}, .narg = 1, .arg = {{KIND, 0, -1}}, .nphi = 1, .internal = 1, \
  .hold = 1, .nown = 2, .variant = VARIANT
#define COMPONENT(NAME, KIND, REFS, k)                                                               \
  const mbd_constraint_ops mbd_constraint_##NAME = {HOLD(NAME, "Held at the start.", KIND, REFS, k), \
                                                    PHI_LINEAR(component), PHI_DRIVEN(held)}
#define ANGLE(NAME, k)                               \
  const mbd_constraint_ops mbd_constraint_##NAME = { \
      HOLD(NAME, "Body angle held at the start.", MBD_ARG_VECTOR, axis, k), PHI_QUADRATIC(angle), PHI_DRIVEN(held)}

COMPONENT(hold_coordinate, MBD_ARG_COORDINATE, coordinate, 0);
COMPONENT(hold_x, MBD_ARG_POINT, point, 0);
COMPONENT(hold_y, MBD_ARG_POINT, point, 1);
COMPONENT(hold_z, MBD_ARG_POINT, point, 2);
ANGLE(hold_angle_x, 0);
ANGLE(hold_angle_y, 1);
ANGLE(hold_angle_z, 2);
