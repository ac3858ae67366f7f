/* Friction on a coordinate with the rate v, smoothed Coulomb and viscous, with N(t) a given load:
 *   F = T_C v/sqrt(v^2 + w^2) + c v,   T_C = T_0 + m |N|      against the motion
 * The force is lifted to z by theory.md §4 (4.1). */
#include "force/law_along.h"

enum { TORQUE, COEFFICIENT, DAMPING, WIDTH };
enum { LOAD };

static dual friction_tension(const law_input *law, dual s, dual v) {
  dual rate;
  const dual N = law_curve(law, LOAD, law_time(law), &rate), load = d_select(mbd_re(N.v) < 0, d_neg(N), N);
  const dual limit = d_add(law_coef(law, TORQUE), law_times(law, COEFFICIENT, load));
  const dual size = d_sqrt(d_add(d_square(v), d_square(law_coef(law, WIDTH))));
  (void)s;
  return d_add(d_mul(limit, d_div(v, size)), law_times(law, DAMPING, v));
}

LAW_TENSION(friction)
static const force_law friction_law = {.F = friction_F, .F_c = friction_F_c};

static const mbd_ref_info coordinate[] = {{"coordinate", MBD_REF_COORDINATE, 1, "the coordinate of the joint"}, {0}};
static const mbd_coef_info coefs[] = {
    {"torque", 1, "N m", 0, MBD_NOT_NEGATIVE, "constant friction torque T0 (force, N, on a length)"},
    {"load_coefficient", 1, "m", 0, MBD_NOT_NEGATIVE,
     "friction torque m per load: friction coefficient times radius (the coefficient alone, -, on a length)"},
    {"damping", 1, "N m s/rad", 0, MBD_NOT_NEGATIVE, "viscous friction c (N s/m on a length)"},
    {"width", 1, "rad/s", NAN, MBD_POSITIVE,
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
