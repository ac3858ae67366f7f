/* Eigenvalues by LAPACK, refined. The QR iteration has an error of eps |A| times the condition number of an eigenvalue, whatever the
 * size of the eigenvalue. With stiff parts (the slip of a tyre, entries of 1e9) this error can exceed the eigenvalue of a slow mode.
 * Newton's iteration on A x = lam x, x_k = 1 from there reduces the error to that of rounding in the single entries of A.
 *
 * A coordinate on which nothing depends has a column of A that is zero but for rounding. Balancing scales it by that rounding, and the
 * coordinate's displacement, which is scaled back, swamps all eigenvectors. Where a residual shows this, the vector comes from inverse iteration
 * on the matrix as it is. */
#include "la/eigen.h"

#include <math.h>

double mbd_eigen_residual(int n, const double *a, double re, double im, const double *v, const double *w) {
  double max = 0, largest = 0;
  for (int i = 0; i < n; i++) {
    const double w_i = w ? w[i] : 0;
    double left = -re * v[i] + im * w_i, left_w = -re * w_i - im * v[i], size = hypot(re, im);
    for (int j = 0; j < n; j++) {
      left += a[i * n + j] * v[j], left_w += w ? a[i * n + j] * w[j] : 0;
      size += fabs(a[i * n + j]);
    }
    if (size > 0) { max = fmax(max, hypot(left, left_w) / size); }
    largest = fmax(largest, hypot(v[i], w_i));
  }
  return largest > 0 ? max / largest : INFINITY;
}

#if defined(MBD_HAVE_LAPACK) && !defined(MBD_COMPLEX)

#include <complex.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

extern void dgeevx_(const char *balance, const char *left, const char *right, const char *sense, const int *n,
                    double *a, const int *lda, double *re, double *im, double *vl, const int *ldvl, double *vr,
                    const int *ldvr, int *low, int *high, double *scale, double *norm, double *condition,
                    double *condition_v, double *work, const int *lwork, int *iwork, int *info, size_t, size_t, size_t,
                    size_t);
extern void zgesv_(const int *n, const int *nrhs, double complex *a, const int *lda, int *piv, double complex *b,
                   const int *ldb, int *info);

enum { INVERSIONS = 3 };
static const double wrong = 1e-6;         /* residual of an eigenvector that is none */
enum { REFINEMENTS = 40 };                /* close to a double eigenvalue each one halves the distance only */
static const double errors_at_most = 100; /* times LAPACK's bound: a value farther away is another eigenvalue */
static const double same =
    1e-4; /* two eigenvalues are one if their distance falls below this part of the earlier one */

typedef struct eigenproblem {
  int n;
  double *a;                     /* [n][n]; LAPACK overwrites the given one */
  double *left, *scale, *unused; /* [n][n + 1], [n], [n] arrays that LAPACK writes */
  double *condition;             /* [n] of the eigenvalues, reciprocal */
  double norm;                   /* of the balanced matrix */
  double *work;                  /* [work_size(n)] */
  double complex *given;         /* [n] eigenvalues that LAPACK gives */
  double complex *lam;           /* [n] refined, or the given one where the refinement failed */
  double complex *shape;         /* [n][n] refined eigenvectors */
  double complex *r, *B;         /* [n], [n][n] of one iteration */
  int *piv;                      /* [n] */
} eigenproblem;

static int work_size(int n) {
  return n * (n + 6) + 1;
}

static void layout(eigenproblem *problem, mbd_arena *m) {
  const size_t n = (size_t)problem->n;
  problem->a = mbd_arena_take(m, n * n * sizeof *problem->a);
  problem->left = mbd_arena_take(m, n * (n + 1) * sizeof *problem->left);
  problem->scale = mbd_arena_take(m, n * sizeof *problem->scale);
  problem->unused = mbd_arena_take(m, n * sizeof *problem->unused);
  problem->condition = mbd_arena_take(m, n * sizeof *problem->condition);
  problem->work = mbd_arena_take(m, (size_t)work_size(problem->n) * sizeof *problem->work);
  problem->given = mbd_arena_take(m, n * sizeof *problem->given);
  problem->lam = mbd_arena_take(m, n * sizeof *problem->lam);
  problem->shape = mbd_arena_take(m, n * n * sizeof *problem->shape);
  problem->r = mbd_arena_take(m, n * sizeof *problem->r);
  problem->B = mbd_arena_take(m, n * n * sizeof *problem->B);
  problem->piv = mbd_arena_take(m, n * sizeof *problem->piv);
}

/* Our rows are Fortran's columns, so that LAPACK gets the transposed matrix. Its left eigenvectors are conjugates of those of A. */
static mbd_status by_lapack(eigenproblem *problem, double *a, double *re, double *im, double *v, mbd_error *err) {
  const int n = problem->n, lwork = work_size(n);
  int info = 0, low = 0, high = 0;
  dgeevx_("B", "V", "V", "E", &n, a, &n, re, im, v, &n, problem->left, &n, &low, &high, problem->scale, &problem->norm,
          problem->condition, problem->unused, problem->work, &lwork, problem->piv, &info, 1, 1, 1, 1);
  if (info) { MBD_FAIL(err, MBD_NO_CONVERGENCE, "the eigenvalues of the linearized motion did not converge"); }
  for (int i = 0; i < n; i++) {
    if (im[i] >= 0) { continue; }
    for (int k = 0; k < n; k++) {
      v[i * n + k] = -v[i * n + k];
    } /* u^H A' = lam u^H: conj(u) is the eigenvector of A */
  }
  return MBD_OK;
}

/* B := A - lam, by columns */
static void shifted(eigenproblem *problem, double complex lam) {
  const int n = problem->n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { problem->B[j * n + i] = problem->a[i * n + j]; }
    problem->B[i * n + i] -= lam;
  }
}

/* Replaces the vector v (+ i w; NULL: real) of eigenvalue i by inverse iteration, from a start without a pattern that differs between
 * eigenvalues, so that those of a multiple one are independent if it has as many. The better one stays. */
static void iterate_inversely(eigenproblem *problem, int i, double re, double im, double *v, double *w) {
  const int n = problem->n, one = 1;
  double complex *x = problem->r;
  const double complex lam = re + im * I + DBL_EPSILON * (cabs(re + im * I) + DBL_EPSILON * problem->norm);
  const double before = mbd_eigen_residual(n, problem->a, re, im, v, w);
  int info = 0;
  if (before <= wrong) { return; }
  for (int j = 0; j < n; j++) { x[j] = cos((i + 1.0) * (j + 1)) + (w ? sin((i + 1.0) * (j + 1)) * I : 0); }
  for (int it = 0; it < INVERSIONS && info == 0; it++) {
    double largest = 0;
    shifted(problem, lam);
    zgesv_(&n, &one, problem->B, &n, problem->piv, x, &n, &info);
    for (int j = 0; j < n; j++) { largest = fmax(largest, cabs(x[j])); }
    for (int j = 0; j < n; j++) { x[j] /= largest; }
  }
  double *real = problem->left, *imaginary = problem->left + n; /* LAPACK's are not read any more */
  for (int j = 0; j < n; j++) { real[j] = creal(x[j]), imaginary[j] = cimag(x[j]); }
  if (info || !(mbd_eigen_residual(n, problem->a, re, im, real, w ? imaginary : NULL) < before)) { return; }
  memcpy(v, real, (size_t)n * sizeof *v);
  if (w) { memcpy(w, imaginary, (size_t)n * sizeof *w); }
}

/* One step of Newton's iteration for x and *lam. It solves
 *   (A - lam) dx - dlam x = -(A x - lam x),   dx_k = 0
 * where dlam takes the column of dx_k. Returns |dlam|, or -1 if the matrix is singular. */
static double newton(eigenproblem *problem, int k, double complex *x, double complex *lam) {
  const int n = problem->n, one = 1;
  int info = 0;
  for (int i = 0; i < n; i++) {
    double complex r = *lam * x[i];
    for (int j = 0; j < n; j++) { r -= problem->a[i * n + j] * x[j]; }
    problem->r[i] = r;
  }
  shifted(problem, *lam);
  for (int i = 0; i < n; i++) { problem->B[k * n + i] = -x[i]; }
  zgesv_(&n, &one, problem->B, &n, problem->piv, problem->r, &n, &info);
  if (info) { return -1; }
  for (int i = 0; i < n; i++) {
    if (i != k) { x[i] += problem->r[i]; }
  }
  *lam += problem->r[k];
  return cabs(problem->r[k]);
}

/* Refines eigenvalue i, from *lam and x of LAPACK, while the steps become smaller. Returns 0 if it moved farther than LAPACK's error. */
static int refine(eigenproblem *problem, int i, double complex *x, double complex *lam) {
  const double complex first = *lam;
  const double reach = errors_at_most * DBL_EPSILON * problem->norm / problem->condition[i];
  int k = 0;
  for (int j = 1; j < problem->n; j++) { k = cabs(x[j]) > cabs(x[k]) ? j : k; }
  const double complex scale = x[k];
  for (int j = 0; j < problem->n; j++) { x[j] /= scale; }
  double last = INFINITY;
  for (int it = 0; it < REFINEMENTS; it++) {
    const double step = newton(problem, k, x, lam);
    if (!(step >= 0) || !(cabs(*lam - first) <= reach)) { return 0; }
    if (step <= DBL_EPSILON * cabs(*lam) || step >= last) { break; }
    last = step;
  }
  return 1;
}

/* Do all refined eigenvalues stay apart from eigenvalue i? Two that converged to the same value agree to far more digits than `same`. */
static int stays_apart(const eigenproblem *problem, int i) {
  for (int j = 0; j < problem->n; j++) {
    const double before = cabs(problem->given[i] - problem->given[j]);
    if (j != i && cabs(problem->lam[i] - problem->lam[j]) < same * before) { return 0; }
  }
  return 1;
}

/* The value of a pair that is zero but for rounding can cross the real axis; the one with the positive imaginary part stays the first. */
static void take_refined(const eigenproblem *problem, int i, double *re, double *im, double *v) {
  const int n = problem->n, pair = im[i] != 0;
  const double sign = pair && cimag(problem->lam[i]) < 0 ? -1 : 1;
  re[i] = creal(problem->lam[i]), im[i] = sign * cimag(problem->lam[i]);
  for (int k = 0; k < n; k++) { v[i * n + k] = creal(problem->shape[i * n + k]); }
  if (!pair) { return; }
  re[i + 1] = re[i], im[i + 1] = -im[i];
  for (int k = 0; k < n; k++) { v[(i + 1) * n + k] = sign * cimag(problem->shape[i * n + k]); }
}

static void refine_all(eigenproblem *problem, double *re, double *im, double *v) {
  const int n = problem->n;
  for (int i = 0; i < n; i++) {
    problem->given[i] = problem->lam[i] = re[i] + im[i] * I;
    if (im[i] < 0) { /* the second of a pair */
      problem->lam[i] = conj(problem->lam[i - 1]);
      continue;
    }
    double complex *x = problem->shape + i * n;
    iterate_inversely(problem, i, re[i], im[i], v + i * n, im[i] > 0 ? v + (i + 1) * n : NULL);
    for (int k = 0; k < n; k++) { x[k] = v[i * n + k] + (im[i] > 0 ? v[(i + 1) * n + k] * I : 0); }
    if (!refine(problem, i, x, &problem->lam[i])) { problem->lam[i] = problem->given[i]; }
  }
  for (int i = 0; i < n; i++) {
    const int refined = cimag(problem->given[i]) >= 0 && problem->lam[i] != problem->given[i];
    if (refined && stays_apart(problem, i)) { take_refined(problem, i, re, im, v); }
  }
}

mbd_status mbd_eigen(int n, double *a, double *re, double *im, double *v, mbd_error *err) {
  eigenproblem q = {.n = n};
  mbd_arena memory = {0};
  while (mbd_arena_pass(&memory)) { layout(&q, &memory); }
  MBD_TRY(mbd_arena_check(&memory, "eigenvalues", err));
  memcpy(q.a, a, (size_t)n * (size_t)n * sizeof *a);
  const mbd_status status = by_lapack(&q, a, re, im, v, err);
  if (status == MBD_OK) { refine_all(&q, re, im, v); }
  free(memory.base);
  return status;
}

#else

mbd_status mbd_eigen(int n, double *a, double *re, double *im, double *v, mbd_error *err) {
  (void)n, (void)a, (void)re, (void)im, (void)v;
  MBD_FAIL(err, MBD_NOT_BUILT_IN,
           "eigenvalues: built without LAPACK; install the Debian package libopenblas-dev and build again");
}

#endif
