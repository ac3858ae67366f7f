/* Derived quantities in a description and in the model that is made of it. */
#include "model/quantity.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/operator.h"
#include "model/spec_internal.h"
#include "base/sized.h"

static void quantity_free(model_quantity *q) {
  for (int i = 0; q->op && i < q->n; i++) { free(q->op[i].output); }
  free(q->op), free(q->name), free(q->unit);
}

void quantities_free(model_quantity *list, int n) {
  for (int i = 0; list && i < n; i++) { quantity_free(&list[i]); }
  free(list);
}

static mbd_status no_memory(const char *name, mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for quantity '%s'", name);
}

/* Copies the name and the unit, and takes memory for n operations. */
static mbd_status begin(model_quantity *q, const char *name, const char *unit, int n, mbd_error *err) {
  *q = (model_quantity){.name = mbd_strdup(name), .unit = mbd_strdup(unit ? unit : ""), .n = n};
  q->op = calloc((size_t)n + 1, sizeof *q->op);
  return q->name && q->unit && q->op ? MBD_OK : no_memory(name, err);
}

/* ---- description ---- */

static mbd_status wrong_operation(const char *name, int i, const char *what, mbd_error *err) {
  MBD_FAIL(err, MBD_BAD_INPUT, "quantity '%s': operation %d %s", name, i + 1, what);
}

/* Checks operation i of a quantity and converts it: its operands must come before it, and its coefficient must exist. */
static mbd_status read_operation(const mbd_spec *s, const char *name, const mbd_operation *from, int i,
                                 quantity_operation *to, mbd_error *err) {
  *to = (quantity_operation){.op = MBD_OP_NAME, .a = from->a, .b = from->b, .number = from->number, .coef = -1};
  if (strcmp(from->op, "number") == 0) {
    to->op = MBD_OP_NUMBER;
  } else if (strcmp(from->op, "output") == 0) {
    to->output = mbd_strdup(from->output);
    if (!to->output) { return no_memory(name, err); }
  } else if (strcmp(from->op, "coefficient") == 0) {
    to->coef = from->coef;
    if (from->coef < 0 || from->coef >= s->ncoef) { return wrong_operation(name, i, "names no coefficient", err); }
  } else if (strcmp(from->op, "time") != 0) {
    to->op = mbd_operator_find(from->op);
    if (to->op < 0) { return wrong_operation(name, i, "is not known", err); }
    const int two = mbd_operator_at(to->op)->operands == 2;
    if (to->a < 0 || to->a >= i || (two && (to->b < 0 || to->b >= i))) {
      return wrong_operation(name, i, "takes what does not come before it", err);
    }
    if (!two) { to->b = -1; }
  }
  return MBD_OK;
}

/* Operation i of a list of another version of the headers. */
static mbd_status read_sized(const mbd_spec *s, const char *name, const mbd_operation *op, size_t size, int i,
                             quantity_operation *to, mbd_error *err) {
  mbd_operation own;
  SIZED_READ(&own, (const char *)op + (size_t)i * size, size, "mbd_operation", err);
  return read_operation(s, name, &own, i, to, err);
}

/* The quantity is appended to the list of the description only when all its operations are right. */
mbd_status mbd_spec_quantity_sized(mbd_spec *s, const char *name, const char *unit, int n, const mbd_operation *op,
                                   size_t size, mbd_error *err) {
  model_quantity q;
  for (int i = 0; i < s->nquantity; i++) {
    if (strcmp(s->quantity[i].name, name) == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "quantity '%s' is described twice", name);
    }
  }
  if (n < 1) { MBD_FAIL(err, MBD_BAD_INPUT, "quantity '%s' has no operations", name); }
  mbd_status status = begin(&q, name, unit, n, err);
  for (int i = 0; i < n && status == MBD_OK; i++) { status = read_sized(s, name, op, size, i, &q.op[i], err); }
  model_quantity *grown = status == MBD_OK ? mbd_list_grow(s->quantity, s->nquantity, sizeof *grown) : NULL;
  if (status == MBD_OK && !grown) { status = no_memory(name, err); }
  if (status != MBD_OK) {
    quantity_free(&q);
    return status;
  }
  s->quantity = grown;
  grown[s->nquantity++] = q;
  return MBD_OK;
}

/* ---- model ---- */

static mbd_status quantity_copy(const model_quantity *from, model_quantity *to, mbd_error *err) {
  MBD_TRY(begin(to, from->name, from->unit, from->n, err));
  for (int i = 0; i < from->n; i++) {
    to->op[i] = from->op[i];
    to->op[i].output = mbd_strdup(from->op[i].output);
    if (from->op[i].output && !to->op[i].output) { return no_memory(from->name, err); }
  }
  return MBD_OK;
}

mbd_status quantities_copy(const model_quantity *from, int n, model_quantity **to, mbd_error *err) {
  mbd_status status = MBD_OK;
  *to = calloc((size_t)n + 1, sizeof **to);
  if (!*to) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the quantities of the model"); }
  for (int i = 0; i < n && status == MBD_OK; i++) { status = quantity_copy(&from[i], &(*to)[i], err); }
  if (status != MBD_OK) {
    quantities_free(*to, n);
    *to = NULL;
  }
  return status;
}
