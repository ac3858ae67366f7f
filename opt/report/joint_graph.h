/* The graph of a mechanism: its bodies; the joints of the tree between them, by number, name and type; and dashed between bodies
 * cut joints, constraints and forces. An element that names a single body is drawn between this body and the ground. */
#ifndef MBO_JOINT_GRAPH_H
#define MBO_JOINT_GRAPH_H

#include <stdio.h>

#include "mbd/model.h"

/* Both functions write to `out`. MBD_NO_MEMORY: nothing has been written. */
mbd_status joint_graph_dot(FILE *out, const mbd_model *model, mbd_error *err); /* the language of Graphviz */
mbd_status joint_graph_svg(FILE *out, const mbd_model *model,
                           mbd_error *err); /* a tree from the ground downwards; an outline if it is wide */

#endif
