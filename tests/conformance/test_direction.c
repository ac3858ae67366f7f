/* Derivatives along coefficients and coordinates together, in O(bodies + elements), against those along coefficients alone and
 * matrices, and against the reverse sweeps: <w, J v> = <J' w, v>. */
#include "mechanism.h"

/* A direction in everything. */
typedef struct direction {
  double *z, *zd, *zdd, *lam, *theta;
  int *index;
} direction;

static void open_direction(const bench *b, direction *d) {
  const int n = b->m->nz, nc = b->m->ncoef;
  d->z = calloc(3 * (size_t)n + (size_t)(lam_size(b->m) + nc) + 1, sizeof *d->z);
  d->zd = d->z + n, d->zdd = d->zd + n, d->lam = d->zdd + n, d->theta = d->lam + lam_size(b->m);
  d->index = calloc((size_t)nc + 1, sizeof *d->index);
  for (int j = 0; j < n; j++) {
    d->z[j] = sin(0.2 + 1.3 * j), d->zd[j] = cos(1.1 + 0.7 * j), d->zdd[j] = sin(2.5 + 1.9 * j);
  }
  for (int i = 0; i < lam_size(b->m); i++) { d->lam[i] = cos(2.0 + 1.6 * i); }
  for (int k = 0; k < nc; k++) { d->index[k] = k, d->theta[k] = 0.1 * (1 + fabs(b->p->theta[k])) * sin(0.9 + 2.3 * k); }
  mbd_dparams_set(b->d, b->p, nc, d->index, d->theta);
}

static void close_direction(direction *d) {
  free(d->z), free(d->index);
}

/* J_z, J_zd, J_zdd [rows][nz] and g_lam, each of stride numbers, to be freed */
static double *matrices_of(bench *b, const scalar *s, size_t *stride) {
  const int n = b->m->nz, rows = entries(b, s);
  const motion_terms e = terms_of(b, s->kind);
  *stride = (size_t)n * ((size_t)(rows > lam_size(b->m) ? rows : lam_size(b->m)) + 1);
  double *A = calloc(4 * *stride, sizeof *A), *B = A + *stride, *C = B + *stride, *g_lam = C + *stride;
  switch (s->kind) {
    case RESIDUAL: motion_jacobian(b->w, &e, NULL, A, B, NULL, C); break;
    case REST:
      motion_jacobian(b->w, &e, NULL, A, NULL, NULL, NULL);
      motion_mass(b->w, NULL, C);
      break;
    case REACTION: motion_jacobian(b->w, &e, NULL, A, NULL, NULL, NULL); break;
    case PHI: rows_of_positions(b, e.rows, A); break;
    case PHID:
      motion_rates_z(b->w, e.rows, A, NULL, NULL);
      motion_phi(b->w, e.rows, NULL, B);
      break;
    case PHIDD:
      motion_rates_z(b->w, e.rows, g_lam, A, B);
      motion_phi(b->w, e.rows, NULL, C);
      break;
    case OUTPUT: output_rows(b->w, &b->o->item[s->output], b->lam, A, B, C, g_lam); break;
  }
  return A;
}

/* out += J_z dz + J_zd dzd + J_zdd dzdd (+ g_lam dlam) by the matrices */
static void add_by_matrices(bench *b, const scalar *s, const direction *d, double *out) {
  const int n = b->m->nz, rows = entries(b, s);
  const double *const change[] = {d->z, d->zd, d->zdd};
  size_t stride;
  double *A = matrices_of(b, s, &stride);
  for (size_t k = 0; k < 3; k++) { mbd_mul_add(rows, n, 1, 1, A + k * stride, change[k], out); }
  if (s->kind == OUTPUT) { out[0] += dot(output_lam_size(b->m, &b->o->item[s->output]), A + 3 * stride, d->lam); }
  free(A);
}

static double compare(const char *model, const scalar *s, const char *what, int n, const double *got,
                      const double *exact) {
  double scale = least_scale(s), worst = 0;
  for (int i = 0; i < n; i++) { scale = fmax(scale, fabs(exact[i])); }
  for (int i = 0; i < n; i++) {
    char text[300] = ""; /* of those alone that are to be told: there are a million */
    if (!(fabs(got[i] - exact[i]) <= 1e-12 * scale * test_scale())) {
      snprintf(text, sizeof text, "%s: %s[%d] %s", model, s->name, i, what);
    }
    CHECK_NEAR(text, got[i], exact[i], scale, 1e-12);
    if (scale > 0) { worst = fmax(worst, fabs(got[i] - exact[i]) / scale); }
  }
  return worst;
}

/* All at once, coordinates alone, and each set of coordinates alone. */
static double check_matrices(bench *b, const char *model, const scalar *s) {
  const int n = entries(b, s);
  double *got = calloc(2 * (size_t)n + 1, sizeof *got), *exact = got + n, worst;
  direction d;
  open_direction(b, &d);
  sweep(b, s->kind);
  along(b, s, b->d, NULL, NULL, NULL, NULL, exact);
  add_by_matrices(b, s, &d, exact);
  along(b, s, b->d, d.z, d.zd, d.zdd, d.lam, got);
  worst = compare(model, s, "along all", n, got, exact);
  memset(exact, 0, (size_t)n * sizeof *exact);
  add_by_matrices(b, s, &d, exact);
  along(b, s, NULL, d.z, d.zd, d.zdd, d.lam, got);
  worst = fmax(worst, compare(model, s, "along coordinates", n, got, exact));
  close_direction(&d);
  free(got);
  return worst;
}

/* One coordinate or rate after the other: nothing may lean on the others' being there. */
static double check_columns(bench *b, const char *model, const scalar *s) {
  const int n = entries(b, s), nz = b->m->nz;
  const size_t size = (size_t)n * 3 * (size_t)nz;
  double *got = calloc(2 * size + 1, sizeof *got), *exact = got + size;
  double *unit = calloc(3 * (size_t)nz + 1, sizeof *unit);
  const double *z = unit, *zd = z + nz, *zdd = zd + nz;
  size_t stride;
  sweep(b, s->kind);
  double *A = matrices_of(b, s, &stride);
  for (int j = 0; j < 3 * nz; j++) {
    const double *column = A + (size_t)(j / nz) * stride + j % nz;
    for (int i = 0; i < n; i++) { exact[j * n + i] = column[i * nz]; }
    unit[j] = 1;
    along(b, s, NULL, j < nz ? z : NULL, j / nz == 1 ? zd : NULL, j >= 2 * nz ? zdd : NULL, NULL, got + j * n);
    unit[j] = 0;
  }
  const double worst = compare(model, s, "along one coordinate or rate", (int)size, got, exact);
  free(got), free(unit), free(A);
  return worst;
}

/* Several directions of the coordinates at once, zd held or not. */
static double check_several(bench *b, const char *model, const scalar *s) {
  enum { K = MOTION_SEVERAL - 1 };
  const int rates = s->kind == PHID || s->kind == PHIDD, n = entries(b, s), nz = b->m->nz;
  if (!rates && s->kind != REST && s->kind != REACTION) { return 0; }
  const motion_terms e = terms_of(b, s->kind);
  const size_t size = (size_t)n * K, block = (size_t)nz * K;
  double *got = calloc(2 * size + (size_t)n + 2 * block + 1, sizeof *got), *exact = got + size, *column = exact + size;
  double *dz = column + n, *dzd = dz + block;
  direction d;
  open_direction(b, &d);
  memset(d.zdd, 0, (size_t)nz * sizeof *d.zdd);
  sweep(b, s->kind);
  for (int k = 0; k < K; k++) {
    for (int j = 0; j < nz; j++) {
      d.z[j] = dz[j * K + k] = sin(0.2 + 1.3 * j + 2.1 * k);
      d.zd[j] = dzd[j * K + k] = k == 1 || !rates ? 0 : cos(1.1 + 0.7 * j + 1.7 * k);
    }
    memset(column, 0, (size_t)n * sizeof *column);
    add_by_matrices(b, s, &d, column);
    for (int i = 0; i < n; i++) { exact[i * K + k] = column[i]; }
  }
  if (rates) { /* in one call, and dz alone with dzd alone after it */
    motion_rates_times(b->w, e.rows, K, dz, dzd, s->kind == PHID ? got : NULL, s->kind == PHIDD ? got : NULL);
    compare(model, s, "along several directions", (int)size, got, exact);
    memset(got, 0, size * sizeof *got);
    motion_rates_times(b->w, e.rows, K, dz, NULL, s->kind == PHID ? got : NULL, s->kind == PHIDD ? got : NULL);
    motion_rates_times(b->w, e.rows, K, NULL, dzd, s->kind == PHID ? got : NULL, s->kind == PHIDD ? got : NULL);
  } else {
    motion_rest_times(b->w, &e, K, 2, dz, got);
    for (size_t i = 0; i < size; i++) { got[i] /= 2; }
  }
  const double worst = compare(model, s, "along several directions", (int)size, got, exact);
  close_direction(&d);
  free(got);
  return worst;
}

static double check_transposed(bench *b, const char *model, const scalar *s) {
  const int n = entries(b, s), nz = b->m->nz;
  double *change = calloc((size_t)n + 3 * (size_t)nz + 1, sizeof *change), *back = change + n;
  const int rest = s->kind == REST; /* the reverse sweep has M x at fixed x */
  direction d;
  char name[300];
  open_direction(b, &d);
  sweep(b, s->kind);
  along(b, s, b->d, d.z, d.zd, rest ? NULL : d.zdd, d.lam, change);
  const double forth = dot(n, weights(b, s), change);
  backward(b, s);
  reverse_coordinates(&b->q, back, back + nz, back + 2 * nz);
  params_reverse_finish(b->theta, b->p);
  const double part[] = {dot(nz, back, d.z), dot(nz, back + nz, d.zd), rest ? 0 : dot(nz, back + 2 * nz, d.zdd),
                         dot(b->m->ncoef, b->theta->theta, d.theta), dot(lam_size(b->m), b->lam_T, d.lam)};
  double sum = 0, scale = least_scale(s);
  for (int i = 0; i < 5; i++) { sum += part[i], scale += fabs(part[i]); }
  snprintf(name, sizeof name, "%s: <w, J v> of %s", model, s->name);
  CHECK_NEAR(name, forth, sum, scale, 1e-12);
  close_direction(&d);
  free(change);
  return scale > 0 ? fabs(forth - sum) / scale : 0;
}

static void test_matrices(void) {
  all_scalars(check_matrices);
}

static void test_columns(void) {
  all_scalars(check_columns);
}

static void test_several(void) {
  all_scalars(check_several);
}

static void test_transposed(void) {
  all_scalars(check_transposed);
}

TEST_MAIN(TEST(test_matrices), TEST(test_columns), TEST(test_several), TEST(test_transposed))
