#include "results/fit_results.h"

#include <math.h>

#include "files/atomic_file.h"
#include "files/csv.h"
#include "files/json.h"
#include "results/results.h"

static json_t *variables(const fit *f) {
  json_t *list = json_array();
  for (int i = 0; i < f->n; i++) {
    json_array_append_new(
        list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "name", f->m->name[i], "estimate",
                        json_number(f->x[i]), "standard_deviation", json_number(f->bound[i] ? NAN : f->deviation[i]),
                        "lower", json_number(f->lower[i]), "upper", json_number(f->upper[i]), "determined",
                        fit_determines(f, i), "at_bound", f->bound[i] ? json_string(f->bound[i]) : json_null(),
                        "change_at_half_step", json_number(isnan(f->step_error) ? NAN : f->step_shift[i])));
  }
  return list;
}

/* Deviations of the variables by their names. */
static json_t *deviations(const fit *f, const double *deviation) {
  json_t *all = json_object();
  for (int i = 0; i < f->n; i++) { json_object_set_new(all, f->m->name[i], json_number(deviation[i])); }
  return all;
}

static json_t *next_measurements(const fit *f) {
  json_t *list = json_array();
  for (int i = 0; i < f->nnext; i++) {
    const fit_next *k = &f->next[i];
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:i, s:o, s:o, s:o}", "name", k->name, "case", k->in_case,
                        "of", k->of, "unit", k->unit, "hold_out", k->held_out, "sigma", json_number(k->sigma),
                        "samples", json_number(k->samples), "determined", k->determined, "width", json_number(k->width),
                        "share", json_number(k->share), "standard_deviations", deviations(f, k->deviation)));
  }
  return list;
}

static json_t *direction(const fit *f, const fit_direction *d) {
  json_t *seen = json_object(), *outputs = json_array();
  for (int k = 0; k < f->nseries; k++) {
    json_object_set_new(seen, f->series[k].config->name, json_number(sqrt(d->seen[k])));
  }
  for (int k = 0; k < d->ninformative; k++) {
    const fit_informative_output *o = &d->informative_output[k];
    json_array_append_new(outputs, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:i, s:o}", "case", o->in_case, "output",
                                             o->output, "unit", o->unit, "change", json_number(o->change), "relative",
                                             json_number(o->part), "sigma", json_number(o->sigma), "samples",
                                             o->samples, "standard_deviations", deviations(f, o->deviation)));
  }
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "singular_value", json_number(d->singular), "standard_deviation",
                   json_number(d->deviation), "direction", results_design(f->m, d->part), "seen_by", seen, "would_show",
                   outputs);
}

static json_t *measurements(const fit *f) {
  json_t *list = json_array();
  for (int k = 0; k < f->nseries; k++) {
    const fit_series *s = &f->series[k];
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:s, s:b, s:i, s:o, s:o, s:o, s:o, s:b}", "name", s->config->name, "case",
                        s->in_case->config->name, "of", s->config->of, "unit", s->unit, "hold_out", s->config->hold_out,
                        "samples", s->samples->n, "sigma", json_number(s->samples->sigma), "rms", json_number(s->rms),
                        "mean_square_in_sigma", json_number(s->reduced), "correlation_of_neighbours",
                        json_number(s->neighbours), "residuals_alike", s->alike));
  }
  return list;
}

json_t *fit_results_json(const fit *f) {
  json_t *correlation = json_array(), *directions = json_array();
  for (int i = 0; i < f->n; i++) { json_array_append_new(correlation, json_numbers(f->correlation + i * f->n, f->n)); }
  for (int k = 0; k < f->ndirection; k++) { json_array_append_new(directions, direction(f, &f->direction[k])); }
  return json_pack("{s:o, s:s, s:o, s:b, s:b, s:o, s:b, s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:s, s:o}",
                   "confidence", json_number(f->level), "noise", f->noise_given ? "given" : "estimated",
                   "noise_in_sigma", json_number(f->noise), "sigma_contradicted", f->contradicted, "residuals_alike",
                   f->alike > 0, "step_error_in_deviations", json_number(f->step_error), "step_too_long",
                   f->step_error > FIT_STEP_ERROR, "scatter_in_sigma", json_number(f->scatter), "samples", f->samples,
                   "estimated", f->estimated, "not_determined", f->blind, "variables", variables(f), "correlation",
                   correlation, "directions", directions, "measurements", measurements(f), "criterion",
                   f->m->config->fit.criterion, "next", next_measurements(f));
}

mbd_status fit_results_write(const char *folder, const fit *f, mbd_error *err) {
  atomic_file a;
  MBD_TRY(atomic_open_in(folder, FIT_RESIDUALS, &a, err));
  fputs("measurement,t [s],measured,model,residual_in_sigma,standard_deviation,band\n", a.out);
  for (int k = 0; k < f->nseries; k++) {
    const fit_series *s = &f->series[k];
    for (int i = 0; i < s->samples->n; i++) {
      csv_put_first(a.out, s->config->name);
      csv_put_number(a.out, s->samples->time[i]);
      csv_put_number(a.out, s->samples->value[i]);
      csv_put_number(a.out, s->y[i]);
      csv_put_number(a.out, (s->y[i] - s->samples->value[i]) / s->samples->sigma);
      csv_put_number(a.out, s->deviation[i]);
      csv_put_number(a.out, fit_band(f, s, i));
      fputc('\n', a.out);
    }
  }
  return atomic_commit(&a, err);
}
