/* Descriptions of derived quantities: formulas of outputs, which lib/output evaluates. */
#ifndef MBD_MODEL_QUANTITY_H
#define MBD_MODEL_QUANTITY_H

#include "mbd/status.h"

/* An operation: its number in the table of base/operator.h, with operands; or a leaf, with the number of names. */
typedef struct quantity_operation {
  int op, a, b;
  double number;
  char *output; /* name of a leaf; NULL: the leaf is a coefficient, or the time where the coefficient is -1 */
  int coef;
} quantity_operation;

typedef struct model_quantity {
  char *name, *unit; /* unit "": not given */
  int n;
  quantity_operation *op;
} model_quantity;

/* Copies n quantities to new memory, which the caller owns; on failure no memory is kept. */
mbd_status quantities_copy(const model_quantity *from, int n, model_quantity **to, mbd_error *err);
void quantities_free(model_quantity *list, int n);

#endif
