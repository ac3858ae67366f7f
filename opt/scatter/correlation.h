/* Correlated numbers from independent ones: z = L y with C = L L'. */
#ifndef MBO_CORRELATION_H
#define MBO_CORRELATION_H

/* The factor of Cholesky L [n][n], lower triangular, of C [n][n]. Returns -1, or the first row up to which C is not positive definite. */
int correlation_factor(int n, const double *C, double *L);

/* z [n] := L y; may be y */
void correlation_apply(int n, const double *L, const double *y, double *z);

#endif
