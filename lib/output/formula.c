/* Values of compiled expressions, and their derivatives by leaves and by the coefficients of the curves in them (derived.h). A curve is an
 * operation on the value of another one, theory.md §4.2 (4.18). */
#include <string.h>

#include "base/expression.h"
#include "output/derived.h"

static const mbd_curve *curve_of(const formula_at *at, const mbd_operation *o) {
  return &at->m->curve[o->b];
}

/* The member of a curve's values that an operation takes. */
static mbd_real *member(mbd_curve_value *v, const mbd_operation *o) {
  return o->number == 0 ? &v->y : o->number == 1 ? &v->yx : &v->yxx;
}

static void curve_at(const void *of, const mbd_operation *o, mbd_real a, mbd_real *y, mbd_real *slope) {
  const formula_at *at = of;
  const mbd_curve *k = curve_of(at, o);
  mbd_curve_value v, shifted = {0, 0, 0};
  curve_eval(k, at->theta, at->aux, a, &v);
  *y = *member(&v, o);
  if (o->number < 2) {
    *slope = o->number == 0 ? v.yx : v.yxx;
    return;
  }
  curve_shift(k, at->theta, at->aux, a, 1, &shifted);
  *slope = shifted.yxx;
}

void formula_values(const formula_at *at, const mbd_real *x, mbd_real *v) {
  const mbd_expression_curves curves = {.at = curve_at, .of = at};
  mbd_expression_values(&at->f->value, &curves, x, NULL, v, NULL);
}

void formula_slopes(const formula_at *at, const mbd_real *v, mbd_real s, mbd_real *reverse, mbd_real *xbar) {
  const mbd_expression_curves curves = {.at = curve_at, .of = at};
  memset(xbar, 0, (size_t)at->f->nleaf * sizeof *xbar);
  mbd_expression_reverse(&at->f->value, &curves, v, NULL, s, reverse, NULL, xbar);
}

mbd_real formula_curves_along(const formula_at *at, const mbd_real *v, const mbd_real *reverse, const mbd_real *dtheta,
                              const mbd_real *daux) {
  mbd_real sum = 0;
  for (int i = 0; i < at->f->value.n; i++) {
    const mbd_operation *o = &at->f->value.op[i];
    mbd_curve_value dv;
    if (o->op != MBD_OP_CURVE || mbd_none(reverse[i] != 0)) { continue; }
    curve_deval(curve_of(at, o), at->theta, at->aux, dtheta, daux, v[o->a], &dv);
    sum += reverse[i] * *member(&dv, o);
  }
  return sum;
}

void formula_curves_reverse(const formula_at *at, const mbd_real *v, const mbd_real *reverse, params_reverse *to) {
  for (int i = 0; i < at->f->value.n; i++) {
    const mbd_operation *o = &at->f->value.op[i];
    mbd_curve_value bar = {0, 0, 0};
    if (o->op != MBD_OP_CURVE || !to->curve_requested[o->b] || mbd_none(reverse[i] != 0)) { continue; }
    *member(&bar, o) = reverse[i];
    curve_reverse(curve_of(at, o), at->theta, at->aux, v[o->a], &bar, to->requested, to->theta, to->aux);
  }
}
