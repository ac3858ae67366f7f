#include "report/together_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "files/json.h"
#include "files/text_stream.h"
#include "report/assets.h"
#include "report/figure.h"
#include "report/page.h"

/* The runs with their names and last motions: [{name, view, scene, curves}] of those that have one. */
static const char *run_name(const json_t *runs, size_t i) {
  return json_text_in(json_array_get(runs, i), "name");
}

/* The last part of a path, or all of it where another run has the same. */
static json_t *name_of(const json_t *views, size_t which) {
  const char *own = json_text_in(json_array_get(views, which), "folder"), *slash = strrchr(own, '/');
  const char *name = slash && slash[1] ? slash + 1 : own;
  const json_t *one;
  size_t i;
  json_array_foreach(views, i, one) {
    const char *other = json_text_in(one, "folder"), *end = strrchr(other, '/');
    if (i != which && strcmp(end && end[1] ? end + 1 : other, name) == 0) { name = own; }
  }
  return json_text(name);
}

static json_t *named_runs(const json_t *views) {
  json_t *runs = json_array();
  const json_t *view;
  size_t i;
  json_array_foreach(views, i, view) {
    const json_t *second = json_object_get(view, "second"), *scene = second ? second : json_object_get(view, "first");
    json_t *one = json_pack("{s:o, s:O}", "name", name_of(views, i), "view", view);
    if (scene) { json_object_set(one, "scene", (json_t *)scene); }
    json_array_append_new(runs, one);
  }
  return runs;
}

/* ---- tables: a row for each name, a column for each run ---- */

/* The value of a quantity at the last motion of its run, as it is and not smoothed; of a variable its result, or start. */
static double value_of(const json_t *one) {
  static const char *const keys[] = {"true_after", "after", "result", "true_before", "before", "start"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const double v = json_number_in(one, keys[i]);
    if (isfinite(v)) { return v; }
  }
  return NAN;
}

/* rows: [{name, "0", "1", ...: of each run, unit}]. digits: of the numbers of the runs, or PAGE_DASH of texts without a unit. */
static void print_rows(page *p, const json_t *runs, const char *what, int digits, const json_t *rows) {
  const size_t n = json_array_size(runs);
  page_column *column = calloc(n + 2, sizeof *column);
  char(*key)[24] = calloc(n + 1, sizeof *key);
  for (size_t i = 0; column && key && i < n; i++) {
    snprintf(key[i], sizeof key[i], "%zu", i);
    column[i + 1] = (page_column){run_name(runs, i), key[i], digits, NULL};
  }
  if (column && key) {
    column[0] = (page_column){what, "name", PAGE_WORDS, NULL};
    column[n + 1] = (page_column){"unit", "unit", PAGE_WORDS, NULL};
    page_table(p, (int)n + (digits == PAGE_DASH ? 1 : 2), column, rows);
  }
  if (!column || !key) { page_cell_owned(p, NULL); } /* memory ran out */
  free(column), free(key);
}

/* The row of a name, which is added where it is not there. */
static json_t *row_of(json_t *rows, json_t *place, const char *name) {
  json_t *row = json_object_get(place, name);
  if (row) { return row; }
  row = json_pack("{s:s}", "name", name);
  json_array_append(rows, row), json_object_set_new(place, name, row);
  return row;
}

/* A section with a table of what the runs have in a list; nothing where no run has any. */
static void table_section(page *p, const char *title, const json_t *runs, const char *list, const char *what,
                          const char *about) {
  json_t *rows = json_array(), *place = json_object();
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *one, *all = json_object_get(json_object_get(json_array_get(runs, i), "view"), list);
    char key[24];
    size_t k;
    snprintf(key, sizeof key, "%zu", i);
    json_array_foreach(all, k, one) {
      json_t *row = row_of(rows, place, json_text_in(one, "name"));
      if (!json_object_get(row, "unit")) { json_object_set_new(row, "unit", json_text(json_text_in(one, "unit"))); }
      json_object_set_new(row, key, json_number(value_of(one)));
    }
  }
  if (json_array_size(rows) > 0) {
    page_section(p, title);
    print_rows(p, runs, what, 6, rows);
    if (about) { page_text(p, "%s", about); }
  }
  json_decref(rows), json_decref(place);
}

/* Adds the values of a run file's keys to the rows, under SECTION.KEY as --set names them; the folder of the results is no part of what was
 * run. */
static void add_keys(json_t *rows, json_t *place, const char *text, const char *run) {
  char section[300] = "";
  for (size_t n; *text; text += n + (text[n] == '\n')) {
    n = strcspn(text, "\n");
    char *line = mbd_sprintf_dup("%.*s", (int)n, text), *equals = line ? strstr(line, " = ") : NULL;
    if (line && *line == '[') {
      snprintf(section, sizeof section, "%.*s", (int)strcspn(line + 1, "]"), line + 1);
      char *blank = strchr(section, ' ');
      if (blank) { *blank = '.'; }
    } else if (line && *line != ';' && equals) {
      *equals = '\0';
      char *key = mbd_sprintf_dup("%s%s%s", section, *section ? "." : "", line);
      if (key && strcmp(key, "output.folder") != 0) {
        json_object_set_new(row_of(rows, place, key), run, json_text(equals + 3));
      }
      free(key);
    }
    free(line);
  }
}

/* 1: the row has the same value for all n runs. */
static int is_alike(const json_t *row, size_t n) {
  for (size_t i = 1; i < n; i++) {
    char key[24];
    snprintf(key, sizeof key, "%zu", i);
    const json_t *first = json_object_get(row, "0"), *other = json_object_get(row, key);
    if (!first || !other || !json_equal(first, other)) { return 0; }
  }
  return 1;
}

/* In what the run files of the runs differ, with their defaults; nothing where they are of different mechanisms, or differ in very much. */
static void table_of_differences(page *p, const json_t *runs) {
  enum { MAX = 40 };
  const size_t n = json_array_size(runs);
  json_t *rows = json_array(), *place = json_object(), *different = json_array();
  const json_t *row;
  size_t i;
  int same = 1;
  for (i = 0; i < n; i++) {
    const json_t *view = json_object_get(json_array_get(runs, i), "view"),
                 *first = json_object_get(json_array_get(runs, 0), "view");
    char key[24];
    snprintf(key, sizeof key, "%zu", i);
    same &= json_equal(json_object_get(view, "model_file"), json_object_get(first, "model_file"));
    add_keys(rows, place, json_text_in(view, "configuration"), key);
  }
  json_array_foreach(rows, i, row) {
    if (!is_alike(row, n)) { json_array_append(different, (json_t *)row); }
  }
  if (same && json_array_size(different) > 0 && json_array_size(different) <= MAX) {
    page_text(p, "In what their run files differ:");
    print_rows(p, runs, "key", PAGE_DASH, different);
  }
  json_decref(rows), json_decref(place), json_decref(different);
}

/* Which runs these are, and how they ended. */
static void table_of_runs(page *p, const json_t *runs) {
  static const page_column column[] = {{"run", "name", PAGE_WORDS, NULL},
                                       {"folder", "folder", PAGE_WORDS, NULL},
                                       {"run file", "run_file", PAGE_WORDS, NULL},
                                       {"mechanism", "mechanism", PAGE_WORDS, NULL},
                                       {"what is shown", "shown", PAGE_WORDS, NULL}};
  json_t *rows = json_array();
  const json_t *run;
  size_t i;
  json_array_foreach(runs, i, run) {
    const json_t *view = json_object_get(run, "view"), *called = json_object_get(view, "called");
    const char *status = json_text_in(json_object_get(view, "result"), "status_text"),
               *which = json_text_in(called, json_object_get(view, "second") ? "after" : "before");
    json_array_append_new(
        rows,
        json_pack("{s:s, s:O, s:O, s:O, s:o}", "name", run_name(runs, i), "folder", json_object_get(view, "folder"),
                  "run_file", json_object_get(view, "run_file"), "mechanism", json_object_get(view, "mechanism"),
                  "shown", json_own_text(mbd_sprintf_dup("%s%s%s", which, *status ? ", " : "", status))));
  }
  page_table(p, 5, column, rows);
  json_decref(rows);
}

static void notes(page *p, const json_t *runs) {
  const json_t *run, *text;
  size_t i, k;
  json_array_foreach(runs, i, run) {
    const json_t *view = json_object_get(run, "view");
    json_array_foreach(json_object_get(view, "not_simulated"), k, text) {
      page_note(p, "%s: %s", run_name(runs, i), json_string_value(text));
    }
    if (*json_text_in(view, "changed")) { page_note(p, "%s: %s", run_name(runs, i), json_text_in(view, "changed")); }
  }
}

/* ---- curves and motions, for the scripts ---- */

static json_t *shown(const json_t *runs, json_t **curves, json_t **names) {
  json_t *scenes = json_array();
  const json_t *run;
  size_t i;
  *curves = json_array(), *names = json_array();
  json_array_foreach(runs, i, run) {
    const json_t *scene = json_object_get(run, "scene"), *own = json_object_get(json_object_get(run, "view"), "curves");
    if (!scene || !own) { continue; }
    json_array_append(scenes, (json_t *)scene), json_array_append(*names, json_object_get(run, "name"));
    json_array_append_new(*curves, json_pack("{s:O, s:O}", "name", json_object_get(run, "name"), "curves", own));
  }
  return scenes;
}

static void parts(page *p, const json_t *runs) {
  json_t *curves, *names, *scenes = shown(runs, &curves, &names);
  page_section(p, "Runs");
  notes(p, runs);
  table_of_runs(p, runs);
  table_of_differences(p, runs);
  table_section(p, "Result", runs, "quantities", "objective or constraint",
                "Of each run the last motion; extrema are true values, at the nodes and between them.");
  page_section(p, "Time histories");
  page_container(p, "time-curves");
  page_uses_plots(p);
  page_script(p, &mbo_asset_dygraph_js);
  page_script(p, &mbo_asset_curves_js);
  page_json(p, "curves", curves);
  page_section(p, "Motion");
  page_container(p, "scene");
  page_uses_scene(p);
  page_json(p, "scenes", scenes);
  page_json(p, "names", names);
  table_section(p, "Design", runs, "design", "variable", NULL);
  json_decref(scenes), json_decref(curves), json_decref(names);
}

/* ---- all of it ---- */

static char *title_of(const json_t *runs) {
  enum { NAMED_MAX = 4 };
  text_stream s;
  FILE *out = text_begin(&s);
  const size_t n = json_array_size(runs);
  for (size_t i = 0; out && i < n && i < NAMED_MAX; i++) { fprintf(out, "%s%s", i ? ", " : "", run_name(runs, i)); }
  if (out && n > NAMED_MAX) { fprintf(out, " and %zu more", n - NAMED_MAX); }
  return text_end(&s);
}

mbd_status together_page_write(const json_t *views, const char *path, mbd_error *err) {
  json_t *runs = named_runs(views);
  page *p = NULL;
  int any = 0;
  for (size_t i = 0; i < json_array_size(runs); i++) {
    any |= json_object_get(json_array_get(runs, i), "scene") != NULL;
  }
  mbd_status status =
      any ? MBD_OK
          : MBD_FAILED(err, MBD_BAD_INPUT, "none of the runs has a motion: there is nothing to be shown together");
  char *title = any ? title_of(runs) : NULL;
  if (status == MBD_OK) { status = page_create(title, &p, err); }
  if (status == MBD_OK) {
    parts(p, runs);
    status = page_write(p, path, err);
  }
  page_destroy(p);
  free(title);
  json_decref(runs);
  return status;
}
