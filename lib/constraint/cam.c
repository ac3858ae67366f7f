/* A coordinate that follows a curve over another one, as a cam or non-circular gears make it:
 *   Phi = z_1 - c - f(z_2 - p)                                                                   theory.md §4 (4.30)
 * f a curve, c and p coefficients. With f', f'', f''' at z_2 - p
 *   phi_x = (1, -f'),   xd' phi_xx xd = -f'' z_2d^2,   whose derivative by z_2 is -f''' z_2d^2
 * and along a direction of p and of the curve's numbers
 *   dPhi = -dc - df + f' dp,   dphi_x = (0, -df' + f'' dp),   d(xd' phi_xx xd) = (-df'' + f''' dp) z_2d^2
 * With lam the multiplier, -lam acts on z_1, f' lam on z_2. Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "constraint/constraint.h"

enum { FOLLOWER, CAM };
enum { OFFSET, PHASE };

static mbd_real place(const mbd_element_input *in) {
  return in->s->x[CAM][0] - in->c[PHASE];
}

static void cam_phi(const mbd_element_input *in, mbd_real *phi) {
  mbd_curve_value f;
  mbd_element_curve(in, 0, place(in), &f);
  phi[0] = in->s->x[FOLLOWER][0] - in->c[OFFSET] - f.y;
}

static void cam_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  mbd_curve_value f;
  mbd_element_curve(in, 0, place(in), &f);
  J[0][FOLLOWER][0] = 1;
  J[0][CAM][0] = -f.yx;
}

static void cam_phi_xx(const mbd_element_input *in, const mbd_real *s, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  mbd_curve_value f;
  mbd_element_curve(in, 0, place(in), &f);
  H[CAM][CAM][0] -= s[0] * f.yxx;
}

static void cam_phi_xxx(const mbd_element_input *in, const mbd_real *s, mbd_real (*g)[3]) {
  const mbd_real rate = in->s->xd[CAM][0];
  mbd_curve_value f_x = {0, 0, 0};
  curve_shift(in->curve[0], in->theta, in->aux, place(in), 1, &f_x);
  g[CAM][0] -= s[0] * f_x.yxx * rate * rate;
}

/* df := change of (f, f', f'') at fixed z_2 */
static void change(const mbd_element_input *in, const mbd_element_direction *d, mbd_curve_value *df) {
  mbd_element_dcurve(in, d, 0, place(in), df);
  if (mbd_any(d->dc[PHASE] != 0)) { curve_shift(in->curve[0], in->theta, in->aux, place(in), -d->dc[PHASE], df); }
}

static void cam_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *dphi_t,
                      mbd_real *dphi_tt) {
  mbd_curve_value df;
  change(in, d, &df);
  dphi[0] = -d->dc[OFFSET] - df.y;
  dphi_t[0] = dphi_tt[0] = 0;
}

static void cam_phi_xc(const mbd_element_input *in, const mbd_element_direction *d,
                       mbd_real (*dJ)[CONSTRAINT_ARG_MAX][3]) {
  mbd_curve_value df;
  change(in, d, &df);
  dJ[0][CAM][0] = -df.yx;
}

static void cam_phi_xxc(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dq) {
  const mbd_real rate = in->s->xd[CAM][0];
  mbd_curve_value df;
  change(in, d, &df);
  dq[0] = -df.yxx * rate * rate;
}

static const mbd_ref_info refs[] = {
    {"coordinates", MBD_REF_COORDINATE, 2, "the coordinate z1 that follows, and z2, over which the curve is"}, {0}};
static const mbd_coef_info coefs[] = {
    {"offset", 1, "rad", 0, MBD_ANY, "offset c of z1, in its unit"},
    {"phase", 1, "rad", 0, MBD_ANY, "phase p: the value of z2, in its unit, at which the curve is at 0"},
    {0}};
static const mbd_curve_info motion[] = {
    {"motion", 1,
     "z1 as a function f of z2, in their units, such as a periodic_spline over the angle of a cam. It needs a "
     "continuous slope"},
    {0}};

const mbd_constraint_ops mbd_constraint_cam = {
    .info =
        {"cam",
         "A coordinate follows a curve over another one: z1 - c - f(z2 - p) = 0. Cams with any follower, "
         "non-circular gears (two angles, with a curve that advances), slots. The cam may turn at any speed, forced "
         "or free. The multiplier is the force (torque) on z1, against its motion; f' times it acts on z2. The "
         "parts roller_follower, rocker_follower and flat_follower have the shape of the cam.",
         refs, coefs, motion},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_GEAR,
    .coupling = 1,
    .narg = 2,
    .arg = {{MBD_ARG_COORDINATE, 0, -1}, {MBD_ARG_COORDINATE, 1, -1}},
    .nphi = 1,
    .frame_free = 1,
    PHI_QUADRATIC(cam),
    .phi_xxx = cam_phi_xxx,
    .phi_c = cam_phi_c,
    .phi_xc = cam_phi_xc,
    .phi_xxc = cam_phi_xxc,
};
