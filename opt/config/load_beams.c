/* Beams: flexible bodies with nodes, whose section is constant or given at stations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"
#include "mbd/beam.h"

static const model_key beam_keys[] = {
    KEY("from", "point", NULL, "",
        "the clamped end: a point of body NAME, where what carries the beam is attached to it"),
    KEY("to", "point", NULL, "", "the other end: a point of body NAME.tip"),
    KEY("up", "vector", "", "",
        "a vector of body NAME, not along the beam: the direction of the height of its section; required "
        "by sections that have one, and in parts that are turned or mirrored"),
    KEY_WORD("section", "rectangle",
             "its section, whose dimensions are keys below: one number, or several at equal distances from "
             "`from` to `to`, between which they change linearly",
             "rectangle", "circle", "tube", "i_beam", "given"),
    KEY("height", "expression, ...", "", "m", "of rectangle and i_beam: size along `up`"),
    KEY("width", "expression, ...", "", "m", "of rectangle and i_beam: size across"),
    KEY("diameter", "expression, ...", "", "m", "of circle and tube: outer diameter"),
    KEY("wall", "expression, ...", "", "m", "of tube: thickness of the wall"),
    KEY("flange", "expression, ...", "", "m", "of i_beam: thickness of each flange"),
    KEY("web", "expression, ...", "", "m", "of i_beam: thickness of the web"),
    KEY("area", "expression, ...", "", "m^2", "of given: area"),
    KEY("second_moment_up", "expression, ...", "", "m^4", "of given: second moment of area for bending along `up`"),
    KEY("second_moment_side", "expression, ...", "", "m^4", "of given: the same for bending across"),
    KEY("torsion_constant", "expression, ...", "", "m^4", "of given: torsion constant"),
    KEY_NUMBERS(1, -1e300, "E", "expression", NULL, "N/m^2", "Young's modulus"),
    KEY_NUMBERS(1, -1e300, "G", "expression", "0", "N/m^2", "shear modulus; required with shapes of torsion or shear"),
    KEY_NUMBERS(1, -1e300, "density", "expression", NULL, "kg/m^3", "density"),
    KEY("shapes", "up, side, twist", "3, 3, 1", "",
        "numbers of shapes of bending along `up` and across, and of torsion; at most 16 in all "
        "with those below. The first frequency is right to 5e-3, 3e-4, 2e-6, 4e-8 with 2, 3, 4, 5 shapes in its plane"),
    KEY("axial", "whole number", "0", "", "number of shapes of extension, whose frequencies are high"),
    KEY("shear", "whole number", "0", "", "number of shapes of shear in each plane that has bending, for short beams"),
    KEY_NUMBERS(1, 0, "shear_factor", "expression", "0", "-",
                "part of the area that carries shear, as 5/6 of a rectangle; with shear > 0"),
    KEY_NUMBERS(1, 0, "damping_ratio", "expression", "0", "-", "damping ratio of all frequencies of the clamped beam"),
    KEY("rayleigh", "a, b", "0, 0", "", "damping a M + b K, per mass [1/s] and per stiffness [s]; adds to the ratio"),
    KEY_WORD("stiffening", "yes", "foreshortening by slopes: tension makes the beam stiffer, compression softer", "yes",
             "no"),
    KEY_WORD("rotary_inertia", "yes", "inertia of the section against rotation", "yes", "no"),
    KEY("points", "whole number", "", "",
        "points of inertia, between each two stations, in all at least as many as a kind has shapes; left out: as many "
        "as the shapes need"),
    KEY("nodes", "NODE: PLACE, ...", "", "", "further nodes, bodies NAME.NODE, at places between 0 (from) and 1 (to)"),
    KEY_END,
};

static const char *const kinds_of_shapes[] = {"bending up", "bending aside", "torsion"};

/* A beam while it is read, which owns its lists and names. */
typedef struct beam {
  loader *l;
  const model_section *section;
  ini_section *s;
  mbd_beam_desc d;
  char *full[3];                            /* from, to, up */
  char **dimension[MBD_BEAM_DIMENSION_MAX]; /* texts at the stations */
  int ndimension, count[MBD_BEAM_DIMENSION_MAX];
  char **node;
  double *at;
  int nnode;
} beam;

static mbd_status whole_number(beam *b, const ini_entry *e, const char *text, int min, int max, int *value) {
  char *end;
  const long n = strtol(text, &end, 10);
  if (end == text || *end != '\0' || n < min || n > max) {
    return load_fail(b->l, b->s, e, "'%s', expected a whole number from %d to %d", text, min, max);
  }
  *value = (int)n;
  return MBD_OK;
}

static mbd_status whole_key(beam *b, const char *key, int max, int *value) {
  const ini_entry *e = ini_get(b->s, key);
  return e ? whole_number(b, e, e->value, 0, max, value) : MBD_OK;
}

/* Points and the vector; only `up` may be left out. */
static mbd_status read_places(beam *b) {
  static const struct {
    const char *key;
    mbd_ref_kind kind;
  } rows[] = {{"from", MBD_REF_POINT}, {"to", MBD_REF_POINT}, {"up", MBD_REF_VECTOR}};
  for (int k = 0; k < 3; k++) {
    const ini_entry *e = ini_get(b->s, rows[k].key);
    if (!e && k < 2) { return load_missing(b->l, b->section, b->s, rows[k].key, NULL); }
    if (!e) { continue; }
    if (strchr(e->value, '@')) {
      return load_fail(b->l, b->s, e, "'%s', expected the name alone: it is taken on body %s%s", e->value, b->l->name,
                       k == 1 ? ".tip" : "");
    }
    MBD_TRY(load_reference(b->l, rows[k].kind, e->value, &b->full[k]));
  }
  b->d.from = b->full[0], b->d.to = b->full[1], b->d.up = b->full[2];
  b->d.mirrored = b->l->p->place.mirrored;
  if (!b->d.up && b->l->p->place.turned) {
    return load_missing(b->l, b->section, b->s, "up",
                        "a vector: in a part that is turned or mirrored it tells in which plane the beam bends");
  }
  return MBD_OK;
}

static mbd_status read_shapes(beam *b) {
  const ini_entry *e = ini_get(b->s, "shapes");
  char **item;
  int n, axial = 0, shear = 0;
  mbd_status status = MBD_OK;
  MBD_TRY(load_list(b->l, e ? e->value : "3, 3, 1", &item, &n));
  if (n != 3) {
    status = load_fail(b->l, b->s, e, "%d numbers, expected 3: of shapes of %s, %s, %s", n, kinds_of_shapes[0],
                       kinds_of_shapes[1], kinds_of_shapes[2]);
  }
  for (int k = 0; k < 3 && status == MBD_OK; k++) {
    status = whole_number(b, e, item[k], 0, MBD_BEAM_SHAPE_MAX, &b->d.shapes[k]);
  }
  text_list_free(item, n);
  MBD_TRY(status);
  MBD_TRY(whole_key(b, "axial", MBD_BEAM_SHAPE_MAX, &axial));
  MBD_TRY(whole_key(b, "shear", MBD_BEAM_SHAPE_MAX, &shear));
  b->d.shapes[3] = axial;
  for (int plane = 0; plane < 2; plane++) { b->d.shapes[4 + plane] = b->d.shapes[plane] > 0 ? shear : 0; }
  if ((b->d.shapes[2] > 0 || shear > 0) && !ini_find_entry(b->s, "G")) {
    return load_missing(b->l, b->section, b->s, "G",
                        "shear modulus, with shapes of torsion or shear (shapes = 3, 3, 0 has none)");
  }
  if (shear > 0 && !ini_find_entry(b->s, "shear_factor")) {
    return load_missing(b->l, b->section, b->s, "shear_factor", NULL);
  }
  return whole_key(b, "points", 1000, &b->d.points);
}

/* "NODE: PLACE, ..." */
static mbd_status read_nodes(beam *b) {
  const ini_entry *e = ini_get(b->s, "nodes");
  if (!e) { return MBD_OK; }
  MBD_TRY(load_list(b->l, e->value, &b->node, &b->nnode));
  b->at = calloc((size_t)b->nnode + 1, sizeof *b->at);
  if (!b->at) { return load_no_memory(b->l); }
  for (int k = 0; k < b->nnode; k++) {
    char *colon = strchr(b->node[k], ':');
    if (!colon) { return load_fail(b->l, b->s, e, "'%s', expected NODE: PLACE, as mid: 0.5", b->node[k]); }
    MBD_TRY(load_fixed_number(b->l, b->s, e, colon + 1, &b->at[k]));
    while (colon > b->node[k] && colon[-1] == ' ') { colon--; }
    *colon = '\0';
    if (!load_is_word(b->node[k])) {
      return load_fail(b->l, b->s, e, "'%s', expected a name of letters, digits and '_'", b->node[k]);
    }
  }
  b->d.nnode = b->nnode, b->d.node = (const char *const *)b->node, b->d.at = b->at;
  return MBD_OK;
}

/* The texts of the dimensions of the section, all at the same stations or constant. */
static mbd_status list_dimensions(beam *b) {
  int which;
  MBD_TRY(load_word(b->l, b->section, b->s, "section", &which));
  const mbd_beam_section *section = mbd_beam_section_at(which);
  b->d.section = section->name;
  for (int k = 0; section->coefs[k].key; k++) {
    const char *key = section->coefs[k].key;
    const ini_entry *e = ini_get(b->s, key);
    if (!e) { return load_missing(b->l, b->section, b->s, key, NULL); }
    MBD_TRY(load_list(b->l, e->value, &b->dimension[k], &b->count[k]));
    b->ndimension = k + 1;
    if (b->count[k] > MBD_BEAM_STATION_MAX) {
      return load_fail(b->l, b->s, e, "%d values, expected at most %d stations", b->count[k], MBD_BEAM_STATION_MAX);
    }
    if (b->count[k] > 1 && b->d.nstation > 1 && b->count[k] != b->d.nstation) {
      return load_fail(b->l, b->s, e, "%d values, expected one or %d, as another dimension has", b->count[k],
                       b->d.nstation);
    }
    if (b->count[k] > 1) { b->d.nstation = b->count[k]; }
  }
  return MBD_OK;
}

/* The dimensions at one station after the other. */
static mbd_status read_dimensions(beam *b) {
  const mbd_beam_section *section = mbd_beam_section_at(0);
  for (int i = 0; section && strcmp(section->name, b->d.section) != 0; i++) { section = mbd_beam_section_at(i); }
  for (int station = 0; station < b->d.nstation; station++) {
    for (int k = 0; k < b->ndimension; k++) {
      const mbd_coef_info *info = &section->coefs[k];
      char name[300];
      int index;
      snprintf(name, sizeof name, "beam.%s.%s", b->l->name, info->key);
      if (b->d.nstation > 1) { snprintf(name, sizeof name, "beam.%s.%s.%d", b->l->name, info->key, station + 1); }
      MBD_TRY(load_coefficient(b->l, b->s, ini_find_entry(b->s, info->key), name,
                               b->dimension[k][b->count[k] > 1 ? station : 0], info->unit, info->min, info->max,
                               &index));
    }
  }
  return MBD_OK;
}

/* The coefficients in their order (mbd/beam.h), behind zeros of the bodies without mass. */
static mbd_status read_coefficients(beam *b) {
  char name[300];
  int index;
  snprintf(name, sizeof name, "beam.%s.none", b->l->name);
  MBD_TRY(load_coefficients(b->l, b->s, NULL, name, load_matrix, 6, "0, 0, 0, 0, 0, 0", NULL, LOAD_ANY, &b->d.zero));
  MBD_TRY(load_numbers(b->l, b->section, b->s, "E", &b->d.coef));
  MBD_TRY(load_numbers(b->l, b->section, b->s, "G", &index));
  MBD_TRY(load_numbers(b->l, b->section, b->s, "density", &index));
  MBD_TRY(load_numbers(b->l, b->section, b->s, "damping_ratio", &index));
  b->d.damping_ratio = ini_find_entry(b->s, "damping_ratio") != NULL;
  snprintf(name, sizeof name, "beam.%s.rayleigh", b->l->name);
  const ini_entry *rayleigh = ini_get(b->s, "rayleigh");
  MBD_TRY(load_coefficients(b->l, b->s, rayleigh, name, NULL, 2, rayleigh ? rayleigh->value : "0, 0", NULL, 0, 1e300,
                            &index));
  MBD_TRY(load_numbers(b->l, b->section, b->s, "shear_factor", &index));
  return read_dimensions(b);
}

static mbd_status read_into(beam *b) {
  int without;
  mbd_beam_desc_init(&b->d);
  b->d.name = b->l->name;
  MBD_TRY(read_places(b));
  MBD_TRY(list_dimensions(b));
  MBD_TRY(read_shapes(b));
  MBD_TRY(read_nodes(b));
  MBD_TRY(load_word(b->l, b->section, b->s, "stiffening", &without));
  b->d.stiffening = !without;
  MBD_TRY(load_word(b->l, b->section, b->s, "rotary_inertia", &without));
  b->d.rotary_inertia = !without;
  MBD_TRY(read_coefficients(b));
  return load_located(b->l, b->s, NULL, mbd_spec_beam(b->l->m->spec, &b->d, b->l->err));
}

static mbd_status read_beam(loader *l, const model_section *section, ini_section *s) {
  beam b = {.l = l, .section = section, .s = s};
  const mbd_status status = read_into(&b);
  for (int k = 0; k < 3; k++) { free(b.full[k]); }
  for (int k = 0; k < b.ndimension; k++) { text_list_free(b.dimension[k], b.count[k]); }
  if (b.node) { text_list_free(b.node, b.nnode); }
  free(b.at);
  return status;
}

const model_section model_section_beam = {
    "beam",
    "A flexible body: a straight beam, clamped at one end to what carries it, bending in two planes, with torsion and, "
    "where asked for, "
    "extension and shear. Its body NAME is at the clamped end, bodies NAME.tip and NAME.NODE are at its nodes: points, "
    "joints and forces "
    "name them as any other body. Their frames are that of body NAME where the beam is undeformed. The coordinates "
    "NAME.up1, NAME.side1, "
    "NAME.twist1, ... are amplitudes of fixed shapes; at the start they are zero unless [start] gives them or static "
    "equilibrium "
    "determines them. The output NAME.elastic.energy is its elastic energy. Slopes have to stay below about 0.1.",
    1, beam_keys, .read = read_beam};
