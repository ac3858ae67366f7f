#include "study/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "evaluate/journal_line.h"
#include "files/memory.h"
#include "files/json.h"
#include "files/text_list.h"
#include "files/text_stream.h"
#include "files/atomic_file.h"

enum { PER_FOLDER = 1000 };

long runs_batches(const study *s) {
  return (s->n + s->batch - 1) / s->batch;
}

void runs_part(const study *s, long k, long n, long *first, long *last) {
  const long batches = runs_batches(s);
  *first = batches * k / n * s->batch, *last = batches * (k + 1) / n * s->batch;
  if (*last > s->n) { *last = s->n; }
}

static char *path_of(const study *s, long i, const char *ending) {
  return mbd_sprintf_dup("%s/runs/%03ld/%06ld.%s", s->folder, i / PER_FOLDER, i, ending);
}

char *runs_journal(const study *s, long i) {
  return path_of(s, i, "journal.jsonl");
}

static mbd_status hash_text(const study *s, char text[17], mbd_error *err) {
  unsigned long long hash;
  MBD_TRY(study_run_hash(s, &hash, err));
  snprintf(text, 17, "%016llx", hash);
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

/* ---- files of their own, which earlier versions of the program have written ---- */

static const char *const endings[] = {"", "json", "failed.json"}; /* runs_state */

/* Loads the record in a file if it is complete and belongs to the row that was read last. The whole file is read, since after a loss of
 * power a file can have a gap between its ends. */
static mbd_status load(const char *path, const char *hash, json_t **out, mbd_error *err) {
  json_t *o;
  struct stat info;
  MEMORY_TRY(json_read_file(path, &o, NULL) != MBD_NO_MEMORY, err, "the record of a run");
  const char *found = json_string_value(json_object_get(o, "hash"));
  const int whole = json_is_string(json_object_get(o, "status")) && json_is_object(json_object_get(o, "columns"));
  *out = whole && found && strcmp(found, hash) == 0 ? o : NULL;
  if (!*out) { json_decref(o); }
  if (*out && stat(path, &info) == 0) { json_object_set_new(o, "written", json_integer(info.st_mtime)); }
  return MBD_OK;
}

static mbd_status load_run(const study *s, long i, const char *hash, runs_state state, json_t **out, mbd_error *err) {
  char *path = path_of(s, i, endings[state]);
  const mbd_status status = path ? load(path, hash, out, err) : MEMORY_NONE(err, "the record of a run");
  free(path);
  return status;
}

/* The files of one folder. */
typedef struct finding {
  study *s;
  const char *folder;
  double since;
} finding;

static mbd_status count_file(void *user, const char *name, mbd_error *err) {
  const finding *f = user;
  double written = 0;
  char *end;
  const long i = strtol(name, &end, 10);
  const int state = strcmp(end, ".json") == 0 ? RUN_DONE : strcmp(end, ".failed.json") == 0 ? RUN_FAILED : 0;
  if (!state || end == name) { return MBD_OK; }
  if (f->since > 0) { MBD_TRY(file_written(f->folder, name, &written, err)); }
  segments_count_file(f->s->runs, i, (runs_state)state, written);
  return MBD_OK;
}

/* A folder of runs has a number; other names are those of segments. */
static mbd_status find_in_folder(void *user, const char *name, mbd_error *err) {
  finding f = *(const finding *)user;
  if (name[strspn(name, "0123456789")]) { return MBD_OK; }
  char *path = path_in(f.folder, name);
  MEMORY_TRY(path, err, "the runs of %s", f.s->folder);
  f.folder = path;
  const mbd_status status = folder_each(path, "", count_file, &f, err);
  free(path);
  return status;
}

static mbd_status find_files(study *s, double since, mbd_error *err) {
  char *runs = path_in(s->folder, "runs");
  MEMORY_TRY(runs, err, "the runs of %s", s->folder);
  const mbd_status status = folder_each(runs, "", find_in_folder, &(finding){s, runs, since}, err);
  free(runs);
  return status;
}

/* ---- finding ---- */

void runs_close(study *s) {
  segments_close(s->runs);
  s->runs = NULL;
}

mbd_status runs_open(study *s, long first, long last, double since, mbd_error *err) {
  runs_close(s);
  MBD_TRY(segments_open(s->folder, s->plan, first, last, since, &s->runs, err));
  return find_files(s, since, err);
}

static mbd_status open_all(study *s, mbd_error *err) {
  return s->runs ? MBD_OK : runs_open(s, 0, s->n, 0, err);
}

mbd_status runs_refresh(study *s, mbd_error *err) {
  return s->runs ? segments_refresh(s->runs, err) : MBD_OK;
}

mbd_status runs_counted(study *s, double since, runs_count *c, mbd_error *err) {
  MBD_TRY(s->runs ? runs_refresh(s, err) : runs_open(s, 0, s->n, since, err));
  *c = segments_counts(s->runs);
  return MBD_OK;
}

const char *runs_damage(const study *s) {
  return s->runs ? segments_damage(s->runs) : NULL;
}

/* ---- reading ---- */

/* Finds run i; *out: its record, of a run in a segment only if it is asked for. */
static mbd_status find(study *s, long i, int asked, runs_state *state, json_t **out, mbd_error *err) {
  char hash[17];
  const char *line;
  size_t length;
  segments_line l;
  *state = RUN_MISSING, *out = NULL;
  MBD_TRY(open_all(s, err));
  MBD_TRY(points_read(&s->points, i, err));
  const runs_state known = segments_state(s->runs, i);
  if (known == RUN_MISSING) { return MBD_OK; }
  MBD_TRY(hash_text(s, hash, err));
  MBD_TRY(segments_find(s->runs, i, &line, &length, err));
  if (!line) {
    for (int k = RUN_DONE; k <= RUN_FAILED && !*out; k++) {
      MBD_TRY(load_run(s, i, hash, (runs_state)k, out, err));
      if (*out) { *state = (runs_state)k; }
    }
    return MBD_OK;
  }
  if (!segments_read(line, &l) || l.run != i || strcmp(l.row, hash) != 0) { return MBD_OK; }
  if (asked) { MBD_TRY(journal_line_read(line, length, out, err)); }
  *state = known;
  return MBD_OK;
}

mbd_status runs_read(study *s, long i, runs_state *state, json_t **out, mbd_error *err) {
  return find(s, i, 1, state, out, err);
}

mbd_status runs_look(study *s, long i, runs_state *state, mbd_error *err) {
  json_t *o;
  MBD_TRY(find(s, i, 0, state, &o, err));
  json_decref(o);
  return MBD_OK;
}

/* ---- writing ---- */

/* Adds the line of a run to a text. o: its contents, which this call takes over. */
static mbd_status add_line(study *s, long i, runs_state state, json_t *o, FILE *out, mbd_error *err) {
  char hash[17] = "";
  mbd_status status = points_read(&s->points, i, err);
  if (status == MBD_OK) { status = hash_text(s, hash, err); }
  json_t *whole = segments_begin(s->runs, i, state, hash);
  json_object_update(whole, o);
  json_decref(o);
  char *line = journal_line_text(whole, 0);
  if (line && out) { fputs(line, out); }
  free(line);
  return status == MBD_OK && !line ? MEMORY_NONE(err, "a run of %s", s->folder) : status;
}

mbd_status runs_write_batch(study *s, long first, int n, const runs_state *state, json_t *const *o, mbd_error *err) {
  text_stream stream;
  mbd_status status = open_all(s, err);
  FILE *out = status == MBD_OK ? text_begin(&stream) : NULL;
  for (int k = 0; k < n; k++) {
    if (status == MBD_OK) {
      status = add_line(s, first + k, state[k], o[k], out, err);
    } else {
      json_decref(o[k]);
    }
  }
  char *text = out ? text_end(&stream) : NULL;
  if (status == MBD_OK) { status = MEMORY_WHOLE(err, "a run of %s", s->folder); }
  if (status == MBD_OK && !segments_own(s->runs)) { status = runs_check_study(s, err); }
  if (status == MBD_OK) { status = segments_append(s->runs, text, err); }
  free(text);
  /* another attempt continues from the journal of a failed run */
  for (int k = 0; status == MBD_OK && k < n && strcmp(s->task, "optimize") == 0; k++) {
    char *path = state[k] == RUN_DONE ? runs_journal(s, first + k) : NULL;
    if (path) { unlink(path); }
    free(path);
  }
  return status;
}

mbd_status runs_forget(study *s, long i, mbd_error *err) {
  const char *line;
  size_t length;
  MBD_TRY(open_all(s, err));
  MBD_TRY(segments_find(s->runs, i, &line, &length, err));
  if (line) { return runs_write(s, i, RUN_MISSING, json_object(), err); }
  for (int k = RUN_DONE; k <= RUN_FAILED; k++) {
    char *path = path_of(s, i, endings[k]);
    if (path) { unlink(path); }
    free(path);
  }
  return MEMORY_WHOLE(err, "a run of %s", s->folder);
}

mbd_status runs_each_before(study *s, long last, runs_visit visit, void *user, mbd_error *err) {
  mbd_status status = MBD_OK;
  for (long i = 0; status == MBD_OK && i < last; i++) {
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
