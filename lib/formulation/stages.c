/* Sums over the stages of a Runge-Kutta step, from its start (stage 0) on, and their derivatives. With weights w
 * of the first n stages, and the independent coordinates B of the step,
 *   xi  = B z_0  + h sum_j w_j B zd_j,     eta = B zd_0 + h sum_j w_j B zdd_j
 * are the independent coordinates and rates of another stage, of the end, or of a point between them. The same sums of
 * all coordinates are the guess from which the dependent ones are placed. If a direction stretches the time, h' =
 * (stretch) h along it.
 * Equations: theory.md §5.3 (5.7b), theory.md §7.4 (7.8). */
#include <string.h>

#include "formulation/state_space.h"

void stage_sum(mbd_sim *s, int n, const double *w, double h) {
  state_space *q = ss_of(s);
  const int nz = ss_of(s)->n;
  memcpy(s->now.z, q->stage[0].z, (size_t)nz * sizeof *s->now.z);
  memcpy(s->now.zd, q->stage[0].zd, (size_t)nz * sizeof *s->now.z);
  for (int j = 0; j < n; j++) {
    if (w[j] == 0) { continue; }
    const mbd_real hw = h * w[j] * s->dilation;
    for (int k = 0; k < nz; k++) {
      s->now.z[k] += hw * q->stage[j].zd[k];
      s->now.zd[k] += hw * q->stage[j].zdd[k];
    }
  }
  independent_read(q->indep, 1, s->now.z, q->xi);
  independent_read(q->indep, 1, s->now.zd, q->eta);
}

void stage_sum_sens(mbd_sim *s, int n, const double *w, double h) {
  state_space *q = ss_of(s);
  const int np = s->np, nf = q->indep->nf;
  memcpy(q->xip, q->xi0p, (size_t)nf * (size_t)np * sizeof *q->xip);
  memcpy(q->etap, q->eta0p, (size_t)nf * (size_t)np * sizeof *q->xip);
  for (int j = 0; j < n; j++) {
    if (w[j] == 0) { continue; }
    const mbd_real hw = h * w[j] * s->dilation;
    for (int f = 0; f < nf; f++) {
      const int at = q->indep->free[f];
      const mbd_real *zd = q->sens_zd[j] + at * np, *zdd = q->sens_zdd[j] + at * np;
      for (int k = 0; k < np; k++) {
        q->xip[f * np + k] += hw * (zd[k] + s->stretch[k] * q->stage[j].zd[at]);
        q->etap[f * np + k] += hw * (zdd[k] + s->stretch[k] * q->stage[j].zdd[at]);
      }
    }
  }
}

void stage_sum_back(mbd_sim *s, const sim_adjoint *a, int n, const double *w, double h) {
  state_space *q = ss_of(s);
  const int np = a->npsi, nf = q->indep->nf;
  for (int f = 0; f < nf * np; f++) {
    q->by_xi0[f] += q->by_xi[f];
    q->by_eta0[f] += q->by_eta[f];
  }
  for (int j = 0; j < n; j++) {
    const mbd_real hw = h * w[j] * s->dilation;
    if (w[j] == 0) { continue; }
    for (int f = 0; f < nf; f++) {
      mbd_real *zd = q->by_zd[j] + q->indep->free[f] * np, *zdd = q->by_zdd[j] + q->indep->free[f] * np;
      for (int k = 0; k < np; k++) {
        zd[k] += hw * q->by_xi[f * np + k];
        zdd[k] += hw * q->by_eta[f * np + k];
      }
    }
  }
}

void stages_back_clear(mbd_sim *s, const sim_adjoint *a) {
  state_space *q = ss_of(s);
  const size_t size = (size_t)ss_of(s)->n * (size_t)a->npsi;
  for (int i = 0; i < q->nstage; i++) { adjoint_zero(size, q->by_zd[i]), adjoint_zero(size, q->by_zdd[i]); }
  adjoint_zero(size, q->by_xi0), adjoint_zero(size, q->by_eta0);
}

/* Sets a to the derivatives by stage i alone, and begins the reverse sweeps. */
static void begin_stage(mbd_sim *s, sim_adjoint *a, int i) {
  const state_space *q = ss_of(s);
  const size_t size = (size_t)ss_of(s)->n * (size_t)a->npsi;
  ss_clear_back(s, a);
  memcpy(a->zd, q->by_zd[i], size * sizeof *a->zd);
  memcpy(a->zdd, q->by_zdd[i], size * sizeof *a->zdd);
}

mbd_status stages_back(mbd_sim *s, sim_adjoint *a, int n, double h, mbd_error *err) {
  state_space *q = ss_of(s);
  const mbd_tableau *t = s->integrator->tableau;
  for (int i = n - 1; i > 0; i--) {
    MBD_TRY(ss_return(s, &q->stage[i], err));
    begin_stage(s, a, i);
    adjoint_stretch_rates(s, a);
    MBD_TRY(ss_evaluate_back(s, a, err));
    ss_stretch_back(s, a);
    stage_sum_back(s, a, i, t->a + i * t->stages, h);
  }
  begin_stage(s, a, 0);
  independent_add(q->indep, a->npsi, q->by_xi0, a->z);
  independent_add(q->indep, a->npsi, q->by_eta0, a->zd);
  return MBD_OK;
}
