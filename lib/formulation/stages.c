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
  state_space *space = ss_of(s);
  const int nz = ss_of(s)->n;
  memcpy(s->now.z, space->stage[0].z, (size_t)nz * sizeof *s->now.z);
  memcpy(s->now.zd, space->stage[0].zd, (size_t)nz * sizeof *s->now.z);
  for (int j = 0; j < n; j++) {
    if (w[j] == 0) { continue; }
    const mbd_real hw = h * w[j] * s->dilation;
    for (int k = 0; k < nz; k++) {
      s->now.z[k] += hw * space->stage[j].zd[k];
      s->now.zd[k] += hw * space->stage[j].zdd[k];
    }
  }
  independent_read(space->indep, 1, s->now.z, space->xi);
  independent_read_rates(space->indep, 1, s->now.zd, space->eta);
}

void stage_sum_sens(mbd_sim *s, int n, const double *w, double h) {
  state_space *space = ss_of(s);
  const int np = s->np, nf = space->indep->nf;
  memcpy(space->sens.xi, space->sens.xi0, (size_t)nf * (size_t)np * sizeof *space->sens.xi);
  memcpy(space->sens.eta, space->sens.eta0, (size_t)nf * (size_t)np * sizeof *space->sens.xi);
  for (int j = 0; j < n; j++) {
    if (w[j] == 0) { continue; }
    const mbd_real hw = h * w[j] * s->dilation;
    for (int f = 0; f < nf; f++) {
      const int at = space->indep->free[f], rate = space->indep->of_rate[f];
      const mbd_real *zd = space->sens.zd[j] + at * np, *zdd = space->sens.zdd[j] + at * np;
      for (int k = 0; k < np; k++) {
        space->sens.xi[f * np + k] += hw * (zd[k] + s->stretch[k] * space->stage[j].zd[at]);
      }
      for (int k = 0; rate >= 0 && k < np; k++) {
        space->sens.eta[rate * np + k] += hw * (zdd[k] + s->stretch[k] * space->stage[j].zdd[at]);
      }
    }
  }
}

void stage_sum_back(mbd_sim *s, const sim_adjoint *a, int n, const double *w, double h) {
  state_space *space = ss_of(s);
  const int np = a->npsi, nf = space->indep->nf;
  for (int f = 0; f < nf * np; f++) {
    space->back.by_xi0[f] += space->back.by_xi[f];
    space->back.by_eta0[f] += space->back.by_eta[f];
  }
  for (int j = 0; j < n; j++) {
    const mbd_real hw = h * w[j] * s->dilation;
    if (w[j] == 0) { continue; }
    for (int f = 0; f < nf; f++) {
      const int rate = space->indep->of_rate[f];
      mbd_real *zd = space->back.by_zd[j] + space->indep->free[f] * np,
               *zdd = space->back.by_zdd[j] + space->indep->free[f] * np;
      for (int k = 0; k < np; k++) { zd[k] += hw * space->back.by_xi[f * np + k]; }
      for (int k = 0; rate >= 0 && k < np; k++) { zdd[k] += hw * space->back.by_eta[rate * np + k]; }
    }
  }
}

void stages_back_clear(mbd_sim *s, const sim_adjoint *a) {
  state_space *space = ss_of(s);
  const size_t size = (size_t)ss_of(s)->n * (size_t)a->npsi;
  for (int i = 0; i < space->nstage; i++) {
    adjoint_zero(size, space->back.by_zd[i]), adjoint_zero(size, space->back.by_zdd[i]);
  }
  adjoint_zero(size, space->back.by_xi0), adjoint_zero(size, space->back.by_eta0);
}

/* Sets a to the derivatives by stage i alone, and begins the reverse sweeps. */
static void begin_stage(mbd_sim *s, sim_adjoint *a, int i) {
  const state_space *space = ss_of(s);
  const size_t size = (size_t)ss_of(s)->n * (size_t)a->npsi;
  ss_clear_back(s, a);
  memcpy(a->zd, space->back.by_zd[i], size * sizeof *a->zd);
  memcpy(a->zdd, space->back.by_zdd[i], size * sizeof *a->zdd);
}

mbd_status stages_back(mbd_sim *s, sim_adjoint *a, int n, double h, mbd_error *err) {
  state_space *space = ss_of(s);
  const mbd_tableau *t = s->integrator->tableau;
  for (int i = n - 1; i > 0; i--) {
    MBD_TRY(ss_return(s, &space->stage[i], err));
    begin_stage(s, a, i);
    adjoint_stretch_rates(s, a);
    MBD_TRY(ss_evaluate_back(s, a, err));
    ss_stretch_back(s, a);
    stage_sum_back(s, a, i, t->a + i * t->stages, h);
  }
  begin_stage(s, a, 0);
  independent_add(space->indep, a->npsi, space->back.by_xi0, a->z);
  independent_add_rates(space->indep, a->npsi, space->back.by_eta0, a->zd);
  return MBD_OK;
}
