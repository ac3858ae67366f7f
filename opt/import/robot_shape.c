#include "import/robot_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/v3.h"
#include "config/mesh_file.h"
#include "files/memory.h"
#include "import/mesh_mass.h"
#include "import/robot_fill.h"
#include "import/solid.h"

/* ---- paths ---- */

/* The path without links of the file system, in new memory, of which the last folders need not exist; NULL: no memory, or no such path. */
static char *real_path(const char *path) {
  char *real = realpath(path, NULL);
  if (real || !*path || strcmp(path, "/") == 0) { return real; }
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *parent = mbd_strndup(slash ? path : ".", slash ? (size_t)(slash - path) + (slash == path) : 1);
  char *around = parent ? real_path(parent) : NULL;
  if (around) { real = mbd_sprintf_dup("%s/%s", strcmp(around, "/") == 0 ? "" : around, name); }
  free(parent), free(around);
  return real;
}

/* Returns 1 for a path of the folder or below it; both are real paths. */
static int is_in(const char *path, const char *folder) {
  const size_t n = strlen(folder);
  return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0' || (n > 0 && folder[n - 1] == '/'));
}

/* The real path `to` as seen from the real path of a folder, in new memory. */
static char *seen_from(const char *folder, const char *to) {
  size_t same = 0, up = 0; /* what both have of whole folders; folders to leave */
  for (size_t i = 0; to[i]; i++) {
    if (to[i] == '/' && (folder[i] == '/' || folder[i] == '\0')) { same = i + 1; }
    if (folder[i] != to[i]) { break; }
  }
  const char *rest = strlen(folder) < same ? "" : folder + same;
  for (const char *c = rest; *c; c++) { up += c == rest || (*c == '/' && c[1]); }
  char *path = mbd_strdup(to + same);
  for (size_t i = 0; i < up && path; i++) {
    char *longer = mbd_sprintf_dup("../%s", path);
    free(path);
    path = longer;
  }
  return path;
}

/* ---- files of meshes ---- */

typedef struct mesh_search {
  robot *r;
  double density;
  solid *volume;                        /* of the shapes of the present link; NULL: it has its mass */
  char *beside, *root, *packages, *out; /* real paths: the folder of the robot's file; the others as of robot_folders */
  int triangles;                        /* of all meshes that are drawn */
  mbd_error *err;
} mesh_search;

/* The real path of FOLDER/name if it is a file in the folders of the search, in new memory. */
static char *try_file(const mesh_search *s, const char *folder, const char *name) {
  struct stat is;
  char *path = mbd_sprintf_dup("%s/%s", folder, name), *real = path ? realpath(path, NULL) : NULL;
  free(path);
  const int inside = real && (is_in(real, s->root) || (s->packages && is_in(real, s->packages)));
  if (inside && stat(real, &is) == 0 && S_ISREG(is.st_mode)) { return real; }
  free(real);
  return NULL;
}

/* PACKAGE/PATH in a folder that holds the package, or that is the package itself. */
static char *try_package(const mesh_search *s, const char *folder, const char *name) {
  const size_t n = strcspn(name, "/");
  const char *slash = strrchr(folder, '/'), *own = slash ? slash + 1 : folder;
  char *found = try_file(s, folder, name);
  if (found || strlen(own) != n || strncmp(own, name, n) != 0 || !name[n]) { return found; }
  return try_file(s, folder, name + n + 1);
}

/* The real path of a mesh, in new memory; NULL: there is none in the folders. */
static char *find_file(const mesh_search *s, const char *file) {
  static const char *const schemes[] = {"package://", "model://", NULL};
  const char *package = NULL;
  for (int i = 0; schemes[i]; i++) {
    if (strncmp(file, schemes[i], strlen(schemes[i])) == 0) { package = file + strlen(schemes[i]); }
  }
  if (!package) {
    const char *plain = strncmp(file, "file://", 7) == 0 ? file + 7 : file;
    return try_file(s, *plain == '/' ? "" : s->beside, *plain == '/' ? plain + 1 : plain);
  }
  char *found = s->packages ? try_package(s, s->packages, package) : NULL;
  char *folder = mbd_strdup(s->beside);
  while (folder && !found && is_in(folder, s->root)) {
    found = try_package(s, folder, package);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) { break; }
    *slash = '\0';
  }
  free(folder);
  return found;
}

/* ---- what is drawn in place of a mesh ---- */

static mbd_status warn(const mesh_search *s, const robot_link *link, const robot_shape *shape, const char *what) {
  char place[600];
  snprintf(place, sizeof place, "%.300s:%d: link '%.100s' ", s->r->path, shape->line, link->name);
  MEMORY_TRY(robot_warn(s->r, place, what), s->err, "%s", s->r->path);
  return MBD_OK;
}

/* Draws a link of which no shape could be read as a box with its moments of inertia about its axes, m/12 (b^2 + c^2). */
static void draw_inertia(const robot_link *link) {
  const double *I = link->inertia;
  robot_shape *shape = link->shape;
  for (int i = 0; i < link->nshape; i++) {
    if (link->mass <= 0 || shape[i].type != ROBOT_UNSEEN) { return; }
  }
  if (link->nshape == 0) { return; }
  shape->type = ROBOT_BOX;
  shape->pose = (robot_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  v3_copy(shape->pose.xyz, link->com);
  for (int i = 0; i < 3; i++) { shape->size[i] = sqrt(fmax(0, 6 * (I[0] + I[4] + I[8] - 2 * I[4 * i]) / link->mass)); }
}

/* A box around the points of a mesh. */
static void draw_extents(const mesh *m, robot_shape *shape) {
  double min[3], max[3], middle[3], at[3];
  for (int k = 0; k < 3; k++) {
    min[k] = max[k] = m->point[k];
    for (int i = 1; i < m->npoint; i++) {
      min[k] = fmin(min[k], m->point[3 * i + k]), max[k] = fmax(max[k], m->point[3 * i + k]);
    }
    middle[k] = shape->size[k] * (min[k] + max[k]) / 2;
    shape->size[k] = fabs(shape->size[k]) * (max[k] - min[k]);
  }
  m3_vec(at, shape->pose.R, middle);
  v3_add(shape->pose.xyz, shape->pose.xyz, at);
  shape->type = ROBOT_BOX;
}

/* Takes a mesh, of which all points have one factor, or the box around it. */
static mbd_status take_mesh(mesh_search *s, const robot_link *link, robot_shape *shape, const char *path) {
  enum { PATH_MAX_IN_LINE = 150 };
  static const char too_fine[] =
      "has a mesh that is drawn as the box around it: the meshes have too many triangles, a mirror or three scales";
  mesh m;
  mbd_error why = {0};
  const mbd_status status = mesh_read_fine(path, &m, &why);
  if (status == MBD_NO_MEMORY) { return MEMORY_NONE(s->err, "%s", path); }
  if (status != MBD_OK) {
    shape->type = ROBOT_UNSEEN;
    return warn(s, link, shape,
                "has a mesh that is not read, as STL and OBJ up to 8 MiB are; where nothing else is seen of a link, "
                "it is a box with its moments of inertia");
  }
  const double *factor = shape->size;
  shape->path = seen_from(s->out, path);
  const int is_alike = factor[0] > 0 && factor[1] == factor[0] && factor[2] == factor[0],
            is_named = shape->path && strlen(shape->path) < PATH_MAX_IN_LINE && !strpbrk(shape->path, ";#\"\\\n\r");
  const int fits = s->triangles + m.nface <= MESH_TRIANGLES && is_alike && is_named;
  if (fits) {
    s->triangles += m.nface;
  } else {
    draw_extents(&m, shape);
  }
  mesh_free(&m);
  MBD_TRY(MEMORY_WHOLE(s->err, "%s", path));
  return fits ? MBD_OK : warn(s, link, shape, too_fine);
}

/* ---- masses ---- */

static mbd_status add_mesh(const mesh_search *s, const robot_link *link, const robot_shape *shape, const char *path) {
  solid part = {0};
  mbd_error why = {0};
  if (!s->volume) { return MBD_OK; }
  const mbd_status status = mesh_mass(path, shape->size, &part.mass, part.com, part.inertia, &why);
  if (status == MBD_NO_MEMORY) { return MEMORY_NONE(s->err, "%s", path); }
  if (status != MBD_OK) { return warn(s, link, shape, "has a mesh without volume, of which no mass can be computed"); }
  solid_add(s->volume, &part, &shape->pose);
  return MBD_OK;
}

static void add_shape(const mesh_search *s, const robot_shape *shape) {
  const double *size = shape->size;
  const double half[3] = {size[0] / 2, size[1] / 2, size[2] / 2}, round[3] = {size[0], size[1] / 2},
               ball[3] = {size[0], size[0], size[0]};
  solid part = {0};
  switch (shape->type) {
    case ROBOT_BOX: solid_box(half, &part); break;
    case ROBOT_SPHERE: solid_ellipsoid(ball, &part); break;
    case ROBOT_CYLINDER: solid_cylinder(round, &part); break;
    case ROBOT_CAPSULE: solid_capsule(round, &part); break;
    case ROBOT_MESH:
    case ROBOT_UNSEEN: break;
  }
  if (s->volume) { solid_add(s->volume, &part, &shape->pose); }
}

static void set_mass(const mesh_search *s, robot_link *link) {
  link->mass = s->density * s->volume->mass;
  v3_copy(link->com, s->volume->com);
  for (int i = 0; i < 9; i++) { link->inertia[i] = s->density * s->volume->inertia[i]; }
}

/* ---- a mesh of a link ---- */

static mbd_status find_mesh(mesh_search *s, const robot_link *link, robot_shape *shape) {
  char *path = find_file(s, shape->file);
  MBD_TRY(MEMORY_WHOLE(s->err, "%s", s->r->path));
  if (!path) {
    shape->type = ROBOT_UNSEEN;
    return warn(s, link, shape,
                "has a mesh that is not in the folder which was given, or below, in which --packages DIR includes "
                "another; where "
                "nothing else is seen of a link, it is a box with its moments of inertia");
  }
  mbd_status status = add_mesh(s, link, shape, path);
  if (status == MBD_OK) { status = take_mesh(s, link, shape, path); }
  free(path);
  return status;
}

static mbd_status find_of_link(mesh_search *s, robot_link *link) {
  solid volume = {0};
  s->volume = s->density > 0 && link->mass == 0 && link->joint >= 0 ? &volume : NULL;
  for (int k = 0; k < link->nshape; k++) {
    if (link->shape[k].type == ROBOT_MESH) {
      MBD_TRY(find_mesh(s, link, &link->shape[k]));
    } else {
      add_shape(s, &link->shape[k]);
    }
  }
  if (s->volume && volume.mass > 0) { set_mass(s, link); }
  draw_inertia(link);
  return MBD_OK;
}

mbd_status robot_find_meshes(robot *r, const robot_folders *folders, mbd_error *err) {
  const char *slash = strrchr(r->path, '/');
  char *beside = slash ? mbd_strndup(r->path, (size_t)(slash - r->path) + (slash == r->path)) : mbd_strdup(".");
  mesh_search s = {.r = r, .density = folders->density, .err = err};
  s.beside = beside ? real_path(beside) : NULL;
  s.root = folders->root ? real_path(folders->root) : s.beside ? mbd_strdup(s.beside) : NULL;
  s.packages = folders->packages ? real_path(folders->packages) : NULL;
  s.out = real_path(folders->out);
  mbd_status status = s.beside && s.root && s.out ? MBD_OK : MEMORY_NONE(err, "%s", r->path);
  for (int i = 0; i < r->nlink && status == MBD_OK; i++) { status = find_of_link(&s, &r->link[i]); }
  free(beside), free(s.beside), free(s.root), free(s.packages), free(s.out);
  return status;
}

/* ---- writing ---- */

static void write_numbers(FILE *out, const char *key, int n, const double *v) {
  fprintf(out, "%s = ", key);
  for (int i = 0; i < n; i++) {
    if (i) { fputs(", ", out); }
    robot_number(out, v[i]);
  }
  fputc('\n', out);
}

static void write_shape(const robot_link *link, const robot_shape *shape, FILE *out) {
  static const char *const types[] = {[ROBOT_BOX] = "box",
                                      [ROBOT_SPHERE] = "sphere",
                                      [ROBOT_CYLINDER] = "cylinder",
                                      [ROBOT_CAPSULE] = "capsule",
                                      [ROBOT_MESH] = "mesh"};
  double at[3], R[9], turn[3];
  m3_vec(at, link->turn, shape->pose.xyz);
  m3_mul(R, link->turn, shape->pose.R);
  robot_angles(R, turn);
  fprintf(out, "\n[shape %s]\ntype = %s\nbody = %s\n", shape->name, types[shape->type], link->body);
  if (v3_dot(at, at) > 0) { write_numbers(out, "at", 3, at); }
  if (v3_dot(turn, turn) > 0 && shape->type != ROBOT_SPHERE) { write_numbers(out, "turn", 3, turn); }
  if (shape->type == ROBOT_MESH) {
    fprintf(out, "file = %s\n", shape->path);
    if (shape->size[0] != 1) { write_numbers(out, "scale", 1, shape->size); }
  } else if (shape->type == ROBOT_BOX) {
    write_numbers(out, "size", 3, shape->size);
  } else {
    write_numbers(out, "radius", 1, shape->size);
    if (shape->type != ROBOT_SPHERE) { write_numbers(out, "length", 1, &shape->size[1]); }
  }
}

void robot_write_shapes(const robot_link *link, FILE *out) {
  for (int i = 0; i < link->nshape; i++) {
    const robot_shape *shape = &link->shape[i];
    const int is_seen = shape->type == ROBOT_MESH ? shape->path != NULL : shape->type != ROBOT_UNSEEN;
    if (is_seen) { write_shape(link, shape, out); }
  }
}
