/* s of late objectives at a point: an output of the history less its target, which may be a curve over time or over another output.
 * Equations: theory.md §6 (6.2). */
#include "objective/late.h"

const mbd_curve *late_target(const mbd_sim *s, const late_objective *l, int i) {
  return s->objectives->target[l->term[i]];
}

mbd_real late_place(const mbd_sim *s, const late_objective *l, const history_point *p, mbd_real *rate) {
  const sim_late *q = s->objectives->late;
  *rate = s->dilation;
  if (l->over < 0) { return p->t * s->dilation; }
  *rate = history_sum(&q->h, p, p->rate, late_column(q, l->over));
  return history_sum(&q->h, p, p->at, late_column(q, l->over));
}

mbd_curve_value late_target_at(const mbd_sim *s, const late_objective *l, int i, mbd_real x) {
  const mbd_curve *c = late_target(s, l, i);
  mbd_curve_value v = {0, 0, 0};
  if (c) { curve_eval(c, s->p->theta, s->p->aux, x, &v); }
  return v;
}

mbd_real late_error(const mbd_sim *s, const late_objective *l, int i, const history_point *p, mbd_real *rate) {
  const sim_late *q = s->objectives->late;
  const int column = late_column(q, l->slot + i);
  mbd_real x_rate;
  const mbd_curve_value v = late_target_at(s, l, i, late_place(s, l, p, &x_rate));
  if (rate) { *rate = history_sum(&q->h, p, p->rate, column) - v.yx * x_rate; }
  return history_sum(&q->h, p, p->at, column) - s->objectives->term[l->term[i]].target - v.y;
}

mbd_real late_target_sens(const mbd_sim *s, const late_objective *l, int i, mbd_real x, int a) {
  const mbd_curve *c = late_target(s, l, i);
  const mbd_dparams *d = s->d[a];
  mbd_curve_value v;
  curve_deval(c, s->p->theta, s->p->aux, d->dtheta, d->daux, x, &v);
  return v.y;
}

/* Points of the cells at the ends of a window also move with these ends; the Gauss-Newton matrix leaves this part out. */
void late_error_sens(const mbd_sim *s, const late_objective *l, int i, const history_point *p) {
  const sim_late *q = s->objectives->late;
  mbd_real x_rate;
  const mbd_real x = late_place(s, l, p, &x_rate), slope = late_target_at(s, l, i, x).yx;
  for (int a = 0; a < s->np; a++) {
    mbd_real e = history_sum_sens(&q->h, p, p->at, late_column(q, l->slot + i), a);
    e -= slope * (l->over < 0 ? s->stretch[a] * x : history_sum_sens(&q->h, p, p->at, late_column(q, l->over), a));
    if (late_target(s, l, i)) { e -= late_target_sens(s, l, i, x, a); }
    q->sp[a] = e;
  }
}
