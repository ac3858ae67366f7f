/* The structure that a run file's handle refers to. */
#ifndef MBO_API_RUN_H
#define MBO_API_RUN_H

#include <jansson.h>

#include "mechanism/mechanism.h"
#include "mbo/run.h"

/* Warnings of the last evaluation, made when first asked for. All zero: none yet. */
typedef struct warning_list {
  json_t *all;
  char *text; /* that was returned last */
} warning_list;
/* Warning i of the last evaluation as a sentence; NULL past the end. */
const char *warning_at(warning_list *list, mechanism *m, int i);
void warning_forget(warning_list *list);

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
  void *user; /* first argument of it */
  warning_list warnings;
};

/* Returns x, or the start if x is NULL, and drops the warnings of earlier evaluations. */
const double *run_begin(mbo_run *r, const double *x);

/* Case number i; NULL with MBD_BAD_INPUT: it does not exist. */
mechanism_case *run_case(const mbo_run *r, int i, mbd_error *err);

#endif
