/* Links and joints of a URDF file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "base/names.h"
#include "base/nearest.h"
#include "base/v3.h"
#include "import/loop_file.h"
#include "import/pose.h"
#include "import/robot_fill.h"
#include "import/urdf.h"
#include "import/urdf_file.h"
#include "import/urdf_loops.h"

/* ---- links ---- */

/* <inertia>: about the centre of mass, along the axes of the inertial frame, whose rotation is R: I = R I_frame R'. A matrix with a negative
 * principal moment is zero but for rounding if its largest entry is below the rounding of mass times 1 m^2. */
static mbd_status read_inertia(const element_file *f, const xml_element *e, const double R[9], double mass,
                               double I[9]) {
  static const char *const key[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double v[6], largest = 0;
  for (int i = 0; i < 6; i++) {
    MBD_TRY(urdf_required(f, e, key[i], 1, &v[i]));
    largest = fmax(largest, fabs(v[i]));
  }
  if (robot_inertia(v, R, I)) { return MBD_OK; }
  if (largest > 1e-16 * mass) {
    return element_fail(f, e, "has a negative principal moment, expected a matrix of inertia");
  }
  memset(I, 0, 9 * sizeof *I);
  return element_warn(f, e, "has a negative principal moment by rounding, entries up to %.2g kg m^2: taken as zero",
                      largest);
}

static mbd_status read_inertial(const element_file *f, const xml_element *e, robot_link *link) {
  const xml_element *mass = xml_child(e, "mass"), *inertia = xml_child(e, "inertia");
  robot_pose origin;
  MBD_TRY(urdf_read_origin(f, e, &origin));
  memcpy(link->com, origin.xyz, sizeof link->com);
  if (!mass) { return element_fail(f, e, "has no <mass>"); }
  if (!inertia) { return element_fail(f, e, "has no <inertia>"); }
  MBD_TRY(urdf_required(f, mass, "value", 1, &link->mass));
  if (link->mass < 0) { return element_fail(f, mass, "value = \"%s\", expected a mass >= 0", xml_get(mass, "value")); }
  return read_inertia(f, inertia, origin.R, link->mass, link->inertia);
}

/* Reads the shape of one <visual>, with its place, of which what is wrong counts as not given. */
static mbd_status read_visual(const element_file *f, const xml_element *e, robot_link *link) {
  mbd_error ignored = {0};
  element_file quiet = *f;
  robot_pose pose;
  quiet.err = &ignored;
  if (urdf_read_origin(&quiet, e, &pose) != MBD_OK) { pose = pose_identity(); }
  return element_shape(f, e, &pose, link);
}

static mbd_status read_link(const element_file *f, const xml_element *e, mbd_names *known) {
  robot *r = f->r;
  const char *name;
  MBD_TRY(element_text(f, e, "name", &name));
  const int twice = mbd_names_find(known, name);
  if (twice >= 0) { return element_fail(f, e, "appears twice, first in line %d", r->link[twice].line); }
  robot_link *link = robot_add_link(r, name, e->line);
  MEMORY_TRY(link && mbd_names_add(known, link->name, r->nlink - 1), f->err, "%s", e->path);
  for (int i = 0; i < e->nchild; i++) {
    const xml_element *c = e->child[i];
    if (strcmp(c->name, "inertial") == 0) { MBD_TRY(read_inertial(f, c, link)); }
    if (strcmp(c->name, "visual") == 0) { MBD_TRY(read_visual(f, c, link)); }
  }
  return MBD_OK;
}

/* ---- joints ---- */

/* The types of the format; of those whose coordinate has limits, <limit> has to give them. */
typedef struct type_word {
  const char *word;
  robot_type type;
  int limited;
} type_word;

static const type_word types[] = {
    {"revolute", ROBOT_REVOLUTE, 1}, {"continuous", ROBOT_REVOLUTE, 0}, {"prismatic", ROBOT_PRISMATIC, 1},
    {"fixed", ROBOT_WELD, 0},        {"floating", ROBOT_FLOATING, 0},   {"planar", ROBOT_PLANAR, 0},
};

static const char *type_at(int i) {
  return i < (int)(sizeof types / sizeof types[0]) ? types[i].word : NULL;
}

static mbd_status read_type(const element_file *f, const xml_element *e, const type_word **kind) {
  const char *word;
  char hint[MBD_HINT];
  MBD_TRY(element_text(f, e, "type", &word));
  const int type = mbd_word_find(word, type_at);
  if (type >= 0) {
    *kind = &types[type];
    return MBD_OK;
  }
  mbd_nearest near = {.requested = word};
  mbd_nearest_offer_all(&near, type_at);
  return element_fail(f, e, "type = \"%.60s\", expected revolute, continuous, prismatic, fixed, floating or planar%s",
                      word, mbd_nearest_text(&near, hint, sizeof hint));
}

/* <parent> or <child> */
static mbd_status read_end(const element_file *f, const xml_element *e, const char *which, const mbd_names *known,
                           int *link) {
  const xml_element *end = xml_child(e, which);
  if (!end) { return element_fail(f, e, "has no <%s>", which); }
  return urdf_read_link(f, end, "link", known, link);
}

/* Reads the limits of a coordinate, by the format zero if one of them is not given. They bound the motions that are sought, and do not change the
 * mechanism: what is no limit is left out with a warning. */
static mbd_status read_range(const element_file *f, const xml_element *limit, robot_joint *joint) {
  static const double far = 1e3; /* [rad or m]: 159 turns; wheels often have 1e16 */
  double lower = 0, upper = 0;
  if (!xml_get(limit, "lower") && !xml_get(limit, "upper")) {
    return element_warn(f, limit, "has neither lower nor upper: the joint has no limits in the model");
  }
  MBD_TRY(urdf_numbers(f, limit, "lower", 1, &lower));
  MBD_TRY(urdf_numbers(f, limit, "upper", 1, &upper));
  if (lower > upper) {
    return element_warn(f, limit, "lower = %g above upper = %g: the joint has no limits in the model", lower, upper);
  }
  if (lower >= -far) { joint->lower = lower; }
  if (upper <= far) { joint->upper = upper; }
  if (isfinite(joint->lower) && isfinite(joint->upper)) { return MBD_OK; }
  return element_warn(f, limit, "lower = %g, upper = %g: beyond %g there is no limit in the model", lower, upper, far);
}

/* Reads the largest effort or velocity: 0 for a negative one, which many files have for one that is not given. */
static mbd_status read_max(const element_file *f, const xml_element *limit, const char *key, double *max) {
  MBD_TRY(urdf_numbers(f, limit, key, 1, max));
  if (*max >= 0) { return MBD_OK; }
  const double given = *max;
  *max = 0;
  return element_warn(f, limit, "%s = %g, expected a number >= 0: taken as not given", key, given);
}

/* Reads <limit>. Revolute and prismatic joints have limits of the coordinate; all joints may have limits of effort and speed. */
static mbd_status read_limit(const element_file *f, const xml_element *e, const type_word *kind, robot_joint *joint) {
  const xml_element *limit = xml_child(e, "limit");
  if (!limit && !kind->limited) { return MBD_OK; }
  if (!limit) {
    return element_warn(f, e, "has no <limit>, which a joint of type %s needs: it has no limits in the model",
                        kind->word);
  }
  if (joint->type == ROBOT_WELD) { return MBD_OK; } /* a joint that has been locked often still has its limits */
  if (!robot_coordinate(joint)) { return element_warn(f, limit, "is left out: the joint has not one coordinate"); }
  if (kind->limited) { MBD_TRY(read_range(f, limit, joint)); }
  MBD_TRY(read_max(f, limit, "effort", &joint->effort));
  return read_max(f, limit, "velocity", &joint->velocity);
}

static mbd_status read_dynamics(const element_file *f, const xml_element *e, robot_joint *joint) {
  const xml_element *d = xml_child(e, "dynamics");
  if (!d || joint->type == ROBOT_WELD) { return MBD_OK; }
  MBD_TRY(urdf_numbers(f, d, "damping", 1, &joint->damping));
  MBD_TRY(urdf_numbers(f, d, "friction", 1, &joint->friction));
  if (joint->damping < 0 || joint->friction < 0) {
    return element_fail(f, d, "damping = %g, friction = %g, expected numbers >= 0", joint->damping, joint->friction);
  }
  const int none = joint->damping == 0 && joint->friction == 0;
  if (robot_coordinate(joint) || none) { return MBD_OK; }
  return element_warn(f, d, "is left out: the joint has not one coordinate");
}

/* Adds a joint with all its elements; the name must be new. */
static mbd_status read_joint(const element_file *f, const xml_element *e, const mbd_names *links, mbd_names *known) {
  robot *r = f->r;
  const char *name;
  MBD_TRY(element_text(f, e, "name", &name));
  const int twice = mbd_names_find(known, name);
  if (twice >= 0) { return element_fail(f, e, "appears twice, first in line %d", r->joint[twice].line); }
  robot_joint *joint = robot_add_joint(r, name, e->line);
  const type_word *kind = NULL;
  MEMORY_TRY(joint && mbd_names_add(known, joint->name, r->njoint - 1), f->err, "%s", e->path);
  MBD_TRY(read_type(f, e, &kind));
  joint->type = kind->type;
  MBD_TRY(urdf_read_origin(f, e, &joint->frame[0]));
  MBD_TRY(read_end(f, e, "parent", links, &joint->link[0]));
  MBD_TRY(read_end(f, e, "child", links, &joint->link[1]));
  if (joint->type != ROBOT_WELD && joint->type != ROBOT_FLOATING) { MBD_TRY(urdf_read_axis(f, e, joint->axis)); }
  MBD_TRY(read_limit(f, e, kind, joint));
  return read_dynamics(f, e, joint);
}

/* Reads <mimic>, after all joints have been read. The offset is in the unit of the coordinate that follows. */
static mbd_status read_mimic(const element_file *f, const xml_element *e, int joint, const mbd_names *known) {
  robot *r = f->r;
  const robot_joint *follower = &r->joint[joint];
  const xml_element *mimic = xml_child(e, "mimic");
  const char *name;
  double multiplier = 1, offset = 0;
  if (!mimic) { return MBD_OK; }
  if (follower->type == ROBOT_WELD) { return element_warn(f, mimic, "is left out: the joint is fixed"); }
  /* The joint to follow, and the two coefficients of the coupling. */
  MBD_TRY(element_text(f, mimic, "joint", &name));
  MBD_TRY(urdf_numbers(f, mimic, "multiplier", 1, &multiplier));
  MBD_TRY(urdf_numbers(f, mimic, "offset", 1, &offset));
  const int other = mbd_names_find(known, name);
  if (other < 0) { return element_not_known(f, mimic, "joint", name, known); }
  /* The coupling needs one coordinate on either side, and a multiplier other than zero. */
  if (multiplier == 0) { return element_fail(f, mimic, "multiplier = 0, expected another number"); }
  if (!robot_coordinate(follower) || !robot_coordinate(&r->joint[other])) {
    return element_fail(f, mimic, "joint '%.80s' and this one, expected two joints of one coordinate each", name);
  }
  MEMORY_TRY(robot_add_coupling(r, joint, other, multiplier, offset, mimic->line), f->err, "%s", e->path);
  return MBD_OK;
}

/* ---- the file ---- */

/* Links, then joints between them, then which joint follows another one, each in the order of the file. */
static mbd_status read_all(const element_file *f, const xml_element *root, mbd_names *links, mbd_names *joints) {
  for (int pass = 0; pass < 3; pass++) {
    for (int i = 0, n = 0; i < root->nchild; i++) {
      const xml_element *e = root->child[i];
      if (strcmp(e->name, pass == 0 ? "link" : "joint") != 0) { continue; }
      MBD_TRY(pass == 0   ? read_link(f, e, links)
              : pass == 1 ? read_joint(f, e, links, joints)
                          : read_mimic(f, e, n++, joints));
    }
  }
  return MBD_OK;
}

/* Reads the file beside the robot's that says where the loops are closed, if there is one. */
static mbd_status read_loop_file(const element_file *f, const char *robot_path) {
  char *path;
  MBD_TRY(loop_file_find(robot_path, &path, f->err));
  const mbd_status status = path ? loop_file_read(path, f->r, f->err) : MBD_OK;
  free(path);
  return status;
}

static mbd_status read_robot(element_file *f, const xml_element *root, mbd_names *links, mbd_names *joints) {
  const char *name;
  MBD_TRY(urdf_check(f, root));
  name = xml_get(root, "name");
  if (!name || !*name) {
    name = "robot";
    MBD_TRY(element_warn(f, root, "attribute 'name' is missing: the model is called '%s'", name));
  }
  f->r->name = mbd_strdup(name);
  MBD_TRY(read_all(f, root, links, joints));
  MBD_TRY(urdf_read_loops(f, root, links, joints));
  MBD_TRY(read_loop_file(f, root->path));
  if (f->r->nlink == 0) { return element_fail(f, root, "has no <link>"); }
  return robot_finish(f->r, f->err);
}

mbd_status urdf_read(const char *path, robot *r, mbd_error *err) {
  xml_element *root;
  mbd_names links = {0}, joints = {0};
  robot_begin(r, path);
  element_file f = {.r = r, .err = err};
  MBD_TRY(xml_read(path, &root, err));
  mbd_status status = read_robot(&f, root, &links, &joints);
  mbd_names_free(&links), mbd_names_free(&joints);
  xml_free(root);
  return status;
}
