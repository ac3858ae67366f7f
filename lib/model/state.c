/* First-order states in a description, and the force that is the rate of one (state.h). */
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/spec_internal.h"

/* ---- description ---- */

mbd_status mbd_spec_state(mbd_spec *s, const char *name, const char *unit, int start, int settles,
                          const mbd_expression *rate, int nleaf, const mbd_leaf *leaf, mbd_error *err) {
  const model_quantity given = {name, "", *rate, nleaf, leaf, "state"};
  for (int i = 0; i < s->nstate; i++) {
    if (strcmp(s->state[i].rate.name, name) == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "state '%s' is described twice", name);
    }
  }
  if (start >= s->ncoef) { MBD_FAIL(err, MBD_BAD_INPUT, "state '%s': its start names no coefficient", name); }
  MBD_TRY(quantity_check(s, &given, err));
  spec_state state = {.start = start < 0 ? mbd_spec_coef(s, "zero", 0) : start, .settles = settles};
  spec_state *grown = mbd_list_grow(s->state, s->nstate, sizeof *grown);
  if (grown) { s->state = grown; }
  state.unit = mbd_strdup(unit ? unit : "");
  mbd_status status = grown && state.unit && state.start >= 0
                          ? quantity_copy(&given, &state.rate, err)
                          : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for state '%s'", name);
  if (status != MBD_OK) {
    free(state.unit);
    return status;
  }
  grown[s->nstate++] = state;
  return MBD_OK;
}

/* ---- model ---- */

static mbd_real unit_inertia(const mbd_element_input *in) {
  (void)in;
  return 1;
}

static mbd_real unit_inertia_c(const mbd_element_input *in, const mbd_element_direction *d) {
  (void)in, (void)d;
  return 0;
}

/* A force on a coordinate, with the inertia of s beside it, and without outputs: those of the state are its own (output/state.c). */
expression_law *state_law_create(void) {
  expression_law *law = expression_law_create(expression_line_find("coordinate"));
  if (!law) { return NULL; }
  law->ops.inertia = unit_inertia, law->ops.inertia_c = unit_inertia_c;
  law->ops.nscalar = 0;
  return law;
}
