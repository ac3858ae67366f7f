/* The start (theory.md §5): positions from Phi = 0 and the held quantities (assembly.c), maybe static equilibrium (equilibrium.c),
 * velocities likewise, accelerations and multipliers from the equations of motion. */
#include "simulate/start.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/analysis.h"
#include "simulate/branch.h"
#include "simulate/equilibrium.h"
#include "simulate/start_rows.h"
#include "simulate/steady.h"

/* ---- memory ---- */

static void layout(sim_start *start, mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, held = (size_t)s->m->nhold_row;
  const size_t np = (size_t)(s->np_max > 1 ? s->np_max : 1);
  MBD_ARENA_REALS(a, n, &start->dz, &start->tried, &start->dr);
  MBD_ARENA_REALS(a, m + held + 1, &start->dphi, &start->dphid, &start->dphidd);
  start->free_z = mbd_arena_take(a, n * sizeof *start->free_z);
  start->all_rows = mbd_arena_take(a, (m + held + 1) * sizeof *start->all_rows);
  start->all_z = mbd_arena_take(a, n * sizeof *start->all_z);
  if (s->m->nvelocity > 0) {
    start->rest_z = mbd_arena_take(a, n * sizeof *start->rest_z);
    start->follows = mbd_arena_take(a, (size_t)s->m->nhold + 1);
    start->basis = mbd_arena_real(a, 2 * n * (n + 1));
    start->one_row = mbd_arena_real(a, n);
  }
  start->F = mbd_arena_real(a, (m + held + n) * np);
  start->f = mbd_arena_real(a, n * np);
  start->g = mbd_arena_real(a, m * np + 1);
  start->step = mbd_arena_real(a, n * np);
  start->rg = mbd_arena_real(a, m * np + 1);
  start->sides = mbd_arena_real(a, np);
  start->other.shift = mbd_arena_take(a, n * sizeof *start->other.shift);
  start->other.closest = mbd_arena_take(a, n * sizeof *start->other.closest);
  start->other.open = mbd_arena_take(a, n);
  branches_layout(s, a);
  /* What beams alone would settle to is no help: forces of a vehicle at speed may have no values at rest. */
  const int settles = steady_requested(s) && s->m->nhold_kept < s->m->nhold_given;
  if (s->c.start == MBD_START_EQUILIBRIUM || s->analysis->settles || settles) { equilibrium_layout(s, a); }
}

mbd_status start_create(mbd_sim *s, mbd_error *err) {
  sim_start *start = s->start = calloc(1, sizeof *start);
  if (!start) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the start"); }
  MBD_TRY(start_rows_create(s->held, s->np_max > 1 ? s->np_max : 1, &start->rows, err));
  while (mbd_arena_pass(&start->arena)) { layout(start, s, &start->arena); }
  MBD_TRY(mbd_arena_check(&start->arena, "the start", err));
  return steady_requested(s) ? steady_create(s, err) : MBD_OK;
}

void start_destroy(sim_start *start) {
  if (!start) { return; }
  mbd_blocks_destroy(start->rows);
  steady_destroy(start->steady);
  free(start->arena.base);
  free(start);
}

/* ---- the state ---- */

/* J zd = -phi_t of all rows, on their factors; the kept coordinates rest. */
static mbd_status start_velocity(mbd_sim *s, mbd_error *err) {
  const mbd_model *m = s->m;
  MBD_TRY(start_choose_rates(s, err));
  memset(s->start->F, 0, (size_t)start_rows(s) * sizeof *s->start->F);
  motion_phi_t(s->w, s->held, s->start->F);
  start_leave_following(s, 1, s->start->F);
  for (int i = 0; i < start_rows(s); i++) { s->start->F[i] = -s->start->F[i]; }
  mbd_blocks_solve(s->start->rows, 1, s->start->F, s->now.zd);
  double left = mbd_norm_inf(start_rows(s), s->start->F), speed = mbd_norm_inf(m->nz, s->now.zd);
  if (!(left <= 1e-8 * (1 + speed))) {
    const int worst = start_worst_row(s, start_rows(s));
    char row[START_ROW_LEFT];
    MBD_FAIL(err, MBD_NO_ASSEMBLY, "no velocities at the start satisfy all equations: %s",
             start_row_left(s, worst, mbd_first(s->start->F[worst]), "/s", row));
  }
  return MBD_OK;
}

/* M zdd + Phi_z' lam = -r(zdd = 0),   Phi_z zdd = -Phidd(zdd = 0) */
static mbd_status start_acceleration(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi;
  memset(s->now.zdd, 0, (size_t)n * sizeof *s->now.zdd);
  memset(s->now.lam, 0, (size_t)m * sizeof *s->now.lam);
  /* Constraints are evaluated without gravity, by which the ground would seem to accelerate; the residual with it. */
  motion_move(s->w, s->now.zd, s->now.zdd, 0);
  motion_phidd(s->w, s->eq, s->start->g);
  sim_leave_out(s, 1, s->start->g);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  motion_residual(s->w, s->start->f);
  if (isnan(mbd_norm_inf(n, s->start->f))) { MBD_TRY(start_check_forces(s, err)); }
  /* The factors are those of the formulation. */
  MBD_TRY(formulation_factor_motion(s, err));
  for (int j = 0; j < n; j++) { s->start->f[j] = -s->start->f[j]; }
  for (int i = 0; i < m; i++) { s->start->g[i] = -s->start->g[i]; }
  MBD_TRY(formulation_solve_motion(s, 1, s->start->f, s->start->g, s->now.zdd, s->now.lam, s->start->step, s->start->rg,
                                   err));
  if (sim_reactions_apart(s)) { memcpy(s->now.reaction, s->now.lam, (size_t)m * sizeof *s->now.lam); }
  if (isnan(mbd_norm_inf(n, s->now.zdd))) {
    MBD_FAIL(err, MBD_NOT_FINITE, "the accelerations of the start are not finite");
  }
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}

/* Checks that the equilibrium satisfies the rows that are still held, and that the same coordinates are free there as before. */
static mbd_status check_settled(mbd_sim *s, mbd_error *err) {
  const mbd_model *m = s->m;
  start_evaluate_rows(s);
  for (int i = m->nphi + m->nhold_kept; i < m->nphi + m->nhold_row; i++) { s->start->F[i] = 0; } /* these settle */
  const int worst = start_worst_row(s, start_rows(s));
  if (!(mbd_largest(s->start->F[worst]) <= start_held_to * (1 + mbd_norm_inf(m->nz, s->now.z)))) {
    char row[START_ROW_LEFT];
    MBD_FAIL(err, MBD_NO_ASSEMBLY, "no static equilibrium satisfies all equations: %s",
             start_row_left(s, worst, mbd_first(s->start->F[worst]), "", row));
  }
  if (!assembly_take_ranks(s)) {
    MBD_FAIL(err, MBD_SINGULAR,
             "static equilibrium: constraints and held quantities leave other coordinates free there than where the "
             "search begins");
  }
  return MBD_OK;
}

mbd_status start_steady(mbd_sim *s, mbd_error *err) {
  s->t = 0;
  MBD_TRY(assembly_close(s, err));
  MBD_TRY(start_check_singular(s, err));
  if (s->start->equilibrium) {
    MBD_TRY(equilibrium_state(s, err));
    MBD_TRY(start_factor_rows(s, err));
  }
  MBD_TRY(start_velocity(s, err));
  MBD_TRY(steady_state(s, err));
  /* The ranks at the position of the steady motion, and the velocity constraints that follow from others. */
  start_evaluate_rows(s);
  if (!assembly_take_ranks(s)) {
    MBD_FAIL(err, MBD_SINGULAR,
             "steady motion: constraints and held quantities leave other coordinates free there than where the search "
             "begins");
  }
  MBD_TRY(start_factor_rows(s, err));
  return start_choose_rates(s, err);
}

mbd_status start_state(mbd_sim *s, mbd_error *err) {
  if (!analysis_integrates(s->analysis)) { return s->analysis->start(s, err); }
  if (s->c.start == MBD_START_STEADY) {
    MBD_TRY(start_steady(s, err));
    return start_acceleration(s, err);
  }
  s->t = 0;
  MBD_TRY(assembly_close(s, err));
  MBD_TRY(start_check_singular(s, err));
  if (s->c.start == MBD_START_EQUILIBRIUM) {
    MBD_TRY(equilibrium_state(s, err));
    MBD_TRY(check_settled(s, err));
    MBD_TRY(start_factor_rows(s, err));
  }
  MBD_TRY(start_velocity(s, err));
  if (s->c.start == MBD_START_EQUILIBRIUM) { equilibrium_states(s->m, 1, s->now.z, s->now.zd); }
  return start_acceleration(s, err);
}
