/* Parts: model files that a model file uses, each any number of times.
 *
 * The file of a part is read once for each section [part NAME]; nothing is copied into the file that uses it. The objects of the part have
 * its name as a prefix ("front_left.wheel"); names that it refers to are looked up in the file in which they are
 * written (load_names.c). Scalars have the same prefix; the file that uses the part may set them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "base/way.h"
#include "config/load_model.h"
#include "config/shipped_parts.h"
#include "files/memory.h"
#include "files/text_list.h"

enum { DEPTH_MAX = 8, PARTS_MAX = 10000 }; /* levels of parts within parts; parts of a model */

static const model_key part_keys[] = {
    KEY("file", "path", "", "", "model file of the part, from the folder of this one; or `use`"),
    KEY("use", "name", "", "",
        "a part of mbopt in place of a file, as pid; `mbopt parts` lists them, `mbopt parts NAME` prints one"),
    KEY("at", "x, y, z", "0, 0, 0", "m", "where the origin of the part comes to stand; expressions of scalars"),
    KEY("turn", "x, y, z", "0, 0, 0", "rad",
        "angles by which the part is turned, first about the x axis, then about y, then about z, all of this file; no "
        "scalar that they use can vary"),
    KEY_WORD("mirror", "no",
             "the axis along which the part is reflected, before it is turned: mirror = y makes a right side of a left "
             "one. Coordinates of its joints have the values that they have in what is mirrored",
             "no", "x", "y", "z"),
    KEY("scalar.NAME", "expression", "", "",
        "a scalar of the part, by scalars of this file; else it has the value that the part gives it, and one that the "
        "part does not give either is that of this file"),
    KEY("quantity.NAME", "expression", "", "",
        "a quantity of the part, such as its input, by outputs, quantities, states, scalars and `time` of this file; "
        "it replaces the value that [quantity NAME] of the part gives"),
    KEY("body.NAME", "name", "", "",
        "the body of this file that the part calls NAME and does not have itself; else the one of the same name. "
        "Likewise for the following"),
    KEY("point.NAME", "name", "", "", "a point"),
    KEY("vector.NAME", "name", "", "", "a vector"),
    KEY("curve.NAME", "name", "", "", "a curve"),
    KEY("coordinate.NAME", "name", "", "", "a coordinate"),
    KEY_END,
};

/* ---- the list of parts ---- */

static void part_free(model_part *p) {
  if (!p) { return; }
  for (int i = 0; i < 3; i++) { mbo_expr_free(&p->place.at[i]); }
  repeat_destroy(p->counting);
  ini_free(&p->f);
  free(p->vector_image);
  free(p->name), free(p->prefix);
  free(p);
}

void load_free_parts(loader *l) {
  for (int i = 0; i < l->npart; i++) { part_free(l->part[i]); }
  free(l->part);
  name_index_free(&l->part_at);
  text_list_free(l->counts.v, l->counts.n);
}

/* Appends a part to the list. NULL: no memory. */
static model_part *add_part(loader *l, model_part *outer, ini_section *section) {
  model_part **grown = mbd_list_grow(l->part, l->npart, sizeof *grown);
  if (!grown) { return NULL; }
  l->part = grown;
  model_part *p = calloc(1, sizeof *p);
  if (!p) { return NULL; }
  grown[l->npart++] = p;
  p->outer = outer;
  p->section = section;
  p->depth = outer ? outer->depth + 1 : 0;
  p->name = outer ? mbd_sprintf_dup("%s%s", outer->prefix, section->name) : mbd_strdup("");
  p->prefix = outer && p->name ? mbd_sprintf_dup("%s.", p->name) : mbd_strdup("");
  const int placed = p->name && p->prefix && name_index_add(&l->part_at, p->prefix, "", l->npart - 1);
  return placed ? p : NULL;
}

/* ---- checks of a section [part NAME] ---- */

static mbd_status check_name(loader *l, const ini_section *s) {
  static const char *const kinds[] = {"body", "point", "joint", "coordinate", "force", "constraint", "curve"};
  if (!load_is_word(s->name)) {
    return load_fail(l, s, NULL,
                     "the name of a part is made of letters, digits and '_', a letter first, as its scalars have it "
                     "in front of their names");
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const ini_section *twice = ini_find(l->f, kinds[i], s->name);
    if (!twice) { continue; }
    return load_fail(l, s, NULL,
                     "[%s %s] in line %d has the same name, and what is in the part could not be told from its "
                     "quantities; expected another name",
                     twice->kind, twice->name, twice->line);
  }
  return MBD_OK;
}

static int same_file(const char *a, const char *b) {
  struct stat one, other;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* MBD_BAD_INPUT: files use each other in a cycle, "a.ini -> b.ini -> a.ini", whose text is shortened if it is long. */
static mbd_status circle(loader *l, const ini_section *s, const ini_entry *file, const model_part *first) {
  const model_part *through[DEPTH_MAX + 2];
  mbd_way files = {0};
  int n = 0;
  for (const model_part *p = l->p; p != first; p = p->outer) { through[n++] = p; }
  mbd_way_add(&files, first->f.path);
  while (n > 0) { mbd_way_add(&files, through[--n]->f.path); }
  return load_fail(l, s, file, "a file cannot be a part of itself: %s", mbd_way_end(&files, first->f.path));
}

static mbd_status check_path(loader *l, const ini_section *s, const ini_entry *file, const char *path) {
  for (const model_part *p = l->p; p; p = p->outer) {
    if (same_file(path, p->f.path)) { return circle(l, s, file, p); }
  }
  if (l->p->depth >= DEPTH_MAX) {
    return load_fail(l, s, file, "this part is in %d others, expected at most %d", l->p->depth + 1, DEPTH_MAX);
  }
  if (l->npart > PARTS_MAX) { return load_fail(l, s, file, "there are more than %d parts, expected fewer", PARTS_MAX); }
  return MBD_OK;
}

/* ---- reading a part ---- */

/* The name after "scalar." or "quantity." in a key; NULL: the key has another prefix. */
static const char *scalar_of(const ini_entry *e) {
  return strncmp(e->key, "scalar.", 7) == 0 ? e->key + 7 : NULL;
}
static const char *quantity_of(const ini_entry *e) {
  return strncmp(e->key, "quantity.", 9) == 0 ? e->key + 9 : NULL;
}

/* Scalars that the outer file sets replace those of the part. */
static mbd_status set_scalars(loader *l, model_part *p) {
  ini_section *scalars = ini_find(&p->f, "scalars", "");
  for (int i = 0; i < p->section->n; i++) {
    ini_entry *e = &p->section->entry[i];
    const char *name = scalar_of(e);
    if (!name) { continue; }
    e->used = 1;
    if (!scalars && !(scalars = ini_add_section(&p->f, "scalars", "", 0))) { return load_no_memory(l); }
    ini_entry *set = ini_find_entry(scalars, name);
    if (!set) { set = ini_add_entry(scalars, name, e->value, INI_PART); }
    if (!set) { return load_no_memory(l); }
    set->set = e;
  }
  return MBD_OK;
}

/* Quantities that the outer file gives replace those of the part, or become new ones. A new one is used where a name of the part means it
 * (load_names.c). */
static mbd_status set_quantities(loader *l, model_part *p) {
  for (int i = 0; i < p->section->n; i++) {
    ini_entry *e = &p->section->entry[i];
    const char *name = quantity_of(e);
    if (!name) { continue; }
    if (!load_is_word(name)) {
      return ini_fail(&p->outer->f, p->section, e, l->err,
                      "the name of a quantity is made of letters, digits and '_', a letter first");
    }
    ini_section *quantity = ini_find(&p->f, "quantity", name);
    e->used = quantity != NULL;
    if (!quantity && !(quantity = ini_add_section(&p->f, "quantity", name, INI_PART))) { return load_no_memory(l); }
    ini_entry *set = ini_find_entry(quantity, "value");
    if (!set) { set = ini_add_entry(quantity, "value", e->value, INI_PART); }
    if (!set) { return load_no_memory(l); }
    set->set = e;
  }
  return repeat_find_scalars(p->counting);
}

/* Prepares a part whose file is read: checks its sections, sets its scalars, expands its repetitions, sets its quantities. */
static mbd_status open_file(loader *l, model_part *p) {
  mbo_model_file *m = l->m;
  /* Its number among the files of the model. No part is current yet. */
  p->file = text_list_find(m->file, m->nfile, p->f.path);
  if (p->file < 0 && !text_list_add(&m->file, &m->nfile, p->f.path)) { return ini_no_memory(&p->f, l->err); }
  if (p->file < 0) { p->file = m->nfile - 1; }
  /* Its unit of length. The reader of [model] refuses a word that is not known (load_bodies.c). */
  const ini_entry *units = ini_find_entry(ini_find(&p->f, "model", ""), "units");
  p->length = units && strcmp(units->value, "mm") == 0 ? 1e-3 : 1;
  for (int i = 0; i < p->f.n; i++) {
    MBD_TRY(ini_check_section(&p->f, &p->f.section[i], "a model file", l->kinds, l->err));
  }
  /* Scalars of tables, those that the run and the outer file set, and the repetitions that they count. */
  load_enter(l, p);
  MBD_TRY(load_tables(l));
  if (p->outer) { MBD_TRY(set_scalars(l, p)); }
  MBD_TRY(load_counts(l));
  MBD_TRY(repeat_create(&p->f, p->outer ? p->outer->counting : NULL, p->prefix, &l->counts, &p->counting, l->err));
  if (p->outer) { MBD_TRY(repeat_count_text(p->counting)); }
  MBD_TRY(repeat_sections(p->counting));
  if (p->outer) { MBD_TRY(set_quantities(l, p)); }
  return load_counts(l);
}

/* The file of a part: its path relative to the current one, or for a part of mbopt its text with a name in place of the path. *e: the key
 * that names it; *path: in new memory; *text NULL: it is a file. */
static mbd_status find_file(loader *l, ini_section *s, ini_entry **e, char **path, const char **text) {
  ini_entry *file = ini_get(s, "file"), *use = ini_get(s, "use");
  int i = 0;
  *path = NULL, *text = NULL, *e = use ? use : file;
  if (!file && !use) {
    return load_missing(l, &model_section_part, s, "file", "a model file, or 'use', a part of mbopt");
  }
  if (file && use) {
    return load_fail(l, s, use, "the section has 'file', too (line %d); expected one of the two", file->line);
  }
  if (use) {
    MBD_TRY(load_type(l, s, use, "part of mbopt", shipped_part_name, &i));
    *text = shipped_part_text(i);
  }
  *path = use ? shipped_part_path(i) : ini_beside(l->f->path, file->value);
  return *path ? MBD_OK : load_no_memory(l);
}

/* Reads the part that a section of the current part names. */
static mbd_status open_part(loader *l, ini_section *s) {
  ini_entry *file;
  char *path;
  const char *text;
  model_part *outer = l->p;
  /* The section: its name, with the prefix of the outer part, has a limited length. */
  MBD_TRY(check_name(l, s));
  if (strlen(outer->prefix) + strlen(s->name) > MBO_FULL_NAME_MAX) {
    return load_fail(l, s, NULL, "with the parts that it is in the name is too long, expected at most %d characters",
                     MBO_FULL_NAME_MAX);
  }
  /* Its file. Files that are parts of themselves are refused. */
  MBD_TRY(find_file(l, s, &file, &path, &text));
  mbd_status status = check_path(l, s, file, path);
  model_part *p = status == MBD_OK ? add_part(l, outer, s) : NULL;
  if (status == MBD_OK && !p) { status = load_no_memory(l); }
  if (status == MBD_OK) {
    const mbd_status read = text ? ini_read_text(text, path, &p->f, l->err) : ini_read(path, &p->f, l->err);
    status = load_located(l, s, file, read);
  }
  free(path);
  MBD_TRY(status);
  /* The new part is the current one while its sections are prepared. */
  p->f.through = p->name;
  status = open_file(l, p);
  load_enter(l, outer);
  return status;
}

mbd_status load_open_parts(loader *l) {
  model_part *first = add_part(l, NULL, NULL);
  MEMORY_TRY(first, l->err, "%s", l->m->path);
  MBD_TRY(l->text ? ini_read_text(l->text, l->m->path, &first->f, l->err) : ini_read(l->m->path, &first->f, l->err));
  MBD_TRY(open_file(l, first));
  for (int i = 0; i < l->npart; i++) { /* the list grows in the loop */
    load_enter(l, l->part[i]);
    for (int k = 0; k < l->f->n; k++) {
      if (strcmp(l->f->section[k].kind, "part") == 0) { MBD_TRY(open_part(l, &l->f->section[k])); }
    }
  }
  return MBD_OK;
}

/* ---- entries of [part NAME] without effect, after all sections are read ---- */

static mbd_status scalar_in_vain(loader *l, const model_part *p, const ini_section *s, const ini_entry *e) {
  const ini_section *scalars = ini_find(&p->f, "scalars", "");
  char full[2 * MBO_FULL_NAME_MAX], hint[MBD_HINT];
  mbd_nearest near = {.requested = scalar_of(e)};
  snprintf(full, sizeof full, "%s%.*s", p->prefix, MBO_FULL_NAME_MAX, near.requested);
  const int k = name_index_find(&l->scalar_at, full, "");
  if (k < 0 || l->source[k].e->line != INI_PART || l->source[k].used) { return MBD_OK; }
  for (int i = 0; i < scalars->n; i++) {
    if (scalars->entry[i].line != INI_PART) { mbd_nearest_offer(&near, scalars->entry[i].key); }
  }
  return load_fail(l, s, e, "the part %s has no scalar '%s', and uses none%s", p->f.path, near.requested,
                   mbd_nearest_text(&near, hint, sizeof hint));
}

/* MBD_BAD_INPUT for "quantity.inptu = ..." if the part neither has the quantity itself nor names it. */
static mbd_status quantity_in_vain(loader *l, const model_part *p, const ini_section *s, const ini_entry *e) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = quantity_of(e)};
  if (e->used) { return MBD_OK; }
  for (int i = 0; i < p->f.n; i++) {
    const ini_section *quantity = &p->f.section[i];
    if (strcmp(quantity->kind, "quantity") == 0 && strcmp(quantity->name, near.requested) != 0) {
      mbd_nearest_offer(&near, quantity->name);
    }
  }
  return load_fail(l, s, e, "the part %s has no quantity '%s', and names none%s", p->f.path, near.requested,
                   mbd_nearest_text(&near, hint, sizeof hint));
}

/* MBD_BAD_INPUT for "body.chassis = frame" if the part has a body of that name itself, or refers to none. */
static mbd_status name_in_vain(loader *l, const model_part *p, const ini_section *s, const ini_entry *e) {
  static const char *const kinds[] = {"body", "point", "vector", "curve", "coordinate"};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const size_t n = strlen(kinds[i]);
    if (strncmp(e->key, kinds[i], n) != 0 || e->key[n] != '.') { continue; }
    const char *name = e->key + n + 1;
    if (ini_find(&p->f, kinds[i], name)) {
      return load_fail(l, s, e, "the part %s has its own %s '%s', expected the name of one that it has not", p->f.path,
                       kinds[i], name);
    }
    if (!e->used) {
      return load_fail(l, s, e, "the part %s names no %s '%s' of the file that uses it", p->f.path, kinds[i], name);
    }
  }
  return MBD_OK;
}

static mbd_status read_part(loader *l, const model_section *section, ini_section *s) {
  char prefix[2 * MBO_FULL_NAME_MAX];
  snprintf(prefix, sizeof prefix, "%s%s.", l->p->prefix, s->name);
  const model_part *p = l->part[name_index_find(&l->part_at, prefix, "")];
  (void)section;
  for (int i = 0; i < s->n; i++) {
    const ini_entry *e = &s->entry[i];
    if (scalar_of(e)) { MBD_TRY(scalar_in_vain(l, p, s, e)); }
    if (quantity_of(e)) { MBD_TRY(quantity_in_vain(l, p, s, e)); }
    MBD_TRY(name_in_vain(l, p, s, e));
  }
  return MBD_OK;
}

const model_section model_section_part = {
    "part",
    "Another model file, or a part of mbopt, as a part of this one: what it describes gets the name of the part and a "
    "dot in front, as front_left.wheel. Names that it does not have are those of this file; so is its ground, in place "
    "of "
    "which another body may stand (body.ground). Its section [model] may have frame, units, name and title, and joints "
    "and gravity as here. Parts may have parts, eight deep, and repetitions. Their text counts towards "
    "the limit of repetitions.",
    1, part_keys, .read = read_part};
