/* Points of mass from integrals over a flexible body. Of all its mass, with the place s and the displacements S_1 ... S_n of shapes, the moments
 * are Q = sum m x x', x = [ 1 ; s ; S_1 ; ... ; S_n ]: theory.md §12 (12.15). */
#ifndef MBO_LOAD_MOMENTS_H
#define MBO_LOAD_MOMENTS_H

enum { MOMENTS_SHAPES = 4 }; /* x: 1, s [3], then the displacements */

/* N points [N][N] of one mass each, count of them, that have the moments Q [N][N], whose first entry is positive. Returns the lowest eigenvalue
 * of Q, scaled to a unit diagonal; below -1e-9 there are none. */
double moments_points(int N, const double *Q, double *mass, double *x, int *count);

/* Points whose masses, positive and negative, have the moments dQ, which is any symmetric matrix; at most 2 N + 1. `total`: the mass of the body,
 * for places that are about as far away as its own. */
void moments_change(int N, double total, const double *dQ, double *mass, double *x, int *count);

/* y with Q y = b, the shortest if there are several, of the first four rows and columns of Q; returns |Q y - b| relative to |b|. */
double moments_solve(int N, const double *Q, const double b[4], double y[4]);

#endif
