/* A run file as a handle: what it answers is what the program's own parts answer, for values, gradients of every method, motions and
 * optimizations; settings change it or leave it as it was; handles do not disturb each other. */
#include "mbo/run.h"

#include <pthread.h>

#include "fit/fit.h"
#include "mbd/linearize.h"
#include "mbd/version.h"
#include "mbo/fit.h"
#include "mbo/model_file.h"
#include "opened_run.h"
#include "test.h"

static const char *const swing[] = {"case.swing.duration=0.1"};

static mbo_run *opened(const char *file, int n, const char *const *set) {
  char path[512];
  mbo_run *r = NULL;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  must(mbo_run_open(path, n, set, &r, &err), &err);
  mbo_run_threads(r, 1);
  return r;
}

static void test_names(void) {
  mbo_run *r = opened("configs/five_bar.ini", 1, swing);
  CU_ASSERT_EQUAL(mbo_api(), MBO_API);
  CU_ASSERT_EQUAL_FATAL(mbo_run_variables(r), 2);
  CU_ASSERT_STRING_EQUAL(mbo_run_variable(r, 0), "Ls1");
  CU_ASSERT_PTR_NULL(mbo_run_variable(r, 2));
  CU_ASSERT_PTR_NULL(mbo_run_variable(r, -1));
  CU_ASSERT_TRUE(mbo_run_lower(r)[0] < mbo_run_start(r)[0] && mbo_run_start(r)[0] < mbo_run_upper(r)[0]);
  CU_ASSERT_TRUE(mbo_run_scale(r)[0] > 0);
  CU_ASSERT_EQUAL(mbo_run_cases(r), 1);
  CU_ASSERT_STRING_EQUAL(mbo_run_case(r, 0), "swing");
  CU_ASSERT_PTR_NULL(mbo_run_case(r, 1));
  CU_ASSERT_PTR_NULL(mbo_run_quantity(r, mbo_run_objectives(r) + mbo_run_constraints(r)));
  mbo_run_close(r);
  mbo_run_close(NULL);
}

/* f, its gradient and each quantity's own gradient against the mechanism of the same file, and against the complex step. */
static void test_evaluation(void) {
  mbo_run *r = opened("configs/five_bar.ini", 1, swing);
  opened_run own = run_open("configs/five_bar.ini", 1, swing);
  mbd_error err = {0};
  double f, g[2], psi[1], by_adjoint[2], by_complex[2], x[] = {1.1 * mbo_run_start(r)[0], mbo_run_start(r)[1]};
  must(mechanism_evaluate(own.m, x, "none", &err), &err);
  must(mbo_run_values(r, x, &f, psi, &err), &err);
  CU_ASSERT_EQUAL(f, own.m->f);
  CU_ASSERT_EQUAL(psi[0], own.m->psi[0]);
  must(mechanism_evaluate(own.m, x, "discrete_adjoint", &err), &err);
  must(mbo_run_gradients(r, x, "discrete_adjoint", psi, by_adjoint, &err), &err);
  must(mbo_run_gradients(r, x, "complex_step", NULL, by_complex, &err), &err);
  must(mbo_run_gradient(r, x, &f, g, NULL, NULL, &err), &err);
  for (int j = 0; j < 2; j++) {
    CU_ASSERT_NOT_EQUAL(g[j], 0);
    CU_ASSERT_EQUAL(by_adjoint[j], own.m->grad[j]);
    CHECK_NEAR("complex step", by_complex[j], by_adjoint[j], fabs(by_adjoint[j]), 1e-9);
    CHECK_NEAR("of the sum", g[j], by_adjoint[j], fabs(by_adjoint[j]), 1e-9);
  }
  must(mbo_run_values(r, NULL, &f, NULL, &err), &err);
  must(mechanism_evaluate(own.m, own.m->start, "none", &err), &err);
  CU_ASSERT_EQUAL(f, own.m->f);
  run_close(&own);
  mbo_run_close(r);
}

/* Methods that agree to rounding, and differences, which do not; the largest is that of the derivatives themselves. */
static void test_check(void) {
  mbo_run *r = opened("configs/pendulum.ini", 0, NULL);
  mbd_error err = {0};
  double right[2], coarse[2], one[4], other[4];
  must(mbo_run_check(r, NULL, "discrete_adjoint", "complex_step", right, &err), &err);
  must(mbo_run_check(r, NULL, "direct", "central_differences", coarse, &err), &err);
  must(mbo_run_gradients(r, NULL, "direct", NULL, one, &err), &err);
  must(mbo_run_gradients(r, NULL, "central_differences", NULL, other, &err), &err);
  for (int i = 0; i < 2; i++) {
    const double *scale = mbo_run_scale(r), *a = one + 2 * i, *b = other + 2 * i;
    const double size = fmax(fabs(a[0]) * scale[0], fabs(a[1]) * scale[1]);
    const double difference = fmax(fabs(a[0] - b[0]) * scale[0], fabs(a[1] - b[1]) * scale[1]);
    CHECK_CLOSE("adjoint and complex step", right[i], 0, 1e-10);
    CHECK_CLOSE("differences", coarse[i], difference / size, 1e-15);
    CU_ASSERT_TRUE(coarse[i] > 0 && coarse[i] < 1e-5);
  }
  CU_ASSERT_EQUAL(mbo_run_check(r, NULL, "direct", "directly", right, &err), MBD_BAD_INPUT);
  mbo_run_close(r);
}

/* The matrix and its products against differences of gradients; the Gauss-Newton matrix is there for squares alone. */
static void test_second_derivatives(void) {
  mbo_run *r = opened("configs/five_bar.ini", 1, swing);
  mbd_error err = {0};
  const double h = 1e-5;
  double H[4], f, plus[2], minus[2], x[2] = {mbo_run_start(r)[0], mbo_run_start(r)[1]};
  must(mbo_run_hessian(r, NULL, H, &err), &err);
  for (int j = 0; j < 2; j++) {
    const double at = x[j];
    x[j] = at + h, must(mbo_run_gradient(r, x, &f, plus, NULL, NULL, &err), &err);
    x[j] = at - h, must(mbo_run_gradient(r, x, &f, minus, NULL, NULL, &err), &err);
    x[j] = at;
    for (int i = 0; i < 2; i++) {
      CHECK_NEAR("Hessian", H[2 * i + j], (plus[i] - minus[i]) / (2 * h), fabs(H[0]), 1e-6);
    }
  }
  const double w[] = {2, -1}, along[] = {x[0] + 2 * h, x[1] - h}, back[] = {x[0] - 2 * h, x[1] + h};
  double Hw[2];
  must(mbo_run_hessian_product(r, NULL, w, Hw, &err), &err);
  must(mbo_run_gradient(r, along, &f, plus, NULL, NULL, &err), &err);
  must(mbo_run_gradient(r, back, &f, minus, NULL, NULL, &err), &err);
  for (int i = 0; i < 2; i++) { CHECK_NEAR("product", Hw[i], (plus[i] - minus[i]) / (2 * h), fabs(H[0]), 1e-6); }
  mbo_run_close(r);
}

/* ---- motions ---- */

static void test_motion(void) {
  mbo_run *r = opened("configs/five_bar.ini", 1, swing);
  mbo_series *s = NULL;
  mbd_error err = {0};
  must(mbo_run_simulate(r, NULL, 0, &s, &err), &err);
  mbo_run_close(r);
  const int rows = mbo_series_rows(s), columns = mbo_series_columns(s), y = mbo_series_find(s, "P2.position.y");
  const double *v = mbo_series_values(s);
  CU_ASSERT_EQUAL(rows, 11);
  CU_ASSERT_STRING_EQUAL(mbo_series_name(s, 0), "t");
  CU_ASSERT_STRING_EQUAL(mbo_series_unit(s, 0), "s");
  CU_ASSERT_PTR_NULL(mbo_series_name(s, columns));
  CU_ASSERT_EQUAL(mbo_series_find(s, "P2.position.w"), -1);
  CU_ASSERT_TRUE_FATAL(y > 0);
  CU_ASSERT_STRING_EQUAL(mbo_series_unit(s, y), "m");
  CHECK_CLOSE("time of the last node", v[(rows - 1) * columns], 0.1, 1e-15);
  CHECK_CLOSE("P2 starts below the ground", v[y], -2, 1e-12);
  CU_ASSERT_NOT_EQUAL(v[(rows - 1) * columns + y], v[y]);
  mbo_series_free(s);
  mbo_series_free(NULL);
}

/* The columns that the run file chooses, in its order, with the numbers of the whole table; one that nothing else asks for is computed. */
static void test_columns(void) {
  static const char *const chosen[] = {"case.swing.duration=0.1",
                                       "output.columns=P2.position.y, J2.angle*, P1.velocity.x"};
  static const char *const names[] = {"t", "P2.position.y", "J2.angle", "J2.angle.rate", "J2.angle.acceleration",
                                      "P1.velocity.x"};
  mbo_run *whole = opened("configs/five_bar.ini", 1, swing), *part = opened("configs/five_bar.ini", 2, chosen), *none;
  mbo_series *all = NULL, *few = NULL;
  mbd_error err = {0};
  must(mbo_run_simulate(whole, NULL, 0, &all, &err), &err);
  must(mbo_run_simulate(part, NULL, 0, &few, &err), &err);
  CU_ASSERT_EQUAL_FATAL(mbo_series_columns(few), 6);
  for (int k = 0; k < 6; k++) {
    CU_ASSERT_STRING_EQUAL(mbo_series_name(few, k), names[k]);
    const int at = mbo_series_find(all, names[k]);
    CU_ASSERT_EQUAL(at < 0, k == 5);
    if (at < 0) { continue; }
    CU_ASSERT_EQUAL(mbo_series_values(few)[5 * 6 + k],
                    mbo_series_values(all)[5 * (size_t)mbo_series_columns(all) + (size_t)at]);
  }
  char path[512];
  static const char *const wrong[] = {"output.columns=J2.angel"};
  snprintf(path, sizeof path, "%s/configs/five_bar.ini", MBOPT_SOURCE_DIR);
  CU_ASSERT_EQUAL(mbo_run_open(path, 1, wrong, &none, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "five_bar.ini: [output columns]: column 'J2.angel' is not known, did you mean 'J2.angle'?");
  mbo_series_free(all), mbo_series_free(few);
  mbo_run_close(whole), mbo_run_close(part);
}

/* The bar lies flat, where gravity has no stiffness: 2/3 a'' + 0.2 a' + 5 a = 0. */
static void test_linearize(void) {
  mbo_run *r = opened("configs/pendulum.ini", 0, NULL);
  mbd_linear l;
  mbd_error err = {0};
  must(mbo_run_linearize(r, NULL, 0, &l, &err), &err);
  CU_ASSERT_EQUAL_FATAL(l.n, 1);
  CHECK_CLOSE("decay", l.re[0], -0.15, 1e-12);
  CHECK_CLOSE("frequency", l.im[0], sqrt(7.5 - 0.15 * 0.15), 1e-12);
  mbd_linear_free(&l);
  mbo_run_close(r);
}

/* ---- changes and errors ---- */

static void test_change(void) {
  static const char *const stiffer[] = {"scalars.stiffness=50", "design.stiffness.start=50"}, *const wrong[] = {
                                                                                                  "scalars.stifness=5"};
  static const char *const all[] = {"case.drop.duration=0.5", "scalars.stiffness=50", "design.stiffness.start=50"};
  mbo_run *r = opened("configs/pendulum.ini", 1, all), *at_once = opened("configs/pendulum.ini", 3, all);
  mbd_error err = {0};
  double f[3];
  must(mbo_run_values(r, NULL, &f[0], NULL, &err), &err);
  CU_ASSERT_EQUAL(mbo_run_change(r, 1, wrong, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "'stiffness'");
  must(mbo_run_values(r, NULL, &f[1], NULL, &err), &err);
  CU_ASSERT_EQUAL(f[1], f[0]);
  must(mbo_run_change(r, 2, stiffer, &err), &err);
  must(mbo_run_values(r, NULL, &f[1], NULL, &err), &err);
  must(mbo_run_values(at_once, NULL, &f[2], NULL, &err), &err);
  CU_ASSERT_NOT_EQUAL(f[1], f[0]);
  CU_ASSERT_EQUAL(f[1], f[2]);
  mbo_run_close(r), mbo_run_close(at_once);
}

static void test_schema(void) {
  mbd_error err = {0};
  char *text = NULL;
  must(mbo_schema_text("json", &text, &err), &err);
  CHECK_CONTAINS(text, "[force NAME] type = torsion_spring");
  mbo_text_free(text);
  mbo_text_free(NULL);
  CU_ASSERT_EQUAL(mbo_schema_text("xml", &text, &err), MBD_BAD_INPUT);
  CU_ASSERT_PTR_NULL(text);
  CHECK_CONTAINS(err.text, "expected text, markdown, json or man");
}

static void test_errors(void) {
  static const char *const none[] = {"gradient.method=none"};
  mbo_run *r = NULL;
  mbo_series *s;
  mbd_error err = {0};
  double f, g[2], H[4];
  CU_ASSERT_EQUAL(mbo_run_open("no_such_file.ini", 0, NULL, &r, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "no_such_file.ini");
  CU_ASSERT_PTR_NULL(r);
  r = opened("configs/pendulum.ini", 1, none);
  CU_ASSERT_EQUAL(mbo_run_gradient(r, NULL, &f, g, NULL, NULL, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "method = none");
  CU_ASSERT_EQUAL(mbo_run_gradients(r, NULL, "adjoint", NULL, g, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "'adjoint'");
  CU_ASSERT_EQUAL(mbo_run_hessian(r, NULL, H, &err), MBD_UNSUPPORTED);
  CU_ASSERT_EQUAL(mbo_run_hessian_product(r, NULL, g, H, &err), MBD_UNSUPPORTED);
  CU_ASSERT_EQUAL(mbo_run_gauss_newton(r, NULL, H, &err), MBD_UNSUPPORTED);
  CU_ASSERT_EQUAL(mbo_run_simulate(r, NULL, 1, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "case number 1");
  CU_ASSERT_PTR_NULL(s);
  mbo_run_close(r);
}

/* Stopped before it has begun; then it goes on. */
static void test_stop(void) {
  volatile sig_atomic_t stop = 1;
  mbo_run *r = opened("configs/pendulum.ini", 0, NULL);
  mbo_series *s;
  mbd_error err = {0};
  double f;
  mbo_run_stop(r, &stop);
  CU_ASSERT_EQUAL(mbo_run_values(r, NULL, &f, NULL, &err), MBD_INTERRUPTED);
  CU_ASSERT_EQUAL(mbo_run_simulate(r, NULL, 0, &s, &err), MBD_INTERRUPTED);
  stop = 0;
  must(mbo_run_values(r, NULL, &f, NULL, &err), &err);
  mbo_run_close(r);
}

/* ---- optimization ---- */

static int iterations;

static void count(void *user, const mbo_iteration *it) {
  (void)user, (void)it;
  iterations++;
}

/* With the settings of the run file, and with one's own; constraints are held. */
static void test_minimize(void) {
  mbo_run *r = opened("configs/pendulum.ini", 0, NULL);
  mbo_settings s;
  mbo_result by_file, own;
  mbd_error err = {0};
  double psi[2];
  must(mbo_run_minimize(r, NULL, NULL, &by_file, &err), &err);
  CU_ASSERT_EQUAL(by_file.status, MBO_CONVERGED);
  must(mbo_run_values(r, by_file.x, NULL, psi, &err), &err);
  CHECK_CLOSE("objective", psi[0], by_file.f, 1e-13);
  CU_ASSERT_TRUE(psi[1] <= mbo_run_constraint_upper(r)[0] + 1e-6);
  CU_ASSERT_EQUAL(mbo_run_constraint_lower(r)[0], -INFINITY);
  must(mbo_run_settings(r, &s, &err), &err);
  s.max_iterations = 2, s.iteration = count;
  must(mbo_run_minimize(r, NULL, &s, &own, &err), &err);
  CU_ASSERT_EQUAL(own.status, MBO_STOPPED_LIMIT);
  CU_ASSERT_TRUE(iterations > 0 && own.iterations == 2 && own.f > by_file.f);
  mbo_result_free(&by_file), mbo_result_free(&own);
  CU_ASSERT_EQUAL(mbo_run_minimize(r, "nlop", NULL, &own, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "nlopt");
  mbo_run_close(r);
}

/* ---- fits ---- */

/* Numbers, directions and samples are those of the program's own statistics at the same design; what is not there is said. */
static void test_fit(void) {
  mbo_run *r = opened("configs/measured_bar.ini", 0, NULL);
  opened_run own = run_open("configs/measured_bar.ini", 0, NULL);
  mbo_fit *f = NULL;
  fit *is = NULL;
  mbd_error err = {0};
  must(mbo_run_fits(r, &err), &err);
  must(mbo_run_fit(r, NULL, &f, &err), &err);
  must(fit_create(own.m, own.m->start, &is, &err), &err);
  for (int i = 0; i < is->n; i++) {
    CU_ASSERT_EQUAL(mbo_fit_array(f, "estimate")[i], mbo_run_start(r)[i]);
    CU_ASSERT_EQUAL(mbo_fit_array(f, "deviation")[i], is->deviation[i]);
    CU_ASSERT_EQUAL(mbo_fit_array(f, "upper")[i], is->upper[i]);
    CU_ASSERT_EQUAL(mbo_fit_determines(f, i), fit_determines(is, i));
  }
  CU_ASSERT_EQUAL(mbo_fit_number(f, "noise"), is->noise);
  CU_ASSERT_EQUAL(mbo_fit_number(f, "not_seen"), is->blind);
  CU_ASSERT_TRUE(is->blind > 0 && isinf(mbo_fit_uncertainty(f, 0)));
  CU_ASSERT_EQUAL_FATAL(mbo_fit_directions(f), is->ndirection);
  CU_ASSERT_EQUAL(mbo_fit_direction(f, 0)[0], is->direction[0].part[0]);
  CU_ASSERT_EQUAL(mbo_fit_singular(f, 1), is->direction[1].singular);
  CU_ASSERT_EQUAL(mbo_fit_seen(f, 0)[2], sqrt(is->direction[0].seen[2]));
  const mbo_informative_output *informative_output = mbo_fit_informative_output(f, 0, 0);
  CU_ASSERT_PTR_NOT_NULL_FATAL(informative_output);
  CU_ASSERT_STRING_EQUAL(informative_output->output, is->direction[0].informative_output[0].output);
  CU_ASSERT_EQUAL(informative_output->relative, is->direction[0].informative_output[0].part);
  CU_ASSERT_PTR_NULL(mbo_fit_informative_output(f, 0, FIT_INFORMATIVE_OUTPUTS));
  CU_ASSERT_EQUAL_FATAL(mbo_fit_measurements(f), 4);
  CU_ASSERT_STRING_EQUAL(mbo_fit_measurement(f, 2, "name"), "loaded");
  CU_ASSERT_STRING_EQUAL(mbo_fit_measurement(f, 2, "unit"), "rad");
  CU_ASSERT_EQUAL(mbo_fit_measurement_number(f, 2, "hold_out"), 1);
  CU_ASSERT_EQUAL(mbo_fit_measurement_number(f, 2, "samples"), 116);
  const double *row = mbo_fit_samples(f, 0) + 3 * MBO_FIT_COLUMNS;
  CU_ASSERT_EQUAL(row[MBO_FIT_MODEL], is->series[0].y[3]);
  CU_ASSERT_EQUAL(row[MBO_FIT_BAND], fit_band(is, &is->series[0], 3));
  CHECK_CLOSE("residual", row[MBO_FIT_RESIDUAL] * is->series[0].samples->sigma,
              row[MBO_FIT_MODEL] - row[MBO_FIT_MEASURED], 1e-15);
  CU_ASSERT_TRUE(isnan(mbo_fit_number(f, "nose")) && isnan(mbo_fit_measurement_number(f, 4, "rms")));
  CU_ASSERT_TRUE(!mbo_fit_array(f, "estimates") && !mbo_fit_direction(f, 7) && !mbo_fit_samples(f, -1));
  CU_ASSERT_TRUE(!mbo_fit_measurement(f, 0, "file") && !mbo_fit_bound(f, 0) && isnan(mbo_fit_singular(f, -1)));
  mbo_fit_free(f), fit_destroy(is);
  mbo_fit_free(NULL);
  run_close(&own), mbo_run_close(r);
  r = opened("configs/pendulum.ini", 0, NULL);
  CU_ASSERT_EQUAL(mbo_run_fit(r, NULL, &f, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "needs a [measurement NAME]");
  CU_ASSERT_PTR_NULL(f);
  mbo_run_close(r);
}

/* The residuals are those of the samples that are fitted, with and without derivatives to the last bit; these against differences. */
static void test_residuals(void) {
  enum { N = 7 };
  mbo_run *r = opened("configs/measured_bar.ini", 0, NULL);
  mbo_fit *f;
  mbd_error err = {0};
  double x[N];
  const int n = mbo_run_variables(r), count = mbo_run_residual_count(r);
  CU_ASSERT_EQUAL_FATAL(n, N);
  double *now = calloc((size_t)count * (N + 3), sizeof *now), *plus = now + count, *minus = plus + count,
         *jac = minus + count;
  must(mbo_run_residuals(r, NULL, now, jac, &err), &err);
  must(mbo_run_fit(r, NULL, &f, &err), &err);
  int at = 0;
  for (int k = 0; k < mbo_fit_measurements(f); k++) {
    const int samples = (int)mbo_fit_measurement_number(f, k, "samples");
    if (mbo_fit_measurement_number(f, k, "hold_out") > 0) { continue; }
    for (int i = 0; i < samples; i++, at++) {
      CHECK_CLOSE("residual", now[at], mbo_fit_samples(f, k)[i * MBO_FIT_COLUMNS + MBO_FIT_RESIDUAL], 1e-12);
    }
  }
  CU_ASSERT_EQUAL(at, count);
  mbo_run_as_with_gradient(r, 1);
  must(mbo_run_residuals(r, NULL, plus, NULL, &err), &err);
  CU_ASSERT_EQUAL(memcmp(plus, now, (size_t)count * sizeof *now), 0);
  for (int j = 0; j < n; j++) {
    const double h = 1e-6 * mbo_run_scale(r)[j];
    memcpy(x, mbo_run_start(r), sizeof x);
    double largest = 0, difference = 0;
    x[j] += h;
    must(mbo_run_residuals(r, x, plus, NULL, &err), &err);
    x[j] -= 2 * h;
    must(mbo_run_residuals(r, x, minus, NULL, &err), &err);
    for (int i = 0; i < count; i++) {
      largest = fmax(largest, fabs(jac[i * n + j]));
      difference = fmax(difference, fabs(jac[i * n + j] - (plus[i] - minus[i]) / (2 * h)));
    }
    CU_ASSERT_EQUAL(largest > 0,
                    strcmp(mbo_run_variable(r, j), "angle_loaded") != 0); /* of a series that is held out */
    CHECK_CLOSE(mbo_run_variable(r, j), difference, 0, 1e-6 * largest);
  }
  free(now), mbo_fit_free(f), mbo_run_close(r);
  r = opened("configs/pendulum.ini", 0, NULL);
  CU_ASSERT_EQUAL(mbo_run_residual_count(r), 0);
  CU_ASSERT_EQUAL(mbo_run_residuals(r, NULL, x, NULL, &err), MBD_BAD_INPUT);
  mbo_run_close(r);
}

/* Values of designs are those of evaluations with gradients to the last bit, by either method, if that is requested. */
static void test_as_with_gradient(void) {
  static const char *const method[][3] = {
      {"case.swing.duration=0.1", "gradient.method=direct", "optimizer.hessian=limited_memory"},
      {"case.swing.duration=0.1", "gradient.method=discrete_adjoint", "optimizer.hessian=limited_memory"}};
  mbd_error err = {0};
  for (int i = 0; i < 2; i++) {
    mbo_run *r = opened("configs/five_bar.ini", 3, method[i]);
    double plain, value, f, g[2];
    must(mbo_run_values(r, NULL, &plain, NULL, &err), &err);
    mbo_run_as_with_gradient(r, 1);
    must(mbo_run_change(r, 1, method[i], &err), &err);
    must(mbo_run_values(r, NULL, &value, NULL, &err), &err);
    must(mbo_run_gradient(r, NULL, &f, g, NULL, NULL, &err), &err);
    CU_ASSERT_EQUAL(value, f);
    double last = 0, psi = 0;
    mbo_run_last_values(r, &last, &psi);
    CU_ASSERT_TRUE(last == f && psi == f);
    CU_ASSERT_NOT_EQUAL(plain, f);
    CHECK_CLOSE("plain", plain, f, 1e-10 * f);
    mbo_run_close(r);
  }
}

/* Value, gradient and Gauss-Newton matrix of one evaluation are those of the functions for each. */
static void test_least_squares(void) {
  mbo_run *r = opened("configs/five_bar.ini", 1, swing);
  mbd_error err = {0};
  double f, g[2], H[4], value, gradient[2], matrix[4];
  must(mbo_run_least_squares(r, NULL, &f, g, H, &err), &err);
  must(mbo_run_gradient(r, NULL, &value, gradient, NULL, NULL, &err), &err);
  must(mbo_run_gauss_newton(r, NULL, matrix, &err), &err);
  CHECK_CLOSE("f", f, value, 1e-12 * value);
  for (int j = 0; j < 2; j++) { CHECK_CLOSE("g", g[j], gradient[j], 1e-9 * fabs(gradient[j])); }
  CU_ASSERT_EQUAL(memcmp(H, matrix, sizeof H), 0);
  CU_ASSERT_STRING_EQUAL(mbo_version(), MBD_VERSION);
  mbo_run_close(r);
}

/* ---- structures of other versions ---- */

/* Headers of a later version have fields more at the end; those of an earlier one have fields less. */
typedef struct later_settings {
  mbo_settings is;
  double more[2];
} later_settings;
typedef struct later_result {
  mbo_result is;
  double more[2];
} later_result;
typedef struct later_term {
  mbd_term is;
  const char *more;
} later_term;
typedef struct later_linear {
  mbd_linear is;
  double more;
} later_linear;

/* A later program's zeros are what was before, and what it asks for beside is refused; an earlier program is not written beyond. */
static void test_settings_of_other_versions(void) {
  mbo_run *r = opened("configs/five_bar.ini", 1, swing);
  later_settings s = {.more = {0}};
  later_result later = {.more = {7, 7}};
  mbo_result now, earlier;
  mbd_error err = {0};
  const size_t less = offsetof(mbo_result, f_continuous);
  memset(&earlier, 0x55, sizeof earlier);
  must(mbo_run_settings_sized(r, (mbo_settings *)&s, sizeof s, &err), &err);
  s.is.max_iterations = 3;
  must(mbo_run_minimize(r, NULL, &s.is, &now, &err), &err);
  must(mbo_run_minimize_sized(r, NULL, &s.is, sizeof s, &later.is, sizeof later, &err), &err);
  must(mbo_run_minimize_sized(r, NULL, &s.is, sizeof s.is, &earlier, less, &err), &err);
  CU_ASSERT_EQUAL(now.iterations, 3);
  CU_ASSERT_EQUAL(later.is.f, now.f);
  CU_ASSERT_EQUAL(later.more[1], 0);
  CU_ASSERT_EQUAL(earlier.f, now.f);
  CU_ASSERT_EQUAL(((unsigned char *)&earlier)[less], 0x55);
  mbo_result_free(&now), mbo_result_free_sized(&later.is, sizeof later), mbo_result_free_sized(&earlier, less);
  s.more[1] = 1;
  CU_ASSERT_EQUAL(mbo_run_minimize_sized(r, NULL, &s.is, sizeof s, &later.is, sizeof later, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "mbo_settings has fields that this library, which is older, does not know");
  mbo_result_free_sized(&later.is, sizeof later);
  mbo_run_close(r);
}

/* Terms lie as far apart as the program's structure is long; a case without its last fields has their defaults. */
static void test_simulations_of_other_versions(void) {
  static const char *const names[] = {"ground-bar.angle", "bar.rate.y"};
  mbo_model_file *file = NULL;
  mbd_model *m = NULL;
  mbd_outputs *o = NULL;
  mbd_params *p = NULL;
  mbd_sim *now = NULL, *later = NULL;
  mbd_error err = {0};
  mbd_case c;
  mbd_term term[2] = {{0}};
  later_term more[2] = {{.more = NULL}};
  later_linear l = {.more = 7};
  double psi[2], same[2];
  must(mbo_model_file_read(MBOPT_SOURCE_DIR "/problems/pendulum/pendulum.ini", 0, NULL, NULL, &file, &err), &err);
  must(mbd_model_create(mbo_model_file_spec(file), &m, &err), &err);
  must(mbd_outputs_create(m, &o, &err), &err);
  must(mbd_params_create(m, NULL, &p, &err), &err);
  for (int i = 0; i < 2; i++) {
    int count;
    term[i] = (mbd_term){.psi = i, .form = "terminal", .weight = 1};
    must(mbd_outputs_add(o, names[i], &term[i].output, &count, &err), &err);
    more[i].is = term[i];
  }
  mbd_case_init_sized(&c, offsetof(mbd_case, independent));
  c.duration = 0.1, c.independent = NULL, c.nindependent = 0;
  must(mbd_sim_create(m, &c, o, 2, term, 2, 0, &now, &err), &err);
  must(
      mbd_sim_create_sized(m, &c, offsetof(mbd_case, independent), o, 2, &more[0].is, sizeof *more, 2, 0, &later, &err),
      &err);
  must(mbd_sim_run(now, p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_run(later, p, 0, NULL, same, NULL, NULL, NULL, NULL, &err), &err);
  for (int i = 0; i < 2; i++) {
    CU_ASSERT_NOT_EQUAL(psi[i], 0);
    CU_ASSERT_EQUAL(psi[i], same[i]);
  }
  must(mbd_sim_linearize_sized(now, p, &l.is, sizeof l, &err), &err);
  CU_ASSERT_TRUE(l.is.n == 1 && l.more == 0);
  mbd_linear_free_sized(&l.is, sizeof l);
  mbd_sim_destroy(later);
  more[1].more = "what is not known";
  CU_ASSERT_EQUAL(mbd_sim_create_sized(m, &c, sizeof c, o, 2, &more[0].is, sizeof *more, 2, 0, &later, &err),
                  MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "mbd_term has fields");
  CU_ASSERT_PTR_NULL(later);
  mbd_sim_destroy(now), mbd_params_destroy(p), mbd_outputs_destroy(o), mbd_model_destroy(m);
  mbo_model_file_destroy(file);
}

/* ---- handles beside each other ---- */

typedef struct worker {
  double first, g[2]; /* value of the design variable; the gradient */
  double tip, best;   /* where the motion ends; objective of an optimization */
} worker;

/* Everything that a handle does: it is opened, evaluated with its cases in two threads, simulated, changed, and optimizes; another handle
 * optimizes with constraints. */
static void *work(void *user) {
  worker *w = user;
  mbo_run *r = opened("configs/five_bar.ini", 1, swing), *other = opened("configs/pendulum.ini", 0, NULL);
  mbo_series *s = NULL;
  mbo_optimum *o = NULL;
  mbd_error err = {0};
  double f, x[] = {w->first, mbo_run_start(r)[1]};
  mbo_run_threads(r, 2);
  for (int k = 0; k < 3; k++) { must(mbo_run_gradient(r, x, &f, w->g, NULL, NULL, &err), &err); }
  must(mbo_run_simulate(r, x, 0, &s, &err), &err);
  w->tip = mbo_series_values(s)[(mbo_series_rows(s) - 1) * mbo_series_columns(s) + mbo_series_find(s, "P2.position.y")];
  mbo_series_free(s);
  must(mbo_run_change(r, 1, swing, &err), &err);
  must(mbo_run_values(r, NULL, &f, NULL, &err), &err);
  must(mbo_run_optimize(other, &o, &err), &err);
  w->best = mbo_optimum_number(o, "objective");
  mbo_optimum_free(o);
  mbo_run_close(r), mbo_run_close(other);
  return NULL;
}

static void test_threads(void) {
  worker w[] = {{.first = 1.8}, {.first = 2.2}}, alone[] = {{.first = 1.8}, {.first = 2.2}};
  pthread_t id[2];
  for (int i = 0; i < 2; i++) { work(&alone[i]); }
  for (int i = 0; i < 2; i++) { CU_ASSERT_EQUAL_FATAL(pthread_create(&id[i], NULL, work, &w[i]), 0); }
  for (int i = 0; i < 2; i++) {
    pthread_join(id[i], NULL);
    CU_ASSERT_EQUAL(w[i].g[0], alone[i].g[0]);
    CU_ASSERT_EQUAL(w[i].g[1], alone[i].g[1]);
    CU_ASSERT_EQUAL(w[i].tip, alone[i].tip);
    CU_ASSERT_EQUAL(w[i].best, alone[i].best);
  }
  CU_ASSERT_NOT_EQUAL(w[0].g[0], w[1].g[0]);
  CU_ASSERT_NOT_EQUAL(w[0].tip, w[1].tip);
}

/* A constraint on a smooth peak is met by its true value, in two stages, and the result has the true one. */
static void test_true_values(void) {
  static const char *const set[] = {"constraint.rod_force.sharpness=0.005"};
  mbo_run *r = opened("tests/unit/mechanism/steer/force.ini", 1, set);
  mbd_error err = {0};
  mbo_result best;
  double f, smooth[2], f_true, value[2], time[2];
  must(mbo_run_minimize(r, NULL, NULL, &best, &err), &err);
  CU_ASSERT_EQUAL(best.status, MBO_CONVERGED);
  CU_ASSERT_EQUAL(best.stages, 2);
  must(mbo_run_values(r, best.x, &f, smooth, &err), &err);
  must(mbo_run_true_values(r, best.x, &f_true, value, time, &err), &err);
  CHECK_CLOSE("the objective smooths nothing", f_true, f, 0);
  CHECK_CLOSE("nor its value", value[0], smooth[0], 0);
  CU_ASSERT(isnan(time[0]) && time[1] == 0);
  CU_ASSERT(smooth[1] < 6000 && value[1] > 6990 && value[1] <= 7000);
  CHECK_CLOSE("the constraint of the result", best.c[0], value[1], 1e-9);
  must(mbo_run_true_values(r, NULL, NULL, NULL, NULL, &err), &err);
  mbo_result_free(&best);
  mbo_run_close(r);
}

/* Pages of memory that the process has. */
static long resident(void) {
  long size = 0, pages = 0;
  FILE *in = fopen("/proc/self/statm", "r");
  if (!in) { return 0; }
  if (fscanf(in, "%ld %ld", &size, &pages) != 2) { pages = 0; }
  fclose(in);
  return pages;
}

/* Opened and closed again and again, memory does not grow: less than a byte in ten handles. */
static void test_open_close(void) {
  const int first = test_slow() ? 1 : 100, times = test_slow() ? 9 : test_long() ? 100000 : 200;
  long before = 0;
  for (int k = 0; k < first + times; k++) {
    if (k == first) { before = resident(); }
    mbo_run_close(opened("configs/pendulum.ini", 0, NULL));
  }
  if (!test_slow()) {
    CU_ASSERT_TRUE(resident() - before <= 64);
  } /* sanitizers keep what is freed, and tell of leaks themselves */
}

TEST_MAIN(TEST(test_names), TEST(test_evaluation), TEST(test_second_derivatives), TEST(test_motion), TEST(test_columns),
          TEST(test_linearize), TEST(test_change), TEST(test_check), TEST(test_schema), TEST(test_errors),
          TEST(test_stop), TEST(test_minimize), TEST(test_true_values), TEST(test_fit), TEST(test_residuals),
          TEST(test_as_with_gradient), TEST(test_least_squares), TEST(test_settings_of_other_versions),
          TEST(test_simulations_of_other_versions), TEST(test_threads), TEST(test_open_close))
