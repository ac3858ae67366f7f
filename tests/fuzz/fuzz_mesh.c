/* Files of meshes: any bytes are read or refused, as STL and as OBJ; then every corner of a triangle is one of the points. */
#include <math.h>

#include "config/mesh_file.h"
#include "fuzz.h"

static void read_as(const char *folder, const char *name, const uint8_t *data, size_t size) {
  char path[100];
  mesh m;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  promise(out && fwrite(data, 1, size, out) == size && fclose(out) == 0, "a file", path);
  if (mesh_read(path, &m, &err) == MBD_OK) {
    promise(m.nface > 0 && m.nface <= MESH_TRIANGLES, "the number of triangles", name);
    for (int i = 0; i < 3 * m.nface; i++) { promise(m.face[i] >= 0 && m.face[i] < m.npoint, "a corner", name); }
    for (int i = 0; i < 3 * m.npoint; i++) { promise(isfinite(m.point[i]), "a coordinate", name); }
    mesh_free(&m);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char folder[60];
  if (!*folder) { fuzz_folder_make(folder); }
  read_as(folder, "mesh.stl", data, size);
  read_as(folder, "mesh.obj", data, size);
  fuzz_folder_empty(folder);
  return 0;
}
