/* Eigenvalues of a Gauss-Newton matrix that is known, in scaled variables. */
#include "study/flat_directions.h"
#include "test.h"

/* f = 3 + (x0 + 100 x1 - 2)^2 + 1e-4 (x0 - 100 x1)^2, scales 1 and 0.01: in x/scale the directions (1, 1), (1, -1)/sqrt 2 */
static mbd_status eval(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  const double s = x[0] + 100 * x[1] - 2, d = x[0] - 100 * x[1];
  (void)user, (void)err;
  out->f = 3 + s * s + 1e-4 * d * d;
  if (request & MBO_REQUEST_GRADIENT) {
    out->g[0] = 2 * s + 2e-4 * d;
    out->g[1] = 200 * s - 2e-2 * d;
  }
  if (request & MBO_REQUEST_GAUSS_NEWTON) {
    out->H[0] = 2 + 2e-4;
    out->H[1] = out->H[2] = 200 - 2e-2;
    out->H[3] = 2e4 + 2;
  }
  return MBD_OK;
}

static mbo_problem problem(int has_gauss_newton) {
  static const double scale[] = {1, 0.01};
  return (mbo_problem){.n = 2, .scale = scale, .has_gradient = 1, .has_gauss_newton = has_gauss_newton, .eval = eval};
}

static void test_valley(void) {
  const mbo_problem p = problem(1);
  const double x[] = {1, 0.01};
  flat_directions v;
  mbd_error err = {0};
  mbd_status status = flat_directions_create(&p, x, &v, &err);
  if (status == MBD_NOT_BUILT_IN) { /* built without LAPACK: said so */
    CU_ASSERT(strstr(err.text, "libopenblas-dev") != NULL);
    test_skip(err.text);
    return;
  }
  CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
  CHECK_NEAR("flat", v.eigenvalue[0], 4e-4, 1, 1e-12);
  CHECK_NEAR("steep", v.eigenvalue[1], 4, 1, 1e-12);
  CHECK_NEAR("flat direction", v.direction[0] * v.direction[1], -0.5, 1, 1e-12);
  CHECK_NEAR("steep direction", v.direction[2] * v.direction[3], 0.5, 1, 1e-12);
  /* as far as that along the flat direction, f really is 1 % worse */
  const double step = v.one_percent[0] / sqrt(2);
  mbo_eval out = {0};
  const double there[] = {1 + step, 0.01 - 0.01 * step};
  eval(NULL, there, MBO_REQUEST_VALUE, &out, NULL);
  CHECK_NEAR("1 % worse", out.f, 1.01 * v.f, v.f, 1e-12);
  flat_directions_destroy(&v);
}

static void test_not_squares(void) {
  const mbo_problem p = problem(0);
  const double x[] = {1, 0.01};
  flat_directions v;
  mbd_error err = {0};
  const mbd_status status = flat_directions_create(&p, x, &v, &err);
  CU_ASSERT(status == MBD_UNSUPPORTED || status == MBD_NOT_BUILT_IN);
}

TEST_MAIN(TEST(test_valley), TEST(test_not_squares))
