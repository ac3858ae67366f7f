/* The start (theory.md §5): positions from Phi = 0 and the held quantities, velocities likewise, accelerations and
 * multipliers from the equations of motion; and the derivatives of all of it.
 *
 * Rows of the assembly: Phi, the held quantities, and coordinates that neither fixes, which keep their guess. Redundant
 * rows are allowed: corrections are least squares, J'J dz = -J'F, in blocks (start_rows.h).
 *
 * What is redundant, and so which coordinates are free, depends on the position: rows of an open loop can be independent
 * that are redundant once it is closed. A choice made at the guesses counts only if it is right at the assembled position
 * too; otherwise the choice is made there, and the assembly begins anew with it. */
#include "simulate/start.h"

#include <stdlib.h>
#include <string.h>

#include "model/loop.h"
#include "simulate/settle.h"
#include "simulate/start_rows.h"

enum { ASSEMBLY_ITERATIONS = 60, MOST_CHOICES = 4 };

static const double rank_tolerance = 1e-9;
static const double held_to = 1e-8;         /* how far every row may be from zero at the start */
static const double closing_damping = 1e-6; /* of J'J, relative to its largest diagonal entry */
static const double contradiction = 1e-6;   /* of the right-hand sides: what redundant rows may leave */
static const double closed_to = 1e-11;      /* well below rank_tolerance, which has to see what is redundant */

/* ---- memory ---- */

static void layout(sim_start *q, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, held = (size_t)s->m->nhold_row;
  const size_t np = (size_t)(s->np_max > 1 ? s->np_max : 1);
  mbd_real **vector[] = {&q->dz, &q->tried, &q->dr};
  mbd_real **rows[] = {&q->dphi, &q->dphid, &q->dphidd};
  for (size_t i = 0; i < sizeof vector / sizeof vector[0]; i++) { *vector[i] = mbd_arena_real(a, n); }
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) { *rows[i] = mbd_arena_real(a, m + held + 1); }
  q->free_z = mbd_arena_take(a, n * sizeof *q->free_z);
  q->all_rows = mbd_arena_take(a, (m + held + 1) * sizeof *q->all_rows);
  q->all_z = mbd_arena_take(a, n * sizeof *q->all_z);
  q->F = mbd_arena_real(a, (m + held + n) * np);
  q->f = mbd_arena_real(a, n * np);
  q->g = mbd_arena_real(a, m * np + 1);
  q->step = mbd_arena_real(a, n * np);
  q->rest = mbd_arena_real(a, m * np + 1);
  q->sides = mbd_arena_real(a, np);
  q->other.shift = mbd_arena_take(a, n * sizeof *q->other.shift);
  q->other.closest = mbd_arena_take(a, n * sizeof *q->other.closest);
  q->other.open = mbd_arena_take(a, n);
}

mbd_status start_create(mbd_sim *s, mbd_error *err) {
  sim_start *q = s->start = calloc(1, sizeof *q);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the start"); }
  while (mbd_arena_pass(&q->arena)) { layout(q, s, &q->arena); }
  MBD_TRY(mbd_arena_check(&q->arena, "the start", err));
  MBD_TRY(start_rows_create(s->m, s->np_max > 1 ? s->np_max : 1, &q->rows, err));
  return s->c.start == MBD_START_EQUILIBRIUM ? settle_create(s, err) : MBD_OK;
}

void start_destroy(sim_start *q) {
  if (!q) { return; }
  settle_destroy(q->settle);
  mbd_blocks_destroy(q->rows);
  free(q->arena.base);
  free(q);
}

/* ---- the assembly ---- */

int start_rows(const mbd_sim *s) {
  return s->m->nphi + s->m->nhold_row + s->start->nfree;
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
  for (int i = 0; i < s->start->nfree; i++) { F[i] = s->now.z[s->start->free_z[i]] - guess(s, s->start->free_z[i]); }
}

void start_free_sens(const mbd_sim *s, int k, mbd_real *b) {
  for (int i = 0; i < s->start->nfree; i++) {
    int coef[4];
    mbd_real slope[4];
    const int n = start_guess_slopes(s, s->start->free_z[i], coef, slope);
    for (int g = 0; g < n; g++) { b[i * s->np + k] += slope[g] * s->d[k]->dtheta[coef[g]]; }
  }
}

/* F and J at the present positions. */
void start_evaluate_rows(mbd_sim *s) {
  const mbd_model *m = s->m;
  mbd_blocks *q = s->start->rows;
  motion_place(s->w, s->p, s->t, s->now.z);
  mbd_blocks_clear(q);
  motion_phi_scattered(s->w, s->held, s->start->F, q->row, q->at);
  start_free_values(s, s->start->F + m->nphi + m->nhold_row);
}

/* Which coordinates do Phi and the held quantities leave free at the present position? Those keep their guess. */
static void choose_free(mbd_sim *s) {
  const mbd_model *m = s->m;
  start_evaluate_rows(s);
  const int rank =
      mbd_blocks_rank(s->start->rows, m->nphi + m->nhold_row, rank_tolerance, s->start->all_rows, s->start->free_z);
  s->start->nfree = m->nz - rank;
  memmove(s->start->free_z, s->start->free_z + rank, (size_t)s->start->nfree * sizeof *s->start->free_z);
  mbd_blocks_keep(s->start->rows, s->start->nfree, s->start->free_z);
}

static void choose_none(mbd_sim *s) {
  s->start->nfree = 0;
  mbd_blocks_keep(s->start->rows, 0, NULL);
}

/* Ranks at the present position, rows up to date. Returns whether as many coordinates are free as are kept. */
static int take_ranks(mbd_sim *s) {
  const mbd_model *m = s->m;
  s->rank = mbd_blocks_rank(s->start->rows, m->nphi, rank_tolerance, s->row, s->start->all_z);
  const int all = m->nhold_row == 0 ? s->rank
                                    : mbd_blocks_rank(s->start->rows, m->nphi + m->nhold_row, rank_tolerance,
                                                      s->start->all_rows, s->start->all_z);
  return all == m->nz - s->start->nfree;
}

static mbd_status not_fixed(mbd_error *err) {
  MBD_FAIL(err, MBD_SINGULAR, "the start is singular: constraints and held quantities do not fix all coordinates");
}

static mbd_status factor_rows(mbd_sim *s, mbd_error *err) {
  return mbd_blocks_factor(s->start->rows, 0) == MBD_OK ? MBD_OK : not_fixed(err);
}

mbd_status start_factor_rows(mbd_sim *s, mbd_error *err) {
  start_evaluate_rows(s);
  return factor_rows(s, err);
}

static const char *row_name(const mbd_sim *s, int row) {
  const mbd_model *m = s->m;
  if (row < m->nphi) { return m->phi_name[row]; }
  row -= m->nphi;
  if (row < m->nhold_row) { return m->hold[row].name; } /* one row each */
  return m->z_name[s->start->free_z[row - m->nhold_row]];
}

/* The row among n that is farthest from zero; the first that is not a number, if there is one. */
static int worst_row(const mbd_sim *s, int n) {
  int worst = 0;
  for (int i = 0; i < n; i++) {
    if (isnan(mbd_re(s->start->F[i]))) { return i; }
    if (mbd_absre(s->start->F[i]) > mbd_absre(s->start->F[worst])) { worst = i; }
  }
  return worst;
}

/* ", which closes the loop A - B - C" */
static const char *loop_of(const mbd_sim *s, int row, char *text, size_t size) {
  static const char before[] = ", which closes the loop ";
  const size_t used = sizeof before - 1;
  text[0] = '\0';
  if (row >= s->m->nphi) { return text; }
  model_loop_text(s->m, model_row_constraint(s->m, row), text + used, size - used);
  if (text[used]) { memcpy(text, before, used); }
  return text;
}

/* At the closest position. */
static mbd_status not_assembled(const mbd_sim *s, mbd_error *err) {
  const int worst = worst_row(s, start_rows(s));
  char loop[300];
  MBD_FAIL(err, MBD_NO_ASSEMBLY,
           "the mechanism cannot be assembled from its guesses, nor from others: the closest position leaves equation "
           "'%s' at %.3g%s (the loops cannot be closed for these dimensions, held quantities contradict them, or the "
           "guesses are too far away)",
           row_name(s, worst), mbd_re(s->start->F[worst]), loop_of(s, worst, loop, sizeof loop));
}

/* Is a row not a number? */
static mbd_status check_finite(const mbd_sim *s, mbd_error *err) {
  const int worst = worst_row(s, start_rows(s)), hold = worst - s->m->nphi;
  if (!isnan(mbd_re(s->start->F[worst]))) { return MBD_OK; }
  MBD_FAIL(err, MBD_NOT_FINITE, "equation '%s' of the start is not finite%s", row_name(s, worst),
           hold < 0 || hold >= s->m->nhold_row ? ""
                                               : " (a body's angle is not defined where the body axis that shows it is "
                                                 "parallel to the axis that it is about: another guess may help)");
}

/* At the guesses, or where other guesses put it (guesses.c). */
static void begin_at_guess(mbd_sim *s) {
  for (int j = 0; j < s->m->nz; j++) { s->now.z[j] = guess(s, j); }
  for (int j = 0; s->start->other.attempt > 0 && j < s->m->nz; j++) { s->now.z[j] += s->start->other.shift[j]; }
}

/* The correction s->start->dz made; at most 1 in any coordinate, so that far guesses do not throw angles about. Its size. */
static double correct(mbd_sim *s) {
  const int n = s->m->nz;
  mbd_blocks_solve(s->start->rows, 1, s->start->F, s->start->dz);
  const double step = mbd_norm_inf(n, s->start->dz), limit = step > 1 ? 1 / step : 1;
  for (int j = 0; j < n; j++) { s->now.z[j] -= limit * s->start->dz[j]; }
  return step;
}

/* Gauss-Newton from the present position, with the coordinates kept that are chosen. Leaves the rows up to date. */
static mbd_status close_rows(mbd_sim *s, mbd_error *err) {
  int after = 0;
  for (int it = 0; it < ASSEMBLY_ITERATIONS; it++) {
    start_evaluate_rows(s);
    MBD_TRY(check_finite(s, err));
    MBD_TRY(factor_rows(s, err));
    const double F = mbd_norm_inf(start_rows(s), s->start->F), step = correct(s);
    if (!after) { sim_drop_imaginary(s->m->nz, s->now.z); }
    if (isnan(step)) { return not_assembled(s, err); }
    if (after || (step <= 1e-10 * (1 + mbd_norm_inf(s->m->nz, s->now.z)) && F <= held_to)) {
      if (after++ > EXTRA_ITERATIONS) { break; }
    } else if (step <= 1e-13) { /* stuck where the equations do not hold */
      break;
    }
  }
  start_evaluate_rows(s);
  MBD_TRY(check_finite(s, err));
  return after > EXTRA_ITERATIONS && mbd_norm_inf(start_rows(s), s->start->F) <= held_to ? MBD_OK
                                                                                         : not_assembled(s, err);
}

/* A position that closes the loops and has the held quantities, whatever is free: damped steps from the guesses, which move
 * nothing that the rows do not determine [Levenberg 1944]. Returns whether there is one. */
static int close_damped(mbd_sim *s) {
  choose_none(s);
  begin_at_guess(s);
  for (int it = 0; it < ASSEMBLY_ITERATIONS; it++) {
    start_evaluate_rows(s);
    const double F = mbd_norm_inf(start_rows(s), s->start->F);
    if (isnan(F) || mbd_blocks_factor(s->start->rows, closing_damping) != MBD_OK) { return 0; }
    const double step = correct(s);
    sim_drop_imaginary(s->m->nz, s->now.z);
    if (isnan(step)) { return 0; }
    if (F <= closed_to && step <= closed_to) { return 1; }
  }
  return 0;
}

/* Coordinates are kept that the assembled position leaves free: from the guesses, or else from the position where the choice
 * was made. */
static mbd_status close_with_choice(mbd_sim *s, mbd_error *err) {
  memcpy(s->start->tried, s->now.z, (size_t)s->m->nz * sizeof *s->start->tried);
  begin_at_guess(s);
  if (close_rows(s, err) == MBD_OK) { return MBD_OK; }
  memcpy(s->now.z, s->start->tried, (size_t)s->m->nz * sizeof *s->start->tried);
  return close_rows(s, err);
}

static mbd_status assemble_from_guess(mbd_sim *s, mbd_error *err) {
  mbd_error first = {0}, later;
  mbd_status status;
  begin_at_guess(s);
  choose_none(s);
  choose_free(s);
  const mbd_status by_guess = status = close_rows(s, &first);
  for (int choice = 1; choice < MOST_CHOICES; choice++) {
    const int kept = s->start->nfree;
    if (status == MBD_OK && take_ranks(s) && mbd_blocks_factor(s->start->rows, 0) == MBD_OK) { return MBD_OK; }
    if (status != MBD_OK && !close_damped(s)) { break; }
    choose_free(s);
    if (status != MBD_OK && s->start->nfree == kept) { break; } /* the choice was not what failed */
    status = close_with_choice(s, &later);
  }
  if (by_guess == MBD_OK) { return not_fixed(err); }
  if (err) { *err = first; } /* it says most: the other failures are those of attempts to mend it */
  return by_guess;
}

static mbd_status assemble_from_others(mbd_sim *s, mbd_error *err) {
  for (guesses_keep(s); guesses_other(s); guesses_keep(s)) {
    if (assemble_from_guess(s, err) == MBD_OK && start_check_axes(s, err) == MBD_OK) {
      guesses_warn(s);
      return MBD_OK;
    }
  }
  return MBD_NO_ASSEMBLY;
}

/* From the guesses; where that fails, from others. The position that comes closest is left if none closes. */
static mbd_status assemble(mbd_sim *s, mbd_error *err) {
  mbd_error first = {0}, later;
  guesses_begin(s);
  const mbd_status status = assemble_from_guess(s, &first);
  if (status == MBD_OK) { return start_check_axes(s, err); }
  if (assemble_from_others(s, &later) == MBD_OK) { return MBD_OK; }
  guesses_closest(s);
  if (status != MBD_NOT_FINITE && mbd_norm_inf(start_rows(s), s->start->F) > held_to) { return not_assembled(s, err); }
  if (err) { *err = first; }
  return status;
}

/* J zd = -phi_t of all rows; the kept coordinates rest. */
static mbd_status start_velocity(mbd_sim *s, mbd_error *err) {
  const mbd_model *m = s->m;
  MBD_TRY(start_factor_rows(s, err));
  memset(s->start->F, 0, (size_t)start_rows(s) * sizeof *s->start->F);
  motion_phi_t(s->w, s->held, s->start->F);
  for (int i = 0; i < start_rows(s); i++) { s->start->F[i] = -s->start->F[i]; }
  mbd_blocks_solve(s->start->rows, 1, s->start->F, s->now.zd);
  double left = mbd_norm_inf(start_rows(s), s->start->F), speed = mbd_norm_inf(m->nz, s->now.zd);
  if (!(left <= 1e-8 * (1 + speed))) {
    const int worst = worst_row(s, start_rows(s));
    MBD_FAIL(err, MBD_NO_ASSEMBLY, "the velocities of the start contradict each other: equation '%s' is left at %.3g",
             row_name(s, worst), mbd_re(s->start->F[worst]));
  }
  return MBD_OK;
}

/* M zdd + Phi_z' lam = -r(zdd = 0),   Phi_z zdd = -Phidd(zdd = 0) */
static mbd_status start_acceleration(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi;
  memset(s->now.zdd, 0, (size_t)n * sizeof *s->now.zdd);
  memset(s->now.lam, 0, (size_t)m * sizeof *s->now.lam);
  motion_move(s->w, s->now.zd, s->now.zdd, 0);
  motion_phidd(s->w, s->eq, s->start->g);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  motion_residual(s->w, s->start->f);
  MBD_TRY(formulation_factor_motion(s, err));
  for (int j = 0; j < n; j++) { s->start->f[j] = -s->start->f[j]; }
  for (int i = 0; i < m; i++) { s->start->g[i] = -s->start->g[i]; }
  MBD_TRY(formulation_solve_motion(s, 1, s->start->f, s->start->g, s->now.zdd, s->now.lam, s->start->step,
                                   s->start->rest, err));
  if (sim_reactions_apart(s)) { memcpy(s->now.reaction, s->now.lam, (size_t)m * sizeof *s->now.lam); }
  if (isnan(mbd_norm_inf(n, s->now.zdd))) {
    MBD_FAIL(err, MBD_NOT_FINITE, "the accelerations of the start are not finite");
  }
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}

/* Do the rows that stay hold at the equilibrium, and are the coordinates free there that were before? */
static mbd_status check_settled(mbd_sim *s, mbd_error *err) {
  const mbd_model *m = s->m;
  start_evaluate_rows(s);
  for (int i = m->nphi + m->nhold_kept; i < m->nphi + m->nhold_row; i++) { s->start->F[i] = 0; } /* these settle */
  const int worst = worst_row(s, start_rows(s));
  if (!(mbd_absre(s->start->F[worst]) <= held_to * (1 + mbd_norm_inf(m->nz, s->now.z)))) {
    MBD_FAIL(err, MBD_NO_ASSEMBLY, "static equilibrium leaves equation '%s' at %.3g", row_name(s, worst),
             mbd_re(s->start->F[worst]));
  }
  if (!take_ranks(s)) {
    MBD_FAIL(err, MBD_SINGULAR,
             "static equilibrium: constraints and held quantities leave other coordinates free there than where the "
             "search begins");
  }
  return MBD_OK;
}

mbd_status start_state(mbd_sim *s, mbd_error *err) {
  s->t = 0;
  MBD_TRY(assemble(s, err));
  if (s->c.start == MBD_START_EQUILIBRIUM) {
    MBD_TRY(settle_state(s, err));
    MBD_TRY(check_settled(s, err));
  }
  MBD_TRY(start_velocity(s, err));
  return start_acceleration(s, err);
}

/* ---- derivatives ---- */

/* b := -F_theta, rows of positions */
static void position_side(mbd_sim *s, mbd_real *b) {
  const motion_terms e = {.rows = s->held};
  const int np = s->np;
  memset(b, 0, (size_t)start_rows(s) * (size_t)np * sizeof *b);
  for (int k = 0; k < np; k++) {
    sim_vary(s, k);
    motion_direction(s->w, &e, NULL, s->start->dphi, NULL, NULL);
    sens_subtract(s->held.nrow, np, k, s->start->dphi, b);
    start_free_sens(s, k, b + s->held.nrow * np);
  }
}

/* b := -(d/dz(rates) z' + rates_theta); the kept coordinates rest */
static void velocity_side(mbd_sim *s, mbd_real *b) {
  const motion_terms e = {.rows = s->held};
  const int np = s->np;
  memset(b, 0, (size_t)start_rows(s) * (size_t)np * sizeof *b);
  for (int k = 0; k < np; k++) {
    sim_vary_motion(s, k, s->sens.z, NULL);
    motion_direction(s->w, &e, NULL, NULL, s->start->dphid, NULL);
    sens_subtract(s->held.nrow, np, k, s->start->dphid, b);
  }
}

void start_column_sizes(int nrow, int np, const mbd_real *b, mbd_real *sides) {
  for (int i = 0; i < nrow * np; i++) { sides[i % np] = fmax(mbd_re(sides[i % np]), mbd_absre(b[i])); }
}

/* The coefficient that direction k moves most. */
static int moved_most(const mbd_sim *s, int k) {
  int most = 0;
  for (int i = 1; i < s->m->ncoef; i++) {
    if (mbd_absre(s->d[k]->dtheta[i]) > mbd_absre(s->d[k]->dtheta[most])) { most = i; }
  }
  return most;
}

void start_warn_contradiction(mbd_sim *s, const char *what, int row) {
  sim_warn(
      s, "start derivative", 0,
      "as '%s' varies, redundant constraints of the start contradict each other, '%s' among them: the mechanism can "
      "be assembled at this value alone, and derivatives are those of the position with the least squares of their "
      "errors. Vary what they have in common together, or take one of them out",
      what, row_name(s, row));
}

/* What sensitivities of the start along direction k leave in rows that they satisfy. */
static double rounding_of(const mbd_sim *s, int k) {
  double most = mbd_absre(s->d[k]->dtheta[moved_most(s, k)]);
  for (int j = 0; j < s->m->nz; j++) {
    most = fmax(most, mbd_absre(s->sens.z[j * s->np + k]) * (1 + mbd_absre(s->now.zd[j])));
  }
  return 1e-9 * most;
}

void start_check_remainder(mbd_sim *s, int nrow, const mbd_real *left, const mbd_real *sides) {
  const int np = s->np;
  for (int i = 0; i < nrow * np; i++) {
    const int row = i / np, k = i % np;
    if (!(mbd_absre(left[i]) > contradiction * mbd_re(sides[k]) + rounding_of(s, k))) { continue; }
    start_warn_contradiction(s, s->m->coef_name[moved_most(s, k)], row);
    return;
  }
}

/* s->start->rows' solution x [nz][np] for s->start->F, with a word about what it leaves. */
static void solve_rows(mbd_sim *s, mbd_real *x) {
  memset(s->start->sides, 0, (size_t)s->np * sizeof *s->start->sides);
  start_column_sizes(start_rows(s), s->np, s->start->F, s->start->sides);
  mbd_blocks_solve(s->start->rows, s->np, s->start->F, x);
  start_check_remainder(s, start_rows(s), s->start->F, s->start->sides);
}

/* J z' = -F_theta,   J zd' = -(d/dz(rates) z' + rates_theta) */
static mbd_status sens_position_velocity(mbd_sim *s, mbd_error *err) {
  MBD_TRY(start_factor_rows(s, err));
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  if (s->c.start != MBD_START_EQUILIBRIUM) { /* else settled already */
    position_side(s, s->start->F);
    solve_rows(s, s->sens.z);
  }
  velocity_side(s, s->start->F);
  solve_rows(s, s->sens.zd);
  return MBD_OK;
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
  MBD_TRY(formulation_factor_motion(s, err));
  memset(s->sens.lam, 0, (size_t)m * (size_t)np * sizeof *s->sens.lam);
  MBD_TRY(formulation_solve_motion(s, np, s->start->f, s->start->g, s->sens.zdd, s->sens.lam, s->start->step,
                                   s->start->rest, err));
  if (sim_reactions_apart(s)) { memcpy(s->sens.reaction, s->sens.lam, (size_t)m * (size_t)np * sizeof *s->sens.lam); }
  return MBD_OK;
}

mbd_status start_sens(mbd_sim *s, mbd_error *err) {
  if (s->c.start == MBD_START_EQUILIBRIUM) { MBD_TRY(settle_sens(s, err)); }
  MBD_TRY(sens_position_velocity(s, err));
  return sens_acceleration(s, err);
}
