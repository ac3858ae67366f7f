/* Finds the points and vectors that bodies share. A joint, cut or not, that keeps two points or two axes of its frame together makes them
 * one (mbd_joint_ops.shared). Points or axes of one body that several joints name by the same coefficients are one, too.
 *
 * Two different points (or axes) of one body are never made one, even if the joints of a loop require that they coincide, because they do so
 * for some designs only. The joint that would merge them keeps its equations.
 * Equations: theory.md §4.1. */
#include <string.h>

#include "natural/build.h"

/* ---- nodes ---- */

enum { NO_COEF = -1 }; /* in `from` of a point, and of an axis that is a vector */

/* Keys of axes without coefficients: those of the body frame; and x and y of a joint, which no other joint shares. */
static int body_axis_key(int axis) {
  return -2 - axis;
}
static int joint_axis_key(int joint, int side, int axis) {
  return -5 - 2 * (2 * joint + side) - axis;
}

static int find_node(const natural_builder *b, int body, int is_point, int coef, int from) {
  int k = b->on_body[body];
  while (k >= 0 && !(b->node[k].is_point == is_point && b->node[k].coef == coef && b->node[k].from == from)) {
    k = b->node[k].below;
  }
  return k;
}

static int node_at(natural_builder *b, int body, int is_point, int coef, int from, natural_local local) {
  const int known = find_node(b, body, is_point, coef, from), k = b->nnode;
  if (known >= 0) { return known; }
  sharing_node *grown = mbd_list_grow(b->node, k, sizeof *grown);
  if (!grown) { return -1; }
  b->node = grown;
  grown[k] = (sharing_node){body, is_point, coef, from, local, k, 1, k, -1, b->on_body[body]};
  b->on_body[body] = k;
  return b->nnode++;
}

static natural_local joint_axis_local(const mbd_joint *joining, int joint, int side, int axis, int sign) {
  const mbd_marker k = {.body = joining->body[side],
                        .source = MBD_MARKER_JOINT_AXIS,
                        .coef = -1,
                        .joint = joint,
                        .side = side,
                        .axis = axis};
  return (natural_local){k, sign, 0};
}

static int point_node(natural_builder *b, int joint, int side) {
  const mbd_joint *joining = &b->n->m->joint[joint];
  const mbd_marker k = {
      .body = joining->body[side], .is_point = 1, .source = MBD_MARKER_COEF, .coef = joining->point[side]};
  return node_at(b, k.body, 1, k.coef, NO_COEF, (natural_local){k, 1, 0});
}

/* The key of the direction of an axis; the axis of the joint is a sign times this direction. */
static int axis_key(const mbd_joint *joining, int side, int axis, int joint) {
  if (joining->axis[side] < 0) { return body_axis_key(axis); }
  return axis == 2 ? joining->axis[side] : joint_axis_key(joint, side, axis);
}

static int axis_sign(const mbd_joint *joint, int side, int axis) {
  return axis == 2 && joint->axis[side] >= 0 ? joint->sign[side] : 1;
}

static int axis_node(natural_builder *b, int joint, int side, int axis) {
  const mbd_joint *joining = &b->n->m->joint[joint];
  const int from = axis == 2 && joining->axis[side] >= 0 ? joining->axis_from[side] : NO_COEF;
  return node_at(b, joining->body[side], 0, axis_key(joining, side, axis, joint), from,
                 joint_axis_local(joining, joint, side, axis, axis_sign(joining, side, axis)));
}

/* ---- classes ---- */

/* Makes node i equal to sign times node j. Returns 0 if this would make different points or axes of one body equal. */
static int merge(natural_builder *b, int i, int j, int sign) {
  sharing_node *node = b->node;
  const int root = node[i].root, turn = node[i].sign * sign * node[j].sign;
  if (root == node[j].root) { return turn == 1; }
  b->stamped++;
  int k = i;
  do { b->stamp[b->n->rigid_of[node[k].body]] = b->stamped, k = node[k].next; } while (k != i);
  k = j;
  do {
    if (b->stamp[b->n->rigid_of[node[k].body]] == b->stamped) { return 0; }
    k = node[k].next;
  } while (k != j);
  do { node[k].root = root, node[k].sign *= turn, k = node[k].next; } while (k != j);
  const int after = node[i].next;
  node[i].next = node[j].next, node[j].next = after;
  return 1;
}

static int keeps_point(const mbd_joint_ops *ops) {
  for (int i = 0; i < ops->nclosure; i++) {
    if (strcmp(ops->closure[i].type, "coincident") == 0) { return 1; }
  }
  return 0;
}

static mbd_status share(natural_builder *b, int joint, mbd_error *err) {
  const mbd_joint *joining = &b->n->m->joint[joint];
  const char *axes = joining->ops->shared ? joining->ops->shared : "";
  if (keeps_point(joining->ops)) {
    const int i = point_node(b, joint, 0), j = point_node(b, joint, 1);
    if (i < 0 || j < 0) { NATURAL_NO_MEMORY(err); }
    if (merge(b, i, j, 1)) { b->common[joint] |= COMMON_POINT; }
  }
  for (int k = 0; axes[k]; k++) {
    const int axis = axes[k] - 'x', i = axis_node(b, joint, 0, axis), j = axis_node(b, joint, 1, axis);
    if (i < 0 || j < 0) { NATURAL_NO_MEMORY(err); }
    if (merge(b, i, j, axis_sign(joining, 0, axis) * axis_sign(joining, 1, axis))) {
      b->common[joint] |= axis == 2 ? COMMON_Z : COMMON_X;
    }
  }
  return MBD_OK;
}

/* ---- points and vectors ---- */

/* The name of a point or vector: that of the model file, or one made from the name of the joint. */
static char *name_of(const mbd_model *m, const sharing_node *node) {
  for (int i = 0; i < m->nnamed && node->coef >= 0 && node->from < 0; i++) {
    const mbd_named_marker *named = &m->named[i];
    for (int k = 0; k < named->n && named->is_point == node->is_point; k++) {
      if (m->marker[named->marker[k]].coef == node->coef) { return mbd_strdup(named->name); }
    }
  }
  if (node->is_point) { return mbd_sprintf_dup("%s.origin", m->body[node->body].name); }
  return mbd_sprintf_dup("%s.%s", m->joint[node->local.marker.joint].name, node->local.marker.axis == 2 ? "axis" : "x");
}

/* Adds the point or vector that all nodes of a class represent. */
static mbd_status make_basic(natural_builder *b, int first, mbd_error *err) {
  natural *n = b->n;
  int number = 0, k = first;
  MBD_TRY(natural_add_basic(n, name_of(n->m, &b->node[first]), b->node[first].is_point, &number, err));
  do {
    sharing_node *node = &b->node[k];
    natural_local local = node->local;
    local.sign *= node->sign;
    node->basic = number;
    MBD_TRY(natural_add_on(n, n->rigid_of[node->body], number, local, err));
    k = node->next;
  } while (k != first);
  return MBD_OK;
}

mbd_status sharing_find(natural_builder *b, mbd_error *err) {
  const mbd_model *m = b->n->m;
  for (int i = 0; i < m->njoint; i++) {
    const int welded = !m->joint[i].cut && m->joint[i].ops->nz == 0;
    if (!welded) { MBD_TRY(share(b, i, err)); }
  }
  for (int is_point = 1; is_point >= 0; is_point--) {
    for (int k = 0; k < b->nnode; k++) {
      const sharing_node *node = &b->node[k];
      if (node->is_point == is_point && node->basic < 0 && node->next != k) { MBD_TRY(make_basic(b, k, err)); }
    }
  }
  return MBD_OK;
}

int sharing_of(const natural_builder *b, const natural_local *l, int *sign) {
  const mbd_marker *k = &l->marker;
  int node = -1, turn = 1;
  if (l->across) { return -1; }
  if (k->source == MBD_MARKER_COEF && k->is_point) { node = find_node(b, k->body, 1, k->coef, NO_COEF); }
  if (k->source == MBD_MARKER_JOINT_AXIS) {
    const mbd_joint *joint = &b->n->m->joint[k->joint];
    const int from = k->axis == 2 && joint->axis[k->side] >= 0 ? joint->axis_from[k->side] : NO_COEF;
    node = find_node(b, k->body, 0, axis_key(joint, k->side, k->axis, k->joint), from);
    turn = axis_sign(joint, k->side, k->axis);
  }
  if (node < 0) { return -1; }
  *sign = l->sign * turn * b->node[node].sign;
  return b->node[node].basic;
}
