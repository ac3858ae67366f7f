/* The table of backends, and the one place that answers for all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/table.h"
#include "files/json.h"

#define MBO_BACKENDS(X) X(ipopt) X(nlopt) X(lbfgsb) /* a new backend: one file and one word here */

#define X(n) extern const backend_ops backend_##n;
MBO_BACKENDS(X)
#undef X

static const backend_ops *const backends[] = {
#define X(n) &backend_##n,
    MBO_BACKENDS(X)
#undef X
};

MBD_TABLE(backend_ops, backends, backend_at, backend_find, info.name)

int mbo_backend_at(int i, mbo_backend_info *info) {
  const backend_ops *b = backend_at(i);
  if (b) { *info = b->info; }
  return b != NULL;
}

int mbo_backend_algorithm(const char *backend, int i, const char **name, const char **doc) {
  const backend_ops *b = backend_find(backend);
  return b && b->algorithm && b->algorithm(i, name, doc);
}

const double *backend_to_user(const mbo_problem *p, const double *y, double *x) {
  for (int i = 0; i < p->n; i++) {
    const double scale = p->scale[i];
    if (y[i] == p->start[i] / scale) {
      x[i] = p->start[i];
    } else if (y[i] <= p->lower[i] / scale) {
      x[i] = p->lower[i];
    } else if (y[i] >= p->upper[i] / scale) {
      x[i] = p->upper[i];
    } else {
      x[i] = fmin(fmax(y[i] * scale, p->lower[i]), p->upper[i]);
    }
  }
  return x;
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

void mbo_settings_init(mbo_settings *s) {
  *s = (mbo_settings){.algorithm = "",
                      .max_iterations = 200,
                      .max_evaluations = 1000,
                      .max_time = 1e9,
                      .tol_f = 1e-10,
                      .tol_x = 1e-10,
                      .tolerance = 1e-8,
                      .tol_constraint = 1e-8,
                      .stop_value = -INFINITY,
                      .seed = 1,
                      .fingerprint = ""};
}

void mbo_result_free(mbo_result *r) {
  for (int i = 0; i < r->nfailure; i++) { free(r->failure[i].x), free(r->failure[i].text); }
  free(r->failure), free(r->x), free(r->c);
  *r = (mbo_result){0};
}

mbd_status mbo_check(const char *backend, const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  const backend_ops *b = backend_find(backend);
  char hint[96];
  if (!b) {
    mbd_nearest near = {.wanted = backend};
    for (int i = 0; backend_at(i); i++) { mbd_nearest_offer(&near, backend_at(i)->info.name); }
    MBD_FAIL(err, MBD_BAD_INPUT, "backend '%s' is not known%s", backend, mbd_nearest_text(&near, hint, sizeof hint));
  }
  if (p->n < 1) { MBD_FAIL(err, MBD_BAD_INPUT, "problem '%s' has no design variable", p->name); }
  if (b->info.package) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "backend '%s' is not built in; install the Debian package %s and build again",
             b->info.name, b->info.package);
  }
  if (p->nc && !(b->info.caps & MBO_CAP_CONSTRAINTS)) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "backend '%s' takes no nonlinear constraints, problem '%s' has %d", b->info.name,
             p->name, p->nc);
  }
  if (s->gauss_newton && !(b->info.caps & MBO_CAP_GAUSS_NEWTON)) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "backend '%s' takes no Gauss-Newton matrix; use hessian = limited_memory",
             b->info.name);
  }
  if (s->gauss_newton && !p->has_gauss_newton) {
    MBD_FAIL(
        err, MBD_UNSUPPORTED,
        "hessian = gauss_newton needs method = auto or direct and objectives that are all squares (integral_square, "
        "mean_square) with weights >= 0");
  }
  if (s->exact_hessian && !(b->info.caps & MBO_CAP_HESSIAN)) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "backend '%s' takes no exact second derivatives; use hessian = limited_memory",
             b->info.name);
  }
  if (s->exact_hessian && !p->has_hessian) {
    MBD_FAIL(
        err, MBD_UNSUPPORTED,
        "hessian = exact needs method = auto, direct or discrete_adjoint: it is exact for the same discrete equations");
  }
  return b->check ? b->check(p, s, err) : MBD_OK;
}

/* The best design and the counts, whatever the backend says. */
static mbd_status collect(evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  const evaluator_counts *k = evaluator_count(e);
  const evaluator_failure *list;
  const double *x, *c;
  r->n = p->n, r->nc = p->nc;
  r->x = calloc((size_t)p->n + 1, sizeof *r->x);
  r->c = calloc((size_t)p->nc + 1, sizeof *r->c);
  r->nfailure = evaluator_failures(e, &list);
  r->failure = calloc((size_t)r->nfailure + 1, sizeof *r->failure);
  if (!r->failure) { r->nfailure = 0; }
  if (!r->x || !r->c || !r->failure) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the result"); }
  if (evaluator_best(e, &x, &r->f, &c, &r->violation)) {
    memcpy(r->x, x, (size_t)p->n * sizeof *x);
    memcpy(r->c, c, (size_t)p->nc * sizeof *c);
  } else {
    memcpy(r->x, p->start, (size_t)p->n * sizeof *x);
    r->f = r->violation = NAN;
    if (r->status != MBO_INTERRUPTED) { r->status = MBO_FAILED_START; }
  }
  for (int i = 0; i < r->nfailure; i++) {
    double *copy = malloc(((size_t)p->n + 1) * sizeof *copy);
    r->failure[i] = (mbo_failure){list[i].number, list[i].status, copy, mbd_strdup(list[i].text)};
    if (!copy || !r->failure[i].text) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the result"); }
    memcpy(copy, list[i].x, (size_t)p->n * sizeof *copy);
  }
  r->evaluations = k->evaluations, r->replayed = k->replayed, r->gradients = k->gradients, r->failures = k->failures;
  r->hessians = k->hessians;
  r->seconds = evaluator_seconds(e);
  const char *limit = evaluator_limit(e);
  if (limit) { r->status = strcmp(limit, "stop") == 0 ? MBO_INTERRUPTED : MBO_STOPPED_LIMIT; }
  if (r->status == MBO_CONVERGED && !(r->violation <= s->tol_constraint)) { r->status = MBO_INFEASIBLE; }
  return evaluator_fatal(e, err);
}

/* The start decides whether there is a problem at all. */
static mbd_status evaluate_start(evaluator *e, mbo_result *r, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  const mbo_eval *v;
  mbd_status status = evaluator_evaluate(e, p->start, MBO_WANT_VALUE, &v, err);
  r->f_start = status == MBD_OK ? v->f : NAN;
  if (status > 0) {
    r->status = MBO_FAILED_START;
    snprintf(r->text, sizeof r->text, "%s", err ? err->text : "");
  }
  return status;
}

mbd_status mbo_solve(const char *backend, const mbo_problem *p, const mbo_settings *s, mbo_result *r, mbd_error *err) {
  evaluator *e;
  json_memory_watch(); /* for the journal */
  *r = (mbo_result){.status = MBO_FAILED, .f_start = NAN, .f = NAN};
  MBD_TRY(mbo_check(backend, p, s, err));
  const backend_ops *b = backend_find(backend);
  const evaluator_limits l = {s->max_evaluations, s->max_time, s->tol_constraint, s->stop};
  MBD_TRY(evaluator_create(p, &l, s->journal, s->resume, s->fingerprint, &e, err));
  evaluator_tell(e, s->simulated, s->user);
  if (p->has_gradient) { evaluator_along(e, MBO_WANT_GRADIENT | (s->gauss_newton ? MBO_WANT_GAUSS_NEWTON : 0)); }
  mbd_status status = s->begin ? s->begin(s->user, evaluator_damage(e), err) : MBD_OK;
  if (status == MBD_OK) { status = evaluate_start(e, r, err); }
  if (status == MBD_OK) { status = b->solve(e, s, r, err); }
  if (status > 0 || status == MBD_INTERRUPTED) { status = MBD_OK; }
  if (status == MBD_OK) { status = collect(e, s, r, err); }
  if (status == MBD_OK && r->status != MBO_INTERRUPTED) { status = evaluator_end(e, mbo_status_name(r->status), err); }
  evaluator_destroy(e);
  return status;
}
