/* Eigenvalues of the small motions about the start of a case of a run file, for comparison with characteristic equations. */
#ifndef LINEARIZED_H
#define LINEARIZED_H

#include <complex.h>

#include "mbd/linearize.h"
#include "opened_run.h"

enum { LINEARIZED_MAX = 32 };

/* Eigenvalues lam [LINEARIZED_MAX] of case i at the start of the run file with n settings. Returns their number; 0 without LAPACK. */
static inline int linearized(const char *file, int i, int n, const char *const *set, double complex *lam) {
  opened_run r = run_open(file, n, set);
  mbd_error err = {0};
  mbd_linear l;
  must(mechanism_set_design(r.m, r.m->start, 0, &err), &err);
  const mechanism_case *c = &r.m->cases[i];
  const mbd_status status = mbd_sim_linearize(c->sim, c->v->params, &l, &err);
  if (status == MBD_NOT_BUILT_IN) {
    test_skip(err.text);
    run_close(&r);
    return 0;
  }
  must(status, &err);
  const int order = 2 * l.n + l.nstate;
  CU_ASSERT_FATAL(order <= LINEARIZED_MAX);
  for (int k = 0; k < order; k++) { lam[k] = l.re[k] + l.im[k] * I; }
  mbd_linear_free(&l);
  run_close(&r);
  return order;
}

static inline double complex linearized_sum(int n, const double complex *lam) {
  double complex sum = 0;
  for (int i = 0; i < n; i++) { sum += lam[i]; }
  return sum;
}

#endif
