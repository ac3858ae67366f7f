/* Results of a fit to measurements, by name. */
#include "mbo/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/run.h"
#include "files/memory.h"
#include "fit/fit.h"

struct mbo_fit {
  fit *is;
  double **samples;                           /* [nseries] of mbo_fit_samples */
  double **seen;                              /* [ndirection][nseries] */
  mbo_informative_output *informative_output; /* [ndirection][FIT_INFORMATIVE_OUTPUTS] */
  mbo_next_measurement *next;                 /* [nnext] */
};

/* ---- creation and destruction ---- */

/* The samples of a series as one table; NULL: no memory. */
static double *table_of(const fit *numbers, const fit_series *s) {
  double *table = mbd_zeros((size_t)s->samples->n * MBO_FIT_COLUMNS, sizeof *table), *row = table;
  for (int i = 0; table && i < s->samples->n; i++, row += MBO_FIT_COLUMNS) {
    row[MBO_FIT_TIME] = s->samples->time[i], row[MBO_FIT_MEASURED] = s->samples->value[i];
    row[MBO_FIT_MODEL] = s->y[i], row[MBO_FIT_RESIDUAL] = (s->y[i] - s->samples->value[i]) / s->samples->sigma;
    row[MBO_FIT_DEVIATION] = s->deviation[i], row[MBO_FIT_BAND] = fit_band(numbers, s, i);
  }
  return table;
}

/* Copies the results of the fit into the tables that the functions return. */
static void fill(mbo_fit *f) {
  const fit *is = f->is;
  f->samples = mbd_zeros((size_t)is->nseries, sizeof *f->samples);
  f->seen = mbd_zeros((size_t)is->ndirection, sizeof *f->seen);
  f->informative_output = mbd_zeros((size_t)is->ndirection * FIT_INFORMATIVE_OUTPUTS, sizeof *f->informative_output);
  f->next = mbd_zeros((size_t)is->nnext, sizeof *f->next);
  if (!f->samples || !f->seen || !f->informative_output || !f->next) { return; }
  /* The samples of each series as one table. */
  for (int k = 0; k < is->nseries; k++) { f->samples[k] = table_of(is, &is->series[k]); }
  /* Of each direction: the sensitivities of the series, roots of the parts in s_k^2, and the outputs that would
   * determine it. */
  for (int k = 0; k < is->ndirection; k++) {
    const fit_direction *d = &is->direction[k];
    f->seen[k] = mbd_zeros((size_t)is->nseries, sizeof **f->seen);
    for (int i = 0; f->seen[k] && i < is->nseries; i++) { f->seen[k][i] = sqrt(d->seen[i]); }
    for (int i = 0; i < d->ninformative; i++) {
      const fit_informative_output *informative_output = &d->informative_output[i];
      f->informative_output[k * FIT_INFORMATIVE_OUTPUTS + i] =
          (mbo_informative_output){informative_output->in_case, informative_output->output,   informative_output->unit,
                                   informative_output->change,  informative_output->part,     informative_output->sigma,
                                   informative_output->samples, informative_output->deviation};
    }
  }
  for (int i = 0; i < is->nnext; i++) {
    const fit_next *k = &is->next[i];
    f->next[i] = (mbo_next_measurement){.name = k->name,
                                        .of = k->of,
                                        .in_case = k->in_case,
                                        .unit = k->unit,
                                        .held_out = k->held_out,
                                        .determined = k->determined,
                                        .sigma = k->sigma,
                                        .samples = k->samples,
                                        .width = k->width,
                                        .share = k->share,
                                        .deviation = k->deviation};
  }
}

mbd_status mbo_run_fits(const mbo_run *r, mbd_error *err) {
  return fit_check(r->config, err);
}

mbd_status mbo_run_fit(mbo_run *r, const double *x, mbo_fit **out, mbd_error *err) {
  const long lost = mbd_memory_lost();
  *out = NULL;
  MBD_TRY(fit_check(r->config, err));
  mbo_fit *f = mbd_zeros(1, sizeof *f);
  MEMORY_TRY(f, err, "the statistics of the fit of %s", r->path);
  mbd_status status = fit_create(r->m, run_begin(r, x), &f->is, err);
  if (status == MBD_OK) {
    fill(f);
    status = MEMORY_SINCE(lost, err, "the statistics of the fit of %s", r->path);
  }
  if (status != MBD_OK) {
    mbo_fit_free(f);
    return status;
  }
  *out = f;
  return MBD_OK;
}

/* ---- residuals ---- */

/* The samples of quantity k of a case; NULL: it is no measurement that is fitted. */
static const mbd_samples *fitted(const mbo_run *r, const mechanism_case *load, int k) {
  const mbo_measurement_config *of = r->config->objective[load->quantity[k]].measured;
  return of && !of->hold_out ? mbd_sim_measured(load->sim, k, NULL, NULL) : NULL;
}

int mbo_run_residual_count(const mbo_run *r) {
  int count = 0;
  if (fit_check(r->config, NULL) != MBD_OK) { return 0; }
  for (int i = 0; i < r->m->ncase; i++) {
    for (int k = 0; k < r->m->cases[i].nobjective; k++) {
      const mbd_samples *samples = fitted(r, &r->m->cases[i], k);
      count += samples ? samples->n : 0;
    }
  }
  return count;
}

mbd_status mbo_run_residuals(mbo_run *r, const double *x, double *residual, double *jac, mbd_error *err) {
  const int n = r->m->n;
  MBD_TRY(fit_check(r->config, err));
  MBD_TRY(mechanism_evaluate(r->m, run_begin(r, x), jac ? "direct" : "none", err));
  for (int c = 0; c < r->m->ncase; c++) {
    const mechanism_case *load = &r->m->cases[c];
    for (int k = 0; k < load->nobjective; k++) {
      const mbd_samples *samples = fitted(r, load, k);
      if (!samples) { continue; }
      /* Outputs at the samples and their derivatives, then r = (y - v)/sigma and dr. */
      mbd_sim_measured(load->sim, k, residual, jac);
      for (int i = 0; i < samples->n; i++) {
        *residual = (*residual - samples->value[i]) / samples->sigma;
        residual++;
        for (int j = 0; jac && j < n; j++, jac++) { *jac /= samples->sigma; }
      }
    }
  }
  return MBD_OK;
}

void mbo_fit_free(mbo_fit *f) {
  if (!f) { return; }
  for (int k = 0; f->samples && k < f->is->nseries; k++) { free(f->samples[k]); }
  for (int k = 0; f->seen && k < f->is->ndirection; k++) { free(f->seen[k]); }
  free(f->samples), free(f->seen), free(f->informative_output), free(f->next);
  fit_destroy(f->is);
  free(f);
}

/* ---- numbers by name ---- */

typedef struct named_number {
  const char *name;
  double value;
} named_number;

static double number_of(const char *name, size_t n, const named_number *list) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(list[i].name, name) == 0) { return list[i].value; }
  }
  return NAN;
}

double mbo_fit_number(const mbo_fit *f, const char *name) {
  const fit *is = f->is;
  const named_number list[] = {{"confidence", is->level},    {"samples", is->samples},
                               {"estimated", is->estimated}, {"freedom", is->freedom},
                               {"noise", is->noise},         {"noise_given", is->noise_given},
                               {"scatter", is->scatter},     {"contradicted", is->contradicted},
                               {"not_seen", is->blind},      {"weak", is->uncertain},
                               {"alike", is->alike},         {"step_error", is->step_error}};
  return number_of(name, sizeof list / sizeof *list, list);
}

const double *mbo_fit_array(const mbo_fit *f, const char *name) {
  const struct {
    const char *name;
    const double *values;
  } list[] = {{"estimate", f->is->x},  {"deviation", f->is->deviation},     {"lower", f->is->lower},
              {"upper", f->is->upper}, {"correlation", f->is->correlation}, {"step_shift", f->is->step_shift}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    if (strcmp(list[i].name, name) == 0) { return list[i].values; }
  }
  return NULL;
}

const char *mbo_fit_bound(const mbo_fit *f, int i) {
  return i >= 0 && i < f->is->n ? f->is->bound[i] : NULL;
}

int mbo_fit_determines(const mbo_fit *f, int i) {
  return i >= 0 && i < f->is->n && fit_determines(f->is, i);
}

/* ---- directions ---- */

/* Direction k; NULL past the end. */
static const fit_direction *direction_at(const mbo_fit *f, int k) {
  return k >= 0 && k < f->is->ndirection ? &f->is->direction[k] : NULL;
}

int mbo_fit_directions(const mbo_fit *f) {
  return f->is->ndirection;
}

const double *mbo_fit_direction(const mbo_fit *f, int k) {
  const fit_direction *d = direction_at(f, k);
  return d ? d->part : NULL;
}

double mbo_fit_singular(const mbo_fit *f, int k) {
  const fit_direction *d = direction_at(f, k);
  return d ? d->singular : NAN;
}

double mbo_fit_uncertainty(const mbo_fit *f, int k) {
  const fit_direction *d = direction_at(f, k);
  return d ? d->deviation : NAN;
}

const double *mbo_fit_seen(const mbo_fit *f, int k) {
  return direction_at(f, k) ? f->seen[k] : NULL;
}

const mbo_informative_output *mbo_fit_informative_output(const mbo_fit *f, int k, int i) {
  const fit_direction *d = direction_at(f, k);
  return d && i >= 0 && i < d->ninformative ? &f->informative_output[k * FIT_INFORMATIVE_OUTPUTS + i] : NULL;
}

/* ---- what to measure next ---- */

const mbo_next_measurement *mbo_fit_next(const mbo_fit *f, int i) {
  return i >= 0 && i < f->is->nnext ? &f->next[i] : NULL;
}

/* ---- measurements ---- */

/* Series k; NULL past the end. */
static const fit_series *series_at(const mbo_fit *f, int k) {
  return k >= 0 && k < f->is->nseries ? &f->is->series[k] : NULL;
}

int mbo_fit_measurements(const mbo_fit *f) {
  return f->is->nseries;
}

const char *mbo_fit_measurement(const mbo_fit *f, int k, const char *what) {
  const fit_series *s = series_at(f, k);
  if (!s) { return NULL; }
  const char *const list[][2] = {
      {"name", s->config->name}, {"case", s->in_case->config->name}, {"of", s->config->of}, {"unit", s->unit}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    if (strcmp(list[i][0], what) == 0) { return list[i][1]; }
  }
  return NULL;
}

double mbo_fit_measurement_number(const mbo_fit *f, int k, const char *what) {
  const fit_series *s = series_at(f, k);
  if (!s) { return NAN; }
  const named_number list[] = {{"samples", s->samples->n},       {"sigma", s->samples->sigma},  {"rms", s->rms},
                               {"mean_square", s->reduced},      {"neighbours", s->neighbours}, {"alike", s->alike},
                               {"hold_out", s->config->hold_out}};
  return number_of(what, sizeof list / sizeof *list, list);
}

const double *mbo_fit_samples(const mbo_fit *f, int k) {
  return series_at(f, k) ? f->samples[k] : NULL;
}
