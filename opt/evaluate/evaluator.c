#include "evaluate/seconds.h"
#include "evaluate/evaluator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "evaluate/feasibility.h"
#include "evaluate/journal.h"
#include "evaluate/journal_index.h"

enum { REMEMBERED = 4, FAILURES_MAX = 1000 };

/* One remembered design. */
typedef struct slot {
  unsigned have; /* MBO_REQUEST_... that is valid; 0 with status > 0: a failed design; 0 with MBD_OK: empty */
  mbd_status status;
  char text[1024];
  double *x;
  mbo_eval v;
} slot;

/* The designs computed last. */
typedef struct recent_designs {
  slot slot[REMEMBERED];
  int next; /* slot to overwrite */
} recent_designs;

/* What has ended the run. */
typedef struct run_end {
  const char *limit;
  mbd_status fatal;
  mbd_error error;
} run_end;

typedef struct run_journal {
  journal *file;           /* NULL: the run has none */
  journal_content earlier; /* what it held when it was opened */
  journal_index at;        /* of its records */
  int decided;             /* it has what the problem has decided */
  double seconds;          /* of simulation, in its records that were used */
  const char *stage;       /* evaluator_stage; NULL: none */
} run_journal;

typedef struct best_design {
  int known, has_g;
  double *x, *c, f, violation;
  double *g, *jac; /* [n], [nc][n] its gradient and that of its constraints */
} best_design;

/* The noise of the objective, and designs within it. */
typedef struct noise_level {
  double offset;       /* evaluator_offset; NaN: none */
  int asked, is_noise; /* mbo_problem.is_noise, and its answer */
  double first_f;      /* of the first design */
  int known;
  double size, f; /* f: of the design at which it was measured */
  int near_max, near;
  slot probe; /* the designs that measure it */
} noise_level;

/* While no design is feasible. */
typedef struct feasibility_search {
  double fallen_to; /* the violation when it last fell */
  int in_vain;      /* designs since */
  double left;      /* what feasibility_left says of the best design */
} feasibility_search;

/* Gradients that are watched. */
typedef struct watched_gradients {
  int n;                                /* so far, those of the journal included */
  double *difference, *size, *max_size; /* [nwatch] of the last one; the largest size so far */
} watched_gradients;

struct evaluator {
  const mbo_problem *p;
  evaluator_limits l;
  unsigned along;
  recent_designs memory;
  evaluator_counts count;
  int nfailure;
  evaluator_failure *failure;
  run_end ended;
  run_journal journal;
  void (*simulated)(void *user, const mbo_simulation *s);
  void (*evaluated)(void *user, const mbo_evaluation *v);
  void *user; /* of both */
  double begun;
  double first_promise; /* evaluator_first_promise */
  best_design best;
  noise_level noise;
  feasibility_search feasibility;
  watched_gradients watched;
};

static int allocate(evaluator *e) {
  size_t n = (size_t)e->p->n, nc = (size_t)e->p->nc;
  for (int i = 0; i <= REMEMBERED; i++) {
    slot *s = i < REMEMBERED ? &e->memory.slot[i] : &e->noise.probe;
    double *block = calloc(2 * n + nc + nc * n + 1, sizeof *block);
    if (!block) { return 0; }
    s->x = block;
    s->v = (mbo_eval){.g = block + n, .c = block + 2 * n, .jac = block + 2 * n + nc};
  }
  e->best.x = calloc(2 * n + nc + nc * n + 1, sizeof *e->best.x);
  e->best.c = e->best.x ? e->best.x + n : NULL;
  e->best.g = e->best.x ? e->best.c + nc : NULL;
  e->best.jac = e->best.x ? e->best.g + n : NULL;
  e->watched.difference = calloc(3 * (size_t)e->p->nwatch + 1, sizeof *e->watched.difference);
  e->watched.size = e->watched.difference ? e->watched.difference + e->p->nwatch : NULL;
  e->watched.max_size = e->watched.difference ? e->watched.size + e->p->nwatch : NULL;
  return e->best.x && e->watched.difference;
}

/* Opens the journal and indexes its records, if the run has one, and recalls the choice of gradients that they contain. */
mbd_status evaluator_create(const mbo_problem *p, const evaluator_limits *l, const char *journal_path, int resume,
                            const char *fingerprint, evaluator **out, mbd_error *err) {
  evaluator *e = mbd_zeros(1, sizeof *e);
  *out = NULL;
  MEMORY_TRY(e, err, "the evaluator");
  e->p = p;
  e->l = *l;
  e->count.deviation = e->noise.offset = e->first_promise = NAN;
  e->feasibility.fallen_to = INFINITY;
  e->begun = seconds_now();
  mbd_status status = allocate(e) ? MBD_OK : MEMORY_NONE(err, "the evaluator");
  /* the journal: its file, an index of its records, the decisions of the earlier run */
  if (status == MBD_OK && journal_path) {
    status = journal_open(journal_path, p, fingerprint, &e->journal.file, resume ? &e->journal.earlier : NULL, err);
  }
  if (status == MBD_OK && e->journal.earlier.n &&
      !journal_index_build(&e->journal.at, e->journal.earlier.record, e->journal.earlier.n, p->n)) {
    status = MEMORY_NONE(err, "the %d records of %s", e->journal.earlier.n, journal_path);
  }
  if (status == MBD_OK && e->journal.earlier.decided && p->recall) {
    status = mbd_locate(err, p->recall(p->user, e->journal.earlier.decided, err), "%s: ", journal_path);
    e->journal.decided = 1;
  }
  if (status != MBD_OK) { evaluator_destroy(e); }
  *out = status == MBD_OK ? e : NULL;
  return status;
}

void evaluator_destroy(evaluator *e) {
  if (!e) { return; }
  for (int i = 0; i < REMEMBERED; i++) {
    free(e->memory.slot[i].x), free(e->memory.slot[i].v.H), free(e->memory.slot[i].v.hess);
  }
  free(e->noise.probe.x);
  for (int i = 0; i < e->nfailure; i++) { free(e->failure[i].x), free(e->failure[i].text); }
  journal_close(e->journal.file);
  journal_index_free(&e->journal.at);
  journal_content_free(&e->journal.earlier);
  free(e->failure), free(e->best.x), free(e->watched.difference);
  free(e);
}

/* Returns 1 if the limit that ended an optimization allows another one to begin. */
static int ended_one(const evaluator *e) {
  static const char *const ends[] = {"rounding", "data", "infeasible", "enough"};
  int any = 0;
  for (size_t i = 0; e->ended.limit && i < sizeof ends / sizeof ends[0]; i++) {
    any |= strcmp(e->ended.limit, ends[i]) == 0;
  }
  return any;
}

void evaluator_begin_again(evaluator *e, const mbo_problem *p) {
  e->p = p;
  for (int i = 0; i < REMEMBERED; i++) { e->memory.slot[i].have = 0, e->memory.slot[i].status = MBD_OK; }
  e->best.known = e->noise.known = e->noise.near = e->feasibility.in_vain = 0;
  e->feasibility.fallen_to = INFINITY;
  if (ended_one(e)) { e->ended.limit = NULL; }
}

void evaluator_go_on(evaluator *e) {
  e->noise.near = e->feasibility.in_vain = 0;
  if (ended_one(e)) { e->ended.limit = NULL; }
}

void evaluator_hold(evaluator *e, const double *x, double f, const double *c, double violation) {
  if (!evaluator_has_ended(e)) { e->ended.limit = NULL; }
  e->best.known = 1, e->best.has_g = 0;
  e->best.f = f, e->best.violation = violation;
  memcpy(e->best.x, x, (size_t)e->p->n * sizeof *x);
  memcpy(e->best.c, c, (size_t)e->p->nc * sizeof *c);
}

const mbo_problem *evaluator_problem(const evaluator *e) {
  return e->p;
}
void evaluator_stage(evaluator *e, const char *stage) {
  e->journal.stage = stage;
}
void evaluator_along(evaluator *e, unsigned request) {
  e->along = request;
}
void evaluator_tell(evaluator *e, void (*simulated)(void *user, const mbo_simulation *simulation),
                    void (*evaluated)(void *user, const mbo_evaluation *v), void *user) {
  e->simulated = simulated, e->evaluated = evaluated;
  e->user = user;
}
const char *evaluator_limit(const evaluator *e) {
  return e->ended.limit;
}
int evaluator_has_ended(const evaluator *e) {
  return e->ended.limit && !ended_one(e);
}
const char *evaluator_damage(const evaluator *e) {
  return e->journal.earlier.damage;
}
mbd_status evaluator_end(evaluator *e, const char *how, mbd_error *err) {
  return e->journal.file ? journal_end(e->journal.file, how, err) : MBD_OK;
}
const evaluator_counts *evaluator_count(const evaluator *e) {
  return &e->count;
}
int evaluator_designs(const evaluator *e) {
  return e->count.evaluations + e->count.replayed;
}
double evaluator_seconds(const evaluator *e) {
  return seconds_now() - e->begun;
}

mbd_status evaluator_fatal(const evaluator *e, mbd_error *err) {
  if (e->ended.fatal != MBD_OK && err) { *err = e->ended.error; }
  return e->ended.fatal;
}

int evaluator_failures(const evaluator *e, const evaluator_failure **list) {
  *list = e->failure;
  return e->nfailure;
}

int evaluator_best(const evaluator *e, const double **x, double *f, const double **c, double *violation) {
  if (x) { *x = e->best.x; }
  if (f) { *f = e->best.f; }
  if (c) { *c = e->best.c; }
  if (violation) { *violation = e->best.violation; }
  return e->best.known;
}

int evaluator_best_gradient(const evaluator *e, const double **g, const double **jac) {
  *g = e->best.g, *jac = e->best.jac;
  return e->best.known && e->best.has_g;
}

double evaluator_first_promise(const evaluator *e) {
  return e->first_promise;
}

double evaluator_violation(const mbo_problem *p, const double *c) {
  double v = 0;
  for (int i = 0; i < p->nc; i++) {
    if (p->c_lower[i] - c[i] > v) { v = p->c_lower[i] - c[i]; }
    if (c[i] - p->c_upper[i] > v) { v = c[i] - p->c_upper[i]; }
  }
  return v;
}

static void keep_first_promise(evaluator *e, const slot *s) {
  const mbo_problem *p = e->p;
  if (!(s->have & MBO_REQUEST_GRADIENT) || !isnan(e->first_promise)) { return; }
  e->first_promise = 0;
  for (int i = 0; i < p->n; i++) {
    const double way = s->v.g[i] > 0 ? s->x[i] - p->lower[i] : p->upper[i] - s->x[i];
    e->first_promise = fmax(e->first_promise, fabs(s->v.g[i]) * fmin(way, p->scale[i]));
  }
  if (p->has_gauss_newton) { e->first_promise = fmin(e->first_promise, s->v.f); }
}

/* Keeps a design if it is better than the best one: a smaller objective where both are feasible, otherwise a smaller violation. The best design
 * once more is kept too, if it has its gradient now. */
static void keep_best(evaluator *e, const slot *s) {
  if (!e->best.known) { e->noise.first_f = s->v.f; }
  keep_first_promise(e, s);
  /* Is the design better than the best one so far? */
  double violation = evaluator_violation(e->p, s->v.c), tol = e->l.tol_constraint;
  int better = !e->best.known;
  if (violation <= tol && e->best.violation <= tol) {
    better |= s->v.f < e->best.f;
  } else {
    better |= violation < e->best.violation;
  }
  const int same = e->best.known && memcmp(s->x, e->best.x, (size_t)e->p->n * sizeof *s->x) == 0;
  if (!better && !(same && !e->best.has_g)) { return; } /* the gradient of the best design may come later */
  /* Its values; its derivatives if they were computed. */
  e->best.known = 1;
  e->best.f = s->v.f;
  e->best.violation = violation;
  memcpy(e->best.x, s->x, (size_t)e->p->n * sizeof *s->x);
  memcpy(e->best.c, s->v.c, (size_t)e->p->nc * sizeof *s->x);
  e->best.has_g = (s->have & MBO_REQUEST_GRADIENT) != 0;
  if (e->best.has_g) {
    memcpy(e->best.g, s->v.g, (size_t)e->p->n * sizeof *s->x);
    memcpy(e->best.jac, s->v.jac, (size_t)e->p->nc * (size_t)e->p->n * sizeof *s->x);
  }
  /* Of an infeasible design: the part of the violation that small changes remove to first order (feasibility.h). */
  if (e->best.has_g && violation > tol) { e->feasibility.left = feasibility_left(e->p, s->x, s->v.c, s->v.jac); }
}

static mbd_status keep_failure(evaluator *e, const slot *s, mbd_error *err) {
  e->count.failures++;
  if (e->nfailure >= FAILURES_MAX) { return MBD_OK; }
  evaluator_failure *grown = mbd_list_grow(e->failure, e->nfailure, sizeof *grown);
  MEMORY_TRY(grown, err, "the list of failed designs");
  e->failure = grown; /* the old list may be gone */
  double *x = mbd_zeros((size_t)e->p->n, sizeof *x);
  char *text = mbd_strdup(s->text);
  if (!x || !text) {
    free(x), free(text);
    return MEMORY_NONE(err, "the list of failed designs");
  }
  memcpy(x, s->x, (size_t)e->p->n * sizeof *x);
  grown[e->nfailure++] = (evaluator_failure){evaluator_designs(e), s->status, x, text};
  /* cppcheck-suppress memleak ; x and text are in the list */
  return MBD_OK;
}

static size_t hessian_size(const mbo_problem *p) {
  return (1 + (size_t)p->nc) * (size_t)p->n * (size_t)p->n;
}

/* Checks that all numbers are finite; otherwise the design has failed. */
static mbd_status check_finite(const evaluator *e, const slot *s, unsigned request, mbd_error *err) {
  const mbo_problem *p = e->p;
  if (!isfinite(s->v.f)) { MBD_FAIL(err, MBD_NOT_FINITE, "the objective is %g", s->v.f); }
  for (int i = 0; i < p->nc; i++) {
    if (!isfinite(s->v.c[i])) { MBD_FAIL(err, MBD_NOT_FINITE, "constraint '%s' is %g", p->c_names[i], s->v.c[i]); }
  }
  /* first derivatives */
  for (int j = 0; (request & MBO_REQUEST_GRADIENT) && j < p->n; j++) {
    if (!isfinite(s->v.g[j])) { MBD_FAIL(err, MBD_NOT_FINITE, "the derivative in '%s' is %g", p->names[j], s->v.g[j]); }
  }
  for (int k = 0; (request & MBO_REQUEST_GRADIENT) && k < p->nc * p->n; k++) {
    if (!isfinite(s->v.jac[k])) {
      MBD_FAIL(err, MBD_NOT_FINITE, "the derivative of constraint '%s' in '%s' is %g", p->c_names[k / p->n],
               p->names[k % p->n], s->v.jac[k]);
    }
  }
  /* matrices */
  for (int k = 0; (request & MBO_REQUEST_GAUSS_NEWTON) && k < p->n * p->n; k++) {
    if (!isfinite(s->v.H[k])) { MBD_FAIL(err, MBD_NOT_FINITE, "the Gauss-Newton matrix has an entry %g", s->v.H[k]); }
  }
  for (size_t k = 0; (request & MBO_REQUEST_HESSIAN) && k < hessian_size(p); k++) {
    if (!isfinite(s->v.hess[k])) { MBD_FAIL(err, MBD_NOT_FINITE, "a second derivative is %g", s->v.hess[k]); }
  }
  return MBD_OK;
}

static int is_of_stage(const journal_record *r, const char *stage) {
  return stage && r->stage ? strcmp(stage, r->stage) == 0 : !stage && !r->stage;
}

static int answers(const evaluator *e, const journal_record *r, unsigned request) {
  if (!is_of_stage(r, e->journal.stage)) { return 0; }
  return r->status != MBD_OK ||
         (((request & MBO_REQUEST_GRADIENT) == 0 || r->g) && ((request & MBO_REQUEST_GAUSS_NEWTON) == 0 || r->H) &&
          ((request & MBO_REQUEST_HESSIAN) == 0 || r->hess) && (e->p->nc == 0 || r->c));
}

/* ---- gradients that are watched ---- */

/* Returns 1 if the next gradient is compared with a directional derivative. */
static int is_watched(const evaluator *e) {
  return e->p->watch > 0 && e->watched.n % e->p->watch == 0;
}

/* Returns the deviation that follows from e->difference and e->size, and stores the largest one of the run. */
static double judge_gradient(evaluator *e) {
  double deviation = 0;
  for (int i = 0; i < e->p->nwatch; i++) {
    e->watched.max_size[i] = fmax(e->watched.max_size[i], e->watched.size[i]);
    if (e->watched.difference[i] > 0) {
      deviation = fmax(deviation, e->watched.difference[i] / e->watched.max_size[i]);
    }
  }
  e->count.watched++;
  e->count.deviation = fmax(e->count.deviation, deviation);
  if (!(deviation <= e->p->watch_limit) && !e->ended.limit) { e->ended.limit = "gradient"; }
  return deviation;
}

/* Compares a new gradient. *deviation: NaN if it cannot be compared. */
static mbd_status watch_gradient(evaluator *e, double *deviation, mbd_error *err) {
  mbd_error why = {0};
  const mbd_status status = e->p->deviate(e->p->user, e->watched.n + 1, e->watched.difference, e->watched.size, &why);
  if (status < 0 && err) { *err = why; }
  int any = 0;
  for (int i = 0; i < e->p->nwatch && status == MBD_OK; i++) { any |= e->watched.size[i] > 0; }
  if (any) { *deviation = judge_gradient(e); }
  return status < 0 ? status : MBD_OK;
}

/* Restores the deviation of a gradient from the journal. */
static void recall_watched(evaluator *e, const journal_record *r) {
  const size_t bytes = (size_t)e->p->nwatch * sizeof *e->watched.size;
  if (r->nwatch && r->nwatch == e->p->nwatch) {
    memcpy(e->watched.difference, r->difference, bytes), memcpy(e->watched.size, r->size, bytes);
    judge_gradient(e);
  }
  e->watched.n++;
}

/* ---- one design ---- */

/* Reports an evaluation of the problem. */
static void tell_evaluation(const evaluator *e, mbd_status status, unsigned request, double seconds, int replayed) {
  const mbo_evaluation told = {evaluator_designs(e), request, status, seconds, replayed};
  if (e->evaluated) { e->evaluated(e->user, &told); }
}

/* Fills the slot from the journal of an earlier run. Returns 0 if the journal has no record with the wanted results. */
static int replay(evaluator *e, slot *s, unsigned request) {
  const size_t n = (size_t)e->p->n, nc = (size_t)e->p->nc;
  const journal_record *r = journal_index_find(&e->journal.at, s->x, NULL);
  while (r && !answers(e, r, request)) { r = journal_index_find(&e->journal.at, s->x, r); }
  if (!r) { return 0; }
  e->journal.seconds += r->seconds;
  s->status = r->status;
  if (r->status != MBD_OK) {
    snprintf(s->text, sizeof s->text, "%s", r->text ? r->text : "");
    return 1;
  }
  /* values and derivatives that the record has */
  s->v.f = r->f;
  if (nc) { memcpy(s->v.c, r->c, nc * sizeof *s->x); }
  if (r->g) { memcpy(s->v.g, r->g, n * sizeof *s->x); }
  if (r->g && nc) { memcpy(s->v.jac, r->jac, n * nc * sizeof *s->x); }
  if (r->H && s->v.H) { memcpy(s->v.H, r->H, n * n * sizeof *s->x); }
  if (r->hess && s->v.hess) { memcpy(s->v.hess, r->hess, hessian_size(e->p) * sizeof *s->x); }
  if (request & MBO_REQUEST_GRADIENT) { recall_watched(e, r); }
  s->have |= request | MBO_REQUEST_VALUE;
  return 1;
}

static mbd_status end_of(evaluator *e) {
  if (e->l.stop && *e->l.stop) { e->ended.limit = "stop"; }
  if (!e->ended.limit && evaluator_designs(e) >= e->l.max_evaluations) { e->ended.limit = "evaluations"; }
  if (!e->ended.limit && evaluator_seconds(e) + e->journal.seconds >= e->l.max_time) { e->ended.limit = "time"; }
  return e->ended.limit ? MBD_INTERRUPTED : MBD_OK;
}

static mbd_status fatal(evaluator *e, mbd_status status, const mbd_error *err) {
  if (status == MBD_INTERRUPTED) {
    e->ended.limit = "stop";
  } else {
    e->ended.fatal = status;
    e->ended.error = *err;
  }
  return status;
}

/* Stores an error that ends the run, even if the backend continues. */
static mbd_status refuse(evaluator *e, const mbd_error *why, mbd_error *err) {
  if (err) { *err = *why; }
  return fatal(e, why->code, why);
}

static mbd_status append(evaluator *e, slot *s, unsigned request, double seconds, double deviation, mbd_error *err) {
  const int ok = s->status == MBD_OK, gradient = ok && (request & MBO_REQUEST_GRADIENT);
  const journal_record r = {.number = evaluator_designs(e),
                            .status = s->status,
                            .seconds = seconds,
                            .x = s->x,
                            .f = s->v.f,
                            .c = s->v.c,
                            .g = gradient ? s->v.g : NULL,
                            .jac = s->v.jac,
                            .H = ok && (request & MBO_REQUEST_GAUSS_NEWTON) ? s->v.H : NULL,
                            .hess = ok && (request & MBO_REQUEST_HESSIAN) ? s->v.hess : NULL,
                            .nwatch = isnan(deviation) ? 0 : e->p->nwatch,
                            .difference = e->watched.difference,
                            .size = e->watched.size,
                            .deviation = deviation,
                            .text = s->text,
                            .stage = (char *)e->journal.stage};
  return journal_append(e->journal.file, &r, err);
}

/* Writes the decisions of the problem to the journal, before the first record that depends on them. */
static mbd_status keep_decided(evaluator *e, mbd_error *err) {
  const char *text = NULL;
  if (e->journal.decided || !e->p->decided) { return MBD_OK; }
  MBD_TRY(e->p->decided(e->p->user, &text, err));
  if (!text) { return MBD_OK; }
  e->journal.decided = 1;
  return journal_decide(e->journal.file, text, err);
}

static void tell(const evaluator *e, const slot *simulation, int replayed) {
  const int ok = simulation->status == MBD_OK;
  const mbo_simulation told = {evaluator_designs(e), simulation->status, ok ? simulation->v.f : NAN,
                               ok ? evaluator_violation(e->p, simulation->v.c) : NAN, replayed};
  e->simulated(e->user, &told);
}

/* Simulates a design. It is reported after it is written to the journal, so that no reported design can be lost. */
static mbd_status simulate(evaluator *e, slot *s, unsigned request, mbd_error *err) {
  mbd_error local = {0};
  const double begun = seconds_now(), processor = processor_seconds();
  const int more = s->have != 0; /* 1: the design has been counted already */
  double deviation = NAN;
  /* The evaluation. A number that is not finite makes it a failed design; a negative status ends the run. */
  s->status = e->p->eval(e->p->user, s->x, request, &s->v, &local);
  const double seconds = processor_seconds() - processor;
  if (s->status == MBD_OK) { s->status = check_finite(e, s, request, &local); }
  if (s->status < 0) { return refuse(e, &local, err); }
  /* The comparison of the gradient, if it is the turn of this one. */
  const int gradient = s->status == MBD_OK && (request & MBO_REQUEST_GRADIENT) != 0;
  if (gradient && is_watched(e) && watch_gradient(e, &deviation, &local) != MBD_OK) { return refuse(e, &local, err); }
  e->watched.n += gradient;
  /* Counts, and what the slot has now. */
  e->count.evaluations += !more;
  if (s->status == MBD_OK) {
    s->have |= request | MBO_REQUEST_VALUE;
    e->count.gradients += (request & MBO_REQUEST_GRADIENT) != 0;
    e->count.hessians += (request & MBO_REQUEST_HESSIAN) != 0;
  } else {
    snprintf(s->text, sizeof s->text, "%s", local.text);
  }
  /* The journal first, then the report. */
  mbd_status written = e->journal.file ? keep_decided(e, &local) : MBD_OK;
  if (e->journal.file && written == MBD_OK) {
    written = append(e, s, request, seconds_now() - begun, deviation, &local);
  }
  if (written != MBD_OK) { return refuse(e, &local, err); }
  if (e->simulated && !more) { tell(e, s, 0); }
  tell_evaluation(e, s->status, request, seconds, 0);
  return MBD_OK;
}

/* Returns the slot of a design, emptied if it is new. */
static slot *slot_of(evaluator *e, const double *x) {
  size_t bytes = (size_t)e->p->n * sizeof *x;
  for (int i = 0; i < REMEMBERED; i++) {
    slot *s = &e->memory.slot[i];
    if ((s->have || s->status > 0) && memcmp(s->x, x, bytes) == 0) { return s; }
  }
  slot *s = &e->memory.slot[e->memory.next];
  if (e->best.known && s->have && memcmp(s->x, e->best.x, bytes) == 0) { /* runs start again from the best */
    e->memory.next = (e->memory.next + 1) % REMEMBERED;
    s = &e->memory.slot[e->memory.next];
  }
  e->memory.next = (e->memory.next + 1) % REMEMBERED;
  s->have = 0;
  s->status = MBD_OK;
  memcpy(s->x, x, bytes);
  return s;
}

/* Takes the memory of matrices when they are first wanted. */
static mbd_status need_matrices(const evaluator *e, slot *s, unsigned request, mbd_error *err) {
  const size_t n = (size_t)e->p->n;
  const int gauss_newton = (request & MBO_REQUEST_GAUSS_NEWTON) != 0, exact = (request & MBO_REQUEST_HESSIAN) != 0;
  if (gauss_newton && !s->v.H) { s->v.H = calloc(n * n + 1, sizeof *s->v.H); }
  if (exact && !s->v.hess) { s->v.hess = calloc(hessian_size(e->p) + 1, sizeof *s->v.hess); }
  const int whole = (!gauss_newton || s->v.H) && (!exact || s->v.hess);
  return whole ? MBD_OK : MEMORY_NONE(err, "the second derivatives in %d variables", e->p->n);
}

/* ---- noise ---- */

/* Returns the objective at x that the gradient at the best design predicts. */
static double predicted(const evaluator *e, const double *x) {
  double sum = 0;
  for (int i = 0; e->best.has_g && i < e->p->n; i++) { sum += e->best.g[i] * (x[i] - e->best.x[i]); }
  return sum;
}

/* Sets x to a design that differs from the best one in the last bits, within the bounds. Signs alternate by sample and variable. */
static void move_in_last_bits(const evaluator *e, int sample, double *x) {
  for (int i = 0; i < e->p->n; i++) {
    const double at = e->best.x[i], step = ldexp(fabs(at), -44) * (((i >> sample) + i + sample) % 2 ? 1 : -1);
    const int outside = at + step < e->p->lower[i] || at + step > e->p->upper[i];
    x[i] = outside ? at - step : at + step;
  }
}

/* Evaluates the probe from the journal or by a simulation. Returns 0 if it has no value. */
static int probe(evaluator *e) {
  slot *s = &e->noise.probe;
  s->have = 0, s->status = MBD_OK;
  if (replay(e, s, MBO_REQUEST_VALUE)) {
    tell_evaluation(e, s->status, MBO_REQUEST_VALUE, NAN, 1);
    return s->status == MBD_OK;
  }
  const double begun = seconds_now(), processor = processor_seconds();
  mbd_error why = {0};
  e->count.probes++;
  s->status = e->p->eval(e->p->user, s->x, MBO_REQUEST_VALUE, &s->v, &why);
  const double seconds = processor_seconds() - processor;
  if (s->status == MBD_OK) { s->status = check_finite(e, s, MBO_REQUEST_VALUE, &why); }
  if (s->status < 0) { return 0; }
  snprintf(s->text, sizeof s->text, "%s", s->status > 0 ? why.text : "");
  if (e->journal.file && append(e, s, MBO_REQUEST_VALUE, seconds_now() - begun, NAN, &why) != MBD_OK) {
    (void)refuse(e, &why, NULL);
  }
  tell_evaluation(e, s->status, MBO_REQUEST_VALUE, seconds, 0);
  return s->status == MBD_OK;
}

/* Returns 1 if the best objective is still of the size at which the noise was measured. */
static int same_size(const evaluator *e) {
  static const double like = 0.1;
  return fabs(e->best.f - e->noise.f) <= like * fabs(e->noise.f);
}

double evaluator_noise(evaluator *e) {
  if (!e->best.known) { return 0; }
  if (e->noise.known && same_size(e)) { return e->noise.size; }
  double noise = DBL_EPSILON * fabs(e->best.f);
  for (int k = 0; k < NOISE_SAMPLES && e->ended.fatal == MBD_OK && !(e->l.stop && *e->l.stop); k++) {
    move_in_last_bits(e, k, e->noise.probe.x);
    if (probe(e)) { noise = fmax(noise, fabs(e->noise.probe.v.f - e->best.f - predicted(e, e->noise.probe.x))); }
  }
  e->noise.known = 1, e->noise.size = noise, e->noise.f = e->best.f;
  return noise;
}

void evaluator_watch(evaluator *e, int max) {
  e->noise.near_max = max;
  e->noise.near = 0;
}

/* Returns 1 if the change of the objective is so small that it may be noise. The noise is measured only then. If the best objective is zero, the size
 * of the first design's objective is used. Near designs that cannot be simulated, steps are small for another reason. */
static int is_suspicious(const evaluator *e, double change) {
  static const double small = 1e-8;
  const double size = fmax(small * fabs(e->best.f), DBL_EPSILON * fabs(e->noise.first_f));
  return e->noise.near_max > 0 && e->best.known && !e->ended.limit && e->count.failures == 0 && change <= size;
}

double evaluator_known_noise(const evaluator *e) {
  return e->noise.known && same_size(e) ? e->noise.size : NAN;
}

void evaluator_left(evaluator *e, double f, double left) {
  if (!is_suspicious(e, left)) { return; }
  const double noise = evaluator_noise(e);
  if (left <= noise && f <= e->best.f + noise) { e->ended.limit = "rounding"; }
}

void evaluator_enough(evaluator *e, const double *x, const mbo_eval *v) {
  const size_t n = (size_t)e->p->n, nc = (size_t)e->p->nc;
  evaluator_hold(e, x, v->f, v->c, evaluator_violation(e->p, v->c));
  e->best.has_g = 1;
  memcpy(e->best.g, v->g, n * sizeof *v->g), memcpy(e->best.jac, v->jac, nc * n * sizeof *v->jac);
  if (!e->ended.limit) { e->ended.limit = "enough"; }
}

/* ---- data ---- */

double evaluator_known_offset(const evaluator *e) {
  const int known = !e->p->is_noise || (e->noise.asked && e->noise.is_noise);
  return known ? e->noise.offset : NAN;
}

/* Returns 1 if the residuals are noise. This is decided once, when the decrease that is still possible is far below the residuals. */
static int is_noise(evaluator *e) {
  mbd_error why = {0};
  if (e->noise.asked) { return e->noise.is_noise; }
  e->noise.asked = e->noise.is_noise = 1;
  if (!e->p->is_noise) { return 1; }
  e->count.probes++;
  const mbd_status status = e->p->is_noise(e->p->user, e->best.x, &e->noise.is_noise, &why);
  tell_evaluation(e, status, MBO_REQUEST_VALUE, NAN, 0);
  if (status < 0) { (void)refuse(e, &why, NULL); }
  if (status != MBD_OK) { e->noise.is_noise = 0; }
  return e->noise.is_noise;
}

void evaluator_offset(evaluator *e, const evaluator_model *m) {
  static const double slow = 0.5;
  const double freedom = (double)e->p->samples - m->nfree;
  if (e->p->samples == 0 || freedom <= 0 || m->nfree == 0 || !(m->f > 0)) { return; }
  e->noise.offset = sqrt(m->left / m->nfree) / sqrt(fmax(m->f - m->left, 0) / freedom);
  const int within = e->noise.offset <= e->l.tol_offset && m->gained < slow && m->f <= e->best.f;
  if (within && !e->ended.limit && e->best.known && is_noise(e)) { e->ended.limit = "data"; }
}

/* ---- the designs ---- */

/* Counts new designs whose objectives do not differ from the earlier best one by more than the noise. */
static void watch(evaluator *e, const slot *s) {
  const double change = fabs(s->v.f - e->best.f), tol = e->l.tol_constraint;
  const int feasible = e->best.violation <= tol && evaluator_violation(e->p, s->v.c) <= tol;
  const int close = feasible && is_suspicious(e, change);
  const double noise = close ? evaluator_noise(e) : 0;
  const int within = close && change <= noise && fabs(predicted(e, s->x)) <= noise;
  e->noise.near = within ? e->noise.near + 1 : 0;
  if (e->noise.near_max > 0 && e->noise.near >= e->noise.near_max && !e->ended.limit) { e->ended.limit = "rounding"; }
}

/* ---- no feasible design ---- */

static const double falls = 0.01;   /* relative decrease of the violation that counts as a decrease */
static const double nothing = 1e-3; /* possible relative decrease that counts as none */
enum {
  IN_VAIN = 12,
  IN_VAIN_MAX = 60
}; /* numbers of designs without a decrease that end the run: with no possible decrease left; in any case (plus 2n) */

/* Ends the run if the violation no longer decreases. Called after keep_best for a new design; only for methods with gradients, not for global
 * searches. */
static void watch_violation(evaluator *e) {
  if (e->best.violation <= e->l.tol_constraint || e->noise.near_max == 0 || !e->best.has_g) { return; }
  const int fell = e->best.violation < (1 - falls) * e->feasibility.fallen_to;
  if (fell) { e->feasibility.fallen_to = e->best.violation; }
  e->feasibility.in_vain = fell ? 0 : e->feasibility.in_vain + 1;
  const int is_minimum = e->feasibility.in_vain >= IN_VAIN && e->feasibility.left <= nothing;
  if ((is_minimum || e->feasibility.in_vain >= IN_VAIN_MAX + 2 * e->p->n) && !e->ended.limit) {
    e->ended.limit = "infeasible";
  }
}

mbd_status evaluator_evaluate(evaluator *e, const double *x, unsigned request, const mbo_eval **out, mbd_error *err) {
  slot *s = slot_of(e, x);
  *out = &s->v;
  if (s->status > 0) {
    e->count.repeated++;
    MBD_FAIL(err, s->status, "%s", s->text);
  }
  if (s->have && (s->have & request) == request) {
    e->count.repeated++;
    return MBD_OK;
  }
  const int more = s->have != 0;
  request |= e->along | MBO_REQUEST_VALUE;
  if (more && request & MBO_REQUEST_HESSIAN) { request &= ~s->have; } /* all other results are known */
  if (e->ended.fatal != MBD_OK) { return e->ended.fatal; }
  mbd_error why = {0};
  if (need_matrices(e, s, request, &why) != MBD_OK) { return refuse(e, &why, err); }
  /* before the journal is asked: a run ends where it would have ended without interruption */
  if (end_of(e) != MBD_OK) { MBD_FAIL(err, MBD_INTERRUPTED, "limit reached: %s", e->ended.limit); }
  if (replay(e, s, request)) {
    e->count.replayed += !more;
    if (e->simulated && !more) { tell(e, s, 1); }
    tell_evaluation(e, s->status, request, NAN, 1);
  } else {
    MBD_TRY(simulate(e, s, request, err));
  }
  if (s->status > 0) {
    e->noise.near = 0;
    if (keep_failure(e, s, &why) != MBD_OK) { return refuse(e, &why, err); }
    MBD_FAIL(err, s->status, "%s", s->text);
  }
  if (!more) { watch(e, s); }
  if (e->ended.fatal != MBD_OK) { return e->ended.fatal; }
  keep_best(e, s);
  if (!more) { watch_violation(e); }
  return MBD_OK;
}
