/* Functions that all files of this folder use: filling a robot, asking it, writing numbers and comments. */
#include "import/robot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/v3.h"
#include "config/expr.h"
#include "files/text_list.h"
#include "import/pose.h"
#include "import/robot_fill.h"

/* ---- filling ---- */

void robot_begin(robot *r, const char *path) {
  *r = (robot){.path = mbd_strdup(path), .gravity = {0, 0, -9.81}};
}

robot_link *robot_add_link(robot *r, const char *name, int line) {
  robot_link *grown = mbd_list_grow(r->link, r->nlink, sizeof *grown);
  if (!grown) { return NULL; }
  r->link = grown;
  robot_link *link = &grown[r->nlink++];
  *link = (robot_link){.name = mbd_strdup(name), .line = line, .joint = -1};
  m3_identity(link->turn);
  return link->name ? link : NULL;
}

robot_joint *robot_add_joint(robot *r, const char *name, int line) {
  robot_joint *grown = mbd_list_grow(r->joint, r->njoint, sizeof *grown);
  if (!grown) { return NULL; }
  r->joint = grown;
  robot_joint *joint = &grown[r->njoint++];
  *joint = (robot_joint){.name = mbd_strdup(name),
                         .line = line,
                         .axis = {1, 0, 0},
                         .lower = -INFINITY,
                         .upper = INFINITY,
                         .start = NAN,
                         .coupling = -1};
  for (int i = 0; i < 2; i++) { m3_identity(joint->frame[i].R); }
  return joint->name ? joint : NULL;
}

robot_joint *robot_split_joint(robot *r, int joint, const char *link_ending, const char *joint_ending, int line) {
  const robot_joint first = r->joint[joint];
  char *link = mbd_sprintf_dup("%s%s", first.name, link_ending),
       *name = mbd_sprintf_dup("%s%s", first.name, joint_ending);
  robot_joint *second = link && name && robot_add_link(r, link, line) ? robot_add_joint(r, name, line) : NULL;
  free(link), free(name);
  if (!second) { return NULL; }
  robot_joint *before = &r->joint[joint];
  second->closes = first.closes, before->closes = 0;
  second->link[0] = before->link[1] = r->nlink - 1, second->link[1] = first.link[1];
  second->frame[1] = first.frame[1], before->frame[1] = second->frame[0];
  before->type = second->type = ROBOT_REVOLUTE;
  return second;
}

robot_shape *robot_add_shape(robot_link *link, robot_look type, int line, const char *file) {
  robot_shape *grown = mbd_list_grow(link->shape, link->nshape, sizeof *grown);
  if (!grown) { return NULL; }
  link->shape = grown;
  robot_shape *shape = &grown[link->nshape++];
  *shape = (robot_shape){.type = type, .line = line, .file = file ? mbd_strdup(file) : NULL, .size = {1, 1, 1}};
  m3_identity(shape->pose.R);
  return file && !shape->file ? NULL : shape;
}

int robot_add_coupling(robot *r, int joint, int other, double ratio, double offset, int line) {
  robot_coupling *grown = mbd_list_grow(r->coupling, r->ncoupling, sizeof *grown);
  if (!grown) { return 0; }
  r->coupling = grown;
  grown[r->ncoupling] =
      (robot_coupling){.line = line, .joint = joint, .other = other, .ratio = ratio, .offset = offset};
  r->joint[joint].coupling = r->ncoupling++;
  return 1;
}

int robot_add_point(robot *r, const char *name, int line, int link, const double at[3]) {
  robot_point *grown = mbd_list_grow(r->point, r->npoint, sizeof *grown);
  if (!grown) { return 0; }
  r->point = grown;
  robot_point *point = &grown[r->npoint++];
  *point = (robot_point){.name = mbd_strdup(name), .line = line, .link = link};
  v3_copy(point->at, at);
  return point->name != NULL;
}

robot_law *robot_add_law(robot *r, const char *name, int line, int n, const int *joint, const double *coef) {
  robot_law *grown = mbd_list_grow(r->law, r->nlaw, sizeof *grown);
  if (!grown) { return NULL; }
  r->law = grown;
  robot_law *law = &grown[r->nlaw++];
  *law = (robot_law){.name = mbd_strdup(name), .line = line, .n = n, .lower = -INFINITY, .upper = INFINITY};
  law->joint = mbd_zeros((size_t)n, sizeof *law->joint);
  law->coef = mbd_zeros((size_t)n, sizeof *law->coef);
  if (!law->name || !law->joint || !law->coef) { return NULL; }
  memcpy(law->joint, joint, (size_t)n * sizeof *joint);
  memcpy(law->coef, coef, (size_t)n * sizeof *coef);
  return law;
}

robot_key *robot_add_key(robot *r, const char *name, int line) {
  robot_key *grown = mbd_list_grow(r->key, r->nkey, sizeof *grown);
  if (!grown) { return NULL; }
  r->key = grown;
  grown[r->nkey] = (robot_key){.name = mbd_strdup(name), .line = line};
  return grown[r->nkey++].name ? &grown[r->nkey - 1] : NULL;
}

int robot_add_value(robot_key *key, const robot_value *value) {
  robot_value *grown = mbd_list_grow(key->value, key->n, sizeof *grown);
  if (!grown) { return 0; }
  key->value = grown;
  grown[key->n++] = *value;
  return 1;
}

int robot_warn(robot *r, const char *place, const char *what) {
  /* the same of another place */
  for (int i = 0; i < r->nwarning; i++) {
    robot_warning *w = &r->warning[i];
    if (strcmp(w->text + w->what, what) == 0) {
      w->more++;
      return 1;
    }
  }
  /* a new one */
  robot_warning *grown = mbd_list_grow(r->warning, r->nwarning, sizeof *grown);
  if (!grown) { return 0; }
  r->warning = grown;
  char *text = mbd_sprintf_dup("%s%s", place, what);
  if (!text) { return 0; }
  grown[r->nwarning++] = (robot_warning){.text = text, .what = strlen(place)};
  return 1;
}

void robot_free(robot *r) {
  for (int i = 0; i < r->nlink; i++) {
    robot_link *link = &r->link[i];
    for (int k = 0; k < link->nshape; k++) {
      free(link->shape[k].file), free(link->shape[k].path), free(link->shape[k].name);
    }
    free(link->shape), free(link->name), free(link->body), free(link->frame);
  }
  for (int i = 0; i < r->njoint; i++) {
    robot_joint *joint = &r->joint[i];
    free(joint->name), free(joint->joint), free(joint->place), free(joint->end);
    free(joint->along), free(joint->zero);
    free(joint->friction_name), free(joint->spring_name), free(joint->rotor_name);
  }
  for (int i = 0; i < r->ncoupling; i++) { free(r->coupling[i].name); }
  for (int i = 0; i < r->nguess; i++) { free(r->guess[i].coordinate); }
  for (int i = 0; i < r->npoint; i++) { free(r->point[i].name), free(r->point[i].point); }
  for (int i = 0; i < r->nlaw; i++) {
    robot_law *law = &r->law[i];
    free(law->name), free(law->joint), free(law->coef);
    text_list_free(law->force, law->force ? law->n : 0);
    free(law->length), free(law->speed), free(law->signal);
  }
  for (int i = 0; i < r->nkey; i++) { free(r->key[i].name), free(r->key[i].value), free(r->key[i].load_case); }
  for (int i = 0; i < r->nwarning; i++) { free(r->warning[i].text); }
  free(r->warning), free(r->link), free(r->joint), free(r->coupling), free(r->order), free(r->path), free(r->name);
  free(r->guess), free(r->title), free(r->world), free(r->base), free(r->point), free(r->law), free(r->key);
  *r = (robot){0};
}

/* ---- asking ---- */

int robot_is_turning(robot_type type) {
  return type == ROBOT_REVOLUTE;
}

const char *robot_coordinate(const robot_joint *j) {
  return robot_is_turning(j->type) ? "angle" : j->type == ROBOT_PRISMATIC ? "distance" : NULL;
}

const char *robot_coordinate_at(const robot_joint *j, int i) {
  static const char *const name[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  const int first = j->type == ROBOT_SPHERICAL ? 3 : 0;
  return (j->type == ROBOT_SPHERICAL || j->type == ROBOT_FLOATING) && first + i < 7 ? name[first + i] : NULL;
}

int robot_moves_alone(const robot_joint *j) {
  return !j->closes && robot_coordinate(j) && j->coupling < 0;
}

double robot_follows(const robot_coupling *c, double other, double *slope) {
  const double x = other - c->from;
  double value = c->ratio * x + c->offset, power = x;
  *slope = c->ratio;
  for (int k = 0; k < 3; k++) {
    *slope += (k + 2) * c->power[k] * power;
    power *= x;
    value += c->power[k] * power;
  }
  return value;
}

int robot_is_line(const robot_coupling *c) {
  return c->other >= 0 && c->power[0] == 0 && c->power[1] == 0 && c->power[2] == 0;
}

/* ---- types of joints that close loops ---- */

/* Words of several formats and programs. 3d and 6d: how many freedoms are closed. */
static const struct {
  const char *word;
  robot_type type;
} closings[] = {
    {"revolute", ROBOT_REVOLUTE},   {"continuous", ROBOT_REVOLUTE},
    {"prismatic", ROBOT_PRISMATIC}, {"cylindrical", ROBOT_CYLINDRICAL},
    {"planar", ROBOT_PLANAR},       {"spherical", ROBOT_SPHERICAL},
    {"ball", ROBOT_SPHERICAL},      {"position", ROBOT_SPHERICAL},
    {"3d", ROBOT_SPHERICAL},        {"fixed", ROBOT_WELD},
    {"weld", ROBOT_WELD},           {"6d", ROBOT_WELD},
};

const char robot_closing_words[] =
    "revolute, continuous, prismatic, cylindrical, planar, spherical, ball, position, 3d, fixed, weld or 6d";

int robot_closing_type(const char *word, robot_type *type) {
  for (size_t i = 0; i < sizeof closings / sizeof closings[0]; i++) {
    if (strcasecmp(closings[i].word, word) != 0) { continue; }
    *type = closings[i].type;
    return 1;
  }
  return 0;
}

/* ---- matrices ---- */

void robot_rotation(const double rpy[3], double R[9]) {
  const double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]),
               sy = sin(rpy[2]);
  R[0] = cy * cp, R[1] = cy * sp * sr - sy * cr, R[2] = cy * sp * cr + sy * sr;
  R[3] = sy * cp, R[4] = sy * sp * sr + cy * cr, R[5] = sy * sp * cr - cy * sr;
  R[6] = -sp, R[7] = cp * sr, R[8] = cp * cr;
  pose_tidy(R);
}

void robot_angles(const double R[9], double rpy[3]) {
  rpy[1] = atan2(-R[6], hypot(R[0], R[3]));
  if (hypot(R[0], R[3]) > 1e-9) {
    rpy[0] = atan2(R[7], R[8]), rpy[2] = atan2(R[3], R[0]);
  } else { /* roll and yaw turn about one axis */
    rpy[0] = 0, rpy[2] = atan2(-R[1], R[4]);
  }
}

void robot_unit(double u[3], const double v[3]) {
  v3_scale(u, 1 / sqrt(v3_dot(v, v)), v);
}

void robot_across(const double axis[3], double v[3]) {
  int min = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(axis[i]) < fabs(axis[min])) { min = i; }
  }
  for (int i = 0; i < 3; i++) { v[i] = i == min; }
}

void robot_euler(const double R[9], double e[4]) {
  const double square[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                            1 - R[0] - R[4] + R[8]}; /* 4 e_k^2 */
  int max = 0;
  for (int k = 1; k < 4; k++) {
    if (square[k] > square[max]) { max = k; }
  }
  /* 4 e_max e_k */
  const double v[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]}, w[3] = {R[5] + R[7], R[2] + R[6], R[1] + R[3]};
  const double product[4][4] = {{square[0], v[0], v[1], v[2]},
                                {v[0], square[1], w[2], w[1]},
                                {v[1], w[2], square[2], w[0]},
                                {v[2], w[1], w[0], square[3]}};
  const double scale = (product[max][0] < 0 ? -0.5 : 0.5) / sqrt(square[max]);
  for (int k = 0; k < 4; k++) { e[k] = scale * product[max][k]; }
}

int robot_inertia(const double v[6], const double R[9], double I[9]) {
  const double own[9] = {v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]};
  double half[9];
  m3_mul(half, R, own);
  m3_mulT(I, half, R);
  return robot_is_inertia(own);
}

int robot_is_inertia(const double I[9]) {
  const double size = fabs(I[0]) + fabs(I[4]) + fabs(I[8]) + fabs(I[1]) + fabs(I[2]) + fabs(I[5]);
  const double tiny = 1e-9 * size, xy = I[0] * I[4] - I[1] * I[1], xz = I[0] * I[8] - I[2] * I[2],
               yz = I[4] * I[8] - I[5] * I[5];
  const double all = I[0] * yz - I[1] * (I[1] * I[8] - I[5] * I[2]) + I[2] * (I[1] * I[5] - I[4] * I[2]);
  return I[0] >= -tiny && I[4] >= -tiny && I[8] >= -tiny && xy >= -tiny * size && xz >= -tiny * size &&
         yz >= -tiny * size && all >= -tiny * size * size;
}

/* ---- writing ---- */

void robot_number(FILE *out, double v) {
  char text[40];
  double back;
  if (v == 0) { v = 0; } /* removes the sign of -0 */
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (mbo_number(text, &back) && back == v) { break; }
  }
  fputs(text, out);
}

void robot_comment(FILE *out, const char *text) {
  enum { MAX = 150 }; /* bytes; a line has room for 198 */
  size_t n = strlen(text), end = n < MAX ? n : MAX;
  while (end < n && end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) {
    end--;
  } /* do not cut within a character of several bytes */
  fputs("; ", out);
  for (size_t i = 0; i < end; i++) { fputc(iscntrl((unsigned char)text[i]) ? ' ' : text[i], out); }
  fputs(end < n ? " ...\n" : "\n", out);
}
