/* Reverse sweeps (kinematics/reverse.h) against the forward derivatives, for every model at states off its constraints:
 * what one scalar of the mechanics says of coordinates, rates and every single coefficient at once must be what matrices
 * and directions say one by one. */
#include "mechanism.h"

/* dL along the direction set in b->d */
static double forward(bench *b, const scalar *s) {
  const int n = entries(b, s);
  double *change = calloc((size_t)n + 1, sizeof *change);
  along(b, s, b->d, NULL, NULL, NULL, NULL, change);
  const double L = dot(n, weights(b, s), change);
  free(change);
  return L;
}

/* Unless all is asked for, of every scalar one coefficient in three, the next ones of the next scalar. */
static int is_drawn(int k) {
  static int turn;
  turn += k == 0;
  return test_long() || (k + turn) % 3 == 0;
}

static double check_coefficients(bench *b, const char *model, const scalar *s) {
  const int nc = b->m->ncoef;
  double *exact = calloc((size_t)nc + 1, sizeof *exact), scale = least_scale(s), worst = 0;
  sweep(b, s->kind);
  backward(b, s);
  params_reverse_finish(b->theta, b->p);
  for (int k = 0; k < nc; k++) {
    const double one = 1;
    exact[k] = b->theta->theta[k];
    if (!is_drawn(k)) { continue; }
    mbd_dparams_set(b->d, b->p, 1, &k, &one);
    exact[k] = forward(b, s);
  }
  for (int k = 0; k < nc; k++) { scale = fmax(scale, fabs(exact[k])); }
  for (int k = 0; k < nc; k++) {
    char name[300] = ""; /* of those alone that are to be told */
    if (!(fabs(b->theta->theta[k] - exact[k]) <= 1e-12 * scale * test_scale())) {
      snprintf(name, sizeof name, "%s: %s by %s", model, s->name, b->m->coef_name[k]);
    }
    CHECK_NEAR(name, b->theta->theta[k], exact[k], scale, 1e-12);
    if (scale > 0) { worst = fmax(worst, fabs(b->theta->theta[k] - exact[k]) / scale); }
  }
  free(exact);
  return worst;
}

/* ---- coordinates ---- */

/* x += weights' J,  J [nrow][n] */
static void add_rows(int nrow, int n, const double *weight, const double *J, double *x) {
  mbd_mulT_add(nrow, n, 1, 1, J, weight, x);
}

/* dL/dz, dL/dzd, dL/dzdd [n] each, by matrices */
static void by_matrices(bench *b, const scalar *s, double *z, double *zd, double *zdd) {
  const int n = b->m->nz;
  const motion_terms e = terms_of(b, s->kind);
  const size_t big = (size_t)n * (size_t)(n > e.rows.nrow ? n : e.rows.nrow) + (size_t)lam_size(b->m);
  double *A = calloc(big, sizeof *A), *B = calloc(big, sizeof *B), *C = calloc(big, sizeof *C);
  switch (s->kind) {
    case RESIDUAL:
    case REST:
      motion_jacobian(b->w, &e, NULL, A, s->kind == REST ? NULL : B, NULL, C);
      add_rows(n, n, b->mu, A, z);
      if (s->kind != REST) { add_rows(n, n, b->mu, B, zd); }
      motion_mass(b->w, NULL, C);
      add_rows(n, n, b->mu, C, zdd);
      break;
    case REACTION:
      motion_jacobian(b->w, &e, NULL, A, NULL, NULL, NULL);
      add_rows(n, n, b->mu, A, z);
      break;
    case PHI:
      rows_of_positions(b, e.rows, A);
      add_rows(e.rows.nrow, n, b->lam, A, z);
      break;
    case PHID:
    case PHIDD: {
      const int second = s->kind == PHIDD;
      motion_rates_z(b->w, e.rows, A, second ? B : NULL, second ? C : NULL);
      add_rows(e.rows.nrow, n, b->lam, second ? B : A, z);
      if (second) { add_rows(e.rows.nrow, n, b->lam, C, zd); }
      motion_phi(b->w, e.rows, NULL, A);
      add_rows(e.rows.nrow, n, b->lam, A, second ? zdd : zd);
      break;
    }
    case OUTPUT: output_rows(b->w, &b->o->item[s->output], b->lam, z, zd, zdd, A); break;
  }
  free(A), free(B), free(C);
}

static double check_coordinates(bench *b, const char *model, const scalar *s) {
  const int n = b->m->nz;
  double *got = calloc(6 * (size_t)n, sizeof *got), *exact = got + 3 * n, worst = 0, scale = least_scale(s);
  sweep(b, s->kind);
  by_matrices(b, s, exact, exact + n, exact + 2 * n);
  sweep(b, s->kind);
  backward(b, s);
  reverse_coordinates(&b->q, got, got + n, got + 2 * n);
  for (int j = 0; j < 3 * n; j++) { scale = fmax(scale, fabs(exact[j])); }
  for (int j = 0; j < 3 * n; j++) {
    char name[300];
    if (s->kind == REST && j >= n) { continue; } /* mu . M x at fixed x */
    snprintf(name, sizeof name, "%s: %s by %s (rate %d)", model, s->name, b->m->z_name[j % n], j / n);
    CHECK_NEAR(name, got[j], exact[j], scale, 1e-12);
    if (scale > 0) { worst = fmax(worst, fabs(got[j] - exact[j]) / scale); }
  }
  free(got);
  return worst;
}

static void test_coefficients(void) {
  all_scalars(check_coefficients);
}

static void test_coordinates(void) {
  all_scalars(check_coordinates);
}

TEST_MAIN(TEST(test_coefficients), TEST(test_coordinates))
