/* Motions in natural coordinates against those in joint coordinates, of every model of the conformance tests and of problems: both are of
 * order two, so their differences fall by four as steps are halved; extrapolated, they are the same motion, with the same reactions. */
#include "formulation/natural_matrix_r.h"
#include "model.h"

enum { LEVELS = 3 };

/* The last node: z, zd, zdd [3 nz], and the reactions [nphi] where no constraint is redundant. */
typedef struct ending {
  double *x;
  int nz, nphi;
} ending;

static int keep_last(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                     const double *lam, const double *y) {
  ending *e = user;
  const size_t bytes = (size_t)e->nz * sizeof *z;
  (void)k, (void)t, (void)y;
  memcpy(e->x, z, bytes), memcpy(e->x + e->nz, zd, bytes), memcpy(e->x + 2 * e->nz, zdd, bytes);
  memcpy(e->x + 3 * e->nz, lam, (size_t)e->nphi * sizeof *lam);
  return 0;
}

static void run_to_end(const test_model *q, const mbd_case *c, ending *e, double *x) {
  mbd_error err = {0};
  mbd_sim *s;
  e->x = x;
  must(mbd_sim_create(q->m, c, q->o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_run(s, q->p, 0, NULL, NULL, NULL, NULL, keep_last, e, &err), &err);
  int rank, nheld;
  const int *row, *held;
  mbd_sim_rank(s, &rank, &row, &nheld, &held);
  if (rank < mbd_model_nphi(q->m)) { e->nphi = 0; }
  mbd_sim_destroy(s);
}

typedef struct motion_check {
  const char *model;
  double step; /* the longest */
  double
      min; /* difference of the two at the longest step that is more than rounding; 0: both are as exact; negative: stiff or at rest,
                   so that rounding hides the order, and a difference of at most this size */
} motion_check;

/* Errors are even powers of the step. */
static double extrapolate(double *const x[LEVELS], int j) {
  const double a = (4 * x[1][j] - x[0][j]) / 3, b = (4 * x[2][j] - x[1][j]) / 3;
  return (16 * b - a) / 15;
}

/* Numbers from to count of both endings: the largest of them; *gap: differences at each step, relative to it. */
static double compare(double *x[2][LEVELS], int from, int count, double gap[LEVELS]) {
  double size = 1;
  for (int j = from; j < from + count; j++) { size = fmax(size, fabs(x[0][LEVELS - 1][j])); }
  for (int j = from; j < from + count; j++) {
    for (int l = 0; l < LEVELS; l++) { gap[l] = fmax(gap[l], fabs(x[0][l][j] - x[1][l][j]) / size); }
  }
  return size;
}

/* Matrix R takes the steps of joint coordinates where its independent natural coordinates are these: angles that a force names. */
static int takes_same_steps(const char *model, const char *formulation) {
  static const char *const of[] = {"acting.ini",       "door.ini",      "desk_lamp.ini",
                                   "measured_bar.ini", "/pendulum.ini", "two_link_arm.ini"};
  if (strcmp(formulation, "matrix_r") != 0) { return 0; }
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    if (strstr(model, of[i])) { return 1; }
  }
  return 0;
}

static void check_order(const motion_check *k, int exact, const double gap[LEVELS]) {
  if (exact) {
    CHECK_CLOSE(k->model, gap[0], 0, fmax(1e-12, -k->min));
    return;
  }
  CU_ASSERT(gap[0] > k->min);
  for (int l = 1; l < LEVELS; l++) { CHECK_CLOSE(k->model, gap[l - 1] / gap[l], 4, 0.3); }
}

static void run_levels(const motion_check *k, const test_model *q, const mbd_case *base, ending *e, int n, double *all,
                       double *x[2][LEVELS]) {
  for (int i = 0; i < 2 * LEVELS; i++) {
    mbd_case c = *base;
    c.duration = 32 * k->step, c.step = k->step / (1 << i / 2);
    c.coordinates = i % 2 ? MBD_COORDINATES_NATURAL : MBD_COORDINATES_JOINT;
    x[i % 2][i / 2] = all + i * n;
    run_to_end(q, &c, e, all + i * n);
  }
}

static void check_motion(const motion_check *k, const char *formulation, const char *integrator) {
  test_model q = model_open(k->model);
  ending e = {.nz = mbd_model_nz(q.m), .nphi = mbd_model_nphi(q.m)};
  const int n = 3 * e.nz + e.nphi, is_newmark = strcmp(integrator, "newmark") == 0;
  double *all = calloc(2 * LEVELS * (size_t)n + 1, sizeof *all), gap[LEVELS] = {0}, of_forces[LEVELS] = {0};
  double *x[2][LEVELS];
  /* The coach has stiff tyres: 6e-7, and hardly less with shorter steps, which have more rounding. */
  const double near_enough = strstr(k->model, "coach.ini") ? 1e-6 : 1e-7;
  mbd_case c = case_lasting(1, 1);
  c.formulation = formulation, c.integrator = integrator, c.tolerance = 1e-12;
  run_levels(k, &q, &c, &e, n, all, x);
  for (int from = 0; from < 3 * e.nz; from += e.nz) {
    const double size = compare(x, from, e.nz, gap);
    for (int j = from; j < from + e.nz && is_newmark; j++) {
      CHECK_NEAR(k->model, extrapolate(x[1], j), extrapolate(x[0], j), size, near_enough);
    }
  }
  check_order(k, k->min <= 0 || takes_same_steps(k->model, formulation), gap);
  const double size = compare(x, 3 * e.nz, e.nphi, of_forces);
  for (int j = 3 * e.nz; j < 3 * e.nz + e.nphi && is_newmark; j++) {
    CHECK_NEAR(k->model, extrapolate(x[1], j), extrapolate(x[0], j), size, near_enough);
  }
  free(all);
  model_close(&q);
}

static const motion_check checks[] = {
    {"tests/conformance/models/axles.ini", 1e-3, 1e-10},
    {"tests/conformance/models/acting.ini", 1e-3, 1e-10},
    {"tests/conformance/models/branches.ini", 1e-3, 1e-10},
    {"tests/conformance/models/constraints.ini", 1e-3, 1e-10},
    {"tests/conformance/models/couplings.ini", 1e-3, 1e-10},
    {"tests/conformance/models/cuts.ini", 1e-3, 1e-10},
    {"tests/conformance/models/door.ini", 1e-3, 1e-10},
    {"tests/conformance/models/drives.ini", 1e-3, 1e-10},
    {"tests/conformance/models/floating_four_bars.ini", 1e-3, 1e-10},
    {"tests/conformance/models/hinges.ini", 1e-3, 1e-10},
    {"tests/conformance/models/image.ini", 1e-3, 1e-10},
    {"tests/conformance/models/mirrored.ini", 1e-3, 1e-10},
    {"tests/conformance/models/own.ini", 1e-3, 1e-10},
    {"tests/conformance/models/rows.ini", 1e-3, 1e-10},
    {"tests/conformance/models/states.ini", 1e-3, 1e-10},
    {"tests/conformance/models/tree.ini", 1e-3, 1e-10},
    {"tests/conformance/models/uncut.ini", 1e-3, 1e-10},
    {"tests/conformance/models/wheels.ini", 1e-3, 1e-10},
    {"problems/bicycle/bicycle.ini", 1e-3, 1e-10},
    {"problems/buggy/buggy.ini", 1e-3, 1e-10},
    {"problems/chain/chain.ini", 1e-3, 1e-10},
    {"problems/coach/coach.ini", 1e-3, 1e-10},
    {"problems/corner/corner.ini", 1e-3, -1e-6},
    {"problems/delta_robot/delta_robot.ini", 1e-3, 1e-10},
    {"problems/desk_lamp/desk_lamp.ini", 2e-3, 1e-12},
    {"problems/double_pendulum/double_pendulum.ini", 1e-3, 1e-10},
    {"problems/five_bar/five_bar.ini", 1e-3, 1e-10},
    {"problems/four_bar_motor/four_bar_motor.ini", 1e-3, 0},
    {"problems/four_bar_path/four_bar_path.ini", 1e-3, 0},
    {"problems/frame/frame.ini", 2.5e-4, 1e-10},
    {"problems/heavy_top/heavy_top.ini", 2.5e-4, 1e-10},
    /* Falls at rest. Its weight of 716 N with arms of 1 m has 1.6e-13 N m of rounding, and the least inertia against a motion of it
     * is 1.3e-4 kg m^2: 1.2e-9 rad/s^2, beside g. */
    {"problems/human/human.ini", 2e-3, -1.2e-10},
    {"problems/linkages/linkages.ini", 2e-3, 1e-10}, /* of 0.25 ms its accelerations have 2e-9 of rounding */
    {"problems/measured_bar/measured_bar.ini", 1e-3, 1e-10},
    {"problems/n_four_bar/n_four_bar.ini", 1e-3, 1e-10},
    {"problems/pendulum/pendulum.ini", 1e-3, 1e-10},
    {"problems/robot_arm/robot_arm.ini", 1e-3, 1e-10},
    {"problems/slider_crank/slider_crank.ini", 1e-3, 0},
    {"problems/spatial_four_bar/spatial_four_bar.ini", 1e-3, 1e-10},
    {"problems/two_link_arm/two_link_arm.ini", 1e-3, 1e-10},
    {"problems/tyre_rig/tyre_rig.ini", 2.5e-4, 1e-10},
    {"problems/wishbone_corner/wishbone_corner.ini", 1e-3, 0},
};
enum { N_CHECKS = sizeof checks / sizeof checks[0] };

static void test_newmark(void) {
  for (int i = 0; i < N_CHECKS; i++) { check_motion(&checks[i], "ali3p", "newmark"); }
}

/* Whose scheme has an acceleration of its own. */
static void test_generalized_alpha(void) {
  static const motion_check some[] = {{"tests/conformance/models/cuts.ini", 1e-3, 1e-7},
                                      {"problems/five_bar/five_bar.ini", 1e-3, 1e-8},
                                      {"problems/buggy/buggy.ini", 5e-4, 1e-6}};
  for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) { check_motion(&some[i], "ali3p", "generalized_alpha"); }
}

/* Tyres ask for shorter explicit steps than the rest. */
static int is_stiff(const char *model) {
  static const char *const of[] = {"wheels.ini", "bicycle.ini", "buggy.ini", "coach.ini", "corner.ini", "tyre_rig.ini"};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    if (strstr(model, of[i])) { return 1; }
  }
  return 0;
}

/* Explicit steps of order four, short enough for both to have the same motion. */
static void check_explicit(const motion_check *k) {
  test_model q = model_open(k->model);
  ending e = {.nz = mbd_model_nz(q.m), .nphi = mbd_model_nphi(q.m)};
  const int n = 3 * e.nz + e.nphi;
  double *x = calloc(2 * (size_t)n + 1, sizeof *x);
  for (int i = 0; i < 2; i++) {
    mbd_case c = case_lasting(8 * k->step, k->step / 4);
    c.formulation = "matrix_r", c.integrator = "runge_kutta_4";
    c.coordinates = i ? MBD_COORDINATES_NATURAL : MBD_COORDINATES_JOINT;
    run_to_end(&q, &c, &e, x + i * n);
  }
  for (int part = 0; part < 4; part++) {
    const int from = part * e.nz, to = part < 3 ? from + e.nz : from + e.nphi;
    double size = 1;
    for (int j = from; j < to; j++) { size = fmax(size, fabs(x[j])); }
    for (int j = from; j < to; j++) { CHECK_NEAR(k->model, x[n + j], x[j], size, 1e-10); }
  }
  free(x);
  model_close(&q);
}

static void test_matrix_r(void) {
  for (int i = 0; i < N_CHECKS; i++) {
    check_motion(&checks[i], "matrix_r", "newmark");
    if (!is_stiff(checks[i].model)) { check_explicit(&checks[i]); }
  }
}

/* As many independent natural coordinates as degrees of freedom, at the start and at the end. */
static void test_independent(void) {
  static const struct {
    const char *model;
    int freedoms;
  } of[] = {{"problems/five_bar/five_bar.ini", 2},
            {"problems/buggy/buggy.ini", 14},
            {"problems/bicycle/bicycle.ini", 9},
            {"problems/pendulum/pendulum.ini", 1}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    test_model q = model_open(of[i].model);
    mbd_case c = case_lasting(0.004, 0.001);
    mbd_error err = {0};
    mbd_sim *s;
    c.formulation = "matrix_r", c.coordinates = MBD_COORDINATES_NATURAL;
    must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
    must(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), &err);
    CU_ASSERT_EQUAL(ss_of(&natural_run_of(s)->in)->indep->nf, of[i].freedoms);
    mbd_sim_destroy(s);
    model_close(&q);
  }
}

TEST_MAIN(TEST(test_newmark), TEST(test_generalized_alpha), TEST(test_matrix_r), TEST(test_independent))
