/* Tables: each cell of a row becomes a scalar of the file, as of hard points in spreadsheets. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"
#include "files/csv.h"

static const model_key table_keys[] = {
    KEY("file", "path", NULL, "",
        "table beside this file, with commas, or with semicolons and then also decimal commas: a line that names the "
        "columns, then a line for each row, whose first cell is the name of the row. Blanks and '-' in names count as "
        "'_'; a line that begins with # is a comment"),
    KEY("columns", "names", "x, y, z", "",
        "columns that become scalars, ROW_COLUMN each, of a column `value` ROW alone. Small and capital letters do not "
        "differ here, and a unit in brackets may follow in the table; other columns are comments"),
    KEY("rows", "names", "", "",
        "rows that are taken; without this key and `row.NAME` all are, and the model has to use each of them"),
    KEY("row.NAME", "text", "", "", "takes the row that begins with this text, under the name NAME"),
    KEY_END,
};

const model_section model_section_table = {
    "table",
    "Scalars from a table of a spreadsheet: of a row `lower_ball, 8, 705, 180` below the line `name, x, y, z` the "
    "scalars lower_ball_x, lower_ball_y and lower_ball_z, which are as if they stood in [scalars].",
    1, .key = table_keys};

/* A table while it is read. Its sections are found by name, since sections move when others are added. */
typedef struct table {
  loader *l;
  const csv *c;
  ini_section *s;
  const ini_entry *file;
  const char *path;
  int number; /* of the file among those of the model */
  int ncolumn;
  char **column; /* [ncolumn] those that are taken */
  int nlisted;
  char **listed; /* [nlisted] `rows` */
  int selects;   /* 1: not all rows are taken */
} table;

/* ---- names of columns and rows ---- */

/* The number of characters of a column's name, before a unit in brackets. */
static size_t column_length(const char *cell) {
  size_t n = strcspn(cell, "[(");
  while (n && isspace((unsigned char)cell[n - 1])) { n--; }
  return n;
}

/* *j: the number of a column in the table. */
static mbd_status find_column(const table *t, const char *name, int *j) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  for (*j = 1; *j < t->c->ncol; ++*j) {
    const char *cell = csv_row(t->c, -1)[*j];
    if (column_length(cell) == strlen(name) && strncasecmp(cell, name, strlen(name)) == 0) { return MBD_OK; }
    mbd_nearest_offer(&near, cell);
  }
  return load_fail(t->l, t->s, t->file, "%s:%d: there is no column '%s' beside the names in the first one%s", t->path,
                   t->c->line[0], name, mbd_nearest_text(&near, hint, sizeof hint));
}

/* The key `row.NAME` of a row; NULL: it has none. */
static ini_entry *renaming_of(const table *t, const char *cell) {
  for (int i = 0; i < t->s->n; i++) {
    ini_entry *e = &t->s->entry[i];
    if (strncmp(e->key, "row.", 4) == 0 && strcmp(e->value, cell) == 0) { return e; }
  }
  return NULL;
}

/* The name of a row in the model, and whether it is taken. */
static int row_name(const table *t, int row, char name[MBO_NAME_MAX + 1]) {
  ini_entry *renaming = renaming_of(t, csv_text(t->c, row, 0));
  if (renaming) {
    renaming->used = 1;
    snprintf(name, MBO_NAME_MAX + 1, "%s", renaming->key + 4);
    return 1;
  }
  csv_row_name(t->c, row, name, MBO_NAME_MAX + 1);
  return *name && (!t->selects || text_list_find(t->listed, t->nlisted, name) >= 0);
}

static void scalar_name(const char *row, const char *column, char name[2 * MBO_NAME_MAX]) {
  const int alone = strcmp(column, "value") == 0;
  snprintf(name, 2 * MBO_NAME_MAX, "%s%s%s", row, alone ? "" : "_", alone ? "" : column);
}

/* ---- scalars ---- */

/* MBD_BAD_INPUT: a scalar of this name is there already. */
static mbd_status twice(const table *t, int row, const char *name, const ini_entry *other) {
  char earlier[MBO_NAME_MAX + 1], now[MBO_NAME_MAX + 1];
  row_name(t, row, now);
  for (int i = 0; i < row; i++) {
    if (!row_name(t, i, earlier) || strcmp(earlier, now) != 0) { continue; }
    return load_fail(t->l, t->s, t->file, "%s:%d: the row '%s' appears twice, first in line %d", t->path,
                     t->c->line[row + 1], now, t->c->line[i + 1]);
  }
  return load_fail(t->l, t->s, t->file, "%s:%d: the scalar '%s' is there already, by line %d of %s", t->path,
                   t->c->line[row + 1], name, other->line, t->l->f->path);
}

static mbd_status add_cell(const table *t, int row, const char *name, const char *column) {
  loader *l = t->l;
  ini_section *scalars = ini_find(l->f, "scalars", "");
  char key[2 * MBO_NAME_MAX];
  double value;
  int j;
  MBD_TRY(find_column(t, column, &j));
  const char *cell = csv_text(t->c, row, j);
  scalar_name(name, column, key);
  if (!load_is_word(key)) {
    return load_fail(l, t->s, t->file,
                     "%s:%d: '%s' is no name of a row, expected letters, digits and '_', a letter first; the key "
                     "row.NAME gives the row another name",
                     t->path, t->c->line[row + 1], name);
  }
  if (!mbo_number(cell, &value) || !isfinite(value)) {
    return load_fail(l, t->s, t->file, "%s:%d: '%.60s' in column '%s', expected a number", t->path, t->c->line[row + 1],
                     cell, column);
  }
  const ini_entry *other = ini_find_entry(scalars, key);
  if (other) { return twice(t, row, key, other); }
  ini_entry *e = ini_add_entry(scalars, key, cell, t->file->line);
  if (!e) { return load_no_memory(l); }
  e->row = t->c->line[row + 1], e->table = t->number;
  return MBD_OK;
}

static mbd_status add_rows(const table *t) {
  for (int row = 0; row < t->c->nrow; row++) {
    char name[MBO_NAME_MAX + 1];
    if (!row_name(t, row, name)) { continue; }
    for (int k = 0; k < t->ncolumn; k++) { MBD_TRY(add_cell(t, row, name, t->column[k])); }
  }
  return MBD_OK;
}

/* ---- keys ---- */

/* MBD_BAD_INPUT: the table has no row that begins with this text. e: the key that asks for it. */
static mbd_status no_row(const table *t, const ini_entry *e, const char *text) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = text};
  for (int row = 0; row < t->c->nrow; row++) { mbd_nearest_offer(&near, csv_text(t->c, row, 0)); }
  return load_fail(t->l, t->s, e, "%s has no row '%s'%s", t->path, text, mbd_nearest_text(&near, hint, sizeof hint));
}

static mbd_status check_rows(const table *t) {
  for (int k = 0; k < t->nlisted; k++) {
    int found = 0;
    for (int row = 0; row < t->c->nrow && !found; row++) {
      char name[MBO_NAME_MAX + 1];
      found = row_name(t, row, name) && strcmp(name, t->listed[k]) == 0;
    }
    if (!found) { return no_row(t, ini_get(t->s, "rows"), t->listed[k]); }
  }
  for (int i = 0; i < t->s->n; i++) {
    const ini_entry *e = &t->s->entry[i];
    if (strncmp(e->key, "row.", 4) == 0 && !e->used) { return no_row(t, e, e->value); }
  }
  return MBD_OK;
}

/* Reads the keys of the section, then the rows. */
static mbd_status read_table(table *t) {
  const ini_entry *rows = ini_get(t->s, "rows");
  MBD_TRY(load_list(t->l, load_value(t->s, "columns", "x, y, z"), &t->column, &t->ncolumn));
  if (rows) { MBD_TRY(load_list(t->l, rows->value, &t->listed, &t->nlisted)); }
  t->selects = rows != NULL;
  for (int i = 0; i < t->s->n; i++) { t->selects |= strncmp(t->s->entry[i].key, "row.", 4) == 0; }
  MBD_TRY(add_rows(t));
  MBD_TRY(check_rows(t));
  return load_all_used(t->l, &model_section_table, t->s);
}

static mbd_status open_table(loader *l, ini_section *s) {
  mbo_model_file *m = l->m;
  ini_entry *file;
  csv c = {0};
  MBD_TRY(load_required(l, &model_section_table, s, "file", &file));
  char *path = ini_beside(l->f->path, file->value);
  if (!path) { return load_no_memory(l); }
  /* It is one of the files of the model, for the hash of studies. */
  table t = {.l = l, .c = &c, .s = s, .file = file, .path = path, .number = text_list_find(m->file, m->nfile, path)};
  mbd_status status = t.number >= 0 || text_list_add(&m->file, &m->nfile, path) ? MBD_OK : load_no_memory(l);
  if (t.number < 0) { t.number = m->nfile - 1; }
  if (status == MBD_OK) { status = load_located(l, s, file, csv_read(path, -1, &c, l->err)); }
  if (status == MBD_OK) { status = read_table(&t); }
  text_list_free(t.column, t.ncolumn), text_list_free(t.listed, t.nlisted);
  csv_free(&c);
  free(path);
  return status;
}

mbd_status load_tables(loader *l) {
  int n = 0;
  for (int i = 0; i < l->f->n; i++) { n += strcmp(l->f->section[i].kind, "table") == 0; }
  if (n > 0 && !ini_find(l->f, "scalars", "") && !ini_add_section(l->f, "scalars", "", 0)) { return load_no_memory(l); }
  for (int i = 0; i < l->f->n; i++) {
    if (strcmp(l->f->section[i].kind, "table") == 0) { MBD_TRY(open_table(l, &l->f->section[i])); }
  }
  return MBD_OK;
}

/* ---- rows without effect, after all sections are read ---- */

/* 1: scalars k and j come from one row of a table. */
static int same_row(const loader *l, int k, int j) {
  const scalar_source *a = &l->source[k], *b = &l->source[j];
  return a->of == b->of && a->e->row == b->e->row && a->e->table == b->e->table;
}

/* MBD_BAD_INPUT: nothing in the model uses one of the scalars of a row, as where its name is misspelt. The scalars of a row follow each other. */
mbd_status load_rows_used(const loader *l) {
  int n = 1;
  for (int k = 0; k < l->m->nscalar; k += n) {
    const ini_entry *e = l->source[k].e;
    int used = l->source[k].used;
    for (n = 1; e->row && k + n < l->m->nscalar && same_row(l, k, k + n); n++) { used |= l->source[k + n].used; }
    if (!e->row || used) { continue; }
    MBD_FAIL(l->err, MBD_BAD_INPUT,
             "%s:%d: nothing in the model uses '%s'; expected another name, a # at the start of this line, or the key "
             "`rows` of [table NAME] with the rows that are taken",
             l->m->file[e->table], e->row, l->m->scalar[k].name);
  }
  return MBD_OK;
}
