/* Friction on a coordinate with the rate v, smoothed Coulomb and viscous, with N(t) a given load:
 *   F = T_C v/sqrt(v^2 + w^2) + c v,   T_C = T_0 + m |N|      against the motion
 *   F_v = T_C w^2 r^3 + c,   dF/dw = -T_C v w r^3,   r = 1/sqrt(v^2 + w^2)
 * The force is lifted to z by theory.md §4 (4.1). */
#include "force/along.h"

enum { TORQUE, COEFFICIENT, DAMPING, WIDTH };
enum { LOAD };

typedef struct friction_state {
  mbd_real r, part;     /* 1/sqrt(v^2 + w^2), v r */
  mbd_real load, limit; /* |N|, T_C */
  int sign;             /* of N */
} friction_state;

static void friction_evaluate(const mbd_element_input *in, mbd_real v, friction_state *q) {
  mbd_curve_value N = {0, 0, 0};
  if (in->curve[LOAD]) { mbd_element_curve_now(in, LOAD, &N); }
  q->sign = mbd_re(N.y) < 0 ? -1 : 1;
  q->load = q->sign * N.y;
  q->limit = in->c[TORQUE] + in->c[COEFFICIENT] * q->load;
  q->r = 1 / mbd_sqrt(v * v + in->c[WIDTH] * in->c[WIDTH]);
  q->part = v * q->r;
}

static void friction_F(const mbd_element_input *in, mbd_real s, mbd_real v, tension *T) {
  const mbd_real w = in->c[WIDTH];
  friction_state q;
  (void)s;
  friction_evaluate(in, v, &q);
  *T =
      (tension){.F = q.limit * q.part + in->c[DAMPING] * v, .F_sd = q.limit * w * w * q.r * q.r * q.r + in->c[DAMPING]};
}

static mbd_real friction_F_c(const mbd_element_input *in, mbd_real s, mbd_real v, const mbd_element_direction *d) {
  const mbd_real *c = in->c, *dc = d->dc;
  mbd_curve_value dN = {0, 0, 0};
  friction_state q;
  (void)s;
  friction_evaluate(in, v, &q);
  if (in->curve[LOAD]) { mbd_element_dcurve_now(in, d, LOAD, &dN); }
  const mbd_real dlimit = dc[TORQUE] + dc[COEFFICIENT] * q.load + c[COEFFICIENT] * q.sign * dN.y;
  return dlimit * q.part - q.limit * q.part * c[WIDTH] * q.r * q.r * dc[WIDTH] + dc[DAMPING] * v;
}

static const force_law friction_law = {.F = friction_F, .F_c = friction_F_c};

static const mbd_ref_info coordinate[] = {{"coordinate", MBD_REF_COORDINATE, 1, "the coordinate of the joint"}, {0}};
static const mbd_coef_info coefs[] = {
    {"torque", 1, "N m", 0, 0, 1e300, "constant friction torque T0 (force, N, on a length)"},
    {"load_coefficient", 1, "m", 0, 0, 1e300,
     "friction torque m per load: friction coefficient times radius (the coefficient alone, -, on a length)"},
    {"damping", 1, "N m s/rad", 0, 0, 1e300, "viscous friction c (N s/m on a length)"},
    {"width", 1, "rad/s", NAN, 1e-9, 1e300,
     "rate w of the smoothing, at which 71 % of the friction torque act (m/s on a length)"},
    {0}};
static const mbd_curve_info curves[] = {{"load", 0, "load N of the joint [N] as a function of time; its size counts"},
                                        {0}};

const mbd_force_ops mbd_force_joint_friction = {
    .info =
        {"joint_friction",
         "Friction of a joint, on its coordinate: F = (T0 + m |N(t)|) v/sqrt(v^2 + w^2) + c v against the rate v. Not "
         "modelled: sticking (below the rate w the joint creeps, held by a damper of slope (T0 + m |N|)/w; where a "
         "joint should hold, w is small beside the rates of the motion), a larger torque to break away, and the load "
         "from the joint's own reactions (it is given).",
         coordinate, coefs, curves},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_TORSION,
    .variant = 1,
    .narg = 1,
    .arg = {{MBD_ARG_COORDINATE, 0, -1}},
    .frame_free = 1,
    .law = &friction_law,
    FORCE_F(coordinate),
    .nscalar = 1,
    .scalar_name = {"force"},
    FORCE_SCALARS(coordinate),
};
