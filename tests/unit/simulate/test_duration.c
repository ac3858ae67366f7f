/* The duration as a coefficient: derivatives in closed form, and what is refused. */
#include "config/model_file.h"
#include "model.h"
#include "slide.h"

/* A mass on a vertical slide: falling free, held and pushed by sin t, or moved as 2 sin(1.5 t + 0.4). */
static const char slide[] =
    "schema = 1\n"
    "[model]\n"
    "gravity = 0, 0, -9.81\n" MASS_ON_A_SLIDE
    "[point P]\n"
    "at = 0, 0, 0\n"
    "bodies = mass\n"
    "[point Q]\n"
    "at = 0, 0, 0\n"
    "bodies = ground\n";

static const char falling[] = "";
static const char pushed[] =
    "[curve push]\n"
    "type = harmonic\n"
    "coefficients = 9.81, 1, 1, 0\n"
    "[force push]\n"
    "type = coordinate_force\n"
    "coordinate = slide.distance\n"
    "force = push\n";
static const char moved[] =
    "[curve motion]\n"
    "type = harmonic\n"
    "coefficients = 0, 2, 1.5, 0.4\n"
    "[constraint motion]\n"
    "type = driven_coordinate\n"
    "coordinate = slide.distance\n"
    "motion = motion\n";

static const double g = 9.81, T = 0.8;
enum { MAX = 8 };

typedef struct bench {
  test_model base;
  mbd_case c;
  int n, coef; /* objectives; the coefficient that is the duration */
  mbd_term term[MAX];
  mbd_sim *s;
} bench;

static bench open_bench(const char *more, const char *formulation, const char *integrator, int steps, int n,
                        const char *const *output, const char *const *form) {
  char all[4000];
  mbo_model_file *f;
  mbd_error err = {0};
  bench b = {.c = case_lasting(T, T / steps), .n = n};
  edit(all, sizeof all, slide, "", more);
  must(read_model(all, &f, &err), &err);
  must(model_file_coefficient(f, "duration", "0.4*2", &b.coef, &err), &err);
  b.base = model_from(f);
  b.c.formulation = formulation, b.c.integrator = integrator, b.c.free_duration = b.coef + 1;
  for (int i = 0; i < n; i++) {
    b.term[i] =
        (mbd_term){.psi = i, .output = model_output(&b.base, output[i]), .form = form[i], .weight = 1, .sharpness = 2};
  }
  must(mbd_sim_create(b.base.m, &b.c, b.base.o, n, b.term, n, 1, &b.s, &err), &err);
  return b;
}

static void close_bench(bench *b) {
  mbd_sim_destroy(b->s);
  model_close(&b->base);
}

/* By direct differentiation and by the adjoint, which agree. */
static void derivatives(bench *b, double *psi, double *by_T) {
  const double one = 1;
  const mbd_adjoint_options all = {0};
  const int nc = mbd_model_ncoef(b->base.m);
  double *gtheta = calloc((size_t)(nc * b->n), sizeof *gtheta);
  mbd_dparams *d;
  mbd_error err = {0};
  must(mbd_dparams_create(b->base.m, &d, &err), &err);
  mbd_dparams_set(d, b->base.p, 1, &b->coef, &one);
  must(mbd_sim_run(b->s, b->base.p, 1, &d, psi, by_T, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(b->s, b->base.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  for (int i = 0; i < b->n; i++) {
    CHECK_NEAR(b->term[i].form, gtheta[i * nc + b->coef], by_T[i], 1 + fabs(by_T[i]), 1e-12);
  }
  mbd_dparams_destroy(d);
  free(gtheta);
}

/* z = -g t^2/2, which the trapezoidal rule has exactly: every objective is a power of T, whatever the number of steps. */
static void test_fall(void) {
  static const char *const output[] = {"slide.distance", "slide.distance.rate", "slide.distance",
                                       "slide.distance", "slide.distance",      "slide.distance.acceleration"};
  static const char *const form[] = {"terminal", "terminal", "integral", "integral_square", "mean_square", "integral"};
  static const char *const formulations[] = {"ali3p", "penalty", "matrix_r", "semi_recursive", "fully_recursive"};
  for (int k = 0; k < 5; k++) {
    bench b = open_bench(falling, formulations[k], "newmark", 7, 6, output, form);
    double psi[MAX], by_T[MAX];
    derivatives(&b, psi, by_T);
    CHECK_CLOSE("z(T)", by_T[0], -g * T, 1e-11);
    CHECK_CLOSE("zd(T)", by_T[1], -g, 1e-11);
    CHECK_CLOSE("integral of z", by_T[2], 3 * psi[2] / T, 1e-11);
    CHECK_CLOSE("integral of z^2", by_T[3], 5 * psi[3] / T, 1e-10);
    CHECK_CLOSE("mean of z^2", by_T[4], 4 * psi[4] / T, 1e-10);
    CHECK_CLOSE("integral of zdd", by_T[5], -g, 1e-11);
    close_bench(&b);
  }
}

/* zdd = sin t from rest: z(T) = T - sin T, and the motor's force at the end changes by cos T. */
static void test_push(void) {
  static const char *const output[] = {"slide.distance", "slide.distance.rate", "push.force", "push.force"};
  static const char *const form[] = {"terminal", "terminal", "terminal", "integral"};
  static const char *const integrators[] = {"runge_kutta_4", "dormand_prince"};
  for (int k = 0; k < 2; k++) {
    bench b = open_bench(pushed, "matrix_r", integrators[k], 200, 4, output, form);
    double psi[MAX], by_T[MAX];
    derivatives(&b, psi, by_T);
    CHECK_CLOSE("z(T)", by_T[0], 1 - cos(T), 1e-7);
    CHECK_CLOSE("zd(T)", by_T[1], sin(T), 1e-7);
    CHECK_CLOSE("force at the end", by_T[2], cos(T), 1e-12);
    CHECK_CLOSE("integral of the force", by_T[3], g + sin(T), 1e-7);
    close_bench(&b);
  }
}

/* A motion that is given: position, velocity and acceleration at the end change by its first three derivatives. */
static void test_driven(void) {
  static const char *const output[] = {"slide.distance", "slide.distance.rate", "slide.distance.acceleration"};
  static const char *const form[] = {"terminal", "terminal", "terminal"};
  static const char *const integrators[] = {"newmark", "generalized_alpha", "newmark"};
  static const char *const formulations[] = {"ali3p", "ali3p", "matrix_r"};
  const double a = 1.5 * T + 0.4;
  for (int k = 0; k < 3; k++) {
    bench b = open_bench(moved, formulations[k], integrators[k], 10, 3, output, form);
    double psi[MAX], by_T[MAX];
    derivatives(&b, psi, by_T);
    CHECK_CLOSE("z(T)", by_T[0], 3 * cos(a), 1e-10);
    CHECK_CLOSE("zd(T)", by_T[1], -4.5 * sin(a), 1e-10);
    CHECK_CLOSE("zdd(T)", by_T[2], -6.75 * cos(a), 1e-9);
    close_bench(&b);
  }
}

/* Taylor: what the derivative leaves falls with the square of the change. */
static void test_order(void) {
  static const char *const output[] = {"slide.distance", "push.power", "slide.distance"};
  static const char *const form[] = {"integral_square", "integral", "peak"};
  bench b = open_bench(pushed, "ali3p", "generalized_alpha", 30, 3, output, form);
  double psi[MAX], by_T[MAX], theta[100], there[MAX], left[2][MAX];
  mbd_error err = {0};
  const int nc = mbd_model_ncoef(b.base.m);
  CU_ASSERT_FATAL(nc <= 100);
  derivatives(&b, psi, by_T);
  for (int i = 0; i < nc; i++) { theta[i] = mbd_model_nominal(b.base.m, i); }
  for (int k = 0; k < 2; k++) {
    const double step = k == 0 ? 1e-2 : 1e-3;
    theta[b.coef] = T + step;
    must(mbd_params_set(b.base.p, theta, &err), &err);
    must(mbd_sim_run(b.s, b.base.p, 0, NULL, there, NULL, NULL, NULL, NULL, &err), &err);
    for (int i = 0; i < 3; i++) { left[k][i] = fabs(there[i] - psi[i] - step * by_T[i]); }
  }
  for (int i = 0; i < 3; i++) { CU_ASSERT(left[0][i] > 50 * left[1][i] && left[0][i] < 200 * left[1][i]); }
  CU_ASSERT_EQUAL(mbd_sim_steps(b.s), 30);
  close_bench(&b);
}

static void test_refused(void) {
  static const char *const output[] = {"slide.distance"}, *const form[] = {"terminal"};
  const mbd_adjoint_options continuous = {.continuous = 1};
  bench b = open_bench(falling, "ali3p", "newmark", 7, 1, output, form);
  double theta[100], psi[1], gtheta[100];
  mbd_error err = {0};
  mbd_sim *s;
  CU_ASSERT_EQUAL(mbd_sim_adjoint(b.s, b.base.p, &continuous, psi, gtheta, NULL, NULL, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "the continuous adjoint has no derivative by the duration");
  for (int i = 0; i < mbd_model_ncoef(b.base.m); i++) { theta[i] = mbd_model_nominal(b.base.m, i); }
  theta[b.coef] = -1;
  must(mbd_params_set(b.base.p, theta, &err), &err);
  CU_ASSERT_EQUAL(mbd_sim_run(b.s, b.base.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "duration = -1 s, expected > 0");
  b.c.free_duration = 1000;
  CU_ASSERT_EQUAL(mbd_sim_create(b.base.m, &b.c, b.base.o, 1, b.term, 1, 0, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "free_duration = 1000");
  close_bench(&b);
}

TEST_MAIN(TEST(test_fall), TEST(test_push), TEST(test_driven), TEST(test_order), TEST(test_refused))
