/* What stands behind the handle of a run file. */
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
  mbo_option *option;  /* of the settings; NULL until asked for */
  double *g, *c, *jac; /* [n], [nc], [nc][n] where the caller wants none */
  void (*on_iteration)(void *user, const mbo_iteration *it);
  void *user;       /* of it */
  json_t *warnings; /* of the last evaluation; NULL until asked for */
  char *warning;    /* the one that was told last */
};

/* x, or the start. Warnings of an earlier evaluation are gone. */
const double *run_begin(mbo_run *r, const double *x);

/* Case number i; NULL with MBD_BAD_INPUT: there is none. */
mechanism_case *run_case(const mbo_run *r, int i, mbd_error *err);

#endif
