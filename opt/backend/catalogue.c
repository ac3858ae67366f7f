#include "backend/catalogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A design with its objective and constraints. */
typedef struct point {
  double *x, *c; /* [n], [nc] */
  double f, violation;
  int cut; /* the optimization of the variables without a catalogue ended at max_iterations */
} point;

typedef struct search {
  evaluator *e;
  const backend_ops *b;
  const mbo_settings *s;
  unsigned along;
  mbo_result *r;
  mbo_problem *p; /* the caller's problem with this start and these bounds: */
  double *start, *lower, *upper;
  point best, now; /* the current design, and one beside it */
  int *at;         /* [n] the number of its value in the catalogue */
  int *from;       /* [n] the same of the design from which search_farther begins */
  int others;      /* variables without a catalogue */
} search;

int catalogue_is_there(const mbo_problem *p) {
  for (int i = 0; p->nvalues && i < p->n; i++) {
    if (p->nvalues[i] > 0) { return 1; }
  }
  return 0;
}

static int has_catalogue(const search *q, int i) {
  return q->p->nvalues[i] > 0;
}

static void copy(const search *q, point *to, const double *x, const double *c, double f, double violation) {
  memcpy(to->x, x, (size_t)q->p->n * sizeof *x);
  if (q->p->nc) { memcpy(to->c, c, (size_t)q->p->nc * sizeof *c); }
  to->f = f, to->violation = violation;
}

/* ---- the objective of a design ---- */

static void fix_catalogues(search *q) {
  memcpy(q->start, q->now.x, (size_t)q->p->n * sizeof *q->start);
  for (int i = 0; i < q->p->n; i++) {
    if (has_catalogue(q, i)) { q->lower[i] = q->upper[i] = q->now.x[i]; }
  }
}

/* Optimizes the variables without a catalogue, beginning at q->now, whose catalogue values stay; q->now becomes the best design. */
static mbd_status optimize_others(search *q, mbd_error *err) {
  mbo_result own = {.status = MBO_FAILED};
  const double *x, *c;
  double f, violation;
  mbd_status status = q->b->solve(q->e, q->s, &own, err);
  q->r->iterations += own.iterations, q->r->restarts += own.restarts;
  q->now.cut = own.status == MBO_STOPPED_LIMIT && !evaluator_limit(q->e);
  if (evaluator_best(q->e, &x, &f, &c, &violation)) { copy(q, &q->now, x, c, f, violation); }
  if (status > 0) { status = MBD_OK; } /* the best design before the failure is valid */
  return status == MBD_OK && evaluator_has_ended(q->e) ? MBD_INTERRUPTED : status;
}

/* Evaluates q->now.x with its catalogue values. A design that cannot be simulated has the objective INFINITY. */
static mbd_status evaluate(search *q, mbd_error *err) {
  const mbo_eval *v;
  mbd_error why = {0};
  q->now.f = q->now.violation = INFINITY, q->now.cut = 0;
  fix_catalogues(q);
  evaluator_begin_again(q->e, q->p);
  evaluator_along(q->e, q->others ? q->along : 0);
  const mbd_status status = evaluator_evaluate(q->e, q->now.x, MBO_REQUEST_VALUE, &v, &why);
  if (status > 0) { return MBD_OK; }
  if (status != MBD_OK) {
    if (err) { *err = why; }
    return status;
  }
  copy(q, &q->now, q->start, v->c, v->f, evaluator_violation(q->p, v->c));
  return q->others ? optimize_others(q, err) : MBD_OK;
}

/* The design that was evaluated becomes the present one. */
static void take(search *q) {
  copy(q, &q->best, q->now.x, q->now.c, q->now.f, q->now.violation);
  q->best.cut = q->now.cut;
}

/* Keeps the better one of the present design and the one that was evaluated. Returns whether the latter is better. */
static int take_better(search *q) {
  const double tol = q->s->tol_constraint;
  const int feasible = q->now.violation <= tol && q->best.violation <= tol;
  const int better = feasible ? q->now.f < q->best.f : q->now.violation < q->best.violation;
  if (better) { take(q); }
  return better;
}

/* ---- designs beside it ---- */

static int can_step(const search *q, int i, int by) {
  return has_catalogue(q, i) && q->at[i] + by >= 0 && q->at[i] + by < q->p->nvalues[i];
}

static void step(search *q, int i, int by) {
  q->at[i] += by;
  q->now.x[i] = q->p->values[i][q->at[i]];
}

/* Tries the design that is one step away in catalogue i and, unless by_j is 0, in catalogue j. */
static mbd_status try_beside(search *q, int i, int by_i, int j, int by_j, int *better, mbd_error *err) {
  if (!can_step(q, i, by_i) || (by_j && !can_step(q, j, by_j))) { return MBD_OK; }
  memcpy(q->now.x, q->best.x, (size_t)q->p->n * sizeof *q->now.x);
  step(q, i, by_i);
  if (by_j) { step(q, j, by_j); }
  q->r->neighbours++;
  const mbd_status status = evaluate(q, err);
  *better = take_better(q);
  if (!*better) { q->at[i] -= by_i, q->at[j] -= by_j; }
  return status;
}

/* Tries the neighbouring designs, in one catalogue and then in two, until one is better. */
static mbd_status try_all_beside(search *q, int *better, mbd_error *err) {
  static const int by[4][2] = {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}};
  const int n = q->p->n;
  *better = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2 && !*better; k++) { MBD_TRY(try_beside(q, i, by[k][0], i, 0, better, err)); }
  }
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      for (int k = 0; k < 4 && !*better; k++) { MBD_TRY(try_beside(q, i, by[k][0], j, by[k][1], better, err)); }
    }
  }
  return MBD_OK;
}

/* ---- designs farther away ---- */

/* The first value of a catalogue that is at most d steps from q->from, and the last one. */
static int first_within(const search *q, int i, int d) {
  return q->from[i] > d ? q->from[i] - d : 0;
}

static int last_within(const search *q, int i, int d) {
  const int last = q->p->nvalues[i] - 1;
  return q->from[i] + d < last ? q->from[i] + d : last;
}

/* Moves q->at to the next combination of values that are at most d steps from q->from. Returns 0 after the last one, and q->at is the first. */
static int next_within(search *q, int d) {
  for (int i = 0; i < q->p->n; i++) {
    if (!has_catalogue(q, i)) { continue; }
    if (q->at[i] < last_within(q, i, d)) {
      q->at[i]++;
      return 1;
    }
    q->at[i] = first_within(q, i, d);
  }
  return 0;
}

/* Is q->at d steps from q->from in some catalogue, and was it not tried as a neighbour? */
static int is_new_at(const search *q, int d) {
  int max = 0, changed = 0;
  for (int i = 0; i < q->p->n; i++) {
    const int steps = abs(q->at[i] - q->from[i]);
    max = steps > max ? steps : max, changed += steps > 0;
  }
  return max == d && (d > 1 || changed > 2);
}

/* Where the best design violates constraints and no neighbour is better, tries all combinations of values, by their distance in steps, until
 * one violates none. */
static mbd_status search_farther(search *q, int *feasible, mbd_error *err) {
  const int n = q->p->n;
  int farthest = 0;
  memcpy(q->from, q->at, (size_t)n * sizeof *q->at);
  for (int i = 0; i < n; i++) { farthest = q->p->nvalues[i] > farthest ? q->p->nvalues[i] : farthest; }
  for (int d = 1; d < farthest; d++) {
    for (int i = 0; i < n; i++) { q->at[i] = has_catalogue(q, i) ? first_within(q, i, d) : 0; }
    do {
      if (!is_new_at(q, d)) { continue; }
      memcpy(q->now.x, q->best.x, (size_t)n * sizeof *q->now.x);
      for (int i = 0; i < n; i++) {
        if (has_catalogue(q, i)) { q->now.x[i] = q->p->values[i][q->at[i]]; }
      }
      q->r->neighbours++;
      const mbd_status status = evaluate(q, err);
      (void)take_better(q);
      *feasible = q->best.violation <= q->s->tol_constraint;
      if (status != MBD_OK || *feasible) { return status; }
    } while (next_within(q, d));
  }
  return MBD_OK;
}

/* ---- all of it ---- */

static int nearest(int n, const double *v, double x) {
  int at = 0;
  for (int i = 1; i < n; i++) {
    if (fabs(v[i] - x) < fabs(v[at] - x)) { at = i; }
  }
  return at;
}

static void round_design(search *q) {
  const mbo_problem *p = q->p;
  memcpy(q->now.x, q->r->x_continuous, (size_t)p->n * sizeof *q->now.x);
  for (int i = 0; i < p->n; i++) {
    q->others += !has_catalogue(q, i);
    if (!has_catalogue(q, i)) { continue; }
    q->at[i] = nearest(p->nvalues[i], p->values[i], q->now.x[i]);
    q->now.x[i] = p->values[i][q->at[i]];
  }
}

static mbd_status search_from_rounded(search *q, mbd_error *err) {
  int better = 1;
  round_design(q);
  mbd_status status = evaluate(q, err);
  take(q);
  while (status == MBD_OK && better) {
    status = try_all_beside(q, &better, err);
    const int violates = !(q->best.violation <= q->s->tol_constraint);
    if (status == MBD_OK && !better && violates) { status = search_farther(q, &better, err); }
  }
  return status;
}

/* Makes a copy of the problem with start and bounds of its own, in one block of memory. */
static mbo_problem *copy_problem(const mbo_problem *p, search *q) {
  const size_t n = (size_t)p->n;
  mbo_problem *own = calloc(1, sizeof *own + 3 * n * sizeof *q->start);
  if (!own) { return NULL; }
  *own = *p;
  q->start = (double *)(own + 1), q->lower = q->start + n, q->upper = q->lower + n;
  memcpy(q->lower, p->lower, n * sizeof *q->lower);
  memcpy(q->upper, p->upper, n * sizeof *q->upper);
  own->start = q->start, own->lower = q->lower, own->upper = q->upper;
  return own;
}

/* Starts at the best design with any values, kept in r->x_continuous, and searches the designs with catalogue values beside it. The
 * evaluator then holds the best one found, or the former best if none can be simulated; *fixed is the caller's. */
mbd_status catalogue_search(evaluator *e, const backend_ops *b, const mbo_settings *s, unsigned along, mbo_result *r,
                            mbo_problem **fixed, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  const size_t n = (size_t)p->n, nc = (size_t)p->nc;
  const double *x, *c;
  double f, violation;
  search q = {.e = e, .b = b, .s = s, .along = along, .r = r};
  *fixed = NULL;
  if (!evaluator_best(e, &x, &f, &c, &violation)) { return MBD_OK; }
  /* memory: designs and constraints of three points, the problem with fixed catalogue values */
  double *block = calloc(2 * n + 3 * nc + 1, sizeof *block);
  *fixed = q.p = copy_problem(p, &q);
  r->x_continuous = malloc((n + 1) * sizeof *r->x_continuous);
  q.at = calloc(2 * n + 1, sizeof *q.at);
  mbd_status status = block && q.p && r->x_continuous && q.at
                          ? MBD_OK
                          : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the catalogue values");
  if (status == MBD_OK) {
    q.from = q.at + n;
    q.best.x = block, q.now.x = block + n, q.best.c = block + 2 * n, q.now.c = q.best.c + nc;
    point before = {.x = r->x_continuous, .c = q.now.c + nc};
    copy(&q, &before, x, c, f, violation);
    r->f_continuous = f;
    /* The search; without a design that can be simulated the result is the one before it. */
    status = search_from_rounded(&q, err);
    const int any = isfinite(q.best.f);
    const point *found = any ? &q.best : &before;
    evaluator_hold(e, found->x, found->f, found->c, found->violation);
    if (any && q.best.cut && r->status == MBO_CONVERGED) { r->status = MBO_STOPPED_LIMIT; }
    if (!any) {
      free(r->x_continuous);
      r->x_continuous = NULL, r->f_continuous = NAN;
    }
  }
  free(block), free(q.at);
  return status;
}
