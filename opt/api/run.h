/* The structure that a run file's handle refers to. */
#ifndef MBO_API_RUN_H
#define MBO_API_RUN_H

#include <jansson.h>

#include "mechanism/mechanism.h"
#include "mbo/run.h"

struct mbo_run {
  char *path;
  int nset; /* settings so far */
  char **set;
  mbo_run_config *config;
  mechanism *m;
  mbo_problem problem;
  mbo_option *option;  /* of the settings; NULL before the first use */
  double *g, *c, *jac; /* [n], [nc], [nc][n] used where the caller passes NULL */
  void (*on_iteration)(void *user, const mbo_iteration *it);
  void *user;       /* first argument of it */
  json_t *warnings; /* of the last evaluation; NULL before the first use */
  char *warning;    /* the text that was returned last */
};

/* Returns x, or the start if x is NULL, and drops the warnings of earlier evaluations. */
const double *run_begin(mbo_run *r, const double *x);

/* Case number i; NULL with MBD_BAD_INPUT: it does not exist. */
mechanism_case *run_case(const mbo_run *r, int i, mbd_error *err);

#endif
