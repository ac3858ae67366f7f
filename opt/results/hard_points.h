/* The points of a mechanism with the numbers of its files that say where they are, for pages in which they are dragged. */
#ifndef MBO_HARD_POINTS_H
#define MBO_HARD_POINTS_H

#include <jansson.h>

#include "mechanism/mechanism.h"

/* Adds to o, at the present position of the simulation of the case:
 *   points    [{name, kind: "point", "com": centre of mass of a body, body: its number from 0, -1 the ground, x [3] in the frame of that body, at [3]
 *             global, file, line: of the key with its three numbers, scalars [names that occur in them]}], a point once for each body that has it;
 *             without those that are left out in the file
 *   scalars   {NAME: {file, line, text: its expression, scalars [names in it], variable: a design variable replaces it}} of these names, and of those
 *             that they are equal to; line -1: the run file replaces the scalar */
void hard_points_view(const mechanism_case *load, json_t *o);

#endif
