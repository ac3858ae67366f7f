/* Time schemes, all of the table: their defining equations, order, stability and damping; on mechanisms with constraints
 * as well. */
#include "integrator/integrator.h"
#include "simulate/case.h"

#include <jansson.h>

#include "mechanism/mechanism.h"
#include "model.h"

static const double radii[] = {0, 0.3, 0.5, 0.8, 1};
enum { N_RADII = sizeof radii / sizeof radii[0] };

static mbd_scheme scheme_of(const char *name, double rho_inf, double h) {
  mbd_case c;
  mbd_case_init(&c);
  c.rho_inf = rho_inf;
  return mbd_integrator_find(name)->scheme(&c, h);
}

/* ---- one step ---- */

typedef struct node {
  double z, zd, zdd, acc;
} node;

static void next_acc(const mbd_scheme *q, const node *before, node *now) {
  scheme_carry_acc(q, 1, &before->zdd, &before->acc, &now->acc);
  scheme_close_acc(q, 1, &now->zdd, &now->acc);
}

/* z'' + damping z' + stiffness z = force at the new node */
static node step(const mbd_scheme *q, const node *before, double damping, double stiffness, double force) {
  node now = {0};
  double v, a;
  scheme_history(q, 1, &before->zd, &before->zdd, &before->acc, &v, &a);
  const double dz = (force - stiffness * before->z - damping * v - a) / (q->a + damping * q->c + stiffness);
  scheme_rates(q, 1, &dz, &before->zd, &before->zdd, &before->acc, &now.zd, &now.zdd);
  now.z = before->z + dz;
  next_acc(q, before, &now);
  return now;
}

/* What the papers write, for any dz and any node before. */
static void check_equations(const char *name, const mbd_scheme *q, double h, double b, double g, double alpha_m,
                            double alpha_f) {
  const node before = {0, 0.7, -1.3, 0.4};
  const double dz = 0.31;
  node now = {.z = dz};
  scheme_rates(q, 1, &dz, &before.zd, &before.zdd, &before.acc, &now.zd, &now.zdd);
  next_acc(q, &before, &now);
  const double acc_ = q->has_acc ? before.acc : before.zdd, acc = q->has_acc ? now.acc : now.zdd;
  CHECK_CLOSE(name, h * before.zd + h * h * ((0.5 - b) * acc_ + b * acc), dz, 1e-14);
  CHECK_CLOSE(name, before.zd + h * ((1 - g) * acc_ + g * acc), now.zd, 1e-13);
  CHECK_CLOSE(name, (1 - alpha_m) * acc + alpha_m * acc_, (1 - alpha_f) * now.zdd + alpha_f * before.zdd, 1e-11);
  CU_ASSERT(fabs(now.zdd) > 1);
}

static void test_defining_equations(void) {
  const double h = 0.05;
  mbd_scheme q = scheme_of("newmark", 0, h);
  check_equations("newmark", &q, h, 0.25, 0.5, 0, 0);
  mbd_case c;
  mbd_case_init(&c);
  c.beta = 0.3, c.gamma = 0.6;
  q = mbd_integrator_find("newmark")->scheme(&c, h);
  check_equations("newmark, damped", &q, h, 0.3, 0.6, 0, 0);
  for (int i = 0; i < N_RADII; i++) {
    const double r = radii[i], m = (2 * r - 1) / (r + 1), f = r / (r + 1), g = 0.5 - m + f;
    q = scheme_of("generalized_alpha", r, h);
    check_equations("generalized_alpha", &q, h, 0.25 * (g + 0.5) * (g + 0.5), g, m, f);
  }
}

/* ---- order: z = sin 2t + exp(-t) through its equation of motion ---- */

static node exact(double t) {
  return (node){sin(2 * t) + exp(-t), 2 * cos(2 * t) - exp(-t), -4 * sin(2 * t) + exp(-t), -4 * sin(2 * t) + exp(-t)};
}

static node integrate(const char *name, double rho_inf, int nsteps) {
  const double h = 3.0 / nsteps, damping = 0.3, stiffness = 9;
  const mbd_scheme q = scheme_of(name, rho_inf, h);
  node s = exact(0);
  for (int k = 1; k <= nsteps; k++) {
    const node e = exact(k * h);
    s = step(&q, &s, damping, stiffness, e.zdd + damping * e.zd + stiffness * e.z);
  }
  const node e = exact(3);
  return (node){fabs(s.z - e.z), fabs(s.zd - e.zd), fabs(s.zdd - e.zdd), 0};
}

static void test_order(void) {
  for (int k = 0; mbd_integrator_at(k); k++) {
    if (!mbd_integrator_at(k)->scheme) { continue; }
    const char *name = mbd_integrator_at(k)->name;
    for (int i = 0; i < N_RADII; i++) {
      const node coarse = integrate(name, radii[i], 400), fine = integrate(name, radii[i], 800);
      CU_ASSERT(fine.z > 1e-8 && fine.zd > 1e-8 && fine.zdd > 1e-8);
      CHECK_CLOSE(name, log2(coarse.z / fine.z), 2, 0.06);
      CHECK_CLOSE(name, log2(coarse.zd / fine.zd), 2, 0.06);
      CHECK_CLOSE(name, log2(coarse.zdd / fine.zdd), 2, 0.06);
    }
  }
}

/* ---- stability: one free step of z'' + w^2 z = 0 is a matrix in (w z, zd, acc/w) ---- */

enum { SIZE = 3, DOUBLINGS = 26 };

static double largest(const double *a) {
  double v = 0;
  for (int i = 0; i < SIZE * SIZE; i++) { v = fmax(v, fabs(a[i])); }
  return v;
}

/* Spectral radius: the growth of A^k per step, k = 2^DOUBLINGS. */
static double spectral_radius(double *a) {
  double log_size = 0, b[SIZE * SIZE];
  for (int d = 0; d < DOUBLINGS; d++) {
    const double size = largest(a);
    if (size == 0) { return 0; }
    for (int i = 0; i < SIZE * SIZE; i++) { a[i] /= size; }
    log_size = 2 * (log_size + log(size));
    for (int i = 0; i < SIZE; i++) {
      for (int j = 0; j < SIZE; j++) {
        b[i * SIZE + j] = 0;
        for (int k = 0; k < SIZE; k++) { b[i * SIZE + j] += a[i * SIZE + k] * a[k * SIZE + j]; }
      }
    }
    memcpy(a, b, sizeof b);
  }
  return largest(a) > 0 ? exp((log_size + log(largest(a))) / ldexp(1, DOUBLINGS)) : 0;
}

static double radius_of_step(const char *name, double rho_inf, double w) {
  const mbd_scheme q = scheme_of(name, rho_inf, 1);
  double a[SIZE * SIZE];
  for (int j = 0; j < SIZE; j++) {
    const double x[SIZE] = {j == 0, j == 1, j == 2};
    const node before = {x[0] / w, x[1], -w * x[0], w * x[2]}, now = step(&q, &before, 0, w * w, 0);
    a[j] = w * now.z, a[SIZE + j] = now.zd, a[2 * SIZE + j] = q.has_acc ? now.acc / w : 0;
  }
  return spectral_radius(a);
}

static void test_stability(void) {
  for (int k = 0; mbd_integrator_at(k); k++) {
    if (!mbd_integrator_at(k)->scheme) { continue; }
    const char *name = mbd_integrator_at(k)->name;
    for (int i = 0; i < N_RADII; i++) {
      for (double w = 1e-3; w < 1e5; w *= 1.7) { CU_ASSERT(radius_of_step(name, radii[i], w) <= 1 + 1e-6); }
    }
  }
}

/* Slow oscillations keep their amplitude, fast ones are left rho_inf of it by every step; the default of newmark leaves
 * all. The roots meet at infinite frequency, so that the limit is neared with a root of 1/w. */
static void test_damping(void) {
  for (int i = 0; i < N_RADII; i++) {
    const double r = radii[i], low = radius_of_step("generalized_alpha", r, 0.05);
    CHECK_CLOSE("fast oscillation", radius_of_step("generalized_alpha", r, 1e6), r, 1e-3);
    CHECK_CLOSE("slow oscillation", low, 1, 1e-5);
    if (r < 1) { CU_ASSERT(radius_of_step("generalized_alpha", r, 5) < 0.99); }
  }
  CHECK_CLOSE("newmark", radius_of_step("newmark", 0, 1e6), 1, 1e-6);
}

/* ---- mechanisms ---- */

enum { QUANTITIES = 3, PARAMETERS = 11, NUMBERS = QUANTITIES * (1 + PARAMETERS) };

/* psi1, psi2, psi3 of the five-bar and their gradients */
static void five_bar(const char *integrator, double rho_inf, double step_size, double duration, double *y) {
  char path[512], text[4][64];
  const char *const set[] = {text[0], text[1], text[2], text[3]};
  const int damped = scheme_of(integrator, rho_inf, 1).has_acc;
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m;
  snprintf(path, sizeof path, "%s/configs/five_bar_gradient.ini", MBOPT_SOURCE_DIR);
  snprintf(text[0], sizeof text[0], "case.swing.integrator=%s", integrator);
  snprintf(text[1], sizeof text[1], "case.swing.step=%g", step_size);
  snprintf(text[2], sizeof text[2], "case.swing.duration=%g", duration);
  snprintf(text[3], sizeof text[3], "case.swing.rho_inf=%g", rho_inf); /* which only that scheme reads */
  must(mbo_run_config_read(path, damped ? 4 : 3, set, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  must(mechanism_evaluate(m, m->start, "direct", &err), &err);
  memcpy(y, m->psi, QUANTITIES * sizeof *y);
  memcpy(y + QUANTITIES, m->grad, QUANTITIES * PARAMETERS * sizeof *y);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
}

static void five_bar_reference(double *y) {
  static const char *const names[] = {"psi1", "psi2", "psi3"};
  char path[512];
  snprintf(path, sizeof path, "%s/tests/golden/five_bar.json", MBOPT_SOURCE_DIR);
  json_t *o = json_load_file(path, 0, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(o);
  for (int i = 0; i < QUANTITIES; i++) {
    json_t *gradient = json_object_get(json_object_get(o, "gradients"), names[i]);
    y[i] = json_number_value(json_object_get(json_object_get(o, "values"), names[i]));
    for (int j = 0; j < PARAMETERS; j++) {
      y[QUANTITIES + i * PARAMETERS + j] = json_number_value(json_array_get(gradient, (size_t)j));
    }
  }
  json_decref(o);
}

/* Size of the relative errors of all numbers together: a single one may pass through zero on its way. */
static double error_of(const double *y, const double *expected) {
  double sum = 0;
  for (int n = 0; n < NUMBERS; n++) { sum += (y[n] / expected[n] - 1) * (y[n] / expected[n] - 1); }
  return sqrt(sum / NUMBERS);
}

/* Values and gradients go to the known ones with the square of the step. */
static void test_constrained_order(void) {
  double expected[NUMBERS], coarse[NUMBERS], fine[NUMBERS];
  five_bar_reference(expected);
  for (int k = 0; mbd_integrator_at(k); k++) {
    if (!mbd_integrator_at(k)->scheme) { continue; }
    const char *name = mbd_integrator_at(k)->name;
    for (int i = 0; i < N_RADII; i += 2) {
      five_bar(name, radii[i], 2e-3, 5, coarse);
      five_bar(name, radii[i], 1e-3, 5, fine);
      const double error = error_of(fine, expected);
      CU_ASSERT(error > 1e-6 && error < 1e-3);
      CHECK_CLOSE(name, log2(error_of(coarse, expected) / error), 2, 0.06);
      if (!scheme_of(name, 0, 1).has_acc) { break; } /* does not read rho_inf */
    }
  }
}

/* Without damping it is the trapezoidal rule. */
static void test_undamped_is_newmark(void) {
  double a[NUMBERS], b[NUMBERS];
  five_bar("generalized_alpha", 1, 0.01, 1, a);
  five_bar("newmark", 1, 0.01, 1, b);
  for (int n = 0; n < NUMBERS; n++) { CHECK_NEAR("rho_inf = 1", a[n], b[n], fabs(b[n]), 1e-12); }
}

/* ---- names ---- */

static void test_choices(void) {
  for (int k = 0; mbd_integrator_at(k); k++) {
    CU_ASSERT_STRING_EQUAL(mbd_integrator_name(k), mbd_integrator_at(k)->name);
    CU_ASSERT(strlen(mbd_integrator_at(k)->doc) > 20);
  }
  CU_ASSERT_PTR_NULL(mbd_integrator_find("euler"));
}

/* A case begins with the defaults of its options, as they are written and within their ranges. */
static void test_options(void) {
  const mbd_case_option *o;
  mbd_case c;
  int n = 0;
  mbd_case_init(&c);
  for (; (o = mbd_case_option_at(n)) != NULL; n++) {
    const void *field = (const char *)&c + o->offset;
    CHECK_CLOSE(o->key, o->whole ? *(const int *)field : *(const double *)field, atof(o->text), 0);
    CU_ASSERT(o->dflt >= o->min && o->dflt <= o->max);
    CU_ASSERT(strlen(o->doc) > 10);
    const char *reader = mbd_case_option_integrator(n);
    CU_ASSERT_EQUAL(reader != NULL && strcmp(reader, "newmark") == 0,
                    strcmp(o->key, "beta") == 0 || strcmp(o->key, "gamma") == 0);
    CU_ASSERT_EQUAL(reader != NULL && strcmp(reader, "dormand_prince") == 0,
                    strcmp(o->key, "rtol") == 0 || strcmp(o->key, "atol") == 0 || strcmp(o->key, "max_step") == 0);
  }
  CU_ASSERT(n >= 11);
  CU_ASSERT_PTR_NULL(mbd_case_option_at(-1));
  CU_ASSERT_PTR_NULL(mbd_case_option_integrator(n));
  c.max_iterations = 0;
  CU_ASSERT_EQUAL(case_check(&c, NULL), MBD_BAD_INPUT);
}

static void test_messages(void) {
  mbd_case c;
  test_model q = model_open("problems/five_bar/five_bar.ini");
  mbd_case_init(&c);
  c.integrator = "newmrak";
  check_refused(&q, &c, "integrator 'newmrak' is not known, did you mean 'newmark'?");
  c.integrator = "generalized_alpha", c.rho_inf = 1.5;
  check_refused(&q, &c, "rho_inf = 1.5, expected a number between 0 and 1");
  mbd_case_init(&c);
  c.atol = 0;
  check_refused(&q, &c, "atol = 0, expected a number between 1e-300 and 1e+300");
  model_close(&q);
}

TEST_MAIN(TEST(test_defining_equations), TEST(test_order), TEST(test_stability), TEST(test_damping),
          TEST(test_constrained_order), TEST(test_undamped_is_newmark), TEST(test_choices), TEST(test_options),
          TEST(test_messages))
