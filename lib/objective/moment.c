/* Moments of objectives (theory.md §6 (6.3)): given times, and times at which an output y crosses a value,
 *   y(t) = value,     t' = -y'/(dy/dt)
 * where y is the polynomial of the history in the cell in which y - value changes its sign. */
#include <math.h>

#include "objective/histories.h"

/* Bisection, with Newton's steps where they stay inside of the interval. The last step is taken in mbd_real: with complex values it gives
 * the root its imaginary part. */
void history_root(const mbd_sim *s, const history_objective *l, history_function f, int cell, double lo, double hi,
                  moment_time *m) {
  const history *h = &s->objectives->histories->h;
  mbd_real rate;
  double t = lo;
  /* The sign of f at lo: an iterate with this sign replaces lo, one with the other sign hi. */
  history_point_at(h, cell, lo, &m->near);
  const int rises = mbd_if(mbd_re(f(s, l, &m->near, &rate)) < 0);
  for (int i = 0; i < 200 && hi > lo; i++) {
    history_point_at(h, cell, t, &m->near);
    const double value = mbd_same(f(s, l, &m->near, &rate)), newton = t - value / mbd_same(rate);
    if (value == 0) { break; }
    if ((value < 0) == rises) {
      lo = t;
    } else {
      hi = t;
    }
    /* The next iterate: Newton's where it lies between lo and hi, else the middle. */
    const double next = newton > lo && newton < hi ? newton : lo + (hi - lo) / 2;
    if (next == t || fabs(next - t) <= 1e-16 * fabs(t)) { break; }
    t = next;
  }
  /* The last step of Newton in mbd_real, then the point and the rate of f at the root. */
  history_point_at(h, cell, t, &m->near);
  const mbd_real residual = f(s, l, &m->near, &rate);
  m->t = mbd_select(mbd_re(rate) != 0, t - residual / rate, t);
  history_point_at(h, cell, m->t, &m->near);
  f(s, l, &m->near, &m->rate);
}

/* ---- crossings ---- */

/* A history_function: y - value of the moment that is searched. */
static mbd_real above(const mbd_sim *s, const history_objective *l, const history_point *p, mbd_real *rate) {
  const sim_histories *histories = s->objectives->histories;
  const int column = history_column(histories, l->searched->slot);
  *rate = history_sum(&histories->h, p, p->rate, column);
  return history_sum(&histories->h, p, p->at, column) - l->searched->is->value;
}

static double at_row(const mbd_sim *s, const moment_time *m, int row) {
  const sim_histories *histories = s->objectives->histories;
  return mbd_same(history_at_row(&histories->h, row, history_column(histories, m->slot))) - m->is->value;
}

static const char *does(mbd_moment_kind kind) {
  return kind == MBD_MOMENT_RISES ? "rise above" : kind == MBD_MOMENT_FALLS ? "fall below" : "cross";
}

static mbd_status no_crossing(const mbd_sim *s, const history_objective *l, const moment_time *m, double begin,
                              mbd_error *err) {
  const history *h = &s->objectives->histories->h;
  const output *o = &s->o->item[s->objectives->histories->slot_output[m->slot]];
  double min = INFINITY, max = -INFINITY;
  for (int k = 0; k < h->rows; k++) {
    if (h->t[k] < begin) { continue; }
    min = fmin(min, at_row(s, m, k)), max = fmax(max, at_row(s, m, k));
  }
  MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
           "%s: %s: '%s' does not %s %g between t = %g s and the end at %g s, where it lies between %g and %g%s%s; "
           "another value, or a longer duration",
           history_label(l), m->key, o->name, does(m->is->kind), m->is->value, begin, h->t[h->rows - 1],
           min + m->is->value, max + m->is->value, *o->unit ? " " : "", o->unit);
}

/* The first crossing after time `begin`. An output that is at the value at `begin` has not crossed it there. */
static mbd_status find_crossing(const mbd_sim *s, const history_objective *l, double begin, moment_time *m,
                                mbd_error *err) {
  const history *h = &s->objectives->histories->h;
  const int start = history_cell(h, begin);
  const mbd_moment_kind kind = m->is->kind;
  /* Rounding is measured against the largest of |value| and |y - value| in the run. */
  double scale = fabs(m->is->value);
  for (int k = 0; k < h->rows; k++) { scale = fmax(scale, fabs(at_row(s, m, k))); }
  /* The sign of y - value at `begin`: 1 above the value, -1 below, 0 at the value but for rounding. */
  history_point_at(h, start, begin, &m->near);
  const double nothing = 1e-12 * scale, first = mbd_same(above(s, l, &m->near, &m->rate));
  int sign = first > nothing ? 1 : first < -nothing ? -1 : 0;
  for (int k = start + 1; k < h->rows; k++) {
    const double value = at_row(s, m, k);
    const int rises = sign < 0 && value >= 0, falls = sign > 0 && value <= 0;
    /* A change of sign of the requested kind: the time is the zero of y - value in this cell, theory.md §6 (6.3).
     * Where the rate is zero there, the derivative of the time does not exist. */
    if ((rises && kind != MBD_MOMENT_FALLS) || (falls && kind != MBD_MOMENT_RISES)) {
      history_root(s, l, above, k - 1, fmax(h->t[k - 1], begin), h->t[k], m);
      if (mbd_min(m->rate) * (h->t[k] - h->t[k - 1]) > 1e-9 * scale) { return MBD_OK; }
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
               "%s: %s: '%s' touches %g at t = %g s without crossing it, so that the time has no derivative; another "
               "value",
               history_label(l), m->key, s->o->item[s->objectives->histories->slot_output[m->slot]].name, m->is->value,
               mbd_first(m->t));
    }
    /* The sign changes where the output leaves the value, or crosses it in the direction that is not requested. */
    if (sign == 0 ? fabs(value) > nothing : rises || falls) { sign = value > 0 || (value == 0 && rises) ? 1 : -1; }
  }
  return no_crossing(s, l, m, begin, err);
}

/* A given time t is sigma tau. MBD_OUT_OF_DOMAIN: a free duration has become shorter than t. */
static mbd_status find_time(const mbd_sim *s, const history_objective *l, moment_time *m, mbd_error *err) {
  const history *h = &s->objectives->histories->h;
  const double end = h->t[h->rows - 1], node = s->h * floor(m->is->value / s->h + 0.5);
  /* A time that differs from that of a node by rounding becomes the node's. */
  const double t = fabs(m->is->value - node) <= 1e-9 * s->h ? node : m->is->value;
  if (t > end + 1e-9 * s->h) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "%s: %s = %g s lies outside of the case, which lasts from 0 to %g s",
             history_label(l), m->key, m->is->value, end);
  }
  m->t = fmin(t, end) / s->dilation;
  return MBD_OK;
}

static mbd_status find(const mbd_sim *s, history_objective *l, double otherwise, double begin, moment_time *m,
                       mbd_error *err) {
  m->reverse = 0;
  l->searched = m;
  if (m->is->kind > MBD_MOMENT_TIME) { return find_crossing(s, l, begin, m, err); }
  if (m->is->kind == MBD_MOMENT_TIME) { return find_time(s, l, m, err); }
  m->t = otherwise;
  return MBD_OK;
}

mbd_status history_moments(const mbd_sim *s, history_objective *l, mbd_error *err) {
  const history *h = &s->objectives->histories->h;
  const double end = h->t[h->rows - 1];
  MBD_TRY(find(s, l, 0, 0, &l->from, err));
  MBD_TRY(find(s, l, end, mbd_same(l->from.t), &l->until, err));
  return find(s, l, end, 0, &l->at, err);
}
