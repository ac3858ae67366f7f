/* Optimizations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/run.h"
#include "mechanism/choices.h"
#include "stages/stages.h"
#include "backend/backend.h"
#include "backend/run_settings.h"
#include "base/sized.h"
#include "files/memory.h"

const mbo_problem *mbo_run_problem(mbo_run *r) {
  return &r->problem;
}

mbd_status mbo_run_settings_sized(mbo_run *r, mbo_settings *s, size_t size, mbd_error *err) {
  mbo_settings own;
  mbo_option *option = run_settings(r->config, &r->problem, &own);
  MEMORY_TRY(option, err, "the settings of the optimizer");
  free(r->option);
  r->option = option;
  own.stop = r->m->stop;
  sized_write(s, size, &own, sizeof own);
  return MBD_OK;
}

mbd_status mbo_run_minimize_sized(mbo_run *r, const char *backend, const mbo_settings *s, size_t settings_size,
                                  mbo_result *out, size_t result_size, mbd_error *err) {
  const char *by = backend && strcmp(backend, "auto") != 0 ? backend : run_backend(r->config, &r->problem);
  mbo_settings settings;
  char *print = NULL;
  memset(out, 0, result_size);
  if (r->m->nobjective == 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: no [objective NAME] or [measurement NAME]; expected at least one to minimize",
             r->path);
  }
  /* The settings of the caller, or those of the run file. */
  if (s) {
    SIZED_READ(&settings, s, settings_size, "mbo_settings", err);
  } else {
    MBD_TRY(mbo_run_settings(r, &settings, err));
  }
  /* A journal needs a fingerprint, by which a later run recognizes its problem. */
  if (settings.journal && !settings.fingerprint) {
    print = mechanism_fingerprint(r->m);
    MEMORY_TRY(print, err, "the fingerprint of the run");
    settings.fingerprint = print;
  }
  /* The Gauss-Newton matrix, if this backend takes it; it determines how gradients are computed. */
  if (strcmp(r->config->optimizer.hessian, "auto") == 0) { /* the settings belong to the run file's own backend */
    settings.gauss_newton = settings.gauss_newton && run_takes_gauss_newton(by);
  }
  if (settings.gauss_newton || settings.scale_by_curvature) { choices_gauss_newton(r->m); }
  /* The optimization, with warnings of earlier evaluations dropped. */
  run_begin(r, NULL);
  mbd_status status = mbo_check(by, &r->problem, &settings, err);
  stages list = {0};
  mbo_result result = {0};
  if (status == MBD_OK) {
    status = stages_solve(r->m, by, &r->problem, &settings, &list, &result, err);
    result_give(&result, out, result_size);
  }
  stages_free(&list);
  free(print);
  return status;
}

/* ---- functions of a run ---- */

struct mbo_optimum {
  mbo_result result;
  char text[1200];
};

void mbo_run_on_iteration(mbo_run *r, void (*f)(void *user, const mbo_iteration *it), void *user) {
  r->on_iteration = f, r->user = user;
}

mbd_status mbo_run_optimize(mbo_run *r, mbo_optimum **out, mbd_error *err) {
  return mbo_run_optimize_by(r, NULL, NULL, NULL, out, err);
}

mbd_status mbo_run_optimize_by(mbo_run *r, mbd_status (*optimizer)(void *of_optimizer, mbo_ask *a, mbd_error *err),
                               void *of_optimizer, const char *journal, mbo_optimum **out, mbd_error *err) {
  const char *by = optimizer ? "command" : run_backend(r->config, &r->problem);
  mbo_settings s;
  *out = NULL;
  mbo_optimum *o = calloc(1, sizeof *o);
  MEMORY_TRY(o, err, "the result of an optimization");
  mbd_status status = mbo_run_settings(r, &s, err);
  s.iteration = r->on_iteration, s.user = r->user;
  s.optimizer = optimizer, s.of_optimizer = of_optimizer;
  s.journal = journal, s.resume = journal != NULL, s.fingerprint = NULL; /* mbo_run_minimize has the fingerprint */
  if (status == MBD_OK) { status = mbo_run_minimize(r, by, &s, &o->result, err); }
  if (status != MBD_OK) {
    mbo_optimum_free(o);
    return status;
  }
  snprintf(o->text, sizeof o->text, "%s (%s: %s)", mbo_status_text(o->result.status), by, o->result.text);
  *out = o;
  return MBD_OK;
}

void mbo_optimum_free(mbo_optimum *o) {
  if (!o) { return; }
  mbo_result_free(&o->result);
  free(o);
}

const double *mbo_optimum_design(const mbo_optimum *o) {
  return o->result.x;
}

const char *mbo_optimum_status(const mbo_optimum *o) {
  return mbo_status_name(o->result.status);
}

const char *mbo_optimum_text(const mbo_optimum *o) {
  return o->text;
}

double mbo_optimum_number(const mbo_optimum *o, const char *name) {
  const mbo_result *result = &o->result;
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"objective", result->f},           {"start", result->f_start},
                 {"violation", result->violation},   {"optimality", result->optimality},
                 {"iterations", result->iterations}, {"evaluations", result->evaluations},
                 {"gradients", result->gradients},   {"failures", result->failures},
                 {"stages", result->stages},         {"seconds", result->seconds}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(numbers[i].name, name) == 0) { return numbers[i].value; }
  }
  return NAN;
}
