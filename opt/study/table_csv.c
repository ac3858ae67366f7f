#include "study/table_csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/ini.h"
#include "core/memory.h"

/* The next line that says something; 0: the end. */
static int next_line(table_csv *t) {
  ssize_t length;
  while ((length = getline(&t->text, &t->size, t->file)) > 0) {
    t->line++;
    while (length > 0 && strchr("\r\n \t", t->text[length - 1])) { t->text[--length] = '\0'; }
    const char *begin = t->text + strspn(t->text, " \t");
    if (*begin && *begin != '#') { return 1; }
  }
  return 0;
}

static mbd_status read_names(table_csv *t, mbd_error *err) {
  if (!next_line(t)) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: expected names of columns in the first line", t->path); }
  t->ncolumn = ini_list(t->text, &t->column);
  if (t->ncolumn < 1) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", t->path); }
  for (int i = 0; i < t->ncolumn; i++) {
    if (!*t->column[i]) { MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: column %d has no name", t->path, t->line, i + 1); }
  }
  return MBD_OK;
}

mbd_status table_csv_open(const char *path, table_csv *t, mbd_error *err) {
  *t = (table_csv){.path = mbd_strdup(path), .file = fopen(path, "r")};
  t->status = t->file ? read_names(t, err)
                      : mbd_fail(err, MBD_IO_ERROR, __func__, __LINE__, "%s cannot be read: %s", path, strerror(errno));
  const mbd_status status = t->status;
  if (status != MBD_OK) { table_csv_close(t); }
  return status;
}

static void free_row(table_csv *t) {
  ini_free_list(t->value, t->ncolumn);
  t->value = NULL;
}

void table_csv_close(table_csv *t) {
  if (t->file) { fclose(t->file); }
  free_row(t);
  ini_free_list(t->column, t->ncolumn);
  free(t->path), free(t->text);
  *t = (table_csv){0};
}

static mbd_status read_row(table_csv *t, mbd_error *err) {
  char **value;
  const int n = ini_list(t->text, &value);
  int empty = -1;
  for (int i = n - 1; i >= 0; i--) {
    if (!*value[i]) { empty = i; }
  }
  if (n == t->ncolumn && empty < 0) {
    t->value = value;
    return MBD_OK;
  }
  ini_free_list(value, n);
  if (n != t->ncolumn) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: %d values, expected %d as in the first line", t->path, t->line, n, t->ncolumn);
  }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: no value for '%s'", t->path, t->line, t->column[empty]);
}

int table_csv_next(table_csv *t, const char *const **row, mbd_error *err) {
  free_row(t);
  if (t->status != MBD_OK || !next_line(t)) { return 0; }
  t->status = read_row(t, err);
  *row = (const char *const *)t->value;
  return t->status == MBD_OK;
}
