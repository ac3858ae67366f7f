/* No allocation inside a time step: malloc and its kin are counted (the linker wraps them), from the first step of a
 * simulation with gradient to its last, and over the whole of a second adjoint. */
#include "integrator/integrator.h"
#include "simulate/sim.h"
#include "la/sparse.h"
#include "mbo/config.h"
#include "test.h"

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
  double psi[1], *gtheta = calloc((size_t)mbd_model_ncoef(m), sizeof *gtheta);
  mbd_adjoint_options o = {0};
  mbd_error err = {0};
  for (int call = 0; call < 4; call++) {
    o.memory_limit = call < 2 ? 0 : 12000;
    const long before = allocations;
    seen = 0;
    CU_ASSERT_EQUAL(mbd_sim_adjoint(s, p, &o, psi, gtheta, watch, NULL, &err), MBD_OK);
    CU_ASSERT_EQUAL(seen, 50);
    CU_ASSERT((mbd_sim_stats(s)->recomputed > 0) == (call >= 2));
    CHECK_CLOSE("allocations of the adjoint after the first step", (double)(allocations - at_first_step), 0, 0.5);
    if (call % 2) { CHECK_CLOSE("allocations of a second adjoint", (double)(allocations - before), 0, 0.5); }
  }
  free(gtheta);
}

static const char *const models[] = {"tests/conformance/models/tree.ini", "tests/conformance/models/constraints.ini",
                                     "problems/five_bar/five_bar.ini"};

/* Returns 0 where the formulation does not take the model or the integrator. */
static int no_allocation(const char *formulation, const char *integrator, mbd_linear_solver solver, const char *model) {
  char path[512];
  mbd_error err = {0};
  mbo_model_file *f;
  mbd_model *m;
  mbd_outputs *o;
  mbd_params *p;
  mbd_sim *s;
  mbd_case c;
  mbd_dparams *d[3];
  double psi[1], grad[3], gn[9];
  int first, count;
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, model);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_read(path, 0, NULL, NULL, &f, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_model_create(mbo_model_file_spec(f), &m, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_outputs_create(m, &o, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_outputs_add(o, "energy.kinetic", &first, &count, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_params_create(m, NULL, &p, &err), MBD_OK);
  const mbd_term term = {.output = first, .form = MBD_INTEGRAL_SQUARE, .weight = 1};
  for (int k = 0; k < 3; k++) {
    const int index = 5 + 7 * k;
    const double one = 1;
    CU_ASSERT_EQUAL_FATAL(mbd_dparams_create(m, &d[k], &err), MBD_OK);
    mbd_dparams_set(d[k], p, 1, &index, &one);
  }
  mbd_case_init(&c);
  c.duration = 0.05, c.formulation = formulation, c.integrator = integrator;
  c.linear_solver = solver; /* what KLU itself takes is not seen */
  const mbd_status status = mbd_sim_create(m, &c, o, 1, &term, 1, 3, &s, &err);
  if (status == MBD_OK) {
    seen = 0;
    CU_ASSERT_EQUAL(mbd_sim_run(s, p, 3, d, psi, grad, gn, watch, NULL, &err), MBD_OK);
    CU_ASSERT(seen == 50 && allocations > 0);
    CHECK_CLOSE("allocations after the first step", (double)(allocations - at_first_step), 0, 0.5);
    adjoint_twice(s, p, m);
  }
  for (int k = 0; k < 3; k++) { mbd_dparams_destroy(d[k]); }
  mbd_sim_destroy(s), mbd_params_destroy(p), mbd_outputs_destroy(o), mbd_model_destroy(m), mbo_model_file_destroy(f);
  CU_ASSERT(status == MBD_OK || status == MBD_UNSUPPORTED);
  return status == MBD_OK;
}

static void test_no_allocation(void) {
  for (int i = 0; mbd_formulation_at(i); i++) {
    int taken = 0;
    for (int k = 0; mbd_integrator_at(k); k++) {
      for (size_t q = 0; q < sizeof models / sizeof models[0]; q++) {
        const char *formulation = mbd_formulation_at(i)->name, *integrator = mbd_integrator_at(k)->name;
        taken += no_allocation(formulation, integrator, MBD_LINEAR_DENSE, models[q]);
        if (mbd_sparse_available()) { no_allocation(formulation, integrator, MBD_LINEAR_SPARSE, models[q]); }
      }
    }
    CU_ASSERT(taken > 0);
  }
}

TEST_MAIN(TEST(test_no_allocation))
