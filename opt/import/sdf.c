/* Links and joints of SDFormat. Poses of all frames are first computed in the frame of the model; the frame of a joint on each of its links is
 * that pose seen from the link, since joints are at zero where the poses put the links. */
#include "import/sdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/pose.h"
#include "import/sdf_frames.h"

/* ---- the permitted elements ---- */

#define SEEN "visual collision sensor projector audio_source audio_sink battery light particle_emitter material"

static const element_rule rules[] = {
    {.name = "sdf", .attributes = "version", .several = "model world", .aside = "light actor"},
    {.name = "world",
     .attributes = "name",
     .once = "gravity",
     .several = "model",
     .aside = "light physics scene plugin gui state atmosphere magnetic_field spherical_coordinates wind audio road "
              "population actor",
     .refused = "include"},
    {.name = "model",
     .attributes = "name canonical_link placement_frame",
     .once = "pose static",
     .several = "link joint frame drake:ball_constraint",
     .aside = "self_collide allow_auto_disable enable_wind plugin drake:collision_filter_group",
     .left_out = "drake:linear_bushing_rpy gripper",
     .refused = "include model drake:joint"},
    {.name = "pose", .attributes = "relative_to rotation_format degrees frame"},
    {.name = "frame", .attributes = "name attached_to", .once = "pose"},
    {.name = "link",
     .attributes = "name",
     .once = "pose inertial",
     .several = "frame",
     .aside = "gravity enable_wind self_collide kinematic must_be_base_link " SEEN,
     .left_out = "velocity_decay"},
    {.name = "inertial",
     .attributes = "auto",
     .once = "pose mass inertia",
     .aside = "density",
     .left_out = "fluid_added_mass"},
    {.name = "inertia", .once = "ixx ixy ixz iyy iyz izz"},
    {.name = "joint",
     .attributes = "name type",
     .once = "pose parent child axis axis2 drake:rotor_inertia drake:gear_ratio",
     .several = "frame",
     .aside = "physics sensor drake:controller_gains",
     .refused = "thread_pitch screw_thread_pitch gearbox_ratio gearbox_reference_body"},
    {.name = "axis",
     .attributes = "",
     .once = "xyz limit dynamics mimic use_parent_model_frame",
     .aside = "initial_position drake:acceleration"},
    {.name = "axis2",
     .attributes = "",
     .once = "xyz limit dynamics mimic use_parent_model_frame",
     .aside = "initial_position drake:acceleration"},
    {.name = "xyz", .attributes = "expressed_in"},
    {.name = "limit", .once = "lower upper effort velocity", .aside = "stiffness dissipation drake:acceleration"},
    {.name = "dynamics", .once = "damping friction spring_reference spring_stiffness"},
    {.name = "mimic", .attributes = "joint axis", .once = "multiplier offset reference"},
};

/* ---- links ---- */

static mbd_status no_memory(const sdf_file *f) {
  return MEMORY_NONE(f->elements.err, "%s", f->r->path);
}

/* <inertial>: about the centre of mass, along the axes of its pose; I = R I_frame R'. */
static mbd_status read_inertial(const sdf_file *f, const xml_element *e, robot_link *link) {
  static const char *const key[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const xml_element *inertia = xml_child(e, "inertia");
  double v[6] = {1, 1, 1, 0, 0, 0};
  robot_pose pose;
  link->mass = 1; /* as the specification has it where the file gives none */
  MBD_TRY(sdf_pose(f, e, &pose));
  MBD_TRY(sdf_number(f, e, "mass", &link->mass));
  if (link->mass < 0) { return element_fail(&f->elements, e, "expected a mass >= 0"); }
  for (int i = 0; inertia && i < 6; i++) { MBD_TRY(sdf_number(f, inertia, key[i], &v[i])); }
  if (!robot_inertia(v, pose.R, link->inertia)) {
    return element_fail(&f->elements, e, "has a negative principal moment, expected a matrix of inertia");
  }
  memcpy(link->com, pose.xyz, sizeof link->com);
  return MBD_OK;
}

/* Adds the shape of a <visual>, of which what is wrong counts as not given. */
static mbd_status read_visual(const sdf_file *f, const xml_element *e, robot_link *link) {
  mbd_error ignored = {0};
  sdf_file quiet = *f;
  robot_pose pose;
  quiet.elements.err = &ignored;
  if (sdf_pose(&quiet, e, &pose) != MBD_OK) { pose = pose_identity(); }
  return element_shape(&f->elements, e, &pose, link);
}

static mbd_status read_link(sdf_file *f, const xml_element *e) {
  const xml_element *inertial = xml_child(e, "inertial");
  MBD_TRY(sdf_add_frame(f, e, f->r->nlink));
  robot_link *link = robot_add_link(f->r, xml_get(e, "name"), e->line);
  if (!link) { return no_memory(f); }
  for (int i = 0; i < e->nchild; i++) {
    if (strcmp(e->child[i]->name, "visual") == 0) { MBD_TRY(read_visual(f, e->child[i], link)); }
  }
  const char *is_auto = inertial ? xml_get(inertial, "auto") : NULL;
  if (is_auto && strcmp(is_auto, "true") == 0) {
    return element_fail(&f->elements, inertial, "is computed from shapes, expected <mass> and <inertia>");
  }
  return inertial ? read_inertial(f, inertial, link) : MBD_OK;
}

/* ---- joints ---- */

static const char *type_at(int i) {
  static const char *const word[] = {"revolute", "continuous", "prismatic", "ball", "fixed", "universal", "revolute2"};
  return i < (int)(sizeof word / sizeof word[0]) ? word[i] : NULL;
}

static mbd_status read_type(const sdf_file *f, const xml_element *e, robot_joint *j) {
  static const robot_type kind[] = {ROBOT_REVOLUTE, ROBOT_REVOLUTE, ROBOT_PRISMATIC, ROBOT_SPHERICAL,
                                    ROBOT_WELD,     ROBOT_REVOLUTE, ROBOT_REVOLUTE};
  const char *word;
  int type;
  MBD_TRY(element_text(&f->elements, e, "type", &word));
  MBD_TRY(element_word(&f->elements, e, "type", word, type_at, &type));
  j->type = kind[type];
  return MBD_OK;
}

/* The axis along the axes of the joint's frame, or of the frame in which it is expressed. */
static mbd_status read_axis(sdf_file *f, const xml_element *e, const robot_pose *joint, double axis[3]) {
  const xml_element *xyz = xml_child(e, "xyz");
  const char *in = xyz ? xml_get(xyz, "expressed_in") : NULL;
  double v[3] = {0, 0, 1}, in_model[3], old = 0;
  MBD_TRY(sdf_number(f, e, "use_parent_model_frame", &old));
  if (old != 0) {
    return element_fail(&f->elements, e, "use_parent_model_frame = 1, expected expressed_in=\"__model__\"");
  }
  MBD_TRY(sdf_numbers(f, e, "xyz", 3, v, NULL));
  if (!(v3_dot(v, v) > 1e-20)) { return element_fail(&f->elements, e, "xyz has no length"); }
  v3_copy(axis, v);
  if (!in || !*in) { return MBD_OK; }
  int frame;
  MBD_TRY(sdf_find(f, xyz, "expressed_in", in, &frame));
  MBD_TRY(sdf_resolve(f, frame));
  m3_vec(in_model, f->frame[frame].pose.R, v);
  m3_Tvec(axis, joint->R, in_model);
  return MBD_OK;
}

/* Limits and dynamics of a joint with one coordinate. */
static mbd_status read_coordinate(const sdf_file *f, const xml_element *e, const char *type, robot_joint *j) {
  enum { FAR = 1000 }; /* rad or m, as 1e16 in files stands for no limit */
  const xml_element *limit = xml_child(e, "limit"), *dynamics = xml_child(e, "dynamics");
  double lower = -INFINITY, upper = INFINITY, effort = -1, velocity = -1;
  if (limit) {
    MBD_TRY(sdf_number(f, limit, "lower", &lower));
    MBD_TRY(sdf_number(f, limit, "upper", &upper));
    MBD_TRY(sdf_number(f, limit, "effort", &effort));
    MBD_TRY(sdf_number(f, limit, "velocity", &velocity));
  }
  if (strcmp(type, "continuous") != 0 && lower <= upper) {
    if (lower > -FAR) { j->lower = lower; }
    if (upper < FAR) { j->upper = upper; }
  }
  j->effort = effort > 0 && isfinite(effort) ? effort : 0, j->velocity = velocity > 0 ? velocity : 0;
  if (lower > upper) {
    MBD_TRY(element_warn(&f->elements, limit, "lower = %g above upper = %g: the joint has no limits in the model",
                         lower, upper));
  }
  if (!dynamics) { return MBD_OK; }
  MBD_TRY(sdf_number(f, dynamics, "damping", &j->damping));
  MBD_TRY(sdf_number(f, dynamics, "friction", &j->friction));
  MBD_TRY(sdf_number(f, dynamics, "spring_stiffness", &j->stiffness));
  MBD_TRY(sdf_number(f, dynamics, "spring_reference", &j->rest));
  if (j->damping >= 0 && j->friction >= 0) { return MBD_OK; }
  return element_fail(&f->elements, dynamics, "damping = %g, friction = %g, expected numbers >= 0", j->damping,
                      j->friction);
}

/* The axis of a joint, `axis` or `axis2`, with what belongs to it; a ball and a fixed joint have none. */
static mbd_status read_whole_axis(sdf_file *f, const xml_element *e, const char *which, const robot_pose *pose,
                                  robot_joint *j) {
  const xml_element *axis = xml_child(e, which);
  if (j->type == ROBOT_WELD || j->type == ROBOT_SPHERICAL) { return MBD_OK; }
  if (!axis) { return element_fail(&f->elements, e, "has no <%s>", which); }
  MBD_TRY(read_axis(f, axis, pose, j->axis));
  return read_coordinate(f, axis, xml_get(e, "type"), j);
}

/* One end of a joint: the link to which the frame is attached that it names. */
static mbd_status read_end(sdf_file *f, const xml_element *e, const char *end, int *link) {
  char name[200];
  int frame;
  sdf_word(e, end, name);
  if (!*name) { return element_fail(&f->elements, e, "has no <%s>", end); }
  MBD_TRY(sdf_find(f, e, end, name, &frame));
  return sdf_link_of(f, frame, link);
}

/* The second axis of a universal joint, which ends at a link between: from there to the child, by another hinge. The frame of the link is that of
 * the joint. */
static mbd_status add_second_axis(sdf_file *f, const xml_element *e, const robot_pose *pose) {
  robot_joint *j = robot_split_joint(f->r, f->r->njoint - 1, "_link", "_2", e->line);
  return j ? read_whole_axis(f, e, "axis2", pose, j) : no_memory(f);
}

/* Adds a joint; a link that has a joint before it already closes a loop. */
static mbd_status read_joint(sdf_file *f, const xml_element *e, int frame, int *has_joint) {
  double rotor = 0, ratio = 1;
  robot_joint *j = robot_add_joint(f->r, xml_get(e, "name"), e->line);
  if (!j) { return no_memory(f); }
  MBD_TRY(read_type(f, e, j));
  MBD_TRY(read_end(f, e, "parent", &j->link[0]));
  MBD_TRY(read_end(f, e, "child", &j->link[1]));
  if (j->link[0] == j->link[1]) { return element_fail(&f->elements, e, "expected two links"); }
  if (j->link[1] == f->world) { return element_fail(&f->elements, e, "has the world as its child, expected a link"); }
  MBD_TRY(sdf_resolve(f, frame));
  const robot_pose pose = f->frame[frame].pose;
  for (int k = 0; k < 2; k++) {
    const robot_pose back = pose_inverse(&f->frame[j->link[k] == f->world ? SDF_WORLD : f->of_link[j->link[k]]].pose);
    j->frame[k] = pose_product(&back, &pose);
  }
  MBD_TRY(read_whole_axis(f, e, "axis", &pose, j));
  MBD_TRY(sdf_number(f, e, "drake:rotor_inertia", &rotor));
  MBD_TRY(sdf_number(f, e, "drake:gear_ratio", &ratio));
  j->rotor = fmax(0, rotor * ratio * ratio);
  j->closes = has_joint[j->link[1]];
  has_joint[j->link[1]] = 1;
  const char *type = xml_get(e, "type");
  const int has_two_axes = strcmp(type, "universal") == 0 || strcmp(type, "revolute2") == 0;
  return has_two_axes ? add_second_axis(f, e, &pose) : MBD_OK;
}

/* <mimic>: z = multiplier (z_other - reference) + offset. */
static mbd_status read_mimic(sdf_file *f, const xml_element *e, int joint, const mbd_names *joints) {
  const xml_element *axis = xml_child(e, "axis"), *mimic = axis ? xml_child(axis, "mimic") : NULL;
  const char *name;
  double multiplier = 1, offset = 0, reference = 0;
  if (!mimic) { return MBD_OK; }
  MBD_TRY(element_text(&f->elements, mimic, "joint", &name));
  const int other = mbd_names_find(joints, name);
  if (other < 0) { return element_not_known(&f->elements, mimic, "joint", name, joints); }
  MBD_TRY(sdf_number(f, mimic, "multiplier", &multiplier));
  MBD_TRY(sdf_number(f, mimic, "offset", &offset));
  MBD_TRY(sdf_number(f, mimic, "reference", &reference));
  const robot_joint *own = &f->r->joint[joint], *leads = &f->r->joint[other];
  if (!robot_coordinate(own) || !robot_coordinate(leads) || own->closes || leads->closes || multiplier == 0) {
    return element_fail(&f->elements, mimic,
                        "expected two joints of the tree with one coordinate each, and a multiplier other than zero");
  }
  return robot_add_coupling(f->r, joint, other, multiplier, offset - multiplier * reference, mimic->line)
             ? MBD_OK
             : no_memory(f);
}

/* <drake:ball_constraint>: a ball joint between a point of each of two bodies. */
static mbd_status read_ball(sdf_file *f, const xml_element *e) {
  static const char *const body[] = {"drake:ball_constraint_body_A", "drake:ball_constraint_body_B"};
  static const char *const point[] = {"drake:ball_constraint_p_AP", "drake:ball_constraint_p_BQ"};
  robot_joint *j = robot_add_joint(f->r, "ball", e->line);
  if (!j) { return no_memory(f); }
  j->type = ROBOT_SPHERICAL, j->closes = 1;
  for (int k = 0; k < 2; k++) {
    int found;
    MBD_TRY(read_end(f, e, body[k], &j->link[k]));
    MBD_TRY(sdf_numbers(f, e, point[k], 3, j->frame[k].xyz, &found));
    if (!found) { return element_fail(&f->elements, e, "has no <%s>", point[k]); }
  }
  if (j->link[0] == j->link[1]) { return element_fail(&f->elements, e, "expected two bodies"); }
  return MBD_OK;
}

/* ---- the model ---- */

/* Calls `read` for each child with this name, with the number of those before it. */
static mbd_status read_links_and_frames(sdf_file *f) {
  for (int i = 0; i < f->model->nchild; i++) {
    const xml_element *e = f->model->child[i];
    if (strcmp(e->name, "link") == 0) { MBD_TRY(read_link(f, e)); }
    if (strcmp(e->name, "joint") == 0 || strcmp(e->name, "frame") == 0) { MBD_TRY(sdf_add_frame(f, e, -1)); }
  }
  return MBD_OK;
}

/* Gives the model its canonical link, and the world a link if something is on it. */
static mbd_status attach_model(sdf_file *f) {
  const char *canonical = xml_get(f->model, "canonical_link");
  int first = SDF_WORLD + 1;
  while (first < f->nframe && strcmp(f->frame[first].e->name, "link") != 0) { first++; }
  if (canonical && *canonical) { MBD_TRY(sdf_find(f, f->model, "canonical_link", canonical, &first)); }
  if (first == f->nframe) { return element_fail(&f->elements, f->model, "has no <link>"); }
  f->frame[SDF_MODEL].link = f->frame[first].link;
  static const char *const end[] = {"parent", "child", "drake:ball_constraint_body_A", "drake:ball_constraint_body_B"};
  int is_used = 0;
  for (int i = 0; i < f->model->nchild; i++) {
    for (int k = 0; k < 4; k++) {
      char name[200];
      sdf_word(f->model->child[i], end[k], name);
      is_used |= strcmp(name, "world") == 0;
    }
  }
  if (!is_used) { return MBD_OK; }
  f->world = f->r->nlink;
  f->frame[SDF_WORLD].link = f->world;
  f->r->grounded = 1;
  return robot_add_link(f->r, "world", f->model->line) ? MBD_OK : no_memory(f);
}

/* The frames of all links, and where they are. */
static mbd_status place_links(sdf_file *f) {
  f->nlink = f->r->nlink;
  f->of_link = mbd_zeros((size_t)f->nlink + 1, sizeof *f->of_link);
  if (!f->of_link) { return no_memory(f); }
  for (int i = SDF_WORLD + 1; i < f->nframe; i++) {
    if (f->frame[i].link < 0) { continue; }
    f->of_link[f->frame[i].link] = i;
    MBD_TRY(sdf_resolve(f, i));
  }
  return MBD_OK;
}

/* Joints, then what couples them. */
static mbd_status read_joints(sdf_file *f, int *has_joint, mbd_names *joints) {
  for (int i = SDF_WORLD + 1; i < f->nframe; i++) {
    const xml_element *e = f->frame[i].e;
    if (strcmp(e->name, "joint") != 0) { continue; }
    if (!mbd_names_add(joints, xml_get(e, "name"), f->r->njoint)) { return no_memory(f); }
    MBD_TRY(read_joint(f, e, i, has_joint));
  }
  for (int i = SDF_WORLD + 1; i < f->nframe; i++) {
    const xml_element *e = f->frame[i].e;
    if (strcmp(e->name, "joint") == 0) {
      MBD_TRY(read_mimic(f, e, mbd_names_find(joints, xml_get(e, "name")), joints));
    }
  }
  for (int i = 0; i < f->model->nchild; i++) {
    if (strcmp(f->model->child[i]->name, "drake:ball_constraint") == 0) { MBD_TRY(read_ball(f, f->model->child[i])); }
  }
  return MBD_OK;
}

/* Links without a joint before them are free where others are on the ground; the only one of a model that is not is its root, along whose axes
 * gravity is given. */
static mbd_status read_roots(sdf_file *f, const int *has_joint) {
  for (int i = 0; i < f->nlink; i++) {
    if (has_joint[i] || i == f->world) { continue; }
    const robot_pose *pose = &f->frame[f->of_link[i]].pose;
    if (f->world < 0) {
      double gravity[3];
      m3_Tvec(gravity, pose->R, f->r->gravity);
      v3_copy(f->r->gravity, gravity);
      continue;
    }
    const robot_pose back = pose_inverse(&f->frame[SDF_WORLD].pose), place = pose_product(&back, pose);
    char *name = mbd_sprintf_dup("%s_free", f->r->link[i].name);
    robot_joint *j = name ? robot_add_joint(f->r, name, f->r->link[i].line) : NULL;
    free(name);
    if (!j) { return no_memory(f); }
    j->type = ROBOT_FLOATING, j->link[0] = f->world, j->link[1] = i;
    memcpy(j->free_start, place.xyz, sizeof place.xyz);
    robot_euler(place.R, j->free_start + 3);
  }
  return MBD_OK;
}

/* The only model of the file, of whose world gravity is read. */
static mbd_status find_model(sdf_file *f, const xml_element *root) {
  for (int i = 0; i < root->nchild; i++) {
    const xml_element *e = root->child[i];
    if (strcmp(e->name, "world") == 0) {
      MBD_TRY(sdf_numbers(f, e, "gravity", 3, f->r->gravity, NULL));
      MBD_TRY(find_model(f, e));
    }
    if (strcmp(e->name, "model") != 0) { continue; }
    if (f->model) {
      return element_fail(&f->elements, e, "is the second model, after that of line %d, expected one", f->model->line);
    }
    f->model = e;
  }
  return MBD_OK;
}

static mbd_status check_version(const sdf_file *f, const xml_element *root) {
  double version = 0;
  const char *text;
  if (strcmp(root->name, "sdf") != 0) {
    return element_fail(&f->elements, root, "expected <sdf>, the root of an SDFormat file");
  }
  MBD_TRY(element_text(&f->elements, root, "version", &text));
  MBD_TRY(element_numbers(&f->elements, root, "version", text, 1, 1, &version, NULL));
  if (version >= 1.5 - 1e-9 || strncmp(text, "1.1", 3) == 0) { return MBD_OK; } /* 1.10 and newer, not 1.1 */
  return element_fail(&f->elements, root, "version = \"%.20s\", expected 1.5 or newer", text);
}

static mbd_status read_model(sdf_file *f, const xml_element *root, mbd_names *joints, int **has_joint) {
  MBD_TRY(check_version(f, root));
  MBD_TRY(element_check(&f->elements, root));
  MBD_TRY(find_model(f, root));
  if (!f->model) { return element_fail(&f->elements, root, "has no <model>"); }
  const char *name = xml_get(f->model, "name");
  f->r->name = mbd_strdup(name && *name ? name : "robot");
  /* the model and the world as frames; gravity along the axes of the model */
  robot_pose own;
  double gravity[3];
  MBD_TRY(sdf_pose(f, f->model, &own));
  for (int i = 0; i < 2; i++) { MBD_TRY(sdf_add_frame(f, f->model, -1)); }
  f->frame[SDF_MODEL].pose = pose_identity(), f->frame[SDF_WORLD].pose = pose_inverse(&own);
  f->frame[SDF_MODEL].state = f->frame[SDF_WORLD].state = 2;
  MBD_TRY(read_links_and_frames(f));
  MBD_TRY(attach_model(f));
  if (!f->r->grounded) {
    m3_Tvec(gravity, own.R, f->r->gravity);
    v3_copy(f->r->gravity, gravity);
  }
  MBD_TRY(place_links(f));
  *has_joint = mbd_zeros((size_t)f->r->nlink + 1, sizeof **has_joint);
  if (!*has_joint) { return no_memory(f); }
  MBD_TRY(read_joints(f, *has_joint, joints));
  return read_roots(f, *has_joint);
}

mbd_status sdf_read(const char *path, robot *r, mbd_error *err) {
  static const char refused[] = "is not read, expected a file with one model that is written out";
  xml_element *root;
  mbd_names joints = {0};
  int *has_joint = NULL;
  robot_begin(r, path);
  r->note = "Left out: contacts, so bodies pass through each other. Limits bound designs, not motions.";
  sdf_file f = {.elements = {.r = r,
                             .rule = rules,
                             .nrule = (int)(sizeof rules / sizeof rules[0]),
                             .refused = refused,
                             .err = err},
                .r = r,
                .world = -1};
  MBD_TRY(xml_read(path, &root, err));
  mbd_status status = read_model(&f, root, &joints, &has_joint);
  if (status == MBD_OK) { status = robot_finish(r, err); }
  mbd_names_free(&f.names), mbd_names_free(&joints);
  free(f.frame), free(f.of_link), free(has_joint);
  xml_free(root);
  return status;
}
