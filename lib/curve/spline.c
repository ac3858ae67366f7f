/* Cubic splines through control points (knot_i, c_i), i = 0 .. n-1. The natural one is continued by its end tangents; the periodic one repeats,
 * and rises by G = c_{n-1} - c_0 in every period p = knot_{n-1} - knot_0:  y(x + p) = y(x) + G.
 *
 * Prepared data: the second derivatives m_i at the knots, from the system
 *   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (s_i - s_{i-1}),   s_i = (c_{i+1} - c_i)/h_i,   i = 1 .. n-2
 * with m_0 = m_{n-1} = 0 of the natural one. Of the periodic one m_{n-1} = m_0, and the equation also holds at i = 0, where h_{n-2} and s_{n-2}
 * precede h_0 and s_0. Both systems are linear in c, so that the same routine prepares a direction, and symmetric, so that their transposes have
 * the same solver. */
#include "curve/curve.h"
#include "curve/curve_check.h"

static int spline_naux(int nc) {
  return 2 * nc;
} /* the second derivatives m, and the diagonal after elimination */

/* Solves the system; m holds the right-hand side on entry (its ends count as zero) and the solution on return; diag is scratch. */
static void solve(const mbd_curve *k, mbd_real *m, mbd_real *diag) {
  const int n = k->nc;
  const double *t = k->knot;
  m[0] = m[n - 1] = 0;
  for (int i = 1; i < n - 1; i++) {
    double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    diag[i] = 2 * (h0 + h1);
    if (i > 1) {
      m[i] -= h0 / diag[i - 1] * m[i - 1];
      diag[i] -= h0 * h0 / diag[i - 1];
    }
  }
  for (int i = n - 2; i > 0; i--) { m[i] = (m[i] - (t[i + 1] - t[i]) * m[i + 1]) / diag[i]; }
}

static void spline_prepare(const mbd_curve *k, const mbd_real *c, mbd_real *aux) {
  const double *t = k->knot;
  for (int i = 1; i < k->nc - 1; i++) {
    aux[i] = 6 * ((c[i + 1] - c[i]) / (t[i + 1] - t[i]) - (c[i] - c[i - 1]) / (t[i] - t[i - 1]));
  }
  solve(k, aux, aux + k->nc);
}

/* cbar += the transpose of the right-hand side of equation i, times mbar */
static void reverse_side(const mbd_curve *k, int i, mbd_real mbar, mbd_real *cbar) {
  const double *t = k->knot;
  const mbd_real before = 6 * mbar / (t[i] - t[i - 1]), behind = 6 * mbar / (t[i + 1] - t[i]);
  cbar[i - 1] += before;
  cbar[i] -= before + behind;
  cbar[i + 1] += behind;
}

/* The transpose of prepare: the solver, then the transpose of the right-hand side. */
static void spline_prepare_reverse(const mbd_curve *k, mbd_real *auxbar, mbd_real *cbar) {
  solve(k, auxbar, auxbar + k->nc);
  for (int i = 1; i < k->nc - 1; i++) { reverse_side(k, i, auxbar[i], cbar); }
}

/* ---- the periodic one ---- */

static int periodic_spline_naux(int nc) {
  return 3 * nc;
} /* m; the diagonal after elimination; what m_0 = 1 does to the inner ones */

/* Solves the periodic system by bordering; m [n] as in solve, but with the right-hand side of equation 0 in m[0].
 * With T the inner, tridiagonal part, its solutions u of the right-hand side and v of -(h_0 e_1 + h_{n-2} e_{n-2}) give m = u + m_0 v, and
 * equation 0 gives m_0. */
static void solve_periodic(const mbd_curve *k, mbd_real *m, mbd_real *diag, mbd_real *v) {
  const int n = k->nc;
  const double *t = k->knot, first = t[1] - t[0], last = t[n - 1] - t[n - 2];
  const mbd_real side = m[0];
  solve(k, m, diag);
  for (int i = 0; i < n; i++) { v[i] = 0; }
  v[1] -= first, v[n - 2] -= last;
  solve(k, v, diag);
  const mbd_real m0 = (side - first * m[1] - last * m[n - 2]) / (2 * (first + last) + first * v[1] + last * v[n - 2]);
  for (int i = 1; i < n - 1; i++) { m[i] += m0 * v[i]; }
  m[0] = m[n - 1] = m0;
}

static void periodic_spline_prepare(const mbd_curve *k, const mbd_real *c, mbd_real *aux) {
  const int n = k->nc;
  const double *t = k->knot;
  aux[0] = 6 * ((c[1] - c[0]) / (t[1] - t[0]) - (c[n - 1] - c[n - 2]) / (t[n - 1] - t[n - 2]));
  for (int i = 1; i < n - 1; i++) {
    aux[i] = 6 * ((c[i + 1] - c[i]) / (t[i + 1] - t[i]) - (c[i] - c[i - 1]) / (t[i] - t[i - 1]));
  }
  solve_periodic(k, aux, aux + n, aux + 2 * n);
}

static void periodic_spline_prepare_reverse(const mbd_curve *k, mbd_real *auxbar, mbd_real *cbar) {
  const int n = k->nc;
  const double *t = k->knot;
  auxbar[0] += auxbar[n - 1]; /* both are m_0 */
  solve_periodic(k, auxbar, auxbar + n, auxbar + 2 * n);
  const mbd_real before = 6 * auxbar[0] / (t[n - 1] - t[n - 2]), behind = 6 * auxbar[0] / (t[1] - t[0]);
  cbar[0] -= behind, cbar[1] += behind;
  cbar[n - 2] += before, cbar[n - 1] -= before;
  for (int i = 1; i < n - 1; i++) { reverse_side(k, i, auxbar[i], cbar); }
}

/* y on the interval i: with u = x - t_i, w = t_{i+1} - x, h the width
 *   y = (m_i w^3 + m_{i+1} u^3)/(6h) + (c_i/h - m_i h/6) w + (c_{i+1}/h - m_{i+1} h/6) u */
static void on_interval(const mbd_curve *k, const mbd_real *c, const mbd_real *m, int i, mbd_real x,
                        mbd_curve_value *v) {
  const double h = k->knot[i + 1] - k->knot[i];
  const mbd_real u = x - k->knot[i], w = k->knot[i + 1] - x;
  const mbd_real p = c[i] / h - m[i] * h / 6, q = c[i + 1] / h - m[i + 1] * h / 6;
  v->y = (m[i] * w * w * w + m[i + 1] * u * u * u) / (6 * h) + p * w + q * u;
  v->yx = (m[i + 1] * u * u - m[i] * w * w) / (2 * h) - p + q;
  v->yxx = (m[i] * w + m[i + 1] * u) / h;
}

/* Transpose of on_interval. */
static void reverse_interval(const mbd_curve *k, int i, mbd_real x, const mbd_curve_value *vbar, mbd_real *cbar,
                             mbd_real *mbar) {
  const double h = k->knot[i + 1] - k->knot[i];
  const mbd_real u = x - k->knot[i], w = k->knot[i + 1] - x;
  const mbd_real a = vbar->y / (6 * h), b = vbar->yx / (2 * h), e = vbar->yxx / h;
  const mbd_real p = vbar->y * w - vbar->yx, q = vbar->y * u + vbar->yx;
  cbar[i] += p / h;
  cbar[i + 1] += q / h;
  mbar[i] += a * w * w * w - b * w * w + e * w - p * h / 6;
  mbar[i + 1] += a * u * u * u + b * u * u + e * u - q * h / 6;
}

/* The curve is linear in (c, m), so that this function evaluates values and changes along a direction alike. */
static void evaluate(const mbd_curve *k, const mbd_real *c, const mbd_real *m, mbd_real x, mbd_curve_value *v) {
  const int n = k->nc;
  const double first = k->knot[0], last = k->knot[n - 1];
  if (mbd_if(mbd_re(x) < first || mbd_re(x) > last)) { /* along the tangent of the near end */
    int before = mbd_if(mbd_re(x) < first);
    double end = before ? first : last;
    on_interval(k, c, m, before ? 0 : n - 2, end, v);
    v->y += v->yx * (x - end);
    v->yxx = 0;
    return;
  }
  on_interval(k, c, m, curve_interval(n, k->knot, mbd_re(x)), x, v);
}

/* Values and changes along a direction alike, as evaluate. */
static void evaluate_periodic(const mbd_curve *k, const mbd_real *c, const mbd_real *m, mbd_real x,
                              mbd_curve_value *v) {
  const int n = k->nc;
  const mbd_value count = curve_periods(k, mbd_re(x));
  const mbd_real within = x - count * (k->knot[n - 1] - k->knot[0]);
  on_interval(k, c, m, curve_interval(n, k->knot, mbd_re(within)), within, v);
  v->y += count * (c[n - 1] - c[0]);
}

static void spline_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v) {
  evaluate(k, c, aux, x, v);
}

static mbd_real spline_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  const int n = k->nc;
  (void)c;
  if (mbd_if(mbd_re(x) < k->knot[0] || mbd_re(x) > k->knot[n - 1])) { return 0; }
  const int i = curve_interval(n, k->knot, mbd_re(x));
  return (aux[i + 1] - aux[i]) / (k->knot[i + 1] - k->knot[i]);
}

static void spline_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                         const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  (void)c, (void)aux;
  evaluate(k, dc, daux, x, dv);
}

/* Transpose of evaluate. */
static void spline_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                           const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  const int n = k->nc;
  const double first = k->knot[0], last = k->knot[n - 1];
  (void)c, (void)aux;
  if (mbd_if(mbd_re(x) < first || mbd_re(x) > last)) {
    int before = mbd_if(mbd_re(x) < first);
    double end = before ? first : last;
    const mbd_curve_value at_end = {vbar->y, vbar->yx + vbar->y * (x - end), 0};
    reverse_interval(k, before ? 0 : n - 2, end, &at_end, cbar, auxbar);
    return;
  }
  reverse_interval(k, curve_interval(n, k->knot, mbd_re(x)), x, vbar, cbar, auxbar);
}

static void periodic_spline_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                                 mbd_curve_value *v) {
  evaluate_periodic(k, c, aux, x, v);
}

static mbd_real periodic_spline_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  const double p = k->knot[k->nc - 1] - k->knot[0];
  const int i = curve_interval(k->nc, k->knot, mbd_re(x) - p * curve_periods(k, mbd_re(x)));
  (void)c;
  return (aux[i + 1] - aux[i]) / (k->knot[i + 1] - k->knot[i]);
}

static void periodic_spline_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                                  const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  (void)c, (void)aux;
  evaluate_periodic(k, dc, daux, x, dv);
}

/* Transpose of evaluate_periodic. */
static void periodic_spline_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                                    const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  const int n = k->nc;
  const mbd_value count = curve_periods(k, mbd_re(x));
  const mbd_real within = x - count * (k->knot[n - 1] - k->knot[0]), gain = count * vbar->y;
  (void)c, (void)aux;
  reverse_interval(k, curve_interval(n, k->knot, mbd_re(within)), within, vbar, cbar, auxbar);
  cbar[n - 1] += gain, cbar[0] -= gain;
}

const mbd_curve_ops mbd_curve_spline = {
    CURVE(spline, 2, -1),
    .doc = "Natural cubic spline through control points at given knots; beyond the ends a straight line.",
    .units = "y",
    .coefs = "ordinates of the control points, one per knot",
    .needs_knots = 1,
    .naux = spline_naux,
    .prepare = spline_prepare,
    .prepare_reverse = spline_prepare_reverse,
};

const mbd_curve_ops mbd_curve_periodic_spline = {
    CURVE(periodic_spline, 3, -1),
    .doc =
        "Cubic spline through control points that repeats, with continuous slope and curvature: the period is the "
        "distance of the last knot from the first, and in each period y grows by the difference of their ordinates. "
        "With equal ordinates at both it is periodic, as the lift of a cam over its angle; without, it advances, as "
        "the "
        "angle of a non-circular gear.",
    .units = "y",
    .coefs = "ordinates of the control points, one per knot",
    .needs_knots = 1,
    .naux = periodic_spline_naux,
    .prepare = periodic_spline_prepare,
    .prepare_reverse = periodic_spline_prepare_reverse,
};
