/* The configuration of a run: the copy of its run file with the values of its row. */
#include <stdlib.h>
#include <string.h>

#include "config/ini.h"
#include "base/memory.h"
#include "evaluate/fingerprint.h"
#include "study/compare.h"
#include "study/study_hash.h"

/* A model file among the swept values is found from the run file, as it is there. */
static char *key_set(const study *s, const study_column *q, const char *value) {
  const int beside = strcmp(q->key, "model.file") == 0 && *value != '/';
  return beside ? mbd_sprintf_dup("%s=%s/%s", q->key, s->beside, value) : mbd_sprintf_dup("%s=%s", q->key, value);
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

/* The assignments for all runs, the model, those of the row; the number of them, -1: no memory. */
static int row_sets(const study *s, char *const *value, int file, char **set) {
  int n = 0;
  for (int i = 0; i < s->nset; i++) { set[n++] = mbd_strdup(s->set[i]); }
  set[n++] =
      mbd_sprintf_dup("model.file=%s", s->model[file]); /* it may be an assignment that names it, from elsewhere */
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
  mbd_status status = n < 0 ? mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for a run of %s", s->folder)
                            : mbo_run_config_read(s->file[number], n, (const char *const *)set, out, err);
  ini_free_list(set, most);
  if (status == MBD_OK && backend) { status = compare_set_backend(*out, backend, err); }
  if (status != MBD_OK) {
    mbo_run_config_destroy(*out);
    *out = NULL;
  }
  return status;
}

mbd_status study_run_hash(const study *s, unsigned long long *hash, mbd_error *err) {
  *hash = fingerprint_text(s->hash, s->points.row);
  for (int i = 0; i < s->ncolumn; i++) {
    if (strcmp(s->column[i].key, "model.file") != 0) { continue; }
    char *set = key_set(s, &s->column[i], s->points.value[i]);
    if (!set) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a run of %s", s->folder); }
    const mbd_status status = study_hash_file(hash, set + strlen("model.file="), err);
    free(set);
    MBD_TRY(status);
  }
  return MBD_OK;
}

mbd_status study_configure(study *s, long i, mbo_run_config **out, int *start, mbd_error *err) {
  MBD_TRY(points_read(&s->points, i, err));
  return study_configure_row(s, s->points.value, out, start, err);
}
