#include "stages/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "evaluate/fingerprint.h"
#include "files/memory.h"
#include "mechanism/case_gradient.h"
#include "mechanism/cases.h"
#include "mechanism/closing.h"
#include "mechanism/scenarios.h"
#include "mechanism/true_values.h"

static const double growth = 4;    /* of the sharpness from stage to stage */
enum { GROWING = 3 };              /* number of stages after the first in which it grows */
static const double margin = 2e-4; /* by which true values are to stay inside of a limit, relative to their range */
/* Number of margins that may remain to a limit that is reached, or to the optimum of true values. */
enum { UNUSED = 5 };

/* The result of the stage whose true values are best: of designs that meet all limits that with the lowest objective, before any there is the last. */
typedef struct best_stage {
  int n;               /* number of the stage */
  double violation, f; /* of true values */
  double *x;           /* [n]; NULL: no stage has ended */
  double *multipliers; /* [nc] of that stage, behind x; NULL: not known */
  mbo_result result; /* status, code, text, optimality, offset and noise of this stage alone; its arrays are not used */
} best_stage;

/* What is kept while stages follow each other. */
typedef struct sequence {
  mechanism *m;
  const mbo_settings *s;   /* of the caller */
  int n;                   /* number of the stage that runs, from 0 */
  int designs, iterations; /* of the stages before */
  double *sharpness;       /* [quantities] of the first stage */
  best_stage best;
  int sharper, sharpened; /* 1: objectives become sharper in the next stage; how often they have */
  int slow; /* 1: a stage with the Gauss-Newton matrix, which leaves out the curvature of sharp constraints, did not converge or left it */
  stages *list;
} sequence;

/* ---- reports of a stage, counted through all of them ---- */

static void on_iteration(void *user, const mbo_iteration *it) {
  const sequence *seq = user;
  mbo_iteration told = *it;
  told.iteration += seq->iterations, told.evaluations += seq->designs;
  seq->s->iteration(seq->s->user, &told);
}

static void on_simulation(void *user, const mbo_simulation *simulation) {
  const sequence *seq = user;
  mbo_simulation told = *simulation;
  told.number += seq->designs;
  seq->s->simulated(seq->s->user, &told);
}

static void on_evaluation(void *user, const mbo_evaluation *v) {
  const sequence *seq = user;
  mbo_evaluation told = *v;
  told.number += seq->designs;
  seq->s->evaluated(seq->s->user, &told);
}

static mbd_status on_begin(void *user, const char *damage, mbd_error *err) {
  const sequence *seq = user;
  return seq->n == 0 ? seq->s->begin(seq->s->user, damage, err) : MBD_OK;
}

/* ---- constraints and their limits ---- */

static const true_value *truth_of(const mechanism *m, int i) {
  return &m->truth[m->nobjective + i];
}

/* What the optimizer sees of constraint i. */
static double seen(const mechanism *m, int i) {
  return m->psi[m->nobjective + i] + m->shift[i];
}

static double outside(const mechanism *m, int i, double value) {
  const double by = fmax(m->c_lower[i] - value, value - m->c_upper[i]);
  return isnan(value) ? INFINITY : by;
}

static int is_equality(const mechanism *m, int i) {
  return m->c_lower[i] == m->c_upper[i];
}

/* The margin of constraint i: relative to the range of what its extremum is taken of, or to the size of its value. */
static double margin_of(const mechanism *m, int i) {
  const true_value *t = truth_of(m, i);
  return margin * (t->range > 0 ? t->range : fabs(t->value));
}

static double violation_of(const mechanism *m, int i, double tol) {
  const double by = outside(m, i, truth_of(m, i)->smooths ? truth_of(m, i)->value : seen(m, i));
  return by > (is_equality(m, i) && truth_of(m, i)->smooths ? fmax(tol, margin_of(m, i)) : tol) ? by : 0;
}

/* Does constraint i need another stage? Its true value violates a limit, or leaves more than UNUSED margins of one that the optimizer has
 * reached. */
static int needs_stage(const mechanism *m, int i, double tol) {
  const true_value *t = truth_of(m, i);
  if (!t->smooths) { return 0; }
  const double close = margin_of(m, i), unused = UNUSED * close;
  return violation_of(m, i, tol) > 0 || (outside(m, i, seen(m, i)) > -close && outside(m, i, t->value) < -unused);
}

/* ---- objectives ---- */

/* By how much the true values of the objectives as one may be above their optimum: UNUSED margins, as for limits. */
static double objective_tolerance(const mechanism *m) {
  double size = 0;
  for (int i = 0; i < m->nobjective; i++) {
    const true_value *t = &m->truth[i];
    size += fabs(mechanism_weight(m, i)) * (t->range > 0 ? t->range : fabs(t->value));
  }
  return UNUSED * margin * size;
}

/* Can objectives become sharper? Those that are expressions become so by all that they may name. */
static int objectives_can_sharpen(const mechanism *m, int *by_others) {
  int can = mechanism_is_worst(m);
  *by_others = 0;
  for (int i = 0; i < m->nobjective; i++) {
    can |= isfinite(m->sharpness[i]) != 0, *by_others |= *m->config->objective[i].value && m->truth[i].smooths;
  }
  for (int i = 0; *by_others && i < m->nconstraint; i++) { can |= isfinite(m->sharpness[m->nobjective + i]) != 0; }
  return can;
}

/* Can a stage with sharper objectives lower their true values f_true? At an optimum of f the true optimum is below f_true by at most |f - f_true|: a mean over
 * time is below the maximum for every design, a sum over objectives above it. After the first such stage f_true has to have improved, too. */
static int needs_sharper_objectives(const sequence *seq, const mbo_result *r) {
  const mechanism *m = seq->m;
  const double enough = objective_tolerance(m);
  int by_others;
  const int ended = r->status == MBO_CONVERGED || r->status == MBO_STALLED;
  return ended && seq->sharpened < GROWING && objectives_can_sharpen(m, &by_others) &&
         fabs(m->f - m->f_true) > enough &&
         (seq->sharpened == 0 || seq->best.violation > 0 || seq->best.f - m->f_true > enough);
}

/* Is any quantity smoothed, or an expression that may name what is? */
static int any_is_smoothed(const mechanism *m) {
  int any = mechanism_is_worst(m);
  for (int i = 0; i < m->nobjective; i++) {
    any |= isfinite(m->sharpness[i]) || (*m->config->objective[i].value && m->smooths);
  }
  for (int i = 0; i < m->nconstraint; i++) {
    const mbo_objective_config *o = &m->config->constraint[i];
    any |= isfinite(m->sharpness[m->nobjective + i]) || (*o->value ? m->smooths : mbd_form_find(o->form)->smooths != 0);
  }
  return any;
}

/* ---- the stages ---- */

static mbd_status keep_stage(sequence *seq, const mbo_result *r, mbd_error *err) {
  const mechanism *m = seq->m;
  const int nq = m->nobjective + m->nconstraint;
  const size_t n = (size_t)nq;
  stage *grown = mbd_list_grow(seq->list->stage, seq->list->n, sizeof *grown);
  MEMORY_TRY(grown, err, "the stages");
  seq->list->stage = grown;
  double *numbers = calloc(5 * n + 1, sizeof *numbers);
  MEMORY_TRY(numbers, err, "the stages");
  stage *k = &grown[seq->list->n++];
  *k = (stage){.status = r->status,
               .designs = r->evaluations + r->replayed - seq->designs,
               .f = r->f,
               .f_true = m->f_true,
               .worst_sharpness = m->worst_sharpness,
               .sharpness = numbers};
  k->shift = numbers + n, k->smooth = k->shift + n, k->truth = k->smooth + n, k->time = k->truth + n;
  for (int i = 0; i < nq; i++) {
    k->sharpness[i] = m->sharpness[i], k->shift[i] = i < m->nobjective ? 0 : m->shift[i - m->nobjective];
    k->smooth[i] = m->psi[i], k->truth[i] = m->truth[i].value, k->time[i] = m->truth[i].time;
  }
  return MBD_OK;
}

void stages_free(stages *list) {
  for (int i = 0; i < list->n; i++) { free(list->stage[i].sharpness); }
  free(list->stage);
  list->stage = NULL, list->n = 0;
}

/* Gives a quantity a sharpness, where it is a smooth extremum of a case. */
static mbd_status set_sharpness(mechanism *m, int quantity, double sharpness, mbd_error *err) {
  if (isnan(sharpness) || m->sharpness[quantity] == sharpness) { return MBD_OK; }
  if (scenarios_across(m, quantity) >= 0) { return scenarios_set_sharpness(m, quantity, sharpness, err); }
  m->sharpness[quantity] = sharpness;
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *load = &m->cases[i];
    for (int k = 0; k < load->npsi; k++) {
      if (load->quantity[k] == quantity) { MBD_TRY(case_set_sharpness(load, k, sharpness, err)); }
    }
  }
  return MBD_OK;
}

mbd_status stages_take(mechanism *m, const stage *k, mbd_error *err) {
  MBD_TRY(cases_choose_sharpness(m, err));
  m->worst_sharpness = k->worst_sharpness;
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    MBD_TRY(set_sharpness(m, i, k->sharpness[i], err));
    if (i >= m->nobjective) { m->shift[i - m->nobjective] = k->shift[i]; }
  }
  return MBD_OK;
}

/* Sharpness and shifts of the next stage, which begins at x. */
static mbd_status prepare(sequence *seq, const double *x, mbd_error *err) {
  mechanism *m = seq->m;
  int by_others;
  objectives_can_sharpen(m, &by_others);
  if (seq->sharper) { m->worst_sharpness *= growth, seq->sharpened++; }
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    const int k = i - m->nobjective; /* number of the constraint */
    const int limited = k >= 0 && seq->n <= GROWING && needs_stage(m, k, seq->s->tol_constraint);
    if (limited || (seq->sharper && (k < 0 || by_others))) {
      MBD_TRY(set_sharpness(m, i, growth * m->sharpness[i], err));
    }
  }
  MBD_TRY(mechanism_evaluate(m, x, "none", err));
  for (int i = 0; i < m->nconstraint; i++) {
    const true_value *t = truth_of(m, i);
    if (!t->smooths || isnan(t->value)) { continue; }
    /* the margin of the nearer limit */
    const double above = m->c_upper[i] - t->value, below = t->value - m->c_lower[i];
    const double inside = is_equality(m, i) ? 0 : above < below ? margin_of(m, i) : -margin_of(m, i);
    m->shift[i] = t->value - m->psi[m->nobjective + i] + inside;
  }
  return MBD_OK;
}

/* The text by which the journal recognizes the lines of a stage: its number, and a hash of sharpness and shifts. */
static void name_stage(const sequence *seq, char text[40]) {
  const mechanism *m = seq->m;
  const size_t nq = (size_t)(m->nobjective + m->nconstraint);
  unsigned long long hash = fingerprint_add(FINGERPRINT_NONE, (const char *)m->sharpness, nq * sizeof *m->sharpness);
  hash = fingerprint_add(hash, (const char *)m->shift, (size_t)m->nconstraint * sizeof *m->shift);
  hash = fingerprint_add(hash, (const char *)&m->worst_sharpness, sizeof m->worst_sharpness);
  snprintf(text, 40, "%d %016llx", seq->n + 1, hash);
}

/* Adds the counts of the stages before, *sum, to those of a stage, and takes the list of failures over. */
static mbd_status add_counts(mbo_result *sum, mbo_result *r, mbd_error *err) {
  const int before = sum->evaluations + sum->replayed;
  mbo_failure *all = realloc(sum->failure, ((size_t)(sum->nfailure + r->nfailure) + 1) * sizeof *all);
  MEMORY_TRY(all, err, "the list of failed designs");
  for (int i = 0; i < r->nfailure; i++) {
    all[sum->nfailure + i] = r->failure[i];
    all[sum->nfailure + i].number += before;
  }
  free(r->failure);
  r->failure = all, r->nfailure += sum->nfailure;
  sum->failure = NULL, sum->nfailure = 0;
  r->iterations += sum->iterations, r->evaluations += sum->evaluations, r->replayed += sum->replayed;
  r->gradients += sum->gradients, r->hessians += sum->hessians, r->failures += sum->failures;
  r->restarts += sum->restarts, r->probes += sum->probes, r->watched += sum->watched;
  if (r->gauss_newton_left) { r->gauss_newton_left += before; }
  if (sum->gauss_newton_left) { r->gauss_newton_left = sum->gauss_newton_left; }
  r->deviation = fmax(r->deviation, sum->deviation);
  r->seconds += sum->seconds;
  r->f_start = sum->f_start;
  return MBD_OK;
}

/* Runs stage seq->n from x, which is a design of *out, and makes it the result. */
static mbd_status run_stage(sequence *seq, const char *backend, const mbo_problem *p, mbo_result *out, mbd_error *err) {
  mbo_settings s = *seq->s;
  mbo_problem from = *p;
  mbo_result r = {0};
  char name[40];
  name_stage(seq, name);
  from.start = out->x;
  s.stage = name, s.resume = 1, s.user = seq;
  s.gauss_newton &= !seq->slow;
  s.is_enough = NULL; /* it is asked of the caller's own objectives */
  s.iteration = s.iteration ? on_iteration : NULL, s.simulated = s.simulated ? on_simulation : NULL;
  s.evaluated = s.evaluated ? on_evaluation : NULL;
  s.begin = s.begin ? on_begin : NULL;
  seq->designs = out->evaluations + out->replayed, seq->iterations = out->iterations;
  s.designs_before = seq->designs, s.seconds_before = out->seconds;
  mbd_status status = mbo_solve(backend, &from, &s, &r, err);
  if (status == MBD_OK) { status = add_counts(out, &r, err); }
  if (status != MBD_OK) {
    mbo_result_free(&r);
    return status;
  }
  mbo_result_free(out);
  *out = r;
  return MBD_OK;
}

static int may_go_on(const mbo_result *r, const mbo_settings *s) {
  const int ended = r->status == MBO_CONVERGED || r->status == MBO_STALLED || r->status == MBO_STOPPED_LIMIT ||
                    r->status == MBO_INFEASIBLE;
  return ended && isfinite(r->f) && s->max_iterations > 0 && r->evaluations + r->replayed < s->max_evaluations &&
         r->seconds < s->max_time;
}

/* The largest true violation is that of the result, and decides its status. */
static void judge(const sequence *seq, mbo_result *r) {
  const mechanism *m = seq->m;
  const double tol = seq->s->tol_constraint;
  int any = 0;
  r->violation = 0;
  for (int i = 0; i < m->nconstraint; i++) {
    const true_value *t = truth_of(m, i);
    const double by = violation_of(m, i, tol);
    r->violation = fmax(r->violation, by), any |= by > 0;
    r->c[i] = t->smooths ? t->value : m->psi[m->nobjective + i];
    if (!(by > 0) || !t->smooths) { continue; }
    char when[32] = "";
    if (isfinite(t->time)) { snprintf(when, sizeof when, " at t = %.6g s", t->time); }
    result_add_text(r, "the true value of '%s', %.9g%s, violates its limit %g", m->c_name[i], t->value, when,
                    t->value > m->c_upper[i] ? m->c_upper[i] : m->c_lower[i]);
  }
  if (any && (r->status == MBO_CONVERGED || r->status == MBO_STALLED)) { r->status = MBO_INFEASIBLE; }
  if (!any && r->status == MBO_INFEASIBLE) { r->status = MBO_STALLED; }
}

double stages_violation(const mechanism *m, const stage *k) {
  double largest = 0;
  for (int i = 0; i < m->nconstraint; i++) {
    const double value = k->truth[m->nobjective + i];
    if (isfinite(value)) { largest = fmax(largest, outside(m, i, value)); }
  }
  return largest;
}

/* After a stage that has found no feasible design: is there none for true values either? Another stage may help where a constraint violates its limit
 * less than the optimizer has seen, as long as stages halve the violation. */
static int is_hopeless(const sequence *seq) {
  static const double falls = 0.5;
  const mechanism *m = seq->m;
  const stages *list = seq->list;
  const stage *last = &list->stage[list->n - 1];
  int cautious = 0;
  if (last->status != MBO_INFEASIBLE) { return 0; }
  for (int i = 0; i < m->nconstraint; i++) {
    const double by = outside(m, i, seen(m, i));
    cautious |= by > seq->s->tol_constraint && outside(m, i, truth_of(m, i)->value) < by;
  }
  return !cautious || (list->n > 1 && stages_violation(m, last) > falls * stages_violation(m, last - 1));
}

/* Keeps the result of a stage if it is better than those before. */
static mbd_status keep_best(sequence *seq, const mbo_result *r, mbd_error *err) {
  const mechanism *m = seq->m;
  best_stage *best = &seq->best;
  double violation = 0;
  for (int i = 0; i < m->nconstraint; i++) { violation = fmax(violation, violation_of(m, i, seq->s->tol_constraint)); }
  if (best->x && best->violation == 0 && (violation > 0 || !(m->f_true < best->f))) { return MBD_OK; }
  if (!best->x) { best->x = mbd_zeros((size_t)(m->n + r->nc), sizeof *best->x); }
  MEMORY_TRY(best->x, err, "the best stage");
  memcpy(best->x, r->x, (size_t)m->n * sizeof *best->x);
  best->multipliers = r->multipliers ? best->x + m->n : NULL;
  if (r->multipliers) { memcpy(best->multipliers, r->multipliers, (size_t)r->nc * sizeof *r->multipliers); }
  best->n = seq->list->best = seq->n, best->violation = violation, best->f = m->f_true, best->result = *r;
  return MBD_OK;
}

/* Makes the result of the best stage that of the run, unless it is that of the last stage. */
static mbd_status take_best(sequence *seq, mbo_result *r, mbd_error *err) {
  const mbo_result *best = &seq->best.result;
  if (seq->best.n == seq->n) { return MBD_OK; }
  memcpy(r->x, seq->best.x, (size_t)r->n * sizeof *r->x);
  r->status = best->status, r->code = best->code, r->f = best->f;
  r->optimality = best->optimality, r->offset = best->offset, r->noise = best->noise;
  memcpy(r->text, best->text, sizeof r->text);
  if (r->multipliers && seq->best.multipliers) {
    memcpy(r->multipliers, seq->best.multipliers, (size_t)r->nc * sizeof *r->multipliers);
  } else {
    free(r->multipliers);
    r->multipliers = NULL;
  }
  return mechanism_evaluate(seq->m, r->x, "none", err);
}

/* After a stage: true values at its result, and whether another one follows. */
static mbd_status look(sequence *seq, const mbo_result *r, int *more, mbd_error *err) {
  const mechanism *m = seq->m;
  MBD_TRY(mechanism_evaluate(seq->m, r->x, "none", err));
  MBD_TRY(keep_stage(seq, r, err));
  *more = 0;
  for (int i = 0; i < m->nconstraint; i++) { *more |= needs_stage(m, i, seq->s->tol_constraint); }
  seq->sharper = !*more && needs_sharper_objectives(seq, r); /* limits first: both at once takes more designs */
  *more |= seq->sharper;
  MBD_TRY(keep_best(seq, r, err));
  if (r->gauss_newton_left) { seq->slow = 1; }
  /* After one with the Gauss-Newton matrix that did not converge, another one without it follows in any case. */
  const int unfinished = r->status == MBO_STOPPED_LIMIT || r->status == MBO_STALLED;
  if (seq->n > 0 && seq->s->gauss_newton && unfinished && !seq->slow) { *more = seq->slow = 1; }
  *more &= may_go_on(r, seq->s) && seq->n + 1 < STAGES_MAX && !is_hopeless(seq);
  return MBD_OK;
}

/* The stages after the first one. */
static mbd_status go_on(sequence *seq, const char *backend, const mbo_problem *p, mbo_result *out, mbd_error *err) {
  for (int more = 1; more;) {
    MBD_TRY(look(seq, out, &more, err));
    if (!more) { break; }
    if (seq->list->next) { seq->list->next(seq->list->user, seq->list, seq->n); }
    seq->n++;
    MBD_TRY(prepare(seq, out->x, err));
    MBD_TRY(run_stage(seq, backend, p, out, err));
    if (out->status == MBO_INTERRUPTED || !isfinite(out->f)) { break; }
  }
  out->stages = seq->n + 1;
  if (out->status == MBO_INTERRUPTED) { return MBD_OK; }
  MBD_TRY(take_best(seq, out, err));
  judge(seq, out);
  return MBD_OK;
}

/* The objectives of a result as the run file describes them. */
static mbd_status restate(mechanism *m, mbo_result *r, mbd_error *err) {
  if (r->x_continuous) {
    MBD_TRY(mechanism_evaluate(m, r->x_continuous, "none", err));
    r->f_continuous = m->f;
  }
  MBD_TRY(mechanism_evaluate(m, r->x, "none", err));
  r->f = m->f;
  return MBD_OK;
}

mbd_status stages_solve(mechanism *m, const char *backend, const mbo_problem *p, const mbo_settings *s, stages *list,
                        mbo_result *out, mbd_error *err) {
  const int nq = m->nobjective + m->nconstraint;
  sequence seq = {.m = m, .s = s, .list = list};
  if (m->config->optimizer.repair_start && p->start == m->start) { MBD_TRY(closing_repair_start(m, err)); }
  MBD_TRY(mbo_solve(backend, p, s, out, err));
  if (!any_is_smoothed(m) || out->status == MBO_INTERRUPTED || !isfinite(out->f)) { return MBD_OK; }
  seq.sharpness = mbd_zeros((size_t)nq, sizeof *seq.sharpness);
  MEMORY_TRY(seq.sharpness, err, "the stages");
  memcpy(seq.sharpness, m->sharpness, (size_t)nq * sizeof *seq.sharpness);
  const double worst_sharpness = m->worst_sharpness;
  mbd_status status = go_on(&seq, backend, p, out, err);
  /* A run that was stopped between two stages is interrupted, as one within a stage. */
  if (status == MBD_INTERRUPTED) { out->status = MBO_INTERRUPTED, status = MBD_OK; }
  /* The mechanism as the run file describes it. */
  mbd_error why = {0};
  memset(m->shift, 0, (size_t)m->nconstraint * sizeof *m->shift);
  m->worst_sharpness = worst_sharpness;
  for (int i = 0; i < nq; i++) {
    const mbd_status restored = set_sharpness(m, i, seq.sharpness[i], &why);
    if (status == MBD_OK && restored != MBD_OK) {
      status = restored;
      if (err) { *err = why; }
    }
  }
  if (status == MBD_OK && seq.sharpened && out->status != MBO_INTERRUPTED) { status = restate(m, out, err); }
  free(seq.sharpness), free(seq.best.x);
  return status;
}
