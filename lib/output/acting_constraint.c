/* Compiles the values of constraints by expression: finds their outputs, refuses those that cannot be in a constraint, takes the others apart
 * into their arguments (expand.h), and refuses what is not linear in rates. theory.md §4.4 (4.21) */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/operator.h"
#include "model/spec_internal.h"
#include "output/acting.h"
#include "output/expand.h"

static mbd_status check_outputs(const mbd_constraint *c, const mbd_outputs *input, mbd_error *err) {
  for (int i = 0; i < input->n; i++) {
    const output *o = &input->item[i];
    const char *why = o->ops->order == 2 && !o->ops->reactions ? "is an acceleration" : acting_why_not(o);
    if (!why && o->of == &output_states) { why = "is a state, on which a reaction cannot act"; }
    if (!why && !o->ops->expand) { why = "has no derivatives of the order that a constraint takes"; }
    if (!why) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "constraint '%s': '%s' %s; expected positions and velocities of points and centres of mass, rates of "
             "bodies, coordinates and their rates",
             c->name, o->name, why);
  }
  return MBD_OK;
}

/* Operation i of the formula; place: where the operations before it are. */
static int expand_one(expansion *x, const output_formula *f, int i, const int *place) {
  mbd_operation o = f->value.op[i];
  const formula_leaf *leaf = o.op == MBD_OP_LEAF ? &f->leaf[o.a] : NULL;
  if (leaf) {
    switch (leaf->is) {
      case MBD_LEAF_OUTPUT: x->of = &f->input->item[leaf->at]; return x->of->ops->expand(x, x->of);
      case MBD_LEAF_COEFFICIENT: return expand_leaf(x, (velocity_leaf){VELOCITY_COEFFICIENT, leaf->at, 0});
      case MBD_LEAF_TIME: x->to->expression->ops.timed = 1; break;
    }
    return expand_leaf(x, (velocity_leaf){VELOCITY_TIME, 0, 0});
  }
  if (o.op == MBD_OP_CURVE) { return expand_curve(x, o.b, (int)o.number, place[o.a]); }
  const int operands = mbd_operator_at(o.op)->operands;
  if (operands > 0) { o.a = place[o.a]; }
  if (operands > 1) { o.b = place[o.b]; }
  return expand_operation(x, o);
}

static mbd_status check_linear(const expansion *x, int end, mbd_error *err) {
  const char *name = x->to->name;
  if (x->nonlinear) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "constraint '%s': its value is not linear in '%s', which is multiplied by a velocity, or is in a "
             "denominator or a function; expected a sum of velocities, each times a function of positions, scalars and "
             "time",
             name, x->nonlinear);
  }
  if (x->contains[end] & EXPANSION_RATE) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_BAD_INPUT,
      "constraint '%s': its value has no velocity, so that it would be a constraint of positions; expected one, as "
      "POINT.velocity.x or COORDINATE.rate, or another type of constraint, as driven_coordinate or gear",
      name);
}

/* The value becomes the law of the constraint, with its arguments. */
static mbd_status expand(expansion *x, const output_formula *f, mbd_error *err) {
  mbd_constraint *c = x->to;
  velocity_law *law = c->expression;
  int *place = mbd_zeros((size_t)f->value.n, sizeof *place);
  if (!place) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for constraint '%s'", c->name); }
  for (int i = 0; i < f->value.n; i++) { place[i] = expand_one(x, f, i, place); }
  const int end = place[f->value.n - 1];
  free(place);
  MBD_TRY(x->status);
  MBD_TRY(check_linear(x, end, err));
  law->value.n = end + 1;
  law->ops.narg = c->lift.narg;
  for (int a = 0; a < c->lift.narg; a++) { law->ops.arg[a] = (mbd_arg_info){c->lift.arg[a].kind, a, -1}; }
  if (!(x->contains[end] & EXPANSION_FREE)) { law->ops.phi_t = NULL; } /* no b */
  lift_destroy(&c->lift);
  return lift_create(x->m, &c->lift, law->ops.frame_free, err);
}

mbd_status acting_compile_constraint(const mbd_spec *s, mbd_model *m, mbd_constraint *c, mbd_error *err) {
  int i = 0;
  while (strcmp(s->constraint[i].name, c->name) != 0) { i++; }
  output_formula *f = NULL;
  expansion *x = mbd_zeros(1, sizeof *x);
  if (!x) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for constraint '%s'", c->name); }
  x->m = m, x->to = c, x->err = err;
  mbd_status status = derived_compile(m, &s->constraint[i].value[0], &f, err);
  if (f && f->input) {
    const mbd_status outputs = check_outputs(c, f->input, err); /* told before units that do not fit for that reason */
    status = outputs == MBD_OK ? status : outputs;
  }
  if (status == MBD_OK) { status = expand(x, f, err); }
  derived_free(f), free(x);
  return status;
}
