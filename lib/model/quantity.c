/* Derived quantities in a description and in the model that is made of it. */
#include "model/quantity.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/operator.h"
#include "curve/curve.h"
#include "model/spec_internal.h"

void quantity_free(model_quantity *quantity) {
  for (int i = 0; quantity->leaf && i < quantity->nleaf; i++) { free((char *)quantity->leaf[i].output); }
  free((mbd_leaf *)quantity->leaf), free(quantity->value.op), free((char *)quantity->name),
      free((char *)quantity->unit);
}

void quantities_free(model_quantity *list, int n) {
  for (int i = 0; list && i < n; i++) { quantity_free(&list[i]); }
  free(list);
}

mbd_operation *operations_copy(const mbd_expression *from) {
  const size_t bytes = (size_t)from->n * sizeof *from->op;
  mbd_operation *copy = malloc(bytes + 1);
  if (copy && bytes) { memcpy(copy, from->op, bytes); }
  return copy;
}

mbd_status quantity_copy(const model_quantity *from, model_quantity *to, mbd_error *err) {
  mbd_leaf *leaf = calloc((size_t)from->nleaf + 1, sizeof *leaf);
  *to = (model_quantity){mbd_strdup(from->name),
                         mbd_strdup(from->unit),
                         {from->value.n, operations_copy(&from->value)},
                         from->nleaf,
                         leaf,
                         from->noun};
  int whole = to->name && to->unit && to->value.op && leaf;
  for (int i = 0; whole && i < from->nleaf; i++) {
    const int is_output = from->leaf[i].is == MBD_LEAF_OUTPUT;
    leaf[i] = from->leaf[i];
    leaf[i].output = is_output ? mbd_strdup(from->leaf[i].output) : NULL;
    whole = leaf[i].output || !is_output;
  }
  if (whole) { return MBD_OK; }
  quantity_free(to);
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s '%s'", from->noun, from->name);
}

/* ---- description ---- */

static int is_between(int i, int n) {
  return i >= 0 && i < n;
}

/* What is wrong with leaf i; NULL: nothing. */
static const char *wrong_leaf(const mbd_spec *s, const mbd_leaf *leaf) {
  switch (leaf->is) {
    case MBD_LEAF_OUTPUT: return leaf->output ? NULL : "names no output";
    case MBD_LEAF_COEFFICIENT: return is_between(leaf->coef, s->ncoef) ? NULL : "names no coefficient";
    case MBD_LEAF_TIME: return NULL;
  }
  return "is not known";
}

/* The same of operation i, whose operands must come before it. */
static const char *wrong_operation(const mbd_spec *s, const model_quantity *quantity, int i) {
  const mbd_operation *o = &quantity->value.op[i];
  const mbd_operator_info *rule = mbd_operator_at(o->op);
  if (!rule) { return "is not known"; }
  if (o->op == MBD_OP_LEAF && !is_between(o->a, quantity->nleaf)) { return "names no leaf"; }
  if (o->op == MBD_OP_CURVE && !is_between(o->b, s->ncurve)) { return "names no curve"; }
  if (o->op == MBD_OP_CURVE && o->number != 0 && o->number != 1 && o->number != 2) { return "has no order 0, 1 or 2"; }
  const int before = (rule->operands < 1 || is_between(o->a, i)) && (rule->operands < 2 || is_between(o->b, i));
  return before ? NULL : "takes what does not come before it";
}

mbd_status quantity_check(const mbd_spec *s, const model_quantity *quantity, mbd_error *err) {
  const char *noun = quantity->noun, *name = quantity->name;
  if (quantity->value.n < 1) { MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s' has no operations", noun, name); }
  for (int i = 0; i < quantity->nleaf; i++) {
    const char *wrong = wrong_leaf(s, &quantity->leaf[i]);
    if (wrong) { MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s': leaf %d %s", noun, name, i, wrong); }
  }
  for (int i = 0; i < quantity->value.n; i++) {
    const char *wrong = wrong_operation(s, quantity, i);
    if (wrong) { MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s': operation %d %s", noun, name, i, wrong); }
  }
  return MBD_OK;
}

mbd_status mbd_spec_quantity(mbd_spec *s, const char *name, const char *unit, const mbd_expression *value, int nleaf,
                             const mbd_leaf *leaf, mbd_error *err) {
  const model_quantity given = {name, unit ? unit : "", *value, nleaf, leaf, "quantity"};
  for (int i = 0; i < s->nquantity; i++) {
    if (strcmp(s->quantity[i].name, name) == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "quantity '%s' is described twice", name);
    }
  }
  MBD_TRY(quantity_check(s, &given, err));
  model_quantity *grown = mbd_list_grow(s->quantity, s->nquantity, sizeof *grown);
  if (!grown) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for quantity '%s'", name); }
  s->quantity = grown;
  MBD_TRY(quantity_copy(&given, &grown[s->nquantity], err));
  s->nquantity++;
  return MBD_OK;
}

/* Sets value k of an element of the list. */
static mbd_status set_value(const mbd_spec *s, spec_element *list, int n, const model_quantity *given, int k,
                            mbd_error *err) {
  int i = n - 1;
  while (i >= 0 && strcmp(list[i].name, given->name) != 0) { i--; } /* the last one is the most likely */
  if (i < 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s' is not described", given->noun, given->name); }
  if (!is_between(k, MBD_VALUE_MAX) || list[i].value[k].value.n) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s' has a value number %d already, or none of this number", given->noun,
             given->name, k);
  }
  MBD_TRY(quantity_check(s, given, err));
  return quantity_copy(given, &list[i].value[k], err);
}

mbd_status mbd_spec_force_value(mbd_spec *s, const char *force, int k, const mbd_expression *value, int nleaf,
                                const mbd_leaf *leaf, mbd_error *err) {
  return set_value(s, s->force, s->nforce, &(model_quantity){force, "", *value, nleaf, leaf, "force"}, k, err);
}

mbd_status mbd_spec_constraint_value(mbd_spec *s, const char *constraint, const mbd_expression *value, int nleaf,
                                     const mbd_leaf *leaf, mbd_error *err) {
  const model_quantity given = {constraint, "", *value, nleaf, leaf, "constraint"};
  return set_value(s, s->constraint, s->nconstraint, &given, 0, err);
}

/* What is wrong with an expression as a curve, besides its operations; NULL: nothing. */
static const char *wrong_curve(const spec_curve *curve, const mbd_expression *value) {
  if (strcmp(curve->kind, "expression") != 0) { return "is of another kind than expression"; }
  if (curve->value.n) { return "has its expression already"; }
  if (value->n > CURVE_OPERATIONS_MAX) { return "has too many operations"; }
  for (int i = 0; i < value->n; i++) {
    if (value->op[i].op == MBD_OP_CURVE) { return "has a curve in its expression"; }
  }
  return NULL;
}

mbd_status mbd_spec_curve_value(mbd_spec *s, const char *curve, const mbd_expression *value, mbd_error *err) {
  const int i = mbd_names_find(&s->curve_names, curve);
  if (i < 0) { MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s' is not described", curve); }
  spec_curve *described = &s->curve[i];
  const char *wrong = wrong_curve(described, value);
  if (wrong) { MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s' %s", curve, wrong); }
  /* Its leaves are numbers, as the time is. */
  mbd_leaf *leaf = calloc((size_t)described->nc + 1, sizeof *leaf);
  if (!leaf) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for curve '%s'", curve); }
  for (int k = 0; k <= described->nc; k++) { leaf[k].is = MBD_LEAF_TIME; }
  const model_quantity given = {curve, "", *value, described->nc + 1, leaf, "curve"};
  const mbd_status status = quantity_check(s, &given, err);
  free(leaf);
  MBD_TRY(status);
  described->value = (mbd_expression){value->n, operations_copy(value)};
  if (!described->value.op) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for curve '%s'", curve); }
  return MBD_OK;
}

/* ---- model ---- */

mbd_status quantities_copy(const model_quantity *from, int n, model_quantity **to, mbd_error *err) {
  *to = calloc((size_t)n + 1, sizeof **to);
  if (!*to) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the quantities of the model"); }
  for (int i = 0; i < n; i++) {
    const mbd_status status = quantity_copy(&from[i], &(*to)[i], err);
    if (status == MBD_OK) { continue; }
    quantities_free(*to, i);
    *to = NULL;
    return status;
  }
  return MBD_OK;
}
