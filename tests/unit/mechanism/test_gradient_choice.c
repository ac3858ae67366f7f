/* Direct differentiation or adjoint: the choice by measured costs and by memory, and the line that says why. */
#include <math.h>

#include "mechanism/gradient_choice.h"
#include "test.h"

static gradient_task task(int variables, int objectives) {
  return (gradient_task){
      .asked = GRADIENT_AUTO, .variables = variables, .objectives = objectives, .nz = 10, .nphi = 5, .ncoef = 200};
}

static gradient_choice choose(gradient_task t, gradient_costs k) {
  gradient_choice c;
  gradient_choose(&t, &k, &c);
  return c;
}

static gradient_choice choose_now(gradient_task t) {
  gradient_choice c;
  gradient_choose_now(&t, &c);
  return c;
}

static void test_costs(void) {
  const gradient_choice c = choose(task(100, 2), (gradient_costs){.seconds = 0.42, .direct = 7.9, .adjoint = 0.9});
  CU_ASSERT_EQUAL(c.method, GRADIENT_DISCRETE_ADJOINT);
  CU_ASSERT_EQUAL(c.costs.direct, 7.9);
  CU_ASSERT_STRING_EQUAL(c.text,
                         "discrete adjoint (100 variables, 2 objectives; measured: a simulation takes 0.42 s, the "
                         "gradient 0.90 simulations more, by direct differentiation 7.90)");
}

/* Few variables, many quantities: the other way round; and where both cost the same. */
static void test_direct_is_cheaper(void) {
  gradient_task t = task(1, 3);
  t.constraints = 1;
  CU_ASSERT_EQUAL(choose(t, (gradient_costs){1, 1.5, 1.5, 0}).method, GRADIENT_DIRECT);
  const gradient_choice c = choose(t, (gradient_costs){.seconds = 0.001, .direct = 0.25, .adjoint = 1.5});
  CU_ASSERT_EQUAL(c.method, GRADIENT_DIRECT);
  CU_ASSERT_STRING_EQUAL(c.text,
                         "direct differentiation (1 variable, 3 objectives, 1 constraint; measured: a simulation takes "
                         "0.001 s, the gradient 0.25 simulations more, by discrete adjoint 1.50)");
}

/* Times that are near, whichever way the clock has them, leave the choice to the number of variables: three for each adjoint. */
static void test_near(void) {
  const gradient_costs costs[] = {{.direct = 1.2, .adjoint = 1.9}, {.direct = 1.9, .adjoint = 1.2}};
  for (int i = 0; i < 2; i++) {
    CU_ASSERT_EQUAL(choose(task(3, 1), costs[i]).method, GRADIENT_DIRECT);
    CU_ASSERT_EQUAL(choose(task(4, 1), costs[i]).method, GRADIENT_DISCRETE_ADJOINT);
  }
  CU_ASSERT_EQUAL(choose(task(3, 1), (gradient_costs){.direct = 4.1, .adjoint = 1.5}).method,
                  GRADIENT_DISCRETE_ADJOINT);
  CU_ASSERT_EQUAL(choose(task(4, 1), (gradient_costs){.direct = 0.4, .adjoint = 1.9}).method, GRADIENT_DIRECT);
}

/* Steps done again are told; where there is no adjoint, or no room for it, the other one is left. */
static void test_adjoint_limits(void) {
  gradient_costs k = {.seconds = 1, .direct = 3, .adjoint = 1.7, .repeated = 950};
  CHECK_CONTAINS(choose(task(8, 1), k).text,
                 "1.70 simulations more with 950 steps recomputed to keep within memory_limit, by");
  k.adjoint = NAN, k.repeated = 0;
  CU_ASSERT_EQUAL(choose(task(8, 1), k).method, GRADIENT_DIRECT);
  CHECK_CONTAINS(choose(task(8, 1), k).text, "3.00 simulations more; there is no discrete adjoint here)");
  k.repeated = -1;
  CHECK_CONTAINS(choose(task(8, 1), k).text, "; memory_limit is too tight for the discrete adjoint)");
}

/* Directions that do not fit leave the adjoint, without measuring: 8 (11 10 + 9 5 + 200 + 1 8) 8 bytes. */
static void test_memory(void) {
  gradient_task t = task(8, 1);
  CU_ASSERT_EQUAL(gradient_direct_memory(&t), 64 * (110 + 45 + 200 + 8));
  CU_ASSERT(gradient_direct_fits(&t));
  t.memory_limit = gradient_direct_memory(&t);
  CU_ASSERT_EQUAL(choose_now(t).method, GRADIENT_AUTO);
  t.memory_limit -= 1;
  CU_ASSERT_EQUAL(choose_now(t).method, GRADIENT_DISCRETE_ADJOINT);
  CU_ASSERT_STRING_EQUAL(
      choose_now(t).text,
      "discrete adjoint (8 variables, 1 objective: direct differentiation would take 0.0222 MiB, more "
      "than memory_limit allows)");
}

static void test_asked(void) {
  gradient_task t = task(100, 1);
  t.gauss_newton = 1;
  CU_ASSERT_EQUAL(choose_now(t).method, GRADIENT_DIRECT);
  CU_ASSERT_STRING_EQUAL(choose_now(t).text,
                         "direct differentiation, for the Gauss-Newton matrix (100 variables, 1 objective)");
  t = task(1, 1);
  t.asked = GRADIENT_CONTINUOUS_ADJOINT;
  CU_ASSERT_EQUAL(choose_now(t).method, GRADIENT_CONTINUOUS_ADJOINT);
  CU_ASSERT_STRING_EQUAL(choose_now(t).text, "continuous adjoint, as the run file says (1 variable, 1 objective)");
}

/* An adjoint for the sum of the objectives and one for each constraint: three variables each. */
static void test_unmeasured(void) {
  gradient_task t = task(9, 3);
  gradient_choice c;
  CU_ASSERT_EQUAL(gradient_adjoints(&t), 3);
  gradient_choose_unmeasured(&t, "it locks", &c);
  CU_ASSERT_EQUAL(c.method, GRADIENT_DIRECT);
  CU_ASSERT_STRING_EQUAL(c.text,
                         "direct differentiation (9 variables, 3 objectives; costs could not be measured: it locks)");
  t.summed = 1, t.constraints = 1;
  CU_ASSERT_EQUAL(gradient_adjoints(&t), 2);
  gradient_choose_unmeasured(&t, "it locks", &c);
  CU_ASSERT_EQUAL(c.method, GRADIENT_DISCRETE_ADJOINT);
}

static void test_names(void) {
  for (int i = GRADIENT_NONE; i <= GRADIENT_AUTO; i++) {
    const gradient_method m = (gradient_method)i;
    CU_ASSERT_EQUAL(gradient_method_find(gradient_method_name(m)), m);
  }
  CU_ASSERT_EQUAL(gradient_method_find("unknown"), GRADIENT_NONE);
}

TEST_MAIN(TEST(test_costs), TEST(test_direct_is_cheaper), TEST(test_near), TEST(test_adjoint_limits), TEST(test_memory),
          TEST(test_asked), TEST(test_unmeasured), TEST(test_names))
