#include "mechanism/choices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/json.h"
#include "mechanism/gradient_costs.h"
#include "files/memory.h"

/* ---- deciding ---- */

static int is_open(const mechanism *m, const mechanism_case *load) {
  return m->n > 0 && load->npsi > 0 && load->choice.method == GRADIENT_AUTO;
}

void choices_begin(mechanism *m) {
  for (int i = 0; i < m->nload; i++) {
    gradient_task t;
    gradient_task_of(m, &m->cases[i], &t);
    gradient_choose_now(&t, &m->cases[i].choice);
  }
}

void choices_gauss_newton(mechanism *m) {
  m->gauss_newton = 1;
  choices_begin(m);
}

static mbd_status choose(const mechanism *m, mechanism_case *load, mbd_error *err) {
  gradient_task t;
  gradient_costs k;
  mbd_error why = {0};
  gradient_task_of(m, load, &t);
  const mbd_status status = gradient_costs_measure(m, load, &k, &why);
  if (status == MBD_NO_MEMORY || status == MBD_INTERRUPTED) {
    if (err) { *err = why; }
    return status;
  }
  if (status == MBD_OK) {
    gradient_choose(&t, &k, &load->choice);
  } else {
    gradient_choose_unmeasured(&t, why.text, &load->choice);
  }
  return MBD_OK;
}

int choices_are_open(const mechanism *m) {
  int open = 0;
  for (int i = 0; i < m->nload; i++) { open |= is_open(m, &m->cases[i]); }
  return open;
}

mbd_status choices_make(mechanism *m, mbd_error *err) {
  for (int i = 0; i < m->nload; i++) {
    mechanism_case *load = &m->cases[i];
    if (!is_open(m, load)) { continue; }
    if (load->config->scenario > 1) {
      load->choice = load[-1].choice; /* that of the scenario before */
    } else {
      MBD_TRY(choose(m, load, err));
    }
  }
  return MBD_OK;
}

int choices_are_made(const mechanism *m) {
  int made = 0;
  if (choices_are_open(m)) { return 0; }
  for (int i = 0; i < m->nload; i++) {
    gradient_task t;
    gradient_task_of(m, &m->cases[i], &t);
    made |= m->cases[i].npsi > 0 && t.asked == GRADIENT_AUTO && !t.gauss_newton;
  }
  return made && m->n > 0;
}

/* ---- as text ---- */

static void set_if_finite(json_t *o, const char *key, double v) {
  if (isfinite(v)) { json_object_set_new(o, key, json_real(v)); }
}

/* The scenarios of a case have one choice. */
static const char *name_of(const mechanism_case *load, char name[300]) {
  snprintf(name, 300, "%.280s%s", load->config->name, load->config->scenario > 0 ? " (scenarios)" : "");
  return name;
}

json_t *choices_json(const mechanism_case *load) {
  const gradient_costs *k = &load->choice.costs;
  char name[300];
  json_t *o = json_pack("{s:s, s:s, s:o}", "case", name_of(load, name), "method",
                        gradient_method_name(load->choice.method), "reason", json_text(load->choice.text));
  if (k->seconds > 0) {
    json_object_set_new(o, "simulation_seconds", json_real(k->seconds));
    set_if_finite(o, "direct", k->direct);
    set_if_finite(o, "discrete_adjoint", k->adjoint);
  }
  return o;
}

char *choices_text(const mechanism *m) {
  const long lost = mbd_memory_lost();
  json_t *list = json_array();
  for (int i = 0; i < m->nload; i++) {
    if (m->cases[i].npsi && m->cases[i].config->scenario < 2) {
      json_array_append_new(list, choices_json(&m->cases[i]));
    }
  }
  char *text = json_memory_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17), lost);
  json_decref(list);
  return text;
}

/* A number that may be missing: then, and where it is negative, `otherwise`. */
static double number(const json_t *o, const char *key, double otherwise) {
  const json_t *entry = json_object_get(o, key);
  const double v = json_number_value(entry);
  return json_is_number(entry) && isfinite(v) && v >= 0 ? v : otherwise;
}

/* Takes over the choice for one case, unless the run file or the memory limit determines another one. */
static mbd_status take(const mechanism *m, const json_t *o, mbd_error *err) {
  /* The entry must have a case, a reason, and a method between which `auto` chooses. */
  const char *name = json_string_value(json_object_get(o, "case"));
  const char *method = json_string_value(json_object_get(o, "method"));
  const char *reason = json_string_value(json_object_get(o, "reason"));
  const gradient_method found = method ? gradient_method_find(method) : GRADIENT_NONE;
  if (!name || !reason || (found != GRADIENT_DIRECT && found != GRADIENT_DISCRETE_ADJOINT)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "what was decided about gradients is not as this program writes it; expected for each case its name, its "
             "method (direct or discrete_adjoint) and the reason");
  }
  for (int i = 0; i < m->nload; i++) {
    /* A method that the run file names, the Gauss-Newton matrix and the memory limit take precedence over the entry. */
    mechanism_case *load = &m->cases[i];
    gradient_task t;
    char own[300];
    gradient_task_of(m, load, &t);
    if (strcmp(name_of(load, own), name) != 0 || t.asked != GRADIENT_AUTO || t.gauss_newton ||
        !gradient_direct_fits(&t)) {
      continue;
    }
    /* The choice with its costs, of which the text has those that were measured. */
    load->choice = (gradient_choice){.method = found};
    load->choice.costs.seconds = number(o, "simulation_seconds", 0);
    load->choice.costs.direct = number(o, "direct", NAN);
    load->choice.costs.adjoint = number(o, "discrete_adjoint", NAN);
    snprintf(load->choice.text, sizeof load->choice.text, "%s", reason);
  }
  return MBD_OK;
}

mbd_status choices_take(mechanism *m, const char *text, mbd_error *err) {
  const long lost = mbd_memory_lost();
  json_t *list = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  if (mbd_memory_lost() > lost) {
    json_decref(list);
    return MEMORY_NONE(err, "what was decided about gradients");
  }
  mbd_status status = json_is_array(list) ? MBD_OK : MBD_BAD_INPUT;
  if (status != MBD_OK) { status = MBD_FAILED(err, status, "what was decided about gradients is no list"); }
  for (size_t i = 0; i < json_array_size(list) && status == MBD_OK; i++) {
    status = take(m, json_array_get(list, i), err);
  }
  json_decref(list);
  return status;
}
