#include "mechanism/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/across.h"
#include "mechanism/along.h"
#include "mechanism/directional.h"
#include "mechanism/scenarios.h"
#include "files/memory.h"

double watch_limit(const mechanism *m) {
  const int inexact = gradient_method_find(m->config->gradient.method) == GRADIENT_CONTINUOUS_ADJOINT;
  return fmax(m->config->gradient.watch_limit, inexact ? m->config->check.continuous_tolerance : 0);
}

static mbd_status watch(mechanism *m, int number, double *d, double *g, double *difference, double *size,
                        mbd_error *err) {
  along_draw(m, number, d);
  MBD_TRY(cases_simulate_along(m, d, 1, err));
  for (int i = 0; i < m->nload; i++) {
    const mechanism_case *load = &m->cases[i];
    if (load->npsi == 0 || !gradient_is_adjoint(load->ask.method)) { continue; }
    along_compare(m, load, d, load->along + load->npsi, g, difference, size);
  }
  for (int q = 0; q < m->nobjective + m->nconstraint; q++) {
    if (scenarios_across(m, q) < 0) { continue; }
    difference[q] = across_bound(m, q, difference), size[q] = across_bound(m, q, size);
  }
  return MBD_OK;
}

mbd_status watch_gradient(void *user, int number, double *difference, double *size, mbd_error *err) {
  mechanism *m = user;
  const size_t n = (size_t)m->n, nq = (size_t)(m->nobjective + m->nconstraint), all = (size_t)m->nall;
  double *d = calloc(2 * n + 2 * all + 1, sizeof *d), *of_all = d ? d + 2 * n : NULL;
  MEMORY_TRY(d, err, "a direction");
  const mbd_status status = watch(m, number, d, d + n, of_all, of_all + all, err);
  memcpy(difference, of_all, nq * sizeof *difference), memcpy(size, of_all + all, nq * sizeof *size);
  free(d);
  return status;
}
