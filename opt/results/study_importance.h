/* What the quantities of a sweep depend on (mbo/importance.h), from the runs that are drawn. */
#ifndef MBO_STUDY_IMPORTANCE_H
#define MBO_STUDY_IMPORTANCE_H

#include "results/study_data.h"

/* *out: an array with an object for each quantity that varies, in new memory, empty where fewer than two keys vary:
 *   quantity, runs, method ("grid", "polynomials"), degree, terms (of polynomials), deviation, explained, reason ("": there are indices), and keys,
 *   an array of name, first, first_low, first_high, total, total_low, total_high, bound; numbers that are not known are null. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status study_importance(const study_data *d, json_t **out, mbd_error *err);

/* Keys of the best run of a sweep that lie at an end of what was varied: "k_f = 40000, the upper end of 15000 to 40000; ...", in new memory; "": none does;
 * NULL: no memory. columns: those of its record. */
char *study_edges(const study_data *d, const json_t *columns);

#endif
