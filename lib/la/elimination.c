#include "la/elimination.h"

#include <stdlib.h>
#include <string.h>

enum { STRIP = 4 }; /* right-hand sides that are solved together */

/* Of S_k, places `from` on are the places `to` on of S_i. */
typedef struct run {
  int from, to, length;
} run;

struct mbd_elimination {
  int n;
  int *row, *pivot; /* [n] row of the matrix of each pivot, and the other way */
  int *first, *S;   /* [n + 1] where S_k begins; its pivots, ascending */
  int *run_first;   /* [places + 1] runs of each place of S_k: of pivot i there, the rest of S_k in S_i */
  run *run;         /* [runs] */
  int *near_first;  /* [n + 1] runs of S_k in the pivots themselves */
  run *near;
  mbd_real *value;   /* [n + 2 places] of the matrix: diagonal, beyond it by rows, below it by columns */
  mbd_real *D;       /* [n] pivots; U and L follow, so that all are in the order of the values */
  mbd_real *U, *L;   /* [places] rows of D U beyond the diagonal; columns of L below it */
  mbd_real *scratch; /* [n][STRIP] */
};

/* ---- places ---- */

/* Eliminating pivot k joins all of S_k: what its first pivot does not have yet is filled in. */
static void fill_in(int n, unsigned char *mark) {
  for (int k = 0; k < n; k++) {
    int next = k + 1;
    while (next < n && !mark[k * n + next]) { next++; }
    for (int j = next + 1; j < n; j++) { mark[next * n + j] |= mark[k * n + j]; }
  }
}

static void mark_matrix(int n, const mbd_nonzeros *at, const int *pivot, unsigned char *mark) {
  for (int i = 0; i < n; i++) {
    for (int q = 0; q < at->count[i]; q++) {
      const int a = pivot[i], b = pivot[at->col[i * n + q]];
      if (a != b) { mark[(a < b ? a : b) * n + (a < b ? b : a)] = 1; }
    }
  }
}

/* From the order of pivots in `row`. */
static void find_places(mbd_elimination *e, const mbd_nonzeros *at, unsigned char *mark) {
  const int n = e->n;
  for (int k = 0; k < n; k++) { e->pivot[e->row[k]] = k; }
  memset(mark, 0, (size_t)n * (size_t)n);
  mark_matrix(n, at, e->pivot, mark);
  fill_in(n, mark);
}

/* Pivots k and k + 1 have the same places behind them. */
static int same_behind(int n, const unsigned char *mark, int k) {
  return mark[k * n + k + 1] && memcmp(mark + k * n + k + 2, mark + (k + 1) * n + k + 2, (size_t)(n - k - 2)) == 0;
}

/* Of two pivots with the same places behind them, whether i belongs behind j: the last of the pivots before `first` that
 * acts on one only acts on i. */
static int belongs_behind(int n, const unsigned char *mark, int first, int i, int j) {
  for (int k = first - 1; k >= 0; k--) {
    if (mark[k * n + i] != mark[k * n + j]) { return mark[k * n + i]; }
  }
  return 0;
}

/* Pivots with the same places behind them can come in any order. In this one those that others act on together are
 * neighbours, as far as can be; insertion. */
static void sort_pivots(int n, const unsigned char *mark, int first, int end, int *order, int *sorted) {
  for (int i = first; i < end; i++) {
    int at = i;
    for (; at > first && belongs_behind(n, mark, first, sorted[at - 1], i); at--) { sorted[at] = sorted[at - 1]; }
    sorted[at] = i;
  }
  for (int i = first; i < end; i++) { sorted[i] = order[sorted[i]]; }
  memcpy(order + first, sorted + first, (size_t)(end - first) * sizeof *order);
}

static void gather_neighbours(int n, const unsigned char *mark, int *order, int *sorted) {
  for (int first = 0, end; first < n; first = end) {
    end = first + 1;
    while (end < n && same_behind(n, mark, end - 1)) { end++; }
    sort_pivots(n, mark, first, end, order, sorted);
  }
}

static void list_places(mbd_elimination *e, const unsigned char *mark) {
  int next = 0;
  for (int k = 0; k < e->n; k++) {
    e->first[k] = next;
    for (int j = k + 1; j < e->n; j++) {
      if (mark[k * e->n + j]) { e->S[next++] = j; }
    }
  }
  e->first[e->n] = next;
}

/* Another place of a list of runs, `to` of which follows what is there or begins a new one; list NULL: only counted. */
static void append(run *list, int *count, int *last, int from, int to) {
  if (*count == 0 || to != *last + 1) {
    if (list) { list[*count] = (run){from, to, 0}; }
    ++*count;
  }
  if (list) { list[*count - 1].length++; }
  *last = to;
}

/* Runs of the place `at` of S_k; their number. */
static int find_runs(const mbd_elimination *e, int k, int at, run *list) {
  int count = 0, last = 0, to = e->first[e->S[at]];
  for (int from = at + 1; from < e->first[k + 1]; from++, to++) {
    while (e->S[to] != e->S[from]) { to++; }
    append(list, &count, &last, from, to);
  }
  return count;
}

static int find_near(const mbd_elimination *e, int k, run *list) {
  int count = 0, last = 0;
  for (int from = e->first[k]; from < e->first[k + 1]; from++) { append(list, &count, &last, from, e->S[from]); }
  return count;
}

static void count_runs(mbd_elimination *e) {
  int runs = 0, near = 0;
  for (int k = 0; k < e->n; k++) {
    e->near_first[k] = near;
    near += find_near(e, k, NULL);
    for (int at = e->first[k]; at < e->first[k + 1]; at++) {
      e->run_first[at] = runs;
      runs += find_runs(e, k, at, NULL);
    }
  }
  e->near_first[e->n] = near;
  e->run_first[e->first[e->n]] = runs;
}

static int list_runs(mbd_elimination *e) {
  count_runs(e);
  e->near = calloc((size_t)e->near_first[e->n] + 1, sizeof *e->near);
  e->run = calloc((size_t)e->run_first[e->first[e->n]] + 1, sizeof *e->run);
  if (!e->near || !e->run) { return 0; }
  for (int k = 0; k < e->n; k++) {
    find_near(e, k, e->near + e->near_first[k]);
    for (int at = e->first[k]; at < e->first[k + 1]; at++) { find_runs(e, k, at, e->run + e->run_first[at]); }
  }
  return 1;
}

/* ---- memory ---- */

static int count_marks(int n, const unsigned char *mark) {
  int count = 0;
  for (int i = 0; i < n * n; i++) { count += mark[i]; }
  return count;
}

static int allocate_rows(mbd_elimination *e) {
  const size_t n = (size_t)e->n;
  e->row = calloc(n + 1, sizeof *e->row);
  e->pivot = calloc(n + 1, sizeof *e->pivot);
  e->first = calloc(n + 1, sizeof *e->first);
  e->near_first = calloc(n + 1, sizeof *e->near_first);
  e->scratch = calloc(STRIP * n + 1, sizeof *e->scratch);
  return e->row && e->pivot && e->first && e->near_first && e->scratch;
}

static int allocate_places(mbd_elimination *e, size_t places) {
  const size_t values = (size_t)e->n + 2 * places;
  e->S = calloc(places + 1, sizeof *e->S);
  e->run_first = calloc(places + 1, sizeof *e->run_first);
  e->value = calloc(values + 1, sizeof *e->value);
  e->D = calloc(values + 1, sizeof *e->D);
  e->U = e->D + e->n;
  e->L = e->U + places;
  return e->S && e->run_first && e->value && e->D;
}

static int prepare(mbd_elimination *e, const mbd_nonzeros *at, const int *order, unsigned char *mark) {
  const int n = e->n;
  if (!allocate_rows(e)) { return 0; }
  memcpy(e->row, order, (size_t)n * sizeof *order);
  find_places(e, at, mark);
  gather_neighbours(n, mark, e->row, e->pivot);
  find_places(e, at, mark);
  if (!allocate_places(e, (size_t)count_marks(n, mark))) { return 0; }
  list_places(e, mark);
  return list_runs(e);
}

mbd_status mbd_elimination_create(int n, const mbd_nonzeros *at, const int *order, mbd_elimination **out,
                                  mbd_error *err) {
  mbd_elimination *e = calloc(1, sizeof *e);
  unsigned char *mark = calloc((size_t)n * (size_t)n + 1, 1);
  int ready = 0;
  if (e && mark) {
    e->n = n;
    ready = prepare(e, at, order, mark);
  }
  free(mark);
  *out = ready ? e : NULL;
  if (ready) { return MBD_OK; }
  mbd_elimination_destroy(e);
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the factors of a sparse matrix of order %d", n);
}

void mbd_elimination_destroy(mbd_elimination *e) {
  if (!e) { return; }
  free(e->row), free(e->pivot), free(e->first), free(e->S), free(e->run_first), free(e->run), free(e->near_first),
      free(e->near);
  free(e->value), free(e->D), free(e->scratch);
  free(e);
}

mbd_real *mbd_elimination_values(mbd_elimination *e) {
  return e->value;
}

int mbd_elimination_count(const mbd_elimination *e) {
  return e->n + 2 * e->first[e->n];
}

int mbd_elimination_mirror(const mbd_elimination *e) {
  return e->first[e->n];
}

int mbd_elimination_place(const mbd_elimination *e, int i, int j) {
  const int a = e->pivot[i], b = e->pivot[j], k = a < b ? a : b, other = a < b ? b : a;
  if (a == b) { return a; }
  int at = e->first[k];
  while (at < e->first[k + 1] && e->S[at] < other) { at++; }
  if (at == e->first[k + 1] || e->S[at] != other) { return -1; }
  return e->n + at + (a < b ? 0 : e->first[e->n]);
}

double mbd_elimination_flops(const mbd_elimination *e) {
  double flops = 0;
  for (int k = 0; k < e->n; k++) {
    const double size = e->first[k + 1] - e->first[k];
    flops += size * (1 + 2 * size);
  }
  return flops;
}

/* ---- factors ---- */

/* u -= f u_k, l -= g l_k */
static inline void subtract(int n, mbd_real f, const mbd_real *restrict uk, mbd_real *restrict u, mbd_real g,
                            const mbd_real *restrict lk, mbd_real *restrict l) {
  for (int q = 0; q < n; q++) {
    u[q] -= f * uk[q];
    l[q] -= g * lk[q];
  }
}

/* a_ij -= l_ik u_kj for i, j in S_k: of row i and column i what is beyond the diagonal, and the pivot. The largest of row k of
 * U, pivot included. */
static double eliminate(mbd_elimination *e, int k) {
  mbd_real *U = e->U, *L = e->L;
  const mbd_real inverse = 1 / e->D[k];
  double largest = mbd_absre(e->D[k]);
  for (int at = e->first[k]; at < e->first[k + 1]; at++) { L[at] *= inverse; }
  for (int at = e->first[k]; at < e->first[k + 1]; at++) {
    const mbd_real f = L[at], g = U[at];
    largest = mbd_absre(g) > largest ? mbd_absre(g) : largest;
    e->D[e->S[at]] -= f * g;
    for (int q = e->run_first[at]; q < e->run_first[at + 1]; q++) {
      const run r = e->run[q];
      subtract(r.length, f, U + r.from, U + r.to, g, L + r.from, L + r.to);
    }
  }
  return largest;
}

/* The largest of row k of U is within `growth` of what the matrix has there: its diagonal, if that is enough, or row and
 * column. */
static int within(const mbd_elimination *e, int k, double largest, double growth) {
  const int count = e->first[k + 1] - e->first[k];
  const mbd_real *beyond = e->value + e->n + e->first[k], *below = beyond + e->first[e->n];
  const double diagonal = mbd_absre(e->value[k]);
  return largest <= growth * diagonal ||
         largest <= growth * (diagonal + mbd_norm_inf(count, beyond) + mbd_norm_inf(count, below));
}

int mbd_elimination_factor(mbd_elimination *e, double least, double growth) {
  memcpy(e->D, e->value, (size_t)mbd_elimination_count(e) * sizeof *e->D);
  for (int k = 0; k < e->n; k++) {
    if (!(mbd_absre(e->D[k]) > least)) { return 0; } /* also if it is not a number, as one of its row leads to */
    if (!within(e, k, eliminate(e, k), growth)) { return 0; }
  }
  return 1;
}

/* x -= f v, n numbers */
static inline void subtract_row(int n, mbd_real f, const mbd_real *restrict v, mbd_real *restrict x) {
  for (int q = 0; q < n; q++) { x[q] -= f * v[q]; }
}

/* As two sums, of even and of odd places. */
static inline mbd_real dot(int n, const mbd_real *restrict a, const mbd_real *restrict b) {
  mbd_real even = 0, odd = 0;
  for (int q = 0; q + 1 < n; q += 2) {
    even += a[q] * b[q];
    odd += a[q + 1] * b[q + 1];
  }
  return even + odd + (n % 2 ? a[n - 1] * b[n - 1] : 0);
}

/* x [n] := A^-1 x or A'^-1 x, rows in the order of the pivots */
static void substitute(const mbd_elimination *e, int transposed, mbd_real *x) {
  const mbd_real *lower = transposed ? e->U : e->L, *upper = transposed ? e->L : e->U;
  for (int k = 0; k < e->n; k++) {
    if (transposed) { x[k] /= e->D[k]; }
    for (int q = e->near_first[k]; q < e->near_first[k + 1]; q++) {
      subtract_row(e->near[q].length, x[k], lower + e->near[q].from, x + e->near[q].to);
    }
  }
  for (int k = e->n - 1; k >= 0; k--) {
    for (int q = e->near_first[k]; q < e->near_first[k + 1]; q++) {
      x[k] -= dot(e->near[q].length, upper + e->near[q].from, x + e->near[q].to);
    }
    if (!transposed) { x[k] /= e->D[k]; }
  }
}

/* The same for x [n][STRIP]. */
static void substitute_strip(const mbd_elimination *e, int transposed, mbd_real *x) {
  const mbd_real *lower = transposed ? e->U : e->L, *upper = transposed ? e->L : e->U;
  for (int k = 0; k < e->n; k++) {
    mbd_real *here = x + k * STRIP;
    for (int r = 0; r < STRIP && transposed; r++) { here[r] /= e->D[k]; }
    for (int at = e->first[k]; at < e->first[k + 1]; at++) {
      subtract_row(STRIP, lower[at], here, x + e->S[at] * STRIP);
    }
  }
  for (int k = e->n - 1; k >= 0; k--) {
    mbd_real *here = x + k * STRIP;
    for (int at = e->first[k]; at < e->first[k + 1]; at++) {
      subtract_row(STRIP, upper[at], x + e->S[at] * STRIP, here);
    }
    for (int r = 0; r < STRIP && !transposed; r++) { here[r] /= e->D[k]; }
  }
}

static void solve_one(mbd_elimination *e, int transposed, mbd_real *b) {
  for (int k = 0; k < e->n; k++) { e->scratch[k] = b[e->row[k]]; }
  substitute(e, transposed, e->scratch);
  for (int k = 0; k < e->n; k++) { b[e->row[k]] = e->scratch[k]; }
}

/* Columns `begin` on of b [n][width]; beyond the last one, zeros. */
static void solve_strip(mbd_elimination *e, int transposed, int width, int begin, mbd_real *b) {
  const int wide = width - begin < STRIP ? width - begin : STRIP;
  for (int k = 0; k < e->n; k++) {
    const mbd_real *from = b + (size_t)e->row[k] * (size_t)width + begin;
    for (int r = 0; r < STRIP; r++) { e->scratch[k * STRIP + r] = r < wide ? from[r] : 0; }
  }
  substitute_strip(e, transposed, e->scratch);
  for (int k = 0; k < e->n; k++) {
    mbd_real *to = b + (size_t)e->row[k] * (size_t)width + begin;
    for (int r = 0; r < wide; r++) { to[r] = e->scratch[k * STRIP + r]; }
  }
}

void mbd_elimination_solve(mbd_elimination *e, int transposed, int k, mbd_real *b) {
  if (k == 1) {
    solve_one(e, transposed, b);
    return;
  }
  for (int r = 0; r < k; r += STRIP) { solve_strip(e, transposed, k, r, b); }
}
