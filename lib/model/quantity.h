/* Descriptions of derived quantities: expressions of outputs, coefficients and the time, which lib/output evaluates. */
#ifndef MBD_MODEL_QUANTITY_H
#define MBD_MODEL_QUANTITY_H

#include "mbd/spec.h"

/* It owns its texts, the list of operations and the leaves. */
typedef struct model_quantity {
  const char *name, *unit; /* unit "": not given */
  mbd_expression value;
  int nleaf;
  const mbd_leaf *leaf; /* [nleaf] */
  const char *noun;     /* for messages: "quantity", or "force", whose value it is */
} model_quantity;

enum {
  MBD_VALUE_MAX = MBD_REF_MAX
}; /* values of a force: by expression at most three, of a user's force one for each of its references */

/* MBD_BAD_INPUT: an operation is not known, or takes what is not before it; a leaf names nothing. */
mbd_status quantity_check(const mbd_spec *s, const model_quantity *quantity, mbd_error *err);

/* A copy of the operations in new memory, which the caller frees; NULL: no memory. */
mbd_operation *operations_copy(const mbd_expression *from);

/* Copies a quantity with all that it owns; on failure there is nothing to free. */
mbd_status quantity_copy(const model_quantity *from, model_quantity *to, mbd_error *err);
void quantity_free(model_quantity *quantity);

/* Copies n quantities to new memory, which the caller owns; on failure no memory is kept. */
mbd_status quantities_copy(const model_quantity *from, int n, model_quantity **to, mbd_error *err);
void quantities_free(model_quantity *list, int n);

#endif
