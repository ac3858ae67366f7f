#include "report/inverse_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/atomic_file.h"
#include "files/csv.h"

const inverse_matrix inverse_matrices[INVERSE_MATRICES] = {{"coordinates", "dQ/dz", "the coordinates"},
                                                           {"rates", "dQ/dzd", "their rates"},
                                                           {"accelerations", "dQ/dzdd", "their accelerations"}};

static int ends_with(const char *text, const char *ending) {
  const size_t n = strlen(text), k = strlen(ending);
  return n >= k && strcmp(text + n - k, ending) == 0;
}

/* "d Q hip.angle/d knee.angle.rate": the number of its matrix; -1: another column. */
static int matrix_of(const char *name) {
  if (strncmp(name, "d Q ", 4) != 0 || !strstr(name, "/d ")) { return -1; }
  return ends_with(name, ".acceleration") ? 2 : ends_with(name, ".rate") ? 1 : 0;
}

static double mean_square(const csv *c, int col) {
  double sum = 0;
  for (int i = 0; i < c->nrow; i++) { sum += csv_number(c, i, col) * csv_number(c, i, col); }
  return sum / c->nrow;
}

/* The largest entries of every matrix, in falling order: numbers of their columns. */
static void choose(const csv *c, inverse_table *table, int col[INVERSE_MATRICES][INVERSE_MAX]) {
  double size[INVERSE_MATRICES][INVERSE_MAX];
  for (int j = 0; j < c->ncol; j++) {
    const int k = matrix_of(c->cell[j]);
    if (k < 0) { continue; }
    const double own = mean_square(c, j);
    if (!(own > 0)) { continue; }
    int at = table->count[k] < INVERSE_MAX ? table->count[k]++ : INVERSE_MAX;
    while (at > 0 && size[k][at - 1] < own) { /* smaller entries move back */
      if (at < INVERSE_MAX) { size[k][at] = size[k][at - 1], col[k][at] = col[k][at - 1]; }
      at--;
    }
    if (at < INVERSE_MAX) { size[k][at] = own, col[k][at] = j; }
  }
}

/* The name "hip.angle by knee.angle" of a column, in new memory. */
static char *entry_name(const char *column) {
  const char *by = strstr(column, "/d ");
  return mbd_sprintf_dup("%.*s by %s", (int)(by - column - 4), column + 4, by + 3);
}

static double *numbers(const csv *c, int col) {
  double *v = calloc((size_t)c->nrow + 1, sizeof *v);
  for (int i = 0; v && i < c->nrow; i++) { v[i] = csv_number(c, i, col); }
  return v;
}

/* Copies the time and the largest entries of each matrix from the table. */
static mbd_status take(const csv *c, const char *path, inverse_table *table, mbd_error *err) {
  int col[INVERSE_MATRICES][INVERSE_MAX];
  if (c->nrow == 0 || strcmp(c->cell[0], "t [s]") != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: expected a table that begins with the column 't [s]', as gradient --over-time writes", path);
  }
  table->n = c->nrow;
  table->t = numbers(c, 0);
  choose(c, table, col);
  int all = table->t != NULL;
  for (int k = 0; k < INVERSE_MATRICES; k++) {
    for (int i = 0; i < table->count[k]; i++) {
      table->name[k][i] = entry_name(c->cell[col[k][i]]);
      table->entry[k][i] = numbers(c, col[k][i]);
      all &= table->name[k][i] && table->entry[k][i];
    }
  }
  if (!all) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", path); }
  return MBD_OK;
}

mbd_status inverse_table_read(const char *folder, const char *file, inverse_table *table, mbd_error *err) {
  double when;
  csv c = {0};
  *table = (inverse_table){0};
  MBD_TRY(file_written(folder, file, &when, err));
  if (when < 0) { return MBD_OK; }
  char *path = path_in(folder, file);
  if (!path) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", folder); }
  mbd_status status = csv_read(path, 0, &c, err);
  if (status == MBD_OK) { status = take(&c, path, table, err); }
  csv_free(&c);
  free(path);
  return status;
}

void inverse_table_free(inverse_table *table) {
  for (int k = 0; k < INVERSE_MATRICES; k++) {
    for (int i = 0; i < table->count[k]; i++) { free(table->name[k][i]), free(table->entry[k][i]); }
  }
  free(table->t);
  *table = (inverse_table){0};
}
