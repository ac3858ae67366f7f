#include "mechanism/run_settings.h"

#include <stdlib.h>
#include <string.h>

mbo_option *run_settings(const mbo_run_config *c, mbo_settings *s) {
  const mbo_optimizer_config *o = &c->optimizer;
  mbo_option *options = calloc((size_t)c->native.name.n + 1, sizeof *options);
  mbo_settings_init(s);
  if (!options) { return NULL; }
  s->algorithm = o->algorithm;
  s->gauss_newton = strcmp(o->hessian, "gauss_newton") == 0;
  s->exact_hessian = strcmp(o->hessian, "exact") == 0;
  s->max_iterations = o->max_iterations, s->max_evaluations = o->max_evaluations;
  s->max_time = o->max_time, s->tol_f = o->tol_f, s->tol_x = o->tol_x, s->tolerance = o->tolerance;
  s->tol_constraint = o->tol_constraint, s->stop_value = o->stop_value;
  s->seed = o->seed;
  for (int i = 0; i < c->native.name.n; i++) { options[i] = (mbo_option){c->native.name.v[i], c->native.text.v[i]}; }
  s->noption = c->native.name.n;
  s->option = options;
  return options;
}
