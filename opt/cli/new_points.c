#include "cli/new_points.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/ini.h"
#include "config/shipped_parts.h"
#include "files/csv.h"
#include "files/memory.h"
#include "files/text_stream.h"

enum { NAME_LENGTH = 128, WORD_LENGTH = 40 };

/* A model file while its lines are copied. */
typedef struct copying {
  const csv *c;
  const char *path;
  const cli_template *from;
  char **taken; /* [nrow] names of the rows that are taken in the model; NULL: it is not */
  char **missing;
  int nmissing;
} copying;

/* ---- names that engineers use ---- */

/* Exchanges a word of a name "_a_b_" wherever it is. */
static void exchange(char *name, const char *from, const char *to) {
  char word[WORD_LENGTH + 2], rest[NAME_LENGTH];
  snprintf(word, sizeof word, "_%s_", from);
  for (char *at; (at = strstr(name, word)) != NULL;) {
    snprintf(rest, sizeof rest, "%s", at + strlen(word) - 1);
    snprintf(at, (size_t)(name + NAME_LENGTH - at), "%s%s%s", *to ? "_" : "", to, rest);
  }
}

/* The name of a row, "LCA front, left" as lower_front. */
static void usual_name(const csv *c, int row, char name[NAME_LENGTH]) {
  const char *cell = csv_text(c, row, 0);
  char from[WORD_LENGTH], to[WORD_LENGTH];
  size_t n = 1;
  name[0] = '_';
  for (; *cell && n < NAME_LENGTH / 2; cell++) {
    const int letter = isalnum((unsigned char)*cell);
    if (letter || name[n - 1] != '_') { name[n++] = (char)(letter ? tolower((unsigned char)*cell) : '_'); }
  }
  if (name[n - 1] != '_') { name[n++] = '_'; }
  name[n] = '\0';
  for (const char *line = cli_template_point_names_txt; sscanf(line, "%39s %39s", from, to) == 2;
       line = strchr(line, '\n') + 1) {
    exchange(name, from, strcmp(to, "-") == 0 ? "" : to);
  }
  n = strlen(name);
  if (n > 1) { name[n - 1] = '\0', memmove(name, name + 1, n - 1); }
}

/* The number of a row; -1: there is none of this name, in small or capital letters, nor one that is usual for it. */
static int row_of(const csv *c, const char *name) {
  char has[NAME_LENGTH];
  for (int usual = 0; usual < 2; usual++) {
    for (int row = 0; row < c->nrow; row++) {
      if (usual) {
        usual_name(c, row, has);
      } else {
        csv_row_name(c, row, has, sizeof has);
      }
      if (strcasecmp(has, name) == 0) { return row; }
    }
  }
  return -1;
}

/* ---- the lines of a template ---- */

/* 1: a line of [scalars] is a hard point's coordinate, NAME_x = VALUE. *is_number: it is a typical one, and no expression of others. */
static int is_hard_point(const char *line, char name[NAME_LENGTH], int *is_number) {
  const size_t n = strcspn(line, " =");
  const char *value = strchr(line, '=');
  if (!value || n < 3 || n >= NAME_LENGTH || line[n - 2] != '_' || !strchr("xyz", line[n - 1])) { return 0; }
  snprintf(name, NAME_LENGTH, "%.*s", (int)n - 2, line);
  value += 1 + strspn(value + 1, " ");
  char *end;
  strtod(value, &end);
  *is_number = end > value && end[strspn(end, " ")] == '\n';
  return 1;
}

/* 1: one of the program's parts in the model is made of this hard point; a number in its name may be an index there, as inner_{i}_x. Others, as of springs, have
 * typical places, which may stay. */
static int is_of_part(const cli_template *t, const char *name) {
  char plain[NAME_LENGTH + 3], indexed[3 * NAME_LENGTH + 3] = "";
  snprintf(plain, sizeof plain, "%s_x", name);
  for (const char *c = plain; *c; c++) {
    const size_t n = strlen(indexed);
    if (isdigit((unsigned char)*c)) {
      snprintf(indexed + n, sizeof indexed - n, "{i}");
    } else {
      snprintf(indexed + n, sizeof indexed - n, "%c", *c);
    }
  }
  for (const char *use = t->model; (use = strstr(use, "\nuse = ")) != NULL;) {
    use += strlen("\nuse = ");
    for (int i = 0; shipped_part_name(i); i++) {
      const char *part = shipped_part_name(i), *text = shipped_part_text(i);
      if (strcspn(use, "\n") != strlen(part) || strncmp(use, part, strlen(part)) != 0) { continue; }
      if (strstr(text, plain) || strstr(text, indexed)) { return 1; }
    }
  }
  return 0;
}

/* 1: the table has what the line gives, so that the line is left out; or lacks it, which is noted. -1: no memory. */
static int is_replaced(copying *to, const char *line) {
  char name[NAME_LENGTH];
  int is_number;
  if (!is_hard_point(line, name, &is_number)) { return 0; }
  const int row = row_of(to->c, name), is_missing = row < 0 && is_number && is_of_part(to->from, name);
  if (row >= 0 && !to->taken[row] && !(to->taken[row] = mbd_strdup(name))) { return -1; }
  if (is_missing && text_list_find(to->missing, to->nmissing, name) < 0 &&
      !text_list_add(&to->missing, &to->nmissing, name)) {
    return -1;
  }
  if (row < 0 && is_number && !is_missing && line[strlen(name) + 1] == 'x') {
    printf("%s has no hard point '%s', whose typical place stays in the model\n", to->path, name);
  }
  return row >= 0 || is_missing;
}

/* The path of a file as seen from a folder, both relative to the working directory; in new memory, NULL: none. */
static char *path_from(const char *path, const char *folder) {
  char whole[PATH_MAX], up[PATH_MAX] = "";
  const int plain = *folder != '/' && !strstr(folder, "..");
  if (*path == '/' || !plain) { return mbd_strdup(realpath(path, whole) ? whole : path); }
  for (const char *c = folder; *c;) {
    const size_t n = strcspn(c, "/");
    if (n && !(n == 1 && *c == '.') && strlen(up) + 4 < sizeof up) { strcat(up, "../"); }
    c += n + (c[n] == '/');
  }
  return mbd_sprintf_dup("%s%s", up, path);
}

/* 1: the row has this name in the table, too. */
static int is_same_name(const csv *c, int row, const char *name) {
  char has[NAME_LENGTH];
  csv_row_name(c, row, has, sizeof has);
  return strcmp(has, name) == 0;
}

/* The keys of the rows that are taken, where these are not all or have other names. Rows that are no hard points are told. */
static mbd_status write_rows(const copying *to, FILE *out, mbd_error *err) {
  int n = 0, all = 1;
  for (int row = 0; row < to->c->nrow; row++) { all &= to->taken[row] && is_same_name(to->c, row, to->taken[row]); }
  for (int row = 0; row < to->c->nrow && !all; row++) {
    const char *name = to->taken[row], *cell = csv_text(to->c, row, 0);
    if (name && is_same_name(to->c, row, name)) {
      fprintf(out, "%s%s", n == 0 ? "rows = " : n % 6 == 0 ? ",\n    " : ", ", name);
      n++;
    } else if (!name && *cell) {
      printf("%s:%d: '%s' is no hard point of this type, and is not taken\n", to->path, to->c->line[row + 1], cell);
    }
  }
  if (n) { fputc('\n', out); }
  for (int row = 0; row < to->c->nrow && !all; row++) {
    if (!to->taken[row] || is_same_name(to->c, row, to->taken[row])) { continue; }
    char *cell = ini_escape(csv_text(to->c, row, 0));
    MEMORY_TRY(cell, err, "%s", to->path);
    fprintf(out, "row.%s = %s\n", to->taken[row], cell);
    free(cell);
  }
  return MBD_OK;
}

static mbd_status write_table(const copying *to, const char *folder, FILE *out, mbd_error *err) {
  char *from = path_from(to->path, folder), *escaped = from ? ini_escape(from) : NULL;
  if (escaped) { fprintf(out, "; name, x, y, z [mm]\n[table hard_points]\nfile = %s\n", escaped); }
  free(from), free(escaped);
  MEMORY_TRY(escaped, err, "%s", to->path);
  MBD_TRY(write_rows(to, out, err));
  fputc('\n', out);
  return MBD_OK;
}

static mbd_status missing_points(const copying *to, mbd_error *err) {
  char hint[MBD_HINT], all[600] = "";
  mbd_nearest near = {.requested = to->missing[0]};
  for (int i = 1; i < to->nmissing; i++) {
    const size_t n = strlen(all);
    snprintf(all + n, sizeof all - n, "%s'%s'", i == 1 ? ", nor " : ", ", to->missing[i]);
  }
  for (int row = 0; row < to->c->nrow; row++) { mbd_nearest_offer(&near, csv_text(to->c, row, 0)); }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s has no hard point '%s'%s%s; the comments of the model that `mbopt new %s` writes say what they are",
           to->path, to->missing[0], mbd_nearest_text(&near, hint, sizeof hint), all, to->from->name);
}

/* Whether all numbers of the hard points are below 10, as those of a table in metres are. */
static int is_in_metres(const copying *to) {
  double max = 0;
  for (int row = 0; row < to->c->nrow; row++) {
    for (int col = 1; to->taken[row] && col < to->c->ncol; col++) {
      max = fmax(max, fabs(csv_number(to->c, row, col)));
    }
  }
  return max < 10; /* cells that are no numbers count as none */
}

static mbd_status copy_lines(copying *to, const char *folder, FILE *out, mbd_error *err) {
  const char *model = to->from->model;
  int in_scalars = 0, found = 0;
  const char *scalars = NULL, *end;
  text_stream body;
  FILE *lines = text_begin(&body);
  int whole = lines != NULL;
  /* What follows from [scalars] on, without hard points. */
  for (const char *line = model; whole && *line; line = end) {
    end = line + strcspn(line, "\n");
    end += *end == '\n';
    if (*line == '[') {
      in_scalars = strncmp(line, "[scalars]", 9) == 0;
      if (in_scalars) { scalars = line; }
    }
    const int replaced = in_scalars ? is_replaced(to, line) : 0;
    whole = replaced >= 0, found |= replaced > 0;
    if (!replaced && scalars) { fwrite(line, 1, (size_t)(end - line), lines); }
  }
  char *rest = lines ? text_end(&body) : NULL;
  mbd_status status = whole && rest && scalars ? MBD_OK : MEMORY_NONE(err, "%s", to->path);
  if (status == MBD_OK && !found) {
    status = MBD_FAILED(err, MBD_BAD_INPUT, "%s: this mechanism has no hard points that a table could give", to->path);
  }
  if (status == MBD_OK && to->nmissing) { status = missing_points(to, err); }
  if (status == MBD_OK && is_in_metres(to)) {
    status =
        MBD_FAILED(err, MBD_BAD_INPUT, "%s: all places are below 10, as if in metres; expected millimetres", to->path);
  }
  /* The table stands before it. */
  if (status == MBD_OK) {
    fwrite(model, 1, (size_t)(scalars - model), out);
    status = write_table(to, folder, out, err);
  }
  if (status == MBD_OK) { fputs(rest, out); }
  free(rest);
  return status;
}

mbd_status cli_model_with_points(const cli_template *t, const char *path, const char *folder, char **text,
                                 mbd_error *err) {
  csv c;
  text_stream s;
  *text = NULL;
  MBD_TRY(csv_read(path, -1, &c, err));
  copying to = {.c = &c, .path = path, .from = t, .taken = mbd_zeros((size_t)c.nrow, sizeof *to.taken)};
  FILE *out = to.taken ? text_begin(&s) : NULL;
  mbd_status status = out ? copy_lines(&to, folder, out, err) : MEMORY_NONE(err, "%s", path);
  *text = out ? text_end(&s) : NULL;
  if (status == MBD_OK && !*text) { status = MEMORY_NONE(err, "%s", path); }
  if (status != MBD_OK) { free(*text), *text = NULL; }
  text_list_free(to.missing, to.nmissing);
  text_list_free(to.taken, c.nrow);
  csv_free(&c);
  return status;
}

/* 1: the table has all hard points that the parts of a template need; *n: how many these are. */
static int has_all_points(const csv *c, const cli_template *t, int *n) {
  char name[NAME_LENGTH];
  int is_number;
  *n = 0;
  for (const char *line = strstr(t->model, "[scalars]"); line && *line;
       line += strcspn(line, "\n"), line += *line == '\n') {
    if (!is_hard_point(line, name, &is_number) || !is_number || !is_of_part(t, name)) { continue; }
    if (row_of(c, name) < 0) { return 0; }
    ++*n;
  }
  return *n > 0;
}

mbd_status cli_template_of_points(const char *path, const cli_template *(*at)(int i), const cli_template **t,
                                  mbd_error *err) {
  static const char axles[] = "kc_axle_";
  csv c;
  int n, best = 0;
  char known[400] = "";
  *t = NULL;
  MBD_TRY(csv_read(path, -1, &c, err));
  const cli_template *one;
  for (int i = 0; (one = at(i)) != NULL; i++) {
    if (strncmp(one->name, axles, sizeof axles - 1) != 0) { continue; }
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", one->name + sizeof axles - 1);
    if (has_all_points(&c, one, &n) && n > best) { *t = one, best = n; }
  }
  csv_free(&c);
  if (*t) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_BAD_INPUT,
      "%s: expected a line of names, then the hard points of one of the axles %s, as `mbopt parts double_wishbone` "
      "lists them; `mbopt new kc_axle --type TYPE --points FILE` says which are missing",
      path, known);
}
