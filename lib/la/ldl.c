/* Symmetric elimination by panels. A panel of w pivots with the rows below them is a dense matrix of columns. Its own columns are
 * eliminated first, each by those before it; then its products L D L' of the rows below are subtracted from the panels to which these rows
 * belong as pivots, at positions that are found once. */
#include "la/ldl.h"

#include <stdlib.h>
#include <string.h>

#include "la/strips.h"

struct mbd_ldl {
  int n, panels;
  int *order;  /* [n] row of the matrix of each pivot */
  int *begin;  /* [panels + 1] first pivot of each panel */
  int *below;  /* [panels + 1] where its rows below begin in row */
  int *row;    /* pivots that the rows below are, ascending in a panel */
  int *at;     /* [panels + 1] where its numbers begin in L, column by column */
  int *target; /* [rows below] where in L the column begins that the row is as a pivot */
  int *list;   /* [rows below] where in `offset` the places begin of this row and those after it in that column */
  int *offset;
  int entries, *from, *to; /* places of the matrix with j >= i, and where they go in L */
  mbd_real *L;             /* [at[panels]] */
  mbd_real *inverse;       /* [n] of the pivots */
  mbd_real *x, *sum;       /* [n][STRIP] by pivots; [rows below a panel] */
};

static int width(const mbd_ldl *q, int p) {
  return q->begin[p + 1] - q->begin[p];
}

static int rows_below(const mbd_ldl *q, int p) {
  return q->below[p + 1] - q->below[p];
}

/* ---- places ---- */

/* Columns of L as lists of their rows below the diagonal. */
typedef struct columns {
  int *first, *count; /* [n] */
  int *row;
  int used, room;
  int *pos;                    /* [n] pivot of each row of the matrix */
  int *seen, *child, *sibling; /* [n] marks; the tree of elimination: first child and next sibling, -1: none */
} columns;

static int add_row(columns *c, int j, int i) {
  if (c->seen[i] == j + 1) { return 1; }
  if (c->used == c->room) {
    int *more = realloc(c->row, 2 * (size_t)c->room * sizeof *more);
    if (!more) { return 0; }
    c->row = more, c->room *= 2;
  }
  c->seen[i] = j + 1;
  c->row[c->used++] = i;
  return 1;
}

/* Rows of column j: those of the matrix, and those of its children in the tree. */
static int list_column(const mbd_ldl *q, const int *first, const int *col, int j, columns *c) {
  c->first[j] = c->used;
  c->seen[j] = j + 1;
  for (int k = first[q->order[j]]; k < first[q->order[j] + 1]; k++) {
    if (c->pos[col[k]] > j && !add_row(c, j, c->pos[col[k]])) { return 0; }
  }
  for (int i = c->child[j]; i >= 0; i = c->sibling[i]) {
    for (int k = 0; k < c->count[i]; k++) {
      if (!add_row(c, j, c->row[c->first[i] + k])) { return 0; }
    }
  }
  c->count[j] = c->used - c->first[j];
  return 1;
}

static int ascending(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* The parent of a column is its first row below. */
static int list_columns(const mbd_ldl *q, const int *first, const int *col, columns *c) {
  for (int k = 0; k < q->n; k++) { c->pos[q->order[k]] = k, c->child[k] = -1; }
  for (int j = 0; j < q->n; j++) {
    if (!list_column(q, first, col, j, c)) { return 0; }
    if (c->count[j] == 0) { continue; }
    qsort(c->row + c->first[j], (size_t)c->count[j], sizeof *c->row, ascending);
    const int parent = c->row[c->first[j]];
    c->sibling[j] = c->child[parent], c->child[parent] = j;
  }
  return 1;
}

/* Neighbours that are child and parent become one panel where the child has the rows of the parent and the parent itself. */
static void find_panels(mbd_ldl *q, const columns *c) {
  q->panels = 0;
  for (int j = 0; j < q->n; j++) {
    const int joins = j > 0 && c->count[j - 1] == c->count[j] + 1 && c->row[c->first[j - 1]] == j;
    if (!joins) { q->begin[q->panels++] = j; }
  }
  q->begin[q->panels] = q->n;
}

/* Rows of the panels, which are those of their last columns, and their places in L. */
static int list_rows(mbd_ldl *q, const columns *c) {
  int most = 0;
  q->below[0] = q->at[0] = 0;
  for (int p = 0; p < q->panels; p++) {
    const int count = c->count[q->begin[p + 1] - 1], w = width(q, p);
    q->below[p + 1] = q->below[p] + count;
    q->at[p + 1] = q->at[p] + w * (w + count);
    most = count > most ? count : most;
  }
  const size_t rows = (size_t)q->below[q->panels] + 1;
  q->row = calloc(3 * rows, sizeof *q->row);
  q->L = calloc((size_t)q->at[q->panels] + 1, sizeof *q->L);
  q->sum = calloc((size_t)(most + 1), sizeof *q->sum);
  if (!q->row || !q->L || !q->sum) { return 0; }
  q->target = q->row + rows, q->list = q->target + rows;
  for (int p = 0; p < q->panels; p++) {
    const int last = q->begin[p + 1] - 1;
    memcpy(q->row + q->below[p], c->row + c->first[last], (size_t)c->count[last] * sizeof *q->row);
  }
  return 1;
}

/* Where row i is in a column of panel p. */
static int place_in(const mbd_ldl *q, int p, int i) {
  if (i < q->begin[p + 1]) { return i - q->begin[p]; }
  const int *row = bsearch(&i, q->row + q->below[p], (size_t)rows_below(q, p), sizeof i, ascending);
  return width(q, p) + (int)(row - (q->row + q->below[p]));
}

static int column_at(const mbd_ldl *q, int p, int j) {
  return q->at[p] + (j - q->begin[p]) * (width(q, p) + rows_below(q, p));
}

/* Where the products of the rows below panel p go; of[]: the panel of every pivot. offset NULL: only their number is counted. */
static int list_targets(mbd_ldl *q, int p, const int *of, int used) {
  const int end = q->below[p + 1];
  for (int j = q->below[p]; j < end; j++) {
    const int panel = of[q->row[j]];
    q->target[j] = column_at(q, panel, q->row[j]);
    if (j > q->below[p] && of[q->row[j - 1]] == panel) {
      q->list[j] = q->list[j - 1] + 1;
      continue;
    }
    q->list[j] = used;
    for (int i = j; i < end; i++, used++) {
      if (q->offset) { q->offset[used] = place_in(q, panel, q->row[i]); }
    }
  }
  return used;
}

static int find_targets(mbd_ldl *q, const int *of) {
  for (int pass = 0; pass < 2; pass++) {
    int used = 0;
    for (int p = 0; p < q->panels; p++) { used = list_targets(q, p, of, used); }
    if (!q->offset) { q->offset = calloc((size_t)used + 1, sizeof *q->offset); }
    if (!q->offset) { return 0; }
  }
  return 1;
}

static void find_entries(mbd_ldl *q, const int *first, const int *col, const int *pos, const int *of) {
  for (int i = 0; i < q->n; i++) {
    for (int k = first[i]; k < first[i + 1]; k++) {
      if (col[k] < i) { continue; }
      const int a = pos[i], b = pos[col[k]], column = a < b ? a : b, row = a < b ? b : a;
      q->from[q->entries] = k;
      q->to[q->entries++] = column_at(q, of[column], column) + place_in(q, of[column], row);
    }
  }
}

static int find_places(mbd_ldl *q, const int *first, const int *col, columns *c) {
  if (!list_columns(q, first, col, c)) { return 0; }
  find_panels(q, c);
  if (!list_rows(q, c)) { return 0; }
  int *of = c->seen; /* not needed any more */
  for (int p = 0; p < q->panels; p++) {
    for (int j = q->begin[p]; j < q->begin[p + 1]; j++) { of[j] = p; }
  }
  if (!find_targets(q, of)) { return 0; }
  find_entries(q, first, col, c->pos, of);
  return 1;
}

static int allocate(mbd_ldl *q, int places, columns *c) {
  const size_t n = (size_t)q->n + 1, half = (size_t)places + n;
  q->order = calloc(4 * n, sizeof *q->order);
  q->from = calloc(2 * half, sizeof *q->from);
  q->inverse = calloc(n, sizeof *q->inverse);
  q->x = calloc(n * STRIP, sizeof *q->x);
  c->first = calloc(6 * n, sizeof *c->first);
  c->room = places + 1;
  c->row = calloc((size_t)c->room, sizeof *c->row);
  if (!q->order || !q->from || !q->inverse || !q->x || !c->first || !c->row) { return 0; }
  q->begin = q->order + n, q->below = q->begin + n, q->at = q->below + n;
  q->to = q->from + half;
  c->count = c->first + n, c->pos = c->count + n, c->seen = c->pos + n, c->child = c->seen + n;
  c->sibling = c->child + n;
  return 1;
}

mbd_status mbd_ldl_create(int n, const int *first, const int *col, const int *order, mbd_ldl **out, mbd_error *err) {
  columns c = {0};
  mbd_ldl *q = *out = calloc(1, sizeof *q);
  if (q) { q->n = n; }
  int there = q && allocate(q, first[n], &c);
  if (there) { memcpy(q->order, order, (size_t)n * sizeof *order); }
  there = there && find_places(q, first, col, &c);
  free(c.first), free(c.row);
  if (there) { return MBD_OK; }
  mbd_ldl_destroy(q);
  *out = NULL;
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the factors of a sparse matrix of order %d", n);
}

void mbd_ldl_destroy(mbd_ldl *q) {
  if (!q) { return; }
  free(q->order), free(q->from), free(q->inverse), free(q->x);
  free(q->row), free(q->L), free(q->sum), free(q->offset);
  free(q);
}

/* ---- factors ---- */

/* y [n] -= sum of f_c times column c of L, for `wide` columns that are `ld` numbers apart. */
static inline void subtract_columns(int n, int wide, const mbd_real *L, int ld, const mbd_real *f,
                                    mbd_real *restrict y) {
  int c = 0;
  for (; c + 4 <= wide; c += 4, L += 4 * (ptrdiff_t)ld, f += 4) {
    const mbd_real *restrict L0 = L, *restrict L1 = L + ld, *restrict L2 = L1 + ld, *restrict L3 = L2 + ld;
    const mbd_real f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
    for (int i = 0; i < n; i++) { y[i] -= (f0 * L0[i] + f1 * L1[i]) + (f2 * L2[i] + f3 * L3[i]); }
  }
  if (c + 2 <= wide) {
    const mbd_real *restrict L0 = L, *restrict L1 = L + ld;
    const mbd_real f0 = f[0], f1 = f[1];
    for (int i = 0; i < n; i++) { y[i] -= f0 * L0[i] + f1 * L1[i]; }
    c += 2, L += 2 * (ptrdiff_t)ld, f += 2;
  }
  if (c == wide) { return; }
  const mbd_real f0 = f[0];
  for (int i = 0; i < n; i++) { y[i] -= f0 * L[i]; }
}

/* Entry `at` of every column of the panel, over the pivots. */
static inline void multipliers(int wide, const mbd_real *panel, int ld, int at, const mbd_real *inverse, mbd_real *f) {
  for (int c = 0; c < wide; c++) { f[c] = panel[(ptrdiff_t)c * ld + at] * inverse[c]; }
}

/* The columns of a panel by each other: its numbers become those of L D. */
static int eliminate_panel(mbd_ldl *q, int p, double least, mbd_real *f) {
  const int w = width(q, p), ld = w + rows_below(q, p);
  mbd_real *panel = q->L + q->at[p], *inverse = q->inverse + q->begin[p];
  for (int c = 0; c < w; c++) {
    mbd_real *column = panel + (ptrdiff_t)c * ld;
    multipliers(c, panel, ld, c, inverse, f);
    subtract_columns(ld - c, c, panel + c, ld, f, column + c);
    if (!(mbd_re(column[c]) > least)) { return 0; }
    inverse[c] = 1 / column[c];
  }
  return 1;
}

/* y_at -= f L [n] */
static inline void subtract_at(int n, mbd_real f, const mbd_real *restrict L, const int *at, mbd_real *restrict y) {
  for (int i = 0; i < n; i++) { y[at[i]] -= f * L[i]; }
}

/* The columns of other panels that the rows below are as pivots lose their products: of one column at once, else of a sum that is taken
 * before. */
static void update_others(mbd_ldl *q, int p, mbd_real *f) {
  const int w = width(q, p), below = rows_below(q, p), ld = w + below;
  const mbd_real *panel = q->L + q->at[p], *inverse = q->inverse + q->begin[p];
  for (int j = 0; j < below; j++) {
    const int count = below - j, *offset = q->offset + q->list[q->below[p] + j];
    mbd_real *target = q->L + q->target[q->below[p] + j];
    if (w == 1) {
      subtract_at(count, panel[1 + j] * inverse[0], panel + 1 + j, offset, target);
      continue;
    }
    multipliers(w, panel, ld, w + j, inverse, f);
    if (offset[count - 1] - offset[0] == count - 1) { /* side by side there, too */
      subtract_columns(count, w, panel + w + j, ld, f, target + offset[0]);
      continue;
    }
    memset(q->sum, 0, (size_t)count * sizeof *q->sum);
    subtract_columns(count, w, panel + w + j, ld, f, q->sum);
    for (int i = 0; i < count; i++) { target[offset[i]] += q->sum[i]; }
  }
}

/* From L D to L, without the diagonal. */
static void scale_panel(mbd_ldl *q, int p) {
  const int w = width(q, p), ld = w + rows_below(q, p);
  for (int c = 0; c < w; c++) {
    mbd_real *column = q->L + q->at[p] + (ptrdiff_t)c * ld;
    const mbd_real inverse = q->inverse[q->begin[p] + c];
    for (int i = c + 1; i < ld; i++) { column[i] *= inverse; }
  }
}

static double largest_on_diagonal(const mbd_ldl *q) {
  double most = 0;
  for (int p = 0; p < q->panels; p++) {
    const int w = width(q, p), ld = w + rows_below(q, p);
    for (int c = 0; c < w; c++) { most = fmax(most, mbd_absre(q->L[q->at[p] + c * (ld + 1)])); }
  }
  return most;
}

int mbd_ldl_factor(mbd_ldl *q, const mbd_real *val, double least) {
  memset(q->L, 0, (size_t)q->at[q->panels] * sizeof *q->L);
  for (int k = 0; k < q->entries; k++) { q->L[q->to[k]] = val[q->from[k]]; }
  least *= largest_on_diagonal(q);
  for (int p = 0; p < q->panels; p++) {
    if (!eliminate_panel(q, p, least, q->x)) { return 0; }
    update_others(q, p, q->x);
    scale_panel(q, p);
  }
  return 1;
}

/* ---- solutions ---- */

/* L x := x */
static void forward_one(const mbd_ldl *q, mbd_real *x) {
  for (int p = 0; p < q->panels; p++) {
    const int w = width(q, p), below = rows_below(q, p), ld = w + below, *row = q->row + q->below[p];
    const mbd_real *panel = q->L + q->at[p];
    mbd_real *own = x + q->begin[p];
    for (int c = 0; c < w; c++) {
      for (int i = c + 1; i < w; i++) { own[i] -= panel[(ptrdiff_t)c * ld + i] * own[c]; }
    }
    if (w == 1) {
      subtract_at(below, own[0], panel + 1, row, x);
      continue;
    }
    memset(q->sum, 0, (size_t)below * sizeof *q->sum);
    subtract_columns(below, w, panel + w, ld, own, q->sum);
    for (int i = 0; i < below; i++) { x[row[i]] += q->sum[i]; }
  }
}

/* a . b_at */
static inline mbd_real dot_at(int n, const mbd_real *restrict a, const int *at, const mbd_real *restrict b) {
  mbd_real even = 0, odd = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) { even += a[i] * b[at[i]], odd += a[i + 1] * b[at[i + 1]]; }
  return i < n ? even + odd + a[i] * b[at[i]] : even + odd;
}

static inline mbd_real dot(int n, const mbd_real *restrict a, const mbd_real *restrict b) {
  mbd_real even = 0, odd = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) { even += a[i] * b[i], odd += a[i + 1] * b[i + 1]; }
  return i < n ? even + odd + a[i] * b[i] : even + odd;
}

/* L' x := x */
static void backward_one(const mbd_ldl *q, mbd_real *x) {
  for (int p = q->panels - 1; p >= 0; p--) {
    const int w = width(q, p), below = rows_below(q, p), ld = w + below, *row = q->row + q->below[p];
    const mbd_real *panel = q->L + q->at[p];
    mbd_real *own = x + q->begin[p];
    if (w == 1) {
      own[0] -= dot_at(below, panel + 1, row, x);
      continue;
    }
    for (int i = 0; i < below; i++) { q->sum[i] = x[row[i]]; }
    for (int c = w - 1; c >= 0; c--) {
      const mbd_real *column = panel + (ptrdiff_t)c * ld;
      own[c] -= dot(w - c - 1, column + c + 1, own + c + 1) + dot(below, column + w, q->sum);
    }
  }
}

static void solve_one(const mbd_ldl *q, mbd_real *b) {
  mbd_real *x = q->x;
  for (int i = 0; i < q->n; i++) { x[i] = b[q->order[i]]; }
  forward_one(q, x);
  for (int i = 0; i < q->n; i++) { x[i] *= q->inverse[i]; }
  backward_one(q, x);
  for (int i = 0; i < q->n; i++) { b[q->order[i]] = x[i]; }
}

/* The numbers of row i of a panel, a pivot of it or one of the rows below: x [n][wide]. */
static inline mbd_real *of_row(const mbd_ldl *q, int p, int i, int wide, mbd_real *x) {
  const int w = width(q, p);
  return x + (size_t)(i < w ? q->begin[p] + i : q->row[q->below[p] + i - w]) * (size_t)wide;
}

static inline void forward_strip(const mbd_ldl *q, int wide, mbd_real *x) {
  for (int p = 0; p < q->panels; p++) {
    const int w = width(q, p), ld = w + rows_below(q, p);
    const mbd_real *column = q->L + q->at[p];
    for (int c = 0; c < w; c++, column += ld) {
      const mbd_real *own = of_row(q, p, c, wide, x);
      for (int i = c + 1; i < ld; i++) { add_wide(wide, -column[i], own, of_row(q, p, i, wide, x)); }
    }
  }
}

static inline void backward_strip(const mbd_ldl *q, int wide, mbd_real *x) {
  for (int p = q->panels - 1; p >= 0; p--) {
    const int w = width(q, p), ld = w + rows_below(q, p);
    for (int c = w - 1; c >= 0; c--) {
      const mbd_real *column = q->L + q->at[p] + (ptrdiff_t)c * ld;
      mbd_real v[STRIP], *own = of_row(q, p, c, wide, x);
      for (int r = 0; r < wide; r++) { v[r] = own[r]; }
      for (int i = c + 1; i < ld; i++) { add_wide(wide, -column[i], of_row(q, p, i, wide, x), v); }
      for (int r = 0; r < wide; r++) { own[r] = v[r]; }
    }
  }
}

/* Columns of b [n][k] from the first on. */
static inline void solve_strip(const mbd_ldl *q, int k, int wide, mbd_real *b) {
  mbd_real *x = q->x;
  for (int i = 0; i < q->n; i++) {
    const mbd_real *from = b + (size_t)q->order[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { x[i * wide + r] = from[r]; }
  }
  forward_strip(q, wide, x);
  for (int i = 0; i < q->n; i++) {
    for (int r = 0; r < wide; r++) { x[i * wide + r] *= q->inverse[i]; }
  }
  backward_strip(q, wide, x);
  for (int i = 0; i < q->n; i++) {
    mbd_real *to = b + (size_t)q->order[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { to[r] = x[i * wide + r]; }
  }
}

void mbd_ldl_solve(const mbd_ldl *q, int k, mbd_real *b) {
  if (k == 1) {
    solve_one(q, b);
    return;
  }
  FOR_STRIPS(k, solve_strip(q, k, wide, b + r))
}
