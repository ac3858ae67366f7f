/* The curves of a page as data, from which assets/curves.js draws time histories and any column over any other.
 *
 *   called   [2] names of the two motions, "start" and "result"; of one motion one
 *   cases    of each load case
 *     name, analysis
 *     columns  [{name, unit, kind}] those of trajectory.csv except the time; kind: "output", "coordinate", "rate",
 *     "acceleration",
 *              "multiplier", "objective", "projection"
 *     runs     of each motion: {nodes: how many the run has, t: their times, or {first, last} of times at equal distances, y: [columns]};
 *              an entry of y is a number for a constant column, null for a column that the motion does not have, or
 *              {from, d:
 *              differences from it; at: distances, in nodes, between successive entries, if only some nodes are kept}
 *     first    [[y, x]] figures that are shown at first, as numbers of columns; x = -1: the time
 *     marks    [{of: name of the objective or constraint, y, x (as above), target: number, or [[x, y], ...], lower, upper: bounds on the
 *              column, at, from, until: s}] targets and bounds of objectives and constraints on columns
 * Times are Float64, differences Float32, numbers of nodes Uint16 (in `at4` Uint32), little-endian in base64. */
#ifndef MBO_CURVES_H
#define MBO_CURVES_H

#include <jansson.h>

#include "report/run_figures.h"

/* Returns 1 if pages can draw curves: 0 if the program was built without the library dygraphs. */
int curves_are_built_in(void);

/* The caller owns *out. MBD_NO_MEMORY. */
mbd_status curves_describe(const run_figures *v, json_t **out, mbd_error *err);

#endif
