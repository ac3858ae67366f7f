/* Builds the model from the description: order of the tree, markers, elements with their arguments, rows of Phi and columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "force/user.h"
#include "model/beams.h"
#include "model/guess.h"
#include "model/point_masses.h"
#include "model/state.h"
#include "model/topology.h"

typedef struct builder {
  const mbd_spec *s;
  mbd_model *m;
  topology t;
  int *body_of; /* [nbody] body of the model for a body of the description */
  int *shapes;  /* [nbeam] 1 + first coordinate of the shapes of a beam; 0: no node of it is in the tree yet */
} builder;

static mbd_status index_name(mbd_names *names, const char *name, int number, mbd_error *err) {
  if (!name || !mbd_names_add(names, name, number)) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a name"); }
  return MBD_OK;
}

#define NO_MEMORY(err, what) MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the %s of the model", what)

/* ---- bodies, joints, coordinates ---- */

static mbd_status build_joints(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  m->njoint = b->t.njoint;
  m->joint = calloc((size_t)m->njoint + 1, sizeof *m->joint);
  if (!m->joint) { NO_MEMORY(err, "joints"); }
  for (int i = 0; i < m->njoint; i++) {
    const topo_joint *joint = &b->t.joint[i];
    mbd_joint *j = &m->joint[i];
    j->name = mbd_strdup(joint->name);
    if (!j->name) { NO_MEMORY(err, "joints"); }
    j->ops = joint->ops;
    j->cut = !joint->in_tree;
    j->reversed = joint->reversed;
    j->found = joint->found;
    j->why = joint->why;
    j->beam = joint->beam;
    for (int k = 0; k < 2; k++) {
      int from = joint->reversed ? 1 - k : k; /* side k in the order of the tree is side `from` of the description */
      j->body[k] = b->body_of[joint->body[from]];
      j->point[k] = joint->point[from];
      j->axis[k] = joint->axis[from];
      j->axis_from[k] = joint->axis_from[from];
      j->zero[k] = joint->zero[from];
      j->sign[k] = joint->reversed != joint->opposite[from] ? -1 : 1;
    }
  }
  return MBD_OK;
}

/* Bodies in the order of the tree, with their coordinates numbered one joint after the other; added coordinates follow. */
static mbd_status build_bodies(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  m->nb = b->s->nbody;
  m->body = calloc((size_t)m->nb, sizeof *m->body);
  b->body_of = calloc((size_t)m->nb, sizeof *b->body_of);
  b->shapes = calloc((size_t)b->s->nbeam + 1, sizeof *b->shapes);
  if (!m->body || !b->body_of || !b->shapes) { NO_MEMORY(err, "bodies"); }
  /* The number of a body is its place in the order of the tree, so that its parent has a smaller number. */
  for (int i = 0; i < m->nb; i++) { b->body_of[b->t.order[i]] = i; }
  for (int i = 0; i < m->nb; i++) {
    int d = b->t.order[i];
    const spec_body *described = &b->s->body[d];
    mbd_body *p = &m->body[i];
    /* Name, coefficients of mass and inertia, and place in the tree. */
    p->name = mbd_strdup(described->name);
    MBD_TRY(index_name(&m->body_names, p->name, i, err));
    p->mass = described->mass, p->com = described->com, p->inertia = described->inertia;
    p->joint = b->t.joint_of[d];
    p->parent = i ? b->body_of[b->t.parent[d]] : -1;
    p->level = b->t.level[d];
    /* The coordinates of the joint that carries the body. The ground has none, and all nodes of a beam have the same ones. */
    p->nz = i ? b->t.joint[p->joint].ops->nz : 0;
    const int beam = i ? b->t.joint[p->joint].beam : 0, shared = beam && b->shapes[beam - 1];
    p->z0 = shared ? b->shapes[beam - 1] - 1 : m->nz;
    if (beam) { b->shapes[beam - 1] = p->z0 + 1; }
    p->c0 = m->ncol;
    p->before = i ? m->body[p->parent].before + m->body[p->parent].nz : 0;
    m->nz += shared ? 0 : p->nz, m->ncol += p->nz;
  }
  m->nz_tree = m->nz;
  m->nstate = b->s->nstate;
  m->nz += b->s->ncoordinate + m->nstate;
  return MBD_OK;
}

/* Orders the bodies depth first: a body follows its parent, and all bodies beyond those siblings that have smaller numbers. */
static mbd_status order_depth_first(mbd_model *m, mbd_error *err) {
  const size_t n = (size_t)m->nb;
  int *size = calloc(2 * n, sizeof *size); /* number of bodies beyond each body, itself included */
  m->depth_first = calloc(n, sizeof *m->depth_first);
  if (!size || !m->depth_first) {
    free(size);
    NO_MEMORY(err, "bodies");
  }
  int *next = size + n; /* the next free place for one of them */
  for (int i = m->nb - 1; i > 0; i--) { size[m->body[i].parent] += ++size[i]; }
  next[0] = 1;
  for (int i = 1; i < m->nb; i++) {
    const int at = next[m->body[i].parent];
    m->depth_first[at] = i;
    next[i] = at + 1;
    next[m->body[i].parent] += size[i];
  }
  free(size);
  return MBD_OK;
}

/* The states, whose coordinates are behind the others. */
static mbd_status build_states(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  m->state = calloc((size_t)m->nstate + 1, sizeof *m->state);
  if (!m->state) { NO_MEMORY(err, "states"); }
  for (int i = 0; i < m->nstate; i++) {
    const spec_state *state = &b->s->state[i];
    const int q = model_first_state(m) + i;
    const char *unit = state->unit;
    m->state[i].unit = mbd_strdup(unit);
    m->state[i].rate_unit = mbd_sprintf_dup("%s%s", strcmp(unit, "-") == 0 ? "1" : unit, *unit ? "/s" : "");
    m->state[i].settles = state->settles, m->state[i].start = state->start;
    if (!m->state[i].unit || !m->state[i].rate_unit) { NO_MEMORY(err, "states"); }
    m->z_name[q] = mbd_strdup(state->rate.name);
    m->z_body[q] = m->z_above[q] = m->z_guess[q] = -1;
  }
  return MBD_OK;
}

/* The name of a coordinate of a beam, in new memory: "rod.up1". */
static char *shape_name(const spec_beam *beam, int k) {
  char word[40];
  if (beam->shape) { return mbd_sprintf_dup("%s.%s", beam->name, beam->shape[k]); }
  beam_shape_name(&beam->layout, k, word, sizeof word);
  return mbd_sprintf_dup("%s.%s", beam->name, word);
}

/* Names, units and guesses of coordinates, and the next coordinate towards the ground. */
static mbd_status build_coordinates(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  size_t n = (size_t)m->nz + 1;
  m->z_name = calloc(n, sizeof *m->z_name);
  m->z_unit = calloc(n, sizeof *m->z_unit);
  m->z_body = calloc(n, sizeof *m->z_body);
  m->z_guess = calloc(n, sizeof *m->z_guess);
  m->z_above = calloc(n, sizeof *m->z_above);
  m->col_body = calloc((size_t)m->ncol + 1, sizeof *m->col_body);
  m->col_z = calloc((size_t)m->ncol + 1, sizeof *m->col_z);
  if (!m->z_name || !m->z_unit || !m->z_body || !m->z_guess || !m->z_above || !m->col_body || !m->col_z) {
    NO_MEMORY(err, "coordinates");
  }
  for (int i = 1; i < m->nb; i++) {
    const mbd_body *p = &m->body[i];
    const mbd_joint *j = &m->joint[p->joint];
    for (int k = 0; k < p->nz; k++) {
      int q = p->z0 + k;
      m->col_body[p->c0 + k] = i, m->col_z[p->c0 + k] = q;
      if (m->z_name[q]) { continue; } /* of another node of the same beam */
      m->z_name[q] = j->beam ? shape_name(&b->s->beam[j->beam - 1], k)
                             : mbd_sprintf_dup("%s.%s", j->name, j->ops->info.coordinate[k]);
      m->z_unit[q] = j->ops->info.unit[k];
      m->z_body[q] = i;
      m->z_guess[q] = -1;
      m->z_above[q] = k ? q - 1 : model_last_coordinate(m, p->parent);
    }
  }
  /* Added coordinates, which belong to no body. */
  for (int i = 0; i < b->s->ncoordinate; i++) {
    int q = m->nz_tree + i;
    m->z_name[q] = mbd_strdup(b->s->coordinate[i].name);
    m->z_body[q] = m->z_above[q] = -1;
    m->z_guess[q] = b->s->coordinate[i].guess;
  }
  MBD_TRY(build_states(b, err));
  for (int j = 0; j < m->nz; j++) {
    if (model_is_state(m, j) && m->z_name[j] && mbd_names_find(&m->z_names, m->z_name[j]) >= 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "state '%s' has the name of a coordinate", m->z_name[j]);
    }
    MBD_TRY(index_name(&m->z_names, m->z_name[j], j, err));
  }
  return MBD_OK;
}

int model_find_body(const mbd_model *m, const char *name) {
  return mbd_names_find(&m->body_names, name);
}

/* The length of a joint's name, with '_' for '-', at the beginning of a text; 0: the text has another. */
static size_t same_joint(const char *joint, const char *text) {
  size_t n = 0;
  while (joint[n] && (text[n] == joint[n] || (text[n] == '_' && joint[n] == '-'))) { n++; }
  return joint[n] || text[n] != '.' ? 0 : n;
}

int model_found_joint_name(const mbd_model *m, const char *name, char *to, size_t size) {
  const size_t length = strlen(name);
  if (length >= size || !strchr(name, '_')) { return 0; }
  for (const char *word = name; word; word = strchr(word, '.') ? strchr(word, '.') + 1 : NULL) {
    for (int i = 0; i < m->njoint; i++) {
      const size_t n = m->joint[i].found ? same_joint(m->joint[i].name, word) : 0;
      if (n == 0) { continue; }
      memcpy(to, name, length + 1);
      memcpy(to + (word - name), m->joint[i].name, n);
      return 1;
    }
  }
  return 0;
}

int model_find_coordinate(const mbd_model *m, const char *name) {
  char found[256];
  const int j = mbd_names_find(&m->z_names, name);
  return j < 0 && model_found_joint_name(m, name, found, sizeof found) ? mbd_names_find(&m->z_names, found) : j;
}

static mbd_status unknown_coordinate(const mbd_model *m, const char *name, const char *where, mbd_error *err) {
  mbd_nearest near = {.requested = name};
  for (int j = 0; j < model_first_state(m); j++) { mbd_nearest_offer(&near, m->z_name[j]); }
  for (int i = 0; i < m->njoint; i++) {
    size_t n = strlen(m->joint[i].name);
    if (m->joint[i].cut && strncmp(name, m->joint[i].name, n) == 0 && name[n] == '.') {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: coordinate '%s' does not exist, because joint '%s' is cut", where, name,
               m->joint[i].name);
    }
  }
  return mbd_not_known(where, "coordinate", &near, err);
}

mbd_status model_unknown_body(const mbd_model *m, const char *name, int first, const char *where, mbd_error *err) {
  mbd_nearest near = {.requested = name};
  for (int i = first; i < m->nb; i++) { mbd_nearest_offer(&near, m->body[i].name); }
  return mbd_not_known(where, "body", &near, err);
}

/* A coordinate that elements and the start may name: no state. */
static mbd_status find_coordinate(const mbd_model *m, const char *name, const char *where, int *j, mbd_error *err) {
  *j = model_find_coordinate(m, name);
  if (*j < 0) { return unknown_coordinate(m, name, where, err); }
  if (!model_is_state(m, *j)) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s: '%s' is a state, expected a coordinate; states have rate and start in their section", where, name);
}

/* ---- markers ---- */

static int new_marker(mbd_model *m, mbd_marker k) {
  mbd_marker *grown = mbd_list_grow(m->marker, m->nmarker, sizeof *m->marker);
  if (!grown) { return -1; }
  m->marker = grown;
  grown[m->nmarker] = k;
  return m->nmarker++;
}

/* Points or vectors with a marker on each body that has them. */
static mbd_status build_named(builder *b, const spec_marker *list, int n, int is_point, mbd_error *err) {
  mbd_model *m = b->m;
  for (int i = 0; i < n; i++) {
    mbd_named_marker *grown = mbd_list_grow(m->named, m->nnamed, sizeof *m->named);
    if (!grown) { NO_MEMORY(err, "points"); }
    m->named = grown;
    /* The name, in the table of points or in that of vectors. */
    mbd_named_marker *marker = &grown[m->nnamed++];
    *marker = (mbd_named_marker){mbd_strdup(list[i].name), is_point, list[i].nplace, NULL};
    MBD_TRY(index_name(is_point ? &m->point_names : &m->vector_names, marker->name, m->nnamed - 1, err));
    /* A marker on each body that has the point or vector, with its local coordinates there. */
    marker->marker = calloc((size_t)list[i].nplace + 1, sizeof *marker->marker);
    if (!marker->marker) { NO_MEMORY(err, "points"); }
    for (int k = 0; k < list[i].nplace; k++) {
      marker->marker[k] = new_marker(m, (mbd_marker){.body = b->body_of[list[i].place[k].on],
                                                     .is_point = is_point,
                                                     .source = MBD_MARKER_COEF,
                                                     .coef = list[i].place[k].coords});
      if (marker->marker[k] < 0) { NO_MEMORY(err, "points"); }
    }
    if (list[i].nplace == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s' is given on no body; expected its coordinates on at least one",
               is_point ? "point" : "vector", list[i].name);
    }
  }
  return MBD_OK;
}

/* Splits "NAME@BODY", finds the point or vector by name, then its marker on the body; without a body, its first marker. */
int model_find_marker(const mbd_model *m, const char *ref, int is_point, const char *where, mbd_error *err) {
  char name[256];
  const char *at = strchr(ref, '@'), *what = is_point ? "point" : "vector";
  snprintf(name, sizeof name, "%.*s", at ? (int)(at - ref) : (int)sizeof name - 1, ref);
  const int known = mbd_names_find(is_point ? &m->point_names : &m->vector_names, name);
  if (known < 0) {
    mbd_nearest near = {.requested = name};
    for (int i = 0; i < m->nnamed; i++) {
      if (m->named[i].is_point == is_point) { mbd_nearest_offer(&near, m->named[i].name); }
    }
    mbd_not_known(where, what, &near, err);
    return -1;
  }
  const mbd_named_marker *marker = &m->named[known];
  const int body = at ? model_find_body(m, at + 1) : -1;
  for (int k = 0; k < marker->n; k++) {
    if (!at || m->marker[marker->marker[k]].body == body) { return marker->marker[k]; }
  }
  MBD_FAILED(err, MBD_BAD_INPUT, "%s: %s '%s' is not given on body '%s'", where, what, name, at + 1);
  return -1;
}

/* ---- curves ---- */

/* Curves with their knots, checked at the nominal coefficients. */
static mbd_status build_curves(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  const mbd_spec *s = b->s;
  m->ncurve = 0;
  m->curve = calloc((size_t)s->ncurve + 1, sizeof *m->curve);
  if (!m->curve) { NO_MEMORY(err, "curves"); }
  for (int i = 0; i < s->ncurve; i++) {
    const spec_curve *described = &s->curve[i];
    char where[160];
    snprintf(where, sizeof where, "curve '%s'", described->name);
    /* The operations of its kind, and the knots, which the model owns. */
    MBD_TRY(mbd_check_word(where, "type", described->kind, mbd_curve_name, err));
    const mbd_curve_ops *ops = mbd_curve_find(described->kind);
    double *knot = malloc(((size_t)described->nknot + 1) * sizeof *knot);
    if (!knot) { NO_MEMORY(err, "curves"); }
    memcpy(knot, described->knot, (size_t)described->nknot * sizeof *knot);
    /* Its prepared data follow those of the curves before it. */
    m->curve[i] = (mbd_curve){.ops = ops,
                              .name = mbd_strdup(described->name),
                              .nc = described->nc,
                              .coef = described->coef,
                              .nknot = described->nknot,
                              .knot = knot,
                              .naux = ops->naux ? ops->naux(described->nc) : 0,
                              .aux = m->naux,
                              .stretch = described->stretch,
                              .value = {described->value.n, operations_copy(&described->value)}};
    m->ncurve = i + 1;
    if (!m->curve[i].value.op) { NO_MEMORY(err, "curves"); }
    if (strcmp(ops->name, "expression") == 0 && described->value.n == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s is of kind expression, but its expression is not given", where);
    }
    m->naux += m->curve[i].naux;
    MBD_TRY(index_name(&m->curve_names, m->curve[i].name, i, err));
    /* The check of count, knots and nominal coefficients, which includes that of the kind itself. */
    double *c = malloc(((size_t)described->nc + 1) * sizeof *c);
    if (!c) { NO_MEMORY(err, "curves"); }
    for (int k = 0; k < described->nc; k++) { c[k] = m->nominal[described->coef + k]; }
    mbd_status status = curve_check(ops, described->name, described->nc, c, described->nknot, described->knot, err);
    free(c);
    MBD_TRY(status);
  }
  return MBD_OK;
}

static mbd_status resolve_curves(const mbd_model *m, const mbd_curve_info *info, char *const *name, const char *where,
                                 int *curve, mbd_error *err) {
  for (int k = 0; k < MBD_CURVE_MAX; k++) { curve[k] = -1; }
  for (int k = 0; info[k].key; k++) {
    if (!name[k]) {
      if (info[k].required) {
        MBD_FAIL(err, MBD_BAD_INPUT, "%s: key '%s' is missing: %s", where, info[k].key, info[k].doc);
      }
      continue;
    }
    curve[k] = mbd_names_find(&m->curve_names, name[k]);
    if (curve[k] < 0) {
      mbd_nearest near = {.requested = name[k]};
      for (int i = 0; i < m->ncurve; i++) { mbd_nearest_offer(&near, m->curve[i].name); }
      return mbd_not_known(where, "curve", &near, err);
    }
  }
  return MBD_OK;
}

/* ---- arguments of elements ---- */

/* The marker of an axis of the frame that two vectors of a body span. Elements share these markers. */
static int frame_marker(mbd_model *m, int a, int b, int axis) {
  const mbd_marker k = {.body = m->marker[a].body,
                        .source = MBD_MARKER_FRAME_AXIS,
                        .coef = m->marker[a].coef,
                        .coef2 = m->marker[b].coef,
                        .axis = axis,
                        .frame = m->marker[a].frame};
  for (int i = k.frame; i; i = m->marker[i].frame) {
    if (m->marker[i].coef2 == k.coef2 && m->marker[i].axis == axis) { return i; }
  }
  const int made = new_marker(m, k);
  if (made >= 0) { m->marker[a].frame = made; }
  return made;
}

/* Finds two vectors by name on each of two bodies; the arguments are axes of the frames that they span there. */
static mbd_status resolve_frame(mbd_model *m, char *const *name, const char *where, const int on[2], int out[6],
                                mbd_error *err) {
  for (int side = 0; side < 2; side++) {
    const char *body = m->body[on[side]].name;
    int vector[2];
    for (int i = 0; i < 2; i++) {
      char full[300];
      if (strchr(name[i], '@')) {
        MBD_FAIL(err, MBD_BAD_INPUT, "%s: '%s', expected the name alone: the vector is taken on both bodies", where,
                 name[i]);
      }
      snprintf(full, sizeof full, "%s@%s", name[i], body);
      vector[i] = model_find_marker(m, full, 0, where, err);
      if (vector[i] < 0) { return MBD_BAD_INPUT; }
    }
    for (int axis = 0; axis < 3; axis++) {
      out[3 * side + axis] = frame_marker(m, vector[0], vector[1], axis);
      if (out[3 * side + axis] < 0) { NO_MEMORY(err, "frames"); }
    }
  }
  return MBD_OK;
}

static mbd_status same_body(const mbd_model *m, int body, const char *where, mbd_error *err) {
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: body '%s' is named twice, expected two different bodies", where,
           m->body[body].name);
}

/* Resolves the references of an element to markers, bodies or coordinates, in the order of its table. */
static mbd_status resolve_refs(mbd_model *m, const mbd_ref_info *info, char *const *ref, const char *where, int *out,
                               mbd_error *err) {
  int n = 0;
  for (int k = 0; info[k].key; k++) {
    if (info[k].kind == MBD_REF_FRAME) { /* the last reference; two points or bodies are the first */
      if (!ref[n] || !ref[n + 1]) {
        MBD_FAIL(err, MBD_BAD_INPUT, "%s: key '%s' is missing: %s", where, info[k].key, info[k].doc);
      }
      const int points = info[0].kind == MBD_REF_POINT;
      const int on[2] = {points ? m->marker[out[0]].body : out[0], points ? m->marker[out[1]].body : out[1]};
      if (!points && on[0] == on[1]) { return same_body(m, on[0], where, err); }
      return resolve_frame(m, ref + n, where, on, out + n, err);
    }
    for (int i = 0; i < info[k].count; i++, n++) {
      if (!ref[n] && info[k].kind != MBD_REF_VALUE) {
        MBD_FAIL(err, MBD_BAD_INPUT, "%s: key '%s' is missing: %s", where, info[k].key, info[k].doc);
      }
      out[n] = 0;
      switch (info[k].kind) {
        case MBD_REF_POINT:
        case MBD_REF_VECTOR: out[n] = model_find_marker(m, ref[n], info[k].kind == MBD_REF_POINT, where, err); break;
        case MBD_REF_BODY:
          out[n] = model_find_body(m, ref[n]);
          if (out[n] < 0) { return model_unknown_body(m, ref[n], 0, where, err); }
          break;
        case MBD_REF_COORDINATE: MBD_TRY(find_coordinate(m, ref[n], where, &out[n], err)); break;
        case MBD_REF_FRAME: /* resolved above */
        case MBD_REF_VALUE: /* no name: an expression, compiled with the values of all forces */
        case MBD_REF_PLUGIN:
        case MBD_REF_LINE:
          break; /* find_operations has replaced this entry of the type by the references of the force */
      }
      if (out[n] < 0) { return MBD_BAD_INPUT; }
    }
  }
  return MBD_OK;
}

static mbd_status make_lift(const mbd_model *m, mbd_lift *l, int narg, const mbd_arg_info *arg, const int *ref,
                            int frame_free, mbd_error *err) {
  l->narg = narg;
  for (int a = 0; a < narg; a++) {
    l->arg[a] = (mbd_arg){arg[a].kind, ref[arg[a].b], arg[a].a < 0 ? -1 : ref[arg[a].a]};
  }
  return lift_create(m, l, frame_free, err);
}

/* Rejects a force between a body and itself, and a force on the difference of a coordinate and itself. */
static mbd_status check_distinct(const mbd_model *m, const mbd_lift *l, const char *where, mbd_error *err) {
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_ROTATION && arg->a == arg->b) { return same_body(m, arg->b, where, err); }
    if (arg->kind == MBD_ARG_POINT && arg->a >= 0 && m->marker[arg->a].body == m->marker[arg->b].body) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s: both points are taken on body '%s', expected two bodies (POINT@BODY tells them)", where,
               m->body[m->marker[arg->b].body].name);
    }
    for (int c = 0; arg->kind == MBD_ARG_COORDINATE && c < a; c++) {
      if (l->arg[c].kind == MBD_ARG_COORDINATE && l->arg[c].b == arg->b) {
        MBD_FAIL(err, MBD_BAD_INPUT, "%s: coordinate '%s' is named twice, expected two different ones", where,
                 m->z_name[arg->b]);
      }
    }
  }
  return MBD_OK;
}

/* A force has so many values. */
static mbd_status check_values(const spec_element *e, int nvalue, const char *where, mbd_error *err) {
  for (int k = 0; k < MBD_VALUE_MAX; k++) {
    if ((e->value[k].value.n > 0) != (k < nvalue)) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: value %d is %s, expected %d in all", where, k,
               k < nvalue ? "missing" : "one too many", nvalue);
    }
  }
  return MBD_OK;
}

/* The operations of a force by expression: those of its line of action, whose arguments are the first. */
static mbd_status find_line(mbd_force *f, const spec_element *e, const char *where, mbd_error *err) {
  const expression_line *line = e->line ? expression_line_find(e->line) : NULL;
  if (!line) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: type = expression, but no line of action that is known", where); }
  MBD_TRY(check_values(e, line->nvalue, where, err));
  f->expression = expression_law_create(line);
  if (!f->expression) { NO_MEMORY(err, "forces"); }
  f->ops = &f->expression->ops;
  return MBD_OK;
}

/* The operations of a user's force, with its arguments, coefficients, outputs and values. */
static mbd_status find_user_force(mbd_force *f, const spec_element *e, const char *where, mbd_error *err) {
  if (!e->user) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: type = user, but no user force is given", where); }
  MBD_TRY(mbd_locate(err, mbd_user_force_check(e->user, err), "%s: ", where));
  const int nvalue = user_force_nvalue(e->user);
  MBD_TRY(check_values(e, nvalue, where, err));
  if (e->mirror < 0 || e->mirror > 3) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: mirror %d, expected 0 to 3", where, e->mirror);
  }
  user_force_ops(e->user, e->mirror, &f->user);
  f->ops = &f->user;
  if (nvalue == 0) { return MBD_OK; }
  f->expression = user_law_create(&f->user);
  if (!f->expression) { NO_MEMORY(err, "forces"); }
  f->ops = &f->expression->ops;
  return MBD_OK;
}

/* The operations of the type, or those of the force itself where its type has no arguments of its own. */
static mbd_status find_operations(mbd_force *f, const spec_element *e, const char *where, mbd_error *err) {
  f->ops = mbd_force_find(e->type);
  if (f->ops == &mbd_force_expression) { return find_line(f, e, where, err); }
  return f->ops == &mbd_force_user ? find_user_force(f, e, where, err) : check_values(e, 0, where, err);
}

/* Appends the states of a force, which the description has, to its arguments. */
static void add_force_states(const mbd_model *m, mbd_force *f, int *ref) {
  const mbd_force_state_info *state = f->ops->states;
  char name[300];
  int nref = 0;
  for (const mbd_ref_info *r = f->ops->info.refs; state && r->key; r++) { nref += r->count; }
  for (int k = 0; state && state[k].name; k++) {
    snprintf(name, sizeof name, "%s.%s", f->name, state[k].name);
    const int j = model_find_coordinate(m, name);
    if (j < 0) { continue; }
    mbd_force_ops *ops = &f->with_states;
    if (f->ops != ops) { *ops = *f->ops, f->ops = ops, ops->keep = NULL; }
    ops->variant |= 1 << k;
    ops->arg[ops->narg++] = (mbd_arg_info){MBD_ARG_COORDINATE, nref, -1};
    ref[nref++] = j;
  }
}

/* Forces: their type and operations, then references, curves, and the columns of coordinates that move their arguments. */
static mbd_status build_forces(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  const mbd_spec *s = b->s;
  m->force = calloc((size_t)(s->nforce + s->nbeam + s->nstate) + 1, sizeof *m->force);
  m->rotor = calloc((size_t)(s->nforce + s->nstate) + 1, sizeof *m->rotor);
  if (!m->force || !m->rotor) { NO_MEMORY(err, "forces"); }
  for (int i = 0; i < s->nforce; i++) {
    const spec_element *e = &s->force[i];
    mbd_force *f = &m->force[m->nforce++];
    char where[160];
    int ref[MBD_REF_MAX];
    snprintf(where, sizeof where, "force '%s'", e->name);
    f->name = mbd_strdup(e->name);
    if (!f->name) { NO_MEMORY(err, "forces"); }
    /* The operations of its type. Forces that are inertias of a coordinate are listed as rotors, too. */
    const char *type = e->type ? e->type : "";
    MBD_TRY(mbd_check_word(where, "type", type, mbd_force_name, err));
    MBD_TRY(find_operations(f, e, where, err));
    f->coef = e->coef < 0 ? 0 : e->coef;
    if (f->ops->inertia) { m->rotor[m->nrotor++] = i; }
    /* Names become markers, bodies, coordinates and curves; all but the curves are arguments of the lift. */
    MBD_TRY(resolve_refs(m, f->ops->info.refs, e->ref, where, ref, err));
    MBD_TRY(resolve_curves(m, f->ops->info.curves, e->curve, where, f->curve, err));
    add_force_states(m, f, ref);
    MBD_TRY(make_lift(m, &f->lift, f->ops->narg, f->ops->arg, ref, f->ops->frame_free, err));
    MBD_TRY(check_distinct(m, &f->lift, where, err));
    if (f->expression && f->expression->line->frame >= 0) { f->expression->frame = ref[f->expression->line->frame]; }
  }
  return MBD_OK;
}

/* The lift of a constraint, some of whose arguments may be axes of bodies. */
static mbd_status make_constraint_lift(mbd_model *m, mbd_lift *l, const mbd_constraint_ops *ops, const int *ref,
                                       mbd_error *err) {
  mbd_arg_info arg[CONSTRAINT_ARG_MAX];
  int all[2 * CONSTRAINT_ARG_MAX];
  for (int i = 0; i < ops->narg; i++) {
    const mbd_arg_info *of = &ops->arg[i];
    const int is_axis = of->kind == MBD_ARG_VECTOR && of->a <= BODY_AXIS(0);
    arg[i] = (mbd_arg_info){of->kind, 2 * i, of->a < 0 ? -1 : 2 * i + 1};
    all[2 * i] = ref[of->b], all[2 * i + 1] = of->a < 0 ? -1 : ref[of->a];
    if (!is_axis) { continue; }
    all[2 * i] = new_marker(
        m, (mbd_marker){.body = ref[of->b], .source = MBD_MARKER_BODY_AXIS, .coef = -1, .axis = BODY_AXIS(0) - of->a});
    if (all[2 * i] < 0) { NO_MEMORY(err, "axes"); }
  }
  return make_lift(m, l, ops->narg, arg, all, ops->frame_free, err);
}

/* The rates of states: forces and inertias on their coordinates, behind all others. */
static mbd_status build_rates(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  for (int i = 0; i < m->nstate; i++) {
    mbd_force *f = &m->force[m->nforce];
    const int q[1] = {model_first_state(m) + i};
    m->rotor[m->nrotor++] = m->nforce++;
    f->name = mbd_strdup(m->z_name[q[0]]);
    f->expression = state_law_create();
    if (!f->name || !f->expression) { NO_MEMORY(err, "states"); }
    f->ops = &f->expression->ops;
    for (int k = 0; k < MBD_CURVE_MAX; k++) { f->curve[k] = -1; }
    MBD_TRY(make_lift(m, &f->lift, f->ops->narg, f->ops->arg, q, f->ops->frame_free, err));
  }
  return MBD_OK;
}

/* Adds a constraint with arguments `ref` in the order of its table. Copies the name. */
static mbd_status add_constraint(mbd_model *m, mbd_constraint **list, int *n, int *nrow, const mbd_constraint_ops *ops,
                                 const char *name, const int *ref, int coef, mbd_error *err) {
  mbd_constraint *grown = mbd_list_grow(*list, *n, sizeof **list);
  if (!grown) { NO_MEMORY(err, "constraints"); }
  *list = grown;
  mbd_constraint *c = &grown[(*n)++];
  *c = (mbd_constraint){
      .name = mbd_strdup(name), .ops = ops, .coef = coef < 0 ? 0 : coef, .prepared = m->naux, .row = *nrow};
  if (!c->name) { NO_MEMORY(err, "constraints"); }
  for (int k = 0; k < MBD_CURVE_MAX; k++) { c->curve[k] = -1; }
  *nrow += ops->nphi;
  m->naux += ops->nown;
  return make_constraint_lift(m, &c->lift, ops, ref, err);
}

static mbd_status build_normalizations(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  for (int i = 1; i < m->nb; i++) {
    const mbd_joint *j = &m->joint[m->body[i].joint];
    char name[256];
    if (j->ops->euler < 0) { continue; }
    int z = m->body[i].z0 + j->ops->euler, ref[4] = {z, z + 1, z + 2, z + 3};
    snprintf(name, sizeof name, "%s.norm", j->name);
    MBD_TRY(add_constraint(m, &m->constraint, &m->nconstraint, &m->nphi, mbd_constraint_find("unit_norm"), name, ref,
                           -1, err));
  }
  return MBD_OK;
}

/* Marker of one factor of a closure: "Px" .. "Cz". */
static int closure_axis(mbd_model *m, int joint, const char *factor) {
  int side = factor[0] == 'C';
  return new_marker(m, (mbd_marker){.body = m->joint[joint].body[side],
                                    .source = MBD_MARKER_JOINT_AXIS,
                                    .coef = -1,
                                    .joint = joint,
                                    .side = side,
                                    .axis = factor[1] - 'x'});
}

/* The closure equations of a cut joint, as constraints between its points and the axes of its frames (joint.h). */
static mbd_status build_closure(builder *b, int joint, mbd_error *err) {
  mbd_model *m = b->m;
  const mbd_joint_ops *ops = m->joint[joint].ops;
  int point[2];
  /* Markers of the joint's point on both bodies. */
  for (int k = 0; k < 2; k++) {
    const mbd_joint *j = &m->joint[joint];
    point[k] =
        new_marker(m, (mbd_marker){.body = j->body[k], .is_point = 1, .source = MBD_MARKER_COEF, .coef = j->point[k]});
    if (point[k] < 0) { NO_MEMORY(err, "closures"); }
  }
  m->joint[joint].closure = m->nconstraint;
  for (int i = 0; i < ops->nclosure; i++) {
    /* A row "dot" with the factor d is the distance of the points along an axis of the parent or the child: in_plane.
     * Other rows with factors relate two axes of the joint frames; a "dot" of these is the constraint perpendicular. */
    const mbd_closure *closure = &ops->closure[i];
    const char *type = closure->type;
    char name[256];
    int ref[3] = {point[0], point[1], -1};
    if (strcmp(type, "dot") == 0 && strcmp(closure->b, "d") == 0) {
      type = "in_plane";
      ref[2] = closure_axis(m, joint, closure->a);
    } else if (closure->a) {
      ref[0] = closure_axis(m, joint, closure->a);
      ref[1] = closure_axis(m, joint, closure->b);
      if (strcmp(type, "dot") == 0) { type = "perpendicular"; }
    }
    /* The name of the constraint: joint, type, and factors where there are any. */
    if (closure->a) {
      snprintf(name, sizeof name, "%s.%s.%s%s", m->joint[joint].name, type, closure->a, closure->b);
    } else {
      snprintf(name, sizeof name, "%s.%s", m->joint[joint].name, type);
    }
    MBD_TRY(
        add_constraint(m, &m->constraint, &m->nconstraint, &m->nphi, mbd_constraint_find(type), name, ref, joint, err));
  }
  return MBD_OK;
}

static const char *offered_constraint(int i) {
  const mbd_element_info *info = mbd_constraint_info(i);
  return info ? info->name : NULL;
}

/* Rejects a vector that moves where the equations of the constraint are those of one at rest. */
static mbd_status check_of_ground(const mbd_model *m, const mbd_constraint *c, const char *where, mbd_error *err) {
  const int a = c->ops->of_ground - 1, body = a < 0 ? 0 : m->marker[c->lift.arg[a].b].body;
  if (body == 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s: key '%s' is a vector of body '%s', expected one of the ground (VECTOR@ground tells)", where,
           c->ops->info.refs[c->ops->arg[a].b].key, m->body[body].name);
}

/* A constraint by expression has operations of its own, which get their arguments when the value is compiled. */
static mbd_status own_operations(mbd_constraint *c, mbd_error *err) {
  if (c->ops != &mbd_constraint_expression) { return MBD_OK; }
  c->expression = velocity_law_create();
  if (!c->expression) { NO_MEMORY(err, "constraints"); }
  c->ops = &c->expression->ops;
  return MBD_OK;
}

/* Constraint i of the description, if it is one of velocities or of positions, as `velocity` says. */
static mbd_status build_constraint(builder *b, int i, int velocity, mbd_error *err) {
  mbd_model *m = b->m;
  const spec_element *e = &b->s->constraint[i];
  const char *type = e->type ? e->type : "";
  char where[160];
  int ref[MBD_REF_MAX];
  if (b->t.taken[i]) { return MBD_OK; }
  snprintf(where, sizeof where, "constraint '%s'", e->name);
  MBD_TRY(mbd_check_word(where, "type", type, offered_constraint, err));
  const mbd_constraint_ops *ops = mbd_constraint_find(type);
  if (ops->velocity != velocity) { return MBD_OK; }
  MBD_TRY(check_values(e, ops == &mbd_constraint_expression, where, err));
  MBD_TRY(resolve_refs(m, ops->info.refs, e->ref, where, ref, err));
  MBD_TRY(add_constraint(m, &m->constraint, &m->nconstraint, &m->nphi, ops, e->name, ref, e->coef, err));
  m->nvelocity += velocity, m->nvelocity_row += velocity * ops->nphi;
  MBD_TRY(own_operations(&m->constraint[m->nconstraint - 1], err));
  MBD_TRY(resolve_curves(m, ops->info.curves, e->curve, where, m->constraint[m->nconstraint - 1].curve, err));
  MBD_TRY(check_of_ground(m, &m->constraint[m->nconstraint - 1], where, err));
  /* A coupling needs different coordinates, and an element with mass at its points needs two bodies. */
  if (ops->coupling || ops->point_masses_of) {
    MBD_TRY(check_distinct(m, &m->constraint[m->nconstraint - 1].lift, where, err));
  }
  return MBD_OK;
}

/* The rows of Phi: normalizations of Euler parameters, closures of cut joints, then the constraints of the description, those of
 * velocities last. */
static mbd_status build_constraints(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  const mbd_spec *s = b->s;
  /* Normalizations and closures come first. */
  MBD_TRY(build_normalizations(b, err));
  for (int i = 0; i < m->njoint; i++) {
    if (m->joint[i].cut) { MBD_TRY(build_closure(b, i, err)); }
  }
  /* Constraints of the description, except those that a joint found from the geometry replaces. */
  for (int velocity = 0; velocity < 2; velocity++) {
    for (int i = 0; i < s->nconstraint; i++) { MBD_TRY(build_constraint(b, i, velocity, err)); }
  }
  return MBD_OK;
}

/* Checks points and vectors that several bodies have. This needs all joints and constraints, which keep them together. */
static mbd_status check_references(const builder *b, mbd_error *err) {
  const mbd_model *m = b->m;
  const mbd_spec *s = b->s;
  char where[160];
  for (int i = 0; i < s->nforce; i++) {
    snprintf(where, sizeof where, "force '%s'", s->force[i].name);
    MBD_TRY(model_check_references(m, m->force[i].ops->info.refs, s->force[i].ref, where, err));
  }
  int at[2] = {m->nconstraint - m->nvelocity, m->nconstraint}; /* constraints of the description are the last ones */
  for (int i = s->nconstraint - 1; i >= 0; i--) {
    if (b->t.taken[i]) { continue; }
    const mbd_constraint *c = &m->constraint[--at[mbd_constraint_find(s->constraint[i].type)->velocity]];
    snprintf(where, sizeof where, "constraint '%s'", c->name);
    MBD_TRY(model_check_references(m, c->ops->info.refs, s->constraint[i].ref, where, err));
  }
  return MBD_OK;
}

/* ---- axes, origins and centres of mass of the bodies ---- */

enum { ORIGIN = 3, COM, PER_BODY }; /* the three axes are numbers 0 to 2 */

static mbd_status build_frames(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  m->nmarker_core = m->nmarker;
  for (int i = 0; i < m->nb; i++) {
    for (int k = 0; k < PER_BODY; k++) {
      mbd_marker made = {.body = i, .source = MBD_MARKER_BODY_AXIS, .coef = -1, .axis = k};
      if (k >= ORIGIN) { made = (mbd_marker){.body = i, .is_point = 1, .source = MBD_MARKER_COEF, .coef = -1}; }
      if (k == COM && i > 0) { made.coef = m->body[i].com; }
      if (new_marker(m, made) < 0) { NO_MEMORY(err, "body frames"); }
    }
  }
  return MBD_OK;
}

int model_axis_marker(const mbd_model *m, int body, int axis) {
  return m->nmarker_core + PER_BODY * body + axis;
}

int model_origin_marker(const mbd_model *m, int body) {
  return m->nmarker_core + PER_BODY * body + ORIGIN;
}

int model_com_marker(const mbd_model *m, int body) {
  return m->nmarker_core + PER_BODY * body + COM;
}

/* ---- the start ---- */

/* Finds the constraint, with its reference, that holds a quantity such as "P1.x", "P1@A1.y" or "A1.angle.z". */
static mbd_status resolve_hold(builder *b, const char *quantity, const mbd_constraint_ops **ops, int *ref,
                               mbd_error *err) {
  mbd_model *m = b->m;
  char object[256], where[300], name[32];
  const char *dot = strrchr(quantity, '.');
  snprintf(where, sizeof where, "held quantity '%s'", quantity);
  if (model_find_coordinate(m, quantity) >= 0) {
    *ops = mbd_constraint_find("hold_coordinate");
    return find_coordinate(m, quantity, where, &ref[0], err);
  }
  int is_component = dot && dot[1] >= 'x' && dot[1] <= 'z' && dot[2] == '\0';
  if (!is_component) { return unknown_coordinate(m, quantity, where, err); }
  snprintf(object, sizeof object, "%.*s", (int)(dot - quantity), quantity);
  char *angle = strstr(object, ".angle");
  if (angle && angle[6] == '\0') {
    static const int seen_axis[3] = {1, 2, 0}; /* the body axis whose angle in the plane normal to x, y, z is held */
    *angle = '\0';
    int body = model_find_body(m, object);
    if (body < 1) { return model_unknown_body(m, object, 1, where, err); }
    snprintf(name, sizeof name, "hold_angle_%c", dot[1]);
    ref[0] = model_axis_marker(m, body, seen_axis[dot[1] - 'x']);
  } else {
    snprintf(name, sizeof name, "hold_%c", dot[1]);
    ref[0] = model_find_marker(m, object, 1, where, err);
    if (ref[0] < 0) { return MBD_BAD_INPUT; }
    MBD_TRY(model_check_shared(m, object, 1, where, err));
  }
  *ops = mbd_constraint_find(name);
  return MBD_OK;
}

/* A state x begins at its value x0, as does its coordinate, which counts nowhere but in a search for equilibrium (simulate/equilibrium.c). */
static mbd_status hold_states(builder *b, int settles, mbd_error *err) {
  mbd_model *m = b->m;
  for (int i = 0; i < m->nstate; i++) {
    const int ref[1] = {model_first_state(m) + i};
    if (m->state[i].settles != settles) { continue; }
    const int start = b->s->state[i].start;
    MBD_TRY(add_constraint(m, &m->hold, &m->nhold, &m->nhold_row, mbd_constraint_find("hold_coordinate"),
                           m->z_name[ref[0]], ref, start, err));
    m->hold[m->nhold - 1].rate = start;
  }
  return MBD_OK;
}

static int is_held(const mbd_model *m, const char *coordinate) {
  for (int i = 0; i < m->nhold; i++) {
    if (strcmp(m->hold[i].name, coordinate) == 0) { return 1; }
  }
  return 0;
}

/* Beams begin undeformed and at rest where the description does not say otherwise; static equilibrium bends them. */
static mbd_status hold_shapes(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  for (int i = 0; i < m->nbeam; i++) {
    for (int k = 0; k < m->beam[i].layout.n; k++) {
      const int ref[1] = {m->beam[i].z0 + k};
      if (is_held(m, m->z_name[ref[0]])) { continue; }
      MBD_TRY(add_constraint(m, &m->hold, &m->nhold, &m->nhold_row, mbd_constraint_find("hold_coordinate"),
                             m->z_name[ref[0]], ref, m->beam[i].zero, err));
      m->hold[m->nhold - 1].rate = m->beam[i].zero;
    }
  }
  return MBD_OK;
}

static mbd_status build_start(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  const mbd_spec *s = b->s;
  for (int settles = 0; settles < 2; settles++) { /* quantities that static equilibrium does not determine come first */
    for (int i = 0; i < s->nhold; i++) {
      const spec_start *h = &s->hold[i];
      const mbd_constraint_ops *ops = NULL;
      int ref[1];
      if (h->settles != settles) { continue; }
      MBD_TRY(resolve_hold(b, h->quantity, &ops, ref, err));
      MBD_TRY(add_constraint(m, &m->hold, &m->nhold, &m->nhold_row, ops, h->quantity, ref, h->value, err));
      m->hold[m->nhold - 1].rate = h->rate, m->hold[m->nhold - 1].rate_follows = h->rate_follows;
    }
    MBD_TRY(hold_states(b, settles, err));
    if (!settles) { m->nhold_kept = m->nhold; }
  }
  m->nhold_given = m->nhold;
  MBD_TRY(hold_shapes(b, err));
  for (int i = 0; i < s->nguess; i++) {
    int j = model_find_coordinate(m, s->guess[i].quantity);
    if (j < 0) { return model_no_guess(m, s->guess[i].quantity, err); }
    MBD_TRY(find_coordinate(m, s->guess[i].quantity, "guess", &j, err));
    m->z_guess[j] = s->guess[i].value;
  }
  return MBD_OK;
}

/* ---- names that messages and outputs use ---- */

static mbd_status name_rows(mbd_model *m, mbd_error *err) {
  m->phi_name = calloc((size_t)m->nphi + 1, sizeof *m->phi_name);
  if (!m->phi_name) { NO_MEMORY(err, "row names"); }
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    for (int r = 0; r < c->ops->nphi; r++) {
      const char suffix[3] = {'.', (char)('x' + r), '\0'};
      m->phi_name[c->row + r] = mbd_sprintf_dup("%s%s", c->name, c->ops->nphi == 1 ? "" : suffix);
      if (!m->phi_name[c->row + r]) { NO_MEMORY(err, "row names"); }
    }
  }
  return MBD_OK;
}

static mbd_status taken_twice(const char *name, const char *kind_a, const char *kind_b, mbd_error *err) {
  MBD_FAIL(err, MBD_BAD_INPUT, "the name '%s' is used for a %s and for a %s; outputs could not tell them apart", name,
           kind_a, kind_b);
}

static mbd_status check_forces(const mbd_model *m, mbd_names *seen, mbd_error *err) {
  for (int i = 0; i < m->nforce; i++) {
    const char *name = m->force[i].name, *noun = model_state_of_force(m, i) < 0 ? "force" : "state";
    if (mbd_names_find(seen, name) >= 0) { return taken_twice(name, noun, "force", err); }
    if (model_find_body(m, name) >= 0) { return taken_twice(name, noun, "body", err); }
    if (mbd_names_find(&m->point_names, name) >= 0) { return taken_twice(name, noun, "point", err); }
    MBD_TRY(index_name(seen, name, i, err));
  }
  return MBD_OK;
}

static mbd_status check_constraints(const mbd_model *m, const mbd_names *forces, mbd_names *seen, mbd_error *err) {
  for (int i = 0; i < m->nconstraint; i++) {
    const char *name = m->constraint[i].name;
    const int force = mbd_names_find(forces, name);
    if (force >= 0) {
      return taken_twice(name, model_state_of_force(m, force) < 0 ? "force" : "state", "constraint", err);
    }
    if (mbd_names_find(seen, name) >= 0) { return taken_twice(name, "constraint", "constraint", err); }
    MBD_TRY(index_name(seen, name, i, err));
  }
  return MBD_OK;
}

/* Bodies, points, forces, states, constraints and added coordinates share one name space: outputs name them. */
static mbd_status check_names(const mbd_model *m, mbd_error *err) {
  mbd_names forces = {0}, constraints = {0};
  mbd_status status = check_forces(m, &forces, err);
  for (int i = 0; i < m->nb && status == MBD_OK; i++) {
    const char *name = m->body[i].name;
    if (mbd_names_find(&m->point_names, name) >= 0) { status = taken_twice(name, "body", "point", err); }
  }
  if (status == MBD_OK) { status = check_constraints(m, &forces, &constraints, err); }
  mbd_names_free(&forces), mbd_names_free(&constraints);
  return status;
}

static mbd_status copy_coefs(mbd_model *m, const mbd_spec *s, mbd_error *err) {
  m->ncoef = m->ntheta = s->ncoef;
  m->nominal = calloc((size_t)s->ncoef + 1, sizeof *m->nominal);
  m->coef_name = calloc((size_t)s->ncoef + 1, sizeof *m->coef_name);
  if (!m->nominal || !m->coef_name) { NO_MEMORY(err, "coefficients"); }
  for (int k = 0; k < s->ncoef; k++) {
    m->nominal[k] = s->coef[k].nominal;
    m->coef_name[k] = mbd_strdup(s->coef[k].name);
    if (!m->coef_name[k]) { NO_MEMORY(err, "coefficients"); }
  }
  m->gravity = s->gravity;
  return MBD_OK;
}

static mbd_status build_quantities(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  MBD_TRY(quantities_copy(b->s->quantity, b->s->nquantity, &m->quantity, err));
  m->nquantity = b->s->nquantity;
  for (int i = 0; i < m->nquantity; i++) {
    MBD_TRY(index_name(&m->quantity_names, m->quantity[i].name, i, err));
    const int j = mbd_names_find(&m->z_names, m->quantity[i].name);
    if (j >= 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "quantity '%s' has the name of a %s", m->quantity[i].name,
               model_is_state(m, j) ? "state" : "coordinate");
    }
  }
  return MBD_OK;
}

/* Builds all parts of the model; each function uses the parts that were built before. */
static mbd_status build(builder *b, mbd_error *err) {
  mbd_model *m = b->m;
  MBD_TRY(copy_coefs(m, b->s, err));
  MBD_TRY(topology_create(b->s, &b->t, err));
  MBD_TRY(build_bodies(b, err));
  MBD_TRY(order_depth_first(b->m, err));
  MBD_TRY(build_joints(b, err));
  MBD_TRY(beams_build(m, b->s, b->body_of, err));
  MBD_TRY(build_coordinates(b, err));
  MBD_TRY(build_named(b, b->s->point, b->s->npoint, 1, err));
  MBD_TRY(build_named(b, b->s->vector, b->s->nvector, 0, err));
  MBD_TRY(build_curves(b, err));
  MBD_TRY(build_forces(b, err));
  MBD_TRY(beams_build_forces(m, err));
  MBD_TRY(build_rates(b, err));
  MBD_TRY(build_constraints(b, err));
  MBD_TRY(point_masses_build(m, err));
  MBD_TRY(check_references(b, err));
  MBD_TRY(model_units(m, err));
  MBD_TRY(build_frames(b, err));
  MBD_TRY(build_start(b, err));
  MBD_TRY(build_quantities(b, err));
  beams_find_light(m);
  MBD_TRY(name_rows(m, err));
  return check_names(m, err);
}

mbd_status model_build(const mbd_spec *s, mbd_model **out, mbd_error *err) {
  builder b = {.s = s};
  *out = NULL;
  b.m = calloc(1, sizeof *b.m);
  if (!b.m) { NO_MEMORY(err, "header"); }
  mbd_status status = build(&b, err);
  topology_destroy(&b.t);
  free(b.body_of), free(b.shapes);
  if (status != MBD_OK) {
    model_free(b.m);
    return status;
  }
  *out = b.m;
  return MBD_OK;
}

static void constraints_free(mbd_constraint *list, int n) {
  for (int i = 0; i < n; i++) {
    free(list[i].name), velocity_law_free(list[i].expression);
    lift_destroy(&list[i].lift);
  }
  free(list);
}

static void names_free(char **name, int n) {
  for (int i = 0; name && i < n; i++) { free(name[i]); }
  free(name);
}

/* Frees a model, whole or half built: lists that do not exist are NULL, and their counts are zero. */
void model_free(mbd_model *m) {
  for (int i = 0; m->body && i < m->nb; i++) { free(m->body[i].name); }
  for (int i = 0; m->joint && i < m->njoint; i++) { free(m->joint[i].name); }
  for (int i = 0; i < m->nnamed; i++) { free(m->named[i].name), free(m->named[i].marker); }
  for (int i = 0; i < m->nforce; i++) {
    free(m->force[i].name), free(m->force[i].expression);
    lift_destroy(&m->force[i].lift);
  }
  for (int i = 0; i < m->ncurve; i++) {
    free((char *)m->curve[i].name), free((double *)m->curve[i].knot), free(m->curve[i].value.op);
  }
  constraints_free(m->constraint, m->nconstraint);
  constraints_free(m->hold, m->nhold);
  names_free(m->z_name, m->nz);
  names_free(m->phi_name, m->nphi);
  names_free(m->coef_name, m->ncoef);
  mbd_names_free(&m->body_names), mbd_names_free(&m->z_names), mbd_names_free(&m->curve_names);
  mbd_names_free(&m->point_names), mbd_names_free(&m->vector_names), mbd_names_free(&m->quantity_names);
  quantities_free(m->quantity, m->nquantity);
  for (int i = 0; m->state && i < m->nstate; i++) { free(m->state[i].unit), free(m->state[i].rate_unit); }
  point_masses_destroy(m), beams_destroy(m);
  free(m->state);
  free(m->z_unit), free(m->z_body), free(m->z_guess), free(m->z_above), free(m->nominal);
  free(m->depth_first), free(m->col_body), free(m->col_z);
  free(m->body), free(m->joint), free(m->named), free(m->marker), free(m->force), free(m->rotor), free(m->curve);
  free(m);
}
