/* NLopt: translation only, and one remedy. A design that cannot be simulated has the objective +INFINITY. Algorithms
 * without gradients take that as it is, but for those that fit a model through values. These, and those with gradients,
 * which would need one where there is none, cannot: the run is stopped, and
 * started again from the best design inside a box around it. The box is halved when a run meets a failed design again,
 * moved and doubled when a run ends at its edge; the end is a run that ends inside. Never NaN, never a zero gradient,
 * which would look like an optimum. */
#include "backend/backend.h"

#ifdef MBO_HAVE_NLOPT

#include <ctype.h>
#include <math.h>
#include <nlopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"

enum { MOST_RESTARTS = 60 };
static const double first_radius = 0.5; /* of the box, in units of the scales */

typedef struct nlopt_run {
  evaluator *e;
  const mbo_problem *p;
  const mbo_settings *s;
  mbo_result *r;
  nlopt_opt opt;
  int gradient;         /* the algorithm uses one */
  int stops_at_failure; /* the algorithm cannot go on from +INFINITY */
  int broken;           /* a failed design met by a gradient algorithm */
  double *x, *scale;
  double best; /* last objective reported as an iteration */
} nlopt_run;

/* ---- names ---- */

/* Distributions leave some algorithms out, and say so in their descriptions. */
static int is_built(nlopt_algorithm a) {
  return strstr(nlopt_algorithm_name(a), "NOT COMPILED") == NULL;
}

static int nlopt_algorithm_at(int i, const char **name, const char **doc) {
  for (int a = 0; i >= 0 && a < NLOPT_NUM_ALGORITHMS; a++) {
    if (!is_built((nlopt_algorithm)a) || i-- > 0) { continue; }
    *name = nlopt_algorithm_to_string((nlopt_algorithm)a);
    *doc = a == NLOPT_LN_BOBYQA ? "BOBYQA: derivative-free trust-region method with bounds, quadratic models (local)"
                                : nlopt_algorithm_name((nlopt_algorithm)a);
    return 1;
  }
  return 0;
}

static void upper(const char *s, char *out, size_t size) {
  if (strncmp(s, "NLOPT_", 6) == 0 || strncmp(s, "nlopt_", 6) == 0) { s += 6; }
  size_t i = 0;
  for (; s[i] && i + 1 < size; i++) { out[i] = (char)toupper((unsigned char)s[i]); }
  out[i] = '\0';
}

static mbd_status find_algorithm(const char *wanted, nlopt_algorithm *a, mbd_error *err) {
  char name[64], hint[96];
  upper(*wanted ? wanted : "LD_SLSQP", name, sizeof name);
  mbd_nearest near = {.wanted = name};
  for (int i = 0; i < NLOPT_NUM_ALGORITHMS; i++) {
    const char *known = nlopt_algorithm_to_string((nlopt_algorithm)i);
    if (!is_built((nlopt_algorithm)i)) { continue; }
    mbd_nearest_offer(&near, known);
    if (strcmp(known, name) == 0 || strcmp(known + 3, name) == 0) {
      *a = (nlopt_algorithm)i;
      return MBD_OK;
    }
  }
  MBD_FAIL(err, MBD_BAD_INPUT, "algorithm = %s is not known to NLopt%s; `mbopt backends` lists all", wanted,
           mbd_nearest_text(&near, hint, sizeof hint));
}

static int uses_gradient(nlopt_algorithm a) {
  return nlopt_algorithm_to_string(a)[1] == 'D';
}

/* Only these take nonlinear constraints themselves. */
static int takes_constraints(nlopt_algorithm a) {
  switch (a) {
    case NLOPT_LD_SLSQP:
    case NLOPT_LD_MMA:
    case NLOPT_LD_CCSAQ:
    case NLOPT_LN_COBYLA:
    case NLOPT_GN_ISRES:
    case NLOPT_GN_ORIG_DIRECT:
    case NLOPT_GN_ORIG_DIRECT_L: return 1;
    default: return 0;
  }
}

/* Those that fit a quadratic model through values: an infinite one makes them stop with a false success, or never. */
static int builds_model(nlopt_algorithm a) {
  return a == NLOPT_LN_BOBYQA || a == NLOPT_LN_NEWUOA || a == NLOPT_LN_NEWUOA_BOUND;
}

static int is_global(nlopt_algorithm a) {
  return nlopt_algorithm_to_string(a)[0] == 'G';
}

/* ---- callbacks ---- */

static const mbo_eval *evaluate(nlopt_run *q, const double *y, int gradient) {
  const mbo_eval *v;
  const double *x = backend_to_user(q->p, y, q->x);
  mbd_status status = evaluator_evaluate(q->e, x, gradient ? MBO_WANT_GRADIENT : MBO_WANT_VALUE, &v, NULL);
  if (status == MBD_OK) { return v; }
  if (status < 0) { nlopt_force_stop(q->opt); }
  if (status > 0 && q->stops_at_failure) {
    q->broken = 1;
    nlopt_force_stop(q->opt);
  }
  return NULL;
}

static void report(nlopt_run *q, const mbo_eval *v) {
  double violation = evaluator_violation(q->p, v->c);
  if (!(v->f < q->best) && q->r->iterations > 0) { return; }
  q->best = v->f;
  q->r->iterations++;
  if (q->s->iteration) {
    const mbo_iteration it = {q->r->iterations, evaluator_count(q->e)->evaluations, v->f, violation, NAN, NAN};
    q->s->iteration(q->s->user, &it);
  }
  if (q->r->iterations >= q->s->max_iterations) { nlopt_force_stop(q->opt); }
}

static double objective(unsigned n, const double *y, double *g, void *user) {
  nlopt_run *q = user;
  const mbo_eval *v = evaluate(q, y, g != NULL);
  if (!v) {
    for (unsigned i = 0; g && i < n; i++) { g[i] = 1; } /* not used: the run is being stopped */
    return HUGE_VAL;
  }
  for (unsigned i = 0; g && i < n; i++) { g[i] = v->g[i] * q->p->scale[i]; }
  report(q, v);
  return v->f;
}

/* One side of one constraint: sign * (c - bound) <= 0. */
typedef struct side {
  nlopt_run *q;
  int row;
  double sign, bound;
} side;

static double one_constraint(unsigned n, const double *y, double *g, void *user) {
  const side *k = user;
  const mbo_eval *v = evaluate(k->q, y, g != NULL);
  for (unsigned i = 0; g && i < n; i++) {
    g[i] = v ? k->sign * v->jac[(unsigned)k->row * n + i] * k->q->p->scale[i] : 1;
  }
  return v ? k->sign * (v->c[k->row] - k->bound) : HUGE_VAL;
}

/* ---- a run ---- */

static mbd_status add_constraints(nlopt_run *q, side *sides, mbd_error *err) {
  const mbo_problem *p = q->p;
  int n = 0, bad = 0;
  for (int i = 0; i < p->nc; i++) {
    if (p->c_lower[i] == p->c_upper[i]) {
      sides[n] = (side){q, i, 1, p->c_upper[i]};
      bad |= nlopt_add_equality_constraint(q->opt, one_constraint, &sides[n++], q->s->tol_constraint) < 0;
      continue;
    }
    if (isfinite(p->c_upper[i])) {
      sides[n] = (side){q, i, 1, p->c_upper[i]};
      bad |= nlopt_add_inequality_constraint(q->opt, one_constraint, &sides[n++], q->s->tol_constraint) < 0;
    }
    if (isfinite(p->c_lower[i])) {
      sides[n] = (side){q, i, -1, p->c_lower[i]};
      bad |= nlopt_add_inequality_constraint(q->opt, one_constraint, &sides[n++], q->s->tol_constraint) < 0;
    }
  }
  if (bad) { MBD_FAIL(err, MBD_UNSUPPORTED, "this algorithm of NLopt takes no such constraints"); }
  return MBD_OK;
}

static mbd_status set_up(nlopt_run *q, nlopt_algorithm a, double radius, const double *centre, side *sides,
                         mbd_error *err) {
  const mbo_problem *p = q->p;
  const mbo_settings *s = q->s;
  q->opt = nlopt_create(a, (unsigned)p->n);
  double *lower = calloc(2 * (size_t)p->n + 1, sizeof *lower), *up = lower ? lower + p->n : NULL;
  if (!q->opt || !lower) {
    free(lower);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for NLopt");
  }
  for (int i = 0; i < p->n; i++) {
    double c = centre[i] / p->scale[i];
    lower[i] = fmax(p->lower[i] / p->scale[i], c - radius);
    up[i] = fmin(p->upper[i] / p->scale[i], c + radius);
  }
  nlopt_set_lower_bounds(q->opt, lower);
  nlopt_set_upper_bounds(q->opt, up);
  free(lower);
  nlopt_set_min_objective(q->opt, objective, q);
  nlopt_set_ftol_rel(q->opt, s->tol_f);
  nlopt_set_xtol_rel(q->opt, s->tol_x);
  nlopt_set_stopval(q->opt, s->stop_value);
  for (int i = 0; i < s->noption; i++) {
    double v;
    if (!backend_number(s->option[i].value, &v) || nlopt_set_param(q->opt, s->option[i].name, v) < 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "[native] %s = %s: NLopt's parameters are numbers", s->option[i].name,
               s->option[i].value);
    }
  }
  MBD_TRY(add_constraints(q, sides, err));
  if (a == NLOPT_AUGLAG || a == NLOPT_AUGLAG_EQ || a == NLOPT_LD_AUGLAG || a == NLOPT_LN_AUGLAG || a == NLOPT_G_MLSL ||
      a == NLOPT_G_MLSL_LDS || a == NLOPT_GD_MLSL || a == NLOPT_GD_MLSL_LDS || a == NLOPT_GN_MLSL ||
      a == NLOPT_GN_MLSL_LDS) {
    nlopt_opt local = nlopt_create(q->gradient ? NLOPT_LD_LBFGS : NLOPT_LN_SBPLX, (unsigned)p->n);
    nlopt_set_ftol_rel(local, s->tol_f);
    nlopt_set_xtol_rel(local, s->tol_x);
    nlopt_set_local_optimizer(q->opt, local);
    nlopt_destroy(local);
  }
  return MBD_OK;
}

static mbo_status uniform(nlopt_result code, const nlopt_run *q) {
  switch (code) {
    case NLOPT_SUCCESS:
    case NLOPT_STOPVAL_REACHED:
    case NLOPT_FTOL_REACHED:
    case NLOPT_XTOL_REACHED: return q->broken ? MBO_STALLED : MBO_CONVERGED;
    case NLOPT_MAXEVAL_REACHED:
    case NLOPT_MAXTIME_REACHED: return MBO_STOPPED_LIMIT;
    case NLOPT_ROUNDOFF_LIMITED: return MBO_STALLED;
    case NLOPT_FORCED_STOP:
      if (q->broken) { return MBO_STALLED; }
      return q->r->iterations >= q->s->max_iterations ? MBO_STOPPED_LIMIT : MBO_INTERRUPTED;
    default: return MBO_FAILED;
  }
}

static mbd_status run_from(nlopt_run *q, nlopt_algorithm a, double radius, double *centre, side *sides,
                           mbd_error *err) {
  double f;
  const mbo_problem *p = q->p;
  double *y = q->scale;
  q->broken = 0;
  MBD_TRY(set_up(q, a, radius, centre, sides, err));
  for (int i = 0; i < p->n; i++) { y[i] = centre[i] / p->scale[i]; }
  nlopt_result code = nlopt_optimize(q->opt, y, &f);
  const char *message = nlopt_get_errmsg(q->opt);
  q->r->code = code;
  q->r->status = uniform(code, q);
  snprintf(q->r->text, sizeof q->r->text, "%s%s%s", nlopt_result_to_string(code), message ? ": " : "",
           message ? message : "");
  return MBD_OK;
}

/* Does the best design lie on the box, where the user's bounds would let it go on? */
static int at_edge(const mbo_problem *p, const double *best, const double *centre, double radius) {
  for (int i = 0; i < p->n && isfinite(radius); i++) {
    double reach = radius * p->scale[i], off = fabs(best[i] - centre[i]);
    if (off >= reach * (1 - 1e-6) && best[i] > p->lower[i] && best[i] < p->upper[i]) { return 1; }
  }
  return 0;
}

static mbd_status nlopt_solve(evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  nlopt_algorithm a;
  nlopt_run q = {.e = e, .p = p, .s = s, .r = r, .best = HUGE_VAL};
  MBD_TRY(find_algorithm(s->algorithm, &a, err));
  q.gradient = uses_gradient(a);
  q.stops_at_failure = q.gradient || builds_model(a);
  if (!q.gradient) { evaluator_along(e, 0); }
  nlopt_srand((unsigned long)s->seed);
  size_t n = (size_t)p->n;
  side *sides = calloc(2 * (size_t)p->nc + 1, sizeof *sides);
  double *block = calloc(3 * n + 1, sizeof *block), radius = HUGE_VAL;
  mbd_status status = sides && block ? MBD_OK : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for NLopt");
  if (status == MBD_OK) {
    q.x = block, q.scale = block + n;
    memcpy(block + 2 * n, p->start, n * sizeof *block);
  }
  for (r->restarts = 0; status == MBD_OK; r->restarts++) {
    const double *best;
    double *centre = block + 2 * n;
    status = run_from(&q, a, radius, centre, sides, err);
    nlopt_destroy(q.opt);
    q.opt = NULL;
    if (status != MBD_OK || evaluator_limit(e) || !evaluator_best(e, &best, NULL, NULL, NULL)) { break; }
    int edge = !q.broken && at_edge(p, best, centre, radius);
    if (!q.broken && !edge) { break; }
    if (r->restarts >= MOST_RESTARTS || r->status == MBO_STOPPED_LIMIT) {
      if (r->status == MBO_CONVERGED) { r->status = MBO_STALLED; }
      break;
    }
    memcpy(centre, best, n * sizeof *best);
    radius = isinf(radius) ? first_radius : q.broken ? radius / 2 : radius * 2;
  }
  free(sides), free(block);
  return status;
}

static mbd_status nlopt_check(const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  nlopt_algorithm a;
  MBD_TRY(find_algorithm(s->algorithm, &a, err));
  const char *name = nlopt_algorithm_to_string(a);
  if (uses_gradient(a) && !p->has_gradient) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "algorithm %s of NLopt needs a gradient, but [gradient] method = none", name);
  }
  int auglag = strstr(name, "AUGLAG") != NULL;
  if (p->nc && !takes_constraints(a) && !auglag) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "algorithm %s of NLopt takes no nonlinear constraints, problem '%s' has %d; LD_SLSQP, LD_MMA, LD_CCSAQ, "
             "LN_COBYLA, GN_ISRES and the AUGLAG family do",
             name, p->name, p->nc);
  }
  for (int i = 0; i < p->n && is_global(a); i++) {
    if (!isfinite(p->lower[i]) || !isfinite(p->upper[i])) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "algorithm %s of NLopt searches globally and needs bounds on '%s'", name,
               p->names[i]);
    }
  }
  return MBD_OK;
}

#define NLOPT_PACKAGE NULL
#define NLOPT_LIBRARY MBO_NLOPT_VERSION
#else
#define nlopt_solve        NULL
#define nlopt_check        NULL
#define nlopt_algorithm_at NULL
#define NLOPT_PACKAGE      "libnlopt-dev"
#define NLOPT_LIBRARY      NULL
#endif

const backend_ops backend_nlopt = {
    .info = {.name = "nlopt",
             .doc = "The algorithms of NLopt by name (algorithm = LD_SLSQP, LD_MMA, LD_LBFGS, LN_COBYLA, ...).",
             .caps = MBO_CAP_BOUNDS | MBO_CAP_CONSTRAINTS | MBO_CAP_GRADIENT_FREE,
             .package = NLOPT_PACKAGE,
             .version = NLOPT_LIBRARY},
    .algorithm = nlopt_algorithm_at,
    .check = nlopt_check,
    .solve = nlopt_solve,
};
