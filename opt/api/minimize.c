/* Optimizations. */
#include <stdlib.h>

#include "api/run.h"
#include "mechanism/run_settings.h"

const mbo_problem *mbo_run_problem(mbo_run *r) {
  return &r->problem;
}

mbd_status mbo_run_settings(mbo_run *r, mbo_settings *s, mbd_error *err) {
  mbo_option *option = run_settings(r->config, s);
  if (!option) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the settings of the optimizer"); }
  free(r->option);
  r->option = option;
  s->stop = r->m->stop;
  return MBD_OK;
}

mbd_status mbo_run_minimize(mbo_run *r, const char *backend, const mbo_settings *s, mbo_result *out, mbd_error *err) {
  const char *by = backend ? backend : r->config->optimizer.backend;
  mbo_settings settings;
  char *print = NULL;
  *out = (mbo_result){0};
  if (r->m->nobjective == 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: no [objective NAME]; expected at least one to minimize", r->path);
  }
  MBD_TRY(mbo_run_settings(r, &settings, err));
  if (s) { settings = *s; }
  if (settings.journal && !settings.fingerprint) {
    print = mechanism_fingerprint(r->m);
    if (!print) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the fingerprint of the run"); }
    settings.fingerprint = print;
  }
  run_begin(r, NULL);
  mbd_status status = mbo_check(by, &r->problem, &settings, err);
  if (status == MBD_OK) { status = mbo_solve(by, &r->problem, &settings, out, err); }
  free(print);
  return status;
}
