/* The position of the start: Phi = 0 and the held quantities. Redundant rows are allowed: corrections are least squares,
 * J'J dz = -J'F, in blocks (start_rows.h).
 *
 * What is redundant, and so which coordinates are free, depends on the position: rows of an open loop can be independent
 * that are redundant once it is closed. A choice made at the guesses counts only if it is right at the assembled position
 * too; otherwise the choice is made there, and the assembly begins anew with it.
 * Equations: theory.md §5.5. */
#include <string.h>

#include "model/loop.h"
#include "simulate/branch.h"
#include "simulate/start.h"

enum { ASSEMBLY_ITERATIONS = 60, CHOICES_MAX = 4 };

static const double rank_tolerance = 1e-9;
static const double closing_damping = 1e-6; /* of J'J, relative to its largest diagonal entry */
static const double closed_to = 1e-11;      /* well below rank_tolerance, which has to detect redundant rows */

mbd_status assembly_choose_free(mbd_sim *s, mbd_error *err) {
  const mbd_model *m = s->m;
  start_evaluate_rows(s);
  const int rank = mbd_blocks_rank(s->start->rows, s->held.nrow, rank_tolerance, MBD_RANK_COLUMNS, s->start->all_rows,
                                   s->start->free_z);
  if (rank < 0) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the rank of %d equations of the start", s->held.nrow); }
  s->start->nfree = m->nz - rank;
  memmove(s->start->free_z, s->start->free_z + rank, (size_t)s->start->nfree * sizeof *s->start->free_z);
  mbd_blocks_keep(s->start->rows, s->start->nfree, s->start->free_z);
  return MBD_OK;
}

static void choose_none(mbd_sim *s) {
  s->start->nfree = 0;
  mbd_blocks_keep(s->start->rows, 0, NULL);
}

int assembly_rank(mbd_sim *s, int *row) {
  return mbd_blocks_rank(s->start->rows, s->m->nphi, rank_tolerance, MBD_RANK_ROWS, row, s->start->all_z);
}

int assembly_take_ranks(mbd_sim *s) {
  const mbd_model *m = s->m;
  s->rank = assembly_rank(s, s->row);
  const int all = s->held.nhold == 0 ? s->rank
                                     : mbd_blocks_rank(s->start->rows, s->held.nrow, rank_tolerance, MBD_RANK_NUMBER,
                                                       s->start->all_rows, s->start->all_z);
  return all == m->nz - s->start->nfree;
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
  const int worst = start_worst_row(s, start_rows(s));
  char loop[300], left[START_ROW_LEFT];
  MBD_FAIL(err, MBD_NO_ASSEMBLY,
           "the mechanism cannot be assembled from its guesses, nor from others: in the closest position equation "
           "%s%s (the loops cannot be closed for these dimensions, %s%sor the guesses are too far away)",
           start_row_left(s, worst, mbd_first(s->start->F[worst]), "", left), loop_of(s, worst, loop, sizeof loop),
           mbd_model_drive_name(s->m, 0) ? "drives require a position that the mechanism does not reach, " : "",
           s->held.nhold > 0 ? "held quantities contradict the constraints, " : "");
}

/* Fails if a row is not a number. */
static mbd_status check_finite(const mbd_sim *s, mbd_error *err) {
  const int worst = start_worst_row(s, start_rows(s)), hold = worst - s->m->nphi;
  if (!isnan(mbd_largest(s->start->F[worst]))) { return MBD_OK; }
  MBD_FAIL(err, MBD_NOT_FINITE, "equation '%s' of the start is not finite%s", start_row_name(s, worst),
           hold < 0 || hold >= s->held.nhold ? ""
                                             : " (a body's angle is not defined where the body axis that shows it is "
                                               "parallel to the axis that it is about: another guess may help)");
}

/* Sets the position to the guesses, or to other guesses (guesses.c). */
static void begin_at_guess(mbd_sim *s) {
  for (int j = 0; j < s->m->nz; j++) { s->now.z[j] = start_guess(s, j); }
  start_begin_at_held(s);
  for (int j = 0; s->start->other.attempt > 0 && j < s->m->nz; j++) { s->now.z[j] += s->start->other.shift[j]; }
}

/* Applies the correction s->start->dz, scaled to at most start_step_max in any coordinate, so that guesses far away do not change
 * angles by many turns. Returns the size of the unscaled correction. */
static double correct(mbd_sim *s) {
  const int n = s->m->nz;
  mbd_blocks_solve(s->start->rows, 1, s->start->F, s->start->dz);
  const double step = mbd_norm_inf(n, s->start->dz), limit = step > start_step_max ? start_step_max / step : 1;
  for (int j = 0; j < n; j++) { s->now.z[j] -= limit * s->start->dz[j]; }
  return step;
}

/* Gauss-Newton iteration from the present position, with the chosen coordinates kept. Leaves the rows up to date. */
static mbd_status close_rows(mbd_sim *s, mbd_error *err) {
  int after = 0;
  for (int it = 0; it < ASSEMBLY_ITERATIONS; it++) {
    start_evaluate_rows(s);
    MBD_TRY(check_finite(s, err));
    MBD_TRY(start_factor_present_rows(s, err));
    const double F = mbd_norm_inf(start_rows(s), s->start->F), step = correct(s);
    if (!after) { sim_drop_imaginary(s->m->nz, s->now.z); }
    if (isnan(step)) { return not_assembled(s, err); }
    if (after || (step <= 1e-10 * (1 + mbd_norm_inf(s->m->nz, s->now.z)) && F <= start_held_to)) {
      if (after++ > EXTRA_ITERATIONS) { break; }
    } else if (step <= 1e-13) { /* the iteration has stopped where the equations do not hold */
      break;
    }
  }
  start_evaluate_rows(s);
  MBD_TRY(check_finite(s, err));
  return after > EXTRA_ITERATIONS && mbd_norm_inf(start_rows(s), s->start->F) <= start_held_to ? MBD_OK
                                                                                               : not_assembled(s, err);
}

int assembly_close_damped(mbd_sim *s) {
  choose_none(s);
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

/* Closes the constraints while the coordinates that the assembled position leaves free are held at the guesses, or else at the position
 * where the choice was made. */
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
  MBD_TRY(assembly_choose_free(s, err));
  const mbd_status by_guess = status = close_rows(s, &first);
  for (int choice = 1; choice < CHOICES_MAX; choice++) {
    const int kept = s->start->nfree;
    if (status == MBD_OK && assembly_take_ranks(s) && mbd_blocks_factor(s->start->rows, 0) == MBD_OK) { return MBD_OK; }
    if (status != MBD_OK) {
      begin_at_guess(s);
      if (!assembly_close_damped(s)) { break; }
    }
    MBD_TRY(assembly_choose_free(s, err));
    if (status != MBD_OK && s->start->nfree == kept) { break; } /* the choice is not the cause of the failure */
    status = close_with_choice(s, &later);
  }
  if (by_guess == MBD_OK) { return start_not_fixed(err); }
  if (err) { *err = first; } /* the first failure is the cause; the later ones are those of attempts to correct it */
  return by_guess;
}

static mbd_status assemble_from_others(mbd_sim *s, mbd_error *err) {
  for (guesses_keep(s); guesses_other(s); guesses_keep(s)) {
    if (assemble_from_guess(s, err) == MBD_OK && start_check_axes(s, err) == MBD_OK) {
      guesses_warn(s, "the mechanism could not be assembled from its guesses; the start was found from others");
      return MBD_OK;
    }
  }
  return MBD_NO_ASSEMBLY;
}

/* At an assembled position: assembles from other guesses if it is on another branch than the case states. */
static mbd_status take_branch(mbd_sim *s, mbd_error *err) {
  mbd_error missed = {0}, later;
  if (branches_hold(s)) { return MBD_OK; }
  guesses_of_all(s);
  const mbd_status status = branches_no_start(s, s->start->other.last, &missed);
  while (guesses_other(s)) {
    if (assemble_from_guess(s, &later) == MBD_OK && start_check_axes(s, &later) == MBD_OK && branches_hold(s)) {
      return MBD_OK;
    }
  }
  if (err) { *err = missed; }
  return status;
}

mbd_status assembly_close(mbd_sim *s, mbd_error *err) {
  mbd_error first = {0}, later;
  guesses_begin(s);
  if (s->branches || s->m->nphi > 0) {
    begin_at_guess(s);
    start_evaluate_rows(s);
    branches_at_guess(s), branches_keep_guess(s);
  }
  const mbd_status status = assemble_from_guess(s, &first);
  if (status == MBD_OK) {
    MBD_TRY(start_check_axes(s, err));
    branches_compare_guess(s);
    return take_branch(s, err);
  }
  if (assemble_from_others(s, &later) == MBD_OK) { return take_branch(s, err); }
  guesses_closest(s);
  if (status != MBD_NOT_FINITE && mbd_norm_inf(start_rows(s), s->start->F) > start_held_to) {
    return not_assembled(s, err);
  }
  if (err) { *err = first; }
  return status;
}
