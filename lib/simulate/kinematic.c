/* Kinematic analysis (theory.md §5.6): drives y(z) = s(t), which are rows of Phi as the constraints are, leave the mechanism no freedom.
 * So every node follows from its time:
 *   Phi(z, t) = 0                        Newton, from the previous node
 *   Phi_z zd  = -phi_t
 *   Phi_z zdd = -Phidd(z, zd, zdd = 0)
 *   Phi_z' lam = -r(z, zd, zdd)          what a drive must exert is minus its multiplier
 * States follow from their rates, from node to node (objective/node_states.h); their coordinates are kept where they are (model/state.h).
 * Rows may be redundant: Phi_z has full column rank, and all of its systems are those of least squares, or of least norm, on the same
 * factors (la/blocks.h). Where each coordinate has its own drive, the systems are scalar equations, and a node costs
 * one evaluation of the residual. */
#include "simulate/kinematic.h"

#include "objective/node_states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rates_hold_to = 1e-8; /* relative to 1 + the right-hand sides */

/* Returns how many numbers J has in all blocks; *packed: in the largest packed block; *largest: the most columns of a
 * block. */
static size_t entries(const mbd_blocks *blocks, size_t *packed, int *largest) {
  size_t n = 0;
  *packed = 0, *largest = 1;
  for (int i = 0; i < blocks->n; i++) {
    const size_t size = (size_t)blocks->block[i].nrow * (size_t)blocks->block[i].ncol;
    n += size;
    if (blocks->block[i].sparse && size > *packed) { *packed = size; }
    if (blocks->block[i].ncol > *largest) { *largest = blocks->block[i].ncol; }
  }
  return n;
}

static void layout(kinematic *run, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi;
  size_t packed;
  int largest;
  MBD_ARENA_REALS(arena, n, &run->u, &run->zero_rates, &run->loose, &run->from, &run->pointed);
  MBD_ARENA_REALS(arena, m + n, &run->Y);
  run->J_before = mbd_arena_real(arena, entries(s->start->rows, &packed, &largest));
  run->unpacked = mbd_arena_real(arena, packed);
  run->turn = mbd_arena_real(arena, (size_t)largest * (size_t)largest);
  run->piv = mbd_arena_take(arena, n * sizeof *run->piv);
}

static mbd_status create(mbd_sim *s, mbd_error *err) {
  kinematic *run = s->memory = calloc(1, sizeof *run);
  if (!run) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a kinematic case"); }
  while (mbd_arena_pass(&run->arena)) { layout(run, s, &run->arena); }
  run->constant = motion_rows_constant(s->m);
  return mbd_arena_check(&run->arena, "a kinematic case", err);
}

static void destroy(mbd_sim *s) {
  kinematic *run = s->memory;
  if (!run) { return; }
  free(run->arena.base);
  free(run);
}

/* Solves Phi_z x = -b, of a rate per second or per second squared; b becomes the residual, *max at least its largest entry. */
static mbd_status solve_rates(mbd_sim *s, mbd_real *b, mbd_real *x, const char *what, const char *per, double *max,
                              mbd_error *err) {
  const int m = s->eq.nrow;
  for (int i = 0; i < m; i++) { b[i] = -b[i]; }
  kinematic_clear_kept(s, 1, b);
  const double size = mbd_norm_inf(m, b);
  mbd_blocks_solve(s->start->rows, 1, b, x);
  const double left = mbd_norm_inf(m, b);
  *max = fmax(*max, left);
  if (left <= rates_hold_to * (1 + size)) { return MBD_OK; }
  char row[START_ROW_LEFT];
  MBD_FAIL(err, MBD_SINGULAR, "no %s satisfy all drives and constraints: equation %s", what,
           start_row_left(s, start_worst_row(s, m), left, per, row));
}

/* Computes zd, zdd and lam at the current position, whose rows are factored. */
static mbd_status rates_and_forces(mbd_sim *s, mbd_error *err) {
  mbd_real *b = s->start->F;
  motion_phi_t(s->w, s->eq, b);
  MBD_TRY(solve_rates(s, b, s->now.zd, "velocities", "/s", &s->stats.phid, err));
  motion_move(s->w, s->now.zd, kinematic_of(s)->zero_rates, 0);
  motion_phidd(s->w, s->eq, b);
  MBD_TRY(solve_rates(s, b, s->now.zdd, "accelerations", "/s^2", &s->stats.phidd, err));
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  MBD_TRY(node_states_solve(s, &s->node_states->acting, s->now.lam, err)); /* their rates do not depend on lam */
  kinematic_forces(s);
  return MBD_OK;
}

/* Finds whether the drives are the cause of a failed assembly, at the closest position. If the rows determine all coordinates there, and
 * there are more rows than that, they contradict each other. */
static mbd_status not_assembled(mbd_sim *s, mbd_status status, mbd_error *err) {
  if (status == MBD_NO_ASSEMBLY) { return kinematic_undetermined(s) ? status : kinematic_check_too_many(s, err); }
  if (status != MBD_SINGULAR) { return status; }
  MBD_FAIL(
      err, MBD_SINGULAR,
      "the mechanism starts at a singular position, a dead point of its drives, where they do not determine how it "
      "moves; expected drives that begin elsewhere, or that drive another coordinate");
}

static mbd_status start(mbd_sim *s, mbd_error *err) {
  s->t = 0;
  const mbd_status status = assembly_close(s, err);
  if (status != MBD_OK) {
    MBD_TRY(not_assembled(s, status, err));
    return status;
  }
  MBD_TRY(kinematic_check_drives(s, err));
  MBD_TRY(kinematic_check_singular(s, err));
  kinematic_warn_corners(s);
  kinematic_keep(s);
  return rates_and_forces(s, err);
}

static mbd_status sens(mbd_sim *s, mbd_error *err) {
  (void)err;
  mbd_real *b = s->start->F;
  const motion_terms e = {.rows = s->eq};
  const int np = s->np;
  start_sens_position(s);
  start_sens_velocity(s);
  memset(b, 0, (size_t)start_rows(s) * (size_t)np * sizeof *b);
  for (int k = 0; k < np; k++) {
    sim_vary_motion(s, k, s->sens.z, s->sens.zd);
    motion_direction(s->w, &e, NULL, NULL, NULL, s->start->dphidd);
    sens_subtract(s->eq.nrow, np, k, s->start->dphidd, b);
  }
  mbd_blocks_solve(s->start->rows, np, b, s->sens.zdd);
  node_states_sens(s, &s->node_states->acting);
  kinematic_forces_sens(s);
  return MBD_OK;
}

static mbd_status node(mbd_sim *s, mbd_error *err) {
  MBD_TRY(kinematic_position(s, err));
  MBD_TRY(kinematic_check_singular(s, err));
  kinematic_keep(s);
  return rates_and_forces(s, err);
}

/* ---- in reverse ---- */

/* For every objective: nu = -Phi_z (Phi_z'Phi_z)^-1 x with the derivatives x by z, zd or zdd (order 0, 1, 2), in nu
 * [npsi][nphi]. Adds the derivative of nu . Phi, nu . Phid or nu . Phidd by the motion, which is zero for rows with
 * constant slopes. */
static void rows_back(mbd_sim *s, sim_adjoint *a, int order, const mbd_real *x, mbd_real *nu) {
  for (int k = 0; k < a->npsi; k++, nu += s->eq.nrow) {
    adjoint_get(s->m->nz, a->npsi, k, -1, x, a->column);
    mbd_blocks_weights(s->start->rows, a->column, a->row);
    memcpy(nu, a->row, (size_t)s->eq.nrow * sizeof *nu);
    if (kinematic_of(s)->constant) { continue; }
    motion_reverse_rows_part(&a->reverse[k], s->eq, MOTION_MOVED, order == 0 ? nu : NULL, order == 1 ? nu : NULL,
                             order == 2 ? nu : NULL);
  }
}

/* Treats the derivatives by zdd, then zd, then z, since the equations of zdd contain zd and z, and those of zd contain
 * z. */
static void rates_back(mbd_sim *s, sim_adjoint *a, mbd_real *nud, mbd_real *nudd) {
  if (kinematic_of(s)->constant) {
    adjoint_read_all(s, a);
    rows_back(s, a, 2, a->zdd, nudd);
    rows_back(s, a, 1, a->zd, nud);
    return;
  }
  adjoint_read(s, a, 2, a->zdd);
  rows_back(s, a, 2, a->zdd, nudd);
  adjoint_read(s, a, 1, a->zd);
  rows_back(s, a, 1, a->zd, nud);
  adjoint_read(s, a, 0, a->z);
}

static void states_back(mbd_sim *s, sim_adjoint *a) {
  node_states *states = &s->node_states->acting;
  node_states_linearize(s, states, s->now.lam);
  for (int k = 0; k < a->npsi; k++) { node_states_back(s, states, a, k, s->now.lam, a->row); }
}

/* The adjoint of a node: its systems in reverse order, each transposed. */
static mbd_status adjoint(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  mbd_real *nu = a->nu, *nud = a->g, *nudd = a->rg;
  const int m = s->eq.nrow;
  if (!kinematic_of(s)->constant) { /* if Phi_z is constant, the factors hold at every node */
    start_fill_rows(s);
    MBD_TRY(start_factor_present_rows(s, err));
  }
  kinematic_forces_back(s, a);
  states_back(s, a);
  rates_back(s, a, nud, nudd);
  adjoint_read_joints(a);
  adjoint_begin(s, a);
  rows_back(s, a, 0, a->z, nu);
  for (int k = 0; k < a->npsi; k++) {
    motion_reverse_rows_part(&a->reverse[k], s->eq, MOTION_OWN, nu + k * m, nud + k * m, nudd + k * m);
  }
  adjoint_read_joints(a);
  return MBD_OK;
}

const sim_analysis analysis_kinematic = {
    .name = "kinematic",
    .doc =
        "drives give the motion, as many as there are degrees of freedom; positions, velocities, accelerations and the "
        "forces that they require follow without integration, so without its error; states follow from their rates by "
        "the trapezoidal rule from node to node",
    .own_start = "the start of a kinematic case is where its drives put it",
    .create = create,
    .destroy = destroy,
    .start = start,
    .node = node,
    .sens = sens,
    .adjoint = adjoint,
};
