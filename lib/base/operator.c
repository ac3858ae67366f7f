/* The table of operations. */
#include "base/operator.h"

#include <string.h>

/* The rules of differentiation, each beside its value: UNARY f(a), f'(a); SMOOTH also f''(a); BINARY f(a, b), df/da, df/db. */
#define UNARY(name, value, slope)                                            \
  static mbd_real f_##name(mbd_real a, mbd_real b) {                         \
    return (void)b, value;                                                   \
  }                                                                          \
  static void d_##name(mbd_real a, mbd_real b, mbd_real *da, mbd_real *db) { \
    (void)a, (void)b, (void)db, *da = slope;                                 \
  }
#define SMOOTH(name, value, slope, curvature)              \
  UNARY(name, value, slope)                                \
  static mbd_curvature dd_##name(mbd_real a, mbd_real b) { \
    return (void)b, (mbd_curvature){.aa = curvature};      \
  }
#define BINARY(name, value, slope_a, slope_b)                                \
  static mbd_real f_##name(mbd_real a, mbd_real b) {                         \
    return value;                                                            \
  }                                                                          \
  static void d_##name(mbd_real a, mbd_real b, mbd_real *da, mbd_real *db) { \
    (void)a, (void)b, *da = slope_a, *db = slope_b;                          \
  }

#define IS_LESS(a, b) (mbd_re(a) < mbd_re(b))

BINARY(add, a + b, 1, 1)
BINARY(sub, a - b, 1, -1)
BINARY(mul, (a * b), b, a)
BINARY(div, a / b, 1 / b, -a / (b * b))
BINARY(min, mbd_select(IS_LESS(a, b), a, b), mbd_select(IS_LESS(a, b), 1, 0), mbd_select(IS_LESS(a, b), 0, 1))
BINARY(max, mbd_select(IS_LESS(b, a), a, b), mbd_select(IS_LESS(b, a), 1, 0), mbd_select(IS_LESS(b, a), 0, 1))
UNARY(neg, -a, -1)
UNARY(abs, mbd_select(mbd_re(a) < 0, -a, a), mbd_select(mbd_re(a) < 0, -1, 1))
SMOOTH(sin, mbd_sin(a), mbd_cos(a), -mbd_sin(a))
SMOOTH(cos, mbd_cos(a), -mbd_sin(a), -mbd_cos(a))
SMOOTH(tan, mbd_tan(a), 1 + mbd_tan(a) * mbd_tan(a), 2 * mbd_tan(a) * (1 + mbd_tan(a) * mbd_tan(a)))
SMOOTH(asin, mbd_asin(a), 1 / mbd_sqrt(1 - a * a), a / ((1 - a * a) * mbd_sqrt(1 - a * a)))
SMOOTH(acos, mbd_acos(a), -1 / mbd_sqrt(1 - a * a), -a / ((1 - a * a) * mbd_sqrt(1 - a * a)))
SMOOTH(atan, mbd_atan(a), 1 / (1 + a * a), -2 * a / ((1 + a * a) * (1 + a * a)))
SMOOTH(sqrt, mbd_sqrt(a), 0.5 / mbd_sqrt(a), -0.25 / (a * mbd_sqrt(a)))
SMOOTH(exp, mbd_exp(a), mbd_exp(a), mbd_exp(a))
SMOOTH(log, mbd_log(a), 1 / a, -1 / (a * a))

static void d_pow(mbd_real a, mbd_real b, mbd_real *da, mbd_real *db) {
  *da = mbd_select(b == 0, 0, b * mbd_pow(a, b - 1));
  *db = mbd_select(mbd_re(a) > 0, mbd_pow(a, b) * mbd_log(a), 0); /* a negative base has whole exponents only */
}

static mbd_curvature dd_mul(mbd_real a, mbd_real b) {
  return (void)a, (void)b, (mbd_curvature){.ab = 1};
}
static mbd_curvature dd_div(mbd_real a, mbd_real b) {
  return (mbd_curvature){.ab = -1 / (b * b), .bb = 2 * a / (b * b * b)};
}

static mbd_curvature dd_pow(mbd_real a, mbd_real b) {
  const mbd_truth positive = mbd_re(a) > 0;
  return (mbd_curvature){.aa = mbd_select(b == 0 || b == 1, 0, b * (b - 1) * mbd_pow(a, b - 2)),
                         .ab = mbd_select(positive, mbd_pow(a, b - 1) * (1 + b * mbd_log(a)), 0),
                         .bb = mbd_select(positive, mbd_pow(a, b) * mbd_log(a) * mbd_log(a), 0)};
}

static mbd_real f_pow(mbd_real a, mbd_real b) {
  return mbd_pow(a, b);
}

static mbd_real f_atan2(mbd_real a, mbd_real b) {
  return mbd_atan2(a, b);
}

static void d_atan2(mbd_real a, mbd_real b, mbd_real *da, mbd_real *db) {
  *da = b / (a * a + b * b);
  *db = -a / (a * a + b * b);
}

static mbd_curvature dd_atan2(mbd_real a, mbd_real b) {
  const mbd_real r2 = a * a + b * b, twist = 2 * a * b / (r2 * r2);
  return (mbd_curvature){.aa = -twist, .ab = (a * a - b * b) / (r2 * r2), .bb = twist};
}

static mbd_real f_hypot(mbd_real a, mbd_real b) {
  return mbd_hypot(a, b);
}

static void d_hypot(mbd_real a, mbd_real b, mbd_real *da, mbd_real *db) {
  const mbd_real r = mbd_hypot(a, b);
  *da = a / r;
  *db = b / r;
}

static mbd_curvature dd_hypot(mbd_real a, mbd_real b) {
  const mbd_real r = mbd_hypot(a, b), s = a / r, c = b / r;
  return (mbd_curvature){.aa = c * c / r, .ab = -s * c / r, .bb = s * s / r};
}

static const mbd_operator operators[] = {
    {"number", 0, MBD_UNITS_SAME, NULL, NULL, NULL},
    {"name", 0, MBD_UNITS_SAME, NULL, NULL, NULL},
    {"+", 2, MBD_UNITS_SAME, f_add, d_add, NULL},
    {"-", 2, MBD_UNITS_SAME, f_sub, d_sub, NULL},
    {"*", 2, MBD_UNITS_PRODUCT, f_mul, d_mul, dd_mul},
    {"/", 2, MBD_UNITS_QUOTIENT, f_div, d_div, dd_div},
    {"^", 2, MBD_UNITS_POWER, f_pow, d_pow, dd_pow},
    {"negative", 1, MBD_UNITS_SAME, f_neg, d_neg, NULL},
    {"sin", 1, MBD_UNITS_NONE, f_sin, d_sin, dd_sin},
    {"cos", 1, MBD_UNITS_NONE, f_cos, d_cos, dd_cos},
    {"tan", 1, MBD_UNITS_NONE, f_tan, d_tan, dd_tan},
    {"asin", 1, MBD_UNITS_NONE, f_asin, d_asin, dd_asin},
    {"acos", 1, MBD_UNITS_NONE, f_acos, d_acos, dd_acos},
    {"atan", 1, MBD_UNITS_NONE, f_atan, d_atan, dd_atan},
    {"sqrt", 1, MBD_UNITS_ROOT, f_sqrt, d_sqrt, dd_sqrt},
    {"exp", 1, MBD_UNITS_NONE, f_exp, d_exp, dd_exp},
    {"log", 1, MBD_UNITS_NONE, f_log, d_log, dd_log},
    {"abs", 1, MBD_UNITS_SAME, f_abs, d_abs, NULL},
    {"min", 2, MBD_UNITS_SAME, f_min, d_min, NULL},
    {"max", 2, MBD_UNITS_SAME, f_max, d_max, NULL},
    {"atan2", 2, MBD_UNITS_ANGLE, f_atan2, d_atan2, dd_atan2},
    {"hypot", 2, MBD_UNITS_SAME, f_hypot, d_hypot, dd_hypot},
    {"pow", 2, MBD_UNITS_POWER, f_pow, d_pow, dd_pow},
};
enum { N_OPERATORS = sizeof operators / sizeof operators[0] };

const mbd_operator *mbd_operator_at(int i) {
  return i >= 0 && i < N_OPERATORS ? &operators[i] : NULL;
}

int mbd_operator_find(const char *name) {
  for (int i = MBD_OP_ADD; i < N_OPERATORS; i++) {
    if (strcmp(operators[i].name, name) == 0) { return i; }
  }
  return -1;
}
