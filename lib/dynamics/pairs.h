/* Products of the wrenches that one coordinate causes with the columns of all coordinates nearer to the ground: the entries of K, C, M in
 * its row and in its column. */
#ifndef MBD_PAIRS_H
#define MBD_PAIRS_H

#include "kinematics/work.h"

/* For every coordinate k that w->chain holds with all its columns, and with the wrench at the point of the chain,
 *   K_kj += b_k . z,   C_kj += b_k . v,   M_kj = M_jk += b_k . a,   K_jk += e_k . a + c_k . B'b + b_k . K'b,
 *   C_jk += cbd_k . a + b_k . B'b
 * C is NULL exactly where wrench->moving is 0; M may be NULL. */
void pairs_with_chain(mbd_work *w, int j, const column_wrench *wrench, mbd_real *K, mbd_real *C, mbd_real *M);

/* M_kj = M_jk += b_k . a alone. */
void mass_with_chain(const mbd_work *w, int j, const mbd_real a[6], mbd_real *M);

#endif
