/* Keyframes of MJCF: positions of all joints, in the order in which the bodies have them, and controls of all actuators. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "import/mjcf_read.h"

/* How many positions a joint has. */
static int positions(const robot_joint *j) {
  return j->type == ROBOT_FLOATING ? 7 : j->type == ROBOT_SPHERICAL ? 4 : 1;
}

/* Reads a list of exactly n numbers; NULL without the attribute. */
static mbd_status read_list(const mjcf_reader *in, const xml_element *e, const char *key, int n, double **v) {
  const char *text = xml_get(e, key);
  *v = NULL;
  if (!text) { return MBD_OK; }
  *v = mbd_zeros((size_t)n + 1, sizeof **v);
  if (!*v) { return mjcf_no_memory(&in->file); }
  return element_numbers(&in->file.elements, e, key, text, n, n, *v, NULL);
}

static mbd_status add_positions(mjcf_reader *in, const double *qpos, robot_key *key) {
  for (int i = 0, k = 0; i < in->naxis; i++) {
    const int joint = in->axis[i], n = positions(&in->r->joint[joint]);
    for (int c = 0; c < n; c++, k++) {
      const robot_value value = {.joint = joint, .coordinate = c, .law = -1, .value = qpos[k]};
      if (!robot_add_value(key, &value)) { return mjcf_no_memory(&in->file); }
    }
  }
  return MBD_OK;
}

static mbd_status add_controls(mjcf_reader *in, const double *ctrl, const int *motor, int nmotor, robot_key *key) {
  for (int i = 0; i < nmotor; i++) {
    const robot_value value = {.joint = -1, .law = motor[i], .value = ctrl[i]};
    if (motor[i] >= 0 && !robot_add_value(key, &value)) { return mjcf_no_memory(&in->file); }
  }
  return MBD_OK;
}

static mbd_status warn_of_rates(const mjcf_reader *in, const xml_element *e) {
  const char *qvel = xml_get(e, "qvel");
  if (!qvel || strspn(qvel, " \t\r\n0.") == strlen(qvel)) { return MBD_OK; }
  return element_warn(&in->file.elements, e, "attribute 'qvel' is left out: the motion starts at rest");
}

static mbd_status read_key(mjcf_reader *in, const xml_element *e, const int *motor, int nmotor) {
  int nq = 0;
  double *qpos = NULL, *ctrl = NULL;
  const char *name = mjcf_name(e);
  for (int i = 0; i < in->naxis; i++) { nq += positions(&in->r->joint[in->axis[i]]); }
  robot_key *key = robot_add_key(in->r, name ? name : "key", e->line);
  mbd_status status = key ? warn_of_rates(in, e) : mjcf_no_memory(&in->file);
  if (status == MBD_OK) { status = read_list(in, e, "qpos", nq, &qpos); }
  if (status == MBD_OK) { status = read_list(in, e, "ctrl", nmotor, &ctrl); }
  if (status == MBD_OK && qpos) { status = add_positions(in, qpos, key); }
  if (status == MBD_OK && ctrl) { status = add_controls(in, ctrl, motor, nmotor, key); }
  free(qpos), free(ctrl);
  return status;
}

mbd_status mjcf_read_keys(mjcf_reader *in, const int *motor, int nmotor) {
  mjcf_each at = {.section = "keyframe", .name = "key"};
  const xml_element *e;
  while ((e = mjcf_next(&in->file, &at)) != NULL) { MBD_TRY(read_key(in, e, motor, nmotor)); }
  return MBD_OK;
}
