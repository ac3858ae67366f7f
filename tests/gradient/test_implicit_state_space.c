/* Implicit steps of the state-space formulations: direct differentiation, discrete adjoint and complex step of whole
 * simulations, with matrices and without; order; agreement with ALI3-P; coordinates chosen anew; limits of memory. */
#include "formulation/implicit_step.h"
#include "mbd/referee.h"
#include "model.h"

enum { MAX_PSI = 3, NDIR = 2 };

/* A chain beside a model, which makes its coordinates so many that implicit steps of fully_recursive form no matrices. */
#define LINKS                       \
  "\n[body link{i}]\n"              \
  "repeat = i from 1 to 46\n"       \
  "mass = 1\n"                      \
  "com = 0.1*{i} - 0.04, 3, 1\n"    \
  "inertia = 0.01, 0.02, 0.03\n"    \
  "[point Q1]\n"                    \
  "at = 0, 3, 1\n"                  \
  "bodies = ground, link1\n"        \
  "[point Q{i}]\n"                  \
  "repeat = i from 2 to 46\n"       \
  "at = 0.1*{i-1}, 3, 1\n"          \
  "bodies = link{i-1}, link{i}\n"   \
  "[vector a1]\n"                   \
  "along = 0, 1, 0\n"               \
  "bodies = ground, link1\n"        \
  "[vector a{i}]\n"                 \
  "repeat = i from 2 to 46\n"       \
  "along = 0, cos({i}), sin({i})\n" \
  "bodies = link{i-1}, link{i}\n"   \
  "[joint h1]\n"                    \
  "type = revolute\n"               \
  "bodies = ground, link1\n"        \
  "point = Q1\n"                    \
  "axis = a1\n"                     \
  "[joint h{i}]\n"                  \
  "repeat = i from 2 to 46\n"       \
  "type = revolute\n"               \
  "bodies = link{i-1}, link{i}\n"   \
  "point = Q{i}\n"                  \
  "axis = a{i}\n"                   \
  "[point tip]\n"                   \
  "at = 4.6, 3, 1\n"                \
  "bodies = link46\n"               \
  "[point fixed]\n"                 \
  "at = 5.6, 3, 2\n"                \
  "bodies = ground\n"               \
  "[force pull]\n"                  \
  "type = spring\n"                 \
  "points = tip, fixed\n"           \
  "stiffness = 3e4\n"               \
  "damping = 2e3\n"                 \
  "free_length = 1\n"

static const struct {
  const char *model, *more; /* lines at its end */
  const char *output[MAX_PSI + 1];
  int by_scalar; /* directions that keep redundant constraints consistent */
} models[] = {
    {.model = "tests/conformance/models/tree.ini", .output = {"T3.acceleration.norm", "bush.force_x", "s1.length"}},
    {.model = "tests/conformance/models/hinges.ini", .output = {"energy.kinetic", "energy.potential"}},
    {.model = "tests/conformance/models/wheels.ini", .output = {"tyre_f.longitudinal", "O.acceleration.norm"}},
    {.model = "tests/conformance/models/uncut.ini", .output = {"T1.acceleration.x", "j2.distance", "b5.rate.x"}},
    {.model = "tests/conformance/models/cuts.ini", .output = {"T3.acceleration.z", "s2.force", "energy.total"}},
    {.model = "tests/conformance/models/constraints.ini",
     .output = {"B.acceleration.norm", "k1.multiplier", "energy.kinetic"}},
    {.model = "problems/five_bar/five_bar_found.ini",
     .by_scalar = 1,
     .output = {"P2.acceleration.norm", "s2.speed", "P2.position.x"}},
    {.model = "problems/bicycle/bicycle.ini", .output = {"frame.roll", "tyre_F.lateral", "saddle.velocity.norm"}},
    {.model = "problems/buggy/buggy.ini",
     .by_scalar = 1,
     .output = {"P1.acceleration.z", "front_left.tyre.load", "rear_right.s.rate"}},
    {.model = "tests/conformance/models/tree.ini",
     .more = LINKS,
     .output = {"tip.acceleration.x", "bush.force_x", "pull.length"}},
    {.model = "tests/conformance/models/hinges.ini",
     .more = LINKS,
     .output = {"energy.kinetic", "pull.force", "tip.position.y"}},
};
enum { TREE = 0, CUTS = 4, FIVE_BAR = 6, LONG_TREE = 9, N_MODELS = LONG_TREE + 2 };

static const char *const schemes[] = {"newmark", "generalized_alpha"};
static const char *const forms[MAX_PSI] = {"integral_square", "terminal", "mean_square"};

typedef struct opened {
  test_model base;
  mbd_sim *s;
  mbd_dparams *d[NDIR];
  mbd_case c;
  mbd_term term[MAX_PSI];
  int nc, npsi;
  test_directions all; /* coefficients */
  double *dtheta;      /* [NDIR][nc] */
} opened;

static mbd_case short_case(const char *formulation, const char *integrator) {
  mbd_case c = case_lasting(0.05, 0.005);
  c.formulation = formulation, c.integrator = integrator;
  return c;
}

static void make_directions(opened *q, int by_scalar) {
  test_directions moved = (by_scalar ? directions_of_scalars : directions_of_coefficients)(&q->base);
  q->all = directions_of_coefficients(&q->base);
  q->nc = q->all.n;
  q->dtheta = calloc((size_t)q->nc * NDIR + 1, sizeof *q->dtheta);
  for (int k = 0; k < NDIR; k++) {
    directions_any(&moved, q->dtheta + k * q->nc);
    q->d[k] = direction_along(&q->base, q->dtheta + k * q->nc);
  }
  directions_free(&moved);
}

static void close_model(opened *q) {
  for (int k = 0; k < NDIR; k++) { mbd_dparams_destroy(q->d[k]); }
  mbd_sim_destroy(q->s), model_close(&q->base);
  directions_free(&q->all), free(q->dtheta);
}

/* 0: a formulation of open loops refuses the model. */
static int open_model(opened *q, int which, const mbd_case *c) {
  mbd_error err = {0};
  const char *file = models[which].model, *more = models[which].more;
  *q = (opened){.base = more ? model_open_more(file, 0, NULL, NULL, more) : model_open(file), .c = *c};
  for (; models[which].output[q->npsi]; q->npsi++) {
    const int first = model_output(&q->base, models[which].output[q->npsi]);
    q->term[q->npsi] =
        (mbd_term){.psi = q->npsi, .output = first, .form = forms[q->npsi], .weight = 1 + q->npsi, .target = 0.2};
  }
  const mbd_status status = mbd_sim_create(q->base.m, c, q->base.o, q->npsi, q->term, q->npsi, NDIR, &q->s, &err);
  if (status == MBD_UNSUPPORTED) {
    CHECK_CONTAINS(err.text, "is for open loops");
    close_model(q);
    return 0;
  }
  must(status, &err);
  make_directions(q, models[which].by_scalar);
  return 1;
}

/* ---- three gradients ---- */

typedef struct gradients {
  double psi[MAX_PSI], psi_a[MAX_PSI];
  double direct[MAX_PSI * NDIR], adjoint[MAX_PSI * NDIR];
  double *gtheta; /* [npsi][nc] */
} gradients;

static void differentiate(opened *q, size_t limit, gradients *g) {
  const mbd_adjoint_options o = {.memory_limit = limit};
  mbd_error err = {0};
  *g = (gradients){.gtheta = calloc((size_t)q->npsi * (size_t)q->nc + 1, sizeof(double))};
  must(mbd_sim_run(q->s, q->base.p, NDIR, q->d, g->psi, g->direct, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(q->s, q->base.p, &o, g->psi_a, g->gtheta, NULL, NULL, &err), &err);
  for (int i = 0; i < q->npsi; i++) {
    CU_ASSERT_EQUAL(g->psi_a[i], g->psi[i]); /* directions change nothing */
    for (int k = 0; k < NDIR; k++) {
      for (int j = 0; j < q->nc; j++) {
        g->adjoint[i * NDIR + k] += g->gtheta[i * q->nc + j] * q->dtheta[k * q->nc + j];
      }
    }
  }
}

/* Sum of the products of which a derivative is made, as measure of its rounding. */
static double size_of(const opened *q, const gradients *g, int i, int k) {
  double size = 0;
  for (int j = 0; j < q->nc; j++) { size += fabs(g->gtheta[i * q->nc + j] * q->dtheta[k * q->nc + j]); }
  return size;
}

/* worst[0]: adjoint to direct, [1]: direct to complex step */
static void compare(opened *q, int which, double tol, double worst[2]) {
  mbd_error err = {0};
  mbd_referee *r;
  gradients g;
  const char *const *names = models[which].output;
  char name[300];
  snprintf(name, sizeof name, "%s, %s, %s", models[which].model, q->c.formulation, q->c.integrator);
  differentiate(q, 0, &g);
  must(
      mbd_referee_create(mbo_model_file_spec(q->base.file), &q->c, q->npsi, names, q->npsi, q->term, q->npsi, &r, &err),
      &err);
  for (int k = 0; k < NDIR; k++) {
    double psi[MAX_PSI], exact[MAX_PSI];
    must(mbd_referee_derivative(r, q->all.theta, q->nc, q->all.index, q->dtheta + k * q->nc, psi, exact, &err), &err);
    for (int i = 0; i < q->npsi; i++) {
      const double direct = g.direct[i * NDIR + k], adjoint = g.adjoint[i * NDIR + k], size = size_of(q, &g, i, k);
      CU_ASSERT(size > 0);
      CHECK_NEAR(name, adjoint, direct, size, tol);
      CHECK_NEAR(name, direct, exact[i], size, tol);
      worst[0] = fmax(worst[0], fabs(adjoint - direct) / size);
      worst[1] = fmax(worst[1], fabs(direct - exact[i]) / size);
    }
  }
  mbd_referee_destroy(r);
  free(g.gtheta);
}

static void test_gradients(void) {
  static const char *const formulations[] = {"matrix_r", "semi_recursive", "fully_recursive"};
  double worst[2] = {0, 0};
  int open_loops = 0;
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < N_MODELS; i++) {
      const mbd_case c = short_case(formulations[k / 2], schemes[k % 2]);
      opened q;
      if ((models[i].more && k / 2 < 2) || !open_model(&q, i, &c)) { continue; }
      open_loops += k / 2;
      CU_ASSERT_EQUAL(ss_matrix_free(q.s), models[i].more != NULL);
      compare(&q, i, 1e-10, worst);
      close_model(&q);
    }
  }
  CU_ASSERT(open_loops >= 4);
  printf("(adjoint to direct %.2g, direct to complex step %.2g) ", worst[0], worst[1]);
}

/* Coordinates that no longer serve are exchanged on the way, and the scheme's own acceleration goes with them. */
static void test_new_choices(void) {
  static const int which[] = {TREE, CUTS};
  double worst[2] = {0, 0};
  for (int k = 0; k < 4; k++) {
    mbd_case c = short_case("matrix_r", schemes[k % 2]);
    opened q;
    c.duration = 1.5, c.step = 0.01;
    CU_ASSERT_FATAL(open_model(&q, which[k / 2], &c));
    compare(&q, which[k / 2], 1e-10, worst);
    CU_ASSERT(mbd_sim_stats(q.s)->choices > 1);
    close_model(&q);
  }
  printf("(adjoint to direct %.2g, direct to complex step %.2g) ", worst[0], worst[1]);
}

/* Steps taken again from a checkpoint are the same steps, whatever solves them. */
static void test_memory_limits(void) {
  static const struct {
    int model;
    const char *formulation;
  } runs[] = {{CUTS, "matrix_r"},
              {FIVE_BAR, "matrix_r"},
              {TREE, "semi_recursive"},
              {TREE, "fully_recursive"},
              {LONG_TREE, "fully_recursive"}};
  for (size_t i = 0; i < 2 * sizeof runs / sizeof runs[0]; i++) {
    mbd_case c = short_case(runs[i / 2].formulation, schemes[i % 2]);
    opened q;
    gradients all, some;
    c.duration = 0.2;
    CU_ASSERT_FATAL(open_model(&q, runs[i / 2].model, &c));
    differentiate(&q, 0, &all);
    differentiate(&q, mbd_sim_stats(q.s)->memory / 4, &some);
    CU_ASSERT(mbd_sim_stats(q.s)->recomputed > 0);
    CU_ASSERT(memcmp(all.gtheta, some.gtheta, (size_t)q.npsi * (size_t)q.nc * sizeof(double)) == 0);
    free(all.gtheta), free(some.gtheta);
    close_model(&q);
  }
}

/* ---- what cannot be solved ---- */

static void test_newton_fails(void) {
  mbd_case c = short_case("matrix_r", "newmark");
  mbd_error err = {0};
  double psi[MAX_PSI];
  opened q;
  c.max_iterations = 1, c.step = 0.025;
  CU_ASSERT_FATAL(open_model(&q, TREE, &c));
  CU_ASSERT_EQUAL(mbd_sim_run(q.s, q.base.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text,
                 "Newton's iteration of a time step did not converge in 1 iterations, nor by way of shorter steps; its "
                 "last correction moves '");
  CHECK_CLOSE("time", err.time, c.step, 1e-12);
  close_model(&q);
}

/* One product in every cycle: enough for the step, whose own iteration makes up for it, not for its derivatives. */
static void test_products_fail(void) {
  mbd_case c = short_case("fully_recursive", "newmark");
  const mbd_adjoint_options o = {0};
  mbd_error err = {0};
  double psi[MAX_PSI], grad[MAX_PSI * NDIR];
  opened q;
  c.max_iterations = 500;
  CU_ASSERT_FATAL(open_model(&q, LONG_TREE, &c));
  double *gtheta = calloc((size_t)q.npsi * (size_t)q.nc + 1, sizeof *gtheta);
  implicit_of(q.s)->krylov.max = 1;
  CU_ASSERT_EQUAL(mbd_sim_run(q.s, q.base.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), MBD_OK);
  CU_ASSERT_EQUAL(mbd_sim_run(q.s, q.base.p, NDIR, q.d, psi, grad, NULL, NULL, NULL, &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, "sensitivities of an implicit step are found by iteration, which stops at a residual of");
  CHECK_CONTAINS(err.text, "a smaller step, integrator = runge_kutta_4, or formulation = matrix_r or ali3p");
  CU_ASSERT_EQUAL(mbd_sim_adjoint(q.s, q.base.p, &o, psi, gtheta, NULL, NULL, &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, "adjoint variables of an implicit step are found by iteration");
  free(gtheta);
  close_model(&q);
}

TEST_MAIN(TEST(test_gradients), TEST(test_new_choices), TEST(test_memory_limits), TEST(test_newton_fails),
          TEST(test_products_fail))
