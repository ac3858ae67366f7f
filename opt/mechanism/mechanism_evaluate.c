/* Evaluating a design: all load cases, each in a thread of its own, their objectives combined into one, and the same as an
 * optimization problem. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mechanism/case_gradient.h"
#include "mechanism/hessian.h"
#include "mechanism/numerical.h"

enum { MOST_THREADS = 64 };

/* For whoever differentiates: the directions of the variables, or which coefficients they move. */
static void set_directions(const mechanism *m, mechanism_variant *v) {
  const int *start = v->start;
  for (int k = 0; v->d && k < m->n; k++) {
    mbd_dparams_set(v->d[k], v->params, start[k + 1] - start[k], v->index + start[k], v->value + start[k]);
  }
  if (!v->wanted) { return; }
  memset(v->wanted, 0, (size_t)mbd_model_ncoef(v->model));
  for (int i = 0; i < start[m->n]; i++) { v->wanted[v->index[i]] = 1; }
}

mbd_status mechanism_set_design(mechanism *m, const double *rho, int directions, mbd_error *err) {
  for (int i = 0; i < m->nvariant; i++) {
    mechanism_variant *v = &m->variant[i];
    MBD_TRY(mbo_model_file_eval(v->file, rho, v->theta, &v->start, &v->index, &v->value, err));
    MBD_TRY(mbd_params_set(v->params, v->theta, err));
    if (directions) { set_directions(m, v); }
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
  if (status == MBD_OK || !err) { return status; }
  const mbd_error told = *err;
  if (isnan(told.time)) {
    snprintf(err->text, sizeof err->text, "case '%s': %.800s", q->config->name, told.text);
  } else {
    snprintf(err->text, sizeof err->text, "case '%s', t = %.6g s: %.800s", q->config->name, told.time, told.text);
  }
  return status;
}

/* ---- all cases, each in a thread of its own ---- */

typedef struct case_queue {
  mechanism *m;
  mechanism_work work;
  atomic_int next;
} case_queue;

static void *work_on_cases(void *queue) {
  case_queue *w = queue;
  mechanism *m = w->m;
  for (int i = atomic_fetch_add(&w->next, 1); i < m->ncase; i = atomic_fetch_add(&w->next, 1)) {
    mechanism_case *q = &m->cases[i];
    q->status = MBD_OK;
    if (q->npsi == 0) { continue; }
    q->status = w->work(m, q, &q->error);
  }
  return NULL;
}

static int count_threads(const mechanism *m) {
  long processors = m->threads > 0 ? m->threads : sysconf(_SC_NPROCESSORS_ONLN);
  long n = processors < m->ncase ? processors : m->ncase;
  return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n;
}

mbd_status mechanism_each_case(mechanism *m, mechanism_work work, mbd_error *err) {
  case_queue w = {.m = m, .work = work};
  pthread_t thread[MOST_THREADS];
  int n = 0;
  while (n < count_threads(m) - 1 && pthread_create(&thread[n], NULL, work_on_cases, &w) == 0) { n++; }
  work_on_cases(&w);
  for (int i = 0; i < n; i++) { pthread_join(thread[i], NULL); }
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *q = &m->cases[i];
    if (q->status == MBD_OK) { continue; }
    if (err) { *err = q->error; }
    return mechanism_name_case(q->status, q, err);
  }
  return MBD_OK;
}

static mbd_status run_case(mechanism *m, mechanism_case *q, mbd_error *err) {
  return case_run(m, q, 0, stop_asked, m, err);
}

static mbd_status run_gauss_newton(mechanism *m, mechanism_case *q, mbd_error *err) {
  return case_run(m, q, 1, stop_asked, m, err);
}

/* How each case is differentiated, and the memory for it. */
static mbd_status prepare(mechanism *m, gradient_method method, int gauss_newton, mbd_error *err) {
  const size_t n = (size_t)m->n;
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *q = &m->cases[i];
    q->method = gauss_newton ? GRADIENT_DIRECT : method == GRADIENT_AUTO ? q->choice.method : method;
    if (q->npsi) { MBD_TRY(case_prepare(m, q, gauss_newton, err)); }
  }
  if (gauss_newton && !m->gn) { m->gn = calloc(n * n + 1, sizeof *m->gn); }
  if (gauss_newton && !m->gn) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the Gauss-Newton matrix"); }
  return MBD_OK;
}

/* A case whose adjoint is not available takes direct differentiation from now on, if the choice is ours. */
static int fall_back(mechanism *m, gradient_method method) {
  int changed = 0;
  for (int i = 0; method == GRADIENT_AUTO && i < m->ncase; i++) {
    mechanism_case *q = &m->cases[i];
    if (q->status != MBD_UNSUPPORTED || !gradient_is_adjoint(q->method)) { continue; }
    q->choice.method = GRADIENT_DIRECT;
    snprintf(q->choice.text, sizeof q->choice.text, "%s (no adjoint: %.150s)", gradient_method_text(GRADIENT_DIRECT),
             q->error.text);
    changed = 1;
  }
  return changed;
}

/* psi of all quantities at rho; unless the method is none also their gradients (and in the cases the Gauss-Newton
 * matrices). */
static mbd_status simulate(mechanism *m, const double *rho, gradient_method method, int gauss_newton, double *psi,
                           mbd_error *err) {
  const int n = m->n, gradient = method != GRADIENT_NONE;
  MBD_TRY(prepare(m, method, gauss_newton, err));
  MBD_TRY(mechanism_set_design(m, rho, gradient, err));
  m->simulations++;
  mbd_status status = mechanism_each_case(m, gauss_newton ? run_gauss_newton : run_case, err);
  if (status == MBD_UNSUPPORTED && fall_back(m, method)) { return simulate(m, rho, method, gauss_newton, psi, err); }
  MBD_TRY(status);
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *q = &m->cases[i];
    for (int k = 0; k < q->npsi; k++) {
      int quantity = q->quantity[k];
      psi[quantity] = q->psi[k];
      if (gradient && n) { memcpy(m->grad + quantity * n, q->grad + k * n, (size_t)n * sizeof *m->grad); }
    }
  }
  return MBD_OK;
}

mbd_status mechanism_values(mechanism *m, const double *rho, double *psi, mbd_error *err) {
  return simulate(m, rho, GRADIENT_NONE, 0, psi, err);
}

/* ---- the objectives as one ---- */

static double weight_of(const mechanism *m, int i) {
  return m->config->objective[i].weight;
}

static int is_worst(const mechanism *m) {
  return strcmp(m->config->objectives.combine, "worst") == 0;
}

/* m->f and m->share = df/dpsi_i.  Sum: f = sum w_i psi_i.  Worst case: f = ln(sum exp(p w_i psi_i))/p. */
static void combine(mechanism *m) {
  const double p = m->config->objectives.sharpness;
  double top = -INFINITY, sum = 0;
  m->f = 0;
  if (!is_worst(m)) {
    for (int i = 0; i < m->nobjective; i++) { m->f += weight_of(m, i) * m->psi[i], m->share[i] = weight_of(m, i); }
    return;
  }
  for (int i = 0; i < m->nobjective; i++) { top = fmax(top, weight_of(m, i) * m->psi[i]); }
  for (int i = 0; i < m->nobjective; i++) {
    m->share[i] = exp(p * (weight_of(m, i) * m->psi[i] - top));
    sum += m->share[i];
  }
  for (int i = 0; i < m->nobjective; i++) { m->share[i] *= weight_of(m, i) / sum; }
  m->f = top + log(sum) / p;
}

static void combine_gradient(mechanism *m) {
  for (int j = 0; j < m->n; j++) {
    m->g[j] = 0;
    for (int i = 0; i < m->nobjective; i++) { m->g[j] += (m->summed ? 1 : m->share[i]) * m->grad[i * m->n + j]; }
  }
}

/* The curvature of the smooth maximum, p sum pi_i (w_i g_i - g)(w_i g_i - g)' with pi_i = exp(p (w_i psi_i - f)):
 * positive semidefinite. */
static void add_curvature(const mechanism *m, double *H) {
  const int n = m->n;
  const double p = m->config->objectives.sharpness;
  for (int i = 0; is_worst(m) && i < m->nobjective; i++) {
    const double w = weight_of(m, i), part = p * exp(p * (w * m->psi[i] - m->f)), *g = m->grad + i * n;
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) { H[a * n + b] += part * (w * g[a] - m->g[a]) * (w * g[b] - m->g[b]); }
    }
  }
}

/* H = sum share_i H_i, and the curvature of the maximum. */
static void combine_gauss_newton(mechanism *m) {
  const int n = m->n;
  memset(m->gn, 0, (size_t)n * (size_t)n * sizeof *m->gn);
  for (int c = 0; c < m->ncase; c++) {
    const mechanism_case *q = &m->cases[c];
    for (int k = 0; k < q->npsi; k++) {
      if (q->quantity[k] >= m->nobjective) { continue; }
      const double *H = q->gn + (size_t)k * (size_t)(n * n);
      for (int j = 0; j < n * n; j++) { m->gn[j] += m->share[q->quantity[k]] * H[j]; }
    }
  }
  add_curvature(m, m->gn);
}

/* out += s times the symmetric part of H */
static void add_symmetric(int n, double s, const double *H, double *out) {
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) { out[a * n + b] += s * (H[a * n + b] + H[b * n + a]) / 2; }
  }
}

mbd_status mechanism_hessian(mechanism *m, const double *rho, double *H, mbd_error *err) {
  const int n = m->n;
  const size_t size = (size_t)n * (size_t)n;
  MBD_TRY(hessian_evaluate(m, rho, err));
  combine(m);
  combine_gradient(m);
  memset(H, 0, (1 + (size_t)m->nconstraint) * size * sizeof *H);
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    const int constraint = i - m->nobjective;
    add_symmetric(n, constraint < 0 ? m->share[i] : 1, m->hess + (size_t)i * size,
                  constraint < 0 ? H : H + (size_t)(1 + constraint) * size);
  }
  add_curvature(m, H);
  return MBD_OK;
}

static int is_numerical(gradient_method method) {
  return method == GRADIENT_CENTRAL_DIFFERENCES || method == GRADIENT_COMPLEX_STEP;
}

mbd_status mechanism_evaluate(mechanism *m, const double *rho, const char *method, int gauss_newton, mbd_error *err) {
  const gradient_method k = gradient_method_find(method);
  if (strcmp(gradient_method_name(k), method) != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "gradient method '%s' is not known", method);
  }
  MBD_TRY(is_numerical(k) ? numerical_gradient(m, rho, k, err) : simulate(m, rho, k, gauss_newton, m->psi, err));
  combine(m);
  if (k != GRADIENT_NONE) { combine_gradient(m); }
  if (gauss_newton) { combine_gauss_newton(m); }
  return MBD_OK;
}

/* ---- as an optimization problem ---- */

static mbd_status eval(void *user, const double *x, unsigned want, mbo_eval *out, mbd_error *err) {
  mechanism *m = user;
  const int n = m->n;
  const int gauss_newton = (want & MBO_WANT_GAUSS_NEWTON) != 0;
  const int gradient = gauss_newton || (want & MBO_WANT_GRADIENT) != 0;
  if (want & MBO_WANT_HESSIAN) { MBD_TRY(mechanism_hessian(m, x, out->hess, err)); }
  if (!(want & ~(unsigned)MBO_WANT_HESSIAN)) { return MBD_OK; }
  const char *method = gradient ? m->config->gradient.method : "none";
  m->summed = gradient && !gauss_newton && !is_worst(m) && !is_numerical(gradient_method_find(method));
  const mbd_status status = mechanism_evaluate(m, x, method, gauss_newton, err);
  m->summed = 0;
  MBD_TRY(status);
  out->f = m->f;
  if (m->nconstraint) { memcpy(out->c, m->psi + m->nobjective, (size_t)m->nconstraint * sizeof *out->c); }
  if (!gradient) { return MBD_OK; }
  memcpy(out->g, m->g, (size_t)n * sizeof *out->g);
  if (m->nconstraint) {
    memcpy(out->jac, m->grad + m->nobjective * n, (size_t)(m->nconstraint * n) * sizeof *out->jac);
  }
  if (gauss_newton) { memcpy(out->H, m->gn, (size_t)(n * n) * sizeof *out->H); }
  return MBD_OK;
}

int mechanism_is_least_squares(const mechanism *m) {
  for (int i = 0; i < m->nobjective; i++) {
    mbd_form form = mechanism_form(m->config->objective[i].form);
    if ((form != MBD_INTEGRAL_SQUARE && form != MBD_MEAN_SQUARE) || m->config->objective[i].weight < 0) { return 0; }
  }
  return m->nobjective > 0;
}

const char *mechanism_quantity(const mechanism *m, int i) {
  return i < m->nobjective ? m->config->objective[i].name : m->config->constraint[i - m->nobjective].name;
}

void mechanism_problem(mechanism *m, mbo_problem *p) {
  const gradient_method method = gradient_method_find(m->config->gradient.method);
  *p = (mbo_problem){
      .name = m->config->path,
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
      .has_gradient = method != GRADIENT_NONE,
      .has_hessian = method == GRADIENT_DIRECT || method == GRADIENT_DISCRETE_ADJOINT || method == GRADIENT_AUTO,
      .has_gauss_newton = (method == GRADIENT_DIRECT || method == GRADIENT_AUTO) && mechanism_is_least_squares(m),
      .user = m,
      .eval = eval};
}
