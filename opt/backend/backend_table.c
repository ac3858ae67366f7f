/* The table of backends, and the checks and results that all of them share. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/backends.h"
#include "backend/catalogue.h"
#include "backend/optimality.h"
#include "backend/scaling.h"
#include "files/memory.h"
#include "base/nearest.h"
#include "base/table.h"
#include "base/sized.h"
#include "evaluate/feasibility.h"
#include "mbd/simulate.h"

#define DECLARED(name, found, package) extern const backend_ops backend_##name;
#define LISTED(name, found, package)   &(const backend_row){&backend_##name, package},
MBO_BACKENDS(DECLARED)

typedef struct backend_row {
  const backend_ops *ops;
  const char *package;
} backend_row;

static const backend_row *row_at(int i); /* NULL past the end */
static const backend_row *row_find(const char *name);
static const char *name_at(int i);
MBD_TABLE(backend_row, MBO_BACKENDS(LISTED), row_at, row_find, name_at, ops->name)

int mbo_backend_at_sized(int i, mbo_backend_info *info, size_t size) {
  const backend_row *row = row_at(i);
  if (!row) { return 0; }
  const backend_ops *b = row->ops;
  const mbo_backend_info own = {b->name, b->doc, b->caps, b->solve ? NULL : row->package, b->version};
  sized_write(info, size, &own, sizeof own);
  return 1;
}

int mbo_backend_algorithm(const char *backend, int i, const char **name, const char **doc) {
  const backend_row *row = row_find(backend);
  return row && row->ops->algorithm && row->ops->algorithm(i, name, doc);
}

const char *mbo_status_name(mbo_status s) {
  switch (s) {
#define X(name, text) \
  case name: return &#name[4]; /* without MBO_ */
    MBO_STATUS_LIST(X)
#undef X
  }
  return "UNKNOWN";
}

const char *mbo_status_text(mbo_status s) {
  switch (s) {
#define X(name, text) \
  case name: return text;
    MBO_STATUS_LIST(X)
#undef X
  }
  return "unknown";
}

void mbo_settings_init_sized(mbo_settings *s, size_t size) {
  const mbo_settings own = {.algorithm = "",
                            .max_iterations = 200,
                            .max_evaluations = 1000,
                            .max_time = 1e9,
                            .tol_f = 1e-10,
                            .tol_x = 1e-10,
                            .tolerance = 1e-8,
                            .tol_constraint = 1e-8,
                            .tol_offset = 0.25,
                            .stop_value = -INFINITY,
                            .seed = 1,
                            .fingerprint = "",
                            .command = "",
                            .answer_within = 600};
  sized_write(s, size, &own, sizeof own);
}

static void free_failures(mbo_result *r) {
  for (int i = 0; i < r->nfailure; i++) { free(r->failure[i].x), free(r->failure[i].text); }
  free(r->failure);
  r->failure = NULL, r->nfailure = 0;
}

void mbo_result_free_sized(mbo_result *r, size_t size) {
  mbo_result own;
  (void)sized_read(&own, sizeof own, r, size);
  free_failures(&own);
  free(own.x), free(own.c), free(own.x_continuous), free(own.multipliers);
  memset(r, 0, size);
}

void result_give(mbo_result *own, mbo_result *r, size_t size) {
  mbo_result theirs;
  sized_write(r, size, own, sizeof *own);
  (void)sized_read(&theirs, sizeof theirs, r, size);
  if (!theirs.failure) { free_failures(own); }
  if (!theirs.x_continuous) { free(own->x_continuous); }
  if (!theirs.multipliers) { free(own->multipliers); }
}

/* Second derivatives: does the backend take them, and does the problem have them? */
static mbd_status check_hessian(const backend_ops *b, const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  const struct {
    int requested, has;
    unsigned cap;
    const char *what, *needs;
  } kinds[] = {{s->gauss_newton, p->has_gauss_newton, MBO_CAP_GAUSS_NEWTON, "Gauss-Newton matrix",
                "hessian = gauss_newton needs method = auto or direct and objectives that are all squares "
                "(" MBD_SQUARE_FORMS ") with weights >= 0"},
               {s->exact_hessian, p->has_hessian, MBO_CAP_HESSIAN, "exact second derivatives",
                "hessian = exact needs method = auto, direct or discrete_adjoint: it is exact for the same discrete "
                "equations"}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (kinds[i].requested && !(b->caps & kinds[i].cap)) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "backend '%s' takes no %s; use hessian = limited_memory", b->name, kinds[i].what);
    }
    if (kinds[i].requested && !kinds[i].has) { MBD_FAIL(err, MBD_UNSUPPORTED, "%s", kinds[i].needs); }
  }
  return MBD_OK;
}

enum { NEAR = 3 }; /* designs in a row within the noise of the objective */

/* Checks whether the backend can begin. *ops: its functions. */
static mbd_status find_for(const char *backend, const mbo_problem *p, const mbo_settings *s, const backend_ops **ops,
                           mbd_error *err) {
  const backend_row *row = row_find(backend);
  MBD_TRY(mbd_check_word(NULL, "backend", backend, name_at, err));
  const backend_ops *b = *ops = row->ops;
  /* The problem has variables, and the backend is built in. */
  if (p->n < 1) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "problem '%s' has no design variable: expected [design NAME]; mbopt simulate computes it as it is",
             p->name);
  }
  if (!b->solve) {
    MBD_FAIL(err, MBD_NOT_BUILT_IN, "backend '%s' is not built in; install the Debian package %s and build again",
             b->name, row->package);
  }
  /* The backend takes the constraints and the requested second derivatives of the problem. */
  if (p->nc && !(b->caps & MBO_CAP_CONSTRAINTS)) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "backend '%s' takes no nonlinear constraints, problem '%s' has %d", b->name, p->name,
             p->nc);
  }
  MBD_TRY(check_hessian(b, p, s, err));
  /* Scales by curvature come from the Gauss-Newton matrix at the start. */
  if (s->scale_by_curvature && !p->has_gauss_newton) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "scaling = curvature needs the Gauss-Newton matrix: method = auto or direct and objectives that are all "
             "squares (" MBD_SQUARE_FORMS ", [measurement]) with weights >= 0; use scaling = given");
  }
  /* Requirements of the backend itself. */
  return b->check ? b->check(p, s, err) : MBD_OK;
}

/* Problem and settings as the library knows them. */
static mbd_status read_request(const mbo_problem *p, size_t problem_size, const mbo_settings *s, size_t settings_size,
                               mbo_problem *problem, mbo_settings *settings, mbd_error *err) {
  SIZED_READ(problem, p, problem_size, "mbo_problem", err);
  SIZED_READ(settings, s, settings_size, "mbo_settings", err);
  return MBD_OK;
}

mbd_status mbo_check_sized(const char *backend, const mbo_problem *p, size_t problem_size, const mbo_settings *s,
                           size_t settings_size, mbd_error *err) {
  mbo_problem problem;
  mbo_settings settings;
  const backend_ops *b;
  MBD_TRY(read_request(p, problem_size, s, settings_size, &problem, &settings, err));
  return find_for(backend, &problem, &settings, &b, err);
}

static int ended_by(const evaluator *e, const char *limit) {
  return evaluator_limit(e) && strcmp(evaluator_limit(e), limit) == 0;
}

void result_add_text(mbo_result *r, const char *format, ...) {
  const size_t length = strlen(r->text);
  va_list list;
  if (length + 3 >= sizeof r->text) { return; }
  strcpy(r->text + length, length ? "; " : "");
  const size_t from = strlen(r->text);
  va_start(list, format);
  vsnprintf(r->text + from, sizeof r->text - from, format, list);
  va_end(list);
}

/* What the last bits of the variables change is noise of the objective as long as it is small. Where it is as large as the objective itself it is a
 * jump, and the design beside it need not be an optimum. */
static int is_jump(double noise, double f, double f_start) {
  static const double small = 1e-2, of_gain = 1e-6;
  return noise > small * fabs(f) && noise > of_gain * fabs(f_start - f);
}

static void end_at_noise(const evaluator *e, mbo_result *r) {
  const double noise = evaluator_known_noise(e);
  double f = NAN;
  (void)evaluator_best(e, NULL, &f, NULL, NULL);
  r->status = is_jump(noise, f, r->f_start) ? MBO_STALLED : MBO_CONVERGED;
  if (r->status == MBO_STALLED) {
    snprintf(r->text, sizeof r->text,
             "The objective jumps beside the best design: the last bits of the variables change it by %.1e, as where a "
             "mechanism can close in another way, close to a singular position; expected bounds or constraints that "
             "keep away from it, or another start",
             noise);
  } else {
    snprintf(r->text, sizeof r->text,
             "At the level of rounding: what is left to be gained is less than the noise of the objective, %.1e",
             noise);
  }
}

/* Ends of one optimization that the evaluator has made: two of them are a success. */
static void end_by_evaluator(const evaluator *e, mbo_result *r) {
  if (ended_by(e, "infeasible")) {
    r->status = MBO_INFEASIBLE;
    snprintf(r->text, sizeof r->text, "the violation of the constraints no longer decreases");
  }
  if (ended_by(e, "rounding")) { end_at_noise(e, r); }
  if (ended_by(e, "enough")) {
    r->status = MBO_CONVERGED;
    snprintf(r->text, sizeof r->text, "The design is as good as was asked for");
  }
  if (ended_by(e, "data")) {
    r->status = MBO_CONVERGED;
    snprintf(r->text, sizeof r->text,
             "Within the noise of the data: going on would change the estimates by %.2g standard errors in the mean "
             "(relative offset; %ld data)",
             evaluator_known_offset(e), evaluator_problem(e)->samples);
  }
}

/* Where even the best design violates constraints, the result says which and by how much. */
static void end_without_feasible(const evaluator *e, const mbo_settings *s, mbo_result *r) {
  char words[sizeof r->text];
  if (r->status == MBO_CONVERGED || r->status == MBO_STALLED) { r->status = MBO_INFEASIBLE; }
  feasibility_words(evaluator_problem(e), r->c, s->tol_constraint, words, sizeof words);
  result_add_text(r, "%s", words);
}

/* Says which limit of the settings has stopped the run. */
static void name_limit(const evaluator *e, const mbo_settings *s, mbo_result *r) {
  if (ended_by(e, "evaluations")) {
    result_add_text(r, "limit max_evaluations = %d", s->max_evaluations);
  } else if (ended_by(e, "time")) {
    result_add_text(r, "limit max_time = %g s", s->max_time);
  } else if (r->iterations >= s->max_iterations) {
    result_add_text(r, "limit max_iterations = %d", s->max_iterations);
  }
}

/* Takes the best design and the counts from the evaluator, not from the backend. */
static mbd_status collect(const evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  const evaluator_counts *k = evaluator_count(e);
  const evaluator_failure *list;
  const double *x, *c;
  /* Memory for the best design, its constraints and the list of failures. */
  r->n = p->n, r->nc = p->nc;
  r->x = calloc((size_t)p->n + 1, sizeof *r->x);
  r->c = calloc((size_t)p->nc + 1, sizeof *r->c);
  r->nfailure = evaluator_failures(e, &list);
  r->failure = calloc((size_t)r->nfailure + 1, sizeof *r->failure);
  if (!r->failure) { r->nfailure = 0; }
  MEMORY_TRY(r->x && r->c && r->failure, err, "the result");
  /* The best design; if no design could be simulated, the start without values. */
  const int have = evaluator_best(e, &x, &r->f, &c, &r->violation);
  if (have) {
    memcpy(r->x, x, (size_t)p->n * sizeof *x);
    memcpy(r->c, c, (size_t)p->nc * sizeof *c);
  } else {
    memcpy(r->x, p->start, (size_t)p->n * sizeof *x);
    r->f = r->violation = NAN;
    if (r->status != MBO_INTERRUPTED) { r->status = MBO_FAILED_START; }
  }
  /* Failed designs are copied, since the evaluator owns its list. */
  for (int i = 0; i < r->nfailure; i++) {
    double *copy = malloc(((size_t)p->n + 1) * sizeof *copy);
    r->failure[i] = (mbo_failure){list[i].number, list[i].status, copy, mbd_strdup(list[i].text)};
    MEMORY_TRY(copy && r->failure[i].text, err, "the result");
    memcpy(copy, list[i].x, (size_t)p->n * sizeof *copy);
  }
  /* Counts and elapsed time. */
  r->evaluations = k->evaluations, r->replayed = k->replayed, r->gradients = k->gradients, r->failures = k->failures;
  r->hessians = k->hessians, r->probes = k->probes;
  r->watched = k->watched, r->deviation = k->deviation;
  r->seconds = evaluator_seconds(e);
  /* A limit that ended the run has priority over the status of the backend. */
  const int wrong = ended_by(e, "gradient");
  if (evaluator_has_ended(e)) { r->status = ended_by(e, "stop") ? MBO_INTERRUPTED : MBO_STOPPED_LIMIT; }
  if (r->status == MBO_STOPPED_LIMIT && !wrong) { name_limit(e, s, r); }
  /* Noise of the objective, and the relative offset of a fit. */
  r->noise = have ? evaluator_known_noise(e) : NAN;
  r->offset = evaluator_known_offset(e);
  r->samples = isnan(r->offset) ? 0 : p->samples;
  /* A gradient that was found to be wrong is the end of the run, whatever the backend has reported. */
  if (wrong) {
    r->status = MBO_WRONG_GRADIENT;
    snprintf(
        r->text, sizeof r->text,
        "The gradient of design %d deviates by %.1e from a direct sensitivity along a random direction, expected at "
        "most %.1e; `mbopt check` tells more of it",
        evaluator_designs(e), r->deviation, p->watch_limit);
  }
  if (have && !(r->violation <= s->tol_constraint)) { end_without_feasible(e, s, r); }
  return evaluator_fatal(e, err);
}

/* Evaluates the start; if it cannot be simulated, the optimization ends. From here on the optimizer's scales [n] take the place of typical sizes:
 * those by the bounds, with scale_by_curvature those by the matrix there. */
static mbd_status evaluate_start(evaluator *e, const mbo_settings *s, double *scale, mbo_result *r, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  const mbo_eval *v;
  const unsigned request = s->scale_by_curvature ? MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON : MBO_REQUEST_VALUE;
  mbd_status status = evaluator_evaluate(e, p->start, request, &v, err);
  r->f_start = status == MBD_OK ? v->f : NAN;
  for (int i = 0; i < p->n; i++) { scale[i] = scaling_by_bounds(p, i); }
  if (status == MBD_OK && s->scale_by_curvature) { scaling_by_curvature(p->n, v->H, scale); }
  if (status > 0) {
    r->status = MBO_FAILED_START;
    snprintf(r->text, sizeof r->text, "%s", err ? err->text : "");
  }
  return status;
}

/* The result's optimality, at the best design of the backend. An end that counts as an optimum, because steps, changes or predicted decreases
 * became small, is not accepted if the conditions of an optimum leave too large a decrease. An end by data or by stop_value need not be an
 * optimum. */
static mbd_status judge_end(const evaluator *e, const mbo_problem *p, const mbo_settings *s, mbo_result *r,
                            mbd_error *err) {
  double f = NAN;
  r->multipliers = calloc((size_t)p->nc + 1, sizeof *r->multipliers);
  MEMORY_TRY(r->multipliers, err, "the multipliers");
  MBD_TRY(optimality_of_best(e, p, s, &r->optimality, r->multipliers, err));
  if (isnan(r->optimality)) {
    free(r->multipliers);
    r->multipliers = NULL;
  }
  end_by_evaluator(e, r);
  if (r->gauss_newton_left) {
    result_add_text(r, "the Gauss-Newton matrix made no progress after %d designs: limited memory from there",
                    r->gauss_newton_left);
  }
  (void)evaluator_best(e, NULL, &f, NULL, NULL);
  if (r->status != MBO_CONVERGED || ended_by(e, "data") || ended_by(e, "enough") || f <= s->stop_value) {
    return MBD_OK;
  }
  if (optimality_is_within(e, s, r->optimality)) { return MBD_OK; }
  r->status = MBO_STALLED;
  result_add_text(
      r,
      "this is no optimum, as its conditions (Karush, Kuhn, Tucker) still leave a decrease of %.2g to first order "
      "(`mbopt check` tells whether the gradient is right)",
      r->optimality);
  return MBD_OK;
}

/* Searches catalogue values, after an optimization in which every variable could have any value. If a limit of the run is reached before,
 * the design found so far is the result, and the text of the result says so. */
static mbd_status to_catalogue(evaluator *e, const backend_ops *b, const mbo_settings *s, unsigned along, mbo_result *r,
                               mbo_problem **fixed, mbd_error *err) {
  double violation;
  mbd_status status = MBD_INTERRUPTED;
  if (!evaluator_has_ended(e)) { status = catalogue_search(e, b, s, along, r, fixed, err); }
  const int none = status == MBD_OK && !r->x_continuous;
  const int feasible = evaluator_best(e, NULL, NULL, NULL, &violation) && violation <= s->tol_constraint;
  if (none) {
    r->status = MBO_INFEASIBLE;
    result_add_text(r, "no design with values of the catalogues can be simulated");
  } else if (status == MBD_INTERRUPTED) {
    result_add_text(r, "the search among catalogue values is not done");
  } else if (!feasible) {
    result_add_text(r, "all combinations of catalogue values were tried");
  } else if (r->status == MBO_INFEASIBLE) {
    r->status = MBO_CONVERGED;
    result_add_text(r, "a design with values of the catalogues violates no constraint");
  }
  return status;
}

/* The problem with scales [n] that can be changed, in one block. NULL: no memory. */
static mbo_problem *with_own_scales(const mbo_problem *p, double **scale) {
  mbo_problem *own = malloc(sizeof *own + (size_t)p->n * sizeof **scale);
  if (!own) { return NULL; }
  *own = *p;
  *scale = (double *)(own + 1);
  memcpy(*scale, p->scale, (size_t)p->n * sizeof **scale);
  own->scale = *scale;
  return own;
}

/* Runs a backend on an evaluator with journal: evaluates the start, solves, moves the optimum to catalogue values, and collects the
 * result. Failed simulations and interruptions are part of the result and no errors. */
static mbd_status solve(const char *backend, const mbo_problem *p, const mbo_settings *s, mbo_result *r,
                        mbd_error *err) {
  evaluator *e;
  const backend_ops *b;
  /* Numbers that the run does not determine stay NaN. */
  *r = (mbo_result){.status = MBO_FAILED,
                    .f_start = NAN,
                    .f = NAN,
                    .noise = NAN,
                    .offset = NAN,
                    .deviation = NAN,
                    .optimality = NAN,
                    .f_continuous = NAN};
  MBD_TRY(find_for(backend, p, s, &b, err));
  const evaluator_limits l = {s->max_evaluations - s->designs_before, s->max_time - s->seconds_before,
                              s->tol_constraint, s->stop, s->tol_offset};
  /* The evaluator works on a copy of the problem, whose scales may be changed at the start. */
  double *scale;
  mbo_problem *scaled = with_own_scales(p, &scale);
  MEMORY_TRY(scaled, err, "the scales of %d variables", p->n);
  mbd_status status = evaluator_create(scaled, &l, s->journal, s->resume, s->fingerprint, &e, err);
  if (status != MBD_OK) {
    free(scaled);
    return status;
  }
  /* Reports of designs and evaluations, the end at the level of rounding, and derivatives that every evaluation computes. */
  evaluator_stage(e, s->stage);
  evaluator_tell(e, s->simulated, s->evaluated, s->user);
  evaluator_watch(e, NEAR);
  const unsigned along = p->has_gradient ? MBO_REQUEST_GRADIENT | (s->gauss_newton ? MBO_REQUEST_GAUSS_NEWTON : 0U) : 0;
  mbo_problem *fixed = NULL;
  evaluator_along(e, along);
  /* The optimization: the start, the backend, the check of its end, and catalogue values. */
  status = s->begin ? s->begin(s->user, evaluator_damage(e), err) : MBD_OK;
  if (status == MBD_OK) { status = evaluate_start(e, s, scale, r, err); }
  if (status == MBD_OK) { status = b->solve(e, s, r, err); }
  if (status == MBD_OK) { status = judge_end(e, p, s, r, err); }
  if (status == MBD_OK && catalogue_is_there(p)) { status = to_catalogue(e, b, s, along, r, &fixed, err); }
  /* Failed designs and stops are results. The journal of an interrupted run gets no end: the run can be resumed. */
  if (status > 0 || status == MBD_INTERRUPTED) { status = MBD_OK; }
  if (status == MBD_OK) { status = collect(e, s, r, err); }
  if (status == MBD_OK && r->status != MBO_INTERRUPTED) { status = evaluator_end(e, mbo_status_name(r->status), err); }
  evaluator_destroy(e);
  free(fixed), free(scaled);
  return status;
}

mbd_status mbo_solve_sized(const char *backend, const mbo_problem *p, size_t problem_size, const mbo_settings *s,
                           size_t settings_size, mbo_result *r, size_t result_size, mbd_error *err) {
  mbo_problem problem;
  mbo_settings settings;
  mbo_result result = {0};
  mbd_status status = read_request(p, problem_size, s, settings_size, &problem, &settings, err);
  if (status == MBD_OK) { status = solve(backend, &problem, &settings, &result, err); }
  result_give(&result, r, result_size);
  return status;
}
