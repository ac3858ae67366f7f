#include "study/costs.h"

#include <math.h>
#include <stdlib.h>

#include "files/json.h"
#include "files/memory.h"
#include "files/text_stream.h"
#include "mbo/problem.h"
#include "study/statistics.h"

cost_kind costs_kind(unsigned request) {
  return request & MBO_REQUEST_HESSIAN        ? COST_HESSIAN
         : request & MBO_REQUEST_GAUSS_NEWTON ? COST_GAUSS_NEWTON
         : request & MBO_REQUEST_GRADIENT     ? COST_GRADIENT
                                              : COST_VALUE;
}

/* ---- the evaluations of a record: [[number of the design, kind, microseconds], ...] ---- */

static const json_t *evaluations_of(const json_t *record) {
  return json_object_get(record, "evaluations");
}

static cost_kind kind_of(const json_t *evaluation) {
  const json_int_t kind = json_integer_value(json_array_get(evaluation, 1));
  return kind > COST_VALUE && kind < COST_KINDS ? (cost_kind)kind : COST_VALUE;
}

/* ---- measured times ---- */

typedef struct times {
  int n;
  double *v; /* [n] seconds */
} times;

typedef struct reading {
  study *s;
  costs *c;
  times *of; /* [nproblem][COST_KINDS] */
} reading;

static int problem_here(const study *s) {
  const char *text = study_value(s, STUDY_PROBLEM);
  const int problem = text ? atoi(text) - 1 : 0;
  return problem >= 0 && problem < s->nfile ? problem : 0;
}

static mbd_status add_time(times *list, double seconds, mbd_error *err) {
  double *grown = mbd_list_grow(list->v, list->n, sizeof *grown);
  MEMORY_TRY(grown, err, "the costs of gradients");
  list->v = grown;
  grown[list->n++] = seconds;
  return MBD_OK;
}

/* Adds the times of a run: those of its evaluations, and that of the simulation of its result, which is always one without derivatives. */
static mbd_status read_times(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  const reading *r = user;
  times *of = r->of + problem_here(r->s) * COST_KINDS;
  const json_t *one, *result = json_object_get(o, "simulation_seconds");
  size_t k;
  (void)i, (void)state;
  r->c->known |= evaluations_of(o) != NULL;
  json_array_foreach(evaluations_of(o), k, one) {
    const json_t *time = json_array_get(one, 2);
    if (json_is_number(time)) { MBD_TRY(add_time(&of[kind_of(one)], 1e-6 * json_number_value(time), err)); }
  }
  return json_is_number(result) ? add_time(&of[COST_VALUE], json_number_value(result), err) : MBD_OK;
}

/* The medians of one problem, and their ratios. */
static void judge(times *of, problem_costs *p) {
  for (int k = 0; k < COST_KINDS; k++) {
    p->n[k] = of[k].n;
    p->seconds[k] = statistics_quantile(of[k].v, of[k].n, 0.5);
    p->cost[k] =
        p->n[COST_VALUE] && p->n[k] && p->seconds[COST_VALUE] > 0 ? fmax(1, p->seconds[k] / p->seconds[COST_VALUE]) : 1;
  }
}

mbd_status costs_create(study *s, costs *c, mbd_error *err) {
  *c = (costs){.nproblem = s->nfile};
  reading r = {s, c, mbd_zeros((size_t)s->nfile * COST_KINDS, sizeof *r.of)};
  c->of = mbd_zeros((size_t)s->nfile, sizeof *c->of);
  mbd_status status = MEMORY_WHOLE(err, "the costs of gradients");
  if (status == MBD_OK) { status = runs_each(s, read_times, &r, err); }
  for (int i = 0; i < s->nfile && status == MBD_OK; i++) { judge(r.of + (size_t)i * COST_KINDS, &c->of[i]); }
  for (int k = 0; r.of && k < s->nfile * COST_KINDS; k++) { free(r.of[k].v); }
  free(r.of);
  if (status != MBD_OK) { costs_free(c); }
  return status;
}

void costs_free(costs *c) {
  free(c->of);
  *c = (costs){0};
}

const problem_costs *costs_here(const costs *c, const study *s) {
  return &c->of[problem_here(s)];
}

/* ---- equivalent simulations ---- */

double costs_of_run(const problem_costs *p, const json_t *record) {
  const json_t *one;
  size_t k;
  double sum = 0;
  if (!evaluations_of(record)) { return runs_simulations(record); }
  json_array_foreach(evaluations_of(record), k, one) {
    sum += p->cost[kind_of(one)];
  }
  return sum;
}

/* A design is there with the first evaluation of its number; later ones of the same number count for the next design. */
double *costs_of_designs(const problem_costs *p, const json_t *record) {
  const int n = runs_simulations(record);
  const json_t *list = evaluations_of(record), *one;
  double sum = 0, *until = mbd_zeros((size_t)n, sizeof *until);
  size_t k;
  int there = 0;
  for (int i = 0; until && i < n; i++) { until[i] = list ? (double)INFINITY : i + 1.0; }
  json_array_foreach(list, k, one) {
    const json_int_t number = json_integer_value(json_array_get(one, 0));
    sum += p->cost[kind_of(one)];
    for (; until && there < number && there < n; there++) { until[there] = sum; }
  }
  return until;
}

void costs_put(const costs *c, const study *s, const json_t *record) {
  json_t *columns = json_object_get(record, "columns");
  if (runs_simulations(record) > 0) {
    json_object_set_new(columns, "equivalent", json_number(costs_of_run(costs_here(c, s), record)));
  }
}

/* ---- in words ---- */

char *costs_text(const problem_costs *p) {
  static const char *const with[COST_KINDS] = {"", "its gradient", "the Gauss-Newton matrix", "second derivatives"};
  text_stream stream;
  FILE *out = text_begin(&stream);
  int any = 0;
  for (int k = COST_GRADIENT; out && k < COST_KINDS; k++) {
    if (p->n[k] == 0 || p->n[COST_VALUE] == 0) { continue; }
    if (any++ == 0) {
      fprintf(out, "a design counts 1 without derivatives (%.2g s, median of %d)", p->seconds[COST_VALUE],
              p->n[COST_VALUE]);
    }
    fprintf(out, ", %.3g with %s (of %d)", p->cost[k], with[k], p->n[k]);
  }
  if (out && !any) { fputs("every design counts 1", out); }
  return text_end(&stream);
}
