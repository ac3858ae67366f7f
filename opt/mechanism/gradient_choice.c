#include "mechanism/gradient_choice.h"
#include "files/plural.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
size_t gradient_direct_memory(const gradient_task *t) {
  const size_t p = (size_t)t->variables, q = (size_t)(t->objectives + t->constraints);
  const size_t block = (size_t)(11 * t->nz + 9 * t->nphi + t->ncoef);
  return 8 * p * (block + q * p);
}

int gradient_direct_fits(const gradient_task *t) {
  return t->memory_limit == 0 || gradient_direct_memory(t) <= t->memory_limit;
}

int gradient_adjoints(const gradient_task *t) {
  return (t->summed && t->objectives ? 1 : t->objectives) + t->constraints;
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
    at +=
        (size_t)snprintf(text + at, size - at, "%s%d %s%s", i ? ", " : "", part[i].n, part[i].what, plural(part[i].n));
  }
}

void gradient_choose_now(const gradient_task *t, gradient_choice *c) {
  char task[80];
  describe(t, task, sizeof task);
  *c = (gradient_choice){.method = t->asked};
  if (t->asked != GRADIENT_AUTO) {
    snprintf(c->text, sizeof c->text, "%s, as the run file says (%s)", gradient_method_text(c->method), task);
  } else if (t->gauss_newton) {
    c->method = GRADIENT_DIRECT;
    snprintf(c->text, sizeof c->text, "%s, for the Gauss-Newton matrix (%s)", gradient_method_text(c->method), task);
  } else if (!gradient_direct_fits(t)) {
    c->method = GRADIENT_DISCRETE_ADJOINT;
    snprintf(c->text, sizeof c->text,
             "%s (%s: direct differentiation would take %.3g MiB, more than memory_limit allows)",
             gradient_method_text(c->method), task, (double)gradient_direct_memory(t) / 1048576);
  } else {
    snprintf(c->text, sizeof c->text, "%s (%s)", gradient_method_text(c->method), task);
  }
}

/* Whether direct differentiation is the cheaper method, by counts alone: an adjoint costs about as much as three directions. */
static int few_variables(const gradient_task *t) {
  return t->variables <= 3 * gradient_adjoints(t);
}

static const double near = 2; /* ratio of the times of two gradients that are near */

/* Returns 1 for direct differentiation. Times differ from run to run and from machine to machine, so where they are near, counts decide. */
static int choose_direct(const gradient_task *t, const gradient_costs *k) {
  const double ratio = (1 + k->direct) / (1 + k->adjoint);
  if (isnan(k->adjoint)) { return 1; }
  return ratio * near < 1 || (ratio <= near && few_variables(t));
}

/* Writes the reason of the choice with both costs. */
void gradient_choose(const gradient_task *t, const gradient_costs *k, gradient_choice *c) {
  char task[80];
  describe(t, task, sizeof task);
  /* The method with the lower cost; the number of variables decides if the times are near. */
  const int direct = choose_direct(t, k);
  *c = (gradient_choice){.method = direct ? GRADIENT_DIRECT : GRADIENT_DISCRETE_ADJOINT, .costs = *k};
  const gradient_method other = direct ? GRADIENT_DISCRETE_ADJOINT : GRADIENT_DIRECT;
  /* The reason: the task, the time of a simulation, and the cost of the chosen gradient. */
  int n = snprintf(c->text, sizeof c->text,
                   "%s (%s; measured: a simulation takes %.2g s, the gradient %.2f simulations more",
                   gradient_method_text(c->method), task, k->seconds, direct ? k->direct : k->adjoint);
  if (!direct && k->repeated) {
    n += snprintf(c->text + n, sizeof c->text - (size_t)n, " with %ld step%s recomputed to keep within memory_limit",
                  k->repeated, plural(k->repeated));
  }
  /* The cost of the other method, or why there is none. */
  if (isnan(k->adjoint)) {
    snprintf(c->text + n, sizeof c->text - (size_t)n,
             k->repeated < 0 ? "; memory_limit is too tight for the %s)" : "; there is no %s here)",
             gradient_method_text(other));
  } else {
    snprintf(c->text + n, sizeof c->text - (size_t)n, ", by %s %.2f)", gradient_method_text(other),
             direct ? k->adjoint : k->direct);
  }
}

void gradient_choose_unmeasured(const gradient_task *t, const char *why, gradient_choice *c) {
  char task[80];
  describe(t, task, sizeof task);
  const int direct = few_variables(t);
  *c = (gradient_choice){.method = direct ? GRADIENT_DIRECT : GRADIENT_DISCRETE_ADJOINT};
  snprintf(c->text, sizeof c->text, "%s (%s; costs could not be measured: %.200s)", gradient_method_text(c->method),
           task, why);
}
