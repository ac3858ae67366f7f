#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "curve/curve.h"
#include "model/spec_internal.h"
#include "base/sized.h"

/* Appends an item to one of the lists of a description. The value is the new item, or NULL if there is no memory. */
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

/* *to := a copy in new memory, or NULL if from is NULL. Returns 0 if there is no memory. */
static int copy_text(char **to, const char *from) {
  *to = mbd_strdup(from);
  return !from || *to;
}

mbd_spec *mbd_spec_create(void) {
  mbd_spec *s = calloc(1, sizeof *s);
  if (!s) { return NULL; }
  s->gravity = -1;
  s->find_joints = MBD_FIND_SHARED;
  spec_body *ground = APPEND(s, body, nbody);
  if (ground) { ground->name = mbd_strdup("ground"); }
  if (!ground || !ground->name || !mbd_names_add(&s->body_names, ground->name, 0)) {
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

static void element_free(spec_element *e) {
  free(e->name), free(e->type), free(e->line);
  for (int k = 0; k < MBD_VALUE_MAX; k++) { quantity_free(&e->value[k]); }
  for (int k = 0; k < MBD_REF_MAX; k++) { free(e->ref[k]); }
  for (int k = 0; k < MBD_CURVE_MAX; k++) { free(e->curve[k]); }
}

static void elements_free(spec_element *list, int n) {
  for (int i = 0; i < n; i++) { element_free(&list[i]); }
  free(list);
}

static void joint_free(spec_joint *j) {
  free(j->name), free(j->type), free(j->axis), free(j->axis2), free(j->zero);
  for (int k = 0; k < 2; k++) { free(j->body[k]), free(j->point[k]); }
}

void spec_beam_free(spec_beam *b) {
  for (int k = 0; b->shape && k < b->layout.n; k++) { free(b->shape[k]); }
  free(b->name), free(b->from), free(b->to), free(b->up), free(b->shape), free(b->own);
}

static void starts_free(spec_start *list, int n) {
  for (int i = 0; i < n; i++) { free(list[i].quantity); }
  free(list);
}

static void states_free(spec_state *list, int n) {
  for (int i = 0; i < n; i++) { quantity_free(&list[i].rate), free(list[i].unit); }
  free(list);
}

void mbd_spec_destroy(mbd_spec *s) {
  if (!s) { return; }
  /* The texts and lists of each item, then the lists of items and the tables of names. */
  for (int i = 0; i < s->ncoef; i++) { free(s->coef[i].name); }
  for (int i = 0; i < s->nbody; i++) { free(s->body[i].name), free(s->body[i].point), free(s->body[i].vector); }
  for (int i = 0; i < s->ncoordinate; i++) { free(s->coordinate[i].name); }
  for (int i = 0; i < s->ncurve; i++) {
    free(s->curve[i].name), free(s->curve[i].kind), free(s->curve[i].knot), free(s->curve[i].value.op);
  }
  for (int i = 0; i < s->njoint; i++) { joint_free(&s->joint[i]); }
  markers_free(s->point, s->npoint);
  markers_free(s->vector, s->nvector);
  elements_free(s->force, s->nforce);
  elements_free(s->constraint, s->nconstraint);
  starts_free(s->hold, s->nhold);
  starts_free(s->guess, s->nguess);
  quantities_free(s->quantity, s->nquantity);
  states_free(s->state, s->nstate);
  for (int i = 0; i < s->nbeam; i++) { spec_beam_free(&s->beam[i]); }
  free(s->beam);
  free(s->coef), free(s->body), free(s->coordinate), free(s->curve), free(s->joint);
  mbd_names_free(&s->body_names), mbd_names_free(&s->point_names), mbd_names_free(&s->vector_names);
  mbd_names_free(&s->curve_names), mbd_names_free(&s->joint_names), mbd_names_free(&s->hold_names);
  free(s);
}

int mbd_spec_coef(mbd_spec *s, const char *name, double nominal) {
  char *copy = mbd_strdup(name);
  spec_coef *entry = copy ? APPEND(s, coef, ncoef) : NULL;
  if (!entry) {
    free(copy);
    return -1;
  }
  *entry = (spec_coef){copy, nominal};
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
void mbd_spec_gravity(mbd_spec *s, int g) {
  s->gravity = g;
}
void mbd_spec_find_joints(mbd_spec *s, mbd_find which) {
  s->find_joints = which;
}

int spec_find_body(const mbd_spec *s, const char *name) {
  return mbd_names_find(&s->body_names, name);
}

int spec_find_marker(const mbd_spec *s, int is_point, const char *name) {
  return mbd_names_find(is_point ? &s->point_names : &s->vector_names, name);
}

static int place_in(const spec_place *list, int n, int on) {
  for (int i = 0; i < n; i++) {
    if (list[i].on == on) { return list[i].coords; }
  }
  return -1;
}

int spec_place_on(const mbd_spec *s, int is_point, int marker, int body) {
  const spec_marker *k = is_point ? &s->point[marker] : &s->vector[marker];
  const spec_body *b = &s->body[body];
  const int n = is_point ? b->npoint : b->nvector;
  return k->nplace < n ? place_in(k->place, k->nplace, body) : place_in(is_point ? b->point : b->vector, n, marker);
}

/* Takes memory for a name and a list item together, so that a failure leaves the description unchanged. */
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

/* The same, and the name is entered in a table of names. */
#define NEW_NAMED(item, s, list, count, names, name_, what)               \
  do {                                                                    \
    NEW_ITEM(item, s, list, count, name_, what);                          \
    if (!mbd_names_add(&(s)->names, (item)->name, (s)->count - 1)) {      \
      free((item)->name);                                                 \
      (s)->count--;                                                       \
      MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s '%s'", what, name_); \
    }                                                                     \
  } while (0)

mbd_status mbd_spec_body(mbd_spec *s, const char *name, int mass, int com, int inertia, mbd_error *err) {
  spec_body *b;
  if (spec_find_body(s, name) >= 0) { MBD_FAIL(err, MBD_BAD_INPUT, "body '%s' is described twice", name); }
  NEW_NAMED(b, s, body, nbody, body_names, name, "body");
  b->mass = mass, b->com = com, b->inertia = inertia;
  return MBD_OK;
}

mbd_status mbd_spec_point(mbd_spec *s, const char *name, mbd_error *err) {
  spec_marker *k;
  if (spec_find_marker(s, 1, name) >= 0) { MBD_FAIL(err, MBD_BAD_INPUT, "point '%s' is described twice", name); }
  NEW_NAMED(k, s, point, npoint, point_names, name, "point");
  return MBD_OK;
}

mbd_status mbd_spec_vector(mbd_spec *s, const char *name, mbd_error *err) {
  spec_marker *k;
  if (spec_find_marker(s, 0, name) >= 0) { MBD_FAIL(err, MBD_BAD_INPUT, "vector '%s' is described twice", name); }
  NEW_NAMED(k, s, vector, nvector, vector_names, name, "vector");
  return MBD_OK;
}

static mbd_status place(mbd_spec *s, int is_point, const char *name, const char *body, int coords, mbd_error *err) {
  const char *what = is_point ? "point" : "vector";
  int k = spec_find_marker(s, is_point, name), b = spec_find_body(s, body);
  if (k < 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s' is not described yet", what, name); }
  if (b < 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s': body '%s' is not described yet", what, name, body); }
  if (spec_place_on(s, is_point, k, b) >= 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s' is given twice on body '%s'", what, name, body);
  }
  spec_marker *marker = is_point ? &s->point[k] : &s->vector[k];
  spec_place *on_body = APPEND(marker, place, nplace);
  spec_place *on_marker = !on_body   ? NULL
                          : is_point ? APPEND(&s->body[b], point, npoint)
                                     : APPEND(&s->body[b], vector, nvector);
  if (on_body && !on_marker) { marker->nplace--; }
  if (!on_marker) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s '%s'", what, name); }
  *on_body = (spec_place){b, coords};
  *on_marker = (spec_place){k, coords};
  return MBD_OK;
}

mbd_status mbd_spec_point_on(mbd_spec *s, const char *point, const char *body, int coords, mbd_error *err) {
  return place(s, 1, point, body, coords, err);
}

mbd_status mbd_spec_vector_on(mbd_spec *s, const char *vector, const char *body, int coords, mbd_error *err) {
  return place(s, 0, vector, body, coords, err);
}

static mbd_status mirrored(mbd_spec *s, int is_point, const char *name, mbd_image image, mbd_error *err) {
  const int k = spec_find_marker(s, is_point, name);
  if (k < 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s' is not described yet", is_point ? "point" : "vector", name); }
  (is_point ? s->point : s->vector)[k].image = image;
  return MBD_OK;
}

mbd_status mbd_spec_point_mirrored(mbd_spec *s, const char *point, mbd_error *err) {
  return mirrored(s, 1, point, MBD_IMAGE_DIRECTION, err);
}

mbd_status mbd_spec_vector_mirrored(mbd_spec *s, const char *vector, mbd_image image, mbd_error *err) {
  return mirrored(s, 0, vector, image, err);
}

mbd_status mbd_spec_coordinate(mbd_spec *s, const char *name, int guess, mbd_error *err) {
  spec_coordinate *entry;
  NEW_ITEM(entry, s, coordinate, ncoordinate, name, "coordinate");
  entry->guess = guess;
  return MBD_OK;
}

void mbd_joint_desc_init_sized(mbd_joint_desc *joint, size_t size) {
  const mbd_joint_desc ours = {.cut = MBD_CUT_AUTO};
  sized_write(joint, size, &ours, sizeof ours);
}

mbd_status mbd_spec_joint_sized(mbd_spec *s, const mbd_joint_desc *theirs, size_t size, mbd_error *err) {
  mbd_joint_desc ours;
  SIZED_READ(&ours, theirs, size, "mbd_joint_desc", err);
  if (mbd_names_find(&s->joint_names, ours.name) >= 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s' is described twice", ours.name);
  }
  /* All texts are copied before the list grows, so that nothing is to be taken out of it again. */
  spec_joint copy = {.cut = ours.cut, .mirrored = ours.mirrored};
  int whole = copy_text(&copy.name, ours.name) & copy_text(&copy.type, ours.type) & copy_text(&copy.axis, ours.axis) &
              copy_text(&copy.axis2, ours.axis2) & copy_text(&copy.zero, ours.zero);
  for (int k = 0; k < 2; k++) {
    whole &= copy_text(&copy.body[k], ours.body[k]) & copy_text(&copy.point[k], ours.point[k]);
  }
  spec_joint *j = whole ? APPEND(s, joint, njoint) : NULL;
  if (j && !mbd_names_add(&s->joint_names, copy.name, s->njoint - 1)) {
    s->njoint--;
    j = NULL;
  }
  if (!j) {
    joint_free(&copy);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for joint '%s'", ours.name);
  }
  *j = copy;
  return MBD_OK;
}

mbd_status mbd_spec_curve(mbd_spec *s, const char *name, const char *kind, int nc, int coef, int nknot,
                          const double *knot, mbd_error *err) {
  spec_curve *described;
  if (mbd_names_find(&s->curve_names, name) >= 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s' is described twice", name);
  }
  double *copy = malloc(((size_t)nknot + 1) * sizeof *copy);
  if (!copy) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for curve '%s'", name); }
  if (nknot) { memcpy(copy, knot, (size_t)nknot * sizeof *copy); }
  char *name_copy = mbd_strdup(name), *kind_copy = mbd_strdup(kind);
  described = name_copy && kind_copy ? APPEND(s, curve, ncurve) : NULL;
  if (described && !mbd_names_add(&s->curve_names, name_copy, s->ncurve - 1)) {
    s->ncurve--;
    described = NULL;
  }
  if (!described) {
    free(copy), free(name_copy), free(kind_copy);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for curve '%s'", name);
  }
  *described = (spec_curve){name_copy, kind_copy, nc, coef, nknot, copy, 0, {0, NULL}};
  /* cppcheck-suppress memleak ; all three are in *described */
  return MBD_OK;
}

mbd_status mbd_spec_curve_stretch(mbd_spec *s, const char *curve, int coef, mbd_error *err) {
  const int i = mbd_names_find(&s->curve_names, curve);
  if (i < 0) { MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s' is not described", curve); }
  s->curve[i].stretch = coef + 1;
  return MBD_OK;
}

void mbd_element_desc_init_sized(mbd_element_desc *d, size_t size) {
  const mbd_element_desc ours = {.coef = -1};
  sized_write(d, size, &ours, sizeof ours);
}

mbd_status spec_add_element(spec_element **list, int *n, const mbd_element_desc *d, const char *what, mbd_error *err) {
  spec_element copy = {.coef = d->coef, .user = d->user, .mirror = d->mirror};
  int whole = copy_text(&copy.name, d->name) & copy_text(&copy.type, d->type) & copy_text(&copy.line, d->line);
  for (int k = 0; k < MBD_REF_MAX; k++) { whole &= copy_text(&copy.ref[k], d->ref[k]); }
  for (int k = 0; k < MBD_CURVE_MAX; k++) { whole &= copy_text(&copy.curve[k], d->curve[k]); }
  spec_element *e = whole ? append((void **)list, n, sizeof **list) : NULL;
  if (!e) {
    element_free(&copy);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s '%s'", what, d->name);
  }
  *e = copy;
  return MBD_OK;
}

mbd_status mbd_spec_constraint_sized(mbd_spec *s, const mbd_element_desc *d, size_t size, mbd_error *err) {
  mbd_element_desc ours;
  SIZED_READ(&ours, d, size, "mbd_element_desc", err);
  return spec_add_element(&s->constraint, &s->nconstraint, &ours, "constraint", err);
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
  const int ncoef = s->ncoef, follows = rate < 0;
  if (rate < 0) { rate = mbd_spec_coef(s, "zero", 0); }
  spec_start *h = rate >= 0 ? start_item(&s->hold, &s->nhold, quantity) : NULL;
  if (h && !mbd_names_add(&s->hold_names, h->quantity, s->nhold - 1)) {
    free(h->quantity);
    s->nhold--;
    h = NULL;
  }
  if (!h) {
    if (s->ncoef > ncoef) { free(s->coef[--s->ncoef].name); }
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for held quantity '%s'", quantity);
  }
  h->value = value, h->rate = rate, h->rate_follows = follows;
  return MBD_OK;
}

/* The place of a held quantity; -1: it is not held. The message says what is not possible then. */
static int find_hold(const mbd_spec *s, const char *quantity, const char *so, mbd_error *err) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = quantity};
  const int known = mbd_names_find(&s->hold_names, quantity);
  for (int i = 0; known < 0 && i < s->nhold; i++) { mbd_nearest_offer(&near, s->hold[i].quantity); }
  if (known < 0) {
    mbd_fail(err, MBD_BAD_INPUT, __func__, __LINE__, "quantity '%s' is not held at the start, so %s%s", quantity, so,
             mbd_nearest_text(&near, hint, sizeof hint));
  }
  return known;
}

mbd_status mbd_spec_rate_follows(mbd_spec *s, const char *quantity, mbd_error *err) {
  const int known = find_hold(s, quantity, "its rate cannot follow", err);
  if (known < 0) { return MBD_BAD_INPUT; }
  s->hold[known].rate_follows = 1;
  return MBD_OK;
}

mbd_status mbd_spec_settle(mbd_spec *s, const char *quantity, mbd_error *err) {
  const int known = find_hold(s, quantity, "it cannot settle", err);
  if (known < 0) { return MBD_BAD_INPUT; }
  s->hold[known].settles = 1;
  return MBD_OK;
}

mbd_status mbd_spec_guess(mbd_spec *s, const char *coordinate, int value, mbd_error *err) {
  spec_start *h = start_item(&s->guess, &s->nguess, coordinate);
  if (!h) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the guess of '%s'", coordinate); }
  h->value = value;
  return MBD_OK;
}
