/* Sections of the mechanism as a whole, of its bodies, of the points and vectors that they share, and of added coordinates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/load_model.h"

/* ---- [model] ---- */

static const model_key model_keys[] = {
    KEY("name", "text", "", "", "short name"),
    KEY("title", "text", "", "", "one line for reports"),
    KEY_WORD("frame", "global",
             "coordinates of points and vectors: once in the global frame at the design position, or in each body's "
             "own frame",
             "global", "body"),
    KEY_NUMBERS(3, -1e300, "gravity", "x, y, z", "0, 0, -9.81", "m/s^2",
                "acceleration of gravity; with units = mm in mm/s^2, as 0, 0, -9810"),
    KEY_WORD("units", "m",
             "unit of the lengths in this file and of what follows from it, as N/mm for stiffness; defaults, run files "
             "and all results are in SI. Scalars have no units: they are what the numbers are that use them",
             "m", "mm"),
    KEY_WORD(
        "joints", "found",
        "found: two bodies that share a point and a vector have a revolute joint, two points: revolute about their "
        "line, one point: spherical, two vectors and no point: prismatic along the first, for every pair of bodies "
        "that have both (but axes of bushings and of angles make none); joints by name come first, and bodies that a "
        "bushing holds together get none. named: those of [joint] sections alone. all: these, and from places at the "
        "design position: one shared point, and a perpendicular constraint between a vector of each body: cardan, "
        "which takes the place of the constraint; and one shared vector between parts of the mechanism that no joint "
        "connects: cylindrical where a point of each body lies on a line along it (its distance counts from the first "
        "point to the second), prismatic with two such lines, planar where points lie in a plane across it",
        "found", "named", "all"),
    KEY_END,
};

/* A file that is a model by itself says what the file that uses it as a part says, too: which joints are found, and the gravity. They have to
 * agree. */
static mbd_status check_outer_joints(loader *l, const model_section *section, ini_section *s) {
  const ini_entry *e = ini_find_entry(s, "joints");
  int joints;
  if (!e) { return MBD_OK; }
  MBD_TRY(load_word(l, section, s, "joints", &joints));
  if (joints == l->joints) { return MBD_OK; }
  const char *const *word = model_key_find(section, "joints")->word;
  return load_fail(l, s, e, "the file that uses the part has joints = %s, expected the same, or none here",
                   word[l->joints]);
}

static mbd_status check_outer_gravity(loader *l, ini_section *s) {
  static const char *const axis[] = {"x", "y", "z"};
  const ini_entry *e = ini_get(s, "gravity");
  mbo_expr x[3] = {{0}};
  if (!e) { return MBD_OK; }
  mbd_status status = load_items(l, s, e, e->value, axis, 3, x);
  for (int i = 0; i < 3 && status == MBD_OK; i++) {
    const double outer = mbd_spec_nominal(l->m->spec, l->gravity + i);
    double g;
    status = load_evaluate(l, s, e, &x[i], &g);
    if (status != MBD_OK || fabs(g * l->p->length - outer) <= 1e-12 * (1 + fabs(outer))) { continue; }
    status = load_fail(l, s, e,
                       "in the file that uses the part %s of the gravity is %g m/s^2, expected the same, or none here",
                       axis[i], outer);
  }
  load_free_items(3, x);
  return status;
}

/* The section [model] in the file of a part, which takes fewer keys. */
static mbd_status read_model_of_part(loader *l, const model_section *section, ini_section *s) {
  const ini_section *placed = l->p->section;
  int own_frames = l->m->own_frames, units;
  if (l->m->own_frames && (ini_find_entry(placed, "at") || l->p->place.turned)) {
    return ini_fail(&l->p->outer->f, placed, NULL, l->err,
                    "with frame = body a part has no place: its bodies are where their joints put them; expected "
                    "frame = global for 'at', 'turn' and 'mirror'");
  }
  if (!s) { return MBD_OK; }
  MBD_TRY(load_word(l, section, s, "units", &units));
  if (ini_find_entry(s, "frame")) { MBD_TRY(load_word(l, section, s, "frame", &own_frames)); }
  ini_get(s, "name"), ini_get(s, "title");
  MBD_TRY(check_outer_joints(l, section, s));
  MBD_TRY(check_outer_gravity(l, s));
  if (own_frames == l->m->own_frames) { return MBD_OK; }
  return load_fail(l, s, ini_get(s, "frame"),
                   "the file that uses the part has frame = %s, expected the same; write frame = %s there, in [model]",
                   l->m->own_frames ? "body" : "global", own_frames ? "body" : "global");
}

/* Refuses a gravity of less than 1 m/s^2 in a file in millimetres, which must have been meant in m/s^2. */
static mbd_status check_gravity(loader *l, const ini_section *s, int first) {
  const ini_entry *e = ini_find_entry(s, "gravity");
  double g[3];
  for (int i = 0; i < 3; i++) { g[i] = mbd_spec_nominal(l->m->spec, first + i); }
  const double size = hypot(g[0], hypot(g[1], g[2]));
  if (!e || l->p->length == 1 || size == 0 || size >= 1) { return MBD_OK; }
  return load_fail(l, s, e,
                   "with units = mm these are mm/s^2, %g m/s^2 in all; expected mm/s^2, as 0, 0, -9810 for that of the "
                   "earth, or none for the default of 9.81 m/s^2; less than 1 m/s^2 needs units = m",
                   size);
}

/* The section [model] of a model file: frames, units, joints between bodies that share points and vectors, title,
 * gravity. */
static mbd_status read_model(loader *l, const model_section *section, ini_section *s) {
  static const mbd_find find[] = {MBD_FIND_SHARED, MBD_FIND_NONE, MBD_FIND_ALL};
  int joints, gravity, units;
  if (l->p->outer) { return read_model_of_part(l, section, s); }
  MBD_TRY(load_word(l, section, s, "frame", &l->m->own_frames));
  MBD_TRY(load_word(l, section, s, "units", &units));
  MBD_TRY(load_word(l, section, s, "joints", &joints));
  if (find[joints] == MBD_FIND_ALL && l->m->own_frames) {
    return load_fail(
        l, s, ini_get(s, "joints"),
        "expected found or named beside frame = body: places of different bodies cannot be compared in frames "
        "of their own");
  }
  mbd_spec_find_joints(l->m->spec, find[joints]);
  l->joints = joints;
  l->m->title = mbd_strdup(load_value(s, "title", load_value(s, "name", l->f->path)));
  if (!l->m->title) { return load_no_memory(l); }
  ini_get(s, "name");
  MBD_TRY(load_numbers(l, section, s, "gravity", &gravity));
  mbd_spec_gravity(l->m->spec, gravity);
  l->gravity = gravity;
  return s ? check_gravity(l, s, gravity) : MBD_OK;
}

const model_section model_section_model = {"model", "The mechanism as a whole.", .key = model_keys, .read = read_model};

/* ---- [body NAME] ---- */

static const model_key body_keys[] = {
    KEY_NUMBERS(1, 0, "mass", "expression", NULL, "kg", "mass of the body"),
    KEY_VECTOR(LOAD_PLACE, "com", "x, y, z", "0, 0, 0", "m",
               "centre of mass, in the body's frame; required unless mass is the number 0"),
    KEY_NUMBERS(6, -1e300, "inertia", "Ixx, Iyy, Izz[, Ixy, Ixz, Iyz]", "0, 0, 0", "kg m^2",
                "matrix of inertia about the centre of mass; required unless mass is the number 0"),
    KEY("modal_data", "file", "", "",
        "instead of the keys above: a flexible body, whose shapes, stiffness and inertia are in this file "
        "(docs/modal_data.md); coordinates BODY.SHAPE, bodies BODY.NODE"),
    KEY_WORD("linear", "no",
             "of modal_data: yes: its numbers change with scalars of the model by the derivatives in the file", "no",
             "yes"),
    KEY_END,
};

/* A body with mass = 0, as a number and not as an expression, only connects joints: it may lack the key. */
static mbd_status load_unless_massless(loader *l, const model_section *section, ini_section *s, const char *key,
                                       int *first) {
  const ini_entry *mass = ini_find_entry(s, "mass");
  char *end;
  const int is_massless = mass && strtod(mass->value, &end) == 0 && end != mass->value && *end == '\0';
  if (!ini_find_entry(s, key) && !is_massless) { return load_missing(l, section, s, key, NULL); }
  return load_numbers(l, section, s, key, first);
}

static mbd_status read_body(loader *l, const model_section *section, ini_section *s) {
  static const char *const diagonal[] = {"Ixx", "Iyy", "Izz"};
  const ini_entry *data = ini_get(s, "modal_data");
  int mass, com, inertia;
  if (data) { return load_modal_body(l, section, s, data); }
  MBD_TRY(load_numbers(l, section, s, "mass", &mass));
  MBD_TRY(load_unless_massless(l, section, s, "com", &com));
  MBD_TRY(load_unless_massless(l, section, s, "inertia", &inertia));
  for (int k = 0; k < 3; k++) {
    const double value = mbd_spec_nominal(l->m->spec, inertia + k);
    if (value < 0) { return load_fail(l, s, ini_get(s, "inertia"), "%s = %g, expected >= 0", diagonal[k], value); }
  }
  return load_located(l, s, NULL, mbd_spec_body(l->m->spec, l->name, mass, com, inertia, l->err));
}

const model_section model_section_body = {"body",
                                          "A rigid body; 'ground' is there from the start. Beside mass = 0 com and "
                                          "inertia may be left out: a link between joints in series.",
                                          1, body_keys, .read = read_body};

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

/* The difference between points and vectors: the function that adds coordinates on one body to the description, and the change by a
 * part's place. */
typedef struct placing {
  mbd_status (*on)(mbd_spec *spec, const char *name, const char *body, int coords, mbd_error *err);
  load_geometry what;
} placing;

/* Coordinates on one body. named: the entry that names it. */
static mbd_status place(loader *l, const model_section *section, const ini_section *s, const ini_entry *e,
                        const ini_entry *named, const char *body, const placing *how) {
  char base[2 * MBO_FULL_NAME_MAX + 60], *full;
  int coords = -1;
  MBD_TRY(load_body_name(l, s, named, body, &full));
  snprintf(base, sizeof base, "%s.%s@%s", section->kind, l->name, full);
  mbd_status status = load_vector(l, s, e, base, how->what, e->value, LOAD_ANY, &coords);
  if (status == MBD_OK) { status = load_located(l, s, e, how->on(l->m->spec, l->name, full, coords, l->err)); }
  free(full);
  return status;
}

/* Global coordinates, which are given once for all bodies. */
static mbd_status place_on_all(loader *l, const model_section *section, ini_section *s, const ini_entry *at,
                               const placing *how) {
  const ini_entry *bodies = ini_get(s, "bodies");
  char **body;
  int n;
  mbd_status status = MBD_OK;
  if (!bodies) { return load_missing(l, section, s, "bodies", NULL); }
  MBD_TRY(load_list(l, bodies->value, &body, &n));
  for (int i = 0; i < n && status == MBD_OK; i++) { status = place(l, section, s, at, bodies, body[i], how); }
  text_list_free(body, n);
  return status;
}

static mbd_status read_places(loader *l, const model_section *section, ini_section *s, const placing *how) {
  const char *key = section->key[0].key; /* "at", "along" */
  const size_t n = strlen(key);
  const ini_entry *at = ini_get(s, key);
  int places = at != NULL;
  if (at && l->m->own_frames) {
    return load_fail(l, s, at, "with frame = body, coordinates are given per body: %s.BODY = x, y, z", key);
  }
  if (!at && ini_get(s, "bodies")) { return load_missing(l, section, s, key, section->key[0].type); }
  if (at) { MBD_TRY(place_on_all(l, section, s, at, how)); }
  for (int i = 0; i < s->n; i++) {
    ini_entry *e = &s->entry[i];
    if (strncmp(e->key, key, n) != 0 || e->key[n] != '.') { continue; }
    e->used = 1;
    /* The coordinates of joints are zero where frames of both bodies agree. If a point or vector is given on each body separately, the
     * image of a joint would have its zero elsewhere, so it is refused. */
    if (++places > 1 && l->p->place.turned) {
      return load_fail(
          l, s, e, "in part '%s', which is turned or mirrored, expected one place for all bodies: '%.*s' and 'bodies'",
          l->p->name, (int)strcspn(e->key, "."), e->key);
    }
    MBD_TRY(place(l, section, s, e, e, e->key + n + 1, how));
  }
  return MBD_OK;
}

static mbd_status read_point(loader *l, const model_section *section, ini_section *s) {
  static const placing how = {mbd_spec_point_on, LOAD_PLACE};
  MBD_TRY(load_located(l, s, NULL, mbd_spec_point(l->m->spec, l->name, l->err)));
  if (l->p->place.mirrored) { MBD_TRY(mbd_spec_point_mirrored(l->m->spec, l->name, l->err)); }
  return read_places(l, section, s, &how);
}

const model_section model_section_point = {"point", "A point and the bodies that share it.", 1, point_keys,
                                           .read = read_point};

static mbd_status read_vector(loader *l, const model_section *section, ini_section *s) {
  placing how = {mbd_spec_vector_on, LOAD_DIRECTION};
  MBD_TRY(load_located(l, s, NULL, mbd_spec_vector(l->m->spec, l->name, l->err)));
  if (l->p->place.mirrored) {
    mbd_image image;
    MBD_TRY(load_vector_image(l, s, &image));
    how.what = image == MBD_IMAGE_AXIS ? LOAD_AXIS : LOAD_DIRECTION;
    MBD_TRY(mbd_spec_vector_mirrored(l->m->spec, l->name, image, l->err));
  }
  return read_places(l, section, s, &how);
}

const model_section model_section_vector = {"vector", "A direction and the bodies that share it; any length.", 1,
                                            vector_keys, .read = read_vector};

/* ---- [coordinate NAME] ---- */

static const model_key coordinate_keys[] = {
    KEY_NUMBERS(1, -1e300, "guess", "expression", NULL, "m", "approximate value at the start"),
    KEY_END,
};

static mbd_status read_coordinate(loader *l, const model_section *section, ini_section *s) {
  int guess;
  MBD_TRY(load_numbers(l, section, s, "guess", &guess));
  return load_located(l, s, NULL, mbd_spec_coordinate(l->m->spec, l->name, guess, l->err));
}

const model_section model_section_coordinate = {"coordinate",
                                                "A coordinate beyond those of the joints, defined by a constraint.", 1,
                                                coordinate_keys, .read = read_coordinate};
