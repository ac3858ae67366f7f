/* Parts of a page about a mechanism at the start of one of its cases, after mbd_sim_start: what the page of a run and that of a model have
 * in common. */
#ifndef MBO_MECHANISM_PARTS_H
#define MBO_MECHANISM_PARTS_H

#include "report/page.h"
#include "mechanism/mechanism.h"

/* Paragraphs: numbers of bodies, coordinates and equations, rank, degrees of freedom; redundant equations by name. */
void mechanism_part_equations(page *p, const mechanism_case *q);
/* The graph of bodies and joints with a caption; nothing for very many bodies. MBD_NO_MEMORY. */
mbd_status mechanism_part_graph(page *p, const mechanism_case *q, const char *caption, mbd_error *err);
/* The table of joints; for a cut joint the number of its equations and the reason. `places`: with point and axes at the start, and the
 * position in which the coordinates are zero. */
void mechanism_part_joints(page *p, const mechanism_case *q, int places);

#endif
