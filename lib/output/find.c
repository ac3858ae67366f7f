/* Finds the row of the table and the object to which the name of a quantity refers, and writes messages about wrong
 * names. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "output/names.h"

/* ---- from a name to a row of the table ---- */

static int find_object(const mbd_model *m, const output_object *of, const char *name) {
  const char *known;
  if (of->find) { return of->find(m, name); }
  for (int i = 0; !of->relation && (known = of->name(m, i)) != NULL; i++) {
    if (strcmp(known, name) == 0) { return i; }
  }
  return -1;
}

/* The k-th word that refers to a row for this object; NULL past the end. */
static const char *word_at(const mbd_model *m, const output_object *of, const output_ops *ops, int object, int k) {
  if (!ops->quantity) { return of->own_word(m, object, k); }
  return k == 0 ? ops->quantity : NULL;
}

/* The index of a word among these; -1: it is none of them. */
static int find_word(const mbd_model *m, const output_object *of, const output_ops *ops, int object, const char *word) {
  const char *known;
  for (int k = 0; (known = word_at(m, of, ops, object, k)) != NULL; k++) {
    if (strcmp(known, word) == 0) { return k; }
  }
  return -1;
}

/* Scalars of a quantity without its norm. */
int find_count(const mbd_model *m, const output *o) {
  static const int count[] = {[OUTPUT_NUMBER] = 1, [OUTPUT_VECTOR] = 3, [OUTPUT_AXIS] = 3};
  return o->ops->shape == OUTPUT_EQUATIONS ? m->constraint[o->object].ops->nphi : count[o->ops->shape];
}

static int component_fits(const mbd_model *m, const output *o, int component) {
  switch (o->ops->shape) {
    case OUTPUT_NUMBER: return component < 0;
    case OUTPUT_AXIS: return component >= 0 && component < NORM;
    default: return component == NORM || component < find_count(m, o);
  }
}

/* Finds the object of a row to which a name refers, and the index of its word; 0: there is none. */
static int read_row(const mbd_model *m, const asked_name *n, output *o) {
  const int alone = o->ops->quantity && !*o->ops->quantity; /* the object's name is the whole name */
  if (o->ops->quantity && !alone && strcmp(o->ops->quantity, n->quantity) != 0) { return 0; }
  o->object = find_object(m, o->of, alone ? n->full : n->object);
  o->own_word = o->object < 0 || alone ? 0 : find_word(m, o->of, o->ops, o->object, n->quantity);
  return o->object >= 0 && o->own_word >= 0 && component_fits(m, o, alone ? -1 : n->component);
}

static int find_row(const mbd_model *m, const asked_name *n, output *o) {
  for (int i = 0; (o->of = output_object_at(i)) != NULL; i++) {
    for (o->ops = o->of->row; o->ops->doc; o->ops++) {
      if (read_row(m, n, o)) { return 1; }
    }
  }
  return 0;
}

/* ---- names that match a pattern ---- */

static int is_quantity(const char *word) {
  const output_object *of;
  for (int i = 0; (of = output_object_at(i)) != NULL; i++) {
    for (const output_ops *ops = of->row; ops->doc; ops++) {
      if (ops->quantity && *ops->quantity && strcmp(ops->quantity, word) == 0) { return 1; }
    }
  }
  return 0;
}

/* Parses OBJECT.QUANTITY@BODY[.COMPONENT]; 0: it is no such name, and *n is unchanged. */
static int parse_seen(const char *name, asked_name *n) {
  asked_name seen;
  if (!name_parse_seen(name, &seen) || !is_quantity(seen.quantity)) { return 0; }
  *n = seen;
  return 1;
}

/* Returns 1 if the name matches the object and quantity of *s, and writes the name of that output. */
static int match_here(const mbd_model *m, const asked_name *n, output *o, int object, char name[OUTPUT_NAME]) {
  const int alone = o->ops->quantity && !*o->ops->quantity; /* the object's name is the whole name */
  o->object = object;
  if (fnmatch(alone ? n->full : n->object, o->of->name(m, object), FNM_NOESCAPE) != 0) { return 0; }
  if (!alone && find_word(m, o->of, o->ops, object, n->quantity) < 0) { return 0; }
  if (!component_fits(m, o, alone ? -1 : n->component)) { return 0; }
  snprintf(name, OUTPUT_NAME, "%s%s", o->of->name(m, object), alone ? "" : n->full + strlen(n->object));
  return 1;
}

int output_match(const mbd_model *m, output_search *s, char name[OUTPUT_NAME]) {
  asked_name n;
  output o = {0};
  name_parse(s->pattern, &n);
  const int seen = parse_seen(s->pattern, &n);
  for (; (o.of = output_object_at(s->kind)) != NULL; s->kind++, s->row = 0) {
    if (o.of->relation || (seen && !o.of->seen)) { continue; }
    for (o.ops = o.of->row + s->row; o.ops->doc; o.ops++, s->row++, s->object = 0) {
      const char *known;
      for (int i = s->object; (known = o.of->name(m, i)) != NULL; i++) {
        if (!*known || !match_here(m, &n, &o, i, name)) { continue; }
        s->object = i + 1;
        return 1;
      }
    }
  }
  return 0;
}

/* ---- messages about wrong names ---- */

/* Appends the words of an object's quantities: "rate, angle.x, angle.y". */
static void list_words(const mbd_model *m, const output_object *of, int object, char *text, size_t size) {
  const char *word;
  for (const output_ops *ops = of->row; ops->doc; ops++) {
    const int axes = ops->shape == OUTPUT_AXIS ? 3 : 1;
    for (int k = 0; (word = word_at(m, of, ops, object, k)) != NULL; k++) {
      for (int c = 0; *word && c < axes; c++) {
        const size_t at = strlen(text);
        snprintf(text + at, size - at, "%s%s%s%s", at ? ", " : "", word, axes > 1 ? "." : "",
                 axes > 1 ? output_components[c] : "");
      }
    }
  }
}

/* The same of all objects of this name, as of a body that is a node of a beam; and ", did you mean 'WORD'? Else" or "," of their words. */
static void list_all_words(const mbd_model *m, const asked_name *n, char *text, size_t size) {
  const output_object *of;
  text[0] = '\0';
  for (int i = 0; (of = output_object_at(i)) != NULL; i++) {
    const int object = find_object(m, of, n->object);
    if (object >= 0) { list_words(m, of, object, text, size); }
  }
}

static const char *nearest_word(const mbd_model *m, const asked_name *n, char *text, int size) {
  mbd_nearest near = {.requested = n->quantity, .listed = 1};
  const output_object *of;
  const char *word;
  for (int i = 0; (of = output_object_at(i)) != NULL; i++) {
    const int object = find_object(m, of, n->object);
    for (const output_ops *ops = of->row; object >= 0 && ops->doc; ops++) {
      for (int k = 0; (word = word_at(m, of, ops, object, k)) != NULL; k++) {
        if (*word) { mbd_nearest_offer(&near, word); }
      }
    }
  }
  mbd_nearest_text(&near, text, size);
  return *text ? strncat(text, " Else", (size_t)size - strlen(text) - 1) : ",";
}

/* ", did you mean 'slide.distance'? Else" of the coordinates that an object of this name has, else of its words. What an expression has left of
 * 'ground-bar.angle' is 'bar.angle'. */
static const char *nearest_coordinate(const mbd_model *m, const asked_name *n, char *text, int size) {
  mbd_nearest near = {.requested = n->full, .listed = 1};
  const size_t length = strlen(n->object);
  for (int j = 0; j < m->nz - m->nstate; j++) {
    const char *known = m->z_name[j], *minus = strchr(known, '-');
    if (minus && strcmp(minus + 1, n->full) == 0) {
      snprintf(text, (size_t)size, ", did you mean '%.*s_%s', as expressions have '%s'? Else", (int)(minus - known),
               known, n->full, known);
      return text;
    }
    if (strncmp(known, n->object, length) == 0 && known[length] == '.') { mbd_nearest_offer(&near, known); }
  }
  mbd_nearest_text(&near, text, size);
  return *text ? strncat(text, " Else", (size_t)size - strlen(text) - 1) : nearest_word(m, n, text, size);
}

static mbd_status wrong_quantity(const mbd_model *m, const asked_name *n, output *o, mbd_error *err) {
  char known[700], hint[MBD_HINT];
  for (o->ops = o->of->row; o->ops->doc; o->ops++) {
    if (find_word(m, o->of, o->ops, o->object, n->quantity) < 0) { continue; }
    if (o->ops->shape == OUTPUT_NUMBER) {
      MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': '%s.%s' is one number, expected no component", n->full, n->object,
               n->quantity);
    }
    if (o->ops->shape == OUTPUT_EQUATIONS) {
      const int count = find_count(m, o);
      MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': %s '%s' is %s, expected '%s.%s'%s", n->full, o->of->noun, n->object,
               count == 1 ? "one equation" : "two equations", n->object, n->quantity,
               count == 1 ? "" : ", followed by .x, .y, .norm or nothing");
    }
  }
  list_all_words(m, n, known, sizeof known);
  MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': %s '%s' has no quantity '%s'%s expected one of: %s", n->full, o->of->noun,
           n->object, n->quantity, nearest_coordinate(m, n, hint, sizeof hint), known);
}

static mbd_status wrong_name(const mbd_model *m, const asked_name *n, output *o, mbd_error *err) {
  mbd_nearest near = {.requested = n->object};
  char hint[MBD_HINT];
  for (int i = 0; (o->of = output_object_at(i)) != NULL; i++) {
    const char *known;
    o->object = find_object(m, o->of, n->object);
    if (o->object >= 0) { return wrong_quantity(m, n, o, err); }
    for (int k = 0; !o->of->relation && (known = o->of->name(m, k)) != NULL; k++) {
      if (*known) { mbd_nearest_offer(&near, known); }
    }
  }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "output '%s': no point, body, force, constraint or coordinate is called '%s'%s; expected OBJECT.QUANTITY, "
           "as in 'P1.position.x'",
           n->full, n->object, mbd_nearest_text(&near, hint, sizeof hint));
}

/* ---- relations: distance(P1, P2) ---- */

static int find_marker(const mbd_model *m, const char *name, int is_point, const char *where, mbd_error *err) {
  const int marker = model_find_marker(m, name, is_point, where, err);
  return marker >= 0 && model_check_shared(m, name, is_point, where, err) == MBD_OK ? marker : -1;
}

/* A point by its name, or the centre of mass BODY.com; -1: there is none. */
static int find_point(const mbd_model *m, const char *name, const char *where, mbd_error *err) {
  char body[64];
  const char *dot = strrchr(name, '.');
  snprintf(body, sizeof body, "%.*s", dot ? (int)(dot - name) : 0, name);
  const int carrier = dot && strcmp(dot, ".com") == 0 ? model_find_body(m, body) : -1;
  return carrier >= 0 ? model_com_marker(m, carrier) : find_marker(m, name, 1, where, err);
}

static int find_body(const mbd_model *m, const char *name, const char *where, mbd_error *err) {
  const int body = model_find_body(m, name);
  if (body < 0) { model_unknown_body(m, name, 0, where, err); }
  return body;
}

/* A vector by its name, or an axis of a body's frame, BODY.x; -1: there is none. */
static int find_vector(const mbd_model *m, const char *name, const char *where, mbd_error *err) {
  char body[64];
  const char *dot = strrchr(name, '.'), *axis = dot && dot[1] && !dot[2] ? strchr("xyz", dot[1]) : NULL;
  const int is_named = mbd_names_find_part(&m->vector_names, name, strcspn(name, "@")) >= 0; /* of a part, "front.x" */
  snprintf(body, sizeof body, "%.*s", dot ? (int)(dot - name) : 0, name);
  if (axis && !is_named) {
    const int carrier = find_body(m, body, where, err);
    return carrier < 0 ? -1 : model_axis_marker(m, carrier, dot[1] - 'x');
  }
  return find_marker(m, name, 0, where, err);
}

static int find_constraint(const mbd_model *m, const char *name, const char *where, mbd_error *err) {
  mbd_nearest near = {.requested = name};
  for (int i = 0; i < m->nconstraint; i++) {
    if (strcmp(m->constraint[i].name, name) == 0) { return i; }
  }
  for (int i = 0; i < m->nconstraint; i++) { mbd_nearest_offer(&near, m->constraint[i].name); }
  mbd_not_known(where, "constraint", &near, err);
  return -1;
}

/* Kinds of objects in the parentheses of relations, by their letters in output_object.takes. */
static const struct {
  char letter;
  const char *noun;
  int (*find)(const mbd_model *m, const char *name, const char *where, mbd_error *err);
} kinds[] = {{'P', "point", find_point},
             {'V', "vector", find_vector},
             {'B', "body", find_body},
             {'C', "constraint", find_constraint}};

static mbd_status find_references(const mbd_model *m, const asked_name *n, output *o, mbd_error *err) {
  char where[400];
  snprintf(where, sizeof where, "output '%.300s'", n->full);
  for (int i = 0; i < n->nref; i++) {
    int kind = 0;
    while (kinds[kind].letter != o->of->takes[i]) { kind++; }
    o->ref[i] = kinds[kind].find(m, n->ref[i], where, err);
    if (o->ref[i] < 0) { return MBD_BAD_INPUT; }
    /* Those that make one distance, angle or motion are different; a ratio takes three for each of its distances. */
    for (int k = i - i % 3; k < i; k++) {
      if (o->ref[k] == o->ref[i] && o->of->takes[k] == o->of->takes[i]) {
        MBD_FAIL(err, MBD_BAD_INPUT, "%s: '%s' and '%s' are one %s, expected two", where, n->ref[k], n->ref[i],
                 kinds[kind].noun);
      }
    }
  }
  return MBD_OK;
}

/* The kinds of relations that are written with a word, "" for any: "distance(POINT, POINT) or distance(POINT, POINT, VECTOR)". */
static void list_relations(const char *word, char *text, size_t size) {
  const output_object *of;
  text[0] = '\0';
  for (int i = 0; (of = output_object_at(i)) != NULL; i++) {
    const size_t at = strlen(text);
    if (!of->relation || (*word && strcmp(of->relation, word) != 0)) { continue; }
    snprintf(text + at, size - at, "%s%s", at ? " or " : "", of->word);
  }
}

static mbd_status wrong_relation(const asked_name *n, mbd_error *err) {
  mbd_nearest near = {.requested = n->relation, .listed = 1};
  const output_object *of;
  char known[700], hint[MBD_HINT];
  for (int i = 0; (of = output_object_at(i)) != NULL; i++) {
    if (of->relation && strcmp(of->relation, n->relation) == 0) {
      list_relations(n->relation, known, sizeof known);
      MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': %s, expected %s", n->full,
               n->nref < 0 ? "the parenthesis has no end" : "the number of names in parentheses does not fit", known);
    }
    if (of->relation) { mbd_nearest_offer(&near, of->relation); }
  }
  list_relations("", known, sizeof known);
  MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': '%s' is not known%s; expected %s", n->full, n->relation,
           mbd_nearest_text(&near, hint, sizeof hint), known);
}

static mbd_status find_relation(const mbd_model *m, const asked_name *n, output *o, mbd_error *err) {
  for (int i = 0; (o->of = output_object_at(i)) != NULL; i++) {
    if (o->of->relation && strcmp(o->of->relation, n->relation) == 0 && (int)strlen(o->of->takes) == n->nref) { break; }
  }
  if (!o->of) { return wrong_relation(n, err); }
  MBD_TRY(find_references(m, n, o, err));
  for (o->ops = o->of->row; o->ops->doc; o->ops++) {
    if (strcmp(o->ops->quantity, n->quantity) == 0 && component_fits(m, o, n->component)) { return MBD_OK; }
  }
  const char *more = o->of->row[1].doc ? o->of->row[1].quantity : "x";
  MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': '%s' has no quantity '%s%s%s', expected '%s' or '%s.%s'", n->full,
           n->object, n->quantity, *n->quantity && n->component >= 0 ? "." : "",
           n->component >= 0 ? output_components[n->component] : "", n->object, n->object, more);
}

/* ---- quantities relative to a body ---- */

static mbd_status find_seen(const mbd_model *m, const asked_name *n, output *o, mbd_error *err) {
  char where[400];
  snprintf(where, sizeof where, "output '%.300s'", n->full);
  if (!find_row(m, n, o)) { return wrong_name(m, n, o, err); }
  if (!o->of->seen) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: '%s' is a %s; expected a point or a body, whose quantities can be seen from a body", where, n->object,
             o->of->noun);
  }
  o->from = model_find_body(m, n->from);
  if (o->from < 0) { return model_unknown_body(m, n->from, 0, where, err); }
  if (o->from == (o->of == &output_points ? m->marker[o->object].body : o->object)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: %s '%s' does not move as seen from body '%s', expected another body", where,
             o->of->noun, n->object, n->from);
  }
  return MBD_OK;
}

mbd_status find_output(const mbd_model *m, const char *name, asked_name *n, output *o, mbd_error *err) {
  *o = (output){0};
  name_parse(name, n);
  if (*n->relation) { return find_relation(m, n, o, err); }
  if (find_row(m, n, o)) { return MBD_OK; }
  if (parse_seen(name, n)) { return find_seen(m, n, o, err); }
  /* The same with the name of a joint that was found, in which '_' stands for '-'. */
  char found[OUTPUT_NAME];
  asked_name joint;
  if (model_found_joint_name(m, name, found, sizeof found)) {
    name_parse(found, &joint);
    if (find_row(m, &joint, o)) { return MBD_OK; }
  }
  return wrong_name(m, n, o, err);
}
