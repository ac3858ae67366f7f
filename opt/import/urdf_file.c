#include "import/urdf_file.h"

#include <string.h>

#include "base/v3.h"
#include "import/robot_fill.h"

/* ---- the permitted elements ---- */

static const element_rule rules[] = {
    {.name = "robot",
     .attributes = "name version",
     .several = "link joint loop_joint loop constraint coupling drake:ball_constraint",
     .aside = "material transmission gazebo ros2_control sensor group"},
    {.name = "link",
     .attributes = "name type",
     .once = "inertial",
     .aside = "visual collision self_collision_checking"},
    {.name = "inertial", .once = "origin mass inertia"},
    {.name = "mass", .attributes = "value"},
    {.name = "inertia", .attributes = "ixx ixy ixz iyy iyz izz"},
    {.name = "origin", .attributes = "xyz rpy"},
    {.name = "joint",
     .attributes = "name type",
     .once = "origin parent child axis dynamics limit mimic",
     .aside = "calibration safety_controller"},
    {.name = "parent", .attributes = "link"},
    {.name = "child", .attributes = "link"},
    {.name = "axis", .attributes = "xyz"},
    {.name = "dynamics", .attributes = "damping friction"},
    {.name = "limit", .attributes = "lower upper effort velocity"},
    {.name = "mimic", .attributes = "joint multiplier offset"},
    /* what closes loops */
    {.name = "loop_joint", .attributes = "name type", .once = "link1 link2 axis"},
    {.name = "link1", .attributes = "link xyz rpy", .once = "origin"},
    {.name = "link2", .attributes = "link xyz rpy", .once = "origin"},
    {.name = "loop", .attributes = "name type", .once = "predecessor successor axis"},
    {.name = "constraint", .attributes = "name type", .once = "predecessor successor axis", .aside = "ratio"},
    {.name = "predecessor", .attributes = "link xyz rpy", .once = "origin"},
    {.name = "successor", .attributes = "link xyz rpy", .once = "origin"},
    {.name = "coupling", .attributes = "name", .aside = "predecessor successor ratio"},
    {.name = "drake:ball_constraint",
     .attributes = "name",
     .once = "drake:ball_constraint_body_A drake:ball_constraint_body_B drake:ball_constraint_p_AP "
             "drake:ball_constraint_p_BQ"},
    {.name = "drake:ball_constraint_body_A", .attributes = "name"},
    {.name = "drake:ball_constraint_body_B", .attributes = "name"},
    {.name = "drake:ball_constraint_p_AP", .attributes = "value"},
    {.name = "drake:ball_constraint_p_BQ", .attributes = "value"},
};

mbd_status urdf_check(element_file *f, const xml_element *root) {
  f->rule = rules, f->nrule = sizeof rules / sizeof rules[0];
  if (strcmp(root->name, "robot") != 0) { return element_fail(f, root, "expected <robot>, the root of a URDF file"); }
  return element_check(f, root);
}

/* ---- values ---- */

mbd_status urdf_required(const element_file *f, const xml_element *e, const char *key, int n, double *v) {
  const char *text;
  MBD_TRY(element_text(f, e, key, &text));
  return element_numbers(f, e, key, text, n, n, v, NULL);
}

mbd_status urdf_numbers(const element_file *f, const xml_element *e, const char *key, int n, double *v) {
  return xml_get(e, key) ? urdf_required(f, e, key, n, v) : MBD_OK;
}

mbd_status urdf_read_link(const element_file *f, const xml_element *e, const char *key, const mbd_names *known,
                          int *link) {
  const char *name;
  MBD_TRY(element_text(f, e, key, &name));
  *link = mbd_names_find(known, name);
  return *link >= 0 ? MBD_OK : element_not_known(f, e, key, name, known);
}

mbd_status urdf_read_axis(const element_file *f, const xml_element *e, double axis[3]) {
  const xml_element *given = xml_child(e, "axis");
  if (!given) { return MBD_OK; }
  MBD_TRY(urdf_required(f, given, "xyz", 3, axis));
  if (v3_dot(axis, axis) > 0) { return MBD_OK; }
  return element_fail(f, given, "xyz = \"%.80s\", expected a direction", xml_get(given, "xyz"));
}

mbd_status urdf_read_pose(const element_file *f, const xml_element *e, robot_pose *pose) {
  double rpy[3] = {0, 0, 0};
  v3_set(pose->xyz, 0, 0, 0);
  MBD_TRY(urdf_numbers(f, e, "xyz", 3, pose->xyz));
  MBD_TRY(urdf_numbers(f, e, "rpy", 3, rpy));
  robot_rotation(rpy, pose->R);
  return MBD_OK;
}

mbd_status urdf_read_origin(const element_file *f, const xml_element *e, robot_pose *origin) {
  const xml_element *given = xml_child(e, "origin");
  *origin = (robot_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return given ? urdf_read_pose(f, given, origin) : MBD_OK;
}
