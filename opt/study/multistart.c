#include "study/multistart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mechanism/closing.h"
#include "scatter/samples.h"
#include "study/study_row.h"
#include "files/memory.h"

/* ---- the runs ---- */

/* The number of a start determines it. */
study_plan multistart_plan(const mbo_run_config *c, int nset, const char *const *set, int *n) {
  static char name[] = "start", none[] = "";
  static const study_column column = {name, STUDY_START, none};
  study_plan plan = study_plan_numbered("multistart", &column, c, nset, set, n);
  plan.starts = *n;
  return plan;
}

/* ---- starts ---- */

static mbd_status create_samples(const mechanism *m, int n, samples **plan, mbd_error *err) {
  const mbo_multistart_config *starts = &m->config->multistart;
  const samples_kind kind = strcmp(starts->plan, "sobol") == 0 ? SAMPLES_SOBOL : SAMPLES_LATIN_HYPERCUBE;
  return samples_create(kind, n > 1 ? n - 1 : 1, m->n, (uint64_t)starts->seed, plan, err);
}

mbd_status starts_check(const mechanism *m, mbd_error *err) {
  for (int i = 0; i < m->n && isnan(m->config->multistart.spread); i++) {
    if (isfinite(m->lower[i]) && isfinite(m->upper[i])) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: starts are drawn between the bounds, and variable '%s' has %s; expected 'lower' and 'upper' in its "
             "[design ...], or 'spread' in [multistart]",
             m->config->path, m->name[i], isfinite(m->lower[i]) ? "no upper bound" : "no lower bound");
  }
  if (m->n == 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: no [design NAME]; there is nothing to start", m->config->path); }
  samples *plan;
  mbd_error why = {0};
  const mbd_status status = create_samples(m, 1, &plan, &why);
  if (status != MBD_OK) {
    MBD_FAIL(err, status, "%s: [multistart] plan = %s: %.500s", m->config->path, m->config->multistart.plan, why.text);
  }
  samples_destroy(plan);
  return MBD_OK;
}

/* Maps u [n] of the unit cube to a design between the bounds, or within the spread about the run's own start. */
static void place(const mechanism *m, const double *own, const double *u, double *x) {
  const double spread = m->config->multistart.spread;
  for (int i = 0; i < m->n; i++) {
    double low = m->lower[i], high = m->upper[i];
    if (!isnan(spread)) {
      low = fmax(low, own[i] - spread * m->scale[i]);
      high = fmin(high, own[i] + spread * m->scale[i]);
    }
    x[i] = low + (high - low) * u[i];
  }
}

/* Checks whether all cases can be assembled at x. Only MBD_NO_ASSEMBLY means that they cannot; other errors are reported by the run. */
static mbd_status assemble(mechanism *m, const double *x) {
  mbd_status status = mechanism_set_design(m, x, 0, NULL);
  for (int i = 0; i < m->ncase && status == MBD_OK; i++) {
    status = mbd_sim_start(m->cases[i].sim, m->cases[i].v->params, NULL, NULL, NULL, NULL, NULL);
  }
  return status;
}

/* Start k of the plan, x, becomes a design that can be assembled and whose kinematic cases do not lock: x itself, or one beside it (closing_repair), or
 * others in its place, random ones that depend on k only. x is the last one tried if there is none. */
static mbd_status find_usable(mechanism *m, int k, const double *own, double *u, double *x, mbd_error *err) {
  enum { ATTEMPTS = 200 };
  const size_t bytes = (size_t)m->n * sizeof *x;
  uint64_t state = random_mix((uint64_t)m->config->multistart.seed) + (uint64_t)k;
  mechanism_closings *list;
  MBD_TRY(closing_create(m, &list, err));
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (list ? closing_runs(m, list, x) : assemble(m, x) != MBD_NO_ASSEMBLY) { break; }
    memcpy(u, x, bytes);
    if (list && closing_repair(m, list, u)) {
      memcpy(x, u, bytes);
      m->start_moved = 1;
      break;
    }
    for (int i = 0; i < m->n; i++) { u[i] = random_unit(&state); }
    place(m, own, u, x);
  }
  closing_destroy(list);
  return MBD_OK;
}

/* Skips to point k of the sampling plan, maps it to a design, and replaces it if the mechanism cannot be assembled there or locks. */
mbd_status starts_apply(mechanism *m, int n, int k, mbd_error *err) {
  samples *plan = NULL;
  if (k == 0) { return MBD_OK; }
  MBD_TRY(starts_check(m, err));
  MBD_TRY(create_samples(m, n, &plan, err));
  const size_t count = (size_t)m->n;
  double *x = m->design.start, *own = calloc(2 * count, sizeof *own), *u = own ? own + count : NULL;
  /* point k - 1 of the plan as a design, since start 0 is the run's own */
  samples_skip(plan, k - 1);
  if (own) { memcpy(own, x, count * sizeof *own); }
  const int drawn = own && samples_next(plan, u);
  mbd_status status = MBD_OK;
  samples_destroy(plan);
  if (drawn) {
    place(m, own, u, x);
    status = find_usable(m, k, own, u, x, err);
  }
  free(own);
  MEMORY_TRY(own, err, "the starts");
  MBD_TRY(status);
  if (!drawn) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: start %d of %d does not exist", m->config->path, k, n); }
  return MBD_OK;
}
