#include "la/gram.h"

#include <stddef.h>
#include <stdlib.h>

#include "la/two.h"

enum { ROWS_MAX = 5 }; /* largest number of rows that are added together: those of a revolute joint */

/* `length` columns of a group, from number `from` on, in a row of the sparse matrix. Their places in it begin at `at`
 * in the list of places. side_by_side: 1 if these places are neighbours. */
typedef struct run {
  int from, at, length, side_by_side;
} run;

struct mbd_gram {
  int *first; /* [groups + 1] the first column of each group in the list of all columns */
  int *begin; /* [columns + 1] the first run of the row that belongs to each column */
  run *run;
  int *place;
};

/* Runs and places that have been found; NULL: only their numbers are counted. */
typedef struct found {
  int runs, places;
  run last, *run;
  int *place;
} found;

/* Neighbouring runs that are shorter than this are joined to one run, which reads its places from the list. */
enum { WORTH_ITS_LOOP = 6 };

static void end_run(found *group, const run *next) {
  run *last = &group->last;
  if (next->length == 0) { return; }
  if (group->runs > 0 && !last->side_by_side && !next->side_by_side && last->from + last->length == next->from &&
      last->at + last->length == next->at) {
    last->length += next->length;
  } else {
    group->runs++, *last = *next;
  }
  if (group->run) { group->run[group->runs - 1] = *last; }
}

/* Finds the runs of the row that belongs to column a of the group; for a symmetric matrix only its columns b >= a. */
static void find_runs(const mbd_sparse *s, const mbd_gram_group *group, int a, found *to) {
  const int half = mbd_sparse_is_symmetric(s);
  int last = -2;
  run now = {0};
  to->last = (run){.from = -1}; /* runs of different rows are not joined */
  for (int b = 0; b < group->n; b++) {
    /* Products left of the diagonal of a symmetric matrix are not stored. */
    if (half && group->col[b] < group->col[a]) {
      last = -2;
      continue;
    }
    /* A place that does not follow the previous one begins a new run. */
    const int place = mbd_sparse_place_after(s, last, group->col[a], group->col[b]);
    if (place != last + 1) {
      end_run(to, &now);
      now = (run){.from = b, .at = to->places};
    }
    now.side_by_side = ++now.length >= WORTH_ITS_LOOP;
    if (to->place) { to->place[to->places] = place; }
    to->places++;
    last = place;
  }
  end_run(to, &now);
}

static void find_all(const mbd_sparse *s, int groups, const mbd_gram_group *group, mbd_gram *g, found *to) {
  int column = 0;
  for (int i = 0; i < groups; i++) {
    g->first[i] = column;
    for (int a = 0; a < group[i].n; a++) {
      g->begin[column++] = to->runs;
      find_runs(s, &group[i], a, to);
    }
  }
  g->first[groups] = column;
  g->begin[column] = to->runs;
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
  /* A first search counts runs and places. */
  if (g && g->first && g->begin) {
    found number = {0};
    find_all(s, groups, group, g, &number);
    g->run = calloc((size_t)number.runs + 1, sizeof *g->run);
    g->place = calloc((size_t)number.places + 1, sizeof *g->place);
  }
  if (!g || !g->run || !g->place) {
    mbd_gram_destroy(g);
    *out = NULL;
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of %d constraints in a sparse matrix", groups);
  }
  /* A second search stores them. */
  find_all(s, groups, group, g, &(found){.run = g->run, .place = g->place});
  return MBD_OK;
}

void mbd_gram_destroy(mbd_gram *g) {
  if (!g) { return; }
  free(g->first), free(g->begin), free(g->run), free(g->place);
  free(g);
}

/* value [n] += sum f_r x_r [n] */
static inline void add_run(int rows, int n, const mbd_real *f, const mbd_real *restrict x, ptrdiff_t ld,
                           mbd_real *restrict value) {
  int b = 0;
  for (; b + 1 < n; b += 2) { two_store(value + b, two_add(two_load(value + b), two_sum_of(rows, f, x + b, ld))); }
  if (b < n) { value[b] += one_sum_of(rows, f, x + b, ld); }
}

/* The same at places of the sparse matrix that are not neighbours. */
static inline void add_apart(int rows, int n, const mbd_real *f, const mbd_real *restrict x, ptrdiff_t ld,
                             const int *restrict place, mbd_real *restrict value) {
  int b = 0;
  for (; b + 1 < n; b += 2) {
    const mbd_two sum = two_sum_of(rows, f, x + b, ld);
    value[place[b]] += two_first(sum), value[place[b + 1]] += two_second(sum);
  }
  if (b < n) { value[place[b]] += one_sum_of(rows, f, x + b, ld); }
}

/* Adds the products of `rows` rows of a group of n columns together, so that each entry of the sparse matrix is read
 * and written once. */
static inline void add_rows(const mbd_gram *g, const int *begin, int n, mbd_real alpha, int rows, const mbd_real *x,
                            mbd_real *value) {
  for (int a = 0; a < n; a++) {
    mbd_real f[ROWS_MAX];
    int zero = 1;
    for (int r = 0; r < rows; r++) { f[r] = alpha * x[r * n + a], zero = zero && mbd_none(f[r] != 0); }
    for (int q = begin[a]; q < begin[a + 1] && !zero; q++) {
      const run *r = &g->run[q];
      if (r->side_by_side) {
        add_run(rows, r->length, f, x + r->from, n, value + g->place[r->at]);
      } else {
        add_apart(rows, r->length, f, x + r->from, n, g->place + r->at, value);
      }
    }
  }
}

void mbd_gram_add(const mbd_gram *g, int group, mbd_real alpha, int rows, const mbd_real *x, mbd_real *value) {
  const int n = g->first[group + 1] - g->first[group], *begin = g->begin + g->first[group];
  for (int take; rows > 0; rows -= take, x += (ptrdiff_t)take * n) {
    take = rows > ROWS_MAX ? ROWS_MAX - 1 : rows;
    switch (take) { /* a constant number of rows lets the compiler unroll the loops */
      case 1: add_rows(g, begin, n, alpha, 1, x, value); break;
      case 2: add_rows(g, begin, n, alpha, 2, x, value); break;
      case 3: add_rows(g, begin, n, alpha, 3, x, value); break;
      case 4: add_rows(g, begin, n, alpha, 4, x, value); break;
      default: add_rows(g, begin, n, alpha, ROWS_MAX, x, value);
    }
  }
}
