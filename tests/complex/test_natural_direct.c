/* Changes of the natural model along a direction of all coefficients and of the state, against the complex step of the functions
 * themselves: residual, equations and their rates, off the constraints; and what is taken of a state in joint coordinates. */
#include "complex/natural_models.h"
#include "natural_bench.h"

static const double step = 1e-30, t = 0.137;

/* Numbers of one model: states [nz], [nq], their changes, multipliers, and what is compared. */
typedef struct bench {
  natural_bench of;
  mbd_real *z[3], *dz[3], *q[3], *dq[3], *lam, *Phi_q;
  mbd_real *r, *phi[3], *taken[3];
  mbd_real *dr, *dphi[3], *dtaken[3];
} bench;

static mbd_real *numbers(int n, double a, double b) {
  mbd_real *x = calloc((size_t)n + 1, sizeof *x);
  for (int i = 0; i < n; i++) { x[i] = sin(a + b * i); }
  return x;
}

static void open_bench(bench *b, const char *model) {
  *b = (bench){.of = natural_bench_open(model)};
  for (int k = 0; k < 3; k++) {
    b->z[k] = numbers(b->of.m->nz, 1.3 + k, 1.7), b->dz[k] = numbers(b->of.m->nz, 0.2 + k, 0.6);
    b->q[k] = numbers(b->of.n->nq, 0.9 + k, 2.3), b->dq[k] = numbers(b->of.n->nq, 0.3 + k, 1.9);
    b->phi[k] = numbers(b->of.n->nphi, 0, 0), b->dphi[k] = numbers(b->of.n->nphi, 0, 0);
    b->taken[k] = numbers(b->of.n->nq, 0, 0), b->dtaken[k] = numbers(b->of.n->nq, 0, 0);
  }
  natural_bench_turn(&b->of, b->z[0]);
  b->lam = numbers(b->of.n->nphi, 0.7, 1.1);
  b->r = numbers(b->of.n->nq, 0, 0), b->dr = numbers(b->of.n->nq, 0, 0);
  b->Phi_q = numbers(b->of.n->first[b->of.n->nphi], 0, 0);
  motion_place(b->of.w, b->of.base.p, t, b->z[0]);
  natural_take(b->of.v, b->of.w, b->q[0], NULL, NULL);
}

static void close_bench(bench *b) {
  for (int k = 0; k < 3; k++) {
    free(b->z[k]), free(b->dz[k]), free(b->q[k]), free(b->dq[k]);
    free(b->phi[k]), free(b->dphi[k]), free(b->taken[k]), free(b->dtaken[k]);
  }
  free(b->lam), free(b->r), free(b->dr), free(b->Phi_q);
  natural_bench_close(&b->of);
}

/* r = M qdd - Q + Phi_q' lam, Phi, Phid, Phidd; q, qd, qdd of the joint coordinates. */
static void evaluate(bench *b) {
  const natural *n = b->of.n;
  const mbd_packed J = {n->first, n->col, b->Phi_q, NULL};
  memset(b->r, 0, (size_t)n->nq * sizeof *b->r);
  natural_weight_add(b->of.v, b->r);
  natural_forces_add(b->of.v, t, b->q[0], b->q[1], b->r);
  for (int i = 0; i < n->nq; i++) { b->r[i] = -b->r[i]; }
  natural_mass_mul_add(b->of.v, b->q[2], b->r);
  natural_phi(b->of.v, t, b->q[0], b->phi[0], b->Phi_q);
  mbd_packed_mulT_add(n->nphi, 1, 1, &J, b->lam, b->r);
  natural_phi_t(b->of.v, t, b->q[0], b->phi[1]);
  mbd_packed_mul_add(n->nphi, 1, 1, &J, b->q[1], b->phi[1]);
  natural_phidd(b->of.v, t, b->q[0], b->q[1], b->q[2], b->phi[2]);
  motion_place(b->of.w, b->of.base.p, t, b->z[0]);
  motion_move(b->of.w, b->z[1], b->z[2], 1);
  natural_take(b->of.v, b->of.w, b->taken[0], b->taken[1], b->taken[2]);
}

static void differentiate(bench *b) {
  const natural_along to = {.d = b->of.d, .dv = b->of.dv, .dq = b->dq[0], .dqd = b->dq[1], .dqdd = b->dq[2]};
  natural_params_direct(b->of.v, b->of.d, b->of.dv);
  memset(b->dr, 0, (size_t)b->of.n->nq * sizeof *b->dr);
  natural_weight_direction(b->of.v, &to, b->dr);
  natural_forces_direction(b->of.v, t, b->q[0], b->q[1], &to, b->dr);
  for (int i = 0; i < b->of.n->nq; i++) { b->dr[i] = -b->dr[i]; }
  natural_mass_direction(b->of.v, &to, b->q[2], b->dr);
  natural_mass_mul_add(b->of.v, b->dq[2], b->dr);
  natural_reactions_direction(b->of.v, t, b->q[0], b->lam, &to, b->dr);
  natural_rows_direction(b->of.v, t, b->q[0], b->q[1], b->q[2], &to, b->dphi[0], b->dphi[1], b->dphi[2]);
  motion_along(b->of.w, b->of.d, b->dz[0], b->dz[1], b->dz[2]);
  natural_take_direction(b->of.v, b->of.d, b->of.dv, b->of.w, b->dtaken[0], b->dtaken[1], b->dtaken[2]);
}

static void compare(const char *model, const char *what, int n, const mbd_real *got, const mbd_real *values) {
  double size = 1;
  for (int i = 0; i < n; i++) { size = fmax(size, fabs(creal(got[i]))); }
  for (int i = 0; i < n; i++) {
    char name[300];
    snprintf(name, sizeof name, "%s %s[%d]", model, what, i);
    CHECK_NEAR(name, creal(got[i]), cimag(values[i]) / step, size, 1e-12);
  }
}

/* Directions in the coefficients: each by itself, or (-1) all of them; the state moves with the latter. */
static void check_direction(bench *b, const char *model, int only) {
  mbd_error err = {0};
  const int nc = mbd_model_ncoef(b->of.m);
  int *index = calloc((size_t)nc + 1, sizeof *index), count = 0;
  double *value = calloc(2 * (size_t)nc + 2, sizeof *value), *imaginary = value + nc;
  for (int i = 0; i < nc; i++) {
    if (only >= 0 && i != only) { continue; }
    index[count] = i, value[count] = only < 0 ? 0.1 * cos(0.3 + 1.3 * i) : 1;
    imaginary[count] = step * value[count], count++;
  }
  mbd_dparams_set(b->of.d, b->of.base.p, count, index, value);
  evaluate(b);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < b->of.n->nq; i++) { b->dq[k][i] *= only < 0; }
    for (int i = 0; i < b->of.m->nz; i++) { b->dz[k][i] *= only < 0; }
  }
  differentiate(b);
  params_set_imaginary(b->of.base.p, count, index, imaginary);
  must(natural_params_set(b->of.v, b->of.base.p, &err), &err);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < b->of.n->nq; i++) { b->q[k][i] += MBD_IMAG_UNIT * step * b->dq[k][i]; }
    for (int i = 0; i < b->of.m->nz; i++) { b->z[k][i] += MBD_IMAG_UNIT * step * b->dz[k][i]; }
  }
  evaluate(b);
  compare(model, "residual", b->of.n->nq, b->dr, b->r);
  for (int k = 0; k < 3; k++) {
    compare(model, k == 0 ? "phi" : k == 1 ? "phid" : "phidd", b->of.n->nphi, b->dphi[k], b->phi[k]);
    compare(model, k == 0 ? "q" : k == 1 ? "qd" : "qdd", b->of.n->nq, b->dtaken[k], b->taken[k]);
  }
  free(index), free(value);
}

static void test_together(void) {
  for (int i = 0; i < N_MODELS; i++) {
    bench b;
    open_bench(&b, models[i]);
    check_direction(&b, models[i], -1);
    close_bench(&b);
  }
}

/* One at a time (of four one, unless all is asked for), what a direction of many hides; of the buggy the latter has to do. */
static void test_each(void) {
  for (int i = 0; i < N_MODELS - 1; i++) {
    const int one_in = test_long() ? 1 : 4;
    for (int k = 0, n = 1; k < n; k += one_in) {
      bench b;
      open_bench(&b, models[i]);
      n = mbd_model_ncoef(b.of.m);
      check_direction(&b, models[i], k);
      close_bench(&b);
    }
  }
}

TEST_MAIN(TEST(test_together), TEST(test_each))
