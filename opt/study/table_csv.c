#include "study/table_csv.h"

#include <stdlib.h>
#include <string.h>

#include "config/ini.h"
#include "base/memory.h"

/* The next line that says something; 0: the end, or one that cannot be read. */
static int next_line(table_csv *t, mbd_error *err) {
  while ((t->text = text_file_line(&t->file)) != NULL) {
    for (size_t n = strlen(t->text); n > 0 && strchr(" \t", t->text[n - 1]); n--) { t->text[n - 1] = '\0'; }
    const char *begin = t->text + strspn(t->text, " \t");
    if (!*begin || *begin == '#') { continue; }
    if (text_is_utf8(begin)) { return 1; }
    t->status = mbd_fail(err, MBD_BAD_INPUT, __func__, __LINE__,
                         "%s:%d: letters that are not in UTF-8; save the file in that encoding", t->path, t->file.line);
    return 0;
  }
  return 0;
}

static mbd_status read_names(table_csv *t, mbd_error *err) {
  if (!next_line(t, err)) {
    MBD_TRY(t->status);
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: expected names of columns in the first line", t->path);
  }
  t->ncolumn = ini_list(t->text, &t->column);
  if (t->ncolumn < 1) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", t->path); }
  for (int i = 0; i < t->ncolumn; i++) {
    if (!*t->column[i]) { MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: column %d has no name", t->path, t->file.line, i + 1); }
  }
  return MBD_OK;
}

mbd_status table_csv_open(const char *path, table_csv *t, mbd_error *err) {
  *t = (table_csv){.path = mbd_strdup(path), .status = MBD_OK};
  mbd_status status = t->path ? text_file_read(path, TEXT_FILE_TABLE, &t->file, err)
                              : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for %s", path);
  if (status == MBD_OK) { status = read_names(t, err); }
  if (status != MBD_OK) { table_csv_close(t); }
  t->status = status;
  return status;
}

static void free_row(table_csv *t) {
  ini_free_list(t->value, t->ncolumn);
  t->value = NULL;
}

void table_csv_close(table_csv *t) {
  text_file_free(&t->file);
  free_row(t);
  ini_free_list(t->column, t->ncolumn);
  free(t->path);
  *t = (table_csv){0};
}

static mbd_status read_row(table_csv *t, mbd_error *err) {
  char **value;
  const int n = ini_list(t->text, &value);
  int empty = -1;
  if (n < 0) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", t->path); }
  for (int i = n - 1; i >= 0; i--) {
    if (!*value[i]) { empty = i; }
  }
  if (n == t->ncolumn && empty < 0) {
    t->value = value;
    return MBD_OK;
  }
  ini_free_list(value, n);
  if (n != t->ncolumn) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: %d values, expected %d as in the first line", t->path, t->file.line, n,
             t->ncolumn);
  }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: no value for '%s'", t->path, t->file.line, t->column[empty]);
}

int table_csv_next(table_csv *t, const char *const **row, mbd_error *err) {
  free_row(t);
  if (t->status != MBD_OK || !next_line(t, err)) { return 0; }
  t->status = read_row(t, err);
  *row = (const char *const *)t->value;
  return t->status == MBD_OK;
}
