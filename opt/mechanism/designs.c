#include "mechanism/designs.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/case_gradient.h"
#include "mechanism/cases.h"
#include "mechanism/lockstep.h"

struct case_designs {
  mbd_lanes *lanes; /* NULL: the case does not go in lanes */
  double *theta;    /* [lanes][ncoef] of the designs of a batch, */
  double *psi;      /* [lanes][npsi] and their values, if */
  int n, together;  /* designs of the batch; 1: they were simulated together */
};

mbd_status designs_begin(mechanism *m, mbd_error *err) {
  m->design_lanes = atoi(m->config->gradient.lanes);
  return m->design_lanes == 1
             ? MBD_OK
             : mbd_locate(err, lockstep_check(m->design_lanes, err), "%s: [gradient] lanes: ", m->config->path);
}

void designs_forget(mechanism_case *load) {
  case_designs *d = load->designs;
  if (!d) { return; }
  if (load->lanes == d->lanes) { load->lanes = NULL; }
  mbd_lanes_destroy(d->lanes);
  free(d->theta), free(d);
  load->designs = NULL;
}

/* Scenarios at the means are simulated with their derivatives (cases.c). */
static int may_go(const mechanism *m, const mechanism_case *load) {
  return load->npsi > 0 && !load->observer && !(load->config->scenario > 0 && scenarios_linear(m));
}

/* Memory for the designs of a batch, and the lanes; a refusal is kept as well. */
static mbd_status make(const mechanism *m, mechanism_case *load, mbd_error *err) {
  const size_t width = (size_t)m->design_lanes, nc = (size_t)mbd_model_ncoef(load->v->model);
  if (load->designs) { return MBD_OK; }
  case_designs *d = load->designs = mbd_zeros(1, sizeof *d);
  if (d) { d->theta = mbd_zeros(width * (nc + (size_t)load->npsi), sizeof *d->theta); }
  MEMORY_TRY(d && d->theta, err, "the designs of case '%s'", load->config->name);
  d->psi = d->theta + width * nc;
  const mbd_status status = case_make_lanes(load, m->design_lanes, 0, &d->lanes, err);
  return status == MBD_NO_MEMORY ? status : MBD_OK;
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
    if (may_go(m, &m->cases[i])) { MBD_TRY(make(m, &m->cases[i], err)); }
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

int designs_take(const mechanism *m, mechanism_case *load) {
  const case_designs *d = load->designs;
  if (m->lane < 0 || !d || !d->together) { return 0; }
  memcpy(load->psi, d->psi + m->lane * load->npsi, (size_t)load->npsi * sizeof *load->psi);
  load->lanes = d->lanes, load->lane = m->lane;
  return 1;
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
