/* Multipliers minimize  sum (w_i r_i)^2 + sum (s_k lambda_k)^2, with w_i and s_k the ways to the bounds: a quadratic problem whose only
 * constraints are the signs of lambda. The way of a variable depends on the sign of r_i, so the problem is solved again with the signs of
 * its solution; of all multipliers on the way those count that leave least. Rows of the Jacobian are divided by their norm. */
#include "backend/optimality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/trust_region_model.h"
#include "files/memory.h"

enum { ROUNDS = 8 }; /* signs rarely change after the second */

typedef struct conditions {
  const mbo_problem *p;
  const double *x, *g, *c, *jac;
  double *size;          /* [nc] norm of a row of the Jacobian, times the scales; 0: the row is 0 */
  double *lambda;        /* [nc] of rows divided by it */
  double *lower, *upper; /* [nc] signs that they may have */
  double *slope, *H;     /* [nc], [nc][nc] of the quadratic problem */
  double *r, *way;       /* [n] in variables divided by their scale */
} conditions;

/* How far x_i can go against the sign of r, in scales, at most one. */
static double way_of(const conditions *kkt, int i, double r) {
  const double distance = r > 0 ? kkt->x[i] - kkt->p->lower[i] : kkt->p->upper[i] - kkt->x[i];
  return fmin(fmax(distance / kkt->p->scale[i], 0), 1);
}

/* The way of c_k to the bound of a multiplier of that sign. */
static double slack_of(const conditions *kkt, int k, double sign) {
  if (kkt->p->c_lower[k] == kkt->p->c_upper[k]) { return 0; }
  return fmax(sign > 0 ? kkt->p->c_upper[k] - kkt->c[k] : kkt->c[k] - kkt->p->c_lower[k], 0);
}

/* Norms of the rows, and the signs of their multipliers. Of two bounds only the nearer one has a multiplier. */
static void begin(conditions *kkt) {
  const mbo_problem *p = kkt->p;
  for (int k = 0; k < p->nc; k++) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) { sum += pow(kkt->jac[k * p->n + i] * p->scale[i], 2); }
    kkt->size[k] = sqrt(sum);
    const int equation = p->c_lower[k] == p->c_upper[k];
    const int above = p->c_upper[k] - kkt->c[k] <= kkt->c[k] - p->c_lower[k];
    kkt->lower[k] = kkt->size[k] > 0 && (equation || !above) ? -INFINITY : 0;
    kkt->upper[k] = kkt->size[k] > 0 && (equation || above) ? INFINITY : 0;
    kkt->lambda[k] = 0;
  }
}

/* Row k of the Jacobian by variable i, divided by its norm. */
static double row(const conditions *kkt, int k, int i) {
  return kkt->size[k] > 0 ? kkt->jac[k * kkt->p->n + i] * kkt->p->scale[i] / kkt->size[k] : 0;
}

/* r and the ways of the variables for the current multipliers; returns what the conditions leave. */
static double remainder_of(conditions *kkt) {
  double max = 0;
  for (int i = 0; i < kkt->p->n; i++) {
    kkt->r[i] = kkt->g[i] * kkt->p->scale[i];
    for (int k = 0; k < kkt->p->nc; k++) { kkt->r[i] += row(kkt, k, i) * kkt->lambda[k]; }
    kkt->way[i] = way_of(kkt, i, kkt->r[i]);
    max = fmax(max, fabs(kkt->r[i]) * kkt->way[i]);
  }
  for (int k = 0; k < kkt->p->nc; k++) {
    if (kkt->lambda[k] == 0) { continue; }
    max = fmax(max, fabs(kkt->lambda[k]) / kkt->size[k] * slack_of(kkt, k, kkt->lambda[k]));
  }
  return max;
}

/* The multipliers for the current ways. */
static void improve(conditions *kkt, trust_region_model *b) {
  const int n = kkt->p->n, m = kkt->p->nc;
  for (int k = 0; k < m; k++) {
    kkt->slope[k] = 0;
    for (int i = 0; i < n; i++) {
      kkt->slope[k] += row(kkt, k, i) * kkt->way[i] * kkt->way[i] * kkt->g[i] * kkt->p->scale[i];
    }
    for (int l = 0; l <= k; l++) {
      double sum = 0;
      for (int i = 0; i < n; i++) { sum += row(kkt, k, i) * row(kkt, l, i) * kkt->way[i] * kkt->way[i]; }
      kkt->H[k * m + l] = kkt->H[l * m + k] = sum;
    }
    const double slack = kkt->size[k] > 0 ? slack_of(kkt, k, isinf(kkt->upper[k]) ? 1 : -1) / kkt->size[k] : 1;
    kkt->H[k * m + k] += slack * slack;
  }
  memset(kkt->lambda, 0, (size_t)m * sizeof *kkt->lambda);
  (void)trust_region_model_solve(b, kkt->lambda, kkt->lower, kkt->upper, kkt->slope, kkt->H, 0);
  memcpy(kkt->lambda, b->step, (size_t)m * sizeof *kkt->lambda);
}

/* Begins without multipliers, which gives every variable its way. Each round finds the multipliers for these ways, then the ways for the
 * multipliers; the least remainder of all rounds counts. */
mbd_status optimality(const mbo_problem *p, const double *x, const double *g, const double *c, const double *jac,
                      double tol, double *out, double *multipliers, mbd_error *err) {
  const size_t n = (size_t)p->n, m = (size_t)p->nc;
  conditions q = {.p = p, .x = x, .g = g, .c = c, .jac = jac};
  trust_region_model b = {0};
  *out = NAN;
  /* The conditions are those of a design that violates no constraint by more than tol. */
  if (!(evaluator_violation(p, c) <= tol)) { return MBD_OK; }
  double *block = calloc(2 * n + 5 * m + m * m + 1, sizeof *block);
  mbd_status status = block ? trust_region_model_create(p->nc, &b, err) : MEMORY_NONE(err, "the multipliers");
  if (status == MBD_OK) {
    /* The arrays of the conditions are parts of one block. */
    q.r = block, q.way = q.r + n, q.size = q.way + n, q.lambda = q.size + m, q.lower = q.lambda + m;
    q.upper = q.lower + m, q.slope = q.upper + m, q.H = q.slope + m;
    /* The remainder without multipliers, and the least one of the rounds with multipliers. */
    begin(&q);
    double min = INFINITY;
    for (int round = 0; round == 0 || (m > 0 && min > 0 && round <= ROUNDS); round++) {
      if (round > 0) { improve(&q, &b); }
      const double remainder = remainder_of(&q);
      if (remainder >= min) { continue; }
      min = remainder;
      for (int k = 0; multipliers && k < p->nc; k++) { multipliers[k] = q.size[k] > 0 ? q.lambda[k] / q.size[k] : 0; }
    }
    *out = min;
  }
  trust_region_model_free(&b);
  free(block);
  return status;
}

mbd_status optimality_of_best(const evaluator *e, const mbo_problem *p, const mbo_settings *s, double *out,
                              double *multipliers, mbd_error *err) {
  const double *x, *c, *g, *jac;
  double f;
  *out = NAN;
  if (!evaluator_best(e, &x, &f, &c, NULL) || !evaluator_best_gradient(e, &g, &jac)) { return MBD_OK; }
  MBD_TRY(optimality(p, x, g, c, jac, s->tol_constraint, out, multipliers, err));
  if (p->has_gauss_newton && *out > f) { *out = fmax(f, 0); } /* squares fall to zero at most */
  return MBD_OK;
}

int optimality_is_within(const evaluator *e, const mbo_settings *s, double left) {
  static const double part = 1e-3;
  double f;
  if (isnan(left) || !evaluator_best(e, NULL, &f, NULL, NULL)) { return 1; }
  const double max = fmax(part, fmax(10 * fmax(sqrt(s->tol_f), s->tol_x), s->tolerance));
  return left <= max * fmax(evaluator_first_promise(e), fabs(f));
}
