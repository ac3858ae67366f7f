/* The start differentiated along directions: each of its systems is solved again with the same factors. Equations: theory.md §5.5 (5.9). */
#include <string.h>

#include "simulate/analysis.h"
#include "simulate/equilibrium.h"
#include "simulate/steady.h"

/* Solves the rows for x [nz][np] with the right-hand sides s->start->F, and warns if a residual shows that rows
 * contradict each other. */
static void solve_rows(mbd_sim *s, mbd_real *x) {
  memset(s->start->sides, 0, (size_t)s->np * sizeof *s->start->sides);
  start_column_sizes(start_rows(s), s->np, s->start->F, s->start->sides);
  mbd_blocks_solve(s->start->rows, s->np, s->start->F, x);
  start_check_remainder(s, start_rows(s), s->start->F, s->start->sides);
}

/* J z' = -F_theta */
void start_sens_position(mbd_sim *s) {
  const motion_terms e = {.rows = s->held};
  const int np = s->np;
  mbd_real *b = s->start->F;
  memset(b, 0, (size_t)start_rows(s) * (size_t)np * sizeof *b);
  for (int k = 0; k < np; k++) {
    sim_vary(s, k);
    motion_direction(s->w, &e, NULL, s->start->dphi, NULL, NULL);
    sens_subtract(s->held.nrow, np, k, s->start->dphi, b);
    start_free_sens(s, k, b + s->held.nrow * np);
  }
  solve_rows(s, s->sens.z);
}

/* J zd' = -(d/dz(rates) z' + rates_theta); zero for the kept coordinates */
void start_sens_velocity(mbd_sim *s) {
  const motion_terms e = {.rows = s->held};
  const int np = s->np;
  mbd_real *b = s->start->F;
  memset(b, 0, (size_t)start_rows(s) * (size_t)np * sizeof *b);
  for (int k = 0; k < np; k++) {
    sim_vary_motion(s, k, s->sens.z, NULL);
    motion_direction(s->w, &e, NULL, NULL, s->start->dphid, NULL);
    sens_subtract(s->held.nrow, np, k, s->start->dphid, b);
  }
  start_leave_following(s, np, b);
  solve_rows(s, s->sens.zd);
}

/* M zdd' + Phi_z' lam' = -(K z' + C zd' + r_theta),  Phi_z zdd' = -(Phidd_z z' + Phidd_zd zd' + Phidd_theta) */
static mbd_status sens_acceleration(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi, np = s->np;
  const motion_terms e = motion_equations(s->eq, s->now.lam);
  memset(s->start->f, 0, (size_t)n * (size_t)np * sizeof *s->start->f);
  memset(s->start->g, 0, (size_t)m * (size_t)np * sizeof *s->start->g);
  for (int k = 0; k < np; k++) {
    sim_vary_motion(s, k, s->sens.z, s->sens.zd);
    motion_direction(s->w, &e, s->start->dr, NULL, NULL, s->start->dphidd);
    sens_subtract(n, np, k, s->start->dr, s->start->f);
    sens_subtract(m, np, k, s->start->dphidd, s->start->g);
  }
  sim_leave_out(s, np, s->start->g);
  MBD_TRY(formulation_factor_motion(s, err));
  memset(s->sens.lam, 0, (size_t)m * (size_t)np * sizeof *s->sens.lam);
  MBD_TRY(formulation_solve_motion(s, np, s->start->f, s->start->g, s->sens.zdd, s->sens.lam, s->start->step,
                                   s->start->rg, err));
  if (sim_reactions_apart(s)) { memcpy(s->sens.reaction, s->sens.lam, (size_t)m * (size_t)np * sizeof *s->sens.lam); }
  return MBD_OK;
}

mbd_status start_sens(mbd_sim *s, mbd_error *err) {
  if (!analysis_integrates(s->analysis)) { return s->analysis->sens(s, err); }
  if (s->c.start == MBD_START_STEADY) {
    MBD_TRY(steady_sens(s, err));
    motion_move(s->w, s->now.zd, s->now.zdd, 1);
    return sens_acceleration(s, err);
  }
  const int settles = s->c.start == MBD_START_EQUILIBRIUM;
  if (settles) { MBD_TRY(equilibrium_sens(s, err)); } /* which computes z' */
  MBD_TRY(start_factor_rows(s, err));
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  if (!settles) { start_sens_position(s); }
  MBD_TRY(start_factor_rates(s, err));
  start_sens_velocity(s);
  if (settles) { equilibrium_states(s->m, s->np, s->sens.z, s->sens.zd); }
  return sens_acceleration(s, err);
}
