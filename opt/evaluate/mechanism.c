#include "evaluate/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* ---- setting up ---- */

static mbd_status locate(mbd_status status, const char *what, const char *name, const mbo_run_config *c,
                         mbd_error *err) {
  char text[sizeof err->text];
  if (status == MBD_OK || !err) { return status; }
  memcpy(text, err->text, sizeof text);
  snprintf(err->text, sizeof err->text, "%s: [%s %s] %.800s", c->path, what, name, text);
  return status;
}

static mbd_status read_model(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const char **scalar = calloc((size_t)m->n + 1, sizeof *scalar);
  if (!scalar) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the design variables"); }
  for (int i = 0; i < m->n; i++) { scalar[i] = c->design[i].scalar; }
  mbd_status status = mbo_model_file_read(c->model_path, c->scalar_name.n, (const char *const *)c->scalar_name.v,
                                          (const char *const *)c->scalar_text.v, &m->file, err);
  for (int i = 0; i < m->n && status == MBD_OK; i++) { /* one at a time, to say which section is wrong */
    int known = 0;
    for (int k = 0; k < mbo_model_file_nscalar(m->file); k++) {
      known |= strcmp(mbo_model_file_scalar(m->file, k, NULL), scalar[i]) == 0;
    }
    if (!known) {
      status = locate(mbo_model_file_vary(m->file, 1, &scalar[i], err), "design", c->design[i].name, c, err);
    }
  }
  if (status == MBD_OK) { status = mbo_model_file_vary(m->file, m->n, scalar, err); }
  free(scalar);
  MBD_TRY(status);
  status = mbd_model_create(mbo_model_file_spec(m->file), &m->model, err);
  if (status != MBD_OK && err) {
    char text[sizeof err->text];
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "%s: %.800s", c->model_path, text);
  }
  return status;
}

static double default_scale(const mbo_design_config *d, double start) {
  if (fabs(start) > 0) { return fabs(start); }
  if (isfinite(d->upper - d->lower) && d->upper > d->lower) { return d->upper - d->lower; }
  return 1;
}

static mbd_status set_up_design(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  for (int i = 0; i < m->n; i++) {
    const mbo_design_config *d = &c->design[i];
    double nominal = 0;
    for (int k = 0; k < mbo_model_file_nscalar(m->file); k++) {
      double value;
      if (strcmp(mbo_model_file_scalar(m->file, k, &value), d->scalar) == 0) { nominal = value; }
    }
    m->name[i] = d->name;
    m->start[i] = isnan(d->start) ? nominal : d->start;
    m->lower[i] = d->lower;
    m->upper[i] = d->upper;
    m->scale[i] = isnan(d->scale) ? default_scale(d, m->start[i]) : d->scale;
    if (m->start[i] < d->lower || m->start[i] > d->upper) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s: [design %s]: the model's %s = %g is outside of the bounds %g and %g; give a start", c->path,
               d->name, d->scalar, m->start[i], d->lower, d->upper);
    }
  }
  return MBD_OK;
}

static mbd_form form_of(const char *form) {
  static const char *const names[] = {"integral", "integral_square", "integral_abs", "mean_square", "terminal",
                                      "peak",     "peak_abs",        "trough"};
  int k = 0;
  while (k < MBD_TROUGH && strcmp(names[k], form) != 0) { k++; }
  return (mbd_form)k;
}

/* Terms of one objective or constraint: one per component of its output. */
static mbd_status add_quantity(mechanism *m, mechanism_case *q, const char *what, const mbo_objective_config *o,
                               int quantity, mbd_error *err) {
  int first, count;
  if (strcmp(o->in_case, q->config->name) != 0) { return MBD_OK; }
  MBD_TRY(locate(mbd_outputs_add(q->outputs, o->of, &first, &count, err), what, o->name, m->config, err));
  if (mbd_form_is_peak(form_of(o->form)) && isnan(o->sharpness)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [%s %s] form = %s needs a sharpness [1/unit of %s]; the smooth peak comes short of the "
             "true one by some units of 1/sharpness",
             m->config->path, what, o->name, o->form, o->of);
  }
  if (o->target.n > 1 && o->target.n != count) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [%s %s] target has %d values, but output %s has %d", m->config->path, what,
             o->name, o->target.n, o->of, count);
  }
  for (int i = 0; i < count; i++) {
    mbd_term *grown = mbd_list_grow(q->term, q->nterm, sizeof *grown);
    if (!grown) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the objectives"); }
    q->term = grown;
    grown[q->nterm++] = (mbd_term){.psi = q->npsi,
                                   .output = first + i,
                                   .form = form_of(o->form),
                                   .weight = 1,
                                   .target = o->target.n ? o->target.v[o->target.n > 1 ? i : 0] : 0,
                                   .smoothing = o->smoothing,
                                   .sharpness = o->sharpness};
  }
  q->quantity[q->npsi++] = quantity;
  return MBD_OK;
}

static mbd_status set_up_case(mechanism *m, mechanism_case *q, const mbo_case_config *k, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const size_t most = (size_t)(m->nobjective + m->nconstraint), n = (size_t)m->n;
  q->config = k;
  mbd_case_init(&q->c);
  q->c.duration = k->duration, q->c.step = k->step;
  q->c.formulation = k->formulation;
  q->c.reference = strcmp(k->reference, "com") == 0 ? MBD_RTDYN0 : MBD_RTDYN1;
  q->c.start = strcmp(k->start, "equilibrium") == 0 ? MBD_START_EQUILIBRIUM : MBD_START_GIVEN;
  q->c.beta = k->beta, q->c.gamma = k->gamma;
  q->c.penalty = k->penalty, q->c.projection_weight = k->projection_weight;
  q->c.projection_iterations = k->projection_iterations;
  q->c.tolerance = k->tolerance, q->c.max_iterations = k->max_iterations;
  q->quantity = calloc(most + 1, sizeof *q->quantity);
  q->psi = calloc(most + 1, sizeof *q->psi);
  q->grad = calloc(most * n + 1, sizeof *q->grad);
  q->gn = calloc(most * n * n + 1, sizeof *q->gn);
  if (!q->quantity || !q->psi || !q->grad || !q->gn) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for case '%s'", k->name);
  }
  MBD_TRY(mbd_outputs_create(m->model, &q->outputs, err));
  for (int i = 0; i < m->nobjective; i++) { MBD_TRY(add_quantity(m, q, "objective", &c->objective[i], i, err)); }
  for (int i = 0; i < m->nconstraint; i++) {
    MBD_TRY(add_quantity(m, q, "constraint", &c->constraint[i], m->nobjective + i, err));
  }
  for (int i = 0; i < c->output.outputs.n; i++) {
    int first, count;
    mbd_status status = mbd_outputs_add(q->outputs, c->output.outputs.v[i], &first, &count, err);
    MBD_TRY(locate(status, "output", "outputs", c, err));
  }
  return locate(mbd_sim_create(m->model, &q->c, q->outputs, q->nterm, q->term, q->npsi, m->n, &q->sim, err), "case",
                k->name, c, err);
}

static mbd_status allocate(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  m->n = c->ndesign;
  m->nobjective = c->nobjective;
  m->nconstraint = c->nconstraint;
  const size_t n = (size_t)m->n, nq = (size_t)(m->nobjective + m->nconstraint);
  m->d = calloc(n + 1, sizeof *m->d);
  m->name = calloc(n + 1, sizeof *m->name);
  m->start = calloc(4 * n + 1, sizeof *m->start);
  m->psi = calloc(nq + 1, sizeof *m->psi);
  m->grad = calloc(nq * n + 1, sizeof *m->grad);
  m->gn = calloc(n * n + 1, sizeof *m->gn);
  m->c_name = calloc((size_t)m->nconstraint + 1, sizeof *m->c_name);
  m->c_lower = calloc(2 * (size_t)m->nconstraint + 1, sizeof *m->c_lower);
  m->work = calloc(n + 2 * nq + 1, sizeof *m->work);
  m->cases = calloc((size_t)c->ncase + 1, sizeof *m->cases);
  if (!m->d || !m->name || !m->start || !m->psi || !m->grad || !m->gn || !m->c_name || !m->c_lower || !m->work ||
      !m->cases) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the problem");
  }
  m->lower = m->start + n, m->upper = m->start + 2 * n, m->scale = m->start + 3 * n;
  m->c_upper = m->c_lower + m->nconstraint;
  for (int i = 0; i < m->nconstraint; i++) {
    m->c_name[i] = c->constraint[i].name;
    m->c_lower[i] = c->constraint[i].lower;
    m->c_upper[i] = c->constraint[i].upper;
  }
  return MBD_OK;
}

static mbd_status create(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  MBD_TRY(allocate(m, err));
  MBD_TRY(read_model(m, err));
  MBD_TRY(set_up_design(m, err));
  m->theta = calloc((size_t)mbd_model_ncoef(m->model) + 1, sizeof *m->theta);
  if (!m->theta) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the problem"); }
  MBD_TRY(mbd_params_create(m->model, NULL, &m->params, err));
  for (int i = 0; i < m->n; i++) { MBD_TRY(mbd_dparams_create(m->model, &m->d[i], err)); }
  for (int i = 0; i < c->ncase; i++) {
    m->ncase = i + 1;
    MBD_TRY(set_up_case(m, &m->cases[i], &c->cases[i], err));
  }
  return MBD_OK;
}

mbd_status mechanism_create(const mbo_run_config *c, mechanism **out, mbd_error *err) {
  mechanism *m = calloc(1, sizeof *m);
  *out = NULL;
  if (!m) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the problem"); }
  m->config = c;
  mbd_status status = create(m, err);
  if (status != MBD_OK) {
    mechanism_destroy(m);
    return status;
  }
  *out = m;
  return MBD_OK;
}

void mechanism_destroy(mechanism *m) {
  if (!m) { return; }
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *q = &m->cases[i];
    mbd_sim_destroy(q->sim);
    mbd_referee_destroy(q->referee);
    mbd_outputs_destroy(q->outputs);
    free(q->term), free(q->quantity), free(q->psi), free(q->grad), free(q->gn);
  }
  for (int i = 0; m->d && i < m->n; i++) { mbd_dparams_destroy(m->d[i]); }
  mbd_params_destroy(m->params);
  mbd_model_destroy(m->model);
  mbo_model_file_destroy(m->file);
  free(m->cases), free(m->d), free(m->name), free(m->start), free(m->psi), free(m->grad), free(m->gn);
  free(m->c_name), free(m->c_lower), free(m->work), free(m->theta);
  free(m);
}

/* ---- evaluating ---- */

mbd_status mechanism_set_design(mechanism *m, const double *rho, int directions, mbd_error *err) {
  const int *start, *index;
  const double *value;
  MBD_TRY(mbo_model_file_eval(m->file, rho, m->theta, &start, &index, &value, err));
  MBD_TRY(mbd_params_set(m->params, m->theta, err));
  for (int k = 0; directions && k < m->n; k++) {
    mbd_dparams_set(m->d[k], m->params, start[k + 1] - start[k], index + start[k], value + start[k]);
  }
  return MBD_OK;
}

static int stop_asked(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  const mechanism *m = user;
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return m->stop && *m->stop;
}

mbd_status mechanism_name_case(mbd_status status, const mechanism_case *q, mbd_error *err) {
  char text[sizeof err->text];
  if (status == MBD_OK || !err) { return status; }
  memcpy(text, err->text, sizeof text);
  if (isnan(err->time)) {
    snprintf(err->text, sizeof err->text, "case '%s': %.800s", q->config->name, text);
  } else {
    snprintf(err->text, sizeof err->text, "case '%s', t = %.6g s: %.800s", q->config->name, err->time, text);
  }
  return status;
}

/* psi of all quantities at rho; with directions also their gradients and the Gauss-Newton matrix. */
static mbd_status simulate(mechanism *m, const double *rho, int directions, int gauss_newton, double *psi,
                           mbd_error *err) {
  const int n = m->n;
  MBD_TRY(mechanism_set_design(m, rho, directions, err));
  if (gauss_newton) { memset(m->gn, 0, (size_t)n * (size_t)n * sizeof *m->gn); }
  m->simulations++;
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *q = &m->cases[i];
    if (q->npsi == 0) { continue; }
    MBD_TRY(
        mechanism_name_case(mbd_sim_run(q->sim, m->params, directions ? n : 0, m->d, q->psi,
                                        directions ? q->grad : NULL, gauss_newton ? q->gn : NULL, stop_asked, m, err),
                            q, err));
    for (int k = 0; k < q->npsi; k++) {
      int quantity = q->quantity[k];
      psi[quantity] = q->psi[k];
      if (directions && n) { memcpy(m->grad + quantity * n, q->grad + k * n, (size_t)n * sizeof *m->grad); }
      if (!gauss_newton || quantity >= m->nobjective) { continue; }
      double weight = m->config->objective[quantity].weight;
      for (int j = 0; j < n * n; j++) { m->gn[j] += weight * q->gn[(size_t)k * (size_t)(n * n) + (size_t)j]; }
    }
  }
  return MBD_OK;
}

static mbd_status central_differences(mechanism *m, const double *rho, mbd_error *err) {
  const int n = m->n, nq = m->nobjective + m->nconstraint;
  double *x = m->work, *plus = x + n, *minus = plus + nq;
  memcpy(x, rho, (size_t)n * sizeof *x);
  for (int j = 0; j < n; j++) {
    double h = m->config->gradient.difference_step * m->scale[j];
    x[j] = rho[j] + h;
    MBD_TRY(simulate(m, x, 0, 0, plus, err));
    x[j] = rho[j] - h;
    MBD_TRY(simulate(m, x, 0, 0, minus, err));
    x[j] = rho[j];
    for (int i = 0; i < nq; i++) { m->grad[i * n + j] = (plus[i] - minus[i]) / (2 * h); }
  }
  return simulate(m, rho, 0, 0, m->psi, err);
}

static mbd_status make_referee(mechanism *m, mechanism_case *q, mbd_error *err) {
  int n = mbd_outputs_count(q->outputs);
  const char **name = calloc((size_t)n + 1, sizeof *name);
  if (!name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the referee"); }
  for (int i = 0; i < n; i++) { name[i] = mbd_outputs_name(q->outputs, i); }
  mbd_status status =
      mbd_referee_create(mbo_model_file_spec(m->file), &q->c, n, name, q->nterm, q->term, q->npsi, &q->referee, err);
  free(name);
  return status;
}

static mbd_status complex_step(mechanism *m, const double *rho, mbd_error *err) {
  const int n = m->n;
  const int *start, *index;
  const double *value;
  MBD_TRY(mbo_model_file_eval(m->file, rho, m->theta, &start, &index, &value, err));
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *q = &m->cases[i];
    if (q->npsi == 0) { continue; }
    if (!q->referee) { MBD_TRY(make_referee(m, q, err)); }
    for (int j = 0; j < n; j++) {
      m->simulations++;
      MBD_TRY(mechanism_name_case(mbd_referee_derivative(q->referee, m->theta, start[j + 1] - start[j],
                                                         index + start[j], value + start[j], q->psi, q->grad, err),
                                  q, err));
      for (int k = 0; k < q->npsi; k++) {
        m->psi[q->quantity[k]] = q->psi[k];
        m->grad[q->quantity[k] * n + j] = q->grad[k];
      }
    }
  }
  return n ? MBD_OK : simulate(m, rho, 0, 0, m->psi, err);
}

mbd_status mechanism_evaluate(mechanism *m, const double *rho, const char *method, int gauss_newton, mbd_error *err) {
  if (strcmp(method, "central_differences") == 0) { return central_differences(m, rho, err); }
  if (strcmp(method, "complex_step") == 0) { return complex_step(m, rho, err); }
  return simulate(m, rho, strcmp(method, "direct") == 0, gauss_newton, m->psi, err);
}

/* ---- as an optimization problem ---- */

static mbd_status eval(void *user, const double *x, unsigned want, mbo_eval *out, mbd_error *err) {
  mechanism *m = user;
  const int n = m->n;
  int gradient = (want & (MBO_WANT_GRADIENT | MBO_WANT_GAUSS_NEWTON)) != 0;
  MBD_TRY(mechanism_evaluate(m, x, gradient ? m->config->gradient.method : "none", (want & MBO_WANT_GAUSS_NEWTON) != 0,
                             err));
  out->f = 0;
  for (int i = 0; i < m->nobjective; i++) { out->f += m->config->objective[i].weight * m->psi[i]; }
  for (int i = 0; i < m->nconstraint; i++) { out->c[i] = m->psi[m->nobjective + i]; }
  if (!gradient) { return MBD_OK; }
  for (int j = 0; j < n; j++) {
    out->g[j] = 0;
    for (int i = 0; i < m->nobjective; i++) { out->g[j] += m->config->objective[i].weight * m->grad[i * n + j]; }
  }
  if (m->nconstraint) {
    memcpy(out->jac, m->grad + m->nobjective * n, (size_t)(m->nconstraint * n) * sizeof *out->jac);
  }
  if (want & MBO_WANT_GAUSS_NEWTON) { memcpy(out->H, m->gn, (size_t)(n * n) * sizeof *out->H); }
  return MBD_OK;
}

int mechanism_is_least_squares(const mechanism *m) {
  for (int i = 0; i < m->nobjective; i++) {
    mbd_form form = form_of(m->config->objective[i].form);
    if ((form != MBD_INTEGRAL_SQUARE && form != MBD_MEAN_SQUARE) || m->config->objective[i].weight < 0) { return 0; }
  }
  return m->nobjective > 0;
}

const char *mechanism_quantity(const mechanism *m, int i) {
  return i < m->nobjective ? m->config->objective[i].name : m->config->constraint[i - m->nobjective].name;
}

void mechanism_problem(mechanism *m, mbo_problem *p) {
  const char *method = m->config->gradient.method;
  *p = (mbo_problem){.name = m->config->path,
                     .n = m->n,
                     .names = m->name,
                     .start = m->start,
                     .lower = m->lower,
                     .upper = m->upper,
                     .scale = m->scale,
                     .nc = m->nconstraint,
                     .c_names = m->c_name,
                     .c_lower = m->c_lower,
                     .c_upper = m->c_upper,
                     .has_gradient = strcmp(method, "none") != 0,
                     .has_gauss_newton = strcmp(method, "direct") == 0 && mechanism_is_least_squares(m),
                     .user = m,
                     .eval = eval};
}
