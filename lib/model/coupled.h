/* Sets of coordinates that equations couple: of those that one equation touches, all are in one set. In an array up [nz]
 * every coordinate points to another of its set, the last to itself. */
#ifndef MBD_COUPLED_H
#define MBD_COUPLED_H

#include "model/model.h"

/* Each coordinate is a set of its own. */
void coupled_begin(int nz, int *up);
/* Joined by a list of n constraints. */
void coupled_join(const mbd_constraint *list, int n, int *up);
/* The coordinate that stands for the set of j; makes the ways there shorter. */
int coupled_set(int *up, int j);

#endif
