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

static int width(const mbd_ldl *ldl, int p) {
  return ldl->begin[p + 1] - ldl->begin[p];
}

static int rows_below(const mbd_ldl *ldl, int p) {
  return ldl->below[p + 1] - ldl->below[p];
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
static int list_column(const mbd_ldl *ldl, const int *first, const int *col, int j, columns *c) {
  c->first[j] = c->used;
  c->seen[j] = j + 1;
  for (int k = first[ldl->order[j]]; k < first[ldl->order[j] + 1]; k++) {
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
static int list_columns(const mbd_ldl *ldl, const int *first, const int *col, columns *c) {
  for (int k = 0; k < ldl->n; k++) { c->pos[ldl->order[k]] = k, c->child[k] = -1; }
  for (int j = 0; j < ldl->n; j++) {
    if (!list_column(ldl, first, col, j, c)) { return 0; }
    if (c->count[j] == 0) { continue; }
    qsort(c->row + c->first[j], (size_t)c->count[j], sizeof *c->row, ascending);
    const int parent = c->row[c->first[j]];
    c->sibling[j] = c->child[parent], c->child[parent] = j;
  }
  return 1;
}

/* Joins neighbouring columns to a panel where the rows of the first one are the second one and its rows. */
static void find_panels(mbd_ldl *ldl, const columns *c) {
  ldl->panels = 0;
  for (int j = 0; j < ldl->n; j++) {
    const int joins = j > 0 && c->count[j - 1] == c->count[j] + 1 && c->row[c->first[j - 1]] == j;
    if (!joins) { ldl->begin[ldl->panels++] = j; }
  }
  ldl->begin[ldl->panels] = ldl->n;
}

/* Lists the rows below the panels, which are those of their last columns, and finds where the panels begin in L. */
static int list_rows(mbd_ldl *ldl, const columns *c) {
  /* Where the rows below each panel begin in their list, and where its numbers begin in L; its longest column. */
  int max = 0;
  ldl->below[0] = ldl->at[0] = 0;
  for (int p = 0; p < ldl->panels; p++) {
    const int count = c->count[ldl->begin[p + 1] - 1], w = width(ldl, p);
    ldl->below[p + 1] = ldl->below[p] + count;
    ldl->at[p + 1] = ldl->at[p] + w * (w + count);
    max = w + count > max ? w + count : max;
  }
  /* Memory of the lists of rows and of the factors; the factors of a symmetric matrix need no U. */
  const size_t rows = (size_t)ldl->below[ldl->panels] + 1, numbers = (size_t)ldl->at[ldl->panels] + 1;
  ldl->row = calloc(3 * rows, sizeof *ldl->row);
  ldl->L = calloc(ldl->symmetric ? numbers : 2 * numbers, sizeof *ldl->L);
  ldl->sum = calloc((size_t)(max + 1), sizeof *ldl->sum);
  if (!ldl->row || !ldl->L || !ldl->sum) { return 0; }
  ldl->U = ldl->symmetric ? ldl->L : ldl->L + numbers;
  ldl->target = ldl->row + rows, ldl->list = ldl->target + rows;
  /* The rows of the last column of a panel lie below all of its columns. */
  for (int p = 0; p < ldl->panels; p++) {
    const int last = ldl->begin[p + 1] - 1;
    memcpy(ldl->row + ldl->below[p], c->row + c->first[last], (size_t)c->count[last] * sizeof *ldl->row);
  }
  return 1;
}

/* The place of row i in a column of panel p. */
static int place_in(const mbd_ldl *ldl, int p, int i) {
  if (i < ldl->begin[p + 1]) { return i - ldl->begin[p]; }
  const int *row = bsearch(&i, ldl->row + ldl->below[p], (size_t)rows_below(ldl, p), sizeof i, ascending);
  return width(ldl, p) + (int)(row - (ldl->row + ldl->below[p]));
}

static int column_at(const mbd_ldl *ldl, int p, int j) {
  return ldl->at[p] + (j - ldl->begin[p]) * (width(ldl, p) + rows_below(ldl, p));
}

/* Finds the places from which the products of the rows below panel p are subtracted; of[]: the panel of every pivot.
 * offset NULL: only counts them. */
static int list_targets(mbd_ldl *ldl, int p, const int *of, int used) {
  const int end = ldl->below[p + 1];
  for (int j = ldl->below[p]; j < end; j++) {
    const int panel = of[ldl->row[j]];
    ldl->target[j] = column_at(ldl, panel, ldl->row[j]);
    if (j > ldl->below[p] && of[ldl->row[j - 1]] == panel) {
      ldl->list[j] = ldl->list[j - 1] + 1;
      continue;
    }
    ldl->list[j] = used;
    for (int i = j; i < end; i++, used++) {
      if (ldl->offset) { ldl->offset[used] = place_in(ldl, panel, ldl->row[i]); }
    }
  }
  return used;
}

static int find_targets(mbd_ldl *ldl, const int *of) {
  for (int pass = 0; pass < 2; pass++) {
    int used = 0;
    for (int p = 0; p < ldl->panels; p++) { used = list_targets(ldl, p, of, used); }
    if (!ldl->offset) { ldl->offset = calloc((size_t)used + 1, sizeof *ldl->offset); }
    if (!ldl->offset) { return 0; }
  }
  return 1;
}

static void find_entries(mbd_ldl *ldl, const int *first, const int *col, const int *pos, const int *of) {
  const ptrdiff_t U = ldl->U - ldl->L;
  for (int i = 0; i < ldl->n; i++) {
    for (int k = first[i]; k < first[i + 1]; k++) {
      if (ldl->symmetric && col[k] < i) { continue; }
      const int a = pos[i], b = pos[col[k]], column = a < b ? a : b, row = a < b ? b : a;
      ldl->from[ldl->entries] = k, ldl->row_of[ldl->entries] = a;
      ldl->to[ldl->entries++] =
          (int)(a < b ? U : 0) + column_at(ldl, of[column], column) + place_in(ldl, of[column], row);
    }
  }
}

/* Lists the places of L and U' on and below their diagonals that are not places of the matrix. */
static int find_fill(mbd_ldl *ldl) {
  const size_t numbers = (size_t)(ldl->U - ldl->L) + (size_t)ldl->at[ldl->panels];
  char *taken = calloc(numbers + 1, 1);
  if (!taken) { return 0; }
  for (int k = 0; k < ldl->entries; k++) { taken[ldl->to[k]] = 1; }
  ldl->empty = calloc(numbers - (size_t)ldl->entries + 1, sizeof *ldl->empty);
  for (int upper = 0; upper < (ldl->symmetric ? 1 : 2) && ldl->empty; upper++) {
    const int begin = upper == 0 ? 0 : (int)(ldl->U - ldl->L);
    for (int p = 0; p < ldl->panels; p++) {
      const int w = width(ldl, p), ld = w + rows_below(ldl, p);
      for (int c = 0; c < w; c++) {
        for (int i = c + upper; i < ld; i++) {
          const int at = begin + ldl->at[p] + c * ld + i;
          if (!taken[at]) { ldl->empty[ldl->fill++] = at; }
        }
      }
    }
  }
  free(taken);
  return ldl->empty != NULL;
}

static int find_places(mbd_ldl *ldl, const int *first, const int *col, columns *c) {
  if (!list_columns(ldl, first, col, c)) { return 0; }
  find_panels(ldl, c);
  if (!list_rows(ldl, c)) { return 0; }
  int *of = c->seen; /* the marks are no longer needed */
  for (int p = 0; p < ldl->panels; p++) {
    for (int j = ldl->begin[p]; j < ldl->begin[p + 1]; j++) { of[j] = p; }
  }
  if (!find_targets(ldl, of)) { return 0; }
  find_entries(ldl, first, col, c->pos, of);
  return find_fill(ldl);
}

static int allocate(mbd_ldl *ldl, int places, columns *c) {
  const size_t n = (size_t)ldl->n + 1, size = (size_t)places + n;
  ldl->order = calloc(4 * n, sizeof *ldl->order);
  ldl->from = calloc(3 * size, sizeof *ldl->from);
  ldl->max = calloc(2 * n, sizeof *ldl->max);
  ldl->inverse = calloc(n, sizeof *ldl->inverse);
  ldl->x = calloc(n * STRIP, sizeof *ldl->x);
  c->first = calloc(6 * n, sizeof *c->first);
  c->capacity = places + 1;
  c->row = calloc((size_t)c->capacity, sizeof *c->row);
  if (!ldl->order || !ldl->from || !ldl->inverse || !ldl->x || !ldl->max || !c->first || !c->row) { return 0; }
  ldl->begin = ldl->order + n, ldl->below = ldl->begin + n, ldl->at = ldl->below + n;
  ldl->to = ldl->from + size, ldl->row_of = ldl->to + size;
  ldl->grown = ldl->max + n;
  c->count = c->first + n, c->pos = c->count + n, c->seen = c->pos + n, c->child = c->seen + n;
  c->sibling = c->child + n;
  return 1;
}

mbd_status mbd_ldl_create(int n, const int *first, const int *col, const int *order, int symmetric, mbd_ldl **out,
                          mbd_error *err) {
  columns c = {0};
  mbd_ldl *ldl = *out = calloc(1, sizeof *ldl);
  if (ldl) { ldl->n = n, ldl->symmetric = symmetric; }
  int there = ldl && allocate(ldl, first[n], &c);
  if (there) { memcpy(ldl->order, order, (size_t)n * sizeof *order); }
  there = there && find_places(ldl, first, col, &c);
  free(c.first), free(c.row);
  if (there) { return MBD_OK; }
  mbd_ldl_destroy(ldl);
  *out = NULL;
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the factors of a sparse matrix of order %d", n);
}

void mbd_ldl_destroy(mbd_ldl *ldl) {
  if (!ldl) { return; }
  free(ldl->order), free(ldl->from), free(ldl->inverse), free(ldl->x);
  free(ldl->row), free(ldl->L), free(ldl->sum), free(ldl->offset);
  free(ldl->empty), free(ldl->max);
  free(ldl);
}

/* ---- factors ---- */

/* f [wide] := entry `at` of every column of the panel, divided by the pivot of the column. */
static inline void multipliers(int wide, const mbd_real *panel, int ld, int at, const mbd_real *inverse, mbd_real *f) {
  for (int c = 0; c < wide; c++) { f[c] = panel[(ptrdiff_t)c * ld + at] * inverse[c]; }
}

/* Subtracts the products of the columns before from column c of panel p of L, from row `at` on, with multipliers of U'.
 * The same for a column of U' with multipliers of L if L and U are exchanged. */
static void eliminate_column(const mbd_ldl *ldl, int p, int c, int at, mbd_real *L, const mbd_real *U, mbd_real *f) {
  const int ld = width(ldl, p) + rows_below(ldl, p);
  mbd_real *panel = L + ldl->at[p];
  multipliers(c, U + ldl->at[p], ld, c, ldl->inverse + ldl->begin[p], f);
  panel_subtract(ld - at, c, panel + at, ld, f, panel + (ptrdiff_t)c * ld + at);
}

/* Eliminates the columns of a panel by each other, so that it holds L D. Returns 0 if a pivot is not above `min`. */
static int eliminate_panel(mbd_ldl *ldl, int p, double min, mbd_real *f) {
  const int w = width(ldl, p), ld = w + rows_below(ldl, p);
  for (int c = 0; c < w; c++) {
    eliminate_column(ldl, p, c, c, ldl->L, ldl->U, f);
    if (!ldl->symmetric) { eliminate_column(ldl, p, c, c + 1, ldl->U, ldl->L, f); }
    const mbd_real pivot = ldl->L[ldl->at[p] + c * (ld + 1)];
    if (!(mbd_min(pivot) > min) || (ldl->symmetric && mbd_any(mbd_re(pivot) < 0))) { return 0; }
    ldl->inverse[ldl->begin[p] + c] = 1 / pivot;
  }
  return 1;
}

/* Subtracts the products of the rows below from those columns of other panels of L of which these rows are the pivots,
 * with multipliers of U'. A panel with several columns forms their sum first, unless the places are neighbours. */
static void update_others(const mbd_ldl *ldl, int p, mbd_real *L, const mbd_real *U, mbd_real *f) {
  const int w = width(ldl, p), below = rows_below(ldl, p), ld = w + below;
  const mbd_real *panel = L + ldl->at[p], *other = U + ldl->at[p], *inverse = ldl->inverse + ldl->begin[p];
  for (int j = 0; j < below; j++) {
    const int count = below - j, *offset = ldl->offset + ldl->list[ldl->below[p] + j];
    mbd_real *target = L + ldl->target[ldl->below[p] + j];
    if (w == 1) {
      panel_subtract_at(count, other[1 + j] * inverse[0], panel + 1 + j, offset, target);
      continue;
    }
    multipliers(w, other, ld, w + j, inverse, f);
    if (offset[count - 1] - offset[0] == count - 1) { /* the places are neighbours in the other panel, too */
      panel_subtract(count, w, panel + w + j, ld, f, target + offset[0]);
      continue;
    }
    for (int i = 0; i < count; i++) { ldl->sum[i] = 0; }
    panel_subtract(count, w, panel + w + j, ld, f, ldl->sum);
    for (int i = 0; i < count; i++) { target[offset[i]] += ldl->sum[i]; }
  }
}

/* Divides the columns of a panel by their pivots, L := (L D) D^-1, without the diagonal. */
static void scale_panel(const mbd_ldl *ldl, int p, mbd_real *L) {
  const int w = width(ldl, p), ld = w + rows_below(ldl, p);
  for (int c = 0; c < w; c++) {
    mbd_real *column = L + ldl->at[p] + (ptrdiff_t)c * ld;
    const mbd_real inverse = ldl->inverse[ldl->begin[p] + c];
    for (int i = c + 1; i < ld; i++) { column[i] *= inverse; }
  }
}

static double largest_on_diagonal(const mbd_ldl *ldl) {
  double max = 0;
  for (int p = 0; p < ldl->panels; p++) {
    const int w = width(ldl, p), ld = w + rows_below(ldl, p);
    for (int c = 0; c < w; c++) { max = fmax(max, mbd_largest(ldl->L[ldl->at[p] + c * (ld + 1)])); }
  }
  return max;
}

/* Finds the largest entry of every row of the matrix; returns the largest of all, NaN if one is not a number. */
static double largest_of_rows(mbd_ldl *ldl, const mbd_real *val) {
  double all = 0, nothing = 0;
  memset(ldl->max, 0, (size_t)ldl->n * sizeof *ldl->max);
  for (int k = 0; k < ldl->entries; k++) {
    const double v = mbd_largest(val[ldl->from[k]]);
    double *max = &ldl->max[ldl->row_of[k]];
    *max = v > *max ? v : *max;
    nothing += 0 * v;
  }
  for (int i = 0; i < ldl->n; i++) { all = ldl->max[i] > all ? ldl->max[i] : all; }
  return all + nothing;
}

/* Updates the largest entries of the rows of L D with the columns of a panel, before they are scaled. */
static void watch_growth(mbd_ldl *ldl, int p) {
  const int w = width(ldl, p), ld = w + rows_below(ldl, p), *row = ldl->row + ldl->below[p];
  for (int c = 0; c < w; c++) {
    const mbd_real *column = ldl->L + ldl->at[p] + (ptrdiff_t)c * ld;
    for (int i = c; i < ld; i++) {
      const double v = mbd_largest(column[i]);
      double *max = &ldl->grown[i < w ? ldl->begin[p] + i : row[i - w]];
      *max = v > *max ? v : *max;
    }
  }
}

static int has_grown(const mbd_ldl *ldl, double growth) {
  for (int i = 0; i < ldl->n; i++) {
    if (!(ldl->grown[i] <= growth * ldl->max[i])) { return 1; }
  }
  return 0;
}

static void take_values(const mbd_ldl *ldl, const mbd_real *restrict val, mbd_real *restrict L) {
  const int *from = ldl->from, *to = ldl->to, *empty = ldl->empty;
  for (int k = 0; k < ldl->fill; k++) { L[empty[k]] = 0; }
  for (int k = 0; k < ldl->entries; k++) { L[to[k]] = val[from[k]]; }
}

int mbd_ldl_factor(mbd_ldl *ldl, const mbd_real *val, double min, double growth) {
  take_values(ldl, val, ldl->L);
  min *= ldl->symmetric ? largest_on_diagonal(ldl) : largest_of_rows(ldl, val);
  memset(ldl->grown, 0, (size_t)ldl->n * sizeof *ldl->grown);
  for (int p = 0; p < ldl->panels; p++) {
    if (!eliminate_panel(ldl, p, min, ldl->x)) { return 0; }
    update_others(ldl, p, ldl->L, ldl->U, ldl->x);
    if (!ldl->symmetric) {
      update_others(ldl, p, ldl->U, ldl->L, ldl->x);
      watch_growth(ldl, p);
      scale_panel(ldl, p, ldl->U);
    }
    scale_panel(ldl, p, ldl->L);
  }
  return ldl->symmetric || !has_grown(ldl, growth);
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

/* Gathers the pivots of a panel and its rows below in ldl->sum. */
static void gather_panel(const mbd_ldl *ldl, int p, const mbd_real *x) {
  const int w = width(ldl, p), below = rows_below(ldl, p), *row = ldl->row + ldl->below[p];
  memcpy(ldl->sum, x + ldl->begin[p], (size_t)w * sizeof *x);
  for (int i = 0; i < below; i++) { ldl->sum[w + i] = x[row[i]]; }
}

/* The same column by column, without gathering, which is faster for narrow panels. Up to FEW rows below, a loop here
 * takes fewer instructions than a call of panel.h. */
enum { FEW = 8 };

static void forward_columns(int w, int below, const mbd_real *restrict panel, const int *row, mbd_real *pivots,
                            mbd_real *x) {
  for (int c = 0; c < w; c++, panel += w + below) {
    const mbd_real f = pivots[c];
    for (int i = c + 1; i < w; i++) { pivots[i] -= panel[i] * f; }
    if (below > FEW) {
      panel_subtract_at(below, f, panel + w, row, x);
      continue;
    }
    for (int i = 0; i < below; i++) { x[row[i]] -= panel[w + i] * f; }
  }
}

static void backward_columns(int w, int below, const mbd_real *restrict panel, const int *row, mbd_real *pivots,
                             const mbd_real *x) {
  panel += (ptrdiff_t)w * (w + below);
  for (int c = w - 1; c >= 0; c--) {
    panel -= w + below;
    mbd_real v = pivots[c];
    for (int i = c + 1; i < w; i++) { v -= panel[i] * pivots[i]; }
    if (below > FEW) {
      pivots[c] = v - panel_dot_at(below, panel + w, row, x);
      continue;
    }
    for (int i = 0; i < below; i++) { v -= panel[w + i] * x[row[i]]; }
    pivots[c] = v;
  }
}

/* x := L^-1 x */
static void forward_one(const mbd_ldl *ldl, const mbd_real *L, mbd_real *x) {
  for (int p = 0; p < ldl->panels; p++) {
    const int w = width(ldl, p), below = rows_below(ldl, p), *row = ldl->row + ldl->below[p];
    mbd_real *pivots = x + ldl->begin[p];
    if (w == 1 && below > FEW) {
      panel_subtract_at(below, pivots[0], L + ldl->at[p] + 1, row, x);
      continue;
    }
    if (w < PANEL_BLOCK) {
      forward_columns(w, below, L + ldl->at[p], row, pivots, x);
      continue;
    }
    gather_panel(ldl, p, x);
    forward_panel(w, w + below, L + ldl->at[p], ldl->sum);
    memcpy(pivots, ldl->sum, (size_t)w * sizeof *x);
    for (int i = 0; i < below; i++) { x[row[i]] = ldl->sum[w + i]; }
  }
}

/* x := L'^-1 x */
static void backward_one(const mbd_ldl *ldl, const mbd_real *L, mbd_real *x) {
  for (int p = ldl->panels - 1; p >= 0; p--) {
    const int w = width(ldl, p), below = rows_below(ldl, p);
    mbd_real *pivots = x + ldl->begin[p];
    if (w == 1 && below > FEW) {
      pivots[0] -= panel_dot_at(below, L + ldl->at[p] + 1, ldl->row + ldl->below[p], x);
      continue;
    }
    if (w < PANEL_BLOCK) {
      backward_columns(w, below, L + ldl->at[p], ldl->row + ldl->below[p], pivots, x);
      continue;
    }
    gather_panel(ldl, p, x);
    backward_panel(w, w + below, L + ldl->at[p], ldl->sum);
    memcpy(pivots, ldl->sum, (size_t)w * sizeof *x);
  }
}

static void solve_one(const mbd_ldl *ldl, const mbd_real *L, const mbd_real *U, mbd_real *b) {
  mbd_real *x = ldl->x;
  for (int i = 0; i < ldl->n; i++) { x[i] = b[ldl->order[i]]; }
  forward_one(ldl, L, x);
  for (int i = 0; i < ldl->n; i++) { x[i] *= ldl->inverse[i]; }
  backward_one(ldl, U, x);
  for (int i = 0; i < ldl->n; i++) { b[ldl->order[i]] = x[i]; }
}

/* The numbers in x [n][wide] of row i of a panel, which is one of its pivots or one of the rows below. */
static inline mbd_real *of_row(const mbd_ldl *ldl, int p, int i, int wide, mbd_real *x) {
  const int w = width(ldl, p);
  return x + (size_t)(i < w ? ldl->begin[p] + i : ldl->row[ldl->below[p] + i - w]) * (size_t)wide;
}

static inline void forward_strip(const mbd_ldl *ldl, const mbd_real *L, int wide, mbd_real *x) {
  for (int p = 0; p < ldl->panels; p++) {
    const int w = width(ldl, p), ld = w + rows_below(ldl, p);
    const mbd_real *column = L + ldl->at[p];
    for (int c = 0; c < w; c++, column += ld) {
      const mbd_real *pivots = of_row(ldl, p, c, wide, x);
      for (int i = c + 1; i < ld; i++) { add_wide(wide, -column[i], pivots, of_row(ldl, p, i, wide, x)); }
    }
  }
}

static inline void backward_strip(const mbd_ldl *ldl, const mbd_real *L, int wide, mbd_real *x) {
  for (int p = ldl->panels - 1; p >= 0; p--) {
    const int w = width(ldl, p), ld = w + rows_below(ldl, p);
    for (int c = w - 1; c >= 0; c--) {
      const mbd_real *column = L + ldl->at[p] + (ptrdiff_t)c * ld;
      mbd_real v[STRIP], *pivots = of_row(ldl, p, c, wide, x);
      for (int r = 0; r < wide; r++) { v[r] = pivots[r]; }
      for (int i = c + 1; i < ld; i++) { add_wide(wide, -column[i], of_row(ldl, p, i, wide, x), v); }
      for (int r = 0; r < wide; r++) { pivots[r] = v[r]; }
    }
  }
}

/* Solves for the first `wide` columns of b [n][k]. */
static inline void solve_strip(const mbd_ldl *ldl, const mbd_real *L, const mbd_real *U, int k, int wide, mbd_real *b) {
  mbd_real *x = ldl->x;
  for (int i = 0; i < ldl->n; i++) {
    const mbd_real *from = b + (size_t)ldl->order[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { x[i * wide + r] = from[r]; }
  }
  forward_strip(ldl, L, wide, x);
  for (int i = 0; i < ldl->n; i++) {
    for (int r = 0; r < wide; r++) { x[i * wide + r] *= ldl->inverse[i]; }
  }
  backward_strip(ldl, U, wide, x);
  for (int i = 0; i < ldl->n; i++) {
    mbd_real *to = b + (size_t)ldl->order[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { to[r] = x[i * wide + r]; }
  }
}

void mbd_ldl_solve(const mbd_ldl *ldl, int transposed, int k, mbd_real *b) {
  const mbd_real *L = transposed ? ldl->U : ldl->L, *U = transposed ? ldl->L : ldl->U;
  if (k == 1) {
    solve_one(ldl, L, U, b);
    return;
  }
  FOR_STRIPS(k, solve_strip(ldl, L, U, k, wide, b + r))
}
