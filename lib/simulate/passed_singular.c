/* Has a motion passed a singular position, where branches of the mechanism meet? The criterion of formulation/crossing.c, theory.md §5.3 (5.7e), without a choice of independent
 * coordinates: with J_0, J_1 the independent rows of Phi_z at both ends of a step, a combination w' J of them vanishes on the line between the matrices if
 *   w' J_0 = -k w' J_1, k > 0:   G = 1 - J_0 J_1' (J_1 J_1')^-1 has the eigenvalue 1 + k, at the part a = k/(1 + k) of the step
 * which powers of G find, begun with the vector of the last look; and the rows lose their rank there. Most steps are seen to keep it without that: within the ball
 *   |D (J - J_r)| < r,   r = 1/sqrt(trace (A A')^-1) <= smallest singular value of A = D J_r,   |.|: sqrt of the sum of squares
 * about the rows J_r of an earlier node, made of length 1 by the diagonal D, no matrix loses its rank, and a ball has the line between any two of its points.
 * Such a motion goes straight through by its momentum. Where it is shown, a warning says so; a case that states the branch does not need it (branch.c), and state-space formulations
 * refuse the step. Of at most ROWS equations. */
#include <string.h>

#include "la/dense.h"
#include "la/powers.h"
#include "objective/objectives.h"
#include "simulate/analysis.h"
#include "simulate/watch.h"

enum { ROWS = 100 };

struct sim_singular {
  mbd_real *J[2], *line; /* [rank][nz] at the node before and at this one, in turn; a place between them */
  mbd_real *N;           /* [rank][rank] J_1 J_1', and its factors */
  mbd_real *v, *u, *x;   /* [rank] of powers, scratch; [nz] scratch */
  int *piv;
  int told;
  mbd_real *center; /* [rank][nz] J_r, with its D and the square of r, 0: none */
  double *scale, radius2;
};

/* 1: motions of this simulation are looked at, of one design. */
static int looks(const mbd_sim *s) {
  return MBD_DESIGNS == 1 && analysis_integrates(s->analysis) && !s->ops->space &&
         s->c.coordinates == MBD_COORDINATES_JOINT && !s->branches && s->m->nvelocity == 0 && s->m->nphi > 0 &&
         s->m->nphi <= ROWS;
}

void singular_layout(mbd_sim *s, mbd_arena *a) {
  const size_t m = looks(s) ? (size_t)s->m->nphi : 0, n = (size_t)s->m->nz;
  sim_singular counted, *singular = s->singular = mbd_arena_take(a, sizeof *singular);
  if (!singular) { singular = &counted; }
  MBD_ARENA_REALS(a, m * n + 1, &singular->J[0], &singular->J[1], &singular->line, &singular->center);
  singular->N = mbd_arena_real(a, m * m + 1);
  MBD_ARENA_REALS(a, m + 1, &singular->v, &singular->u);
  singular->x = mbd_arena_real(a, n);
  singular->piv = mbd_arena_take(a, (m + 1) * sizeof *singular->piv);
  singular->scale = mbd_arena_take(a, (m + 1) * sizeof *singular->scale);
}

/* J := the independent rows at the present position */
static void take_rows(mbd_sim *s, mbd_real *J) {
  const int nz = s->m->nz;
  mbd_real *all = s->singular->line;
  motion_phi(s->w, s->eq, NULL, all);
  for (int i = 0; i < s->rank; i++) { memcpy(J + i * nz, all + s->row[i] * nz, (size_t)nz * sizeof *J); }
}

/* Factors N = A A'; returns its smallest pivot, 0 if it is singular; *row: the equation of that. */
static double factor(const mbd_sim *s, const mbd_real *A, int *row) {
  const sim_singular *singular = s->singular;
  const int n = s->rank, nz = s->m->nz;
  double min = INFINITY;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= i; k++) {
      singular->N[i * n + k] = singular->N[k * n + i] = mbd_dot(nz, A + i * nz, A + k * nz);
    }
  }
  *row = s->row[0];
  if (mbd_lu_factor(n, singular->N, singular->piv) != MBD_OK) { return 0; }
  for (int i = 0; i < n; i++) {
    const double pivot = mbd_min(singular->N[i * (n + 1)]);
    if (pivot < min) { min = pivot, *row = s->row[i]; }
  }
  return min;
}

typedef struct step_powers {
  const mbd_sim *s;
  const mbd_real *J_0, *J_1; /* [rank][nz] */
} step_powers;

/* v := G' v / |G' v| (powers_largest), with the factors of J_1 J_1': v' J_0 J_1' solved by these. */
static double multiply(void *of, double *eigenvalue) {
  const step_powers *powers = of;
  const mbd_sim *s = powers->s;
  const mbd_real *J_0 = powers->J_0, *J_1 = powers->J_1;
  const sim_singular *singular = s->singular;
  const int n = s->rank, nz = s->m->nz;
  mbd_real *v = singular->v, *u = singular->u, *x = singular->x;
  int max = 0;
  double before = 0;
  memset(x, 0, (size_t)nz * sizeof *x);
  for (int i = 0; i < n; i++) { mbd_axpy(nz, v[i], J_0 + i * nz, x), before = fmax(before, mbd_largest(v[i])); }
  for (int i = 0; i < n; i++) { u[i] = mbd_dot(nz, J_1 + i * nz, x); }
  mbd_lu_solve(n, singular->N, singular->piv, 1, u);
  for (int i = 0; i < n; i++) {
    u[i] = mbd_re(v[i] - u[i]);
    max = mbd_largest(u[i]) > mbd_largest(u[max]) ? i : max;
  }
  const double size = mbd_largest(u[max]);
  *eigenvalue = mbd_first(u[max]) / mbd_first(v[max]);
  if (!(size > 1e-12 * before)) { return 0; }
  for (int i = 0; i < n; i++) { v[i] = u[i] / size; }
  return size / before;
}

/* ---- the ball ---- */

static int is_within(const mbd_sim *s, const mbd_real *J) {
  const sim_singular *singular = s->singular;
  const int nz = s->m->nz;
  double sum = 0;
  for (int i = 0; i < s->rank; i++) {
    for (int j = i * nz; j < (i + 1) * nz; j++) {
      const double moved = singular->scale[i] * (mbd_first(J[j]) - mbd_first(singular->center[j]));
      sum += moved * moved;
    }
  }
  return sum < singular->radius2;
}

/* The ball about J. */
static void place_ball(const mbd_sim *s, const mbd_real *J) {
  sim_singular *singular = s->singular;
  const int n = s->rank, nz = s->m->nz;
  double trace = 0;
  int row;
  memcpy(singular->center, J, (size_t)(n * nz) * sizeof *J);
  singular->radius2 = 0;
  if (!(factor(s, J, &row) > 0)) { return; }
  /* (A A')^-1 = D^-1 (J J')^-1 D^-1 */
  for (int i = 0; i < n; i++) {
    const double length2 = mbd_first(mbd_dot(nz, J + i * nz, J + i * nz));
    memset(singular->u, 0, (size_t)n * sizeof *singular->u);
    singular->u[i] = 1;
    mbd_lu_solve(n, singular->N, singular->piv, 1, singular->u);
    singular->scale[i] = 1 / sqrt(length2);
    trace += length2 * mbd_first(singular->u[i]);
  }
  singular->radius2 = trace > 0 ? 1 / trace : 0;
}

/* 1: the rows keep their rank between both. */
static int keeps_rank(const mbd_sim *s, const mbd_real *J_0, const mbd_real *J_1) {
  if (is_within(s, J_1)) { return 1; }
  place_ball(s, J_1);
  return is_within(s, J_0);
}

/* ---- the eigenvalue ---- */

/* The part of the step at which the rows lose their rank; 0: they keep it. *row: one that depends on the others there. */
static double singular_place(const mbd_sim *s, const mbd_real *J_0, const mbd_real *J_1, int *row) {
  const double at_1 = factor(s, J_1, row);
  if (!(at_1 > 0)) { return 0; }
  const double eigenvalue = powers_largest(multiply, &(step_powers){s, J_0, J_1}), a = 1 - 1 / eigenvalue;
  if (!(eigenvalue > 1)) { return 0; }
  const double at_0 = factor(s, J_0, row);
  for (int i = 0; i < s->rank * s->m->nz; i++) { s->singular->line[i] = J_0[i] + a * (J_1[i] - J_0[i]); }
  return factor(s, s->singular->line, row) < fmax(at_0, at_1) / 4 ? a : 0;
}

void watch_singular(mbd_sim *s, int k) {
  sim_singular *singular = s->singular;
  int row;
  if (!looks(s) || !s->objectives->watched || s->rank == 0) { return; }
  if (k == 0) {
    singular->told = 0;
    for (int j = 0; j < s->rank; j++) { singular->v[j] = powers_start(j); }
  }
  if (singular->told) { return; }
  mbd_real *now = singular->J[k % 2];
  take_rows(s, now);
  const mbd_real *before = singular->J[1 - k % 2];
  if (k == 0) { place_ball(s, now); }
  const double a = k == 0 || keeps_rank(s, before, now) ? 0 : singular_place(s, before, now, &row);
  if (!(a > 0)) { return; }
  singular->told = 1;
  const double t = mbd_first(s->t) - (1 - a) * s->h;
  sim_warn(
      s, "singular", t,
      "at about t = %.6g s the motion passes a singular position, where the constraints lose their rank at '%.100s' "
      "and branches of the mechanism meet. Its momentum leads it straight through. branch.QUANTITY = changes in "
      "the case checks that, = positive or negative refuses it",
      t, s->m->phi_name[row]);
}
