/* A joint of the file moves its body from where the file puts it, by axes that are given in the frame which the body has there:
 *   T = T_0 J_1(q_1 - ref_1) J_2(q_2 - ref_2) ...                                            (mjcf_body.c)
 * So all places and axes are those of the position that is written, seen from the body. */
#include "import/mjcf_write.h"

#include <math.h>
#include <string.h>

#include "base/v3.h"
#include "files/text_list.h"
#include "import/pose.h"
#include "import/robot_fill.h"
#include "mbd/model.h"
#include "mbd/picture.h"

typedef struct mjcf_export {
  robot_export x;
  int depth;
} mjcf_export;

/* The ground is the body `world` of the format. */
static const char *body_name(const mjcf_export *e, int body) {
  static const char world[] = "world";
  const char *name = export_body(&e->x, body, world);
  return body && strcmp(name, world) == 0 ? "world_link" : name;
}

/* ---- places ---- */

static robot_pose pose_of(const mjcf_export *e, int body) {
  robot_pose at;
  mbd_sim_pose(e->x.s->sim, body, at.xyz, at.R);
  /* cppcheck-suppress uninitvar ; this writes it */
  return at;
}

/* A place and a direction of one body, seen from another one. */
static void see(const mjcf_export *e, int from, int body, const double point[3], const double axis[3], double pos[3],
                double along[3]) {
  if (from == body) {
    v3_copy(pos, point), v3_copy(along, axis);
    return;
  }
  const robot_pose its = pose_of(e, body), back = pose_of(e, from);
  double x[3];
  v3_copy(x, its.xyz);
  m3_vec_add(x, its.R, point);
  v3_sub(x, x, back.xyz);
  m3_Tvec(pos, back.R, x);
  m3_vec(x, its.R, axis);
  m3_Tvec(along, back.R, x);
}

/* ---- elements ---- */

static void indent(const mjcf_export *e) {
  fprintf(e->x.out, "%*s", 2 * e->depth, "");
}

static void write_place(const mjcf_export *e, int body, int before) {
  const robot_pose around = pose_of(e, before), own = pose_of(e, body), back = pose_inverse(&around);
  const robot_pose pose = pose_product(&back, &own), none = pose_identity();
  double quaternion[4];
  int turns = 0;
  export_numbers(&e->x, "pos", 3, pose.xyz);
  for (int i = 0; i < 9; i++) { turns |= pose.R[i] != none.R[i]; }
  if (!turns) { return; }
  robot_euler(pose.R, quaternion);
  export_numbers(&e->x, "quat", 4, quaternion);
}

static int has_mass(const mjcf_export *e, int body) {
  double I[9];
  mbd_params_inertia(e->x.s->p, body, I);
  return mbd_params_mass(e->x.s->p, body) > 0 || I[0] + I[4] + I[8] > 0;
}

/* Tells of a body that moves whose mass or moments MuJoCo refuses: zero, or one moment larger than the sum of the others, so that trace/2 1 - I has
 * a negative eigenvalue. */
static void tell_of_mass(const mjcf_export *e, int body) {
  double I[9], rest[9], yz[3];
  mbd_params_inertia(e->x.s->p, body, I);
  const double trace = I[0] + I[4] + I[8];
  for (int i = 0; i < 9; i++) { rest[i] = (i % 4 == 0 ? trace / 2 : 0) - I[i]; }
  v3_cross(yz, I + 3, I + 6);
  const int is_solid = v3_dot(I, yz) > 1e-12 * trace * trace * trace && robot_is_inertia(rest);
  if (is_solid && mbd_params_mass(e->x.s->p, body) > 0) { return; }
  export_tell(&e->x, "the mass and the moments of inertia of '%.200s' are those of no solid, which MuJoCo refuses",
              body_name(e, body));
}

static void write_inertial(const mjcf_export *e, int body) {
  double com[3], I[9];
  const double mass = mbd_params_mass(e->x.s->p, body);
  if (!has_mass(e, body)) { return; }
  mbd_params_com(e->x.s->p, body, com), mbd_params_inertia(e->x.s->p, body, I);
  indent(e);
  fputs("<inertial", e->x.out);
  export_numbers(&e->x, "pos", 3, com), export_numbers(&e->x, "mass", 1, &mass);
  const double full[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  const int is_diagonal = I[1] == 0 && I[2] == 0 && I[5] == 0;
  export_numbers(&e->x, is_diagonal ? "diaginertia" : "fullinertia", is_diagonal ? 3 : 6, full);
  fputs("/>\n", e->x.out);
}

/* One joint: `ending` distinguishes those that a joint of several coordinates becomes. axis NULL: a ball; dynamics NULL: none. */
static void write_one(const mjcf_export *e, const char *joint, const char *ending, const char *type,
                      const double pos[3], const double *axis, double ref, const export_dynamics *d) {
  static const char *const key[] = {"damping", "frictionloss", "stiffness", "springref", "armature"};
  char name[300];
  snprintf(name, sizeof name, "%.280s%s", joint, ending);
  indent(e);
  fputs("<joint", e->x.out);
  export_name(&e->x, "name", name), export_name(&e->x, "type", type), export_numbers(&e->x, "pos", 3, pos);
  if (axis) { export_numbers(&e->x, "axis", 3, axis); }
  if (ref != 0) { export_numbers(&e->x, "ref", 1, &ref); }
  const double value[] = {d ? d->damping : 0, d ? d->friction : 0, d ? d->stiffness : 0, d ? d->rest : 0,
                          d ? d->rotor : 0};
  for (int i = 0; i < 5; i++) {
    if (value[i] != 0) { export_numbers(&e->x, key[i], 1, &value[i]); }
  }
  fputs("/>\n", e->x.out);
}

/* Three slides along the axes of the body, or two across an axis. */
static void write_slides(const mjcf_export *e, const char *joint, const double pos[3], const double *normal) {
  static const char *const ending[] = {"_x", "_y", "_z"};
  double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (normal) {
    robot_across(normal, axis[0]);
    v3_axpy(axis[0], -v3_dot(axis[0], normal), normal);
    v3_cross(axis[1], normal, axis[0]);
  }
  for (int k = 0; k < (normal ? 2 : 3); k++) { write_one(e, joint, ending[k], "slide", pos, axis[k], 0, NULL); }
}

/* Writes the joint that carries a body as joints of the body `into`: itself, or the one that it carries alone. */
static void write_joint(mjcf_export *e, int body, int into) {
  mbd_joint_report j;
  mbd_joint_place place;
  mbd_body_report b;
  double pos[3], axis[3], first[3], at[3];
  mbd_model_joint(e->x.s->m, e->x.joint[body], &j);
  mbd_params_joint(e->x.s->p, e->x.joint[body], &place);
  mbd_model_body(e->x.s->m, body, &b);
  const int behind = export_is_second(&e->x, body), before = e->x.before[body];
  const double *z = e->x.s->z + b.z0, sign = behind ? 1 : -1;
  const export_dynamics d = export_take_dynamics(&e->x, body, b.nz == 1);
  see(e, into, body, place.point[behind], place.axis[behind], pos, axis);
  v3_scale(axis, sign, axis);
  if (strcmp(j.type, "revolute") == 0 || strcmp(j.type, "prismatic") == 0) {
    write_one(e, j.name, "", j.type[0] == 'r' ? "hinge" : "slide", pos, axis, z[0], &d);
  } else if (strcmp(j.type, "cylindrical") == 0) {
    write_one(e, j.name, "_slide", "slide", pos, axis, z[0], NULL);
    write_one(e, j.name, "", "hinge", pos, axis, z[1], NULL);
  } else if (strcmp(j.type, "cardan") == 0) { /* its first axis is that on the body before */
    see(e, into, before, place.point[!behind], place.axis[!behind], at, first);
    v3_scale(first, sign, first);
    write_one(e, j.name, "_1", "hinge", pos, first, 0, NULL);
    write_one(e, j.name, "_2", "hinge", pos, axis, 0, NULL);
  } else if (strcmp(j.type, "planar") == 0) {
    write_slides(e, j.name, pos, axis);
    write_one(e, j.name, "", "hinge", pos, axis, 0, NULL);
  } else if (strcmp(j.type, "spherical") == 0) {
    write_one(e, j.name, "", "ball", pos, NULL, 0, NULL);
  } else if (strcmp(j.type, "floating") == 0 && before == 0 && body == into) {
    indent(e);
    fputs("<freejoint", e->x.out), export_name(&e->x, "name", j.name), fputs("/>\n", e->x.out);
  } else if (strcmp(j.type, "floating") == 0) {
    write_slides(e, j.name, pos, NULL);
    write_one(e, j.name, "", "ball", pos, NULL, 0, NULL);
  }
}

/* ---- bodies ---- */

static int is_weld(const mjcf_export *e, int body) {
  mbd_joint_report j;
  mbd_model_joint(e->x.s->m, e->x.joint[body], &j);
  return strcmp(j.type, "weld") == 0;
}

/* Returns 1 if a loop is closed at a body. */
static int is_closed_at(const mjcf_export *e, int body) {
  for (int i = 0; i < mbd_model_njoint(e->x.s->m); i++) {
    mbd_joint_report j;
    mbd_joint_place place;
    mbd_model_joint(e->x.s->m, i, &j);
    mbd_params_joint(e->x.s->p, i, &place);
    if (j.cut && (place.body[0] == body || place.body[1] == body)) { return 1; }
  }
  return 0;
}

/* The only body on this one, which moves without mass by itself; 0: it is written as it is. */
static int stands_for(const mjcf_export *e, int body) {
  int on_it = 0, n = 0;
  if (body == 0 || has_mass(e, body) || is_weld(e, body) || is_closed_at(e, body)) { return 0; }
  for (int i = 1; i <= e->x.nbody; i++) {
    if (e->x.before[i] == body) { on_it = i, n++; }
  }
  return n == 1 && !is_weld(e, on_it) ? on_it : 0;
}

static void write_joints(mjcf_export *e, int first, int body) {
  for (int i = first; i != body; i = stands_for(e, i)) { write_joint(e, i, body); }
  write_joint(e, body, body);
}

static void write_bodies_on(mjcf_export *e, int body);

static void write_body(mjcf_export *e, int first) {
  int body = first;
  for (int next; (next = stands_for(e, body)) != 0;) { body = next; }
  if (!is_weld(e, body)) { tell_of_mass(e, body); }
  indent(e);
  fputs("<body", e->x.out);
  export_name(&e->x, "name", body_name(e, body));
  write_place(e, body, e->x.before[first]);
  fputs(">\n", e->x.out);
  e->depth++;
  write_inertial(e, body);
  write_joints(e, first, body);
  write_bodies_on(e, body);
  e->depth--;
  indent(e);
  fputs("</body>\n", e->x.out);
}

static void write_bodies_on(mjcf_export *e, int body) {
  for (int i = 1; i <= e->x.nbody; i++) {
    if (e->x.before[i] == body) { write_body(e, i); }
  }
}

/* ---- what closes loops, couples and drives ---- */

static void write_closing(const mjcf_export *e, const char *type, const char *name, const char *ending,
                          const int body[2], const double *anchor) {
  char full[300];
  snprintf(full, sizeof full, "%.280s%s", name, ending);
  indent(e);
  fprintf(e->x.out, "<%s", type);
  export_name(&e->x, "name", full);
  export_name(&e->x, "body1", body_name(e, body[0]));
  export_name(&e->x, "body2", body_name(e, body[1]));
  if (anchor) { export_numbers(&e->x, "anchor", 3, anchor); }
  fputs("/>\n", e->x.out);
}

static void write_loop(const mjcf_export *e, int joint) {
  static const double apart = 0.125; /* [m] of the points on the axis of a revolute joint */
  mbd_joint_report j;
  mbd_joint_place place;
  double other[3];
  mbd_model_joint(e->x.s->m, joint, &j);
  mbd_params_joint(e->x.s->p, joint, &place);
  const int is_revolute = strcmp(j.type, "revolute") == 0;
  if (strcmp(j.type, "weld") == 0) { write_closing(e, "weld", j.name, "", place.body, NULL); }
  if (is_revolute || strcmp(j.type, "spherical") == 0) {
    write_closing(e, "connect", j.name, "", place.body, place.point[0]);
  }
  if (!is_revolute) { return; }
  v3_copy(other, place.point[0]);
  v3_axpy(other, apart, place.axis[0]);
  write_closing(e, "connect", j.name, "_axis", place.body, other);
}

static void write_coupling(mjcf_export *e, int body) {
  mbd_joint_report j, k;
  int other, leader = 1;
  double ratio, offset;
  if (!export_take_coupling(&e->x, e->x.joint[body], &other, &ratio, &offset)) { return; }
  mbd_model_joint(e->x.s->m, e->x.joint[body], &j), mbd_model_joint(e->x.s->m, other, &k);
  while (e->x.joint[leader] != other) { leader++; }
  mbd_body_report follows, leads;
  mbd_model_body(e->x.s->m, body, &follows), mbd_model_body(e->x.s->m, leader, &leads);
  /* y - y0 = c0 + ratio (x - x0) */
  const double line[5] = {offset + ratio * e->x.s->z[leads.z0] - e->x.s->z[follows.z0], ratio, 0, 0, 0};
  indent(e);
  fputs("<joint", e->x.out);
  export_name(&e->x, "joint1", j.name), export_name(&e->x, "joint2", k.name);
  export_numbers(&e->x, "polycoef", 5, line);
  fputs("/>\n", e->x.out);
}

static void write_equalities(mjcf_export *e) {
  fputs("  <equality>\n", e->x.out);
  for (int i = 0; i < mbd_model_njoint(e->x.s->m); i++) {
    mbd_joint_report j;
    mbd_model_joint(e->x.s->m, i, &j);
    if (j.cut) { write_loop(e, i); }
  }
  for (int body = 1; body <= e->x.nbody; body++) { write_coupling(e, body); }
  fputs("  </equality>\n", e->x.out);
}

/* A motor on each hinge and slide that the load case drives. */
static void write_motors(const mjcf_export *e) {
  fputs("  <actuator>\n", e->x.out);
  for (int body = 1; body <= e->x.nbody; body++) {
    mbd_body_report b;
    char drive[300];
    mbd_model_body(e->x.s->m, body, &b);
    if (b.nz != 1) { continue; }
    snprintf(drive, sizeof drive, "drive.%.280s", mbd_model_z_name(e->x.s->m, b.z0));
    const char *name;
    int is_driven = 0;
    for (int i = 0; (name = mbd_model_drive_name(e->x.s->m, i)) != NULL; i++) { is_driven |= strcmp(name, drive) == 0; }
    if (!is_driven) { continue; }
    snprintf(drive, sizeof drive, "%.280s_motor", b.joint);
    indent(e);
    fputs("<motor", e->x.out);
    export_name(&e->x, "name", drive), export_name(&e->x, "joint", b.joint);
    fputs("/>\n", e->x.out);
  }
  fputs("  </actuator>\n", e->x.out);
}

/* Refuses joints that the format has neither in the tree nor, where they are cut, as equalities; a floating one closes nothing. */
static mbd_status check_joints(const mjcf_export *e, mbd_error *err) {
  static const char *const known[] = {"revolute",  "prismatic", "cylindrical", "cardan", "planar",
                                      "spherical", "floating",  "weld",        NULL};
  static const char *const closing[] = {"revolute", "spherical", "weld", "floating", NULL};
  for (int i = 0; i < mbd_model_njoint(e->x.s->m); i++) {
    mbd_joint_report j;
    mbd_model_joint(e->x.s->m, i, &j);
    if (!text_is_among(j.type, known)) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "joint '%s' is of type %s, which MJCF does not have", j.name, j.type);
    }
    if (!j.cut || text_is_among(j.type, closing)) { continue; }
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "joint '%s' of type %s closes a loop, which MJCF does not have; expected `cut = yes` in a revolute or "
             "spherical joint of its loop",
             j.name, j.type);
  }
  return MBD_OK;
}

static mbd_status write_all(mjcf_export *e, mbd_error *err) {
  double gravity[3];
  MBD_TRY(check_joints(e, err));
  mbd_params_gravity(e->x.s->p, gravity);
  fputs("<mujoco", e->x.out);
  export_name(&e->x, "model", e->x.s->name);
  fputs(">\n  <compiler angle=\"radian\"/>\n  <option", e->x.out);
  export_numbers(&e->x, "gravity", 3, gravity);
  fputs("/>\n  <worldbody>\n", e->x.out);
  e->depth = 2;
  write_bodies_on(e, 0);
  fputs("  </worldbody>\n", e->x.out);
  write_equalities(e);
  write_motors(e);
  fputs("</mujoco>\n", e->x.out);
  export_tell_rest(&e->x);
  return MBD_OK;
}

mbd_status mjcf_write(const robot_source *s, FILE *out, mbd_error *err) {
  mjcf_export e = {0};
  mbd_status status = export_begin(&e.x, s, out, err);
  if (status == MBD_OK) { status = write_all(&e, err); }
  export_free(&e.x);
  return status;
}
