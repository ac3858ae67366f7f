/* Several designs of a run file at once, in the lanes of a core. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/run.h"
#include "files/memory.h"
#include "mechanism/lockstep.h"

struct mbo_lanes {
  int width;
  lockstep *lockstep;
  mbo_run *run[MBD_LANES_WIDTH_MAX]; /* [width] a handle for each design that goes in a lane */
  /* of the call: */
  const double *x;
  double *f, *psi, *g;
  mbd_error *error;
  mbd_status status[MBD_LANES_WIDTH_MAX];
};

mbd_status mbo_lanes_open(const mbo_run *r, int width, mbo_lanes **out, mbd_error *err) {
  mbo_lanes *l = *out = mbd_zeros(1, sizeof *l);
  MEMORY_TRY(l, err, "%d lanes", width);
  l->width = width;
  mbd_status status = lockstep_create(width, &l->lockstep, err);
  for (int k = 0; status == MBD_OK && k < width; k++) {
    status = mbo_run_open(r->path, r->nset, (const char *const *)r->set, &l->run[k], err);
    if (status == MBD_OK) {
      l->run[k]->m->threads = 1;
      l->run[k]->m->stop = r->m->stop;
      l->run[k]->m->as_with_gradient = r->m->as_with_gradient;
    }
  }
  if (status != MBD_OK) {
    mbo_lanes_close(l);
    *out = NULL;
  }
  return status;
}

void mbo_lanes_close(mbo_lanes *l) {
  if (!l) { return; }
  for (int k = 0; k < l->width; k++) { mbo_run_close(l->run[k]); }
  lockstep_destroy(l->lockstep);
  free(l);
}

static void evaluate(void *user, int k, struct lockstep_seat *seat) {
  mbo_lanes *l = user;
  mbo_run *r = l->run[k];
  const size_t n = (size_t)r->m->n, nq = (size_t)(r->m->nobjective + r->m->nconstraint), at = (size_t)k;
  const double *x = l->x + at * n;
  double *f = &l->f[k], *psi = l->psi + at * nq, *g = l->g ? l->g + at * n : NULL;
  r->m->seat = seat;
  l->status[k] =
      g ? mbo_run_gradient(r, x, f, g, NULL, NULL, &l->error[k]) : mbo_run_values(r, x, f, psi, &l->error[k]);
  if (l->status[k] == MBD_OK) {
    mbo_run_last_values(r, f, psi);
    l->error[k].text[0] = '\0';
    return;
  }
  *f = NAN;
  for (size_t i = 0; i < nq; i++) { psi[i] = NAN; }
  for (size_t i = 0; g && i < n; i++) { g[i] = NAN; }
}

mbd_status mbo_lanes_evaluate(mbo_lanes *l, int n, const double *x, double *f, double *psi, double *g,
                              mbd_error *error) {
  mbd_status status = MBD_OK;
  if (n < 1 || n > l->width) {
    MBD_FAIL(n < 1 ? NULL : error, MBD_BAD_INPUT, "%d designs, expected 1 to %d", n, l->width);
  }
  l->x = x, l->f = f, l->psi = psi, l->g = g, l->error = error;
  lockstep_each(l->lockstep, n, evaluate, l);
  for (int k = 0; k < n; k++) {
    if (l->status[k] < 0 && status == MBD_OK) { status = l->status[k]; }
  }
  return status;
}
