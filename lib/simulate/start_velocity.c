/* The rows of the velocities of the start where there are velocity constraints Psi = A zd + b = 0. A joins Phi_z, so that fewer velocities are free
 * than positions: held quantities whose rate is not given, and then coordinates that keep their guess, lose their row if their rate follows from
 * the rows before them. Rows of A that depend on Phi_z are left out of the time steps (formulation/ali3p_velocity.c).
 * Equations: theory.md §5.5 (5.9a). */
#include <string.h>

#include "simulate/start.h"

static const double independent_from =
    1e-8; /* the part of a row, relative to its length, that is not in the span of others */

/* An orthonormal basis [n][nz] of rows. */
typedef struct basis {
  int n, nz;
  mbd_real *Q; /* [nz + 1][nz] real numbers */
} basis;

/* The part of a row outside of the span, relative to the row; leaves its direction behind the basis. */
static double outside(const basis *b, const mbd_real *row) {
  mbd_real *q = b->Q + (size_t)b->n * (size_t)b->nz;
  memcpy(q, row, (size_t)b->nz * sizeof *q);
  const double size = mbd_first(mbd_dot(b->nz, row, row)),
               left = mbd_first(mbd_orthogonalize(b->nz, b->n, b->Q, q, NULL));
  for (int j = 0; left > 0 && j < b->nz; j++) { q[j] /= sqrt(left); }
  return size > 0 ? sqrt(left / size) : 0;
}

/* Adds a row to the span; returns 0 if it is in the span. */
static int add_row(basis *b, const mbd_real *row) {
  if (b->n >= b->nz || outside(b, row) < independent_from) { return 0; }
  b->n++;
  return 1;
}

static void copy_row(const mbd_sim *s, const mbd_constraint *c, int row, mbd_real *to) {
  const mbd_blocks *blocks = s->start->rows;
  memset(to, 0, (size_t)s->m->nz * sizeof *to);
  for (int k = 0; blocks->row[row] && k < c->lift.ncol; k++) {
    const int j = c->lift.col[k];
    to[j] = mbd_first(blocks->row[row][blocks->packed[row] ? k : blocks->at[j]]);
  }
}

/* Spans Phi_z and A, and marks the rows of A that are in the span of Phi_z and of others, but not in that of other rows of A alone. */
static void span_constraints(mbd_sim *s, basis *all) {
  sim_start *start = s->start;
  const mbd_model *m = s->m;
  basis velocities = {0, m->nz, start->basis + m->nz * (m->nz + 1)};
  s->nleft_out = 0;
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    for (int row = c->row; row < c->row + c->ops->nphi; row++) {
      copy_row(s, c, row, start->one_row);
      const int adds = add_row(all, start->one_row),
                of_its_own = c->ops->velocity && add_row(&velocities, start->one_row);
      if (c->ops->velocity) { s->left_out[row - s->velocity_row] = of_its_own && !adds; }
      s->nleft_out += of_its_own && !adds;
    }
  }
}

/* Chooses the held quantities that lose their row, and the kept coordinates that rest. */
static void choose(mbd_sim *s) {
  sim_start *start = s->start;
  const mbd_model *m = s->m;
  basis all = {0, m->nz, start->basis};
  span_constraints(s, &all);
  for (int given = 1; given >= 0; given--) {
    for (int i = 0; i < s->held.nhold; i++) {
      if (m->hold[i].rate_follows == given) { continue; }
      copy_row(s, &m->hold[i], m->nphi + i, start->one_row);
      start->follows[i] = !add_row(&all, start->one_row) && !given;
    }
  }
  start->nrest = 0;
  for (int i = 0; i < start->nfree; i++) {
    memset(start->one_row, 0, (size_t)m->nz * sizeof *start->one_row);
    start->one_row[start->free_z[i]] = 1;
    if (add_row(&all, start->one_row)) { start->rest_z[start->nrest++] = start->free_z[i]; }
  }
}

void start_leave_following(const mbd_sim *s, int k, mbd_real *rows) {
  for (int i = 0; s->m->nvelocity > 0 && i < s->held.nhold; i++) {
    for (int j = 0; s->start->follows[i] && j < k; j++) { rows[(s->m->nphi + i) * k + j] = 0; }
  }
}

static mbd_status fill_rates(mbd_sim *s, int chooses, mbd_error *err) {
  sim_start *start = s->start;
  mbd_blocks *blocks = start->rows;
  mbd_blocks_clear(blocks);
  motion_phi_scattered(s->w, s->held, start->F, blocks->row, blocks->at, blocks->packed);
  if (chooses) {
    choose(s);
    s->rank = mbd_blocks_rank(blocks, s->m->nphi, independent_from, MBD_RANK_ROWS, s->row, start->all_z);
    if (s->rank < 0) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the rank of %d constraints", s->m->nphi); }
  }
  for (int i = 0; i < s->held.nhold; i++) {
    if (start->follows[i]) { start_clear_row(s, &s->m->hold[i], s->m->nphi + i); }
  }
  mbd_blocks_keep(blocks, start->nrest, start->rest_z);
  return start_factor_present_rows(s, err);
}

mbd_status start_choose_rates(mbd_sim *s, mbd_error *err) {
  s->position_rank = s->rank;
  return s->m->nvelocity > 0 ? fill_rates(s, 1, err) : MBD_OK;
}

mbd_status start_factor_rates(mbd_sim *s, mbd_error *err) {
  return s->m->nvelocity > 0 ? fill_rates(s, 0, err) : MBD_OK;
}
