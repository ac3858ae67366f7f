#include "report/run_page.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "files/json.h"
#include "files/plural.h"
#include "files/text_stream.h"
#include "files/warning_words.h"
#include "mbd/version.h"
#include "report/assets.h"
#include "report/fit_page.h"
#include "report/mechanism_parts.h"
#include "report/page.h"

enum { DIGITS = PAGE_DIGITS };

int run_page_draws_curves(void) {
  return mbo_asset_dygraph_js.text[0] != '\0';
}

static const json_t *view_of(const run_parts *w, const char *key) {
  return json_object_get(w->f.view, key);
}

static int is_optimization(const run_parts *w) {
  return strcmp(json_text_in(w->f.view, "kind"), "optimization") == 0;
}

static const char *called(const run_parts *w, const char *which) {
  return json_text_in(view_of(w, "called"), which);
}

static int any_motion(const run_parts *w) {
  return view_of(w, "first") != NULL;
}

/* Has any object of the list a text, or a number, there? */
static int any_in(const json_t *list, const char *key) {
  const json_t *one;
  size_t i;
  json_array_foreach(list, i, one) {
    if (*json_text_in(one, key) || isfinite(json_number_in(one, key))) { return 1; }
  }
  return 0;
}

/* ---- what was run ---- */

/* Facts about the run: mechanism, files, values, date and program. */
static void files(const run_parts *w) {
  const char *version = json_text_in(w->f.result, "mbopt");
  const json_t *part;
  size_t i;
  /* The files of the run, with the parts that its model includes. */
  page_fact(w->p, "mechanism", json_text_in(w->f.view, "mechanism"));
  page_fact(w->p, "run file", json_text_in(w->f.view, "run_file"));
  page_fact(w->p, "values", json_text_in(w->f.view, "values"));
  page_fact_file(w->p, "model file", json_text_in(w->f.view, "model_file"));
  json_array_foreach(view_of(w, "parts"), i, part) {
    page_fact_file(w->p, "part", json_string_value(part));
  }
  page_fact_date(w->p, "finished", (time_t)json_integer_value(view_of(w, "written")));
  /* The program that wrote the result, and the one that writes the page if its version differs. */
  if (strcmp(version, MBD_VERSION) == 0 || !*version) {
    page_fact_of(w->p, "program", "mbopt %s", MBD_VERSION);
  } else {
    page_fact_of(w->p, "program", "mbopt %s, this page by %s", version, MBD_VERSION);
  }
}

/* unit: of the objective, after a space; "": none */
static void gain(const run_parts *w, double from, double to, const char *unit) {
  if (!isfinite(from)) { return; } /* the start failed, and all with it */
  page_fact_of(w->p, "objective at the start", "%.*g%s", DIGITS, from, unit);
  if (isfinite(to) && from != 0) {
    page_fact_of(w->p, "objective of the result", "%.*g%s (%+.4g %%)", DIGITS, to, unit,
                 100 * (to - from) / fabs(from));
  } else if (isfinite(to)) {
    page_fact_of(w->p, "objective of the result", "%.*g%s", DIGITS, to, unit);
  }
}

/* How the optimization went: optimizer, end, gain, what is left of the conditions of an optimum, and what it cost. */
static void facts_of_optimization(const run_parts *w) {
  const json_t *r = w->f.result, *continuous = json_object_get(r, "continuous");
  const char *algorithm = json_text_in(r, "algorithm"), *hessian = json_text_in(w->f.view, "hessian"),
             *of = json_text_in(view_of(w, "objective"), "unit");
  char unit[64];
  snprintf(unit, sizeof unit, "%s%s", figure_has_unit(of) ? " " : "", figure_has_unit(of) ? of : "");
  page_fact_of(w->p, "optimizer", "%s%s%s%s", json_text_in(r, "backend"), *algorithm ? " " : "", algorithm,
               strcmp(hessian, "gauss_newton") == 0 ? ", with the Gauss-Newton matrix"
               : strcmp(hessian, "exact") == 0      ? ", with exact second derivatives"
                                                    : "");
  page_fact_of(w->p, "how it ended", "%s (%s)", json_text_in(r, "status_text"), json_text_in(r, "backend_text"));
  gain(w, json_number_in(r, "objective_at_start"), json_number_in(r, "objective"), unit);
  const double violation = json_number_in(r, "violation"), optimality = json_number_in(r, "optimality");
  int constraints = 0;
  for (size_t i = 0; i < json_array_size(view_of(w, "quantities")); i++) {
    constraints |= strcmp(json_text_in(json_array_get(view_of(w, "quantities"), i), "kind"), "constraint") == 0;
  }
  if (constraints && isfinite(violation)) { page_fact_of(w->p, "largest violation", "%.3g", violation); }
  if (isfinite(optimality)) { /* older results have none */
    page_fact_of(w->p, "conditions of an optimum", "they still leave a decrease of %.1e%s, to first order", optimality,
                 unit);
  }
  page_fact_of(w->p, "iterations", "%g", json_number_in(r, "iterations"));
  const double gradients = json_number_in(r, "gradients"); /* records of studies have none */
  if (isfinite(gradients)) {
    page_fact_of(w->p, "simulated designs", "%g, %g with gradient, %g failed", json_number_in(r, "evaluations"),
                 gradients, json_number_in(r, "failed_designs"));
  } else {
    page_fact_of(w->p, "simulated designs", "%g, %g failed", json_number_in(r, "evaluations"),
                 json_number_in(r, "failed_designs"));
  }
  if (continuous) {
    page_fact_of(w->p, "objective with any value in place of those of the catalogues", "%.6g",
                 json_number_in(continuous, "objective"));
    page_fact_of(w->p, "local search among values of the catalogues", "%g designs tried beside it, of %g combinations",
                 json_number_in(continuous, "neighbours"), json_number_in(continuous, "combinations"));
  }
  if (json_number_in(r, "watched_gradients") > 0) {
    page_fact_of(w->p, "gradients against a direct sensitivity", "%g, deviation at most %.1e",
                 json_number_in(r, "watched_gradients"), json_number_in(r, "gradient_deviation"));
  }
  page_fact_of(w->p, "time", "%.3g s", json_number_in(r, "seconds"));
}

/* The cases; of an optimization with the method of the gradient and its reason, where a case has objectives. */
static void cases(const run_parts *w) {
  static const page_column column[] = {{"case", "name", PAGE_WORDS, NULL},
                                       {"duration [s]", "duration", DIGITS, NULL},
                                       {"step [s]", "step", DIGITS, NULL},
                                       {"analysis", "analysis", PAGE_WORDS, NULL},
                                       {"formulation", "formulation", PAGE_DASH, NULL},
                                       {"integrator", "integrator", PAGE_DASH, NULL},
                                       {"gradient", "gradient", PAGE_DASH, NULL}};
  json_t *rows = json_deep_copy(view_of(w, "cases")), *row;
  const json_t *one, *all = json_object_get(w->f.result, "gradient");
  size_t i, k;
  /* The method of the gradient and its reason, which result.json has by the name of the case. */
  json_array_foreach(rows, i, row) {
    json_array_foreach(all, k, one) {
      if (strcmp(json_text_in(one, "case"), json_text_in(row, "name")) == 0) {
        json_object_set(row, "gradient", json_object_get(one, "reason"));
      }
    }
  }
  /* The last column, the gradient, is shown for an optimization only. */
  page_heading(w->p, "Load cases");
  page_table(w->p, is_optimization(w) ? 7 : 6, column, rows);
  json_decref(rows);
}

void run_parts_not_simulated(const run_parts *w) {
  const json_t *one;
  size_t i;
  json_array_foreach(view_of(w, "not_simulated"), i, one) {
    page_note(w->p, "%s", json_string_value(one));
  }
}

static void what_was_run(const run_parts *w) {
  page_folded_section(w->p, "What was run");
  page_facts_open(w->p);
  files(w);
  if (is_optimization(w)) { facts_of_optimization(w); }
  page_facts_close(w->p);
  cases(w);
}

/* ---- the verdict ---- */

static int with_word(const run_parts *w, const char *key, const char *word) {
  const json_t *one, *all = view_of(w, "quantities");
  size_t i;
  int n = 0;
  json_array_foreach(all, i, one) {
    n += strcmp(json_text_in(one, key), word) == 0;
  }
  return n;
}

/* How the optimization ended, and what it gained at what cost. */
static void write_end(FILE *out, const run_parts *w) {
  const json_t *r = w->f.result;
  const double from = json_number_in(r, "objective_at_start"), to = json_number_in(r, "objective"),
               designs = json_number_in(r, "evaluations"), failed = json_number_in(r, "failed_designs");
  const char *of = json_text_in(view_of(w, "objective"), "unit"), *text = json_text_in(r, "status_text");
  fprintf(out, "%c%s", toupper((unsigned char)*text), *text ? text + 1 : "");
  if (isfinite(from) && isfinite(to)) {
    fprintf(out, ": objective %.4g → %.4g%s%s", from, to, figure_has_unit(of) ? " " : "",
            figure_has_unit(of) ? of : "");
    if (from != 0) { fprintf(out, " (%+.3g %%)", 100 * (to - from) / fabs(from)); }
  }
  fprintf(out, ", %g simulated design%s in %.3g s", designs, designs == 1 ? "" : "s", json_number_in(r, "seconds"));
  if (failed > 0) { fprintf(out, ", %g of them failed", failed); }
  fputs(". ", out);
}

/* How many requirements are met, and which are not: the first of them, with by how much. */
static void write_requirements(FILE *out, const run_parts *w, int violated) {
  enum { MAX = 4 };
  const json_t *one, *all = view_of(w, "quantities");
  const int n = violated + with_word(w, "verdict", "met");
  size_t i;
  int k = 0;
  if (n == 0) { return; }
  if (violated == 0) {
    fprintf(out, n == 1 ? "The requirement is met." : "All %d requirements are met.", n);
    return;
  }
  fprintf(out, "%d of %d requirement%s violated: ", violated, n, n == 1 ? " is" : violated == 1 ? "s is" : "s are");
  json_array_foreach(all, i, one) {
    const char *unit = json_text_in(one, "unit");
    if (strcmp(json_text_in(one, "verdict"), "violated") != 0 || k++ >= MAX) { continue; }
    fprintf(out, "%s%s by %.3g%s%s", k > 1 ? ", " : "", json_text_in(one, "name"), -json_number_in(one, "margin"),
            figure_has_unit(unit) ? " " : "", figure_has_unit(unit) ? unit : "");
  }
  fputs(violated > MAX ? ", ..." : ".", out);
}

/* The limit of a constraint, or the target of an objective, in words. */
static json_t *request_of(const json_t *one) {
  const double lower = json_number_in(one, "lower"), upper = json_number_in(one, "upper");
  const char *target = json_text_in(one, "target");
  if (isfinite(lower) && isfinite(upper)) {
    return json_own_text(lower == upper ? mbd_sprintf_dup("%.6g", lower)
                                        : mbd_sprintf_dup("%.6g to %.6g", lower, upper));
  }
  if (isfinite(upper)) { return json_own_text(mbd_sprintf_dup("at most %.6g", upper)); }
  if (isfinite(lower)) { return json_own_text(mbd_sprintf_dup("at least %.6g", lower)); }
  if (*target) { return json_own_text(mbd_sprintf_dup("%s at %s", json_text_in(one, "of"), target)); }
  return json_string(json_number_in(one, "weight") > 0 ? "least" : "");
}

static void set_true(json_t *one, const char *key, const char *smooth, const char *real) {
  const json_t *truth = json_object_get(one, real);
  json_object_set(one, key, (json_t *)(json_is_number(truth) ? truth : json_object_get(one, smooth)));
}

void run_parts_requirements(const run_parts *w) {
  enum { SHORT = 6 };
  json_t *rows = json_deep_copy(view_of(w, "quantities")), *row;
  const int both = any_in(rows, "after") || is_optimization(w), margins = any_in(rows, "margin");
  page_column column[8] = {{"", "name", PAGE_WORDS, NULL}};
  int n = 1;
  size_t i;
  /* True values in place of smooth ones, the gain of objectives, and what is wanted. */
  json_array_foreach(rows, i, row) {
    set_true(row, "from", "before", "true_before"), set_true(row, "to", "after", "true_after");
    const double from = json_number_in(row, "from"), to = json_number_in(row, "to");
    json_object_set_new(row, "gain", json_number(from != 0 ? 100 * (to - from) / fabs(from) : NAN));
    json_object_set_new(row, "wanted", request_of(row));
    if (strcmp(json_text_in(row, "verdict"), "violated") == 0) {
      json_object_set_new(row, "bad", json_string("violated"));
    }
  }
  column[n++] = (page_column){both ? called(w, "before") : "value", "from", SHORT, NULL};
  if (both) {
    column[n++] = (page_column){called(w, "after"), "to", SHORT, NULL};
    column[n++] = (page_column){"change [%]", "gain", 3, NULL};
  }
  column[n++] = (page_column){"unit", "unit", PAGE_WORDS, NULL};
  column[n++] = (page_column){"wanted", "wanted", PAGE_WORDS, NULL};
  if (margins) { column[n++] = (page_column){"margin", "margin", 3, "bad"}; }
  if (json_array_size(rows) > 0) { page_table(w->p, n, column, rows); }
  if (any_in(rows, "true_before") || any_in(rows, "true_after")) {
    page_text(w->p,
              "Extrema are true values, at the nodes and between them; their smooth values are below, under "
              "Objectives and constraints.");
  }
  json_decref(rows);
}

/* What a hurried reader reads: the verdict, what is to be known before the numbers are trusted, and the requirements. */
static void result(const run_parts *w) {
  const char *study = json_text_in(w->f.view, "study"), *changed = json_text_in(w->f.view, "changed"),
             *status = json_text_in(w->f.result, "status");
  const size_t warned = json_array_size(json_object_get(w->f.result, "warnings")), cases = (size_t)w->f.ncase;
  const int violated = with_word(w, "verdict", "violated"),
            simulated = json_array_size(view_of(w, "not_simulated")) == 0;
  text_stream s;
  FILE *out = text_begin(&s);
  page_section(w->p, "Result");
  if (out && is_optimization(w)) { write_end(out, w); }
  if (out && !is_optimization(w) && simulated) {
    fprintf(out, "%zu load case%s simulated. ", cases, plural((long)cases));
  }
  if (out) { write_requirements(out, w, violated); }
  page_verdict_owned(w->p, violated == 0 && simulated && (!is_optimization(w) || strcmp(status, "CONVERGED") == 0),
                     text_end(&s));
  run_parts_not_simulated(w);
  if (*changed) { page_note(w->p, "%s", changed); }
  if (warned > 0) { page_note(w->p, "%zu warning%s below.", warned, warned == 1 ? " is" : "s are"); }
  run_parts_requirements(w);
  if (*study) { page_link(w->p, study, "All runs of the study"); }
}

/* ---- the mechanism ---- */

/* The animation: the motions of start and result as data, and the script that shows them. */
void run_parts_motion(const run_parts *w) {
  if (!any_motion(w)) { return; }
  page_section(w->p, "Motion");
  page_container(w->p, "scene");
  page_uses_scene(w->p);
  page_json(w->p, "first", view_of(w, "first"));
  if (view_of(w, "second")) { page_json(w->p, "second", view_of(w, "second")); }
  json_t *names = json_pack("[s, s]", called(w, "before"), view_of(w, "engine") ? "now" : called(w, "after"));
  page_json(w->p, "names", names);
  json_decref(names);
}

/* The design as the reader moves it, simulated by the engine in the page. */
static void try_another(const run_parts *w) {
  if (!view_of(w, "engine")) { return; }
  json_t *given = json_pack("{s:O, s:O}", "design", view_of(w, "design"), "quantities", view_of(w, "quantities"));
  page_section(w->p, "Try another design");
  page_container(w->p, "try");
  page_uses_plots(w->p);
  page_style(w->p, &mbo_asset_try_css);
  page_script(w->p, &mbo_asset_engine_js);
  page_script(w->p, &mbo_asset_try_js);
  page_json(w->p, "given", given);
  json_decref(given);
}

/* Bodies and joints. */
static void the_mechanism(const run_parts *w) {
  const json_t *about = view_of(w, "about");
  if (!about) { return; }
  page_folded_section(w->p, "Mechanism");
  mechanism_part_equations(w->p, about);
  mechanism_part_graph(w->p, about,
                       "Bodies and joints with their numbers; dashed what closes loops or acts between bodies. "
                       "A body under the mouse, or with the focus, is alone in colour in the motion; one under "
                       "the mouse there is marked here.");
  mechanism_part_joints(w->p, about, 0);
}

/* ---- the result ---- */

/* A simulation has no result beside the start. Units are the last column, where any is known. */
static void design_table(const run_parts *w) {
  const json_t *design = view_of(w, "design");
  const int result = any_in(design, "result"), both = result || is_optimization(w);
  page_column column[7] = {{"variable", "name", PAGE_WORDS, NULL}};
  int n = 1, units = 0;
  size_t i;
  json_t *rows = json_deep_copy(design), *row;
  /* The change of each variable, and whether any of them has a unit. */
  json_array_foreach(rows, i, row) {
    units |= figure_has_unit(json_text_in(row, "unit"));
    json_object_set_new(row, "change", json_number(json_number_in(row, "result") - json_number_in(row, "start")));
  }
  /* The columns that the run has: one value, or start, result and change; bounds; units. */
  column[n++] = (page_column){both ? called(w, "before") : "value", "start", DIGITS, NULL};
  if (both) {
    column[n++] = (page_column){called(w, "after"), "result", DIGITS, "at_bound"};
    column[n++] = (page_column){"change", "change", 4, NULL};
  }
  column[n++] = (page_column){"lower bound", "lower", DIGITS, NULL};
  column[n++] = (page_column){"upper bound", "upper", DIGITS, NULL};
  if (units) { column[n++] = (page_column){"unit", "unit", PAGE_WORDS, NULL}; }
  page_table(w->p, n, column, rows);
  json_decref(rows);
}

/* Names the variables that are at a bound, at most NAMED_MAX. */
static void active_bounds(const run_parts *w) {
  enum { NAMED_MAX = 20 };
  const json_t *one, *design = view_of(w, "design");
  int n = 0;
  size_t i;
  text_stream s;
  if (!any_in(design, "result")) { return; }
  FILE *out = text_begin(&s);
  /* All variables at a bound are counted, the first NAMED_MAX of them are named. */
  json_array_foreach(design, i, one) {
    const char *which = json_text_in(one, "at_bound");
    if (out && *which && n++ < NAMED_MAX) {
      fprintf(out, "%s%s (%s)", n > 1 ? ", " : "", json_text_in(one, "name"), which);
    }
  }
  /* One paragraph, also if no variable is at a bound. */
  char *text = text_end(&s);
  if (text && n) {
    page_text(w->p, "Active bounds: %s%s", text, n > NAMED_MAX ? ", ..." : "");
  } else {
    page_text(w->p, "No variable is at a bound.");
  }
  free(text);
}

mbd_status run_parts_design(const run_parts *w, const char *design, mbd_error *err) {
  if (json_array_size(view_of(w, "design")) == 0) { return MBD_OK; }
  page_section(w->p, design ? design : "Design");
  design_table(w);
  active_bounds(w);
  return run_figures_bounds(&w->f, err);
}

/* Adds a row of the table of stages: a part of a stage with its numbers. */
static void add_of_stage(json_t *rows, const json_t *of_stage, size_t stage, const json_t *part) {
  json_t *row = json_copy((json_t *)part);
  json_object_set_new(row, "stage", json_integer((json_int_t)stage + 1));
  json_object_set(row, "designs", json_object_get(of_stage, "designs"));
  json_array_append_new(rows, row);
}

/* The stages of an optimization whose constraints are met, and whose objectives are low, by true values: a row for each stage and quantity. */
static void stages(const run_parts *w) {
  static const page_column column[] = {
      {"stage", "stage", DIGITS, NULL},        {"simulated designs", "designs", DIGITS, NULL},
      {"quantity", "name", PAGE_WORDS, NULL},  {"sharpness", "sharpness", 4, NULL},
      {"smooth value", "value", DIGITS, NULL}, {"true value", "true_value", DIGITS, NULL},
      {"at [s]", "true_time", 6, NULL}};
  const json_t *list = json_object_get(w->f.result, "stages"), *of_stage, *part;
  json_t *rows = json_array();
  size_t i, k;
  json_array_foreach(list, i, of_stage) {
    json_t *whole = json_pack("{s:s, s:O?, s:O, s:O}", "name", "objective", "sharpness",
                              json_object_get(of_stage, "sharpness"), "value", json_object_get(of_stage, "objective"),
                              "true_value", json_object_get(of_stage, "true_objective"));
    add_of_stage(rows, of_stage, i, whole);
    json_decref(whole);
    json_array_foreach(json_object_get(of_stage, "objectives"), k, part) {
      if (json_is_number(json_object_get(part, "sharpness"))) { add_of_stage(rows, of_stage, i, part); }
    }
    json_array_foreach(json_object_get(of_stage, "constraints"), k, part) {
      add_of_stage(rows, of_stage, i, part);
    }
  }
  if (json_array_size(list) > 1) {
    page_text(w->p,
              "Limits are met by true values: where those of a stage did not meet one, or left it unused, the next "
              "stage began there with sharper extrema and shifted limits. Smooth objectives become sharper as long as "
              "this lowers their true values; the stage with the lowest ones is the result.");
    page_table(w->p, 7, column, rows);
  }
  json_decref(rows);
}

/* The table of objectives and constraints at start and result. Columns without entries are left out. */
void run_parts_quantities(const run_parts *w) {
  const json_t *all = view_of(w, "quantities");
  const int both = any_in(all, "after") || is_optimization(w); /* a simulation has one value */
  const struct {
    page_column column;
    int shown;
  } columns[] = {{{"quantity", "name", PAGE_WORDS, NULL}, 1},
                 {{"kind", "kind", PAGE_WORDS, NULL}, 1},
                 {{"of", "of", PAGE_WORDS, NULL}, 1},
                 {{"form", "form", PAGE_WORDS, NULL}, 1},
                 {{"target", "target", PAGE_WORDS, NULL}, any_in(all, "target")},
                 {{"counts", "counts", PAGE_WORDS, NULL}, any_in(all, "counts")},
                 {{"weight", "weight", DIGITS, NULL}, any_in(all, "weight")},
                 {{both ? called(w, "before") : "value", "before", DIGITS, NULL}, 1},
                 {{"true value", "true_before", DIGITS, NULL}, any_in(all, "true_before")},
                 {{called(w, "after"), "after", DIGITS, NULL}, both},
                 {{"true value", "true_after", DIGITS, NULL}, any_in(all, "true_after")},
                 {{"unit", "unit", PAGE_WORDS, NULL}, 1},
                 {{"lower bound", "lower", DIGITS, NULL}, 0},
                 {{"upper bound", "upper", DIGITS, NULL}, 0}};
  enum { MAX = sizeof columns / sizeof *columns };
  page_column shown[MAX];
  const char *last = json_text_in(json_array_get(all, json_array_size(all) - 1), "kind");
  const int constraints = strcmp(last, "constraint") == 0; /* objectives come first */
  int n = 0;
  if (json_array_size(all) == 0) { return; }
  for (int i = 0; i < MAX; i++) {
    if (columns[i].shown || (constraints && i >= MAX - 2)) { shown[n++] = columns[i].column; }
  }
  page_folded_section(w->p, "Objectives and constraints");
  page_table(w->p, n, shown, all);
  stages(w);
}

/* ---- the rest ---- */

/* The figure and the table of iterations; for a run of a study the designs of its record. */
static mbd_status convergence(const run_parts *w, mbd_error *err) {
  static const char *const column[] = {"iteration", "evaluations", "objective", "violation", "optimality", "step"};
  static const char *const heading[] = {"iteration", "simulated designs", "objective",
                                        "violation", "optimality",        "step"};
  const csv *history = &w->f.history;
  if (history->nrow == 0 && json_array_size(json_object_get(w->f.result, "simulations")) == 0) { return MBD_OK; }
  page_section(w->p, "Convergence");
  MBD_TRY(run_figures_convergence(&w->f, err));
  if (history->nrow == 0) { return MBD_OK; }
  page_table_open(w->p, 6, heading);
  for (int i = 0; i < history->nrow; i++) {
    page_row(w->p);
    for (int k = 0; k < 6; k++) {
      page_cell_number(w->p, csv_number(history, i, csv_column(history, column[k])), k < 2 ? DIGITS : 6, NULL);
    }
  }
  page_table_close(w->p);
  return MBD_OK;
}

/* Curves that answer the mouse; without dygraphs a figure of each output. */
static mbd_status curves(const run_parts *w, mbd_error *err) {
  if (view_of(w, "curves")) {
    page_container(w->p, "time-curves");
    page_uses_plots(w->p);
    page_script(w->p, &mbo_asset_dygraph_js);
    page_script(w->p, &mbo_asset_curves_js);
    page_json(w->p, "curves", view_of(w, "curves"));
    return MBD_OK;
  }
  page_note(w->p,
            "Each output has a figure of its own, and columns cannot be chosen: this mbopt was built without dygraphs; "
            "install the package libjs-dygraphs and build it anew.");
  page_figures_open(w->p);
  MBD_TRY(run_figures_histories(&w->f, err));
  page_figures_close(w->p);
  return MBD_OK;
}

mbd_status run_parts_histories(const run_parts *w, mbd_error *err) {
  enum { FEW = 2 }; /* of more, outputs that do not move are hidden at first */
  const json_t *one, *still = view_of(w, "still");
  size_t i;
  if (!any_motion(w) ||
      (!view_of(w, "curves") && json_array_size(view_of(w, "moving")) + json_array_size(still) == 0)) {
    return MBD_OK;
  }
  page_section(w->p, "Time histories");
  MBD_TRY(curves(w, err));
  const size_t nstill = json_array_size(still);
  char *many = nstill > FEW ? mbd_sprintf_dup("%zu outputs do not move", nstill) : NULL;
  if (many) { page_more_open(w->p, many); }
  json_array_foreach(still, i, one) {
    const char *unit = json_text_in(one, "unit");
    page_text(w->p, "%s does not move in case %s: %.*g%s%s.", json_text_in(one, "name"), json_text_in(one, "case"),
              DIGITS, json_number_in(one, "value") + 0.0, figure_has_unit(unit) ? " " : "",
              figure_has_unit(unit) ? unit : ""); /* + 0.0: no -0 */
  }
  if (many) { page_more_close(w->p); }
  free(many);
  return MBD_OK;
}

static mbd_status forces_by_motion(const run_parts *w, mbd_error *err) {
  if (!run_figures_has_inverse(&w->f)) { return MBD_OK; }
  page_section(w->p, "Forces by motion");
  page_text(
      w->p,
      "Derivatives of the forces Q on the coordinates by the motion%s: of each matrix the %d entries with the largest "
      "root mean square; inverse_dynamics.csv has all of them.",
      is_optimization(w) ? " of the start" : "", (int)INVERSE_MAX);
  page_figures_open(w->p);
  MBD_TRY(run_figures_inverse(&w->f, err));
  page_figures_close(w->p);
  return MBD_OK;
}

static mbd_status derivatives_over_time(const run_parts *w, mbd_error *err) {
  if (!run_figures_has_derivatives(&w->f)) { return MBD_OK; }
  page_section(w->p, "Derivatives over time");
  page_text(w->p,
            "Derivatives of the outputs by the design variables at the start, by direct differentiation: of each case "
            "the first %d that are not zero throughout; sensitivities.csv has all of them.",
            (int)RUN_DERIVATIVES);
  page_figures_open(w->p);
  MBD_TRY(run_figures_derivatives(&w->f, err));
  page_figures_close(w->p);
  return MBD_OK;
}

mbd_status run_parts_directions(const run_parts *w, mbd_error *err) {
  static const page_column column[] = {{"eigenvalue", "eigenvalue", 4, NULL},
                                       {"1 % worse after", "one_percent_worse_at", 3, NULL},
                                       {"direction", "text", PAGE_WORDS, NULL}};
  const size_t n = json_array_size(view_of(w, "directions"));
  if (n == 0) { return MBD_OK; }
  page_section(w->p, "What the objective sees");
  page_text(
      w->p,
      "The Gauss-Newton matrix at the result, variables divided by their scale: along the directions with the smallest "
      "eigenvalues the design may move at little cost, as far as '1 %% worse after' says; data or objectives that tell "
      "them apart are missing.");
  page_table(w->p, 3, column, view_of(w, "directions"));
  if (n > 1 && n <= DIRECTIONS_NAMED) {
    page_text(w->p, "The directions by their parts of each variable, what the objective sees least first:");
  }
  return run_figures_directions(&w->f, err);
}

/* The first values of a design. */
static void write_design(FILE *out, const json_t *design, const json_t *values) {
  enum { MAX = 12 };
  const size_t n = json_array_size(design);
  for (size_t i = 0; i < n && i < MAX; i++) {
    const char *name = json_text_in(json_array_get(design, i), "name");
    fprintf(out, "%s%s = %.6g", i ? ", " : "", name, json_number_value(json_object_get(values, name)));
  }
  if (n > MAX) { fprintf(out, ", ... (%zu)", n); }
}

static void failed_designs(const run_parts *w) {
  static const page_column column[] = {{"design", "evaluation", DIGITS, NULL},
                                       {"status", "status", PAGE_WORDS, NULL},
                                       {"reason", "error", PAGE_WORDS, NULL},
                                       {"variables", "variables", PAGE_WORDS, NULL}};
  size_t i;
  json_t *one, *all = json_deep_copy(json_object_get(w->f.result, "failures"));
  json_array_foreach(all, i, one) {
    text_stream s;
    FILE *out = text_begin(&s);
    if (out) { write_design(out, view_of(w, "design"), json_object_get(one, "design")); }
    json_object_set_new(one, "variables", json_own_text(text_end(&s)));
  }
  page_table_section(w->p, "Failed designs", 4, column, all);
  json_decref(all);
}

static void warnings(const run_parts *w) {
  const json_t *one, *all = json_object_get(w->f.result, "warnings");
  size_t i;
  if (json_array_size(all) == 0) { return; }
  page_section(w->p, "Warnings");
  json_array_foreach(all, i, one) {
    char *words = warning_words(one);
    if (words) { page_text(w->p, "%s", words); }
    free(words);
  }
}

/* What changes first of a price in words, in the place of its entry: "at 2.4: upper bound of y is reached". */
static void put_change(json_t *row, const json_t *price, const char *key) {
  const json_t *c = json_object_get(price, key);
  const char *side = json_text_in(c, "side"), *kind = json_text_in(c, "kind");
  if (!json_is_object(c)) {
    json_object_set_new(row, key, json_string(""));
    return;
  }
  char *words = mbd_sprintf_dup(
      "at %.4g: %s %s of %s %s", json_number_in(c, "at"), side, strcmp(kind, "variable") == 0 ? "bound" : "limit",
      json_text_in(c, "name"), strcmp(json_text_in(c, "change"), "reached") == 0 ? "is reached" : "lets the design go");
  json_object_set_new(row, key, json_own_text(words));
}

/* Appends rows of post_optimality to a list, with `what` they are. */
static void take_prices(json_t *rows, const json_t *prices) {
  const json_t *one;
  size_t i;
  json_array_foreach(prices, i, one) {
    json_t *row = json_deep_copy(one);
    const char *kind = json_text_in(one, "kind"), *side = json_text_in(one, "side");
    const char *what = !*kind                            ? "number of the model"
                       : !*side                          ? "equation"
                       : strcmp(kind, "constraint") == 0 ? (*side == 'u' ? "upper limit" : "lower limit")
                       : *side == 'u'                    ? "upper bound"
                                                         : "lower bound";
    json_object_set_new(row, "what", json_string(what));
    put_change(row, one, "first_below"), put_change(row, one, "first_above");
    json_array_append_new(rows, row);
  }
}

/* Which limits and bounds hold the optimum, at what price, and which numbers of the model matter (stages/post_optimality.h). */
static void prices(const run_parts *w) {
  static const page_column column[] = {{"", "name", PAGE_WORDS, NULL},
                                       {"", "what", PAGE_WORDS, NULL},
                                       {"value", "at", DIGITS, NULL},
                                       {"unit", "unit", PAGE_WORDS, NULL},
                                       {"change for each unit more", "slope", 4, NULL},
                                       {"change for 1 % more [%]", "percent", 3, NULL},
                                       {"as it falls, first", "first_below", PAGE_WORDS, NULL},
                                       {"as it rises, first", "first_above", PAGE_WORDS, NULL}};
  const json_t *all = json_object_get(w->f.result, "post_optimality");
  const char *of = json_text_in(view_of(w, "objective"), "unit");
  if (!all) { return; }
  json_t *rows = json_array();
  take_prices(rows, json_object_get(all, "active")), take_prices(rows, json_object_get(all, "numbers"));
  page_section(w->p, "What the optimum costs");
  page_text(w->p,
            "By how much the objective of the optimum%s%s%s changes, to first order, with a limit or bound that holds "
            "it, and with a "
            "fixed number of the model, while the design follows.%s",
            figure_has_unit(of) ? " [" : "", figure_has_unit(of) ? of : "", figure_has_unit(of) ? "]" : "",
            json_is_false(json_object_get(all, "unique"))
                ? " What holds the design is dependent: other shares among limits are equally possible."
                : "");
  const json_t *first = json_array_get(rows, 0);
  const int changes =
      strcmp(json_text_in(first, "first_below"), "") != 0 || strcmp(json_text_in(first, "first_above"), "") != 0;
  page_table(w->p, (int)(sizeof column / sizeof *column) - (changes ? 0 : 2), column, rows);
  json_decref(rows);
}

/* Where the scatter of quantities comes from, and how an independent sample finds them (stages/scatter_control.h). */
static void scatter(const run_parts *w) {
  static const page_column column[] = {{"", "name", PAGE_WORDS, NULL},
                                       {"across", "across", PAGE_WORDS, NULL},
                                       {"value", "value", DIGITS, NULL},
                                       {"independent samples", "again", DIGITS, NULL},
                                       {"from", "low", DIGITS, NULL},
                                       {"to", "high", DIGITS, NULL},
                                       {"mean", "mean", DIGITS, NULL},
                                       {"mean to second order", "mean_second", DIGITS, NULL},
                                       {"standard deviation", "sigma", 4, NULL},
                                       {"unit", "unit", PAGE_WORDS, NULL}};
  static const page_column share[] = {
      {"", "quantity", PAGE_WORDS, NULL}, {"", "name", PAGE_WORDS, NULL}, {"of the variance [%]", "percent", 3, NULL}};
  const json_t *all = json_object_get(w->f.result, "scatter"), *one, *part;
  size_t i, k;
  if (!all) { return; }
  json_t *rows = json_array(), *portions = json_array();
  json_array_foreach(json_object_get(all, "quantities"), i, one) {
    const json_t *check = json_object_get(one, "check");
    json_t *row = json_deep_copy(one);
    json_object_set(row, "again", json_object_get(check, "value"));
    json_object_set(row, "low", json_object_get(check, "low")),
        json_object_set(row, "high", json_object_get(check, "high"));
    json_array_append_new(rows, row);
    json_array_foreach(json_object_get(one, "shares"), k, part) {
      json_array_append_new(portions, json_pack("{s:O, s:O, s:f}", "quantity", json_object_get(one, "name"), "name",
                                                json_object_get(part, "name"), "percent",
                                                100 * json_number_value(json_object_get(part, "share"))));
    }
  }
  const long long samples = (long long)json_integer_value(json_object_get(all, "samples"));
  page_section(w->p, "Scatter");
  if (samples > 0) {
    page_text(w->p,
              "Beside the values of the optimization, those of %lld independent random samples with their interval of "
              "%g %%; mean and standard deviation are to first order, and the mean by second derivatives, too.",
              samples, 100 * json_number_value(json_object_get(all, "confidence")));
  }
  if (*json_text_in(all, "failure")) {
    page_text(w->p, "Independent samples could not be computed: %s", json_text_in(all, "failure"));
  }
  page_table(w->p, sizeof column / sizeof *column, column, rows);
  page_text(w->p,
            "Which scalars the variance comes from, to first order. A standard deviation of a scalar that is 1 %% less "
            "lowers that of the quantity by "
            "so many percent of 1 %%.");
  page_table(w->p, sizeof share / sizeof *share, share, portions);
  json_decref(rows), json_decref(portions);
}

static mbd_status all_parts(const run_parts *w, mbd_error *err) {
  const json_t *fit = json_object_get(w->f.result, "fit");
  /* What a reader wants to know first: the verdict, how the mechanism moves, and the design. */
  result(w);
  if (view_of(w, "engine")) {
    page_computes(w->p);
    page_json(w->p, "engine", view_of(w, "engine"));
  } /* before the scripts that look for it */
  if (fit) {
    page_section(w->p, "Fit");
    MBD_TRY(fit_page_parts(w, fit, err));
  }
  if (view_of(w, "engine")) { /* the motion follows what is moved beside it */
    try_another(w);
    run_parts_motion(w);
  }
  MBD_TRY(run_parts_histories(w, err));
  if (!view_of(w, "engine")) { run_parts_motion(w); }
  MBD_TRY(run_parts_design(w, NULL, err));
  prices(w);
  scatter(w);
  /* How it was found, and what went wrong. */
  if (is_optimization(w)) { MBD_TRY(convergence(w, err)); }
  MBD_TRY(forces_by_motion(w, err));
  MBD_TRY(derivatives_over_time(w, err));
  MBD_TRY(run_parts_directions(w, err));
  failed_designs(w);
  warnings(w);
  /* Definitions, structure and settings. */
  run_parts_quantities(w);
  the_mechanism(w);
  what_was_run(w);
  page_folded_section(w->p, "Configuration");
  page_listing(w->p, "The run file with every default", json_text_in(w->f.view, "configuration"));
  return MBD_OK;
}

mbd_status run_parts_open(page *p, const json_t *view, run_parts *w, mbd_error *err) {
  w->p = p;
  return run_figures_open(view, page_figure, p, &w->f, err);
}

void run_parts_close(run_parts *w) {
  run_figures_close(&w->f);
}

mbd_status run_page_write(const json_t *view, const char *path, mbd_error *err) {
  run_parts w = {0};
  page *p = NULL;
  const char *title = json_text_in(view, "title"), *kind = json_text_in(view, "kind");
  if (json_object_get(json_object_get(view, "result"), "fit")) { kind = "fit"; }
  mbd_status status = page_create_about(json_text_in(view, "run_file"), *title ? title : kind, &p, err);
  if (status == MBD_OK) { status = run_parts_open(p, view, &w, err); }
  if (status == MBD_OK) { status = all_parts(&w, err); }
  if (status == MBD_OK) { status = page_write(p, path, err); }
  run_parts_close(&w);
  page_destroy(p);
  return status;
}
