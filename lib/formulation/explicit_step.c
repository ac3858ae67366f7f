/* Runge-Kutta steps of xi'' = F(xi, xi', t) as a system of first order. With zd_j, zdd_j of the stages, the first of them
 * the node before (_), and the independent coordinates B of that node:
 *   stage i   xi  = B z_  + h sum_j a_ij B zd_j,     eta = B zd_ + h sum_j a_ij B zdd_j
 *   node      xi  = B z_  + h sum_j b_j B zd_j,      eta = B zd_ + h sum_j b_j B zdd_j
 * The same sums of all coordinates are the guess from which the dependent ones are placed. */
#include <string.h>

#include "formulation/state_space.h"
#include "kinematics/sweep.h"

/* Weights of the stages before i, or (i = stages) of the node. */
static const double *weights(const mbd_tableau *q, int i) {
  return i < q->stages ? q->a + i * q->stages : q->b;
}

static double stage_time(const mbd_sim *s, const mbd_tableau *q, int i) {
  const double t0 = ss_of(s)->stage[0].t;
  return i < q->stages ? t0 + q->c[i] * s->h : t0 + s->h;
}

/* s->now.z: the guess; xi, eta of stage i */
static void arguments(mbd_sim *s, const mbd_tableau *t, int i) {
  state_space *q = ss_of(s);
  const int n = s->m->nz;
  const double *w = weights(t, i);
  memcpy(s->now.z, q->stage[0].z, (size_t)n * sizeof *s->now.z);
  memcpy(s->now.zd, q->stage[0].zd, (size_t)n * sizeof *s->now.z);
  for (int j = 0; j < i; j++) {
    if (w[j] == 0) { continue; }
    const double hw = s->h * w[j];
    for (int k = 0; k < n; k++) {
      s->now.z[k] += hw * q->stage[j].zd[k];
      s->now.zd[k] += hw * q->stage[j].zdd[k];
    }
  }
  independent_read(q->kin, 1, s->now.z, q->xi);
  independent_read(q->kin, 1, s->now.zd, q->eta);
}

static void arguments_sens(mbd_sim *s, const mbd_tableau *t, int i) {
  state_space *q = ss_of(s);
  const int np = s->np, nf = q->kin->nf;
  const double *w = weights(t, i);
  memcpy(q->xip, q->xi0p, (size_t)nf * (size_t)np * sizeof *q->xip);
  memcpy(q->etap, q->eta0p, (size_t)nf * (size_t)np * sizeof *q->xip);
  for (int j = 0; j < i; j++) {
    if (w[j] == 0) { continue; }
    const double hw = s->h * w[j];
    for (int f = 0; f < nf; f++) {
      const mbd_real *zd = q->sens_zd[j] + q->kin->free[f] * np, *zdd = q->sens_zdd[j] + q->kin->free[f] * np;
      for (int k = 0; k < np; k++) {
        q->xip[f * np + k] += hw * zd[k];
        q->etap[f * np + k] += hw * zdd[k];
      }
    }
  }
}

/* Stage 0: the node before. */
static void begin(mbd_sim *s) {
  state_space *q = ss_of(s);
  const size_t n = (size_t)s->m->nz, size = n * (size_t)s->np * sizeof *s->sens.z;
  ss_point *at = &q->stage[0];
  at->t = mbd_re(s->t) - s->h;
  memcpy(at->z, s->before.z, n * sizeof *at->z);
  memcpy(at->zd, s->before.zd, n * sizeof *at->z);
  memcpy(at->zdd, s->before.zdd, n * sizeof *at->z);
  memcpy(at->lam, s->before.lam, (size_t)s->m->nphi * sizeof *at->lam);
  independent_save(q->kin, q->choice);
  if (s->np == 0) { return; }
  independent_read(q->kin, s->np, s->sens.z, q->xi0p);
  independent_read(q->kin, s->np, s->sens.zd, q->eta0p);
  memcpy(q->sens_zd[0], s->sens.zd, size);
  memcpy(q->sens_zdd[0], s->sens.zdd, size);
}

mbd_status explicit_step(mbd_sim *s, mbd_error *err) {
  state_space *q = ss_of(s);
  const mbd_tableau *t = s->integrator->tableau;
  begin(s);
  for (int i = 1; i <= t->stages; i++) {
    const int node = i == t->stages;
    s->t = stage_time(s, t, i);
    arguments(s, t, i);
    MBD_TRY(ss_evaluate(s, err));
    if (!node) { ss_keep(s, &q->stage[i]); }
    if (s->np == 0) { continue; }
    arguments_sens(s, t, i);
    const sim_sens to = {.z = s->sens.z,
                         .zd = node ? s->sens.zd : q->sens_zd[i],
                         .zdd = node ? s->sens.zdd : q->sens_zdd[i],
                         .lam = s->sens.lam};
    MBD_TRY(ss_evaluate_sens(s, &to, err));
  }
  if (s->np == 0) { sweep_motion(s->p, s->w, s->now.zd, s->now.zdd, 1); }
  return MBD_OK;
}

/* Derivatives by the arguments of stage i, handed on to the node before and to the stages. */
static void hand_back(mbd_sim *s, const sim_adjoint *a, const mbd_tableau *t, int i) {
  state_space *q = ss_of(s);
  const int np = a->npsi, nf = q->kin->nf;
  const double *w = weights(t, i);
  for (int f = 0; f < nf * np; f++) {
    q->by_xi0[f] += q->by_xi[f];
    q->by_eta0[f] += q->by_eta[f];
  }
  for (int j = 0; j < i; j++) {
    const double hw = s->h * w[j];
    if (w[j] == 0) { continue; }
    for (int f = 0; f < nf; f++) {
      mbd_real *zd = q->by_zd[j] + q->kin->free[f] * np, *zdd = q->by_zdd[j] + q->kin->free[f] * np;
      for (int k = 0; k < np; k++) {
        zd[k] += hw * q->by_xi[f * np + k];
        zdd[k] += hw * q->by_eta[f * np + k];
      }
    }
  }
}

static void clear(mbd_sim *s, sim_adjoint *a) {
  adjoint_zero((size_t)s->m->nz * (size_t)a->npsi, a->z);
  adjoint_zero((size_t)s->m->nphi * (size_t)a->npsi, a->lam);
  for (int k = 0; k < a->npsi; k++) { pull_clear(s->m, &a->pull[k]); }
}

mbd_status explicit_step_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *q = ss_of(s);
  const mbd_tableau *t = s->integrator->tableau;
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi;
  ss_point node = {mbd_re(s->t), s->now.z, s->now.zd, s->now.zdd, s->now.lam};
  independent_restore(q->kin, q->choice);
  for (int i = 0; i < t->stages; i++) { adjoint_zero(size, q->by_zd[i]), adjoint_zero(size, q->by_zdd[i]); }
  adjoint_zero(size, q->by_xi0), adjoint_zero(size, q->by_eta0);
  MBD_TRY(ss_return(s, &node, err));
  adjoint_outputs(s, a);
  MBD_TRY(ss_evaluate_back(s, a, err));
  hand_back(s, a, t, t->stages);
  for (int i = t->stages - 1; i > 0; i--) {
    MBD_TRY(ss_return(s, &q->stage[i], err));
    clear(s, a);
    memcpy(a->zd, q->by_zd[i], size * sizeof *a->zd);
    memcpy(a->zdd, q->by_zdd[i], size * sizeof *a->zd);
    MBD_TRY(ss_evaluate_back(s, a, err));
    hand_back(s, a, t, i);
  }
  clear(s, a);
  memcpy(a->zd, q->by_zd[0], size * sizeof *a->zd);
  memcpy(a->zdd, q->by_zdd[0], size * sizeof *a->zd);
  independent_add(q->kin, a->npsi, q->by_xi0, a->z);
  independent_add(q->kin, a->npsi, q->by_eta0, a->zd);
  return MBD_OK;
}
