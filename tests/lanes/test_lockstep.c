/* Several designs in lockstep (mbd/lanes.h) beside each of them by itself. */
#include "batch.h"

static int W;

/* Cases of several kinds, with settings that make them short. */
static const struct {
  const char *file;
  const char *set[4];
  double spread, apart; /* of the designs; what their results may differ by from those of each alone */
} cases[] = {
    {"configs/five_bar.ini", {"case.swing.duration=0.5"}, 0.02, 1e-10},
    {"configs/step_descent.ini", {"case.step.duration=0.1"}, 0.02, 1e-10},
    {"configs/double_lane_change.ini", {"case.lane_change.duration=0.5"}, 0.02, 1e-10},
    {"configs/chain.ini", {NULL}, 1e-3, 1e-10},
    {"configs/servo.ini", {NULL}, 0.02, 1e-10},
    {"configs/coach_lane.ini", {"case.lane.duration=0.3"}, 0.02, 1e-10},
    {"configs/five_bar_driven.ini", {NULL}, 0.02, 1e-10},
    {"configs/tyre_rig.ini", {"case.sweep.duration=0.3"}, 0.02, 1e-10},
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
        for (int lane = 0; lane < W; lane++) { batch_set_around(&b, lane, k ? W - 1 - lane : lane, cases[i].spread); }
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
    for (int lane = 0; lane < W; lane++) { batch_set_around(&b, lane, lane, cases[i].spread); }
    for (int method = 0; method < METHODS; method++) {
      const size_t n = batch_gradient_size(&b, method), npsi = (size_t)b.npsi;
      double *psi = calloc((size_t)W * npsi, sizeof *psi), *g = calloc((size_t)W * n + 1, sizeof *g);
      double *psi_1 = calloc(npsi, sizeof *psi_1), *g_1 = calloc(n + 1, sizeof *g_1);
      must(batch_run(&b, method, psi, g, &err), &err);
      for (int lane = 0; lane < W; lane++) {
        must(batch_run_alone(&b, lane, method, psi_1, g_1, &err), &err);
        for (int k = 0; k < b.npsi; k++) {
          CHECK_NEAR(cases[i].file, psi[lane * b.npsi + k], psi_1[k], fabs(psi_1[k]), cases[i].apart);
          if (psi_1[k] != 0) { worst = fmax(worst, fabs(psi[lane * b.npsi + k] / psi_1[k] - 1)); }
        }
        const double difference = batch_difference(&b, method, g + (size_t)lane * n, g_1);
        CHECK_CLOSE(cases[i].file, difference, 0, 10 * cases[i].apart);
        worst = fmax(worst, difference);
      }
      free(psi), free(g), free(psi_1), free(g_1);
    }
    printf("(%.2g) ", worst);
    batch_close(&b);
  }
}

TEST_MAIN(TEST(test_same_design_has_the_same_bits), TEST(test_place_has_no_effect), TEST(test_different_designs))
