/* Gradients that rounding decides are told: of a chaotic motion by either method. Where sensitivities grow but the gradient is confirmed, and
 * where they do not, nothing is said. */
#include "files/json.h"
#include "mechanism/warnings.h"
#include "opened_run.h"

static int warnings_of_growth(const mechanism *m) {
  json_t *list = warnings_json(m);
  int n = 0;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *one = json_array_get(list, i);
    if (strcmp(json_string_value(json_object_get(one, "kind")), "growth") != 0) { continue; }
    CHECK_CONTAINS(json_string_value(json_object_get(one, "text")), "s on sensitivities grow, to ");
    CU_ASSERT(json_number_value(json_object_get(one, "time")) > 0);
    n++;
  }
  json_decref(list);
  return n;
}

static void gradient(const opened_run *q, const char *method) {
  mbd_error err = {0};
  must(mechanism_evaluate(q->m, q->m->start, method, &err), &err);
}

/* The double pendulum from 2.5 rad of both rods for 20 s, and from the 0.5 and 0.3 rad of its file. */
static void test_chaos(void) {
  static const char *const set[] = {"scalars.a1=2.5", "scalars.a2=2.5"}, *const methods[] = {"direct",
                                                                                             "discrete_adjoint"};
  for (int chaotic = 0; chaotic < 2; chaotic++) {
    opened_run q = run_open("configs/double_pendulum.ini", 2 * chaotic, set);
    for (int i = 0; i < 2; i++) {
      gradient(&q, methods[i]);
      CU_ASSERT_EQUAL(warnings_of_growth(q.m), chaotic);
      if (chaotic) { CHECK_CONTAINS(q.m->cases[0].doubt, "% of the gradient of 'kinetic_energy'"); }
      gradient(&q, "none"); /* values alone leave what is known of the gradient */
      CU_ASSERT_EQUAL(warnings_of_growth(q.m), chaotic);
    }
    run_close(&q);
  }
}

/* A pendulum that stands upright, theory.md §7.6: its derivative by the angle of the start grows to 4e8, but that of neighbouring motions is the
 * same. */
static void test_confirmed(void) {
  static const char model[] =
      "schema = 1\n[model]\nname = upright\n[scalars]\nat_first = 3.141592653589793\n[body bar]\nmass = 2\ncom = 0, 0, "
      "-1\n"
      "inertia = 0, 0, 0\n[point O]\nat = 0, 0, 0\nbodies = ground, bar\n[vector y]\nalong = 0, 1, 0\nbodies = ground, "
      "bar\n"
      "[joint pin]\ntype = revolute\nbodies = ground, bar\npoint = O\naxis = y\n[start]\nhold.pin.angle = at_first\n";
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design at_first]\n[case fall]\nduration = 6.5\nstep = 5e-3\n"
      "[objective end]\nof = pin.angle\nform = terminal\n";
  opened_run q = run_open_texts(model, run, 0, NULL);
  gradient(&q, "direct");
  CU_ASSERT(q.m->grad[0] > 1e8);
  CU_ASSERT(q.m->cases[0].confirmed > 1e8);
  CU_ASSERT_EQUAL(warnings_of_growth(q.m), 0);
  run_close(&q);
}

TEST_MAIN(TEST(test_chaos), TEST(test_confirmed))
