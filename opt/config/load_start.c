/* The initial state: held quantities, coordinates that are found by statics, guesses from which the iteration starts. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/load_model.h"

static const model_key start_keys[] = {
    KEY("hold.QUANTITY", "expression", "", "",
        "value of a coordinate (J1.angle), a point's component (P1.x) or a body's angle (A1.angle.z) at the start; a "
        "body's angle is determined up to whole turns: the values of the coordinates nearest to the guess are taken"),
    KEY("rate.QUANTITY", "expression", "0", "",
        "its rate; a rate that is not given follows from velocity constraints, where these and the given rates "
        "determine it"),
    KEY("settle", "names", "", "",
        "the held quantities that a case with start = equilibrium takes from static equilibrium instead; their values "
        "are where the search begins"),
    KEY("guess.COORDINATE", "expression", "0", "",
        "where the search for the assembled position begins, instead of 0 or, of a coordinate that is held at more "
        "than 1 where loops are not closed there, that value; Euler parameters are scaled to unit length; joints that "
        "are cut have no coordinates. If the search fails, it begins anew from other guesses, with a warning"),
    KEY_END,
};

/* A quantity of the start in the description; in turned and mirrored parts it is the image of the quantity in the file. */
typedef struct start_quantity {
  char *full; /* full name, in new memory */
  const char *unit;
  double sign;
  const mbo_expr *add; /* added to its value; NULL: zero */
} start_quantity;

/* If a part is turned by right angles, component `axis` of a vector becomes another component. MBD_BAD_INPUT for other rotations. */
static mbd_status turn_component(loader *l, const ini_section *s, const ini_entry *e, int *axis,
                                 start_quantity *quantity) {
  const int to = load_axis_image(l->p, *axis, &quantity->sign);
  if (to < 0) {
    return load_fail(l, s, e,
                     "part '%s' is turned, so that its axes are none of the model's; expected this in the file that "
                     "uses it",
                     l->p->name);
  }
  *axis = to;
  return MBD_OK;
}

/* "P.x" or "A.angle.z", of the object P or A. `word`: "" or ".angle". */
static mbd_status hold_component(loader *l, const ini_section *s, const ini_entry *e, const char *object,
                                 const char *word, int axis, start_quantity *quantity) {
  const int angle = *word != '\0';
  char *full;
  MBD_TRY(angle ? load_name(l, "body", object, &full) : load_reference(l, MBD_REF_POINT, object, &full));
  mbd_status status = turn_component(l, s, e, &axis, quantity);
  if (angle && l->p->place.mirrored) { quantity->sign = -quantity->sign; }
  if (!angle && l->p->outer) { quantity->add = &l->p->place.at[axis]; }
  quantity->unit = angle ? "rad" : "m";
  quantity->full = status == MBD_OK ? mbd_sprintf_dup("%s%s.%c", full, word, 'x' + axis) : NULL;
  free(full);
  return status != MBD_OK || quantity->full ? status : load_no_memory(l);
}

static mbd_status hold_coordinate(loader *l, const ini_section *s, const ini_entry *e, const char *name,
                                  start_quantity *quantity) {
  MBD_TRY(load_reference(l, MBD_REF_COORDINATE, name, &quantity->full));
  quantity->sign = load_coordinate_sign(l, quantity->full);
  quantity->unit = load_coordinate_unit(l, quantity->full);
  if (quantity->sign != 0) { return MBD_OK; }
  free(quantity->full);
  quantity->full = NULL;
  return load_fail(l, s, e,
                   "in part '%s', which does not stand where its file has it, this coordinate is no number of its own; "
                   "expected this in the file that uses it",
                   l->p->name);
}

/* Finds the quantity that a name of the start means: a component of a point, a component of a body's angle, or a coordinate. */
static mbd_status find_quantity(loader *l, const ini_section *s, const ini_entry *e, const char *name,
                                start_quantity *quantity) {
  const char *dot = strrchr(name, '.');
  const int component = dot && dot[1] >= 'x' && dot[1] <= 'z' && dot[2] == '\0';
  *quantity = (start_quantity){.sign = 1};
  if (!component || ini_find(l->f, "coordinate", name)) { return hold_coordinate(l, s, e, name, quantity); }
  char *object = mbd_strndup(name, (size_t)(dot - name));
  if (!object) { return load_no_memory(l); }
  const size_t n = strlen(object);
  mbd_status status;
  if (n > 6 && strcmp(object + n - 6, ".angle") == 0) {
    object[n - 6] = '\0';
    status = hold_component(l, s, e, object, ".angle", dot[1] - 'x', quantity);
  } else if (ini_find(l->f, "point", object) || strchr(object, '@')) {
    status = hold_component(l, s, e, object, "", dot[1] - 'x', quantity);
  } else {
    status = hold_coordinate(l, s, e, name, quantity);
  }
  free(object);
  return status;
}

/* Adds the coefficient of a number. `word`: "hold", "rate" or "guess". e NULL: the number is zero. */
static mbd_status read_number(loader *l, const ini_section *s, const ini_entry *e, const char *word,
                              const start_quantity *quantity, int *index) {
  const int rate = strcmp(word, "rate") == 0;
  const int length = quantity->unit && strcmp(quantity->unit, "m") == 0,
            angle = quantity->unit && strcmp(quantity->unit, "rad") == 0;
  const char *unit = rate && length ? "m/s" : rate && angle ? "rad/s" : quantity->unit;
  char *name = mbd_sprintf_dup("start.%s.%s", word, quantity->full); /* "start.hold.front_left.wheel.angle" */
  if (!name) { return load_no_memory(l); }
  const mbd_status status = load_image_of(l, s, e, name, e ? e->value : "0", unit ? unit : "a unit that is not known",
                                          quantity->sign, rate ? NULL : quantity->add, index);
  free(name);
  return status;
}

/* Adds a held quantity, with its value and its rate. */
static mbd_status read_hold(loader *l, ini_section *s, const ini_entry *e, const char *quantity) {
  start_quantity q;
  int value, rate;
  char *key = mbd_sprintf_dup("rate.%s", quantity);
  if (!key) { return load_no_memory(l); }
  const ini_entry *r = ini_get(s, key);
  free(key);
  MBD_TRY(find_quantity(l, s, e, quantity, &q));
  mbd_status status = read_number(l, s, e, "hold", &q, &value);
  if (status == MBD_OK) { status = read_number(l, s, r, "rate", &q, &rate); }
  if (status == MBD_OK) { status = load_located(l, s, e, mbd_spec_hold(l->m->spec, q.full, value, rate, l->err)); }
  if (status == MBD_OK && !r) { status = load_located(l, s, e, mbd_spec_rate_follows(l->m->spec, q.full, l->err)); }
  free(q.full);
  return status;
}

static mbd_status read_guess(loader *l, const ini_section *s, const ini_entry *e, const char *coordinate) {
  start_quantity q;
  int value;
  MBD_TRY(find_quantity(l, s, e, coordinate, &q));
  mbd_status status = read_number(l, s, e, "guess", &q, &value);
  if (status == MBD_OK) { status = load_located(l, s, e, mbd_spec_guess(l->m->spec, q.full, value, l->err)); }
  free(q.full);
  return status;
}

static mbd_status read_equilibrium(loader *l, const ini_section *s, const ini_entry *e) {
  char **part;
  int n;
  mbd_status status = MBD_OK;
  MBD_TRY(load_list(l, e->value, &part, &n));
  for (int i = 0; i < n && status == MBD_OK; i++) {
    start_quantity q;
    status = find_quantity(l, s, e, part[i], &q);
    if (status == MBD_OK) { status = load_located(l, s, e, mbd_spec_settle(l->m->spec, q.full, l->err)); }
    free(q.full);
  }
  text_list_free(part, n);
  return status;
}

/* The key without this prefix; NULL: it has another one. */
static const char *behind(const ini_entry *e, const char *prefix) {
  const size_t n = strlen(prefix);
  return strncmp(e->key, prefix, n) == 0 ? e->key + n : NULL;
}

static mbd_status read_start(loader *l, const model_section *section, ini_section *s) {
  (void)section;
  for (int i = 0; s && i < s->n; i++) {
    ini_entry *e = &s->entry[i];
    const char *held = behind(e, "hold."), *guessed = behind(e, "guess.");
    e->used |= held || guessed;
    if (held) { MBD_TRY(read_hold(l, s, e, held)); }
    if (guessed) { MBD_TRY(read_guess(l, s, e, guessed)); }
  }
  const ini_entry *equilibrium = s ? ini_get(s, "settle") : NULL;
  if (equilibrium) { MBD_TRY(read_equilibrium(l, s, equilibrium)); }
  for (int i = 0; s && i < s->n; i++) { /* refuse a rate whose quantity is not held */
    const ini_entry *e = &s->entry[i];
    const char *quantity = behind(e, "rate.");
    if (!e->used && quantity) { return load_fail(l, s, e, "expected also hold.%s = VALUE", quantity); }
  }
  return MBD_OK;
}

const model_section model_section_start = {
    "start",
    "The initial state. What is not held follows from the constraints; what they leave free at the assembled position "
    "keeps its guess. A simulation starts only if every held quantity that does not settle has its value.",
    .key = start_keys, .read = read_start};
