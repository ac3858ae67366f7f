/* Motors of MJCF. An actuator exerts along its transmission, of length l = gear L with L a coordinate or the length of a fixed tendon, the
 * force f = gain control + b0 + b1 l + b2 l', and so gear f along L. Shortcuts are settings of gain and b:
 *   motor     1, (0, 0, 0)         position  kp, (0, -kp, -kv)      velocity  kv, (0, 0, -kv)
 * In defaults, too, a shortcut stands for <general>: all of them in a class change the same settings, the outermost class first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "import/mjcf_read.h"

typedef struct settings {
  double gain, bias[3], gear;
  double control[2], force[2]; /* ranges */
  int gain_type, bias_type, dynamics, control_limited, force_limited, has_control, has_force;
} settings;

static const char *gain_at(int i) {
  static const char *const word[] = {"fixed", "affine", "muscle", "user", "dcmotor"};
  return i < 5 ? word[i] : NULL;
}
static const char *bias_at(int i) {
  static const char *const word[] = {"none", "affine", "muscle", "user", "dcmotor"};
  return i < 5 ? word[i] : NULL;
}
static const char *dynamics_at(int i) {
  static const char *const word[] = {"none", "filter", "filterexact", "integrator", "muscle", "user", "dcmotor"};
  return i < 7 ? word[i] : NULL;
}

/* Numbers and words of the element itself, without its class. */
static mbd_status read_own(const mjcf_reader *in, const xml_element *e, const char *key, int min, int max, double *v) {
  const char *text = xml_get(e, key);
  return text ? element_numbers(&in->file.elements, e, key, text, min, max, v, NULL) : MBD_OK;
}

static mbd_status read_word(const mjcf_reader *in, const xml_element *e, const char *key, const char *(*word_at)(int i),
                            int *i) {
  return xml_get(e, key) ? mjcf_word(&in->file, e, key, word_at, i) : MBD_OK;
}

static mbd_status apply_general(const mjcf_reader *in, const xml_element *e, settings *s) {
  double gain[10] = {s->gain}, bias[10] = {s->bias[0], s->bias[1], s->bias[2]};
  MBD_TRY(read_word(in, e, "gaintype", gain_at, &s->gain_type));
  MBD_TRY(read_word(in, e, "biastype", bias_at, &s->bias_type));
  MBD_TRY(read_word(in, e, "dyntype", dynamics_at, &s->dynamics));
  MBD_TRY(read_own(in, e, "gainprm", 1, 10, gain));
  MBD_TRY(read_own(in, e, "biasprm", 1, 10, bias));
  s->gain = gain[0];
  memcpy(s->bias, bias, sizeof s->bias);
  return MBD_OK;
}

static mbd_status apply_shortcut(const mjcf_reader *in, const xml_element *e, settings *s) {
  const int is_motor = strcmp(e->name, "motor") == 0, is_position = strcmp(e->name, "position") == 0;
  double kv = is_position ? -s->bias[2] : s->gain;
  MBD_TRY(read_own(in, e, "kv", 1, 1, &kv));
  if (is_position) { MBD_TRY(read_own(in, e, "kp", 1, 1, &s->gain)); }
  if (!is_position) { s->gain = is_motor ? 1 : kv; }
  s->gain_type = s->dynamics = 0, s->bias_type = !is_motor;
  s->bias[0] = 0, s->bias[1] = is_position ? -s->gain : 0, s->bias[2] = is_motor ? 0 : -kv;
  return MBD_OK;
}

static int is_actuator(const xml_element *e) {
  static const char *const word[] = {"general", "motor", "position", "velocity", NULL};
  for (int i = 0; word[i]; i++) {
    if (strcmp(e->name, word[i]) == 0) { return 1; }
  }
  return 0;
}

static mbd_status apply(const mjcf_reader *in, const xml_element *e, settings *s) {
  double gear[6] = {s->gear};
  s->has_control |= xml_get(e, "ctrlrange") != NULL, s->has_force |= xml_get(e, "forcerange") != NULL;
  MBD_TRY(read_own(in, e, "gear", 1, 6, gear));
  s->gear = gear[0];
  MBD_TRY(read_own(in, e, "ctrlrange", 2, 2, s->control));
  MBD_TRY(read_own(in, e, "forcerange", 2, 2, s->force));
  MBD_TRY(read_word(in, e, "ctrllimited", mjcf_limited_at, &s->control_limited));
  MBD_TRY(read_word(in, e, "forcelimited", mjcf_limited_at, &s->force_limited));
  return strcmp(e->name, "general") == 0 ? apply_general(in, e, s) : apply_shortcut(in, e, s);
}

/* Applies the defaults of a class, from the first one on. */
static mbd_status apply_defaults(const mjcf_reader *in, int i, settings *s) {
  if (i < 0) { return MBD_OK; }
  const mjcf_default *d = &in->file.defaults[i];
  MBD_TRY(apply_defaults(in, d->before, s));
  for (int k = 0; k < d->e->nchild; k++) {
    if (is_actuator(d->e->child[k])) { MBD_TRY(apply(in, d->e->child[k], s)); }
  }
  return MBD_OK;
}

static mbd_status apply_class(const mjcf_reader *in, int class, settings *s) {
  if (class < 0) { return MBD_OK; }
  MBD_TRY(apply_class(in, in->file.class[class].parent, s));
  return apply_defaults(in, in->file.class[class].last, s);
}

static mbd_status read_settings(const mjcf_reader *in, const xml_element *e, settings *s) {
  int class;
  *s = (settings){.gain = 1, .gear = 1, .control_limited = 2, .force_limited = 2};
  MBD_TRY(mjcf_class_of(&in->file, e, &class));
  MBD_TRY(apply_class(in, class, s));
  MBD_TRY(apply(in, e, s));
  const int by_range = in->file.compiler.limits_by_range;
  s->has_control = s->has_control && (s->control_limited == 2 ? by_range : s->control_limited);
  s->has_force = s->has_force && (s->force_limited == 2 ? by_range : s->force_limited);
  return MBD_OK;
}

/* ---- what it acts on ---- */

/* Finds the joints and their factors; *n = 0: it acts on something else. */
static mbd_status read_transmission(const mjcf_reader *in, const xml_element *e, int *n, const int **joint,
                                    const double **coef) {
  static const double one = 1;
  int number, tendon;
  *n = 0;
  MBD_TRY(mjcf_find(in, e, xml_get(e, "joint") ? "joint" : "jointinparent", &in->joints, &number));
  MBD_TRY(mjcf_find(in, e, "tendon", &in->tendons, &tendon));
  if (tendon >= 0) {
    *n = in->tendon[tendon].n, *joint = in->tendon[tendon].joint, *coef = in->tendon[tendon].coef;
  } else if (number >= 0 && robot_coordinate(&in->r->joint[number])) {
    for (int i = 0; i < in->naxis; i++) {
      if (in->axis[i] == number) { *joint = &in->axis[i]; }
    }
    *n = 1, *coef = &one;
  }
  return MBD_OK;
}

/* The largest force along L; infinite: no limit. */
static double largest(const settings *s) {
  const double control = s->has_control ? fmax(fabs(s->control[0]), fabs(s->control[1])) : INFINITY;
  const double force = s->has_force ? fmax(fabs(s->force[0]), fabs(s->force[1])) : INFINITY;
  return fabs(s->gear) * fmin(force, s->bias_type == 0 ? fabs(s->gain) * control : INFINITY);
}

/* Adds the law of an actuator, and what it can exert to the sums of its joints; *motor is the number of its law, -1: it has been left out. */
static mbd_status read_motor(mjcf_reader *in, const xml_element *e, double *sum, int *motor) {
  const element_file *elements = &in->file.elements;
  settings s;
  int n;
  const int *joint = NULL;
  const double *coef = NULL;
  *motor = -1;
  if (!is_actuator(e)) { return MBD_OK; } /* of a kind that the check has reported */
  MBD_TRY(read_settings(in, e, &s));
  MBD_TRY(read_transmission(in, e, &n, &joint, &coef));
  if (n == 0) { return element_warn(elements, e, "is left out: it acts on no hinge, slide or fixed tendon"); }
  if (s.gain_type != 0 || s.bias_type > 1 || s.dynamics > 2) {
    return element_warn(elements, e, "is left out: its force is not linear in the control, the length and the speed");
  }
  if (s.dynamics > 0) { MBD_TRY(element_warn(elements, e, "has a filter, and acts without delay")); }
  /* its name is that of what it acts on if it has none */
  const char *own = mjcf_name(e);
  char *name = own ? mbd_strdup(own) : mbd_sprintf_dup("%s_%s", in->r->joint[joint[0]].name, e->name);
  robot_law *law = name ? robot_add_law(in->r, name, e->line, n, joint, coef) : NULL;
  free(name);
  if (!law) { return mjcf_no_memory(&in->file); }
  law->is_motor = 1, law->gain = s.gear * s.gain;
  if (s.bias_type == 1) {
    law->constant = s.gear * s.bias[0], law->slope = s.gear * s.gear * s.bias[1],
    law->rate = s.gear * s.gear * s.bias[2];
  }
  if (s.has_control) { law->lower = s.control[0], law->upper = s.control[1]; }
  for (int i = 0; i < n; i++) {
    in->r->joint[joint[i]].motor = 1;
    sum[joint[i]] += fabs(coef[i]) * largest(&s);
  }
  *motor = in->r->nlaw - 1;
  return MBD_OK;
}

mbd_status mjcf_read_motors(mjcf_reader *in, int **motor, int *nmotor) {
  mjcf_each at = {.section = "actuator"};
  const xml_element *e;
  double *sum = mbd_zeros((size_t)in->r->njoint + 1, sizeof *sum);
  mbd_status status = sum ? MBD_OK : mjcf_no_memory(&in->file);
  *motor = NULL, *nmotor = 0;
  while (status == MBD_OK && (e = mjcf_next(&in->file, &at)) != NULL) {
    int *grown = mbd_list_grow(*motor, *nmotor, sizeof *grown);
    if (grown) { *motor = grown; }
    status = grown ? read_motor(in, e, sum, &grown[(*nmotor)++]) : mjcf_no_memory(&in->file);
  }
  for (int i = 0; i < in->r->njoint && status == MBD_OK; i++) {
    robot_joint *j = &in->r->joint[i];
    if (j->motor && isfinite(sum[i])) { j->effort = j->effort > 0 ? fmin(j->effort, sum[i]) : sum[i]; }
  }
  free(sum);
  return status;
}
