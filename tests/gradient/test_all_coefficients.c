/* Every formulation, integrator and reference point, against the complex step in every coefficient. */
#include "gradient/all_coefficients.h"

/* Every formulation with every integrator that it takes; of state space, whose steps are all made of one evaluation, a few
 * steps. */
static void test_formulations(void) {
  mbd_case c = case_lasting(test_long() ? 0.03 : 0.02, 0.005);
  for (int i = 0; mbd_formulation_at(i); i++) {
    int taken = 0;
    c.duration = (mbd_formulation_at(i)->space ? 1 : 2) * (test_long() ? 3 : 2) * c.step;
    c.formulation = mbd_formulation_at(i)->name;
    for (int k = 0; mbd_integrator_at(k); k++) {
      c.integrator = mbd_integrator_at(k)->name;
      taken += against_complex_step(&c, 0, 1e-9);
    }
    CU_ASSERT(taken > 0);
  }
}

/* Another reference point, with the first integrator that each formulation takes. */
static void at_reference(mbd_reference reference) {
  mbd_case c = case_lasting(test_long() ? 0.03 : 0.02, 0.005);
  c.reference = reference;
  for (int i = 0; mbd_formulation_at(i); i++) {
    c.formulation = mbd_formulation_at(i)->name;
    for (int k = 0; mbd_integrator_at(k); k++) {
      c.integrator = mbd_integrator_at(k)->name;
      if (against_complex_step(&c, 0, 1e-9) > 0) { break; }
    }
  }
}

static void test_reference_points(void) {
  at_reference(MBD_RTDYN0);
  at_reference(MBD_RTDYN_JOINT);
}

/* After all of them, every model has been compared, and every coefficient of it has had its turn where all models were drawn (else it has in
 * kinematic and static cases, test_kinematic.c and test_static.c). */
static void test_every_coefficient(void) {
  for (int q = 0; q < N_CASES; q++) {
    CU_ASSERT(cases[q].driven || seen[q]);
    CU_ASSERT(test_slow() || cases[q].driven || turns[q] >= turns_of(q));
  }
}

static void test_every_element(void) {
  check_coverage(&elements, "tests/gradient/all_coefficients.h");
}

TEST_MAIN(TEST(test_formulations), TEST(test_reference_points), TEST(test_every_coefficient), TEST(test_every_element))
