/* Ends that do the same: the cognate of a four-bar linkage, by complex numbers here, is recognized among optima, and said where no start has reached it. */
#include <complex.h>
#include <math.h>

#include "opened_run.h"
#include "study/equivalent.h"

enum { CRANK, SPARE_1, SPARE_2, SPARE_3, X, Y, ALONG, ACROSS, TURNED, FIRST, VARIABLES = 23, CIRCUIT = VARIABLES };
static const char *const varied[] = {"scalars.circuit"};

/* A linkage that is no solution, so that all of its numbers matter. */
static void set_linkage(const opened_run *r, double *x) {
  memcpy(x, r->m->start, VARIABLES * sizeof *x);
  x[SPARE_1] = 0.2, x[ALONG] = 0.31, x[ACROSS] = -0.17, x[TURNED] = 0.7, x[FIRST] = -0.4, x[CIRCUIT] = -1;
}

/* Roberts: with k = (P - B)/(C - B) the cognate has the base from G = A + k (D - A) to D, its bars are those of the crank, follower and coupler times 1 - k,
 * and P - B" = k/(k - 1) (C" - B"). */
static void set_cognate(const double *x, double *y) {
  const double coupler = x[CRANK] + (x[SPARE_1] + x[SPARE_3]) / 2, follower = x[CRANK] + (x[SPARE_1] + x[SPARE_2]) / 2,
               base = x[CRANK] + (x[SPARE_2] + x[SPARE_3]) / 2;
  const double complex k = (x[ALONG] + I * x[ACROSS]) / coupler, of = 1 - k;
  const double complex G = x[X] + I * x[Y] + k * base * cexp(I * x[TURNED]);
  const double complex P = k / (k - 1) * follower * cabs(of);
  memcpy(y, x, (VARIABLES + 1) * sizeof *y);
  y[CRANK] *= cabs(of), y[SPARE_1] *= cabs(of);
  y[SPARE_2] = x[SPARE_3] * cabs(of), y[SPARE_3] = x[SPARE_2] * cabs(of);
  y[X] = creal(G), y[Y] = cimag(G), y[TURNED] += carg(of), y[ALONG] = creal(P), y[ACROSS] = cimag(P);
  y[CIRCUIT] = -x[CIRCUIT];
}

static void add(optima *o, long run, double f, const double *x) {
  mbd_error err = {0};
  const optima_end e = {.run = run, .converged = 1, .f = f, .f_start = 1, .x = x};
  int id;
  must(optima_add(o, &e, &id, &err), &err);
}

static optima optima_of(const opened_run *r, double *scale) {
  for (int j = 0; j <= CIRCUIT; j++) {
    scale[j] = j < CIRCUIT ? r->m->scale[j] : 1, scale[CIRCUIT + 1 + j] = j == TURNED || j == FIRST ? 2 * acos(-1) : 0;
  }
  return (optima){.nx = CIRCUIT + 1,
                  .scale = scale,
                  .period = scale + CIRCUIT + 1,
                  .tol_f = OPTIMA_TOL_F,
                  .tol_x = OPTIMA_TOL_X,
                  .f_start = 1};
}

/* Both linkages have the same residuals, so that the model's formulas of the cognate are right. */
static void test_same_objective(void) {
  double x[CIRCUIT + 1], y[CIRCUIT + 1], psi[2];
  mbd_error err = {0};
  for (int k = 0; k < 2; k++) {
    const char *set = k ? "scalars.circuit=1" : "scalars.circuit=-1";
    opened_run r = run_open("configs/path_points.ini", 1, &set);
    CU_ASSERT_EQUAL_FATAL(r.m->n, VARIABLES);
    set_linkage(&r, x), set_cognate(x, y);
    must(mechanism_evaluate(r.m, k ? y : x, "none", &err), &err);
    psi[k] = r.m->psi[0] + r.m->psi[1];
    run_close(&r);
  }
  CHECK_CLOSE("cognate", psi[1], psi[0], 1e-11 * psi[0]);
}

static void test_names(void) {
  double x[CIRCUIT + 1], y[CIRCUIT + 1], other[CIRCUIT + 1], scale[2 * (CIRCUIT + 1)];
  mbd_error err = {0};
  opened_run r = run_open("configs/path_points.ini", 0, NULL);
  set_linkage(&r, x), set_cognate(x, y);
  optima o = optima_of(&r, scale);
  memcpy(other, y, sizeof other), other[CRANK] += 0.1;
  y[TURNED] += 2 * acos(-1); /* the same place */
  add(&o, 0, 3, x), add(&o, 1, 3, other), add(&o, 2, 3 + 1e-7, y);
  x[TURNED] -= 2 * acos(-1);
  add(&o, 3, 3, x); /* no fourth one */
  optima_sort(&o);
  must(equivalents_name(r.m, 1, varied, &o, &err), &err);
  CU_ASSERT_EQUAL_FATAL(o.n, 3);
  for (int i = 0; i < 3; i++) {
    const optimum *p = &o.found[i];
    CU_ASSERT(p->run == 2 ? p->as && strcmp(p->as, "cognate") == 0 && o.found[p->same].run == 0 : !p->as);
  }
  CU_ASSERT_STRING_EQUAL(o.lacking, "");
  optima_free(&o);
  run_close(&r);
}

/* The values of the run itself are set again afterwards; a design that no start has reached is written as settings. */
static void test_lacking(void) {
  double x[CIRCUIT + 1], y[CIRCUIT + 1], scale[2 * (CIRCUIT + 1)];
  char expected[100];
  mbd_error err = {0};
  opened_run r = run_open("configs/path_points.ini", 0, NULL);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double before = r.m->psi[0];
  set_linkage(&r, x);
  x[CIRCUIT] = 1, x[TURNED] = 6.2; /* the cognate's angle is beyond the bounds, and a turn less within them */
  set_cognate(x, y);
  CU_ASSERT(y[TURNED] > 2 * acos(-1));
  optima o = optima_of(&r, scale);
  add(&o, 0, 3, x);
  must(equivalents_name(r.m, 1, varied, &o, &err), &err);
  snprintf(expected, sizeof expected, "--set design.spare_2.start=%.9g", y[SPARE_2]);
  CU_ASSERT(o.lacking && strstr(o.lacking, expected) != NULL);
  CU_ASSERT(o.lacking && strstr(o.lacking, "--set scalars.circuit=-1") != NULL);
  CU_ASSERT(o.lacking && strstr(o.lacking, "cognate of the best one, at which no start has ended:") == o.lacking);
  snprintf(expected, sizeof expected, "--set design.turned.start=%.9g", y[TURNED] - 2 * acos(-1));
  CU_ASSERT(o.lacking && strstr(o.lacking, expected) != NULL);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  CHECK_CLOSE("as before", r.m->psi[0], before, 0);
  optima_free(&o);
  run_close(&r);
}

static void test_refused(void) {
  static const char *const set[] = {"equivalent.cognate.scalar.crnk=1", "equivalent.cognate.scalar.crank=crnk*2"};
  for (int k = 0; k < 2; k++) {
    mbd_error err = {0};
    opened_run r = run_open("configs/path_points.ini", 1, &set[k]);
    CU_ASSERT_EQUAL(equivalents_check(r.m, &err), MBD_BAD_INPUT);
    CU_ASSERT(strstr(err.text, "path_points.ini: [equivalent cognate] scalar.cr") != NULL);
    CU_ASSERT(strstr(err.text, "'crank'") != NULL);
    run_close(&r);
  }
}

TEST_MAIN(TEST(test_same_objective), TEST(test_names), TEST(test_lacking), TEST(test_refused))
