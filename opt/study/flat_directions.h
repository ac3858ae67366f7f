/* Combinations of variables to which the objective is hardly sensitive: eigenvalues and eigenvectors of the Gauss-Newton matrix at a
 * design, in variables divided by their scale. Optimizers that agree in the objective and differ in the variables have stopped at
 * different places of one flat valley; the eigenvectors show its direction, the eigenvalues its length. */
#ifndef MBO_FLAT_DIRECTIONS_H
#define MBO_FLAT_DIRECTIONS_H

#include <stdio.h>

#include "mbo/problem.h"

/* Largest number of variables for which optimize and compare print it; longer tables are of no use. */
enum { FLAT_DIRECTIONS_MAX = 100 };

typedef struct flat_directions {
  int n;
  double f;
  double *eigenvalue;  /* [n] increasing: second derivatives of f along the directions */
  double *direction;   /* [n][n] rows: unit vectors in x / scale */
  double *one_percent; /* [n] step along the direction that increases f by 1 %, by this matrix; inf: none */
} flat_directions;

/* Needs one evaluation at x [n]. MBD_UNSUPPORTED: the problem has no Gauss-Newton matrix; MBD_NOT_BUILT_IN: the program has no LAPACK. */
mbd_status flat_directions_create(const mbo_problem *p, const double *x, flat_directions *v, mbd_error *err);
void flat_directions_destroy(flat_directions *v);

/* Allocates n directions, all zero. MBD_NO_MEMORY: there is nothing to destroy. */
mbd_status flat_directions_init(flat_directions *v, int n, mbd_error *err);

/* Writes "+0.983 Ls1 -0.183 Ls2": direction d [n] by its components; if there are many, the largest ones. */
void flat_directions_write_row(FILE *out, int n, const char *const *name, const double *d);

#endif
