#include "evaluate/gradient_choice.h"

#include <stdio.h>
#include <string.h>

const gradient_costs gradient_measured = {
    .direct = 0.5,
    .direct_per_variable = 0.05,
    .adjoint = 0.4,
    .adjoint_per_quantity = 0.25,
    .adjoint_repeated = 1,
};

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

/* What every step leaves: z, zd, zdd, v*, a*, lam, the multipliers of the projections, the outputs, the factors of the tangent;
 * and its place. A little more with other schemes than Newmark, and where projections are iterated. */
static size_t adjoint_memory(const gradient_task *t) {
  return 8 * (size_t)t->steps * (size_t)(5 * t->nz + 3 * t->nphi + t->noutput + t->nz * (t->nz + 1) + 1 + 2);
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
