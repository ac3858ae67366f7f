#include "report/fit_page.h"

#include <math.h>
#include <string.h>

#include "files/json.h"
#include "files/text_stream.h"

/* An estimate at a bound, or one that no sample sees, has no interval. */
static void estimates(const run_parts *w, const json_t *fit) {
  static const page_column column[] = {{"variable", "name", PAGE_WORDS, NULL},
                                       {"estimate", "estimate", PAGE_DIGITS, NULL},
                                       {"standard deviation", "standard_deviation", 3, NULL},
                                       {"from", "lower", 6, NULL},
                                       {"to", "upper", 6, NULL},
                                       {"", "remark", PAGE_WORDS, NULL}};
  size_t i;
  json_t *one, *all = json_deep_copy(json_object_get(fit, "variables"));
  json_array_foreach(all, i, one) {
    const char *bound = json_text_in(one, "at_bound");
    const int blind = !*bound && isnan(json_number_in(one, "standard_deviation")),
              determined = json_is_true(json_object_get(one, "determined"));
    /* Without an interval its cells show a dash. */
    if (blind || *bound) { json_object_del(one, "lower"), json_object_del(one, "upper"); }
    /* The remark: the bound, or how badly the data determine the variable. */
    json_object_set_new(one, "remark",
                        json_string(*bound       ? bound
                                    : blind      ? "not determined"
                                    : determined ? ""
                                                 : "hardly determined"));
  }
  page_table(w->p, 6, column, all);
  json_decref(all);
}

/* The name of variable i. */
static const char *name_of(const json_t *fit, size_t i) {
  return json_text_in(json_array_get(json_object_get(fit, "variables"), i), "name");
}

/* Writes the matrix of correlations, except for many variables; result.json has it in any case. */
static void correlations(const run_parts *w, const json_t *fit) {
  enum { MAX = 20 };
  const json_t *row, *part, *all = json_object_get(fit, "correlation");
  const char *heading[MAX + 1] = {""};
  const size_t n = json_array_size(json_object_get(fit, "variables"));
  size_t i, j;
  if (n < 2 || n > MAX) { return; }
  for (j = 0; j < n; j++) { heading[j + 1] = name_of(fit, j); }
  page_heading(w->p, "Correlations of the estimates");
  page_table_open(w->p, (int)n + 1, heading);
  json_array_foreach(all, i, row) {
    page_row(w->p);
    page_cell(w->p, name_of(fit, i));
    json_array_foreach(row, j, part) {
      page_cell_part(w->p, json_number_of(part), 3);
    }
  }
  page_table_close(w->p);
}

static void write_direction(FILE *out, const json_t *direction) {
  static const double shown = 0.01;
  const char *name;
  json_t *part;
  json_object_foreach((json_t *)direction, name, part) {
    if (fabs(json_number_of(part)) > shown) { fprintf(out, "%+.3f %s ", json_number_of(part), name); }
  }
}

static void write_informative_outputs(FILE *out, const json_t *informative_outputs) {
  size_t i;
  const json_t *one;
  json_array_foreach(informative_outputs, i, one) {
    fprintf(out, "%s%s in case %s (%.3g %s)", i ? ", " : "", json_text_in(one, "output"), json_text_in(one, "case"),
            json_number_in(one, "change"), json_text_in(one, "unit"));
  }
  if (json_array_size(informative_outputs) == 0) { fputs("no output of these cases", out); }
}

/* Directions with a deviation of more than a scale. */
static void directions(const run_parts *w, const json_t *fit) {
  static const char *const heading[] = {"deviation [scales]", "direction",
                                        "what would show it, for a step of one scale"};
  size_t i;
  int n = 0;
  const json_t *one, *all = json_object_get(fit, "directions");
  json_array_foreach(all, i, one) {
    const double deviation = json_number_in(one, "standard_deviation");
    /* A deviation of NaN belongs to a direction that no sample depends on: it is shown too. */
    if (deviation <= 1) { continue; }
    /* Heading and table begin with the first direction that is shown. */
    if (n++ == 0) {
      page_heading(w->p, "What the data do not determine");
      page_text(w->p,
                "Combinations of variables, divided by their scales, along which the estimate is uncertain by more "
                "than one scale; no deviation: no sample sees them.");
      page_table_open(w->p, 3, heading);
    }
    /* The direction by its parts, and the outputs that would determine it. */
    text_stream parts, informative_outputs;
    FILE *out = text_begin(&parts);
    if (out) { write_direction(out, json_object_get(one, "direction")); }
    page_row(w->p);
    page_cell_number(w->p, deviation, 3, NULL);
    page_cell_owned(w->p, text_end(&parts));
    out = text_begin(&informative_outputs);
    if (out) { write_informative_outputs(out, json_object_get(one, "would_show")); }
    page_cell_owned(w->p, text_end(&informative_outputs));
  }
  if (n) { page_table_close(w->p); }
}

/* The estimates whose deviations fall, as "mass to 0.25 %". */
static void write_falls(FILE *out, const json_t *fit, const json_t *before, const json_t *after) {
  static const double worth = 1.01; /* smaller falls are not shown */
  size_t i;
  int n = 0;
  const json_t *one;
  json_array_foreach(json_object_get(fit, "variables"), i, one) {
    const char *name = json_text_in(one, "name");
    const double was = json_number_in(before, name), is = json_number_in(after, name);
    const double part = is / fabs(json_number_in(one, "estimate"));
    if (isnan(is) || was <= worth * is) { continue; }
    fprintf(out, part < 1 ? "%s%s to %.2g %%" : "%s%s to %.2g", n++ ? ", " : "", name, part < 1 ? 100 * part : is);
  }
}

/* Sensors and held out measurements in their order. */
static void next_measurements(const run_parts *w, const json_t *fit) {
  static const char *const heading[] = {"measurement", "of",         "case",      "samples", "deviation",
                                        "unit",        "directions", "intervals", "share",   "estimates"};
  size_t i;
  const json_t *one, *all = json_object_get(fit, "next"), *before = NULL, *variable;
  json_t *now = json_object();
  if (json_array_size(all) == 0) {
    json_decref(now);
    return;
  }
  json_array_foreach(json_object_get(fit, "variables"), i, variable) {
    json_object_set(now, json_text_in(variable, "name"), json_object_get(variable, "standard_deviation"));
  }
  before = now;
  page_heading(w->p, "What to measure next");
  page_text(w->p,
            "Each measurement is the best beside the data and those above it: by the number of directions that are "
            "determined, then by %s. Intervals become so many times as wide by it. Shares: how all of them should "
            "divide the samples of one. Deviations are standard deviations.",
            strcmp(json_text_in(fit, "criterion"), "A") == 0
                ? "the sum of the variances, in variables divided by their "
                  "scales (A)"
                : "the volume of the confidence region (D)");
  page_table_open(w->p, 10, heading);
  json_array_foreach(all, i, one) {
    text_stream falls;
    page_row(w->p);
    page_cell(w->p, json_text_in(one, "name"));
    page_cell(w->p, json_text_in(one, "of"));
    page_cell(w->p, json_text_in(one, "case"));
    page_cell_number(w->p, json_number_in(one, "samples"), 4, NULL);
    page_cell_number(w->p, json_number_in(one, "sigma"), 3, NULL);
    page_cell(w->p, json_text_in(one, "unit"));
    page_cell_number(w->p, json_number_in(one, "determined"), 6, NULL);
    page_cell_number(w->p, json_number_in(one, "width"), 3, NULL);
    page_cell_number(w->p, json_number_in(one, "share"), 2, NULL);
    FILE *out = text_begin(&falls);
    if (out) { write_falls(out, fit, before, json_object_get(one, "standard_deviations")); }
    page_cell_owned(w->p, text_end(&falls));
    before = json_object_get(one, "standard_deviations");
  }
  page_table_close(w->p);
  json_decref(now);
}

/* The table of measurements with their residuals. */
static void measurements(const run_parts *w, const json_t *fit) {
  static const page_column column[] = {
      {"measurement", "name", PAGE_WORDS, NULL}, {"of", "of", PAGE_WORDS, NULL},
      {"case", "case", PAGE_WORDS, NULL},        {"samples", "samples", PAGE_DIGITS, NULL},
      {"rms residual", "rms", 4, NULL},          {"unit", "unit", PAGE_WORDS, NULL},
      {"in sigma", "in_sigma", 3, NULL},         {"likeness of neighbours", "correlation_of_neighbours", 2, NULL},
      {"", "remark", PAGE_WORDS, NULL}};
  size_t i;
  json_t *one, *all = json_deep_copy(json_object_get(fit, "measurements"));
  json_array_foreach(all, i, one) {
    /* The rms residual in units of sigma. That of a measurement that the fit does not use is a prediction error. */
    json_object_set_new(one, "in_sigma", json_number(sqrt(json_number_in(one, "mean_square_in_sigma"))));
    json_object_set_new(
        one, "remark",
        json_string(json_is_true(json_object_get(one, "hold_out")) ? "held out: its prediction error" : ""));
  }
  /* The table, and what its last number means. */
  page_heading(w->p, "Measurements");
  page_table(w->p, 9, column, all);
  json_decref(all);
  page_text(w->p,
            "Likeness of neighbours: the correlation of a residual with the next one in time. That of noise is near 0; "
            "near 1, the model misses something that the measurement shows.");
}

/* What the noise is, and what makes the intervals doubtful. */
static void noise(const run_parts *w, const json_t *fit) {
  const int given = strcmp(json_text_in(fit, "noise"), "given") == 0;
  page_text(w->p,
            "%.6g samples determine %.6g variables. Intervals hold with a probability of %.6g %%, for a model that is "
            "right and linear within them.",
            json_number_in(fit, "samples"), json_number_in(fit, "estimated"), 100 * json_number_in(fit, "confidence"));
  /* The noise: given by sigma, which residuals may contradict, or estimated from the residuals. */
  if (given) {
    page_text(w->p, "The noise is what sigma says; residuals are %.3g of it.", json_number_in(fit, "scatter_in_sigma"));
    if (json_is_true(json_object_get(fit, "sigma_contradicted"))) {
      page_note(w->p,
                "Such residuals contradict sigma: it is too small, there are outliers, or the model is wrong. The "
                "intervals are too narrow.");
    }
  } else {
    page_text(w->p, "The noise is estimated from the residuals: %.3g sigma.", json_number_in(fit, "noise_in_sigma"));
  }
  /* Assumptions of the intervals that may not hold: independent residuals, and a negligible error of the time step. */
  if (json_is_true(json_object_get(fit, "residuals_alike"))) {
    page_note(
        w->p,
        "Residuals of neighbouring samples are alike (table of measurements): the model lacks something that they "
        "show, or their noise is no independent one. Estimates may be wrong by much more than the intervals say.");
  }
  if (json_is_true(json_object_get(fit, "step_too_long"))) {
    page_note(w->p,
              "The time step is too long for these data: half of it changes an estimate by %.2g standard deviations.",
              json_number_in(fit, "step_error_in_deviations"));
  }
}

mbd_status fit_page_parts(const run_parts *w, const json_t *fit, mbd_error *err) {
  noise(w, fit);
  estimates(w, fit);
  MBD_TRY(run_figures_precision(&w->f, err));
  correlations(w, fit);
  directions(w, fit);
  next_measurements(w, fit);
  measurements(w, fit);
  page_figures_open(w->p);
  MBD_TRY(run_figures_measurements(&w->f, err));
  page_figures_close(w->p);
  return MBD_OK;
}
