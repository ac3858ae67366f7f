#include "import/robot_export.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/text_list.h"
#include "files/xml.h"
#include "import/robot_fill.h"
#include "mbd/model.h"

/* ---- the tree ---- */

mbd_status export_begin(robot_export *e, const robot_source *s, FILE *out, mbd_error *err) {
  const int nbody = mbd_model_nbody(s->m);
  const size_t n = (size_t)nbody + 1, rest = (size_t)(mbd_model_nforce(s->m) + mbd_model_nconstraint(s->m)) + 1;
  *e = (robot_export){.s = s, .out = out, .nbody = nbody};
  e->joint = mbd_zeros(n, sizeof *e->joint);
  e->before = mbd_zeros(n, sizeof *e->before);
  e->taken = mbd_zeros(rest, sizeof *e->taken);
  MEMORY_TRY(e->joint && e->before && e->taken, err, "the links of %s", s->name);
  e->joint[0] = e->before[0] = -1;
  for (int i = 0; i < mbd_model_njoint(s->m); i++) {
    mbd_joint_report j;
    mbd_joint_place place;
    mbd_model_joint(s->m, i, &j);
    mbd_params_joint(s->p, i, &place);
    for (int k = 0; k < 2 && !j.cut; k++) {
      mbd_body_report b;
      if (place.body[k] == 0) { continue; }
      mbd_model_body(s->m, place.body[k], &b);
      if (strcmp(b.joint, j.name) == 0) { e->joint[place.body[k]] = i, e->before[place.body[k]] = place.body[!k]; }
    }
  }
  return MBD_OK;
}

void export_free(robot_export *e) {
  free(e->joint), free(e->before), free(e->taken);
}

int export_is_second(const robot_export *e, int body) {
  mbd_joint_place place;
  mbd_params_joint(e->s->p, e->joint[body], &place);
  return place.body[1] == body;
}

const char *export_body(const robot_export *e, int body, const char *ground) {
  mbd_body_report b;
  if (body == 0) { return ground; }
  mbd_model_body(e->s->m, body, &b);
  return b.name;
}

/* ---- attributes ---- */

void export_name(const robot_export *e, const char *key, const char *name) {
  fprintf(e->out, " %s=\"", key);
  xml_escape(e->out, name);
  fputc('"', e->out);
}

void export_numbers(const robot_export *e, const char *key, int n, const double *v) {
  fprintf(e->out, " %s=\"", key);
  for (int i = 0; i < n; i++) {
    if (i) { fputc(' ', e->out); }
    robot_number(e->out, v[i]);
  }
  fputc('"', e->out);
}

/* ---- forces and constraints ---- */

/* The coefficient KIND.NAME.key; 0: there is none. */
static double coefficient(const robot_export *e, const char *kind, const char *name, const char *key) {
  char full[500];
  snprintf(full, sizeof full, "%s.%s.%s", kind, name, key);
  for (int k = 0; k < mbd_model_ncoef(e->s->m); k++) {
    if (strcmp(mbd_model_coef_name(e->s->m, k), full) == 0) { return e->s->theta[k]; }
  }
  return 0;
}

/* Adds a force on the coordinate of a joint; returns 0 if the format cannot say all that it does. */
static int add_force(const robot_export *e, const char *name, const char *type, int has_springs, export_dynamics *d) {
  const double stiffness = coefficient(e, "force", name, "stiffness"), turns = coefficient(e, "force", name, "ratio");
  const int is_friction = strcmp(type, "joint_friction") == 0, is_spring = strcmp(type, "torsion_spring") == 0,
            is_rotor = strcmp(type, "rotor_inertia") == 0;
  if (!(is_friction || is_spring || is_rotor) || ((is_rotor || stiffness != 0) && !has_springs)) { return 0; }
  if (coefficient(e, "force", name, "load_coefficient") != 0 || (stiffness != 0 && d->stiffness != 0)) { return 0; }
  d->damping += coefficient(e, "force", name, "damping");
  d->friction += coefficient(e, "force", name, "torque");
  d->rotor += is_rotor ? coefficient(e, "force", name, "inertia") * turns * turns : 0;
  if (stiffness != 0) { d->stiffness = stiffness, d->rest = coefficient(e, "force", name, "free_angle"); }
  return 1;
}

/* Returns 1 for a force on the coordinate of the joint that carries a body: springs and friction by their names, since what they have of curves is not
 * seen in a compiled model. */
static int acts_on(const robot_export *e, int force, int body) {
  static const char *const ending[] = {"_friction", "_spring", NULL};
  const char *type, *name = mbd_model_force_name(e->s->m, force, &type);
  mbd_body_report b;
  int on[3];
  mbd_model_body(e->s->m, body, &b);
  const size_t n = strlen(b.joint);
  if (strcmp(type, "rotor_inertia") != 0) { return strncmp(name, b.joint, n) == 0 && text_is_among(name + n, ending); }
  return b.nz == 1 && mbd_model_force_bodies(e->s->m, force, 3, on) == 2 && on[0] + on[1] == body + e->before[body] &&
         (on[0] == body || on[1] == body);
}

export_dynamics export_take_dynamics(robot_export *e, int body, int has_springs) {
  export_dynamics d = {0};
  for (int i = 0; i < mbd_model_nforce(e->s->m); i++) {
    const char *type, *name = mbd_model_force_name(e->s->m, i, &type);
    if (!acts_on(e, i, body)) { continue; }
    e->taken[i] = (unsigned char)add_force(e, name, type, has_springs, &d);
  }
  return d;
}

/* The joint other than `joint` on whose bodies a constraint acts; -1: none, or several. */
static int followed(const robot_export *e, int constraint, int joint) {
  int body[8], found = -1;
  const int n = mbd_model_constraint_bodies(e->s->m, constraint, 8, body);
  for (int i = 0; i < n; i++) {
    const int other = e->joint[body[i]];
    mbd_joint_place place;
    if (other < 0 || other == joint) { continue; }
    mbd_params_joint(e->s->p, other, &place);
    if (place.nz != 1) { continue; }
    int both = 0;
    for (int k = 0; k < n; k++) { both += body[k] == place.body[0] || body[k] == place.body[1]; }
    if (both < 2) { continue; }
    if (found >= 0) { return -1; }
    found = other;
  }
  return found;
}

int export_take_coupling(robot_export *e, int joint, int *other, double *ratio, double *offset) {
  char mimic[300];
  mbd_joint_report j;
  mbd_model_joint(e->s->m, joint, &j);
  snprintf(mimic, sizeof mimic, "%.280s_mimic", j.name);
  for (int i = 0; i < mbd_model_nconstraint(e->s->m); i++) {
    const char *type, *name = mbd_model_constraint_name(e->s->m, i, &type, NULL, NULL);
    *other = strcmp(name, mimic) == 0 && strcmp(type, "gear") == 0 ? followed(e, i, joint) : -1;
    if (*other < 0) { continue; }
    *ratio = coefficient(e, "constraint", name, "ratio"), *offset = coefficient(e, "constraint", name, "offset");
    e->taken[mbd_model_nforce(e->s->m) + i] = 1;
    return 1;
  }
  return 0;
}

void export_tell(const robot_export *e, const char *format, ...) {
  char text[500];
  va_list args;
  if (!e->s->tell) { return; }
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  e->s->tell(text);
}

/* A force or constraint that has not been taken, with its type; NULL: it has, or is none of its own. */
static const char *left_out(const robot_export *e, int i, const char **type) {
  const mbd_model *m = e->s->m;
  const int nforce = mbd_model_nforce(m);
  int body;
  if (e->taken[i]) { return NULL; }
  if (i < nforce) { return mbd_model_force_name(m, i, type); }
  const char *name = mbd_model_constraint_name(m, i - nforce, type, NULL, NULL);
  const int is_closure = mbd_model_constraint_bodies(m, i - nforce, 1, &body) == 0;
  return is_closure || strncmp(name, "drive.", 6) == 0 ? NULL : name;
}

/* One text for each type, with the names of the first ones. */
void export_tell_rest(robot_export *e) {
  enum { NAMES_MAX = 6 };
  const int n = mbd_model_nforce(e->s->m) + mbd_model_nconstraint(e->s->m);
  for (int i = 0; i < n; i++) {
    const char *type, *other, *name = left_out(e, i, &type);
    char names[400] = "";
    size_t length = 0;
    int found = 0;
    for (int k = i; k < n && name; k++) {
      const char *next = left_out(e, k, &other);
      if (!next || strcmp(other, type) != 0) { continue; }
      e->taken[k] = 1;
      if (found++ < NAMES_MAX && length < sizeof names) {
        length += (size_t)snprintf(names + length, sizeof names - length, "%s'%.60s'", length ? ", " : "", next);
      }
    }
    if (!name) { continue; }
    if (found > NAMES_MAX) {
      export_tell(e, "left out, as the format has no %.60s: %s and %d more", type, names, found - NAMES_MAX);
    } else {
      export_tell(e, "left out, as the format has no %.60s: %s", type, names);
    }
  }
}
