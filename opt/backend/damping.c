#include "backend/damping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cholesky.h"
#include "files/memory.h"

static const double first = 1e-3, min = 1e-15, max = 1e8;
static const double poor = 0.25;              /* ratio below which a step counts as refused */
static const double fall = 0.1, fading = 0.6; /* factors per step, of lambda at least, of the memory of a refusal */

mbd_status damping_create(int n, damping *d, mbd_error *err) {
  const size_t k = (size_t)n;
  *d = (damping){.n = n};
  d->x = calloc(4 * k + 2 * k * k + 1, sizeof *d->x);
  d->held = calloc(k + 1, 1);
  if (!d->x || !d->held) {
    damping_free(d);
    return MEMORY_NONE(err, "the damping of %d variables", n);
  }
  d->g = d->x + k, d->D = d->x + 2 * k, d->H = d->x + 3 * k;
  d->step = d->H + k * k, d->factor = d->step + k;
  damping_begin(d);
  return MBD_OK;
}

void damping_free(damping *d) {
  free(d->x), free(d->held);
  *d = (damping){0};
}

void damping_begin(damping *d) {
  d->lambda = first;
  d->refused = d->curvature = 0;
  d->started = 0;
  memset(d->D, 0, (size_t)d->n * sizeof *d->D);
}

double damping_added(const damping *d, int i) {
  return d->lambda * sqrt(d->D[i] * d->curvature);
}

/* Returns the decrease that the model predicts, f - m(x - d->x). */
static double predicted(const damping *d, const double *x) {
  double sum = 0;
  for (int i = 0; i < d->n; i++) {
    const double s = x[i] - d->x[i];
    double Hs = 0;
    for (int j = 0; j < d->n; j++) { Hs += d->H[i * d->n + j] * (x[j] - d->x[j]); }
    sum -= s * (d->g[i] + Hs / 2);
  }
  return sum;
}

/* Returns the ratio of the change of f to that of the model. With constraints and barriers f may rise along a step, as the model predicts. */
static double ratio_of(double expected, double change) {
  if (expected == 0) { return change == 0; }
  const double ratio = change / expected;
  return expected < 0 && ratio > 1 ? 1 / ratio : ratio;
}

/* Changes lambda after a step. A step that was shortened k times counts as k refusals. After a refusal lambda falls at most half way, in logarithms,
 * to the value that was refused, so that the same refusal does not occur again at once. */
static void judge(damping *d, const double *x, double f, int trials) {
  const double ratio = ratio_of(predicted(d, x), d->f - f), used = d->lambda;
  if (trials > 1 || ratio < poor) {
    d->refused = used;
    d->lambda *= pow(2, trials > 1 ? trials - 1 : 1);
  } else {
    const double lower = used * fmax(fall, 1 - pow(2 * ratio - 1, 3));
    d->lambda = fmax(lower, fmin(used, sqrt(used * d->refused)));
    d->refused *= fading;
  }
  d->lambda = fmin(fmax(d->lambda, min), max);
}

void damping_iterate(damping *d, const double *x, double f, const double *g, const double *H, int trials) {
  const size_t n = (size_t)d->n;
  if (d->started && memcmp(d->x, x, n * sizeof *x) == 0) { return; }
  if (d->started) { judge(d, x, f, trials); }
  d->started = 1;
  d->f = f;
  memcpy(d->x, x, n * sizeof *x), memcpy(d->g, g, n * sizeof *g), memcpy(d->H, H, n * n * sizeof *H);
  for (size_t i = 0; i < n; i++) {
    d->D[i] = fmax(d->D[i], H[i * n + i]);
    d->curvature = fmax(d->curvature, d->D[i]);
  }
}

/* ---- the predicted decrease ---- */

/* Computes the Cholesky factor of H + lambda E, where rows and columns of held variables are those of the unit matrix. Returns 0 if the matrix is not
 * positive definite. */
static int factor(damping *d) {
  const int n = d->n;
  double *L = d->factor;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      const int held = d->held[i] || d->held[j];
      L[i * n + j] = held ? i == j : d->H[i * n + j] + (i == j ? damping_added(d, i) : 0);
    }
  }
  return cholesky_factor(n, 0, L) < 0;
}

/* Marks the variables that are held at their bounds; returns the sum of |g_i| times the distance to them. */
static double hold(damping *d, const double *lower, const double *upper) {
  static const double beside = 1e-6;
  double sum = 0;
  for (int i = 0; i < d->n; i++) {
    const double way = d->g[i] > 0 ? d->x[i] - lower[i] : upper[i] - d->x[i];
    d->held[i] = d->g[i] != 0 && way <= beside * (1 + fabs(d->x[i]));
    if (d->held[i]) { sum += fabs(d->g[i]) * fmax(way, 0); }
  }
  return sum;
}

double damping_left(damping *d, const double *lower, const double *upper) {
  const int n = d->n;
  double sum = hold(d, lower, upper), *y = d->step;
  if (!factor(d)) { return INFINITY; }
  for (int i = 0; i < n; i++) { y[i] = d->held[i] ? 0 : d->g[i]; }
  cholesky_forward(n, d->factor, y); /* y = L^-1 g over the others, y' y = g' (H + lambda E)^-1 g */
  return sum + vector_dot(n, y, y) / 2;
}
