#include "evaluate/feasibility.h"

#include <math.h>
#include <stdio.h>

enum { WORDS_MAX = 3 };

/* The violation of constraint k: positive above its upper bound, negative below its lower one, else 0. */
static double beyond(const mbo_problem *p, int k, double c) {
  return c > p->c_upper[k] ? c - p->c_upper[k] : c < p->c_lower[k] ? c - p->c_lower[k] : 0;
}

double feasibility_left(const mbo_problem *p, const double *x, const double *c, const double *jac) {
  double square = 0, left = 0;
  for (int k = 0; k < p->nc; k++) { square += beyond(p, k, c[k]) * beyond(p, k, c[k]); }
  for (int i = 0; i < p->n; i++) {
    double g = 0;
    for (int k = 0; k < p->nc; k++) { g += beyond(p, k, c[k]) * jac[k * p->n + i]; }
    const double way = g > 0 ? x[i] - p->lower[i] : p->upper[i] - x[i];
    if (g != 0) { left += fabs(g) * fmin(way, p->scale[i]); }
  }
  return square > 0 ? left / square : 0;
}

/* The most violated constraint of those that are less violated than `max`; -1: there is none. Among equal violations,
 * those up to number `after` are excluded. */
static int next_worst(const mbo_problem *p, const double *c, double tol, double max, int after) {
  int found = -1;
  double worst = tol;
  for (int k = 0; k < p->nc; k++) {
    const double v = fabs(beyond(p, k, c[k]));
    if (v > worst && (v < max || (v == max && k > after))) { worst = v, found = k; }
  }
  return found;
}

void feasibility_words(const mbo_problem *p, const double *c, double tol, char *out, size_t size) {
  double max = INFINITY;
  size_t used = 0;
  int n = 0;
  out[0] = '\0';
  for (int k = -1; used < size && (k = next_worst(p, c, tol, max, k)) >= 0; n++) {
    const double v = beyond(p, k, c[k]);
    max = fabs(v);
    if (n >= WORDS_MAX) { continue; } /* further ones are only counted */
    used += (size_t)snprintf(out + used, size - used, "%s%s = %.9g is %s %g by %.3g", n ? ", " : "", p->c_names[k],
                             c[k], v > 0 ? "above" : "below", v > 0 ? p->c_upper[k] : p->c_lower[k], max);
  }
  if (n > WORDS_MAX && used < size) { snprintf(out + used, size - used, ", and %d more", n - WORDS_MAX); }
}
