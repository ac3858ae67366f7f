#include "study/study.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/ini.h"
#include "core/memory.h"
#include "evaluate/fingerprint.h"
#include "mbd/version.h"
#include "report/atomic_file.h"
#include "report/results.h"

enum { FORMAT = 1 };
static const char *const roles[] = {"set", "start", "backend", "problem"};

static mbd_status no_memory(const char *folder, mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the study in %s", folder);
}

static char *copy_of(const char *folder, int i) {
  return mbd_sprintf_dup("%s/run_%d.ini", folder, i + 1);
}

void study_destroy(study *s) {
  if (!s) { return; }
  points_close(&s->points);
  ini_free_list(s->origin, s->nfile), ini_free_list(s->file, s->nfile), ini_free_list(s->model, s->nfile);
  ini_free_list(s->set, s->nset);
  for (int i = 0; s->column && i < s->ncolumn; i++) { free(s->column[i].name), free(s->column[i].key); }
  mbo_run_config_destroy(s->config);
  free(s->column), free(s->folder), free(s->kind), free(s->task);
  free(s);
}

/* ---- what determines the runs ---- */

static unsigned long long hash_file(unsigned long long hash, const char *path) {
  FILE *in = fopen(path, "r");
  for (int k; in && (k = getc(in)) != EOF;) {
    const unsigned char c = (unsigned char)k;
    hash = fingerprint_add(hash, &c, 1);
  }
  if (in) { fclose(in); }
  return hash;
}

/* A run file with all defaults but for what does not matter to a result: comments, where the model is, who does the runs. */
static mbd_status hash_config(const mbo_run_config *c, unsigned long long *hash, mbd_error *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", c->path); }
  mbo_run_config_write(c, out);
  fclose(out);
  const char *begin = strstr(text, "\n[scalars]"), *end = strstr(text, "\n[output]");
  *hash = fingerprint_add(*hash, begin, (size_t)(end - begin));
  free(text);
  return MBD_OK;
}

/* What starts are drawn from. */
static unsigned long long hash_starts(unsigned long long hash, int n, const mbo_multistart_config *c) {
  hash = fingerprint_add(hash, &n, sizeof n);
  hash = fingerprint_add(hash, &c->seed, sizeof c->seed);
  hash = fingerprint_add(hash, &c->spread, sizeof c->spread);
  return fingerprint_text(hash, c->plan);
}

static mbd_status hash_problem(const mbo_run_config *c, unsigned long long *hash, mbd_error *err) {
  mechanism *m = NULL;
  MBD_TRY(mechanism_create(c, &m, err));
  char *print = mechanism_fingerprint(m);
  mechanism_destroy(m);
  if (!print) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", c->path); }
  *hash = fingerprint_text(*hash, print);
  free(print);
  return hash_config(c, hash, err);
}

/* Of the run files as they are configured without the values of any row; s->config becomes that of the first. */
static mbd_status hash_study(study *s, unsigned long long *hash, mbd_error *err) {
  *hash = fingerprint_text(fingerprint_text(FINGERPRINT_NONE, MBD_VERSION), s->task);
  for (int i = 0; i < s->ncolumn; i++) { *hash = fingerprint_text(*hash, s->column[i].key); }
  for (int i = 0; i < s->nfile; i++) {
    mbo_run_config *c = NULL;
    MBD_TRY(mbo_run_config_read(s->file[i], s->nset, (const char *const *)s->set, &c, err));
    free(c->model_path), free(c->path);
    c->model_path = mbd_strdup(s->model[i]), c->path = mbd_strdup(s->origin[i]);
    mbd_status status = c->model_path && c->path ? hash_problem(c, hash, err) : no_memory(s->folder, err);
    if (s->starts) { *hash = hash_starts(*hash, s->starts, &c->multistart); }
    if (i == 0) {
      s->config = c;
    } else {
      mbo_run_config_destroy(c);
    }
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* ---- making ---- */

static char **copy_texts(int n, const char *const *text) {
  char **copy = calloc((size_t)n + 1, sizeof *copy);
  for (int i = 0; copy && i < n; i++) { copy[i] = mbd_strdup(text[i]); }
  return copy;
}

static int copy_columns(study *s, const study_plan *p) {
  s->column = calloc((size_t)p->ncolumn + 1, sizeof *s->column);
  for (int i = 0; s->column && i < p->ncolumn; i++) {
    const study_column *q = &p->column[i];
    s->column[s->ncolumn++] = (study_column){mbd_strdup(q->name), q->role, mbd_strdup(q->key)};
  }
  return s->column != NULL;
}

/* The model that a run file names, as a path from the root. */
static mbd_status find_models(study *s, const study_plan *p, mbd_error *err) {
  s->model = calloc((size_t)p->nfile + 1, sizeof *s->model);
  if (!s->model) { return no_memory(s->folder, err); }
  for (int i = 0; i < p->nfile; i++) {
    mbo_run_config *c = NULL;
    MBD_TRY(mbo_run_config_read(p->file[i], p->nset, p->set, &c, err));
    s->model[i] = realpath(c->model_path, NULL);
    mbd_status status = MBD_OK;
    if (!s->model[i]) {
      status = mbd_fail(err, MBD_IO_ERROR, __func__, __LINE__, "%s: [model] file = %s cannot be read: %s", c->path,
                        c->model.file, strerror(errno));
    }
    mbo_run_config_destroy(c);
    MBD_TRY(status);
  }
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
  MBD_TRY(find_models(s, p, err));
  return hash_study(s, &s->hash, err);
}

static mbd_status copy_file(const char *from, const char *to, mbd_error *err) {
  atomic_file a;
  FILE *in = fopen(from, "r");
  if (!in) { MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be read: %s", from, strerror(errno)); }
  mbd_status status = atomic_open(to, &a, err);
  for (int k; status == MBD_OK && (k = getc(in)) != EOF;) { putc(k, a.out); }
  fclose(in);
  return status == MBD_OK ? atomic_commit(&a, err) : status;
}

/* Copies of the run files take their places. */
static mbd_status copy_files(study *s, mbd_error *err) {
  for (int i = 0; i < s->nfile; i++) {
    char *to = copy_of(s->folder, i);
    if (!to) { return no_memory(s->folder, err); }
    free(s->file[i]);
    s->file[i] = to;
    MBD_TRY(copy_file(s->origin[i], to, err));
  }
  return MBD_OK;
}

static json_t *texts(int n, char *const *text) {
  json_t *a = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(a, json_string(text[i])); }
  return a;
}

static mbd_status write_study(const study *s, unsigned long long rows, mbd_error *err) {
  json_t *columns = json_array(), *o;
  char hash[17], hash_points[17];
  snprintf(hash, sizeof hash, "%016llx", s->hash);
  snprintf(hash_points, sizeof hash_points, "%016llx", rows);
  for (int i = 0; i < s->ncolumn; i++) {
    const study_column *q = &s->column[i];
    json_array_append_new(columns,
                          json_pack("{s:s, s:s, s:s}", "name", q->name, "role", roles[q->role], "key", q->key));
  }
  o = json_pack("{s:i, s:s, s:s, s:s, s:I, s:i, s:o, s:o, s:o, s:o, s:s, s:s}", "study", FORMAT, "mbopt", MBD_VERSION,
                "kind", s->kind, "task", s->task, "runs", (json_int_t)s->n, "starts", s->starts, "run_files",
                texts(s->nfile, s->origin), "models", texts(s->nfile, s->model), "set", texts(s->nset, s->set),
                "columns", columns, "hash", hash, "points", hash_points);
  mbd_status status = results_write_json(s->folder, "study.json", o, err);
  json_decref(o);
  return status;
}

/* The rows into a file of the folder; *hash of them. */
static mbd_status write_points(const study *s, const study_plan *p, const char *name, unsigned long long *hash,
                               mbd_error *err) {
  atomic_file a;
  MBD_TRY(results_open(s->folder, name, &a, err));
  const char **names = calloc((size_t)p->ncolumn + 1, sizeof *names);
  for (int i = 0; names && i < p->ncolumn; i++) { names[i] = p->column[i].name; }
  if (names) { points_write_head(a.out, p->ncolumn, names); }
  mbd_status status = names ? p->write_rows(p->user, a.out, err) : no_memory(s->folder, err);
  free(names);
  if (status != MBD_OK) {
    atomic_abort(&a);
    return status;
  }
  MBD_TRY(atomic_commit(&a, err));
  char *path = path_in(s->folder, name);
  if (!path) { return no_memory(s->folder, err); }
  *hash = hash_file(FINGERPRINT_NONE, path);
  free(path);
  return MBD_OK;
}

static json_t *read_json(const char *folder, mbd_error *err) {
  json_error_t why;
  char *path = path_in(folder, "study.json");
  json_t *o = path ? json_load_file(path, 0, &why) : NULL;
  if (!o || json_integer_value(json_object_get(o, "study")) != FORMAT) {
    (void)mbd_fail(err, MBD_BAD_INPUT, __func__, __LINE__,
                   "%s is not a study: it has no study.json that this program wrote (%s)", folder,
                   o      ? "another version of it"
                   : path ? why.text
                          : "no memory");
    json_decref(o);
    o = NULL;
  }
  free(path);
  return o;
}

static int is_study(const char *folder) {
  struct stat info;
  char *path = path_in(folder, "study.json");
  const int is = path && stat(path, &info) == 0;
  free(path);
  return is;
}

static int same_hash(const json_t *o, const char *key, unsigned long long hash) {
  char text[17];
  const char *found = json_string_value(json_object_get(o, key));
  snprintf(text, sizeof text, "%016llx", hash);
  return found && strcmp(found, text) == 0;
}

/* The folder holds a study: go on only if it is this one. */
static mbd_status check_same(const study *s, const study_plan *p, mbd_error *err) {
  static const char other[] = "points.new.csv";
  unsigned long long rows = 0;
  json_t *o = read_json(s->folder, err);
  if (!o) { return MBD_BAD_INPUT; }
  mbd_status status = write_points(s, p, other, &rows, err);
  char *path = path_in(s->folder, other);
  if (path) { unlink(path); }
  free(path);
  if (status == MBD_OK && (!same_hash(o, "hash", s->hash) || !same_hash(o, "points", rows))) {
    status = mbd_fail(err, MBD_BAD_INPUT, __func__, __LINE__,
                      "%s holds another study (run file, model, values or program have changed since); remove it, or "
                      "choose another folder with --output",
                      s->folder);
  }
  json_decref(o);
  return status;
}

static mbd_status make(study *s, const study_plan *p, mbd_error *err) {
  unsigned long long hash;
  MBD_TRY(make_folder(s->folder, err));
  if (is_study(s->folder)) {
    MBD_TRY(check_same(s, p, err));
    for (int i = 0; i < s->nfile; i++) {
      free(s->file[i]);
      s->file[i] = copy_of(s->folder, i);
      if (!s->file[i]) { return no_memory(s->folder, err); }
    }
  } else {
    MBD_TRY(copy_files(s, err));
    MBD_TRY(write_points(s, p, "points.csv", &hash, err));
    MBD_TRY(write_study(s, hash, err));
  }
  return MBD_OK;
}

static mbd_status open_points(study *s, mbd_error *err) {
  char *path = path_in(s->folder, "points.csv");
  if (!path) { return no_memory(s->folder, err); }
  mbd_status status = points_open(path, &s->points, err);
  free(path);
  MBD_TRY(status);
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
  if (status == MBD_OK) { status = open_points(s, err); }
  if (status != MBD_OK) {
    study_destroy(s);
    return status;
  }
  *out = s;
  return MBD_OK;
}

/* ---- opening ---- */

static char **read_texts(const json_t *o, const char *key, int *n) {
  const json_t *a = json_object_get(o, key);
  char **text = calloc(json_array_size(a) + 1, sizeof *text);
  *n = text ? (int)json_array_size(a) : 0;
  for (int i = 0; i < *n; i++) { text[i] = mbd_strdup(json_string_value(json_array_get(a, (size_t)i))); }
  return text;
}

static int read_columns(study *s, const json_t *o) {
  const json_t *a = json_object_get(o, "columns");
  s->column = calloc(json_array_size(a) + 1, sizeof *s->column);
  for (size_t i = 0; s->column && i < json_array_size(a); i++) {
    const json_t *q = json_array_get(a, i);
    const char *role = json_string_value(json_object_get(q, "role"));
    study_column *c = &s->column[s->ncolumn++];
    *c = (study_column){.name = mbd_strdup(json_string_value(json_object_get(q, "name"))),
                        .key = mbd_strdup(json_string_value(json_object_get(q, "key")))};
    while (role && c->role < STUDY_PROBLEM && strcmp(roles[c->role], role) != 0) { c->role++; }
  }
  return s->column != NULL;
}

static mbd_status from_json(study *s, const json_t *o, mbd_error *err) {
  int nmodel;
  s->kind = mbd_strdup(json_string_value(json_object_get(o, "kind")));
  s->task = mbd_strdup(json_string_value(json_object_get(o, "task")));
  s->n = (long)json_integer_value(json_object_get(o, "runs"));
  s->starts = (int)json_integer_value(json_object_get(o, "starts"));
  s->origin = read_texts(o, "run_files", &s->nfile);
  s->model = read_texts(o, "models", &nmodel);
  s->set = read_texts(o, "set", &s->nset);
  s->file = calloc((size_t)s->nfile + 1, sizeof *s->file);
  for (int i = 0; s->file && i < s->nfile; i++) { s->file[i] = copy_of(s->folder, i); }
  if (!s->kind || !s->task || !s->origin || !s->model || !s->set || !s->file || !read_columns(s, o)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s/study.json is not whole", s->folder);
  }
  if (nmodel != s->nfile) { MBD_FAIL(err, MBD_BAD_INPUT, "%s/study.json is not whole", s->folder); }
  return MBD_OK;
}

static mbd_status check_hash(study *s, const json_t *o, mbd_error *err) {
  MBD_TRY(hash_study(s, &s->hash, err));
  if (!same_hash(o, "hash", s->hash)) {
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
  *json = read_json(folder, err);
  if (!*json) { return MBD_BAD_INPUT; }
  study *s = calloc(1, sizeof *s);
  mbd_status status = s && (s->folder = mbd_strdup(folder)) ? MBD_OK : no_memory(folder, err);
  if (status == MBD_OK) { status = from_json(s, *json, err); }
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
  if (status == MBD_OK) { status = open_points(*out, err); }
  json_decref(o);
  if (status != MBD_OK) {
    study_destroy(*out);
    *out = NULL;
  }
  return status;
}

/* ---- the configuration of a run ---- */

/* "BACKEND[:ALGORITHM]", or BACKEND:gauss_newton, BACKEND:exact, takes the place of the run's own. Options in a backend's own
 * names go to no other; an iteration costs a simulation at least, so that these alone are limited. */
static mbd_status set_backend(mbo_run_config *c, const char *text, mbd_error *err) {
  mbo_optimizer_config *o = &c->optimizer;
  const char *colon = strchr(text, ':'), *algorithm = colon ? colon + 1 : "";
  const int second = strcmp(algorithm, "gauss_newton") == 0 || strcmp(algorithm, "exact") == 0;
  char *backend = mbd_sprintf_dup("%.*s", (int)strcspn(text, ":"), text);
  if (backend && strcmp(backend, o->backend) != 0) {
    ini_free_list(c->native.name.v, c->native.name.n), ini_free_list(c->native.text.v, c->native.text.n);
    c->native = (mbo_pairs){0};
  }
  free(o->backend), free(o->algorithm), free(o->hessian);
  o->backend = backend;
  o->algorithm = mbd_strdup(second ? "" : algorithm);
  o->hessian = mbd_strdup(second ? algorithm : "limited_memory");
  o->max_iterations = o->max_evaluations;
  if (!o->backend || !o->algorithm || !o->hessian) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", c->path); }
  return MBD_OK;
}

/* A model file among the swept values is found from the run file, as it is there. */
static char *key_set(const study *s, const study_column *q, const char *value) {
  const char *slash = strrchr(s->origin[0], '/');
  if (strcmp(q->key, "model.file") != 0 || *value == '/') { return mbd_sprintf_dup("%s=%s", q->key, value); }
  char *folder = slash ? mbd_sprintf_dup("%.*s", (int)(slash - s->origin[0]), s->origin[0]) : mbd_strdup(".");
  char *whole = folder ? realpath(folder, NULL) : NULL;
  char *set = whole ? mbd_sprintf_dup("%s=%s/%s", q->key, whole, value) : NULL;
  free(folder), free(whole);
  return set;
}

static const char *value_of(const study *s, char *const *value, study_role role) {
  for (int i = 0; i < s->ncolumn; i++) {
    if (s->column[i].role == role) { return value[i]; }
  }
  return NULL;
}

/* The model, the assignments for all runs, those of the row; the number of them, -1: no memory. */
static int row_sets(const study *s, char *const *value, int file, char **set) {
  int n = 0;
  set[n++] = mbd_sprintf_dup("model.file=%s", s->model[file]);
  for (int i = 0; i < s->nset; i++) { set[n++] = mbd_strdup(s->set[i]); }
  for (int i = 0; i < s->ncolumn; i++) {
    if (s->column[i].role == STUDY_SET) { set[n++] = key_set(s, &s->column[i], value[i]); }
  }
  for (int i = 0; i < n; i++) {
    if (!set[i]) { return -1; }
  }
  return n;
}

mbd_status study_configure_row(const study *s, char *const *value, mbo_run_config **out, int *start, mbd_error *err) {
  const char *file = value_of(s, value, STUDY_PROBLEM), *k = value_of(s, value, STUDY_START);
  const char *backend = value_of(s, value, STUDY_BACKEND);
  const int number = file ? atoi(file) - 1 : 0, most = s->nset + s->ncolumn + 1;
  *start = k ? atoi(k) : 0;
  *out = NULL;
  if (number < 0 || number >= s->nfile) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: a row has problem %s of %d", s->points.path, file, s->nfile);
  }
  char **set = calloc((size_t)most + 1, sizeof *set);
  const int n = set ? row_sets(s, value, number, set) : -1;
  mbd_status status =
      n < 0 ? no_memory(s->folder, err) : mbo_run_config_read(s->file[number], n, (const char *const *)set, out, err);
  ini_free_list(set, most);
  if (status == MBD_OK && backend) { status = set_backend(*out, backend, err); }
  if (status != MBD_OK) {
    mbo_run_config_destroy(*out);
    *out = NULL;
  }
  return status;
}

unsigned long long study_run_hash(const study *s) {
  unsigned long long hash = fingerprint_text(s->hash, s->points.row);
  for (int i = 0; i < s->ncolumn; i++) {
    if (strcmp(s->column[i].key, "model.file") != 0) { continue; }
    char *set = key_set(s, &s->column[i], s->points.value[i]);
    if (set) { hash = hash_file(hash, set + strlen("model.file=")); }
    free(set);
  }
  return hash;
}

mbd_status study_configure(study *s, long i, mbo_run_config **out, int *start, mbd_error *err) {
  MBD_TRY(points_read(&s->points, i, err));
  return study_configure_row(s, s->points.value, out, start, err);
}
