/* The adjoint of the step of ALI3-P in natural coordinates: the transposes of the linear maps of natural_direct.c, in reverse order, with
 * reverse sweeps in the place of directions (lib/natural/pull.h). One objective after another; "by x": its derivative by x.
 *
 * reactions      [M Phi_z'; Phi_z 0] [mu; nu] = [0; by lam],   z, zd, zdd -= d of mu . (r(z, zd, zdd + x) + Phi_z' lam) + nu . Phi_z x
 * joints         zdd, zd, z in this order: y from by z by the transpose of what finds z' from x':  the bases in q += y, and
 *                z, zd, theta -= d of y . x, of its rates and of the rates of |e|^2 = 1                          (5.4c)
 * accelerations  [M Phi_q'; Phi_q 0] [mu; nu] = [by qdd; 0],   a* += M mu,
 *                q, qd, theta -= d of mu . (M (qdd - a*) + Phi_q' kappa) + nu . Phidd;   then the same of velocities
 * motion         [T' Phi_q'; Phi_q 0] [mu; nu] = [by q + c v* + a a*; 0],
 *                q, v*, a*, theta -= d of mu . (M a* - Q + Phi_q' lam) + nu . Phi
 * The constants of a design gather derivatives over all nodes, which go to the coefficients at the start.
 * Equations: theory.md §5.1 (5.4c), theory.md §7.2 (7.4), (7.5), (7.6) with q in the place of z. */
#include <string.h>

#include "formulation/mass.h"
#include "formulation/natural_ali3p.h"
#include "objective/objectives.h"

/* Derivatives of objective k by the state of own->now. */
typedef struct by_node {
  mbd_real *q, *qd, *qdd, *acc;
} by_node;

static by_node by_node_of(const mbd_sim *s, int k) {
  const natural_ali3p *own = natural_ali3p_of(s);
  const natural_back *b = &own->back;
  const size_t at = (size_t)k * (size_t)own->n->nq;
  return (by_node){b->q + at, b->qd + at, b->qdd + at, b->acc + at};
}

void natural_back_clear(mbd_sim *s) {
  natural_back *b = &natural_ali3p_of(s)->back;
  const size_t bytes = (size_t)natural_ali3p_of(s)->n->nq * (size_t)s->npsi * sizeof *b->q;
  if (s->npsi == 0) { return; }
  memset(b->q, 0, bytes), memset(b->qd, 0, bytes), memset(b->qdd, 0, bytes), memset(b->acc, 0, bytes);
  for (int k = 0; k < s->npsi; k++) { natural_params_clear(b->by[k]); }
}

static void negate(int n, mbd_real *x) {
  for (int i = 0; i < n; i++) { x[i] = -x[i]; }
}

/* ---- the time ---- */

/* Adds the derivatives by the stretch, as adjoint_stretch, for one objective. */
static void stretch(const mbd_sim *s, sim_adjoint *a, int k, mbd_real scale, const mbd_real *x, const mbd_real *by) {
  mbd_real sum = 0;
  for (int j = 0; j < natural_ali3p_of(s)->n->nq; j++) { sum += x[j] * by[j]; }
  if (s->c.free_duration) { a->theta[k]->stretch += scale * sum; }
}

static void stretch_rates(const mbd_sim *s, sim_adjoint *a, int k) {
  const natural_node *now = &natural_ali3p_of(s)->now;
  const by_node by = by_node_of(s, k);
  stretch(s, a, k, 1, now->qd, by.qd);
  stretch(s, a, k, 2, now->qdd, by.qdd);
  if (s->scheme.has_acc) { stretch(s, a, k, 2 * s->scheme.acc_zdd, now->qdd, by.acc); }
}

/* ---- reactions ---- */

static int any(size_t n, const mbd_real *x) {
  for (size_t i = 0; i < n; i++) {
    if (x[i] != 0) { return 1; }
  }
  return 0;
}

/* nu . Phi_z x = nu . (Phid with the rates x, less that at rest) */
static void pull_rates(mbd_sim *s, sim_adjoint *a) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int nz = s->m->nz, m = s->m->nphi;
  memset(own->by_z, 0, (size_t)nz * sizeof *own->by_z);
  for (int at_rest = 0; at_rest < 2; at_rest++) {
    motion_move(s->w, at_rest ? own->by_z : own->x_z, own->by_z, 0);
    adjoint_begin(s, a);
    for (int k = 0; k < a->npsi; k++) {
      adjoint_get(m, a->npsi, k, at_rest ? 1 : -1, a->nu, a->row);
      motion_pull_rows(&a->pull[k], s->eq, NULL, a->row, NULL);
    }
    adjoint_read(s, a, 0, a->z);
    adjoint_read_joints(a);
  }
}

static mbd_status reactions_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int nz = s->m->nz, m = s->m->nphi;
  if (!any((size_t)m * (size_t)a->npsi, a->lam)) { return MBD_OK; }
  /* [M Phi_z'; Phi_z 0] [mu; nu] = [0; by lam]. */
  MBD_TRY(mass_factor(s, &own->x, err));
  adjoint_zero((size_t)nz * (size_t)a->npsi, a->f);
  MBD_TRY(adjoint_solve(a, &own->x.motion, a->f, a->lam, err));
  /* Derivatives of -mu . (r + Phi_z' lam), at the accelerations zdd + x that these reactions balance. */
  for (int j = 0; j < nz; j++) { own->by_z[j] = s->now.zdd[j] + own->x_z[j]; }
  motion_move(s->w, s->now.zd, own->by_z, 1);
  adjoint_begin(s, a);
  motion_linearize(s->w, s->eq, s->now.lam, &a->linear);
  for (int k = 0; k < a->npsi; k++) {
    adjoint_get(nz, a->npsi, k, -1, a->mu, a->column);
    motion_pull_residual(&a->pull[k], &a->linear, a->column);
  }
  adjoint_read_all(s, a);
  adjoint_read_joints(a);
  /* Derivatives of -nu . Phi_z x. */
  pull_rates(s, a);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}

/* ---- joint coordinates ---- */

/* The rates of |e|^2 = 1:  e . zd' = -zd . z',  e . zdd' = -2 zd . zd' - zdd . z'. w: of zd' or zdd' (order 1, 2). */
static void norms_back(const mbd_sim *s, int order, const mbd_real *w, mbd_real *z, mbd_real *zd) {
  for (int i = 1; i < s->m->nb; i++) {
    const int e = s->m->joint[s->m->body[i].joint].ops->euler, j = s->m->body[i].z0 + e;
    mbd_real norm = 0;
    for (int k = 0; k < 4 && e >= 0; k++) { norm += s->now.z[j + k] * w[j + k]; }
    for (int k = 0; k < 4 && e >= 0; k++) {
      z[j + k] -= (order == 1 ? s->now.zd : s->now.zdd)[j + k] * norm;
      if (order == 2) { zd[j + k] -= 2 * s->now.zd[j + k] * norm; }
    }
  }
}

/* Adds to `to` [nq] the derivatives by the bases that follow from those by z, zd or zdd (order 0, 1, 2), and the derivatives of lower order. */
static mbd_status column_back(mbd_sim *s, sim_adjoint *a, int k, int order, mbd_real *to, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  const int nz = s->m->nz, rows = natural_bases_rows(own->n);
  mbd_real *const z = a->all, *const zd = z + nz, *const w = z + order * nz;
  MBD_TRY(natural_joints_pull(own->v, s->w, own->now.q, w, own->X, b->bases, err));
  natural_bases_scatter(own->n, b->bases, order == 0 ? b->by[k] : NULL, to);
  negate(rows, b->bases);
  pull_begin(&a->pull[k], s->w, a->theta[k]);
  natural_bases_pull(own->v, order == 0 ? b->bases : b->none, order == 1 ? b->bases : b->none,
                     order == 2 ? b->bases : b->none, &a->pull[k], b->by[k]);
  pull_coordinates(&a->pull[k], order > 0 ? z : NULL, order > 1 ? zd : NULL, NULL);
  pull_joints(&a->pull[k]);
  if (order > 0) { norms_back(s, order, w, z, zd); }
  return MBD_OK;
}

mbd_status natural_joints_back(mbd_sim *s, sim_adjoint *a, int k, mbd_real *q, mbd_real *qd, mbd_real *qdd,
                               mbd_error *err) {
  const int nz = s->m->nz;
  adjoint_get(nz, a->npsi, k, 1, a->z, a->all);
  adjoint_get(nz, a->npsi, k, 1, a->zd, a->all + nz);
  adjoint_get(nz, a->npsi, k, 1, a->zdd, a->all + 2 * nz);
  MBD_TRY(column_back(s, a, k, 2, qdd, err));
  MBD_TRY(column_back(s, a, k, 1, qd, err));
  return column_back(s, a, k, 0, q, err);
}

/* ---- projections and motion ---- */

static const char *const back_what = "adjoint of the time step";

static mbd_status solve_transposed(mbd_sim *s, mbd_saddle *system, natural_solver *memory, const mbd_real *f,
                                   mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  system->predict = system->transposed = memory->product.transposed = 1;
  memset(own->g, 0, (size_t)own->n->nphi * sizeof *own->g);
  memset(b->nu, 0, (size_t)own->n->nphi * sizeof *b->nu);
  return mbd_saddle_solve(system, 1, f, own->g, b->mu, b->nu, own->step, own->rest, err);
}

mbd_status natural_solve_back(mbd_sim *s, mbd_real *A, mbd_real *Phi, const mbd_factors *lu, double alpha,
                              const mbd_real *f, double accepted, mbd_error *err) {
  natural_solver memory;
  mbd_saddle system = natural_system_of(s, &memory, A, Phi, lu, alpha, back_what);
  system.accepted = accepted;
  return solve_transposed(s, &system, &memory, f, err);
}

static natural_pull pull_of(const mbd_sim *s, sim_adjoint *a, int k, mbd_real *qd) {
  const natural_back *b = &natural_ali3p_of(s)->back;
  return (natural_pull){.theta = a->theta[k], .by = b->by[k], .q = by_node_of(s, k).q, .qd = qd, .qdd = b->unused};
}

/* Computes the derivatives by v* or a*, by_star, from those by qd or qdd (order 1, 2), by_x. */
static mbd_status project_back(mbd_sim *s, sim_adjoint *a, int k, int order, const mbd_real *by_x, mbd_real *by_star,
                               mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  const natural_node *now = &own->now;
  const int n = own->n->nq;
  const mbd_real *x = order == 1 ? now->qd : now->qdd, *star = order == 1 ? own->vs : own->as;
  const natural_pull to = pull_of(s, a, k, order == 2 ? by_node_of(s, k).qd : b->unused);
  natural_solver memory;
  mbd_saddle system = natural_projection_system(s, &memory, back_what);
  /* [M Phi_q'; Phi_q 0] [mu; nu] = [by x; 0]. */
  MBD_TRY(solve_transposed(s, &system, &memory, by_x, err));
  /* by_star = M mu, and the derivatives of -mu . M (x - x*) by the constants of the mass matrix. */
  memset(by_star, 0, (size_t)n * sizeof *by_star);
  natural_mass_mul_add(own->v, b->mu, by_star);
  for (int j = 0; j < n; j++) { own->f[j] = star[j] - x[j]; }
  natural_mass_pull(own->v, b->mu, own->f, &to);
  /* Those of -mu . Phi_q' mult - nu . Phid, or Phidd, by q, qd and the coefficients. */
  negate(n, b->mu), negate(own->n->nphi, b->nu);
  natural_reactions_pull(own->v, s->t, now->q, order == 1 ? own->sv : own->sa, b->mu, &to);
  natural_rows_pull(own->v, s->t, now->q, now->qd, order == 2 ? x : NULL, NULL, order == 1 ? b->nu : NULL,
                    order == 2 ? b->nu : NULL, &to);
  return MBD_OK;
}

void natural_motion_pull(mbd_sim *s, sim_adjoint *a, int k, mbd_real *mu) {
  natural_ali3p *own = natural_ali3p_of(s);
  const natural_node *now = &own->now;
  mbd_real *const unused = own->back.unused;
  const natural_pull to = {.theta = a->theta[k], .by = own->back.by[k], .q = unused, .qd = unused, .qdd = unused};
  natural_forces_pull(own->v, s->t, now->q, now->qd, mu, &to);
  natural_weight_pull(own->v, mu, &to);
  negate(own->n->nq, mu);
  natural_mass_pull(own->v, mu, now->qdd, &to);
  natural_reactions_pull(own->v, s->t, now->q, now->lam, mu, &to);
}

static mbd_status motion_back(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  const int n = own->n->nq;
  const by_node by = by_node_of(s, k);
  const natural_pull to = pull_of(s, a, k, b->vs);
  for (int j = 0; j < n; j++) { own->f[j] = by.q[j] + s->scheme.c * b->vs[j] + s->scheme.a * b->as[j]; }
  MBD_TRY(natural_solve_back(s, own->T, own->Phi_T, &own->T_lu, own->alpha_T, own->f, 0, err));
  natural_forces_pull(own->v, s->t, own->now.q, own->vs, b->mu, &to);
  natural_weight_pull(own->v, b->mu, &to);
  negate(n, b->mu), negate(own->n->nphi, b->nu);
  natural_mass_mul_add(own->v, b->mu, b->as);
  natural_mass_pull(own->v, b->mu, own->as, &to);
  natural_reactions_pull(own->v, s->t, own->now.q, own->now.lam, b->mu, &to);
  natural_rows_pull(own->v, s->t, own->now.q, NULL, NULL, b->nu, NULL, NULL, &to);
  return MBD_OK;
}

/* Computes the derivatives by the previous node. */
static void history_back(const mbd_sim *s, int k) {
  const natural_back *b = &natural_ali3p_of(s)->back;
  const mbd_scheme *scheme = &s->scheme;
  const by_node by = by_node_of(s, k);
  for (int j = 0; j < natural_ali3p_of(s)->n->nq; j++) {
    by.qd[j] = scheme->v_zd * b->vs[j] + scheme->a_zd * b->as[j];
    by.qdd[j] = scheme->v_zdd * b->vs[j] + scheme->a_zdd * b->as[j];
    if (!scheme->has_acc) { continue; }
    by.qdd[j] += scheme->acc_zdd_before * by.acc[j];
    by.acc[j] = scheme->acc_acc * by.acc[j] + scheme->v_acc * b->vs[j] + scheme->a_acc * b->as[j];
  }
}

static mbd_status objective_back(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  const natural_ali3p *own = natural_ali3p_of(s);
  const by_node by = by_node_of(s, k);
  MBD_TRY(natural_joints_back(s, a, k, by.q, by.qd, by.qdd, err));
  for (int j = 0; s->scheme.has_acc && j < own->n->nq; j++) { by.qdd[j] += s->scheme.acc_zdd * by.acc[j]; }
  MBD_TRY(project_back(s, a, k, 2, by.qdd, own->back.as, err));
  return project_back(s, a, k, 1, by.qd, own->back.vs, err);
}

static mbd_status step_back(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  const natural_ali3p *own = natural_ali3p_of(s);
  MBD_TRY(motion_back(s, a, k, err));
  stretch(s, a, k, -1, own->vs, own->back.vs);
  stretch(s, a, k, -2, own->as, own->back.as);
  history_back(s, k);
  return MBD_OK;
}

void natural_no_joints(const mbd_sim *s, sim_adjoint *a) {
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi;
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd);
  adjoint_zero((size_t)s->m->nphi * (size_t)a->npsi, a->lam);
}

mbd_status natural_outputs_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  adjoint_outputs(s, a);
  adjoint_read_all(s, a);
  adjoint_read_joints(a);
  return reactions_back(s, a, err);
}

mbd_status natural_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  for (int k = 0; k < a->npsi; k++) { stretch_rates(s, a, k); }
  MBD_TRY(natural_outputs_back(s, a, err));
  MBD_TRY(natural_factor_projection(s, err));
  MBD_TRY(natural_factor_motion(s, err));
  for (int k = 0; k < a->npsi; k++) {
    MBD_TRY(objective_back(s, a, k, err));
    MBD_TRY(step_back(s, a, k, err));
  }
  natural_no_joints(s, a);
  return MBD_OK;
}

/* ---- the start ---- */

void natural_adjoint_begin(mbd_sim *s, sim_adjoint *a) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq;
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  adjoint_begin(s, a);
  for (int k = 0; k < a->npsi; k++) {
    const by_node by = by_node_of(s, k);
    for (int j = 0; s->scheme.has_acc && j < n; j++) { by.qdd[j] += by.acc[j]; }
    natural_take_pull(own->v, by.q, by.qd, by.qdd, &a->pull[k], own->back.by[k]);
    natural_params_pull(own->v, own->back.by[k], a->theta[k]);
  }
  adjoint_read_all(s, a);
  adjoint_read_joints(a);
}

/* ---- the record of a step ---- */

size_t natural_record_reals(const mbd_sim *s) {
  const natural *n = natural_ali3p_of(s)->n;
  return 2 * ((size_t)n->nq + (size_t)n->nphi) + (size_t)s->m->nz;
}

void natural_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at) {
  natural_ali3p *own = natural_ali3p_of(s);
  copy(at, own->vs, own->n->nq), copy(at, own->as, own->n->nq);
  copy(at, own->sv, own->n->nphi), copy(at, own->sa, own->n->nphi);
  copy(at, own->x_z, s->m->nz);
}
