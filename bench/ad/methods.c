/* Ways to differentiate the residual. Dense ones take all 2 nz columns of {z, zd}, coloured ones a column for each colour. */
#include <string.h>

#include "tangents.h"

static void by_sweeps(tangents *q, const ad_point *at, double *K, double *C) {
  mbd_sim *s = q->own;
  const motion_terms e = motion_equations(s->eq, at->lam);
  motion_place(s->w, s->p, at->t, at->z);
  motion_move(s->w, at->zd, at->zdd, 1);
  motion_jacobian(s->w, &e, NULL, K, C, NULL, NULL);
}

/* ---- results of all columns, or of colours, into K and C ---- */

/* K, C := the halves of J [nz][2 nz]. */
static void split(const tangents *q, double *K, double *C) {
  const size_t n = (size_t)q->nz, row = n * sizeof *K;
  for (size_t i = 0; i < n; i++) {
    memcpy(K + i * n, q->B + 2 * i * n, row), memcpy(C + i * n, q->B + (2 * i + 1) * n, row);
  }
}

/* K, C from their colours B [nz][2 ncolour]. */
static void spread(const tangents *q, double *K, double *C) {
  const int n = q->nz, nc = q->use->ncolour;
  for (int i = 0; i < n; i++) {
    for (int p = 0; p < q->use->at.count[i]; p++) {
      const int j = q->use->at.col[i * n + p];
      K[i * n + j] = q->B[2 * i * nc + q->use->colour[j]];
      C[i * n + j] = q->B[(2 * i + 1) * nc + q->use->colour[j]];
    }
  }
}

/* ---- differences ---- */

/* Centred ones, as S3 takes them: column c of B [nz][columns] from independents of the colour c. */
static void differences(tangents *q, const ad_point *at, int columns, const int *colour) {
  static const double step = 6e-6; /* the cube root of the rounding */
  const int n = q->nz;
  for (int c = 0; c < columns; c++) {
    for (int side = 0; side < 2; side++) {
      const double d = side ? -step : step;
      for (int j = 0; j < n; j++) {
        q->x[j] = at->z[j] + (colour[j] == c ? d : 0);
        q->y[j] = at->zd[j] + (colour[n + j] == c ? d : 0);
      }
      tangents_residual(q, &(ad_point){at->t, q->x, q->y, at->zdd, at->lam}, q->R[side]);
    }
    for (int i = 0; i < n; i++) { q->B[i * columns + c] = (q->R[0][i] - q->R[1][i]) / (2 * step); }
  }
}

static void dense_differences(tangents *q, const ad_point *at, double *K, double *C) {
  differences(q, at, 2 * q->nz, q->each);
  split(q, K, C);
}

static void coloured_differences(tangents *q, const ad_point *at, double *K, double *C) {
  differences(q, at, 2 * q->use->ncolour, q->use->joint);
  spread(q, K, C);
}

/* ---- automatic differentiation ---- */

static void dual_dense(tangents *q, const ad_point *at, double *K, double *C) {
  ad_dual()->forward(q->ad[0], at, &(ad_seeds){2 * q->nz, q->each}, q->B);
  split(q, K, C);
}

static void dual_coloured(tangents *q, const ad_point *at, double *K, double *C) {
  ad_dual()->forward(q->ad[0], at, &(ad_seeds){2 * q->use->ncolour, q->use->joint}, q->B);
  spread(q, K, C);
}

#ifdef BENCH_HAVE_ADOLC
static void adolc_dense(tangents *q, const ad_point *at, double *K, double *C) {
  ad_adolc()->forward(q->ad[1], at, &(ad_seeds){2 * q->nz, q->each}, q->B);
  split(q, K, C);
}

static void adolc_reverse(tangents *q, const ad_point *at, double *K, double *C) {
  ad_adolc()->reverse(q->ad[1], at, q->B);
  split(q, K, C);
}

static void adolc_coloured(tangents *q, const ad_point *at, double *K, double *C) {
  ad_adolc()->forward(q->ad[1], at, &(ad_seeds){2 * q->use->ncolour, q->use->joint}, q->B);
  spread(q, K, C);
}
#endif

const method *method_at(int i) {
  static const method methods[] = {
      {"analytic", by_sweeps, 0},
      {"differences", dense_differences, 0},
      {"coloured differences", coloured_differences, 0},
      {"dual numbers", dual_dense, 0},
      {"coloured dual numbers", dual_coloured, 0},
#ifdef BENCH_HAVE_ADOLC
      {"ADOL-C forward", adolc_dense, 1},
      {"ADOL-C reverse", adolc_reverse, 1},
      {"ADOL-C sparse", adolc_coloured, 1},
#endif
  };
  return i < (int)(sizeof methods / sizeof methods[0]) ? &methods[i] : NULL;
}
