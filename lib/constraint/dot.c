/* Two directions keep their angle:  Phi = x1 . x2 - c.  With c = 0: perpendicular; with x2 a difference of points: a
 * point in a plane. The closures of joints are made of these, with axes of their joint frames.
 * Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "constraint/dot.h"

/* c is the value at the design position, where the body frames are parallel: prepared with the joint frames. */
static void dot_design_phi(const mbd_element_input *in, mbd_real *phi) {
  dot_phi(in, phi);
  phi[0] -= in->prepared[0];
}

static void dot_design_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi,
                             mbd_real *dphi_t, mbd_real *dphi_tt) {
  (void)in;
  dphi[0] = -d->down[0];
  dphi_t[0] = dphi_tt[0] = 0;
}

static const mbd_ref_info two_vectors[] = {{"vectors", MBD_REF_VECTOR, 2, "the two vectors"}, {0}};
static const mbd_ref_info points_and_normal[] = {
    {"points", MBD_REF_POINT, 2, "a point of the plane, and the point that stays in it"},
    {"normal", MBD_REF_VECTOR, 1, "the normal of the plane"},
    {0}};

const mbd_constraint_ops mbd_constraint_perpendicular = {
    .info = {"perpendicular", "Two vectors stay perpendicular: u1 . u2 = 0.", two_vectors, NO_COEFS, NO_CURVES},
    .image = IMAGE({"vectors", MBD_IMAGE_NONE}),
    .narg = 2,
    .arg = {{MBD_ARG_VECTOR, 0, -1}, {MBD_ARG_VECTOR, 1, -1}},
    .nphi = 1,
    .lam_unit = "N m",
    .frame_free = 1,
    PHI_QUADRATIC(dot),
};

const mbd_constraint_ops mbd_constraint_in_plane = {
    .info = {"in_plane", "A point stays in a plane: (r2 - r1) . n = 0.", points_and_normal, NO_COEFS, NO_CURVES},
    .image = IMAGE({"normal", MBD_IMAGE_NONE}),
    .look = MBD_LOOK_GUIDE,
    .narg = 2,
    .arg = {{MBD_ARG_POINT, 1, 0}, {MBD_ARG_VECTOR, 2, -1}},
    .nphi = 1,
    .lam_unit = "N",
    .frame_free = 1,
    PHI_QUADRATIC(dot),
};

const mbd_constraint_ops mbd_constraint_dot_design = {
    .info = {"dot_design", "Two vectors keep the angle of the design position (closure of a cardan joint).",
             two_vectors, NO_COEFS, NO_CURVES},
    .narg = 2,
    .arg = {{MBD_ARG_VECTOR, 0, -1}, {MBD_ARG_VECTOR, 1, -1}},
    .nphi = 1,
    .lam_unit = "N m",
    .internal = 1,
    .frame_free = 1,
    .nown = 1,
    .phi = dot_design_phi,
    .phi_x = dot_phi_x,
    .phi_xx = dot_phi_xx,
    .phi_c = dot_design_phi_c,
};
