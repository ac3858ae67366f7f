/* The sizes of the numbers that objectives consist of, from one simulation of each case. */
#include <math.h>
#include <stdlib.h>

#include "cli/check.h"
#include "files/memory.h"
#include "mechanism/cases.h"

typedef struct listener {
  const mechanism *m;
  const mechanism_case *load;
  double *largest; /* [outputs] |output| so far */
  double begin, end;
} listener;

static int listen(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                  const double *y) {
  listener *l = user;
  (void)z, (void)zd, (void)zdd, (void)lam;
  if (k == 0) { l->begin = t; }
  l->end = t;
  for (int o = 0; o < mbd_outputs_count(l->load->outputs); o++) { l->largest[o] = fmax(l->largest[o], fabs(y[o])); }
  return l->m->stop && *l->m->stop;
}

/* The largest of the outputs that have the unit of output i, for i may be a quantity whose parts, if these are outputs, cancel out. */
static double largest_like(const listener *l, int i) {
  const mbd_outputs *outputs = l->load->outputs;
  double max = 0;
  for (int o = 0; o < mbd_outputs_count(outputs); o++) {
    const int same = strcmp(mbd_outputs_unit(outputs, o), mbd_outputs_unit(outputs, i)) == 0;
    if (same && isfinite(l->largest[o])) { max = fmax(max, l->largest[o]); }
  }
  return max;
}

/* Runs a case and adds the sizes of its quantities. */
static mbd_status add_case(const mechanism *m, mechanism_case *load, double *size, mbd_error *err) {
  const int noutput = mbd_outputs_count(load->outputs);
  double *block = calloc((size_t)(noutput + load->npsi) + 1, sizeof *block);
  listener l = {.m = m, .load = load, .largest = block};
  MEMORY_TRY(block, err, "the check");
  const mbd_status status =
      mbd_sim_run(load->sim, load->v->params, 0, NULL, block + noutput, NULL, NULL, listen, &l, err);
  for (int j = 0; j < load->nterm && status == MBD_OK; j++) {
    const mbd_term *k = &load->term[j];
    const int *power = mbd_form_find(k->form)->power;
    size[load->quantity[k->psi]] +=
        fabs(k->weight) * pow(largest_like(&l, k->output), power[0]) * pow(l.end - l.begin, power[1]);
  }
  free(block);
  return mechanism_name_case(status, load, err);
}

mbd_status check_sizes(mechanism *m, double *size, mbd_error *err) {
  MBD_TRY(mechanism_set_design(m, m->start, 0, err));
  for (int i = 0; i < m->ncase; i++) {
    if (m->cases[i].npsi) { MBD_TRY(add_case(m, &m->cases[i], size, err)); }
  }
  return MBD_OK;
}
