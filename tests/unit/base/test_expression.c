/* Expressions: every operator of the table against differences, first derivatives and second ones, so that a new one is covered on
 * arrival; and their sums where a leaf is read twice, stands still, or has an infinite slope. */
#include "base/expression.h"
#include "base/operator.h"
#include "test.h"

enum { N = 8 };

/* The value at x, its derivatives g [2], and the change of these along dx. */
static double evaluate(const mbd_expression *e, const double *x, const double *dx, double *g, double *change) {
  double v[N], dv[N], bar[N], dbar[N];
  mbd_expression_values(e, NULL, x, dx, v, dv);
  g[0] = g[1] = change[0] = change[1] = 0;
  mbd_expression_reverse(e, NULL, v, NULL, 1, bar, NULL, g);
  mbd_expression_reverse(e, NULL, v, dv, 1, bar, dbar, change);
  return v[e->n - 1];
}

/* Against central differences along dx. */
static void check(const char *name, const mbd_expression *e, const double *x, const double *dx) {
  const double h = 1e-6;
  double up[2], down[2], g_up[2], g_down[2], g[2], change[2], unused[2];
  for (int k = 0; k < 2; k++) { up[k] = x[k] + h * dx[k], down[k] = x[k] - h * dx[k]; }
  const double y_up = evaluate(e, up, dx, g_up, unused), y_down = evaluate(e, down, dx, g_down, unused);
  evaluate(e, x, dx, g, change);
  CU_ASSERT(g[0] != 0 || g[1] != 0);
  CHECK_CLOSE(name, g[0] * dx[0] + g[1] * dx[1], (y_up - y_down) / (2 * h), 1e-8);
  for (int k = 0; k < 2; k++) { CHECK_CLOSE(name, change[k], (g_up[k] - g_down[k]) / (2 * h), 1e-8); }
}

static void test_operators(void) {
  const double x[2] = {0.3, 0.7}, dx[2] = {0.8, -1.3};
  const mbd_operator_info *rule;
  int count = 0;
  for (mbd_operator op = MBD_OP_ADD; (rule = mbd_operator_at(op)) != NULL; op++) {
    if (!rule->f) { continue; } /* curves, of which quantities are tested */
    count++;
    mbd_operation list[] = {{.op = MBD_OP_LEAF, .a = 0}, {.op = MBD_OP_LEAF, .a = 1}, {.op = op, .a = 0, .b = 1}};
    check(rule->name, &(mbd_expression){3, list}, x, dx);
    CU_ASSERT_EQUAL(mbd_operator_find(rule->name), (int)op);
  }
  CU_ASSERT_EQUAL(count, MBD_OP_POW - MBD_OP_ADD + 1);
  CU_ASSERT_EQUAL(mbd_operator_find("sinus"), -1);
  CU_ASSERT_EQUAL(mbd_operator_find("curve"), -1);
}

/* x*y/(2 + x), whose leaf x is read by two operations. */
static void test_shared_leaf(void) {
  mbd_operation list[] = {{.op = MBD_OP_LEAF, .a = 0},        {.op = MBD_OP_LEAF, .a = 1},
                          {.op = MBD_OP_MUL, .a = 0, .b = 1}, {.op = MBD_OP_NUMBER, .number = 2},
                          {.op = MBD_OP_ADD, .a = 3, .b = 0}, {.op = MBD_OP_DIV, .a = 2, .b = 4}};
  check("shared leaf", &(mbd_expression){6, list}, (const double[]){0.3, 0.7}, (const double[]){0.8, -1.3});
}

/* x^2 (sqrt(y) + 1) at y = 0, which stands still: the derivatives by x are right. */
static void test_infinite_slope(void) {
  mbd_operation list[] = {{.op = MBD_OP_LEAF, .a = 0},        {.op = MBD_OP_LEAF, .a = 1},
                          {.op = MBD_OP_SQRT, .a = 1},        {.op = MBD_OP_NUMBER, .number = 1},
                          {.op = MBD_OP_ADD, .a = 2, .b = 3}, {.op = MBD_OP_MUL, .a = 0, .b = 0},
                          {.op = MBD_OP_MUL, .a = 5, .b = 4}};
  double g[2], change[2];
  CHECK_CLOSE("value", evaluate(&(mbd_expression){7, list}, (const double[]){3, 0}, (const double[]){1, 0}, g, change),
              9, 0);
  CHECK_CLOSE("slope", g[0], 6, 0);
  CHECK_CLOSE("curvature", change[0], 2, 0);
  CU_ASSERT(isinf(g[1]));
}

TEST_MAIN(TEST(test_operators), TEST(test_shared_leaf), TEST(test_infinite_slope))
