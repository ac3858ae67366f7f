/* Joints by name: between points and vectors that the bodies have, or by a Denavit-Hartenberg row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/load_model.h"
#include "files/text_stream.h"

typedef enum dh_convention { DH_CLASSICAL, DH_MODIFIED } dh_convention;

static const model_key joint_keys[] = {
    KEY("type", "see joints below", NULL, "", "type of the joint"),
    KEY("bodies", "two names", NULL, "",
        "the two bodies, separated by a comma. Angles and distances measure the second relative to the first; see "
        "types of joints for planar, spherical and floating ones"),
    KEY("point", "name", "", "", "point that both bodies share"),
    KEY("points", "two names", "", "", "or a point on each body"),
    KEY("axis", "name", "", "", "vector that both share (cardan: fixed in the first body)"),
    KEY("axis2", "name", "", "", "cardan: vector fixed in the second body"),
    KEY("zero", "name", "", "",
        "revolute, prismatic, cylindrical, planar: vector on both bodies, not along the axis; where its directions "
        "across the axis agree, the coordinates are zero; x of a planar joint is along it. Else they are where body "
        "frames with the axis in equal directions are parallel"),
    KEY("dh", "theta [rad], d [m], a [m], alpha [rad]", "", "",
        "in the place of points and vectors, with frame = body: a Denavit-Hartenberg row, expressions of scalars; the "
        "frames of both bodies are those of their links. The coordinate of a revolute joint is added to theta, that of "
        "a prismatic one to d, those of a cylindrical one to both"),
    KEY_WORD(
        "convention", "classical",
        "of dh. classical (distal): from the frame of the first body to that of the second by theta about z, d along "
        "z, a along x, alpha about x, so that the joint turns about z of the first body, whose frame is at its far "
        "end. modified (proximal): alpha about x, a along x, theta about z, d along z, so that it turns about z of the "
        "second body",
        [DH_CLASSICAL] = "classical", [DH_MODIFIED] = "modified"),
    KEY_WORD("cut", "auto",
             "whether a loop is opened here", [MBD_CUT_AUTO] = "auto", [MBD_CUT_NO] = "no", [MBD_CUT_YES] = "yes"),
    KEY_END,
};

/* The full names of the objects that a joint refers to, in new memory. */
typedef struct joint_names {
  char *body[2], *point[2], *axis, *axis2, *zero;
} joint_names;

static mbd_status find_bodies(loader *l, const ini_section *s, const ini_entry *bodies, joint_names *names) {
  char **body;
  MBD_TRY(load_names(l, s, bodies, 2, "bodies", "separated by a comma", &body));
  mbd_status status = load_body_name(l, s, bodies, body[0], &names->body[0]);
  if (status == MBD_OK) { status = load_body_name(l, s, bodies, body[1], &names->body[1]); }
  text_list_free(body, 2);
  return status;
}

/* Reads `point`, which both bodies share, or `points`, one on each body. */
static mbd_status find_points(loader *l, ini_section *s, joint_names *names) {
  const ini_entry *points = ini_get(s, "points"), *shared = ini_get(s, "point");
  char **point;
  if (points && shared) { return load_fail(l, s, points, "expected either 'point' or 'points', not both"); }
  if (shared) {
    for (int i = 0; i < 2; i++) { MBD_TRY(load_name(l, "point", shared->value, &names->point[i])); }
  }
  if (!points) { return MBD_OK; }
  MBD_TRY(load_names(l, s, points, 2, "points", "one on each body", &point));
  mbd_status status = load_name(l, "point", point[0], &names->point[0]);
  if (status == MBD_OK) { status = load_name(l, "point", point[1], &names->point[1]); }
  text_list_free(point, 2);
  return status;
}

static mbd_status find_axis(loader *l, ini_section *s, const char *key, char **full) {
  const char *name = load_value(s, key, NULL);
  return name ? load_name(l, "vector", name, full) : MBD_OK;
}

/* Adds a joint with the names that have been found to the description. */
static mbd_status add_joint(loader *l, const model_section *section, ini_section *s, const char *type,
                            const joint_names *names) {
  mbd_joint_desc d;
  int cut;
  mbd_joint_desc_init(&d);
  MBD_TRY(load_word(l, section, s, "cut", &cut));
  /* A joint without an image cannot be in a turned or mirrored part; the description refuses a type that is not known. */
  const mbd_joint_info *info = load_joint_type(type);
  if (info) { MBD_TRY(load_check_image(l, s, info->image != MBD_IMAGE_NONE, "joint of type", type)); }
  d.name = l->name;
  d.type = type;
  d.axis = names->axis;
  d.axis2 = names->axis2;
  d.zero = names->zero;
  d.cut = (mbd_cut)cut;
  d.mirrored = l->p->place.mirrored;
  for (int i = 0; i < 2; i++) {
    d.body[i] = names->body[i];
    d.point[i] = names->point[i];
  }
  return load_located(l, s, NULL, mbd_spec_joint(l->m->spec, &d, l->err));
}

/* ---- Denavit-Hartenberg rows ---- */

enum { THETA, OFFSET, LENGTH, TWIST, DH_NUMBERS };
static const char *const dh_number[DH_NUMBERS] = {"theta", "d", "a", "alpha"};

/* Markers that the frames of two links share: a point on the axis, the axis, and a direction across it, which is the same in both frames
 * where the coordinates are zero. */
enum { DH_POINT, DH_AXIS, DH_ZERO, DH_MARKERS };
static const char *const dh_marker[DH_MARKERS] = {"point", "axis", "zero"};
static const char *const dh_place[2][2][DH_MARKERS] = {
    /* S4 (4): A = Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha); the axis is z of the first frame */
    [DH_CLASSICAL] = {{"0, 0, d", "0, 0, 1", "cos(theta), sin(theta), 0"},
                      {"-a, 0, 0", "0, sin(alpha), cos(alpha)", "1, 0, 0"}},
    /* A = Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d); the axis is z of the second frame */
    [DH_MODIFIED] = {
        {"a, 0, 0", "0, -sin(alpha), cos(alpha)", "cos(theta), cos(alpha)*sin(theta), sin(alpha)*sin(theta)"},
        {"0, 0, -d", "0, 0, 1", "1, 0, 0"}}};

/* Returns a place in which the names are replaced by the expressions of the row, in new memory; NULL: no memory. */
static char *with_row(const char *place, const mbo_expr row[DH_NUMBERS]) {
  text_stream stream;
  if (!text_begin(&stream)) { return NULL; }
  while (*place) {
    size_t n = strspn(place, "abcdefghijklmnopqrstuvwxyz");
    int k = 0;
    while (k < DH_NUMBERS && (strlen(dh_number[k]) != n || strncmp(place, dh_number[k], n) != 0)) { k++; }
    if (k < DH_NUMBERS) {
      fprintf(stream.out, "(%s)", row[k].text);
    } else {
      n = n ? n : 1;
      fwrite(place, 1, n, stream.out);
    }
    place += n;
  }
  return text_end(&stream);
}

/* Adds a point, an axis or a zero, called JOINT.point and so on, on one of the bodies. */
static mbd_status place_marker(loader *l, const ini_section *s, const ini_entry *e, int marker, const char *full,
                               const char *body, const char *place, const mbo_expr *row) {
  char base[2 * MBO_FULL_NAME_MAX + 60], *text = with_row(place, row);
  int coords = -1;
  if (!text) { return load_no_memory(l); }
  snprintf(base, sizeof base, "joint.%s@%s", full, body);
  mbd_status status =
      load_coefficients(l, s, e, base, load_xyz, 3, text, marker == DH_POINT ? "m" : NULL, LOAD_ANY, &coords);
  free(text);
  if (status != MBD_OK) { return status; }
  status = marker == DH_POINT ? mbd_spec_point_on(l->m->spec, full, body, coords, l->err)
                              : mbd_spec_vector_on(l->m->spec, full, body, coords, l->err);
  return load_located(l, s, e, status);
}

static mbd_status place_row(loader *l, const ini_section *s, const ini_entry *e, dh_convention convention,
                            const mbo_expr *row, joint_names *names) {
  char **const name[DH_MARKERS] = {&names->point[0], &names->axis, &names->zero};
  for (int k = 0; k < DH_MARKERS; k++) {
    char *full = *name[k] = mbd_sprintf_dup("%s.%s", l->name, dh_marker[k]);
    if (!full) { return load_no_memory(l); }
    MBD_TRY(load_located(
        l, s, e, k == DH_POINT ? mbd_spec_point(l->m->spec, full, l->err) : mbd_spec_vector(l->m->spec, full, l->err)));
    for (int i = 0; i < 2; i++) {
      MBD_TRY(place_marker(l, s, e, k, full, names->body[i], dh_place[convention][i][k], row));
    }
  }
  names->point[1] = mbd_strdup(names->point[0]);
  return names->point[1] ? MBD_OK : load_no_memory(l);
}

/* Reads `dh`, if the joint has it; the bodies are known. */
static mbd_status find_row(loader *l, const model_section *section, ini_section *s, const char *type,
                           joint_names *names) {
  static const char *const others[] = {"point", "points", "axis", "axis2", "zero"};
  const ini_entry *e = ini_get(s, "dh"), *convention = ini_get(s, "convention");
  int which;
  mbo_expr row[DH_NUMBERS] = {{0}};
  MBD_TRY(load_word(l, section, s, "convention", &which));
  if (!e && convention) { return load_fail(l, s, convention, "expected beside 'dh'"); }
  if (!e) { return MBD_OK; }
  /* A row takes the place of points and vectors, and requires frames of bodies and a joint with one axis. */
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
    if (!ini_find_entry(s, others[k])) { continue; }
    return load_fail(l, s, e, "expected either 'dh' or '%s', not both", others[k]);
  }
  if (strcmp(type, "revolute") != 0 && strcmp(type, "prismatic") != 0 && strcmp(type, "cylindrical") != 0) {
    return load_fail(l, s, e,
                     "a joint of type '%s' has no Denavit-Hartenberg row, expected revolute, prismatic or cylindrical",
                     type);
  }
  if (!l->m->own_frames) {
    return load_fail(l, s, e,
                     "a Denavit-Hartenberg row puts the frames of links in places of their own, expected frame = body "
                     "in [model]");
  }
  /* its four numbers become expressions of the markers of both links */
  mbd_status status = load_items(l, s, e, e->value, dh_number, DH_NUMBERS, row);
  for (int k = 0; k < DH_NUMBERS && status == MBD_OK; k++) {
    double value;
    status = load_evaluate(l, s, e, &row[k], &value); /* checked before they become parts of longer ones */
  }
  if (status == MBD_OK) { status = place_row(l, s, e, (dh_convention)which, row, names); }
  load_free_items(DH_NUMBERS, row);
  return status;
}

static mbd_status read_joint(loader *l, const model_section *section, ini_section *s) {
  ini_entry *type, *bodies;
  joint_names names = {0};
  MBD_TRY(load_required(l, section, s, "type", &type));
  MBD_TRY(load_required(l, section, s, "bodies", &bodies));
  mbd_status status = find_points(l, s, &names);
  if (status == MBD_OK) { status = find_bodies(l, s, bodies, &names); }
  if (status == MBD_OK) { status = find_axis(l, s, "axis", &names.axis); }
  if (status == MBD_OK) { status = find_axis(l, s, "axis2", &names.axis2); }
  if (status == MBD_OK) { status = find_axis(l, s, "zero", &names.zero); }
  if (status == MBD_OK) { status = find_row(l, section, s, type->value, &names); }
  if (status == MBD_OK) { status = add_joint(l, section, s, type->value, &names); }
  for (int i = 0; i < 2; i++) { free(names.body[i]), free(names.point[i]); }
  free(names.axis), free(names.axis2), free(names.zero);
  return status;
}

const model_section model_section_joint = {"joint", "A joint by name.", 1, joint_keys, .read = read_joint};
