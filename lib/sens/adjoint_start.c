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
#include "simulate/steady.h"

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

static const double consistent = 1e-6; /* a smaller part of a row in w is rounding */

/* How w . rows depends on the coefficients. */
static void combination_back(mbd_sim *s, const mbd_real *w) {
  adjoint_pass *pass = adjoint_of(s);
  mbd_reverse *reverse = &pass->at.reverse[0];
  params_reverse_clear(pass->contradiction);
  reverse_begin(reverse, s->w, pass->contradiction);
  motion_reverse_rows(reverse, pass->rows, w, NULL, NULL);
  reverse_joints(reverse);
  params_reverse_finish(pass->contradiction, s->p);
}

/* The same of w in a->row, where it stays: what the solution of the assembly's rows leaves of any right-hand side. In an equilibrium quantities that
 * settle are not held; if they were redundant with the rows, nothing is concluded. */
void adjoint_contradiction(mbd_sim *s, sim_adjoint *a) {
  adjoint_pass *pass = adjoint_of(s);
  const int settles = s->c.start == MBD_START_EQUILIBRIUM;
  pass->rows = settles ? motion_with_holds(s->m, s->m->nhold_kept) : s->held;
  pass->contradicted = 0, pass->contradiction_size = 0;
  memset(a->row, 0, (size_t)start_rows(s) * sizeof *a->row);
  any_right_hand_side(pass->rows.nrow, a->row);
  mbd_blocks_solve(s->start->rows, 1, a->row, s->start->dz);
  for (int i = 0; i < s->held.nrow; i++) {
    if (!(mbd_largest(a->row[i]) > consistent)) { a->row[i] = 0; }
    if (i >= pass->rows.nrow && mbd_any(mbd_largest(a->row[i]) > 0)) { return; }
    pass->contradiction_size = fmax(pass->contradiction_size, mbd_largest(a->row[i]));
  }
  pass->contradicted = pass->contradiction_size > 0;
  if (pass->contradicted) { combination_back(s, a->row); }
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
  return adjoint_start_state(s, a, err);
}

mbd_status adjoint_start_state(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  adjoint_read(s, a, 2, a->zdd);
  MBD_TRY(acceleration_back(s, a, err));
  return adjoint_start_motion(s, a, err);
}

/* The change of the combination along a direction. Its parts cancel if the rows agree on it; where none of the coefficients has a part, what
 * is left is rounding. */
static double combination_along(const mbd_sim *s, int n, const int *index, const double *value) {
  const adjoint_pass *pass = adjoint_of(s);
  double sum = 0, size = 0, change = 0;
  for (int i = 0; i < n; i++) {
    const double part = value[i] * sim_of(s, pass->contradiction->theta[index[i]]);
    sum += part, size += fabs(part), change += fabs(value[i]);
  }
  return size > 1e-9 * pass->contradiction_size * change && fabs(sum) > 1e-6 * size ? fabs(sum) : 0;
}

/* The change of the part that these rows have in the combination. */
static double rows_along(mbd_sim *s, int nrow, const int *row, int n, const int *index, const double *value) {
  const adjoint_pass *pass = adjoint_of(s);
  mbd_real *part = s->start->F;
  memset(part, 0, (size_t)pass->rows.nrow * sizeof *part);
  for (int i = 0; i < nrow; i++) {
    if (row[i] < pass->rows.nrow) { part[row[i]] = pass->at.row[row[i]]; }
  }
  combination_back(s, part);
  return combination_along(s, n, index, value);
}

/* Rows of different blocks share no coordinate: of the block whose part of the combination changes most along a direction, the row whose part
 * does. */
static int contradicted_row(mbd_sim *s, int n, const int *index, const double *value) {
  const mbd_blocks *blocks = s->start->rows;
  const mbd_block *block = NULL;
  double max = 0;
  int row = 0;
  motion_place(s->w, s->p, 0, s->now.z);
  for (int b = 0; b < blocks->n; b++) {
    const double change = rows_along(s, blocks->block[b].nrow, blocks->block[b].row, n, index, value);
    if (change > max) { max = change, block = &blocks->block[b]; }
  }
  max = 0;
  for (int i = 0; block && i < block->nrow; i++) {
    const double change = rows_along(s, 1, &block->row[i], n, index, value);
    if (change > max) { max = change, row = block->row[i]; }
  }
  return row;
}

void mbd_sim_check_directions(mbd_sim *s, int n, const char *const *name, const int *start, const int *index,
                              const double *value) {
  const adjoint_pass *pass = adjoint_of(s);
  for (int k = 0; pass && pass->contradicted && k < n; k++) {
    const int i = start[k], count = start[k + 1] - i;
    if (combination_along(s, count, index + i, value + i) == 0) { continue; }
    start_warn_contradiction(s, name[k], contradicted_row(s, count, index + i, value + i));
    combination_back(s, pass->at.row); /* again that of all rows, for another design */
    return;
  }
}

mbd_status adjoint_start_motion(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  if (s->c.start == MBD_START_STEADY) {
    adjoint_read(s, a, 0, a->z);
    adjoint_read_joints(a);
    adjoint_zero((size_t)s->m->nz * (size_t)a->npsi, a->zdd);
    adjoint_of(s)->contradicted = 0;
    return steady_back(s, a, NULL, NULL, err);
  }
  MBD_TRY(start_factor_rows(s, err)); /* places the motion anew */
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  MBD_TRY(start_factor_rates(s, err));
  velocity_back(s, a);
  if (s->m->nvelocity > 0) { MBD_TRY(start_factor_rows(s, err)); }
  if (s->c.start == MBD_START_EQUILIBRIUM) {
    MBD_TRY(equilibrium_system(s, err));
    MBD_TRY(equilibrium_solve_back(s, a, NULL, err));
  } else {
    position_back(s, a);
  }
  adjoint_contradiction(s, a);
  return MBD_OK;
}
