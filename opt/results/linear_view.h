/* A linearization as data for a page. */
#ifndef MBO_LINEAR_VIEW_H
#define MBO_LINEAR_VIEW_H

#include <jansson.h>

#include "mbd/linearize.h"
#include "mechanism/mechanism.h"

/* The order of the system: two for a degree of freedom, one for a coordinate whose rate follows from velocity constraints, one for a state. */
static inline int linear_order(const mbd_linear *l) {
  return l->n + l->nrate + l->nstate;
}

/* The data of one linearization that assets/linear.js draws:
 *   case, value   its load case, and the value of the varied key: a number or a word; null: no key is varied
 *   roots         [[real, imaginary] * order] in 1/s
 *   zero          linear_zero_below: roots of at most this size are zero
 *   moves         [order] texts: the coordinates and the states that a mode moves
 *   acceleration  of the start, "" if it is steady
 *   up, scene     see scene_at_start
 *   modes         [order] of those without a negative imaginary part: the displacements of the bodies, [bodies * 12]
 *   (mbd/linearize.h), as integers of
 *                 which 9999 is the largest number; null: for the others, and if `bodies` is NULL
 * sim: the simulation that was linearized. The caller owns *out. MBD_NO_MEMORY. */
mbd_status linear_view(const mechanism *m, const mechanism_case *load, mbd_sim *sim, const mbd_linear *l,
                       const double *bodies, const char *value, json_t **out, mbd_error *err);

/* Name of state k of the system. */
static inline const char *linear_state_name(const mbd_model *model, const mbd_linear *l, int k) {
  return mbd_model_z_name(model, mbd_model_nz(model) - l->nstate + k);
}

/* "weave: steer.angle 0.89, ...; torque 1.00": the section [mode NAME] that follows the mode, if one does; coordinates that a mode moves by at least a third of the largest displacement, and states likewise.
 * The caller owns the text; NULL: no memory. */
char *linear_moves(const mechanism *m, const mechanism_case *load, const mbd_linear *l, int mode);

/* The size [1/s] below which, because of rounding in the matrix A, an eigenvalue cannot be distinguished from zero,
 * that is, a slow motion from a rigid one, on which no force depends. Rounding the accelerations by displacements, of
 * size S [1/s^2], and by rates, of size D [1/s], changes
 *   lambda^2 = e + lambda d   by   |e| <= N eps S,  |d| <= N eps D,   so   max(sqrt(N eps S), N eps D),
 * N the order. S and D are the largest sqrt(|a_ij a_ji|) of the two halves, including the diagonal, which do not depend on the units
 * of the coordinates; D includes the rates of states by themselves, and those that follow from displacements by velocity constraints. There
 * displacements are those along a rate. */
double linear_zero_below(const mbd_linear *l);
int linear_is_zero(const mbd_linear *l, int mode);

/* The unit of a scalar, given by its name or as in --set; "" for all other keys, and for NULL. */
const char *linear_unit(const mechanism *m, const char *key);

#endif
