#include "study/flat_directions.h"

#include <math.h>
#include <stdlib.h>

#include "files/memory.h"

void flat_directions_destroy(flat_directions *v) {
  free(v->eigenvalue), free(v->direction), free(v->one_percent);
  *v = (flat_directions){0};
}

mbd_status flat_directions_init(flat_directions *v, int n, mbd_error *err) {
  const size_t size = (size_t)n;
  *v = (flat_directions){.n = n};
  v->eigenvalue = calloc(size + 1, sizeof *v->eigenvalue);
  v->direction = calloc(size * size + 1, sizeof *v->direction);
  v->one_percent = calloc(size + 1, sizeof *v->one_percent);
  if (v->eigenvalue && v->direction && v->one_percent) { return MBD_OK; }
  flat_directions_destroy(v);
  return MEMORY_NONE(err, "eigenvalues");
}

void flat_directions_write_row(FILE *out, int n, const char *const *name, const double *d) {
  enum { NAMED_MAX = 12, PARTS_MAX = 6 };
  unsigned char shown[FLAT_DIRECTIONS_MAX] = {0};
  for (int j = 0; n <= NAMED_MAX && j < n; j++) { fprintf(out, "%s%+.3f %s", j ? " " : "", d[j], name[j]); }
  if (n <= NAMED_MAX) { return; }
  for (int part = 0; part < PARTS_MAX; part++) {
    int largest = -1;
    for (int j = 0; j < n; j++) {
      if (!shown[j] && (largest < 0 || fabs(d[j]) > fabs(d[largest]))) { largest = j; }
    }
    /* cppcheck-suppress negativeIndex ; there are more variables than parts */
    shown[largest] = 1;
    fprintf(out, "%+.3f %s ", d[largest], name[largest]);
  }
  fputs("...", out);
}

#ifdef MBO_HAVE_LAPACK

/* Eigenvalues of a symmetric matrix, increasing, and its eigenvectors as columns in Fortran's order: rows in ours. */
extern void dsyev_(const char *job, const char *part, const int *n, double *A, const int *lda, double *w, double *work,
                   const int *lwork, int *info, size_t job_length, size_t part_length);

static mbd_status eigen(int n, double *A, double *w, mbd_error *err) {
  const int lwork = 34 * n;
  int info = 0;
  double *work = malloc((size_t)lwork * sizeof *work);
  MEMORY_TRY(work, err, "eigenvalues");
  dsyev_("V", "U", &n, A, &n, w, work, &lwork, &info, 1, 1);
  free(work);
  if (info) { MBD_FAIL(err, MBD_NO_CONVERGENCE, "the eigenvalues of the Gauss-Newton matrix did not converge"); }
  return MBD_OK;
}

static mbd_status evaluate(const mbo_problem *p, const double *x, flat_directions *v, mbd_error *err) {
  const size_t n = (size_t)p->n, nc = (size_t)p->nc;
  double *scratch = calloc(n + nc + nc * n + 1, sizeof *scratch);
  MEMORY_TRY(scratch, err, "eigenvalues");
  mbo_eval e = {.g = scratch, .c = scratch + n, .jac = scratch + n + nc, .H = v->direction};
  mbd_status status = p->eval(p->user, x, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON, &e, err);
  v->f = e.f;
  free(scratch);
  return status;
}

static mbd_status analyse(const mbo_problem *p, const double *x, flat_directions *v, mbd_error *err) {
  const int n = p->n;
  MBD_TRY(evaluate(p, x, v, err));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { v->direction[i * n + j] *= p->scale[i] * p->scale[j]; }
  }
  MBD_TRY(eigen(n, v->direction, v->eigenvalue, err));
  for (int i = 0; i < n; i++) { /* f + lambda s^2/2 = 1.01 f */
    v->one_percent[i] = v->eigenvalue[i] > 0 ? sqrt(0.02 * fabs(v->f) / v->eigenvalue[i]) : INFINITY;
  }
  return MBD_OK;
}

mbd_status flat_directions_create(const mbo_problem *p, const double *x, flat_directions *v, mbd_error *err) {
  *v = (flat_directions){0};
  if (!p->has_gauss_newton) { MBD_FAIL(err, MBD_UNSUPPORTED, "the objectives are not all squares"); }
  MBD_TRY(flat_directions_init(v, p->n, err));
  const mbd_status status = analyse(p, x, v, err);
  if (status != MBD_OK) { flat_directions_destroy(v); }
  return status;
}

#else

mbd_status flat_directions_create(const mbo_problem *p, const double *x, flat_directions *v, mbd_error *err) {
  (void)p, (void)x;
  *v = (flat_directions){0};
  MBD_FAIL(err, MBD_NOT_BUILT_IN, "built without LAPACK; install the Debian package libopenblas-dev and build again");
}

#endif
