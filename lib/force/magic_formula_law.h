/* The law of tyre_magic_formula.c in dual numbers (la/dual.h).
 *
 * Everything that is proportional to the load is computed per unit of load: nothing is divided by it, so a wheel in the
 * air needs no exception. E is always the curvature inside of B x - E (B x - atan(B x)). */
#ifndef MBD_MAGIC_FORMULA_LAW_H
#define MBD_MAGIC_FORMULA_LAW_H

#include "force/magic_formula_coefs.h"
#include "force/wheel_on_road.h"

#define MF_CAMBER_SMALL 0.005
#define MF_2_PI         0.63661977236758134308 /* 2/pi */

/* Load, camber and slip of the tyre, and intermediate results of the formulas. "/Fz": per unit of load. */
typedef struct mf_state {
  const law_input *at;
  dual load;                /* Fz */
  dual z;                   /* the load on which the coefficients depend, over fnomin */
  dual dfz;                 /* its excess over the scaled nominal load, relative */
  dual kappa, alpha, gamma; /* mirrored where side = -1 */
  dual rolls;               /* 1 for a wheel that rolls, 0 at rest: shifts need rolling */
  dual mu_x, K_x;           /* friction, slip stiffness/Fz */
  dual mu_y, K_y, B_y, C_y; /* friction, cornering stiffness/Fz, slope, shape */
  dual SH_y, SV_y;          /* shifts: angle, force/Fz */
  dual fx, fy;              /* Fx/Fz, Fy/Fz */
  dual fy_slip;             /* part of fy from the slip angle: without SVyk */
} mf_state;

/* Coefficient k (magic_formula_coefs.h). */
static dual mf(const mf_state *q, int k) {
  return law_coef(q->at, k);
}

/* ---- pieces ---- */

static dual mf_linear(dual a, dual b, dual x) { /* a + b x */
  return d_add(a, d_mul(b, x));
}
static dual mf_quadratic(dual a, dual b, dual c, dual x) { /* a + b x + c x^2 */
  return d_add(a, d_mul(mf_linear(b, c, x), x));
}

/* x up to `top`, then levelling off to top + band; continuous second derivative. */
static dual mf_at_max(dual x, dual top, dual band) {
  const dual end = d_add(top, band);
  return d_select(mbd_re(x.v) <= mbd_re(top.v), x, d_sub(end, touch_onset(d_sub(end, x), band)));
}

/* x from 2 floor on; below that levelling off to floor; continuous second derivative. */
static dual mf_at_min(dual x, dual floor) {
  return d_select(mbd_re(x.v) >= 2 * mbd_re(floor.v), x, d_add(floor, touch_onset(d_sub(x, floor), floor)));
}

/* Sign of x, exact from |x| = width on, with continuous second derivative: (15 s - 10 s^3 + 3 s^5)/8, s = x/width */
static dual mf_turning(dual s, dual s2) {
  return d_scale(0.125, d_mul(s, d_add(d_shift(d_scale(-10, s2), 15), d_scale(3, d_square(s2)))));
}
static dual mf_sign(dual x, dual width) {
  const dual s = d_div(x, width);
  return d_select(mbd_re(x.v) >= mbd_re(width.v), d_const(1),
                  d_select(mbd_re(x.v) <= -mbd_re(width.v), d_const(-1), mf_turning(s, d_square(s))));
}
static dual mf_abs(dual x, dual width) { /* exact at 0 and from |x| = width on */
  return d_mul(x, mf_sign(x, width));
}

/* E is limited to values below 1: above, the curve would reverse and cross its axis. Exact up to 0.9. */
static dual mf_curvature(dual E) {
  return mf_at_max(E, d_const(0.9), d_const(0.1));
}

/* C atan(B x - E (B x - atan(B x))), and the curves made of it */
static dual mf_phase(dual B, dual C, dual E, dual x) {
  const dual Bx = d_mul(B, x);
  return d_mul(C, d_atan(d_sub(Bx, d_mul(E, d_sub(Bx, d_atan(Bx))))));
}
static dual mf_sine(dual B, dual C, dual D, dual E, dual x) {
  return d_mul(D, d_sin(mf_phase(B, C, E, x)));
}
static dual mf_weight(dual B, dual C, dual E, dual x, dual shift) { /* 1 where x = 0 */
  return d_div(d_cos(mf_phase(B, C, E, d_add(x, shift))), d_cos(mf_phase(B, C, E, shift)));
}

/* lmu l (p1 + p2 dfz) (1 - p3 g^2), never below a tenth of its nominal value: so that no load or camber reverses
 * friction. */
static dual mf_friction(const mf_state *q, dual p1, dual p2, dual p3, dual g, dual l) {
  const dual camber = d_shift(d_neg(d_mul(p3, d_square(g))), 1);
  const dual mu = mf_at_min(d_mul(mf_linear(p1, p2, q->dfz), camber), d_scale(0.1, p1));
  return d_mul(d_mul(mf(q, LMU), l), mu);
}

/* ---- slips ---- */

/* Re = R0 - (Fz0/Cz) (D atan(B r) + F r),  r = e Cz/Fz0;  s = sqrt(vx^2 + vlow^2)
 * kappa = -(vx - Re w)/s,  alpha = atan(vy/s),  gamma = asin(u.n)     s: speed, Re: radius */
static void mf_slips(mf_state *q, const wheel_touch *w, dual deflection, dual *speed, dual *radius) {
  const dual depth = d_div(mf(q, FNOMIN), mf(q, CZ)), r = d_div(touch_onset(deflection, mf(q, TOUCHDOWN)), depth);
  const dual less = d_add(d_mul(mf(q, DREFF), d_atan(d_mul(mf(q, BREFF), r))), d_mul(mf(q, FREFF), r));
  *radius = d_sub(mf(q, R0), d_mul(depth, less));
  *speed = d_sqrt(d_add(d_square(w->v_t), d_square(mf(q, VXLOW))));
  q->kappa = d_div(d_sub(d_mul(*radius, w->spin), w->v_t), *speed);
  q->alpha = d_mul(mf(q, SIDE), d_atan(d_div(w->V_l, *speed)));
  q->gamma = d_mul(mf(q, SIDE), d_asin(w->sin_camber));
  q->rolls = d_square(mf_sign(w->v_t, mf(q, VXLOW)));
}

/* ---- forces ---- */

/* Fx/Fz = mu sin(phase) + SV at kappa + SH */
static dual mf_longitudinal(mf_state *q) {
  const dual f = q->dfz, g = d_mul(q->gamma, mf(q, LGAX)), C = d_mul(mf(q, PCX1), mf(q, LCX));
  const dual SH = d_mul(d_mul(mf_linear(mf(q, PHX1), mf(q, PHX2), f), mf(q, LHX)), q->rolls), x = d_add(q->kappa, SH);
  q->mu_x = mf_friction(q, mf(q, PDX1), mf(q, PDX2), mf(q, PDX3), g, mf(q, LMUX));
  q->K_x = d_mul(d_mul(mf_linear(mf(q, PKX1), mf(q, PKX2), f), d_exp(d_mul(mf(q, PKX3), f))), mf(q, LKX));
  const dual SV = d_mul(d_mul(mf_linear(mf(q, PVX1), mf(q, PVX2), f), mf(q, LVX)), d_mul(mf(q, LMUX), mf(q, LMU)));
  const mbd_value side =
      mbd_select(mbd_re(x.v) > 0, 1, mbd_select(mbd_re(x.v) < 0, -1, 0)); /* jumps where E acts on x^3 only */
  const dual turn = d_shift(d_scale(-side, mf(q, PEX4)), 1);
  const dual E = mf_curvature(d_mul(d_mul(mf_quadratic(mf(q, PEX1), mf(q, PEX2), mf(q, PEX3), f), turn), mf(q, LEX)));
  return d_add(mf_sine(d_div(q->K_x, d_mul(C, q->mu_x)), C, q->mu_x, E, x), d_mul(SV, q->rolls));
}

/* Fy/Fz = mu sin(phase) + SV at alpha + SH.  Ky/Fz0 = pky1 sin(2 atan(r)), r = Fz/(pky2 Fz0): here 2 r/(1 + r^2) */
static dual mf_lateral(mf_state *q) {
  const dual f = q->dfz, g = d_mul(q->gamma, mf(q, LGAY)), size = mf_abs(g, d_const(MF_CAMBER_SMALL));
  const dual r = d_div(q->z, d_mul(mf(q, PKY2), mf(q, LFZO))), scale = d_mul(mf(q, LMUY), mf(q, LMU));
  const dual stiff = d_div(d_scale(2, mf(q, PKY1)), d_mul(mf(q, PKY2), d_shift(d_square(r), 1)));
  const dual tilt = d_shift(d_neg(d_mul(mf(q, PKY3), size)), 1);
  q->C_y = d_mul(mf(q, PCY1), mf(q, LCY));
  q->mu_y = mf_friction(q, mf(q, PDY1), mf(q, PDY2), mf(q, PDY3), g, mf(q, LMUY));
  q->K_y = d_mul(d_mul(stiff, mf(q, LKY)), mf_at_min(tilt, d_const(0.1)));
  q->B_y = d_div(q->K_y, d_mul(q->C_y, q->mu_y));
  const dual angle = d_mul(mf_linear(mf(q, PHY1), mf(q, PHY2), f), mf(q, LHY));
  const dual force = d_mul(mf_linear(mf(q, PVY1), mf(q, PVY2), f), mf(q, LVY));
  q->SH_y = d_mul(mf_linear(angle, mf(q, PHY3), g), q->rolls);
  q->SV_y = d_mul(d_mul(mf_linear(force, mf_linear(mf(q, PVY3), mf(q, PVY4), f), g), scale), q->rolls);
  const dual x = d_add(q->alpha, q->SH_y);
  const mbd_value side = mbd_select(mbd_re(x.v) > 0, 1, mbd_select(mbd_re(x.v) < 0, -1, 0));
  const dual turn = d_shift(d_scale(-side, mf_linear(mf(q, PEY3), mf(q, PEY4), g)), 1);
  const dual E = mf_curvature(d_mul(d_mul(mf_linear(mf(q, PEY1), mf(q, PEY2), f), turn), mf(q, LEY)));
  return d_add(mf_sine(q->B_y, q->C_y, q->mu_y, E, x), q->SV_y);
}

/* Fx = Gxa Fx0, Fy = Gyk Fy0 + SVyk; cos(atan(x)) = 1/sqrt(1 + x^2) */
static void mf_combined(mf_state *q) {
  const dual f = q->dfz, one = d_const(1);
  const dual fx0 = mf_longitudinal(q), fy0 = mf_lateral(q);
  const dual B_x = d_div(d_mul(mf(q, RBX1), mf(q, LXAL)), d_sqrt(d_add(one, d_square(d_mul(mf(q, RBX2), q->kappa)))));
  const dual E_x = mf_curvature(mf_linear(mf(q, REX1), mf(q, REX2), f));
  q->fx = d_mul(fx0, mf_weight(B_x, mf(q, RCX1), E_x, q->alpha, mf(q, RHX1)));

  const dual turn = d_mul(mf(q, RBY2), d_sub(q->alpha, mf(q, RBY3)));
  const dual B_y = d_div(d_mul(mf(q, RBY1), mf(q, LYKA)), d_sqrt(d_add(one, d_square(turn))));
  const dual E_y = mf_curvature(mf_linear(mf(q, REY1), mf(q, REY2), f));
  q->fy_slip = d_mul(fy0, mf_weight(B_y, mf(q, RCY1), E_y, q->kappa, mf_linear(mf(q, RHY1), mf(q, RHY2), f)));

  const dual size = d_mul(q->mu_y, d_add(mf_linear(mf(q, RVY1), mf(q, RVY2), f), d_mul(mf(q, RVY3), q->gamma)));
  const dual D = d_div(size, d_sqrt(d_add(one, d_square(d_mul(mf(q, RVY4), q->alpha)))));
  const dual SV = d_mul(d_mul(D, d_sin(d_mul(mf(q, RVY5), d_atan(d_mul(mf(q, RVY6), q->kappa))))), mf(q, LVYKA));
  q->fy = d_add(q->fy_slip, SV);
}

/* ---- moments ---- */

/* Equivalent slip angle of both slips, atan(sqrt(tan(a)^2 + (Kx/Ky)^2 kappa^2)), without a sign, because the functions
 * of it are even. The formula is valid beyond 90 degrees; the 1e-10 rad in the root keep it differentiable where both
 * are 0. */
static dual mf_both_slips(dual alpha, dual even) {
  const dual c = d_cos(alpha), side = d_square(d_sin(alpha)), along = d_mul(even, d_square(c));
  return d_atan2(d_sqrt(d_shift(d_add(side, along), 1e-20)), c);
}

/* Mz/Fz = -t Fy' + Mr + s Fx, with t and Mr along the direction of travel: they change sign for a wheel that rolls
 * backwards and are zero at rest. */
static dual mf_aligning(const mf_state *q, dual travel) {
  const dual f = q->dfz, g = d_mul(q->gamma, mf(q, LGAZ)), size = mf_abs(g, d_const(MF_CAMBER_SMALL));
  const dual even = d_square(d_mul(d_div(q->K_x, q->K_y), q->kappa));
  const dual scale = d_div(mf(q, LKY), d_mul(mf(q, LMUY), mf(q, LMU))), cosine = d_mul(d_cos(q->alpha), travel);
  /* pneumatic trail */
  const dual SH = mf_linear(mf_linear(mf(q, QHZ1), mf(q, QHZ2), f), mf_linear(mf(q, QHZ3), mf(q, QHZ4), f), g);
  const dual a_t = d_add(q->alpha, SH), one = d_const(1);
  const dual tilt = d_add(one, d_add(d_mul(mf(q, QBZ4), g), d_mul(mf(q, QBZ5), size)));
  const dual B = d_mul(d_mul(mf_quadratic(mf(q, QBZ1), mf(q, QBZ2), mf(q, QBZ3), f), tilt), scale), C = mf(q, QCZ1);
  const dual lean = mf_quadratic(one, mf(q, QDZ3), mf(q, QDZ4), g);
  const dual D = d_mul(d_mul(d_mul(q->z, mf_linear(mf(q, QDZ1), mf(q, QDZ2), f)), lean), d_mul(mf(q, R0), mf(q, LTR)));
  const dual turn = d_scale(MF_2_PI, d_mul(mf_linear(mf(q, QEZ4), mf(q, QEZ5), g), d_atan(d_mul(d_mul(B, C), a_t))));
  const dual E = mf_curvature(d_mul(mf_quadratic(mf(q, QEZ1), mf(q, QEZ2), mf(q, QEZ3), f), d_shift(turn, 1)));
  const dual t = d_mul(D, d_cos(mf_phase(B, C, E, mf_both_slips(a_t, even))));
  /* residual moment */
  const dual a_r = d_add(q->alpha, d_add(q->SH_y, d_div(q->SV_y, q->K_y)));
  const dual B_r = d_add(d_mul(mf(q, QBZ9), scale), d_mul(mf(q, QBZ10), d_mul(q->B_y, q->C_y)));
  const dual level = d_mul(mf_linear(mf(q, QDZ6), mf(q, QDZ7), f), mf(q, LRES));
  const dual leaning = mf_linear(level, mf_linear(mf(q, QDZ8), mf(q, QDZ9), f), g);
  const dual D_r = d_mul(d_mul(leaning, mf(q, R0)), d_mul(mf(q, LMUY), mf(q, LMU)));
  const dual M_r = d_div(D_r, d_sqrt(d_add(one, d_square(d_mul(B_r, mf_both_slips(a_r, even))))));
  /* arm of Fx */
  const dual side = mf_linear(mf(q, SSZ1), mf(q, SSZ2), d_mul(q->z, q->fy));
  const dual arm =
      d_mul(mf_linear(side, mf_linear(mf(q, SSZ3), mf(q, SSZ4), f), q->gamma), d_mul(mf(q, R0), mf(q, LS)));
  return d_add(d_mul(d_sub(M_r, d_mul(t, q->fy_slip)), cosine), d_mul(arm, q->fx));
}

/* Mx/Fz = R0 (qsx1 + (qsx3 Fy/Fz0 - qsx2 gamma)) */
static dual mf_overturning(const mf_state *q) {
  const dual bend = d_sub(d_mul(mf(q, QSX3), d_mul(q->z, q->fy)), d_mul(mf(q, QSX2), q->gamma));
  return d_mul(mf(q, R0), d_add(d_mul(mf(q, QSX1), mf(q, LVMX)), d_mul(bend, mf(q, LMX))));
}

/* My/Fz = -R0 (qsy1 + qsy2 Fx/Fz0 + qsy3 |vx/vref| + qsy4 (vx/vref)^4), against the sense of rotation */
static dual mf_rolling(const mf_state *q, const wheel_touch *w, dual radius) {
  const dual v = d_div(w->v_t, mf(q, LONGVL)), low = d_div(mf(q, VXLOW), mf(q, LONGVL));
  const dual flat = mf_linear(mf(q, QSY1), mf(q, QSY2), d_mul(q->z, q->fx));
  const dual fast = d_add(d_mul(mf(q, QSY3), mf_abs(v, low)), d_mul(mf(q, QSY4), d_square(d_square(v))));
  const dual sense = mf_sign(d_mul(radius, w->spin), mf(q, VXLOW));
  return d_neg(d_mul(d_mul(d_add(flat, fast), sense), d_mul(mf(q, R0), mf(q, LMY))));
}

static void magic_results(const law_input *at, int nresult, dual y[TYRE_RESULTS]) {
  mf_state state = {.at = at}, *q = &state;
  wheel_touch w;
  dual deflection, speed, radius;
  wheel_on_road(at, &w);
  q->load = wheel_load(&w, mf(q, R0), mf(q, CZ), mf(q, DAMPING), mf(q, TOUCHDOWN), &deflection);
  q->z = d_div(mf_at_max(q->load, mf(q, FZMAX), d_scale(0.2, mf(q, FZMAX))), mf(q, FNOMIN));
  q->dfz = d_shift(d_div(q->z, mf(q, LFZO)), -1);
  mf_slips(q, &w, deflection, &speed, &radius);
  mf_combined(q);

  const dual travel = mf_sign(w.v_t, mf(q, VXLOW)), sided = d_mul(mf(q, SIDE), q->load);
  const dual F[3] = {d_mul(q->load, q->fx), d_mul(sided, q->fy), q->load};
  const dual M[3] = {d_mul(sided, mf_overturning(q)), d_mul(q->load, mf_rolling(q, &w, radius)),
                     d_mul(sided, mf_aligning(q, travel))};
  wheel_results(&w, F, M, y);
  if (nresult <= TYRE_SCALARS) { return; }
  const dual scalars[TYRE_NSCALAR] = {deflection,           q->load, F[0], F[1], q->kappa, d_atan(d_div(w.V_l, speed)),
                                      d_asin(w.sin_camber), M[2]};
  for (int i = 0; i < TYRE_NSCALAR; i++) { y[TYRE_SCALARS + i] = scalars[i]; }
}

#endif
