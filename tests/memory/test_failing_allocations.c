/* Every command of the program with one allocation that fails, or with all from one on: it ends with exit code 10 and "out
 * of memory", or as if nothing had happened where a library can do without; what it leaves in its folder is whole, and the
 * same command afterwards gives the undisturbed result. Allocations are numbered; a sample of the numbers is taken that a
 * fixed seed draws, with MBOPT_LONG all of them. MBOPT_FAILING_ONLY=NAME takes one command alone, MBOPT_FAILING_SAMPLE=N a
 * sample of N, MBOPT_FAILING_AT=N the number N alone. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "failing_allocations.h"
#include "mbd/lanes.h"
#include "test.h"

enum { WORDS = 24, SAMPLE = 2, RARELY = 50, PATH = 512, EXIT_OF_MEMORY = 10, EXIT_NOT_BUILT_IN = 9, SHOWN = 25 };

#define CONFIG(name) MBOPT_SOURCE_DIR "/configs/" name ".ini"
#define FIVE_BAR     CONFIG("five_bar"), "--threads", "1", "--set", "case.swing.duration=0.05", "--output", "results"
#define PENDULUM     CONFIG("pendulum"), "--threads", "1", "--set", "case.drop.duration=0.05", "--output", "results"
#define KINK                                                                                                  \
  CONFIG("bicycle_straight"), "--set", "scalars.slip_speed=1e-4", "--set", "scalars.k_roll=10", "--set",      \
      "case.straight.scalar.v=5", "--set", "case.straight.step=1e-2", "--set", "case.straight.duration=0.02", \
      "--output", "results"
#define PARETO                                                                                   \
  "pareto", CONFIG("pareto_fonseca_fleming"), "--points", "4", "--set", "study.jobs=1", "--set", \
      "optimizer.backend=nlopt", "--output", "results"
#define SWEEP \
  "sweep", PENDULUM, "--set", "sweep.vary.stiffness=5, 10", "--set", "sweep.task=gradient", "--set", "study.jobs=1"

/* Marks a command that refuses to be given again after it has ended well. */
static const char only_once[] = "";

/* A command, the one that makes what it works on, and what is added when it is given again, or `only_once`. */
typedef struct command {
  const char *name;
  const char *argv[WORDS], *before[WORDS], *again;
} command;

#define COMPARE                                                                                                   \
  "compare", PENDULUM, "--backends", "nlopt:LN_COBYLA,nlopt:LD_SLSQP", "--starts", "2", "--max-evaluations", "2", \
      "--set", "study.jobs=1"

#define ONE_PROBLEM \
  "compare", FIVE_BAR, "--backends", "nlopt:LN_COBYLA", "--max-evaluations", "2", "--set", "study.jobs=1"

static const command commands[] = {
    {"optimize_ipopt", {"optimize", FIVE_BAR, "--max-evaluations", "3"}, {0}, "--resume"},
    {"optimize_nlopt",
     {"optimize", PENDULUM, "--max-evaluations", "3", "--set", "optimizer.backend=nlopt", "--json"},
     {0},
     "--resume"},
    {"optimize_lbfgsb",
     {"optimize", FIVE_BAR, "--max-evaluations", "3", "--set", "optimizer.backend=lbfgsb", "--set",
      "optimizer.hessian=limited_memory"},
     {0},
     "--resume"},
    {"gradient_natural",
     {"gradient", PENDULUM, "--set", "case.drop.coordinates=natural", "--set", "case.drop.formulation=matrix_r"},
     {0},
     NULL},
    {"resume",
     {"optimize", PENDULUM, "--max-evaluations", "4", "--set", "optimizer.backend=nlopt", "--resume"},
     {"optimize", PENDULUM, "--max-evaluations", "3", "--set", "optimizer.backend=nlopt"},
     NULL},
    {"compare", {ONE_PROBLEM}, {0}, NULL},
    {"report_contest", {"report", "results"}, {ONE_PROBLEM}, NULL},
    {"simulate", {"simulate", FIVE_BAR, "--json"}, {0}, NULL},
    {"gradient", {"gradient", FIVE_BAR, "--json"}, {0}, NULL},
    {"quantities",
     {"gradient", CONFIG("four_bar_path"), "--threads", "1", "--set", "case.turn.duration=0.05", "--json"},
     {0},
     NULL},
    {"free_duration",
     {"gradient", CONFIG("two_link_arm_minimum_time"), "--threads", "1", "--set", "scalars.points=3", "--set",
      "case.move.step=T/4", "--json"},
     {0},
     NULL},
    {"windows",
     {"gradient", FIVE_BAR, "--set", "objective.psi1.form=quantile", "--set", "objective.psi1.level=0.5", "--set",
      "objective.psi1.width=0.1", "--set", "objective.psi1.from=P2.velocity.norm rises above 0.1"},
     {0},
     NULL},
    {"centres",
     {"gradient", CONFIG("wishbone_corner"), "--set", "case.stroke.duration=0.02", "--set",
      "objective.track.of=roll_centre(left.C, right.C, ground, left.forward, left.driven, right.driven).z"},
     {0},
     NULL},
    {"branches", {"simulate", FIVE_BAR, "--set", "case.swing.branch.distance(P1, P2)=positive"}, {0}, NULL},
    {"kink", {"simulate", KINK, "--json"}, {0}, NULL},
    {"stuck", {"simulate", KINK, "--set", "case.straight.max_iterations=1"}, {0}, NULL},
    {"over_time", {"gradient", PENDULUM, "--over-time"}, {0}, NULL},
    {"equilibrium",
     {"gradient", CONFIG("corner"), "--threads", "1", "--set", "case.stroke.step=0.5", "--set", "case.side.step=0.5",
      "--json"},
     {0},
     NULL},
    {"inverse_dynamics",
     {"gradient", PENDULUM, "--over-time", "--json", "--set", "case.drop.analysis=kinematic", "--set",
      "case.drop.drive.ground-bar.angle=0.5"},
     {0},
     NULL},
    {"experiment",
     {"gradient", CONFIG("pendulum_motion"), "--threads", "1", "--set", "case.test.step=0.2", "--json"},
     {0},
     NULL},
    {"fit",
     {"fit", CONFIG("measured_bar"), "--threads", "1", "--set", "case.free.step=0.05", "--set", "case.loaded.step=0.05",
      "--json", "--output", "results"},
     {0},
     "--resume"},
    {"check", {"check", PENDULUM, "--json", "--format", "html"}, {0}, NULL},
    {"linearize",
     {"linearize", PENDULUM, "--json", "--format", "html", "--vary", "case.drop.duration = 1, 2"},
     {0},
     NULL},
    {"model", {"model", FIVE_BAR, "--json", "--format", "html"}, {0}, NULL},
    {"rows", {"model", CONFIG("human"), "--json"}, {0}, NULL},
    {"graph", {"model", FIVE_BAR, "--format", "svg"}, {0}, NULL},
    {"parts", {"model", CONFIG("wishbone_corner"), "--json"}, {0}, NULL},
    {"sweep", {SWEEP}, {0}, NULL},
    {"sweep_lanes", {SWEEP, "--lanes", "4"}, {0}, NULL},
    {"multistart",
     {"multistart", PENDULUM, "--starts", "2", "--max-evaluations", "2", "--set", "optimizer.backend=nlopt", "--set",
      "study.jobs=1"},
     {0},
     NULL},
    {"pareto", {PARETO}, {0}, NULL},
    {"report_pareto", {"report", "results"}, {PARETO}, NULL},
    {"compare_starts", {COMPARE}, {0}, NULL},
    {"report_compare", {"report", "results"}, {COMPARE}, NULL},
    {"merge", {"merge", "results"}, {SWEEP}, NULL},
    {"status", {"status", "results", "--json"}, {SWEEP}, NULL},
    {"work", {"work", "results"}, {SWEEP}, NULL},
    {"resume_study", {"resume", "results"}, {SWEEP, "--dry-run"}, NULL},
    {"report_study", {"report", "results"}, {SWEEP}, NULL},
    {"report_run",
     {"report", "results"},
     {"optimize", PENDULUM, "--max-evaluations", "3", "--set", "optimizer.backend=nlopt"},
     NULL},
    {"plot",
     {"plot", "results"},
     {"optimize", PENDULUM, "--max-evaluations", "3", "--set", "optimizer.backend=nlopt"},
     NULL},
    {"new", {"new", "four_bar", "results"}, {0}, only_once},
    {"new_points",
     {"new", "kc_axle_five_link", "results", "--points", MBOPT_SOURCE_DIR "/tests/unit/config/hard_points.csv"},
     {0},
     only_once},
    {"import", {"import", MBOPT_SOURCE_DIR "/tests/unit/import/all_types.urdf", "results"}, {0}, only_once},
    {"import_vehicle",
     {"import", MBOPT_SOURCE_DIR "/tests/unit/import/chrono/sedan/vehicle/Sedan_Vehicle.json", "results"},
     {0},
     only_once},
    {"import_loops",
     {"import", MBOPT_SOURCE_DIR "/tests/unit/import/four_bar.urdf", "results", "--vary", "lengths,masses"},
     {0},
     only_once},
    {"export", {"export", FIVE_BAR}, {0}, NULL},
    {"export_mjcf", {"export", FIVE_BAR, "--format", "mjcf"}, {0}, NULL},
    {"backends", {"backends", "--json"}, {0}, NULL},
    {"help", {"help"}, {0}, NULL},
    {"schema", {"schema", "--json"}, {0}, NULL},
};

/* ---- files ---- */

static char root[PATH];

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *place) {
  (void)info, (void)flag, (void)place;
  return remove(path);
}

static void remove_tree(const char *path) {
  nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* All of a file, in new memory; NULL: there is none. */
static char *read_all(const char *path, size_t *n) {
  FILE *in = fopen(path, "r");
  char *text = NULL;
  if (!in) { return NULL; }
  fseek(in, 0, SEEK_END);
  const long size = ftell(in);
  rewind(in);
  if (size >= 0 && (text = malloc((size_t)size + 1)) != NULL) {
    *n = fread(text, 1, (size_t)size, in);
    text[*n] = '\0';
  }
  fclose(in);
  return text;
}

static const char *walk_from, *walk_to, *walk_before; /* folders; nftw takes no argument of its caller's */
static char walk_says[PATH];                          /* what is wrong */
static int walk_all, walk_again, walk_count;
static int walk_other;  /* an optimizer without memory may go another way */
static int walk_worker; /* records of runs whose worker processes were ended are right */
static int walk_failed; /* how many of them there are */

static void beside(const char *path, char other[PATH]) {
  snprintf(other, PATH, "%s%s", walk_to, path + strlen(walk_from));
}

static int copy_one(const char *path, const struct stat *info, int flag, struct FTW *place) {
  char to[PATH];
  size_t n = 0;
  (void)place;
  beside(path, to);
  if (flag == FTW_D) { return mkdir(to, 0777) != 0 && errno != EEXIST; }
  char *text = read_all(path, &n);
  FILE *out = fopen(to, "w");
  int bad = !text || !out || fwrite(text, 1, n, out) != n;
  if (out) { bad |= fclose(out) != 0; }
  free(text);
  const struct timespec times[] = {info->st_atim, info->st_mtim}; /* reports say when their run ended */
  return bad || utimensat(AT_FDCWD, to, times, 0) != 0;
}

static void copy_tree(const char *from, const char *to) {
  walk_from = from, walk_to = to;
  CU_ASSERT_EQUAL_FATAL(nftw(from, copy_one, 16, FTW_PHYS), 0);
}

/* ---- is it whole? ---- */

/* Counts differ between a run and the same run gone on with. */
static int counts(const char *line, size_t length) {
  static const char *const words[] = {"\"evaluations\"",  "\"replayed\"",         "\"gradients\"", "\"hessians\"",
                                      "\"bytes_stored\"", "\"steps_done_again\"", "simulated,"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (memmem(line, length, words[i], strlen(words[i]))) { return 1; }
  }
  return 0;
}

/* Equal line by line but for counts. */
static int same_but_counts(const char *a, const char *b) {
  while (*a && *b) {
    const size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
    if ((na != nb || memcmp(a, b, na) != 0) && !(counts(a, na) && counts(b, nb))) { return 0; }
    a += na + (a[na] == '\n'), b += nb + (b[nb] == '\n');
  }
  return *a == *b;
}

static int begins_with_lines(const char *whole, const char *part, size_t n) {
  return strncmp(whole, part, n) == 0 && (n == 0 || part[n - 1] == '\n');
}

static int ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

/* A segment of a study: what a process does depends on which ones were ended before it, so lines are compared wherever they are. */
static int is_segment(const char *path) {
  const char *name = strrchr(path, '/');
  return name > path + 5 && strncmp(name - 5, "/runs/", 6) == 0 && ends_with(path, ".jsonl");
}

static int runs_in(const char *path) {
  size_t n = 0;
  char *text = read_all(path, &n);
  int runs = 0;
  for (const char *at = text; at && (at = strstr(at, "{\"run\":")) != NULL; at++) { runs++; }
  free(text);
  return runs;
}

/* Is the line in one of the segments of the undisturbed run? */
static int is_among(const char *line, const char *segment) {
  char undisturbed[PATH], pattern[PATH + 8];
  glob_t found;
  int is = 0;
  beside(segment, undisturbed);
  snprintf(pattern, sizeof pattern, "%.*s/*.jsonl", (int)(strrchr(undisturbed, '/') - undisturbed), undisturbed);
  if (glob(pattern, 0, NULL, &found) != 0) { return 0; }
  for (size_t i = 0; i < found.gl_pathc; i++) {
    size_t n = 0;
    char *text = read_all(found.gl_pathv[i], &n);
    is |= text && strstr(text, line);
    free(text);
  }
  globfree(&found);
  return is;
}

static void compare_segment(const char *path) {
  size_t n = 0;
  char *text = read_all(path, &n), *rest = NULL;
  walk_count += runs_in(path);
  for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
    if (is_among(line, path) || (walk_again && counts(line, strlen(line)))) { continue; }
    if (walk_worker && strstr(line, "\"state\":\"failed\"")) {
      walk_failed++;
    } else if (!walk_other) {
      snprintf(walk_says, sizeof walk_says, "%.100s has %.300s", path + strlen(walk_from), line);
    }
  }
  free(text);
}

/* A file of a disturbed run beside that of the undisturbed: the same, or of a journal the beginning. */
static int compare_one(const char *path, const struct stat *info, int flag, struct FTW *place) {
  char undisturbed[PATH], earlier[PATH];
  size_t n = 0, m = 0, k = 0;
  (void)info;
  if (flag == FTW_D || place->level == 0) { return 0; }
  if (place->level == 1) { return 0; } /* out and err */
  if (is_segment(path)) {
    compare_segment(path);
    return 0;
  }
  beside(path, undisturbed);
  snprintf(earlier, sizeof earlier, "%s%s", walk_before, path + strlen(walk_from));
  char *text = read_all(path, &n), *expected = read_all(undisturbed, &m), *before = read_all(earlier, &k);
  walk_count++;
  if (!walk_all && before && n == k && memcmp(text, before, n) == 0) { /* as it was */
  } else if (!expected && ends_with(path, ".journal.jsonl")) {         /* of a run that is gone on with */
  } else if (!expected) {
    snprintf(walk_says, sizeof walk_says, "%.200s is left", path + strlen(walk_from));
  } else if (n == m && memcmp(text, expected, n) == 0) {                                 /* the same */
  } else if (ends_with(path, "journal.jsonl") && begins_with_lines(expected, text, n)) { /* the beginning */
  } else if (walk_other && n > 0 && (text[n - 1] == '\n' || strncmp(text, "SQLite format 3", 15) == 0)) {
  } else if (walk_again && (ends_with(path, "journal.jsonl") || same_but_counts(text, expected))) {
  } else {
    snprintf(walk_says, sizeof walk_says, "%.200s is not whole", path + strlen(walk_from));
  }
  free(text), free(expected), free(before);
  return 0;
}

static int count_one(const char *path, const struct stat *info, int flag, struct FTW *place) {
  (void)info;
  if (flag != FTW_D && place->level > 1) { walk_count += is_segment(path) ? runs_in(path) : 1; }
  return 0;
}

/* NULL: whole. */
static const char *judge_files(const char *folder, const char *undisturbed, int all, int again) {
  walk_from = folder, walk_to = undisturbed, walk_all = all, walk_again = again, walk_count = 0, *walk_says = '\0';
  walk_failed = 0;
  nftw(folder, compare_one, 16, FTW_PHYS);
  const int found = walk_count;
  walk_count = 0;
  nftw(undisturbed, count_one, 16, FTW_PHYS);
  if (!*walk_says && all && found != walk_count) {
    snprintf(walk_says, sizeof walk_says, "%d of %d files", found, walk_count);
  }
  return *walk_says ? walk_says : NULL;
}

/* ---- running ---- */

typedef struct server {
  pid_t pid;
  int request, reply;
} server;

static void start_server(const char *const *words, const char *added, server *s) {
  const char *program = getenv("MBOPT");
  char *argv[WORDS + 2] = {(char *)(program ? program : MBOPT_PROGRAM)};
  char *environment[] = {
      "MBOPT_FAILING=1", "LD_PRELOAD=" FAILING_LIBRARY, "OPENBLAS_NUM_THREADS=1", "PATH=/usr/bin:/bin", "HOME=/", NULL};
  int request[2], reply[2], n = 1;
  for (int i = 0; words[i]; i++) { argv[n++] = (char *)words[i]; }
  if (added) { argv[n++] = (char *)added; }
  CU_ASSERT_EQUAL_FATAL(pipe2(request, O_CLOEXEC) | pipe2(reply, O_CLOEXEC), 0);
  s->pid = fork();
  if (s->pid == 0) {
    dup2(request[0], FAILING_REQUEST_FD), dup2(reply[1], FAILING_REPLY_FD);
    execve(argv[0], argv, environment);
    _exit(126);
  }
  close(request[0]), close(reply[1]);
  s->request = request[1], s->reply = reply[0];
}

static void stop_server(server *s) {
  close(s->request), close(s->reply);
  waitpid(s->pid, NULL, 0);
}

static failing_reply ask(const server *s, const char *folder, long at, int onwards, int census) {
  failing_request q = {.at = at, .onwards = onwards, .census = census};
  failing_reply r = {0};
  snprintf(q.folder, sizeof q.folder, "%s", folder);
  CU_ASSERT_EQUAL_FATAL(write(s->request, &q, sizeof q), (ssize_t)sizeof q);
  CU_ASSERT_EQUAL_FATAL(read(s->reply, &r, sizeof r), (ssize_t)sizeof r);
  return r;
}

/* ---- the verdict on a run ---- */

typedef struct tally {
  long allocations, tried, told, same, library, wrong;
} tally;

/* *empty: whether the file of the disturbed run is. */
static int same_text(const char *folder, const char *undisturbed, const char *name, int *empty) {
  char path[PATH + 8];
  size_t n = 0, m = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *text = read_all(path, &n);
  snprintf(path, sizeof path, "%s/%s", undisturbed, name);
  char *expected = read_all(path, &m);
  const int same = text && expected && n == m && memcmp(text, expected, n) == 0;
  *empty = n == 0;
  free(text), free(expected);
  return same;
}

static const char *judge_output(const char *folder, const char *undisturbed, int is_json, int ended_well) {
  int empty, nothing;
  const int same = same_text(folder, undisturbed, "out", &empty);
  if (ended_well && !same) { return "other words on standard output"; }
  if (is_json && !empty && !same) { return "a part of the JSON on standard output"; }
  return ended_well && !same_text(folder, undisturbed, "err", &nothing) ? "other words on standard error" : NULL;
}

static int says_out_of_memory(const char *folder) {
  char path[PATH + 8];
  size_t n = 0;
  snprintf(path, sizeof path, "%s/err", folder);
  char *text = read_all(path, &n);
  const int found = text && strstr(text, "out of memory");
  free(text);
  return found;
}

/* A library has ended the worker of a run as often as it was tried: that is recorded, and tables have it. NULL: so it is. */
static const char *judge_failed_runs(const char *folder, const char *undisturbed) {
  walk_other = walk_worker = 1;
  const char *files = judge_files(folder, undisturbed, 0, 0);
  walk_other = walk_worker = 0;
  return walk_failed ? files : judge_files(folder, undisturbed, 0, 0);
}

/* NULL: as it should be. has_lanes: their library counts as missing where it finds no memory. */
static const char *judge(const failing_reply *r, int code, const char *folder, const char *undisturbed, int is_json,
                         int has_lanes, tally *t) {
  static char says[PATH];
  const int ended = WIFSIGNALED(r->status) ? -WTERMSIG(r->status) : WEXITSTATUS(r->status);
  const char *files;
  if (ended == EXIT_OF_MEMORY) {
    files = judge_files(folder, undisturbed, 0, 0);
    if (files && failing_may_end(r->owner)) { files = judge_failed_runs(folder, undisturbed); }
    if (!files) { files = judge_output(folder, undisturbed, is_json, 0); }
    if (!files && !says_out_of_memory(folder)) { files = "no word of memory"; }
    t->told += !files;
  } else if (ended == code) {
    files = judge_files(folder, undisturbed, 1, 0);
    if (!files) { files = judge_output(folder, undisturbed, is_json, 1); }
    t->same += !files;
  } else if ((failing_may_end(r->owner) && ended != -SIGALRM) || (has_lanes && ended == EXIT_NOT_BUILT_IN)) {
    walk_other = 1;
    files = judge_files(folder, undisturbed, 0, 0);
    walk_other = 0;
    t->library += !files;
  } else {
    files = ended < 0 ? "ended by a signal" : "another exit code";
  }
  if (!files) { return NULL; }
  snprintf(says, sizeof says, "ended with %d: %.300s", ended, files);
  return says;
}

/* ---- a command ---- */

static int has_word(const command *c, const char *word) {
  int found = 0;
  for (int i = 0; c->argv[i]; i++) { found |= strcmp(c->argv[i], word) == 0; }
  return found;
}

typedef struct trial {
  const command *c;
  server s, again;
  char before[PATH], undisturbed[PATH], folder[PATH];
  int code;
  tally t;
} trial;

static void make_folder_for(const trial *q, const char *folder) {
  mkdir(folder, 0777);
  if (q->c->before[0]) { copy_tree(q->before, folder); }
}

/* NULL: given again, in the folder that the disturbed run has left, the command gives the undisturbed result. */
static const char *judge_again(const trial *q) {
  const failing_reply second = ask(&q->again, q->folder, 0, 0, 0);
  if (!WIFEXITED(second.status) || WEXITSTATUS(second.status) != q->code) { return "the command given again fails"; }
  return judge_files(q->folder, q->undisturbed, 1, 1);
}

/* Nothing is left to do: the command is given once, or has recorded what could not be done. */
static int is_over(const trial *q, const failing_reply *r) {
  if (walk_failed) { return 1; }
  return q->c->again == only_once && WIFEXITED(r->status) && WEXITSTATUS(r->status) == q->code;
}

static void try_one(trial *q, long at, int onwards) {
  make_folder_for(q, q->folder);
  const failing_reply r = ask(&q->s, q->folder, at, onwards, 0);
  const char *says = NULL;
  if (r.failed) {
    q->t.tried++;
    says = judge(&r, q->code, q->folder, q->undisturbed, has_word(q->c, "--json"), has_word(q->c, "--lanes"), &q->t);
    if (!says && !is_over(q, &r)) { says = judge_again(q); }
  }
  if (says && q->t.wrong++ < SHOWN) {
    printf("\n  %s, allocation %ld%s of %s: %s\n   %s", q->c->name, at, onwards ? " and all later" : "", r.owner, says,
           r.where);
  }
  remove_tree(q->folder);
}

static void run_before(trial *q) {
  server s;
  mkdir(q->before, 0777);
  start_server(q->c->before, NULL, &s);
  const failing_reply r = ask(&s, q->before, 0, 0, 0);
  stop_server(&s);
  const int code =
      WEXITSTATUS(r.status); /* 7, 8: stopped at its limit, where rounding decides whether it says converged */
  CU_ASSERT_FATAL(WIFEXITED(r.status) && (code == 0 || code == 7 || code == 8));
}

static void try_sample(trial *q) {
  const char *requested = getenv("MBOPT_FAILING_SAMPLE"), *one = getenv("MBOPT_FAILING_AT");
  uint64_t seed = 1;
  if (one) {
    try_one(q, atol(one), 0), try_one(q, atol(one), 1);
    return;
  }
  for (int i = 0; i < (requested ? atoi(requested) : SAMPLE); i++) {
    try_one(q, 1 + (long)(random_unit(&seed) * (double)q->t.allocations), i % 2);
  }
}

/* All of ours; of those in libraries that may end the process, of which IPOPT alone has tens of thousands, a part. */
static void try_all(trial *q) {
  char path[PATH + 8];
  size_t n = 0;
  make_folder_for(q, q->folder);
  (void)ask(&q->s, q->folder, 0, 0, 1);
  snprintf(path, sizeof path, "%s/owners", q->folder);
  char *owner = read_all(path, &n);
  remove_tree(q->folder);
  CU_ASSERT_FATAL(owner != NULL && (long)n >= q->t.allocations);
  for (long at = 1; at <= q->t.allocations; at++) {
    if (owner[at - 1] == FAILING_OF_LIBRARY && at % RARELY) { continue; }
    try_one(q, at, 0), try_one(q, at, 1);
  }
  free(owner);
}

static void try_command(const command *c) {
  trial q = {.c = c};
  walk_before = q.before;
  snprintf(q.before, sizeof q.before, "%.400s/%s_before", root, c->name);
  snprintf(q.undisturbed, sizeof q.undisturbed, "%.400s/%s_undisturbed", root, c->name);
  snprintf(q.folder, sizeof q.folder, "%.400s/%s", root, c->name);
  if (c->before[0]) { run_before(&q); }
  start_server(c->argv, NULL, &q.s), start_server(c->argv, c->again == only_once ? NULL : c->again, &q.again);
  make_folder_for(&q, q.undisturbed);
  const failing_reply r = ask(&q.s, q.undisturbed, 0, 0, 0);
  q.code = WEXITSTATUS(r.status), q.t.allocations = r.calls;
  CU_ASSERT_FATAL(WIFEXITED(r.status) && (q.code == 0 || q.code == 5 || q.code == 7 || q.code == 8));
  if (test_long()) {
    try_all(&q);
  } else {
    try_sample(&q);
  }
  stop_server(&q.s), stop_server(&q.again);
  printf(
      "\n  %-16s %7ld allocations, %7ld tried: %7ld out of memory, %5ld did without, %5ld ended by a library, %5ld "
      "wrong",
      c->name, q.t.allocations, q.t.tried, q.t.told, q.t.same, q.t.library, q.t.wrong);
  fflush(stdout);
  CU_ASSERT_EQUAL(q.t.wrong, 0);
  CU_ASSERT(q.t.told > 0);
}

static void test_failing_allocations(void) {
  const char *only = getenv("MBOPT_FAILING_ONLY"), *folder = getenv("TMPDIR");
  signal(SIGPIPE, SIG_IGN);
  snprintf(root, sizeof root, "%.200s/failing_XXXXXX", folder ? folder : "/tmp");
  CU_ASSERT_FATAL(mkdtemp(root) != NULL);
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    const int can = !has_word(&commands[i], "--lanes") || mbd_lanes_width(4) == 4;
    if (can && (!only || strcmp(only, commands[i].name) == 0)) { try_command(&commands[i]); }
  }
  putchar('\n');
  remove_tree(root);
}

TEST_MAIN(TEST(test_failing_allocations))
