/* The distance of two points, also for a rod:  Phi = x . x - s^2,  x = r_2 - r_1, with s a coefficient, a curve of
 * time, or a coordinate that the user added to the model (a suspension length).
 * Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "base/v3.h"
#include "constraint/constraint.h"

static void points_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  v3_scale(J[0][0], 2, in->s->x[0]);
}

static void points_phi_xx(const mbd_element_input *in, const mbd_real *s, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  (void)in;
  for (int k = 0; k < 3; k++) { H[0][0][4 * k] += 2 * s[0]; }
}

/* Constant distance */
static void distance_phi(const mbd_element_input *in, mbd_real *phi) {
  phi[0] = v3_dot(in->s->x[0], in->s->x[0]) - in->c[0] * in->c[0];
}

static void distance_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi,
                           mbd_real *dphi_t, mbd_real *dphi_tt) {
  dphi[0] = -2 * in->c[0] * d->dc[0];
  dphi_t[0] = dphi_tt[0] = 0;
}

/* Driven distance */
static void driven_phi(const mbd_element_input *in, mbd_real *phi) {
  mbd_curve_value s;
  mbd_element_curve_now(in, 0, &s);
  phi[0] = v3_dot(in->s->x[0], in->s->x[0]) - s.y * s.y;
}

static void driven_phi_t(const mbd_element_input *in, mbd_real *phi_t, mbd_real *phi_tt) {
  mbd_curve_value s;
  mbd_element_curve_now(in, 0, &s);
  phi_t[0] = -2 * s.y * s.yx;
  phi_tt[0] = -2 * (s.yx * s.yx + s.y * s.yxx);
}

static void driven_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *dphi_t,
                         mbd_real *dphi_tt) {
  mbd_curve_value s, ds;
  mbd_element_curve_now(in, 0, &s);
  mbd_element_dcurve_now(in, d, 0, &ds);
  dphi[0] = -2 * s.y * ds.y;
  dphi_t[0] = -2 * (ds.y * s.yx + s.y * ds.yx);
  dphi_tt[0] = -2 * (2 * s.yx * ds.yx + ds.y * s.yxx + s.y * ds.yxx);
}

/* Distance as a coordinate: argument 1 */
static void coordinate_phi(const mbd_element_input *in, mbd_real *phi) {
  phi[0] = v3_dot(in->s->x[0], in->s->x[0]) - in->s->x[1][0] * in->s->x[1][0];
}

static void coordinate_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  points_phi_x(in, J);
  J[0][1][0] = -2 * in->s->x[1][0];
}

static void coordinate_phi_xx(const mbd_element_input *in, const mbd_real *s, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  points_phi_xx(in, s, H);
  H[1][1][0] += -2 * s[0];
}

static const mbd_ref_info points[] = {{"points", MBD_REF_POINT, 2, "the two points"}, {0}};
static const mbd_ref_info points_and_coordinate[] = {
    {"points", MBD_REF_POINT, 2, "the two points"},
    {"coordinate", MBD_REF_COORDINATE, 1, "the coordinate that is their distance"},
    {0}};
static const mbd_coef_info length[] = {{"distance", 1, "m", NAN, MBD_POSITIVE, "the distance of the points"}, {0}};
static const mbd_coef_info length_and_mass[] = {{"distance", 1, "m", NAN, MBD_POSITIVE, "the distance of the points"},
                                                {"mass", 1, "kg", NAN, MBD_NOT_NEGATIVE, "mass of the rod"},
                                                {0}};
static const mbd_curve_info length_curve[] = {{"distance", 1, "the distance as a function of time [m]"}, {0}};

/* Arguments: the difference of the points, and, for some types, a coordinate. */
#define OF_POINTS(n, UNIT)                                                                              \
  .narg = n, .arg = {{MBD_ARG_POINT, 1, 0}, {MBD_ARG_COORDINATE, 2, -1}}, .nphi = 1, .lam_unit = "N/m", \
  .coordinate_unit = UNIT, .frame_free = 1

#define PHI_OF_POINTS(k) .phi = k##_phi, .phi_x = points_phi_x, .phi_xx = points_phi_xx

const mbd_constraint_ops mbd_constraint_distance = {
    .info = {"distance", "Two points keep their distance d: |r2 - r1|^2 - d^2 = 0.", points, length, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_ROD,
    OF_POINTS(1, NULL),
    .tension = 1,
    PHI_OF_POINTS(distance),
    .phi_c = distance_phi_c,
};

const mbd_constraint_ops mbd_constraint_rod = {
    .info =
        {"rod",
         "Rod with a joint at each end: keeps two points at the distance d, |r2 - r1|^2 - d^2 = 0. Half of its mass "
         "belongs to the body of each point, there: the rod's weight and centre of mass are right, its moment "
         "of inertia about the centre is three times that of a uniform rod, and about its own axis it has none. Its "
         "force is the output `tension`.",
         points, length_and_mass, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_ROD,
    OF_POINTS(1, NULL),
    .tension = 1,
    .point_masses_of = 2,
    PHI_OF_POINTS(distance),
    .phi_c = distance_phi_c,
};

const mbd_constraint_ops mbd_constraint_driven_distance = {
    .info = {"driven_distance", "The distance of two points is a given function of time: |r2 - r1|^2 - d(t)^2 = 0.",
             points, NO_COEFS, length_curve},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_ROD,
    OF_POINTS(1, NULL),
    .tension = 1,
    PHI_OF_POINTS(driven),
    PHI_DRIVEN(driven),
};

const mbd_constraint_ops mbd_constraint_distance_coordinate = {
    .info = {"distance_coordinate", "Makes an added coordinate s the distance of two points: |r2 - r1|^2 - s^2 = 0.",
             points_and_coordinate, NO_COEFS, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_ROD,
    OF_POINTS(2, "m"),
    PHI_QUADRATIC(coordinate),
};
