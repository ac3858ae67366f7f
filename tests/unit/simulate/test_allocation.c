/* No allocation inside a time step: malloc and its kin are counted (the linker wraps them), from the first step of a
 * simulation with gradient to its last, over the whole of a second adjoint, and in inverse dynamics. */
#include "integrator/integrator.h"
#include "formulation/formulation.h"
#include "la/sparse.h"
#include "mbd/inverse.h"
#include "model.h"

static long allocations;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n) {
  allocations++;
  return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
  allocations++;
  return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n) {
  allocations++;
  return __real_realloc(p, n);
}

enum {
  TERMS = 2, /* one summed during the run, one made of its history */
  NODES = 20
};

static long at_first_step;
static int seen;

static int watch(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  (void)user, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  if (k == 1) { at_first_step = allocations; }
  seen = k;
  return 0;
}

/* The first call makes memory before its first step, the second none at all; with and without a limit of memory. */
static void adjoint_twice(mbd_sim *s, const mbd_params *p, const mbd_model *m) {
  double psi[TERMS], *gtheta = calloc(TERMS * (size_t)mbd_model_ncoef(m), sizeof *gtheta);
  mbd_adjoint_options o = {0};
  mbd_error err = {0};
  size_t whole = 0; /* bytes of the trajectory without a limit */
  for (int call = 0; call < 4; call++) {
    o.memory_limit = call < 2 ? 0 : whole / 3;
    const long before = allocations;
    seen = 0;
    CU_ASSERT_EQUAL(mbd_sim_adjoint(s, p, &o, psi, gtheta, watch, NULL, &err), MBD_OK);
    CU_ASSERT_EQUAL(seen, NODES);
    if (call < 2) { whole = (size_t)mbd_sim_stats(s)->memory; }
    CU_ASSERT((mbd_sim_stats(s)->recomputed > 0) == (call >= 2));
    CHECK_CLOSE("allocations of the adjoint after the first step", (double)(allocations - at_first_step), 0, 0.5);
    if (call % 2) { CHECK_CLOSE("allocations of a second adjoint", (double)(allocations - before), 0, 0.5); }
  }
  free(gtheta);
}

static const struct {
  const char *model, *output;
} models[] = {{"tests/conformance/models/tree.ini", "angle(u3, ball.x).rate"},
              {"tests/conformance/models/constraints.ini", "energy.kinetic"},
              {"tests/conformance/models/axles.ini", "roll_centre(r_L, r_R, chassis, chassis.x).z"},
              {"problems/five_bar/five_bar.ini", "mechanism.shaking_force.norm"}};

/* Returns 0 where the formulation does not take the model or the integrator. */
static int no_allocation(const char *formulation, const char *integrator, mbd_linear_solver solver,
                         mbd_coordinates coordinates, int number) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c;
  mbd_dparams *d[3];
  double psi[TERMS], grad[3 * TERMS], gn[9 * TERMS];
  test_model q = model_open(models[number].model);
  const int watched = model_output(&q, models[number].output);
  const mbd_term term[TERMS] = {{.output = watched, .form = "integral_square", .weight = 1},
                                {.psi = 1,
                                 .output = watched,
                                 .form = "quantile",
                                 .weight = 1,
                                 .level = 0.5,
                                 .width = 0.1,
                                 .until = {.kind = MBD_MOMENT_TIME, .value = 0.0133}}};
  for (int k = 0; k < 3; k++) {
    const int index = 5 + 7 * k;
    const double one = 1;
    CU_ASSERT_EQUAL_FATAL(mbd_dparams_create(q.m, &d[k], &err), MBD_OK);
    mbd_dparams_set(d[k], q.p, 1, &index, &one);
  }
  mbd_case_init(&c);
  c.duration = NODES * c.step, c.formulation = formulation, c.integrator = integrator;
  c.coordinates = coordinates;
  c.linear_solver = solver; /* what KLU itself takes is not seen */
  const mbd_status status = mbd_sim_create(q.m, &c, q.o, TERMS, term, TERMS, 3, &s, &err);
  if (status == MBD_OK) {
    seen = 0;
    CU_ASSERT_EQUAL(mbd_sim_run(s, q.p, 3, d, psi, grad, gn, watch, NULL, &err), MBD_OK);
    CU_ASSERT(seen == NODES && allocations > 0);
    CHECK_CLOSE("allocations after the first step", (double)(allocations - at_first_step), 0, 0.5);
    adjoint_twice(s, q.p, q.m);
  }
  for (int k = 0; k < 3; k++) { mbd_dparams_destroy(d[k]); }
  mbd_sim_destroy(s), model_close(&q);
  CU_ASSERT(status == MBD_OK || status == MBD_UNSUPPORTED);
  return status == MBD_OK;
}

/* Each formulation, scheme and model with one of the solvers in turn, or with both. */
static void test_no_allocation(void) {
  for (int i = 0; mbd_formulation_at(i); i++) {
    int taken = 0;
    for (int k = 0; mbd_integrator_at(k); k++) {
      for (int q = 0; q < (int)(sizeof models / sizeof models[0]); q++) {
        const char *formulation = mbd_formulation_at(i)->name, *integrator = mbd_integrator_at(k)->name;
        const int dense = (i + k + q) % 2 == 0 || !mbd_sparse_available();
        if (dense || test_long()) {
          taken += no_allocation(formulation, integrator, MBD_LINEAR_DENSE, MBD_COORDINATES_JOINT, q);
        }
        if (!dense || (test_long() && mbd_sparse_available())) {
          taken += no_allocation(formulation, integrator, MBD_LINEAR_SPARSE, MBD_COORDINATES_JOINT, q);
        }
      }
    }
    CU_ASSERT(taken > 0);
  }
}

static void test_natural(void) {
  int taken = 0;
  for (int q = 0; q < (int)(sizeof models / sizeof models[0]); q++) {
    taken += no_allocation("ali3p", "newmark", MBD_LINEAR_AUTO, MBD_COORDINATES_NATURAL, q);
    taken += no_allocation("ali3p", "generalized_alpha", MBD_LINEAR_AUTO, MBD_COORDINATES_NATURAL, q);
    taken += no_allocation("matrix_r", "newmark", MBD_LINEAR_AUTO, MBD_COORDINATES_NATURAL, q);
    taken += no_allocation("matrix_r", "runge_kutta_4", MBD_LINEAR_AUTO, MBD_COORDINATES_NATURAL, q);
  }
  CU_ASSERT_EQUAL(taken, (int)(4 * sizeof models / sizeof models[0]));
}

/* Inverse dynamics makes all its memory with its object. */
static void test_inverse(void) {
  const mbd_wrench wrench = {.body = 2, .force = {1, 2, 3}};
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    mbd_error err = {0};
    mbd_inverse *v;
    mbd_wrench by = {0};
    test_model q = model_open(models[i].model);
    mbd_dparams *d = direction_along(&q, NULL);
    const size_t n = (size_t)mbd_model_nz(q.m);
    double *x = calloc(3 * n, sizeof *x), *theta = calloc((size_t)mbd_model_ncoef(q.m), sizeof *theta), *z = x + n;
    const double *matrix[3];
    for (size_t j = 0; j < n; j++) { z[j] = 0.3 + 0.1 * (double)j; }
    must(mbd_inverse_create(q.m, MBD_RTDYN0, 1, &v, &err), &err);
    const long before = allocations;
    CU_ASSERT_EQUAL(mbd_inverse_dynamics(v, q.p, 0, z, z, z, 1, &wrench, x, &err), MBD_OK);
    mbd_inverse_jacobian(v, &matrix[0], &matrix[1], &matrix[2]);
    mbd_inverse_along(v, d, z, z, z, &wrench, x);
    mbd_inverse_transpose(v, z, theta, x, x, x, &by);
    CHECK_CLOSE("allocations", (double)(allocations - before), 0, 0.5);
    mbd_inverse_destroy(v), mbd_dparams_destroy(d), model_close(&q);
    free(x), free(theta);
  }
}

TEST_MAIN(TEST(test_no_allocation), TEST(test_natural), TEST(test_inverse))
