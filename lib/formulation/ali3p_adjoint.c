/* The adjoint of the step of ALI3-P: the transposes of the linear maps of ali3p_direct.c, in reverse order.
 *
 * acceleration   [P Phi_z'; Phi_z 0] [mu; nu] = [by zdd; by kappa]:   a* += P mu,   z, zd -= d/d(z, zd) of mu . rho + nu . Phidd
 * velocity       the same of zd, multipliers without weight:         v* += P mu,   z     -= d/dz of mu . rho + nu . Phid
 *     with rho = P (x - x*) + Phi_z' mult at rest, x the rate and mult its multipliers
 *     by kappa: the derivatives by the reactions lam + kappa (projection.h), as by lam; zero where lam alone is reported
 * motion         [T0' Phi_z'; Phi_z 0] [mu; nu] = [by z + c v* + a a*; by lam],   T0' = K' + c C' + a M'
 *     (-1/alpha in place of 0 for compliant constraints)
 *     and by the node before:  V0 = by v* - C' mu,  A0 = by a* - M' mu,
 *     z_: by z - K' mu - Phi_z' nu,   zd_: v_zd V0 + a_zd A0,   zdd_: v_zdd V0 + a_zdd A0   (and acc_ of a scheme with it)
 * The coefficients lose  mu . r_theta + nu . Phi_theta  of each system.
 * Equations: theory.md §7.2 (7.4), (7.5), (7.6). */
#include <string.h>

#include "formulation/ali3p.h"
#include "objective/objectives.h"

/* ---- projections ---- */

/* L -= mu . rho of an iterate x with its multipliers, in reverse sweeps of its own: mu and x - x* as virtual velocities. */
static void add_rest(mbd_sim *s, sim_adjoint *a, const mbd_real *mu, const mbd_real *x, const mbd_real *star,
                     const mbd_real *mult) {
  ali3p *step = ali3p_of(s);
  for (int j = 0; j < step->n; j++) { step->newton.dz[j] = x[j] - star[j]; }
  step->mech->rest_back(s, step->projection.ops, a, mu, step->newton.dz, mult);
}

static void read_rest(mbd_sim *s, sim_adjoint *a) {
  ali3p_of(s)->mech->read(s, a, 0, a->z);
  ali3p_of(s)->mech->end_back(a);
}

/* Adds the derivatives by the rates of the constraints, which depend on z, zd and coefficients, with weights -nu: order 1 or 2. */
static void ali3p_reverse_rates(mbd_sim *s, sim_adjoint *a, int order) {
  ali3p_of(s)->mech->rows_back(s, a, (const double[3]){0, order == 1, order == 2});
}

/* block += P mu */
static void by_star(mbd_sim *s, const sim_adjoint *a, mbd_real *block) {
  ali3p *step = ali3p_of(s);
  mbd_mul_add_at(step->n, step->n, a->npsi, 1, step->projection.P0, &step->x.M_at, a->mu, block);
}

/* x [n][npsi] := the derivatives of the objectives by a term of the step */
static void take_term(const sim_adjoint *a, int n, const mbd_real *by_term, mbd_real *x) {
  const size_t size = (size_t)n * (size_t)a->npsi;
  if (a->by_step.any) {
    memcpy(x, by_term, size * sizeof *x);
  } else {
    adjoint_zero(size, x);
  }
}

/* g := the derivatives by the multipliers of the projection of velocities (order 1) or accelerations (2). */
static void by_multipliers(const mbd_sim *s, sim_adjoint *a, int order) {
  const int m = ali3p_of(s)->m;
  const size_t rows = (size_t)m * (size_t)a->npsi;
  take_term(a, m, order == 1 ? a->by_step.sigma : a->by_step.kappa, a->g);
  for (size_t i = 0; order == 2 && sim_reactions_apart(s) && i < rows; i++) { a->g[i] += a->lam[i]; }
  sim_leave_out(s, a->npsi, a->g);
}

static mbd_status solve_projection(mbd_sim *s, sim_adjoint *a, mbd_real *by, mbd_error *err) {
  mbd_saddle system = ali3p_projection_system(s);
  system.predict = 1;
  return adjoint_solve(a, &system, by, a->g, err);
}

static mbd_status solve_to_end(mbd_sim *s, sim_adjoint *a, int order, mbd_real *by, mbd_error *err) {
  by_multipliers(s, a, order);
  return solve_projection(s, a, by, err);
}

/* The adjoint of projections that were iterated until they converged: there is one iterate, that of the node, whose reverse sweeps have been
 * begun. */
static mbd_status project_back_to_end(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const ali3p_back *back = &step->back;
  MBD_TRY(solve_to_end(s, a, 2, a->zdd, err));
  by_star(s, a, back->as);
  memcpy(back->mu_zdd, a->mu,
         (size_t)step->n * (size_t)a->npsi * sizeof *back->mu_zdd); /* kept: the rest of it needs another sweep */
  ali3p_reverse_rates(s, a, 2);
  step->mech->read(s, a, 1, a->zd);
  MBD_TRY(solve_to_end(s, a, 1, a->zd, err));
  by_star(s, a, back->vs);
  ali3p_reverse_rates(s, a, 1);
  read_rest(s, a);
  step->mech->begin_back(s, a);
  add_rest(s, a, a->mu, s->now.zd, step->newton.vs, step->projection.sv);
  add_rest(s, a, back->mu_zdd, s->now.zdd, step->newton.as, step->projection.sa);
  read_rest(s, a);
  return MBD_OK;
}

/* The adjoint of one iteration. by, g: the derivatives by its rate and its multipliers; on return those by the multipliers of the iteration
 * before, whose rate has none:
 *   P mu + Phi_z' nu = by,   Phi_z mu - nu/alpha = g;   g := -nu/alpha,   by := 0 */
static mbd_status iterate_back(mbd_sim *s, sim_adjoint *a, mbd_real *by, mbd_error *err) {
  const ali3p *step = ali3p_of(s);
  const size_t size = (size_t)step->n * (size_t)a->npsi, rows = (size_t)step->m * (size_t)a->npsi;
  const double *weight = step->projection.weight;
  MBD_TRY(solve_projection(s, a, by, err));
  for (size_t i = 0; i < rows; i++) { a->g[i] = -a->nu[i] / step->projection.alpha; }
  for (size_t i = 0; weight && i < rows; i++) { a->g[i] /= weight[i / (size_t)a->npsi]; }
  adjoint_zero(size, by);
  return MBD_OK;
}

/* The adjoint of a given number of iterations, each at its own iterate, because the rates of each iterate violate the constraints differently. */
static mbd_status project_back_iterated(mbd_sim *s, sim_adjoint *a, int order, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const ali3p_back *back = &step->back;
  const int n = step->n, m = step->m, iterations = s->c.projection_iterations;
  const ali3p_iterates *kept = order == 1 ? &step->projection.iter_v : &step->projection.iter_a;
  const mbd_real *star = order == 1 ? step->newton.vs : step->newton.as;
  memcpy(back->by_rate, order == 1 ? a->zd : a->zdd, (size_t)n * (size_t)a->npsi * sizeof *back->by_rate);
  by_multipliers(s, a, order);
  /* The iterations in reverse order: the system of each, then the derivatives of its right-hand side at its iterate. */
  for (int it = iterations - 1; it >= 0; it--) {
    const mbd_real *x = kept->x + it * n;
    MBD_TRY(iterate_back(s, a, back->by_rate, err));
    by_star(s, a, order == 1 ? back->vs : back->as);
    step->mech->move(s, order == 1 ? x : s->now.zd, order == 2 ? x : s->now.zdd, 0);
    step->mech->begin_back(s, a);
    ali3p_reverse_rates(s, a, order);
    if (order == 2) { step->mech->read(s, a, 1, a->zd); }
    add_rest(s, a, a->mu, x, star, kept->mult + it * m);
    read_rest(s, a);
  }
  return MBD_OK;
}

static void read_node(mbd_sim *s, sim_adjoint *a) {
  ali3p_of(s)->mech->read(s, a, 1, a->zd);
  read_rest(s, a);
}

/* Restores the matrix of the projections; its factors too, unless the trajectory has kept them. */
static mbd_status restore_projection(mbd_sim *s, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  if (!step->projection.lu.within) { return ali3p_factor_projection(s, 0, err); }
  step->projection.ops->matrix(s, step->projection.P0);
  return MBD_OK;
}

/* Computes the derivatives by v*, a* from those by zd, zdd. On entry the state of the node is swept and its reverse sweeps are begun. */
static mbd_status project_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const ali3p *step = ali3p_of(s);
  const ali3p_back *back = &step->back;
  const size_t size = (size_t)step->n * (size_t)a->npsi;
  take_term(a, step->n, a->by_step.v, back->vs), take_term(a, step->n, a->by_step.a, back->as);
  if (step->m == 0) {
    read_node(s, a);
    for (size_t i = 0; i < size; i++) { back->vs[i] += a->zd[i], back->as[i] += a->zdd[i]; }
    return MBD_OK;
  }
  MBD_TRY(restore_projection(s, err));
  if (s->c.projection_iterations == 0) { return project_back_to_end(s, a, err); }
  read_node(s, a);
  MBD_TRY(project_back_iterated(s, a, 2, err));
  return project_back_iterated(s, a, 1, err);
}

/* ---- motion ---- */

/* Factors the matrix of the step again if the trajectory has kept the matrix only: a sparse one, or one whose factors are not at their places. */
static mbd_status refactor_motion(mbd_sim *s, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  static const char why[] = "the tangent matrix of the time step cannot be factored";
  if (step->x.fill && !step->tangent.lu.within) {
    return matrices_factor(s, &step->x, &step->x.K_at,
                           ali3p_matrix_of_rows(s, step->tangent.alpha, step->tangent.weight), step->tangent.alpha,
                           step->tangent.weight, &step->tangent.lu, why, err);
  }
  if (!step->x.sparse || mbd_factors_make(&step->tangent.lu) == MBD_OK) { return MBD_OK; }
  MBD_FAIL(err, MBD_SINGULAR, "%s", why);
}

/* Solves theory.md §7.2 (7.4) by the factors of the step's tangent. */
static mbd_status solve_motion_adjoint(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const mbd_scheme *scheme = &s->scheme;
  const size_t size = (size_t)step->n * (size_t)a->npsi;
  mbd_saddle system = ali3p_motion_system(s);
  system.transposed = system.predict = 1;
  system.at_least = EXTRA_ITERATIONS;
  system.what = "adjoint of the time step";
  /* The right-hand sides z^ + c v^ + a a^, and those of the rows. */
  for (size_t i = 0; i < size; i++) { a->f[i] = a->z[i] + scheme->c * step->back.vs[i] + scheme->a * step->back.as[i]; }
  const size_t rows = (size_t)step->m * (size_t)a->npsi;
  for (size_t i = 0; a->by_step.any && i < rows; i++) { a->lam[i] += a->by_step.lam[i]; }
  sim_leave_out(s, a->npsi, a->lam);
  return adjoint_solve(a, &system, a->f, a->lam, err);
}

/* Adds the derivatives of L = -mu . (r + Phi_z' lam) - nu . Phi by z, v*, a* and the coefficients. */
static void ali3p_reverse_motion(mbd_sim *s, sim_adjoint *a) {
  const ali3p *step = ali3p_of(s);
  step->mech->begin_back(s, a);
  step->mech->residual_back(s, a, a->mu, s->now.lam);
  step->mech->rows_back(s, a, (const double[3]){1, 0, 0});
  step->mech->read_all(s, a, a->z, step->back.vs, step->back.as);
  step->mech->end_back(a);
}

/* Applies the transpose of a stretched step, whose scheme gives s v*, s^2 a* (adjoint_stretch_rates). */
static void ali3p_stretch_back(const mbd_sim *s, sim_adjoint *a) {
  const ali3p *step = ali3p_of(s);
  adjoint_stretch(s, a, -1, step->newton.vs, step->back.vs);
  adjoint_stretch(s, a, -2, step->newton.as, step->back.as);
}

/* Computes the derivatives by the previous node from those by this node (z, V0 in vs, A0 in as). */
static void ali3p_history_back(mbd_sim *s, sim_adjoint *a) {
  const ali3p *step = ali3p_of(s);
  const ali3p_back *back = &step->back;
  const mbd_scheme *scheme = &s->scheme;
  const size_t size = (size_t)step->n * (size_t)a->npsi;
  for (size_t i = 0; i < size; i++) {
    a->zd[i] = scheme->v_zd * back->vs[i] + scheme->a_zd * back->as[i];
    a->zdd[i] = scheme->v_zdd * back->vs[i] + scheme->a_zdd * back->as[i];
  }
  for (size_t i = 0; scheme->has_acc && i < size; i++) {
    a->zdd[i] += scheme->acc_zdd_before * a->acc[i];
    a->acc[i] = scheme->acc_acc * a->acc[i] + scheme->v_acc * back->vs[i] + scheme->a_acc * back->as[i];
  }
  adjoint_zero((size_t)step->m * (size_t)a->npsi, a->lam);
  a->by_step.any = 0;
}

mbd_status ali3p_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  step->mech->place(s);
  step->mech->move(s, s->now.zd, s->now.zdd, 1);
  step->mech->rows(s, &step->x, NULL);
  adjoint_stretch_rates(s, a);
  MBD_TRY(step->mech->outputs_back(s, a, err));
  step->mech->read(s, a, 2, a->zdd);
  adjoint_close_acc(s, a);
  MBD_TRY(project_back(s, a, err));
  step->mech->move(s, step->newton.vs, step->newton.as, 1);
  ali3p_velocity_rows(s);
  MBD_TRY(refactor_motion(s, err));
  step->mech->linearize(s, a, s->now.lam, step->tangent.slopes);
  MBD_TRY(solve_motion_adjoint(s, a, err));
  ali3p_reverse_motion(s, a);
  ali3p_stretch_back(s, a);
  ali3p_history_back(s, a);
  return MBD_OK;
}

/* ---- the record of a step ---- */

/* Copies the entries of the step's tangent that can differ from zero; corrections in the adjoint multiply by them. The record also has the factors of
 * both systems at their places, with the penalties, because factoring the motion again would require the tangent's matrices K, C, M. Of a
 * sparse matrix the values are kept, and the factors are made again: the order of pivots is fixed, so they are the same. Of factors that a
 * library has made, all entries and the pivots are kept. */
static void copy_tangent(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ali3p *step = ali3p_of(s);
  const int n = step->n;
  const mbd_nonzeros *places = &step->x.K_at;
  if (step->x.packed) {
    copy(at, step->tangent.T0, mbd_nonzeros_places(n, places));
    return;
  }
  for (int i = 0; i < n; i++) {
    mbd_real *row = step->tangent.T0 + (size_t)i * (size_t)n, *kept = *at;
    const int *col = mbd_nonzeros_row(places, i, n);
    if (copy == sim_from_record) {
      for (int k = 0; k < places->count[i]; k++) { row[col[k]] = kept[k]; }
    } else {
      for (int k = 0; k < places->count[i]; k++) { kept[k] = row[col[k]]; }
    }
    *at += places->count[i];
  }
}

static void copy_penalty(sim_copy copy, mbd_real **at, double *alpha) {
  mbd_real kept = *alpha;
  copy(at, &kept, 1);
  *alpha = mbd_same(kept);
}

/* Copies factors at their places. `within` is 0 if exchanges of rows have put entries outside of these places; the factors are then made again when
 * they are needed. Entries outside that such factors have left are cleared before others are restored. */
static void copy_filled(mbd_factors *f, sim_copy copy, mbd_real **at) {
  mbd_real within = f->within;
  copy(at, &within, 1);
  if (copy == sim_from_record) {
    if (!f->within) { memset(f->lu, 0, (size_t)f->n * (size_t)f->n * sizeof *f->lu); }
    f->within = mbd_same(within) > 0;
    mbd_fill_unpack(f->fill, *at, f->lu);
  } else {
    mbd_fill_pack(f->fill, f->lu, *at);
  }
  *at += mbd_fill_count(f->fill);
}

static void copy_whole(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ali3p *step = ali3p_of(s);
  ali3p_tangent *tangent = &step->tangent;
  const int n = step->n;
  for (int i = 0; i < n; i++) { tangent->pivots[i] = tangent->lu.piv[i]; }
  copy(at, tangent->lu.lu, n * n);
  copy(at, tangent->pivots, n);
  for (int i = 0; i < n; i++) { tangent->lu.piv[i] = (int)mbd_same(tangent->pivots[i]); }
}

/* Returns 1 if the record has factors of the projection, which exist if there are constraints. */
static int keeps_projection(const mbd_sim *s) {
  return ali3p_of(s)->x.fill && ali3p_of(s)->m > 0;
}

static void copy_factors(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ali3p *step = ali3p_of(s);
  ali3p_tangent *tangent = &step->tangent;
  copy_penalty(copy, at, &tangent->alpha);
  ali3p_weigh(s, tangent->alpha, 1, tangent->weight);
  if (step->x.sparse) {
    copy(at, mbd_sparse_values(tangent->lu.sparse), mbd_sparse_count(tangent->lu.sparse));
  } else if (step->x.fill) {
    copy_filled(&tangent->lu, copy, at);
  } else {
    copy_whole(s, copy, at);
  }
  if (!keeps_projection(s)) { return; }
  copy_penalty(copy, at, &step->projection.alpha);
  ali3p_weigh(s, step->projection.alpha, s->c.projection_weight, step->projection.weight);
  copy_filled(&step->projection.lu, copy, at);
}

static size_t factors_reals(const mbd_sim *s) {
  const ali3p *step = ali3p_of(s);
  const size_t n = (size_t)step->n;
  if (step->x.sparse) { return 1 + (size_t)mbd_sparse_count(step->tangent.lu.sparse); }
  if (!step->x.fill) { return 1 + n * n + n; }
  return (1 + (size_t)keeps_projection(s)) * (2 + (size_t)mbd_fill_count(step->x.fill));
}

size_t ali3p_record_reals(const mbd_sim *s) {
  const ali3p *step = ali3p_of(s);
  const size_t n = (size_t)step->n, iterates = 1 + (size_t)s->c.projection_iterations;
  const size_t tangent = (size_t)mbd_nonzeros_places(step->n, &step->x.K_at);
  return 2 * (iterates * (n + (size_t)step->m) - n) + motion_kept_reals(s->m) + tangent + factors_reals(s);
}

size_t ali3p_state_reals(const mbd_sim *s) {
  return 2 * (size_t)ali3p_of(s)->n + 2 + newton_trend_reals(&ali3p_of(s)->newton.memory);
}

void ali3p_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ali3p *step = ali3p_of(s);
  mbd_real tangent[2] = {step->tangent.state != TANGENT_NONE, s->t};
  copy(at, step->newton.vs, step->n), copy(at, step->newton.as, step->n);
  newton_copy_trend(&step->newton.memory, copy, at);
  copy(at, tangent, 2);
  if (copy != sim_from_record) { return; }
  step->tangent.state = mbd_same(tangent[0]) > 0 ? TANGENT_OF_RESTORED : TANGENT_NONE;
  step->tangent.restored_at = tangent[1];
}

void ali3p_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ali3p *step = ali3p_of(s);
  ali3p_projection *projection = &step->projection;
  const int n = step->n, m = step->m, iterations = s->c.projection_iterations;
  copy(at, projection->sv, m), copy(at, projection->sa, m);
  copy(at, projection->iter_v.x, iterations * n), copy(at, projection->iter_v.mult, iterations * m);
  copy(at, projection->iter_a.x, iterations * n), copy(at, projection->iter_a.mult, iterations * m);
  copy(at, step->tangent.slopes, (int)motion_kept_reals(s->m));
  copy_tangent(s, copy, at);
  copy_factors(s, copy, at);
}
