#include "cli/new_precision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/csv.h"
#include "files/memory.h"
#include "files/text_stream.h"

enum { COLUMNS = 3, POINTS_MIN = 3 };

/* What a linkage is to do, the end of its template's name. */
typedef struct task {
  const char *name, *column[COLUMNS];
} task;

static const task tasks[] = {{"path", {"x", "y"}}, {"motion", {"x", "y", "angle"}}, {"function", {"input", "output"}}};

/* The points of a table: column k of row i in x[k][i]. */
typedef struct points {
  const task *task;
  const char *path;
  csv table;
  int count, ncolumn;
  double *x[COLUMNS];
} points;

static const task *task_of(const cli_template *t) {
  const char *end = strrchr(t->name, '_') + 1;
  for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
    if (strcmp(tasks[i].name, end) == 0) { return &tasks[i]; }
  }
  return NULL;
}

/* ---- the table ---- */

static mbd_status read_column(points *p, const char *name, double **x, mbd_error *err) {
  const int col = csv_column(&p->table, name);
  if (col < 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: no column '%s'; expected %s, %s%s%s in the first line", p->path, name,
             p->task->column[0], p->task->column[1], p->task->column[2] ? ", " : "",
             p->task->column[2] ? p->task->column[2] : "");
  }
  *x = csv_numbers(&p->table, col);
  MEMORY_TRY(*x, err, "%s", p->path);
  for (int i = 0; i < p->count; i++) {
    if (isfinite((*x)[i])) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: %s = '%.100s', expected a number", p->path, p->table.line[1 + i], name,
             csv_text(&p->table, i, col));
  }
  return MBD_OK;
}

static mbd_status read_points(points *p, mbd_error *err) {
  MBD_TRY(csv_read(p->path, 1, &p->table, err));
  p->count = p->table.nrow;
  for (; p->ncolumn < COLUMNS && p->task->column[p->ncolumn]; p->ncolumn++) {
    MBD_TRY(read_column(p, p->task->column[p->ncolumn], &p->x[p->ncolumn], err));
  }
  if (p->count < POINTS_MIN) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: %d lines of numbers, expected at least %d", p->path, p->count, POINTS_MIN);
  }
  for (int i = 1; strcmp(p->task->name, "function") == 0 && i < p->count; i++) {
    if (p->x[0][i] > p->x[0][i - 1]) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: input = %g comes after %g; expected inputs that increase", p->path,
             p->table.line[1 + i], p->x[0][i], p->x[0][i - 1]);
  }
  return MBD_OK;
}

/* The points as the run file reads them. */
static void write_points(const points *p, FILE *out) {
  const int function = strcmp(p->task->name, "function") == 0;
  fputs(function ? "turned,output\n" : p->ncolumn == COLUMNS ? "point,x,y,angle\n" : "point,x,y\n", out);
  for (int i = 0; i < p->count; i++) {
    fprintf(out, "%.12g", function ? p->x[0][i] - p->x[0][0] : i);
    for (int k = function; k < p->ncolumn; k++) { fprintf(out, ",%.12g", p->x[k][i]); }
    fputc('\n', out);
  }
}

/* ---- the run file ---- */

/* Least and greatest number of a column. */
static void extent(const points *p, int k, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int i = 0; i < p->count; i++) { *low = fmin(*low, p->x[k][i]), *high = fmax(*high, p->x[k][i]); }
}

/* The number of a scalar of the run file that follows from the points; NaN: it does not. The base begins beside them, below on the right. */
static double scalar_of(const points *p, const char *name) {
  double low[2], high[2];
  if (strcmp(p->task->name, "function") == 0) {
    return strcmp(name, "span") == 0 ? p->x[0][p->count - 1] - p->x[0][0] : NAN;
  }
  for (int k = 0; k < 2; k++) { extent(p, k, &low[k], &high[k]); }
  const double size = fmax(high[0] - low[0], high[1] - low[1]);
  if (strcmp(name, "N") == 0) { return p->count; }
  if (strcmp(name, "size") == 0) { return size; }
  if (strcmp(name, "x") == 0) { return (low[0] + high[0] + size) / 2; }
  return strcmp(name, "y") == 0 ? (low[1] + high[1] - size) / 2 : NAN;
}

/* Copies the lines of a run file; those of [scalars] that follow from the points with their numbers. */
static void write_run(const points *p, const char *run, FILE *out) {
  int in_scalars = 0;
  const char *end;
  for (const char *line = run; *line; line = end) {
    char name[32];
    end = line + strcspn(line, "\n");
    end += *end == '\n';
    if (*line == '[') { in_scalars = strncmp(line, "[scalars]", 9) == 0; }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " =\n"), line);
    const double number = in_scalars ? scalar_of(p, name) : NAN;
    const char *comment = memchr(line, ';', (size_t)(end - line));
    if (isnan(number)) {
      fwrite(line, 1, (size_t)(end - line), out);
    } else {
      const int used = fprintf(out, "%s = %.6g", name, number);
      if (comment) { fprintf(out, "%*s%.*s", 37 - used, "", (int)(end - comment), comment); }
      if (!comment) { fputc('\n', out); }
    }
  }
}

mbd_status cli_run_with_precision(const cli_template *t, const char *path, char **run, char **table, mbd_error *err) {
  points p = {.task = task_of(t), .path = path};
  text_stream of_run, of_table;
  *run = *table = NULL;
  mbd_status status = read_points(&p, err);
  if (status == MBD_OK) {
    FILE *out = text_begin(&of_run), *rows = text_begin(&of_table);
    if (out) { write_run(&p, t->run, out), *run = text_end(&of_run); }
    if (rows) { write_points(&p, rows), *table = text_end(&of_table); }
    if (!*run || !*table) { status = MEMORY_NONE(err, "%s", path); }
  }
  for (int k = 0; k < COLUMNS; k++) { free(p.x[k]); }
  csv_free(&p.table);
  return status;
}
