#include "report/study_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/plural.h"
#include "files/atomic_file.h"
#include "files/text_file.h"
#include "files/json.h"
#include "files/text_list.h"
#include "files/text_stream.h"
#include "files/warning_words.h"
#include "mbd/version.h"
#include "report/assets.h"
#include "report/comparison_parts.h"
#include "report/front_parts.h"
#include "report/run_page.h"
#include "report/study_figures.h"
#include "report/study_links.h"
#include "report/study_view.h"
#include "results/study_importance.h"
#include "results/study_units.h"

typedef struct writer {
  page *p;
  const study_data *d;
  study_links links;
  study_drawing drawing; /* of figures into the page */
  run_parts best;        /* of the best run; best.p NULL: there is none */
  const mbd_error *best_error;
  double live; /* [s] until the next page; 0: none */
} writer;

/* ---- what was run ---- */

/* A list as one text, cut where it becomes long; the caller's. NULL: no memory. */
static char *joined(int n, char *const *text, const char *between) {
  enum { MAX = 12 };
  text_stream stream;
  FILE *out = text_begin(&stream);
  for (int i = 0; out && i < n && i < MAX; i++) { fprintf(out, "%s%s", i ? between : "", text[i]); }
  if (out && n > MAX) { fprintf(out, "%s... (%d)", between, n); }
  return text_end(&stream);
}

/* Files as path_shown has them. */
static void files_fact(const writer *w, const char *name, int n, char *const *path) {
  if (n == 1) {
    page_fact_file(w->p, name, path[0]);
    return;
  }
  char **shown = NULL;
  int nshown = 0;
  for (int i = 0; i < n; i++) { text_list_take(&shown, &nshown, path_shown(path[i])); }
  page_fact_owned(w->p, name, joined(nshown, shown, ", "));
  text_list_free(shown, nshown);
}

/* Those that matter to results. */
static void assignments(const writer *w) {
  const study *whole = w->d->s;
  text_stream stream;
  FILE *out = text_begin(&stream);
  for (int i = 0, n = 0; out && i < whole->nset; i++) {
    if (study_is_engine_set(whole->set[i])) { continue; }
    fprintf(out, "%s%s", n++ ? ", " : "", whole->set[i]);
  }
  page_fact_owned(w->p, "set for all runs", text_end(&stream));
}

/* Facts about the study: kind, files, assignments, numbers of runs, time, program. */
static void facts(const writer *w) {
  const study_data *d = w->d;
  const study *whole = d->s;
  page_facts_open(w->p);
  page_fact_of(w->p, "study", "%s; each run %s", whole->kind,
               d->optimize   ? "optimizes"
               : d->gradient ? "evaluates the gradient"
                             : "simulates");
  if (whole->nfile == 1) { page_fact(w->p, "mechanism", d->title); }
  files_fact(w, whole->nfile > 1 ? "run files" : "run file", whole->nfile, whole->origin);
  files_fact(w, whole->nfile > 1 ? "model files" : "model file", whole->nfile, whole->model);
  assignments(w);
  page_fact_of(w->p, "runs", "%ld: %ld done, %ld failed, %ld left", whole->n, d->done, d->failed, d->left);
  if (d->done + d->failed) {
    page_fact_of(w->p, "time of runs", "%.3g s, %.3g s each", d->seconds, d->seconds / (double)(d->done + d->failed));
  }
  page_fact_date(w->p, "begun", d->written);
  page_fact_of(w->p, "program", "this page by mbopt %s", MBD_VERSION);
  page_facts_close(w->p);
}

/* The cells of a swept key: its values, or their range if there are many, and their number. */
static void key_row(const writer *w, const study_key *key) {
  char text[160];
  /* The values: all words, at most six numbers, or the range. */
  if (key->words) {
    page_cell_owned(w->p, joined(key->n, key->word, ", "));
  } else if (key->n && key->n <= 6) {
    size_t at = 0;
    for (int i = 0; i < key->n; i++) {
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%.8g", i ? ", " : "", key->level[i]);
    }
    page_cell(w->p, text);
  } else {
    snprintf(text, sizeof text, "%.8g to %.8g%s", key->low, key->high, key->log ? ", logarithmic" : "");
    page_cell(w->p, text);
  }
  /* Their number. n is 0 above KEYS_LEVELS_MAX distinct values. */
  if (key->n) {
    page_cell_number(w->p, key->n, PAGE_DIGITS, NULL);
  } else {
    page_cell(w->p, "a value of its own for each run, or nearly");
  }
}

static void varied(const writer *w) {
  static const char *const heading[] = {"key", "values", "how many"};
  const study_keys *keys = &w->d->keys;
  page_heading(w->p, "What varies");
  page_table_open(w->p, 3, heading);
  for (int j = 0; j < keys->n; j++) {
    page_row(w->p);
    page_cell(w->p, keys->key[j].name);
    key_row(w, &keys->key[j]);
  }
  page_table_close(w->p);
}

/* Notes on runs that are left, on parts of the page that are missing, and on runs and quantities without figures. */
static void notes(const writer *w) {
  const study_data *d = w->d;
  /* Runs that are left. */
  if (d->left && w->live > 0) {
    page_note(
        w->p,
        "This study goes on: %ld of %ld runs are done%s. The page is written anew meanwhile; motions and pages of "
        "runs are in the one that 'mbopt report' makes at the end.",
        d->done + d->failed, d->s->n, d->failed ? ", some of them failed" : "");
  } else if (d->left) {
    page_note(w->p, "This study is not finished: %ld of %ld run%s %s left; 'mbopt resume %s' does %s.", d->left,
              d->s->n, plural(d->s->n), d->left == 1 ? "is" : "are", d->s->folder, d->left == 1 ? "it" : "them");
  }
  /* Why motions or the best run are missing. */
  if (d->changed.code != MBD_OK) {
    page_note(w->p, "%s%s", d->kind == KIND_COMPARE ? "" : "No motions: ", d->changed.text);
  }
  if (w->best_error->code != MBD_OK) { page_note(w->p, "The best run is not shown: %s", w->best_error->text); }
  /* What figures leave out: runs, combinations of words, quantities. */
  if (study_keys_thinned(&d->keys) && d->kind != KIND_COMPARE) {
    page_note(w->p,
              "Figures show %d of %ld runs, evenly chosen, with the least and the largest value of every quantity; "
              "numbers and tables are of all.",
              d->nrow, d->done);
  }
  if (d->keys.more && d->kind == KIND_SWEEP) {
    page_note(w->p, "Figures show the first %d combinations of words; there are more.", KEYS_CATEGORIES_MAX);
  }
  if (d->more_quantities) {
    page_note(w->p, "Figures show the first %d quantities; %d more are in table.csv.", STUDY_QUANTITIES_MAX,
              d->more_quantities);
  }
}

/* ---- the verdict ---- */

/* The best run: its objective and its values; *edges: which of them lie at an end of what was varied. */
static mbd_status write_best(FILE *out, char **edges, const writer *w, mbd_error *err) {
  enum { MAX = 6 };
  const study_data *d = w->d;
  char *objective = study_units_heading(d, "objective");
  json_t *record = NULL;
  mbd_status status = study_data_run(d, d->top[0].run, &record, err);
  const json_t *columns = json_object_get(record, "columns");
  fprintf(out, "The best of %ld runs is run %ld: %s = %.5g", d->done, d->top[0].run, objective ? objective : "",
          d->top[0].f);
  for (int j = 0, n = 0; j < d->keys.n; j++) {
    const study_key *key = &d->keys.key[j];
    const json_t *value = json_object_get(columns, key->name);
    const double x = json_number_of(value);
    if (n < MAX && json_is_string(value)) {
      fprintf(out, "%s%s = %s", n++ ? ", " : " with ", key->name, json_string_value(value));
    }
    if (n < MAX && isfinite(x)) { fprintf(out, "%s%s = %.5g", n++ ? ", " : " with ", d->key_axis[j], x); }
  }
  fprintf(out, ".");
  *edges = study_edges(d, columns);
  free(objective);
  json_decref(record);
  return status;
}

/* Of a comparison of one problem: who reached the best objective first. */
static void write_first(FILE *out, const comparison *all) {
  int first = -1;
  for (int i = 0; i < all->n; i++) {
    const double needed = all->by[i].equivalent;
    if (isfinite(needed) && (first < 0 || needed < all->by[first].equivalent)) { first = i; }
  }
  if (first < 0) { return; }
  fprintf(out, "%s reached the best objective first, after %.4g equivalent simulations; %d of %d reached it.",
          all->by[first].name, all->by[first].equivalent, all->nreached, all->n);
}

/* The first section: the verdict, and what is to be known before the numbers are trusted. */
static mbd_status result(const writer *w, mbd_error *err) {
  const study_data *d = w->d;
  text_stream words;
  FILE *out = text_begin(&words);
  char *edges = NULL;
  const int best = d->kind != KIND_COMPARE && d->ntop > 0;
  mbd_status status = MBD_OK;
  if (out && best && d->kind != KIND_PARETO) { status = write_best(out, &edges, w, err); }
  if (out && best && d->kind == KIND_PARETO) { front_words(out, d); }
  if (out && d->kind != KIND_COMPARE && !best) {
    fputs(d->done ? "No run has a result without violation." : "No run is done yet.", out);
  }
  if (out && d->kind == KIND_COMPARE) { write_first(out, &d->comparison); }
  if (out && d->failed) { fprintf(out, " %ld run%s failed.", d->failed, plural(d->failed)); }
  char *text = text_end(&words);
  page_section(w->p, "Result");
  if (text && *text) {
    page_verdict_owned(w->p, best || d->comparison.nreached > 0, text);
  } else {
    free(text);
  }
  if (edges && *edges) {
    page_note(w->p, "The best lies at the edge of what was varied, so a wider range may have a better one: %s.", edges);
  }
  free(edges);
  return status;
}

static void reason_table(const writer *w, const char *what, const study_reasons *list) {
  const char *const heading[] = {"runs", what, "for example run", "its values"};
  page_table_open(w->p, 4, heading);
  for (int k = 0; k < list->n; k++) {
    page_row(w->p);
    page_cell_number(w->p, (double)list->v[k].n, PAGE_DIGITS, NULL);
    page_cell(w->p, list->v[k].text);
    page_cell_number(w->p, (double)list->v[k].run, PAGE_DIGITS, NULL);
    page_cell(w->p, list->v[k].values);
  }
  page_table_close(w->p);
}

static void failures(const writer *w) {
  const study_data *d = w->d;
  if (d->failures.n == 0) { return; }
  page_section(w->p, "Failed runs");
  page_text(w->p,
            "Reasons that differ in numbers alone are one row. 'mbopt resume %s --retry-failed' tries them again.",
            d->s->folder);
  reason_table(w, "reason", &d->failures);
  if (d->failures.more) {
    page_text(w->p, "%ld more run%s failed for other reasons.", d->failures.more, plural(d->failures.more));
  }
}

/* Of a comparison of one problem, by the names of the backends. */
static void warnings_of_comparison(const writer *w) {
  const comparison *backends = &w->d->comparison;
  for (int i = 0; i < backends->n; i++) {
    char *words = warnings_words(json_object_get(backends->by[i].record, "warnings"));
    if (words && *words) { page_text(w->p, "%s: %s", backends->by[i].name, words); }
    free(words);
  }
}

static void warnings(const writer *w) {
  const study_reasons *list = &w->d->warnings;
  if (list->n == 0) { return; }
  page_section(w->p, "Warnings");
  if (w->d->comparison.n) {
    warnings_of_comparison(w);
    return;
  }
  page_text(w->p, "Of the simulations of the results. Warnings that differ in numbers alone are one row.");
  reason_table(w, "warning", list);
  if (list->more) { page_text(w->p, "%ld more warnings are of other kinds.", list->more); }
}

/* ---- figures ---- */

/* Figures of the runs of a sweep or multistart, which study.js draws. */
static mbd_status figures(const writer *w, mbd_error *err) {
  json_t *data = NULL;
  MBD_TRY(study_view(w->d, &w->links, &data, err));
  page_uses_plots(w->p);
  page_style(w->p, &mbo_asset_study_css);
  page_container(w->p, "study-runs");
  page_script(w->p, &mbo_asset_study_tools_js);
  page_script(w->p, &mbo_asset_study_density_js);
  page_script(w->p, &mbo_asset_study_contours_js);
  page_script(w->p, &mbo_asset_study_points_js);
  page_script(w->p, &mbo_asset_study_parallel_js);
  page_script(w->p, &mbo_asset_study_plane_js);
  page_script(w->p, &mbo_asset_study_js);
  page_json(w->p, "study", data);
  json_decref(data);
  return MBD_OK;
}

/* ---- tables of runs ---- */

static int shown_columns(const study_data *d) {
  return d->ncolumn < STUDY_TABLE_MAX ? d->ncolumn : STUDY_TABLE_MAX;
}

static void open_run_table(const writer *w) {
  const char *heading[STUDY_TABLE_MAX + 4] = {"run", "status"};
  char *text[STUDY_TABLE_MAX];
  const int n = shown_columns(w->d);
  for (int k = 0; k < n; k++) { heading[k + 2] = text[k] = study_units_heading(w->d, w->d->column[k]); }
  heading[n + 2] = "time [s]", heading[n + 3] = "error";
  page_table_open(w->p, n + 3 + (w->d->failed > 0), heading);
  for (int k = 0; k < n; k++) { free(text[k]); }
}

/* Its number, which leads to its page where it has one. */
static void run_cell(const writer *w, long run) {
  char *file = study_links_file(&w->links, run);
  page_cell_link(w->p, (double)run, PAGE_DIGITS, file);
  free(file);
}

static mbd_status run_row(const writer *w, long run, mbd_error *err) {
  enum { ERROR_MAX = 60 }; /* the whole text is among the failed runs */
  json_t *record;
  MBD_TRY(study_data_run(w->d, run, &record, err));
  if (!record) { return MBD_OK; }
  const json_t *columns = json_object_get(record, "columns");
  const char *mark = w->d->kind != KIND_PARETO && w->d->ntop && run == w->d->top[0].run ? "best"
                     : w->d->kind != KIND_PARETO && run == w->d->worst.run              ? "worst"
                                                                                        : NULL;
  page_row(w->p);
  run_cell(w, run);
  page_cell(w->p, json_string_value(json_object_get(record, "status")));
  for (int k = 0; k < shown_columns(w->d); k++) {
    const char *name = w->d->column[k];
    const json_t *value = json_object_get(columns, name);
    /* A word, or a number with a mark at the objective of the best and the worst run. */
    if (json_is_string(value)) {
      page_cell(w->p, json_string_value(value));
    } else {
      page_cell_number(w->p, json_number_of(value), 7, strcmp(name, "objective") == 0 ? mark : NULL);
    }
  }
  page_cell_number(w->p, json_number_value(json_object_get(record, "seconds")), 3, NULL);
  if (w->d->failed) {
    const char *error = json_text_in(record, "error");
    page_cell_owned(w->p, mbd_sprintf_dup("%.*s%s", ERROR_MAX, error, strlen(error) > ERROR_MAX ? " ..." : ""));
  }
  json_decref(record);
  return MBD_OK;
}

static mbd_status best_and_worst(const writer *w, mbd_error *err) {
  enum { MAX = 5 };
  const study_data *d = w->d;
  if (d->ntop == 0) { return MBD_OK; }
  page_heading(w->p, "Best and worst runs");
  open_run_table(w);
  for (int i = 0; i < d->ntop && i < MAX; i++) { MBD_TRY(run_row(w, d->top[i].run, err)); }
  if (d->ntop > MAX) { MBD_TRY(run_row(w, d->worst.run, err)); }
  page_table_close(w->p);
  return MBD_OK;
}

static mbd_status all_runs(const writer *w, mbd_error *err) {
  const study_data *d = w->d;
  const int whole = d->s->n <= STUDY_ROWS_MAX, best = !whole && d->ntop > 0 && d->kind != KIND_COMPARE;
  const long n = whole ? d->s->n : best ? d->ntop : STUDY_ROWS_MAX;
  page_section(w->p, "Runs");
  if (!whole) {
    page_text(w->p, "The %s %ld runs; table.csv, which 'mbopt merge %s' writes, has all %ld.", best ? "best" : "first",
              n, d->s->folder, d->done + d->failed);
  }
  if (d->ncolumn > STUDY_TABLE_MAX) {
    page_text(w->p, "The first %d of %d columns; table.csv has all.", STUDY_TABLE_MAX, d->ncolumn);
  }
  open_run_table(w);
  for (long i = 0; i < n; i++) { MBD_TRY(run_row(w, best ? d->top[i].run : i, err)); }
  page_table_close(w->p);
  return MBD_OK;
}

/* ---- a sweep ---- */

/* What has one value in all runs, so that no figure has it: keys and quantities, "The same in all runs: a = 1, b = newmark." */
static void constants(const writer *w) {
  const study_data *d = w->d;
  char **text = NULL;
  int n = 0;
  for (int j = 0; j < d->keys.n; j++) {
    const study_key *key = &d->keys.key[j];
    if (key->n != 1) { continue; }
    text_list_take(&text, &n,
                   key->words ? mbd_sprintf_dup("%s = %s", key->name, key->word[0])
                              : mbd_sprintf_dup("%s = %.*g", d->key_axis[j], PAGE_DIGITS, key->level[0]));
  }
  for (int k = 0; k < d->nquantity; k++) {
    const study_quantity *quantity = &d->quantity[k];
    if (quantity->state != QUANTITY_CONSTANT || !isfinite(quantity->value)) { continue; }
    text_list_take(&text, &n, mbd_sprintf_dup("%s = %.*g", quantity->axis, PAGE_DIGITS, quantity->value));
  }
  char *list = n ? joined(n, text, ", ") : NULL;
  if (list) { page_text(w->p, "The same in all runs: %s.", list); }
  free(list), text_list_free(text, n);
}

static mbd_status what_values_do(writer *w, mbd_error *err) {
  if (w->d->nrow == 0) { return MBD_OK; }
  page_section(w->p, "What the values do");
  if (w->d->nrow < 2 || study_keys_shape(&w->d->keys) == SHAPE_NONE) {
    page_text(w->p, "No number varies over which a quantity could be drawn; the table of runs has all.");
  } else {
    MBD_TRY(figures(w, err));
  }
  constants(w);
  return MBD_OK;
}

/* ---- what quantities depend on ---- */

static void importance_cell(const writer *w, const json_t *key, const char *name, int exact) {
  char *low = mbd_sprintf_dup("%s_low", name), *high = mbd_sprintf_dup("%s_high", name);
  const double v = json_number_in(key, name);
  if (low && high) {
    page_cell_bar(w->p, v, exact ? NAN : json_number_in(key, low), exact ? NAN : json_number_in(key, high));
  }
  free(low), free(high);
}

/* Rows of one quantity, a key each; what has no indices is told instead. */
static void importance_rows(const writer *w, const json_t *one) {
  const int exact = strcmp(json_text_in(one, "method"), "grid") == 0, known = !*json_text_in(one, "reason");
  const json_t *key;
  size_t j;
  json_array_foreach(json_object_get(one, "keys"), j, key) {
    if (!known && !isfinite(json_number_in(key, "bound"))) { continue; }
    page_row(w->p);
    page_cell(w->p, json_text_in(one, "quantity"));
    page_cell(w->p, json_text_in(key, "name"));
    importance_cell(w, key, "first", exact), importance_cell(w, key, "total", exact);
    if (w->d->gradient) { page_cell_number(w->p, 100 * json_number_in(key, "bound"), 3, NULL); }
  }
}

/* How the indices were found, and for which quantities there are none. */
static void importance_words(const writer *w, const json_t *all) {
  const json_t *one;
  size_t k;
  json_array_foreach(all, k, one) {
    const char *name = json_text_in(one, "quantity"), *reason = json_text_in(one, "reason");
    if (*reason) {
      page_note(w->p, "%s has no such parts: %s.", name, reason);
    } else if (strcmp(json_text_in(one, "method"), "grid") != 0) {
      page_text(w->p,
                "%s: from %lld polynomials up to degree %lld through %lld runs, which predict %.3g %% of the variance "
                "of runs that they have not seen; "
                "in parentheses and as a line intervals of 95 %%, by a bootstrap.",
                name, json_integer_value(json_object_get(one, "terms")),
                json_integer_value(json_object_get(one, "degree")), json_integer_value(json_object_get(one, "runs")),
                100 * json_number_in(one, "explained"));
    }
  }
}

static mbd_status importance(const writer *w, mbd_error *err) {
  static const char *const heading[] = {"quantity", "key", "alone [%]", "and with others [%]",
                                        "at most, by derivatives [%]"};
  const json_t *one;
  json_t *all;
  size_t k;
  MBD_TRY(study_importance(w->d, &all, err));
  if (json_array_size(all) > 0) {
    page_heading(w->p, "What quantities depend on");
    page_text(w->p,
              "Parts of the variance of a quantity over the runs (Sobol indices): by a key alone, and by all that it "
              "does, together with other keys, too. %s",
              w->d->keys.grid ? "In a grid every level counts the same." : "");
    page_table_open(w->p, 4 + w->d->gradient, heading);
    json_array_foreach(all, k, one) {
      importance_rows(w, one);
    }
    page_table_close(w->p);
    importance_words(w, all);
  }
  json_decref(all);
  return MBD_OK;
}

static mbd_status sweep_parts(writer *w, mbd_error *err) {
  MBD_TRY(best_and_worst(w, err));
  MBD_TRY(what_values_do(w, err));
  MBD_TRY(importance(w, err));
  if (w->best.p) {
    MBD_TRY(run_parts_histories(&w->best, err));
    run_parts_motion(&w->best);
    if (w->d->optimize) { MBD_TRY(run_parts_design(&w->best, NULL, err)); }
    run_parts_quantities(&w->best);
  }
  return MBD_OK;
}

/* ---- a multistart ---- */

enum { VARIED_MAX = 5 };

/* Is one of the optima the equivalent of another one? Then a column says so. */
static int any_equivalent(const optima *o) {
  for (int i = 0; i < o->n; i++) {
    if (o->found[i].as) { return 1; }
  }
  return 0;
}

static void optima_row(const writer *w, const optimum *end, int number) {
  page_row(w->p);
  page_cell_number(w->p, number, PAGE_DIGITS, NULL);
  page_cell_number(w->p, end->f, PAGE_DIGITS, number == 1 ? "best" : NULL);
  page_cell_number(w->p, (double)end->found, PAGE_DIGITS, NULL);
  page_cell_number(w->p, (double)end->converged, PAGE_DIGITS, NULL);
  run_cell(w, end->run);
  if (any_equivalent(&w->d->optima)) {
    char text[100] = "";
    if (end->as) { snprintf(text, sizeof text, "%.80s of %d", end->as, end->same + 1); }
    page_cell(w->p, text);
  }
  for (int j = 0; j < w->d->nx && j < STUDY_TABLE_MAX; j++) { page_cell_number(w->p, end->x[j], 7, NULL); }
  for (int j = 0; j < w->d->nvaried && j < VARIED_MAX; j++) { page_cell_number(w->p, end->x[w->d->nx + j], 7, NULL); }
}

static void optima_table(const writer *w) {
  enum { MAX = 100 };
  const study_data *d = w->d;
  const char *heading[STUDY_TABLE_MAX + VARIED_MAX + 6] = {"end", "objective", "found by runs", "of them converged",
                                                           "its best run"};
  char *text[STUDY_TABLE_MAX + 1];
  int n = 5, ntext = 0;
  heading[1] = text[ntext++] = study_units_heading(d, "objective");
  if (any_equivalent(&d->optima)) { heading[n++] = "the same as"; }
  for (int j = 0; j < d->nx && j < STUDY_TABLE_MAX; j++) {
    heading[n++] = text[ntext++] = study_units_heading(d, d->x[j]);
  }
  for (int j = 0; j < d->nvaried && j < VARIED_MAX; j++) { heading[n++] = d->varied[j]; }
  page_table_open(w->p, n, heading);
  for (int k = 0; k < ntext; k++) { free(text[k]); }
  for (int i = 0; i < d->optima.n && i < MAX; i++) { optima_row(w, &d->optima.found[i], i + 1); }
  page_table_close(w->p);
}

static mbd_status optima_part(writer *w, mbd_error *err) {
  const optima *ends = &w->d->optima;
  page_section(w->p, "Optima");
  /* Ends that only runs stopped by a limit have reached are no optima: they are not in the table. */
  if (ends->stopped) {
    page_note(w->p, "A limit has stopped %ld run%s elsewhere, the best at %.9g (run %ld): %s no optim%s.",
              ends->stopped, plural(ends->stopped), ends->stopped_f, ends->stopped_run,
              ends->stopped == 1 ? "this is" : "these are", ends->stopped == 1 ? "um" : "a");
  }
  if (ends->outside) {
    page_note(w->p, "%ld run%s ended outside of the limits, at least by %.2g (run %ld).", ends->outside,
              plural(ends->outside), ends->outside_v, ends->outside_run);
  }
  if (ends->n == 0) {
    page_note(w->p, "No run ended without violation%s.", ends->stopped ? " before a limit" : "");
    return MBD_OK;
  }
  /* The optima, and the tolerances within which two ends are the same optimum. */
  page_text(w->p,
            "%d different end%s%s, the best of them found by %ld of %ld run%s. Ends are the same optimum where their "
            "objectives agree within %g of their size or that of the start, and every variable within %g of its own or "
            "its scale.",
            ends->n, plural(ends->n), ends->more ? " at least" : "", ends->found[0].found, w->d->done,
            plural(w->d->done), ends->tol_f, ends->tol_x);
  optima_table(w);
  if (ends->lacking && *ends->lacking) { page_note(w->p, "%s", ends->lacking); }
  /* The probability of a new optimum, if there are enough starts for it (study/optima.h). */
  if (isfinite(optima_missed(ends))) {
    page_text(w->p, "The chance that one more start ends elsewhere, and perhaps better, is %.2g %%.",
              100 * optima_missed(ends));
  }
  return w->d->nrow < 2 ? MBD_OK : figures(w, err);
}

static mbd_status multistart_parts(writer *w, mbd_error *err) {
  MBD_TRY(optima_part(w, err));
  if (w->best.p) {
    MBD_TRY(run_parts_histories(&w->best, err));
    run_parts_motion(&w->best);
    MBD_TRY(run_parts_design(&w->best, NULL, err));
    MBD_TRY(run_parts_directions(&w->best, err));
    run_parts_quantities(&w->best);
  }
  return MBD_OK;
}

/* ---- a comparison of one problem from one start ---- */

/* Columns of the table of optimizers, beside their names and words. */
static const struct {
  const char *heading;
  int digits;
} measures[COMPARISON_MEASURES] = {
    [COMPARISON_OBJECTIVE] = {"objective", PAGE_DIGITS}, [COMPARISON_OPTIMALITY] = {"optimality", 2},
    [COMPARISON_VIOLATION] = {"violation", 3},           [COMPARISON_ITERATIONS] = {"iterations", PAGE_DIGITS},
    [COMPARISON_SIMULATIONS] = {"designs", PAGE_DIGITS}, [COMPARISON_EQUIVALENT] = {"equivalent", 4},
    [COMPARISON_FAILURES] = {"failed", PAGE_DIGITS},     [COMPARISON_SECONDS] = {"time [s]", 3}};

static void contender_row(const writer *w, int row) {
  const contender *optimizer = &w->d->comparison.by[row];
  page_row(w->p);
  page_cell(w->p, optimizer->name);
  for (int i = 0; i < COMPARISON_MEASURES; i++) {
    const int best =
        i == COMPARISON_OBJECTIVE && !(optimizer->measure[COMPARISON_VIOLATION] > runs_tolerance(optimizer->record));
    page_cell_number(w->p, optimizer->measure[i], measures[i].digits,
                     best ? comparison_parts_mark(w->d, 0, optimizer->measure[i]) : NULL);
  }
  page_cell_number(w->p, optimizer->equivalent, 4, NULL);
  page_cell_owned(w->p, mbd_sprintf_dup("%s%s%s", optimizer->status, *optimizer->text ? ": " : "", optimizer->text));
}

/* The table of optimizers on one problem from one start, with the number of those that reached the best objective. */
static mbd_status contenders(writer *w, mbd_error *err) {
  const comparison *backends = &w->d->comparison;
  const char *heading[COMPARISON_MEASURES + 3] = {"optimizer", [COMPARISON_MEASURES + 1] = "to the best",
                                                  [COMPARISON_MEASURES + 2] = "how it ended"};
  for (int i = 0; i < COMPARISON_MEASURES; i++) { heading[i + 1] = measures[i].heading; }
  page_section(w->p, "Optimizers");
  page_table_open(w->p, COMPARISON_MEASURES + 3, heading);
  for (int i = 0; i < backends->n; i++) { contender_row(w, i); }
  page_table_close(w->p);
  if (backends->best < 0) {
    page_note(w->p, "No optimizer found a design without violation.");
  } else {
    page_text(
        w->p,
        "%d of %d reached the best objective, within 1 %% or 1e-6 of what was gained from the start; 'to the best' "
        "says after how many equivalent simulations, 'optimality' which decrease of the objective the conditions of an "
        "optimum still leave, to first order.",
        backends->nreached, backends->n);
  }
  comparison_parts_notes(w->p, &w->d->profiles.costs.of[0], w->d->profiles.problem[0]);
  return study_figures_convergence(&w->drawing, err);
}

/* The design of every optimizer: where they differ with the same objective, the optimum lies in a flat valley. */
static mbd_status designs(const writer *w, mbd_error *err) {
  const comparison *backends = &w->d->comparison;
  const char **heading = calloc((size_t)backends->n + 2, sizeof *heading);
  MEMORY_TRY(heading, err, "the page");
  heading[0] = "variable", heading[1] = "start";
  for (int i = 0; i < backends->n; i++) { heading[i + 2] = backends->by[i].name; }
  page_heading(w->p, "Their designs");
  page_table_open(w->p, backends->n + 2, heading);
  for (int j = 0; j < w->d->nvariable; j++) {
    page_row(w->p);
    page_cell(w->p, w->d->variable[j]);
    page_cell_number(w->p, w->d->start[j], PAGE_DIGITS, NULL);
    for (int i = 0; i < backends->n; i++) {
      page_cell_number(w->p, backends->by[i].x ? backends->by[i].x[j] : NAN, PAGE_DIGITS, NULL);
    }
  }
  page_table_close(w->p);
  free(heading);
  return MBD_OK;
}

static mbd_status single_parts(writer *w, mbd_error *err) {
  MBD_TRY(contenders(w, err));
  MBD_TRY(designs(w, err));
  if (w->best.p) {
    MBD_TRY(run_parts_histories(&w->best, err));
    run_parts_motion(&w->best);
    MBD_TRY(run_parts_design(&w->best, "Best design", err));
    run_parts_quantities(&w->best);
  }
  return MBD_OK;
}

/* ---- a comparison of several problems or starts ---- */

static int has_verdict(const writer *w) {
  return w->d->kind == KIND_COMPARE && w->d->comparison.n == 0 && w->d->profiles.ninstance > 1;
}

static mbd_status compare_parts(writer *w, mbd_error *err) {
  const comparison_parts parts = {w->p, w->d, &w->drawing};
  if (w->d->comparison.n) { return single_parts(w, err); }
  if (has_verdict(w)) { MBD_TRY(comparison_parts_profiles(&parts, err)); }
  return comparison_parts_problems(&parts, err);
}

/* ---- a front ---- */

static mbd_status pareto_parts(writer *w, mbd_error *err) {
  MBD_TRY(front_parts(&(front_page){w->p, w->d, &w->links, &w->drawing}, err));
  if (w->d->nrow > 1) { MBD_TRY(figures(w, err)); }
  if (w->best.p) {
    MBD_TRY(run_parts_histories(&w->best, err));
    run_parts_motion(&w->best);
    MBD_TRY(
        run_parts_design(&w->best, w->d->front.knee >= 0 ? "Design of the knee" : "Design of the first point", err));
    run_parts_quantities(&w->best);
  }
  return MBD_OK;
}

/* ---- the run files ---- */

static void configuration(const writer *w) {
  const study *whole = w->d->s;
  page_folded_section(w->p, "Configuration");
  for (int i = 0; i < whole->nfile; i++) {
    text_file in;
    const mbd_status status = text_file_read(whole->file[i], TEXT_FILE_SETTINGS, &in, NULL);
    if (status == MBD_NO_MEMORY) { mbd_memory_note(); }
    if (status != MBD_OK) { continue; }
    page_listing(w->p, whole->origin[i], in.left);
    text_file_free(&in);
  }
}

/* ---- all of it ---- */

static mbd_status all_parts(writer *w, mbd_error *err) {
  static mbd_status (*const parts[])(writer *, mbd_error *) = {sweep_parts, multistart_parts, compare_parts,
                                                               pareto_parts};
  if (has_verdict(w)) {
    MBD_TRY(comparison_parts_verdict(&(comparison_parts){w->p, w->d, &w->drawing}, err));
  } else {
    MBD_TRY(result(w, err));
  }
  notes(w);
  if (w->best.p) { run_parts_not_simulated(&w->best), run_parts_requirements(&w->best); }
  MBD_TRY(parts[w->d->kind](w, err));
  failures(w);
  warnings(w);
  MBD_TRY(all_runs(w, err));
  page_folded_section(w->p, "What was run");
  facts(w);
  if (w->d->kind == KIND_SWEEP) { varied(w); }
  configuration(w);
  return MBD_OK;
}

mbd_status study_page_write(const study_data *d, const json_t *best, const mbd_error *best_error, double live,
                            const char *path, mbd_error *err) {
  writer w = {.d = d, .best_error = best_error, .live = live};
  const char *kind = d->kind == KIND_COMPARE ? "comparison" : d->kind == KIND_PARETO ? "front" : d->s->kind;
  char *title =
      mbd_sprintf_dup("%s%s: %s", study_links_name(d->s->origin[0]), d->s->nfile > 1 ? " and others" : "", kind);
  mbd_status status = page_create(title, &w.p, err);
  w.drawing = (study_drawing){d, &w.links, page_figure, w.p};
  if (status == MBD_OK) { status = study_links_find(d, path, &w.links, err); }
  if (status == MBD_OK && best) { status = run_parts_open(w.p, best, &w.best, err); }
  if (status == MBD_OK) { status = all_parts(&w, err); }
  if (status == MBD_OK && live > 0) { page_live(w.p, live); }
  if (status == MBD_OK) { status = page_write(w.p, path, err); }
  study_links_free(&w.links);
  run_parts_close(&w.best);
  page_destroy(w.p);
  free(title);
  return status;
}
