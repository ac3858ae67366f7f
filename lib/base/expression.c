/* Expressions: each rule of differentiation is in operator.c, once; here are the sweeps that apply them. */
#include "base/expression.h"

#include "base/memory.h"
#include "base/operator.h"

int mbd_expression_append(mbd_expression *e, mbd_operation o) {
  mbd_operation *grown = mbd_list_grow(e->op, e->n, sizeof *grown);
  if (!grown) { return -1; }
  e->op = grown;
  grown[e->n] = o;
  return e->n++;
}

/* v = f(a, b),  dv = f_a da + f_b db */
void mbd_expression_values(const mbd_expression *e, const mbd_expression_curves *curves, const mbd_real *x,
                           const mbd_real *dx, mbd_real *v, mbd_real *dv) {
  for (int i = 0; i < e->n; i++) {
    const mbd_operation *o = &e->op[i];
    if (o->op <= MBD_OP_LEAF) {
      const int is_leaf = o->op == MBD_OP_LEAF;
      v[i] = is_leaf ? x[o->a] : o->number;
      if (dx) { dv[i] = is_leaf ? dx[o->a] : 0; }
      continue;
    }
    mbd_real slope_a, slope_b, change = 0;
    if (o->op == MBD_OP_CURVE) {
      curves->at(curves->of, o, v[o->a], &v[i], &slope_a);
      if (dx && curves->change) { curves->change(curves->of, o, v[o->a], dv[o->a], &change, &slope_b); }
      if (dx) { dv[i] = mbd_times(slope_a, dv[o->a]) + change; }
      continue;
    }
    const mbd_operator_info *rule = mbd_operator_at(o->op);
    const int two = rule->operands == 2;
    const mbd_real a = v[o->a], b = two ? v[o->b] : 0;
    v[i] = rule->f(a, b);
    if (!dx) { continue; }
    rule->d(a, b, &slope_a, &slope_b);
    dv[i] = mbd_times(slope_a, dv[o->a]);
    if (two) { dv[i] += mbd_times(slope_b, dv[o->b]); }
  }
}

/* From the last operation to the first
 *   bar_a += f_a bar,   dbar_a += f_a dbar + (f_aa da + f_ab db) bar,   and so for b */
void mbd_expression_reverse(const mbd_expression *e, const mbd_expression_curves *curves, const mbd_real *v,
                            const mbd_real *dv, mbd_real scale, mbd_real *reverse, mbd_real *dbar, mbd_real *xbar) {
  /* bar of the last operation, which is the value of the expression, is `scale`; the other sums begin at zero. */
  for (int i = 0; i < e->n; i++) {
    reverse[i] = i == e->n - 1 ? scale : 0;
    if (dv) { dbar[i] = 0; }
  }
  for (int i = e->n - 1; i >= 0; i--) {
    const mbd_operation *o = &e->op[i];
    /* Leaves add dbar (without changes dv: bar) to xbar. Operations that do not affect the result are left out. */
    if (o->op == MBD_OP_LEAF) { xbar[o->a] += dv ? dbar[i] : reverse[i]; }
    if (o->op <= MBD_OP_LEAF || (mbd_none(reverse[i] != 0) && (!dv || mbd_none(dbar[i] != 0)))) { continue; }
    mbd_real slope_a, slope_b, y;
    if (o->op == MBD_OP_CURVE) {
      curves->at(curves->of, o, v[o->a], &y, &slope_a);
      if (dv) { dbar[o->a] += mbd_times(dbar[i], slope_a); }
      if (dv && curves->change) {
        curves->change(curves->of, o, v[o->a], dv[o->a], &y, &slope_b);
        dbar[o->a] += mbd_times(reverse[i], slope_b);
      }
      reverse[o->a] += reverse[i] * slope_a;
      continue;
    }
    const mbd_operator_info *rule = mbd_operator_at(o->op);
    const int two = rule->operands == 2;
    const mbd_real a = v[o->a], b = two ? v[o->b] : 0;
    rule->d(a, b, &slope_a, &slope_b);
    /* dbar of the operands, with the curvature of the operator; then bar of the operands. */
    if (dv) {
      const mbd_curvature s = rule->dd(a, b);
      const mbd_real da = dv[o->a], db = two ? dv[o->b] : 0;
      dbar[o->a] += mbd_times(dbar[i], slope_a) + mbd_times(reverse[i], mbd_times(s.aa, da) + mbd_times(s.ab, db));
      if (two) {
        dbar[o->b] += mbd_times(dbar[i], slope_b) + mbd_times(reverse[i], mbd_times(s.ab, da) + mbd_times(s.bb, db));
      }
    }
    if (mbd_none(reverse[i] != 0)) { continue; }
    reverse[o->a] += reverse[i] * slope_a;
    if (two) { reverse[o->b] += reverse[i] * slope_b; }
  }
}
