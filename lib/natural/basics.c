/* The lists of points and vectors: of the model, and on every rigid body. */
#include <stdlib.h>

#include "natural/build.h"

mbd_status natural_add_basic(natural *n, char *name, int is_point, int *number, mbd_error *err) {
  natural_basic *grown = name ? mbd_list_grow(n->basic, n->nbasic, sizeof *grown) : NULL;
  if (!grown) {
    free(name);
    NATURAL_NO_MEMORY(err);
  }
  n->basic = grown;
  *number = n->nbasic;
  grown[n->nbasic++] = (natural_basic){.name = name, .is_point = is_point, .rigid = -1};
  return MBD_OK;
}

mbd_status natural_add_on(natural *n, int rigid, int basic, natural_local local, mbd_error *err) {
  natural_rigid *r = &n->rigid[rigid];
  natural_basic *component = &n->basic[basic];
  int *numbers = mbd_list_grow(r->basic, r->n, sizeof *numbers);
  if (numbers) { r->basic = numbers; }
  natural_local *locals = mbd_list_grow(r->local, r->n, sizeof *locals);
  if (locals) { r->local = locals; }
  if (!numbers || !locals) { NATURAL_NO_MEMORY(err); }
  r->basic[r->n] = basic, r->local[r->n++] = local;
  if (component->rigid < 0 || rigid == 0) { component->rigid = rigid, component->local = local; }
  return MBD_OK;
}

