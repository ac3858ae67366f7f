/* Damping of a Gauss-Newton matrix along paths that are known by hand; its model between bounds; the offset that ends fits to data. */
#include "backend/trust_region_model.h"
#include "backend/damping.h"
#include "evaluate/evaluator.h"
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
  damping_iterate(&d, x[2], 7, g, H, 1); /* a rise to 7, where 0.16 was predicted */
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

static mbd_status flat_directions(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  const double r = residual(x);
  (void)user, (void)err;
  out->f = r * r;
  if (request & MBO_REQUEST_GRADIENT) { out->g[0] = out->g[1] = 2 * r; }
  for (int k = 0; (request & MBO_REQUEST_GAUSS_NEWTON) && k < 4; k++) { out->H[k] = 2; }
  return MBD_OK;
}

/* The same valley: few designs, and no wandering along it. */
static void in_a_valley(const char *backend) {
  static const double scale[] = {1, 1};
  mbo_problem p = toy_problem(0, scale, NULL, flat_directions);
  mbo_settings s;
  mbo_result r = {0};
  mbd_error err = {0};
  mbo_settings_init(&s);
  s.gauss_newton = 1;
  if (!toy_is_built_in(backend)) { return; }
  must(mbo_solve(backend, &p, &s, &r, &err), &err);
  CU_ASSERT_EQUAL(r.status, MBO_CONVERGED);
  CU_ASSERT(r.f < 1e-12 && r.evaluations <= 8);
  if (strcmp(backend, "ipopt") != 0) { /* whose barriers push sideways */
    CHECK_CLOSE("across the valley alone", r.x[1] - r.x[0], 2.2, 1e-11);
  }
  mbo_result_free(&r);
}

static void test_solve_in_a_valley(void) {
  in_a_valley("ipopt");
  in_a_valley("levenberg_marquardt");
}

/* ---- the model between bounds ---- */

/* With H = (4, 2; 2, 2), g = (-8, -2) the free minimum is at (3, -2), where the model has lost 10. Held at s0 = 1, s1 = 0: it loses
 * 8 - 2 = 6; s1 >= -1 alone: s0 = 2.5, 12.5 - 3 = 9.5. */
static void test_trust_region_model(void) {
  static const double x[] = {1, 1}, g[] = {-8, -2}, H[] = {4, 2, 2, 2};
  static const struct {
    double lower[2], upper[2], step[2], lost;
    int nfree;
  } boxes[] = {{{-9, -9}, {9, 9}, {3, -2}, 10, 2},
               {{-9, -9}, {2, 9}, {1, 0}, 6, 1},
               {{-9, 0}, {9, 9}, {2.5, -1}, 9.5, 1},
               {{1, 1}, {1, 1}, {0, 0}, 0, 0},
               {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}, {3, -2}, 10, 2}};
  trust_region_model b;
  mbd_error err = {0};
  must(trust_region_model_create(2, &b, &err), &err);
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
    CHECK_CLOSE("lost", trust_region_model_solve(&b, x, boxes[i].lower, boxes[i].upper, g, H, 0), boxes[i].lost, 1e-13);
    CHECK_CLOSE("foretold", trust_region_model_predicted(&b, g, H), boxes[i].lost, 1e-13);
    for (int k = 0; k < 2; k++) { CHECK_CLOSE("step", b.step[k], boxes[i].step[k], 1e-13); }
    CU_ASSERT_EQUAL(b.nfree, boxes[i].nfree);
  }
  /* (6, 2; 2, 4) s = (8, 2): s = (1.4, -0.2) */
  trust_region_model_solve(&b, x, boxes[0].lower, boxes[0].upper, g, H, 2);
  CHECK_CLOSE("damped", b.step[0], 1.4, 1e-13);
  CHECK_CLOSE("damped", b.step[1], -0.2, 1e-13);
  /* a matrix of rank one, with the slope in its range: s0 + s1 = 3, however the two share it */
  const double along[] = {-6, -6}, one[] = {2, 2, 2, 2};
  CHECK_CLOSE("of rank one", trust_region_model_solve(&b, x, boxes[0].lower, boxes[0].upper, along, one, 0), 9, 1e-12);
  CHECK_CLOSE("of rank one", b.step[0] + b.step[1], 3, 1e-12);
  trust_region_model_free(&b);
}

/* ---- the relative offset ---- */

static int asked, answer;
static mbd_status is_noise(void *user, const double *x, int *yes, mbd_error *err) {
  (void)user, (void)x, (void)err;
  asked++;
  *yes = answer;
  return MBD_OK;
}

/* The limit that the evaluator sets at the toy's start for a model of it, and its offset. */
static const char *limit_of(evaluator_model m, double tol, int asks, double *offset) {
  static const double scale[] = {1, 1}, start[] = {5, 0};
  mbo_problem p = toy_problem(0, scale, NULL, flat_directions);
  const evaluator_limits l = {.max_evaluations = 9, .max_time = 9, .tol_offset = tol};
  const mbo_eval *v;
  evaluator *e;
  mbd_error err = {0};
  p.start = start, p.samples = 12, p.is_noise = asks ? is_noise : NULL;
  must(evaluator_create(&p, &l, NULL, 0, "", &e, &err), &err);
  must(evaluator_evaluate(e, start, MBO_REQUEST_VALUE, &v, &err), &err); /* f = 9 */
  evaluator_offset(e, &m);
  evaluator_offset(e, &m);
  *offset = evaluator_known_offset(e);
  const char *limit = evaluator_limit(e);
  evaluator_destroy(e);
  return limit;
}

/* y = a + b t through (-1, 0), (0, 3), (1, 3) from a = b = 0 on: r'r = 18, of which 3 2^2 + 2 1.5^2 = 16.5 lies in the plane of (1, t) and
 * 1.5 is left over, so that the offset is sqrt(16.5/2)/sqrt(1.5/(3 - 2)). Here with f = 9, nine of its twelve data as replicas of no
 * weight: left = 8.25, (9 - 8.25)/(12 - 2). */
static void test_offset(void) {
  const evaluator_model far = {9, 8.25, 0.1, 2}, near = {9, 0.05, 0.1, 2};
  double offset;
  CU_ASSERT_PTR_NULL(limit_of(far, 0.25, 0, &offset));
  CHECK_CLOSE("far", offset, sqrt(8.25 / 2) / sqrt(0.75 / 10), 1e-14);
  const char *limit = limit_of(near, 0.25, 0, &offset);
  CU_ASSERT(limit && strcmp(limit, "data") == 0);
  CHECK_CLOSE("near", offset, sqrt(0.025) / sqrt(0.895), 1e-14); /* 0.167 */
  CU_ASSERT_PTR_NULL(limit_of(near, 0.1, 0, &offset));
  CU_ASSERT_PTR_NULL(limit_of(near, 0, 0, &offset));
  CU_ASSERT_PTR_NULL(limit_of((evaluator_model){9, 0.05, 0.9, 2}, 0.25, 0, &offset)); /* steps gain what is promised */
  CU_ASSERT_PTR_NULL(limit_of((evaluator_model){9.1, 0.05, 0.1, 2}, 0.25, 0, &offset)); /* not the best design */
  CU_ASSERT_PTR_NULL(limit_of((evaluator_model){9, 9, 0.1, 2}, 0.25, 0, &offset)); /* nothing orthogonal: no noise */
  CU_ASSERT(isinf(offset));
  CU_ASSERT_PTR_NULL(limit_of((evaluator_model){9, 0.05, 0.1, 0}, 0.25, 0, &offset));
  CU_ASSERT(isnan(offset));
}

/* Whether residuals are noise is asked once, and only where it matters. */
static void test_asked_for_noise(void) {
  const evaluator_model far = {9, 8.25, 0.1, 2}, near = {9, 0.05, 0.1, 2};
  double offset;
  asked = answer = 0;
  CU_ASSERT_PTR_NULL(limit_of(far, 0.25, 1, &offset));
  CU_ASSERT(asked == 0 && isnan(offset));
  CU_ASSERT_PTR_NULL(limit_of(near, 0.25, 1, &offset));
  CU_ASSERT(asked == 1 && isnan(offset));
  answer = 1;
  const char *limit = limit_of(near, 0.25, 1, &offset);
  CU_ASSERT(limit && strcmp(limit, "data") == 0 && asked == 2 && !isnan(offset));
}

TEST_MAIN(TEST(test_path_in_a_valley), TEST(test_refusals), TEST(test_unequal), TEST(test_solve_in_a_valley),
          TEST(test_trust_region_model), TEST(test_offset), TEST(test_asked_for_noise))
