/* Every kind of curve by hand: value, slope and curvature inside and beyond its ends. */
#include "curve/curve.h"
#include "values.h"

static const double tol = 1e-13; /* largest seen: 6e-15 */

/* y, y' and y'' at x of a curve with nc coefficients, and knots where its kind has some. */
static void check(const char *kind, int nc, const double *c, const double *knots, double x, double y, double yx,
                  double yxx) {
  const mbd_curve_ops *ops = mbd_curve_find(kind);
  const mbd_curve k = {.ops = ops,
                       .name = kind,
                       .nc = nc,
                       .nknot = ops->needs_knots ? nc : 0,
                       .knot = knots,
                       .naux = ops->naux ? ops->naux(nc) : 0};
  double aux[32] = {0};
  mbd_curve_value v;
  if (ops->prepare) { ops->prepare(&k, c, aux); }
  ops->eval(&k, c, aux, x, &v);
  CHECK_VALUE(kind, v.y, y, tol);
  CHECK_VALUE(kind, v.yx, yx, tol);
  CHECK_VALUE(kind, v.yxx, yxx, tol);
}

/* The same of a curve by an expression, whose leaf 1 is c. */
static void check_expression(int n, mbd_operation *list, const double *c, double x, double y, double yx, double yxx) {
  const mbd_curve k = {.ops = mbd_curve_find("expression"), .nc = c != NULL, .value = {n, list}};
  mbd_curve_value v;
  k.ops->eval(&k, c, NULL, x, &v);
  CHECK_VALUE("expression", v.y, y, tol);
  CHECK_VALUE("expression", v.yx, yx, tol);
  CHECK_VALUE("expression", v.yxx, yxx, tol);
}

static void test_polynomial(void) {
  const double c[] = {0.7, -1.3, 0.2, 1.4}, x = 0.6;
  check("polynomial", 4, c, NULL, x, 0.7 - 1.3 * x + 0.2 * x * x + 1.4 * x * x * x, -1.3 + 0.4 * x + 4.2 * x * x,
        0.4 + 8.4 * x);
  check("polynomial", 1, c, NULL, x, 0.7, 0, 0);
}

static void test_harmonic(void) {
  const double c[] = {0.7, -1.3, 2.2, 0.4}, x = 0.6, a = 2.2 * x + 0.4;
  check("harmonic", 4, c, NULL, x, 0.7 - 1.3 * sin(a), -1.3 * 2.2 * cos(a), 1.3 * 2.2 * 2.2 * sin(a));
}

/* Knots 0, 1, 3 with ordinates 0.5, 2, -1: slopes 1.5 and -1.5. The only inner moment is 6 (-1.5 - 1.5)/(2 (1 + 2)) = -3. On the
 * first interval y = 0.5 + b x - x^3/2 with b = 2 (y(1) = 2), on the second, with u = x - 1,
 * y = 2 + (2 - 3/2) u - 3/2 u^2 + u^3/4. Beyond the ends: tangents, of slope 2 and 1/2 - 6 + 3 = -5/2. */
static void test_spline(void) {
  const double knots[] = {0, 1, 3}, c[] = {0.5, 2, -1};
  double x = 0.4, u;
  check("spline", 3, c, knots, x, 0.5 + 2 * x - x * x * x / 2, 2 - 1.5 * x * x, -3 * x);
  u = 1.7 - 1;
  check("spline", 3, c, knots, 1.7, 2 + u / 2 - 1.5 * u * u + u * u * u / 4, 0.5 - 3 * u + 0.75 * u * u, -3 + 1.5 * u);
  check("spline", 3, c, knots, -0.6, 0.5 - 0.6 * 2, 2, 0);
  check("spline", 3, c, knots, 3.8, -1 - 0.8 * 2.5, -2.5, 0);
  check("spline", 2, c, knots, 0.4, 0.5 + 1.5 * 0.4, 1.5, 0); /* two points: the straight line */
}

/* Two inner knots: with h = 1, 2, 1 and ordinates 0, 1, -1, 2 the moments solve  6 m1 + 2 m2 = 6 (-1 - 1) = -12,
 * 2 m1 + 6 m2 = 6 (3 + 1) = 24:  m1 = -15/4, m2 = 21/4. In the middle of the middle interval (m1 + m2)/2 is y'', the value is
 * the mean of the ends less h^2/16 (m1 + m2), the slope that of the chord less h/24 (m2 - m1). */
static void test_spline_of_four(void) {
  const double knots[] = {-1, 0, 2, 3}, c[] = {0, 1, -1, 2}, m1 = -15. / 4, m2 = 21. / 4;
  check("spline", 4, c, knots, 1, 0 - 4. / 16 * (m1 + m2), -1 - 2. / 24 * (m2 - m1), (m1 + m2) / 2);
}

/* Four control points: Bezier's curve over all of it, here at a third: weights 8, 12, 6, 1 over 27; the differences with 4, 4, 1 over 9 times
 * 3; the second ones with 2, 1 over 3 times 6; divided by the width 3 and its square. The inner knots do not matter. */
static void test_bspline_of_four(void) {
  const double knots[] = {0, 0.4, 2.5, 3}, c[] = {0.5, 2, -1, 4};
  check("bspline", 4, c, knots, 1, (8 * 0.5 + 12 * 2 - 6 * 1 + 4) / 27, (4 * 1.5 - 4 * 3 + 5) / 9,
        6 * (-2 * 4.5 + 8) / 27);
  check("bspline", 4, c, knots, 0, 0.5, 1.5, 6 * -4.5 / 9);
  check("bspline", 4, c, knots, 3, 4, 5, 6 * 8. / 9);
  check("bspline", 4, c, knots, -0.2, 0.5 - 0.2 * 1.5, 1.5, 0);
  check("bspline", 4, c, knots, 3.2, 4 + 0.2 * 5, 5, 0);
}

/* Five control points c, d, e, f, g on knots 0 .. 4: pieces that meet at 2. The left one is Bezier's with c, d, (d + e)/2, (d + 2e + f)/4, here
 * in its middle and at its end. */
static void test_bspline_of_five(void) {
  const double knots[] = {0, 1, 2, 3, 4}, p[] = {0.5, 2, -1, 4, 0.3}, c = p[0], d = p[1], e = p[2], f = p[3];
  check("bspline", 5, p, knots, 1, (c + 4.75 * d + 2 * e + f / 4) / 8, 3. / 8 * (e - c + (f - d) / 4),
        3. / 4 * (c - 1.25 * d + f / 4));
  check("bspline", 5, p, knots, 2, (d + 2 * e + f) / 4, 3. / 8 * (f - d), 3. / 8 * (d - 2 * e + f));
}

/* Equal control points: at rest. */
static void test_bspline_at_rest(void) {
  const double knots[] = {0, 1, 2, 3, 4, 5, 6, 7}, c[] = {2, 2, 2, 5, -1, 3, 3, 3};
  check("bspline", 8, c, knots, 0, 2, 0, 0);
  check("bspline", 8, c, knots, 7, 3, 0, 0);
  check("bspline", 8, c, knots, 9, 3, 0, 0);
}

/* Knots 0, 1, 3 with ordinates 0.5, 2, 0.5 + G, G = 1, so that the chords have the slopes 1.5 and -0.25. Both equations,
 * 2 (1 + 2) m0 + (1 + 2) m1 = 6 (1.5 + 0.25) and 3 m0 + 6 m1 = 6 (-0.25 - 1.5), give m0 = 3.5 = -m1. On the first interval
 * y = 0.5 + b x + m0/2 x^2 + (m1 - m0)/6 x^3 with b = 1.5 - (2 m0 + m1)/6 = 11/12; a period of 3 later y is greater by G. */
static void test_periodic_spline(void) {
  const double knots[] = {0, 1, 3}, c[] = {0.5, 2, 1.5}, x = 0.4;
  for (int turn = -1; turn <= 2; turn++) {
    check("periodic_spline", 3, c, knots, x + 3 * turn, turn + 0.5 + 11 / 12. * x + 1.75 * x * x - 7 / 6. * x * x * x,
          11 / 12. + 3.5 * x - 3.5 * x * x, 3.5 - 7 * x);
  }
  check("periodic_spline", 3, c, knots, 3, 1.5, 11 / 12., 3.5);
}

/* Knots one apart: at a knot y = (c_{i-1} + 4 c_i + c_{i+1})/6, with the slope (c_{i+1} - c_{i-1})/2 and the curvature c_{i-1} - 2 c_i + c_{i+1};
 * at a half (1, 23, 23, 1)/48, (-1, -5, 5, 1)/8, (1, -1, -1, 1)/2 of the four around it. Beyond the ends of the period of 4 the points are those
 * of the others, G = 2 less or more. Four equal points: a dwell. */
static void test_periodic_bspline(void) {
  const double knots[] = {0, 1, 2, 3, 4}, c[] = {1, 2, -1, 0.5, 3}, before = 0.5 - 2, G = 2;
  for (int turn = -1; turn <= 2; turn++) {
    const double lift = G * turn, from = 4 * turn;
    check("periodic_bspline", 5, c, knots, from + 2, lift + (2 - 4 + 0.5) / 6, (0.5 - 2) / 2, 2 + 2 + 0.5);
    check("periodic_bspline", 5, c, knots, from + 0.5, lift + (before + 23 * 1 + 23 * 2 - 1) / 48,
          (-before - 5 * 1 + 5 * 2 - 1) / 8, (before - 1 - 2 - 1) / 2);
    check("periodic_bspline", 5, c, knots, from, lift + (before + 4 * 1 + 2) / 6, (2 - before) / 2, before - 2 + 2);
  }
  const double even[] = {0, 1, 2, 3, 4, 5, 6}, dwell[] = {3, 0.7, 0.7, 0.7, 0.7, 2, 3};
  check("periodic_bspline", 7, dwell, even, 2.3, 0.7, 0, 0);
}

static void test_table(void) {
  const double knots[] = {0, 1, 3}, c[] = {0.5, 2, -1};
  check("table", 3, c, knots, 0.4, 0.5 + 1.5 * 0.4, 1.5, 0);
  check("table", 3, c, knots, 1.6, 2 - 1.5 * 0.6, -1.5, 0);
  check("table", 3, c, knots, -0.6, 0.5, 0, 0);
  check("table", 3, c, knots, 3.8, -1, 0, 0);
}

/* At a quarter of the step, s(u) = 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7 is (35 4^3 - 84 4^2 + 70 4 - 20)/4^7 = 1156/16384,
 * s' = 140 (3/16)^3, s'' = 420 (3/16)^2/2. */
static void test_step(void) {
  const double c[] = {0.7, -1.3, 2, 0.8}, height = -2;
  check("step", 4, c, NULL, 2.2, 0.7 + height * 1156 / 16384, height * 140 * pow(3. / 16, 3) / 0.8,
        height * 210 * 9 / 256 / 0.64);
  check("step", 4, c, NULL, 1.9, 0.7, 0, 0);
  check("step", 4, c, NULL, 2.9, -1.3, 0, 0);
}

/* The integral of s up to a quarter: 7 u^5 - 14 u^6 + 10 u^7 - 5/2 u^8 = (7 4^3 - 14 4^2 + 10 4 - 5/2)/4^8 = 261.5/65536. */
static void test_ramp(void) {
  const double c[] = {0.7, -1.3, 2, 0.8, 3.5}, s = 1156. / 16384, r = 0.8 * 261.5 / 65536,
               sx = 140 * pow(3. / 16, 3) / 0.8;
  check("ramp", 4, c, NULL, 1.9, 0.7, 0, 0);
  check("ramp", 4, c, NULL, 2.2, 0.7 - 1.3 * r, -1.3 * s, -1.3 * sx);
  check("ramp", 4, c, NULL, 4, 0.7 - 1.3 * (4 - 2 - 0.4), -1.3, 0);
  check("ramp", 5, c, NULL, 3, 0.7 - 1.3 * (3 - 2 - 0.4), -1.3, 0);
  check("ramp", 5, c, NULL, 3.7, 0.7 - 1.3 * (3.7 - 2 - 0.4 - r), -1.3 * (1 - s), 1.3 * sx);
  check("ramp", 5, c, NULL, 5, 0.7 - 1.3 * 1.5, 0, 0);
}

/* Slope 2, from 1 on 5, from 2 on -1; the integral of s up to a quarter as above, up to a half 17.5/256. */
static void test_piecewise_linear(void) {
  const double c[] = {2, 0.4, 1, 5, 2, -1}, s = 1156. / 16384, r = 0.4 * 261.5 / 65536, half = 0.4 * 17.5 / 256;
  check("piecewise_linear", 4, c, NULL, -1, -2, 2, 0);
  check("piecewise_linear", 4, c, NULL, 0.5, 1, 2, 0);
  check("piecewise_linear", 4, c, NULL, 0.9, 1.8 + 3 * r, 2 + 3 * s, 3 * 140 * pow(3. / 16, 3) / 0.4);
  check("piecewise_linear", 4, c, NULL, 2, 4 + 3, 5, 0);
  check("piecewise_linear", 6, c, NULL, 3, 6 + 3 * 2 - 6 * 1, -1, 0);
  const double at_origin[] = {2, 0.4, 0, 5};
  check("piecewise_linear", 4, at_origin, NULL, 0, 0, 3.5, 3 * 140 / 64. / 0.4);
  check("piecewise_linear", 4, at_origin, NULL, 1, 5 - 3 * half, 5, 0);
  check("piecewise_linear", 4, at_origin, NULL, -1, -2 - 3 * half, 2, 0);
}

/* (-2)^3 and x^2 at x = 0, 2^x, |x - 1| on both sides of its kink, and sqrt of a number that is zero. */
static void test_expression(void) {
  mbd_operation cube[] = {
      {.op = MBD_OP_LEAF, .a = 0}, {.op = MBD_OP_NUMBER, .number = 3}, {.op = MBD_OP_POWER, .a = 0, .b = 1}};
  mbd_operation power[] = {
      {.op = MBD_OP_NUMBER, .number = 2}, {.op = MBD_OP_LEAF, .a = 0}, {.op = MBD_OP_POW, .a = 0, .b = 1}};
  mbd_operation kink[] = {{.op = MBD_OP_LEAF, .a = 0},
                          {.op = MBD_OP_LEAF, .a = 1},
                          {.op = MBD_OP_SUB, .a = 0, .b = 1},
                          {.op = MBD_OP_ABS, .a = 2}};
  mbd_operation still[] = {{.op = MBD_OP_LEAF, .a = 1},
                           {.op = MBD_OP_SQRT, .a = 0},
                           {.op = MBD_OP_LEAF, .a = 0},
                           {.op = MBD_OP_MUL, .a = 1, .b = 2},
                           {.op = MBD_OP_ADD, .a = 3, .b = 2}};
  const double log2 = log(2.0), zero = 0;
  check_expression(3, cube, NULL, -2, -8, 12, -12);
  check_expression(3, cube, NULL, 0, 0, 0, 0);
  check_expression(3, power, NULL, 1.5, pow(2, 1.5), log2 * pow(2, 1.5), log2 * log2 * pow(2, 1.5));
  check_expression(4, kink, (const double[]){1}, 0.4, 0.6, -1, 0);
  check_expression(4, kink, (const double[]){1}, 1.4, 0.4, 1, 0);
  check_expression(5, still, &zero, 0.3, 0.3, 1, 0);
}

static void test_every_curve_has_values(void) {
  for (int i = 0; mbd_curve_at(i); i++) { EXPECT_VALUE("curve", mbd_curve_at(i)->name, NULL); }
}

TEST_MAIN(TEST(test_polynomial), TEST(test_harmonic), TEST(test_spline), TEST(test_spline_of_four),
          TEST(test_bspline_of_four), TEST(test_bspline_of_five), TEST(test_bspline_at_rest),
          TEST(test_periodic_spline), TEST(test_periodic_bspline), TEST(test_table), TEST(test_step), TEST(test_ramp),
          TEST(test_piecewise_linear), TEST(test_expression), TEST(test_every_curve_has_values))
