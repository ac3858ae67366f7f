/* Every kind of projection and penalty, against the complex step in every coefficient. */
#include "formulation/projection.h"
#include "gradient/all_coefficients.h"

/* Projections not iterated, as in S0: their own discrete equations, differentiated exactly. With a small weight the constraints are left
 * visibly violated; with that of S0 the condition number of the projection matrix takes digits, which corrections give back. Largest seen:
 * 8e-11 and 2e-10. */
static void test_projection_once(void) {
  mbd_case c = case_lasting(test_long() ? 0.05 : 0.02, 0.005);
  c.projection_iterations = 1, c.penalty = 1e9, c.projection_weight = 1e-8;
  against_complex_step(&c, 0, 1e-9);
  c.projection_weight = 1;
  against_complex_step(&c, 0, 1e-9);
}

/* Every projection matrix of the table that has derivatives, to the end, not iterated, and iterated less than to the end. Moments at
 * which an output crosses a value, and what few nodes make, have the error of Newton's iterations magnified in the complex step: 5e-8
 * with a tolerance of 1e-10, 4e-9 with this one. */
static void test_projection_matrices(void) {
  static const int iterations[] = {0, 1, 3};
  mbd_case c = case_lasting(test_long() ? 0.05 : 0.02, 0.005);
  c.tolerance = 1e-13;
  for (int k = 0; mbd_projection_at(k); k++) {
    if (!mbd_projection_at(k)->depends) { continue; }
    c.projection_matrix = mbd_projection_at(k)->name;
    for (size_t i = 0; i < sizeof iterations / sizeof iterations[0]; i++) {
      c.projection_iterations = iterations[i];
      c.penalty = iterations[i] ? 1e9 : 0, c.projection_weight = 1e-8;
      against_complex_step(&c, 1, 5e-9);
    }
  }
}

/* S3 as it stands: projections not iterated, with the penalty of the positions times h^2/4, and constraints that are violated by
 * millimetres, where parallel axes and other redundant equations are dependent no longer. Largest seen: 7e-11. */
static void test_soft_penalty(void) {
  mbd_case c = case_lasting(test_long() ? 0.05 : 0.02, 0.005);
  c.formulation = "penalty", c.penalty = 1e5;
  c.projection_iterations = 1, c.projection_weight = c.step * c.step / 4;
  against_complex_step(&c, 0, 1e-9);
}

/* Penalties that differ from constraint to constraint: of compliant constraints, of projections that are iterated twice, and beside the number that
 * is chosen at every step. The tolerance is that of test_projection_matrices. */
static void test_penalties_apart(void) {
  mbd_case c = case_lasting(0.05, 0.005);
  c.tolerance = 1e-13;
  c.projection_iterations = 2, c.penalty = 1e9, c.projection_weight = 1e-8, penalties_about = 1e9;
  against_complex_step(&c, 1, 1e-9);
  c.projection_iterations = 0, c.penalty = 0;
  against_complex_step(&c, 1, 1e-9);
  c.formulation = "penalty", c.penalty = 1e5, penalties_about = 1e5;
  c.projection_iterations = 1, c.projection_weight = c.step * c.step / 4;
  against_complex_step(&c, 1, 1e-9);
  penalties_about = 0;
}

TEST_MAIN(TEST(test_projection_once), TEST(test_projection_matrices), TEST(test_soft_penalty),
          TEST(test_penalties_apart))
