/* Operations on MBD_LANES numbers at once: several right-hand sides or directions, stored as a structure of arrays. */
#ifndef MBD_LANES_H
#define MBD_LANES_H

#include "base/real.h"

enum { MBD_LANES = 4 };
typedef struct mbd_lane {
  mbd_real v[MBD_LANES];
} mbd_lane;

/* Vectors, one for each lane. */
typedef struct mbd_lanes3 {
  mbd_lane v[3];
} mbd_lanes3;

/* gcc unrolls a loop over MBD_LANES numbers before it vectorizes; two operations on pairs take half as many instructions. clang finds
 * them by itself. */
#if defined(__GNUC__) && !defined(__clang__)
#define MBD_IN_PAIRS _Pragma("GCC unroll 1")
#else
#define MBD_IN_PAIRS
#endif

/* y += f x */
static inline void mbd_axpy_lanes(mbd_real f, const mbd_real *restrict x, mbd_real *restrict y) {
  MBD_IN_PAIRS
  for (int r = 0; r < MBD_LANES; r++) { y[r] += f * x[r]; }
}

static inline void lane_axpy(mbd_real f, const mbd_lane *restrict x, mbd_lane *restrict y) {
  mbd_axpy_lanes(f, x->v, y->v);
}

/* y [n] += f x [n] of lanes */
static inline void lanes_axpy(int n, mbd_real f, const mbd_lane *restrict x, mbd_lane *restrict y) {
  for (int i = 0; i < n; i++) { mbd_axpy_lanes(f, x[i].v, y[i].v); }
}

static inline void lanes_zero(int n, mbd_lane *x) {
  for (int i = 0; i < n; i++) {
    for (int r = 0; r < MBD_LANES; r++) { x[i].v[r] = 0; }
  }
}

/* c += f a x s, with one vector s [3] for all lanes. c must not overlap a. */
static inline void lanes_cross_add(mbd_lane *restrict c, mbd_real f, const mbd_lane *restrict a, const mbd_real s[3]) {
  const mbd_real s0 = f * s[0], s1 = f * s[1], s2 = f * s[2];
  MBD_IN_PAIRS
  for (int r = 0; r < MBD_LANES; r++) {
    c[0].v[r] += a[1].v[r] * s2 - a[2].v[r] * s1;
    c[1].v[r] += a[2].v[r] * s0 - a[0].v[r] * s2;
    c[2].v[r] += a[0].v[r] * s1 - a[1].v[r] * s0;
  }
}

/* c += A x, with one matrix A [3][3] for all lanes. c must not overlap x. */
static inline void lanes_m3_vec_add(mbd_lane *restrict c, const mbd_real A[9], const mbd_lane *restrict x) {
  MBD_IN_PAIRS
  for (int r = 0; r < MBD_LANES; r++) {
    c[0].v[r] += A[0] * x[0].v[r] + A[1] * x[1].v[r] + A[2] * x[2].v[r];
    c[1].v[r] += A[3] * x[0].v[r] + A[4] * x[1].v[r] + A[5] * x[2].v[r];
    c[2].v[r] += A[6] * x[0].v[r] + A[7] * x[1].v[r] + A[8] * x[2].v[r];
  }
}

/* d += s . x */
static inline void lane_dot_add(int n, const mbd_real *restrict s, const mbd_lane *restrict x, mbd_lane *restrict d) {
  for (int i = 0; i < n; i++) { mbd_axpy_lanes(s[i], x[i].v, d->v); }
}

#endif
