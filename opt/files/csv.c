#include "files/csv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/atomic_file.h"
#include "files/memory.h"
#include "files/plural.h"

/* ---- reading ---- */

static int is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* Cut the next cell off a line, in place: its text, and in *rest where the one after it begins (NULL: it was the last). */
static char *next_cell(char *s, char separator, char **rest) {
  while (is_blank(*s)) { s++; }
  char *text = s, *to = s, *written = s; /* up to here blanks at the end are the text's own */
  int quoted = 0, depth = 0;
  for (; *s && (quoted || depth > 0 || *s != separator); s++) {
    if (*s == '"' && quoted && s[1] == '"') {
      s++;
    } else if (*s == '"') {
      quoted = !quoted, written = to;
      continue;
    }
    if (!quoted) { depth += (*s == '(') - (*s == ')'); }
    *to++ = *s;
  }
  *rest = *s ? s + 1 : NULL;
  while (to > written && is_blank(to[-1])) { to--; }
  *to = '\0';
  return text;
}

/* What separates the cells of a table, by its first line: semicolons, if one stands outside of quotes and brackets; else commas. */
static char separator_of(const char *line) {
  int quoted = 0, depth = 0;
  for (; *line; line++) {
    quoted ^= *line == '"';
    if (!quoted) { depth += (*line == '(') - (*line == ')'); }
    if (!quoted && depth <= 0 && *line == ';') { return ';'; }
  }
  return ',';
}

/* Of a number with a decimal comma, which tables with semicolons may have, the comma becomes a point. */
static void point_for_comma(char *text) {
  char *comma = strchr(text, ',');
  if (comma && isdigit((unsigned char)comma[1]) && !text[strspn(text, "+-0123456789eE,")] && !strchr(comma + 1, ',')) {
    *comma = '.';
  }
}

/* Appends the cells of a line to the list; returns their number, or -1: no memory. */
static int add_line(csv *c, char *line) {
  int n = 0;
  for (char *rest = line; rest; n++) {
    char *text = next_cell(rest, c->separator, &rest), **grown = mbd_list_grow(c->cell, c->ncell, sizeof *grown);
    if (!grown) { return -1; }
    if (c->separator == ';') { point_for_comma(text); }
    c->cell = grown;
    grown[c->ncell++] = text;
  }
  return n;
}

static mbd_status check_names(const csv *c, const char *path, mbd_error *err) {
  for (int j = 0; j < c->ncol; j++) {
    if (!*c->cell[j]) { MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: column %d has no name", path, c->file.line, j + 1); }
  }
  return MBD_OK;
}

static mbd_status check_row(const csv *c, const char *path, int n, int whole, mbd_error *err) {
  if (n != c->ncol) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: %d value%s, expected %d as in the first line, which names the columns", path,
             c->file.line, n, plural(n), c->ncol);
  }
  for (int j = 0; whole > 0 && j < n; j++) {
    if (!*c->cell[c->ncell - n + j]) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: no value for '%s'", path, c->file.line, c->cell[j]);
    }
  }
  return MBD_OK;
}

/* Reads all lines except empty ones and comments: the names of the columns first, then the rows. */
static mbd_status read_lines(csv *c, const char *path, int whole, mbd_error *err) {
  int rows = 0;
  for (char *line; (line = text_file_line(&c->file)) != NULL;) {
    const char *begin = line + strspn(line, " \t");
    if (!*begin || *begin == '#') { continue; }
    if (!text_is_utf8(begin)) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: letters that are not in UTF-8; save the file in that encoding", path,
               c->file.line);
    }
    const int is_first = c->ncol == 0;
    if (is_first) { c->separator = separator_of(line); }
    const int n = add_line(c, line);
    int *grown = n < 0 ? NULL : mbd_list_grow(c->line, rows, sizeof *grown);
    if (grown) { c->line = grown, grown[rows++] = c->file.line; }
    MEMORY_TRY(grown, err, "the table %s", path);
    if (is_first) { c->ncol = n; }
    if (is_first && whole < 0) { continue; }
    MBD_TRY(is_first ? check_names(c, path, err) : check_row(c, path, n, whole, err));
  }
  if (c->ncol == 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: expected names of columns in the first line", path); }
  c->nrow = c->ncell / c->ncol - 1;
  return MBD_OK;
}

mbd_status csv_read(const char *path, int whole, csv *c, mbd_error *err) {
  *c = (csv){0};
  MBD_TRY(text_file_read(path, TEXT_FILE_TABLE, &c->file, err));
  const mbd_status status = read_lines(c, path, whole, err);
  if (status != MBD_OK) { csv_free(c); }
  return status;
}

mbd_status csv_read_if_there(const char *folder, const char *file, csv *c, mbd_error *err) {
  double when;
  *c = (csv){0};
  MBD_TRY(file_written(folder, file, &when, err));
  if (when < 0) { return MBD_OK; }
  char *path = path_in(folder, file);
  MEMORY_TRY(path, err, "%s", folder);
  const mbd_status status = csv_read(path, 0, c, err);
  free(path);
  return status;
}

void csv_free(csv *c) {
  free(c->cell), free(c->line);
  text_file_free(&c->file);
  *c = (csv){0};
}

int csv_column(const csv *c, const char *name) {
  for (int j = 0; j < c->ncol; j++) {
    if (strcmp(c->cell[j], name) == 0) { return j; }
  }
  return -1;
}

const char *const *csv_row(const csv *c, int row) {
  return (const char *const *)c->cell + (row + 1) * c->ncol;
}

const char *csv_text(const csv *c, int row, int col) {
  return col < 0 ? "" : csv_row(c, row)[col];
}

double csv_number(const csv *c, int row, int col) {
  char *end;
  const char *text = csv_text(c, row, col);
  const double v = strtod(text, &end);
  return end == text || *end ? NAN : v;
}

void csv_row_name(const csv *c, int row, char *name, size_t size) {
  snprintf(name, size, "%s", csv_text(c, row, 0));
  for (; *name; name++) {
    if (*name == ' ' || *name == '-') { *name = '_'; }
  }
}

double *csv_numbers(const csv *c, int col) {
  double *v = mbd_zeros((size_t)c->nrow, sizeof *v);
  for (int i = 0; v && i < c->nrow; i++) { v[i] = csv_number(c, i, col); }
  return v;
}

/* ---- writing ---- */

void csv_put_number(FILE *out, double v) {
  if (isfinite(v)) {
    fprintf(out, ",%.17g", v);
  } else {
    fputc(',', out);
  }
}

void csv_put_first(FILE *out, const char *text) {
  if (!text) { return; }
  if (!text[strcspn(text, ",\"\n")]) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') { fputc('"', out); }
    fputc(*text == '\n' ? ' ' : *text, out);
  }
  fputc('"', out);
}

void csv_put_text(FILE *out, const char *text) {
  fputc(',', out);
  csv_put_first(out, text);
}
