/* The velocity of a point has no part along a vector, or a given one:  Psi = u . rd - s(t),  with r the point and u the vector.
 *   A = (u, 0),   H: dA_r/du = 1,   b = -s
 * Psi is lifted to z, and differentiated by time, in theory.md §4 (4.14). */
#include "base/v3.h"
#include "constraint/constraint.h"

enum { POINT, ALONG };

static void along_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  v3_copy(J[0][POINT], in->s->x[ALONG]);
}

static void along_phi_xx(const mbd_element_input *in, const mbd_real *s, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  (void)in;
  for (int k = 0; k < 3; k++) { H[POINT][ALONG][4 * k] += s[0]; }
}

static void driven_phi_t(const mbd_element_input *in, mbd_real *b, mbd_real *bd) {
  mbd_curve_value s;
  mbd_element_curve_now(in, 0, &s);
  b[0] = -s.y, bd[0] = -s.yx;
}

static void driven_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *db,
                         mbd_real *dbd) {
  mbd_curve_value ds;
  mbd_element_dcurve_now(in, d, 0, &ds);
  dphi[0] = 0, db[0] = -ds.y, dbd[0] = -ds.yx;
}

static const mbd_ref_info refs[] = {{"point", MBD_REF_POINT, 1, "the point"},
                                    {"vector", MBD_REF_VECTOR, 1, "the vector, of any body; its length is a factor"},
                                    {0}};
static const mbd_curve_info speed[] = {
    {"speed", 1, "the velocity along the vector as a function of time [m/s]; times its length"}, {0}};

#define OF_VELOCITY                                                                                       \
  .look = MBD_LOOK_GUIDE, .narg = 2, .arg = {{MBD_ARG_POINT, 0, -1}, {MBD_ARG_VECTOR, 1, -1}}, .nphi = 1, \
  .lam_unit = "N", .velocity = 1, .phi_x = along_phi_x, .phi_xx = along_phi_xx

const mbd_constraint_ops mbd_constraint_knife_edge = {
    .info = {"knife_edge",
             "A knife edge, a skate, a thin wheel: the velocity of a point has no part along a vector u of a body, "
             "u . v = 0. A constraint of velocities: it does not restrict positions.",
             refs, NO_COEFS, NO_CURVES},
    .image = IMAGE({"vector", MBD_IMAGE_NONE}),
    OF_VELOCITY,
};

const mbd_constraint_ops mbd_constraint_driven_velocity = {
    .info = {"driven_velocity",
             "The velocity of a point along a vector u is a given function of time: u . v - s(t) = 0. A constraint of "
             "velocities, for a vehicle that keeps its speed.",
             refs, NO_COEFS, speed},
    .image = IMAGE({"vector", MBD_IMAGE_DIRECTION}),
    OF_VELOCITY,
    PHI_DRIVEN(driven),
};
