/* From the name of a quantity to outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "output/output.h"

mbd_status mbd_outputs_create(const mbd_model *m, mbd_outputs **out, mbd_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  (*out)->model = m;
  return MBD_OK;
}

void mbd_outputs_destroy(mbd_outputs *o) {
  if (!o) { return; }
  for (int i = 0; i < o->n; i++) {
    free(o->item[i].name);
    lift_destroy(&o->item[i].lift);
  }
  free(o->item);
  free(o);
}

int mbd_outputs_count(const mbd_outputs *o) {
  return o->n;
}
const char *mbd_outputs_name(const mbd_outputs *o, int i) {
  return o->item[i].name;
}
const char *mbd_outputs_unit(const mbd_outputs *o, int i) {
  return o->item[i].unit;
}
int mbd_outputs_is_repeated(const mbd_outputs *o, int i) {
  for (int k = 0; k < i; k++) {
    if (strcmp(o->item[k].name, o->item[i].name) == 0) { return 1; }
  }
  return 0;
}
int mbd_outputs_coordinate(const mbd_outputs *o, int i) {
  const output *q = &o->item[i];
  const int is_one = q->kind == OUTPUT_ARGUMENT && q->lift.arg[0].kind == MBD_ARG_COORDINATE;
  return is_one ? q->lift.arg[0].b : -1;
}
int mbd_outputs_multiplier(const mbd_outputs *o, int i) {
  return o->item[i].kind == OUTPUT_MULTIPLIER ? o->item[i].row : -1;
}

/* ---- names ---- */

typedef struct parsed_name {
  char object[256];  /* "P2", "J1.angle" */
  char quantity[64]; /* "position" */
  int component;     /* 0..2: x y z; 3: norm; -1: none given */
} parsed_name;

static int component_of(const char *s) {
  static const char *const names[] = {"x", "y", "z", "norm"};
  for (int k = 0; k < 4; k++) {
    if (strcmp(s, names[k]) == 0) { return k; }
  }
  return -1;
}

/* OBJECT.QUANTITY[.COMPONENT]; objects may contain dots ("J1.angle"), so the name is read from its end. */
static void parse_name(const char *name, parsed_name *q) {
  char rest[256];
  snprintf(rest, sizeof rest, "%s", name);
  q->component = -1;
  q->quantity[0] = '\0';
  char *dot = strrchr(rest, '.');
  if (dot && component_of(dot + 1) >= 0) {
    q->component = component_of(dot + 1);
    *dot = '\0';
    dot = strrchr(rest, '.');
  }
  if (dot) {
    snprintf(q->quantity, sizeof q->quantity, "%s", dot + 1);
    *dot = '\0';
  }
  snprintf(q->object, sizeof q->object, "%s", rest);
}

/* ---- making outputs ---- */

static int find(const mbd_outputs *o, const char *name) {
  for (int i = 0; i < o->n; i++) {
    if (strcmp(o->item[i].name, name) == 0) { return i; }
  }
  return -1;
}

static output *append(mbd_outputs *o, const char *name, const char *unit, output_kind kind) {
  output *grown = mbd_list_grow(o->item, o->n, sizeof *o->item);
  if (!grown) { return NULL; }
  o->item = grown;
  output *q = &grown[o->n];
  *q = (output){.name = mbd_strdup(name), .unit = unit, .kind = kind};
  if (!q->name) { return NULL; }
  o->n++;
  return q;
}

/* One scalar of an argument. The name must not be there yet. */
static mbd_status add_argument(mbd_outputs *o, const char *name, const char *unit, mbd_arg arg, output_eval eval,
                               int order, int component, mbd_error *err) {
  output *q = append(o, name, unit, OUTPUT_ARGUMENT);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  q->lift.narg = 1;
  q->lift.arg[0] = arg;
  q->eval = eval;
  q->order = order;
  q->component = component;
  return lift_create(o->model, &q->lift, 0, err);
}

/* All components asked for: x, y, z when none is named. */
static mbd_status add_components(mbd_outputs *o, const parsed_name *n, const char *unit, mbd_arg arg, int order,
                                 int *first, int *count, mbd_error *err) {
  static const char *const suffix[] = {"x", "y", "z", "norm"};
  int from = n->component < 0 ? 0 : n->component, to = n->component < 0 ? 2 : n->component;
  char name[400];
  snprintf(name, sizeof name, "%s.%s.%s", n->object, n->quantity, suffix[from]);
  *count = to - from + 1;
  *first = find(o, name);
  int together = *first >= 0;
  for (int k = from; together && k <= to; k++) { /* all of them, one after the other? */
    snprintf(name, sizeof name, "%s.%s.%s", n->object, n->quantity, suffix[k]);
    int at = *first + k - from;
    together = at < o->n && strcmp(o->item[at].name, name) == 0;
  }
  if (together) { return MBD_OK; }
  *first = o->n;
  for (int k = from; k <= to; k++) {
    snprintf(name, sizeof name, "%s.%s.%s", n->object, n->quantity, suffix[k]);
    MBD_TRY(add_argument(o, name, unit, arg, output_component, order, k, err));
  }
  return MBD_OK;
}

static int order_of(const char *quantity, const char *const *names) {
  for (int k = 0; names[k]; k++) {
    if (strcmp(quantity, names[k]) == 0) { return k; }
  }
  return -1;
}

/* ---- by kind of object; *done = 1 if the object is of this kind ---- */

static mbd_status unknown_quantity(const char *name, const char *what, const char *object, const char *quantity,
                                   const char *known, mbd_error *err) {
  MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': %s '%s' has no quantity '%s', expected one of: %s", name, what, object,
           quantity, known);
}

static mbd_status point_output(mbd_outputs *o, const char *name, const parsed_name *n, int *first, int *count,
                               int *done, mbd_error *err) {
  static const char *const orders[] = {"position", "velocity", "acceleration", NULL};
  static const char *const units[] = {"m", "m/s", "m/s^2"};
  mbd_error ignored;
  int marker = model_find_marker(o->model, n->object, 1, "", &ignored);
  if (marker < 0) { return MBD_OK; }
  int order = order_of(n->quantity, orders);
  *done = 1;
  if (order < 0) {
    return unknown_quantity(name, "point", n->object, n->quantity, "position, velocity, acceleration", err);
  }
  char where[320];
  snprintf(where, sizeof where, "output '%.300s'", name);
  MBD_TRY(model_check_shared(o->model, n->object, where, err));
  return add_components(o, n, units[order], (mbd_arg){MBD_ARG_POINT, marker, -1}, order, first, count, err);
}

static int find_or_mark(mbd_outputs *o, const char *name, int *first, int *count) {
  *count = 1;
  *first = find(o, name);
  if (*first >= 0) { return 1; }
  *first = o->n;
  return 0;
}

/* roll, pitch, yaw of a body and their rates: of its axes (1, 2), 0, 0 */
static mbd_status attitude_output(mbd_outputs *o, const char *name, const parsed_name *n, int body, int *first,
                                  int *count, int *done, mbd_error *err) {
  static const char *const names[] = {"roll", "pitch", "yaw", "roll_rate", "pitch_rate", "yaw_rate", NULL};
  const int k = n->component < 0 ? order_of(n->quantity, names) : -1;
  if (k < 0) { return MBD_OK; }
  *done = 1;
  if (find_or_mark(o, name, first, count)) { return MBD_OK; }
  output *q = append(o, name, k < 3 ? "rad" : "rad/s", OUTPUT_ARGUMENT);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  const int rolls = k % 3 == 0, axis = rolls ? 1 : 0;
  q->component = k % 3;
  q->order = k / 3;
  q->eval = output_attitude;
  q->lift.narg = rolls ? 2 : 1;
  for (int a = 0; a < q->lift.narg; a++) {
    q->lift.arg[a] = (mbd_arg){MBD_ARG_VECTOR, model_axis_marker(o->model, body, axis + a), -1};
  }
  return lift_create(o->model, &q->lift, 0, err);
}

static mbd_status body_output(mbd_outputs *o, const char *name, const parsed_name *n, int *first, int *count, int *done,
                              mbd_error *err) {
  int body = model_find_body(o->model, n->object), found = 0;
  if (body < 1) { return MBD_OK; }
  *done = 1;
  if (strcmp(n->quantity, "rate") == 0) {
    return add_components(o, n, "rad/s", (mbd_arg){MBD_ARG_ROTATION, body, -1}, 1, first, count, err);
  }
  if (strcmp(n->quantity, "angle") == 0 && n->component >= 0 && n->component < 3) {
    if (find_or_mark(o, name, first, count)) { return MBD_OK; }
    /* the body axis e_p, p the first axis of the plane: angle zero when the frames are parallel */
    int marker = model_axis_marker(o->model, body, (n->component + 1) % 3);
    return add_argument(o, name, "rad", (mbd_arg){MBD_ARG_VECTOR, marker, -1}, output_angle, 0, n->component, err);
  }
  MBD_TRY(attitude_output(o, name, n, body, first, count, &found, err));
  if (found) { return MBD_OK; }
  return unknown_quantity(name, "body", n->object, n->quantity,
                          "angle.x, angle.y, angle.z, rate, roll, pitch, yaw, roll_rate, pitch_rate, yaw_rate", err);
}

static mbd_status coordinate_output(mbd_outputs *o, const char *name, int *first, int *count, int *done,
                                    mbd_error *err) {
  static const struct { const char *suffix, *unit; } orders[] = {{"", ""}, {".rate", "/s"}, {".acceleration", "/s^2"}};
  static const char *const rad[] = {"rad", "rad/s", "rad/s^2"}, *const metre[] = {"m", "m/s", "m/s^2"},
                           *const pure[] = {"-", "1/s", "1/s^2"};
  for (int k = 0; k < 3; k++) {
    size_t full = strlen(name), tail = strlen(orders[k].suffix);
    char object[256];
    if (full <= tail || strcmp(name + full - tail, orders[k].suffix) != 0) { continue; }
    snprintf(object, sizeof object, "%.*s", (int)(full - tail), name);
    int j = model_find_coordinate(o->model, object);
    if (j < 0) { continue; }
    *done = 1;
    if (find_or_mark(o, name, first, count)) { return MBD_OK; }
    const char *unit = o->model->z_unit[j];
    const char *const *units = strcmp(unit, "rad") == 0 ? rad : strcmp(unit, "m") == 0 ? metre : pure;
    return add_argument(o, name, units[k], (mbd_arg){MBD_ARG_COORDINATE, j, -1}, output_component, k, 0, err);
  }
  return MBD_OK;
}

static mbd_status no_component(const char *name, const parsed_name *n, mbd_error *err) {
  MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': '%s.%s' is one number, expected no component", name, n->object,
           n->quantity);
}

static mbd_status force_output(mbd_outputs *o, const char *name, const parsed_name *n, int *first, int *count,
                               int *done, mbd_error *err) {
  for (int i = 0; i < o->model->nforce; i++) {
    const mbd_force *f = &o->model->force[i];
    char known[160] = "";
    if (strcmp(f->name, n->object) != 0) { continue; }
    *done = 1;
    if (n->component >= 0) { return no_component(name, n, err); }
    for (int k = 0; k < f->ops->nscalar; k++) {
      size_t at = strlen(known);
      snprintf(known + at, sizeof known - at, "%s, ", f->ops->scalar_name[k]);
      if (strcmp(f->ops->scalar_name[k], n->quantity) != 0) { continue; }
      if (find_or_mark(o, name, first, count)) { return MBD_OK; }
      output *q = append(o, name, model_scalar_unit(o->model, f, k), OUTPUT_FORCE);
      if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
      q->force = i;
      q->scalar = k;
      return MBD_OK;
    }
    if (strcmp(n->quantity, "power") == 0) {
      if (find_or_mark(o, name, first, count)) { return MBD_OK; }
      output *q = append(o, name, "W", OUTPUT_POWER);
      if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
      q->force = i;
      return MBD_OK;
    }
    strcat(known, "power");
    return unknown_quantity(name, "force", n->object, n->quantity, known, err);
  }
  return MBD_OK;
}

/* "rod.multiplier" of one equation, "pin.multiplier.x" of several */
static const char *multiplier_name(const mbd_constraint *c, int r, char *text, size_t size) {
  static const char *const suffix[] = {".x", ".y", ".z"};
  snprintf(text, size, "%s.multiplier%s", c->name, c->ops->nphi > 1 ? suffix[r] : "");
  return text;
}

/* Rows from .. to of a constraint, one after the other; those that are there already are found. */
static mbd_status add_multipliers(mbd_outputs *o, const mbd_constraint *c, int from, int to, int *first, int *count,
                                  mbd_error *err) {
  char name[300];
  *count = to - from + 1;
  *first = find(o, multiplier_name(c, from, name, sizeof name));
  if (*first >= 0 && *first + *count <= o->n &&
      find(o, multiplier_name(c, to, name, sizeof name)) == *first + *count - 1) {
    return MBD_OK;
  }
  *first = o->n;
  for (int r = from; r <= to; r++) {
    output *q = append(o, multiplier_name(c, r, name, sizeof name), model_lam_unit(o->model, c), OUTPUT_MULTIPLIER);
    if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
    q->row = c->row + r;
  }
  return MBD_OK;
}

static mbd_status add_reaction(mbd_outputs *o, const char *name, const mbd_constraint *c, int *first, int *count,
                               mbd_error *err) {
  if (find_or_mark(o, name, first, count)) { return MBD_OK; }
  output *q = append(o, name, model_lam_unit(o->model, c), OUTPUT_REACTION);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  q->row = c->row, q->nrow = c->ops->nphi;
  return MBD_OK;
}

static const mbd_constraint *find_constraint(const mbd_model *m, const char *name) {
  for (int i = 0; i < m->nconstraint; i++) {
    if (strcmp(m->constraint[i].name, name) == 0) { return &m->constraint[i]; }
  }
  return NULL;
}

static mbd_status multiplier_output(mbd_outputs *o, const char *name, const parsed_name *n, int *first, int *count,
                                    int *done, mbd_error *err) {
  const mbd_constraint *c = strcmp(n->quantity, "multiplier") == 0 ? find_constraint(o->model, n->object) : NULL;
  if (!c) { return MBD_OK; }
  const int rows = c->ops->nphi, only = n->component;
  *done = 1;
  if (only == 3) { return add_reaction(o, name, c, first, count, err); }
  if (only >= rows) {
    MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': constraint '%s' is one equation, expected '%s.multiplier'", name,
             c->name, c->name);
  }
  return add_multipliers(o, c, only < 0 ? 0 : only, only < 0 ? rows - 1 : only, first, count, err);
}

static mbd_status energy_output(mbd_outputs *o, const char *name, const parsed_name *n, int *first, int *count,
                                int *done, mbd_error *err) {
  static const char *const names[] = {"kinetic", "potential", "total", NULL};
  static const output_kind kinds[] = {OUTPUT_KINETIC, OUTPUT_POTENTIAL, OUTPUT_TOTAL};
  if (strcmp(n->object, "energy") != 0) { return MBD_OK; }
  int k = order_of(n->quantity, names);
  *done = 1;
  if (k >= 0 && n->component >= 0) { return no_component(name, n, err); }
  if (k < 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': expected energy.kinetic, energy.potential or energy.total", name);
  }
  for (int i = 0; k > 0 && i < o->model->nforce; i++) {
    const mbd_force *f = &o->model->force[i];
    if (f->ops->potential && f->curve[0] >= 0) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "output '%s': force '%s' has a curve, whose potential energy is not available",
               name, f->name);
    }
  }
  if (find_or_mark(o, name, first, count)) { return MBD_OK; }
  if (!append(o, name, "J", kinds[k])) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  return MBD_OK;
}

static mbd_status unknown_object(const mbd_outputs *o, const char *name, const parsed_name *n, mbd_error *err) {
  const mbd_model *m = o->model;
  char hint[128];
  mbd_nearest near = {.wanted = n->object};
  mbd_nearest_offer(&near, "energy");
  for (int i = 1; i < m->nb; i++) { mbd_nearest_offer(&near, m->body[i].name); }
  for (int i = 0; i < m->nnamed; i++) {
    if (m->named[i].is_point) { mbd_nearest_offer(&near, m->named[i].name); }
  }
  for (int i = 0; i < m->nforce; i++) { mbd_nearest_offer(&near, m->force[i].name); }
  for (int i = 0; i < m->nconstraint; i++) { mbd_nearest_offer(&near, m->constraint[i].name); }
  for (int j = 0; j < m->nz; j++) { mbd_nearest_offer(&near, m->z_name[j]); }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "output '%s': no point, body, force, constraint or coordinate is called '%s'%s; expected OBJECT.QUANTITY, "
           "as in 'P1.position.x'",
           name, n->object, mbd_nearest_text(&near, hint, sizeof hint));
}

mbd_status mbd_outputs_add(mbd_outputs *o, const char *quantity, int *first, int *count, mbd_error *err) {
  parsed_name n;
  int done = 0;
  parse_name(quantity, &n);
  MBD_TRY(coordinate_output(o, quantity, first, count, &done, err));
  if (!done) { MBD_TRY(multiplier_output(o, quantity, &n, first, count, &done, err)); }
  if (!done) { MBD_TRY(energy_output(o, quantity, &n, first, count, &done, err)); }
  if (!done) { MBD_TRY(point_output(o, quantity, &n, first, count, &done, err)); }
  if (!done) { MBD_TRY(body_output(o, quantity, &n, first, count, &done, err)); }
  if (!done) { MBD_TRY(force_output(o, quantity, &n, first, count, &done, err)); }
  return done ? MBD_OK : unknown_object(o, quantity, &n, err);
}
