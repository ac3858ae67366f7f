/* Forces and constraints: their keys come from the library's tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/load_model.h"
#include "config/options.h"
#include "config/tir.h"

/* References into d->ref; the strings live in *store until the description has copied them. */
static mbd_status element_refs(loader *l, ini_section *s, const mbd_element_info *info, const char *const *known,
                               mbd_element_desc *d, char ***store) {
  int at = 0;
  for (const mbd_ref_info *r = info->refs; r->key; r++, store++) {
    const ini_entry *e = ini_get(s, r->key);
    if (!e) { return options_missing_key(&l->f, s, known, r->key, r->doc, l->err); }
    MBD_TRY(load_names(l, s, e, r->count, "names", r->doc, store));
    for (int i = 0; i < r->count; i++) { d->ref[at++] = (*store)[i]; }
  }
  return MBD_OK;
}

/* Where coefficients of an element may come from besides its keys: the file under the key of size 0. */
typedef struct property_file {
  tir_file file;
  const ini_entry *e; /* the key that names it; NULL: there is none */
} property_file;

static mbd_status open_property_file(loader *l, ini_section *s, const mbd_element_info *info, property_file *p) {
  const mbd_coef_info *c = info->coefs;
  while (c->key && c->size > 0) { c++; }
  p->e = c->key ? ini_get(s, c->key) : NULL;
  if (!p->e) { return MBD_OK; }
  char *path = ini_beside(l->f.path, p->e->value);
  mbd_status status = path ? tir_read(path, &p->file, l->err) : load_no_memory(l);
  free(path);
  return load_located(l, s, p->e, status);
}

/* The file's value of c as text; *found: whether it has one. */
static mbd_status property(loader *l, ini_section *s, const property_file *p, const char *const *known,
                           const mbd_coef_info *c, char *text, size_t size, int *found) {
  const tir_entry *t = NULL;
  double value = 0;
  if (p->e) { MBD_TRY(load_located(l, s, p->e, tir_number(&p->file, c->key, &value, &t, l->err))); }
  *found = t != NULL;
  if (t && (value < c->min || value > c->max)) {
    char range[64];
    return ini_fail(&l->f, s, p->e, l->err, "%s:%d: %s = %s, expected %s (%s)", p->file.path, t->line, t->key, t->value,
                    load_range(c->min, c->max, range), c->doc);
  }
  if (t) { snprintf(text, size, "%.17g", value); }
  if (!t && p->e && isnan(c->dflt)) {
    char misspelt[OPTIONS_HINT];
    return ini_fail(&l->f, s, p->e, l->err, "the file gives no value of '%s', nor does the section: %.200s [%s]%s",
                    c->key, c->doc, c->unit, options_misspelt_key(s, known, c->key, misspelt));
  }
  return MBD_OK;
}

static mbd_status element_coef(loader *l, ini_section *s, const char *kind, const char *const *known,
                               const mbd_coef_info *c, const property_file *p, int *first) {
  const ini_entry *e = ini_get(s, c->key);
  char name[300], dflt[96], what[300];
  int found = 0;
  if (!e) {
    snprintf(dflt, sizeof dflt, c->size == 3 ? "%.17g,%.17g,%.17g" : "%.17g", c->dflt, c->dflt, c->dflt);
    MBD_TRY(property(l, s, p, known, c, dflt, sizeof dflt, &found));
  }
  if (!e && !found && isnan(c->dflt)) {
    snprintf(what, sizeof what, "%.200s [%s]", c->doc, c->unit);
    return options_missing_key(&l->f, s, known, c->key, what, l->err);
  }
  snprintf(name, sizeof name, "%s.%s.%s", kind, s->name, c->key);
  const char *text = e ? e->value : dflt;
  if (found) { e = p->e; }
  return c->size == 3 ? load_coefficients(l, s, e, name, load_xyz, 3, text, c->min, c->max, first)
                      : load_coefficient(l, s, e, name, text, c->min, c->max, first);
}

static mbd_status element_coefs(loader *l, ini_section *s, const char *kind, const mbd_element_info *info,
                                const char *const *known, mbd_element_desc *d) {
  property_file p = {0};
  mbd_status status = open_property_file(l, s, info, &p);
  for (const mbd_coef_info *c = info->coefs; c->key && status == MBD_OK; c++) {
    int first;
    if (c->size == 0) { continue; }
    status = element_coef(l, s, kind, known, c, &p, &first);
    if (status == MBD_OK && d->coef < 0) { d->coef = first; }
  }
  tir_free(&p.file);
  return status;
}

/* All keys of an element, NULL-terminated. New memory; NULL: none. */
static const char **element_keys(const mbd_element_info *info) {
  int n = 0, nref = 0, ncoef = 0, ncurve = 0;
  while (info->refs[nref].key) { nref++; }
  while (info->coefs[ncoef].key) { ncoef++; }
  while (info->curves[ncurve].key) { ncurve++; }
  const char **known = calloc((size_t)(nref + ncoef + ncurve) + 2, sizeof *known);
  if (!known) { return NULL; }
  known[n++] = "type";
  for (int k = 0; k < nref; k++) { known[n++] = info->refs[k].key; }
  for (int k = 0; k < ncoef; k++) { known[n++] = info->coefs[k].key; }
  for (int k = 0; k < ncurve; k++) { known[n++] = info->curves[k].key; }
  return known;
}

/* Names of curves into d->curve, which are the section's own texts. */
static mbd_status element_curves(loader *l, ini_section *s, const mbd_element_info *info, const char *const *known,
                                 mbd_element_desc *d) {
  for (int k = 0; info->curves[k].key; k++) {
    d->curve[k] = load_curve_instead(l, load_value(s, info->curves[k].key, NULL));
    if (!d->curve[k] && info->curves[k].required) {
      return options_missing_key(&l->f, s, known, info->curves[k].key, info->curves[k].doc, l->err);
    }
  }
  return MBD_OK;
}

/* How the description takes one. */
typedef mbd_status (*add_element)(mbd_spec *spec, const mbd_element_desc *d, mbd_error *err);

static mbd_status read_known_element(loader *l, const char *kind, ini_section *s, const mbd_element_info *info,
                                     const char *const *known, add_element add) {
  mbd_element_desc d;
  char **store[MBD_REF_MAX] = {0};
  mbd_element_desc_init(&d);
  d.name = s->name;
  d.type = info->name;
  mbd_status status = element_refs(l, s, info, known, &d, store);
  if (status == MBD_OK) { status = element_coefs(l, s, kind, info, known, &d); }
  if (status == MBD_OK) { status = element_curves(l, s, info, known, &d); }
  if (status == MBD_OK) { status = load_located(l, s, NULL, add(l->m->spec, &d, l->err)); }
  for (int k = 0; info->refs[k].key; k++) {
    if (store[k]) { text_list_free(store[k], info->refs[k].count); }
  }
  return status == MBD_OK ? options_unknown_key(&l->f, s, known, l->err) : status;
}

static mbd_status read_element(loader *l, const model_section *q, ini_section *s, const char *what,
                               const char *(*type_at)(int i), add_element add) {
  static const char *const only[] = {"type", NULL};
  const ini_entry *type = ini_get(s, "type");
  int i;
  if (!type) { return options_missing_key(&l->f, s, only, "type", "what it is", l->err); }
  MBD_TRY(load_type(l, s, type, what, type_at, &i));
  const mbd_element_info *info = q->type_at(i);
  const char **known = element_keys(info);
  if (!known) { return load_no_memory(l); }
  const mbd_status status = read_known_element(l, q->kind, s, info, known, add);
  free(known);
  return status;
}

static const char *force_at(int i) {
  return mbd_force_info(i) ? mbd_force_info(i)->name : NULL;
}

static const char *constraint_at(int i) {
  return mbd_constraint_info(i) ? mbd_constraint_info(i)->name : NULL;
}

static mbd_status read_force(loader *l, const model_section *q, ini_section *s) {
  return read_element(l, q, s, "type of force", force_at, mbd_spec_force);
}

const model_section model_section_force = {"force", .named = 1, .type_at = mbd_force_info, .read = read_force};

static mbd_status read_constraint(loader *l, const model_section *q, ini_section *s) {
  return read_element(l, q, s, "type of constraint", constraint_at, mbd_spec_constraint);
}

const model_section model_section_constraint = {"constraint", .named = 1, .type_at = mbd_constraint_info,
                                                .read = read_constraint};
