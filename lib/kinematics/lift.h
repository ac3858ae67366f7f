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

/* Values x, xd of the arguments. `rates`: 0: x only; 1: also xd, xdd. */
void lift_values(const mbd_work *w, const mbd_lift *l, int rates, mbd_arg_state *s);

/* Computes w->dx, the columns dx[a][c][3] = d x_a / d z_col[c]. */
void lift_columns(mbd_work *w, const mbd_lift *l);

/* Also w->dxd = d xd / d z, and, if `second`, w->dxdd = d xdd / d z, w->dxdd_zd = d xdd / d zd.
 * (d xd / d zd = d xdd / d zdd = dx.) */
void lift_rate_columns(mbd_work *w, const mbd_lift *l, int second);

/* A block of a matrix between arguments that is not zero: row argument a, column argument b. */
typedef struct lift_block {
  int a, b;
} lift_block;

/* Lists the nonzero blocks of H [narg][narg] in `list`; returns their number. */
int lift_blocks(int narg, const mbd_real (*H)[ELEMENT_ARG_MAX][9], lift_block list[ELEMENT_ARG_MAX * ELEMENT_ARG_MAX]);

/* Second derivatives, summed over elements: add forces f_a on the arguments of any number of elements, then
 *   K[k][j] += sum f_a . d2 x_a / dz_k dz_j,   K [nz][nz]
 * in one sweep over the tree, after which the sums are zero again; sign: factor of the forces. */
void second_add(mbd_work *w, const mbd_lift *l, const mbd_real (*f)[3], mbd_real sign);
void second_sum(mbd_work *w, mbd_real *K);
/* The same for a force f and a torque n on a body, both constant in global axes, at a point with the given arm from the
 * reference point. */
void second_add_wrench(mbd_work *w, int body, const mbd_real arm[3], const mbd_real f[3], const mbd_real n[3],
                       mbd_real sign);

/* The first function adds elements that act on one body alone (l->body > 0), with forces f on their arguments x and df
 * = f_x dx + f_xd dxd (NULL: none), all times sign, to w->slopes of that body. The second one adds the slopes of a body
 * to those of its parent. The sweep over composite bodies (dynamics/jacobian.c) projects them on coordinates and sets
 * them to zero. */
void slopes_add(mbd_work *w, const mbd_lift *l, const mbd_arg_state *x, const mbd_real (*f)[3],
                const mbd_real (*f_x)[ELEMENT_ARG_MAX][9], const mbd_real (*f_xd)[ELEMENT_ARG_MAX][9], mbd_real sign);
void slopes_add_from(mbd_work *w, int parent, int body);

/* Products of the slopes of a body with one of the columns of its joint: K b + D c, D b and K' b, D' b, wrenches at the
 * reference point of the body. Those with D are set if the slopes are damped, the last two if there are joints nearer
 * to the ground. */
typedef struct slopes_column {
  mbd_real z[6], v[6], Kb[6], Db[6];
} slopes_column;
void slopes_of_column(const mbd_work *w, int body, int column, slopes_column *u);

/* K_kj += (db_k/dz_j) . F for the twists of the joint that carries body i, which depend on its own coordinates; F:
 * wrench on all bodies beyond, at r. */
void bend_within_joint(const mbd_work *w, int i, const mbd_real F[6], mbd_real *K);

/* Index of argument a, column c in w->dx and in the other arrays of columns. */
static inline size_t lift_at(const mbd_lift *l, int a, int c) {
  return 3 * ((size_t)a * (size_t)l->ncol + (size_t)c);
}

/* ---- directions of coefficients and coordinates ---- */

/* Computes w->vary along d, dz, dzd, dzdd together, each of which may be NULL: zero. The motion must have been swept.
 * The cost is O(bodies), as that of the sums below over all elements. */
void vary_motion(mbd_work *w, const mbd_dparams *d, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dzdd);

/* The joint of a body whose translations are in proportion to its scale s (joint.h). A change of s moves all bodies beyond as a coordinate at
 * rest would: joint_scale_column sets its column (b alone; `rates`: 1: c and e, too), joint_scale_times sets out to sum_k db_k/ds x_k at r, x [nz]. */
void joint_scale_column(const mbd_work *w, int body, int rates, column_state *column);
void joint_scale_times(const mbd_work *w, int body, const mbd_real *x, mbd_real out[6]);

/* Change of the arguments; returns 0 (and does not write s) if none of them changes. */
int vary_arguments(const mbd_work *w, const mbd_lift *l, int rates, mbd_arg_state *s);

/* dp of a marker, added with a sign; returns 0 if it does not move. */
int vary_marker_place(const mbd_work *w, int k, mbd_real sign, mbd_real dp[3]);

/* Change of generalized forces, sum of (x_z' f)' over elements and b' W over bodies, in one sweep towards the ground,
 * after which the sums are zero again. First add the forces f on arguments with their changes df (f NULL: the arguments
 * do not move), or the wrenches F on bodies with their changes (F NULL: the body does not move); then call the sum,
 * which adds to dr [nz]. Forces on coordinates, which need no sum, are added to dr at once. `sign`: factor of f and
 * df. */
void vary_forces(mbd_work *w, const mbd_lift *l, const mbd_real (*f)[3], const mbd_real (*df)[3], mbd_real sign,
                 mbd_real *dr);
void vary_wrench(mbd_work *w, int body, const mbd_real *F, const mbd_real dF[6]);
void vary_sum(mbd_work *w, mbd_real *dr);

#endif
