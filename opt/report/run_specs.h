/* Interactive figures of a page about one run (page_plot) from the data of its folder, the same as `mbopt plot` draws
 * as files. Each function writes its figures if the run has data for them. */
#ifndef MBO_RUN_SPECS_H
#define MBO_RUN_SPECS_H

#include "report/run_parts.h"

/* Objective of the iterations over simulated designs, and their violations, if any is above 0; logarithmic where numbers span a decade. */
void run_specs_convergence(const run_parts *w);

/* Start and result of every variable between its bounds, in per cent of their distance (of its logarithm, where a variable above zero has
 * bounds two decades apart); variables at a bound are marked as in result.json. */
void run_specs_bounds(const run_parts *w);

/* Eigenvalues and directions of the Gauss-Newton matrix: a tinted table; for many variables, curves over their
 * numbers. */
void run_specs_directions(const run_parts *w);

/* The largest derivatives of the forces by the motion over time, in the cases that have any. */
void run_specs_inverse(const run_parts *w);

/* Derivatives of the outputs by the variables over time, in the cases that have any. */
void run_specs_derivatives(const run_parts *w);

/* Outputs that vary, over time, at start and result, for a program without dygraphs. */
void run_specs_histories(const run_parts *w);

#endif
