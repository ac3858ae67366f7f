#include "mechanism/measured.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "base/nearest.h"
#include "config/model_file.h"
#include "files/csv.h"

/* ---- delays and offsets ---- */

enum { SENSOR_NAME = 400 };

static const char *sensor_name(const mbo_measurement_config *k, const char *key, char name[SENSOR_NAME]) {
  snprintf(name, SENSOR_NAME, "measurement.%.300s.%s", k->name, key);
  return name;
}

static mbd_status enter(const mbo_run_config *c, const mbo_measurement_config *k, const char *key, const char *text,
                        mbo_model_file *file, mbd_error *err) {
  char name[SENSOR_NAME];
  int index;
  if (!*text) { return MBD_OK; }
  return mbd_locate(err, model_file_coefficient(file, sensor_name(k, key, name), text, &index, err),
                    "%s: [measurement %s] %s = %s: ", c->path, k->name, key, text);
}

mbd_status measured_enter(const mbo_run_config *c, const mbo_case_config *in_case, mbo_model_file *file,
                          mbd_error *err) {
  for (int i = 0; i < c->nobjective; i++) { /* an objective has its case even if the section does not name it */
    const mbo_measurement_config *k = c->objective[i].measured;
    if (!k || strcmp(c->objective[i].in_case, in_case->name) != 0) { continue; }
    MBD_TRY(enter(c, k, "delay", k->delay, file, err));
    MBD_TRY(enter(c, k, "offset", k->offset, file, err));
  }
  return MBD_OK;
}

/* 1 + the coefficient; 0: there is none. */
static int coefficient(const mbo_measurement_config *k, const char *key, const char *text, const mbd_model *model) {
  char name[SENSOR_NAME];
  int i = 0;
  if (!*text) { return 0; }
  sensor_name(k, key, name);
  while (strcmp(mbd_model_coef_name(model, i), name) != 0) { i++; }
  return i + 1;
}

/* ---- tables ---- */

/* A table while it is read. */
typedef struct reader {
  const mbo_run_config *c;
  const mbo_measurement_config *k;
  csv table;
  int header; /* 1: the first line names the columns */
  mbd_error *err;
} reader;

#define READER_FAIL(q, ...)                                                                                            \
  return mbd_locate((q)->err, MBD_FAILED((q)->err, MBD_BAD_INPUT, __VA_ARGS__), "%s: [measurement %s] ", (q)->c->path, \
                    (q)->k->name)

static int is_number(const char *text) {
  char *end;
  const double v = strtod(text, &end);
  return end != text && !*end && isfinite(v);
}

/* Returns the length of a name without its unit, as "P2.position.x" of "P2.position.x [m]". */
static size_t length_of(const char *name) {
  const char *unit = strstr(name, " [");
  size_t n = unit ? (size_t)(unit - name) : strlen(name);
  while (n > 0 && name[n - 1] == ' ') { n--; }
  return n;
}

static int is_called(const char *column, const char *name) {
  const size_t n = length_of(name);
  return strlen(column) == n && strncmp(column, name, n) == 0;
}

/* Reports that there is no such column. line: that of the key in the run file, 0 if the key is not there. */
static mbd_status no_column(const reader *in, const char *key, int line, const char *name, const mbd_nearest *near) {
  char hint[MBD_HINT], place[24] = "";
  if (line > 0) { snprintf(place, sizeof place, ":%d", line); }
  MBD_FAIL(in->err, MBD_BAD_INPUT,
           "%s%s: [measurement %s] %s = %s: '%s' has no such column%s; expected %s number from 1 to %d", in->c->path,
           place, in->k->name, key, name, in->k->file, mbd_nearest_text(near, hint, sizeof hint),
           in->header ? "a name of its first line or a" : "a", in->table.ncol);
}

/* Finds a column by its name, or by its number from 1 on. */
static mbd_status find_column(const reader *in, const char *key, int line, const char *name, int *column) {
  const csv *t = &in->table;
  mbd_nearest near = {.requested = name};
  char *end;
  for (int j = 0; in->header && j < t->ncol; j++) {
    *column = j;
    if (is_called(t->cell[j], name)) { return MBD_OK; }
    mbd_nearest_offer(&near, t->cell[j]);
  }
  const long number = strtol(name, &end, 10);
  *column = (int)number - 1;
  if (isdigit((unsigned char)*name) && !*end && number >= 1 && number <= t->ncol) { return MBD_OK; }
  return no_column(in, key, line, name, &near);
}

static mbd_status find_columns(reader *in, int *time, int *value) {
  if (in->table.ncol < 2) {
    READER_FAIL(in, "'%s' has one column, expected at least two, with commas or semicolons between them", in->k->file);
  }
  *time = 0;
  if (*in->k->time) { MBD_TRY(find_column(in, "time", in->k->time_line, in->k->time, time)); }
  if (*in->k->column) { return find_column(in, "column", in->k->column_line, in->k->column, value); }
  *value = 1 - *time;
  if (in->table.ncol == 2) { return MBD_OK; }
  READER_FAIL(in, "column: '%s' has %d columns, expected the name or the number of one", in->k->file, in->table.ncol);
}

/* Reads a number from a cell; row -1 is the first line. Sets *v to NaN for an empty cell. */
static mbd_status read_cell(reader *in, int row, int column, double *v) {
  const csv *t = &in->table;
  const char *text = csv_text(t, row, column);
  *v = NAN;
  if (!*text) { return MBD_OK; }
  *v = csv_number(t, row, column);
  if (is_number(text)) { return MBD_OK; }
  READER_FAIL(in, "%s:%d: '%.60s' in column %d, expected a number or an empty cell", in->k->file, t->line[row + 1],
              text, column + 1);
}

static mbd_status read_samples(reader *in, int time, int value, measured_series *out) {
  const csv *t = &in->table;
  double last = -INFINITY;
  for (int row = in->header ? 0 : -1; row < t->nrow; row++) {
    double at, v;
    MBD_TRY(read_cell(in, row, time, &at));
    MBD_TRY(read_cell(in, row, value, &v));
    if (isnan(at) || isnan(v)) { continue; }
    if (!(at > last)) {
      READER_FAIL(in, "%s:%d: times must increase, but %g s follows %g s", in->k->file, t->line[row + 1], at, last);
    }
    last = at;
    if (at < in->k->from || at > in->k->until) { continue; }
    out->time[out->is.n] = at, out->value[out->is.n++] = in->k->factor * v;
  }
  if (out->is.n > 0) { return MBD_OK; }
  READER_FAIL(in, "'%s' has no sample between from = %g s and until = %g s", in->k->file, in->k->from, in->k->until);
}

static mbd_status read_table(reader *in, measured_series *out) {
  int time, value;
  const csv *t = &in->table;
  /* A first line with something that is no number names the columns; units are cut off the names. */
  for (int j = 0; j < t->ncol; j++) { in->header |= !is_number(t->cell[j]); }
  for (int j = 0; in->header && j < t->ncol; j++) { t->cell[j][length_of(t->cell[j])] = '\0'; }
  out->time = calloc((size_t)in->table.nrow + 2, sizeof *out->time);
  out->value = calloc((size_t)in->table.nrow + 2, sizeof *out->value);
  MEMORY_TRY(out->time && out->value, in->err, "the samples of %s", in->k->file);
  out->is.time = out->time, out->is.value = out->value;
  MBD_TRY(find_columns(in, &time, &value));
  return read_samples(in, time, value, out);
}

mbd_status measured_read(const mbo_run_config *c, const mbo_measurement_config *k, const mbd_model *model,
                         measured_series *series, mbd_error *err) {
  reader r = {.c = c, .k = k, .err = err};
  int loss = 0;
  while (strcmp(mbd_loss_name(loss), k->loss) != 0) { loss++; } /* the run file has no other words */
  *series = (measured_series){.is = {.sigma = isnan(k->sigma) ? 1 : k->sigma,
                                     .loss = loss,
                                     .width = isnan(k->loss_width) ? mbd_loss_at(loss)->width : k->loss_width,
                                     .delay = coefficient(k, "delay", k->delay, model),
                                     .offset = coefficient(k, "offset", k->offset, model)},
                              .hold_out = k->hold_out};
  MBD_TRY(mbd_locate(err, csv_read(k->file, 0, &r.table, err), "%s: [measurement %s] file: ", c->path, k->name));
  const mbd_status status = read_table(&r, series);
  csv_free(&r.table);
  return status;
}

void measured_free(measured_series *series) {
  free(series->time), free(series->value);
  *series = (measured_series){.is = {.n = 0}};
}
