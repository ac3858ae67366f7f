#include "la/sparse.h"

#ifdef MBD_HAVE_KLU

#include <klu.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "la/ldl.h"

/* KLU's functions for this type of numbers. KLU takes columns and is given rows, so that its matrix is A', and its transposed
 * solution is the solution with A. */
#ifdef MBD_COMPLEX
#define KLU(name)                    klu_z_##name
#define SOLVE_WITH_A(...)            klu_z_tsolve(__VA_ARGS__, 0, &s->common) /* 0: transposed, not conjugated */
#define SOLVE_WITH_A_TRANSPOSED(...) klu_z_solve(__VA_ARGS__, &s->common)
#else
#define KLU(name)                    klu_##name
#define SOLVE_WITH_A(...)            klu_tsolve(__VA_ARGS__, &s->common)
#define SOLVE_WITH_A_TRANSPOSED(...) klu_solve(__VA_ARGS__, &s->common)
#endif

enum { STRIP = 4 }; /* right-hand sides that KLU solves together */

struct mbd_sparse {
  int n, *first, *col; /* [n + 1] the first place of each row; [places] columns */
  mbd_real *val, *rhs; /* [places]; [STRIP][n] right-hand sides in KLU's order */
  const int *given;    /* the columns of the packed matrices for which `put` has been found; NULL: none so far */
  int *put;            /* [places] the places of their entries; then the places at which they have no entry, */
  int zeros;           /* the number of the latter; of symmetric matrices only those with j >= i */
  klu_common common;
  klu_symbolic *order;
  klu_numeric *diagonal; /* factors with pivots on the diagonal; their memory serves all matrices */
  klu_numeric *pivoted;  /* factors with exchanges, of a matrix that needs them; NULL: none so far */
  klu_numeric *use;      /* the factors of the present matrix, one of the two above; NULL: ldl */
  mbd_ldl *ldl;          /* factors by panels, of matrices that need no exchanges; NULL: none */
  int symmetric;         /* 1: ldl has factors of symmetric positive definite matrices */
  double flops;
};

/* A matrix is singular if a pivot is at the level of rounding of the largest entry (as in la/dense.c). */
static const double singular_below = 1e-15;

/* With pivots on the diagonal, entries may grow to this multiple of those of the matrix. Corrections from the true residuals
 * (la/saddle.c) restore the digits that this costs. */
static const double growth_allowed = 1e6;

/* If pivots on the diagonal alone are too small, a diagonal entry remains the pivot when it is this part of the largest of its column. */
static const double pivot_tolerance = 0.1;

int mbd_sparse_available(void) {
  return 1;
}

static double *numbers(mbd_real *x) {
  return (double *)x; /* KLU stores complex numbers as pairs */
}

/* Allocates a matrix with so many places; the caller fills in its columns. */
static mbd_sparse *allocate(int n, size_t places) {
  mbd_sparse *s = calloc(1, sizeof *s);
  if (!s) { return NULL; }
  s->n = n;
  s->first = calloc((size_t)n + 1, sizeof *s->first);
  s->col = calloc(places + 1, sizeof *s->col);
  s->val = calloc(places + 1, sizeof *s->val);
  s->rhs = calloc((size_t)STRIP * (size_t)n, sizeof *s->rhs);
  s->put = calloc(places + 1, sizeof *s->put);
  if (s->first && s->col && s->val && s->rhs && s->put) { return s; }
  mbd_sparse_destroy(s);
  return NULL;
}

/* Factors the unit matrix, with explicit zeros in the other places, so that its factors have memory for those of every matrix. */
static mbd_status reserve(mbd_sparse *s, mbd_error *err) {
  memset(s->val, 0, (size_t)s->first[s->n] * sizeof *s->val);
  for (int i = 0; i < s->n; i++) { s->val[mbd_sparse_place(s, i, i)] = 1; }
  s->order = klu_analyze(s->n, s->first, s->col, &s->common);
  if (s->order) { s->diagonal = KLU(factor)(s->first, s->col, numbers(s->val), s->order, &s->common); }
  if (!s->diagonal) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the factors of a sparse matrix of order %d", s->n); }
  KLU(flops)(s->order, s->diagonal, &s->common);
  s->flops = s->common.flops;
  return MBD_OK;
}

/* Analyses s, whose places are set, takes the memory of its factors, and sets *out := s. s is NULL if there was no memory for it. */
static mbd_status prepare(mbd_sparse *s, int n, mbd_sparse **out, mbd_error *err) {
  *out = NULL;
  if (!s) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a sparse matrix of order %d", n); }
  klu_defaults(&s->common);
  s->common.btf = 0;    /* a permutation to block triangular form would move pivots off the diagonal */
  s->common.scale = -1; /* neither scaling nor a check of the places is needed */
  s->common.tol = pivot_tolerance;
  mbd_status status = reserve(s, err);
  if (status != MBD_OK) { mbd_sparse_destroy(s); }
  *out = status == MBD_OK ? s : NULL;
  return status;
}

mbd_status mbd_sparse_create(int n, const mbd_nonzeros *at, mbd_sparse **out, mbd_error *err) {
  mbd_sparse *s = allocate(n, (size_t)mbd_nonzeros_places(n, at));
  for (int i = 0; s && i < n; i++) {
    memcpy(s->col + s->first[i], mbd_nonzeros_row(at, i, n), (size_t)at->count[i] * sizeof *s->col);
    s->first[i + 1] = s->first[i] + at->count[i];
  }
  return prepare(s, n, out, err);
}

/* Lists the columns that share a row with column j, j among them, ascending, in list [n]; entries of seen [n] are less than j + 1 on
 * entry. Returns their number. */
static int beside(const mbd_columns *J, const mbd_columns *transposed, int j, int *seen, int *list) {
  int count = 1;
  list[0] = j, seen[j] = j + 1;
  for (int p = transposed->first[j]; p < transposed->first[j + 1]; p++) {
    const int row = transposed->col[p];
    for (int q = J->first[row]; q < J->first[row + 1]; q++) {
      const int k = J->col[q];
      if (seen[k] != j + 1) { seen[k] = j + 1, list[count++] = k; }
    }
  }
  return count;
}

/* Lists the rows of each column of J [m][n]: first [n + 1], col [entries]. */
static void transpose(int m, int n, const mbd_columns *J, mbd_columns *out) {
  memset(out->first, 0, ((size_t)n + 1) * sizeof *out->first);
  for (int q = 0; q < J->first[m]; q++) { out->first[J->col[q] + 1]++; }
  for (int j = 0; j < n; j++) { out->first[j + 1] += out->first[j]; }
  for (int i = m - 1; i >= 0; i--) { /* in reverse, so that `first` ends at the first entries again */
    for (int q = J->first[i]; q < J->first[i + 1]; q++) { out->col[--out->first[J->col[q] + 1]] = i; }
  }
  for (int j = 0; j < n; j++) { out->first[j] = out->first[j + 1]; }
  out->first[n] = J->first[m];
}

mbd_status mbd_sparse_create_gram(int m, int n, const mbd_columns *J, mbd_sparse **out, mbd_error *err) {
  const size_t size = (size_t)n + 1;
  int *seen = calloc(3 * size + (size_t)J->first[m], sizeof *seen), *list = seen + size;
  mbd_columns by_column = {.first = list + size, .col = list + 2 * size};
  mbd_sparse *s = NULL;
  size_t places = 0;
  if (seen) {
    /* Rows of each column, from which the places of J'J are counted. */
    transpose(m, n, J, &by_column);
    for (int j = 0; j < n; j++) { places += (size_t)beside(J, &by_column, j, seen, list); }
    s = allocate(n, places);
    memset(seen, 0, size * sizeof *seen);
  }
  /* The places of each row, ascending. */
  for (int j = 0; s && j < n; j++) {
    const int count = beside(J, &by_column, j, seen, s->col + s->first[j]);
    mbd_sort_numbers(count, s->col + s->first[j]);
    s->first[j + 1] = s->first[j] + count;
  }
  free(seen);
  return prepare(s, n, out, err);
}

mbd_status mbd_sparse_make_symmetric(mbd_sparse *s, mbd_error *err) {
  s->symmetric = 1, s->given = NULL;
  return mbd_ldl_create(s->n, s->first, s->col, s->order->Q, 1, &s->ldl, err);
}

mbd_status mbd_sparse_make_panels(mbd_sparse *s, mbd_error *err) {
  return mbd_ldl_create(s->n, s->first, s->col, s->order->Q, 0, &s->ldl, err);
}

void mbd_sparse_destroy(mbd_sparse *s) {
  if (!s) { return; }
  mbd_ldl_destroy(s->ldl);
  if (s->diagonal) { KLU(free_numeric)(&s->diagonal, &s->common); }
  if (s->pivoted) { KLU(free_numeric)(&s->pivoted, &s->common); }
  if (s->order) { klu_free_symbolic(&s->order, &s->common); }
  free(s->first), free(s->col), free(s->val), free(s->rhs), free(s->put);
  free(s);
}

int mbd_sparse_is_symmetric(const mbd_sparse *s) {
  return s->symmetric;
}

int mbd_sparse_count(const mbd_sparse *s) {
  return s->first[s->n];
}

mbd_real *mbd_sparse_values(mbd_sparse *s) {
  return s->val;
}

int mbd_sparse_place(const mbd_sparse *s, int i, int j) {
  int low = s->first[i], high = s->first[i + 1];
  while (low < high) {
    const int middle = (low + high) / 2;
    if (s->col[middle] < j) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < s->first[i + 1] && s->col[low] == j ? low : -1;
}

mbd_columns mbd_sparse_places(const mbd_sparse *s) {
  return (mbd_columns){s->first, s->col};
}

int mbd_sparse_place_after(const mbd_sparse *s, int place, int i, int j) {
  const int next = place + 1;
  return next > s->first[i] && next < s->first[i + 1] && s->col[next] == j ? next : mbd_sparse_place(s, i, j);
}

/* Finds s->put. The places of a row ascend in both lists. */
static void find_places(mbd_sparse *s, const mbd_nonzeros *at) {
  int *zero = s->put + mbd_nonzeros_places(s->n, at);
  s->given = at->col, s->zeros = 0;
  for (int i = 0; i < s->n; i++) {
    int p = at->first[i];
    const int end = p + at->count[i];
    for (int q = s->first[i]; q < s->first[i + 1]; q++) {
      if (p < end && at->col[p] == s->col[q]) {
        s->put[p++] = q;
      } else if (!s->symmetric || s->col[q] >= i) {
        zero[s->zeros++] = q;
      }
    }
  }
}

static void set_packed(mbd_sparse *s, const mbd_nonzeros *at, const mbd_real *restrict A) {
  if (s->given != at->col) { find_places(s, at); }
  const int count = mbd_nonzeros_places(s->n, at), *put = s->put, *zero = put + count;
  mbd_real *restrict val = s->val;
  for (int p = 0; p < count; p++) { val[put[p]] = A[p]; }
  for (int p = 0; p < s->zeros; p++) { val[zero[p]] = 0; }
}

void mbd_sparse_set(mbd_sparse *s, const mbd_nonzeros *at, const mbd_real *A) {
  if (at && at->mirror) {
    set_packed(s, at, A);
    return;
  }
  for (int i = 0; i < s->n; i++) {
    const mbd_real *row = A + (size_t)i * (size_t)s->n;
    for (int q = s->first[i]; q < s->first[i + 1]; q++) { s->val[q] = row[s->col[q]]; }
  }
}

double mbd_sparse_flops(const mbd_sparse *s) {
  return s->flops;
}

/* Returns 1 if all pivots of the factors in use exceed `min`; 0 also if one is not a number. */
static int pivots_above(const mbd_sparse *s, double min) {
  const mbd_real *pivot = s->use->Udiag;
  for (int i = 0; i < s->n; i++) {
    if (!(mbd_min(pivot[i]) > min)) { return 0; }
  }
  return 1;
}

static int on_diagonal(mbd_sparse *s, double min) {
  s->use = s->diagonal;
  if (!KLU(refactor)(s->first, s->col, numbers(s->val), s->order, s->use, &s->common)) { return 0; }
  if (!pivots_above(s, min)) { return 0; }
  KLU(rgrowth)(s->first, s->col, numbers(s->val), s->order, s->use, &s->common);
  return s->common.rgrowth * growth_allowed >= 1;
}

/* Copies the values with j > i to the places with j < i. */
static void mirror(mbd_sparse *s) {
  for (int i = 0; i < s->n; i++) {
    for (int q = s->first[i]; s->col[q] < i; q++) { s->val[q] = s->val[mbd_sparse_place(s, s->col[q], i)]; }
  }
}

mbd_status mbd_sparse_factor(mbd_sparse *s) {
  if (s->ldl) {
    s->use = NULL;
    if (mbd_ldl_factor(s->ldl, s->val, singular_below, growth_allowed)) { return MBD_OK; }
    if (s->symmetric) { mirror(s); }
  }
  const double min = singular_below * mbd_norm_inf(s->first[s->n], s->val);
  if (isnan(min)) { return MBD_SINGULAR; }
  if ((!s->ldl || s->symmetric) && on_diagonal(s, min)) { return MBD_OK; }
  if (s->pivoted) { KLU(free_numeric)(&s->pivoted, &s->common); }
  s->use = s->pivoted = KLU(factor)(s->first, s->col, numbers(s->val), s->order, &s->common);
  if (!s->pivoted) { return s->common.status == KLU_OUT_OF_MEMORY ? MBD_NO_MEMORY : MBD_SINGULAR; }
  return pivots_above(s, min) ? MBD_OK : MBD_SINGULAR;
}

static void solve_columns(mbd_sparse *s, int transposed, int k, mbd_real *b) {
  if (transposed) {
    SOLVE_WITH_A_TRANSPOSED(s->order, s->use, s->n, k, numbers(b));
  } else {
    SOLVE_WITH_A(s->order, s->use, s->n, k, numbers(b));
  }
}

/* b [n][k] := A^-1 b. STRIP columns at a time are copied into s->side, where the numbers of a column are neighbours as KLU takes them, and
 * back. */
void mbd_sparse_solve(mbd_sparse *s, int transposed, int k, mbd_real *b) {
  if (!s->use) {
    mbd_ldl_solve(s->ldl, transposed, k, b);
    return;
  }
  if (k == 1) {
    solve_columns(s, transposed, 1, b);
    return;
  }
  for (int r = 0; r < k; r += STRIP) {
    const int wide = k - r < STRIP ? k - r : STRIP;
    for (int i = 0; i < s->n; i++) {
      for (int q = 0; q < wide; q++) { s->rhs[q * s->n + i] = b[(size_t)i * (size_t)k + (size_t)(r + q)]; }
    }
    solve_columns(s, transposed, wide, s->rhs);
    for (int i = 0; i < s->n; i++) {
      for (int q = 0; q < wide; q++) { b[(size_t)i * (size_t)k + (size_t)(r + q)] = s->rhs[q * s->n + i]; }
    }
  }
}

#else

#include <stdlib.h>

int mbd_sparse_available(void) {
  return 0;
}

mbd_status mbd_sparse_create(int n, const mbd_nonzeros *at, mbd_sparse **out, mbd_error *err) {
  (void)n, (void)at;
  *out = NULL;
  MBD_FAIL(err, MBD_NOT_BUILT_IN,
           "linear_solver = sparse: built without KLU; install the Debian package libsuitesparse-dev and build again");
}

mbd_status mbd_sparse_create_gram(int m, int n, const mbd_columns *J, mbd_sparse **out, mbd_error *err) {
  (void)m, (void)J;
  return mbd_sparse_create(n, NULL, out, err);
}

mbd_status mbd_sparse_make_symmetric(mbd_sparse *s, mbd_error *err) {
  (void)s, (void)err;
  return MBD_OK;
}

mbd_status mbd_sparse_make_panels(mbd_sparse *s, mbd_error *err) {
  (void)s, (void)err;
  return MBD_OK;
}

void mbd_sparse_destroy(mbd_sparse *s) {
  (void)s;
}

/* Without KLU no sparse matrix can be created, so that these functions are never called. */
int mbd_sparse_is_symmetric(const mbd_sparse *s) {
  (void)s;
  return 0;
}

int mbd_sparse_count(const mbd_sparse *s) {
  (void)s;
  return 0;
}

mbd_real *mbd_sparse_values(mbd_sparse *s) {
  (void)s;
  return NULL;
}

int mbd_sparse_place(const mbd_sparse *s, int i, int j) {
  (void)s, (void)i, (void)j;
  return -1;
}

mbd_columns mbd_sparse_places(const mbd_sparse *s) {
  (void)s;
  return (mbd_columns){0};
}

int mbd_sparse_place_after(const mbd_sparse *s, int place, int i, int j) {
  (void)s, (void)place, (void)i, (void)j;
  return -1;
}

void mbd_sparse_set(mbd_sparse *s, const mbd_nonzeros *at, const mbd_real *A) {
  (void)s, (void)at, (void)A;
}

double mbd_sparse_flops(const mbd_sparse *s) {
  (void)s;
  return 0;
}

mbd_status mbd_sparse_factor(mbd_sparse *s) {
  (void)s;
  return MBD_SINGULAR;
}

void mbd_sparse_solve(mbd_sparse *s, int transposed, int k, mbd_real *b) {
  (void)s, (void)transposed, (void)k, (void)b;
}

#endif
