/* How candidates should divide one effort, the approximate design: theory.md §6 (6.44). */
#ifndef MBO_DIVISION_H
#define MBO_DIVISION_H

#include "mechanism/information.h"

/* Sets share [ncandidate], w_c >= 0 with the sum 1, such that F = F_data + sum_c w_c F_c has the largest determinant (by_volume) or an inverse with the least
 * trace, over the directions that all together determine: a convex problem. *gap: the intervals of the optimum are shorter by at most this part
 * (6.41). MBD_NO_MEMORY. Cost of a step: a product of [r][r] matrices for each candidate, r
 * directions. */
mbd_status division_find(const information *data, int ncandidate, information *const *candidate, int by_volume,
                         double *share, double *gap, mbd_error *err);

#endif
