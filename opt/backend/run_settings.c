#include "backend/run_settings.h"

#include <stdlib.h>
#include <string.h>

static int find_backend(const char *name, mbo_backend_info *info) {
  for (int i = 0; mbo_backend_at(i, info); i++) {
    if (strcmp(info->name, name) == 0) { return 1; }
  }
  return 0;
}

int run_takes_gauss_newton(const char *backend) {
  mbo_backend_info info;
  return find_backend(backend, &info) && (info.caps & MBO_CAP_GAUSS_NEWTON) != 0;
}

static int is_built_in(const char *backend) {
  mbo_backend_info info;
  return find_backend(backend, &info) && !info.package;
}

static int has_curved_constraints(const mbo_problem *p) {
  int linears = 0;
  for (int i = 0; i < p->nc; i++) { linears += p->c_linear && p->c_linear[i]; }
  return linears < p->nc;
}

static int is_cheap(const mbo_run_config *c, const mbo_problem *p) {
  return p->n <= DIRECT_MAX && c->gradient.memory_limit == 0;
}

/* Are there means of squares across scenarios? */
static int has_means(const mbo_run_config *c) {
  for (int i = 0; i < c->nobjective; i++) {
    if (*c->objective[i].across) { return 1; }
  }
  return 0;
}

const char *run_backend(const mbo_run_config *c, const mbo_problem *p) {
  const mbo_optimizer_config *o = &c->optimizer;
  if (strcmp(o->backend, "auto") != 0) { return o->backend; }
  const int open = strcmp(o->hessian, "auto") == 0, asked = strcmp(o->hessian, "gauss_newton") == 0;
  const int left_out = !*o->algorithm && c->native.name.n == 0;
  const int sum = p->has_gauss_newton && strcmp(c->objectives.combine, "sum") == 0;
  const int squares = sum && p->nc == 0 && (asked || (open && is_cheap(c, p)));
  if (squares && left_out) { return RUN_LEAST_SQUARES; }
  return is_built_in("ipopt") || !is_built_in("nlopt") ? "ipopt" : "nlopt"; /* the package that is missing is IPOPT's */
}

const char *run_hessian(const mbo_run_config *c, const mbo_problem *p) {
  const mbo_optimizer_config *o = &c->optimizer;
  if (strcmp(o->hessian, "auto") != 0) { return o->hessian; }
  const int takes = run_takes_gauss_newton(run_backend(c, p));
  const int loses = has_means(c) && has_curved_constraints(p);
  return p->has_gauss_newton && is_cheap(c, p) && takes && !loses ? "gauss_newton" : "limited_memory";
}

const char *run_other_hessian(const mbo_run_config *c, const mbo_problem *p) {
  const int asked = strcmp(c->optimizer.hessian, "gauss_newton") == 0;
  return asked && p->has_gauss_newton && has_curved_constraints(p) && is_cheap(c, p) ? "auto" : NULL;
}

/* Copies the keys of [optimizer] and the pairs of [native]. */
mbo_option *run_settings(const mbo_run_config *c, const mbo_problem *p, mbo_settings *s) {
  const mbo_optimizer_config *o = &c->optimizer;
  const char *hessian = run_hessian(c, p);
  mbo_option *options = calloc((size_t)c->native.name.n + 1, sizeof *options);
  mbo_settings_init(s);
  if (!options) { return NULL; }
  s->algorithm = o->algorithm;
  s->gauss_newton = strcmp(hessian, "gauss_newton") == 0;
  s->leave_gauss_newton = s->gauss_newton && strcmp(o->hessian, "auto") == 0 && has_curved_constraints(p);
  s->exact_hessian = strcmp(hessian, "exact") == 0;
  s->scale_by_curvature = strcmp(o->scaling, "curvature") == 0;
  s->max_iterations = o->max_iterations, s->max_evaluations = o->max_evaluations;
  s->max_time = o->max_time, s->tol_f = o->tol_f, s->tol_x = o->tol_x, s->tolerance = o->tolerance;
  s->tol_offset = o->tol_offset;
  s->tol_constraint = o->tol_constraint, s->stop_value = o->stop_value;
  s->seed = o->seed;
  s->command = o->command, s->answer_within = o->answer_within;
  for (int i = 0; i < c->native.name.n; i++) { options[i] = (mbo_option){c->native.name.v[i], c->native.text.v[i]}; }
  s->noption = c->native.name.n;
  s->option = options;
  return options;
}
