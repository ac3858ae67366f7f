#include "mechanism/across.h"

#include <math.h>
#include <string.h>

#include "mechanism/scenarios.h"

static const scenario_quantity *across_of(const mechanism *m, int q) {
  return &m->scenarios->across[scenarios_across(m, q)];
}

/* To first order: of the mean, which is the one sample, and the standard deviation. */
static double of_normal(const mechanism *m, int q, const double *psi, double slope[2]) {
  const scenario_quantity *a = across_of(m, q);
  return measure_of_normal(a->is, &a->numbers, psi[scenarios_sample(m, q, 0)], a->sigma, slope);
}

/* The weights of all samples, in m->scenarios->scratch. */
static const double *weights_of(const mechanism *m, int q) {
  const scenario_quantity *a = across_of(m, q);
  double *w = m->scenarios->scratch;
  const int n = m->scenarios->n;
  measure_weights(a->is, &a->numbers, n, m->psi + scenarios_sample(m, q, 0), w, w + n);
  return w;
}

void across_value(const mechanism *m, int q, double *psi, int exact) {
  const scenario_quantity *a = across_of(m, q);
  const double *x = psi + scenarios_sample(m, q, 0);
  double slope[2], *work = m->scenarios->scratch;
  psi[q] = m->scenarios->linear ? of_normal(m, q, psi, slope)
           : exact              ? measure_true(a->is, &a->numbers, m->scenarios->n, x, work)
                                : measure_value(a->is, &a->numbers, m->scenarios->n, x, work);
}

void across_gradient(mechanism *m, int q) {
  const mechanism_scenarios *all = m->scenarios;
  const int n = m->n;
  double *g = m->grad + q * n;
  const double *sample = m->grad + scenarios_sample(m, q, 0) * n;
  if (all->linear) {
    double slope[2];
    of_normal(m, q, m->psi, slope);
    for (int j = 0; j < n; j++) { g[j] = slope[0] * sample[j] + slope[1] * across_of(m, q)->gradient[j]; }
    return;
  }
  const double *w = weights_of(m, q);
  memset(g, 0, (size_t)n * sizeof *g);
  for (int s = 0; s < all->n; s++) {
    for (int j = 0; j < n; j++) { g[j] += w[s] * sample[s * n + j]; }
  }
}

void across_along(const mechanism *m, int q, double *dpsi, int complex_step) {
  const mechanism_scenarios *all = m->scenarios;
  const scenario_quantity *a = across_of(m, q);
  const int first = scenarios_sample(m, q, 0);
  if (all->linear) {
    double slope[2];
    of_normal(m, q, m->psi, slope);
    dpsi[q] = slope[0] * dpsi[first] + slope[1] * a->along;
    return;
  }
  if (complex_step) {
    dpsi[q] =
        measure_complex_step(a->is, &a->numbers, all->n, m->psi + first, dpsi + first, (double _Complex *)all->scratch);
    return;
  }
  const double *w = weights_of(m, q);
  dpsi[q] = 0;
  for (int s = 0; s < all->n; s++) { dpsi[q] += w[s] * dpsi[first + s]; }
}

/* H = sum_s w_s H_s + sum_s g_s (dw_s)', dw the change of the weights along each column, g_s' of it. */
void across_second(mechanism *m, int q, const double *along) {
  const mechanism_scenarios *all = m->scenarios;
  const scenario_quantity *a = across_of(m, q);
  const int n = m->n, ncolumn = along ? 1 : n, first = scenarios_sample(m, q, 0);
  const size_t size = (size_t)n * (size_t)ncolumn;
  const double *g = m->grad + first * n;
  double *H = m->hess + (size_t)q * size, *dx = all->scratch + 2 * all->n, *dw = dx + all->n;
  const double *w = weights_of(m, q);
  memset(H, 0, size * sizeof *H);
  for (int s = 0; s < all->n; s++) {
    const double *sample = m->hess + (size_t)(first + s) * size;
    for (size_t i = 0; i < size; i++) { H[i] += w[s] * sample[i]; }
  }
  for (int j = 0; j < ncolumn; j++) {
    for (int s = 0; s < all->n; s++) {
      dx[s] = along ? 0 : g[s * n + j];
      for (int i = 0; along && i < n; i++) { dx[s] += g[s * n + i] * along[i]; }
    }
    measure_change(a->is, &a->numbers, all->n, m->psi + first, dx, dw, dw + all->n);
    for (int s = 0; s < all->n; s++) {
      for (int i = 0; i < n; i++) { H[i * ncolumn + j] += g[s * n + i] * dw[s]; }
    }
  }
}

double across_range(const mechanism *m, int q, const double *psi) {
  const double *x = psi + scenarios_sample(m, q, 0);
  double low = INFINITY, high = -INFINITY;
  if (m->scenarios->linear) { return NAN; }
  for (int s = 0; s < m->scenarios->n; s++) { low = fmin(low, x[s]), high = fmax(high, x[s]); }
  return measure_counts(across_of(m, q)->is) ? 1 : high - low;
}

double across_bound(const mechanism *m, int q, const double *v) {
  const int first = scenarios_sample(m, q, 0);
  double sum = 0;
  if (m->scenarios->linear) {
    double slope[2];
    of_normal(m, q, m->psi, slope);
    return fabs(slope[0]) * v[first];
  }
  const double *w = weights_of(m, q);
  for (int s = 0; s < m->scenarios->n; s++) { sum += fabs(w[s]) * v[first + s]; }
  return sum;
}
