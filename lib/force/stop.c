/* Stops along the line between two points (along.h): a bump stop acts while the distance s is shorter than a, a rebound
 * stop while it is longer. With the sign o = -1 or +1 (in->variant) and the overlap e = o (s - a) > 0, u = e/w, r the
 * smooth ramp, r' its step and b the bowl of base/smooth.h (r = b'):
 *   P(e) = k w r(u) + k3 e^3,   F = o P(e) + c r'(u) sd,   potential  k w^2 b(u) + k3 e^4/4
 * P is twice continuously differentiable and zero, with its first two derivatives, at contact.
 * The force is lifted to z by theory.md §4 (4.1). */
#include "base/smooth.h"
#include "force/along.h"

enum { ENGAGE, STIFFNESS, CUBIC, DAMPING, ONSET };

typedef struct stop_state {
  mbd_real e, u;          /* overlap, the same in widths of the onset */
  mbd_real step[4], ramp; /* at u */
  mbd_real P, P_e;        /* elastic force and its slope */
} stop_state;

static void stop_evaluate(const mbd_element_input *in, mbd_real s, stop_state *q) {
  const mbd_real *c = in->c, w = c[ONSET];
  q->e = in->variant * (s - c[ENGAGE]);
  if (mbd_re(q->e) < 0) { q->e = 0; }
  q->u = q->e / w;
  smooth_step(q->u, q->step);
  q->ramp = smooth_ramp(q->u);
  q->P = c[STIFFNESS] * w * q->ramp + c[CUBIC] * q->e * q->e * q->e;
  q->P_e = c[STIFFNESS] * q->step[0] + 3 * c[CUBIC] * q->e * q->e;
}

static void stop_F(const mbd_element_input *in, mbd_real s, mbd_real sd, tension *T) {
  const int sign = in->variant;
  const mbd_real damping = in->c[DAMPING], w = in->c[ONSET];
  stop_state q;
  stop_evaluate(in, s, &q);
  T->F = sign * q.P + damping * q.step[0] * sd;
  T->F_s = q.P_e + sign * damping * q.step[1] / w * sd;
  T->F_sd = damping * q.step[0];
}

/* de = -o da, du = (de - u dw)/w */
static mbd_real stop_F_c(const mbd_element_input *in, mbd_real s, mbd_real sd, const mbd_element_direction *d) {
  const int sign = in->variant;
  const mbd_real *c = in->c, *dc = d->dc, w = c[ONSET];
  stop_state q;
  stop_evaluate(in, s, &q);
  const mbd_real e = q.e, de = -sign * dc[ENGAGE], du = (de - q.u * dc[ONSET]) / w;
  if (mbd_re(e) == 0) { return 0; }
  mbd_real dP = dc[STIFFNESS] * w * q.ramp + dc[CUBIC] * e * e * e + q.P_e * de;
  dP += c[STIFFNESS] * (q.ramp - q.u * q.step[0]) * dc[ONSET];
  return sign * dP + (dc[DAMPING] * q.step[0] + c[DAMPING] * q.step[1] * du) * sd;
}

static mbd_real stop_energy(const mbd_element_input *in, mbd_real s) {
  const mbd_real *c = in->c, w = c[ONSET];
  stop_state q;
  stop_evaluate(in, s, &q);
  return c[STIFFNESS] * w * w * smooth_bowl(q.u) + c[CUBIC] * q.e * q.e * q.e * q.e / 4;
}

static mbd_real stop_energy_c(const mbd_element_input *in, mbd_real s, const mbd_element_direction *d) {
  const mbd_real *c = in->c, *dc = d->dc, w = c[ONSET];
  stop_state q;
  stop_evaluate(in, s, &q);
  const mbd_real bowl = smooth_bowl(q.u), e4 = q.e * q.e * q.e * q.e;
  return dc[STIFFNESS] * w * w * bowl + dc[CUBIC] * e4 / 4 - in->variant * q.P * dc[ENGAGE] +
         c[STIFFNESS] * w * (2 * bowl - q.u * q.ramp) * dc[ONSET];
}

static const force_law stop_law = {stop_F, stop_F_c, stop_energy, stop_energy_c};

#define STOP_COEFS(WHEN)                                                                                                \
  (const mbd_coef_info[]) {                                                                                             \
    {"engage", 1, "m", NAN, 0, 1e300, "distance a of the points " WHEN " which the stop acts"},                         \
        {"stiffness", 1, "N/m", 0, 0, 1e300, "stiffness k beyond the onset"},                                           \
        {"cubic_stiffness", 1, "N/m^3", 0, 0, 1e300, "coefficient k3 of the overlap's cube"},                           \
        {"damping", 1, "N s/m", 0, 0, 1e300, "damping c; fades in over the onset, and pulls when the stop opens fast"}, \
        {"onset", 1, "m", 0.005, 1e-9, 1e300, "overlap w over which stiffness and damping fade in"}, {                  \
      0                                                                                                                 \
    }                                                                                                                   \
  }

const mbd_force_ops mbd_force_bump_stop = {
    .info = {"bump_stop",
             "Stop that pushes two points apart while their distance s is shorter than a, by the overlap e = a - s: "
             "tension F = -k w r(e/w) - k3 e^3 + c r'(e/w) sd. r bends smoothly from 0 to a line of slope 1 (the "
             "integral of the step curve), so that the force of k tends to k (e - w/2).",
             line_refs, STOP_COEFS("below"), NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_STOP,
    .variant = -1,
    FORCE_ALONG_LINE(stop_law),
};

const mbd_force_ops mbd_force_rebound_stop = {
    .info = {"rebound_stop",
             "Stop that pulls two points together while their distance s is longer than a, by the overlap e = s - a: "
             "tension F = k w r(e/w) + k3 e^3 + c r'(e/w) sd, with r as in bump_stop.",
             line_refs, STOP_COEFS("above"), NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_STOP,
    .variant = 1,
    FORCE_ALONG_LINE(stop_law),
};
