/* Drive and brake torque of a wheel about its axle. Arguments: the rotation of the wheel relative to the body that
 * reacts, with rate v; the axle, a body-fixed vector a. With n = a/|a| and the spin w = n . v
 *   T = T_d(t) - T_b(t) w/sqrt(w^2 + w0^2),   moment T n on the wheel, -T n on the other body
 *   T_w = -T_b w0^2/(w^2 + w0^2)^(3/2),   n_a = (1 - n n')/|a|,   w_a = (v - w n)/|a|
 * The force is lifted to z by theory.md §4 (4.1). */
#include "force/force.h"
#include "base/v3.h"

enum { SPIN_SPEED };
enum { DRIVE, BRAKE };

typedef struct wheel_state {
  mbd_real n[3], length, w; /* unit vector along the axle, its length, spin */
  mbd_real part;            /* part of the brake torque that acts: w/sqrt(w^2 + w0^2) */
  mbd_real brake, T, T_w;
} wheel_state;

static void wheel_evaluate(const mbd_element_input *in, wheel_state *wheel) {
  const mbd_real *a = in->s->x[1], w0 = in->c[SPIN_SPEED];
  wheel->length = mbd_sqrt(v3_dot(a, a));
  v3_scale(wheel->n, 1 / wheel->length, a);
  wheel->w = v3_dot(wheel->n, in->s->xd[0]);
  mbd_real r = 1 / mbd_sqrt(wheel->w * wheel->w + w0 * w0);
  wheel->brake = force_curve_now(in, BRAKE, 0);
  wheel->part = wheel->w * r;
  wheel->T = force_curve_now(in, DRIVE, 0) - wheel->brake * wheel->part;
  wheel->T_w = -wheel->brake * w0 * w0 * r * r * r;
}

/* d(w r)/dw0 = -w w0 r^3 */
static mbd_real wheel_dT(const mbd_element_input *in, const wheel_state *wheel, const mbd_element_direction *d) {
  mbd_real w0 = in->c[SPIN_SPEED], by_w0 = wheel->brake * wheel->part * w0 / (wheel->w * wheel->w + w0 * w0);
  return force_dcurve_now(in, d, DRIVE) - force_dcurve_now(in, d, BRAKE) * wheel->part + by_w0 * d->dc[SPIN_SPEED];
}

/* Computes w_a, the derivative of the spin by the axle. */
static void spin_by_axle(const mbd_element_input *in, const wheel_state *wheel, mbd_real w_a[3]) {
  for (int i = 0; i < 3; i++) { w_a[i] = (in->s->xd[0][i] - wheel->w * wheel->n[i]) / wheel->length; }
}

/* No force acts on the axle itself. */
static void wheel_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  wheel_state q;
  wheel_evaluate(in, &q);
  v3_scale(f[0], q.T, q.n);
  v3_set(f[1], 0, 0, 0);
}

static void wheel_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                      mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  wheel_f(in, f);
  wheel_state q;
  mbd_real w_a[3];
  wheel_evaluate(in, &q);
  spin_by_axle(in, &q, w_a);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      mbd_real nn = q.n[i] * q.n[j];
      K[0][1][3 * i + j] = q.T_w * q.n[i] * w_a[j] + q.T * ((i == j) - nn) / q.length;
      D[0][0][3 * i + j] = q.T_w * nn;
    }
  }
}

static void wheel_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  wheel_state q;
  wheel_evaluate(in, &q);
  v3_scale(df[0], wheel_dT(in, &q, d), q.n);
  v3_set(df[1], 0, 0, 0);
}

enum { TORQUE, SPEED };

static mbd_real wheel_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  wheel_state q;
  mbd_real w_a[3];
  wheel_evaluate(in, &q);
  spin_by_axle(in, &q, w_a);
  mbd_real by_w = k == SPEED ? 1 : q.T_w;
  v3_scale(g_x[1], by_w, w_a);
  v3_scale(g_xd[0], by_w, q.n);
  return k == SPEED ? q.w : q.T;
}

static mbd_real wheel_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  wheel_state q;
  if (k == SPEED) { return 0; }
  wheel_evaluate(in, &q);
  return wheel_dT(in, &q, d);
}

static const mbd_ref_info refs[] = {
    {"bodies", MBD_REF_BODY, 2, "the body that reacts (the knuckle, or the chassis), and the wheel"},
    {"axle", MBD_REF_VECTOR, 1, "body-fixed vector along the axle, of any length; positive spin is about it"},
    {0}};
static const mbd_coef_info coefs[] = {
    {"spin_speed", 1, "rad/s", 0.5, MBD_POSITIVE, "spin w0 at which the brake has reached 71 % of its torque"}, {0}};
static const mbd_curve_info curves[] = {
    {"drive", 0, "drive torque T_d [N m] as a function of time"},
    {"brake", 0, "brake torque T_b [N m] as a function of time; positive: against the spin"},
    {0}};

const mbd_force_ops mbd_force_wheel_torque = {
    .info = {"wheel_torque",
             "Drive and brake torque on the second body about an axle, and its reaction on the first: "
             "T = T_d(t) - T_b(t) w/sqrt(w^2 + w0^2), w the spin of the second body relative to the first. A braked "
             "wheel at rest creeps: it is held by friction of slope T_b/w0.",
             refs, coefs, curves},
    .image = IMAGE({"axle", MBD_IMAGE_AXIS}),
    .look = MBD_LOOK_MOTOR,
    .narg = 2,
    .arg = {{MBD_ARG_ROTATION, 1, 0}, {MBD_ARG_VECTOR, 2, -1}},
    .frame_free = 1,
    FORCE_F(wheel),
    .nscalar = 2,
    .scalar_name = {"torque", "speed"},
    .scalar_unit = {"N m", "rad/s"},
    FORCE_SCALARS(wheel),
};
