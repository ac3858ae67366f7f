/* Checks whether there are as many drives as degrees of freedom. Let P = Phi_z (Phi_z'Phi_z)^-1 Phi_z' be the
 * orthogonal projection onto the range of Phi_z. Row i is independent of all others exactly if P_ii = 1. Constraints
 * may depend on each other; a drive may not.
 * Equations: theory.md §5.6 (5.10). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/loop.h"
#include "model/state.h"
#include "simulate/kinematic.h"

static const double dependent = 1e-6; /* 1 - P_ii of rows that depend on others */

int kinematic_is_drive(const mbd_model *m, int row) {
  return model_row_constraint(m, row)->ops->phi_t != NULL;
}

/* 1 - P_ii at the factored position */
static double dependence(mbd_sim *s, int row) {
  mbd_real *b = s->start->F;
  memset(b, 0, (size_t)start_rows(s) * sizeof *b);
  b[row] = 1;
  mbd_blocks_solve(s->start->rows, 1, b, s->start->dz);
  return mbd_first(b[row]);
}

/* Appends a name to the list "a, b, c"; names for which there is no room are omitted. */
static size_t add_name(char *text, size_t size, size_t used, const char *name) {
  const int n = snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", name);
  if (n < 0 || used + (size_t)n >= size) {
    text[used] = '\0';
    return used;
  }
  return used + (size_t)n;
}

/* The names of drives of which one follows from the others and the constraints, at the current position; returns how many. */
static int dependent_drives(mbd_sim *s, char *text, size_t size) {
  size_t used = 0;
  int n = 0;
  if (mbd_blocks_factor(s->start->rows, 0) != MBD_OK) { return 0; }
  for (int i = 0; i < s->eq.nrow; i++) {
    if (!kinematic_is_drive(s->m, i) || !(dependence(s, i) > dependent)) { continue; }
    used = add_name(text, size, used, model_row_constraint(s->m, i)->name);
    n++;
  }
  return n;
}

void kinematic_drives_beside(const mbd_sim *s, int row, char *text, size_t size) {
  const mbd_blocks *blocks = s->start->rows;
  size_t used = 0;
  snprintf(text, size, "no drives");
  for (int i = 0; i < blocks->n; i++) {
    const mbd_block *b = &blocks->block[i];
    int here = 0;
    for (int r = 0; r < b->nrow; r++) { here |= b->row[r] == row; }
    for (int r = 0; here && r < b->nrow; r++) {
      if (kinematic_is_drive(s->m, b->row[r])) {
        used = add_name(text, size, used, model_row_constraint(s->m, b->row[r])->name);
      }
    }
  }
}

static mbd_status too_few(const mbd_sim *s, mbd_error *err) {
  const int n = s->start->nfree - s->m->nstate;
  char names[300] = "";
  size_t used = 0;
  for (int i = 0; i < s->start->nfree; i++) {
    const int j = s->start->free_z[i];
    if (!model_is_state(s->m, j)) { used = add_name(names, sizeof names, used, s->m->z_name[j]); }
  }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "a kinematic case needs a drive for every degree of freedom, and %d more %s needed here: expected "
           "drive.COORDINATE = CURVE, as for %s, or driven constraints in the model",
           n, n == 1 ? "is" : "are", names);
}

mbd_status kinematic_check_too_many(mbd_sim *s, mbd_error *err) {
  char names[400], left[START_ROW_LEFT + 50];
  const int n = dependent_drives(s, names, sizeof names);
  if (n == 0) { return MBD_OK; }
  snprintf(left, sizeof left, "what %s exerts is not determined", n == 1 ? "it" : "each of them");
  start_evaluate_rows(s);
  const int worst = start_worst_row(s, s->eq.nrow);
  if (mbd_largest(s->start->F[worst]) > start_held_to) {
    char row[START_ROW_LEFT];
    snprintf(left, sizeof left, "they contradict each other: equation %s",
             start_row_left(s, worst, mbd_first(s->start->F[worst]), "", row));
  }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "more drives than degrees of freedom: %s%s follows from the %sconstraints, and %s; expected fewer drives",
           n == 1 ? "" : "one of ", names, n == 1 ? "" : "others and the ", left);
}

mbd_status kinematic_check_drives(mbd_sim *s, mbd_error *err) {
  return s->start->nfree > s->m->nstate ? too_few(s, err) : kinematic_check_too_many(s, err);
}

/* ---- curves ---- */

/* The first knot within the run at which the slope of the curve jumps; NAN: there is none. */
static double corner(const mbd_sim *s, const mbd_curve *curve) {
  const double stretch = curve->stretch ? mbd_first(s->p->theta[curve->stretch - 1]) : 1;
  for (int i = 0; curve->ops->corners && i < curve->nknot; i++) {
    const double t = stretch * curve->knot[i];
    if (t > 1e-9 * s->c.duration && t < (1 - 1e-9) * s->c.duration) { return t; }
  }
  return NAN;
}

void kinematic_warn_corners(mbd_sim *s) {
  for (int i = 0; i < s->m->nconstraint; i++) {
    const mbd_constraint *c = &s->m->constraint[i];
    const mbd_curve *curve = c->ops->phi_t ? &s->m->curve[c->curve[0]] : NULL;
    const double at = curve ? corner(s, curve) : NAN;
    if (isnan(at)) { continue; }
    sim_warn(
        s, "kink", at,
        "drive '%s' follows curve '%s', a %s, whose slope jumps at t = %.4g s: there the velocity does, which takes a "
        "force without limit that is missing in what is reported; a spline through the same points has none",
        c->name, curve->name, curve->ops->name, at);
    return;
  }
}
