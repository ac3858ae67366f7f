#include "la/gram.h"

#include <stdlib.h>

/* Columns of a group, from number `from` on, that are neighbours in a row of the sparse matrix, where they begin at `place`. */
typedef struct run {
  int from, place, length;
} run;

struct mbd_gram {
  int *first; /* [groups + 1] first of its columns in the list of all */
  int *begin; /* [columns + 1] first run of each as a row */
  run *run;
};

/* Lists the runs of row a, a column of the group, of a symmetric matrix where b >= a alone; list NULL: only counts them. */
static int find_runs(const mbd_sparse *s, const mbd_gram_group *q, int a, run *list) {
  const int half = mbd_sparse_is_symmetric(s);
  int count = 0, last = -2;
  for (int b = 0; b < q->n; b++) {
    if (half && q->col[b] < q->col[a]) {
      last = -2;
      continue;
    }
    const int place = mbd_sparse_place_after(s, last, q->col[a], q->col[b]);
    if (place != last + 1) {
      if (list) { list[count] = (run){b, place, 0}; }
      count++;
    }
    if (list) { list[count - 1].length++; }
    last = place;
  }
  return count;
}

/* Lists the columns of all groups; returns the number of runs. */
static int list_columns(const mbd_sparse *s, int groups, const mbd_gram_group *group, mbd_gram *g) {
  int column = 0, runs = 0;
  for (int i = 0; i < groups; i++) {
    g->first[i] = column;
    for (int a = 0; a < group[i].n; a++) {
      g->begin[column + a] = runs;
      runs += find_runs(s, &group[i], a, NULL);
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
    for (int a = 0; a < group[i].n; a++) { find_runs(s, &group[i], a, g->run + g->begin[column + a]); }
  }
}

mbd_status mbd_gram_create(const mbd_sparse *s, int groups, const mbd_gram_group *group, mbd_gram **out,
                           mbd_error *err) {
  size_t columns = 0;
  mbd_gram *g = *out = calloc(1, sizeof *g);
  for (int i = 0; i < groups; i++) { columns += (size_t)group[i].n; }
  if (g) {
    g->first = calloc((size_t)groups + 1, sizeof *g->first);
    g->begin = calloc(columns + 1, sizeof *g->begin);
  }
  if (g && g->first && g->begin) { g->run = calloc((size_t)list_columns(s, groups, group, g) + 1, sizeof *g->run); }
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
  free(g->first), free(g->begin), free(g->run);
  free(g);
}

/* value += f x + h y */
static inline void add_run(int n, mbd_real f, const mbd_real *restrict x, mbd_real h, const mbd_real *restrict y,
                           mbd_real *restrict value) {
  for (int b = 0; b < n; b++) { value[b] += f * x[b] + h * y[b]; }
}

/* Takes two rows at a time, so that the entries of the sparse matrix are read and written half as often. */
void mbd_gram_add(const mbd_gram *g, int group, mbd_real alpha, int rows, const mbd_real *x, mbd_real *value) {
  const int n = g->first[group + 1] - g->first[group], *begin = g->begin + g->first[group];
  for (int row = 0; row < rows; row += 2) {
    const int two = row + 1 < rows;
    const mbd_real *one = x + row * n, *other = two ? one + n : one;
    for (int a = 0; a < n; a++) {
      const mbd_real f = alpha * one[a], h = two ? alpha * other[a] : 0;
      if (f == 0 && h == 0) { continue; }
      for (int q = begin[a]; q < begin[a + 1]; q++) {
        const run r = g->run[q];
        add_run(r.length, f, one + r.from, h, other + r.from, value + r.place);
      }
    }
  }
}
