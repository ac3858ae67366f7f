/* The position of a kinematic case: Newton's iteration on Phi(z, t) = 0 from the previous node, extrapolated by its
 * velocity and acceleration. Where that fails, positions at times between the nodes are found first. The iteration ends
 * at rounding, so that positions do not depend on its path.
 *
 * Between two positions, rows must not become singular. If J has full column rank at all positions between them, the
 * determinant of J_before' J stays positive for small changes. Where it is not positive, a singular position (a dead
 * point) lies between them, or the result is on another branch, and the step is repeated in smaller parts. Branches
 * cross at a singular position (a flat parallelogram), and on a branch that leaves it in another direction the
 * determinant may be positive. So a result far from the one that the tangent predicts is repeated in smaller parts as
 * well. Each part begins along the tangent, which is the first iteration.
 *
 * Where the case states a branch (branch.h), what it says takes the place of the sign of that determinant: an output that changes its sign
 * lets the step pass; where the sign of another has to stay and does not, the position on the other branch is found beside this one, along the
 * motion that Phi_z hardly determines, in which branches differ to first order.
 * Equations: theory.md §5.6 (5.10). */
#include <math.h>
#include <string.h>

#include "model/derived.h"
#include "model/state.h"
#include "simulate/branch.h"
#include "simulate/kinematic.h"

enum { ITERATIONS = 15 };
static const int parts[] = {4, 16, 64};

static const double quadratic_from = 1e-8; /* relative to 1 + |z|: smaller corrections are followed by rounding */
static const double holds_to = 1e-9;       /* Phi at the end, relative to 1 + |z| */
static const double max_bend = 0.5;        /* distance from the predicted position, relative to the part's length */
static const double no_bend = 1e-6;        /* relative to 1 + |z| */
static const double min_pivot = 1e-10;     /* sin^2 of the angle between a column and the columns before it */

/* ---- singular positions ---- */

void kinematic_keep(mbd_sim *s) {
  kinematic *run = kinematic_of(s);
  mbd_real *to = run->J_before;
  for (int i = 0; i < s->start->rows->n; i++) {
    const mbd_block *b = &s->start->rows->block[i];
    const size_t size = (size_t)b->nrow * (size_t)b->ncol;
    mbd_block_unpack(b, to);
    to += size;
  }
  run->kept = mbd_same(s->t);
}

/* J of a block as a dense matrix. */
static const mbd_real *dense(kinematic *run, const mbd_block *b) {
  if (!b->sparse) { return b->J; }
  mbd_block_unpack(b, run->unpacked);
  return run->unpacked;
}

/* Returns 1 if the block is the coordinate of a state, which is in no row and is kept. */
static int is_of_state(const mbd_sim *s, const mbd_block *b) {
  return model_is_state(s->m, b->col[0]);
}

/* Returns 1 if det (J_before' J) of block i is positive. */
static int same_side(mbd_sim *s, int i, const mbd_real *before) {
  kinematic *run = kinematic_of(s);
  const mbd_block *b = &s->start->rows->block[i];
  const mbd_real *J = dense(run, b);
  double unused;
  if (b->ncol == 1 && b->nrow == 1) { return mbd_none(!(mbd_re(before[0]) * mbd_re(J[0]) > 0)); }
  return mbd_blocks_sign(s->start->rows, i, before, J, run->turn, run->piv, &unused) > 0;
}

static int same_branch(mbd_sim *s) {
  const mbd_real *before = kinematic_of(s)->J_before;
  for (int i = 0; i < s->start->rows->n; i++) {
    const mbd_block *b = &s->start->rows->block[i];
    if (!is_of_state(s, b) && !same_side(s, i, before)) { return 0; }
    before += b->nrow * b->ncol;
  }
  return 1;
}

/* The first column of the block that those before it nearly determine, by the pivots of J'J, which are |J_j|^2 sin^2 of the angle between
 * the column and those before; -1: there is none. */
static int hardly_determined(kinematic *run, const mbd_block *b) {
  const int n = b->ncol;
  const mbd_real *J = dense(run, b);
  mbd_real *N = run->turn;
  if (n == 1 && b->nrow == 1) { return mbd_any(J[0] == 0) ? 0 : -1; }
  memset(N, 0, (size_t)n * (size_t)n * sizeof *N);
  mbd_mulT_add(b->nrow, n, n, 1, J, J, N);
  for (int j = 0; j < n; j++) {
    double length = 0;
    for (int r = 0; r < b->nrow; r++) { length += mbd_largest(J[r * n + j]) * mbd_largest(J[r * n + j]); }
    const mbd_real pivot = N[j * n + j];
    if (mbd_any(!(mbd_re(pivot) > min_pivot * length))) { return j; }
    for (int i = j + 1; i < n; i++) {
      const mbd_real l = N[i * n + j] / pivot;
      for (int k = j + 1; k <= i; k++) { N[i * n + k] -= l * N[k * n + j]; }
    }
  }
  return -1;
}

const char *kinematic_undetermined(mbd_sim *s) {
  for (int i = 0; i < s->start->rows->n; i++) {
    const mbd_block *b = &s->start->rows->block[i];
    const int j = is_of_state(s, b) ? -1 : hardly_determined(kinematic_of(s), b);
    if (j >= 0) { return s->m->z_name[b->col[j]]; }
  }
  return NULL;
}

mbd_status kinematic_check_singular(mbd_sim *s, mbd_error *err) {
  const char *name = kinematic_undetermined(s);
  if (!name) { return MBD_OK; }
  MBD_FAIL(err, MBD_SINGULAR,
           "the mechanism is at a singular position, a dead point of its drives, where they do not determine how '%s' "
           "moves; expected drives that stay away from it, or that drive another coordinate",
           name);
}

/* ---- Newton ---- */

/* The scale of positions near that of the previous node, which also bounds the length of a correction. */
static double size_of_position(const mbd_sim *s) {
  return 1 + mbd_norm_inf(s->m->nz, s->before.z);
}

static void copy(const mbd_sim *s, const mbd_real *from, mbd_real *to) {
  memcpy(to, from, (size_t)s->m->nz * sizeof *to);
}

static double distance(int n, const mbd_real *a, const mbd_real *b) {
  double max = 0;
  for (int j = 0; j < n; j++) { max = fmax(max, mbd_largest(a[j] - b[j])); }
  return max;
}

/* Returns 1 if the position is near the predicted one, relative to the distance that was predicted from run->from. */
static int straight_on(mbd_sim *s) {
  const kinematic *run = kinematic_of(s);
  const int n = s->m->nz;
  const double length = distance(n, run->pointed, run->from);
  return distance(n, s->now.z, run->pointed) <= max_bend * length + no_bend * size_of_position(s);
}

/* Returns 1 if the current rows are zero to within holds_to. */
static int holds(mbd_sim *s, double size) {
  const double left = mbd_norm_inf(s->eq.nrow, s->start->F);
  s->stats.phi = fmax(s->stats.phi, left);
  return left <= holds_to * size;
}

/* Newton's iteration from s->now.z at the time s->t; returns 1 if the position is found, with its rows factored. The predicted position
 * is the first iterate or, along the tangent, the result of the first step. */
static int close_position(mbd_sim *s, int tangent) {
  const int n = s->m->nz;
  const double size = size_of_position(s);
  sim_start *start = s->start;
  int after = 0;
  copy(s, s->now.z, kinematic_of(s)->pointed);
  for (int it = 0; it < ITERATIONS; it++) {
    start_evaluate_rows(s);
    if (mbd_blocks_factor(start->rows, 0) != MBD_OK) { return 0; }
    s->stats.iterations++, s->stats.factorizations++;
    if (after > EXTRA_ITERATIONS) { return holds(s, size); }
    mbd_blocks_solve(start->rows, 1, start->F, start->dz);
    const double step = mbd_norm_inf(n, start->dz);
    /* Where each coordinate has its own drive, it holds at the first iterate. */
    if (!derived_nonzero(start->dz, n)) { return holds(s, size); }
    if (!(step <= size)) { return 0; } /* longer than any correction of a continuation, or not a number */
    for (int j = 0; j < n; j++) { s->now.z[j] -= start->dz[j]; }
    if (it == 0 && tangent) { copy(s, s->now.z, kinematic_of(s)->pointed); }
    if (after || step <= quadratic_from * size) { after++; }
  }
  return 0;
}

/* ---- branches that the case states ---- */

/* s->start->dz := the direction that Phi_z hardly determines at the factored position, by powers of (Phi_z' Phi_z)^-1, with a largest entry of one. */
static void find_loose_direction(mbd_sim *s) {
  enum { POWERS = 4 };
  mbd_real *v = s->start->dz;
  const int n = s->m->nz;
  for (int j = 0; j < n; j++) { v[j] = 1 + j * 37 % 101 / 101.0; }
  for (int i = 0; i < POWERS; i++) {
    mbd_blocks_weights(s->start->rows, v, s->start->F);
    kinematic_clear_kept(s, 1, s->start->F);
    mbd_blocks_solve(s->start->rows, 1, s->start->F, v);
    const double size = mbd_norm_inf(n, v);
    for (int j = 0; j < n; j++) { v[j] = mbd_re(v[j]) / size; }
  }
}

/* From a position on another branch than the case states to that on the stated one, within some lengths of the step; 0: there is none. */
static int change_branch(mbd_sim *s) {
  static const double lengths[] = {0.5, -0.5, 1, -1, 2, -2, 4, -4};
  kinematic *run = kinematic_of(s);
  const int n = s->m->nz;
  const double length = distance(n, s->now.z, run->from);
  find_loose_direction(s);
  copy(s, s->now.z, run->u), copy(s, s->start->dz, run->loose);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    for (int j = 0; j < n; j++) { s->now.z[j] = run->u[j] + lengths[i] * length * run->loose[j]; }
    if (close_position(s, 0) && branches_hold(s) && same_branch(s)) { return 1; }
  }
  return 0;
}

/* Is the position that was found the one to go on with? near: it is close to the predicted one. */
static int is_next(mbd_sim *s, int near) {
  if (!s->branches) { return near && same_branch(s); }
  if (!branches_hold(s)) { return change_branch(s); }
  return near && (branches_changed(s) || same_branch(s));
}

/* Sets coordinates that have their own drives to the values of these. */
static void put_driven(mbd_sim *s) {
  for (int i = 0; i < s->m->nconstraint; i++) {
    const mbd_constraint *c = &s->m->constraint[i];
    const mbd_curve *curve = c->ops == &mbd_constraint_driven_coordinate ? &s->m->curve[c->curve[0]] : NULL;
    mbd_curve_value v;
    if (!curve) { continue; }
    curve_eval(curve, s->p->theta, s->p->aux, s->t, &v);
    s->now.z[c->lift.col[0]] = v.y;
  }
}

/* Extrapolates by velocity and acceleration, unless the distance is too large, as after a dead point. */
static void extrapolate(mbd_sim *s) {
  const mbd_real h = s->h * s->dilation;
  const int n = model_first_state(s->m);
  double max = 0;
  copy(s, s->before.z, s->now.z);
  for (int j = 0; j < n; j++) {
    const mbd_real shift = h * (s->before.zd[j] + h / 2 * s->before.zdd[j]);
    max = fmax(max, mbd_largest(shift));
    s->now.z[j] = s->before.z[j] + shift;
  }
  if (!(max <= size_of_position(s))) { copy(s, s->before.z, s->now.z); }
}

/* Takes the step in n parts; s->t becomes the time that was reached. The last attempt does not check the prediction,
 * because near a dead point the path is curved in the smallest parts, too. */
static int go_in_parts(mbd_sim *s, mbd_real to, int n, int last) {
  const mbd_real from = to - s->h * s->dilation;
  copy(s, s->before.z, s->now.z);
  for (int i = 1; i <= n; i++) {
    s->t = i == n ? to : from + (to - from) * i / n;
    copy(s, s->now.z, kinematic_of(s)->from);
    if (!close_position(s, 1) || !is_next(s, last || straight_on(s))) { return 0; }
    if (i < n) { kinematic_keep(s), branches_from(s); }
  }
  return 1;
}

/* Evaluates the rows of the previous node, if a state has been restored since. */
static mbd_status keep_before(mbd_sim *s, mbd_real to, mbd_error *err) {
  s->t = to - s->h * s->dilation;
  copy(s, s->before.z, s->now.z);
  MBD_TRY(start_factor_rows(s, err));
  kinematic_keep(s), branches_from(s);
  s->t = to;
  return MBD_OK;
}

static mbd_status lost(mbd_sim *s, mbd_error *err) {
  const int n = s->eq.nrow;
  start_evaluate_rows(s);
  const int worst = start_worst_row(s, n);
  if (mbd_largest(s->start->F[worst]) <= holds_to * (1 + mbd_norm_inf(s->m->nz, s->now.z))) {
    MBD_FAIL(
        err, MBD_SINGULAR,
        "the mechanism passes a singular position, a dead point of its drives, beyond which they require positions "
        "that it "
        "does not reach, or do not determine its branch%s; expected drives that end or turn before it, or that drive "
        "another coordinate%s",
        s->branches ? ", and none is as branch.QUANTITY states" : "",
        s->branches ? "" : ", or branch.QUANTITY = changes or = positive, which says how it goes on");
  }
  char names[300], left[START_ROW_LEFT];
  kinematic_drives_beside(s, worst, names, sizeof names);
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "the mechanism does not reach the position that its drives require: with %s, equation %s; "
           "expected drives that end or turn before it, or, where they begin close to a dead point, smaller steps",
           names, start_row_left(s, worst, mbd_first(s->start->F[worst]), "", left));
}

mbd_status kinematic_position(mbd_sim *s, mbd_error *err) {
  const mbd_real to = s->t;
  const int n = sizeof parts / sizeof parts[0];
  const double behind = mbd_same(to) - s->h - kinematic_of(s)->kept;
  if (s->branches || !(fabs(behind) <= 1e-6 * s->h)) { MBD_TRY(keep_before(s, to, err)); }
  /* The step in one part, then in more and more parts. */
  copy(s, s->before.z, kinematic_of(s)->from);
  extrapolate(s);
  put_driven(s);
  if (close_position(s, 0) && is_next(s, straight_on(s))) { return MBD_OK; }
  for (int i = 0; i < n; i++) {
    MBD_TRY(keep_before(s, to, err));
    if (go_in_parts(s, to, parts[i], i == n - 1)) { return MBD_OK; }
  }
  return lost(s, err);
}
