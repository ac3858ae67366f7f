/* The columns of all coordinates that move a body, in blocks and at one point. */
#ifndef MBD_CHAIN_H
#define MBD_CHAIN_H

#include "kinematics/work.h"

/* Empties w->chain. It has to be called after every sweep, before the other functions. */
void chain_begin(mbd_work *w);

/* Fills the chain with the coordinates that move body i (the ground: none). Columns that the chain of the previous body
 * has in common with it, from the ground on, are not copied again: in a depth-first walk through the bodies, in either
 * direction, every column is copied about once. all  1: b, c, e, cbd, which are swept (c and cbd are zero where
 * velocities are); 0: b alone, the others are undefined */
void chain_hold(mbd_work *w, int i, int all);

#endif
