/* How objectives are combined: sums of squares and their Gauss-Newton matrix, or the largest of them. */
#include <string.h>

#include "mechanism/mechanism.h"

/* The mean of squares over scenarios is a sum of squares, too. */
int mechanism_is_square(const mechanism *m, int i) {
  const mbo_objective_config *o = &m->config->objective[i];
  const int is_mean = strcmp(o->across, "mean") == 0 && !scenarios_linear(m);
  return !*o->value && (!*o->across || is_mean) && mbd_form_find(o->form)->is_square;
}

int mechanism_square_of(const mechanism *m, const mechanism_case *load, int k, double *factor) {
  const int quantity = load->quantity[k], owner = scenarios_owner(m, quantity);
  *factor = owner == quantity ? 1 : 1.0 / scenarios_count(m);
  return owner < m->nobjective && mechanism_is_square(m, owner) ? owner : -1;
}

int mechanism_is_least_squares(const mechanism *m) {
  int squares = 0;
  for (int i = 0; i < m->nobjective; i++) {
    const double weight = mechanism_weight(m, i);
    if (weight == 0) { continue; } /* only shown */
    if (!mechanism_is_square(m, i) || weight < 0) { return 0; }
    squares++;
  }
  return squares > 0;
}

int mechanism_has_gauss_newton(const mechanism *m) {
  const gradient_method method = gradient_method_find(m->config->gradient.method);
  return (method == GRADIENT_DIRECT || method == GRADIENT_AUTO) && mechanism_is_least_squares(m);
}

int mechanism_is_worst(const mechanism *m) {
  return !m->front && strcmp(m->config->objectives.combine, "worst") == 0 && m->nobjective > 1;
}
