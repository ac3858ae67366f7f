#include "mechanism/propagate.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/case_gradient.h"
#include "mechanism/scenarios.h"

/* What a product of second derivatives leaves. */
typedef struct product {
  double *by_theta,
      *change; /* [npsi][ncoef] of the quantities by coefficients, and their change along the direction; of one alone in the first row */
  double *direction, *along; /* [ncoef]; [variables] */
  double *second, *Cg;       /* [variables] */
  double *psi, *only;        /* [npsi]; of the one whose adjoint is asked for 1, of others 0 */
  int *index;                /* [ncoef] */
} product;

static mbd_status product_create(const mechanism_case *load, product *p, mbd_error *err) {
  const size_t nc = (size_t)mbd_model_ncoef(load->v->model), npsi = (size_t)load->npsi,
               nv = (size_t)load->v->directions;
  *p = (product){.by_theta = calloc(2 * npsi * (nc + 1) + nc + 3 * nv + 1, sizeof(double)),
                 .index = calloc(nc + 1, sizeof(int))};
  MEMORY_TRY(p->by_theta && p->index, err, "the scatter of case '%s'", load->config->name);
  p->change = p->by_theta + npsi * nc, p->direction = p->change + npsi * nc, p->along = p->direction + nc;
  p->second = p->along + nv, p->Cg = p->second + nv, p->psi = p->Cg + nv, p->only = p->psi + npsi;
  return MBD_OK;
}

static void product_free(product *p) {
  free(p->by_theta), free(p->index);
}

mbd_status propagate_prepare(mechanism_case *load, mbd_error *err) {
  mechanism_variant *v = load->v;
  if (!v->moved) { v->moved = calloc((size_t)mbd_model_ncoef(v->model) + 1, 1); }
  MEMORY_TRY(v->moved, err, "the scatter of case '%s'", load->config->name);
  mbo_model_file_moved(v->file, v->moved);
  return load->referee ? MBD_OK : case_make_referee(load, err);
}

/* Along p->along, of all quantities of the case; one: of the one in p->only. */
static mbd_status run_product(const mechanism *m, mechanism_case *load, int one, product *p, mbd_error *err) {
  const mechanism_variant *v = load->v;
  const mbd_adjoint_options o = {
      .memory_limit = case_memory_limit(m), .requested = v->moved, .nsum = one, .sum = p->only};
  if (m->stop && *m->stop) { MBD_FAIL(err, MBD_INTERRUPTED, "stopped"); }
  const int n = case_direction(v->directions, v, p->along, p->index, p->direction);
  return mbd_referee_second(load->referee, v->theta, &o, n, p->index, p->direction, p->psi, p->by_theta, p->change,
                            err);
}

/* p->second [variables] := H p->along of the quantity in row k. */
static mbd_status collect(const mechanism_case *load, int k, product *p, mbd_error *err) {
  const mechanism_variant *v = load->v;
  const size_t nc = (size_t)mbd_model_ncoef(v->model);
  for (int j = 0; j < v->directions; j++) { p->second[j] = case_to_variable(v, j, p->change + (size_t)k * nc); }
  return mbo_model_file_second(v->file, p->by_theta + (size_t)k * nc, p->along, p->second, err);
}

static scenario_quantity *across_of(const mechanism *m, const mechanism_case *load, int k) {
  return &m->scenarios->across[scenarios_across(m, scenarios_owner(m, load->quantity[k]))];
}

/* The gradient of sigma is not defined where it is zero; zero is one of its subgradients. Of a mean it is not needed. */
static mbd_status add_gradient(const mechanism *m, mechanism_case *load, int k, scenario_quantity *a, product *p,
                               mbd_error *err) {
  double slope[2];
  memset(a->gradient, 0, (size_t)m->n * sizeof *a->gradient);
  measure_of_normal(a->is, &a->numbers, load->psi[k], a->sigma, slope);
  if (!(a->sigma > 0) || slope[1] == 0) { return MBD_OK; }
  memset(p->along, 0, (size_t)load->v->directions * sizeof *p->along);
  scenarios_spread(m->scenarios, a->by_deviate, p->along + m->n);
  for (int i = m->n; i < load->v->directions; i++) { p->along[i] /= a->sigma; }
  memset(p->only, 0, (size_t)load->npsi * sizeof *p->only);
  p->only[k] = 1;
  MBD_TRY(run_product(m, load, 1, p, err));
  MBD_TRY(collect(load, 0, p, err));
  memcpy(a->gradient, p->second, (size_t)m->n * sizeof *a->gradient);
  return MBD_OK;
}

mbd_status propagate_run(mechanism *m, mechanism_case *load, int gradient, mbd_error *err) {
  const int nu = m->scenarios->nuncertain;
  product p;
  mbd_status status = product_create(load, &p, err);
  for (int k = 0; status == MBD_OK && k < load->npsi; k++) {
    scenario_quantity *a = across_of(m, load, k);
    for (int i = 0; i < nu; i++) { a->by_deviate[i] = case_derivative(load, k, m->n + i); }
    a->sigma = scenarios_spread(m->scenarios, a->by_deviate, p.Cg);
    if (gradient && m->n > 0) { status = add_gradient(m, load, k, a, &p, err); }
  }
  product_free(&p);
  return status;
}

mbd_status propagate_along(mechanism *m, mechanism_case *load, const double *w, double *dpsi, mbd_error *err) {
  const int n = m->n, nu = m->scenarios->nuncertain;
  const size_t nc = (size_t)mbd_model_ncoef(load->v->model);
  product p;
  mbd_status status = propagate_prepare(load, err);
  MBD_TRY(status);
  status = product_create(load, &p, err);
  if (status == MBD_OK) {
    memcpy(p.along, w, (size_t)n * sizeof *w);
    status = run_product(m, load, 0, &p, err);
  }
  for (int k = 0; status == MBD_OK && k < load->npsi; k++) {
    scenario_quantity *a = across_of(m, load, k);
    const double *by_theta = p.by_theta + (size_t)k * nc;
    double mean = 0, along = 0;
    for (int j = 0; j < n; j++) { mean += w[j] == 0 ? 0 : w[j] * case_to_variable(load->v, j, by_theta); }
    for (int i = 0; i < nu; i++) { a->by_deviate[i] = case_to_variable(load->v, n + i, by_theta); }
    status = collect(load, k, &p, err); /* dg/dw in its last numbers */
    a->sigma = scenarios_spread(m->scenarios, a->by_deviate, p.Cg);
    for (int i = 0; i < nu; i++) { along += p.Cg[i] * p.second[n + i]; }
    a->along = a->sigma > 0 ? along / a->sigma : 0;
    m->psi[load->quantity[k]] = p.psi[k], dpsi[load->quantity[k]] = mean;
  }
  product_free(&p);
  return status;
}

mbd_status propagate_curvature(mechanism *m, mechanism_case *load, mbd_error *err) {
  product p;
  mbd_status status = product_create(load, &p, err);
  for (int i = 0; status == MBD_OK && i < m->scenarios->nuncertain; i++) {
    scenarios_column(m, i, p.along);
    status = run_product(m, load, 0, &p, err);
    for (int k = 0; status == MBD_OK && k < load->npsi; k++) {
      status = collect(load, k, &p, err);
      for (int j = m->n; j < load->v->directions; j++) { across_of(m, load, k)->curvature += p.along[j] * p.second[j]; }
    }
  }
  product_free(&p);
  return status;
}
