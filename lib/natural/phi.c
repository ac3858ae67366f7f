/* Constraints in natural coordinates (theory.md §4.1 (4.7)): values of arguments, Phi and Phi_q. */
#include <string.h>

#include "natural/natural.h"

/* The terms of one side of an argument behind those that are there. */
static int side_terms(const natural *n, const natural_params *v, int place, mbd_real sign, int basic[4],
                      mbd_real *weight) {
  const natural_place *q = &n->place[place];
  const int count = q->basic >= 0 ? 1 : 4;
  for (int k = 0; k < count; k++) {
    basic[k] = q->basic >= 0 ? q->basic : natural_basis(n, q->rigid, k);
    if (v) { weight[k] = sign * v->weight[place][k]; }
  }
  return count;
}

int natural_terms(const natural *n, const natural_params *v, const mbd_arg *x, int basic[NATURAL_TERMS],
                  mbd_real weight[NATURAL_TERMS]) {
  int count = side_terms(n, v, x->b, 1, basic, weight);
  if (x->a >= 0) { count += side_terms(n, v, x->a, -1, basic + count, v ? weight + count : NULL); }
  return count;
}

static void argument(const natural_params *v, const mbd_real *q, const mbd_arg *x, mbd_real value[3]) {
  int basic[NATURAL_TERMS];
  mbd_real weight[NATURAL_TERMS];
  v3_set(value, 0, 0, 0);
  if (x->kind == MBD_ARG_COORDINATE) {
    value[0] = q[x->b];
    return;
  }
  const int count = natural_terms(v->n, v, x, basic, weight);
  for (int k = 0; k < count; k++) { v3_axpy(value, weight[k], natural_value(v, q, basic[k])); }
}

static void element_input(const natural_params *v, int i, mbd_real t, const mbd_real *q, mbd_arg_state *s,
                          mbd_element_input *in) {
  const natural_element *e = &v->n->element[i];
  for (int a = 0; a < e->ops->narg; a++) { argument(v, q, &e->arg[a], s->x[a]); }
  if (e->given) {
    params_constraint_input(v->p, e->given, t, s, in);
  } else {
    *in = (mbd_element_input){.s = s, .t = t, .own = v->own + i, .variant = e->ops->variant};
  }
}

/* Phi_x times the weights of an argument, into the row's places. */
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
    element_input(v, i, t, q, &s, &in);
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
    element_input(v, i, t, q, &s, &in);
    e->ops->phi_t(&in, phi_t + e->row, phi_tt);
  }
}
