/* Products with the Jacobian of all quantities: along a direction by direct differentiation, and transposed by an adjoint of their weighted sum. */
#include <math.h>
#include <string.h>

#include "mechanism/cases.h"
#include "mechanism/directional.h"
#include "mechanism/hessian.h"
#include "mechanism/numbers.h"
#include "mechanism/propagate.h"

static const char *variable(const mechanism *m, int j) {
  return m->name[j];
}

/* Refuses a direction or weights [n] that are no numbers, by the names of what they belong to. */
static mbd_status check_numbers(const mechanism *m, int n, const double *v, const char *what,
                                const char *(*name)(const mechanism *m, int i), mbd_error *err) {
  for (int i = 0; i < n; i++) {
    if (isfinite(v[i])) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: the %s of '%s' is %g, expected a number", m->config->path, what, name(m, i),
             v[i]);
  }
  return MBD_OK;
}

static mbd_status check_direction(const mechanism *m, const double *d, mbd_error *err) {
  return check_numbers(m, m->n, d, "change", variable, err);
}

static mbd_status check_weights(const mechanism *m, const double *w, mbd_error *err) {
  return check_numbers(m, m->nobjective + m->nconstraint, w, "weight", mechanism_quantity, err);
}

mbd_status mechanism_jvp(mechanism *m, const double *rho, const double *dx, double *psi, double *dpsi, mbd_error *err) {
  MBD_TRY(check_direction(m, dx, err));
  MBD_TRY(cases_choose_sharpness(m, err));
  MBD_TRY(mechanism_set_design(m, rho, 0, err));
  m->simulations++;
  MBD_TRY(cases_simulate_along(m, dx, 0, err));
  for (int i = 0; i < m->nload; i++) {
    mechanism_case *load = &m->cases[i];
    if (load->config->scenario > 0 && scenarios_linear(m)) { MBD_TRY(propagate_along(m, load, dx, m->dpsi, err)); }
    for (int k = 0; k < load->npsi; k++) {
      m->psi[load->quantity[k]] = load->along[k];
      m->dpsi[load->quantity[k]] = load->along[load->npsi + k];
    }
  }
  MBD_TRY(numbers_evaluate(m, rho, 1, err));
  numbers_along(m, dx);
  MBD_TRY(values_evaluate(m, m->psi, err));
  MBD_TRY(values_along(m, dx, m->dpsi, 0, err));
  memcpy(dpsi, m->dpsi, (size_t)(m->nobjective + m->nconstraint) * sizeof *dpsi);
  if (psi) { memcpy(psi, m->psi, (size_t)(m->nobjective + m->nconstraint) * sizeof *psi); }
  return MBD_OK;
}

static void add_row(const mechanism *m, int quantity, double weight, double *g) {
  const double *row = m->grad + quantity * m->n;
  for (int j = 0; weight != 0 && j < m->n; j++) { g[j] += weight * row[j]; }
}

/* Quantities that are expressions of others have gradients made of theirs, each by itself. */
static mbd_status sum_of_each(mechanism *m, const double *rho, const char *method, const double *w, double *g,
                              mbd_error *err) {
  MBD_TRY(mechanism_evaluate(m, rho, method, err));
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) { add_row(m, i, w[i], g); }
  return MBD_OK;
}

/* One adjoint for each case, and the gradients of quantities that are expressions of scalars. */
static mbd_status one_sum(mechanism *m, const double *rho, gradient_method method, const double *w, double *g,
                          mbd_error *err) {
  const case_request ask = {.method = method, .of_sum = 1, .cotangent = w};
  int quantity;
  MBD_TRY(cases_simulate(m, rho, ask, m->psi, err));
  for (int i = 0; i < m->ncase; i++) {
    if (m->cases[i].npsi > 0) { case_add_sum(m, &m->cases[i], g); }
  }
  MBD_TRY(values_gradient(m, err));
  for (int i = 0; (quantity = values_quantity(m, i)) >= 0; i++) { add_row(m, quantity, w[quantity], g); }
  return MBD_OK;
}

mbd_status mechanism_vjp(mechanism *m, const double *rho, const double *w, double *psi, double *g, mbd_error *err) {
  const gradient_method asked = gradient_method_find(m->config->gradient.method);
  const gradient_method method = asked == GRADIENT_NONE ? GRADIENT_DISCRETE_ADJOINT : asked;
  MBD_TRY(check_weights(m, w, err));
  memset(g, 0, (size_t)m->n * sizeof *g);
  if (values_use_results(m) || gradient_is_numerical(method)) {
    MBD_TRY(sum_of_each(m, rho, gradient_method_name(method), w, g, err));
  } else {
    MBD_TRY(one_sum(m, rho, method, w, g, err));
  }
  if (psi) { memcpy(psi, m->psi, (size_t)(m->nobjective + m->nconstraint) * sizeof *psi); }
  return MBD_OK;
}

mbd_status mechanism_second(mechanism *m, const double *rho, const double *w, const double *d, double *Hd,
                            mbd_error *err) {
  MBD_TRY(check_weights(m, w, err));
  MBD_TRY(check_direction(m, d, err));
  MBD_TRY(hessian_evaluate(m, rho, d, err));
  memset(Hd, 0, (size_t)m->n * sizeof *Hd);
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    for (int j = 0; w[i] != 0 && j < m->n; j++) { Hd[j] += w[i] * m->hess[i * m->n + j]; }
  }
  return MBD_OK;
}
