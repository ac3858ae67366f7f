#include "evaluate/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "evaluate/json_number.h"

struct journal {
  int fd;
  char *path;
  int n, nc;
};

/* ---- writing ---- */

static mbd_status write_line(journal *j, json_t *line, mbd_error *err) {
  char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17));
  char *full = text ? mbd_sprintf_dup("%s\n", text) : NULL;
  json_decref(line);
  free(text);
  if (!full) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a line of %s", j->path); }
  size_t length = strlen(full);
  off_t before = lseek(j->fd, 0, SEEK_END);
  ssize_t written = write(j->fd, full, length);
  int error = written < 0 ? errno : ENOSPC;
  free(full);
  if (written == (ssize_t)length) { return MBD_OK; }
  if (written > 0 && before >= 0 && ftruncate(j->fd, before) != 0) { error = errno; } /* leave no torn line */
  MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be written: %s", j->path, strerror(error));
}

static mbd_status write_header(journal *j, const mbo_problem *p, const char *fingerprint, mbd_error *err) {
  json_t *names = json_array(), *constraints = json_array();
  for (int i = 0; i < p->n; i++) { json_array_append_new(names, json_string(p->names[i])); }
  for (int i = 0; i < p->nc; i++) { json_array_append_new(constraints, json_string(p->c_names[i])); }
  return write_line(j,
                    json_pack("{s:i, s:s, s:o, s:o, s:s}", "journal", 1, "problem", p->name, "variables", names,
                              "constraints", constraints, "fingerprint", fingerprint),
                    err);
}

mbd_status journal_append(journal *j, const journal_record *r, mbd_error *err) {
  json_t *o = json_object();
  json_object_set_new(o, "evaluation", json_integer(r->number));
  json_object_set_new(o, "x", json_numbers(r->x, j->n));
  json_object_set_new(o, "status", json_string(mbd_status_name(r->status)));
  json_object_set_new(o, "code", json_integer(r->status));
  if (r->status == MBD_OK) {
    json_object_set_new(o, "f", json_number(r->f));
    if (j->nc) { json_object_set_new(o, "c", json_numbers(r->c, j->nc)); }
    if (r->g) { json_object_set_new(o, "g", json_numbers(r->g, j->n)); }
    if (r->g && j->nc) { json_object_set_new(o, "jac", json_numbers(r->jac, j->n * j->nc)); }
    if (r->H) { json_object_set_new(o, "H", json_numbers(r->H, j->n * j->n)); }
    if (r->hess) { json_object_set_new(o, "hessians", json_numbers(r->hess, (1 + j->nc) * j->n * j->n)); }
  } else if (r->text) {
    json_object_set_new(o, "error", json_string(r->text));
  }
  json_object_set_new(o, "seconds", json_number(r->seconds));
  return write_line(j, o, err);
}

/* ---- reading ---- */

static void free_record(journal_record *r) {
  free(r->x), free(r->c), free(r->g), free(r->jac), free(r->H), free(r->hess), free(r->text);
}

static double *read_numbers(const json_t *o, const char *key, int n) {
  const json_t *a = json_object_get(o, key);
  if (!json_is_array(a) || (int)json_array_size(a) != n) { return NULL; }
  double *v = malloc(((size_t)n + 1) * sizeof *v);
  for (int i = 0; v && i < n; i++) {
    const json_t *k = json_array_get(a, (size_t)i);
    v[i] = json_is_number(k) ? json_number_value(k) : NAN;
  }
  return v;
}

/* 0: not a whole one. */
static int read_record(const json_t *o, int n, int nc, journal_record *r) {
  *r = (journal_record){.x = read_numbers(o, "x", n)};
  r->number = (int)json_integer_value(json_object_get(o, "evaluation"));
  r->status = (mbd_status)json_integer_value(json_object_get(o, "code"));
  r->f = json_number_value(json_object_get(o, "f"));
  r->seconds = json_number_value(json_object_get(o, "seconds"));
  r->c = nc ? read_numbers(o, "c", nc) : NULL;
  r->g = read_numbers(o, "g", n);
  r->jac = nc ? read_numbers(o, "jac", n * nc) : NULL;
  r->H = read_numbers(o, "H", n * n);
  r->hess = read_numbers(o, "hessians", (1 + nc) * n * n);
  r->text = mbd_strdup(json_string_value(json_object_get(o, "error")));
  return r->x && (r->status != MBD_OK || json_is_number(json_object_get(o, "f"))) && (!r->g || !nc || r->jac);
}

static mbd_status check_header(const json_t *o, const char *path, const mbo_problem *p, const char *fingerprint,
                               mbd_error *err) {
  const char *found = json_string_value(json_object_get(o, "fingerprint"));
  if (json_integer_value(json_object_get(o, "journal")) != 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s is not a journal of this program", path);
  }
  if (!found || strcmp(found, fingerprint) != 0 || (int)json_array_size(json_object_get(o, "variables")) != p->n) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s is the journal of another problem (model, variables or settings have changed); remove it, or choose "
             "another folder with --output",
             path);
  }
  return MBD_OK;
}

/* Whole lines only; *valid: the length of the file up to the last of them. */
static mbd_status read_lines(FILE *in, const char *path, const mbo_problem *p, const char *fingerprint,
                             journal_record **records, int *n, long *valid, mbd_error *err) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  mbd_status status = MBD_OK;
  for (int k = 0; status == MBD_OK && (length = getline(&line, &size, in)) > 0; k++) {
    json_t *o = line[length - 1] == '\n' ? json_loads(line, 0, NULL) : NULL;
    if (!o) { break; } /* torn: the run was killed while it wrote */
    if (k == 0) {
      status = check_header(o, path, p, fingerprint, err);
    } else {
      journal_record *grown = mbd_list_grow(*records, *n, sizeof *grown);
      if (!grown) {
        status = mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for %s", path);
      } else {
        *records = grown;
        if (read_record(o, p->n, p->nc, &grown[*n])) {
          (*n)++;
        } else {
          free_record(&grown[*n]);
        }
      }
    }
    *valid = ftell(in);
    json_decref(o);
  }
  free(line);
  return status;
}

mbd_status journal_open(const char *path, const mbo_problem *p, const char *fingerprint, journal **out,
                        journal_record **records, int *n, mbd_error *err) {
  long valid = 0;
  *out = NULL;
  if (records) {
    FILE *in = fopen(path, "r");
    if (in) {
      mbd_status status = read_lines(in, path, p, fingerprint, records, n, &valid, err);
      fclose(in);
      MBD_TRY(status);
    }
  }
  journal *j = calloc(1, sizeof *j);
  if (!j) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the journal"); }
  *j = (journal){.fd = open(path, O_WRONLY | O_CREAT | O_APPEND | (records ? 0 : O_TRUNC), 0666),
                 .path = mbd_strdup(path),
                 .n = p->n,
                 .nc = p->nc};
  struct stat info;
  mbd_status status = MBD_OK;
  if (j->fd < 0 || (records && fstat(j->fd, &info) == 0 && S_ISREG(info.st_mode) && ftruncate(j->fd, valid) != 0)) {
    status = mbd_fail(err, MBD_IO_ERROR, __func__, __LINE__, "%s cannot be written: %s", path, strerror(errno));
  }
  if (status == MBD_OK && valid == 0) { status = write_header(j, p, fingerprint, err); }
  if (status != MBD_OK) {
    journal_close(j);
    return status;
  }
  *out = j;
  return MBD_OK;
}

void journal_close(journal *j) {
  if (!j) { return; }
  if (j->fd >= 0) { close(j->fd); }
  free(j->path);
  free(j);
}

void journal_free_records(journal_record *r, int n) {
  for (int i = 0; i < n; i++) { free_record(&r[i]); }
  free(r);
}
