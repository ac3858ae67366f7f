/* The rows of the assembly at the start: Phi, the held quantities, and coordinates that neither fixes. Which coordinates
 * an equation touches is known from the model, so its rows fall into blocks that never meet: a loop is one, a joint
 * whose coordinate is held another. */
#ifndef MBD_START_ROWS_H
#define MBD_START_ROWS_H

#include "la/blocks.h"
#include "dynamics/motion.h"

/* Columns: coordinates. most: right-hand sides at once. */
mbd_status start_rows_create(motion_rows rows, int most, mbd_blocks **out, mbd_error *err);

#endif
