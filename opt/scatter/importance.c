/* Sobol indices of runs. Equations: theory.md §6 (6.53), (6.54). */
#include "mbo/importance.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cholesky.h"
#include "base/random.h"
#include "files/memory.h"

enum {
  DEGREE_MAX = 12,  /* of polynomials */
  TERMS_MAX = 400,  /* of a sum of products of polynomials */
  REPLICATES = 400, /* of a bootstrap */
  RUNS_MIN = 8      /* for polynomials, and */
};
static const double runs_for_each_term = 1.5;
static const double work_max = 2e7;         /* runs times the square of the number of terms */
static const double explained_enough = 0.5; /* of the variance; below, indices would be those of another function */
static const double too_related = 5; /* correlation of two keys, in standard deviations of that of independent ones */
static const double dependent =
    1e-9; /* norm of what is left of a column of norm 1, below which it is a combination of others */
static const double pi = 3.14159265358979323846;

/* ---- what there is ---- */

typedef struct runs_of {
  int nrun, nkey;        /* those with a value */
  double *x, *f, *slope; /* slope NULL: there are none */
  int *level;            /* [nrun][nkey] the place of a value among those of its key */
  int *nlevel, *even;    /* [nkey]; are they equally spaced? */
  double *low, *high;    /* [nkey] */
  double mean, variance;
} runs_of;

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The levels of key j; sorted [nrun] is scratch. */
static void find_levels(runs_of *r, int j, double *sorted) {
  int n = 0;
  for (int i = 0; i < r->nrun; i++) { sorted[i] = r->x[i * r->nkey + j]; }
  mbd_sort_values(r->nrun, sorted);
  for (int i = 0; i < r->nrun; i++) {
    if (n == 0 || sorted[i] > sorted[n - 1]) { sorted[n++] = sorted[i]; }
  }
  r->nlevel[j] = n, r->low[j] = sorted[0], r->high[j] = sorted[n - 1], r->even[j] = 1;
  for (int k = 1; k < n; k++) {
    const double gap = (sorted[n - 1] - sorted[0]) / (n - 1);
    r->even[j] &= fabs(sorted[k] - sorted[k - 1] - gap) <= 1e-6 * gap;
  }
  for (int i = 0; i < r->nrun; i++) {
    const double *at = bsearch(&r->x[i * r->nkey + j], sorted, (size_t)n, sizeof *sorted, ascending);
    r->level[i * r->nkey + j] = (int)(at - sorted);
  }
}

static void find_variance(runs_of *r, mbo_importance *out) {
  double largest = 0;
  for (int i = 0; i < r->nrun; i++) { r->mean += r->f[i] / r->nrun, largest = fmax(largest, fabs(r->f[i])); }
  for (int i = 0; i < r->nrun; i++) { r->variance += (r->f[i] - r->mean) * (r->f[i] - r->mean) / r->nrun; }
  out->deviation = sqrt(r->variance);
  if (!(out->deviation > 16 * DBL_EPSILON * largest)) {
    snprintf(out->reason, sizeof out->reason, "it is the same in all runs");
  }
}

/* ---- a whole grid ---- */

/* The number of the run's combination of levels, the last key fastest. */
static int cell_of(const runs_of *r, int i) {
  int cell = 0;
  for (int j = 0; j < r->nkey; j++) { cell = cell * r->nlevel[j] + r->level[i * r->nkey + j]; }
  return cell;
}

/* Does every combination of levels occur once? value [nrun]: those of the combinations. */
static int is_grid(const runs_of *r, double *value) {
  long all = 1;
  for (int j = 0; j < r->nkey; j++) { all = all <= r->nrun ? all * r->nlevel[j] : all; }
  if (all != r->nrun) { return 0; }
  for (int i = 0; i < r->nrun; i++) { value[i] = NAN; }
  for (int i = 0; i < r->nrun; i++) { value[cell_of(r, i)] = r->f[i]; }
  for (int i = 0; i < r->nrun; i++) {
    if (isnan(value[i])) { return 0; }
  }
  return 1;
}

/* The variance of the means over all other keys, and the mean of the variances along the key. */
static void grid_indices(const runs_of *r, const double *value, int j, mbo_importance_key *key) {
  const int n = r->nlevel[j];
  int stride = 1;
  double first = 0, total = 0;
  for (int k = j + 1; k < r->nkey; k++) { stride *= r->nlevel[k]; }
  for (int level = 0; level < n; level++) {
    double sum = 0;
    for (int cell = 0; cell < r->nrun; cell++) { sum += cell / stride % n == level ? value[cell] - r->mean : 0; }
    sum *= (double)n / r->nrun;
    first += sum * sum / n;
  }
  for (int cell = 0; cell < r->nrun; cell++) {
    if (cell / stride % n) { continue; }
    double mean = 0;
    for (int level = 0; level < n; level++) { mean += value[cell + level * stride] / n; }
    for (int level = 0; level < n; level++) {
      const double apart = value[cell + level * stride] - mean;
      total += apart * apart / r->nrun;
    }
  }
  for (int k = 0; k < 3; k++) { key->first[k] = first / r->variance, key->total[k] = total / r->variance; }
}

/* ---- polynomials through runs ---- */

typedef struct polynomials {
  int *degree;   /* [nkey] largest of each key */
  double *value; /* [nkey][DEGREE_MAX + 1][nrun] orthonormal in the values of the key, by themselves */
  int nterm, nterm_max;
  unsigned char *of; /* [TERMS_MAX][nkey] degrees of each term */
  double *Q, *R;     /* [TERMS_MAX][nrun], [TERMS_MAX][TERMS_MAX] factors of the terms at these, Q'Q = 1 */
  double *y, *fit;   /* [nrun] values less their mean, and what the terms make of them */
  double *left;      /* [nrun] fit less values, by the terms without the run */
  double *c;         /* [TERMS_MAX] coefficients */
  double explained;
} polynomials;

static double *basis_of(const polynomials *p, const runs_of *r, int j, int degree) {
  return p->value + ((size_t)j * (DEGREE_MAX + 1) + (size_t)degree) * (size_t)r->nrun;
}

/* b less its parts along the n orthonormal columns of Q [n][size], which R receives. Returns the norm of what is left. */
static double orthogonalize(int n, int size, const double *Q, double *b, double *R) {
  for (int k = 0; k < n; k++) { R[k] = 0; }
  for (int pass = 0; pass < 2; pass++) { /* the second one for what rounding has left */
    for (int k = 0; k < n; k++) {
      const double *q = Q + (size_t)k * (size_t)size, part = vector_dot(size, q, b);
      R[k] += part;
      for (int i = 0; i < size; i++) { b[i] -= part * q[i]; }
    }
  }
  return sqrt(vector_dot(size, b, b));
}

/* Of the values of all runs of key j, each polynomial x times the one before, less its parts along all before; with mean square 1. */
static void make_basis(polynomials *p, const runs_of *r, int j) {
  const int n = r->nrun, max = r->nlevel[j] - 1 < DEGREE_MAX ? r->nlevel[j] - 1 : DEGREE_MAX;
  double *column = basis_of(p, r, j, 0), R[DEGREE_MAX + 1];
  for (int i = 0; i < n; i++) { column[i] = 1 / sqrt(n); }
  for (int d = 1; d <= max; d++) {
    double *next = column + (size_t)d * (size_t)n, *before = next - n;
    const double middle = (r->low[j] + r->high[j]) / 2, half = (r->high[j] - r->low[j]) / 2;
    for (int i = 0; i < n; i++) { next[i] = before[i] * (r->x[i * r->nkey + j] - middle) / half; }
    const double norm = orthogonalize(d, n, column, next, R);
    if (!(norm > dependent)) { break; }
    for (int i = 0; i < n; i++) { next[i] /= norm; }
    p->degree[j] = d;
  }
  for (size_t i = 0; i < (size_t)n * (size_t)(p->degree[j] + 1); i++) { column[i] *= sqrt(n); }
}

/* Names the pair of keys that do not vary independently of each other: products of their polynomials, of degree 1 or 2, have no mean. 0: there is none. */
static int find_related(const polynomials *p, const runs_of *r, mbo_importance *out) {
  for (int j = 0; j < r->nkey; j++) {
    for (int k = 0; k < j; k++) {
      for (int both = 0; both < 4; both++) {
        const int a = 1 + both / 2, b = 1 + both % 2;
        if (a > p->degree[j] || b > p->degree[k]) { continue; }
        const double c = vector_dot(r->nrun, basis_of(p, r, j, a), basis_of(p, r, k, b)) / r->nrun;
        if (fabs(c) <= too_related / sqrt(r->nrun)) { continue; }
        snprintf(out->reason, sizeof out->reason,
                 "keys do not vary independently of each other (correlation %.2f), so that the variance has no such "
                 "parts",
                 c);
        out->related[0] = k, out->related[1] = j;
        return 1;
      }
    }
  }
  return 0;
}

/* Adds all terms whose first j keys have the degrees in `of`, and whose (sum d^q)^(1/q) does not exceed `degree`; 0: there are too many. */
static int add_terms(polynomials *p, const runs_of *r, int j, unsigned char *of, double q, double degree, double sum,
                     int max) {
  if (j == r->nkey) {
    if (p->nterm >= max) { return 0; }
    memcpy(p->of + (size_t)p->nterm++ * (size_t)r->nkey, of, (size_t)r->nkey);
    return 1;
  }
  for (int d = 0; d <= p->degree[j]; d++) {
    const double more = sum + pow(d, q);
    if (more > pow(degree, q) * (1 + 1e-12)) { break; }
    of[j] = (unsigned char)d;
    if (!add_terms(p, r, j + 1, of, q, degree, more, max)) { return 0; }
  }
  of[j] = 0;
  return 1;
}

/* Least squares, and what is left of each run by the terms without it: e_i/(1 - h_i), h_i = sum_k Q_ik^2. 0: the terms depend on each other. */
static int fit_terms(polynomials *p, const runs_of *r) {
  const int n = r->nrun;
  double left2 = 0, alone2 = 0;
  for (int t = 0; t < p->nterm; t++) {
    double *column = p->Q + (size_t)t * (size_t)n, *R = p->R + (size_t)t * TERMS_MAX;
    for (int i = 0; i < n; i++) { column[i] = 1; }
    for (int j = 0; j < r->nkey; j++) {
      const int d = p->of[t * r->nkey + j];
      const double *value = basis_of(p, r, j, d);
      for (int i = 0; d > 0 && i < n; i++) { column[i] *= value[i]; }
    }
    const double before = sqrt(vector_dot(n, column, column));
    R[t] = orthogonalize(t, n, p->Q, column, R);
    if (!(R[t] > 1e-6 * before)) { return 0; }
    for (int i = 0; i < n; i++) { column[i] /= R[t]; }
  }
  memset(p->fit, 0, (size_t)n * sizeof *p->fit), memset(p->left, 0, (size_t)n * sizeof *p->left);
  for (int t = 0; t < p->nterm; t++) {
    const double *q = p->Q + (size_t)t * (size_t)n, part = p->c[t] = vector_dot(n, q, p->y);
    for (int i = 0; i < n; i++) { p->fit[i] += part * q[i], p->left[i] += q[i] * q[i]; }
  }
  for (int i = 0; i < n; i++) {
    if (!(1 - p->left[i] > dependent)) { return 0; }
    p->left[i] = (p->fit[i] - p->y[i]) / (1 - p->left[i]);
    const double alone = p->y[i] * n / (n - 1);
    left2 += p->left[i] * p->left[i], alone2 += alone * alone;
  }
  p->explained = 1 - left2 / alone2;
  return 1;
}

/* The set of terms that predicts best: of all degrees, with many products of keys or few. 0: none can be fitted. */
static int choose_terms(polynomials *p, const runs_of *r, unsigned char *of, mbo_importance *out) {
  static const double norms[] = {1, 0.7, 0.5};
  const int fewer = (int)(r->nrun / runs_for_each_term), max = fewer < p->nterm_max ? fewer : p->nterm_max;
  double best = -INFINITY, best_norm = 1;
  for (size_t k = 0; k < sizeof norms / sizeof norms[0]; k++) {
    for (int degree = 1, before = 0; degree <= DEGREE_MAX; degree++, before = p->nterm) {
      p->nterm = 0;
      if (!add_terms(p, r, 0, of, norms[k], degree, 0, max)) { break; }
      if (p->nterm == before || !fit_terms(p, r) || p->explained <= best) { continue; }
      best = p->explained, best_norm = norms[k], out->degree = degree;
    }
  }
  if (isinf(best)) { return 0; }
  p->nterm = 0;
  return add_terms(p, r, 0, of, best_norm, out->degree, 0, max) && fit_terms(p, r);
}

/* index [nkey][2] := first and total, of the coefficients Q'f in p->c: R a = Q'f, a_t^2 the variance by term t. */
static void indices_of(const polynomials *p, const runs_of *r, double *a, double *index) {
  double all = 0;
  memset(index, 0, 2 * (size_t)r->nkey * sizeof *index);
  for (int t = p->nterm - 1; t >= 0; t--) {
    a[t] = p->c[t];
    for (int k = t + 1; k < p->nterm; k++) { a[t] -= p->R[(size_t)k * TERMS_MAX + (size_t)t] * a[k]; }
    a[t] /= p->R[(size_t)t * TERMS_MAX + (size_t)t];
  }
  for (int t = 1; t < p->nterm; t++) { /* the first is the constant */
    const unsigned char *of = p->of + (size_t)t * (size_t)r->nkey;
    int keys = 0;
    for (int j = 0; j < r->nkey; j++) { keys += of[j] > 0; }
    for (int j = 0; j < r->nkey; j++) {
      if (of[j] > 0) { index[2 * j] += keys == 1 ? a[t] * a[t] : 0, index[2 * j + 1] += a[t] * a[t]; }
    }
    all += a[t] * a[t];
  }
  for (int k = 0; k < 2 * r->nkey; k++) { index[k] = index[k] > DBL_EPSILON * all ? index[k] / all : 0; }
}

/* The interval of an index by its replicates, which are as far from it as it is from the truth (the basic bootstrap). */
static void interval(double *sorted, double index[3]) {
  mbd_sort_values(REPLICATES, sorted);
  index[1] = fmax(0, fmin(index[0], 2 * index[0] - sorted[REPLICATES * 39 / 40]));
  index[2] = fmin(1, fmax(index[0], 2 * index[0] - sorted[REPLICATES / 40]));
}

/* Replicates: the polynomials with what they leave of runs not seen, drawn anew for each run. */
static void bootstrap(polynomials *p, const runs_of *r, double *scratch, mbo_importance_key *key) {
  const int n = r->nrun, m = 2 * r->nkey;
  double *index = scratch, *a = index + m, *sample = a + TERMS_MAX, *all = sample + n, mean = 0;
  uint64_t state = 1;
  indices_of(p, r, a, index);
  for (int j = 0; j < r->nkey; j++) { key[j].first[0] = index[2 * j], key[j].total[0] = index[2 * j + 1]; }
  for (int i = 0; i < n; i++) { mean += p->left[i] / n; }
  for (int b = 0; b < REPLICATES; b++) {
    for (int i = 0; i < n; i++) { sample[i] = p->fit[i] + p->left[random_bits(&state) % (uint64_t)n] - mean; }
    for (int t = 0; t < p->nterm; t++) { p->c[t] = vector_dot(n, p->Q + (size_t)t * (size_t)n, sample); }
    indices_of(p, r, a, index);
    for (int k = 0; k < m; k++) { all[k * REPLICATES + b] = index[k]; }
  }
  for (int j = 0; j < r->nkey; j++) {
    interval(all + (size_t)(2 * j) * REPLICATES, key[j].first);
    interval(all + (size_t)(2 * j + 1) * REPLICATES, key[j].total);
  }
}

static void find_by_polynomials(polynomials *p, const runs_of *r, double *scratch, mbo_importance *out,
                                mbo_importance_key *key) {
  if (out->runs < RUNS_MIN || out->runs < 2 * (r->nkey + 1)) {
    snprintf(out->reason, sizeof out->reason, "%d runs with values are too few, expected at least %d", out->runs,
             RUNS_MIN > 2 * (r->nkey + 1) ? RUNS_MIN : 2 * (r->nkey + 1));
    return;
  }
  for (int j = 0; j < r->nkey; j++) { make_basis(p, r, j); }
  if (find_related(p, r, out)) { return; }
  for (int i = 0; i < r->nrun; i++) { p->y[i] = r->f[i] - r->mean; }
  const int fitted = choose_terms(p, r, (unsigned char *)scratch, out);
  out->terms = fitted ? p->nterm : 0, out->explained = fitted ? p->explained : NAN;
  if (!fitted || !(p->explained >= explained_enough)) {
    snprintf(
        out->reason, sizeof out->reason,
        "polynomials through %d runs predict %.0f %% of the variance of others: too few runs, or a quantity that jumps",
        out->runs, fitted ? 100 * fmax(p->explained, 0) : 0);
    return;
  }
  bootstrap(p, r, scratch, key);
}

static mbd_status by_polynomials(const runs_of *r, mbo_importance *out, mbo_importance_key *key, mbd_error *err) {
  const size_t n = (size_t)r->nrun, d = (size_t)r->nkey;
  const int terms = (int)fmax(1, fmin(TERMS_MAX, sqrt(work_max / (double)n)));
  const size_t scratch = 2 * d + TERMS_MAX + n + 2 * d * REPLICATES + d + 1;
  polynomials p = {.nterm_max = terms, .degree = mbd_zeros(d, sizeof *p.degree), .of = mbd_zeros(TERMS_MAX * d, 1)};
  p.value = mbd_zeros(d * (DEGREE_MAX + 1) * n, sizeof *p.value);
  p.Q = mbd_zeros((size_t)terms * n, sizeof *p.Q), p.R = mbd_zeros((size_t)TERMS_MAX * TERMS_MAX, sizeof *p.R);
  p.y = mbd_zeros(3 * n + TERMS_MAX + scratch, sizeof *p.y);
  const int whole = p.degree && p.of && p.value && p.Q && p.R && p.y;
  if (whole) {
    p.fit = p.y + n, p.left = p.fit + n, p.c = p.left + n;
    find_by_polynomials(&p, r, p.c + TERMS_MAX, out, key);
  }
  free(p.degree), free(p.of), free(p.value), free(p.Q), free(p.R), free(p.y);
  return whole ? MBD_OK : MEMORY_NONE(err, "the importance of %d keys in %d runs", r->nkey, r->nrun);
}

/* ---- bounds by derivatives ---- */

/* The range that the values of a key stand for. Equally spaced levels are the middles of as many cells; points that a plan spreads do not lie on the ends, n
 * random ones in the (n + 1)/(n - 1)-th part, more even ones in less. NaN: other levels, of which derivatives tell nothing. */
static double spread_range(const runs_of *r, int j) {
  const double range = r->high[j] - r->low[j], n = r->nlevel[j];
  return range * (r->nlevel[j] == r->nrun ? (n + 1) / (n - 1) : r->even[j] ? n / (n - 1) : NAN);
}

static void find_bound(const runs_of *r, int j, mbo_importance_key *key) {
  const double range = spread_range(r, j);
  double sum = 0;
  int n = 0;
  for (int i = 0; i < r->nrun; i++) {
    const double slope = r->slope[i * r->nkey + j];
    if (isfinite(slope)) { sum += slope * slope, n++; }
  }
  if (n > 0) { key->bound = sum / n * range * range / (pi * pi * r->variance); }
}

/* ---- all of it ---- */

static mbd_status find(runs_of *r, double *scratch, mbo_importance *out, mbo_importance_key *key, mbd_error *err) {
  for (int j = 0; j < r->nkey; j++) { find_levels(r, j, scratch); }
  find_variance(r, out);
  if (*out->reason) { return MBD_OK; }
  out->exact = is_grid(r, scratch);
  if (out->exact) { out->explained = 1; }
  for (int j = 0; out->exact && j < r->nkey; j++) { grid_indices(r, scratch, j, &key[j]); }
  if (!out->exact) { MBD_TRY(by_polynomials(r, out, key, err)); }
  for (int j = 0; r->slope && j < r->nkey; j++) { find_bound(r, j, &key[j]); }
  return MBD_OK;
}

/* The runs with a value, in their order. */
static void take_runs(runs_of *r, int nrun, const double *x, const double *f, const double *slope) {
  const size_t d = (size_t)r->nkey;
  for (int i = 0; i < nrun; i++) {
    if (!isfinite(f[i])) { continue; }
    memcpy(r->x + (size_t)r->nrun * d, x + (size_t)i * d, d * sizeof *x);
    if (slope) { memcpy(r->slope + (size_t)r->nrun * d, slope + (size_t)i * d, d * sizeof *x); }
    r->f[r->nrun++] = f[i];
  }
}

mbd_status mbo_importance_find(int nrun, int nkey, const double *x, const double *f, const double *slope,
                               mbo_importance *out, mbo_importance_key *key, mbd_error *err) {
  const size_t n = (size_t)nrun, d = (size_t)nkey;
  *out = (mbo_importance){.explained = NAN, .related = {-1, -1}};
  for (int j = 0; j < nkey; j++) {
    key[j] = (mbo_importance_key){.first = {NAN, NAN, NAN}, .total = {NAN, NAN, NAN}, .bound = NAN};
  }
  runs_of r = {.nkey = nkey};
  r.level = mbd_zeros(n * d + 2 * d, sizeof *r.level), r.x = mbd_zeros(2 * n * d + 2 * n + 2 * d, sizeof *r.x);
  mbd_status status = r.level && r.x ? MBD_OK : MEMORY_NONE(err, "the importance of %d keys", nkey);
  if (status == MBD_OK) {
    r.nlevel = r.level + n * d, r.even = r.nlevel + d, r.f = r.x + n * d, r.low = r.f + n, r.high = r.low + d;
    r.slope = slope ? r.high + d : NULL;
    take_runs(&r, nrun, x, f, slope);
    out->runs = r.nrun;
    if (r.nrun < 2) {
      snprintf(out->reason, sizeof out->reason, "%d of %d runs have a value", r.nrun, nrun);
    } else {
      status = find(&r, r.high + d + n * d, out, key, err);
    }
  }
  free(r.level), free(r.x);
  return status;
}
