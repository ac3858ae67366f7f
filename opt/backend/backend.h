/* The functions of a backend, which translate between the evaluator and a library, and do nothing else. */
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
  /* Runs from the start; the evaluator keeps the best design. Sets status, code, text, iterations, restarts. NULL: built without its
   * library. */
  mbd_status (*solve)(evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err);
} backend_ops;

/* Backends use y = x / scale. Computes x [n] in user units, within the bounds. The start and the bounds are exact to the last bit, so that
 * rounding neither simulates the start twice nor moves a design off a bound. Returns x. */
const double *backend_to_user(const mbo_problem *p, const double *y, double *x);

/* The largest entry of y - P(y - g), where P is the projection on the bounds: 0 at a minimum, to first order. */
double backend_projected_gradient(int n, const double *y, const double *g, const double *lower, const double *upper);

/* Gives the caller of mbo_solve or of a run the fields of *own that its structure, of `size` bytes, has. Arrays of other fields are freed,
 * because the caller cannot do it. */
void result_give(mbo_result *own, mbo_result *r, size_t size);

/* Appends to the text of a result, after a semicolon if there is one already. */
void result_add_text(mbo_result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A check for a library that has a single algorithm, which needs gradients; name: name of the library in messages. */
mbd_status backend_check_single(const mbo_problem *p, const mbo_settings *s, const char *name, mbd_error *err);

#endif
