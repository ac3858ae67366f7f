#include "backend/trust_region_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cholesky.h"
#include "files/memory.h"

mbd_status trust_region_model_create(int n, trust_region_model *b, mbd_error *err) {
  const size_t k = (size_t)n;
  *b = (trust_region_model){.n = n, .step = calloc(3 * k + k * k + 1, sizeof *b->step), .at = calloc(k + 1, 1)};
  if (!b->step || !b->at) {
    trust_region_model_free(b);
    return MEMORY_NONE(err, "the model of %d variables", n);
  }
  b->slope = b->step + k, b->move = b->slope + k, b->factor = b->move + k;
  return MBD_OK;
}

void trust_region_model_free(trust_region_model *b) {
  free(b->step), free(b->at);
  *b = (trust_region_model){0};
}

/* The Cholesky factor of H + lambda I; rows and columns of variables that are held are those of the unit matrix. 0: not positive. */
static int factor(trust_region_model *b, const double *H, double lambda) {
  const int n = b->n;
  double *L = b->factor;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      const int held = b->at[i] || b->at[j];
      L[i * n + j] = held ? i == j : H[i * n + j] + (i == j ? lambda : 0);
    }
  }
  return cholesky_factor(n, 0, L) < 0;
}

/* slope = g + (H + lambda I) step */
static void find_slope(trust_region_model *b, const double *g, const double *H, double lambda) {
  const int n = b->n;
  for (int i = 0; i < n; i++) {
    b->slope[i] = g[i] + lambda * b->step[i];
    for (int j = 0; j < n; j++) { b->slope[i] += H[i * n + j] * b->step[j]; }
  }
}

/* move = -(H + lambda I)^-1 slope over the free variables; 0 for those that are held. */
static void find_move(trust_region_model *b) {
  for (int i = 0; i < b->n; i++) { b->move[i] = b->at[i] ? 0 : -b->slope[i]; }
  cholesky_forward(b->n, b->factor, b->move);
  cholesky_back(b->n, b->factor, b->move);
}

/* Goes along `move` to its end or to the first bound, which holds its variable then. Returns 1 at a bound. */
static int go(trust_region_model *b, const double *x, const double *lower, const double *upper) {
  double part = 1;
  int first = -1;
  for (int i = 0; i < b->n; i++) {
    const double way = (b->move[i] > 0 ? upper[i] : lower[i]) - x[i] - b->step[i];
    if (b->move[i] != 0 && fabs(way) < part * fabs(b->move[i])) { part = way / b->move[i], first = i; }
  }
  part = fmax(part, 0);
  for (int i = 0; i < b->n; i++) { b->step[i] += part * b->move[i]; }
  if (first < 0) { return 0; }
  b->at[first] = b->move[first] > 0 ? 1 : -1;
  b->step[first] = (b->move[first] > 0 ? upper[first] : lower[first]) - x[first];
  return 1;
}

/* The held variable that its bound keeps from falling most, relative to `size`; -1: none. */
static int to_free(const trust_region_model *b, double size) {
  double max = 16 * DBL_EPSILON * size;
  int which = -1;
  for (int i = 0; i < b->n; i++) {
    if (b->at[i] && b->slope[i] * b->at[i] > max) { max = b->slope[i] * b->at[i], which = i; }
  }
  return which;
}

/* Minimizes g's + s'(H + lambda I)s/2 within the box by an active set: variables at a bound that g pushes against are held, the free ones take
 * the step of Newton or go as far as the next bound, and the held one that gains most is freed, until none gains. Leaves the step, the slope and
 * the number of free variables in b; returns the decrease, INFINITY where the matrix of the free variables cannot be factored. */
static double solve(trust_region_model *b, const double *x, const double *lower, const double *upper, const double *g,
                    const double *H, double lambda) {
  const int n = b->n, max = 10 * n + 10;
  double size = 0;
  memset(b->step, 0, (size_t)n * sizeof *b->step);
  for (int i = 0; i < n; i++) {
    b->at[i] = 0;
    if (g[i] > 0 && x[i] <= lower[i]) { b->at[i] = -1; }
    if (g[i] < 0 && x[i] >= upper[i]) { b->at[i] = 1; }
    size = fmax(size, fabs(g[i]));
  }
  for (int k = 0; k < max; k++) { /* what is reached at the end of a count that is never needed serves as well */
    if (!factor(b, H, lambda)) { return INFINITY; }
    find_slope(b, g, H, lambda);
    find_move(b);
    if (go(b, x, lower, upper)) { continue; }
    find_slope(b, g, H, lambda);
    const int freed = to_free(b, size);
    if (freed < 0) { break; }
    b->at[freed] = 0;
  }
  b->nfree = 0;
  for (int i = 0; i < n; i++) { b->nfree += !b->at[i]; }
  double lost = 0; /* slope = g + A s, so g's + s'As/2 = s'(g + slope)/2 */
  find_slope(b, g, H, lambda);
  for (int i = 0; i < n; i++) { lost -= b->step[i] * (g[i] + b->slope[i]) / 2; }
  return fmax(lost, 0);
}

double trust_region_model_solve(trust_region_model *b, const double *x, const double *lower, const double *upper,
                                const double *g, const double *H, double lambda) {
  double largest = 0;
  for (int i = 0; i < b->n; i++) { largest = fmax(largest, H[i * b->n + i]); }
  if (largest == 0 && lambda == 0) { largest = 1; }
  double added = lambda > 0 ? lambda : DBL_EPSILON * largest, lost = solve(b, x, lower, upper, g, H, added);
  while (isinf(lost) && added < largest) { lost = solve(b, x, lower, upper, g, H, added *= 16); }
  return lost;
}

double trust_region_model_predicted(const trust_region_model *b, const double *g, const double *H) {
  double sum = 0;
  for (int i = 0; i < b->n; i++) {
    double Hs = 0;
    for (int j = 0; j < b->n; j++) { Hs += H[i * b->n + j] * b->step[j]; }
    sum -= b->step[i] * (g[i] + Hs / 2);
  }
  return sum;
}
