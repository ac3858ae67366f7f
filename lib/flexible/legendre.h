/* Shapes of a beam from strains that are Legendre polynomials: theory.md §12 (12.4). P_j, j = 1, 2, ..., is the shifted Legendre polynomial
 * of degree j - 1, in x from 0 at the clamped end to 1. */
#ifndef MBD_LEGENDRE_H
#define MBD_LEGENDRE_H

#include "base/real.h"

/* P[i][j - 1]: i = 0: P_j(x), 1: its integral from 0 to x, 2: the integral of that; j = 1 ... n. */
enum { LEGENDRE_MAX = 16 };
void legendre_integrals(int n, double x, double P[3][LEGENDRE_MAX]);

/* Points x [n] and weights w [n] of Gauss's quadrature between 0 and 1, exact for polynomials of degree 2 n - 1; n <= GAUSS_MAX. */
enum { GAUSS_MAX = 24 };
void gauss_points(int n, double *x, double *w);

#endif
