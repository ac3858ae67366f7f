/* A rider's hands: a torque on a coordinate (the steering angle) that answers to the roll of a body. Arguments: the
 * coordinate z; the vector u, fixed in that body and pointing to its left. With h = sqrt(u_x^2 + u_y^2)
 *   phi  = atan2(u_z, h),   phid = ud_z/h          roll and its rate; positive: leaning to the right (ISO 8855)
 *   T    = -[ k1 (phi - phi_r(t)) + k2 (phid - phi_r'(t)) + k3 z + k4 zd ]
 * With the steering axis upwards and all gains positive it steers into the fall.
 * The force is lifted to z by theory.md §4 (4.1). */
#define DUAL_N 8 /* a coordinate and a vector */
#include "force/law_of_arguments.h"

enum { ROLL_GAIN, ROLL_RATE_GAIN, ANGLE_GAIN, ANGLE_RATE_GAIN };
enum { ROLL_REF };
enum { TORQUE, ROLL, ROLL_RATE, ROLL_ERROR };

static void roll_law(const law_input *law, dual x[][3], dual xd[][3], dual f[][3], dual output[]) {
  /* roll and its rate, and the errors of both */
  const dual *u = x[1], h = d_sqrt(d_dot2(&u[0], &u[0], &u[1], &u[1]));
  const dual roll = d_atan2(u[2], h), rate = d_div(xd[1][2], h);
  dual reference_rate;
  const dual reference = law_curve(law, ROLL_REF, law_time(law), &reference_rate);
  const dual error = d_sub(roll, reference), error_rate = d_sub(rate, reference_rate);

  /* torque on the coordinate; no force acts on the vector */
  const dual of_roll = d_add(law_times(law, ROLL_GAIN, error), law_times(law, ROLL_RATE_GAIN, error_rate));
  const dual of_angle = d_add(law_times(law, ANGLE_GAIN, x[0][0]), law_times(law, ANGLE_RATE_GAIN, xd[0][0]));
  f[0][0] = d_neg(d_add(of_roll, of_angle));
  if (!output) { return; }
  output[TORQUE] = f[0][0], output[ROLL] = roll, output[ROLL_RATE] = rate, output[ROLL_ERROR] = error;
}

LAW_OF_ARGUMENTS(roll, roll_feedback)

static const mbd_ref_info refs[] = {
    {"coordinate", MBD_REF_COORDINATE, 1, "the coordinate it acts on: the steering angle, positive to the left"},
    {"left", MBD_REF_VECTOR, 1, "vector fixed in the body that rolls, pointing to its left; any length"},
    {0}};
static const mbd_coef_info coefs[] = {
    {"roll_gain", 1, "N m/rad", 0, MBD_ANY, "k1: torque per roll"},
    {"roll_rate_gain", 1, "N m s/rad", 0, MBD_ANY, "k2: torque per rate of roll"},
    {"angle_gain", 1, "N m/rad", 0, MBD_ANY, "k3: torque per angle of the coordinate, back to its zero"},
    {"angle_rate_gain", 1, "N m s/rad", 0, MBD_ANY, "k4: torque per rate of the coordinate, against it"},
    {0}};
static const mbd_curve_info curves[] = {
    {"roll_ref", 0, "the roll that is wanted [rad] as a function of time; left out: 0"}, {0}};

const mbd_force_ops mbd_force_roll_feedback = {
    .info = {"roll_feedback",
             "A rider who balances: torque T = -(k1 (phi - phi_r(t)) + k2 (phid - phi_r'(t)) + k3 z + k4 zd) on a "
             "coordinate z, the steering angle, from the roll phi of a body; positive phi leans to the right. With the "
             "steering axis upwards, positive gains steer into the fall.",
             refs, coefs, curves},
    .look = MBD_LOOK_MOTOR,
    .narg = 2,
    .arg = {{MBD_ARG_COORDINATE, 0, -1}, {MBD_ARG_VECTOR, 1, -1}},
    FORCE_F(roll),
    .nscalar = 4,
    .scalar_name = {"torque", "roll", "roll_rate", "roll_error"},
    .scalar_unit = {"N m", "rad", "rad/s", "rad"},
    FORCE_SCALARS(roll),
};
