#include "la/rank.h"

#include <string.h>

#include "la/dense.h"

enum { FILL = 8 }; /* memory is taken for so many times the given entries */

/* A rank is beyond doubt if every pivot is at least `plainly_above` times the smallest one allowed, and every entry of the remaining
 * rows at most `plainly_below` times it: any order of pivots gives the same rank then. */
static const double plainly_above = 1e5, plainly_below = 1e-3;
static const double threshold = 0.25; /* least pivot relative to its row; entries grow at most fivefold in a step */

void mbd_rank_layout(mbd_rank_memory *q, size_t m, size_t n, size_t entries, mbd_arena *a) {
  const size_t capacity = FILL * entries;
  q->capacity = (int)capacity;
  q->entry = mbd_arena_take(a, capacity * sizeof *q->entry);
  q->place = mbd_arena_take(a, capacity * sizeof *q->place);
  q->begin = mbd_arena_take(a, m * sizeof *q->begin);
  q->length = mbd_arena_take(a, m * sizeof *q->length);
  q->max_long = mbd_arena_take(a, m * sizeof *q->max_long);
  q->row_at = mbd_arena_take(a, m * sizeof *q->row_at);
  q->col_at = mbd_arena_take(a, n * sizeof *q->col_at);
  q->last = mbd_arena_take(a, n * sizeof *q->last);
  q->where = mbd_arena_take(a, n * sizeof *q->where);
  q->max = mbd_arena_take(a, m * sizeof *q->max);
  q->in_col = mbd_arena_take(a, n * sizeof *q->in_col);
  q->of_length = mbd_arena_take(a, (n + 1) * sizeof *q->of_length);
  q->after = mbd_arena_take(a, m * sizeof *q->after);
  q->ahead = mbd_arena_take(a, m * sizeof *q->ahead);
}

static void update_max(mbd_rank_memory *q, int i) {
  const mbd_rank_entry *e = q->entry + q->begin[i];
  double max = 0;
  for (int p = 0; p < q->length[i]; p++) { max = fabs(e[p].val) > max ? fabs(e[p].val) : max; }
  q->max[i] = max;
}

/* Appends an entry to row i, in column j. A row without space is moved behind all others. Returns 0 if there is no memory for it. */
static int append(mbd_rank_memory *q, int i, int j, double val) {
  if (q->length[i] == q->max_long[i]) {
    const int size = 2 * q->length[i] + 2;
    if (q->used + size > q->capacity) { return 0; }
    memcpy(q->entry + q->used, q->entry + q->begin[i], (size_t)q->length[i] * sizeof *q->entry);
    q->begin[i] = q->used, q->max_long[i] = size;
    q->used += size;
  }
  if (q->places == q->capacity) { return 0; }
  q->entry[q->begin[i] + q->length[i]++] = (mbd_rank_entry){j, val};
  q->place[q->places] = (mbd_rank_place){i, q->last[j]};
  q->last[j] = q->places++;
  q->in_col[j]++;
  return 1;
}

/* Row i of J, its columns with col_at >= 0. */
static void take_row(mbd_rank_memory *q, const mbd_packed *J, int i) {
  q->begin[i] = q->used, q->length[i] = 0, q->max_long[i] = J->first[i + 1] - J->first[i];
  q->used += q->max_long[i];
  for (int p = J->first[i]; p < J->first[i + 1]; p++) {
    const double v = mbd_first(J->val[p]);
    if (v != 0 && q->col_at[J->col[p]] >= 0) { append(q, i, J->col[p], v); }
  }
  update_max(q, i);
}

static void begin(mbd_rank_memory *q, int m, int n, const mbd_packed *J, int *row, int *col) {
  q->used = q->places = 0;
  for (int j = 0; j < n; j++) { col[j] = q->col_at[j] = j, q->last[j] = -1, q->where[j] = q->in_col[j] = 0; }
  for (int i = 0; i < m; i++) {
    row[i] = q->row_at[i] = i;
    take_row(q, J, i);
  }
}

static double entry_at(const mbd_rank_memory *q, int i, int j) {
  const mbd_rank_entry *e = q->entry + q->begin[i];
  for (int p = 0; p < q->length[i]; p++) {
    if (e[p].col == j) { return e[p].val; }
  }
  return 0;
}

/* The first entry of row i, in the order of the columns from `from` on, above `enough`; NULL: there is none. */
static const mbd_rank_entry *first_above(const mbd_rank_memory *q, int i, int from, double enough) {
  const mbd_rank_entry *e = q->entry + q->begin[i], *first = NULL;
  for (int p = 0; p < q->length[i]; p++) {
    const int at = q->col_at[e[p].col];
    if (at >= from && fabs(e[p].val) > enough && (!first || at < q->col_at[first->col])) { first = &e[p]; }
  }
  return first;
}

/* Finds the place of the pivot of step k, of equal ones the first. Returns its size. */
static double find_pivot(const mbd_rank_memory *q, int m, int k, const int *row, const int *col, int *pi, int *pj) {
  double max = fabs(entry_at(q, row[k], col[k]));
  *pi = k, *pj = k;
  for (int p = k; p < m; p++) {
    if (!(q->max[row[p]] > max * (1 + MBD_EQUAL_PIVOTS))) { continue; }
    const mbd_rank_entry *e = first_above(q, row[p], k, max * (1 + MBD_EQUAL_PIVOTS));
    for (; e; e = first_above(q, row[p], *pj + 1, max * (1 + MBD_EQUAL_PIVOTS))) {
      *pi = p, *pj = q->col_at[e->col];
      max = fabs(e->val);
    }
  }
  return max;
}

/* Exchanges positions a and b of an order, and updates the positions of both members. */
static void exchange(int *order, int *at, int a, int b) {
  const int one = order[a];
  order[a] = order[b], order[b] = one;
  at[order[a]] = a, at[order[b]] = b;
}

/* Removes column c from row i. Returns its entry, or zero if there was none. */
static double take_out(mbd_rank_memory *q, int i, int c) {
  mbd_rank_entry *e = q->entry + q->begin[i];
  for (int p = 0; p < q->length[i]; p++) {
    if (e[p].col != c) { continue; }
    const double v = e[p].val;
    e[p] = e[--q->length[i]];
    q->in_col[c]--;
    return v;
  }
  return 0;
}

/* Removes the entries of row i that have become zero, and finds its largest one. */
static void tidy(mbd_rank_memory *q, int i) {
  mbd_rank_entry *e = q->entry + q->begin[i];
  const int length = q->length[i];
  double max = 0;
  int kept = 0;
  for (int p = 0; p < length; p++) {
    const double size = fabs(e[p].val);
    q->where[e[p].col] = 0;
    if (size == 0) {
      q->in_col[e[p].col]--;
      continue;
    }
    max = size > max ? size : max;
    e[kept++] = e[p];
  }
  q->length[i] = kept;
  q->max[i] = max;
}

/* Row i -= f times row r. Returns 0 if there was no memory. */
static int subtract(mbd_rank_memory *q, int i, double f, int r) {
  const mbd_rank_entry *other = q->entry + q->begin[r];
  const int length = q->length[i], others = q->length[r];
  mbd_rank_entry *e = q->entry + q->begin[i];
  int enough = 1;
  for (int p = 0; p < length; p++) { q->where[e[p].col] = p + 1; }
  for (int p = 0; enough && p < others; p++) {
    const int at = q->where[other[p].col];
    if (at) {
      q->entry[q->begin[i] + at - 1].val -= f * other[p].val;
    } else {
      enough = append(q, i, other[p].col, -(f * other[p].val));
    }
  }
  tidy(q, i);
  return enough;
}

static int eliminate(mbd_rank_memory *q, int m, int n, double smallest, int *row, int *col) {
  for (int k = 0; k < m && k < n; k++) {
    int pi, pj;
    if (!(find_pivot(q, m, k, row, col, &pi, &pj) > smallest)) { return k; }
    exchange(row, q->row_at, k, pi);
    exchange(col, q->col_at, k, pj);
    const int c = col[k];
    const double pivot = take_out(q, row[k], c);
    for (int p = q->last[c]; p >= 0; p = q->place[p].before) {
      const int i = q->place[p].row;
      if (q->row_at[i] <= k) { continue; }
      const double v = take_out(q, i, c);
      if (v == 0) { continue; }
      if (!subtract(q, i, v / pivot, row[k])) { return -1; }
    }
  }
  return m < n ? m : n;
}

/* ---- short rows first ---- */

/* Puts row i into the list of the rows of its length, or takes it out. */
static void put_in(mbd_rank_memory *q, int i) {
  const int first = q->of_length[q->length[i]];
  q->after[i] = first, q->ahead[i] = -1;
  if (first >= 0) { q->ahead[first] = i; }
  q->of_length[q->length[i]] = i;
}

static void put_out(mbd_rank_memory *q, int i) {
  const int after = q->after[i], ahead = q->ahead[i];
  if (after >= 0) { q->ahead[after] = ahead; }
  *(ahead >= 0 ? &q->after[ahead] : &q->of_length[q->length[i]]) = after;
}

/* The column of row i with the fewest entries, of those that are large enough for a pivot. */
static int short_column(const mbd_rank_memory *q, int i) {
  const mbd_rank_entry *e = q->entry + q->begin[i];
  int best = -1;
  for (int p = 0; p < q->length[i]; p++) {
    if (fabs(e[p].val) < threshold * q->max[i]) { continue; }
    if (best < 0 || q->in_col[e[p].col] < q->in_col[best]) { best = e[p].col; }
  }
  return best;
}

/* Eliminates column c from the rows that are in lists, by row r, which is in none. Returns 0 if there was no memory. */
static int eliminate_column(mbd_rank_memory *q, int r, int c, int *shortest) {
  const double pivot = take_out(q, r, c);
  for (int p = 0; p < q->length[r]; p++) { q->in_col[q->entry[q->begin[r] + p].col]--; }
  for (int p = q->last[c]; p >= 0; p = q->place[p].before) {
    const int i = q->place[p].row;
    if (q->row_at[i] < 0) { continue; }
    put_out(q, i);
    const double v = take_out(q, i, c);
    if (v != 0 && !subtract(q, i, v / pivot, r)) { return 0; }
    put_in(q, i);
    *shortest = q->length[i] < *shortest ? q->length[i] : *shortest;
  }
  return 1;
}

/* The rank by an elimination with little fill, which takes the shortest row next. Rows of pivots have row_at -1 afterwards; row, col: the
 * pivots in their order (NULL: not wanted). Returns -1 if the rank is not beyond doubt or there was no memory. */
static int eliminate_short(mbd_rank_memory *q, int m, int n, double smallest, int *row, int *col) {
  int rank = 0, shortest = 0;
  for (int k = 0; k <= n; k++) { q->of_length[k] = -1; }
  for (int i = m - 1; i >= 0; i--) { put_in(q, i); }
  while (rank < n) {
    while (shortest <= n && q->of_length[shortest] < 0) { shortest++; }
    if (shortest > n) { break; }
    const int i = q->of_length[shortest];
    put_out(q, i);
    q->row_at[i] = -2;
    if (!(q->max[i] > plainly_below * smallest)) { continue; }
    if (!(q->max[i] > plainly_above * smallest)) { return -1; }
    q->row_at[i] = -1;
    const int c = short_column(q, i);
    if (row) { row[rank] = i, col[rank] = c; }
    rank++;
    if (!eliminate_column(q, i, c, &shortest)) { return -1; }
  }
  return rank;
}

/* Orders rows: those with pivots first, then the others, both by increasing number. */
static void sort_rows(const mbd_rank_memory *q, int m, int rank, int *row) {
  int pivots = 0, others = rank;
  for (int i = 0; i < m; i++) { row[q->row_at[i] == -1 ? pivots++ : others++] = i; }
}

/* The rank, if it is beyond doubt and determines the wanted rows and columns; otherwise -1. */
static int plain_rank(mbd_rank_memory *q, int m, int n, double smallest, mbd_rank_requested requested, int *row) {
  int nonzero = 0;
  for (int i = 0; i < m; i++) { nonzero += q->max[i] > 0; }
  const int rank = eliminate_short(q, m, n, smallest, NULL, NULL);
  if (rank < 0 || (requested == MBD_RANK_ROWS && rank < nonzero) || (requested == MBD_RANK_COLUMNS && rank < n)) {
    return -1;
  }
  sort_rows(q, m, rank, row);
  return rank;
}

int mbd_rank_packed(mbd_rank_memory *q, int m, int n, const mbd_packed *J, double smallest,
                    mbd_rank_requested requested, int *row, int *col) {
  if (requested != MBD_RANK_BOTH) {
    begin(q, m, n, J, row, col);
    const int rank = plain_rank(q, m, n, smallest, requested, row);
    if (rank >= 0) { return rank; }
  }
  begin(q, m, n, J, row, col);
  return eliminate(q, m, n, smallest, row, col);
}

/* Rows and columns that are not among the given ones are empty. */
static void begin_some(mbd_rank_memory *q, int m, int n, const mbd_packed *J, int rank, const int *row,
                       const int *col) {
  q->used = q->places = 0;
  for (int j = 0; j < n; j++) { q->col_at[j] = q->last[j] = -1, q->where[j] = q->in_col[j] = 0; }
  for (int i = 0; i < m; i++) { q->row_at[i] = i, q->begin[i] = q->length[i] = q->max_long[i] = 0, q->max[i] = 0; }
  for (int k = 0; k < rank; k++) { q->col_at[col[k]] = k; }
  for (int k = 0; k < rank; k++) { take_row(q, J, row[k]); }
}

int mbd_rank_order(mbd_rank_memory *q, int m, int n, const mbd_packed *J, double smallest, int rank, const int *row,
                   const int *col, int *first_row, int *first_col) {
  begin_some(q, m, n, J, rank, row, col);
  return eliminate_short(q, m, n, smallest, first_row, first_col) == rank;
}
