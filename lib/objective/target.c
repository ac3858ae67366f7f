/* s of a term, its output less its target, and the target curve that may be part of it. Equations: theory.md §6 (6.1). */
#include "objective/objectives.h"

mbd_curve_value objectives_target_at(const mbd_sim *s, int i, mbd_real x) {
  const mbd_curve *curve = s->objectives->target[i];
  mbd_curve_value v = {0, 0, 0};
  if (curve) { curve_eval(curve, s->p->theta, s->p->aux, x, &v); }
  return v;
}

mbd_curve_value objectives_target_sens(const mbd_sim *s, int i, mbd_real x, int a) {
  const mbd_dparams *d = s->d[a];
  mbd_curve_value v;
  curve_deval(s->objectives->target[i], s->p->theta, s->p->aux, d->dtheta, d->daux, x, &v);
  return v;
}

mbd_real objectives_error(const mbd_sim *s, int i) {
  const sim_objectives *objectives = s->objectives;
  const mbd_term *k = &objectives->term[i];
  const mbd_real x = k->over ? objectives->y[k->over - 1] : s->t;
  return objectives->y[k->output] - k->target - objectives_target_at(s, i, x).y;
}

void objectives_reverse_target(const mbd_sim *s, int i, mbd_real x, mbd_real weight, params_reverse *theta) {
  const mbd_curve *curve = s->objectives->target[i];
  const mbd_curve_value by = {-weight, 0, 0};
  if (!curve || mbd_none(weight != 0) || !theta->curve_requested[curve - s->m->curve]) { return; }
  curve_reverse(curve, s->p->theta, s->p->aux, x, &by, theta->requested, theta->theta, theta->aux);
}
