/* Checks whether the name of a point or vector that several bodies have determines one place, or one direction.
 *
 * If joints keep a point of several bodies together exactly, a force on it has the same effect on the motion whichever of these bodies
 * it acts on, because the points have the same velocity and the force the same power. The multipliers of a cut joint at this point do
 * depend on the body, and so does the motion with the compliant joints of formulation "penalty"; POINT@BODY names the body. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* Returns 1 if the closure of the joint makes its two points coincide (revolute, spherical, cardan). */
static int joins_points(const mbd_joint *j) {
  for (int i = 0; i < j->ops->nclosure; i++) {
    if (strcmp(j->ops->closure[i].type, "coincident") == 0) { return 1; }
  }
  return 0;
}

/* Returns 1 if the marker is the joint's own point, or the second of the two points of its axis. */
static int is_of_joint(const mbd_joint *j, int side, const mbd_marker *k) {
  const int on_axis = j->axis_from[side] >= 0 && j->axis_from[side] == j->point[side] && j->axis[side] == k->coef;
  return k->body == j->body[side] && (k->coef == j->point[side] || on_axis);
}

/* Has the vector the same direction on both bodies of the joint? Every vector has if the joint fixes the relative orientation; otherwise
 * the axis alone. */
static int keeps_vector(const mbd_joint *j, int side, const mbd_marker *k) {
  const int all = strlen(j->ops->shared ? j->ops->shared : "") > 1;
  return k->body == j->body[side] && (all || (j->axis_from[side] < 0 && j->axis[side] == k->coef));
}

static int place_on_joint(const mbd_model *m, const mbd_named_marker *marker, const mbd_joint *j, int side) {
  int k = 0;
  while (k < marker->n && !(marker->is_point ? is_of_joint : keeps_vector)(j, side, &m->marker[marker->marker[k]])) {
    k++;
  }
  return k < marker->n ? k : -1;
}

static int place_of_marker(const mbd_named_marker *named, int marker) {
  int k = 0;
  while (k < named->n && named->marker[k] != marker) { k++; }
  return k < named->n ? k : -1;
}

/* Marks both places as reached if one of them is. Returns whether a mark was added. */
static int join(unsigned char *reached, int a, int b) {
  if (a < 0 || b < 0 || reached[a] == reached[b]) { return 0; }
  reached[a] = reached[b] = 1;
  return 1;
}

/* The two markers that a constraint makes coincide; -1: none. */
static void kept_together(const mbd_constraint *c, int is_point, int marker[2]) {
  const mbd_arg *arg = c->lift.arg;
  const char *type = c->ops->info.name;
  marker[0] = marker[1] = -1;
  if (is_point && strcmp(type, "coincident") == 0) { marker[0] = arg[0].a, marker[1] = arg[0].b; }
  if (!is_point && strcmp(type, "parallel") == 0) { marker[0] = arg[0].b, marker[1] = arg[1].b; }
}

/* One pass over joints and constraints; returns whether another place was reached. */
static int spread(const mbd_model *m, const mbd_named_marker *named, unsigned char *reached) {
  int changed = 0, marker[2];
  for (int i = 0; i < m->njoint; i++) {
    const mbd_joint *j = &m->joint[i];
    if (named->is_point ? !joins_points(j) : !j->ops->shared) { continue; }
    changed |= join(reached, place_on_joint(m, named, j, 0), place_on_joint(m, named, j, 1));
  }
  for (int i = 0; i < m->nconstraint; i++) {
    kept_together(&m->constraint[i], named->is_point, marker);
    changed |= join(reached, place_of_marker(named, marker[0]), place_of_marker(named, marker[1]));
  }
  return changed;
}

/* *apart: a place that no joint or constraint keeps at the first one; -1: all coincide. */
static mbd_status find_apart(const mbd_model *m, const mbd_named_marker *marker, int *apart, mbd_error *err) {
  unsigned char *reached = calloc((size_t)marker->n, 1);
  if (!reached) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the bodies of '%s'", marker->name); }
  reached[0] = 1;
  while (spread(m, marker, reached)) {}
  *apart = 0;
  while (*apart < marker->n && reached[*apart]) { ++*apart; }
  if (*apart == marker->n) { *apart = -1; }
  free(reached);
  return MBD_OK;
}

/* The point or vector of a name without a body, if several bodies have it; else NULL. */
static const mbd_named_marker *on_several(const mbd_model *m, const char *name, int is_point) {
  const int known = strchr(name, '@') ? -1 : mbd_names_find(is_point ? &m->point_names : &m->vector_names, name);
  return known >= 0 && m->named[known].n > 1 ? &m->named[known] : NULL;
}

mbd_status model_check_shared(const mbd_model *m, const char *name, int is_point, const char *where, mbd_error *err) {
  const mbd_named_marker *marker = on_several(m, name, is_point);
  int apart = -1;
  if (!marker) { return MBD_OK; }
  MBD_TRY(find_apart(m, marker, &apart, err));
  if (apart < 0) { return MBD_OK; }
  const char *first = m->body[m->marker[marker->marker[0]].body].name,
             *other = m->body[m->marker[marker->marker[apart]].body].name;
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: %s '%s' is on the bodies '%s' and '%s', which may %s; expected '%s@%s' or '%s@%s'",
           where, is_point ? "point" : "vector", name, first, other, is_point ? "move it apart" : "turn it apart", name,
           first, name, other);
}

/* Checks a point of an element with frames on bodies: the frames are on the bodies of its points. */
static mbd_status check_frame_point(const mbd_model *m, const char *point, const char *where, mbd_error *err) {
  const mbd_named_marker *marker = on_several(m, point, 1);
  if (!marker) { return MBD_OK; }
  const char *first = m->body[m->marker[marker->marker[0]].body].name,
             *other = m->body[m->marker[marker->marker[1]].body].name;
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s: point '%s' is on the bodies '%s' and '%s', and the element turns with one of them; expected '%s@%s' or "
           "'%s@%s'",
           where, point, first, other, point, first, point, other);
}

mbd_status model_check_references(const mbd_model *m, const mbd_ref_info *info, char *const *ref, const char *where,
                                  mbd_error *err) {
  int frames = 0;
  for (int k = 0; info[k].key; k++) { frames |= info[k].kind == MBD_REF_FRAME; }
  for (int k = 0, n = 0; info[k].key; n += info[k].count, k++) {
    const int is_point = info[k].kind == MBD_REF_POINT;
    for (int i = 0; i < info[k].count && (is_point || info[k].kind == MBD_REF_VECTOR); i++) {
      if (is_point && frames) { MBD_TRY(check_frame_point(m, ref[n + i], where, err)); }
      MBD_TRY(model_check_shared(m, ref[n + i], is_point, where, err));
    }
  }
  return MBD_OK;
}
