/* Names in parts: finds what a name means in the file in which it is written, as the full name that the description has for it.
 *
 * A name means something that the file itself describes, or that a part of it describes ("axle.wheel"). Otherwise it is looked up in the
 * file that uses this one, under the same name or under the name to which the section [part NAME] maps it, and so on outwards; so is the ground, in
 * place of which a part can stand on another body. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"
#include "mbd/beam.h"
#include "mbd/output.h"

/* ---- one name ---- */

/* 1: the first word of the name is a part of this part. */
static int is_inside(const model_part *p, const char *name) {
  char first[MBO_FULL_NAME_MAX + 1];
  const size_t n = strcspn(name, ".");
  if (name[n] != '.' || n >= sizeof first) { return 0; }
  memcpy(first, name, n);
  first[n] = '\0';
  return ini_find(&p->f, "part", first) != NULL;
}

/* 1: the text is the amplitude of a shape of a beam, "up1", or a quantity of it, "up1.rate". */
static int is_shape(const char *text) {
  static const char *const kinds[] = {"up", "side", "twist", "stretch", "shear_up", "shear_side"};
  for (int k = 0; k < MBD_BEAM_KINDS; k++) {
    const size_t n = strlen(kinds[k]), digits = strncmp(text, kinds[k], n) == 0 ? strspn(text + n, "0123456789") : 0;
    if (digits > 0 && strchr(".", text[n + digits])) { return 1; }
  }
  return 0;
}

/* 1: a body whose nodes and shapes are in a file, where they are looked up by the description. */
static int has_data(const ini_section *body) {
  return body && ini_find_entry(body, "modal_data") != NULL;
}

/* 1: a beam of the part has the body or the coordinate of this name: "rod", "rod.tip", "rod.up1"; or a body with data from outside may. */
static int is_of_beam(const model_part *p, const char *kind, const char *name) {
  const size_t n = strcspn(name, ".");
  char *beam = mbd_strndup(name, n);
  const int found = beam && ini_find(&p->f, "beam", beam) != NULL;
  const int by_data = beam && name[n] && has_data(ini_find(&p->f, "body", beam));
  free(beam);
  if (by_data) { return strcmp(kind, "body") == 0 || strcmp(kind, "coordinate") == 0; }
  return found && (strcmp(kind, "body") == 0 || (strcmp(kind, "coordinate") == 0 && name[n] && is_shape(name + n + 1)));
}

static int has(const model_part *p, const char *kind, const char *name) {
  return is_of_beam(p, kind, name) || ini_find(&p->f, kind, name) != NULL || is_inside(p, name);
}

/* The name of the same object in the outer file. */
static const char *outside(const model_part *p, const char *kind, const char *name) {
  char key[2 * MBO_FULL_NAME_MAX];
  snprintf(key, sizeof key, "%s.%.*s", kind, MBO_FULL_NAME_MAX, name);
  const ini_entry *e = ini_get(p->section, key);
  return e ? e->value : name;
}

static mbd_status copy(const loader *l, const char *prefix, const char *name, char **full) {
  *full = mbd_sprintf_dup("%s%s", prefix, name);
  return *full ? MBD_OK : load_no_memory(l);
}

mbd_status load_name(loader *l, const char *kind, const char *name, char **full) {
  const model_part *p = l->p;
  while (p->outer && !has(p, kind, name)) {
    name = outside(p, kind, name);
    p = p->outer;
  }
  return copy(l, p->prefix, name, full);
}

ini_section *load_find(const loader *l, const char *kind, const char *full) {
  char prefix[2 * MBO_FULL_NAME_MAX];
  const char *dot = strrchr(full, '.'), *name = dot ? dot + 1 : full;
  if ((size_t)(name - full) >= sizeof prefix) { return NULL; }
  memcpy(prefix, full, (size_t)(name - full));
  prefix[name - full] = '\0';
  const int at = name_index_find(&l->part_at, prefix, "");
  return at < 0 ? NULL : ini_find(&l->part[at]->f, kind, name);
}

/* ---- curves of the load case ---- */

const char *load_curve_instead(const loader *l, const char *name) {
  const mbo_pairs *pairs = l->of_case ? &l->of_case->curves : NULL;
  for (int i = 0; name && pairs && i < pairs->name.n; i++) {
    if (strcmp(pairs->name.v[i], name) == 0) { return pairs->text.v[i]; }
  }
  return name;
}

/* ---- bodies ---- */

/* 1: the node of a beam that its key `nodes` lists. */
static int lists_node(const ini_section *beam, const char *node) {
  const ini_entry *e = ini_find_entry(beam, "nodes");
  const size_t n = strlen(node);
  for (const char *at = e ? e->value : NULL; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    at += strspn(at, " \t");
    if (strncmp(at, node, n) == 0 && strchr(" :", at[n])) { return 1; }
  }
  return strcmp(node, "tip") == 0;
}

/* "rod" of a beam, "rod.tip", "rod.NODE"; of a body with data from outside "casing.NODE". */
static int is_beam_body(const loader *l, const char *full) {
  const char *dot = strrchr(full, '.');
  if (load_find(l, "beam", full)) { return 1; }
  char *stem = dot ? mbd_strndup(full, (size_t)(dot - full)) : NULL;
  const ini_section *beam = stem ? load_find(l, "beam", stem) : NULL;
  const int by_data = stem && has_data(load_find(l, "body", stem));
  free(stem);
  if (by_data) { return 1; }
  return beam && lists_node(beam, dot + 1);
}

static int is_body(const loader *l, const char *full) {
  return strcmp(full, "ground") == 0 || load_find(l, "body", full) || is_beam_body(l, full);
}

mbd_status load_body_name(loader *l, const ini_section *s, const ini_entry *e, const char *name, char **full) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  MBD_TRY(load_name(l, "body", name, full));
  if (is_body(l, *full)) { return MBD_OK; }
  mbd_nearest_offer(&near, "ground");
  for (const model_part *p = l->p; p; p = p->outer) {
    ini_offer_names(&p->f, "body", &near), ini_offer_names(&p->f, "beam", &near);
  }
  free(*full);
  *full = NULL;
  return load_fail(l, s, e, "body '%s' is not known%s", name, mbd_nearest_text(&near, hint, sizeof hint));
}

/* ---- coordinates ---- */

/* 1: the name begins with that of a joint of the part and a dot. */
static int is_of_joint(const model_part *p, const char *name) {
  char joint[MBO_FULL_NAME_MAX + 1];
  for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
    if ((size_t)(dot - name) >= sizeof joint) { return 0; }
    memcpy(joint, name, (size_t)(dot - name));
    joint[dot - name] = '\0';
    if (ini_find(&p->f, "joint", joint)) { return 1; }
  }
  return 0;
}

/* "A-B.angle" of a joint that is found between two bodies, or with sign = '_' "A_B.angle", as expressions need it: *full is "A-B.angle" with
 * their full names. *full NULL: it is no such coordinate. `stem`: "A-B", which is changed and restored. */
static mbd_status between_bodies(loader *l, char *stem, char sign, const char *quantity, char **full) {
  *full = NULL;
  for (char *dash = strchr(stem, sign); dash && !*full; dash = strchr(dash + 1, sign)) {
    char *a = NULL, *b = NULL;
    *dash = '\0';
    mbd_status status = load_name(l, "body", stem, &a);
    if (status == MBD_OK) { status = load_name(l, "body", dash + 1, &b); }
    if (status == MBD_OK && is_body(l, a) && is_body(l, b)) {
      *full = mbd_sprintf_dup("%s-%s.%s", a, b, quantity);
      if (!*full) { status = load_no_memory(l); }
    }
    free(a), free(b);
    *dash = sign;
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* "A-B.angle" or, for a floating body, "A.x"; also with a quantity of the coordinate, "A-B.angle.rate". */
static mbd_status of_bodies(loader *l, const char *name, char sign, char **full) {
  mbd_status status = MBD_OK;
  *full = NULL;
  for (const char *dot = strchr(name, '.'); dot && status == MBD_OK && !*full; dot = strchr(dot + 1, '.')) {
    char *stem = mbd_strndup(name, (size_t)(dot - name));
    if (!stem) { return load_no_memory(l); }
    if (ini_find(l->f, "body", stem)) {
      status = copy(l, l->p->prefix, name, full);
    } else {
      status = between_bodies(l, stem, sign, dot + 1, full);
    }
    free(stem);
  }
  return status;
}

/* Looks in the present part and then outwards. *full NULL: there is none; *mapped is then the name in the outermost file. */
static mbd_status find_coordinate(loader *l, const char **mapped, char sign, char **full) {
  model_part *const from = l->p;
  mbd_status status = MBD_OK;
  const char *name = *mapped;
  *full = NULL;
  for (;;) {
    model_part *p = l->p;
    if (has(p, "coordinate", name) || is_of_joint(p, name)) {
      status = copy(l, p->prefix, name, full);
    } else if (!p->outer || strcmp(outside(p, "coordinate", name), name) == 0) { /* otherwise it is mapped */
      status = of_bodies(l, name, sign, full);
    }
    if (*full || status != MBD_OK || !p->outer) { break; }
    name = outside(p, "coordinate", name);
    load_enter(l, p->outer);
  }
  load_enter(l, from);
  *mapped = name;
  return status;
}

static mbd_status load_coordinate(loader *l, const char *name, char **full) {
  const char *mapped = name;
  MBD_TRY(find_coordinate(l, &mapped, '-', full));
  if (!*full) { MBD_TRY(find_coordinate(l, &name, '_', full)); }
  return *full ? MBD_OK : copy(l, "", mapped, full);
}

/* ---- references of elements and of the start ---- */

/* "P" or "P@A" */
static mbd_status load_marker(loader *l, const char *kind, const char *name, char **full) {
  const char *at = strchr(name, '@');
  if (!at) { return load_name(l, kind, name, full); }
  char *plain = mbd_strndup(name, (size_t)(at - name)), *marker = NULL, *body = NULL;
  mbd_status status = plain ? load_name(l, kind, plain, &marker) : load_no_memory(l);
  if (status == MBD_OK) { status = load_name(l, "body", at + 1, &body); }
  *full = status == MBD_OK ? mbd_sprintf_dup("%s@%s", marker, body) : NULL;
  free(plain), free(marker), free(body);
  return status != MBD_OK || *full ? status : load_no_memory(l);
}

mbd_status load_reference(loader *l, mbd_ref_kind kind, const char *name, char **full) {
  switch (kind) {
    case MBD_REF_POINT: return load_marker(l, "point", name, full);
    case MBD_REF_VECTOR:
    case MBD_REF_FRAME: return load_marker(l, "vector", name, full);
    case MBD_REF_BODY: return load_name(l, "body", name, full);
    case MBD_REF_PLUGIN:
    case MBD_REF_LINE:
    case MBD_REF_VALUE:
    case MBD_REF_COORDINATE: break;
  }
  return load_coordinate(l, name, full);
}

/* ---- outputs ---- */

static const char *const object_kinds[] = {"body",     "point", "force",  "constraint", "joint", "coordinate",
                                           "quantity", "state", "vector", "part",       "beam",  NULL};

/* 1: an object of the part has this name. *other: else, the name that [part NAME] maps it to in the outer file; NULL: none. */
static int is_object(const model_part *p, const char *head, const char **other) {
  *other = NULL;
  for (int k = 0; object_kinds[k]; k++) {
    const ini_section *s = ini_find(&p->f, object_kinds[k], head);
    if (!s) { continue; }
    const ini_entry *value = ini_find_entry(s, "value");
    if (value && value->set) { value->set->used = 1; } /* a quantity that the outer file gives is not in vain */
    return 1;
  }
  for (int k = 0; object_kinds[k] && p->outer && !*other; k++) {
    const char *name = outside(p, object_kinds[k], head);
    if (name != head) { *other = name; }
  }
  return 0;
}

/* An object with its quantity, as named in part p. *full: its full name where the part has it; *renamed: its name in the outer file
 * where it is mapped; else both are NULL. */
static mbd_status object_in(const loader *l, const model_part *p, const char *name, char **full, char **renamed) {
  *full = *renamed = NULL;
  for (size_t n = strcspn(name, ".");; n += 1 + strcspn(name + n + 1, ".")) {
    const char *other;
    char *head = mbd_strndup(name, n);
    if (!head) { return load_no_memory(l); }
    const int found = is_object(p, head, &other);
    if (found) { *full = mbd_sprintf_dup("%s%s", p->prefix, name); }
    if (other) { *renamed = mbd_sprintf_dup("%s%s", other, name + n); }
    free(head);
    if ((found && !*full) || (other && !*renamed)) { return load_no_memory(l); }
    if (found || other || !name[n]) { return MBD_OK; }
  }
}

/* Looks a name up in the current part, then in the files that use it, from the inside to the outside. */
static mbd_status load_object(loader *l, const char *name, char **full) {
  char *at_hand = mbd_strdup(name);
  mbd_status status = at_hand ? MBD_OK : load_no_memory(l);
  if (strchr(name, '-')) {
    free(at_hand);
    return load_coordinate(l, name, full);
  }
  *full = NULL;
  for (const model_part *p = l->p; p && status == MBD_OK && !*full; p = p->outer) {
    char *renamed;
    status = object_in(l, p, at_hand, full, &renamed);
    if (renamed) { free(at_hand), at_hand = renamed; }
  }
  /* No object of its own: the joint that is found between two bodies, or a name that the description looks for. */
  if (status == MBD_OK && !*full) { status = load_coordinate(l, at_hand, full); }
  free(at_hand);
  return status;
}

/* The length of "integral(...)", up to the parenthesis that belongs to the first one; 0: it has no end. */
static size_t integral_span(const char *text) {
  int depth = 0;
  for (const char *c = text; *c; c++) {
    depth += (*c == '(') - (*c == ')');
    if (*c == ')' && depth == 0) { return (size_t)(c - text) + 1; }
  }
  return 0;
}

size_t load_name_span(const char *text) {
  if (load_is_integral(text) && integral_span(text)) { return integral_span(text); }
  const int is_sum = strncmp(text, "sum(", 4) == 0 || strncmp(text, "mean(", 5) == 0;
  const char *end = is_sum ? strchr(text, ')') : NULL;
  return end ? (size_t)(end - text) + 1 : mbd_output_name_span(text);
}

/* Appends n characters at `name` to *text; where these name an object, its full name. */
static mbd_status append(loader *l, char **text, const char *name, size_t n, int is_name) {
  char *plain = mbd_strndup(name, n), *full = NULL;
  mbd_status status = !plain ? load_no_memory(l) : is_name ? load_object(l, plain, &full) : MBD_OK;
  char *longer = status == MBD_OK ? mbd_sprintf_dup("%s%s", *text, is_name ? full : plain) : NULL;
  free(plain), free(full);
  if (status == MBD_OK && !longer) { status = load_no_memory(l); }
  if (!longer) { return status; }
  free(*text);
  *text = longer;
  return MBD_OK;
}

/* Objects are named at the beginning, after '@', and in the parentheses of a relation. Patterns of sums match names of the part. */
mbd_status load_output(loader *l, const char *name, char **full) {
  const int sum = strncmp(name, "sum(", 4) == 0 || strncmp(name, "mean(", 5) == 0;
  *full = mbd_strdup("");
  mbd_status status = *full ? MBD_OK : load_no_memory(l);
  /* An object is named at the beginning, unless the word there is that of a relation or a sum. */
  int begins = !strchr(name, '(');
  for (const char *c = name; *c && status == MBD_OK;) {
    /* The text up to the next separator is the name of an object or is copied as it is. */
    const size_t n = strcspn(c, "@(,) \t");
    if (n && begins) { status = append(l, full, c, n, 1); }
    if (n && !begins) { status = append(l, full, c, n, 0); }
    c += n;
    if (status != MBD_OK || !*c) { break; }
    /* An object follows '@', '(' and ','; blanks before it change nothing. */
    begins = *c == '@' || *c == '(' || *c == ',' || (begins && !n);
    status = append(l, full, c, 1, 0);
    /* The pattern of a sum gets the prefix of the part and is not looked up. */
    if (status == MBD_OK && sum && *c == '(') {
      status = append(l, full, l->p->prefix, strlen(l->p->prefix), 0);
      begins = 0;
    }
    c++;
  }
  if (status == MBD_OK) { return MBD_OK; }
  free(*full);
  *full = NULL;
  return status;
}
