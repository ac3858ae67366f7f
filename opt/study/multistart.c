#include "study/multistart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "config/expr.h"
#include "files/memory.h"
#include "mechanism/closing.h"
#include "scatter/samples.h"
#include "study/axis.h"
#include "study/sweep.h"

/* ---- the runs ---- */

struct multistart {
  study_plan plan;
  int n;                /* varied keys */
  axis *axis;           /* [n] */
  int *width;           /* [1 + n] characters of the longest number */
  study_column *column; /* [1 + n] the number of the start, which determines it, then the keys */
};

/* Row k: the start k, and for each key one of its numbers, the first key changing fastest. */
static mbd_status write_rows(void *user, const study_rows *to, mbd_error *err) {
  const multistart *s = user;
  char(*text)[AXIS_NUMBER] = mbd_zeros((size_t)s->n + 1, sizeof *text);
  const char **value = mbd_zeros((size_t)s->n + 1, sizeof *value);
  for (long k = 0; text && value && k < s->plan.n && study_rows_requested(to); k++) {
    long rest = k;
    snprintf(text[0], sizeof *text, "%ld", k);
    value[0] = text[0];
    for (int i = 0; i < s->n; i++) {
      value[1 + i] = axis_level(&s->axis[i], (int)(rest % s->axis[i].n), text[1 + i]);
      rest /= s->axis[i].n;
    }
    points_write_row(to->out, 1 + s->n, value, s->width);
  }
  free(text), free(value);
  return MEMORY_WHOLE(err, "the starts");
}

/* Reads key i of vary and its numbers; the run file has to accept them. */
static mbd_status read_key(multistart *s, const mbo_run_config *c, int i, mbd_error *err) {
  const mbo_pairs *vary = &c->multistart.vary;
  const char *key = vary->name.v[i];
  char text[AXIS_NUMBER];
  double number;
  axis *a = &s->axis[i];
  MBD_TRY(axis_read(key, vary->text.v[i], a, err));
  if (a->n == 0) { MBD_FAIL(err, MBD_BAD_INPUT, "expected a list of numbers, or FROM to TO in N"); }
  s->column[1 + i] = (study_column){mbd_strdup(key), STUDY_SET, sweep_key(c, key)};
  MEMORY_TRY(s->column[1 + i].name && s->column[1 + i].key, err, "the starts");
  const char **set = mbd_zeros((size_t)s->plan.nset + 1, sizeof *set);
  MEMORY_TRY(set, err, "the starts");
  s->width[1 + i] = axis_width(a);
  for (int k = 0; k < s->plan.nset; k++) { set[k] = s->plan.set[k]; }
  mbd_status status = MBD_OK;
  for (int k = 0; k < a->n && status == MBD_OK; k++) {
    mbo_run_config *with = NULL;
    const char *value = axis_level(a, k, text);
    char *own = mbd_sprintf_dup("%s=%s", s->column[1 + i].key, value);
    if (!mbo_number(value, &number)) { status = MBD_FAILED(err, MBD_BAD_INPUT, "'%s', expected a number", value); }
    set[s->plan.nset] = own ? own : "";
    if (status == MBD_OK) { status = mbo_run_config_read(c->path, s->plan.nset + 1, set, &with, err); }
    mbo_run_config_destroy(with);
    free(own);
  }
  free(set);
  return status;
}

mbd_status multistart_create(const mbo_run_config *c, int nset, const char *const *set, int n, multistart **out,
                             mbd_error *err) {
  static char name[] = "start", none[] = "";
  const int keys = c->multistart.vary.name.n;
  multistart *s = mbd_zeros(1, sizeof *s);
  *out = NULL;
  MEMORY_TRY(s, err, "the starts");
  s->plan = (study_plan){.kind = "multistart",
                         .task = "optimize",
                         .nfile = 1,
                         .file = (const char *const *)&c->path,
                         .nset = nset,
                         .set = set,
                         .ncolumn = 1 + keys,
                         .n = n,
                         .starts = n,
                         .write_rows = write_rows,
                         .user = s};
  s->axis = mbd_zeros((size_t)keys, sizeof *s->axis);
  s->plan.column = s->column = mbd_zeros((size_t)keys + 1, sizeof *s->column);
  s->width = mbd_zeros((size_t)keys + 1, sizeof *s->width);
  mbd_status status = MEMORY_WHOLE(err, "the starts");
  if (status == MBD_OK) { s->column[0] = (study_column){name, STUDY_START, none}, s->width[0] = 9; }
  for (; status == MBD_OK && s->n < keys; s->n++) {
    status = mbd_locate(err, read_key(s, c, s->n, err), "%s: [multistart] vary.%s: ", c->path,
                        c->multistart.vary.name.v[s->n]);
  }
  if (status == MBD_OK) {
    *out = s;
  } else {
    multistart_destroy(s);
  }
  return status;
}

void multistart_destroy(multistart *s) {
  if (!s) { return; }
  for (int i = 0; i < s->n; i++) {
    axis_free(&s->axis[i]);
    free(s->column[1 + i].name), free(s->column[1 + i].key);
  }
  free(s->axis), free(s->column), free(s->width);
  free(s);
}

const study_plan *multistart_study_plan(const multistart *s) {
  return &s->plan;
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
