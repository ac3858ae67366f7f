/* Closing analysis: what a simulation asks of it as it is made. */
#ifndef MBD_CLOSING_H
#define MBD_CLOSING_H

#include "state/sim.h"

/* MBD_BAD_INPUT: the analysis of s is closing, and the term is of an output that has no derivatives there. */
mbd_status closing_check_term(const mbd_sim *s, const mbd_term *term, mbd_error *err);

#endif
