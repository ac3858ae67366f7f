/* Sets of coordinates that equations couple: all coordinates of one equation are in the same set. In an array up [nz] every coordinate
 * points to another one of its set, and the last one to itself. Bodies that joints connect make such sets, too. */
#ifndef MBD_COUPLED_H
#define MBD_COUPLED_H

#include "model/model.h"

/* Makes each coordinate a set of its own. */
void coupled_begin(int nz, int *up);
/* Joins the sets of the coordinates of each of n constraints. */
void coupled_join(const mbd_constraint *list, int n, int *up);
/* The coordinate that represents the set of j; later searches are made shorter. */
int coupled_set(int *up, int j);

#endif
