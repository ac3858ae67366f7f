/* First-order states: numbers with a rate, for controllers, filters and actuators. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "config/load_model.h"

static const model_key state_keys[] = {
    KEY("rate", "expression", NULL, "",
        "its rate, of outputs of positions and velocities, quantities, states, scalars and `time`, as the value of a "
        "force of type `expression`; with accelerations, reactions, powers or energies in it the state measures, and "
        "nothing that acts may read it"),
    KEY("start", "expression", "", "",
        "its value at the start, in SI units. Without this key the rate is zero at the start of a case with "
        "start = equilibrium, and otherwise the value. In a static case the rate is zero at every node"),
    KEY("unit", "text", "", "",
        "unit of its value, for tables and pages; known units (m, N, N m, rad, ...) are compared with that of the "
        "rate"),
    KEY_END,
};

static mbd_status read_state(loader *l, const model_section *section, ini_section *s) {
  const ini_entry *e = ini_get(s, "rate"), *given = ini_get(s, "start");
  int start;
  if (!e) { return load_missing(l, section, s, "rate", NULL); }
  char *name = mbd_sprintf_dup("state.%s.start", l->name);
  if (!name) { return load_no_memory(l); }
  const mbd_status status =
      load_coefficient(l, s, given ? given : e, name, given ? given->value : "0", NULL, LOAD_ANY, &start);
  free(name);
  MBD_TRY(status);
  return load_state_rate(l, s, e, l->name, e->value, load_value(s, "unit", ""), start, !given);
}

mbd_status load_run_states(loader *l) {
  for (int i = 0; i < l->nstate; i++) {
    const mbo_state_config *c = &l->state[i];
    const int given = *c->start != '\0';
    char name[300];
    int start;
    snprintf(name, sizeof name, "state.%s.start", c->name);
    MBD_TRY(mbd_locate(l->err, load_coefficient(l, NULL, NULL, name, given ? c->start : "0", NULL, LOAD_ANY, &start),
                       "%s[state %s] start: ", l->run, c->name));
    MBD_TRY(load_note_object(l, NULL, "state", c->name));
    MBD_TRY(load_state_rate(l, NULL, NULL, c->name, c->rate, c->unit, start, !given));
  }
  return MBD_OK;
}

const model_section model_section_state = {"state",
                                           "A state x of first order, dx/dt = rate: the integral part of a controller, "
                                           "a filter, the lag of an actuator. Its value "
                                           "is the output NAME, its rate NAME.rate; forces of type `expression`, other "
                                           "states, quantities and objectives read it.",
                                           .named = 1, .key = state_keys, .read = read_state};
