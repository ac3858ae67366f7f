/* Polynomial:  y = sum_k c_k x^k */
#include "curve/curve.h"
#include "curve/curve_check.h"

/* Evaluates y, y' and y'' by Horner's scheme. */
static void horner(int n, const mbd_real *c, mbd_real x, mbd_curve_value *v) {
  mbd_real y = 0, d = 0, h = 0; /* h = y''/2 */
  for (int k = n - 1; k >= 0; k--) {
    h = h * x + d;
    d = d * x + y;
    y = y * x + c[k];
  }
  *v = (mbd_curve_value){y, d, 2 * h};
}

static void polynomial_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                            mbd_curve_value *v) {
  (void)aux;
  horner(k->nc, c, x, v);
}

static mbd_real polynomial_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  mbd_real y = 0;
  (void)aux;
  for (int i = k->nc - 1; i >= 3; i--) { y = y * x + i * (i - 1) * (i - 2) * c[i]; }
  return y;
}

static void polynomial_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                             const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  (void)c, (void)aux, (void)daux;
  horner(k->nc, dc, x, dv);
}

static void polynomial_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                               const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  mbd_real y = 1, d = 0, h = 0; /* x^i, its derivative, half its second one */
  (void)c, (void)aux, (void)auxbar;
  for (int i = 0; i < k->nc; i++) {
    cbar[i] += vbar->y * y + vbar->yx * d + 2 * vbar->yxx * h;
    h = h * x + d;
    d = d * x + y;
    y = y * x;
  }
}

const mbd_curve_ops mbd_curve_polynomial = {
    CURVE(polynomial, 1, 16),
    .doc = "y = c0 + c1 x + c2 x^2 + ...; one coefficient makes a constant.",
    .units = "y/x^i",
    .coefs = "c0, c1, c2, ...",
};
