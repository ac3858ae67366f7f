/* The largest eigenvalue of a matrix G by its powers. */
#ifndef MBD_POWERS_H
#define MBD_POWERS_H

/* Entry j of a start vector whose entries have one size and no pattern. */
double powers_start(int j);

/* Multiplies a vector, which `of` keeps from call to call, by G until its growth has settled. multiply: the vector becomes G v with the largest entry 1; it returns
 * the growth of the largest entry, 0 where nothing is left, and sets *eigenvalue to the growth of the entry that is then largest, with its sign. Returns 0 where the
 * eigenvalue is not noticeable, below 1/2, or not real. Cost: two products where it is not noticeable, else at most 62. */
double powers_largest(double (*multiply)(void *of, double *eigenvalue), void *of);

#endif
