/* Other guesses for an assembly that fails, and the closest position where all of them do.
 *
 * Each attempt changes the guesses of the coordinates in sets whose equations are not satisfied, in the same way in every run: attempt a of
 * MOST moves angles by up to a half turn and lengths by up to twice the residual of the equations, each coordinate by its own fraction of
 * that, from a quasi-random sequence (multiples of the golden ratio). Free coordinates keep the guess that is given.
 * Equations: theory.md §5.5. */
#include <stdio.h>
#include <string.h>

#include "model/state.h"
#include "simulate/start.h"

enum { MAX = 8, OF_ALL_MAX = 64, DESCENT = 100, NAMES = 4 };

static const double half_turn = 3.14159265358979;
static const double moved = 1e-6; /* [m or rad] a position that differs by less is at the guess */
static const double golden = 0.61803398874989485;
static const double min_damping = 1e-9, max_damping = 1e6;

void guesses_begin(mbd_sim *s) {
  s->start->other.attempt = 0, s->start->other.last = MAX;
  s->start->other.best = INFINITY;
  memset(s->start->other.shift, 0, (size_t)s->m->nz * sizeof *s->start->other.shift);
}

/* Coordinates whose set has an open equation, at the current rows. */
static void find_open(mbd_sim *s, double left) {
  const mbd_blocks *blocks = s->start->rows;
  memset(s->start->other.open, 0, (size_t)s->m->nz);
  for (int i = 0; i < blocks->n; i++) {
    int open = 0;
    for (int r = 0; r < blocks->block[i].nrow; r++) {
      open |= !(mbd_largest(s->start->F[blocks->block[i].row[r]]) < 1e-3 * left);
    }
    for (int c = 0; c < blocks->block[i].ncol; c++) {
      s->start->other.open[blocks->block[i].col[c]] = (unsigned char)open;
    }
  }
}

void guesses_keep(mbd_sim *s) {
  start_evaluate_rows(s);
  /* The largest residual of Phi and the held quantities; infinite if one is not a number. */
  const double norm = mbd_norm_inf(s->held.nrow, s->start->F), left = isnan(norm) ? INFINITY : norm;
  if (s->start->other.attempt == 0) { find_open(s, left); }
  if (left > s->start->other.best) { return; }
  s->start->other.best = left;
  for (int j = 0; j < s->m->nz; j++) { s->start->other.closest[j] = mbd_first(s->now.z[j]); }
}

/* The fraction of coordinate j in an attempt, between -1 and 1. */
static double part(int attempt, int j) {
  const double x = golden * (attempt + 1) * (j + 1);
  return 2 * (x - floor(x)) - 1;
}

int guesses_other(mbd_sim *s) {
  const double length = isfinite(s->start->other.best) ? 2 * s->start->other.best : 1;
  if (s->start->other.attempt == s->start->other.last) { return 0; }
  const int a = ++s->start->other.attempt;
  for (int j = 0; j < s->m->nz; j++) {
    const char *unit = s->m->z_unit[j];
    const double max = unit && strcmp(unit, "m") == 0 ? length : half_turn * a / s->start->other.last;
    s->start->other.shift[j] = s->start->other.open[j] ? max * part(a, j) : 0;
  }
  return 1;
}

void guesses_of_all(mbd_sim *s) {
  guesses_begin(s);
  s->start->other.last = OF_ALL_MAX, s->start->other.best = model_extent(s->m, s->m->nz, s->now.z) / 2;
  memset(s->start->other.open, 1, (size_t)s->m->nz);
  for (int i = 0; i < s->start->nfree; i++) { s->start->other.open[s->start->free_z[i]] = 0; }
}

/* ---- where it was found ---- */

void guesses_warn(mbd_sim *s, const char *what) {
  char names[300] = "";
  size_t used = 0;
  int count = 0;
  for (int j = 0; j < s->m->nz; j++) {
    const int has_moved = mbd_largest(s->now.z[j] - start_guess(s, j)) > moved;
    if (!s->start->other.open[j] || !has_moved || ++count > NAMES || used >= sizeof names) { continue; }
    const char *name = s->m->z_name[j];
    const double value = mbd_first(s->now.z[j]);
    int n;
    if (s->m->z_body[j] >= 0) {
      n = snprintf(names + used, sizeof names - used, "%sguess.%s = %.3g", used ? ", " : " in [start], such as ", name,
                   value);
    } else { /* added coordinates have their guess in their own section */
      n = snprintf(names + used, sizeof names - used, "%sguess = %.3g in [coordinate %s]", used ? ", " : ", such as ",
                   value, name);
    }
    if (n > 0) { used += (size_t)n; }
  }
  sim_warn(s, "assembly", 0, "%s. See whether it is the position that is meant; expected guesses closer to it%s%s",
           what, names, count > NAMES ? ", ..." : "");
}

/* ---- the closest position ---- */

static double sum_of_squares(mbd_sim *s) {
  double sum = 0;
  start_evaluate_rows(s);
  for (int i = 0; i < s->held.nrow; i++) { sum += mbd_largest(s->start->F[i]) * mbd_largest(s->start->F[i]); }
  return isnan(sum) ? INFINITY : sum;
}

/* Least squares of the equations from the current position, by damped steps, which are accepted only if they reduce the
 * residual [Levenberg 1944]. */
static void descend(mbd_sim *s) {
  const size_t bytes = (size_t)s->m->nz * sizeof *s->start->tried;
  double damping = 1e-3, last = sum_of_squares(s);
  for (int it = 0; it < DESCENT && damping < max_damping; it++) {
    memcpy(s->start->tried, s->now.z, bytes);
    if (mbd_blocks_factor(s->start->rows, damping) != MBD_OK) { return; }
    mbd_blocks_solve(s->start->rows, 1, s->start->F, s->start->dz);
    for (int j = 0; j < s->m->nz; j++) { s->now.z[j] -= mbd_re(s->start->dz[j]); }
    const double now = sum_of_squares(s);
    if (now < last) {
      if (now > (1 - 1e-9) * last) { return; }
      last = now, damping = fmax(damping / 10, min_damping);
    } else {
      memcpy(s->now.z, s->start->tried, bytes);
      sum_of_squares(s);
      damping *= 10;
    }
  }
}

void guesses_closest(mbd_sim *s) {
  guesses_begin(s);
  for (int j = 0; j < s->m->nz; j++) { s->now.z[j] = s->start->other.closest[j]; }
  mbd_blocks_keep(s->start->rows, 0, NULL), s->start->nfree = 0;
  descend(s);
  start_evaluate_rows(s);
}
