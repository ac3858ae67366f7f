/* Joints that follow from the geometry of the description beyond shared points and vectors (mbd_find: MBD_FIND_ALL). The geometry is
 * that of the design position, where all body frames coincide. */
#ifndef MBD_SHAPES_H
#define MBD_SHAPES_H

#include "model/spec_internal.h"

/* One joint: its type ("cardan", ...; NULL: none), coefficients of its points (-1: none) and axes on both bodies, and the vectors
 * that these axes are. */
typedef struct shape {
  const char *type;
  int point[2], axis[2], vector[2];
} shape;

/* For bodies a and b that share one point and no vector. A constraint `perpendicular` between a vector of a and a vector of b that are
 * perpendicular at the design position makes the joint a cardan joint; *constraint is its number. */
shape shape_of_cross(const mbd_spec *s, int a, int b, int *constraint);

/* For bodies a and b that share the vector `vector` and no point. The joint is cylindrical if a point of a and one of b are at different
 * places of one line along the vector, prismatic if there are two such lines, and planar, about the origin of the body frames, if points
 * of both are in a plane normal to it.
 * returns MBD_BAD_INPUT if there are both lines and planes, or neither. */
mbd_status shape_of_vector(const mbd_spec *s, int a, int b, int vector, shape *out, mbd_error *err);

#endif
