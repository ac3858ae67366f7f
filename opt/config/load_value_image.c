/* Values of forces in parts that are turned or mirrored. A value is as it is written, so that the force is the image only where all that it reads
 * has the same value in the image of the motion, with M of load_place.c:
 *   a component k of a vector y, as in P.velocity.x                  M e_k = e_k, of rotations det(M) M e_k = e_k
 *   distance(P, Q, v)                                                v is reflected as a direction
 *   angle(u, v), angle(u, v, n)                                      u and v are reflected alike, n as an axis
 *   coordinates, lengths, other forces                               always, but for those of tyres and bushings along their axes
 * Quantities and states have it where all that is in them has it. What the outer file gives, quantity.NAME, is meant for that part: it is the image
 * where it is that of the outer part, which the model file itself always is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/load_model.h"
#include "files/text_list.h"

enum { NONE, AS_DIRECTION, AS_AXIS };      /* how a vector is reflected */
enum { NAME_MAX = 400, WORDS_MAX = 1000 }; /* quantities that are read; circles of them are reported elsewhere */

typedef struct reader {
  loader *l;
  const part_place *place; /* M */
  int words;               /* quantities and states that have been read */
  char found[NAME_MAX];    /* the first name that has another value in the image; "": none */
} reader;

/* 1: component k of a vector, or of a rotation, is the same in the image. */
static int keeps_component(const part_place *place, int k, int rotation) {
  const double sign = rotation && place->mirrored ? -1 : 1;
  int same = 1;
  for (int i = 0; i < 3; i++) { same &= sign * place->M[3 * i + k] == (i == k); }
  return same;
}

/* The component that a word names, or that an angle is of; -1: none. */
static int component_of(const char *word) {
  static const char *const words[] = {"x", "y", "z", "roll", "pitch", "yaw", "roll_rate", "pitch_rate", "yaw_rate"};
  for (int i = 0; i < 9; i++) {
    if (strcmp(word, words[i]) == 0) { return i % 3; }
  }
  return -1;
}

/* Cuts the last word off a name; returns it. */
static const char *cut_word(char *name) {
  char *dot = strrchr(name, '.');
  if (dot) { *dot = '\0'; }
  return dot ? dot + 1 : name;
}

/* ---- outputs of relations ---- */

static mbd_status vector_image(const reader *r, char *name, int *as) {
  mbd_image image;
  name[strcspn(name, "@")] = '\0';
  const ini_section *s = ini_find(r->l->f, "vector", name);
  *as = NONE;
  if (!s) { /* BODY.x, an axis of a body */
    const int k = strchr(name, '.') ? component_of(cut_word(name)) : -1;
    if (k >= 0 && keeps_component(r->place, k, 0)) { *as = AS_DIRECTION; }
    return MBD_OK;
  }
  *as = AS_DIRECTION;
  if (!r->place->mirrored) { return MBD_OK; }
  MBD_TRY(load_vector_image(r->l, s, &image));
  if (image == MBD_IMAGE_AXIS) { *as = AS_AXIS; }
  return MBD_OK;
}

/* A relation with its arguments, which are behind the parenthesis. */
static mbd_status relation_is_same(const reader *r, char *name, int *same) {
  const int angle = strncmp(name, "angle", 5) == 0, mirrored = r->place->mirrored;
  int n = 0, as[3] = {NONE};
  for (char *c = strchr(name, '('); *c && *c != ')' && n < 3; n++) {
    char *argument = c + 1 + strspn(c + 1, " ");
    c = argument + strcspn(argument, ",) ");
    const size_t length = (size_t)(c - argument);
    c += strspn(c, " ");
    const char end = *c;
    argument[length] = '\0';
    if (angle || n == 2) { MBD_TRY(vector_image(r, argument, &as[n])); }
    *c = end;
  }
  if (angle) {
    *same = as[0] && as[1] && (!mirrored || as[0] == as[1]) && (n < 3 || (as[2] && (!mirrored || as[2] == AS_AXIS)));
  } else {
    *same = n < 3 || as[2] == AS_DIRECTION || (as[2] && !mirrored);
  }
  return MBD_OK;
}

/* ---- names in an expression ---- */

/* OBJECT.QUANTITY; the text is changed. */
static mbd_status output_is_same(const reader *r, char *name, int *same) {
  static const char *const rotations[] = {"rate", "angular_acceleration", "angle", NULL};
  static const char *const along[] = {"lateral", "slip_angle", "camber",   "overturning", "aligning", "force_x",
                                      "force_y", "force_z",    "moment_x", "moment_y",    "moment_z", NULL};
  char *full, *rate = strrchr(name, '.');
  if (rate && strcmp(rate, ".rate") == 0) { *rate = '\0'; } /* of a coordinate, as the coordinate */
  MBD_TRY(load_reference(r->l, MBD_REF_COORDINATE, name, &full));
  *same = load_coordinate_sign(r->l, full) == 1;
  free(full);
  /* P.velocity.x, A.yaw, P.velocity@A.x, A.yaw@B, or the coordinate A.x of a floating body. */
  char *at = strchr(name, '@');
  const char *seen = at && strrchr(at, '.') ? strrchr(at, '.') + 1 : "";
  if (at) { *at = '\0'; }
  const char *word = cut_word(name);
  int k = component_of(word), rotation = text_is_among(word, rotations);
  if (k >= 0) {
    rotation = word[1] || text_is_among(cut_word(name), rotations); /* an angle, or a component */
  } else {
    k = component_of(seen);
  }
  if (k >= 0) { *same = keeps_component(r->place, k, rotation); }
  if (r->place->mirrored && text_is_among(word, along)) { *same = 0; }
  return MBD_OK;
}

static mbd_status read_expression(reader *r, const char *text);

/* An expression with the names of a part, in the image by M of `place`. */
static mbd_status read_within(reader *r, model_part *of, const part_place *place, const char *text) {
  model_part *const from = r->l->p;
  const part_place *const before = r->place;
  load_enter(r->l, of);
  r->place = place;
  const mbd_status status = ++r->words > WORDS_MAX ? MBD_OK : read_expression(r, text);
  r->place = before;
  load_enter(r->l, from);
  return status;
}

/* A quantity or a state, by what is in it. */
static mbd_status read_word(reader *r, model_part *p, const char *name) {
  char key[NAME_MAX + 10];
  snprintf(key, sizeof key, "quantity.%s", name);
  for (; p; p = p->outer) {
    const ini_section *quantity = ini_find(&p->f, "quantity", name), *state = ini_find(&p->f, "state", name);
    const ini_entry *e = quantity ? ini_find_entry(quantity, "value")
                         : state  ? ini_find_entry(state, "rate")
                                  : NULL,
                    *given = p->outer ? ini_find_entry(p->section, key) : NULL;
    if (given) { return read_within(r, p->outer, &p->outer->place, given->value); }
    if (e) { return read_within(r, p, r->place, e->value); }
  }
  return MBD_OK;
}

/* The part of which PART.NAME is a name, which is cut off; the present one: it is of none. */
static model_part *part_of_name(const loader *l, const char **name) {
  model_part *p = l->p;
  for (;;) {
    char prefix[2 * NAME_MAX];
    const size_t n = strcspn(*name, ".");
    if (!(*name)[n]) { return p; }
    snprintf(prefix, sizeof prefix, "%s%.*s.", p->prefix, (int)n, *name);
    const int at = name_index_find(&l->part_at, prefix, "");
    if (at < 0) { return p; }
    p = l->part[at], *name += n + 1;
  }
}

/* The quantities of the part that a pattern may mean. */
static mbd_status read_matching(reader *r, const char *pattern) {
  model_part *const p = r->l->p;
  for (int i = 0; i < p->f.n; i++) {
    const ini_section *s = &p->f.section[i];
    if (strcmp(s->kind, "quantity") != 0 || strncmp(s->name, pattern, strcspn(pattern, "*")) != 0) { continue; }
    MBD_TRY(read_word(r, p, s->name));
  }
  return MBD_OK;
}

static mbd_status read_name(reader *r, const char *name) {
  char copy[NAME_MAX];
  int same = 1;
  if (strlen(name) >= sizeof copy) { return MBD_OK; }
  memcpy(copy, name, strlen(name) + 1);
  if (load_is_integral(name)) {
    copy[strlen(name) - 1] = '\0';
    return read_expression(r, copy + strlen(MBO_INTEGRAL));
  }
  const char *within = name, *of = strncmp(name, "sum(", 4) == 0    ? copy + 4
                                   : strncmp(name, "mean(", 5) == 0 ? copy + 5
                                                                    : NULL;
  if (of) {
    copy[strlen(name) - 1] = '\0';
    if (!strchr(of, '.')) { return read_matching(r, of); }
    MBD_TRY(output_is_same(r, copy + (of - copy), &same));
  } else if (strchr(name, '(')) {
    MBD_TRY(relation_is_same(r, copy, &same));
  } else {
    model_part *const p = part_of_name(r->l, &within);
    if (!strchr(within, '.')) { return read_word(r, p, within); }
    MBD_TRY(output_is_same(r, copy, &same));
  }
  if (!same && !*r->found) { memcpy(r->found, name, strlen(name) + 1); }
  return MBD_OK;
}

static mbd_status read_expression(reader *r, const char *text) {
  mbo_expr x;
  mbd_status status = MBD_OK;
  if (mbo_expr_parse_names(text, load_name_span, &x, NULL) != MBD_OK) { return MBD_OK; } /* reported elsewhere */
  for (int i = 0; i < x.nname && status == MBD_OK && !*r->found; i++) { status = read_name(r, x.name[i]); }
  mbo_expr_free(&x);
  return status;
}

mbd_status load_check_value_image(loader *l, const ini_section *s, const ini_entry *e, const char *text) {
  reader r = {.l = l, .place = &l->p->place};
  if (!l->p->place.turned) { return MBD_OK; }
  MBD_TRY(read_expression(&r, text));
  if (!*r.found) { return MBD_OK; }
  return load_fail(
      l, s, e,
      "part '%s' is %s, where '%s' is not what it is in the part as written, so that the force would not be the image; "
      "expected what is the same on both sides: coordinates of joints, distance(P, Q), distance(P, Q, VECTOR) of a "
      "vector of the part, their rates; or [quantity NAME] in its place, which [part %s] gives: quantity.NAME = "
      "EXPRESSION",
      l->p->name, l->p->place.mirrored ? "mirrored" : "turned", r.found, l->p->section->name);
}
