#include "la/rank.h"

#include <string.h>

#include "la/dense.h"

enum { FILL = 8 }; /* memory is taken for so many times the given entries */

/* A rank is beyond doubt if every pivot is at least `plainly_above` times the smallest one allowed, and every entry of the remaining
 * rows at most `plainly_below` times it: any order of pivots gives the same rank then. */
static const double plainly_above = 1e5, plainly_below = 1e-3;
static const double threshold = 0.25; /* least pivot relative to its row; entries grow at most fivefold in a step */

void mbd_rank_layout(mbd_rank_memory *memory, size_t m, size_t n, size_t entries, mbd_arena *a) {
  const size_t capacity = FILL * entries;
  memory->capacity = (int)capacity;
  memory->entry = mbd_arena_take(a, capacity * sizeof *memory->entry);
  memory->place = mbd_arena_take(a, capacity * sizeof *memory->place);
  memory->begin = mbd_arena_take(a, m * sizeof *memory->begin);
  memory->length = mbd_arena_take(a, m * sizeof *memory->length);
  memory->max_long = mbd_arena_take(a, m * sizeof *memory->max_long);
  memory->row_at = mbd_arena_take(a, m * sizeof *memory->row_at);
  memory->col_at = mbd_arena_take(a, n * sizeof *memory->col_at);
  memory->last = mbd_arena_take(a, n * sizeof *memory->last);
  memory->where = mbd_arena_take(a, n * sizeof *memory->where);
  memory->max = mbd_arena_take(a, m * sizeof *memory->max);
  memory->in_col = mbd_arena_take(a, n * sizeof *memory->in_col);
  memory->of_length = mbd_arena_take(a, (n + 1) * sizeof *memory->of_length);
  memory->after = mbd_arena_take(a, m * sizeof *memory->after);
  memory->ahead = mbd_arena_take(a, m * sizeof *memory->ahead);
}

/* Appends an entry to row i, in column j. A row without space is moved behind all others. Returns 0 if there is no memory for it. */
static int append(mbd_rank_memory *memory, int i, int j, double val) {
  if (memory->length[i] == memory->max_long[i]) {
    const int size = 2 * memory->length[i] + 2;
    if (memory->used + size > memory->capacity) { return 0; }
    memcpy(memory->entry + memory->used, memory->entry + memory->begin[i],
           (size_t)memory->length[i] * sizeof *memory->entry);
    memory->begin[i] = memory->used, memory->max_long[i] = size;
    memory->used += size;
  }
  if (memory->places == memory->capacity) { return 0; }
  memory->entry[memory->begin[i] + memory->length[i]++] = (mbd_rank_entry){j, val};
  memory->place[memory->places] = (mbd_rank_place){i, memory->last[j]};
  memory->last[j] = memory->places++;
  memory->in_col[j]++;
  return 1;
}

/* Row i of J, its columns with col_at >= 0. */
static void take_row(mbd_rank_memory *memory, const mbd_packed *J, int i) {
  double max = 0;
  memory->begin[i] = memory->used, memory->length[i] = 0, memory->max_long[i] = J->first[i + 1] - J->first[i];
  memory->used += memory->max_long[i];
  for (int p = J->first[i]; p < J->first[i + 1]; p++) {
    const double v = mbd_first(J->val[p]);
    if (v == 0 || memory->col_at[J->col[p]] < 0) { continue; }
    append(memory, i, J->col[p], v);
    max = fabs(v) > max ? fabs(v) : max;
  }
  memory->max[i] = max;
}

static void begin(mbd_rank_memory *memory, int m, int n, const mbd_packed *J, int *row, int *col) {
  memory->used = memory->places = 0;
  for (int j = 0; j < n; j++) {
    col[j] = memory->col_at[j] = j, memory->last[j] = -1, memory->where[j] = memory->in_col[j] = 0;
  }
  for (int i = 0; i < m; i++) {
    row[i] = memory->row_at[i] = i;
    take_row(memory, J, i);
  }
}

static double entry_at(const mbd_rank_memory *memory, int i, int j) {
  const mbd_rank_entry *e = memory->entry + memory->begin[i];
  for (int p = 0; p < memory->length[i]; p++) {
    if (e[p].col == j) { return e[p].val; }
  }
  return 0;
}

/* The first entry of row i, in the order of the columns from `from` on, above `enough`; NULL: there is none. */
static const mbd_rank_entry *first_above(const mbd_rank_memory *memory, int i, int from, double enough) {
  const mbd_rank_entry *e = memory->entry + memory->begin[i], *first = NULL;
  for (int p = 0; p < memory->length[i]; p++) {
    const int at = memory->col_at[e[p].col];
    if (at >= from && fabs(e[p].val) > enough && (!first || at < memory->col_at[first->col])) { first = &e[p]; }
  }
  return first;
}

/* Finds the place of the pivot of step k, of equal ones the first. Returns its size. */
static double find_pivot(const mbd_rank_memory *memory, int m, int k, const int *row, const int *col, int *pi,
                         int *pj) {
  double max = fabs(entry_at(memory, row[k], col[k]));
  *pi = k, *pj = k;
  for (int p = k; p < m; p++) {
    if (!(memory->max[row[p]] > max * (1 + MBD_EQUAL_PIVOTS))) { continue; }
    const mbd_rank_entry *e = first_above(memory, row[p], k, max * (1 + MBD_EQUAL_PIVOTS));
    for (; e; e = first_above(memory, row[p], *pj + 1, max * (1 + MBD_EQUAL_PIVOTS))) {
      *pi = p, *pj = memory->col_at[e->col];
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
static double take_out(mbd_rank_memory *memory, int i, int c) {
  mbd_rank_entry *e = memory->entry + memory->begin[i];
  for (int p = 0; p < memory->length[i]; p++) {
    if (e[p].col != c) { continue; }
    const double v = e[p].val;
    e[p] = e[--memory->length[i]];
    memory->in_col[c]--;
    return v;
  }
  return 0;
}

/* Removes the entries of row i that have become zero, and finds its largest one. */
static void tidy(mbd_rank_memory *memory, int i) {
  mbd_rank_entry *e = memory->entry + memory->begin[i];
  const int length = memory->length[i];
  double max = 0;
  int kept = 0;
  for (int p = 0; p < length; p++) {
    const double size = fabs(e[p].val);
    memory->where[e[p].col] = 0;
    if (size == 0) {
      memory->in_col[e[p].col]--;
      continue;
    }
    max = size > max ? size : max;
    e[kept++] = e[p];
  }
  memory->length[i] = kept;
  memory->max[i] = max;
}

/* Row i -= f times row r. Returns 0 if there was no memory. */
static int subtract(mbd_rank_memory *memory, int i, double f, int r) {
  const mbd_rank_entry *other = memory->entry + memory->begin[r];
  const int length = memory->length[i], others = memory->length[r];
  mbd_rank_entry *e = memory->entry + memory->begin[i];
  int enough = 1;
  for (int p = 0; p < length; p++) { memory->where[e[p].col] = p + 1; }
  for (int p = 0; enough && p < others; p++) {
    const int at = memory->where[other[p].col];
    if (at) {
      memory->entry[memory->begin[i] + at - 1].val -= f * other[p].val;
    } else {
      enough = append(memory, i, other[p].col, -(f * other[p].val));
    }
  }
  tidy(memory, i);
  return enough;
}

static int eliminate(mbd_rank_memory *memory, int m, int n, double smallest, int *row, int *col) {
  for (int k = 0; k < m && k < n; k++) {
    int pi, pj;
    if (!(find_pivot(memory, m, k, row, col, &pi, &pj) > smallest)) { return k; }
    exchange(row, memory->row_at, k, pi);
    exchange(col, memory->col_at, k, pj);
    const int c = col[k];
    const double pivot = take_out(memory, row[k], c);
    for (int p = memory->last[c]; p >= 0; p = memory->place[p].before) {
      const int i = memory->place[p].row;
      if (memory->row_at[i] <= k) { continue; }
      const double v = take_out(memory, i, c);
      if (v == 0) { continue; }
      if (!subtract(memory, i, v / pivot, row[k])) { return -1; }
    }
  }
  return m < n ? m : n;
}

/* ---- short rows first ---- */

/* Puts row i into the list of the rows of its length, or takes it out. */
static void put_in(mbd_rank_memory *memory, int i) {
  const int first = memory->of_length[memory->length[i]];
  memory->after[i] = first, memory->ahead[i] = -1;
  if (first >= 0) { memory->ahead[first] = i; }
  memory->of_length[memory->length[i]] = i;
}

static void put_out(mbd_rank_memory *memory, int i) {
  const int after = memory->after[i], ahead = memory->ahead[i];
  if (after >= 0) { memory->ahead[after] = ahead; }
  *(ahead >= 0 ? &memory->after[ahead] : &memory->of_length[memory->length[i]]) = after;
}

/* The column of row i with the fewest entries, of those that are large enough for a pivot. */
static int short_column(const mbd_rank_memory *memory, int i) {
  const mbd_rank_entry *e = memory->entry + memory->begin[i];
  int best = -1;
  for (int p = 0; p < memory->length[i]; p++) {
    if (fabs(e[p].val) < threshold * memory->max[i]) { continue; }
    if (best < 0 || memory->in_col[e[p].col] < memory->in_col[best]) { best = e[p].col; }
  }
  return best;
}

/* Eliminates column c from the rows that are in lists, by row r, which is in none. Returns 0 if there was no memory. */
static int eliminate_column(mbd_rank_memory *memory, int r, int c, int *shortest) {
  const double pivot = take_out(memory, r, c);
  for (int p = 0; p < memory->length[r]; p++) { memory->in_col[memory->entry[memory->begin[r] + p].col]--; }
  for (int p = memory->last[c]; p >= 0; p = memory->place[p].before) {
    const int i = memory->place[p].row;
    if (memory->row_at[i] < 0) { continue; }
    put_out(memory, i);
    const double v = take_out(memory, i, c);
    if (v != 0 && !subtract(memory, i, v / pivot, r)) { return 0; }
    put_in(memory, i);
    *shortest = memory->length[i] < *shortest ? memory->length[i] : *shortest;
  }
  return 1;
}

/* The rank by an elimination with little fill, which takes the shortest row next. Rows of pivots have row_at -1 afterwards; row, col: the
 * pivots in their order (NULL: not wanted). Returns -1 if the rank is not beyond doubt or there was no memory. */
static int eliminate_short(mbd_rank_memory *memory, int m, int n, double smallest, int *row, int *col) {
  int rank = 0, shortest = 0;
  for (int k = 0; k <= n; k++) { memory->of_length[k] = -1; }
  for (int i = m - 1; i >= 0; i--) { put_in(memory, i); }
  while (rank < n) {
    while (shortest <= n && memory->of_length[shortest] < 0) { shortest++; }
    if (shortest > n) { break; }
    const int i = memory->of_length[shortest];
    put_out(memory, i);
    memory->row_at[i] = -2;
    if (!(memory->max[i] > plainly_below * smallest)) { continue; }
    if (!(memory->max[i] > plainly_above * smallest)) { return -1; }
    memory->row_at[i] = -1;
    const int c = short_column(memory, i);
    if (row) { row[rank] = i, col[rank] = c; }
    rank++;
    if (!eliminate_column(memory, i, c, &shortest)) { return -1; }
  }
  return rank;
}

/* The rank, if it is beyond doubt and determines the wanted rows and columns; otherwise -1. */
static int plain_rank(mbd_rank_memory *memory, int m, int n, double smallest, mbd_rank_requested requested, int *row) {
  int nonzero = 0;
  for (int i = 0; i < m; i++) { nonzero += memory->max[i] > 0; }
  const int rank = eliminate_short(memory, m, n, smallest, NULL, NULL);
  if (rank < 0 || (requested == MBD_RANK_ROWS && rank < nonzero) || (requested == MBD_RANK_COLUMNS && rank < n)) {
    return -1;
  }
  /* Rows with pivots come first, then the others, both by increasing number. */
  int pivots = 0, others = rank;
  for (int i = 0; i < m; i++) { row[memory->row_at[i] == -1 ? pivots++ : others++] = i; }
  return rank;
}

int mbd_rank_packed(mbd_rank_memory *memory, int m, int n, const mbd_packed *J, double smallest,
                    mbd_rank_requested requested, int *row, int *col) {
  if (requested != MBD_RANK_BOTH) {
    begin(memory, m, n, J, row, col);
    const int rank = plain_rank(memory, m, n, smallest, requested, row);
    if (rank >= 0) { return rank; }
  }
  begin(memory, m, n, J, row, col);
  return eliminate(memory, m, n, smallest, row, col);
}

/* Rows and columns that are not among the given ones are empty. */
static void begin_some(mbd_rank_memory *memory, int m, int n, const mbd_packed *J, int rank, const int *row,
                       const int *col) {
  memory->used = memory->places = 0;
  for (int j = 0; j < n; j++) { memory->col_at[j] = memory->last[j] = -1, memory->where[j] = memory->in_col[j] = 0; }
  for (int i = 0; i < m; i++) {
    memory->row_at[i] = i, memory->begin[i] = memory->length[i] = memory->max_long[i] = 0, memory->max[i] = 0;
  }
  for (int k = 0; k < rank; k++) { memory->col_at[col[k]] = k; }
  for (int k = 0; k < rank; k++) { take_row(memory, J, row[k]); }
}

int mbd_rank_order(mbd_rank_memory *memory, int m, int n, const mbd_packed *J, double smallest, int rank,
                   const int *row, const int *col, int *first_row, int *first_col) {
  begin_some(memory, m, n, J, rank, row, col);
  return eliminate_short(memory, m, n, smallest, first_row, first_col) == rank;
}
