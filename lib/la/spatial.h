/* Spatial vectors: six numbers for the motion of a rigid body, six for the forces on it.
 *
 *   motion  V = [ v ; w ]   velocity of the body at a reference point, angular velocity
 *   wrench  F = [ f ; n ]   force, moment about the reference point
 *
 * All vectors of one expression belong to one reference point and the global axes. s = (new point) - (old point). */
#ifndef MBD_SPATIAL_H
#define MBD_SPATIAL_H

#include "base/v3.h"

/* c = a x b, both motions:  [ wa x vb + va x wb ; wa x wb ].  c must not overlap a or b. */
static inline void sv_cross(mbd_real c[6], const mbd_real a[6], const mbd_real b[6]) {
  v3_cross(c, a + 3, b);
  v3_cross_add(c, a, b + 3);
  v3_cross(c + 3, a + 3, b + 3);
}

/* c += a x b */
static inline void sv_cross_add(mbd_real c[6], const mbd_real a[6], const mbd_real b[6]) {
  v3_cross_add(c, a + 3, b);
  v3_cross_add(c, a, b + 3);
  v3_cross_add(c + 3, a + 3, b + 3);
}

/* c -= a x b */
static inline void sv_cross_sub(mbd_real c[6], const mbd_real a[6], const mbd_real b[6]) {
  v3_cross_sub(c, a + 3, b);
  v3_cross_sub(c, a, b + 3);
  v3_cross_sub(c + 3, a + 3, b + 3);
}

/* c += a x* F, a motion and F wrench:  [ wa x f ; wa x n + va x f ] */
static inline void sv_cross_wrench_add(mbd_real c[6], const mbd_real a[6], const mbd_real F[6]) {
  v3_cross_add(c, a + 3, F);
  v3_cross_add(c + 3, a + 3, F + 3);
  v3_cross_add(c + 3, a, F);
}

static inline void sv_zero(mbd_real a[6]) {
  for (int k = 0; k < 6; k++) { a[k] = 0; }
}

static inline void sv_copy(mbd_real a[6], const mbd_real b[6]) {
  for (int k = 0; k < 6; k++) { a[k] = b[k]; }
}

static inline void sv_add(mbd_real a[6], const mbd_real b[6]) {
  for (int k = 0; k < 6; k++) { a[k] += b[k]; }
}

/* a += s b */
static inline void sv_axpy(mbd_real a[6], mbd_real s, const mbd_real b[6]) {
  for (int k = 0; k < 6; k++) { a[k] += s * b[k]; }
}

/* Power of wrench F on motion V (no conjugation). */
static inline mbd_real sv_dot(const mbd_real V[6], const mbd_real F[6]) {
  return V[0] * F[0] + V[1] * F[1] + V[2] * F[2] + V[3] * F[3] + V[4] * F[4] + V[5] * F[5];
}

/* Motion at the point displaced by s:  v + w x s, w.  out may be V. */
static inline void sv_shift_motion(mbd_real out[6], const mbd_real V[6], const mbd_real s[3]) {
  mbd_real w[3] = {V[3], V[4], V[5]};
  mbd_real v[3] = {V[0], V[1], V[2]};
  v3_cross_add(v, w, s);
  v3_copy(out, v);
  v3_copy(out + 3, w);
}

/* c += F, a wrench given at a point displaced by s from the point of c:  f, n + s x f. */
static inline void sv_add_wrench_from(mbd_real c[6], const mbd_real F[6], const mbd_real s[3]) {
  sv_add(c, F);
  v3_cross_add(c + 3, s, F);
}

/* Inertia of a rigid body, or of several bodies that do not move relative to each other, at a reference point. */
typedef struct mbd_inertia {
  mbd_real m;    /* mass [kg] */
  mbd_real h[3]; /* first moment: mass * (centre of mass - reference point) [kg m] */
  mbd_real J[9]; /* moment of inertia about the reference point [kg m^2], symmetric */
} mbd_inertia;

/* J = A J_G A', J_G as xx yy zz xy xz yz */
static inline void m3_turn_inertia(mbd_real J[9], const mbd_real A[9], const mbd_real own[6]) {
  const mbd_real JG[9] = {own[0], own[3], own[4], own[3], own[1], own[5], own[4], own[5], own[2]};
  mbd_real AJ[9];
  m3_mul(AJ, A, JG);
  for (int i = 0; i < 3; i++) {
    for (int k = i; k < 3; k++) { J[3 * i + k] = J[3 * k + i] = v3_dot(AJ + 3 * i, A + 3 * k); }
  }
}

/* F = I V:  f = m v + w x h,  n = h x v + J w */
static inline void sv_inertia_mul(mbd_real F[6], const mbd_inertia *in, const mbd_real V[6]) {
  for (int k = 0; k < 3; k++) { F[k] = in->m * V[k]; }
  v3_cross_add(F, V + 3, in->h);
  m3_vec(F + 3, in->J, V + 3);
  v3_cross_add(F + 3, in->h, V);
}

/* c += d, both at one point. */
static inline void sv_inertia_add(mbd_inertia *c, const mbd_inertia *d) {
  c->m += d->m;
  for (int k = 0; k < 3; k++) { c->h[k] += d->h[k]; }
  for (int k = 0; k < 9; k++) { c->J[k] += d->J[k]; }
}

/* c += d, an inertia given at a point displaced by s from the point of c:
 *   h' = h + m s,   J' = J + (2 h.s + m s.s) 1 - (h s' + s h') - m s s' */
static inline void sv_inertia_add_from(mbd_inertia *c, const mbd_inertia *d, const mbd_real s[3]) {
  mbd_real diag = 2 * v3_dot(d->h, s) + d->m * v3_dot(s, s);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      c->J[3 * i + j] += d->J[3 * i + j] - (d->h[i] * s[j] + s[i] * d->h[j]) - d->m * s[i] * s[j];
    }
    c->J[4 * i] += diag;
    c->h[i] += d->h[i] + d->m * s[i];
  }
  c->m += d->m;
}

#endif
