/* Direct differentiation or adjoint: the choice by cost and memory, and the line that says why. */
#include "mechanism/gradient_choice.h"
#include "test.h"

static const gradient_costs costs = {
    .direct = 0.9, .direct_per_variable = 0.07, .adjoint = 0.7, .adjoint_per_quantity = 0.1, .adjoint_repeated = 1};

static gradient_task task(int variables, int objectives) {
  return (gradient_task){.asked = GRADIENT_AUTO,
                         .variables = variables,
                         .objectives = objectives,
                         .nz = 10,
                         .nphi = 5,
                         .ncoef = 200,
                         .steps = 999,
                         .step_bytes = 1440};
}

static gradient_choice choose(gradient_task t) {
  gradient_choice c;
  gradient_choose(&costs, &t, &c);
  return c;
}

static void test_costs(void) {
  gradient_choice c = choose(task(100, 2));
  CHECK_CLOSE("direct", c.direct, 7.9, 1e-14);
  CHECK_CLOSE("adjoint", c.adjoint, 0.9, 1e-14);
  CU_ASSERT_EQUAL(c.method, GRADIENT_DISCRETE_ADJOINT);
  CU_ASSERT_EQUAL(c.adjoint_memory, 999 * (1440 + 16));
  CU_ASSERT_STRING_EQUAL(
      c.text,
      "discrete adjoint (100 variables, 2 objectives: about 0.9 simulations against 7.9 by direct differentiation)");
}

/* Few variables, many quantities: the other way round. */
static void test_direct_is_cheaper(void) {
  gradient_task t = task(1, 3);
  t.constraints = 1;
  gradient_choice c = choose(t);
  CU_ASSERT_EQUAL(c.method, GRADIENT_DIRECT);
  CU_ASSERT_STRING_EQUAL(c.text,
                         "direct differentiation (1 variable, 3 objectives, 1 constraint: about 1.0 simulations "
                         "against 1.1 by discrete adjoint)");
}

/* A motion that does not fit is recomputed from checkpoints, which costs more; so may be the directions' memory. */
static void test_memory(void) {
  gradient_task t = task(8, 1);
  CU_ASSERT_EQUAL(choose(t).method, GRADIENT_DISCRETE_ADJOINT);
  t.memory_limit = choose(t).adjoint_memory;
  CU_ASSERT_EQUAL(choose(t).repeats, 0);
  t.memory_limit -= 1;
  CU_ASSERT_EQUAL(choose(t).repeats, 1);
  CHECK_CLOSE("repeated", choose(t).adjoint, 1.8, 1e-14);
  CU_ASSERT_EQUAL(choose(t).method, GRADIENT_DIRECT);
  t.memory_limit = choose(t).direct_memory - 1;
  CU_ASSERT_EQUAL(choose(t).method, GRADIENT_DISCRETE_ADJOINT);
  CHECK_CONTAINS(choose(t).text, "; steps done again to keep within memory_limit)");
}

/* Explicit steps are dear for many variables; every formulation and integrator has its costs. */
static void test_measured(void) {
  const gradient_costs *newmark = gradient_measured("matrix_r", "newmark"),
                       *explicit = gradient_measured("matrix_r", "runge_kutta_4");
  CU_ASSERT(explicit->direct_per_variable > 2 * newmark->direct_per_variable);
  CU_ASSERT_PTR_EQUAL(gradient_measured("matrix_r", "generalized_alpha"), newmark);
  CU_ASSERT_PTR_NOT_EQUAL(gradient_measured("ali3p", "newmark"), newmark);
  CU_ASSERT(gradient_measured("fully_recursive", "dormand_prince")->direct_per_variable < 0.4);
}

static void test_asked(void) {
  gradient_task t = task(100, 1);
  t.gauss_newton = 1;
  CU_ASSERT_EQUAL(choose(t).method, GRADIENT_DIRECT);
  CU_ASSERT_STRING_EQUAL(choose(t).text,
                         "direct differentiation, for the Gauss-Newton matrix (100 variables, 1 objective)");
  t = task(1, 1);
  t.asked = GRADIENT_CONTINUOUS_ADJOINT;
  CU_ASSERT_EQUAL(choose(t).method, GRADIENT_CONTINUOUS_ADJOINT);
  CU_ASSERT_STRING_EQUAL(choose(t).text, "continuous adjoint, as the run file says (1 variable, 1 objective)");
}

static void test_names(void) {
  for (int i = GRADIENT_NONE; i <= GRADIENT_AUTO; i++) {
    const gradient_method m = (gradient_method)i;
    CU_ASSERT_EQUAL(gradient_method_find(gradient_method_name(m)), m);
  }
  CU_ASSERT_EQUAL(gradient_method_find("unknown"), GRADIENT_NONE);
}

TEST_MAIN(TEST(test_costs), TEST(test_direct_is_cheaper), TEST(test_memory), TEST(test_measured), TEST(test_asked),
          TEST(test_names))
