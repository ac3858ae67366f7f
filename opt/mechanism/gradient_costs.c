#include "mechanism/gradient_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/seconds.h"
#include "mechanism/case_gradient.h"
#include "files/memory.h"

enum { SHORT = 8, LONG = 40, FEW = 8, MANY = 32, ROUNDS_MIN = 3, ROUNDS_MAX = 8 };
static const double enough = 0.02, plenty = 0.2; /* [s] end of the rounds: after ROUNDS_MIN; after any */

typedef enum way { VALUE, DIRECT_FEW, DIRECT, ADJOINT, N_WAYS } way;

/* The first steps of a case. */
typedef struct probe {
  int steps;
  mbd_sim *sim;
  double best[N_WAYS]; /* [s] */
} probe;

typedef struct meter {
  const mechanism *m;
  const mechanism_case *load;
  gradient_task task;
  int ndirection;       /* all variables, or MANY of them */
  int nprobe, nadjoint; /* nadjoint: 0: there is no adjoint */
  probe probe[2];       /* SHORT, LONG; of a case with no more than LONG steps all of them alone */
  mbd_dparams **d;      /* [ndirection] */
  mbd_term *term;
  unsigned char *requested; /* [ncoef] */
  double *sum;              /* [adjoints][npsi] */
  double *psi, *grad, *gtheta;
} meter;

void gradient_task_of(const mechanism *m, const mechanism_case *load_case, gradient_task *task) {
  const mbo_run_config *config = m->config;
  *task = (gradient_task){.asked = gradient_method_find(config->gradient.method),
                          .gauss_newton = m->gauss_newton || strcmp(config->optimizer.hessian, "gauss_newton") == 0,
                          .summed = strcmp(config->objectives.combine, "sum") == 0 && !values_use_results(m),
                          .variables = m->n,
                          .objectives = load_case->nobjective,
                          .constraints = load_case->npsi - load_case->nobjective,
                          .nz = mbd_model_nz(load_case->v->model),
                          .nphi = mbd_model_nphi(load_case->v->model),
                          .ncoef = mbd_model_ncoef(load_case->v->model),
                          .memory_limit = case_memory_limit(m)};
}

/* ---- the first steps as a case ---- */

/* Returns a term for the first steps. Windows and times may lie beyond them, so that they are left out, and some forms are replaced by one over
 * all steps, which costs as much. */
static mbd_term shortened(const mbd_term *term) {
  const mbd_form_info *form = mbd_form_find(term->form);
  return (mbd_term){.psi = term->psi,
                    .output = term->output,
                    .form = form && form->brief ? form->brief : term->form,
                    .weight = term->weight,
                    .target = term->target,
                    .smoothing = term->smoothing,
                    .sharpness = term->sharpness,
                    .target_curve = term->target_curve};
}

static mbd_status make_probe(const meter *timer, int steps, probe *p, mbd_error *err) {
  const mechanism_case *k = timer->load;
  const double h = k->c.duration / mbd_sim_steps(k->sim);
  mbd_case c = k->c;
  c.duration = steps * h, c.step = h, c.free_duration = 0;
  *p = (probe){.steps = steps};
  for (int i = 0; i < N_WAYS; i++) { p->best[i] = INFINITY; }
  MBD_TRY(mbd_sim_create(k->v->model, &c, k->outputs, k->nterm, timer->term, k->npsi, timer->ndirection, &p->sim, err));
  mbd_sim_watch(p->sim, 0);
  return MBD_OK;
}

/* Directions of variables that are spread over all. */
static mbd_status make_directions(meter *timer, mbd_error *err) {
  const mechanism_variant *v = timer->load->v;
  const int n = timer->m->n, nd = timer->ndirection;
  timer->d = calloc((size_t)timer->ndirection + 1, sizeof *timer->d);
  MEMORY_TRY(timer->d, err, "%d directions", timer->ndirection);
  for (int i = 0; i < nd; i++) {
    const int k = nd < n ? (int)((long)i * n / nd) : i;
    MBD_TRY(mbd_dparams_create(v->model, &timer->d[i], err));
    mbd_dparams_set(timer->d[i], v->params, v->start[k + 1] - v->start[k], v->index + v->start[k],
                    v->value + v->start[k]);
  }
  return MBD_OK;
}

static mbd_status allocate(meter *timer, mbd_error *err) {
  const mechanism_case *k = timer->load;
  const mechanism_variant *v = k->v;
  const size_t npsi = (size_t)k->npsi, nc = (size_t)mbd_model_ncoef(v->model), nd = (size_t)timer->ndirection;
  timer->term = calloc((size_t)k->nterm + 1, sizeof *timer->term);
  timer->requested = calloc(nc + 1, 1);
  timer->sum = calloc(npsi * (npsi + 1 + nd + nc) + 1, sizeof *timer->sum);
  MEMORY_TRY(timer->term && timer->requested && timer->sum, err, "the measurement of gradients");
  timer->psi = timer->sum + npsi * npsi, timer->grad = timer->psi + npsi, timer->gtheta = timer->grad + npsi * nd;
  for (int i = 0; i < k->nterm; i++) { timer->term[i] = shortened(&k->term[i]); }
  for (int i = 0; i < v->start[timer->m->n]; i++) { timer->requested[v->index[i]] = 1; }
  /* Weights of the adjoints: the sum of all objectives, if one adjoint suffices for it, and every constraint by itself. */
  for (int i = 0, row = 0; i < k->npsi; i++) {
    timer->sum[row * k->npsi + i] = 1;
    row += !(timer->task.summed && i + 1 < k->nobjective);
  }
  return make_directions(timer, err);
}

static mbd_status set_up(meter *timer, mbd_error *err) {
  const int steps = mbd_sim_steps(timer->load->sim);
  gradient_task_of(timer->m, timer->load, &timer->task);
  timer->ndirection = timer->m->n < MANY ? timer->m->n : MANY;
  timer->nadjoint = gradient_adjoints(&timer->task);
  timer->nprobe = steps > LONG ? 2 : 1;
  MBD_TRY(allocate(timer, err));
  MBD_TRY(make_probe(timer, steps > LONG ? LONG : steps, &timer->probe[0], err));
  return timer->nprobe > 1 ? make_probe(timer, SHORT, &timer->probe[1], err) : MBD_OK;
}

/* ---- rounds ---- */

static mbd_status run_once(meter *timer, mbd_sim *s, way how, mbd_error *err) {
  const mbd_params *params = timer->load->v->params;
  void *user = (void *)timer->m;
  const mbd_adjoint_options options = {.requested = timer->requested, .nsum = timer->nadjoint, .sum = timer->sum};
  if (how == ADJOINT) {
    return mbd_sim_adjoint(s, params, &options, timer->psi, timer->gtheta, mechanism_stop_requested, user, err);
  }
  const int n = how == VALUE ? 0 : how == DIRECT_FEW ? FEW : timer->ndirection;
  return mbd_sim_run(s, params, n, timer->d, timer->psi, n ? timer->grad : NULL, NULL, mechanism_stop_requested, user,
                     err);
}

static int is_taken(const meter *timer, way how) {
  return how == ADJOINT ? timer->nadjoint > 0 : how != DIRECT_FEW || timer->ndirection < timer->m->n;
}

static mbd_status run_round(meter *timer, mbd_error *err) {
  for (way how = VALUE; how < N_WAYS; how++) {
    for (int i = 0; i < timer->nprobe && is_taken(timer, how); i++) {
      probe *p = &timer->probe[i];
      const double begun = thread_seconds();
      const mbd_status status = run_once(timer, p->sim, how, err);
      p->best[how] = fmin(p->best[how], thread_seconds() - begun);
      if (status == MBD_UNSUPPORTED && how == ADJOINT) { timer->nadjoint = 0; }
      if (status != MBD_OK && (status != MBD_UNSUPPORTED || how != ADJOINT)) { return status; }
    }
  }
  return MBD_OK;
}

static mbd_status run_rounds(meter *timer, mbd_error *err) {
  const double begun = thread_seconds();
  for (int round = 1; round <= ROUNDS_MAX; round++) {
    MBD_TRY(run_round(timer, err));
    const double spent = thread_seconds() - begun;
    if (spent > plenty || (round >= ROUNDS_MIN && spent > enough)) { break; }
  }
  return MBD_OK;
}

/* ---- costs from the measured times ---- */

/* Returns the estimated time of the whole case [s]. */
static double whole(const meter *timer, way how) {
  const probe *all = &timer->probe[0], *some = &timer->probe[1];
  if (timer->nprobe == 1) { return all->best[how]; }
  const double step = (all->best[how] - some->best[how]) / (all->steps - some->steps);
  return all->best[how] + (mbd_sim_steps(timer->load->sim) - all->steps) * fmax(step, 0);
}

/* Returns the cost of the gradient beyond that of the simulation, at least 0 [simulations]. */
static double added(const meter *timer, way how) {
  return fmax(whole(timer, how) / whole(timer, VALUE) - 1, 0);
}

static mbd_status judge(const meter *timer, gradient_costs *costs, mbd_error *err) {
  *costs = (gradient_costs){.seconds = whole(timer, VALUE), .direct = added(timer, DIRECT), .adjoint = NAN};
  if (is_taken(timer, DIRECT_FEW)) {
    const double slope = fmax(costs->direct - added(timer, DIRECT_FEW), 0) / (MANY - FEW);
    costs->direct += slope * (timer->m->n - MANY);
  }
  if (!timer->nadjoint) { return MBD_OK; }
  const size_t limit = timer->task.memory_limit;
  const mbd_status status = limit ? mbd_sim_recomputed(timer->load->sim, limit, &costs->repeated, err) : MBD_OK;
  if (status == MBD_BAD_INPUT) {
    costs->repeated = -1;
    return MBD_OK;
  }
  MBD_TRY(status);
  costs->adjoint = added(timer, ADJOINT) + (double)costs->repeated / mbd_sim_steps(timer->load->sim);
  return MBD_OK;
}

mbd_status gradient_costs_measure(const mechanism *m, const mechanism_case *load_case, gradient_costs *costs,
                                  mbd_error *err) {
  meter a = {.m = m, .load = load_case};
  mbd_status status = set_up(&a, err);
  if (status == MBD_OK) { status = run_rounds(&a, err); }
  if (status == MBD_OK) { status = judge(&a, costs, err); }
  for (int i = 0; a.d && i < a.ndirection; i++) { mbd_dparams_destroy(a.d[i]); }
  for (int i = 0; i < 2; i++) { mbd_sim_destroy(a.probe[i].sim); }
  free(a.d), free(a.term), free(a.requested), free(a.sum);
  return status;
}
