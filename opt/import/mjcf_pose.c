/* Poses of frames in MJCF, in each of the forms that the format has. */
#include <math.h>
#include <string.h>

#include "base/v3.h"
#include "import/mjcf_file.h"

/* ---- the forms of orientations ---- */

/* Scales a vector to length 1; returns 0 if it has none. */
static int unit(double v[3]) {
  const double length = sqrt(v3_dot(v, v));
  if (!(length > 1e-14)) { return 0; }
  v3_scale(v, 1 / length, v);
  return 1;
}

/* The n-th turn is about the axis of the n-th letter: of the turned frame (small) or of the fixed one (capital). */
static int by_euler(const mjcf_compiler *c, const double v[6], double R[9]) {
  robot_pose pose = pose_identity();
  for (int i = 0; i < 3; i++) {
    const int is_fixed = c->euler[i] < 'a', k = c->euler[i] - (is_fixed ? 'X' : 'x');
    const double axis[3] = {k == 0, k == 1, k == 2};
    const robot_pose turn = pose_turn(axis, v[i] * c->angle);
    pose = is_fixed ? pose_product(&turn, &pose) : pose_product(&pose, &turn);
  }
  memcpy(R, pose.R, 9 * sizeof *R);
  return 1;
}

static int by_quaternion(const mjcf_compiler *c, const double v[6], double R[9]) {
  (void)c;
  if (!(sqrt(v[0] * v[0] + v3_dot(v + 1, v + 1)) > 1e-14)) { return 0; }
  pose_quaternion(v, R);
  return 1;
}

static int by_axis_and_angle(const mjcf_compiler *c, const double v[6], double R[9]) {
  double axis[3] = {v[0], v[1], v[2]};
  if (!unit(axis)) { return 0; }
  memcpy(R, pose_turn(axis, v[3] * c->angle).R, 9 * sizeof *R);
  return 1;
}

/* The y axis is made perpendicular to the x axis. */
static int by_two_axes(const mjcf_compiler *c, const double v[6], double R[9]) {
  double x[3] = {v[0], v[1], v[2]}, y[3] = {v[3], v[4], v[5]}, z[3];
  (void)c;
  if (!unit(x)) { return 0; }
  v3_axpy(y, -v3_dot(x, y), x);
  if (!unit(y)) { return 0; }
  v3_cross(z, x, y);
  for (int i = 0; i < 3; i++) { R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i]; }
  pose_tidy(R);
  return 1;
}

/* The shortest turn of (0, 0, 1) to the axis; of its opposite, half a turn about x. */
static int by_z_axis(const mjcf_compiler *c, const double v[6], double R[9]) {
  static const double up[3] = {0, 0, 1};
  double z[3] = {v[0], v[1], v[2]};
  (void)c;
  if (!unit(z)) { return 0; }
  if (z[2] < -1 + 1e-14) {
    memcpy(R, (const double[9]){1, 0, 0, 0, -1, 0, 0, 0, -1}, 9 * sizeof *R);
  } else {
    m3_align(up, z, R);
  }
  pose_tidy(R);
  return 1;
}

typedef struct orientation {
  const char *key;
  int n;
  int (*rotation)(const mjcf_compiler *c, const double v[6], double R[9]); /* 0: the numbers give no direction */
} orientation;

static const orientation orientations[] = {{"quat", 4, by_quaternion},
                                           {"axisangle", 4, by_axis_and_angle},
                                           {"euler", 3, by_euler},
                                           {"xyaxes", 6, by_two_axes},
                                           {"zaxis", 3, by_z_axis}};

/* Finds the form that the element has, or else its class; NULL: none. */
static mbd_status find_form(const mjcf_file *f, const xml_element *e, const orientation **form) {
  const orientation *inherited = NULL;
  *form = NULL;
  for (size_t i = 0; i < sizeof orientations / sizeof orientations[0]; i++) {
    const orientation *o = &orientations[i];
    const char *text;
    if (xml_get(e, o->key)) {
      if (*form) { return element_fail(&f->elements, e, "has %s and %s, expected one of them", (*form)->key, o->key); }
      *form = o;
    }
    MBD_TRY(mjcf_get(f, e, o->key, &text));
    if (text && !inherited) { inherited = o; }
  }
  if (!*form) { *form = inherited; }
  return MBD_OK;
}

mbd_status mjcf_pose(const mjcf_file *f, const xml_element *e, robot_pose *pose) {
  const orientation *form;
  double v[6];
  *pose = pose_identity();
  MBD_TRY(mjcf_numbers(f, e, "pos", 3, 3, pose->xyz, NULL));
  MBD_TRY(find_form(f, e, &form));
  if (!form) { return MBD_OK; }
  MBD_TRY(mjcf_numbers(f, e, form->key, form->n, form->n, v, NULL));
  if (form->rotation(&f->compiler, v, pose->R)) { return MBD_OK; }
  return element_fail(&f->elements, e, "%s gives no orientation, expected directions with a length", form->key);
}
