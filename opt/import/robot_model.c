/* The model file of a robot. Vectors of a joint are turned twice, by the rotation R of its frame into the link, and from there into the frame
 * of the body: turn R v. */
#include <math.h>
#include <string.h>

#include "base/v3.h"
#include "import/robot_fill.h"
#include "import/robot_shape.h"
#include "import/robot_vary.h"

/* ---- numbers ---- */

static void write_three(FILE *out, const char *key, const char *body, const double v[3]) {
  fprintf(out, "%s%s%s = ", key, body ? "." : "", body ? body : "");
  for (int i = 0; i < 3; i++) {
    if (i) { fputs(", ", out); }
    robot_number(out, v[i]);
  }
  fputc('\n', out);
}

static void write_one(FILE *out, const char *key, double v) {
  fprintf(out, "%s = ", key);
  robot_number(out, v);
  fputc('\n', out);
}

/* ---- the head ---- */

/* What the file has otherwise, each once. */
static void write_warnings(const robot *r, FILE *out) {
  if (!r->nwarning) { return; }
  fputs("; Otherwise than in the file:\n", out);
  for (int i = 0; i < r->nwarning; i++) {
    const robot_warning *w = &r->warning[i];
    const char *slash = strrchr(r->path, '/');
    const size_t folder = slash ? (size_t)(slash - r->path + 1) : 0;
    const char *text = strncmp(w->text, r->path, folder) == 0 ? w->text + folder : w->text;
    char line[300];
    const int n = snprintf(line, sizeof line, "%.250s", text);
    if (w->more && n < 250) { snprintf(line + n, sizeof line - (size_t)n, ", here and in %d more", w->more); }
    robot_comment(out, line);
  }
}

static void write_head(const robot *r, FILE *out) {
  const char *slash = strrchr(r->path, '/');
  char from[200];
  snprintf(from, sizeof from, "Imported from %s.", slash ? slash + 1 : r->path);
  robot_comment(out, from);
  if (r->note) { robot_comment(out, r->note); }
  write_warnings(r, out);
  fputs(
      "; Frames are those of its links. z of the root's frame is up. Units are metres, kilograms, seconds and "
      "radians.\n"
      "schema = 1\n\n[model]\nname = ",
      out);
  fprintf(out, "%s\n", r->title);
  fputs("frame = body\njoints = named\n", out);
  write_three(out, "gravity", NULL, r->gravity);
}

/* Return the beginning and the end of a joint's motion. They are only values to start with: where the file puts the joint, or zero, or the limit
 * nearest to that, and a point at a quarter of the way to the farther limit, or 0.5 towards a side without a limit. With loops the way is at
 * most 0.1 rad or 0.01 m, since the file does not say how far they let the joint move. */
static double begins_at(const robot_joint *j) {
  return fmin(fmax(isnan(j->start) ? 0 : j->start, j->lower), j->upper);
}

static double ends_at(const robot *r, const robot_joint *j) {
  const double start = begins_at(j), up = j->upper - start, down = start - j->lower;
  const double far = up >= down ? up : -down, way = isfinite(far) ? far / 4 : copysign(0.5, far);
  const double way_max = r->nclosing == 0 ? INFINITY : robot_is_turning(j->type) ? 0.1 : 0.01;
  return start + copysign(fmin(fabs(way), way_max), way);
}

static void write_variable(const robot_variable *v, FILE *out) {
  fprintf(out, "%s = ", v->name);
  robot_number(out, v->value);
  fprintf(out, "  ; %s%s\n", v->unit, v->opens ? "; alone it would open a loop" : "");
}

/* Writes [scalars]: duration and control points of the motions, their beginnings and ends, and speeds of friction. */
static void write_scalars(const robot *r, FILE *out) {
  int moving = 0, turning = 0, sliding = 0;
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    moving |= j->driven;
    turning |= robot_is_turning(j->type) && j->friction > 0;
    sliding |= j->type == ROBOT_PRISMATIC && j->friction > 0;
  }
  /* the section has only the scalars that the file uses */
  if (!moving && !turning && !sliding && !r->vary && !robot_has_more_scalars(r)) { return; }
  fputs("\n[scalars]\n", out);
  if (moving) {
    fputs(
        "T = 2                                ; s, duration of the motions below\n"
        "points = 12                          ; control points of each\n"
        "; where they begin and end: the file says nothing of that\n",
        out);
  }
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    if (!j->driven) { continue; }
    fprintf(out, "%s_start = ", j->joint);
    robot_number(out, begins_at(j));
    fprintf(out, "\n%s_end = ", j->joint);
    robot_number(out, ends_at(r, j));
    fputc('\n', out);
  }
  if (turning || sliding) { fputs("; rates over which friction is smoothed: below them a joint creeps\n", out); }
  if (turning) { fputs("turning_width = 1e-2                 ; rad/s\n", out); }
  if (sliding) { fputs("sliding_width = 1e-3                 ; m/s\n", out); }
  robot_write_more_scalars(r, out);
  if (r->vary) {
    fputs("; what may vary, as it is in the file\n", out);
    robot_each_variable(r, write_variable, out);
  }
}

/* ---- links ---- */

static int is_zero(const double I[9]) {
  double sum = 0;
  for (int i = 0; i < 9; i++) { sum += fabs(I[i]); }
  return sum == 0;
}

/* com and inertia in the frame of the body:  c = turn c_link,  I = turn I_link turn' */
static void write_mass(const robot *r, const robot_link *link, FILE *out) {
  double com[3], half[9], I[9];
  m3_vec(com, link->turn, link->com);
  m3_mul(half, link->turn, link->inertia);
  m3_mulT(I, half, link->turn);
  fputs("mass = ", out);
  robot_number(out, link->mass);
  robot_write_density(r, link, 3, out);
  fputc('\n', out);
  if (link->mass == 0 && v3_dot(link->com, link->com) == 0 && is_zero(link->inertia)) { return; }
  fputs("com = ", out);
  robot_write_of_link(r, link, com, out);
  fputs("\ninertia = ", out);
  const int diagonal = I[1] == 0 && I[2] == 0 && I[5] == 0, place[6] = {0, 4, 8, 1, 2, 5};
  for (int i = 0; i < (diagonal ? 3 : 6); i++) {
    if (i) { fputs(r->vary ? ",\n  " : ", ", out); }
    robot_number(out, I[place[i]]);
    robot_write_density(r, link, 5, out);
  }
  fputc('\n', out);
}

static int is_turned(const double turn[9]) {
  int turned = 0;
  for (int i = 0; i < 9; i++) { turned |= turn[i] != (i % 4 ? 0 : 1); }
  return turned;
}

static void write_link(const robot *r, const robot_link *link, FILE *out) {
  fprintf(out, "\n[body %s]\n", link->body);
  if (strcmp(link->body, link->name) != 0) {
    fputs("; in the file, this link is called\n", out);
    robot_comment(out, link->name);
  }
  if (is_turned(link->turn)) {
    const robot_joint *joint = &r->joint[link->joint];
    if (joint->type == ROBOT_REVOLUTE || joint->type == ROBOT_PRISMATIC || joint->type == ROBOT_PLANAR) {
      fputs("; its frame is not that of the link: a weld that closes a loop needs parallel frames\n", out);
    } else {
      fprintf(out, "; its frame is parallel to that of %s, not that of the link\n", r->link[joint->link[0]].body);
    }
  }
  write_mass(r, link, out);
}

/* ---- joints ---- */

/* Returns 1 if the joint's point on its second link is the origin of that link, which then has no other point there. */
static int is_at_origin(const robot *r, const robot_joint *j) {
  const double *xyz = j->frame[1].xyz;
  return !j->closes && v3_dot(xyz, xyz) == 0 && r->link[j->link[1]].joint >= 0;
}

/* Returns 1 if the joint keeps its points together, so that both bodies share one. */
static int joins_points(robot_type type) {
  return type == ROBOT_REVOLUTE || type == ROBOT_WELD || type == ROBOT_SPHERICAL;
}

/* The name of the point on the second body. */
static const char *end_point(const robot *r, const robot_joint *j) {
  return is_at_origin(r, j) ? r->link[j->link[1]].frame : joins_points(j->type) ? j->place : j->end;
}

static void write_at(const robot *r, const robot_joint *j, int k, FILE *out) {
  const robot_link *link = &r->link[j->link[k]];
  double xyz[3];
  m3_vec(xyz, link->turn, j->frame[k].xyz);
  fprintf(out, "at.%s = ", link->body);
  robot_write_place(r, j, k, xyz, out);
  fputc('\n', out);
}

/* Writes the point of the joint: one that both bodies share if the joint keeps it together, else one on each body. */
static void write_points(const robot *r, const robot_joint *j, FILE *out) {
  static const double origin[3] = {0, 0, 0};
  const robot_link *child = &r->link[j->link[1]];
  const int shared = joins_points(j->type);
  if (!shared) {
    fprintf(out, "\n[point %s]\n", j->place);
    write_at(r, j, 0, out);
  }
  fprintf(out, "\n[point %s]\n", end_point(r, j));
  if (shared) { write_at(r, j, 0, out); }
  write_at(r, j, 1, out);
  if (j->closes || is_at_origin(r, j)) { return; }
  fprintf(out, "\n[point %s]\n", child->frame);
  write_three(out, "at", child->body, origin);
}

static void write_vector(const robot *r, const robot_joint *j, const char *name, const double v[3], FILE *out) {
  fprintf(out, "\n[vector %s]\n", name);
  for (int k = 0; k < 2; k++) {
    const robot_link *link = &r->link[j->link[k]];
    double in_link[3], in_body[3];
    m3_vec(in_link, j->frame[k].R, v);
    m3_vec(in_body, link->turn, in_link);
    write_three(out, "along", link->body, in_body);
  }
}

/* The axis of a joint, and a direction from which its angle counts or which it keeps. */
static void write_axes(const robot *r, const robot_joint *j, FILE *out) {
  double zero[3];
  robot_across(j->axis, zero);
  write_vector(r, j, j->along, j->axis, out);
  write_vector(r, j, j->zero, zero, out);
}

static const char *type_in_model(robot_type type) {
  switch (type) {
    case ROBOT_REVOLUTE: return "revolute";
    case ROBOT_PRISMATIC: return "prismatic";
    case ROBOT_CYLINDRICAL: return "cylindrical";
    case ROBOT_SPHERICAL: return "spherical";
    case ROBOT_PLANAR: return "planar";
    case ROBOT_FLOATING: return "floating";
    case ROBOT_WELD: return "weld";
  }
  return "";
}

/* Writes a joint with its points and the vectors of its axis and of its zero. */
static void write_joint(const robot *r, const robot_joint *j, FILE *out) {
  const int has_axis = j->type != ROBOT_WELD && j->type != ROBOT_FLOATING && j->type != ROBOT_SPHERICAL;
  write_points(r, j, out);
  if (has_axis) { write_axes(r, j, out); }
  /* the section of the joint, with its name in the file if that was changed */
  fprintf(out, "\n[joint %s]\n", j->joint);
  if (strcmp(j->joint, j->name) != 0) {
    fputs("; in the file, this joint is called\n", out);
    robot_comment(out, j->name);
  }
  fprintf(out, "type = %s\nbodies = %s, %s\n", type_in_model(j->type), r->link[j->link[0]].body,
          r->link[j->link[1]].body);
  if (j->closes) {
    fputs("cut = yes                            ; so that the joints of the tree keep their coordinates\n", out);
  }
  if (joins_points(j->type)) {
    fprintf(out, "point = %s\n", end_point(r, j));
  } else {
    fprintf(out, "points = %s, %s\n", j->place, end_point(r, j));
  }
  if (has_axis) { fprintf(out, "axis = %s\nzero = %s\n", j->along, j->zero); }
}

/* Writes a number of a force, or the name of the scalar that it is. */
static void write_law(const robot *r, unsigned kind, const robot_joint *j, const char *key, const char *name,
                      double value, FILE *out) {
  fprintf(out, "%s = ", key);
  robot_write_value(r, kind, j, name, value, out);
  fputc('\n', out);
}

/* Viscous friction of a spherical joint, a torque -d w against the angular velocity of the second body relative to the first, along each axis of
 * the first one. Its vectors and forces have the names of those that joints with a coordinate have. */
static void write_ball_damping(const robot *r, const robot_joint *j, FILE *out) {
  const char *first = r->link[j->link[0]].body, *second = r->link[j->link[1]].body;
  const char *const vector[] = {j->along, j->zero, j->end};
  const char *const force[] = {j->friction_name, j->spring_name, j->rotor_name};
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {k == 0, k == 1, k == 2};
    fprintf(out, "\n[vector %s]\n", vector[k]);
    write_three(out, "along", first, axis);
    fprintf(out, "\n[force %s]\ntype = expression\nbodies = %s, %s\naxis = %s\nvalue = -", force[k], first, second,
            vector[k]);
    robot_number(out, j->damping);
    fprintf(out, "*%s.rate@%s.%c\n", second, first, 'x' + k);
  }
}

/* Writes a spring and viscous friction as a spring-damper of the coordinate; with a constant part, the friction as that of a joint; the rotor
 * of its motor. */
static void write_dynamics(const robot *r, const robot_joint *j, FILE *out) {
  const char *coordinate = robot_coordinate(j);
  if (j->type == ROBOT_SPHERICAL && j->damping > 0) { write_ball_damping(r, j, out); }
  if (!coordinate) { return; }
  if (j->friction > 0) {
    fprintf(out, "\n[force %s]\ntype = joint_friction\ncoordinate = %s.%s\n", j->friction_name, j->joint, coordinate);
    write_one(out, "torque", j->friction);
    fprintf(out, "width = %s\n", robot_is_turning(j->type) ? "turning_width" : "sliding_width");
    if (j->damping > 0) { write_law(r, ROBOT_VARY_DAMPERS, j, "damping", "damping", j->damping, out); }
  } else if (j->damping > 0) {
    fprintf(out, "\n[force %s]\ntype = torsion_spring\ncoordinate = %s.%s\n", j->friction_name, j->joint, coordinate);
    write_law(r, ROBOT_VARY_DAMPERS, j, "damping", "damping", j->damping, out);
  }
  if (j->stiffness > 0) {
    fprintf(out, "\n[force %s]\ntype = torsion_spring\ncoordinate = %s.%s\n", j->spring_name, j->joint, coordinate);
    write_law(r, ROBOT_VARY_SPRINGS, j, "stiffness", "stiffness", j->stiffness, out);
    write_law(r, ROBOT_VARY_SPRINGS, j, "free_angle", "rest", j->rest, out);
  }
  if (j->rotor > 0) {
    fprintf(out, "\n[force %s]\ntype = rotor_inertia\ncoordinate = %s.%s\n", j->rotor_name, j->joint, coordinate);
    write_law(r, ROBOT_VARY_ROTORS, j, "inertia", "rotor", j->rotor, out);
  }
}

static void write_coupling(const robot *r, const robot_coupling *c, FILE *out) {
  const robot_joint *joint = &r->joint[c->joint], *other = c->other < 0 ? NULL : &r->joint[c->other];
  fprintf(out, "\n[constraint %s]\n", c->name);
  if (robot_is_line(c)) {
    fprintf(out, "type = gear\ncoordinates = %s.%s,\n  %s.%s\n", joint->joint, robot_coordinate(joint), other->joint,
            robot_coordinate(other));
    write_one(out, "ratio", c->ratio);
    write_one(out, "offset", c->offset);
    return;
  }
  if (other) {
    fprintf(out, "type = cam\ncoordinates = %s.%s,\n  %s.%s\n", joint->joint, robot_coordinate(joint), other->joint,
            robot_coordinate(other));
    write_one(out, "offset", c->offset);
    write_one(out, "phase", c->from);
  } else {
    fprintf(out, "type = driven_coordinate\ncoordinate = %s.%s\n", joint->joint, robot_coordinate(joint));
  }
  fprintf(out, "motion = %s\n\n[curve %s]\ntype = polynomial\ncoefficients = ", c->name, c->name);
  const double polynomial[] = {other ? 0 : c->offset, c->ratio, c->power[0], c->power[1], c->power[2]};
  for (int k = 0; k < (other ? 5 : 1); k++) {
    if (k) { fputs(", ", out); }
    robot_number(out, polynomial[k]);
  }
  fputc('\n', out);
}

static void write_point(const robot *r, const robot_point *point, FILE *out) {
  const robot_link *link = &r->link[point->link];
  double at[3];
  m3_vec(at, link->turn, point->at);
  fprintf(out, "\n[point %s]\nat.%s = ", point->point, link->body);
  robot_write_of_link(r, link, at, out);
  fputc('\n', out);
}

/* Writes the root, which stands on the ground, or is free with its frame at the origin. */
static void write_base(const robot *r, robot_base base, FILE *out) {
  static const double origin[3] = {0, 0, 0};
  const robot_link *root = &r->link[r->order[0]];
  fprintf(out, "\n[point %s]\n", root->frame);
  write_three(out, "at", root->body, origin);
  if (base == ROBOT_BASE_FLOATING) {
    fprintf(out, "\n[point %s]\n", r->world);
    write_three(out, "at", "ground", origin);
  }
  fprintf(out, "\n[joint %s]\ntype = %s\nbodies = ground, %s\n", r->base,
          base == ROBOT_BASE_FLOATING ? "floating" : "weld", root->body);
  if (base == ROBOT_BASE_FLOATING) { fprintf(out, "points = %s, %s\n", r->world, root->frame); }
}

/* ---- motions and the start ---- */

/* Writes a motion that is at rest at its start and at its end: the first three control points of a B-spline are equal, and the last three. */
static void write_motion(const robot_joint *j, FILE *out) {
  fprintf(out, "\n[curve %s_motion]\ntype = bspline\npoints = points\nfrom = 0\nto = 1\n", j->joint);
  fprintf(out,
          "value = %s_start \\\n  + (%s_end \\\n  - %s_start) \\\n"
          "  *(1 - cos(pi*min(1, max(0, (x*(points - 1) - 2)/(points - 5)))))/2\nstretch = T\n",
          j->joint, j->joint, j->joint);
}

/* Writes the start of a joint that follows another one, z = k z_other + c, from the start of that joint; powers follow from the constraint. */
static void write_follower(const robot *r, const robot_joint *j, FILE *out) {
  double ratio = 1, offset = 0;
  const robot_joint *k = j;
  while (k && k->coupling >= 0) {
    const robot_coupling *c = &r->coupling[k->coupling];
    offset += ratio * (c->offset - c->ratio * c->from);
    ratio *= c->ratio;
    k = c->other < 0 ? NULL : &r->joint[c->other];
  }
  fprintf(out, "guess.%s.%s = ", j->joint, robot_coordinate(j));
  if (k && ratio != 1) {
    robot_number(out, ratio);
    fputs(" \\\n  * ", out);
  }
  if (k) { fprintf(out, "%s_start", k->joint); }
  if (k && offset != 0) { fputs(" \\\n  + ", out); }
  if (!k || offset != 0) { robot_number(out, offset); }
  fputc('\n', out);
}

/* Writes where a joint of several coordinates begins, if the file says it. */
static void write_free_start(const robot_joint *j, FILE *out) {
  for (int k = 0; robot_has_free_start(j) && robot_coordinate_at(j, k); k++) {
    const char *coordinate = robot_coordinate_at(j, k);
    fprintf(out, "guess.%s.%s = %s_%s_start\n", j->joint, coordinate, j->joint, coordinate);
  }
}

/* Writes where a robot with loops is assembled: held are the joints that are driven; the other coordinates are near the values of the position in
 * which the loops were closed. */
static void write_closed_start(const robot *r, FILE *out) {
  fputs("\n[start]\n", out);
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    if (j->driven) { fprintf(out, "hold.%s.%s = %s_start\n", j->joint, robot_coordinate(j), j->joint); }
    write_free_start(j, out);
  }
  for (int i = 0; i < r->nguess; i++) {
    const robot_joint *j = &r->joint[r->guess[i].joint];
    if (j->driven || robot_has_free_start(j)) { continue; }
    fprintf(out, "guess.%s = ", r->guess[i].coordinate);
    robot_number(out, fabs(r->guess[i].value) < 1e-15 ? 0 : r->guess[i].value); /* rounding of zero */
    fputc('\n', out);
  }
}

static void write_start(const robot *r, FILE *out) {
  int any = 0;
  for (int i = 0; i < r->njoint; i++) {
    any |= robot_coordinate(&r->joint[i]) != NULL || robot_has_free_start(&r->joint[i]);
  }
  if (!any) { return; }
  if (r->nclosing > 0) {
    write_closed_start(r, out);
    return;
  }
  fputs("\n[start]\n", out);
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    if (j->driven) { fprintf(out, "hold.%s.%s = %s_start\n", j->joint, robot_coordinate(j), j->joint); }
    if (j->coupling >= 0) { write_follower(r, j, out); }
    write_free_start(j, out);
  }
}

void robot_write_model(const robot *r, robot_base base, FILE *out) {
  write_head(r, out);
  write_scalars(r, out);
  for (int i = 0; i < r->nlink; i++) {
    const robot_link *link = &r->link[r->order[i]];
    if (r->grounded && link->joint < 0) { continue; }
    write_link(r, link, out);
    if (link->joint < 0) {
      write_base(r, base, out);
      continue;
    }
    write_joint(r, &r->joint[link->joint], out);
    write_dynamics(r, &r->joint[link->joint], out);
  }
  for (int i = 0; i < r->njoint; i++) {
    if (r->joint[i].closes) { write_joint(r, &r->joint[i], out); }
  }
  for (int i = 0; i < r->ncoupling; i++) { write_coupling(r, &r->coupling[i], out); }
  for (int i = 0; i < r->npoint; i++) { write_point(r, &r->point[i], out); }
  for (int i = 0; i < r->nlink; i++) { robot_write_shapes(&r->link[r->order[i]], out); }
  robot_write_laws(r, out);
  for (int i = 0; i < r->njoint; i++) {
    if (r->joint[i].driven) { write_motion(&r->joint[i], out); }
  }
  write_start(r, out);
}
