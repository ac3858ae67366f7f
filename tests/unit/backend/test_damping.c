/* Damping of a Gauss-Newton matrix along paths that are known by hand. */
#include "backend/damping.h"
#include "mbo/backend.h"
#include "test.h"
#include "toy.h"

/* f = r^2, r = x0 + x1 - 2: a matrix of rank one, and a valley x0 + x1 = 2 of equals. */
static double residual(const double *x) {
  return x[0] + x[1] - 2;
}

static void iterate(damping *d, const double *x, int trials) {
  const double r = residual(x), g[] = {2 * r, 2 * r}, H[] = {2, 2, 2, 2};
  damping_iterate(d, x, r * r, g, H, trials);
}

static damping begin(void) {
  damping d;
  mbd_error err = {0};
  must(damping_create(2, &d, &err), &err);
  return d;
}

/* (H + 2 lambda 1) s = -g has the solution s = -r (1, 1)/(2 + lambda), so that r becomes r lambda/(2 + lambda): the model is exact, the
 * ratio 1, and lambda a tenth at every step. */
static void test_path_in_a_valley(void) {
  damping d = begin();
  double x[] = {0.1, 0.3}, r = -1.6, lambda = 1e-3;
  iterate(&d, x, 1);
  for (int k = 0; k < 4; k++) {
    const double added = damping_added(&d, 0), s = -2 * residual(x) / (4 + added);
    CHECK_CLOSE("lambda", added, 2 * lambda, 1e-12 * lambda);
    CHECK_CLOSE("the same of both", damping_added(&d, 1), added, 0);
    x[0] += s, x[1] += s;
    r *= lambda / (2 + lambda);
    CHECK_CLOSE("residual", residual(x), r, 1e-15);
    CHECK_CLOSE("across the valley alone", x[1] - x[0], 0.2, 1e-15);
    iterate(&d, x, 1);
    lambda = k < 3 ? lambda / 10 : lambda;
  }
  damping_free(&d);
}

/* A step that was shortened twice counts as two refusals; what comes down afterwards comes down half way. */
static void test_refusals(void) {
  damping d = begin();
  const double x[][2] = {{0, 0}, {0.5, 0.5}, {0.8, 0.8}, {0.9, 0.9}}, g[] = {0, 0}, H[] = {2, 2, 2, 2};
  iterate(&d, x[0], 1);
  iterate(&d, x[1], 3); /* 1e-3 is refused */
  CHECK_CLOSE("shortened twice", damping_added(&d, 0), 2 * 4e-3, 1e-15);
  iterate(&d, x[1], 1); /* the same place again */
  CHECK_CLOSE("unmoved", damping_added(&d, 0), 2 * 4e-3, 1e-15);
  iterate(&d, x[3], 1); /* to sqrt(4e-3 1e-3) */
  CHECK_CLOSE("half way", damping_added(&d, 0), 2 * 2e-3, 1e-15);
  damping_iterate(&d, x[2], 7, g, H, 1); /* a rise to 7, where 0.16 was foretold */
  CHECK_CLOSE("worse", damping_added(&d, 0), 2 * 4e-3, 1e-15);
  damping_begin(&d);
  iterate(&d, x[0], 1);
  CHECK_CLOSE("anew", damping_added(&d, 0), 2 * 1e-3, 1e-15);
  damping_free(&d);
}

/* A variable that the objective sees a hundred times less in its curvature: E is the geometric mean. */
static void test_unequal(void) {
  damping d = begin();
  const double x[] = {1, 1}, g[] = {1, 1}, H[] = {400, 0, 0, 4};
  damping_iterate(&d, x, 1, g, H, 1);
  CHECK_CLOSE("seen most", damping_added(&d, 0), 1e-3 * 400, 1e-13);
  CHECK_CLOSE("seen less", damping_added(&d, 1), 1e-3 * 40, 1e-13);
  damping_free(&d);
}

static mbd_status valley(void *user, const double *x, unsigned want, mbo_eval *out, mbd_error *err) {
  const double r = residual(x);
  (void)user, (void)err;
  out->f = r * r;
  if (want & MBO_WANT_GRADIENT) { out->g[0] = out->g[1] = 2 * r; }
  for (int k = 0; (want & MBO_WANT_GAUSS_NEWTON) && k < 4; k++) { out->H[k] = 2; }
  return MBD_OK;
}

/* IPOPT in the same valley: few designs, and no wandering along it. */
static void test_ipopt_in_a_valley(void) {
  static const double scale[] = {1, 1};
  mbo_problem p = toy_problem(0, scale, NULL, valley);
  mbo_settings s;
  mbo_result r = {0};
  mbd_error err = {0};
  mbo_settings_init(&s);
  s.gauss_newton = 1;
  if (!toy_is_built_in("ipopt")) { return; }
  must(mbo_solve("ipopt", &p, &s, &r, &err), &err);
  CU_ASSERT_EQUAL(r.status, MBO_CONVERGED);
  CU_ASSERT(r.f < 1e-12 && r.evaluations <= 8);
  mbo_result_free(&r);
}

TEST_MAIN(TEST(test_path_in_a_valley), TEST(test_refusals), TEST(test_unequal), TEST(test_ipopt_in_a_valley))
