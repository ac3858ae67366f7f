/* Linear systems of conditions of optimality. */
#ifndef MBO_KKT_H
#define MBO_KKT_H

/* Solves  [ H  A' ] [ x ]   [ b ]
 *         [ A  0  ] [ y ] = [ c ]    for several right-hand sides, by Gauss's elimination with pivots of rows whose largest entry is made 1.
 * H [n][n], A [m][n]; v [n + m][columns]: b and c, on return x and y; work [(n + m)^2]. Returns 0, with v undefined, if the matrix is singular to
 * working precision. Cost: (n + m)^3/3. */
int kkt_solve(int n, int m, const double *H, const double *A, int columns, double *v, double *work);

#endif
