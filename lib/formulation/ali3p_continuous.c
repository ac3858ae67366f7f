/* The continuous adjoint of ALI3-P (S1, CAVM): the adjoint of the equations of motion, integrated backwards by the
 * trapezoidal rule on the nodes of the run. It does not depend on the scheme of the run, and agrees with the discrete
 * adjoint to the order of both, not to rounding.
 *
 * With z, zd as the state, the equations and their constraints twice derived,
 *   r(z, zd, zdd) + Phi_z' lam = 0,   Phidd(z, zd, zdd) = 0
 * and the objective as the integral of g, its derivatives p, v by z, zd at time t satisfy, backwards in time,
 *   -dp/dt = g_z - K' mu - Phidd_z' nu
 *   -dv/dt = g_zd + p - C' mu - Phidd_zd' nu
 *   [M Phi_z'; Phi_z 0] [mu; nu] = [v + g_zdd; g_lam]                                                            (1)
 * while the coefficients gain the integral of  g_theta - mu . (r + Phi_z' lam)_theta - nu . Phidd_theta.
 * This is S1's adjoint DAE: mu is its mu_2, p its mu_1, and what g_zdd makes of nu is due to its mu_Phidd. There a multiplier
 * of Phi holds mu to its constraint, an index of three; (1) does so at once, and objectives of accelerations and
 * reactions need no derivative in time.
 *
 * Because Phi = Phid = 0 all the time, one may at any node, for any beta and gamma, take
 *   v := v - Phi_z' beta,   p := p - Phid_z' beta - Phi_z' gamma,   theta := theta - beta . Phid_theta - gamma . Phi_theta
 * (S1's mu_Phid, mu_Phi). beta is chosen so that v = M mu with Phi_z mu = 0; then nu is only that of g_zdd and g_lam,
 * which is found first and adds to g_z, g_zd. The step of length h that ends at a node finds mu (that of v) and beta by
 *   (M + h/2 C' + h^2/4 K') mu + Phi_z' beta = v + h/2 g_zd + h/2 (p + h/2 g_z),   Phi_z mu = 0                  (2)
 * with p, v as its first half, at the node behind, has left them. (2) leaves out h Phid_z' beta, of the order h^3 if
 * beta is of the order h^2, that is, if p moves v off the constraints only as fast as their directions change. So gamma = beta/h removes from p
 * the part that has moved v in this step; without that the order is one.
 *
 * Velocity constraints Psi = 0 have Psid among the rows of (1), and A in the place of Phi_z. They say nothing of positions, so that p keeps its
 * part along A', and v has one that grows with it: v = M mu + A' nu + ..., with nu of the order one. It is not removed, since Psi, other than Phi, does not
 * drift, but carried, and (2) has beside it
 *   (A + E)' nu = ..,  E = h/2 Psid_zd + h^2/4 Psid_z,   A mu = 0;    p and v lose the integrals of Psid_z' nu, Psid_zd' nu, theta that of nu . Psid_theta   (3)
 *
 * K contains the reactions: multipliers that satisfy the equations with zdd. Those of the run do so to the order h^2 only, and with
 * another projection matrix than M to the order h (projection.h), so they are solved for again. The iteration begins at zero, because the part of the
 * run's multipliers in combinations of redundant rows, which is not determined, may be so large that its rounding errors exceed K.
 * Equations: theory.md §7.3 (7.7). */
#include <string.h>

#include "formulation/ali3p.h"
#include "objective/objectives.h"

/* A node with its systems. */
typedef struct node {
  double later, earlier; /* [s] halves of the steps on both sides, the weights of this node in integrals */
  const mbd_real *lam;   /* [nphi] multipliers that go with zdd */
  mbd_saddle mass, step; /* (1), (2) */
} node;

/* ---- systems ---- */

/* extra: E of velocity constraints, with which A is T0; NULL: it is zero. */
static mbd_status ali3p_continuous_factor(mbd_sim *s, const mbd_real *A, const mbd_real *extra, const mbd_nonzeros *at,
                                          mbd_factors *lu, mbd_saddle *system, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  *system = (mbd_saddle){.n = step->n,
                         .m = step->m,
                         .A = A,
                         .Phi = step->x.Phi_z,
                         .A_at = at,
                         .Phi_at = &step->x.Phi_at,
                         .Phi_packed = step->x.Phi_packed,
                         .lu = lu,
                         .nextra = extra ? s->m->nvelocity_row : 0,
                         .extra = extra,
                         .alpha = matrices_penalty(&step->x, at, A),
                         .near_singular = &step->x.near_singular,
                         .transposed = 1,
                         .at_least = EXTRA_ITERATIONS,
                         .accepted = 1e-6, /* the scheme is off by more */
                         .what = "continuous adjoint"};
  s->stats.factorizations++;
  return matrices_factor(s, &step->x, at, extra ? ali3p_matrix_of_rows(s, system->alpha, NULL) : A, system->alpha, NULL,
                         lu, "a matrix of the continuous adjoint cannot be factored", err);
}

/* The multipliers that go with zdd: M x + Phi_z' lam = -r, where x is what zdd has left of the equations of motion. */
static mbd_status solve_multipliers(mbd_sim *s, node *at, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const ali3p_node *memory = &step->adjoint;
  const int n = step->n, m = step->m;
  mbd_real *lam = memory->lam;
  step->mech->residual(s, memory->r);
  for (int j = 0; j < n; j++) { memory->r[j] = -memory->r[j]; }
  adjoint_zero((size_t)m, memory->zero_rows);
  adjoint_zero((size_t)m, lam);
  at->lam = lam;
  const mbd_status status =
      mbd_saddle_solve(&at->mass, 1, memory->r, memory->zero_rows, memory->x, lam, memory->step, memory->rg, err);
  /* x is nearly zero, so the size of zdd is its measure. */
  const double left = mbd_norm_inf(n, memory->x), size = 1 + mbd_norm_inf(n, s->now.zdd);
  return status == MBD_SINGULAR && left <= 1e-9 * size ? MBD_OK : status;
}

/* Psid_z, Psid_zd and E of velocity constraints, whose rows that are left out are zero. Returns NULL without them. */
static const mbd_real *velocity_slopes(mbd_sim *s, const node *at) {
  ali3p *step = ali3p_of(s);
  const ali3p_node *memory = &step->adjoint;
  mbd_real *E = step->tangent.E;
  if (s->m->nvelocity == 0) { return NULL; }
  step->mech->velocity_rows(s, step->newton.weights, E, memory->Psid_z, memory->Psid_zd);
  for (int i = 0; i < s->m->nvelocity_row * step->n; i++) {
    if (s->nleft_out > 0 && s->left_out[i / step->n]) { memory->Psid_z[i] = memory->Psid_zd[i] = 0; }
    E[i] = at->later * (memory->Psid_zd[i] + at->later * memory->Psid_z[i]);
  }
  return E;
}

static mbd_status ali3p_continuous_evaluate(mbd_sim *s, int k, node *at, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  ali3p_tangent *tangent = &step->tangent;
  at->later = k < s->nsteps ? s->h / 2 : 0;
  at->earlier = k > 0 ? s->h / 2 : 0;
  step->mech->place(s);
  step->mech->move(s, s->now.zd, s->now.zdd, 1);
  step->mech->rows(s, &step->x, NULL);
  step->mech->mass(s, &step->x, step->x.M);
  MBD_TRY(ali3p_continuous_factor(s, step->x.M, NULL, &step->x.M_at, &step->x.mass, &at->mass, err));
  MBD_TRY(solve_multipliers(s, at, err));
  step->mech->tangent(s, at->lam, &step->x, tangent->K, tangent->C, NULL);
  matrices_sum(&step->x, 1, at->later, tangent->C, at->later * at->later, tangent->K, tangent->T0);
  const mbd_real *E = velocity_slopes(s, at);
  return ali3p_continuous_factor(s, tangent->T0, E, &step->x.K_at, &tangent->lu, &at->step, err);
}

/* block += scale J' mu */
static void add_back(const mbd_sim *s, const sim_adjoint *a, mbd_real scale, const mbd_real *J, const mbd_real *mu,
                     mbd_real *block) {
  const ali3p *step = ali3p_of(s);
  mbd_mulT_add_at(step->n, step->n, a->npsi, scale, J, &step->x.K_at, mu, block);
}

/* block += scale Psi' nu, rows Psi [nvelocity_row][nz] of velocity constraints, nu those of a->nu */
static void add_rows_back(const mbd_sim *s, const sim_adjoint *a, mbd_real scale, const mbd_real *Psi,
                          mbd_real *block) {
  const int np = a->npsi, n = ali3p_of(s)->n;
  if (s->m->nvelocity > 0) {
    mbd_mulT_add(s->m->nvelocity_row, n, np, scale, Psi, a->nu + s->velocity_row * np, block);
  }
}

/* ---- the objectives at a node ---- */

/* g_z, g_zd := derivatives of the weighted terms by z and zd, including those through zdd and lam. by_accel += the adjoint variables mu
 * of that dependence; their part in the derivatives by coefficients is added later. */
static mbd_status ali3p_continuous_objectives(mbd_sim *s, sim_adjoint *a, const node *at, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const ali3p_node *memory = &step->adjoint;
  const int m = step->m, np = a->npsi, size = step->n * np;
  adjoint_zero((size_t)size, a->zdd), adjoint_zero((size_t)m * (size_t)np, a->lam);
  adjoint_zero((size_t)size, memory->g_z), adjoint_zero((size_t)size, memory->g_zd);
  MBD_TRY(step->mech->outputs_back(s, a, err));
  adjoint_step_to_state(s, a);
  step->mech->read(s, a, 2, a->zdd);
  /* Objectives of accelerations and reactions depend on z, zd by the equations of motion: [M Phi_z'; Phi_z 0] [mu; nu] = [by zdd; by
   * lam]. */
  MBD_TRY(adjoint_solve(a, &at->mass, a->zdd, a->lam, err));
  /* The part -Phidd' nu, in reverse sweeps. */
  step->mech->rows_back(s, a, (const double[3]){0, 0, 1});
  step->mech->read(s, a, 0, memory->g_z);
  step->mech->read(s, a, 1, memory->g_zd);
  step->mech->end_back(a);
  /* The parts -K' mu and -C' mu. */
  add_back(s, a, -1, step->tangent.K, a->mu, memory->g_z);
  add_back(s, a, -1, step->tangent.C, a->mu, memory->g_zd);
  mbd_axpy(size, 1, a->mu, memory->by_accel);
  return MBD_OK;
}

/* Begins at the end of the run, where p and v are the derivatives of the terminal terms. All other terms are integrals over time, to which each node
 * adds its part. */
static mbd_status ali3p_continuous_begin_at_end(mbd_sim *s, sim_adjoint *a, const node *at, mbd_error *err) {
  const ali3p *step = ali3p_of(s);
  const int size = step->n * a->npsi;
  quadrature_weights(s, s->nsteps, 0, 1);
  MBD_TRY(ali3p_continuous_objectives(s, a, at, err));
  mbd_axpy(size, 1, step->adjoint.g_z, a->z);
  mbd_axpy(size, 1, step->adjoint.g_zd, a->zd);
  return MBD_OK;
}

/* ---- the step ---- */

/* Computes the half step of the adjoint that ends at this node: (2). */
static mbd_status arrive(mbd_sim *s, sim_adjoint *a, const node *at, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const int m = step->m, np = a->npsi, size = step->n * np;
  const double part = at->later / (at->later + at->earlier);
  mbd_axpy(size, part, step->adjoint.g_z, a->z);
  mbd_axpy(size, part, step->adjoint.g_zd, a->zd);
  mbd_axpy(size, at->later, a->z, a->zd);
  adjoint_zero((size_t)m * (size_t)np, a->g);
  MBD_TRY(adjoint_solve(a, &at->step, a->zd, a->g, err));
  add_back(s, a, -at->later, step->tangent.K, a->mu, a->z);
  add_rows_back(s, a, -at->later, step->adjoint.Psid_z, a->z);
  return MBD_OK;
}

/* p and the coefficients lose beta . Phid + gamma . Phi; the coefficients nu . Psid, with nu alone in a->nu from here on. */
static void keep_to_constraints(mbd_sim *s, sim_adjoint *a, const node *at) {
  const ali3p *step = ali3p_of(s);
  const size_t positions = (size_t)s->velocity_row * (size_t)a->npsi,
               velocities = (size_t)step->m * (size_t)a->npsi - positions;
  const double rate = at->later > 0 ? 1 / (2 * at->later) : 0; /* gamma/beta; the end has no step behind it */
  step->mech->begin_back(s, a);
  if (velocities > 0) {
    memcpy(step->adjoint.nu, a->nu + positions, velocities * sizeof *a->nu);
    adjoint_zero(velocities, a->nu + positions);
  }
  step->mech->rows_back(s, a, (const double[3]){rate, 1, 0});
  step->mech->read(s, a, 0, a->z);
  if (velocities == 0) { return; }
  adjoint_zero(positions, a->nu);
  memcpy(a->nu + positions, step->adjoint.nu, velocities * sizeof *a->nu);
  step->mech->rows_back(s, a, (const double[3]){0, 0, at->later + at->earlier});
}

/* The coefficients lose mu . (r + Phi_z' lam), of both halves and of the accelerations of the objectives; beside the
 * constraints, in the same reverse sweeps. */
static void ali3p_continuous_reverse_motion(mbd_sim *s, sim_adjoint *a, const node *at) {
  const ali3p *step = ali3p_of(s);
  mbd_axpy(step->n * a->npsi, at->later + at->earlier, a->mu, step->adjoint.by_accel);
  const int geometry = a->theta[0]->any_geometry; /* the same coefficients are wanted of all objectives */
  if (geometry) { step->mech->linearize(s, a, at->lam, NULL); }
  step->mech->residual_back(s, a, step->adjoint.by_accel, geometry ? at->lam : NULL);
  step->mech->end_back(a);
}

/* Computes the half step of the adjoint that begins at this node: v + h/2 (g_zd + p - C' mu), then p + h/2 (g_z - K' mu). */
static void leave(mbd_sim *s, sim_adjoint *a, const node *at) {
  ali3p *step = ali3p_of(s);
  const int size = step->n * a->npsi;
  const double part = at->earlier / (at->later + at->earlier);
  adjoint_zero((size_t)size, a->zd);
  mbd_mulT_add_at(step->n, step->n, a->npsi, 1, step->x.M, &step->x.M_at, a->mu, a->zd);
  if (s->m->nvelocity > 0) { matrices_phi_mulT_add(&step->x, a->npsi, 1, a->nu, a->zd); }
  add_back(s, a, -at->earlier, step->tangent.C, a->mu, a->zd);
  add_rows_back(s, a, -at->earlier, step->adjoint.Psid_zd, a->zd);
  mbd_axpy(size, at->earlier, a->z, a->zd);
  mbd_axpy(size, part, step->adjoint.g_zd, a->zd);
  add_back(s, a, -at->earlier, step->tangent.K, a->mu, a->z);
  add_rows_back(s, a, -at->earlier, step->adjoint.Psid_z, a->z);
  mbd_axpy(size, part, step->adjoint.g_z, a->z);
}

mbd_status ali3p_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  const ali3p *step = ali3p_of(s);
  node q;
  MBD_TRY(ali3p_continuous_evaluate(s, k, &q, err));
  if (k == 0) { step->mech->outputs(s); } /* no step has computed the outputs of the start */
  adjoint_zero((size_t)step->n * (size_t)a->npsi, step->adjoint.by_accel);
  if (k == s->nsteps) { MBD_TRY(ali3p_continuous_begin_at_end(s, a, &q, err)); }
  quadrature_weights(s, k < s->nsteps ? k : -1, sim_weight(s, k), 0);
  MBD_TRY(ali3p_continuous_objectives(s, a, &q, err));
  MBD_TRY(arrive(s, a, &q, err));
  keep_to_constraints(s, a, &q);
  ali3p_continuous_reverse_motion(s, a, &q);
  leave(s, a, &q);
  return MBD_OK;
}
