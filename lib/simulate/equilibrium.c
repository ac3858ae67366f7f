/* Static equilibrium as the start: some of the held quantities keep their values (position and heading of a car), the
 * others change until the forces balance. With J the rows of Phi, of the quantities that stay and of the coordinates
 * that keep their guess,
 *   r(z, zd = 0, zdd = 0) + J' y = 0,   rows = 0
 * by Newton's iteration, begun as implicit steps of a strongly damped motion: (K + sigma M) dz + J' y = -r, where sigma
 * decreases to zero as the steps shrink, so that a wheel above the road moves onto the road, not through it. It
 * increases if the steps grow. If the steps never become small, their result depends on rounding, and a second attempt,
 * in which sigma grows less, may end at an equilibrium. The derivative is that of the equations: K z' + J' y' =
 * -r_theta, J z' = -rows_theta.
 * A state x settles where its rate f is zero: its row of r is -f, and its column of K that of C, the derivative by x = sd. The coordinate s of a
 * state, which counts nowhere else, holds x during the search.
 * Velocity constraints hold at rest at every position: their rows are zero, and so are their reactions.
 * Equations: theory.md §5.7 (5.13), with the rows of quantities that stay; of states §4.3 (4.17). */
#include "simulate/equilibrium.h"

#include <string.h>

#include "model/state.h"

enum { EQUILIBRIUM_ITERATIONS = 200, WAYS = 2 };

static const double first_sigma = 1e3, last_sigma = 1e-3; /* [1/s^2] */
static const double longest_step = 0.1;                   /* [m or rad] */
static const double shrinks = 4, grows[WAYS] = {2, 1.5};  /* factors by which sigma decreases and increases */

void equilibrium_layout(mbd_sim *s, mbd_arena *a) {
  sim_equilibrium counted, *q = s->start->equilibrium = mbd_arena_take(a, sizeof *q);
  if (!q) { q = &counted; }
  const size_t n = (size_t)s->m->nz, np = (size_t)(s->np_max > 1 ? s->np_max : 1);
  const size_t rows = (size_t)s->m->nphi + (size_t)s->m->nhold_row + n;
  /* The matrices and corrections of Newton's iteration; right-hand sides for np directions. */
  MBD_ARENA_REALS(a, n * n, &q->K, &q->C, &q->M, &q->K_damped, &q->lu);
  MBD_ARENA_REALS(a, n, &q->r, &q->zero, &q->rates, &q->dz, &q->assembled);
  MBD_ARENA_REALS(a, rows * np, &q->F, &q->dy, &q->left);
  q->J = mbd_arena_real(a, rows * n);
  q->y = mbd_arena_real(a, rows);
  MBD_ARENA_REALS(a, n * np, &q->b, &q->step);
  q->piv = mbd_arena_take(a, n * sizeof *q->piv);
  /* Memory of equilibrium_check.c. */
  q->check_work = mbd_arena_real(a, 4 * n * n);
  q->check_J = mbd_arena_take(a, (rows * (n + 1) + 1) * sizeof *q->check_J);
  q->check_row = mbd_arena_take(a, rows * sizeof *q->check_row);
  q->check_col = mbd_arena_take(a, n * sizeof *q->check_col);
  q->check_piv = mbd_arena_take(a, n * sizeof *q->check_piv);
  mbd_near_singular_layout(&q->near_singular, (int)n, (int)rows, a);
  q->factors = (mbd_factors){.n = s->m->nz, .lu = q->lu, .piv = q->piv};
}

void equilibrium_states(const mbd_model *m, int columns, const mbd_real *z, mbd_real *rates) {
  const size_t first = (size_t)model_first_state(m) * (size_t)columns, n = (size_t)m->nstate * (size_t)columns;
  memcpy(rates + first, z + first, n * sizeof *rates);
}

/* K += C in the columns of states: what is at their places of z are their rates. */
static void add_states(const mbd_sim *s) {
  const sim_equilibrium *at = s->start->equilibrium;
  const int n = s->m->nz;
  for (int i = 0; i < n; i++) {
    for (int j = model_first_state(s->m); j < n; j++) { at->K[i * n + j] += at->C[i * n + j]; }
  }
}

/* Rows of J and entries of F of velocity constraints := 0. */
static void clear_velocity_rows(const mbd_sim *s) {
  const sim_equilibrium *at = s->start->equilibrium;
  const size_t n = (size_t)s->m->nz, first = (size_t)(s->m->nphi - s->m->nvelocity_row),
               rows = (size_t)s->m->nvelocity_row;
  if (rows == 0) { return; }
  memset(at->J + first * n, 0, rows * n * sizeof *at->J);
  memset(at->F + first, 0, rows * sizeof *at->F);
}

/* r + J' y, rows F, J and the stiffness K with the reactions' part, at rest. */
static void evaluate(mbd_sim *s) {
  sim_equilibrium *at = s->start->equilibrium;
  const motion_terms e = motion_equations(equilibrium_rows(s), at->y);
  const int n = s->m->nz, nrow = e.rows.nrow, nfree = equilibrium_kept(s);
  motion_place(s->w, s->p, s->t, s->now.z);
  equilibrium_states(s->m, 1, s->now.z, at->rates);
  motion_move(s->w, at->rates, at->zero, 1);
  motion_residual(s->w, at->r);
  motion_phi(s->w, e.rows, at->F, at->J);
  clear_velocity_rows(s);
  /* Rows of the coordinates that keep their guess. */
  if (nfree > 0) {
    memset(at->J + nrow * n, 0, (size_t)nfree * (size_t)n * sizeof *at->J);
    for (int i = 0; i < nfree; i++) { at->J[(nrow + i) * n + s->start->free_z[i]] = 1; }
    start_free_values(s, at->F + nrow);
  }
  mbd_mulT_add(equilibrium_all_rows(s), n, 1, 1, at->J, at->y, at->r);
  motion_jacobian(s->w, &e, NULL, at->K, at->C, NULL, at->M);
  add_states(s);
}

/* A state that equilibrium determines, but whose rate nothing changes at rest; -1: none. */
static int undetermined_state(const mbd_sim *s) {
  const int n = s->m->nz;
  for (int i = 0; i < s->m->nstate; i++) {
    const mbd_real *row = s->start->equilibrium->K + (model_first_state(s->m) + i) * n;
    if (equilibrium_settles_state(s, i) && !(mbd_norm_inf(n, row) > 0)) { return i; }
  }
  return -1;
}

static mbd_status state_undetermined(const mbd_sim *s, int i, mbd_error *err) {
  const char *name = s->m->z_name[model_first_state(s->m) + i];
  MBD_FAIL(
      err, MBD_SINGULAR,
      "static equilibrium: nothing determines state '%s' there: its rate has to be zero, but no state and no position "
      "changes it at rest%s%s%s",
      name, s->analysis->settles ? "" : "; expected start = VALUE in [state ", s->analysis->settles ? "" : name,
      s->analysis->settles ? "" : "]");
}

static mbd_status factor(mbd_sim *s, double sigma, mbd_error *err) {
  sim_equilibrium *at = s->start->equilibrium;
  mbd_saddle *system = &at->system;
  const int n = s->m->nz, nrow = equilibrium_all_rows(s);
  /* K + sigma M: an implicit step of a strongly damped motion; Newton's iteration for sigma = 0. */
  for (int i = 0; i < n * n; i++) { at->K_damped[i] = at->K[i] + sigma * at->M[i]; }
  /* The penalty on the rows is scaled by the stiffness; a mechanism without forces has none, so that of the inertia is a lower bound. */
  const double penalty =
      fmax(mbd_saddle_penalty(n, nrow, at->K_damped, at->J), last_sigma * mbd_saddle_penalty(n, nrow, at->M, at->J));
  *system = (mbd_saddle){.n = n,
                         .m = nrow,
                         .A = at->K_damped,
                         .Phi = at->J,
                         .lu = &at->factors,
                         .alpha = penalty,
                         .near_singular = &at->near_singular,
                         .at_least = EXTRA_ITERATIONS,
                         .what = "static equilibrium"};
  /* The factors are those of K + sigma M + alpha J' J, so that rows may be redundant. */
  memcpy(at->lu, at->K_damped, (size_t)n * (size_t)n * sizeof *at->lu);
  mbd_mulT_add(nrow, n, n, system->alpha, at->J, at->J, at->lu);
  if (mbd_factors_make(&at->factors) != MBD_OK) {
    const int state = undetermined_state(s);
    if (state >= 0) { return state_undetermined(s, state, err); }
    MBD_FAIL(err, MBD_SINGULAR,
             "static equilibrium: the stiffness matrix is singular; some %s has no force that determines it",
             s->analysis->settles ? "coordinate" : "quantity in 'settle'");
  }
  return MBD_OK;
}

mbd_status equilibrium_system(mbd_sim *s, mbd_error *err) {
  evaluate(s);
  return factor(s, 0, err);
}

static mbd_status not_settled(const mbd_sim *s, mbd_error *err) {
  const sim_equilibrium *at = s->start->equilibrium;
  const int state = undetermined_state(s);
  int worst = 0;
  if (state >= 0) { return state_undetermined(s, state, err); }
  for (int j = 1; j < s->m->nz; j++) {
    if (mbd_largest(at->dz[j]) > mbd_largest(at->dz[worst])) { worst = j; }
  }
  MBD_FAIL(err, MBD_NO_ASSEMBLY,
           "no static equilibrium found in %d iterations; coordinate '%s' still moves by %.3g %s (is there a force for "
           "every %s?)",
           EQUILIBRIUM_ITERATIONS, s->m->z_name[worst], mbd_first(at->dz[worst]), s->m->z_unit[worst],
           s->analysis->settles ? "coordinate that no constraint determines" : "quantity in 'settle'");
}

mbd_status equilibrium_correct(mbd_sim *s, int rough, mbd_error *err) {
  sim_equilibrium *at = s->start->equilibrium;
  const int n = s->m->nz, nrow = equilibrium_all_rows(s);
  for (int j = 0; j < n; j++) { at->r[j] = -at->r[j]; }
  for (int i = 0; i < nrow; i++) { at->F[i] = -at->F[i]; }
  memset(at->dy, 0, (size_t)nrow * sizeof *at->dy);
  mbd_saddle system = at->system;
  system.part_of =
      1 +
      model_extent(s->m, n,
                   s->now.z); /* the remaining F and r are rounding, by which redundant rows contradict each other */
  if (rough) { system.near_singular = NULL, system.at_least = 0; }
  return mbd_saddle_solve(&system, 1, at->r, at->F, at->dz, at->dy, at->step, at->left, err);
}

/* The length of a correction of states, of any unit: relative to 1 + |x|. */
static double states_step(const mbd_sim *s) {
  const int first = model_first_state(s->m), n = s->m->nstate;
  return mbd_norm_inf(n, s->start->equilibrium->dz + first) / (1 + mbd_norm_inf(n, s->now.z + first));
}

/* The imaginary parts of the referee have corrections of their own, after real ones are rounding: near a singular position multipliers
 * converge slowly, and mbd_saddle_solve ends by the size of real parts. */
static int imaginary_converged(const mbd_sim *s) {
  const int n = s->m->nz;
  return sim_imaginary_size(n, s->start->equilibrium->dz) <= 1e-13 * sim_imaginary_size(n, s->now.z);
}

static mbd_status settle_by(mbd_sim *s, double growth, mbd_error *err) {
  enum { PATIENCE = 20 }; /* of imaginary parts */
  sim_equilibrium *at = s->start->equilibrium;
  const int n = s->m->nz;
  double sigma = first_sigma, last = INFINITY;
  int after = 0;
  memset(at->y, 0, (size_t)equilibrium_all_rows(s) * sizeof *at->y);
  for (int it = 0; it < EQUILIBRIUM_ITERATIONS; it++) {
    evaluate(s);
    if (it == 0 && isnan(mbd_norm_inf(n, at->r))) { MBD_TRY(start_check_forces(s, err)); }
    MBD_TRY(factor(s, sigma, err));
    const mbd_status solved = equilibrium_correct(s, !after, err);
    const double moved = model_extent(s->m, n, at->dz), part = fmin(1, longest_step / moved),
                 of_states = states_step(s);
    const double step = fmax(moved, of_states);
    if (isnan(moved) || isnan(of_states)) {
      MBD_FAIL(err, MBD_NOT_FINITE, "static equilibrium: the motion is no longer finite");
    }
    for (int j = 0; j < n; j++) { s->now.z[j] += part * at->dz[j]; }
    for (int i = 0; i < equilibrium_all_rows(s); i++) { at->y[i] += part * at->dy[i]; }
    const int small = moved <= s->c.tolerance * (1 + model_extent(s->m, n, s->now.z)) && of_states <= s->c.tolerance;
    if (sigma == 0 && (after || small)) {
      if (after++ >= EXTRA_ITERATIONS + 1 && (imaginary_converged(s) || after > PATIENCE)) { return solved; }
    }
    if (!after) {
      sim_drop_imaginary(n, s->now.z);
      sim_drop_imaginary(equilibrium_all_rows(s), at->y);
    }
    sigma = step < last ? sigma / shrinks : fmax(sigma, last_sigma) * growth;
    if (sigma < last_sigma || after || small) { sigma = 0; } /* steps at rounding do not shrink */
    last = step;
  }
  return not_settled(s, err);
}

mbd_status equilibrium_not_found(mbd_sim *s, mbd_status status, mbd_error *err) {
  equilibrium_verdict v;
  sim_equilibrium *at = s->start->equilibrium;
  const int singular = status == MBD_SINGULAR;
  /* In the start of a motion, forces may act elsewhere: a wheel that does not touch the road yet. */
  if (!singular && !s->analysis->settles) { return status; }
  if (!singular) { /* the last position of the search has no meaning */
    memcpy(s->now.z, at->assembled, (size_t)s->m->nz * sizeof *s->now.z);
    memset(at->y, 0, (size_t)equilibrium_all_rows(s) * sizeof *at->y);
  }
  (void)equilibrium_system(s, NULL); /* its message about singular matrices is replaced by the one below */
  equilibrium_judge(s, &v);
  return v.nfloating ? equilibrium_floats(s, &v, err) : status;
}

mbd_status equilibrium_state(mbd_sim *s, mbd_error *err) {
  sim_equilibrium *at = s->start->equilibrium;
  mbd_status status = MBD_NO_ASSEMBLY;
  memcpy(at->assembled, s->now.z, (size_t)s->m->nz * sizeof *s->now.z);
  for (int i = 0; i < WAYS && status != MBD_OK; i++) {
    memcpy(s->now.z, at->assembled, (size_t)s->m->nz * sizeof *s->now.z);
    status = settle_by(s, grows[i], err);
  }
  if (status == MBD_OK && s->start->steady) { return MBD_OK; } /* a place to begin the search at */
  return status == MBD_OK ? equilibrium_check(s, err) : equilibrium_not_found(s, status, err);
}

mbd_status equilibrium_sens_at(mbd_sim *s, mbd_error *err) {
  sim_start *at = s->start;
  sim_equilibrium *search = at->equilibrium;
  const motion_terms e = motion_equations(equilibrium_rows(s), search->y);
  const int n = s->m->nz, np = s->np, nrow = e.rows.nrow, all = equilibrium_all_rows(s);
  /* Right-hand sides -r_theta theta', -rows_theta theta' of theory.md §5.7 (5.13) for all directions. */
  memset(search->b, 0, (size_t)n * (size_t)np * sizeof *search->b);
  memset(search->F, 0, (size_t)all * (size_t)np * sizeof *search->F);
  memset(search->dy, 0, (size_t)all * (size_t)np * sizeof *search->dy);
  for (int k = 0; k < np; k++) {
    sim_vary(s, k);
    motion_direction(s->w, &e, at->dr, at->dphi, NULL, NULL);
    sens_subtract(n, np, k, at->dr, search->b);
    sens_subtract(nrow, np, k, at->dphi, search->F);
    if (all > nrow) { start_free_sens(s, k, search->F + nrow * np); }
  }
  /* K z' + J' y' = b, J z' = F. */
  MBD_TRY(mbd_saddle_solve(&search->system, np, search->b, search->F, s->sens.z, search->dy, search->step, search->left,
                           err));
  /* A residual in F means that redundant rows contradict each other along that direction. */
  memset(at->sides, 0, (size_t)np * sizeof *at->sides);
  start_column_sizes(all, np, search->F, at->sides);
  mbd_mul_add(all, n, np, -1, search->J, s->sens.z, search->F);
  start_check_remainder(s, nrow, search->F, at->sides);
  return MBD_OK;
}

mbd_status equilibrium_sens(mbd_sim *s, mbd_error *err) {
  MBD_TRY(equilibrium_system(s, err));
  return equilibrium_sens_at(s, err);
}
