/* The rows and columns of A in the order (p, m): k pivots p of the basis D, and the rest m. With D scaled to D_p = 1,
 *   A_2 = A_mm - D_m A_pm           A on the quotient space, for vectors without their part in D
 *   v = E_m v_2 + D c,  (J - lam) c = -A_pm v_2,   J = (A D)_p;       w = (-D_m' w_2, w_2)
 * D begins empty. Null vectors of A_2 join it until there are none, so that those of a later round are taken into D by A.
 * Elimination leaves stiff rows (the slip of a tyre, entries of 1e9) in their place, which a basis of orthonormal vectors would mix with all others. */
#include "la/rigid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "la/eigen.h"

#if defined(MBD_HAVE_LAPACK) && !defined(MBD_COMPLEX)

#include <complex.h>

extern void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda,
                    double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
                    int *info, size_t, size_t);
extern void zgesv_(const int *n, const int *nrhs, double complex *a, const int *lda, int *piv, double complex *b,
                   const int *ldb, int *info);

static const double rounding = 1000 * DBL_EPSILON; /* of a sum, relative to the sum of the magnitudes */
static const double pivot_from = 0.1;              /* part of the largest entry of a vector */

typedef struct quotient {
  int n, k;
  const double *a;                     /* [n][n] */
  double *D;                           /* [n][n] columns 0 .. k - 1 */
  int *p, *m;                          /* [k], [n - k] */
  double *row;                         /* [n] largest entries of the rows of A */
  double *size;                        /* [n - k] the same of A_2 before anything cancels */
  double *A2;                          /* [n - k][n - k] */
  double *scaled, *s, *U, *work;       /* singular values */
  double *re, *im, *v2;                /* of A_2 */
  double complex *V, *W, *factors, *J; /* [n][n] */
  double complex *c, *x, *lifted;      /* [n] */
  int *piv;
} quotient;

static int work_size(int n) {
  return 8 * n + 8;
}

static void layout(quotient *q, mbd_arena *arena) {
  const size_t n = (size_t)q->n, size = n * n;
  q->p = mbd_arena_take(arena, n * sizeof *q->p);
  q->m = mbd_arena_take(arena, n * sizeof *q->m);
  q->piv = mbd_arena_take(arena, n * sizeof *q->piv);
  q->D = mbd_arena_take(arena, size * sizeof *q->D);
  q->row = mbd_arena_take(arena, n * sizeof *q->row);
  q->size = mbd_arena_take(arena, n * sizeof *q->size);
  q->A2 = mbd_arena_take(arena, size * sizeof *q->A2);
  q->scaled = mbd_arena_take(arena, size * sizeof *q->scaled);
  q->s = mbd_arena_take(arena, n * sizeof *q->s);
  q->U = mbd_arena_take(arena, size * sizeof *q->U);
  q->work = mbd_arena_take(arena, (size_t)work_size(q->n) * sizeof *q->work);
  q->re = mbd_arena_take(arena, n * sizeof *q->re);
  q->im = mbd_arena_take(arena, n * sizeof *q->im);
  q->v2 = mbd_arena_take(arena, size * sizeof *q->v2);
  q->V = mbd_arena_take(arena, size * sizeof *q->V);
  q->W = mbd_arena_take(arena, size * sizeof *q->W);
  q->factors = mbd_arena_take(arena, size * sizeof *q->factors);
  q->J = mbd_arena_take(arena, size * sizeof *q->J);
  q->c = mbd_arena_take(arena, n * sizeof *q->c);
  q->x = mbd_arena_take(arena, n * sizeof *q->x);
  q->lifted = mbd_arena_take(arena, n * sizeof *q->lifted);
}

/* ---- the basis D ---- */

/* m, A_2, and the sizes of its rows. */
static void reduce(quotient *q) {
  const int n = q->n, n2 = n - q->k;
  int count = 0;
  for (int i = 0; i < n; i++) {
    int is_pivot = 0;
    for (int k = 0; k < q->k; k++) { is_pivot |= q->p[k] == i; }
    if (!is_pivot) { q->m[count++] = i; }
  }
  for (int i = 0; i < n2; i++) {
    q->size[i] = 0;
    for (int j = 0; j < n2; j++) {
      double entry = q->a[q->m[i] * n + q->m[j]], size = fabs(entry);
      for (int k = 0; k < q->k; k++) {
        const double part = q->D[q->m[i] * n + k] * q->a[q->p[k] * n + q->m[j]];
        entry -= part, size += fabs(part);
      }
      q->A2[i * n2 + j] = entry, q->size[i] = fmax(q->size[i], size);
    }
  }
}

/* Is A_2 x zero but for rounding in its rows? */
static int is_null(const quotient *q, const double *x) {
  const int n2 = q->n - q->k;
  double largest = 0;
  for (int j = 0; j < n2; j++) { largest = fmax(largest, fabs(x[j])); }
  for (int i = 0; i < n2; i++) {
    double sum = 0;
    for (int j = 0; j < n2; j++) { sum += q->A2[i * n2 + j] * x[j]; }
    if (!(fabs(sum) <= rounding * fmax(q->size[i], q->row[q->m[i]]) * largest)) { return 0; }
  }
  return 1;
}

/* The entry by which x, of the rest, is divided: of the large ones that whose row of A has the smallest entries. */
static int pivot_of(const quotient *q, const double *x) {
  const int n2 = q->n - q->k;
  double largest = 0;
  int pivot = -1;
  for (int i = 0; i < n2; i++) { largest = fmax(largest, fabs(x[i])); }
  for (int i = 0; i < n2; i++) {
    if (fabs(x[i]) < pivot_from * largest) { continue; }
    if (pivot < 0 || q->row[q->m[i]] < q->row[q->m[pivot]]) { pivot = i; }
  }
  return pivot;
}

/* D gains the vector x of the rest, which has no part at the present pivots. */
static void join(quotient *q, const double *x) {
  const int n = q->n, n2 = n - q->k, pivot = pivot_of(q, x), row = q->m[pivot];
  for (int i = 0; i < n; i++) { q->D[i * n + q->k] = 0; }
  for (int i = 0; i < n2; i++) {
    const double part = x[i] / x[pivot];
    q->D[q->m[i] * n + q->k] = fabs(part) > rounding ? part : 0;
  }
  for (int k = 0; k < q->k; k++) {
    const double part = q->D[row * n + k];
    for (int i = 0; part != 0 && i < n; i++) { q->D[i * n + k] -= part * q->D[i * n + q->k]; }
    q->D[row * n + k] = 0;
  }
  q->p[q->k++] = row;
  reduce(q);
}

/* A coordinate on which nothing depends: a column of A_2 that is zero. Returns 1 if one has joined D. */
static int join_coordinate(quotient *q) {
  const int n2 = q->n - q->k;
  double *x = q->s;
  for (int j = 0; j < n2; j++) {
    memset(x, 0, (size_t)n2 * sizeof *x);
    x[j] = 1;
    if (is_null(q, x)) {
      join(q, x);
      return 1;
    }
  }
  return 0;
}

/* The vector of the smallest singular value, where its rows have the same size. */
static int join_vector(quotient *q) {
  const int n2 = q->n - q->k, lwork = work_size(q->n), one = 1;
  int info = 0;
  double unused;
  for (int i = 0; i < n2; i++) {
    for (int j = 0; j < n2; j++) { q->scaled[i * n2 + j] = q->size[i] > 0 ? q->A2[i * n2 + j] / q->size[i] : 0; }
  }
  /* LAPACK reads the transposed matrix, whose left vectors are those that A_2 takes to zero. */
  dgesvd_("A", "N", &n2, &n2, q->scaled, &n2, q->s, q->U, &n2, &unused, &one, q->work, &lwork, &info, 1, 1);
  const double *x = q->U + (n2 - 1) * n2;
  if (info || !is_null(q, x)) { return 0; }
  join(q, x);
  return 1;
}

static void find_rigid(quotient *q) {
  const int n = q->n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { q->row[i] = fmax(q->row[i], fabs(q->a[i * n + j])); }
  }
  reduce(q);
  while (q->k < n && (join_coordinate(q) || join_vector(q))) {}
}

/* ---- vectors ---- */

/* J = (A D)_p, which is zero but for the rates by which one vector takes others along. */
static double rate(const quotient *q, int i, int k) {
  double sum = 0;
  for (int j = 0; j < q->n; j++) { sum += q->a[q->p[i] * q->n + j] * q->D[j * q->n + k]; }
  return sum;
}

static double residual_of(const quotient *q, int k) {
  double max = 0, largest = 0;
  for (int i = 0; i < q->n; i++) {
    double sum = 0, size = 0;
    for (int j = 0; j < q->n; j++) { sum += q->a[i * q->n + j] * q->D[j * q->n + k], size += fabs(q->a[i * q->n + j]); }
    for (int l = 0; l < q->k; l++) { sum -= q->D[i * q->n + l] * rate(q, l, k); }
    if (size > 0) { max = fmax(max, fabs(sum) / size); }
    largest = fmax(largest, fabs(q->D[i * q->n + k]));
  }
  return max / largest;
}

/* v [n] of v_2 = x [n - k] by c. */
static void lift_right(quotient *q, double complex lam, const double complex *x, double complex *v) {
  const int n = q->n, k = q->k, n2 = n - k, one = 1;
  int info = 0;
  for (int i = 0; i < k; i++) {
    q->c[i] = 0;
    for (int j = 0; j < n2; j++) { q->c[i] -= q->a[q->p[i] * n + q->m[j]] * x[j]; }
    for (int l = 0; l < k; l++) { q->J[l * k + i] = rate(q, i, l) - (i == l ? lam : 0); } /* by columns */
  }
  if (k > 0) { zgesv_(&k, &one, q->J, &k, q->piv, q->c, &k, &info); }
  for (int i = 0; i < n; i++) { v[i] = 0; }
  for (int j = 0; j < n2; j++) { v[q->m[j]] = x[j]; }
  for (int i = 0; i < n; i++) {
    for (int l = 0; l < k; l++) { v[i] += q->D[i * n + l] * q->c[l]; }
  }
}

static void lift_left(const quotient *q, const double complex *x, double complex *w) {
  const int n = q->n, n2 = n - q->k;
  for (int j = 0; j < n2; j++) { w[q->m[j]] = x[j]; }
  for (int k = 0; k < q->k; k++) {
    w[q->p[k]] = 0;
    for (int j = 0; j < n2; j++) { w[q->p[k]] -= q->D[q->m[j] * n + k] * x[j]; }
  }
}

/* V: eigenvectors of A_2 by columns, of length 1 at their largest entries; W := V^-1 by columns, so that w_i'v_j = 1 or 0 also where
 * eigenvalues are equal. Returns 0 if they are linearly dependent. */
static int invert(quotient *q, int n2) {
  int info = 0;
  for (int i = 0; i < n2; i++) {
    const int first = q->im[i] < 0 ? i - 1 : i, sign = q->im[i] < 0 ? -1 : 1;
    double largest = 0;
    for (int k = 0; k < n2; k++) {
      const double im = q->im[i] != 0 ? q->v2[(first + 1) * n2 + k] : 0;
      q->V[i * n2 + k] = q->v2[first * n2 + k] + sign * im * I;
      largest = fmax(largest, cabs(q->V[i * n2 + k]));
    }
    for (int k = 0; k < n2; k++) { q->V[i * n2 + k] /= largest, q->W[i * n2 + k] = i == k; }
  }
  memcpy(q->factors, q->V, (size_t)(n2 * n2) * sizeof *q->factors);
  zgesv_(&n2, &n2, q->factors, &n2, q->piv, q->W, &n2, &info);
  return info == 0;
}

static void put(int n, int i, int pair, const double complex *x, double *rows) {
  for (int k = 0; k < n; k++) {
    rows[i * n + k] = creal(x[k]);
    if (pair) { rows[(i + 1) * n + k] = cimag(x[k]); }
  }
}

/* The eigenvalues of A_2, with vectors of A, behind those that are zero. */
static mbd_status take_others(quotient *q, double *re, double *im, double *v, double *w, double *residual,
                              mbd_error *err) {
  const int n = q->n, n2 = n - q->k;
  memcpy(q->scaled, q->A2, (size_t)(n2 * n2) * sizeof *q->scaled);
  MBD_TRY(mbd_eigen(n2, q->scaled, q->re, q->im, q->v2, err));
  const int independent = invert(q, n2);
  for (int i = 0; i < n2; i++) {
    const int at = q->k + i, pair = q->im[i] > 0;
    re[at] = q->re[i], im[at] = q->im[i];
    if (q->im[i] < 0) {
      residual[at] = residual[at - 1];
      continue;
    }
    lift_right(q, q->re[i] + q->im[i] * I, q->V + i * n2, q->lifted);
    put(n, at, pair, q->lifted, v);
    residual[at] = mbd_eigen_residual(n, q->a, re[at], im[at], v + at * n, pair ? v + (at + 1) * n : NULL);
    for (int k = 0; k < n2; k++) { q->x[k] = independent ? q->W[k * n2 + i] : NAN; }
    lift_left(q, q->x, q->lifted);
    put(n, at, pair, q->lifted, w);
  }
  return MBD_OK;
}

mbd_status mbd_eigen_rigid(int n, const double *a, int *nrigid, double *re, double *im, double *v, double *w,
                           double *residual, mbd_error *err) {
  quotient q = {.n = n, .a = a};
  mbd_arena memory = {0};
  while (mbd_arena_pass(&memory)) { layout(&q, &memory); }
  MBD_TRY(mbd_arena_check(&memory, "eigenvalues", err));
  find_rigid(&q);
  memset(w, 0, (size_t)n * (size_t)n * sizeof *w);
  for (int k = 0; k < q.k; k++) {
    re[k] = im[k] = 0, residual[k] = residual_of(&q, k);
    for (int i = 0; i < n; i++) { v[k * n + i] = q.D[i * n + k]; }
  }
  *nrigid = q.k;
  const mbd_status status = q.k < n ? take_others(&q, re, im, v, w, residual, err) : MBD_OK;
  free(memory.base);
  return status;
}

#else

mbd_status mbd_eigen_rigid(int n, const double *a, int *nrigid, double *re, double *im, double *v, double *w,
                           double *residual, mbd_error *err) {
  (void)a, (void)w, (void)residual;
  *nrigid = 0;
  return mbd_eigen(n, NULL, re, im, v, err); /* says what is missing */
}

#endif
