/* A rider's hands: a torque on a coordinate (the steering angle) that answers to the roll of a body. Arguments: the
 * coordinate z; the vector u, fixed in that body and pointing to its left. With n = u/|u|, s = n_z and c = sqrt(1 - s^2)
 *   phi  = asin(s),   phid = ud_z/(|u| c)          roll and its rate; positive: leaning to the right (ISO 8855)
 *   T    = -[ k1 (phi - phi_r(t)) + k2 (phid - phi_r'(t)) + k3 z + k4 zd ]
 *   phi_u  = (e_z - s n)/(|u| c),   phid_u = phid (s/c^2 (e_z - s n) - n)/|u|,   phid_ud = e_z/(|u| c)
 * With the steering axis upwards and all gains positive it steers into the fall.
 * The force is lifted to z by theory.md §4 (4.1). */
#include "force/force.h"
#include "base/v3.h"

enum { ROLL_GAIN, ROLL_RATE_GAIN, ANGLE_GAIN, ANGLE_RATE_GAIN };
enum { ROLL_REF };

typedef struct roll_state {
  mbd_real roll, rate;                   /* phi, phid */
  mbd_real error, error_rate;            /* less those of the reference */
  mbd_real roll_u[3], rate_u[3], ud_for; /* ud_for: 1/(|u| c), the slope of phid in ud_z */
  mbd_real T;
} roll_state;

static void roll_evaluate(const mbd_element_input *in, roll_state *q) {
  const mbd_real *k = in->c, *u = in->s->x[1];
  const mbd_real length = mbd_sqrt(v3_dot(u, u)), s = u[2] / length, c = mbd_sqrt(1 - s * s);
  mbd_curve_value ref = {0, 0, 0};
  if (in->curve[ROLL_REF]) { mbd_element_curve_now(in, ROLL_REF, &ref); }
  q->ud_for = 1 / (length * c);
  q->roll = mbd_atan2(s, c);
  q->rate = in->s->xd[1][2] * q->ud_for;
  for (int i = 0; i < 3; i++) {
    const mbd_real n = u[i] / length, across = (i == 2) - s * n;
    q->roll_u[i] = across * q->ud_for;
    q->rate_u[i] = q->rate * (s / (c * c) * across - n) / length;
  }
  q->error = q->roll - ref.y;
  q->error_rate = q->rate - ref.yx;
  q->T = -(k[ROLL_GAIN] * q->error + k[ROLL_RATE_GAIN] * q->error_rate + k[ANGLE_GAIN] * in->s->x[0][0] +
           k[ANGLE_RATE_GAIN] * in->s->xd[0][0]);
}

static void reference_direction(const mbd_element_input *in, const mbd_element_direction *d, mbd_curve_value *dref) {
  *dref = (mbd_curve_value){0, 0, 0};
  if (in->curve[ROLL_REF]) { mbd_element_dcurve_now(in, d, ROLL_REF, dref); }
}

static mbd_real roll_dT(const mbd_element_input *in, const roll_state *q, const mbd_element_direction *d) {
  const mbd_real *k = in->c, *dk = d->dc;
  mbd_curve_value dref;
  reference_direction(in, d, &dref);
  return -(dk[ROLL_GAIN] * q->error + dk[ROLL_RATE_GAIN] * q->error_rate + dk[ANGLE_GAIN] * in->s->x[0][0] +
           dk[ANGLE_RATE_GAIN] * in->s->xd[0][0]) +
         k[ROLL_GAIN] * dref.y + k[ROLL_RATE_GAIN] * dref.yx;
}

/* Computes T_u, T_ud, the derivatives of the torque by the vector and its rate. */
static void torque_by_vector(const mbd_element_input *in, const roll_state *q, mbd_real T_u[3], mbd_real T_ud[3]) {
  const mbd_real *k = in->c;
  for (int i = 0; i < 3; i++) { T_u[i] = -(k[ROLL_GAIN] * q->roll_u[i] + k[ROLL_RATE_GAIN] * q->rate_u[i]); }
  v3_set(T_ud, 0, 0, -k[ROLL_RATE_GAIN] * q->ud_for);
}

/* No force acts on the vector itself. */
static void roll_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  roll_state q;
  roll_evaluate(in, &q);
  v3_set(f[0], q.T, 0, 0);
  v3_set(f[1], 0, 0, 0);
}

static void roll_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[MBD_ARG_MAX][9],
                     mbd_real (*D)[MBD_ARG_MAX][9]) {
  roll_f(in, f);
  roll_state q;
  roll_evaluate(in, &q);
  K[0][0][0] = -in->c[ANGLE_GAIN];
  D[0][0][0] = -in->c[ANGLE_RATE_GAIN];
  torque_by_vector(in, &q, K[0][1], D[0][1]); /* first rows: the torque is the force's first component */
}

static void roll_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  roll_state q;
  roll_evaluate(in, &q);
  v3_set(df[0], roll_dT(in, &q, d), 0, 0);
  v3_set(df[1], 0, 0, 0);
}

enum { TORQUE, ROLL, ROLL_RATE, ROLL_ERROR };

static mbd_real roll_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  roll_state q;
  roll_evaluate(in, &q);
  switch (k) {
    case TORQUE:
      g_x[0][0] = -in->c[ANGLE_GAIN];
      g_xd[0][0] = -in->c[ANGLE_RATE_GAIN];
      torque_by_vector(in, &q, g_x[1], g_xd[1]);
      return q.T;
    case ROLL_RATE:
      v3_copy(g_x[1], q.rate_u);
      v3_set(g_xd[1], 0, 0, q.ud_for);
      return q.rate;
    default: v3_copy(g_x[1], q.roll_u); return k == ROLL ? q.roll : q.error;
  }
}

static mbd_real roll_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  roll_state q;
  mbd_curve_value dref;
  roll_evaluate(in, &q);
  reference_direction(in, d, &dref);
  return k == TORQUE ? roll_dT(in, &q, d) : k == ROLL_ERROR ? -dref.y : 0;
}

static const mbd_ref_info refs[] = {
    {"coordinate", MBD_REF_COORDINATE, 1, "the coordinate it acts on: the steering angle, positive to the left"},
    {"left", MBD_REF_VECTOR, 1, "vector fixed in the body that rolls, pointing to its left; any length"},
    {0}};
static const mbd_coef_info coefs[] = {
    {"roll_gain", 1, "N m/rad", 0, -1e300, 1e300, "k1: torque per roll"},
    {"roll_rate_gain", 1, "N m s/rad", 0, -1e300, 1e300, "k2: torque per rate of roll"},
    {"angle_gain", 1, "N m/rad", 0, -1e300, 1e300, "k3: torque per angle of the coordinate, back to its zero"},
    {"angle_rate_gain", 1, "N m s/rad", 0, -1e300, 1e300, "k4: torque per rate of the coordinate, against it"},
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
