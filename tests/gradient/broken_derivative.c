/* Linked into a second program in place of dyn_direction: a derivative that is wrong by one part in a thousand, so that
 * a test can see whether `mbopt check` finds it. */
#include "dynamics/dynamics.h"

void __real_dyn_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, mbd_real t,
                          unsigned what, mbd_real *dr);
void __wrap_dyn_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, mbd_real t,
                          unsigned what, mbd_real *dr);

void __wrap_dyn_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, mbd_real t,
                          unsigned what, mbd_real *dr) {
  __real_dyn_direction(p, d, w, v, t, what, dr);
  for (int j = 0; j < w->model->nz; j++) { dr[j] *= 1.001; }
}
