/* Design variables of a run file: one of a scalar, one of every control point of a curve; what they are called, where they
 * start, what they move. */
#include <unistd.h>

#include "opened_run.h"

static const char run[] = "configs/five_bar_driven.ini";

/* Between two scalars, so that the places of the control points count. */
static const char *const among_scalars[] = {"scalars.points=4", "design.Ls1.lower=1", "design.Ls2.scale=3"};

static void test_names(void) {
  static const char *const names[] = {"motor.1", "motor.2", "motor.3", "motor.4", "Ls1", "Ls2"};
  opened_run q = {0};
  q = run_open(run, 3, among_scalars);
  const mechanism *m = q.m;
  CU_ASSERT_EQUAL_FATAL(m->n, 6);
  for (int i = 0; i < 6; i++) {
    CU_ASSERT_STRING_EQUAL(m->name[i], names[i]);
    CU_ASSERT_EQUAL(m->design.section[i], i < 4 ? 0 : i - 3);
    CU_ASSERT_EQUAL(m->lower[i], i < 4 ? -200 : i == 4 ? 1 : -INFINITY);
  }
  CHECK_CLOSE("scale", m->scale[2], 10, 0);
  CHECK_CLOSE("scale of its own", m->scale[5], 3, 0);
  CHECK_CLOSE("start of a scalar", m->start[4], sqrt(5), 1e-15);
  run_close(&q);
}

/* Starts from the model; a scale for all points, the size of the largest. */
static void test_starts(void) {
  static const char *const set[] = {"scalars.points=5", "scalars.duration=2"};
  static const char *const given[] = {"scalars.points=5", "design.motor.start=7"};
  opened_run q = {0};
  q = run_open(run, 2, given);
  for (int i = 0; i < 5; i++) { CHECK_CLOSE("start", q.m->start[i], 7, 0); }
  run_close(&q);
  q = run_open(run, 2, set);
  for (int i = 0; i < 5; i++) { CHECK_CLOSE("start", q.m->start[i], 0, 0); }
  run_close(&q);
}

/* Different starts from the model, one scale for all: points near zero are of the size of the others. */
static void test_one_scale(void) {
  char path[] = "/tmp/mbopt_model_XXXXXX", set_model[64], line[300];
  FILE *in = fopen(MBOPT_SOURCE_DIR "/problems/five_bar/five_bar_driven.ini", "r"), *out = fdopen(mkstemp(path), "w");
  while (fgets(line, sizeof line, in)) { fputs(strcmp(line, "value = 0\n") == 0 ? "value = 6*x - 2\n" : line, out); }
  fclose(in), fclose(out);
  snprintf(set_model, sizeof set_model, "model.file=%s", path);
  const char *const set[] = {set_model};
  opened_run q = {0};
  q = run_open(run, 1, set);
  unlink(path);
  CU_ASSERT_EQUAL_FATAL(q.m->n, 32);
  q.config->design[0].scale = NAN; /* as if it were left out */
  design d;
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(design_create(q.config, q.m->cases[0].v->file, &d, &err), MBD_OK);
  for (int i = 0; i < d.n; i++) {
    CHECK_CLOSE("start", d.start[i], 6.0 * i / 31 - 2, 1e-14);
    CHECK_CLOSE("scale", d.scale[i], 4, 1e-14);
  }
  design_free(&d);
  run_close(&q);
}

/* d psi / d rho by direct differentiation of all points against differences. */
static void test_gradient(void) {
  static const char *const set[] = {"scalars.points=4",     "design.Ls1.lower=1",     "design.Ls2.scale=1",
                                    "scalars.duration=0.3", "case.hold.duration=0.3", "design.motor.start=5"};
  opened_run q = {0};
  mbd_error err = {0};
  q = run_open(run, 6, set);
  const mechanism *m = q.m;
  double direct[12], size[2] = {0, 0};
  CU_ASSERT_EQUAL_FATAL(mechanism_evaluate(q.m, m->start, "direct", &err), MBD_OK);
  memcpy(direct, m->grad, sizeof direct);
  CU_ASSERT_EQUAL_FATAL(mechanism_evaluate(q.m, m->start, "complex_step", &err), MBD_OK);
  for (int i = 0; i < 12; i++) { size[i / 6] = fmax(size[i / 6], fabs(m->grad[i])); }
  for (int i = 0; i < 12; i++) {
    CHECK_NEAR(m->name[i % 6], direct[i], m->grad[i], size[i / 6], 1e-10);
    CU_ASSERT(i / 6 == 1 && i % 6 > 3 ? direct[i] == 0 : direct[i] != 0); /* the effort feels no spring */
  }
  run_close(&q);
}

/* A case with another curve in its place does not feel the points. */
static void test_other_curve(void) {
  opened_run q = {0};
  mbd_error err = {0};
  static const char *const set[] = {"scalars.points=4", "case.hold.duration=0.1", "case.hold.curve.torque=still"};
  q = run_open(run, 3, set);
  CU_ASSERT_EQUAL_FATAL(mechanism_evaluate(q.m, q.m->start, "direct", &err), MBD_OK);
  for (int i = 0; i < 8; i++) { CU_ASSERT_EQUAL(q.m->grad[i], 0); }
  run_close(&q);
}

/* Some of the control points: their names and starts, and the others stay where the model has them. */
static void test_some_points(void) {
  static const char *const set[] = {"scalars.points=6", "case.hold.duration=0.1", "design.Ls1.lower=1",
                                    "design.motor.first=3", "design.motor.last=points - 1"};
  opened_run all = run_open(run, 3, set), q = run_open(run, 5, set);
  mbd_error err = {0};
  const int n = q.m->n, more = all.m->n;
  CU_ASSERT_EQUAL_FATAL(n, more - 3);
  CU_ASSERT_STRING_EQUAL(q.m->name[0], "motor.3");
  CU_ASSERT_STRING_EQUAL(q.m->name[2], "motor.5");
  CU_ASSERT_STRING_EQUAL(q.m->name[3], all.m->name[6]);
  CU_ASSERT_EQUAL_FATAL(mechanism_evaluate(q.m, q.m->start, "direct", &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mechanism_evaluate(all.m, all.m->start, "direct", &err), MBD_OK);
  for (int k = 0; k < 2; k++) {
    CHECK_CLOSE("value", q.m->psi[k], all.m->psi[k], 1e-14 * fabs(all.m->psi[k]));
    for (int j = 0; j < n; j++) {
      const double expected = all.m->grad[k * more + (j < 3 ? j + 2 : j + 3)];
      CHECK_CLOSE(q.m->name[j], q.m->grad[k * n + j], expected, 1e-13 * fabs(expected));
    }
  }
  run_close(&all), run_close(&q);
}

TEST_MAIN(TEST(test_names), TEST(test_starts), TEST(test_one_scale), TEST(test_gradient), TEST(test_other_curve),
          TEST(test_some_points))
