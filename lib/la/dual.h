/* Dual numbers: a value and its partial derivatives along DUAL_N directions, computed together through a formula.
 *
 * A long empirical formula (a tyre) is written once over `dual`, in a header. Each source file that includes it first
 * defines DUAL_N, the number of directions of its dual numbers: 0 for values alone, 1 for the derivative along one
 * direction of coefficients, the number of inputs for a Jacobian. The rules are those of calculus, exact to
 * rounding. */
#ifndef MBD_DUAL_H
#define MBD_DUAL_H

#ifndef DUAL_N
#error "define DUAL_N, the number of directions, before including dual.h"
#endif

#include "base/real.h"

enum { DUAL_CAPACITY = DUAL_N > 0 ? DUAL_N : 1 }; /* NOLINT(bugprone-branch-clone) DUAL_N may be 1 */

typedef struct dual {
  mbd_real v, d[DUAL_CAPACITY];
} dual;

static inline dual d_const(mbd_real v) {
  return (dual){.v = v};
}

/* mbd_select of dual numbers */
#if MBD_DESIGNS > 1
static inline dual d_select(mbd_truth c, dual a, dual b) {
  dual r = {.v = mbd_select(c, a.v, b.v)};
  for (int k = 0; k < DUAL_N; k++) { r.d[k] = mbd_select(c, a.d[k], b.d[k]); }
  return r;
}
#else
#define d_select mbd_select
#endif

/* f(a) with f(a.v) = v and slope f_a */
static inline dual d_chain(mbd_real v, mbd_real f_a, dual a) {
  dual r = {.v = v};
  for (int k = 0; k < DUAL_N; k++) { r.d[k] = f_a * a.d[k]; }
  return r;
}

/* f(a, b) with slopes f_a, f_b */
static inline dual d_chain2(mbd_real v, mbd_real f_a, dual a, mbd_real f_b, dual b) {
  dual r = {.v = v};
  for (int k = 0; k < DUAL_N; k++) { r.d[k] = f_a * a.d[k] + f_b * b.d[k]; }
  return r;
}

static inline dual d_add(dual a, dual b) {
  return d_chain2(a.v + b.v, 1, a, 1, b);
}
static inline dual d_sub(dual a, dual b) {
  return d_chain2(a.v - b.v, 1, a, -1, b);
}
static inline dual d_neg(dual a) {
  return d_chain(-a.v, -1, a);
}
static inline dual d_mul(dual a, dual b) {
  return d_chain2(a.v * b.v, b.v, a, a.v, b);
}
static inline dual d_div(dual a, dual b) {
  mbd_real q = a.v / b.v;
  return d_chain2(q, 1 / b.v, a, -q / b.v, b);
}
static inline dual d_scale(mbd_real s, dual a) {
  return d_chain(s * a.v, s, a);
}
static inline dual d_shift(dual a, mbd_real s) {
  a.v += s;
  return a;
}
static inline dual d_square(dual a) {
  return d_chain(a.v * a.v, 2 * a.v, a);
}
static inline dual d_sqrt(dual a) { /* a > 0 */
  mbd_real s = mbd_sqrt(a.v);
  return d_chain(s, 1 / (2 * s), a);
}
static inline dual d_sin(dual a) {
  return d_chain(mbd_sin(a.v), mbd_cos(a.v), a);
}
static inline dual d_cos(dual a) {
  return d_chain(mbd_cos(a.v), -mbd_sin(a.v), a);
}
static inline dual d_atan(dual a) {
  return d_chain(mbd_atan(a.v), 1 / (1 + a.v * a.v), a);
}
static inline dual d_asin(dual a) { /* |a| < 1 */
  mbd_real c = mbd_sqrt(1 - a.v * a.v);
  return d_chain(mbd_atan2(a.v, c), 1 / c, a);
}
static inline dual d_atan2(dual y, dual x) { /* not both 0 */
  mbd_real r2 = x.v * x.v + y.v * y.v;
  return d_chain2(mbd_atan2(y.v, x.v), x.v / r2, y, -y.v / r2, x);
}
static inline dual d_exp(dual a) {
  mbd_real e = mbd_exp(a.v);
  return d_chain(e, e, a);
}

/* a b - c d, in one pass */
static inline dual d_mul_sub(const dual *a, const dual *b, const dual *c, const dual *d) {
  dual r = {.v = a->v * b->v - c->v * d->v};
  for (int k = 0; k < DUAL_N; k++) { r.d[k] = b->v * a->d[k] + a->v * b->d[k] - d->v * c->d[k] - c->v * d->d[k]; }
  return r;
}

/* a0 b0 + a1 b1, in one pass */
static inline dual d_dot2(const dual *a0, const dual *b0, const dual *a1, const dual *b1) {
  dual r = {.v = a0->v * b0->v + a1->v * b1->v};
  for (int k = 0; k < DUAL_N; k++) {
    r.d[k] = b0->v * a0->d[k] + a0->v * b0->d[k] + b1->v * a1->d[k] + a1->v * b1->d[k];
  }
  return r;
}

/* a0 b0 + a1 b1 + a2 b2, in one pass */
static inline dual d_dot3(const dual *a0, const dual *b0, const dual *a1, const dual *b1, const dual *a2,
                          const dual *b2) {
  dual r = {.v = a0->v * b0->v + a1->v * b1->v + a2->v * b2->v};
  for (int k = 0; k < DUAL_N; k++) {
    r.d[k] =
        b0->v * a0->d[k] + a0->v * b0->d[k] + b1->v * a1->d[k] + a1->v * b1->d[k] + b2->v * a2->d[k] + a2->v * b2->d[k];
  }
  return r;
}

/* c = a x b; c must not overlap a or b */
static inline void d3_cross(dual c[3], const dual a[3], const dual b[3]) {
  c[0] = d_mul_sub(&a[1], &b[2], &a[2], &b[1]);
  c[1] = d_mul_sub(&a[2], &b[0], &a[0], &b[2]);
  c[2] = d_mul_sub(&a[0], &b[1], &a[1], &b[0]);
}
static inline dual d3_dot(const dual a[3], const dual b[3]) {
  return d_dot3(&a[0], &b[0], &a[1], &b[1], &a[2], &b[2]);
}
static inline void d3_scale(dual c[3], dual s, const dual a[3]) {
  for (int i = 0; i < 3; i++) { c[i] = d_mul(s, a[i]); }
}
static inline void d3_unit(dual u[3], const dual a[3]) {
  d3_scale(u, d_div(d_const(1), d_sqrt(d3_dot(a, a))), a);
}

#endif
