/* Constraints on coordinates alone: a driven coordinate (rheonomic), and the unit length of Euler parameters.
 * Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "constraint/constraint.h"

/* Driven coordinate:  Phi = z - s(t) */
static void driven_phi(const mbd_element_input *in, mbd_real *phi) {
  mbd_curve_value s;
  mbd_element_curve_now(in, 0, &s);
  phi[0] = in->s->x[0][0] - s.y;
}

static void driven_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  (void)in;
  J[0][0][0] = 1;
}

static void driven_phi_t(const mbd_element_input *in, mbd_real *phi_t, mbd_real *phi_tt) {
  mbd_curve_value s;
  mbd_element_curve_now(in, 0, &s);
  phi_t[0] = -s.yx;
  phi_tt[0] = -s.yxx;
}

static void driven_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *dphi_t,
                         mbd_real *dphi_tt) {
  mbd_curve_value ds;
  mbd_element_dcurve_now(in, d, 0, &ds);
  dphi[0] = -ds.y;
  dphi_t[0] = -ds.yx;
  dphi_tt[0] = -ds.yxx;
}

/* Normalization of Euler parameters:  Phi = p'p - 1 */
static void unit_phi(const mbd_element_input *in, mbd_real *phi) {
  phi[0] = -1;
  for (int k = 0; k < 4; k++) { phi[0] += in->s->x[k][0] * in->s->x[k][0]; }
}

static void unit_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  for (int k = 0; k < 4; k++) { J[0][k][0] = 2 * in->s->x[k][0]; }
}

static void unit_phi_xx(const mbd_element_input *in, const mbd_real *s, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  (void)in;
  for (int k = 0; k < 4; k++) { H[k][k][0] += 2 * s[0]; }
}

static const mbd_ref_info coordinate[] = {{"coordinate", MBD_REF_COORDINATE, 1, "the driven coordinate"}, {0}};
static const mbd_ref_info parameters[] = {{"coordinates", MBD_REF_COORDINATE, 4, "the Euler parameters"}, {0}};
static const mbd_curve_info motion[] = {{"motion", 1, "the coordinate as a function of time [m or rad]"}, {0}};

const mbd_constraint_ops mbd_constraint_driven_coordinate = {
    .info = {"driven_coordinate", "A coordinate is a given function of time: z - s(t) = 0.", coordinate, NO_COEFS,
             motion},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_MOTOR,
    .narg = 1,
    .arg = {{MBD_ARG_COORDINATE, 0, -1}},
    .nphi = 1,
    .frame_free = 1,
    PHI_LINEAR(driven),
    PHI_DRIVEN(driven),
};

const mbd_constraint_ops mbd_constraint_unit_norm = {
    .info = {"unit_norm", "Euler parameters have unit length: p'p - 1 = 0.", parameters, NO_COEFS, NO_CURVES},
    .image = IMAGE_PLAIN,
    .narg = 4,
    .arg = {{MBD_ARG_COORDINATE, 0, -1},
            {MBD_ARG_COORDINATE, 1, -1},
            {MBD_ARG_COORDINATE, 2, -1},
            {MBD_ARG_COORDINATE, 3, -1}},
    .nphi = 1,
    .lam_unit = "J",
    .internal = 1,
    .frame_free = 1,
    PHI_QUADRATIC(unit),
};
