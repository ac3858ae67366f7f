/* Several designs in lockstep (mbd/lanes.h) beside each of them by itself. */
#include "batch.h"

static int W;

/* What designs differ by, and what their results may differ by from those of each alone. configs/linkages.ini would not pass: it goes through
 * singular positions, so that a change of its coefficients by 2e-15 changes the value of one design by 1e-9 to 9e-8; in lanes it differs by 2e-9. */
static const double spread = 0.02, apart = 1e-10;

#define SHORT   "case.swing.duration=0.2"
#define PART    "objective.psi1.from=0.05", "objective.psi1.until=0.155"
#define NATURAL "case.swing.coordinates=natural", "case.swing.linear_solver=dense"

/* Cases of several kinds, with settings that make them short. */
static const struct {
  const char *file;
  const char *set[6];
} cases[] = {
    {"configs/five_bar.ini", {"case.swing.duration=0.2"}},
    {"configs/step_descent.ini", {"case.step.duration=0.05"}},
    {"configs/double_lane_change.ini", {"case.lane_change.duration=0.2"}},
    {"configs/chain.ini", {NULL}}, /* axes of joints are near to other coordinate axes */
    {"configs/servo.ini", {NULL}},
    {"configs/coach_lane.ini", {"case.lane.duration=0.1"}},
    {"configs/five_bar_driven.ini", {NULL}},
    {"configs/tyre_rig.ini", {"case.sweep.duration=0.1"}},
    {"configs/flexible_slider_crank.ini", {"case.run.duration=0.01"}},
    {"configs/five_bar.ini", {SHORT, "case.swing.formulation=penalty"}},
    {"configs/five_bar.ini", {SHORT, "case.swing.formulation=matrix_r"}},
    {"configs/double_pendulum.ini", {SHORT, "case.swing.formulation=semi_recursive"}},
    {"configs/five_bar.ini", {SHORT, PART, "objective.psi1.form=peak", "objective.psi1.sharpness=20"}},
    {"configs/five_bar.ini", {SHORT, PART, "objective.psi1.form=rms"}},
    {"configs/five_bar.ini", {SHORT, "objective.psi1.form=value_at", "objective.psi1.at=0.155"}},
    {"configs/five_bar.ini", {SHORT, NATURAL}},
    {"configs/five_bar.ini", {SHORT, NATURAL, "case.swing.formulation=matrix_r"}},
    {"configs/five_bar.ini", {SHORT, "case.swing.formulation=fully_recursive"}},
    {"configs/five_bar.ini", {SHORT, "case.swing.formulation=matrix_r", "case.swing.integrator=runge_kutta_4"}},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static void open_case(int i, batch *b) {
  mbd_error err = {0};
  int nset = 0;
  while (cases[i].set[nset]) { nset++; }
  must(batch_open(cases[i].file, nset, cases[i].set, W, b, &err), &err);
}

/* 1: there are lanes here. */
static int has_lanes(void) {
  W = mbd_lanes_width(0);
  if (W) { return 1; }
  test_skip("no library of lanes, which clang builds, or no processor for it");
  return 0;
}

static void test_same_design_has_the_same_bits(void) {
  for (int i = 0; has_lanes() && i < N_CASES; i++) {
    batch b;
    mbd_error err = {0};
    open_case(i, &b);
    for (int method = 0; method < METHODS; method++) {
      const size_t n = batch_gradient_size(&b, method), npsi = (size_t)b.npsi;
      double *psi = calloc((size_t)W * npsi, sizeof *psi), *g = calloc((size_t)W * n + 1, sizeof *g);
      double *psi_1 = calloc(npsi, sizeof *psi_1), *g_1 = calloc(n + 1, sizeof *g_1);
      must(batch_run(&b, method, psi, g, &err), &err);
      must(batch_run_alone(&b, 0, method, psi_1, g_1, &err), &err);
      for (int lane = 0; lane < W; lane++) {
        CU_ASSERT(memcmp(psi + (size_t)lane * npsi, psi_1, npsi * sizeof *psi) == 0);
        CU_ASSERT(batch_difference(&b, method, g + (size_t)lane * n, g_1) == 0);
      }
      CU_ASSERT_EQUAL(mbd_lanes_stats(b.lanes)->iterations, mbd_sim_stats(b.alone)->iterations);
      free(psi), free(g), free(psi_1), free(g_1);
    }
    batch_close(&b);
  }
}

static void test_place_has_no_effect(void) {
  for (int i = 0; has_lanes() && i < N_CASES; i++) {
    batch b;
    mbd_error err = {0};
    open_case(i, &b);
    for (int method = 0; method < METHODS; method++) {
      const size_t n = batch_gradient_size(&b, method), npsi = (size_t)b.npsi;
      double *psi[2], *g[2];
      for (int k = 0; k < 2; k++) {
        psi[k] = calloc((size_t)W * npsi, sizeof *psi[k]), g[k] = calloc((size_t)W * n + 1, sizeof *g[k]);
        for (int lane = 0; lane < W; lane++) { batch_set_around(&b, lane, k ? W - 1 - lane : lane, spread); }
        must(batch_run(&b, method, psi[k], g[k], &err), &err);
      }
      for (int lane = 0; lane < W; lane++) {
        const size_t other = (size_t)(W - 1 - lane);
        CU_ASSERT(memcmp(psi[0] + (size_t)lane * npsi, psi[1] + other * npsi, npsi * sizeof **psi) == 0);
        CU_ASSERT(batch_difference(&b, method, g[0] + (size_t)lane * n, g[1] + other * n) == 0);
      }
      for (int k = 0; k < 2; k++) { free(psi[k]), free(g[k]); }
    }
    batch_close(&b);
  }
}

static void test_different_designs(void) {
  for (int i = 0; has_lanes() && i < N_CASES; i++) {
    double worst = 0;
    batch b;
    mbd_error err = {0};
    open_case(i, &b);
    for (int lane = 0; lane < W; lane++) { batch_set_around(&b, lane, lane, spread); }
    for (int method = 0; method < METHODS; method++) {
      const size_t n = batch_gradient_size(&b, method), npsi = (size_t)b.npsi;
      double *psi = calloc((size_t)W * npsi, sizeof *psi), *g = calloc((size_t)W * n + 1, sizeof *g);
      double *psi_1 = calloc(npsi, sizeof *psi_1), *g_1 = calloc(n + 1, sizeof *g_1);
      must(batch_run(&b, method, psi, g, &err), &err);
      const int every = test_long() ? 1 : 2; /* lane, the others by the next method */
      for (int lane = (i + method) % every; lane < W; lane += every) {
        must(batch_run_alone(&b, lane, method, psi_1, g_1, &err), &err);
        for (int k = 0; k < b.npsi; k++) {
          CHECK_NEAR(cases[i].file, psi[lane * b.npsi + k], psi_1[k], fabs(psi_1[k]), apart);
          if (psi_1[k] != 0) { worst = fmax(worst, fabs(psi[lane * b.npsi + k] / psi_1[k] - 1)); }
        }
        const double difference = batch_difference(&b, method, g + (size_t)lane * n, g_1);
        CHECK_CLOSE(cases[i].file, difference, 0, apart);
        worst = fmax(worst, difference);
      }
      free(psi), free(g), free(psi_1), free(g_1);
    }
    printf("(%.2g) ", worst);
    batch_close(&b);
  }
}

/* ---- what is shown of each lane ---- */

enum { NODES_MAX = 200, OUTPUTS_MAX = 8 };

typedef struct seen {
  int noutput, nodes[MBD_LANES_WIDTH_MAX];
  double y[MBD_LANES_WIDTH_MAX][NODES_MAX][OUTPUTS_MAX];
} seen;

static int look(void *user, int lane, int k, double t, const double *z, const double *zd, const double *zdd,
                const double *lam, const double *y) {
  seen *all = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  CU_ASSERT_FATAL(k < NODES_MAX && all->noutput <= OUTPUTS_MAX);
  all->nodes[lane]++;
  memcpy(all->y[lane][k], y, (size_t)all->noutput * sizeof *y);
  return 0;
}

static int look_alone(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  return look(user, 0, k, t, z, zd, zdd, lam, y);
}

/* Nodes and warnings of each design, of which some have `kind` and some have none. In 50 steps of 0.1 s without derivatives, whose tangents serve many
 * steps, outputs differ as Newton's tolerance does: by 3e-10 with that of 1e-10, the coordinates by 1e-9; by 6e-12 with that of 1e-12. */
static void check_shown(const char *file, int nset, const char *const *set, const char *kind) {
  static seen lanes, alone;
  batch b;
  mbd_error err = {0};
  int with = 0;
  must(batch_open(file, nset, set, W, &b, &err), &err);
  for (int lane = 0; lane < W; lane++) { batch_set_around(&b, lane, lane % 4, 0.5); }
  lanes = (seen){.noutput = b.noutput};
  must(mbd_lanes_run(b.lanes, b.theta, NULL, NULL, NULL, NULL, look, &lanes, &err), &err);
  for (int lane = 0; lane < W; lane++) {
    const mbd_warning *w, *of_lane;
    int n = 0, has = 0;
    alone = (seen){.noutput = b.noutput};
    batch_take(&b, lane);
    must(mbd_sim_run(b.alone, b.p, 0, NULL, NULL, NULL, NULL, look_alone, &alone, &err), &err);
    CU_ASSERT_EQUAL(lanes.nodes[lane], alone.nodes[0]);
    for (int k = 0; k < alone.nodes[0]; k++) {
      for (int i = 0; i < b.noutput; i++) { CHECK_NEAR("output", lanes.y[lane][k][i], alone.y[0][k][i], 1, 1e-9); }
    }
    /* Newton's own warnings are those of all lanes together. */
    for (int i = 0; (w = mbd_sim_warning(b.alone, i)) != NULL; i++) {
      if (strcmp(w->kind, "newton") == 0) {
        CU_ASSERT(mbd_lanes_warned_together(b.lanes));
        continue;
      }
      of_lane = mbd_lanes_warning(b.lanes, lane, n++);
      CU_ASSERT_PTR_NOT_NULL_FATAL(of_lane);
      CU_ASSERT_STRING_EQUAL(of_lane->kind, w->kind);
      CU_ASSERT_EQUAL(of_lane->time, w->time);
      has |= strcmp(w->kind, kind) == 0;
    }
    CU_ASSERT_PTR_NULL(mbd_lanes_warning(b.lanes, lane, n));
    with += has;
  }
  CU_ASSERT(with > 0 && with < W);
  batch_close(&b);
}

static void test_each_lane_is_shown(void) {
  if (!has_lanes()) { return; }
  check_shown("configs/five_bar.ini", 1, (const char *const[]){"case.swing.step=0.1"}, "unresolved");
  check_shown("configs/flexible_pendulum.ini", 3,
              (const char *const[]){"case.fall.duration=0.2", "case.fall.step=2e-3", "scalars.modulus=2e8"}, "slopes");
}

/* ---- lanes that do not go on ---- */

/* The batch fails with the status of that design; the next one is as if nothing had happened. */
static void check_fails(batch *b, int lane, int coefficient, double value, mbd_status expected) {
  const size_t npsi = (size_t)b->npsi;
  double before[64], behind[64], *number = b->theta + (size_t)lane * (size_t)b->nc + coefficient;
  const double was = *number;
  mbd_error err = {0};
  CU_ASSERT_FATAL((size_t)W * npsi <= 64);
  must(mbd_lanes_run(b->lanes, b->theta, NULL, before, NULL, NULL, NULL, NULL, &err), &err);
  memcpy(behind, before, sizeof before);
  *number = value;
  const mbd_status status = mbd_lanes_run(b->lanes, b->theta, NULL, behind, NULL, NULL, NULL, NULL, &err);
  CU_ASSERT_EQUAL(status, expected);
  if (status != expected) { printf("\n  %s\n", err.text); }
  CU_ASSERT(memcmp(before, behind, (size_t)W * npsi * sizeof *before) == 0);
  *number = was;
  must(mbd_lanes_run(b->lanes, b->theta, NULL, behind, NULL, NULL, NULL, NULL, &err), &err);
  CU_ASSERT(memcmp(before, behind, (size_t)W * npsi * sizeof *before) == 0);
}

static int coefficient_of(const batch *b, const char *name) {
  for (int k = 0; k < b->nc; k++) {
    if (strcmp(mbd_model_coef_name(b->load->v->model, k), name) == 0) { return k; }
  }
  printf("\n  no coefficient %s\n", name);
  exit(1);
}

static void test_failing_lane(void) {
  batch b;
  if (!has_lanes()) { return; }
  open_case(0, &b);
  for (int lane = 0; lane < W; lane++) { batch_set_around(&b, lane, lane, 0.02); }
  check_fails(&b, 1, coefficient_of(&b, "body.A1.mass"), -1, MBD_OUT_OF_DOMAIN);
  check_fails(&b, W - 1, coefficient_of(&b, "point.P2@B12.x"), 100, MBD_NO_ASSEMBLY);
  check_fails(&b, 0, coefficient_of(&b, "force.s1.stiffness"), 1e300, MBD_SINGULAR);
  batch_close(&b);
}

/* With a delay that varies, a sample lies between other nodes in each design. */
static void test_lanes_come_apart(void) {
  batch b;
  mbd_error err = {0};
  static double psi[64], g[10000];
  if (!has_lanes()) { return; }
  must(batch_open("configs/measured_bar.ini", 0, NULL, W, &b, &err), &err);
  for (int method = 0; method < METHODS; method++) {
    for (int lane = 0; lane < W; lane++) { batch_set_around(&b, lane, lane, 0.02); }
    CU_ASSERT_FATAL(W * b.npsi <= 64 && W * b.npsi * b.nc <= 10000);
    CU_ASSERT_EQUAL(batch_run(&b, method, psi, g, &err), MBD_UNSUPPORTED);
    CHECK_CONTAINS(err.text, "one at a time");
    for (int lane = 0; lane < W; lane++) { batch_set_around(&b, lane, 0, 0); }
    must(batch_run(&b, method, psi, g, &err), &err);
  }
  batch_close(&b);
}

static void test_refused(void) {
  static const struct {
    const char *file, *set[2], *message;
  } list[] = {
      {"configs/cam.ini", {NULL}, "analysis other than motion"},
      {"configs/five_bar.ini",
       {"case.swing.integrator=dormand_prince", "case.swing.formulation=matrix_r"},
       "chooses its own steps"},
      {"configs/planar_car.ini", {NULL}, "start = steady"},
      {"configs/rolling_disc.ini", {NULL}, "a duration that is a coefficient"},
      {"configs/five_bar.ini", {"objective.psi1.form=integral_abs"}, "looks for zeros"},
      {"configs/five_bar.ini", {"objective.psi1.from=P2.position.y rises above -2.1"}, "value of an output"},
  };
  for (size_t i = 0; has_lanes() && i < sizeof list / sizeof list[0]; i++) {
    batch b;
    mbd_error err = {0};
    int nset = 0;
    while (nset < 2 && list[i].set[nset]) { nset++; }
    CU_ASSERT_EQUAL(batch_open(list[i].file, nset, list[i].set, W, &b, &err), MBD_UNSUPPORTED);
    CHECK_CONTAINS(err.text, list[i].message);
    batch_close(&b);
  }
}

TEST_MAIN(TEST(test_same_design_has_the_same_bits), TEST(test_place_has_no_effect), TEST(test_different_designs),
          TEST(test_each_lane_is_shown), TEST(test_failing_lane), TEST(test_lanes_come_apart), TEST(test_refused))
