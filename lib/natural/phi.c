/* Constraints in natural coordinates (theory.md §4.1 (4.7)): Phi, its rates and Phi_q. */
#include <string.h>

#include "natural/natural.h"

void natural_element_evaluate(const natural_params *v, int i, mbd_real t, const mbd_real *q, const mbd_real *qd,
                              const mbd_real *qdd, element_state *at) {
  const natural_element *e = &v->n->element[i];
  for (int a = 0; a < e->ops->narg; a++) { natural_argument(v, &e->arg[a], q, qd, qdd, a, &at->s); }
  if (e->given) {
    params_constraint_input(v->p, e->given, t, &at->s, &at->in);
  } else {
    at->in = (mbd_element_input){.s = &at->s, .t = t, .prepared = v->constants + i, .variant = e->ops->variant};
  }
}

/* Adds Phi_x times the weights of an argument to the places of the row. */
static void add_argument(const natural_params *v, const natural_element *e, int a, const mbd_real J[3], mbd_real *row) {
  const int *slot = v->n->slot + e->slot + NATURAL_TERMS * a;
  int basic[NATURAL_TERMS];
  mbd_real weight[NATURAL_TERMS];
  if (e->arg[a].kind == MBD_ARG_COORDINATE) {
    row[slot[0]] += J[0];
    return;
  }
  const int count = natural_terms(v->n, v, &e->arg[a], basic, weight);
  for (int k = 0; k < count; k++) {
    if (slot[k] >= 0) { v3_axpy(row + slot[k], weight[k], J); }
  }
}

void natural_phi(const natural_params *v, mbd_real t, const mbd_real *q, mbd_real *phi, mbd_real *Phi_q) {
  const natural *n = v->n;
  if (Phi_q) { memset(Phi_q, 0, (size_t)n->first[n->nphi] * sizeof *Phi_q); }
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    element_state at;
    natural_element_evaluate(v, i, t, q, NULL, NULL, &at);
    for (int r = 0; e->ops->velocity && r < e->ops->nphi; r++) { phi[e->row + r] = 0; }
    if (!e->ops->velocity) { e->ops->phi(&at.in, phi + e->row); }
    if (!Phi_q) { continue; }
    element_first(e->ops, &at);
    for (int r = 0; r < e->ops->nphi; r++) {
      for (int a = 0; a < e->ops->narg; a++) { add_argument(v, e, a, at.J[r][a], Phi_q + n->first[e->row + r]); }
    }
  }
}

/* row [nq] := g through the weights of the arguments of row r of an element, whose rates are linear in q. */
static void fill_row(const natural_params *v, const natural_element *e, int r, const mbd_real (*g)[3], mbd_real *row) {
  const natural *n = v->n;
  const int first = n->first[e->row + r];
  mbd_real packed[CONSTRAINT_ARG_MAX * NATURAL_TERMS * 3] = {0};
  for (int a = 0; a < e->ops->narg; a++) { add_argument(v, e, a, g[a], packed); }
  memset(row, 0, (size_t)n->nq * sizeof *row);
  for (int k = first; k < n->first[e->row + r + 1]; k++) { row[n->col[k]] = packed[k - first]; }
}

void natural_velocity_rows(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                           const mbd_real *qdd, mbd_real *psi, mbd_real *psi_q, mbd_real *psid_q, mbd_real *psid_qd) {
  const natural *n = v->n;
  int row = 0;
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    element_state at = {.s = {.x = {{0}}}};
    if (!e->ops->velocity) { continue; }
    natural_element_evaluate(v, i, t, q, qd, psid_q ? qdd : NULL, &at);
    element_value(e->ops, &at, psi + row);
    for (int r = 0; psi_q && r < e->ops->nphi; r++) {
      mbd_real g[CONSTRAINT_ARG_MAX][3], gd[CONSTRAINT_ARG_MAX][3], g2[CONSTRAINT_ARG_MAX][3];
      const int to = (row + r) * n->nq;
      element_row_rate(e->ops, &at, r, g, gd, g2);
      fill_row(v, e, r, CONST3(g), psi_q + to);
      if (!psid_q) { continue; }
      fill_row(v, e, r, CONST3(gd), psid_q + to);
      fill_row(v, e, r, CONST3(g2), psid_qd + to);
    }
    row += e->ops->nphi;
  }
}

void natural_phi_t(const natural_params *v, mbd_real t, const mbd_real *q, mbd_real *phi_t) {
  const natural *n = v->n;
  memset(phi_t, 0, (size_t)n->nphi * sizeof *phi_t);
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    element_state at;
    mbd_real phi_tt[MBD_ROW_MAX];
    if (!e->ops->phi_t) { continue; }
    natural_element_evaluate(v, i, t, q, NULL, NULL, &at);
    e->ops->phi_t(&at.in, phi_t + e->row, phi_tt);
  }
}

void natural_phidd(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd,
                   mbd_real *phidd) {
  for (int i = 0; i < v->n->nelement; i++) {
    const natural_element *e = &v->n->element[i];
    element_state at;
    natural_element_evaluate(v, i, t, q, qd, qdd, &at);
    element_phidd(e->ops, &at, phidd + e->row);
  }
}

/* Rows of an element whose second derivatives vary, or are not symmetric: g, gd and g2 - 2 g of element_row_rate through the weights of the
 * arguments. */
static void varying_rates(const natural_params *v, int i, mbd_real t, const mbd_real *q, const mbd_real *qd,
                          const mbd_real *qdd, mbd_real *Phid_q, mbd_real *Phidd_q, mbd_real *more) {
  const natural_element *e = &v->n->element[i];
  element_state at;
  mbd_real g[ELEMENT_ARG_MAX][3], gd[ELEMENT_ARG_MAX][3], g2[ELEMENT_ARG_MAX][3];
  natural_element_evaluate(v, i, t, q, qd, qdd, &at);
  for (int r = 0; r < e->ops->nphi; r++) {
    const int first = v->n->first[e->row + r];
    element_row_rate(e->ops, &at, r, g, gd, g2);
    for (int a = 0; a < e->ops->narg; a++) {
      add_argument(v, e, a, g[a], Phid_q + first);
      add_argument(v, e, a, gd[a], Phidd_q + first);
      if (!more) { continue; }
      for (int k = 0; k < 3; k++) { g2[a][k] -= 2 * g[a][k]; }
      add_argument(v, e, a, g2[a], more + first);
    }
  }
}

void natural_rates_q(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd,
                     mbd_real *Phid_q, mbd_real *Phidd_q, mbd_real *more) {
  const natural *n = v->n;
  memset(Phid_q, 0, (size_t)n->first[n->nphi] * sizeof *Phid_q);
  memset(Phidd_q, 0, (size_t)n->first[n->nphi] * sizeof *Phidd_q);
  if (more) { memset(more, 0, (size_t)n->first[n->nphi] * sizeof *more); }
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    if (!e->ops->phi_xx) { continue; }
    /* Elements whose second derivatives depend on the motion. */
    if (!v->curvature || e->ops->phi_xxx || e->ops->velocity) {
      varying_rates(v, i, t, q, qd, qdd, Phid_q, Phidd_q, more);
      continue;
    }
    /* The others: Phid_q += Phi_qq qd, Phidd_q += Phi_qq qdd, with Phi_qq listed once for a design. */
    for (int r = e->row; r < e->row + e->ops->nphi; r++) {
      for (int p = v->curvature->first[r]; p < v->curvature->first[r + 1]; p++) {
        const natural_bend *b = &v->curvature->bend[p];
        const int j = n->col[n->first[r] + b->j];
        Phid_q[n->first[r] + b->i] += b->value * qd[j];
        Phidd_q[n->first[r] + b->i] += b->value * qdd[j];
      }
    }
  }
}
