/* Cubic B-spline: y = sum_i N_i(x) c_i, with the breaks at all knots but the second and the last but one, those at the ends fourfold:
 *   tau = t_0, t_0, t_0, t_0, t_2, t_3, ..., t_{n-3}, t_{n-1}, t_{n-1}, t_{n-1}, t_{n-1}
 * so that there is one control point for each knot, close to it, and the curve begins and ends at those of the ends. Basis functions and
 * their derivatives, on tau_m <= x < tau_{m+1}, come from those of lower degree (Cox and de Boor):
 *   N_i^p  = (x - tau_i) q_i + (tau_{i+p+1} - x) q_{i+1},   q_i = N_i^{p-1} / (tau_{i+p} - tau_i)
 *   N_i^p' = p (q_i - q_{i+1})
 * Beyond the ends the curve continues along its end tangents. */
#include "curve/curve.h"
#include "curve/curve_check.h"

enum { DEGREE = 3, ORDER = DEGREE + 1 };

/* The basis functions that are not zero at x. They belong to the control points first, first + 1, ... */
typedef struct basis {
  int first;
  mbd_real y[ORDER], yx[ORDER], yxx[ORDER];
} basis;

static double tau(const mbd_curve *k, int i) {
  return i <= DEGREE ? k->knot[0] : i >= k->nc ? k->knot[k->nc - 1] : k->knot[i - 2];
}

/* m with tau_m <= x < tau_{m+1}; x inside the knots */
static int interval(const mbd_curve *k, mbd_value x) {
  const int m = curve_interval(k->nc, k->knot, x) + 2;
  return m < DEGREE ? DEGREE : m > k->nc - 1 ? k->nc - 1 : m;
}

/* N [p + 1], those of degree p that are not zero on interval m, from those of degree p - 1, low [p]. */
static void raise(const mbd_curve *k, int m, int p, mbd_real x, const mbd_real *low, mbd_real *N) {
  N[0] = 0;
  for (int r = 0; r < p; r++) {
    const double begin = tau(k, m - p + 1 + r), end = tau(k, m + 1 + r);
    const mbd_real q = low[r] / (end - begin);
    N[r] += (end - x) * q;
    N[r + 1] = (x - begin) * q;
  }
}

/* N_x [p + 1]: derivatives of the functions of degree p, from low [p], the functions of degree p - 1 or derivatives of them. */
static void differentiate(const mbd_curve *k, int m, int p, const mbd_real *low, mbd_real *N_x) {
  N_x[0] = 0;
  for (int r = 0; r < p; r++) {
    const mbd_real q = p * low[r] / (tau(k, m + 1 + r) - tau(k, m - p + 1 + r));
    N_x[r] -= q;
    N_x[r + 1] = q;
  }
}

static void on_interval(const mbd_curve *k, int m, mbd_real x, basis *b) {
  mbd_real constant[1] = {1}, linear[2], square[3], slope[3];
  raise(k, m, 1, x, constant, linear);
  raise(k, m, 2, x, linear, square);
  raise(k, m, 3, x, square, b->y);
  differentiate(k, m, 3, square, b->yx);
  differentiate(k, m, 2, linear, slope);
  differentiate(k, m, 3, slope, b->yxx);
  b->first = m - DEGREE;
}

static void basis_at(const mbd_curve *k, mbd_real x, basis *b) {
  const double first = k->knot[0], last = k->knot[k->nc - 1];
  if (mbd_if(mbd_re(x) >= first && mbd_re(x) <= last)) {
    on_interval(k, interval(k, mbd_re(x)), x, b);
    return;
  }
  const double end = mbd_if(mbd_re(x) < first) ? first : last; /* along the tangent of the near end */
  on_interval(k, interval(k, end), end, b);
  for (int i = 0; i < ORDER; i++) { b->y[i] += b->yx[i] * (x - end), b->yxx[i] = 0; }
}

/* The curve is linear in c, so that this function evaluates values and changes along a direction alike. */
static void evaluate(const mbd_curve *k, const mbd_real *c, mbd_real x, mbd_curve_value *v) {
  basis b;
  basis_at(k, x, &b);
  *v = (mbd_curve_value){0, 0, 0};
  for (int i = 0; i < ORDER; i++) {
    v->y += b.y[i] * c[b.first + i];
    v->yx += b.yx[i] * c[b.first + i];
    v->yxx += b.yxx[i] * c[b.first + i];
  }
}

static void bspline_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v) {
  (void)aux;
  evaluate(k, c, x, v);
}

static mbd_real bspline_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  const mbd_real constant[1] = {1};
  mbd_real slope[2], second[3], third[ORDER], sum = 0;
  (void)aux;
  if (mbd_if(mbd_re(x) < k->knot[0] || mbd_re(x) > k->knot[k->nc - 1])) { return 0; }
  const int m = interval(k, mbd_re(x));
  differentiate(k, m, 1, constant, slope);
  differentiate(k, m, 2, slope, second);
  differentiate(k, m, 3, second, third);
  for (int i = 0; i < ORDER; i++) { sum += third[i] * c[m - DEGREE + i]; }
  return sum;
}

static void bspline_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                          const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  (void)c, (void)aux, (void)daux;
  evaluate(k, dc, x, dv);
}

static void bspline_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                            const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  basis b;
  (void)c, (void)aux, (void)auxbar;
  basis_at(k, x, &b);
  for (int i = 0; i < ORDER; i++) { cbar[b.first + i] += vbar->y * b.y[i] + vbar->yx * b.yx[i] + vbar->yxx * b.yxx[i]; }
}

const mbd_curve_ops mbd_curve_bspline = {
    CURVE(bspline, ORDER, -1),
    .doc =
        "Cubic B-spline: control points that it passes close to, with continuous curvature; each moves it nearby "
        "alone. It begins at "
        "the first and ends at the last, and where the first three, or the last three, are equal it is at rest there, "
        "slope and "
        "curvature zero. Beyond the ends a straight line. Its pieces meet at all knots but the second and the last but "
        "one.",
    .units = "y",
    .coefs = "ordinates of the control points, one per knot",
    .needs_knots = 1,
};
