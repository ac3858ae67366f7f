#include "backend/ask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

mbd_status ask_create(evaluator *e, const mbo_settings *s, mbo_result *r, mbo_ask *a, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  *a = (mbo_ask){.e = e, .s = s, .r = r, .x = mbd_zeros((size_t)p->n, sizeof *a->x)};
  MEMORY_TRY(a->x, err, "a design");
  return MBD_OK;
}

void ask_free(mbo_ask *a) {
  free(a->x);
}

const mbo_problem *mbo_ask_problem(const mbo_ask *a) {
  return evaluator_problem(a->e);
}

const mbo_settings *mbo_ask_settings(const mbo_ask *a) {
  return a->s;
}

/* Does the problem have what is requested? */
static mbd_status check_request(const mbo_problem *p, unsigned request, mbd_error *err) {
  const struct {
    unsigned request;
    int has;
    const char *what;
  } kinds[] = {
      {MBO_REQUEST_GRADIENT, p->has_gradient, "gradient; [gradient] method = none"},
      {MBO_REQUEST_GAUSS_NEWTON, p->has_gauss_newton,
       "Gauss-Newton matrix; expected objectives that are all squares, and [gradient] method = auto or direct"},
      {MBO_REQUEST_HESSIAN, p->has_hessian,
       "second derivatives; expected [gradient] method = auto, direct or discrete_adjoint"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if ((request & kinds[i].request) && !kinds[i].has) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "the problem has no %s", kinds[i].what);
    }
  }
  return MBD_OK;
}

/* Sets a->x to the design. What is outside of a bound by rounding is moved to the bound; what is farther out is a failed design, which is not
 * simulated. */
static mbd_status take_design(mbo_ask *a, const double *x, mbd_error *err) {
  static const double rounding = 1e-12;
  const mbo_problem *p = evaluator_problem(a->e);
  for (int i = 0; i < p->n; i++) {
    const double slack = rounding * fmax(p->scale[i], fabs(x[i]));
    if (!isfinite(x[i])) { MBD_FAIL(err, MBD_BAD_INPUT, "%s = %g, expected a finite number", p->names[i], x[i]); }
    if (x[i] < p->lower[i] - slack || x[i] > p->upper[i] + slack) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "%s = %.17g is outside of its bounds, expected %.17g to %.17g", p->names[i],
               x[i], p->lower[i], p->upper[i]);
    }
    a->x[i] = fmin(fmax(x[i], p->lower[i]), p->upper[i]);
  }
  return MBD_OK;
}

static mbd_status ended(const mbo_ask *a, mbd_error *err) {
  MBD_FAIL(err, MBD_INTERRUPTED, "the run has ended: %s", a->ended);
}

static mbd_status end_by(mbo_ask *a, const char *by, mbo_status status, const char *text, mbd_error *err) {
  a->ended = by;
  a->r->status = status;
  snprintf(a->r->text, sizeof a->r->text, "%s", text);
  return ended(a, err);
}

mbd_status mbo_ask_evaluate(mbo_ask *a, const double *x, unsigned request, const mbo_eval **out, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(a->e);
  MBD_TRY(check_request(p, request, err));
  MBD_TRY(take_design(a, x, err));
  if (a->ended) { return ended(a, err); }
  const mbd_status status = evaluator_evaluate(a->e, a->x, request | MBO_REQUEST_VALUE, out, err);
  if (status == MBD_INTERRUPTED) {
    const char *limit = evaluator_limit(a->e);
    return end_by(a, limit && strcmp(limit, "stop") != 0 ? limit : "interrupted", MBO_STOPPED_LIMIT,
                  "stopped by the program", err);
  }
  if (status != MBD_OK) { return status; }
  const int feasible = evaluator_violation(p, (*out)->c) <= a->s->tol_constraint;
  if (feasible && (*out)->f <= a->s->stop_value) {
    return end_by(a, "stop_value", MBO_CONVERGED, "objective within stop_value", err);
  }
  return MBD_OK;
}

mbd_status mbo_ask_product(mbo_ask *a, const double *x, unsigned request, double objective, const double *multipliers,
                           const double *v, double *Hv, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(a->e);
  const size_t n = (size_t)p->n;
  const mbo_eval *at;
  MBD_TRY(mbo_ask_evaluate(a, x, request, &at, err));
  const double *H = request & MBO_REQUEST_HESSIAN ? at->hess : at->H;
  const int nc = request & MBO_REQUEST_HESSIAN && multipliers ? p->nc : 0;
  for (size_t i = 0; i < n; i++) {
    Hv[i] = 0;
    for (size_t j = 0; j < n; j++) {
      double entry = objective * H[i * n + j];
      for (int k = 0; k < nc; k++) { entry += multipliers[k] * H[((size_t)k + 1) * n * n + i * n + j]; }
      Hv[i] += entry * v[j];
    }
  }
  return MBD_OK;
}

mbd_status mbo_ask_iteration(mbo_ask *a, const mbo_iteration *it, mbd_error *err) {
  mbo_iteration told = *it;
  told.evaluations = evaluator_designs(a->e);
  if (isnan(told.f)) { (void)evaluator_best(a->e, NULL, &told.f, NULL, &told.violation); }
  a->r->iterations = told.iteration > a->r->iterations ? told.iteration : a->r->iterations;
  if (a->s->iteration) { a->s->iteration(a->s->user, &told); }
  if (a->ended) { return ended(a, err); }
  if (told.iteration >= a->s->max_iterations) {
    return end_by(a, "iterations", MBO_STOPPED_LIMIT, "limit of iterations", err);
  }
  return MBD_OK;
}

void mbo_ask_end(mbo_ask *a, mbo_status status, const char *text) {
  if (a->ended) { return; } /* it has ended already, by a limit */
  a->said = 1;
  a->r->status = status;
  snprintf(a->r->text, sizeof a->r->text, "%s", text);
}
