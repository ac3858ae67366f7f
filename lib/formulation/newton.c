/* The methods that solve the equations of a time step, in the order in which they are tried. Equations: theory.md §5.1 (5.2). */
#include "formulation/newton.h"

void newton_layout(newton_memory *newton, int nz, int nphi, int shown, mbd_arena *a) {
  const size_t n = (size_t)nz, rows = (size_t)nphi + 1;
  newton->nz = nz, newton->nphi = nphi;
  MBD_ARENA_REALS(a, n, &newton->moved, &newton->z, &newton->zd, &newton->x, &newton->correction);
  MBD_ARENA_REALS(a, (size_t)shown, &newton->way, &newton->rates);
  MBD_ARENA_REALS(a, rows, &newton->lam, &newton->mult, &newton->correction_mult);
  newton->trend.moved = mbd_arena_real(a, NEWTON_TREND * n);
  newton->trend.lam = mbd_arena_real(a, NEWTON_TREND * (size_t)nphi + 1);
}

static void newton_predict(mbd_sim *s, newton_memory *newton, const newton_ops *o) {
  newton_guess(s, newton);
  o->predict(s);
  o->begin(s);
}

/* The cause of the failure `status`, in its text. */
static mbd_status explain(mbd_sim *s, const newton_memory *newton, const newton_ops *o, mbd_status status,
                          mbd_error *err) {
  mbd_sim *seen;
  MBD_TRY(o->show(s, &seen, err));
  if (seen) { return newton_diagnosis(seen, newton, status, err); }
  if (status != MBD_NO_CONVERGENCE) { return status; }
  MBD_FAIL(err, status,
           "Newton's iteration of a time step did not converge in %d iterations, nor by way of shorter steps, and has "
           "left the mechanism: a smaller step",
           s->c.max_iterations);
}

mbd_status newton_solve(mbd_sim *s, newton_memory *newton, const newton_ops *o, mbd_error *err) {
  newton_predict(s, newton, o);
  mbd_status status = o->newton(s, err);
  if (status <= 0) { return status; }
  mbd_sim *seen;
  MBD_TRY(o->show(s, &seen, err));
  if (seen) { MBD_TRY(newton_advise(seen, newton, err)); }
  newton->trend.terms = 0;
  newton_predict(s, newton, o);
  status = newton_damped(s, o, err);
  if (status > 0) { status = newton_in_parts(s, newton, o, err); }
  return status <= 0 ? status : explain(s, newton, o, status, err);
}

void newton_out_of_reach(mbd_sim *s, double left, double rounding) {
  sim_warn(s, "rounding", mbd_first(s->t),
           "in the step to t = %.4g s, and maybe in others, rounding keeps Newton's iteration from the tolerance of "
           "%.2g: its last "
           "correction is %.2g, relative to 1 + |z|. A tolerance of %.1g can be reached",
           mbd_first(s->t), s->c.tolerance, left, rounding);
}
