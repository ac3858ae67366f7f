/* The page of mbopt linearize: eigenvalues in the complex plane and over what was varied, and the modes, which move. */
#ifndef MBO_LINEAR_PAGE_H
#define MBO_LINEAR_PAGE_H

#include <jansson.h>

#include "mbd/linearize.h"
#include "mechanism/mechanism.h"

/* What assets/linear.js draws of one linearization:
 *   case, value   its load case, and the value of what is varied: a number or a word; null: nothing is
 *   roots         [[real, imaginary] * 2n] in 1/s
 *   zero          linear_zero_below: roots of at most this size are zero
 *   moves         [2n] texts: the coordinates that a mode moves
 *   acceleration  of the start, "" where it is steady
 *   up, scene     as scene_at_start says
 *   modes         [2n] of those without a negative imaginary part: how the bodies move, [bodies * 12] (mbd/linearize.h), as integers of
 *                 which 9999 is the largest number; null: of the others, and where `bodies` is NULL
 * sim: that was linearized. The caller owns *out. MBD_NO_MEMORY. */
mbd_status linear_page_entry(const mechanism *m, const mechanism_case *q, mbd_sim *sim, const mbd_linear *l,
                             const double *bodies, const char *value, json_t **out, mbd_error *err);

/* varied: the key; NULL: none. Errors of page_write. */
mbd_status linear_page_write(const mechanism *m, const char *varied, const json_t *entries, const char *path,
                             mbd_error *err);

/* "steer.angle 0.89, ...": coordinates that a mode moves by a third of the farthest or more; the caller's. NULL: no memory. */
char *linear_moves(const mbd_model *model, const mbd_linear *l, int mode);

/* The size [1/s] below which the matrix A, rounded, cannot tell an eigenvalue from zero, that is, a slow motion from a rigid one, on which no
 * force depends. Rounding the accelerations by displacements, of size S [1/s^2], and by rates, of size D [1/s], changes
 *   lambda^2 = e + lambda d   by   |e| <= 2n eps S,  |d| <= 2n eps D,   so   max(sqrt(2n eps S), 2n eps D).
 * S and D are the largest sqrt(|a_ij a_ji|) of the two halves, the diagonal among them, which no choice of units of the coordinates changes. */
double linear_zero_below(const mbd_linear *l);
int linear_is_zero(const mbd_linear *l, int mode);

#endif
