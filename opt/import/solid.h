/* Masses of solids: volumes of shapes with density 1, about their centres, and sums. */
#ifndef MBO_SOLID_H
#define MBO_SOLID_H

#include "import/robot.h"

/* A mass with its centre and its inertia about that. Initialize with {0}. */
typedef struct solid {
  double mass, com[3], inertia[9]; /* [kg], [m], [kg m^2] */
} solid;

/* Adds a part, whose frame has the pose `at` in that of s. */
void solid_add(solid *s, const solid *part, const robot_pose *at);

void solid_diagonal(double I[9], double x, double y, double z);

/* Half lengths of an ellipsoid, of a box; radius and half length of a cylinder along z, of one with two half balls. */
void solid_ellipsoid(const double size[3], solid *s);
void solid_box(const double size[3], solid *s);
void solid_cylinder(const double size[3], solid *s);
void solid_capsule(const double size[3], solid *s);

#endif
