/* Surfaces of triangles in files of other programs: STL, text or binary, and OBJ. */
#ifndef MBO_MESH_FILE_H
#define MBO_MESH_FILE_H

#include "mbd/status.h"

enum { MESH_FILE_MIB = 8, MESH_TRIANGLES = 20000 }; /* largest size of a file; triangles of all meshes of a model */

/* Initialize with {0}. */
typedef struct mesh {
  int npoint, nface;
  double *point; /* [npoint][3] in the unit of the file */
  int *face;     /* [nface][3] points, counter-clockwise from outside */
} mesh;

/* Reads a file whose name ends with .stl or .obj; of OBJ the lines v and f, whose polygons are cut into triangles from their first corner. There is
 * nothing to free after a failure. MBD_BAD_INPUT: "FILE:LINE: ..." or "FILE: ..."; MBD_IO_ERROR; MBD_NO_MEMORY. */
mbd_status mesh_read(const char *path, mesh *m, mbd_error *err);
mbd_status mesh_read_fine(const char *path, mesh *m, mbd_error *err); /* of any number of triangles: it is not drawn */
void mesh_free(mesh *m);

#endif
