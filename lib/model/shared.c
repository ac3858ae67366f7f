/* Points that several bodies carry: does the name mean one place? */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* Joints whose closure has the two points coincide: revolute, spherical, cardan. */
static int joins_points(const mbd_joint *j) {
  for (int i = 0; i < j->ops->nclosure; i++) {
    if (strcmp(j->ops->closure[i].type, "coincident") == 0) { return 1; }
  }
  return 0;
}

/* The joint's own point, or the other one of the two that give its axis. */
static int is_of_joint(const mbd_joint *j, int side, const mbd_marker *k) {
  const int on_axis = j->axis_from[side] >= 0 && j->axis_from[side] == j->point[side] && j->axis[side] == k->coef;
  return k->body == j->body[side] && (k->coef == j->point[side] || on_axis);
}

static int place_on_joint(const mbd_model *m, const mbd_named_marker *q, const mbd_joint *j, int side) {
  int k = 0;
  while (k < q->n && !is_of_joint(j, side, &m->marker[q->marker[k]])) { k++; }
  return k < q->n ? k : -1;
}

static int place_of_marker(const mbd_named_marker *q, int marker) {
  int k = 0;
  while (k < q->n && q->marker[k] != marker) { k++; }
  return k < q->n ? k : -1;
}

/* Two places are one: what is reached from one is reached from the other. */
static int join(unsigned char *reached, int a, int b) {
  if (a < 0 || b < 0 || reached[a] == reached[b]) { return 0; }
  reached[a] = reached[b] = 1;
  return 1;
}

/* One pass over joints and coincident constraints; returns whether another place was reached. */
static int spread(const mbd_model *m, const mbd_named_marker *q, unsigned char *reached) {
  int changed = 0;
  for (int i = 0; i < m->njoint; i++) {
    const mbd_joint *j = &m->joint[i];
    if (joins_points(j)) { changed |= join(reached, place_on_joint(m, q, j, 0), place_on_joint(m, q, j, 1)); }
  }
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    if (strcmp(c->ops->info.name, "coincident") != 0) { continue; }
    changed |= join(reached, place_of_marker(q, c->lift.arg[0].a), place_of_marker(q, c->lift.arg[0].b));
  }
  return changed;
}

mbd_status model_check_shared(const mbd_model *m, const char *point, const char *where, mbd_error *err) {
  const int known = strchr(point, '@') ? -1 : mbd_names_find(&m->point_names, point);
  const mbd_named_marker *q = known >= 0 ? &m->named[known] : NULL;
  if (!q || q->n < 2) { return MBD_OK; }
  unsigned char *reached = calloc((size_t)q->n, 1);
  if (!reached) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", where); }
  reached[0] = 1;
  while (spread(m, q, reached)) {}
  int apart = 0;
  while (apart < q->n && reached[apart]) { apart++; }
  free(reached);
  if (apart == q->n) { return MBD_OK; }
  const char *first = m->body[m->marker[q->marker[0]].body].name,
             *other = m->body[m->marker[q->marker[apart]].body].name;
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s: point '%s' is on the bodies '%s' and '%s', which may move it apart; expected '%s@%s' or '%s@%s'", where,
           point, first, other, point, first, point, other);
}
