#include "mechanism/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "config/model_file.h"
#include "mechanism/across.h"
#include "mechanism/case_gradient.h"
#include "mechanism/numbers.h"
#include "mechanism/scenarios.h"

typedef struct value {
  const char *what; /* "objective", "constraint" */
  const mbo_objective_config *config;
  const mbo_case_config *of; /* whose scalars */
  int quantity;
  mbo_expr expr;
  int *coef;            /* [nname] coefficient that a name is; -1: */
  int *psi;             /* [nname] the objective or constraint that it is */
  int *number;          /* [nname] the number of a mode or an experiment that it is (numbers.h) */
  int across;           /* 1: no expression, but taken across the scenarios (across.h) */
  mechanism_variant *v; /* whose coefficients */
  double *G;            /* [nname][n] derivatives of the names, for values_second */
  double *by_theta;     /* [ncoef] zero between uses */
} value;

struct mechanism_values {
  int n, *order; /* [n] each after those that it names */
  value *item;
};

static const mbo_case_config no_case = {.name = ""};

/* ---- reading ---- */

/* Messages of expressions quote the text themselves. */
static mbd_status located_expression(const mechanism *m, const value *entry, mbd_status status, mbd_error *err) {
  return mbd_locate(err, status, "%s: [%s %s] value: ", m->config->path, entry->what, entry->config->name);
}

static mbd_status located(const mechanism *m, const value *entry, mbd_status status, mbd_error *err) {
  return mbd_locate(err, status, "%s: [%s %s] value = %.200s: ", m->config->path, entry->what, entry->config->name,
                    entry->config->value);
}

static int quantity_named(const mbo_run_config *c, const char *name) {
  for (int i = 0; i < c->nobjective; i++) {
    if (strcmp(c->objective[i].name, name) == 0) { return i; }
  }
  for (int i = 0; i < c->nconstraint; i++) {
    if (strcmp(c->constraint[i].name, name) == 0) { return c->nobjective + i; }
  }
  return -1;
}

static const mbo_case_config *case_named(const mbo_run_config *c, const char *name) {
  for (int i = 0; i < c->ncase; i++) {
    if (strcmp(c->cases[i].name, name) == 0) { return &c->cases[i]; }
  }
  return &no_case;
}

/* The case whose scalars an expression has: of a sample, that in its scenario. */
static const mbo_case_config *case_of(const mechanism *m, const mbo_objective_config *o, int scenario) {
  const mbo_case_config *of = case_named(m->config, o->in_case);
  return scenario < 0 ? of
                      : scenarios_case(m, of == &no_case ? m->config->ncase : (int)(of - m->config->cases), scenario);
}

/* scenario -1: as nothing scatters. What it names and has `across` is the sample of the same scenario. */
static mbd_status read_value(mechanism *m, value *entry, int scenario, mbd_error *err) {
  MBD_TRY(located_expression(m, entry, mbo_expr_parse(entry->config->value, &entry->expr, err), err));
  const size_t n = (size_t)entry->expr.nname + 1;
  entry->of = case_of(m, entry->config, scenario);
  entry->coef = calloc(n, sizeof *entry->coef);
  entry->psi = calloc(n, sizeof *entry->psi);
  entry->number = calloc(n, sizeof *entry->number);
  MEMORY_TRY(entry->coef && entry->psi && entry->number, err, "a value");
  for (int i = 0; i < entry->expr.nname; i++) {
    const char *name = entry->expr.name[i];
    entry->coef[i] = -1, entry->psi[i] = quantity_named(m->config, name);
    entry->expr.index[i] = i, entry->number[i] = -1;
    if (scenario >= 0 && entry->psi[i] >= 0 && scenarios_across(m, entry->psi[i]) >= 0) {
      entry->psi[i] = scenarios_sample(m, entry->psi[i], scenario);
    }
    if (entry->psi[i] >= 0) { continue; }
    MBD_TRY(located(m, entry, numbers_find(m, name, &entry->number[i], err), err));
    if (scenario >= 0 && entry->number[i] >= 0) {
      return located(m, entry,
                     MBD_FAILED(err, MBD_BAD_INPUT,
                                "'%s' is of the model where nothing scatters; expected no 'across' here", name),
                     err);
    }
  }
  return MBD_OK;
}

static mbd_status add_values(mechanism *m, mechanism_values_list *list, const char *what, int n,
                             const mbo_objective_config *objective, int first, mbd_error *err) {
  for (int i = 0; i < n; i++) {
    const int across = scenarios_across(m, first + i) >= 0, is_value = *objective[i].value != '\0';
    const value one = {.what = what,
                       .config = &objective[i],
                       .of = case_of(m, &objective[i], -1),
                       .quantity = first + i,
                       .across = across};
    /* A quantity across scenarios, and, if it is an expression, its samples. */
    if (across || is_value) { list->item[list->n++] = one; }
    for (int s = 0; across && is_value && s < scenarios_count(m); s++) {
      value *entry = &list->item[list->n++];
      *entry = one;
      entry->across = 0, entry->quantity = scenarios_sample(m, first + i, s);
      MBD_TRY(read_value(m, entry, s, err));
    }
    if (!across && is_value) { MBD_TRY(read_value(m, &list->item[list->n - 1], -1, err)); }
  }
  return MBD_OK;
}

static int value_of(const mechanism_values_list *list, int quantity) {
  for (int i = 0; i < list->n; i++) {
    if (list->item[i].quantity == quantity) { return i; }
  }
  return -1;
}

/* The first of the values that value i names and that are not done; -1: none. */
static int waits_for(const mechanism_values_list *list, int i, const unsigned char *done) {
  const value *entry = &list->item[i];
  if (entry->across) { /* its samples, if they are expressions, are next to it in the list */
    for (int k = i + 1; k < list->n && list->item[k].config == entry->config; k++) {
      if (!done[k]) { return k; }
    }
    return -1;
  }
  for (int p = 0; p < entry->expr.nname; p++) {
    const int other = entry->psi[p] < 0 ? -1 : value_of(list, entry->psi[p]);
    if (other >= 0 && !done[other]) { return other; }
  }
  return -1;
}

/* Those whose names all are known come next, until none is left. */
static mbd_status put_in_order(const mechanism *m, mechanism_values_list *list, mbd_error *err) {
  unsigned char *done = calloc((size_t)list->n + 1, 1);
  int k = 0, before = -1;
  MEMORY_TRY(done, err, "the values");
  /* Each round appends the values that name only scalars, results of simulations, and values that are in the order. */
  while (k > before) {
    before = k;
    for (int i = 0; i < list->n; i++) {
      if (!done[i] && waits_for(list, i, done) < 0) { list->order[k++] = i, done[i] = 1; }
    }
  }
  /* Values that no round has appended are in a cycle of dependencies or depend on one: n times from a value to the first that it still
   * waits for is in the cycle. */
  mbd_status status = MBD_OK;
  int waiting = 0;
  while (waiting < list->n && done[waiting]) { waiting++; }
  if (waiting < list->n) {
    for (int i = 0; i < list->n; i++) { waiting = waits_for(list, waiting, done); }
    status = located(m, &list->item[waiting],
                     MBD_FAILED(err, MBD_BAD_INPUT, "depends on itself, by way of what it names"), err);
  }
  free(done);
  return status;
}

mbd_status values_create(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const size_t max = (size_t)(c->nobjective + c->nconstraint + scenarios_samples(m)) + 1;
  mechanism_values_list *list = m->values = calloc(1, sizeof *list);
  MEMORY_TRY(list, err, "the values");
  list->item = calloc(max, sizeof *list->item);
  list->order = calloc(max, sizeof *list->order);
  MEMORY_TRY(list->item && list->order, err, "the values");
  MBD_TRY(add_values(m, list, "objective", c->nobjective, c->objective, 0, err));
  MBD_TRY(add_values(m, list, "constraint", c->nconstraint, c->constraint, c->nobjective, err));
  return put_in_order(m, list, err);
}

void values_destroy(mechanism *m) {
  mechanism_values_list *list = m->values;
  if (!list) { return; }
  for (int i = 0; list->item && i < list->n; i++) {
    value *entry = &list->item[i];
    mbo_expr_free(&entry->expr);
    free(entry->coef), free(entry->psi), free(entry->number), free(entry->G), free(entry->by_theta);
  }
  free(list->item), free(list->order), free(list);
}

const mbo_case_config *values_case(const mechanism *m, int i) {
  return i < m->values->n ? m->values->item[i].of : NULL;
}

/* ---- names ---- */

/* A scalar that is no coefficient yet. */
static mbd_status enter_name(const mechanism *m, value *entry, int i, mbd_error *err) {
  const char *scalar = entry->expr.name[i];
  int known;
  const int is_scalar = model_file_scalar(entry->v->file, scalar, &known, NULL) == MBD_OK;
  if (entry->psi[i] >= 0 || entry->number[i] >= 0) {
    if (!is_scalar) { return MBD_OK; }
    MBD_FAIL(err, MBD_BAD_INPUT, "'%s' is a scalar of the model, and %s; expected different names", scalar,
             entry->psi[i] >= 0 ? "an objective or constraint" : "a number of a mode or an experiment");
  }
  char *name = mbd_sprintf_dup("value.%s.%s", entry->config->name, scalar);
  MEMORY_TRY(name, err, "the values of %s", m->config->path);
  const mbd_status status = model_file_coefficient(entry->v->file, name, scalar, &entry->coef[i], err);
  free(name);
  return status;
}

mbd_status values_enter(mechanism *m, mechanism_variant *v,
                        int (*same)(const mechanism_variant *, const mbo_case_config *), mbd_error *err) {
  for (int i = 0; i < m->values->n; i++) {
    value *entry = &m->values->item[i];
    if (entry->across || !same(v, entry->of)) { continue; }
    entry->v = v;
    for (int p = 0; p < entry->expr.nname; p++) { MBD_TRY(located(m, entry, enter_name(m, entry, p, err), err)); }
  }
  return MBD_OK;
}

mbd_status values_ready(mechanism *m, mbd_error *err) {
  for (int i = 0; i < m->values->n; i++) {
    value *entry = &m->values->item[i];
    if (entry->across) { continue; }
    entry->G = calloc((size_t)entry->expr.nname * (size_t)m->n + 1, sizeof *entry->G);
    entry->by_theta = calloc((size_t)mbd_model_ncoef(entry->v->model) + 1, sizeof *entry->by_theta);
    MEMORY_TRY(entry->G && entry->by_theta, err, "the derivatives of the values");
  }
  return MBD_OK;
}

int values_quantity(const mechanism *m, int i) {
  return i < m->values->n ? m->values->item[i].quantity : -1;
}

int values_use_results(const mechanism *m) {
  for (int i = 0; i < m->values->n; i++) {
    const value *entry = &m->values->item[i];
    if (entry->across) { return 1; }
    for (int p = 0; p < entry->expr.nname; p++) {
      if (entry->psi[p] >= 0) { return 1; }
    }
  }
  return 0;
}

int values_linear(const mechanism *m, int quantity) {
  model_dependence of[MBO_EXPR_NODES];
  const int k = value_of(m->values, quantity);
  if (k < 0) { return 0; }
  const value *entry = &m->values->item[k];
  if (entry->across) { return 0; }
  for (int p = 0; p < entry->expr.nname; p++) {
    of[p] = entry->coef[p] >= 0                    ? model_file_dependence(entry->v->file, entry->coef[p])
            : entry->number[p] >= 0                ? MODEL_NONLINEAR
            : values_linear(m, entry->psi[p]) != 0 ? MODEL_LINEAR
                                                   : MODEL_NONLINEAR;
  }
  return model_expression_dependence(&entry->expr, of) != MODEL_NONLINEAR;
}

/* ---- values and derivatives ---- */

static mbd_status evaluate(const mechanism *m, const value *entry, const double *psi, double *x, double *v,
                           double *partial, mbd_error *err) {
  for (int p = 0; p < entry->expr.nname; p++) {
    x[p] = entry->coef[p] >= 0     ? entry->v->theta[entry->coef[p]]
           : entry->number[p] >= 0 ? numbers_value(m, entry->number[p])
                                   : psi[entry->psi[p]];
  }
  return located_expression(m, entry, mbo_expr_eval(&entry->expr, x, v, partial, err), err);
}

static mbd_status evaluate_all(const mechanism *m, double *psi, int exact, mbd_error *err) {
  for (int i = 0; i < m->values->n; i++) {
    const value *entry = &m->values->item[m->values->order[i]];
    double x[MBO_EXPR_NODES];
    if (entry->across) {
      across_value(m, entry->quantity, psi, exact);
      continue;
    }
    MBD_TRY(evaluate(m, entry, psi, x, &psi[entry->quantity], NULL, err));
  }
  return MBD_OK;
}

mbd_status values_evaluate(const mechanism *m, double *psi, mbd_error *err) {
  return evaluate_all(m, psi, 0, err);
}

mbd_status values_true(const mechanism *m, double *psi, mbd_error *err) {
  return evaluate_all(m, psi, 1, err);
}

/* Partial derivatives by the coefficients among the names into entry->by_theta; NULL: zero again. */
static void place_partials(const value *entry, const double *partial) {
  for (int p = 0; p < entry->expr.nname; p++) {
    if (entry->coef[p] >= 0) { entry->by_theta[entry->coef[p]] = partial ? partial[p] : 0; }
  }
}

/* The quantity across scenarios whose sample a name is; NULL: it is none. */
static const scenario_quantity *across_named(const mechanism *m, const value *entry, int p) {
  const int sample = entry->psi[p] >= m->nobjective + m->nconstraint;
  return sample ? &m->scenarios->across[scenarios_across(m, scenarios_owner(m, entry->psi[p]))] : NULL;
}

/* Of a sample to first order: derivatives by the deviates, which those of what it names have. */
static void by_deviates(const mechanism *m, const value *entry, const double *partial) {
  const mechanism_scenarios *all = m->scenarios;
  double *of = all->across[scenarios_across(m, scenarios_owner(m, entry->quantity))].by_deviate;
  for (int i = 0; i < all->nuncertain; i++) { of[i] = case_to_variable(entry->v, m->n + i, entry->by_theta); }
  for (int p = 0; p < entry->expr.nname; p++) {
    const scenario_quantity *other = across_named(m, entry, p);
    for (int i = 0; other && i < all->nuncertain; i++) { of[i] += partial[p] * other->by_deviate[i]; }
  }
}

/* The chain rule in the order of the list: partial derivatives by coefficients, then by other objectives and constraints. */
mbd_status values_gradient(mechanism *m, mbd_error *err) {
  const int n = m->n;
  for (int i = 0; i < m->values->n; i++) {
    const value *entry = &m->values->item[m->values->order[i]];
    double x[MBO_EXPR_NODES], partial[MBO_EXPR_NODES], v, *g = m->grad + entry->quantity * n;
    if (entry->across) {
      across_gradient(m, entry->quantity);
      continue;
    }
    MBD_TRY(evaluate(m, entry, m->psi, x, &v, partial, err));
    place_partials(entry, partial);
    for (int j = 0; j < n; j++) { g[j] = case_to_variable(entry->v, j, entry->by_theta); }
    if (entry->v->rho) { by_deviates(m, entry, partial); }
    place_partials(entry, NULL);
    for (int p = 0; p < entry->expr.nname; p++) {
      const double *other = entry->coef[p] >= 0     ? NULL
                            : entry->number[p] >= 0 ? numbers_gradient(m, entry->number[p])
                                                    : m->grad + entry->psi[p] * n;
      for (int j = 0; other && j < n; j++) { g[j] += other[j] == 0 ? 0 : partial[p] * other[j]; }
    }
    for (int j = 0; j < n; j++) {
      if (isfinite(g[j])) { continue; }
      return located(m, entry, MBD_FAILED(err, MBD_OUT_OF_DOMAIN, "has no finite derivative in '%s'", m->name[j]), err);
    }
  }
  return MBD_OK;
}

mbd_status values_along(const mechanism *m, const double *w, double *dpsi, int complex_step, mbd_error *err) {
  for (int i = 0; i < m->values->n; i++) {
    const value *entry = &m->values->item[m->values->order[i]];
    double x[MBO_EXPR_NODES], partial[MBO_EXPR_NODES], v, sum = 0;
    if (entry->across) {
      across_along(m, entry->quantity, dpsi, complex_step);
      continue;
    }
    MBD_TRY(evaluate(m, entry, m->psi, x, &v, partial, err));
    place_partials(entry, partial);
    for (int j = 0; j < m->n; j++) { sum += w[j] == 0 ? 0 : w[j] * case_to_variable(entry->v, j, entry->by_theta); }
    place_partials(entry, NULL);
    for (int p = 0; p < entry->expr.nname; p++) {
      const double change = entry->coef[p] >= 0     ? 0
                            : entry->number[p] >= 0 ? numbers_change(m, entry->number[p])
                                                    : dpsi[entry->psi[p]];
      sum += change == 0 ? 0 : partial[p] * change;
    }
    dpsi[entry->quantity] = sum;
  }
  return MBD_OK;
}

/* Derivatives of a name in the variables. */
static void name_gradient(const mechanism *m, const value *entry, int p, double *g) {
  if (entry->coef[p] < 0) {
    memcpy(g, m->grad + entry->psi[p] * m->n, (size_t)m->n * sizeof *g);
    return;
  }
  entry->by_theta[entry->coef[p]] = 1;
  for (int j = 0; j < m->n; j++) { g[j] = case_to_variable(entry->v, j, entry->by_theta); }
  entry->by_theta[entry->coef[p]] = 0;
}

/* H += sum e_i (name_i)'' */
static mbd_status second_of_names(const mechanism *m, const value *entry, const double *partial, const double *along,
                                  double *H, mbd_error *err) {
  const size_t size = (size_t)m->n * (size_t)(along ? 1 : m->n);
  for (int p = 0; p < entry->expr.nname; p++) {
    const double *other = entry->coef[p] < 0 ? m->hess + (size_t)entry->psi[p] * size : NULL;
    for (size_t j = 0; other && j < size; j++) { H[j] += partial[p] * other[j]; }
  }
  place_partials(entry, partial);
  const mbd_status status = mbo_model_file_second(entry->v->file, entry->by_theta, along, H, err);
  place_partials(entry, NULL);
  return status;
}

/* The change of a name whose derivatives are g, along a direction or, where that is NULL, along variable j. */
static double change_of(const mechanism *m, const double *g, const double *along, int j) {
  double sum = 0;
  for (int i = 0; along && i < m->n; i++) { sum += g[i] * along[i]; }
  return along ? sum : g[j];
}

mbd_status values_second(mechanism *m, const double *along, mbd_error *err) {
  const int n = m->n, ncolumn = along ? 1 : n;
  const size_t size = (size_t)n * (size_t)ncolumn;
  for (int i = 0; i < m->values->n; i++) {
    const value *entry = &m->values->item[m->values->order[i]];
    double x[MBO_EXPR_NODES], partial[MBO_EXPR_NODES], direction[MBO_EXPR_NODES], change[MBO_EXPR_NODES], v;
    double *H = m->hess + (size_t)entry->quantity * size;
    if (entry->across) {
      across_second(m, entry->quantity, along);
      continue;
    }
    MBD_TRY(evaluate(m, entry, m->psi, x, &v, partial, err));
    memset(H, 0, size * sizeof *H);
    for (int p = 0; p < entry->expr.nname; p++) { name_gradient(m, entry, p, entry->G + p * n); }
    for (int j = 0; j < ncolumn; j++) { /* sum e_ij name_i' name_j' */
      for (int p = 0; p < entry->expr.nname; p++) { direction[p] = change_of(m, entry->G + p * n, along, j); }
      mbo_expr_second(&entry->expr, x, direction, change);
      for (int p = 0; p < entry->expr.nname; p++) {
        for (int k = 0; k < n; k++) {
          if (entry->G[p * n + k] != 0) { H[k * ncolumn + j] += entry->G[p * n + k] * change[p]; }
        }
      }
    }
    MBD_TRY(located(m, entry, second_of_names(m, entry, partial, along, H, err), err));
  }
  return MBD_OK;
}

/* The change of name p along a direction of the deviates. */
static double named_change(const mechanism *m, const value *entry, int p, const double *along) {
  const scenario_quantity *other = across_named(m, entry, p);
  double sum = 0;
  for (int i = 0; other && i < m->scenarios->nuncertain; i++) { sum += other->by_deviate[i] * along[m->n + i]; }
  if (entry->coef[p] < 0) { return sum; }
  entry->by_theta[entry->coef[p]] = 1;
  for (int j = m->n; j < entry->v->directions; j++) {
    sum += along[j] * case_to_variable(entry->v, j, entry->by_theta);
  }
  entry->by_theta[entry->coef[p]] = 0;
  return sum;
}

/* l' (sum e_ij name_i' name_j' + sum e_i theta_i'') l for a direction l in `along`; second [variables]: scratch. */
static mbd_status curvature_along(const mechanism *m, const value *entry, const double *x, const double *partial,
                                  const double *along, double *second, double *sum, mbd_error *err) {
  double direction[MBO_EXPR_NODES], change[MBO_EXPR_NODES];
  for (int p = 0; p < entry->expr.nname; p++) { direction[p] = named_change(m, entry, p, along); }
  mbo_expr_second(&entry->expr, x, direction, change);
  for (int p = 0; p < entry->expr.nname; p++) { *sum += direction[p] * change[p]; }
  memset(second, 0, (size_t)entry->v->directions * sizeof *second);
  place_partials(entry, partial);
  const mbd_status status = mbo_model_file_second(entry->v->file, entry->by_theta, along, second, err);
  place_partials(entry, NULL);
  for (int j = m->n; j < entry->v->directions; j++) { *sum += along[j] * second[j]; }
  return status;
}

mbd_status values_curvature(const mechanism *m, mbd_error *err) {
  for (int i = 0; i < m->values->n; i++) {
    const value *entry = &m->values->item[m->values->order[i]];
    double x[MBO_EXPR_NODES], partial[MBO_EXPR_NODES], v;
    if (entry->across || !entry->v->rho) { continue; }
    double *along = mbd_zeros(2 * (size_t)entry->v->directions, sizeof *along);
    double *sum = &m->scenarios->across[scenarios_across(m, scenarios_owner(m, entry->quantity))].curvature;
    mbd_status status = along ? evaluate(m, entry, m->psi, x, &v, partial, err) : MEMORY_NONE(err, "the scatter");
    for (int k = 0; status == MBD_OK && k < m->scenarios->nuncertain; k++) {
      scenarios_column(m, k, along);
      status = curvature_along(m, entry, x, partial, along, along + entry->v->directions, sum, err);
    }
    for (int p = 0; status == MBD_OK && p < entry->expr.nname; p++) {
      const scenario_quantity *other = across_named(m, entry, p);
      *sum += other ? partial[p] * other->curvature : 0;
    }
    free(along);
    MBD_TRY(status);
  }
  return MBD_OK;
}
