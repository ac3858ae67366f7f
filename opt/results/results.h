/* Result files of a run: result.json, history.csv, trajectory.csv, the resolved configuration. Each is written
 * completely or not at all; the README describes their contents. */
#ifndef MBO_RESULTS_H
#define MBO_RESULTS_H

#include <jansson.h>

#include "stages/post_optimality.h"
#include "stages/scatter_control.h"
#include "stages/stages.h"
#include "mbo/backend.h"
#include "study/flat_directions.h"

/* Names, values and units that are common to all JSON answers. Caller owns the reference. */
json_t *results_design(const mechanism *m, const double *x);
json_t *results_texts(int n, const char *const *text);
/* The users' forces that were loaded: name, file, force, derivatives. */
json_t *results_plugins(const mechanism *m);
/* How each case is differentiated and why; how much its last adjoint run stored and recomputed. */
json_t *results_gradient(const mechanism *m);
/* Adds "in_lanes", how many simulations went in lanes, to an answer, where the run file asks for lanes. */
void results_put_lanes(const mechanism *m, json_t *o);
json_t *results_quantities(const mechanism *m, int gradient);
json_t *results_flat_directions(const mechanism *m, const flat_directions *v);
/* The stages of an optimization (stages/stages.h). */
json_t *results_stages(const mechanism *m, const stages *list);
/* What an optimum costs (stages/post_optimality.h). */
json_t *results_post_optimality(const mechanism *m, const post_optimality *prices);

/* Where scatter comes from, and an independent sample of it (stages/scatter_control.h). */
json_t *results_scatter(const mechanism *m, const scatter_control *c);

/* The flat directions at a design, where there is a Gauss-Newton matrix of at most FLAT_DIRECTIONS_MAX variables; v->n = 0: there are none, for
 * whatever reason but MBD_NO_MEMORY. */
mbd_status results_look_around(const mbo_problem *p, const double *x, flat_directions *v, mbd_error *err);
json_t *results_optimization(const mechanism *m, const mbo_result *r, const char *backend, const char *algorithm);

mbd_status results_write_config(const char *folder, const mbo_run_config *c, mbd_error *err);

/* The iterations in their order. */
typedef struct history {
  int n;
  mbo_iteration *it;
} history;
void history_add(history *h, const mbo_iteration *it);
mbd_status history_write(const char *folder, const history *h, mbd_error *err);
void history_free(history *h);

/* Writes "P1.position.x [m]", or the name alone of an output without a unit, into text, which it returns. */
enum { OUTPUT_LABEL = 500 };
const char *output_label(const mbd_outputs *o, int i, char text[OUTPUT_LABEL]);

/* Simulates every case at rho and writes trajectory.csv (or trajectory_CASE.csv, if there are several): time,
 * coordinates with their rates and accelerations, outputs, multipliers; names and units in the header. `every`: each
 * n-th step. *ended: the number of cases whose files are complete, -1: failed before the first one began;
 * after a failure the next one has its steps up to there, and m->psi is NaN of what has not been computed. */
mbd_status results_write_trajectory(const char *folder, mechanism *m, const double *rho, int every, int *ended,
                                    mbd_error *err);

/* Writes sensitivities.csv (or sensitivities_CASE.csv) by direct differentiation: time, then every output and its
 * derivatives by all design variables. See sensitivities.c. */
mbd_status results_write_sensitivities(const char *folder, mechanism *m, const double *rho, int every, mbd_error *err);

/* Writes inverse_dynamics.csv (or inverse_dynamics_CASE.csv) for every kinematic case: time, the forces Q of the motion
 * on all coordinates, and dQ/dz, dQ/dzd, dQ/dzdd (mbd/inverse.h), without entries outside of their patterns. See
 * inverse_dynamics.c. */
mbd_status results_write_inverse(const char *folder, mechanism *m, const double *rho, int every, mbd_error *err);
int results_is_kinematic(const mechanism_case *load);

/* Writes STEM.csv, or STEM_CASE.csv if there are several cases, into name, which it returns. */
enum { RESULTS_FILE = 300 };
const char *results_case_file(const mechanism *m, const mechanism_case *load, const char *stem,
                              char name[RESULTS_FILE]);

#endif
