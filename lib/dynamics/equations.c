#include "dynamics/equations.h"

#include <string.h>

#include "dynamics/element.h"

/* What is not zero of one row of phi_x: its value, and its place in the first column of dx. */
typedef struct row_entry {
  mbd_real v;
  size_t at;
} row_entry;

static int row_entries(const mbd_lift *l, const mbd_real (*J)[3], row_entry list[3 * MBD_ARG_MAX]) {
  int count = 0;
  for (int a = 0; a < l->narg; a++) {
    for (int i = 0; i < 3; i++) {
      if (J[a][i] != 0) { list[count++] = (row_entry){J[a][i], lift_at(l, a, 0) + (size_t)i}; }
    }
  }
  return count;
}

/* Rows of one constraint, row[r] where row r begins; col: number of each of its columns, NULL: they stand side by side; at:
 * place of every number, NULL: itself. */
static void constraint_rows(const mbd_params *p, mbd_work *w, const mbd_constraint *c, mbd_real t, mbd_real *phi,
                            mbd_real *const *row, const int *col, const int *at) {
  const mbd_lift *l = &c->lift;
  element_state q;
  element_evaluate(p, w, c, t, 0, &q);
  if (phi) { c->ops->phi(&q.in, phi + c->row); }
  element_first(c, &q);
  lift_columns(w, l);
  for (int r = 0; r < c->ops->nphi; r++) {
    row_entry e[3 * MBD_ARG_MAX];
    const int count = row_entries(l, CONST3(q.J[r]), e);
    for (int k = 0; k < l->ncol; k++) {
      mbd_real v = 0;
      for (int i = 0; i < count; i++) { v += e[i].v * w->dx[e[i].at + 3 * (size_t)k]; }
      row[r][!col ? k : at ? at[col[k]] : col[k]] = v;
    }
  }
}

void eq_phi_z(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi, mbd_real *Phi_z) {
  memset(Phi_z, 0, (size_t)e.nrow * (size_t)w->model->nz * sizeof *Phi_z);
  eq_phi_z_places(p, w, e, t, phi, Phi_z);
}

void eq_phi_z_places(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi, mbd_real *Phi_z) {
  const int n = w->model->nz;
  for (int i = 0; i < e.n; i++) {
    const mbd_constraint *c = &e.c[i];
    mbd_real *row[MBD_ROW_MAX];
    for (int r = 0; r < c->ops->nphi; r++) { row[r] = Phi_z + (c->row + r) * n; }
    constraint_rows(p, w, c, t, phi, row, c->lift.col, NULL);
  }
}

void eq_phi_z_rows(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi, mbd_real *const *row,
                   const int *at) {
  for (int i = 0; i < e.n; i++) { constraint_rows(p, w, &e.c[i], t, phi, row + e.c[i].row, e.c[i].lift.col, at); }
}

static int all_zero(int n, const mbd_real *x) {
  for (int k = 0; k < n; k++) {
    if (x[k] != 0) { return 0; }
  }
  return 1;
}

void eq_phi_z_packed(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi, const mbd_packed *P) {
  int next = 0;
  for (int i = 0; i < e.n; i++) {
    const mbd_constraint *c = &e.c[i];
    const int n = c->lift.ncol;
    mbd_real *row[MBD_ROW_MAX];
    for (int r = 0; r < c->ops->nphi; r++) { row[r] = P->val + next + r * n; }
    constraint_rows(p, w, c, t, phi, row, NULL, NULL);
    for (int r = 0; r < c->ops->nphi; r++) {
      P->first[c->row + r] = next;
      if (all_zero(n, row[r])) { continue; }
      if (row[r] != P->val + next) { memcpy(P->val + next, row[r], (size_t)n * sizeof *P->val); }
      memcpy(P->col + next, c->lift.col, (size_t)n * sizeof *P->col);
      next += n;
    }
  }
  P->first[e.nrow] = next;
}

static void explicit_time(const mbd_constraint *c, const element_state *q, mbd_real *phi_t, mbd_real *phi_tt) {
  for (int r = 0; r < MBD_ROW_MAX; r++) { phi_t[r] = phi_tt[r] = 0; }
  if (c->ops->phi_t) { c->ops->phi_t(&q->in, phi_t, phi_tt); }
}

void eq_time(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi_t) {
  for (int i = 0; i < e.n; i++) {
    const mbd_constraint *c = &e.c[i];
    element_state q;
    mbd_real ft[MBD_ROW_MAX], ftt[MBD_ROW_MAX];
    if (c->ops->phi_t) { element_evaluate(p, w, c, t, 0, &q); }
    explicit_time(c, &q, ft, ftt);
    for (int r = 0; r < c->ops->nphi; r++) { phi_t[c->row + r] = ft[r]; }
  }
}

void eq_phidd(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phidd) {
  for (int i = 0; i < e.n; i++) {
    const mbd_constraint *c = &e.c[i];
    element_state q;
    mbd_real ft[MBD_ROW_MAX], ftt[MBD_ROW_MAX], H[MBD_ARG_MAX][MBD_ARG_MAX][9], Hxd[MBD_ARG_MAX][3];
    element_evaluate(p, w, c, t, 1, &q);
    element_first(c, &q);
    explicit_time(c, &q, ft, ftt);
    for (int r = 0; r < c->ops->nphi; r++) {
      mbd_real v = element_row_dot(CONST3(q.J[r]), c->lift.narg, CONST3(q.s.xdd)) + ftt[r];
      if (element_second_of_row(c, &q, r, H)) {
        element_second_times(CONSTH(H), c->lift.narg, CONST3(q.s.xd), Hxd);
        v += element_row_dot(CONST3(Hxd), c->lift.narg, CONST3(q.s.xd));
      }
      phidd[c->row + r] = v;
    }
  }
}

void eq_rates_z(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *Phid_z, mbd_real *Phidd_z,
                mbd_real *Phidd_zd) {
  size_t bytes = (size_t)e.nrow * (size_t)w->model->nz * sizeof *Phid_z;
  memset(Phid_z, 0, bytes);
  if (Phidd_z) { memset(Phidd_z, 0, bytes), memset(Phidd_zd, 0, bytes); }
  eq_rates_z_places(p, w, e, t, Phid_z, Phidd_z, Phidd_zd);
}

static void clear_places(const mbd_lift *l, mbd_real *row) {
  for (int k = 0; k < l->ncol; k++) { row[l->col[k]] = 0; }
}

void eq_rates_z_places(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *Phid_z, mbd_real *Phidd_z,
                       mbd_real *Phidd_zd) {
  const int n = w->model->nz;
  for (int i = 0; i < e.n; i++) {
    const mbd_constraint *c = &e.c[i];
    const mbd_lift *l = &c->lift;
    element_state q;
    mbd_real H[MBD_ARG_MAX][MBD_ARG_MAX][9], g[MBD_ARG_MAX][3], gd[MBD_ARG_MAX][3];
    element_evaluate(p, w, c, t, 1, &q);
    element_first(c, &q);
    lift_columns(w, l);
    lift_rate_columns(w, l, Phidd_z != NULL);
    for (int r = 0; r < c->ops->nphi; r++) {
      size_t row = (size_t)(c->row + r) * (size_t)n;
      clear_places(l, Phid_z + row);
      if (Phidd_z) { clear_places(l, Phidd_z + row), clear_places(l, Phidd_zd + row); }
      mbd_args_zero(l->narg, g), mbd_args_zero(l->narg, gd);
      if (element_second_of_row(c, &q, r, H)) {
        element_second_times(CONSTH(H), l->narg, CONST3(q.s.xd), g);   /* Phid:  g . x_z + J . xd_z */
        element_second_times(CONSTH(H), l->narg, CONST3(q.s.xdd), gd); /* Phidd: gd . x_z + 2 g . xd_z + J . xdd_z */
      }
      for (int a = 0; a < l->narg; a++) {
        for (int k = 0; k < l->ncol; k++) {
          size_t at = lift_at(l, a, k), out = row + (size_t)l->col[k];
          const mbd_real *x = w->dx + at, *xd = w->dxd + at;
          Phid_z[out] += v3_dot(g[a], x) + v3_dot(q.J[r][a], xd);
          if (!Phidd_z) { continue; }
          Phidd_z[out] += v3_dot(gd[a], x) + 2 * v3_dot(g[a], xd) + v3_dot(q.J[r][a], w->dxdd + at);
          Phidd_zd[out] += 2 * v3_dot(g[a], x) + v3_dot(q.J[r][a], w->dxdd_zd + at);
        }
      }
    }
  }
}

void eq_hessian(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, const mbd_real *s, mbd_real *K) {
  const int n = w->model->nz;
  for (int i = 0; i < e.n; i++) {
    const mbd_constraint *c = &e.c[i];
    const mbd_lift *l = &c->lift;
    element_state q;
    mbd_real f[MBD_ARG_MAX][3], H[MBD_ARG_MAX][MBD_ARG_MAX][9];
    element_evaluate(p, w, c, t, 0, &q);
    element_first(c, &q);
    if (!element_reaction(c, &q, s + c->row, f)) { continue; }
    second_add(w, l, CONST3(f), 1);
    if (!element_second(c, &q, s + c->row, H)) { continue; }
    lift_columns(w, l);
    lift_block block[MBD_ARG_MAX * MBD_ARG_MAX];
    const int nblock = lift_blocks(l->narg, CONSTH(H), block);
    for (int b = 0; b < nblock; b++) {
      const unsigned char *moves_a = l->flag + block[b].a * l->ncol, *moves_b = l->flag + block[b].b * l->ncol;
      for (int cj = 0; cj < l->ncol; cj++) {
        mbd_real df[3];
        if (!moves_b[cj]) { continue; }
        m3_vec(df, H[block[b].a][block[b].b], w->dx + lift_at(l, block[b].b, cj));
        for (int ck = 0; ck < l->ncol; ck++) {
          if (moves_a[ck]) { K[l->col[ck] * n + l->col[cj]] += v3_dot(w->dx + lift_at(l, block[b].a, ck), df); }
        }
      }
    }
  }
  second_sum(p, w, K);
}

void eq_add_gram(const mbd_model *m, eq_list e, const mbd_real *Phi_z, mbd_real alpha, mbd_real *T) {
  const int n = m->nz;
  for (int i = 0; i < e.n; i++) {
    const mbd_lift *l = &e.c[i].lift;
    for (int r = 0; r < e.c[i].ops->nphi; r++) {
      const mbd_real *row = Phi_z + (e.c[i].row + r) * n;
      for (int a = 0; a < l->ncol; a++) {
        mbd_real v = alpha * row[l->col[a]];
        if (v == 0) { continue; }
        mbd_real *out = T + l->col[a] * n;
        for (int b = 0; b < l->ncol; b++) { out[l->col[b]] += v * row[l->col[b]]; }
      }
    }
  }
}

/* ---- directions ---- */

void eq_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, eq_list e, mbd_real t,
                  mbd_real *dphi, mbd_real *dphid, mbd_real *dphidd) {
  const unsigned char *active = !d ? NULL : e.c == w->model->hold ? d->hold_active : d->constraint_active;
  for (int r = 0; r < e.nrow; r++) {
    dphi[r] = 0;
    if (dphid) { dphid[r] = 0; }
    if (dphidd) { dphidd[r] = 0; }
  }
  if (!v->any && !(d && (d->any_marker || d->any_constraint || d->any_hold))) { return; }
  for (int i = 0; i < e.n; i++) {
    const mbd_constraint *c = &e.c[i];
    const int narg = c->lift.narg;
    element_state q;
    mbd_arg_state ds;
    const int moved = vary_arguments(d, w, v, &c->lift, 1, &ds), own = active && active[i];
    if (!moved && !own) { continue; }
    element_evaluate(p, w, c, t, 1, &q);
    element_first(c, &q);
    mbd_real dc[MBD_ROW_MAX] = {0}, dct[MBD_ROW_MAX] = {0}, dctt[MBD_ROW_MAX] = {0};
    if (own && c->ops->phi_c) {
      mbd_element_direction dir = params_direction(d, c->coef, c->own);
      c->ops->phi_c(&q.in, &dir, dc, dct, dctt);
    }
    for (int r = 0; r < c->ops->nphi; r++) {
      const int row = c->row + r;
      dphi[row] = dc[r];
      if (dphid) { dphid[row] = dct[r]; }
      if (dphidd) { dphidd[row] = dctt[r]; }
      if (!moved) { continue; }
      mbd_real H[MBD_ARG_MAX][MBD_ARG_MAX][9], g[MBD_ARG_MAX][3], gd[MBD_ARG_MAX][3];
      mbd_args_zero(narg, g), mbd_args_zero(narg, gd);
      if (element_second_of_row(c, &q, r, H)) {
        element_second_times(CONSTH(H), narg, CONST3(q.s.xd), g);
        element_second_times(CONSTH(H), narg, CONST3(q.s.xdd), gd);
      }
      dphi[row] += element_row_dot(CONST3(q.J[r]), narg, CONST3(ds.x));
      if (dphid) {
        dphid[row] +=
            element_row_dot(CONST3(g), narg, CONST3(ds.x)) + element_row_dot(CONST3(q.J[r]), narg, CONST3(ds.xd));
      }
      if (dphidd) {
        dphidd[row] += element_row_dot(CONST3(gd), narg, CONST3(ds.x)) +
                       2 * element_row_dot(CONST3(g), narg, CONST3(ds.xd)) +
                       element_row_dot(CONST3(q.J[r]), narg, CONST3(ds.xdd));
      }
    }
  }
}

static void one_reaction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v,
                         const mbd_constraint *c, mbd_real t, const mbd_real *s, mbd_real *dr) {
  const mbd_lift *l = &c->lift;
  element_state q;
  mbd_arg_state ds;
  mbd_real f[MBD_ARG_MAX][3], H[MBD_ARG_MAX][MBD_ARG_MAX][9], df[MBD_ARG_MAX][3];
  if (!vary_arguments(d, w, v, l, 0, &ds)) { return; }
  element_evaluate(p, w, c, t, 0, &q);
  element_first(c, &q);
  if (!element_reaction(c, &q, s, f)) { return; }
  mbd_args_zero(l->narg, df);
  if (element_second(c, &q, s, H)) { element_second_times(CONSTH(H), l->narg, CONST3(ds.x), df); }
  vary_forces(d, w, v, l, CONST3(f), CONST3(df), 1, dr);
}

void eq_reaction_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, eq_list e,
                           mbd_real t, const mbd_real *s, mbd_real *dr) {
  if (v->any || (d && d->any_marker)) {
    for (int i = 0; i < e.n; i++) { one_reaction(p, d, w, v, &e.c[i], t, s + e.c[i].row, dr); }
  }
  vary_sum(p, w, v, dr);
}
