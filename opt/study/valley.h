/* Which combinations of variables the objective hardly sees: eigenvalues and eigenvectors of the Gauss-Newton matrix at a
 * design, in variables divided by their scale. Optimizers that agree on the objective and differ in the variables have
 * stopped at different places of one flat valley; this shows its direction and length. */
#ifndef MBO_VALLEY_H
#define MBO_VALLEY_H

#include <stdio.h>

#include "mbo/problem.h"

/* Most variables with which optimize and compare look at it: nobody reads a longer table. */
enum { VALLEY_MOST = 100 };

typedef struct valley {
  int n;
  double f;
  double *eigenvalue;  /* [n] increasing: second derivatives of f along the directions */
  double *direction;   /* [n][n] rows: unit vectors in x / scale */
  double *one_percent; /* [n] step along the direction that makes f 1 % worse, by this matrix; inf: none */
} valley;

/* One evaluation at x [n]. MBD_UNSUPPORTED: the problem has no Gauss-Newton matrix; MBD_NOT_BUILT_IN: the program
 * has no LAPACK. */
mbd_status valley_create(const mbo_problem *p, const double *x, valley *v, mbd_error *err);
void valley_destroy(valley *v);

/* Room for n directions, all zero. MBD_NO_MEMORY: nothing to destroy. */
mbd_status valley_init(valley *v, int n, mbd_error *err);

/* "+0.983 Ls1 -0.183 Ls2": direction d [n] in its components; of many, the largest ones. */
void valley_write_direction(FILE *out, int n, const char *const *name, const double *d);

#endif
