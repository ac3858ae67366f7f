/* The judgement of the Taylor test on remainders that are made: a h + b h^2 + c h^3 + d h^4, and noise. */
#include "base/random.h"
#include "evaluate/taylor.h"
#include "test.h"

/* Steps of mbopt check. */
static taylor made(double slope, const double *coefficient, double noise, uint64_t *state) {
  taylor t = {.n = 10, .slope = slope, .noise = noise, .slope_error = 1e-8 * fabs(slope)};
  for (int k = 0; k < t.n; k++) {
    const double h = t.step[k] = 1e-2 * pow(10, -0.5 * k);
    t.remainder[k] = h * (coefficient[0] + h * (coefficient[1] + h * (coefficient[2] + h * coefficient[3])));
    t.remainder[k] += noise * (2 * random_unit(state) - 1);
  }
  taylor_judge(&t);
  return t;
}

static void test_quadratic(void) {
  uint64_t state = 1;
  const double right[4] = {0, 1, 0, 0}, wrong[4] = {-1e-4, 1, 0, 0};
  taylor t = made(1, right, 1e-12, &state);
  CU_ASSERT(t.verdict == TAYLOR_RIGHT);
  CHECK_CLOSE("order of a right gradient", t.order, 2, 0.01);
  CU_ASSERT(t.error < 1e-6);
  t = made(1, wrong, 1e-14, &state);
  CU_ASSERT(t.verdict == TAYLOR_WRONG);
  CHECK_CLOSE("order of a wrong gradient", t.order, 1, 0.02);
  CHECK_NEAR("what is wrong in it", t.first, -1e-4, 1e-4, 1e-4);
}

/* b h^2 and c h^3 cancel at h0, somewhere within the steps; the order of the remainder there is anything. The larger the noise, the fewer
 * steps below h0 are clear of it. */
static void test_cancellation(void) {
  static const double relative[] = {0, 1e-4, -1e-4, 1e-3, -1e-3, 0.5};
  uint64_t state = 1;
  double min = 2;
  int undecided = 0;
  for (int k = 0; k <= 40; k++) {
    const double h0 = 1e-2 * pow(10, -0.05 * k);
    for (size_t i = 0; i < sizeof relative / sizeof relative[0]; i++) {
      for (double noise = 1e-15; noise < 1e-9; noise *= 10) {
        const double a = relative[i], c[4] = {a, 1, -1 / h0, 0};
        const taylor t = made(1, c, noise, &state);
        if (a == 0) {
          CU_ASSERT(t.verdict == TAYLOR_RIGHT);
          min = fmin(min, t.order);
        } else if (t.error < 1e-5) {
          CU_ASSERT(t.verdict == TAYLOR_WRONG);
        } else {
          undecided++; /* the error that is told is not less than a tenth of what is wrong */
        }
      }
    }
  }
  CU_ASSERT(min < 1.7); /* some of these orders would be called wrong */
  printf("\n  least order of a right gradient %.3f; not known to 1e-5: %d of %d", min, undecided, 41 * 5 * 6);
  CU_ASSERT(undecided < 41 * 5 * 6 / 10);
}

/* Any coefficients, of any size. A right gradient is never called wrong, and a wrong one called right by no more than the error that is told. */
static void test_any_coefficients(void) {
  uint64_t state = 7;
  int wrong = 0, missed = 0, right = 0;
  for (int k = 0; k < 20000; k++) {
    double c[4] = {0};
    for (int i = 1; i < 4; i++) { c[i] = pow(10, (i + 1) * random_unit(&state)) * (2 * random_unit(&state) - 1); }
    const double noise = pow(10, -14 + 5 * random_unit(&state));
    taylor t = made(1, c, noise, &state);
    wrong += t.verdict == TAYLOR_WRONG, right += t.verdict == TAYLOR_RIGHT;
    c[0] = pow(10, -4 * random_unit(&state));
    t = made(1, c, noise, &state);
    missed += t.verdict == TAYLOR_RIGHT && c[0] > 6 * t.error + t.slope_error;
  }
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT_EQUAL(missed, 0);
  printf("\n  right gradients called right: %d of 20000", right);
  CU_ASSERT(right > 19000);
}

/* A minimum: the derivative along the direction is zero, and the change is all remainder. */
static void test_at_a_minimum(void) {
  uint64_t state = 1;
  const double right[4] = {0, 1, 1, 0}, wrong[4] = {1e-4, 1, 1, 0};
  const taylor t = made(0, right, 1e-13, &state);
  CU_ASSERT(t.verdict == TAYLOR_RIGHT && t.by_change);
  CHECK_CLOSE("change by the largest step per step", t.size, 0.0101, 1e-10);
  CU_ASSERT(made(0, wrong, 1e-13, &state).verdict == TAYLOR_WRONG);
}

/* An objective that is linear leaves noise alone, whose order is nothing: right where the noise is little beside the change. */
static void test_linear(void) {
  uint64_t state = 1;
  const double none[4] = {0};
  const taylor t = made(1, none, 1e-13, &state);
  CU_ASSERT(t.verdict == TAYLOR_RIGHT);
  CU_ASSERT(isnan(t.order) && t.clear == -1);
}

static void test_noise_alone(void) {
  uint64_t state = 1;
  const double none[4] = {0};
  const taylor t = made(1e-9, none, 1e-12, &state);
  CU_ASSERT(t.verdict == TAYLOR_UNDECIDED);
  CU_ASSERT(t.error > 1e-2 * t.size && t.by_change);
}

static void test_few_steps(void) {
  taylor t = {.n = 1, .step = {1e-2}, .remainder = {1e-4}, .slope = 1, .noise = 1e-13};
  taylor_judge(&t);
  CU_ASSERT(t.verdict == TAYLOR_UNDECIDED && isnan(t.first) && isnan(t.order));
  t = (taylor){.n = 0, .slope = 1, .noise = 1e-13};
  taylor_judge(&t);
  CU_ASSERT(t.verdict == TAYLOR_UNDECIDED);
  /* Two large steps only: nothing tells the parts of first and second order apart. */
  t = (taylor){.n = 2, .step = {1e-2, 3e-3}, .remainder = {3e-4, 8e-5}, .slope = 1, .noise = 1e-13};
  taylor_judge(&t);
  CU_ASSERT(t.verdict == TAYLOR_UNDECIDED);
}

static void test_no_number(void) {
  uint64_t state = 1;
  const double square[4] = {0, 1, 0, 0};
  taylor t = made(1, square, 1e-13, &state);
  t.remainder[3] = NAN;
  taylor_judge(&t);
  CU_ASSERT(t.verdict == TAYLOR_WRONG && isnan(t.order) && isnan(t.first));
  t = made(NAN, square, 1e-13, &state);
  CU_ASSERT(t.verdict == TAYLOR_WRONG);
}

TEST_MAIN(TEST(test_quadratic), TEST(test_cancellation), TEST(test_any_coefficients), TEST(test_at_a_minimum),
          TEST(test_linear), TEST(test_noise_alone), TEST(test_few_steps), TEST(test_no_number))
