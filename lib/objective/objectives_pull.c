/* Reverse derivatives of the objectives at one node: outputs by the weights of their terms. */
#include <string.h>

#include "objective/objectives.h"

/* Part x of term i in adjoint k. */
static mbd_real part_of(const mbd_sim *s, int i, int k, mbd_real x) {
  const int psi = s->objectives->term[i].psi;
  if (!s->objectives->sum) { return psi == k ? x : 0; }
  return s->objectives->sum[k * s->npsi + psi] * x;
}

/* A target over time is subtracted from its output. */
static void target_curve(const mbd_sim *s, int i, mbd_real weight, params_pull *theta) {
  const mbd_curve *q = s->objectives->target[i];
  const mbd_curve_value by = {-weight, 0, 0};
  if (!q || weight == 0) { return; }
  if (theta->stretch_wanted) {
    mbd_curve_value dv = {0, 0, 0};
    curve_shift(q, s->p->theta + q->coef, s->p->aux + q->aux, s->t, s->t, &dv);
    theta->stretch -= weight * dv.y;
  }
  if (!theta->curve_wanted[q - s->m->curve]) { return; }
  q->ops->pull(q, s->p->theta + q->coef, s->p->aux + q->aux, s->t, &by, theta->theta + q->coef, theta->aux + q->aux);
}

/* s->objectives->wy of adjoint k */
static void output_weights(mbd_sim *s, sim_adjoint *a, int k) {
  memset(s->objectives->wy, 0, (size_t)s->o->n * sizeof *s->objectives->wy);
  for (int i = 0; i < s->objectives->nterm; i++) {
    const mbd_real weight = part_of(s, i, k, s->objectives->we[i]);
    s->objectives->wy[s->objectives->term[i].output] += weight;
    target_curve(s, i, weight, a->theta[k]);
    a->theta[k]->stretch += part_of(s, i, k, s->objectives->by_stretch[i]);
  }
}

void adjoint_outputs(mbd_sim *s, sim_adjoint *a) {
  const int no = s->o->n, m = s->m->nphi;
  adjoint_begin(s, a);
  for (int k = 0; k < a->npsi; k++) {
    memset(a->row, 0, ((size_t)m + 1) * sizeof *a->row);
    output_weights(s, a, k);
    for (int o = 0; o < no; o++) {
      if (s->objectives->wy[o] == 0) { continue; }
      output_pull(&a->pull[k], &s->o->item[o], s->now.reaction, s->objectives->wy[o], a->row);
    }
    adjoint_add(m, a->npsi, k, a->row, a->lam);
  }
}
