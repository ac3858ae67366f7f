/* Objectives and constraints that are expressions of the model's scalars and of other objectives and constraints, by their names, instead of
 * results of a simulation; and those that are taken across scenarios (across.h), from their samples.
 *   v = e(theta, psi),   v' = sum e_theta theta' + sum e_psi psi',   v'' = sum e_i (name_i)'' + sum e_ij name_i' name_j'
 * Each scalar in an expression is a coefficient of the model (model_file_coefficient), so that its derivatives are those of theta. */
#ifndef MBO_VALUES_H
#define MBO_VALUES_H

#include "config/config.h"

typedef struct mechanism mechanism;
typedef struct mechanism_variant mechanism_variant;
typedef struct mechanism_values mechanism_values_list;

/* Makes m->values from the sections of the run, in an order in which each follows those that it names. To be called before any variant has
 * its model. MBD_BAD_INPUT: an expression is wrong, or they depend on each other in a circle. */
mbd_status values_create(mechanism *m, mbd_error *err);
void values_destroy(mechanism *m);

/* The case whose scalars value i takes; NULL past the end. Cases without scalars of their own are alike. */
const mbo_case_config *values_case(const mechanism *m, int i);

/* v is the variant of these: give its model file their coefficients. */
mbd_status values_enter(mechanism *m, mechanism_variant *v,
                        int (*same)(const mechanism_variant *, const mbo_case_config *), mbd_error *err);

/* Memory for derivatives; once all variants are there. */
mbd_status values_ready(mechanism *m, mbd_error *err);

int values_quantity(const mechanism *m, int i);      /* which objective or constraint value i is; -1 past the end */
int values_use_results(const mechanism *m);          /* does one of them name another objective or constraint? */
int values_linear(const mechanism *m, int quantity); /* 1: a value that depends linearly on the design */

/* With the variants' theta of the design: into psi [nall], which has the others. */
mbd_status values_evaluate(const mechanism *m, double *psi, mbd_error *err);
/* The same with what is taken across scenarios without smoothing. */
mbd_status values_true(const mechanism *m, double *psi, mbd_error *err);
/* Rows of m->grad, of m->psi; those of what they name are there. */
mbd_status values_gradient(mechanism *m, mbd_error *err);
/* Along the direction w [n]: into dpsi [nall], with what is taken across scenarios by complex step or by its weights. */
mbd_status values_along(const mechanism *m, const double *w, double *dpsi, int complex_step, mbd_error *err);
/* m->hess, beside those of what they name, or the product with `along` (hessian.h); after values_gradient. */
mbd_status values_second(mechanism *m, const double *along, mbd_error *err);

/* To first order across scenarios: tr(H C) of their samples (scenarios.h), beside those of what they name; after values_gradient. */
mbd_status values_curvature(const mechanism *m, mbd_error *err);

#endif
