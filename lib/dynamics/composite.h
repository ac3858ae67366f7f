/* What bodies and points of beams give to composite bodies (jacobian.c): theory.md §3 (3.3); S0 (30), (32). */
#ifndef MBD_DYNAMICS_COMPOSITE_H
#define MBD_DYNAMICS_COMPOSITE_H

#include "kinematics/work.h"

/* The angular block Bn of one body. */
static inline void velocity_block(const mbd_inertia *in, const mbd_real V[6], mbd_real Bn[9]) {
  const mbd_real *v = V, *w = V + 3, *J = in->J, *h = in->h;
  const mbd_real trace = J[0] + J[4] + J[8], hv = v3_dot(h, v);
  for (int k = 0; k < 3; k++) { /* columns of 2 w~ J */
    mbd_real Jk[3] = {J[k], J[3 + k], J[6 + k]}, wJ[3];
    v3_cross(wJ, w, Jk);
    for (int i = 0; i < 3; i++) {
      Bn[3 * i + k] = 2 * wJ[i] - 2 * (v[i] * h[k] - (i == k ? hv : 0));
    } /* h~v~ = v h' - h.v 1 */
  }
  Bn[1] += trace * w[2], Bn[2] -= trace * w[1];
  Bn[3] -= trace * w[2], Bn[5] += trace * w[0];
  Bn[6] += trace * w[1], Bn[7] -= trace * w[0];
}

/* c += d, given at a point displaced by s:  Bn' = Bn + s~ (-2 pf~),  s~ pf~ = pf s' - s.pf 1 */
static inline void composite_add_from(composite *c, const composite *d, const mbd_real s[3], int moving) {
  sv_inertia_add_from(&c->in, &d->in, s);
  sv_add_wrench_from(c->W, d->W, s);
  if (!moving) { return; }
  v3_add(c->pf, c->pf, d->pf);
  mbd_real spf = v3_dot(s, d->pf);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { c->Bn[3 * i + k] += d->Bn[3 * i + k] - 2 * d->pf[i] * s[k]; }
    c->Bn[4 * i] += 2 * spf;
  }
}

#endif
