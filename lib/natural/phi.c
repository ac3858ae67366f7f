/* Constraints in natural coordinates (theory.md §4.1 (4.7)): Phi, its rates and Phi_q. */
#include <string.h>

#include "natural/natural.h"

void natural_element_input(const natural_params *v, int i, mbd_real t, const mbd_real *q, const mbd_real *qd,
                           const mbd_real *qdd, mbd_arg_state *s, mbd_element_input *in) {
  const natural_element *e = &v->n->element[i];
  for (int a = 0; a < e->ops->narg; a++) { natural_argument(v, &e->arg[a], q, qd, qdd, a, s); }
  if (e->given) {
    params_constraint_input(v->p, e->given, t, s, in);
  } else {
    *in = (mbd_element_input){.s = s, .t = t, .own = v->own + i, .variant = e->ops->variant};
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

static void element_rows(const natural_params *v, const natural_element *e, const mbd_element_input *in,
                         mbd_real *Phi_q) {
  mbd_real J[MBD_ROW_MAX][MBD_ARG_MAX][3] = {{{0}}};
  e->ops->phi_x(in, J);
  for (int r = 0; r < e->ops->nphi; r++) {
    for (int a = 0; a < e->ops->narg; a++) { add_argument(v, e, a, J[r][a], Phi_q + v->n->first[e->row + r]); }
  }
}

void natural_phi(const natural_params *v, mbd_real t, const mbd_real *q, mbd_real *phi, mbd_real *Phi_q) {
  const natural *n = v->n;
  if (Phi_q) { memset(Phi_q, 0, (size_t)n->first[n->nphi] * sizeof *Phi_q); }
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    mbd_arg_state s;
    mbd_element_input in;
    natural_element_input(v, i, t, q, NULL, NULL, &s, &in);
    e->ops->phi(&in, phi + e->row);
    if (Phi_q) { element_rows(v, e, &in, Phi_q); }
  }
}

void natural_phi_t(const natural_params *v, mbd_real t, const mbd_real *q, mbd_real *phi_t) {
  const natural *n = v->n;
  memset(phi_t, 0, (size_t)n->nphi * sizeof *phi_t);
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    mbd_arg_state s;
    mbd_element_input in;
    mbd_real phi_tt[MBD_ROW_MAX];
    if (!e->ops->phi_t) { continue; }
    natural_element_input(v, i, t, q, NULL, NULL, &s, &in);
    e->ops->phi_t(&in, phi_t + e->row, phi_tt);
  }
}

/* phi_x xdd + xd' phi_xx xd of row r */
static mbd_real second_rate(const natural_element *e, const mbd_element_input *in, int r, const mbd_real (*J)[3]) {
  const mbd_arg_state *s = in->s;
  mbd_real H[MBD_ARG_MAX][MBD_ARG_MAX][9], weight[MBD_ROW_MAX] = {0}, sum = 0, y[3];
  for (int a = 0; a < e->ops->narg; a++) { sum += v3_dot(J[a], s->xdd[a]); }
  if (!e->ops->phi_xx) { return sum; }
  weight[r] = 1;
  mbd_blocks_zero(e->ops->narg, H);
  e->ops->phi_xx(in, weight, H);
  for (int a = 0; a < e->ops->narg; a++) {
    for (int b = 0; b < e->ops->narg; b++) {
      m3_vec(y, H[a][b], s->xd[b]);
      sum += v3_dot(s->xd[a], y);
    }
  }
  return sum;
}

void natural_phidd(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd,
                   mbd_real *phidd) {
  const natural *n = v->n;
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    mbd_arg_state s;
    mbd_element_input in;
    mbd_real J[MBD_ROW_MAX][MBD_ARG_MAX][3] = {{{0}}}, phi_t[MBD_ROW_MAX], phi_tt[MBD_ROW_MAX] = {0};
    natural_element_input(v, i, t, q, qd, qdd, &s, &in);
    e->ops->phi_x(&in, J);
    if (e->ops->phi_t) { e->ops->phi_t(&in, phi_t, phi_tt); }
    for (int r = 0; r < e->ops->nphi; r++) { phidd[e->row + r] = second_rate(e, &in, r, CONST3(J[r])) + phi_tt[r]; }
  }
}

/* Rows r of a varying element: sum_b H_ab xd_b and sum_b H_ab xdd_b + d(xd' phi_xx xd)/dx_a, through the weights of the arguments a. */
static void varying_rates(const natural_params *v, int i, mbd_real t, const mbd_real *q, const mbd_real *qd,
                          const mbd_real *qdd, mbd_real *Phid_q, mbd_real *Phidd_q) {
  const natural_element *e = &v->n->element[i];
  mbd_arg_state s;
  mbd_element_input in;
  natural_element_input(v, i, t, q, qd, qdd, &s, &in);
  for (int r = 0; r < e->ops->nphi; r++) {
    mbd_real H[MBD_ARG_MAX][MBD_ARG_MAX][9], third[MBD_ARG_MAX][3], one[MBD_ROW_MAX] = {0}, g[3];
    const int first = v->n->first[e->row + r];
    one[r] = 1;
    mbd_blocks_zero(e->ops->narg, H), mbd_args_zero(e->ops->narg, third);
    e->ops->phi_xx(&in, one, H);
    if (e->ops->phi_xxx) { e->ops->phi_xxx(&in, one, third); }
    for (int a = 0; a < e->ops->narg; a++) {
      v3_set(g, 0, 0, 0);
      for (int b = 0; b < e->ops->narg; b++) {
        m3_vec_add(g, H[a][b], s.xd[b]);
        m3_vec_add(third[a], H[a][b], s.xdd[b]);
      }
      add_argument(v, e, a, g, Phid_q + first);
      add_argument(v, e, a, third[a], Phidd_q + first);
    }
  }
}

void natural_rates_q(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd,
                     mbd_real *Phid_q, mbd_real *Phidd_q) {
  const natural *n = v->n;
  memset(Phid_q, 0, (size_t)n->first[n->nphi] * sizeof *Phid_q);
  memset(Phidd_q, 0, (size_t)n->first[n->nphi] * sizeof *Phidd_q);
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    if (!e->ops->phi_xx) { continue; }
    /* Elements whose second derivatives depend on the motion. */
    if (!v->curvature || e->ops->phi_xxx) {
      varying_rates(v, i, t, q, qd, qdd, Phid_q, Phidd_q);
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
