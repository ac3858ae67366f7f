#include "la/rank.h"

#include <string.h>

enum { FILL = 8 }; /* room for so many times the entries */

void mbd_rank_layout(mbd_rank_memory *q, size_t m, size_t n, size_t entries, mbd_arena *a) {
  const size_t room = FILL * entries;
  q->room = (int)room;
  q->entry = mbd_arena_take(a, room * sizeof *q->entry);
  q->place = mbd_arena_take(a, room * sizeof *q->place);
  q->begin = mbd_arena_take(a, m * sizeof *q->begin);
  q->length = mbd_arena_take(a, m * sizeof *q->length);
  q->most_long = mbd_arena_take(a, m * sizeof *q->most_long);
  q->row_at = mbd_arena_take(a, m * sizeof *q->row_at);
  q->col_at = mbd_arena_take(a, n * sizeof *q->col_at);
  q->last = mbd_arena_take(a, n * sizeof *q->last);
  q->where = mbd_arena_take(a, n * sizeof *q->where);
  q->most = mbd_arena_take(a, m * sizeof *q->most);
}

static void update_most(mbd_rank_memory *q, int i) {
  const mbd_rank_entry *e = q->entry + q->begin[i];
  double most = 0;
  for (int p = 0; p < q->length[i]; p++) { most = fabs(e[p].val) > most ? fabs(e[p].val) : most; }
  q->most[i] = most;
}

/* Entry of row i in column j, appended. Returns whether there was room: a row that is full moves behind all others. */
static int append(mbd_rank_memory *q, int i, int j, double val) {
  if (q->length[i] == q->most_long[i]) {
    const int size = 2 * q->length[i] + 2;
    if (q->used + size > q->room) { return 0; }
    memcpy(q->entry + q->used, q->entry + q->begin[i], (size_t)q->length[i] * sizeof *q->entry);
    q->begin[i] = q->used, q->most_long[i] = size;
    q->used += size;
  }
  if (q->places == q->room) { return 0; }
  q->entry[q->begin[i] + q->length[i]++] = (mbd_rank_entry){j, val};
  q->place[q->places] = (mbd_rank_place){i, q->last[j]};
  q->last[j] = q->places++;
  return 1;
}

/* J [m][n], or NULL: its entries at the places `in` are val. */
static void begin(mbd_rank_memory *q, int m, int n, const mbd_real *J, const mbd_columns *in, const mbd_real *val,
                  int *row, int *col) {
  q->used = q->places = 0;
  for (int j = 0; j < n; j++) { col[j] = q->col_at[j] = j, q->last[j] = -1, q->where[j] = 0; }
  for (int i = 0; i < m; i++) {
    row[i] = q->row_at[i] = i;
    q->begin[i] = q->used, q->length[i] = 0, q->most_long[i] = in->first[i + 1] - in->first[i];
    q->used += q->most_long[i];
    for (int p = in->first[i]; p < in->first[i + 1]; p++) {
      const double v = mbd_re(J ? J[(size_t)i * (size_t)n + (size_t)in->col[p]] : val[p]);
      if (v != 0) { append(q, i, in->col[p], v); }
    }
    update_most(q, i);
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

/* Where the pivot of step k stands: of equal ones the first. Returns its size. */
static double find_pivot(const mbd_rank_memory *q, int m, int k, const int *row, const int *col, int *pi, int *pj) {
  double most = fabs(entry_at(q, row[k], col[k]));
  *pi = k, *pj = k;
  for (int p = k; p < m; p++) {
    if (!(q->most[row[p]] > most * (1 + 1e-12))) { continue; }
    const mbd_rank_entry *e = first_above(q, row[p], k, most * (1 + 1e-12));
    for (; e; e = first_above(q, row[p], *pj + 1, most * (1 + 1e-12))) {
      *pi = p, *pj = q->col_at[e->col];
      most = fabs(e->val);
    }
  }
  return most;
}

/* Positions a and b of an order, and of where its members stand. */
static void exchange(int *order, int *at, int a, int b) {
  const int one = order[a];
  order[a] = order[b], order[b] = one;
  at[order[a]] = a, at[order[b]] = b;
}

/* Column c leaves row i. Its entry. */
static double take_out(mbd_rank_memory *q, int i, int c) {
  mbd_rank_entry *e = q->entry + q->begin[i];
  int p = 0;
  while (e[p].col != c) { p++; }
  const double v = e[p].val;
  e[p] = e[--q->length[i]];
  return v;
}

/* Row i -= f times row r. Returns whether there was room. */
static int subtract(mbd_rank_memory *q, int i, double f, int r) {
  int enough = 1;
  for (int p = 0; p < q->length[i]; p++) { q->where[q->entry[q->begin[i] + p].col] = p + 1; }
  for (int p = 0; enough && p < q->length[r]; p++) {
    const mbd_rank_entry e = q->entry[q->begin[r] + p];
    if (q->where[e.col]) {
      q->entry[q->begin[i] + q->where[e.col] - 1].val -= f * e.val;
    } else if (e.val != 0) {
      enough = append(q, i, e.col, -(f * e.val));
    }
  }
  for (int p = 0; p < q->length[i]; p++) { q->where[q->entry[q->begin[i] + p].col] = 0; }
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
      update_most(q, i);
    }
  }
  return m < n ? m : n;
}

int mbd_rank_sparse(mbd_rank_memory *q, int m, int n, const mbd_real *J, const mbd_columns *in, double smallest,
                    int *row, int *col) {
  begin(q, m, n, J, in, NULL, row, col);
  return eliminate(q, m, n, smallest, row, col);
}

int mbd_rank_packed(mbd_rank_memory *q, int m, int n, const mbd_packed *J, double smallest, int *row, int *col) {
  begin(q, m, n, NULL, &(mbd_columns){J->first, J->col}, J->val, row, col);
  return eliminate(q, m, n, smallest, row, col);
}
