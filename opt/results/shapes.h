/* Shapes of bodies as data for pictures (assets/shapes.js).
 *
 *   shapes   of a case: {name, body, kind: "box", "cylinder", "sphere", "capsule", "mesh", at [3] its middle (mesh: the origin of the file),
 *            axes [3][3] unit vectors, the first along the axis, size: box: three edges along the axes; radius, and length along the first axis;
 *            mesh: factor of its points, mesh: number in `meshes`}
 *   missing  of a case: names of the shapes that are not drawn, for a number of theirs has no value at the design
 *   meshes   of the model: {unit, points [npoint * 3] as integers in `unit`, faces [nface * 3] counter-clockwise from outside}; their axes are
 *            those of the body
 * Bodies and places as in scene.h. */
#ifndef MBO_SHAPES_H
#define MBO_SHAPES_H

#include <jansson.h>

#include "config/model_file.h"
#include "mbd/params.h"

/* The shapes at the numbers theta of a design, by which params are set. Those without extent at this design, or without a number, are left
 * out. */
json_t *shapes_describe(const mbo_model_file *f, const double *theta, const mbd_params *params, const mbd_model *model);
json_t *shapes_missing(const mbo_model_file *f); /* at the design of the last evaluation */
json_t *shapes_meshes(const mbo_model_file *f);

#endif
