/* The benchmark bicycle (Meijaard et al. 2007): eigenvalues of straight running against the published equations of a
 * bicycle whose wheels roll without slip: of such wheels to rounding; what tyres add is of first order in slip_speed. */
#include <complex.h>
#include <jansson.h>

#include "mechanism/mechanism.h"
#include "mbd/linearize.h"
#include "test.h"

/* Eigenvalues of a case of a run file with settings; returns their number, 0 without LAPACK. */
enum { MAX = 32 };
static int eigenvalues_of_run(const char *file, int nset, const char *const *set, int i_case, double complex *lam) {
  char path[512];
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m;
  mbd_linear l;
  snprintf(path, sizeof path, "%s/configs/%s", MBOPT_SOURCE_DIR, file);
  must(mbo_run_config_read(path, nset, set, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  must(mechanism_set_design(m, m->start, 0, &err), &err);
  const mechanism_case *q = &m->cases[i_case];
  const mbd_status status = mbd_sim_linearize(q->sim, q->v->params, &l, &err);
  if (status == MBD_NOT_BUILT_IN) {
    test_skip(err.text);
  } else {
    must(status, &err);
  }
  const int n = l.n + l.nrate;
  CU_ASSERT_FATAL(n <= MAX);
  for (int i = 0; i < n; i++) { lam[i] = l.re[i] + l.im[i] * _Complex_I; }
  CU_ASSERT(l.acceleration < 1e-6);
  mbd_linear_free(&l);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
  return n;
}

/* On tyres, at a speed [m/s]. */
static int eigenvalues(const char *speed, const char *slip_speed, const char *start, double complex *lam) {
  char v[64], slip[64], begin[64];
  snprintf(v, sizeof v, "case.v5.scalar.v=%s", speed);
  snprintf(slip, sizeof slip, "scalars.slip_speed=%s", slip_speed);
  snprintf(begin, sizeof begin, "case.v5.start=%s", start);
  const char *const set[] = {v, slip, begin};
  return eigenvalues_of_run("bicycle_weave.ini", 3, set, 5, lam);
}

static double complex nearest(int n, const double complex *lam, double complex expected) {
  double complex best = lam[0];
  for (int i = 1; i < n; i++) { best = cabs(lam[i] - expected) < cabs(best - expected) ? lam[i] : best; }
  return best;
}

/* The four published eigenvalues of a speed, with 20 digits as text. */
static void published(const json_t *o, const char *speed, double complex expected[4]) {
  const json_t *list = json_object_get(json_object_get(o, "eigs"), speed);
  CU_ASSERT_FATAL(json_array_size(list) == 4);
  for (size_t i = 0; i < 4; i++) {
    const json_t *e = json_array_get(list, i);
    const double re = atof(json_string_value(json_array_get(e, 0))), im = atof(json_string_value(json_array_get(e, 1)));
    expected[i] = re + im * _Complex_I;
  }
}

static json_t *golden(void) {
  char path[512];
  snprintf(path, sizeof path, "%s/tests/golden/whipple_linear.json", MBOPT_SOURCE_DIR);
  json_t *o = json_load_file(path, 0, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(o);
  return o;
}

/* Weave, capsize and castering at every speed of the publication's table. What is left is slip: 1.2e-4 of castering at 10 m/s
 * (-24.6); and of eigenvalues near zero rounding. The matrix has entries of 5e8 v, by the tyres' slopes of 1e8 N s/m, and eigenvalues that
 * are zero, of the place and the heading: to change every entry by half a unit of its last place moves -0.0041 at 6 m/s by up to 6e-7,
 * whatever computes the entries, and LAPACK moves 0.1433 at 8 m/s by 1e-6. */
static void test_published(void) {
  json_t *o = golden();
  double complex lam[MAX], expected[4];
  for (int v = 0; v <= 10; v++) {
    char speed[8], name[64];
    snprintf(speed, sizeof speed, "%d", v);
    published(o, speed, expected);
    const int n = eigenvalues(speed, "1e-5", "given", lam);
    for (int i = 0; n && i < 4; i++) {
      snprintf(name, sizeof name, "bicycle at %s m/s, %.4f%+.4fi", speed, creal(expected[i]), cimag(expected[i]));
      CHECK_CLOSE(name, cabs(nearest(n, lam, expected[i]) - expected[i]), 0, 3e-6 + 5e-6 * cabs(expected[i]));
    }
  }
  json_decref(o);
}

/* The same on wheels without slip: to rounding. The other six are zero: the place, the heading, the angles of the wheels, the speed. */
static void test_rolling(void) {
  json_t *o = golden();
  double complex lam[MAX], expected[4];
  for (int v = 0; v <= 10; v++) {
    char speed[8], name[64], text[32];
    const char *const set[] = {text};
    int zeros = 0;
    snprintf(speed, sizeof speed, "%d", v), snprintf(text, sizeof text, "scalars.v=%d", v);
    published(o, speed, expected);
    const int n = eigenvalues_of_run("bicycle_benchmark.ini", 1, set, 0, lam);
    for (int i = 0; i < n; i++) { zeros += cabs(lam[i]) < 1e-6; }
    if (n) { CU_ASSERT_EQUAL(n, 10); }
    if (n) { CU_ASSERT_EQUAL(zeros, 6); }
    for (int i = 0; n && i < 4; i++) {
      snprintf(name, sizeof name, "rolling bicycle at %s m/s, %.4f%+.4fi", speed, creal(expected[i]),
               cimag(expected[i]));
      CHECK_CLOSE(name, cabs(nearest(n, lam, expected[i]) - expected[i]), 0, 1e-12 + 1e-12 * cabs(expected[i]));
    }
  }
  json_decref(o);
}

/* The distance is that of the slip: a tenth of it with a tenth of the slip speed. */
static void test_order_in_slip(void) {
  json_t *o = golden();
  double complex lam[2][MAX], expected[4];
  published(o, "5", expected);
  const int n = eigenvalues("5", "1e-2", "given", lam[0]);
  eigenvalues("5", "1e-3", "given", lam[1]);
  for (int i = 0; n && i < 4; i++) {
    const double a = cabs(nearest(n, lam[0], expected[i]) - expected[i]),
                 b = cabs(nearest(n, lam[1], expected[i]) - expected[i]);
    CU_ASSERT(a > 1e-4);
    CHECK_CLOSE("order in the slip speed", log10(a / b), 1, 0.02);
  }
  json_decref(o);
}

/* The tyres carry the weight at the design position: the start is the equilibrium. */
static void test_start_is_equilibrium(void) {
  double complex given[MAX], settled[MAX];
  const int n = eigenvalues("5", "1e-2", "given", given);
  CU_ASSERT_EQUAL(eigenvalues("5", "1e-2", "equilibrium", settled), n);
  for (int i = 0; i < n; i++) {
    if (cabs(given[i]) > 0.1) { CHECK_NEAR("settled", cabs(settled[i] - given[i]), 0, cabs(given[i]), 1e-6); }
  }
}

TEST_MAIN(TEST(test_published), TEST(test_rolling), TEST(test_order_in_slip), TEST(test_start_is_equilibrium))
