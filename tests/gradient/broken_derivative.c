/* Linked into a second program in place of motion_direction: a derivative that is wrong by one part in a thousand, so that
 * a test can see whether `mbopt check` finds it. */
#include "dynamics/motion.h"

void __real_motion_direction(mbd_work *w, const motion_terms *e, mbd_real *dr, mbd_real *dphi, mbd_real *dphid,
                             mbd_real *dphidd);
void __wrap_motion_direction(mbd_work *w, const motion_terms *e, mbd_real *dr, mbd_real *dphi, mbd_real *dphid,
                             mbd_real *dphidd);

void __wrap_motion_direction(mbd_work *w, const motion_terms *e, mbd_real *dr, mbd_real *dphi, mbd_real *dphid,
                             mbd_real *dphidd) {
  __real_motion_direction(w, e, dr, dphi, dphid, dphidd);
  for (int j = 0; dr && j < w->model->nz; j++) { dr[j] *= 1.001; }
}
