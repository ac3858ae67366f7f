/* The multipliers of the projections by hand: a mass of 2 kg is driven along a rail by x = t^3 from rest. After a step of the
 * trapezoidal rule, v* = 2 x/h and a* = 4 x/h^2; the projected rates are those of the drive, 3 h^2 and 6 h. */
#include "driven_rail.h"
#include "model.h"

typedef struct seen {
  const mbd_sim *s;
  double lam[2], sigma[2], kappa[2];
  int there;
} seen;

static int watch(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  seen *q = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)y;
  q->lam[k] = lam[0];
  q->there = mbd_sim_projections(q->s, &q->sigma[k], &q->kappa[k]);
  return 0;
}

static seen step_of(const char *formulation, double h) {
  test_model q = model_open_text(rail);
  mbd_case c = case_lasting(h, h);
  mbd_error err = {0};
  mbd_sim *s;
  c.formulation = formulation;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  seen found = {.s = s};
  must(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, watch, &found, &err), &err);
  mbd_sim_destroy(s), model_close(&q);
  return found;
}

static void test_by_hand(void) {
  const double h = 0.1, m = 2, x = h * h * h;
  const seen q = step_of("ali3p", h);
  CU_ASSERT(q.there);
  CU_ASSERT_EQUAL(q.sigma[0], 0);
  CU_ASSERT_EQUAL(q.kappa[0], 0);
  CHECK_CLOSE("sigma", q.sigma[1], m * (2 * x / h - 3 * h * h), 1e-14);
  CHECK_CLOSE("kappa", q.kappa[1], m * (4 * x / (h * h) - 6 * h), 1e-13);
  CHECK_CLOSE("lam + kappa", q.lam[1], -m * 6 * h, 1e-13);
}

static void test_others(void) {
  CU_ASSERT(step_of("penalty", 0.1).there);
  CU_ASSERT(!step_of("matrix_r", 0.1).there);
}

TEST_MAIN(TEST(test_by_hand), TEST(test_others))
