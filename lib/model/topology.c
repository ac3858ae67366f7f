#include "model/topology.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/nearest.h"
#include "force/force.h"

static topo_joint *new_joint(topology *t) {
  topo_joint *grown = mbd_list_grow(t->joint, t->njoint, sizeof *t->joint);
  if (!grown) { return NULL; }
  t->joint = grown;
  topo_joint *j = &grown[t->njoint++];
  memset(j, 0, sizeof *j);
  for (int k = 0; k < 2; k++) { j->point[k] = j->axis[k] = j->axis_from[k] = -1; }
  return j;
}

/* ---- joints named in the description ---- */

static mbd_status resolve_body(const mbd_spec *s, const char *joint, const char *name, int *body, mbd_error *err) {
  char hint[128];
  *body = spec_find_body(s, name ? name : "");
  if (*body >= 0) { return MBD_OK; }
  mbd_nearest near = {.wanted = name ? name : ""};
  for (int i = 0; i < s->nbody; i++) { mbd_nearest_offer(&near, s->body[i].name); }
  MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s': body '%s' is not known%s", joint, name ? name : "",
           mbd_nearest_text(&near, hint, sizeof hint));
}

static mbd_status resolve_marker(const mbd_spec *s, const char *joint, int is_point, const char *name, int body,
                                 int *coords, mbd_error *err) {
  const spec_marker *list = is_point ? s->point : s->vector;
  int n = is_point ? s->npoint : s->nvector, k = spec_find_marker(list, n, name);
  const char *what = is_point ? "point" : "vector";
  char hint[128];
  if (k < 0) {
    mbd_nearest near = {.wanted = name};
    for (int i = 0; i < n; i++) { mbd_nearest_offer(&near, list[i].name); }
    MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s': %s '%s' is not known%s", joint, what, name,
             mbd_nearest_text(&near, hint, sizeof hint));
  }
  *coords = spec_place_on(&list[k], body);
  if (*coords < 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s': %s '%s' is not given on body '%s'; expected its coordinates there", joint,
             what, name, s->body[body].name);
  }
  return MBD_OK;
}

static mbd_status named_joint(const mbd_spec *s, const spec_joint *d, topology *t, mbd_error *err) {
  char hint[128];
  const mbd_joint_ops *ops = mbd_joint_find(d->type ? d->type : "");
  if (!ops) {
    mbd_nearest near = {.wanted = d->type ? d->type : ""};
    for (int i = 0; mbd_joint_at(i); i++) { mbd_nearest_offer(&near, mbd_joint_at(i)->info.name); }
    MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s': type '%s' is not known%s", d->name, d->type ? d->type : "",
             mbd_nearest_text(&near, hint, sizeof hint));
  }
  topo_joint *j = new_joint(t);
  if (!j) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for joint '%s'", d->name); }
  j->name = mbd_strdup(d->name);
  j->ops = ops;
  j->cut = d->cut;
  for (int k = 0; k < 2; k++) {
    MBD_TRY(resolve_body(s, d->name, d->body[k], &j->body[k], err));
    const char *axis = ops->info.naxis == 2 && k == 1 ? d->axis2 : d->axis;
    if (ops->info.npoint && !d->point[k]) {
      MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s': a %s joint needs a point", d->name, ops->info.name);
    }
    if (ops->info.naxis && !axis) {
      MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s': a %s joint needs %s", d->name, ops->info.name,
               ops->info.naxis == 2 ? "axis and axis2" : "an axis");
    }
    if (d->point[k]) { MBD_TRY(resolve_marker(s, d->name, 1, d->point[k], j->body[k], &j->point[k], err)); }
    if (ops->info.naxis) { MBD_TRY(resolve_marker(s, d->name, 0, axis, j->body[k], &j->axis[k], err)); }
  }
  if (j->body[0] == j->body[1]) {
    MBD_FAIL(err, MBD_BAD_INPUT, "joint '%s' joins body '%s' with itself", d->name, d->body[0]);
  }
  return MBD_OK;
}

/* ---- joints found from shared points and vectors ---- */

/* Body of a reference "P1" or "P1@A1" to a point; -1: unknown, which is reported later. */
static int body_of_point(const mbd_spec *s, const char *ref) {
  const char *at = ref ? strchr(ref, '@') : NULL;
  if (at) { return spec_find_body(s, at + 1); }
  int k = spec_find_marker(s->point, s->npoint, ref ? ref : "");
  return k >= 0 && s->point[k].nplace ? s->point[k].place[0].body : -1;
}

/* Force number i, if it has frames on two bodies: a bushing. Its axes are its last two references. */
static const spec_element *elastic(const mbd_spec *s, int i) {
  const spec_element *e = &s->force[i];
  const mbd_force_ops *ops = mbd_force_find(e->type ? e->type : "");
  for (int k = 0; ops && ops->info.refs[k].key; k++) {
    if (ops->info.refs[k].kind == MBD_REF_FRAME) { return e; }
  }
  return NULL;
}

/* Bodies that a bushing holds together: the points that they share are there for it. */
static int held_elastically(const mbd_spec *s, int a, int b) {
  for (int i = 0; i < s->nforce; i++) {
    const spec_element *e = elastic(s, i);
    if (!e) { continue; }
    int p = body_of_point(s, e->ref[0]), q = body_of_point(s, e->ref[1]);
    if ((p == a && q == b) || (p == b && q == a)) { return 1; }
  }
  return 0;
}

static int is_axis_of_bushing(const mbd_spec *s, const char *vector) {
  for (int i = 0; i < s->nforce; i++) {
    const spec_element *e = elastic(s, i);
    for (int k = 2; e && k < 4; k++) {
      if (e->ref[k] && strcmp(e->ref[k], vector) == 0) { return 1; }
    }
  }
  return 0;
}

static int joined(const topology *t, int a, int b) {
  for (int i = 0; i < t->njoint; i++) {
    const int *q = t->joint[i].body;
    if ((q[0] == a && q[1] == b) || (q[0] == b && q[1] == a)) { return 1; }
  }
  return 0;
}

/* Vectors that both bodies have, but for axes of bushings, which many bodies may share. */
static int shared_directions(const mbd_spec *s, int a, int b, int which[2]) {
  int count = 0;
  for (int i = 0; i < s->nvector; i++) {
    if (spec_place_on(&s->vector[i], a) < 0 || spec_place_on(&s->vector[i], b) < 0) { continue; }
    if (is_axis_of_bushing(s, s->vector[i].name)) { continue; }
    if (count < 2) { which[count] = i; }
    count++;
  }
  return count;
}

/* Indices of the points (or vectors) that both bodies have; returns how many, at most 2 are listed. */
static int shared(const spec_marker *list, int n, int a, int b, int which[2]) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (spec_place_on(&list[i], a) < 0 || spec_place_on(&list[i], b) < 0) { continue; }
    if (count < 2) { which[count] = i; }
    count++;
  }
  return count;
}

/* Are a and b already linked through this point by joints found before? Three bodies at one point need two joints. */
static int linked_at_point(const mbd_spec *s, const topology *t, const spec_marker *point, int a, int b) {
  int reach[64] = {0}, n = point->nplace < 64 ? point->nplace : 64, grown = 1;
  for (int i = 0; i < n; i++) { reach[i] = point->place[i].body == a; }
  (void)s;
  while (grown) {
    grown = 0;
    for (int i = 0; i < n; i++) {
      for (int k = 0; reach[i] && k < n; k++) {
        if (!reach[k] && joined(t, point->place[i].body, point->place[k].body)) { reach[k] = grown = 1; }
      }
    }
  }
  for (int i = 0; i < n; i++) {
    if (point->place[i].body == b) { return reach[i]; }
  }
  return 0;
}

/* Point and vector: revolute. Two points: revolute about their line. One point: spherical. Two vectors, no point:
 * prismatic along the first, unless they are axes of bushings. */
static mbd_status find_joint(const mbd_spec *s, topology *t, int a, int b, mbd_error *err) {
  int p[2] = {-1, -1}, v[2] = {-1, -1};
  int np = shared(s->point, s->npoint, a, b, p), nv = shared(s->vector, s->nvector, a, b, v);
  const int body[2] = {a, b};
  if (np == 0) { nv = shared_directions(s, a, b, v); }
  if (np == 0 && nv < 2) { return MBD_OK; }
  if (np && linked_at_point(s, t, &s->point[p[0]], a, b)) { return MBD_OK; }
  topo_joint *j = new_joint(t);
  if (!j) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a joint"); }
  j->name = mbd_sprintf_dup("%s-%s", s->body[a].name, s->body[b].name);
  j->found = 1;
  j->ops = mbd_joint_find(np == 0 ? "prismatic" : np == 1 && nv == 0 ? "spherical" : "revolute");
  for (int k = 0; k < 2; k++) {
    j->body[k] = body[k];
    if (np) { j->point[k] = spec_place_on(&s->point[p[0]], body[k]); }
    if (nv) {
      j->axis[k] = spec_place_on(&s->vector[v[0]], body[k]);
    } else if (np > 1) {
      j->axis[k] = spec_place_on(&s->point[p[1]], body[k]);
      j->axis_from[k] = j->point[k];
    }
  }
  return MBD_OK;
}

/* ---- the spanning tree ---- */

static int names_coordinate_of(const char *ref, const char *joint) {
  size_t n = strlen(joint);
  return ref && strncmp(ref, joint, n) == 0 && ref[n] == '.';
}

static void mark_wanted(const mbd_spec *s, topology *t) {
  for (int i = 0; i < t->njoint; i++) {
    topo_joint *j = &t->joint[i];
    for (int k = 0; k < s->nforce; k++) {
      for (int r = 0; r < MBD_REF_MAX; r++) { j->wanted |= names_coordinate_of(s->force[k].ref[r], j->name); }
    }
    for (int k = 0; k < s->nconstraint; k++) {
      for (int r = 0; r < MBD_REF_MAX; r++) { j->wanted |= names_coordinate_of(s->constraint[k].ref[r], j->name); }
    }
    for (int k = 0; k < s->nhold; k++) { j->wanted |= names_coordinate_of(s->hold[k].quantity, j->name); }
  }
}

/* Cheapest joint that carries one more body: asked for, used by name, few coordinates (a cut spherical joint costs
 * three equations and saves four coordinates), near to the ground, in the order of the description. */
static int cost(const topo_joint *j, int level) {
  int c = 1000 * j->ops->nz + level;
  if (j->wanted) { c -= 100000; }
  if (j->cut == MBD_CUT_NO) { c -= 1000000; }
  return c;
}

static int next_joint(const topology *t, const int *reached, int *end) {
  int best = -1, best_cost = 0;
  for (int i = 0; i < t->njoint; i++) {
    const topo_joint *j = &t->joint[i];
    int in0 = reached[j->body[0]], in1 = reached[j->body[1]];
    if (j->cut == MBD_CUT_YES || in0 == in1) { continue; }
    int c = cost(j, t->level[j->body[in0 ? 0 : 1]]);
    if (best < 0 || c < best_cost) { best = i, best_cost = c, *end = in0 ? 1 : 0; }
  }
  return best;
}

static mbd_status float_body(const mbd_spec *s, topology *t, int body, mbd_error *err) {
  topo_joint *j = new_joint(t);
  if (!j) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a joint"); }
  j->name = mbd_sprintf_dup("%s", s->body[body].name);
  j->ops = mbd_joint_find("floating");
  j->found = 1;
  j->body[0] = 0, j->body[1] = body;
  return MBD_OK;
}

static mbd_status spanning_tree(const mbd_spec *s, topology *t, mbd_error *err) {
  int *reached = calloc((size_t)s->nbody, sizeof *reached);
  if (!reached) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the spanning tree"); }
  reached[0] = 1;
  t->joint_of[0] = t->parent[0] = -1;
  for (int n = 1; n < s->nbody;) {
    int end = 1, i = next_joint(t, reached, &end);
    if (i < 0) { /* nothing leads on: the next body floats */
      int body = 1;
      while (reached[body]) { body++; }
      mbd_status status = float_body(s, t, body, err);
      if (status != MBD_OK) {
        free(reached);
        return status;
      }
      i = t->njoint - 1;
    }
    topo_joint *j = &t->joint[i];
    int body = j->body[end];
    j->in_tree = 1;
    j->reversed = end == 0;
    reached[body] = 1;
    t->joint_of[body] = i;
    t->parent[body] = j->body[1 - end];
    t->level[body] = t->level[t->parent[body]] + 1;
    t->order[n++] = body;
  }
  free(reached);
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

mbd_status topology_create(const mbd_spec *s, topology *t, mbd_error *err) {
  size_t n = (size_t)s->nbody;
  *t = (topology){0};
  t->order = calloc(n, sizeof *t->order);
  t->joint_of = calloc(n, sizeof *t->joint_of);
  t->parent = calloc(n, sizeof *t->parent);
  t->level = calloc(n, sizeof *t->level);
  if (!t->order || !t->joint_of || !t->parent || !t->level) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the topology of %d bodies", s->nbody);
  }
  for (int i = 0; i < s->njoint; i++) { MBD_TRY(named_joint(s, &s->joint[i], t, err)); }
  int nnamed = t->njoint;
  for (int a = 0; a < s->nbody && s->find_joints; a++) {
    for (int b = a + 1; b < s->nbody; b++) {
      int named = 0;
      for (int i = 0; i < nnamed; i++) {
        const int *q = t->joint[i].body;
        named |= (q[0] == a && q[1] == b) || (q[0] == b && q[1] == a);
      }
      if (!named && !held_elastically(s, a, b)) { MBD_TRY(find_joint(s, t, a, b, err)); }
    }
  }
  mark_wanted(s, t);
  return spanning_tree(s, t, err);
}

void topology_destroy(topology *t) {
  for (int i = 0; i < t->njoint; i++) { free(t->joint[i].name); }
  free(t->joint), free(t->order), free(t->joint_of), free(t->parent), free(t->level);
  *t = (topology){0};
}
