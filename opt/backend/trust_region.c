#include "backend/trust_region.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

enum { RESTARTS_MAX = 60, IDLE_MAX = 6 };
static const double first_radius = 0.5, counts_as_progress = 1e-6;
static const double close_enough = 1e-5; /* distance to a wall below which no further run is made */
static const double beside = 1e-3;       /* a success is doubtful if a failed design is nearer than this */

mbd_status trust_region_create(evaluator *e, const mbo_settings *s, trust_region *b, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  const size_t n = (size_t)p->n;
  *b = (trust_region){
      .e = e, .stop_value = s->stop_value, .radius = INFINITY, .reached = INFINITY, .violation = INFINITY};
  b->start = calloc(5 * n + 1, sizeof *b->start);
  MEMORY_TRY(b->start, err, "%d variables", p->n);
  b->lower = b->start + n, b->upper = b->start + 2 * n;
  b->wall_below = b->start + 3 * n, b->wall_above = b->start + 4 * n;
  for (int i = 0; i < p->n; i++) {
    b->start[i] = p->start[i] / p->scale[i];
    b->lower[i] = p->lower[i] / p->scale[i], b->upper[i] = p->upper[i] / p->scale[i];
    b->wall_below[i] = -INFINITY, b->wall_above[i] = INFINITY;
  }
  return MBD_OK;
}

void trust_region_free(trust_region *b) {
  free(b->start);
  *b = (trust_region){0};
}

/* ---- drawing ---- */

static int inside(const trust_region *b, const double *x) {
  const mbo_problem *p = evaluator_problem(b->e);
  for (int i = 0; i < p->n; i++) {
    double y = x[i] / p->scale[i];
    if (y < b->lower[i] || y > b->upper[i]) { return 0; }
  }
  return 1;
}

/* A cut across variable i beside the start, towards larger (sign 1) or smaller values. */
typedef struct cut {
  int i;
  double sign;
  int rids;       /* number of failed designs of the box that lie beyond the cut */
  double nearest; /* distance of the nearest of them in variable i */
} cut;

/* The cut that excludes most failed designs, which is likely to follow the border of the domain; of equal ones the farthest. */
static cut best_cut(const trust_region *b, const evaluator_failure *list, int n) {
  const mbo_problem *p = evaluator_problem(b->e);
  cut best = {0, 1, 0, 0};
  for (int i = 0; i < p->n; i++) {
    for (double sign = -1; sign <= 1; sign += 2) {
      cut c = {i, sign, 0, INFINITY};
      for (int k = 0; k < n; k++) {
        double d = sign * (list[k].x[i] / p->scale[i] - b->start[i]);
        if (d <= 0 || !inside(b, list[k].x)) { continue; }
        c.rids++;
        c.nearest = fmin(c.nearest, d);
      }
      if (c.rids > best.rids || (c.rids == best.rids && c.nearest > best.nearest)) { best = c; }
    }
  }
  return best;
}

/* The box of the radius around the start, cut half way to the failed designs until none is left in it. */
static void draw(trust_region *b) {
  const mbo_problem *p = evaluator_problem(b->e);
  const evaluator_failure *list;
  const int n = evaluator_failures(b->e, &list);
  for (int i = 0; i < p->n; i++) {
    b->lower[i] = fmax(p->lower[i] / p->scale[i], b->start[i] - b->radius);
    b->upper[i] = fmin(p->upper[i] / p->scale[i], b->start[i] + b->radius);
    b->wall_below[i] = -INFINITY, b->wall_above[i] = INFINITY;
  }
  for (int k = 0; k < n; k++) { /* every cut excludes at least one */
    cut c = best_cut(b, list, n);
    if (c.rids == 0) { return; }
    if (c.sign > 0) {
      b->upper[c.i] = b->wall_above[c.i] = b->start[c.i] + c.nearest / 2;
    } else {
      b->lower[c.i] = b->wall_below[c.i] = b->start[c.i] - c.nearest / 2;
    }
  }
}

/* ---- deciding ---- */

enum { AT_FACE = 1, AT_WALL = 2, AT_FAR_WALL = 4 };

/* The kinds of faces of the box on which a design lies, apart from the user's bounds. A wall is a face cut before failed designs; behind a
 * far wall there is space before the next failed design. */
static int touched(const trust_region *b, const double *x) {
  const mbo_problem *p = evaluator_problem(b->e);
  int what = 0;
  for (int i = 0; i < p->n && isfinite(b->radius); i++) {
    const double y = x[i] / p->scale[i], near = 1e-3 * (b->upper[i] - b->lower[i]);
    const int below = y <= b->lower[i] + near && x[i] > p->lower[i];
    const int above = y >= b->upper[i] - near && x[i] < p->upper[i];
    const int wall = (below && isfinite(b->wall_below[i])) || (above && isfinite(b->wall_above[i]));
    if (!below && !above) { continue; }
    if (!wall) {
      what |= AT_FACE;
    } else {
      what |= fabs(y - b->start[i]) > close_enough ? AT_FAR_WALL : AT_WALL;
    }
  }
  return what;
}

static void stall(mbo_result *r) {
  size_t used = strlen(r->text);
  if (r->status == MBO_CONVERGED) {
    snprintf(r->text + used, sizeof r->text - used, "; designs beside the best one cannot be simulated");
  }
  r->status = MBO_STALLED;
}

/* The radius of the next run: it is halved where a run met failed designs, doubled where the best design lies on a face without one. */
static double next_radius(const trust_region *b, int broken, int at) {
  if (isinf(b->radius)) { return first_radius; }
  if (broken) { return b->radius / 2; }
  return at & AT_FACE ? b->radius * 2 : b->radius;
}

int trust_region_next(trust_region *b, int broken, mbo_result *r) {
  const mbo_problem *p = evaluator_problem(b->e);
  const double *best;
  double f, violation;
  if (evaluator_limit(b->e) || evaluator_fatal(b->e, NULL) != MBD_OK || r->status == MBO_STOPPED_LIMIT) { return 0; }
  if (!evaluator_best(b->e, &best, &f, NULL, &violation)) { return 0; }
  const int at = touched(b, best);
  if ((!broken && !at) || f <= b->stop_value) { return 0; }
  int progress = b->reached - f > counts_as_progress * fabs(f) || violation < 0.9 * b->violation;
  b->idle = progress ? 0 : b->idle + 1; /* the first run counts as progress */
  b->reached = f, b->violation = violation;
  if (r->restarts >= RESTARTS_MAX || b->idle >= IDLE_MAX || (!broken && at == AT_WALL)) {
    stall(r);
    return 0;
  }
  b->radius = next_radius(b, broken, at);
  for (int i = 0; i < p->n; i++) { b->start[i] = best[i] / p->scale[i]; }
  draw(b);
  r->restarts++;
  return 1;
}

/* The distance from the best design to the nearest failed one, in the maximum norm of scaled variables; infinite: none failed. */
static double nearest_failure(const trust_region *b) {
  const mbo_problem *p = evaluator_problem(b->e);
  const evaluator_failure *list;
  const double *best;
  double nearest = INFINITY;
  if (!evaluator_best(b->e, &best, NULL, NULL, NULL)) { return nearest; }
  for (int k = 0, n = evaluator_failures(b->e, &list); k < n; k++) {
    double d = 0;
    for (int i = 0; i < p->n; i++) { d = fmax(d, fabs(list[k].x[i] - best[i]) / p->scale[i]); }
    nearest = fmin(nearest, d);
  }
  return nearest;
}

void trust_region_doubt(const trust_region *b, mbo_result *r) {
  if (r->status == MBO_CONVERGED && nearest_failure(b) <= beside) { stall(r); }
}
