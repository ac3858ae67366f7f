#include "report/run_specs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/json.h"
#include "report/units.h"

enum { STRETCHES = 700 }; /* of a curve: as many as a figure has points across */

/* A text that json_text cannot be given is lost, which page_write reports. */
static json_t *words(char *text) {
  json_t *o = text ? json_text(text) : NULL;
  if (!text) { json_memory_note(); }
  free(text);
  return o ? o : json_null();
}

static void plot(const run_parts *w, json_t *spec) {
  if (spec) {
    page_plot(w->p, spec);
  } else {
    page_lost(w->p);
  }
}

/* ---- convergence ---- */

static int spans_decade(int n, const double *v) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < n; i++) {
    if (isfinite(v[i])) { low = fmin(low, v[i]), high = fmax(high, v[i]); }
  }
  return low > 0 && high >= 10 * low;
}

/* A column of history.csv over the simulated designs. Zeros of a logarithmic axis have no place there. */
static void history(const run_parts *w, const char *column, const char *title, const char *caption, const char *label,
                    const char *unit, int always_log) {
  const csv *table = &w->f->history;
  const int k = csv_column(table, column), at = csv_column(table, "evaluations"),
            count = csv_column(table, "iteration");
  double *values = calloc((size_t)table->nrow + 1, sizeof *values);
  if (!values) {
    page_lost(w->p);
    return;
  }
  json_t *x = json_array(), *y = json_array(), *text = json_array();
  for (int i = 0; i < table->nrow; i++) {
    values[i] = csv_number(table, i, k);
    json_array_append_new(x, json_number(csv_number(table, i, at)));
    json_array_append_new(y, json_number(values[i]));
    json_array_append_new(text, words(mbd_sprintf_dup("iteration %g", csv_number(table, i, count))));
  }
  plot(w, json_pack("{s:s, s:s, s:{s:s, s:b}, s:{s:s, s:s, s:b}, s:[{s:s, s:s, s:i, s:o, s:o, s:o}]}", "title", title,
                    "caption", caption, "x", "label", "simulated designs", "whole", 1, "y", "label", label, "unit",
                    unit, "log", always_log || spans_decade(table->nrow, values), "series", "name", column, "kind",
                    table->nrow > 200 ? "line" : "both", "colour", 0, "x", x, "y", y, "text", text));
  free(values);
}

void run_specs_convergence(const run_parts *w) {
  const csv *table = &w->f->history;
  const int k = csv_column(table, "violation");
  int violated = 0;
  char *unit = unit_of_objective(w->m);
  if (!unit) { page_lost(w->p); }
  for (int i = 0; i < table->nrow; i++) { violated |= csv_number(table, i, k) > 0; }
  history(w, "objective", "Objective over simulated designs", "Objective of the iterations, over simulated designs.",
          objective_label(w->m), unit ? unit : "", 0);
  if (violated) {
    history(w, "violation", "Violation over simulated designs",
            "Largest violation of a constraint at the iterations; without violation there is no point.", "violation",
            "", 1);
  }
  free(unit);
}

/* ---- bounds ---- */

static int has_place(const mechanism *m, int i) {
  return isfinite(m->lower[i]) && isfinite(m->upper[i]) && m->upper[i] > m->lower[i];
}

static int spans_decades(const mechanism *m, int i) {
  return m->lower[i] > 0 && m->upper[i] >= 100 * m->lower[i];
}

/* From the lower bound, 0, to the upper, 100. */
static double place_of(const mechanism *m, int i, double x) {
  const double lower = m->lower[i], upper = m->upper[i];
  const double part =
      spans_decades(m, i) && x > 0 ? log(x / lower) / log(upper / lower) : (x - lower) / (upper - lower);
  return 100 * part;
}

static json_t *between(const mechanism *m, int i, double x, const char *also) {
  const char *unit = unit_of_variable(m, i);
  return words(mbd_sprintf_dup("%s = %.7g%s%s, bounds %.7g and %.7g%s%s%s", m->name[i], x, *unit ? " " : "", unit,
                               m->lower[i], m->upper[i], spans_decades(m, i) ? ", logarithmic" : "",
                               also ? ", at its " : "", also ? also : ""));
}

/* Lists of places, rows or numbers, and texts. */
typedef struct points {
  json_t *place, *row, *text;
} points;

static points points_new(void) {
  return (points){json_array(), json_array(), json_array()};
}

static void add(points *p, double place, int row, json_t *text) {
  json_array_append_new(p->place, json_number(place));
  json_array_append_new(p->row, row >= 0 ? json_integer(row) : json_null());
  json_array_append_new(p->text, text);
}

static json_t *points_series(const char *name, const char *kind, const char *colour, int mute, int rows, points *p) {
  return json_pack("{s:s, s:s, s:s, s:b, s:b, s:o, s:o, s:o}", "name", name, "kind", kind, "colour", colour, "mute",
                   mute, "unlisted", mute, rows ? "x" : "y", p->place, rows ? "y" : "x", p->row, "text", p->text);
}

/* One row for each variable with two bounds: a line from its start to its result, and a mark where it is at a bound. With many variables rows
 * are numbers on an upright axis. */
void run_specs_bounds(const run_parts *w) {
  enum { ROWS_MOST = 40 }; /* of more, numbers stand for names */
  const mechanism *m = w->m;
  int n = 0;
  for (int i = 0; i < m->n; i++) { n += has_place(m, i); }
  if (n == 0 || !w->f->final) { return; }
  const int rows = n <= ROWS_MOST;
  points way = points_new(), start = points_new(), result = points_new(), bound = points_new();
  json_t *names = json_array();
  for (int i = 0, k = 0; i < m->n; i++) {
    if (!has_place(m, i)) { continue; }
    const double x = w->f->final[i], from = place_of(m, i, m->start[i]), to = place_of(m, i, x);
    const char *at = design_at_bound(&m->design, i, x);
    const int row = rows ? k++ : i + 1;
    json_array_append_new(names, words(mbd_sprintf_dup("%s%s", m->name[i], spans_decades(m, i) ? " (log)" : "")));
    add(&way, from, row, json_null()), add(&way, to, row, json_null()), add(&way, NAN, row, json_null());
    add(&start, from, row, between(m, i, m->start[i], NULL));
    add(&result, to, row, between(m, i, x, at));
    if (at) { add(&bound, to, row, between(m, i, x, at)); }
  }
  json_t *ticks = json_pack("[{s:i,s:s},{s:i,s:s},{s:i,s:s}]", "v", 0, "label", "lower", "v", 50, "label", "middle",
                            "v", 100, "label", "upper");
  json_t *place = json_pack("{s:s, s:s, s:[i,i], s:o}", "label", "between the bounds", "unit", "%", "range", -6, 106,
                            "ticks", ticks);
  json_t *which = rows ? json_pack("{s:s, s:o}", "label", "variable", "names", names)
                       : json_pack("{s:s, s:b}", "label", "number of the variable", "whole", 1);
  json_t *all = json_array();
  if (!rows) { json_decref(names); }
  json_array_append_new(all, points_series("from start to result", "line", "before", 1, rows, &way));
  json_array_append_new(all, points_series(w->f->before, "points", "before", 0, rows, &start));
  json_array_append_new(all, points_series(w->f->after, "points", "after", 0, rows, &result));
  const int any = json_array_size(bound.row) > 0;
  json_t *marked = points_series("at a bound", "points", "bound", 0, rows, &bound);
  if (any) { json_array_append(all, marked); }
  json_decref(marked);
  plot(w, json_pack("{s:s, s:s, s:o, s:o, s:o}", "title", "Design between its bounds", "caption",
                    "Where every variable lies between its bounds, at the start and at the result; (log): by its "
                    "logarithm. A variable without two bounds has no place here.",
                    rows ? "x" : "y", place, rows ? "y" : "x", which, "series", all));
}

/* ---- directions ---- */

/* Writes the directions to which the objective is least sensitive; of many directions only the first ones. */
static void tinted_directions(const run_parts *w) {
  enum { MOST = 12 };
  const valley *directions = &w->f->valley;
  const char *heading[MOST + 1] = {"eigenvalue"};
  for (int k = 0; k < directions->n; k++) { heading[k + 1] = w->m->name[k]; }
  page_table_open(w->p, directions->n + 1, heading);
  for (int i = 0; i < directions->n; i++) {
    page_row(w->p);
    page_cell_number(w->p, directions->eigenvalue[i], 4, NULL);
    for (int k = 0; k < directions->n; k++) { page_cell_part(w->p, directions->direction[i * directions->n + k], 3); }
  }
  page_table_close(w->p);
}

static void drawn_directions(const run_parts *w) {
  enum { MOST = 4 };
  const valley *directions = &w->f->valley;
  json_t *all = json_array();
  for (int i = 0; i < directions->n && i < MOST; i++) {
    points parts = points_new();
    for (int k = 0; k < directions->n; k++) {
      add(&parts, directions->direction[i * directions->n + k], k + 1, json_text(w->m->name[k]));
    }
    char *name = mbd_sprintf_dup("eigenvalue %.3g", directions->eigenvalue[i]);
    json_array_append_new(all, json_pack("{s:o, s:s, s:i, s:o, s:o, s:o}", "name", words(name), "kind", "both",
                                         "colour", i, "x", parts.row, "y", parts.place, "text", parts.text));
  }
  plot(w, json_pack("{s:s, s:s, s:{s:s, s:b}, s:{s:s, s:[i,i]}, s:o}", "title",
                    "Directions that the objective sees least", "caption",
                    "The parts of the variables, divided by their scale, in the directions with the smallest "
                    "eigenvalues.",
                    "x", "label", "number of the variable", "whole", 1, "y", "label", "part in the direction", "range",
                    -1, 1, "series", all));
}

void run_specs_directions(const run_parts *w) {
  enum { TABLE_MOST = 12 };
  if (w->f->valley.n < 2) { return; } /* one variable has one direction */
  if (w->f->valley.n <= TABLE_MOST) {
    page_text(w->p, "The directions by their parts of each variable, what the objective sees least first:");
    tinted_directions(w);
  } else {
    drawn_directions(w);
  }
}

/* ---- over time ---- */

/* A curve of an output as series of a figure, with its extremes. */
static json_t *curve(const char *name, json_t *colour, const motion_case *moving, int output) {
  double *t = malloc(2 * (size_t)motion_most(STRETCHES) * sizeof *t), *y = t ? t + motion_most(STRETCHES) : NULL;
  const int n = t ? motion_curve(moving, output, STRETCHES, t, y) : 0;
  if (!t) { json_memory_note(); }
  json_t *one = json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(name), "colour", colour, "x", json_numbers(t, n),
                          "y", json_numbers(y, n));
  free(t);
  return one;
}

/* One figure for each matrix of each case, with a curve for each of its largest entries. */
void run_specs_inverse(const run_parts *w) {
  for (int i = 0; i < w->m->ncase; i++) {
    const inverse_table *table = &w->v.inverse[i];
    for (int k = 0; k < INVERSE_MATRICES; k++) {
      json_t *all = json_array();
      if (table->count[k] == 0) {
        json_decref(all);
        continue;
      }
      for (int j = 0; j < table->count[k]; j++) {
        const motion_case one = {.n = table->n, .noutput = 1, .t = table->t, .y = table->entry[k][j]};
        json_array_append_new(all, curve(table->name[k][j], json_integer(j), &one, 0));
      }
      char *title = w->m->ncase > 1
                        ? mbd_sprintf_dup("%s in case %s", inverse_matrices[k].symbol, w->m->cases[i].config->name)
                        : mbd_strdup(inverse_matrices[k].symbol);
      char *caption = mbd_sprintf_dup("The largest derivatives of the forces on the coordinates by %s, over time.",
                                      inverse_matrices[k].by);
      plot(w, json_pack("{s:o, s:o, s:{s:s, s:s}, s:{s:s}, s:o}", "title", words(title), "caption", words(caption), "x",
                        "label", "t", "unit", "s", "y", "label", inverse_matrices[k].symbol, "series", all));
    }
  }
}

void run_specs_derivatives(const run_parts *w) {
  for (int i = 0; i < w->m->ncase; i++) {
    const csv *table = &w->v.sensitivities[i];
    double *t = run_column(table, 0);
    for (int k = 0, col = 0; t && (col = run_next_derivative(table, col, k)) >= 0; k++, col++) {
      const char *name = table->cell[col];
      double *y = run_column(table, col);
      if (!y) { json_memory_note(); }
      const motion_case one = {.n = y ? table->nrow : 0, .noutput = 1, .t = t, .y = y};
      char *title =
          w->m->ncase > 1 ? mbd_sprintf_dup("%s in case %s", name, w->m->cases[i].config->name) : mbd_strdup(name);
      plot(w, json_pack("{s:o, s:{s:s, s:s}, s:{s:o}, s:[o]}", "title", words(title), "x", "label", "t", "unit", "s",
                        "y", "label", json_text(name), "series", curve(name, json_string("after"), &one, 0)));
      free(y);
    }
    if (!t) { json_memory_note(); }
    free(t);
  }
}

static void one_history(const run_parts *w, int in_case, int output) {
  const mechanism_case *q = &w->m->cases[in_case];
  const char *name = mbd_outputs_name(q->outputs, output);
  json_t *all = json_array();
  if (w->v.before) {
    json_array_append_new(
        all, curve(w->f->before, json_string(w->v.after ? "before" : "after"), &w->v.before->cases[in_case], output));
  }
  if (w->v.after) {
    json_array_append_new(all, curve(w->f->after, json_string("after"), &w->v.after->cases[in_case], output));
  }
  char *title = w->m->ncase > 1 ? mbd_sprintf_dup("%s in case %s", name, q->config->name) : mbd_strdup(name);
  plot(w,
       json_pack("{s:o, s:{s:s, s:s}, s:{s:o, s:o}, s:o}", "title", words(title), "x", "label", "t", "unit", "s", "y",
                 "label", json_text(name), "unit", json_text(mbd_outputs_unit(q->outputs, output)), "series", all));
}

void run_specs_histories(const run_parts *w) {
  for (int i = 0; i < w->m->ncase; i++) {
    for (int k = 0; k < mbd_outputs_count(w->m->cases[i].outputs); k++) {
      if (mbd_outputs_is_repeated(w->m->cases[i].outputs, k) || !run_output_moves(&w->v, i, k)) { continue; }
      one_history(w, i, k);
    }
  }
}
