/* User forces at the motion in the work: their arguments; and a check that their results, and those of forces by expression, are finite.
 * Equations: the forces are part of Q in theory.md §3 (3.1). */
#include "dynamics/parts.h"
#include "force/user.h"

const mbd_user_force *motion_user_force(const mbd_work *w, int i, double *state, double *coef) {
  const mbd_force *f = &w->model->force[i];
  mbd_real at[MBD_USER_STATE];
  mbd_arg_state s;
  mbd_element_input in;
  const mbd_user_force *u = f->user.law;
  if (!u) { return NULL; }
  const int n = 6 * u->narg, nc = mbd_user_force_ncoef(u);
  force_input(w, f, &s, &in);
  user_force_state(u, &in, at);
  for (int k = 0; k <= n; k++) { state[k] = mbd_first(at[k]); }
  for (int k = 0; k < nc; k++) { coef[k] = mbd_first(in.c[k]); }
  return u;
}

static int is_finite(int n, const mbd_real *v) {
  int finite = 1;
  for (int i = 0; i < n; i++) { finite &= isfinite(mbd_first(v[i])) != 0; }
  return finite;
}

int motion_not_finite(const mbd_work *w) {
  for (int i = 0; i < w->model->nforce && w->stage >= WORK_MOVED; i++) {
    const mbd_force *force = &w->model->force[i];
    const int n = 3 * force->lift.narg;
    mbd_real f[ELEMENT_ARG_MAX][3];
    mbd_arg_state s;
    mbd_element_input in;
    if (!force->user.law && !force->expression) { continue; }
    force_input(w, force, &s, &in);
    if (!is_finite(n, s.x[0]) || !is_finite(n, s.xd[0])) { continue; }
    mbd_args_zero(force->lift.narg, f);
    force->ops->f(&in, f);
    if (!is_finite(n, f[0])) { return i; }
  }
  return -1;
}
