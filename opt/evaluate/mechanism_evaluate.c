/* Evaluating a design: all load cases, each in a thread of its own, their objectives combined into one, and the same as an
 * optimization problem. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluate/mechanism.h"

enum { MOST_THREADS = 64 };

mbd_status mechanism_set_design(mechanism *m, const double *rho, int directions, mbd_error *err) {
  for (int i = 0; i < m->nvariant; i++) {
    mechanism_variant *v = &m->variant[i];
    const int *start, *index;
    const double *value;
    MBD_TRY(mbo_model_file_eval(v->file, rho, v->theta, &start, &index, &value, err));
    MBD_TRY(mbd_params_set(v->params, v->theta, err));
    for (int k = 0; directions && k < m->n; k++) {
      mbd_dparams_set(v->d[k], v->params, start[k + 1] - start[k], index + start[k], value + start[k]);
    }
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

/* ---- all cases, each in a thread of its own ---- */

typedef struct case_queue {
  mechanism *m;
  int directions, gauss_newton;
  atomic_int next;
} case_queue;

static void *simulate_cases(void *queue) {
  case_queue *w = queue;
  mechanism *m = w->m;
  for (int i = atomic_fetch_add(&w->next, 1); i < m->ncase; i = atomic_fetch_add(&w->next, 1)) {
    mechanism_case *q = &m->cases[i];
    q->status = MBD_OK;
    if (q->npsi == 0) { continue; }
    q->status = mbd_sim_run(q->sim, q->v->params, w->directions ? m->n : 0, q->v->d, q->psi,
                            w->directions ? q->grad : NULL, w->gauss_newton ? q->gn : NULL, stop_asked, m, &q->error);
  }
  return NULL;
}

static int count_threads(const mechanism *m) {
  long processors = m->threads > 0 ? m->threads : sysconf(_SC_NPROCESSORS_ONLN);
  long n = processors < m->ncase ? processors : m->ncase;
  return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n;
}

/* A case's numbers depend on nothing that another case does, so neither they nor the error that is reported, that of the
 * first case that failed, depend on the number of threads. */
static mbd_status simulate_all(mechanism *m, int directions, int gauss_newton, mbd_error *err) {
  case_queue w = {.m = m, .directions = directions, .gauss_newton = gauss_newton};
  pthread_t thread[MOST_THREADS];
  int n = 0;
  while (n < count_threads(m) - 1 && pthread_create(&thread[n], NULL, simulate_cases, &w) == 0) { n++; }
  simulate_cases(&w);
  for (int i = 0; i < n; i++) { pthread_join(thread[i], NULL); }
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *q = &m->cases[i];
    if (q->status == MBD_OK) { continue; }
    if (err) { *err = q->error; }
    return mechanism_name_case(q->status, q, err);
  }
  return MBD_OK;
}

/* psi of all quantities at rho; with directions also their gradients (and in the cases the Gauss-Newton matrices). */
static mbd_status simulate(mechanism *m, const double *rho, int directions, int gauss_newton, double *psi,
                           mbd_error *err) {
  const int n = m->n;
  MBD_TRY(mechanism_set_design(m, rho, directions, err));
  m->simulations++;
  MBD_TRY(simulate_all(m, directions, gauss_newton, err));
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *q = &m->cases[i];
    for (int k = 0; k < q->npsi; k++) {
      int quantity = q->quantity[k];
      psi[quantity] = q->psi[k];
      if (directions && n) { memcpy(m->grad + quantity * n, q->grad + k * n, (size_t)n * sizeof *m->grad); }
    }
  }
  return MBD_OK;
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
    for (int i = 0; i < m->nobjective; i++) { m->g[j] += m->share[i] * m->grad[i * m->n + j]; }
  }
}

/* H = sum share_i H_i, and for the worst case the curvature of the maximum, p sum pi_i (w_i g_i - g)(w_i g_i - g)' with
 * pi_i = share_i/w_i: positive semidefinite like the H_i. */
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
  for (int i = 0; is_worst(m) && i < m->nobjective; i++) {
    const double w = weight_of(m, i), *g = m->grad + i * n;
    if (w == 0) { continue; }
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        m->gn[a * n + b] +=
            m->config->objectives.sharpness * (m->share[i] / w) * (w * g[a] - m->g[a]) * (w * g[b] - m->g[b]);
      }
    }
  }
}

/* ---- gradients by other means ---- */

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

static mbd_status make_referee(mechanism_case *q, mbd_error *err) {
  int n = mbd_outputs_count(q->outputs);
  const char **name = calloc((size_t)n + 1, sizeof *name);
  if (!name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the referee"); }
  for (int i = 0; i < n; i++) { name[i] = mbd_outputs_name(q->outputs, i); }
  mbd_status status =
      mbd_referee_create(mbo_model_file_spec(q->v->file), &q->c, n, name, q->nterm, q->term, q->npsi, &q->referee, err);
  free(name);
  return status;
}

static mbd_status complex_step(mechanism *m, const double *rho, mbd_error *err) {
  const int n = m->n;
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *q = &m->cases[i];
    const int *start, *index;
    const double *value;
    if (q->npsi == 0) { continue; }
    MBD_TRY(mbo_model_file_eval(q->v->file, rho, q->v->theta, &start, &index, &value, err));
    if (!q->referee) { MBD_TRY(make_referee(q, err)); }
    for (int j = 0; j < n; j++) {
      m->simulations++;
      MBD_TRY(mechanism_name_case(mbd_referee_derivative(q->referee, q->v->theta, start[j + 1] - start[j],
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

static mbd_status by_method(mechanism *m, const double *rho, const char *method, int gauss_newton, mbd_error *err) {
  if (strcmp(method, "central_differences") == 0) { return central_differences(m, rho, err); }
  if (strcmp(method, "complex_step") == 0) { return complex_step(m, rho, err); }
  return simulate(m, rho, strcmp(method, "direct") == 0, gauss_newton, m->psi, err);
}

mbd_status mechanism_evaluate(mechanism *m, const double *rho, const char *method, int gauss_newton, mbd_error *err) {
  MBD_TRY(by_method(m, rho, method, gauss_newton, err));
  combine(m);
  if (strcmp(method, "none") != 0) { combine_gradient(m); }
  if (gauss_newton) { combine_gauss_newton(m); }
  return MBD_OK;
}

/* ---- as an optimization problem ---- */

static mbd_status eval(void *user, const double *x, unsigned want, mbo_eval *out, mbd_error *err) {
  mechanism *m = user;
  const int n = m->n;
  const int gauss_newton = (want & MBO_WANT_GAUSS_NEWTON) != 0;
  const int gradient = gauss_newton || (want & MBO_WANT_GRADIENT) != 0;
  MBD_TRY(mechanism_evaluate(m, x, gradient ? m->config->gradient.method : "none", gauss_newton, err));
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
