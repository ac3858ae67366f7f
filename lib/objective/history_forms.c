/* Values of history objectives from s at the points of their window, whose weights are w_p, and their derivatives by s and w_p. With u = u(s)
 * and n terms:
 *   integral, split  sum_p w_p sum_i u_pi
 *   mean       the same divided by W = sum_p w_p;   root  its square root
 *   peak       sign (top + ln(E/(n W))/sharpness),  E = sum_p w_p sum_i exp(sharpness (u_pi - top))
 *   range      peak of u and peak of -u, added
 *   end, at    sum_i u_i at the end of the window, or at a time
 *   settled    t - from, with t the last time at which sum_i s_i^2 = tolerance^2
 *   measured   measured.c;  samples  weighted_samples.c
 *   quantile   v,  sum_p w_p sum_i c((v - s_pi)/width) = level n W,  c(x) = 1/(1 + exp(-x))
 * Equations: theory.md §6 (6.2). */
#include <math.h>
#include <string.h>

#include "objective/histories.h"

typedef struct history_form {
  mbd_status (*value)(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err);
  void (*slopes)(mbd_sim *s, history_objective *l, window_sink sink, void *user);
} history_form;

/* Sets the scratch s [nterm] to the errors of all terms at a point. */
static void errors(const mbd_sim *s, const history_objective *l, const history_point *point) {
  for (int i = 0; i < l->nterm; i++) { s->objectives->histories->s[i] = history_error(s, l, i, point, NULL); }
}

/* Returns the sum of u over the terms at a point, and sets by_s [nterm] to its derivatives times `scale`. */
static mbd_real all_terms(const mbd_sim *s, const history_objective *l, const history_point *point, mbd_real scale) {
  const sim_histories *histories = s->objectives->histories;
  mbd_real sum = 0, u_s[2];
  errors(s, l, point);
  for (int i = 0; i < l->nterm; i++) {
    sum += l->form->u(l->k, 1, histories->s[i], u_s);
    histories->by_s[i] = scale * u_s[0];
  }
  return sum;
}

/* ---- integrals and means ---- */

static void add_up(const mbd_sim *s, history_objective *l) {
  window_point p;
  l->sum = l->weight = 0;
  for (window_walk w = {0}; window_next(s, l, &w, &p);) {
    l->sum += p.w * all_terms(s, l, &p.at, 0);
    l->weight += p.w;
  }
}

/* Derivatives of psi = factor sum_p w_p (sum_i u_pi - mean) + a constant. */
static void sum_slopes(mbd_sim *s, history_objective *l, mbd_real factor, mbd_real mean, window_sink sink, void *user) {
  const mbd_real *by_s = s->objectives->histories->by_s;
  window_point p;
  for (window_walk w = {0}; window_next(s, l, &w, &p);) {
    const mbd_real u = all_terms(s, l, &p.at, factor * p.w);
    sink(s, l, &p, by_s, factor * (u - mean), user);
  }
}

static mbd_status integral_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  (void)err;
  add_up(s, l);
  *psi = l->sum;
  return MBD_OK;
}

static void integral_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  sum_slopes(s, l, 1, 0, sink, user);
}

static mbd_status mean_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  (void)err;
  add_up(s, l);
  *psi = l->sum / l->weight;
  return MBD_OK;
}

static void mean_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  sum_slopes(s, l, 1 / l->weight, l->sum / l->weight, sink, user);
}

static mbd_status root_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  MBD_TRY(mean_value(s, l, psi, err));
  *psi = mbd_select(mbd_re(*psi) > 0, mbd_sqrt(*psi), 0);
  return MBD_OK;
}

/* The root has no derivative where the mean is zero; its derivatives are taken as zero there. */
static void root_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  const mbd_real mean = l->sum / l->weight;
  if (mbd_if(mbd_re(mean) > 0)) { sum_slopes(s, l, 1 / (2 * mbd_sqrt(mean) * l->weight), mean, sink, user); }
}

/* ---- smooth extrema ---- */

/* The largest value of sign u in the window. */
static mbd_value top_of(const mbd_sim *s, history_objective *l, double sign) {
  const mbd_real *e = s->objectives->histories->s;
  mbd_value top = -INFINITY;
  window_point p;
  for (window_walk w = {0}; window_next(s, l, &w, &p);) {
    errors(s, l, &p.at);
    for (int i = 0; i < l->nterm; i++) {
      mbd_real u_s[2];
      const mbd_value u = sign * mbd_re(l->form->u(l->k, 1, e[i], u_s));
      top = mbd_select(u > top, u, top);
    }
  }
  return top;
}

/* Returns the sum of exp(sharpness (sign u - top)) over the terms, of the errors in the scratch s. by_s += `scale`/sharpness times its
 * derivatives; NULL: they are not wanted. */
static mbd_real exponentials(const mbd_sim *s, const history_objective *l, double sign, mbd_value top, mbd_real scale,
                             mbd_real *by_s) {
  const mbd_real *e = s->objectives->histories->s;
  mbd_real sum = 0, u_s[2];
  for (int i = 0; i < l->nterm; i++) {
    const mbd_real u = l->form->u(l->k, 1, e[i], u_s), part = mbd_exp(l->k->sharpness * (sign * u - top));
    sum += part;
    if (by_s) { by_s[i] += scale * sign * part * u_s[0]; }
  }
  return sum;
}

static mbd_real sum_of_exponentials(const mbd_sim *s, history_objective *l, double sign, mbd_value top) {
  mbd_real sum = 0;
  window_point p;
  l->weight = 0;
  for (window_walk w = {0}; window_next(s, l, &w, &p);) {
    errors(s, l, &p.at);
    sum += p.w * exponentials(s, l, sign, top, 0, NULL);
    l->weight += p.w;
  }
  return sum;
}

static mbd_real extremum(const history_objective *l, mbd_value top, mbd_real sum) {
  return top + mbd_log(sum / (l->weight * l->nterm)) / l->k->sharpness;
}

/* The peak of u. A trough has u = -s and sign = -1. */
static mbd_status peak_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  (void)err;
  l->top = top_of(s, l, 1), l->sum = sum_of_exponentials(s, l, 1, l->top);
  *psi = l->form->sign * extremum(l, l->top, l->sum);
  return MBD_OK;
}

static mbd_status range_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  MBD_TRY(peak_value(s, l, psi, err));
  l->other_top = top_of(s, l, -1), l->other = sum_of_exponentials(s, l, -1, l->other_top);
  *psi += extremum(l, l->other_top, l->other);
  return MBD_OK;
}

static void extremum_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  mbd_real *by_s = s->objectives->histories->by_s;
  const int range = l->form->over == FORM_RANGE;
  const double sign = l->form->sign;
  window_point p;
  for (window_walk w = {0}; window_next(s, l, &w, &p);) {
    memset(by_s, 0, (size_t)l->nterm * sizeof *by_s);
    errors(s, l, &p.at);
    mbd_real by_w = exponentials(s, l, 1, l->top, sign * p.w / l->sum, by_s) / l->sum - 1 / l->weight;
    if (range) { by_w += exponentials(s, l, -1, l->other_top, p.w / l->other, by_s) / l->other - 1 / l->weight; }
    sink(s, l, &p, by_s, sign * by_w / l->k->sharpness, user);
  }
}

/* ---- one time ---- */

/* The point at a moment. It has no weight; its time changes as the moment does. */
static void point_of(const mbd_sim *s, const moment_time *m, window_point *p) {
  const history *h = &s->objectives->histories->h;
  *p = (window_point){.w = 0};
  history_point_at(h, history_cell(h, mbd_re(m->t)), m->t, &p->at);
}

static moment_time *the_moment(history_objective *l) {
  return l->form->over == FORM_AT ? &l->at : &l->until;
}

static mbd_status one_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  window_point p;
  (void)err;
  point_of(s, the_moment(l), &p);
  *psi = all_terms(s, l, &p.at, 0);
  return MBD_OK;
}

static void one_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  window_point p;
  mbd_real u_s[2], rate;
  moment_time *m = the_moment(l);
  point_of(s, m, &p);
  all_terms(s, l, &p.at, 1);
  for (int i = 0; i < l->nterm; i++) {
    const mbd_real e = history_error(s, l, i, &p.at, &rate);
    l->form->u(l->k, 1, e, u_s);
    m->reverse += u_s[0] * rate;
  }
  sink(s, l, &p, s->objectives->histories->by_s, 0, user);
}

/* ---- the settling time ---- */

/* sum_i s_i^2 - tolerance^2 */
static mbd_real outside(const mbd_sim *s, const history_objective *l, const history_point *point, mbd_real *rate) {
  mbd_real sum = -l->k->tolerance * l->k->tolerance, slope;
  *rate = 0;
  for (int i = 0; i < l->nterm; i++) {
    const mbd_real e = history_error(s, l, i, point, &slope);
    sum += e * e, *rate += 2 * e * slope;
  }
  return sum;
}

static double outside_at(const mbd_sim *s, const history_objective *l, int cell, double t) {
  history_point point;
  mbd_real rate;
  history_point_at(&s->objectives->histories->h, cell, t, &point);
  return mbd_same(outside(s, l, &point, &rate));
}

/* Searches the cells of the window from the last one on for the last cell that begins outside of the tolerance. */
static mbd_status settled_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  const history *h = &s->objectives->histories->h;
  const double begin = mbd_same(l->from.t), end = mbd_same(l->until.t);
  const int first = history_cell(h, begin);
  int cell = history_cell(h, end);
  double right = end;
  /* An output that is within the tolerance in the whole window has the value zero. */
  l->settled = (moment_time){.slot = -1, .t = l->from.t};
  *psi = 0;
  /* An output that ends outside of the tolerance has no settling time. */
  if (outside_at(s, l, cell, end) > 0) {
    const output *o = &s->o->item[s->objectives->histories->slot_output[l->slot]];
    MBD_FAIL(
        err, MBD_OUT_OF_DOMAIN,
        "%s: '%s' has not settled: at t = %.6g s, where the window ends, it is still more than %g%s%s off its target; "
        "a longer duration, a larger tolerance, or a later until",
        history_label(l), o->name, end, l->k->tolerance, *o->unit ? " " : "", o->unit);
  }
  /* Between the last cell boundary outside of the tolerance and the next one, sum_i s_i^2 - tolerance^2 has its zero t.
   * psi = sigma (t - from), since the times of moments are tau = t/sigma. */
  for (; cell >= first; cell--) {
    const double left = cell == first ? begin : h->t[cell];
    if (left < right && outside_at(s, l, cell, left) > 0) {
      history_root(s, l, outside, cell, left, right, &l->settled);
      l->settled.slot = 0;
      *psi = (l->settled.t - l->from.t) * s->dilation;
      return MBD_OK;
    }
    right = left;
  }
  return MBD_OK;
}

/* t' = -(2 sum_i s_i s_i')/rate; zero where nothing ever is outside of the tolerance. */
static void settled_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  mbd_real *by_s = s->objectives->histories->by_s;
  window_point p;
  if (l->settled.slot < 0) { return; }
  point_of(s, &l->settled, &p);
  for (int i = 0; i < l->nterm; i++) {
    by_s[i] = -2 * s->dilation * history_error(s, l, i, &p.at, NULL) / l->settled.rate;
  }
  l->from.reverse -= s->dilation;
  l->by_stretch += (l->settled.t - l->from.t) * s->dilation;
  sink(s, l, &p, by_s, 0, user);
}

/* ---- quantiles ---- */

static mbd_real logistic(mbd_real x) {
  return mbd_select(mbd_re(x) > 0, 1 / (1 + mbd_exp(-x)), mbd_exp(x) / (1 + mbd_exp(x)));
}

static int take_samples(const mbd_sim *s, history_objective *l, double *min, double *max) {
  const sim_histories *histories = s->objectives->histories;
  mbd_real *at = histories->sample;
  window_point p;
  int n = 0;
  l->weight = 0, *min = INFINITY, *max = -INFINITY;
  for (window_walk w = {0}; window_next(s, l, &w, &p); n++) {
    errors(s, l, &p.at);
    *at++ = p.w;
    l->weight += p.w;
    for (int i = 0; i < l->nterm; i++) {
      *at++ = histories->s[i];
      *min = fmin(*min, mbd_same(histories->s[i])), *max = fmax(*max, mbd_same(histories->s[i]));
    }
  }
  return n;
}

/* The part of the weight that lies below v, minus that of the level, and its derivative by v. */
static mbd_real below(const mbd_sim *s, const history_objective *l, int n, mbd_real v, mbd_real *slope) {
  const mbd_real *at = s->objectives->histories->sample;
  mbd_real sum = 0, rate = 0;
  for (int p = 0; p < n; p++, at += 1 + l->nterm) {
    for (int i = 0; i < l->nterm; i++) {
      const mbd_real c = logistic((v - at[1 + i]) / l->k->width);
      sum += at[0] * c, rate += at[0] * c * (1 - c);
    }
  }
  *slope = rate / (l->k->width * l->weight * l->nterm);
  return sum / (l->weight * l->nterm) - l->k->level;
}

/* Solves for v, in which the function increases. The last step is taken in mbd_real, as in history_root. */
static mbd_status quantile_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  double lo, hi;
  mbd_real slope;
  (void)err;
  /* The interval of the search: c is at most level/e in every sample at lo, at least 1 - (1 - level)/e at hi. */
  const int n = take_samples(s, l, &lo, &hi);
  const double level = l->k->level, width = l->k->width;
  lo -= width * (1 - log(level)), hi += width * (1 - log(1 - level));
  /* Newton's iteration, with bisection where it leaves the interval. */
  double v = lo + level * (hi - lo);
  for (int i = 0; i < 200; i++) {
    const double value = mbd_same(below(s, l, n, v, &slope)), newton = v - value / mbd_same(slope);
    if (value < 0) {
      lo = v;
    } else {
      hi = v;
    }
    const double next = newton > lo && newton < hi ? newton : lo + (hi - lo) / 2;
    if (value == 0 || fabs(next - v) <= 1e-16 * (fabs(v) + width)) { break; }
    v = next;
  }
  /* The last step in mbd_real; l->sum keeps the slope at the quantile for quantile_slopes. */
  const mbd_real excess = below(s, l, n, v, &slope);
  l->value = v - excess / slope;
  below(s, l, n, l->value, &l->sum);
  *psi = l->value;
  return MBD_OK;
}

static void quantile_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  const sim_histories *histories = s->objectives->histories;
  const mbd_real total = l->sum * l->weight * l->nterm; /* sum of w c'/width */
  window_point p;
  for (window_walk w = {0}; window_next(s, l, &w, &p);) {
    mbd_real sum = 0;
    errors(s, l, &p.at);
    for (int i = 0; i < l->nterm; i++) {
      const mbd_real c = logistic((l->value - histories->s[i]) / l->k->width);
      sum += c;
      histories->by_s[i] = p.w * c * (1 - c) / (l->k->width * total);
    }
    sink(s, l, &p, histories->by_s, -(sum - l->k->level * l->nterm) / total, user);
  }
}

/* ---- the table ---- */

static const history_form forms[] = {[FORM_INTEGRAL] = {integral_value, integral_slopes},
                                     [FORM_MEAN] = {mean_value, mean_slopes},
                                     [FORM_END] = {one_value, one_slopes},
                                     [FORM_PEAK] = {peak_value, extremum_slopes},
                                     [FORM_ROOT] = {root_value, root_slopes},
                                     [FORM_RANGE] = {range_value, extremum_slopes},
                                     [FORM_AT] = {one_value, one_slopes},
                                     [FORM_SETTLED] = {settled_value, settled_slopes},
                                     [FORM_QUANTILE] = {quantile_value, quantile_slopes},
                                     [FORM_SPLIT] = {integral_value, integral_slopes},
                                     [FORM_MEASURED] = {measured_value, measured_slopes},
                                     [FORM_SAMPLES] = {weighted_samples_value, weighted_samples_slopes}};

mbd_status history_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err) {
  return forms[l->form->over].value(s, l, psi, err);
}

void history_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user) {
  mbd_real *by_s = s->objectives->histories->by_s;
  forms[l->form->over].slopes(s, l, sink, user);
  /* A zero of s_i moves by t' = -s_i'/rate. */
  for (int k = 0; k < l->nzero; k++) {
    const error_zero *zero = &s->objectives->histories->zero[l->zero + k];
    const window_point p = {.at = zero->at.near};
    memset(by_s, 0, (size_t)l->nterm * sizeof *by_s);
    by_s[zero->term] = -zero->at.reverse / zero->at.rate;
    sink(s, l, &p, by_s, 0, user);
  }
}
