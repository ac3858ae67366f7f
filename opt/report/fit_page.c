#include "report/fit_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/json.h"
#include "files/text_stream.h"

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static void estimates(const run_parts *w, const json_t *fit) {
  static const char *const heading[] = {"variable", "estimate", "standard deviation", "from", "to", ""};
  size_t i;
  const json_t *one, *all = json_object_get(fit, "variables");
  page_table_open(w->p, 6, heading);
  json_array_foreach(all, i, one) {
    const char *bound = text(one, "at_bound");
    const int determined = json_is_true(json_object_get(one, "determined"));
    const int blind = !*bound && isnan(number(one, "standard_deviation"));
    page_row(w->p);
    page_cell(w->p, text(one, "name"));
    page_cell_number(w->p, number(one, "estimate"), PAGE_DIGITS, NULL);
    page_cell_number(w->p, number(one, "standard_deviation"), 3, NULL);
    page_cell_number(w->p, blind || *bound ? NAN : number(one, "lower"), 6, NULL);
    page_cell_number(w->p, blind || *bound ? NAN : number(one, "upper"), 6, NULL);
    page_cell(w->p, *bound ? bound : blind ? "not determined" : determined ? "" : "hardly determined");
  }
  page_table_close(w->p);
}

/* How wide the interval of each estimate is and how far it is from the start, in the variables' scales: rows on one logarithmic axis. */
static void estimates_figure(const run_parts *w, const json_t *fit) {
  const json_t *all = json_object_get(fit, "variables"), *one;
  json_t *names = json_array(), *half = json_array(), *moved = json_array(), *row = json_array();
  json_t *interval = json_array(), *change = json_array();
  size_t i;
  json_array_foreach(all, i, one) {
    const double scale = w->m->scale[i], x = number(one, "estimate"), lower = number(one, "lower");
    char words[160];
    json_array_append(names, json_object_get(one, "name"));
    json_array_append_new(row, json_integer((json_int_t)i));
    const int known = isfinite(number(one, "standard_deviation"));
    json_array_append_new(half, json_number(known ? 0.5 * (number(one, "upper") - lower) / scale : NAN));
    json_array_append_new(moved, json_number(fabs(x - w->m->start[i]) / scale));
    snprintf(words, sizeof words, "%.6g, from %.6g to %.6g", x, lower, number(one, "upper"));
    json_array_append_new(interval, json_text(words));
    snprintf(words, sizeof words, "from %.6g to %.6g", w->m->start[i], x);
    json_array_append_new(change, json_text(words));
  }
  page_plot(w->p, json_pack("{s:s, s:s, s:{s:s, s:b, s:s}, s:{s:s, s:o}, s:[{s:s,s:s,s:s,s:o,s:O,s:o},"
                            "{s:s,s:s,s:s,s:o,s:o,s:o}], s:[{s:i,s:s,s:s}]}",
                            "title", "Precision of the estimates", "caption",
                            "Left of the dashed line an estimate is known to less than its scale. A variable without a "
                            "width is at a bound or not determined; one without a change stands at its start.",
                            "x", "label", "in scales of the variables", "log", 1, "unit", "-", "y", "label", "variable",
                            "names", names, "series", "name", "half of the interval", "kind", "points", "colour",
                            "after", "x", half, "y", row, "text", interval, "name", "change from the start", "kind",
                            "points", "colour", "before", "x", moved, "y", row, "text", change, "levels", "x", 1,
                            "kind", "bound", "text", "one scale"));
}

/* Writes the matrix of correlations, except for many variables; result.json has it in any case. */
static void correlations(const run_parts *w, const json_t *fit) {
  enum { MOST = 20 };
  const json_t *row, *all = json_object_get(fit, "correlation");
  const char *heading[MOST + 1] = {""};
  const int n = w->m->n;
  size_t i;
  if (n < 2 || n > MOST) { return; }
  for (int j = 0; j < n; j++) { heading[j + 1] = w->m->name[j]; }
  page_heading(w->p, "Correlations of the estimates");
  page_table_open(w->p, n + 1, heading);
  json_array_foreach(all, i, row) {
    page_row(w->p);
    page_cell(w->p, i < (size_t)n ? w->m->name[i] : "");
    for (int j = 0; j < n; j++) {
      const json_t *v = json_array_get(row, (size_t)j);
      page_cell_part(w->p, json_is_number(v) ? json_number_value(v) : NAN, 3);
    }
  }
  page_table_close(w->p);
}

static void write_direction(FILE *out, const run_parts *w, const json_t *direction) {
  static const double shown = 0.01;
  for (int j = 0; j < w->m->n; j++) {
    const double part = number(direction, w->m->name[j]);
    if (fabs(part) > shown) { fprintf(out, "%+.3f %s ", part, w->m->name[j]); }
  }
}

static void write_sights(FILE *out, const json_t *sights) {
  size_t i;
  const json_t *one;
  json_array_foreach(sights, i, one) {
    fprintf(out, "%s%s in case %s (%.3g %s)", i ? ", " : "", text(one, "output"), text(one, "case"),
            number(one, "change"), text(one, "unit"));
  }
  if (json_array_size(sights) == 0) { fputs("no output of these cases", out); }
}

static void cell_of(page *p, text_stream *s) {
  char *cell = text_end(s);
  if (!cell) { page_lost(p); }
  page_cell(p, cell);
  free(cell);
}

/* Directions with a deviation of more than a scale. */
static void directions(const run_parts *w, const json_t *fit) {
  static const char *const heading[] = {"deviation [scales]", "direction",
                                        "what would show it, for a step of one scale"};
  size_t i;
  int n = 0;
  const json_t *one, *all = json_object_get(fit, "directions");
  json_array_foreach(all, i, one) {
    const double deviation = number(one, "standard_deviation");
    if (deviation <= 1) { continue; }
    if (n++ == 0) {
      page_heading(w->p, "What the data do not determine");
      page_text(w->p,
                "Combinations of variables, divided by their scales, along which the estimate is uncertain by more "
                "than one scale; no deviation: no sample sees them.");
      page_table_open(w->p, 3, heading);
    }
    text_stream parts, sights;
    FILE *out = text_begin(&parts);
    if (out) { write_direction(out, w, json_object_get(one, "direction")); }
    page_row(w->p);
    page_cell_number(w->p, deviation, 3, NULL);
    cell_of(w->p, &parts);
    out = text_begin(&sights);
    if (out) { write_sights(out, json_object_get(one, "would_show")); }
    cell_of(w->p, &sights);
  }
  if (n) { page_table_close(w->p); }
}

/* ---- measurements ---- */

/* The rows of a measurement in residuals.csv. */
static void rows_of(const csv *c, const char *name, int *first, int *n) {
  *first = 0, *n = 0;
  while (*first < c->nrow && strcmp(csv_text(c, *first, 0), name) != 0) { ++*first; }
  while (*first + *n < c->nrow && strcmp(csv_text(c, *first + *n, 0), name) == 0) { ++*n; }
}

/* The table of measurements with their residuals. */
static void measurements(const run_parts *w, const json_t *fit) {
  static const char *const heading[] = {
      "measurement", "of", "case", "samples", "rms residual", "unit", "in sigma", "likeness of neighbours", ""};
  size_t i;
  const json_t *one, *all = json_object_get(fit, "measurements");
  page_heading(w->p, "Measurements");
  page_table_open(w->p, 9, heading);
  json_array_foreach(all, i, one) {
    page_row(w->p);
    page_cell(w->p, text(one, "name"));
    page_cell(w->p, text(one, "of"));
    page_cell(w->p, text(one, "case"));
    page_cell_number(w->p, number(one, "samples"), PAGE_DIGITS, NULL);
    page_cell_number(w->p, number(one, "rms"), 4, NULL);
    page_cell(w->p, text(one, "unit"));
    page_cell_number(w->p, sqrt(number(one, "mean_square_in_sigma")), 3, NULL);
    page_cell_number(w->p, number(one, "correlation_of_neighbours"), 2, NULL);
    page_cell(w->p, json_is_true(json_object_get(one, "hold_out")) ? "held out: its prediction error" : "");
  }
  page_table_close(w->p);
  page_text(w->p,
            "Likeness of neighbours: the correlation of a residual with the next one in time. That of noise is near 0; "
            "near 1, the model misses something that the measurement shows.");
}

/* ---- figures ---- */

/* Samples that a figure shows: all, or of many the least and the largest residual of each stretch. Returns how many, in row [n]. */
static int shown_rows(const csv *c, int first, int n, int *row) {
  enum { MOST = 3000 };
  const int column = csv_column(c, "residual_in_sigma"), stretch = (2 * n + MOST - 1) / MOST;
  int count = 0;
  for (int i = 0; i<n; i += n> MOST ? stretch : 1) {
    int low = i, high = i;
    for (int k = i; n > MOST && k < n && k < i + stretch; k++) {
      const double r = csv_number(c, first + k, column);
      if (r < csv_number(c, first + low, column)) { low = k; }
      if (r > csv_number(c, first + high, column)) { high = k; }
    }
    row[count++] = first + (low < high ? low : high);
    if (low != high) { row[count++] = first + (low < high ? high : low); }
  }
  return count;
}

static json_t *column_of(const csv *c, int n, const int *row, const char *name) {
  const int column = csv_column(c, name);
  json_t *list = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(list, json_number(csv_number(c, row[i], column))); }
  return list;
}

/* y + sign band */
static json_t *edge(const csv *c, int n, const int *row, double sign) {
  const int y = csv_column(c, "model"), band = csv_column(c, "band");
  json_t *list = json_array();
  for (int i = 0; i < n; i++) {
    json_array_append_new(list, json_number(csv_number(c, row[i], y) + sign * csv_number(c, row[i], band)));
  }
  return list;
}

/* Two figures of a measurement: the samples with the model and its prediction band, and the residuals in units of sigma. */
static void series_figures(const run_parts *w, const json_t *one, const json_t *fit, int n, const int *row) {
  const csv *c = &w->f->residuals;
  const double noise = number(fit, "noise_in_sigma");
  const char *held = json_is_true(json_object_get(one, "hold_out")) ? ", held out" : "";
  char *what = mbd_sprintf_dup("%s%s: measured and model", text(one, "name"), held);
  char *rest = mbd_sprintf_dup("%s%s: residuals", text(one, "name"), held);
  if (!what || !rest) { page_lost(w->p); }
  json_t *t = column_of(c, n, row, "t [s]");
  page_plot(w->p, json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:s}, s:[{s:s,s:s,s:s,s:O,s:o,s:o},{s:s,s:s,s:s,s:O,s:o},"
                            "{s:s,s:s,s:s,s:O,s:o}]}",
                            "title", what ? what : "", "caption",
                            "Tinted: where a further sample is expected with the confidence of the fit.", "x", "label",
                            "t", "unit", "s", "y", "label", text(one, "of"), "unit", text(one, "unit"), "series",
                            "name", "band", "kind", "band", "colour", "after", "x", t, "y", edge(c, n, row, -1),
                            "upper", edge(c, n, row, 1), "name", "measured", "kind", "points", "colour", "before", "x",
                            t, "y", column_of(c, n, row, "measured"), "name", "model", "kind", "line", "colour",
                            "after", "x", t, "y", column_of(c, n, row, "model")));
  page_plot(w->p,
            json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:s}, s:[{s:s,s:s,s:s,s:o,s:o}], "
                      "s:[{s:i,s:s,s:s},{s:f,s:s,s:s},{s:f,s:s,s:s}]}",
                      "title", rest ? rest : "", "caption",
                      "The model less the measurement. Dashed: two standard deviations of the noise.", "x", "label",
                      "t", "unit", "s", "y", "label", "residual", "unit", "sigma", "series", "name", "residual", "kind",
                      "points", "colour", "after", "x", t, "y", column_of(c, n, row, "residual_in_sigma"), "levels",
                      "y", 0, "kind", "target", "text", "none", "y", 2 * noise, "kind", "bound", "text",
                      "2 standard deviations", "y", -2 * noise, "kind", "bound", "text", "2 standard deviations"));
  free(what), free(rest);
}

void fit_page_figures(const run_parts *w, const json_t *fit) {
  const csv *c = &w->f->residuals;
  int *row = calloc((size_t)c->nrow + 1, sizeof *row), first, n;
  size_t i;
  const json_t *one;
  if (!row) { page_lost(w->p); }
  page_figures_open(w->p);
  json_array_foreach(json_object_get(fit, "measurements"), i, one) {
    rows_of(c, text(one, "name"), &first, &n);
    if (row && n > 0) { series_figures(w, one, fit, shown_rows(c, first, n, row), row); }
  }
  page_figures_close(w->p);
  free(row);
}

/* The text on the noise, then the tables. */
void fit_page_tables(const run_parts *w, const json_t *fit) {
  const int given = strcmp(text(fit, "noise"), "given") == 0;
  page_text(w->p,
            "%.6g samples determine %.6g variables. Intervals hold with a probability of %.6g %%, for a model that is "
            "right and linear within them.",
            number(fit, "samples"), number(fit, "estimated"), 100 * number(fit, "confidence"));
  if (given) {
    page_text(w->p, "The noise is what sigma says; residuals are %.3g of it.", number(fit, "scatter_in_sigma"));
    if (json_is_true(json_object_get(fit, "sigma_contradicted"))) {
      page_note(w->p,
                "Such residuals contradict sigma: it is too small, there are outliers, or the model is wrong. The "
                "intervals are too narrow.");
    }
  } else {
    page_text(w->p, "The noise is estimated from the residuals: %.3g sigma.", number(fit, "noise_in_sigma"));
  }
  if (json_is_true(json_object_get(fit, "residuals_alike"))) {
    page_note(
        w->p,
        "Residuals of neighbouring samples are alike (table of measurements): the model lacks something that they "
        "show, or their noise is no independent one. Estimates may be wrong by much more than the intervals say.");
  }
  if (json_is_true(json_object_get(fit, "step_too_long"))) {
    page_note(w->p,
              "The time step is too long for these data: half of it changes an estimate by %.2g standard deviations.",
              number(fit, "step_error_in_deviations"));
  }
  estimates(w, fit);
  estimates_figure(w, fit);
  correlations(w, fit);
  directions(w, fit);
  measurements(w, fit);
}
