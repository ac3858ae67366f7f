/* Which way to a gradient: the methods, and the choice between direct differentiation and the discrete adjoint by their cost.
 *
 * Costs are counted in simulations of the same case, beyond the simulation itself:
 *   direct    a + b p          p variables:  p right-hand sides at every step
 *   adjoint   a + b q (+ c)    q objectives and constraints, all in one pass backwards; c: steps are recomputed from
 *                              checkpoints where the motion does not fit into the memory allowed */
#ifndef MBO_GRADIENT_CHOICE_H
#define MBO_GRADIENT_CHOICE_H

#include <stddef.h>

typedef enum gradient_method {
  GRADIENT_NONE,
  GRADIENT_DIRECT,
  GRADIENT_DISCRETE_ADJOINT,
  GRADIENT_CONTINUOUS_ADJOINT,
  GRADIENT_CENTRAL_DIFFERENCES,
  GRADIENT_COMPLEX_STEP,
  GRADIENT_AUTO
} gradient_method;

gradient_method gradient_method_find(const char *name); /* as in run files; GRADIENT_NONE if unknown */
const char *gradient_method_name(gradient_method m);
const char *gradient_method_text(gradient_method m); /* in words */

static inline int gradient_is_adjoint(gradient_method m) {
  return m == GRADIENT_DISCRETE_ADJOINT || m == GRADIENT_CONTINUOUS_ADJOINT;
}

typedef struct gradient_costs {
  double direct, direct_per_variable;                     /* [simulations] */
  double adjoint, adjoint_per_quantity, adjoint_repeated; /* [simulations] */
} gradient_costs;

/* Measured by the benchmark, see bench/README.md; of a formulation with an integrator, or of an analysis without. */
const gradient_costs *gradient_measured(const char *formulation, const char *integrator);

/* One load case as the choice sees it. */
typedef struct gradient_task {
  gradient_method asked;
  int gauss_newton; /* wanted: only direct differentiation gives it */
  int summed;       /* objectives are added up, so that one adjoint does for all of them */
  int variables, objectives, constraints;
  int nz, nphi, ncoef;
  long steps;
  size_t step_bytes;   /* that a step leaves in the trajectory of an adjoint */
  size_t memory_limit; /* [bytes] 0: none */
} gradient_task;

typedef struct gradient_choice {
  gradient_method method;
  double direct, adjoint;               /* costs [simulations] */
  size_t direct_memory, adjoint_memory; /* [bytes] */
  int repeats;                          /* the adjoint does steps again */
  char text[240];                       /* the choice and its reason, one line */
} gradient_choice;

void gradient_choose(const gradient_costs *k, const gradient_task *t, gradient_choice *c);

#endif
