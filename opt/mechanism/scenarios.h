/* Scenarios of a run file in which scalars scatter ([uncertain NAME]): each case once more for every scenario, a copy of its section with the
 * number of the scenario, in which the scalars have other values. An objective or constraint with `across` is computed in all of them: its samples,
 * which are quantities beside those of the run file; what becomes of them is a quantity made of others (values.h, across.h).
 *
 * Quantities are numbered so: the objectives, the constraints, then the samples, those of one quantity in the order of the scenarios.
 * Without samples there is one scenario, at the means, whose variables are the design and the deviates of the scalars; mean and deviation
 * follow from derivatives by these, theory.md §6 (6.36). */
#ifndef MBO_SCENARIOS_H
#define MBO_SCENARIOS_H

#include "config/config.h"
#include "scatter/measure.h"

typedef struct mechanism mechanism;
typedef struct mechanism_case mechanism_case;
typedef struct mechanism_variant mechanism_variant;

/* A quantity across scenarios. */
typedef struct scenario_quantity {
  int quantity; /* its number */
  const across_measure *is;
  measure_numbers numbers; /* the width NaN until it is chosen */
  /* Without samples: */
  double sigma;       /* its standard deviation, */
  double *by_deviate; /* [nuncertain] derivatives by the deviates, */
  double *gradient;   /* [n] of sigma in the design variables, */
  double along;       /* or its derivative along a direction */
  double curvature;   /* tr(H C), H its second derivatives by the deviates */
} scenario_quantity;

typedef struct mechanism_scenarios {
  int nuncertain;
  int n;                   /* scenarios */
  int linear;              /* 1: to first order, n = 1 */
  double *C, *L;           /* [nuncertain][nuncertain] correlations of the deviates, their factor of Cholesky */
  double *deviate;         /* [n][nuncertain] of the scenarios; of triangular scalars probabilities */
  mbo_case_config *config; /* [ncase + 1][n] copies of the cases, and of none */
  int nacross;
  scenario_quantity *across; /* [nacross] */
  int *number;               /* [quantities of the run file] which of them; -1: as without scatter */
  double *scratch;           /* [6 n] */
} mechanism_scenarios;

/* Makes m->scenarios; NULL where no objective or constraint has `across`. Before there are variants and values. */
mbd_status scenarios_create(mechanism *m, mbd_error *err);
mbd_status scenarios_allocate(mechanism *m, mbd_error *err); /* once the number of design variables is known */
void scenarios_destroy(mechanism *m);

int scenarios_count(const mechanism *m);   /* 0: nothing scatters */
int scenarios_linear(const mechanism *m);  /* 1: to first order */
int scenarios_samples(const mechanism *m); /* quantities that are samples */

/* The number in m->scenarios->across of a quantity of the run file; -1: it has no `across`. */
int scenarios_across(const mechanism *m, int quantity);
/* The quantity that is the sample of an `across` one in scenario s = 0, 1, ...; the quantity of the run file that one belongs to. */
int scenarios_sample(const mechanism *m, int quantity, int s);
int scenarios_owner(const mechanism *m, int quantity);

/* Deviates u [nuncertain] of independent numbers in (0, 1), in their place. */
void scenarios_deviates(const mbo_run_config *c, const mechanism_scenarios *all, double *u);

/* The section of case number k (or, k = ncase, of none) in scenario s. */
const mbo_case_config *scenarios_case(const mechanism *m, int k, int s);

/* In the model of a variant: the numbers of all distributions, which no scalar that scatters may move. MBD_BAD_INPUT: one does, or an expression
 * is wrong. */
mbd_status scenarios_enter(mechanism *m, mechanism_variant *v, mbd_error *err);
/* Its design variables have been set; with those of deviates, if it needs them. */
mbd_status scenarios_vary(mechanism *m, mechanism_variant *v, mbd_error *err);
/* Sets the deviates of its scenario, and returns the variables for the design rho [n], which are valid until the next call. */
const double *scenarios_place(mechanism *m, mechanism_variant *v, const double *rho);
/* After a design has been set: MBD_OUT_OF_DOMAIN, the numbers of a distribution are none, as a deviation below zero. */
mbd_status scenarios_check(const mechanism *m, mbd_error *err);

/* To first order, of derivatives g [nuncertain] by the deviates: C g, and the standard deviation sqrt(g' C g), theory.md §6 (6.36). */
double scenarios_spread(const mechanism_scenarios *all, const double *g, double *Cg);

/* Column k of the factor of the correlations, C = L L', as a direction of all variables of a variant: its design [n] and its deviates. */
void scenarios_column(const mechanism *m, int k, double *along);

/* Widths of smoothing that the run file leaves out, from samples in m->psi at its start. MBD_BAD_INPUT: samples are all the same. */
int scenarios_widths_open(const mechanism *m);
mbd_status scenarios_choose_widths(mechanism *m, mbd_error *err);
void scenarios_note_sharpness(mechanism *m); /* of quantities without a width: that of their samples' form */

/* Gives a quantity with `across` another sharpness (mechanism.h): its smoothing, and that of its samples in proportion. */
mbd_status scenarios_set_sharpness(mechanism *m, int quantity, double sharpness, mbd_error *err);

#endif
