/* Segments: lines that count, lines that are left out and are told of, processes that are killed while they write. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "evaluate/journal_line.h"
#include "files/atomic_file.h"
#include "study/segments.h"
#include "test.h"

static char folder[] = "/tmp/mbopt-segments-XXXXXX";
static const char row[] = "0123456789abcdef";

/* The folder of a study, in new memory. */
static char *study_of(const char *name) {
  mbd_error err = {0};
  char *path = path_in(folder, name);
  must(make_folder(path, &err), &err);
  return path;
}

static segments *part_of(const char *study, long first, long last) {
  segments *g;
  mbd_error err = {0};
  must(segments_open(study, "plan", first, last, 0, &g, &err), &err);
  return g;
}

static char *line_of(long run, int attempt, const char *state, const char *v) {
  return journal_line_text(json_pack("{s:I, s:i, s:s, s:i, s:s, s:s}", "run", (json_int_t)run, "attempt", attempt,
                                     "state", state, "written", 1764460800, "row", row, "v", v),
                           0);
}

static void put(segments *g, long run, int attempt, const char *state, const char *v) {
  mbd_error err = {0};
  char *line = line_of(run, attempt, state, v);
  must(segments_append(g, line, &err), &err);
  free(line);
}

/* Run has this value v; NULL: there is no line. */
static void check(segments *g, long run, runs_state state, const char *v) {
  mbd_error err = {0};
  const char *line;
  size_t length;
  json_t *o = NULL;
  CU_ASSERT_EQUAL(segments_state(g, run), state);
  must(segments_find(g, run, &line, &length, &err), &err);
  CU_ASSERT_EQUAL(line != NULL, v != NULL);
  if (line) { must(journal_line_read(line, length, &o, &err), &err); }
  if (v) { CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(o, "v")), v); }
  CU_ASSERT(!v || json_integer_value(json_object_get(o, "run")) == run);
  json_decref(o);
}

static void check_damage(const segments *g, const char *says) {
  CHECK_CONTAINS(segments_damage(g) ? segments_damage(g) : "none", says);
}

/* ---- which line counts ---- */

static void test_lines(void) {
  char *study = study_of("lines");
  segments *one = part_of(study, 0, 5), *two = part_of(study, 0, 5);
  mbd_error err = {0};
  check(one, 0, RUN_MISSING, NULL);
  CU_ASSERT(!segments_own(one));
  put(one, 3, 0, "done", "a"), put(two, 1, 0, "failed", "b"), put(two, 2, 0, "failed", "c");
  CU_ASSERT(segments_own(one) && segments_own(two));
  check(one, 3, RUN_DONE, "a"), check(one, 1, RUN_MISSING, NULL);
  must(segments_refresh(one, &err), &err);
  check(one, 1, RUN_FAILED, "b");
  put(one, 1, 1, "done", "d"), put(two, 1, 0, "failed", "e"); /* a later attempt counts, whoever writes last */
  put(one, 2, 0, "done", "f"), put(two, 2, 0, "failed", "g"); /* of the same attempt the success */
  put(one, 3, 1, "again", ""), put(one, 4, 0, "done", "h"), put(two, 4, 0, "done", "i");
  must(segments_refresh(one, &err), &err);
  check(one, 1, RUN_DONE, "d"), check(one, 2, RUN_DONE, "f"), check(one, 3, RUN_MISSING, "");
  json_t *next = segments_begin(one, 1, RUN_FAILED, row); /* the third attempt */
  CU_ASSERT_EQUAL(json_integer_value(json_object_get(next, "attempt")), 2);
  char *line = journal_line_text(next, 0);
  segments_line l;
  CU_ASSERT(segments_read(line, &l) && l.run == 1 && l.attempt == 2 && l.state == RUN_FAILED &&
            strcmp(l.row, row) == 0);
  free(line);
  runs_count c = segments_counts(one);
  CU_ASSERT(c.done == 3 && c.failed == 0);
  segments_close(one), segments_close(two);
  /* another part has its own segments, and finds those of this one by their names */
  one = part_of(study, 5, 9), two = part_of(study, 4, 9);
  check(two, 4, RUN_DONE, "i");
  put(one, 6, 0, "done", "j");
  must(segments_refresh(two, &err), &err);
  check(two, 6, RUN_DONE, "j");
  CU_ASSERT_PTR_NULL(segments_damage(two));
  segments_close(one), segments_close(two);
  free(study);
}

/* More segments than are open at once, and lines of all lengths. */
static void test_many(void) {
  enum { SEGMENTS = 150, LONG = 300000 };
  char *study = study_of("many"), *text = mbd_zeros(LONG, 1);
  for (int k = 0; k < SEGMENTS; k++) {
    segments *g = part_of(study, 0, 3 * SEGMENTS);
    memset(text, 'x', (size_t)(k == 7 ? LONG : k));
    text[k == 7 ? LONG : k] = '\0';
    put(g, k, 0, "done", text), put(g, k + SEGMENTS, 0, "done", "b"), put(g, k + 2 * SEGMENTS, 0, "done", "c");
    segments_close(g);
  }
  segments *g = part_of(study, 0, 3 * SEGMENTS);
  for (int k = 0; k < SEGMENTS; k++) {
    memset(text, 'x', (size_t)(k == 7 ? LONG : k));
    text[k == 7 ? LONG : k] = '\0';
    check(g, k, RUN_DONE, text), check(g, k + 2 * SEGMENTS, RUN_DONE, "c"), check(g, k + SEGMENTS, RUN_DONE, "b");
  }
  segments_close(g);
  free(study), free(text);
}

/* ---- damage ---- */

/* A study of three runs, with this change of the file: what reads it. */
static segments *changed(const char *name, const char *old, const char *new, int cut) {
  char *study = study_of(name), *path = mbd_sprintf_dup("%s/runs/0-2.0.jsonl", study), text[2000] = "";
  segments *g = part_of(study, 0, 3);
  put(g, 0, 0, "done", "a"), put(g, 1, 0, "done", "b"), put(g, 2, 0, "failed", "c");
  segments_close(g);
  FILE *file = fopen(path, "r");
  CU_ASSERT_FATAL(file && fread(text, 1, sizeof text - 1, file) > 0);
  fclose(file);
  char *at = strstr(text, old);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  file = fopen(path, "w");
  fprintf(file, "%.*s%s%s", (int)(at - text), text, new, cut ? "" : at + strlen(old));
  fclose(file);
  g = part_of(study, 0, 3);
  free(study), free(path);
  return g;
}

static void test_damage(void) {
  /* a byte of a line: that run alone is done again */
  segments *g = changed("byte", "\"v\":\"b\"", "\"v\":\"B\"", 0);
  check(g, 0, RUN_DONE, "a"), check(g, 1, RUN_MISSING, NULL), check(g, 2, RUN_FAILED, "c");
  check_damage(g,
               "byte/runs/0-2.0.jsonl:3: the hash at its end is not that of the line; it is left out, and runs "
               "that are missing then are done again");
  segments_close(g);
  /* the end of the file: as a killed process leaves it, nothing to tell */
  g = changed("cut", "\"v\":\"c\"", "", 1);
  check(g, 1, RUN_DONE, "b"), check(g, 2, RUN_MISSING, NULL);
  CU_ASSERT_PTR_NULL(segments_damage(g));
  put(g, 2, 0, "done", "d"); /* in a segment of its own */
  check(g, 2, RUN_DONE, "d");
  segments_close(g);
  /* zeros, as a loss of power can leave them */
  g = changed("zeros", "\"v\":\"b\"", "", 0);
  check(g, 1, RUN_MISSING, NULL), check(g, 2, RUN_FAILED, "c");
  segments_close(g);
  /* several lines; a first line that is damaged does not take the others with it */
  g = changed("head", "\"segment\":1", "\"segment\":2", 0);
  check(g, 0, RUN_DONE, "a"), check(g, 2, RUN_FAILED, "c");
  check_damage(g, "head/runs/0-2.0.jsonl:1: the hash");
  segments_close(g);
  char *line = line_of(7, 0, "done", "of no run"), *twice = mbd_sprintf_dup("%s%s{}\n", line, line);
  g = changed("twice", "{\"run\":1,", twice, 0);
  check(g, 1, RUN_MISSING, NULL), check(g, 2, RUN_FAILED, "c");
  check_damage(g, "twice/runs/0-2.0.jsonl:5: the hash at its end is not that of the line; it and 1 more are left out");
  segments_close(g);
  free(line), free(twice);
  /* a whole line that is none of a run */
  line = journal_line_text(json_pack("{s:i}", "run", 1), 0);
  g = changed("other", "{\"run\":1,", line, 0);
  check_damage(g, "other/runs/0-2.0.jsonl:3: it is not the line of a run");
  segments_close(g);
  free(line);
}

static void test_foreign(void) {
  char *study = study_of("foreign");
  segments *g;
  mbd_error err = {0};
  must(segments_open(study, "another plan", 0, 3, 0, &g, &err), &err);
  put(g, 0, 0, "done", "a"), put(g, 1, 0, "done", "b");
  segments_close(g);
  g = part_of(study, 0, 3);
  check(g, 0, RUN_MISSING, NULL), check(g, 1, RUN_MISSING, NULL);
  check_damage(g, "foreign/runs/0-2.0.jsonl:1: the file belongs to another study");
  put(g, 0, 0, "done", "c"); /* beside it */
  check(g, 0, RUN_DONE, "c");
  segments_close(g);
  free(study);
}

/* A folder that is removed while runs are done is not written into any more. */
static void test_removed(void) {
  char *study = study_of("removed"), *path = mbd_sprintf_dup("%s/runs/0-2.0.jsonl", study), *line;
  segments *g = part_of(study, 0, 3);
  mbd_error err = {0};
  put(g, 0, 0, "done", "a");
  CU_ASSERT_EQUAL(unlink(path), 0);
  line = line_of(1, 0, "done", "b");
  CU_ASSERT_EQUAL(segments_append(g, line, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "0-2.0.jsonl has been removed while runs were done");
  segments_close(g);
  free(study), free(path), free(line);
}

/* What cannot be read is not taken for a study without runs. */
static void test_unreadable(void) {
  char *study = study_of("unreadable"), *runs = path_in(study, "runs");
  segments *g;
  mbd_error err = {0};
  test_put(runs, "a file\n");
  CU_ASSERT_EQUAL(segments_open(study, "plan", 0, 3, 0, &g, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "unreadable/runs cannot be read: Not a directory");
  CU_ASSERT_PTR_NULL(g);
  free(study), free(runs);
}

/* A file that takes no more ends with its last whole text, and the reason is told; the next text is in another one. */
static void test_full(void) {
  enum { LINE = 1000 };
  char *study = study_of("full"), *path = mbd_sprintf_dup("%s/runs/0-4.0.jsonl", study), *line, text[LINE];
  segments *g = part_of(study, 0, 5);
  struct rlimit none, limit;
  struct stat before, after;
  mbd_error err = {0};
  memset(text, 'x', LINE - 1), text[LINE - 1] = '\0';
  put(g, 0, 0, "done", "a");
  CU_ASSERT_EQUAL_FATAL(stat(path, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &none);
  limit = none;
  for (rlim_t size = (rlim_t)before.st_size + LINE / 2; size > 0;
       size = size > 10 ? 10 : 0) { /* of a line, of the head */
    limit.rlim_cur = size;
    setrlimit(RLIMIT_FSIZE, &limit);
    line = line_of(1, 0, "done", text);
    CU_ASSERT_EQUAL(segments_append(g, line, &err), MBD_IO_ERROR);
    setrlimit(RLIMIT_FSIZE, &none);
    CHECK_CONTAINS(err.text, "cannot be written: File too large");
    check(g, 1, RUN_MISSING, NULL);
    free(line);
  }
  CU_ASSERT_EQUAL_FATAL(stat(path, &after), 0);
  CU_ASSERT_EQUAL(after.st_size, before.st_size);
  put(g, 2, 0, "done", "b");
  segments_close(g);
  g = part_of(study, 0, 5);
  check(g, 0, RUN_DONE, "a"), check(g, 1, RUN_MISSING, NULL), check(g, 2, RUN_DONE, "b");
  CU_ASSERT_PTR_NULL(segments_damage(g));
  segments_close(g);
  free(study), free(path);
}

/* Runs that are done or failed since a time; not those that are to be done again. */
static void test_recent(void) {
  char *study = study_of("recent");
  segments *g = part_of(study, 0, 5);
  mbd_error err = {0};
  put(g, 0, 0, "done", "a"), put(g, 1, 0, "failed", "b"), put(g, 2, 0, "failed", "c"), put(g, 2, 1, "again", "");
  segments_close(g);
  must(segments_open(study, "plan", 0, 5, 1764460800, &g, &err), &err); /* line_of */
  CU_ASSERT_EQUAL(segments_counts(g).recent, 3);
  segments_close(g);
  must(segments_open(study, "plan", 0, 5, 1764460810, &g, &err), &err);
  CU_ASSERT_EQUAL(segments_counts(g).recent, 0);
  segments_close(g);
  free(study);
}

/* ---- processes ---- */

/* Processes that write lines, two by one call, are killed at any time: whole lines are there, and after them runs go on. */
static void test_killed(void) {
  enum { PROCESSES = 4, RUNS = 40000 };
  char *study = study_of("killed");
  segments *g = part_of(study, 0, RUNS);
  mbd_error err = {0};
  put(g, 0, 0, "done", "parent"); /* whose segment is none of its children */
  int told[2];
  pid_t pid[PROCESSES];
  CU_ASSERT_EQUAL_FATAL(pipe(told), 0);
  for (int k = 0; k < PROCESSES; k++) {
    pid[k] = fork();
    for (long i = 1 + 2 * k; pid[k] == 0 && i + 1 < RUNS; i += 2 * PROCESSES) {
      char *one = line_of(i, 0, "done", "child"), *two = line_of(i + 1, 0, "done", "child"), *both;
      both = mbd_sprintf_dup("%s%s", one, two);
      must(segments_append(g, both, &err), &err);
      free(one), free(two), free(both);
      if (i > 20 * PROCESSES && write(told[1], "", 1) != 1) { _exit(1); }
    }
    if (pid[k] == 0) { _exit(0); }
  }
  for (int k = 0; k < PROCESSES; k++) {
    char byte;
    CU_ASSERT_EQUAL(read(told[0], &byte, 1), 1);
    kill(pid[k], SIGKILL);
  }
  for (int k = 0; k < PROCESSES; k++) { waitpid(pid[k], NULL, 0); }
  close(told[0]), close(told[1]);
  must(segments_refresh(g, &err), &err);
  check(g, 0, RUN_DONE, "parent");
  long done = 0;
  for (long i = 1; i < RUNS; i++) {
    if (segments_state(g, i) == RUN_MISSING) { continue; }
    check(g, i, RUN_DONE, "child");
    done++;
  }
  CU_ASSERT(done > 20);
  CU_ASSERT_EQUAL(segments_counts(g).done, done + 1);
  CU_ASSERT_PTR_NULL(segments_damage(g));
  put(g, 1, 1, "done", "parent");
  check(g, 1, RUN_DONE, "parent");
  segments_close(g);
  free(study);
}

TEST_MAIN_IN(folder, TEST(test_lines), TEST(test_many), TEST(test_damage), TEST(test_foreign), TEST(test_removed),
             TEST(test_unreadable), TEST(test_full), TEST(test_recent), TEST(test_killed))
