/* Weights of the nodes in integrals over time, whose order is at least that of the integrator:
 *   order two            the trapezoidal rule on the nodes
 *   order four           the same with Gregory's corrections by differences at both ends of the run, up to the K-th,
 *                          h sum_k g_k - h/2 (g_0 + g_n) - h sum_j=1..K G_j ((-1)^j Delta^j g_0 + nabla^j g_n)
 *                        with G = 1/12, 1/24, 19/720, 3/160 and K = 4, which is of order six. With K < 4 steps these are
 *                        the rules of Newton and Cotes (Simpson's with two). Stages are not used.
 *   interpolated steps   Gauss points of every step of the integrator (adaptive_step.c); nodes have no weight
 * All weights are positive, so that squares have no negative integral and the sums of peaks have a logarithm.
 * Equations: theory.md §6 (6.1). */
#include "objective/objectives.h"

static int interpolates(const mbd_sim *s) {
  return s->integrator->tableau && s->integrator->tableau->dense;
}

/* Weight, relative to h, of the k-th node from one end of n steps in the corrections at that end: in the j-th difference the node has the
 * binomial coefficient (-1)^k j!/(k! (j - k)!). */
static double end_correction(const mbd_sim *s, int n, int k) {
  static const double gregory[] = {1.0 / 2, 1.0 / 12, 1.0 / 24, 19.0 / 720, 3.0 / 160};
  const int max = s->integrator->order < 4 ? 0 : n < 4 ? n : 4;
  double sum = 0, binomial = k % 2 ? -1 : 1;
  for (int j = k; j <= max; j++) {
    sum -= binomial * gregory[j];
    binomial *= (j + 1.0) / (j + 1 - k);
  }
  return sum;
}

double quadrature_rule(const mbd_sim *s, int n, int k) {
  return s->h * (1 + end_correction(s, n, k) + end_correction(s, n, n - k));
}

double quadrature_node_rule(const mbd_sim *s, int k) {
  return quadrature_rule(s, s->nsteps, k);
}

double sim_weight(const mbd_sim *s, int k) {
  return interpolates(s) ? 0 : quadrature_node_rule(s, k);
}

int quadrature_between_nodes(const mbd_sim *s) {
  int integrals = 0;
  for (int i = 0; i < s->objectives->nterm; i++) {
    integrals += s->objectives->form[i]->over != FORM_END || s->objectives->history_term[i];
  }
  return interpolates(s) && integrals > 0;
}
