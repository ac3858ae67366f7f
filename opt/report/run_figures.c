#include "report/run_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"
#include "files/memory.h"
#include "study/runs.h"

/* ---- convergence ---- */

/* The axis of the objective, which is logarithmic where these numbers span a decade. */
static json_t *axis_of_objective(const run_figures *w, const json_t *numbers) {
  const json_t *objective = json_object_get(w->view, "objective");
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < json_array_size(numbers); i++) {
    const double v = json_number_of(json_array_get(numbers, i));
    if (isfinite(v)) { low = fmin(low, v), high = fmax(high, v); }
  }
  return json_pack("{s:O, s:O, s:b}", "label", json_object_get(objective, "label"), "unit",
                   json_object_get(objective, "unit"), "log", low > 0 && high >= 10 * low);
}

/* Iterations that violate a limit as points of their own, failed designs as lines where they were. */
static void mark_failures(const run_figures *w, json_t *spec) {
  enum { MAX = 50 };
  const double tol = json_number_in(w->view, "tol_constraint");
  const csv *table = &w->history;
  const int objective = csv_column(table, "objective"), violation = csv_column(table, "violation"),
            at = csv_column(table, "evaluations");
  json_t *x = json_array(), *y = json_array(), *levels = json_array();
  const json_t *one;
  size_t i;
  for (int k = 0; k < table->nrow; k++) {
    if (!(csv_number(table, k, violation) > tol)) { continue; }
    json_array_append_new(x, json_number(csv_number(table, k, at)));
    json_array_append_new(y, json_number(csv_number(table, k, objective)));
  }
  json_array_foreach(json_object_get(w->result, "failures"), i, one) {
    const double design = json_number_in(one, "evaluation");
    if (i < MAX && isfinite(design)) {
      json_array_append_new(levels,
                            json_pack("{s:f, s:s, s:s}", "x", design, "kind", "bound", "text", "failed design"));
    }
  }
  if (json_array_size(x) > 0) {
    json_array_append_new(json_object_get(spec, "series"),
                          json_pack("{s:s, s:s, s:s, s:O, s:O}", "name", "violates a limit", "kind", "points", "colour",
                                    "bound", "x", x, "y", y));
  }
  json_object_set_new(spec, "levels", levels);
  json_decref(x), json_decref(y);
}

/* A column of history.csv over the simulated designs. Zeros of a logarithmic axis have no place there. */
static mbd_status history(const run_figures *w, const char *column, const char *name, const char *title,
                          const char *caption, mbd_error *err) {
  enum { MARKED_MAX = 200 };
  const csv *table = &w->history;
  const int k = csv_column(table, column), at = csv_column(table, "evaluations"),
            count = csv_column(table, "iteration");
  json_t *x = json_array(), *y = json_array(), *text = json_array();
  for (int i = 0; i < table->nrow; i++) {
    json_array_append_new(x, json_number(csv_number(table, i, at)));
    json_array_append_new(y, json_number(csv_number(table, i, k)));
    json_array_append_new(text, json_own_text(mbd_sprintf_dup("iteration %g", csv_number(table, i, count))));
  }
  json_t *axis =
      strcmp(column, "violation") == 0 ? json_pack("{s:s, s:b}", "label", column, "log", 1) : axis_of_objective(w, y);
  json_t *spec =
      json_pack("{s:s, s:s, s:s, s:{s:s, s:b}, s:o, s:[{s:s, s:s, s:i, s:o, s:o, s:o}]}", "name", name, "title", title,
                "caption", caption, "x", "label", "simulated designs", "whole", 1, "y", axis, "series", "name", column,
                "kind", table->nrow > MARKED_MAX ? "line" : "both", "colour", 0, "x", x, "y", y, "text", text);
  if (strcmp(column, "objective") == 0) { mark_failures(w, spec); }
  return w->sink(w->to, spec, err);
}

/* Every design of the record of a run of a study. */
static mbd_status designs_of_record(const run_figures *w, mbd_error *err) {
  const int n = runs_simulations(w->result);
  double best = NAN;
  json_t *designs = json_array(), *objectives = json_array(), *min = json_array();
  for (int k = 0; k < n; k++) {
    best = fmin(best, runs_feasible(w->result, k)); /* passes over NaN */
    json_array_append_new(designs, json_integer(k + 1));
    json_array_append_new(objectives, json_number(runs_objective(w->result, k)));
    json_array_append_new(min, json_number(best));
  }
  return w->sink(w->to,
                 json_pack("{s:s, s:s, s:s, s:{s:s, s:b}, s:o, s:[{s:s, s:s, s:O, s:o}, {s:s, s:s, s:o, s:o}]}", "name",
                           "convergence", "title", "Objective over simulated designs", "caption",
                           "Every simulated design, and the best objective without violation so far.", "x", "label",
                           "simulated designs", "whole", 1, "y", axis_of_objective(w, objectives), "series", "name",
                           "designs", "kind", "points", "x", designs, "y", objectives, "name", "best so far", "kind",
                           "steps", "x", designs, "y", min),
                 err);
}

mbd_status run_figures_convergence(const run_figures *w, mbd_error *err) {
  const int k = csv_column(&w->history, "violation");
  int violated = 0;
  if (w->history.nrow == 0) { return runs_simulations(w->result) ? designs_of_record(w, err) : MBD_OK; }
  for (int i = 0; i < w->history.nrow; i++) { violated |= csv_number(&w->history, i, k) > 0; }
  MBD_TRY(history(w, "objective", "convergence", "Objective over simulated designs",
                  "Objective of the iterations, over simulated designs.", err));
  if (!violated) { return MBD_OK; }
  return history(w, "violation", "violation", "Violation over simulated designs",
                 "Largest violation of a constraint at the iterations; without violation there is no point.", err);
}

/* ---- bounds ---- */

/* A variable of the design between its bounds. */
typedef struct bounded {
  const char *name, *unit, *at;
  double lower, upper, start, result;
  int log; /* the bounds are decades apart: its place follows from its logarithm */
} bounded;

/* Returns 0 if the variable lacks a bound, or is a control point of a curve of CURVE_MIN or more. */
static int bounded_of(const json_t *variable, bounded *b) {
  *b = (bounded){.name = json_text_in(variable, "name"),
                 .unit = json_text_in(variable, "unit"),
                 .at = json_text_in(variable, "at_bound"),
                 .lower = json_number_in(variable, "lower"),
                 .upper = json_number_in(variable, "upper"),
                 .start = json_number_in(variable, "start"),
                 .result = json_number_in(variable, "result")};
  b->log = b->lower > 0 && b->upper >= 100 * b->lower;
  return b->upper > b->lower && !json_is_true(json_object_get(variable, "of_curve"));
}

/* From the lower bound, 0, to the upper, 100. */
static double place_of(const bounded *b, double x) {
  return 100 *
         (b->log && x > 0 ? log(x / b->lower) / log(b->upper / b->lower) : (x - b->lower) / (b->upper - b->lower));
}

static json_t *between(const bounded *b, double x, const char *at) {
  return json_own_text(mbd_sprintf_dup("%s = %.7g%s%s, bounds %.7g and %.7g%s%s%s", b->name, x, *b->unit ? " " : "",
                                       b->unit, b->lower, b->upper, b->log ? ", logarithmic" : "",
                                       *at ? ", at its " : "", at));
}

/* Lists of places, rows or numbers, and texts. */
typedef struct marks {
  json_t *place, *row, *text;
} marks;

static marks marks_new(void) {
  return (marks){json_array(), json_array(), json_array()};
}

static void add(marks *p, double place, int row, json_t *text) {
  json_array_append_new(p->place, json_number(place));
  json_array_append_new(p->row, row >= 0 ? json_integer(row) : json_null());
  json_array_append_new(p->text, text);
}

static json_t *marks_series(const char *name, const char *kind, const char *colour, int mute, int rows, marks *p) {
  return json_pack("{s:s, s:s, s:s, s:b, s:b, s:o, s:o, s:o}", "name", name, "kind", kind, "colour", colour, "mute",
                   mute, "unlisted", mute, rows ? "x" : "y", p->place, rows ? "y" : "x", p->row, "text", p->text);
}

/* The control points of a curve, which are the variables first .. first + n - 1: start and result over their numbers, with the bounds that all of
 * them share. */
static mbd_status control_points(const run_figures *w, const json_t *design, int first, int n, mbd_error *err) {
  static const char *const end[] = {"lower", "upper"};
  const json_t *called = json_object_get(w->view, "called"), *one = json_array_get(design, (size_t)first);
  const char *curve = json_text_in(one, "curve");
  json_t *x = json_array(), *start = json_array(), *result = json_array(), *levels = json_array();
  int same[2] = {1, 1};
  for (int i = 0; i < n; i++) {
    const json_t *variable = json_array_get(design, (size_t)(first + i));
    json_array_append_new(x, json_integer(i + 1));
    json_array_append_new(start, json_number(json_number_in(variable, "start")));
    json_array_append_new(result, json_number(json_number_in(variable, "result")));
    for (int k = 0; k < 2; k++) { same[k] &= json_number_in(variable, end[k]) == json_number_in(one, end[k]); }
  }
  for (int k = 0; k < 2; k++) {
    const double v = json_number_in(one, end[k]);
    if (same[k]) {
      json_array_append_new(levels, json_pack("{s:f, s:s, s:s}", "y", v, "kind", "bound", "text", "bound"));
    }
  }
  json_t *file = json_own_text(mbd_sprintf_dup("control_points_%s", curve)),
         *title = json_own_text(mbd_sprintf_dup("Control points of %s", curve));
  return w->sink(
      w->to,
      json_pack("{s:o, s:o, s:{s:s, s:b}, s:{s:o, s:O}, s:[{s:O,s:s,s:s,s:O,s:o},{s:O,s:s,s:s,s:o,s:o}], s:o}", "name",
                file, "title", title, "x", "label", "number of the control point", "whole", 1, "y", "label",
                json_text(curve), "unit", json_object_get(one, "unit"), "series", "name",
                json_object_get(called, "before"), "kind", "both", "colour", "before", "x", x, "y", start, "name",
                json_object_get(called, "after"), "kind", "both", "colour", "after", "x", x, "y", result, "levels",
                levels),
      err);
}

/* A figure for each curve with so many control points that rows would not show it; they are marked as `of_curve`. */
static mbd_status curves_of_design(const run_figures *w, mbd_error *err) {
  enum { CURVE_MIN = 6 };
  const json_t *design = json_object_get(w->view, "design");
  const int all = (int)json_array_size(design);
  for (int i = 0, n; i < all; i += n) {
    const char *curve = json_text_in(json_array_get(design, (size_t)i), "curve");
    n = 1;
    while (*curve && strcmp(json_text_in(json_array_get(design, (size_t)(i + n)), "curve"), curve) == 0) { n++; }
    if (n < CURVE_MIN || !isfinite(json_number_in(json_array_get(design, (size_t)i), "result"))) { continue; }
    for (int k = 0; k < n; k++) {
      json_object_set_new(json_array_get(design, (size_t)(i + k)), "of_curve", json_true());
    }
    MBD_TRY(control_points(w, design, i, n, err));
  }
  return MBD_OK;
}

/* One row for each variable with two bounds: a line from its start to its result, and a mark where it is at a bound. With many variables rows
 * are numbers on an upright axis. */
mbd_status run_figures_bounds(const run_figures *w, mbd_error *err) {
  enum { ROWS_MAX = 40 }; /* of more, numbers stand for names */
  const json_t *design = json_object_get(w->view, "design"), *variable, *called = json_object_get(w->view, "called");
  int n = 0, result = 0, k = 0;
  size_t i;
  bounded b;
  MBD_TRY(curves_of_design(w, err));
  json_array_foreach(design, i, variable) {
    n += bounded_of(variable, &b), result |= isfinite(b.result);
  }
  if (n == 0 || !result) { return MBD_OK; }
  const int rows = n <= ROWS_MAX;
  /* Of each variable a line from start to result, which the next line does not continue, and points at its ends. */
  marks connection = marks_new(), start = marks_new(), end = marks_new(), bound = marks_new();
  json_t *names = json_array(), *all = json_array();
  json_array_foreach(design, i, variable) {
    if (!bounded_of(variable, &b)) { continue; }
    const int row = rows ? k++ : (int)i + 1;
    const double from = place_of(&b, b.start), to = place_of(&b, b.result);
    json_array_append_new(names, json_own_text(mbd_sprintf_dup("%s%s", b.name, b.log ? " (log)" : "")));
    add(&connection, from, row, json_null());
    add(&connection, to, row, json_null());
    add(&connection, NAN, row, json_null());
    add(&start, from, row, between(&b, b.start, ""));
    add(&end, to, row, between(&b, b.result, b.at));
    if (*b.at) { add(&bound, to, row, between(&b, b.result, b.at)); }
  }
  /* The axes: places between the bounds, and the variables by name or by number. */
  json_t *place = json_pack("{s:s, s:s, s:[i,i], s:[{s:i,s:s},{s:i,s:s},{s:i,s:s}]}", "label", "between the bounds",
                            "unit", "%", "range", -6, 106, "ticks", "v", 0, "label", "lower", "v", 50, "label",
                            "middle", "v", 100, "label", "upper");
  json_t *which = rows ? json_pack("{s:s, s:O}", "label", "variable", "names", names)
                       : json_pack("{s:s, s:b}", "label", "number of the variable", "whole", 1);
  json_decref(names);
  /* The series, in the order in which they are drawn. That of the bounds is left out if it is empty. */
  json_array_append_new(all, marks_series("from start to result", "line", "before", 1, rows, &connection));
  json_array_append_new(all, marks_series(json_text_in(called, "before"), "points", "before", 0, rows, &start));
  json_array_append_new(all, marks_series(json_text_in(called, "after"), "points", "after", 0, rows, &end));
  const int any = json_array_size(bound.row) > 0;
  json_t *marked = marks_series("at a bound", "points", "bound", 0, rows, &bound);
  if (any) { json_array_append(all, marked); }
  json_decref(marked);
  return w->sink(
      w->to,
      json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", "bounds", "title", "Design between its bounds", "caption",
                "Where every variable lies between its bounds, at the start and at the result; (log): by its "
                "logarithm. A variable without two bounds has no place here.",
                rows ? "x" : "y", place, rows ? "y" : "x", which, "series", all),
      err);
}

/* ---- directions ---- */

static json_t *curves_of_directions(const json_t *directions, const json_t *design) {
  enum { MAX = 4 };
  json_t *all = json_array();
  /* A curve for each of the first MAX directions: its parts over the numbers of the variables. */
  for (size_t i = 0; i < MAX; i++) {
    const json_t *one = json_array_get(directions, i), *part, *variable;
    size_t k;
    marks parts = marks_new();
    json_array_foreach(design, k, variable) {
      part = json_object_get(json_object_get(one, "direction"), json_text_in(variable, "name"));
      add(&parts, json_number_of(part), (int)k + 1, json_incref(json_object_get(variable, "name")));
    }
    json_t *name = json_own_text(mbd_sprintf_dup("eigenvalue %.3g", json_number_in(one, "eigenvalue")));
    json_array_append_new(all, json_pack("{s:o, s:s, s:i, s:o, s:o, s:o}", "name", name, "kind", "both", "colour",
                                         (int)i, "x", parts.row, "y", parts.place, "text", parts.text));
  }
  /* Directions are unit vectors in the scaled variables, so that no part is outside of -1 to 1. */
  return json_pack("{s:s, s:s, s:s, s:{s:s, s:b}, s:{s:s, s:[i,i]}, s:o}", "name", "directions", "title",
                   "Directions that the objective sees least", "caption",
                   "The parts of the variables, divided by their scale, in the directions with the smallest "
                   "eigenvalues.",
                   "x", "label", "number of the variable", "whole", 1, "y", "label", "part in the direction", "range",
                   -1, 1, "series", all);
}

static json_t *table_of_directions(const json_t *directions, const json_t *design) {
  json_t *rows = json_array(), *columns = json_array(), *parts = json_array();
  const json_t *one, *variable;
  size_t i, k;
  json_array_foreach(design, k, variable) {
    json_array_append(columns, json_object_get(variable, "name"));
  }
  json_array_foreach(directions, i, one) {
    json_t *row = json_array();
    json_array_foreach(design, k, variable) {
      json_array_append_new(
          row, json_number(json_number_in(json_object_get(one, "direction"), json_text_in(variable, "name"))));
    }
    json_array_append(rows, json_object_get(one, "eigenvalue")), json_array_append_new(parts, row);
  }
  return json_pack("{s:s, s:s, s:{s:s}, s:o, s:o, s:o}", "name", "directions", "kind", "parts", "y", "label",
                   "eigenvalue", "rows", rows, "columns", columns, "parts", parts);
}

mbd_status run_figures_directions(const run_figures *w, mbd_error *err) {
  const json_t *directions = json_object_get(w->view, "directions"), *design = json_object_get(w->view, "design");
  if (json_array_size(directions) < 2) { return MBD_OK; } /* one variable has one direction */
  return w->sink(w->to,
                 (json_array_size(directions) <= DIRECTIONS_NAMED ? table_of_directions : curves_of_directions)(
                     directions, design),
                 err);
}

/* ---- over time ---- */

/* Chooses the rows of a long table that a figure shows: of each stretch the first value, the least and the largest, so that no peak is
 * lost. Returns them in new memory, *n of them; NULL: no memory. */
static int *shown_rows(int all, const double *v, int *n) {
  enum { STRETCHES = 700 }; /* as many as a figure has points across */
  const int stretch = all <= 3 * STRETCHES ? 1 : (all + STRETCHES - 1) / STRETCHES;
  int *row = calloc((size_t)all + 1, sizeof *row);
  *n = 0;
  for (int first = 0; row && first < all; first += stretch) {
    const int end = first + stretch < all ? first + stretch : all;
    int low = first, high = first;
    for (int k = first; k < end; k++) {
      if (v[k] < v[low]) { low = k; }
      if (v[k] > v[high]) { high = k; }
    }
    const int two[] = {low < high ? low : high, low < high ? high : low};
    row[(*n)++] = first;
    for (int k = 0; k < 2; k++) {
      if (two[k] > row[*n - 1]) { row[(*n)++] = two[k]; }
    }
  }
  if (row && *n && row[*n - 1] < all - 1) { row[(*n)++] = all - 1; }
  return row;
}

static json_t *at_rows(const double *v, int n, const int *row) {
  json_t *list = json_array();
  for (int i = 0; row && i < n; i++) { json_array_append_new(list, json_number(v[row[i]])); }
  return list;
}

/* A curve of n values over t; colour: as of plot.js. */
static json_t *curve(const char *name, json_t *colour, int n, const double *t, const double *y) {
  int k, *row = shown_rows(n, y, &k);
  if (!row) { mbd_memory_note(); }
  json_t *one = json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(name), "colour", colour, "x", at_rows(t, k, row),
                          "y", at_rows(y, k, row));
  free(row);
  return one;
}

/* A figure of a column over another one, "NAME in case CASE" where there are several cases. */
static json_t *figure_over(const run_figures *w, char *file, const char *in_case, const char *name, const char *unit,
                           const char *over, const char *over_unit, json_t *series) {
  const int several = w->ncase > 1;
  json_t *title = json_own_text(mbd_sprintf_dup("%s%s%s", name, several ? " in case " : "", several ? in_case : ""));
  return json_pack("{s:o, s:o, s:{s:o, s:s}, s:{s:o, s:s}, s:o}", "name", json_own_text(file), "title", title, "x",
                   "label", json_text(over), "unit", over_unit, "y", "label", json_text(name), "unit", unit, "series",
                   series);
}

static mbd_status over_time(const run_figures *w, char *file, const char *in_case, const char *name, const char *unit,
                            json_t *series, json_t *caption, mbd_error *err) {
  json_t *spec = figure_over(w, file, in_case, name, unit, "t", "s", series);
  if (caption) { json_object_set_new(spec, "caption", caption); }
  return w->sink(w->to, spec, err);
}

static json_t *point(double x, double y) {
  return json_pack("[f,f]", x, y);
}

static void add_shape(json_t *spec, const char *kind, json_t *outline, char *text) {
  json_array_append_new(json_object_get(spec, "shapes"),
                        json_pack("{s:s, s:o, s:o}", "kind", kind, "points", outline, "text", json_own_text(text)));
}

/* From where to where what a mark asks counts, in [low, high] where it says nothing. */
static void interval_of(const json_t *mark, double interval[2], double low, double high) {
  const double from = json_number_in(mark, "from"), until = json_number_in(mark, "until");
  interval[0] = isfinite(from) ? from : low, interval[1] = isfinite(until) ? until : high;
}

/* A value that is wanted or a limit: at its moment, in its interval, or everywhere. */
static void add_value(json_t *spec, const json_t *mark, const char *kind, double v, const double interval[2],
                      char *text) {
  const double at = json_number_in(mark, "at");
  const int partly = json_object_get(mark, "from") || json_object_get(mark, "until");
  if (isfinite(at)) {
    add_shape(spec, kind, json_pack("[o]", point(at, v)), text);
  } else if (partly) {
    add_shape(spec, kind, json_pack("[o,o]", point(interval[0], v), point(interval[1], v)), text);
  } else {
    json_array_append_new(json_object_get(spec, "levels"),
                          json_pack("{s:f, s:s, s:o}", "y", v, "kind", kind, "text", json_own_text(text)));
  }
}

/* The band between two lines, each through points at the same x: those of the middle, shifted. */
static void add_band(json_t *spec, const json_t *middle, double below, double above, char *text) {
  json_t *outline = json_array();
  const size_t n = json_array_size(middle);
  for (size_t k = 0; k < 2 * n; k++) {
    const json_t *p = json_array_get(middle, k < n ? k : 2 * n - 1 - k);
    json_array_append_new(outline, point(json_number_of(json_array_get(p, 0)),
                                         json_number_of(json_array_get(p, 1)) + (k < n ? above : below)));
  }
  add_shape(spec, "band", outline, text);
}

/* A target curve, which is a series of its own; a single point of a path; or a constant. */
static void add_target(json_t *spec, const json_t *mark, const double interval[2], const char *of) {
  const json_t *target = json_object_get(mark, "target"), *p;
  char *text = mbd_sprintf_dup("target of %s", of);
  size_t k;
  if (!json_is_array(target)) {
    add_value(spec, mark, "target", json_number_of(target), interval, text);
    return;
  }
  if (json_array_size(target) == 1) {
    add_shape(spec, "target", json_deep_copy(target), text);
    return;
  }
  json_t *x = json_array(), *y = json_array();
  json_array_foreach(target, k, p) {
    json_array_append(x, json_array_get(p, 0)), json_array_append(y, json_array_get(p, 1));
  }
  json_array_append_new(json_object_get(spec, "series"),
                        json_pack("{s:o, s:s, s:b, s:o, s:o}", "name", json_own_text(text), "colour", "target", "mute",
                                  1, "x", x, "y", y));
}

/* Samples of a measurement. */
static void add_samples(json_t *spec, const json_t *samples, const char *of) {
  const json_t *p;
  json_t *x = json_array(), *y = json_array();
  size_t k;
  json_array_foreach(samples, k, p) {
    json_array_append(x, json_array_get(p, 0)), json_array_append(y, json_array_get(p, 1));
  }
  json_array_append_new(
      json_object_get(spec, "series"),
      json_pack("{s:o, s:s, s:s, s:o, s:o}", "name", json_own_text(mbd_sprintf_dup("%s, measured", of)), "kind",
                "points", "colour", "target", "x", x, "y", y));
}

/* What objectives and constraints ask of a figure whose curves reach from low to high: windows, bands that are allowed, targets and limits. */
static void add_marks(json_t *spec, const json_t *asked, double low, double high) {
  const json_t *one;
  size_t i;
  json_object_set_new(spec, "levels", json_array()), json_object_set_new(spec, "shapes", json_array());
  json_array_foreach(asked, i, one) {
    const json_t *target = json_object_get(one, "target");
    const char *of = json_text_in(one, "of");
    const double lower = json_number_in(one, "lower"), upper = json_number_in(one, "upper"),
                 within = json_number_in(one, "within");
    double interval[2];
    interval_of(one, interval, low, high);
    json_t *ends = json_pack("[o,o]", point(interval[0], json_is_number(target) ? json_number_value(target) : 0),
                             point(interval[1], json_is_number(target) ? json_number_value(target) : 0));
    if (json_object_get(one, "from") || json_object_get(one, "until")) {
      add_shape(spec, "window", json_incref(ends), mbd_sprintf_dup("%s counts here", of));
    }
    if (isfinite(within)) {
      add_band(spec, json_is_array(target) ? target : ends, -within, within,
               mbd_sprintf_dup("%s: within %.4g", of, within));
    } else if (isfinite(lower) && isfinite(upper) && !json_object_get(one, "at")) {
      json_t *zero = json_pack("[o,o]", point(interval[0], 0), point(interval[1], 0));
      add_band(spec, zero, lower, upper, mbd_sprintf_dup("%s: between the limits", of));
      json_decref(zero);
    }
    json_decref(ends);
    if (target) { add_target(spec, one, interval, of); }
    if (json_object_get(one, "samples")) { add_samples(spec, json_object_get(one, "samples"), of); }
    if (isfinite(lower)) { add_value(spec, one, "bound", lower, interval, mbd_sprintf_dup("limit of %s", of)); }
    if (isfinite(upper)) { add_value(spec, one, "bound", upper, interval, mbd_sprintf_dup("limit of %s", of)); }
  }
}

/* The least and the largest number of all curves. */
static void reach_of(const json_t *series, const char *axis, double *low, double *high) {
  const json_t *one;
  size_t i;
  *low = INFINITY, *high = -INFINITY;
  json_array_foreach(series, i, one) {
    const json_t *list = json_object_get(one, axis);
    for (size_t k = 0; k < json_array_size(list); k++) {
      const double v = json_number_of(json_array_get(list, k));
      if (isfinite(v)) { *low = fmin(*low, v), *high = fmax(*high, v); }
    }
  }
}

static int is_component(const char *name) {
  const size_t n = strlen(name);
  return n > 2 && name[n - 2] == '.' && strchr("xyz", name[n - 1]);
}

/* A path in a plane has one scale on both axes, unless it is so long and narrow that it would be a line, as in the page (curves.js: isPath, isLong). */
static int is_equal(const json_t *one, const json_t *series) {
  enum { LONG = 5 };
  double x[2], y[2];
  reach_of(series, "x", &x[0], &x[1]), reach_of(series, "y", &y[0], &y[1]);
  const double wide = x[1] - x[0], tall = y[1] - y[0];
  return is_component(json_text_in(one, "name")) && is_component(json_text_in(one, "over")) &&
         strcmp(json_text_in(one, "unit"), json_text_in(one, "over_unit")) == 0 &&
         fmax(wide, tall) <= LONG * fmin(wide, tall);
}

mbd_status run_figures_histories(const run_figures *w, mbd_error *err) {
  const json_t *one;
  size_t i;
  json_array_foreach(json_object_get(w->view, "moving"), i, one) {
    const char *in_case = json_text_in(one, "case"), *name = json_text_in(one, "name"),
               *over = json_text_in(one, "over");
    const int output = strcmp(json_text_in(one, "kind"), "output") == 0, timed = strcmp(over, "t") == 0;
    json_t *series = json_deep_copy(json_object_get(one, "runs"));
    for (size_t k = 0; k < json_array_size(series); k++) {
      json_object_set_new(json_array_get(series, k), "colour",
                          json_string(k + 1 < json_array_size(series) ? "before" : "after"));
    }
    char *file = mbd_sprintf_dup("%s_%s_%s%s%s", output ? "history" : "so_far", in_case, name, timed ? "" : "_over_",
                                 timed ? "" : over);
    json_t *spec =
        figure_over(w, file, in_case, name, json_text_in(one, "unit"), over, json_text_in(one, "over_unit"), series);
    double low, high;
    reach_of(series, "x", &low, &high);
    if (is_equal(one, series)) { json_object_set_new(spec, "equal", json_true()); }
    add_marks(spec, json_object_get(one, "marks"), low, high);
    MBD_TRY(w->sink(w->to, spec, err));
  }
  return MBD_OK;
}

static const json_t *case_at(const run_figures *w, int i) {
  return json_array_get(json_object_get(w->view, "cases"), (size_t)i);
}

int run_figures_has_inverse(const run_figures *w) {
  int any = 0;
  for (int i = 0; i < w->ncase; i++) {
    for (int k = 0; k < INVERSE_MATRICES; k++) { any |= w->inverse[i].count[k] > 0; }
  }
  return any;
}

/* One figure for each matrix of each case, with a curve for each of its largest entries. */
mbd_status run_figures_inverse(const run_figures *w, mbd_error *err) {
  for (int i = 0; i < w->ncase; i++) {
    const inverse_table *table = &w->inverse[i];
    for (int k = 0; k < INVERSE_MATRICES; k++) {
      const inverse_matrix *matrix = &inverse_matrices[k];
      const char *in_case = json_text_in(case_at(w, i), "name");
      if (table->count[k] == 0) { continue; }
      json_t *all = json_array();
      for (int j = 0; j < table->count[k]; j++) {
        json_array_append_new(all, curve(table->name[k][j], json_integer(j), table->n, table->t, table->entry[k][j]));
      }
      json_t *caption = json_own_text(
          mbd_sprintf_dup("The largest derivatives of the forces on the coordinates by %s, over time.", matrix->by));
      MBD_TRY(over_time(w, mbd_sprintf_dup("forces_by_%s_%s", matrix->name, in_case), in_case, matrix->symbol, "", all,
                        caption, err));
    }
  }
  return MBD_OK;
}

static int is_derivative(const csv *table, int col) {
  return strncmp(table->cell[col], "d ", 2) == 0 && strstr(table->cell[col], "/d ") != NULL;
}

static double largest_of(const csv *table, int col) {
  double max = 0;
  for (int row = 0; row < table->nrow; row++) { max = fmax(max, fabs(csv_number(table, row, col))); }
  return max;
}

/* What derivatives of a table stay below that are zero but for rounding: beyond the digits of the largest one. */
static double rounding_of(const csv *table) {
  double largest = 0;
  for (int k = 0; k < table->ncol; k++) {
    if (is_derivative(table, k)) { largest = fmax(largest, largest_of(table, k)); }
  }
  return 1e-15 * largest;
}

/* The next column of a table of derivatives, from `col` on, that is not zero throughout; -1: there is none, or enough were shown before. */
static int next_derivative(const csv *table, double zero, int col, int shown) {
  for (; shown < RUN_DERIVATIVES && col < table->ncol; col++) {
    if (is_derivative(table, col) && largest_of(table, col) > zero) { return col; }
  }
  return -1;
}

int run_figures_has_derivatives(const run_figures *w) {
  int any = 0;
  for (int i = 0; i < w->ncase; i++) { any |= next_derivative(&w->sensitivities[i], 0, 0, 0) >= 0; }
  return any;
}

mbd_status run_figures_derivatives(const run_figures *w, mbd_error *err) {
  mbd_status status = MBD_OK;
  for (int i = 0; i < w->ncase && status == MBD_OK; i++) {
    const csv *table = &w->sensitivities[i];
    const char *in_case = json_text_in(case_at(w, i), "name");
    const double zero = rounding_of(table);
    double *t = csv_numbers(table, 0);
    for (int k = 0, col = 0; status == MBD_OK && (col = next_derivative(table, zero, col, k)) >= 0; k++, col++) {
      const char *name = table->cell[col];
      double *y = csv_numbers(table, col);
      status = t && y ? over_time(w, mbd_sprintf_dup("derivative_%s_%s", in_case, name + 2), in_case, name, "",
                                  json_pack("[o]", curve(name, json_string("after"), table->nrow, t, y)), NULL, err)
                      : MEMORY_NONE(err, "a figure");
      free(y);
    }
    free(t);
  }
  return status;
}

/* ---- a fit ---- */

/* How wide the interval of each estimate is and how far it is from the start, in the variables' scales: rows on one logarithmic axis. */
mbd_status run_figures_precision(const run_figures *w, mbd_error *err) {
  const json_t *fit = json_object_get(w->result, "fit"), *design = json_object_get(w->view, "design"), *one;
  json_t *names = json_array(), *half = json_array(), *moved = json_array(), *row = json_array();
  json_t *interval = json_array(), *change = json_array();
  size_t i;
  json_array_foreach(json_object_get(fit, "variables"), i, one) {
    const json_t *variable = json_array_get(design, i);
    const double scale = json_number_in(variable, "scale"), start = json_number_in(variable, "start"),
                 x = json_number_in(one, "estimate"), lower = json_number_in(one, "lower"),
                 upper = json_number_in(one, "upper");
    /* Without a standard deviation the interval has no width. */
    const int known = isfinite(json_number_in(one, "standard_deviation"));
    json_array_append(names, json_object_get(one, "name"));
    /* Points in the row of the variable: half of the interval and the change, both divided by the scale. */
    json_array_append_new(row, json_integer((json_int_t)i));
    json_array_append_new(half, json_number(known ? 0.5 * (upper - lower) / scale : NAN));
    json_array_append_new(moved, json_number(fabs(x - start) / scale));
    /* Texts of the points, in the unit of the variable. */
    json_array_append_new(interval, json_own_text(mbd_sprintf_dup("%.6g, from %.6g to %.6g", x, lower, upper)));
    json_array_append_new(change, json_own_text(mbd_sprintf_dup("from %.6g to %.6g", start, x)));
  }
  /* The level at 1 separates estimates that are known to less than their scale. */
  return w->sink(
      w->to,
      json_pack(
          "{s:s, s:s, s:s, s:{s:s, s:b, s:s}, s:{s:s, s:o}, s:[{s:s,s:s,s:s,s:o,s:O,s:o},{s:s,s:s,s:s,s:o,s:o,s:o}"
          "], s:[{s:i,s:s,s:s}]}",
          "name", "precision", "title", "Precision of the estimates", "caption",
          "Left of the dashed line an estimate is known to less than its scale. A variable without a "
          "width is at a bound or not determined; one without a change stands at its start.",
          "x", "label", "in scales of the variables", "log", 1, "unit", "-", "y", "label", "variable", "names", names,
          "series", "name", "half of the interval", "kind", "points", "colour", "after", "x", half, "y", row, "text",
          interval, "name", "change from the start", "kind", "points", "colour", "before", "x", moved, "y", row, "text",
          change, "levels", "x", 1, "kind", "bound", "text", "one scale"),
      err);
}

/* The columns of residuals.csv. */
enum { TIME, MEASURED, MODEL, BAND, RESIDUAL, COLUMNS };

/* The figure of the samples of a measurement, the model and its prediction band, model -+ band. */
static mbd_status samples(const run_figures *w, const char *name, const char *held, const json_t *one, int n,
                          const int *row, double *const *of, json_t *const *list, mbd_error *err) {
  json_t *lower = json_array(), *upper = json_array();
  for (int i = 0; i < n; i++) {
    json_array_append_new(lower, json_number(of[MODEL][row[i]] - of[BAND][row[i]]));
    json_array_append_new(upper, json_number(of[MODEL][row[i]] + of[BAND][row[i]]));
  }
  json_t *file = json_own_text(mbd_sprintf_dup("model_%s", name)),
         *title = json_own_text(mbd_sprintf_dup("%s%s: measured and model", name, held));
  return w->sink(
      w->to,
      json_pack("{s:o, s:o, s:s, s:{s:s, s:s}, s:{s:s, s:s}, s:[{s:s,s:s,s:s,s:O,s:o,s:o},{s:s,s:s,s:s,s:O,s:O},"
                "{s:s,s:s,s:s,s:O,s:O}]}",
                "name", file, "title", title, "caption",
                "Tinted: where a further sample is expected with the confidence of the fit.", "x", "label", "t", "unit",
                "s", "y", "label", json_text_in(one, "of"), "unit", json_text_in(one, "unit"), "series", "name", "band",
                "kind", "band", "colour", "after", "x", list[TIME], "y", lower, "upper", upper, "name", "measured",
                "kind", "points", "colour", "before", "x", list[TIME], "y", list[MEASURED], "name", "model", "kind",
                "line", "colour", "after", "x", list[TIME], "y", list[MODEL]),
      err);
}

/* The figure of the residuals in units of sigma, with levels at zero and at two standard deviations of the noise. */
static mbd_status residuals(const run_figures *w, const char *name, const char *held, double noise, json_t *const *list,
                            mbd_error *err) {
  json_t *file = json_own_text(mbd_sprintf_dup("residuals_%s", name)),
         *title = json_own_text(mbd_sprintf_dup("%s%s: residuals", name, held));
  return w->sink(w->to,
                 json_pack("{s:o, s:o, s:s, s:{s:s, s:s}, s:{s:s, s:s}, s:[{s:s,s:s,s:s,s:O,s:O}], "
                           "s:[{s:i,s:s,s:s},{s:f,s:s,s:s},{s:f,s:s,s:s}]}",
                           "name", file, "title", title, "caption",
                           "The model less the measurement. Dashed: two standard deviations of the noise.", "x",
                           "label", "t", "unit", "s", "y", "label", "residual", "unit", "sigma", "series", "name",
                           "residual", "kind", "points", "colour", "after", "x", list[TIME], "y", list[RESIDUAL],
                           "levels", "y", 0, "kind", "target", "text", "none", "y", 2 * noise, "kind", "bound", "text",
                           "2 standard deviations", "y", -2 * noise, "kind", "bound", "text", "2 standard deviations"),
                 err);
}

/* Both figures of a measurement, whose rows of residuals.csv are n from the given ones on. */
static mbd_status measurement(const run_figures *w, const json_t *one, double noise, int n, double *const *of,
                              mbd_error *err) {
  const char *held = json_is_true(json_object_get(one, "hold_out")) ? ", held out" : "",
             *name = json_text_in(one, "name");
  int k, *row = shown_rows(n, of[RESIDUAL], &k);
  MEMORY_TRY(row, err, "a figure");
  json_t *list[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) { list[c] = at_rows(of[c], k, row); }
  mbd_status status = samples(w, name, held, one, k, row, of, list, err);
  if (status == MBD_OK) { status = residuals(w, name, held, noise, list, err); }
  for (int c = 0; c < COLUMNS; c++) { json_decref(list[c]); }
  free(row);
  return status;
}

mbd_status run_figures_measurements(const run_figures *w, mbd_error *err) {
  static const char *const needed[] = {"t [s]", "measured", "model", "band", "residual_in_sigma"};
  const json_t *fit = json_object_get(w->result, "fit"), *one;
  const csv *c = &w->residuals;
  double *of[COLUMNS];
  size_t i;
  mbd_status status = MBD_OK;
  /* The columns of residuals.csv. */
  for (int k = 0; k < COLUMNS; k++) {
    of[k] = csv_numbers(c, csv_column(c, needed[k]));
    if (!of[k]) { status = MEMORY_NONE(err, "a figure"); }
  }
  json_array_foreach(json_object_get(fit, "measurements"), i, one) {
    const char *name = json_text_in(one, "name");
    double *from[COLUMNS];
    int first = 0, n = 0;
    /* The samples of a measurement are n successive rows; a measurement without any has no figures. */
    while (first < c->nrow && strcmp(csv_text(c, first, 0), name) != 0) { first++; }
    while (first + n < c->nrow && strcmp(csv_text(c, first + n, 0), name) == 0) { n++; }
    if (n == 0 || status != MBD_OK) { continue; }
    for (int k = 0; k < COLUMNS; k++) { from[k] = of[k] + first; }
    status = measurement(w, one, json_number_in(fit, "noise_in_sigma"), n, from, err);
  }
  for (int k = 0; k < COLUMNS; k++) { free(of[k]); }
  return status;
}

/* ---- all of it ---- */

mbd_status run_figures_all(const run_figures *w, int design, mbd_error *err) {
  if (design) {
    MBD_TRY(run_figures_convergence(w, err));
    MBD_TRY(run_figures_bounds(w, err));
    MBD_TRY(run_figures_directions(w, err));
    if (json_object_get(w->result, "fit")) {
      MBD_TRY(run_figures_precision(w, err));
      MBD_TRY(run_figures_measurements(w, err));
    }
  }
  MBD_TRY(run_figures_histories(w, err));
  MBD_TRY(run_figures_inverse(w, err));
  return run_figures_derivatives(w, err);
}

mbd_status run_figures_open(const json_t *view, figure_sink sink, void *to, run_figures *w, mbd_error *err) {
  const char *folder = json_string_value(json_object_get(view, "folder"));
  *w = (run_figures){.view = view, .result = json_object_get(view, "result"), .sink = sink, .to = to};
  w->ncase = (int)json_array_size(json_object_get(view, "cases"));
  w->inverse = calloc((size_t)w->ncase + 1, sizeof *w->inverse);
  w->sensitivities = calloc((size_t)w->ncase + 1, sizeof *w->sensitivities);
  MEMORY_TRY(w->inverse && w->sensitivities, err, "a figure");
  if (!folder) { return MBD_OK; }
  if (json_object_get(w->result, "status")) { MBD_TRY(csv_read_if_there(folder, "history.csv", &w->history, err)); }
  if (json_object_get(w->result, "fit")) { MBD_TRY(csv_read_if_there(folder, "residuals.csv", &w->residuals, err)); }
  for (int i = 0; i < w->ncase; i++) {
    const json_t *files = json_object_get(case_at(w, i), "files");
    MBD_TRY(inverse_table_read(folder, json_text_in(files, "inverse_dynamics"), &w->inverse[i], err));
    MBD_TRY(csv_read_if_there(folder, json_text_in(files, "sensitivities"), &w->sensitivities[i], err));
  }
  return MBD_OK;
}

void run_figures_close(run_figures *w) {
  csv_free(&w->history), csv_free(&w->residuals);
  for (int i = 0; w->inverse && i < w->ncase; i++) { inverse_table_free(&w->inverse[i]); }
  for (int i = 0; w->sensitivities && i < w->ncase; i++) { csv_free(&w->sensitivities[i]); }
  free(w->inverse), free(w->sensitivities);
  *w = (run_figures){0};
}
