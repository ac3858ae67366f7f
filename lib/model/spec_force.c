/* Forces in a description, with the states that some of them have of their own (mbd_force_states). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "force/force.h"
#include "model/spec_internal.h"

/* The coefficient of a key of a force; -1: the type, or the description, has none. */
static int coef_of(const mbd_spec *s, const mbd_force_ops *ops, int first, const char *key) {
  const mbd_coef_info *info = ops->info.coefs;
  while (key && info->key && strcmp(info->key, key) != 0) { first += info++->size; }
  return key && info->key && first >= 0 && first < s->ncoef ? first : -1;
}

static int is_given(const mbd_spec *s, int coef) {
  return coef >= 0 && s->coef[coef].nominal != 0;
}

/* The states of a force that its coefficients ask for, with a rate of zero, to which the force adds its own. */
static mbd_status force_states(mbd_spec *s, const mbd_element_desc *d, mbd_error *err) {
  const mbd_force_ops *ops = d->type ? mbd_force_find(d->type) : NULL;
  mbd_operation zero = {.op = MBD_OP_NUMBER};
  for (const mbd_force_state_info *state = ops ? ops->states : NULL; state && state->name; state++) {
    const int length = coef_of(s, ops, d->coef, state->key[0]), other = coef_of(s, ops, d->coef, state->key[1]);
    const int start = coef_of(s, ops, d->coef, state->start);
    if (!is_given(s, length) && !is_given(s, other)) { continue; }
    char *name = mbd_sprintf_dup("%s.%s", d->name, state->name);
    if (!name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for force '%s'", d->name); }
    const mbd_status status = mbd_spec_state(s, name, state->unit, start, 1, &(mbd_expression){1, &zero}, 0, NULL, err);
    free(name);
    MBD_TRY(status);
  }
  return MBD_OK;
}

mbd_status mbd_spec_force_sized(mbd_spec *s, const mbd_element_desc *d, size_t size, mbd_error *err) {
  mbd_element_desc ours;
  SIZED_READ(&ours, d, size, "mbd_element_desc", err);
  MBD_TRY(force_states(s, &ours, err));
  return spec_add_element(&s->force, &s->nforce, &ours, "force", err);
}
