/* Forces and torques given as a curve of time, F(t):
 *   point_force       f = F(t) d  on a point, d fixed in space; without a curve f = d
 *   follower_force    f = F(t) u  on a point, u a vector fixed in a body
 *   body_torque       n = F(t) d  on a body (or between two), d fixed in space
 *   coordinate_force  f = F(t)    on a coordinate (a motor in a joint)
 * The force is lifted to z by theory.md §4 (4.1). */
#include "base/v3.h"
#include "force/force.h"

/* F(t), 1 without a curve; and its change. */
static mbd_real magnitude(const mbd_element_input *in) {
  return force_curve_now(in, 0, 1);
}

static mbd_real dmagnitude(const mbd_element_input *in, const mbd_element_direction *d) {
  return force_dcurve_now(in, d, 0);
}

/* Along a direction fixed in space: argument 0 is a point or a rotation. */
static void fixed_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  v3_scale(f[0], magnitude(in), in->c);
}

FORCE_WITHOUT_SLOPES(fixed)

static void fixed_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  v3_scale(df[0], magnitude(in), d->dc);
  v3_axpy(df[0], dmagnitude(in, d), in->c);
}

/* Along a body-fixed vector: argument 0 the point, argument 1 the vector (on which no force acts). */
static void follower_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  v3_scale(f[0], magnitude(in), in->s->x[1]);
  v3_set(f[1], 0, 0, 0);
}

static void follower_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                         mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  follower_f(in, f);
  mbd_real F = magnitude(in);
  (void)D;
  for (int k = 0; k < 3; k++) { K[0][1][4 * k] = F; }
}

static void follower_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  v3_scale(df[0], dmagnitude(in, d), in->s->x[1]);
  v3_set(df[1], 0, 0, 0);
}

static void motor_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  v3_set(f[0], magnitude(in), 0, 0);
}

FORCE_WITHOUT_SLOPES(motor)

static void motor_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  v3_set(df[0], dmagnitude(in, d), 0, 0);
}

static mbd_real actuator_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  (void)k, (void)g_x, (void)g_xd;
  return magnitude(in);
}

static mbd_real actuator_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  (void)k;
  return dmagnitude(in, d);
}

/* F(t); of a constant force, its size |d| */
static mbd_real point_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  return in->curve[0] ? actuator_scalar(in, k, g_x, g_xd) : mbd_sqrt(v3_dot(in->c, in->c));
}

static mbd_real point_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  if (in->curve[0]) { return actuator_scalar_c(in, k, d); }
  const mbd_real size = mbd_sqrt(v3_dot(in->c, in->c));
  return mbd_select(mbd_re(size) > 0, v3_dot(in->c, d->dc) / size, 0);
}

static const mbd_ref_info point[] = {{"point", MBD_REF_POINT, 1, "where it acts"}, {0}};
static const mbd_ref_info point_and_vector[] = {
    {"point", MBD_REF_POINT, 1, "where it acts"}, {"along", MBD_REF_VECTOR, 1, "body-fixed direction"}, {0}};
static const mbd_ref_info body[] = {{"body", MBD_REF_BODY, 1, "the body it acts on"}, {0}};
static const mbd_ref_info two_bodies[] = {{"bodies", MBD_REF_BODY, 2, "the body that reacts, and the body it acts on"},
                                          {0}};
static const mbd_ref_info coordinate[] = {{"coordinate", MBD_REF_COORDINATE, 1, "the coordinate it acts on"}, {0}};
static const mbd_coef_info direction[] = {
    {"direction", 3, "-", NAN, MBD_ANY, "direction in the global frame; its length multiplies the curve"}, {0}};
static const mbd_coef_info point_direction[] = {
    {"direction", 3, "-", NAN, MBD_ANY,
     "direction in the global frame; its length multiplies the curve, and without one it is the force itself [N]"},
    {0}};
static const mbd_curve_info point_curve[] = {
    {"force", 0, "force as a function of time [N]; left out: a constant force"}, {0}};
static const mbd_curve_info force_curve[] = {{"force", 1, "force as a function of time [N]"}, {0}};
static const mbd_curve_info motor_curve[] = {{"force", 1, "force or torque as a function of time [N or N m]"}, {0}};
static const mbd_curve_info torque_curve[] = {{"torque", 1, "torque as a function of time [N m]"}, {0}};

#define ACTUATOR(KIND, UNIT) \
  FORCE_F(KIND), .nscalar = 1, .scalar_name = {"force"}, .scalar_unit = {UNIT}, FORCE_SCALARS(actuator)

const mbd_force_ops mbd_force_point_force = {
    .info = {"point_force",
             "Force F(t) d on a point, along a direction d fixed in space; without a curve the constant force d.",
             point, point_direction, point_curve},
    .image = IMAGE({"direction", MBD_IMAGE_DIRECTION}),
    .look = MBD_LOOK_PUSH,
    .narg = 1,
    .arg = {{MBD_ARG_POINT, 0, -1}},
    FORCE_F(fixed),
    .nscalar = 1,
    .scalar_name = {"force"},
    .scalar_unit = {"N"},
    FORCE_SCALARS(point),
};

const mbd_force_ops mbd_force_follower_force = {
    .info = {"follower_force", "Force F(t) u on a point, along a vector u fixed in a body.", point_and_vector, NO_COEFS,
             force_curve},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_PUSH,
    .narg = 2,
    .arg = {{MBD_ARG_POINT, 0, -1}, {MBD_ARG_VECTOR, 1, -1}},
    ACTUATOR(follower, "N"),
};

const mbd_force_ops mbd_force_body_torque = {
    .info = {"body_torque", "Torque F(t) d on a body, about a direction d fixed in space.", body, direction,
             torque_curve},
    .image = IMAGE({"direction", MBD_IMAGE_AXIS}),
    .look = MBD_LOOK_MOTOR,
    .narg = 1,
    .arg = {{MBD_ARG_ROTATION, 0, -1}},
    ACTUATOR(fixed, "N m"),
};

const mbd_force_ops mbd_force_relative_torque = {
    .info = {"relative_torque",
             "Torque F(t) d on the second body and its reaction on the first, about a direction d fixed in space.",
             two_bodies, direction, torque_curve},
    .image = IMAGE({"direction", MBD_IMAGE_AXIS}),
    .look = MBD_LOOK_MOTOR,
    .narg = 1,
    .arg = {{MBD_ARG_ROTATION, 1, 0}},
    ACTUATOR(fixed, "N m"),
};

const mbd_force_ops mbd_force_coordinate_force = {
    .info = {"coordinate_force", "Force (or torque) F(t) on a coordinate: a motor in a joint.", coordinate, NO_COEFS,
             motor_curve},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_MOTOR,
    .narg = 1,
    .arg = {{MBD_ARG_COORDINATE, 0, -1}},
    .frame_free = 1,
    ACTUATOR(motor, NULL),
};
