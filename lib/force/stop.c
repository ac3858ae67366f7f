/* Stops along the line between two points (line.h): a bump stop acts while the distance s is shorter than a, a rebound
 * stop while it is longer. With the sign o = -1 or +1 and the overlap e = o (s - a) > 0, u = e/w, r the smooth ramp,
 * r' its step and b the bowl of base/smooth.h (r = b'):
 *   P(e) = k w r(u) + k3 e^3,   F = o P(e) + c r'(u) sd,   potential  k w^2 b(u) + k3 e^4/4
 * P is twice continuously differentiable and zero, with its first two derivatives, at contact. */
#include "base/smooth.h"
#include "force/line.h"

enum { ENGAGE, STIFFNESS, CUBIC, DAMPING, ONSET };

typedef struct stop_state {
  force_line line;
  mbd_real e, u, s[4], r; /* overlap, the same in widths of the onset, step and ramp at u */
  mbd_real P, P_e;        /* elastic force and its slope */
  line_tension T;
} stop_state;

static void stop_evaluate(const mbd_element_input *in, int sign, stop_state *q) {
  const mbd_real *c = in->c, w = c[ONSET];
  line_evaluate(in, &q->line);
  q->e = sign * (q->line.s - c[ENGAGE]);
  if (mbd_re(q->e) < 0) { q->e = 0; }
  q->u = q->e / w;
  smooth_step(q->u, q->s);
  q->r = smooth_ramp(q->u);
  q->P = c[STIFFNESS] * w * q->r + c[CUBIC] * q->e * q->e * q->e;
  q->P_e = c[STIFFNESS] * q->s[0] + 3 * c[CUBIC] * q->e * q->e;
  q->T.F = sign * q->P + c[DAMPING] * q->s[0] * q->line.sd;
  q->T.F_s = q->P_e + sign * c[DAMPING] * q->s[1] / w * q->line.sd;
  q->T.F_sd = c[DAMPING] * q->s[0];
}

/* de = -o da, du = (de - u dw)/w */
static mbd_real stop_dF(const mbd_element_input *in, int sign, const stop_state *q, const mbd_element_direction *d) {
  const mbd_real *c = in->c, *dc = d->dc, w = c[ONSET], e = q->e;
  if (mbd_re(e) == 0) { return 0; }
  mbd_real de = -sign * dc[ENGAGE], du = (de - q->u * dc[ONSET]) / w;
  mbd_real dP = dc[STIFFNESS] * w * q->r + dc[CUBIC] * e * e * e + q->P_e * de;
  dP += c[STIFFNESS] * (q->r - q->u * q->s[0]) * dc[ONSET];
  return sign * dP + (dc[DAMPING] * q->s[0] + c[DAMPING] * q->s[1] * du) * q->line.sd;
}

static mbd_real stop_potential(const mbd_element_input *in, int sign) {
  const mbd_real *c = in->c, w = c[ONSET];
  stop_state q;
  stop_evaluate(in, sign, &q);
  return c[STIFFNESS] * w * w * smooth_bowl(q.u) + c[CUBIC] * q.e * q.e * q.e * q.e / 4;
}

static mbd_real stop_potential_c(const mbd_element_input *in, int sign, const mbd_element_direction *d) {
  const mbd_real *c = in->c, *dc = d->dc, w = c[ONSET];
  stop_state q;
  stop_evaluate(in, sign, &q);
  mbd_real b = smooth_bowl(q.u), e4 = q.e * q.e * q.e * q.e;
  return dc[STIFFNESS] * w * w * b + dc[CUBIC] * e4 / 4 - sign * q.P * dc[ENGAGE] +
         c[STIFFNESS] * w * (2 * b - q.u * q.r) * dc[ONSET];
}

static void stop_f(const mbd_element_input *in, int sign, mbd_real (*f)[3]) {
  stop_state q;
  stop_evaluate(in, sign, &q);
  v3_scale(f[0], -q.T.F, q.line.u);
}

static void stop_f_x(const mbd_element_input *in, int sign, mbd_real *K, mbd_real *D) {
  stop_state q;
  stop_evaluate(in, sign, &q);
  line_f_x(&q.line, &q.T, K, D);
}

static void stop_f_c(const mbd_element_input *in, int sign, const mbd_element_direction *d, mbd_real (*df)[3]) {
  stop_state q;
  stop_evaluate(in, sign, &q);
  v3_scale(df[0], -stop_dF(in, sign, &q, d), q.line.u);
}

static mbd_real stop_scalar(const mbd_element_input *in, int sign, int k, mbd_real *g_x, mbd_real *g_xd) {
  stop_state q;
  stop_evaluate(in, sign, &q);
  return line_scalar(&q.line, &q.T, k, g_x, g_xd);
}

static mbd_real stop_scalar_c(const mbd_element_input *in, int sign, int k, const mbd_element_direction *d) {
  stop_state q;
  if (k != LINE_FORCE) { return 0; }
  stop_evaluate(in, sign, &q);
  return stop_dF(in, sign, &q, d);
}

static const mbd_ref_info refs[] = {{"points", MBD_REF_POINT, 2, "its two ends"}, {0}};
static const mbd_curve_info curves[] = {{0}};

#define STOP(NAME, SIGN, WHEN, DOC)                                                                                   \
  static void NAME##_f(const mbd_element_input *in, mbd_real(*f)[3]) {                                                \
    stop_f(in, SIGN, f);                                                                                              \
  }                                                                                                                   \
  static void NAME##_f_x(const mbd_element_input *in, mbd_real(*K)[MBD_ARG_MAX][9], mbd_real(*D)[MBD_ARG_MAX][9]) {   \
    stop_f_x(in, SIGN, K[0][0], D[0][0]);                                                                             \
  }                                                                                                                   \
  static void NAME##_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real(*df)[3]) {             \
    stop_f_c(in, SIGN, d, df);                                                                                        \
  }                                                                                                                   \
  static mbd_real NAME##_potential(const mbd_element_input *in) {                                                     \
    return stop_potential(in, SIGN);                                                                                  \
  }                                                                                                                   \
  static mbd_real NAME##_potential_c(const mbd_element_input *in, const mbd_element_direction *d) {                   \
    return stop_potential_c(in, SIGN, d);                                                                             \
  }                                                                                                                   \
  static mbd_real NAME##_scalar(const mbd_element_input *in, int k, mbd_real(*g_x)[3], mbd_real(*g_xd)[3]) {          \
    return stop_scalar(in, SIGN, k, g_x[0], g_xd[0]);                                                                 \
  }                                                                                                                   \
  static mbd_real NAME##_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {               \
    return stop_scalar_c(in, SIGN, k, d);                                                                             \
  }                                                                                                                   \
  static const mbd_coef_info NAME##_coefs[] = {                                                                       \
      {"engage", 1, "m", NAN, 0, 1e300, "distance a of the points " WHEN " which the stop acts"},                     \
      {"stiffness", 1, "N/m", 0, 0, 1e300, "stiffness k beyond the onset"},                                           \
      {"cubic_stiffness", 1, "N/m^3", 0, 0, 1e300, "coefficient k3 of the overlap's cube"},                           \
      {"damping", 1, "N s/m", 0, 0, 1e300, "damping c; fades in over the onset, and pulls when the stop opens fast"}, \
      {"onset", 1, "m", 0.005, 1e-9, 1e300, "overlap w over which stiffness and damping fade in"},                    \
      {0}};                                                                                                           \
  const mbd_force_ops mbd_force_##NAME = {                                                                            \
      .info = {#NAME, DOC, refs, NAME##_coefs, curves},                                                               \
      .narg = 1,                                                                                                      \
      .arg = {{MBD_ARG_POINT, 1, 0}},                                                                                 \
      .frame_free = 1,                                                                                                \
      .look = MBD_LOOK_STOP,                                                                                          \
      .f = NAME##_f,                                                                                                  \
      .f_x = NAME##_f_x,                                                                                              \
      .f_c = NAME##_f_c,                                                                                              \
      .potential = NAME##_potential,                                                                                  \
      .potential_c = NAME##_potential_c,                                                                              \
      LINE_SCALARS,                                                                                                   \
      .scalar = NAME##_scalar,                                                                                        \
      .scalar_c = NAME##_scalar_c,                                                                                    \
  };

STOP(bump_stop, -1, "below",
     "Stop that pushes two points apart while their distance s is shorter than a, by the overlap e = a - s: tension "
     "F = -k w r(e/w) - k3 e^3 + c r'(e/w) sd. r bends smoothly from 0 to a line of slope 1 (the integral of the step "
     "curve), so that the force of k tends to k (e - w/2).")
STOP(rebound_stop, 1, "above",
     "Stop that pulls two points together while their distance s is longer than a, by the overlap e = s - a: tension "
     "F = k w r(e/w) + k3 e^3 + c r'(e/w) sd, with r as in bump_stop.")
