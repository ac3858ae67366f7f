/* Fronts as studies: closed forms, a published front of several parts, the order of the work, messages. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/json.h"
#include "study/pareto.h"
#include "study/run.h"
#include "test.h"

static char root[] = "/tmp/mbopt-pareto-XXXXXX";
static volatile sig_atomic_t stop;

typedef struct opened {
  mbo_run_config *config;
  mechanism *m;
  study *s;
  char *path, *folder;
} opened;

/* Makes the study of a run file in a folder of its own. */
static opened open_front(const char *run_file, const char *name, int nset, const char *const *set) {
  const char *where = strchr(run_file, '/') ? MBOPT_SOURCE_DIR : root; /* the configs, or a file of this test */
  opened o = {.path = mbd_sprintf_dup("%s/%s", where, run_file), .folder = mbd_sprintf_dup("%s/%s", root, name)};
  mbd_error err = {0};
  int n;
  must(mbo_run_config_read(o.path, nset, set, &o.config, &err), &err);
  must(mechanism_create(o.config, &o.m, &err), &err);
  must(pareto_check(o.m, &err), &err);
  const study_plan plan = pareto_plan(o.config, nset, set, &n);
  must(study_create(o.folder, &plan, &o.s, &err), &err);
  return o;
}

static void close_front(opened *o) {
  study_destroy(o->s);
  mechanism_destroy(o->m);
  mbo_run_config_destroy(o->config);
  free(o->path), free(o->folder);
}

static void perform(opened *o, int jobs) {
  mbd_error err = {0};
  engine_progress p = {0};
  const engine_task t = {.s = o->s, .last = o->s->n, .stop = &stop};
  o->s->config->study.jobs = jobs;
  must(pareto_perform(engine_find("local"), &t, &p, &err), &err);
  CU_ASSERT_EQUAL(p.done, o->s->n);
}

/* The objectives of Fonseca and Fleming on the diagonal x = y: with u = sqrt(-ln(1 - f1)) it is sqrt(-ln(1 - f2)) = 2 - u. */
static void test_closed_form(void) {
  static const char *const set[] = {"pareto.points=9", "pareto.tolerance=1e-8"};
  opened o = open_front("configs/pareto_fonseca_fleming.ini", "fonseca", 2, set);
  pareto_front p;
  mbd_error err = {0};
  perform(&o, 2);
  must(pareto_open(o.s, &p, &err), &err);
  CU_ASSERT_EQUAL_FATAL(p.nefficient, 9);
  CU_ASSERT_STRING_EQUAL(p.name[1], "f2");
  for (int k = 0; k < 9; k++) {
    const int i = p.order[k];
    const double f1 = pareto_value(&p, i, 0), u = sqrt(-log(1 - f1)), v = 2 - u;
    CHECK_CLOSE("front", pareto_value(&p, i, 1), 1 - exp(-v * v), 1e-6);
    if (k > 0 && k < 8) { CHECK_CLOSE("slope", pareto_slope(&p, i, 1, 0), -v * exp(-v * v) / (u * exp(-u * u)), 1e-4); }
  }
  /* It lies above the line through its ends: no knee towards smaller objectives. */
  CU_ASSERT_EQUAL(p.knee, -1);
  pareto_close(&p);
  close_front(&o);
}

/* With x of a catalogue no other of its values, with the y that meets the limit of f1, has a lower f2; slopes between designs that lie apart are not told. */
static void test_catalogue(void) {
  static const char *const set[] = {"pareto.points=3", "design.x.values=-1, -0.5, 0, 0.5, 1"};
  opened o = open_front("configs/pareto_fonseca_fleming.ini", "catalogue", 2, set);
  pareto_front p;
  runs_state state;
  json_t *record;
  mbd_error err = {0};
  perform(&o, 2);
  must(pareto_open(o.s, &p, &err), &err);
  CU_ASSERT_EQUAL_FATAL(p.nefficient, 3);
  must(runs_read(o.s, 2, &state, &record, &err), &err);
  CHECK_CLOSE("x", fabs(remainder(runs_number(record, "result.x"), 0.5)), 0, 0);
  json_decref(record);
  const double f1 = pareto_value(&p, 2, 0), a = sqrt(0.5);
  for (int i = -2; i <= 2; i++) {
    const double x = 0.5 * i, way = -log(1 - f1) - pow(x - a, 2), y = a - sqrt(fmax(way, 0));
    if (way >= 0) { CU_ASSERT(pareto_value(&p, 2, 1) <= 1 - exp(-pow(x + a, 2) - pow(y + a, 2)) + 1e-6); }
  }
  CU_ASSERT(isnan(pareto_slope(&p, 2, 1, 0)));
  pareto_close(&p);
  close_front(&o);
}

/* On the front of Tanaka's problem the first constraint is active, r^2 = 1 + 0.1 cos(16 phi), or the disc ends it; parts begin at (0.0417, 1.0385). */
static void test_parts(void) {
  static const char *const set[] = {"pareto.points=20"};
  opened o = open_front("configs/pareto_tanaka.ini", "tanaka", 1, set);
  pareto_front p;
  mbd_error err = {0};
  int gaps = 0;
  perform(&o, 2);
  must(pareto_open(o.s, &p, &err), &err);
  CU_ASSERT(p.nefficient >= 13);
  for (int k = 0; k < p.nefficient; k++) {
    const double x = pareto_value(&p, p.order[k], 0), y = pareto_value(&p, p.order[k], 1);
    CHECK_CLOSE("edge", x * x + y * y, 1 + 0.1 * cos(16 * atan2(x, y)), 2e-4);
    gaps += k > 0 && pareto_has_gap(&p, p.order[k - 1], p.order[k]);
  }
  CU_ASSERT_EQUAL(gaps, 2);
  CHECK_CLOSE("end", pareto_value(&p, p.order[0], 0), 0.0416666, 1e-4);
  pareto_close(&p);
  close_front(&o);
}

/* Objectives of the quarter car by stiffness k and damping c, a_i/c + b_i c (problems/active_suspension/README.md), and their derivatives by c. */
static void coefficients(double k, double a[2], double b[2]) {
  const double m = 35, M = 300, K = 190e3, h = 0.01, s = m + M, unit[] = {h * h / 2, 1e-6 * h * h / 2};
  a[0] = unit[0] * s * k * k / (M * M), b[0] = unit[0] * K / (M * M);
  a[1] = unit[1] * (s * s * s * k * k / (M * M) - 2 * m * K * s * k / M + m * K * K);
  b[1] = unit[1] * s * s * K / (M * M);
}

static void quarter_car(double k, double c, double f[2], double df[2]) {
  double a[2], b[2];
  coefficients(k, a, b);
  for (int i = 0; i < 2; i++) { f[i] = a[i] / c + b[i] * c, df[i] = -a[i] / (c * c) + b[i]; }
}

static void test_quarter_car(void) {
  const char *const set[] = {"pareto.points=5", "pareto.tolerance=1e-9", "case.step.duration=3"};
  opened o = open_front("configs/pareto_quarter_car.ini", "quarter_car", 3, set);
  pareto_front p;
  mbd_error err = {0};
  perform(&o, 2);
  must(pareto_open(o.s, &p, &err), &err);
  CU_ASSERT_EQUAL(p.nefficient, 5);
  for (int i = 0; i < 5; i++) {
    double f[2], df[2];
    runs_state state;
    json_t *record;
    must(runs_read(o.s, i, &state, &record, &err), &err);
    quarter_car(runs_number(record, "result.stiffness"), runs_number(record, "result.damping"), f, df);
    json_decref(record);
    CHECK_CLOSE("comfort", pareto_value(&p, i, 0) / f[0], 1, 5e-5);
    CHECK_CLOSE("holding", pareto_value(&p, i, 1) / f[1], 1, 2e-5);
    if (i >= 2) { CHECK_CLOSE("slope", pareto_slope(&p, i, 1, 0) / (df[1] / df[0]), 1, 1e-4); }
  }
  pareto_close(&p);
  close_front(&o);
}

/* The least of the second objective with the first one at most f. */
static double least_holding(double f) {
  double least = INFINITY, a[2], b[2];
  for (double k = 4000; k < 20000; k += 2) {
    coefficients(k, a, b);
    const double half = sqrt(f * f - 4 * a[0] * b[0]), low = fmax((f - half) / (2 * b[0]), 800),
                 high = (f + half) / (2 * b[0]);
    const double c = fmin(fmax(sqrt(a[1] / b[1]), low), high);
    if (low <= high) { least = fmin(least, a[1] / c + b[1] * c); }
  }
  return least;
}

/* Points end as near to the front as [pareto] tolerance says, in the objective that changes less along it, and take a design or two each. */
static void test_accuracy(void) {
  const char *const set[] = {"pareto.points=7", "case.step.duration=3"};
  const double tolerance = 1e-4;
  opened o = open_front("configs/pareto_quarter_car.ini", "accuracy", 2, set);
  pareto_front p;
  mbd_error err = {0};
  double designs = 0;
  perform(&o, 2);
  must(pareto_open(o.s, &p, &err), &err);
  CU_ASSERT_EQUAL(p.nefficient, 7);
  for (int i = 0; i < 7; i++) {
    double f[2], df[2];
    runs_state state;
    json_t *record;
    must(runs_read(o.s, i, &state, &record, &err), &err);
    quarter_car(runs_number(record, "result.stiffness"), runs_number(record, "result.damping"), f, df);
    designs += runs_number(record, "simulations");
    json_decref(record);
    const double *low = p.front.low, *high = p.front.high;
    const double slope = fabs(pareto_slope(&p, i, 1, 0)) * (high[0] - low[0]) / (high[1] - low[1]);
    const double above = (f[1] - least_holding(f[0])) / (high[1] - low[1]);
    if (i >= 2) { CHECK_CLOSE("distance", above / fmax(slope, 1), 0, 1.5 * tolerance); }
  }
  CU_ASSERT(designs <= 22);
  pareto_close(&p);
  close_front(&o);
}

/* The peak of the acceleration is smooth for the optimizer and 0.28 m/s^2 below the true one, a fifth of its range: true values are where the limits
 * were planned, and the slope at a point of this convex front is between those of its neighbours. */
static void test_smooth(void) {
  const char *const set[] = {"pareto.points=5", "objective.comfort.form=peak_abs", "case.step.duration=1"};
  opened o = open_front("configs/pareto_quarter_car.ini", "smooth", 3, set);
  pareto_front p;
  mbd_error err = {0};
  perform(&o, 2);
  must(pareto_open(o.s, &p, &err), &err);
  CU_ASSERT_EQUAL_FATAL(p.nefficient, 5);
  for (int k = 1; k < 4; k++) {
    const int i = p.order[k];
    const front_step *step = &p.front.point[i].step;
    const int c = 1 - step->minimized;
    CHECK_CLOSE("limit", front_scaled(&p.front, c, p.front.point[i].f[c]), step->limit[0], 0.02);
    double chord[2];
    for (int e = 0; e < 2; e++) {
      const int from = p.order[k - 1 + e], to = p.order[k + e];
      chord[e] =
          (pareto_value(&p, to, 1) - pareto_value(&p, from, 1)) / (pareto_value(&p, to, 0) - pareto_value(&p, from, 0));
    }
    const double slope = pareto_slope(&p, i, 1, 0);
    CU_ASSERT(chord[0] < slope && slope < chord[1]);
  }
  pareto_close(&p);
  close_front(&o);
}

static void write_text(const char *name, const char *text) {
  char *path = mbd_sprintf_dup("%s/%s", root, name);
  FILE *out = fopen(path, "w");
  if (!out) { exit(1); }
  fputs(text, out);
  fclose(out);
  free(path);
}

/* Squares of the distances from the three unit points: x on the front are barycentric coordinates, and the weights of the objectives there. */
static void write_three(void) {
  write_text("numbers.ini", "schema = 1\n[model]\ngravity = 0, 0, 0\n[scalars]\nx = 0.5\ny = -0.5\nz = 0\n");
  write_text("three.ini",
             "schema = 1\n[model]\nfile = numbers.ini\n"
             "[design x]\nlower = -4\nupper = 4\n[design y]\nlower = -4\nupper = 4\n"
             "[design z]\nlower = -4\nupper = 4\n"
             "[objective f1]\nvalue = (x-1)^2 + y^2 + z^2\n[objective f2]\nvalue = x^2 + (y-1)^2 + z^2\n"
             "[objective f3]\nvalue = x^2 + y^2 + (z-1)^2\nweight = 2\n[pareto]\ntolerance = 1e-6\n");
}

static void test_three(void) {
  static const char *const set[] = {"pareto.points=10"};
  opened o = open_front("three.ini", "three", 1, set);
  pareto_front p;
  mbd_error err = {0};
  perform(&o, 2);
  must(pareto_open(o.s, &p, &err), &err);
  CU_ASSERT_EQUAL(p.nefficient, 10);
  for (int i = 3; i < 10; i++) {
    double x[3];
    runs_state state;
    json_t *record;
    must(runs_read(o.s, i, &state, &record, &err), &err);
    for (int k = 0; k < 3; k++) { x[k] = runs_number(record, (const char *[]){"result.x", "result.y", "result.z"}[k]); }
    json_decref(record);
    CHECK_CLOSE("sum", x[0] + x[1] + x[2], 1, 1e-4);
    CHECK_CLOSE("f3", pareto_value(&p, i, 2), x[0] * x[0] + x[1] * x[1] + (x[2] - 1) * (x[2] - 1), 1e-9);
    for (int k = 0; k < 2 && x[2] > 0.1; k++) { CHECK_CLOSE("slope", pareto_slope(&p, i, 2, k), -x[k] / x[2], 2e-3); }
  }
  pareto_close(&p);
  close_front(&o);
}

/* Objectives that are not named are added to the first one: f1 + 2 f3 against f2. */
static void test_others(void) {
  static const char *const set[] = {"pareto.points=5", "pareto.objectives=f1, f2"};
  opened o = open_front("three.ini", "others", 2, set);
  pareto_front p;
  mbd_error err = {0};
  perform(&o, 1);
  must(pareto_open(o.s, &p, &err), &err);
  CU_ASSERT_EQUAL(p.nefficient, 5);
  CU_ASSERT_STRING_EQUAL(p.name[0], "f1 and others");
  /* its least value by hand: at (1/3, 0, 2/3) f1 = 8/9 and f3 = 2/9 */
  CHECK_CLOSE("f1 and 2 f3", pareto_value(&p, 0, 0), 4. / 3, 1e-7);
  /* along the line from there to (0, 1, 0) by t: 4/3 + 3 q t^2 and q (1 - t)^2 with q = 14/9 */
  for (int i = 2; i < 5; i++) {
    const double q = 14. / 9, t = sqrt((pareto_value(&p, i, 0) - 4. / 3) / (3 * q));
    CHECK_CLOSE("front", pareto_value(&p, i, 1), q * (1 - t) * (1 - t), 1e-5);
    CHECK_CLOSE("slope", pareto_slope(&p, i, 1, 0), -(1 - t) / (3 * t), 1e-4);
  }
  pareto_close(&p);
  close_front(&o);
}

/* What a point is, without what the clock tells. */
static char *record_of(opened *o, long i) {
  runs_state state;
  json_t *record;
  mbd_error err = {0};
  must(runs_read(o->s, i, &state, &record, &err), &err);
  CU_ASSERT_EQUAL(state, RUN_DONE);
  static const char *const clock[] = {"seconds", "written", "attempt", "hash"};
  for (int k = 0; k < 4; k++) { json_object_del(record, clock[k]); }
  char *text = json_dumps(record, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
  json_decref(record);
  return text;
}

/* Whatever the number of workers, and whatever was lost in between, the points are the same to the last bit. */
static void test_same_bits(void) {
  static const char *const set[] = {"pareto.points=9"};
  opened a = open_front("configs/pareto_fonseca_fleming.ini", "two", 1, set);
  opened b = open_front("configs/pareto_fonseca_fleming.ini", "one", 1, set);
  perform(&a, 2), perform(&b, 1);
  for (long i = 2; i < 9; i += 3) {
    mbd_error err = {0};
    must(runs_forget(b.s, i, &err), &err);
  }
  perform(&b, 2);
  for (long i = 0; i < 9; i++) {
    char *one = record_of(&a, i), *other = record_of(&b, i);
    CU_ASSERT_STRING_EQUAL(one, other);
    free(one), free(other);
  }
  close_front(&a), close_front(&b);
}

static void refuse(const char *set, const char *words) {
  mbo_run_config *c;
  mechanism *m;
  mbd_error err = {0};
  must(mbo_run_config_read(MBOPT_SOURCE_DIR "/configs/pareto_fonseca_fleming.ini", 1, &set, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  CU_ASSERT(pareto_check(m, &err) < 0);
  CHECK_CONTAINS(err.text, words);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
}

static void test_messages(void) {
  refuse("pareto.objectives=f1, f3", "[pareto] objectives: objective 'f3' is not known, did you mean 'f1'?");
  refuse("pareto.objectives=f1, f1", "'f1' is there twice");
  refuse("pareto.objectives=f2", "names 1 objective; expected a front of two or three");
  refuse("objective.f1.weight=0", "[objective f1] has the weight 0");
  refuse("optimizer.backend=lbfgsb", "backend = lbfgsb takes no constraints");
}

static void test_written(void) {
  write_three();
  test_three();
  test_others();
}

TEST_MAIN_IN(root, TEST(test_closed_form), TEST(test_catalogue), TEST(test_parts), TEST(test_quarter_car),
             TEST(test_accuracy), TEST(test_smooth), TEST(test_written), TEST(test_same_bits), TEST(test_messages))
