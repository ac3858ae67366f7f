#include "study/points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/ini.h"
#include "files/text_file.h"
#include "files/memory.h"

/* The characters of the first value of a line; commas in parentheses belong to a function, as in ini_list. *depth: parentheses that are open at its
 * end. */
static size_t value_length(const char *line, int *depth) {
  size_t n = 0;
  for (*depth = 0; line[n] && line[n] != '\n' && (line[n] != ',' || *depth > 0); n++) {
    *depth += (line[n] == '(') - (line[n] == ')');
  }
  return n;
}

int points_takes(const char *text) {
  int depth;
  return text[value_length(text, &depth)] == '\0' && depth <= 0;
}

void points_write_head(FILE *out, int n, const char *const *column) {
  for (int i = 0; i < n; i++) { fprintf(out, "%s%s", i ? "," : "", column[i]); }
  fputc('\n', out);
}

void points_write_row(FILE *out, int n, const char *const *value, const int *width) {
  for (int i = 0; i < n; i++) { fprintf(out, "%s%-*s", i ? "," : "", width[i], value[i]); }
  fputc('\n', out);
}

/* Reads the names of the columns, the length of a row, the number of rows. */
static mbd_status measure(points *p, mbd_error *err) {
  char *line = NULL;
  size_t size = 0;
  errno = 0;
  /* The first line has the names of the columns; the second one has the length of all rows. */
  ssize_t head = getline(&line, &size, p->file);
  if (head > 0) {
    line[head - 1] = '\0';
    p->ncolumn = ini_list(line, &p->column);
  }
  const ssize_t row = head > 0 ? getline(&line, &size, p->file) : 0;
  const int lost = errno == ENOMEM || p->ncolumn < 0;
  free(line);
  MEMORY_TRY(!lost, err, "%s", p->path);
  if (row <= 0 || fseeko(p->file, 0, SEEK_END) != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s is not a table of runs", p->path);
  }
  /* The number of rows follows from the size of the file, which must be that of whole rows. */
  p->first = (long)head, p->length = (long)row;
  const long bytes = (long)ftello(p->file) - p->first;
  if (bytes % p->length) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: rows are not of one length", p->path); }
  p->n = bytes / p->length;
  /* Memory for one row: as it is in the file, without padding, and its values. */
  p->buffer = malloc((size_t)p->length + 1);
  p->row = malloc((size_t)p->length + 1);
  p->value = calloc((size_t)p->ncolumn + 1, sizeof *p->value);
  MEMORY_TRY(p->buffer && p->row && p->value, err, "%s", p->path);
  return MBD_OK;
}

mbd_status points_open(const char *path, points *p, mbd_error *err) {
  *p = (points){.path = mbd_strdup(path)};
  mbd_status status = text_file_open(p->path, &p->file, err);
  if (status == MBD_OK) { status = measure(p, err); }
  if (status != MBD_OK) { points_close(p); }
  return status;
}

void points_close(points *p) {
  if (p->file) { fclose(p->file); }
  text_list_free(p->column, p->ncolumn);
  free(p->path), free(p->value), free(p->row), free(p->buffer);
  *p = (points){0};
}

/* Splits the buffer into values without padding; p->row has them separated by commas. */
static int split(points *p) {
  char *at = p->buffer, *row = p->row;
  for (int i = 0; i < p->ncolumn; i++) {
    int depth;
    char *end = at + value_length(at, &depth), last = *end;
    p->value[i] = at;
    *end = '\0';
    for (char *c = end; c > at && c[-1] == ' '; c--) { c[-1] = '\0'; }
    row += sprintf(row, "%s%s", i ? "," : "", at);
    if (last != (i + 1 < p->ncolumn ? ',' : '\n')) { return 0; }
    at = end + 1;
  }
  return 1;
}

mbd_status points_read(points *p, long i, mbd_error *err) {
  const off_t at = (off_t)p->first + (off_t)i * (off_t)p->length;
  if (pread(fileno(p->file), p->buffer, (size_t)p->length, at) !=
      p->length) { /* pread, since workers share the file's position */
    MBD_FAIL(err, MBD_IO_ERROR, "%s: row %ld cannot be read", p->path, i + 1);
  }
  p->buffer[p->length] = '\0';
  if (!split(p)) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: row %ld does not have %d values", p->path, i + 1, p->ncolumn); }
  return MBD_OK;
}
