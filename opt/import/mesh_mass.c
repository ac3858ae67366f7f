#include "import/mesh_mass.h"

#include <math.h>
#include <string.h>

#include "base/v3.h"
#include "config/mesh_file.h"

/* Adds a tetrahedron: its volume, the moment of its volume, the integral of x x'. Its fourth corner is the origin. */
static void add_tetrahedron(const double corner[3][3], double *volume, double moment[3], double square[9]) {
  double normal[3], sum[3];
  v3_cross(normal, corner[1], corner[2]);
  const double v = v3_dot(corner[0], normal) / 6;
  v3_add(sum, corner[0], corner[1]);
  v3_add(sum, sum, corner[2]);
  *volume += v;
  v3_axpy(moment, v / 4, sum);
  for (int i = 0; i < 9; i++) {
    double products = sum[i / 3] * sum[i % 3];
    for (int k = 0; k < 3; k++) { products += corner[k][i / 3] * corner[k][i % 3]; }
    square[i] += v / 20 * products;
  }
}

/* The same of all triangles, in metres from the first point of the mesh, which keeps the digits of a mesh that is far from the origin. */
static void integrate(const mesh *m, const double scale[3], double *volume, double moment[3], double square[9]) {
  for (int i = 0; i < m->nface; i++) {
    double corner[3][3];
    for (int k = 0; k < 3; k++) {
      const double *point = m->point + 3 * m->face[3 * i + k];
      for (int x = 0; x < 3; x++) { corner[k][x] = scale[x] * (point[x] - m->point[x]); }
    }
    add_tetrahedron((const double(*)[3])corner, volume, moment, square);
  }
}

mbd_status mesh_mass(const char *path, const double scale[3], double *volume, double centre[3], double inertia[9],
                     mbd_error *err) {
  mesh m = {0};
  double moment[3] = {0, 0, 0}, square[9] = {0}, first[3] = {0, 0, 0};
  *volume = 0;
  MBD_TRY(mesh_read_fine(path, &m, err));
  if (m.npoint) {
    integrate(&m, scale, volume, moment, square);
    for (int x = 0; x < 3; x++) { first[x] = scale[x] * m.point[x]; }
  }
  mesh_free(&m);
  /* clockwise triangles have a negative volume, and so all its moments */
  const double sign = *volume < 0 ? -1 : 1;
  *volume *= sign;
  if (!(*volume > 0)) { MBD_FAIL(err, MBD_BAD_INPUT, "%.300s: the mesh encloses no volume", path); }
  for (int x = 0; x < 3; x++) { moment[x] *= sign / *volume; }
  /* C = integral x x' dV about the centre; I = tr(C) 1 - C */
  for (int i = 0; i < 9; i++) { square[i] = sign * square[i] - *volume * moment[i / 3] * moment[i % 3]; }
  const double trace = square[0] + square[4] + square[8];
  for (int i = 0; i < 9; i++) { inertia[i] = (i % 4 == 0 ? trace : 0) - square[i]; }
  v3_add(centre, first, moment);
  return MBD_OK;
}
