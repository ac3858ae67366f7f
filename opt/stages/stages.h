/* An optimization whose constraints are met by true values, and whose objectives are low in true values.
 *
 * An optimizer sees smooth extrema c. The true ones t at its result can violate the limits, or lie inside of those that c has reached. Then another
 * optimization follows, a stage, which begins at this result with the constraints
 *   c + shift,   shift = t - c +- margin   at its start
 * and with a sharpness that is GROWTH times that of the stage before, in the first stages, of the constraints for which this was so. As c comes
 * closer to t, the shift says more of other designs; where a stage moves nothing, t is the limit less the margin. A constraint needs no other stage if
 * t does not violate its limit, and leaves no more than some margins of it where c + shift has reached it (theory.md §6).
 *
 * A smooth objective f and the true one differ, at the optimum of f, by no less than what sharper objectives can gain. Once limits are met, and as long as this is more
 * than what is left of a limit and such stages lower the true objective by that much, the next stage has GROWTH times sharper objectives, three times at
 * most. The result is that of the stage with the lowest true objective among those whose true values meet all limits. */
#ifndef MBO_STAGES_H
#define MBO_STAGES_H

#include "mbo/backend.h"
#include "mechanism/mechanism.h"

/* A stage that has ended, by its result. Arrays [nobjective + nconstraint]; sharpness is NaN of what is neither a smooth extremum nor a quantile. */
typedef struct stage {
  mbo_status status;
  int designs; /* simulated in it, or read from a journal */
  double f, f_true;
  double worst_sharpness;        /* of the worst case of the objectives */
  double *sharpness, *shift;     /* of its quantities; objectives have no shift */
  double *smooth, *truth, *time; /* their values, true values and when these occur [s] */
} stage;

typedef struct stages {
  int n;
  int best; /* number of the one whose result it is */
  stage *stage;
  /* Called when stage number i, from 0, is to be followed by another one; may be NULL. */
  void (*next)(void *user, const struct stages *list, int i);
  void *user;
} stages;

enum { STAGES_MAX = 8 };

/* mbo_solve in stages. The result is that of the best one, its objective f as the run file describes it, with the counts of all and the largest true violation; if true values still violate
 * a limit, no status says that it has converged, and the text names it. Limits of designs and of time hold for all stages together. Without smoothed quantities there is
 * one stage, and *list stays empty. The mechanism has the sharpness of the run file again afterwards. */
mbd_status stages_solve(mechanism *m, const char *backend, const mbo_problem *p, const mbo_settings *s, stages *list,
                        mbo_result *out, mbd_error *err);
void stages_free(stages *list);

/* Gives a mechanism with the same quantities the sharpness and the shifts of a stage. */
mbd_status stages_take(mechanism *m, const stage *k, mbd_error *err);

/* The largest amount by which true values were outside of their limits at the result of a stage. */
double stages_violation(const mechanism *m, const stage *k);

#endif
