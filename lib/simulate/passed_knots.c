/* Do steps of one length pass over control points of curves over time? Where nothing is evaluated between both neighbours of one, it has no
 * effect. Equations: theory.md §5.1 (5.1). */
#include "output/time_curves.h"
#include "simulate/watch.h"

/* The largest distance of the times at which a run evaluates the equations of motion; 0: its steps end at the knots (adaptive_step.c). */
static double distance(const mbd_sim *s) {
  const mbd_tableau *tableau = s->integrator->tableau;
  double largest = tableau ? 0 : 1;
  if (tableau && tableau->error) { return 0; }
  for (int i = 1; tableau && i < tableau->stages; i++) { largest = fmax(largest, tableau->c[i] - tableau->c[i - 1]); }
  return largest * s->h;
}

/* Is nothing evaluated, at multiples of the distance d, in the run between the knots before and behind knot i? */
static int is_passed(const mbd_sim *s, const mbd_curve *k, double d, int i) {
  const double end = s->nsteps * s->h, near = 1e-9;
  const double from = i > 0 ? time_curves_knot(k, s->p->theta, i - 1) : -INFINITY;
  const double to = i < k->nknot - 1 ? time_curves_knot(k, s->p->theta, i + 1) : INFINITY;
  if (to <= 0 || from >= end || from < 0) { return 0; }
  return (floor(from / d + near) + 1) * d >= to - near * d;
}

void watch_knots(mbd_sim *s) {
  const double d = distance(s);
  for (int c = 0; c < s->ntimed && d > 0; c++) {
    const mbd_curve *k = &s->m->curve[s->timed[c]];
    double min = INFINITY;
    int passed = 0, first = 0;
    for (int i = k->nknot - 1; i >= 0; i--) {
      if (i > 0) { min = fmin(min, time_curves_knot(k, s->p->theta, i) - time_curves_knot(k, s->p->theta, i - 1)); }
      if (is_passed(s, k, d, i)) { passed++, first = i; }
    }
    if (passed == 0) { continue; }
    sim_warn(s, "curve", time_curves_knot(k, s->p->theta, first),
             "steps of %g s pass over %d of the %d control points of curve '%.100s', the first at t = %.6g s: nothing "
             "is evaluated between the "
             "neighbours of each, so that what the curve does there is lost, and derivatives by these points are not "
             "those of the motion. A step "
             "of at most %.3g s, or fewer points",
             s->h, passed, k->nknot, k->name, time_curves_knot(k, s->p->theta, first), min * s->h / d);
    return;
  }
}
