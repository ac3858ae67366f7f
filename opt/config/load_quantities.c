/* Derived quantities, of model files and of run files, values of forces, and rates of states: expressions of outputs, scalars and the time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"

static const model_key quantity_keys[] = {
    KEY("value", "expression", NULL, "",
        "of outputs (upright.roll, P1.position.x), scalars, other quantities and `time`; of vectors one component. "
        "sum(PATTERN) and mean(PATTERN) take all outputs and quantities whose names match, as sum(wheel_*.load) and "
        "mean(toe_*). integral(EXPRESSION) is a state NAME.integral with this rate, which starts at zero. Operations "
        "as in [scalars]; abs, min and max have a kink, atan2 its jump (angle(VECTOR, VECTOR, "
        "VECTOR) counts turns)"),
    KEY("unit", "text", "", "",
        "unit of the value, for tables and pages; known units (m, mm, kg, s, N, J, W, Pa, Hz, rad, deg, ...) are "
        "compared with the unit that follows from the expression"),
    KEY("curve", "name", "", "",
        "a curve, which is taken at `value`: a path at the distance travelled, a gain at a speed. It may be a design "
        "variable, and a load case may replace it"),
    KEY_WORD("derivative", "0", "of the curve by its argument, of this order: 1 is its slope", "0", "1", "2"),
    KEY("argument_unit", "text", "", "",
        "unit of `value` where a curve is taken there; with it and `unit` a curve of a file with units = mm is "
        "converted"),
    KEY_END,
};

static mbd_status read_quantities(loader *l, const model_section *section, ini_section *s);

const model_section model_section_quantity = {"quantity",
                                              "A quantity of one's own, which stands wherever an output may: in "
                                              "objectives, constraints, [output] and other quantities. Run "
                                              "files may have these sections, too.",
                                              .named = 1, .key = quantity_keys, .read = read_quantities};

/* ---- names in an expression ---- */

/* What an expression is: a quantity, a value of force or constraint `name`, the rate of state `name`. */
typedef enum quantity_kind { OF_QUANTITY, OF_FORCE, OF_CONSTRAINT, OF_STATE } quantity_kind;
static const char *const kinds[] = {"quantity", "force", "constraint", "state"};

/* A quantity while it is read, from a section of the model file or from the run file (s NULL); a value of a force, or the rate of a state. */
typedef struct quantity {
  loader *l;
  const ini_section *s;
  const ini_entry *e;
  const char *name, *value, *unit;
  const char *owner; /* the object after which states of integral(...) in it are named */
  const char *curve; /* taken at the value; NULL: none */
  int derivative;    /* of the curve */
  quantity_kind kind;
  quantity_kind run_kind; /* of a section of the run file */
  int number;             /* of the value of a force */
  int start, settles;     /* of a state: the coefficient of its start; 1: it settles */
} quantity;

static mbd_status located(const quantity *loaded, mbd_status status) {
  if (loaded->s) { return load_located(loaded->l, loaded->s, loaded->e, status); }
  return mbd_locate(loaded->l->err, status, "%s[%s %s] ", loaded->l->run, kinds[loaded->run_kind], loaded->owner);
}

/* A name without dots is a scalar, the time, another quantity, a state or an added coordinate. Of the last three: the depth of the part that
 * has it, the present one or one that uses it; -1: none has. */
static int depth_of_word(const quantity *loaded, const char *name) {
  static const char *const words[] = {"quantity", "state", "coordinate"};
  const loader *l = loaded->l;
  char mapped[MBO_FULL_NAME_MAX + 20]; /* the coordinate has this name in the part alone */
  snprintf(mapped, sizeof mapped, "coordinate.%.*s", MBO_FULL_NAME_MAX, name);
  for (const model_part *p = l->p; p; p = p->outer) {
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
      if (ini_find(&p->f, words[i], name)) { return p->depth; }
    }
    if (p->outer && ini_find_entry(p->section, mapped)) { return p->depth; }
  }
  for (int i = 0; i < l->nquantity; i++) {
    if (strcmp(l->quantity[i].name, name) == 0) { return 0; }
  }
  for (int i = 0; i < l->nstate; i++) {
    if (strcmp(l->state[i].name, name) == 0) { return 0; }
  }
  return -1;
}

static mbd_status unknown_word(const quantity *loaded, const char *name) {
  const loader *l = loaded->l;
  char hint[MBD_HINT], key[300] = "";
  mbd_nearest near = {.requested = name};
  if (strcmp(name, "ground") == 0 || ini_find(l->f, "body", name)) { /* of "ground-bar.angle" */
    return located(loaded, MBD_FAILED(l->err, MBD_BAD_INPUT,
                                      "'%s' is a body, expected a number; expressions have '_' for the '-' of a joint "
                                      "that is found between bodies: %s_BODY.angle",
                                      name, name));
  }
  for (int i = 0; i < l->m->nscalar; i++) { mbd_nearest_offer(&near, l->m->scalar[i].name); }
  for (int i = 0; i < l->nquantity; i++) { mbd_nearest_offer(&near, l->quantity[i].name); }
  for (int i = 0; i < l->nstate; i++) { mbd_nearest_offer(&near, l->state[i].name); }
  ini_offer_names(l->f, "quantity", &near);
  ini_offer_names(l->f, "state", &near);
  if (l->p->outer) { /* an input of the part */
    snprintf(key, sizeof key,
             "; the file that uses the part may give it: quantity.%.100s = EXPRESSION in [part %.100s]", name,
             l->p->section->name);
  }
  return located(loaded, MBD_FAILED(l->err, MBD_BAD_INPUT,
                                    "'%s' is no scalar, quantity or output (OBJECT.QUANTITY; 'time' is the time)%s%s",
                                    name, key, mbd_nearest_text(&near, hint, sizeof hint)));
}

static mbd_status read_value(const quantity *loaded);

enum { INTEGRALS_MAX = 50 }; /* in one section: they are read recursively where one is in another */

/* integral(EXPRESSION): adds a state that starts at zero, with this rate. *full: its name, NAME.integral, the next NAME.integral2 */
static mbd_status read_integral(const quantity *loaded, const char *text, char **full) {
  loader *l = loaded->l;
  const size_t before = strlen(MBO_INTEGRAL), length = strlen(text) - before - 1;
  char number[16] = "";
  if (++l->nintegral > INTEGRALS_MAX) {
    return located(loaded, MBD_FAILED(l->err, MBD_BAD_INPUT,
                                      "more than %d of integral(...); expected sections [state NAME] for some of them",
                                      INTEGRALS_MAX));
  }
  if (l->nintegral > 1) { snprintf(number, sizeof number, "%d", l->nintegral); }
  *full = mbd_sprintf_dup("%s.integral%s", loaded->owner, number);
  char *rate = mbd_strndup(text + before, length), *start = mbd_sprintf_dup("state.%s.start", *full ? *full : "");
  quantity state = *loaded;
  state.name = *full, state.value = rate, state.unit = "", state.curve = NULL, state.kind = OF_STATE, state.settles = 0;
  mbd_status status = *full && rate && start
                          ? load_coefficient(l, loaded->s, loaded->e, start, "0", NULL, LOAD_ANY, &state.start)
                          : load_no_memory(l);
  if (status == MBD_OK) { status = load_note_object(l, loaded->s, "state", *full); }
  if (status == MBD_OK) { status = read_value(&state); }
  free(rate), free(start);
  return status;
}

/* What a name is: of a scalar and a word the one that the inner part has. Of an output *full is its full name, in new memory. */
static mbd_status read_leaf(const quantity *loaded, const char *name, char **full, mbd_leaf *leaf) {
  const int scalar = load_find_scalar(loaded->l, name), word = depth_of_word(loaded, name);
  const int depth = scalar >= 0 ? loaded->l->source[scalar].of->depth : -1;
  const int is_scalar = depth >= 0 && depth >= word, is_time = strcmp(name, "time") == 0;
  if (is_scalar && (is_time || depth == word)) {
    return located(loaded,
                   MBD_FAILED(loaded->l->err, MBD_BAD_INPUT, "'%s' is a scalar and %s; expected different names", name,
                              is_time ? "the time" : "a quantity, state or coordinate"));
  }
  if (is_scalar) { /* a coefficient */
    char coefficient[400];
    snprintf(coefficient, sizeof coefficient, "%s.%s.%s", kinds[loaded->kind], loaded->name, name);
    leaf->is = MBD_LEAF_COEFFICIENT;
    return load_coefficient(loaded->l, loaded->s, loaded->e, coefficient, name, NULL, LOAD_ANY, &leaf->coef);
  }
  leaf->is = is_time ? MBD_LEAF_TIME : MBD_LEAF_OUTPUT;
  if (is_time) { return MBD_OK; }
  if (load_is_integral(name)) {
    MBD_TRY(read_integral(loaded, name, full));
    leaf->output = *full;
    return MBD_OK;
  }
  if (!strpbrk(name, ".(") && word < 0) { return unknown_word(loaded, name); }
  MBD_TRY(load_output(loaded->l, name, full));
  leaf->output = *full;
  return MBD_OK;
}

/* Adds it to the description. */
static mbd_status add(const quantity *loaded, const mbo_expr *x, const mbd_leaf *leaf) {
  const loader *l = loaded->l;
  mbd_spec *spec = l->m->spec;
  const char *name = loaded->name;
  switch (loaded->kind) {
    case OF_QUANTITY: return mbd_spec_quantity(spec, name, loaded->unit, &x->value, x->nname, leaf, l->err);
    case OF_FORCE: return mbd_spec_force_value(spec, name, loaded->number, &x->value, x->nname, leaf, l->err);
    case OF_CONSTRAINT: return mbd_spec_constraint_value(spec, name, &x->value, x->nname, leaf, l->err);
    case OF_STATE: break;
  }
  return mbd_spec_state(spec, name, loaded->unit, loaded->start, loaded->settles, &x->value, x->nname, leaf, l->err);
}

static mbd_status describe(const quantity *loaded, const mbo_expr *x) {
  mbd_leaf *leaf = calloc((size_t)x->nname + 1, sizeof *leaf);
  char **full = calloc((size_t)x->nname + 1, sizeof *full);
  mbd_status status = leaf && full ? MBD_OK : load_no_memory(loaded->l);
  for (int i = 0; i < x->nname && status == MBD_OK; i++) { status = read_leaf(loaded, x->name[i], &full[i], &leaf[i]); }
  if (status == MBD_OK) { status = located(loaded, add(loaded, x, leaf)); }
  for (int i = 0; full && i < x->nname; i++) { free(full[i]); }
  free(full), free(leaf);
  return status;
}

/* ---- a curve at the value ---- */

static mbd_status unknown_curve(const quantity *loaded, const char *full) {
  const loader *l = loaded->l;
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = full};
  for (int i = 0; i < l->m->ncurve; i++) { mbd_nearest_offer(&near, l->m->curve[i].name); }
  return located(loaded, MBD_FAILED(l->err, MBD_BAD_INPUT, "the model has no curve '%s'%s", full,
                                    mbd_nearest_text(&near, hint, sizeof hint)));
}

/* Appends the curve to the operations. Curves are numbered in the description as in the list of the file. */
static mbd_status take_curve(const quantity *loaded, mbo_expr *x) {
  loader *l = loaded->l;
  char *full;
  int k = 0;
  if (!loaded->curve) { return MBD_OK; }
  MBD_TRY(load_name(l, "curve", loaded->curve, &full));
  const char *taken = load_curve_instead(l, full);
  while (k < l->m->ncurve && strcmp(l->m->curve[k].name, taken) != 0) { k++; }
  const mbd_status status = k < l->m->ncurve ? MBD_OK : unknown_curve(loaded, taken);
  free(full);
  MBD_TRY(status);
  const mbd_operation o = {.op = MBD_OP_CURVE, .a = x->value.n - 1, .b = k, .number = loaded->derivative};
  return mbd_expression_append(&x->value, o) < 0 ? load_no_memory(l) : MBD_OK;
}

static mbd_status read_value(const quantity *loaded) {
  mbo_expr x;
  MBD_TRY(located(loaded, mbo_expr_parse_names(loaded->value, load_name_span, &x, loaded->l->err)));
  mbd_status status = take_curve(loaded, &x);
  if (status == MBD_OK) { status = describe(loaded, &x); }
  mbo_expr_free(&x);
  return status;
}

static mbd_status read_quantities(loader *l, const model_section *section, ini_section *s) {
  const ini_entry *e = ini_get(s, "value");
  const char *unit = load_value(s, "unit", "");
  if (!e) { return load_missing(l, section, s, "value", "an expression of outputs, scalars and time"); }
  const ini_entry *curve = ini_get(s, "curve"), *derivative = ini_get(s, "derivative"),
                  *argument = ini_get(s, "argument_unit");
  /* One that the outer file gives, in place of all that the part has for it: names are those of that file. */
  if (e->set) {
    model_part *const p = l->p;
    load_enter(l, p->outer);
    const mbd_status status =
        read_value(&(quantity){l, p->section, e->set, l->name, e->set->value, unit, l->name, .kind = OF_QUANTITY});
    load_enter(l, p);
    return status;
  }
  int order = 0;
  if (!curve && (derivative || argument)) {
    return load_fail(l, s, derivative ? derivative : argument, "belongs to a curve; expected the key 'curve' as well");
  }
  if (derivative) { MBD_TRY(load_word(l, section, s, "derivative", &order)); }
  return read_value(&(quantity){l, s, e, l->name, e->value, unit, l->name, .kind = OF_QUANTITY,
                                .curve = curve ? curve->value : NULL, .derivative = order});
}

mbd_status load_element_value(loader *l, const ini_section *s, const ini_entry *e, int k, const char *text) {
  const quantity_kind kind = strcmp(s->kind, "force") == 0 ? OF_FORCE : OF_CONSTRAINT;
  if (kind == OF_FORCE) { MBD_TRY(load_check_value_image(l, s, e, text)); }
  return read_value(&(quantity){l, s, e, l->name, text, "", l->name, .kind = kind, .number = k});
}

mbd_status load_state_rate(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *rate,
                           const char *unit, int start, int settles) {
  if (!s) { l->nintegral = 0; }
  return read_value(&(quantity){l, s, e, name, rate, unit, name, .kind = OF_STATE, .run_kind = OF_STATE, .start = start,
                                .settles = settles});
}

mbd_status load_run_quantities(loader *l) {
  for (int i = 0; i < l->nquantity; i++) {
    const mbo_quantity_config *config = &l->quantity[i];
    l->nintegral = 0;
    MBD_TRY(read_value(&(quantity){l, NULL, NULL, config->name, config->value, config->unit, config->name,
                                   .kind = OF_QUANTITY, .curve = *config->curve ? config->curve : NULL,
                                   .derivative = config->derivative}));
  }
  return MBD_OK;
}
