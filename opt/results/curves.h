/* The curves of a page as data, from which assets/curves.js draws time histories and any column over any other.
 *
 *   called   [2] names of the two motions, "start" and "result"; of one motion one
 *   cases    of each load case
 *     name, analysis
 *     columns  [{name, unit, kind, chosen: the number of the entry of [output] columns that chooses it}] those of trajectory.csv except the time; kind: "output", "coordinate", "rate",
 *     "acceleration",
 *              "multiplier", "objective", "projection"
 *     runs     of each motion: {nodes: how many the run has, t: their times, or {first, last} of times at equal distances, y: [columns]};
 *              an entry of y is a number for a constant column, null for a column that the motion does not have, or
 *              {from, d:
 *              differences from it; at: distances, in nodes, between successive entries, if only some nodes are kept}
 *     first    [[y, x]] figures that are shown at first, as numbers of columns; x = -1: the time
 *     marks    [{of: name of the objective or constraint, y, x (as above), target: number, or [[x, y], ...], lower, upper: bounds on the
 *              column, within: largest distance from the target, at, from, until: s, samples: [[x, y], ...] of a measurement}] targets and bounds of objectives and constraints on
 *              columns; a moment that is an event is that of the last motion. Targets and samples of two components of a vector have a path as well, x and y of which
 *              are these two
 * Times are Float64, differences Float32, numbers of nodes Uint16 (in `at4` Uint32), little-endian in base64. */
#ifndef MBO_CURVES_H
#define MBO_CURVES_H

#include <jansson.h>

#include "results/motion.h"
#include "results/run_folder.h"

/* The motions of start and result of a run; NULL: there is none, where the error says why the design cannot be simulated. */
typedef struct run_motions {
  const run_folder *folder;
  motion *before, *after;
  mbd_error before_error, after_error;
} run_motions;

/* The caller owns *out. MBD_NO_MEMORY. */
mbd_status curves_describe(const run_motions *v, json_t **out, mbd_error *err);

/* Single columns. moving: the figures of `first`, if `plain` is 1:
 *   [{kind: "so_far" of an objective up to the time, else "output", case, name, unit, over, over_unit: of the column below, "t" and "s" of the time,
 *     runs: [{name: "start", x: [], y: []}], marks: [as above, those of the figure]}], thinned as above;
 * still: the other outputs [{case, name, unit, value}]. The caller owns both. */
void curves_single(const run_motions *v, int plain, json_t **moving, json_t **still);

#endif
