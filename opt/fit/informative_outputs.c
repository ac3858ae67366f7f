#include "fit/informative_outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

/* Sums over the nodes of a case. */
typedef struct sums {
  const mechanism *m;
  const mechanism_case *load;
  int n, nodes, outputs;
  const fit_direction *direction; /* [n] */
  double *y, *y2;                 /* [outputs] sums of the values and of their squares */
  double *change;                 /* [outputs][n] sums of the squares of the changes */
  double *yp;                     /* [variables] */
} sums;

static int add_node(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                    const double *lam, const double *y) {
  sums *s = user;
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  if (s->m->stop && *s->m->stop) { return 1; }
  s->nodes++;
  for (int o = 0; o < s->outputs; o++) {
    s->y[o] += y[o], s->y2[o] += y[o] * y[o];
    mbd_sim_output_sens(s->load->sim, o, s->yp);
    for (int d = 0; d < s->n; d++) {
      double sum = 0;
      for (int j = 0; j < s->m->n; j++) { sum += s->yp[j] * s->m->scale[j] * s->direction[d].part[j]; }
      s->change[o * s->n + d] += sum * sum;
    }
  }
  return 0;
}

/* Inserts an output into the best ones of a direction, the largest part first. */
static void offer(fit_direction *d, const fit_informative_output *one) {
  int at = d->ninformative;
  while (at > 0 && d->informative_output[at - 1].part < one->part) { at--; }
  if (at == FIT_INFORMATIVE_OUTPUTS) { return; }
  if (d->ninformative < FIT_INFORMATIVE_OUTPUTS) { d->ninformative++; }
  for (int i = d->ninformative - 1; i > at; i--) { d->informative_output[i] = d->informative_output[i - 1]; }
  d->informative_output[at] = *one;
}

/* 1: a series that counts measures this output already. */
static int is_measured(const mechanism_case *load, int output) {
  const char *name = mbd_outputs_name(load->outputs, output);
  for (int i = 0; i < load->nterm; i++) {
    const mbd_term *k = &load->term[i];
    const int same = strcmp(mbd_outputs_name(load->outputs, k->output), name) == 0;
    if (same && !load->series[k->psi].hold_out) { return 1; }
  }
  return 0;
}

static void offer_all(const sums *s, fit_direction *direction) {
  static const double nothing = 1e-3; /* a change below this part of the output's own variation cannot be measured */
  for (int o = 0; o < s->outputs; o++) {
    if (mbd_outputs_is_repeated(s->load->outputs, o) || is_measured(s->load, o)) { continue; }
    const double mean = s->y[o] / s->nodes, square = s->y2[o] / s->nodes;
    const double about = sqrt(fmax(square - mean * mean, 0));
    const double size = about > 1e-9 * fabs(mean) ? about : fabs(mean);
    for (int d = 0; d < s->n; d++) {
      const double change = sqrt(s->change[o * s->n + d] / s->nodes);
      const fit_informative_output one = {.in_case = s->load->config->name,
                                          .output = mbd_outputs_name(s->load->outputs, o),
                                          .unit = mbd_outputs_unit(s->load->outputs, o),
                                          .change = change,
                                          .part = change / size,
                                          .sigma = FIT_INFORMATIVE_SIGMA * size};
      if (size > 0 && one.part > nothing) { offer(&direction[d], &one); }
    }
  }
}

static mbd_status run(mechanism *m, mechanism_case *load, int n, fit_direction *direction, mbd_error *err) {
  const size_t outputs = (size_t)mbd_outputs_count(load->outputs);
  double *scratch = calloc(outputs * (size_t)(2 + n) + (size_t)m->n + 1, sizeof *scratch);
  MEMORY_TRY(scratch, err, "the outputs of case '%s'", load->config->name);
  sums s = {.m = m, .load = load, .n = n, .outputs = (int)outputs, .direction = direction};
  s.y = scratch, s.y2 = scratch + outputs, s.change = scratch + 2 * outputs, s.yp = s.change + outputs * (size_t)n;
  const mbd_status status = mechanism_name_case(
      mbd_sim_run(load->sim, load->v->params, m->n, load->v->d, load->psi, load->grad, NULL, add_node, &s, err), load,
      err);
  if (status == MBD_OK) { offer_all(&s, direction); }
  free(scratch);
  return status;
}

mbd_status informative_outputs_find(mechanism *m, int n, fit_direction *direction, mbd_error *err) {
  for (int i = 0; i < m->ncase; i++) {
    if (m->cases[i].npsi > 0) { MBD_TRY(run(m, &m->cases[i], n, direction, err)); }
  }
  return MBD_OK;
}
