/* Operations on two numbers at once, in a vector register if the compiler supports vectors. They are for short loops
 * with bounds that are unknown to the compiler: it would not vectorize these, or would add more instructions before and
 * after the loop than the loop has. */
#ifndef MBD_TWO_H
#define MBD_TWO_H

#include <stddef.h>
#include <string.h>

#include "base/real.h"

#if defined(__GNUC__) && !defined(MBD_COMPLEX) && !defined(MBD_SCALAR_HEADER) && MBD_DESIGNS == 1
typedef double mbd_two __attribute__((vector_size(2 * sizeof(double))));

static inline mbd_two two_load(const mbd_real *x) {
  mbd_two a;
  memcpy(&a, x, sizeof a); /* x need not be aligned */
  return a;
}

static inline void two_store(mbd_real *x, mbd_two a) {
  memcpy(x, &a, sizeof a);
}

static inline mbd_two two_add(mbd_two a, mbd_two b) {
  return a + b;
}

static inline mbd_two two_mul(mbd_two a, mbd_two b) {
  return a * b;
}

static inline mbd_two two_sub(mbd_two a, mbd_two b) {
  return a - b;
}

static inline mbd_two two_from(mbd_real a, mbd_real b) {
  return (mbd_two){a, b};
}

static inline mbd_real two_first(mbd_two a) {
  return a[0];
}

static inline mbd_real two_second(mbd_two a) {
  return a[1];
}
#else
typedef struct mbd_two {
  mbd_real v[2];
} mbd_two;

static inline mbd_two two_load(const mbd_real *x) {
  return (mbd_two){{x[0], x[1]}};
}

static inline void two_store(mbd_real *x, mbd_two a) {
  x[0] = a.v[0], x[1] = a.v[1];
}

static inline mbd_two two_add(mbd_two a, mbd_two b) {
  return (mbd_two){{a.v[0] + b.v[0], a.v[1] + b.v[1]}};
}

static inline mbd_two two_mul(mbd_two a, mbd_two b) {
  return (mbd_two){{a.v[0] * b.v[0], a.v[1] * b.v[1]}};
}

static inline mbd_two two_sub(mbd_two a, mbd_two b) {
  return (mbd_two){{a.v[0] - b.v[0], a.v[1] - b.v[1]}};
}

static inline mbd_two two_from(mbd_real a, mbd_real b) {
  return (mbd_two){{a, b}};
}

static inline mbd_real two_first(mbd_two a) {
  return a.v[0];
}

static inline mbd_real two_second(mbd_two a) {
  return a.v[1];
}
#endif

static inline mbd_two two_of(mbd_real a) {
  return two_from(a, a);
}

/* a + f x */
static inline mbd_two two_axpy(mbd_two a, mbd_two f, mbd_two x) {
  return two_add(a, two_mul(f, x));
}

static inline mbd_real two_sum(mbd_two a) {
  return two_first(a) + two_second(a);
}

/* The sum of f_r x_r over `n` arrays x_r that begin `ld` numbers apart: of their first two numbers, and of the first one. A constant n
 * lets the compiler unroll the loop. */
static inline mbd_two two_sum_of(int n, const mbd_real *f, const mbd_real *x, ptrdiff_t ld) {
  mbd_two sum = two_mul(two_of(f[0]), two_load(x));
  for (int r = 1; r < n; r++) { sum = two_axpy(sum, two_of(f[r]), two_load(x + r * ld)); }
  return sum;
}

static inline mbd_real one_sum_of(int n, const mbd_real *f, const mbd_real *x, ptrdiff_t ld) {
  mbd_real sum = f[0] * x[0];
  for (int r = 1; r < n; r++) { sum += f[r] * x[r * ld]; }
  return sum;
}

#endif
