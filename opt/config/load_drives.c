/* The drives of a load case: constraints that it adds to the model, by which coordinates follow curves or stay where they are. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/load_model.h"

/* A drive while it is read. */
typedef struct drive drive;
struct drive {
  loader *l;
  const char *coordinate, *text;     /* drive.COORDINATE = TEXT */
  char name[300];                    /* of the constraint */
  mbd_status (*each)(drive *loaded); /* what is done with each coordinate that it drives */
  const char *unit;                  /* of the coordinates so far; NULL: not known, or not the same for all */
  int n;                             /* number of these coordinates */
};

/* Returns MBD_BAD_INPUT for a word that is neither a curve nor a scalar, with the curve that may be meant. */
static mbd_status check_word(const drive *loaded) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = loaded->text};
  if (!isalpha((unsigned char)loaded->text[0]) || !ini_valid_name(loaded->text) ||
      load_find_scalar(loaded->l, loaded->text) >= 0) {
    return MBD_OK;
  }
  for (int k = 0; k < loaded->l->npart; k++) { ini_offer_names(&loaded->l->part[k]->f, "curve", &near); }
  MBD_FAIL(loaded->l->err, MBD_BAD_INPUT, "the model %s has no curve or scalar '%s'%s", loaded->l->m->path,
           loaded->text, mbd_nearest_text(&near, hint, sizeof hint));
}

static mbd_status add_constraint(drive *loaded, const char *curve) {
  mbd_element_desc desc;
  char *full;
  MBD_TRY(load_reference(loaded->l, MBD_REF_COORDINATE, loaded->coordinate, &full));
  mbd_element_desc_init(&desc);
  desc.name = loaded->name, desc.type = "driven_coordinate", desc.ref[0] = full, desc.curve[0] = curve;
  const mbd_status status = mbd_spec_constraint(loaded->l->m->spec, &desc, loaded->l->err);
  free(full);
  return status;
}

/* Adds the constraint of one coordinate. */
static mbd_status add_drive(drive *loaded) {
  loader *l = loaded->l;
  const int is_curve = load_find(l, "curve", loaded->text) != NULL;
  snprintf(loaded->name, sizeof loaded->name, "drive.%.250s", loaded->coordinate);
  if (!is_curve) {
    /* A polynomial of degree 0, with the name of the drive, for a number in the place of a curve. */
    char coef[320];
    int first = -1;
    MBD_TRY(check_word(loaded));
    snprintf(coef, sizeof coef, "%s.at", loaded->name);
    MBD_TRY(load_coefficient(l, NULL, NULL, coef, loaded->text, NULL, LOAD_ANY, &first));
    MBD_TRY(mbd_spec_curve(l->m->spec, loaded->name, "polynomial", 1, first, 0, NULL, l->err));
  }
  return add_constraint(loaded, is_curve ? load_curve_instead(l, loaded->text) : loaded->name);
}

/* Compares the unit of one coordinate with those before. An added coordinate has its unit from the part that it is in. */
static mbd_status note_unit(drive *loaded) {
  loader *l = loaded->l;
  model_part *from = l->p;
  const char *unit = NULL;
  for (int k = 0; k < l->npart && !unit; k++) {
    load_enter(l, l->part[k]);
    unit = load_coordinate_unit(l, loaded->coordinate);
  }
  load_enter(l, from);
  loaded->unit = loaded->n++ == 0 || (loaded->unit && unit && strcmp(unit, loaded->unit) == 0) ? unit : NULL;
  return MBD_OK;
}

/* ---- patterns, in which a star matches any text ---- */

/* Takes one coordinate if it matches the pattern and has no drive of its own. */
static mbd_status take_matching(drive *loaded, const char *pattern, const char *coordinate, int *matched) {
  const mbo_pairs *all = &loaded->l->of_case->drives;
  if (fnmatch(pattern, coordinate, FNM_NOESCAPE) != 0) { return MBD_OK; }
  *matched = 1;
  for (int i = 0; i < all->name.n; i++) {
    if (strcmp(all->name.v[i], coordinate) == 0) { return MBD_OK; }
  }
  loaded->coordinate = coordinate;
  return loaded->each(loaded);
}

/* Takes the matching coordinates of a section: those of a joint, or an added one. */
static mbd_status take_section(drive *loaded, const char *pattern, const model_part *p, const ini_section *s,
                               int *matched) {
  char full[3 * MBO_FULL_NAME_MAX];
  const ini_entry *type = ini_find_entry(s, "type");
  const mbd_joint_info *joint = strcmp(s->kind, "joint") == 0 && type ? load_joint_type(type->value) : NULL;
  for (int k = 0; joint && k < joint->nz; k++) {
    snprintf(full, sizeof full, "%s%s.%s", p->prefix, s->name, joint->coordinate[k]);
    MBD_TRY(take_matching(loaded, pattern, full, matched));
  }
  if (strcmp(s->kind, "coordinate") != 0) { return MBD_OK; }
  snprintf(full, sizeof full, "%s%s", p->prefix, s->name);
  return take_matching(loaded, pattern, full, matched);
}

static mbd_status take_pattern(drive *loaded) {
  const char *pattern = loaded->coordinate;
  loader *l = loaded->l;
  int matched = 0;
  for (int k = 0; k < l->npart; k++) {
    const model_part *p = l->part[k];
    for (int i = 0; i < p->f.n; i++) { MBD_TRY(take_section(loaded, pattern, p, &p->f.section[i], &matched)); }
  }
  loaded->coordinate = pattern;
  if (matched) { return MBD_OK; }
  MBD_FAIL(l->err, MBD_BAD_INPUT, "no coordinate of a joint by name, and no added one, is like '%s'", pattern);
}

/* Does `each` with every coordinate of a drive. */
static mbd_status take_all(drive *loaded) {
  return strchr(loaded->coordinate, '*') ? take_pattern(loaded) : loaded->each(loaded);
}

/* Begins a drive of the load case. */
static drive drive_at(loader *l, int i, mbd_status (*each)(drive *loaded)) {
  const mbo_pairs *all = &l->of_case->drives;
  return (drive){.l = l, .coordinate = all->name.v[i], .text = all->text.v[i], .each = each};
}

/* Puts the position of drive i in front of the text of a failure. */
static mbd_status located(loader *l, int i, mbd_status status) {
  const mbo_pairs *all = &l->of_case->drives;
  if (status == MBD_OK) { return status; }
  return mbd_locate(l->err, status, "%s[case %s] drive.%s = %s, expected a curve of the model or a number: ", l->run,
                    l->of_case->name, all->name.v[i], all->text.v[i]);
}

mbd_status load_driven_unit(loader *l, const char *curve, const char **unit) {
  int n = 0;
  *unit = "";
  for (int i = 0; l->of_case && i < l->of_case->drives.name.n; i++) {
    drive d = drive_at(l, i, note_unit);
    if (!load_find(l, "curve", d.text) || strcmp(load_curve_instead(l, d.text), curve) != 0) { continue; }
    d.unit = *unit, d.n = n;
    MBD_TRY(located(l, i, take_all(&d)));
    *unit = d.unit, n = d.n;
  }
  return MBD_OK;
}

mbd_status load_drives(loader *l) {
  for (int i = 0; l->of_case && i < l->of_case->drives.name.n; i++) {
    drive d = drive_at(l, i, add_drive);
    MBD_TRY(located(l, i, take_all(&d)));
  }
  return MBD_OK;
}
