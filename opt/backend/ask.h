/* What an optimizer of one's own asks: its evaluations, with bounds, limits and stop_value applied (mbo/backend.h has the functions). */
#ifndef MBO_ASK_H
#define MBO_ASK_H

#include "evaluate/evaluator.h"

struct mbo_ask {
  evaluator *e;
  const mbo_settings *s;
  mbo_result *r;
  double *x; /* [n] the design, within the bounds */
  /* What has ended the run, in a word: "evaluations", "time", "interrupted", "stop_value", ...; NULL: it goes on. */
  const char *ended;
  int said; /* mbo_ask_end was called */
};

/* ask_free frees the memory of *a in any case. */
mbd_status ask_create(evaluator *e, const mbo_settings *s, mbo_result *r, mbo_ask *a, mbd_error *err);
void ask_free(mbo_ask *a);

#endif
