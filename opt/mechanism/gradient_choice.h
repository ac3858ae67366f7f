/* The methods of gradients, and the choice between direct differentiation and the discrete adjoint by their costs, which are measured for
 * each case (gradient_costs.h). */
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

static inline int gradient_is_numerical(gradient_method m) {
  return m == GRADIENT_CENTRAL_DIFFERENCES || m == GRADIENT_COMPLEX_STEP;
}

/* The costs of gradients in addition to the simulation, in units of a simulation of the same case. */
typedef struct gradient_costs {
  double seconds; /* a simulation without gradient [s] of one core */
  double direct;  /* [simulations] NaN: not measured */
  double adjoint; /* [simulations] NaN: there is none */
  long
      repeated; /* steps that the adjoint recomputes because of the memory limit; its cost includes them. -1: the least memory that it
                     needs exceeds the limit */
} gradient_costs;

/* The properties of a load case on which the choice depends. */
typedef struct gradient_task {
  gradient_method asked;
  int gauss_newton; /* wanted: only direct differentiation gives it */
  int summed;       /* objectives are added up, so that one adjoint does for all of them */
  int variables, objectives, constraints;
  int nz, nphi, ncoef;
  size_t memory_limit; /* [bytes] 0: none */
} gradient_task;

typedef struct gradient_choice {
  gradient_method method; /* GRADIENT_AUTO: not made yet, the costs are to be measured */
  gradient_costs costs;   /* as measured; all zero where they were not */
  char text[400];         /* the choice and its reason, one line */
} gradient_choice;

/* Adjoints that the task takes. */
int gradient_adjoints(const gradient_task *t);

/* Memory for the directions of direct differentiation [bytes], and whether the task allows for it. */
size_t gradient_direct_memory(const gradient_task *t);
int gradient_direct_fits(const gradient_task *t);

/* The choice, if it does not depend on costs: a method that the run file names, a Gauss-Newton matrix, or too little memory for direct
 * differentiation; otherwise GRADIENT_AUTO. */
void gradient_choose_now(const gradient_task *t, gradient_choice *c);

/* The choice by costs: the method with the smaller one, if the times of the two gradients differ by more than a factor of two; else by the
 * number of variables, as below. */
void gradient_choose(const gradient_task *t, const gradient_costs *k, gradient_choice *c);

/* The choice if costs cannot be measured, by the number of variables: an adjoint costs about as much as three directions. */
void gradient_choose_unmeasured(const gradient_task *t, const char *why, gradient_choice *c);

#endif
