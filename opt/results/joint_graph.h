/* The graph of a mechanism: its bodies; the joints of the tree between them, by number, name and type; and dashed between bodies
 * cut joints, constraints and forces. An element that names a single body is drawn between this body and the ground. */
#ifndef MBO_JOINT_GRAPH_H
#define MBO_JOINT_GRAPH_H

#include <stdio.h>

#include "mbd/model.h"

/* Both functions write to `out`. MBD_NO_MEMORY: nothing has been written.
 * dot  the language of Graphviz
 * svg  a tree from the ground downwards; an outline if it is wide */
mbd_status joint_graph_dot(FILE *out, const mbd_model *model, mbd_error *err);
mbd_status joint_graph_svg(FILE *out, const mbd_model *model, mbd_error *err);

#endif
