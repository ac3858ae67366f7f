/* What ties coordinates and bodies together in MJCF: <equality>, which holds softly there and exactly in the model, and fixed tendons. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/mjcf_read.h"

mbd_status mjcf_find(const mjcf_reader *in, const xml_element *e, const char *key, const mbd_names *names,
                     int *number) {
  const char *name = xml_get(e, key);
  *number = name ? mbd_names_find(names, name) : -1;
  if (!name || *number >= 0) { return MBD_OK; }
  return element_not_known(&in->file.elements, e, key, name, names);
}

/* ---- tendons ---- */

/* Adds coef times the coordinate of a joint, which has to be one. */
static mbd_status add_term(mjcf_reader *in, const xml_element *e, mjcf_tendon *t) {
  int joint;
  double coef = 1;
  MBD_TRY(mjcf_find(in, e, "joint", &in->joints, &joint));
  if (joint < 0) { return element_fail(&in->file.elements, e, "attribute 'joint' is missing"); }
  MBD_TRY(mjcf_number(&in->file, e, "coef", &coef));
  if (!robot_coordinate(&in->r->joint[joint])) {
    return element_fail(&in->file.elements, e, "joint = \"%.80s\", expected a hinge or a slide", xml_get(e, "joint"));
  }
  int *joints = mbd_list_grow(t->joint, t->n, sizeof *joints);
  if (joints) { t->joint = joints; }
  double *coefs = mbd_list_grow(t->coef, t->n, sizeof *coefs);
  if (coefs) { t->coef = coefs; }
  if (!joints || !coefs) { return mjcf_no_memory(&in->file); }
  joints[t->n] = joint, coefs[t->n] = coef;
  t->n++;
  return MBD_OK;
}

/* Length of a tendon where its joints are at their rests, or where the file puts them. */
static double length_at(const mjcf_reader *in, const mjcf_tendon *t, int is_rest) {
  double length = 0;
  for (int i = 0; i < t->n; i++) {
    const robot_joint *j = &in->r->joint[t->joint[i]];
    length += t->coef[i] * (is_rest ? j->rest : j->start);
  }
  return length;
}

/* The spring and the damper of a tendon: F = -k (L - L0) - c L'. */
static mbd_status add_spring(mjcf_reader *in, const mjcf_tendon *t) {
  const mjcf_file *f = &in->file;
  double v[3] = {0}, stiffness, rest[2] = {-1, -1};
  int n;
  MBD_TRY(mjcf_numbers(f, t->e, "stiffness", 1, 3, v, NULL));
  stiffness = v[0], v[0] = 0;
  MBD_TRY(mjcf_numbers(f, t->e, "damping", 1, 3, v, NULL));
  MBD_TRY(mjcf_numbers(f, t->e, "springlength", 1, 2, rest, &n));
  if (n == 1) { rest[1] = rest[0]; }
  if (stiffness == 0 && v[0] == 0) { return MBD_OK; }
  if (rest[0] != rest[1]) { return element_warn(&f->elements, t->e, "has a spring with slack, and is left out"); }
  const char *name = mjcf_name(t->e);
  robot_law *law = robot_add_law(in->r, name ? name : "tendon", t->e->line, t->n, t->joint, t->coef);
  if (!law) { return mjcf_no_memory(&in->file); }
  law->constant = stiffness * (n ? rest[0] : length_at(in, t, 1)), law->slope = -stiffness, law->rate = -v[0];
  return MBD_OK;
}

/* Reads a tendon; one in space has no terms, so that what refers to it is left out. */
static mbd_status read_one(mjcf_reader *in, const xml_element *e, mjcf_tendon *t) {
  const char *range;
  for (int i = 0; i < e->nchild; i++) {
    if (strcmp(e->child[i]->name, "joint") == 0) { MBD_TRY(add_term(in, e->child[i], t)); }
  }
  if (t->n == 0) { return element_fail(&in->file.elements, e, "has no <joint>"); }
  MBD_TRY(mjcf_get(&in->file, e, "range", &range));
  if (range) { MBD_TRY(element_warn(&in->file.elements, e, "attribute 'range' is left out: it has no limits")); }
  return add_spring(in, t);
}

mbd_status mjcf_read_tendons(mjcf_reader *in) {
  mjcf_each at = {.section = "tendon"};
  const xml_element *e;
  while ((e = mjcf_next(&in->file, &at)) != NULL) {
    const char *name = mjcf_name(e);
    mjcf_tendon *grown = mbd_list_grow(in->tendon, in->ntendon, sizeof *grown);
    if (!grown) { return mjcf_no_memory(&in->file); }
    in->tendon = grown;
    grown[in->ntendon++] = (mjcf_tendon){.e = e};
    if (name && !mbd_names_add(&in->tendons, name, in->ntendon - 1)) { return mjcf_no_memory(&in->file); }
    if (strcmp(e->name, "fixed") == 0) { MBD_TRY(read_one(in, e, &grown[in->ntendon - 1])); }
  }
  return MBD_OK;
}

/* ---- couplings of coordinates ---- */

/* Couples two coordinates, y = ratio x + offset; the joint of y must not follow another one yet, or else that of x. */
static mbd_status couple(mjcf_reader *in, const xml_element *e, int y, int x, double ratio, double offset) {
  if (in->r->joint[y].coupling >= 0 && in->r->joint[x].coupling < 0) {
    const int swap = y;
    y = x, x = swap;
    offset = -offset / ratio, ratio = 1 / ratio;
  }
  if (!isfinite(ratio) || !isfinite(offset)) {
    return element_fail(&in->file.elements, e, "has a ratio without a limit");
  }
  if (in->r->joint[y].coupling >= 0) {
    return element_warn(&in->file.elements, e, "is left out: its joints follow others already");
  }
  return robot_add_coupling(in->r, y, x, ratio, offset, e->line) ? MBD_OK : mjcf_no_memory(&in->file);
}

static mbd_status read_polynomial(mjcf_reader *in, const xml_element *e, double v[5]) {
  v[0] = v[2] = v[3] = v[4] = 0, v[1] = 1;
  return mjcf_numbers(&in->file, e, "polycoef", 1, 5, v, NULL);
}

static int is_line(const double c[5]) {
  return c[1] != 0 && c[2] == 0 && c[3] == 0 && c[4] == 0;
}

/* Lets y follow x by a polynomial, by which x cannot follow in turn; x < 0: it stays where it is, moved by c0. */
static mbd_status follow(mjcf_reader *in, const xml_element *e, int y, int x, const double c[5]) {
  if (in->r->joint[y].coupling >= 0) {
    return element_warn(&in->file.elements, e, "is left out: its joints follow others already");
  }
  if (!robot_add_coupling(in->r, y, x, x < 0 ? 0 : c[1], in->r->joint[y].start + c[0], e->line)) {
    return mjcf_no_memory(&in->file);
  }
  robot_coupling *follows = &in->r->coupling[in->r->ncoupling - 1];
  if (x < 0) { return MBD_OK; }
  follows->from = in->r->joint[x].start;
  memcpy(follows->power, c + 2, sizeof follows->power);
  return MBD_OK;
}

/* y - y0 = c0 + c1 (x - x0) + ... + c4 (x - x0)^4 of two joints, whose positions in the file are x0 and y0, or of one joint y - y0 = c0. */
static mbd_status read_joints(mjcf_reader *in, const xml_element *e) {
  int y, x;
  double c[5];
  MBD_TRY(mjcf_find(in, e, "joint1", &in->joints, &y));
  MBD_TRY(mjcf_find(in, e, "joint2", &in->joints, &x));
  if (y < 0) { return element_fail(&in->file.elements, e, "attribute 'joint1' is missing"); }
  if (!robot_coordinate(&in->r->joint[y]) || (x >= 0 && !robot_coordinate(&in->r->joint[x])) || x == y) {
    return element_fail(&in->file.elements, e, "expected two joints that are hinges or slides");
  }
  MBD_TRY(read_polynomial(in, e, c));
  if (x < 0 || !is_line(c)) { return follow(in, e, y, x, c); }
  const double y0 = in->r->joint[y].start, x0 = in->r->joint[x].start;
  return couple(in, e, y, x, c[1], y0 + c[0] - c[1] * x0);
}

/* The length of one tendon over two joints stays: a y + b x = L0 + c0. */
static mbd_status read_tendon(mjcf_reader *in, const xml_element *e) {
  int first, second;
  double c[5];
  MBD_TRY(mjcf_find(in, e, "tendon1", &in->tendons, &first));
  MBD_TRY(mjcf_find(in, e, "tendon2", &in->tendons, &second));
  MBD_TRY(read_polynomial(in, e, c));
  if (!is_line(c)) {
    return element_warn(&in->file.elements, e, "is left out: its polynomial is no line with a slope");
  }
  const mjcf_tendon *t = first >= 0 ? &in->tendon[first] : NULL;
  if (!t || second >= 0 || t->n != 2 || t->coef[0] == 0 || t->coef[1] == 0 || t->joint[0] == t->joint[1]) {
    return element_warn(&in->file.elements, e, "is left out: it is not of one tendon over two joints");
  }
  const double length = length_at(in, t, 0) + c[0];
  return couple(in, e, t->joint[0], t->joint[1], -t->coef[1] / t->coef[0], length / t->coef[0]);
}

/* ---- loops ---- */

/* Reads the ends of <connect> or <weld> as frames on two links: of sites, or of body1 and body2, which may be left out for the ground. */
static mbd_status read_ends(mjcf_reader *in, const xml_element *e, int link[2], robot_pose frame[2], int *by_sites) {
  static const char *const site_key[] = {"site1", "site2"}, *const body_key[] = {"body1", "body2"};
  *by_sites = xml_get(e, "site1") || xml_get(e, "site2");
  for (int k = 0; k < 2; k++) {
    int number;
    frame[k] = pose_identity();
    MBD_TRY(mjcf_find(in, e, *by_sites ? site_key[k] : body_key[k], *by_sites ? &in->sites : &in->bodies, &number));
    if (number < 0 && (*by_sites || k == 0)) {
      return element_fail(&in->file.elements, e, "attribute '%s' is missing", *by_sites ? site_key[k] : body_key[k]);
    }
    link[k] = number < 0 ? 0 : *by_sites ? in->site[number].link : number;
    if (*by_sites) { frame[k] = in->site[number].pose; }
  }
  if (link[0] == link[1]) { return element_fail(&in->file.elements, e, "expected two bodies"); }
  return MBD_OK;
}

/* The pose of a frame of one link in the frame of another one, where the file puts both. */
static robot_pose seen_from(const mjcf_reader *in, int link, int other, const robot_pose *frame) {
  const robot_pose world = pose_product(&in->place[other], frame), back = pose_inverse(&in->place[link]);
  return pose_product(&back, &world);
}

static mbd_status close_loop(mjcf_reader *in, const xml_element *e, robot_type type, const int link[2],
                             const robot_pose frame[2]) {
  const char *name = mjcf_name(e);
  robot_joint *j = robot_add_joint(in->r, name ? name : e->name, e->line);
  if (!j) { return mjcf_no_memory(&in->file); }
  j->type = type, j->closes = 1;
  for (int k = 0; k < 2; k++) { j->link[k] = link[k], j->frame[k] = frame[k]; }
  return MBD_OK;
}

/* Two points of one body at two points of another one are a hinge through both: makes a ball joint that has been read one of these. Returns 0 if there
 * is none of the same bodies, or the points are one, or their distances differ. */
static int make_hinge(const mjcf_reader *in, const int link[2], const robot_pose frame[2]) {
  for (int i = 0; i < in->r->njoint; i++) {
    robot_joint *j = &in->r->joint[i];
    double apart[2][3], axis[3], same[3];
    if (!j->closes || j->type != ROBOT_SPHERICAL || j->link[0] != link[0] || j->link[1] != link[1]) { continue; }
    for (int k = 0; k < 2; k++) { v3_sub(apart[k], frame[k].xyz, j->frame[k].xyz); }
    m3_Tvec(axis, j->frame[0].R, apart[0]);
    m3_vec(same, j->frame[1].R, axis);
    v3_sub(same, same, apart[1]);
    const double length = sqrt(v3_dot(axis, axis));
    if (!(length > 1e-9) || sqrt(v3_dot(same, same)) > 1e-9 * length) { continue; }
    j->type = ROBOT_REVOLUTE;
    v3_scale(j->axis, 1 / length, axis);
    return 1;
  }
  return 0;
}

/* A ball joint at the anchor, a point of body1, which is where the file puts it in body2; or at two sites. */
static mbd_status read_connect(mjcf_reader *in, const xml_element *e) {
  int link[2], by_sites, n;
  robot_pose frame[2];
  MBD_TRY(read_ends(in, e, link, frame, &by_sites));
  if (!by_sites) {
    MBD_TRY(mjcf_numbers(&in->file, e, "anchor", 3, 3, frame[0].xyz, &n));
    if (!n) { return element_fail(&in->file.elements, e, "attribute 'anchor' is missing"); }
    frame[1] = seen_from(in, link[1], link[0], &frame[0]);
  }
  return make_hinge(in, link, frame) ? MBD_OK : close_loop(in, e, ROBOT_SPHERICAL, link, frame);
}

/* Fixes body2 to body1: at the anchor, a point of body2, as the file puts them, or with the pose relpose of the anchor in body1. */
static mbd_status read_weld(mjcf_reader *in, const xml_element *e) {
  int link[2], by_sites, n;
  robot_pose frame[2];
  double pose[7];
  MBD_TRY(read_ends(in, e, link, frame, &by_sites));
  if (by_sites) { return close_loop(in, e, ROBOT_WELD, link, frame); }
  MBD_TRY(mjcf_numbers(&in->file, e, "anchor", 3, 3, frame[1].xyz, NULL));
  MBD_TRY(mjcf_numbers(&in->file, e, "relpose", 7, 7, pose, &n));
  frame[0] = seen_from(in, link[0], link[1], &frame[1]);
  if (n && (pose[3] != 0 || pose[4] != 0 || pose[5] != 0 || pose[6] != 0)) {
    memcpy(frame[0].xyz, pose, sizeof frame[0].xyz);
    pose_quaternion(pose + 3, frame[0].R);
  }
  return close_loop(in, e, ROBOT_WELD, link, frame);
}

mbd_status mjcf_read_equalities(mjcf_reader *in) {
  mjcf_each at = {.section = "equality"};
  const xml_element *e;
  while ((e = mjcf_next(&in->file, &at)) != NULL) {
    int is_active = 1;
    MBD_TRY(mjcf_flag(&in->file, e, "active", &is_active));
    if (!is_active) {
      MBD_TRY(element_warn(&in->file.elements, e, "is left out: it is not active"));
      continue;
    }
    if (strcmp(e->name, "connect") == 0) { MBD_TRY(read_connect(in, e)); }
    if (strcmp(e->name, "weld") == 0) { MBD_TRY(read_weld(in, e)); }
    if (strcmp(e->name, "joint") == 0) { MBD_TRY(read_joints(in, e)); }
    if (strcmp(e->name, "tendon") == 0) { MBD_TRY(read_tendon(in, e)); }
  }
  return MBD_OK;
}
