/* Volume, centre and inertia of the body that a mesh encloses. */
#ifndef MBO_MESH_MASS_H
#define MBO_MESH_MASS_H

#include "mbd/status.h"

/* Reads the mesh of a file (STL or OBJ), whose coordinates times scale[3] are metres. Of the body of density 1 that its triangles enclose:
 * its volume, its centre, and its inertia about the centre along the axes of the file, by tetrahedra from one point to all triangles:
 *   V = sum a.(b x c)/6,   integral x x' dV = sum V_i/20 (a a' + b b' + c c' + s s'),   s = a + b + c
 * (F. Tonon, Explicit exact formulas for the 3-D tetrahedron inertia tensor, J. Math. Stat. 1 (2005) 8-11). It is exact for closed meshes
 * whose triangles all have their corners counter-clockwise from outside, or all clockwise. MBD_BAD_INPUT: "FILE: ..."; it cannot be read,
 * or encloses no volume. */
mbd_status mesh_mass(const char *path, const double scale[3], double *volume, double centre[3], double inertia[9],
                     mbd_error *err);

#endif
