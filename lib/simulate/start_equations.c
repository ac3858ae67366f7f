/* The equations of the assembly: Phi, the held quantities, and coordinates that neither fixes, which keep their guess.
 * Equations: theory.md §5.5. */
#include <math.h>
#include <stdio.h>

#include "model/loop.h"
#include "simulate/start.h"

int start_rows(const mbd_sim *s) {
  return s->held.nrow + s->start->nfree;
}

/* The first of the four Euler parameters to which coordinate j belongs; -1: it is no Euler parameter. */
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

/* The divisor of the guess of coordinate j, since guesses of Euler parameters may have any length. (Euler parameters that are all zero
 * are left to the assembly, which reports them.) */
static mbd_real guess_length(const mbd_sim *s, int j) {
  const int first = euler_of(s->m, j);
  mbd_real sum = 0;
  if (first < 0) { return 1; }
  for (int i = first; i < first + 4; i++) { sum += given_guess(s, i) * given_guess(s, i); }
  return mbd_select(mbd_re(sum) > 0, mbd_sqrt(sum), 1);
}

mbd_real start_guess(const mbd_sim *s, int j) {
  return given_guess(s, j) / guess_length(s, j);
}

/* Do the guesses close the loops? Drives, which are equations of constraints, too, need not hold there. */
static int loops_are_closed(mbd_sim *s) {
  double left = 0;
  start_evaluate_rows(s);
  for (int i = 0; i < s->m->nphi; i++) {
    if (!model_row_constraint(s->m, i)->ops->phi_t) { left = fmax(left, mbd_largest(s->start->F[i])); }
  }
  return left <= start_held_to;
}

void start_begin_at_held(mbd_sim *s) {
  static const double beside = 1e-3;
  const mbd_model *m = s->m;
  const mbd_constraint_ops *of_coordinate = mbd_constraint_find("hold_coordinate");
  if (loops_are_closed(s)) { return; }
  for (int i = 0; i < m->nhold; i++) {
    const mbd_constraint *c = &m->hold[i];
    const int j = c->lift.arg[0].b;
    const mbd_real value = s->p->theta[c->coef];
    if (c->ops != of_coordinate || m->z_guess[j] >= 0 || euler_of(m, j) >= 0) { continue; }
    if (mbd_any(mbd_largest(value) > start_step_max)) { s->now.z[j] = value + beside; }
  }
}

int start_guess_slopes(const mbd_sim *s, int j, int *coef, mbd_real *slope) {
  const int first = euler_of(s->m, j), from = first < 0 ? j : first, to = first < 0 ? j + 1 : first + 4;
  int n = 0;
  for (int i = from; i < to; i++) {
    if (s->m->z_guess[i] < 0) { continue; }
    coef[n] = s->m->z_guess[i];
    slope[n++] = first < 0 ? 1 : ((i == j) - start_guess(s, i) * start_guess(s, j)) / guess_length(s, j);
  }
  return n;
}

void start_free_values(const mbd_sim *s, mbd_real *F) {
  for (int i = 0; i < s->start->nfree; i++) {
    F[i] = s->now.z[s->start->free_z[i]] - start_guess(s, s->start->free_z[i]);
  }
}

void start_free_sens(const mbd_sim *s, int k, mbd_real *b) {
  for (int i = 0; i < s->start->nfree; i++) {
    int coef[4];
    mbd_real slope[4];
    const int n = start_guess_slopes(s, s->start->free_z[i], coef, slope);
    for (int g = 0; g < n; g++) { b[i * s->np + k] += slope[g] * s->d[k]->dtheta[coef[g]]; }
  }
}

void start_free_back(const mbd_sim *s, const mbd_real *weight, params_reverse *theta) {
  for (int i = 0; i < s->start->nfree; i++) {
    int coef[4];
    mbd_real slope[4];
    const int n = start_guess_slopes(s, s->start->free_z[i], coef, slope);
    for (int g = 0; g < n; g++) { theta->theta[coef[g]] += slope[g] * weight[i]; }
  }
}

void start_clear_row(mbd_sim *s, const mbd_constraint *c, int row) {
  const mbd_blocks *blocks = s->start->rows;
  motion_clear_scattered(c, row, blocks->row, blocks->at, blocks->packed);
}

void start_fill_rows(mbd_sim *s) {
  mbd_blocks *blocks = s->start->rows;
  mbd_blocks_clear(blocks);
  motion_phi_scattered(s->w, s->start->without_held ? s->eq : s->held, s->start->F, blocks->row, blocks->at,
                       blocks->packed);
  for (int i = s->m->nconstraint - s->m->nvelocity; i < s->m->nconstraint; i++) { /* which do not restrict positions */
    const mbd_constraint *c = &s->m->constraint[i];
    for (int r = c->row; r < c->row + c->ops->nphi; r++) { start_clear_row(s, c, r); }
  }
  for (int i = s->eq.nrow; s->start->without_held && i < s->held.nrow; i++) { s->start->F[i] = 0; }
  start_free_values(s, s->start->F + s->held.nrow);
}

void start_evaluate_rows(mbd_sim *s) {
  motion_place(s->w, s->p, s->t, s->now.z);
  start_fill_rows(s);
}

mbd_status start_not_fixed(mbd_error *err) {
  MBD_FAIL(err, MBD_SINGULAR, "the start is singular: constraints and held quantities do not fix all coordinates");
}

mbd_status start_factor_present_rows(mbd_sim *s, mbd_error *err) {
  return mbd_blocks_factor(s->start->rows, 0) == MBD_OK ? MBD_OK : start_not_fixed(err);
}

mbd_status start_factor_rows(mbd_sim *s, mbd_error *err) {
  start_evaluate_rows(s);
  mbd_blocks_keep(s->start->rows, s->start->nfree, s->start->free_z);
  return start_factor_present_rows(s, err);
}

const char *start_row_name(const mbd_sim *s, int row) {
  const mbd_model *m = s->m;
  if (row < m->nphi) { return m->phi_name[row]; }
  row -= m->nphi;
  if (row < s->held.nhold) { return m->hold[row].name; } /* all held quantities have one row */
  return m->z_name[s->start->free_z[row - s->held.nhold]];
}

static const char *unit_of_row(const mbd_sim *s, int row) {
  const mbd_model *m = s->m;
  if (row < m->nphi) { return model_equation_unit(m, model_row_constraint(m, row)); }
  row -= m->nphi;
  if (row < s->held.nhold) { return model_equation_unit(m, &m->hold[row]); }
  return m->z_unit[s->start->free_z[row - s->held.nhold]];
}

const char *start_row_left(const mbd_sim *s, int row, double left, const char *per, char text[START_ROW_LEFT]) {
  const char *unit = unit_of_row(s, row);
  if (!*unit && *per) { unit = "1"; }
  snprintf(text, START_ROW_LEFT, "'%.250s' is left at %.3g%s%s%s", start_row_name(s, row), left, *unit ? " " : "", unit,
           per);
  return text;
}

int start_worst_row(const mbd_sim *s, int n) {
  int worst = 0;
  for (int i = 0; i < n; i++) {
    if (isnan(mbd_largest(s->start->F[i]))) { return i; }
    if (mbd_largest(s->start->F[i]) > mbd_largest(s->start->F[worst])) { worst = i; }
  }
  return worst;
}
