#ifndef MBD_CASE_H
#define MBD_CASE_H

#include "mbd/simulate.h"

/* MBD_BAD_INPUT: an option of the case is not known or out of its range; the message names it. */
mbd_status case_check(const mbd_case *c, mbd_error *err);

#endif
