/* Objectives and constraints across scenarios, as quantities made of their samples: values and derivatives by those of the samples,
 * theory.md §6 (6.31). */
#ifndef MBO_ACROSS_H
#define MBO_ACROSS_H

#include "mechanism/mechanism.h"

/* Each of quantity q, which has `across`. value: of psi [quantities and samples], in which it is set; exact: without smoothing. gradient: its row of m->grad.
 * along: dpsi[q], from the samples' dpsi; by complex step of the value, where `complex_step`. second: m->hess, as values_second. */
void across_value(const mechanism *m, int q, double *psi, int exact);
void across_gradient(mechanism *m, int q);
void across_along(const mechanism *m, int q, double *dpsi, int complex_step);
void across_second(mechanism *m, int q, const double *along);

/* The range of its values: from the least to the greatest sample in psi, of a probability 1; NaN: it has no samples. */
double across_range(const mechanism *m, int q, const double *psi);

/* Sum of the sizes of the weights of samples times v [quantities and samples]: a bound of the change of q by such changes of the samples. */
double across_bound(const mechanism *m, int q, const double *v);

#endif
