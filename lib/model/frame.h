/* Frames made of vectors, about an axis (for joints) or spanned by two vectors, and their changes with these vectors. The frames do
 * not depend on the lengths of the vectors. */
#ifndef MBD_FRAME_H
#define MBD_FRAME_H

#include "base/real.h"

/* F: the columns of a frame with e_z along a. The shortest rotation of the nearest coordinate axis onto a gives it. */
void frame_about(const mbd_real a[3], mbd_real F[9]);

/* The rotation phi of that frame for a change da of the axis,  dF = phi~ F. It is linear in da. */
void frame_about_turn(const mbd_real a[3], const mbd_real da[3], mbd_real phi[3]);

/* F: columns of the frame with e_z along a, and e_x along the part of b across it. */
void frame_across(const mbd_real a[3], const mbd_real b[3], mbd_real F[9]);

/* The rotation phi of that frame for changes da, db. It is linear in them. */
void frame_across_turn(const mbd_real a[3], const mbd_real b[3], const mbd_real da[3], const mbd_real db[3],
                       mbd_real phi[3]);

/* Axis k of the frame x = a/|a|, z = a x b/|a x b|, y = z x x, and its change for da, db, which is linear in them. */
void frame_spanned(int k, const mbd_real *a, const mbd_real *b, const mbd_real *da, const mbd_real *db, mbd_real e[3],
                   mbd_real de[3]);

#endif
