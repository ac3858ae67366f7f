#include "study/runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/memory.h"
#include "files/json.h"
#include "files/text_list.h"
#include "files/atomic_file.h"

enum { PER_FOLDER = 1000 };

static const char *const endings[] = {"", "json", "failed.json"};

char *runs_path(const study *s, long i, const char *ending) {
  return mbd_sprintf_dup("%s/runs/%03ld/%06ld.%s", s->folder, i / PER_FOLDER, i, ending);
}

static mbd_status hash_text(const study *s, char text[17], mbd_error *err) {
  unsigned long long hash;
  MBD_TRY(study_run_hash(s, &hash, err));
  snprintf(text, 17, "%016llx", hash);
  return MBD_OK;
}

/* Loads the record in a file if it is complete and belongs to the row that was read last. The whole file is read, since after a loss of
 * power a file can have a gap between its ends. */
static mbd_status load(const char *path, const char *hash, json_t **out, mbd_error *err) {
  json_t *o;
  MEMORY_TRY(json_read_file(path, &o, NULL) != MBD_NO_MEMORY, err, "the record of a run");
  const char *found = json_string_value(json_object_get(o, "hash"));
  const int whole = json_is_string(json_object_get(o, "status")) && json_is_object(json_object_get(o, "columns"));
  *out = whole && found && strcmp(found, hash) == 0 ? o : NULL;
  if (!*out) { json_decref(o); }
  return MBD_OK;
}

mbd_status runs_read(study *s, long i, runs_state *state, json_t **out, mbd_error *err) {
  char hash[17];
  *state = RUN_MISSING;
  *out = NULL;
  MBD_TRY(points_read(&s->points, i, err));
  MBD_TRY(hash_text(s, hash, err));
  for (int k = RUN_DONE; k <= RUN_FAILED && !*out; k++) {
    char *path = runs_path(s, i, endings[k]);
    const mbd_status status = load(path, hash, out, err);
    free(path);
    MBD_TRY(status);
    if (*out) { *state = (runs_state)k; }
  }
  return MBD_OK;
}

mbd_status runs_look(study *s, long i, runs_state *state, mbd_error *err) {
  json_t *o;
  MBD_TRY(runs_read(s, i, state, &o, err));
  json_decref(o);
  return MBD_OK;
}

mbd_status runs_check_study(const study *s, mbd_error *err) {
  double written;
  MBD_TRY(file_written(s->folder, "study.json", &written, err));
  if (written >= 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_IO_ERROR, "%s has been removed or moved while its runs were done: it has no study.json any more",
           s->folder);
}

mbd_status runs_make_folder(const study *s, long i, mbd_error *err) {
  char *folder = mbd_sprintf_dup("%s/runs/%03ld", s->folder, i / PER_FOLDER);
  struct stat info;
  MEMORY_TRY(folder, err, "a run of %s", s->folder);
  const int is_there = stat(folder, &info) == 0;
  mbd_status status = is_there ? MBD_OK : runs_check_study(s, err);
  if (!is_there && status == MBD_OK) { status = make_folder(folder, err); }
  free(folder);
  return status;
}

mbd_status runs_write(const study *s, long i, runs_state state, json_t *o, mbd_error *err) {
  char hash[17] = "", *path = runs_path(s, i, endings[state]),
       *rest = json_memory_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17), 0);
  atomic_file a;
  char *failure = runs_path(s, i, endings[RUN_FAILED]), *journal = runs_path(s, i, "journal.jsonl");
  json_decref(o);
  mbd_status status = hash_text(s, hash, err);
  char *text = rest ? mbd_sprintf_dup("{\"hash\":\"%s\",\"run\":%ld,%s\n", hash, i, rest + 1) : NULL;
  if (status == MBD_OK) { status = MEMORY_WHOLE(err, "a run of %s", s->folder); }
  if (status == MBD_OK) { status = runs_make_folder(s, i, err); }
  if (status == MBD_OK) { status = atomic_open(path, &a, err); }
  if (status == MBD_OK) {
    a.lazy = 1;
    fputs(text, a.out);
    status = atomic_commit(&a, err);
  }
  if (status == MBD_OK && state == RUN_DONE) { /* another attempt continues from the journal of a failed run */
    unlink(failure), unlink(journal);
  }
  free(path), free(rest), free(text), free(failure), free(journal);
  return status;
}

mbd_status runs_each(study *s, runs_visit visit, void *user, mbd_error *err) {
  mbd_status status = MBD_OK;
  for (long i = 0; status == MBD_OK && i < s->n; i++) {
    runs_state state;
    json_t *o;
    MBD_TRY(runs_read(s, i, &state, &o, err));
    if (o) { status = visit(user, i, state, o, err); }
    if (status == MBD_OK) { status = MEMORY_WHOLE(err, "the runs of %s", s->folder); }
    json_decref(o);
  }
  return status;
}

/* ---- contents of a record ---- */

static double number(const json_t *v) {
  return json_is_number(v) ? json_number_value(v) : NAN;
}

double runs_number(const json_t *record, const char *column) {
  return number(json_object_get(json_object_get(record, "columns"), column));
}

/* Runs nearly always have the same columns in the same order. */
void runs_add_columns(char ***column, int *n, const json_t *record) {
  const char *name;
  json_t *value;
  int at = 0;
  json_object_foreach(json_object_get(record, "columns"), name, value) {
    const int here = at < *n && strcmp((*column)[at], name) == 0;
    at++;
    if (!here && text_list_find(*column, *n, name) < 0) { text_list_add(column, n, name); }
  }
}

double runs_number_in(const json_t *record, const char *prefix, const char *name) {
  char *column = mbd_sprintf_dup("%s%s", prefix, name);
  const double v = column ? runs_number(record, column) : NAN;
  free(column);
  return v;
}

double runs_tolerance(const json_t *record) {
  return number(json_object_get(record, "tol_constraint"));
}

int runs_simulations(const json_t *record) {
  return (int)json_array_size(json_object_get(record, "simulations"));
}

/* [objective, violation] of a simulation. */
static double of_simulation(const json_t *record, int k, size_t which) {
  return number(json_array_get(json_array_get(json_object_get(record, "simulations"), (size_t)k), which));
}

double runs_objective(const json_t *record, int k) {
  return of_simulation(record, k, 0);
}

double runs_violation(const json_t *record, int k) {
  return of_simulation(record, k, 1);
}

double runs_feasible(const json_t *record, int k) {
  return runs_violation(record, k) <= runs_tolerance(record) ? runs_objective(record, k) : NAN;
}

double runs_result(const json_t *record) {
  return runs_number(record, "violation") > runs_tolerance(record) ? NAN : runs_number(record, "objective");
}

/* ---- counting ---- */

static int ends_with(const char *name, const char *ending) {
  const size_t n = strlen(name), k = strlen(ending);
  return n > k && strcmp(name + n - k, ending) == 0;
}

typedef struct counting {
  double since;
  runs_count *c;
} counting;

/* An attempt that succeeds after a failure may be killed before it removes the record of the failure. */
static int is_superseded(DIR *d, const char *failed) {
  char done[300];
  const size_t number = strlen(failed) - strlen(".failed.json");
  snprintf(done, sizeof done, "%.*s.json", (int)number, failed);
  return faccessat(dirfd(d), done, F_OK, 0) == 0;
}

/* Counts the files of one folder. */
static void count_folder(DIR *d, void *user) {
  const counting *k = user;
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    struct stat info;
    const int failed = ends_with(e->d_name, ".failed.json"), done = !failed && ends_with(e->d_name, ".json");
    if ((!failed && !done) || (failed && is_superseded(d, e->d_name))) { continue; }
    k->c->failed += failed, k->c->done += done;
    if (k->since > 0 && fstatat(dirfd(d), e->d_name, &info, 0) == 0) {
      k->c->recent += (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec >= k->since;
    }
  }
}

/* Removes incomplete files of killed processes, of any machine: no other process does runs of this study. */
static void tidy_folder(DIR *d, void *user) {
  (void)user;
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    if (strstr(e->d_name, ".json.tmp")) { unlinkat(dirfd(d), e->d_name, 0); }
  }
}

/* Calls `visit` for every folder of runs. */
static mbd_status each_folder(const char *folder, void (*visit)(DIR *d, void *user), void *user, mbd_error *err) {
  /* A study whose folder of runs is not there has no runs, which is no error; lack of memory is one. */
  char *runs = path_in(folder, "runs");
  errno = 0;
  DIR *d = runs ? opendir(runs) : NULL;
  if (!d && errno == ENOMEM) { mbd_memory_note(); }
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    if (e->d_name[0] == '.') { continue; }
    /* What cannot be opened as a folder is passed over, unless memory ran out. */
    char *path = path_in(runs, e->d_name);
    errno = 0;
    DIR *inner = path ? opendir(path) : NULL;
    if (!inner && errno == ENOMEM) { mbd_memory_note(); }
    if (inner) {
      visit(inner, user);
      closedir(inner);
    }
    free(path);
  }
  if (d) { closedir(d); }
  free(runs);
  return MEMORY_WHOLE(err, "the runs of %s", folder);
}

mbd_status runs_counted(const char *folder, double since, runs_count *c, mbd_error *err) {
  counting k = {since, c};
  *c = (runs_count){0};
  return each_folder(folder, count_folder, &k, err);
}

mbd_status runs_tidy(const char *folder, mbd_error *err) {
  atomic_tidy(folder);
  return each_folder(folder, tidy_folder, NULL, err);
}
