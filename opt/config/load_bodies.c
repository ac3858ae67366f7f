/* The mechanism as a whole, its bodies, the points and vectors that they share, coordinates of its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"

/* ---- [model] ---- */

static const model_key model_keys[] = {
    KEY("name", "text", "", "", "short name"),
    KEY("title", "text", "", "", "one line for reports"),
    KEY_WORD("frame", "global",
             "coordinates of points and vectors: once in the global frame at the design position, or in each body's "
             "own frame",
             "global", "body"),
    KEY_NUMBERS(3, -1e300, "gravity", "x, y, z", "0, 0, -9.81", "m/s^2", "acceleration of gravity"),
    KEY_WORD("joints", "found",
             "found: two bodies that share a point and a vector have a revolute joint, two points: revolute about "
             "their line, one point: spherical, two vectors and no point: prismatic along the first (but axes of "
             "bushings make none); joints by name come first, and bodies that a bushing holds together get none",
             "found", "named"),
    KEY_END,
};

static mbd_status read_model(loader *l, const model_section *q, ini_section *s) {
  int named, gravity;
  MBD_TRY(load_word(l, q, s, "frame", &l->m->own_frames));
  MBD_TRY(load_word(l, q, s, "joints", &named));
  mbd_spec_find_joints(l->m->spec, !named);
  l->m->title = mbd_strdup(load_value(s, "title", load_value(s, "name", l->f.path)));
  if (!l->m->title) { return load_no_memory(l); }
  ini_get(s, "name");
  MBD_TRY(load_numbers(l, q, s, "gravity", &gravity));
  mbd_spec_gravity(l->m->spec, gravity);
  return MBD_OK;
}

const model_section model_section_model = {"model", "The mechanism as a whole.", .key = model_keys, .read = read_model};

/* ---- [body NAME] ---- */

static const model_key body_keys[] = {
    KEY_NUMBERS(1, 0, "mass", "expression", NULL, "kg", "mass of the body"),
    KEY_NUMBERS(3, -1e300, "com", "x, y, z", NULL, "m", "centre of mass, in the body's frame"),
    KEY_NUMBERS(6, -1e300, "inertia", "Ixx, Iyy, Izz[, Ixy, Ixz, Iyz]", NULL, "kg m^2",
                "matrix of inertia about the centre of mass"),
    KEY_END,
};

static mbd_status read_body(loader *l, const model_section *q, ini_section *s) {
  static const char *const diagonal[] = {"Ixx", "Iyy", "Izz"};
  int mass, com, inertia;
  MBD_TRY(load_numbers(l, q, s, "mass", &mass));
  MBD_TRY(load_numbers(l, q, s, "com", &com));
  MBD_TRY(load_numbers(l, q, s, "inertia", &inertia));
  for (int k = 0; k < 3; k++) {
    const double value = mbd_spec_nominal(l->m->spec, inertia + k);
    if (value < 0) {
      return ini_fail(&l->f, s, ini_get(s, "inertia"), l->err, "%s = %g, expected >= 0", diagonal[k], value);
    }
  }
  return load_located(l, s, NULL, mbd_spec_body(l->m->spec, s->name, mass, com, inertia, l->err));
}

const model_section model_section_body = {"body", "A rigid body; 'ground' is there from the start.", 1, body_keys,
                                          .read = read_body};

mbd_status load_known_body(loader *l, const ini_section *s, const ini_entry *e, const char *name) {
  char hint[96];
  mbd_nearest near = {.wanted = name};
  if (strcmp(name, "ground") == 0 || ini_find(&l->f, "body", name)) { return MBD_OK; }
  mbd_nearest_offer(&near, "ground");
  ini_offer_names(&l->f, "body", &near);
  return ini_fail(&l->f, s, e, l->err, "body '%s' is not known%s", name, mbd_nearest_text(&near, hint, sizeof hint));
}

/* ---- [point NAME], [vector NAME] ---- */

static const model_key point_keys[] = {
    KEY("at", "x, y, z", "", "m", "frame = global: its place, for all `bodies`"),
    KEY("bodies", "names", "", "", "the bodies that share it"),
    KEY("at.BODY", "x, y, z", "", "m", "its place in the frame of one body"),
    KEY_END,
};

static const model_key vector_keys[] = {
    KEY("along", "x, y, z", "", "-", "frame = global: the direction, for all `bodies`"),
    KEY("bodies", "names", "", "", "the bodies that share it"),
    KEY("along.BODY", "x, y, z", "", "-", "the direction in the frame of one body"),
    KEY_END,
};

/* How the description takes coordinates on one body. */
typedef mbd_status (*place_on)(mbd_spec *spec, const char *name, const char *body, int coords, mbd_error *err);

static mbd_status place(loader *l, const model_section *q, ini_section *s, const ini_entry *e, const char *body,
                        place_on on) {
  char base[300];
  int coords;
  MBD_TRY(load_known_body(l, s, e, body));
  snprintf(base, sizeof base, "%s.%s@%s", q->kind, s->name, body);
  MBD_TRY(load_coefficients(l, s, e, base, load_xyz, 3, e->value, LOAD_ANY, &coords));
  return load_located(l, s, e, on(l->m->spec, s->name, body, coords, l->err));
}

/* Global coordinates, once for all bodies. */
static mbd_status place_on_all(loader *l, const model_section *q, ini_section *s, const ini_entry *at, place_on on) {
  const ini_entry *bodies = ini_get(s, "bodies");
  char **body;
  int n;
  mbd_status status = MBD_OK;
  if (!bodies) { return load_missing(l, q, s, "bodies", NULL); }
  MBD_TRY(load_list(l, bodies->value, &body, &n));
  for (int i = 0; i < n && status == MBD_OK; i++) {
    status = load_known_body(l, s, bodies, body[i]);
    if (status == MBD_OK) { status = place(l, q, s, at, body[i], on); }
  }
  text_list_free(body, n);
  return status;
}

static mbd_status read_places(loader *l, const model_section *q, ini_section *s, place_on on) {
  const char *key = q->key[0].key; /* "at", "along" */
  const size_t n = strlen(key);
  const ini_entry *at = ini_get(s, key);
  if (at && l->m->own_frames) {
    return ini_fail(&l->f, s, at, l->err, "with frame = body, coordinates are given per body: %s.BODY = x, y, z", key);
  }
  if (!at && ini_get(s, "bodies")) { return load_missing(l, q, s, key, q->key[0].type); }
  if (at) { MBD_TRY(place_on_all(l, q, s, at, on)); }
  for (int i = 0; i < s->n; i++) {
    ini_entry *e = &s->entry[i];
    if (strncmp(e->key, key, n) != 0 || e->key[n] != '.') { continue; }
    e->used = 1;
    MBD_TRY(place(l, q, s, e, e->key + n + 1, on));
  }
  return MBD_OK;
}

static mbd_status read_point(loader *l, const model_section *q, ini_section *s) {
  MBD_TRY(load_located(l, s, NULL, mbd_spec_point(l->m->spec, s->name, l->err)));
  return read_places(l, q, s, mbd_spec_point_on);
}

const model_section model_section_point = {"point", "A point and the bodies that share it.", 1, point_keys,
                                           .read = read_point};

static mbd_status read_vector(loader *l, const model_section *q, ini_section *s) {
  MBD_TRY(load_located(l, s, NULL, mbd_spec_vector(l->m->spec, s->name, l->err)));
  return read_places(l, q, s, mbd_spec_vector_on);
}

const model_section model_section_vector = {"vector", "A direction and the bodies that share it; any length.", 1,
                                            vector_keys, .read = read_vector};

/* ---- [coordinate NAME] ---- */

static const model_key coordinate_keys[] = {
    KEY_NUMBERS(1, -1e300, "guess", "expression", NULL, "m", "its value at the start, about"),
    KEY_END,
};

static mbd_status read_coordinate(loader *l, const model_section *q, ini_section *s) {
  int guess;
  MBD_TRY(load_numbers(l, q, s, "guess", &guess));
  return load_located(l, s, NULL, mbd_spec_coordinate(l->m->spec, s->name, guess, l->err));
}

const model_section model_section_coordinate = {"coordinate",
                                                "A coordinate beyond those of the joints, defined by a constraint.", 1,
                                                coordinate_keys, .read = read_coordinate};
