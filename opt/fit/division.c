#include "fit/division.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

static const double enough = 1e-5; /* part by which intervals of the optimum are shorter, at which the iteration ends */
enum { ITERATIONS = 20000 };

/* The problem in r coordinates in which the information of data and candidates together is the unit matrix. */
typedef struct effort {
  int r, ncandidate, by_volume;
  double *F;         /* [ncandidate][r][r] of each candidate, with all of the data, since the shares have the sum 1 */
  double *A;         /* [r] the trace of the covariance is sum_k A_k (F^-1)_kk */
  double *M, *slope; /* [r][r] inverse of the information; [ncandidate] */
} effort;

/* F [r][r] += (R Z)'(R Z) for the rows R of i, with the columns V_k/s_k of Z. */
static void add_whitened(const information *i, const information_precision *p, int r, double *row, double *F) {
  for (int l = 0; l < i->rows; l++) {
    for (int k = 0; k < r; k++) {
      row[k] = 0;
      for (int j = 0; j < i->n; j++) { row[k] += i->A[l * i->n + j] * p->V[k * i->n + j] / p->s[k]; }
    }
    for (int a = 0; a < r; a++) {
      for (int b = 0; b < r; b++) { F[a * r + b] += row[a] * row[b]; }
    }
  }
}

/* The slope of the criterion by each share: tr(M F_c), of ln det F, or tr(M F_c M A), of -tr(A F^-1), with M = F^-1. Returns their mean by the shares. */
static double find_slopes(effort *d, const double *share) {
  const int r = d->r;
  double mean = 0;
  memset(d->M, 0, (size_t)(r * r) * sizeof *d->M);
  for (int c = 0; c < d->ncandidate; c++) {
    for (int k = 0; k < r * r; k++) { d->M[k] += share[c] * d->F[(size_t)c * (size_t)(r * r) + (size_t)k]; }
  }
  information_invert(r, d->M);
  for (int c = 0; c < d->ncandidate; c++) {
    const double *F = d->F + (size_t)c * (size_t)(r * r);
    d->slope[c] = 0;
    for (int a = 0; a < r; a++) {
      for (int b = 0; b < r; b++) {
        double weight = d->M[a * r + b]; /* of F_ab: M, or M A M */
        if (!d->by_volume) {
          weight = 0;
          for (int k = 0; k < r; k++) { weight += d->M[a * r + k] * d->A[k] * d->M[k * r + b]; }
        }
        d->slope[c] += weight * F[a * r + b];
      }
    }
    mean += share[c] * d->slope[c];
  }
  return mean;
}

/* Each share times its slope, or the root of it, over the mean: every step improves the criterion. Both criteria are concave in the shares, so
 * that the largest slope less the mean bounds what is left. */
static double divide(effort *d, double *share) {
  for (int iteration = 0;; iteration++) {
    const double mean = find_slopes(d, share);
    double largest = 0, sum = 0;
    for (int c = 0; c < d->ncandidate; c++) { largest = fmax(largest, d->slope[c]); }
    /* of ln det F per interval; of the root of the trace, mean = tr(A F^-1) */
    const double gap = d->by_volume ? (largest - mean) / (2 * d->r) : (largest - mean) / (2 * mean);
    if (gap <= enough || iteration == ITERATIONS) { return fmax(gap, 0); }
    for (int c = 0; c < d->ncandidate; c++) {
      share[c] *= d->by_volume ? d->slope[c] / mean : sqrt(d->slope[c] / mean);
      sum += share[c];
    }
    for (int c = 0; c < d->ncandidate; c++) { share[c] /= sum; }
  }
}

mbd_status division_find(const information *data, int ncandidate, information *const *candidate, int by_volume,
                         double *share, double *gap, mbd_error *err) {
  const int n = data->n;
  const size_t size = (size_t)n * (size_t)n, count = (size_t)ncandidate;
  information all;
  information_precision p = {.n = 0};
  /* the directions that all together determine */
  mbd_status status = information_create(n, &all, err);
  if (status == MBD_OK) { status = information_precision_create(n, &p, err); }
  double *memory = mbd_zeros(count * (size + 1) + size + 2 * (size_t)n, sizeof *memory);
  if (status == MBD_OK && !memory) { status = MEMORY_NONE(err, "the shares of measurements"); }
  *gap = 0;
  if (status == MBD_OK) {
    information_add(&all, data);
    for (int c = 0; c < ncandidate; c++) { information_add(&all, candidate[c]); }
    information_judge(&all, &p);
    effort d = {.r = p.determined, .ncandidate = ncandidate, .by_volume = by_volume, .F = memory};
    double *row = memory + count * size;
    d.A = row + n, d.slope = d.A + n, d.M = d.slope + count;
    for (int k = 0; k < d.r; k++) { d.A[k] = 1 / (p.s[k] * p.s[k]); }
    for (int c = 0; c < ncandidate; c++) {
      double *F = d.F + (size_t)c * (size_t)(d.r * d.r);
      add_whitened(data, &p, d.r, row, F);
      add_whitened(candidate[c], &p, d.r, row, F);
      share[c] = 1.0 / ncandidate;
    }
    if (d.r > 0) { *gap = divide(&d, share); }
  }
  information_free(&all), information_precision_free(&p);
  free(memory);
  return status;
}
