/* The continuous adjoint of the state-space formulations (S1, adjoint sensitivity of Matrix R). With p, v the derivatives of
 * what is still to come of an objective by xi, eta, between nodes
 *   -dp/dt = F_xi' v,     -dv/dt = p + F_eta' v,     and the coefficients gain the integral of v . F_theta
 * while at a node p, v and the coefficients jump by the derivatives of what a quadrature on the nodes (quadrature.c) takes
 * there of the objective: the sum of these jumps is the integral that S1 has on the right-hand side, of the order of the
 * adjoint. The adjoint of an evaluation gives both, accelerations and reactions in the objective included.
 *
 * The adjoint reads the nodes of a run and not its scheme, and so meets the discrete adjoint at the lower order of the two:
 *   explicit runs   the classical Runge-Kutta method, order four; the motion between nodes is the polynomial that has their
 *                   z, zd and zdd, placed on the constraints. Where the run took several steps of its own from node to
 *                   node, so does the adjoint: one step would leave the region in which the method is stable
 *   implicit runs   the trapezoidal rule, order two, stable where they are. At the node where a step h ends backwards
 *                     (4/h^2 - 2/h F_eta' - F_xi') v = 4/h^2 (v* + h/2 p*),     p = p* + h/2 F_xi' v
 *                   of p*, v* after its first half: the matrix of an implicit step with a = 4/h^2, c = 2/h. Coordinates whose rates follow from
 *                   velocity constraints have the rows of that step, 2/h p - ... = 2/h p*, and their p for v. Of the integral
 *                   each step takes half: what is stiff would ring with a whole jump
 *
 * p, v: q->by_xi0, q->by_eta0, in independent coordinates of their own choice.
 * Equations: theory.md §7.3 (7.7). */
#include <string.h>

#include "formulation/implicit_step.h"
#include "objective/objectives.h"

static int is_implicit(const mbd_sim *s) {
  return ss_of(s)->steps == &ss_implicit;
}

/* y += scale x, blocks [nf][npsi] */
static void add(const mbd_sim *s, const sim_adjoint *a, mbd_real scale, const mbd_real *x, mbd_real *y) {
  const int size = ss_of(s)->indep->nf * a->npsi;
  for (int i = 0; i < size; i++) { y[i] += scale * x[i]; }
}

/* At the current evaluation, for p + ratio by_xi, v + ratio by_eta of the last: by_xi, by_eta := `weight` times minus their
 * rates; the coefficients gain as much of theirs. */
static mbd_status ss_continuous_rates(mbd_sim *s, sim_adjoint *a, double weight, double ratio, mbd_error *err) {
  state_space *space = ss_of(s);
  const int np = a->npsi;
  ss_clear_back(s, a);
  for (int f = 0; f < space->indep->nf; f++) {
    const int rate = space->indep->of_rate[f];
    mbd_real *zd = a->zd + space->indep->free[f] * np, *zdd = a->zdd + space->indep->free[f] * np;
    for (int k = 0; k < np; k++) {
      zd[k] = weight * (space->back.by_xi0[f * np + k] + ratio * space->back.by_xi[f * np + k]);
    }
    for (int k = 0; rate >= 0 && k < np; k++) {
      zdd[k] = weight * (space->back.by_eta0[rate * np + k] + ratio * space->back.by_eta[rate * np + k]);
    }
  }
  return ss_evaluate_back(s, a, err);
}

/* by_xi, by_eta := derivatives of an objective by the node, where it has the weight `weight` and is at its end or not, and by the
 * histories' row (-1: none); the coefficients gain theirs. */
static mbd_status ss_continuous_objectives(mbd_sim *s, sim_adjoint *a, int row, double weight, int last,
                                           mbd_error *err) {
  ss_clear_back(s, a);
  quadrature_weights(s, row, weight, last);
  MBD_TRY(ss_of(s)->mech->outputs_back(s, a, err));
  return ss_evaluate_back(s, a, err);
}

/* ---- explicit runs ---- */

/* Returns the size of a step of the adjoint. */
static double step_size(const mbd_sim *s) {
  return s->h / ss_of(s)->continuous.parts;
}

/* Computes one stage: gain_xi, gain_eta are the sums of the increments of p, v. */
static mbd_status ss_continuous_stage(mbd_sim *s, sim_adjoint *a, double weight, double ratio, mbd_error *err) {
  const state_space *space = ss_of(s);
  MBD_TRY(ss_continuous_rates(s, a, weight * step_size(s), ratio, err));
  add(s, a, 1, space->back.by_xi, space->continuous.gain_xi);
  add(s, a, 1, space->back.by_eta, space->continuous.gain_eta);
  return MBD_OK;
}

/* Computes the motion a part x of the way from space->here to space->later: the polynomial of order five (Hermite). */
static mbd_status evaluate_between(mbd_sim *s, double x, mbd_error *err) {
  state_space *space = ss_of(s);
  const ss_point *l = &space->continuous.here, *r = &space->continuous.later;
  const double h = r->t - l->t, x2 = x * x, x3 = x2 * x, x4 = x3 * x, x5 = x4 * x;
  /* Hermite's basis functions of the difference of places, of zd and of zdd at both ends, with their derivatives by x. */
  const double w = 10 * x3 - 15 * x4 + 6 * x5, wd = 30 * x2 - 60 * x3 + 30 * x4;
  const double vl = x - 6 * x3 + 8 * x4 - 3 * x5, vld = 1 - 18 * x2 + 32 * x3 - 15 * x4;
  const double vr = -4 * x3 + 7 * x4 - 3 * x5, vrd = -12 * x2 + 28 * x3 - 15 * x4;
  const double al = (x2 - 3 * x3 + 3 * x4 - x5) / 2, ald = (2 * x - 9 * x2 + 12 * x3 - 5 * x4) / 2;
  const double ar = (x3 - 2 * x4 + x5) / 2, ard = (3 * x2 - 8 * x3 + 5 * x4) / 2;
  for (int j = 0; j < ss_of(s)->n; j++) {
    const mbd_real way = r->z[j] - l->z[j];
    s->now.z[j] = l->z[j] + w * way + h * (vl * l->zd[j] + vr * r->zd[j] + h * (al * l->zdd[j] + ar * r->zdd[j]));
    s->now.zd[j] = wd * way / h + vld * l->zd[j] + vrd * r->zd[j] + h * (ald * l->zdd[j] + ard * r->zdd[j]);
  }
  /* The independent coordinates of this motion, placed on the constraints. */
  independent_read(space->indep, 1, s->now.z, space->xi);
  independent_read_rates(space->indep, 1, s->now.zd, space->eta);
  s->t = l->t + x * h;
  MBD_TRY(ss_evaluate(s, err));
  space->mech->move(s, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}

/* Computes the first stage of a step, at the current evaluation. */
static mbd_status begin_explicit(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const state_space *space = ss_of(s);
  const size_t size = (size_t)ss_of(s)->n * (size_t)a->npsi;
  adjoint_zero(size, space->continuous.gain_xi), adjoint_zero(size, space->continuous.gain_eta);
  return ss_continuous_stage(s, a, 1.0 / 6, 0, err);
}

/* Begins the steps of the adjoint at this node, in as many parts as the record of the node says. */
static mbd_status leave_explicit(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  space->continuous.parts = space->steps->parts ? space->steps->parts(s) : 1;
  return begin_explicit(s, a, err);
}

/* Computes the other stages of a step that ends a part x of the way from space->here to space->later. */
static mbd_status end_explicit(mbd_sim *s, sim_adjoint *a, double x, mbd_error *err) {
  state_space *space = ss_of(s);
  MBD_TRY(evaluate_between(s, x + 0.5 / space->continuous.parts, err));
  MBD_TRY(ss_continuous_stage(s, a, 1.0 / 3, 3, err));
  MBD_TRY(ss_continuous_stage(s, a, 1.0 / 3, 1.5, err));
  MBD_TRY(x > 0 ? evaluate_between(s, x, err) : ss_return(s, &space->continuous.here, err));
  MBD_TRY(ss_continuous_stage(s, a, 1.0 / 6, 3, err));
  add(s, a, 1, space->continuous.gain_xi, space->back.by_xi0);
  add(s, a, 1, space->continuous.gain_eta, space->back.by_eta0);
  return MBD_OK;
}

static mbd_status step_explicit(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const int parts = ss_of(s)->continuous.parts;
  for (int i = parts - 1; i > 0; i--) {
    MBD_TRY(end_explicit(s, a, (double)i / parts, err));
    MBD_TRY(begin_explicit(s, a, err));
  }
  return end_explicit(s, a, 0, err);
}

static mbd_status arrive_explicit(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  state_space *space = ss_of(s);
  MBD_TRY(k < s->nsteps ? step_explicit(s, a, err) : ss_return(s, &space->continuous.here, err));
  if (k == 0) { space->mech->outputs(s); } /* no step has computed the outputs of the start */
  MBD_TRY(ss_continuous_objectives(s, a, history_row_of_node(s, k), quadrature_node_rule(s, k), k == s->nsteps, err));
  add(s, a, 1, space->back.by_xi, space->back.by_xi0);
  add(s, a, 1, space->back.by_eta, space->back.by_eta0);
  return MBD_OK;
}

/* ---- implicit runs ---- */

static mbd_status leave_implicit(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  MBD_TRY(ss_continuous_rates(s, a, s->h / 2, 0, err));
  add(s, a, 1, space->back.by_xi, space->back.by_xi0), add(s, a, 1, space->continuous.carried_xi, space->back.by_xi0);
  add(s, a, 1, space->back.by_eta, space->back.by_eta0),
      add(s, a, 1, space->continuous.carried_eta, space->back.by_eta0);
  return MBD_OK;
}

/* mu := J'^-1 mu, J with a, c of the trapezoidal rule. */
static mbd_status solve_trapezoidal(mbd_sim *s, const sim_adjoint *a, mbd_error *err) {
  const state_space *space = ss_of(s);
  const implicit_step *i = implicit_of(s);
  const mbd_scheme of_run = s->scheme;
  const int products = ss_matrix_free(s);
  s->scheme.a = 4 / (s->h * s->h), s->scheme.c = 2 / s->h;
  const mbd_status status = products ? implicit_krylov_back(s, a, err) : implicit_tangent(s, err);
  s->scheme = of_run;
  MBD_TRY(status);
  if (!products) { mbd_lu_solve_T(space->indep->nf, i->J, i->piv, a->npsi, i->mu); }
  return MBD_OK;
}

/* Computes the end of a step from p*, v*. */
static mbd_status step_implicit(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  mbd_real *mu = implicit_of(s)->mu;
  const int np = a->npsi;
  const double half = s->h / 2;
  for (int f = 0; f < space->indep->nf; f++) {
    const int rate = space->indep->of_rate[f];
    for (int k = 0; k < np; k++) {
      const mbd_real p = space->back.by_xi0[f * np + k];
      mu[f * np + k] = rate >= 0 ? (space->back.by_eta0[rate * np + k] + half * p) / (half * half) : p / half;
    }
  }
  MBD_TRY(solve_trapezoidal(s, a, err));
  /* v, and p of the coordinates whose rates follow, are mu; the other p follow. */
  for (int f = 0; f < space->indep->nf; f++) {
    const int rate = space->indep->of_rate[f];
    memcpy(rate >= 0 ? space->back.by_eta0 + rate * np : space->back.by_xi0 + f * np, mu + f * np,
           (size_t)np * sizeof *mu);
  }
  MBD_TRY(ss_continuous_rates(s, a, half, 0, err));
  for (int f = 0; f < space->indep->nf; f++) {
    for (int k = 0; implicit_accelerates(s, f) && k < np; k++) {
      space->back.by_xi0[f * np + k] += space->back.by_xi[f * np + k];
    }
  }
  return MBD_OK;
}

static mbd_status ss_continuous_begin_at_end(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const state_space *space = ss_of(s);
  MBD_TRY(ss_continuous_objectives(s, a, s->nsteps, 0, 1, err));
  add(s, a, 1, space->back.by_xi, space->back.by_xi0);
  add(s, a, 1, space->back.by_eta, space->back.by_eta0);
  return MBD_OK;
}

/* Half of what is spread over time goes with the step that ends here; rest_xi, rest_eta: the other, for the next. */
static mbd_status arrive_implicit(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  state_space *space = ss_of(s);
  const double part = k == s->nsteps ? 0 : k == 0 ? 1 : 0.5;
  const size_t size = (size_t)space->indep->nf * (size_t)a->npsi;
  MBD_TRY(ss_return(s, &space->continuous.here, err));
  if (k == 0) { space->mech->outputs(s); } /* no step has computed the outputs of the start */
  if (k == s->nsteps) { MBD_TRY(ss_continuous_begin_at_end(s, a, err)); }
  MBD_TRY(ss_continuous_objectives(s, a, k < s->nsteps ? k : -1, sim_weight(s, k), 0, err));
  memcpy(space->continuous.carried_xi, space->back.by_xi, size * sizeof *space->continuous.carried_xi),
      memcpy(space->continuous.carried_eta, space->back.by_eta, size * sizeof *space->continuous.carried_eta);
  add(s, a, part, space->continuous.carried_xi, space->back.by_xi0),
      add(s, a, part, space->continuous.carried_eta, space->back.by_eta0);
  if (k < s->nsteps) { MBD_TRY(step_implicit(s, a, err)); }
  for (size_t i = 0; i < size; i++) {
    space->continuous.carried_xi[i] *= 1 - part, space->continuous.carried_eta[i] *= 1 - part;
  }
  return MBD_OK;
}

/* ---- a node ---- */

/* a->z, a->zd := p, v at the places of the independent coordinates */
static void to_all_coordinates(mbd_sim *s, sim_adjoint *a, const mbd_real *p, const mbd_real *v) {
  const state_space *space = ss_of(s);
  ss_clear_back(s, a);
  independent_add(space->indep, a->npsi, p, a->z);
  independent_add_rates(space->indep, a->npsi, v, a->zd);
}

/* Converts p, v of the choice space->next_choice to those of space->way. */
static mbd_status convert(mbd_sim *s, sim_adjoint *a, mbd_real *p, mbd_real *v, mbd_error *err) {
  state_space *space = ss_of(s);
  const size_t bytes = (size_t)space->indep->nf * (size_t)a->npsi * sizeof *p;
  independent_restore(space->indep, space->next_choice);
  to_all_coordinates(s, a, p, v);
  independent_restore(space->indep, space->continuous.way);
  MBD_TRY(ss_return(s, &space->continuous.here, err));
  MBD_TRY(ss_evaluate_back(s, a, err));
  memcpy(p, space->back.by_xi, bytes), memcpy(v, space->back.by_eta, bytes);
  return MBD_OK;
}

/* Chooses other coordinates for the next step backwards, if those in use no longer determine the motion well. */
static mbd_status change_coordinates(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  const size_t bytes = independent_reals(space->indep) * sizeof *space->continuous.way;
  memcpy(space->next_choice, space->continuous.way, bytes);
  MBD_TRY(ss_choose(s, 0, err));
  independent_save(space->indep, space->continuous.way);
  if (memcmp(space->continuous.way, space->next_choice, bytes) == 0) { return MBD_OK; }
  MBD_TRY(convert(s, a, space->back.by_xi0, space->back.by_eta0, err));
  return is_implicit(s) ? convert(s, a, space->continuous.carried_xi, space->continuous.carried_eta, err) : MBD_OK;
}

/* At the end of the run nothing is still to come. */
static mbd_status ss_continuous_begin(mbd_sim *s, const sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  const size_t size = (size_t)ss_of(s)->n * (size_t)a->npsi;
  adjoint_zero(size, space->back.by_xi0), adjoint_zero(size, space->back.by_eta0);
  space->mech->place(s);
  MBD_TRY(independent_choose(space->indep, s, err));
  independent_save(space->indep, space->continuous.way);
  return MBD_OK;
}

mbd_status ss_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  state_space *space = ss_of(s);
  const int implicit = is_implicit(s);
  ss_keep(s, &space->continuous.here);
  if (k == s->nsteps) { MBD_TRY(ss_continuous_begin(s, a, err)); }
  independent_restore(space->indep, space->continuous.way);
  MBD_TRY((implicit ? arrive_implicit : arrive_explicit)(s, a, k, err));
  if (k == 0) {
    to_all_coordinates(s, a, space->back.by_xi0, space->back.by_eta0);
    return MBD_OK;
  }
  MBD_TRY(change_coordinates(s, a, err));
  MBD_TRY((implicit ? leave_implicit : leave_explicit)(s, a, err));
  const ss_point here = space->continuous.here;
  space->continuous.here = space->continuous.later;
  space->continuous.later = here;
  return MBD_OK;
}
