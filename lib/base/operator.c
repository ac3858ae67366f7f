/* The table of operators. */
#include "base/operator.h"

#include <string.h>

/* The rules of differentiation, each beside its value: f(a, b), f_a, f_b, f_aa, f_ab, f_bb; of UNARY f(a), f', f''. */
#define BINARY(name, value, slope_a, slope_b, bend_aa, bend_ab, bend_bb)     \
  static mbd_real f_##name(mbd_real a, mbd_real b) {                         \
    return (void)a, (void)b, value;                                          \
  }                                                                          \
  static void d_##name(mbd_real a, mbd_real b, mbd_real *da, mbd_real *db) { \
    (void)a, (void)b, *da = slope_a, *db = slope_b;                          \
  }                                                                          \
  static mbd_curvature dd_##name(mbd_real a, mbd_real b) {                   \
    return (void)a, (void)b, (mbd_curvature){bend_aa, bend_ab, bend_bb};     \
  }
#define UNARY(name, value, slope, bend) BINARY(name, value, slope, 0, bend, 0, 0)

BINARY(add, a + b, 1, 1, 0, 0, 0)
BINARY(sub, a - b, 1, -1, 0, 0, 0)
BINARY(mul, (a * b), b, a, 0, 1, 0)
BINARY(div, a / b, 1 / b, -a / (b * b), 0, -1 / (b * b), 2 * a / (b * b * b))
UNARY(neg, -a, -1, 0)
UNARY(sin, mbd_sin(a), mbd_cos(a), -mbd_sin(a))
UNARY(cos, mbd_cos(a), -mbd_sin(a), -mbd_cos(a))
UNARY(tan, mbd_tan(a), 1 + mbd_tan(a) * mbd_tan(a), 2 * mbd_tan(a) * (1 + mbd_tan(a) * mbd_tan(a)))
UNARY(asin, mbd_asin(a), 1 / mbd_sqrt(1 - a * a), a / ((1 - a * a) * mbd_sqrt(1 - a * a)))
UNARY(acos, mbd_acos(a), -1 / mbd_sqrt(1 - a * a), -a / ((1 - a * a) * mbd_sqrt(1 - a * a)))
UNARY(atan, mbd_atan(a), 1 / (1 + a * a), -2 * a / ((1 + a * a) * (1 + a * a)))
UNARY(sqrt, mbd_sqrt(a), 0.5 / mbd_sqrt(a), -0.25 / (a * mbd_sqrt(a)))
UNARY(exp, mbd_exp(a), mbd_exp(a), mbd_exp(a))
UNARY(log, mbd_log(a), 1 / a, -1 / (a * a))

/* Functions with a kink, whose curvature beside it is taken everywhere. */
#define IS_LESS(a, b) (mbd_re(a) < mbd_re(b))
UNARY(abs, mbd_select(mbd_re(a) < 0, -a, a), mbd_select(mbd_re(a) < 0, -1, 1), 0)
BINARY(min, mbd_select(IS_LESS(a, b), a, b), mbd_select(IS_LESS(a, b), 1, 0), mbd_select(IS_LESS(a, b), 0, 1), 0, 0, 0)
BINARY(max, mbd_select(IS_LESS(b, a), a, b), mbd_select(IS_LESS(b, a), 1, 0), mbd_select(IS_LESS(b, a), 0, 1), 0, 0, 0)

#define SQUARES (a * a + b * b)
BINARY(atan2, mbd_atan2(a, b), b / SQUARES, -a / SQUARES, -(2 * a * b / (SQUARES * SQUARES)),
       (a * a - b * b) / (SQUARES * SQUARES), 2 * a * b / (SQUARES * SQUARES))

#define RADIUS mbd_hypot(a, b)
BINARY(hypot, RADIUS, a / RADIUS, b / RADIUS, (b / RADIUS) * (b / RADIUS) / RADIUS,
       -(a / RADIUS) * (b / RADIUS) / RADIUS, (a / RADIUS) * (a / RADIUS) / RADIUS)

/* A negative base has whole exponents only. */
#define LOGARITHM(factor) mbd_select(mbd_re(a) > 0, factor, 0)
BINARY(pow, mbd_pow(a, b), mbd_select(b == 0, 0, b *mbd_pow(a, b - 1)), LOGARITHM(mbd_pow(a, b) * mbd_log(a)),
       mbd_select(b == 0 || b == 1, 0, b *(b - 1) * mbd_pow(a, b - 2)),
       LOGARITHM(mbd_pow(a, b - 1) * (1 + b * mbd_log(a))), LOGARITHM(mbd_pow(a, b) * mbd_log(a) * mbd_log(a)))

static const mbd_operator_info operators[] = {
    [MBD_OP_NUMBER] = {"number", 0, MBD_UNITS_SAME, NULL, NULL, NULL},
    [MBD_OP_LEAF] = {"leaf", 0, MBD_UNITS_SAME, NULL, NULL, NULL},
    [MBD_OP_ADD] = {"+", 2, MBD_UNITS_SAME, f_add, d_add, dd_add},
    [MBD_OP_SUB] = {"-", 2, MBD_UNITS_SAME, f_sub, d_sub, dd_sub},
    [MBD_OP_MUL] = {"*", 2, MBD_UNITS_PRODUCT, f_mul, d_mul, dd_mul},
    [MBD_OP_DIV] = {"/", 2, MBD_UNITS_QUOTIENT, f_div, d_div, dd_div},
    [MBD_OP_POWER] = {"^", 2, MBD_UNITS_POWER, f_pow, d_pow, dd_pow},
    [MBD_OP_NEG] = {"negative", 1, MBD_UNITS_SAME, f_neg, d_neg, dd_neg},
    [MBD_OP_SIN] = {"sin", 1, MBD_UNITS_NONE, f_sin, d_sin, dd_sin},
    [MBD_OP_COS] = {"cos", 1, MBD_UNITS_NONE, f_cos, d_cos, dd_cos},
    [MBD_OP_TAN] = {"tan", 1, MBD_UNITS_NONE, f_tan, d_tan, dd_tan},
    [MBD_OP_ASIN] = {"asin", 1, MBD_UNITS_NONE, f_asin, d_asin, dd_asin},
    [MBD_OP_ACOS] = {"acos", 1, MBD_UNITS_NONE, f_acos, d_acos, dd_acos},
    [MBD_OP_ATAN] = {"atan", 1, MBD_UNITS_NONE, f_atan, d_atan, dd_atan},
    [MBD_OP_SQRT] = {"sqrt", 1, MBD_UNITS_ROOT, f_sqrt, d_sqrt, dd_sqrt},
    [MBD_OP_EXP] = {"exp", 1, MBD_UNITS_NONE, f_exp, d_exp, dd_exp},
    [MBD_OP_LOG] = {"log", 1, MBD_UNITS_NONE, f_log, d_log, dd_log},
    [MBD_OP_ABS] = {"abs", 1, MBD_UNITS_SAME, f_abs, d_abs, dd_abs},
    [MBD_OP_MIN] = {"min", 2, MBD_UNITS_SAME, f_min, d_min, dd_min},
    [MBD_OP_MAX] = {"max", 2, MBD_UNITS_SAME, f_max, d_max, dd_max},
    [MBD_OP_ATAN2] = {"atan2", 2, MBD_UNITS_ANGLE, f_atan2, d_atan2, dd_atan2},
    [MBD_OP_HYPOT] = {"hypot", 2, MBD_UNITS_SAME, f_hypot, d_hypot, dd_hypot},
    [MBD_OP_POW] = {"pow", 2, MBD_UNITS_POWER, f_pow, d_pow, dd_pow},
    [MBD_OP_CURVE] = {"curve", 1, MBD_UNITS_UNKNOWN, NULL, NULL, NULL},
};
enum { N_OPERATORS = sizeof operators / sizeof operators[0] };

const mbd_operator_info *mbd_operator_at(mbd_operator op) {
  return (unsigned)op < N_OPERATORS ? &operators[op] : NULL;
}

int mbd_operator_find(const char *name) {
  for (int op = MBD_OP_ADD; op < N_OPERATORS; op++) {
    if (operators[op].f && strcmp(operators[op].name, name) == 0) { return op; }
  }
  return -1;
}
