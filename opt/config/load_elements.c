/* Forces and constraints: their keys come from the library's tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"
#include "config/options.h"
#include "config/shipped_parts.h"
#include "config/tir.h"
#include "mbd/user_force.h"

/* An element while it is read. */
typedef struct element {
  loader *l;
  ini_section *s;
  const char *kind; /* "force", "constraint" */
  const char *type;
  const mbd_element_info *info;      /* of its type; for a user's force with the keys of its plugin */
  const struct mbd_user_force *user; /* the user's force; NULL: another type */
  int nvalue;                        /* of a force by expression: number of its values; 0: another type */
  const mbd_image_info *image;       /* in a mirror image; NULL: it has none */
  const char *const *known;          /* its keys */
  char **ref[MBD_REF_MAX];           /* the names of each key, which owns the texts of d.ref */
  char *curve[MBD_CURVE_MAX];
  const char *of; /* unit of the coordinates that it names; "": it names none; NULL: not known, or not one */
  mbd_element_desc d;
} element;

/* ---- references ---- */

/* The image of a user's force takes vectors for directions, whose images are not those of axes. */
static mbd_status check_direction(element *loaded, const ini_entry *e, const char *full) {
  loader *l = loaded->l;
  const size_t prefix = strlen(l->p->prefix);
  char name[MBO_FULL_NAME_MAX + 1];
  mbd_image image = MBD_IMAGE_DIRECTION;
  if (strncmp(full, l->p->prefix, prefix) != 0) { return MBD_OK; } /* not of the part, so not mirrored with it */
  snprintf(name, sizeof name, "%.*s", (int)strcspn(full + prefix, "@"), full + prefix);
  const ini_section *vector = ini_find(l->f, "vector", name);
  if (vector) { MBD_TRY(load_vector_image(l, vector, &image)); }
  if (image == MBD_IMAGE_DIRECTION) { return MBD_OK; }
  return load_fail(
      l, loaded->s, e,
      "part '%s' is mirrored, and '%s' is an axis for another of its elements, but a user's force takes it "
      "for a direction: their mirror images differ; expected a vector for each",
      l->p->name, name);
}

/* MBD_BAD_INPUT: a point or a coordinate that an element of a part names is neither in the part nor in a file that uses it. */
static mbd_status check_given(const element *loaded, mbd_ref_kind kind, const ini_entry *e, const char *name,
                              const char *full) {
  const loader *l = loaded->l;
  const char *what = kind == MBD_REF_POINT ? "point" : kind == MBD_REF_COORDINATE ? "coordinate" : NULL;
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = full};
  /* Names with other signs are those of joints and of markers on bodies, which are found later. */
  if (!what || !l->p->outer || !load_is_word(full) || load_find(l, what, full)) { return MBD_OK; }
  for (const model_part *p = l->p; p; p = p->outer) { ini_offer_names(&p->f, what, &near); }
  return load_fail(l, loaded->s, e,
                   "%s '%s' is not known; the file that uses the part may give it: %s.%s = NAME in [part %s]%s", what,
                   full, what, name, l->p->section->name, mbd_nearest_text(&near, hint, sizeof hint));
}

/* Replaces the names that a key has by full names, and gives them to the description of the element. */
static mbd_status element_ref(element *loaded, const mbd_ref_info *r, const ini_entry *e, char **name, int at) {
  loader *l = loaded->l;
  for (int i = 0; i < r->count; i++) {
    char *full;
    MBD_TRY(load_reference(l, r->kind, name[i], &full));
    const mbd_status given = check_given(loaded, r->kind, e, name[i], full);
    free(name[i]);
    loaded->d.ref[at + i] = name[i] = full;
    MBD_TRY(given);
    if (r->kind == MBD_REF_VECTOR && loaded->d.mirror) { MBD_TRY(check_direction(loaded, e, full)); }
    /* A coordinate of a turned or mirrored part may have another sign, or no image by itself. */
    if (r->kind == MBD_REF_COORDINATE && load_coordinate_sign(l, full) != 1) {
      return load_fail(l, loaded->s, e,
                       "'%s' has another sign or meaning in part '%s', which does not stand where its file has it; "
                       "expected this in the file that uses it",
                       full, l->p->name);
    }
  }
  return MBD_OK;
}

static mbd_status element_refs(element *loaded) {
  loader *l = loaded->l;
  int at = 0;
  for (int k = 0; loaded->info->refs[k].key; k++) {
    const mbd_ref_info *r = &loaded->info->refs[k];
    const ini_entry *e = ini_get(loaded->s, r->key);
    if (!e) { return options_missing_key(l->f, loaded->s, loaded->known, r->key, r->doc, l->err); }
    if (r->kind != MBD_REF_VALUE) { /* expressions are read when the description has the force */
      MBD_TRY(load_names(l, loaded->s, e, r->count, "names", r->doc, &loaded->ref[k]));
      MBD_TRY(element_ref(loaded, r, e, loaded->ref[k], at));
    }
    at += r->count;
  }
  return MBD_OK;
}

/* ---- coefficients ---- */

/* A file from which an element takes coefficients that its section does not give; the key of size 0 names it: a path, or without '.' and '/' a
 * tyre of mbopt. */
typedef struct property_file {
  tir_file file;
  const ini_entry *e; /* the key that names it; NULL: there is none */
} property_file;

static mbd_status open_property_file(loader *l, ini_section *s, const mbd_element_info *info, property_file *p) {
  const mbd_coef_info *c = info->coefs;
  while (c->key && c->size > 0) { c++; }
  p->e = c->key ? ini_get(s, c->key) : NULL;
  if (!p->e) { return MBD_OK; }
  const char *text = NULL;
  if (!strpbrk(p->e->value, "./")) {
    int i = 0;
    MBD_TRY(load_type(l, s, p->e, "tyre of mbopt", shipped_tyre_name, &i));
    text = shipped_tyre_text(i);
  }
  char *path = text ? mbd_strdup(p->e->value) : ini_beside(l->f->path, p->e->value);
  mbd_status status = path ? tir_read(path, text, &p->file, l->err) : load_no_memory(l);
  free(path);
  return load_located(l, s, p->e, status);
}

/* Reads the value of coefficient c in the file, as text. *found: 1 where it has one. */
static mbd_status property(loader *l, const ini_section *s, const property_file *p, const char *const *known,
                           const mbd_coef_info *c, char *text, size_t size, int *found) {
  const tir_entry *t = NULL;
  double value = 0;
  if (p->e) { MBD_TRY(load_located(l, s, p->e, tir_number(&p->file, c->key, &value, &t, l->err))); }
  *found = t != NULL;
  if (t && (value < c->min || value > c->max)) {
    char range[64];
    return load_fail(l, s, p->e, "%s:%d: %s = %s, expected %s (%s)", p->file.path, t->line, t->key, t->value,
                     load_range(c->min, c->max, range), c->doc);
  }
  if (t) { snprintf(text, size, "%.17g", value); }
  if (!t && p->e && isnan(c->dflt)) {
    char misspelt[OPTIONS_HINT];
    return load_fail(l, s, p->e, "the file gives no value of '%s', nor does the section: %.200s [%s]%s", c->key, c->doc,
                     c->unit, options_misspelt_key(s, known, c->key, misspelt));
  }
  return MBD_OK;
}

/* Adds the numbers of a coefficient, one or three. e NULL: the text is the default, or comes from the property file. */
static mbd_status element_numbers(element *loaded, const ini_entry *e, const mbd_coef_info *c, const char *name,
                                  const char *text, int *first) {
  loader *l = loaded->l;
  const mbd_image image = load_image_of_key(loaded->image, c->key, MBD_IMAGE_NONE);
  if (c->size == 3 && (image == MBD_IMAGE_DIRECTION || image == MBD_IMAGE_AXIS)) {
    const load_geometry what = image == MBD_IMAGE_AXIS ? LOAD_AXIS : LOAD_DIRECTION;
    return load_vector(l, loaded->s, e, name, what, text, c->min, c->max, first);
  }
  if (c->size == 3) {
    return load_coefficients(l, loaded->s, e, name, load_xyz, 3, text, load_unit_on(loaded->of, c->unit), c->min,
                             c->max, first);
  }
  if (image == MBD_IMAGE_OPPOSITE && l->p->place.mirrored) {
    return load_image_of(l, loaded->s, e, name, text, load_unit_on(loaded->of, c->unit), -1, NULL, first);
  }
  return load_coefficient(l, loaded->s, e, name, text, e ? load_unit_on(loaded->of, c->unit) : NULL, c->min, c->max,
                          first);
}

static mbd_status element_coef(element *loaded, const mbd_coef_info *c, const property_file *p, int *first) {
  loader *l = loaded->l;
  const ini_entry *e = ini_get(loaded->s, c->key);
  char name[300], dflt[96], what[300];
  int found = 0;
  if (!e) {
    snprintf(dflt, sizeof dflt, c->size == 3 ? "%.17g,%.17g,%.17g" : "%.17g", c->dflt, c->dflt, c->dflt);
    MBD_TRY(property(l, loaded->s, p, loaded->known, c, dflt, sizeof dflt, &found));
  }
  if (!e && !found && isnan(c->dflt)) {
    snprintf(what, sizeof what, "%.200s [%s]", c->doc, c->unit);
    return options_missing_key(l->f, loaded->s, loaded->known, c->key, what, l->err);
  }
  snprintf(name, sizeof name, "%s.%s.%s", loaded->kind, l->name, c->key);
  MBD_TRY(element_numbers(loaded, e, c, name, e ? e->value : dflt, first));
  if (found) { l->m->line[l->m->ncoef - 1].line = p->e->line; }
  return MBD_OK;
}

static mbd_status element_coefs(element *loaded) {
  property_file p = {0};
  mbd_status status = open_property_file(loaded->l, loaded->s, loaded->info, &p);
  for (const mbd_coef_info *c = loaded->info->coefs; c->key && status == MBD_OK; c++) {
    int first;
    if (c->size == 0) { continue; }
    status = element_coef(loaded, c, &p, &first);
    if (status == MBD_OK && loaded->d.coef < 0) { loaded->d.coef = first; }
  }
  tir_free(&p.file);
  return status;
}

/* ---- an element ---- */

/* Returns all keys of an element, NULL-terminated, in new memory. also: a key that is not in its table, or NULL. NULL: no memory. */
static const char **element_keys(const mbd_element_info *info, const char *also) {
  int n = 0, nref = 0, ncoef = 0, ncurve = 0;
  while (info->refs[nref].key) { nref++; }
  while (info->coefs[ncoef].key) { ncoef++; }
  while (info->curves[ncurve].key) { ncurve++; }
  const char **known = calloc((size_t)(nref + ncoef + ncurve) + 3, sizeof *known);
  if (!known) { return NULL; }
  known[n++] = "type";
  if (also) { known[n++] = also; }
  for (int k = 0; k < nref; k++) { known[n++] = info->refs[k].key; }
  for (int k = 0; k < ncoef; k++) { known[n++] = info->coefs[k].key; }
  for (int k = 0; k < ncurve; k++) { known[n++] = info->curves[k].key; }
  return known;
}

static mbd_status element_curves(element *loaded) {
  const mbd_curve_info *info = loaded->info->curves;
  for (int k = 0; info[k].key; k++) {
    const char *name = load_value(loaded->s, info[k].key, NULL);
    if (!name && info[k].required) {
      return options_missing_key(loaded->l->f, loaded->s, loaded->known, info[k].key, info[k].doc, loaded->l->err);
    }
    if (name && strpbrk(name, "*/+(^")) {
      return load_fail(loaded->l, loaded->s, ini_get(loaded->s, info[k].key),
                       "'%s' is no name of a curve; expected one, or, for a force that depends on the motion, "
                       "[force NAME] with type = expression and value = EXPRESSION; a function of time is "
                       "[curve NAME] with type = expression and a value of x",
                       name);
    }
    if (name) { MBD_TRY(load_name(loaded->l, "curve", name, &loaded->curve[k])); }
    if (name && strchr(name, '.') && !load_find(loaded->l, "curve", loaded->curve[k])) {
      return load_fail(loaded->l, loaded->s, ini_get(loaded->s, info[k].key),
                       "the model has no curve '%s'; a force that depends on an output is a [force NAME] with "
                       "type = expression",
                       name);
    }
    loaded->d.curve[k] = load_curve_instead(loaded->l, loaded->curve[k]);
  }
  return MBD_OK;
}

/* The function that adds an element to the description. */
typedef mbd_status (*add_element)(mbd_spec *spec, const mbd_element_desc *d, mbd_error *err);

/* ---- forces by expression: the keys of the line of action replace those of the type ---- */

static const char value_doc[] =
    "the force: an expression of outputs of positions and velocities, quantities, scalars and time";

/* The line of action is that whose first key the section has. *refs: its keys; NULL: it has none of them. */
static mbd_status find_line(loader *l, ini_section *s, const mbd_ref_info **refs, int *nvalue) {
  char misspelt[OPTIONS_HINT];
  for (int i = 0; (*refs = mbd_expression_line(i, nvalue)) != NULL; i++) {
    if (ini_find_entry(s, (*refs)[0].key)) { return MBD_OK; }
  }
  const char *hint = "";
  for (int i = 0; !*hint && (*refs = mbd_expression_line(i, nvalue)) != NULL; i++) {
    const char *const only[] = {"type", "value", (*refs)[0].key, NULL};
    hint = options_misspelt_key(s, only, (*refs)[0].key, misspelt);
  }
  return load_fail(l, s, NULL,
                   "its line of action is missing; expected one of the keys points, coordinate, coordinates, bodies "
                   "(with axis) or point (with frame)%s",
                   hint);
}

/* Adds n expressions of a key as the values of the force from number `first` on. */
static mbd_status add_values(element *loaded, const char *key, const char *doc, int first, int n) {
  loader *l = loaded->l;
  const ini_entry *e = ini_get(loaded->s, key);
  char **text;
  if (!e) { return options_missing_key(l->f, loaded->s, loaded->known, key, doc, l->err); }
  MBD_TRY(load_names(l, loaded->s, e, n, "expressions", doc, &text));
  mbd_status status = MBD_OK;
  for (int k = 0; k < n && status == MBD_OK; k++) { status = load_element_value(l, loaded->s, e, first + k, text[k]); }
  text_list_free(text, n);
  return status;
}

/* The value of a force by expression, or those of a user's force or a constraint, which stand among its references. */
static mbd_status element_values(element *loaded) {
  int n = 0;
  if (loaded->nvalue) { return add_values(loaded, "value", value_doc, 0, loaded->nvalue); }
  for (const mbd_ref_info *r = loaded->info->refs; r->key; r++) {
    if (r->kind != MBD_REF_VALUE) { continue; }
    MBD_TRY(add_values(loaded, r->key, r->doc, n, r->count));
    n += r->count;
  }
  return MBD_OK;
}

static mbd_status read_known_element(element *loaded, add_element add) {
  loader *l = loaded->l;
  mbd_element_desc_init(&loaded->d);
  loaded->d.name = l->name;
  loaded->d.type = loaded->type;
  loaded->d.user = loaded->user;
  loaded->d.line = loaded->nvalue ? loaded->info->refs[0].key : NULL;
  loaded->d.mirror = loaded->user && l->p->place.mirror > 0 ? l->p->place.mirror : 0;
  /* Components of a force along the axes of a body are as written, as its value is, so that they are no image. */
  const int components = loaded->nvalue > 1;
  const int has_image = (loaded->image && !components) || (loaded->user && l->p->place.mirror >= 0);
  mbd_status status = load_check_image(l, loaded->s, has_image, loaded->kind,
                                       components ? "expression with point and frame" : loaded->type);
  if (status == MBD_OK) { status = element_refs(loaded); }
  if (status == MBD_OK) { status = load_unit_of_coordinates(l, loaded->s, loaded->info, &loaded->of); }
  if (status == MBD_OK) { status = element_coefs(loaded); }
  if (status == MBD_OK) { status = element_curves(loaded); }
  if (status == MBD_OK) { status = load_located(l, loaded->s, NULL, add(l->m->spec, &loaded->d, l->err)); }
  if (status == MBD_OK) { status = element_values(loaded); }
  for (int k = 0; k < MBD_REF_MAX; k++) {
    if (loaded->ref[k]) { text_list_free(loaded->ref[k], loaded->info->refs[k].count); }
  }
  for (int k = 0; k < MBD_CURVE_MAX; k++) { free(loaded->curve[k]); }
  return status == MBD_OK ? options_unknown_key(l->f, loaded->s, loaded->known, l->err) : status;
}

/* ---- users' forces: the keys of a plugin replace those of the type ---- */

static const char plugin_doc[] = "the user force: the name of a section [plugin NAME] of the run file";

static mbd_status unknown_plugin(loader *l, const ini_section *s, const ini_entry *e) {
  mbd_nearest near = {.requested = e->value};
  char hint[MBD_HINT];
  for (int i = 0; i < l->nplugin; i++) { mbd_nearest_offer(&near, l->plugin[i].name); }
  return load_fail(l, s, e,
                   "the run file names no plugin '%s', and a model file alone loads none; expected there a section "
                   "[plugin %s] with file = PATH%s",
                   e->value, e->value, mbd_nearest_text(&near, hint, sizeof hint));
}

static mbd_status find_plugin(loader *l, ini_section *s, const mbd_user_force **user) {
  static const char *const only[] = {"plugin", NULL};
  const ini_entry *e = ini_get(s, "plugin");
  if (!e) { return options_missing_key(l->f, s, only, "plugin", plugin_doc, l->err); }
  for (int i = 0; i < l->nplugin; i++) {
    mbo_plugin *plugin = &l->plugin[i];
    if (strcmp(plugin->name, e->value) == 0) {
      if (!plugin->force) { MBD_TRY(plugin->load(plugin, l->err)); }
      *user = plugin->force;
      return load_located(l, s, e, mbd_user_force_check(*user, l->err));
    }
  }
  return unknown_plugin(l, s, e);
}

/* Reads an element of any type. A user's force has the keys of its plugin in place of those of the type. */
static mbd_status read_element(loader *l, const model_section *section, ini_section *s, const char *what,
                               const char *(*type_at)(int i), add_element add) {
  static const char *const only[] = {"type", NULL};
  const ini_entry *type = ini_get(s, "type");
  int i;
  /* The type, and a copy of its table. */
  if (!type) { return options_missing_key(l->f, s, only, "type", "what it is", l->err); }
  MBD_TRY(load_type(l, s, type, what, type_at, &i));
  mbd_element_info info = *section->type_at(i);
  const mbd_user_force *user = NULL;
  /* The references and coefficients of a plugin replace those of the type in the copy. */
  if (info.refs[0].key && info.refs[0].kind == MBD_REF_PLUGIN) {
    MBD_TRY(find_plugin(l, s, &user));
    info.refs = user->refs, info.coefs = user->coefs;
  }
  int nvalue = 0;
  if (info.refs[0].key && info.refs[0].kind == MBD_REF_LINE) { MBD_TRY(find_line(l, s, &info.refs, &nvalue)); }
  const char **known = element_keys(&info, user ? "plugin" : nvalue ? "value" : NULL);
  if (!known) { return load_no_memory(l); }
  /* The element is read by this table, and every key that is not in it is refused. */
  element q = {.l = l,
               .s = s,
               .kind = section->kind,
               .type = info.name,
               .info = &info,
               .user = user,
               .nvalue = nvalue,
               .image = section->image_at(i),
               .known = known,
               .of = ""};
  const mbd_status status = read_known_element(&q, add);
  free(known);
  return status;
}

static const char *force_at(int i) {
  return mbd_force_info(i) ? mbd_force_info(i)->name : NULL;
}

static const char *constraint_at(int i) {
  return mbd_constraint_info(i) ? mbd_constraint_info(i)->name : NULL;
}

static mbd_status read_force(loader *l, const model_section *section, ini_section *s) {
  return read_element(l, section, s, "type of force", force_at, mbd_spec_force);
}

const model_section model_section_force = {"force", .named = 1, .type_at = mbd_force_info, .image_at = mbd_force_image,
                                           .read = read_force};

static mbd_status read_constraint(loader *l, const model_section *section, ini_section *s) {
  return read_element(l, section, s, "type of constraint", constraint_at, mbd_spec_constraint);
}

const model_section model_section_constraint = {"constraint", .named = 1, .type_at = mbd_constraint_info,
                                                .image_at = mbd_constraint_image, .read = read_constraint};
