/* Criteria of experiments: numbers of a covariance, with their derivatives by the information. Equations: theory.md §6 (6.42). */
#ifndef MBO_CRITERIA_H
#define MBO_CRITERIA_H

typedef enum criterion { CRITERION_INFORMATION, CRITERION_VARIANCE, CRITERION_DEVIATION } criterion;

/* The value phi of a criterion for the covariance C = F^-1 [n][n], and G = dphi/dF [n][n]. With the columns C_s of the parameters that count,
 *   information  phi = -ln det C_ss,   G = C_s C_ss^-1 C_s'
 *   variance     phi = tr C_ss,        G = -C_s C_s'
 *   deviation    phi = sqrt C_ii,      G = -C_i C_i'/(2 phi)   of parameter i alone
 * since dC = -C dF C. counts [n]: 1: it does; S [n][n]: scratch. */
double criterion_evaluate(criterion which, int n, const double *C, const unsigned char *counts, int i, double *G,
                          double *S);

#endif
