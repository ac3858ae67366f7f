/* A run that is killed without warning at every tenth simulation (MBOPT_LONG: at every third), and resumed until it ends, has the
 * result of an undisturbed run: to the last bit, after the same iterations, with no design simulated twice. The same from a journal that
 * was cut at any byte. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "toy.h"

/* ---- problems ---- */

enum { BUDGET = 300, ITERATIONS_MAX = 600, MAX_CALLS = 1000 };

/* What a run leaves behind, in memory that parent and child share: the child may die. */
typedef struct trace {
  int budget; /* designs at most */
  int calls;  /* simulations of all children; matrices of a design count too */
  int differ; /* that were not of the same design and wanted the same */
  struct call {
    double x[2];
    unsigned request;
  } call[MAX_CALLS]; /* those */
  int ended;         /* the run has come to its end */
  mbd_status status;
  mbo_result r; /* its pointers are the child's */
  double x[2], c[2];
  double last_failure[2];
  int niteration; /* of the last child */
  mbo_iteration iteration[ITERATIONS_MAX];
} trace;

typedef struct toy {
  int constrained, kill; /* kill: at every so many new designs; 0: never */
  double fails_beyond;
  trace *t;
} toy;

/* Some algorithms come back to designs that the evaluator has forgotten. A resumed run finds them in its journal. */
static void note_call(trace *t, const double *x, unsigned request) {
  t->calls++;
  for (int i = 0; i < t->differ; i++) {
    if (memcmp(t->call[i].x, x, sizeof t->call[i].x) == 0 && t->call[i].request == request) { return; }
  }
  if (t->differ < MAX_CALLS) { t->call[t->differ++] = (struct call){{x[0], x[1]}, request}; }
}

/* The divisor gives f all its bits. */
static mbd_status eval(void *user, const double *x, unsigned request, mbo_eval *v, mbd_error *err) {
  const toy *t = user;
  note_call(t->t, x, request);
  if (x[0] > t->fails_beyond) { MBD_FAIL(err, MBD_NO_CONVERGENCE, "x0 = %.17g is too far", x[0]); }
  toy_evaluate(t->constrained, 3, x, request, v);
  return MBD_OK;
}

/* ---- runs in children ---- */

typedef struct run {
  const char *backend, *algorithm; /* algorithm "gauss_newton", "exact": of IPOPT */
  int constrained;
  double fails_beyond;
} run;

static void on_iteration(void *user, const mbo_iteration *it) {
  trace *t = ((toy *)user)->t;
  if (t->niteration < ITERATIONS_MAX) { t->iteration[t->niteration++] = *it; }
}

static void on_simulation(void *user, const mbo_simulation *s) {
  const toy *t = user;
  if (t->kill && !s->replayed && s->number % t->kill == 0) { raise(SIGKILL); }
}

/* The last words of a child that came to the end. */
static void leave(trace *t, mbd_status status, const mbo_result *r) {
  t->status = status;
  t->r = *r;
  if (status == MBD_OK) {
    memcpy(t->x, r->x, sizeof t->x);
    memcpy(t->c, r->c, (size_t)r->nc * sizeof *t->c);
    if (r->nfailure) { memcpy(t->last_failure, r->failure[r->nfailure - 1].x, sizeof t->last_failure); }
  }
  t->ended = 1;
}

static void child(const run *k, const char *journal, int resume, int kill, trace *t) {
  toy data = {k->constrained, kill, k->fails_beyond, t};
  static const double scale[] = {0.7, 1.3};
  const mbo_problem p = toy_problem(k->constrained, scale, &data, eval);
  mbo_settings s;
  mbo_result r;
  mbd_error err = {0};
  mbo_settings_init(&s);
  s.gauss_newton = strcmp(k->algorithm, "gauss_newton") == 0;
  s.exact_hessian = strcmp(k->algorithm, "exact") == 0;
  s.algorithm = s.gauss_newton || s.exact_hessian ? "" : k->algorithm;
  s.max_evaluations = t->budget;
  s.iteration = on_iteration, s.simulated = on_simulation, s.user = &data;
  s.journal = journal, s.resume = resume, s.fingerprint = "toy", s.seed = 3;
  t->niteration = 0;
  mbd_status status = mbo_solve(k->backend, &p, &s, &r, &err);
  leave(t, status, &r);
  _exit(0);
}

/* How the child ended: 0, or the signal. All runs are in children: none inherits the state of a library. */
static int start_child(const run *k, const char *journal, int resume, int kill, trace *t) {
  int how;
  fflush(stdout);
  pid_t id = fork();
  CU_ASSERT_FATAL(id >= 0);
  if (id == 0) { child(k, journal, resume, kill, t); }
  waitpid(id, &how, 0);
  return WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how);
}

static trace *new_trace(void) {
  trace *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CU_ASSERT_FATAL(t != MAP_FAILED);
  t->budget = BUDGET;
  return t;
}

static int same_number(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static int same_iterations(const trace *a, const trace *b) {
  int same = a->niteration == b->niteration;
  for (int i = 0; same && i < a->niteration; i++) {
    const mbo_iteration *p = &a->iteration[i], *q = &b->iteration[i];
    same = p->iteration == q->iteration && p->evaluations == q->evaluations && same_number(p->f, q->f) &&
           same_number(p->violation, q->violation) && same_number(p->optimality, q->optimality) &&
           same_number(p->step, q->step);
  }
  return same;
}

#define SAME(what)                                                                                                    \
  if (!(what)) {                                                                                                      \
    printf("\n  %s %s, %d constraints, border %g: not %s", k->backend, k->algorithm, k->constrained, k->fails_beyond, \
           #what);                                                                                                    \
    same = 0;                                                                                                         \
  }

static int same_result(const run *k, const trace *a, const trace *b) {
  int same = 1;
  SAME(a->ended && b->ended && a->status == MBD_OK && b->status == MBD_OK)
  SAME(memcmp(a->x, b->x, sizeof a->x) == 0 && memcmp(a->c, b->c, sizeof a->c) == 0)
  SAME(same_number(a->r.f, b->r.f) && same_number(a->r.f_start, b->r.f_start))
  SAME(same_number(a->r.violation, b->r.violation))
  SAME(a->r.status == b->r.status && a->r.code == b->r.code && strcmp(a->r.text, b->r.text) == 0)
  SAME(a->r.iterations == b->r.iterations && a->r.restarts == b->r.restarts)
  SAME(a->r.failures == b->r.failures && a->r.nfailure == b->r.nfailure)
  SAME(memcmp(a->last_failure, b->last_failure, sizeof a->last_failure) == 0)
  SAME(a->r.evaluations + a->r.replayed == b->r.evaluations + b->r.replayed)
  SAME(same_iterations(a, b))
  return same;
}

/* ---- the tests ---- */

/* The borders before designs that fail, without constraints and with them; 0: no run. */
static const struct {
  const char *backend, *algorithm;
  double border[2], constrained[2];
} algorithms[] = {{"ipopt", "", {INFINITY, 0.5}, {INFINITY, 0.7}},
                  {"ipopt", "gauss_newton", {1e300, 0.5}, {INFINITY}},
                  {"ipopt", "exact", {INFINITY, 0.5}, {INFINITY}},
                  {"nlopt", "LD_SLSQP", {INFINITY, 0.5}, {INFINITY, 0.7}},
                  {"nlopt", "LD_MMA", {INFINITY, 0.5}, {INFINITY}},
                  {"nlopt", "LD_CCSAQ", {INFINITY}, {INFINITY, 0.7}},
                  {"nlopt", "LN_BOBYQA", {INFINITY, 0.5}, {0}},
                  {"nlopt", "LN_COBYLA", {INFINITY}, {INFINITY, 0.7}},
                  {"nlopt", "LD_AUGLAG", {0}, {INFINITY}},
                  {"nlopt", "GN_CRS2_LM", {1.5}, {0}},
                  {"nlopt", "GN_ISRES", {0}, {1.5}},
                  {"nlopt", "GN_ESCH", {INFINITY}, {0}},
                  {"nlopt", "GD_MLSL", {1.5}, {0}},
                  {"nlopt", "GD_MLSL_LDS", {1.5}, {0}},
                  {"nlopt", "GN_DIRECT_L", {1.5}, {0}},
                  {"lbfgsb", "", {INFINITY, 0.5}, {0}}};
enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

/* All of them, one after the other; returns how many. */
static int list_runs(run list[4 * ALGORITHMS]) {
  int n = 0;
  for (int i = 0; i < 4 * ALGORITHMS; i++) {
    const int constrained = i % 2, second = i / 2 % 2, k = i / 4;
    const double border = constrained ? algorithms[k].constrained[second] : algorithms[k].border[second];
    if (border > 0) { list[n++] = (run){algorithms[k].backend, algorithms[k].algorithm, constrained, border}; }
  }
  return n;
}

static void new_journal(char *path) {
  strcpy(path, "/tmp/mbopt_kill_XXXXXX");
  int file = mkstemp(path);
  CU_ASSERT_FATAL(file >= 0);
  close(file);
}

/* Nothing is simulated twice, but for what an undisturbed run simulates twice. */
static int same_calls(const trace *whole, int calls, int saved) {
  const int max = whole->calls - saved, min = whole->differ - saved;
  if (calls >= min && calls <= max) { return 1; }
  printf("\n  %d simulations, expected %d to %d\n", calls, min, max);
  return 0;
}

/* Of the runs every one, or a sample: one in so many. */
static int one_in(int n) {
  return test_long() && !test_slow() ? 1 : n;
}

static int every(void) {
  return test_long() ? 3 : 10;
}

/* How often it was killed. */
static int kill_and_resume(const run *k) {
  char path[32];
  trace *whole = new_trace(), *pieces = new_trace();
  int how = SIGKILL, killed = 0;
  new_journal(path);
  CU_ASSERT_EQUAL(start_child(k, NULL, 0, 0, whole), 0);
  for (; how == SIGKILL && killed < BUDGET; killed += how == SIGKILL) {
    how = start_child(k, path, killed > 0, every(), pieces);
  }
  CU_ASSERT_EQUAL(how, 0);
  CU_ASSERT(killed <= whole->r.evaluations / every());
  CU_ASSERT(killed == whole->r.evaluations / every() || whole->differ < whole->calls);
  CU_ASSERT(same_result(k, whole, pieces));
  CU_ASSERT(same_calls(whole, pieces->calls, 0));
  munmap(whole, sizeof *whole), munmap(pieces, sizeof *pieces);
  unlink(path);
  return killed;
}

static void test_kill(void) {
  int built_in = 0, killed = 0;
  run runs[4 * ALGORITHMS];
  const run *end = runs + list_runs(runs);
  for (const run *k = runs; k < end; k += one_in(3)) {
    if (!toy_is_built_in(k->backend)) { continue; }
    built_in++;
    killed += kill_and_resume(k);
  }
  printf("%d kills of %d optimizations ", killed, built_in);
  CU_ASSERT(killed >= 2 * built_in);
}

/* Cut the file; the whole lines that are left. */
static int cut(const char *path, const char *text, size_t length) {
  int lines = 0;
  FILE *out = fopen(path, "w");
  CU_ASSERT_FATAL(out != NULL);
  CU_ASSERT_EQUAL(fwrite(text, 1, length, out), length);
  fclose(out);
  for (size_t i = 0; i < length; i++) { lines += text[i] == '\n'; }
  return lines;
}

static char *read_file(const char *path, size_t *length) {
  struct stat info;
  CU_ASSERT_EQUAL_FATAL(stat(path, &info), 0);
  char *text = malloc((size_t)info.st_size + 1);
  FILE *in = fopen(path, "r");
  *length = fread(text, 1, (size_t)info.st_size, in);
  fclose(in);
  return text;
}

/* Killed while it wrote a line, or even the header: what is torn is dropped. */
static void cut_and_resume(const run *k, uint64_t *state) {
  char path[32];
  size_t length;
  trace *whole = new_trace();
  new_journal(path);
  CU_ASSERT_EQUAL(start_child(k, path, 0, 0, whole), 0);
  char *text = read_file(path, &length);
  for (int i = 0; i < 5; i++) {
    const size_t at = i == 0 ? 0 : i == 1 ? 20 : i == 2 ? length - 1 : random_bits(state) % length;
    trace *rest = new_trace();
    const int lines = cut(path, text, at);
    CU_ASSERT_EQUAL(start_child(k, path, 1, 0, rest), 0);
    CU_ASSERT(same_result(k, whole, rest));
    CU_ASSERT(same_calls(whole, rest->calls, lines > 0 ? lines - 1 : 0));
    const int calls = rest->calls;
    CU_ASSERT_EQUAL(start_child(k, path, 1, 0, rest), 0); /* all lines are whole again */
    CU_ASSERT(rest->calls == calls && same_result(k, whole, rest));
    munmap(rest, sizeof *rest);
  }
  free(text);
  munmap(whole, sizeof *whole);
  unlink(path);
}

static void test_cut_anywhere(void) {
  uint64_t state = 1;
  run runs[4 * ALGORITHMS];
  const run *end = runs + list_runs(runs);
  for (const run *k = runs; k < end; k += 2 * one_in(4)) {
    if (toy_is_built_in(k->backend)) { cut_and_resume(k, &state); }
  }
}

/* Limits are of the whole run, or an interruption would prolong it. */
static void test_limit_includes_the_journal(void) {
  run runs[4 * ALGORITHMS];
  const run *end = runs + list_runs(runs);
  for (const run *k = runs; k < end; k += 3 * one_in(2)) {
    char path[32];
    if (!toy_is_built_in(k->backend)) { continue; }
    trace *first = new_trace(), *again = new_trace(), *more = new_trace();
    first->budget = again->budget = 7, more->budget = 9;
    new_journal(path);
    CU_ASSERT_EQUAL(start_child(k, path, 0, 0, first), 0);
    CU_ASSERT(first->r.status == MBO_STOPPED_LIMIT && first->r.evaluations == 7);
    CU_ASSERT_EQUAL(start_child(k, path, 1, 0, again), 0);
    CU_ASSERT(same_result(k, first, again));
    CU_ASSERT(again->calls == 0 && again->r.replayed == 7);
    CU_ASSERT_EQUAL(start_child(k, path, 1, 0, more), 0);
    CU_ASSERT(more->r.replayed >= 7 &&
              (more->r.status != MBO_STOPPED_LIMIT || more->r.evaluations + more->r.replayed == 9));
    munmap(first, sizeof *first), munmap(again, sizeof *again), munmap(more, sizeof *more);
    unlink(path);
  }
}

TEST_MAIN(TEST(test_kill), TEST(test_cut_anywhere), TEST(test_limit_includes_the_journal))
