/* Evaluating a design: values and gradients of all quantities, the objectives combined into one, and the same as an optimization
 * problem. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/cases.h"
#include "mechanism/choices.h"
#include "mechanism/hessian.h"
#include "mechanism/numerical.h"
#include "mechanism/noise_test.h"
#include "mechanism/numbers.h"
#include "mechanism/true_values.h"
#include "mechanism/watch.h"
#include "files/memory.h"

/* ---- the objectives as one ---- */

static double weight_of(const mechanism *m, int i) {
  return mechanism_weight(m, i);
}

/* Number of sums of objectives that are limited. */
static int rows_of(const mechanism *m) {
  return m->front ? m->front->nrow : 0;
}

static double row_of(const mechanism *m, int k, int i) {
  return m->front->row[k * m->nobjective + i];
}

/* m->f and m->share = df/dpsi_i.  Sum: f = sum w_i psi_i.  Worst case: f = ln(sum exp(p w_i psi_i))/p. */
static void combine(mechanism *m) {
  const double p = m->worst_sharpness;
  double top = -INFINITY, sum = 0;
  m->f = 0;
  if (!mechanism_is_worst(m)) {
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

/* g [n] := sum share_i grad_i */
static void combine_gradient(const mechanism *m, double *g) {
  for (int j = 0; j < m->n; j++) {
    g[j] = 0;
    for (int i = 0; i < m->nobjective; i++) { g[j] += m->share[i] * m->grad[i * m->n + j]; }
  }
}

/* The curvature of the smooth maximum, p sum pi_i (w_i g_i - g)(w_i g_i - g)' with pi_i = exp(p (w_i psi_i - f)):
 * positive semidefinite. */
static void add_curvature(const mechanism *m, double *H) {
  const int n = m->n;
  const double p = m->worst_sharpness;
  double *whole = m->work;
  if (!mechanism_is_worst(m)) { return; }
  combine_gradient(m, whole);
  for (int i = 0; i < m->nobjective; i++) {
    const double w = weight_of(m, i), part = p * exp(p * (w * m->psi[i] - m->f)), *g = m->grad + i * n;
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) { H[a * n + b] += part * ((w * g[a] - whole[a]) * (w * g[b] - whole[b])); }
    }
  }
}

/* H [n][n] := sum share_i H_i, and the curvature of the maximum. */
static void combine_gauss_newton(const mechanism *m, double *H) {
  const int n = m->n;
  double factor;
  memset(H, 0, (size_t)n * (size_t)n * sizeof *H);
  for (int c = 0; c < m->nload; c++) {
    const mechanism_case *load = &m->cases[c];
    for (int k = 0; k < load->npsi; k++) {
      const int i = mechanism_square_of(m, load, k, &factor);
      const double *one = load->gn + (size_t)k * (size_t)(n * n);
      for (int j = 0; i >= 0 && j < n * n; j++) { H[j] += m->share[i] * factor * one[j]; }
    }
  }
  add_curvature(m, H);
}

/* out += s times the symmetric part of H */
static void add_symmetric(int n, double s, const double *H, double *out) {
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) { out[a * n + b] += s * (H[a * n + b] + H[b * n + a]) / 2; }
  }
}

/* H [1 + nconstraint + nrow][n][n] += the matrix of objective i, in the sum that is minimized and in those that are limited. */
static void add_objective(const mechanism *m, int i, const double *matrix, double *H) {
  const size_t size = (size_t)m->n * (size_t)m->n;
  add_symmetric(m->n, m->share[i], matrix, H);
  for (int k = 0; k < rows_of(m); k++) {
    add_symmetric(m->n, row_of(m, k, i), matrix, H + (size_t)(1 + m->nconstraint + k) * size);
  }
}

/* Exact second derivatives: H [1 + nconstraint][n][n] of the objectives as one, then of every constraint, symmetric; then of limited sums. */
static mbd_status evaluate_hessian(mechanism *m, const double *rho, double *H, mbd_error *err) {
  const int n = m->n;
  const size_t size = (size_t)n * (size_t)n;
  MBD_TRY(hessian_evaluate(m, rho, NULL, err));
  combine(m);
  memset(H, 0, (size_t)(1 + m->nconstraint + rows_of(m)) * size * sizeof *H);
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    const int constraint = i - m->nobjective;
    if (constraint < 0) {
      add_objective(m, i, m->hess + (size_t)i * size, H);
    } else {
      add_symmetric(n, 1, m->hess + (size_t)i * size, H + (size_t)(1 + constraint) * size);
    }
  }
  add_curvature(m, H);
  return MBD_OK;
}

/* out [n] += the curvature of the smooth maximum times w. */
static void add_curvature_along(const mechanism *m, const double *w, double *out) {
  const int n = m->n;
  const double p = m->worst_sharpness;
  double *whole = m->work;
  if (!mechanism_is_worst(m)) { return; }
  combine_gradient(m, whole);
  for (int i = 0; i < m->nobjective; i++) {
    const double v = weight_of(m, i), *g = m->grad + i * n;
    double along = 0;
    for (int a = 0; a < n; a++) { along += (v * g[a] - whole[a]) * w[a]; }
    along *= p * exp(p * (v * m->psi[i] - m->f));
    for (int a = 0; a < n; a++) { out[a] += along * (v * g[a] - whole[a]); }
  }
}

mbd_status mechanism_hessian_product(mechanism *m, const double *rho, const double *w, double *Hw, mbd_error *err) {
  const int n = m->n;
  MBD_TRY(hessian_evaluate(m, rho, w, err));
  combine(m);
  memset(Hw, 0, (1 + (size_t)m->nconstraint) * (size_t)n * sizeof *Hw);
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    const int constraint = i - m->nobjective;
    const double share = constraint < 0 ? m->share[i] : 1;
    double *out = constraint < 0 ? Hw : Hw + (1 + constraint) * n;
    for (int a = 0; a < n; a++) { out[a] += share * m->hess[i * n + a]; }
  }
  add_curvature_along(m, w, Hw);
  return MBD_OK;
}

/* ---- values and gradients ---- */

/* m->psi, m->f, and m->grad of every quantity by itself. */
static mbd_status evaluate_each(mechanism *m, const double *rho, gradient_method method, int gauss_newton,
                                mbd_error *err) {
  const case_request ask = {.method = method, .gauss_newton = gauss_newton};
  if (gradient_is_numerical(method)) {
    MBD_TRY(numerical_gradient(m, rho, method, err));
  } else {
    MBD_TRY(cases_simulate(m, rho, ask, m->psi, err));
  }
  for (int i = 0; method != GRADIENT_NONE && !gradient_is_numerical(method) && i < m->nload; i++) {
    const mechanism_case *load = &m->cases[i];
    for (int k = 0; k < load->npsi; k++) { case_row(m, load, k, m->grad + load->quantity[k] * m->n); }
  }
  if (method != GRADIENT_NONE && !gradient_is_numerical(method)) { MBD_TRY(values_gradient(m, err)); }
  combine(m);
  return MBD_OK;
}

mbd_status mechanism_evaluate(mechanism *m, const double *rho, const char *method, mbd_error *err) {
  const gradient_method k = gradient_method_find(method);
  if (strcmp(gradient_method_name(k), method) != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "gradient method '%s' is not known", method);
  }
  MBD_TRY(evaluate_each(m, rho, k, 0, err));
  /* Complex steps leave no real simulation behind. */
  if (k == GRADIENT_COMPLEX_STEP && m->smooths) { MBD_TRY(mechanism_values(m, rho, m->psi, err)); }
  true_values_find(m);
  return MBD_OK;
}

/* ---- as an optimization problem ---- */

/* Adds the gradients of quantities that are expressions of scalars, not results of a simulation. */
static mbd_status add_values(mechanism *m, mbo_eval *out, mbd_error *err) {
  int quantity;
  MBD_TRY(values_gradient(m, err));
  for (int i = 0; (quantity = values_quantity(m, i)) >= 0; i++) {
    const double *g = m->grad + quantity * m->n;
    const int constraint = quantity - m->nobjective;
    if (constraint >= 0) { memcpy(out->jac + constraint * m->n, g, (size_t)m->n * sizeof *g); }
    for (int j = 0; constraint < 0 && j < m->n; j++) { out->g[j] += weight_of(m, quantity) * g[j]; }
  }
  return MBD_OK;
}

/* The gradient of the weighted sum, from the cases into *out: one adjoint does for all objectives of a case. */
static mbd_status evaluate_sum(mechanism *m, const double *rho, gradient_method method, int gauss_newton, mbo_eval *out,
                               mbd_error *err) {
  const case_request ask = {.method = method, .of_sum = 1, .gauss_newton = gauss_newton};
  MBD_TRY(cases_simulate(m, rho, ask, m->psi, err));
  memset(out->g, 0, (size_t)m->n * sizeof *out->g);
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *load = &m->cases[i];
    case_add_sum(m, load, out->g);
    for (int k = load->nobjective; k < load->npsi; k++) {
      case_row(m, load, k, out->jac + (load->quantity[k] - m->nobjective) * m->n);
    }
  }
  combine(m);
  return add_values(m, out, err);
}

/* The gradient of any combination, from m->grad. */
static mbd_status evaluate_combined(mechanism *m, const double *rho, gradient_method method, int gauss_newton,
                                    mbo_eval *out, mbd_error *err) {
  const size_t n = (size_t)m->n;
  MBD_TRY(evaluate_each(m, rho, method, gauss_newton, err));
  combine_gradient(m, out->g);
  if (m->nconstraint) {
    memcpy(out->jac, m->grad + (size_t)m->nobjective * n, (size_t)m->nconstraint * n * sizeof *out->jac);
  }
  for (int k = 0; k < rows_of(m); k++) {
    for (int j = 0; j < m->n; j++) {
      double sum = 0;
      for (int i = 0; i < m->nobjective; i++) { sum += row_of(m, k, i) * m->grad[i * m->n + j]; }
      out->jac[(m->nconstraint + k) * m->n + j] = sum;
    }
  }
  if (gauss_newton && m->front_at) { memcpy(m->front_at, rho, n * sizeof *rho); }
  return MBD_OK;
}

mbd_status mechanism_front_matrices(mechanism *m, const double *rho, mbd_error *err) {
  secants *known = m->front->secants;
  const size_t n = (size_t)m->n, size = n * n;
  double factor;
  if (memcmp(m->front_at, rho, n * sizeof *rho) != 0) {
    m->front_at[0] = NAN;
    MBD_TRY(evaluate_each(m, rho, gradient_method_find(m->config->gradient.method), 1, err));
    memcpy(m->front_at, rho, n * sizeof *rho);
  }
  memset(known->base, 0, (size_t)m->nobjective * size * sizeof *known->base);
  for (int c = 0; c < m->nload; c++) {
    const mechanism_case *load = &m->cases[c];
    for (int k = 0; k < load->npsi; k++) {
      const int i = mechanism_square_of(m, load, k, &factor);
      if (i >= 0) { add_symmetric(m->n, factor, load->gn + (size_t)k * size, known->base + (size_t)i * size); }
    }
  }
  secants_take(known, rho, m->grad);
  return MBD_OK;
}

/* The matrices of the sums of a front in the places of evaluate_hessian. */
static mbd_status evaluate_front_matrices(mechanism *m, const double *rho, double *H, mbd_error *err) {
  const size_t size = (size_t)m->n * (size_t)m->n;
  double *one = m->front->secants->base;
  MBD_TRY(mechanism_front_matrices(m, rho, err));
  memset(H, 0, (size_t)(1 + m->nconstraint + rows_of(m)) * size * sizeof *H);
  for (int i = 0; i < m->nobjective; i++, one += size) {
    secants_matrix(m->front->secants, i, one);
    add_objective(m, i, one, H);
  }
  return MBD_OK;
}

static mbd_status eval(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  mechanism *m = user;
  const int by_squares = m->front && m->front->secants;
  const int gradient = (request & (MBO_REQUEST_GAUSS_NEWTON | MBO_REQUEST_GRADIENT)) != 0;
  const int gauss_newton = (request & MBO_REQUEST_GAUSS_NEWTON) != 0 || (by_squares && gradient);
  const gradient_method method = gradient ? gradient_method_find(m->config->gradient.method) : GRADIENT_NONE;
  if (request & MBO_REQUEST_HESSIAN) {
    MBD_TRY(by_squares ? evaluate_front_matrices(m, x, out->hess, err) : evaluate_hessian(m, x, out->hess, err));
  }
  if (!(request & ~(unsigned)MBO_REQUEST_HESSIAN)) { return MBD_OK; }
  if (m->front_at && !gauss_newton) { m->front_at[0] = NAN; }
  if (method == GRADIENT_NONE) {
    MBD_TRY(evaluate_each(m, x, method, 0, err));
  } else if (rows_of(m) > 0 || mechanism_is_worst(m) || gradient_is_numerical(method) || values_use_results(m)) {
    MBD_TRY(evaluate_combined(m, x, method, gauss_newton, out, err));
  } else {
    MBD_TRY(evaluate_sum(m, x, method, gauss_newton, out, err));
  }
  out->f = m->f;
  for (int i = 0; i < m->nconstraint; i++) { out->c[i] = m->psi[m->nobjective + i] + m->shift[i]; }
  for (int k = 0; k < rows_of(m); k++) {
    out->c[m->nconstraint + k] = 0;
    for (int i = 0; i < m->nobjective; i++) { out->c[m->nconstraint + k] += row_of(m, k, i) * m->psi[i]; }
  }
  if (request & MBO_REQUEST_GAUSS_NEWTON) { combine_gauss_newton(m, out->H); }
  return MBD_OK;
}

mbd_status mechanism_take_front(mechanism *m, const mechanism_front *f, mbd_error *err) {
  static const char *const names[MECHANISM_ROWS_MAX] = {"front", "front 2"};
  if (!m->front_at) { m->front_at = malloc((size_t)(m->n + 1) * sizeof *m->front_at); }
  MEMORY_TRY(m->front_at, err, "the front");
  m->front_at[0] = NAN;
  m->front = f;
  for (int k = 0; k < f->nrow; k++) {
    m->c_name[m->nconstraint + k] = names[k];
    m->c_lower[m->nconstraint + k] = -INFINITY, m->c_upper[m->nconstraint + k] = f->limit[k];
  }
  return MBD_OK;
}

const char *mechanism_quantity(const mechanism *m, int i) {
  return i < m->nobjective ? m->config->objective[i].name : m->config->constraint[i - m->nobjective].name;
}

static mbd_status recall(void *user, const char *decided, mbd_error *err) {
  return choices_take(user, decided, err);
}

static mbd_status decided(void *user, const char **text, mbd_error *err) {
  mechanism *m = user;
  *text = NULL;
  if (!choices_are_made(m)) { return MBD_OK; }
  free(m->decided);
  m->decided = choices_text(m);
  MEMORY_TRY(m->decided, err, "the choice of the gradient's method");
  *text = m->decided;
  return MBD_OK;
}

/* Fills in a problem whose arrays and functions are those of the mechanism. */
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
      .scale_is_open = m->design.scale_is_open,
      .nvalues = m->design.nvalues,
      .values = m->design.values,
      .nc = m->nconstraint + rows_of(m),
      .c_names = m->c_name,
      .c_lower = m->c_lower,
      .c_upper = m->c_upper,
      .c_linear = m->c_linear,
      .has_gradient = method != GRADIENT_NONE,
      .has_hessian = (m->front && m->front->secants) ||
                     (!numbers_are_used(m) && !scenarios_linear(m) &&
                      (method == GRADIENT_DIRECT || method == GRADIENT_DISCRETE_ADJOINT || method == GRADIENT_AUTO)),
      .has_gauss_newton = mechanism_has_gauss_newton(m),
      .user = m,
      .eval = eval,
      .recall = recall,
      .decided = decided,
      .watch = m->config->gradient.watch,
      .nwatch = m->nobjective + m->nconstraint,
      .watch_limit = watch_limit(m),
      .deviate = watch_gradient,
      .samples = noise_test_samples(m),
      .is_noise = noise_test_is_measured(m) ? NULL : noise_test_is_noise};
}
