/* The gradient of one load case: memory for the method that computes it, made when it is first used, and one run. */
#ifndef MBO_CASE_GRADIENT_H
#define MBO_CASE_GRADIENT_H

#include "mechanism/mechanism.h"

/* What [gradient] memory_limit leaves for each case, as they may run at once [bytes]; 0: no limit. */
size_t case_memory_limit(const mechanism *m);

/* Memory of q for q->method. */
mbd_status case_prepare(const mechanism *m, mechanism_case *q, int gauss_newton, mbd_error *err);

/* Derivative by variable j, from those by all coefficients: row j of (dtheta/drho)' gtheta. */
double case_to_variable(const mechanism_variant *v, int j, const double *gtheta);

/* Simulate with the numbers of q->v: q->psi, and by q->method q->grad (and q->gn). Reads nothing that other cases write:
 * one thread for each. The observer gets no outputs but those of the objectives. */
mbd_status case_run(const mechanism *m, mechanism_case *q, int gauss_newton, mbd_observer observer, void *user,
                    mbd_error *err);

#endif
