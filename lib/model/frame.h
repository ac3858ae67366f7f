/* Frames made of vectors, and how they change with them: about an axis, for joints; spanned by two vectors. Lengths of
 * the vectors do not matter. */
#ifndef MBD_FRAME_H
#define MBD_FRAME_H

#include "base/real.h"

/* F: columns of a frame with e_z along a, by the shortest turn of the nearest coordinate axis onto it. */
void frame_about(const mbd_real a[3], mbd_real F[9]);

/* Its turn for a change da of the axis:  dF = phi~ F. Linear in da. */
void frame_about_turn(const mbd_real a[3], const mbd_real da[3], mbd_real phi[3]);

/* F: columns of the frame with e_z along a, and e_x along the part of b across it. */
void frame_across(const mbd_real a[3], const mbd_real b[3], mbd_real F[9]);

/* Its turn for changes da, db. Linear in them. */
void frame_across_turn(const mbd_real a[3], const mbd_real b[3], const mbd_real da[3], const mbd_real db[3],
                       mbd_real phi[3]);

/* Axis k of the frame x = a/|a|, z = a x b/|a x b|, y = z x x; and its change for da, db, linear in them. */
void frame_spanned(int k, const mbd_real *a, const mbd_real *b, const mbd_real *da, const mbd_real *db, mbd_real e[3],
                   mbd_real de[3]);

#endif
