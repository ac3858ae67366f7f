/* From arguments to coordinates: values of an element's arguments, and their columns in z, zd, zdd.
 *
 * Under a small displacement x = [x_v; x_w] of a body, with velocity changes c and acceleration changes e as in
 * work.h, a point p (arm = p - r) and a vector u of that body change by
 *   dp = x_v + x_w x arm               du  = x_w x u
 *   dv = x_w x v + c_v + c_w x arm     dud = x_w x ud + c_w x u
 *   da = x_w x a + 2 c_w x v + e_v + e_w x arm,  likewise for the vector without the linear parts. */
#ifndef MBD_LIFT_H
#define MBD_LIFT_H

#include "kinematics/work.h"

/* Values x, xd of the arguments after sweep_position and sweep_motion. `rates`: 0: x only; 1: also xd, xdd. */
void lift_values(const mbd_work *w, const mbd_lift *l, int rates, mbd_arg_state *s);

/* Columns dx[a][c][3] = d x_a / d z_col[c] into w->dx. */
void lift_columns(mbd_work *w, const mbd_lift *l);

/* Also w->dxd = d xd / d z, and, if `second`, w->dxdd = d xdd / d z, w->dxdd_zd = d xdd / d zd; needs sweep_columns.
 * (d xd / d zd = d xdd / d zdd = dx.) */
void lift_rate_columns(mbd_work *w, const mbd_lift *l, int second);

/* A block of a matrix between arguments that is not zero: row argument a, column argument b. */
typedef struct lift_block {
  int a, b;
} lift_block;

/* Those of H [narg][narg], in `list`; returns their number. */
int lift_blocks(int narg, const mbd_real (*H)[MBD_ARG_MAX][9], lift_block list[MBD_ARG_MAX * MBD_ARG_MAX]);

/* Second derivatives, summed over elements: add forces f_a on the arguments of any number of elements, then
 *   K[k][j] += sum f_a . d2 x_a / dz_k dz_j,   K [nz][nz]
 * in one sweep over the tree, which leaves nothing to add up; sign: the forces are taken times it. Needs
 * sweep_position. */
void second_add(mbd_work *w, const mbd_lift *l, const mbd_real (*f)[3], mbd_real sign);
void second_sum(const mbd_params *p, mbd_work *w, mbd_real *K);

/* Place of argument a, column c in w->dx and its kin. */
static inline size_t lift_at(const mbd_lift *l, int a, int c) {
  return 3 * ((size_t)a * (size_t)l->ncol + (size_t)c);
}

/* ---- directions of coefficients ---- */

/* How every body (marker) changes when coefficients change and z, zd, zdd do not. */
typedef struct body_variation {
  int active;
  mbd_real x[6], c[6], e[6]; /* at the body's reference point */
  mbd_real x0[6], x1[6];     /* displacement of the frame that carries its joint's columns before and behind `mid` */
} body_variation;

typedef struct mbd_variation {
  body_variation *body; /* [nb] */
  int any;              /* some body moves */
} mbd_variation;

/* Fill v for direction d; needs sweep_position, sweep_motion (same `moving`). */
void vary_bodies(const mbd_params *p, const mbd_dparams *d, mbd_work *w, mbd_variation *v);

/* Change of the arguments; returns 0 (and leaves s alone) when none of them changes. */
int vary_arguments(const mbd_dparams *d, const mbd_work *w, const mbd_variation *v, const mbd_lift *l, int rates,
                   mbd_arg_state *s);

/* ddx[a][c][3] = change of column dx[a][c] (as in lift_columns, which must have run); ddx: caller's memory. */
void vary_columns(const mbd_dparams *d, const mbd_work *w, const mbd_variation *v, const mbd_lift *l, mbd_real *ddx);

/* Change of b of coordinate j at its reference point: x (of its carrier) x b. */
void vary_b(const mbd_work *w, const mbd_variation *v, int j, mbd_real db[6]);

#endif
