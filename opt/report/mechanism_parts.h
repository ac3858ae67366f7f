/* Parts of a page about a mechanism, from what results/mechanism_view.h says of it, for the pages of runs and of models. */
#ifndef MBO_MECHANISM_PARTS_H
#define MBO_MECHANISM_PARTS_H

#include "report/page.h"

/* Writes paragraphs with the numbers of bodies, coordinates and equations, the rank, the degrees of freedom, and the
 * names of redundant equations. */
void mechanism_part_equations(page *p, const json_t *o);
/* Writes the graph of bodies and joints with a caption, where there is one. */
void mechanism_part_graph(page *p, const json_t *o, const char *caption);
/* Writes the table of joints; for a cut joint with the number of its equations and the reason. `places`: with point and
 * axes at the start, and the position in which the coordinates are zero, as of `mbopt model --json`. */
void mechanism_part_joints(page *p, const json_t *o, int places);

/* A whole number of an object; 0: there is none. */
int mechanism_part_count(const json_t *o, const char *key);

/* A list of three numbers as words, "1, 0, -0.5"; numbers that are rounding relative to `size` are 0. size 0: relative to the largest. */
json_t *mechanism_part_place(const json_t *numbers, double size);

#endif
