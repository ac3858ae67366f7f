#include "results/shapes.h"

#include <math.h>
#include <string.h>

#include "base/v3.h"
#include "files/json.h"
#include "mbd/picture.h"

/* The number of a body; -1: the ground. */
static int body_of(const mbd_model *model, const char *name) {
  mbd_body_report report;
  for (int i = 1; i <= mbd_model_nbody(model); i++) {
    mbd_model_body(model, i, &report);
    if (strcmp(report.name, name) == 0) { return i - 1; }
  }
  return -1;
}

/* axes[0] := u, and two unit vectors normal to it, the first of them as near to the second axis of the part as possible. 0: u is zero. */
static int set_axes(const double u[3], const double frame[9], double axes[3][3]) {
  const double length = sqrt(v3_dot(u, u));
  if (!(length > 0)) { return 0; }
  for (int i = 0; i < 3; i++) { axes[0][i] = u[i] / length; }
  for (int second = 1; second <= 2; second++) {
    const double beside[3] = {frame[second], frame[3 + second], frame[6 + second]}, on = v3_dot(axes[0], beside);
    for (int i = 0; i < 3; i++) { axes[1][i] = beside[i] - on * axes[0][i]; }
    const double left = sqrt(v3_dot(axes[1], axes[1]));
    for (int i = 0; i < 3 && left > 0; i++) { axes[1][i] /= left; }
    if (left > 1e-3) { break; }
  }
  v3_cross(axes[2], axes[0], axes[1]);
  return 1;
}

/* Has a number of the shape no value at the design? */
static int is_missing(const mbo_model_file *f, const model_shape *s) {
  const int first[] = {s->at[0], s->at[1], s->along, s->size[0], s->size[1]},
            count[] = {3, 3, 3, s->type == MODEL_BOX ? 3 : 1, 1};
  for (int i = 0; i < 5; i++) {
    for (int k = 0; first[i] >= 0 && k < count[i]; k++) {
      if (f->line[first[i] + k].missing) { return 1; }
    }
  }
  return 0;
}

/* One shape with the number of its mesh. NULL: it has no extent. */
static json_t *describe(const model_shape *s, const double *theta, const mbd_params *params, int body, int number) {
  static const char *const kinds[] = {
      [MODEL_BOX] = "box",       [MODEL_CYLINDER] = "cylinder", [MODEL_DISC] = "cylinder",
      [MODEL_SPHERE] = "sphere", [MODEL_CAPSULE] = "capsule",   [MODEL_MESH] = "mesh"};
  const int first = s->type == MODEL_BOX ? 0 : 2; /* the part's axis that is the shape's, without another direction */
  double at[3], u[3], com[3] = {0, 0, 0}, axes[3][3];
  /* The axis: between two points, a direction, or an axis of the part. */
  memcpy(at, theta + s->at[0], sizeof at);
  for (int i = 0; i < 3; i++) {
    u[i] = s->at[1] >= 0 ? theta[s->at[1] + i] - at[i] : s->along >= 0 ? theta[s->along + i] : s->frame[3 * i + first];
  }
  const double between = sqrt(v3_dot(u, u));
  if (!set_axes(u, s->frame, axes)) { return NULL; }
  /* Its middle, from the centre of mass. */
  for (int i = 0; i < 3 && s->at[1] >= 0; i++) { at[i] += u[i] / 2; }
  if (body >= 0) { mbd_params_com(params, body + 1, com); }
  v3_sub(at, at, com);
  json_t *size = json_array();
  const double *a = theta + s->size[0];
  for (int i = 0; i < (s->type == MODEL_BOX ? 3 : 1); i++) { json_array_append_new(size, json_real(a[i])); }
  if (s->type != MODEL_BOX && s->type != MODEL_MESH) {
    const double flat = s->type == MODEL_DISC ? a[0] / 5 : 0;
    json_array_append_new(size, json_real(s->at[1] >= 0 ? between : s->size[1] >= 0 ? theta[s->size[1]] : flat));
  }
  json_t *one = json_pack("{s:s, s:i, s:s, s:o, s:[o,o,o], s:o}", "name", s->name, "body", body, "kind", kinds[s->type],
                          "at", json_numbers(at, 3), "axes", json_numbers(axes[0], 3), json_numbers(axes[1], 3),
                          json_numbers(axes[2], 3), "size", size);
  if (s->type == MODEL_MESH) { json_object_set_new(one, "mesh", json_integer(number)); }
  return one;
}

json_t *shapes_describe(const mbo_model_file *f, const double *theta, const mbd_params *params,
                        const mbd_model *model) {
  json_t *list = json_array();
  for (int i = 0, meshes = 0; i < f->nshape; i++) {
    const model_shape *s = &f->shape[i];
    json_t *one = is_missing(f, s) ? NULL : describe(s, theta, params, body_of(model, s->body), meshes);
    if (one) { json_array_append_new(list, one); }
    meshes += s->type == MODEL_MESH;
  }
  return list;
}

json_t *shapes_missing(const mbo_model_file *f) {
  json_t *list = json_array();
  for (int i = 0; i < f->nshape; i++) {
    if (is_missing(f, &f->shape[i])) { json_array_append_new(list, json_text(f->shape[i].name)); }
  }
  return list;
}

/* The points as integers, of which the largest has five digits. */
static json_t *mesh_data(const model_shape *s) {
  const mesh *m = &s->mesh;
  json_t *points = json_array(), *faces = json_array();
  double max = 0;
  for (int i = 0; i < 3 * m->npoint; i++) { max = fmax(max, fabs(m->point[i])); }
  const double unit = max > 0 ? max / 99999 : 1;
  for (int i = 0; i < 3 * m->npoint; i++) { json_array_append_new(points, json_integer(llround(m->point[i] / unit))); }
  for (int i = 0; i < 3 * m->nface; i++) { json_array_append_new(faces, json_integer(m->face[i])); }
  return json_pack("{s:f, s:o, s:o}", "unit", unit, "points", points, "faces", faces);
}

json_t *shapes_meshes(const mbo_model_file *f) {
  json_t *list = json_array();
  for (int i = 0; i < f->nshape; i++) {
    if (f->shape[i].type == MODEL_MESH) { json_array_append_new(list, mesh_data(&f->shape[i])); }
  }
  return list;
}
