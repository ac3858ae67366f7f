/* Shapes of bodies for pictures. They have no mass and touch nothing: their numbers are coefficients that no element reads, so they follow the
 * design, and parts turn and mirror them as everything else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"

static const model_key shape_keys[] = {
    KEY_WORD(
        "type", NULL,
        "box, sphere, cylinder, disc (a flat cylinder), capsule (a cylinder with round ends) or mesh (triangles of "
        "a file)",
        [MODEL_BOX] = "box", [MODEL_CYLINDER] = "cylinder", [MODEL_DISC] = "disc", [MODEL_SPHERE] = "sphere",
        [MODEL_CAPSULE] = "capsule", [MODEL_MESH] = "mesh"),
    KEY("body", "name", NULL, "", "the body that it is drawn with, in place of lines between its points; or ground"),
    KEY_VECTOR(LOAD_PLACE, "at", "x, y, z", "0, 0, 0", "m",
               "its middle in the frame of the body, as `com` of a body; of a mesh: the origin of the file"),
    KEY("point", "name", "", "", "or a point of the body"),
    KEY("turn", "x, y, z", "0, 0, 0", "rad",
        "angles by which the shape is turned, first about the x axis, then about y, then about z, all of the body; no "
        "scalar that they use can vary"),
    KEY("points", "two names", "", "",
        "cylinder, disc, capsule: its ends, points of the body, in place of `at`, `along` and `length`"),
    KEY_VECTOR(
        LOAD_DIRECTION, "along", "x, y, z", "", "-",
        "cylinder, disc, capsule: its axis, z without it; box: the direction of the first of its sizes, x without "
        "it"),
    KEY("axis", "name", "", "", "or a vector of the body"),
    KEY_NUMBERS(3, 0, "size", "x, y, z", "", "m", "box: lengths of its edges"),
    KEY_NUMBERS(1, 0, "radius", "expression", "", "m", "cylinder, disc, sphere, capsule"),
    KEY_NUMBERS(
        1, 0, "length", "expression", "", "m",
        "cylinder, disc, capsule (without its ends): along the axis; of a disc without it a fifth of the radius"),
    KEY("file", "path", "", "",
        "mesh: a file of STL (text or binary) or OBJ (lines v and f), found relative to the model file; at most 8 MiB, "
        "and 20000 triangles in all meshes of a model"),
    KEY_NUMBERS(1, 0, "scale", "expression", "1", "-", "mesh: the unit of its file, in that of the model file"),
    KEY_END,
};

static mbd_status read_shape(loader *l, const model_section *section, ini_section *s);

const model_section model_section_shape = {
    "shape",
    "What a body looks like in the pictures and animations of pages. Shapes have no mechanical effect: no mass, no "
    "contact. A body without shapes is drawn by its points.",
    .named = 1, .key = shape_keys, .read = read_shape};

/* Keys of each type beside `type`, `body`, `at`, `point` and `turn`. */
static const char *const keys_of[] = {
    [MODEL_BOX] = "size, along, axis",
    [MODEL_CYLINDER] = "radius, length, along, axis, points",
    [MODEL_DISC] = "radius, length, along, axis, points",
    [MODEL_SPHERE] = "radius",
    [MODEL_CAPSULE] = "radius, length, along, axis, points",
    [MODEL_MESH] = "file, scale",
};

static int has_key(int type, const char *key) {
  const char *found = strstr(keys_of[type], key), *end = found ? found + strlen(key) : NULL;
  return end && (*end == ',' || *end == '\0');
}

/* A key of another type is no misspelt one. The first five belong to all types. */
static mbd_status check_keys(loader *l, ini_section *s, int type) {
  for (const model_key *k = &shape_keys[5]; k->key; k++) {
    const ini_entry *e = ini_find_entry(s, k->key);
    if (!e || has_key(type, k->key)) { continue; }
    return load_fail(l, s, e, "a %s has no '%s', expected at or point, turn, %s", shape_keys[0].word[type], k->key,
                     keys_of[type]);
  }
  return MBD_OK;
}

/* At most one of these keys. */
static mbd_status check_one_of(loader *l, const ini_section *s, const char *const *keys) {
  const ini_entry *before = NULL;
  for (; *keys; keys++) {
    const ini_entry *e = ini_find_entry(s, *keys);
    if (e && before) { return load_fail(l, s, e, "expected either '%s' or '%s', not both", before->key, e->key); }
    before = e ? e : before;
  }
  return MBD_OK;
}

/* ---- points and vectors of the body ---- */

/* The first of the three coefficients of a point or vector on the body of the shape. */
static mbd_status find_marker(loader *l, const ini_section *s, const ini_entry *e, const char *kind, const char *name,
                              const char *body, int *first) {
  char *full, *coefficient, hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  MBD_TRY(load_name(l, kind, name, &full));
  coefficient = mbd_sprintf_dup("%s.%s@%s.x", kind, full, body);
  *first = -1;
  for (int k = 0; coefficient && k < l->m->ncoef && *first < 0; k++) {
    if (strcmp(mbd_spec_coef_name(l->m->spec, k), coefficient) == 0) { *first = k; }
  }
  const int is_known = load_find(l, kind, full) != NULL, whole = coefficient != NULL;
  free(coefficient), free(full);
  if (!whole) { return load_no_memory(l); }
  if (*first >= 0) { return MBD_OK; }
  if (is_known) { return load_fail(l, s, e, "%s '%s' is not given on body '%s'", kind, name, body); }
  for (const model_part *p = l->p; p; p = p->outer) { ini_offer_names(&p->f, kind, &near); }
  return load_fail(l, s, e, "%s '%s' is not known%s", kind, name, mbd_nearest_text(&near, hint, sizeof hint));
}

static mbd_status find_ends(loader *l, const ini_section *s, const ini_entry *e, model_shape *shape) {
  char **name;
  MBD_TRY(load_names(l, s, e, 2, "points", "the ends of the shape", &name));
  mbd_status status = MBD_OK;
  for (int i = 0; i < 2 && status == MBD_OK; i++) {
    status = find_marker(l, s, e, "point", name[i], shape->body, &shape->at[i]);
  }
  text_list_free(name, 2);
  return status;
}

/* ---- a section ---- */

static mbd_status read_place(loader *l, const model_section *section, ini_section *s, model_shape *shape) {
  static const char *const places[] = {"at", "point", "points", NULL};
  const ini_entry *point = ini_get(s, "point"), *ends = ini_get(s, "points");
  MBD_TRY(check_one_of(l, s, places));
  if (ends) { return find_ends(l, s, ends, shape); }
  if (point) { return find_marker(l, s, point, "point", point->value, shape->body, &shape->at[0]); }
  return load_numbers(l, section, s, "at", &shape->at[0]);
}

static mbd_status read_direction(loader *l, const model_section *section, ini_section *s, model_shape *shape) {
  static const char *const directions[] = {"points", "along", "axis", NULL};
  const ini_entry *axis = ini_get(s, "axis"), *along = ini_find_entry(s, "along");
  MBD_TRY(check_one_of(l, s, directions));
  if (axis) { MBD_TRY(find_marker(l, s, axis, "vector", axis->value, shape->body, &shape->along)); }
  if (along) { MBD_TRY(load_numbers(l, section, s, "along", &shape->along)); }
  double length = 0;
  for (int i = 0; shape->along >= 0 && i < 3; i++) {
    const double u = mbd_spec_nominal(l->m->spec, shape->along + i);
    length += u * u;
  }
  return shape->along < 0 || length > 0 ? MBD_OK : load_fail(l, s, axis ? axis : along, "a direction of length zero");
}

static mbd_status read_required(loader *l, const model_section *section, ini_section *s, const char *key, int *first) {
  ini_entry *e;
  MBD_TRY(load_required(l, section, s, key, &e));
  return load_numbers(l, section, s, key, first);
}

static mbd_status read_sizes(loader *l, const model_section *section, ini_section *s, model_shape *shape) {
  static const char *const lengths[] = {"points", "length", NULL};
  if (shape->type == MODEL_BOX) { return read_required(l, section, s, "size", &shape->size[0]); }
  MBD_TRY(read_required(l, section, s, "radius", &shape->size[0]));
  MBD_TRY(check_one_of(l, s, lengths));
  const int open = shape->type == MODEL_SPHERE || shape->at[1] >= 0;
  if (open || (shape->type == MODEL_DISC && !ini_find_entry(s, "length"))) { return MBD_OK; }
  return read_required(l, section, s, "length", &shape->size[1]);
}

/* Reads the file, turns its points as the part is turned, and gives them in m for a scale of 1. A mirror exchanges inside and outside, and so corners. */
static mbd_status read_mesh(loader *l, const model_section *section, ini_section *s, model_shape *shape) {
  const mbo_model_file *m = l->m;
  mesh *of = &shape->mesh;
  ini_entry *e;
  MBD_TRY(load_required(l, section, s, "file", &e));
  MBD_TRY(load_numbers(l, section, s, "scale", &shape->size[0]));
  char *path = ini_beside(l->f->path, e->value);
  if (!path) { return load_no_memory(l); }
  const mbd_status status = load_located(l, s, e, mesh_read(path, of, l->err));
  free(path);
  MBD_TRY(status);
  int triangles = 0;
  for (int i = 0; i < m->nshape; i++) { triangles += m->shape[i].mesh.nface; }
  if (triangles > MESH_TRIANGLES) {
    return load_fail(l, s, e, "the meshes of the model have %d triangles so far, expected at most %d in all", triangles,
                     MESH_TRIANGLES);
  }
  for (int i = 0; i < of->npoint; i++) {
    double *x = of->point + 3 * i, turned[3];
    for (int k = 0; k < 3; k++) {
      const double *row = shape->frame + 3 * k;
      turned[k] = l->p->length * (row[0] * x[0] + row[1] * x[1] + row[2] * x[2]);
    }
    memcpy(x, turned, sizeof turned);
  }
  for (int *face = of->face; l->p->place.mirrored && face < of->face + 3 * of->nface; face += 3) {
    const int corner = face[0];
    face[0] = face[2], face[2] = corner;
  }
  return MBD_OK;
}

/* C = A B of numbers of files, which are real in complex builds, too. */
static void mul_real(double *C, const double *A, const double *B) {
  for (int i = 0; i < 9; i++) {
    C[i] = A[i / 3 * 3] * B[i % 3] + A[i / 3 * 3 + 1] * B[3 + i % 3] + A[i / 3 * 3 + 2] * B[6 + i % 3];
  }
}

static mbd_status read_shape(loader *l, const model_section *section, ini_section *s) {
  mbo_model_file *m = l->m;
  ini_entry *type, *body;
  int which;
  MBD_TRY(load_required(l, section, s, "type", &type));
  MBD_TRY(load_word(l, section, s, "type", &which));
  MBD_TRY(load_required(l, section, s, "body", &body));
  MBD_TRY(check_keys(l, s, which));
  model_shape *grown = mbd_list_grow(m->shape, m->nshape, sizeof *grown);
  if (!grown) { return load_no_memory(l); }
  m->shape = grown;
  model_shape *shape = &grown[m->nshape++];
  *shape = (model_shape){
      .name = mbd_strdup(l->name), .type = (model_shape_type)which, .at = {-1, -1}, .along = -1, .size = {-1, -1}};
  if (!shape->name) { return load_no_memory(l); }
  double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  MBD_TRY(load_turn(l, s, "shape", l->name, turn));
  mul_real(shape->frame, l->p->place.M, turn);
  MBD_TRY(load_body_name(l, s, body, body->value, &shape->body));
  MBD_TRY(read_place(l, section, s, shape));
  if (which == MODEL_MESH) { return read_mesh(l, section, s, shape); }
  MBD_TRY(read_direction(l, section, s, shape));
  return read_sizes(l, section, s, shape);
}
