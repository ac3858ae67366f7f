/* The gradient of one load case: memory for the method, taken when it is first used; one run; and its results. */
#ifndef MBO_CASE_GRADIENT_H
#define MBO_CASE_GRADIENT_H

#include "mechanism/mechanism.h"

/* The part of [gradient] memory_limit for each case [bytes], since all may run at the same time; 0: no limit. */
size_t case_memory_limit(const mechanism *m);

/* Set load->ask, and make the memory that it needs. A weighted sum is derived only by an adjoint of a case that has quantities in it:
 * load->ask.of_sum is 0 elsewhere. */
mbd_status case_prepare(const mechanism *m, mechanism_case *load, case_request ask, mbd_error *err);

/* Makes the simulation of the case anew, with memory for so many directions; results of the last one are gone. */
mbd_status case_renew(mechanism_case *load, int directions, mbd_error *err);

/* The complex twin of a case's simulation, load->referee. */
mbd_status case_make_referee(mechanism_case *load, mbd_error *err);

/* One with other terms. */
mbd_status case_referee_of(const mechanism_case *load, int nterm, const mbd_term *term, int npsi, mbd_referee **out,
                           mbd_error *err);

/* The names of the outputs, in new memory, which the caller frees; NULL: there is none. */
const char **case_output_names(const mechanism_case *load);

/* Lanes for simulations of the case with np directions (mbd_lanes_create), which the caller destroys. */
mbd_status case_make_lanes(const mechanism_case *load, int width, int np, mbd_lanes **out, mbd_error *err);

/* A case at several designs at once (designs.h). */
struct case_designs {
  mbd_lanes *lanes; /* NULL: the case does not go in lanes */
  double *theta;    /* [lanes][ncoef] of the designs of a batch, */
  double *psi;      /* [lanes][npsi] and their values, if */
  int n, together;  /* designs of the batch; 1: they were simulated together */
};

/* Makes load->designs with `width` lanes, unless it is there; a refusal of the lanes is kept as well. */
mbd_status case_make_designs(mechanism_case *load, int width, mbd_error *err);
void case_free_designs(mechanism_case *load);

/* Sets load->sum: the weighted sum, then every quantity that is not in it by itself. Returns the number of rows. */
int case_set_sums(const mechanism *m, mechanism_case *load);

/* Simulates with the numbers of load->v: load->psi, and the derivatives of load->ask. It reads no data that other cases write, so that each case may
 * have a thread of its own. Returns MBD_INTERRUPTED when m->stop is set. */
mbd_status case_run(mechanism *m, mechanism_case *load, mbd_error *err);

/* Gives quantity k of the case, a smooth extremum or a quantile, another sharpness, of which the width of a quantile is the inverse. Its simulations are made anew, so that results of the last one are gone. */
mbd_status case_set_sharpness(mechanism_case *load, int k, double sharpness, mbd_error *err);

/* The weighted sum of a case: of its first quantities, case_in_sum of them, which are the objectives, or all where a cotangent asks for them. */
static inline int case_in_sum(const mechanism_case *load) {
  return load->ask.cotangent ? load->npsi : load->nobjective;
}
static inline double case_weight(const mechanism *m, const mechanism_case *load, int k) {
  const int quantity = load->quantity[k];
  return load->ask.cotangent ? load->ask.cotangent[quantity] : mechanism_weight(m, quantity);
}

/* Derivative by variable j, from those by all coefficients: row j of (dtheta/drho)' gtheta. */
double case_to_variable(const mechanism_variant *v, int j, const double *gtheta);

/* The derivative of quantity k by variable j < load->v->directions, as the last run left it, in which every quantity was derived by itself. */
double case_derivative(const mechanism_case *load, int k, int j);

/* g [n]: the gradient of quantity k of the case, as the last run left it: of any quantity, or with load->ask.of_sum of one that is not in the sum. */
void case_row(const mechanism *m, const mechanism_case *load, int k, double *g);

/* g [n] += the gradient of the weighted sum of the case. */
void case_add_sum(const mechanism *m, const mechanism_case *load, double *g);

/* The direction of the coefficients, dtheta/drho w, w of the first n_variables of v, as entries (index, value); both [ncoef]. Returns their
 * number. */
int case_direction(int n_variables, const mechanism_variant *v, const double *w, int *index, double *value);

#endif
