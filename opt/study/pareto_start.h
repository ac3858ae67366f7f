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
 * front, and x(u) and s_c(u) between two neighbours are the cubics with these slopes (Hermite): the start is x at the u with s_c(u) = eps. */
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

#endif
