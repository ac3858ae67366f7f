#include "mechanism/experiments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "config/model_file.h"
#include "files/memory.h"
#include "mechanism/case_gradient.h"
#include "mechanism/criteria.h"
#include "mechanism/information.h"
#include "mechanism/sensors.h"

/* A case with sensors: its simulation with the form "weighted_samples" of their outputs at the nodes. */
typedef struct experiment_case {
  mechanism_case *load;
  int ncolumn, nodes;
  const mbo_sensor_config **sensor; /* [ncolumn] */
  mbd_term *term;                   /* [ncolumn] */
  mbd_samples samples;              /* whose weights are `weight` */
  mbd_sim *sim;
  mbd_referee *referee; /* made when it is first needed */
  mbd_dparams **d;      /* [n] directions of the parameters */
  double *weight;       /* [nodes][ncolumn] cotangent of a product of second order */
  double *J;            /* [nodes][ncolumn][n] outputs by parameters divided by their scales */
  double *by_theta;     /* [2][ncoef] derivatives of the weighted sum, their change along a parameter */
} experiment_case;

typedef struct experiment {
  const mbo_experiment_config *config;
  int is_used, n;
  int *column;   /* [n] each parameter's number among the variables and parameters of the model file */
  double *scale; /* [n] its value at the start, 1 where that is zero */
  int ncase;
  experiment_case *at;
  information is;
  information_precision precision;
  double *covariance;    /* [n][n] of parameters divided by their scales */
  unsigned char *counts; /* [n] 1: it is of interest */
} experiment;

typedef struct experiment_output {
  int experiment, parameter; /* parameter: of a deviation */
  criterion word;
  double value, change;
  double *grad; /* [m->n] */
} experiment_output;

struct mechanism_experiments {
  int n, noutput;
  experiment *item;
  experiment_output *output;
  double *rho; /* [m->n] design of the last evaluation */
};

/* ---- sections and names ---- */

mbd_status experiments_create(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  mechanism_experiments *all = m->experiments = mbd_zeros(1, sizeof *all);
  MEMORY_TRY(all, err, "the experiments");
  all->item = mbd_zeros((size_t)c->nexperiment, sizeof *all->item);
  MEMORY_TRY(all->item, err, "the experiments");
  for (; all->n < c->nexperiment; all->n++) {
    all->item[all->n] = (experiment){.config = &c->experiment[all->n], .n = c->experiment[all->n].parameters.n};
  }
  return MBD_OK;
}

int experiments_are_used(const mechanism *m) {
  return m->experiments->noutput > 0;
}

static mbd_status no_output(const experiment *e, const char *name, mbd_error *err) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  char *known[2] = {mbd_sprintf_dup("%s.information", e->config->name),
                    mbd_sprintf_dup("%s.variance", e->config->name)};
  for (int i = 0; i < 2; i++) {
    if (known[i]) { mbd_nearest_offer(&near, known[i]); }
  }
  mbd_nearest_text(&near, hint, sizeof hint);
  free(known[0]), free(known[1]);
  MBD_FAIL(err, MBD_BAD_INPUT,
           "'%s' is no number of [experiment %s], expected %s.information, %s.variance or %s.deviation.%s%s", name,
           e->config->name, e->config->name, e->config->name, e->config->name, e->config->parameters.v[0], hint);
}

/* rest: of NAME.rest; returns 0 if there is no such number. */
static int read_output(const experiment *e, const char *rest, experiment_output *out) {
  static const char deviation[] = "deviation.";
  out->word = CRITERION_INFORMATION;
  if (strcmp(rest, "information") == 0) { return 1; }
  out->word = CRITERION_VARIANCE;
  if (strcmp(rest, "variance") == 0) { return 1; }
  out->word = CRITERION_DEVIATION;
  if (strncmp(rest, deviation, strlen(deviation)) != 0) { return 0; }
  for (out->parameter = 0; out->parameter < e->n; out->parameter++) {
    if (strcmp(rest + strlen(deviation), e->config->parameters.v[out->parameter]) == 0) { return 1; }
  }
  return 0;
}

mbd_status experiments_output(mechanism *m, const char *name, int *output, mbd_error *err) {
  mechanism_experiments *all = m->experiments;
  *output = -1;
  for (int i = 0; i < all->n; i++) {
    experiment *e = &all->item[i];
    const size_t length = strlen(e->config->name);
    experiment_output one = {.experiment = i};
    if (strncmp(name, e->config->name, length) != 0 || name[length] != '.') { continue; }
    if (!read_output(e, name + length + 1, &one)) { return no_output(e, name, err); }
    experiment_output *grown = mbd_list_grow(all->output, all->noutput, sizeof *grown);
    MEMORY_TRY(grown, err, "the experiments");
    all->output = grown, e->is_used = 1;
    *output = all->noutput, grown[all->noutput++] = one;
    return MBD_OK;
  }
  return MBD_OK;
}

static int is_of_interest(const mbo_experiment_config *k, const char *parameter) {
  int any = k->of_interest.n == 0;
  for (int i = 0; i < k->of_interest.n; i++) { any |= strcmp(k->of_interest.v[i], parameter) == 0; }
  return any;
}

mbd_status experiments_find_parameters(mechanism *m, mbd_error *err) {
  for (int i = 0; i < m->experiments->n; i++) {
    experiment *e = &m->experiments->item[i];
    if (!e->is_used) { continue; }
    e->column = mbd_zeros((size_t)e->n, sizeof *e->column);
    e->scale = mbd_zeros((size_t)e->n, sizeof *e->scale);
    e->counts = mbd_zeros((size_t)e->n, 1);
    MEMORY_TRY(e->column && e->scale && e->counts, err, "the experiments");
    for (int q = 0; q < e->n; q++) {
      double value;
      e->counts[q] = (unsigned char)is_of_interest(e->config, e->config->parameters.v[q]);
      e->column[q] = design_parameter(&m->design, m->variant[0].file, e->config->parameters.v[q], &value);
      MEMORY_TRY(e->column[q] >= 0, err, "the experiments");
      e->scale[q] = value != 0 ? fabs(value) : 1;
    }
  }
  return MBD_OK;
}

/* ---- simulations ---- */

static int measures(const experiment *e, const mbo_sensor_config *sensor) {
  const mbo_names *list = &e->config->sensors;
  int any = list->n == 0;
  for (int i = 0; i < list->n; i++) { any |= strcmp(list->v[i], sensor->name) == 0; }
  return any;
}

static mbd_status make_case(const mechanism *m, const experiment *e, experiment_case *at, mbd_error *err) {
  const mechanism_case *load = at->load;
  const size_t nodes = (size_t)(at->nodes = mbd_sim_steps(load->sim) + 1), n = (size_t)e->n;
  const size_t nsensor = (size_t)m->config->nsensor;
  at->sensor = mbd_zeros(nsensor, sizeof *at->sensor);
  at->term = mbd_zeros(nsensor, sizeof *at->term);
  MEMORY_TRY(at->sensor && at->term, err, "the sensors of case '%s'", load->config->name);
  for (int i = 0; i < m->config->nsensor; i++) {
    if (load->sensor[i] < 0 || !measures(e, &m->config->sensor[i])) { continue; }
    at->term[at->ncolumn] = (mbd_term){
        .form = "weighted_samples", .output = load->sensor[i], .weight = 1, .sharpness = 1, .samples = &at->samples};
    at->sensor[at->ncolumn++] = &m->config->sensor[i];
  }
  at->weight = mbd_zeros(nodes * (size_t)at->ncolumn, sizeof *at->weight);
  at->J = mbd_zeros(nodes * (size_t)at->ncolumn * n, sizeof *at->J);
  at->by_theta = mbd_zeros(2 * (size_t)mbd_model_ncoef(load->v->model), sizeof *at->by_theta);
  at->d = mbd_zeros(n, sizeof *at->d);
  MEMORY_TRY(at->weight && at->J && at->by_theta && at->d, err, "the sensors of case '%s'", load->config->name);
  for (int q = 0; q < e->n; q++) { MBD_TRY(mbd_dparams_create(load->v->model, &at->d[q], err)); }
  at->samples = (mbd_samples){.n = at->nodes, .value = at->weight, .sigma = 1};
  return mbd_sim_create(load->v->model, &load->c, load->outputs, at->ncolumn, at->term, 1, e->n, &at->sim, err);
}

static int has_sensor(const mechanism *m, const experiment *e, const mechanism_case *load) {
  int any = 0;
  for (int i = 0; i < m->config->nsensor; i++) { any |= load->sensor[i] >= 0 && measures(e, &m->config->sensor[i]); }
  return any;
}

static mbd_status located(const mechanism *m, const experiment *e, mbd_status status, mbd_error *err) {
  return mbd_locate(err, status, "%s: [experiment %s] ", m->config->path, e->config->name);
}

mbd_status experiments_set_up(mechanism *m, mbd_error *err) {
  mechanism_experiments *all = m->experiments;
  if (all->noutput == 0) { return MBD_OK; }
  all->rho = mbd_zeros((size_t)m->n, sizeof *all->rho);
  MEMORY_TRY(all->rho, err, "the experiments");
  for (int i = 0; i < all->noutput; i++) {
    all->output[i].grad = mbd_zeros((size_t)m->n, sizeof *all->output[i].grad);
    MEMORY_TRY(all->output[i].grad, err, "the experiments");
  }
  for (int i = 0; i < all->n; i++) {
    experiment *e = &all->item[i];
    if (!e->is_used) { continue; }
    e->at = mbd_zeros((size_t)m->ncase, sizeof *e->at);
    e->covariance = mbd_zeros((size_t)(e->n * e->n), sizeof *e->covariance);
    MEMORY_TRY(e->at && e->covariance, err, "the experiments");
    MBD_TRY(information_create(e->n, &e->is, err));
    MBD_TRY(information_precision_create(e->n, &e->precision, err));
    for (int k = 0; k < m->ncase; k++) {
      if (!has_sensor(m, e, &m->cases[k])) { continue; }
      experiment_case *at = &e->at[e->ncase++];
      at->load = &m->cases[k];
      MBD_TRY(located(m, e, make_case(m, e, at, err), err));
    }
  }
  return MBD_OK;
}

void experiments_destroy(mechanism *m) {
  mechanism_experiments *all = m->experiments;
  if (!all) { return; }
  for (int i = 0; i < all->noutput; i++) { free(all->output[i].grad); }
  for (int i = 0; all->item && i < all->n; i++) {
    experiment *e = &all->item[i];
    for (int k = 0; k < e->ncase; k++) {
      experiment_case *at = &e->at[k];
      for (int q = 0; at->d && q < e->n; q++) { mbd_dparams_destroy(at->d[q]); }
      mbd_sim_destroy(at->sim), mbd_referee_destroy(at->referee);
      free(at->sensor), free(at->term), free(at->d), free(at->weight), free(at->J), free(at->by_theta);
    }
    information_free(&e->is), information_precision_free(&e->precision);
    free(e->column), free(e->scale), free(e->at), free(e->covariance), free(e->counts);
  }
  free(all->item), free(all->output), free(all->rho), free(all);
}

/* ---- information ---- */

/* Simulates a case with the derivatives of its sensors by the parameters, and adds their samples. */
static mbd_status add_case(mechanism *m, experiment *e, experiment_case *at, mbd_error *err) {
  const mechanism_variant *v = at->load->v;
  double psi, *grad = mbd_zeros((size_t)e->n, sizeof *grad);
  MEMORY_TRY(grad, err, "the sensors of case '%s'", at->load->config->name);
  for (int q = 0; q < e->n; q++) {
    const int from = v->start[e->column[q]], to = v->start[e->column[q] + 1];
    mbd_dparams_set(at->d[q], v->params, to - from, v->index + from, v->value + from);
  }
  mbd_sim_watch(at->sim, 0);
  const mbd_status status =
      mbd_sim_run(at->sim, v->params, e->n, at->d, &psi, grad, NULL, mechanism_stop_requested, m, err);
  free(grad);
  MBD_TRY(mechanism_name_case(status, at->load, err));
  mbd_sim_measured(at->sim, 0, NULL, at->J);
  for (int k = 0; k < at->nodes; k++) {
    for (int j = 0; j < at->ncolumn; j++) {
      double *row = at->J + ((size_t)k * (size_t)at->ncolumn + (size_t)j) * (size_t)e->n;
      const double samples = sensor_samples(at->sensor[j], at->load, k);
      for (int q = 0; q < e->n; q++) { row[q] *= e->scale[q]; }
      if (samples > 0) { information_add_row(&e->is, sqrt(samples) / at->sensor[j]->sigma, row); }
    }
  }
  return MBD_OK;
}

/* A parameter that is known before with a deviation is one more sample, of itself. */
static void add_priors(experiment *e) {
  const mbo_number_pairs *prior = &e->config->prior;
  double *row = e->covariance; /* scratch */
  memset(row, 0, (size_t)e->n * sizeof *row);
  for (int i = 0; i < prior->value.n; i++) {
    int q = 0;
    while (strcmp(e->config->parameters.v[q], prior->pairs.name.v[i]) != 0) { q++; }
    row[q] = e->scale[q];
    information_add_row(&e->is, 1 / prior->value.v[i], row);
    row[q] = 0;
  }
}

/* The direction of the parameters that no sample sees, for the message. */
static mbd_status not_determined(const experiment *e, mbd_error *err) {
  static const double shown = 5e-3;
  const double *part = e->precision.V + (size_t)(e->n - 1) * (size_t)e->n;
  char text[300] = "";
  size_t used = 0;
  for (int q = 0; q < e->n && used < sizeof text - 80; q++) {
    if (fabs(part[q]) < shown) { continue; }
    used += (size_t)snprintf(text + used, sizeof text - used, " %+.3g %.40s", part[q], e->config->parameters.v[q]);
  }
  MBD_FAIL(err, MBD_SINGULAR,
           "the sensors determine %d of %d directions of the parameters, divided by their values; not seen:%s; "
           "expected a further sensor, or prior.NAME of one of these",
           e->precision.determined, e->n, text);
}

/* F from the sensors and the priors, and C = F^-1. */
static mbd_status find_information(mechanism *m, experiment *e, mbd_error *err) {
  const int n = e->n;
  information_clear(&e->is);
  add_priors(e);
  for (int k = 0; k < e->ncase; k++) { MBD_TRY(add_case(m, e, &e->at[k], err)); }
  information_judge(&e->is, &e->precision);
  if (e->precision.determined < n) { return located(m, e, not_determined(e, err), err); }
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      double sum = 0;
      for (int k = 0; k < n; k++) {
        const double s = e->precision.s[k];
        sum += e->precision.V[k * n + a] * e->precision.V[k * n + b] / (s * s);
      }
      e->covariance[a * n + b] = sum;
    }
  }
  return MBD_OK;
}

/* ---- gradients ---- */

/* The cotangent of parameter q, w_kj = 2 samples_kj/sigma_j^2 (J G)_kjq. Returns the part of the sensors with a rate in sum_kj w_kj J_kjq/2. */
static double set_weights(const experiment *e, experiment_case *at, const double *G, int q) {
  const int n = e->n;
  double of_rates = 0;
  for (int k = 0; k < at->nodes; k++) {
    for (int j = 0; j < at->ncolumn; j++) {
      const double *row = at->J + ((size_t)k * (size_t)at->ncolumn + (size_t)j) * (size_t)n;
      double sum = 0;
      for (int r = 0; r < n; r++) { sum += row[r] * G[r * n + q]; }
      const double sigma = at->sensor[j]->sigma,
                   w = 2 * sensor_samples(at->sensor[j], at->load, k) / sigma * sum / sigma;
      at->weight[k * at->ncolumn + j] = w;
      if (!isnan(at->sensor[j]->rate)) { of_rates += w * row[q] / 2; }
    }
  }
  return of_rates;
}

static mbd_status need_second(experiment_case *at, mbd_error *err) {
  mechanism_case *load = at->load;
  if (!load->v->moved) { load->v->moved = mbd_zeros((size_t)mbd_model_ncoef(load->v->model), 1); }
  MEMORY_TRY(load->v->moved, err, "the second derivatives of case '%s'", load->config->name);
  mbo_model_file_moved(load->v->file, load->v->moved);
  if (at->referee) { return MBD_OK; }
  return case_referee_of(load, at->ncolumn, at->term, 1, &at->referee, err);
}

/* grad [m->n] += scale_q sum_kj w_kj d2 y_kj/(dp_q dx), by one product of second order; along [variables and parameters] is zero before and after. */
static mbd_status add_product(const mechanism *m, const experiment *e, experiment_case *at, int q, double *along,
                              double *second, double *grad, mbd_error *err) {
  const mechanism_variant *v = at->load->v;
  const int column = e->column[q], from = v->start[column], n = m->n + m->design.nparameter;
  const mbd_adjoint_options o = {.memory_limit = case_memory_limit(m), .requested = v->moved};
  double psi, *change = at->by_theta + mbd_model_ncoef(v->model);
  if (m->stop && *m->stop) { MBD_FAIL(err, MBD_INTERRUPTED, "stopped"); }
  MBD_TRY(mbd_referee_second(at->referee, v->theta, &o, v->start[column + 1] - from, v->index + from, v->value + from,
                             &psi, at->by_theta, change, err));
  /* What the expressions of the model file add, where a coefficient depends on the parameter and a variable. */
  memset(second, 0, (size_t)n * sizeof *second);
  along[column] = 1;
  const mbd_status status = mbo_model_file_second(v->file, at->by_theta, along, second, err);
  along[column] = 0;
  for (int j = 0; j < m->n; j++) { grad[j] += e->scale[q] * (case_to_variable(v, j, change) + second[j]); }
  return status;
}

/* A duration T that varies: samples of a sensor with a rate are as many as belong to it, so that F has the derivative F/T. */
static void add_duration(const mechanism *m, const experiment_case *at, double of_rates, double *grad) {
  const mechanism_variant *v = at->load->v;
  for (int j = 0; at->load->c.free_duration && j < m->n; j++) {
    for (int i = v->start[j]; i < v->start[j + 1]; i++) {
      if (v->index[i] == at->load->c.free_duration - 1) {
        grad[j] += of_rates * v->value[i] / sensor_duration(at->load);
      }
    }
  }
}

/* dphi = tr(G dF) = sum_q 2 tr of (J G)_q' W dJ_q, by a product for each parameter and case. */
static mbd_status derive(const mechanism *m, const experiment *e, const double *G, double *grad, mbd_error *err) {
  const size_t n = (size_t)(m->n + m->design.nparameter);
  double *along = mbd_zeros(2 * n, sizeof *along), *second = along ? along + n : NULL;
  mbd_status status = along ? MBD_OK : MEMORY_NONE(err, "the gradient of an experiment");
  memset(grad, 0, (size_t)m->n * sizeof *grad);
  for (int k = 0; k < e->ncase && status == MBD_OK; k++) {
    experiment_case *at = &e->at[k];
    double of_rates = 0;
    status = need_second(at, err);
    for (int q = 0; q < e->n && status == MBD_OK; q++) {
      of_rates += set_weights(e, at, G, q);
      status = add_product(m, e, at, q, along, second, grad, err);
    }
    add_duration(m, at, of_rates, grad);
    status = mechanism_name_case(status, at->load, err);
  }
  free(along);
  return status;
}

/* ---- evaluation ---- */

/* A deviation is told in the unit of its parameter. */
static void scale_deviation(const experiment *e, experiment_output *o, double *G) {
  o->value *= e->scale[o->parameter];
  for (int k = 0; k < e->n * e->n; k++) { G[k] *= e->scale[o->parameter]; }
}

mbd_status experiments_evaluate(mechanism *m, const double *rho, int gradient, mbd_error *err) {
  mechanism_experiments *all = m->experiments;
  size_t max = 0;
  if (all->noutput == 0) { return MBD_OK; }
  memcpy(all->rho, rho, (size_t)m->n * sizeof *rho);
  for (int i = 0; i < all->n; i++) {
    if (!all->item[i].is_used) { continue; }
    MBD_TRY(find_information(m, &all->item[i], err));
    max = (size_t)all->item[i].n > max ? (size_t)all->item[i].n : max;
  }
  double *G = mbd_zeros(2 * max * max, sizeof *G);
  MEMORY_TRY(G, err, "the experiments");
  mbd_status status = MBD_OK;
  for (int i = 0; i < all->noutput && status == MBD_OK; i++) {
    experiment_output *o = &all->output[i];
    const experiment *e = &all->item[o->experiment];
    o->value = criterion_evaluate(o->word, e->n, e->covariance, e->counts, o->parameter, G, G + max * max);
    if (o->word == CRITERION_DEVIATION) { scale_deviation(e, o, G); }
    if (gradient && m->n > 0) { status = located(m, e, derive(m, e, G, o->grad, err), err); }
  }
  free(G);
  return status;
}

double experiments_value(const mechanism *m, int output) {
  return m->experiments->output[output].value;
}

const double *experiments_gradient(const mechanism *m, int output) {
  return m->experiments->output[output].grad;
}

double experiments_change(const mechanism *m, int output) {
  return m->experiments->output[output].change;
}

/* ---- along a direction ---- */

void experiments_along(mechanism *m, const double *w) {
  for (int i = 0; i < m->experiments->noutput; i++) {
    experiment_output *o = &m->experiments->output[i];
    o->change = 0;
    for (int j = 0; j < m->n; j++) { o->change += o->grad[j] * w[j]; }
  }
}

/* table [noutput][3]: (phi(rho + h w) - phi(rho - h w))/(2 h) for h, h/2, h/4; x [n] scratch. */
static mbd_status difference(mechanism *m, const double *rho, const double *w, double h, double *x, double *table,
                             mbd_error *err) {
  const mechanism_experiments *all = m->experiments;
  for (int level = 0; level < 3; level++, h /= 2) {
    for (int side = 1; side >= -1; side -= 2) {
      for (int j = 0; j < m->n; j++) { x[j] = rho[j] + side * h * w[j]; }
      MBD_TRY(mechanism_set_design(m, x, 0, err));
      MBD_TRY(experiments_evaluate(m, x, 0, err));
      for (int i = 0; i < all->noutput; i++) { table[3 * i + level] += side * all->output[i].value / (2 * h); }
    }
  }
  return MBD_OK;
}

/* Central differences with steps of a hundredth of the scales, a half and a quarter of that, extrapolated to the order six. */
mbd_status experiments_differences(mechanism *m, const double *w, mbd_error *err) {
  mechanism_experiments *all = m->experiments;
  const size_t n = (size_t)m->n, size = 2 * n + 4 * (size_t)all->noutput;
  double largest = 0;
  if (all->noutput == 0) { return MBD_OK; }
  double *rho = mbd_zeros(size, sizeof *rho), *x = rho + n, *value = x + n, *table = value + all->noutput;
  MEMORY_TRY(rho, err, "the experiments");
  memcpy(rho, all->rho, n * sizeof *rho);
  for (int i = 0; i < all->noutput; i++) { value[i] = all->output[i].value; }
  for (int j = 0; j < m->n; j++) { largest = fmax(largest, fabs(w[j]) / m->scale[j]); }
  mbd_status status = largest > 0 ? difference(m, rho, w, 0.01 / largest, x, table, err) : MBD_OK;
  for (int i = 0; i < all->noutput; i++) {
    const double *d = table + 3 * i, first = (4 * d[1] - d[0]) / 3, second = (4 * d[2] - d[1]) / 3;
    all->output[i].change = (16 * second - first) / 15;
    all->output[i].value = value[i];
  }
  memcpy(all->rho, rho, n * sizeof *rho);
  if (status == MBD_OK) { status = mechanism_set_design(m, rho, 0, err); }
  free(rho);
  return status;
}
