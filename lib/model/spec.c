#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/nearest.h"
#include "curve/curve.h"
#include "model/spec_internal.h"

/* Append an item to one of the lists of a description; evaluates to the new item, or NULL: no memory. */
#define APPEND(s, list, count) append((void **)&(s)->list, &(s)->count, sizeof *(s)->list)

static void *append(void **list, int *n, size_t size) {
  void *grown = mbd_list_grow(*list, *n, size);
  if (!grown) { return NULL; }
  *list = grown;
  void *item = (char *)grown + (size_t)*n * size;
  memset(item, 0, size);
  (*n)++;
  return item;
}

mbd_spec *mbd_spec_create(void) {
  mbd_spec *s = calloc(1, sizeof *s);
  if (!s) { return NULL; }
  s->gravity = -1;
  s->find_joints = 1;
  spec_body *ground = APPEND(s, body, nbody);
  if (ground) { ground->name = mbd_strdup("ground"); }
  if (!ground || !ground->name) {
    mbd_spec_destroy(s);
    return NULL;
  }
  ground->mass = ground->com = ground->inertia = -1;
  return s;
}

static void markers_free(spec_marker *list, int n) {
  for (int i = 0; i < n; i++) { free(list[i].name), free(list[i].place); }
  free(list);
}

static void elements_free(spec_element *list, int n) {
  for (int i = 0; i < n; i++) {
    free(list[i].name), free(list[i].type);
    for (int k = 0; k < MBD_REF_MAX; k++) { free(list[i].ref[k]); }
    for (int k = 0; k < MBD_CURVE_MAX; k++) { free(list[i].curve[k]); }
  }
  free(list);
}

static void starts_free(spec_start *list, int n) {
  for (int i = 0; i < n; i++) { free(list[i].quantity); }
  free(list);
}

void mbd_spec_destroy(mbd_spec *s) {
  if (!s) { return; }
  for (int i = 0; i < s->ncoef; i++) { free(s->coef[i].name); }
  for (int i = 0; i < s->nbody; i++) { free(s->body[i].name); }
  for (int i = 0; i < s->ncoordinate; i++) { free(s->coordinate[i].name); }
  for (int i = 0; i < s->ncurve; i++) { free(s->curve[i].name), free(s->curve[i].kind), free(s->curve[i].knot); }
  for (int i = 0; i < s->njoint; i++) {
    spec_joint *j = &s->joint[i];
    free(j->name), free(j->type), free(j->axis), free(j->axis2);
    for (int k = 0; k < 2; k++) { free(j->body[k]), free(j->point[k]); }
  }
  markers_free(s->point, s->npoint);
  markers_free(s->vector, s->nvector);
  elements_free(s->force, s->nforce);
  elements_free(s->constraint, s->nconstraint);
  starts_free(s->hold, s->nhold);
  starts_free(s->guess, s->nguess);
  free(s->coef), free(s->body), free(s->coordinate), free(s->curve), free(s->joint);
  free(s);
}

int mbd_spec_coef(mbd_spec *s, const char *name, double nominal) {
  char *copy = mbd_strdup(name);
  spec_coef *c = copy ? APPEND(s, coef, ncoef) : NULL;
  if (!c) {
    free(copy);
    return -1;
  }
  *c = (spec_coef){copy, nominal};
  return s->ncoef - 1;
}

int mbd_spec_ncoef(const mbd_spec *s) {
  return s->ncoef;
}
const char *mbd_spec_coef_name(const mbd_spec *s, int k) {
  return s->coef[k].name;
}
double mbd_spec_nominal(const mbd_spec *s, int k) {
  return s->coef[k].nominal;
}
void mbd_spec_set_nominal(mbd_spec *s, int k, double value) {
  s->coef[k].nominal = value;
}
void mbd_spec_gravity(mbd_spec *s, int g) {
  s->gravity = g;
}
void mbd_spec_find_joints(mbd_spec *s, int yes) {
  s->find_joints = yes;
}

int spec_find_body(const mbd_spec *s, const char *name) {
  for (int i = 0; i < s->nbody; i++) {
    if (strcmp(s->body[i].name, name) == 0) { return i; }
  }
  return -1;
}

int spec_find_marker(const spec_marker *list, int n, const char *name) {
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i].name, name) == 0) { return i; }
  }
  return -1;
}

int spec_place_on(const spec_marker *k, int body) {
  for (int i = 0; i < k->nplace; i++) {
    if (k->place[i].body == body) { return k->place[i].coords; }
  }
  return -1;
}

/* Take memory for a name and a list item together, so that a failure leaves the description unchanged. */
#define NEW_ITEM(item, s, list, count, name_, what)                       \
  do {                                                                    \
    char *copy_ = mbd_strdup(name_);                                      \
    (item) = copy_ ? APPEND(s, list, count) : NULL;                       \
    if (!(item)) {                                                        \
      free(copy_);                                                        \
      MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s '%s'", what, name_); \
    }                                                                     \
    (item)->name = copy_;                                                 \
  } while (0)

mbd_status mbd_spec_body(mbd_spec *s, const char *name, int mass, int com, int inertia, mbd_error *err) {
  spec_body *b;
  if (spec_find_body(s, name) >= 0) { MBD_FAIL(err, MBD_BAD_INPUT, "body '%s' is described twice", name); }
  NEW_ITEM(b, s, body, nbody, name, "body");
  b->mass = mass, b->com = com, b->inertia = inertia;
  return MBD_OK;
}

mbd_status mbd_spec_point(mbd_spec *s, const char *name, mbd_error *err) {
  spec_marker *k;
  if (spec_find_marker(s->point, s->npoint, name) >= 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "point '%s' is described twice", name);
  }
  NEW_ITEM(k, s, point, npoint, name, "point");
  return MBD_OK;
}

mbd_status mbd_spec_vector(mbd_spec *s, const char *name, mbd_error *err) {
  spec_marker *k;
  if (spec_find_marker(s->vector, s->nvector, name) >= 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "vector '%s' is described twice", name);
  }
  NEW_ITEM(k, s, vector, nvector, name, "vector");
  return MBD_OK;
}

static mbd_status place(mbd_spec *s, spec_marker *list, int n, const char *what, const char *name, const char *body,
                        int coords, mbd_error *err) {
  int k = spec_find_marker(list, n, name), b = spec_find_body(s, body);
  if (k < 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s' is not described yet", what, name); }
  if (b < 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s': body '%s' is not described yet", what, name, body); }
  if (spec_place_on(&list[k], b) >= 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s' is given twice on body '%s'", what, name, body);
  }
  spec_place *p = APPEND(&list[k], place, nplace);
  if (!p) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s '%s'", what, name); }
  *p = (spec_place){b, coords};
  return MBD_OK;
}

mbd_status mbd_spec_point_on(mbd_spec *s, const char *point, const char *body, int coords, mbd_error *err) {
  return place(s, s->point, s->npoint, "point", point, body, coords, err);
}

mbd_status mbd_spec_vector_on(mbd_spec *s, const char *vector, const char *body, int coords, mbd_error *err) {
  return place(s, s->vector, s->nvector, "vector", vector, body, coords, err);
}

mbd_status mbd_spec_coordinate(mbd_spec *s, const char *name, int guess, mbd_error *err) {
  spec_coordinate *c;
  NEW_ITEM(c, s, coordinate, ncoordinate, name, "coordinate");
  c->guess = guess;
  return MBD_OK;
}

void mbd_joint_desc_init(mbd_joint_desc *d) {
  *d = (mbd_joint_desc){.cut = MBD_CUT_AUTO};
}

mbd_status mbd_spec_joint(mbd_spec *s, const mbd_joint_desc *d, mbd_error *err) {
  spec_joint *j;
  for (int i = 0; i < s->njoint; i++) {
    if (strcmp(s->joint[i].name, d->name) == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s' is described twice", d->name);
    }
  }
  NEW_ITEM(j, s, joint, njoint, d->name, "joint");
  j->type = mbd_strdup(d->type);
  j->axis = mbd_strdup(d->axis), j->axis2 = mbd_strdup(d->axis2);
  for (int k = 0; k < 2; k++) { j->body[k] = mbd_strdup(d->body[k]), j->point[k] = mbd_strdup(d->point[k]); }
  j->cut = d->cut;
  return MBD_OK;
}

mbd_status mbd_spec_curve(mbd_spec *s, const char *name, const char *kind, int nc, int coef, int nknot,
                          const double *knot, mbd_error *err) {
  spec_curve *c;
  for (int i = 0; i < s->ncurve; i++) {
    if (strcmp(s->curve[i].name, name) == 0) { MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s' is described twice", name); }
  }
  double *copy = malloc(((size_t)nknot + 1) * sizeof *copy);
  if (!copy) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for curve '%s'", name); }
  if (nknot) { memcpy(copy, knot, (size_t)nknot * sizeof *copy); }
  char *name_copy = mbd_strdup(name), *kind_copy = mbd_strdup(kind);
  c = name_copy && kind_copy ? APPEND(s, curve, ncurve) : NULL;
  if (!c) {
    free(copy), free(name_copy), free(kind_copy);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for curve '%s'", name);
  }
  *c = (spec_curve){name_copy, kind_copy, nc, coef, nknot, copy};
  return MBD_OK;
}

void mbd_element_desc_init(mbd_element_desc *d) {
  *d = (mbd_element_desc){.coef = -1};
}

static mbd_status element(spec_element *e, const mbd_element_desc *d) {
  e->type = mbd_strdup(d->type);
  e->coef = d->coef;
  for (int k = 0; k < MBD_REF_MAX; k++) { e->ref[k] = mbd_strdup(d->ref[k]); }
  for (int k = 0; k < MBD_CURVE_MAX; k++) { e->curve[k] = mbd_strdup(d->curve[k]); }
  return MBD_OK;
}

mbd_status mbd_spec_force(mbd_spec *s, const mbd_element_desc *d, mbd_error *err) {
  spec_element *e;
  NEW_ITEM(e, s, force, nforce, d->name, "force");
  return element(e, d);
}

mbd_status mbd_spec_constraint(mbd_spec *s, const mbd_element_desc *d, mbd_error *err) {
  spec_element *e;
  NEW_ITEM(e, s, constraint, nconstraint, d->name, "constraint");
  return element(e, d);
}

static spec_start *start_item(spec_start **list, int *n, const char *quantity) {
  char *copy = mbd_strdup(quantity);
  spec_start *h = copy ? append((void **)list, n, sizeof **list) : NULL;
  if (!h) {
    free(copy);
    return NULL;
  }
  h->quantity = copy;
  return h;
}

mbd_status mbd_spec_hold(mbd_spec *s, const char *quantity, int value, int rate, mbd_error *err) {
  spec_start *h = start_item(&s->hold, &s->nhold, quantity);
  if (!h) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for held quantity '%s'", quantity); }
  if (rate < 0) { rate = mbd_spec_coef(s, "zero", 0); }
  h->value = value, h->rate = rate;
  return MBD_OK;
}

mbd_status mbd_spec_settle(mbd_spec *s, const char *quantity, mbd_error *err) {
  char hint[128];
  mbd_nearest near = {.wanted = quantity};
  for (int i = 0; i < s->nhold; i++) {
    mbd_nearest_offer(&near, s->hold[i].quantity);
    if (strcmp(s->hold[i].quantity, quantity) != 0) { continue; }
    s->hold[i].settles = 1;
    return MBD_OK;
  }
  MBD_FAIL(err, MBD_BAD_INPUT, "quantity '%s' is not held at the start, so it cannot settle%s", quantity,
           mbd_nearest_text(&near, hint, sizeof hint));
}

mbd_status mbd_spec_guess(mbd_spec *s, const char *coordinate, int value, mbd_error *err) {
  spec_start *h = start_item(&s->guess, &s->nguess, coordinate);
  if (!h) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the guess of '%s'", coordinate); }
  h->value = value;
  return MBD_OK;
}
