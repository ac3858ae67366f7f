/* The frame of a link is that of its body, moved to the point o of the joint that carries it. A joint of the tree with the points a on the body
 * before and b = o on the one behind, and the orientation R of the latter in the former at zero coordinates, has
 *   origin xyz = a - o_before, rpy of R,   axis of the body behind, in the opposite direction where that is the first body of the joint. */
#include "import/urdf_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "files/xml.h"
#include "import/robot_fill.h"
#include "mbd/measures.h"
#include "mbd/model.h"
#include "mbd/picture.h"

typedef struct urdf_export {
  const mbd_model *m;
  const mbd_params *p;
  const double *theta;
  FILE *out;
  void (*tell)(const char *what, const char *why);
  int *joint;           /* [nbody + 1] the joint of the tree that carries a body */
  double (*origin)[3];  /* [nbody + 1] of the link, in the frame of the body */
  unsigned char *taken; /* [nforce + nconstraint] forces and constraints that have been written */
  int bare;             /* 1: the ground is left out, as the one body on it is welded to its origin */
} urdf_export;

/* ---- attributes ---- */

static void write_name(const urdf_export *e, const char *key, const char *name) {
  fprintf(e->out, " %s=\"", key);
  xml_escape(e->out, name);
  fputc('"', e->out);
}

static void write_numbers(const urdf_export *e, const char *key, int n, const double *v) {
  fprintf(e->out, " %s=\"", key);
  for (int i = 0; i < n; i++) {
    if (i) { fputc(' ', e->out); }
    robot_number(e->out, v[i]);
  }
  fputc('"', e->out);
}

/* R = Rz(yaw) Ry(pitch) Rx(roll) */
static void angles_of(const double R[9], double rpy[3]) {
  rpy[1] = atan2(-R[6], hypot(R[0], R[3]));
  if (hypot(R[0], R[3]) > 1e-9) {
    rpy[0] = atan2(R[7], R[8]), rpy[2] = atan2(R[3], R[0]);
  } else { /* roll and yaw turn about one axis */
    rpy[0] = 0, rpy[2] = atan2(-R[1], R[4]);
  }
}

static void write_pose(const urdf_export *e, const double xyz[3], const double R[9]) {
  double rpy[3];
  angles_of(R, rpy);
  write_numbers(e, "xyz", 3, xyz);
  write_numbers(e, "rpy", 3, rpy);
}

static const char *body_name(const urdf_export *e, int body) {
  mbd_body_report b;
  if (body == 0) { return "ground"; }
  mbd_model_body(e->m, body, &b);
  return b.name;
}

/* ---- links ---- */

static void write_link(const urdf_export *e, int body) {
  static const char *const key[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static const int at[6] = {0, 4, 8, 1, 2, 5};
  double com[3], I[9];
  fputs("  <link", e->out);
  write_name(e, "name", body_name(e, body));
  const double mass = body ? mbd_params_mass(e->p, body) : 0;
  if (mass == 0) {
    fputs("/>\n", e->out);
    return;
  }
  mbd_params_com(e->p, body, com), mbd_params_inertia(e->p, body, I);
  v3_sub(com, com, e->origin[body]);
  fputs(">\n    <inertial>\n      <origin", e->out);
  write_numbers(e, "xyz", 3, com);
  fputs("/>\n      <mass", e->out);
  write_numbers(e, "value", 1, &mass);
  fputs("/>\n      <inertia", e->out);
  for (int i = 0; i < 6; i++) { write_numbers(e, key[i], 1, &I[at[i]]); }
  fputs("/>\n    </inertial>\n  </link>\n", e->out);
}

/* ---- joints ---- */

/* The value of a coefficient by its name; 0: there is none. */
static double coefficient(const urdf_export *e, const char *kind, const char *name, const char *key) {
  char full[500];
  snprintf(full, sizeof full, "%s.%s.%s", kind, name, key);
  for (int k = 0; k < mbd_model_ncoef(e->m); k++) {
    if (strcmp(mbd_model_coef_name(e->m, k), full) == 0) { return e->theta[k]; }
  }
  return 0;
}

/* The friction of an imported joint, which is a force of this name. */
static void write_dynamics(urdf_export *e, const char *joint) {
  char name[300];
  snprintf(name, sizeof name, "%s_friction", joint);
  for (int i = 0; i < mbd_model_nforce(e->m); i++) {
    if (strcmp(mbd_model_force_name(e->m, i, NULL), name) != 0) { continue; }
    const double damping = coefficient(e, "force", name, "damping"), friction = coefficient(e, "force", name, "torque");
    fputs("    <dynamics", e->out);
    write_numbers(e, "damping", 1, &damping);
    write_numbers(e, "friction", 1, &friction);
    fputs("/>\n", e->out);
    e->taken[i] = 1;
  }
}

/* The joint other than `joint` on whose bodies the constraint JOINT_mimic acts; -1: none, or several. */
static int followed(const urdf_export *e, int constraint, int joint) {
  int body[8], found = -1;
  const int n = mbd_model_constraint_bodies(e->m, constraint, 8, body);
  for (int i = 0; i < n; i++) {
    const int other = body[i] ? e->joint[body[i]] : -1;
    mbd_joint_place place;
    if (other < 0 || other == joint) { continue; }
    mbd_params_joint(e->p, other, &place);
    if (place.nz != 1) { continue; }
    int both = 0;
    for (int k = 0; k < n; k++) { both += body[k] == place.body[0] || body[k] == place.body[1]; }
    if (both < 2) { continue; }
    if (found >= 0) { return -1; }
    found = other;
  }
  return found;
}

static void write_mimic(urdf_export *e, int joint, const char *joint_name) {
  char name[300];
  snprintf(name, sizeof name, "%s_mimic", joint_name);
  for (int i = 0; i < mbd_model_nconstraint(e->m); i++) {
    mbd_joint_report other;
    const char *type, *constraint = mbd_model_constraint_name(e->m, i, &type, NULL, NULL);
    const int leader = strcmp(constraint, name) == 0 && strcmp(type, "gear") == 0 ? followed(e, i, joint) : -1;
    if (leader < 0) { continue; }
    const double ratio = coefficient(e, "constraint", name, "ratio"),
                 offset = coefficient(e, "constraint", name, "offset");
    mbd_model_joint(e->m, leader, &other);
    fputs("    <mimic", e->out);
    write_name(e, "joint", other.name);
    write_numbers(e, "multiplier", 1, &ratio);
    write_numbers(e, "offset", 1, &offset);
    fputs("/>\n", e->out);
    e->taken[mbd_model_nforce(e->m) + i] = 1;
  }
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
  const int joint = e->joint[body];
  mbd_model_joint(e->m, joint, &j);
  mbd_params_joint(e->p, joint, &place);
  const int behind = place.body[1] == body, before = place.body[!behind];
  v3_sub(xyz, place.point[!behind], e->origin[before]);
  for (int i = 0; i < 9; i++) { R[i] = behind ? place.zero[i] : place.zero[3 * (i % 3) + i / 3]; }
  v3_scale(axis, behind ? 1 : -1, place.axis[behind]);
  fputs("  <joint", e->out);
  write_name(e, "name", j.name), write_name(e, "type", type_in_urdf(j.type));
  fputs(">\n    <origin", e->out);
  write_pose(e, xyz, R);
  fputs("/>\n    <parent", e->out), write_name(e, "link", body_name(e, before));
  fputs("/>\n    <child", e->out), write_name(e, "link", body_name(e, body));
  fputs("/>\n", e->out);
  if (place.naxis == 1 && !becomes_floating(j.type)) {
    fputs("    <axis", e->out);
    write_numbers(e, "xyz", 3, axis);
    fputs("/>\n", e->out);
  }
  if (strcmp(j.type, "prismatic") == 0) { /* which the format gives limits */
    fputs("    <limit lower=\"-1e16\" upper=\"1e16\" effort=\"0\" velocity=\"0\"/>\n", e->out);
  }
  write_dynamics(e, j.name);
  write_mimic(e, joint, j.name);
  fputs("  </joint>\n", e->out);
}

/* Writes a joint that closes a loop, or what remains of one that has become floating. */
static void write_loop(const urdf_export *e, int joint, const char *ending) {
  static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  mbd_joint_report j;
  mbd_joint_place place;
  char name[300];
  mbd_model_joint(e->m, joint, &j);
  mbd_params_joint(e->p, joint, &place);
  snprintf(name, sizeof name, "%.250s%s", j.name, ending);
  fputs("  <loop_joint", e->out);
  write_name(e, "name", name), write_name(e, "type", strcmp(j.type, "weld") == 0 ? "fixed" : j.type);
  fputs(">\n", e->out);
  for (int k = 0; k < 2; k++) {
    double xyz[3];
    v3_sub(xyz, place.point[k], e->origin[place.body[k]]);
    fprintf(e->out, "    <link%d", k + 1);
    write_name(e, "link", body_name(e, place.body[k]));
    write_pose(e, xyz, k ? none : place.zero);
    fputs("/>\n", e->out);
  }
  if (place.naxis == 1) {
    fputs("    <axis", e->out);
    write_numbers(e, "xyz", 3, place.axis[1]);
    fputs("/>\n", e->out);
  }
  fputs("  </loop_joint>\n", e->out);
}

/* ---- the mechanism ---- */

static int is_identity(const double R[9]) {
  double off = 0;
  for (int i = 0; i < 9; i++) { off = fmax(off, fabs(R[i] - (i % 4 == 0))); }
  return off == 0;
}

/* Finds the joint and the origin of every body. */
static mbd_status place_links(urdf_export *e, mbd_error *err) {
  int on_ground = 0, first = 0;
  for (int i = 0; i < mbd_model_njoint(e->m); i++) {
    mbd_joint_report j;
    mbd_joint_place place;
    mbd_model_joint(e->m, i, &j);
    mbd_params_joint(e->p, i, &place);
    if (!type_in_urdf(j.type)) {
      MBD_FAIL(err, MBD_UNSUPPORTED,
               "joint '%s' is of type %s, which URDF does not have, nor has it a loop of this type", j.name, j.type);
    }
    for (int k = 0; k < 2 && !j.cut; k++) {
      mbd_body_report b;
      const int body = place.body[k];
      if (body == 0) { continue; }
      mbd_model_body(e->m, body, &b);
      if (strcmp(b.joint, j.name) != 0) { continue; }
      e->joint[body] = i;
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

/* Names the forces and constraints that have not been written; closures of cut joints, which connect no bodies of their own, have been, and drives belong
 * to the load case. */
static void tell_rest(const urdf_export *e) {
  const int nforce = mbd_model_nforce(e->m), nconstraint = mbd_model_nconstraint(e->m);
  for (int i = 0; i < nforce + nconstraint; i++) {
    const char *type, *name = i < nforce ? mbd_model_force_name(e->m, i, &type)
                                         : mbd_model_constraint_name(e->m, i - nforce, &type, NULL, NULL);
    int body;
    const int is_closure = i >= nforce && mbd_model_constraint_bodies(e->m, i - nforce, 1, &body) == 0;
    if (e->tell && !e->taken[i] && !is_closure && strncmp(name, "drive.", 6) != 0) { e->tell(name, type); }
  }
}

static mbd_status write_all(urdf_export *e, const char *name, mbd_error *err) {
  const int nbody = mbd_model_nbody(e->m);
  MBD_TRY(place_links(e, err));
  fputs("<?xml version=\"1.0\"?>\n<robot", e->out);
  write_name(e, "name", name);
  fputs(">\n", e->out);
  for (int body = e->bare; body <= nbody; body++) {
    mbd_joint_report j = {.type = ""};
    write_link(e, body);
    if (body == e->bare) { continue; }
    write_joint(e, body);
    mbd_model_joint(e->m, e->joint[body], &j);
    if (becomes_floating(j.type)) { write_loop(e, e->joint[body], "_rest"); }
  }
  for (int i = 0; i < mbd_model_njoint(e->m); i++) {
    mbd_joint_report j;
    mbd_model_joint(e->m, i, &j);
    if (j.cut) { write_loop(e, i, ""); }
  }
  fputs("</robot>\n", e->out);
  tell_rest(e);
  return MBD_OK;
}

mbd_status urdf_write(const mbd_model *m, const mbd_params *p, const double *theta, const char *name, FILE *out,
                      void (*tell)(const char *what, const char *why), mbd_error *err) {
  const size_t n = (size_t)mbd_model_nbody(m) + 1, rest = (size_t)(mbd_model_nforce(m) + mbd_model_nconstraint(m)) + 1;
  urdf_export e = {.m = m, .p = p, .theta = theta, .out = out, .tell = tell};
  e.joint = mbd_zeros(n, sizeof *e.joint);
  e.origin = mbd_zeros(n, sizeof *e.origin);
  e.taken = mbd_zeros(rest, sizeof *e.taken);
  const mbd_status status =
      e.joint && e.origin && e.taken ? write_all(&e, name, err) : MEMORY_NONE(err, "the links of %s", name);
  free(e.joint), free(e.origin), free(e.taken);
  return status;
}
