/* The keys of an objective for the window and the variable of its form: from, until, at, over; and tolerance, level, width. */
#ifndef MBO_WINDOW_H
#define MBO_WINDOW_H

#include "mechanism/mechanism.h"

/* Sets these fields of the term t of an objective or constraint of a case, and adds to the outputs of the case what they name. where:
 * "[objective NAME]", which also becomes the label of the term and must outlive it. MBD_BAD_INPUT: a key that cannot be read or that
 * the form does not take, a name that is not known. */
mbd_status term_window(const mechanism *m, mechanism_case *load, const char *where, const mbo_objective_config *o,
                       mbd_term *t, mbd_error *err);

#endif
