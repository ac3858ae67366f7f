/* Combinations of variables to which the objective is hardly sensitive: eigenvalues and eigenvectors of the Gauss-Newton matrix at a
 * design, in variables divided by their scale. Optimizers that agree in the objective and differ in the variables have stopped at
 * different places of one flat valley; the eigenvectors show its direction, the eigenvalues its length. */
#ifndef MBO_VALLEY_H
#define MBO_VALLEY_H

#include <stdio.h>

#include "mbo/problem.h"

/* Largest number of variables for which optimize and compare print it; longer tables are of no use. */
enum { VALLEY_MOST = 100 };

typedef struct valley {
  int n;
  double f;
  double *eigenvalue;  /* [n] increasing: second derivatives of f along the directions */
  double *direction;   /* [n][n] rows: unit vectors in x / scale */
  double *one_percent; /* [n] step along the direction that increases f by 1 %, by this matrix; inf: none */
} valley;

/* Needs one evaluation at x [n]. MBD_UNSUPPORTED: the problem has no Gauss-Newton matrix; MBD_NOT_BUILT_IN: the program has no LAPACK. */
mbd_status valley_create(const mbo_problem *p, const double *x, valley *v, mbd_error *err);
void valley_destroy(valley *v);

/* Allocates n directions, all zero. MBD_NO_MEMORY: there is nothing to destroy. */
mbd_status valley_init(valley *v, int n, mbd_error *err);

/* Writes "+0.983 Ls1 -0.183 Ls2": direction d [n] by its components; if there are many, the largest ones. */
void valley_write_direction(FILE *out, int n, const char *const *name, const double *d);

#endif
