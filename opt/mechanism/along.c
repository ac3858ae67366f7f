#include "mechanism/along.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mechanism/case_gradient.h"
#include "mechanism/lockstep.h"
#include "files/memory.h"

/* ---- the direction ---- */

void along_draw(const mechanism *m, int number, double *d) {
  uint64_t state = (uint64_t)number;
  for (int j = 0; j < m->n; j++) { d[j] = (2 * random_unit(&state) - 1) * m->scale[j]; }
}

/* Sets *column, which it creates if it is NULL, to the direction (dtheta/drho) d of the coefficients at the numbers p. */
mbd_status along_column(const mechanism *m, const mechanism_variant *v, const mbd_params *p, const double *d,
                        mbd_dparams **column, mbd_error *err) {
  const int nc = mbd_model_ncoef(v->model);
  double *dtheta = calloc((size_t)nc + 1, sizeof *dtheta);
  int *index = malloc(((size_t)nc + 1) * sizeof *index), n = 0;
  mbd_status status = dtheta && index ? MBD_OK : MEMORY_NONE(err, "a direction");
  if (status == MBD_OK && !*column) { status = mbd_dparams_create(v->model, column, err); }
  if (status == MBD_OK) {
    for (int j = 0; j < m->n; j++) {
      for (int i = v->start[j]; i < v->start[j + 1]; i++) { dtheta[v->index[i]] += v->value[i] * d[j]; }
    }
    for (int i = 0; i < nc; i++) {
      if (dtheta[i] != 0) { dtheta[n] = dtheta[i], index[n++] = i; }
    }
    mbd_dparams_set(*column, p, n, index, dtheta);
  }
  free(dtheta), free(index);
  return status;
}

/* ---- the comparison ---- */

static void compare(const mechanism *m, const double *g, const double *d, double along, double *difference,
                    double *size) {
  double sum = 0;
  *size = 0;
  for (int j = 0; j < m->n; j++) { sum += g[j] * d[j], *size += fabs(g[j] * d[j]); }
  *difference = fabs(sum - along);
}

/* along [npsi]: the derivatives of the case's quantities along d. */
void along_compare(const mechanism *m, const mechanism_case *load, const double *d, const double *along, double *g,
                   double *difference, double *size) {
  if (load->ask.of_sum) {
    const int row = load->quantity[0];
    double sum = 0;
    memset(g, 0, (size_t)m->n * sizeof *g);
    case_add_sum(m, load, g);
    for (int k = 0; k < case_in_sum(load); k++) { sum += case_weight(m, load, k) * along[k]; }
    compare(m, g, d, sum, &difference[row], &size[row]);
  }
  for (int k = load->ask.of_sum ? case_in_sum(load) : 0; k < load->npsi; k++) {
    const int row = load->quantity[k];
    case_row(m, load, k, g);
    compare(m, g, d, along[k], &difference[row], &size[row]);
  }
}

/* ---- gradients that rounding decides ---- */

static const double doubtful = 1e3; /* growth from which a gradient is computed a second time, along one direction */
static const double again = 10;     /* growth, relative to the largest that was confirmed, from which it is so again */
static const double tighter = 1e-2; /* factor of the tolerance of the steps */
static const double decided = 1e-5; /* deviation from which rounding decides a gradient */

/* The numbers of the design, changed in their last digits. */
static mbd_status nudge(const mechanism_variant *v, mbd_params **out, mbd_error *err) {
  const int nc = mbd_model_ncoef(v->model);
  uint64_t state = 1;
  double *theta = malloc(((size_t)nc + 1) * sizeof *theta);
  MEMORY_TRY(theta, err, "%d coefficients", nc);
  for (int i = 0; i < nc; i++) { theta[i] = v->theta[i] * (1 + 8 * DBL_EPSILON * (2 * random_unit(&state) - 1)); }
  const mbd_status status = mbd_params_create(v->model, theta, out, err);
  free(theta);
  return status;
}

/* along [npsi]: derivatives along d, from numbers changed in their last digits and steps of a tighter tolerance. */
static mbd_status nudged_along(mechanism *m, const mechanism_case *load, const double *d, double *psi, double *along,
                               mbd_error *err) {
  mbd_case c = load->c;
  mbd_params *p = NULL;
  mbd_dparams *column = NULL;
  mbd_sim *sim = NULL;
  c.tolerance *= tighter;
  mbd_status status = nudge(load->v, &p, err);
  if (status == MBD_OK) { status = along_column(m, load->v, p, d, &column, err); }
  if (status == MBD_OK) {
    status = mbd_sim_create(load->v->model, &c, load->outputs, load->nterm, load->term, load->npsi, 1, &sim, err);
  }
  if (status == MBD_OK) {
    mbd_sim_watch(sim, 0);
    status = mbd_sim_run(sim, p, 1, &column, psi, along, NULL, mechanism_stop_requested, m, err);
  }
  mbd_sim_destroy(sim), mbd_dparams_destroy(column), mbd_params_destroy(p);
  return status;
}

static const char *quantity(const mechanism *m, int i) {
  return i < m->nobjective ? m->config->objective[i].name : m->config->constraint[i - m->nobjective].name;
}

/* The largest deviation of a quantity, if it is too large, becomes the doubt of the case. */
static void judge(const mechanism *m, mechanism_case *load, double growth, const double *difference,
                  const double *size) {
  double max = 0;
  int worst = 0;
  for (int i = 0; i < m->nall; i++) {
    const double deviation = size[i] > 0 ? fmin(difference[i] / size[i], 1) : 0;
    if (deviation > max) { max = deviation, worst = i; }
  }
  if (max <= decided) {
    load->confirmed = fmax(load->confirmed, growth);
    return;
  }
  snprintf(
      load->doubt, sizeof load->doubt,
      "from t = %.4g s on sensitivities grow, to %.1e, and rounding decides %.3g %% of the gradient of '%s': along a "
      "random "
      "direction it changes by so much where the numbers of the model change in their last digits and steps have a "
      "hundredth of their tolerance. A shorter duration, more damping, or a design away from positions in which joints "
      "are in line",
      load->doubt_time, growth, 100 * max, quantity(m, scenarios_owner(m, worst)));
}

/* d [n], g [n], psi [npsi], along [npsi], difference [nall], size [nall] */
static mbd_status compare_nudged(mechanism *m, mechanism_case *load, double growth, double *d, mbd_error *err) {
  const size_t n = (size_t)m->n, nq = (size_t)m->nall, npsi = (size_t)load->npsi;
  double *g = d + n, *psi = g + n, *along = psi + npsi, *difference = along + npsi, *size = difference + nq;
  mbd_error why = {0};
  /* Derivatives along a random direction, from changed numbers and with a tighter tolerance of the steps. */
  along_draw(m, 1, d);
  const mbd_status status = nudged_along(m, load, d, psi, along, &why);
  /* Lack of memory and a stop say nothing about the gradient. */
  if (status == MBD_NO_MEMORY || status == MBD_INTERRUPTED) {
    if (err) { *err = why; }
    return status;
  }
  /* A design that changes in its last digits and then cannot be simulated puts the gradient in doubt. */
  if (status != MBD_OK) {
    snprintf(load->doubt, sizeof load->doubt,
             "from t = %.4g s on sensitivities grow, to %.1e, and rounding decides the gradient: where the numbers of "
             "the model "
             "change in their last digits, the design cannot be simulated (%.200s)",
             load->doubt_time, growth, why.text);
    return MBD_OK;
  }
  /* Otherwise the deviation of the gradient along the direction decides. */
  along_compare(m, load, d, along, g, difference, size);
  judge(m, load, growth, difference, size);
  return MBD_OK;
}

mbd_status along_check_growth(mechanism *m, mechanism_case *load, mbd_error *err) {
  const size_t n = (size_t)m->n, nq = (size_t)m->nall;
  const double growth = case_growth(load, &load->doubt_time);
  load->doubt[0] = '\0';
  if (!(growth > fmax(doubtful, again * load->confirmed))) { return MBD_OK; }
  double *d = calloc(2 * (n + nq + (size_t)load->npsi), sizeof *d);
  MEMORY_TRY(d, err, "a direction");
  const mbd_status status = compare_nudged(m, load, growth, d, err);
  free(d);
  return status;
}
