/* Joints that the geometry of the description tells beyond shared points and vectors (mbd_find: MBD_FIND_ALL), from places at the
 * design position, where all body frames are one. */
#ifndef MBD_SHAPES_H
#define MBD_SHAPES_H

#include "model/spec_internal.h"

/* One joint: its type ("cardan", ...; NULL: none), coefficients of its points (-1: none) and axes on both bodies, and the vectors
 * that these axes are. */
typedef struct shape {
  const char *type;
  int point[2], axis[2], vector[2];
} shape;

/* Bodies a and b share one point and no vector. A perpendicular constraint between a vector of a and one of b, perpendicular at the
 * design position, makes the joint a cardan; its number in *constraint. */
shape shape_of_cross(const mbd_spec *s, int a, int b, int *constraint);

/* Bodies a and b share the vector `vector` and no point. A point of a and one of b at different places of a line along it:
 * cylindrical; two such lines: prismatic; points in a plane across it: planar, about the origin of the body frames.
 * returns MBD_BAD_INPUT where both lines and planes are there, or neither. */
mbd_status shape_of_vector(const mbd_spec *s, int a, int b, int vector, shape *out, mbd_error *err);

#endif
