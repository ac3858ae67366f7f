#include "mechanism/cases.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/memory.h"
#include "mechanism/along.h"
#include "mechanism/choices.h"
#include "mechanism/lockstep.h"
#include "mechanism/numbers.h"
#include "mechanism/propagate.h"
#include "plugin/plugin.h"

enum { THREADS_MAX = 64 };

/* ---- threads ---- */

typedef struct case_queue {
  mechanism *m;
  cases_work work;
  atomic_int next;
} case_queue;

/* Batches of cases: one of the run file each, or as many scenarios as there are lanes. */
static int count_batches(const mechanism *m) {
  return m->ncase + (m->nload - m->ncase + m->lanes - 1) / m->lanes;
}

/* The cases first ... first + n - 1 of a batch; returns n. */
static int batch_cases(const mechanism *m, int batch, int *first) {
  const int scenario = batch - m->ncase;
  *first = scenario < 0 ? batch : m->ncase + scenario * m->lanes;
  return scenario < 0 ? 1 : m->nload - *first < m->lanes ? m->nload - *first : m->lanes;
}

static int is_simulated(const mechanism *m, const mechanism_case *load) {
  return load->npsi > 0 || m->every_case;
}

/* Is it the scenario at the means, from whose derivatives the scatter follows? */
static int is_linear(const mechanism *m, const mechanism_case *load) {
  return load->config->scenario > 0 && scenarios_linear(m);
}

/* m->psi of all that the cases have computed. */
static void take_values(mechanism *m) {
  for (int i = 0; i < m->nload; i++) {
    const mechanism_case *load = &m->cases[i];
    for (int k = 0; k < load->npsi; k++) { m->psi[load->quantity[k]] = load->psi[k]; }
  }
}

static void work_on_case(const case_queue *w, mechanism_case *load, struct lockstep_seat *seat) {
  load->status = MBD_OK;
  load->seat = seat;
  if (is_simulated(w->m, load)) { load->status = w->work(w->m, load, &load->error); }
  load->seat = NULL;
}

typedef struct case_batch {
  const case_queue *w;
  mechanism_case *first;
} case_batch;

static void work_on_scenario(void *user, int k, struct lockstep_seat *seat) {
  const case_batch *b = user;
  work_on_case(b->w, b->first + k, seat);
}

static void *work_on_cases(void *queue) {
  case_queue *w = queue;
  mechanism *m = w->m;
  for (int i = atomic_fetch_add(&w->next, 1); i < count_batches(m); i = atomic_fetch_add(&w->next, 1)) {
    int first;
    const int n = batch_cases(m, i, &first);
    case_batch b = {w, &m->cases[first]};
    if (m->lockstep && i >= m->ncase && !m->seat) {
      lockstep_each(m->lockstep[i - m->ncase], n, work_on_scenario, &b);
    } else {
      for (int k = 0; k < n; k++) { work_on_case(w, &m->cases[first + k], NULL); }
    }
  }
  return NULL;
}

mbd_status cases_make_lanes(mechanism *m, mbd_error *err) {
  m->lanes = atoi(m->config->scenarios.lanes);
  const int n = count_batches(m) - m->ncase;
  if (m->lanes == 1 || n == 0) { return MBD_OK; }
  m->lockstep = mbd_zeros((size_t)n, sizeof *m->lockstep);
  MEMORY_TRY(m->lockstep, err, "%d batches of scenarios", n);
  for (int i = 0; i < n; i++) {
    MBD_TRY(
        mbd_locate(err, lockstep_create(m->lanes, &m->lockstep[i], err), "%s: [scenarios] lanes: ", m->config->path));
  }
  return MBD_OK;
}

void cases_free_lanes(mechanism *m) {
  for (int i = 0; m->lockstep && i < count_batches(m) - m->ncase; i++) { lockstep_destroy(m->lockstep[i]); }
  free(m->lockstep);
}

static int count_threads(const mechanism *m) {
  long processors = m->threads > 0 ? m->threads : sysconf(_SC_NPROCESSORS_ONLN);
  const int batches = count_batches(m);
  long n = processors < batches ? processors : batches;
  return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (int)n;
}

mbd_status cases_each(mechanism *m, cases_work work, mbd_error *err) {
  case_queue w = {.m = m, .work = work};
  pthread_t thread[THREADS_MAX];
  int n = 0;
  while (n < count_threads(m) - 1 && pthread_create(&thread[n], NULL, work_on_cases, &w) == 0) { n++; }
  work_on_cases(&w);
  for (int i = 0; i < n; i++) { pthread_join(thread[i], NULL); }
  for (int i = 0; i < m->nload; i++) {
    mechanism_case *load = &m->cases[i];
    if (load->status == MBD_OK) { continue; }
    if (err) { *err = load->error; }
    return mechanism_name_case(load->status, load, err);
  }
  return MBD_OK;
}

/* How the scenario at the means is differentiated, with gradients and without, so that values are the same: exactly, since they are made of derivatives;
 * by the adjoint, which the gradient needs anyway, unless direct differentiation is asked for or there is no adjoint. */
static gradient_method linear_method(const mechanism *m, const mechanism_case *load, gradient_method asked) {
  const int open = asked == GRADIENT_AUTO || asked == GRADIENT_NONE;
  const gradient_method usual = gradient_method_find(m->config->gradient.method);
  const int direct = open ? usual == GRADIENT_DIRECT || load->no_adjoint : asked == GRADIENT_DIRECT;
  return direct ? GRADIENT_DIRECT : GRADIENT_DISCRETE_ADJOINT;
}

/* Chooses how each case is differentiated, and takes the memory for it. */
static mbd_status prepare(mechanism *m, case_request ask, mbd_error *err) {
  for (int i = 0; i < m->nload; i++) {
    mechanism_case *load = &m->cases[i];
    case_request own = ask;
    if (is_linear(m, load)) {
      MBD_TRY(propagate_prepare(load, err));
      own.method = linear_method(m, load, ask.method);
      MBD_TRY(case_prepare(m, load, own, err));
      continue;
    }
    if (ask.gauss_newton) {
      own.method = GRADIENT_DIRECT;
    } else if (ask.method == GRADIENT_AUTO) {
      own.method = load->choice.method;
    }
    if (is_simulated(m, load)) { MBD_TRY(case_prepare(m, load, own, err)); }
  }
  return MBD_OK;
}

/* ---- sharpness that the run file leaves out ---- */

static const mbo_objective_config *section_of(const mechanism *m, int sample, const char **kind) {
  const int quantity = scenarios_owner(m, sample);
  *kind = quantity < m->nobjective ? "objective" : "constraint";
  return quantity < m->nobjective ? &m->config->objective[quantity] : &m->config->constraint[quantity - m->nobjective];
}

/* Of quantity k of a case, which was simulated at the start of the run file. */
static mbd_status choose(mechanism *m, mechanism_case *load, int k, double range, mbd_error *err) {
  const int quantity = load->quantity[k];
  const char *kind;
  const mbo_objective_config *o = section_of(m, quantity, &kind);
  char text[32];
  if (!(range > 0 && isfinite(range))) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "%s: [%s %s] form = %s has no sharpness, which would follow from the range of %s at the start; but that does "
        "not change there; expected sharpness = NUMBER [1/unit of %s], 20 to 100 divided by its range",
        m->config->path, kind, o->name, o->form, o->of, o->of);
  }
  snprintf(text, sizeof text, "%.1e", SHARPNESS / range);
  m->sharpness[quantity] = strtod(text, NULL);
  return case_set_sharpness(load, k, m->sharpness[quantity], err);
}

static int is_open(const mechanism *m, const mechanism_case *load, int k) {
  const mbd_form_info *form = NULL;
  for (int i = 0; i < load->nterm; i++) {
    if (load->term[i].psi == k) { form = mbd_form_find(load->term[i].form); }
  }
  return form && form->is_peak && isnan(m->sharpness[load->quantity[k]]);
}

/* The scenarios of a case have the sharpness that the first one finds. */
static mbd_status take_from_first(mechanism *m, mechanism_case *load, mbd_error *err) {
  for (int k = 0; k < load->npsi; k++) {
    const int sample = load->quantity[k];
    if (!is_open(m, load, k)) { continue; }
    m->sharpness[sample] = m->sharpness[sample - (load->config->scenario - 1)];
    MBD_TRY(case_set_sharpness(load, k, m->sharpness[sample], err));
  }
  return MBD_OK;
}

static mbd_status choose_in_case(mechanism *m, mechanism_case *load, mbd_error *err) {
  double *range = mbd_zeros((size_t)load->npsi, sizeof *range), value, time;
  int any = 0;
  MEMORY_TRY(range, err, "the sharpness of case '%s'", load->config->name);
  for (int k = 0; k < load->npsi; k++) { any |= is_open(m, load, k); }
  mbd_status status = MBD_OK;
  if (any) {
    status = mbd_sim_run(load->sim, load->v->params, 0, NULL, load->psi, NULL, NULL, mechanism_stop_requested, m, err);
    status = mechanism_name_case(status, load, err);
    if (status > 0) {
      mbd_locate(err, status, "%s: a sharpness that is left out follows from the start, which cannot be simulated: ",
                 m->config->path);
    }
  }
  /* All ranges of the run before the first sharpness, which makes the simulation anew. */
  for (int k = 0; status == MBD_OK && any && k < load->npsi; k++) {
    if (!mbd_sim_true_value(load->sim, k, &value, &time, &range[k])) { range[k] = 0; }
  }
  for (int k = 0; status == MBD_OK && any && k < load->npsi; k++) {
    if (is_open(m, load, k)) { status = choose(m, load, k, range[k], err); }
  }
  free(range);
  return status;
}

/* Was the case simulated at all designs of a batch (designs.h)? Then load->psi are the values of design m->lane. */
static int take_design(const mechanism *m, mechanism_case *load) {
  const case_designs *d = load->designs;
  if (m->lane < 0 || !d || !d->together) { return 0; }
  memcpy(load->psi, d->psi + m->lane * load->npsi, (size_t)load->npsi * sizeof *load->psi);
  load->lanes = d->lanes, load->lane = m->lane;
  return 1;
}

/* Together with other designs, or with cases of other runs, where that is possible. */
static mbd_status simulate_case(mechanism *m, mechanism_case *load, mbd_error *err) {
  return take_design(m, load) || lockstep_simulate(m, load) ? MBD_OK : case_run(m, load, err);
}

/* Widths across scenarios from their samples, which are simulated at the design that is set. */
static mbd_status choose_widths(mechanism *m, mbd_error *err) {
  if (!scenarios_widths_open(m)) { return MBD_OK; }
  MBD_TRY(prepare(m, (case_request){.method = GRADIENT_NONE}, err));
  const mbd_status status = cases_each(m, simulate_case, err);
  if (status > 0) {
    mbd_locate(err, status,
               "%s: a width across scenarios follows from the start, which cannot be simulated: ", m->config->path);
  }
  MBD_TRY(status);
  take_values(m);
  MBD_TRY(values_evaluate(m, m->psi, err));
  return scenarios_choose_widths(m, err);
}

mbd_status cases_choose_sharpness(mechanism *m, mbd_error *err) {
  MBD_TRY(modes_find(m, err));
  if (!m->sharpness_open) { return MBD_OK; }
  MBD_TRY(mechanism_set_design(m, m->file_start, 0, err));
  for (int i = 0; i < m->nload; i++) {
    mechanism_case *load = &m->cases[i];
    MBD_TRY(load->config->scenario > 1 ? take_from_first(m, load, err) : choose_in_case(m, load, err));
  }
  MBD_TRY(choose_widths(m, err));
  scenarios_note_sharpness(m);
  m->sharpness_open = 0;
  return MBD_OK;
}

/* ---- simulations with gradients ---- */

/* Is there no adjoint of the case, or could that of a motion which was simulated to its end not be computed? */
static int lacks_adjoint(const mechanism_case *load) {
  const int failed = load->status == MBD_NO_CONVERGENCE || load->status == MBD_SINGULAR;
  return load->status == MBD_UNSUPPORTED || (failed && mbd_sim_stats(load->sim)->steps == mbd_sim_steps(load->sim));
}

/* A case without adjoint takes direct differentiation from now on, if the choice is ours. */
static int fall_back(mechanism *m, gradient_method method) {
  int changed = 0;
  for (int i = 0; i < m->nload; i++) {
    mechanism_case *load = &m->cases[i];
    if (method != GRADIENT_AUTO && !(method == GRADIENT_NONE && is_linear(m, load))) { continue; }
    if (!gradient_is_adjoint(load->ask.method) || !lacks_adjoint(load)) { continue; }
    load->choice.method = GRADIENT_DIRECT, load->no_adjoint = 1;
    snprintf(load->choice.text, sizeof load->choice.text, "%s (no adjoint: %.300s)",
             gradient_method_text(GRADIENT_DIRECT), load->error.text);
    changed = 1;
  }
  return changed;
}

/* A gradient that is exact for its motion can still be one that rounding decides. */
static mbd_status run_case(mechanism *m, mechanism_case *load, mbd_error *err) {
  const int exact = load->ask.method == GRADIENT_DIRECT || load->ask.method == GRADIENT_DISCRETE_ADJOINT;
  MBD_TRY(simulate_case(m, load, err));
  if (is_linear(m, load)) { MBD_TRY(propagate_run(m, load, m->asked != GRADIENT_NONE, err)); }
  return exact ? along_check_growth(m, load, err) : MBD_OK;
}

mbd_status cases_simulate(mechanism *m, const double *rho, case_request ask, double *psi, mbd_error *err) {
  MBD_TRY(cases_choose_sharpness(m, err));
  if (ask.method == GRADIENT_AUTO && !ask.gauss_newton && choices_are_open(m)) {
    MBD_TRY(mechanism_set_design(m, rho, 0, err));
    MBD_TRY(choices_make(m, err));
  }
  MBD_TRY(prepare(m, ask, err));
  MBD_TRY(mechanism_set_design(m, rho, ask.method != GRADIENT_NONE, err));
  m->simulations++;
  m->asked = ask.method;
  const mbd_status status = cases_each(m, run_case, err);
  if (status != MBD_OK && fall_back(m, ask.method)) { return cases_simulate(m, rho, ask, psi, err); }
  MBD_TRY(status);
  take_values(m);
  MBD_TRY(numbers_evaluate(m, rho, ask.method != GRADIENT_NONE, err));
  MBD_TRY(values_evaluate(m, m->psi, err));
  if (psi != m->psi) { memcpy(psi, m->psi, (size_t)(m->nobjective + m->nconstraint) * sizeof *psi); }
  return MBD_OK;
}

static mbd_status run_scenario(mechanism *m, mechanism_case *load, mbd_error *err) {
  if (load->config->scenario == 0) { return MBD_OK; }
  MBD_TRY(simulate_case(m, load, err));
  return is_linear(m, load) ? propagate_run(m, load, 0, err) : MBD_OK;
}

mbd_status cases_simulate_scenarios(mechanism *m, mbd_error *err) {
  if (!m->scenarios) { return MBD_OK; }
  MBD_TRY(prepare(m, (case_request){.method = GRADIENT_NONE}, err));
  const mbd_status status = cases_each(m, run_scenario, err);
  if (status != MBD_OK && fall_back(m, GRADIENT_NONE)) { return cases_simulate_scenarios(m, err); }
  MBD_TRY(status);
  take_values(m);
  return MBD_OK;
}

static mbd_status run_curvature(mechanism *m, mechanism_case *load, mbd_error *err) {
  return is_linear(m, load) ? propagate_curvature(m, load, err) : MBD_OK;
}

mbd_status cases_curvature(mechanism *m, mbd_error *err) {
  for (int i = 0; i < m->scenarios->nacross; i++) { m->scenarios->across[i].curvature = 0; }
  MBD_TRY(cases_each(m, run_curvature, err));
  return values_curvature(m, err);
}

mbd_status mechanism_values(mechanism *m, const double *rho, double *psi, mbd_error *err) {
  return cases_simulate(m, rho, (case_request){.method = GRADIENT_NONE}, psi, err);
}
