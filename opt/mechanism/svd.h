/* Singular values and right singular vectors of tall matrices: A = U S V'. */
#ifndef MBO_SVD_H
#define MBO_SVD_H

/* Reduces A [m][n], row-major, to a triangle of n rows with the same A'A (Householder), which are the first n rows of A afterwards; where m
 * < n the rows below are not there, and the caller gives n rows, the last of which are zero. 2 m n^2 operations. */
void svd_triangle(int m, int n, double *A);

/* R [n][n] is overwritten. s [n]: the singular values, decreasing; V [n][n]: row k is the right singular vector of
 * s[k], with its largest component positive. One-sided Jacobi: small singular values have the relative accuracy of
 * R. */
void svd_jacobi(int n, double *R, double *s, double *V);

#endif
