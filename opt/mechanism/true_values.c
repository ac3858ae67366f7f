#include "mechanism/true_values.h"

#include <math.h>
#include <string.h>

#include "mechanism/across.h"
#include "mechanism/lockstep.h"
#include "mechanism/scenarios.h"

/* The objectives as one, with true values and the true maximum. */
static double combined(const mechanism *m) {
  double sum = 0, largest = -INFINITY;
  for (int i = 0; i < m->nobjective; i++) {
    const double part = mechanism_weight(m, i) * m->truth[i].value;
    sum += part, largest = part > largest || isnan(part) ? part : largest;
  }
  return mechanism_is_worst(m) ? largest : sum;
}

void true_values_find(mechanism *m) {
  const int nq = m->nall;
  double *psi = m->true_psi;
  memcpy(psi, m->psi, (size_t)nq * sizeof *psi);
  for (int i = 0; i < nq; i++) { m->truth[i] = (true_value){.value = psi[i], .time = NAN, .range = NAN}; }
  /* Forms of the cases. */
  for (int i = 0; i < m->nload; i++) {
    const mechanism_case *load = &m->cases[i];
    for (int k = 0; k < load->npsi; k++) {
      const int quantity = load->quantity[k];
      true_value *t = &m->truth[quantity];
      t->smooths = case_true_value(load, k, &t->value, &t->time, &t->range);
      psi[quantity] = t->value;
    }
  }
  /* Expressions of them; one without a value has no true value that could meet a limit. */
  const int whole = values_true(m, psi, NULL) == MBD_OK;
  for (int i = 0, quantity; (quantity = values_quantity(m, i)) >= 0; i++) {
    true_value *t = &m->truth[quantity];
    t->value = whole ? psi[quantity] : NAN;
    t->smooths = !(t->value == m->psi[quantity]);
    if (scenarios_across(m, quantity) >= 0) { t->range = across_range(m, quantity, psi); }
  }
  m->f_true = combined(m);
}

int true_values_differ(const mechanism *m) {
  int any = mechanism_is_worst(m);
  for (int i = 0; i < m->nobjective; i++) { any |= m->truth[i].smooths; }
  return any;
}
