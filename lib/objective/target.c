/* Adjoint pass of the target curves of terms. Equations: theory.md §6 (6.1). */
#include "objective/objectives.h"

void objectives_reverse_target(const mbd_sim *s, int i, mbd_real x, mbd_real weight, params_reverse *theta) {
  const mbd_curve *curve = s->objectives->target[i];
  const mbd_curve_value by = {-weight, 0, 0};
  if (!curve || mbd_none(weight != 0) || !theta->curve_requested[curve - s->m->curve]) { return; }
  curve_reverse(curve, s->p->theta, s->p->aux, x, &by, theta->requested, theta->theta, theta->aux);
}
