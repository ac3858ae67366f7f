/* The rotor of a motor behind a gear, on a coordinate z: it turns with n zd, so that its kinetic energy is J (n zd)^2/2, a mass
 * term J n^2 of the coordinate. The equations of motion take that from `inertia`; there is no force beside it.
 * Equations: theory.md §3. */
#include "base/v3.h"
#include "force/force.h"

enum { INERTIA, RATIO };

static mbd_real rotor_inertia(const mbd_element_input *in) {
  return in->c[INERTIA] * in->c[RATIO] * in->c[RATIO];
}

static mbd_real rotor_inertia_c(const mbd_element_input *in, const mbd_element_direction *d) {
  const mbd_real J = in->c[INERTIA], n = in->c[RATIO];
  return d->dc[INERTIA] * n * n + 2 * J * n * d->dc[RATIO];
}

static void rotor_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  (void)in;
  v3_set(f[0], 0, 0, 0);
}

FORCE_WITHOUT_SLOPES(rotor)

static void rotor_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  (void)in, (void)d;
  v3_set(df[0], 0, 0, 0);
}

enum { SPEED, ENERGY };

static mbd_real rotor_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  const mbd_real zd = in->s->xd[0][0], I = rotor_inertia(in);
  (void)g_x;
  g_xd[0][0] = k == SPEED ? in->c[RATIO] : I * zd;
  return k == SPEED ? in->c[RATIO] * zd : I * zd * zd / 2;
}

static mbd_real rotor_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  const mbd_real zd = in->s->xd[0][0];
  return k == SPEED ? d->dc[RATIO] * zd : rotor_inertia_c(in, d) * zd * zd / 2;
}

static const mbd_ref_info coordinate[] = {{"coordinate", MBD_REF_COORDINATE, 1, "the coordinate that the motor drives"},
                                          {0}};
static const mbd_coef_info coefs[] = {
    {"inertia", 1, "kg m^2", NAN, MBD_NOT_NEGATIVE, "inertia J of the rotor about its axis"},
    {"ratio", 1, "rad/rad", 1, MBD_ANY, "gear ratio n: turns of the rotor per turn of the joint (rad/m on a length)"},
    {0}};

const mbd_force_ops mbd_force_rotor_inertia = {
    .info =
        {"rotor_inertia",
         "Rotor of a motor behind a gear of ratio n: the mass term J n^2 on the coordinate of its joint, in the "
         "equations of "
         "motion and in the kinetic energy; it has no force beside that and no power. Exact where the motor's housing "
         "rests. Of a housing that turns itself, the coupling of its rotation with that of the rotor (J n zd times the "
         "housing's angular velocity, and gyroscopic moments) is not modelled: small beside J n^2 zd for large n. The "
         "mass of the rotor belongs to the body of the housing.",
         coordinate, coefs, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_MOTOR,
    .narg = 1,
    .arg = {{MBD_ARG_COORDINATE, 0, -1}},
    .frame_free = 1,
    FORCE_F(rotor),
    .inertia = rotor_inertia,
    .inertia_c = rotor_inertia_c,
    .nscalar = 2,
    .scalar_name = {"speed", "energy"},
    .scalar_unit = {"rad/s", "J"},
    FORCE_SCALARS(rotor),
};
