/* A scalar that holds the numbers of MBD_DESIGNS designs, 2, 4 or 8: clang's vectors, in C. Operations act on each design by itself, by the same
 * functions as those of one number, so that each design has the bits that it has alone; base/real.h says what the words of decisions mean. */
#ifndef MBD_DESIGNS_H
#define MBD_DESIGNS_H

/* Aligned as whatever malloc returns. */
typedef double mbd_real __attribute__((ext_vector_type(MBD_DESIGNS), aligned(16)));
typedef mbd_real mbd_value;
typedef long mbd_truth __attribute__((ext_vector_type(MBD_DESIGNS), aligned(16))); /* all bits set: true */

#define EACH(NAME, ...)                                               \
  static inline mbd_real mbd_##NAME(__VA_ARGS__) {                    \
    for (int i = 0; i < MBD_DESIGNS; i++) { x[i] = NAME(ARGUMENTS); } \
    return x;                                                         \
  }
#define ARGUMENTS x[i]
EACH(sin, mbd_real x)
EACH(cos, mbd_real x)
EACH(tan, mbd_real x)
EACH(asin, mbd_real x)
EACH(acos, mbd_real x)
EACH(atan, mbd_real x)
EACH(exp, mbd_real x)
EACH(log, mbd_real x)
EACH(sqrt, mbd_real x)
EACH(round, mbd_real x)
#undef ARGUMENTS
#define ARGUMENTS x[i], y[i]
EACH(atan2, mbd_real x, mbd_real y)
EACH(hypot, mbd_real x, mbd_real y)
EACH(pow, mbd_real x, mbd_real y)
#undef ARGUMENTS
#undef EACH

static inline mbd_value mbd_re(mbd_real x) {
  return x;
}
static inline mbd_value mbd_abs(mbd_value v) {
  return __builtin_elementwise_abs(v);
}
static inline mbd_real mbd_select(mbd_truth c, mbd_real a, mbd_real b) {
  return c ? a : b;
}
static inline int mbd_any(mbd_truth c) {
  long any = 0;
  for (int i = 0; i < MBD_DESIGNS; i++) { any |= c[i]; }
  return any != 0;
}
static inline int mbd_none(mbd_truth c) {
  return !mbd_any(c);
}
/* Set, in the thread that computes, where a decision would not be the same for all designs; they then go the way of the first one. */
extern _Thread_local int designs_apart;
static inline int mbd_if(mbd_truth c) {
  designs_apart |= mbd_any(c != c[0]);
  return c[0] != 0;
}
/* By halves, whose numbers are compared at once; a sum tells of NaN, which comparisons pass over. */
#define BY_HALVES(BETTER)                                                                   \
  double sum = 0;                                                                           \
  for (int i = 0; i < MBD_DESIGNS; i++) { sum += a[i]; }                                    \
  for (int half = MBD_DESIGNS / 2; half > 0; half /= 2) {                                   \
    for (int i = 0; i < half; i++) { a[i] = a[i + half] BETTER a[i] ? a[i + half] : a[i]; } \
  }                                                                                         \
  return isnan(sum) ? sum : a[0];
static inline double mbd_largest(mbd_real x) {
  mbd_value a = mbd_abs(x);
  BY_HALVES(>)
}
static inline double mbd_min(mbd_real x) {
  mbd_value a = mbd_abs(x);
  BY_HALVES(<)
}
#undef BY_HALVES
static inline double mbd_same(mbd_real x) {
  (void)mbd_if(x != x[0]);
  return x[0];
}
static inline double mbd_first(mbd_real x) {
  return x[0];
}
static inline int mbd_apart(void) {
  return designs_apart;
}
static inline double mbd_of(mbd_real x, int design) {
  return x[design];
}

#endif
