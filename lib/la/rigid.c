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
/* A row of smaller entries [1/s, 1/s^2] may be what rounding leaves of larger ones: 2e-13/s^2 would be a period of half a year. */
static const double floor_of_rows = 1;
static const double pivot_from = 0.1; /* part of the largest entry of a vector */

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

static void layout(quotient *quot, mbd_arena *arena) {
  const size_t n = (size_t)quot->n, size = n * n;
  quot->p = mbd_arena_take(arena, n * sizeof *quot->p);
  quot->m = mbd_arena_take(arena, n * sizeof *quot->m);
  quot->piv = mbd_arena_take(arena, n * sizeof *quot->piv);
  quot->D = mbd_arena_take(arena, size * sizeof *quot->D);
  quot->row = mbd_arena_take(arena, n * sizeof *quot->row);
  quot->size = mbd_arena_take(arena, n * sizeof *quot->size);
  quot->A2 = mbd_arena_take(arena, size * sizeof *quot->A2);
  quot->scaled = mbd_arena_take(arena, size * sizeof *quot->scaled);
  quot->s = mbd_arena_take(arena, n * sizeof *quot->s);
  quot->U = mbd_arena_take(arena, size * sizeof *quot->U);
  quot->work = mbd_arena_take(arena, (size_t)work_size(quot->n) * sizeof *quot->work);
  quot->re = mbd_arena_take(arena, n * sizeof *quot->re);
  quot->im = mbd_arena_take(arena, n * sizeof *quot->im);
  quot->v2 = mbd_arena_take(arena, size * sizeof *quot->v2);
  quot->V = mbd_arena_take(arena, size * sizeof *quot->V);
  quot->W = mbd_arena_take(arena, size * sizeof *quot->W);
  quot->factors = mbd_arena_take(arena, size * sizeof *quot->factors);
  quot->J = mbd_arena_take(arena, size * sizeof *quot->J);
  quot->c = mbd_arena_take(arena, n * sizeof *quot->c);
  quot->x = mbd_arena_take(arena, n * sizeof *quot->x);
  quot->lifted = mbd_arena_take(arena, n * sizeof *quot->lifted);
}

/* ---- the basis D ---- */

/* m, A_2, and the sizes of its rows. */
static void reduce(quotient *quot) {
  const int n = quot->n, n2 = n - quot->k;
  int count = 0;
  for (int i = 0; i < n; i++) {
    int is_pivot = 0;
    for (int k = 0; k < quot->k; k++) { is_pivot |= quot->p[k] == i; }
    if (!is_pivot) { quot->m[count++] = i; }
  }
  for (int i = 0; i < n2; i++) {
    quot->size[i] = 0;
    for (int j = 0; j < n2; j++) {
      double entry = quot->a[quot->m[i] * n + quot->m[j]], size = fabs(entry);
      for (int k = 0; k < quot->k; k++) {
        const double part = quot->D[quot->m[i] * n + k] * quot->a[quot->p[k] * n + quot->m[j]];
        entry -= part, size += fabs(part);
      }
      quot->A2[i * n2 + j] = entry, quot->size[i] = fmax(quot->size[i], size);
    }
  }
}

/* Is A_2 x zero but for rounding in its rows? */
static int is_null(const quotient *quot, const double *x) {
  const int n2 = quot->n - quot->k;
  double largest = 0;
  for (int j = 0; j < n2; j++) { largest = fmax(largest, fabs(x[j])); }
  for (int i = 0; i < n2; i++) {
    double sum = 0;
    for (int j = 0; j < n2; j++) { sum += quot->A2[i * n2 + j] * x[j]; }
    if (!(fabs(sum) <= rounding * fmax(fmax(quot->size[i], quot->row[quot->m[i]]), floor_of_rows) * largest)) {
      return 0;
    }
  }
  return 1;
}

/* The entry by which x, of the rest, is divided: of the large ones that whose row of A has the smallest entries. */
static int pivot_of(const quotient *quot, const double *x) {
  const int n2 = quot->n - quot->k;
  double largest = 0;
  int pivot = -1;
  for (int i = 0; i < n2; i++) { largest = fmax(largest, fabs(x[i])); }
  for (int i = 0; i < n2; i++) {
    if (fabs(x[i]) < pivot_from * largest) { continue; }
    if (pivot < 0 || quot->row[quot->m[i]] < quot->row[quot->m[pivot]]) { pivot = i; }
  }
  return pivot;
}

/* D gains the vector x of the rest, which has no part at the present pivots. */
static void join(quotient *quot, const double *x) {
  const int n = quot->n, n2 = n - quot->k, pivot = pivot_of(quot, x), row = quot->m[pivot];
  for (int i = 0; i < n; i++) { quot->D[i * n + quot->k] = 0; }
  for (int i = 0; i < n2; i++) {
    const double part = x[i] / x[pivot];
    quot->D[quot->m[i] * n + quot->k] = fabs(part) > rounding ? part : 0;
  }
  for (int k = 0; k < quot->k; k++) {
    const double part = quot->D[row * n + k];
    for (int i = 0; part != 0 && i < n; i++) { quot->D[i * n + k] -= part * quot->D[i * n + quot->k]; }
    quot->D[row * n + k] = 0;
  }
  quot->p[quot->k++] = row;
  reduce(quot);
}

/* A coordinate on which nothing depends: a column of A_2 that is zero. Returns 1 if one has joined D. */
static int join_coordinate(quotient *quot) {
  const int n2 = quot->n - quot->k;
  double *x = quot->s;
  for (int j = 0; j < n2; j++) {
    memset(x, 0, (size_t)n2 * sizeof *x);
    x[j] = 1;
    if (is_null(quot, x)) {
      join(quot, x);
      return 1;
    }
  }
  return 0;
}

/* The vector of the smallest singular value, where its rows have the same size. */
static int join_vector(quotient *quot) {
  const int n2 = quot->n - quot->k, lwork = work_size(quot->n), one = 1;
  int info = 0;
  double unused;
  for (int i = 0; i < n2; i++) {
    for (int j = 0; j < n2; j++) {
      quot->scaled[i * n2 + j] = quot->A2[i * n2 + j] / fmax(quot->size[i], floor_of_rows);
    }
  }
  /* LAPACK reads the transposed matrix, whose left vectors are those that A_2 takes to zero. */
  dgesvd_("A", "N", &n2, &n2, quot->scaled, &n2, quot->s, quot->U, &n2, &unused, &one, quot->work, &lwork, &info, 1, 1);
  const double *x = quot->U + (n2 - 1) * n2;
  if (info || !is_null(quot, x)) { return 0; }
  join(quot, x);
  return 1;
}

/* The pair joins D where A takes it into itself. Its turn's rate and the factor of the second vector in the imaginary part; 0: it does not. */
static double join_pair(quotient *quot, const double *pair, double *second) {
  const int n = quot->n;
  double turned[2] = {0, 0};
  if (!pair) { return 0; }
  /* a, b by least squares, then the rest of A q_0 - a q_1, A q_1 - b q_0 */
  for (int side = 0; side < 2; side++) {
    const double *q = pair + side * n, *other = pair + (1 - side) * n;
    double dot = 0, size = 0;
    for (int i = 0; i < n; i++) {
      double image = 0;
      for (int j = 0; j < n; j++) { image += quot->a[i * n + j] * q[j]; }
      dot += image * other[i], size += other[i] * other[i];
    }
    turned[side] = size > 0 ? dot / size : 0;
    for (int i = 0; i < n; i++) {
      double left = -turned[side] * other[i], largest = 0;
      for (int j = 0; j < n; j++) {
        left += quot->a[i * n + j] * q[j], largest = fmax(largest, fabs(quot->a[i * n + j] * q[j]));
      }
      if (!(fabs(left) <= rounding * fmax(fmax(quot->row[i], largest), floor_of_rows))) { return 0; }
    }
  }
  if (!(turned[0] * turned[1] < 0)) { return 0; }
  const double rate = sqrt(-turned[0] * turned[1]);
  *second = rate / turned[1];
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n - quot->k; i++) { quot->s[i] = pair[side * n + quot->m[i]]; }
    if (side == 1) { /* without its part at the first pivot */
      const double part = pair[n + quot->p[0]];
      for (int i = 0; i < n - 1; i++) { quot->s[i] -= part * quot->D[quot->m[i] * n]; }
    }
    join(quot, quot->s);
  }
  return rate;
}

static double find_rigid(quotient *quot, const double *pair, double *second) {
  const int n = quot->n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { quot->row[i] = fmax(quot->row[i], fabs(quot->a[i * n + j])); }
  }
  reduce(quot);
  const double rate = join_pair(quot, pair, second);
  while (quot->k < n && (join_coordinate(quot) || join_vector(quot))) {}
  return rate;
}

/* ---- vectors ---- */

/* J = (A D)_p, which is zero but for the rates by which one vector takes others along. */
static double rate(const quotient *quot, int i, int k) {
  double sum = 0;
  for (int j = 0; j < quot->n; j++) { sum += quot->a[quot->p[i] * quot->n + j] * quot->D[j * quot->n + k]; }
  return sum;
}

static double residual_of(const quotient *quot, int k) {
  double max = 0, largest = 0;
  for (int i = 0; i < quot->n; i++) {
    double sum = 0, size = 0;
    for (int j = 0; j < quot->n; j++) {
      sum += quot->a[i * quot->n + j] * quot->D[j * quot->n + k], size += fabs(quot->a[i * quot->n + j]);
    }
    for (int l = 0; l < quot->k; l++) { sum -= quot->D[i * quot->n + l] * rate(quot, l, k); }
    if (size > 0) { max = fmax(max, fabs(sum) / size); }
    largest = fmax(largest, fabs(quot->D[i * quot->n + k]));
  }
  return max / largest;
}

/* v [n] of v_2 = x [n - k] by c. */
static void lift_right(quotient *quot, double complex lam, const double complex *x, double complex *v) {
  const int n = quot->n, k = quot->k, n2 = n - k, one = 1;
  int info = 0;
  for (int i = 0; i < k; i++) {
    quot->c[i] = 0;
    for (int j = 0; j < n2; j++) { quot->c[i] -= quot->a[quot->p[i] * n + quot->m[j]] * x[j]; }
    for (int l = 0; l < k; l++) { quot->J[l * k + i] = rate(quot, i, l) - (i == l ? lam : 0); } /* by columns */
  }
  if (k > 0) { zgesv_(&k, &one, quot->J, &k, quot->piv, quot->c, &k, &info); }
  for (int i = 0; i < n; i++) { v[i] = 0; }
  for (int j = 0; j < n2; j++) { v[quot->m[j]] = x[j]; }
  for (int i = 0; i < n; i++) {
    for (int l = 0; l < k; l++) { v[i] += quot->D[i * n + l] * quot->c[l]; }
  }
}

static void lift_left(const quotient *quot, const double complex *x, double complex *w) {
  const int n = quot->n, n2 = n - quot->k;
  for (int j = 0; j < n2; j++) { w[quot->m[j]] = x[j]; }
  for (int k = 0; k < quot->k; k++) {
    w[quot->p[k]] = 0;
    for (int j = 0; j < n2; j++) { w[quot->p[k]] -= quot->D[quot->m[j] * n + k] * x[j]; }
  }
}

/* V: eigenvectors of A_2 by columns, of length 1 at their largest entries; W := V^-1 by columns, so that w_i'v_j = 1 or 0 also where
 * eigenvalues are equal. Returns 0 if they are linearly dependent. */
static int invert(quotient *quot, int n2) {
  int info = 0;
  for (int i = 0; i < n2; i++) {
    const int first = quot->im[i] < 0 ? i - 1 : i, sign = quot->im[i] < 0 ? -1 : 1;
    double largest = 0;
    for (int k = 0; k < n2; k++) {
      const double im = quot->im[i] != 0 ? quot->v2[(first + 1) * n2 + k] : 0;
      quot->V[i * n2 + k] = quot->v2[first * n2 + k] + sign * im * I;
      largest = fmax(largest, cabs(quot->V[i * n2 + k]));
    }
    for (int k = 0; k < n2; k++) { quot->V[i * n2 + k] /= largest, quot->W[i * n2 + k] = i == k; }
  }
  memcpy(quot->factors, quot->V, (size_t)(n2 * n2) * sizeof *quot->factors);
  zgesv_(&n2, &n2, quot->factors, &n2, quot->piv, quot->W, &n2, &info);
  return info == 0;
}

static void put(int n, int i, int pair, const double complex *x, double *rows) {
  for (int k = 0; k < n; k++) {
    rows[i * n + k] = creal(x[k]);
    if (pair) { rows[(i + 1) * n + k] = cimag(x[k]); }
  }
}

/* The eigenvalues of A_2, with vectors of A, behind those that are zero. */
static mbd_status take_others(quotient *quot, double *re, double *im, double *v, double *w, double *residual,
                              mbd_error *err) {
  const int n = quot->n, n2 = n - quot->k;
  memcpy(quot->scaled, quot->A2, (size_t)(n2 * n2) * sizeof *quot->scaled);
  MBD_TRY(mbd_eigen(n2, quot->scaled, quot->re, quot->im, quot->v2, err));
  const int independent = invert(quot, n2);
  for (int i = 0; i < n2; i++) {
    const int at = quot->k + i, pair = quot->im[i] > 0;
    re[at] = quot->re[i], im[at] = quot->im[i];
    if (quot->im[i] < 0) {
      residual[at] = residual[at - 1];
      continue;
    }
    lift_right(quot, quot->re[i] + quot->im[i] * I, quot->V + i * n2, quot->lifted);
    put(n, at, pair, quot->lifted, v);
    residual[at] = mbd_eigen_residual(n, quot->a, re[at], im[at], v + at * n, pair ? v + (at + 1) * n : NULL);
    for (int k = 0; k < n2; k++) { quot->x[k] = independent ? quot->W[k * n2 + i] : NAN; }
    lift_left(quot, quot->x, quot->lifted);
    put(n, at, pair, quot->lifted, w);
  }
  return MBD_OK;
}

mbd_status mbd_eigen_rigid(int n, const double *a, const double *pair, int *nrigid, double *re, double *im, double *v,
                           double *w, double *residual, mbd_error *err) {
  quotient quot = {.n = n, .a = a};
  mbd_arena memory = {0};
  while (mbd_arena_pass(&memory)) { layout(&quot, &memory); }
  MBD_TRY(mbd_arena_check(&memory, "eigenvalues", err));
  double second = 0;
  const double rate = find_rigid(&quot, pair, &second);
  memset(w, 0, (size_t)n * (size_t)n * sizeof *w);
  for (int k = 0; k < quot.k; k++) {
    re[k] = im[k] = 0, residual[k] = residual_of(&quot, k);
    for (int i = 0; i < n; i++) { v[k * n + i] = quot.D[i * n + k]; }
  }
  for (int k = 0; rate > 0 && k < 2; k++) {
    im[k] = k == 0 ? rate : -rate;
    for (int i = 0; i < n; i++) { v[k * n + i] = pair[k * n + i] * (k == 0 ? 1 : second); }
  }
  *nrigid = quot.k;
  const mbd_status status = quot.k < n ? take_others(&quot, re, im, v, w, residual, err) : MBD_OK;
  free(memory.base);
  return status;
}

#else

mbd_status mbd_eigen_rigid(int n, const double *a, const double *pair, int *nrigid, double *re, double *im, double *v,
                           double *w, double *residual, mbd_error *err) {
  (void)a, (void)pair, (void)w, (void)residual;
  *nrigid = 0;
  return mbd_eigen(n, NULL, re, im, v, err); /* says what is missing */
}

#endif
