/* What further series would make of the estimates of a fit, and in which order they are best: sensors that could be bought, measurements that
 * are held out, and outputs that are found informative. Equations: theory.md §6 (6.40), (6.41). */
#ifndef MBO_NEXT_MEASUREMENTS_H
#define MBO_NEXT_MEASUREMENTS_H

#include "fit/fit.h"

/* Sets f->next, f->nnext, and `sigma`, `samples`, `deviation` of the informative outputs, when the precision of the data is known. Cost: a direct differentiation of
 * the cases with sensors and with such outputs; decompositions of [n][n], as many as the square of the number of candidates. Errors of a simulation. */
mbd_status next_measurements_find(fit *f, mechanism *m, mbd_error *err);

#endif
