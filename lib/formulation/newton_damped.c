/* Newton's iteration with damped corrections: after a fraction w of the correction d, the next one on the same factors, d', must be
 * shorter, |d'| <= (1 - w/4) |d| (Deuflhard 1974, natural monotonicity). It does not
 * depend on the units of the equations, and across the kinks of saturating forces the parts become as short as it takes.
 * Equations: theory.md §5.1 (5.2). */
#include "formulation/newton.h"

enum { CORRECTIONS_MAX = 60 };

static const double min_part = 1e-4;
static const double near_enough =
    0.25; /* contraction of a whole correction from which the usual iteration takes over */

/* Returns the part of the current correction that comes closer, at most `part`; 0: none. size: its length; *now: that of the next one. */
static double shorten(mbd_sim *s, const newton_ops *o, double part, double size, double *now, mbd_error *err) {
  o->keep(s);
  for (; part >= min_part; part /= 2) {
    o->go(s, part);
    if (o->correct(s, 0, err) != MBD_OK) { continue; }
    *now = o->size(s);
    if (*now <= (1 - part / 4) * size) { return part; }
  }
  return 0;
}

mbd_status newton_damped(mbd_sim *s, const newton_ops *o, mbd_error *err) {
  double part = 1;
  for (int it = 0; it < CORRECTIONS_MAX; it++) {
    double now = 0;
    MBD_TRY(o->correct(s, 1, err));
    s->stats.iterations++;
    const double size = o->size(s);
    if (isnan(size)) { break; }
    part = shorten(s, o, fmin(1, 4 * part), size, &now, err);
    if (part == 0) { break; }
    if (part == 1 && now <= near_enough * size) { return o->newton(s, err); }
  }
  return MBD_NO_CONVERGENCE; /* the caller says why */
}
