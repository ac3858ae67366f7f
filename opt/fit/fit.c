#include "fit/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/plural.h"
#include "fit/assumptions.h"
#include "fit/informative_outputs.h"
#include "fit/next_measurements.h"
#include "fit/student.h"
#include "mechanism/svd.h"
#include "files/memory.h"

static const double blind = 1e-9; /* part of the largest singular value; smaller singular values consist of rounding */

/* Checks that the objective is a sum of residuals of measurements alone, in variables without catalogues and without constraints. */
mbd_status fit_check(const mbo_run_config *c, mbd_error *err) {
  /* Residuals: at least one series is fitted, and nothing else is minimized. */
  int counted = 0;
  for (int i = 0; i < c->nmeasurement; i++) { counted += !c->measurement[i].hold_out; }
  if (counted == 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: mbopt fit needs a [measurement NAME] that is not held out", c->path);
  }
  for (int i = 0; i < c->nobjective; i++) {
    if (!c->objective[i].measured) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s: [objective %s] is no measurement: mbopt fit says how far measured series determine the variables, "
               "expected [measurement NAME] alone",
               c->path, c->objective[i].name);
    }
  }
  /* The statistics take bounds into account, but no constraints, and need the sum of all residuals. */
  if (c->nconstraint) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [constraint %s]: intervals of mbopt fit take bounds of variables into account, but no constraints",
             c->path, c->constraint[0].name);
  }
  if (strcmp(c->objectives.combine, "sum") != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [objectives] combine = %s: mbopt fit needs the sum of all residuals", c->path,
             c->objectives.combine);
  }
  /* Variables: continuous ones, and at least one. */
  for (int i = 0; i < c->ndesign; i++) {
    if (c->design[i].values.n > 0) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s: [design %s] values: what is chosen from a catalogue is not estimated, so that it has no interval",
               c->path, c->design[i].name);
    }
  }
  if (c->ndesign == 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: no [design NAME]; there is nothing to fit", c->path); }
  return MBD_OK;
}

/* ---- memory ---- */

static double *numbers(size_t n) {
  return mbd_zeros(n, sizeof(double));
}

void fit_destroy(fit *f) {
  if (!f) { return; }
  for (int i = 0; f->series && i < f->nseries; i++) {
    free(f->series[i].y), free(f->series[i].J), free(f->series[i].deviation);
  }
  for (int k = 0; f->direction && k < f->n; k++) {
    for (int i = 0; i < f->direction[k].ninformative; i++) { free(f->direction[k].informative_output[i].deviation); }
    free(f->direction[k].part), free(f->direction[k].seen);
  }
  for (int i = 0; i < f->nnext; i++) { free(f->next[i].deviation); }
  free(f->x), free(f->deviation), free(f->lower), free(f->upper), free(f->bound), free(f->correlation);
  free(f->step_shift);
  free(f->series), free(f->direction), free(f->next), free(f);
}

static mbd_status allocate(fit *f, mbd_error *err) {
  const size_t n = (size_t)f->n;
  const long lost = mbd_memory_lost();
  f->x = numbers(n), f->deviation = numbers(n), f->lower = numbers(n), f->upper = numbers(n);
  f->correlation = numbers(n * n), f->step_shift = numbers(n);
  f->bound = mbd_zeros(n, sizeof *f->bound);
  f->series = mbd_zeros((size_t)f->nseries, sizeof *f->series);
  f->direction = mbd_zeros(n, sizeof *f->direction);
  for (size_t k = 0; f->direction && k < n; k++) {
    f->direction[k].part = numbers(n), f->direction[k].seen = numbers((size_t)f->nseries);
  }
  return MEMORY_SINCE(lost, err, "the statistics of the fit");
}

/* ---- residuals ---- */

/* Copies the residuals of psi k of a case, with their derivatives. */
static mbd_status take_series(fit *f, const mechanism_case *load, int k, mbd_error *err) {
  const mechanism *m = f->m;
  fit_series *s = &f->series[f->nseries++];
  const mbd_samples *v = s->samples = mbd_sim_measured(load->sim, k, NULL, NULL);
  const size_t n = (size_t)v->n;
  /* The series and its memory; the unit is that of the output of its term. */
  *s = (fit_series){.config = m->config->objective[load->quantity[k]].measured,
                    .in_case = load,
                    .unit = mbd_outputs_unit(load->outputs, load->term[0].output),
                    .samples = v,
                    .y = numbers(n),
                    .J = numbers(n * (size_t)f->n),
                    .deviation = numbers(n)};
  for (int i = 0; i < load->nterm; i++) {
    if (load->term[i].psi == k) { s->unit = mbd_outputs_unit(load->outputs, load->term[i].output); }
  }
  MEMORY_TRY(s->y && s->J && s->deviation, err, "the statistics of the fit");
  /* The outputs of the model and their derivatives, then residuals r = (y - v)/sigma and dr by scaled variables. */
  mbd_sim_measured(load->sim, k, s->y, s->J);
  for (int i = 0; i < v->n; i++) {
    const double r = (s->y[i] - v->value[i]) / v->sigma;
    s->reduced += r * r / v->n;
    for (int j = 0; j < f->n; j++) { s->J[i * f->n + j] *= m->scale[j] / v->sigma; }
  }
  s->rms = sqrt(s->reduced) * v->sigma;
  return MBD_OK;
}

/* ---- noise ---- */

static int sigmas_given(const fit *f) {
  int all = 1;
  for (int i = 0; i < f->nseries; i++) { all &= f->series[i].config->hold_out || !isnan(f->series[i].config->sigma); }
  return all;
}

/* Sums over the samples that are not held out, psi = rho'/2. */
typedef struct residual_sums {
  double squares, psi2; /* of r^2, psi^2 */
  double bend, bend2;   /* of psi', psi'^2 */
  int lossy;            /* 1: some have a loss other than squares */
} residual_sums;

static residual_sums add_up(const fit *f) {
  residual_sums sum = {.lossy = 0};
  for (int k = 0; k < f->nseries; k++) {
    const fit_series *s = &f->series[k];
    if (s->config->hold_out) { continue; }
    sum.lossy |= s->samples->loss != 0;
    for (int i = 0; i < s->samples->n; i++) {
      const double r = (s->y[i] - s->samples->value[i]) / s->samples->sigma;
      double slopes[2];
      mbd_loss(s->samples, r, slopes);
      sum.squares += r * r, sum.psi2 += slopes[0] * slopes[0] / 4;
      sum.bend += slopes[1] / 2, sum.bend2 += slopes[1] * slopes[1] / 4;
    }
  }
  return sum;
}

static mbd_status find_noise(fit *f, mbd_error *err) {
  /* Is the noise given, or is it estimated from the residuals? */
  const char *said = f->m->config->fit.noise;
  const residual_sums sum = add_up(f);
  f->noise_given = strcmp(said, "given") == 0 || (strcmp(said, "auto") == 0 && sigmas_given(f) && !sum.lossy);
  f->scatter = f->freedom > 0 ? sqrt(sum.squares / f->freedom) : NAN;
  f->noise = f->few = 1;
  /* the deviation of the scatter is 1/sqrt(2 freedom) */
  f->contradicted = f->noise_given && f->scatter > 1 + 4 / sqrt(2.0 * f->freedom);
  if (f->noise_given) { return MBD_OK; }
  if (f->freedom <= 0) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "%s: %d sample%s for %d variable%s leave%s nothing to estimate the noise from: more samples, or a sigma in "
        "every [measurement] with [fit] noise = given",
        f->m->config->path, f->samples, plural(f->samples), f->estimated, plural(f->estimated),
        f->samples == 1 ? "s" : "");
  }
  /* The estimate of Huber with his factor for few samples, theory.md §6 (6.8). */
  const double mean = sum.bend / f->samples, variance = sum.bend2 / f->samples - mean * mean;
  if (sum.lossy && !(mean > 0)) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "%s: most residuals are outliers to their loss: the fit has no statistics",
             f->m->config->path);
  }
  f->noise = sqrt(sum.psi2 / f->freedom) / mean;
  f->few = 1 + fmax(0, variance) / (mean * mean) * f->estimated / f->samples;
  return MBD_OK;
}

/* ---- directions ---- */

/* The variables that are not at a bound: their numbers, which the caller frees. */
static int *estimated(fit *f) {
  int *free_one = calloc((size_t)f->n + 1, sizeof *free_one);
  for (int j = 0; free_one && j < f->n; j++) {
    f->bound[j] = design_at_bound(&f->m->design, j, f->x[j]);
    if (!f->bound[j]) { free_one[f->estimated++] = j; }
  }
  return free_one;
}

/* The rows of all samples that count, of the variables listed; at least as many as these. */
static double *stack(const fit *f, const int *variable) {
  const int n = f->estimated, rows = f->samples > n ? f->samples : n;
  double *A = numbers((size_t)rows * (size_t)n), *row = A;
  for (int k = 0; A && k < f->nseries; k++) {
    const fit_series *s = &f->series[k];
    for (int i = 0; !s->config->hold_out && i < s->samples->n; i++, row += n) {
      for (int j = 0; j < n; j++) { row[j] = s->J[i * f->n + variable[j]]; }
    }
  }
  return A;
}

/* The part of each series in s_k^2, by |J v_k|^2; zero for a direction that no series determines. */
static void find_witnesses(const fit *f, fit_direction *d) {
  for (int k = 0; k < f->nseries; k++) {
    const fit_series *s = &f->series[k];
    d->seen[k] = 0;
    for (int i = 0; i < s->samples->n; i++) {
      double sum = 0;
      for (int j = 0; j < f->n; j++) { sum += s->J[i * f->n + j] * d->part[j]; }
      d->seen[k] += sum * sum;
    }
  }
}

/* The singular values and directions of the weighted Jacobian, A = U S V', the worst determined direction first: its deviation is 1/s of the
 * noise, INFINITY where s is rounding beside the largest, and the samples that see it. */
static mbd_status find_directions(fit *f, const int *variable, mbd_error *err) {
  const int n = f->estimated;
  double *A = stack(f, variable), *s = numbers((size_t)n), *V = numbers((size_t)(n * n));
  if (!A || !s || !V) {
    free(A), free(s), free(V);
    return MEMORY_NONE(err, "the statistics of the fit");
  }
  /* Singular values and right singular vectors, from the triangle that has the same A'A. */
  svd_triangle(f->samples > n ? f->samples : n, n, A);
  svd_jacobi(n, A, s, V);
  f->ndirection = n;
  /* Each direction: its vector in all variables, its deviation, and the series that determine it. */
  for (int k = 0; k < n; k++) {
    fit_direction *d = &f->direction[k];
    const int from = n - 1 - k; /* worst first */
    d->singular = s[from];
    for (int j = 0; j < n; j++) { d->part[variable[j]] = V[from * n + j]; }
    const int seen = s[from] > blind * s[0];
    d->deviation = seen ? 1 / s[from] : INFINITY; /* to be multiplied by the noise, which is computed later */
    f->blind += !seen;
    find_witnesses(f, d);
  }
  free(A), free(s), free(V);
  return MBD_OK;
}

/* ---- covariances and intervals ---- */

/* The sum over the directions of (a . v)(b . v) times their variances; a, b [n] in variables divided by their scales. INFINITY: a direction
 * that the data do not determine has a part in both. */
static double covariance(const fit *f, const double *a, const double *b) {
  static const double nothing = 1e-7; /* smaller parts of a unit vector are rounding */
  double sum = 0;
  for (int k = 0; k < f->ndirection; k++) {
    const fit_direction *d = &f->direction[k];
    double av = 0, bv = 0, aa = 0, bb = 0;
    for (int j = 0; j < f->n; j++) {
      av += a[j] * d->part[j], bv += b[j] * d->part[j], aa += a[j] * a[j], bb += b[j] * b[j];
    }
    if (isinf(d->deviation)) {
      if (fabs(av) > nothing * sqrt(aa) && fabs(bv) > nothing * sqrt(bb)) { return INFINITY; }
      continue;
    }
    sum += av * bv * d->deviation * d->deviation;
  }
  return sum;
}

/* Standard deviations, correlations and intervals of the variables: x +- quantile times the deviation, cut at the bounds; of a variable at its
 * bound the interval is the bound. */
static mbd_status find_intervals(fit *f, mbd_error *err) {
  const mechanism *m = f->m;
  const int n = f->n;
  double *unit = numbers(2 * (size_t)n), *other = unit ? unit + n : NULL;
  MEMORY_TRY(unit, err, "the statistics of the fit");
  /* Covariances from unit vectors, theory.md §6 (6.7), and intervals from the deviations. */
  for (int i = 0; i < n; i++) {
    unit[i] = 1;
    f->deviation[i] = m->scale[i] * sqrt(covariance(f, unit, unit));
    for (int j = 0; j < n; j++) {
      other[j] = 1;
      const double c = m->scale[i] * m->scale[j] * covariance(f, unit, other);
      f->correlation[i * n + j] = c; /* divided below */
      other[j] = 0;
    }
    unit[i] = 0;
    const double way = f->bound[i] ? 0 : f->quantile * f->deviation[i];
    f->lower[i] = fmax(f->x[i] - way, m->lower[i]), f->upper[i] = fmin(f->x[i] + way, m->upper[i]);
  }
  /* Correlations, where the deviations of both variables are finite and not zero. */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const double both = f->deviation[i] * f->deviation[j];
      f->correlation[i * n + j] = both > 0 && isfinite(both) ? f->correlation[i * n + j] / both : NAN;
    }
  }
  free(unit);
  return MBD_OK;
}

static void find_deviations(const fit *f) {
  for (int k = 0; k < f->nseries; k++) {
    const fit_series *s = &f->series[k];
    for (int i = 0; i < s->samples->n; i++) {
      const double *row = s->J + i * f->n;
      s->deviation[i] = s->samples->sigma * sqrt(covariance(f, row, row));
    }
  }
}

static mbd_status evaluate(fit *f, const int *variable, mbd_error *err) {
  f->freedom = f->samples - f->estimated;
  MBD_TRY(find_noise(f, err));
  f->level = f->m->config->fit.confidence;
  f->quantile = student_quantile(f->level, f->noise_given ? (double)INFINITY : (double)f->freedom);
  MBD_TRY(find_directions(f, variable, err));
  for (int k = 0; k < f->ndirection; k++) {
    f->direction[k].deviation *= f->few * f->noise;
    f->uncertain += isfinite(f->direction[k].deviation) && f->direction[k].deviation > 1;
  }
  MBD_TRY(find_intervals(f, err));
  find_deviations(f);
  assumptions_neighbours(f);
  return assumptions_step(f, err);
}

int fit_determines(const fit *f, int i) {
  return f->deviation[i] <= f->m->scale[i];
}

double fit_band(const fit *f, const fit_series *s, int i) {
  return f->quantile * hypot(s->deviation[i], f->noise * s->samples->sigma);
}

static mbd_status make(fit *f, mechanism *m, mbd_error *err) {
  MBD_TRY(mechanism_evaluate(m, f->x, "direct", err));
  f->nseries = 0;
  for (int i = 0; i < m->ncase; i++) {
    for (int k = 0; k < m->cases[i].nobjective; k++) { MBD_TRY(take_series(f, &m->cases[i], k, err)); }
  }
  for (int k = 0; k < f->nseries; k++) { f->samples += f->series[k].config->hold_out ? 0 : f->series[k].samples->n; }
  int *variable = estimated(f);
  MEMORY_TRY(variable, err, "the statistics of the fit");
  const mbd_status status = evaluate(f, variable, err);
  free(variable);
  MBD_TRY(status);
  if (f->blind + f->uncertain > 0) { MBD_TRY(informative_outputs_find(m, f->blind + f->uncertain, f->direction, err)); }
  return next_measurements_find(f, m, err);
}

mbd_status fit_create(mechanism *m, const double *x, fit **out, mbd_error *err) {
  fit *f = calloc(1, sizeof *f);
  *out = NULL;
  MEMORY_TRY(f, err, "the statistics of the fit");
  f->m = m, f->n = m->n, f->nseries = m->nobjective;
  mbd_status status = allocate(f, err);
  if (status == MBD_OK) {
    memcpy(f->x, x, (size_t)f->n * sizeof *x);
    status = make(f, m, err);
  }
  if (status != MBD_OK) {
    fit_destroy(f);
    return status;
  }
  *out = f;
  return MBD_OK;
}
