/* Detects whether a step has passed a singular position, where rows of Phi_z become dependent. The positions that a step
 * evaluates need not be near it: bars that turn by 5e-3 rad in a step leave pivots of that size on either side. The criterion
 * is that the line between the matrices of both ends contains a singular matrix. With J_0, J_1 the dependent parts of Phi_z at the start and
 * the end of the step,
 *   J_0 + a (J_1 - J_0) = J_1 (I - (1 - a) G),     G = J_1^-1 (J_1 - J_0)
 * is singular for an a between 0 and 1 where G has the eigenvalue 1/(1 - a), above 1; without one, all eigenvalues are of the
 * order of the step. Loops that pass at once, which would hide in the sign of a determinant, are equal eigenvalues here. The
 * largest is found by powers of G, begun with the vector of the step before, in O(rank^2).
 * J is the dependent part of Phi_z. Equations: theory.md §5.3 (5.6), (5.7e). */
#include <stdio.h>
#include <string.h>

#include "formulation/independent.h"
#include "la/dense.h"
#include "la/powers.h"

enum { NAMES = 3 };

static const double rounding = 1e-12;

void crossing_begin(independent_block *b) {
  for (int j = 0; j < MBD_DESIGNS * b->ncol; j++) { b->v[j] = powers_start(j % b->ncol); }
}

void crossing_keep(independent_block *b) {
  memcpy(b->J_before, b->J, (size_t)(b->nrow * b->ncol) * sizeof *b->J);
}

typedef struct block_powers {
  const independent_block *b;
  mbd_real *w; /* [rank] scratch */
  int design;  /* of several, the one that is looked at */
} block_powers;

/* v := G v / |G v| (powers_largest). */
static double multiply(void *of, double *eigenvalue) {
  const block_powers *powers = of;
  const independent_block *b = powers->b;
  mbd_real *w = powers->w;
  double *v = b->v + powers->design * b->ncol;
  int max = 0;
  double before = 0;
  for (int i = 0; i < b->rank; i++) {
    const mbd_real *J = b->J + b->use[i] * b->ncol, *J_before = b->J_before + b->use[i] * b->ncol;
    w[i] = 0;
    for (int j = 0; j < b->rank; j++) { w[i] += mbd_re(J[b->order[j]] - J_before[b->order[j]]) * v[b->order[j]]; }
    before = fmax(before, fabs(v[b->order[i]]));
  }
  mbd_lu_solve(b->rank, b->lu, b->piv, 1, w);
  for (int i = 0; i < b->rank; i++) {
    w[i] = mbd_of(w[i], powers->design);
    max = mbd_largest(w[i]) > mbd_largest(w[max]) ? i : max;
  }
  const double size = mbd_largest(w[max]);
  *eigenvalue = mbd_first(w[max]) / v[b->order[max]];
  if (!(size > rounding * before)) { return 0; }
  for (int i = 0; i < b->rank; i++) { v[b->order[i]] = mbd_first(w[i]) / size; }
  return size / before;
}

/* Returns the pivot of the rows in use, in all columns, that decides on their rank, at J_0 + a (J_1 - J_0). */
static double deciding_pivot(independent_block *b, int design, double a) {
  const int n = b->ncol;
  for (int i = 0; i < b->rank; i++) {
    const mbd_real *J = b->J + b->use[i] * n, *J_before = b->J_before + b->use[i] * n;
    for (int j = 0; j < n; j++) {
      b->work[i * n + j] = mbd_of(J_before[j], design) + a * mbd_of(J[j] - J_before[j], design);
    }
  }
  if (mbd_rank_above(b->rank, n, b->work, 0, b->spare_row, b->spare_col) < b->rank) { return 0; }
  return fabs(b->work[b->rank * n - n + b->rank - 1]);
}

/* Returns the place of a singular position within the step, 0 if there is none. If only the choice of coordinates fails within the step, the rows
 * stay independent throughout. */
double crossing_singular(independent_block *b, mbd_real *w) {
  for (int i = 0; b->rank > 0 && i < MBD_DESIGNS; i++) {
    const double eigenvalue = powers_largest(multiply, &(block_powers){b, w, i}), a = 1 - 1 / eigenvalue;
    if (!(eigenvalue > 1)) { continue; }
    if (deciding_pivot(b, i, a) < fmax(deciding_pivot(b, i, 0), deciding_pivot(b, i, 1)) / 2) { return a; }
  }
  return 0;
}

/* Returns the names of rows that depend on each other there: the largest entries of J_1^-T v. */
const char *crossing_names(const mbd_model *m, const independent_block *b, mbd_real *w, char *text, size_t size) {
  size_t used = 0;
  int count = 0;
  for (int i = 0; i < b->rank; i++) { w[i] = b->v[b->order[i]]; }
  mbd_lu_solve_T(b->rank, b->lu, b->piv, 1, w);
  const double large = mbd_norm_inf(b->rank, w) / 2;
  text[0] = 0;
  for (int i = 0; i < b->rank; i++) {
    if (mbd_largest(w[i]) < large || ++count > NAMES || used >= size) { continue; }
    const int n = snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", m->phi_name[b->row[b->use[i]]]);
    if (n > 0) { used += (size_t)n; }
  }
  if (count > NAMES && used < size) { snprintf(text + used, size - used, " and %d more", count - NAMES); }
  return text;
}
