/* The products of one coordinate's wrenches with the columns of all coordinates nearer to the ground (pairs.h), several columns at a time.
 * Equations: theory.md §3 (3.3), (3.6). */
#include "dynamics/pairs.h"

/* The same number in all lanes. */
typedef struct wrench_block {
  mbd_real z[6][LANES], v[6][LANES], a[6][LANES], Bb[6][LANES], Kb[6][LANES];
} wrench_block;

static inline void spread(int n, const mbd_real *x, mbd_real (*in)[LANES]) {
  for (int r = 0; r < n; r++) {
    for (int l = 0; l < LANES; l++) { in[r][l] = x[r]; }
  }
}

#define CONST_LANES(x) ((const mbd_real(*)[LANES])(x))

/* s = x . u, in every lane */
static inline void dot(int n, mbd_real s[LANES], const mbd_real (*x)[LANES], const mbd_real (*u)[LANES]) {
  mbd_real t[LANES]; /* sums in registers: s would be stored after every product */
  for (int l = 0; l < LANES; l++) { t[l] = x[0][l] * u[0][l]; }
  for (int r = 1; r < n; r++) {
    for (int l = 0; l < LANES; l++) { t[l] += x[r][l] * u[r][l]; }
  }
  for (int l = 0; l < LANES; l++) { s[l] = t[l]; }
}

/* s = x . u + y . v, the second of n components */
static inline void dot_two(mbd_real s[LANES], const mbd_real (*x)[LANES], const mbd_real (*u)[LANES], int n,
                           const mbd_real (*y)[LANES], const mbd_real (*v)[LANES]) {
  mbd_real t[LANES], t2[LANES];
  dot(6, t, x, u);
  dot(n, t2, y, v);
  for (int l = 0; l < LANES; l++) { s[l] = t[l] + t2[l]; }
}

static void pair_blocks(int blocks, const column_block *restrict c, const wrench_block *restrict u,
                        pair_block *restrict pair) {
  for (; blocks > 0; blocks--, c++, pair++) {
    dot(6, pair->K, CONST_LANES(c->b), CONST_LANES(u->z));
    dot(6, pair->C, CONST_LANES(c->b), CONST_LANES(u->v));
    dot(6, pair->M, CONST_LANES(c->b), CONST_LANES(u->a));
    dot_two(pair->K_row, CONST_LANES(c->e), CONST_LANES(u->a), 3, CONST_LANES(c->c + 3), CONST_LANES(u->Bb + 3));
    dot_two(pair->C_row, CONST_LANES(c->cbd), CONST_LANES(u->a), 3, CONST_LANES(c->b + 3), CONST_LANES(u->Bb + 3));
  }
}

/* Adds the part of the slopes of elements: K' b, and the linear part of B' b. */
static void add_slopes(int blocks, const column_block *restrict c, const wrench_block *restrict u,
                       pair_block *restrict pair) {
  for (; blocks > 0; blocks--, c++, pair++) {
    mbd_real row[LANES], rate[LANES];
    dot_two(row, CONST_LANES(c->b), CONST_LANES(u->Kb), 3, CONST_LANES(c->c), CONST_LANES(u->Bb));
    dot(3, rate, CONST_LANES(c->b), CONST_LANES(u->Bb));
    for (int l = 0; l < LANES; l++) { pair->K_row[l] += row[l], pair->C_row[l] += rate[l]; }
  }
}

/* Adds the products with coordinate j to K, C and M. C, M may be NULL. */
static inline void store(const mbd_work *w, int j, mbd_real *K, mbd_real *C, mbd_real *M) {
  const column_chain *chain = &w->formed.chain;
  const ptrdiff_t below = (ptrdiff_t)j * w->model->nz, *z = chain->z, *row = chain->row;
  const pair_block *block = w->formed.pair;
  for (int k = 0; k < chain->n; k += LANES, block++) {
    for (int l = 0; l < LANES && k + l < chain->n; l++) {
      (K + j)[row[k + l]] += block->K[l];
      (K + below)[z[k + l]] += block->K_row[l];
      if (C) { (C + j)[row[k + l]] += block->C[l], (C + below)[z[k + l]] += block->C_row[l]; }
      if (M) { (M + j)[row[k + l]] += block->M[l], (M + below)[z[k + l]] += block->M[l]; }
    }
  }
}

/* Does the same for packed matrices. The coordinates of the chain are ascending, as the columns of a row are; of M they are the first ones. */
static void store_packed(const mbd_work *w, int j, mbd_real *K, mbd_real *C, mbd_real *M) {
  const column_chain *chain = &w->formed.chain;
  const mbd_nonzeros *at = w->formed.K_at;
  int place = at->first[j];
  for (int k = 0; k < chain->n; k++, place++) {
    const pair_block *block = &w->formed.pair[k / LANES];
    const int l = k % LANES;
    while (at->col[place] < chain->z[k]) { place++; }
    const int transposed = at->mirror[place];
    K[transposed] += block->K[l], K[place] += block->K_row[l];
    if (C) { C[transposed] += block->C[l], C[place] += block->C_row[l]; }
    if (M) {
      const int below = w->formed.M_at->first[j] + k;
      M[below] += block->M[l], M[w->formed.M_at->mirror[below]] += block->M[l];
    }
  }
}

void pairs_with_chain(mbd_work *w, int j, const column_wrench *wrench, mbd_real *K, mbd_real *C, mbd_real *M) {
  const int blocks = (w->formed.chain.n + LANES - 1) / LANES;
  wrench_block in;
  spread(6, wrench->z, in.z), spread(6, wrench->v, in.v), spread(6, wrench->a, in.a),
      spread(3, wrench->Bb + 3, in.Bb + 3);
  pair_blocks(blocks, w->formed.chain.block, &in, w->formed.pair);
  if (wrench->sloped) {
    spread(6, wrench->Kb, in.Kb), spread(3, wrench->Bb, in.Bb);
    add_slopes(blocks, w->formed.chain.block, &in, w->formed.pair);
  }
  if (w->formed.K_at) {
    store_packed(w, j, K, C, M);
  } else if (C && M) { /* NOLINT(bugprone-branch-clone) inlined by itself, both known to be there */
    store(w, j, K, C, M);
  } else {
    store(w, j, K, C, M);
  }
}

void mass_with_chain(const mbd_work *w, int j, const mbd_real a[6], mbd_real *M) {
  const column_chain *chain = &w->formed.chain;
  const ptrdiff_t below = (ptrdiff_t)j * w->model->nz;
  mbd_real in[6][LANES];
  spread(6, a, in);
  for (int k = 0; k < chain->n; k += LANES) {
    mbd_real s[LANES];
    dot(6, s, CONST_LANES(chain->block[k / LANES].b), CONST_LANES(in));
    for (int l = 0; l < LANES && k + l < chain->n; l++) {
      if (w->formed.M_at) {
        const int place = w->formed.M_at->first[j] + k + l;
        M[place] += s[l], M[w->formed.M_at->mirror[place]] += s[l];
      } else {
        M[chain->row[k + l] + j] += s[l], M[below + chain->z[k + l]] += s[l];
      }
    }
  }
}
