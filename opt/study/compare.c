#include "study/compare.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char default_list[] = "ipopt,ipopt:gauss_newton,nlopt:LD_SLSQP,lbfgsb,nlopt:LN_BOBYQA";
static const double same_objective = 0.01, same_gain = 1e-6;

/* ---- the list ---- */

/* What an entry runs with; options in a backend's own names go to that backend. */
static mbo_settings settings_of(const comparison *c, const compare_entry *e) {
  mbo_settings s = c->s;
  s.algorithm = e->algorithm;
  s.gauss_newton = e->gauss_newton;
  s.exact_hessian = e->exact_hessian;
  if (strcmp(e->backend, c->options_of) != 0) { s.noption = 0; }
  return s;
}

int compare_read_name(const char *name, char **backend, char **algorithm, const char **hessian) {
  const char *colon = strchr(name, ':'), *rest = colon ? colon + 1 : "";
  const int second = strcmp(rest, "gauss_newton") == 0 || strcmp(rest, "exact") == 0;
  *backend = mbd_sprintf_dup("%.*s", (int)strcspn(name, ":"), name);
  *algorithm = mbd_strdup(second ? "" : rest);
  *hessian = second ? rest : "limited_memory";
  if (*backend && *algorithm) { return 1; }
  free(*backend), free(*algorithm);
  *backend = *algorithm = NULL;
  return 0;
}

/* "BACKEND[:ALGORITHM]" of the given length */
static mbd_status add(comparison *c, const char *text, int length, mbd_error *err) {
  while (length > 0 && isspace((unsigned char)*text)) { text++, length--; }
  while (length > 0 && isspace((unsigned char)text[length - 1])) { length--; }
  if (length == 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "an empty name in the list of backends, expected BACKEND[:ALGORITHM]");
  }
  compare_entry *grown = mbd_list_grow(c->entry, c->n, sizeof *grown);
  if (!grown) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the comparison"); }
  c->entry = grown;
  compare_entry *e = &grown[c->n++];
  *e = (compare_entry){.name = mbd_sprintf_dup("%.*s", length, text)};
  const char *hessian;
  if (!e->name || !compare_read_name(e->name, &e->backend, &e->algorithm, &hessian)) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the comparison");
  }
  e->gauss_newton = strcmp(hessian, "gauss_newton") == 0;
  e->exact_hessian = strcmp(hessian, "exact") == 0;
  return MBD_OK;
}

static mbd_status read_list(comparison *c, const char *list, mbd_error *err) {
  for (const char *at = list;; at++) {
    size_t length = strcspn(at, ",");
    MBD_TRY(add(c, at, (int)length, err));
    at += length;
    if (*at == '\0') { return MBD_OK; }
  }
}

static mbd_status check_entries(comparison *c, int is_default, mbd_error *err) {
  int left = 0;
  for (int i = 0; i < c->n; i++) {
    compare_entry *e = &c->entry[i];
    mbo_settings s = settings_of(c, e);
    mbd_error why = {0};
    mbd_status status = mbo_check(e->backend, c->p, &s, &why);
    if (status == MBD_OK) {
      left++;
    } else if (is_default) {
      e->state = COMPARE_LEFT_OUT;
      snprintf(e->text, sizeof e->text, "%s", why.text);
    } else {
      MBD_FAIL(err, status, "'%s' cannot be compared: %s", e->name, why.text);
    }
  }
  if (left == 0) { MBD_FAIL(err, MBD_UNSUPPORTED, "no backend can solve this problem: %s", c->entry[0].text); }
  return MBD_OK;
}

mbd_status compare_create(const mbo_problem *p, const mbo_settings *s, const char *options_of, const char *list,
                          comparison **out, mbd_error *err) {
  comparison *c = calloc(1, sizeof *c);
  *out = NULL;
  if (!c) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the comparison"); }
  *c = (comparison){.p = p, .s = *s, .options_of = options_of, .best = -1};
  c->s.max_iterations = s->max_evaluations; /* an iteration costs a simulation at least */
  c->s.journal = NULL, c->s.resume = 0, c->s.iteration = NULL;
  c->spread = calloc((size_t)p->n + 1, sizeof *c->spread);
  mbd_status status = c->spread ? read_list(c, list ? list : default_list, err)
                                : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for the comparison");
  if (status == MBD_OK) { status = check_entries(c, list == NULL, err); }
  if (status != MBD_OK) {
    compare_destroy(c);
    return status;
  }
  *out = c;
  return MBD_OK;
}

void compare_destroy(comparison *c) {
  if (!c) { return; }
  for (int i = 0; i < c->n; i++) {
    compare_entry *e = &c->entry[i];
    mbo_result_free(&e->r);
    json_decref(e->warnings);
    free(e->name), free(e->backend), free(e->algorithm), free(e->simulation);
  }
  free(c->entry), free(c->spread);
  free(c);
}

/* ---- runs ---- */

static void record(void *user, const mbo_simulation *simulation) {
  compare_entry *e = user;
  mbo_simulation *grown = e->lost ? NULL : mbd_list_grow(e->simulation, e->n, sizeof *grown);
  if (!grown) {
    e->lost = 1;
    return;
  }
  e->simulation = grown;
  grown[e->n++] = *simulation;
}

mbd_status compare_run(comparison *c, int i, mbd_error *err) {
  compare_entry *e = &c->entry[i];
  mbo_settings s = settings_of(c, e);
  mbd_error why = {0};
  s.simulated = record;
  s.user = e;
  mbd_status status = mbo_solve(e->backend, c->p, &s, &e->r, &why);
  if (status == MBD_NO_MEMORY) { MBD_FAIL(err, status, "%s: %.500s", e->name, why.text); }
  if (e->lost) { MBD_FAIL(err, MBD_NO_MEMORY, "%s: no memory for the list of its simulations", e->name); }
  e->state = status == MBD_OK ? COMPARE_DONE : COMPARE_ERROR;
  if (status != MBD_OK) { snprintf(e->text, sizeof e->text, "%s", why.text); }
  return MBD_OK;
}

const char *compare_status(const compare_entry *e) {
  switch (e->state) {
    case COMPARE_DONE: return mbo_status_name(e->r.status);
    case COMPARE_ERROR: return "ERROR";
    default: return "NOT_RUN";
  }
}

/* ---- the comparison ---- */

static int is_feasible(const comparison *c, const compare_entry *e) {
  return e->state == COMPARE_DONE && isfinite(e->r.f) && e->r.violation <= c->s.tol_constraint;
}

/* Simulations until a design without violation was as good as this. */
static int simulations_to(const comparison *c, const compare_entry *e, double f) {
  for (int k = 0; k < e->n; k++) {
    const mbo_simulation *q = &e->simulation[k];
    if (q->status == MBD_OK && q->violation <= c->s.tol_constraint && q->f <= f) { return k + 1; }
  }
  return 0;
}

void compare_judge(comparison *c) {
  c->best = -1;
  c->nreached = 0;
  for (int i = 0; i < c->n; i++) {
    const compare_entry *e = &c->entry[i];
    if (is_feasible(c, e) && (c->best < 0 || e->r.f < c->entry[c->best].r.f)) { c->best = i; }
  }
  if (c->best < 0) { return; }
  const mbo_result *b = &c->entry[c->best].r;
  c->reach = fmax(same_objective * fabs(b->f), same_gain * (b->f_start - b->f)); /* fmax passes over NaN */
  for (int i = 0; i < c->n; i++) {
    compare_entry *e = &c->entry[i];
    e->reached = is_feasible(c, e) ? simulations_to(c, e, b->f + c->reach) : 0;
    c->nreached += e->reached > 0;
  }
  for (int j = 0; j < c->p->n; j++) {
    double least = INFINITY, largest = -INFINITY;
    for (int i = 0; i < c->n; i++) {
      if (c->entry[i].reached == 0) { continue; }
      least = fmin(least, c->entry[i].r.x[j]);
      largest = fmax(largest, c->entry[i].r.x[j]);
    }
    double size = fmax(fabs(least), fabs(largest));
    c->spread[j] = size > 0 ? (largest - least) / size : 0;
  }
}
