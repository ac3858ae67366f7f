/* What one backend file provides: translation only. */
#ifndef MBO_BACKEND_OPS_H
#define MBO_BACKEND_OPS_H

#include "evaluate/evaluator.h"
#include "mbo/backend.h"

typedef struct backend_ops {
  const char *name, *doc;
  unsigned caps;                                                /* MBO_CAP_... */
  const char *version;                                          /* of the library */
  int (*algorithm)(int i, const char **name, const char **doc); /* 0 past the end */
  /* Checks of settings against the problem before anything is simulated; may be NULL. */
  mbd_status (*check)(const mbo_problem *p, const mbo_settings *s, mbd_error *err);
  /* Run from the start; leaves the best design to the evaluator. Fills status, code, text, iterations, restarts. NULL: built without
   * its library. */
  mbd_status (*solve)(evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err);
} backend_ops;

/* Backends see y = x / scale. Back to x [n] in user units, within the bounds; the start and the bounds come back to the
 * last bit, so that rounding neither simulates the start twice nor leaves a bound that is reached. Returns x. */
const double *backend_to_user(const mbo_problem *p, const double *y, double *x);

/* Part of the check of a library that has one algorithm, which takes gradients; name: how the library is called in messages. */
mbd_status backend_check_single(const mbo_problem *p, const mbo_settings *s, const char *name, mbd_error *err);

#endif
