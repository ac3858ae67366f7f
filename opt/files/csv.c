#include "files/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/text_file.h"
#include "base/memory.h"

/* ---- reading ---- */

/* Cut the next cell off a line, in place: its text, and in *rest where the one after it begins (NULL: it was the last). */
static char *next_cell(char *s, char **rest) {
  char *text = s, *to = s;
  int quoted = 0;
  for (; *s && (quoted || *s != ','); s++) {
    if (*s != '"') {
      *to++ = *s;
    } else if (quoted && s[1] == '"') {
      *to++ = *s++;
    } else {
      quoted = !quoted;
    }
  }
  *rest = *s ? s + 1 : NULL;
  *to = '\0';
  return text;
}

/* Returns the number of cells, or -1: no memory. */
static int add_line(csv *c, char *line) {
  int n = 0;
  for (char *rest = line; rest; n++) {
    char *text = next_cell(rest, &rest), **grown = mbd_list_grow(c->cell, c->ncell, sizeof *grown);
    if (grown) { c->cell = grown; }
    if (!grown || !(grown[c->ncell] = mbd_strdup(text))) { return -1; }
    c->ncell++;
  }
  return n;
}

static mbd_status read_lines(text_file *in, const char *path, csv *c, mbd_error *err) {
  for (char *line; (line = text_file_line(in)) != NULL;) {
    const int n = add_line(c, line);
    if (in->line == 1) { c->ncol = n; }
    if (n < 0) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the table %s", path); }
    if (n != c->ncol) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d has %d cells, expected %d as there are names in the first line", path,
               in->line, n, c->ncol);
    }
  }
  c->nrow = in->line - 1;
  if (in->line == 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s is empty, expected names of columns", path); }
  return MBD_OK;
}

mbd_status csv_read(const char *path, csv *c, mbd_error *err) {
  text_file in;
  *c = (csv){0};
  MBD_TRY(text_file_read(path, TEXT_FILE_TABLE, &in, err));
  const mbd_status status = read_lines(&in, path, c, err);
  text_file_free(&in);
  if (status != MBD_OK) { csv_free(c); }
  return status;
}

void csv_free(csv *c) {
  for (int i = 0; i < c->ncell; i++) { free(c->cell[i]); }
  free(c->cell);
  *c = (csv){0};
}

int csv_column(const csv *c, const char *name) {
  for (int j = 0; j < c->ncol; j++) {
    if (strcmp(c->cell[j], name) == 0) { return j; }
  }
  return -1;
}

const char *csv_text(const csv *c, int row, int col) {
  return col < 0 ? "" : c->cell[(row + 1) * c->ncol + col];
}

double csv_number(const csv *c, int row, int col) {
  char *end;
  const char *text = csv_text(c, row, col);
  const double v = strtod(text, &end);
  return end == text || *end ? NAN : v;
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
