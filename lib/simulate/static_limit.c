/* Reports why a path of equilibria ends: drives demand a position that the constraints do not allow; the stiffness
 * vanishes along some motion at a limit point; or a force jumps.
 * Equations: theory.md §5.7 (5.13). */

#include "simulate/static.h"

static const double steeper = 8; /* the slope grows by at least this factor from the start of the step: a limit point */

/* Returns 1 if there is a position near the present one with Phi = 0 at s->t. Leaves the closest position, with its
 * rows. */
static int can_close(mbd_sim *s) {
  s->start->without_held = 1;
  (void)assembly_close_damped(s);
  start_evaluate_rows(s);
  return mbd_norm_inf(s->eq.nrow, s->start->F) <= start_held_to;
}

/* Returns the slope of the first correction of Newton's iteration towards the time `failed`, and the names of the
 * coordinates that it changes most. If the correction cannot be computed: infinite, and the verdict v on the
 * stiffness. */
static double last_tangent(mbd_sim *s, const static_end *e, equilibrium_verdict *v, char *names, size_t size) {
  const sim_equilibrium *at = s->start->equilibrium;
  s->t = e->failed;
  if (equilibrium_system(s, NULL) != MBD_OK || equilibrium_correct(s, 0, NULL) != MBD_OK ||
      isnan(mbd_norm_inf(s->m->nz, at->dz))) {
    equilibrium_judge(s, v);
    return INFINITY;
  }
  equilibrium_list_moving(s, at->dz, 3, names, size);
  return mbd_norm_inf(s->m->nz, at->dz) / (mbd_same(e->failed) - mbd_same(e->last));
}

mbd_status static_lost(mbd_sim *s, const static_end *e, mbd_error *err) {
  char names[200], left[START_ROW_LEFT];
  equilibrium_verdict v;
  const double slope = last_tangent(s, e, &v, names, sizeof names);
  s->t = e->to;
  /* No position satisfies the constraints at the next time: the drives are the cause. */
  if (!can_close(s)) {
    const int worst = start_worst_row(s, s->eq.nrow);
    s->t = e->last;
    MBD_FAIL(
        err, MBD_NO_CONVERGENCE,
        "beyond this time the mechanism does not reach the position that its drives require: at t = %.6g s equation "
        "%s; expected drives that end or turn before it",
        mbd_first(e->to), start_row_left(s, worst, mbd_first(s->start->F[worst]), "", left));
  }
  /* The stiffness cannot be factored at the time that failed: the verdict is that on this stiffness. */
  s->t = e->last;
  if (isinf(slope)) {
    MBD_FAIL(
        err, MBD_SINGULAR,
        "the stiffness vanishes%s%s at this time: a limit point, or a bifurcation (buckling). Expected other times "
        "of the nodes, other loads, or a small asymmetry of the model or of its load",
        v.nfloating ? " along " : "", v.floats);
  }
  /* The tangent dz/dt grows without bound towards a limit point. If it has not grown, a force jumps. */
  if (slope < steeper * e->slope) {
    MBD_FAIL(err, MBD_NO_CONVERGENCE,
             "the equilibrium cannot be followed beyond this time: Newton's iteration does not converge, however near "
             "the next one; it first moves %s (a force that jumps there?). A smoother law of the force, or of the load",
             names);
  }
  MBD_FAIL(err, MBD_SINGULAR,
           "limit point: beyond this time there is no equilibrium near; the stiffness vanishes along %s, where the "
           "mechanism snaps away. Expected loads that stay below those of this time, a drive that moves along in place "
           "of the load (it can go on past the limit), or analysis = motion, which shows the snap",
           names);
}
