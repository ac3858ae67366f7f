#include "fit/next_measurements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "fit/division.h"
#include "mechanism/case_gradient.h"
#include "mechanism/information.h"
#include "mechanism/sensors.h"

/* A series that could be added, with its information on the estimated variables, divided by their scales. */
typedef struct candidate {
  const mechanism_case *load;
  int output;
  const mbo_sensor_config *sensor; /* NULL: one sample at each node, or it was measured */
  double sigma, samples;
  information is;
  fit_next next; /* of sensors and held out measurements */
} candidate;

typedef struct choice {
  fit *f;
  int n, *variable;        /* [n] the estimated variables */
  int ncandidate, nseries; /* the first nseries are sensors and held out measurements, then informative outputs */
  candidate *candidate;
  information data, with; /* of the data; scratch */
  information_precision now, best;
  double *row; /* [f->n], [n] scratch */
} choice;

/* ---- what could be measured ---- */

static void take_row(const choice *c, information *is, double weight, const double *by_scaled) {
  double *row = c->row + c->f->n;
  for (int j = 0; j < c->n; j++) { row[j] = by_scaled[c->variable[j]]; }
  information_add_row(is, weight, row);
}

static mechanism_case *case_named(mechanism *m, const char *name) {
  int i = 0;
  while (strcmp(m->cases[i].config->name, name) != 0) { i++; }
  return &m->cases[i];
}

static void list_sensors(choice *c, mechanism *m) {
  for (int i = 0; i < m->config->nsensor; i++) {
    const mbo_sensor_config *k = &m->config->sensor[i];
    const mechanism_case *load = case_named(m, k->in_case);
    c->candidate[c->ncandidate++] =
        (candidate){.load = load,
                    .output = load->sensor[i],
                    .sensor = k,
                    .sigma = k->sigma,
                    .next = {.name = k->name, .of = k->of, .unit = mbd_outputs_unit(load->outputs, load->sensor[i])}};
  }
}

/* Held out measurements whose sigma is known have their rows already. */
static void list_held_out(choice *c) {
  for (int k = 0; k < c->f->nseries; k++) {
    const fit_series *s = &c->f->series[k];
    if (!s->config->hold_out || isnan(s->config->sigma)) { continue; }
    c->candidate[c->ncandidate++] =
        (candidate){.load = s->in_case,
                    .sigma = s->config->sigma,
                    .samples = s->samples->n,
                    .next = {.name = s->config->name, .of = s->config->of, .unit = s->unit, .held_out = 1}};
  }
}

static void list_informative(choice *c, mechanism *m) {
  for (int k = 0; k < c->f->ndirection; k++) {
    for (int i = 0; i < c->f->direction[k].ninformative; i++) {
      const fit_informative_output *o = &c->f->direction[k].informative_output[i];
      const mechanism_case *load = case_named(m, o->in_case);
      int output = 0;
      while (strcmp(mbd_outputs_name(load->outputs, output), o->output) != 0) { output++; }
      c->candidate[c->ncandidate++] = (candidate){.load = load, .output = output, .sigma = o->sigma};
    }
  }
}

/* ---- their information ---- */

/* The candidates of one case while it runs. */
typedef struct observed {
  choice *c;
  const mechanism *m;
  const mechanism_case *load;
} observed;

static int is_observed(const candidate *one, const mechanism_case *load) {
  return one->load == load && !one->next.held_out;
}

static int add_node(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                    const double *lam, const double *y) {
  const observed *o = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  if (o->m->stop && *o->m->stop) { return 1; }
  for (int i = 0; i < o->c->ncandidate; i++) {
    candidate *one = &o->c->candidate[i];
    if (!is_observed(one, o->load)) { continue; }
    const double samples = one->sensor ? sensor_samples(one->sensor, o->load, k) : 1;
    if (samples == 0) { continue; }
    mbd_sim_output_sens(o->load->sim, one->output, o->c->row);
    for (int j = 0; j < o->m->n; j++) { o->c->row[j] *= o->m->scale[j]; }
    take_row(o->c, &one->is, sqrt(samples) / one->sigma, o->c->row);
    one->samples += samples;
  }
  return 0;
}

/* Runs every case in which something could be measured; one without objectives has no directions yet. */
static mbd_status run_cases(choice *c, mechanism *m, mbd_error *err) {
  const case_request ask = {.method = GRADIENT_DIRECT};
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *load = &m->cases[i];
    observed o = {c, m, load};
    int any = 0;
    for (int k = 0; k < c->ncandidate; k++) { any |= is_observed(&c->candidate[k], load); }
    if (!any) { continue; }
    MBD_TRY(case_prepare(m, load, ask, err));
    MBD_TRY(mechanism_set_design(m, c->f->x, 1, err));
    MBD_TRY(mechanism_name_case(
        mbd_sim_run(load->sim, load->v->params, m->n, load->v->d, load->psi, load->grad, NULL, add_node, &o, err), load,
        err));
  }
  return MBD_OK;
}

/* Rows of the measured series: of the data, whose deviations are those of the noise that was found, and of those that are held out. */
static void take_measured(choice *c) {
  const fit *f = c->f;
  candidate *held_out = c->candidate + f->m->config->nsensor;
  for (int k = 0; k < f->nseries; k++) {
    const fit_series *s = &f->series[k];
    if (s->config->hold_out && isnan(s->config->sigma)) { continue; }
    information *is = s->config->hold_out ? &held_out++->is : &c->data;
    const double weight = s->config->hold_out ? 1 : 1 / (f->few * f->noise);
    for (int i = 0; i < s->samples->n; i++) { take_row(c, is, weight, s->J + i * f->n); }
  }
}

/* ---- what they make of the estimates ---- */

/* Precision of the data with those before a candidate, c->data, and the candidate. */
static void judge(choice *c, const candidate *one, information_precision *p) {
  information_clear(&c->with);
  information_add(&c->with, &c->data);
  if (one) { information_add(&c->with, &one->is); }
  information_judge(&c->with, p);
}

static mbd_status take_deviations(const choice *c, const information_precision *p, double **out, mbd_error *err) {
  *out = mbd_zeros((size_t)c->f->n, sizeof **out);
  MEMORY_TRY(*out, err, "the statistics of the fit");
  for (int j = 0; j < c->n; j++) { (*out)[c->variable[j]] = c->f->m->scale[c->variable[j]] * p->deviation[j]; }
  return MBD_OK;
}

static mbd_status judge_informative(choice *c, mbd_error *err) {
  candidate *one = c->candidate + c->nseries;
  for (int k = 0; k < c->f->ndirection; k++) {
    for (int i = 0; i < c->f->direction[k].ninformative; i++, one++) {
      fit_informative_output *o = &c->f->direction[k].informative_output[i];
      judge(c, one, &c->now);
      o->samples = (int)one->samples;
      MBD_TRY(take_deviations(c, &c->now, &o->deviation, err));
    }
  }
  return MBD_OK;
}

static int by_volume(const fit *f) {
  return strcmp(f->m->config->fit.criterion, "D") == 0;
}

/* The directions that are determined come first, since an unknown one is worse than any deviation; then the criterion. */
static int is_better(const fit *f, const information_precision *a, const information_precision *b) {
  if (a->determined != b->determined) { return a->determined > b->determined; }
  return by_volume(f) ? a->log_det > b->log_det : a->trace < b->trace;
}

/* By which factor intervals become shorter from a to b. */
static double width(const fit *f, const information_precision *a, const information_precision *b) {
  if (a->determined != b->determined || a->determined == 0) { return NAN; }
  return by_volume(f) ? exp((a->log_det - b->log_det) / (2 * a->determined)) : sqrt(b->trace / a->trace);
}

static void swap(information_precision *a, information_precision *b) {
  const information_precision x = *a;
  *a = *b, *b = x;
}

/* The best of the candidates that are left joins the data, until none is left: each step takes the best one, their order is not the best of all. */
static mbd_status put_in_order(choice *c, mbd_error *err) {
  fit *f = c->f;
  information_precision before = {.n = 0};
  MBD_TRY(information_precision_create(c->n, &before, err));
  mbd_status status = MBD_OK;
  judge(c, NULL, &before);
  for (int left = c->nseries; left > 0 && status == MBD_OK; left--) {
    int best = -1;
    for (int i = 0; i < left; i++) {
      judge(c, &c->candidate[i], &c->now);
      if (best < 0 || is_better(f, &c->now, &c->best)) {
        best = i;
        swap(&c->now, &c->best);
      }
    }
    candidate *one = &c->candidate[best], chosen = *one;
    fit_next *next = &f->next[f->nnext++];
    *next = chosen.next;
    next->in_case = chosen.load->config->name, next->sigma = chosen.sigma, next->samples = chosen.samples;
    next->determined = c->best.determined, next->width = width(f, &before, &c->best);
    status = take_deviations(c, &c->best, &next->deviation, err);
    information_add(&c->data, &chosen.is);
    swap(&before, &c->best);
    memmove(one, one + 1, (size_t)(left - 1 - best) * sizeof *one);
    c->candidate[left - 1] = chosen;
  }
  information_precision_free(&before);
  return status;
}

/* Sets the shares of sensors and held out measurements. */
static mbd_status divide(choice *c, mbd_error *err) {
  information **list = mbd_zeros((size_t)c->nseries, sizeof *list);
  double *share = mbd_zeros((size_t)c->nseries, sizeof *share);
  mbd_status status = list && share ? MBD_OK : MEMORY_NONE(err, "the statistics of the fit");
  for (int i = 0; status == MBD_OK && i < c->nseries; i++) { list[i] = &c->candidate[i].is; }
  if (status == MBD_OK && c->nseries > 0) {
    status = division_find(&c->data, c->nseries, list, by_volume(c->f), share, &c->f->share_gap, err);
  }
  for (int i = 0; status == MBD_OK && i < c->nseries; i++) { c->candidate[i].next.share = share[i]; }
  free(list), free(share);
  return status;
}

/* ---- all of it ---- */

static mbd_status find(choice *c, mechanism *m, mbd_error *err) {
  fit *f = c->f;
  list_sensors(c, m);
  list_held_out(c);
  c->nseries = c->ncandidate;
  list_informative(c, m);
  if (c->ncandidate == 0 || c->n == 0) { return MBD_OK; }
  for (int i = 0; i < c->ncandidate; i++) { MBD_TRY(information_create(c->n, &c->candidate[i].is, err)); }
  MBD_TRY(information_create(c->n, &c->data, err));
  MBD_TRY(information_create(c->n, &c->with, err));
  MBD_TRY(information_precision_create(c->n, &c->now, err));
  MBD_TRY(information_precision_create(c->n, &c->best, err));
  f->next = mbd_zeros((size_t)c->nseries, sizeof *f->next);
  MEMORY_TRY(f->next, err, "the statistics of the fit");
  take_measured(c);
  MBD_TRY(run_cases(c, m, err));
  MBD_TRY(divide(c, err));
  MBD_TRY(judge_informative(c, err));
  return put_in_order(c, err);
}

mbd_status next_measurements_find(fit *f, mechanism *m, mbd_error *err) {
  const size_t max = (size_t)(m->config->nsensor + f->nseries + f->ndirection * FIT_INFORMATIVE_OUTPUTS);
  choice c = {.f = f,
              .variable = mbd_zeros((size_t)f->n, sizeof *c.variable),
              .candidate = mbd_zeros(max, sizeof *c.candidate),
              .row = mbd_zeros(2 * (size_t)f->n, sizeof *c.row)};
  mbd_status status = c.variable && c.candidate && c.row ? MBD_OK : MEMORY_NONE(err, "the statistics of the fit");
  for (int j = 0; c.variable && j < f->n; j++) {
    if (!f->bound[j]) { c.variable[c.n++] = j; }
  }
  if (status == MBD_OK) { status = find(&c, m, err); }
  for (int i = 0; i < c.ncandidate; i++) { information_free(&c.candidate[i].is); }
  information_free(&c.data), information_free(&c.with);
  information_precision_free(&c.now), information_precision_free(&c.best);
  free(c.variable), free(c.candidate), free(c.row);
  return status;
}
