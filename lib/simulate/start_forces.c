/* Forces that are not finite at the start: a spring whose points coincide has no direction, along.h. The message names
 * the force; without this check it would report the accelerations only. */
#include "simulate/start.h"

static int is_finite(const mbd_force *force, mbd_real (*f)[3]) {
  for (int a = 0; a < force->lift.narg; a++) {
    const int n = force->lift.arg[a].kind == MBD_ARG_COORDINATE ? 1 : 3;
    if (isnan(mbd_norm_inf(n, f[a]))) { return 0; }
  }
  return 1;
}

mbd_status start_check_forces(const mbd_sim *s, mbd_error *err) {
  for (int i = 0; i < s->m->nforce; i++) {
    const mbd_force *force = &s->m->force[i];
    mbd_arg_state at;
    mbd_real f[ELEMENT_ARG_MAX][3] = {{0}};
    motion_force(s->w, i, &at, f);
    if (is_finite(force, f)) { continue; }
    const mbd_arg *arg = &force->lift.arg[0];
    const int coincide =
        force->lift.narg == 1 && arg->kind == MBD_ARG_POINT && arg->a >= 0 && mbd_norm_inf(3, at.x[0]) == 0;
    MBD_FAIL(err, MBD_NOT_FINITE, "force '%s' is not finite%s", force->name,
             coincide ? ": its two points are at one place, where their line has no direction; expected "
                        "points apart, or a bushing, which needs none"
                      : "");
  }
  return MBD_OK;
}
