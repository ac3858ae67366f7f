/* Newton's iteration of a time step, for all implicit formulations. */
#ifndef MBD_NEWTON_H
#define MBD_NEWTON_H

#include "state/sim.h"

enum { NEWTON_TREND = 5 };

/* Backward differences of what the last steps have changed, from which the guess of the next step is extrapolated (newton_guess.c) */
typedef struct newton_trend {
  mbd_real *moved; /* [NEWTON_TREND][nz] of what steps move beyond constant accelerations */
  mbd_real *lam;   /* [NEWTON_TREND][nphi] of the changes of the multipliers */
  mbd_real terms;  /* number of them that the guess adds up */
} newton_trend;

/* Memory of the iterations of a step: [nz], [nphi] */
typedef struct newton_memory {
  int nz, nphi;                                      /* of the coordinates that the step is in */
  mbd_real *moved;                                   /* z less that of the node before */
  mbd_real *z, *zd, *lam;                            /* the end of a part of a step (newton_parts.c) */
  mbd_real *x, *correction, *mult, *correction_mult; /* an iterate (newton_damped.c) */
  mbd_real *way,
      *rates; /* path along which the cause of a failure is searched (newton_diagnosis.c), in joint coordinates */
  newton_trend trend; /* of formulations that remember their steps, else zero */
} newton_memory;

/* shown: number of joint coordinates */
void newton_layout(newton_memory *newton, int nz, int nphi, int shown, mbd_arena *a);

/* One kind of step: its unknowns are `moved` and s->now.lam, or what it has in their place. */
typedef struct newton_ops {
  void (*predict)(mbd_sim *s); /* what the guess consists of beside s->now.z and `moved` */
  /* Contributions of the node before, for s->h, s->scheme, s->t; the guess is in s->now.z, `moved` and s->now.lam. */
  void (*begin)(mbd_sim *s);
  mbd_status (*newton)(mbd_sim *s, mbd_error *err); /* from there on, by the usual iteration */
  const mbd_real *(*velocities)(const mbd_sim *s);  /* [nz] at its end */

  /* The correction at the iterate, with new factors or on the current ones; its length. */
  mbd_status (*correct)(mbd_sim *s, int renew, mbd_error *err);
  double (*size)(const mbd_sim *s);
  void (*keep)(mbd_sim *s);            /* the iterate and its correction */
  void (*go)(mbd_sim *s, double part); /* to the kept iterate and this part of its correction */

  /* Where the cause of a failure is searched: *seen := a simulation in joint coordinates at the iterate; `rates` := its velocities at now.z,
   * and `way` := the last correction or its negative, from now.z to its other end. *seen NULL: joint coordinates do not follow from the iterate. */
  mbd_status (*show)(mbd_sim *s, mbd_sim **seen, mbd_error *err);
} newton_ops;

/* Solves the equations of the step from s->before: by the usual iteration from the extrapolated guess; else from constant accelerations
 * by the methods below; else MBD_NO_CONVERGENCE with the cause in the text. */
mbd_status newton_solve(mbd_sim *s, newton_memory *newton, const newton_ops *o, mbd_error *err);

/* The guess, in s->now.z and `moved`, and the change of the multipliers [nphi] that goes with it. A run begins with no trend; a step that
 * has been solved is remembered, and the trend is part of the state of its node, newton_trend_reals numbers. */
void newton_guess(mbd_sim *s, newton_memory *newton);
void newton_guess_change(const newton_memory *newton, mbd_real *change);
void newton_forget(newton_memory *newton);
void newton_remember(const mbd_sim *s, newton_memory *newton);
size_t newton_trend_reals(const newton_memory *newton);
void newton_copy_trend(newton_memory *newton, sim_copy copy, mbd_real **at);

/* After the usual iteration has failed: the same equations from the present guess by damped corrections (newton_damped.c), and by
 * solutions for shorter steps (newton_parts.c). MBD_NO_CONVERGENCE without a text. */
mbd_status newton_damped(mbd_sim *s, const newton_ops *o, mbd_error *err);
mbd_status newton_in_parts(mbd_sim *s, newton_memory *newton, const newton_ops *o, mbd_error *err);

/* newton_advise, before the first of these methods: a warning that names the force with a kink, if there is one, once in a run.
 * newton_diagnosis, after the last: the status, with the cause of the failure. Both look along `way` of `show` (newton_diagnosis.c). MBD_NO_MEMORY. */
mbd_status newton_advise(mbd_sim *seen, const newton_memory *step, mbd_error *err);
mbd_status newton_diagnosis(mbd_sim *seen, const newton_memory *step, mbd_status status, mbd_error *err);

/* ---- thresholds ---- */

/* Iterations are tangents in ALI3-P. */
enum {
  NEWTON_PATIENCE = 6,   /* iterations after which the tolerance is enough near a singular position */
  NEWTON_IMPATIENCE = 3, /* iterations after which corrections are taken in parts */
  NEWTON_RECENT = 10,    /* steps in which a tangent is not renewed for corrections that may be of rounding */
  NEWTON_ROUNDED = 3,    /* corrections of rounding alone after which smaller ones are not waited for */
  NEWTON_MULTIPLIER_ITERATIONS = 12, /* passes of the multipliers in one correction */
  NEWTON_REACHES_MAX = 2 /* solutions for nearly dependent constraints (near_singular.h) in one correction */
};

static const double newton_rounding =
    1e-14; /* corrections up to which rounding is supposed, relative to 1 + |z|, if they no longer decrease */
static const double newton_slow = 0.1;       /* contraction from which on implicit_step.c renews its tangent */
static const double newton_unknown = 0.5;    /* contraction that is supposed before one is measured */
static const double newton_poor = 0.02;      /* contraction on an older tangent, from which on a new one is better */
static const double newton_lost = 0.5;       /* contraction from which on the iteration returns to the guess */
static const double newton_worth = 0.5;      /* error by another term of the guess to that without it */
static const double newton_left_over = 0.01; /* error of a*, or of forces, that may remain, relative to the tolerance */
static const double newton_contradiction =
    1e-3; /* part of the violation that may be a contradiction of redundant rows */
static const double newton_rounding_of_forces = 1e-9; /* residual of converged forces, relative to 1 + |lam| */

/* A warning, once in a run, that corrections end above the tolerance of the case: the last one has the length `left`, relative to 1 + |z|,
 * and rounding allows up to `rounding`. */
void newton_out_of_reach(mbd_sim *s, double left, double rounding);

/* Part of a correction [n] to take. Where a force saturates (friction), whole corrections can jump to and fro across the
 * bend: after a part w of the one before, `last`, the secant through both vanishes at
 *   w last.(last - now)/|last - now|^2    of the new one: 1/2 for a correction that comes back reversed, 1 for one that has
 * shrunk by what was taken. One that grows in the same direction is taken whole. Of several designs the least part. */
static inline double newton_part(int n, const mbd_real *last, const mbd_real *now, double part) {
  mbd_value along = 0, change2 = 0;
  for (int j = 0; j < n; j++) {
    const mbd_value change = mbd_re(last[j]) - mbd_re(now[j]);
    along += mbd_re(last[j]) * change, change2 += change * change;
  }
  const mbd_value secant = mbd_re(mbd_select(change2 > 0, part * along / change2, 1));
  return fmin(1, fmax(mbd_min(mbd_select(secant > 0, secant, 1)), 0.05));
}

#endif
