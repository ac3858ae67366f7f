#include "model/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "constraint/constraint.h"
#include "force/force.h"
#include "joint/modal.h"
#include "model/coupled.h"
#include "model/pairs.h"
#include "model/shapes.h"

static topo_joint *new_joint(topology *t) {
  topo_joint *grown = mbd_list_grow(t->joint, t->njoint, sizeof *t->joint);
  if (!grown) { return NULL; }
  t->joint = grown;
  topo_joint *j = &grown[t->njoint++];
  memset(j, 0, sizeof *j);
  for (int k = 0; k < 2; k++) { j->point[k] = j->axis[k] = j->axis_from[k] = j->zero[k] = -1; }
  return j;
}

/* ---- joints named in the description ---- */

static mbd_status resolve_body(const mbd_spec *s, const char *where, const char *name, int *body, mbd_error *err) {
  mbd_nearest near = {.requested = name ? name : ""};
  *body = spec_find_body(s, near.requested);
  if (*body >= 0) { return MBD_OK; }
  for (int i = 0; i < s->nbody; i++) { mbd_nearest_offer(&near, s->body[i].name); }
  return mbd_not_known(where, "body", &near, err);
}

static mbd_status resolve_marker(const mbd_spec *s, const char *where, int is_point, const char *name, int body,
                                 int *coords, mbd_error *err) {
  const spec_marker *list = is_point ? s->point : s->vector;
  const int n = is_point ? s->npoint : s->nvector, k = spec_find_marker(s, is_point, name);
  const char *what = is_point ? "point" : "vector";
  if (k < 0) {
    mbd_nearest near = {.requested = name};
    for (int i = 0; i < n; i++) { mbd_nearest_offer(&near, list[i].name); }
    return mbd_not_known(where, what, &near, err);
  }
  *coords = spec_place_on(s, is_point, k, body);
  if (*coords < 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: %s '%s' is not given on body '%s'; expected its coordinates there", where, what,
             name, s->body[body].name);
  }
  return MBD_OK;
}

/* In a mirror image, the image of a direction and the image of an axis of rotation have opposite signs. *opposite := 1 if the joint
 * needs one of them and its axis is given as the other. */
static mbd_status take_image(const topo_joint *j, mbd_image image, int *opposite, mbd_error *err) {
  const mbd_joint_info *info = &j->ops->info;
  *opposite = image != MBD_IMAGE_NONE && image != info->image;
  if (image == MBD_IMAGE_NONE || info->image != MBD_IMAGE_NONE) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED, "joint '%s': a %s joint has no mirror image", j->name, info->name);
}

/* Adds a joint of the description: resolves its bodies, points and axes, and checks that its type has them. */
static mbd_status named_joint(const mbd_spec *s, const spec_joint *d, topology *t, mbd_error *err) {
  const char *type = d->type ? d->type : "";
  char where[160];
  snprintf(where, sizeof where, "joint '%s'", d->name);
  MBD_TRY(mbd_check_word(where, "type", type, mbd_joint_name, err));
  /* The joint with its name, type and stated cut. */
  topo_joint *j = new_joint(t);
  if (j) { j->name = mbd_strdup(d->name); }
  if (!j || !j->name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", where); }
  j->ops = mbd_joint_find(type);
  j->cut = d->cut;
  /* A direction of angle zero is defined about one axis only. */
  const mbd_joint_info *info = &j->ops->info;
  if (d->zero && info->naxis != 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: a %s joint has not one axis, expected no zero", where, info->name);
  }
  /* Body, point and axis on both sides; of a type with two axes, the second body has axis2. */
  for (int k = 0; k < 2; k++) {
    MBD_TRY(resolve_body(s, where, d->body[k], &j->body[k], err));
    const char *axis = info->naxis == 2 && k == 1 ? d->axis2 : d->axis;
    if (info->npoint && !d->point[k]) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: a %s joint needs a point", where, info->name);
    }
    if (info->naxis && !axis) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: a %s joint needs %s", where, info->name,
               info->naxis == 2 ? "axis and axis2" : "an axis");
    }
    if (d->point[k]) { MBD_TRY(resolve_marker(s, where, 1, d->point[k], j->body[k], &j->point[k], err)); }
    if (!info->naxis) { continue; }
    MBD_TRY(resolve_marker(s, where, 0, axis, j->body[k], &j->axis[k], err));
    if (d->zero) { MBD_TRY(resolve_marker(s, where, 0, d->zero, j->body[k], &j->zero[k], err)); }
    /* In a mirror image the sign of the axis depends on the kind of its image. */
    if (d->mirrored) { MBD_TRY(take_image(j, s->vector[spec_find_marker(s, 0, axis)].image, &j->opposite[k], err)); }
  }
  if (j->body[0] == j->body[1]) { MBD_FAIL(err, MBD_BAD_INPUT, "%s joins body '%s' with itself", where, d->body[0]); }
  return MBD_OK;
}

/* ---- joints found from shared points and vectors ---- */

typedef struct finder {
  const mbd_spec *s;
  topology *t;
  body_pairs joined; /* pairs that a joint connects; pair i is that of joint i */
  body_pairs held;   /* pairs that a bushing connects: they share points for the bushing, not for a joint */
  unsigned char
      *bushing_axis; /* [nvector] 1: axis of the frame of a bushing or of an angle, which many bodies may share */
  int *common;       /* [nbody] weight of what a body shares with the present one; 2: enough for a joint */
  int *near;         /* [nbody] bodies that share a point or vector with the present one */
} finder;

/* The body of a reference "P1" or "P1@A1" to a point; -1: unknown, which is reported later. */
static int body_of_point(const mbd_spec *s, const char *ref) {
  const char *at = ref ? strchr(ref, '@') : NULL;
  if (at) { return spec_find_body(s, at + 1); }
  int k = spec_find_marker(s, 1, ref ? ref : "");
  return k >= 0 && s->point[k].nplace ? s->point[k].place[0].on : -1;
}

/* The place of the two vectors of a frame among the references of an element; -1: it has no frame. */
static int frame_at(const mbd_ref_info *info) {
  for (int k = 0, n = 0; info[k].key; n += info[k].count, k++) {
    if (info[k].kind == MBD_REF_FRAME) { return n; }
  }
  return -1;
}

static void note_axes(finder *f, const spec_element *e, int at) {
  for (int k = at; k < at + 2; k++) {
    const int v = e->ref[k] ? spec_find_marker(f->s, 0, e->ref[k]) : -1;
    if (v >= 0) { f->bushing_axis[v] = 1; }
  }
}

/* Notes bushings, the forces with frames on two bodies, and constraints with frames, which measure an angle between bodies. */
static int note_frames(finder *f) {
  const mbd_spec *s = f->s;
  for (int i = 0; i < s->nforce; i++) {
    const spec_element *e = &s->force[i];
    const mbd_force_ops *ops = mbd_force_find(e->type ? e->type : "");
    const int at = ops ? frame_at(ops->info.refs) : -1;
    if (at < 0) { continue; }
    const int a = body_of_point(s, e->ref[0]), b = body_of_point(s, e->ref[1]);
    if (a >= 0 && b >= 0 && !pairs_add(&f->held, a, b)) { return 0; }
    note_axes(f, e, at);
  }
  for (int i = 0; i < s->nconstraint; i++) {
    const mbd_constraint_ops *ops = mbd_constraint_find(s->constraint[i].type ? s->constraint[i].type : "");
    const int at = ops ? frame_at(ops->info.refs) : -1;
    if (at >= 0) { note_axes(f, &s->constraint[i], at); }
  }
  return 1;
}

/* Counts the points (or vectors) that both bodies have, without those of `left_out`; lists the first two. */
static int shared(const mbd_spec *s, int is_point, int a, int b, const unsigned char *left_out, int which[2]) {
  const spec_body *p = &s->body[a], *body = &s->body[b];
  const int swap = is_point ? body->npoint < p->npoint : body->nvector < p->nvector, other = swap ? a : b;
  if (swap) { p = body; }
  const spec_place *list = is_point ? p->point : p->vector;
  const int n = is_point ? p->npoint : p->nvector;
  int count = 0;
  for (int i = 0; i < n; i++) {
    int k = list[i].on;
    if ((left_out && left_out[k]) || spec_place_on(s, is_point, k, other) < 0) { continue; }
    for (int r = 0; r < 2; r++) { /* in the order of the description */
      if (r < count && which[r] < k) { continue; }
      const int last = which[r];
      which[r] = k;
      k = last;
    }
    count++;
  }
  return count;
}

/* Do joints found before already connect a and b at this point? Three bodies at one point need two joints. */
static int linked_at_point(const finder *f, const spec_marker *point, int a, int b) {
  int reach[64] = {0}, n = point->nplace < 64 ? point->nplace : 64, grown = 1;
  for (int i = 0; i < n; i++) { reach[i] = point->place[i].on == a; }
  while (grown) {
    grown = 0;
    for (int i = 0; i < n; i++) {
      for (int k = 0; reach[i] && k < n; k++) {
        if (!reach[k] && pairs_have(&f->joined, point->place[i].on, point->place[k].on)) { reach[k] = grown = 1; }
      }
    }
  }
  for (int i = 0; i < n; i++) {
    if (point->place[i].on == b) { return reach[i]; }
  }
  return 0;
}

/* Adds a joint between a and b, still without type, points and axes; NULL: no memory. */
static topo_joint *found_joint(finder *f, int a, int b) {
  topo_joint *j = new_joint(f->t);
  if (!j || !pairs_add(&f->joined, a, b)) { return NULL; }
  j->name = mbd_sprintf_dup("%s-%s", f->s->body[a].name, f->s->body[b].name);
  j->found = 1;
  j->body[0] = a, j->body[1] = b;
  return j->name ? j : NULL;
}

static mbd_status add_shape(finder *f, int a, int b, const shape *found, mbd_error *err) {
  topo_joint *j = found_joint(f, a, b);
  if (!j) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a joint"); }
  j->ops = mbd_joint_find(found->type);
  for (int k = 0; k < 2; k++) {
    j->point[k] = found->point[k], j->axis[k] = found->axis[k];
    MBD_TRY(take_image(j, f->s->vector[found->vector[k]].image, &j->opposite[k], err));
  }
  return MBD_OK;
}

/* Finds the joint of two bodies. It is revolute if they share a point and a vector, or two points, whose line is the axis; spherical if
 * they share one point; prismatic along the first vector if they share two vectors and no point, unless these are axes of bushings. */
static mbd_status find_joint(finder *f, int a, int b, mbd_error *err) {
  const mbd_spec *s = f->s;
  int p[2] = {-1, -1}, v[2] = {-1, -1};
  const int body[2] = {a, b}, np = shared(s, 1, a, b, NULL, p);
  const int nv = shared(s, 0, a, b, np ? NULL : f->bushing_axis, v);
  /* No joint where the bodies share too little, or where other joints already connect them at the point. */
  if (np == 0 && nv < 2) { return MBD_OK; }
  if (np && linked_at_point(f, &s->point[p[0]], a, b)) { return MBD_OK; }
  /* One shared point and a constraint between perpendicular vectors: a cardan joint, which replaces the constraint. */
  if (np == 1 && nv == 0 && s->find_joints == MBD_FIND_ALL) {
    int constraint = 0;
    shape cross = shape_of_cross(s, a, b, &constraint);
    for (int k = 0; k < 2; k++) { cross.point[k] = spec_place_on(s, 1, p[0], body[k]); }
    if (cross.type) {
      f->t->taken[constraint] = 1;
      return add_shape(f, a, b, &cross, err);
    }
  }
  /* The other types follow from the numbers of shared points and vectors. */
  topo_joint *j = found_joint(f, a, b);
  if (!j) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a joint"); }
  j->ops = mbd_joint_find(np == 0 ? "prismatic" : np == 1 && nv == 0 ? "spherical" : "revolute");
  for (int k = 0; k < 2; k++) {
    if (np) { j->point[k] = spec_place_on(s, 1, p[0], body[k]); }
    /* The axis: the first shared vector, else the line from the first shared point to the second. */
    if (nv) {
      j->axis[k] = spec_place_on(s, 0, v[0], body[k]);
    } else if (np > 1) {
      j->axis[k] = spec_place_on(s, 1, p[1], body[k]);
      j->axis_from[k] = j->point[k];
    }
    if (j->axis[k] < 0) { continue; }
    MBD_TRY(take_image(j, nv ? s->vector[v[0]].image : s->point[p[1]].image, &j->opposite[k], err));
  }
  return MBD_OK;
}

/* Adds the weight of a marker for each later body that shares it with body a: one point is enough for a joint, vectors need two. */
static int note_shared(finder *f, const spec_marker *marker, int a, int weight, int nnear) {
  for (int k = 0; k < marker->nplace; k++) {
    const int b = marker->place[k].on;
    if (b <= a) { continue; }
    if (f->common[b] == 0) { f->near[nnear++] = b; }
    f->common[b] += weight;
  }
  return nnear;
}

/* Finds the joints between body a and later bodies with which it shares a point or two vectors. */
static mbd_status find_joints_of(finder *f, int a, mbd_error *err) {
  const mbd_spec *s = f->s;
  const spec_body *body = &s->body[a];
  int nnear = 0, nenough = 0;
  for (int i = 0; i < body->npoint; i++) { nnear = note_shared(f, &s->point[body->point[i].on], a, 2, nnear); }
  for (int i = 0; i < body->nvector && body->nvector > 1; i++) {
    const int v = body->vector[i].on;
    if (!f->bushing_axis[v]) { nnear = note_shared(f, &s->vector[v], a, 1, nnear); }
  }
  /* Bodies that share enough, in the order of the description. */
  for (int i = 0; i < nnear; i++) {
    const int b = f->near[i];
    if (f->common[b] > 1) { f->near[nenough++] = b; }
    f->common[b] = 0;
  }
  mbd_sort_numbers(nenough, f->near);
  for (int i = 0; i < nenough; i++) {
    const int b = f->near[i];
    if (!pairs_have(&f->joined, a, b) && !pairs_have(&f->held, a, b)) { MBD_TRY(find_joint(f, a, b, err)); }
  }
  return MBD_OK;
}

/* ---- bodies that no joint connects with the ground: joints from one shared vector ---- */

/* Joins body a along one of its vectors with later bodies that belong to other parts of the mechanism. */
static mbd_status join_along(finder *f, int a, int vector, int *up, mbd_error *err) {
  const spec_marker *v = &f->s->vector[vector];
  for (int k = 0; k < v->nplace; k++) {
    const int b = v->place[k].on;
    int p[2], w[2];
    shape found;
    if (b <= a || coupled_set(up, a) == coupled_set(up, b) || pairs_have(&f->held, a, b)) { continue; }
    if (shared(f->s, 1, a, b, NULL, p) != 0 || shared(f->s, 0, a, b, f->bushing_axis, w) != 1) { continue; }
    MBD_TRY(shape_of_vector(f->s, a, b, vector, &found, err));
    MBD_TRY(add_shape(f, a, b, &found, err));
    up[coupled_set(up, b)] = coupled_set(up, a);
  }
  return MBD_OK;
}

static mbd_status join_parts(finder *f, int *up, mbd_error *err) {
  const mbd_spec *s = f->s;
  coupled_begin(s->nbody, up);
  for (int i = 0; i < f->t->njoint; i++) {
    const int *body = f->t->joint[i].body;
    up[coupled_set(up, body[1])] = coupled_set(up, body[0]);
  }
  for (int a = 0; a < s->nbody; a++) {
    for (int i = 0; i < s->body[a].nvector; i++) {
      const int v = s->body[a].vector[i].on;
      if (!f->bushing_axis[v]) { MBD_TRY(join_along(f, a, v, up, err)); }
    }
  }
  return MBD_OK;
}

static mbd_status find_joints(finder *f, mbd_error *err) {
  const mbd_spec *s = f->s;
  f->bushing_axis = calloc((size_t)s->nvector + 1, 1);
  f->common = calloc((size_t)s->nbody, sizeof *f->common);
  f->near = calloc((size_t)s->nbody, sizeof *f->near);
  if (!f->bushing_axis || !f->common || !f->near || !pairs_create(&f->held, s->nbody) || !note_frames(f)) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory to find joints between %d bodies", s->nbody);
  }
  for (int a = 0; a < s->nbody; a++) { MBD_TRY(find_joints_of(f, a, err)); }
  return s->find_joints == MBD_FIND_ALL ? join_parts(f, f->near, err) : MBD_OK;
}

/* ---- the spanning tree ---- */

/* Marks the joint of a referenced coordinate as wanted in the tree. The reference begins with the name of the joint and a dot. */
static void request_joint_of(topology *t, const mbd_names *names, const char *ref) {
  for (const char *dot = ref ? strchr(ref, '.') : NULL; dot; dot = strchr(dot + 1, '.')) {
    const int joint = mbd_names_find_part(names, ref, (size_t)(dot - ref));
    if (joint >= 0) { t->joint[joint].requested = 1; }
  }
}

/* The same of the coordinates that the values of a force name. */
static void request_joints_of_value(topology *t, const mbd_names *names, const model_quantity *value) {
  for (int k = 0; k < value->nleaf; k++) { request_joint_of(t, names, value->leaf[k].output); }
}

static void request_joints_of(topology *t, const mbd_names *names, const spec_element *list, int n) {
  for (int i = 0; i < n; i++) {
    for (int r = 0; r < MBD_REF_MAX; r++) { request_joint_of(t, names, list[i].ref[r]); }
    for (int k = 0; k < MBD_VALUE_MAX; k++) { request_joints_of_value(t, names, &list[i].value[k]); }
  }
}

static mbd_status mark_requested(const mbd_spec *s, topology *t, mbd_error *err) {
  mbd_names names = {0};
  char **word = calloc((size_t)t->njoint + 1, sizeof *word); /* of joints that were found: the name with '_' for '-' */
  int placed = word != NULL;
  for (int i = 0; i < t->njoint; i++) { placed &= mbd_names_add(&names, t->joint[i].name, i); }
  for (int i = 0; i < t->njoint && word; i++) {
    if (!t->joint[i].found) { continue; }
    word[i] = mbd_strdup(t->joint[i].name);
    for (char *c = word[i]; c && *c; c++) {
      if (*c == '-') { *c = '_'; }
    }
    placed &= word[i] && mbd_names_add(&names, word[i], i);
  }
  request_joints_of(t, &names, s->force, s->nforce);
  request_joints_of(t, &names, s->constraint, s->nconstraint);
  for (int i = 0; i < s->nhold; i++) { request_joint_of(t, &names, s->hold[i].quantity); }
  mbd_names_free(&names);
  for (int i = 0; i < t->njoint && word; i++) { free(word[i]); }
  free(word);
  if (!placed) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the names of %d joints", t->njoint); }
  return MBD_OK;
}

/* The cost of a joint in the tree. In this order, a joint is preferred if the user names it, if a coordinate of it is used by name, if
 * it has few coordinates (a cut spherical joint costs three equations and saves four coordinates), if it is near to the ground, and if
 * it comes early in the description. */
static int cost(const topo_joint *j, int level) {
  int c = 1000 * j->ops->nz + level;
  if (j->beam) { return level - 10000000; }
  if (j->requested) { c -= 100000; }
  if (j->cut == MBD_CUT_NO) { c -= 1000000; }
  return c;
}

/* A heap of the joints with one body in the tree. The cheapest is first, of equal ones the first of the description. */
typedef struct candidate {
  int cost, joint;
} candidate;

typedef struct frontier {
  int n;
  candidate *heap; /* [joints] */
  int *reached;    /* [nbody] */
} frontier;

static int comes_first(candidate a, candidate b) {
  return a.cost != b.cost ? a.cost < b.cost : a.joint < b.joint;
}

static void push(frontier *queue, candidate c) {
  int i = queue->n++;
  for (; i > 0 && comes_first(c, queue->heap[(i - 1) / 2]); i = (i - 1) / 2) {
    queue->heap[i] = queue->heap[(i - 1) / 2];
  }
  queue->heap[i] = c;
}

static candidate pop(frontier *queue) {
  const candidate top = queue->heap[0], last = queue->heap[--queue->n];
  int i = 0;
  for (int k = 1; k < queue->n; i = k, k = 2 * k + 1) {
    if (k + 1 < queue->n && comes_first(queue->heap[k + 1], queue->heap[k])) { k++; }
    if (!comes_first(queue->heap[k], last)) { break; }
    queue->heap[i] = queue->heap[k];
  }
  queue->heap[i] = last;
  return top;
}

/* Marks a body as in the tree and adds its joints to the heap, since they may carry further bodies. The nodes of a beam are carried by its own
 * body alone. */
static void reach(const mbd_spec *s, frontier *queue, const topology *t, const body_pairs *joined, int body) {
  queue->reached[body] = 1;
  for (int i = joined->first[body]; i >= 0; i = pairs_next(joined, i, body)) {
    const topo_joint *j = &t->joint[i];
    const int other = j->body[j->body[0] == body];
    if (j->cut == MBD_CUT_YES || queue->reached[other] || (s->body[other].node && (!j->beam || other == j->body[0]))) {
      continue;
    }
    push(queue, (candidate){cost(j, t->level[body]), i});
  }
}

/* The next joint of the tree; -1: no joint leads to a further body. */
static int next_joint(frontier *queue, const topology *t) {
  while (queue->n) {
    const topo_joint *j = &t->joint[queue->heap[0].joint];
    const int i = pop(queue).joint;
    if (!queue->reached[j->body[0]] || !queue->reached[j->body[1]]) { return i; }
  }
  return -1;
}

static mbd_status float_body(const mbd_spec *s, topology *t, int body, mbd_error *err) {
  topo_joint *j = new_joint(t);
  if (!j) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a joint"); }
  j->name = mbd_sprintf_dup("%s", s->body[body].name);
  if (!j->name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a joint"); }
  j->ops = mbd_joint_find("floating");
  j->found = 1;
  j->body[0] = 0, j->body[1] = body;
  return MBD_OK;
}

static mbd_status grow_tree(const mbd_spec *s, topology *t, const body_pairs *joined, frontier *queue, mbd_error *err) {
  int lone = 1; /* all bodies before this one are in the tree */
  t->joint_of[0] = t->parent[0] = -1;
  reach(s, queue, t, joined, 0);
  for (int n = 1; n < s->nbody;) {
    int i = next_joint(queue, t);
    if (i < 0) { /* no joint leads to the next body: it gets a floating joint */
      while (queue->reached[lone]) { lone++; }
      MBD_TRY(float_body(s, t, lone, err));
      i = t->njoint - 1;
    }
    topo_joint *j = &t->joint[i];
    const int end = queue->reached[j->body[0]] ? 1 : 0, body = j->body[end];
    j->in_tree = 1;
    j->reversed = end == 0;
    t->joint_of[body] = i;
    t->parent[body] = j->body[1 - end];
    t->level[body] = t->level[t->parent[body]] + 1;
    t->order[n++] = body;
    reach(s, queue, t, joined, body);
  }
  return MBD_OK;
}

static mbd_status explain_cuts(topology *t, mbd_error *err) {
  for (int i = 0; i < t->njoint; i++) {
    topo_joint *j = &t->joint[i];
    if (j->in_tree) { continue; }
    if (j->cut == MBD_CUT_NO) {
      MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s' has cut = no, but all joints of its loop are wanted in the tree",
               j->name);
    }
    j->why = j->cut == MBD_CUT_YES ? "asked for by cut = yes"
                                   : "closes a loop whose other joints have fewer coordinates or are nearer to the "
                                     "ground";
  }
  return MBD_OK;
}

static mbd_status spanning_tree(const mbd_spec *s, topology *t, const body_pairs *joined, mbd_error *err) {
  frontier q = {.heap = calloc((size_t)t->njoint + 1, sizeof *q.heap),
                .reached = calloc((size_t)s->nbody, sizeof *q.reached)};
  mbd_status status = q.heap && q.reached ? grow_tree(s, t, joined, &q, err)
                                          : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the spanning tree");
  free(q.heap), free(q.reached);
  MBD_TRY(status);
  return explain_cuts(t, err);
}

/* ---- nodes of beams ---- */

static mbd_status beam_joint(const mbd_spec *s, const spec_beam *b, int beam, int node, topology *t, mbd_error *err) {
  const int body = b->body + 1 + node;
  char where[160];
  topo_joint *j = new_joint(t);
  if (j) { j->name = mbd_strdup(s->body[body].name); }
  if (!j || !j->name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for beam '%s'", b->name); }
  snprintf(where, sizeof where, "beam '%s'", b->name);
  j->ops = modal_joint(b->layout.n);
  j->beam = beam + 1, j->node = node;
  j->body[0] = b->body, j->body[1] = body;
  if (b->shape) {
    j->point[0] = b->place + 3 * node, j->axis[0] = b->axis, j->zero[0] = b->axis + 3;
    return MBD_OK;
  }
  MBD_TRY(resolve_marker(s, where, 1, b->from, b->body, &j->point[0], err));
  MBD_TRY(resolve_marker(s, where, 1, b->to, b->body + 1, &j->axis[0], err));
  j->axis_from[0] = j->point[0];
  return b->up ? resolve_marker(s, where, 0, b->up, b->body, &j->zero[0], err) : MBD_OK;
}

/* The joints between the body of each beam and its nodes and points of inertia. */
static mbd_status beam_joints(finder *f, mbd_error *err) {
  for (int i = 0; i < f->s->nbeam; i++) {
    const spec_beam *b = &f->s->beam[i];
    for (int node = 0; node < b->layout.nnode + b->layout.npoint; node++) {
      MBD_TRY(beam_joint(f->s, b, i, node, f->t, err));
      if (!pairs_add(&f->joined, b->body, b->body + 1 + node)) {
        MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a joint");
      }
    }
  }
  return MBD_OK;
}

static mbd_status make_joints(finder *f, mbd_error *err) {
  const mbd_spec *s = f->s;
  topology *t = f->t;
  if (!pairs_create(&f->joined, s->nbody)) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the joints of %d bodies", s->nbody);
  }
  for (int i = 0; i < s->njoint; i++) {
    MBD_TRY(named_joint(s, &s->joint[i], t, err));
    const int *body = t->joint[i].body;
    if (!pairs_add(&f->joined, body[0], body[1])) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a joint"); }
  }
  MBD_TRY(beam_joints(f, err));
  if (s->find_joints) { MBD_TRY(find_joints(f, err)); }
  MBD_TRY(mark_requested(s, t, err));
  return spanning_tree(s, t, &f->joined, err);
}

mbd_status topology_create(const mbd_spec *s, topology *t, mbd_error *err) {
  size_t n = (size_t)s->nbody;
  finder f = {.s = s, .t = t};
  *t = (topology){0};
  t->order = calloc(n, sizeof *t->order);
  t->joint_of = calloc(n, sizeof *t->joint_of);
  t->parent = calloc(n, sizeof *t->parent);
  t->level = calloc(n, sizeof *t->level);
  t->taken = calloc((size_t)s->nconstraint + 1, 1);
  if (!t->taken || !t->order || !t->joint_of || !t->parent || !t->level) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the topology of %d bodies", s->nbody);
  }
  mbd_status status = make_joints(&f, err);
  pairs_free(&f.joined), pairs_free(&f.held);
  free(f.bushing_axis), free(f.common), free(f.near);
  return status;
}

void topology_destroy(topology *t) {
  for (int i = 0; i < t->njoint; i++) { free(t->joint[i].name); }
  free(t->joint), free(t->taken), free(t->order), free(t->joint_of), free(t->parent), free(t->level);
  *t = (topology){0};
}
