/* Tyre as a radial spring-damper with friction, for rough ground and low speeds. With e the deflection:
 *   N  = [ k [e]_d + c s(e/d) ed ]_{k d}       [.]_d: smooth positive part, s: smooth step, d: touchdown depth
 *   F  = -mu N V/sqrt(|V|^2 + V_r^2),  V_r^2 = v0^2 + (s0 v_t)^2     V: slip velocity in the road's plane
 *   M  = -f_r N R_l w/sqrt(w^2 + (v0/R)^2)     about the axis, w the spin
 * Beyond the touchdown depth the spring is exactly linear and the load is exactly its spring and damper: only the
 * touchdown is smoothed, over d, so that time steps keep order two. The tyre exerts no tension. s0 is the slip at which
 * friction has 1/sqrt(2) of its limit (0.05 to 0.1 for road tyres: the cornering stiffness of a tyre rolling fast is mu
 * N/s0). With relaxation lengths V is that of the transient slips (tyre.h). v0 keeps friction differentiable at rest, with the effect that a
 * wheel on a slope creeps. The force is lifted to z by theory.md §4 (4.1). */
#include <stddef.h>

#include "force/tyre_laws.h"

static const tyre_law law = {tyre_contact_value, tyre_contact_jacobian, tyre_contact_direction, tyre_contact_transient};

static const mbd_coef_info coefs[] = {
    {"radius", 1, "m", NAN, MBD_POSITIVE, "radius R without load"},
    {"stiffness", 1, "N/m", NAN, MBD_NOT_NEGATIVE, "radial stiffness k"},
    {"damping", 1, "N s/m", 0, MBD_NOT_NEGATIVE, "radial damping c"},
    {"touchdown", 1, "m", 1e-3, MBD_POSITIVE, "depth d over which the load sets in"},
    {"friction", 1, "-", 0.8, MBD_NOT_NEGATIVE, "coefficient of friction mu"},
    {"slip_speed", 1, "m/s", 0.1, MBD_POSITIVE, "v0: slip velocity that regularizes friction at low speed"},
    {"slip_ratio", 1, "-", 0, MBD_NOT_NEGATIVE, "s0: slip, as a part of the forward speed, that regularizes friction"},
    {"rolling_resistance", 1, "-", 0, MBD_NOT_NEGATIVE, "coefficient f_r of the resisting moment"},
#define X(name, key, unit, dflt, range, doc) {key, 1, unit, dflt, range, doc},
    TYRE_RELAXATION(X)
#undef X
        {0}};

const mbd_force_ops mbd_force_tyre_contact = {
    .info =
        {"tyre_contact",
         "Tyre as a radial spring-damper with regularized friction: load N = k e + c ed at the deflection e, set in "
         "smoothly over the touchdown depth; friction -mu N V/sqrt(V^2 + v0^2 + (s0 v)^2) against the slip "
         "velocity V of the contact point; rolling resistance. For rough ground and moderate slip. " TYRE_TRANSIENT_DOC,
         tyre_refs, coefs, tyre_curves},
    .image = IMAGE({"axis", MBD_IMAGE_AXIS}),
    .look = MBD_LOOK_WHEEL,
    .radius = "radius",
    TYRE_ROW(law, TYRE_NSCALAR - 2), /* neither overturning nor aligning moment */
    .states = TYRE_STATES(NULL),
};
