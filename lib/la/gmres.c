#include "la/gmres.h"

#include <string.h>

enum { CYCLES = 10 };

static const double rounding = 1e-15, good = 1e-13, small = 1e-140;

/* The largest magnitude in x [n], of each design by itself: what one of them has solved does not depend on the sizes of others. */
static mbd_value norm(int n, const mbd_real *x) {
  mbd_value max = 0;
  for (int i = 0; i < n; i++) {
    const mbd_value a = mbd_abs(mbd_re(x[i]));
    max = mbd_select((a > max) | (a != a), a, max);
  }
  return max;
}

/* Very small entries, for example of an objective that hardly depends on a node, are scaled: their squares underflow to zero, and what a
 * matrix of large entries makes of them has few digits left. */
static mbd_value scale_of(mbd_value max) {
  return mbd_select((max > 0) & (max < small), max, 1);
}

/* y := x / |x|; returns |x|. */
static mbd_real unit(int n, const mbd_real *x, mbd_real *y) {
  const mbd_value scale = scale_of(norm(n, x));
  for (int i = 0; i < n; i++) { y[i] = x[i] / scale; }
  const mbd_real size = mbd_sqrt(mbd_dot(n, y, y));
  for (int i = 0; i < n; i++) { y[i] = mbd_select(mbd_re(size) > 0, y[i] / size, 0); }
  return size * scale;
}

/* Computes column j of h: A v_j is made orthogonal to the basis, twice because of rounding; v_j+1 is the remainder. */
static void extend(const mbd_gmres *gmres, int j) {
  const int n = gmres->n;
  mbd_real *w = gmres->v + (size_t)(j + 1) * (size_t)n;
  memset(w, 0, (size_t)n * sizeof *w);
  gmres->product(gmres->user, 1, 1, gmres->v + (size_t)j * (size_t)n, w);
  for (int i = 0; i <= j; i++) { gmres->h[i * gmres->max + j] = 0; }
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i <= j; i++) {
      const mbd_real *v = gmres->v + (size_t)i * (size_t)n, part = mbd_dot(n, v, w);
      gmres->h[i * gmres->max + j] += part;
      mbd_axpy(n, -part, v, w);
    }
  }
  gmres->h[(j + 1) * gmres->max + j] = unit(n, w, w);
}

/* Applies rotations that make column j upper triangular. They are applied to g as well, whose last entry then is the residual. */
static void rotate(const mbd_gmres *gmres, int j) {
  mbd_real *h = gmres->h + j;
  const int m = gmres->max;
  for (int i = 0; i < j; i++) {
    const mbd_real a = h[i * m], b = h[(i + 1) * m];
    h[i * m] = gmres->c[i] * a + gmres->s[i] * b;
    h[(i + 1) * m] = -gmres->s[i] * a + gmres->c[i] * b;
  }
  const mbd_real a = h[j * m], b = h[(j + 1) * m], size = mbd_sqrt(a * a + b * b);
  gmres->c[j] = mbd_select(mbd_re(size) > 0, a / size, 1), gmres->s[j] = mbd_select(mbd_re(size) > 0, b / size, 0);
  h[j * m] = size;
  gmres->g[j + 1] = -gmres->s[j] * gmres->g[j];
  gmres->g[j] = gmres->c[j] * gmres->g[j];
}

/* x := sum of the first k vectors of the basis, by back substitution */
static void combine(const mbd_gmres *gmres, int k, mbd_real *x) {
  memset(x, 0, (size_t)gmres->n * sizeof *x);
  for (int i = k - 1; i >= 0; i--) {
    mbd_real y = gmres->g[i];
    for (int j = i + 1; j < k; j++) { y -= gmres->h[i * gmres->max + j] * gmres->g[j]; }
    const mbd_real size = gmres->h[i * gmres->max + i];
    gmres->g[i] = mbd_select(mbd_re(size) > 0, y / size, 0);
    mbd_axpy(gmres->n, gmres->g[i], gmres->v + (size_t)i * (size_t)gmres->n, x);
  }
}

/* A design whose residual is small enough takes no part in further vectors, which are rounding to it. */
void mbd_gmres_cycle(const mbd_gmres *gmres, mbd_value tol, const mbd_real *b, mbd_real *x) {
  int k = 0;
  gmres->g[0] = unit(gmres->n, b, gmres->v);
  const mbd_value enough = tol * mbd_abs(mbd_re(gmres->g[0]));
  for (; k < gmres->max && k < gmres->n; k++) {
    const mbd_truth goes_on = mbd_abs(mbd_re(gmres->g[k])) > enough;
    if (mbd_none(goes_on)) { break; }
    gmres->g[k] = mbd_select(goes_on, gmres->g[k], 0);
    extend(gmres, k);
    rotate(gmres, k);
  }
  combine(gmres, k, x);
}

static void scaled(int n, mbd_value scale, const mbd_real *b, mbd_real *r) {
  for (int i = 0; i < n; i++) { r[i] = b[i] / scale; }
}

double mbd_gmres_solve(const mbd_gmres *gmres, const mbd_real *b, mbd_real *x) {
  const int n = gmres->n;
  const mbd_value scale = scale_of(norm(n, b)), size = norm(n, b) / scale;
  mbd_value left = size;
  mbd_truth goes_on = left > rounding * size;
  memset(x, 0, (size_t)n * sizeof *x);
  scaled(n, scale, b, gmres->r);
  for (int cycle = 0; cycle < CYCLES && mbd_any(goes_on); cycle++) {
    const mbd_value last = left;
    mbd_gmres_cycle(gmres, mbd_select(goes_on, 0.5 * rounding * size / left, 1), gmres->r, gmres->dx);
    mbd_axpy(n, 1, gmres->dx, x);
    scaled(n, scale, b, gmres->r);
    gmres->product(gmres->user, 1, -1, x, gmres->r);
    left = norm(n, gmres->r);
    goes_on = goes_on & (left > rounding * size) & ((left > good * size) | (left <= 0.1 * last));
  }
  for (int i = 0; i < n; i++) { x[i] *= scale; }
  return mbd_largest(mbd_select(size > 0, left / size, 0));
}
