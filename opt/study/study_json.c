#include "study/study_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/ini.h"
#include "base/memory.h"
#include "files/json.h"
#include "mbd/version.h"
#include "files/atomic_file.h"

enum { FORMAT = 1 };
static const char *const roles[] = {"set", "start", "backend", "problem"}; /* study_role */
enum { N_ROLES = sizeof roles / sizeof roles[0] };

/* ---- writing ---- */

/* NULL: one of them is not UTF-8. */
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

mbd_status study_json_write(const study *s, unsigned long long rows, mbd_error *err) {
  const long lost = json_memory_lost();
  json_t *columns = json_array(), *o;
  char hash[17], hash_points[17];
  snprintf(hash, sizeof hash, "%016llx", s->hash);
  snprintf(hash_points, sizeof hash_points, "%016llx", rows);
  for (int i = 0; i < s->ncolumn; i++) {
    const study_column *q = &s->column[i];
    json_array_append_new(columns,
                          json_pack("{s:s, s:s, s:s}", "name", q->name, "role", roles[q->role], "key", q->key));
  }
  o = json_pack("{s:i, s:s, s:s, s:s, s:I, s:i, s:o, s:s, s:o, s:o, s:o, s:s, s:s}", "study", FORMAT, "mbopt",
                MBD_VERSION, "kind", s->kind, "task", s->task, "runs", (json_int_t)s->n, "starts", s->starts,
                "run_files", texts(s->nfile, s->origin), "run_folder", s->beside, "models", texts(s->nfile, s->model),
                "set", texts(s->nset, s->set), "columns", columns, "hash", hash, "points", hash_points);
  mbd_status status =
      o || json_memory_lost() > lost
          ? json_write_file(s->folder, "study.json", o, err)
          : mbd_fail(err, MBD_BAD_INPUT, __func__, __LINE__,
                     "%s/study.json cannot be written: a path or an assignment of the study is not UTF-8; "
                     "expected names that are",
                     s->folder);
  json_decref(o);
  return status;
}

static int has_file(const char *folder, const char *name) {
  char *path = path_in(folder, name);
  const int has = path && access(path, F_OK) == 0;
  free(path);
  return has;
}

mbd_status study_json_read(const char *folder, json_t **out, mbd_error *err) {
  json_error_t why = {.text = ""};
  char *path = path_in(folder, "study.json");
  *out = NULL;
  const mbd_status status = path ? json_read_file(path, out, &why) : MBD_NO_MEMORY;
  json_t *o = *out;
  free(path);
  if (status == MBD_NO_MEMORY) { MBD_FAIL(err, status, "no memory for %s/study.json", folder); }
  if (json_integer_value(json_object_get(o, "study")) == FORMAT) { return MBD_OK; }
  (void)mbd_fail(
      err, MBD_BAD_INPUT, __func__, __LINE__, "%s is not a study: it has no study.json that this program wrote (%s)%s",
      folder, o ? "another version of it" : why.text,
      has_file(folder, "journal.jsonl") ? "; a single optimization goes on by the same command with --resume" : "");
  json_decref(o);
  *out = NULL;
  return MBD_BAD_INPUT;
}

int study_json_has(const json_t *o, const char *key, unsigned long long hash) {
  char text[17];
  const char *found = json_string_value(json_object_get(o, key));
  snprintf(text, sizeof text, "%016llx", hash);
  return found && strcmp(found, text) == 0;
}

/* ---- reading ---- */

/* Texts of a list; NULL: it has something else in it, or there is no memory. */
static char **read_texts(const json_t *o, const char *key, int *n) {
  const json_t *a = json_object_get(o, key);
  char **text = calloc(json_array_size(a) + 1, sizeof *text);
  *n = text ? (int)json_array_size(a) : 0;
  for (int i = 0; i < *n; i++) {
    text[i] = mbd_strdup(json_string_value(json_array_get(a, (size_t)i)));
    if (!text[i]) {
      ini_free_list(text, *n);
      *n = 0;
      return NULL;
    }
  }
  return text;
}

/* -1: no such word. */
static int find_role(const char *word) {
  for (int k = 0; word && k < N_ROLES; k++) {
    if (strcmp(roles[k], word) == 0) { return k; }
  }
  return -1;
}

static int read_columns(study *s, const json_t *o) {
  const json_t *a = json_object_get(o, "columns");
  s->column = calloc(json_array_size(a) + 1, sizeof *s->column);
  for (size_t i = 0; s->column && i < json_array_size(a); i++) {
    const json_t *q = json_array_get(a, i);
    const int role = find_role(json_string_value(json_object_get(q, "role")));
    study_column *c = &s->column[s->ncolumn++];
    *c = (study_column){.name = mbd_strdup(json_string_value(json_object_get(q, "name"))),
                        .role = (study_role)role,
                        .key = mbd_strdup(json_string_value(json_object_get(q, "key")))};
    if (role < 0 || !c->name || !c->key) { return 0; }
  }
  return s->ncolumn > 0;
}

mbd_status study_from_json(study *s, const json_t *o, mbd_error *err) {
  int nmodel;
  errno = 0; /* only memory can be short here */
  s->kind = mbd_strdup(json_string_value(json_object_get(o, "kind")));
  s->task = mbd_strdup(json_string_value(json_object_get(o, "task")));
  s->n = (long)json_integer_value(json_object_get(o, "runs"));
  s->starts = (int)json_integer_value(json_object_get(o, "starts"));
  s->beside = mbd_strdup(json_string_value(json_object_get(o, "run_folder")));
  s->origin = read_texts(o, "run_files", &s->nfile);
  s->model = read_texts(o, "models", &nmodel);
  if (nmodel != s->nfile) {
    ini_free_list(s->model, nmodel);
    s->model = NULL;
  }
  s->set = read_texts(o, "set", &s->nset);
  s->file = calloc((size_t)s->nfile + 1, sizeof *s->file);
  for (int i = 0; s->file && i < s->nfile; i++) { s->file[i] = study_copy_path(s->folder, i); }
  const int whole =
      s->kind && s->task && s->n > 0 && s->origin && s->model && s->set && s->file && s->beside && read_columns(s, o);
  if (errno == ENOMEM) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the study in %s", s->folder); }
  if (!whole || s->nfile < 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s/study.json is not whole: expected it as the program wrote it", s->folder);
  }
  return MBD_OK;
}
