/* Two points coincide:  Phi = x,  x = r_2 - r_1. Closes spherical, revolute and cardan joints.
 * Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "constraint/constraint.h"

static void coincident_phi(const mbd_element_input *in, mbd_real *phi) {
  for (int k = 0; k < 3; k++) { phi[k] = in->s->x[0][k]; }
}

static void coincident_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  (void)in;
  for (int k = 0; k < 3; k++) { J[k][0][k] = 1; }
}

static const mbd_ref_info refs[] = {{"points", MBD_REF_POINT, 2, "the two points"}, {0}};

const mbd_constraint_ops mbd_constraint_coincident = {
    .info = {"coincident", "Two points coincide: r2 - r1 = 0 (three equations).", refs, NO_COEFS, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_GUIDE,
    .narg = 1,
    .arg = {{MBD_ARG_POINT, 1, 0}},
    .nphi = 3,
    .lam_unit = "N",
    .frame_free = 0, /* its rows are components along global axes: a common rotation turns x */
    PHI_LINEAR(coincident),
};
