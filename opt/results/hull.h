/* Convex hull of the few points of a body, for its picture. */
#ifndef MBO_HULL_H
#define MBO_HULL_H

enum { HULL_POINTS = 40, HULL_FACES = 2 * HULL_POINTS };

/* A flat piece of the hull: its corners in order, counter-clockwise from outside. */
typedef struct hull_face {
  int n, corner[HULL_POINTS];
  double normal[3]; /* unit, outwards */
  double offset;    /* normal . x on it */
} hull_face;

/* Finds the faces of the hull of n <= HULL_POINTS points; returns how many. Points in one plane have one face, points
 * on one line (to 1e-6 of their extent) none. */
int hull_faces(int n, const double (*x)[3], hull_face face[HULL_FACES]);

#endif
