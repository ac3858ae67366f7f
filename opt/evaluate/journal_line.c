#include "evaluate/journal_line.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/fingerprint.h"
#include "files/json.h"

enum { FORMAT = 2 };
static const char before_hash[] = ",\"hash\":\"";
enum { HASH_DIGITS = 16 };

/* ---- writing ---- */

char *journal_line_text(json_t *o, long lost) {
  char *text = json_memory_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17), lost);
  json_decref(o);
  if (!text) { return NULL; }
  const size_t length = strlen(text) - 1; /* without the brace at the end */
  const unsigned long long hash = fingerprint_add(FINGERPRINT_NONE, text, length);
  char *line = mbd_sprintf_dup("%.*s%s%0*llx\"}\n", (int)length, text, before_hash, (int)HASH_DIGITS, hash);
  free(text);
  return line;
}

static json_t *texts(const char *const *text, int n) {
  json_t *a = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(a, json_text(text[i])); }
  return a;
}

json_t *journal_line_header(const mbo_problem *p, const char *fingerprint) {
  return json_pack("{s:i, s:o, s:o, s:o, s:s}", "journal", FORMAT, "problem", json_text(p->name), "variables",
                   texts(p->names, p->n), "constraints", texts(p->c_names, p->nc), "fingerprint", fingerprint);
}

/* The fields of an evaluation; values and derivatives only if the design could be simulated. */
json_t *journal_line_record(const journal_record *r, int n, int nc) {
  json_t *o = json_object();
  /* What every evaluation has. */
  json_object_set_new(o, "evaluation", json_integer(r->number));
  json_object_set_new(o, "x", json_numbers(r->x, n));
  json_object_set_new(o, "status", json_string(mbd_status_name(r->status)));
  json_object_set_new(o, "code", json_integer(r->status));
  /* Values, and those derivatives that were requested. */
  if (r->status == MBD_OK) {
    json_object_set_new(o, "f", json_number(r->f));
    if (nc) { json_object_set_new(o, "c", json_numbers(r->c, nc)); }
    if (r->g) { json_object_set_new(o, "g", json_numbers(r->g, n)); }
    if (r->g && nc) { json_object_set_new(o, "jac", json_numbers(r->jac, n * nc)); }
    if (r->H) { json_object_set_new(o, "H", json_numbers(r->H, n * n)); }
    if (r->hess) { json_object_set_new(o, "hessians", json_numbers(r->hess, (1 + nc) * n * n)); }
    /* The comparison of a gradient that is watched. */
    if (r->nwatch) {
      json_object_set_new(o, "deviation", json_number(r->deviation));
      json_object_set_new(o, "difference", json_numbers(r->difference, r->nwatch));
      json_object_set_new(o, "size", json_numbers(r->size, r->nwatch));
    }
  } else if (r->text) {
    json_object_set_new(o, "error", json_text(r->text));
  }
  json_object_set_new(o, "seconds", json_number(r->seconds));
  if (r->stage) { json_object_set_new(o, "stage", json_text(r->stage)); }
  return o;
}

json_t *journal_line_decided(const char *decided) {
  json_t *value = json_loads(decided, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
  return value ? json_pack("{s:o}", "decided", value) : NULL;
}

/* ---- reading ---- */

int journal_line_is_whole(const char *line, size_t length) {
  char expected[sizeof before_hash + HASH_DIGITS + sizeof "\"}"];
  const size_t ending = strlen(before_hash) + HASH_DIGITS + strlen("\"}");
  if (length <= ending) { return 0; }
  const char *at = line + length - ending;
  snprintf(expected, sizeof expected, "%s%0*llx\"}", before_hash, (int)HASH_DIGITS,
           fingerprint_add(FINGERPRINT_NONE, line, length - ending));
  return memcmp(at, expected, ending) == 0;
}

mbd_status journal_line_read(const char *line, size_t length, json_t **out, mbd_error *err) {
  const long lost = mbd_memory_lost();
  *out = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
  mbd_status status = MEMORY_SINCE(lost, err, "a line");
  if (status == MBD_OK && !(json_is_object(*out) && journal_line_is_whole(line, length))) {
    status = MBD_FAILED(err, MBD_BAD_INPUT, "%s",
                        json_is_object(*out) ? "its hash is not that of the line" : "it is not an object of JSON");
  }
  if (status == MBD_OK) { return MBD_OK; }
  json_decref(*out);
  *out = NULL;
  return status;
}

static int same_texts(const json_t *a, const char *const *text, int n) {
  int same = json_is_array(a) && json_array_size(a) == (size_t)n;
  for (int i = 0; same && i < n; i++) {
    json_t *expected = json_text(text[i]);
    same = json_equal(json_array_get(a, (size_t)i), expected);
    json_decref(expected);
  }
  return same;
}

/* Compares format, fingerprint and names in the header of a journal with those of the problem. */
mbd_status journal_line_check_header(const json_t *o, const char *path, const mbo_problem *p, const char *fingerprint,
                                     mbd_error *err) {
  const long lost = mbd_memory_lost();
  const json_t *format = json_object_get(o, "journal");
  const char *found = json_string_value(json_object_get(o, "fingerprint"));
  /* The file is a journal, and of this format. */
  if (!json_is_integer(format)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s is not a journal of this program; remove it, or choose another folder with --output", path);
  }
  if (json_integer_value(format) != FORMAT) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "%s is a journal of another version of this program (format %lld, expected %d); remove it, or choose another "
        "folder with --output",
        path, (long long)json_integer_value(format), FORMAT);
  }
  /* It belongs to this problem: same fingerprint and same names in the same order. Comparisons need memory. */
  const int same = found && strcmp(found, fingerprint) == 0 &&
                   same_texts(json_object_get(o, "variables"), p->names, p->n) &&
                   same_texts(json_object_get(o, "constraints"), p->c_names, p->nc);
  MBD_TRY(MEMORY_SINCE(lost, err, "%s", path));
  if (!same) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s is the journal of another problem (model, variables or settings have changed); remove it, or choose "
             "another folder with --output",
             path);
  }
  return MBD_OK;
}

static int is_finite(const json_t *v) {
  return json_is_number(v) && isfinite(json_number_value(v));
}

/* Reads a list of n numbers into new memory. A null represents a number that was not finite; it is permitted only in
 * x. */
static mbd_status read_numbers(const json_t *o, const char *key, size_t n, double **out, mbd_error *err) {
  const json_t *a = json_object_get(o, key);
  const int is_x = strcmp(key, "x") == 0;
  int whole = json_is_array(a) && json_array_size(a) == n;
  for (size_t i = 0; whole && i < n; i++) {
    const json_t *k = json_array_get(a, i);
    whole = is_finite(k) || (is_x && json_is_null(k));
  }
  if (!whole) { MBD_FAIL(err, MBD_BAD_INPUT, "'%s' is not a list of %zu finite numbers", key, n); }
  double *v = *out = mbd_zeros(n, sizeof *v);
  MEMORY_TRY(v, err, "a line");
  for (size_t i = 0; i < n; i++) {
    const json_t *k = json_array_get(a, i);
    v[i] = json_is_null(k) ? NAN : json_number_value(k);
  }
  return MBD_OK;
}

/* The same for a list that may be absent. */
static mbd_status may_read_numbers(const json_t *o, const char *key, size_t n, double **out, mbd_error *err) {
  return json_object_get(o, key) ? read_numbers(o, key, n, out, err) : MBD_OK;
}

static mbd_status read_number(const json_t *o, const char *key, double min, double *v, mbd_error *err) {
  const json_t *k = json_object_get(o, key);
  *v = json_number_value(k);
  if (!is_finite(k) || *v < min) {
    MBD_FAIL(err, MBD_BAD_INPUT, "'%s' is not a finite number that can stand there", key);
  }
  return MBD_OK;
}

/* Reads the status of a design from its name; returns 1 if a design can have it and its code agrees. */
static int read_status(const json_t *o, mbd_status *status) {
  const json_t *code = json_object_get(o, "code");
  const char *name = json_string_value(json_object_get(o, "status"));
#define X(name_, value, text) \
  if (value >= 0 && name && strcmp(name, #name_) == 0) { *status = name_; }
  *status = MBD_INTERRUPTED; /* the value if no status of a design has this name */
  MBD_STATUS_LIST(X)
#undef X
  return *status >= 0 && json_is_integer(code) && json_integer_value(code) == *status;
}

/* Reads the values, and the derivatives if there are any, of a design that could be simulated. */
static mbd_status take_values(const json_t *o, size_t n, size_t nc, journal_record *r, mbd_error *err) {
  MBD_TRY(read_number(o, "f", -INFINITY, &r->f, err));
  if (nc) { MBD_TRY(read_numbers(o, "c", nc, &r->c, err)); }
  MBD_TRY(may_read_numbers(o, "g", n, &r->g, err));
  if (nc && r->g) { MBD_TRY(read_numbers(o, "jac", n * nc, &r->jac, err)); }
  MBD_TRY(may_read_numbers(o, "H", n * n, &r->H, err));
  if (json_object_get(o, "size")) {
    const size_t nwatch = json_array_size(json_object_get(o, "size"));
    MBD_TRY(read_numbers(o, "size", nwatch, &r->size, err));
    MBD_TRY(read_numbers(o, "difference", nwatch, &r->difference, err));
    r->nwatch = (int)nwatch;
  }
  return may_read_numbers(o, "hessians", (1 + nc) * n * n, &r->hess, err);
}

mbd_status journal_line_take(const json_t *o, int n, int nc, journal_record *r, mbd_error *err) {
  const json_t *error = json_object_get(o, "error");
  double number;
  *r = (journal_record){0};
  MBD_TRY(read_number(o, "evaluation", 1, &number, err));
  if (number != floor(number) || number > INT_MAX) {
    MBD_FAIL(err, MBD_BAD_INPUT, "'evaluation' is not a whole number");
  }
  r->number = (int)number;
  MBD_TRY(read_numbers(o, "x", (size_t)n, &r->x, err));
  MBD_TRY(read_number(o, "seconds", 0, &r->seconds, err));
  if (!read_status(o, &r->status)) { MBD_FAIL(err, MBD_BAD_INPUT, "'status' and 'code' are not those of a design"); }
  if (error && (r->status == MBD_OK || !json_is_string(error))) {
    MBD_FAIL(err, MBD_BAD_INPUT, "'error' is not the text of a failed design");
  }
  const char *stage = json_string_value(json_object_get(o, "stage"));
  if (stage) { MEMORY_TRY(r->stage = mbd_strdup(stage), err, "a line"); }
  r->text = mbd_strdup(json_string_value(error));
  if (error) { MEMORY_TRY(r->text, err, "a line"); }
  return r->status == MBD_OK ? take_values(o, (size_t)n, (size_t)nc, r, err) : MBD_OK;
}

mbd_status journal_line_take_decided(const json_t *o, char **decided, mbd_error *err) {
  char *text = json_memory_dumps(o, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17), mbd_memory_lost());
  MEMORY_TRY(text, err, "a line");
  free(*decided);
  *decided = text;
  return MBD_OK;
}

int journal_line_is_end(const json_t *o) {
  return json_is_string(json_object_get(o, "end"));
}

void journal_record_free(journal_record *r) {
  free(r->x), free(r->c), free(r->g), free(r->jac), free(r->H), free(r->hess), free(r->text), free(r->difference),
      free(r->size), free(r->stage);
}
