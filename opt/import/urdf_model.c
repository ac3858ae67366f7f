/* The model file of a robot. Vectors of the parent's side are turned twice, by the joint's rotation R into the parent link, and from there
 * into the frame of its body: turn R v. */
#include <math.h>
#include <string.h>

#include "base/v3.h"
#include "import/urdf.h"

/* ---- numbers ---- */

static void write_three(FILE *out, const char *key, const char *body, const double v[3]) {
  fprintf(out, "%s%s%s = ", key, body ? "." : "", body ? body : "");
  for (int i = 0; i < 3; i++) {
    if (i) { fputs(", ", out); }
    urdf_number(out, v[i]);
  }
  fputc('\n', out);
}

static void write_one(FILE *out, const char *key, double v) {
  fprintf(out, "%s = ", key);
  urdf_number(out, v);
  fputc('\n', out);
}

/* Sets v to a unit vector that is not along the axis: that of the axis's least component. */
static void across(const double axis[3], double v[3]) {
  int min = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(axis[i]) < fabs(axis[min])) { min = i; }
  }
  for (int i = 0; i < 3; i++) { v[i] = i == min; }
}

/* ---- the head ---- */

static void write_head(const urdf_robot *r, FILE *out) {
  const char *slash = strrchr(r->path, '/');
  char from[200];
  snprintf(from, sizeof from, "Imported from %s.", slash ? slash + 1 : r->path);
  urdf_comment(out, from);
  fputs(
      "; Frames are those of its links. z of the root's frame is up. Units are metres, kilograms, seconds and "
      "radians.\n"
      "schema = 1\n\n[model]\nname = ",
      out);
  fprintf(out, "%s\n", r->title);
  fputs("frame = body\njoints = named\ngravity = 0, 0, -9.81\n", out);
}

/* Return the beginning and the end of a joint's motion. They are only values to start with, since the file has none: zero, or the limit nearest to
 * zero, and a point at a quarter of the way to the farther limit, or 0.5 towards a side without a limit. */
static double begins_at(const urdf_joint *j) {
  return fmin(fmax(0, j->lower), j->upper);
}

static double ends_at(const urdf_joint *j) {
  const double start = begins_at(j), up = j->upper - start, down = start - j->lower;
  const double way = up >= down ? up : -down;
  return start + (isfinite(way) ? way / 4 : copysign(0.5, way));
}

/* Writes [scalars]: duration and control points of the motions, their beginnings and ends, and speeds of friction. */
static void write_scalars(const urdf_robot *r, FILE *out) {
  int moving = 0, turning = 0, sliding = 0;
  for (int i = 0; i < r->njoint; i++) {
    const urdf_joint *j = &r->joint[i];
    moving |= urdf_moves_alone(j);
    turning |= urdf_is_turning(j->type) && j->friction > 0;
    sliding |= j->type == URDF_PRISMATIC && j->friction > 0;
  }
  /* the section has only the scalars that the file uses */
  if (!moving && !turning && !sliding) { return; }
  fputs("\n[scalars]\n", out);
  if (moving) {
    fputs(
        "T = 2                                ; s, duration of the motions below\n"
        "points = 12                          ; control points of each\n"
        "; where they begin and end: the file says nothing of that\n",
        out);
  }
  for (int i = 0; i < r->njoint; i++) {
    const urdf_joint *j = &r->joint[i];
    if (!urdf_moves_alone(j)) { continue; }
    fprintf(out, "%s_start = ", j->joint);
    urdf_number(out, begins_at(j));
    fprintf(out, "\n%s_end = ", j->joint);
    urdf_number(out, ends_at(j));
    fputc('\n', out);
  }
  if (turning || sliding) { fputs("; rates over which friction is smoothed: below them a joint creeps\n", out); }
  if (turning) { fputs("turning_width = 1e-2                 ; rad/s\n", out); }
  if (sliding) { fputs("sliding_width = 1e-3                 ; m/s\n", out); }
}

/* ---- links ---- */

static int is_zero(const double I[9]) {
  double sum = 0;
  for (int i = 0; i < 9; i++) { sum += fabs(I[i]); }
  return sum == 0;
}

/* com and inertia in the frame of the body:  c = turn c_link,  I = turn I_link turn' */
static void write_mass(const urdf_link *link, FILE *out) {
  double com[3], half[9], I[9];
  m3_vec(com, link->turn, link->com);
  m3_mul(half, link->turn, link->inertia);
  m3_mulT(I, half, link->turn);
  write_one(out, "mass", link->mass);
  if (link->mass == 0 && v3_dot(link->com, link->com) == 0 && is_zero(link->inertia)) { return; }
  write_three(out, "com", NULL, com);
  fputs("inertia = ", out);
  const int diagonal = I[1] == 0 && I[2] == 0 && I[5] == 0, place[6] = {0, 4, 8, 1, 2, 5};
  for (int i = 0; i < (diagonal ? 3 : 6); i++) {
    if (i) { fputs(", ", out); }
    urdf_number(out, I[place[i]]);
  }
  fputc('\n', out);
}

static int is_turned(const double turn[9]) {
  int turned = 0;
  for (int i = 0; i < 9; i++) { turned |= turn[i] != (i % 4 ? 0 : 1); }
  return turned;
}

static void write_link(const urdf_robot *r, const urdf_link *link, FILE *out) {
  fprintf(out, "\n[body %s]\n", link->body);
  if (strcmp(link->body, link->name) != 0) {
    fputs("; in the file, this link is called\n", out);
    urdf_comment(out, link->name);
  }
  if (is_turned(link->turn)) {
    const char *before = r->link[r->joint[link->joint].parent].body;
    fprintf(out, "; its frame is parallel to that of %s, not that of the link\n", before);
  }
  for (int i = 0; i < link->nshape; i++) {
    fputs(i ? "" : "; drawn in the file as\n", out);
    urdf_comment(out, link->shape[i]);
  }
  write_mass(link, out);
}

/* ---- joints ---- */

/* Writes the point of the joint: one that both bodies share if the joint keeps it together, else one on each body. */
static void write_points(const urdf_robot *r, const urdf_joint *j, FILE *out) {
  static const double origin[3] = {0, 0, 0};
  const urdf_link *parent = &r->link[j->parent], *child = &r->link[j->child];
  const int shared = urdf_is_turning(j->type) || j->type == URDF_FIXED;
  double xyz[3];
  m3_vec(xyz, parent->turn, j->origin.xyz);
  if (!shared) {
    fprintf(out, "\n[point %s]\n", j->place);
    write_three(out, "at", parent->body, xyz);
  }
  fprintf(out, "\n[point %s]\n", child->frame);
  if (shared) { write_three(out, "at", parent->body, xyz); }
  write_three(out, "at", child->body, origin);
}

static void write_vector(const urdf_robot *r, const urdf_joint *j, const char *name, const double v[3], FILE *out) {
  const urdf_link *parent = &r->link[j->parent], *child = &r->link[j->child];
  double in_link[3], in_body[3];
  m3_vec(in_link, j->origin.R, v);
  m3_vec(in_body, parent->turn, in_link);
  fprintf(out, "\n[vector %s]\n", name);
  write_three(out, "along", parent->body, in_body);
  write_three(out, "along", child->body, v);
}

static const char *type_in_model(urdf_type type) {
  switch (type) {
    case URDF_REVOLUTE:
    case URDF_CONTINUOUS: return "revolute";
    case URDF_PRISMATIC: return "prismatic";
    case URDF_FIXED: return "weld";
    case URDF_FLOATING: return "floating";
    case URDF_PLANAR: return "planar";
  }
  return "";
}

/* Writes a joint with its points and the vectors of its axis and of its zero. */
static void write_joint(const urdf_robot *r, const urdf_joint *j, FILE *out) {
  const urdf_link *parent = &r->link[j->parent], *child = &r->link[j->child];
  const int has_axis = urdf_coordinate(j) || j->type == URDF_PLANAR;
  double zero[3];
  write_points(r, j, out);
  if (has_axis) {
    across(j->axis, zero);
    write_vector(r, j, j->along, j->axis, out);
    write_vector(r, j, j->zero, zero, out);
  }
  /* the section of the joint, with its name in the file if that was changed */
  fprintf(out, "\n[joint %s]\n", j->joint);
  if (strcmp(j->joint, j->name) != 0) {
    fputs("; in the file, this joint is called\n", out);
    urdf_comment(out, j->name);
  }
  fprintf(out, "type = %s\nbodies = %s, %s\n", type_in_model(j->type), parent->body, child->body);
  if (urdf_is_turning(j->type) || j->type == URDF_FIXED) {
    fprintf(out, "point = %s\n", child->frame);
  } else {
    fprintf(out, "points = %s, %s\n", j->place, child->frame);
  }
  if (has_axis) { fprintf(out, "axis = %s\nzero = %s\n", j->along, j->zero); }
}

/* Writes viscous friction as a damper; with a constant part, as the friction of a joint. */
static void write_dynamics(const urdf_joint *j, FILE *out) {
  const char *coordinate = urdf_coordinate(j);
  if (!coordinate || (j->damping == 0 && j->friction == 0)) { return; }
  fprintf(out, "\n[force %s]\ntype = %s\ncoordinate = %s.%s\n", j->friction_name,
          j->friction > 0 ? "joint_friction" : "torsion_spring", j->joint, coordinate);
  if (j->friction > 0) {
    write_one(out, "torque", j->friction);
    fprintf(out, "width = %s\n", urdf_is_turning(j->type) ? "turning_width" : "sliding_width");
  }
  if (j->damping > 0) { write_one(out, "damping", j->damping); }
}

static void write_mimic(const urdf_robot *r, const urdf_joint *j, FILE *out) {
  if (j->mimic < 0) { return; }
  const urdf_joint *other = &r->joint[j->mimic];
  fprintf(out, "\n[constraint %s]\ntype = gear\ncoordinates = %s.%s,\n  %s.%s\n", j->mimic_name, j->joint,
          urdf_coordinate(j), other->joint, urdf_coordinate(other));
  write_one(out, "ratio", j->multiplier);
  write_one(out, "offset", j->offset);
}

/* Writes the root, which stands on the ground, or is free with its frame at the origin. */
static void write_base(const urdf_robot *r, urdf_base base, FILE *out) {
  static const double origin[3] = {0, 0, 0};
  const urdf_link *root = &r->link[r->order[0]];
  fprintf(out, "\n[point %s]\n", root->frame);
  write_three(out, "at", root->body, origin);
  if (base == URDF_BASE_FLOATING) {
    fprintf(out, "\n[point %s]\n", r->world);
    write_three(out, "at", "ground", origin);
  }
  fprintf(out, "\n[joint %s]\ntype = %s\nbodies = ground, %s\n", r->base,
          base == URDF_BASE_FLOATING ? "floating" : "weld", root->body);
  if (base == URDF_BASE_FLOATING) { fprintf(out, "points = %s, %s\n", r->world, root->frame); }
}

/* ---- motions and the start ---- */

/* Writes a motion that is at rest at its start and at its end: the first three control points of a B-spline are equal, and the last three. */
static void write_motion(const urdf_joint *j, FILE *out) {
  fprintf(out, "\n[curve %s_motion]\ntype = bspline\npoints = points\nfrom = 0\nto = 1\n", j->joint);
  fprintf(out,
          "value = %s_start \\\n  + (%s_end \\\n  - %s_start) \\\n"
          "  *(1 - cos(pi*min(1, max(0, (x*(points - 1) - 2)/(points - 5)))))/2\nstretch = T\n",
          j->joint, j->joint, j->joint);
}

/* Writes the start of a joint that follows another one, z = k z_other + c, from the start of that joint. */
static void write_follower(const urdf_robot *r, const urdf_joint *j, FILE *out) {
  double ratio = 1, offset = 0;
  const urdf_joint *k = j;
  for (; k->mimic >= 0; k = &r->joint[k->mimic]) {
    offset += ratio * k->offset;
    ratio *= k->multiplier;
  }
  fprintf(out, "guess.%s.%s = %s_start \\\n  * ", j->joint, urdf_coordinate(j), k->joint);
  urdf_number(out, ratio);
  fputs(" + ", out);
  urdf_number(out, offset);
  fputc('\n', out);
}

static void write_start(const urdf_robot *r, FILE *out) {
  int any = 0;
  for (int i = 0; i < r->njoint; i++) { any |= urdf_coordinate(&r->joint[i]) != NULL; }
  if (!any) { return; }
  fputs("\n[start]\n", out);
  for (int i = 0; i < r->njoint; i++) {
    const urdf_joint *j = &r->joint[i];
    if (urdf_moves_alone(j)) { fprintf(out, "hold.%s.%s = %s_start\n", j->joint, urdf_coordinate(j), j->joint); }
    if (j->mimic >= 0) { write_follower(r, j, out); }
  }
}

void urdf_write_model(const urdf_robot *r, urdf_base base, FILE *out) {
  write_head(r, out);
  write_scalars(r, out);
  for (int i = 0; i < r->nlink; i++) {
    const urdf_link *link = &r->link[r->order[i]];
    write_link(r, link, out);
    if (link->joint < 0) {
      write_base(r, base, out);
      continue;
    }
    write_joint(r, &r->joint[link->joint], out);
    write_dynamics(&r->joint[link->joint], out);
  }
  for (int i = 0; i < r->njoint; i++) { write_mimic(r, &r->joint[i], out); }
  for (int i = 0; i < r->njoint; i++) {
    if (urdf_moves_alone(&r->joint[i])) { write_motion(&r->joint[i], out); }
  }
  write_start(r, out);
}
