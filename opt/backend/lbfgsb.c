/* L-BFGS-B 3.0 (limited-memory quasi-Newton with bounds): translation only, and one remedy. It asks for f and g through
 * its task string and keeps all state in arrays of the caller. Its line search fits cubics through values and slopes,
 * so a design that cannot be simulated is answered by a parabola that has the value and slope of the iterate and its
 * minimum at a quarter of the step tried:
 *   f = f_k - g_k (y - y_k) > f_k,   g = -3 g_k
 * The line search then takes a quarter of that step and never accepts it, so that the parabola enters neither an iterate nor the
 * quasi-Newton matrix. If this happens repeatedly, trust_region.h starts again from the best design.
 *
 * Converged: the largest entry of the projected gradient, in variables x / scale, is <= tolerance (pgtol), relative to the objective at the
 * start where that is below 1; or a step changes f by no more than tol_f of it, or no variable by more than tol_x of it. factr is 0:
 * L-BFGS-B's own test takes an objective below 1 as if it were 1. */
#include "backend/backend.h"
#include "config/expr.h"
#include "backend/trust_region.h"
#include "files/memory.h"

#ifdef MBO_HAVE_LBFGSB

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char in_the_way[] = "designs that cannot be simulated are in the way";

enum { TEXT = 60, CORRECTIONS_MAX = 100, IN_THE_WAY_MAX = 8 };

/* Fortran by gfortran: integers and logicals of 4 bytes, lengths of the two character arguments at the end. */
extern void setulb_(const int *n, const int *m, double *x, const double *l, const double *u, const int *nbd, double *f,
                    double *g, const double *factr, const double *pgtol, double *wa, int *iwa, char *task,
                    const int *iprint, char *csave, int *lsave, int *isave, double *dsave, size_t task_length,
                    size_t csave_length);

typedef struct lbfgsb_run {
  evaluator *e;
  const mbo_problem *p;
  const mbo_settings *s;
  mbo_result *r;
  double *x;                   /* [n] in user units */
  double *y;                   /* [n] what L-BFGS-B sees: x / scale */
  const double *lower, *upper; /* [n] and its bounds */
  double *g;                   /* [n] */
  double f, f_k, *y_k, *g_k;   /* the last iterate: value, place, gradient [n] */
  int started, failed;         /* failed: designs since the last iterate */
  int broken;                  /* 1: there are too many of them, and the run is to stop */
  int in_the_way;              /* failed designs since the last iteration without one */
  double size;                 /* of the objective: that at the start, 1 at most */
} lbfgsb_run;

static int stop(lbfgsb_run *run, mbo_status status, const char *text) {
  run->r->status = status;
  snprintf(run->r->text, sizeof run->r->text, "%s", text);
  return 0;
}

static int lose(lbfgsb_run *run) {
  run->broken = 1;
  return stop(run, MBO_STALLED, in_the_way);
}

/* Records that the point y has become an iterate. Returns 0 if the run is to stop. */
static int iterate(lbfgsb_run *run) {
  const mbo_settings *s = run->s;
  const int n = run->p->n;
  double optimality = backend_projected_gradient(n, run->y, run->g, run->lower, run->upper);
  double step = 0, change = fabs(run->f - run->f_k);
  int moved = !run->started;
  for (int i = 0; i < n && run->started; i++) {
    double d = fabs(run->y[i] - run->y_k[i]);
    step = fmax(step, d);
    moved |= d > s->tol_x * fabs(run->y[i]);
  }
  int small = run->started && (change <= s->tol_f * fmax(fabs(run->f), fabs(run->f_k)) || !moved),
      failed = run->failed > 0;
  int is_new = run->started || run->r->restarts == 0; /* not the start of another run */
  run->r->iterations += run->started;
  if (!failed) { run->in_the_way = 0; }
  run->started = 1, run->failed = 0;
  run->f_k = run->f;
  memcpy(run->y_k, run->y, (size_t)n * sizeof *run->y);
  memcpy(run->g_k, run->g, (size_t)n * sizeof *run->g);
  if (s->iteration && is_new) {
    const mbo_iteration it = {run->r->iterations, evaluator_designs(run->e), run->f, 0, optimality, step};
    s->iteration(s->user, &it);
  }
  if (optimality <= s->tolerance * run->size) {
    return stop(run, MBO_CONVERGED, "projected gradient within tolerance");
  }
  if (small && !failed) { return stop(run, MBO_CONVERGED, "change within tol_f or tol_x"); }
  if (small) { return lose(run); }
  if (run->r->iterations >= s->max_iterations) { return stop(run, MBO_STOPPED_LIMIT, "limit of iterations"); }
  return 1;
}

/* Computes f and g at y, or those of the parabola if the design cannot be simulated. Returns 0 if the run has to stop. */
static int evaluate(lbfgsb_run *run) {
  const mbo_problem *p = run->p;
  const mbo_eval *v;
  mbd_status status = evaluator_evaluate(run->e, backend_to_user(p, run->y, run->x), MBO_REQUEST_GRADIENT, &v, NULL);
  if (status < 0) { return stop(run, MBO_STOPPED_LIMIT, "stopped by the program"); }
  if (status == MBD_OK) {
    run->f = v->f;
    if (isnan(run->size)) { run->size = v->f > 0 && v->f < 1 ? v->f : 1; }
    for (int i = 0; i < p->n; i++) { run->g[i] = v->g[i] * p->scale[i]; }
    if (v->f <= run->s->stop_value) { return stop(run, MBO_CONVERGED, "objective within stop_value"); }
    return run->started || iterate(run);
  }
  /* The design cannot be simulated: f and g of the parabola. */
  if (!run->started) { return lose(run); }
  double slope = 0;
  for (int i = 0; i < p->n; i++) { slope += run->g_k[i] * (run->y[i] - run->y_k[i]); }
  run->failed++;
  if (++run->in_the_way >= IN_THE_WAY_MAX) { return lose(run); }
  run->f = run->f_k + fabs(slope);
  for (int i = 0; i < p->n; i++) { run->g[i] = -3 * run->g_k[i]; }
  return 1;
}

/* Reads [native] m, the number of corrections that the matrix is made of. */
static mbd_status corrections(const mbo_settings *s, int *m, mbd_error *err) {
  *m = 10;
  for (int i = 0; i < s->noption; i++) {
    double v;
    const mbo_option *o = &s->option[i];
    if (strcmp(o->name, "m") != 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "[native] %s is not an option of L-BFGS-B, expected m", o->name);
    }
    if (!mbo_number(o->value, &v) || v != floor(v) || v < 1 || v > CORRECTIONS_MAX) {
      MBD_FAIL(err, MBD_BAD_INPUT, "[native] m = %s, expected a whole number between 1 and %d", o->value,
               CORRECTIONS_MAX);
    }
    *m = (int)v;
  }
  return MBD_OK;
}

/* Returns L-BFGS-B's code of the bounds that exist. */
static int bounds_code(double lower, double upper) {
  return isfinite(lower) ? (isfinite(upper) ? 2 : 1) : (isfinite(upper) ? 3 : 0);
}

/* Runs L-BFGS-B once from the start of the box, by reverse communication: each return of setulb asks for an evaluation, reports an
 * iteration or ends the run. */
static void run_once(lbfgsb_run *run, const trust_region *b, int m, double *wa, int *nbd, int *iwa) {
  const int n = run->p->n, silent = -1;
  const double zero = 0;
  char task[TEXT], csave[TEXT];
  int lsave[4], isave[44], going = 1;
  double dsave[29];
  /* the task string, the start and the bounds */
  memset(task, ' ', sizeof task), memset(csave, ' ', sizeof csave);
  memcpy(task, "START", 5);
  memcpy(run->y, b->start, (size_t)n * sizeof *run->y);
  for (int i = 0; i < n; i++) { nbd[i] = bounds_code(b->lower[i], b->upper[i]); }
  run->lower = b->lower, run->upper = b->upper;
  run->started = run->failed = run->broken = run->in_the_way = 0;
  while (going) {
    setulb_(&n, &m, run->y, run->lower, run->upper, nbd, &run->f, run->g, &zero, &zero, wa, iwa, task, &silent, csave,
            lsave, isave, dsave, sizeof task, sizeof csave);
    if (memcmp(task, "FG", 2) == 0) {
      going = evaluate(run);
    } else if (memcmp(task, "NEW_X", 5) == 0) {
      going = iterate(run);
    } else {
      /* the end: its text without the blanks of Fortran, and the status */
      int length = TEXT;
      while (length > 0 && task[length - 1] == ' ') { length--; }
      int converged = memcmp(task, "CONV", 4) == 0 && !run->failed, wrong = memcmp(task, "ERROR", 5) == 0;
      run->r->status = wrong ? MBO_FAILED : converged ? MBO_CONVERGED : MBO_STALLED;
      snprintf(run->r->text, sizeof run->r->text, "%.*s", length, task);
      run->broken = run->r->status == MBO_STALLED && run->in_the_way;
      going = 0;
    }
  }
}

static mbd_status lbfgsb_solve(evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  lbfgsb_run q = {.e = e, .p = p, .s = s, .r = r, .size = NAN};
  trust_region b;
  int m;
  MBD_TRY(corrections(s, &m, err));
  const size_t n = (size_t)p->n, k = (size_t)m, work = (2 * k + 5) * n + 11 * k * k + 8 * k;
  double *block = calloc(5 * n + work, sizeof *block);
  int *whole = calloc(4 * n, sizeof *whole);
  mbd_status status = trust_region_create(e, s, &b, err);
  if (status == MBD_OK && !(block && whole)) { status = MEMORY_NONE(err, "L-BFGS-B"); }
  if (status == MBD_OK) {
    q.x = block, q.y = block + n, q.g = block + 2 * n, q.y_k = block + 3 * n, q.g_k = block + 4 * n;
    do { run_once(&q, &b, m, block + 5 * n, whole, whole + n); } while (trust_region_next(&b, q.broken, r));
  }
  trust_region_free(&b);
  free(block), free(whole);
  return status;
}

static mbd_status lbfgsb_check(const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  int m;
  MBD_TRY(backend_check_single(p, s, "L-BFGS-B", err));
  return corrections(s, &m, err);
}

#endif

const backend_ops backend_lbfgsb = {
    .name = "lbfgsb",
    .doc = "Limited-memory quasi-Newton method with bounds (L-BFGS-B 3.0).",
    .caps = MBO_CAP_BOUNDS,
#ifdef MBO_HAVE_LBFGSB
    .version = "3.0",
    .check = lbfgsb_check,
    .solve = lbfgsb_solve,
#endif
};
