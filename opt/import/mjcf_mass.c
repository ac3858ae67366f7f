#include "import/mjcf_mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/mesh_mass.h"
#include "import/robot_fill.h"

/* ---- <inertial> ---- */

mbd_status mjcf_read_inertial(const mjcf_file *f, const xml_element *e, solid *m) {
  const element_file *elements = &f->elements;
  solid own = {.mass = -1};
  robot_pose pose;
  double v[6];
  int ndiagonal, nfull;
  MBD_TRY(mjcf_pose(f, e, &pose));
  MBD_TRY(mjcf_number(f, e, "mass", &own.mass));
  if (own.mass < 0) { return element_fail(elements, e, "expected a mass >= 0"); }
  /* the matrix along the axes of its frame */
  MBD_TRY(mjcf_numbers(f, e, "diaginertia", 3, 3, v, &ndiagonal));
  if (ndiagonal) { solid_diagonal(own.inertia, v[0], v[1], v[2]); }
  MBD_TRY(mjcf_numbers(f, e, "fullinertia", 6, 6, v, &nfull));
  if (ndiagonal && nfull) { return element_fail(elements, e, "has diaginertia and fullinertia, expected one of them"); }
  if (!ndiagonal && !nfull) { return element_fail(elements, e, "has no diaginertia, nor fullinertia"); }
  if (nfull) {
    const double full[9] = {v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]};
    memcpy(own.inertia, full, sizeof full);
  }
  if (!robot_is_inertia(own.inertia)) {
    return element_fail(elements, e, "has a negative principal moment, expected a matrix of inertia");
  }
  *m = (solid){0};
  if (own.mass > 0) {
    solid_add(m, &own, &pose);
    return MBD_OK;
  }
  memcpy(m->com, pose.xyz, sizeof m->com);
  return MBD_OK;
}

/* ---- shapes ---- */

static const char *shape_at(int i) {
  static const char *const word[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                     "cylinder", "box",    "mesh",   "sdf"};
  return i < (int)(sizeof word / sizeof word[0]) ? word[i] : NULL;
}
typedef enum shape { PLANE, FIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, DISTANCE_FIELD } shape;

/* How many numbers `size` has, and how many of them are across the axis of the shape, before that along it. */
static int sizes(shape type) {
  return type == SPHERE ? 1 : type == CAPSULE || type == CYLINDER ? 2 : 3;
}

/* fromto: both ends of the axis, which give the middle, the direction, and the half length. */
static mbd_status read_ends(const mjcf_file *f, const xml_element *e, shape type, double size[3], robot_pose *pose) {
  double v[6], along[3], R[9];
  int n;
  MBD_TRY(mjcf_numbers(f, e, "fromto", 6, 6, v, &n));
  if (!n) { return MBD_OK; }
  if (type == SPHERE) { return element_fail(&f->elements, e, "has fromto, which a sphere cannot have"); }
  v3_sub(along, v + 3, v);
  const double length = sqrt(v3_dot(along, along));
  if (!(length > 1e-14)) { return element_fail(&f->elements, e, "fromto has no length"); }
  v3_scale(along, 1 / length, along);
  *pose = pose_identity();
  for (int i = 0; i < 3; i++) { pose->xyz[i] = (v[i] + v[3 + i]) / 2; }
  const double up[3] = {0, 0, along[2] < 0 ? -1 : 1}; /* the shape is the same with its axis turned over */
  m3_align(up, along, R);
  memcpy(pose->R, R, sizeof R);
  if (type == BOX || type == ELLIPSOID) {
    size[1] = size[0];
    size[2] = length / 2;
  } else {
    size[1] = length / 2;
  }
  return MBD_OK;
}

static mbd_status read_size(const mjcf_file *f, const xml_element *e, shape type, double size[3], robot_pose *pose) {
  int n;
  const char *ends;
  MBD_TRY(mjcf_numbers(f, e, "size", 1, 3, size, &n));
  MBD_TRY(mjcf_get(f, e, "fromto", &ends));
  if (ends && n >= 1) { n = 3; }
  MBD_TRY(read_ends(f, e, type, size, pose));
  if (n < sizes(type)) {
    return element_fail(&f->elements, e, "has %d numbers of size, expected %d of a %s", n, sizes(type),
                        shape_at((int)type));
  }
  for (int i = 0; i < sizes(type); i++) {
    if (!(size[i] > 0)) { return element_fail(&f->elements, e, "has a size of %g, expected numbers > 0", size[i]); }
  }
  return MBD_OK;
}

static mbd_status read_shape(const mjcf_file *f, const xml_element *e, shape type, solid *m, robot_pose *pose) {
  double size[3] = {0, 0, 0};
  MBD_TRY(read_size(f, e, type, size, pose));
  switch (type) {
    case SPHERE: solid_ellipsoid((const double[3]){size[0], size[0], size[0]}, m); break;
    case ELLIPSOID: solid_ellipsoid(size, m); break;
    case BOX: solid_box(size, m); break;
    case CYLINDER: solid_cylinder(size, m); break;
    default: solid_capsule(size, m); break;
  }
  return MBD_OK;
}

/* ---- meshes ---- */

/* Returns 1 if a <mesh> has this name: its own, or that of its file without folder and ending. */
static int is_called(const xml_element *mesh, const char *name) {
  const char *own = xml_get(mesh, "name"), *file = xml_get(mesh, "file");
  if (own || !file) { return own && strcmp(own, name) == 0; }
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
  const size_t n = dot ? (size_t)(dot - base) : strlen(base);
  return strlen(name) == n && strncmp(base, name, n) == 0;
}

static mbd_status find_mesh(const mjcf_file *f, const xml_element *e, const xml_element **mesh) {
  const char *name;
  mjcf_each at = {.section = "asset", .name = "mesh"};
  MBD_TRY(mjcf_get(f, e, "mesh", &name));
  if (!name) { return element_fail(&f->elements, e, "has no mesh"); }
  while ((*mesh = mjcf_next(f, &at)) != NULL) {
    if (is_called(*mesh, name)) { return MBD_OK; }
  }
  return element_fail(&f->elements, e, "mesh = \"%.80s\" is not known", name);
}

/* The file of the mesh that a geom names, in new memory, its scale, and the pose of the file's frame in that of the geom: by refpos and refquat, the
 * opposite. */
static mbd_status read_mesh_file(const mjcf_file *f, const xml_element *e, char **path, double scale[3],
                                 robot_pose *pose) {
  const xml_element *mesh;
  double quaternion[4] = {1, 0, 0, 0};
  robot_pose frame = pose_identity();
  MBD_TRY(find_mesh(f, e, &mesh));
  MBD_TRY(mjcf_numbers(f, mesh, "scale", 3, 3, scale, NULL));
  MBD_TRY(mjcf_numbers(f, mesh, "refpos", 3, 3, frame.xyz, NULL));
  MBD_TRY(mjcf_numbers(f, mesh, "refquat", 4, 4, quaternion, NULL));
  const char *file = xml_get(mesh, "file");
  if (!file) { return element_fail(&f->elements, mesh, "has no file, expected one, or bodies with <inertial>"); }
  pose_quaternion(quaternion, frame.R);
  *pose = pose_inverse(&frame);
  return mjcf_mesh_path(f, mesh, file, path);
}

/* Volume and inertia of the mesh that a geom names, in the frame of the geom: that of the mesh's file, or of refpos and refquat. */
static mbd_status read_mesh(const mjcf_file *f, const xml_element *e, solid *m) {
  solid own = {0};
  robot_pose frame = pose_identity();
  double scale[3] = {1, 1, 1};
  char *path;
  mbd_error why = {0};
  MBD_TRY(read_mesh_file(f, e, &path, scale, &frame));
  const mbd_status status = mesh_mass(path, scale, &own.mass, own.com, own.inertia, &why);
  free(path);
  if (status == MBD_NO_MEMORY) { return mjcf_no_memory(f); }
  if (status != MBD_OK) {
    return element_fail(&f->elements, e, "has a mass by the volume of its mesh: %.300s", why.text);
  }
  solid_add(m, &own, &frame);
  return MBD_OK;
}

/* ---- geoms ---- */

/* Reads mass and density: the mass is 0 for none, -1 if it follows from the density. */
static mbd_status read_weight(const mjcf_file *f, const xml_element *e, double *mass, double *density) {
  double group = 0;
  *mass = -1, *density = 1000;
  MBD_TRY(mjcf_number(f, e, "group", &group));
  MBD_TRY(mjcf_number(f, e, "mass", mass));
  MBD_TRY(mjcf_number(f, e, "density", density));
  if (*mass < 0 && xml_get(e, "mass")) { return element_fail(&f->elements, e, "expected a mass >= 0"); }
  if (*density < 0) { return element_fail(&f->elements, e, "expected a density >= 0"); }
  if (group < f->compiler.group[0] || group > f->compiler.group[1] || (*mass < 0 && *density == 0)) { *mass = 0; }
  return MBD_OK;
}

mbd_status mjcf_add_geom(const mjcf_file *f, const xml_element *e, const robot_pose *around, solid *m) {
  int type = SPHERE;
  double mass, density;
  robot_pose pose;
  solid own = {0};
  const char *mesh;
  MBD_TRY(mjcf_word(f, e, "type", shape_at, &type));
  MBD_TRY(mjcf_get(f, e, "mesh", &mesh));
  MBD_TRY(read_weight(f, e, &mass, &density));
  if (type == PLANE || type == FIELD || mass == 0) { return MBD_OK; }
  /* the shape with density 1 */
  MBD_TRY(mjcf_pose(f, e, &pose));
  if (type == DISTANCE_FIELD || (mesh && type != MESH)) {
    return element_fail(&f->elements, e, "has a mass by a %s, expected a body with <inertial>",
                        type == DISTANCE_FIELD ? "field of distances" : "shape that is fitted to a mesh");
  }
  if (type == MESH) {
    MBD_TRY(read_mesh(f, e, &own));
  } else {
    MBD_TRY(read_shape(f, e, (shape)type, &own, &pose));
  }
  /* its own density, or that of its mass */
  if (mass > 0) { density = mass / own.mass; }
  if (!(own.mass > 0) || !isfinite(density)) { return element_fail(&f->elements, e, "has no volume"); }
  own.mass *= density;
  for (int i = 0; i < 9; i++) { own.inertia[i] *= density; }
  const robot_pose at = pose_product(around, &pose);
  solid_add(m, &own, &at);
  return MBD_OK;
}

/* ---- what is drawn ---- */

static mbd_status read_look(const mjcf_file *f, const xml_element *e, robot_look *look, double size[3],
                            robot_pose *pose, char **file) {
  static const robot_look looks[] = {
      [SPHERE] = ROBOT_SPHERE, [CAPSULE] = ROBOT_CAPSULE, [CYLINDER] = ROBOT_CYLINDER, [BOX] = ROBOT_BOX};
  double group = 0, colour[4] = {1, 1, 1, 1};
  int type = SPHERE;
  const char *mesh;
  *look = ROBOT_UNSEEN;
  MBD_TRY(mjcf_word(f, e, "type", shape_at, &type));
  MBD_TRY(mjcf_get(f, e, "mesh", &mesh));
  MBD_TRY(mjcf_number(f, e, "group", &group));
  MBD_TRY(mjcf_numbers(f, e, "rgba", 4, 4, colour, NULL));
  MBD_TRY(mjcf_pose(f, e, pose));
  if (group > 2 || colour[3] == 0) { return MBD_OK; } /* MuJoCo's program shows the groups 0 to 2 */
  if (mesh && type == MESH) {
    robot_pose frame;
    v3_set(size, 1, 1, 1);
    MBD_TRY(read_mesh_file(f, e, file, size, &frame));
    *pose = pose_product(pose, &frame);
    *look = ROBOT_MESH;
  }
  if (mesh || type == PLANE || type == FIELD || type == MESH || type == DISTANCE_FIELD) { return MBD_OK; }
  MBD_TRY(read_size(f, e, (shape)type, size, pose));
  const int is_ball = type == ELLIPSOID && size[0] == size[1] && size[0] == size[2];
  *look = type != ELLIPSOID ? looks[type] : is_ball ? ROBOT_SPHERE : ROBOT_BOX;
  if (*look == ROBOT_BOX) { v3_scale(size, 2, size); }
  if (type == CYLINDER || type == CAPSULE) { size[1] *= 2; }
  return MBD_OK;
}

mbd_status mjcf_add_look(const mjcf_file *f, const xml_element *e, const robot_pose *around, robot_link *link) {
  mbd_error ignored = {0};
  mjcf_file quiet = *f; /* what is only drawn is left out where it is wrong */
  robot_look look;
  double size[3] = {0, 0, 0};
  robot_pose pose;
  char *file = NULL;
  quiet.elements.err = &ignored;
  const mbd_status status = read_look(&quiet, e, &look, size, &pose, &file);
  const char *slash = strrchr(f->path[0], '/'); /* files are named from the folder of the robot's file on */
  const char *from_there = file ? file + (slash ? slash + 1 - f->path[0] : 0) : NULL;
  robot_shape *seen =
      status == MBD_OK && look != ROBOT_UNSEEN ? robot_add_shape(link, look, e->line, from_there) : NULL;
  free(file);
  if (seen) {
    seen->pose = pose_product(around, &pose);
    memcpy(seen->size, size, sizeof size);
  }
  return MEMORY_WHOLE(f->elements.err, "%s", f->path[0]);
}

/* ---- corrections ---- */

mbd_status mjcf_correct_mass(const mjcf_file *f, const xml_element *body, solid *m) {
  const mjcf_compiler *c = &f->compiler;
  double *I = m->inertia, rest[9];
  const double trace = I[0] + I[4] + I[8];
  m->mass = fmax(m->mass, c->bound_mass);
  /* the least principal moment is at least the bound if I - bound 1 has no negative eigenvalue */
  for (int i = 0; i < 9; i++) { rest[i] = I[i] - (i % 4 == 0 ? c->bound_inertia : 0); }
  if (c->bound_inertia > 0 && !robot_is_inertia(rest)) {
    if (I[1] != 0 || I[2] != 0 || I[5] != 0) {
      return element_fail(&f->elements, body,
                          "has a moment of inertia below boundinertia about a turned axis, expected "
                          "one above it");
    }
    for (int i = 0; i < 9; i += 4) { I[i] = fmax(I[i], c->bound_inertia); }
  }
  /* no principal moment is above the sum of the others if trace/2 1 - I has no negative eigenvalue */
  for (int i = 0; i < 9; i++) { rest[i] = (i % 4 == 0 ? trace / 2 : 0) - I[i]; }
  if (c->balance && !robot_is_inertia(rest)) { solid_diagonal(I, trace / 3, trace / 3, trace / 3); }
  return MBD_OK;
}
