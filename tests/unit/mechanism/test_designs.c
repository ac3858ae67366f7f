/* Several designs of a run in lanes: the values of one at a time, and central differences of them. */
#include "mechanism/case_gradient.h"
#include "mechanism/designs.h"
#include "mechanism/numerical.h"
#include "opened_run.h"
#include "test.h"

enum { LANES = 4, N = 2, NQ = 3, DESIGNS = 7 };

/* A motion, which goes in lanes, and an equilibrium, which does not. */
static const char run_text[] =
    "schema = 1\n[model]\nfile = %s/problems/five_bar/five_bar.ini\n"
    "[design Ls1]\nlower = 0.5\nupper = 4\n[design Ls2]\nlower = 0.5\nupper = 4\n"
    "[case swing]\nduration = 0.5\nstep = 1e-2\n[case rest]\nanalysis = static\nduration = 1\nstep = 0.5\n"
    "[objective path]\ncase = swing\nof = P2.position\nform = integral_square\ntarget = 0.5, -2, 0\n"
    "[objective top]\ncase = swing\nof = P2.position.y\nform = peak\nsharpness = 20\n"
    "[constraint at_rest]\ncase = rest\nof = P2.position.y\nform = terminal\nupper = 1\n[gradient]\nlanes = ";

static opened_run with_lanes(int lanes) {
  char text[1200];
  snprintf(text, sizeof text, "%s%d\n", run_text, lanes);
  return run_open_rooted(text);
}

typedef struct values {
  double psi[DESIGNS][NQ];
  mbd_status status[DESIGNS], whole;
} values;

/* x [DESIGNS][N]; one of them, of number `bad`, cannot be simulated: -1: none. */
static values values_of(opened_run *r, int n, int apart, int bad, int survives) {
  double x[DESIGNS][N];
  mbd_error err = {0};
  values v = {.whole = MBD_OK};
  for (int k = 0; k < n; k++) { x[k][0] = k == bad ? 1e200 : 1.5 + 0.2 * k * apart, x[k][1] = 2.5 - 0.1 * k * apart; }
  v.whole = designs_values(r->m, n, x[0], survives, v.psi[0], v.status, &err);
  return v;
}

static void check_values(const values *a, const values *b, int first, int last, double tolerance) {
  for (int k = first; k < last; k++) {
    CU_ASSERT_EQUAL(a->status[k], b->status[k]);
    for (int i = 0; i < NQ && a->status[k] == MBD_OK; i++) {
      CHECK_CLOSE("value", a->psi[k][i], b->psi[k][i], tolerance * fabs(b->psi[k][i]));
    }
  }
}

/* Four and the last three go together; the case at rest is simulated as ever. */
static void test_values(void) {
  opened_run a = with_lanes(1), b = with_lanes(LANES);
  const values alone = values_of(&a, DESIGNS, 1, -1, 0), together = values_of(&b, DESIGNS, 1, -1, 0);
  check_values(&together, &alone, 0, DESIGNS, 1e-10); /* 2e-12 seen */
  CU_ASSERT_EQUAL(mechanism_lanes(b.m).together, DESIGNS);
  CU_ASSERT_EQUAL(mechanism_lanes(b.m).repeated + mechanism_lanes(a.m).together, 0);
  CU_ASSERT_EQUAL(a.m->simulations, b.m->simulations);
  for (int k = 0; k < DESIGNS; k++) { CU_ASSERT_EQUAL(together.psi[k][2], alone.psi[k][2]); }
  /* The same designs, and one that is left alone: the bits of the scalar program. */
  const values same = values_of(&b, LANES + 1, 0, -1, 0), one = values_of(&a, LANES + 1, 0, -1, 0);
  check_values(&same, &one, 0, LANES + 1, 0);
  CU_ASSERT_EQUAL(mechanism_lanes(b.m).together, DESIGNS + LANES);
  run_close(&a), run_close(&b);
}

/* The designs beside one that fails have the bits of the scalar program; those of the next batch go together again. */
static void test_failure(void) {
  opened_run a = with_lanes(1), b = with_lanes(LANES);
  for (int survives = 0; survives < 2; survives++) {
    const values alone = values_of(&a, DESIGNS, 1, 2, survives), together = values_of(&b, DESIGNS, 1, 2, survives);
    CU_ASSERT_EQUAL(alone.whole, survives ? MBD_OK : alone.status[2]);
    CU_ASSERT_TRUE(alone.status[2] > 0 && together.whole == alone.whole);
    check_values(&together, &alone, 0, survives ? LANES : 3, 0);
    check_values(&together, &alone, LANES, survives ? DESIGNS : LANES, 1e-10);
  }
  CU_ASSERT_EQUAL(mechanism_lanes(b.m).repeated, 2 * LANES);
  CU_ASSERT_EQUAL(mechanism_lanes(b.m).together, DESIGNS - LANES);
  run_close(&a), run_close(&b);
}

/* Another sharpness makes the lanes anew. */
static void test_sharpness(void) {
  opened_run a = with_lanes(1), b = with_lanes(LANES);
  mbd_error err = {0};
  const values before = values_of(&b, LANES, 1, -1, 0);
  must(case_set_sharpness(&a.m->cases[0], 1, 200, &err), &err);
  must(case_set_sharpness(&b.m->cases[0], 1, 200, &err), &err);
  const values alone = values_of(&a, LANES, 1, -1, 0), together = values_of(&b, LANES, 1, -1, 0);
  check_values(&together, &alone, 0, LANES, 1e-10);
  CU_ASSERT_TRUE(fabs(before.psi[0][1] - together.psi[0][1]) > 1e-3);
  run_close(&a), run_close(&b);
}

/* Central differences against the exact gradient, and against those of one lane. */
static void test_gradient(void) {
  opened_run a = with_lanes(1), b = with_lanes(LANES);
  mbd_error err = {0};
  double exact[NQ * N];
  must(mechanism_evaluate(a.m, a.m->start, "direct", &err), &err);
  memcpy(exact, a.m->grad, sizeof exact);
  must(mechanism_evaluate(a.m, a.m->start, "central_differences", &err), &err);
  must(mechanism_evaluate(b.m, b.m->start, "central_differences", &err), &err);
  for (int i = 0; i < NQ * N; i++) {
    CHECK_CLOSE("gradient", b.m->grad[i], exact[i], 1e-6 * fabs(exact[i]));
    CHECK_CLOSE("of one lane", b.m->grad[i], a.m->grad[i], 1e-8 * fabs(exact[i])); /* 2e-9 seen */
  }
  for (int i = 0; i < NQ; i++) { CU_ASSERT_EQUAL(b.m->psi[i], a.m->psi[i]); }
  CU_ASSERT_EQUAL(mechanism_lanes(b.m).together, 2 * N);
  CU_ASSERT_TRUE(a.m->simulations == 1 + 2 * N + 1 && b.m->simulations == 2 * N + 1);
  run_close(&a), run_close(&b);
}

/* Scenarios at several designs, also where their own lanes are asked for. */
static void test_scenarios(void) {
  static const char *const set[2][3] = {{"scenarios.samples=3", "gradient.lanes=1"},
                                        {"scenarios.samples=3", "gradient.lanes=4", "scenarios.lanes=4"}};
  opened_run a = run_open("configs/scatter_quarter_car.ini", 2, set[0]),
             b = run_open("configs/scatter_quarter_car.ini", 3, set[1]);
  mbd_error err = {0};
  must(mechanism_evaluate(a.m, a.m->start, "central_differences", &err), &err);
  must(mechanism_evaluate(b.m, b.m->start, "central_differences", &err), &err);
  for (int i = 0; i < (a.m->nobjective + a.m->nconstraint) * a.m->n; i++) {
    CHECK_CLOSE("gradient", b.m->grad[i], a.m->grad[i], 1e-7 * fabs(a.m->grad[i]));
  }
  CU_ASSERT_EQUAL(mechanism_lanes(b.m).repeated, 0);
  CU_ASSERT_TRUE(mechanism_lanes(b.m).together > 2 * b.m->n * 3);
  run_close(&a), run_close(&b);
}

/* With delays that differ, a sample lies between other nodes in each design: these are simulated alone, with the bits of that, and counted. */
static void test_delay(void) {
  static const char *const set[2] = {"gradient.lanes=1", "gradient.lanes=4"};
  opened_run a = run_open("configs/measured_bar.ini", 1, &set[0]), b = run_open("configs/measured_bar.ini", 1, &set[1]);
  const int n = b.m->n, nq = b.m->nobjective + b.m->nconstraint;
  double x[LANES * 8], alone[LANES * 8], together[LANES * 8];
  mbd_status status[LANES];
  mbd_error err = {0};
  int mass = 0, late = 0;
  CU_ASSERT_FATAL(n <= 8 && nq <= 8);
  while (strcmp(b.m->name[mass], "mass") != 0) { mass++; }
  while (strcmp(b.m->name[late], "late") != 0) { late++; }
  for (int differs = 0; differs < 2; differs++) {
    for (int k = 0; k < LANES; k++) {
      memcpy(x + k * n, b.m->start, (size_t)n * sizeof *x);
      x[k * n + mass] *= 1 + 0.01 * k, x[k * n + late] += 1e-3 * k * differs;
    }
    must(designs_values(a.m, LANES, x, 0, alone, status, &err), &err);
    must(designs_values(b.m, LANES, x, 0, together, status, &err), &err);
    for (int i = 0; i < LANES * nq; i++) {
      CHECK_CLOSE("value", together[i], alone[i], differs ? 0 : 1e-10 * fabs(alone[i]));
    }
    CU_ASSERT_EQUAL(mechanism_lanes(b.m).together, LANES * b.m->nload);
    CU_ASSERT_EQUAL(mechanism_lanes(b.m).repeated, differs * LANES * b.m->nload);
  }
  run_close(&a), run_close(&b);
}

/* Lanes that no library has are refused where the mechanism is made. */
static void test_refused(void) {
  static const char *const set[] = {"gradient.lanes=3"};
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(mbo_run_config_read(MBOPT_SOURCE_DIR "/configs/five_bar.ini", 1, set, &c, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "lanes = 3");
  mbo_run_config_destroy(c);
}

int main(void) {
  const test_entry entries[] = {TEST(test_values),    TEST(test_failure), TEST(test_sharpness), TEST(test_gradient),
                                TEST(test_scenarios), TEST(test_delay),   TEST(test_refused)};
  if (mbd_lanes_width(LANES) != LANES) {
    puts("skipped: no library of 4 lanes, which clang builds, or a processor without AVX2");
    return 77;
  }
  return test_run(__FILE__, entries, (int)(sizeof entries / sizeof entries[0]));
}
