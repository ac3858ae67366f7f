/* The frame of a link is that of its body, moved to the point o of the joint that carries it. A joint of the tree with the points a on the body
 * before and b = o on the one behind, and the orientation R of the latter in the former at zero coordinates, has
 *   origin xyz = a - o_before, rpy of R,   axis of the body behind, in the opposite direction where that is the first body of the joint. */
#include "import/urdf_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/robot_fill.h"
#include "mbd/measures.h"
#include "mbd/model.h"
#include "mbd/picture.h"

typedef struct urdf_export {
  robot_export x;
  double (*origin)[3]; /* [nbody + 1] of the link, in the frame of the body */
  int bare;            /* 1: the ground is left out, as the one body on it is welded to its origin */
} urdf_export;

/* ---- attributes ---- */

static void write_pose(const urdf_export *e, const double xyz[3], const double R[9]) {
  double rpy[3];
  robot_angles(R, rpy);
  export_numbers(&e->x, "xyz", 3, xyz);
  export_numbers(&e->x, "rpy", 3, rpy);
}

static const char *body_name(const urdf_export *e, int body) {
  return export_body(&e->x, body, "ground");
}

/* ---- links ---- */

static void write_link(const urdf_export *e, int body) {
  static const char *const key[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static const int at[6] = {0, 4, 8, 1, 2, 5};
  double com[3], I[9];
  fputs("  <link", e->x.out);
  export_name(&e->x, "name", body_name(e, body));
  const double mass = body ? mbd_params_mass(e->x.s->p, body) : 0;
  if (mass == 0) {
    fputs("/>\n", e->x.out);
    return;
  }
  mbd_params_com(e->x.s->p, body, com), mbd_params_inertia(e->x.s->p, body, I);
  v3_sub(com, com, e->origin[body]);
  fputs(">\n    <inertial>\n      <origin", e->x.out);
  export_numbers(&e->x, "xyz", 3, com);
  fputs("/>\n      <mass", e->x.out);
  export_numbers(&e->x, "value", 1, &mass);
  fputs("/>\n      <inertia", e->x.out);
  for (int i = 0; i < 6; i++) { export_numbers(&e->x, key[i], 1, &I[at[i]]); }
  fputs("/>\n    </inertial>\n  </link>\n", e->x.out);
}

/* ---- joints ---- */

static void write_dynamics(urdf_export *e, int body) {
  const export_dynamics d = export_take_dynamics(&e->x, body, 0);
  if (d.damping == 0 && d.friction == 0) { return; }
  fputs("    <dynamics", e->x.out);
  export_numbers(&e->x, "damping", 1, &d.damping);
  export_numbers(&e->x, "friction", 1, &d.friction);
  fputs("/>\n", e->x.out);
}

static void write_mimic(urdf_export *e, int joint) {
  mbd_joint_report other;
  int leader;
  double ratio, offset;
  if (!export_take_coupling(&e->x, joint, &leader, &ratio, &offset)) { return; }
  mbd_model_joint(e->x.s->m, leader, &other);
  fputs("    <mimic", e->x.out);
  export_name(&e->x, "joint", other.name);
  export_numbers(&e->x, "multiplier", 1, &ratio);
  export_numbers(&e->x, "offset", 1, &offset);
  fputs("/>\n", e->x.out);
}

static const char *type_in_urdf(const char *type) {
  static const char *const same[][2] = {
      {"revolute", "continuous"}, {"prismatic", "prismatic"}, {"weld", "fixed"},          {"planar", "planar"},
      {"floating", "floating"},   {"spherical", "floating"},  {"cylindrical", "floating"}};
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    if (strcmp(same[i][0], type) == 0) { return same[i][1]; }
  }
  return NULL;
}

static int becomes_floating(const char *type) {
  return strcmp(type, "spherical") == 0 || strcmp(type, "cylindrical") == 0;
}

/* Writes a joint of the tree, which carries a body. */
static void write_joint(urdf_export *e, int body) {
  mbd_joint_report j;
  mbd_joint_place place;
  double xyz[3], R[9], axis[3];
  const int joint = e->x.joint[body];
  mbd_model_joint(e->x.s->m, joint, &j);
  mbd_params_joint(e->x.s->p, joint, &place);
  const int behind = place.body[1] == body, before = place.body[!behind];
  v3_sub(xyz, place.point[!behind], e->origin[before]);
  for (int i = 0; i < 9; i++) { R[i] = behind ? place.zero[i] : place.zero[3 * (i % 3) + i / 3]; }
  v3_scale(axis, behind ? 1 : -1, place.axis[behind]);
  fputs("  <joint", e->x.out);
  export_name(&e->x, "name", j.name), export_name(&e->x, "type", type_in_urdf(j.type));
  fputs(">\n    <origin", e->x.out);
  write_pose(e, xyz, R);
  fputs("/>\n    <parent", e->x.out), export_name(&e->x, "link", body_name(e, before));
  fputs("/>\n    <child", e->x.out), export_name(&e->x, "link", body_name(e, body));
  fputs("/>\n", e->x.out);
  if (place.naxis == 1 && !becomes_floating(j.type)) {
    fputs("    <axis", e->x.out);
    export_numbers(&e->x, "xyz", 3, axis);
    fputs("/>\n", e->x.out);
  }
  if (strcmp(j.type, "prismatic") == 0) { /* which the format gives limits */
    fputs("    <limit lower=\"-1e16\" upper=\"1e16\" effort=\"0\" velocity=\"0\"/>\n", e->x.out);
  }
  write_dynamics(e, body);
  write_mimic(e, joint);
  fputs("  </joint>\n", e->x.out);
}

/* Writes a joint that closes a loop, or what remains of one that has become floating. */
static void write_loop(const urdf_export *e, int joint, const char *ending) {
  static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  mbd_joint_report j;
  mbd_joint_place place;
  char name[300];
  mbd_model_joint(e->x.s->m, joint, &j);
  mbd_params_joint(e->x.s->p, joint, &place);
  snprintf(name, sizeof name, "%.250s%s", j.name, ending);
  fputs("  <loop_joint", e->x.out);
  export_name(&e->x, "name", name), export_name(&e->x, "type", strcmp(j.type, "weld") == 0 ? "fixed" : j.type);
  fputs(">\n", e->x.out);
  for (int k = 0; k < 2; k++) {
    double xyz[3];
    v3_sub(xyz, place.point[k], e->origin[place.body[k]]);
    fprintf(e->x.out, "    <link%d", k + 1);
    export_name(&e->x, "link", body_name(e, place.body[k]));
    write_pose(e, xyz, k ? none : place.zero);
    fputs("/>\n", e->x.out);
  }
  if (place.naxis == 1) {
    fputs("    <axis", e->x.out);
    export_numbers(&e->x, "xyz", 3, place.axis[1]);
    fputs("/>\n", e->x.out);
  }
  fputs("  </loop_joint>\n", e->x.out);
}

/* ---- the mechanism ---- */

static int is_identity(const double R[9]) {
  double off = 0;
  for (int i = 0; i < 9; i++) { off = fmax(off, fabs(R[i] - (i % 4 == 0))); }
  return off == 0;
}

/* Finds the origin of every link, and whether the ground is one. */
static mbd_status place_links(urdf_export *e, mbd_error *err) {
  int on_ground = 0, first = 0;
  for (int i = 0; i < mbd_model_njoint(e->x.s->m); i++) {
    mbd_joint_report j;
    mbd_joint_place place;
    mbd_model_joint(e->x.s->m, i, &j);
    mbd_params_joint(e->x.s->p, i, &place);
    if (!type_in_urdf(j.type)) {
      MBD_FAIL(err, MBD_UNSUPPORTED,
               "joint '%s' is of type %s, which URDF does not have, nor has it a loop of this type", j.name, j.type);
    }
    for (int k = 0; k < 2; k++) {
      const int body = place.body[k];
      if (e->x.joint[body] != i) { continue; }
      v3_copy(e->origin[body], place.point[k]);
      if (place.body[!k] != 0) { continue; }
      const double far = fabs(place.point[!k][0]) + fabs(place.point[!k][1]) + fabs(place.point[!k][2]);
      on_ground++, first = strcmp(j.type, "weld") == 0 && far == 0 && is_identity(place.zero);
    }
    on_ground += 2 * (j.cut && (place.body[0] == 0 || place.body[1] == 0));
  }
  e->bare = on_ground == 1 && first;
  return MBD_OK;
}

static mbd_status write_all(urdf_export *e, mbd_error *err) {
  const mbd_model *m = e->x.s->m;
  MBD_TRY(place_links(e, err));
  fputs("<?xml version=\"1.0\"?>\n<robot", e->x.out);
  export_name(&e->x, "name", e->x.s->name);
  fputs(">\n", e->x.out);
  for (int body = e->bare; body <= e->x.nbody; body++) {
    mbd_joint_report j = {.type = ""};
    write_link(e, body);
    if (body == e->bare) { continue; }
    write_joint(e, body);
    mbd_model_joint(m, e->x.joint[body], &j);
    if (becomes_floating(j.type)) { write_loop(e, e->x.joint[body], "_rest"); }
  }
  for (int i = 0; i < mbd_model_njoint(m); i++) {
    mbd_joint_report j;
    mbd_model_joint(m, i, &j);
    if (j.cut) { write_loop(e, i, ""); }
  }
  fputs("</robot>\n", e->x.out);
  export_tell_rest(&e->x);
  return MBD_OK;
}

mbd_status urdf_write(const robot_source *s, FILE *out, mbd_error *err) {
  urdf_export e = {0};
  mbd_status status = export_begin(&e.x, s, out, err);
  e.origin = mbd_zeros((size_t)e.x.nbody + 1, sizeof *e.origin);
  if (status == MBD_OK) { status = e.origin ? write_all(&e, err) : MEMORY_NONE(err, "the links of %s", s->name); }
  export_free(&e.x), free(e.origin);
  return status;
}
