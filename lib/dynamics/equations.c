/* The constraints, their rates and their derivatives, as matrices and along directions.
 * Equations: theory.md §4 (4.2), theory.md §3 (3.3). */
#include <assert.h>
#include <string.h>

#include "dynamics/element.h"
#include "dynamics/parts.h"

/* The places of the entries of a row. col: number of each of its columns, NULL: they are stored side by side. at: the place of each
 * number, NULL: the number itself. */
typedef struct row_places {
  const int *col, *at;
} row_places;

static inline int row_place(const row_places *p, int k) {
  return !p->col ? k : p->at ? p->at[p->col[k]] : p->col[k];
}

/* Computes the rows of Phi_z of one constraint from the columns of its arguments: sum_a J_ra . dx_a */
static inline void rows_from_columns(const mbd_work *w, const mbd_lift *l, int nphi,
                                     const mbd_real (*J)[CONSTRAINT_ARG_MAX][3], mbd_real *const *row,
                                     const row_places *places) {
  for (int k = 0; k < l->ncol; k++) {
    mbd_real v[MBD_ROW_MAX] = {0};
    for (int a = 0; a < l->narg; a++) {
      const mbd_real *dx = w->element.dx + lift_at(l, a, k);
      if (!l->flag[a * l->ncol + k]) { continue; }
      for (int r = 0; r < nphi; r++) { v[r] += v3_dot(J[r][a], dx); }
    }
    const int place = row_place(places, k);
    for (int r = 0; r < nphi; r++) { row[r][place] = v[r]; }
  }
}

/* Computes Phi (NULL: not wanted) and the rows of Phi_z of one constraint, row[r] where row r begins. */
static void constraint_rows(mbd_work *w, const mbd_constraint *c, mbd_real *phi, mbd_real *const *row, const int *col,
                            const int *at) {
  const row_places places = {col, at};
  element_state q;
  element_evaluate(w, c, 0, &q);
  for (int r = 0; phi && c->ops->velocity && r < c->ops->nphi; r++) { phi[r] = 0; }
  if (phi && !c->ops->velocity) { c->ops->phi(&q.in, phi); }
  element_first(c->ops, &q);
  lift_columns(w, &c->lift);
  switch (c->ops->nphi) { /* loops of known length */
    case 1: rows_from_columns(w, &c->lift, 1, CONSTJ(q.J), row, &places); break;
    case 3: rows_from_columns(w, &c->lift, 3, CONSTJ(q.J), row, &places); break;
    default: rows_from_columns(w, &c->lift, c->ops->nphi, CONSTJ(q.J), row, &places); break;
  }
}

/* Returns x + first, or NULL if x is NULL. */
static mbd_real *from(mbd_real *x, int first) {
  return x ? x + first : NULL;
}

void motion_phi(mbd_work *w, motion_rows rows, mbd_real *phi, mbd_real *Phi_z) {
  const int n = w->model->nz;
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    mbd_real *row[MBD_ROW_MAX];
    for (int r = 0; r < e.c->ops->nphi; r++) { row[r] = Phi_z + (e.first + r) * n; }
    constraint_rows(w, e.c, from(phi, e.first), row, e.c->lift.col, NULL);
  }
}

void motion_phi_scattered(mbd_work *w, motion_rows rows, mbd_real *phi, mbd_real *const *row, const int *at,
                          const unsigned char *packed) {
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    const int side_by_side = packed && packed[e.first];
    constraint_rows(w, e.c, from(phi, e.first), row + e.first, side_by_side ? NULL : e.c->lift.col, at);
  }
}

static int all_zero(int n, const mbd_real *x) {
  for (int k = 0; k < n; k++) {
    if (mbd_any(x[k] != 0)) { return 0; }
  }
  return 1;
}

void motion_phi_packed(mbd_work *w, motion_rows rows, mbd_real *phi, const mbd_packed *P) {
  int next = 0;
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    const mbd_lift *l = &e.c->lift;
    const int n = l->ncol;
    mbd_real *row[MBD_ROW_MAX];
    for (int r = 0; r < e.c->ops->nphi; r++) { row[r] = P->val + next + r * n; }
    constraint_rows(w, e.c, from(phi, e.first), row, NULL, NULL);
    for (int r = 0; r < e.c->ops->nphi; r++) {
      P->first[e.first + r] = next;
      if (all_zero(n, row[r])) { continue; }
      if (row[r] != P->val + next) { memcpy(P->val + next, row[r], (size_t)n * sizeof *P->val); }
      memcpy(P->col + next, l->col, (size_t)n * sizeof *P->col);
      next += n;
    }
  }
  P->first[rows.nrow] = next;
}

void motion_phi_t(const mbd_work *w, motion_rows rows, mbd_real *phi_t) {
  assert(w->stage >= WORK_PLACED);
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    element_state q;
    mbd_real ft[MBD_ROW_MAX], ftt[MBD_ROW_MAX];
    if (e.c->ops->phi_t) { element_evaluate(w, e.c, 0, &q); }
    element_explicit_time(e.c->ops, &q, ft, ftt);
    for (int r = 0; r < e.c->ops->nphi; r++) { phi_t[e.first + r] = ft[r]; }
  }
}

void motion_clear_scattered(const mbd_constraint *c, int i, mbd_real *const *row, const int *at,
                            const unsigned char *packed) {
  for (int k = 0; row[i] && k < c->lift.ncol; k++) { row[i][packed && packed[i] ? k : at[c->lift.col[k]]] = 0; }
}

void motion_phidd(const mbd_work *w, motion_rows rows, mbd_real *phidd) {
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    element_state q;
    element_evaluate(w, e.c, 1, &q);
    element_phidd(e.c->ops, &q, phidd + e.first);
  }
}

static void clear_places(const mbd_lift *l, mbd_real *row) {
  for (int k = 0; k < l->ncol; k++) { row[l->col[k]] = 0; }
}

/* One row:  Phid_z = g . x_z + J . xd_z,   Phidd_z = gd . x_z + g2 . xd_z + J . xdd_z,   Phidd_zd = g2 . x_z + J . xdd_zd
 * with g, gd, g2 of element_row_rate; the last two may be NULL. */
static void row_rates_z(const mbd_work *w, const mbd_constraint *c, const element_state *state, int r, mbd_real *Phid_z,
                        mbd_real *Phidd_z, mbd_real *Phidd_zd) {
  const mbd_lift *l = &c->lift;
  mbd_real g[ELEMENT_ARG_MAX][3], gd[ELEMENT_ARG_MAX][3], g2[ELEMENT_ARG_MAX][3];
  clear_places(l, Phid_z);
  if (Phidd_z) { clear_places(l, Phidd_z), clear_places(l, Phidd_zd); }
  element_row_rate(c->ops, state, r, g, gd, g2);
  for (int a = 0; a < l->narg; a++) {
    for (int k = 0; k < l->ncol; k++) {
      const size_t at = lift_at(l, a, k);
      const int j = l->col[k];
      const mbd_real *x = w->element.dx + at, *xd = w->element.dxd + at;
      Phid_z[j] += v3_dot(g[a], x) + v3_dot(state->J[r][a], xd);
      if (!Phidd_z) { continue; }
      Phidd_z[j] += v3_dot(gd[a], x) + v3_dot(g2[a], xd) + v3_dot(state->J[r][a], w->element.dxdd + at);
      Phidd_zd[j] += v3_dot(g2[a], x) + v3_dot(state->J[r][a], w->element.dxdd_zd + at);
    }
  }
}

void motion_rates_z(mbd_work *w, motion_rows rows, mbd_real *Phid_z, mbd_real *Phidd_z, mbd_real *Phidd_zd) {
  const int n = w->model->nz;
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    element_state q;
    element_evaluate(w, e.c, 1, &q);
    element_first(e.c->ops, &q);
    lift_columns(w, &e.c->lift);
    lift_rate_columns(w, &e.c->lift, Phidd_z != NULL);
    for (int r = 0; r < e.c->ops->nphi; r++) {
      const int row = (e.first + r) * n;
      row_rates_z(w, e.c, &q, r, Phid_z + row, from(Phidd_z, row), from(Phidd_zd, row));
    }
  }
}

void motion_velocity_rows(mbd_work *w, mbd_real *psi, mbd_real *psi_z, mbd_real *psid_z, mbd_real *psid_zd) {
  const mbd_model *m = w->model;
  for (int i = m->nconstraint - m->nvelocity, row = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    element_state q;
    element_evaluate(w, c, 1, &q);
    element_first(c->ops, &q);
    if (psi) { element_value(c->ops, &q, psi + row); }
    if (psi_z) { lift_columns(w, &c->lift), lift_rate_columns(w, &c->lift, psid_z != NULL); }
    for (int r = 0; r < c->ops->nphi; r++, row++) {
      const int at = row * m->nz;
      if (psi_z) { row_rates_z(w, c, &q, r, psi_z + at, from(psid_z, at), from(psid_zd, at)); }
    }
  }
}

/* K += x_z' H x_z of one element */
static void add_slopes(const mbd_work *w, const mbd_lift *l, const mbd_real (*H)[ELEMENT_ARG_MAX][9], mbd_real *K) {
  const mbd_nonzeros *packed = w->formed.K_at;
  const int n = w->model->nz;
  lift_block block[ELEMENT_ARG_MAX * ELEMENT_ARG_MAX];
  const int nblock = lift_blocks(l->narg, H, block);
  for (int b = 0; b < nblock; b++) {
    const unsigned char *moves_a = l->flag + block[b].a * l->ncol, *moves_b = l->flag + block[b].b * l->ncol;
    for (int cj = 0; cj < l->ncol; cj++) {
      mbd_real df[3];
      if (!moves_b[cj]) { continue; }
      m3_vec(df, H[block[b].a][block[b].b], w->element.dx + lift_at(l, block[b].b, cj));
      for (int ck = 0, place = -1; ck < l->ncol; ck++) {
        if (!moves_a[ck]) { continue; }
        K[entry_of_column(packed, n, l->col[ck], l->col[cj], &place)] +=
            v3_dot(w->element.dx + lift_at(l, block[b].a, ck), df);
      }
    }
  }
}

void reactions_jacobian(mbd_work *w, motion_rows rows, const mbd_real *lam, mbd_real *K) {
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    element_state q;
    mbd_real f[ELEMENT_ARG_MAX][3], H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
    element_evaluate(w, e.c, 0, &q);
    element_first(e.c->ops, &q);
    if (!element_reaction(e.c->ops, &q, lam + e.first, f)) { continue; }
    const int curved = element_second(e.c->ops, &q, lam + e.first, H);
    if (e.c->lift.body > 0) {
      slopes_add(w, &e.c->lift, &q.s, CONST3(f), curved ? CONSTH(H) : NULL, NULL, 1);
      continue;
    }
    second_add(w, &e.c->lift, CONST3(f), 1);
    if (!curved) { continue; }
    lift_columns(w, &e.c->lift);
    add_slopes(w, &e.c->lift, CONSTH(H), K);
  }
}

/* T += alpha times the products of nphi rows of Phi_z, which begin at `row`, at their columns. Both halves get the same numbers. */
static inline void add_squares(const mbd_lift *l, int n, int nphi, const mbd_real *restrict row, mbd_real alpha,
                               mbd_real *restrict T) {
  for (int a = 0; a < l->ncol; a++) {
    const int i = l->col[a];
    mbd_real v[MBD_ROW_MAX];
    int any = 0;
    for (int r = 0; r < nphi; r++) { v[r] = alpha * row[r * n + i], any |= mbd_any(v[r] != 0); }
    if (!any) { continue; }
    for (int b = 0; b < a; b++) {
      const int j = l->col[b];
      mbd_real sum = 0;
      for (int r = 0; r < nphi; r++) { sum += v[r] * row[r * n + j]; }
      T[i * n + j] += sum, T[j * n + i] += sum;
    }
    for (int r = 0; r < nphi; r++) { T[i * n + i] += v[r] * row[r * n + i]; }
  }
}

void motion_add_gram(const mbd_model *m, const mbd_real *Phi_z, mbd_real alpha, const double *weight, mbd_real *T) {
  const int n = m->nz;
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    const mbd_real *row = Phi_z + c->row * n;
    for (int r = 0; weight && r < c->ops->nphi; r++) {
      add_squares(&c->lift, n, 1, row + r * n, alpha * weight[c->row + r], T);
    }
    if (weight) { continue; }
    switch (c->ops->nphi) { /* loops of known length */
      case 1: add_squares(&c->lift, n, 1, row, alpha, T); break;
      case 3: add_squares(&c->lift, n, 3, row, alpha, T); break;
      default: add_squares(&c->lift, n, c->ops->nphi, row, alpha, T); break;
    }
  }
}

/* ---- directions ---- */

int constraint_moves(const mbd_work *w, int i) {
  const mbd_dparams *d = w->variation.last.d;
  return d && (d->constraint_active[i] ||
               (mbd_any(w->variation.last.stretch != 0) && params_constraint_has_time(&w->model->constraint[i])));
}

/* The same of an element of rows, which may be a held quantity. */
static int own_moves(const mbd_work *w, const motion_rows *rows, int i) {
  const mbd_dparams *d = w->variation.last.d;
  const int nc = rows->m->nconstraint;
  return i < nc ? constraint_moves(w, i) : d && d->hold_active[i - nc];
}

static mbd_element_direction own_direction(const mbd_work *w, const mbd_constraint *c) {
  return params_direction(w->variation.last.d, c->coef, c->prepared, w->variation.last.stretch * w->t);
}

/* Computes d[r] of the rows of one element: by its arguments and by its own coefficients. */
static void element_direction(const mbd_work *w, const mbd_constraint *c, int own, mbd_real (*d)[3]) {
  element_state q;
  mbd_arg_state ds;
  const int moved = vary_arguments(w, &c->lift, 1, &ds);
  memset(d, 0, (size_t)c->ops->nphi * sizeof *d);
  if (!moved && !own) { return; }
  element_evaluate(w, c, 1, &q);
  element_first(c->ops, &q);
  if (own && c->ops->phi_c) {
    const mbd_element_direction e = own_direction(w, c);
    element_rows_own(c->ops, &q, &e, d);
  }
  for (int r = 0; moved && r < c->ops->nphi; r++) { element_row_moved(c->ops, &q, &ds, r, d[r]); }
}

/* Returns 0 if no row changes along the direction, because it changes forces or masses only. */
static int rows_change(const mbd_work *w) {
  const mbd_variation *v = &w->variation.last;
  const mbd_dparams *d = v->d;
  return v->any || (d && (d->any_marker || d->any_constraint || d->any_hold || mbd_any(v->stretch != 0)));
}

void rows_direction(const mbd_work *w, motion_rows rows, mbd_real *dphi, mbd_real *dphid, mbd_real *dphidd) {
  mbd_real *const out[3] = {dphi, dphid, dphidd};
  if (!rows_change(w)) {
    for (int k = 0; k < 3; k++) {
      for (int i = 0; out[k] && i < rows.nrow; i++) { out[k][i] = 0; }
    }
    return;
  }
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    mbd_real d[MBD_ROW_MAX][3];
    element_direction(w, e.c, own_moves(w, &rows, i), d);
    for (int k = 0; k < 3; k++) {
      for (int r = 0; out[k] && r < e.c->ops->nphi; r++) { out[k][e.first + r] = d[r][k]; }
    }
  }
}

element_change reaction_change(const mbd_work *w, const mbd_constraint *c, int own, const mbd_real *lam,
                               mbd_real (*f)[3], mbd_real (*df)[3]) {
  element_state q;
  mbd_arg_state ds;
  /* A row's force phi_x' lam changes with its arguments, and by own coefficients where these are factors of phi_x (a gear's ratio). */
  const int moved = vary_arguments(w, &c->lift, 0, &ds), bent = own && c->ops->phi_xc;
  if (!moved && !bent) { return ELEMENT_SAME; }
  const mbd_element_direction by_own = bent ? own_direction(w, c) : (mbd_element_direction){0};
  element_evaluate(w, c, 0, &q);
  if (!element_reaction_moved(c->ops, &q, lam, moved ? &ds : NULL, bent ? &by_own : NULL, f, df)) {
    return ELEMENT_SAME;
  }
  return moved ? ELEMENT_MOVED : ELEMENT_OTHER;
}

static void reaction_direction(mbd_work *w, const mbd_constraint *c, int own, const mbd_real *lam, mbd_real *dr) {
  mbd_real f[ELEMENT_ARG_MAX][3], df[ELEMENT_ARG_MAX][3];
  const element_change change = reaction_change(w, c, own, lam, f, df);
  if (change == ELEMENT_SAME) { return; }
  vary_forces(w, &c->lift, change == ELEMENT_MOVED ? CONST3(f) : NULL, CONST3(df), 1, dr);
}

void reactions_direction(mbd_work *w, motion_rows rows, const mbd_real *lam, mbd_real *dr) {
  if (!rows_change(w)) { return; }
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    reaction_direction(w, e.c, own_moves(w, &rows, i), lam + e.first, dr);
  }
}
