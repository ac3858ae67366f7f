#include "results/motion.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/cases.h"
#include "mechanism/numbers.h"

typedef struct recorder {
  const mechanism *m;
  motion_case *c;
} recorder;

static int record(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                  const double *y) {
  const recorder *r = user;
  motion_case *c = r->c;
  (void)k;
  if (r->m->stop && *r->m->stop) { return 1; }
  thinned_add(&c->all, t, z, zd, zdd, lam, y);
  c->t[c->n++] = t;
  return 0;
}

/* Stretches of a run in the curves of a page: as many as a figure has points across; fewer for columns that are not
 * outputs if these are so many that the page would have many megabytes. */
enum { STRETCHES_MAX = 700 };
static int stretches_of_others(const mechanism *m, const mechanism_case *load) {
  enum { MIN = 100, BUDGET = 40000 }; /* least number of stretches of a column; sum over all columns and cases */
  const int columns = 3 * mbd_model_nz(load->v->model) + mbd_model_nphi(load->v->model) + 1;
  const int max = BUDGET / (columns * m->ncase);
  return max < MIN ? MIN : max < STRETCHES_MAX ? max : STRETCHES_MAX;
}

static mbd_status run_case(mechanism *m, mechanism_case *load, motion_case *c, mbd_error *err) {
  MBD_TRY(thinned_create(m, load, STRETCHES_MAX, stretches_of_others(m, load), &c->all, err));
  c->t = calloc((size_t)mbd_sim_steps(load->sim) + 1, sizeof *c->t);
  MEMORY_TRY(c->t, err, "the motion of case '%s'", load->config->name);
  recorder r = {m, c};
  mbd_status status = mbd_sim_run(load->sim, load->v->params, 0, NULL, load->psi, NULL, NULL, record, &r, err);
  thinned_end(&c->all);
  if (status != MBD_OK) { return mechanism_name_case(status, load, err); }
  for (int k = 0; k < load->npsi; k++) { m->psi[load->quantity[k]] = load->psi[k]; }
  return MBD_OK;
}

/* Sets the design, runs every case and evaluates the quantities. */
mbd_status motion_create(mechanism *m, const double *rho, motion **out, mbd_error *err) {
  MBD_TRY(cases_choose_sharpness(m, err));
  MBD_TRY(mechanism_set_design(m, rho, 0, err));
  const size_t nq = (size_t)(m->nobjective + m->nconstraint);
  motion *w = calloc(1, sizeof *w);
  if (w) {
    w->ncase = m->ncase;
    w->cases = calloc((size_t)m->ncase + 1, sizeof *w->cases);
    w->psi = calloc(nq + 1, sizeof *w->psi);
    w->truth = calloc(nq + 1, sizeof *w->truth);
  }
  mbd_status status = w && w->cases && w->psi && w->truth ? MBD_OK : MEMORY_NONE(err, "motions");
  for (int i = 0; i < m->ncase && status == MBD_OK; i++) { status = run_case(m, &m->cases[i], &w->cases[i], err); }
  if (status == MBD_OK) { status = cases_simulate_scenarios(m, err); }
  if (status == MBD_OK) { status = numbers_evaluate(m, rho, 0, err); }
  if (status == MBD_OK) { status = values_evaluate(m, m->psi, err); }
  if (status != MBD_OK) {
    motion_destroy(w);
    return status;
  }
  true_values_find(m);
  memcpy(w->psi, m->psi, nq * sizeof *w->psi);
  memcpy(w->truth, m->truth, nq * sizeof *w->truth);
  *out = w;
  return MBD_OK;
}

void motion_destroy(motion *w) {
  if (!w) { return; }
  for (int i = 0; w->cases && i < w->ncase; i++) {
    free(w->cases[i].t);
    thinned_free(&w->cases[i].all);
  }
  free(w->cases), free(w->psi), free(w->truth), free(w);
}
