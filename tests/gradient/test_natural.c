/* Motions in natural coordinates: direct differentiation against the complex step, and the discrete adjoint
 * against it, in the coefficients of every model. */
#include "gradient/all_coefficients.h"

static void test_integrators(void) {
  mbd_case c = case_lasting(test_long() ? 0.05 : 0.02, 0.005);
  c.coordinates = MBD_COORDINATES_NATURAL;
  int taken = against_complex_step(&c, 0, 1e-9);
  c.integrator = "generalized_alpha";
  taken += against_complex_step(&c, !test_long(), 1e-9);
  CU_ASSERT(taken > 15);
}

static void test_matrix_r(void) {
  static const char *const integrators[] = {"newmark", "runge_kutta_4", "dormand_prince", "generalized_alpha"};
  for (int i = 0; i < (test_long() ? 4 : 3); i++) {
    mbd_case c = case_lasting(test_long() ? 0.05 : 0.02, 0.005);
    c.coordinates = MBD_COORDINATES_NATURAL, c.formulation = "matrix_r", c.integrator = integrators[i];
    CU_ASSERT(against_complex_step(&c, i > 0 && !test_long(), 1e-9) > 7);
  }
}

static void test_projections(void) {
  mbd_case c = case_lasting(test_long() ? 0.05 : 0.02, 0.005);
  c.coordinates = MBD_COORDINATES_NATURAL, c.projection_matrix = "unit";
  CU_ASSERT(against_complex_step(&c, 1, 1e-9) > 5);
  c.projection_matrix = "mass", c.projection_iterations = 2, c.penalty = 1e9;
  CU_ASSERT(against_complex_step(&c, 1, 1e-9) > 5);
}

TEST_MAIN(TEST(test_integrators), TEST(test_matrix_r), TEST(test_projections))
