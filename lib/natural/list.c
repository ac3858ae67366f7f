/* The equations of the natural model, each a constraint of lib/constraint on arguments that are linear in q:
 *   rigid bodies   e_a . e_b = eb_a . eb_b of the basis, and h = o + sum c_a e_a for each further point or vector h
 *   joints         closures that shared points and vectors do not satisfy already
 *   coordinates    equations of the joint coordinates that an element names
 *   constraints    constraints of the model
 * Equations: theory.md §4.1 (4.7). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/state.h"
#include "natural/build.h"

/* ---- elements and places ---- */

static mbd_status add_place(natural *n, natural_place place, int *number, mbd_error *err) {
  natural_place *grown = mbd_list_grow(n->place, n->nplace, sizeof *grown);
  if (!grown) { NATURAL_NO_MEMORY(err); }
  n->place = grown;
  *number = n->nplace;
  grown[n->nplace++] = place;
  return MBD_OK;
}

static mbd_status place_local(natural_builder *b, natural_local l, int *number, mbd_error *err) {
  natural_place place = {.rigid = b->n->rigid_of[l.marker.body], .local = l, .sign = 1};
  place.basic = sharing_of(b, &l, &place.sign);
  return add_place(b->n, place, number, err);
}

/* Adds point or vector k of a rigid body as a place; by_basis: as a combination of its basis. */
static mbd_status place_on_rigid(natural *n, int rigid, int k, int by_basis, int *number, mbd_error *err) {
  const natural_rigid *r = &n->rigid[rigid];
  return add_place(n, (natural_place){rigid, r->local[k], by_basis ? -1 : r->basic[k], 1}, number, err);
}

/* Adds an element, whose arguments the caller sets. The element owns the name. */
static mbd_status add_element(natural *n, char *name, const mbd_constraint_ops *ops, natural_element **out,
                              mbd_error *err) {
  natural_element *grown = name ? mbd_list_grow(n->element, n->nelement, sizeof *grown) : NULL;
  if (!grown) {
    free(name);
    NATURAL_NO_MEMORY(err);
  }
  n->element = grown;
  *out = &grown[n->nelement++];
  **out = (natural_element){.name = name, .ops = ops, .joint = -1, .row = n->nphi};
  n->nphi += ops->nphi;
  return MBD_OK;
}

/* ---- rigid bodies ---- */

static int has(const natural *n, int rigid, int basic) {
  const natural_rigid *r = &n->rigid[rigid];
  int k = 0;
  while (k < r->n && r->basic[k] != basic) { k++; }
  return k < r->n;
}

/* Returns 1 if an earlier rigid body has all of these points and vectors; its equations then fix them relative to each
 * other. */
static int kept_before(const natural *n, int rigid, int count, const int *basic) {
  for (int r = 0; r < rigid; r++) {
    int k = 0;
    while (k < count && has(n, r, basic[k])) { k++; }
    if (k == count) { return 1; }
  }
  return 0;
}

/* Direction k = 1, 2, 3 of the basis, as an argument. */
static mbd_status direction(natural *n, int rigid, int k, mbd_arg *x, mbd_error *err) {
  const natural_rigid *r = &n->rigid[rigid];
  const int is_point = n->basic[natural_basis(n, rigid, k)].is_point;
  *x = (mbd_arg){is_point ? MBD_ARG_POINT : MBD_ARG_VECTOR, -1, -1};
  MBD_TRY(place_on_rigid(n, rigid, r->basis[k], 0, &x->b, err));
  return is_point ? place_on_rigid(n, rigid, r->basis[0], 0, &x->a, err) : MBD_OK;
}

/* "A1: |P1 - A|", "A1: (P1 - A) . normal" */
static char *name_of_product(const natural *n, int rigid, int a, int b) {
  const char *body = n->m->body[n->rigid[rigid].body].name, *o = n->basic[natural_basis(n, rigid, 0)].name;
  char text[2][300];
  for (int i = 0; i < 2; i++) {
    const natural_basic *basic = &n->basic[natural_basis(n, rigid, i ? b : a)];
    const char *open = a == b ? "" : "(", *close = a == b ? "" : ")";
    if (basic->is_point) {
      snprintf(text[i], sizeof text[i], "%s%s - %s%s", open, basic->name, o, close);
    } else {
      snprintf(text[i], sizeof text[i], "%s", basic->name);
    }
  }
  return a == b ? mbd_sprintf_dup("%s: |%s|", body, text[0]) : mbd_sprintf_dup("%s: %s . %s", body, text[0], text[1]);
}

static mbd_status list_products(natural *n, int rigid, mbd_error *err) {
  for (int a = 1; a <= 3; a++) {
    for (int b = a; b <= 3; b++) {
      const int basic[3] = {natural_basis(n, rigid, a), natural_basis(n, rigid, b), natural_basis(n, rigid, 0)};
      const int from_origin = n->basic[basic[0]].is_point || n->basic[basic[1]].is_point;
      natural_element *e = NULL;
      mbd_arg x[2];
      if (kept_before(n, rigid, 2 + from_origin, basic)) { continue; }
      MBD_TRY(direction(n, rigid, a, &x[0], err));
      MBD_TRY(direction(n, rigid, b, &x[1], err));
      MBD_TRY(add_element(n, name_of_product(n, rigid, a, b), mbd_constraint_find("dot_design"), &e, err));
      e->arg[0] = x[0], e->arg[1] = x[1];
    }
  }
  return MBD_OK;
}

static mbd_status list_combinations(natural *n, int rigid, mbd_error *err) {
  const natural_rigid *r = &n->rigid[rigid];
  for (int k = 0; k < r->n; k++) {
    const natural_basic *basic = &n->basic[r->basic[k]];
    const int *s = r->basis;
    const int all[5] = {r->basic[k], r->basic[s[0]], r->basic[s[1]], r->basic[s[2]], r->basic[s[3]]};
    mbd_arg x = {basic->is_point ? MBD_ARG_POINT : MBD_ARG_VECTOR, -1, -1};
    natural_element *e = NULL;
    if (k == s[0] || k == s[1] || k == s[2] || k == s[3] || kept_before(n, rigid, 5, all)) { continue; }
    MBD_TRY(place_on_rigid(n, rigid, k, 0, &x.b, err));
    MBD_TRY(place_on_rigid(n, rigid, k, 1, &x.a, err));
    MBD_TRY(add_element(n, mbd_sprintf_dup("%s: %s", n->m->body[r->body].name, basic->name),
                        mbd_constraint_find("coincident"), &e, err));
    e->arg[0] = x;
  }
  return MBD_OK;
}

/* ---- joints ---- */

/* The place of a factor "Px" .. "Cz", "Pe" .. "Cf" of a closure; NULL: the joint's point on side 0 or 1. */
static mbd_status joint_place(natural_builder *b, int joint, const char *factor, int side, int *number,
                              mbd_error *err) {
  const mbd_joint *joining = &b->n->m->joint[joint];
  natural_local l = {.sign = 1};
  if (factor) {
    side = factor[0] == 'C';
    l.across = factor[1] == 'e' ? 1 : factor[1] == 'f' ? 2 : 0;
    l.marker = (mbd_marker){.source = MBD_MARKER_JOINT_AXIS,
                            .coef = -1,
                            .joint = joint,
                            .side = side,
                            .axis = l.across ? 2 : factor[1] - 'x'};
  } else {
    l.marker = (mbd_marker){.is_point = 1, .source = MBD_MARKER_COEF, .coef = joining->point[side]};
  }
  l.marker.body = joining->body[side];
  return place_local(b, l, number, err);
}

/* The argument from the joint's point on the parent to that on the child. */
static mbd_status joint_travel(natural_builder *b, int joint, mbd_arg *x, mbd_error *err) {
  *x = (mbd_arg){MBD_ARG_POINT, -1, -1};
  MBD_TRY(joint_place(b, joint, NULL, 1, &x->b, err));
  return joint_place(b, joint, NULL, 0, &x->a, err);
}

/* A vector of the joint as an argument. */
static mbd_status joint_vector(natural_builder *b, int joint, const char *factor, mbd_arg *x, mbd_error *err) {
  *x = (mbd_arg){MBD_ARG_VECTOR, -1, -1};
  return joint_place(b, joint, factor, 0, &x->b, err);
}

static int axis_shared(const natural_builder *b, int joint, const char *factor) {
  return b->common[joint] & (factor[1] == 'z' ? COMMON_Z : factor[1] == 'x' ? COMMON_X : 0);
}

/* Returns 1 if sharing satisfies the closure. A shared axis is perpendicular to the other axes of the joint's frame on
 * both bodies. */
static int given_by_sharing(const natural_builder *b, int joint, const mbd_closure *closure) {
  if (!closure->a) { return b->common[joint] & COMMON_POINT; }
  if (strcmp(closure->type, "dot") != 0 || strcmp(closure->b, "d") == 0) { return 0; }
  return axis_shared(b, joint, closure->a) || axis_shared(b, joint, closure->b);
}

/* Adds the constraint that a closure equation of a joint becomes in natural coordinates, between points and vectors of both bodies. */
static mbd_status list_closure(natural_builder *b, int joint, const mbd_closure *closure, mbd_error *err) {
  const char *name = b->n->m->joint[joint].name, *type = closure->type;
  natural_element *e = NULL;
  mbd_arg x[2] = {{MBD_ARG_POINT, -1, -1}, {MBD_ARG_POINT, -1, -1}};
  const int to_plane = closure->a && strcmp(closure->b, "d") == 0;
  if (!closure->a || to_plane) { MBD_TRY(joint_travel(b, joint, &x[0], err)); }
  if (to_plane) { MBD_TRY(joint_vector(b, joint, closure->a, &x[1], err)); }
  if (closure->a && !to_plane) {
    MBD_TRY(joint_vector(b, joint, closure->a, &x[0], err));
    MBD_TRY(joint_vector(b, joint, closure->b, &x[1], err));
  }
  if (strcmp(type, "dot") == 0) { type = to_plane ? "in_plane" : "perpendicular"; }
  MBD_TRY(add_element(b->n,
                      mbd_sprintf_dup("%s.%s%s%s%s", name, type, closure->a ? "." : "", closure->a ? closure->a : "",
                                      closure->a ? closure->b : ""),
                      mbd_constraint_find(type), &e, err));
  e->arg[0] = x[0], e->arg[1] = x[1];
  e->joint = joint;
  return MBD_OK;
}

static mbd_status list_joint(natural_builder *b, int joint, mbd_error *err) {
  const mbd_joint *joining = &b->n->m->joint[joint];
  if (!joining->cut && joining->ops->nz == 0) { return MBD_OK; } /* one rigid body */
  for (int i = 0; i < joining->ops->nclosure; i++) {
    if (!given_by_sharing(b, joint, &joining->ops->closure[i])) {
      MBD_TRY(list_closure(b, joint, &joining->ops->closure[i], err));
    }
  }
  return MBD_OK;
}

/* ---- added coordinates ---- */

/* Adds the equation that defines coordinate j of a joint of the tree as a function of points and vectors of its bodies. */
static mbd_status list_measure(natural_builder *b, int j, const char *by, mbd_error *err) {
  const mbd_model *m = b->n->m;
  const mbd_body *body = &m->body[m->z_body[j]];
  const mbd_measure *measure = &m->joint[body->joint].ops->measure[j - body->z0];
  natural_element *e = NULL;
  mbd_arg x[CONSTRAINT_ARG_MAX];
  int narg = 0;
  if (!measure->type) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "'%s' names coordinate '%s', an Euler parameter, for which natural coordinates have no equation", by,
             m->z_name[j]);
  }
  /* Arguments: the displacement between the points of the joint, if the constraint takes one, and the vectors that
   * measure the coordinate. */
  const mbd_constraint_ops *ops = mbd_constraint_find(measure->type);
  if (ops->arg[0].kind == MBD_ARG_POINT) { MBD_TRY(joint_travel(b, body->joint, &x[narg++], err)); }
  for (int i = 0; i < 3 && measure->vector[i]; i++) {
    MBD_TRY(joint_vector(b, body->joint, measure->vector[i], &x[narg++], err));
  }
  /* The last argument is the coordinate itself, so that the equation defines it. */
  x[narg] = (mbd_arg){MBD_ARG_COORDINATE, b->n->q_of[j], -1};
  MBD_TRY(add_element(b->n, mbd_strdup(m->z_name[j]), ops, &e, err));
  memcpy(e->arg, x, sizeof x);
  return MBD_OK;
}

/* Makes variables of the coordinates among the arguments of an element. */
static mbd_status add_coordinates(natural_builder *b, const mbd_lift *lift, const char *by, mbd_error *err) {
  natural *n = b->n;
  for (int a = 0; a < lift->narg; a++) {
    const int j = lift->arg[a].b;
    if (lift->arg[a].kind != MBD_ARG_COORDINATE || n->q_of[j] >= 0 || model_is_state(n->m, j)) { continue; }
    n->q_of[j] = n->nq++;
    n->added[n->nadded++] = j;
    if (j < n->m->nz_tree) { MBD_TRY(list_measure(b, j, by, err)); }
  }
  return MBD_OK;
}

/* ---- constraints of the model ---- */

static int is_given(const mbd_model *m, int number) {
  for (int i = 0; i < m->njoint; i++) {
    const mbd_joint *joint = &m->joint[i];
    if (joint->cut && number >= joint->closure && number < joint->closure + joint->ops->nclosure) { return 0; }
  }
  return m->constraint[number].ops != mbd_constraint_find("unit_norm");
}

static mbd_status list_given(natural *n, const mbd_constraint *c, mbd_error *err) {
  natural_element *e = NULL;
  MBD_TRY(add_element(n, mbd_strdup(c->name), c->ops, &e, err));
  e->given = c;
  for (int a = 0; a < c->lift.narg; a++) { e->arg[a] = natural_arg_of(n, &c->lift.arg[a]); }
  return MBD_OK;
}

/* ---- all of them ---- */

static mbd_status name_rows(natural *n, mbd_error *err) {
  n->phi_name = calloc((size_t)n->nphi + 1, sizeof *n->phi_name);
  if (!n->phi_name) { NATURAL_NO_MEMORY(err); }
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    for (int r = 0; r < e->ops->nphi; r++) {
      const char suffix[3] = {'.', (char)('x' + r), '\0'};
      n->phi_name[e->row + r] = mbd_sprintf_dup("%s%s", e->name, e->ops->nphi == 1 ? "" : suffix);
      if (!n->phi_name[e->row + r]) { NATURAL_NO_MEMORY(err); }
    }
  }
  return MBD_OK;
}

/* Places of the model's markers; equations of rigid bodies and joints; variables of named coordinates; equations of the model. */
mbd_status equations_list(natural_builder *b, mbd_error *err) {
  natural *n = b->n;
  const mbd_model *m = n->m;
  int number = 0;
  /* Places of the markers come first, so that a place has the number of its marker. */
  for (int i = 0; i < m->nmarker; i++) { MBD_TRY(place_local(b, (natural_local){m->marker[i], 1, 0}, &number, err)); }
  /* Equations of rigid bodies (4.7), and closures of joints. */
  for (int i = 1; i < n->nrigid; i++) {
    MBD_TRY(list_products(n, i, err));
    MBD_TRY(list_combinations(n, i, err));
  }
  for (int i = 0; i < m->njoint; i++) { MBD_TRY(list_joint(b, i, err)); }
  /* Variables and equations of joint coordinates that elements name; variables of the user's coordinates. */
  for (int i = 0; i < m->nforce; i++) { MBD_TRY(add_coordinates(b, &m->force[i].lift, m->force[i].name, err)); }
  for (int i = 0; i < m->nconstraint; i++) {
    if (is_given(m, i)) { MBD_TRY(add_coordinates(b, &m->constraint[i].lift, m->constraint[i].name, err)); }
  }
  for (int j = m->nz_tree; j < m->nz; j++) { /* those of states are the last variables */
    if (n->q_of[j] < 0) { n->q_of[j] = n->nq++, n->added[n->nadded++] = j; }
  }
  /* Constraints of the model, after the variables that their arguments refer to. */
  for (int i = 0; i < m->nconstraint; i++) {
    if (is_given(m, i)) { MBD_TRY(list_given(n, &m->constraint[i], err)); }
  }
  return name_rows(n, err);
}
