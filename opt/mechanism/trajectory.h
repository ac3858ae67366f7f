/* Outputs of a case at samples of the time as a function y(rho) of the design, with products of its Jacobian (theory.md §6 (6.15)).
 *
 * It is the problem of the run file with one objective in the place of all others, the form "weighted_samples": sum_ij w_ij y_ij, whose gradient by the
 * adjoint is the product with the weights w. So it has a model and simulations of its own, and all methods that differentiate objectives. */
#ifndef MBO_TRAJECTORY_H
#define MBO_TRAJECTORY_H

#include "mechanism/mechanism.h"

typedef struct trajectory trajectory;

/* Makes the columns column [ncolumn], each an output or a column of trajectory.csv (of a vector all its components), of case number i of a run file with
 * settings, at the times time [ntime] [s], in any order; NULL: at the nodes. Everything is copied; the caller frees *out. MBD_BAD_INPUT: a
 * column or a case is not there, there is no column, or a time lies outside of the case; and the errors of reading the run file. */
mbd_status trajectory_create(const char *path, int nset, const char *const *set, int i, int ncolumn,
                             const char *const *column, int ntime, const double *time, trajectory **out,
                             mbd_error *err);
void trajectory_free(trajectory *t); /* NULL: nothing */

/* The problem, of which the one objective is the weighted sum. */
mechanism *trajectory_mechanism(trajectory *t);

int trajectory_rows(const trajectory *t);    /* samples */
int trajectory_columns(const trajectory *t); /* components of all columns */
const char *trajectory_name(const trajectory *t, int column);
const char *trajectory_unit(const trajectory *t, int column);

/* y [rows][columns] at rho [n] (NULL: not wanted), of each:
 *   values     alone
 *   jvp        dy [rows][columns] = J dx for a direction dx [n], by direct differentiation
 *   jacobian   J [rows][columns][n], by direct differentiation
 *   vjp        g [n] = J' w for weights w [rows][columns], by the discrete adjoint (direct differentiation where the run file has that method or the
 *              case has no adjoint)
 *   second     Hd [n] = (sum_ij w_ij y_ij'') d for a direction d [n], by the complex step of that adjoint
 * Errors: those of a simulation, and MBD_UNSUPPORTED of `second` where there is no adjoint. MBD_BAD_INPUT: a weight, or a number of a direction, is not finite. */
mbd_status trajectory_values(trajectory *t, const double *rho, double *y, mbd_error *err);
mbd_status trajectory_jvp(trajectory *t, const double *rho, const double *dx, double *y, double *dy, mbd_error *err);
mbd_status trajectory_jacobian(trajectory *t, const double *rho, double *y, double *J, mbd_error *err);
mbd_status trajectory_vjp(trajectory *t, const double *rho, const double *w, double *y, double *g, mbd_error *err);
mbd_status trajectory_second(trajectory *t, const double *rho, const double *w, const double *d, double *Hd,
                             mbd_error *err);

#endif
