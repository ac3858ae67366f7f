/* The columns of all coordinates that move a body, in blocks and at one point. */
#ifndef MBD_CHAIN_H
#define MBD_CHAIN_H

#include "kinematics/work.h"

/* Empties w->chain. It has to be called after every sweep, before the other functions. */
void chain_begin(mbd_work *w);

/* Holds the coordinates that move body i (the ground: none). What they share with those held before, from the ground on, stays: a walk
 * through the bodies in depth-first order, either way, takes every column about once.
 * all  1: b, c, e, cbd, which are swept (c and cbd are zero where velocities are); 0: b alone, the others are undefined */
void chain_hold(mbd_work *w, int i, int all);

#endif
