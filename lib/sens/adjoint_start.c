/* The adjoint of the start: the transposes of start_sens and equilibrium_sens (start.c, equilibrium.c), theory.md §5.5 (5.9), in reverse order.
 *
 * acceleration  [M Phi_z'; Phi_z 0] [mu; nu] = [by zdd; by lam]:  everything loses the derivative of
 *               mu . (r + Phi_z' lam) + nu . Phidd
 * velocity      b = J (J'J)^-1 (by zd), a weight on every row's rate:  everything gains that of -b . (rates)
 * position      the same of z and the rows; or of static equilibrium,  [K' J'; J 0] [mu; nu] = [by z; 0]:  the coefficients
 *               lose the derivative of mu . (r + J' y) + nu . rows */
#include <string.h>

#include "objective/objectives.h"
#include "sens/adjoint.h"
#include "simulate/equilibrium.h"

static mbd_status acceleration_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi, np = a->npsi;
  /* adjoint_solve for the motion at the start. */
  MBD_TRY(formulation_factor_motion(s, err));
  sim_leave_out(s, np, a->lam);
  adjoint_scale(a, n, m, a->zdd, a->lam);
  adjoint_zero((size_t)m * (size_t)np, a->nu);
  MBD_TRY(formulation_solve_motion(s, np, a->zdd, a->lam, a->mu, a->nu, a->dx, a->rg, err));
  adjoint_unscale(a, n, m, a->zdd, a->lam);
  adjoint_reverse_motion(s, a); /* beside the objectives, in the same reverse sweeps */
  adjoint_read(s, a, 1, a->zd);
  return MBD_OK;
}

/* weight [rows] of objective k: J (J'J)^-1 x */
static void row_weights(mbd_sim *s, sim_adjoint *a, int k, const mbd_real *x, mbd_real *weight) {
  adjoint_get(s->m->nz, a->npsi, k, 1, x, a->column);
  mbd_blocks_weights(s->start->rows, a->column, weight);
}

static void negate(int n, mbd_real *x) {
  for (int i = 0; i < n; i++) { x[i] = -x[i]; }
}

static void velocity_back(mbd_sim *s, sim_adjoint *a) {
  if (s->c.start == MBD_START_EQUILIBRIUM) { equilibrium_states_back(s->m, a); }
  for (int k = 0; k < a->npsi; k++) {
    row_weights(s, a, k, a->zd, a->row);
    negate(start_rows(s), a->row);
    motion_reverse_rows(&a->reverse[k], s->held, NULL, a->row, NULL);
  }
  adjoint_read(s, a, 0, a->z);
  adjoint_read_joints(a);
}

static void position_back(mbd_sim *s, sim_adjoint *a) {
  adjoint_begin(s, a);
  for (int k = 0; k < a->npsi; k++) {
    row_weights(s, a, k, a->z, a->row);
    start_free_back(s, a->row + s->held.nrow, a->theta[k]);
    negate(start_rows(s), a->row);
    motion_reverse_rows(&a->reverse[k], s->held, a->row, NULL, NULL);
  }
  adjoint_read_joints(a);
}

/* Rows that depend on each other say something together that no motion changes: w . rows with J'w = 0, here w as what a solution leaves of
 * any right-hand side g. Where it depends on a coefficient, the rows contradict each other when that varies alone. */
static void any_right_hand_side(int n, mbd_real *g) {
  for (int i = 0; i < n; i++) { g[i] = (i * 37 % 101 - 50.25) / 101; }
}

/* How w . rows depends on the coefficients, with w in a->row. */
static void contradiction_back(mbd_sim *s, sim_adjoint *a, motion_rows rows) {
  const int n = rows.nrow;
  adjoint_pass *pass = adjoint_of(s);
  params_reverse *theta = pass->contradiction;
  int max = 0;
  for (int i = 1; i < n; i++) { max = mbd_largest(a->row[i]) > mbd_largest(a->row[max]) ? i : max; }
  if (n == 0 || !(mbd_largest(a->row[max]) > 1e-6)) { return; }
  pass->contradicted = max, pass->contradiction_size = mbd_largest(a->row[max]);
  params_reverse_clear(theta);
  reverse_begin(&a->reverse[0], s->w, theta);
  motion_reverse_rows(&a->reverse[0], rows, a->row, NULL, NULL);
  reverse_joints(&a->reverse[0]);
  params_reverse_finish(theta, s->p);
}

/* w = g - J x with the x of least squares:  [K J'; J 0] [x; y] = [0; g]. If the system cannot be solved for this g, nothing is concluded. */
static void equilibrium_contradiction(mbd_sim *s, sim_adjoint *a) {
  const motion_rows rows = equilibrium_rows(s);
  sim_equilibrium *equilibrium = s->start->equilibrium;
  const int n = s->m->nz, nrow = equilibrium_all_rows(s);
  memset(equilibrium->r, 0, (size_t)n * sizeof *equilibrium->r);
  memset(equilibrium->F, 0, (size_t)nrow * sizeof *equilibrium->F);
  memset(equilibrium->dy, 0, (size_t)nrow * sizeof *equilibrium->dy);
  any_right_hand_side(rows.nrow, equilibrium->F);
  if (mbd_saddle_solve(&equilibrium->system, 1, equilibrium->r, equilibrium->F, equilibrium->dz, equilibrium->dy,
                       equilibrium->step, equilibrium->left, NULL) != MBD_OK) {
    return;
  }
  memcpy(a->row, equilibrium->F, (size_t)nrow * sizeof *a->row);
  mbd_mul_add(nrow, n, 1, -1, equilibrium->J, equilibrium->dz, a->row);
  contradiction_back(s, a, rows);
}

mbd_status adjoint_start(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  quadrature_outputs(s);
  quadrature_weights(s, 0, sim_weight(s, 0), 0);
  for (size_t i = 0; s->scheme.has_acc && i < (size_t)s->m->nz * (size_t)a->npsi; i++) { a->zdd[i] += a->acc[i]; }
  adjoint_stretch(s, a, 1, s->now.zd, a->zd);
  adjoint_stretch(s, a, 2, s->now.zdd, a->zdd);
  adjoint_outputs(s, a);
  adjoint_step_to_state(s, a);
  adjoint_read(s, a, 2, a->zdd);
  MBD_TRY(acceleration_back(s, a, err));
  return adjoint_start_motion(s, a, err);
}

/* Along a direction the parts of its coefficients cancel if the rows agree on it; where none of them has a part, what is left is
 * rounding. */
static int contradicts(const adjoint_pass *pass, int n, const int *index, const double *value) {
  double sum = 0, size = 0, change = 0;
  for (int i = 0; i < n; i++) {
    const double part = value[i] * mbd_first(pass->contradiction->theta[index[i]]);
    sum += part, size += fabs(part), change += fabs(value[i]);
  }
  return size > 1e-9 * pass->contradiction_size * change && fabs(sum) > 1e-6 * size;
}

void mbd_sim_check_directions(mbd_sim *s, int n, const char *const *name, const int *start, const int *index,
                              const double *value) {
  const adjoint_pass *pass = adjoint_of(s);
  for (int k = 0; pass && pass->contradicted >= 0 && k < n; k++) {
    if (!contradicts(pass, start[k + 1] - start[k], index + start[k], value + start[k])) { continue; }
    start_warn_contradiction(s, name[k], pass->contradicted);
    return;
  }
}

mbd_status adjoint_start_motion(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  MBD_TRY(start_factor_rows(s, err)); /* places the motion anew */
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  MBD_TRY(start_factor_rates(s, err));
  velocity_back(s, a);
  if (s->m->nvelocity > 0) { MBD_TRY(start_factor_rows(s, err)); }
  adjoint_of(s)->contradicted = -1;
  if (s->c.start == MBD_START_EQUILIBRIUM) {
    MBD_TRY(equilibrium_system(s, err));
    MBD_TRY(equilibrium_solve_back(s, a, NULL, err));
    equilibrium_contradiction(s, a);
    return MBD_OK;
  }
  position_back(s, a);
  /* w: what the solution of the assembly's rows leaves of any right-hand side. */
  memset(a->row, 0, (size_t)start_rows(s) * sizeof *a->row);
  any_right_hand_side(s->held.nrow, a->row);
  mbd_blocks_solve(s->start->rows, 1, a->row, s->start->dz);
  contradiction_back(s, a, s->held);
  return MBD_OK;
}
