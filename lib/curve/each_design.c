/* A kind of curve at the abscissae of several designs. Where these lie in different intervals, each design is computed by itself: with its
 * abscissa in the places of all. */
#include "curve/curve.h"

#if MBD_DESIGNS > 1

/* v at x for all designs at once; 0: they differ in a decision, and v is void. */
static int eval_together(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v) {
  const int before = designs_apart; /* elsewhere */
  designs_apart = 0;
  k->ops->eval(k, c, aux, x, v);
  const int together = !designs_apart;
  designs_apart = before;
  return together;
}

static void take(int i, const mbd_curve_value *from, mbd_curve_value *to) {
  to->y[i] = from->y[i], to->yx[i] = from->yx[i], to->yxx[i] = from->yxx[i];
}

void curve_kind_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v) {
  mbd_curve_value one;
  if (eval_together(k, c, aux, x, v)) { return; }
  for (int i = 0; i < MBD_DESIGNS; i++) {
    k->ops->eval(k, c, aux, x[i], &one);
    take(i, &one, v);
  }
}

mbd_real curve_kind_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  mbd_curve_value v;
  mbd_real third = 0;
  if (eval_together(k, c, aux, x, &v)) { return k->ops->third(k, c, aux, x); }
  for (int i = 0; i < MBD_DESIGNS; i++) { third[i] = k->ops->third(k, c, aux, x[i])[i]; }
  return third;
}

void curve_kind_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                      const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  mbd_curve_value one;
  if (eval_together(k, c, aux, x, dv)) {
    k->ops->deval(k, c, aux, dc, daux, x, dv);
    return;
  }
  for (int i = 0; i < MBD_DESIGNS; i++) {
    k->ops->deval(k, c, aux, dc, daux, x[i], &one);
    take(i, &one, dv);
  }
}

void curve_kind_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                        const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  mbd_curve_value v;
  if (eval_together(k, c, aux, x, &v)) {
    k->ops->reverse(k, c, aux, x, vbar, cbar, auxbar);
    return;
  }
  for (int i = 0; i < MBD_DESIGNS; i++) {
    mbd_curve_value one = {0}; /* the others add nothing */
    take(i, vbar, &one);
    k->ops->reverse(k, c, aux, x[i], &one, cbar, auxbar);
  }
}

#endif
