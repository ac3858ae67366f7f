/* Steps whose sizes are chosen for their error. The integrator's own internal steps go past the nodes; a node t between the start
 * and the end of an internal step, theta = (t - t_0)/h, is evaluated from the interpolation (integrator.h),
 *   xi = B z_0 + h sum_i w_i(theta) B zd_i,     eta = B zd_0 + h sum_i w_i(theta) B zdd_i
 * so that constraints and equations of motion hold there as well. The last stage of an internal step is its end, and the first
 * stage of the next. B is chosen anew only there.
 *
 * Integrals over time are sums over three Gauss points (order six) of every internal step, or of equal pieces of it that are no
 * longer than three distances of nodes: the error control of the internal steps does not see sharp peaks and fast targets over time,
 * which are resolved as finely as the user has chosen the nodes. The motion at a point is interpolated like that at a node; its error h^5
 * times the step h is the local error of order five. The weights b of the stages would need no evaluations of their own, but
 * one of them is negative: squares could have a negative integral over coarse steps, and the sum of a peak no logarithm.
 * The error of the integrals takes no part in the choice of sizes. The motion would depend on the objectives, and it is not
 * needed: the points resolve what the internal steps resolve, so that integrals follow rtol as the motion does.
 *
 * Sizes (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.4) look at real parts and are
 * frozen in all derivatives, with the duration relative to it: what is differentiated are the values that were computed. They
 * follow the error of the motion, not that of its derivatives: at rest, steps may become unstably long before an error is seen; max_step
 * prevents it. Steps end at control points of curves over time: the error of a step does not see those that it passes over.
 *
 * A node hands to the next one the internal step that contains it: its start, size and choice of B, and the fastest rate so far. Stages
 * that are no longer in memory are recomputed from these. The record of a node also holds the first internal step that was begun after
 * the node before: the visit of the node recomputes the internal steps from there and passes through them in reverse, the last one
 * first. Beside the adjoint of the state it has derivatives by the stages of the current internal step, which collect the contributions
 * of all nodes within it.
 * Equations: theory.md §5.3 (5.6), (5.7) for the motion, theory.md §6 (6.1) for the integrals. */
#include <stdlib.h>
#include <string.h>

#include "formulation/state_space.h"
#include "objective/objectives.h"
#include "output/time_curves.h"
#include "state/turns.h"

enum { BETWEEN_NODES_MAX = 100000, CAPACITY = 16 };

static const double safety = 0.9, shrink = 0.2, grow = 5; /* of sizes, from one attempt to the next */
static const double after_failure = 0.25;
static const double nothing = 1e-15;  /* a size, relative to the duration */
static const double rounding = 1e-14; /* of a coordinate */

typedef struct adaptive {
  double
      h; /* of the present internal step, from q->stage[0] to the last stage; 0: none yet, both are the start of the run */
  double next;                     /* proposed for the next; 0: to be found */
  int taken;                       /* q->stage are those of this internal step */
  mbd_real *end_z;                 /* [nz][np] sensitivities of its end; the rates' are those of the last stage */
  mbd_real *by_z, *by_zd, *by_zdd; /* [nz][npsi] derivatives by its end, of all that lies behind it */
  double *w;                       /* [stages] weights of a node */

  int nknot;
  double *knot; /* [nknot] increasing times of the control points of curves over time; steps end there */

  double rate; /* [1/s] the fastest that the motion has answered with so far (fastest_rate) */

  int begun;       /* internal steps begun on the way to the current node */
  mbd_real *first; /* the first of them, as numbers */
  mbd_real *chain; /* those of a visit, but the last: [capacity] times as many numbers */
  int capacity;
  mbd_arena arena;
} adaptive;

static adaptive *adaptive_of(const mbd_sim *s) {
  return ss_of(s)->steps_memory;
}

static const mbd_tableau *pair_of(const mbd_sim *s) {
  return s->integrator->tableau;
}

static int last_of(const mbd_sim *s) {
  return pair_of(s)->stages - 1;
}

static double end_of_run(const mbd_sim *s) {
  return s->nsteps * s->h;
}

/* ---- the current internal step, as numbers ---- */

static size_t step_reals(const mbd_sim *s) {
  return 3 + ss_point_reals(s) + independent_reals(ss_of(s)->indep);
}

/* Copies an internal step: its start time and its size identify it. */
static void copy_step(mbd_sim *s, sim_copy copy, mbd_real **at) {
  state_space *space = ss_of(s);
  adaptive *d = space->steps_memory;
  const double t = space->stage[0].t, h = d->h;
  mbd_real size[3] = {d->h, d->next, d->rate};
  copy(at, size, 3);
  d->h = mbd_same(size[0]), d->next = mbd_same(size[1]), d->rate = mbd_same(size[2]);
  ss_copy_point(s, &space->stage[0], copy, at);
  copy(at, space->choice, (int)independent_reals(space->indep));
  independent_restore(space->indep, space->choice);
  if (space->stage[0].t != t || d->h != h) { d->taken = 0; }
}

static void save_step(mbd_sim *s, mbd_real *x) {
  copy_step(s, sim_into_record, &x);
}

static void load_step(mbd_sim *s, mbd_real *x) {
  copy_step(s, sim_from_record, &x);
}

static size_t adaptive_record_reals(const mbd_sim *s) {
  return 1 + step_reals(s);
}

static void adaptive_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at) {
  adaptive *d = adaptive_of(s);
  mbd_real begun = d->begun;
  copy(at, &begun, 1), copy(at, d->first, (int)step_reals(s));
  d->begun = (int)mbd_same(begun);
}

/* ---- memory ---- */

static void adaptive_layout(adaptive *d, const mbd_sim *s, mbd_arena *arena) {
  size_t knots = 0;
  const size_t n = (size_t)ss_of(s)->n, np = (size_t)s->np_max, npsi = (size_t)s->npsi;
  d->end_z = mbd_arena_real(arena, n * np);
  MBD_ARENA_REALS(arena, n * npsi, &d->by_z, &d->by_zd, &d->by_zdd);
  d->w = mbd_arena_take(arena, MBD_STAGE_MAX * sizeof *d->w);
  d->first = mbd_arena_real(arena, step_reals(s));
  for (int i = 0; i < s->ntimed; i++) { knots += (size_t)s->m->curve[s->timed[i]].nknot; }
  d->knot = mbd_arena_take(arena, (knots + 1) * sizeof *d->knot);
}

/* Makes room for n internal steps: a visit with more of them than any before needs more memory. All other memory is taken at the
 * beginning. */
static mbd_status adaptive_reserve(mbd_sim *s, int n, mbd_error *err) {
  adaptive *d = adaptive_of(s);
  if (n <= d->capacity) { return MBD_OK; }
  const int capacity = n > 2 * d->capacity ? n : 2 * d->capacity;
  mbd_real *chain = realloc(d->chain, (size_t)capacity * step_reals(s) * sizeof *chain);
  if (!chain) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d steps of integrator '%s'", capacity, s->integrator->name);
  }
  d->chain = chain, d->capacity = capacity;
  return MBD_OK;
}

static mbd_status adaptive_create(mbd_sim *s, void **memory, mbd_error *err) {
  adaptive *d = calloc(1, sizeof *d);
  *memory = d;
  if (!d) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for an integrator"); }
  while (mbd_arena_pass(&d->arena)) { adaptive_layout(d, s, &d->arena); }
  MBD_TRY(mbd_arena_check(&d->arena, "an integrator", err));
  return adaptive_reserve(s, CAPACITY, err);
}

static void adaptive_destroy(void *memory) {
  adaptive *d = memory;
  free(d->arena.base);
  free(d->chain);
  free(d);
}

/* ---- one internal step ---- */

/* Returns the time at which an internal step of size h ends. A step that ends within rounding of the end of the run ends exactly there. */
static double end_of_step(const mbd_sim *s, double h) {
  const double t = ss_of(s)->stage[0].t + h, end = end_of_run(s);
  return fabs(t - end) <= nothing * end ? end : t;
}

static mbd_status adaptive_stage(mbd_sim *s, double h, int i, mbd_error *err) {
  state_space *space = ss_of(s);
  const mbd_tableau *tableau = pair_of(s);
  const double *w = tableau->a + i * tableau->stages;
  s->t = (tableau->c[i] == 1 ? end_of_step(s, h) : space->stage[0].t + tableau->c[i] * h) * s->dilation;
  stage_sum(s, i, w, h);
  MBD_TRY(ss_evaluate(s, err));
  ss_keep(s, &space->stage[i]);
  if (s->np == 0) { return MBD_OK; }
  stage_sum_sens(s, i, w, h);
  const sim_sens to = {.z = i == last_of(s) ? adaptive_of(s)->end_z : s->sens.z,
                       .zd = space->sens.zd[i],
                       .zdd = space->sens.zdd[i],
                       .lam = s->sens.lam};
  return ss_evaluate_sens(s, 0, &to, err);
}

static mbd_status stages(mbd_sim *s, double h, mbd_error *err) {
  for (int i = 1; i <= last_of(s); i++) { MBD_TRY(adaptive_stage(s, h, i, err)); }
  return MBD_OK;
}

/* Returns the error allowed in a coordinate whose values at both ends of a step are x and y. */
static double allowed(const mbd_sim *s, mbd_real x, mbd_real y) {
  return s->c.atol + s->c.rtol * fmax(mbd_largest(x), mbd_largest(y));
}

/* Returns the root mean square of the errors in xi and eta, each divided by the allowed error. */
static double step_error(const mbd_sim *s, double h) {
  const state_space *space = ss_of(s);
  const ss_point *from = &space->stage[0], *to = &space->stage[last_of(s)];
  double sum = 0;
  for (int f = 0; f < space->indep->nf; f++) {
    const int j = space->indep->free[f];
    mbd_value e_z = 0, e_zd = 0; /* of each design; the largest one counts */
    for (int i = 0; i <= last_of(s); i++) {
      e_z += h * pair_of(s)->error[i] * mbd_re(space->stage[i].zd[j]);
      e_zd += h * pair_of(s)->error[i] * mbd_re(space->stage[i].zdd[j]);
    }
    const double z = mbd_largest(e_z) / allowed(s, from->z[j], to->z[j]);
    const double zd = mbd_largest(e_zd) / allowed(s, from->zd[j], to->zd[j]);
    sum += z * z + zd * zd;
  }
  return sqrt(sum / fmax(1, 2 * space->indep->nf));
}

/* Returns the size of the eigenvalue that dominates between the last two stages, which are at the same time: the root of |dzdd|/|dz|, an
 * eigenvalue's square for damping as for oscillation (cf. Hairer, Wanner II, section IV.2). Of smooth motions it is small. */
static double fastest_rate(const mbd_sim *s) {
  const state_space *space = ss_of(s);
  const ss_point *one = &space->stage[last_of(s) - 1], *other = &space->stage[last_of(s)];
  double z = 0, zdd = 0;
  for (int f = 0; f < space->indep->nf; f++) {
    const int j = space->indep->free[f];
    const double dz = mbd_largest(other->z[j] - one->z[j]), dzdd = mbd_largest(other->zdd[j] - one->zdd[j]);
    if (dz > rounding * (1 + mbd_largest(one->z[j]))) { z += dz * dz, zdd += dzdd * dzdd; }
  }
  return z > 0 ? sqrt(sqrt(zdd / z)) : 0;
}

/* Chooses the independent coordinates of the next internal step at the end of the present one, where all matrices are factored. */
static mbd_status choose_next(mbd_sim *s, mbd_error *err) {
  state_space *space = ss_of(s);
  MBD_TRY(ss_choose(s, adaptive_of(s)->h, err));
  independent_save(space->indep, space->next_choice);
  independent_restore(space->indep, space->choice);
  return MBD_OK;
}

/* Sets start and end of the internal step to the start of the run, before the first step. */
static void stay_at_start(mbd_sim *s) {
  state_space *space = ss_of(s);
  const int last = last_of(s);
  const size_t size = (size_t)ss_of(s)->n * (size_t)s->np * sizeof *s->sens.z;
  ss_set_point(s, &space->stage[last], &space->stage[0]);
  memcpy(space->next_choice, space->choice, independent_reals(space->indep) * sizeof *space->choice);
  memcpy(adaptive_of(s)->end_z, s->sens.z, size);
  memcpy(space->sens.zd[last], s->sens.zd, size);
  memcpy(space->sens.zdd[last], s->sens.zdd, size);
}

/* Recomputes the stages of the present internal step from its start, size and choice of coordinates, if memory does not hold them. */
static mbd_status take_again(mbd_sim *s, mbd_error *err) {
  adaptive *d = adaptive_of(s);
  if (d->taken) { return MBD_OK; }
  d->taken = 1;
  if (d->h == 0) {
    stay_at_start(s);
    return MBD_OK;
  }
  MBD_TRY(stages(s, d->h, err));
  return choose_next(s, err);
}

/* ---- the sizes ---- */

/* Returns the same mean of xi and eta at the start, or (rates) of xi' and eta'; change: of these less what s->now has. */
static double scaled_size(const mbd_sim *s, int rates, int change) {
  const state_space *space = ss_of(s);
  const ss_point *at = &space->stage[0];
  double sum = 0;
  for (int f = 0; f < space->indep->nf; f++) {
    const int j = space->indep->free[f];
    mbd_real xi = rates ? at->zd[j] : at->z[j], eta = rates ? at->zdd[j] : at->zd[j];
    if (change) { xi -= s->now.zd[j], eta -= s->now.zdd[j]; }
    const double x = mbd_largest(xi) / allowed(s, at->z[j], at->z[j]);
    const double y = mbd_largest(eta) / allowed(s, at->zd[j], at->zd[j]);
    sum += x * x + y * y;
  }
  return sqrt(sum / fmax(1, 2 * space->indep->nf));
}

/* Computes the size of the first step from second derivatives that an explicit Euler step estimates. */
static mbd_status first_size(mbd_sim *s, double max, double *h, mbd_error *err) {
  const double one = 1, state = scaled_size(s, 0, 0), rates = scaled_size(s, 1, 0);
  const double careful = 1e-6 * end_of_run(s);
  double euler = state < 1e-5 || rates < 1e-5 ? careful : 0.01 * state / rates;
  euler = fmin(euler, max);
  s->t = ss_of(s)->stage[0].t + euler;
  stage_sum(s, 1, &one, euler);
  const mbd_status status = ss_evaluate(s, err);
  if (status != MBD_OK) { /* begin with less */
    *h = after_failure * euler;
    return status > 0 ? MBD_OK : status;
  }
  const double change = fmax(rates, scaled_size(s, 1, 1) / euler);
  const double estimated =
      change <= 1e-15 ? fmax(careful, 1e-3 * euler) : pow(0.01 / change, 1.0 / pair_of(s)->error_order);
  *h = fmin(fmin(100 * euler, estimated), max);
  return MBD_OK;
}

/* The control points of curves over time in this design. */
static void find_knots(mbd_sim *s) {
  adaptive *d = adaptive_of(s);
  d->nknot = 0;
  for (int c = 0; c < s->ntimed; c++) {
    const mbd_curve *k = &s->m->curve[s->timed[c]];
    for (int i = 0; i < k->nknot; i++) { d->knot[d->nknot++] = time_curves_knot(k, s->p->theta, i); }
  }
  mbd_sort_values(d->nknot, d->knot);
}

/* Returns the first control point after time t, or the end of the run. */
static double next_goal(const mbd_sim *s, double t) {
  const adaptive *d = adaptive_of(s);
  int low = 0, high = d->nknot;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (d->knot[middle] > t) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low < d->nknot ? fmin(d->knot[low], end_of_run(s)) : end_of_run(s);
}

/* Returns the size of the next step, at most `max`. No step passes over a control point, except over one that is closer to its start than a
 * hundredth of it. If it would leave less than that to a control point or to the end of the run, it goes there. */
static double fit(const mbd_sim *s, double h, double max) {
  const double t = ss_of(s)->stage[0].t;
  h = fmin(h, max);
  const double left = next_goal(s, t + 0.01 * h) - t;
  return 1.01 * h >= left && left <= max ? left : h;
}

static double factor_for(const mbd_sim *s, double error, int rejected) {
  const double factor = safety * pow(error, -1.0 / pair_of(s)->error_order);
  return fmax(shrink, fmin(factor, rejected ? 1 : grow));
}

static mbd_status too_small(const mbd_sim *s, double h, mbd_error *err) {
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "the steps of integrator '%s' have shrunk to %.2g s to keep their error below rtol = %g, atol = %g",
           s->integrator->name, h, s->c.rtol, s->c.atol);
}

/* Computes the stages of the step from q->stage[0], with smaller and smaller sizes, beginning with the proposed one, until the error is
 * allowed. */
static mbd_status attempts(mbd_sim *s, double h, double max, mbd_error *err) {
  adaptive *d = adaptive_of(s);
  const double proposed = fmin(h, max);
  mbd_status last = MBD_OK; /* of the attempt before */
  for (int rejected = 0;; rejected++) {
    h = fit(s, h, max);
    if (h <= nothing * end_of_run(s)) { return last == MBD_OK ? too_small(s, h, err) : last; }
    const mbd_status status = stages(s, h, err);
    const double error = status == MBD_OK ? step_error(s, h) : 0;
    if (status < 0) { return status; }
    if (status == MBD_OK && error <= 1) {
      d->h = h, d->next = h * factor_for(s, error, rejected);
      const int shortened = !rejected && h < proposed; /* to end at a control point */
      if (shortened) { d->next = fmax(d->next, proposed); }
      d->rate = fmax(d->rate, fastest_rate(s));
      s->stats.own_steps++, s->stats.rejected += rejected;
      return MBD_OK;
    }
    h *= status == MBD_OK ? factor_for(s, error, 1) : after_failure;
    last = status;
  }
}

static void adaptive_exchange(mbd_real **x, mbd_real **y) {
  mbd_real *t = *x;
  *x = *y;
  *y = t;
}

/* Makes the end of the present internal step the start of the next one. */
static void adaptive_go_on(mbd_sim *s) {
  state_space *space = ss_of(s);
  const int last = last_of(s);
  const ss_point end = space->stage[last];
  space->stage[last] = space->stage[0], space->stage[0] = end;
  memcpy(space->choice, space->next_choice, independent_reals(space->indep) * sizeof *space->choice);
  independent_restore(space->indep, space->choice);
  if (s->np == 0) { return; }
  adaptive_exchange(&space->sens.zd[0], &space->sens.zd[last]);
  adaptive_exchange(&space->sens.zdd[0], &space->sens.zdd[last]);
  independent_read(space->indep, s->np, adaptive_of(s)->end_z, space->sens.xi0);
  independent_read_rates(space->indep, s->np, space->sens.zd[0], space->sens.eta0);
}

static mbd_status next_step(mbd_sim *s, mbd_error *err) {
  adaptive *d = adaptive_of(s);
  const double max = s->c.max_step > 0 ? s->c.max_step : end_of_run(s);
  double h = d->next;
  d->taken = 0;
  adaptive_go_on(s);
  if (h == 0) { MBD_TRY(first_size(s, max, &h, err)); }
  MBD_TRY(attempts(s, h, max, err));
  d->taken = 1;
  return choose_next(s, err);
}

/* ---- a state within the current internal step ---- */

static void adaptive_begin(mbd_sim *s) {
  state_space *space = ss_of(s);
  adaptive *d = space->steps_memory;
  ss_keep(s, &space->stage[0]);
  independent_save(space->indep, space->choice);
  find_knots(s);
  d->h = d->next = d->rate = 0;
  d->taken = d->begun = 0;
}

static void adaptive_weights(const mbd_sim *s, double t) {
  const adaptive *d = adaptive_of(s);
  tableau_between(pair_of(s), (t - ss_of(s)->stage[0].t) / d->h, d->w);
}

/* Computes the motion at time t; sens: with its sensitivities. */
static mbd_status adaptive_interpolate(mbd_sim *s, double t, int sens, mbd_error *err) {
  const adaptive *d = adaptive_of(s);
  const int n = pair_of(s)->stages;
  s->t = t * s->dilation;
  adaptive_weights(s, t);
  stage_sum(s, n, d->w, d->h);
  MBD_TRY(ss_evaluate(s, err));
  if (!sens) {
    ss_of(s)->mech->move(s, s->now.zd, s->now.zdd, 1);
    return MBD_OK;
  }
  stage_sum_sens(s, n, d->w, d->h);
  return ss_evaluate_sens(s, 0, &s->sens, err);
}

/* ---- integrals over the current internal step ---- */

enum { GAUSS = 3 };
static const double gauss_at[GAUSS] = {0.11270166537925831, 0.5, 0.88729833462074169}; /* (1 -+ sqrt(3/5))/2 */
static const double gauss_weight[GAUSS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/* Returns the number of equal pieces of the present internal step, each at most GAUSS node distances long; 0: no integral needs points between
 * nodes. */
static int pieces(const mbd_sim *s) {
  if (!quadrature_between_nodes(s)) { return 0; }
  return (int)fmax(1, ceil(adaptive_of(s)->h / (GAUSS * s->h) - 1e-6));
}

/* Point i of n pieces: its time; its weight. */
static double point_time(const mbd_sim *s, int n, int i) {
  const int piece = i / GAUSS;
  return ss_of(s)->stage[0].t + adaptive_of(s)->h / n * (piece + gauss_at[i % GAUSS]);
}

static double point_weight(const mbd_sim *s, int n, int i) {
  return adaptive_of(s)->h / n * gauss_weight[i % GAUSS];
}

static mbd_status integrate(mbd_sim *s, mbd_error *err) {
  const int n = s->objectives->gathering ? pieces(s) : 0;
  mbd_sim *seen;
  for (int i = 0; i < GAUSS * n; i++) {
    MBD_TRY(adaptive_interpolate(s, point_time(s, n, i), s->np > 0, err));
    MBD_TRY(ss_show(s, &seen, err));
    MBD_TRY(quadrature_add_point(seen, point_weight(s, n, i), err));
  }
  return MBD_OK;
}

/* ---- from node to node ---- */

static mbd_status too_many(const mbd_sim *s, mbd_error *err) {
  MBD_FAIL(
      err, MBD_NO_CONVERGENCE,
      "integrator '%s' has taken %d steps since the last node, at the end of %.2g s: a stiff model wants an implicit "
      "integrator, or larger rtol, atol, max_step",
      s->integrator->name, BETWEEN_NODES_MAX, adaptive_of(s)->h);
}

/* Sensitivities at a node: the objectives need them at the end, an observer where it reads outputs. */
static mbd_status adaptive_step(mbd_sim *s, mbd_error *err) {
  adaptive *d = adaptive_of(s);
  const ss_point *stages_at = ss_of(s)->stage;
  const double t = mbd_same(s->t);
  MBD_TRY(take_again(s, err));
  for (d->begun = 0; stages_at[last_of(s)].t < t; d->begun++) {
    if (d->begun == BETWEEN_NODES_MAX) { return too_many(s, err); }
    MBD_TRY(next_step(s, err));
    if (d->begun == 0) { save_step(s, d->first); }
    MBD_TRY(integrate(s, err));
  }
  return adaptive_interpolate(s, t, s->np > 0 && (s->objectives->watched || t == end_of_run(s)), err);
}

/* ---- the reverse pass ---- */

/* Adds the derivatives of the objectives at a point of the present internal step, where the motion is swept and factored, to the
 * derivatives by the stages. The derivatives by the end of that step, in a, are kept. */
static mbd_status point_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const adaptive *d = adaptive_of(s);
  const size_t n = (size_t)ss_of(s)->n * (size_t)a->npsi, size = n * sizeof *a->z;
  memcpy(d->by_z, a->z, size), memcpy(d->by_zd, a->zd, size), memcpy(d->by_zdd, a->zdd, size);
  adjoint_zero(n, a->z), adjoint_zero(n, a->zd), adjoint_zero(n, a->zdd);
  MBD_TRY(ss_of(s)->mech->outputs_back(s, a, err));
  MBD_TRY(ss_evaluate_back(s, a, err));
  ss_stretch_back(s, a);
  adaptive_weights(s, mbd_same(s->t));
  stage_sum_back(s, a, pair_of(s)->stages, d->w, d->h);
  memcpy(a->z, d->by_z, size), memcpy(a->zd, d->by_zd, size), memcpy(a->zdd, d->by_zdd, size);
  adjoint_zero((size_t)ss_of(s)->m * (size_t)a->npsi, a->lam);
  return MBD_OK;
}

static mbd_status integrate_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const int n = pieces(s), row = history_rows_back(s, GAUSS * n), point = turns_points_back(s, GAUSS * n);
  mbd_sim *seen;
  for (int i = 0; i < GAUSS * n; i++) {
    MBD_TRY(adaptive_interpolate(s, point_time(s, n, i), 0, err));
    MBD_TRY(ss_show(s, &seen, err));
    quadrature_outputs_of_point(seen, point + i);
    quadrature_weights(s, row + i, point_weight(s, n, i), 0);
    MBD_TRY(point_back(s, a, err));
  }
  return MBD_OK;
}

/* Replaces, in a, the derivatives by the end of the present internal step by those by its start; the derivatives by its stages are added. */
static mbd_status step_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  const adaptive *d = space->steps_memory;
  const mbd_tableau *tableau = pair_of(s);
  const int last = last_of(s), size = ss_of(s)->n * a->npsi;
  MBD_TRY(integrate_back(s, a, err));
  for (int i = 0; i < size; i++) { a->zd[i] += space->back.by_zd[last][i], a->zdd[i] += space->back.by_zdd[last][i]; }
  space->mech->begin_back(s, a);
  MBD_TRY(ss_return(s, &space->stage[last], err));
  adjoint_stretch_rates(s, a);
  MBD_TRY(ss_evaluate_back(s, a, err));
  ss_stretch_back(s, a);
  stage_sum_back(s, a, last, tableau->a + last * tableau->stages, d->h);
  MBD_TRY(stages_back(s, a, last, d->h, err));
  stages_back_clear(s, a);
  return MBD_OK;
}

/* Recomputes the internal steps that were begun on the way to the node. All but the last are stored in the chain; the last one becomes
 * the current step. */
static mbd_status way_there(mbd_sim *s, mbd_error *err) {
  adaptive *d = adaptive_of(s);
  const int steps = d->begun;
  MBD_TRY(adaptive_reserve(s, steps, err));
  load_step(s, d->first);
  MBD_TRY(take_again(s, err));
  for (int i = 0; i < steps - 1; i++) {
    save_step(s, d->chain + (size_t)i * step_reals(s));
    MBD_TRY(next_step(s, err));
  }
  return MBD_OK;
}

static mbd_status adaptive_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  adaptive *d = adaptive_of(s);
  const int steps = d->begun;
  if (mbd_same(s->t) == end_of_run(s)) { /* the only node that objectives depend on */
    stages_back_clear(s, a);
    MBD_TRY(ss_sweep(s, err));
    MBD_TRY(point_back(s, a, err));
  }
  if (steps == 0) { return MBD_OK; }
  MBD_TRY(way_there(s, err));
  for (int i = steps - 1; i > 0; i--) {
    MBD_TRY(step_back(s, a, err));
    load_step(s, d->chain + (size_t)(i - 1) * step_reals(s));
    MBD_TRY(take_again(s, err));
  }
  return step_back(s, a, err);
}

/* Returns the number of parts of an adjoint step. The classical Runge-Kutta method is stable for steps up to 2.8 divided by the fastest rate. The
 * method of the run is stable for slightly longer ones, so the adjoint takes shorter steps than the run did. */
static int parts(const mbd_sim *s) {
  static const double stable = 2, shorter = 1.25;
  const adaptive *d = adaptive_of(s);
  const double as_the_run = shorter * fmax(d->begun, s->h / d->h);
  /* Close to rest the rate is rounding, so it only raises the number: no step may be longer than those of the run. */
  return (int)fmax(1, ceil(fmax(as_the_run, fmin(2 * as_the_run, s->h * d->rate / stable))));
}

const ss_steps ss_adaptive = {.create = adaptive_create,
                              .destroy = adaptive_destroy,
                              .begin = adaptive_begin,
                              .step = adaptive_step,
                              .back = adaptive_back,
                              .state_reals = step_reals,
                              .copy_state = copy_step,
                              .record_reals = adaptive_record_reals,
                              .copy_record = adaptive_copy_record,
                              .parts = parts};
