/* Held quantities of the start: constraints that act at the initial time only, with a value c0 and a rate c1.
 *   coordinate, component of a point:  Phi = x_k - c0,  phi_t = -c1
 *   angle of a body about a global axis, from u, a body axis seen in the plane normal to it:
 *                                      Phi = u_q cos c0 - u_p sin c0,  phi_t = -c1 (u_p cos c0 + u_q sin c0) */
#include "constraint/constraint.h"

static void component_phi(const mbd_element_input *in, int k, mbd_real *phi) {
  phi[0] = in->s->x[0][k] - in->own[0];
}

static void rate_phi_t(const mbd_element_input *in, mbd_real *phi_t, mbd_real *phi_tt) {
  phi_t[0] = -in->own[1];
  phi_tt[0] = 0;
}

static void component_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi,
                            mbd_real *dphi_t, mbd_real *dphi_tt) {
  (void)in;
  dphi[0] = -d->down[0];
  dphi_t[0] = -d->down[1];
  dphi_tt[0] = 0;
}

/* p, q: the two global axes of the plane, q = p + 1 cyclic */
static void angle_phi(const mbd_element_input *in, int p, int q, mbd_real *phi) {
  const mbd_real *u = in->s->x[0];
  phi[0] = u[q] * mbd_cos(in->own[0]) - u[p] * mbd_sin(in->own[0]);
}

static void angle_phi_x(const mbd_element_input *in, int p, int q, mbd_real (*J)[MBD_ARG_MAX][3]) {
  J[0][0][q] = mbd_cos(in->own[0]);
  J[0][0][p] = -mbd_sin(in->own[0]);
}

static mbd_real angle_radius(const mbd_element_input *in, int p, int q) {
  const mbd_real *u = in->s->x[0];
  return u[p] * mbd_cos(in->own[0]) + u[q] * mbd_sin(in->own[0]);
}

static void angle_phi_t(const mbd_element_input *in, int p, int q, mbd_real *phi_t, mbd_real *phi_tt) {
  phi_t[0] = -in->own[1] * angle_radius(in, p, q);
  phi_tt[0] = 0;
}

static void angle_phi_tx(const mbd_element_input *in, int p, int q, mbd_real (*J)[MBD_ARG_MAX][3]) {
  J[0][0][p] = -in->own[1] * mbd_cos(in->own[0]);
  J[0][0][q] = -in->own[1] * mbd_sin(in->own[0]);
}

/* phi_x turns with c0. */
static void angle_phi_xc(const mbd_element_input *in, const mbd_element_direction *d, int p, int q,
                         mbd_real (*dJ)[MBD_ARG_MAX][3]) {
  dJ[0][0][q] = -mbd_sin(in->own[0]) * d->down[0];
  dJ[0][0][p] = -mbd_cos(in->own[0]) * d->down[0];
}

static void angle_phi_c(const mbd_element_input *in, const mbd_element_direction *d, int p, int q, mbd_real *dphi,
                        mbd_real *dphi_t, mbd_real *dphi_tt) {
  mbd_real phi;
  angle_phi(in, p, q, &phi);
  dphi[0] = -angle_radius(in, p, q) * d->down[0];
  /* phi_x turns with c0, so that the rate phi_x xd changes too */
  const mbd_real *ud = in->s->xd[0];
  mbd_real turned = ud[q] * mbd_sin(in->own[0]) + ud[p] * mbd_cos(in->own[0]);
  dphi_t[0] = -d->down[1] * angle_radius(in, p, q) - (in->own[1] * phi + turned) * d->down[0];
  dphi_tt[0] = 0;
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
                                                    .phi_t = rate_phi_t, .phi_c = component_phi_c}

COMPONENT(hold_coordinate, MBD_ARG_COORDINATE, coordinate, 0);
COMPONENT(hold_x, MBD_ARG_POINT, point, 0);
COMPONENT(hold_y, MBD_ARG_POINT, point, 1);
COMPONENT(hold_z, MBD_ARG_POINT, point, 2);

#define ANGLE(NAME, p, q)                                                                               \
  static void NAME##_phi(const mbd_element_input *in, mbd_real *phi) {                                  \
    angle_phi(in, p, q, phi);                                                                           \
  }                                                                                                     \
  static void NAME##_phi_x(const mbd_element_input *in, mbd_real(*J)[MBD_ARG_MAX][3]) {                 \
    angle_phi_x(in, p, q, J);                                                                           \
  }                                                                                                     \
  static void NAME##_phi_t(const mbd_element_input *in, mbd_real *phi_t, mbd_real *phi_tt) {            \
    angle_phi_t(in, p, q, phi_t, phi_tt);                                                               \
  }                                                                                                     \
  static void NAME##_phi_tx(const mbd_element_input *in, mbd_real(*J)[MBD_ARG_MAX][3]) {                \
    angle_phi_tx(in, p, q, J);                                                                          \
  }                                                                                                     \
  static void NAME##_phi_xc(const mbd_element_input *in, const mbd_element_direction *d,                \
                            mbd_real(*dJ)[MBD_ARG_MAX][3]) {                                            \
    angle_phi_xc(in, d, p, q, dJ);                                                                      \
  }                                                                                                     \
  static void NAME##_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, \
                           mbd_real *dphi_t, mbd_real *dphi_tt) {                                       \
    angle_phi_c(in, d, p, q, dphi, dphi_t, dphi_tt);                                                    \
  }                                                                                                     \
  const mbd_constraint_ops mbd_constraint_##NAME = {                                                    \
      HOLD_ENTRIES(NAME, "Body angle held at the start.", MBD_ARG_VECTOR, axis), .phi_t = NAME##_phi_t, \
      .phi_tx = NAME##_phi_tx, .phi_xc = NAME##_phi_xc, .phi_c = NAME##_phi_c}

ANGLE(hold_angle_x, 1, 2);
ANGLE(hold_angle_y, 2, 0);
ANGLE(hold_angle_z, 0, 1);
