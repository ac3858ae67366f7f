#include "results/motion.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/cases.h"
#include "results/scene.h"

/* The observer of a case, in its thread. */
typedef struct recorder {
  const mechanism *m;
  motion_case *c;
  scene_recording *scene; /* NULL: none */
} recorder;

static int record(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                  const double *y) {
  const recorder *r = user;
  motion_case *c = r->c;
  if (r->m->stop && *r->m->stop) { return 1; }
  if (k == 0) { /* also of a case that is simulated again, by another method of its gradient */
    thinned_restart(&c->all);
    c->n = 0;
  }
  thinned_add(&c->all, t, z, zd, zdd, lam, y);
  c->t[c->n++] = t;
  if (r->scene) { scene_node(r->scene, k, t, z, y); }
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

/* The next simulation of the case is recorded. */
static mbd_status attach(mechanism *m, mechanism_case *load, motion_request request, recorder *r, mbd_error *err) {
  motion_case *c = r->c;
  if (request.scene) { MBD_TRY(scene_record(load, request.frames, &r->scene, err)); }
  MBD_TRY(thinned_create(m, load, STRETCHES_MAX, stretches_of_others(m, load), &c->all, err));
  c->t = calloc((size_t)mbd_sim_steps(load->sim) + 1, sizeof *c->t);
  MEMORY_TRY(c->t, err, "the motion of case '%s'", load->config->name);
  r->m = m;
  load->observer = record, load->observed = r;
  return MBD_OK;
}

/* The gradient of the objectives as one, by the method of the run file. */
static mbd_status differentiate(mechanism *m, const double *rho, motion *w, mbd_error *err) {
  mbo_problem p;
  mechanism_problem(m, &p);
  if (!p.has_gradient) { MBD_FAIL(err, MBD_UNSUPPORTED, "the run file has method = none in [gradient]"); }
  const size_t n = (size_t)m->n + 1, nc = (size_t)p.nc + 1;
  double *g = calloc(n + nc + nc * n, sizeof *g);
  MEMORY_TRY(g, err, "the gradient of a motion");
  const mbd_status status =
      p.eval(m, rho, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &(mbo_eval){.g = g, .c = g + n, .jac = g + n + nc}, err);
  if (status == MBD_OK) {
    w->gradient = g;
  } else {
    free(g);
  }
  return status;
}

/* One simulation of each case, with its derivatives if these take no others; where they fail, without. */
static mbd_status evaluate(mechanism *m, const double *rho, int gradient, motion *w, mbd_error *err) {
  const int at_once = gradient && !gradient_is_numerical(gradient_method_find(m->config->gradient.method));
  if (at_once && differentiate(m, rho, w, &w->no_gradient) == MBD_OK) { return MBD_OK; }
  return mechanism_values(m, rho, m->psi, err);
}

static void take_results(mechanism *m, motion *w) {
  const size_t nq = (size_t)(m->nobjective + m->nconstraint);
  true_values_find(m);
  memcpy(w->psi, m->psi, nq * sizeof *w->psi);
  memcpy(w->truth, m->truth, nq * sizeof *w->truth);
  for (int i = 0; i < m->ncase; i++) { thinned_end(&w->cases[i].all); }
}

/* Sets the design, simulates every case with a recorder, and takes the results. */
static mbd_status simulate(mechanism *m, const double *rho, motion_request request, recorder *recorders,
                           scene_recording **scene, motion *w, mbd_error *err) {
  const int every_case = m->every_case;
  mbd_status status = MBD_OK;
  for (int i = 0; i < m->ncase && status == MBD_OK; i++) {
    recorders[i].c = &w->cases[i];
    status = attach(m, &m->cases[i], request, &recorders[i], err);
    scene[i] = recorders[i].scene;
  }
  m->every_case = 1;
  if (status == MBD_OK) { status = evaluate(m, rho, request.gradient, w, err); }
  m->every_case = every_case;
  for (int i = 0; i < m->ncase; i++) {
    m->cases[i].observer = NULL;
    mbd_sim_watch_outputs(m->cases[i].sim, NULL);
  }
  if (status != MBD_OK) { return status; }
  take_results(m, w);
  if (request.scene) { w->scene = scene_describe(m, scene); }
  MEMORY_TRY(w->scene || !request.scene, err, "the animation");
  /* a numerical gradient, which takes simulations of its own */
  const int is_left = request.gradient && !w->gradient && w->no_gradient.code == MBD_OK;
  if (is_left) { (void)differentiate(m, rho, w, &w->no_gradient); }
  return MBD_OK;
}

mbd_status motion_create(mechanism *m, const double *rho, motion_request request, motion **out, mbd_error *err) {
  MBD_TRY(cases_choose_sharpness(m, err));
  MBD_TRY(mechanism_set_design(m, rho, 0, err));
  const size_t nq = (size_t)(m->nobjective + m->nconstraint), ncase = (size_t)m->ncase;
  recorder *recorders = calloc(ncase + 1, sizeof *recorders);
  scene_recording **scene = calloc(ncase + 1, sizeof *scene);
  motion *w = calloc(1, sizeof *w);
  if (w) {
    w->ncase = m->ncase;
    w->cases = calloc(ncase + 1, sizeof *w->cases);
    w->psi = calloc(nq + 1, sizeof *w->psi);
    w->truth = calloc(nq + 1, sizeof *w->truth);
  }
  const int there = recorders && scene && w && w->cases && w->psi && w->truth;
  const mbd_status status = there ? simulate(m, rho, request, recorders, scene, w, err) : MEMORY_NONE(err, "motions");
  for (int i = 0; scene && i < m->ncase; i++) { scene_recording_destroy(scene[i]); }
  free(recorders), free(scene);
  if (status != MBD_OK) {
    motion_destroy(w);
    return status;
  }
  *out = w;
  return MBD_OK;
}

void motion_destroy(motion *w) {
  if (!w) { return; }
  for (int i = 0; w->cases && i < w->ncase; i++) {
    free(w->cases[i].t);
    thinned_free(&w->cases[i].all);
  }
  json_decref(w->scene);
  free(w->cases), free(w->psi), free(w->truth), free(w->gradient), free(w);
}
