/* IPOPT (interior point): translation only. For a design that cannot be simulated the callbacks return false, and IPOPT halves the step.
 * If this happens in nearly every step, the run is stopped, and trust_region.h starts it again from the best design. */
#include "backend/backend.h"
#include "backend/trust_region.h"
#include "backend/trust_region_model.h"
#include "backend/damping.h"
#include "backend/optimality.h"
#include "backend/progress.h"
#include "config/expr.h"
#include "files/memory.h"

#ifdef MBO_HAVE_IPOPT

#include <dlfcn.h>
#include <IpStdCInterface.h> /* pkg-config says in which folder: coin/ (3.11) or coin-or/ (3.14) */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* IPOPT 3.14, whose header names its version, has new names for its types and calls the old ones deprecated. */
#ifdef IPOPT_VERSION_MAJOR
typedef bool ipbool;
#else
typedef Number ipnumber;
typedef Index ipindex;
typedef Bool ipbool;
#endif

/* IPOPT 3.11 and MUMPS keep work space in variables of the whole process. One thread at a time is inside them; while a
 * design is simulated, others may be. */
static pthread_mutex_t inside_ipopt = PTHREAD_MUTEX_INITIALIZER;

/* The library is loaded by the first optimization that takes it: with it comes MUMPS, and on some systems MPI, which opens files
 * and starts threads as it is loaded, and every command would start ten times as slowly. */
#define FUNCTIONS(X)    \
  X(CreateIpoptProblem) \
  X(FreeIpoptProblem)   \
  X(AddIpoptStrOption) X(AddIpoptNumOption) X(AddIpoptIntOption) X(SetIntermediateCallback) X(IpoptSolve)
#define POINTER(f) __typeof__(&f) f;
static struct library { FUNCTIONS(POINTER) } ipopt;
#undef POINTER

/* The loader makes a thread's own variables of a library at their first use, and ends the process where it has no memory for them.
 * Those of exceptions, which IPOPT throws when it is told to stop, are there from now on. */
static void take_exceptions(void *handle) {
  void *(*globals)(void), *function = dlsym(handle, "__cxa_get_globals");
  memcpy(&globals, &function, sizeof globals);
  if (globals) { (void)globals(); }
}

static mbd_status load(mbd_error *err) {
  void *handle = dlopen(MBO_IPOPT_FILE, RTLD_NOW | RTLD_LOCAL), *function = handle;
#define FIND(f)                                   \
  if (function) { function = dlsym(handle, #f); } \
  memcpy(&ipopt.f, &function, sizeof function);
  FUNCTIONS(FIND)
#undef FIND
  if (!function) {
    MBD_FAIL(err, MBD_NOT_BUILT_IN, "IPOPT cannot be loaded: %s (Debian: coinor-libipopt-dev)", dlerror());
  }
  take_exceptions(handle);
  return MBD_OK;
}

/* Where IPOPT and what it calls find no memory, MUMPS calls it a step that cannot be computed, OpenBLAS waits for ever, and others end the
 * process. So as much as they take is requested before, in one piece that is given back: for their libraries and the buffers of BLAS (seen: 141
 * MiB of addresses with two variables), and for each second derivative (seen: 290 bytes with 800 and 1200 variables) and each entry of the Jacobian,
 * which fills the factors (seen: 2700 bytes with 2000 variables and 100 constraints). */
static mbd_status check_memory(const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  static const size_t min = (size_t)192 << 20, of_second = 400, of_jacobian = 3000; /* [bytes] */
  const size_t n = (size_t)p->n, second = s->gauss_newton || s->exact_hessian ? n * (n + 1) / 2 : 0;
  const size_t bytes = min + of_second * second + of_jacobian * n * (size_t)p->nc;
  void *trial = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (trial == MAP_FAILED) { MBD_FAIL(err, MBD_NO_MEMORY, "IPOPT is not begun without %zu MiB for it", bytes >> 20); }
  munmap(trial, bytes);
  return MBD_OK;
}

static const double too_small = 1e-8; /* step of an iteration, in scaled variables, that changes nothing */
static const double trusted = 1e-3;   /* damping beyond which a model does not predict the possible decrease */
enum { TROUBLE_MAX = 10, TROUBLE_IN_REGION_MAX = 2, STILL = 3 };

typedef struct ipopt_run {
  evaluator *e;
  const mbo_problem *p;
  mbo_settings *s; /* of the caller; the Gauss-Newton matrix may be left */
  mbo_result *r;
  double *x;        /* [n] in user units */
  int trouble, max; /* a failed design adds one, another takes off two; above `max` the run is stopped */
  int broken;       /* 1: the run is stopped for this reason */
  progress progress;
  int idle;         /* 1: the run is stopped because the Gauss-Newton matrix makes no progress */
  int offset;       /* iterations of earlier runs */
  double violation; /* of the constraints at the last design that a callback of IPOPT evaluated */
  double f_last, step;
  int still;                   /* iterations in a row that changed the objective by no more than tol_f */
  double size;                 /* IPOPT gets the objective times this factor */
  damping damping;             /* of the Gauss-Newton matrix */
  double *g, *H;               /* [n], [n][n] in IPOPT's variables; of a Gauss-Newton matrix alone */
  trust_region_model model;    /* the least value of its model between the bounds */
  double f_model, promised;    /* of fits: the objective at the last iterate, the decrease predicted there */
  int designs;                 /* at the last iterate */
  const double *lower, *upper; /* [n] bounds of the run */
} ipopt_run;

static const mbo_eval *evaluate(ipopt_run *run, const double *y, unsigned request) {
  const mbo_eval *v;
  const int designs = evaluator_designs(run->e);
  if (run->broken) { return NULL; }
  pthread_mutex_unlock(&inside_ipopt);
  mbd_status status = evaluator_evaluate(run->e, backend_to_user(run->p, y, run->x), request, &v, NULL);
  pthread_mutex_lock(&inside_ipopt);
  if (status >= 0 && evaluator_designs(run->e) != designs) { /* a new design */
    run->trouble = status > 0 ? run->trouble + 1 : run->trouble > 2 ? run->trouble - 2 : 0;
    run->broken = run->trouble >= run->max;
  }
  if (status != MBD_OK) { return NULL; }
  run->violation = evaluator_violation(run->p, v->c);
  return v;
}

static ipbool eval_f(ipindex n, ipnumber *y, ipbool new_x, ipnumber *f, UserDataPtr user) {
  const mbo_eval *v = evaluate(user, y, MBO_REQUEST_VALUE);
  (void)n, (void)new_x;
  if (v) { *f = v->f; }
  return v != NULL;
}

static ipbool eval_grad_f(ipindex n, ipnumber *y, ipbool new_x, ipnumber *g, UserDataPtr user) {
  ipopt_run *run = user;
  const mbo_eval *v = evaluate(run, y, MBO_REQUEST_GRADIENT);
  (void)new_x;
  for (int i = 0; v && i < n; i++) { g[i] = v->g[i] * run->p->scale[i]; }
  return v != NULL;
}

static ipbool eval_g(ipindex n, ipnumber *y, ipbool new_x, ipindex m, ipnumber *c, UserDataPtr user) {
  const mbo_eval *v = m ? evaluate(user, y, MBO_REQUEST_VALUE) : NULL;
  (void)n, (void)new_x;
  for (int i = 0; v && i < m; i++) { c[i] = v->c[i]; }
  return m == 0 || v != NULL;
}

static ipbool eval_jac_g(ipindex n, ipnumber *y, ipbool new_x, ipindex m, ipindex count, ipindex *row, ipindex *col,
                         ipnumber *values, UserDataPtr user) {
  ipopt_run *run = user;
  (void)new_x, (void)count;
  if (m == 0) { return 1; }
  if (!values) { /* dense */
    for (int k = 0; k < m * n; k++) { row[k] = k / n, col[k] = k % n; }
    return 1;
  }
  const mbo_eval *v = evaluate(run, y, MBO_REQUEST_GRADIENT);
  for (int k = 0; v && k < m * n; k++) { values[k] = v->jac[k] * run->p->scale[k % n]; }
  return v != NULL;
}

/* Returns entry (i, j) of the Hessian of the Lagrangian,  factor H_f + sum of lambda_k H_ck.  With the Gauss-Newton matrix, the curvature of
 * constraints is left out. This makes convergence slower, but the optimality conditions are exact. */
static double lagrangian_entry(const ipopt_run *run, const mbo_eval *v, double factor, const double *lambda, int i,
                               int j) {
  const int n = run->p->n, at = i * n + j;
  if (!run->s->exact_hessian) { return factor * v->H[at]; }
  double sum = factor * v->hess[at];
  for (int k = 0; k < run->p->nc; k++) { sum += lambda[k] * v->hess[(1 + k) * n * n + at]; }
  return sum;
}

/* Returns 1 if a nonlinear constraint is active or violated at a design, so that the Gauss-Newton matrix does not predict the possible decrease. */
static int is_held(const mbo_problem *p, const double *c) {
  static const double near = 1e-3;
  for (int k = 0; k < p->nc; k++) {
    const double size = near * (1 + fabs(c[k]));
    if (c[k] <= p->c_lower[k] + size || c[k] >= p->c_upper[k] - size) { return 1; }
  }
  return 0;
}

/* Tells the evaluator of a fit to data how much the model at the iterate y can still gain. */
static void tell_offset(ipopt_run *run, const double *y, double f) {
  if (run->p->samples == 0 || f == run->f_model) { return; }
  const double gained = isnan(run->promised) ? 1 : (run->f_model - f) / run->promised;
  run->f_model = f;
  run->promised = trust_region_model_solve(&run->model, y, run->lower, run->upper, run->g, run->H, 0);
  evaluator_offset(run->e, &(evaluator_model){f, run->promised, gained, run->model.nfree});
}

/* Gives an iterate with its Gauss-Newton matrix to the damping. */
static void iterate(ipopt_run *run, const double *y, const mbo_eval *v) {
  const int n = run->p->n, designs = evaluator_designs(run->e);
  const double *scale = run->p->scale;
  for (int i = 0; i < n; i++) {
    run->g[i] = v->g[i] * scale[i];
    for (int j = 0; j < n; j++) { run->H[i * n + j] = v->H[i * n + j] * scale[i] * scale[j]; }
  }
  damping_iterate(&run->damping, y, v->f, run->g, run->H, designs - run->designs);
  run->designs = designs;
  if (is_held(run->p, v->c)) { return; }
  pthread_mutex_unlock(&inside_ipopt);
  tell_offset(run, y, v->f);
  pthread_mutex_lock(&inside_ipopt);
  if (run->damping.lambda > trusted) { return; }
  pthread_mutex_unlock(&inside_ipopt);
  evaluator_left(run->e, v->f, damping_left(&run->damping, run->lower, run->upper));
  pthread_mutex_lock(&inside_ipopt);
}

static ipbool eval_h(ipindex n, ipnumber *y, ipbool new_x, ipnumber factor, ipindex m, ipnumber *lambda,
                     ipbool new_lambda, ipindex count, ipindex *row, ipindex *col, ipnumber *values, UserDataPtr user) {
  ipopt_run *run = user;
  const unsigned request = run->s->exact_hessian ? MBO_REQUEST_HESSIAN : MBO_REQUEST_GAUSS_NEWTON;
  const mbo_eval *v = values ? evaluate(run, y, request) : NULL;
  (void)new_x, (void)m, (void)new_lambda, (void)count;
  if (v && run->s->gauss_newton) { iterate(run, y, v); }
  for (int i = 0, k = 0; i < n; i++) { /* lower triangle */
    for (int j = 0; j <= i; j++, k++) {
      if (!values) {
        row[k] = i, col[k] = j;
      } else if (v) {
        values[k] = lagrangian_entry(run, v, factor, lambda, i, j) * run->p->scale[i] * run->p->scale[j];
        if (i == j && run->s->gauss_newton) { values[k] += factor * damping_added(&run->damping, i); }
      }
    }
  }
  return !values || v != NULL;
}

/* Tells the watch of progress the best design so far. Returns 0 if there was no progress for too long. */
static int is_progress(ipopt_run *run, double optimality) {
  double f, violation;
  if (!evaluator_best(run->e, NULL, &f, NULL, &violation)) { return 1; }
  return progress_is_made(&run->progress, evaluator_designs(run->e), f, violation, optimality);
}

/* Asks whether a design is enough. */
static int ask(ipopt_run *run, const double *x) {
  const mbo_eval *v;
  const unsigned request = MBO_REQUEST_GRADIENT | MBO_REQUEST_HESSIAN;
  if (evaluator_evaluate(run->e, x, request, &v, NULL) != MBD_OK || !run->s->is_enough(run->s->user, x, v)) {
    return 0;
  }
  evaluator_enough(run->e, x, v);
  return 1;
}

/* That of the iterate, which is the one that was evaluated last. */
static int is_enough(ipopt_run *run) {
  pthread_mutex_unlock(&inside_ipopt);
  const int enough = ask(run, run->x);
  pthread_mutex_lock(&inside_ipopt);
  return enough;
}

/* IPOPT's inf_pr is the residual of its scaled equations with slack variables, so the violation that is told is that of the constraints. The last
 * design evaluated is the iterate: trial points end with the accepted one, and inf_du, which is computed before this call, needs its derivatives. */
static ipbool intermediate(ipindex mode, ipindex iteration, ipnumber f, ipnumber inf_pr, ipnumber inf_du, ipnumber mu,
                           ipnumber d_norm, ipnumber reg, ipnumber alpha_du, ipnumber alpha_pr, ipindex trials,
                           UserDataPtr user) {
  ipopt_run *run = user;
  (void)mode, (void)mu, (void)reg, (void)alpha_du, (void)alpha_pr, (void)trials;
  run->r->iterations = run->offset + iteration;
  if (run->s->iteration && !(run->offset && iteration == 0)) {
    const mbo_iteration it = {run->r->iterations, evaluator_designs(run->e), f, run->violation, inf_du, d_norm};
    pthread_mutex_unlock(&inside_ipopt);
    run->s->iteration(run->s->user, &it);
    pthread_mutex_lock(&inside_ipopt);
  }
  if (run->s->is_enough && is_enough(run)) { return 0; }
  const int unchanged = iteration > 0 && fabs(f - run->f_last) <= run->s->tol_f * fabs(f);
  run->still = unchanged && inf_pr <= run->s->tol_constraint ? run->still + 1 : 0;
  run->f_last = f, run->step = d_norm;
  if (run->s->gauss_newton && run->s->leave_gauss_newton) { run->idle = !is_progress(run, inf_du); }
  return run->still < STILL && !run->broken && !run->idle && !evaluator_limit(run->e) &&
         evaluator_fatal(run->e, NULL) == MBD_OK && !(run->s->stop && *run->s->stop) && !(f <= run->s->stop_value);
}

static int add_option(IpoptProblem ip, const char *name, const char *value) {
  char n[128], v[256];
  double number;
  snprintf(n, sizeof n, "%s", name);
  snprintf(v, sizeof v, "%s", value);
  int is_number = mbo_number(value, &number);
  if (is_number && number == floor(number) && fabs(number) < 2e9 && ipopt.AddIpoptIntOption(ip, n, (int)number)) {
    return 1;
  }
  if (is_number && ipopt.AddIpoptNumOption(ip, n, number)) { return 1; }
  return ipopt.AddIpoptStrOption(ip, n, v);
}

/* Tells IPOPT which rows of the Jacobian are constant: where all equations, or all inequalities, are linear. */
static void set_linear(IpoptProblem ip, const mbo_problem *p) {
  char *const option[] = {(char[]){"jac_d_constant"}, (char[]){"jac_c_constant"}};
  int n[2] = {0}, linear[2] = {0};
  for (int i = 0; i < p->nc; i++) {
    const int equation = p->c_lower[i] == p->c_upper[i];
    n[equation]++;
    linear[equation] += p->c_linear && p->c_linear[i];
  }
  for (int k = 0; k < 2; k++) {
    if (n[k] > 0 && linear[k] == n[k]) { ipopt.AddIpoptStrOption(ip, option[k], (char[]){"yes"}); }
  }
}

/* Near an optimum with its multipliers: IPOPT's own starts go away from bounds, and its barrier begins large. */
static void set_warm(IpoptProblem ip) {
  char *const near[] = {(char[]){"warm_start_bound_push"}, (char[]){"warm_start_bound_frac"},
                        (char[]){"warm_start_slack_bound_push"}, (char[]){"warm_start_slack_bound_frac"},
                        (char[]){"warm_start_mult_bound_push"}};
  ipopt.AddIpoptStrOption(ip, (char[]){"warm_start_init_point"}, (char[]){"yes"});
  ipopt.AddIpoptStrOption(ip, (char[]){"mu_strategy"}, (char[]){"monotone"});
  ipopt.AddIpoptNumOption(ip, (char[]){"mu_init"}, 1e-6);
  for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) { ipopt.AddIpoptNumOption(ip, near[i], 1e-8); }
}

static mbd_status set_options(IpoptProblem ip, const mbo_settings *s, double size, int warm, mbd_error *err) {
  char limited[] = "limited-memory", exact[] = "exact", yes[] = "yes", no[] = "no", none[] = "none";
  ipopt.AddIpoptStrOption(ip, "hessian_approximation", s->gauss_newton || s->exact_hessian ? exact : limited);
  ipopt.AddIpoptStrOption(ip, "sb", yes);
  ipopt.AddIpoptStrOption(ip, "option_file_name", (char[]){""}); /* no stray ipopt.opt of the current folder */
  ipopt.AddIpoptIntOption(ip, "print_level", s->verbosity > 1 ? 5 : 0);
  ipopt.AddIpoptNumOption(ip, "tol", s->tolerance);
  ipopt.AddIpoptNumOption(ip, "constr_viol_tol", s->tol_constraint > 0 ? s->tol_constraint : 1e-8);
  ipopt.AddIpoptIntOption(ip, "max_iter", s->max_iterations);
  ipopt.AddIpoptNumOption(ip, "bound_relax_factor", 0); /* no design leaves the user's bounds */
  ipopt.AddIpoptStrOption(ip, "honor_original_bounds", no);
  ipopt.AddIpoptStrOption(ip, "nlp_scaling_method", s->gauss_newton ? none : (char[]){"gradient-based"});
  ipopt.AddIpoptNumOption(ip, "obj_scaling_factor", size);
  if (s->gauss_newton || s->exact_hessian) { ipopt.AddIpoptStrOption(ip, "mu_strategy", (char[]){"adaptive"}); }
  if (warm) { set_warm(ip); }
  for (int i = 0; i < s->noption; i++) {
    if (!add_option(ip, s->option[i].name, s->option[i].value)) {
      MBD_FAIL(err, MBD_BAD_INPUT, "[native] %s = %s is not an option of IPOPT", s->option[i].name, s->option[i].value);
    }
  }
  return MBD_OK;
}

/* Multipliers to begin with, of the constraints, of lower and of upper bounds [m + 2 n], in IPOPT's variables: those of the settings, and what
 * they leave of the gradient at the start, for bounds that are nearer than that. Returns 0 if there are none, or this is not the first run. */
static int warm_start(ipopt_run *run, double *multipliers) {
  const mbo_problem *p = run->p;
  const mbo_eval *v = NULL;
  if (!run->s->multipliers || run->offset) { return 0; }
  pthread_mutex_unlock(&inside_ipopt);
  const mbd_status status = evaluator_evaluate(run->e, p->start, MBO_REQUEST_GRADIENT, &v, NULL);
  pthread_mutex_lock(&inside_ipopt);
  if (status != MBD_OK) { return 0; }
  memcpy(multipliers, run->s->multipliers, (size_t)p->nc * sizeof *multipliers);
  double *below = multipliers + p->nc, *above = below + p->n;
  for (int i = 0; i < p->n; i++) {
    double r = v->g[i];
    for (int k = 0; k < p->nc; k++) { r += v->jac[k * p->n + i] * multipliers[k]; }
    r *= p->scale[i];
    below[i] = (p->start[i] - p->lower[i]) / p->scale[i] < r ? r : 0;
    above[i] = (p->upper[i] - p->start[i]) / p->scale[i] < -r ? -r : 0;
  }
  return 1;
}

/* Returns the size of the objective: of a sum of squares its value at the start, at most 1. So `tolerance` counts relative to it, and IPOPT's first
 * barrier, 0.1, does not outweigh an objective that is small by nature. */
static double scale_of(const ipopt_run *run) {
  const mbo_eval *v;
  if (!run->s->gauss_newton) { return 1; }
  const mbd_status status = evaluator_evaluate(run->e, run->p->start, MBO_REQUEST_VALUE, &v, NULL);
  return status == MBD_OK && v->f > 0 && v->f < 1 ? 1 / v->f : 1;
}

/* Translates IPOPT's return code to the status that all backends share, with its text. */
static mbo_status uniform(enum ApplicationReturnStatus code, const ipopt_run *run, const char **text) {
  double f;
  int have = evaluator_best(run->e, NULL, &f, NULL, NULL);
  switch (code) {
    case Solve_Succeeded: *text = "Optimal solution found"; return MBO_CONVERGED;
    case Solved_To_Acceptable_Level: *text = "Solved to acceptable level"; return MBO_CONVERGED;
    case Feasible_Point_Found: *text = "Feasible point found"; return MBO_CONVERGED;
    case Infeasible_Problem_Detected: *text = "Converged to a point of local infeasibility"; return MBO_INFEASIBLE;
    case Search_Direction_Becomes_Too_Small: *text = "Search direction becomes too small"; return MBO_STALLED;
    case Restoration_Failed: *text = "Restoration failed"; return MBO_STALLED;
    case Error_In_Step_Computation: *text = "Error in step computation"; return MBO_STALLED;
    case Diverging_Iterates: *text = "Iterates diverge"; return MBO_STALLED;
    /* our own limits, by the callback of the iterations */
    case User_Requested_Stop:
      if (run->still >= STILL) {
        *text = "The objective no longer changes (tol_f)";
        return MBO_CONVERGED;
      }
      *text = "Stopped by the program";
      return have && f <= run->s->stop_value ? MBO_CONVERGED : MBO_STOPPED_LIMIT;
    case Maximum_Iterations_Exceeded: *text = "Maximum number of iterations exceeded"; return MBO_STOPPED_LIMIT;
    case Maximum_CpuTime_Exceeded: *text = "Maximum CPU time exceeded"; return MBO_STOPPED_LIMIT;
    case Not_Enough_Degrees_Of_Freedom: *text = "Too few degrees of freedom"; return MBO_FAILED;
    case Invalid_Number_Detected: *text = "Invalid number in function or derivative"; return MBO_FAILED;
    default: *text = "IPOPT failed"; return MBO_FAILED;
  }
}

/* Replaces infinite bounds by IPOPT's infinity. */
static void ipopt_range(int n, double *lower, double *upper) {
  for (int i = 0; i < n; i++) { lower[i] = fmax(lower[i], -2e19), upper[i] = fmin(upper[i], 2e19); }
}

/* Runs IPOPT once from the start of a box, within its bounds. It sets the problem up, sets the counters of trouble back, limits the iterations
 * to those that earlier runs have left where the box has a radius, and translates IPOPT's code into status and words of run->r. */
static mbd_status run_once(ipopt_run *run, const trust_region *b, double *y, double *yl, double *yu, double *cl,
                           double *cu, double *multipliers, mbd_error *err) {
  const int n = run->p->n, m = run->p->nc;
  double f;
  const char *text;
  memcpy(y, b->start, (size_t)n * sizeof *y);
  memcpy(yl, b->lower, (size_t)n * sizeof *yl);
  memcpy(yu, b->upper, (size_t)n * sizeof *yu);
  ipopt_range(n, yl, yu);
  IpoptProblem ip = ipopt.CreateIpoptProblem(n, yl, yu, m, cl, cu, m * n, n * (n + 1) / 2, 0, eval_f, eval_g,
                                             eval_grad_f, eval_jac_g, eval_h);
  if (!ip) { MBD_FAIL(err, MBD_BAD_INPUT, "IPOPT rejects the problem"); }
  set_linear(ip, run->p);
  const int warm = warm_start(run, multipliers);
  mbd_status status = set_options(ip, run->s, run->size, warm, err);
  if (status == MBD_OK) {
    run->trouble = run->broken = run->still = run->idle = 0;
    run->step = INFINITY;
    progress_begin(&run->progress, run->s->tol_constraint, evaluator_designs(run->e));
    run->lower = b->lower, run->upper = b->upper;
    run->max = TROUBLE_MAX;
    if (run->s->gauss_newton) { damping_begin(&run->damping); }
    run->f_model = run->promised = NAN;
    run->designs = evaluator_designs(run->e);
    if (isfinite(b->radius)) {
      run->max = TROUBLE_IN_REGION_MAX;
      ipopt.AddIpoptNumOption(ip, (char[]){"bound_push"}, 1e-6); /* stay near the start, which can be simulated */
      ipopt.AddIpoptNumOption(ip, (char[]){"bound_frac"}, 1e-6);
    }
    if (run->offset) { ipopt.AddIpoptIntOption(ip, (char[]){"max_iter"}, run->s->max_iterations - run->offset); }
    ipopt.SetIntermediateCallback(ip, intermediate);
    run->r->code = ipopt.IpoptSolve(ip, y, NULL, &f, warm ? multipliers : NULL, warm ? multipliers + m : NULL,
                                    warm ? multipliers + m + n : NULL, run);
    run->r->status = uniform((enum ApplicationReturnStatus)run->r->code, run, &text);
    if (run->r->code == Invalid_Number_Detected) { run->broken = 1; } /* IPOPT could not evaluate its own start */
    if (run->broken) {
      run->r->status = MBO_STALLED;
      text = "designs that cannot be simulated are in the way";
    }
    if (run->r->code == Insufficient_Memory && evaluator_fatal(run->e, NULL) == MBD_OK) {
      status = MBD_FAILED(err, MBD_NO_MEMORY, "IPOPT found none");
    }
    if (evaluator_limit(run->e)) { text = "Stopped by the program"; }
    snprintf(run->r->text, sizeof run->r->text, "%s", text);
    run->offset = run->r->iterations;
  }
  ipopt.FreeIpoptProblem(ip);
  return status;
}

/* After a run with the Gauss-Newton matrix that came to no optimum: the next one begins at the best design, with the limited-memory matrix. Returns 0
 * if the run keeps its matrix, or has ended otherwise. */
static int leave_gauss_newton(ipopt_run *run, trust_region *b) {
  const char *limit = evaluator_limit(run->e);
  const int in_vain = limit && strcmp(limit, "infeasible") == 0;
  const double *best;
  double f, left;
  if (!run->s->gauss_newton || !run->s->leave_gauss_newton) { return 0; }
  /* Ends that another matrix does not change: limits, requests, errors, optima. */
  if ((limit && !in_vain) || evaluator_fatal(run->e, NULL) != MBD_OK) { return 0; }
  if (run->r->status == MBO_STOPPED_LIMIT && !in_vain && !run->idle) { return 0; }
  if (!evaluator_best(run->e, &best, &f, NULL, NULL) || f <= run->s->stop_value) { return 0; }
  if (run->r->status == MBO_CONVERGED && optimality_of_best(run->e, run->p, run->s, &left, NULL, NULL) == MBD_OK &&
      optimality_is_within(run->e, run->s, left)) {
    return 0;
  }
  /* The limited-memory matrix, for which no design computes the other one any more. */
  run->s->gauss_newton = 0;
  run->size = scale_of(run);
  run->r->gauss_newton_left = evaluator_designs(run->e);
  evaluator_along(run->e, MBO_REQUEST_GRADIENT);
  evaluator_go_on(run->e);
  /* It begins at the best design; but where steps became too small without an optimum, they would be so again, so there it begins at the start. */
  const int stands_still = isinf(b->radius) && (run->r->status == MBO_STALLED || run->step < too_small);
  const double *from = stands_still ? run->p->start : best;
  for (int i = 0; i < run->p->n; i++) { b->start[i] = from[i] / run->p->scale[i]; }
  return 1;
}

static mbd_status ipopt_solve(evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  const size_t n = (size_t)p->n, m = (size_t)p->nc;
  mbo_settings own = *s;
  ipopt_run q = {.e = e, .p = p, .s = &own, .r = r};
  trust_region b;
  const size_t matrix = s->gauss_newton ? n + n * n : 0;
  double *block = calloc(6 * n + 3 * m + matrix + 1, sizeof *block);
  mbd_status status = trust_region_create(e, s, &b, err);
  if (status == MBD_OK && s->gauss_newton) { status = damping_create(p->n, &q.damping, err); }
  if (status == MBD_OK && s->gauss_newton) { status = trust_region_model_create(p->n, &q.model, err); }
  if (status == MBD_OK && !block) { status = MEMORY_NONE(err, "IPOPT"); }
  if (status == MBD_OK) {
    pthread_mutex_lock(&inside_ipopt);
    status = check_memory(p, s, err);
    if (status == MBD_OK && !ipopt.IpoptSolve) { status = load(err); }
    pthread_mutex_unlock(&inside_ipopt);
  }
  if (status == MBD_OK) {
    double *y = block + n, *cl = block + 4 * n, *cu = cl + m, *multipliers = cu + m;
    q.size = scale_of(&q);
    q.x = block, q.g = multipliers + m + 2 * n, q.H = q.g + n;
    const int ended = s->is_enough && ask(&q, p->start);
    for (size_t i = 0; i < m; i++) { cl[i] = p->c_lower[i], cu[i] = p->c_upper[i]; }
    ipopt_range(p->nc, cl, cu);
    while (!ended) {
      pthread_mutex_lock(&inside_ipopt);
      status = run_once(&q, &b, y, y + n, y + 2 * n, cl, cu, multipliers, err);
      pthread_mutex_unlock(&inside_ipopt);
      if (status != MBD_OK || r->iterations >= s->max_iterations) { break; }
      if ((q.idle || !trust_region_next(&b, q.broken, r)) && !leave_gauss_newton(&q, &b)) { break; }
    }
    /* the optimum of a box may be worse than the best design found inside it */
    if (r->restarts) { trust_region_doubt(&b, r); }
  }
  damping_free(&q.damping);
  trust_region_model_free(&q.model);
  trust_region_free(&b);
  free(block);
  return status;
}

static mbd_status ipopt_check(const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  return backend_check_single(p, s, "IPOPT", err);
}

#endif

const backend_ops backend_ipopt = {
    .name = "ipopt",
    .doc = "Interior-point method with limited-memory, Gauss-Newton or exact Hessian (IPOPT with MUMPS).",
    .caps = MBO_CAP_BOUNDS | MBO_CAP_CONSTRAINTS | MBO_CAP_GAUSS_NEWTON | MBO_CAP_HESSIAN,
#ifdef MBO_HAVE_IPOPT
    .version = MBO_IPOPT_VERSION,
    .check = ipopt_check,
    .solve = ipopt_solve,
#endif
};
