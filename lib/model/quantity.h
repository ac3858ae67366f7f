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
} model_quantity;

/* Copies n quantities to new memory, which the caller owns; on failure no memory is kept. */
mbd_status quantities_copy(const model_quantity *from, int n, model_quantity **to, mbd_error *err);
void quantities_free(model_quantity *list, int n);

#endif
