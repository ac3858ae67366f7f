/* Multipliers minimize  sum (w_i r_i)^2 + sum (s_k lambda_k)^2, with w_i and s_k the ways to the bounds: a quadratic problem whose only
 * constraints are the signs of lambda. The way of a variable depends on the sign of r_i, so the problem is solved again with the signs of
 * its solution; of all multipliers on the way those count that leave least. Rows of the Jacobian are divided by their norm. */
#include "backend/optimality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/trust_region_model.h"

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
static double way_of(const conditions *q, int i, double r) {
  const double capacity = r > 0 ? q->x[i] - q->p->lower[i] : q->p->upper[i] - q->x[i];
  return fmin(fmax(capacity / q->p->scale[i], 0), 1);
}

/* The way of c_k to the bound of a multiplier of that sign. */
static double slack_of(const conditions *q, int k, double sign) {
  if (q->p->c_lower[k] == q->p->c_upper[k]) { return 0; }
  return fmax(sign > 0 ? q->p->c_upper[k] - q->c[k] : q->c[k] - q->p->c_lower[k], 0);
}

/* Norms of the rows, and the signs of their multipliers. Of two bounds only the nearer one has a multiplier. */
static void begin(conditions *q) {
  const mbo_problem *p = q->p;
  for (int k = 0; k < p->nc; k++) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) { sum += pow(q->jac[k * p->n + i] * p->scale[i], 2); }
    q->size[k] = sqrt(sum);
    const int equation = p->c_lower[k] == p->c_upper[k];
    const int above = p->c_upper[k] - q->c[k] <= q->c[k] - p->c_lower[k];
    q->lower[k] = q->size[k] > 0 && (equation || !above) ? -INFINITY : 0;
    q->upper[k] = q->size[k] > 0 && (equation || above) ? INFINITY : 0;
    q->lambda[k] = 0;
  }
}

/* Row k of the Jacobian by variable i, divided by its norm. */
static double row(const conditions *q, int k, int i) {
  return q->size[k] > 0 ? q->jac[k * q->p->n + i] * q->p->scale[i] / q->size[k] : 0;
}

/* r and the ways of the variables for the current multipliers; returns what the conditions leave. */
static double remainder_of(conditions *q) {
  double max = 0;
  for (int i = 0; i < q->p->n; i++) {
    q->r[i] = q->g[i] * q->p->scale[i];
    for (int k = 0; k < q->p->nc; k++) { q->r[i] += row(q, k, i) * q->lambda[k]; }
    q->way[i] = way_of(q, i, q->r[i]);
    max = fmax(max, fabs(q->r[i]) * q->way[i]);
  }
  for (int k = 0; k < q->p->nc; k++) {
    if (q->lambda[k] == 0) { continue; }
    max = fmax(max, fabs(q->lambda[k]) / q->size[k] * slack_of(q, k, q->lambda[k]));
  }
  return max;
}

/* The multipliers for the current ways. */
static void improve(conditions *q, trust_region_model *b) {
  const int n = q->p->n, m = q->p->nc;
  for (int k = 0; k < m; k++) {
    q->slope[k] = 0;
    for (int i = 0; i < n; i++) { q->slope[k] += row(q, k, i) * q->way[i] * q->way[i] * q->g[i] * q->p->scale[i]; }
    for (int l = 0; l <= k; l++) {
      double sum = 0;
      for (int i = 0; i < n; i++) { sum += row(q, k, i) * row(q, l, i) * q->way[i] * q->way[i]; }
      q->H[k * m + l] = q->H[l * m + k] = sum;
    }
    const double slack = q->size[k] > 0 ? slack_of(q, k, isinf(q->upper[k]) ? 1 : -1) / q->size[k] : 1;
    q->H[k * m + k] += slack * slack;
  }
  memset(q->lambda, 0, (size_t)m * sizeof *q->lambda);
  (void)trust_region_model_solve(b, q->lambda, q->lower, q->upper, q->slope, q->H, 0);
  memcpy(q->lambda, b->step, (size_t)m * sizeof *q->lambda);
}

/* Begins without multipliers, which gives every variable its way. Each round finds the multipliers for these ways, then the ways for the
 * multipliers; the least remainder of all rounds counts. */
mbd_status optimality(const mbo_problem *p, const double *x, const double *g, const double *c, const double *jac,
                      double tol, double *out, mbd_error *err) {
  const size_t n = (size_t)p->n, m = (size_t)p->nc;
  conditions q = {.p = p, .x = x, .g = g, .c = c, .jac = jac};
  trust_region_model b = {0};
  *out = NAN;
  if (!(evaluator_violation(p, c) <= tol)) { return MBD_OK; }
  double *block = calloc(2 * n + 5 * m + m * m + 1, sizeof *block);
  mbd_status status = block ? trust_region_model_create(p->nc, &b, err)
                            : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the multipliers");
  if (status == MBD_OK) {
    q.r = block, q.way = q.r + n, q.size = q.way + n, q.lambda = q.size + m, q.lower = q.lambda + m;
    q.upper = q.lower + m, q.slope = q.upper + m, q.H = q.slope + m;
    begin(&q);
    double min = remainder_of(&q);
    for (int k = 0; m > 0 && min > 0 && k < ROUNDS; k++) {
      improve(&q, &b);
      min = fmin(min, remainder_of(&q));
    }
    *out = min;
  }
  trust_region_model_free(&b);
  free(block);
  return status;
}

mbd_status optimality_of_best(const evaluator *e, const mbo_problem *p, const mbo_settings *s, double *out,
                              mbd_error *err) {
  const double *x, *c, *g, *jac;
  double f;
  *out = NAN;
  if (!evaluator_best(e, &x, &f, &c, NULL) || !evaluator_best_gradient(e, &g, &jac)) { return MBD_OK; }
  MBD_TRY(optimality(p, x, g, c, jac, s->tol_constraint, out, err));
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
