/* A run as data: all that its page and its figures show of the mechanism, so that these need neither the model nor a simulation.
 *
 *   kind, title      "optimization", "simulation"; of a run of a study also title, study (the file of its page), values
 *   folder           null for a run of a study
 *   called           names of the two motions: {before: "start", after: "result"}
 *   mechanism        its title; run_file, model_file, parts, written [s since 1970]
 *   result           as in result.json; null for the best run of a study
 *   hessian          the second derivatives of the optimization, a word of [optimizer] hessian
 *   objective        {label, unit} of what is minimized; tol_constraint: violations up to it are none
 *   design           [{name, unit, start, lower, upper, scale, result, at_bound: "lower bound", curve: whose control point it is}] result only of
 *                    an optimization
 *   quantities       [{name, kind, of, form, target, counts, weight, before, after, unit, lower, upper, true_before, true_after,
 *                    margin, verdict}] objectives and constraints; margin: from the true value of the last motion to the nearer bound,
 *                    below zero where that is violated; verdict: "met", "violated", null without bounds or motion
 *   cases            [{name, duration, step, analysis, formulation, integrator, outputs: how many, files: {inverse_dynamics,
 *                    sensitivities}}]
 *   not_simulated    [texts]; changed: a text, if today's model does not give the numbers of the result
 *   directions       [{eigenvalue, one_percent_worse_at, direction: {name: part}, text}] of the Gauss-Newton matrix
 *   configuration    the run file with all defaults
 *   moving, still    outputs over time: curves.h, curves_single
 * and for pages
 *   first, second    scenes of the motions (scene.h)
 *   about            bodies and joints (mechanism_view.h)
 *   curves           every column over time (curves.h)
 *   gradient         [design] of the first motion, of the objective; null: no_gradient says why */
#ifndef MBO_RUN_VIEW_H
#define MBO_RUN_VIEW_H

#include "results/run_folder.h"

/* What is wanted: for a page whose scripts draw curves over time; for one without them; figures alone; or all of these. */
typedef enum run_view_for {
  RUN_VIEW_FIGURES = 1,  /* `moving` */
  RUN_VIEW_PAGE = 2,     /* scenes, `about` */
  RUN_VIEW_CURVES = 4,   /* `curves` */
  RUN_VIEW_LOOK = 8,     /* without `about`, `moving`, `still` and `configuration`, which a page that computes has */
  RUN_VIEW_GRADIENT = 16 /* `gradient` */
} run_view_for;

/* Simulates start and result. Designs that cannot be simulated, and plugins that may not be loaded, are no error; MBD_INTERRUPTED and lack
 * of memory are. The caller owns *out. */
mbd_status run_view_create(const run_folder *f, unsigned what, json_t **out, mbd_error *err);

/* Adds `mechanism`, `model_file` and `parts` to o. */
void run_view_files(const mechanism *m, json_t *o);

#endif
