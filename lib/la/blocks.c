#include "la/blocks.h"

#include <stdlib.h>
#include <string.h>

enum { REFINEMENTS = 2 };

/* Blocks of fewer than SPARSE_FROM columns have dense factors. A larger block has sparse ones if dense ones take more than `slower` times
 * their operations. */
enum { SPARSE_FROM = 100 };
static const double slower = 4;

/* ---- memory ---- */

static int larger(int a, int b) {
  return a > b ? a : b;
}

/* The number of entries that are stored of J. */
static size_t memory_of(const mbd_block *b) {
  return b->sparse ? (size_t)b->entries : (size_t)b->nrow * (size_t)b->ncol;
}

static void layout(mbd_blocks *blocks, const mbd_block *size, mbd_arena *a) {
  int rows = 0, cols = 0;
  size_t largest = 0;
  size_t entries = 0, nonzeros = 0, in_one = 0; /* in_one: most nonzeros of a block with sparse factors */
  /* The blocks, and lists over all rows and columns of J. */
  blocks->block = mbd_arena_take(a, (size_t)blocks->n * sizeof *blocks->block);
  blocks->row = mbd_arena_take(a, (size_t)blocks->nrow * sizeof *blocks->row);
  blocks->at = mbd_arena_take(a, (size_t)blocks->ncol * sizeof *blocks->at);
  blocks->kept = mbd_arena_take(a, (size_t)blocks->ncol * sizeof *blocks->kept);
  blocks->packed = mbd_arena_take(a, (size_t)blocks->nrow);
  int *row = mbd_arena_take(a, (size_t)blocks->nrow * sizeof *row),
      *col = mbd_arena_take(a, (size_t)blocks->ncol * sizeof *col);
  int *piv = mbd_arena_take(a, (size_t)blocks->ncol * sizeof *piv);
  /* Entries of all blocks: J of each, and the dense factors of J'J, which a block with sparse factors does not have. */
  for (int i = 0; i < blocks->n; i++) {
    entries += memory_of(&size[i]) + (size[i].sparse ? 0 : (size_t)size[i].ncol * (size_t)size[i].ncol);
    nonzeros += (size_t)size[i].entries;
    if (size[i].sparse && (size_t)size[i].entries > in_one) { in_one = (size_t)size[i].entries; }
  }
  mbd_real *entry = mbd_arena_real(a, entries);
  int *first = mbd_arena_take(a, (size_t)(blocks->nrow + blocks->n) * sizeof *first);
  int *in = mbd_arena_take(a, nonzeros * sizeof *in),
      *group = mbd_arena_take(a, (size_t)(blocks->nrow + blocks->n) * sizeof *group);
  /* The part of each block in these lists; in the first pass of the arena only the sizes of the scratch are found. */
  for (int i = 0; i < blocks->n; i++) {
    const int m = size[i].nrow, n = size[i].ncol;
    const size_t numbers = memory_of(&size[i]);
    rows = larger(rows, m), cols = larger(cols, n);
    if (!size[i].sparse && numbers + (size_t)m > largest) { largest = numbers + (size_t)m; }
    if (!a->base) { continue; }
    blocks->block[i] = (mbd_block){
        .row = row, .col = col, .in = {first, in}, .J = entry, .piv = piv, .sparse = size[i].sparse, .group = group};
    row += m, col += n, piv += n, entry += numbers, first += m + 1, group += m + 1, in += size[i].entries;
    if (size[i].sparse) { continue; }
    blocks->block[i].N = entry;
    entry += (size_t)n * (size_t)n;
  }
  /* Scratch of the largest block, which serves one block after the other. */
  const size_t m = (size_t)rows, n = (size_t)cols, k = (size_t)blocks->max;
  blocks->b = mbd_arena_real(a, (m + n) * k);
  MBD_ARENA_REALS(a, n * k, &blocks->x, &blocks->step);
  blocks->rank_work = mbd_arena_take(a, largest * sizeof *blocks->rank_work);
  if (in_one > 0) { mbd_rank_layout(&blocks->rank_memory, m, n, in_one, a); }
  blocks->rank_row = mbd_arena_take(a, m * sizeof *blocks->rank_row);
  blocks->rank_col = mbd_arena_take(a, n * sizeof *blocks->rank_col);
  blocks->rest_row = mbd_arena_take(a, (size_t)blocks->nrow * sizeof *blocks->rest_row);
  blocks->rest_col = mbd_arena_take(a, (size_t)blocks->ncol * sizeof *blocks->rest_col);
}

static void number(mbd_blocks *blocks, const mbd_block_rows *rows, const int *col_block) {
  for (int j = 0; j < blocks->ncol; j++) {
    mbd_block *b = &blocks->block[col_block[j]];
    blocks->at[j] = b->ncol;
    b->col[b->ncol++] = j;
  }
  for (int i = 0; i < blocks->nrow; i++) {
    if (rows->block[i] < 0) { continue; }
    mbd_block *b = &blocks->block[rows->block[i]];
    blocks->packed[i] = b->sparse != NULL;
    blocks->row[i] = b->J + memory_of(b);
    b->row[b->nrow++] = i;
    for (int p = rows->in.first[i]; p < rows->in.first[i + 1]; p++) {
      b->in.col[b->entries++] = blocks->at[rows->in.col[p]];
    }
    b->in.first[b->nrow] = b->entries;
  }
}

static void count(const mbd_block_rows *rows, int ncol, const int *col_block, mbd_block *size) {
  for (int j = 0; j < ncol; j++) { size[col_block[j]].ncol++; }
  for (int i = 0; i < rows->n; i++) {
    if (rows->block[i] < 0) { continue; }
    size[rows->block[i]].nrow++;
    size[rows->block[i]].entries += rows->in.first[i + 1] - rows->in.first[i];
  }
}

/* Lists the rows of block b; their columns have the numbers at [ncol] that they have in the block. */
static void list_block(const mbd_block_rows *rows, int b, const int *at, mbd_columns *list) {
  int n = 0, entries = 0;
  for (int i = 0; i < rows->n; i++) {
    if (rows->block[i] != b) { continue; }
    for (int p = rows->in.first[i]; p < rows->in.first[i + 1]; p++) { list->col[entries++] = at[rows->in.col[p]]; }
    list->first[++n] = entries;
  }
}

/* Sets size->sparse, if sparse factors take fewer operations. */
static mbd_status choose_factors(const mbd_block_rows *rows, int b, const int *at, mbd_block *size, mbd_error *err) {
  const double n = size->ncol;
  if (size->ncol < SPARSE_FROM || !mbd_sparse_available()) { return MBD_OK; }
  int *first = calloc((size_t)(size->nrow + size->entries) + 1, sizeof *first);
  if (!first) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d equations in blocks", size->nrow); }
  mbd_columns list = {.first = first, .col = first + size->nrow + 1};
  list_block(rows, b, at, &list);
  const mbd_status status = mbd_sparse_create_gram(size->nrow, size->ncol, &list, &size->sparse, err);
  free(first);
  if (status != MBD_OK) { return status; }
  if (slower * mbd_sparse_flops(size->sparse) < 2.0 / 3 * n * n * n) {
    return mbd_sparse_make_symmetric(size->sparse, err);
  }
  mbd_sparse_destroy(size->sparse);
  size->sparse = NULL;
  return MBD_OK;
}

static mbd_status allocate(int n, const mbd_block_rows *rows, int ncol, const int *col_block, mbd_block *size,
                           mbd_blocks *blocks, mbd_error *err) {
  int *scratch = calloc((size_t)(n + ncol) + 1, sizeof *scratch);
  if (!scratch) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d equations in blocks", rows->n); }
  count(rows, ncol, col_block, size);
  /* Dense or sparse factors for every block; at [ncol]: the numbers of the columns in their blocks. */
  int *next = scratch, *at = scratch + n;
  mbd_status status = MBD_OK;
  for (int j = 0; j < ncol; j++) { at[j] = next[col_block[j]]++; }
  for (int b = 0; b < n && status == MBD_OK; b++) { status = choose_factors(rows, b, at, &size[b], err); }
  free(scratch);
  MBD_TRY(status);
  while (mbd_arena_pass(&blocks->arena)) { layout(blocks, size, &blocks->arena); }
  return mbd_arena_check(&blocks->arena, "equations in blocks", err);
}

/* Returns 1 if row i of the block has the columns of the previous row. */
static int same_columns(const mbd_block *b, int i) {
  const int *first = b->in.first + i, n = first[1] - first[0];
  return n == first[0] - first[-1] && memcmp(b->in.col + first[-1], b->in.col + first[0], (size_t)n * sizeof(int)) == 0;
}

/* Groups the rows of a packed block by their columns, and finds the places of the products of each group in the sparse matrix. */
static mbd_status find_groups(mbd_block *b, mbd_error *err) {
  mbd_gram_group *list = calloc((size_t)b->nrow + 1, sizeof *list);
  if (!list) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d equations in a block", b->nrow); }
  for (int i = 0; i < b->nrow; i++) {
    if (i > 0 && same_columns(b, i)) { continue; }
    list[b->ngroup] = (mbd_gram_group){b->in.first[i + 1] - b->in.first[i], b->in.col + b->in.first[i]};
    b->group[b->ngroup++] = i;
  }
  b->group[b->ngroup] = b->nrow;
  const mbd_status status = mbd_gram_create(b->sparse, b->ngroup, list, &b->gram, err);
  free(list);
  return status;
}

/* Allocates the blocks, numbers their rows and columns, and finds the groups of rows of those that are sparse. `size`
 * has the sizes of the blocks, and owns their sparse matrices until `allocate` passes them to the blocks. */
mbd_status mbd_blocks_create(int n, const mbd_block_rows *rows, int ncol, const int *col_block, int max,
                             mbd_blocks **out, mbd_error *err) {
  mbd_blocks *blocks = calloc(1, sizeof *blocks);
  mbd_block *size = calloc((size_t)n + 1, sizeof *size);
  *out = NULL;
  if (!blocks || !size) {
    free(blocks), free(size);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d equations in blocks", rows->n);
  }
  /* Sizes and kinds of factors of the blocks, and their memory. */
  *blocks = (mbd_blocks){.n = n, .nrow = rows->n, .ncol = ncol, .max = max};
  mbd_status status = allocate(n, rows, ncol, col_block, size, blocks, err);
  if (status != MBD_OK) {
    for (int b = 0; b < n; b++) { mbd_sparse_destroy(size[b].sparse); }
    free(blocks->arena.base), free(blocks), free(size);
    return status;
  }
  free(size);
  /* Rows and columns of each block, and the places of the products of its rows. */
  number(blocks, rows, col_block);
  for (int b = 0; b < n && status == MBD_OK; b++) {
    if (blocks->block[b].sparse) { status = find_groups(&blocks->block[b], err); }
  }
  if (status != MBD_OK) { mbd_blocks_destroy(blocks); }
  *out = status == MBD_OK ? blocks : NULL;
  return status;
}

void mbd_blocks_destroy(mbd_blocks *blocks) {
  if (!blocks) { return; }
  for (int i = 0; i < blocks->n; i++) {
    mbd_sparse_destroy(blocks->block[i].sparse), mbd_gram_destroy(blocks->block[i].gram);
  }
  free(blocks->arena.base);
  free(blocks);
}

void mbd_blocks_clear(mbd_blocks *blocks) {
  for (int i = 0; i < blocks->n; i++) {
    const mbd_block *b = &blocks->block[i];
    if (b->sparse) { memset(b->J, 0, (size_t)b->entries * sizeof *b->J); }
    for (int r = 0; r < b->nrow && !b->sparse; r++) {
      mbd_real *row = b->J + (size_t)r * (size_t)b->ncol;
      for (int p = b->in.first[r]; p < b->in.first[r + 1]; p++) { row[b->in.col[p]] = 0; }
    }
  }
}

/* The rows of a packed block as a packed matrix. */
static mbd_packed packed_rows(const mbd_block *b) {
  return (mbd_packed){b->in.first, b->in.col, b->J, NULL};
}

/* Writes the real parts of the first rows of a block to J [rows][ncol], which holds zeros. */
static void unpack_real(const mbd_block *b, int rows, double *J) {
  for (int r = 0; r < rows; r++) {
    for (int p = b->in.first[r]; p < b->in.first[r + 1]; p++) {
      J[(size_t)r * (size_t)b->ncol + (size_t)b->in.col[p]] = mbd_first(b->J[p]);
    }
  }
}

void mbd_block_unpack(const mbd_block *b, mbd_real *J) {
  const size_t size = (size_t)b->nrow * (size_t)b->ncol;
  if (!b->sparse) {
    memcpy(J, b->J, size * sizeof *J);
    return;
  }
  memset(J, 0, size * sizeof *J);
  for (int r = 0; r < b->nrow; r++) {
    for (int p = b->in.first[r]; p < b->in.first[r + 1]; p++) {
      J[(size_t)r * (size_t)b->ncol + (size_t)b->in.col[p]] = b->J[p];
    }
  }
}

/* ---- rank ---- */

/* The number of rows of a block that are among the first m rows of J. */
static int leading(const mbd_block *b, int m) {
  int n = b->nrow;
  while (n > 0 && b->row[n - 1] >= m) { n--; }
  return n;
}

static double largest_entry(const mbd_blocks *blocks, int m) {
  double largest = 0;
  for (int i = 0; i < blocks->n; i++) {
    const mbd_block *b = &blocks->block[i];
    const int rows = leading(b, m);
    for (int p = 0; b->sparse && p < b->in.first[rows]; p++) { largest = fmax(largest, mbd_largest(b->J[p])); }
    for (int r = 0; r < rows && !b->sparse; r++) {
      const mbd_real *row = b->J + (size_t)r * (size_t)b->ncol;
      for (int p = b->in.first[r]; p < b->in.first[r + 1]; p++) {
        largest = fmax(largest, mbd_largest(row[b->in.col[p]]));
      }
    }
  }
  return largest;
}

/* Writes the numbers that rows (columns) of a block have in J: the first `rank` of them to `to`, the others to `others`. */
static void split(int rank, int n, const int *order, const int *number_of, int *to, int *others) {
  for (int k = 0; k < n; k++) { *(k < rank ? to++ : others++) = number_of[order[k]]; }
}

/* The rank of a packed block. If the elimination fills too much, a dense matrix is used instead. */
static int packed_rank(mbd_blocks *blocks, const mbd_block *b, int rows, double smallest,
                       mbd_rank_requested requested) {
  const mbd_packed J = packed_rows(b);
  int rank =
      mbd_rank_packed(&blocks->rank_memory, rows, b->ncol, &J, smallest, requested, blocks->rank_row, blocks->rank_col);
  if (rank >= 0) { return rank; }
  double *dense = calloc((size_t)rows * (size_t)(b->ncol + 1), sizeof *dense);
  if (!dense) { return -1; }
  unpack_real(b, rows, dense);
  rank = mbd_rank_above(rows, b->ncol, dense, smallest, blocks->rank_row, blocks->rank_col);
  free(dense);
  return rank;
}

/* The rank of the first rows of a block, with the order in blocks->rank_row, blocks->rank_col; -1: no memory. */
static int block_rank(mbd_blocks *blocks, const mbd_block *b, int rows, double smallest, mbd_rank_requested requested) {
  if (b->sparse) { return packed_rank(blocks, b, rows, smallest, requested); }
  for (int k = 0; k < rows * b->ncol; k++) { blocks->rank_work[k] = mbd_first(b->J[k]); }
  return mbd_rank_above(rows, b->ncol, blocks->rank_work, smallest, blocks->rank_row, blocks->rank_col);
}

int mbd_blocks_rank(mbd_blocks *blocks, int m, double tol, mbd_rank_requested requested, int *row, int *col) {
  const double smallest = tol * largest_entry(blocks, m);
  int rank = 0, nrow = 0, ncol = 0; /* rows and columns left over */
  for (int i = 0; i < m; i++) {
    if (!blocks->row[i]) { blocks->rest_row[nrow++] = i; }
  }
  for (int i = 0; i < blocks->n; i++) {
    const mbd_block *b = &blocks->block[i];
    const int rows = leading(b, m);
    const int r = block_rank(blocks, b, rows, smallest, requested);
    if (r < 0) { return -1; }
    split(r, rows, blocks->rank_row, b->row, row + rank, blocks->rest_row + nrow);
    split(r, b->ncol, blocks->rank_col, b->col, col + rank, blocks->rest_col + ncol);
    rank += r, nrow += rows - r, ncol += b->ncol - r;
  }
  memcpy(row + rank, blocks->rest_row, (size_t)nrow * sizeof *row);
  memcpy(col + rank, blocks->rest_col, (size_t)ncol * sizeof *col);
  return rank;
}

void mbd_blocks_keep(mbd_blocks *blocks, int n, const int *col) {
  int k = 0;
  for (int i = 0; i < n; i++) { blocks->kept[i] = col[i]; } /* if n = 0, col may be NULL */
  blocks->nkept = n;
  for (int i = 0; i < blocks->n; i++) {
    mbd_block *b = &blocks->block[i];
    b->kept0 = k;
    while (k < n && blocks->at[col[k]] < b->ncol && b->col[blocks->at[col[k]]] == col[k]) { k++; }
    b->nkept = k - b->kept0;
  }
}

/* ---- solution ---- */

/* Entry i, j of J'J. */
static mbd_real *normal_entry(const mbd_block *b, int i, int j) {
  return b->sparse ? mbd_sparse_values(b->sparse) + mbd_sparse_place(b->sparse, i, j)
                   : b->N + (size_t)i * (size_t)b->ncol + j;
}

/* J'J of a block that is not packed: every row adds products of its few nonzeros. */
static void multiply_rows(const mbd_block *b) {
  const size_t n = (size_t)b->ncol;
  memset(b->N, 0, n * n * sizeof *b->N);
  for (int i = 0; i < b->nrow; i++) {
    const mbd_real *row = b->J + (size_t)i * n;
    const int *col = b->in.col + b->in.first[i], entries = b->in.first[i + 1] - b->in.first[i];
    for (int k = 0; k < entries; k++) {
      if (mbd_none(row[col[k]] != 0)) { continue; }
      for (int p = 0; p < entries; p++) {
        if (mbd_any(row[col[p]] != 0)) { *normal_entry(b, col[k], col[p]) += row[col[k]] * row[col[p]]; }
      }
    }
  }
}

static void multiply_packed(const mbd_block *b) {
  mbd_real *value = mbd_sparse_values(b->sparse);
  memset(value, 0, (size_t)mbd_sparse_count(b->sparse) * sizeof *value);
  for (int i = 0; i < b->ngroup; i++) {
    mbd_gram_add(b->gram, i, 1, b->group[i + 1] - b->group[i], b->J + b->in.first[b->group[i]], value);
  }
}

static double largest_diagonal(const mbd_block *b) {
  double largest = 0;
  for (int j = 0; j < b->ncol; j++) { largest = fmax(largest, mbd_largest(*normal_entry(b, j, j))); }
  return largest;
}

/* x [columns of the block][k] := (J'J)^-1 x */
static void solve_normal(const mbd_block *b, int k, mbd_real *x) {
  if (b->sparse) {
    mbd_sparse_solve(b->sparse, 0, k, x);
  } else {
    mbd_lu_solve(b->ncol, b->N, b->piv, k, x);
  }
}

/* Returns 1 if the block is a single number, whose equation J x = b needs no factors. A tree of driven joints consists
 * of many such blocks. */
static int is_number(const mbd_blocks *blocks, const mbd_block *b) {
  return b->nrow == 1 && b->ncol == 1 && b->nkept == 0 && !blocks->damped;
}

mbd_status mbd_blocks_factor(mbd_blocks *blocks, double damping) {
  blocks->damped = damping > 0;
  for (int i = 0; i < blocks->n; i++) {
    const mbd_block *b = &blocks->block[i];
    if (is_number(blocks, b)) {
      if (!(mbd_min(b->J[0] * b->J[0]) > 0)) { return MBD_SINGULAR; }
      continue;
    }
    (b->sparse ? multiply_packed : multiply_rows)(b);
    for (int k = b->kept0; k < b->kept0 + b->nkept; k++) {
      const int j = blocks->at[blocks->kept[k]];
      *normal_entry(b, j, j) += 1;
    }
    const double largest = damping > 0 ? largest_diagonal(b) : 0;
    const double added =
        damping > 0 && !(largest > 0) ? 1 : damping * largest; /* columns that no row has stay as they are */
    for (int j = 0; j < b->ncol && added > 0; j++) { *normal_entry(b, j, j) += added; }
    MBD_TRY(b->sparse ? mbd_sparse_factor(b->sparse) : mbd_lu_factor(b->ncol, b->N, b->piv));
  }
  return MBD_OK;
}

/* Copies the listed rows of a matrix [n][k] to the front of another matrix, or back. */
static void gather(int n, const int *list, int k, const mbd_real *from, mbd_real *to) {
  for (int i = 0; i < n; i++) { memcpy(to + i * k, from + list[i] * k, (size_t)k * sizeof *to); }
}
static void scatter(int n, const int *list, int k, const mbd_real *from, mbd_real *to) {
  for (int i = 0; i < n; i++) { memcpy(to + list[i] * k, from + i * k, (size_t)k * sizeof *to); }
}

int mbd_blocks_sign(const mbd_blocks *blocks, int i, const mbd_real *before, const mbd_real *J, mbd_real *N, int *piv,
                    double *min_pivot) {
  const mbd_block *b = &blocks->block[i];
  const int n = b->ncol;
  double min = INFINITY, max = 0;
  int sign = 1;
  memset(N, 0, (size_t)n * (size_t)n * sizeof *N);
  mbd_mulT_add(b->nrow, n, n, 1, before, J, N);
  for (int k = b->kept0; k < b->kept0 + b->nkept; k++) { N[blocks->at[blocks->kept[k]] * (n + 1)] += 1; }
  *min_pivot = 0;
  if (mbd_lu_factor(n, N, piv) != MBD_OK) { return 0; }
  for (int j = 0; j < n; j++) {
    const mbd_real pivot = N[j * (n + 1)];
    min = fmin(min, mbd_min(pivot)), max = fmax(max, mbd_largest(pivot));
    if (mbd_if(mbd_re(pivot) < 0) != (piv[j] != j)) { sign = -sign; }
  }
  *min_pivot = min / max;
  return sign;
}

/* b [rows of the block, kept last][k] += s J x */
static void times_J(const mbd_blocks *blocks, const mbd_block *b, int k, mbd_real s, const mbd_real *x,
                    mbd_real *rows) {
  const mbd_packed J = packed_rows(b);
  if (b->sparse) {
    mbd_packed_mul_add(b->nrow, k, s, &J, x, rows);
  } else {
    mbd_mul_add(b->nrow, b->ncol, k, s, b->J, x, rows);
  }
  for (int i = 0; i < b->nkept; i++) {
    const mbd_real *from = x + blocks->at[blocks->kept[b->kept0 + i]] * k;
    for (int r = 0; r < k; r++) { rows[(b->nrow + i) * k + r] += s * from[r]; }
  }
}

/* x [columns of the block][k] += s J' b */
static void times_JT(const mbd_blocks *blocks, const mbd_block *b, int k, mbd_real s, const mbd_real *rows,
                     mbd_real *x) {
  const mbd_packed J = packed_rows(b);
  if (b->sparse) {
    mbd_packed_mulT_add(b->nrow, k, s, &J, rows, x);
  } else {
    mbd_mulT_add(b->nrow, b->ncol, k, s, b->J, rows, x);
  }
  for (int i = 0; i < b->nkept; i++) {
    mbd_real *to = x + blocks->at[blocks->kept[b->kept0 + i]] * k;
    for (int r = 0; r < k; r++) { to[r] += s * rows[(b->nrow + i) * k + r]; }
  }
}

/* blocks->x := least squares solution of the block for blocks->b; on return blocks->b holds the remainder b - J x. */
static void solve_block(mbd_blocks *blocks, const mbd_block *b, int k) {
  const size_t size = (size_t)b->ncol * (size_t)k;
  memset(blocks->x, 0, size * sizeof *blocks->x);
  for (int it = 0; it <= REFINEMENTS; it++) {
    memset(blocks->step, 0, size * sizeof *blocks->step);
    times_JT(blocks, b, k, 1, blocks->b, blocks->step);
    solve_normal(b, k, blocks->step);
    for (size_t i = 0; i < size; i++) { blocks->x[i] += blocks->step[i]; }
    times_J(blocks, b, k, -1, blocks->step, blocks->b);
  }
}

void mbd_blocks_solve(mbd_blocks *blocks, int k, mbd_real *b, mbd_real *x) {
  for (int i = 0; i < blocks->n; i++) {
    const mbd_block *p = &blocks->block[i];
    if (is_number(blocks, p)) {
      mbd_real *number = b + p->row[0] * k; /* whose remainder is zero */
      for (int r = 0; r < k; r++) { x[p->col[0] * k + r] = number[r] / p->J[0], number[r] = 0; }
      continue;
    }
    const size_t kept = (size_t)(p->nkept * k) * sizeof *b;
    mbd_real *b_kept = b + (blocks->nrow + p->kept0) * k, *at_kept = blocks->b + p->nrow * k;
    gather(p->nrow, p->row, k, b, blocks->b);
    memcpy(at_kept, b_kept, kept);
    solve_block(blocks, p, k);
    scatter(p->nrow, p->row, k, blocks->b, b);
    memcpy(b_kept, at_kept, kept);
    scatter(p->ncol, p->col, k, blocks->x, x);
  }
}

/* blocks->b := J y,  J'J y = x, for one block. */
static void weigh_block(mbd_blocks *blocks, const mbd_block *b, const mbd_real *x) {
  const int n = b->ncol;
  mbd_real *y = blocks->x;
  memset(y, 0, (size_t)n * sizeof *y);
  for (int it = 0; it <= REFINEMENTS + 1; it++) {
    memset(blocks->b, 0, (size_t)(b->nrow + b->nkept) * sizeof *blocks->b);
    times_J(blocks, b, 1, 1, y, blocks->b);
    if (it > REFINEMENTS) { return; }
    gather(n, b->col, 1, x, blocks->step);
    times_JT(blocks, b, 1, -1, blocks->b, blocks->step);
    solve_normal(b, 1, blocks->step);
    for (int j = 0; j < n; j++) { y[j] += blocks->step[j]; }
  }
}

void mbd_blocks_weights(mbd_blocks *blocks, const mbd_real *x, mbd_real *w) {
  memset(w, 0, (size_t)(blocks->nrow + blocks->nkept) * sizeof *w);
  for (int i = 0; i < blocks->n; i++) {
    const mbd_block *b = &blocks->block[i];
    if (is_number(blocks, b)) {
      w[b->row[0]] = x[b->col[0]] / b->J[0];
      continue;
    }
    weigh_block(blocks, b, x);
    scatter(b->nrow, b->row, 1, blocks->b, w);
    memcpy(w + blocks->nrow + b->kept0, blocks->b + b->nrow, (size_t)b->nkept * sizeof *w);
  }
}
