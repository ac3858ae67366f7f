/* Every integrator on a damped oscillator, z'' = -25 z - 2 z', z(0) = 0.4, z'(0) = -1, against its own recursion written out in
 * z, z', z'' or against the closed form; and Matrix R in natural coordinates on a bar that hangs. */
#include "integrator/integrator.h"
#include "values.h"

static const char oscillator[] =
    "schema = 1\n[model]\nname = oscillator\ngravity = 0, 0, 0\n"
    "[body carriage]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[vector rail]\nalong = 1, 0, 0\nbodies = ground, carriage\n"
    "[joint slide]\ntype = prismatic\nbodies = ground, carriage\naxis = rail\n"
    "[force spring]\ntype = torsion_spring\ncoordinate = slide.distance\nstiffness = 50\ndamping = 4\n"
    "[start]\nhold.slide.distance = 0.4\nrate.slide.distance = -1\n";

enum { STEPS = 7 };
static const double h = 0.05;

typedef struct state {
  double z, zd, zdd;
} state;

static double motion(double z, double zd) {
  return -25 * z - 2 * zd;
}

static const state start = {0.4, -1, -25 * 0.4 + 2};

/* The state after STEPS steps; the largest remainder seen is 1e-14, and 1e-11 of the integrator that chooses its own steps. */
static void check(mbd_case *c, const state *expected, double tol) {
  static const char *const names[] = {"slide.distance", "slide.distance.rate", "slide.distance.acceleration"};
  const double numbers[] = {expected->z, expected->zd, expected->zdd};
  test_model q = model_open_text(oscillator);
  c->duration = STEPS * h, c->step = h;
  for (int i = 0; i < 3; i++) { CHECK_VALUE(c->integrator, value_after(&q, c, names[i], STEPS), numbers[i], tol); }
  model_close(&q);
}

static mbd_case case_of(const char *integrator, const char *formulation) {
  mbd_case c;
  mbd_case_init(&c);
  c.integrator = integrator, c.formulation = formulation;
  return c;
}

/* z = z_ + h z'_ + h^2 ((1/2 - beta) z''_ + beta z''),  z' = z'_ + h ((1 - gamma) z''_ + gamma z''),  z'' = -25 z - 2 z' */
static void test_newmark(void) {
  mbd_case c = case_of("newmark", "ali3p");
  state s = start;
  c.beta = 0.3, c.gamma = 0.6;
  for (int k = 0; k < STEPS; k++) {
    const double z = s.z + h * s.zd + h * h * (0.5 - 0.3) * s.zdd, zd = s.zd + h * (1 - 0.6) * s.zdd;
    s.zdd = motion(z, zd) / (1 + 25 * 0.3 * h * h + 2 * 0.6 * h);
    s.z = z + h * h * 0.3 * s.zdd, s.zd = zd + h * 0.6 * s.zdd;
  }
  check(&c, &s, 1e-12);
}

/* Newmark's formulas with an acceleration a of its own, (1 - am) a + am a_ = (1 - af) z'' + af z''_;  with the spectral radius r,
 * am = (2 r - 1)/(r + 1), af = r/(r + 1), gamma = 1/2 - am + af, beta = (gamma + 1/2)^2/4 */
static void test_generalized_alpha(void) {
  mbd_case c = case_of("generalized_alpha", "ali3p");
  const double r = 0.7, am = (2 * r - 1) / (r + 1), af = r / (r + 1), gamma = 0.5 - am + af;
  const double beta = (gamma + 0.5) * (gamma + 0.5) / 4, w = (1 - af) / (1 - am);
  state s = start;
  double a = start.zdd;
  c.rho_inf = r;
  for (int k = 0; k < STEPS; k++) {
    const double fixed = (af * s.zdd - am * a) / (1 - am); /* a = fixed + w z'' */
    const double z = s.z + h * s.zd + h * h * ((0.5 - beta) * a + beta * fixed);
    const double zd = s.zd + h * ((1 - gamma) * a + gamma * fixed);
    s.zdd = motion(z, zd) / (1 + 25 * beta * h * h * w + 2 * gamma * h * w);
    a = fixed + w * s.zdd;
    s.z = z + h * h * beta * w * s.zdd, s.zd = zd + h * gamma * w * s.zdd;
  }
  check(&c, &s, 1e-12);
}

/* The classic method: slopes at the start, twice in the middle, at the end, with weights 1, 2, 2, 1. */
static void test_runge_kutta_4(void) {
  mbd_case c = case_of("runge_kutta_4", "fully_recursive");
  static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  state s = start;
  for (int k = 0; k < STEPS; k++) {
    double kz = 0, kv = 0, sum_z = 0, sum_v = 0;
    for (int i = 0; i < 4; i++) {
      const double z = s.z + at[i] * h * kz, zd = s.zd + at[i] * h * kv;
      kz = zd, kv = motion(z, zd);
      sum_z += weight[i] * kz, sum_v += weight[i] * kv;
    }
    s.z += h * sum_z, s.zd += h * sum_v;
    s.zdd = motion(s.z, s.zd);
  }
  check(&c, &s, 1e-12);
}

/* z = exp(-t) (0.4 cos(w t) - 0.6/w sin(w t)),  w^2 = 24 */
static void test_dormand_prince(void) {
  mbd_case c = case_of("dormand_prince", "fully_recursive");
  const double t = STEPS * h, w = sqrt(24.0), co = cos(w * t), si = sin(w * t), a = 0.4, b = -0.6 / w;
  const double z = exp(-t) * (a * co + b * si), zd = -z + exp(-t) * w * (b * co - a * si);
  const state s = {z, zd, motion(z, zd)};
  c.rtol = c.atol = 1e-12;
  check(&c, &s, 1e-10);
}

/* A bar of mass 2 and length 1 that hangs from a hinge with half of 1/4 more inertia than its own, 0.6 rad down. In natural coordinates it
 * is two vectors; of their six components one is independent, x = sin(angle), since at 0.6 rad the other one of its vector is larger. With
 * k = m g l/(J + m l^2) = 13.08,
 *   angle'' = k cos(angle)    is    x'' = k (1 - x^2) - x x'^2/(1 - x^2) */
#define BAR                                                                  \
  "schema = 1\n[model]\nname = bar\njoints = named\ngravity = 0, 0, -9.81\n" \
  "[body bar]\nmass = 2\ncom = 0.5, 0, 0\ninertia = 0, 0.25, 0.25\n"         \
  "[point hinge]\nat = 0, 0, 0\nbodies = ground, bar\n"                      \
  "[vector axis]\nalong = 0, 1, 0\nbodies = ground, bar\n"                   \
  "[joint pin]\ntype = revolute\nbodies = ground, bar\npoint = hinge\naxis = axis\n"
static const char bar[] = BAR "[start]\nhold.pin.angle = 0.6\nrate.pin.angle = -1\n";
static const char driven_bar[] = BAR
    "[constraint motor]\ntype = driven_coordinate\ncoordinate = pin.angle\nmotion = turning\n"
    "[curve turning]\ntype = polynomial\ncoefficients = 0.6, -1\n";

static double of_sine(double x, double xd) {
  return 13.08 * (1 - x * x) - x * xd * xd / (1 - x * x);
}

static void check_bar(mbd_case *c, const state *x) {
  static const char *const names[] = {"pin.angle", "pin.angle.rate", "pin.angle.acceleration"};
  const double cosine = sqrt(1 - x->z * x->z), numbers[] = {asin(x->z), x->zd / cosine, 13.08 * cosine};
  test_model q = model_open_text(bar);
  c->coordinates = MBD_COORDINATES_NATURAL, c->duration = STEPS * h, c->step = h;
  for (int i = 0; i < 3; i++) { CHECK_VALUE("bar", value_after(&q, c, names[i], STEPS), numbers[i], 1e-12); }
  model_close(&q);
}

/* The trapezoidal rule and Runge-Kutta's in x. */
static void test_matrix_r_in_natural_coordinates(void) {
  const state begin = {sin(0.6), -cos(0.6), of_sine(sin(0.6), -cos(0.6))};
  state s = begin;
  mbd_case c = case_of("newmark", "matrix_r");
  for (int k = 0; k < STEPS; k++) {
    state next = s;
    for (int i = 0; i < 60; i++) {
      next.z = s.z + h / 2 * (s.zd + next.zd), next.zd = s.zd + h / 2 * (s.zdd + next.zdd);
      next.zdd = of_sine(next.z, next.zd);
    }
    s = next;
  }
  check_bar(&c, &s);
  s = begin;
  c = case_of("runge_kutta_4", "matrix_r");
  for (int k = 0; k < STEPS; k++) {
    double v[4], a[4];
    for (int i = 0; i < 4; i++) {
      const double part = i == 0 ? 0 : i == 3 ? h : h / 2;
      const double x = s.z + (i ? part * v[i - 1] : 0);
      v[i] = s.zd + (i ? part * a[i - 1] : 0), a[i] = of_sine(x, v[i]);
    }
    s.z += h / 6 * (v[0] + 2 * v[1] + 2 * v[2] + v[3]), s.zd += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
  }
  check_bar(&c, &s);
}

/* Without an independent coordinate. */
static void test_no_freedom(void) {
  test_model q = model_open_text(driven_bar);
  mbd_case c = case_of("newmark", "matrix_r");
  c.coordinates = MBD_COORDINATES_NATURAL, c.duration = STEPS * h, c.step = h;
  CHECK_VALUE("bar", value_after(&q, &c, "pin.angle", STEPS), 0.6 - STEPS * h, 1e-12);
  model_close(&q);
}

static void test_every_integrator_has_values(void) {
  for (int i = 0; mbd_integrator_at(i); i++) { EXPECT_VALUE("integrator", mbd_integrator_at(i)->name, NULL); }
}

TEST_MAIN(TEST(test_newmark), TEST(test_generalized_alpha), TEST(test_runge_kutta_4), TEST(test_dormand_prince),
          TEST(test_matrix_r_in_natural_coordinates), TEST(test_no_freedom), TEST(test_every_integrator_has_values))
