#include "report/fit_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Of many variables nobody reads the matrix, which result.json has. */
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
      page_cell_number(w->p, json_is_number(v) ? json_number_value(v) : NAN, 3, NULL);
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

static void measurements(const run_parts *w, const json_t *fit) {
  static const char *const heading[] = {"measurement", "of", "case", "samples", "rms residual", "unit", "in sigma", ""};
  size_t i;
  const json_t *one, *all = json_object_get(fit, "measurements");
  page_heading(w->p, "Measurements");
  page_table_open(w->p, 8, heading);
  json_array_foreach(all, i, one) {
    page_row(w->p);
    page_cell(w->p, text(one, "name"));
    page_cell(w->p, text(one, "of"));
    page_cell(w->p, text(one, "case"));
    page_cell_number(w->p, number(one, "samples"), PAGE_DIGITS, NULL);
    page_cell_number(w->p, number(one, "rms"), 4, NULL);
    page_cell(w->p, text(one, "unit"));
    page_cell_number(w->p, sqrt(number(one, "mean_square_in_sigma")), 3, NULL);
    page_cell(w->p, json_is_true(json_object_get(one, "hold_out")) ? "held out: its prediction error" : "");
  }
  page_table_close(w->p);
}

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
  estimates(w, fit);
  correlations(w, fit);
  directions(w, fit);
  measurements(w, fit);
}
