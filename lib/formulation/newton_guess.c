/* The guess of a time step. The node before gives constant accelerations; what steps move beyond that, b_k, and the changes of their
 * multipliers are smooth in time where forces are, so the guess extrapolates them by backward differences,
 *   b_{k+1} = b_k + D b_k + ... + D^p b_k,     D b_k = b_k - b_{k-1}
 * With p terms the error of this was D^p b_k in the last step. More terms are taken as long as each makes that half as large, because each doubles
 * rounding: none after a kink or where stiff parts oscillate from step to step, all where the motion is smooth. The solution of a step does not
 * depend on its guess but for rounding.
 * Equations: theory.md §5.1 (5.2). */
#include <math.h>
#include <string.h>

#include "formulation/newton.h"

static mbd_real constant_acceleration(const mbd_sim *s, int j) {
  return s->h * s->before.zd[j] + s->h * s->h / 2 * s->before.zdd[j];
}

/* The sum of the first `terms` of the differences of one entry, which are n apart. */
static mbd_real go_on(const newton_trend *t, const mbd_real *difference, int n) {
  mbd_real sum = 0;
  for (int p = 0; p < (int)mbd_same(t->terms); p++) { sum += difference[p * n]; }
  return sum;
}

void newton_guess(mbd_sim *s, newton_memory *newton) {
  for (int j = 0; j < newton->nz; j++) {
    newton->moved[j] = constant_acceleration(s, j) + go_on(&newton->trend, newton->trend.moved + j, newton->nz);
    s->now.z[j] = s->before.z[j] + newton->moved[j];
  }
}

void newton_guess_change(const newton_memory *newton, mbd_real *change) {
  for (int i = 0; i < newton->nphi; i++) { change[i] = go_on(&newton->trend, newton->trend.lam + i, newton->nphi); }
}

void newton_forget(newton_memory *newton) {
  memset(newton->trend.moved, 0, NEWTON_TREND * (size_t)newton->nz * sizeof(mbd_real));
  memset(newton->trend.lam, 0, NEWTON_TREND * (size_t)newton->nphi * sizeof(mbd_real));
  newton->trend.terms = 0;
}

/* The differences of one entry, n apart, after it has become `now`. */
static void differences(mbd_real now, int n, mbd_real *difference) {
  for (int p = 0; p < NEWTON_TREND; p++) {
    const mbd_real before = difference[p * n];
    difference[p * n] = now;
    now -= before;
  }
}

void newton_remember(const mbd_sim *s, newton_memory *newton) {
  newton_trend *t = &newton->trend;
  const int n = newton->nz;
  for (int j = 0; j < n; j++) { differences(newton->moved[j] - constant_acceleration(s, j), n, t->moved + j); }
  for (int i = 0; i < newton->nphi; i++) { differences(s->now.lam[i] - s->before.lam[i], newton->nphi, t->lam + i); }
  double error = INFINITY;
  for (int p = 0; p < NEWTON_TREND; p++) {
    const double size = mbd_norm_inf(n, t->moved + p * n);
    if (size < newton_worth * error) { error = size, t->terms = p; }
  }
}

size_t newton_trend_reals(const newton_memory *newton) {
  return NEWTON_TREND * ((size_t)newton->nz + (size_t)newton->nphi) + 1;
}

void newton_copy_trend(newton_memory *newton, sim_copy copy, mbd_real **at) {
  newton_trend *t = &newton->trend;
  copy(at, t->moved, NEWTON_TREND * newton->nz), copy(at, t->lam, NEWTON_TREND * newton->nphi);
  copy(at, &t->terms, 1);
}
