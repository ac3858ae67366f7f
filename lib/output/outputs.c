/* From the name of a quantity, OBJECT.QUANTITY[.COMPONENT], to outputs. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "output/derived.h"

mbd_status mbd_outputs_create(const mbd_model *m, mbd_outputs **out, mbd_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  (*out)->model = m;
  return MBD_OK;
}

static void formula_destroy(output_formula *f) {
  if (!f) { return; }
  mbd_outputs_destroy(f->input);
  free(f->node);
  free(f);
}

void outputs_drop_last(mbd_outputs *o) {
  output *q = &o->item[--o->n];
  free(q->name);
  lift_destroy(&q->lift);
  formula_destroy(q->formula);
}

void mbd_outputs_destroy(mbd_outputs *o) {
  if (!o) { return; }
  while (o->n > 0) { outputs_drop_last(o); }
  free(o->item);
  free(o);
}

int mbd_outputs_count(const mbd_outputs *o) {
  return o->n;
}
const char *mbd_outputs_name(const mbd_outputs *o, int i) {
  return o->item[i].name;
}
const char *mbd_outputs_unit(const mbd_outputs *o, int i) {
  return o->item[i].unit;
}
int output_looks_at_axes(const mbd_model *m, const output *o) {
  const mbd_lift *l = &o->lift;
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_VECTOR && l->arg[a].b >= m->nmarker_core) { return 1; }
  }
  for (int i = 0; o->formula && i < o->formula->input->n; i++) {
    if (output_looks_at_axes(m, &o->formula->input->item[i])) { return 1; }
  }
  return 0;
}

int mbd_outputs_is_repeated(const mbd_outputs *o, int i) {
  for (int k = 0; k < i; k++) {
    if (strcmp(o->item[k].name, o->item[i].name) == 0) { return 1; }
  }
  return 0;
}
int mbd_outputs_coordinate(const mbd_outputs *o, int i) {
  return o->item[i].of == &output_coordinates ? o->item[i].object : -1;
}
int mbd_outputs_multiplier(const mbd_outputs *o, int i) {
  const output *q = &o->item[i];
  return q->of == &output_multipliers && q->component < 3 ? o->model->constraint[q->object].row + q->component : -1;
}

/* ---- names ---- */

static const char *const components[] = {"x", "y", "z", "norm"};
enum { NORM = 3, N_COMPONENTS = 4 };

typedef struct asked_name {
  const char *full;
  char object[256];  /* "P2", "J1.angle" */
  char quantity[64]; /* "position" */
  int component;     /* 0..2: x y z; NORM; -1: none given */
} asked_name;

static int component_of(const char *word) {
  for (int k = 0; k < N_COMPONENTS; k++) {
    if (strcmp(word, components[k]) == 0) { return k; }
  }
  return -1;
}

/* Objects may contain dots ("J1.angle"), so the name is read from its end. */
static void parse_name(const char *name, asked_name *n) {
  *n = (asked_name){.full = name, .component = -1};
  snprintf(n->object, sizeof n->object, "%s", name);
  char *dot = strrchr(n->object, '.');
  if (dot && component_of(dot + 1) >= 0) {
    n->component = component_of(dot + 1);
    *dot = '\0';
    dot = strrchr(n->object, '.');
  }
  if (dot) {
    snprintf(n->quantity, sizeof n->quantity, "%s", dot + 1);
    *dot = '\0';
  }
}

/* ---- from a name to a row of the table ---- */

static int find_object(const mbd_model *m, const output_object *of, const char *name) {
  const char *known;
  if (of->find) { return of->find(m, name); }
  for (int i = 0; (known = of->name(m, i)) != NULL; i++) {
    if (strcmp(known, name) == 0) { return i; }
  }
  return -1;
}

/* k-th word by which a row can be asked for of this object; NULL past the end. */
static const char *word_at(const mbd_model *m, const output_object *of, const output_ops *q, int object, int k) {
  if (!q->quantity) { return of->own(m, object, k); }
  return k == 0 ? q->quantity : NULL;
}

/* Which of them is this one; -1: none. */
static int find_word(const mbd_model *m, const output_object *of, const output_ops *q, int object, const char *word) {
  const char *known;
  for (int k = 0; (known = word_at(m, of, q, object, k)) != NULL; k++) {
    if (strcmp(known, word) == 0) { return k; }
  }
  return -1;
}

/* Scalars of a quantity without its norm. */
static int count_of(const mbd_model *m, const output *o) {
  static const int count[] = {[OUTPUT_NUMBER] = 1, [OUTPUT_VECTOR] = 3, [OUTPUT_AXIS] = 3};
  return o->ops->shape == OUTPUT_EQUATIONS ? m->constraint[o->object].ops->nphi : count[o->ops->shape];
}

static int component_fits(const mbd_model *m, const output *o, int component) {
  switch (o->ops->shape) {
    case OUTPUT_NUMBER: return component < 0;
    case OUTPUT_AXIS: return component >= 0 && component < NORM;
    default: return component == NORM || component < count_of(m, o);
  }
}

/* The object of a row that a name means, and which of its own words; 0: it means none. */
static int read_row(const mbd_model *m, const asked_name *n, output *o) {
  const int alone = o->ops->quantity && !*o->ops->quantity; /* the object's name is the whole name */
  if (o->ops->quantity && !alone && strcmp(o->ops->quantity, n->quantity) != 0) { return 0; }
  o->object = find_object(m, o->of, alone ? n->full : n->object);
  o->own = o->object < 0 || alone ? 0 : find_word(m, o->of, o->ops, o->object, n->quantity);
  return o->object >= 0 && o->own >= 0 && component_fits(m, o, alone ? -1 : n->component);
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

/* Whether the object and quantity that *s is at match; the name of that output. */
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
  parse_name(s->pattern, &n);
  for (; (o.of = output_object_at(s->kind)) != NULL; s->kind++, s->row = 0) {
    if (o.of == &output_derived) { continue; }
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

/* ---- what is wrong with a name ---- */

/* The words of an object's quantities: "rate, angle.x, angle.y". */
static void list_words(const mbd_model *m, const output_object *of, int object, char *text, size_t size) {
  const char *word;
  text[0] = '\0';
  for (const output_ops *q = of->row; q->doc; q++) {
    const int axes = q->shape == OUTPUT_AXIS ? 3 : 1;
    for (int k = 0; (word = word_at(m, of, q, object, k)) != NULL; k++) {
      for (int c = 0; *word && c < axes; c++) {
        const size_t at = strlen(text);
        snprintf(text + at, size - at, "%s%s%s%s", at ? ", " : "", word, axes > 1 ? "." : "",
                 axes > 1 ? components[c] : "");
      }
    }
  }
}

static mbd_status wrong_quantity(const mbd_model *m, const asked_name *n, output *o, mbd_error *err) {
  char known[400];
  for (o->ops = o->of->row; o->ops->doc; o->ops++) {
    if (find_word(m, o->of, o->ops, o->object, n->quantity) < 0) { continue; }
    if (o->ops->shape == OUTPUT_NUMBER) {
      MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': '%s.%s' is one number, expected no component", n->full, n->object,
               n->quantity);
    }
    if (o->ops->shape == OUTPUT_EQUATIONS) {
      const int count = count_of(m, o);
      MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': %s '%s' is %s, expected '%s.%s'%s", n->full, o->of->noun, n->object,
               count == 1 ? "one equation" : "two equations", n->object, n->quantity,
               count == 1 ? "" : ", followed by .x, .y, .norm or nothing");
    }
  }
  list_words(m, o->of, o->object, known, sizeof known);
  MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': %s '%s' has no quantity '%s', expected one of: %s", n->full, o->of->noun,
           n->object, n->quantity, known);
}

static mbd_status wrong_name(const mbd_model *m, const asked_name *n, output *o, mbd_error *err) {
  mbd_nearest near = {.wanted = n->object};
  char hint[128];
  for (int i = 0; (o->of = output_object_at(i)) != NULL; i++) {
    const char *known;
    o->object = find_object(m, o->of, n->object);
    if (o->object >= 0) { return wrong_quantity(m, n, o, err); }
    for (int k = 0; (known = o->of->name(m, k)) != NULL; k++) {
      if (*known) { mbd_nearest_offer(&near, known); }
    }
  }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "output '%s': no point, body, force, constraint or coordinate is called '%s'%s; expected OBJECT.QUANTITY, "
           "as in 'P1.position.x'",
           n->full, n->object, mbd_nearest_text(&near, hint, sizeof hint));
}

/* ---- making outputs ---- */

static int find(const mbd_outputs *o, const char *name) {
  for (int i = 0; i < o->n; i++) {
    if (strcmp(o->item[i].name, name) == 0) { return i; }
  }
  return -1;
}

/* Of one of several: "P1.position.x"; of one: the name as it was asked for, or "rod.multiplier". */
static void name_scalar(const mbd_model *m, const asked_name *n, const output *o, int component, char *text,
                        size_t size) {
  const output_shape shape = o->ops->shape;
  if (shape == OUTPUT_NUMBER) {
    snprintf(text, size, "%s", n->full);
  } else if (shape == OUTPUT_EQUATIONS && count_of(m, o) == 1 && component < NORM) {
    snprintf(text, size, "%s.%s", n->object, n->quantity);
  } else {
    snprintf(text, size, "%s.%s.%s", n->object, n->quantity, components[component]);
  }
}

/* `made` with its component, as the last of the list. */
static mbd_status append(mbd_outputs *o, const output *made, const char *name, int component, mbd_error *err) {
  const mbd_model *m = o->model;
  output *grown = mbd_list_grow(o->item, o->n, sizeof *o->item);
  if (!grown) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  o->item = grown;
  output *q = &grown[o->n];
  *q = *made;
  q->component = component;
  q->unit = q->ops->unit ? q->ops->unit : q->ops->unit_of(m, q);
  q->name = mbd_strdup(name);
  if (!q->name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  o->n++;
  if (!q->ops->arguments) { return MBD_OK; }
  q->ops->arguments(m, q, &q->lift);
  return lift_create(m, &q->lift, 0, err);
}

mbd_status outputs_add(mbd_outputs *o, const char *quantity, int *first, int *count, mbd_error *err) {
  const mbd_model *m = o->model;
  output made = {0};
  asked_name n;
  char name[OUTPUT_NAME];
  parse_name(quantity, &n);
  if (!find_row(m, &n, &made)) { return wrong_name(m, &n, &made, err); }
  if (made.of->check) {
    snprintf(name, sizeof name, "output '%.300s'", quantity);
    MBD_TRY(made.of->check(m, n.object, name, err));
  }
  if (made.ops->check) { MBD_TRY(made.ops->check(&made, m, quantity, err)); }
  const int all = n.component < 0 || made.ops->shape == OUTPUT_NUMBER, from = all ? 0 : n.component;
  *count = all ? count_of(m, &made) : 1;

  /* Are they there already, one after the other? */
  name_scalar(m, &n, &made, from, name, sizeof name);
  *first = find(o, name);
  int there = *first >= 0;
  for (int k = 1; there && k < *count; k++) {
    name_scalar(m, &n, &made, from + k, name, sizeof name);
    there = *first + k < o->n && strcmp(o->item[*first + k].name, name) == 0;
  }
  if (there) { return MBD_OK; }
  *first = o->n;
  for (int k = from; k < from + *count; k++) {
    name_scalar(m, &n, &made, k, name, sizeof name);
    MBD_TRY(append(o, &made, name, k, err));
  }
  return MBD_OK;
}
