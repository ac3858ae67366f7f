/* Expressions and their derivatives; the resolved configuration means the same; the Jacobian from design variables to
 * coefficients. */
#include <sys/stat.h>
#include <unistd.h>

#include "config/expr.h"
#include "base/nearest.h"
#include "config/config.h"
#include "test.h"

static const double scalars[] = {0.7, 1.9};

static double evaluate(const char *text, double *partial) {
  mbo_expr e;
  mbd_error err;
  double v = NAN;
  CU_ASSERT_EQUAL_FATAL(mbo_expr_parse(text, &e, &err), MBD_OK);
  for (int i = 0; i < e.nname; i++) { e.index[i] = strcmp(e.name[i], "b") == 0; }
  double p[8] = {0};
  CU_ASSERT_EQUAL(mbo_expr_eval(&e, scalars, &v, p, &err), MBD_OK);
  for (int i = 0; i < e.nname && partial; i++) { partial[e.index[i]] = p[i]; }
  mbo_expr_free(&e);
  return v;
}

static void test_values(void) {
  CHECK_CLOSE("precedence", evaluate("1+2*3^2", NULL), 19, 0);
  CHECK_CLOSE("minus and power", evaluate("-2^2", NULL), -4, 0);
  CHECK_CLOSE("right associative", evaluate("2^3^2", NULL), 512, 0);
  CHECK_CLOSE("negative exponent", evaluate("2^-1", NULL), 0.5, 0);
  CHECK_CLOSE("left associative", evaluate("8/4/2 - 3 - 2", NULL), -4, 0);
  CHECK_CLOSE("functions", evaluate("atan2(1, 1) + hypot(3, 4) + max(1, min(2, 3))", NULL), atan(1) + 7, 1e-15);
  CHECK_CLOSE("numbers", evaluate("1.5e-3 + .5 + 2.", NULL), 2.5015, 1e-15);
  CHECK_CLOSE("pi", evaluate("cos(pi)", NULL), -1, 1e-15);
}

static void test_derivatives(void) {
  static const char *const texts[] = {"a*b + a/b - b^a",
                                      "sin(a)*cos(b) + tan(a)",
                                      "asin(a) + acos(a)*b + atan(b)",
                                      "sqrt(a + b^2) + exp(-a) + log(b)",
                                      "atan2(a, b) + hypot(a, b)",
                                      "abs(a - b) + pow(b, 3)",
                                      "min(a, b) * max(a, b)",
                                      "(a + b)^2 / (1 + a^2)"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    double p[2] = {0, 0}, h = 1e-6;
    evaluate(texts[i], p);
    for (int k = 0; k < 2; k++) {
      mbo_expr e;
      mbd_error err;
      double x[2] = {scalars[0], scalars[1]}, up, down;
      mbo_expr_parse(texts[i], &e, &err);
      for (int q = 0; q < e.nname; q++) { e.index[q] = strcmp(e.name[q], "b") == 0; }
      x[k] = scalars[k] + h;
      mbo_expr_eval(&e, x, &up, NULL, &err);
      x[k] = scalars[k] - h;
      mbo_expr_eval(&e, x, &down, NULL, &err);
      CHECK_CLOSE(texts[i], p[k], (up - down) / (2 * h), 1e-8);
      mbo_expr_free(&e);
    }
  }
}

static void test_errors(void) {
  static const char *const bad[][2] = {{"1 +", "column 4: found the end"},      {"(1", "expected ')'"},
                                       {"1 2", "expected an operator"},         {"sinn(1)", "did you mean 'sin'?"},
                                       {"min(1)", "expected ',' and a second"}, {"3 $ 4", "found '$ 4'"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    mbo_expr e;
    mbd_error err;
    CU_ASSERT_EQUAL(mbo_expr_parse(bad[i][0], &e, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, bad[i][1]);
  }
}

static void test_nearest(void) {
  CU_ASSERT_EQUAL(mbd_edit_distance("spring", "sprnig"), 1);
  CU_ASSERT_EQUAL(mbd_edit_distance("abc", ""), 3);
  mbd_nearest n = {.requested = "stifness"};
  char text[64];
  mbd_nearest_offer(&n, "damping");
  mbd_nearest_offer(&n, "stiffness");
  CU_ASSERT_STRING_EQUAL(mbd_nearest_text(&n, text, sizeof text),
                         ", did you mean 'stiffness'?"); /* no space for a list */
  char hint[MBD_HINT];
  CU_ASSERT_STRING_EQUAL(mbd_nearest_text(&n, hint, sizeof hint),
                         ", did you mean 'stiffness'? (known: stiffness, damping)");
  n.listed = 1;
  CU_ASSERT_STRING_EQUAL(mbd_nearest_text(&n, hint, sizeof hint), ", did you mean 'stiffness'?");
  /* Nothing near: the nearest of many, each once; those of equal distance in their order. */
  static const char *const names[] = {"aaaa", "bbbb", "bbbb", "xzzx", "cccc", "dddd",
                                      "eeee", "ffff", "gggg", "hhhh", "zzxx"};
  mbd_nearest far = {.requested = "zzzzyyyy"};
  for (int i = 0; i < 11; i++) { mbd_nearest_offer(&far, names[i]); }
  CU_ASSERT_STRING_EQUAL(mbd_nearest_text(&far, hint, sizeof hint),
                         " (known: xzzx, zzxx, aaaa, bbbb, cccc, dddd, eeee, ffff and 2 more)");
}

static void test_resolved_is_the_same(void) {
  mbo_run_config *a, *b;
  mbd_error err = {0};
  char path[] = "/tmp/mbopt_config_XXXXXX", *first = NULL, *second = NULL;
  size_t n1, n2;
  const char *const set[] = {"case.swing.step=0.002", "optimizer.tol_f=1e-7"};
  CU_ASSERT_EQUAL_FATAL(mbo_run_config_read(MBOPT_SOURCE_DIR "/configs/five_bar.ini", 2, set, &a, &err), MBD_OK);
  CHECK_CLOSE("--set", a->cases[0].simulation.step, 0.002, 0);
  FILE *out = fdopen(mkstemp(path), "w");
  mbo_run_config_write(a, out);
  fclose(out);
  mbd_status status = mbo_run_config_read(path, 0, NULL, &b, &err);
  if (status != MBD_OK) { printf("\n  %s\n", err.text); }
  CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
  FILE *x = open_memstream(&first, &n1), *y = open_memstream(&second, &n2);
  mbo_run_config_write(a, x), mbo_run_config_write(b, y);
  fclose(x), fclose(y);
  CU_ASSERT_STRING_EQUAL(strchr(first, '\n'), strchr(second, '\n')); /* all but the line that names the file */
  free(first), free(second);
  mbo_run_config_destroy(a), mbo_run_config_destroy(b);
  unlink(path);
}

/* A model's path longer than a line, whose parts look like keys and sections. */
static void test_long_path(void) {
  char folder[] = "/tmp/mbopt_long_XXXXXX", path[600], run[700], resolved[700], equals[150 + 1] = "",
       brackets[150 + 1] = "";
  mbo_run_config *a, *b;
  mbd_error err = {0};
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  memset(equals, '=', 150), memset(brackets, '[', 150);
  snprintf(path, sizeof path, "%s/%s%s", folder, equals, brackets + 60);
  snprintf(run, sizeof run, "%s/run.ini", path), snprintf(resolved, sizeof resolved, "%s/resolved.ini", path);
  CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
  FILE *out = fopen(run, "w");
  fprintf(out, "schema = 1\n[model]\nfile = \\\n  model\\ ; goes on\n\n  =.ini\n[case c]\nduration = 1\nstep = 0.1\n");
  fprintf(out, "[objective o]\nof = energy.total\nform = terminal\n");
  fclose(out);
  must(mbo_run_config_read(run, 0, NULL, &a, &err), &err);
  CHECK_CONTAINS(a->model_path, "[[[/model=.ini");
  out = fopen(resolved, "w");
  mbo_run_config_write(a, out);
  fclose(out);
  must(mbo_run_config_read(resolved, 0, NULL, &b, &err), &err);
  CU_ASSERT_STRING_EQUAL(b->model_path, a->model_path);
  mbo_run_config_destroy(a), mbo_run_config_destroy(b);
  unlink(run), unlink(resolved), rmdir(path), rmdir(folder);
}

/* d theta / d rho against differences, with scalars that depend on the design variables. */
static void test_jacobian(void) {
  static const char *const vary[] = {"x1", "y2", "k1"};
  const double rho[] = {-1.05, -1.9, 90}, h = 1e-6;
  mbo_model_file *f;
  mbd_error err = {0};
  const int *start, *index;
  const double *value;
  int entries = 0;
  CU_ASSERT_EQUAL_FATAL(
      mbo_model_file_read(MBOPT_SOURCE_DIR "/problems/five_bar/five_bar.ini", 0, NULL, NULL, &f, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_vary(f, 3, vary, &err), MBD_OK);
  int nc = mbd_spec_ncoef(mbo_model_file_spec(f));
  double *dense = calloc((size_t)nc * 3, sizeof *dense), *up = calloc((size_t)nc, sizeof *up),
         *down = calloc((size_t)nc, sizeof *down);
  CU_ASSERT_EQUAL(mbo_model_file_eval(f, rho, up, &start, &index, &value, &err), MBD_OK);
  for (int j = 0; j < 3; j++) {
    for (int k = start[j]; k < start[j + 1]; k++, entries++) { dense[index[k] * 3 + j] += value[k]; }
  }
  CU_ASSERT(entries > 3);
  for (int j = 0; j < 3; j++) {
    double x[3] = {rho[0], rho[1], rho[2]};
    x[j] = rho[j] + h;
    mbo_model_file_eval(f, x, up, NULL, NULL, NULL, &err);
    x[j] = rho[j] - h;
    mbo_model_file_eval(f, x, down, NULL, NULL, NULL, &err);
    for (int k = 0; k < nc; k++) {
      CHECK_CLOSE(mbd_spec_coef_name(mbo_model_file_spec(f), k), dense[k * 3 + j], (up[k] - down[k]) / (2 * h), 1e-7);
    }
  }
  free(dense), free(up), free(down);
  mbo_model_file_destroy(f);
}

TEST_MAIN(TEST(test_values), TEST(test_derivatives), TEST(test_errors), TEST(test_nearest),
          TEST(test_resolved_is_the_same), TEST(test_long_path), TEST(test_jacobian))
