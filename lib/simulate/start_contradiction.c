/* Redundant rows of the start that contradict each other as a coefficient varies: their derivatives are those of least squares.
 * Equations: theory.md §5.5 (5.9). */
#include "simulate/start.h"

static const double contradiction = 1e-6; /* largest residual of redundant rows, relative to the right-hand sides */

void start_column_sizes(int nrow, int np, const mbd_real *b, mbd_real *sides) {
  for (int i = 0; i < nrow * np; i++) { sides[i % np] = fmax(mbd_largest(sides[i % np]), mbd_largest(b[i])); }
}

/* The coefficient that direction k changes most. */
static int moved_max(const mbd_sim *s, int k) {
  int max = 0;
  for (int i = 1; i < s->m->ncoef; i++) {
    if (mbd_largest(s->d[k]->dtheta[i]) > mbd_largest(s->d[k]->dtheta[max])) { max = i; }
  }
  return max;
}

void start_warn_contradiction(mbd_sim *s, const char *what, int row) {
  sim_warn(
      s, "start derivative", 0,
      "as '%s' varies, redundant constraints of the start contradict each other, '%s' among them: the mechanism can "
      "be assembled at this value alone, and derivatives are those of the position with the least squares of their "
      "errors. Vary what they have in common together, or take one of them out",
      what, start_row_name(s, row));
}

/* The residual that rounding leaves in the equations of the sensitivities of the start along direction k. */
static double rounding_of(const mbd_sim *s, int k) {
  double max = mbd_largest(s->d[k]->dtheta[moved_max(s, k)]);
  for (int j = 0; j < s->m->nz; j++) {
    max = fmax(max, mbd_largest(s->sens.z[j * s->np + k]) * (1 + mbd_largest(s->now.zd[j])));
  }
  return 1e-9 * max;
}

void start_check_remainder(mbd_sim *s, int nrow, const mbd_real *left, const mbd_real *sides) {
  const int np = s->np;
  for (int i = 0; i < nrow * np; i++) {
    const int row = i / np, k = i % np;
    const double excess = mbd_largest(left[i]) - contradiction * mbd_largest(sides[k]);
    /* Most residuals are below the first bound alone; the second one costs a pass over all coefficients. */
    if (!(excess > 0) || !(excess > rounding_of(s, k))) { continue; }
    start_warn_contradiction(s, s->m->coef_name[moved_max(s, k)], row);
    return;
  }
}
