#include "mechanism/designs.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/case_gradient.h"
#include "mechanism/cases.h"
#include "mechanism/lockstep.h"

mbd_status designs_begin(mechanism *m, mbd_error *err) {
  m->design_lanes = atoi(m->config->gradient.lanes);
  return m->design_lanes == 1
             ? MBD_OK
             : mbd_locate(err, mbd_lanes_check(m->design_lanes, err), "%s: [gradient] lanes: ", m->config->path);
}

/* Scenarios at the means are simulated with their derivatives (cases.c). */
static int may_go(const mechanism_case *load) {
  return load->npsi > 0 && !load->observer && !load->v->rho;
}

static int stops(void *user, int lane, int k, double t, const double *z, const double *zd, const double *zdd,
                 const double *lam, const double *y) {
  (void)lane;
  return mechanism_stop_requested(user, k, t, z, zd, zdd, lam, y);
}

/* One that fails, and one whose warnings do not say of which design they are, is repeated alone. */
static mbd_status simulate_together(mechanism *m, mechanism_case *load, mbd_error *err) {
  case_designs *d = load->designs;
  (void)err;
  if (!d || !d->lanes) { return MBD_OK; }
  mbd_lanes_watch(d->lanes, 0);
  mbd_lanes_as_with_gradient(d->lanes, m->as_with_gradient);
  const mbd_status status = mbd_lanes_run(d->lanes, d->theta, NULL, d->psi, NULL, NULL, stops, m, NULL);
  d->together = status == MBD_OK && !mbd_lanes_warned_together(d->lanes);
  *(d->together ? &load->counted.together : &load->counted.repeated) += d->n;
  return MBD_OK;
}

/* What the cases hold of a batch is of no more use. */
static void forget_batch(mechanism *m) {
  for (int i = 0; i < m->nload; i++) {
    if (m->cases[i].designs) { m->cases[i].designs->together = 0; }
  }
  m->lane = -1;
}

/* Simulates the cases at the designs of a batch. Where one cannot be set, since it leaves the domain of an expression, all are simulated alone, which tells. */
static mbd_status simulate_batch(mechanism *m, int n, const double *x, mbd_error *err) {
  forget_batch(m);
  if (n == 1) { return MBD_OK; }
  MBD_TRY(cases_choose_sharpness(m, err));
  for (int i = 0; i < m->nload; i++) {
    if (may_go(&m->cases[i])) { MBD_TRY(case_make_designs(&m->cases[i], m->design_lanes, err)); }
  }
  /* Lanes without a design of their own repeat the first one. */
  for (int lane = 0; lane < m->design_lanes; lane++) {
    if (mechanism_set_design(m, x + (lane < n ? lane : 0) * m->n, 0, NULL) != MBD_OK) { return MBD_OK; }
    for (int i = 0; i < m->nload; i++) {
      const mechanism_variant *v = m->cases[i].v;
      const size_t nc = (size_t)mbd_model_ncoef(v->model);
      case_designs *d = m->cases[i].designs;
      if (!d) { continue; }
      memcpy(d->theta + (size_t)lane * nc, v->theta, nc * sizeof *d->theta);
      d->n = n;
    }
  }
  return cases_each(m, simulate_together, err);
}

mbd_status designs_values(mechanism *m, int n, const double *x, int survives, double *psi, mbd_status *status,
                          mbd_error *err) {
  const int nq = m->nobjective + m->nconstraint, width = m->seat ? 1 : m->design_lanes;
  mbd_status failed = MBD_OK;
  for (int i = 0; i < n && failed == MBD_OK; i++) {
    const int lane = i % width;
    if (lane == 0 && width > 1) { MBD_TRY(simulate_batch(m, n - i < width ? n - i : width, x + i * m->n, err)); }
    m->lane = width > 1 ? lane : -1;
    status[i] = mechanism_values(m, x + i * m->n, psi + i * nq, err);
    if (status[i] < 0 || !survives) { failed = status[i]; }
  }
  forget_batch(m);
  return failed;
}
