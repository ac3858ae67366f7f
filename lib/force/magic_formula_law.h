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
  dual kappa, alpha, gamma; /* of the forces; mirrored where side = -1 */
  dual slip;                /* that of the motion, of which kappa is the transient slip */
  dual rolls;               /* 1 for a wheel that rolls, 0 at rest: shifts need rolling */
  dual mu_x, K_x;           /* friction, slip stiffness/Fz */
  dual mu_y, K_y, B_y, C_y; /* friction, cornering stiffness/Fz, slope, shape */
  dual SH_y, SV_y;          /* shifts: angle, force/Fz */
  dual fx, fy;              /* Fx/Fz, Fy/Fz */
  dual fy_slip;             /* part of fy from the slip angle: without SVyk */
} mf_state;

/* Coefficient k (magic_formula_coefs.h). */
static dual mf(const mf_state *state, int k) {
  return law_coef(state->at, k);
}

/* ---- pieces ---- */

static dual mf_linear(dual a, dual b, dual x) { /* a + b x */
  return d_add(a, d_mul(b, x));
}
static dual mf_quadratic(dual a, dual b, dual c, dual x) { /* a + b x + c x^2 */
  return d_add(a, d_mul(mf_linear(b, c, x), x));
}

/* x up to `top`, then levelling off to top + band; continuous second derivative. */
static dual mf_at_most(dual x, dual top, dual band) {
  const dual end = d_add(top, band);
  return d_select(mbd_re(x.v) <= mbd_re(top.v), x, d_sub(end, touch_onset(d_sub(end, x), band)));
}

/* x from 2 floor on; below that levelling off to floor; continuous second derivative. */
static dual mf_at_least(dual x, dual floor) {
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
  return mf_at_most(E, d_const(0.9), d_const(0.1));
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
static dual mf_friction(const mf_state *state, dual p1, dual p2, dual p3, dual g, dual l) {
  const dual camber = d_shift(d_neg(d_mul(p3, d_square(g))), 1);
  const dual mu = mf_at_least(d_mul(mf_linear(p1, p2, state->dfz), camber), d_scale(0.1, p1));
  return d_mul(d_mul(mf(state, LMU), l), mu);
}

/* ---- slips ---- */

/* sigma_kappa = Fz (ptx1 + ptx2 dfz) exp(ptx3 dfz) R0/Fz0 lsgkp,  sigma_alpha = pty1 sin(2 atan(r)) (1 - pky3 |gamma|) R0 lfzo lsgal,
 * r = Fz/(pty2 Fz0), with sin(2 atan(r)) = 2 r/(1 + r^2); times relaxation_scale. They stay above a tenth of ptx1 R0, of pty1 R0, and 1 mm. */
static dual mf_relaxation_length(const mf_state *state) {
  const dual f = state->dfz, radius = mf(state, R0);
  const dual by_load = d_mul(mf_linear(mf(state, PTX1), mf(state, PTX2), f), d_exp(d_mul(mf(state, PTX3), f)));
  const dual length = d_mul(d_mul(state->z, by_load), d_mul(radius, mf(state, LSGKP)));
  const dual floor = d_shift(d_scale(0.1, d_mul(mf(state, PTX1), radius)), 1e-3);
  return d_add(mf(state, RELAXATION), d_mul(mf(state, RELAXATION_SCALE), mf_at_least(length, floor)));
}
static dual mf_relaxation_length_side(const mf_state *state) {
  const dual radius = mf(state, R0), size = mf_abs(state->gamma, d_const(MF_CAMBER_SMALL));
  const dual r = d_div(state->z, d_mul(mf(state, PTY2), mf(state, LFZO)));
  const dual by_load = d_div(d_scale(2, r), d_shift(d_square(r), 1));
  const dual tilt = d_shift(d_neg(d_mul(mf(state, PKY3), size)), 1);
  const dual nominal = d_mul(d_mul(mf(state, PTY1), radius), d_mul(mf(state, LFZO), mf(state, LSGAL)));
  const dual length = d_mul(nominal, d_mul(by_load, tilt)),
             floor = d_shift(d_scale(0.1, d_mul(mf(state, PTY1), radius)), 1e-3);
  return d_add(mf(state, RELAXATION_SIDE), d_mul(mf(state, RELAXATION_SCALE), mf_at_least(length, floor)));
}

/* Re = R0 - (Fz0/Cz) (D atan(B r) + F r),  r = e Cz/Fz0;  s = sqrt(vx^2 + vlow^2)
 * kappa = -(vx - Re w)/s,  alpha = atan(vy/s),  gamma = asin(u.n)     s: speed, Re: radius; kappa and vy/s may be transient slips */
static void mf_slips(mf_state *state, const wheel_touch *w, dual deflection, dual *speed, dual *radius, dual *y) {
  const dual depth = d_div(mf(state, FNOMIN), mf(state, CZ)),
             r = d_div(touch_onset(deflection, mf(state, TOUCHDOWN)), depth);
  const dual less = d_add(d_mul(mf(state, DREFF), d_atan(d_mul(mf(state, BREFF), r))), d_mul(mf(state, FREFF), r));
  *radius = d_sub(mf(state, R0), d_mul(depth, less));
  *speed = d_sqrt(d_add(d_square(w->v_t), d_square(mf(state, VXLOW))));
  dual side_slip = d_div(w->V_l, *speed);
  state->kappa = state->slip = d_div(d_sub(d_mul(*radius, w->spin), w->v_t), *speed);
  state->gamma = d_mul(mf(state, SIDE), d_asin(w->sin_camber));
  if (state->at->in->variant) {
    wheel_transient(state->at, 0, *speed, mf_relaxation_length(state), &state->kappa, y);
    wheel_transient(state->at, 1, *speed, mf_relaxation_length_side(state), &side_slip, y);
  }
  state->alpha = d_mul(mf(state, SIDE), d_atan(side_slip));
  state->rolls = d_square(mf_sign(w->v_t, mf(state, VXLOW)));
}

/* ---- forces ---- */

/* Fx/Fz = mu sin(phase) + SV at kappa + SH */
static dual mf_longitudinal(mf_state *state) {
  const dual f = state->dfz, g = d_mul(state->gamma, mf(state, LGAX)), C = d_mul(mf(state, PCX1), mf(state, LCX));
  const dual SH = d_mul(d_mul(mf_linear(mf(state, PHX1), mf(state, PHX2), f), mf(state, LHX)), state->rolls),
             x = d_add(state->kappa, SH);
  state->mu_x = mf_friction(state, mf(state, PDX1), mf(state, PDX2), mf(state, PDX3), g, mf(state, LMUX));
  state->K_x =
      d_mul(d_mul(mf_linear(mf(state, PKX1), mf(state, PKX2), f), d_exp(d_mul(mf(state, PKX3), f))), mf(state, LKX));
  const dual SV = d_mul(d_mul(mf_linear(mf(state, PVX1), mf(state, PVX2), f), mf(state, LVX)),
                        d_mul(mf(state, LMUX), mf(state, LMU)));
  const mbd_value sign =
      mbd_select(mbd_re(x.v) > 0, 1, mbd_select(mbd_re(x.v) < 0, -1, 0)); /* jumps where E acts on x^3 only */
  const dual turn = d_shift(d_scale(-sign, mf(state, PEX4)), 1);
  const dual E = mf_curvature(
      d_mul(d_mul(mf_quadratic(mf(state, PEX1), mf(state, PEX2), mf(state, PEX3), f), turn), mf(state, LEX)));
  return d_add(mf_sine(d_div(state->K_x, d_mul(C, state->mu_x)), C, state->mu_x, E, x), d_mul(SV, state->rolls));
}

/* Fy/Fz = mu sin(phase) + SV at alpha + SH.  Ky/Fz0 = pky1 sin(2 atan(r)), r = Fz/(pky2 Fz0): here 2 r/(1 + r^2) */
static dual mf_lateral(mf_state *state) {
  const dual f = state->dfz, g = d_mul(state->gamma, mf(state, LGAY)), size = mf_abs(g, d_const(MF_CAMBER_SMALL));
  const dual r = d_div(state->z, d_mul(mf(state, PKY2), mf(state, LFZO))),
             scale = d_mul(mf(state, LMUY), mf(state, LMU));
  const dual stiff = d_div(d_scale(2, mf(state, PKY1)), d_mul(mf(state, PKY2), d_shift(d_square(r), 1)));
  const dual tilt = d_shift(d_neg(d_mul(mf(state, PKY3), size)), 1);
  state->C_y = d_mul(mf(state, PCY1), mf(state, LCY));
  state->mu_y = mf_friction(state, mf(state, PDY1), mf(state, PDY2), mf(state, PDY3), g, mf(state, LMUY));
  state->K_y = d_mul(d_mul(stiff, mf(state, LKY)), mf_at_least(tilt, d_const(0.1)));
  state->B_y = d_div(state->K_y, d_mul(state->C_y, state->mu_y));
  const dual angle = d_mul(mf_linear(mf(state, PHY1), mf(state, PHY2), f), mf(state, LHY));
  const dual force = d_mul(mf_linear(mf(state, PVY1), mf(state, PVY2), f), mf(state, LVY));
  state->SH_y = d_mul(mf_linear(angle, mf(state, PHY3), g), state->rolls);
  state->SV_y = d_mul(d_mul(mf_linear(force, mf_linear(mf(state, PVY3), mf(state, PVY4), f), g), scale), state->rolls);
  const dual x = d_add(state->alpha, state->SH_y);
  const mbd_value sign = mbd_select(mbd_re(x.v) > 0, 1, mbd_select(mbd_re(x.v) < 0, -1, 0));
  const dual turn = d_shift(d_scale(-sign, mf_linear(mf(state, PEY3), mf(state, PEY4), g)), 1);
  const dual E = mf_curvature(d_mul(d_mul(mf_linear(mf(state, PEY1), mf(state, PEY2), f), turn), mf(state, LEY)));
  return d_add(mf_sine(state->B_y, state->C_y, state->mu_y, E, x), state->SV_y);
}

/* Fx = Gxa Fx0, Fy = Gyk Fy0 + SVyk; cos(atan(x)) = 1/sqrt(1 + x^2) */
static void mf_combined(mf_state *state) {
  const dual f = state->dfz, one = d_const(1);
  const dual fx0 = mf_longitudinal(state), fy0 = mf_lateral(state);
  const dual B_x = d_div(d_mul(mf(state, RBX1), mf(state, LXAL)),
                         d_sqrt(d_add(one, d_square(d_mul(mf(state, RBX2), state->kappa)))));
  const dual E_x = mf_curvature(mf_linear(mf(state, REX1), mf(state, REX2), f));
  state->fx = d_mul(fx0, mf_weight(B_x, mf(state, RCX1), E_x, state->alpha, mf(state, RHX1)));

  const dual turn = d_mul(mf(state, RBY2), d_sub(state->alpha, mf(state, RBY3)));
  const dual B_y = d_div(d_mul(mf(state, RBY1), mf(state, LYKA)), d_sqrt(d_add(one, d_square(turn))));
  const dual E_y = mf_curvature(mf_linear(mf(state, REY1), mf(state, REY2), f));
  state->fy_slip =
      d_mul(fy0, mf_weight(B_y, mf(state, RCY1), E_y, state->kappa, mf_linear(mf(state, RHY1), mf(state, RHY2), f)));

  const dual size =
      d_mul(state->mu_y, d_add(mf_linear(mf(state, RVY1), mf(state, RVY2), f), d_mul(mf(state, RVY3), state->gamma)));
  const dual D = d_div(size, d_sqrt(d_add(one, d_square(d_mul(mf(state, RVY4), state->alpha)))));
  const dual SV =
      d_mul(d_mul(D, d_sin(d_mul(mf(state, RVY5), d_atan(d_mul(mf(state, RVY6), state->kappa))))), mf(state, LVYKA));
  state->fy = d_add(state->fy_slip, SV);
}

/* ---- moments ---- */

/* Equivalent slip angle of both slips, atan(sqrt(tan(a)^2 + (Kx/Ky)^2 kappa^2)), without a sign, because the functions
 * of it are even. The formula is valid beyond 90 degrees; the 1e-10 rad in the root keep it differentiable where both
 * are 0. */
static dual mf_both_slips(dual alpha, dual even) {
  const dual c = d_cos(alpha), across = d_square(d_sin(alpha)), along = d_mul(even, d_square(c));
  return d_atan2(d_sqrt(d_shift(d_add(across, along), 1e-20)), c);
}

/* Mz/Fz = -t Fy' + Mr + s Fx, with t and Mr along the direction of travel: they change sign for a wheel that rolls
 * backwards and are zero at rest. */
static dual mf_aligning(const mf_state *state, dual travel) {
  const dual f = state->dfz, g = d_mul(state->gamma, mf(state, LGAZ)), size = mf_abs(g, d_const(MF_CAMBER_SMALL));
  const dual even = d_square(d_mul(d_div(state->K_x, state->K_y), state->kappa));
  const dual scale = d_div(mf(state, LKY), d_mul(mf(state, LMUY), mf(state, LMU))),
             cosine = d_mul(d_cos(state->alpha), travel);
  /* pneumatic trail */
  const dual SH =
      mf_linear(mf_linear(mf(state, QHZ1), mf(state, QHZ2), f), mf_linear(mf(state, QHZ3), mf(state, QHZ4), f), g);
  const dual a_t = d_add(state->alpha, SH), one = d_const(1);
  const dual tilt = d_add(one, d_add(d_mul(mf(state, QBZ4), g), d_mul(mf(state, QBZ5), size)));
  const dual B = d_mul(d_mul(mf_quadratic(mf(state, QBZ1), mf(state, QBZ2), mf(state, QBZ3), f), tilt), scale),
             C = mf(state, QCZ1);
  const dual lean = mf_quadratic(one, mf(state, QDZ3), mf(state, QDZ4), g);
  const dual D = d_mul(d_mul(d_mul(state->z, mf_linear(mf(state, QDZ1), mf(state, QDZ2), f)), lean),
                       d_mul(mf(state, R0), mf(state, LTR)));
  const dual turn =
      d_scale(MF_2_PI, d_mul(mf_linear(mf(state, QEZ4), mf(state, QEZ5), g), d_atan(d_mul(d_mul(B, C), a_t))));
  const dual E =
      mf_curvature(d_mul(mf_quadratic(mf(state, QEZ1), mf(state, QEZ2), mf(state, QEZ3), f), d_shift(turn, 1)));
  const dual t = d_mul(D, d_cos(mf_phase(B, C, E, mf_both_slips(a_t, even))));
  /* residual moment */
  const dual a_r = d_add(state->alpha, d_add(state->SH_y, d_div(state->SV_y, state->K_y)));
  const dual B_r = d_add(d_mul(mf(state, QBZ9), scale), d_mul(mf(state, QBZ10), d_mul(state->B_y, state->C_y)));
  const dual level = d_mul(mf_linear(mf(state, QDZ6), mf(state, QDZ7), f), mf(state, LRES));
  const dual leaning = mf_linear(level, mf_linear(mf(state, QDZ8), mf(state, QDZ9), f), g);
  const dual D_r = d_mul(d_mul(leaning, mf(state, R0)), d_mul(mf(state, LMUY), mf(state, LMU)));
  const dual M_r = d_div(D_r, d_sqrt(d_add(one, d_square(d_mul(B_r, mf_both_slips(a_r, even))))));
  /* arm of Fx */
  const dual lateral = mf_linear(mf(state, SSZ1), mf(state, SSZ2), d_mul(state->z, state->fy));
  const dual arm = d_mul(mf_linear(lateral, mf_linear(mf(state, SSZ3), mf(state, SSZ4), f), state->gamma),
                         d_mul(mf(state, R0), mf(state, LS)));
  return d_add(d_mul(d_sub(M_r, d_mul(t, state->fy_slip)), cosine), d_mul(arm, state->fx));
}

/* Mx/Fz = R0 (qsx1 + (qsx3 Fy/Fz0 - qsx2 gamma)) */
static dual mf_overturning(const mf_state *state) {
  const dual bend = d_sub(d_mul(mf(state, QSX3), d_mul(state->z, state->fy)), d_mul(mf(state, QSX2), state->gamma));
  return d_mul(mf(state, R0), d_add(d_mul(mf(state, QSX1), mf(state, LVMX)), d_mul(bend, mf(state, LMX))));
}

/* My/Fz = -R0 (qsy1 + qsy2 Fx/Fz0 + qsy3 |vx/vref| + qsy4 (vx/vref)^4), against the sense of rotation */
static dual mf_rolling(const mf_state *state, const wheel_touch *w, dual radius) {
  const dual v = d_div(w->v_t, mf(state, LONGVL)), low = d_div(mf(state, VXLOW), mf(state, LONGVL));
  const dual flat = mf_linear(mf(state, QSY1), mf(state, QSY2), d_mul(state->z, state->fx));
  const dual fast = d_add(d_mul(mf(state, QSY3), mf_abs(v, low)), d_mul(mf(state, QSY4), d_square(d_square(v))));
  const dual sense = mf_sign(d_mul(radius, w->spin), mf(state, VXLOW));
  return d_neg(d_mul(d_mul(d_add(flat, fast), sense), d_mul(mf(state, R0), mf(state, LMY))));
}

static void magic_results(const law_input *at, int nresult, dual y[TYRE_TRANSIENT_RESULTS]) {
  mf_state state = {.at = at}, *q = &state;
  wheel_touch w;
  dual deflection, speed, radius;
  wheel_on_road(at, &w);
  q->load = wheel_load(&w, mf(q, R0), mf(q, CZ), mf(q, DAMPING), mf(q, TOUCHDOWN), &deflection);
  q->z = d_div(mf_at_most(q->load, mf(q, FZMAX), d_scale(0.2, mf(q, FZMAX))), mf(q, FNOMIN));
  q->dfz = d_shift(d_div(q->z, mf(q, LFZO)), -1);
  mf_slips(q, &w, deflection, &speed, &radius, y);
  mf_combined(q);

  const dual travel = mf_sign(w.v_t, mf(q, VXLOW)), sided = d_mul(mf(q, SIDE), q->load);
  const dual F[3] = {d_mul(q->load, q->fx), d_mul(sided, q->fy), q->load};
  const dual M[3] = {d_mul(sided, mf_overturning(q)), d_mul(q->load, mf_rolling(q, &w, radius)),
                     d_mul(sided, mf_aligning(q, travel))};
  wheel_results(&w, F, M, y);
  if (nresult <= TYRE_SCALARS) { return; }
  const dual scalars[TYRE_NSCALAR] = {deflection,           q->load, F[0], F[1], q->slip, d_atan(d_div(w.V_l, speed)),
                                      d_asin(w.sin_camber), M[1],    M[0], M[2]};
  for (int i = 0; i < TYRE_NSCALAR; i++) { y[TYRE_SCALARS + i] = scalars[i]; }
}

#endif
