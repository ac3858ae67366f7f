/* The motion of a step of ALI3-P, S0 (9) of ali3p.c, by Newton's iteration. */
#include <float.h>
#include <string.h>

#include "formulation/ali3p.h"
#include "formulation/tangent.h"
#include "la/near_singular.h"
#include "model/state.h"

/* change := alpha W Phi_z (T0 + alpha Phi_z' W Phi_z)^-1 Phi_z' change. This removes the part in combinations of redundant rows, which exerts
 * no force and would otherwise grow from step to step. */
static void keep_forces(mbd_sim *s, mbd_real *change) {
  ali3p *step = ali3p_of(s);
  const ali3p_newton *newton = &step->newton;
  const int n = step->n, m = step->m;
  memset(newton->dz, 0, (size_t)n * sizeof *newton->dz);
  matrices_phi_mulT_add(&step->x, 1, step->tangent.alpha, change, newton->dz);
  mbd_factors_solve(&step->tangent.lu, 0, 1, newton->dz);
  memset(change, 0, (size_t)m * sizeof *change);
  matrices_phi_mul_add(&step->x, 1, 1, newton->dz, change);
  for (int i = 0; step->tangent.weight && i < m; i++) { change[i] *= step->tangent.weight[i]; }
}

static void ali3p_predict(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  ali3p_newton *newton = &step->newton;
  const int m = step->m;
  memcpy(s->now.lam, s->before.lam, (size_t)m * sizeof *s->now.lam);
  if (step->tangent.state != TANGENT_AT_HAND || mbd_same(newton->memory.trend.terms) == 0) { return; }
  newton_guess_change(&newton->memory, newton->dlam);
  if (ali3p_rank(s) < m && step->compliance == 0) { keep_forces(s, newton->dlam); }
  for (int i = 0; i < m; i++) { s->now.lam[i] += newton->dlam[i]; }
}

/* Computes v*, a* from the increment `moved` of the step, which is kept as a sum: the difference of the coordinates would lose digits by
 * cancellation, and a = 4/h^2 amplifies the loss, most for wheels that have turned often. */
static void ali3p_rates(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  const sim_state *b = &s->before;
  scheme_rates(&s->scheme, (size_t)step->n, step->newton.memory.moved, b->zd, b->zdd, b->acc, step->newton.vs,
               step->newton.as);
}

void ali3p_evaluate_tangent(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  step->mech->place(s);
  step->mech->move(s, step->newton.vs, step->newton.as, 1);
  step->mech->rows(s, &step->x, step->newton.phi);
  ali3p_velocity_rows(s);
  step->mech->tangent(s, s->now.lam, &step->x, step->tangent.K, step->tangent.C, step->x.M);
}

/* Evaluates the same by the kind of tangent that the case names, for Newton's iteration. */
static void evaluate_newton_tangent(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  const ali3p_newton *newton = &step->newton;
  if (!s->tangent->evaluate) {
    ali3p_evaluate_tangent(s);
    return;
  }
  step->mech->place(s);
  step->mech->move(s, newton->vs, newton->as, 1);
  step->mech->rows(s, &step->x, newton->phi);
  ali3p_velocity_rows(s);
  step->mech->mass(s, &step->x, step->x.M);
  s->tangent->evaluate(s, &(tangent_motion){s->now.z, newton->vs, newton->as, s->now.lam}, step->tangent.K,
                       step->tangent.C);
}

static void find_violation(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  const double *weight = step->tangent.weight;
  for (int i = 0; i < step->m; i++) {
    step->newton.violation[i] = step->newton.phi[i] - mbd_per_weight(step->compliance, weight, i) * s->now.lam[i];
  }
}

/* Computes r + Phi_z' lam and the violation of the constraints: the first function where the tangent was evaluated, the second one at another
 * iterate. */
static void evaluate_residual(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  step->mech->residual(s, step->newton.r);
  matrices_phi_mulT_add(&step->x, 1, 1, s->now.lam, step->newton.r);
  find_violation(s);
}

static void evaluate_residual_alone(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  const ali3p_newton *newton = &step->newton;
  step->mech->place(s);
  step->mech->move(s, newton->vs, newton->as, 1);
  step->mech->residual_held(s, newton->phi, newton->r);
  ali3p_scale_velocity_rows(s);
  find_violation(s);
}

static mbd_status factor_tangent(mbd_sim *s, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  matrices_sum(&step->x, s->scheme.a, s->scheme.c, step->tangent.C, 1, step->tangent.K, step->tangent.T0);
  step->tangent.alpha = s->c.penalty > 0 ? s->c.penalty : matrices_penalty(&step->x, &step->x.K_at, step->tangent.T0);
  ali3p_weigh(s, step->tangent.alpha, 1, step->tangent.weight);
  s->stats.factorizations++;
  return matrices_factor(s, &step->x, &step->x.K_at, ali3p_matrix_of_rows(s, step->tangent.alpha, step->tangent.weight),
                         step->tangent.alpha, step->tangent.weight, &step->tangent.lu,
                         "the tangent matrix of the time step cannot be factored", err);
}

mbd_near_singular *ali3p_near_singular(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  return step->compliance > 0 ? NULL : &step->x.near_singular;
}

mbd_saddle ali3p_motion_system(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  return (mbd_saddle){.n = step->n,
                      .m = step->m,
                      .A = step->tangent.T0,
                      .Phi = step->x.Phi_z,
                      .A_at = &step->x.K_at,
                      .Phi_at = &step->x.Phi_at,
                      .Phi_packed = step->x.Phi_packed,
                      .lu = &step->tangent.lu,
                      .nextra = s->m->nvelocity_row,
                      .extra = step->tangent.E,
                      .alpha = step->tangent.alpha,
                      .weight = step->tangent.weight,
                      .compliance = step->compliance,
                      .near_singular = ali3p_near_singular(s),
                      .what = "sensitivities of the time step"};
}

/* With Phi_z of an earlier iterate the contradiction is larger, because the dependence of redundant rows there differs from that at the current
 * iterate, at which the violation is evaluated. This part of the violation, c, is the same after each of the passes and has been added to the
 * multipliers in each. It does not change the motion, but would add up from step to step, so it is subtracted here. The rest of `left` still
 * decreases, slowly in long chains of loops, and its multipliers stay. With d the decrease of `left` in the last pass, d = Phi_z x and Phi_z' W
 * c = 0, thus c . W d = 0,
 *   c = left - (left . W d / d . W d) d
 * except for directions that the last pass has reduced at other rates than most of d. A pass that removes less than it leaves may be rounding and
 * gives no such estimate. */
static void drop_contradiction(mbd_sim *s, int passes) {
  ali3p *step = ali3p_of(s);
  const ali3p_newton *newton = &step->newton;
  const int m = step->m;
  mbd_value along = 0, change2 = 0, left2 = 0;
  for (int i = 0; i < m; i++) {
    const mbd_value left = mbd_re(newton->left[i]), change = mbd_re(newton->left_before[i]) - left;
    const double weight = mbd_weighted(1, step->tangent.weight, i);
    along += weight * left * change, change2 += weight * change * change, left2 += weight * left * left;
  }
  const mbd_value falling = mbd_re(mbd_select(change2 > left2, along / change2, 0));
  for (int i = 0; i < m; i++) {
    const mbd_real same = newton->left[i] - falling * (newton->left_before[i] - newton->left[i]);
    newton->dlam[i] -= passes * mbd_weighted(step->tangent.alpha, step->tangent.weight, i) * same;
  }
}

/* Returns the size up to which values of constraints may consist of rounding: they are differences of coordinates and places. */
static double rounding_of_violation(const mbd_sim *s) {
  return 4 * DBL_EPSILON * ali3p_of(s)->mech->extent(s);
}

/* Computes dz and dlam of the Newton correction; multipliers are iterated on the same factors.
 *
 * A part of the violation that is left may be a contradiction: where Phi is not zero yet, redundant rows are not quite dependent,
 * by the order of the correction. It is left to the next iteration. To solve for it would require multipliers in inverse proportion to
 * the small difference of the rows, along a direction in which the multipliers are not determined. They would remain, and
 * their part of the tangent, Phi_z' times the change of that direction, would spoil every later factorization.
 *
 * The same holds for what rounding leaves of the violation: mbd_near_singular_reach would amplify its part along redundant rows without bound. */
static void solve_correction(mbd_sim *s, int renewed) {
  ali3p *step = ali3p_of(s);
  const ali3p_newton *newton = &step->newton;
  const int n = step->n, m = step->m, contradicts = !renewed && ali3p_rank(s) < m;
  const double alpha = step->tangent.alpha, soft = step->compliance, *weight = step->tangent.weight;
  const double enough = fmax(1e-3 * s->c.tolerance, newton_contradiction * mbd_norm_inf(m, newton->violation));
  double last = INFINITY;
  int reaches = ali3p_near_singular(s) ? NEWTON_REACHES_MAX : 0;
  memset(newton->dlam, 0, (size_t)m * sizeof *newton->dlam);
  for (int it = 0; it < NEWTON_MULTIPLIER_ITERATIONS; it++) {
    for (int i = 0; i < m; i++) {
      const mbd_real left = newton->violation[i] - mbd_per_weight(soft, weight, i) * newton->dlam[i];
      newton->weights[i] = mbd_weighted(alpha, weight, i) * left + newton->dlam[i];
    }
    for (int j = 0; j < n; j++) { newton->dz[j] = -newton->r[j]; }
    matrices_phi_mulT_add(&step->x, 1, -1, newton->weights, newton->dz);
    mbd_factors_solve(&step->tangent.lu, 0, 1, newton->dz);
    if (m == 0) { return; }
    memcpy(newton->left_before, newton->left, (size_t)m * sizeof *newton->left);
    for (int i = 0; i < m; i++) {
      newton->left[i] = newton->violation[i] - mbd_per_weight(soft, weight, i) * newton->dlam[i];
    }
    matrices_phi_mul_add(&step->x, 1, 1, newton->dz, newton->left);
    ali3p_velocity_times(s, newton->dz, newton->left);
    for (int i = 0; i < m; i++) { newton->dlam[i] += mbd_weighted(alpha, weight, i) * newton->left[i]; }
    double left = mbd_norm_inf(m, newton->left) * (1 - alpha * soft);
    int slow = left > 0.5 * last; /* at the level of rounding, or hardly held by the penalty */
    last = left;
    if ((left > enough && !slow) || (newton->own && it < EXTRA_ITERATIONS)) { continue; }
    if (contradicts && it == 0 && left > DBL_EPSILON) { continue; }
    if (!slow || left <= enough || left <= rounding_of_violation(s) || reaches-- <= 0) {
      if (contradicts && it > 0) { drop_contradiction(s, it + 1); }
      return;
    }
    mbd_saddle system = ali3p_motion_system(s);
    for (int i = 0; i < m; i++) { newton->left_before[i] = -newton->left[i]; }
    mbd_near_singular_reach(&step->x.near_singular, &system, 1, newton->left_before, newton->dlam);
    last = INFINITY;
  }
}

static double correction_size(const mbd_sim *s) {
  const ali3p *step = ali3p_of(s);
  return mbd_norm_inf(step->n, step->newton.dz);
}

/* Solves for the correction in two parts, that of the residual and that of a violation that is rounding alone. The second part is as long at
 * every iterate and would hide how the motion along the constraints converges. Returns the length of the first part. The first correction
 * of a step is much longer as a rule and is solved for at once. */
static double solve_correction_apart(mbd_sim *s, int renewed) {
  ali3p *step = ali3p_of(s);
  const ali3p_newton *newton = &step->newton;
  const int n = step->n, m = step->m;
  mbd_real *violation = step->projection.minus_g, *dlam = step->projection.rg,
           *dz = step->projection.step; /* scratch of the projections */
  memcpy(violation, newton->violation, (size_t)m * sizeof *violation);
  memset(newton->violation, 0, (size_t)m * sizeof *violation);
  solve_correction(s, renewed);
  const double size = correction_size(s);
  memcpy(dz, newton->dz, (size_t)n * sizeof *dz), memcpy(dlam, newton->dlam, (size_t)m * sizeof *dlam);
  memset(newton->r, 0, (size_t)n * sizeof *newton->r);
  memcpy(newton->violation, violation, (size_t)m * sizeof *violation);
  solve_correction(s, renewed);
  for (int j = 0; j < n; j++) { newton->dz[j] += dz[j]; }
  for (int i = 0; i < m; i++) { newton->dlam[i] += dlam[i]; }
  return size;
}

/* Returns 1 if the correction of the violation is solved for apart, because the violation is rounding: on an older tangent, and on one of the
 * iterate if the tolerance is below that rounding and the whole correction would not reach it. */
static int violation_is_rounding(const mbd_sim *s, int renewed) {
  const ali3p *step = ali3p_of(s);
  const double violation = mbd_norm_inf(step->m, step->newton.violation);
  if (violation == 0 || step->compliance != 0) { return 0; }
  const double rounding = rounding_of_violation(s);
  return violation <= rounding && (!renewed || s->c.tolerance < rounding);
}

/* Computes the correction at the iterate, on its own tangent and Phi_z or on existing ones, of another iterate or an earlier step. The residual is
 * that of the iterate in both cases, so both lead to the same solution. */
static mbd_status ali3p_correct(mbd_sim *s, int renew, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  ali3p_newton *newton = &step->newton;
  ali3p_rates(s);
  /* The residual at the iterate, with the tangent where that is renewed. */
  if (renew) {
    evaluate_newton_tangent(s);
    evaluate_residual(s);
    MBD_TRY(factor_tangent(s, err));
  } else {
    evaluate_residual_alone(s);
  }
  newton->residual = mbd_norm_inf(step->n, newton->r);
  /* A violation that is rounding gets a correction of its step, but for the first correction of a step if that is long. */
  const int rounding = !(newton->settled && !newton->own) && violation_is_rounding(s, renew);
  if (!rounding || newton->opening) {
    solve_correction(s, renew);
    newton->motion_size = correction_size(s);
  }
  if (rounding && !(newton->opening && newton->motion_size > s->c.tolerance)) {
    newton->motion_size = solve_correction_apart(s, renew);
  }
  return MBD_OK;
}

/* ---- the iteration ---- */

/* Corrections of one step: their lengths, relative to 1 + |z|. */
typedef struct approach {
  double size;         /* 1 + |z| */
  double step, last;   /* this one and the one before; INFINITY: there is none */
  double acceleration; /* what this one adds to a*, relative to 1 + |a*| */
  double noise;        /* what rounding of the increment adds to it */
  double residual,
      before;   /* forces that this one and the one before begin with, relative to 1 + |lam|; INFINITY: none */
  int renewed;  /* by a tangent of its own */
  int violated; /* and leaves more of the violation than rounding, as rows of near rank can */
  int tangents; /* of the step so far */
  int rounded;  /* corrections that were of rounding alone */
  int recent;   /* the tangent has been renewed lately */
  double imaginary,
      imaginary_before; /* lengths of the imaginary parts of this one and the one before; INFINITY: none */
} approach;

/* Returns the factor by which a correction on an older tangent is shorter than the one before; `newton_unknown` for the first correction. */
static double contraction(const approach *state) {
  return isinf(state->last) ? newton_unknown : state->step / state->last;
}

static double force_contraction(const approach *state) {
  return isinf(state->before) ? newton_unknown : state->before > 0 ? state->residual / state->before : 0;
}

/* Where constraints and drives leave no degree of freedom, accelerations do not show whether the reactions have converged. Reactions
 * converge at the rate by which Phi_z of the older tangent differs from that of the iterate. Small corrections that no longer shrink are
 * rounding. */
static int forces_converged(const mbd_sim *s, const approach *state) {
  const double rate = force_contraction(state);
  if (ali3p_rank(s) < ali3p_of(s)->n) { return 1; }
  return rate * state->residual <= newton_left_over * s->c.tolerance ||
         (rate > newton_poor && state->residual <= newton_rounding_of_forces);
}

/* Compliant constraints amplify rounding; a last correction on the tangent of the iterate leaves least of it. */
static int ends_on_tangent(const mbd_sim *s) {
  return ali3p_of(s)->compliance > 0 && ali3p_of(s)->m > 0;
}

/* Returns 1 if corrections are small and no longer decrease: they are as small as the rounding of the increment, or they are small and do
 * not decrease on a recent tangent either. On an older one they may decrease slowly, and what is left of them would have the same sign in
 * every step and add up. */
static int is_rounding(const approach *state) {
  return !state->renewed && state->step <= newton_rounding && contraction(state) > newton_poor &&
         (state->recent || state->acceleration <= state->noise);
}

/* Returns the length, relative to 1 + |z|, up to which corrections may consist of rounding of the coordinates and of the constraints. */
static double rounding_of_step(const mbd_sim *s, const approach *state) {
  return fmax(newton_rounding, rounding_of_violation(s) / state->size);
}

/* Returns 1 if corrections end above the tolerance because they are rounding: several on an older tangent, or one of full Newton. */
static int ends_at_rounding(const mbd_sim *s, const approach *state) {
  if (!(state->renewed ? state->tangents > 1 && isfinite(state->last) : state->rounded >= NEWTON_ROUNDED)) { return 0; }
  return contraction(state) > newton_poor && state->step <= rounding_of_step(s, state);
}

/* The error that a correction on an older tangent leaves is estimated from the contraction within the step; contractions of earlier steps
 * do not predict it where forces change. It has to be as small as the error that full Newton leaves, whose last correction squares its
 * error. It is measured in the acceleration, which has 4/h^2 times the error of z, and times the rounding of its increment. Corrections at the
 * level of rounding hide smaller ones that still contract, so a few are made. A correction on the tangent of the iterate is one of full Newton
 * and leaves its square, and what it has not removed of the violation. */
static int leaves_nothing(const approach *state, double limit) {
  if (state->renewed) {
    return limit == 0 || EXTRA_ITERATIONS > 0 || state->tangents > 1 ||
           (state->acceleration <= sqrt(limit) && !state->violated);
  }
  limit = limit > 0 ? fmax(limit, state->noise) : 0;
  return limit > 0 && (contraction(state) * state->acceleration <= limit || state->rounded >= NEWTON_ROUNDED);
}

/* Converged: the step is at the tolerance, and leaves nothing. Near a singular position a multiplier whose constraint has hardly
 * any effect goes on creeping; after NEWTON_PATIENCE tangents it is enough that the constraints hold and the motion moves no more than
 * by the root of the tolerance, far below the error of the time step. Both are measured here, and what the step's factors
 * leave of its derivatives is mbd_saddle_solve's to answer for. A tolerance below rounding is not waited for. */
static int ali3p_converged(const mbd_sim *s, const approach *state) {
  const ali3p *step = ali3p_of(s);
  const double tolerance = s->c.tolerance;
  if ((state->step <= tolerance || ends_at_rounding(s, state)) &&
      leaves_nothing(state, ends_on_tangent(s) ? 0 : newton_left_over * tolerance)) {
    return state->renewed || forces_converged(s, state);
  }
  return state->tangents > NEWTON_PATIENCE && state->renewed && state->step <= 1e-2 * sqrt(tolerance) &&
         mbd_norm_inf(step->m, step->newton.violation) <= fmax(tolerance * state->size, rounding_of_violation(s));
}

/* Returns 1 if the next correction takes a tangent of its step. After the second it is full Newton, for there is a kink or a singular position. */
static int requests_tangent(const mbd_sim *s, const approach *state) {
  if (ali3p_of(s)->newton.own || state->tangents > 1) { return 1; }
  if (ends_on_tangent(s) && state->step <= s->c.tolerance) { return 1; }
  if (state->renewed || isinf(state->last)) { return 0; }
  /* Corrections of rounding above the tolerance would go on without end. */
  if (is_rounding(state) && state->rounded >= NEWTON_ROUNDED && state->step > s->c.tolerance) { return 1; }
  if (!(contraction(state) <= newton_poor) && !is_rounding(state)) { return 1; }
  return state->step <= s->c.tolerance && force_contraction(state) > newton_poor && !forces_converged(s, state);
}

/* ---- the imaginary parts of the referee ---- */

/* At a real solution they solve linear equations, which the tangent of the node before approximates as it does those of the real parts. The referee of second
 * derivatives, whose adjoint needs a tangent at every node in any case, takes corrections on that one until they have converged, for which the time of tangents
 * of their own would be several times longer. In the referee of first derivatives every correction has its own, as where reactions or a compliance
 * decide what has converged. */
static int takes_own_tangents(const mbd_sim *s) {
  const int is_simple = ali3p_rank(s) < ali3p_of(s)->n && !ends_on_tangent(s);
  return EXTRA_ITERATIONS > 0 && !(SIM_IMAGINARY && s->kept && is_simple);
}

/* Returns 1 if what they leave is rounding of their increment, or of that of the accelerations. */
static int imaginary_parts_converged(const mbd_sim *s, const approach *state) {
  const ali3p_newton *newton = &ali3p_of(s)->newton;
  const int n = ali3p_of(s)->n;
  if (state->imaginary == 0) { return 1; }
  const double rate = isinf(state->imaginary_before) ? newton_unknown : state->imaginary / state->imaginary_before;
  const double accelerations = sim_imaginary_size(n, newton->as) / mbd_same(s->scheme.a);
  const double rounding = 4 * DBL_EPSILON * fmax(sim_imaginary_size(n, newton->memory.moved), accelerations);
  return rate * state->imaginary <= rounding ||
         (rate > newton_poor && state->imaginary <= newton_rounding * sim_imaginary_size(n, s->now.z));
}

/* Returns 1 if the iteration ends, `after` corrections after its real parts have converged. Imaginary parts that do not converge with the older tangent get
 * tangents of their own. */
static int ali3p_ends(const mbd_sim *s, const approach *state, int *after) {
  ali3p_newton *newton = &ali3p_of(s)->newton;
  enum { PATIENCE = 6 };
  const int enough = (*after)++ >= EXTRA_ITERATIONS;
  if (enough && (newton->own || imaginary_parts_converged(s, state))) { return 1; }
  if (!newton->own && *after > PATIENCE) { newton->own = 1, *after = 1; }
  return 0;
}

/* Takes a part of the current correction. */
static void ali3p_take(mbd_sim *s, double part) {
  ali3p *step = ali3p_of(s);
  const ali3p_newton *newton = &step->newton;
  for (int j = 0; j < step->n; j++) {
    newton->memory.moved[j] += part * newton->dz[j];
    s->now.z[j] = s->before.z[j] + newton->memory.moved[j];
  }
  for (int i = 0; i < step->m; i++) { s->now.lam[i] += part * newton->dlam[i]; }
}

static void ali3p_keep(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  ali3p_newton *newton = &step->newton;
  const size_t n = (size_t)step->n * sizeof *newton->dz, m = (size_t)step->m * sizeof *newton->dlam;
  newton_memory *memory = &newton->memory;
  memcpy(memory->x, newton->memory.moved, n), memcpy(memory->correction, newton->dz, n);
  memcpy(memory->mult, s->now.lam, m), memcpy(memory->correction_mult, newton->dlam, m);
}

static void ali3p_go(mbd_sim *s, double part) {
  ali3p *step = ali3p_of(s);
  const newton_memory *memory = &step->newton.memory;
  for (int j = 0; j < step->n; j++) {
    step->newton.memory.moved[j] = memory->x[j] + part * memory->correction[j];
    s->now.z[j] = s->before.z[j] + step->newton.memory.moved[j];
  }
  for (int i = 0; i < step->m; i++) { s->now.lam[i] = memory->mult[i] + part * memory->correction_mult[i]; }
}

/* Says once in a run that rounding left the tolerance out of reach: the last correction, the part of the constraints included, is longer. */
static void tell_of_rounding(mbd_sim *s, const approach *state) {
  const double whole = correction_size(s) / state->size;
  if (whole <= s->c.tolerance) { return; }
  const double rounding = rounding_of_step(s, state);
  if (whole <= rounding) { newton_out_of_reach(s, whole, rounding); }
}

/* Newton's iteration from the current guess. It returns to the guess if the iteration with the tangent of an earlier step does not contract. */
static mbd_status ali3p_iterate(mbd_sim *s, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  ali3p_newton *newton = &step->newton;
  const int n = step->n, limit = s->c.max_iterations + EXTRA_ITERATIONS;
  approach state = {
      .step = INFINITY, .last = INFINITY, .residual = INFINITY, .before = INFINITY, .imaginary = INFINITY};
  double part = 1;
  newton->own = takes_own_tangents(s);
  int after = 0, renew = step->tangent.state != TANGENT_AT_HAND || newton->own;
  step->tangent.state = TANGENT_NONE;
  ali3p_keep(s);
  while (state.tangents + renew <= limit) {
    /* A correction, on a new tangent or on the existing one, and its measures. */
    if (renew && state.tangents == 0 && contraction(&state) > newton_lost) { ali3p_go(s, 0); }
    newton->opening = isinf(state.step);
    MBD_TRY(ali3p_correct(s, renew, err));
    newton->opening = 0;
    s->stats.iterations++;
    state.renewed = renew, state.tangents += renew;
    state.violated = renew && step->m > 0 && mbd_norm_inf(step->m, newton->left) > rounding_of_violation(s);
    if (renew) { step->tangent.age = 0; }
    state.recent = step->tangent.age < NEWTON_RECENT;
    state.size = 1 + model_extent(s->m, n, s->now.z);
    state.last = state.step, state.step = newton->motion_size / state.size;
    const double to_acceleration = mbd_same(s->scheme.a) / (1 + model_extent(s->m, n, newton->as));
    state.acceleration = to_acceleration * newton->motion_size;
    state.noise = to_acceleration * 4 * DBL_EPSILON * mbd_norm_inf(n, newton->memory.moved);
    state.before = state.residual, state.residual = newton->residual / (1 + mbd_norm_inf(step->m, s->now.lam));
    state.rounded += is_rounding(&state);
    state.imaginary_before = state.imaginary, state.imaginary = sim_imaginary_size(n, newton->dz);
    if (isnan(state.step)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
    /* It is taken whole or in part; after convergence the referee makes further corrections. */
    const int done = newton->settled || ali3p_converged(s, &state);
    newton->settled = done;
    part = done || state.tangents <= NEWTON_IMPATIENCE ? 1 : newton_part(n, newton->dz_last, newton->dz, part);
    memcpy(newton->dz_last, newton->dz, (size_t)n * sizeof *newton->dz);
    ali3p_take(s, part);
    if (done && ali3p_ends(s, &state, &after)) {
      tell_of_rounding(s, &state);
      ali3p_rates(s);
      step->tangent.state = TANGENT_AT_HAND;
      step->tangent.age++;
      return MBD_OK;
    }
    renew = done ? newton->own : requests_tangent(s, &state);
  }
  return MBD_NO_CONVERGENCE; /* newton_solve finds the reason */
}

/* ---- where that does not converge (newton.h) ---- */

static void begin_part(mbd_sim *s) { /* ali3p_rates() reads the node before */
  ali3p_of(s)->newton.own = EXTRA_ITERATIONS > 0, ali3p_of(s)->newton.settled = 0;
}

static const mbd_real *ali3p_velocities(const mbd_sim *s) {
  const ali3p *step = ali3p_of(s);
  return step->newton.vs;
}

/* Shows the last correction in reverse, with the velocities at the iterate. */
static mbd_status ali3p_show(mbd_sim *s, mbd_sim **seen, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  ali3p_rates(s);
  return step->mech->show(s, step->newton.vs, -1, step->newton.dz, &step->newton.memory, seen, err);
}

static const newton_ops equations = {.predict = ali3p_predict,
                                     .begin = begin_part,
                                     .newton = ali3p_iterate,
                                     .velocities = ali3p_velocities,
                                     .correct = ali3p_correct,
                                     .size = correction_size,
                                     .keep = ali3p_keep,
                                     .go = ali3p_go,
                                     .show = ali3p_show};

/* ---- tangents from step to step ---- */

static mbd_status make_tangent(mbd_sim *s, mbd_error *err) {
  ali3p_of(s)->tangent.state = TANGENT_AT_HAND, ali3p_of(s)->tangent.age = 0;
  motion_keep_slopes(s->w, s->kept == SIM_KEPT_RECORDS ? ali3p_of(s)->tangent.slopes : NULL);
  ali3p_evaluate_tangent(s);
  motion_keep_slopes(s->w, NULL);
  return factor_tangent(s, err);
}

/* Makes the tangent of the previous node, which has been restored with its v*, a*. */
static mbd_status remake_tangent(mbd_sim *s, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const mbd_real t = s->t;
  memcpy(s->now.z, s->before.z, (size_t)step->n * sizeof *s->now.z);
  memcpy(s->now.lam, s->before.lam, (size_t)step->m * sizeof *s->now.lam);
  s->t = step->tangent.restored_at;
  MBD_TRY(make_tangent(s, err));
  s->t = t;
  return MBD_OK;
}

mbd_status ali3p_begin(mbd_sim *s, mbd_error *err) {
  (void)err;
  ali3p_of(s)->tangent.state = TANGENT_NONE;
  newton_forget(&ali3p_of(s)->newton.memory);
  return MBD_OK;
}

mbd_status ali3p_solve_motion(mbd_sim *s, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  ali3p_newton *newton = &step->newton;
  if (ali3p_needs_tangent(s)) {
    if (step->tangent.state == TANGENT_OF_RESTORED) { MBD_TRY(remake_tangent(s, err)); }
    MBD_TRY(newton_solve(s, &newton->memory, &equations, err));
    newton_remember(s, &newton->memory);
    return make_tangent(s, err);
  }
  matrices_exchange_phi(&step->x); /* that of the tangent */
  const mbd_status status = newton_solve(s, &newton->memory, &equations, err);
  matrices_exchange_phi(&step->x); /* that of the projections */
  if (status == MBD_OK) { newton_remember(s, &newton->memory); }
  return status;
}
