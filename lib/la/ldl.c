/* Elimination by panels. A panel of w neighbouring pivots is stored as a dense matrix of w columns of L, from the first
 * pivot to the last row below, and a dense matrix of w columns of U'. First the columns of the panel are eliminated,
 * each by the columns before it. Then the products L D U of the rows below are subtracted from the panels that have
 * these rows as pivots, at positions that are found once. Until all products of its panel have been subtracted, a
 * column holds L D, or (D U)':
 *   (L D)_ij -= sum_c (L D)_ic U_cj,   (D U)_ji -= sum_c L_jc (D U)_ci
 * Both are the same loop with L and U' exchanged; for a symmetric matrix they coincide. */
#include "la/ldl.h"

#include <stdlib.h>
#include <string.h>

#include "la/panel.h"
#include "la/strips.h"

struct mbd_ldl {
  int n, panels;
  int *order;  /* [n] the row of the matrix that is eliminated at each pivot */
  int *begin;  /* [panels + 1] first pivot of each panel */
  int *below;  /* [panels + 1] where the rows below each panel begin in `row` */
  int *row;    /* the rows below the panels, as numbers of pivots, ascending in a panel */
  int *at;     /* [panels + 1] where the numbers of each panel begin in L, column by column */
  int *target; /* [rows below] where in L the column begins of which the row is the pivot */
  int *list; /* [rows below] where in `offset` the places in that column begin, of this row and of the rows after it */
  int *offset;
  int symmetric;
  int entries, *from, *to; /* places of the matrix (if symmetric, those with j >= i), and in L or U */
  int *row_of;             /* the pivot to which the row of each entry belongs */
  int fill, *empty;        /* places of L and U that are zero before elimination */
  mbd_real *L, *U;         /* [at[panels]] each; U: U', stored like L behind it; L itself if symmetric */
  mbd_real *inverse;       /* [n] inverses of the pivots */
  mbd_real *x, *sum;       /* [n][STRIP] unknowns in the order of pivots; [longest column] scratch */
  double *max, *grown;     /* [n] largest entries of rows of the matrix, and of L D */
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
  int used, capacity;
  int *pos;                    /* [n] pivot of each row of the matrix */
  int *seen, *child, *sibling; /* [n] marks; the elimination tree: first child and next sibling, -1: none */
} columns;

static int add_row(columns *c, int j, int i) {
  if (c->seen[i] == j + 1) { return 1; }
  if (c->used == c->capacity) {
    int *more = realloc(c->row, 2 * (size_t)c->capacity * sizeof *more);
    if (!more) { return 0; }
    c->row = more, c->capacity *= 2;
  }
  c->seen[i] = j + 1;
  c->row[c->used++] = i;
  return 1;
}

/* Lists the rows of column j: those of the matrix, and those of its children in the elimination tree. */
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

/* Lists the rows of all columns. The parent of a column is its first row below the diagonal. */
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

/* Joins neighbouring columns to a panel where the rows of the first one are the second one and its rows. */
static void find_panels(mbd_ldl *q, const columns *c) {
  q->panels = 0;
  for (int j = 0; j < q->n; j++) {
    const int joins = j > 0 && c->count[j - 1] == c->count[j] + 1 && c->row[c->first[j - 1]] == j;
    if (!joins) { q->begin[q->panels++] = j; }
  }
  q->begin[q->panels] = q->n;
}

/* Lists the rows below the panels, which are those of their last columns, and finds where the panels begin in L. */
static int list_rows(mbd_ldl *q, const columns *c) {
  int max = 0;
  q->below[0] = q->at[0] = 0;
  for (int p = 0; p < q->panels; p++) {
    const int count = c->count[q->begin[p + 1] - 1], w = width(q, p);
    q->below[p + 1] = q->below[p] + count;
    q->at[p + 1] = q->at[p] + w * (w + count);
    max = w + count > max ? w + count : max;
  }
  const size_t rows = (size_t)q->below[q->panels] + 1, numbers = (size_t)q->at[q->panels] + 1;
  q->row = calloc(3 * rows, sizeof *q->row);
  q->L = calloc(q->symmetric ? numbers : 2 * numbers, sizeof *q->L);
  q->sum = calloc((size_t)(max + 1), sizeof *q->sum);
  if (!q->row || !q->L || !q->sum) { return 0; }
  q->U = q->symmetric ? q->L : q->L + numbers;
  q->target = q->row + rows, q->list = q->target + rows;
  for (int p = 0; p < q->panels; p++) {
    const int last = q->begin[p + 1] - 1;
    memcpy(q->row + q->below[p], c->row + c->first[last], (size_t)c->count[last] * sizeof *q->row);
  }
  return 1;
}

/* The place of row i in a column of panel p. */
static int place_in(const mbd_ldl *q, int p, int i) {
  if (i < q->begin[p + 1]) { return i - q->begin[p]; }
  const int *row = bsearch(&i, q->row + q->below[p], (size_t)rows_below(q, p), sizeof i, ascending);
  return width(q, p) + (int)(row - (q->row + q->below[p]));
}

static int column_at(const mbd_ldl *q, int p, int j) {
  return q->at[p] + (j - q->begin[p]) * (width(q, p) + rows_below(q, p));
}

/* Finds the places from which the products of the rows below panel p are subtracted; of[]: the panel of every pivot.
 * offset NULL: only counts them. */
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
  const ptrdiff_t U = q->U - q->L;
  for (int i = 0; i < q->n; i++) {
    for (int k = first[i]; k < first[i + 1]; k++) {
      if (q->symmetric && col[k] < i) { continue; }
      const int a = pos[i], b = pos[col[k]], column = a < b ? a : b, row = a < b ? b : a;
      q->from[q->entries] = k, q->row_of[q->entries] = a;
      q->to[q->entries++] = (int)(a < b ? U : 0) + column_at(q, of[column], column) + place_in(q, of[column], row);
    }
  }
}

/* Lists the places of L and U' on and below their diagonals that are not places of the matrix. */
static int find_fill(mbd_ldl *q) {
  const size_t numbers = (size_t)(q->U - q->L) + (size_t)q->at[q->panels];
  char *taken = calloc(numbers + 1, 1);
  if (!taken) { return 0; }
  for (int k = 0; k < q->entries; k++) { taken[q->to[k]] = 1; }
  q->empty = calloc(numbers - (size_t)q->entries + 1, sizeof *q->empty);
  for (int side = 0; side < (q->symmetric ? 1 : 2) && q->empty; side++) {
    const int begin = side == 0 ? 0 : (int)(q->U - q->L);
    for (int p = 0; p < q->panels; p++) {
      const int w = width(q, p), ld = w + rows_below(q, p);
      for (int c = 0; c < w; c++) {
        for (int i = c + side; i < ld; i++) {
          const int at = begin + q->at[p] + c * ld + i;
          if (!taken[at]) { q->empty[q->fill++] = at; }
        }
      }
    }
  }
  free(taken);
  return q->empty != NULL;
}

static int find_places(mbd_ldl *q, const int *first, const int *col, columns *c) {
  if (!list_columns(q, first, col, c)) { return 0; }
  find_panels(q, c);
  if (!list_rows(q, c)) { return 0; }
  int *of = c->seen; /* the marks are no longer needed */
  for (int p = 0; p < q->panels; p++) {
    for (int j = q->begin[p]; j < q->begin[p + 1]; j++) { of[j] = p; }
  }
  if (!find_targets(q, of)) { return 0; }
  find_entries(q, first, col, c->pos, of);
  return find_fill(q);
}

static int allocate(mbd_ldl *q, int places, columns *c) {
  const size_t n = (size_t)q->n + 1, size = (size_t)places + n;
  q->order = calloc(4 * n, sizeof *q->order);
  q->from = calloc(3 * size, sizeof *q->from);
  q->max = calloc(2 * n, sizeof *q->max);
  q->inverse = calloc(n, sizeof *q->inverse);
  q->x = calloc(n * STRIP, sizeof *q->x);
  c->first = calloc(6 * n, sizeof *c->first);
  c->capacity = places + 1;
  c->row = calloc((size_t)c->capacity, sizeof *c->row);
  if (!q->order || !q->from || !q->inverse || !q->x || !q->max || !c->first || !c->row) { return 0; }
  q->begin = q->order + n, q->below = q->begin + n, q->at = q->below + n;
  q->to = q->from + size, q->row_of = q->to + size;
  q->grown = q->max + n;
  c->count = c->first + n, c->pos = c->count + n, c->seen = c->pos + n, c->child = c->seen + n;
  c->sibling = c->child + n;
  return 1;
}

mbd_status mbd_ldl_create(int n, const int *first, const int *col, const int *order, int symmetric, mbd_ldl **out,
                          mbd_error *err) {
  columns c = {0};
  mbd_ldl *q = *out = calloc(1, sizeof *q);
  if (q) { q->n = n, q->symmetric = symmetric; }
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
  free(q->empty), free(q->max);
  free(q);
}

/* ---- factors ---- */

/* f [wide] := entry `at` of every column of the panel, divided by the pivot of the column. */
static inline void multipliers(int wide, const mbd_real *panel, int ld, int at, const mbd_real *inverse, mbd_real *f) {
  for (int c = 0; c < wide; c++) { f[c] = panel[(ptrdiff_t)c * ld + at] * inverse[c]; }
}

/* Subtracts the products of the columns before from column c of panel p of L, from row `at` on, with multipliers of U'.
 * The same for a column of U' with multipliers of L if L and U are exchanged. */
static void eliminate_column(const mbd_ldl *q, int p, int c, int at, mbd_real *L, const mbd_real *U, mbd_real *f) {
  const int ld = width(q, p) + rows_below(q, p);
  mbd_real *panel = L + q->at[p];
  multipliers(c, U + q->at[p], ld, c, q->inverse + q->begin[p], f);
  panel_subtract(ld - at, c, panel + at, ld, f, panel + (ptrdiff_t)c * ld + at);
}

/* Eliminates the columns of a panel by each other, so that it holds L D. Returns 0 if a pivot is not above `least`. */
static int eliminate_panel(mbd_ldl *q, int p, double min, mbd_real *f) {
  const int w = width(q, p), ld = w + rows_below(q, p);
  for (int c = 0; c < w; c++) {
    eliminate_column(q, p, c, c, q->L, q->U, f);
    if (!q->symmetric) { eliminate_column(q, p, c, c + 1, q->U, q->L, f); }
    const mbd_real pivot = q->L[q->at[p] + c * (ld + 1)];
    if (!(mbd_min(pivot) > min) || (q->symmetric && mbd_any(mbd_re(pivot) < 0))) { return 0; }
    q->inverse[q->begin[p] + c] = 1 / pivot;
  }
  return 1;
}

/* Subtracts the products of the rows below from those columns of other panels of L of which these rows are the pivots,
 * with multipliers of U'. A panel with several columns forms their sum first, unless the places are neighbours. */
static void update_others(const mbd_ldl *q, int p, mbd_real *L, const mbd_real *U, mbd_real *f) {
  const int w = width(q, p), below = rows_below(q, p), ld = w + below;
  const mbd_real *panel = L + q->at[p], *other = U + q->at[p], *inverse = q->inverse + q->begin[p];
  for (int j = 0; j < below; j++) {
    const int count = below - j, *offset = q->offset + q->list[q->below[p] + j];
    mbd_real *target = L + q->target[q->below[p] + j];
    if (w == 1) {
      panel_subtract_at(count, other[1 + j] * inverse[0], panel + 1 + j, offset, target);
      continue;
    }
    multipliers(w, other, ld, w + j, inverse, f);
    if (offset[count - 1] - offset[0] == count - 1) { /* the places are neighbours in the other panel, too */
      panel_subtract(count, w, panel + w + j, ld, f, target + offset[0]);
      continue;
    }
    for (int i = 0; i < count; i++) { q->sum[i] = 0; }
    panel_subtract(count, w, panel + w + j, ld, f, q->sum);
    for (int i = 0; i < count; i++) { target[offset[i]] += q->sum[i]; }
  }
}

/* Divides the columns of a panel by their pivots, L := (L D) D^-1, without the diagonal. */
static void scale_panel(const mbd_ldl *q, int p, mbd_real *L) {
  const int w = width(q, p), ld = w + rows_below(q, p);
  for (int c = 0; c < w; c++) {
    mbd_real *column = L + q->at[p] + (ptrdiff_t)c * ld;
    const mbd_real inverse = q->inverse[q->begin[p] + c];
    for (int i = c + 1; i < ld; i++) { column[i] *= inverse; }
  }
}

static double largest_on_diagonal(const mbd_ldl *q) {
  double max = 0;
  for (int p = 0; p < q->panels; p++) {
    const int w = width(q, p), ld = w + rows_below(q, p);
    for (int c = 0; c < w; c++) { max = fmax(max, mbd_largest(q->L[q->at[p] + c * (ld + 1)])); }
  }
  return max;
}

/* Finds the largest entry of every row of the matrix; returns the largest of all, NaN if one is not a number. */
static double largest_of_rows(mbd_ldl *q, const mbd_real *val) {
  double all = 0, nothing = 0;
  memset(q->max, 0, (size_t)q->n * sizeof *q->max);
  for (int k = 0; k < q->entries; k++) {
    const double v = mbd_largest(val[q->from[k]]);
    double *max = &q->max[q->row_of[k]];
    *max = v > *max ? v : *max;
    nothing += 0 * v;
  }
  for (int i = 0; i < q->n; i++) { all = q->max[i] > all ? q->max[i] : all; }
  return all + nothing;
}

/* Updates the largest entries of the rows of L D with the columns of a panel, before they are scaled. */
static void watch_growth(mbd_ldl *q, int p) {
  const int w = width(q, p), ld = w + rows_below(q, p), *row = q->row + q->below[p];
  for (int c = 0; c < w; c++) {
    const mbd_real *column = q->L + q->at[p] + (ptrdiff_t)c * ld;
    for (int i = c; i < ld; i++) {
      const double v = mbd_largest(column[i]);
      double *max = &q->grown[i < w ? q->begin[p] + i : row[i - w]];
      *max = v > *max ? v : *max;
    }
  }
}

static int has_grown(const mbd_ldl *q, double growth) {
  for (int i = 0; i < q->n; i++) {
    if (!(q->grown[i] <= growth * q->max[i])) { return 1; }
  }
  return 0;
}

static void take_values(const mbd_ldl *q, const mbd_real *restrict val, mbd_real *restrict L) {
  const int *from = q->from, *to = q->to, *empty = q->empty;
  for (int k = 0; k < q->fill; k++) { L[empty[k]] = 0; }
  for (int k = 0; k < q->entries; k++) { L[to[k]] = val[from[k]]; }
}

int mbd_ldl_factor(mbd_ldl *q, const mbd_real *val, double min, double growth) {
  take_values(q, val, q->L);
  min *= q->symmetric ? largest_on_diagonal(q) : largest_of_rows(q, val);
  memset(q->grown, 0, (size_t)q->n * sizeof *q->grown);
  for (int p = 0; p < q->panels; p++) {
    if (!eliminate_panel(q, p, min, q->x)) { return 0; }
    update_others(q, p, q->L, q->U, q->x);
    if (!q->symmetric) {
      update_others(q, p, q->U, q->L, q->x);
      watch_growth(q, p);
      scale_panel(q, p, q->U);
    }
    scale_panel(q, p, q->L);
  }
  return q->symmetric || !has_grown(q, growth);
}

/* ---- solutions ---- */

/* x := L^-1 x and x := L'^-1 x for the triangle of `wide` columns on the diagonal. */
static inline void forward_triangle(int wide, ptrdiff_t ld, const mbd_real *restrict L, mbd_real *restrict x) {
  for (int i = 1; i < wide; i++) {
    mbd_real v = x[i];
    for (int k = 0; k < i; k++) { v -= L[k * ld + i] * x[k]; }
    x[i] = v;
  }
}

static inline void backward_triangle(int wide, ptrdiff_t ld, const mbd_real *restrict L, mbd_real *restrict x) {
  for (int k = wide - 2; k >= 0; k--) {
    mbd_real v = x[k];
    for (int i = k + 1; i < wide; i++) { v -= L[k * ld + i] * x[i]; }
    x[k] = v;
  }
}

/* The part of x := L^-1 x by one panel, whose pivots and rows below are gathered in x; PANEL_BLOCK columns at a
 * time. */
static void forward_panel(int w, int ld, const mbd_real *panel, mbd_real *x) {
  int c = 0;
  for (; c + PANEL_BLOCK <= w; c += PANEL_BLOCK) {
    const mbd_real *L = panel + (ptrdiff_t)c * (ld + 1);
    forward_triangle(PANEL_BLOCK, ld, L, x + c);
    panel_subtract(ld - c - PANEL_BLOCK, PANEL_BLOCK, L + PANEL_BLOCK, ld, x + c, x + c + PANEL_BLOCK);
  }
  if (c == w) { return; }
  const mbd_real *L = panel + (ptrdiff_t)c * (ld + 1);
  forward_triangle(w - c, ld, L, x + c);
  panel_subtract(ld - w, w - c, L + w - c, ld, x + c, x + w);
}

/* The part of x := L'^-1 x by one panel. */
static void backward_panel(int w, int ld, const mbd_real *panel, mbd_real *x) {
  int c = w / PANEL_BLOCK * PANEL_BLOCK;
  mbd_real dot[PANEL_BLOCK];
  if (c < w) {
    const mbd_real *L = panel + (ptrdiff_t)c * (ld + 1);
    panel_dots(ld - w, w - c, L + w - c, ld, x + w, dot);
    for (int k = 0; k < w - c; k++) { x[c + k] -= dot[k]; }
    backward_triangle(w - c, ld, L, x + c);
  }
  for (c -= PANEL_BLOCK; c >= 0; c -= PANEL_BLOCK) {
    const mbd_real *L = panel + (ptrdiff_t)c * (ld + 1);
    panel_dots(ld - c - PANEL_BLOCK, PANEL_BLOCK, L + PANEL_BLOCK, ld, x + c + PANEL_BLOCK, dot);
    for (int k = 0; k < PANEL_BLOCK; k++) { x[c + k] -= dot[k]; }
    backward_triangle(PANEL_BLOCK, ld, L, x + c);
  }
}

/* Gathers the pivots of a panel and its rows below in q->sum. */
static void gather_panel(const mbd_ldl *q, int p, const mbd_real *x) {
  const int w = width(q, p), below = rows_below(q, p), *row = q->row + q->below[p];
  memcpy(q->sum, x + q->begin[p], (size_t)w * sizeof *x);
  for (int i = 0; i < below; i++) { q->sum[w + i] = x[row[i]]; }
}

/* The same column by column, without gathering, which is faster for narrow panels. Up to FEW rows below, a loop here
 * takes fewer instructions than a call of panel.h. */
enum { FEW = 8 };

static void forward_columns(int w, int below, const mbd_real *restrict panel, const int *row, mbd_real *own,
                            mbd_real *x) {
  for (int c = 0; c < w; c++, panel += w + below) {
    const mbd_real f = own[c];
    for (int i = c + 1; i < w; i++) { own[i] -= panel[i] * f; }
    if (below > FEW) {
      panel_subtract_at(below, f, panel + w, row, x);
      continue;
    }
    for (int i = 0; i < below; i++) { x[row[i]] -= panel[w + i] * f; }
  }
}

static void backward_columns(int w, int below, const mbd_real *restrict panel, const int *row, mbd_real *own,
                             const mbd_real *x) {
  panel += (ptrdiff_t)w * (w + below);
  for (int c = w - 1; c >= 0; c--) {
    panel -= w + below;
    mbd_real v = own[c];
    for (int i = c + 1; i < w; i++) { v -= panel[i] * own[i]; }
    if (below > FEW) {
      own[c] = v - panel_dot_at(below, panel + w, row, x);
      continue;
    }
    for (int i = 0; i < below; i++) { v -= panel[w + i] * x[row[i]]; }
    own[c] = v;
  }
}

/* x := L^-1 x */
static void forward_one(const mbd_ldl *q, const mbd_real *L, mbd_real *x) {
  for (int p = 0; p < q->panels; p++) {
    const int w = width(q, p), below = rows_below(q, p), *row = q->row + q->below[p];
    mbd_real *own = x + q->begin[p];
    if (w == 1 && below > FEW) {
      panel_subtract_at(below, own[0], L + q->at[p] + 1, row, x);
      continue;
    }
    if (w < PANEL_BLOCK) {
      forward_columns(w, below, L + q->at[p], row, own, x);
      continue;
    }
    gather_panel(q, p, x);
    forward_panel(w, w + below, L + q->at[p], q->sum);
    memcpy(own, q->sum, (size_t)w * sizeof *x);
    for (int i = 0; i < below; i++) { x[row[i]] = q->sum[w + i]; }
  }
}

/* x := L'^-1 x */
static void backward_one(const mbd_ldl *q, const mbd_real *L, mbd_real *x) {
  for (int p = q->panels - 1; p >= 0; p--) {
    const int w = width(q, p), below = rows_below(q, p);
    mbd_real *own = x + q->begin[p];
    if (w == 1 && below > FEW) {
      own[0] -= panel_dot_at(below, L + q->at[p] + 1, q->row + q->below[p], x);
      continue;
    }
    if (w < PANEL_BLOCK) {
      backward_columns(w, below, L + q->at[p], q->row + q->below[p], own, x);
      continue;
    }
    gather_panel(q, p, x);
    backward_panel(w, w + below, L + q->at[p], q->sum);
    memcpy(own, q->sum, (size_t)w * sizeof *x);
  }
}

static void solve_one(const mbd_ldl *q, const mbd_real *L, const mbd_real *U, mbd_real *b) {
  mbd_real *x = q->x;
  for (int i = 0; i < q->n; i++) { x[i] = b[q->order[i]]; }
  forward_one(q, L, x);
  for (int i = 0; i < q->n; i++) { x[i] *= q->inverse[i]; }
  backward_one(q, U, x);
  for (int i = 0; i < q->n; i++) { b[q->order[i]] = x[i]; }
}

/* The numbers in x [n][wide] of row i of a panel, which is one of its pivots or one of the rows below. */
static inline mbd_real *of_row(const mbd_ldl *q, int p, int i, int wide, mbd_real *x) {
  const int w = width(q, p);
  return x + (size_t)(i < w ? q->begin[p] + i : q->row[q->below[p] + i - w]) * (size_t)wide;
}

static inline void forward_strip(const mbd_ldl *q, const mbd_real *L, int wide, mbd_real *x) {
  for (int p = 0; p < q->panels; p++) {
    const int w = width(q, p), ld = w + rows_below(q, p);
    const mbd_real *column = L + q->at[p];
    for (int c = 0; c < w; c++, column += ld) {
      const mbd_real *own = of_row(q, p, c, wide, x);
      for (int i = c + 1; i < ld; i++) { add_wide(wide, -column[i], own, of_row(q, p, i, wide, x)); }
    }
  }
}

static inline void backward_strip(const mbd_ldl *q, const mbd_real *L, int wide, mbd_real *x) {
  for (int p = q->panels - 1; p >= 0; p--) {
    const int w = width(q, p), ld = w + rows_below(q, p);
    for (int c = w - 1; c >= 0; c--) {
      const mbd_real *column = L + q->at[p] + (ptrdiff_t)c * ld;
      mbd_real v[STRIP], *own = of_row(q, p, c, wide, x);
      for (int r = 0; r < wide; r++) { v[r] = own[r]; }
      for (int i = c + 1; i < ld; i++) { add_wide(wide, -column[i], of_row(q, p, i, wide, x), v); }
      for (int r = 0; r < wide; r++) { own[r] = v[r]; }
    }
  }
}

/* Solves for the first `wide` columns of b [n][k]. */
static inline void solve_strip(const mbd_ldl *q, const mbd_real *L, const mbd_real *U, int k, int wide, mbd_real *b) {
  mbd_real *x = q->x;
  for (int i = 0; i < q->n; i++) {
    const mbd_real *from = b + (size_t)q->order[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { x[i * wide + r] = from[r]; }
  }
  forward_strip(q, L, wide, x);
  for (int i = 0; i < q->n; i++) {
    for (int r = 0; r < wide; r++) { x[i * wide + r] *= q->inverse[i]; }
  }
  backward_strip(q, U, wide, x);
  for (int i = 0; i < q->n; i++) {
    mbd_real *to = b + (size_t)q->order[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { to[r] = x[i * wide + r]; }
  }
}

void mbd_ldl_solve(const mbd_ldl *q, int transposed, int k, mbd_real *b) {
  const mbd_real *L = transposed ? q->U : q->L, *U = transposed ? q->L : q->U;
  if (k == 1) {
    solve_one(q, L, U, b);
    return;
  }
  FOR_STRIPS(k, solve_strip(q, L, U, k, wide, b + r))
}
