/* Stops along the line between two points (along.h): a bump stop acts while the distance s is shorter than a, a rebound
 * stop while it is longer. With the sign o = -1 or +1 (in->variant) and the overlap e = o (s - a) > 0, u = e/w, r the
 * smooth ramp, r' its step and b the bowl of base/smooth.h (r = b'):
 *   P(e) = k w r(u) + k3 e^3,   F = o P(e) + c r'(u) sd,   potential  k w^2 b(u) + k3 e^4/4
 * P is twice continuously differentiable and zero, with its first two derivatives, at contact.
 * The force is lifted to z by theory.md §4 (4.1). */
#include "base/smooth.h"
#include "force/law_along.h"

enum { ENGAGE, STIFFNESS, CUBIC, DAMPING, ONSET };

/* The overlap e, 0 where the points are apart. */
static dual overlap(const law_input *law, dual s) {
  const dual e = d_scale(law->in->variant, d_sub(s, law_coef(law, ENGAGE)));
  return d_select(mbd_re(e.v) < 0, d_const(0), e);
}

static dual stop_tension(const law_input *law, dual s, dual sd) {
  const dual e = overlap(law, s), w = law_coef(law, ONSET), u = d_div(e, w);
  mbd_real step[4];
  smooth_step(u.v, step);
  const dual ramp = d_mul(w, d_chain(smooth_ramp(u.v), step[0], u)), cube = d_mul(e, d_square(e));
  const dual P = d_add(law_times(law, STIFFNESS, ramp), law_times(law, CUBIC, cube));
  return d_add(d_scale(law->in->variant, P), law_times(law, DAMPING, d_mul(d_chain(step[0], step[1], u), sd)));
}

static dual stop_elastic(const law_input *law, dual s) {
  const dual e = overlap(law, s), w = law_coef(law, ONSET), u = d_div(e, w);
  const dual bowl = d_mul(d_square(w), d_chain(smooth_bowl(u.v), smooth_ramp(u.v), u));
  return d_add(law_times(law, STIFFNESS, bowl), law_times(law, CUBIC, d_scale(0.25, d_square(d_square(e)))));
}

LAW_TENSION(stop)
LAW_ELASTIC(stop)
static const force_law stop_law = {stop_F, stop_F_c, stop_energy, stop_energy_c};

#define STOP_COEFS(WHEN)                                                                                \
  (const mbd_coef_info[]) {                                                                             \
    {"engage", 1, "m", NAN, MBD_NOT_NEGATIVE, "distance a of the points " WHEN " which the stop acts"}, \
        {"stiffness", 1, "N/m", 0, MBD_NOT_NEGATIVE, "stiffness k beyond the onset"},                   \
        {"cubic_stiffness", 1, "N/m^3", 0, MBD_NOT_NEGATIVE, "coefficient k3 of the overlap's cube"},   \
        {"damping",                                                                                     \
         1,                                                                                             \
         "N s/m",                                                                                       \
         0,                                                                                             \
         MBD_NOT_NEGATIVE,                                                                              \
         "damping c; fades in over the onset, "                                                         \
         "and pulls when the stop opens fast"},                                                         \
        {"onset", 1, "m", 0.005, MBD_POSITIVE, "overlap w over which stiffness and damping fade in"}, { \
      0                                                                                                 \
    }                                                                                                   \
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
