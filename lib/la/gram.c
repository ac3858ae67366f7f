#include "la/gram.h"

#include <stdlib.h>
#include <string.h>

/* Columns `from` on of a group, in the order of pivots, are neighbours in a row of the sparse matrix: at `place` on. */
typedef struct run {
  int from, place, length;
} run;

struct mbd_gram {
  int mirror;    /* from a place to that of the transposed entry */
  int *first;    /* [groups + 1] first of its columns in the list of all */
  int *order;    /* [columns] columns of each group in the order of pivots */
  int *diagonal; /* [columns] place on the diagonal, in this order */
  int *begin;    /* [columns + 1] first run of each as a row: the columns after it */
  run *run;
  mbd_real *x, *y; /* [widest] two rows in this order */
};

/* Insertion by the place on the diagonal, which is the number of the pivot. */
static void sort_columns(const mbd_sparse *s, const mbd_gram_group *q, int *order, int *diagonal) {
  for (int b = 0; b < q->n; b++) {
    const int place = mbd_sparse_place(s, q->col[b], q->col[b]);
    int a = b;
    for (; a > 0 && diagonal[a - 1] > place; a--) { diagonal[a] = diagonal[a - 1], order[a] = order[a - 1]; }
    diagonal[a] = place, order[a] = b;
  }
}

/* Runs of the a-th column as a row; list NULL: only their number. */
static int find_runs(const mbd_sparse *s, const mbd_gram_group *q, const int *order, int a, run *list) {
  int count = 0, last = -2;
  for (int b = a + 1; b < q->n; b++) {
    const int place = mbd_sparse_place(s, q->col[order[a]], q->col[order[b]]);
    if (place != last + 1) {
      if (list) { list[count] = (run){b, place, 0}; }
      count++;
    }
    if (list) { list[count - 1].length++; }
    last = place;
  }
  return count;
}

static int allocate(mbd_gram *g, int groups, const mbd_gram_group *group) {
  size_t columns = 0, widest = 0;
  for (int i = 0; i < groups; i++) {
    const size_t n = (size_t)group[i].n;
    columns += n;
    widest = n > widest ? n : widest;
  }
  g->first = calloc((size_t)groups + 1, sizeof *g->first);
  g->order = calloc(columns + 1, sizeof *g->order);
  g->diagonal = calloc(columns + 1, sizeof *g->diagonal);
  g->begin = calloc(columns + 1, sizeof *g->begin);
  g->x = calloc(widest + 1, sizeof *g->x);
  g->y = calloc(widest + 1, sizeof *g->y);
  return g->first && g->order && g->diagonal && g->begin && g->x && g->y;
}

/* The columns of all groups; their number of runs. */
static int list_columns(const mbd_sparse *s, int groups, const mbd_gram_group *group, mbd_gram *g) {
  int column = 0, runs = 0;
  for (int i = 0; i < groups; i++) {
    g->first[i] = column;
    sort_columns(s, &group[i], g->order + column, g->diagonal + column);
    for (int a = 0; a < group[i].n; a++) {
      g->begin[column + a] = runs;
      runs += find_runs(s, &group[i], g->order + column, a, NULL);
    }
    column += group[i].n;
  }
  g->first[groups] = column;
  g->begin[column] = runs;
  return runs;
}

static void list_runs(const mbd_sparse *s, int groups, const mbd_gram_group *group, mbd_gram *g) {
  for (int i = 0; i < groups; i++) {
    const int column = g->first[i];
    for (int a = 0; a < group[i].n; a++) {
      find_runs(s, &group[i], g->order + column, a, g->run + g->begin[column + a]);
    }
  }
}

mbd_status mbd_gram_create(const mbd_sparse *s, int groups, const mbd_gram_group *group, mbd_gram **out,
                           mbd_error *err) {
  mbd_gram *g = *out = calloc(1, sizeof *g);
  if (g && allocate(g, groups, group)) {
    g->mirror = mbd_sparse_mirror(s);
    g->run = calloc((size_t)list_columns(s, groups, group, g) + 1, sizeof *g->run);
  }
  if (!g || !g->run) {
    mbd_gram_destroy(g);
    *out = NULL;
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of %d constraints in a sparse matrix", groups);
  }
  list_runs(s, groups, group, g);
  return MBD_OK;
}

void mbd_gram_destroy(mbd_gram *g) {
  if (!g) { return; }
  free(g->first), free(g->order), free(g->diagonal), free(g->begin), free(g->run), free(g->x), free(g->y);
  free(g);
}

/* upper += f x + g y, and so lower */
static inline void add_both(int n, mbd_real f, const mbd_real *restrict x, mbd_real g, const mbd_real *restrict y,
                            mbd_real *restrict upper, mbd_real *restrict lower) {
  for (int b = 0; b < n; b++) {
    const mbd_real v = f * x[b] + g * y[b];
    upper[b] += v;
    lower[b] += v;
  }
}

static void add_two(const mbd_gram *g, int group, mbd_real alpha, mbd_real *value) {
  const int column = g->first[group], n = g->first[group + 1] - column, *begin = g->begin + column;
  for (int a = 0; a < n; a++) {
    const mbd_real f = alpha * g->x[a], h = alpha * g->y[a];
    value[g->diagonal[column + a]] += f * g->x[a] + h * g->y[a];
    for (int q = begin[a]; q < begin[a + 1]; q++) {
      const run r = g->run[q];
      mbd_real *upper = value + r.place;
      add_both(r.length, f, g->x + r.from, h, g->y + r.from, upper, upper + g->mirror);
    }
  }
}

void mbd_gram_add(mbd_gram *g, int group, mbd_real alpha, int rows, const mbd_real *x, mbd_real *value) {
  const int *order = g->order + g->first[group], n = g->first[group + 1] - g->first[group];
  for (int row = 0; row < rows; row += 2) {
    const mbd_real *one = x + row * n, *other = one + n;
    const int two = row + 1 < rows;
    for (int a = 0; a < n; a++) {
      g->x[a] = one[order[a]];
      g->y[a] = two ? other[order[a]] : 0;
    }
    add_two(g, group, alpha, value);
  }
}
