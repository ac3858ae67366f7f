/* Outputs as operations on the components of their arguments (expand.h). */
#include "output/expand.h"

#include "base/expression.h"
#include "base/memory.h"
#include "base/operator.h"

/* ---- operations ---- */

/* Whether the operation that has been appended is linear in rates: sums are, and products and quotients with one factor that has rates. */
static void note_rates(expansion *x, int at) {
  const mbd_operation *o = &x->to->expression->value.op[at];
  const int operands = mbd_operator_at(o->op)->operands;
  const int a = operands > 0 ? x->contains[o->a] : 0, b = operands > 1 ? x->contains[o->b] : 0;
  const int rate_a = a & EXPANSION_RATE, rate_b = b & EXPANSION_RATE;
  int linear = !rate_a && !rate_b, contains = EXPANSION_FREE;
  switch (o->op) {
    case MBD_OP_NUMBER: contains = o->number != 0 ? EXPANSION_FREE : 0; break;
    case MBD_OP_LEAF:
      if (x->to->expression->leaf[o->a].is == VELOCITY_XD) { contains = EXPANSION_RATE, x->rate[at] = x->of->name; }
      break;
    case MBD_OP_ADD:
    case MBD_OP_SUB:
    case MBD_OP_NEG: linear = 1, contains = a | b; break;
    case MBD_OP_MUL: linear = !(rate_a && rate_b), contains = rate_a ? a : rate_b ? b : EXPANSION_FREE; break;
    case MBD_OP_DIV: linear = !rate_b, contains = rate_a ? a : EXPANSION_FREE; break;
    default: break;
  }
  const int of_b = rate_b && (!rate_a || o->op == MBD_OP_DIV);
  if (rate_a || rate_b) { x->rate[at] = x->rate[of_b ? o->b : o->a]; }
  if (!linear && !x->nonlinear) { x->nonlinear = x->rate[at]; }
  x->contains[at] = (unsigned char)contains;
}

static int no_memory(expansion *x) {
  x->status = MBD_FAILED(x->err, MBD_NO_MEMORY, "no memory for constraint '%s'", x->to->name);
  return 0;
}

static int too_many(expansion *x, int max, const char *what) {
  x->status =
      MBD_FAILED(x->err, MBD_BAD_INPUT, "constraint '%s': its value has more than %d %s", x->to->name, max, what);
  return 0;
}

int expand_operation(expansion *x, mbd_operation o) {
  mbd_expression *value = &x->to->expression->value;
  if (x->status != MBD_OK) { return 0; }
  if (value->n == VELOCITY_OPERATIONS_MAX) { return too_many(x, value->n, "operations, with those of its outputs"); }
  const int at = mbd_expression_append(value, o);
  if (at < 0) { return no_memory(x); }
  note_rates(x, at);
  return at;
}

static int binary(expansion *x, mbd_operator op, int a, int b) {
  return expand_operation(x, (mbd_operation){.op = op, .a = a, .b = b});
}

/* sum + a b; sum -1: none yet. Operands that append operations are made before, since compilers differ in which argument of a call comes first. */
static int add_product(expansion *x, int sum, int a, int b) {
  const int product = binary(x, MBD_OP_MUL, a, b);
  return sum < 0 ? product : binary(x, MBD_OP_ADD, sum, product);
}

int expand_leaf(expansion *x, velocity_leaf leaf) {
  velocity_law *law = x->to->expression;
  for (int i = 0; i < law->value.n; i++) {
    const mbd_operation *o = &law->value.op[i];
    if (o->op != MBD_OP_LEAF) { continue; }
    const velocity_leaf *there = &law->leaf[o->a];
    if (there->is == leaf.is && there->at == leaf.at && there->component == leaf.component) { return i; }
  }
  velocity_leaf *grown = mbd_list_grow(law->leaf, law->nleaf, sizeof *grown);
  if (!grown) { return no_memory(x); }
  law->leaf = grown;
  grown[law->nleaf++] = leaf;
  return expand_operation(x, (mbd_operation){.op = MBD_OP_LEAF, .a = law->nleaf - 1});
}

int expand_curve(expansion *x, int curve, int derivative, int a) {
  int *slot = x->to->curve, k = 0;
  while (k < MBD_CURVE_MAX && slot[k] >= 0 && slot[k] != curve) { k++; }
  if (k == MBD_CURVE_MAX) { return too_many(x, k, "curves"); }
  slot[k] = curve;
  if (derivative > 1) { /* which has no two derivatives more */
    x->status =
        MBD_FAILED(x->err, MBD_BAD_INPUT,
                   "constraint '%s': a second derivative of curve '%s' is in its value, expected derivative = 0 "
                   "or 1",
                   x->to->name, x->m->curve[curve].name);
  }
  return expand_operation(x, (mbd_operation){.op = MBD_OP_CURVE, .a = a, .b = k, .number = derivative});
}

/* ---- arguments ---- */

static int argument(expansion *x, mbd_arg arg, int order, int component);

/* w = 1/2 sum e_i x ed_i of the axes e_i of a body, so that arguments are linear in natural coordinates; 0 of the ground */
static int angular_velocity(expansion *x, int body, int k) {
  const int p = (k + 1) % 3, q = (k + 2) % 3;
  int sum[2] = {-1, -1};
  for (int i = 0; i < 3; i++) {
    const mbd_arg e = {MBD_ARG_VECTOR, model_axis_marker(x->m, body, i), -1};
    const int rate_q = argument(x, e, 1, q), e_p = argument(x, e, 0, p);
    sum[0] = add_product(x, sum[0], e_p, rate_q);
    const int rate_p = argument(x, e, 1, p), e_q = argument(x, e, 0, q);
    sum[1] = add_product(x, sum[1], e_q, rate_p);
  }
  const int half = expand_operation(x, (mbd_operation){.op = MBD_OP_NUMBER, .number = 0.5});
  return binary(x, MBD_OP_MUL, half, binary(x, MBD_OP_SUB, sum[0], sum[1]));
}

/* A component of an argument, or (order 1) of its rate. */
static int argument(expansion *x, mbd_arg arg, int order, int component) {
  mbd_lift *l = &x->to->lift;
  int k = 0;
  if (arg.kind == MBD_ARG_ROTATION) {
    const int w = angular_velocity(x, arg.b, component);
    return arg.a > 0 ? binary(x, MBD_OP_SUB, w, angular_velocity(x, arg.a, component)) : w;
  }
  while (k < l->narg && (l->arg[k].kind != arg.kind || l->arg[k].b != arg.b || l->arg[k].a != arg.a)) { k++; }
  if (k == CONSTRAINT_ARG_MAX) { return too_many(x, k, "points, axes of bodies and coordinates"); }
  if (k == l->narg) { l->arg[l->narg++] = arg; }
  return expand_leaf(x, (velocity_leaf){order ? VELOCITY_XD : VELOCITY_X, k, component});
}

/* ---- outputs ---- */

/* Component k of argument a of an output, or (order 1) of its rate. Seen from a body by theory.md §4 (4.3): e_k . x,  e_k . xd + ed_k . x,  of a
 * rotation e_k . w */
static int component(expansion *x, const output *o, int a, int order, int k) {
  const mbd_lift *l = &o->lift;
  int sum = -1;
  if (!o->from) { return argument(x, l->arg[a], order, k); }
  const mbd_arg axis = l->arg[l->narg - 3 + k];
  for (int j = 0; j < 3; j++) {
    const int y = argument(x, l->arg[a], order, j), along = argument(x, axis, 0, j);
    sum = add_product(x, sum, along, y);
    if (order == 0 || l->arg[a].kind == MBD_ARG_ROTATION) { continue; }
    const int still = argument(x, l->arg[a], 0, j), turning = argument(x, axis, 1, j);
    sum = add_product(x, sum, turning, still);
  }
  return sum;
}

static int norm(expansion *x, const output *o) {
  int sum = -1;
  for (int k = 0; k < 3; k++) {
    const int y = component(x, o, 0, o->ops->order, k);
    sum = add_product(x, sum, y, y);
  }
  return expand_operation(x, (mbd_operation){.op = MBD_OP_SQRT, .a = sum});
}

int expand_component(expansion *x, const output *o) {
  return o->component == 3 ? norm(x, o) : component(x, o, 0, o->ops->order, o->component);
}

int expand_along_axis(expansion *x, const output *o) {
  int sum = -1;
  if (o->component == 3) { return norm(x, o); }
  for (int j = 0; j < 3; j++) {
    const int rate = component(x, o, 0, 1, j), along = component(x, o, 1, 0, j);
    sum = add_product(x, sum, along, rate);
  }
  return sum;
}
