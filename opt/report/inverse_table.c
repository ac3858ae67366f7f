#include "report/inverse_table.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

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

/* The largest entries of every matrix, in falling order: numbers of their columns. Entries that are zero but for rounding are none. */
static void choose(const csv *c, inverse_table *table, int col[INVERSE_MATRICES][INVERSE_MAX]) {
  double size[INVERSE_MATRICES][INVERSE_MAX];
  for (int j = 0; j < c->ncol; j++) {
    const int k = matrix_of(c->cell[j]);
    if (k < 0) { continue; }
    double squares = 0;
    for (int i = 0; i < c->nrow; i++) { squares += csv_number(c, i, j) * csv_number(c, i, j); }
    if (!(squares > 0)) { continue; }
    int at = table->count[k] < INVERSE_MAX ? table->count[k]++ : INVERSE_MAX;
    while (at > 0 && size[k][at - 1] < squares) { /* smaller entries move back */
      if (at < INVERSE_MAX) { size[k][at] = size[k][at - 1], col[k][at] = col[k][at - 1]; }
      at--;
    }
    if (at < INVERSE_MAX) { size[k][at] = squares, col[k][at] = j; }
  }
  for (int k = 0; k < INVERSE_MATRICES; k++) {
    while (table->count[k] > 0 && size[k][table->count[k] - 1] <= 1e-24 * size[k][0]) { table->count[k]--; }
  }
}

/* Copies the time and the largest entries of each matrix from the table. */
static mbd_status take(const csv *c, const char *folder, const char *file, inverse_table *table, mbd_error *err) {
  int col[INVERSE_MATRICES][INVERSE_MAX];
  if (c->nrow == 0 || strcmp(c->cell[0], "t [s]") != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s/%s: expected a table that begins with the column 't [s]', as gradient --over-time writes", folder,
             file);
  }
  table->n = c->nrow;
  table->t = csv_numbers(c, 0);
  choose(c, table, col);
  int all = table->t != NULL;
  for (int k = 0; k < INVERSE_MATRICES; k++) {
    for (int i = 0; i < table->count[k]; i++) {
      const char *column = c->cell[col[k][i]], *by = strstr(column, "/d "); /* "d Q hip.angle/d knee.angle" */
      table->name[k][i] = mbd_sprintf_dup("%.*s by %s", (int)(by - column - 4), column + 4, by + 3);
      table->entry[k][i] = csv_numbers(c, col[k][i]);
      all &= table->name[k][i] && table->entry[k][i];
    }
  }
  MEMORY_TRY(all, err, "%s/%s", folder, file);
  return MBD_OK;
}

mbd_status inverse_table_read(const char *folder, const char *file, inverse_table *table, mbd_error *err) {
  csv c;
  *table = (inverse_table){0};
  MBD_TRY(csv_read_if_there(folder, file, &c, err));
  const mbd_status status = c.ncol ? take(&c, folder, file, table, err) : MBD_OK;
  csv_free(&c);
  return status;
}

void inverse_table_free(inverse_table *table) {
  for (int k = 0; k < INVERSE_MATRICES; k++) {
    for (int i = 0; i < table->count[k]; i++) { free(table->name[k][i]), free(table->entry[k][i]); }
  }
  free(table->t);
  *table = (inverse_table){0};
}
