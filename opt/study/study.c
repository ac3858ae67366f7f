#include "study/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/ini.h"
#include "base/memory.h"
#include "evaluate/fingerprint.h"
#include "files/atomic_file.h"
#include "files/earlier.h"
#include "study/engine.h"
#include "study/lock.h"
#include "study/study_hash.h"
#include "study/study_json.h"
#include "study/study_names.h"

static mbd_status no_memory(const char *folder, mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the study in %s", folder);
}

char *study_copy_path(const char *folder, int i) {
  return mbd_sprintf_dup("%s/run_%d.ini", folder, i + 1);
}

void study_destroy(study *s) {
  if (!s) { return; }
  points_close(&s->points);
  ini_free_list(s->origin, s->nfile), ini_free_list(s->file, s->nfile), ini_free_list(s->model, s->nfile);
  ini_free_list(s->set, s->nset);
  for (int i = 0; s->column && i < s->ncolumn; i++) { free(s->column[i].name), free(s->column[i].key); }
  mbo_run_config_destroy(s->config);
  free(s->column), free(s->folder), free(s->kind), free(s->task), free(s->beside), free(s->earlier);
  free(s);
}

/* ---- making ---- */

static char **copy_texts(int n, const char *const *text) {
  char **copy = calloc((size_t)n + 1, sizeof *copy);
  for (int i = 0; copy && i < n; i++) {
    copy[i] = mbd_strdup(text[i]);
    if (!copy[i]) {
      ini_free_list(copy, i);
      return NULL;
    }
  }
  return copy;
}

static int copy_columns(study *s, const study_plan *p) {
  s->column = calloc((size_t)p->ncolumn + 1, sizeof *s->column);
  for (int i = 0; s->column && i < p->ncolumn; i++) {
    const study_column *q = &p->column[i];
    study_column *copy = &s->column[s->ncolumn++];
    *copy = (study_column){mbd_strdup(q->name), q->role, mbd_strdup(q->key)};
    if (!copy->name || !copy->key) { return 0; }
  }
  return s->column != NULL;
}

/* The model that a run file names, as a path from the root; are its names fit for a table? */
static mbd_status find_models(study *s, const study_plan *p, mbd_error *err) {
  s->model = calloc((size_t)p->nfile + 1, sizeof *s->model);
  if (!s->model) { return no_memory(s->folder, err); }
  for (int i = 0; i < p->nfile; i++) {
    mbo_run_config *c = NULL;
    MBD_TRY(mbo_run_config_read(p->file[i], p->nset, p->set, &c, err));
    s->model[i] = realpath(c->model_path, NULL);
    const int error = errno;
    mbd_status status = study_check_names(s, c, err);
    if (status == MBD_OK && !s->model[i]) {
      status = mbd_fail(err, io_status(error), __func__, __LINE__, "%s: [model] file = %s cannot be read: %s", c->path,
                        c->model.file, strerror(error));
    }
    mbo_run_config_destroy(c);
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* From the root, because a study goes on from any working directory. */
static mbd_status find_folder(study *s, mbd_error *err) {
  const char *slash = strrchr(s->origin[0], '/');
  char *folder = slash ? mbd_sprintf_dup("%.*s/", (int)(slash - s->origin[0]), s->origin[0]) : mbd_strdup(".");
  if (!folder) { return no_memory(s->folder, err); }
  s->beside = realpath(folder, NULL); /* free keeps errno */
  free(folder);
  if (!s->beside) { MBD_FAIL(err, io_status(errno), "folder of %s: %s", s->origin[0], strerror(errno)); }
  return MBD_OK;
}

static mbd_status from_plan(const char *folder, const study_plan *p, study *s, mbd_error *err) {
  *s = (study){.folder = mbd_strdup(folder),
               .kind = mbd_strdup(p->kind),
               .task = mbd_strdup(p->task),
               .n = p->n,
               .starts = p->starts};
  s->nfile = p->nfile, s->nset = p->nset;
  s->origin = copy_texts(p->nfile, p->file);
  s->file = copy_texts(p->nfile, p->file); /* until there are copies */
  s->set = copy_texts(p->nset, p->set);
  if (!s->folder || !s->kind || !s->task || !s->origin || !s->file || !s->set || !copy_columns(s, p)) {
    return no_memory(folder, err);
  }
  MBD_TRY(find_folder(s, err));
  MBD_TRY(find_models(s, p, err));
  return study_hash(s, &s->hash, err);
}

/* Copies of the run files take their places. */
static mbd_status copy_files(study *s, mbd_error *err) {
  for (int i = 0; i < s->nfile; i++) {
    char *to = study_copy_path(s->folder, i);
    if (!to) { return no_memory(s->folder, err); }
    free(s->file[i]);
    s->file[i] = to;
    MBD_TRY(copy_file(s->origin[i], to, err));
  }
  return MBD_OK;
}

/* The rows into a file of the folder; *hash of them. */
static mbd_status write_points(const study *s, const study_plan *p, const char *name, unsigned long long *hash,
                               mbd_error *err) {
  atomic_file a;
  MBD_TRY(atomic_open_in(s->folder, name, &a, err));
  const char **names = calloc((size_t)p->ncolumn + 1, sizeof *names);
  for (int i = 0; names && i < p->ncolumn; i++) { names[i] = p->column[i].name; }
  if (names) { points_write_head(a.out, p->ncolumn, names); }
  const study_rows rows = {a.out, p->stop};
  mbd_status status = names ? p->write_rows(p->user, &rows, err) : no_memory(s->folder, err);
  free(names);
  if (status == MBD_OK && !study_rows_wanted(&rows)) {
    status = mbd_fail(err, MBD_INTERRUPTED, __func__, __LINE__, "interrupted before the study began");
  }
  if (status != MBD_OK) {
    atomic_abort(&a);
    return status;
  }
  MBD_TRY(atomic_commit(&a, err));
  char *path = path_in(s->folder, name);
  if (!path) { return no_memory(s->folder, err); }
  *hash = FINGERPRINT_NONE;
  const mbd_status hashed = study_hash_file(hash, path, err);
  free(path);
  return hashed;
}

static mbd_status has(const char *folder, const char *name, int *is, mbd_error *err) {
  struct stat info;
  char *path = path_in(folder, name);
  if (!path) { return no_memory(folder, err); }
  *is = stat(path, &info) == 0;
  free(path);
  return MBD_OK;
}

/* Somebody did a run, does one, or had it queued. If not, as after --dry-run, another study may take its place. */
static mbd_status is_begun(const char *folder, int *begun, mbd_error *err) {
  double since;
  int queued = 0;
  MBD_TRY(has(folder, "study.json", begun, err));
  if (!*begun) { return MBD_OK; }
  MBD_TRY(has(folder, "runs", begun, err));
  MBD_TRY(has(folder, "slurm.json", &queued, err));
  *begun = *begun || queued || lock_is_taken(folder, &since) == 1;
  return MBD_OK;
}

/* Is the study in the folder this one? */
static mbd_status is_same(const study *s, const study_plan *p, int *same, mbd_error *err) {
  static const char other[] = "points.new.csv";
  unsigned long long rows = 0;
  json_t *o;
  MBD_TRY(study_json_read(s->folder, &o, err));
  mbd_status status = write_points(s, p, other, &rows, err);
  char *path = path_in(s->folder, other);
  if (path) { unlink(path); }
  free(path);
  *same = study_json_has(o, "hash", s->hash) && study_json_has(o, "points", rows);
  json_decref(o);
  return status;
}

static mbd_status move_file(void *user, const char *name, mbd_error *err) {
  const study *s = user;
  return earlier_move(s->folder, name, s->earlier, err);
}

/* Another study makes room for this one. First study.json: what a killed process leaves is no study then. */
static mbd_status set_aside(study *s, mbd_error *err) {
  static const char *const beginnings[] = {"study.json",  "run_",         "points.", "runs",       "table.csv",
                                           "history.csv", "study.sqlite", "slurm",   "report.html"};
  double since;
  if (lock_is_taken(s->folder, &since) == 1) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "%s holds another study, whose runs another process is doing; wait for it, end it, or choose another folder "
        "with --output",
        s->folder);
  }
  MBD_TRY(engine_check_idle(s->folder, err));
  MBD_TRY(earlier_make(s->folder, &s->earlier, err));
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
    MBD_TRY(earlier_each(s->folder, beginnings[i], move_file, s, err));
  }
  return MBD_OK;
}

/* The folder holds a study: go on if it is this one. *begun: 0: there is none any more. */
static mbd_status go_on(study *s, const study_plan *p, int *begun, mbd_error *err) {
  int same;
  MBD_TRY(is_same(s, p, &same, err));
  if (!same && p->replaces) {
    *begun = 0;
    return set_aside(s, err);
  }
  if (!same) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s holds another study (run file, model, values or program have changed since); remove it, or "
             "choose another folder with --output",
             s->folder);
  }
  for (int i = 0; i < s->nfile; i++) {
    free(s->file[i]);
    s->file[i] = study_copy_path(s->folder, i);
    if (!s->file[i]) { return no_memory(s->folder, err); }
  }
  return MBD_OK;
}

static mbd_status make_locked(study *s, const study_plan *p, mbd_error *err) {
  unsigned long long hash;
  int begun;
  MBD_TRY(is_begun(s->folder, &begun, err));
  if (begun) { MBD_TRY(go_on(s, p, &begun, err)); }
  if (begun) { return MBD_OK; }
  MBD_TRY(copy_files(s, err));
  MBD_TRY(write_points(s, p, "points.csv", &hash, err));
  return study_json_write(s, hash, err);
}

/* One process after the other: a second one finds the study of the first, and no half of it. */
static mbd_status make(study *s, const study_plan *p, mbd_error *err) {
  int lock;
  MBD_TRY(make_folder(s->folder, err));
  MBD_TRY(lock_take_folder(s->folder, &lock, err));
  const mbd_status status = make_locked(s, p, err);
  close(lock);
  return status;
}

/* o: study.json, which knows the rows that the study began with. */
static mbd_status open_points(study *s, const json_t *o, mbd_error *err) {
  char *path = path_in(s->folder, "points.csv");
  if (!path) { return no_memory(s->folder, err); }
  unsigned long long hash = FINGERPRINT_NONE;
  mbd_status status = points_open(path, &s->points, err);
  if (status == MBD_OK) { status = study_hash_file(&hash, path, err); }
  free(path);
  MBD_TRY(status);
  if (!study_json_has(o, "points", hash)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s has changed since this study began; put it back, or begin another study in another folder",
             s->points.path);
  }
  if (s->points.n != s->n || s->points.ncolumn != s->ncolumn) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s has %ld rows of %d values, but the study has %ld runs of %d", s->points.path,
             s->points.n, s->points.ncolumn, s->n, s->ncolumn);
  }
  return MBD_OK;
}

mbd_status study_create(const char *folder, const study_plan *plan, study **out, mbd_error *err) {
  study *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s) { return no_memory(folder, err); }
  mbd_status status = from_plan(folder, plan, s, err);
  if (status == MBD_OK) { status = make(s, plan, err); }
  json_t *o = NULL;
  if (status == MBD_OK) { status = study_json_read(s->folder, &o, err); }
  if (status == MBD_OK) { status = open_points(s, o, err); }
  json_decref(o);
  if (status != MBD_OK) {
    study_destroy(s);
    return status;
  }
  *out = s;
  return MBD_OK;
}

/* ---- opening ---- */

static mbd_status check_hash(study *s, const json_t *o, mbd_error *err) {
  MBD_TRY(study_hash(s, &s->hash, err));
  if (!study_json_has(o, "hash", s->hash)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: the model file %s, a file that it names, or the program has changed since this study began; put it "
             "back, or begin another study in another folder",
             s->folder, s->model[0]);
  }
  return MBD_OK;
}

/* New assignments to [study] and [slurm] reach the configuration that the engine reads; they determine no result. */
static mbd_status change_engine(study *s, int nset, const char *const *set, mbd_error *err) {
  if (nset == 0) { return MBD_OK; }
  const char **all = calloc((size_t)(s->nset + nset) + 1, sizeof *all);
  mbo_run_config *c = NULL;
  if (!all) { return no_memory(s->folder, err); }
  for (int i = 0; i < s->nset; i++) { all[i] = s->set[i]; }
  for (int i = 0; i < nset; i++) { all[s->nset + i] = set[i]; }
  mbd_status status = mbo_run_config_read(s->file[0], s->nset + nset, all, &c, err);
  free(all);
  MBD_TRY(status);
  mbo_run_config_destroy(s->config);
  s->config = c;
  return MBD_OK;
}

/* *json: what study.json says, the caller's. */
static mbd_status read_study(const char *folder, study **out, json_t **json, mbd_error *err) {
  *out = NULL;
  MBD_TRY(study_json_read(folder, json, err));
  study *s = calloc(1, sizeof *s);
  mbd_status status = s && (s->folder = mbd_strdup(folder)) ? MBD_OK : no_memory(folder, err);
  if (status == MBD_OK) { status = study_from_json(s, *json, err); }
  if (status != MBD_OK) {
    study_destroy(s);
    json_decref(*json);
    return status;
  }
  *out = s;
  return MBD_OK;
}

mbd_status study_read(const char *folder, study **out, mbd_error *err) {
  json_t *o;
  MBD_TRY(read_study(folder, out, &o, err));
  json_decref(o);
  return MBD_OK;
}

mbd_status study_open(const char *folder, int nset, const char *const *set, study **out, mbd_error *err) {
  json_t *o;
  MBD_TRY(read_study(folder, out, &o, err));
  mbd_status status = check_hash(*out, o, err);
  if (status == MBD_OK) { status = change_engine(*out, nset, set, err); }
  if (status == MBD_OK) { status = open_points(*out, o, err); }
  json_decref(o);
  if (status != MBD_OK) {
    study_destroy(*out);
    *out = NULL;
  }
  return status;
}

mbd_status study_open_results(const char *folder, study **out, mbd_error *err) {
  json_t *o;
  MBD_TRY(read_study(folder, out, &o, err));
  const char *hash = json_string_value(json_object_get(o, "hash"));
  (*out)->hash = hash ? strtoull(hash, NULL, 16) : 0;
  const mbd_status status = open_points(*out, o, err);
  json_decref(o);
  if (status != MBD_OK) {
    study_destroy(*out);
    *out = NULL;
  }
  return status;
}
