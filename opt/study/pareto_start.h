/* Where the optimization of a point of a front begins, and what its result leaves for those that follow.
 *
 * Of two objectives that are squares, a result leaves the rests S of their second derivatives (mechanism/secants.h), and the direction in which the
 * optimum moves along the front. While the normal w of the front turns, w_k g_k + w_c g_c + A'mu = 0 stays with the Jacobian A of the constraints and
 * bounds that hold the design, so with the matrix L of the Lagrangian, to first order,
 *
 *   [ L  A' ] [ dx  ]     [ g_c ]
 *   [ A  0  ] [ dmu ] = - [  0  ],      ds_i = g_i'dx                                                     (6.20)
 *
 * Both objectives change, one up and the other down, also at anchors, where one of them does so to second order. So u = s_k - s_c is a parameter of the
 * front, and x(u) and s_c(u) between two neighbours are the cubics with these slopes (Hermite): the start is x at the u with s_c(u) = eps. Far from other
 * points it is ahead of the nearest one, a, whose way turns as it has since the point o behind it,
 *
 *   x(u + h) = x_a + h x_a' + h^2/2 (x_a' - x_o')/(u_a - u_o)                                             (6.45)
 *
 * A point ends where the decrease that is left at its own values of the limits is small. With the gradient r of the Lagrangian without bounds, the rows of
 * the limits in A, and the ways d_j to constraints and bounds that hold the design,
 *
 *   -r'dx/2 + sum |mu_j| d_j,   [ L  A' ] [ dx  ]     [ r ]
 *                               [ A  0  ] [ dmu ] = - [ 0 ]                                               (6.46) */
#ifndef MBO_PARETO_START_H
#define MBO_PARETO_START_H

#include "files/json.h"
#include "study/pareto.h"

/* The numbers of a list of a record; NaN where there are none. */
void pareto_numbers(const json_t *o, const char *key, int n, double *v);

/* Takes the start into m->design.start and the rests, multipliers and another start of r, from the records of the points between which it lies; r->numbers
 * has room. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status pareto_start_find(study *s, mechanism *m, const front *f, pareto_run *r, mbd_error *err);

/* Adds to the entry "front" of a record what the optimum x with its multipliers [nconstraint + nlimit] leaves: nothing if r has no secants, or it has no
 * values there. Cost: a gradient at most. */
mbd_status pareto_start_leave(pareto_run *r, mechanism *m, const double *x, const double *multipliers, json_t *record,
                              mbd_error *err);

/* Is the iterate x, with the values v there, near enough to the front: within the band of its limits, where the decrease (6.46) at its own values is at
 * most `tolerance`? Then these values are the limits of m from now on. The range of an anchor's objective is not known yet: a tenth of the tolerance counts,
 * of the objective or of what it has lost, whichever is less. */
int pareto_is_enough(pareto_run *r, mechanism *m, double tol_constraint, double tolerance, const double *x,
                     const mbo_eval *v);

#endif
