/* Derived quantities as they are described: formulas of outputs, which lib/output evaluates. */
#ifndef MBD_MODEL_QUANTITY_H
#define MBD_MODEL_QUANTITY_H

#include "mbd/status.h"

/* An operation: a place in the table of base/operator.h with operands; or a leaf, whose place is that of names. */
typedef struct quantity_operation {
  int op, a, b;
  double number;
  char *output; /* of a leaf; NULL: a coefficient, or the time where that is -1 */
  int coef;
} quantity_operation;

typedef struct model_quantity {
  char *name, *unit; /* unit "": not stated */
  int n;
  quantity_operation *op;
} model_quantity;

/* Copies in new memory; on failure nothing is left. */
mbd_status quantities_copy(const model_quantity *from, int n, model_quantity **to, mbd_error *err);
void quantities_free(model_quantity *list, int n);

#endif
