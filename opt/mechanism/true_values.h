/* The true values of objectives and constraints whose forms smooth them: smooth extrema, quantiles, smoothed integrals of |s|. */
#ifndef MBO_TRUE_VALUES_H
#define MBO_TRUE_VALUES_H

#include "mechanism/mechanism.h"

/* The true value of a quantity at the last design that was evaluated. */
struct true_value {
  int smooths;  /* 1: its form, or one of those that its expression names, smooths; 0: `value` is the quantity itself */
  double value; /* NaN: an expression has no value with the true ones of what it names */
  double time;  /* [s] of an extremum; NaN: it has no single time */
  double range; /* of what an extremum is taken of; NaN: it is none */
};

/* After the cases have been simulated at a design and m->psi is set: m->truth of every quantity, and m->f_true, the objectives as one. */
void true_values_find(mechanism *m);
/* 1: a quantity is smoothed, or the objectives are combined by a smooth maximum, so that m->f_true differs from m->f. */
int true_values_differ(const mechanism *m);

#endif
