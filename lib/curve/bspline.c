/* Cubic B-spline: y = sum_i N_i(x) c_i, with the breaks at all knots but the second and the last but one, those at the ends fourfold:
 *   tau = t_0, t_0, t_0, t_0, t_2, t_3, ..., t_{n-3}, t_{n-1}, t_{n-1}, t_{n-1}, t_{n-1}
 * so that there is one control point for each knot, close to it, and the curve begins and ends at those of the ends. Basis functions and
 * their derivatives, on tau_m <= x < tau_{m+1}, come from those of lower degree (Cox and de Boor):
 *   N_i^p  = (x - tau_i) q_i + (tau_{i+p+1} - x) q_{i+1},   q_i = N_i^{p-1} / (tau_{i+p} - tau_i)
 *   N_i^p' = p (q_i - q_{i+1})
 * Beyond the ends the curve continues along its end tangents.
 *
 * The periodic one has breaks at all knots, which repeat with the period p = t_{n-1} - t_0: with N = n - 1, tau_{i+N} = tau_i + p, tau_i = t_i, and
 * the control points c_{i+N} = c_i + G, G = c_{n-1} - c_0, so that y(x + p) = y(x) + G. N_i, whose middle is tau_{i+2}, belongs to c_{i+2}. */
#include "curve/curve.h"
#include "curve/curve_check.h"

enum { DEGREE = 3, ORDER = DEGREE + 1 };

/* The basis functions that are not zero at x. They belong to the control points first, first + 1, ... */
typedef struct basis {
  int first;
  mbd_real y[ORDER], yx[ORDER], yxx[ORDER];
} basis;

extern const mbd_curve_ops mbd_curve_periodic_bspline;

static int is_periodic(const mbd_curve *k) {
  return k->ops == &mbd_curve_periodic_bspline;
}

/* The place 0 .. n-2 in the period of knot or control point i; *turns := the periods before it. */
static int within_period(const mbd_curve *k, int i, int *turns) {
  const int count = k->nc - 1;
  *turns = i >= 0 ? i / count : -((count - 1 - i) / count);
  return i - *turns * count;
}

static double tau(const mbd_curve *k, int i) {
  if (is_periodic(k)) {
    int turns;
    const double at = k->knot[within_period(k, i, &turns)];
    return at + turns * (k->knot[k->nc - 1] - k->knot[0]);
  }
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

/* third [ORDER]: the third derivatives of the basis functions, constant on interval m. */
static void third_of_basis(const mbd_curve *k, int m, mbd_real *third) {
  const mbd_real constant[1] = {1};
  mbd_real slope[2], second[3];
  differentiate(k, m, 1, constant, slope);
  differentiate(k, m, 2, slope, second);
  differentiate(k, m, 3, second, third);
}

static mbd_real bspline_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  mbd_real third[ORDER], sum = 0;
  (void)aux;
  if (mbd_if(mbd_re(x) < k->knot[0] || mbd_re(x) > k->knot[k->nc - 1])) { return 0; }
  const int m = interval(k, mbd_re(x));
  third_of_basis(k, m, third);
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

/* ---- the periodic one ---- */

/* Where x is in the period that the knots span; *turns := the periods before it. */
static mbd_real wrap(const mbd_curve *k, mbd_real x, mbd_value *turns) {
  *turns = curve_periods(k, mbd_re(x));
  return x - *turns * (k->knot[k->nc - 1] - k->knot[0]);
}

/* The same basis functions, of which number 0 belongs to the control point before interval m. */
static void periodic_basis_at(const mbd_curve *k, mbd_real x, basis *b) {
  const int m = curve_interval(k->nc, k->knot, mbd_re(x));
  on_interval(k, m, x, b);
  b->first = m - 1;
}

static void evaluate_periodic(const mbd_curve *k, const mbd_real *c, mbd_real x, mbd_curve_value *v) {
  const mbd_real gain = c[k->nc - 1] - c[0];
  mbd_value turns;
  basis b;
  periodic_basis_at(k, wrap(k, x, &turns), &b);
  *v = (mbd_curve_value){turns * gain, 0, 0};
  for (int i = 0; i < ORDER; i++) {
    int before;
    const int at = within_period(k, b.first + i, &before);
    const mbd_real point = c[at] + before * gain;
    v->y += b.y[i] * point, v->yx += b.yx[i] * point, v->yxx += b.yxx[i] * point;
  }
}

static void periodic_bspline_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                                  mbd_curve_value *v) {
  (void)aux;
  evaluate_periodic(k, c, x, v);
}

static mbd_real periodic_bspline_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  mbd_value turns;
  mbd_real third[ORDER], sum = 0;
  const mbd_real at = wrap(k, x, &turns);
  const int m = curve_interval(k->nc, k->knot, mbd_re(at));
  (void)aux;
  third_of_basis(k, m, third);
  for (int i = 0; i < ORDER; i++) {
    int before;
    const int place = within_period(k, m - 1 + i, &before);
    sum += third[i] * (c[place] + before * (c[k->nc - 1] - c[0]));
  }
  return sum;
}

static void periodic_bspline_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                                   const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  (void)c, (void)aux, (void)daux;
  evaluate_periodic(k, dc, x, dv);
}

static void periodic_bspline_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                                     const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  mbd_value turns;
  basis b;
  (void)c, (void)aux, (void)auxbar;
  periodic_basis_at(k, wrap(k, x, &turns), &b);
  mbd_real gain = turns * vbar->y;
  for (int i = 0; i < ORDER; i++) {
    int before;
    const int at = within_period(k, b.first + i, &before);
    const mbd_real point = vbar->y * b.y[i] + vbar->yx * b.yx[i] + vbar->yxx * b.yxx[i];
    cbar[at] += point, gain += before * point;
  }
  cbar[k->nc - 1] += gain, cbar[0] -= gain;
}

const mbd_curve_ops mbd_curve_periodic_bspline = {
    CURVE(periodic_bspline, ORDER, -1),
    .doc =
        "Cubic B-spline that repeats, with continuous curvature: control points that it passes close to. The period is "
        "the distance of the last knot from the first, and in each period y grows by the difference of their "
        "ordinates, "
        "which is zero of a cam. Each control point moves the curve nearby alone, and where four in a row are equal it "
        "rests between the two in their middle: a dwell.",
    .units = "y",
    .coefs = "ordinates of the control points, one per knot",
    .needs_knots = 1,
};

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
