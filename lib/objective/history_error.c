/* s of history objectives at a point: an output of the history less its target, which may be a curve over time or over another output.
 * Equations: theory.md §6 (6.2). */
#include "objective/histories.h"

const mbd_curve *history_target(const mbd_sim *s, const history_objective *l, int i) {
  return s->objectives->target[l->term[i]];
}

mbd_real history_place(const mbd_sim *s, const history_objective *l, const history_point *p, mbd_real *rate) {
  const sim_histories *histories = s->objectives->histories;
  *rate = s->dilation;
  if (l->over < 0) { return p->t * s->dilation; }
  *rate = history_sum(&histories->h, p, p->rate, history_column(histories, l->over));
  return history_sum(&histories->h, p, p->at, history_column(histories, l->over));
}

mbd_real history_error(const mbd_sim *s, const history_objective *l, int i, const history_point *p, mbd_real *rate) {
  const sim_histories *histories = s->objectives->histories;
  const int column = history_column(histories, l->slot + i);
  mbd_real x_rate;
  const mbd_curve_value v = objectives_target_at(s, l->term[i], history_place(s, l, p, &x_rate));
  if (rate) { *rate = history_sum(&histories->h, p, p->rate, column) - v.yx * x_rate; }
  return history_sum(&histories->h, p, p->at, column) - s->objectives->term[l->term[i]].target - v.y;
}

/* Points of the cells at the ends of a window also move with these ends; the Gauss-Newton matrix leaves this part out. */
void history_error_sens(const mbd_sim *s, const history_objective *l, int i, const history_point *p) {
  const sim_histories *histories = s->objectives->histories;
  mbd_real x_rate;
  const mbd_real x = history_place(s, l, p, &x_rate), slope = objectives_target_at(s, l->term[i], x).yx;
  for (int a = 0; a < s->np; a++) {
    mbd_real e = history_sum_sens(&histories->h, p, p->at, history_column(histories, l->slot + i), a);
    e -= slope * (l->over < 0 ? s->stretch[a] * x
                              : history_sum_sens(&histories->h, p, p->at, history_column(histories, l->over), a));
    if (history_target(s, l, i)) { e -= objectives_target_sens(s, l->term[i], x, a).y; }
    histories->sp[a] = e;
  }
}
