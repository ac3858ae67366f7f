/* Held quantities of the start: constraints that act at the initial time only, with a value c0 and a rate c1.
 *   coordinate, component of a point:  Phi = x_k - c0,  phi_t = -c1
 *   angle of a body about a global axis, from u, a body axis seen in the plane normal to it:
 *                                      Phi = atan2(u_q, u_p) - c0 within half a turn of zero,  phi_t = -c1
 *       phi_u = (-u_q, u_p)/r^2,  phi_uu = [2 u_p u_q, u_q^2 - u_p^2; u_q^2 - u_p^2, -2 u_p u_q]/r^4,  r^2 = u_p^2 + u_q^2 */
#include "constraint/constraint.h"

static const double smallest_radius = 1e-8; /* of u, in the plane: below it u has no angle */

static void component_phi(const mbd_element_input *in, int k, mbd_real *phi) {
  phi[0] = in->s->x[0][k] - in->own[0];
}

static void rate_phi_t(const mbd_element_input *in, mbd_real *phi_t, mbd_real *phi_tt) {
  phi_t[0] = -in->own[1];
  phi_tt[0] = 0;
}

static void value_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *dphi_t,
                        mbd_real *dphi_tt) {
  (void)in;
  dphi[0] = -d->down[0];
  dphi_t[0] = -d->down[1];
  dphi_tt[0] = 0;
}

/* p, q: the two global axes of the plane, q = p + 1 cyclic. The sine of the difference alone would also vanish half a turn
 * from the value, and where the axis is normal to the plane: its angle is none there, and the equation not a number. */
static mbd_real angle_radius2(const mbd_element_input *in, int p, int q) {
  const mbd_real *u = in->s->x[0];
  return u[p] * u[p] + u[q] * u[q];
}

static void angle_phi(const mbd_element_input *in, int p, int q, mbd_real *phi) {
  const mbd_real *u = in->s->x[0], c = mbd_cos(in->own[0]), s = mbd_sin(in->own[0]);
  const int defined = mbd_re(angle_radius2(in, p, q)) > smallest_radius * smallest_radius;
  phi[0] = defined ? mbd_atan2(u[q] * c - u[p] * s, u[p] * c + u[q] * s) : NAN;
}

static void angle_phi_x(const mbd_element_input *in, int p, int q, mbd_real (*J)[MBD_ARG_MAX][3]) {
  const mbd_real *u = in->s->x[0], r2 = angle_radius2(in, p, q);
  J[0][0][q] = u[p] / r2;
  J[0][0][p] = -u[q] / r2;
}

static void angle_phi_xx(const mbd_element_input *in, const mbd_real *weight, int p, int q,
                         mbd_real (*H)[MBD_ARG_MAX][9]) {
  const mbd_real *u = in->s->x[0], r2 = angle_radius2(in, p, q), f = weight[0] / (r2 * r2);
  const mbd_real along = 2 * f * u[p] * u[q], across = f * (u[q] * u[q] - u[p] * u[p]);
  H[0][0][3 * p + p] += along;
  H[0][0][3 * q + q] -= along;
  H[0][0][3 * p + q] += across;
  H[0][0][3 * q + p] += across;
}

static const mbd_ref_info coordinate[] = {{"coordinate", MBD_REF_COORDINATE, 1, "held coordinate"}, {0}};
static const mbd_ref_info point[] = {{"point", MBD_REF_POINT, 1, "held point"}, {0}};
static const mbd_ref_info axis[] = {{"axis", MBD_REF_VECTOR, 1, "body axis"}, {0}};
static const mbd_coef_info value_and_rate[] = {{"value", 1, "m or rad", NAN, -1e300, 1e300, "value at the start"},
                                               {"rate", 1, "m/s or rad/s", 0, -1e300, 1e300, "rate at the start"},
                                               {0}};
static const mbd_curve_info no_curve[] = {{0}};

#define HOLD_ENTRIES(NAME, DOC, KIND, REFS)                                                                          \
  .info = {#NAME, DOC, REFS, value_and_rate, no_curve}, .narg = 1, .arg = {{KIND, 0, -1}}, .nphi = 1, .internal = 1, \
  .hold = 1, .nown = 2, .phi = NAME##_phi, .phi_x = NAME##_phi_x

/* One operation table per component: k of a point (and 0 for a coordinate). */
#define COMPONENT(NAME, KIND, REFS, k)                                                                    \
  static void NAME##_phi(const mbd_element_input *in, mbd_real *phi) {                                    \
    component_phi(in, k, phi);                                                                            \
  }                                                                                                       \
  static void NAME##_phi_x(const mbd_element_input *in, mbd_real(*J)[MBD_ARG_MAX][3]) {                   \
    (void)in;                                                                                             \
    J[0][0][k] = 1;                                                                                       \
  }                                                                                                       \
  const mbd_constraint_ops mbd_constraint_##NAME = {HOLD_ENTRIES(NAME, "Held at the start.", KIND, REFS), \
                                                    .phi_t = rate_phi_t, .phi_c = value_phi_c}

COMPONENT(hold_coordinate, MBD_ARG_COORDINATE, coordinate, 0);
COMPONENT(hold_x, MBD_ARG_POINT, point, 0);
COMPONENT(hold_y, MBD_ARG_POINT, point, 1);
COMPONENT(hold_z, MBD_ARG_POINT, point, 2);

#define ANGLE(NAME, p, q)                                                                                   \
  static void NAME##_phi(const mbd_element_input *in, mbd_real *phi) {                                      \
    angle_phi(in, p, q, phi);                                                                               \
  }                                                                                                         \
  static void NAME##_phi_x(const mbd_element_input *in, mbd_real(*J)[MBD_ARG_MAX][3]) {                     \
    angle_phi_x(in, p, q, J);                                                                               \
  }                                                                                                         \
  static void NAME##_phi_xx(const mbd_element_input *in, const mbd_real *s, mbd_real(*H)[MBD_ARG_MAX][9]) { \
    angle_phi_xx(in, s, p, q, H);                                                                           \
  }                                                                                                         \
  const mbd_constraint_ops mbd_constraint_##NAME = {                                                        \
      HOLD_ENTRIES(NAME, "Body angle held at the start.", MBD_ARG_VECTOR, axis), .phi_xx = NAME##_phi_xx,   \
      .phi_t = rate_phi_t, .phi_c = value_phi_c}

ANGLE(hold_angle_x, 1, 2);
ANGLE(hold_angle_y, 2, 0);
ANGLE(hold_angle_z, 0, 1);
