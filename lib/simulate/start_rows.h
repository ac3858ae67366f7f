/* The rows of the assembly at the start: Phi, the held quantities, and coordinates that neither fixes. The model
 * determines on which coordinates an equation depends, so the rows form blocks without common coordinates: a loop is
 * one, a joint whose coordinate is held is another. */
#ifndef MBD_START_ROWS_H
#define MBD_START_ROWS_H

#include "la/blocks.h"
#include "dynamics/motion.h"

/* The columns are the coordinates. most: the largest number of right-hand sides of a solution. */
mbd_status start_rows_create(motion_rows rows, int max, mbd_blocks **out, mbd_error *err);

#endif
