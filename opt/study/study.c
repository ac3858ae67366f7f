#include "study/study.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/ini.h"
#include "files/memory.h"
#include "evaluate/fingerprint.h"
#include "files/atomic_file.h"
#include "files/earlier.h"
#include "files/json.h"
#include "mbd/version.h"
#include "mechanism/lockstep.h"
#include "study/engine.h"
#include "study/lock.h"
#include "study/runs.h"
#include "study/study_row.h"

char *study_copy_path(const char *folder, int i) {
  return mbd_sprintf_dup("%s/run_%d.ini", folder, i + 1);
}

void study_destroy(study *s) {
  if (!s) { return; }
  runs_close(s);
  lockstep_destroy(s->lockstep);
  points_close(&s->points);
  text_list_free(s->origin, s->nfile), text_list_free(s->file, s->nfile), text_list_free(s->model, s->nfile);
  text_list_free(s->model_set, s->nfile), text_list_free(s->decided, s->nfile);
  text_list_free(s->set, s->nset), text_list_free(s->table, s->ntable);
  for (int i = 0; s->column && i < s->ncolumn; i++) { free(s->column[i].name), free(s->column[i].key); }
  mbo_run_config_destroy(s->config);
  free(s->column), free(s->folder), free(s->kind), free(s->task), free(s->beside), free(s->earlier);
  free(s);
}

enum { FORMAT = 1 };
static const char *const roles[] = {"set", "start", "backend", "problem", "point"}; /* study_role */
enum { N_ROLES = sizeof roles / sizeof roles[0] };

/* ---- study.json, which is written last when a study is made and read first when it is opened ---- */

/* Returns the texts as an array; NULL: one of them is not UTF-8. */
static json_t *texts(int n, char *const *text) {
  json_t *a = json_array();
  for (int i = 0; i < n; i++) {
    if (json_array_append_new(a, json_string(text[i])) != 0) {
      json_decref(a);
      return NULL;
    }
  }
  return a;
}

/* Writes study.json. rows: hash of points.csv. */
static mbd_status write_json(const study *s, unsigned long long rows, mbd_error *err) {
  json_t *columns = json_array(), *decided = json_array(), *o;
  char hash[17], hash_points[17];
  /* Hashes are texts of 16 hexadecimal digits. */
  snprintf(hash, sizeof hash, "%016llx", s->hash);
  snprintf(hash_points, sizeof hash_points, "%016llx", rows);
  /* The columns, with their roles as words. */
  for (int i = 0; i < s->ncolumn; i++) {
    const study_column *column = &s->column[i];
    json_array_append_new(
        columns, json_pack("{s:s, s:s, s:s}", "name", column->name, "role", roles[column->role], "key", column->key));
  }
  /* The decision for each run file, null if there is none. */
  for (int i = 0; i < s->nfile; i++) {
    json_array_append_new(decided, s->decided[i] ? json_loads(s->decided[i], 0, NULL) : json_null());
  }
  /* The object; it is NULL if memory ran out, which json_write_file reports, or if a text is not UTF-8. */
  o = json_pack("{s:i, s:s, s:s, s:s, s:I, s:i, s:i, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:s}", "study", FORMAT,
                "mbopt", MBD_VERSION, "kind", s->kind, "task", s->task, "runs", (json_int_t)s->n, "starts", s->starts,
                "lanes", s->batch, "run_files", texts(s->nfile, s->origin), "run_folder", s->beside, "models",
                texts(s->nfile, s->model), "set", texts(s->nset, s->set), "tables", texts(s->ntable, s->table),
                "gradient", decided, "columns", columns, "hash", hash, "points", hash_points);
  mbd_status status =
      o || mbd_memory_lost()
          ? json_write_file(s->folder, "study.json", o, err)
          : MBD_FAILED(err, MBD_BAD_INPUT,
                       "%s/study.json cannot be written: a path or an assignment of the study is not UTF-8; "
                       "expected names that are",
                       s->folder);
  json_decref(o);
  return status;
}

/* Reads study.json. *out: the whole object, which the caller frees. MBD_BAD_INPUT: the folder is no study; MBD_NO_MEMORY. */
static mbd_status read_json(const char *folder, json_t **out, mbd_error *err) {
  json_error_t why = {.text = ""};
  const mbd_status status = json_read_in(folder, "study.json", out, &why);
  json_t *o = *out;
  MEMORY_TRY(status != MBD_NO_MEMORY, err, "%s/study.json", folder);
  if (json_integer_value(json_object_get(o, "study")) == FORMAT) { return MBD_OK; }
  const int is_other = o != NULL;
  double journal;
  json_decref(o);
  *out = NULL;
  MBD_TRY(file_written(folder, "journal.jsonl", &journal, err));
  MBD_FAIL(err, MBD_BAD_INPUT, "%s is not a study: it has no study.json that this program wrote (%s)%s", folder,
           is_other ? "another version of it" : why.text,
           journal >= 0 ? "; a single optimization goes on by the same command with --resume" : "");
}

/* Returns 1 if the object has this hash under the key "hash" or "points". */
static int has_hash(const json_t *o, const char *key, unsigned long long hash) {
  char text[17];
  const char *found = json_string_value(json_object_get(o, key));
  snprintf(text, sizeof text, "%016llx", hash);
  return found && strcmp(found, text) == 0;
}

/* Texts of a list; NULL: the list has an item that is no text, or memory ran out. */
static char **read_texts(const json_t *o, const char *key, int *n) {
  const json_t *a = json_object_get(o, key);
  char **text = mbd_zeros(json_array_size(a), sizeof *text);
  *n = text ? (int)json_array_size(a) : 0;
  for (int i = 0; i < *n; i++) {
    text[i] = mbd_strdup(json_string_value(json_array_get(a, (size_t)i)));
    if (!text[i]) {
      text_list_free(text, *n);
      *n = 0;
      return NULL;
    }
  }
  return text;
}

/* Returns the role that a word names; -1: no such word. */
static int find_role(const char *word) {
  for (int k = 0; word && k < N_ROLES; k++) {
    if (strcmp(roles[k], word) == 0) { return k; }
  }
  return -1;
}

static int read_columns(study *s, const json_t *o) {
  const json_t *a = json_object_get(o, "columns");
  s->column = mbd_zeros(json_array_size(a), sizeof *s->column);
  for (size_t i = 0; s->column && i < json_array_size(a); i++) {
    const json_t *item = json_array_get(a, i);
    const int role = find_role(json_string_value(json_object_get(item, "role")));
    study_column *column = &s->column[s->ncolumn++];
    *column = (study_column){.name = mbd_strdup(json_string_value(json_object_get(item, "name"))),
                             .role = (study_role)role,
                             .key = mbd_strdup(json_string_value(json_object_get(item, "key")))};
    if (role < 0 || !column->name || !column->key) { return 0; }
  }
  return s->ncolumn > 0;
}

static void read_plan(study *s, const json_t *o) {
  snprintf(s->plan, sizeof s->plan, "%.16s-%.16s", json_text_in(o, "hash"), json_text_in(o, "points"));
  const int lanes = (int)json_integer_value(json_object_get(o, "lanes")); /* earlier versions had none */
  s->batch = lanes > 1 && lanes <= STUDY_BATCH_MAX ? lanes : 1;
}

/* Studies of earlier versions have no decisions: each of their runs decides. */
static mbd_status read_decided(study *s, const json_t *o, mbd_error *err) {
  const json_t *a = json_object_get(o, "gradient");
  text_list_free(s->decided, s->nfile);
  s->decided = mbd_zeros((size_t)s->nfile, sizeof *s->decided);
  for (int i = 0; s->decided && i < s->nfile; i++) {
    const json_t *one = json_array_get(a, (size_t)i);
    if (json_is_array(one)) {
      s->decided[i] = json_memory_dumps(one, JSON_COMPACT | JSON_REAL_PRECISION(17), mbd_memory_lost());
    }
  }
  return MEMORY_WHOLE(err, "the study in %s", s->folder);
}

static void name_models(study *s) {
  s->model_set = mbd_zeros((size_t)s->nfile, sizeof *s->model_set);
  for (int i = 0; s->model_set && i < s->nfile; i++) {
    s->model_set[i] = mbd_sprintf_dup("model.file=%s", s->model[i]);
  }
}

/* Sets *s, whose folder is known. */
static mbd_status from_json(study *s, const json_t *o, mbd_error *err) {
  int nmodel;
  s->kind = mbd_strdup(json_string_value(json_object_get(o, "kind")));
  s->task = mbd_strdup(json_string_value(json_object_get(o, "task")));
  s->n = (long)json_integer_value(json_object_get(o, "runs"));
  s->starts = (int)json_integer_value(json_object_get(o, "starts"));
  s->beside = mbd_strdup(json_string_value(json_object_get(o, "run_folder")));
  s->origin = read_texts(o, "run_files", &s->nfile);
  s->model = read_texts(o, "models", &nmodel);
  if (nmodel != s->nfile) {
    text_list_free(s->model, nmodel);
    s->model = NULL;
  }
  s->set = read_texts(o, "set", &s->nset);
  if (json_object_get(o, "tables")) { s->table = read_texts(o, "tables", &s->ntable); } /* earlier versions had none */
  s->file = mbd_zeros((size_t)s->nfile, sizeof *s->file);
  for (int i = 0; s->file && i < s->nfile; i++) { s->file[i] = study_copy_path(s->folder, i); }
  const int whole =
      s->kind && s->task && s->n > 0 && s->origin && s->model && s->set && s->beside && read_columns(s, o);
  read_plan(s, o);
  MBD_TRY(read_decided(s, o, err));
  if (!whole || s->nfile < 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s/study.json is not whole: expected it as the program wrote it", s->folder);
  }
  name_models(s);
  return MEMORY_WHOLE(err, "the study in %s", s->folder);
}

/* ---- creation ---- */

static char **copy_texts(int n, const char *const *text) {
  char **copy = mbd_zeros((size_t)n, sizeof *copy);
  for (int i = 0; copy && i < n; i++) { copy[i] = mbd_strdup(text[i]); }
  return copy;
}

/* Copies of run files are in another folder: so an assignment for each plugin has its absolute path. Run files of one study share
 * plugins. */
static mbd_status set_plugins(study *s, const mbo_run_config *c, mbd_error *err) {
  for (int i = 0; i < c->nplugin; i++) {
    /* The assignment; its first `key` characters, up to the value, identify the plugin. */
    char *set = mbd_sprintf_dup("plugin.%s.file=%s", c->plugin[i].name, c->plugin[i].file);
    const size_t key = set ? strcspn(set, "=") + 1 : 0;
    int known = 0;
    for (int k = 0; set && k < s->nset; k++) {
      /* An earlier assignment of the plugin by an absolute path must name the same file. */
      if (strncmp(s->set[k], set, key) != 0 || s->set[k][key] != '/') { continue; }
      known = strcmp(s->set[k], set) == 0;
      if (known) { continue; }
      (void)MBD_FAILED(err, MBD_BAD_INPUT, "%s: [plugin %s] file = %s, but another run file of the study has %s",
                       c->path, c->plugin[i].name, c->plugin[i].file, s->set[k] + key);
      free(set);
      return MBD_BAD_INPUT;
    }
    /* A plugin that no assignment names by an absolute path so far gets this one. */
    if (known) {
      free(set);
    } else {
      text_list_take(&s->set, &s->nset, set);
    }
  }
  return MBD_OK;
}

/* The lanes in which the runs are done. Optimizations in lanes have no journals, since they depend on the others of their batch, and limits of time would be those of the
 * batch; comparisons measure times, and points of fronts follow from each other. */
static mbd_status choose_lanes(study *s, const mbo_run_config *c, mbd_error *err) {
  enum { AUTO = 4, RUNS_MIN = 64, NO_LIMIT = 1000000000 };
  const int optimizes = strcmp(s->task, "optimize") == 0, asked = atoi(c->study.lanes);
  const char *alone = strcmp(s->kind, "compare") == 0
                          ? "a comparison measures the times of single runs, and `mbopt multistart` has lanes"
                      : strcmp(s->kind, "pareto") == 0                ? "points of a front follow from each other"
                      : optimizes && c->optimizer.max_time < NO_LIMIT ? "[optimizer] max_time is for single runs"
                                                                      : NULL;
  if (strcmp(c->study.lanes, "auto") == 0) {
    const int width = alone || optimizes || s->n < RUNS_MIN ? 1 : mbd_lanes_width(AUTO);
    s->batch = width > 1 ? width : 1;
    return MBD_OK;
  }
  s->batch = asked;
  if (asked > 1 && alone) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [study] lanes = %s: %s; expected lanes = 1", c->path, c->study.lanes, alone);
  }
  return asked > 1 ? mbd_locate(err, mbd_lanes_check(asked, err), "%s: [study] lanes: ", c->path) : MBD_OK;
}

/* Finds the model file of each run file as an absolute path; checks that the names in it can be columns of the table. */
static mbd_status find_models(study *s, const study_plan *p, mbd_error *err) {
  s->model = mbd_zeros((size_t)p->nfile, sizeof *s->model);
  for (int i = 0; s->model && i < p->nfile; i++) {
    mbo_run_config *c = NULL;
    MBD_TRY(mbo_run_config_read(p->file[i], p->nset, p->set, &c, err));
    s->model[i] = realpath(c->model_path, NULL);
    const int error = errno;
    mbd_status status = study_check_names(s, c, err);
    if (status == MBD_OK && i == 0) { status = choose_lanes(s, c, err); }
    if (status == MBD_OK) { status = set_plugins(s, c, err); }
    /* The names of tables of measurements belong to this run file only. */
    for (int k = 0; k < c->nmeasurement; k++) {
      text_list_take(&s->table, &s->ntable,
                     mbd_sprintf_dup("%d:measurement.%s.file=%s", i, c->measurement[k].name, c->measurement[k].file));
    }
    if (*c->optimizer.command) { /* likewise, as files beside the run file may be in it */
      text_list_take(&s->table, &s->ntable, mbd_sprintf_dup("%d:optimizer.command=%s", i, c->optimizer.command));
    }
    if (status == MBD_OK && !s->model[i]) {
      status = MBD_FAILED(err, io_status(error), "%s: [model] file = %s cannot be read: %s", c->path, c->model.file,
                          strerror(error));
    }
    mbo_run_config_destroy(c);
    MBD_TRY(status);
  }
  return MEMORY_WHOLE(err, "the study in %s", s->folder);
}

/* Finds absolute paths, since a study can be continued from any working directory. */
static mbd_status find_folder(study *s, mbd_error *err) {
  const char *slash = strrchr(s->origin[0], '/');
  char *folder = slash ? mbd_sprintf_dup("%.*s/", (int)(slash - s->origin[0]), s->origin[0]) : mbd_strdup(".");
  MEMORY_TRY(folder, err, "the study in %s", s->folder);
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
               .starts = p->starts,
               .batch = 1};
  s->nfile = p->nfile;
  s->origin = copy_texts(p->nfile, p->file);
  s->file = copy_texts(p->nfile, p->file); /* the originals, until there are copies */
  for (int i = 0; i < p->nset; i++) { text_list_add(&s->set, &s->nset, p->set[i]); }
  s->decided = mbd_zeros((size_t)p->nfile, sizeof *s->decided);
  s->column = mbd_zeros((size_t)p->ncolumn, sizeof *s->column);
  for (int i = 0; s->column && i < p->ncolumn; i++) {
    const study_column *column = &p->column[i];
    s->column[s->ncolumn++] = (study_column){mbd_strdup(column->name), column->role, mbd_strdup(column->key)};
  }
  MBD_TRY(MEMORY_WHOLE(err, "the study in %s", folder));
  MBD_TRY(find_folder(s, err));
  MBD_TRY(find_models(s, p, err));
  name_models(s);
  MBD_TRY(MEMORY_WHOLE(err, "the study in %s", folder));
  return study_hash(s, &s->hash, err);
}

/* Replaces the run files by their copies, which are made before or now. */
static mbd_status use_copies(study *s, int made, mbd_error *err) {
  for (int i = 0; i < s->nfile; i++) {
    free(s->file[i]);
    s->file[i] = study_copy_path(s->folder, i);
    MEMORY_TRY(s->file[i], err, "the study in %s", s->folder);
    if (!made) { MBD_TRY(copy_file(s->origin[i], s->file[i], err)); }
  }
  return MBD_OK;
}

/* Writes the rows into a file of the folder; *hash of them. */
static mbd_status write_points(const study *s, const study_plan *p, const char *name, unsigned long long *hash,
                               mbd_error *err) {
  atomic_file file;
  MBD_TRY(atomic_open_in(s->folder, name, &file, err));
  const char **names = mbd_zeros((size_t)p->ncolumn, sizeof *names);
  for (int i = 0; names && i < p->ncolumn; i++) { names[i] = p->column[i].name; }
  if (names) { points_write_head(file.out, p->ncolumn, names); }
  const study_rows rows = {file.out, p->stop};
  mbd_status status = names ? p->write_rows(p->user, &rows, err) : MEMORY_NONE(err, "the study in %s", s->folder);
  free(names);
  if (status == MBD_OK && !study_rows_requested(&rows)) {
    status = MBD_FAILED(err, MBD_INTERRUPTED, "interrupted before the study began");
  }
  MBD_TRY(atomic_end(&file, status, err));
  char *path = path_in(s->folder, name);
  *hash = FINGERPRINT_NONE;
  const mbd_status hashed = study_hash_file(hash, path, err);
  free(path);
  return hashed;
}

/* Has a run been done, started or queued? If not, as after --dry-run, another study may replace this one. */
static mbd_status is_begun(const char *folder, int *begun, mbd_error *err) {
  double written, runs, queued, since;
  MBD_TRY(file_written(folder, "study.json", &written, err));
  MBD_TRY(file_written(folder, "runs", &runs, err));
  MBD_TRY(file_written(folder, "slurm.json", &queued, err));
  *begun = written >= 0 && (runs >= 0 || queued >= 0 || lock_is_taken(folder, &since) == 1);
  return MBD_OK;
}

/* Checks whether the study in the folder is the same as this one. */
static mbd_status is_same(const study *s, const study_plan *p, int *same, mbd_error *err) {
  static const char other[] = "points.new.csv";
  unsigned long long rows = 0;
  json_t *o;
  MBD_TRY(read_json(s->folder, &o, err));
  mbd_status status = write_points(s, p, other, &rows, err);
  char *path = path_in(s->folder, other);
  if (path) { unlink(path); }
  free(path);
  *same = has_hash(o, "hash", s->hash) && has_hash(o, "points", rows);
  json_decref(o);
  return status;
}

static mbd_status move_file(void *user, const char *name, mbd_error *err) {
  const study *s = user;
  return earlier_move(s->folder, name, s->earlier, err);
}

/* Moves another study away. study.json is moved first, so that the folder is no study if the process is killed. */
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
    MBD_TRY(folder_each(s->folder, beginnings[i], move_file, s, err));
  }
  return MBD_OK;
}

/* Continues the study in the folder if it is this one. *begun becomes 0 if it has been moved away. */
static mbd_status go_on(study *s, const study_plan *p, int *begun, mbd_error *err) {
  int same;
  MBD_TRY(is_same(s, p, &same, err));
  if (!same && p->replaces) {
    *begun = 0;
    return set_aside(s, err);
  }
  if (!same) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s holds another study (run file, model, values, lanes or program have changed since); remove it, or "
             "choose another folder with --output",
             s->folder);
  }
  return use_copies(s, 1, err);
}

static mbd_status make_locked(study *s, const study_plan *p, mbd_error *err) {
  unsigned long long hash;
  int begun;
  MBD_TRY(is_begun(s->folder, &begun, err));
  if (begun) { MBD_TRY(go_on(s, p, &begun, err)); }
  if (begun) { return MBD_OK; }
  MBD_TRY(study_decide(s, p->stop, err));
  MBD_TRY(use_copies(s, 0, err));
  MBD_TRY(write_points(s, p, "points.csv", &hash, err));
  return write_json(s, hash, err);
}

/* Makes a study. Only one process at a time does so: a second one finds the complete study of the first. */
static mbd_status make(study *s, const study_plan *p, mbd_error *err) {
  int lock;
  MBD_TRY(make_folder(s->folder, err));
  MBD_TRY(lock_take_folder(s->folder, &lock, err));
  const mbd_status status = make_locked(s, p, err);
  close(lock);
  return status;
}

/* Opens points.csv. o: study.json, which has the hash of the rows at the beginning of the study. */
static mbd_status open_points(study *s, const json_t *o, mbd_error *err) {
  char *path = path_in(s->folder, "points.csv");
  unsigned long long hash = FINGERPRINT_NONE;
  mbd_status status = points_open(path, &s->points, err);
  if (status == MBD_OK) { status = study_hash_file(&hash, path, err); }
  free(path);
  MBD_TRY(status);
  if (!has_hash(o, "points", hash)) {
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

/* The common end of study_create, study_open and study_open_results. */
static mbd_status leave(study *s, json_t *o, mbd_status status, study **out) {
  json_decref(o);
  *out = status == MBD_OK ? s : NULL;
  if (status != MBD_OK) { study_destroy(s); }
  return status;
}

mbd_status study_create(const char *folder, const study_plan *plan, study **out, mbd_error *err) {
  study *s = mbd_zeros(1, sizeof *s);
  json_t *o = NULL;
  mbd_status status = s ? from_plan(folder, plan, s, err) : MEMORY_NONE(err, "the study in %s", folder);
  if (status == MBD_OK) { status = make(s, plan, err); }
  if (status == MBD_OK) { status = read_json(s->folder, &o, err); }
  if (status == MBD_OK) { status = read_decided(s, o, err); }
  if (status == MBD_OK) { read_plan(s, o); }
  if (status == MBD_OK) { status = open_points(s, o, err); }
  return leave(s, o, status, out);
}

/* ---- opening ---- */

static mbd_status check_hash(study *s, const json_t *o, mbd_error *err) {
  MBD_TRY(study_hash(s, &s->hash, err));
  if (!has_hash(o, "hash", s->hash)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: the model file %s, a file that it names, or the program has changed since this study began; put it "
             "back, or begin another study in another folder",
             s->folder, s->model[0]);
  }
  return MBD_OK;
}

/* The text before the first dot is the kind of section as it is (ini_set). */
int study_is_engine_set(const char *set) {
  return strncmp(set, "study.", strlen("study.")) == 0 || strncmp(set, "slurm.", strlen("slurm.")) == 0;
}

/* The lanes in which a study has begun can be set once more, but not changed. */
static mbd_status check_lanes(const study *s, const mbo_run_config *c, mbd_error *err) {
  const char *asked = c->study.lanes;
  if (strcmp(asked, s->config->study.lanes) == 0 || atoi(asked) == s->batch) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s: [study] lanes = %s: the study began with %d, on which the last digits of its results depend", s->folder,
           asked, s->batch);
}

/* Applies new assignments to [study] and [slurm] to the configuration that the engine reads; they do not change results. */
static mbd_status change_engine(study *s, int nset, const char *const *set, mbd_error *err) {
  if (nset == 0) { return MBD_OK; }
  for (int i = 0; i < nset; i++) {
    if (study_is_engine_set(set[i])) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT, "--set '%s': of a study that has begun only [study] and [slurm] can be changed",
             set[i]);
  }
  const char **all = mbd_zeros((size_t)(study_file_sets_max(s) + nset), sizeof *all);
  mbo_run_config *c = NULL;
  MEMORY_TRY(all, err, "the study in %s", s->folder);
  const int n = study_file_sets(s, 0, all);
  for (int i = 0; i < nset; i++) { all[n + i] = set[i]; }
  mbd_status status = mbo_run_config_read(s->file[0], n + nset, all, &c, err);
  free(all);
  if (status == MBD_OK) { status = check_lanes(s, c, err); }
  if (status != MBD_OK) {
    mbo_run_config_destroy(c);
    return status;
  }
  mbo_run_config_destroy(s->config);
  s->config = c;
  return MBD_OK;
}

/* Reads a study. *json: the contents of study.json, which the caller frees. */
static mbd_status read_study(const char *folder, study **out, json_t **json, mbd_error *err) {
  *out = NULL;
  MBD_TRY(read_json(folder, json, err));
  study *s = mbd_zeros(1, sizeof *s);
  if (s) { s->folder = mbd_strdup(folder); }
  mbd_status status = MEMORY_WHOLE(err, "the study in %s", folder);
  if (status == MBD_OK) { status = from_json(s, *json, err); }
  return leave(s, status == MBD_OK ? NULL : *json, status, out);
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
  return leave(*out, o, status, out);
}

mbd_status study_open_results(const char *folder, study **out, mbd_error *err) {
  json_t *o;
  MBD_TRY(read_study(folder, out, &o, err));
  const char *hash = json_string_value(json_object_get(o, "hash"));
  (*out)->hash = hash ? strtoull(hash, NULL, 16) : 0;
  return leave(*out, o, open_points(*out, o, err), out);
}
