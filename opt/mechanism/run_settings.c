#include "mechanism/run_settings.h"

#include <stdlib.h>
#include <string.h>

int run_takes_gauss_newton(const char *backend) {
  mbo_backend_info info;
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    if (strcmp(info.name, backend) == 0) { return (info.caps & MBO_CAP_GAUSS_NEWTON) != 0; }
  }
  return 0;
}

static int has_curved_constraints(int nc, const unsigned char *linear) {
  int linears = 0;
  for (int i = 0; i < nc; i++) { linears += linear && linear[i]; }
  return linears < nc;
}

const char *run_hessian(const mbo_run_config *c, const run_shape *shape) {
  const mbo_optimizer_config *o = &c->optimizer;
  if (strcmp(o->hessian, "auto") != 0) { return o->hessian; }
  const int cheap = shape->n <= MOST_DIRECT && c->gradient.memory_limit == 0;
  const int fits = shape->has_gauss_newton && !has_curved_constraints(shape->nc, shape->c_linear);
  return fits && cheap && run_takes_gauss_newton(o->backend) ? "gauss_newton" : "limited_memory";
}

mbo_option *run_settings(const mbo_run_config *c, const mbo_problem *p, mbo_settings *s) {
  const mbo_optimizer_config *o = &c->optimizer;
  const char *hessian = run_hessian(c, &(run_shape){p->n, p->has_gauss_newton, p->nc, p->c_linear});
  mbo_option *options = calloc((size_t)c->native.name.n + 1, sizeof *options);
  mbo_settings_init(s);
  if (!options) { return NULL; }
  s->algorithm = o->algorithm;
  s->gauss_newton = strcmp(hessian, "gauss_newton") == 0;
  s->exact_hessian = strcmp(hessian, "exact") == 0;
  s->max_iterations = o->max_iterations, s->max_evaluations = o->max_evaluations;
  s->max_time = o->max_time, s->tol_f = o->tol_f, s->tol_x = o->tol_x, s->tolerance = o->tolerance;
  s->tol_constraint = o->tol_constraint, s->stop_value = o->stop_value;
  s->seed = o->seed;
  for (int i = 0; i < c->native.name.n; i++) { options[i] = (mbo_option){c->native.name.v[i], c->native.text.v[i]}; }
  s->noption = c->native.name.n;
  s->option = options;
  return options;
}
