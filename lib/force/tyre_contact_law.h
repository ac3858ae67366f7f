/* The law of tyre_contact.c in dual numbers (la/dual.h). */
#ifndef MBD_TYRE_CONTACT_LAW_H
#define MBD_TYRE_CONTACT_LAW_H

#include "force/tyre_laws.h"
#include "force/wheel_on_road.h"

/* The slip velocity V_t, V_l in the plane of the road by which the forces are: that of the transient slips. */
static void contact_transient(const law_input *at, dual v0, wheel_touch *touch, dual *y) {
  const dual speed = d_sqrt(d_add(d_square(touch->v_t), d_square(v0)));
  dual slip = d_neg(d_div(touch->V_t, speed)), side_slip = d_div(touch->V_l, speed);
  wheel_transient(at, 0, speed, law_coef(at, CONTACT_RELAXATION), &slip, y);
  wheel_transient(at, 1, speed, law_coef(at, CONTACT_RELAXATION_SIDE), &side_slip, y);
  touch->V_t = d_neg(d_mul(speed, slip)), touch->V_l = d_mul(speed, side_slip);
}

static void contact_results(const law_input *at, int nresult, dual y[TYRE_TRANSIENT_RESULTS]) {
  wheel_touch q;
  wheel_on_road(at, &q);
  const dual R = law_coef(at, CONTACT_RADIUS), k = law_coef(at, CONTACT_STIFFNESS), c = law_coef(at, CONTACT_DAMPING);
  const dual touchdown = law_coef(at, CONTACT_TOUCHDOWN), friction = law_coef(at, CONTACT_FRICTION);
  const dual v0 = law_coef(at, CONTACT_SLIP_SPEED), s0 = law_coef(at, CONTACT_SLIP_RATIO);
  const dual rolling = law_coef(at, CONTACT_ROLLING_RESISTANCE);

  /* load */
  dual deflection;
  const dual load = wheel_load(&q, R, k, c, touchdown, &deflection);

  /* friction: mu N V/sqrt(V^2 + V_r^2) against the slip velocity */
  const dual V_t = q.V_t;
  if (at->in->variant) { contact_transient(at, v0, &q, y); }
  const dual V_r2 = d_add(d_square(v0), d_square(d_mul(s0, q.v_t)));
  const dual V2 = d_add(d_add(d_square(q.V_t), d_square(q.V_l)), V_r2);
  const dual factor = d_neg(d_div(d_mul(friction, load), d_sqrt(V2)));
  const dual F[3] = {d_mul(factor, q.V_t), d_mul(factor, q.V_l), load};

  /* rolling resistance: a moment f_r N R_l about the axis, against the spin */
  const dual w0 = d_div(v0, R), spin2 = d_add(d_square(q.spin), d_square(w0));
  const dual brake = d_neg(d_div(d_mul(d_mul(rolling, load), d_mul(q.R_l, q.spin)), d_sqrt(spin2)));
  wheel_results(&q, F, NULL, y);
  for (int i = 0; i < 3; i++) { y[TYRE_MOMENT + i] = d_add(y[TYRE_MOMENT + i], d_mul(brake, q.axis[i])); }
  if (nresult <= TYRE_SCALARS) { return; }

  const dual forward = d_sqrt(d_add(d_square(q.v_t), d_square(v0)));
  const dual scalars[TYRE_NSCALAR] = {
      deflection,           load,  F[0],       F[1],      d_neg(d_div(V_t, forward)), d_atan(d_div(q.v_l, forward)),
      d_asin(q.sin_camber), brake, d_const(0), d_const(0)};
  for (int i = 0; i < TYRE_NSCALAR; i++) { y[TYRE_SCALARS + i] = scalars[i]; }
}

#endif
