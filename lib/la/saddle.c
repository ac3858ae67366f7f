#include "la/saddle.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

#include "la/lanes.h"
#include "la/near_singular.h"

enum { CORRECTIONS_MAX = 25 };

static const double penalty_factor = 1e5;

/* Corrections end when one is smaller than `nothing_left`, relative to x, or when one is smaller than `predict_from` and the next one,
 * by the contraction so far, would be smaller than `nothing_left`, */
static const double nothing_left = 1e-14, predict_from = 1e-10;

/* and Phi x - y/k = g holds within so many roundings of its terms. Parts of x that contract more slowly than the rest are normal to
 * constraints to which the penalty gives little stiffness; they violate this equation. */
static const double roundings = 4;

/* If the rows need not hold (`predict`), a correction below `predict_early` is the last one if the rows hold within so many roundings. In
 * a direction of the stiffest coordinates, whose error the penalty halves in a correction, the residual is 1/300 of the error of x, so that
 * an error of 5e-12 may remain. */
static const double predict_early = 1e-7, roundings_early = 64;

/* Smaller corrections, relative to x, consist of rounding. */
static const double rounding = 1e-12;

/* Smaller corrections count as zero, because numbers so close to the smallest one have lost their digits. Derivatives along coefficients
 * that act later, such as a control point of a curve at a later time, become so small. */
static const double unseen = DBL_MIN / DBL_EPSILON;

/* If corrections no longer contract, a last one of this size is accepted. This limit is for matrices that are known by their products
 * alone (`product`), whose terms have an unknown rounding. For all other matrices the last correction has to be smaller than */
static const double usually_accepted = 1e-10;

/* this multiple of the change of x that rounding in the terms of the residual causes. The largest one seen is 13, in the adjoint of a
 * time step in a flat valley (test_flat.c), with one pattern of signs. */
static const double unresolved = 16;

/* Of several designs each is judged by its own numbers, and the slowest decides when corrections end. */
static inline mbd_value magnitude(mbd_real x) {
  return mbd_abs(mbd_re(x));
}

/* b if a is NaN */
static inline mbd_value larger(mbd_value a, mbd_value b) {
  return mbd_select(a > b, a, b);
}

/* dx = f - A x - Phi' y, the right-hand side of a correction with the multipliers y; first: x is still zero */
static void right_side(const mbd_saddle *s, int first, int k, const mbd_real *f, const mbd_real *x, const mbd_real *y,
                       mbd_real *dx) {
  memcpy(dx, f, (size_t)s->n * (size_t)k * sizeof *f);
  if (!first && s->product) {
    s->product(s->user, k, -1, x, dx);
  } else if (!first) {
    (s->transposed ? mbd_mulT_add_at : mbd_mul_add_at)(s->n, s->n, k, -1, s->A, s->A_at, x, dx);
  }
  mbd_saddle_add_Phi_T(s, k, -1, y, dx);
}

/* y += c W rg */
static void add_residual(const mbd_saddle *s, int k, double c, const mbd_real *rg, mbd_real *y) {
  const size_t rows = (size_t)s->m * (size_t)k;
  for (size_t i = 0; !s->weight && i < rows; i++) { y[i] += c * rg[i]; }
  for (size_t i = 0; s->weight && i < rows; i++) { y[i] += c * s->weight[i / (size_t)k] * rg[i]; }
}

/* dx = (A + alpha Phi' Phi)^-1 (f - A x - Phi' (y - alpha rg)),  x := x + dx,  y := y - alpha rg + alpha Phi dx. After this step
 * A x + Phi' y = f holds, and rg is reduced by the ratio of A to the penalty, to (1 - alpha/k)(rg - Phi dx). The product Phi dx serves
 * both y and rg, so that a small correction causes small rounding in y, too. first: x is still zero; rg is that of x, y, before and
 * after. */
static void correct(const mbd_saddle *s, int first, int k, const mbd_real *f, mbd_real *x, mbd_real *y, mbd_real *dx,
                    mbd_real *rg) {
  const size_t size = (size_t)s->n * (size_t)k, rows = (size_t)s->m * (size_t)k;
  add_residual(s, k, -s->alpha, rg, y);
  right_side(s, first, k, f, x, y, dx);
  mbd_factors_solve(s->lu, s->transposed, k, dx);
  for (size_t i = 0; i < size; i++) { x[i] += dx[i]; }
  if (rows == 0) { return; }
  add_residual(s, k, s->alpha, rg, y);
  mbd_saddle_add_Phi(s, k, -1, dx, rg);
  add_residual(s, k, -s->alpha, rg, y);
  for (size_t i = 0; i < rows && s->compliance != 0; i++) { rg[i] *= 1 - s->alpha * s->compliance; }
}

/* The first solution alone, where 1/alpha is the compliance: (A + alpha Phi' Phi) x = f + alpha Phi' g,  y = alpha (Phi x - g) */
static void solve_once(const mbd_saddle *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                       mbd_real *rg) {
  const size_t rows = (size_t)s->m * (size_t)k;
  memcpy(x, f, (size_t)s->n * (size_t)k * sizeof *f);
  if (s->weight) {
    memset(rg, 0, rows * sizeof *rg);
    add_residual(s, k, 1, g, rg);
  }
  mbd_saddle_add_Phi_T(s, k, s->alpha, s->weight ? rg : g, x);
  mbd_factors_solve(s->lu, s->transposed, k, x);
  memcpy(rg, g, rows * sizeof *g);
  mbd_saddle_add_Phi(s, k, -1, x, rg);
  for (size_t i = 0; i < rows; i++) { y[i] = -s->alpha * rg[i]; }
  for (size_t i = 0; s->weight && i < rows; i++) { y[i] *= s->weight[i / (size_t)k]; }
}

/* ---- is the residual at the level of rounding? ---- */

/* The sums of add_terms_A for an A whose nonzeros are listed. */
static void add_terms_at(const mbd_saddle *s, int from, int count, int k, int c, const mbd_real *x, mbd_value *t) {
  for (int i = s->transposed ? 0 : from; i < (s->transposed ? s->n : from + count); i++) {
    const int *col = mbd_nonzeros_row(s->A_at, i, s->n);
    int packed;
    const mbd_real *a = mbd_nonzeros_values(s->A_at, i, s->n, s->A, &packed);
    for (int q = 0; q < s->A_at->count[i]; q++) {
      const int j = col[q], to = (s->transposed ? j : i) - from;
      if (to >= 0 && to < count) {
        t[to] += magnitude(a[packed ? q : j]) * magnitude(x[(s->transposed ? i : j) * k + c]);
      }
    }
  }
}

/* Columns `c` of the sizes of the terms of `count` rows from `from` on: t_i += sum |a_ij| |x_j|. */
static void add_terms_A(const mbd_saddle *s, int from, int count, int k, int c, const mbd_real *x, mbd_value *t) {
  if (s->A_at) {
    add_terms_at(s, from, count, k, c, x, t);
    return;
  }
  for (int i = 0; i < count; i++) {
    const mbd_real *a = s->transposed ? s->A + from + i : s->A + (size_t)(from + i) * (size_t)s->n;
    const int by = s->transposed ? s->n : 1;
    for (int j = 0; j < s->n; j++) { t[i] += magnitude(a[j * by]) * magnitude(x[j * k + c]); }
  }
}

/* Row r of Phi: entry q of `entries` is val[at ? at[q] : q], in column col ? col[q] : q. */
typedef struct phi_row {
  int entries;
  const mbd_real *val;
  const int *at, *col; /* NULL: all in their order */
} phi_row;

static phi_row phi_row_of(const mbd_saddle *s, int r) {
  const size_t n = (size_t)s->n;
  if (s->Phi_packed) {
    const int first = s->Phi_packed->first[r];
    return (phi_row){s->Phi_packed->first[r + 1] - first, s->Phi_packed->val + first, NULL, s->Phi_packed->col + first};
  }
  if (!s->Phi_at) { return (phi_row){s->n, s->Phi + (size_t)r * n, NULL, NULL}; }
  const int *col = mbd_nonzeros_row(s->Phi_at, r, s->n);
  return (phi_row){s->Phi_at->count[r], s->Phi + (size_t)r * n, col, col};
}

static inline mbd_value phi_entry(const phi_row *p, int q, int *col) {
  *col = p->col ? p->col[q] : q;
  return magnitude(p->val[p->at ? p->at[q] : q]);
}

/* sum_j |phi_rj| (|x_j| + more) of column c */
static mbd_value row_size(const phi_row *p, int k, int c, const mbd_real *x, double more) {
  mbd_value sum = 0;
  for (int q = 0; q < p->entries; q++) {
    int j;
    const mbd_value v = phi_entry(p, q, &j);
    sum += v * (magnitude(x[j * k + c]) + more);
  }
  return sum;
}

/* t_i += |Phi'| (|y| + alpha (|g| + |Phi| |x| + |y|/k)), the sizes of the terms of the right-hand side of a correction. */
static void add_terms_Phi(const mbd_saddle *s, int from, int count, int k, int c, const mbd_real *g, const mbd_real *x,
                          const mbd_real *y, mbd_value *t) {
  for (int r = 0; r < s->m; r++) {
    const phi_row p = phi_row_of(s, r);
    const mbd_value given = magnitude(g[r * k + c]), mult = magnitude(y[r * k + c]);
    mbd_value row = given + mbd_per_weight(s->compliance, s->weight, r) * mult + row_size(&p, k, c, x, 0);
    row = mult + mbd_weighted(s->alpha, s->weight, r) * row;
    for (int q = 0; q < p.entries; q++) {
      int j;
      const mbd_value v = phi_entry(&p, q, &j);
      if (j >= from && j < from + count) { t[j - from] += v * row; }
    }
  }
}

/* Is x larger than the limit, or NaN? */
static int exceeds(mbd_value x, mbd_value limit) {
  return mbd_any((x <= limit) == 0);
}

/* Is the residual rg at x and y at the level of rounding of its terms in every row and column? */
static int rows_hold(const mbd_saddle *s, int k, const mbd_real *g, const mbd_real *x, const mbd_real *y,
                     const mbd_real *rg) {
  for (int r = 0; r < s->m; r++) {
    const phi_row p = phi_row_of(s, r);
    const double compliance = mbd_per_weight(s->compliance, s->weight, r);
    for (int c = 0; c < k; c++) {
      const int at = r * k + c;
      const mbd_value left = magnitude(rg[at]), sides = magnitude(g[at]) + compliance * magnitude(y[at]);
      if (!exceeds(left, roundings * DBL_EPSILON * sides)) { continue; }
      if (exceeds(left, roundings * DBL_EPSILON * (sides + row_size(&p, k, c, x, s->part_of)))) { return 0; }
    }
  }
  return 1;
}

/* The largest entry of Phi. */
static mbd_value largest_phi(const mbd_saddle *s) {
  mbd_value max = 0;
  for (int r = 0; r < s->m; r++) {
    const phi_row p = phi_row_of(s, r);
    for (int q = 0; q < p.entries; q++) {
      int j;
      max = larger(phi_entry(&p, q, &j), max);
    }
  }
  return max;
}

/* Each column has its own measure of convergence; beyond this number of columns, some share one. */
enum { JUDGED = 64 };

/* Number of sign patterns of rounding that are tried. A single pattern may be nearly orthogonal to the direction that the system
 * amplifies. */
enum { PATTERNS = 8 };

/* norm [MBD_LANES]: the largest magnitude in each of `count` columns of x [n][k] from c on, NaN where one is not finite. */
static inline void lane_norms(int n, int k, int c, int count, const mbd_real *x, mbd_value *norm) {
  mbd_value max[MBD_LANES] = {0}, nothing[MBD_LANES] = {0};
  for (int i = 0; i < n; i++) {
    const mbd_real *row = x + (size_t)i * (size_t)k + (size_t)c;
    MBD_IN_PAIRS
    for (int r = 0; r < count; r++) {
      const mbd_value v = magnitude(row[r]);
      max[r] = larger(v, max[r]);
      nothing[r] += 0 * v;
    }
  }
  for (int r = 0; r < MBD_LANES; r++) { norm[r] = max[r] + nothing[r]; }
}

static int column_norms(int n, int k, int c, const mbd_real *x, mbd_value norm[MBD_LANES]) {
  if (k == 1) {
    norm[0] = mbd_norm_of_each(n, x);
    return 1;
  }
  if (k - c >= MBD_LANES) {
    lane_norms(n, k, c, MBD_LANES, x, norm);
    return MBD_LANES;
  }
  lane_norms(n, k, c, k - c, x, norm);
  return k - c;
}

/* Is the residual rg of every column within `roundings_early` roundings of the largest terms of any row? Rows that are zero to rounding, such
 * as the out-of-plane rows of a planar linkage, have residuals larger than their own terms. */
static int residual_is_small(const mbd_saddle *s, int k, const mbd_real *g, const mbd_real *x, const mbd_real *y,
                             const mbd_real *rg) {
  const mbd_value phi = largest_phi(s);
  for (int c = 0, count; c < k; c += count) {
    mbd_value left[MBD_LANES], given[MBD_LANES], size[MBD_LANES], soft[MBD_LANES] = {0};
    count = column_norms(s->m, k, c, rg, left);
    column_norms(s->m, k, c, g, given);
    column_norms(s->n, k, c, x, size);
    for (int i = 0; s->compliance != 0 && i < s->m; i++) {
      const double compliance = mbd_per_weight(s->compliance, s->weight, i);
      for (int r = 0; r < count; r++) { soft[r] = larger(compliance * magnitude(y[i * k + c + r]), soft[r]); }
    }
    for (int r = 0; r < count; r++) {
      const mbd_value terms = given[r] + soft[r] + phi * (size[r] + s->part_of);
      if (exceeds(left[r], roundings_early * DBL_EPSILON * terms)) { return 0; }
    }
  }
  return 1;
}

/* dx := the change of x if every entry of the right-hand side of a correction, f - A x - Phi'(y - alpha rg), has the rounding error of
 * its terms (the componentwise backward error of Oettli and Prager 1964), for one of PATTERNS choices of the signs. Corrections cannot
 * resolve smaller errors of x. */
static void response_to_rounding(const mbd_saddle *s, int k, const mbd_real *f, const mbd_real *g, const mbd_real *x,
                                 const mbd_real *y, int pattern, mbd_real *dx) {
  enum { CHUNK = 64 };
  for (int c = 0; c < k; c++) {
    for (int from = 0; from < s->n; from += CHUNK) {
      const int count = s->n - from < CHUNK ? s->n - from : CHUNK;
      mbd_value t[CHUNK];
      for (int i = 0; i < count; i++) { t[i] = magnitude(f[(from + i) * k + c]); }
      if (!s->product) { add_terms_A(s, from, count, k, c, x, t); }
      add_terms_Phi(s, from, count, k, c, g, x, y, t);
      for (int i = 0; i < count; i++) { /* pseudorandom signs, which do not repeat with equal loops of the model */
        const unsigned sign = (unsigned)(from + i) * 2654435761U >> (31 - pattern) & 1;
        dx[(from + i) * k + c] = sign ? -DBL_EPSILON * t[i] : DBL_EPSILON * t[i];
      }
    }
  }
  mbd_factors_solve(s->lu, s->transposed, k, dx);
}

/* dx := the next correction, (A + alpha Phi' Phi)^-1 (f - A x - Phi'(y - alpha rg)); x and y do not change. */
static void next_correction(const mbd_saddle *s, int k, const mbd_real *f, const mbd_real *g, const mbd_real *x,
                            const mbd_real *y, mbd_real *dx, mbd_real *rg) {
  const size_t rows = (size_t)s->m * (size_t)k;
  memcpy(rg, g, rows * sizeof *g);
  if (rows) { mbd_saddle_add_Phi(s, k, -1, x, rg); }
  for (int r = 0; r < s->m; r++) {
    const double alpha = mbd_weighted(s->alpha, s->weight, r), soft = mbd_per_weight(s->compliance, s->weight, r);
    for (int i = r * k; i < (r + 1) * k; i++) { rg[i] = y[i] - alpha * (rg[i] + soft * y[i]); }
  }
  right_side(s, 0, k, f, x, rg, dx);
  mbd_factors_solve(s->lu, s->transposed, k, dx);
}

/* A solution whose accuracy is checked. scale [JUDGED]: the largest norms that the columns of x have had. */
typedef struct judged {
  const mbd_saddle *s;
  int k;
  const mbd_real *f, *g, *x, *y;
  const mbd_value *scale;
} judged;

/* The largest next correction in dx, relative to its column of x, among those that exceed both `accepted` times the column and limit
 * [JUDGED] (NULL: zero). Returns 0 if there is none, NaN if one is not a number. */
static double worst_left(const judged *verdict, double accepted, const mbd_value *limit, const mbd_real *dx) {
  double worst = 0;
  for (int c = 0, count; c < verdict->k; c += count) {
    mbd_value step[MBD_LANES], now[MBD_LANES];
    count = column_norms(verdict->s->n, verdict->k, c, dx, step);
    column_norms(verdict->s->n, verdict->k, c, verdict->x, now);
    for (int r = 0; r < count; r++) {
      const int at = (c + r) % JUDGED;
      const mbd_value size = larger(now[r], verdict->scale[at]);
      const mbd_value enough = limit ? unresolved * limit[at] : (mbd_value)unseen;
      if (isnan(mbd_largest(step[r]))) { return NAN; }
      worst = fmax(worst, mbd_largest(mbd_select(step[r] > larger(accepted * size, enough), step[r] / size, 0)));
    }
  }
  return worst;
}

/* limit [JUDGED] := the errors of the columns of x that rounding of the terms causes. */
static void find_limits(const judged *verdict, mbd_value *limit, mbd_real *dx) {
  for (int pattern = 0; pattern < PATTERNS; pattern++) {
    response_to_rounding(verdict->s, verdict->k, verdict->f, verdict->g, verdict->x, verdict->y, pattern, dx);
    for (int c = 0, count; c < verdict->k; c += count) {
      mbd_value norm[MBD_LANES];
      count = column_norms(verdict->s->n, verdict->k, c, dx, norm);
      for (int r = 0; r < count; r++) { limit[(c + r) % JUDGED] = larger(norm[r], limit[(c + r) % JUDGED]); }
    }
  }
}

/* Corrections have ended above the rounding of x. Accepts the solution if the next correction is small or below the error that rounding
 * of the terms causes. */
static mbd_status answer(const judged *verdict, mbd_real *dx, mbd_real *rg, mbd_error *err) {
  const char *what = verdict->s->what ? verdict->s->what : "a linear system with multipliers";
  const double accepted = verdict->s->accepted > 0 ? verdict->s->accepted : usually_accepted;
  mbd_value limit[JUDGED] = {0};
  next_correction(verdict->s, verdict->k, verdict->f, verdict->g, verdict->x, verdict->y, dx, rg);
  double worst = worst_left(verdict, accepted, NULL, dx);
  if (worst > 0) {
    find_limits(verdict, limit, dx);
    next_correction(verdict->s, verdict->k, verdict->f, verdict->g, verdict->x, verdict->y, dx, rg);
    worst = worst_left(verdict, accepted, limit, dx);
  }
  if (isnan(worst)) { MBD_FAIL(err, MBD_NOT_FINITE, "%s: the solution is not finite", what); }
  if (worst == 0) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_SINGULAR,
      "%s: the solution is not exact: corrections stop becoming smaller at %.3g of its size (a nearly "
      "singular position, or entries of very different sizes for this penalty: try another 'step' or 'penalty', or "
      "the other 'linear_solver')",
      what, worst);
}

/* The largest ratio of a column of dx to the largest norm that this column of x has had, in scale [JUDGED]. *size: the number whose
 * contraction from one correction to the next is measured; with a single column, the norm of dx. */
static mbd_value relative(int n, int k, double part_of, const mbd_real *dx, const mbd_real *x, mbd_value *scale,
                          mbd_value *size) {
  if (k == 1) {
    const mbd_value now = mbd_norm_of_each(n, x);
    *scale = larger(now, *scale);
    *size = mbd_norm_of_each(n, dx);
    return mbd_select(*size <= unseen, 0, *size / larger(now, part_of));
  }
  mbd_value worst = 0;
  for (int c = 0, count; c < k; c += count) {
    mbd_value step[MBD_LANES], now[MBD_LANES];
    count = column_norms(n, k, c, dx, step);
    column_norms(n, k, c, x, now);
    for (int r = 0; r < count; r++) {
      mbd_value *max = &scale[(c + r) % JUDGED];
      *max = larger(now[r], *max);
      const mbd_truth is_less = step[r] <= larger(worst * *max, unseen);
      worst = mbd_select(is_less | (worst != worst), worst, step[r] / *max);
    }
  }
  return *size = worst;
}

/* The first correction contains (1 - alpha/k) times the guess of y. If the penalty equals the stiffness k, this is zero, but
 * y - alpha (y/k) leaves the rounding of the guess, which would spoil smaller solutions. So compliant constraints use no guess. */
mbd_status mbd_saddle_solve(const mbd_saddle *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                            mbd_real *dx, mbd_real *rg, mbd_error *err) {
  const int n = s->n, m = s->m;
  const int at_least = m == 0 && s->lu->sparse && s->at_least == 0 ? 1 : s->at_least;
  double earlier[2] = {INFINITY, INFINITY};
  mbd_value scale[JUDGED], last = INFINITY, size = 0;
  int reached = 0;
  /* A single solution without corrections, where the caller asks for it. */
  if (s->once) {
    solve_once(s, k, f, g, x, y, rg);
    return MBD_OK;
  }
  /* The start: x = 0, with the guess of y of rigid constraints alone, and the residual of the rows of Phi. */
  for (int c = 0; c < JUDGED; c++) { scale[c] = s->part_of; }
  memset(x, 0, (size_t)n * (size_t)k * sizeof *x);
  if (s->compliance != 0) { memset(y, 0, (size_t)m * (size_t)k * sizeof *y); }
  for (size_t i = 0; i < (size_t)m * (size_t)k; i++) { rg[i] = g[i] + s->compliance * y[i]; }
  for (int it = 0; it < CORRECTIONS_MAX; it++) {
    /* One correction, and its size relative to x. */
    correct(s, it == 0, k, f, x, y, dx, rg);
    const mbd_value of_each = relative(n, k, s->part_of, dx, x, scale, &size);
    const mbd_truth is_left = of_each > nothing_left;
    const double step = mbd_largest(of_each);
    if (isnan(step)) { break; }
    /* Without rows of Phi the least number of corrections is enough. With them the end is where corrections are at
     * rounding, or where their contraction predicts this of the next one. */
    if (m == 0 && it >= at_least) { return MBD_OK; }
    if (step <= nothing_left && it >= at_least) { return MBD_OK; }
    const int stalled = mbd_none(is_left & (size <= 0.5 * last)); /* corrections no longer contract */
    const int predicted = it > 0 && mbd_largest(mbd_select(is_left, of_each * (size / last), 0)) <= nothing_left;
    if ((predicted || stalled) && step <= predict_from && it >= at_least) {
      if (predicted && (s->predict || rows_hold(s, k, g, x, y, rg))) { return MBD_OK; }
      if (stalled && rows_hold(s, k, g, x, y, rg)) { break; }
    }
    if (predicted && s->predict && step <= predict_early && it >= at_least && residual_is_small(s, k, g, x, y, rg)) {
      return MBD_OK;
    }
    /* Corrections that have stopped contracting: rounding, or a nearly singular position, whose multipliers
     * near_singular.h finds. */
    last = it == 0 && k > 1 ? (mbd_value)INFINITY : size; /* with several columns the first ratio is always 1 */
    if ((!stalled && !reached) || it < at_least) { continue; }
    if (step <= rounding) { return MBD_OK; }
    if (!s->near_singular || m == 0 || step > 0.1 * earlier[1]) { break; }
    mbd_near_singular_reach(s->near_singular, s, k, rg, y);
    earlier[1] = earlier[0]; /* compared over two corrections, because one may undo an error of the one before */
    earlier[0] = reached ? step : INFINITY;
    last = INFINITY, reached = 1;
  }
  /* Corrections have ended above rounding. */
  return answer(&(judged){s, k, f, g, x, y, scale}, dx, rg, err);
}

/* The penalty follows from the largest entry of A's diagonal and the largest squared length of a row of Phi. */
static double penalty(int n, const mbd_real *A, const mbd_nonzeros *at, double row) {
  double a = 0;
  for (int i = 0; i < n; i++) {
    const double v = mbd_largest(A[mbd_entry(at, n, i, i)]);
    a = v > a ? v : a;
  }
  return a > 0 && row > 0 ? penalty_factor * a / row : 1;
}

static double square(int n, const mbd_real *x) {
  mbd_value v = 0;
  for (int j = 0; j < n; j++) { v += mbd_re(x[j]) * mbd_re(x[j]); }
  return mbd_largest(v);
}

double mbd_saddle_penalty(int n, int m, const mbd_real *A, const mbd_real *Phi) {
  double row = 0;
  for (int r = 0; r < m; r++) { row = fmax(row, square(n, Phi + r * n)); }
  return penalty(n, A, NULL, row);
}

double mbd_saddle_penalty_packed(int n, int m, const mbd_real *A, const mbd_nonzeros *at, const mbd_packed *Phi) {
  double row = 0;
  for (int r = 0; r < m; r++) {
    const double v = square(Phi->first[r + 1] - Phi->first[r], Phi->val + Phi->first[r]);
    row = v > row ? v : row;
  }
  return penalty(n, A, at, row);
}
