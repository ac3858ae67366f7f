/* Second derivatives of the equations with respect to q. Arguments are linear in q, so that an element with constant phi_xx has second
 * derivatives that are constant for a design: sums over the terms of its arguments, w_i w_j d2 phi/dx_a dx_b. This is true of most
 * equations, and they have few entries.
 * Equations: theory.md §4.1 (4.12). */
#include <stdlib.h>

#include "natural/build.h"
#include "natural/system.h"

int natural_element_terms(const natural_params *v, const natural_element *e, int a, const int **slot,
                          mbd_real weight[NATURAL_TERMS]) {
  int basic[NATURAL_TERMS];
  *slot = v->n->slot + e->slot + NATURAL_TERMS * a;
  weight[0] = 1;
  return e->arg[a].kind == MBD_ARG_COORDINATE ? 1 : natural_terms(v->n, v, &e->arg[a], basic, weight);
}

static int width_of(const natural_element *e, int a) {
  return e->arg[a].kind == MBD_ARG_COORDINATE ? 1 : 3;
}

/* Returns 1 if the second derivatives of the element are constant, and symmetric. */
static int is_constant(const natural_element *e) {
  return e->ops->phi_xx && !e->ops->phi_xxx && !e->ops->velocity;
}

/* Counts the entries of the arguments a, b that the second derivatives H cause. If `list` is not NULL, lists those that are not zero and
 * returns their number. */
static int list_pair(const natural_params *v, const natural_element *e, int a, int b, const mbd_real H[9],
                     natural_bend *list) {
  const int *slot[2], high = width_of(e, a), wide = width_of(e, b);
  mbd_real weight[2][NATURAL_TERMS];
  const int to = natural_element_terms(v, e, a, &slot[0], weight[0]);
  const int from = natural_element_terms(v, e, b, &slot[1], weight[1]);
  int count = 0;
  for (int i = 0; i < to * from; i++) {
    const int row = slot[0][i / from], col = slot[1][i % from];
    for (int k = 0; k < high * wide && row >= 0 && col >= 0; k++) {
      const mbd_real h = H ? H[3 * (k / wide) + k % wide] : 1;
      if (mbd_none(h != 0)) { continue; }
      if (list) {
        list[count] = (natural_bend){row + k / wide, col + k % wide, weight[0][i / from] * weight[1][i % from] * h};
      }
      count++;
    }
  }
  return count;
}

/* The largest number of entries that the rows of an element can have. */
static int max_of(const natural_params *v, const natural_element *e) {
  int count = 0;
  for (int a = 0; a < e->ops->narg && is_constant(e); a++) {
    for (int b = 0; b < e->ops->narg; b++) { count += list_pair(v, e, a, b, NULL, NULL); }
  }
  return count;
}

static int list_row(const natural_params *v, int i, int r, natural_bend *list) {
  const natural_element *e = &v->n->element[i];
  mbd_arg_state state;
  mbd_element_input in = {.s = &state, .prepared = v->constants + i, .variant = e->ops->variant};
  mbd_real H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], one[MBD_ROW_MAX] = {0};
  int count = 0;
  arg_state_zero(e->ops->narg, &state);
  if (e->given) { params_constraint_input(v->p, e->given, 0, &state, &in); }
  one[r] = 1;
  mbd_blocks_zero(e->ops->narg, H);
  e->ops->phi_xx(&in, one, H);
  for (int a = 0; a < e->ops->narg; a++) {
    for (int b = 0; b < e->ops->narg; b++) { count += list_pair(v, e, a, b, H[a][b], list + count); }
  }
  return count;
}

void natural_curvature_set(natural_params *v) {
  const natural *n = v->n;
  natural_curvature *curvature = v->curvature;
  int count = 0;
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    for (int r = 0; r < e->ops->nphi; r++) {
      curvature->first[e->row + r] = count;
      if (is_constant(e)) { count += list_row(v, i, r, curvature->bend + count); }
    }
  }
  curvature->first[n->nphi] = count;
}

mbd_status natural_params_keep_curvature(natural_params *v, mbd_error *err) {
  const natural *n = v->n;
  size_t max = 0;
  for (int i = 0; i < n->nelement; i++) { max += (size_t)n->element[i].ops->nphi * (size_t)max_of(v, &n->element[i]); }
  natural_curvature *curvature = v->curvature = calloc(1, sizeof *curvature);
  if (!curvature) { NATURAL_NO_MEMORY(err); }
  curvature->first = calloc((size_t)n->nphi + 1, sizeof *curvature->first);
  curvature->bend = calloc(max + 1, sizeof *curvature->bend);
  if (!curvature->first || !curvature->bend) { NATURAL_NO_MEMORY(err); }
  return MBD_OK;
}

/* ---- reactions ---- */

/* A += c w_i w_j H of the arguments a, b of an element */
static void add_second(const natural_system *s, const natural_params *v, const natural_element *e, int a, int b,
                       const mbd_real H[9], mbd_real c, mbd_real *A) {
  const int width = s->n->first[e->row + 1] - s->n->first[e->row], *pair = s->pair + s->pair_from[e->row];
  const int *slot[2];
  mbd_real weight[2][NATURAL_TERMS];
  const int to = natural_element_terms(v, e, a, &slot[0], weight[0]);
  const int from = natural_element_terms(v, e, b, &slot[1], weight[1]);
  const int high = width_of(e, a), wide = width_of(e, b);
  for (int i = 0; i < to; i++) {
    for (int j = 0; j < from; j++) {
      if (slot[0][i] < 0 || slot[1][j] < 0) { continue; }
      const mbd_real scale = c * weight[0][i] * weight[1][j];
      for (int k = 0; k < high * wide; k++) {
        const int row = k / wide, col = k % wide;
        A[pair[(slot[0][i] + row) * width + slot[1][j] + col]] += scale * H[3 * row + col];
      }
    }
  }
}

static void add_varying(const natural_system *s, const natural_params *v, int i, mbd_real time, const mbd_real *q,
                        const mbd_real *lam, mbd_real k, mbd_real *A) {
  const natural_element *e = &s->n->element[i];
  element_state at;
  mbd_real H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  natural_element_evaluate(v, i, time, q, NULL, NULL, &at);
  element_second(e->ops, &at, lam + e->row, H);
  for (int a = 0; a < e->ops->narg; a++) {
    for (int b = 0; b < e->ops->narg; b++) { add_second(s, v, e, a, b, H[a][b], k, A); }
  }
}

static void add_constant(const natural_system *s, const natural_params *v, const natural_element *e,
                         const mbd_real *lam, mbd_real k, mbd_real *A) {
  const int width = s->n->first[e->row + 1] - s->n->first[e->row];
  for (int r = e->row; r < e->row + e->ops->nphi; r++) {
    const int *pair = s->pair + s->pair_from[r];
    const mbd_real weight = k * lam[r];
    for (int p = v->curvature->first[r]; p < v->curvature->first[r + 1]; p++) {
      const natural_bend *b = &v->curvature->bend[p];
      A[pair[b->i * width + b->j]] += weight * b->value;
    }
  }
}

void natural_add_reactions(const natural_system *s, const natural_params *v, mbd_real t, const mbd_real *q,
                           const mbd_real *lam, mbd_real k, mbd_real *A) {
  for (int i = 0; i < s->n->nelement; i++) {
    const natural_element *e = &s->n->element[i];
    if (!e->ops->phi_xx) { continue; }
    if (v->curvature && is_constant(e)) {
      add_constant(s, v, e, lam, k, A);
    } else {
      add_varying(s, v, i, t, q, lam, k, A);
    }
  }
}

/* y [nq][k] += c d(Phi_q' lam)/dq x [nq][k] of one entry. */
static void times_entry(int k, mbd_real value, int i, int j, const mbd_real *x, mbd_real *y) {
  mbd_axpy(k, value, x + (size_t)j * (size_t)k, y + (size_t)i * (size_t)k);
}

static void varying_times(const natural_params *v, int i, mbd_real t, const mbd_real *q, const mbd_real *lam, int k,
                          mbd_real c, const mbd_real *x, mbd_real *y) {
  const natural *n = v->n;
  const natural_element *e = &n->element[i];
  const int *col = n->col + n->first[e->row];
  element_state at;
  mbd_real H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  /* H = sum_r lam_r phi_xx at this motion. */
  natural_element_evaluate(v, i, t, q, NULL, NULL, &at);
  element_second(e->ops, &at, lam + e->row, H);
  /* y += c x_q' H x_q x, with the constant weights of the points and vectors in each argument. */
  for (int pair = 0; pair < e->ops->narg * e->ops->narg; pair++) {
    const int a = pair / e->ops->narg, b = pair % e->ops->narg, high = width_of(e, a), wide = width_of(e, b), *slot[2];
    mbd_real weight[2][NATURAL_TERMS];
    const int to = natural_element_terms(v, e, a, &slot[0], weight[0]);
    const int from = natural_element_terms(v, e, b, &slot[1], weight[1]);
    for (int p = 0; p < to * from; p++) {
      const int row = slot[0][p / from], column = slot[1][p % from];
      const mbd_real scale = c * weight[0][p / from] * weight[1][p % from];
      for (int h = 0; h < high * wide && row >= 0 && column >= 0; h++) {
        times_entry(k, scale * H[a][b][3 * (h / wide) + h % wide], col[row + h / wide], col[column + h % wide], x, y);
      }
    }
  }
}

void natural_reactions_times(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *lam, int k,
                             mbd_real c, const mbd_real *x, mbd_real *y) {
  const natural *n = v->n;
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    if (!e->ops->phi_xx) { continue; }
    if (!v->curvature || !is_constant(e)) {
      varying_times(v, i, t, q, lam, k, c, x, y);
      continue;
    }
    for (int r = e->row; r < e->row + e->ops->nphi; r++) {
      const int *col = n->col + n->first[r];
      for (int p = v->curvature->first[r]; p < v->curvature->first[r + 1]; p++) {
        const natural_bend *b = &v->curvature->bend[p];
        times_entry(k, c * lam[r] * b->value, col[b->i], col[b->j], x, y);
      }
    }
  }
}
