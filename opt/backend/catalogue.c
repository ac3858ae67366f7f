#include "backend/catalogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

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

static int has_catalogue(const search *tree, int i) {
  return tree->p->nvalues[i] > 0;
}

static void copy(const search *tree, point *to, const double *x, const double *c, double f, double violation) {
  memcpy(to->x, x, (size_t)tree->p->n * sizeof *x);
  if (tree->p->nc) { memcpy(to->c, c, (size_t)tree->p->nc * sizeof *c); }
  to->f = f, to->violation = violation;
}

/* ---- the objective of a design ---- */

static void fix_catalogues(search *tree) {
  memcpy(tree->start, tree->now.x, (size_t)tree->p->n * sizeof *tree->start);
  for (int i = 0; i < tree->p->n; i++) {
    if (has_catalogue(tree, i)) { tree->lower[i] = tree->upper[i] = tree->now.x[i]; }
  }
}

/* Optimizes the variables without a catalogue, beginning at tree->now, whose catalogue values stay; tree->now becomes the best design. */
static mbd_status optimize_others(search *tree, mbd_error *err) {
  mbo_result own = {.status = MBO_FAILED};
  const double *x, *c;
  double f, violation;
  mbd_status status = tree->b->solve(tree->e, tree->s, &own, err);
  tree->r->iterations += own.iterations, tree->r->restarts += own.restarts;
  tree->now.cut = own.status == MBO_STOPPED_LIMIT && !evaluator_limit(tree->e);
  if (evaluator_best(tree->e, &x, &f, &c, &violation)) { copy(tree, &tree->now, x, c, f, violation); }
  if (status > 0) { status = MBD_OK; } /* the best design before the failure is valid */
  return status == MBD_OK && evaluator_has_ended(tree->e) ? MBD_INTERRUPTED : status;
}

/* Evaluates tree->now.x with its catalogue values. A design that cannot be simulated has the objective INFINITY. */
static mbd_status evaluate(search *tree, mbd_error *err) {
  const mbo_eval *v;
  mbd_error why = {0};
  tree->now.f = tree->now.violation = INFINITY, tree->now.cut = 0;
  fix_catalogues(tree);
  evaluator_begin_again(tree->e, tree->p);
  evaluator_along(tree->e, tree->others ? tree->along : 0);
  const mbd_status status = evaluator_evaluate(tree->e, tree->now.x, MBO_REQUEST_VALUE, &v, &why);
  if (status > 0) { return MBD_OK; }
  if (status != MBD_OK) {
    if (err) { *err = why; }
    return status;
  }
  copy(tree, &tree->now, tree->start, v->c, v->f, evaluator_violation(tree->p, v->c));
  return tree->others ? optimize_others(tree, err) : MBD_OK;
}

/* The design that was evaluated becomes the present one. */
static void take(search *tree) {
  copy(tree, &tree->best, tree->now.x, tree->now.c, tree->now.f, tree->now.violation);
  tree->best.cut = tree->now.cut;
}

/* Keeps the better one of the present design and the one that was evaluated. Returns whether the latter is better. */
static int take_better(search *tree) {
  const double tol = tree->s->tol_constraint;
  const int feasible = tree->now.violation <= tol && tree->best.violation <= tol;
  const int better = feasible ? tree->now.f < tree->best.f : tree->now.violation < tree->best.violation;
  if (better) { take(tree); }
  return better;
}

/* ---- designs beside it ---- */

static int can_step(const search *tree, int i, int by) {
  return has_catalogue(tree, i) && tree->at[i] + by >= 0 && tree->at[i] + by < tree->p->nvalues[i];
}

static void step(search *tree, int i, int by) {
  tree->at[i] += by;
  tree->now.x[i] = tree->p->values[i][tree->at[i]];
}

/* Tries the design that is one step away in catalogue i and, unless by_j is 0, in catalogue j. */
static mbd_status try_beside(search *tree, int i, int by_i, int j, int by_j, int *better, mbd_error *err) {
  if (!can_step(tree, i, by_i) || (by_j && !can_step(tree, j, by_j))) { return MBD_OK; }
  memcpy(tree->now.x, tree->best.x, (size_t)tree->p->n * sizeof *tree->now.x);
  step(tree, i, by_i);
  if (by_j) { step(tree, j, by_j); }
  tree->r->neighbours++;
  const mbd_status status = evaluate(tree, err);
  *better = take_better(tree);
  if (!*better) { tree->at[i] -= by_i, tree->at[j] -= by_j; }
  return status;
}

/* Tries the neighbouring designs, in one catalogue and then in two, until one is better. */
static mbd_status try_all_beside(search *tree, int *better, mbd_error *err) {
  static const int by[4][2] = {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}};
  const int n = tree->p->n;
  *better = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2 && !*better; k++) { MBD_TRY(try_beside(tree, i, by[k][0], i, 0, better, err)); }
  }
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      for (int k = 0; k < 4 && !*better; k++) { MBD_TRY(try_beside(tree, i, by[k][0], j, by[k][1], better, err)); }
    }
  }
  return MBD_OK;
}

/* ---- designs farther away ---- */

/* The first value of a catalogue that is at most d steps from tree->from, and the last one. */
static int first_within(const search *tree, int i, int d) {
  return tree->from[i] > d ? tree->from[i] - d : 0;
}

static int last_within(const search *tree, int i, int d) {
  const int last = tree->p->nvalues[i] - 1;
  return tree->from[i] + d < last ? tree->from[i] + d : last;
}

/* Moves tree->at to the next combination of values that are at most d steps from tree->from. Returns 0 after the last one, and tree->at is the
 * first. */
static int next_within(search *tree, int d) {
  for (int i = 0; i < tree->p->n; i++) {
    if (!has_catalogue(tree, i)) { continue; }
    if (tree->at[i] < last_within(tree, i, d)) {
      tree->at[i]++;
      return 1;
    }
    tree->at[i] = first_within(tree, i, d);
  }
  return 0;
}

/* Is tree->at d steps from tree->from in some catalogue, and was it not tried as a neighbour? */
static int is_new_at(const search *tree, int d) {
  int max = 0, changed = 0;
  for (int i = 0; i < tree->p->n; i++) {
    const int steps = abs(tree->at[i] - tree->from[i]);
    max = steps > max ? steps : max, changed += steps > 0;
  }
  return max == d && (d > 1 || changed > 2);
}

/* Where the best design violates constraints and no neighbour is better, tries all combinations of values, by their distance in steps, until
 * one violates none. */
static mbd_status search_farther(search *tree, int *feasible, mbd_error *err) {
  const int n = tree->p->n;
  int farthest = 0;
  /* Distances are counted from the current values; none reaches the size of the largest catalogue. */
  memcpy(tree->from, tree->at, (size_t)n * sizeof *tree->at);
  for (int i = 0; i < n; i++) { farthest = tree->p->nvalues[i] > farthest ? tree->p->nvalues[i] : farthest; }
  for (int d = 1; d < farthest; d++) {
    /* The first combination of values within the distance d. */
    for (int i = 0; i < n; i++) { tree->at[i] = has_catalogue(tree, i) ? first_within(tree, i, d) : 0; }
    do {
      /* Smaller distances have been tried before, and neighbouring designs by try_all_beside. */
      if (!is_new_at(tree, d)) { continue; }
      /* The design with these values, in which the other variables start at those of the best design. */
      memcpy(tree->now.x, tree->best.x, (size_t)n * sizeof *tree->now.x);
      for (int i = 0; i < n; i++) {
        if (has_catalogue(tree, i)) { tree->now.x[i] = tree->p->values[i][tree->at[i]]; }
      }
      tree->r->neighbours++;
      const mbd_status status = evaluate(tree, err);
      /* The search ends at the first design that violates no constraint. */
      (void)take_better(tree);
      *feasible = tree->best.violation <= tree->s->tol_constraint;
      if (status != MBD_OK || *feasible) { return status; }
    } while (next_within(tree, d));
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

static void round_design(search *tree) {
  const mbo_problem *p = tree->p;
  memcpy(tree->now.x, tree->r->x_continuous, (size_t)p->n * sizeof *tree->now.x);
  for (int i = 0; i < p->n; i++) {
    tree->others += !has_catalogue(tree, i);
    if (!has_catalogue(tree, i)) { continue; }
    tree->at[i] = nearest(p->nvalues[i], p->values[i], tree->now.x[i]);
    tree->now.x[i] = p->values[i][tree->at[i]];
  }
}

static mbd_status search_from_rounded(search *tree, mbd_error *err) {
  int better = 1;
  round_design(tree);
  mbd_status status = evaluate(tree, err);
  take(tree);
  while (status == MBD_OK && better) {
    status = try_all_beside(tree, &better, err);
    const int violates = !(tree->best.violation <= tree->s->tol_constraint);
    if (status == MBD_OK && !better && violates) { status = search_farther(tree, &better, err); }
  }
  return status;
}

/* Makes a copy of the problem with start and bounds of its own, in one block of memory. */
static mbo_problem *copy_problem(const mbo_problem *p, search *tree) {
  const size_t n = (size_t)p->n;
  mbo_problem *own = calloc(1, sizeof *own + 3 * n * sizeof *tree->start);
  if (!own) { return NULL; }
  *own = *p;
  tree->start = (double *)(own + 1), tree->lower = tree->start + n, tree->upper = tree->lower + n;
  memcpy(tree->lower, p->lower, n * sizeof *tree->lower);
  memcpy(tree->upper, p->upper, n * sizeof *tree->upper);
  own->start = tree->start, own->lower = tree->lower, own->upper = tree->upper;
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
  mbd_status status = block && q.p && r->x_continuous && q.at ? MBD_OK : MEMORY_NONE(err, "the catalogue values");
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
