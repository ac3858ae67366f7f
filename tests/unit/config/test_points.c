/* Curves with many control points: given by number and a function of x, and varied one by one. */
#include "config/expr.h"
#include "edited.h"

static const char model_text[] =
    "schema = 1\n"
    "[scalars]\n"
    "n = 5\n"
    "m = 2\n"
    "amplitude = 3\n"
    "twice = 2*amplitude\n"
    "[body bar]\n"
    "mass = m\n"
    "com = 1, 0, 0\n"
    "inertia = 0, 0, m/12\n"
    "[point O]\n"
    "at = 0, 0, 0\n"
    "bodies = ground, bar\n"
    "[vector u]\n"
    "along = 0, 0, 1\n"
    "bodies = ground, bar\n"
    "[curve drive]\n"
    "type = spline\n"
    "points = n\n"
    "from = 1\n"
    "to = n\n"
    "value = twice*x^2 + x\n"
    "[curve wave]\n"
    "type = harmonic\n"
    "coefficients = 0, 1, 2, 3\n";

static int coefficient(const mbo_model_file *m, const char *name) {
  const mbd_spec *s = mbo_model_file_spec(m);
  for (int k = 0; k < mbd_spec_ncoef(s); k++) {
    if (strcmp(mbd_spec_coef_name(s, k), name) == 0) { return k; }
  }
  return -1;
}

static void test_bind(void) {
  mbo_expr e;
  mbd_error err = {0};
  const double scalar[] = {10};
  double value, partial[2] = {0};
  CU_ASSERT_EQUAL_FATAL(mbo_expr_parse("a + x*b2 - x/a", &e, &err), MBD_OK);
  CU_ASSERT_EQUAL(mbo_expr_bind(&e, "y", 7), 0);
  CU_ASSERT_EQUAL(mbo_expr_bind(&e, "x", 4), 1);
  CU_ASSERT_EQUAL(mbo_expr_bind(&e, "b2", 3), 1);
  CU_ASSERT_EQUAL_FATAL(e.nname, 1);
  CU_ASSERT_STRING_EQUAL(e.name[0], "a");
  e.index[0] = 0;
  CU_ASSERT_EQUAL(mbo_expr_eval(&e, scalar, &value, partial, &err), MBD_OK);
  CHECK_CLOSE("value", value, 10 + 12 - 0.4, 1e-15);
  CHECK_CLOSE("d/da", partial[0], 1 + 0.04, 1e-15);
  mbo_expr_free(&e);
}

/* Values of a function of x, whose scalars may still vary. */
static void test_values(void) {
  static const char *const vary[] = {"amplitude"};
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  int n = 0;
  const int *start, *index;
  const double *value, rho[] = {4};
  CU_ASSERT_EQUAL_FATAL(read_model(model_text, &m, &err), MBD_OK);
  CU_ASSERT_EQUAL(mbo_model_file_points(m, "drive", &n, &err), MBD_OK);
  CU_ASSERT_EQUAL(n, 5);
  for (int i = 1; i <= 5; i++) { CHECK_CLOSE("value", mbo_model_file_ordinate(m, "drive", i), 6.0 * i * i + i, 1e-14); }
  double *theta = calloc((size_t)mbd_spec_ncoef(mbo_model_file_spec(m)), sizeof *theta);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_vary(m, 1, vary, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_eval(m, rho, theta, &start, &index, &value, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(start[1] - start[0], 5);
  for (int i = 0; i < 5; i++) {
    CU_ASSERT_EQUAL(index[i], coefficient(m, "curve.drive.1") + i);
    CHECK_CLOSE("d/d amplitude", value[i], 2.0 * (i + 1) * (i + 1), 1e-14);
    CHECK_CLOSE("theta", theta[index[i]], 8.0 * (i + 1) * (i + 1) + i + 1, 1e-14);
  }
  free(theta);
  mbo_model_file_destroy(m);
}

/* Control points take the place of their expressions; scalars beside them go their own way. */
static void test_vary(void) {
  static const char *const vary[] = {"curve.drive.2", "m", "curve.drive.5"};
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  const int *start, *index;
  const double *value, rho[] = {-7, 3, 11};
  CU_ASSERT_EQUAL_FATAL(read_model(model_text, &m, &err), MBD_OK);
  double *theta = calloc((size_t)mbd_spec_ncoef(mbo_model_file_spec(m)), sizeof *theta);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_vary(m, 3, vary, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_eval(m, rho, theta, &start, &index, &value, &err), MBD_OK);
  CU_ASSERT_EQUAL(start[1] - start[0], 1);
  CU_ASSERT_EQUAL(index[start[0]], coefficient(m, "curve.drive.2"));
  CHECK_CLOSE("identity", value[start[0]], 1, 0);
  CU_ASSERT_EQUAL(start[2] - start[1], 2);
  CU_ASSERT_EQUAL(index[start[1]], coefficient(m, "body.bar.mass"));
  CU_ASSERT_EQUAL(index[start[2]], coefficient(m, "curve.drive.5"));
  CHECK_CLOSE("point 1", theta[coefficient(m, "curve.drive.1")], 7, 1e-14);
  CHECK_CLOSE("point 2", theta[coefficient(m, "curve.drive.2")], -7, 0);
  CHECK_CLOSE("point 5", theta[coefficient(m, "curve.drive.5")], 11, 0);
  CHECK_CLOSE("mass", theta[coefficient(m, "body.bar.mass")], 3, 0);
  free(theta);
  mbo_model_file_destroy(m);
}

/* Points from a file vary like any others. */
static void test_file(void) {
  static const char *const vary[] = {"curve.road.2"};
  char path[] = "/tmp/mbopt_road_XXXXXX", text[2000], section[100];
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  int n = 0;
  const int *start, *index;
  const double *value, rho[] = {9};
  write_file(path, "0, 1\n1, 2\n3, 4\n");
  snprintf(section, sizeof section, "[curve road]\ntype = table\nfile = %s\n", path);
  edit(text, sizeof text, model_text, "", section);
  CU_ASSERT_EQUAL_FATAL(read_model(text, &m, &err), MBD_OK);
  unlink(path);
  CU_ASSERT_EQUAL(mbo_model_file_points(m, "road", &n, &err), MBD_OK);
  CU_ASSERT_EQUAL(n, 3);
  CHECK_CLOSE("ordinate", mbo_model_file_ordinate(m, "road", 3), 4, 0);
  double *theta = calloc((size_t)mbd_spec_ncoef(mbo_model_file_spec(m)), sizeof *theta);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_vary(m, 1, vary, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_eval(m, rho, theta, &start, &index, &value, &err), MBD_OK);
  CU_ASSERT_EQUAL(start[1] - start[0], 1);
  CU_ASSERT_EQUAL(index[0], coefficient(m, "curve.road.2"));
  CHECK_CLOSE("theta", theta[index[0]], 9, 0);
  free(theta);
  mbo_model_file_destroy(m);
}

static void test_refused(void) {
  static const struct {
    const char *what[2], *message;
  } cases[] = {
      {{"n", "m"}, "scalar 'n' of /tmp/mbopt_model_"},
      {{"n", "m"}, "determines the points of curve 'drive', so it cannot vary"},
      {{"curve.drive.0", "m"}, "'curve.drive.0' is no control point"},
      {{"curve.drive.6", "m"}, "'curve.drive.6' is no control point"},
      {{"curve.wave.1", "m"}, "'curve.wave.1' is no control point"},
      {{"curve.drive.99999999999999999999", "m"}, "is no control point: curve 'drive' of "},
      {{"curve.drive.2x", "m"}, " has 5 of them, curve.NAME.1 the first"},
      {{"curve.driv.1", "m"}, "curve.driv.1: curve 'driv' is not known in "},
      {{"curve.driv.1", "m"}, ", did you mean 'drive'?"},
      {{"curve.drive.2", "amplitude"}, "varies already with scalar 'twice'; expected one of the two"},
      {{"mm", "m"}, "did you mean 'm'?"},
  };
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  int n;
  CU_ASSERT_EQUAL_FATAL(read_model(model_text, &m, &err), MBD_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    CU_ASSERT_EQUAL(mbo_model_file_vary(m, 2, cases[i].what, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
  }
  CU_ASSERT_EQUAL(mbo_model_file_points(m, "driv", &n, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "did you mean 'drive'?");
  CU_ASSERT_EQUAL(mbo_model_file_points(m, "wave", &n, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "curve 'wave' of /tmp/mbopt_model_");
  CHECK_CONTAINS(err.text, "has no control points; expected one with knots");
  mbo_model_file_destroy(m);
}

static void test_broken(void) {
  static const broken_case cases[] = {
      {"points = n", "points = n/2", ":19: [curve drive] points = n/2: the value is 2.5, expected a whole number"},
      {"points = n", "points = 1", ":19: [curve drive] points = 1: the value is 1, expected a whole number from 2"},
      {"points = n", "points = k", ":19: [curve drive] points = k: scalar 'k' is not known"},
      {"points = n", "points = n\nknots = 1, 2", "expected 'from' and 'to' with 'points', not 'knots'"},
      {"points = n", "coefficients = 1, 2", ":22: [curve drive] value = twice*x^2 + x: a value over x belongs to"},
      {"points = n", "points = n\nfile = a.csv", "expected one of 'coefficients', 'file' and 'points'"},
      {"from = 1\n", "", "key 'from' is missing: where the first knot is"},
      {"twice*x^2 + x", "twoce*x", "scalar 'twoce' is not known, did you mean 'twice'?"},
      {"m = 2", "m = 2\nx = 1", "x is the abscissa here, but also a scalar; expected another name for that"},
      {"x^2", "log(x - 1)", "'log' of 0 is"},
      {"type = harmonic\n", "type = harmonic\npoints = 3\n",
       "this type of curve has no knots, expected 'coefficients'"},
  };
  check_broken_models(model_text, sizeof cases / sizeof cases[0], cases);
}

TEST_MAIN(TEST(test_bind), TEST(test_values), TEST(test_vary), TEST(test_file), TEST(test_refused), TEST(test_broken))
