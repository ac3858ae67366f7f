/* 3-vectors and 3x3 matrices (row-major). Results come first; unless said otherwise they must not overlap inputs. */
#ifndef MBD_V3_H
#define MBD_V3_H

#include "base/real.h"

static inline void v3_set(mbd_real a[3], mbd_real x, mbd_real y, mbd_real z) {
  a[0] = x, a[1] = y, a[2] = z;
}

static inline void v3_copy(mbd_real a[3], const mbd_real b[3]) {
  a[0] = b[0], a[1] = b[1], a[2] = b[2];
}

/* c = a + b,  c may be a or b */
static inline void v3_add(mbd_real c[3], const mbd_real a[3], const mbd_real b[3]) {
  c[0] = a[0] + b[0];
  c[1] = a[1] + b[1];
  c[2] = a[2] + b[2];
}

/* c = a - b,  c may be a or b */
static inline void v3_sub(mbd_real c[3], const mbd_real a[3], const mbd_real b[3]) {
  c[0] = a[0] - b[0];
  c[1] = a[1] - b[1];
  c[2] = a[2] - b[2];
}

/* c = s a,  c may be a */
static inline void v3_scale(mbd_real c[3], mbd_real s, const mbd_real a[3]) {
  c[0] = s * a[0];
  c[1] = s * a[1];
  c[2] = s * a[2];
}

/* y += s x */
static inline void v3_axpy(mbd_real y[3], mbd_real s, const mbd_real x[3]) {
  y[0] += s * x[0];
  y[1] += s * x[1];
  y[2] += s * x[2];
}

static inline mbd_real v3_dot(const mbd_real a[3], const mbd_real b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b */
static inline void v3_cross(mbd_real *c, const mbd_real *a, const mbd_real *b) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* c += a x b */
static inline void v3_cross_add(mbd_real *c, const mbd_real *a, const mbd_real *b) {
  c[0] += a[1] * b[2] - a[2] * b[1];
  c[1] += a[2] * b[0] - a[0] * b[2];
  c[2] += a[0] * b[1] - a[1] * b[0];
}

/* c -= a x b */
static inline void v3_cross_sub(mbd_real *c, const mbd_real *a, const mbd_real *b) {
  c[0] -= a[1] * b[2] - a[2] * b[1];
  c[1] -= a[2] * b[0] - a[0] * b[2];
  c[2] -= a[0] * b[1] - a[1] * b[0];
}

static inline void m3_identity(mbd_real A[9]) {
  for (int i = 0; i < 9; i++) { A[i] = i % 4 == 0; }
}

/* C = A B */
static inline void m3_mul(mbd_real *C, const mbd_real *A, const mbd_real *B) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) { C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j]; }
  }
}

/* C = A B' */
static inline void m3_mulT(mbd_real *C, const mbd_real *A, const mbd_real *B) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      C[3 * i + j] = A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
    }
  }
}

/* C = A' B */
static inline void m3_Tmul(mbd_real *C, const mbd_real *A, const mbd_real *B) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) { C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j]; }
  }
}

/* y = A x */
static inline void m3_vec(mbd_real *y, const mbd_real *A, const mbd_real *x) {
  for (int i = 0; i < 3; i++) { y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2]; }
}

/* y += A x */
static inline void m3_vec_add(mbd_real *y, const mbd_real *A, const mbd_real *x) {
  for (int i = 0; i < 3; i++) { y[i] += A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2]; }
}

/* y = A' x */
static inline void m3_Tvec(mbd_real *y, const mbd_real *A, const mbd_real *x) {
  for (int i = 0; i < 3; i++) { y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2]; }
}

/* y += A' x */
static inline void m3_Tvec_add(mbd_real *y, const mbd_real *A, const mbd_real *x) {
  for (int i = 0; i < 3; i++) { y[i] += A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2]; }
}

/* y -= A' x */
static inline void m3_Tvec_sub(mbd_real *y, const mbd_real *A, const mbd_real *x) {
  for (int i = 0; i < 3; i++) { y[i] -= A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2]; }
}

/* R = the shortest rotation of unit vector `from` onto unit vector `to`:
 *   s = from x to,  c = from . to,   R = 1 + s~ + s~ s~ / (1 + c).      Not for opposite vectors (c = -1). */
static inline void m3_align(const mbd_real from[3], const mbd_real to[3], mbd_real R[9]) {
  mbd_real s[3], k = 1 / (1 + v3_dot(from, to));
  v3_cross(s, from, to);
  R[0] = 1 - k * (s[1] * s[1] + s[2] * s[2]), R[1] = -s[2] + k * s[0] * s[1], R[2] = s[1] + k * s[0] * s[2];
  R[3] = s[2] + k * s[0] * s[1], R[4] = 1 - k * (s[0] * s[0] + s[2] * s[2]), R[5] = -s[0] + k * s[1] * s[2];
  R[6] = -s[1] + k * s[0] * s[2], R[7] = s[0] + k * s[1] * s[2], R[8] = 1 - k * (s[0] * s[0] + s[1] * s[1]);
}

#endif
