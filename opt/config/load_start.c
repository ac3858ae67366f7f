/* The initial state: what is held, what settles, where the search begins. */
#include <stdio.h>
#include <string.h>

#include "config/load_model.h"

static const model_key start_keys[] = {
    KEY("hold.QUANTITY", "expression", "", "",
        "value of a coordinate (J1.angle), a point's component (P1.x) or a body's angle (A1.angle.z) at the start; a "
        "body's angle counts up to whole turns: of the coordinates that show it, those nearest to the guess are taken"),
    KEY("rate.QUANTITY", "expression", "0", "", "its rate"),
    KEY("settle", "names", "", "",
        "the held quantities that a case with start = equilibrium takes from static equilibrium instead; their values "
        "are where the search begins"),
    KEY("guess.COORDINATE", "expression", "0", "",
        "where the search for the assembled position begins; Euler parameters are scaled to unit length; joints that "
        "are cut have no coordinates. Where the search fails it begins anew from other guesses, and a warning tells"),
    KEY_END,
};

/* `value` of QUANTITY, and its rate. */
static mbd_status read_hold(loader *l, ini_section *s, const ini_entry *e, const char *quantity) {
  char name[320], key[300];
  int value, rate;
  snprintf(name, sizeof name, "start.%s", e->key);
  MBD_TRY(load_coefficient(l, s, e, name, e->value, LOAD_ANY, &value));
  snprintf(key, sizeof key, "rate.%s", quantity);
  const ini_entry *r = ini_get(s, key);
  snprintf(name, sizeof name, "start.%s", key);
  MBD_TRY(load_coefficient(l, s, r, name, r ? r->value : "0", LOAD_ANY, &rate));
  return load_located(l, s, e, mbd_spec_hold(l->m->spec, quantity, value, rate, l->err));
}

static mbd_status read_guess(loader *l, ini_section *s, const ini_entry *e, const char *coordinate) {
  char name[320];
  int value;
  snprintf(name, sizeof name, "start.%s", e->key);
  MBD_TRY(load_coefficient(l, s, e, name, e->value, LOAD_ANY, &value));
  return load_located(l, s, e, mbd_spec_guess(l->m->spec, coordinate, value, l->err));
}

static mbd_status read_settle(loader *l, ini_section *s, const ini_entry *e) {
  char **part;
  int n;
  mbd_status status = MBD_OK;
  MBD_TRY(load_list(l, e->value, &part, &n));
  for (int i = 0; i < n && status == MBD_OK; i++) {
    status = load_located(l, s, e, mbd_spec_settle(l->m->spec, part[i], l->err));
  }
  text_list_free(part, n);
  return status;
}

/* What stands behind a prefix of the key; NULL: it has another. */
static const char *behind(const ini_entry *e, const char *prefix) {
  const size_t n = strlen(prefix);
  return strncmp(e->key, prefix, n) == 0 ? e->key + n : NULL;
}

static mbd_status read_start(loader *l, const model_section *q, ini_section *s) {
  (void)q;
  for (int i = 0; s && i < s->n; i++) {
    ini_entry *e = &s->entry[i];
    const char *held = behind(e, "hold."), *guessed = behind(e, "guess.");
    e->used |= held || guessed;
    if (held) { MBD_TRY(read_hold(l, s, e, held)); }
    if (guessed) { MBD_TRY(read_guess(l, s, e, guessed)); }
  }
  const ini_entry *settle = s ? ini_get(s, "settle") : NULL;
  if (settle) { MBD_TRY(read_settle(l, s, settle)); }
  for (int i = 0; s && i < s->n; i++) { /* a rate whose quantity is not held */
    const ini_entry *e = &s->entry[i];
    const char *quantity = behind(e, "rate.");
    if (!e->used && quantity) { return ini_fail(&l->f, s, e, l->err, "expected also hold.%s = VALUE", quantity); }
  }
  return MBD_OK;
}

const model_section model_section_start = {
    "start",
    "The initial state. What is not held follows from the constraints; what they leave free at the assembled position "
    "keeps its guess. A simulation starts only if every held quantity that does not settle has its value.",
    .key = start_keys, .read = read_start};
