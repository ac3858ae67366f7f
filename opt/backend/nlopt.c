/* NLopt: translation only. A design that cannot be simulated has the objective +INFINITY. Algorithms without gradients
 * take that as it is, but for those that fit a model through values. These, and those with gradients, which would need
 * one where there is none, cannot: the run is stopped, and trust_region.h has it start again from the best design. MLSL goes on to
 * its next start: it sees a bad finite value with the last good gradient. Never NaN, never a
 * zero gradient, which would look like an optimum. */
#include "backend/backend.h"
#include "config/expr.h"
#include "backend/trust_region.h"
#include "backend/optimality.h"

#ifdef MBO_HAVE_NLOPT

#include <ctype.h>
#include <math.h>
#include <nlopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "files/memory.h"

typedef struct nlopt_run {
  evaluator *e;
  const mbo_problem *p;
  const mbo_settings *s;
  mbo_result *r;
  nlopt_opt opt;
  int gradient;         /* the algorithm uses one */
  int stops_at_failure; /* the algorithm cannot continue from +INFINITY */
  int broken;           /* the run met a failed design and was stopped */
  int stopping;         /* 1: NLopt is to stop; it may still request some designs */
  double *x, *y;        /* [n] */
  double *last_g;       /* [n] gradient of the last design that could be simulated */
  double *last_jac;     /* [nc][n] likewise */
  double min, worst;    /* objectives seen */
  nlopt_algorithm algorithm;
  double size;           /* NLopt gets the objective times this factor */
  double best;           /* last objective reported as an iteration */
  int designs, repeated; /* of the evaluator at the last request; requests since without a new design */
  int in_vain;           /* these are too many */
} nlopt_run;

enum { REPEATED_MAX = 200 }; /* for the objective, and for each constraint */

/* ---- names ---- */

/* Distributions leave some algorithms out, and say so in their descriptions. NEWUOA is left out here: its bounded form may
 * never return, and BOBYQA is by the same author and better. */
static int is_offered(nlopt_algorithm a) {
  return strstr(nlopt_algorithm_name(a), "NOT COMPILED") == NULL && a != NLOPT_LN_NEWUOA && a != NLOPT_LN_NEWUOA_BOUND;
}

static int nlopt_algorithm_at(int i, const char **name, const char **doc) {
  for (int a = 0; i >= 0 && a < NLOPT_NUM_ALGORITHMS; a++) {
    if (!is_offered((nlopt_algorithm)a) || i-- > 0) { continue; }
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

/* Finds an algorithm by its name, with or without the prefix such as LD_; the default is LD_SLSQP. */
static mbd_status find_algorithm(const char *requested, nlopt_algorithm *a, mbd_error *err) {
  char name[64], hint[MBD_HINT];
  upper(*requested ? requested : "LD_SLSQP", name, sizeof name);
  mbd_nearest near = {.requested = name};
  for (int i = 0; i < NLOPT_NUM_ALGORITHMS; i++) {
    /* The whole name, or the name without its prefix, by which the first such algorithm is found. */
    const char *known = nlopt_algorithm_to_string((nlopt_algorithm)i);
    if (!is_offered((nlopt_algorithm)i)) { continue; }
    if (strcmp(known, name) == 0 || strcmp(known + 3, name) == 0) {
      *a = (nlopt_algorithm)i;
      return MBD_OK;
    }
  }
  if (strstr(name, "NEWUOA")) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "algorithm = %s may never return, so it is not offered; expected LN_BOBYQA, its successor", requested);
  }
  for (int i = 0; i < NLOPT_NUM_ALGORITHMS; i++) {
    /* The message proposes the offered name that is nearest to the requested one. */
    if (is_offered((nlopt_algorithm)i)) { mbd_nearest_offer(&near, nlopt_algorithm_to_string((nlopt_algorithm)i)); }
  }
  MBD_FAIL(err, MBD_BAD_INPUT, "algorithm = %s is not known to NLopt%s; `mbopt backends` lists all", requested,
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
  return a == NLOPT_LN_BOBYQA;
}

/* The families that work through a local optimizer. MLSL does so from many starts, and goes on after failed designs. */
static int is_mlsl(nlopt_algorithm a) {
  return strstr(nlopt_algorithm_to_string(a), "MLSL") != NULL;
}
static int has_local(nlopt_algorithm a) {
  return is_mlsl(a) || strstr(nlopt_algorithm_to_string(a), "AUGLAG");
}

/* The local optimizer must take bounds and, of AUGLAG_EQ, inequalities, for it makes penalties of equalities only. */
static nlopt_algorithm local_of(nlopt_algorithm a) {
  if (uses_gradient(a)) { return NLOPT_LD_SLSQP; }
  return strstr(nlopt_algorithm_to_string(a), "AUGLAG_EQ") ? NLOPT_LN_COBYLA : NLOPT_LN_SBPLX;
}

static int is_global(nlopt_algorithm a) {
  return nlopt_algorithm_to_string(a)[0] == 'G';
}

/* ---- callbacks ---- */

static void stop(nlopt_run *run) {
  run->stopping = 1;
  nlopt_force_stop(run->opt);
}

/* Ends a run of SLSQP that requests the same few designs without end, as it may where constraints contradict each other. They are
 * remembered, so that no limit of designs or of time is asked. */
static void watch_requests(nlopt_run *run) {
  const int designs = evaluator_designs(run->e);
  run->repeated = designs == run->designs ? run->repeated + 1 : 0;
  run->designs = designs;
  run->in_vain = run->repeated >= REPEATED_MAX * (1 + run->p->nc);
  if (run->in_vain) { stop(run); }
}

static const mbo_eval *evaluate(nlopt_run *run, const double *y, int gradient) {
  const mbo_problem *p = run->p;
  const mbo_eval *v;
  if (run->stopping) { return NULL; }
  watch_requests(run);
  const double *x = backend_to_user(p, y, run->x);
  mbd_status status = evaluator_evaluate(run->e, x, gradient ? MBO_REQUEST_GRADIENT : MBO_REQUEST_VALUE, &v, NULL);
  run->broken |= status > 0 && run->stops_at_failure;
  if (status < 0 || run->broken) { stop(run); }
  if (status != MBD_OK) { return NULL; }
  for (int i = 0; gradient && i < p->n; i++) { run->last_g[i] = run->size * v->g[i] * p->scale[i]; }
  for (int k = 0; gradient && k < p->nc * p->n; k++) { run->last_jac[k] = v->jac[k] * p->scale[k % p->n]; }
  return v;
}

static void report(nlopt_run *run, const mbo_eval *v) {
  double violation = evaluator_violation(run->p, v->c);
  if (!(v->f < run->best) && run->r->iterations > 0) { return; }
  run->best = v->f;
  run->r->iterations++;
  if (run->s->iteration) {
    const mbo_iteration it = {run->r->iterations, evaluator_designs(run->e), v->f, violation, NAN, NAN};
    run->s->iteration(run->s->user, &it);
  }
  if (run->r->iterations >= run->s->max_iterations) { stop(run); }
}

static double objective(unsigned n, const double *y, double *g, void *user) {
  nlopt_run *run = user;
  const mbo_eval *v = evaluate(run, y, g != NULL);
  if (g) { memcpy(g, run->last_g, n * sizeof *g); }
  if (!v) {
    return run->gradient && is_mlsl(run->algorithm) ? run->size * (run->worst + fabs(run->worst - run->min)) : HUGE_VAL;
  }
  run->min = fmin(run->min, v->f);
  run->worst = fmax(run->worst, v->f);
  report(run, v);
  return run->size * v->f;
}

/* One side of one constraint: sign * (c - bound) <= 0. */
typedef struct side {
  nlopt_run *run;
  int row;
  double sign, bound;
} side;

static double one_constraint(unsigned n, const double *y, double *g, void *user) {
  const side *k = user;
  const mbo_eval *v = evaluate(k->run, y, g != NULL);
  for (unsigned i = 0; g && i < n; i++) { g[i] = k->sign * k->run->last_jac[(unsigned)k->row * n + i]; }
  return v ? k->sign * (v->c[k->row] - k->bound) : HUGE_VAL;
}

/* ---- a run ---- */

/* *worst: the first refusal. */
static void add_side(nlopt_run *run, side *k, nlopt_result *worst) {
  const int equality = run->p->c_lower[k->row] == run->p->c_upper[k->row];
  const nlopt_result code = equality
                                ? nlopt_add_equality_constraint(run->opt, one_constraint, k, run->s->tol_constraint)
                                : nlopt_add_inequality_constraint(run->opt, one_constraint, k, run->s->tol_constraint);
  if (*worst >= 0) { *worst = code; }
}

static mbd_status add_constraints(nlopt_run *run, side *sides, mbd_error *err) {
  const mbo_problem *p = run->p;
  nlopt_result worst = NLOPT_SUCCESS;
  int n = 0;
  for (int i = 0; i < p->nc; i++) {
    if (isfinite(p->c_upper[i])) {
      sides[n] = (side){run, i, 1, p->c_upper[i]};
      add_side(run, &sides[n++], &worst);
    }
    if (isfinite(p->c_lower[i]) && p->c_lower[i] != p->c_upper[i]) {
      sides[n] = (side){run, i, -1, p->c_lower[i]};
      add_side(run, &sides[n++], &worst);
    }
  }
  if (worst == NLOPT_OUT_OF_MEMORY) { return MEMORY_NONE(err, "NLopt"); }
  if (worst < 0) { MBD_FAIL(err, MBD_UNSUPPORTED, "this algorithm of NLopt takes no such constraints"); }
  return MBD_OK;
}

/* Creates NLopt's object: start, bounds, objective, tolerances, native parameters, constraints and the local optimizer. */
static mbd_status set_up(nlopt_run *run, nlopt_algorithm a, const trust_region *b, side *sides, mbd_error *err) {
  const mbo_problem *p = run->p;
  const mbo_settings *s = run->s;
  /* Variables are divided by their scales: start, bounds and objective. */
  run->opt = nlopt_create(a, (unsigned)p->n);
  MEMORY_TRY(run->opt, err, "NLopt");
  memcpy(run->y, b->start, (size_t)p->n * sizeof *run->y);
  if (nlopt_set_lower_bounds(run->opt, b->lower) < 0 || nlopt_set_upper_bounds(run->opt, b->upper) < 0 ||
      nlopt_set_min_objective(run->opt, objective, run) < 0) {
    return MEMORY_NONE(err, "NLopt");
  }
  /* Tolerances; the objective that NLopt gets is multiplied by run->size. */
  nlopt_set_ftol_rel(run->opt, s->tol_f);
  nlopt_set_xtol_rel(run->opt, s->tol_x);
  nlopt_set_stopval(run->opt, run->size * s->stop_value);
  /* Parameters of [native], which are numbers. */
  for (int i = 0; i < s->noption; i++) {
    double v;
    const int is_number = mbo_number(s->option[i].value, &v);
    const nlopt_result code = is_number ? nlopt_set_param(run->opt, s->option[i].name, v) : NLOPT_INVALID_ARGS;
    if (code == NLOPT_OUT_OF_MEMORY) { return MEMORY_NONE(err, "NLopt"); }
    if (code < 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "[native] %s = %s: NLopt's parameters are numbers", s->option[i].name,
               s->option[i].value);
    }
  }
  MBD_TRY(add_constraints(run, sides, err));
  /* The local optimizer of AUGLAG and MLSL, of which NLopt keeps a copy. */
  if (has_local(a)) {
    nlopt_opt local = nlopt_create(local_of(a), (unsigned)p->n);
    MEMORY_TRY(local, err, "NLopt");
    nlopt_set_ftol_rel(local, s->tol_f);
    nlopt_set_xtol_rel(local, s->tol_x);
    const nlopt_result taken = nlopt_set_local_optimizer(run->opt, local);
    nlopt_destroy(local);
    if (taken < 0) { return MEMORY_NONE(err, "NLopt"); }
  }
  return MBD_OK;
}

static mbo_status uniform(nlopt_result code, const nlopt_run *run) {
  switch (code) {
    case NLOPT_SUCCESS:
    case NLOPT_STOPVAL_REACHED:
    case NLOPT_FTOL_REACHED:
    case NLOPT_XTOL_REACHED: return run->broken ? MBO_STALLED : MBO_CONVERGED;
    case NLOPT_MAXEVAL_REACHED:
    case NLOPT_MAXTIME_REACHED: return MBO_STOPPED_LIMIT;
    case NLOPT_FAILURE: /* a line search that found nothing */
    case NLOPT_ROUNDOFF_LIMITED: return MBO_STALLED;
    case NLOPT_FORCED_STOP:
      if (run->broken || run->in_vain) { return MBO_STALLED; }
      return run->r->iterations >= run->s->max_iterations ? MBO_STOPPED_LIMIT : MBO_INTERRUPTED;
    default: return MBO_FAILED;
  }
}

/* SLSQP begins with the unit matrix as second derivatives, and its solver for a step loses digits where the gradient is large beside that:
 * the largest entry of the first gradient is not to be above `max`. Others choose their first step by the gradient's size. */
static double size_of(const nlopt_run *run) {
  static const double max = 10;
  const mbo_eval *v;
  double largest = 0;
  if (run->algorithm != NLOPT_LD_SLSQP) { return 1; }
  if (evaluator_evaluate(run->e, run->p->start, MBO_REQUEST_GRADIENT, &v, NULL) != MBD_OK) { return 1; }
  for (int i = 0; i < run->p->n; i++) { largest = fmax(largest, fabs(v->g[i] * run->p->scale[i])); }
  return largest > max ? max / largest : 1;
}

static mbd_status run_once(nlopt_run *run, nlopt_algorithm a, const trust_region *b, side *sides, mbd_error *err) {
  double f;
  run->broken = run->stopping = run->repeated = run->in_vain = 0;
  mbd_status status = set_up(run, a, b, sides, err);
  if (status == MBD_OK) {
    nlopt_result code = nlopt_optimize(run->opt, run->y, &f);
    const char *message = nlopt_get_errmsg(run->opt);
    run->r->code = code;
    run->r->status = uniform(code, run);
    if (code == NLOPT_OUT_OF_MEMORY) { status = MBD_FAILED(err, MBD_NO_MEMORY, "NLopt found none"); }
    snprintf(run->r->text, sizeof run->r->text, "%s%s%s", nlopt_result_to_string(code),
             message || run->in_vain ? ": " : "",
             run->in_vain ? "it requests the same designs without end"
             : message    ? message
                          : "");
  }
  nlopt_destroy(run->opt);
  run->opt = NULL;
  return status;
}

/* Methods of moving asymptotes accept designs outside of the constraints where the objective is smaller, and may end there by short steps,
 * though the best design is no optimum. They start again from it, as long as that improves it; in a box, trust_region.h decides on further runs. */
static mbd_status begin_again(nlopt_run *run, const trust_region *b, double *reached, int *again, mbd_error *err) {
  const double *x;
  double f, left;
  *again = 0;
  if (run->r->status != MBO_CONVERGED || isfinite(b->radius) || evaluator_limit(run->e) ||
      !evaluator_best(run->e, &x, &f, NULL, NULL)) {
    return MBD_OK;
  }
  MBD_TRY(optimality_of_best(run->e, run->p, run->s, &left, NULL, err));
  *again = f > run->s->stop_value && f < *reached && !optimality_is_within(run->e, run->s, left);
  *reached = f;
  for (int i = 0; *again && i < run->p->n; i++) { b->start[i] = x[i] / run->p->scale[i]; }
  run->r->restarts += *again;
  return MBD_OK;
}

/* Runs an algorithm of NLopt, local ones again from the best design where they ended falsely and in smaller boxes where designs cannot be
 * simulated, until neither helps. An end beside a failed design is no success. */
static mbd_status nlopt_solve(evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  nlopt_algorithm a;
  trust_region b;
  nlopt_run q = {.e = e, .p = p, .s = s, .r = r, .best = HUGE_VAL, .min = HUGE_VAL, .worst = -HUGE_VAL};
  MBD_TRY(find_algorithm(s->algorithm, &a, err));
  q.algorithm = a;
  q.gradient = uses_gradient(a);
  q.stops_at_failure = (q.gradient || builds_model(a)) && !is_mlsl(a);
  if (!q.gradient) { evaluator_along(e, 0); }
  if (!q.gradient || is_global(a)) {
    evaluator_watch(e, is_global(a) ? 0 : 2 * p->n + 4);
  } /* a simplex on a flat place */
  nlopt_srand((unsigned long)s->seed);
  const size_t n = (size_t)p->n, nc = (size_t)p->nc;
  side *sides = calloc(2 * nc + 1, sizeof *sides);
  double *block = calloc(3 * n + nc * n + 1, sizeof *block);
  mbd_status status = trust_region_create(e, s, &b, err);
  if (status == MBD_OK && !(sides && block)) { status = MEMORY_NONE(err, "NLopt"); }
  if (status == MBD_OK) {
    q.size = size_of(&q);
    q.x = block, q.y = block + n, q.last_g = block + 2 * n, q.last_jac = block + 3 * n;
    double reached = INFINITY;
    int again = 0;
    do {
      status = run_once(&q, a, &b, sides, err);
      if (status == MBD_OK && !is_global(a)) { status = begin_again(&q, &b, &reached, &again, err); }
    } while (status == MBD_OK && (again || trust_region_next(&b, q.broken, r)));
    trust_region_doubt(&b, r);
  }
  trust_region_free(&b);
  free(sides), free(block);
  return status;
}

/* Checks that the algorithm can solve the problem: gradient, constraints, number of variables, bounds. */
static mbd_status nlopt_check(const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  nlopt_algorithm a;
  MBD_TRY(find_algorithm(s->algorithm, &a, err));
  /* Gradient and constraints; the AUGLAG family adds constraints to algorithms that take none. */
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
  /* Limits of single algorithms: BOBYQA and PRAXIS need two variables, and PRAXIS fails at bounds. */
  if (p->n < 2 && (a == NLOPT_LN_BOBYQA || a == NLOPT_LN_PRAXIS)) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "algorithm %s of NLopt needs two variables at least; LN_COBYLA and LN_SBPLX do not",
             name);
  }
  for (int i = 0; i < p->n && a == NLOPT_LN_PRAXIS; i++) {
    if (!isfinite(p->lower[i]) && !isfinite(p->upper[i])) { continue; }
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "algorithm LN_PRAXIS of NLopt finds false optima at bounds, and '%s' has some; LN_BOBYQA and LN_SBPLX "
             "take them",
             p->names[i]);
  }
  /* A global search needs a finite range of every variable. */
  for (int i = 0; i < p->n && is_global(a); i++) {
    if (!isfinite(p->lower[i]) || !isfinite(p->upper[i])) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "algorithm %s of NLopt searches globally and needs bounds on '%s'", name,
               p->names[i]);
    }
  }
  return MBD_OK;
}

#endif

const backend_ops backend_nlopt = {
    .name = "nlopt",
    .doc = "The algorithms of NLopt by name (algorithm = LD_SLSQP, LD_MMA, LD_LBFGS, LN_COBYLA, ...).",
    .caps = MBO_CAP_BOUNDS | MBO_CAP_CONSTRAINTS | MBO_CAP_GRADIENT_FREE,
#ifdef MBO_HAVE_NLOPT
    .version = MBO_NLOPT_VERSION,
    .algorithm = nlopt_algorithm_at,
    .check = nlopt_check,
    .solve = nlopt_solve,
#endif
};
