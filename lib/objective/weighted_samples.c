/* The form of a cotangent: outputs at samples of the time, each with a weight of its own, so that its derivative is the product of the weights
 * with the Jacobian of a trajectory (theory.md §6 (6.15)),
 *   psi = sum_i sum_j w_ij y_j(tau_i)
 * Samples at given times have tau_i = t_i/sigma, with sigma the stretch of the time; those at nodes stay at theirs. */
#include "objective/histories.h"

static int count(const mbd_sim *s, const mbd_samples *samples) {
  return samples->time ? samples->n : s->nsteps + 1;
}

/* The point of sample i; without times it is node i. */
static void sample_point(const mbd_sim *s, const mbd_samples *samples, int i, history_point *p) {
  const history *h = &s->objectives->histories->h;
  const mbd_real tau = samples->time ? samples->time[i] / s->dilation : i * s->h;
  if (!samples->time && !quadrature_between_nodes(s)) {
    history_point_of_row(h, i, p);
  } else {
    history_point_at(h, history_cell(h, mbd_re(tau)), tau, p);
  }
}

/* ---- the form ---- */

static const double *weights_of(const history_objective *l, int i) {
  return l->k->samples->value + (size_t)i * (size_t)l->nterm;
}

mbd_status weighted_samples_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  const mbd_samples *samples = l->k->samples;
  history_point p;
  MBD_TRY(samples->time ? samples_inside(s, l, err) : MBD_OK);
  *psi = 0;
  for (int i = 0; i < count(s, samples); i++) {
    const double *w = weights_of(l, i);
    sample_point(s, samples, i, &p);
    for (int j = 0; j < l->nterm; j++) { *psi += w[j] * history_error(s, l, j, &p, NULL); }
  }
  return MBD_OK;
}

void weighted_samples_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  const mbd_samples *samples = l->k->samples;
  mbd_real *by_s = s->objectives->histories->by_s, rate;
  for (int i = 0; i < count(s, samples); i++) {
    const double *w = weights_of(l, i);
    window_point row = {.w = 0};
    sample_point(s, samples, i, &row.at);
    for (int j = 0; j < l->nterm; j++) {
      by_s[j] = w[j];
      if (!samples->time || !s->c.free_duration) { continue; }
      history_error(s, l, j, &row.at, &rate);
      l->by_stretch -= w[j] * rate * row.at.t;
    }
    sink(s, l, &row, by_s, 0, user);
  }
}

/* ---- checks ---- */

mbd_status weighted_samples_check(const mbd_sim *s, const char *label, const mbd_samples *samples, mbd_error *err) {
  if (!samples || !samples->value || (samples->time && samples->n < 1)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: form weighted_samples needs samples with weights, which programs give it", label);
  }
  if (samples->delay || samples->offset) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: weighted samples have no delay and no offset", label);
  }
  return samples->time ? samples_check_times(s, label, samples, err) : MBD_OK;
}

/* ---- values and derivatives of the samples ---- */

void weighted_samples_read(const mbd_sim *s, const history_objective *l, double *y, double *yp) {
  const mbd_samples *samples = l->k->samples;
  const size_t np = (size_t)s->np, n = (size_t)l->nterm;
  mbd_real *sp = s->objectives->histories->sp, rate;
  history_point p;
  for (int i = 0; i < count(s, samples); i++) {
    sample_point(s, samples, i, &p);
    for (size_t j = 0; j < n; j++) {
      const size_t at = (size_t)i * n + j;
      const mbd_real value = history_error(s, l, (int)j, &p, &rate);
      if (y) { y[at] = sim_of(s, value); }
      if (!yp) { continue; }
      history_error_sens(s, l, (int)j, &p);
      for (size_t a = 0; a < np; a++) {
        yp[at * np + a] = sim_of(s, samples->time ? sp[a] - rate * s->stretch[a] * p.t : sp[a]);
      }
    }
  }
}
