/* The guess of a time step. The node before gives constant accelerations; what steps have moved beyond that, b_k, and the changes of
 * their multipliers are smooth in time where forces are, so the guess extrapolates them:
 *   b_{k+1} = w b_k + w^2 (b_k - b_{k-1}),      w = b_k . b_{k-1} / |b_{k-1}|^2, from 0 to 1
 * w measures how well b_{k-1} predicted b_k: it is small after a kink, and zero where stiff parts oscillate from step to step. The solution of
 * a step does not depend on its guess but for rounding; corrections save a third to a sixth.
 * Equations: theory.md §5.1 (5.2). */
#include <math.h>
#include <string.h>

#include "formulation/newton.h"

static mbd_real constant_acceleration(const mbd_sim *s, int j) {
  return s->h * s->before.zd[j] + s->h * s->h / 2 * s->before.zdd[j];
}

static mbd_real newton_guess_go_on(mbd_real w, mbd_real last, mbd_real before) {
  return w * (last + w * (last - before));
}

void newton_guess(mbd_sim *s, newton_memory *newton) {
  const newton_trend *t = &newton->trend;
  for (int j = 0; j < newton->nz; j++) {
    newton->moved[j] = constant_acceleration(s, j) + newton_guess_go_on(t->trust, t->moved[j], t->moved_before[j]);
    s->now.z[j] = s->before.z[j] + newton->moved[j];
  }
}

void newton_guess_change(const newton_memory *newton, mbd_real *change) {
  const newton_trend *t = &newton->trend;
  for (int i = 0; i < newton->nphi; i++) { change[i] = newton_guess_go_on(t->trust, t->lam[i], t->lam_before[i]); }
}

void newton_forget(newton_memory *newton) {
  const size_t n = (size_t)newton->nz, m = (size_t)newton->nphi;
  newton_trend *t = &newton->trend;
  memset(t->moved, 0, n * sizeof *t->moved), memset(t->moved_before, 0, n * sizeof *t->moved);
  memset(t->lam, 0, m * sizeof *t->lam), memset(t->lam_before, 0, m * sizeof *t->lam);
  t->trust = 0;
}

void newton_remember(const mbd_sim *s, newton_memory *newton) {
  newton_trend *t = &newton->trend;
  double along = 0, size = 0;
  for (int j = 0; j < newton->nz; j++) {
    const mbd_real moved = newton->moved[j] - constant_acceleration(s, j);
    along += mbd_first(moved) * mbd_first(t->moved[j]), size += mbd_first(t->moved[j]) * mbd_first(t->moved[j]);
    t->moved_before[j] = t->moved[j], t->moved[j] = moved;
  }
  for (int i = 0; i < newton->nphi; i++) { t->lam_before[i] = t->lam[i], t->lam[i] = s->now.lam[i] - s->before.lam[i]; }
  t->trust = along > 0 && size > 0 ? fmin(1, along / size) : 0;
}

size_t newton_trend_reals(const newton_memory *newton) {
  return 2 * ((size_t)newton->nz + (size_t)newton->nphi) + 1;
}

void newton_copy_trend(newton_memory *newton, sim_copy copy, mbd_real **at) {
  newton_trend *t = &newton->trend;
  copy(at, t->moved, newton->nz), copy(at, t->moved_before, newton->nz);
  copy(at, t->lam, newton->nphi), copy(at, t->lam_before, newton->nphi);
  copy(at, &t->trust, 1);
}
