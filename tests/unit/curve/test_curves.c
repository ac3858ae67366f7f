/* Curves: known values, derivatives in x and along coefficients, for every kind in the table; messages of their checks. */
#include "base/operator.h"
#include "curve/curve.h"
#include "test.h"

static const double knots[] = {-1, 0.2, 0.5, 2};
static const double numbers[] = {0.7, 1.3, 0.2, 1.4}, direction[] = {0.5, -1, 0.3, 0.8};

/* (c1 + c2 sin(c3 x)) exp(c4 x)/(1 + x^2) + c1 atan2(x, c2) */
static mbd_operation operations[] = {{.op = MBD_OP_LEAF, .a = 0},          {.op = MBD_OP_LEAF, .a = 1},
                                     {.op = MBD_OP_LEAF, .a = 2},          {.op = MBD_OP_LEAF, .a = 3},
                                     {.op = MBD_OP_LEAF, .a = 4},          {.op = MBD_OP_MUL, .a = 3, .b = 0},
                                     {.op = MBD_OP_SIN, .a = 5},           {.op = MBD_OP_MUL, .a = 2, .b = 6},
                                     {.op = MBD_OP_ADD, .a = 1, .b = 7},   {.op = MBD_OP_MUL, .a = 4, .b = 0},
                                     {.op = MBD_OP_EXP, .a = 9},           {.op = MBD_OP_MUL, .a = 8, .b = 10},
                                     {.op = MBD_OP_NUMBER, .number = 2},   {.op = MBD_OP_POWER, .a = 0, .b = 12},
                                     {.op = MBD_OP_NUMBER, .number = 1},   {.op = MBD_OP_ADD, .a = 14, .b = 13},
                                     {.op = MBD_OP_DIV, .a = 11, .b = 15}, {.op = MBD_OP_ATAN2, .a = 0, .b = 2},
                                     {.op = MBD_OP_MUL, .a = 1, .b = 17},  {.op = MBD_OP_ADD, .a = 16, .b = 18}};

static mbd_curve sample(int i) {
  const mbd_curve_ops *ops = mbd_curve_at(i);
  return (mbd_curve){.ops = ops,
                     .name = ops->name,
                     .nc = 4,
                     .nknot = ops->needs_knots ? 4 : 0,
                     .knot = knots,
                     .naux = ops->naux ? ops->naux(4) : 0,
                     .value = {sizeof operations / sizeof operations[0], operations}};
}

static mbd_curve_value value(const mbd_curve *k, double x, double along) {
  double c[4], aux[16];
  mbd_curve_value v;
  for (int i = 0; i < 4; i++) { c[i] = numbers[i] + along * direction[i]; }
  if (k->ops->prepare) { k->ops->prepare(k, c, aux); }
  k->ops->eval(k, c, aux, x, &v);
  return v;
}

static void test_derivatives(void) {
  static const double at[] = {-1.7, -0.4, 0.33, 1.2, 2.6}; /* beyond both ends, and inside */
  const double h = 1e-6;
  for (int i = 0; mbd_curve_at(i); i++) {
    mbd_curve k = sample(i);
    double aux[16], daux[16];
    if (k.ops->prepare) { k.ops->prepare(&k, numbers, aux), k.ops->prepare(&k, direction, daux); }
    for (int q = 0; q < 5; q++) {
      mbd_curve_value v = value(&k, at[q], 0), p = value(&k, at[q] + h, 0), m = value(&k, at[q] - h, 0), dv;
      CHECK_CLOSE(k.name, v.yx, (p.y - m.y) / (2 * h), 1e-7);
      CHECK_CLOSE(k.name, v.yxx, (p.yx - m.yx) / (2 * h), 1e-7);
      CHECK_CLOSE(k.name, k.ops->third(&k, numbers, aux, at[q]), (p.yxx - m.yxx) / (2 * h), 1e-6);
      k.ops->deval(&k, numbers, aux, direction, daux, at[q], &dv);
      p = value(&k, at[q], h), m = value(&k, at[q], -h);
      CHECK_CLOSE(k.name, dv.y, (p.y - m.y) / (2 * h), 1e-7);
      CHECK_CLOSE(k.name, dv.yx, (p.yx - m.yx) / (2 * h), 1e-7);
      CHECK_CLOSE(k.name, dv.yxx, (p.yxx - m.yxx) / (2 * h), 1e-6);
      CU_ASSERT(dv.y != 0);
    }
  }
}

/* Repeatable numbers between -1 and 1. */
static double scatter(int i) {
  return sin(1.7 * i + 0.3 * i * i);
}

/* w . deval(dc, prepare(dc)) = reverse(w) . dc with prepare_reverse, and the former with no other entry touched. */
static void transpose(const mbd_curve *k, const double *c, double x, int seed) {
  enum { MAX = 40 };
  double dc[MAX], aux[3 * MAX] = {0}, daux[3 * MAX] = {0}, cbar[MAX] = {0}, auxbar[3 * MAX] = {0};
  const mbd_curve_value w = {scatter(seed), scatter(seed + 1), scatter(seed + 2)};
  mbd_curve_value dv;
  for (int i = 0; i < k->nc; i++) { dc[i] = scatter(seed + 3 + i); }
  if (k->ops->prepare) { k->ops->prepare(k, c, aux), k->ops->prepare(k, dc, daux); }
  k->ops->deval(k, c, aux, dc, daux, x, &dv);
  k->ops->reverse(k, c, aux, x, &w, cbar, auxbar);
  double touched = 0;
  for (int i = 0; i < k->nc; i++) { touched += (cbar[i] != 0) + (auxbar[i] != 0); }
  /* both ends of an interval with their second derivatives, and of a periodic curve its ends, by their difference */
  if (k->ops->needs_knots) { CU_ASSERT(touched <= (strstr(k->name, "periodic") ? 6 : 4)); }
  CU_ASSERT(!k->ops->prepare == !k->ops->prepare_reverse);
  if (k->ops->prepare_reverse) { k->ops->prepare_reverse(k, auxbar, cbar); }
  double expected = w.y * dv.y + w.yx * dv.yx + w.yxx * dv.yxx, got = 0, scale = 1;
  for (int i = 0; i < k->nc; i++) { got += cbar[i] * dc[i], scale += fabs(cbar[i] * dc[i]); }
  CHECK_NEAR(k->name, got, expected, scale, 1e-14);
}

/* Every operator of expressions, with both operands that depend on x and on coefficients: f(c1 + c2 x^2, c3 x + c4), in third derivatives too,
 * and with a base that is negative or does not vary. */
static void test_operators(void) {
  static const double c[] = {0.3, 0.2, 0.5, 0.1}, dc[] = {0.2, -0.4, 0.3, 0.5}, x = 0.7, h = 1e-5;
  const mbd_operator_info *rule;
  for (mbd_operator op = MBD_OP_ADD; (rule = mbd_operator_at(op)) != NULL; op++) {
    mbd_operation list[] = {
        {.op = MBD_OP_LEAF, .a = 0},        {.op = MBD_OP_LEAF, .a = 1},        {.op = MBD_OP_LEAF, .a = 2},
        {.op = MBD_OP_LEAF, .a = 3},        {.op = MBD_OP_LEAF, .a = 4},        {.op = MBD_OP_MUL, .a = 0, .b = 0},
        {.op = MBD_OP_MUL, .a = 2, .b = 5}, {.op = MBD_OP_ADD, .a = 1, .b = 6}, {.op = MBD_OP_MUL, .a = 3, .b = 0},
        {.op = MBD_OP_ADD, .a = 8, .b = 4}, {.op = op, .a = 7, .b = 9}};
    const mbd_curve k = {.ops = mbd_curve_find("expression"),
                         .name = rule->name,
                         .nc = 4,
                         .value = {sizeof list / sizeof list[0], list}};
    if (!rule->f) { continue; }
    mbd_curve_value v, p, m, dv;
    double up[4], down[4];
    k.ops->eval(&k, c, NULL, x, &v), k.ops->eval(&k, c, NULL, x + h, &p), k.ops->eval(&k, c, NULL, x - h, &m);
    CHECK_CLOSE(k.name, v.y, rule->f(c[0] + c[1] * x * x, c[2] * x + c[3]), 1e-15);
    CHECK_CLOSE(k.name, v.yx, (p.y - m.y) / (2 * h), 1e-8);
    CHECK_CLOSE(k.name, v.yxx, (p.yx - m.yx) / (2 * h), 1e-8);
    CHECK_CLOSE(k.name, k.ops->third(&k, c, NULL, x), (p.yxx - m.yxx) / (2 * h), 1e-8);
    k.ops->deval(&k, c, NULL, dc, NULL, x, &dv);
    for (int i = 0; i < 4; i++) { up[i] = c[i] + h * dc[i], down[i] = c[i] - h * dc[i]; }
    k.ops->eval(&k, up, NULL, x, &p), k.ops->eval(&k, down, NULL, x, &m);
    CU_ASSERT(dv.y != 0);
    CHECK_CLOSE(k.name, dv.y, (p.y - m.y) / (2 * h), 1e-8);
    CHECK_CLOSE(k.name, dv.yx, (p.yx - m.yx) / (2 * h), 1e-8);
    CHECK_CLOSE(k.name, dv.yxx, (p.yxx - m.yxx) / (2 * h), 1e-8);
    transpose(&k, c, x, (int)op);
  }
}

static void test_transposes(void) {
  double far[40], at[40];
  for (int i = 0; i < 40; i++) { far[i] = i ? far[i - 1] + 0.1 + 0.05 * scatter(i) : -1, at[i] = scatter(7 * i); }
  for (int i = 0; mbd_curve_at(i); i++) {
    mbd_curve k = sample(i);
    for (int q = 0; q <= 50; q++) { transpose(&k, numbers, -2 + 0.1 * q, q); }
    for (int q = 0; q < 4; q++) { transpose(&k, numbers, knots[q], q); }
    if (!k.ops->needs_knots) { continue; }
    k.nc = k.nknot = 40, k.knot = far, k.naux = k.ops->naux ? k.ops->naux(40) : 0;
    for (int q = 0; q <= 50; q++) { transpose(&k, at, -1.5 + 0.11 * q, q); }
    if (k.ops->nc_min > 2) { continue; }
    k.nc = k.nknot = 2, k.naux = k.ops->naux ? k.ops->naux(2) : 0;
    for (int q = 0; q <= 5; q++) { transpose(&k, at, -1.05 + 0.05 * q, q); }
  }
  const double c[] = {0.4, 2, 1, 0.5, 3};
  const mbd_curve ramp = {.ops = mbd_curve_find("ramp"), .name = "ramp with an end", .nc = 5};
  for (int q = 0; q < 40; q++) { transpose(&ramp, c, 0.1 * q, q); }
  const double bends[] = {0.4, 0.5, -0.1, 3, 1.2, -2, 1.5, 0.3};
  const mbd_curve lines = {.ops = mbd_curve_find("piecewise_linear"), .name = "three bends", .nc = 8};
  for (int q = 0; q < 40; q++) { transpose(&lines, bends, -1 + 0.1 * q, q); }
}

static void test_values(void) {
  mbd_curve_value v = value(&(mbd_curve){.ops = mbd_curve_find("polynomial"), .nc = 4}, 2, 0);
  CHECK_CLOSE("polynomial", v.y, 0.7 + 1.3 * 2 + 0.2 * 4 + 1.4 * 8, 1e-14);
  v = value(&(mbd_curve){.ops = mbd_curve_find("harmonic"), .nc = 4}, 2, 0);
  CHECK_CLOSE("harmonic", v.y, 0.7 + 1.3 * sin(0.4 + 1.4), 1e-14);
  for (int i = 0; mbd_curve_at(i); i++) {
    mbd_curve k = sample(i);
    if (!k.ops->needs_knots || strstr(k.name, "bspline")) { continue; }
    for (int q = 0; q < 4; q++) {
      CHECK_CLOSE(k.name, value(&k, knots[q], 0).y, numbers[q], 1e-14);
    } /* through all points */
  }
  mbd_curve spline = {.ops = mbd_curve_find("spline"), .nc = 4, .nknot = 4, .knot = knots};
  CHECK_CLOSE("natural end", value(&spline, -1, 0).yxx, 0, 1e-13);
  CHECK_CLOSE("smooth at a knot", value(&spline, 0.2 - 1e-9, 0).yxx, value(&spline, 0.2 + 1e-9, 0).yxx, 1e-6);
}

/* y(x + p) = y(x) + G over several periods, with slope and curvature; and smooth where periods meet. */
static void check_periodic(const char *kind) {
  const mbd_curve k = {.ops = mbd_curve_find(kind), .nc = 4, .nknot = 4, .knot = knots};
  const double period = knots[3] - knots[0], gain = numbers[3] - numbers[0], eps = 1e-9;
  for (int turn = -3; turn <= 3; turn++) {
    for (int q = 0; q < 7; q++) {
      const double x = -0.9 + 0.4 * q;
      const mbd_curve_value v = value(&k, x, 0), w = value(&k, x + turn * period, 0);
      CHECK_CLOSE("a period later", w.y, v.y + turn * gain, 1e-13);
      CHECK_CLOSE("slope a period later", w.yx, v.yx, 1e-13);
      CHECK_CLOSE("curvature a period later", w.yxx, v.yxx, 1e-12);
    }
    const double seam = knots[0] + turn * period;
    const mbd_curve_value before = value(&k, seam - eps, 0), behind = value(&k, seam + eps, 0);
    CHECK_CLOSE("where periods meet", before.y, behind.y, 1e-8);
    CHECK_CLOSE("slope where periods meet", before.yx, behind.yx, 1e-7);
    CHECK_CLOSE("curvature where periods meet", before.yxx, behind.yxx, 1e-6);
  }
}

static void test_periodic(void) {
  check_periodic("periodic_spline");
  check_periodic("periodic_bspline");
}

/* From 0.7 to 1.3 over 0.2 .. 1.6; the ramp rises by 1.3 per unit from there on, until 3. */
static void test_step_and_ramp(void) {
  const mbd_curve step = {.ops = mbd_curve_find("step"), .nc = 4}, ramp = {.ops = mbd_curve_find("ramp"), .nc = 4};
  const double h = 1e-6;
  CHECK_CLOSE("before", value(&step, 0.2, 0).y, 0.7, 0);
  CHECK_CLOSE("after", value(&step, 1.6, 0).y, 1.3, 0);
  CHECK_CLOSE("middle", value(&step, 0.9, 0).y, 1.0, 1e-15);
  CHECK_CLOSE("steepest", value(&step, 0.9, 0).yx, 0.6 * 140 / 64 / 1.4, 1e-15);
  CHECK_CLOSE("at a quarter", value(&step, 0.55, 0).y, 0.7 + 0.6 * (35 * 64 - 84 * 16 + 70 * 4 - 20) / 16384., 1e-15);
  for (int end = 0; end < 2; end++) { /* still smooth in the second derivative */
    double x = end ? 1.6 : 0.2;
    CHECK_CLOSE("step's second derivative at an end", value(&step, x - h, 0).yxx, value(&step, x + h, 0).yxx, 1e-9);
  }
  CHECK_CLOSE("level", value(&ramp, 0.1, 0).y, 0.7, 0);
  CHECK_CLOSE("line", value(&ramp, 2.6, 0).y, 0.7 + 1.3 * (2.6 - 0.9), 1e-14);
  CHECK_CLOSE("slope", value(&ramp, 2.6, 0).yx, 1.3, 0);
  for (int i = 0; i < 4; i++) { /* the ramp's slope is a step of height 1.3 */
    double x = 0.3 + 0.4 * i;
    CHECK_CLOSE("slope in the bend", value(&ramp, x, 0).yx / 1.3, (value(&step, x, 0).y - 0.7) / 0.6, 1e-14);
  }
}

/* A ramp with an end, in value and in all five coefficients. */
static void test_ramp_with_end(void) {
  const mbd_curve k = {.ops = mbd_curve_find("ramp"), .nc = 5};
  const double c[] = {0.4, 2, 1, 0.5, 3}, dc[] = {0.3, -0.2, 0.5, 0.7, -0.6}, h = 1e-6;
  mbd_curve_value v, p, m, dv;
  k.ops->eval(&k, c, NULL, 9, &v);
  CHECK_CLOSE("level after the ramp", v.y, 0.4 + 2 * (3 - 1), 1e-14);
  CHECK_CLOSE("slope after the ramp", v.yx, 0, 1e-15);
  for (int q = 0; q < 8; q++) {
    double x = 0.6 + 0.45 * q, cp[5], cm[5];
    for (int i = 0; i < 5; i++) { cp[i] = c[i] + h * dc[i], cm[i] = c[i] - h * dc[i]; }
    k.ops->eval(&k, cp, NULL, x, &p), k.ops->eval(&k, cm, NULL, x, &m);
    k.ops->deval(&k, c, NULL, dc, NULL, x, &dv);
    CHECK_CLOSE("dy", dv.y, (p.y - m.y) / (2 * h), 1e-8);
    CHECK_CLOSE("dyx", dv.yx, (p.yx - m.yx) / (2 * h), 1e-7);
    CHECK_CLOSE("dyxx", dv.yxx, (p.yxx - m.yxx) / (2 * h), 1e-6);
  }
}

static mbd_status check(const mbd_curve_ops *ops, int nc, const double *c, int nknot, const double *knot,
                        mbd_error *err) {
  return curve_check(ops, "c", nc, c, nknot, knot, err);
}

static void test_widths(void) {
  static const double flat[] = {0, 1, 2, 0}, backwards[] = {0, 1, 2, 0.5, 2};
  static const char *const names[] = {"step", "ramp"};
  mbd_error err;
  for (int i = 0; i < 2; i++) {
    CU_ASSERT_EQUAL(check(mbd_curve_find(names[i]), 4, flat, 0, NULL, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, "curve 'c': c3 = 0 is a width, expected > 0");
  }
  CU_ASSERT_EQUAL(check(mbd_curve_find("ramp"), 5, backwards, 0, NULL, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "ends at 2, expected an end after its start at 2");
}

static void test_messages(void) {
  static const double falling[] = {0, 2, 1, 3}, bad[] = {1, NAN, 2, 3};
  mbd_error err;
  for (int i = 0; mbd_curve_at(i); i++) {
    const mbd_curve_ops *ops = mbd_curve_at(i);
    CU_ASSERT_EQUAL(check(ops, 4, numbers, ops->needs_knots ? 4 : 0, knots, &err), MBD_OK);
    CU_ASSERT_EQUAL(check(ops, 4, bad, ops->needs_knots ? 4 : 0, knots, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, "curve 'c': coefficient 2");
    if (!ops->needs_knots) { continue; }
    CU_ASSERT_EQUAL(check(ops, 4, numbers, 4, falling, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, "knot 3 = 1 follows 2");
    CU_ASSERT_EQUAL(check(ops, 4, numbers, 3, knots, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, "3 knots for 4 coefficients");
  }
}

TEST_MAIN(TEST(test_derivatives), TEST(test_transposes), TEST(test_operators), TEST(test_values), TEST(test_periodic),
          TEST(test_step_and_ramp), TEST(test_ramp_with_end), TEST(test_widths), TEST(test_messages))
