/* Checks whether a static equilibrium is stable, and near the position where its search began. With N the motions that the rows J of
 * equilibrium.c leave, J N = 0, it is stable where the stiffness N'(K + K')N/2 is positive definite. Where it is not, an elimination meets a
 * pivot that is not positive, at a column k; with x_k = 1 and the columns before it eliminated, x' N'K N x is that pivot, and N x a
 * motion that leads away, or one that nothing holds.
 * Equations: theory.md §5.7 (5.13). */
#include "simulate/equilibrium.h"

#include <stdio.h>
#include <string.h>

#include "model/state.h"

void equilibrium_list_moving(const mbd_sim *s, const mbd_real *x, int names, char *text, size_t size) {
  const double max = mbd_norm_inf(s->m->nz, x);
  size_t used = 0;
  int count = 0;
  text[0] = '\0';
  for (int j = 0; j < s->m->nz; j++) {
    if (mbd_largest(x[j]) < max / 2 || ++count > names || used >= size) { continue; }
    const int n = snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", s->m->z_name[j]);
    if (n > 0) { used += (size_t)n; }
  }
  if (count > names && used < size) { snprintf(text + used, size - used, " and %d more", count - names); }
}

/* ---- far from where the search began ---- */

#ifndef MBD_COMPLEX

static const double far = 0.785398163397448; /* [rad] */

static void check_far(mbd_sim *s) {
  int max = -1;
  double turned = far;
  for (int j = 0; j < s->m->nz_tree; j++) {
    const double by = fabs(sim_of(s, s->now.z[j] - s->start->equilibrium->assembled[j]));
    if (strcmp(s->m->z_unit[j], "rad") == 0 && by > turned) { turned = by, max = j; }
  }
  if (max < 0) { return; }
  sim_warn(
      s, "far", 0,
      "the static equilibrium that the run starts from is far from where the search began: '%s' turns by %.0f "
      "degrees (springs too weak for the load, or a linkage that has folded?). See whether it is the position that is "
      "meant, and hold what settles at values closer to it",
      s->m->z_name[max], turned * 45 / far);
}

#endif

/* ---- stability ---- */

static const double rank_tolerance = 1e-9;
static const double soft = 1e-9;     /* pivots that say nothing of stability, relative to the largest */
static const double noise = 1e-12;   /* and those whose sign says nothing */
static const double slow = 1e-6;     /* [1/s^2] of soft ones, by their inertia, motions that nothing holds, */
static const double nothing = 1e-13; /* without inertia relative to the largest */
static const double still =
    1e-12; /* [1/s^2] by its inertia, the largest stiffness if all is rounding of forces that balance */

/* In memory of its own: the matrices of the steps are zero where they are not written. Judged by real parts, of the first design. */
typedef struct reduced {
  int nf;
  mbd_real *N, *A;           /* [n][nf], [nf][nf] */
  mbd_real *dependent, *rhs; /* [n][n] scratch */
} reduced;

/* N from J, with states held; nf = 0 where nothing moves. */
static void free_motions(const mbd_sim *s, reduced *problem) {
  const int n = s->m->nz, nrow = equilibrium_all_rows(s) + s->m->nstate;
  const sim_equilibrium *at = s->start->equilibrium;
  /* Rows of states behind those of the system. */
  for (int i = 0; i < s->m->nstate; i++) {
    mbd_real *row_of_state = at->J + (nrow - s->m->nstate + i) * n;
    memset(row_of_state, 0, (size_t)n * sizeof *row_of_state);
    row_of_state[model_first_state(s->m) + i] = 1;
  }
  int *row = at->check_row, *col = at->check_col;
  mbd_real *dependent = problem->dependent, *rhs = problem->rhs, *N = problem->N;
  for (int i = 0; i < nrow * n; i++) { at->check_J[i] = sim_of(s, at->J[i]); }
  const int rank = mbd_rank(nrow, n, at->check_J, rank_tolerance, row, col), nf = n - rank;
  for (int i = 0; i < rank; i++) {
    for (int j = 0; j < rank; j++) { dependent[i * rank + j] = at->J[row[i] * n + col[j]]; }
    for (int j = 0; j < nf; j++) { rhs[i * nf + j] = -at->J[row[i] * n + col[rank + j]]; }
  }
  if (nf == 0 || (rank > 0 && mbd_lu_factor(rank, dependent, at->check_piv) != MBD_OK)) { return; }
  if (rank > 0) { mbd_lu_solve(rank, dependent, at->check_piv, nf, rhs); }
  memset(N, 0, (size_t)n * (size_t)nf * sizeof *N);
  for (int i = 0; i < rank; i++) { memcpy(N + col[i] * nf, rhs + i * nf, (size_t)nf * sizeof *N); }
  for (int j = 0; j < nf; j++) { N[col[rank + j] * nf + j] = 1; }
  problem->nf = nf;
}

/* A = N'(K + K')N/2 */
static void reduced_stiffness(const mbd_sim *s, const reduced *problem) {
  const int n = s->m->nz, nf = problem->nf;
  mbd_real *KN = problem->rhs, *A = problem->A;
  memset(KN, 0, (size_t)n * (size_t)nf * sizeof *KN);
  memset(A, 0, (size_t)nf * (size_t)nf * sizeof *A);
  mbd_mul_add(n, n, nf, 1, s->start->equilibrium->K, problem->N, KN);
  mbd_mulT_add(n, nf, nf, 1, problem->N, KN, A);
  for (int i = 0; i < nf; i++) {
    for (int j = 0; j < i; j++) { A[i * nf + j] = A[j * nf + i] = (A[i * nf + j] + A[j * nf + i]) / 2; }
  }
}

/* v'M v of the vector v in s->start->settle->dz */
static double inertia_along(const mbd_sim *s) {
  const sim_equilibrium *at = s->start->equilibrium;
  const int n = s->m->nz;
  double inertia = 0;
  for (int i = 0; i < n; i++) { inertia += sim_of(s, at->dz[i] * mbd_dot(n, at->M + i * n, at->dz)); }
  return inertia;
}

/* v = N x and v'M v, where x_k = 1, L_11' x_1 = -l_k', and 0 behind: v in s->start->settle->dz. */
static double way_out(mbd_sim *s, const reduced *problem, int k) {
  const int nf = problem->nf, n = s->m->nz;
  const mbd_real *A = problem->A;
  sim_equilibrium *at = s->start->equilibrium;
  mbd_real *x = at->step;
  memset(x, 0, (size_t)nf * sizeof *x);
  x[k] = 1;
  for (int i = k - 1; i >= 0; i--) {
    x[i] = -A[k * nf + i];
    for (int j = i + 1; j < k; j++) { x[i] -= A[j * nf + i] * x[j]; }
  }
  memset(at->dz, 0, (size_t)n * sizeof *at->dz);
  mbd_mul_add(n, nf, 1, 1, problem->N, x, at->dz);
  return inertia_along(s);
}

/* The same of column k of N */
static double inertia_of_column(mbd_sim *s, const reduced *problem, int k) {
  for (int i = 0; i < s->m->nz; i++) { s->start->equilibrium->dz[i] = problem->N[i * problem->nf + k]; }
  return inertia_along(s);
}

/* 1: the rate of a state that settles changes along dz, so that it determines where this motion rests. */
static int state_reads(const mbd_sim *s, const mbd_real *dz) {
  const int n = s->m->nz;
  for (int i = 0; i < s->m->nstate; i++) {
    const mbd_real *row = s->start->equilibrium->K + (model_first_state(s->m) + i) * n;
    const double size = mbd_norm_inf(n, row) * mbd_norm_inf(n, dz);
    if (equilibrium_settles_state(s, i) && mbd_largest(mbd_dot(n, row, dz)) > noise * size) { return 1; }
  }
  return 0;
}

/* sim_equilibrium.states_act */
static int states_act(const mbd_sim *s) {
  const int n = s->m->nz;
  for (int j = 0; j < s->m->nstate; j++) {
    for (int i = 0; equilibrium_settles_state(s, j) && i < model_first_state(s->m); i++) {
      if (mbd_largest(s->start->equilibrium->K[i * n + model_first_state(s->m) + j]) > 0) { return 1; }
    }
  }
  return 0;
}

/* A pivot that is zero, of a motion that nothing holds. */
static int is_floating(mbd_sim *s, const reduced *problem, int k, double pivot, double largest) {
  const double inertia = way_out(s, problem, k);
  const int zero = fabs(pivot) <= slow * inertia || (!(inertia > 0) && fabs(pivot) <= nothing * largest);
  return zero && !state_reads(s, s->start->equilibrium->dz);
}

/* L D L' of A in place: the first column with a negative pivot, of an unstable motion, -1: none; how many there are in v; and those of
 * motions that nothing holds in floating. */
static int judge_pivots(mbd_sim *s, const reduced *problem, int *floating, equilibrium_verdict *v) {
  const int nf = problem->nf;
  mbd_real *A = problem->A;
  double largest = 0;
  int unstable = -1, stiffest = 0;
  for (int i = 0; i < nf; i++) {
    if (fabs(sim_of(s, A[i * (nf + 1)])) > largest) { largest = fabs(sim_of(s, A[i * (nf + 1)])), stiffest = i; }
  }
  const double min = largest <= still * inertia_of_column(s, problem, stiffest) ? largest : soft * largest;
  for (int k = 0; k < nf; k++) {
    const double pivot = sim_of(s, A[k * (nf + 1)]);
    const int counts = fabs(pivot) > min;
    /* A pivot near zero belongs to a motion that nothing holds, a negative one to an unstable motion. */
    if (pivot <= min && is_floating(s, problem, k, pivot, largest)) {
      floating[v->nfloating++] = k;
    } else if (pivot < -min && unstable < 0) {
      unstable = k;
    }
    v->nnegative += pivot < -noise * largest;
    /* The elimination continues without columns whose pivots are rounding. */
    for (int i = k + 1; i < nf; i++) {
      const mbd_real l = counts ? A[i * nf + k] / pivot : 0;
      for (int j = k + 1; j <= i; j++) { A[i * nf + j] -= l * A[j * nf + k]; }
    }
    for (int i = k + 1; i < nf && counts; i++) { A[i * nf + k] /= pivot; }
  }
  return unstable;
}

void equilibrium_judge(mbd_sim *s, equilibrium_verdict *v) {
  sim_equilibrium *at = s->start->equilibrium;
  const size_t square = (size_t)s->m->nz * (size_t)s->m->nz;
  mbd_real *work = at->check_work;
  reduced q = {.N = work, .A = work + square, .dependent = work + 2 * square, .rhs = work + 3 * square};
  *v = (equilibrium_verdict){0};
  at->states_act = states_act(s);
  free_motions(s, &q);
  if (q.nf == 0) { return; }
  reduced_stiffness(s, &q);
  const int unstable = judge_pivots(s, &q, at->check_row, v);
  if (unstable >= 0 && !at->states_act) {
    way_out(s, &q, unstable);
    equilibrium_list_moving(s, at->dz, 3, v->leaves, sizeof v->leaves);
  }
  memset(at->dz, 0, (size_t)s->m->nz * sizeof *at->dz);
  for (int i = 0; i < v->nfloating; i++) { at->dz[at->check_col[s->m->nz - q.nf + at->check_row[i]]] = 1; }
  if (v->nfloating) { equilibrium_list_moving(s, at->dz, 8, v->floats, sizeof v->floats); }
}

mbd_status equilibrium_floats(const mbd_sim *s, const equilibrium_verdict *v, mbd_error *err) {
  const int one = v->nfloating == 1;
  const int drives = s->analysis->settles; /* a start takes held quantities in the place of drives */
  MBD_FAIL(
      err, MBD_SINGULAR,
      "%snothing determines the rest position%s of %s: no constraint holds %s, and no force changes as %s. Expected "
      "a spring or another force, or %s say where %s%s",
      drives ? "" : "static equilibrium of the start: ", one ? "" : "s", v->floats, one ? "it" : "them",
      one ? "it moves" : "they move", drives ? "drives that" : "held quantities, not in 'settle', that",
      one ? "it is" : "they are", drives ? " (drive.COORDINATE = NUMBER)" : "");
}

#ifndef MBD_COMPLEX

static mbd_status check_one(mbd_sim *s, mbd_error *err) {
  equilibrium_verdict v;
  equilibrium_judge(s, &v);
  if (v.nfloating) { return equilibrium_floats(s, &v, err); }
  check_far(s);
  if (!v.leaves[0]) { return MBD_OK; }
  sim_warn(
      s, "unstable", 0,
      "the static equilibrium that the run starts from is unstable: a small push along %s makes the mechanism leave "
      "it (a folded linkage or a spring past its dead point). Begin the search closer to the position that is "
      "meant, by the held values of what settles, or choose springs that carry the load",
      v.leaves);
  return MBD_OK;
}

mbd_status equilibrium_check(mbd_sim *s, mbd_error *err) {
  SIM_EACH_DESIGN(s) {
    MBD_TRY(check_one(s, err));
  }
  return MBD_OK;
}

#else

/* Only the build with real numbers makes this check. */
mbd_status equilibrium_check(mbd_sim *s, mbd_error *err) {
  (void)s, (void)err;
  return MBD_OK;
}

#endif
