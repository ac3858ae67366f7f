/* Parts that are turned or mirrored: which elements they may have, and how vectors and coordinates change (mbd_image). */
#include <stdlib.h>
#include <string.h>

#include "config/load_model.h"

/* ---- coordinates ---- */

const mbd_joint_info *load_joint_type(const char *name) {
  const mbd_joint_info *info;
  for (int i = 0; (info = mbd_joint_info_at(i)) != NULL; i++) {
    if (strcmp(info->name, name) == 0) { return info; }
  }
  return NULL;
}

static int coordinate_of(const mbd_joint_info *info, const char *name) {
  for (int k = 0; info && k < info->nz; k++) {
    if (strcmp(info->coordinate[k], name) == 0) { return k; }
  }
  return -1;
}

/* The type of a joint that is found between two bodies, by the name of its coordinate. */
static const mbd_joint_info *found_type(const char *coordinate) {
  static const char *const found[] = {"revolute", "prismatic", "spherical"};
  for (int i = 0; i < 3; i++) {
    const mbd_joint_info *info = load_joint_type(found[i]);
    if (coordinate_of(info, coordinate) >= 0) { return info; }
  }
  return NULL;
}

/* The type of the joint to which a coordinate belongs, by its full name. NULL: it belongs to no joint, or to one whose type is not
 * known. */
static const mbd_joint_info *type_of_coordinate(const loader *l, const char *full) {
  char stem[3 * MBO_FULL_NAME_MAX];
  const char *dot = strrchr(full, '.');
  if (!dot || (size_t)(dot - full) >= sizeof stem) { return NULL; }
  memcpy(stem, full, (size_t)(dot - full));
  stem[dot - full] = '\0';
  ini_section *named = load_find(l, "joint", stem);
  const ini_entry *type = named ? ini_find_entry(named, "type") : NULL;
  if (type) { return load_joint_type(type->value); }
  if (load_find(l, "body", stem)) { return load_joint_type("floating"); }
  return strchr(stem, '-') ? found_type(dot + 1) : NULL;
}

static int is_added(const loader *l, const char *full) {
  return load_find(l, "coordinate", full) != NULL;
}

/* Angles about axes and displacements along directions have an image each. Euler parameters, and displacements along the parent's axes,
 * have none by themselves. */
int load_coordinate_sign(const loader *l, const char *full) {
  const part_place *place = &l->p->place;
  if (!l->p->outer || strncmp(full, l->p->prefix, strlen(l->p->prefix)) != 0 || is_added(l, full)) { return 1; }
  const mbd_joint_info *type = type_of_coordinate(l, full);
  const int k = coordinate_of(type, strrchr(full, '.') ? strrchr(full, '.') + 1 : "");
  if (k < 0) { return 1; /* not known: the description reports it */ }
  const int angle = strcmp(type->unit[k], "rad") == 0, length = strcmp(type->unit[k], "m") == 0;
  const int displaced = length && type->naxis == 0;
  if (!place->turned) { return !displaced || !ini_find_entry(l->p->section, "at"); }
  if (type->naxis == 0 || type->image == MBD_IMAGE_NONE) { return 0; }
  return !place->mirrored || (type->image == MBD_IMAGE_AXIS ? angle : length) ? 1 : -1;
}

/* The unit of an added coordinate, as the constraints of the same file use it. */
static const char *unit_of_added(const loader *l, const char *full) {
  const model_part *p = l->p;
  for (int i = 0; i < p->f.n; i++) {
    const ini_section *s = &p->f.section[i];
    const ini_entry *type = ini_find_entry(s, "type"), *of = ini_find_entry(s, "coordinate");
    const mbd_element_info *info;
    if (strcmp(s->kind, "constraint") != 0 || !type || !of) { continue; }
    if (strncmp(full, p->prefix, strlen(p->prefix)) != 0 || strcmp(full + strlen(p->prefix), of->value) != 0) {
      continue;
    }
    for (int k = 0; (info = mbd_constraint_info(k)) != NULL; k++) {
      if (strcmp(info->name, type->value) == 0) { return mbd_constraint_coordinate_unit(k); }
    }
  }
  return NULL;
}

const char *load_coordinate_unit(const loader *l, const char *full) {
  const mbd_joint_info *type = type_of_coordinate(l, full);
  const char *dot = strrchr(full, '.');
  const int k = dot ? coordinate_of(type, dot + 1) : -1;
  if (is_added(l, full)) { return unit_of_added(l, full); }
  return k < 0 ? NULL : type->unit[k];
}

/* Compares the units of all coordinates that the section names. */
mbd_status load_unit_of_coordinates(loader *l, ini_section *s, const mbd_element_info *info, const char **of) {
  int n = 0;
  *of = "";
  for (const mbd_ref_info *r = info->refs; r->key; r++) {
    const ini_entry *e = ini_find_entry(s, r->key);
    char **name;
    int count;
    /* Only references to coordinates have a unit to compare; a key may list several of them. */
    if (r->kind != MBD_REF_COORDINATE || !e) { continue; }
    MBD_TRY(load_list(l, e->value, &name, &count));
    mbd_status status = MBD_OK;
    for (int i = 0; i < count && status == MBD_OK; i++, n++) {
      char *full;
      status = load_reference(l, r->kind, name[i], &full);
      if (status != MBD_OK) { break; }
      /* *of is the common unit, and stays NULL once a unit is unknown or differs from the others. */
      const char *unit = load_coordinate_unit(l, full);
      *of = n == 0 || (*of && unit && strcmp(unit, *of) == 0) ? unit : NULL;
      free(full);
    }
    text_list_free(name, count);
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* ---- vectors ---- */

enum { AS_AXIS = 1, AS_DIRECTION = 2 };

mbd_image load_image_of_key(const mbd_image_info *list, const char *key, mbd_image dflt) {
  for (; list && list->key; list++) {
    if (strcmp(list->key, key) == 0) { return list->image; }
  }
  return dflt;
}

/* Notes the vectors of the part that one element names, and whether it takes them for axes or directions. */
static mbd_status note_vectors(loader *l, ini_section *s, const mbd_ref_info *refs, const mbd_image_info *list) {
  for (const mbd_ref_info *r = refs; r->key; r++) {
    const ini_entry *e = ini_find_entry(s, r->key);
    const mbd_image image = load_image_of_key(list, r->key, MBD_IMAGE_DIRECTION);
    char **name;
    int n;
    /* the first one of the two vectors of a frame is an axis */
    const int frame = r->kind == MBD_REF_FRAME && image == MBD_IMAGE_AXIS;
    if (!(frame || r->kind == MBD_REF_VECTOR) || !e || image == MBD_IMAGE_NONE) { continue; }
    MBD_TRY(load_list(l, e->value, &name, &n));
    for (int i = 0; i < n; i++) {
      name[i][strcspn(name[i], "@")] = '\0';
      const ini_section *vector = ini_find(l->f, "vector", name[i]);
      const int axis = image == MBD_IMAGE_AXIS && !(frame && i > 0);
      if (vector) { l->p->vector_image[vector - l->f->section] |= axis ? AS_AXIS : AS_DIRECTION; }
    }
    text_list_free(name, n);
  }
  return MBD_OK;
}

/* The keys of a force by expression are those of its line of action. */
static const mbd_ref_info *refs_of(ini_section *s, const mbd_element_info *info) {
  const mbd_ref_info *line;
  int nvalue;
  for (int i = 0; info->refs[0].kind == MBD_REF_LINE && (line = mbd_expression_line(i, &nvalue)) != NULL; i++) {
    if (ini_find_entry(s, line[0].key)) { return line; }
  }
  return info->refs;
}

static mbd_status note_element(loader *l, ini_section *s, const mbd_element_info *(*type_at)(int i),
                               const mbd_image_info *(*image_at)(int i)) {
  const ini_entry *type = ini_find_entry(s, "type");
  const mbd_element_info *info;
  for (int i = 0; type && (info = type_at(i)) != NULL; i++) {
    if (strcmp(info->name, type->value) != 0 || !image_at(i)) { continue; }
    return note_vectors(l, s, refs_of(s, info), image_at(i));
  }
  return MBD_OK;
}

static const mbd_ref_info beam_refs[] = {{.kind = MBD_REF_VECTOR, .key = "up"}, {0}};

/* Notes the vectors of all elements of the present part. */
static mbd_status note_elements(loader *l) {
  l->p->vector_image = calloc((size_t)l->f->n + 1, 1);
  if (!l->p->vector_image) { return load_no_memory(l); }
  for (int i = 0; i < l->f->n; i++) {
    ini_section *s = &l->f->section[i];
    if (strcmp(s->kind, "force") == 0) { MBD_TRY(note_element(l, s, mbd_force_info, mbd_force_image)); }
    if (strcmp(s->kind, "constraint") == 0) { MBD_TRY(note_element(l, s, mbd_constraint_info, mbd_constraint_image)); }
    if (strcmp(s->kind, "beam") == 0) { MBD_TRY(note_vectors(l, s, beam_refs, NULL)); }
  }
  return MBD_OK;
}

mbd_status load_vector_image(loader *l, const ini_section *s, mbd_image *image) {
  if (!l->p->vector_image) { MBD_TRY(note_elements(l)); }
  const int as = l->p->vector_image[s - l->f->section];
  *image = as & AS_AXIS ? MBD_IMAGE_AXIS : MBD_IMAGE_DIRECTION;
  if (as != (AS_AXIS | AS_DIRECTION)) { return MBD_OK; }
  return load_fail(l, s, NULL,
                   "part '%s' is mirrored, and one of its elements takes this vector for an axis that something turns "
                   "about, another for a direction: their mirror images differ; expected a vector for each",
                   l->p->name);
}

/* ---- elements ---- */

mbd_status load_check_image(loader *l, const ini_section *s, int has_image, const char *what, const char *type) {
  if (has_image || !l->p->place.turned) { return MBD_OK; }
  load_fail(l, s, NULL, "a %s '%s' cannot stand in part '%s', which is %s: it has no image there", what, type,
            l->p->name, l->p->place.mirrored ? "mirrored" : "turned");
  if (l->err) { l->err->code = MBD_UNSUPPORTED; }
  return MBD_UNSUPPORTED;
}
