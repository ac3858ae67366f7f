/* Optimizers of one's own: programs that ask by lines of JSON, and what they may do wrong; functions. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/command.h"
#include "files/command_text.h"
#include "toy.h"

static char folder[] = "/tmp/mbopt_commandXXXXXX";

typedef struct toy {
  int constrained, calls;
} toy;

static mbd_status eval(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  toy *t = user;
  (void)err;
  t->calls++;
  toy_evaluate(t->constrained, 1, x, request, out);
  return MBD_OK;
}

/* A problem, and one attempt at it. */
typedef struct trial {
  toy t;
  mbo_problem p;
  mbo_settings s;
  mbo_result r;
  mbd_error err;
} trial;

static const double scale[] = {0.5, 3};

static void begin(trial *q, int constrained) {
  *q = (trial){.t = {.constrained = constrained}};
  q->p = toy_problem(constrained, scale, &q->t, eval);
  mbo_settings_init(&q->s);
  q->s.answer_within = 20, q->s.max_iterations = 5000, q->s.max_evaluations = 20000;
}

static mbd_status attempt(trial *q, const char *backend) {
  mbo_result_free(&q->r);
  return mbo_solve(backend, &q->p, &q->s, &q->r, &q->err);
}

/* ---- equal to the built-in optimizer ---- */

static const struct twin {
  const char *backend, *hessian, *algorithm;
  int constraints;
} twins[] = {{"ipopt", "limited_memory", "", 1},
             {"ipopt", "gauss_newton", "", 1},
             {"ipopt", "exact", "", 1},
             {"lbfgsb", "limited_memory", "", 0},
             {"levenberg_marquardt", "gauss_newton", "", 0},
             {"nlopt", "limited_memory", "LD_SLSQP", 1},
             {"nlopt", "limited_memory", "LD_MMA", 1},
             {"nlopt", "limited_memory", "LN_BOBYQA", 0},
             {"nlopt", "limited_memory", "LN_COBYLA", 1}};
enum { N_TWINS = sizeof twins / sizeof *twins };

static void compare(const struct twin *w, int constrained) {
  trial own, piped;
  char command[512];
  begin(&own, constrained), begin(&piped, constrained);
  own.s.algorithm = w->algorithm;
  own.s.max_evaluations = piped.s.max_evaluations = 200; /* MMA and COBYLA end there */
  own.s.gauss_newton = strcmp(w->hessian, "gauss_newton") == 0, own.s.exact_hessian = strcmp(w->hessian, "exact") == 0;
  snprintf(command, sizeof command, "'" MBOPT_PIPED "' %s %s %s", w->backend, w->hessian, w->algorithm);
  piped.s.command = command;
  must(attempt(&own, w->backend), &own.err);
  must(attempt(&piped, "command"), &piped.err);
  CU_ASSERT_EQUAL(piped.r.status, own.r.status);
  if (own.r.status != MBO_STOPPED_LIMIT) {
    CU_ASSERT_EQUAL(piped.r.iterations, own.r.iterations);
    CU_ASSERT_STRING_EQUAL(piped.r.text, own.r.text);
  }
  for (int i = 0; i < 2; i++) { CHECK_CLOSE(command, piped.r.x[i], own.r.x[i], 1e-12); }
  CHECK_CLOSE(command, piped.r.f, own.r.f, 1e-12);
  CHECK_CLOSE(command, piped.r.violation, own.r.violation, 1e-12);
  mbo_result_free(&own.r), mbo_result_free(&piped.r);
}

static void test_equal_to_built_in(void) {
  mbo_backend_info info;
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    int n = strcmp(info.name, "command") == 0;
    for (const struct twin *w = twins; w < twins + N_TWINS; w++) { n += strcmp(w->backend, info.name) == 0; }
    CU_ASSERT(n > 0); /* every backend is compared */
  }
  for (const struct twin *w = twins; w < twins + N_TWINS; w++) {
    if (!toy_is_built_in(w->backend)) { continue; }
    compare(w, 0);
    if (w->constraints) { compare(w, 1); }
  }
}

/* ---- what a program may do wrong ---- */

/* Each begins by reading the description of the problem. */
#define ASKS(line)    "read l; echo '" line "'; read l; "
#define EVALUATE      "{\"evaluate\": [0.5, 0.5]}"
#define THEN_EVALUATE "echo '" EVALUATE "'; read l; "

static const struct wrong {
  const char *script, *message;
} wrongs[] = {
    {"exit 3", "the optimizer ended with exit code 3, expected a line {\"done\": ...} before it ends (after 0 lines)"},
    {ASKS(EVALUATE) "kill -9 $$", "was ended by signal 9 (Killed), expected a line {\"done\": ...}"},
    {ASKS(EVALUATE) "printf '{\"eval'", "the last, without a line break: '{\"eval'"},
    {ASKS(EVALUATE) "exec >/dev/null; sleep 30", "the optimizer closed its standard output"},
    {ASKS(EVALUATE) "exec </dev/null; echo '" EVALUATE "'; sleep 0.1; exit 4", "ended with exit code 4"},
    {ASKS(EVALUATE) "trap '' TERM HUP INT; exec sleep 30",
     "the optimizer wrote no line within answer_within = 1 s (after 1 line); it was killed"},
    {ASKS(EVALUATE) "yes | tr -d '\\n'", "wrote more than 4194304 bytes without a line break: 'yyyy"},
    {ASKS(EVALUATE) "echo garbage; read l", "line 2 of the optimizer, 'garbage': "},
    {ASKS(EVALUATE) "echo '[1, 2]'; read l", "no object, expected an object of JSON in one line, as {\"evaluate\""},
    {ASKS(EVALUATE) "echo '{}'; read l", "an object without a request, expected \"evaluate\", \"hessian\""},
    {ASKS(EVALUATE) "echo '{\"evaluat\": [1, 1]}'; read l",
     "the request 'evaluat' is not known, did you mean 'evaluate'?"},
    {ASKS(EVALUATE) "echo '{\"evaluate\": [1, 1], \"wants\": []}'; read l",
     "the key 'wants' is not known, did you mean 'want'?"},
    {ASKS(EVALUATE) "echo '{\"evaluate\": [1, 1], \"want\": [\"grad\"]}'; read l",
     "what \"want\" has 'grad' is not known"},
    {ASKS(EVALUATE) "echo '{\"evaluate\": [1, 1], \"want\": \"gradient\"}'; read l", "\"want\" is no list of words"},
    {ASKS(EVALUATE) "echo '{\"evaluate\": [1]}'; read l",
     "\"evaluate\" is a list of another length, expected a list of 2 numbers"},
    {ASKS(EVALUATE) "echo '{\"evaluate\": 1}'; read l", "\"evaluate\" is no list, expected a list of 2 numbers"},
    {ASKS(EVALUATE) "echo '{\"evaluate\": [1, null]}'; read l", "\"evaluate\" has an entry 2 that is no number"},
    {ASKS(EVALUATE) "echo '{\"evaluate\": [1, NaN]}'; read l", "line 2 of the optimizer, '{\"evaluate\": [1, NaN]}': "},
    {ASKS(EVALUATE) "echo '{\"evaluate\": [1, 1e999]}'; read l", "real number overflow"},
    {ASKS(EVALUATE) "echo '{\"hessian\": [1, 1]}'; read l", "\"direction\" is missing, expected a list of 2 numbers"},
    {ASKS(EVALUATE) "echo '{\"done\": \"convergd\"}'; read l",
     "what \"done\" says 'convergd' is not known, did you mean 'converged'?"},
    {ASKS(EVALUATE) "echo '{\"iteration\": 3}'; read l", "\"iteration\" is no object"},
    {ASKS(EVALUATE) "echo '{\"iteration\": {\"number\": 1.5}}'; read l", "\"number\" is 1.5, expected a whole number"},
};

/* A program in the shell, in a file of the folder. */
static const char *script(const char *text) {
  static char command[256], path[128];
  snprintf(path, sizeof path, "%s/program.sh", folder);
  snprintf(command, sizeof command, "sh %s", path);
  FILE *out = fopen(path, "w");
  fprintf(out, "%s\n", text);
  fclose(out);
  return command;
}

/* However it ends, the run ends with a message, has the design that was evaluated, and no process is left. */
static void test_wrong_programs(void) {
  for (const struct wrong *w = wrongs; w < wrongs + sizeof wrongs / sizeof *wrongs; w++) {
    trial q;
    begin(&q, 0);
    q.s.command = script(w->script);
    if (strstr(w->message, "answer_within")) { q.s.answer_within = 1; }
    CU_ASSERT_EQUAL(attempt(&q, "command"), MBD_OK);
    CU_ASSERT_EQUAL(q.r.status, MBO_FAILED);
    CHECK_CONTAINS(q.r.text, w->message);
    if (w > wrongs) { CU_ASSERT(q.r.x[0] == 0.5 && q.r.x[1] == 0.5 && q.r.f == 6.5 && q.r.evaluations == 2); }
    CU_ASSERT(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    mbo_result_free(&q.r);
  }
}

/* What is not there, or not allowed, is told before anything is simulated. */
static void test_refused(void) {
  static const struct {
    const char *command, *message;
    mbd_status status;
  } refused[] = {{"", "backend = command needs command = PROGRAM ARGUMENTS", MBD_BAD_INPUT},
                 {"no_such_program_here -x", "the program 'no_such_program_here' is not found", MBD_UNSUPPORTED},
                 {"./no/such/program", "the program './no/such/program' is not found", MBD_UNSUPPORTED},
                 {"sh a\nb", "a line break or a control character (code 10)", MBD_BAD_INPUT},
                 {"sh 'a b", "the quote in ''a b' is open", MBD_BAD_INPUT}};
  trial q;
  begin(&q, 0);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    q.s.command = refused[i].command;
    CU_ASSERT_EQUAL(attempt(&q, "command"), refused[i].status);
    CHECK_CONTAINS(q.err.text, refused[i].message);
  }
  mbo_commands_allow(0);
  q.s.command = "sh -c true";
  CU_ASSERT_EQUAL(mbo_check("command", &q.p, &q.s, &q.err), MBD_BAD_INPUT);
  CHECK_CONTAINS(q.err.text, "command = sh -c true: the program is not started, as it would run with all rights");
  command_allow_text("sh -c false");
  CU_ASSERT_EQUAL(mbo_check("command", &q.p, &q.s, &q.err), MBD_BAD_INPUT);
  command_allow_text("sh -c true");
  CU_ASSERT_EQUAL(mbo_check("command", &q.p, &q.s, &q.err), MBD_OK);
  CU_ASSERT_EQUAL(q.t.calls, 0);
  command_allow_text(NULL);
  mbo_commands_allow(1);
  /* a script without its interpreter, which is found only when it is started */
  q.s.command = script("#!/no/such/interpreter") + strlen("sh ");
  CU_ASSERT_EQUAL(chmod(q.s.command, 0700), 0);
  CU_ASSERT_EQUAL(attempt(&q, "command"), MBD_OK);
  CU_ASSERT(q.r.status == MBO_FAILED && strstr(q.r.text, "program.sh' is not found"));
  mbo_result_free(&q.r);
}

/* ---- the protocol ---- */

/* The answers that a program gets, which it writes to a file. */
static void answers(trial *q, const char *requests, char *text, size_t size) {
  char program[4096], path[128];
  snprintf(path, sizeof path, "%s/answers", folder);
  snprintf(program, sizeof program,
           "read l; echo \"$l\" >%s\nwhile read r; do echo \"$r\"; read l <&3; echo \"$l\" >>%s; done 3<&0 "
           "<<'END'\n%s\nEND\n"
           "echo '{\"done\": \"stalled\", \"message\": \"the end\", \"x\": [0.75, 0.5]}'",
           path, path, requests);
  q->s.command = script(program);
  must(attempt(q, "command"), &q->err);
  FILE *in = fopen(path, "r");
  text[in ? fread(text, 1, size - 1, in) : 0] = '\0';
  if (in) { fclose(in); }
}

static int told;
static void tell(void *user, const mbo_iteration *it) {
  (void)user;
  CU_ASSERT(it->iteration == 3 && it->evaluations == 2 && it->f == 2.5 && it->step == 0.5 && isnan(it->optimality));
  told++;
}

static void test_protocol(void) {
  char text[8192];
  trial q;
  begin(&q, 1);
  q.s.iteration = tell;
  q.s.noption = 1, q.s.option = &(mbo_option){"memory", "7"};
  answers(&q,
          "{\"evaluate\": [0.5, 0.5]}\n"
          "{\"evaluate\": [0.5, 0.5], \"want\": [\"f\", \"constraints\", \"gradient\", \"jacobian\"]}\n"
          "{\"hessian\": [0.5, 0.5], \"direction\": [1, 2], \"multipliers\": [5, 3]}\n"
          "{\"hessian\": [0.5, 0.5], \"direction\": [1, 2]}\n"
          "{\"hessian\": [0.5, 0.5], \"direction\": [1, 2], \"multipliers\": [5, 3], \"objective\": 0}\n"
          "{\"gauss_newton\": [0.5, 0.5], \"direction\": [1, 2]}\n"
          "{\"iteration\": {\"number\": 3, \"f\": 2.5, \"step\": 0.5}}\n"
          "{\"evaluate\": [3.5, 0.5]}\n"
          "{\"evaluate\": [3.0000000000000004, -3]}",
          text, sizeof text);
  CHECK_CONTAINS(text,
                 "{\"protocol\":1,\"problem\":\"HS22\",\"n\":2,\"names\":[\"x0\",\"x1\"],\"start\":[-1.2,1.0],"
                 "\"lower\":[-3.0,-3.0],\"upper\":[3.0,3.0],\"scale\":[0.5,3.0],\"constraints\":[{\"name\":\"line\","
                 "\"lower\":null,\"upper\":2.0,\"linear\":false},{\"name\":\"parabola\",\"lower\":0.0,\"upper\":null,"
                 "\"linear\":false}],\"available\":{\"gradient\":true,\"gauss_newton\":true,\"hessian\":true},"
                 "\"settings\":{\"algorithm\":\"\",\"max_iterations\":5000,\"max_evaluations\":20000,");
  CHECK_CONTAINS(text, "\"stop_value\":null,\"seed\":1,\"verbosity\":0,\"native\":{\"memory\":\"7\"}}}\n");
  /* f = (x0 - 2)^2 + (x1 - 1)^2, c = (x0 + x1, x1 - x0^2) at (1/2, 1/2) */
  CHECK_CONTAINS(
      text,
      "}}\n{\"f\":2.5,\"constraints\":[1.0,0.25]}\n"
      "{\"f\":2.5,\"constraints\":[1.0,0.25],\"gradient\":[-3.0,-1.0],\"jacobian\":[[1.0,1.0],[-1.0,1.0]]}\n");
  /* f'' = 2 I, c_2'' = diag(-2, 0): (2 I + 3 c_2'') (1, 2) = (-4, 4) */
  CHECK_CONTAINS(text,
                 "]]}\n{\"product\":[-4.0,4.0]}\n{\"product\":[2.0,4.0]}\n{\"product\":[-6.0,0.0]}\n"
                 "{\"product\":[2.0,4.0]}\n{\"iteration\":3}\n");
  CHECK_CONTAINS(
      text,
      "{\"failed\":\"x0 = 3.5 is outside of its bounds, expected -3 to 3\",\"status\":\"MBD_OUT_OF_DOMAIN\"}\n"
      "{\"f\":17.0,\"constraints\":[0.0,-12.0]}\n");
  CU_ASSERT(told == 1 && q.r.iterations == 3 && q.r.status == MBO_STALLED);
  CU_ASSERT_STRING_EQUAL(q.r.text, "the end");
  /* the design at the end counts: it is not feasible, but (1/2, 1/2) is and stays the best */
  CU_ASSERT(q.r.x[0] == 0.5 && q.r.evaluations == 4 && q.r.hessians == 1 && q.r.failures == 0);
  mbo_result_free(&q.r);
}

/* Limits and stop_value are told; what is not there too. */
static void test_stops(void) {
  static const char three[] = "{\"evaluate\": [0.5, 0.5]}\n{\"evaluate\": [0.6, 0.5]}\n{\"evaluate\": [0.7, 0.5]}";
  char text[8192];
  trial q;
  begin(&q, 0);
  q.s.max_evaluations = 2;
  answers(&q, three, text, sizeof text);
  CHECK_CONTAINS(text, "{\"f\":6.5,\"constraints\":[]}\n{\"stop\":\"evaluations\"}\n");
  CU_ASSERT(q.r.status == MBO_STOPPED_LIMIT && q.r.evaluations == 2);
  CHECK_CONTAINS(q.r.text, "limit max_evaluations = 2");
  q.s.max_evaluations = 1000, q.s.stop_value = 7;
  answers(&q, three, text, sizeof text);
  CHECK_CONTAINS(text, "{\"stop\":\"stop_value\"}\n");
  CU_ASSERT(q.r.status == MBO_CONVERGED && q.r.f == 6.5);
  q.s.stop_value = -INFINITY, q.s.max_iterations = 2;
  answers(&q, "{\"iteration\": {}}\n{\"iteration\": {}}\n{\"iteration\": {}}", text, sizeof text);
  CHECK_CONTAINS(text, "{\"iteration\":1}\n{\"stop\":\"iterations\"}\n");
  CU_ASSERT(q.r.status == MBO_STOPPED_LIMIT && q.r.iterations == 2);
  q.p.has_gradient = 0, q.p.has_hessian = 0;
  answers(&q, "{\"evaluate\": [0.5, 0.5], \"want\": [\"gradient\"]}", text, sizeof text);
  CHECK_CONTAINS(text, "{\"error\":\"the problem has no gradient; [gradient] method = none\"}\n");
  answers(&q, "{\"hessian\": [0.5, 0.5], \"direction\": [1, 0]}", text, sizeof text);
  CHECK_CONTAINS(text, "\"hessian\":false");
  CHECK_CONTAINS(text, "{\"error\":\"the problem has no second derivatives");
  CU_ASSERT(q.r.status == MBO_FAILED && q.r.evaluations == 1);
  mbo_result_free(&q.r);
}

/* ---- interruption, and what goes on ---- */

static volatile sig_atomic_t stop;
static void on_alarm(int number) {
  (void)number;
  stop = 1;
}

/* Ctrl-C while the program thinks: the program is killed, and the run can be resumed. */
static void test_interrupted(void) {
  trial q;
  begin(&q, 0);
  q.s.command = script(ASKS(EVALUATE) "kill -ALRM $PPID; sleep 30");
  q.s.stop = &stop;
  signal(SIGALRM, on_alarm);
  CU_ASSERT_EQUAL(attempt(&q, "command"), MBD_OK);
  CU_ASSERT(stop == 1 && q.r.status == MBO_INTERRUPTED && q.r.f == 6.5);
  CU_ASSERT(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
  mbo_result_free(&q.r);
}

/* A program that dies leaves its designs in the journal: with the same designs as before, the run goes on without them. */
static void test_resume(void) {
  char journal[128];
  trial q;
  if (!toy_is_built_in("lbfgsb")) { return; }
  begin(&q, 0);
  q.s.command = "'" MBOPT_PIPED "' lbfgsb";
  must(attempt(&q, "command"), &q.err);
  const int all = q.r.evaluations;
  const double f = q.r.f;
  snprintf(journal, sizeof journal, "%s/journal", folder);
  q.s.journal = journal;
  q.s.max_evaluations = all / 2;
  must(attempt(&q, "command"), &q.err);
  CU_ASSERT(q.r.status == MBO_STOPPED_LIMIT && q.r.evaluations == all / 2);
  q.s.max_evaluations = 1000, q.s.resume = 1, q.t.calls = 0;
  must(attempt(&q, "command"), &q.err);
  CU_ASSERT(q.r.replayed == all / 2 && q.r.evaluations == all - all / 2 && q.t.calls == q.r.evaluations);
  CU_ASSERT(q.r.status == MBO_CONVERGED && q.r.f == f);
  mbo_result_free(&q.r);
}

/* ---- functions ---- */

/* Newton's method with products of second derivatives, from the start and without any caution. */
static mbd_status newton(void *user, mbo_ask *a, mbd_error *err) {
  const mbo_problem *p = mbo_ask_problem(a);
  const mbo_eval *at;
  double x[] = {p->start[0], p->start[1]}, column[2][2];
  for (int k = 1; k < 20; k++) {
    MBD_TRY(mbo_ask_evaluate(a, x, MBO_REQUEST_GRADIENT, &at, err));
    const double g[] = {at->g[0], at->g[1]};
    for (int j = 0; j < 2; j++) {
      MBD_TRY(mbo_ask_product(a, x, MBO_REQUEST_HESSIAN, 1, NULL, (const double[]){j == 0, j == 1}, column[j], err));
    }
    const double det = column[0][0] * column[1][1] - column[0][1] * column[1][0];
    const double step[] = {(column[1][1] * g[0] - column[1][0] * g[1]) / det,
                           (column[0][0] * g[1] - column[0][1] * g[0]) / det};
    x[0] -= step[0], x[1] -= step[1];
    MBD_TRY(mbo_ask_iteration(a, &(mbo_iteration){.iteration = k, .f = NAN, .step = fabs(step[0])}, err));
    if (fabs(step[0]) + fabs(step[1]) < 1e-12) {
      mbo_ask_end(a, MBO_CONVERGED, user);
      break;
    }
  }
  return MBD_OK;
}

static mbd_status gives_up(void *user, mbo_ask *a, mbd_error *err) {
  (void)a;
  if (user) { MBD_FAIL(err, MBD_BAD_INPUT, "%s", (const char *)user); }
  return MBD_OK;
}

static void test_function(void) {
  static const double lower[] = {-30, -30}, upper[] = {30, 30}; /* the second step goes far */
  trial q;
  begin(&q, 0);
  q.p.lower = lower, q.p.upper = upper;
  q.s.optimizer = newton, q.s.of_optimizer = "a short step";
  mbo_commands_allow(0); /* it runs in this process anyway */
  must(attempt(&q, "command"), &q.err);
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  CU_ASSERT_STRING_EQUAL(q.r.text, "a short step");
  CHECK_CLOSE("x0", q.r.x[0], 1, 1e-12);
  CHECK_CLOSE("x1", q.r.x[1], 1, 1e-12);
  q.s.max_iterations = 3;
  must(attempt(&q, "command"), &q.err);
  CU_ASSERT(q.r.status == MBO_STOPPED_LIMIT && q.r.iterations == 3 && q.r.evaluations == 3);
  q.s.optimizer = gives_up, q.s.of_optimizer = "no idea";
  must(attempt(&q, "command"), &q.err);
  CU_ASSERT_EQUAL(q.r.status, MBO_FAILED);
  CU_ASSERT_STRING_EQUAL(q.r.text, "no idea");
  q.s.of_optimizer = NULL;
  must(attempt(&q, "command"), &q.err);
  CU_ASSERT_EQUAL(q.r.status, MBO_FAILED);
  CHECK_CONTAINS(q.r.text, "returned without saying how it ended");
  CU_ASSERT(q.r.x[0] == -1.2 && q.r.f == q.r.f_start);
  mbo_commands_allow(1);
  mbo_result_free(&q.r);
}

/* ---- commands as texts ---- */

static void test_command_text(void) {
  static const struct {
    const char *text, *beside;
  } texts[] = {{"python3 -x", "python3 -x"},
               {"  sh\t'a b'  \"c'd\" e\"\"f  ", "sh \"a b\" \"c'd\" ef"},
               {"sh 'x\"y' ''", "sh \"x\"'\"'\"y\" \"\""},
               {"file.txt file.txt ./file.txt", "file.txt @/file.txt @/file.txt"}};
  char path[128], expected[256], *out;
  mbd_error err;
  snprintf(path, sizeof path, "%s/file.txt", folder);
  fclose(fopen(path, "w"));
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t n = 0;
    for (const char *c = texts[i].beside; *c; c++) {
      n += (size_t)snprintf(expected + n, sizeof expected - n, *c == '@' ? "%s" : "%.1s", *c == '@' ? folder : c);
    }
    must(command_text_beside(folder, texts[i].text, &out, &err), &err);
    CU_ASSERT_STRING_EQUAL(out, expected);
    char *again;
    must(command_text_beside(folder, out, &again, &err), &err);
    CU_ASSERT_STRING_EQUAL(again, out);
    free(out), free(again);
  }
}

int main(void) {
  const test_entry entries[] = {TEST(test_equal_to_built_in),
                                TEST(test_wrong_programs),
                                TEST(test_refused),
                                TEST(test_protocol),
                                TEST(test_stops),
                                TEST(test_interrupted),
                                TEST(test_resume),
                                TEST(test_function),
                                TEST(test_command_text)};
  mbo_commands_allow(1);
  return test_run_in(folder, __FILE__, entries, (int)(sizeof entries / sizeof *entries));
}
