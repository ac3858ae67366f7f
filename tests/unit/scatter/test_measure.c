/* What a quantity is across scenarios: values by hand, weights and their changes against differences and the complex step, true values, normal
 * distributions in closed form; the normal quantile, correlations. */
#include <complex.h>

#include "scatter/correlation.h"
#include "scatter/measure.h"
#include "scatter/normal.h"

#include "test.h"

enum { N = 5 };
static const double x[N] = {1.2, -0.4, 3.1, 0.7, 2.2}, dx[N] = {0.3, -1.1, 0.5, 2, -0.7};
static const measure_numbers numbers = {.sigmas = 2, .level = 0.7, .limit = 1, .width = 0.3};

static double value_of(const char *name, const measure_numbers *p, const double *at) {
  double work[2 * N];
  return measure_value(measure_find(name), p, N, at, work);
}

static void test_values(void) {
  double sum = 0, squares = 0, top = 0, part = 0, work[2 * N];
  for (int i = 0; i < N; i++) { sum += x[i]; }
  for (int i = 0; i < N; i++) {
    squares += (x[i] - sum / N) * (x[i] - sum / N);
    top += exp(x[i] / 0.3), part += 1 / (1 + exp(-(x[i] - 1) / 0.3)) / N;
  }
  CHECK_CLOSE("mean", value_of("mean", &numbers, x), sum / N, 1e-14);
  CHECK_CLOSE("mean_sigma", value_of("mean_sigma", &numbers, x), sum / N + 2 * sqrt(squares / (N - 1)), 1e-14);
  CHECK_CLOSE("worst", value_of("worst", &numbers, x), 0.3 * log(top), 1e-13);
  CHECK_CLOSE("probability", value_of("probability", &numbers, x), part, 1e-14);
  /* The three in ten worst of five are one and a half. */
  CHECK_CLOSE("true cvar", measure_true(measure_find("cvar"), &numbers, N, x, work), (3.1 + 0.5 * 2.2) / 1.5, 1e-14);
  CHECK_CLOSE("true worst", measure_true(measure_find("worst"), &numbers, N, x, work), 3.1, 0);
  CHECK_CLOSE("true part", measure_true(measure_find("probability"), &numbers, N, x, work), 0.6, 1e-15);
  /* cvar is the minimum over t, here on a grid. */
  double least = INFINITY;
  for (double t = -1; t < 4; t += 1e-4) {
    double f = t;
    for (int i = 0; i < N; i++) { f += 0.3 * log1p(exp((x[i] - t) / 0.3)) / (0.3 * N); }
    least = fmin(least, f);
  }
  CHECK_CLOSE("cvar", value_of("cvar", &numbers, x), least, 1e-8);
}

/* The smoothing goes away with its width. */
static void test_narrow(void) {
  measure_numbers narrow = numbers;
  narrow.width = 1e-3;
  for (int i = 0; measure_name(i); i++) {
    double work[2 * N];
    const across_measure *k = measure_find(measure_name(i));
    CHECK_CLOSE(measure_name(i), measure_value(k, &narrow, N, x, work), measure_true(k, &narrow, N, x, work), 5e-4);
  }
}

static void check_derivatives(const char *name, const measure_numbers *p) {
  const double h = 1e-5;
  const across_measure *k = measure_find(name);
  double w[N], plus[N], minus[N], dw[N], up[N], down[N], work[2 * N], along = 0;
  double complex z[N];
  for (int i = 0; i < N; i++) { plus[i] = x[i] + h * dx[i], minus[i] = x[i] - h * dx[i]; }
  measure_weights(k, p, N, x, w, work);
  for (int i = 0; i < N; i++) { along += w[i] * dx[i]; }
  CHECK_CLOSE(name, along, measure_complex_step(k, p, N, x, dx, z), 1e-14);
  CHECK_CLOSE(name, along, (value_of(name, p, plus) - value_of(name, p, minus)) / (2 * h), 1e-8);
  measure_change(k, p, N, x, dx, dw, work);
  measure_weights(k, p, N, plus, up, work), measure_weights(k, p, N, minus, down, work);
  for (int i = 0; i < N; i++) { CHECK_CLOSE(name, dw[i], (up[i] - down[i]) / (2 * h), 1e-8); }
}

/* Of either tail, which is the other one of -x. */
static void test_derivatives(void) {
  measure_numbers lower = numbers, turned = numbers;
  double minus[N];
  lower.lower = 1, turned.limit = -1;
  for (int i = 0; i < N; i++) { minus[i] = -x[i]; }
  for (int i = 0; measure_name(i); i++) {
    const char *name = measure_name(i);
    const int sign = measure_counts(measure_find(name)) ? 1 : -1;
    check_derivatives(name, &numbers), check_derivatives(name, &lower);
    CHECK_CLOSE(name, value_of(name, &lower, x), sign * value_of(name, &turned, minus), 1e-15);
  }
}

/* Equal values have no deviation, and no derivative of it. */
static void test_equal(void) {
  const double same[N] = {2, 2, 2, 2, 2};
  double w[N], work[2 * N];
  measure_weights(measure_find("mean_sigma"), &numbers, N, same, w, work);
  CHECK_CLOSE("value", value_of("mean_sigma", &numbers, same), 2, 1e-15);
  for (int i = 0; i < N; i++) { CHECK_CLOSE("weight", w[i], 0.2, 1e-16); }
}

/* The standard normal quantile of 0.9 and its density; Rockafellar and Uryasev 2000: the mean of the worst tenth is 1.754983. */
static void test_normal(void) {
  const measure_numbers p = {.sigmas = 3, .level = 0.9, .limit = 5};
  double slope[2], up[2];
  CHECK_CLOSE("quantile", normal_quantile(0.9), 1.2815515655446004, 1e-15);
  CHECK_CLOSE("quantile", normal_quantile(1e-10), -6.3613409024040562, 1e-14);
  for (double z = -6; z <= 6; z += 0.37) { CHECK_CLOSE("inverse", normal_quantile(normal_cdf(z)), z, 1e-8); }
  CHECK_CLOSE("cvar", measure_of_normal(measure_find("cvar"), &p, 3, 2, slope), 3 + 2 * 1.7549833193248684, 1e-13);
  CHECK_CLOSE("part", measure_of_normal(measure_find("probability"), &p, 3, 2, slope), 0.15865525393145705, 1e-15);
  CHECK_CLOSE("mean_sigma", measure_of_normal(measure_find("mean_sigma"), &p, 3, 2, slope), 9, 0);
  CU_ASSERT(!measure_has_normal(measure_find("worst")));
  for (int tail = 0; tail < 2; tail++) {
    measure_numbers q = p;
    q.lower = tail;
    for (int i = 0; measure_name(i); i++) {
      const across_measure *k = measure_find(measure_name(i));
      const double h = 1e-5;
      if (!measure_has_normal(k)) { continue; }
      const double value = measure_of_normal(k, &q, 3, 2, slope);
      CHECK_CLOSE(measure_name(i), slope[0], (measure_of_normal(k, &q, 3 + h, 2, up) - value) / h, 1e-5);
      CHECK_CLOSE(measure_name(i), slope[1], (measure_of_normal(k, &q, 3, 2 + h, up) - value) / h, 1e-5);
    }
  }
}

static void test_correlation(void) {
  const double C[9] = {1, 0.5, 0.2, 0.5, 1, -0.3, 0.2, -0.3, 1}, wrong[4] = {1, 1, 1, 1};
  double L[9], z[3] = {1, 2, 3};
  CU_ASSERT_EQUAL(correlation_factor(3, C, L), -1);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) { sum += L[3 * i + k] * L[3 * j + k]; }
      CHECK_CLOSE("L L'", sum, C[3 * i + j], 1e-15);
    }
  }
  correlation_apply(3, L, z, z);
  CHECK_CLOSE("first", z[0], 1, 0);
  CHECK_CLOSE("second", z[1], 0.5 + 2 * sqrt(0.75), 1e-15);
  CU_ASSERT_EQUAL(correlation_factor(2, wrong, L), 1);
}

TEST_MAIN(TEST(test_values), TEST(test_narrow), TEST(test_derivatives), TEST(test_equal), TEST(test_normal),
          TEST(test_correlation))
