/* Every hand-written derivative of the residual and of the constraints against the complex step of the functions
 * themselves, at states off the constraints: K, C, M, Phi_z, Phid_z, Phidd_z, Phidd_zd, the reactions' second
 * derivatives, and the derivative in every coefficient of every model. Reference points: all, and equal. */
#include "coverage.h"
#include "dynamics/motion.h"
#include "la/dense.h"
#include "model.h"

static const char *const models[] = {
    "tests/conformance/models/tree.ini",      "tests/conformance/models/cuts.ini",
    "tests/conformance/models/uncut.ini",     "tests/conformance/models/constraints.ini",
    "tests/conformance/models/wheels.ini",    "tests/conformance/models/hinges.ini",
    "tests/conformance/models/rows.ini",      "tests/conformance/models/drives.ini",
    "tests/conformance/models/couplings.ini", "tests/conformance/models/axles.ini",
    "tests/conformance/models/own.ini",       "tests/conformance/models/acting.ini",
    "tests/conformance/models/states.ini",    "tests/conformance/models/velocities.ini",
    "tests/conformance/models/signals.ini",   "tests/conformance/models/velocities_expression.ini",
    "tests/conformance/models/beams.ini",     "problems/five_bar/five_bar.ini"};
enum { N_MODELS = sizeof models / sizeof models[0], MAX = 64 };

static const double step = 1e-30;
static const double t = 0.137;

typedef struct kernel {
  test_model base;
  const mbd_model *m; /* those of base */
  mbd_params *p;
  mbd_work *w;
  motion_rows rows; /* Phi and the held quantities */
  int n;
  mbd_real z[MAX], zd[MAX], zdd[MAX], lam[2 * MAX];
  mbd_real *Phi_z;
} kernel;

/* What is differentiated. */
typedef struct values {
  mbd_real r[MAX], phi[2 * MAX], phid[2 * MAX], phidd[2 * MAX]; /* of all rows */
} values;

static void open_kernel(kernel *k, const char *model, mbd_reference reference) {
  mbd_error err = {0};
  k->base = model_open(model);
  k->m = k->base.m, k->p = k->base.p;
  must(mbd_work_create(k->m, reference, &k->w, &err), &err);
  k->n = k->m->nz;
  k->rows = motion_with_holds(k->m, k->m->nhold);
  k->Phi_z = calloc((size_t)(k->rows.nrow + 1) * (size_t)k->n, sizeof *k->Phi_z);
  for (int j = 0; j < k->n; j++) {
    k->z[j] = 0.3 * sin(1.3 + 1.7 * j);
    k->zd[j] = cos(0.4 + 2.1 * j);
    k->zdd[j] = 2 * sin(2.2 + 0.9 * j);
  }
  for (int i = 1; i < k->m->nb; i++) { /* Euler parameters away from zero, and not of unit length */
    int e = k->m->joint[k->m->body[i].joint].ops->euler;
    if (e >= 0) { k->z[k->m->body[i].z0 + e] += 0.9; }
  }
  for (int i = 0; i < k->rows.nrow; i++) { k->lam[i] = 3 * cos(0.7 + 1.1 * i); }
}

static void close_kernel(kernel *k) {
  mbd_work_destroy(k->w);
  model_close(&k->base);
  free(k->Phi_z);
}

/* r + Phi_z' lam, Phi, Phid = Phi_z zd + phi_t, Phidd */
static void evaluate(kernel *k, values *v) {
  motion_place(k->w, k->p, t, k->z);
  motion_move(k->w, k->zd, k->zdd, 1);
  motion_residual(k->w, v->r);
  motion_phi(k->w, k->rows, v->phi, k->Phi_z);
  mbd_mulT_add(k->rows.nrow, k->n, 1, 1, k->Phi_z, k->lam, v->r);
  motion_phi_t(k->w, k->rows, v->phid);
  mbd_mul_add(k->rows.nrow, k->n, 1, 1, k->Phi_z, k->zd, v->phid);
  motion_phidd(k->w, k->rows, v->phidd);
}

/* The residual with reactions in one sweep, against the two parts. */
static void same_held(kernel *k, const values *v, const char *model) {
  mbd_real r[MAX], phi[2 * MAX];
  double scale = 1;
  motion_residual_held(k->w, k->rows, k->lam, phi, r);
  for (int j = 0; j < k->n; j++) { scale = fmax(scale, fabs(creal(v->r[j]))); }
  for (int j = 0; j < k->n; j++) { CHECK_NEAR(model, creal(r[j]), creal(v->r[j]), scale, 1e-13); }
  const int first = k->m->nphi - k->m->nvelocity_row;
  for (int i = 0; i < k->rows.nrow; i++) {
    if (i < first || i >= k->m->nphi) { CU_ASSERT_EQUAL(phi[i], v->phi[i]); }
  }
  /* Of velocity constraints it has Psi, as does motion_velocity_rows. */
  mbd_real psi[MAX];
  motion_velocity_rows(k->w, psi, NULL, NULL, NULL);
  for (int i = first; i < k->m->nphi; i++) {
    CHECK_NEAR(model, creal(phi[i]), creal(v->phid[i]), 1, 1e-13);
    CU_ASSERT_EQUAL(phi[i], psi[i - first]);
  }
}

/* Velocity constraints have no Phi: A takes the place of Phi_z. */
static void clear_velocity_rows(const kernel *k, mbd_real *Phi_z) {
  const int rows = k->m->nvelocity_row;
  memset(Phi_z + (k->m->nphi - rows) * k->n, 0, (size_t)(rows * k->n) * sizeof *Phi_z);
}

/* Psi_z by itself is that of the rates. */
static void same_velocity_rows(kernel *k, const mbd_real *Phid_z, const char *model) {
  const int n = k->n, first = k->m->nphi - k->m->nvelocity_row;
  mbd_real *psi_z = calloc((size_t)(k->m->nvelocity_row * n) + 1, sizeof *psi_z);
  motion_velocity_rows(k->w, NULL, psi_z, NULL, NULL);
  for (int i = 0; i < k->m->nvelocity_row * n; i++) {
    CHECK_NEAR(model, creal(psi_z[i]), creal(Phid_z[first * n + i]), 1, 1e-15);
  }
  free(psi_z);
}

/* Columns of a matrix against Im/step of the values. */
static void compare(const char *model, const char *what, int rows, int cols, const mbd_real *matrix, int j,
                    const mbd_real *value) {
  double scale = 1;
  for (int i = 0; i < rows * cols; i++) { scale = fmax(scale, fabs(creal(matrix[i]))); }
  for (int i = 0; i < rows; i++) {
    char name[300];
    snprintf(name, sizeof name, "%s %s[%d][%d]", model, what, i, j);
    CHECK_NEAR(name, creal(matrix[i * cols + j]), cimag(value[i]) / step, scale, 1e-12);
  }
}

static void in_state(mbd_reference reference) {
  for (int q = 0; q < N_MODELS; q++) {
    kernel k = {0};
    values v;
    open_kernel(&k, models[q], reference);
    const int n = k.n, m = k.rows.nrow;
    const size_t nn = (size_t)n * (size_t)n, mn = (size_t)(m + 1) * (size_t)n;
    mbd_real *K = calloc(3 * nn + 4 * mn, sizeof *K), *C = K + nn, *M = C + nn, *Phi_z = M + nn, *Phid_z = Phi_z + mn,
             *Phidd_z = Phid_z + mn, *Phidd_zd = Phidd_z + mn;
    const motion_terms e = motion_equations(k.rows, k.lam);
    mbd_real *M2 = calloc(nn, sizeof *M2);
    evaluate(&k, &v);
    same_held(&k, &v, models[q]);
    motion_jacobian(k.w, &e, NULL, K, C, NULL, M);
    motion_phi(k.w, k.rows, NULL, Phi_z);
    motion_rates_z(k.w, k.rows, Phid_z, Phidd_z, Phidd_zd);
    same_velocity_rows(&k, Phid_z, models[q]);
    clear_velocity_rows(&k, Phi_z);
    motion_mass(k.w, NULL, M2);
    for (size_t i = 0; i < nn; i++) { CHECK_NEAR("composite mass matrix", creal(M2[i]), creal(M[i]), 1, 1e-12); }
    for (int j = 0; j < n; j++) {
      k.z[j] += MBD_IMAG_UNIT * step;
      evaluate(&k, &v);
      compare(models[q], "K", n, n, K, j, v.r);
      compare(models[q], "Phi_z", m, n, Phi_z, j, v.phi);
      compare(models[q], "Phid_z", m, n, Phid_z, j, v.phid);
      compare(models[q], "Phidd_z", k.m->nphi, n, Phidd_z, j, v.phidd);
      k.z[j] = creal(k.z[j]);
      k.zd[j] += MBD_IMAG_UNIT * step;
      evaluate(&k, &v);
      compare(models[q], "C", n, n, C, j, v.r);
      compare(models[q], "Phidd_zd", k.m->nphi, n, Phidd_zd, j, v.phidd);
      k.zd[j] = creal(k.zd[j]);
      k.zdd[j] += MBD_IMAG_UNIT * step;
      evaluate(&k, &v);
      compare(models[q], "M", n, n, M, j, v.r);
      k.zdd[j] = creal(k.zdd[j]);
    }
    free(K), free(M2);
    close_kernel(&k);
  }
}

static void test_state_rtdyn0(void) {
  in_state(MBD_RTDYN0);
}
static void test_state_rtdyn1(void) {
  in_state(MBD_RTDYN1);
}
static void test_state_joint(void) {
  in_state(MBD_RTDYN_JOINT);
}

/* Every coefficient: mass properties, geometry, axes, force laws, curves, gravity, held values. */
static void in_coefficients(mbd_reference reference) {
  int moved = 0, of = 0;
  for (int q = 0; q < N_MODELS; q++) {
    kernel k = {0};
    values v;
    mbd_error err;
    mbd_dparams *d;
    open_kernel(&k, models[q], reference);
    const int nc = mbd_model_ncoef(k.m);
    double *theta = calloc((size_t)nc + 1, sizeof *theta);
    for (int i = 0; i < nc; i++) { theta[i] = mbd_model_nominal(k.m, i); }
    CU_ASSERT_EQUAL(mbd_dparams_create(k.m, &d, &err), MBD_OK);
    for (int i = 0; i < nc; i++) {
      const double one = 1;
      mbd_real dr[MAX], dphi[2 * MAX], dphid[2 * MAX], dphidd[2 * MAX];
      double size = 0;
      CU_ASSERT_EQUAL(mbd_params_set(k.p, theta, &err), MBD_OK);
      mbd_dparams_set(d, k.p, 1, &i, &one);
      evaluate(&k, &v);
      const motion_terms e = motion_equations(k.rows, k.lam);
      motion_along(k.w, d, NULL, NULL, NULL);
      motion_direction(k.w, &e, dr, dphi, dphid, dphidd);
      params_set_imaginary(k.p, 1, &i, &step);
      evaluate(&k, &v);
      compare(models[q], mbd_model_coef_name(k.m, i), k.n, 1, dr, 0, v.r);
      compare(models[q], mbd_model_coef_name(k.m, i), k.rows.nrow, 1, dphi, 0, v.phi);
      compare(models[q], mbd_model_coef_name(k.m, i), k.rows.nrow, 1, dphid, 0, v.phid);
      compare(models[q], mbd_model_coef_name(k.m, i), k.m->nphi, 1, dphidd, 0, v.phidd);
      for (int j = 0; j < k.n; j++) { size += fabs(creal(dr[j])); }
      moved += size > 0;
      of++;
    }
    mbd_dparams_destroy(d);
    free(theta);
    close_kernel(&k);
  }
  printf("(%d of %d coefficients move the residual) ", moved, of);
  CU_ASSERT(moved > of / 2); /* not all zero: what is left over are guesses, ground markers, unused axes */
}

static void test_coefficients_rtdyn0(void) {
  in_coefficients(MBD_RTDYN0);
}
static void test_coefficients_rtdyn1(void) {
  in_coefficients(MBD_RTDYN1);
}
static void test_coefficients_joint(void) {
  in_coefficients(MBD_RTDYN_JOINT);
}

/* Coefficients and coordinates together. */
static void together(mbd_reference reference) {
  for (int q = 0; q < N_MODELS; q++) {
    kernel k = {0};
    values v;
    mbd_error err;
    mbd_dparams *d;
    mbd_real dz[MAX], dzd[MAX], dzdd[MAX], dr[MAX], dphi[2 * MAX], dphid[2 * MAX], dphidd[2 * MAX];
    open_kernel(&k, models[q], reference);
    const int nc = mbd_model_ncoef(k.m);
    int *index = calloc((size_t)nc + 1, sizeof *index);
    double *dtheta = calloc(2 * ((size_t)nc + 1), sizeof *dtheta), *imaginary = dtheta + nc;
    for (int i = 0; i < nc; i++) {
      index[i] = i;
      dtheta[i] = 0.1 * (1 + fabs(mbd_model_nominal(k.m, i))) * sin(0.9 + 2.3 * i);
      imaginary[i] = step * dtheta[i];
    }
    CU_ASSERT_EQUAL(mbd_dparams_create(k.m, &d, &err), MBD_OK);
    mbd_dparams_set(d, k.p, nc, index, dtheta);
    evaluate(&k, &v);
    const motion_terms e = motion_equations(k.rows, k.lam);
    for (int j = 0; j < k.n; j++) { dz[j] = sin(0.2 + 1.3 * j), dzd[j] = cos(1.1 + 0.7 * j), dzdd[j] = sin(2.5 + j); }
    motion_along(k.w, d, dz, dzd, dzdd);
    motion_direction(k.w, &e, dr, dphi, dphid, dphidd);
    params_set_imaginary(k.p, nc, index, imaginary);
    for (int j = 0; j < k.n; j++) {
      k.z[j] += MBD_IMAG_UNIT * step * dz[j];
      k.zd[j] += MBD_IMAG_UNIT * step * dzd[j];
      k.zdd[j] += MBD_IMAG_UNIT * step * dzdd[j];
    }
    evaluate(&k, &v);
    compare(models[q], "residual along all", k.n, 1, dr, 0, v.r);
    compare(models[q], "Phi along all", k.rows.nrow, 1, dphi, 0, v.phi);
    compare(models[q], "Phid along all", k.rows.nrow, 1, dphid, 0, v.phid);
    compare(models[q], "Phidd along all", k.m->nphi, 1, dphidd, 0, v.phidd);
    mbd_dparams_destroy(d);
    free(index), free(dtheta);
    close_kernel(&k);
  }
}

static void test_together_rtdyn0(void) {
  together(MBD_RTDYN0);
}
static void test_together_rtdyn1(void) {
  together(MBD_RTDYN1);
}
static void test_together_joint(void) {
  together(MBD_RTDYN_JOINT);
}

/* theory.md §9: the reference point changes nothing. */
static void same_residual(const char *model, mbd_reference reference) {
  kernel a = {0}, b = {0};
  values u, v;
  open_kernel(&a, model, reference);
  open_kernel(&b, model, MBD_RTDYN1);
  evaluate(&a, &u);
  evaluate(&b, &v);
  double scale = 1;
  for (int j = 0; j < a.n; j++) { scale = fmax(scale, fabs(creal(v.r[j]))); }
  for (int j = 0; j < a.n; j++) { CHECK_NEAR(model, creal(u.r[j]), creal(v.r[j]), scale, 1e-13); }
  close_kernel(&a);
  close_kernel(&b);
}

static void test_reference_points(void) {
  for (int q = 0; q < N_MODELS; q++) {
    same_residual(models[q], MBD_RTDYN0), same_residual(models[q], MBD_RTDYN_JOINT);
  }
}

static void test_coverage(void) {
  coverage covered = {0};
  for (int q = 0; q < N_MODELS; q++) {
    kernel k = {0};
    open_kernel(&k, models[q], MBD_RTDYN1);
    cover(&covered, k.m);
    close_kernel(&k);
  }
  check_coverage(&covered, "tests/complex/test_kernels.c");
}

TEST_MAIN(TEST(test_state_rtdyn0), TEST(test_state_rtdyn1), TEST(test_state_joint), TEST(test_coefficients_rtdyn0),
          TEST(test_coefficients_rtdyn1), TEST(test_coefficients_joint), TEST(test_together_rtdyn0),
          TEST(test_together_rtdyn1), TEST(test_together_joint), TEST(test_reference_points), TEST(test_coverage))
