/* The start (THEORY.md 5): positions from Phi = 0 and the held quantities, velocities likewise, accelerations and
 * multipliers from the equations of motion; and the derivatives of all of it.
 *
 * Rows of the assembly: Phi, the held quantities, and coordinates that neither fixes, which keep their guess. Redundant
 * rows are allowed: corrections are least squares, J'J dz = -J'F, in blocks (start_rows.h). */
#include <string.h>

#include "kinematics/sweep.h"
#include "simulate/sim.h"

enum { ASSEMBLY_ITERATIONS = 60 };

static const double rank_tolerance = 1e-9;

int start_rows(const mbd_sim *s) {
  return s->m->nphi + s->m->nhold_row + s->nfree;
}

/* First of the four Euler parameters that coordinate j is one of; -1: it is none. */
static int euler_of(const mbd_model *m, int j) {
  const int body = m->z_body[j], e = body < 0 ? -1 : m->joint[m->body[body].joint].ops->euler;
  if (e < 0) { return -1; }
  const int first = m->body[body].z0 + e;
  return j >= first && j < first + 4 ? first : -1;
}

static mbd_real given_guess(const mbd_sim *s, int j) {
  if (s->m->z_guess[j] >= 0) { return s->p->theta[s->m->z_guess[j]]; }
  return euler_of(s->m, j) == j;
}

/* What the guess of coordinate j is divided by: guesses of Euler parameters may have any length. (Those of none are left to
 * the assembly, which says what is wrong.) */
static mbd_real guess_length(const mbd_sim *s, int j) {
  const int first = euler_of(s->m, j);
  mbd_real sum = 0;
  if (first < 0) { return 1; }
  for (int i = first; i < first + 4; i++) { sum += given_guess(s, i) * given_guess(s, i); }
  return mbd_re(sum) > 0 ? mbd_sqrt(sum) : 1;
}

static mbd_real guess(const mbd_sim *s, int j) {
  return given_guess(s, j) / guess_length(s, j);
}

int start_guess_slopes(const mbd_sim *s, int j, int *coef, mbd_real *slope) {
  const int first = euler_of(s->m, j), from = first < 0 ? j : first, to = first < 0 ? j + 1 : first + 4;
  int n = 0;
  for (int i = from; i < to; i++) {
    if (s->m->z_guess[i] < 0) { continue; }
    coef[n] = s->m->z_guess[i];
    slope[n++] = first < 0 ? 1 : ((i == j) - guess(s, i) * guess(s, j)) / guess_length(s, j);
  }
  return n;
}

void start_free_values(const mbd_sim *s, mbd_real *F) {
  for (int i = 0; i < s->nfree; i++) { F[i] = s->now.z[s->free_z[i]] - guess(s, s->free_z[i]); }
}

void start_free_sens(const mbd_sim *s, int k, mbd_real *b) {
  for (int i = 0; i < s->nfree; i++) {
    int coef[4];
    mbd_real slope[4];
    const int n = start_guess_slopes(s, s->free_z[i], coef, slope);
    for (int g = 0; g < n; g++) { b[i * s->np + k] += slope[g] * s->d[k]->dtheta[coef[g]]; }
  }
}

/* F and J at the present positions. */
static void assembly_rows(mbd_sim *s) {
  const mbd_model *m = s->m;
  mbd_blocks *q = s->rows;
  sweep_position(s->p, s->w, s->now.z);
  mbd_blocks_clear(q);
  eq_phi_z_rows(s->p, s->w, s->eq, s->t, s->F, q->row, q->at);
  eq_phi_z_rows(s->p, s->w, s->holds, s->t, s->F + m->nphi, q->row + m->nphi, q->at);
  start_free_values(s, s->F + m->nphi + m->nhold_row);
}

/* Which coordinates do Phi and the held quantities leave free? Those keep their guess. */
static void choose_free(mbd_sim *s) {
  const mbd_model *m = s->m;
  s->nfree = 0;
  assembly_rows(s);
  s->rank = mbd_blocks_rank(s->rows, m->nphi, rank_tolerance, s->row, s->free_z);
  const int rank = mbd_blocks_rank(s->rows, m->nphi + m->nhold_row, rank_tolerance, s->all_rows, s->free_z);
  s->nfree = m->nz - rank;
  memmove(s->free_z, s->free_z + rank, (size_t)s->nfree * sizeof *s->free_z);
  mbd_blocks_keep(s->rows, s->nfree, s->free_z);
}

mbd_status start_factor_rows(mbd_sim *s, mbd_error *err) {
  assembly_rows(s);
  if (mbd_blocks_factor(s->rows) != MBD_OK) {
    MBD_FAIL(err, MBD_SINGULAR, "the start is singular: constraints and held quantities do not fix all coordinates");
  }
  return MBD_OK;
}

static const char *row_name(const mbd_sim *s, int row) {
  const mbd_model *m = s->m;
  if (row < m->nphi) { return m->phi_name[row]; }
  row -= m->nphi;
  if (row < m->nhold_row) { return m->hold[row].name; } /* one row each */
  return m->z_name[s->free_z[row - m->nhold_row]];
}

static mbd_status not_assembled(const mbd_sim *s, mbd_error *err) {
  int worst = 0;
  for (int i = 1; i < start_rows(s); i++) {
    if (mbd_absre(s->F[i]) > mbd_absre(s->F[worst]) || isnan(mbd_re(s->F[i]))) { worst = i; }
  }
  MBD_FAIL(err, MBD_NO_ASSEMBLY,
           "the mechanism cannot be assembled: %d iterations leave equation '%s' at %.3g (the loops cannot be closed "
           "for these dimensions, held quantities contradict them, or the guesses are too far away)",
           ASSEMBLY_ITERATIONS, row_name(s, worst), mbd_re(s->F[worst]));
}

/* Gauss-Newton with steps of at most 1 in any coordinate, so that far guesses do not throw angles about. */
static mbd_status assemble(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz;
  int after = 0;
  for (int j = 0; j < n; j++) { s->now.z[j] = guess(s, j); }
  choose_free(s);
  for (int it = 0; it < ASSEMBLY_ITERATIONS; it++) {
    MBD_TRY(start_factor_rows(s, err));
    double F = mbd_norm_inf(start_rows(s), s->F);
    if (isnan(F)) { MBD_FAIL(err, MBD_NOT_FINITE, "an equation of the start is not finite"); }
    mbd_blocks_solve(s->rows, 1, s->F, s->dz);
    double step = mbd_norm_inf(n, s->dz), limit = step > 1 ? 1 / step : 1;
    for (int j = 0; j < n; j++) { s->now.z[j] -= limit * s->dz[j]; }
    if (isnan(step)) { return not_assembled(s, err); }
    if (after || (step <= 1e-10 * (1 + mbd_norm_inf(n, s->now.z)) && F <= 1e-8)) {
      if (after++ > EXTRA_ITERATIONS) { return MBD_OK; }
    } else if (step <= 1e-13) { /* stuck where the equations do not hold */
      break;
    }
  }
  assembly_rows(s);
  return not_assembled(s, err);
}

/* J zd = -phi_t of all rows; the kept coordinates rest. */
static mbd_status start_velocity(mbd_sim *s, mbd_error *err) {
  const mbd_model *m = s->m;
  MBD_TRY(start_factor_rows(s, err));
  memset(s->F, 0, (size_t)start_rows(s) * sizeof *s->F);
  eq_time(s->p, s->w, s->eq, s->t, s->F);
  eq_time(s->p, s->w, s->holds, s->t, s->F + m->nphi);
  for (int i = 0; i < start_rows(s); i++) { s->F[i] = -s->F[i]; }
  mbd_blocks_solve(s->rows, 1, s->F, s->now.zd);
  double left = mbd_norm_inf(start_rows(s), s->F), speed = mbd_norm_inf(m->nz, s->now.zd);
  if (!(left <= 1e-8 * (1 + speed))) {
    int worst = 0;
    for (int i = 1; i < start_rows(s); i++) {
      if (mbd_absre(s->F[i]) > mbd_absre(s->F[worst])) { worst = i; }
    }
    MBD_FAIL(err, MBD_NO_ASSEMBLY, "the velocities of the start contradict each other: equation '%s' is left at %.3g",
             row_name(s, worst), mbd_re(s->F[worst]));
  }
  return MBD_OK;
}

mbd_status start_factor_mass(mbd_sim *s, mbd_saddle *q, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi;
  eq_phi_z(s->p, s->w, s->eq, s->t, NULL, s->Phi_z);
  dyn_mass(s->w, s->M);
  sim_pack_phi(s);
  *q = (mbd_saddle){.n = n,
                    .m = m,
                    .A = s->M,
                    .Phi = s->Phi_z,
                    .lu = &s->P_lu,
                    .alpha = mbd_saddle_penalty(n, m, s->M, s->Phi_z),
                    .weak = &s->weak,
                    .at_least = EXTRA_ITERATIONS};
  return sim_factor(s, s->M, q->alpha, &s->P_lu,
                    "the start is singular: some coordinate has neither mass nor a constraint", err);
}

mbd_status start_factor_motion(mbd_sim *s, mbd_error *err) {
  return s->ops->factor_motion ? s->ops->factor_motion(s, err) : start_factor_mass(s, &s->motion, err);
}

void start_solve_motion(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y, mbd_real *dx,
                        mbd_real *rg) {
  if (s->ops->factor_motion) {
    s->ops->solve_motion(s, k, f, g, x, y);
  } else {
    mbd_saddle_solve(&s->motion, k, f, g, x, y, dx, rg);
  }
}

/* M zdd + Phi_z' lam = -r(zdd = 0),   Phi_z zdd = -Phidd(zdd = 0) */
static mbd_status start_acceleration(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi;
  memset(s->now.zdd, 0, (size_t)n * sizeof *s->now.zdd);
  memset(s->now.lam, 0, (size_t)m * sizeof *s->now.lam);
  sweep_motion(s->p, s->w, s->now.zd, s->now.zdd, 0);
  eq_phidd(s->p, s->w, s->eq, s->t, s->gam);
  sweep_motion(s->p, s->w, s->now.zd, s->now.zdd, 1);
  dyn_residual(s->p, s->w, s->t, DYN_INERTIA | DYN_FORCES, s->r);
  MBD_TRY(start_factor_motion(s, err));
  for (int j = 0; j < n; j++) { s->r[j] = -s->r[j]; }
  for (int i = 0; i < m; i++) { s->gam[i] = -s->gam[i]; }
  start_solve_motion(s, 1, s->r, s->gam, s->now.zdd, s->now.lam, s->dz, s->dlam);
  if (isnan(mbd_norm_inf(n, s->now.zdd))) {
    MBD_FAIL(err, MBD_NOT_FINITE, "the accelerations of the start are not finite");
  }
  sweep_motion(s->p, s->w, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}

mbd_status start_state(mbd_sim *s, mbd_error *err) {
  s->t = 0;
  MBD_TRY(assemble(s, err));
  if (s->c.start == MBD_START_EQUILIBRIUM) { MBD_TRY(settle_state(s, err)); }
  MBD_TRY(start_velocity(s, err));
  return start_acceleration(s, err);
}

/* ---- derivatives ---- */

/* b := -F_theta, rows of positions */
static void position_side(mbd_sim *s, mbd_real *b) {
  const mbd_model *m = s->m;
  const int np = s->np;
  memset(b, 0, (size_t)start_rows(s) * (size_t)np * sizeof *b);
  for (int k = 0; k < np; k++) {
    const mbd_variation *v = sim_vary(s, k);
    eq_direction(s->p, s->d[k], s->w, v, s->eq, s->t, s->dphi, NULL, NULL);
    sens_subtract(m->nphi, np, k, s->dphi, b);
    eq_direction(s->p, s->d[k], s->w, v, s->holds, s->t, s->dphi, NULL, NULL);
    sens_subtract(m->nhold_row, np, k, s->dphi, b + m->nphi * np);
    start_free_sens(s, k, b + (m->nphi + m->nhold_row) * np);
  }
}

/* b := -(d/dz(rates) z' + rates_theta); the kept coordinates rest */
static void velocity_side(mbd_sim *s, mbd_real *b) {
  const mbd_model *m = s->m;
  const int np = s->np;
  memset(b, 0, (size_t)start_rows(s) * (size_t)np * sizeof *b);
  for (int k = 0; k < np; k++) {
    const mbd_variation *v = sim_vary_motion(s, k, s->sens.z, NULL);
    eq_direction(s->p, s->d[k], s->w, v, s->eq, s->t, s->dphi, s->dphid, NULL);
    sens_subtract(m->nphi, np, k, s->dphid, b);
    eq_direction(s->p, s->d[k], s->w, v, s->holds, s->t, s->dphi, s->dphid, NULL);
    sens_subtract(m->nhold_row, np, k, s->dphid, b + m->nphi * np);
  }
}

/* J z' = -F_theta,   J zd' = -(d/dz(rates) z' + rates_theta) */
static mbd_status sens_position_velocity(mbd_sim *s, mbd_error *err) {
  MBD_TRY(start_factor_rows(s, err));
  sweep_motion(s->p, s->w, s->now.zd, s->now.zdd, 1);
  sweep_columns(s->p, s->w);
  if (s->c.start != MBD_START_EQUILIBRIUM) { /* else settled already */
    position_side(s, s->F);
    mbd_blocks_solve(s->rows, s->np, s->F, s->sens.z);
  }
  velocity_side(s, s->F);
  mbd_blocks_solve(s->rows, s->np, s->F, s->sens.zd);
  return MBD_OK;
}

/* M zdd' + Phi_z' lam' = -(K z' + C zd' + r_theta),  Phi_z zdd' = -(Phidd_z z' + Phidd_zd zd' + Phidd_theta) */
static mbd_status sens_acceleration(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi, np = s->np;
  memset(s->B, 0, (size_t)n * (size_t)np * sizeof *s->B);
  memset(s->G, 0, (size_t)m * (size_t)np * sizeof *s->G);
  for (int k = 0; k < np; k++) {
    const mbd_variation *v = sim_vary_motion(s, k, s->sens.z, s->sens.zd);
    dyn_direction(s->p, s->d[k], s->w, v, s->t, DYN_INERTIA | DYN_FORCES | DYN_OPEN, s->dr);
    eq_reaction_direction(s->p, s->d[k], s->w, v, s->eq, s->t, s->now.lam, s->dr);
    sens_subtract(n, np, k, s->dr, s->B);
    eq_direction(s->p, s->d[k], s->w, v, s->eq, s->t, s->dphi, s->dphid, s->dphidd);
    sens_subtract(m, np, k, s->dphidd, s->G);
  }
  MBD_TRY(start_factor_motion(s, err));
  memset(s->sens.lam, 0, (size_t)m * (size_t)np * sizeof *s->sens.lam);
  start_solve_motion(s, np, s->B, s->G, s->sens.zdd, s->sens.lam, s->V0, s->E);
  return MBD_OK;
}

mbd_status start_sens(mbd_sim *s, mbd_error *err) {
  if (s->c.start == MBD_START_EQUILIBRIUM) { MBD_TRY(settle_sens(s, err)); }
  MBD_TRY(sens_position_velocity(s, err));
  return sens_acceleration(s, err);
}
