/* Adjoint pass of the objectives at one node: derivatives by the outputs, from the weights of the terms.
 * Equations: theory.md §6 (6.1); the derivatives begin the adjoint of theory.md §7.2. */
#include <string.h>

#include "objective/node_states.h"
#include "objective/objectives.h"
#include "state/turns.h"

/* Derivative by the stretch of the time of a target curve that is read at the time. */
static void stretch_target(const mbd_sim *s, int i, mbd_real weight, params_reverse *theta) {
  const mbd_curve *target = s->objectives->target[i];
  mbd_curve_value dv = {0, 0, 0};
  if (!target || mbd_none(weight != 0) || !theta->stretch_requested) { return; }
  curve_shift(target, s->p->theta, s->p->aux, s->t, s->t, &dv);
  theta->stretch -= weight * dv.y;
}

void quadrature_begin_back(mbd_sim *s, sim_adjoint *a) {
  memset(s->objectives->reach, 0, (size_t)s->o->n * (size_t)a->npsi * sizeof *s->objectives->reach);
  if (s->objectives->histories) { histories_back(s, a); }
  turns_begin_back(s);
}

/* Sets s->objectives->wy for adjoint k, and adds the derivatives by target curves and stretch. */
static void output_weights(mbd_sim *s, sim_adjoint *a, int k) {
  sim_objectives *objectives = s->objectives;
  memset(objectives->wy, 0, (size_t)s->o->n * sizeof *objectives->wy);
  for (int j = 0; j < objectives->nnode; j++) {
    const int i = objectives->node_term[j];
    const double share = objectives_share(s, objectives->term[i].psi, k);
    const mbd_real weight = share * objectives->we[i];
    objectives->wy[objectives->term[i].output] += weight;
    objectives_reverse_target(s, i, s->t, weight, a->theta[k]);
    stretch_target(s, i, weight, a->theta[k]);
    a->theta[k]->stretch += share * objectives->by_stretch[i];
  }
  if (objectives->row >= 0) { history_weights(s, objectives->row, k, objectives->wy); }
}

void adjoint_outputs(mbd_sim *s, sim_adjoint *a) {
  const int no = s->o->n, m = s->m->nphi;
  min_norm_update(s, 0);
  const mbd_real *lam = step_terms_update(s);
  const int nlam = s->objectives->lam ? output_lam_max(s->m) : m;
  node_states *measuring = &s->node_states->measuring;
  node_states_linearize(s, measuring, lam);
  adjoint_begin(s, a);
  for (int k = 0; k < a->npsi; k++) {
    memset(a->row, 0, ((size_t)nlam + 1) * sizeof *a->row);
    output_weights(s, a, k);
    for (int o = 0; o < no; o++) {
      if (mbd_none(s->objectives->wy[o] != 0)) { continue; }
      s->objectives->reach[k * no + o] += mbd_largest(s->objectives->wy[o]);
      output_reverse(&a->reverse[k], &s->o->item[o], lam, s->objectives->wy[o], a->row);
    }
    node_states_back(s, measuring, a, k, lam, a->row);
    step_terms_back(s, a, k, a->row);
    min_norm_reverse(s, a, k, a->row);
    adjoint_add(m, a->npsi, k, a->row, a->lam);
  }
}
