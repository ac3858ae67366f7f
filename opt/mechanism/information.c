#include "mechanism/information.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/svd.h"

static const double blind = 1e-9; /* part of the largest singular value; smaller singular values consist of rounding */
static const double nothing = 1e-7; /* smaller parts of a unit vector are rounding */

mbd_status information_create(int n, information *out, mbd_error *err) {
  *out = (information){.n = n, .A = mbd_zeros(2 * (size_t)n * (size_t)n, sizeof *out->A)};
  MEMORY_TRY(out->A, err, "the information on %d parameters", n);
  return MBD_OK;
}

void information_free(information *i) {
  free(i->A);
  *i = (information){.n = 0};
}

void information_clear(information *i) {
  i->rows = 0;
  memset(i->A, 0, 2 * (size_t)i->n * (size_t)i->n * sizeof *i->A);
}

/* Reduces the rows in use to a triangle with the same A'A. */
static void reduce(information *i) {
  if (i->n == 0 || i->rows == 0) { return; }
  svd_triangle(2 * i->n, i->n, i->A);
  i->rows = i->n;
}

void information_add_row(information *i, double weight, const double *row) {
  if (i->rows == 2 * i->n) { reduce(i); }
  double *to = i->A + (size_t)i->rows++ * (size_t)i->n;
  for (int j = 0; j < i->n; j++) { to[j] = weight * row[j]; }
}

void information_add(information *i, const information *more) {
  for (int k = 0; k < more->rows; k++) { information_add_row(i, 1, more->A + k * more->n); }
}

/* ---- precision ---- */

mbd_status information_precision_create(int n, information_precision *out, mbd_error *err) {
  const size_t size = (size_t)n;
  *out = (information_precision){.n = n, .s = mbd_zeros(size * (size + 2), sizeof *out->s)};
  MEMORY_TRY(out->s, err, "the precision of %d parameters", n);
  out->deviation = out->s + size, out->V = out->deviation + size;
  return MBD_OK;
}

void information_precision_free(information_precision *p) {
  free(p->s);
  *p = (information_precision){.n = 0};
}

/* Gauss-Jordan steps on the diagonal. */
double information_invert(int n, double *S) {
  double log_det = 0;
  for (int k = 0; k < n; k++) {
    const double pivot = S[k * n + k];
    log_det += log(pivot);
    for (int j = 0; j < n; j++) { S[k * n + j] /= j == k ? 1 : pivot; }
    for (int i = 0; i < n; i++) {
      for (int j = 0; i != k && j < n; j++) {
        if (j != k) { S[i * n + j] -= S[i * n + k] * S[k * n + j]; }
      }
    }
    for (int i = 0; i < n; i++) { S[i * n + k] /= i == k ? pivot * pivot : -pivot; }
  }
  return log_det;
}

/* The variance of parameter j, the sum of V_kj^2/s_k^2; INFINITY: it has a part in a direction that is not determined. */
static double variance(const information_precision *p, int j) {
  double sum = 0;
  for (int k = 0; k < p->n; k++) {
    const double part = p->V[k * p->n + j];
    if (k < p->determined) {
      sum += part * part / (p->s[k] * p->s[k]);
    } else if (fabs(part) > nothing) {
      return INFINITY;
    }
  }
  return sum;
}

/* F = V' S^2 V, so that its determinant and the trace of its inverse are those of S^2, and the covariance is V' S^-2 V. */
void information_judge(information *i, information_precision *p) {
  reduce(i);
  p->determined = 0, p->log_det = p->trace = 0;
  if (i->n == 0) { return; }
  /* Jacobi's method works in the rows below the triangle, which are zero before and after. */
  double *R = i->A + (size_t)i->n * (size_t)i->n;
  memcpy(R, i->A, (size_t)i->n * (size_t)i->n * sizeof *R);
  svd_jacobi(i->n, R, p->s, p->V);
  memset(R, 0, (size_t)i->n * (size_t)i->n * sizeof *R);
  for (int k = 0; k < p->n && p->s[k] > blind * p->s[0]; k++) {
    p->determined++;
    p->log_det += 2 * log(p->s[k]), p->trace += 1 / (p->s[k] * p->s[k]);
  }
  for (int j = 0; j < p->n; j++) { p->deviation[j] = sqrt(variance(p, j)); }
}
