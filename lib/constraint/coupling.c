/* Couplings of coordinates by gears, belts, screws, racks:
 *   two coordinates:                        Phi = z_1 - k z_2 - c
 *   travel of a point along a vector n:     Phi = (r_2 - r_1) . n - k z - c
 * k, c coefficients; Phi_x depends on k. With lam the multiplier, -lam acts on z_1, k lam on z_2.
 * Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "constraint/dot.h"

enum { RATIO, OFFSET };

/* ---- k z + c, which both kinds share; z is their last argument, number `variant` ---- */

static mbd_real driver(const mbd_element_input *in) {
  return in->c[RATIO] * in->s->x[in->variant][0] + in->c[OFFSET];
}

static void driver_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *dphi_t,
                         mbd_real *dphi_tt) {
  dphi[0] = -d->dc[RATIO] * in->s->x[in->variant][0] - d->dc[OFFSET];
  dphi_t[0] = dphi_tt[0] = 0;
}

static void driver_phi_xc(const mbd_element_input *in, const mbd_element_direction *d,
                          mbd_real (*dJ)[CONSTRAINT_ARG_MAX][3]) {
  dJ[0][in->variant][0] = -d->dc[RATIO];
}

/* ---- two coordinates ---- */

static void pair_phi(const mbd_element_input *in, mbd_real *phi) {
  phi[0] = in->s->x[0][0] - driver(in);
}

static void pair_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  J[0][0][0] = 1;
  J[0][1][0] = -in->c[RATIO];
}

/* ---- travel of a point: arguments r_2 - r_1, n, z ---- */

static void travel_phi(const mbd_element_input *in, mbd_real *phi) {
  dot_phi(in, phi);
  phi[0] -= driver(in);
}

static void travel_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  dot_phi_x(in, J);
  J[0][2][0] = -in->c[RATIO];
}

#define COEFS(RATIO_KEY, RATIO_UNIT, RATIO_DOC, OFFSET_UNIT, OFFSET_DOC)                                       \
  (const mbd_coef_info[]) {                                                                                    \
    {RATIO_KEY, 1, RATIO_UNIT, NAN, MBD_ANY, RATIO_DOC}, {"offset", 1, OFFSET_UNIT, 0, MBD_ANY, OFFSET_DOC}, { \
      0                                                                                                        \
    }                                                                                                          \
  }
#define RADIUS \
  COEFS("radius", "m", "radius r of the pinion; below zero: it turns the other way", "m", "travel c at z = 0")
#define DRIVER  .phi_c = driver_phi_c, .phi_xc = driver_phi_xc
#define PAIR    .narg = 2, .arg = {{MBD_ARG_COORDINATE, 0, -1}, {MBD_ARG_COORDINATE, 1, -1}}, .nphi = 1
#define OF_PAIR .frame_free = 1, .variant = 1, PHI_LINEAR(pair), DRIVER

static const mbd_ref_info geared[] = {{"coordinates", MBD_REF_COORDINATE, 2, "the coordinates z1 and z2 = (z1 - c)/k"},
                                      {0}};
static const mbd_ref_info rack[] = {
    {"coordinates", MBD_REF_COORDINATE, 2, "the displacement of the rack [m], and the angle of the pinion [rad]"}, {0}};
static const mbd_ref_info travel[] = {
    {"points", MBD_REF_POINT, 2, "a point of the housing, and the point of the rack whose travel counts"},
    {"along", MBD_REF_VECTOR, 1, "vector along which it counts, of length 1: its length multiplies the travel"},
    {"coordinate", MBD_REF_COORDINATE, 1, "angle of the pinion"},
    {0}};

const mbd_constraint_ops mbd_constraint_gear = {
    .info = {"gear",
             "Two coordinates of any joints, or added ones, are coupled by a ratio: z1 - k z2 - c = 0. Gears and belts "
             "(two "
             "angles), screws (a displacement z1 and an angle z2, k = lead/(2 pi)), levers (two displacements). The "
             "multiplier is the torque (force) on z1, against its motion; k times it acts on z2.",
             geared,
             COEFS("ratio", "-", "ratio k = z1d/z2d, in the unit of z1 per that of z2", "rad",
                   "offset c, z1 at z2 = 0, in the unit of z1"),
             NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_GEAR,
    .coupling = 1,
    PAIR,
    OF_PAIR,
};

const mbd_constraint_ops mbd_constraint_rack_and_pinion = {
    .info =
        {"rack_and_pinion",
         "A displacement s follows the angle z of a pinion of radius r: s - r z - c = 0. The multiplier is the force "
         "between rack and pinion, on the rack against its motion.",
         rack, RADIUS, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_GEAR,
    PAIR,
    .lam_unit = "N",
    .arg_unit = {"m", "rad"},
    OF_PAIR,
};

const mbd_constraint_ops mbd_constraint_rack_travel = {
    .info =
        {"rack_travel",
         "The travel of a point along a vector n follows the angle z of a pinion of radius r, where no coordinate is "
         "that travel: (r2 - r1) . n - r z - c = 0.",
         travel, RADIUS, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_GUIDE,
    .narg = 3,
    .arg = {{MBD_ARG_POINT, 1, 0}, {MBD_ARG_VECTOR, 2, -1}, {MBD_ARG_COORDINATE, 3, -1}},
    .nphi = 1,
    .lam_unit = "N",
    .coordinate_unit = "rad",
    .frame_free = 1,
    .variant = 2,
    PHI_LINEAR(travel),
    .phi_xx = dot_phi_xx,
    DRIVER,
};
