/* Coordinates that the user adds to the model, s: quantities of a motion that are no joint coordinates, to which constraints,
 * forces and the choice of independent coordinates can then refer. (A distance: distance.c.)
 *   displacement along a vector:  Phi = (r_2 - r_1) . n - s
 *   sum of two coordinates:       Phi = z_1 + z_2 - s,  such as the absolute angle of the second body of a plane chain
 * Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "constraint/dot.h"

static void displacement_phi(const mbd_element_input *in, mbd_real *phi) {
  dot_phi(in, phi);
  phi[0] -= in->s->x[2][0];
}

static void displacement_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  dot_phi_x(in, J);
  J[0][2][0] = -1;
}

static void sum_phi(const mbd_element_input *in, mbd_real *phi) {
  phi[0] = in->s->x[0][0] + in->s->x[1][0] - in->s->x[2][0];
}

static void sum_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  (void)in;
  J[0][0][0] = J[0][1][0] = 1;
  J[0][2][0] = -1;
}

static const mbd_ref_info points_and_normal[] = {
    {"points", MBD_REF_POINT, 2, "the two points"},
    {"along", MBD_REF_VECTOR, 1, "vector n along which the displacement counts; of length 1, for s has its factor"},
    {"coordinate", MBD_REF_COORDINATE, 1, "the coordinate that is the displacement"},
    {0}};
static const mbd_ref_info summands[] = {{"coordinates", MBD_REF_COORDINATE, 2, "the two coordinates"},
                                        {"coordinate", MBD_REF_COORDINATE, 1, "the coordinate that is their sum"},
                                        {0}};

const mbd_constraint_ops mbd_constraint_displacement_coordinate = {
    .info = {"displacement_coordinate",
             "Makes an added coordinate s the displacement of two points along a vector: (r2 - r1) . n - s = 0.",
             points_and_normal, NO_COEFS, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_GUIDE,
    .narg = 3,
    .arg = {{MBD_ARG_POINT, 1, 0}, {MBD_ARG_VECTOR, 2, -1}, {MBD_ARG_COORDINATE, 3, -1}},
    .nphi = 1,
    .lam_unit = "N",
    .coordinate_unit = "m",
    .frame_free = 1,
    PHI_LINEAR(displacement),
    .phi_xx = dot_phi_xx,
};

const mbd_constraint_ops mbd_constraint_sum_coordinate = {
    .info = {"sum_coordinate",
             "Makes an added coordinate s the sum of two others, z1 + z2 - s = 0, such as the absolute angle of the "
             "second bar of a plane chain.",
             summands, NO_COEFS, NO_CURVES},
    .image = IMAGE_PLAIN,
    .narg = 3,
    .arg = {{MBD_ARG_COORDINATE, 0, -1}, {MBD_ARG_COORDINATE, 1, -1}, {MBD_ARG_COORDINATE, 2, -1}},
    .nphi = 1,
    .frame_free = 1,
    PHI_LINEAR(sum),
};
