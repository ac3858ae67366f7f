/* The runs of a sweep or multistart as data, from which assets/study.js draws interactive figures: brushes, hover, a
 * click on a run.
 *
 *   kind, task, folder   as in study.json
 *   shape       "curves", "contours", "scatter", "parallel", "none": the kind of figures for the varied keys (study_keys.h)
 *   columns     [{name, label, unit, kind: "key", "words", "quantity", log, words: [...] of words}] the varied keys,
 *               then the quantities that vary
 *   run         numbers of the runs, Int32
 *   v           [columns] the values of each column, Float64; for words their index among the words
 *   regular     the first `regular` runs are on the grid, or evenly chosen; the others have the extremes of the quantities
 *   runs, done  how many runs the study has, and how many are done
 *   violating, failed    how many of those done violate limits, and how many failed
 *   outcome     of each run 0: done, 1: it violates limits, 2: it failed (study_outcome), Int32
 *   best        number of the best run; -1: none
 *   category    of each run the number of its combination of words, Int32; categories: [...] their texts
 *   first       number of the quantity that figures show first, as a column; -1: none varies
 *   pairs       of a multistart: [[start, result]] columns of each variable
 *   end         of a multistart: of each run the number of its optimum, as the table of optima counts, from 0; -1: none. Int32
 *   front       of a front: [column of each objective; -1: it has none]
 *   same        of a multistart: objectives closer than this are equal
 *   pages       {prefix, run: [...]} runs with a page, the file prefix RUN.html
 * Lists of numbers are little-endian in base64. */
#ifndef MBO_STUDY_VIEW_H
#define MBO_STUDY_VIEW_H

#include <jansson.h>

#include "report/study_links.h"

/* The caller owns *out. MBD_NO_MEMORY. */
mbd_status study_view(const study_data *d, const study_links *links, json_t **out, mbd_error *err);

#endif
