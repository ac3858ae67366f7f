/* A run file, read and made ready to be evaluated. Where that fails the program ends with the reason. */
#ifndef MBOPT_TEST_OPENED_RUN_H
#define MBOPT_TEST_OPENED_RUN_H

#include "mechanism/mechanism.h"
#include "test.h"

typedef struct opened_run {
  mbo_run_config *config;
  mechanism *m;
} opened_run;

/* A file by its path, with n settings SECTION.KEY=VALUE. */
static inline opened_run run_read(const char *path, int n, const char *const *set) {
  opened_run r;
  mbd_error err = {0};
  must(mbo_run_config_read(path, n, set, &r.config, &err), &err);
  must(mechanism_create(r.config, &r.m, &err), &err);
  return r;
}

/* A file below the root of the repository. */
static inline opened_run run_open(const char *file, int n, const char *const *set) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  return run_read(path, n, set);
}

static inline void run_close(opened_run *r) {
  mechanism_destroy(r->m);
  mbo_run_config_destroy(r->config);
}

/* The problem at x, whose results belong to v. */
static inline void run_evaluate(const mbo_problem *p, const double *x, unsigned want, mbo_eval *v) {
  mbd_error err = {0};
  must(p->eval(p->user, x, want, v, &err), &err);
}

#endif
