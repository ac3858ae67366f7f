#include "mechanism/case_gradient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

/* ---- memory ---- */

mbd_status case_renew(mechanism_case *load, int directions, mbd_error *err) {
  mbd_sim *s;
  MBD_TRY(mbd_sim_create(load->v->model, &load->c, load->shown ? load->shown : load->outputs, load->nterm, load->term,
                         load->npsi, directions, &s, err));
  mbd_sim_destroy(load->sim);
  load->sim = s;
  load->directions = directions;
  return MBD_OK;
}

/* A direction of the coefficients for every variable, and a simulation with room for all of them in the place of the one without. */
static mbd_status need_direct(mechanism_case *load, mbd_error *err) {
  mechanism_variant *v = load->v;
  if (!v->d) {
    v->d = mbd_zeros((size_t)v->directions, sizeof *v->d);
    MEMORY_TRY(v->d, err, "%d design variables", v->directions);
    for (int i = 0; i < v->directions; i++) { MBD_TRY(mbd_dparams_create(v->model, &v->d[i], err)); }
  }
  if (!load->grad) { load->grad = calloc((size_t)load->npsi * (size_t)v->directions + 1, sizeof *load->grad); }
  MEMORY_TRY(load->grad, err, "the gradients of case '%s'", load->config->name);
  return load->directions >= v->directions ? MBD_OK : case_renew(load, v->directions, err);
}

static mbd_status need_adjoint(mechanism_case *load, mbd_error *err) {
  const size_t nc = (size_t)mbd_model_ncoef(load->v->model);
  if (!load->gtheta) { load->gtheta = calloc((size_t)load->npsi * nc + 1, sizeof *load->gtheta); }
  if (!load->sum) { load->sum = calloc((size_t)(load->npsi * load->npsi) + 1, sizeof *load->sum); }
  if (!load->v->requested) { load->v->requested = calloc(nc + 1, 1); }
  MEMORY_TRY(load->gtheta && load->sum && load->v->requested, err, "the derivatives of case '%s' in %zu coefficients",
             load->config->name, nc);
  return MBD_OK;
}

mbd_status case_prepare(const mechanism *m, mechanism_case *load, case_request ask, mbd_error *err) {
  load->ask = ask;
  load->ask.of_sum = ask.of_sum && gradient_is_adjoint(ask.method) && case_in_sum(load) > 0;
  if (ask.gauss_newton && !load->gn) {
    const size_t n = (size_t)m->n;
    load->gn = mbd_zeros((size_t)load->npsi * n * n, sizeof *load->gn);
    MEMORY_TRY(load->gn, err, "the Gauss-Newton matrices of %d variables", m->n);
  }
  if (ask.method == GRADIENT_DIRECT) { return need_direct(load, err); }
  return gradient_is_adjoint(ask.method) ? need_adjoint(load, err) : MBD_OK;
}

/* ---- the referee, lanes ---- */

const char **case_output_names(const mechanism_case *load) {
  const int n = mbd_outputs_count(load->outputs);
  const char **name = mbd_zeros((size_t)n, sizeof *name);
  for (int i = 0; name && i < n; i++) { name[i] = mbd_outputs_name(load->outputs, i); }
  return name;
}

mbd_status case_make_lanes(const mechanism_case *load, int width, int np, mbd_lanes **out, mbd_error *err) {
  const char **name = case_output_names(load);
  *out = NULL;
  MEMORY_TRY(name, err, "the lanes of case '%s'", load->config->name);
  const mbd_status status =
      mbd_lanes_create(width, mbo_model_file_spec(load->v->file), &load->c, mbd_outputs_count(load->outputs), name,
                       load->nterm, load->term, load->npsi, np, out, err);
  free(name);
  return status;
}

mbd_status case_make_designs(mechanism_case *load, int width, mbd_error *err) {
  const size_t w = (size_t)width, nc = (size_t)mbd_model_ncoef(load->v->model);
  if (load->designs) { return MBD_OK; }
  case_designs *d = load->designs = mbd_zeros(1, sizeof *d);
  if (d) { d->theta = mbd_zeros(w * (nc + (size_t)load->npsi), sizeof *d->theta); }
  if (!d || !d->theta) {
    case_free_designs(load);
    return MEMORY_NONE(err, "the designs of case '%s'", load->config->name);
  }
  d->psi = d->theta + w * nc;
  const mbd_status status = case_make_lanes(load, width, 0, &d->lanes, err);
  return status == MBD_NO_MEMORY ? status : MBD_OK;
}

void case_free_designs(mechanism_case *load) {
  case_designs *d = load->designs;
  if (!d) { return; }
  if (load->lanes == d->lanes) { load->lanes = NULL; }
  mbd_lanes_destroy(d->lanes);
  free(d->theta), free(d);
  load->designs = NULL;
}

mbd_status case_referee_of(const mechanism_case *load, int nterm, const mbd_term *term, int npsi, mbd_referee **out,
                           mbd_error *err) {
  const int n = mbd_outputs_count(load->outputs);
  const char **name = case_output_names(load);
  MEMORY_TRY(name, err, "the referee");
  mbd_status status =
      mbd_referee_create(mbo_model_file_spec(load->v->file), &load->c, n, name, nterm, term, npsi, out, err);
  free(name);
  return status;
}

mbd_status case_make_referee(mechanism_case *load, mbd_error *err) {
  return case_referee_of(load, load->nterm, load->term, load->npsi, &load->referee, err);
}

/* ---- sharpness ---- */

mbd_status case_set_sharpness(mechanism_case *load, int k, double sharpness, mbd_error *err) {
  for (int i = 0; i < load->nterm; i++) {
    if (load->term[i].psi != k) { continue; }
    if (load->term[i].width > 0) {
      load->term[i].width = 1 / sharpness;
    } else {
      load->term[i].sharpness = sharpness;
    }
  }
  MBD_TRY(case_renew(load, load->directions, err));
  case_free_designs(load);
  mbd_sim_destroy(load->column), mbd_referee_destroy(load->referee);
  load->column = NULL, load->referee = NULL;
  return MBD_OK;
}

/* ---- one run ---- */

int case_set_sums(const mechanism *m, mechanism_case *load) {
  int n = 1;
  memset(load->sum, 0, (size_t)(load->npsi * load->npsi) * sizeof *load->sum);
  for (int k = 0; k < case_in_sum(load); k++) { load->sum[k] = case_weight(m, load, k); }
  for (int k = case_in_sum(load); k < load->npsi; k++) { load->sum[n++ * load->npsi + k] = 1; }
  return n;
}

size_t case_memory_limit(const mechanism *m) {
  const double bytes = m->config->gradient.memory_limit * 1048576 / m->nload;
  return m->config->gradient.memory_limit > 0 ? (size_t)fmax(bytes, 1) : 0;
}

/* Before a run begins, MBD_BAD_INPUT of an adjoint means a memory limit that is too small, and MBD_NO_MEMORY its trajectory. */
static mbd_status name_limit(mbd_status status, const mechanism *m, mbd_error *err) {
  const double limit = m->config->gradient.memory_limit;
  if (status == MBD_BAD_INPUT && isnan(err->time)) {
    return mbd_locate(err, status, "%s: [gradient] memory_limit = %g MiB: ", m->config->path, limit);
  }
  if (status != MBD_NO_MEMORY || !err) { return status; }
  const mbd_error told = *err;
  snprintf(err->text, sizeof err->text,
           "%s: %.700s; [gradient] memory_limit, now %g MiB (0: no limit), can have fewer of its states kept and steps "
           "taken again",
           m->config->path, told.text, limit);
  return status;
}

static mbd_status run_adjoint(mechanism *m, mechanism_case *load, mbd_observer observer, void *user, mbd_error *err) {
  const mechanism_variant *v = load->v;
  const mbd_adjoint_options a = {.continuous = load->ask.method == GRADIENT_CONTINUOUS_ADJOINT,
                                 .memory_limit = case_memory_limit(m),
                                 .requested = v->requested,
                                 .nsum = load->ask.of_sum ? case_set_sums(m, load) : 0,
                                 .sum = load->sum};
  MBD_TRY(name_limit(mbd_sim_adjoint(load->sim, v->params, &a, load->psi, load->gtheta, observer, user, err), m, err));
  load->stored = mbd_sim_stats(load->sim)->memory;
  load->repeated = mbd_sim_stats(load->sim)->recomputed;
  mbd_sim_check_directions(load->sim, m->n, m->name, v->start, v->index, v->value);
  return MBD_OK;
}

mbd_status case_run(mechanism *m, mechanism_case *load, mbd_error *err) {
  const int direct = load->ask.method == GRADIENT_DIRECT;
  const mbd_observer observer = load->observer ? load->observer : mechanism_stop_requested;
  void *const user = load->observer ? load->observed : m;
  mbd_sim_watch(load->sim, load->observer != NULL); /* else outputs other than those of objectives are not used */
  mbd_sim_watch_outputs(load->sim, NULL);
  load->lanes = NULL;
  mbd_sim_as_with_gradient(load->sim, m->as_with_gradient);
  const mbd_status status =
      gradient_is_adjoint(load->ask.method)
          ? run_adjoint(m, load, observer, user, err)
          : mbd_sim_run(load->sim, load->v->params, direct ? load->v->directions : 0, load->v->d, load->psi,
                        direct ? load->grad : NULL, load->ask.gauss_newton ? load->gn : NULL, observer, user, err);
  mbd_sim_watch(load->sim, 1);
  return status;
}

/* ---- results of the run ---- */

double case_to_variable(const mechanism_variant *v, int j, const double *gtheta) {
  double sum = 0;
  for (int i = v->start[j]; i < v->start[j + 1]; i++) { sum += v->value[i] * gtheta[v->index[i]]; }
  return sum;
}

double case_derivative(const mechanism_case *load, int k, int j) {
  return gradient_is_adjoint(load->ask.method)
             ? case_to_variable(load->v, j, load->gtheta + (size_t)k * (size_t)mbd_model_ncoef(load->v->model))
             : load->grad[k * load->v->directions + j];
}

void case_row(const mechanism *m, const mechanism_case *load, int k, double *g) {
  if (m->n == 0) { return; } /* there is no memory for gradients */
  if (!gradient_is_adjoint(load->ask.method)) {
    memcpy(g, load->grad + k * load->v->directions, (size_t)m->n * sizeof *g);
    return;
  }
  const int row = load->ask.of_sum ? 1 + k - case_in_sum(load) : k;
  const double *gtheta = load->gtheta + (size_t)row * (size_t)mbd_model_ncoef(load->v->model);
  for (int j = 0; j < m->n; j++) { g[j] = case_to_variable(load->v, j, gtheta); }
}

void case_add_sum(const mechanism *m, const mechanism_case *load, double *g) {
  for (int j = 0; load->ask.of_sum && j < m->n; j++) { g[j] += case_to_variable(load->v, j, load->gtheta); }
  for (int k = 0; !load->ask.of_sum && k < case_in_sum(load); k++) {
    for (int j = 0; j < m->n; j++) { g[j] += case_weight(m, load, k) * load->grad[k * load->v->directions + j]; }
  }
}

int case_direction(int n_variables, const mechanism_variant *v, const double *w, int *index, double *value) {
  const int nc = mbd_model_ncoef(v->model);
  int n = 0;
  memset(value, 0, (size_t)nc * sizeof *value);
  for (int j = 0; j < n_variables; j++) {
    for (int i = v->start[j]; w[j] != 0 && i < v->start[j + 1]; i++) { value[v->index[i]] += v->value[i] * w[j]; }
  }
  for (int k = 0; k < nc; k++) {
    if (value[k] != 0) { index[n] = k, value[n++] = value[k]; }
  }
  return n;
}
