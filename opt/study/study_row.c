#include "study/study_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "config/ini.h"
#include "config/model_file.h"
#include "config/shipped_parts.h"
#include "evaluate/fingerprint.h"
#include "files/text_file.h"
#include "files/text_stream.h"
#include "mbd/version.h"
#include "mechanism/choices.h"
#include "backend/command.h"
#include "backend/run_settings.h"
#include "files/command_text.h"
#include "plugin/plugin.h"

/* ---- a hash of everything that determines all runs ---- */

mbd_status study_hash_file(unsigned long long *hash, const char *path, mbd_error *err) {
  FILE *in = NULL;
  if (text_file_open(path, &in, err) == MBD_NO_MEMORY) { return MBD_NO_MEMORY; }
  char bytes[1 << 12];
  for (size_t n; in && (n = fread(bytes, 1, sizeof bytes, in)) > 0;) { *hash = fingerprint_add(*hash, bytes, n); }
  if (in) { fclose(in); }
  return MBD_OK;
}

/* Adds a run file with all defaults, without what has no effect on results: comments; paths of the model, the tables of measurements and
 * the plugins; engine and its settings. */
static mbd_status hash_config(const mbo_run_config *c, unsigned long long *hash, mbd_error *err) {
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (out) { mechanism_write_moved(c, out); }
  char *text = text_end(&stream);
  MBD_TRY(MEMORY_WHOLE(err, "%s", c->path));
  const char *begin = strstr(text, "\n[scalars]"), *end = strstr(text, "\n[output]");
  *hash = fingerprint_add(*hash, begin, (size_t)(end - begin));
  free(text);
  return MBD_OK;
}

/* Adds the settings from which starts are drawn. */
static unsigned long long hash_starts(unsigned long long hash, int n, const mbo_multistart_config *starts) {
  hash = fingerprint_add(hash, &n, sizeof n);
  hash = fingerprint_add(hash, &starts->seed, sizeof starts->seed);
  hash = fingerprint_add(hash, &starts->spread, sizeof starts->spread);
  return fingerprint_text(hash, starts->plan);
}

/* Adds the settings of a front; its number of points is that of the rows. */
static unsigned long long hash_front(unsigned long long hash, const mbo_pareto_config *front) {
  hash = fingerprint_add(hash, &front->tolerance, sizeof front->tolerance);
  for (int i = 0; i < front->objectives.n; i++) { hash = fingerprint_text(hash, front->objectives.v[i]); }
  return hash;
}

static mbd_status hash_problem(const mbo_run_config *c, unsigned long long *hash, mbd_error *err) {
  mechanism *m = NULL;
  MBD_TRY(mechanism_create(c, &m, err));
  char *print = mechanism_fingerprint(m);
  mechanism_destroy(m);
  MEMORY_TRY(print, err, "%s", c->path);
  *hash = fingerprint_text(*hash, print);
  free(print);
  return hash_config(c, hash, err);
}

int study_file_sets(const study *s, int i, const char **set) {
  int n = 0;
  for (int k = 0; k < s->nset; k++) { set[n++] = s->set[k]; }
  for (int k = 0; k < s->ntable; k++) {
    const char *colon = strchr(s->table[k], ':');
    if (colon && atoi(s->table[k]) == i) { set[n++] = colon + 1; }
  }
  set[n++] = s->model_set[i]; /* the last one: another assignment, relative to another folder, may name the model */
  return n;
}

/* Reads run file i without the values of any row. */
static mbd_status configure_file(const study *s, int i, mbo_run_config **out, mbd_error *err) {
  mbo_run_config *c;
  *out = NULL;
  const char **set = mbd_zeros((size_t)study_file_sets_max(s), sizeof *set);
  MEMORY_TRY(set, err, "the study in %s", s->folder);
  const mbd_status status = mbo_run_config_read(s->file[i], study_file_sets(s, i, set), set, &c, err);
  free(set);
  MBD_TRY(status);
  free(c->model_path), free(c->path);
  c->model_path = mbd_strdup(s->model[i]), c->path = mbd_strdup(s->origin[i]);
  *out = c;
  return MEMORY_WHOLE(err, "the study in %s", s->folder);
}

mbd_status study_hash(study *s, unsigned long long *hash, mbd_error *err) {
  *hash = fingerprint_text(fingerprint_text(FINGERPRINT_NONE, MBD_VERSION), s->task);
  if (s->batch > 1) { *hash = fingerprint_add(*hash, &s->batch, sizeof s->batch); }
  for (int i = 0; i < s->ncolumn; i++) { *hash = fingerprint_text(*hash, s->column[i].key); }
  for (int i = 0; i < s->nfile; i++) {
    mbo_run_config *c = NULL;
    mbd_status status = configure_file(s, i, &c, err);
    if (!c) { return status; }
    if (status == MBD_OK) { status = hash_problem(c, hash, err); }
    if (s->starts) { *hash = hash_starts(*hash, s->starts, &c->multistart); }
    if (strcmp(s->kind, "pareto") == 0) { *hash = hash_front(*hash, &c->pareto); }
    if (i == 0) {
      s->config = c;
    } else {
      mbo_run_config_destroy(c);
    }
    MBD_TRY(status);
  }
  return MBD_OK;
}

mbd_status study_open_plugins(const study *s, mbd_error *err) {
  for (int i = 0; i < s->nfile; i++) {
    mbo_run_config *c = NULL;
    mechanism *m = NULL;
    mbd_status status = configure_file(s, i, &c, err);
    if (status == MBD_OK && c->nplugin > 0) { status = mechanism_create(c, &m, err); }
    if (m) { status = plugin_list_open(m->plugin, c->nplugin, err); }
    mechanism_destroy(m);
    mbo_run_config_destroy(c);
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* May the runs of this configuration start their optimizer? */
static mbd_status check_command(const mbo_run_config *c, mbd_error *err) {
  const int is_command = strcmp(c->optimizer.backend, "command") == 0;
  return is_command ? mbd_locate(err, command_check_allowed(c->optimizer.command, err), "%s: ", c->path) : MBD_OK;
}

mbd_status study_check_commands(study *s, mbd_error *err) {
  if (strcmp(s->task, "optimize") != 0) { return MBD_OK; }
  /* the optimizers of the run files, or, in a comparison, those of the rows */
  const int compared = strcmp(s->kind, "compare") == 0;
  for (int i = 0; i < s->nfile && !compared; i++) {
    mbo_run_config *c = NULL;
    mbd_status status = configure_file(s, i, &c, err);
    if (status == MBD_OK) { status = check_command(c, err); }
    mbo_run_config_destroy(c);
    MBD_TRY(status);
  }
  for (long i = 0; i < s->n && compared; i++) {
    mbo_run_config *c = NULL;
    int start;
    MBD_TRY(points_read(&s->points, i, err));
    const char *backend = study_value(s, STUDY_BACKEND);
    if (strcmp(backend, "command") != 0 && strncmp(backend, "command:", strlen("command:")) != 0) { continue; }
    mbd_status status = study_configure_row(s, s->points.value, &c, &start, err);
    if (status == MBD_OK) { status = check_command(c, err); }
    mbo_run_config_destroy(c);
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* ---- how gradients are computed ---- */

/* Ignores settings of the run file that the columns of the study replace: the method of gradients, and the matrix of the optimizer. */
static void leave_open(const study *s, mbo_run_config *c) {
  for (int i = 0; i < s->ncolumn; i++) {
    const study_column *column = &s->column[i];
    if (strcmp(column->key, "gradient.method") == 0) { c->gradient.method = gradient_method_name(GRADIENT_AUTO); }
    if (column->role == STUDY_BACKEND || strcmp(column->key, "optimizer.hessian") == 0) {
      c->optimizer.hessian = "limited_memory";
    }
  }
}

/* Sets *text to the decisions of the problem; NULL: there is nothing to decide, or the problem cannot be simulated. */
static mbd_status decide(const mbo_run_config *c, const volatile sig_atomic_t *stop, char **text, mbd_error *err) {
  mechanism *m = NULL;
  *text = NULL;
  mbd_status status = mechanism_create(c, &m, err);
  if (status == MBD_OK) { status = mechanism_set_design(m, m->start, 0, err); }
  if (status == MBD_OK) {
    m->stop = stop;
    status = choices_make(m, err);
  }
  if (status == MBD_OK && choices_are_made(m)) {
    *text = choices_text(m);
    status = MEMORY_WHOLE(err, "%s", c->path);
  }
  mechanism_destroy(m);
  return status == MBD_NO_MEMORY || status == MBD_INTERRUPTED ? status : MBD_OK;
}

mbd_status study_decide(study *s, const volatile sig_atomic_t *stop, mbd_error *err) {
  if (strcmp(s->task, "simulate") == 0) { return MBD_OK; }
  for (int i = 0; i < s->nfile; i++) {
    mbo_run_config *c;
    mbd_status status = configure_file(s, i, &c, err);
    if (c) { leave_open(s, c); }
    if (status == MBD_OK) { status = decide(c, stop, &s->decided[i], err); }
    mbo_run_config_destroy(c);
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* ---- names of the columns ---- */

/* The columns that run.c and merge.c add to a table, and to which tables. */
static const struct {
  const char *name;
  enum { OF_ALL, OF_CONSTRAINTS, OF_OPTIMIZE, OF_COMPARE, OF_PARETO } of;
} own[] = {{"run", OF_ALL},
           {"status", OF_ALL},
           {"warnings", OF_ALL},
           {"seconds", OF_ALL},
           {"error", OF_ALL},
           {"objective", OF_ALL},
           {"violation", OF_CONSTRAINTS}, /* and where runs optimize */
           {"objective_at_start", OF_OPTIMIZE},
           {"stages", OF_OPTIMIZE},
           {"iterations", OF_OPTIMIZE},
           {"simulations", OF_OPTIMIZE},
           {"failed_designs", OF_OPTIMIZE},
           {"equivalent", OF_COMPARE},
           {"front", OF_PARETO}};
enum { N_OWN = sizeof own / sizeof own[0] };

static int is_own(const study *s, const mbo_run_config *c, const char *name) {
  const int optimizes = strcmp(s->task, "optimize") == 0;
  const int has[] = {[OF_ALL] = 1,
                     [OF_CONSTRAINTS] = optimizes || c->nconstraint > 0,
                     [OF_OPTIMIZE] = optimizes,
                     [OF_COMPARE] = strcmp(s->kind, "compare") == 0,
                     [OF_PARETO] = strcmp(s->kind, "pareto") == 0};
  for (int i = 0; i < N_OWN; i++) {
    if (strcmp(own[i].name, name) == 0) { return has[own[i].of]; }
  }
  return 0;
}

static int is_column(const study *s, const char *name) {
  for (int i = 0; i < s->ncolumn; i++) {
    if (strcmp(s->column[i].name, name) == 0) { return 1; }
  }
  return 0;
}

/* Checks one objective or constraint: [KIND NAME]. */
static mbd_status check_quantity(const study *s, const mbo_run_config *c, const char *kind, const char *name,
                                 mbd_error *err) {
  if (is_own(s, c, name)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [%s %s]: the table of runs has a column '%s' of its own; expected another name",
             c->path, kind, name, name);
  }
  if (is_column(s, name)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [%s %s]: the table of runs has a column '%s' already, of the values that runs begin with; expected "
             "another name, or the whole key of what is swept, as in vary.scalars.%s",
             c->path, kind, name, name, name);
  }
  return MBD_OK;
}

static mbd_status check_pair(const mbo_run_config *c, const char *constraint, mbd_error *err) {
  for (int i = 0; i < c->nobjective; i++) {
    if (strcmp(c->objective[i].name, constraint) != 0) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [constraint %s] has the name of an objective, and the table of runs one column for both; expected "
             "another name",
             c->path, constraint);
  }
  return MBD_OK;
}

mbd_status study_check_names(const study *s, const mbo_run_config *c, mbd_error *err) {
  for (int i = 0; i < s->ncolumn; i++) {
    if (!is_own(s, c, s->column[i].name)) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: the table of runs has a column '%s' of its own; expected the whole key of what is swept, vary.%s",
             c->path, s->column[i].name, s->column[i].key);
  }
  for (int i = 0; i < c->nobjective; i++) { MBD_TRY(check_quantity(s, c, "objective", c->objective[i].name, err)); }
  for (int i = 0; i < c->nconstraint; i++) {
    MBD_TRY(check_quantity(s, c, "constraint", c->constraint[i].name, err));
    MBD_TRY(check_pair(c, c->constraint[i].name, err));
  }
  return MBD_OK;
}

/* ---- the configuration of a run: the copy of its run file with the values of its row ---- */

/* Returns 1 for keys that name a file: "plugin.NAME.file", "measurement.NAME.file". */
static int is_file(const char *key) {
  const size_t n = strlen(key), end = strlen(".file");
  const int has =
      strncmp(key, "plugin.", strlen("plugin.")) == 0 || strncmp(key, "measurement.", strlen("measurement.")) == 0;
  return has && n > end && strcmp(key + n - end, ".file") == 0;
}

/* Returns an assignment of a row. A model file, a plugin or a table among the swept values is relative to the original run file. */
static char *key_set(const study *s, const study_column *column, const char *value) {
  const int beside = (strcmp(column->key, "model.file") == 0 || is_file(column->key)) && *value != '/';
  return beside ? mbd_sprintf_dup("%s=%s/%s", column->key, s->beside, value)
                : mbd_sprintf_dup("%s=%s", column->key, value);
}

static const char *value_of(const study *s, char *const *value, study_role role) {
  for (int i = 0; i < s->ncolumn; i++) {
    if (s->column[i].role == role) { return value[i]; }
  }
  return NULL;
}

const char *study_value(const study *s, study_role role) {
  return value_of(s, s->points.value, role);
}

static int file_of(const study *s, char *const *value) {
  const char *file = value_of(s, value, STUDY_PROBLEM);
  return file ? atoi(file) - 1 : 0;
}

const char *study_decided(const study *s, char *const *value) {
  return s->decided[file_of(s, value)];
}

/* Lists the assignments for all runs, and those of the row; returns their number. */
static int row_sets(const study *s, char *const *value, int file, char **set) {
  int n = study_file_sets(s, file, (const char **)set);
  for (int i = 0; i < n; i++) { set[i] = mbd_strdup(set[i]); }
  for (int i = 0; i < s->ncolumn; i++) {
    if (s->column[i].role == STUDY_SET) { set[n++] = key_set(s, &s->column[i], value[i]); }
  }
  return n;
}

mbd_status study_set_backend(mbo_run_config *c, const char *folder, const char *name, mbd_error *err) {
  mbo_optimizer_config *o = &c->optimizer;
  const char *colon = strchr(name, ':'), *rest = colon ? colon + 1 : "";
  char *backend = mbd_sprintf_dup("%.*s", (int)strcspn(name, ":"), name);
  const int command = backend && strcmp(backend, "command") == 0;
  const char *hessian = strcmp(rest, "gauss_newton") == 0 ? "gauss_newton"
                        : strcmp(rest, "exact") == 0      ? "exact"
                                                          : NULL;
  /* options of another backend */
  if (backend && strcmp(backend, o->backend) != 0) {
    text_list_free(c->native.name.v, c->native.name.n), text_list_free(c->native.text.v, c->native.text.n);
    c->native = (mbo_pairs){0};
  }
  /* an optimizer of one's own takes what the problem has */
  const char *natural = command                                              ? "auto"
                        : backend && strcmp(backend, RUN_LEAST_SQUARES) == 0 ? "gauss_newton"
                                                                             : "limited_memory";
  free(o->backend), free(o->algorithm);
  o->backend = backend, o->algorithm = mbd_strdup(command || hessian ? "" : rest);
  o->hessian = command || !hessian ? natural : hessian;
  o->max_iterations = o->max_evaluations;
  if (command && *rest) {
    free(o->command);
    o->command = NULL;
    MBD_TRY(command_text_beside(folder, rest, &o->command, err));
  }
  return MEMORY_WHOLE(err, "%s", c->path);
}

/* Reads the run file of the row with its assignments, and applies the backend of the row. */
mbd_status study_configure_row(const study *s, char *const *value, mbo_run_config **out, int *start, mbd_error *err) {
  const char *file = value_of(s, value, STUDY_PROBLEM), *k = value_of(s, value, STUDY_START);
  const char *backend = value_of(s, value, STUDY_BACKEND);
  const int number = file_of(s, value), max = study_file_sets_max(s) + s->ncolumn;
  *start = k ? atoi(k) : 0;
  *out = NULL;
  if (number < 0 || number >= s->nfile) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: a row has problem %s of %d", s->points.path, file, s->nfile);
  }
  /* the run file with the assignments of the row, then its backend */
  char **set = mbd_zeros((size_t)max, sizeof *set);
  const int n = set ? row_sets(s, value, number, set) : 0;
  mbd_status status = MEMORY_WHOLE(err, "a run of %s", s->folder);
  if (status == MBD_OK) { status = mbo_run_config_read(s->file[number], n, (const char *const *)set, out, err); }
  text_list_free(set, max);
  if (status == MBD_OK && backend) { status = study_set_backend(*out, s->beside, backend, err); }
  if (status != MBD_OK) {
    mbo_run_config_destroy(*out);
    *out = NULL;
  }
  return status;
}

/* Adds a model file and the files of its parts. Errors in it are reported by the runs. */
static mbd_status hash_model(unsigned long long *hash, const char *path, mbd_error *err) {
  static const mbo_pairs none;
  mbo_model_file *file = NULL;
  const char *part;
  MBD_TRY(study_hash_file(hash, path, err));
  mbd_status status = model_file_read_scalars(path, &(mbo_model_changes){.scalars = &none}, &file, NULL);
  MEMORY_TRY(status != MBD_NO_MEMORY, err, "%s", path);
  if (status != MBD_OK) { return MBD_OK; }
  for (int i = 0; (part = mbo_model_file_part(file, i)) != NULL && status == MBD_OK; i++) {
    const char *text = shipped_part_at(part);
    if (text) {
      *hash = fingerprint_text(*hash, text);
    } else {
      status = study_hash_file(hash, part, err);
    }
  }
  mbo_model_file_destroy(file);
  return status;
}

mbd_status study_run_hash(const study *s, unsigned long long *hash, mbd_error *err) {
  *hash = fingerprint_text(s->hash, s->points.row);
  for (int i = 0; i < s->ncolumn; i++) {
    const int model = strcmp(s->column[i].key, "model.file") == 0;
    if (!model && !is_file(s->column[i].key)) { continue; }
    char *set = key_set(s, &s->column[i], s->points.value[i]);
    MEMORY_TRY(set, err, "a run of %s", s->folder);
    const char *path = strchr(set, '=') + 1;
    const mbd_status status = model ? hash_model(hash, path, err) : study_hash_file(hash, path, err);
    free(set);
    MBD_TRY(status);
  }
  return MBD_OK;
}

mbd_status study_configure(study *s, long i, mbo_run_config **out, int *start, mbd_error *err) {
  MBD_TRY(points_read(&s->points, i, err));
  return study_configure_row(s, s->points.value, out, start, err);
}

/* ---- runs that are numbers ---- */

static mbd_status write_numbers(void *user, const study_rows *to, mbd_error *err) {
  const int *n = user;
  (void)err;
  for (int k = 0; k < *n && study_rows_requested(to); k++) { fprintf(to->out, "%-9d\n", k); }
  return MBD_OK;
}

study_plan study_plan_numbered(const char *kind, const study_column *column, const mbo_run_config *c, int nset,
                               const char *const *set, int *n) {
  return (study_plan){.kind = kind,
                      .task = "optimize",
                      .nfile = 1,
                      .file = (const char *const *)&c->path,
                      .nset = nset,
                      .set = set,
                      .ncolumn = 1,
                      .column = column,
                      .n = *n,
                      .write_rows = write_numbers,
                      .user = n};
}
