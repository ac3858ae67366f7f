/* Checks the units of a derived quantity for which a unit is stated. */
#include <stdio.h>
#include <string.h>

#include "base/operator.h"
#include "base/unit.h"
#include "output/derived.h"

/* The unit of a node, as far as it is known. Numbers have no unit in products, and any unit in sums and comparisons. */
typedef enum node_knowledge { ANY, NUMBER, KNOWN } node_knowledge;
typedef struct node_unit {
  node_knowledge is;
  mbd_unit unit;
  int scaled; /* 1: it has a number as a factor, which may have a unit in the argument of sin, exp, ... and beside what has none: the frequency and
               * the amplitude in 0.05*sin(2*pi*0.6*time) */
} node_unit;

static node_unit unit_written(const char *text) {
  node_unit u = {ANY, {.factor = 1}, 0};
  if (*text && mbd_unit_parse(text, &u.unit)) { u.is = KNOWN; }
  return u;
}

/* In the value of a force a number may be a gain with any unit. */
static node_unit leaf_unit(const output_formula *f, const mbd_operation *o, int of_force) {
  const node_unit any = {ANY, {.factor = 1}, 0}, number = {NUMBER, any.unit, 1};
  if (o->op == MBD_OP_NUMBER) { return of_force ? any : number; }
  const formula_leaf *leaf = &f->leaf[o->a];
  if (leaf->is == MBD_LEAF_COEFFICIENT) { return any; }
  return unit_written(leaf->is == MBD_LEAF_TIME ? "s" : f->input->item[leaf->at].unit);
}

static node_unit raised(node_unit a, double by) {
  for (int k = 0; k < MBD_UNIT_POWERS; k++) { a.unit.power[k] *= by; }
  return a;
}

static node_unit multiplied(node_unit a, node_unit b, double sign) {
  if (a.is == ANY || b.is == ANY) { return (node_unit){ANY, {.factor = 1}, 0}; }
  a.scaled |= b.scaled;
  for (int k = 0; k < MBD_UNIT_POWERS; k++) { a.unit.power[k] += sign * b.unit.power[k]; }
  a.is = a.is == KNOWN || b.is == KNOWN ? KNOWN : NUMBER;
  return a;
}

/* A number times what has no unit is a number. */
static node_unit as_term(node_unit a) {
  int none = a.is == KNOWN && a.scaled;
  for (int k = 0; k < MBD_UNIT_POWERS; k++) { none &= a.unit.power[k] == 0; }
  if (none) { a.is = NUMBER; }
  return a;
}

/* The common unit of two operands that must have the same unit; 0: they have different ones. That of a scalar and a number is not known. */
static int joined(node_unit a, node_unit b, node_unit *both) {
  a = as_term(a), b = as_term(b);
  *both = a.is == KNOWN || (a.is == ANY && b.is == NUMBER) ? a : b;
  both->scaled = a.scaled && b.scaled;
  return a.is != KNOWN || b.is != KNOWN || mbd_unit_alike(&a.unit, &b.unit);
}

/* The exponent, if it is a number. */
static node_unit power(const output_formula *f, const mbd_operation *o, node_unit a) {
  const mbd_operation *exponent = &f->value.op[o->b];
  return exponent->op == MBD_OP_NUMBER ? raised(a, exponent->number) : (node_unit){ANY, {.factor = 1}, 0};
}

/* *u: the unit of the result; returns 0 if the units of the operands do not fit. */
static int operation_unit(const output_formula *f, const mbd_operation *o, const node_unit *of, node_unit *u) {
  const mbd_operator_info *rule = mbd_operator_at(o->op);
  const node_unit none = {KNOWN, {.factor = 1}, 0}, a = of[o->a],
                  b = rule->operands == 2 ? of[o->b] : (node_unit){NUMBER, none.unit, 1};
  int fit = 1;
  switch (rule->units) {
    case MBD_UNITS_SAME: return joined(a, b, u);
    case MBD_UNITS_PRODUCT: *u = multiplied(a, b, 1); break;
    case MBD_UNITS_QUOTIENT: *u = multiplied(a, b, -1); break;
    case MBD_UNITS_POWER: *u = power(f, o, a); break;
    case MBD_UNITS_ROOT: *u = raised(a, 0.5); break;
    case MBD_UNITS_NONE: fit = joined(a, none, u) || a.scaled, *u = none; break;
    case MBD_UNITS_UNKNOWN: *u = (node_unit){ANY, {.factor = 1}, 0}; break;
    case MBD_UNITS_ANGLE: fit = joined(a, b, u), *u = none; break;
  }
  return fit;
}

static void describe(node_unit u, char text[64]) {
  static const char *const base[] = {"m", "kg", "s"};
  size_t n = 0;
  text[0] = '\0';
  for (int k = 0; k < MBD_UNIT_POWERS && u.is == KNOWN; k++) {
    if (u.unit.power[k] == 0) { continue; }
    n += (size_t)snprintf(text + n, 64 - n, u.unit.power[k] == 1 ? "%s%s" : "%s%s^%g", n ? " " : "", base[k],
                          u.unit.power[k]);
  }
  if (!n) { snprintf(text, 64, "no unit"); }
}

/* Finds the unit of every operation from those of its operands, and compares the last one with the stated unit. */
mbd_status derived_check_units(const mbd_model *m, const output_formula *f, const model_quantity *formula, int quantity,
                               const int *end, mbd_error *err) {
  const int last = f->value.n - 1;
  const char *stated_of[DERIVED_MAX] = {0}; /* units that quantities in the formula have */
  node_unit of[DERIVED_MAX], stated = unit_written(formula->unit), both;
  char one[64], other[64];
  if (stated.is != KNOWN) { return MBD_OK; }
  for (int k = 0; k < m->nquantity; k++) {
    if (k != quantity && end[k] >= 0 && *m->quantity[k].unit) { stated_of[end[k]] = m->quantity[k].unit; }
  }
  for (int i = 0; i <= last; i++) {
    const mbd_operation *o = &f->value.op[i];
    const mbd_operator_info *rule = mbd_operator_at(o->op);
    if (!rule->operands) {
      of[i] = leaf_unit(f, o, quantity < 0);
      continue;
    }
    if (!operation_unit(f, o, of, &of[i])) {
      describe(of[o->a], one);
      describe(rule->operands == 2 ? of[o->b] : (node_unit){KNOWN, {.factor = 1}, 0}, other);
      if (rule->units == MBD_UNITS_NONE) {
        MBD_FAIL(err, MBD_BAD_INPUT,
                 "%s '%s': '%s' of %s, expected no unit; a factor that is a number or a scalar may have the missing "
                 "one, as in sin(2*pi*0.6*time)",
                 formula->noun, formula->name, rule->name, one);
      }
      MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s': '%s' of %s and %s, expected the same units on both sides", formula->noun,
               formula->name, rule->name, one, other);
    }
    if (stated_of[i]) { of[i] = unit_written(stated_of[i]); }
  }
  if (joined(of[last], stated, &both)) { return MBD_OK; }
  describe(of[last], one);
  describe(stated, other);
  if (quantity < 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s '%s': its value is in %s, expected %s (numbers and scalars may have any unit)",
             formula->noun, formula->name, one, formula->unit);
  }
  MBD_FAIL(
      err, MBD_BAD_INPUT,
      "quantity '%s': its value is in %s, expected unit = %s, which is %s (numbers have no unit; scalars may have any)",
      formula->name, one, formula->unit, other);
}
