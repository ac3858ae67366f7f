/* Second derivatives of expressions, and of coefficients in design variables. */
#include "config/expr.h"
#include "edited.h"

static void parse(const char *text, mbo_expr *e) {
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(mbo_expr_parse(text, e, &err), MBD_OK);
  for (int q = 0; q < e->nname; q++) { e->index[q] = strcmp(e->name[q], "b") == 0; }
}

/* Every function: the change of the gradient along a direction against differences of the gradient. */
static void test_expressions(void) {
  static const char *const texts[] = {"a*b + a/b - b^a + a - b",
                                      "sin(a)*cos(b) + tan(a*b)",
                                      "asin(a*b/2) + acos(a)*b + atan(b*b)",
                                      "sqrt(a + b^2) + exp(-a*b) + log(b*a)",
                                      "atan2(a*b, b) + atan2(a, b) + hypot(a, b)",
                                      "abs(a - b)*a^2 + pow(b, 3) + pow(a, b)",
                                      "min(a, b) * max(a, b)^2",
                                      "(a + b)^2 / (1 + a^2) + 2^a - (-b)^3"};
  const double at[2] = {0.3, 1.7}, direction[2] = {0.8, -1.3}, h = 1e-6;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    mbo_expr e;
    mbd_error err = {0};
    double value, side[2][2], exact[2], d[2];
    parse(texts[i], &e);
    for (int p = 0; p < 2; p++) { d[p] = direction[e.index[p]]; }
    for (int k = 0; k < 2; k++) {
      const double step = k ? -h : h, x[2] = {at[0] + step * direction[0], at[1] + step * direction[1]};
      CU_ASSERT_EQUAL(mbo_expr_eval(&e, x, &value, side[k], &err), MBD_OK);
    }
    mbo_expr_second(&e, at, d, exact);
    for (int p = 0; p < 2; p++) { CHECK_CLOSE(texts[i], exact[p], (side[0][p] - side[1][p]) / (2 * h), 1e-8); }
    mbo_expr_free(&e);
  }
}

static double second_of(const char *text, double a, double b, double da, double db) {
  mbo_expr e;
  const double x[2] = {a, b}, d[2] = {da, db};
  double change[2];
  parse(text, &e);
  mbo_expr_second(&e, x, d, change);
  mbo_expr_free(&e);
  return change[0];
}

/* Where parts of the rules are singular, though the expression is not. */
static void test_corners(void) {
  CHECK_CLOSE("square at 0", second_of("a^2", 0, 0, 1, 0), 2, 0);
  CHECK_CLOSE("first power at 0", second_of("a^1", 0, 0, 1, 0), 0, 0);
  CHECK_CLOSE("cube of a negative number", second_of("a^3", -2, 0, 1, 0), -12, 1e-14);
  CHECK_CLOSE("a root of what does not move", second_of("a^2 + sqrt(b)", 3, 0, 1, 0), 2, 0);
  CHECK_CLOSE("times a root of what does not move", second_of("a^2*(1 + sqrt(b))", 3, 0, 1, 0), 2, 0);
  CU_ASSERT(isinf(second_of("a^1.5", 0, 0, 1, 0)));
}

/* ---- coefficients ---- */

static const char model_text[] =
    "schema = 1\n"
    "[scalars]\n"
    "x = 0.4\n"
    "y = 1.3\n"
    "fixed = 0\n"
    "area = x*y + sqrt(fixed)\n"
    "volume = area^2*sin(x) + y\n"
    "bent = y^1.5\n"
    "[body bar]\n"
    "mass = volume + 2*x\n"
    "com = area/(1 + y), x^2, bent\n"
    "inertia = volume*area, hypot(x, y), 3\n"
    "[point O]\n"
    "at = x, 0, exp(area)\n"
    "bodies = ground, bar\n"
    "[vector u]\n"
    "along = 0, 0, 1\n"
    "bodies = ground, bar\n";

enum { N = 2 };

static mbo_model_file *open_model(void) {
  static const char *const vary[N] = {"x", "y"};
  mbo_model_file *f;
  mbd_error err = {0};
  must(read_model(model_text, &f, &err), &err);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_vary(f, N, vary, &err), MBD_OK);
  return f;
}

/* J' weight [N] */
static void weighted_gradient(mbo_model_file *f, const double *rho, const double *weight, double *theta, double *g) {
  mbd_error err = {0};
  const int *start, *index;
  const double *value;
  CU_ASSERT_EQUAL(mbo_model_file_eval(f, rho, theta, &start, &index, &value, &err), MBD_OK);
  for (int j = 0; j < N; j++) {
    g[j] = 0;
    for (int i = start[j]; i < start[j + 1]; i++) { g[j] += value[i] * weight[index[i]]; }
  }
}

static void test_coefficients(void) {
  mbo_model_file *f = open_model();
  mbd_error err = {0};
  const int nc = mbd_spec_ncoef(mbo_model_file_spec(f));
  const double rho[N] = {0.4, 1.3}, h = 1e-6;
  double *weight = calloc((size_t)nc, sizeof *weight), *theta = calloc((size_t)nc, sizeof *theta);
  double H[N * N] = {0}, up[N], down[N], g[N];
  for (int k = 0; k < nc; k++) { weight[k] = cos(1 + 2.4 * k); }
  weighted_gradient(f, rho, weight, theta, g);
  CU_ASSERT_EQUAL(mbo_model_file_second(f, weight, NULL, H, &err), MBD_OK);
  for (int j = 0; j < N; j++) {
    double x[N] = {rho[0], rho[1]};
    x[j] = rho[j] + h;
    weighted_gradient(f, x, weight, theta, up);
    x[j] = rho[j] - h;
    weighted_gradient(f, x, weight, theta, down);
    for (int i = 0; i < N; i++) { CHECK_CLOSE("second derivative", H[i * N + j], (up[i] - down[i]) / (2 * h), 1e-8); }
  }
  CHECK_CLOSE("symmetry", H[1], H[2], 1e-14);
  free(weight), free(theta);
  mbo_model_file_destroy(f);
}

/* x^2 is flat at x = 0, yet moves; a power of 3/2 has no second derivative at 0. */
static void test_singular(void) {
  mbo_model_file *f = open_model();
  mbd_error err = {0};
  const mbd_spec *s = mbo_model_file_spec(f);
  const int nc = mbd_spec_ncoef(s);
  unsigned char *moved = calloc((size_t)nc, 1);
  double *weight = calloc((size_t)nc, sizeof *weight), *theta = calloc((size_t)nc, sizeof *theta), H[N * N] = {0}, g[N];
  mbo_model_file_moved(f, moved);
  int y = 0;
  while (y < nc && strcmp(mbd_spec_coef_name(s, y), "body.bar.com.y") != 0) { y++; }
  CU_ASSERT_FATAL(y + 1 < nc);
  weight[y] = 1;
  const double flat[N] = {0, 1.3}, bent[N] = {0.4, 0};
  weighted_gradient(f, flat, weight, theta, g);
  CU_ASSERT_EQUAL(mbo_model_file_second(f, weight, NULL, H, &err), MBD_OK);
  CHECK_CLOSE("flat", g[0], 0, 0);
  CHECK_CLOSE("curved", H[0], 2, 0);
  CU_ASSERT(moved[y]);
  int fixed = 0;
  for (int k = 0; k < nc; k++) { fixed += !moved[k]; }
  CU_ASSERT(fixed > 0);
  weight[y] = 0, weight[y + 1] = 1;
  weighted_gradient(f, bent, weight, theta, g);
  CU_ASSERT_EQUAL(mbo_model_file_second(f, weight, NULL, H, &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "expression 'y^1.5' has no finite second derivative in 'y'");
  free(moved), free(weight), free(theta);
  mbo_model_file_destroy(f);
}

TEST_MAIN(TEST(test_expressions), TEST(test_corners), TEST(test_coefficients), TEST(test_singular))
