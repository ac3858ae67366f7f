/* Parts of a page about a mechanism at the start of one of its cases, after mbd_sim_start, for the pages of runs and of
 * models. */
#ifndef MBO_MECHANISM_PARTS_H
#define MBO_MECHANISM_PARTS_H

#include "report/page.h"
#include "mechanism/mechanism.h"

/* Writes paragraphs with the numbers of bodies, coordinates and equations, the rank, the degrees of freedom, and the
 * names of redundant equations. */
void mechanism_part_equations(page *p, const mechanism_case *q);
/* Writes the graph of bodies and joints with a caption, unless there are very many bodies. MBD_NO_MEMORY. */
mbd_status mechanism_part_graph(page *p, const mechanism_case *q, const char *caption, mbd_error *err);
/* Writes the table of joints; for a cut joint with the number of its equations and the reason. `places`: with point and
 * axes at the start, and the position in which the coordinates are zero. */
void mechanism_part_joints(page *p, const mechanism_case *q, int places);

#endif
