/* A curve by an expression y(x, c), whose leaf 0 is x and leaf k its coefficient k.
 *
 * Derivatives come from arithmetic with truncated polynomials: x + h and c + e dc in the places of x and c give
 *   y = y + yx h + yxx h^2/2 + yxxx h^3/6 + e (dy + dyx h + dyxx h^2/2 + ...)        theory.md §4.2 (4.19)
 * A product is that of polynomials; a function f of one of them, whose constant term is u, is its Taylor polynomial at u,
 *   f(u + p) = sum_k f_k p^k,    f_k = f^(k)(u)/k!,    k = 0 .. 4,  since p^5 has no term that is kept. */
#include <stddef.h>

#include "base/expression.h"
#include "curve/curve.h"
#include "curve/curve_check.h"

enum { ORDER = 3, TAYLOR = ORDER + 2 };

typedef struct polynomial {
  mbd_real a[2][ORDER + 1]; /* [power of e][power of h] */
} polynomial;

/* ---- arithmetic; rows: 1: without e, 2 ---- */

static polynomial constant(mbd_real value) {
  polynomial p = {.a = {{0}}};
  p.a[0][0] = value;
  return p;
}

/* p + s r */
static polynomial sum(const polynomial *p, mbd_real s, const polynomial *r) {
  polynomial y;
  for (int e = 0; e < 2; e++) {
    for (int i = 0; i <= ORDER; i++) { y.a[e][i] = p->a[e][i] + s * r->a[e][i]; }
  }
  return y;
}

static polynomial product(int rows, const polynomial *p, const polynomial *r) {
  polynomial y = {.a = {{0}}};
  for (int i = 0; i <= ORDER; i++) {
    for (int k = 0; k <= i; k++) {
      y.a[0][i] += mbd_times(p->a[0][k], r->a[0][i - k]);
      if (rows == 2) { y.a[1][i] += mbd_times(p->a[0][k], r->a[1][i - k]) + mbd_times(p->a[1][k], r->a[0][i - k]); }
    }
  }
  return y;
}

/* sum_k f_k p^k of p without its constant term */
static polynomial compose(int rows, const mbd_real f[TAYLOR], const polynomial *u) {
  polynomial p = *u, r = constant(f[TAYLOR - 1]);
  p.a[0][0] = 0;
  for (int k = TAYLOR - 2; k >= 0; k--) {
    r = product(rows, &r, &p);
    r.a[0][0] += f[k];
  }
  return r;
}

/* ---- Taylor polynomials of functions at u ---- */

static void taylor_power(mbd_real u, mbd_real exponent, mbd_real f[TAYLOR]) {
  mbd_real binomial = 1;
  for (int k = 0; k < TAYLOR; k++) {
    f[k] = mbd_select(binomial == 0, 0, binomial * mbd_pow(u, exponent - k));
    binomial *= (exponent - k) / (k + 1);
  }
}

static void taylor_exp(mbd_real u, mbd_real f[TAYLOR]) {
  f[0] = mbd_exp(u);
  for (int k = 1; k < TAYLOR; k++) { f[k] = f[k - 1] / k; }
}

static void taylor_log(mbd_real u, mbd_real f[TAYLOR]) {
  mbd_real power = 1;
  f[0] = mbd_log(u);
  for (int k = 1; k < TAYLOR; k++) {
    power *= u;
    f[k] = (k % 2 ? 1 : -1) / (k * power);
  }
}

/* f' = g, f'' = -f: sine and cosine. */
static void taylor_wave(mbd_real value, mbd_real slope, mbd_real f[TAYLOR]) {
  const mbd_real wave[] = {value, slope, -value / 2, -slope / 6, value / 24};
  for (int k = 0; k < TAYLOR; k++) { f[k] = wave[k]; }
}

/* f' = 1 + f^2 */
static void taylor_tan(mbd_real u, mbd_real f[TAYLOR]) {
  f[0] = mbd_tan(u);
  for (int n = 0; n + 1 < TAYLOR; n++) {
    mbd_real square = 0;
    for (int k = 0; k <= n; k++) { square += f[k] * f[n - k]; }
    f[n + 1] = ((n == 0) + square) / (n + 1);
  }
}

/* f' = w^(-1/2), w = 1 - u^2, then (1 + 2 u^2) w^(-5/2) and so on; sign -1: acos */
static void taylor_asin(mbd_real value, mbd_real u, int sign, mbd_real f[TAYLOR]) {
  const mbd_real w = 1 - u * u, g = sign / mbd_sqrt(w);
  f[0] = value, f[1] = g, f[2] = g * u / (2 * w), f[3] = g * (1 + 2 * u * u) / (6 * w * w);
  f[4] = g * (9 * u + 6 * u * u * u) / (24 * w * w * w);
}

/* f' = 1/w, w = 1 + u^2 */
static void taylor_atan(mbd_real u, mbd_real f[TAYLOR]) {
  const mbd_real w = 1 + u * u;
  f[0] = mbd_atan(u), f[1] = 1 / w, f[2] = -u / (w * w), f[3] = (6 * u * u - 2) / (6 * w * w * w);
  f[4] = u * (1 - u * u) / (w * w * w * w);
}

/* ---- operators ---- */

static polynomial power(int rows, const polynomial *u, mbd_real exponent) {
  mbd_real f[TAYLOR];
  taylor_power(u->a[0][0], exponent, f);
  return compose(rows, f, u);
}

/* a^b = a^b0 exp((b - b0) log a): a negative base has whole exponents only, which are numbers. */
static polynomial raise(int rows, const polynomial *a, const polynomial *b) {
  const mbd_real a0 = a->a[0][0], b0 = b->a[0][0];
  mbd_real f[TAYLOR];
  const polynomial base = power(rows, a, b0);
  polynomial rest = *b;
  rest.a[0][0] = 0;
  taylor_log(a0, f);
  for (int k = 0; k < TAYLOR; k++) { f[k] = mbd_select(mbd_re(a0) > 0, f[k], 0); }
  const polynomial logarithm = compose(rows, f, a), exponent = product(rows, &rest, &logarithm);
  taylor_exp(exponent.a[0][0], f);
  const polynomial factor = compose(rows, f, &exponent);
  return product(rows, &base, &factor);
}

/* atan2(a0, b0) + atan(p/s), with (s, p) = (b, a) turned back by that angle. */
static polynomial angle(int rows, const polynomial *a, const polynomial *b) {
  const mbd_real a0 = a->a[0][0], b0 = b->a[0][0], square = a0 * a0 + b0 * b0;
  const polynomial zero = constant(0), a_b0 = sum(&zero, b0 / square, a), a_a0 = sum(&zero, a0 / square, a);
  const polynomial p = sum(&a_b0, -a0 / square, b), s = sum(&a_a0, b0 / square, b), inverse = power(rows, &s, -1);
  const polynomial ratio = product(rows, &p, &inverse);
  mbd_real f[TAYLOR];
  taylor_atan(ratio.a[0][0], f);
  f[0] = mbd_atan2(a0, b0);
  return compose(rows, f, &ratio);
}

static polynomial length(int rows, const polynomial *a, const polynomial *b) {
  const polynomial aa = product(rows, a, a), bb = product(rows, b, b), square = sum(&aa, 1, &bb);
  polynomial r = power(rows, &square, 0.5);
  r.a[0][0] = mbd_hypot(a->a[0][0], b->a[0][0]);
  return r;
}

/* a where `first` holds, else b. */
#define CHOOSE(r, first, a, b)                                                                        \
  for (int e = 0; e < 2; e++) {                                                                       \
    for (int i = 0; i <= ORDER; i++) { (r).a[e][i] = mbd_select(first, (a)->a[e][i], (b)->a[e][i]); } \
  }

static polynomial apply(int rows, mbd_operator op, const polynomial *a, const polynomial *b) {
  const mbd_real u = a->a[0][0], v = b->a[0][0];
  const polynomial zero = constant(0);
  polynomial r = zero;
  mbd_real f[TAYLOR];
  switch (op) {
    case MBD_OP_NUMBER:
    case MBD_OP_LEAF:
    case MBD_OP_CURVE: return r; /* no operators of numbers */
    case MBD_OP_ADD: return sum(a, 1, b);
    case MBD_OP_SUB: return sum(a, -1, b);
    case MBD_OP_NEG: return sum(&zero, -1, a);
    case MBD_OP_MUL: return product(rows, a, b);
    case MBD_OP_DIV: r = power(rows, b, -1); return product(rows, a, &r);
    case MBD_OP_POWER:
    case MBD_OP_POW: return raise(rows, a, b);
    case MBD_OP_ATAN2: return angle(rows, a, b);
    case MBD_OP_HYPOT: return length(rows, a, b);
    case MBD_OP_SQRT: return power(rows, a, 0.5);
    case MBD_OP_ABS: return sum(&zero, mbd_select(mbd_re(u) < 0, -1, 1), a);
    case MBD_OP_MIN: CHOOSE(r, mbd_re(u) < mbd_re(v), a, b) return r;
    case MBD_OP_MAX: CHOOSE(r, mbd_re(v) < mbd_re(u), a, b) return r;
    case MBD_OP_SIN: taylor_wave(mbd_sin(u), mbd_cos(u), f); break;
    case MBD_OP_COS: taylor_wave(mbd_cos(u), -mbd_sin(u), f); break;
    case MBD_OP_TAN: taylor_tan(u, f); break;
    case MBD_OP_ASIN: taylor_asin(mbd_asin(u), u, 1, f); break;
    case MBD_OP_ACOS: taylor_asin(mbd_acos(u), u, -1, f); break;
    case MBD_OP_ATAN: taylor_atan(u, f); break;
    case MBD_OP_EXP: taylor_exp(u, f); break;
    case MBD_OP_LOG: taylor_log(u, f); break;
  }
  return compose(rows, f, a);
}

/* ---- the curve ---- */

/* The polynomial of the expression at x; dc: a direction of the coefficients, NULL: none. */
static polynomial evaluate(const mbd_curve *k, const mbd_real *c, const mbd_real *dc, mbd_real x) {
  const int n = k->value.n, rows = dc ? 2 : 1;
  polynomial v[CURVE_OPERATIONS_MAX];
  for (int i = 0; i < n; i++) {
    const mbd_operation *o = &k->value.op[i];
    if (o->op == MBD_OP_NUMBER) {
      v[i] = constant(o->number);
    } else if (o->op == MBD_OP_LEAF && o->a == 0) {
      v[i] = constant(x);
      v[i].a[0][1] = 1;
    } else if (o->op == MBD_OP_LEAF) {
      v[i] = constant(c[o->a - 1]);
      if (dc) { v[i].a[1][0] = dc[o->a - 1]; }
    } else {
      v[i] = apply(rows, o->op, &v[o->a], &v[o->b]);
    }
  }
  /* cppcheck-suppress uninitvar ; an expression has one operation at least */
  return v[n - 1];
}

static void expression_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                            mbd_curve_value *v) {
  const polynomial y = evaluate(k, c, NULL, x);
  (void)aux;
  *v = (mbd_curve_value){y.a[0][0], y.a[0][1], 2 * y.a[0][2]};
}

static mbd_real expression_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  (void)aux;
  return 6 * evaluate(k, c, NULL, x).a[0][3];
}

static void expression_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                             const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  const polynomial y = evaluate(k, c, dc, x);
  (void)aux, (void)daux;
  *dv = (mbd_curve_value){y.a[1][0], y.a[1][1], 2 * y.a[1][2]};
}

/* One coefficient after the other: an expression has few. */
static void expression_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                               const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  mbd_real unit[CURVE_OPERATIONS_MAX] = {0};
  mbd_curve_value dv;
  (void)auxbar;
  for (int i = 0; i < k->nc; i++) {
    unit[i] = 1;
    expression_deval(k, c, aux, unit, NULL, x, &dv);
    cbar[i] += vbar->y * dv.y + vbar->yx * dv.yx + vbar->yxx * dv.yxx;
    unit[i] = 0;
  }
}

const mbd_curve_ops mbd_curve_expression = {
    CURVE(expression, 0, CURVE_OPERATIONS_MAX),
    .doc =
        "y = `value`, an expression of x and scalars, with its exact derivatives: a motion over time such as "
        "a*sin(2*pi*f*x)*exp(-d*x), a law of force. abs, min and max have kinks.",
    .units = "-",
    .coefs = "the scalars in its value, which may vary",
};
