#include "stages/first_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/kkt.h"
#include "files/memory.h"

/* The system (6.21) in variables divided by their scales, and its solutions for all numbers. */
typedef struct moves {
  const conditions *at;
  int rows;       /* constraints, then bounds, that hold the design */
  int *row;       /* [rows] which: constraint k, or nc + variable i */
  int count;      /* numbers */
  double *second; /* [p->n][n] of f + lambda'c by the design variables and by all */
  double *H, *A;  /* [p->n][p->n], [rows][p->n] */
  double *v;      /* [p->n + rows][count] */
  double *work;
} moves;

static void find_rows(moves *sys) {
  const mbo_problem *p = sys->at->p;
  for (int k = 0; k < p->nc; k++) {
    if (sys->at->lambda[k] == 0) { continue; }
    for (int j = 0; j < p->n; j++) { sys->A[sys->rows * p->n + j] = sys->at->own_jac[k * p->n + j] * p->scale[j]; }
    sys->row[sys->rows++] = k;
  }
  for (int i = 0; i < p->n; i++) {
    if (!sys->at->held[i]) { continue; }
    for (int j = 0; j < p->n; j++) { sys->A[sys->rows * p->n + j] = i == j ? p->scale[i] : 0; }
    sys->row[sys->rows++] = p->nc + i;
  }
}

/* A row of sys->second for each variable: the sum of the products with the multipliers. */
static mbd_status find_second(mechanism *wide, moves *sys, double *along, double *product, mbd_error *err) {
  const conditions *at = sys->at;
  const int n = at->p->n, all = at->n, nc = at->p->nc;
  for (int i = 0; i < n; i++) {
    memset(along, 0, (size_t)all * sizeof *along);
    along[i] = 1;
    MBD_TRY(mechanism_hessian_product(wide, at->x, along, product, err));
    for (int j = 0; j < all; j++) {
      double *sum = &sys->second[i * all + j];
      *sum = product[j];
      for (int k = 0; k < nc; k++) { *sum += at->lambda[k] * product[(1 + k) * all + j]; }
    }
  }
  return MBD_OK;
}

/* The right-hand sides of number `column`. */
static void put_right(moves *sys, int column, const moving_number *number) {
  const conditions *at = sys->at;
  const int n = at->p->n, is_number = number->of == PRICE_NUMBER,
            is_bound = number->of == PRICE_LOWER_BOUND || number->of == PRICE_UPPER_BOUND;
  for (int i = 0; i < n && is_number; i++) {
    sys->v[i * sys->count + column] = -sys->second[i * at->n + number->index] * at->p->scale[i];
  }
  for (int k = 0; k < sys->rows; k++) {
    const int of = sys->row[k], is_its = of == number->index + (is_bound ? at->p->nc : 0);
    double *v = &sys->v[(n + k) * sys->count + column];
    *v = !is_number ? is_its : of < at->p->nc ? -at->jac[of * at->n + number->index] : 0;
  }
}

/* ---- the ratios ---- */

/* Offers t as the least one so far. */
static void offer(first_change *first, double *min, double t, const first_change *change) {
  if (!(t < *min)) { return; }
  *min = t, *first = *change, first->is = 1;
}

/* `value` changes by `rate`: when does it reach `limit`, if it moves there? */
static double time_to(double value, double rate, double limit) {
  return rate * (limit - value) > 0 ? (limit - value) / rate : INFINITY;
}

/* What holds the design. */
static void offer_releases(const moves *sys, int column, double sign, first_change *first, double *min) {
  const conditions *at = sys->at;
  const mbo_problem *p = at->p;
  for (int k = 0; k < sys->rows; k++) {
    const int of = sys->row[k], i = of - p->nc;
    if (of < p->nc && p->c_lower[of] == p->c_upper[of]) { continue; }
    const double multiplier = of < p->nc ? at->lambda[of] : -at->r[i],
                 rate = sign * sys->v[(p->n + k) * sys->count + column];
    const first_change change = {.of = of < p->nc ? (multiplier > 0 ? PRICE_UPPER_LIMIT : PRICE_LOWER_LIMIT)
                                                  : (at->held[i] > 0 ? PRICE_UPPER_BOUND : PRICE_LOWER_BOUND),
                                 .name = of < p->nc ? p->c_names[of] : p->names[i]};
    offer(first, min, time_to(multiplier, rate, 0), &change);
  }
}

/* What does not. */
static void offer_limits(const moves *sys, const moving_number *number, int column, double sign, first_change *first,
                         double *min) {
  const conditions *at = sys->at;
  const mbo_problem *p = at->p;
  for (int k = 0; k < p->nc; k++) {
    if (at->lambda[k] != 0) { continue; }
    double rate = number->of == PRICE_NUMBER ? at->jac[k * at->n + number->index] : 0;
    for (int j = 0; j < p->n; j++) {
      rate += at->own_jac[k * p->n + j] * p->scale[j] * sys->v[j * sys->count + column];
    }
    first_change change = {.is_reached = 1, .of = PRICE_LOWER_LIMIT, .name = p->c_names[k]};
    offer(first, min, time_to(at->c[k], sign * rate, p->c_lower[k]), &change);
    change.of = PRICE_UPPER_LIMIT;
    offer(first, min, time_to(at->c[k], sign * rate, p->c_upper[k]), &change);
  }
  for (int i = 0; i < p->n; i++) {
    if (at->held[i]) { continue; }
    const double rate = sign * sys->v[i * sys->count + column] * p->scale[i];
    first_change change = {.is_reached = 1, .of = PRICE_LOWER_BOUND, .name = p->names[i]};
    offer(first, min, time_to(at->x[i], rate, p->lower[i]), &change);
    change.of = PRICE_UPPER_BOUND;
    offer(first, min, time_to(at->x[i], rate, p->upper[i]), &change);
  }
}

static mbd_status find_changes(mechanism *wide, moves *sys, const moving_number *number, double *along, double *product,
                               first_change *out, mbd_error *err) {
  const mbo_problem *p = sys->at->p;
  find_rows(sys);
  MBD_TRY(find_second(wide, sys, along, product, err));
  for (int i = 0; i < p->n * p->n; i++) {
    sys->H[i] = sys->second[i / p->n * sys->at->n + i % p->n] * p->scale[i / p->n] * p->scale[i % p->n];
  }
  for (int i = 0; i < sys->count; i++) { put_right(sys, i, &number[i]); }
  if (!kkt_solve(p->n, sys->rows, sys->H, sys->A, sys->count, sys->v, sys->work)) {
    MBD_FAIL(err, MBD_SINGULAR,
             "it is not determined how the design moves: what holds it is dependent, or second derivatives vanish "
             "along a direction");
  }
  for (int i = 0; i < 2 * sys->count; i++) {
    const double sign = i % 2 ? 1 : -1;
    double min = INFINITY;
    offer_releases(sys, i / 2, sign, &out[i], &min);
    offer_limits(sys, &number[i / 2], i / 2, sign, &out[i], &min);
    out[i].at = number[i / 2].at + sign * min;
  }
  return MBD_OK;
}

mbd_status first_changes(mechanism *wide, const conditions *at, int count, const moving_number *number,
                         first_change *out, mbd_error *err) {
  const size_t n = (size_t)at->p->n, nc = (size_t)at->p->nc, all = (size_t)at->n, rows = n + nc, size = n + rows;
  moves sys = {.at = at, .count = count};
  sys.row = calloc(rows + 1, sizeof *sys.row);
  sys.second = calloc(n * all + n * n + rows * n + size * (size_t)count + size * size + all + (1 + nc) * all + 1,
                      sizeof *sys.second);
  mbd_status status = sys.row && sys.second ? MBD_OK : MEMORY_NONE(err, "what changes first");
  if (status == MBD_OK) {
    sys.H = sys.second + n * all, sys.A = sys.H + n * n, sys.v = sys.A + rows * n,
    sys.work = sys.v + size * (size_t)count;
    double *along = sys.work + size * size;
    memset(out, 0, 2 * (size_t)count * sizeof *out);
    status = find_changes(wide, &sys, number, along, along + all, out, err);
  }
  free(sys.row), free(sys.second);
  return status;
}
