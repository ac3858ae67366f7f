/* Spring-dampers between two points, on a coordinate, or on the difference of two coordinates (along.h):
 *   F = k (s - l0) + c sd + F_s(s) + F_v(sd),   potential  k (s - l0)^2/2
 * The force is lifted to z by theory.md §4 (4.1). */
#include "force/along.h"

enum { STIFFNESS, DAMPING, FREE_LENGTH };
enum { FORCE_OF_LENGTH, FORCE_OF_SPEED };

static void spring_F(const mbd_element_input *in, mbd_real s, mbd_real sd, tension *T) {
  const mbd_real *c = in->c;
  mbd_curve_value v;
  *T = (tension){c[STIFFNESS] * (s - c[FREE_LENGTH]) + c[DAMPING] * sd, c[STIFFNESS], c[DAMPING]};
  if (in->curve[FORCE_OF_LENGTH]) {
    mbd_element_curve(in, FORCE_OF_LENGTH, s, &v);
    T->F += v.y, T->F_s += v.yx;
  }
  if (in->curve[FORCE_OF_SPEED]) {
    mbd_element_curve(in, FORCE_OF_SPEED, sd, &v);
    T->F += v.y, T->F_sd += v.yx;
  }
}

static mbd_real spring_F_c(const mbd_element_input *in, mbd_real s, mbd_real sd, const mbd_element_direction *d) {
  const mbd_real *c = in->c, *dc = d->dc;
  mbd_curve_value dv;
  mbd_real dF = dc[STIFFNESS] * (s - c[FREE_LENGTH]) - c[STIFFNESS] * dc[FREE_LENGTH] + dc[DAMPING] * sd;
  if (in->curve[FORCE_OF_LENGTH]) {
    mbd_element_dcurve(in, d, FORCE_OF_LENGTH, s, &dv);
    dF += dv.y;
  }
  if (in->curve[FORCE_OF_SPEED]) {
    mbd_element_dcurve(in, d, FORCE_OF_SPEED, sd, &dv);
    dF += dv.y;
  }
  return dF;
}

static mbd_real spring_energy(const mbd_element_input *in, mbd_real s) {
  const mbd_real e = s - in->c[FREE_LENGTH];
  return in->c[STIFFNESS] * e * e / 2;
}

static mbd_real spring_energy_c(const mbd_element_input *in, mbd_real s, const mbd_element_direction *d) {
  const mbd_real e = s - in->c[FREE_LENGTH];
  return d->dc[STIFFNESS] * e * e / 2 - in->c[STIFFNESS] * e * d->dc[FREE_LENGTH];
}

static const force_law spring_law = {spring_F, spring_F_c, spring_energy, spring_energy_c};

static const mbd_coef_info line_coefs[] = {{"stiffness", 1, "N/m", 0, MBD_ANY, "linear stiffness k"},
                                           {"damping", 1, "N s/m", 0, MBD_ANY, "linear damping c"},
                                           {"free_length", 1, "m", 0, MBD_NOT_NEGATIVE, "length l0 without force"},
                                           {0}};
static const mbd_curve_info line_curves[] = {
    {"force_of_length", 0, "additional tension [N] as a function of the length [m]"},
    {"force_of_speed", 0, "additional tension [N] as a function of the lengthening speed [m/s]"},
    {0}};

const mbd_force_ops mbd_force_spring = {
    .info = {"spring",
             "Spring-damper between two points: tension F = k (s - l0) + c sd + F_s(s) + F_v(sd), s their distance.",
             line_refs, line_coefs, line_curves},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_SPRING,
    FORCE_ALONG_LINE(spring_law),
};

static const mbd_ref_info coordinate[] = {{"coordinate", MBD_REF_COORDINATE, 1, "the coordinate it acts on"}, {0}};
static const mbd_coef_info torsion_coefs[] = {{"stiffness", 1, "N m/rad", 0, MBD_ANY, "linear stiffness k"},
                                              {"damping", 1, "N m s/rad", 0, MBD_ANY, "linear damping c"},
                                              {"free_angle", 1, "rad", 0, MBD_ANY, "value z0 without force"},
                                              {0}};
static const mbd_curve_info torsion_curves[] = {
    {"force_of_angle", 0, "additional torque [N m] as a function of the coordinate [rad]"},
    {"force_of_speed", 0, "additional torque [N m] as a function of its rate [rad/s]"},
    {0}};

const mbd_force_ops mbd_force_torsion_spring = {
    .info = {"torsion_spring",
             "Rotational spring-damper on a joint coordinate: torque F = k (z - z0) + c zd + F_z(z) + F_v(zd) against "
             "its motion (a force, on a coordinate that is a length).",
             coordinate, torsion_coefs, torsion_curves},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_TORSION,
    FORCE_ALONG_COORDINATES(1, spring_law),
};

static const mbd_ref_info coordinates[] = {
    {"coordinates", MBD_REF_COORDINATE, 2, "the two coordinates, such as the angles of the left and the right arm"},
    {0}};
static const mbd_coef_info bar_coefs[] = {{"stiffness", 1, "N m/rad", 0, MBD_ANY, "stiffness k (N/m on lengths)"},
                                          {"damping", 1, "N m s/rad", 0, MBD_ANY, "damping c (N s/m on lengths)"},
                                          {"offset", 1, "rad", 0, MBD_ANY, "difference d without force (m on lengths)"},
                                          {0}};

const mbd_force_ops mbd_force_anti_roll_bar = {
    .info = {"anti_roll_bar",
             "Anti-roll bar, a spring-damper on the difference of two coordinates: F = k (z1 - z2 - d) + c (z1d - z2d) "
             "against the motion of the first and along that of the second. Both must grow alike in pure bounce: turn "
             "the axis of one joint where they do not.",
             coordinates, bar_coefs, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_TORSION,
    FORCE_ALONG_COORDINATES(2, spring_law),
};
