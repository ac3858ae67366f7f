/* Runs in lockstep: what each of them finds alone, whatever the others do. */
#include "mbo/run.h"
#include "mechanism/lockstep.h"
#include "mechanism/true_values.h"
#include "opened_run.h"
#include "plugin/plugin.h"
#include "test.h"

enum { LANES = 4, N = 3 };

typedef struct party {
  int n;
  const char *method;
  opened_run run[LANES];
  double rho[LANES][N], f[LANES], grad[LANES][N];
  mbd_status status[LANES];
  int twice; /* this run simulates a second time; -1: none does */
} party;

static party party_of(int n, const char *method) {
  static const char *const set[] = {"case.swing.duration=0.5"};
  party p = {.n = n, .method = method, .twice = -1};
  for (int k = 0; k < n; k++) {
    p.run[k] = run_open("configs/five_bar.ini", 1, set);
    p.run[k].m->threads = 1;
    p.rho[k][0] = 1.5 + 0.2 * k, p.rho[k][1] = 2.5 - 0.1 * k;
  }
  return p;
}

static void leave(party *p) {
  for (int k = 0; k < p->n; k++) { run_close(&p->run[k]); }
}

static void evaluate(void *user, int k, struct lockstep_seat *seat) {
  party *p = user;
  mechanism *m = p->run[k].m;
  mbd_error err = {0};
  m->seat = seat;
  for (int i = 0; i <= (p->twice == k); i++) { p->status[k] = mechanism_evaluate(m, p->rho[k], p->method, &err); }
  p->f[k] = p->status[k] == MBD_OK ? m->f : NAN;
  if (m->grad && strcmp(p->method, "none") != 0) { memcpy(p->grad[k], m->grad, (size_t)m->n * sizeof *m->grad); }
}

static void alone(party *p) {
  for (int k = 0; k < p->n; k++) { evaluate(p, k, NULL); }
}

static lane_counts together_in(lockstep *l, party *p) {
  lockstep_each(l, p->n, evaluate, p);
  lane_counts sum = {0, 0};
  for (int k = 0; k < p->n; k++) {
    const lane_counts one = mechanism_lanes(p->run[k].m);
    sum.together += one.together, sum.repeated += one.repeated;
  }
  return sum;
}

static lane_counts together(party *p) {
  lockstep *l;
  mbd_error err = {0};
  must(lockstep_create(LANES, &l, &err), &err);
  const lane_counts sum = together_in(l, p);
  lockstep_destroy(l);
  return sum;
}

/* The largest relative deviation of values and gradients. */
static double apart(const party *p, const party *q) {
  double max = 0;
  for (int k = 0; k < p->n; k++) {
    double scale = 0;
    for (int j = 0; j < N; j++) { scale += fabs(q->grad[k][j]); }
    max = fmax(max, fabs(p->f[k] - q->f[k]) / fabs(q->f[k]));
    for (int j = 0; j < N && scale > 0; j++) { max = fmax(max, fabs(p->grad[k][j] - q->grad[k][j]) / scale); }
  }
  return max;
}

static void test_agrees(void) {
  static const char *const methods[] = {"none", "direct", "discrete_adjoint"};
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    party p = party_of(LANES, methods[i]), q = p;
    alone(&p);
    const lane_counts counts = together(&q);
    CU_ASSERT_EQUAL(counts.together, LANES);
    CU_ASSERT_EQUAL(counts.repeated, 0);
    CU_ASSERT_TRUE(p.f[0] != p.f[1] && apart(&q, &p) < 1e-10); /* 6e-12 seen */
    leave(&p);
  }
}

/* The same designs: the bits of one at a time, with fewer runs than lanes as well. */
static void test_bits(void) {
  party p = party_of(3, "discrete_adjoint"), q;
  for (int k = 0; k < p.n; k++) { memcpy(p.rho[k], p.rho[0], sizeof p.rho[0]); }
  q = p;
  alone(&p);
  CU_ASSERT_EQUAL(together(&q).together, 3);
  CU_ASSERT_TRUE(apart(&q, &p) == 0);
  leave(&p);
}

/* A design that cannot be simulated does not spoil the others, which have the bits of one at a time. */
static void test_failure(void) {
  party p = party_of(LANES, "none"), q;
  p.rho[2][0] = 1e200;
  q = p;
  alone(&p);
  const lane_counts counts = together(&q);
  CU_ASSERT_EQUAL(counts.repeated, LANES);
  CU_ASSERT_EQUAL(counts.together, 0);
  CU_ASSERT_TRUE(q.status[2] != MBD_OK && q.status[2] == p.status[2]);
  for (int k = 0; k < LANES; k++) { CU_ASSERT_TRUE(k == 2 || (q.status[k] == MBD_OK && q.f[k] == p.f[k])); }
  leave(&p);
}

/* One run simulates twice: the second time alone; the results of the others are not lost by it. */
static void test_twice(void) {
  party p = party_of(LANES, "direct"), q;
  p.twice = 1;
  q = p;
  alone(&p);
  CU_ASSERT_EQUAL(together(&q).together, LANES);
  CU_ASSERT_TRUE(apart(&q, &p) < 1e-10);
  CU_ASSERT_TRUE(q.f[1] == p.f[1]);
  leave(&p);
}

/* Two kinds of steps make two groups. */
static void test_kinds(void) {
  party p = party_of(LANES, "none"), q;
  static const char *const set[] = {"case.swing.duration=0.5", "case.swing.integrator=generalized_alpha"};
  for (int k = 1; k < LANES; k += 2) {
    run_close(&p.run[k]);
    p.run[k] = run_open("configs/five_bar.ini", 2, set);
    p.run[k].m->threads = 1;
  }
  q = p;
  alone(&p);
  CU_ASSERT_EQUAL(together(&q).together, LANES);
  CU_ASSERT_TRUE(apart(&q, &p) < 1e-10);
  leave(&p);
}

/* More cases than lanes are kept for: none are freed that still hold results, which are read when all cases have been simulated. */
static void test_many_cases(void) {
  enum { CASES = 20 };
  static const char *const model =
      "schema = 1\n[model]\nname = swing\ngravity = 0, -10, 0\njoints = named\n[scalars]\nL = 1\n[vector z]\nalong = "
      "0, "
      "0, 1\nbodies = ground, b\n[point O]\nat.ground = 0, 0, 0\nat.b = 0, 0, 0\n[body b]\nmass = 2\ncom = L, 0, 0\n"
      "inertia = 1, 1, 1\n[joint j]\ntype = revolute\nbodies = ground, b\npoint = O\naxis = z\n[start]\nhold.j.angle = "
      "0.3\n";
  char text[4000] = "schema = 1\n[model]\nfile = MODEL\n[design L]\n";
  for (int k = 0; k < CASES; k++) {
    const size_t at = strlen(text);
    snprintf(text + at, sizeof text - at,
             "[case c%d]\nduration = %g\nstep = 0.02\n[objective o%d]\nof = j.angle\ncase = c%d\nform = "
             "peak_abs\n",
             k, 0.1 + 0.02 * k, k, k);
  }
  party p = {.n = LANES, .method = "none", .twice = -1}, q;
  for (int k = 0; k < p.n; k++) {
    p.run[k] = run_open_texts(model, text, 0, NULL);
    p.run[k].m->threads = 1;
    p.rho[k][0] = 1 + 0.1 * k;
  }
  q = p;
  alone(&p);
  double truth[LANES][CASES];
  for (int k = 0; k < p.n; k++) {
    for (int i = 0; i < CASES; i++) { truth[k][i] = p.run[k].m->truth[i].value; }
  }
  CU_ASSERT_EQUAL(together(&q).together, LANES * CASES);
  for (int k = 0; k < p.n; k++) {
    for (int i = 0; i < CASES; i++) { CHECK_CLOSE("true peak", q.run[k].m->truth[i].value, truth[k][i], 1e-9); }
  }
  leave(&p);
}

/* Scenarios, four at once and the last three: values, true values and gradients are those of one at a time. */
static void test_scenarios(void) {
  static const char *const alone[] = {"scenarios.samples=7"}, *const lanes[] = {"scenarios.samples=7",
                                                                                "scenarios.lanes=4"};
  static const char *const methods[] = {"direct", "discrete_adjoint"};
  for (int i = 0; i < 2; i++) {
    opened_run a = run_open("configs/scatter_quarter_car.ini", 1, alone),
               b = run_open("configs/scatter_quarter_car.ini", 2, lanes);
    mbd_error err = {0};
    must(mechanism_evaluate(a.m, a.m->start, methods[i], &err), &err);
    must(mechanism_evaluate(b.m, b.m->start, methods[i], &err), &err);
    for (int k = b.m->ncase; k < b.m->nload; k++) { CU_ASSERT_TRUE(b.m->cases[k].lanes && !a.m->cases[k].lanes); }
    const int n = a.m->nobjective + a.m->nconstraint;
    for (int k = 0; k < n; k++) {
      CHECK_CLOSE("value", b.m->psi[k], a.m->psi[k], 1e-12 * fabs(a.m->psi[k]));
      CHECK_CLOSE("true value", b.m->truth[k].value, a.m->truth[k].value, 1e-12 * fabs(a.m->truth[k].value));
      for (int j = 0; j < a.m->n; j++) {
        CHECK_CLOSE("gradient", b.m->grad[k * a.m->n + j], a.m->grad[k * a.m->n + j],
                    1e-10 * fabs(a.m->grad[k * a.m->n + j]));
      }
    }
    run_close(&a), run_close(&b);
  }
}

/* ---- other descriptions ---- */

/* Designs around the start of a run file with three variables. */
static party party_around(const char *file, int nset, const char *const *set) {
  party p = {.n = LANES, .method = "discrete_adjoint", .twice = -1};
  for (int k = 0; k < p.n; k++) {
    p.run[k] = run_open(file, nset, set);
    CU_ASSERT_FATAL(p.run[k].m->n == N);
    p.run[k].m->threads = 1;
    memcpy(p.rho[k], p.run[k].m->start, sizeof p.rho[k]);
    p.rho[k][0] *= 1 + 0.02 * k, p.rho[k][1] *= 1 - 0.01 * k;
  }
  return p;
}

/* A description with a beam. */
static void test_beams(void) {
  static const char *const set[] = {"case.fall.duration=0.05"};
  party p = party_around("configs/flexible_pendulum.ini", 1, set), q = p;
  alone(&p);
  CU_ASSERT_EQUAL(together(&q).together, LANES);
  CU_ASSERT_TRUE(p.f[0] != p.f[1] && apart(&q, &p) < 1e-10);
  printf("(%.2g) ", apart(&q, &p));
  leave(&p);
}

/* Each run file reads the library anew, which is loaded once. Lanes go on once the runs that they were made for have left. */
static void test_users_forces(void) {
  char source[512], library[] = "/tmp/mbopt_library_XXXXXX", file[80];
  const char *const set[] = {file, "case.release.duration=0.2"};
  mbd_error err = {0};
  plugin_result built;
  lockstep *l;
  party p;
  snprintf(source, sizeof source, "%s/problems/own_force/air_spring.c", MBOPT_SOURCE_DIR);
  setenv("XDG_CONFIG_HOME", "/dev/null", 1); /* no copy of it is kept */
  CU_ASSERT_FATAL(close(mkstemp(library)) == 0);
  must(plugin_build(&(plugin_request){source, library, PLUGIN_STEP}, &built, &err), &err);
  plugin_result_free(&built);
  plugin_allow(1);
  snprintf(file, sizeof file, "plugin.air_spring.file=%s", library);
  must(lockstep_create(LANES, &l, &err), &err);
  for (int again = 0; again < 2; again++) {
    p = party_around("problems/own_force/air_ride.ini", 2, set);
    CU_ASSERT_EQUAL(together_in(l, &p).together, LANES);
    party q = p;
    alone(&q);
    CU_ASSERT_TRUE(p.f[0] != p.f[1] && apart(&p, &q) < 1e-10);
    leave(&p);
  }
  lockstep_destroy(l);
  plugin_allow(0);
  unlink(library);
}

static void test_number_of_designs(void) {
  const double x[2] = {2, 2};
  double f, psi;
  mbd_error err = {0};
  mbo_run *r;
  mbo_lanes *l;
  must(mbo_run_open(MBOPT_SOURCE_DIR "/configs/five_bar.ini", 0, NULL, &r, &err), &err);
  must(mbo_lanes_open(r, LANES, &l, &err), &err);
  CU_ASSERT_EQUAL(mbo_lanes_evaluate(l, LANES + 1, x, &f, &psi, NULL, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "5 designs, expected 1 to 4");
  CU_ASSERT_EQUAL(mbo_lanes_evaluate(l, 0, x, &f, &psi, NULL, NULL), MBD_BAD_INPUT);
  mbo_lanes_close(l), mbo_run_close(r);
}

int main(void) {
  const test_entry entries[] = {TEST(test_agrees),       TEST(test_bits),
                                TEST(test_failure),      TEST(test_twice),
                                TEST(test_kinds),        TEST(test_many_cases),
                                TEST(test_scenarios),    TEST(test_beams),
                                TEST(test_users_forces), TEST(test_number_of_designs)};
  if (mbd_lanes_width(LANES) != LANES) {
    puts("skipped: no library of 4 lanes, which clang builds, or a processor without AVX2");
    return 77;
  }
  return test_run(__FILE__, entries, (int)(sizeof entries / sizeof entries[0]));
}
