/* Adjoint pass of the target curves of terms. Equations: theory.md §6 (6.1). */
#include "objective/objectives.h"

void objectives_reverse_target(const mbd_sim *s, int i, mbd_real x, mbd_real weight, params_reverse *theta) {
  const mbd_curve *q = s->objectives->target[i];
  const mbd_curve_value by = {-weight, 0, 0};
  if (!q || mbd_none(weight != 0) || !theta->curve_requested[q - s->m->curve]) { return; }
  curve_reverse(q, s->p->theta, s->p->aux, x, &by, theta->requested, theta->theta, theta->aux);
}
