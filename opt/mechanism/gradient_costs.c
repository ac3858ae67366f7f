#include "mechanism/gradient_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mechanism/case_gradient.h"

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
  const mechanism_case *q;
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

static mbd_status make_probe(const meter *q, int steps, probe *p, mbd_error *err) {
  const mechanism_case *k = q->q;
  const double h = k->c.duration / mbd_sim_steps(k->sim);
  mbd_case c = k->c;
  c.duration = steps * h, c.step = h, c.free_duration = 0;
  *p = (probe){.steps = steps};
  for (int i = 0; i < N_WAYS; i++) { p->best[i] = INFINITY; }
  MBD_TRY(mbd_sim_create(k->v->model, &c, k->outputs, k->nterm, q->term, k->npsi, q->ndirection, &p->sim, err));
  mbd_sim_watch(p->sim, 0);
  return MBD_OK;
}

/* Returns number i of n variables that are spread over all. */
static int variable(const meter *q, int i, int n) {
  return n < q->m->n ? (int)((long)i * q->m->n / n) : i;
}

static mbd_status make_directions(meter *q, mbd_error *err) {
  const mechanism_variant *v = q->q->v;
  q->d = calloc((size_t)q->ndirection + 1, sizeof *q->d);
  if (!q->d) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d directions", q->ndirection); }
  for (int i = 0; i < q->ndirection; i++) {
    const int k = variable(q, i, q->ndirection);
    MBD_TRY(mbd_dparams_create(v->model, &q->d[i], err));
    mbd_dparams_set(q->d[i], v->params, v->start[k + 1] - v->start[k], v->index + v->start[k], v->value + v->start[k]);
  }
  return MBD_OK;
}

/* Sets the weights of the adjoints: the sum of all objectives, if one adjoint suffices for it, and every constraint by itself. */
static void set_sums(meter *q) {
  const mechanism_case *k = q->q;
  int row = 0;
  for (int i = 0; i < k->npsi; i++) {
    q->sum[row * k->npsi + i] = 1;
    row += !(q->task.summed && i + 1 < k->nobjective);
  }
}

static mbd_status allocate(meter *q, mbd_error *err) {
  const mechanism_case *k = q->q;
  const mechanism_variant *v = k->v;
  const size_t npsi = (size_t)k->npsi, nc = (size_t)mbd_model_ncoef(v->model), nd = (size_t)q->ndirection;
  q->term = calloc((size_t)k->nterm + 1, sizeof *q->term);
  q->requested = calloc(nc + 1, 1);
  q->sum = calloc(npsi * (npsi + 1 + nd + nc) + 1, sizeof *q->sum);
  if (!q->term || !q->requested || !q->sum) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory to measure gradients"); }
  q->psi = q->sum + npsi * npsi, q->grad = q->psi + npsi, q->gtheta = q->grad + npsi * nd;
  for (int i = 0; i < k->nterm; i++) { q->term[i] = shortened(&k->term[i]); }
  for (int i = 0; i < v->start[q->m->n]; i++) { q->requested[v->index[i]] = 1; }
  set_sums(q);
  return make_directions(q, err);
}

static void release(meter *q) {
  for (int i = 0; q->d && i < q->ndirection; i++) { mbd_dparams_destroy(q->d[i]); }
  for (int i = 0; i < 2; i++) { mbd_sim_destroy(q->probe[i].sim); }
  free(q->d), free(q->term), free(q->requested), free(q->sum);
}

static mbd_status set_up(meter *q, mbd_error *err) {
  const int steps = mbd_sim_steps(q->q->sim);
  gradient_task_of(q->m, q->q, &q->task);
  q->ndirection = q->m->n < MANY ? q->m->n : MANY;
  q->nadjoint = gradient_adjoints(&q->task);
  q->nprobe = steps > LONG ? 2 : 1;
  MBD_TRY(allocate(q, err));
  MBD_TRY(make_probe(q, steps > LONG ? LONG : steps, &q->probe[0], err));
  return q->nprobe > 1 ? make_probe(q, SHORT, &q->probe[1], err) : MBD_OK;
}

/* ---- rounds ---- */

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int stop_asked(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  const mechanism *m = user;
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return m->stop && *m->stop;
}

static mbd_status run_once(meter *q, mbd_sim *s, way how, mbd_error *err) {
  const mbd_params *params = q->q->v->params;
  void *user = (void *)q->m;
  const mbd_adjoint_options options = {.requested = q->requested, .nsum = q->nadjoint, .sum = q->sum};
  if (how == ADJOINT) { return mbd_sim_adjoint(s, params, &options, q->psi, q->gtheta, stop_asked, user, err); }
  const int n = how == VALUE ? 0 : how == DIRECT_FEW ? FEW : q->ndirection;
  return mbd_sim_run(s, params, n, q->d, q->psi, n ? q->grad : NULL, NULL, stop_asked, user, err);
}

static int is_taken(const meter *q, way how) {
  return how == ADJOINT ? q->nadjoint > 0 : how != DIRECT_FEW || q->ndirection < q->m->n;
}

static mbd_status run_round(meter *q, mbd_error *err) {
  for (way how = VALUE; how < N_WAYS; how++) {
    for (int i = 0; i < q->nprobe && is_taken(q, how); i++) {
      probe *p = &q->probe[i];
      const double begun = processor_seconds();
      const mbd_status status = run_once(q, p->sim, how, err);
      p->best[how] = fmin(p->best[how], processor_seconds() - begun);
      if (status == MBD_UNSUPPORTED && how == ADJOINT) { q->nadjoint = 0; }
      if (status != MBD_OK && (status != MBD_UNSUPPORTED || how != ADJOINT)) { return status; }
    }
  }
  return MBD_OK;
}

static mbd_status run_rounds(meter *q, mbd_error *err) {
  const double begun = processor_seconds();
  for (int round = 1; round <= ROUNDS_MAX; round++) {
    MBD_TRY(run_round(q, err));
    const double spent = processor_seconds() - begun;
    if (spent > plenty || (round >= ROUNDS_MIN && spent > enough)) { break; }
  }
  return MBD_OK;
}

/* ---- costs from the measured times ---- */

/* Returns the estimated time of the whole case [s]. */
static double whole(const meter *q, way how) {
  const probe *all = &q->probe[0], *some = &q->probe[1];
  if (q->nprobe == 1) { return all->best[how]; }
  const double step = (all->best[how] - some->best[how]) / (all->steps - some->steps);
  return all->best[how] + (mbd_sim_steps(q->q->sim) - all->steps) * fmax(step, 0);
}

/* Returns the cost of the gradient beyond that of the simulation, at least 0 [simulations]. */
static double added(const meter *q, way how) {
  return fmax(whole(q, how) / whole(q, VALUE) - 1, 0);
}

static mbd_status judge(const meter *q, gradient_costs *costs, mbd_error *err) {
  *costs = (gradient_costs){.seconds = whole(q, VALUE), .direct = added(q, DIRECT), .adjoint = NAN};
  if (is_taken(q, DIRECT_FEW)) {
    const double slope = fmax(costs->direct - added(q, DIRECT_FEW), 0) / (MANY - FEW);
    costs->direct += slope * (q->m->n - MANY);
  }
  if (!q->nadjoint) { return MBD_OK; }
  const size_t limit = q->task.memory_limit;
  const mbd_status status = limit ? mbd_sim_recomputed(q->q->sim, limit, &costs->repeated, err) : MBD_OK;
  if (status == MBD_BAD_INPUT) {
    costs->repeated = -1;
    return MBD_OK;
  }
  MBD_TRY(status);
  costs->adjoint = added(q, ADJOINT) + (double)costs->repeated / mbd_sim_steps(q->q->sim);
  return MBD_OK;
}

mbd_status gradient_costs_measure(const mechanism *m, const mechanism_case *load_case, gradient_costs *costs,
                                  mbd_error *err) {
  meter a = {.m = m, .q = load_case};
  mbd_status status = set_up(&a, err);
  if (status == MBD_OK) { status = run_rounds(&a, err); }
  if (status == MBD_OK) { status = judge(&a, costs, err); }
  release(&a);
  return status;
}
