/* Kinematics of a wheel on a road, in dual numbers (la/dual.h).
 *
 * The road under the centre c is replaced by its tangent plane there, with normal n = (-h', 0, 1)/|.|:
 *   t = u x n/|.| forward, l = n x t to the left, e = t x u from the contact to the centre, in the plane of the wheel
 *   loaded radius  R_l = (c - P0).n/(e.n),  P0 = (c_x, c_y, h)
 *   contact point  p = c - R_l e,  velocity there of the wheel's material  V = v + w x (p - c)
 * V.t is the slip velocity along t, V.l across, -V.n the rate of deflection; sin(camber) = u.n (top leans to the
 * right: positive, as in ISO 8855). */
#ifndef MBD_WHEEL_ON_ROAD_H
#define MBD_WHEEL_ON_ROAD_H

#include "force/law.h"
#include "force/tyre.h"

typedef struct wheel_touch {
  dual x[TYRE_INPUTS];
  dual n[3], t[3], l[3], e[3]; /* contact frame, and the direction from the contact to the centre */
  dual axis[3];                /* unit spin axis */
  dual R_l;                    /* loaded radius: distance of centre and contact point */
  dual sin_camber;             /* u . n */
  dual V_t, V_l, V_n;          /* velocity of the wheel's material at the contact point, in the contact frame */
  dual v_t, v_l;               /* velocity of the centre, forward and to the left */
  dual spin;                   /* w . u */
} wheel_touch;

/* Inputs with their seeds: unit directions for a Jacobian; none for a direction of coefficients. */
static void wheel_inputs(const mbd_element_input *in, dual x[TYRE_INPUTS]) {
  mbd_real v[TYRE_INPUTS];
  tyre_inputs(in, v);
  for (int i = 0; i < TYRE_INPUTS; i++) {
    x[i] = d_const(v[i]);
    if (DUAL_N >= TYRE_INPUTS) { x[i].d[i % DUAL_CAPACITY] = 1; }
  }
}

/* (-h', 0, 1)/sqrt(1 + h'^2) */
static inline void road_normal(dual slope, dual n[3]) {
  const mbd_real h = slope.v, r = mbd_sqrt(1 + h * h), r3 = r * r * r;
  n[0] = d_chain(-h / r, -1 / r3, slope);
  n[1] = d_const(0);
  n[2] = d_chain(1 / r, -h / r3, slope);
}

/* a . n, n_y = 0 */
static inline dual along_normal(const wheel_touch *touch, const dual a[3]) {
  return d_dot2(&a[0], &touch->n[0], &a[2], &touch->n[2]);
}

static void wheel_on_road(const law_input *at, wheel_touch *touch) {
  wheel_inputs(at->in, touch->x);
  const dual *c = touch->x + TYRE_CENTRE, *v = touch->x + TYRE_VELOCITY, *w = touch->x + TYRE_SPIN;
  dual slope, u[3], V[3], forward[3], arm[3];
  const dual height = law_curve(at, TYRE_ROAD, c[0], &slope);
  const dual *n = touch->n, *t = touch->t;
  road_normal(slope, touch->n);
  d3_unit(u, touch->x + TYRE_AXIS);
  for (int i = 0; i < 3; i++) { touch->axis[i] = u[i]; }
  forward[0] = d_mul(u[1], n[2]); /* u x n, n_y = 0 */
  forward[1] = d_mul_sub(&u[2], &n[0], &u[0], &n[2]);
  forward[2] = d_neg(d_mul(u[1], n[0]));
  d3_unit(touch->t, forward);
  touch->l[0] = d_neg(d_mul(n[2], t[1])); /* n x t */
  touch->l[1] = d_mul_sub(&n[2], &t[0], &n[0], &t[2]);
  touch->l[2] = d_mul(n[0], t[1]);
  d3_cross(touch->e, touch->t, u);
  touch->R_l = d_div(d_mul(d_sub(c[2], height), n[2]), along_normal(touch, touch->e));
  touch->sin_camber = along_normal(touch, u);
  d3_scale(arm, d_neg(touch->R_l), touch->e);
  d3_cross(V, w, arm);
  for (int i = 0; i < 3; i++) { V[i] = d_add(V[i], v[i]); }
  touch->V_t = d3_dot(V, touch->t), touch->V_l = d3_dot(V, touch->l), touch->V_n = along_normal(touch, V);
  touch->v_t = d3_dot(v, touch->t), touch->v_l = d3_dot(v, touch->l);
  touch->spin = d3_dot(w, u);
}

/* Force and moment at the centre from those at the contact point, F and M (NULL: none) in the contact frame (t, l, n). */
static void wheel_results(const wheel_touch *touch, const dual F[3], const dual *M, dual y[TYRE_SCALARS]) {
  dual arm[3], turn[3];
  for (int i = 0; i < 3; i++) {
    y[TYRE_FORCE + i] = d_dot3(&F[0], &touch->t[i], &F[1], &touch->l[i], &F[2], &touch->n[i]);
  }
  d3_scale(arm, d_neg(touch->R_l), touch->e);
  d3_cross(turn, arm, y + TYRE_FORCE);
  for (int i = 0; i < 3; i++) {
    y[TYRE_MOMENT + i] = turn[i];
    if (!M) { continue; }
    y[TYRE_MOMENT + i] = d_add(turn[i], d_dot3(&M[0], &touch->t[i], &M[1], &touch->l[i], &M[2], &touch->n[i]));
  }
}

/* Slip k of the forces. Of a tyre that has a state for it the state takes the place of *slip, that of the motion, and its rate is a result:
 *   speed (slip - x)/length                                                                    theory.md §4.3 (4.20) */
static void wheel_transient(const law_input *at, int k, dual speed, dual length, dual *slip, dual *y) {
  const int state = tyre_argument(at->in, k);
  if (state < 0) {
    y[TYRE_RATES + k] = d_const(0);
    return;
  }
  dual x = d_const(at->in->s->xd[state][0]);
  if (DUAL_N == TYRE_TRANSIENT_INPUTS) { x.d[(TYRE_TRANSIENT + k) % DUAL_CAPACITY] = 1; }
  y[TYRE_RATES + k] = d_div(d_mul(speed, d_sub(*slip, x)), length);
  *slip = x;
}

/* Smooth positive part: 0 below 0, x above `width`, between them a polynomial with continuous second derivative:
 *   x = width s:  width (6 s^3 - 8 s^4 + 3 s^5) */
static dual touch_between(dual x, dual width) {
  dual s = d_div(x, width), s3 = d_mul(s, d_square(s));
  dual p = d_add(d_shift(d_scale(-8, s), 6), d_scale(3, d_square(s)));
  return d_mul(width, d_mul(s3, p));
}
static dual touch_onset(dual x, dual width) {
  return d_select(mbd_re(x.v) <= 0, d_const(0), d_select(mbd_re(x.v) >= mbd_re(width.v), x, touch_between(x, width)));
}

/* Smooth step from 0 to 1 over [0, width], continuous second derivative: 10 s^3 - 15 s^4 + 6 s^5 */
static dual touch_fading(dual s) {
  return d_mul(d_mul(s, d_square(s)), d_add(d_shift(d_scale(-15, s), 10), d_scale(6, d_square(s))));
}
static dual touch_fade(dual x, dual width) {
  return d_select(mbd_re(x.v) <= 0, d_const(0),
                  d_select(mbd_re(x.v) >= mbd_re(width.v), d_const(1), touch_fading(d_div(x, width))));
}

/* Load of a radial spring-damper with smooth touchdown, that does not pull:
 *   N = [ k [e]_d + c s(e/d) ed ]_{k d},   e = R - R_l     [.]_d: touch_onset, s: touch_fade, d: touchdown depth */
static dual wheel_load(const wheel_touch *touch, dual R, dual k, dual c, dual touchdown, dual *deflection) {
  *deflection = d_sub(R, touch->R_l);
  const dual spring = d_mul(k, touch_onset(*deflection, touchdown));
  const dual damper = d_neg(d_mul(d_mul(c, touch_fade(*deflection, touchdown)), touch->V_n));
  return touch_onset(d_add(spring, damper), d_mul(k, touchdown));
}

#endif
