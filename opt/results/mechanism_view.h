/* What a mechanism consists of, as data for pages and for `mbopt model --json`. */
#ifndef MBO_MECHANISM_VIEW_H
#define MBO_MECHANISM_VIEW_H

#include <jansson.h>

#include "mechanism/mechanism.h"

/* Adds to o, after the start of the case has been computed:
 *   joints       [{name, type, bodies: [first, second], found, cut, equations, why}]
 *   bodies, coordinates, equations, rank, degrees_of_freedom   how many
 *   redundant    [names] equations that follow from others
 *   held, kept_at_guess   [names] what the start holds: the model's own quantities; coordinates, where no other is given */
void mechanism_view(const mechanism_case *load, json_t *o);

/* Adds `graph`, the drawing of bodies and joints in SVG, unless there are so many bodies that it is not legible. MBD_NO_MEMORY. */
mbd_status mechanism_view_graph(const mechanism_case *load, json_t *o, mbd_error *err);

#endif
