/* mbopt check if the optimizer uses exact second derivatives: tests that the matrix of every quantity is symmetric and agrees with
 * central differences of the gradient. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"
#include "files/json.h"
#include "files/memory.h"
#include "mechanism/hessian.h"

typedef struct deviations {
  double symmetry, differences; /* relative to the largest entry, variables divided by their scale */
  double value; /* the larger one of value and gradient, likewise: smaller entries than its rounding are not judged */
} deviations;

/* Column j of all matrices, [quantities][n], by central differences of the gradient. */
static mbd_status difference(mechanism *m, int j, double *x, double *column, mbd_error *err) {
  const double h = m->config->gradient.difference_step * m->scale[j];
  const size_t size = (size_t)(m->nobjective + m->nconstraint) * (size_t)m->n;
  memcpy(x, m->start, (size_t)m->n * sizeof *x);
  memset(column, 0, size * sizeof *column);
  for (int sign = 1; sign >= -1; sign -= 2) {
    x[j] = m->start[j] + sign * h;
    MBD_TRY(mechanism_evaluate(m, x, m->config->gradient.method, err));
    for (size_t k = 0; k < size; k++) { column[k] += sign * m->grad[k] / (2 * h); }
  }
  return MBD_OK;
}

/* Finds the largest scaled entry of each quantity, and the size of its value and gradient. */
static void find_sizes(const mechanism *m, double *size, deviations *d) {
  const int n = m->n;
  for (int q = 0; q < m->nobjective + m->nconstraint; q++) {
    size[q] = 0;
    for (int k = 0; k < n * n; k++) {
      size[q] = fmax(size[q], fabs(m->hess[q * n * n + k]) * m->scale[k / n] * m->scale[k % n]);
    }
    if (size[q] == 0) { size[q] = 1; }
    d[q].value = fabs(m->psi[q]) / size[q];
    for (int j = 0; j < n; j++) { d[q].value = fmax(d[q].value, fabs(m->grad[q * n + j]) * m->scale[j] / size[q]); }
  }
}

static void compare_column(const mechanism *m, int j, const double *column, const double *size, deviations *d) {
  const int n = m->n;
  for (int q = 0; q < m->nobjective + m->nconstraint; q++) {
    const double *H = m->hess + q * n * n;
    for (int i = 0; i < n; i++) {
      const double scale = m->scale[i] * m->scale[j] / size[q];
      const double entry = H[i * n + j];
      d[q].symmetry = check_worse(d[q].symmetry, fabs(entry - H[j * n + i]) * scale);
      d[q].differences = check_worse(d[q].differences, fabs(entry - column[q * n + i]) * scale);
    }
  }
}

static mbd_status find_deviations(mechanism *m, deviations *d, mbd_error *err) {
  const size_t n = (size_t)m->n, nq = (size_t)(m->nobjective + m->nconstraint);
  double *x = calloc(n + nq * n + nq + 1, sizeof *x), *column = x ? x + n : NULL, *size = x ? column + nq * n : NULL;
  mbd_status status = x ? hessian_evaluate(m, m->start, NULL, err) : MEMORY_NONE(err, "the check");
  if (status == MBD_OK) { find_sizes(m, size, d); }
  for (int j = 0; j < m->n && status == MBD_OK; j++) {
    status = difference(m, j, x, column, err);
    if (status == MBD_OK) { compare_column(m, j, column, size, d); }
  }
  free(x);
  return status;
}

static const char *judge(double deviation, double tolerance, double rounding, int *wrong) {
  const char *verdict = check_verdict(deviation, tolerance, rounding);
  *wrong += check_is_wrong(verdict);
  return verdict;
}

/* Judges the matrix of each quantity by its symmetry and by differences of the gradient. */
mbd_status check_hessian(const cli_run *r, int *wrong, json_t *list, mbd_error *err) {
  mechanism *m = r->m;
  const mbo_check_config *c = &m->config->check;
  const int nq = m->nobjective + m->nconstraint;
  /* The second derivatives at the start, and their deviations from symmetry and from differences. */
  deviations *d = calloc((size_t)nq + 1, sizeof *d);
  mbd_status status = d ? find_deviations(m, d, err) : MEMORY_NONE(err, "the check");
  if (status == MBD_OK && !r->a->json) {
    printf("%-24s %10s %10s %18s %10s\n", "second derivatives", "symmetry", "verdict", "central diff.", "verdict");
  }
  for (int q = 0; q < nq && status == MBD_OK; q++) {
    /* One verdict on the symmetry, and one on the differences, whose rounding is larger. */
    const char *name = mechanism_quantity(m, q),
               *symmetric = judge(d[q].symmetry, c->tolerance, check_rounding(d[q].value), wrong),
               *same =
                   judge(d[q].differences, c->difference_tolerance, check_difference_rounding(m, d[q].value), wrong);
    /* Both as a row of the table, and as an entry of the list. */
    if (!r->a->json) {
      printf("  %-22s %10.2e %10s %18.2e %10s\n", name, d[q].symmetry, symmetric, d[q].differences, same);
    }
    json_array_append_new(list, json_pack("{s:s, s:o, s:s, s:o, s:s}", "quantity", name, "symmetry",
                                          json_number(d[q].symmetry), "symmetry_verdict", symmetric,
                                          "central_differences", json_number(d[q].differences), "verdict", same));
  }
  free(d);
  return status;
}
