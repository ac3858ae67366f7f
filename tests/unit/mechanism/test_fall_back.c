/* Where a case has no adjoint, method = auto takes direct differentiation and says so, whether that is found as costs are measured or
 * by the run itself; asked for by name, it is an error. The linker hands the adjoint to this test. */
#include "mechanism/choices.h"
#include "test.h"

static int calls;

mbd_status __wrap_mbd_sim_adjoint_sized(mbd_sim *s, const mbd_params *p, const mbd_adjoint_options *a, size_t size,
                                        double *psi, double *gtheta, mbd_observer observer, void *user, mbd_error *err);

mbd_status __wrap_mbd_sim_adjoint_sized(mbd_sim *s, const mbd_params *p, const mbd_adjoint_options *a, size_t size,
                                        double *psi, double *gtheta, mbd_observer observer, void *user,
                                        mbd_error *err) {
  (void)s, (void)p, (void)a, (void)size, (void)psi, (void)gtheta, (void)observer, (void)user;
  calls++;
  MBD_FAIL(err, MBD_UNSUPPORTED, "this formulation has none");
}

static const char adjoint[] = "[{\"case\":\"hold\",\"method\":\"discrete_adjoint\",\"reason\":\"as decided\"}]";

/* taken: the adjoint is what an earlier run has decided. */
static void check_fall_back(int taken, const char *text) {
  static const char *const set[] = {"scalars.points=100", "case.hold.duration=0.1", "design.motor.start=3"};
  mbo_run_config *config = NULL;
  mechanism *m = NULL;
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(mbo_run_config_read(MBOPT_SOURCE_DIR "/configs/five_bar_driven.ini", 3, set, &config, &err),
                        MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mechanism_create(config, &m, &err), MBD_OK);
  CU_ASSERT_EQUAL(mechanism_evaluate(m, m->start, "discrete_adjoint", &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "case 'hold': this formulation has none");
  calls = 0;
  if (taken) { CU_ASSERT_EQUAL(choices_take(m, adjoint, &err), MBD_OK); }
  for (int i = 0; i < 2; i++) { CU_ASSERT_EQUAL(mechanism_evaluate(m, m->start, "auto", &err), MBD_OK); }
  CU_ASSERT_EQUAL(calls, 1);
  CU_ASSERT(m->grad[3] != 0);
  CU_ASSERT_EQUAL(m->cases[0].choice.method, GRADIENT_DIRECT);
  CHECK_CONTAINS(m->cases[0].choice.text, text);
  mechanism_destroy(m);
  mbo_run_config_destroy(config);
}

static void test_fall_back(void) {
  check_fall_back(0, "simulations more; there is no discrete adjoint here)");
  check_fall_back(1, "direct differentiation (no adjoint: this formulation has none)");
}

TEST_MAIN(TEST(test_fall_back))
