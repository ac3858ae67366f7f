/* Static cases, against the complex step: all joints, elements and outputs of the conformance models, whose free coordinates are held by
 * springs against loads that grow, or driven. Every coefficient with MBOPT_LONG; else, of each model, those that kinematic cases
 * (test_kinematic.c) leave out. */
#include "gradient/all_coefficients.h"

/* Largest seen: direct to complex step 5e-11, adjoint to direct 6e-11. */
static void test_models(void) {
  mbd_case c = case_lasting(0.05, test_long() ? 0.0125 : 0.025); /* a beginning, a node between and an end; or five */
  c.analysis = "static";
  take_turns_from(KINEMATIC_TURNS);
  for (int i = 0; i < (test_long() && !test_slow() ? 3 : 1); i++) {
    c.reference = (mbd_reference)i;
    CU_ASSERT(against_complex_step(&c, 0, 2e-10) > 10);
  }
}

TEST_MAIN(TEST(test_models))
