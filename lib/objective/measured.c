/* Measured series (theory.md §6 (6.6)): the output is read from the history at the samples' own times,
 *   psi = sum_i u(e_i),   e_i = y(tau_i) + offset - value_i,   tau_i = (t_i - delay)/sigma
 *   e_i' = y'(tau_i) + offset' - yd(tau_i) (delay'/sigma + tau_i sigma'/sigma)
 * with sigma the stretch of the time. */
#include <math.h>

#include "objective/histories.h"

static mbd_real coefficient(const mbd_sim *s, int number) {
  return number ? s->p->theta[number - 1] : 0;
}

static mbd_real change(const mbd_sim *s, int number, int a) {
  return number ? s->d[a]->dtheta[number - 1] : 0;
}

/* The residual of sample i, in the unit of the output; of an angle, whose series may jump by whole turns, to the nearest turn.
 * *p: the point of the history at its time tau; *rate: the derivative of the residual by tau. */
static mbd_real residual(const mbd_sim *s, const history_objective *l, int i, history_point *p, mbd_real *rate) {
  const history *h = &s->objectives->histories->h;
  const mbd_samples *samples = l->k->samples;
  const mbd_real tau = (samples->time[i] - coefficient(s, samples->delay)) / s->dilation;
  history_point_at(h, history_cell(h, mbd_re(tau)), tau, p);
  const mbd_real e = history_error(s, l, 0, p, rate) + coefficient(s, samples->offset) - samples->value[i];
  return s->o->item[l->k->output].turn >= 0 ? e - whole_turns(mbd_re(e)) : e;
}

/* Returns its derivatives along all directions, in the scratch sp [np]. */
static const mbd_real *residual_sens(const mbd_sim *s, const history_objective *l, const history_point *p,
                                     mbd_real rate) {
  const mbd_samples *samples = l->k->samples;
  mbd_real *sp = s->objectives->histories->sp;
  history_error_sens(s, l, 0, p);
  for (int a = 0; a < s->np; a++) {
    sp[a] += change(s, samples->offset, a) - rate * (change(s, samples->delay, a) / s->dilation + s->stretch[a] * p->t);
  }
  return sp;
}

/* ---- the form ---- */

/* What the text of a time may exceed the end or precede the start by: a billionth of the duration, where the output is continued. */
static double slack(double duration) {
  return 1e-9 * duration;
}

mbd_status samples_inside(const mbd_sim *s, const history_objective *l, mbd_error *err) {
  const history *h = &s->objectives->histories->h;
  const mbd_samples *samples = l->k->samples;
  const double delay = mbd_same(coefficient(s, samples->delay)), end = h->t[h->rows - 1] * mbd_same(s->dilation);
  const double first = samples->time[0] - delay, last = samples->time[samples->n - 1] - delay;
  if (first >= -slack(end) && last <= end + slack(end)) { return MBD_OK; }
  const double t = first < -slack(end) ? samples->time[0] : samples->time[samples->n - 1];
  MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
           "%s: the sample at %.6g s shows the output at %.6g s with the delay of %.6g s, outside of the case, which "
           "lasts from 0 to %.6g s; 'from' and 'until' leave samples out",
           history_label(l), t, t - delay, delay, end);
}

mbd_status measured_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  const mbd_samples *samples = l->k->samples;
  history_point p;
  mbd_real rate, u_s[2];
  MBD_TRY(samples_inside(s, l, err));
  *psi = 0;
  for (int i = 0; i < samples->n; i++) { *psi += l->form->u(l->k, 1, residual(s, l, i, &p, &rate), u_s); }
  return MBD_OK;
}

void measured_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  const mbd_samples *samples = l->k->samples;
  mbd_real rate, u_s[2];
  for (int i = 0; i < samples->n; i++) {
    window_point row = {.w = 0};
    l->form->u(l->k, 1, residual(s, l, i, &row.at, &rate), u_s);
    sink(s, l, &row, &u_s[0], 0, user);
    l->by_offset += u_s[0];
    l->by_delay -= u_s[0] * rate / s->dilation;
    l->by_stretch -= u_s[0] * rate * row.at.t;
  }
}

void measured_gauss_newton(const mbd_sim *s, const history_objective *l, mbd_real *matrix) {
  const mbd_samples *samples = l->k->samples;
  mbd_real rate, u_s[2];
  history_point p;
  for (int i = 0; i < samples->n; i++) {
    l->form->u(l->k, l->k->weight, residual(s, l, i, &p, &rate), u_s);
    history_add_product(s->np, u_s[1], residual_sens(s, l, &p, rate), matrix);
  }
}

/* ---- delay and offset ---- */

void measured_gradient(const mbd_sim *s, const history_objective *l, mbd_real *grad) {
  const mbd_samples *samples = l->k->samples;
  for (int a = 0; samples && a < s->np; a++) {
    grad[a] +=
        l->k->weight * (l->by_delay * change(s, samples->delay, a) + l->by_offset * change(s, samples->offset, a));
  }
}

static void reverse(params_reverse *theta, int number, mbd_real by) {
  if (number && theta->requested[number - 1]) { theta->theta[number - 1] += by; }
}

void measured_back(const history_objective *l, double share, params_reverse *theta) {
  const mbd_samples *samples = l->k->samples;
  if (!samples) { return; }
  reverse(theta, samples->delay, share * l->k->weight * l->by_delay);
  reverse(theta, samples->offset, share * l->k->weight * l->by_offset);
}

/* ---- checks ---- */

mbd_status samples_check_times(const mbd_sim *s, const char *label, const mbd_samples *samples, mbd_error *err) {
  const double more = slack(s->c.duration), end = s->c.duration + more;
  for (int i = 0; i < samples->n; i++) {
    const double t = samples->time[i];
    if (!isfinite(t)) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: sample %d is at %g s, expected a number", label, i + 1, t); }
    if (!samples->delay && !s->c.free_duration && (t < -more || t > end)) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s: the sample at %g s lies outside of the case, which lasts from 0 to %g s; 'from' and 'until' leave "
               "samples out",
               label, t, s->c.duration);
    }
  }
  return MBD_OK;
}

/* MBD_BAD_INPUT if the times do not increase or, without a delay, lie outside of the case, and if a value is no number. */
static mbd_status check_series(const mbd_sim *s, const char *label, const mbd_samples *samples, mbd_error *err) {
  for (int i = 0; i < samples->n; i++) {
    if (i > 0 && !(samples->time[i] > samples->time[i - 1])) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: times must increase, but %g s follows %g s", label, samples->time[i],
               samples->time[i - 1]);
    }
    if (!isfinite(samples->value[i])) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: sample %d is %g at %g s, expected numbers", label, i + 1, samples->value[i],
               samples->time[i]);
    }
  }
  return samples_check_times(s, label, samples, err);
}

mbd_status measured_check(const mbd_sim *s, const char *label, const mbd_samples *samples, mbd_error *err) {
  if (!samples || samples->n < 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: form measured needs a measured series, which a [measurement NAME] has", label);
  }
  if (!(samples->sigma > 0) || !mbd_loss_at(samples->loss)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: sigma = %g, expected > 0, in the unit of the output", label, samples->sigma);
  }
  if (mbd_loss_at(samples->loss)->width > 0 && !(samples->width > 0)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: loss %s needs a width > 0, in units of sigma", label,
             mbd_loss_name(samples->loss));
  }
  return check_series(s, label, samples, err);
}

/* ---- values and derivatives of the samples ---- */

void measured_samples(const mbd_sim *s, const history_objective *l, double *y, double *yp) {
  history_point p;
  mbd_real rate;
  for (int i = 0; i < l->k->samples->n; i++) {
    const mbd_real e = residual(s, l, i, &p, &rate);
    if (y) { y[i] = l->k->samples->value[i] + sim_of(s, e); }
    const mbd_real *sp = yp ? residual_sens(s, l, &p, rate) : NULL;
    for (int a = 0; yp && a < s->np; a++) { yp[i * s->np + a] = sim_of(s, sp[a]); }
  }
}
