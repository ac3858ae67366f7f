#include "mechanism/gradient_choice.h"

#include <stdio.h>
#include <string.h>

/* Simulations that a gradient adds, by formulation (or the analysis that takes its place) and integrator, the first that fits; NULL: any.
 * Estimates: models differ by a factor of two, so that near equality the choice may be the dearer one. An explicit step has four evaluations
 * and more, each with all sensitivities. */
static const struct {
  const char *formulation, *integrator;
  gradient_costs costs; /* direct, a variable; adjoint, a quantity, steps recomputed */
} measured[] = {
    {"kinematic", NULL, {0.9, 0.95, 0.45, 0.8, 1}},
    {"static", NULL, {0.25, 0.17, 0.4, 0.13, 1}},
    {"ali3p", NULL, {0.6, 0.1, 0.35, 0.35, 1}},
    {"penalty", NULL, {0.6, 0.1, 0.35, 0.35, 1}},
    {"fully_recursive", "newmark", {0, 0.8, 0.9, 0.2, 1}},
    {"fully_recursive", "generalized_alpha", {0, 0.8, 0.9, 0.2, 1}},
    {"fully_recursive", NULL, {0, 0.3, 0.6, 0.2, 1}},
    {"semi_recursive", "runge_kutta_4", {0, 0.35, 0.7, 0.2, 1}},
    {"semi_recursive", "dormand_prince", {0, 0.35, 0.9, 0.2, 1}},
    {NULL, "runge_kutta_4", {0, 0.68, 1.0, 0.2, 1}},
    {NULL, "dormand_prince", {0, 0.66, 1.2, 0.2, 1}},
    {NULL, NULL, {0.05, 0.21, 0.4, 0.25, 1}},
};

const gradient_costs *gradient_measured(const char *formulation, const char *integrator) {
  size_t i = 0;
  while ((measured[i].formulation && strcmp(measured[i].formulation, formulation) != 0) ||
         (measured[i].integrator && strcmp(measured[i].integrator, integrator) != 0)) {
    i++;
  }
  return &measured[i].costs;
}

static const struct {
  const char *name, *text;
} methods[] = {
    [GRADIENT_NONE] = {"none", "none"},
    [GRADIENT_DIRECT] = {"direct", "direct differentiation"},
    [GRADIENT_DISCRETE_ADJOINT] = {"discrete_adjoint", "discrete adjoint"},
    [GRADIENT_CONTINUOUS_ADJOINT] = {"continuous_adjoint", "continuous adjoint"},
    [GRADIENT_CENTRAL_DIFFERENCES] = {"central_differences", "central differences"},
    [GRADIENT_COMPLEX_STEP] = {"complex_step", "complex step"},
    [GRADIENT_AUTO] = {"auto", "chosen by cost"},
};

gradient_method gradient_method_find(const char *name) {
  for (int i = GRADIENT_NONE; i <= GRADIENT_AUTO; i++) {
    if (strcmp(methods[i].name, name) == 0) { return (gradient_method)i; }
  }
  return GRADIENT_NONE;
}

const char *gradient_method_name(gradient_method m) {
  return methods[m].name;
}

const char *gradient_method_text(gradient_method m) {
  return methods[m].text;
}

/* Blocks of a simulation with sensitivities, for every variable: 11 of length n, 9 of length m, its direction of the
 * coefficients; and a Gauss-Newton matrix for every quantity. */
static size_t direct_memory(const gradient_task *t) {
  const size_t p = (size_t)t->variables, q = (size_t)(t->objectives + t->constraints);
  const size_t block = (size_t)(11 * t->nz + 9 * t->nphi + t->ncoef);
  return 8 * p * (block + q * p);
}

/* What every step leaves, and its place. */
static size_t adjoint_memory(const gradient_task *t) {
  return (size_t)t->steps * (t->step_bytes + 2 * sizeof(double));
}

static void estimate(const gradient_costs *k, const gradient_task *t, gradient_choice *c) {
  c->direct_memory = direct_memory(t);
  c->adjoint_memory = adjoint_memory(t);
  c->repeats = t->memory_limit && c->adjoint_memory > t->memory_limit;
  c->direct = k->direct + k->direct_per_variable * t->variables;
  const int adjoints = (t->summed && t->objectives ? 1 : t->objectives) + t->constraints;
  c->adjoint = k->adjoint + k->adjoint_per_quantity * adjoints;
  if (c->repeats) { c->adjoint += k->adjoint_repeated; }
}

/* "100 variables, 2 objectives, 1 constraint" */
static void describe(const gradient_task *t, char *text, size_t size) {
  const struct {
    int n;
    const char *what;
  } part[] = {{t->variables, "variable"}, {t->objectives, "objective"}, {t->constraints, "constraint"}};
  size_t at = 0;
  *text = '\0';
  for (int i = 0; i < 3; i++) {
    if (i && part[i].n == 0) { continue; }
    at += (size_t)snprintf(text + at, size - at, "%s%d %s%s", i ? ", " : "", part[i].n, part[i].what,
                           part[i].n == 1 ? "" : "s");
  }
}

/* The cheaper; direct differentiation only where its memory is allowed. */
static gradient_method cheaper(const gradient_task *t, const gradient_choice *c) {
  const int fits = t->memory_limit == 0 || c->direct_memory <= t->memory_limit;
  return fits && c->direct <= c->adjoint ? GRADIENT_DIRECT : GRADIENT_DISCRETE_ADJOINT;
}

void gradient_choose(const gradient_costs *k, const gradient_task *t, gradient_choice *c) {
  char task[80];
  *c = (gradient_choice){.method = t->asked};
  estimate(k, t, c);
  describe(t, task, sizeof task);
  if (t->asked != GRADIENT_AUTO) {
    snprintf(c->text, sizeof c->text, "%s, as the run file says (%s)", gradient_method_text(c->method), task);
    return;
  }
  if (t->gauss_newton) {
    c->method = GRADIENT_DIRECT;
    snprintf(c->text, sizeof c->text, "%s, for the Gauss-Newton matrix (%s)", gradient_method_text(c->method), task);
    return;
  }
  c->method = cheaper(t, c);
  const int direct = c->method == GRADIENT_DIRECT;
  const gradient_method other = direct ? GRADIENT_DISCRETE_ADJOINT : GRADIENT_DIRECT;
  snprintf(c->text, sizeof c->text, "%s (%s: about %.1f simulations against %.1f by %s%s)",
           gradient_method_text(c->method), task, direct ? c->direct : c->adjoint, direct ? c->adjoint : c->direct,
           gradient_method_text(other), c->repeats && !direct ? "; steps done again to keep within memory_limit" : "");
}
