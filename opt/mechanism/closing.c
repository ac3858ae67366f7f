#include "mechanism/closing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/case_gradient.h"

static const double closed_below = 1e-18; /* C: its root is a length in m */
static const double open_from = 1e-8;     /* an opening [m] that is not rounding */

typedef struct closing_case {
  const mechanism_case *load;
  mbd_outputs *outputs;
  mbd_sim *sim;
  double *gtheta; /* [ncoef] */
} closing_case;

struct mechanism_closings {
  int n;
  closing_case *at;
};

/* ---- simulations ---- */

/* A simulation of the case that closes as far as it can, with one objective of the opening, up to the time `until`. */
static mbd_status make_sim(const closing_case *at, const char *form, double until, mbd_sim **sim, mbd_error *err) {
  mbd_case c = at->load->c;
  const mbd_term term = {.output = 0, .form = form, .weight = 1};
  c.analysis = "closing", c.start = MBD_START_GIVEN;
  if (until > 0) { c.duration = until; }
  return mbd_sim_create(at->load->v->model, &c, at->outputs, 1, &term, 1, 0, sim, err);
}

static mbd_status make_case(closing_case *at, mbd_error *err) {
  const mechanism_variant *v = at->load->v;
  int first, count;
  at->gtheta = mbd_zeros((size_t)mbd_model_ncoef(v->model), sizeof *at->gtheta);
  MEMORY_TRY(at->gtheta, err, "the closing of case '%s'", at->load->config->name);
  MBD_TRY(mbd_outputs_create(v->model, &at->outputs, err));
  MBD_TRY(mbd_outputs_add(at->outputs, "mechanism.opening", &first, &count, err));
  return make_sim(at, "mean_square", 0, &at->sim, err);
}

static int is_kinematic(const mechanism_case *load) {
  return strcmp(load->c.analysis, "kinematic") == 0 && load->c.free_duration == 0;
}

mbd_status closing_create(const mechanism *m, mechanism_closings **out, mbd_error *err) {
  int n = 0;
  *out = NULL;
  for (int i = 0; i < m->ncase; i++) { n += is_kinematic(&m->cases[i]); }
  if (n == 0) { return MBD_OK; }
  mechanism_closings *list = mbd_zeros(1, sizeof *list);
  if (list) { list->at = mbd_zeros((size_t)n, sizeof *list->at); }
  mbd_status status = list && list->at ? MBD_OK : MEMORY_NONE(err, "the closing of %d cases", n);
  for (int i = 0; i < m->ncase && status == MBD_OK; i++) {
    if (!is_kinematic(&m->cases[i])) { continue; }
    closing_case *at = &list->at[list->n++];
    at->load = &m->cases[i];
    status = make_case(at, err);
  }
  if (status != MBD_OK) { closing_destroy(list); }
  *out = status == MBD_OK ? list : NULL;
  return status;
}

void closing_destroy(mechanism_closings *list) {
  if (!list) { return; }
  for (int i = 0; i < list->n; i++) {
    mbd_sim_destroy(list->at[i].sim), mbd_outputs_destroy(list->at[i].outputs), free(list->at[i].gtheta);
  }
  free(list->at), free(list);
}

/* Sets the design x [n]: the sum C of the mean squares of mechanism.opening over the cases, and its gradient g [n]. */
static mbd_status evaluate(mechanism *m, mechanism_closings *list, const double *x, double *C, double *g,
                           mbd_error *err) {
  const mbd_adjoint_options options = {.memory_limit = case_memory_limit(m)};
  MBD_TRY(mechanism_set_design(m, x, 0, err));
  *C = 0;
  memset(g, 0, (size_t)m->n * sizeof *g);
  for (int i = 0; i < list->n; i++) {
    const closing_case *at = &list->at[i];
    double psi;
    MBD_TRY(
        mbd_sim_adjoint(at->sim, at->load->v->params, &options, &psi, at->gtheta, mechanism_stop_requested, m, err));
    *C += psi;
    for (int j = 0; j < m->n; j++) { g[j] += case_to_variable(at->load->v, j, at->gtheta); }
  }
  return MBD_OK;
}

int closing_runs(mechanism *m, const mechanism_closings *list, const double *x) {
  mbd_status status = mechanism_set_design(m, x, 0, NULL);
  for (int i = 0; i < list->n && status == MBD_OK; i++) {
    const mechanism_case *load = list->at[i].load;
    status = mbd_sim_run(load->sim, load->v->params, 0, NULL, load->psi, NULL, NULL, mechanism_stop_requested, m, NULL);
  }
  return status == MBD_OK;
}

/* ---- repair ---- */

/* The size of variable j: the distance of its bounds, or its scale. */
static double range(const mechanism *m, int j) {
  const double distance = m->upper[j] - m->lower[j];
  return isfinite(distance) ? distance : m->scale[j];
}

/* x := x + step, between the bounds */
static void move(const mechanism *m, const double *step, double scale, double *x) {
  for (int j = 0; j < m->n; j++) { x[j] = fmin(fmax(x[j] + scale * step[j], m->lower[j]), m->upper[j]); }
}

/* step [n] to where C would vanish, in variables over their ranges, of those that bounds do not hold; returns 0 if there is none. */
static int choose_step(const mechanism *m, const double *x, double C, const double *g, double *step) {
  static const double longest = 0.2, beyond = 1.3; /* of the ranges; of the way to where C vanishes */
  double square = 0, limit = 1;
  for (int j = 0; j < m->n; j++) {
    const int held = g[j] > 0 ? x[j] <= m->lower[j] : x[j] >= m->upper[j];
    step[j] = held ? 0 : -g[j] * range(m, j) * range(m, j);
    square -= step[j] * g[j];
  }
  if (!(square > 0)) { return 0; }
  for (int j = 0; j < m->n; j++) {
    step[j] *= beyond * 2 * C / square;
    limit = fmin(limit, longest * range(m, j) / fmax(fabs(step[j]), 1e-300));
  }
  for (int j = 0; j < m->n; j++) { step[j] *= limit; }
  return 1;
}

int closing_repair(mechanism *m, mechanism_closings *list, double *x) {
  enum { STEPS = 40 };
  double *g = mbd_zeros(2 * (size_t)m->n, sizeof *g), *step = g ? g + m->n : NULL, C;
  int found = 0, open = 1;
  for (int i = 0; g && i < STEPS && open && !found; i++) {
    if (evaluate(m, list, x, &C, g, NULL) != MBD_OK) { break; }
    found = C <= closed_below && closing_runs(m, list, x);
    /* Where bars meet in a dead point the last step goes on. */
    if (!found && C > closed_below) { open = choose_step(m, x, C, g, step); }
    if (!found && open) { move(m, step, C > closed_below ? 1 : 0.5, x); }
  }
  free(g);
  return found;
}

mbd_status closing_repair_start(mechanism *m, mbd_error *err) {
  mechanism_closings *list;
  MBD_TRY(closing_create(m, &list, err));
  if (!list || closing_runs(m, list, m->start)) {
    closing_destroy(list);
    return MBD_OK;
  }
  const size_t bytes = (size_t)m->n * sizeof *m->start;
  double *x = mbd_zeros((size_t)m->n, sizeof *x);
  if (x) { memcpy(x, m->start, bytes); }
  if (x && closing_repair(m, list, x)) {
    memcpy(m->design.start, x, bytes);
    m->start_moved = 1;
  }
  closing_destroy(list);
  const mbd_status status = x ? MBD_OK : MEMORY_NONE(err, "%d variables", m->n);
  free(x);
  return status;
}

/* ---- explanation ---- */

/* When the mechanism is open, and where most. */
typedef struct lock {
  double begins, ends, time, opening;
} lock;

static int watch(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  lock *l = user;
  (void)k, (void)z, (void)zd, (void)zdd, (void)lam;
  if (!(y[0] > open_from)) { return 0; }
  if (isnan(l->begins)) { l->begins = t; }
  l->ends = t;
  if (y[0] > l->opening) { l->opening = y[0], l->time = t; }
  return 0;
}

/* A number of the design that could close the mechanism: a variable, or without variables a coefficient of the model, such as the length of a bar. */
typedef struct number {
  const char *name;
  double at, low, high, size; /* its value, bounds, and what a change counts against */
  double slope;               /* of the opening at the worst node */
} number;

static int count_numbers(const mechanism *m, const closing_case *at) {
  return m->n > 0 ? m->n : mbd_model_ncoef(at->load->v->model);
}

static number number_at(const mechanism *m, const double *x, const closing_case *at, int k) {
  const mechanism_variant *v = at->load->v;
  if (m->n > 0) {
    return (number){m->name[k], x[k], m->lower[k], m->upper[k], range(m, k), case_to_variable(v, k, at->gtheta)};
  }
  return (number){mbd_model_coef_name(v->model, k), v->theta[k], -INFINITY, INFINITY, fabs(v->theta[k]), at->gtheta[k]};
}

/* Appends the changes of single numbers by which the opening at the worst node vanishes, to first order: at most three, within their bounds, the smallest first. */
static void add_remedies(const mechanism *m, const double *x, const closing_case *at, double opening, char *text,
                         size_t size) {
  enum { REMEDIES = 3 };
  double above = 0; /* what the one before counts */
  for (int n = 0; n < REMEDIES; n++) {
    double best = INFINITY;
    number found = {.name = NULL};
    for (int k = 0; k < count_numbers(m, at); k++) {
      const number one = number_at(m, x, at, k);
      const double change = -opening / one.slope, counts = fabs(change) / one.size;
      if (!isfinite(counts) || one.at + change < one.low || one.at + change > one.high) { continue; }
      if (counts > above && counts < best) { best = counts, found = one; }
    }
    if (!found.name) { return; }
    const size_t length = strlen(text);
    const double change = -opening / found.slope;
    above = best;
    snprintf(text + length, size - length, "%s'%s' by %+.3g, from %.4g to %.4g",
             n == 0 ? "; to first order it would close with " : ", or ", found.name, change, found.at,
             found.at + change);
  }
}

static mbd_status explain_case(mechanism *m, const double *x, const closing_case *at, char *text, size_t size,
                               mbd_error *err) {
  lock l = {.begins = NAN};
  double psi;
  mbd_sim *sim;
  const mechanism_variant *v = at->load->v;
  text[0] = '\0';
  MBD_TRY(mbd_sim_run(at->sim, v->params, 0, NULL, &psi, NULL, NULL, watch, &l, err));
  if (isnan(l.begins)) { return MBD_OK; }
  snprintf(
      text, size,
      "case '%s' locks: from t = %.4g to %.4g s bars stay apart, at most by mechanism.opening = %.3g at t = %.4g s",
      at->load->config->name, l.begins, l.ends, l.opening, l.time);
  if (!(l.time > 0)) { return MBD_OK; }
  /* The slopes of the opening at the worst node. */
  MBD_TRY(make_sim(at, "terminal", l.time, &sim, err));
  const mbd_status status =
      mbd_sim_adjoint(sim, v->params, &(mbd_adjoint_options){0}, &psi, at->gtheta, NULL, NULL, err);
  mbd_sim_destroy(sim);
  if (status == MBD_OK) { add_remedies(m, x, at, psi, text, size); }
  return status;
}

mbd_status closing_explain(mechanism *m, const double *x, char **text, mbd_error *err) {
  mechanism_closings *list;
  char words[800] = "";
  *text = NULL;
  MBD_TRY(closing_create(m, &list, err));
  if (!list) { return MBD_OK; }
  mbd_status status = mechanism_set_design(m, x, 0, err);
  for (int i = 0; i < list->n && status == MBD_OK && !words[0]; i++) {
    status = explain_case(m, x, &list->at[i], words, sizeof words, err);
  }
  closing_destroy(list);
  if (status != MBD_OK || !words[0]) { return status; }
  *text = mbd_strdup(words);
  MEMORY_TRY(*text, err, "a message");
  return MBD_OK;
}
