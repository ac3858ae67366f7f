/* Outputs of first-order states: x = sd and its rate sdd, of their coordinates s (model/state.h, theory.md §4.3 (4.16)). */
#include "model/state.h"
#include "output/output.h"

static const char *name(const mbd_model *m, int i) {
  return i == m->nstate ? NULL : m->z_name[model_first_state(m) + i];
}

static int find(const mbd_model *m, const char *of) {
  const int j = mbd_names_find(&m->z_names, of) - model_first_state(m);
  return j < 0 ? -1 : j;
}

static const char *unit_of(const mbd_model *m, const output *o) {
  const mbd_state *state = &m->state[o->object];
  return o->ops->order == 2 ? state->rate_unit : state->unit;
}

static void coordinate(const mbd_model *m, const output *o, mbd_lift *l) {
  l->arg[l->narg++] = (mbd_arg){MBD_ARG_COORDINATE, model_first_state(m) + o->object, -1};
}

#define OF_STATE(TEXT, ORDER)                                                                    \
  .unit_of = unit_of, .doc = TEXT, .order = ORDER, OUTPUT_OF_ARGUMENTS, .arguments = coordinate, \
  .eval = component_of_argument

static const output_ops rows[] = {
    {.quantity = "", OF_STATE("value of a state, [state NAME]", 1)},
    {.quantity = "rate", OF_STATE("its rate; no part of the values of forces and of rates, as these determine it", 2)},
    {0}};

const output_object output_states = {.word = "STATE", .noun = "state", .row = rows, .name = name, .find = find};
