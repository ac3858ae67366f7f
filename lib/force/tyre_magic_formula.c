/* Tyre after Pacejka's Magic Formula, the equations known as MF-Tyre 5.2: combined slip.
 *   [Pacejka, Tyre and Vehicle Dynamics, ch. 4; the coefficients' names are those of property files]
 *
 * Axes are those of ISO (TYDEX W): x forward, y left, z up at the contact point; side slip to the left is a positive
 * slip angle and gives a force to the right (pky1 < 0); camber is positive where the top leans to the right.
 *
 * The law differs from the published equations in the following points, so that it and its derivatives are defined everywhere:
 * - low speed: |vx| is sqrt(vx^2 + vxlow^2) in the slips (a wheel at rest on a slope creeps, since its forces depend on slip only).
 *   Below vxlow the shifts SH, SV of Fx and Fy vanish with the speed, and the directions of travel and rotation change
 *   sign smoothly: trail, residual moment, rolling resistance
 * - |camber| is smooth below 0.005 rad, exact at 0 and beyond
 * - curvatures E stay below 1, smoothly from 0.9 on: extrapolated to small loads, many fits exceed that limit
 * - friction stays above a tenth of its nominal value, cornering stiffness of its value without camber (from two tenths on)
 * - beyond fzmax the coefficients follow the load up to 1.2 fzmax only, and forces grow in proportion to it. Below fzmin
 *   the formulas go on to zero load, where forces vanish with it. Slip and camber have no limits: the curves are bounded
 * - the curvature of the trail uses the slip angle itself, not the equivalent angle of combined slip, so that it has no jump at zero
 * Second derivatives are continuous everywhere. The third ones of Fx at kappa = -SHx and of Fy at alpha = -SHy are not:
 * there E jumps (pex4, pey3, pey4), as published. Transients are those of relaxation lengths (tyre.h); there is no turn slip.
 * The force is lifted to z by theory.md §4 (4.1). */

#include "force/magic_formula_coefs.h"
#include "force/tyre_laws.h"

static const tyre_law law = {tyre_magic_formula_value, tyre_magic_formula_jacobian, tyre_magic_formula_direction,
                             tyre_magic_formula_transient};

static const mbd_coef_info coefs[] = {
    {"tir", 0, "path", 0, 0, 0,
     "file (.tir) of the coefficients, FITTYP 5, 6, 51 or 52 or PAC2002, SI units, or the name of a tyre that `mbopt "
     "parts` lists; keys below override it"},
#define X(name, key, unit, dflt, range, doc) {key, 1, unit, dflt, range, doc},
    MF_COEFS(X)
#undef X
        {0}};

const mbd_force_ops mbd_force_tyre_magic_formula = {
    .info =
        {"tyre_magic_formula",
         "Tyre after Pacejka's Magic Formula, MF-Tyre 5.2: combined slip, all forces and moments, from "
         "D sin(C atan(B x - E (B x - atan(B x)))) in the slip kappa = (Re w - vx)/s and the slip angle atan(vy/s), "
         "s = sqrt(vx^2 + vxlow^2). Load as in tyre_contact. Axes after ISO: x forward, y left, z up; pky1 < 0. "
         "Below vxlow shifts and trail vanish with the speed; beyond fzmax the coefficients stop following the load; "
         "curvatures stay below 1, friction above a tenth of its nominal value. No turn slip. " TYRE_TRANSIENT_DOC,
         tyre_refs, coefs, tyre_curves},
    .image = IMAGE({"axis", MBD_IMAGE_AXIS}, {"side", MBD_IMAGE_OPPOSITE}),
    .look = MBD_LOOK_WHEEL,
    .radius = "unloaded_radius",
    TYRE_ROW(law, TYRE_NSCALAR),
    .states = TYRE_STATES("relaxation_scale"),
};
