#include "fit/assumptions.h"

#include <math.h>
#include <stdlib.h>

#include "files/memory.h"

/* Series whose residuals are smaller beside the variation of their samples were computed, not measured: what is left of them is rounding and
 * the end of the optimization. */
static const double computed = 1e-6;

static int is_measured(const fit_series *s) {
  const mbd_samples *v = s->samples;
  double mean = 0, squares = 0;
  for (int i = 0; i < v->n; i++) { mean += v->value[i] / v->n; }
  for (int i = 0; i < v->n; i++) { squares += (v->value[i] - mean) * (v->value[i] - mean) / v->n; }
  return s->rms > computed * sqrt(squares);
}

/* ---- residuals of neighbouring samples ---- */

/* sum r_k r_(k+1)/sum r_k^2 of n independent residuals has the deviation 1/sqrt(n), and is above 3.7 of these in one of 10000 cases. A
 * correlation c of neighbours that falls off as c^j widens the intervals of what changes slowly by sqrt((1 + c)/(1 - c)); by less than a
 * quarter for c = 0.22. Residuals beyond three times the noise count as three times, or a single outlier would hide the others. */
void assumptions_neighbours(fit *f) {
  static const double sure = 3.7, slight = 0.22, outlier = 3;
  for (int k = 0; k < f->nseries; k++) {
    fit_series *s = &f->series[k];
    const mbd_samples *v = s->samples;
    double products = 0, squares = 0, last = 0;
    for (int i = 0; i < v->n; i++) {
      const double max = outlier * f->noise;
      const double r = fmin(fmax((s->y[i] - v->value[i]) / v->sigma, -max), max);
      products += r * last, squares += r * r, last = r;
    }
    s->neighbours = v->n > 2 && squares > 0 ? products / squares : NAN;
    s->alike = s->neighbours > fmax(slight, sure / sqrt(v->n)) && is_measured(s);
    f->alike += s->alike && !s->config->hold_out;
  }
}

/* ---- the time step ---- */

/* As check_halved.c: Dormand-Prince of order five halves its own steps with 2^-5 of the tolerance. */
static mbd_case at_half_step(mbd_case c) {
  c.step /= 2, c.max_step /= 2;
  c.rtol /= 32, c.atol /= 32;
  return c;
}

/* Adds what the change of the model's values from y to `half` moves the estimates by: of the Gauss-Newton step -(J'J)^-1 J' dr the part
 * along each direction, -(J v_k)' dr/s_k^2 (theory.md §6 (6.9)). */
static void add_shift(fit *f, const fit_series *s, const double *half) {
  for (int k = 0; k < f->ndirection; k++) {
    const fit_direction *d = &f->direction[k];
    double sum = 0;
    if (isinf(d->deviation)) { continue; }
    for (int i = 0; i < s->samples->n; i++) {
      const double change = (half[i] - s->y[i]) / s->samples->sigma;
      for (int j = 0; j < f->n; j++) { sum += s->J[i * f->n + j] * d->part[j] * change; }
    }
    for (int j = 0; j < f->n; j++) {
      f->step_shift[j] -= f->m->scale[j] * d->part[j] * sum / (d->singular * d->singular);
    }
  }
}

/* Simulates a case at half its step and adds the shift by its series, which are those from `first` on. */
static mbd_status add_case(fit *f, const mechanism_case *load, int first, mbd_error *err) {
  const mbd_case c = at_half_step(load->c);
  mbd_sim *half = NULL;
  int max = 0;
  /* Memory for the longest series and for the values of the objectives. */
  for (int k = 0; k < load->nobjective; k++) {
    max = f->series[first + k].samples->n > max ? f->series[first + k].samples->n : max;
  }
  double *y = calloc((size_t)(max + load->npsi) + 1, sizeof *y), *psi = y ? y + max : NULL;
  /* The simulation at half the step, without derivatives. */
  mbd_status status =
      y ? mbd_sim_create(load->v->model, &c, load->outputs, load->nterm, load->term, load->npsi, 0, &half, err)
        : MEMORY_NONE(err, "the statistics of the fit");
  if (status == MBD_OK) {
    mbd_sim_watch(half, 0);
    status = mbd_sim_run(half, load->v->params, 0, NULL, psi, NULL, NULL, NULL, NULL, err);
  }
  /* The shift by each series that is fitted. */
  for (int k = 0; k < load->nobjective && status == MBD_OK; k++) {
    const fit_series *s = &f->series[first + k];
    if (s->config->hold_out) { continue; }
    mbd_sim_measured(half, k, y, NULL);
    add_shift(f, s, y);
  }
  mbd_sim_destroy(half);
  free(y);
  return status;
}

mbd_status assumptions_step(fit *f, mbd_error *err) {
  const mechanism *m = f->m;
  int any = 0, first = 0;
  for (int k = 0; k < f->nseries; k++) { any |= !f->series[k].config->hold_out && is_measured(&f->series[k]); }
  f->step_error = NAN;
  if (!any) { return MBD_OK; }
  /* the estimates at half the steps; where these cannot be simulated, nothing is known */
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *load = &m->cases[i];
    mbd_error why = {0};
    const mbd_status status = load->nobjective ? add_case(f, load, first, &why) : MBD_OK;
    if (status == MBD_NO_MEMORY || status == MBD_INTERRUPTED) {
      if (err) { *err = why; }
      return status;
    }
    if (status != MBD_OK) { return MBD_OK; }
    first += load->nobjective;
  }
  /* the largest shift, in standard deviations */
  f->step_error = 0;
  for (int j = 0; j < f->n; j++) {
    const double shift = fabs(f->step_shift[j]) / f->deviation[j];
    if (f->bound[j] || !isfinite(f->deviation[j]) || !(shift > f->step_error)) { continue; }
    f->step_error = shift, f->step_of = j;
  }
  return MBD_OK;
}
