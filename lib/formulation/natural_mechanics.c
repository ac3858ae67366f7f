/* The mechanism of the state-space family in natural coordinates (natural_matrix_r.h): M constant, r = M qdd - Q. And the dynamic problem
 *   M x + Phi_q' y = f,  Phi_q x = g:     x = S g + R w,   (R' M R) w = R'(f - M S g),     y = S'(f - M x)
 * Equations: theory.md §5.3 (5.7a). */
#include <stdlib.h>
#include <string.h>

#include "formulation/natural_matrix_r.h"
#include "objective/objectives.h"

static natural_matrix_r *owner_of(const mbd_sim *s) {
  return ss_of(s)->owner;
}

static void negate(int n, mbd_real *x) {
  for (int i = 0; i < n; i++) { x[i] = -x[i]; }
}

static mbd_status choice(mbd_sim *s, int kmax, independent **out, mbd_error *err) {
  return natural_independent_create(&owner_of(s)->base, ss_of(s)->most_free, kmax, out, err);
}

/* Does nothing, since all functions read s->now. */
static void nothing(mbd_sim *s) {
  (void)s;
}

/* Computes the joint coordinates of a state between nodes; their guess is extrapolated from the last node of the run. */
static mbd_status show(mbd_sim *s, mbd_sim **seen, mbd_error *err) {
  natural_matrix_r *own = owner_of(s);
  mbd_sim *run = *seen = own->run;
  const sim_state before = run->before;
  const double h = run->h;
  run->t = s->t;
  run->before.z = own->z_stage, run->before.zd = own->zd_stage, run->before.zdd = own->zdd_stage;
  run->h = mbd_re(s->t) - own->t_node;
  mbd_status status = natural_write_back(run, err);
  run->before = before, run->h = h;
  if (status == MBD_OK && s->np > 0) { status = natural_sens_joints(run, err); }
  return status;
}

static void outputs(mbd_sim *s) {
  mbd_sim *run = owner_of(s)->run;
  motion_place(run->w, run->p, run->t, run->now.z);
  motion_move(run->w, run->now.zd, run->now.zdd, 1);
  quadrature_outputs(run);
}

static void phi_t(mbd_sim *s, mbd_real *x) {
  natural_phi_t(owner_of(s)->base.v, s->t, s->now.z, x);
}

static void sides(mbd_sim *s, mbd_real *f, mbd_real *g) {
  const natural_params *v = owner_of(s)->base.v;
  const int n = ss_of(s)->n;
  memset(s->now.zdd, 0, (size_t)n * sizeof *s->now.zdd);
  memset(f, 0, (size_t)n * sizeof *f);
  natural_weight_add(v, f);
  natural_forces_add(v, s->t, s->now.z, s->now.zd, f);
  negate(n, f);
  natural_phidd(v, s->t, s->now.z, s->now.zd, s->now.zdd, g);
}

/* zp, zdp: NULL, since `times` has their part. */
static void direction(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp, mbd_real *dphi, mbd_real *dphid,
                      mbd_real *dr, mbd_real *dphidd) {
  natural_matrix_r *own = owner_of(s);
  const natural_params *v = own->base.v;
  const sim_state *now = &s->now;
  const int n = ss_of(s)->n;
  const natural_along to = {.d = s->d[k],
                            .dv = own->base.sens.dv[k],
                            .dt = s->stretch[k] * s->t,
                            .moves = own->base.sens.moves + (size_t)k * (size_t)natural_moves(own->base.n)};
  (void)zp, (void)zdp;
  natural_rows_direction(v, s->t, now->z, now->zd, now->zdd, &to, dphi, dphid, dphidd);
  if (!dr) { return; }
  memset(dr, 0, (size_t)n * sizeof *dr);
  natural_weight_direction(v, &to, dr);
  natural_forces_direction(v, s->t, now->z, now->zd, &to, dr);
  negate(n, dr);
  natural_mass_direction(v, &to, now->zdd, dr);
  natural_reactions_direction(v, s->t, now->z, now->lam, &to, dr);
}

/* ---- reverse passes, one objective after another ---- */

static natural_pull begin_pull(mbd_sim *s, const sim_adjoint *a, int k) {
  natural_matrix_r *own = owner_of(s);
  const size_t bytes = (size_t)ss_of(s)->n * sizeof *own->x;
  memset(own->x, 0, bytes), memset(own->xd, 0, bytes);
  return (natural_pull){
      .theta = a->theta[k], .by = own->base.back.by[k], .q = own->x, .qd = own->xd, .qdd = own->unused};
}

static void end_pull(const mbd_sim *s, sim_adjoint *a, int k) {
  const natural_matrix_r *own = owner_of(s);
  adjoint_add(ss_of(s)->n, a->npsi, k, own->x, a->z);
  adjoint_add(ss_of(s)->n, a->npsi, k, own->xd, a->zd);
}

static void motion_back(mbd_sim *s, sim_adjoint *a) {
  const natural_matrix_r *own = owner_of(s);
  const natural_params *v = own->base.v;
  const sim_state *now = &s->now;
  const int n = ss_of(s)->n, m = ss_of(s)->m;
  for (int k = 0; k < a->npsi; k++) {
    const natural_pull to = begin_pull(s, a, k);
    adjoint_get(n, a->npsi, k, 1, a->mu, own->mu);
    adjoint_get(m, a->npsi, k, -1, a->nu, own->nu);
    natural_forces_pull(v, s->t, now->z, now->zd, own->mu, &to);
    natural_weight_pull(v, own->mu, &to);
    negate(n, own->mu);
    natural_mass_pull(v, own->mu, now->zdd, &to);
    natural_reactions_pull(v, s->t, now->z, now->lam, own->mu, &to);
    natural_rows_pull(v, s->t, now->z, now->zd, now->zdd, NULL, NULL, own->nu, &to);
    end_pull(s, a, k);
  }
}

static void rows_back(mbd_sim *s, sim_adjoint *a, int order) {
  const natural_matrix_r *own = owner_of(s);
  const sim_state *now = &s->now;
  for (int k = 0; k < a->npsi; k++) {
    const natural_pull to = begin_pull(s, a, k);
    adjoint_get(ss_of(s)->m, a->npsi, k, -1, a->nu, own->nu);
    natural_rows_pull(own->base.v, s->t, now->z, now->zd, now->zdd, order == 0 ? own->nu : NULL,
                      order == 1 ? own->nu : NULL, NULL, &to);
    end_pull(s, a, k);
  }
}

static void no_sweeps(const mbd_sim *s, sim_adjoint *a) {
  (void)s, (void)a;
}

static void nothing_to_read(mbd_sim *s, sim_adjoint *a, int order, mbd_real *block) {
  (void)s, (void)a, (void)order, (void)block;
}

static void nothing_left(sim_adjoint *a) {
  (void)a;
}

/* Adds the derivatives of the objectives, which depend on the joint coordinates of the run. */
static mbd_status outputs_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  natural_matrix_r *own = owner_of(s);
  natural_back *b = &own->base.back;
  mbd_sim *run = own->run;
  sim_adjoint *joint = run->adjoint;
  const int n = ss_of(s)->n;
  motion_place(run->w, run->p, run->t, run->now.z);
  motion_move(run->w, run->now.zd, run->now.zdd, 1);
  natural_no_joints(run, joint);
  MBD_TRY(natural_outputs_back(run, joint, err));
  for (int k = 0; k < a->npsi; k++) {
    const size_t at = (size_t)k * (size_t)n, bytes = (size_t)n * sizeof *b->q;
    memset(b->q + at, 0, bytes), memset(b->qd + at, 0, bytes), memset(b->qdd + at, 0, bytes);
    MBD_TRY(natural_joints_back(run, joint, k, b->q + at, b->qd + at, b->qdd + at, err));
    adjoint_add(n, a->npsi, k, b->q + at, a->z);
    adjoint_add(n, a->npsi, k, b->qd + at, a->zd);
    adjoint_add(n, a->npsi, k, b->qdd + at, a->zdd);
  }
  natural_no_joints(run, joint);
  return MBD_OK;
}

/* ---- implicit steps ---- */

static void linearize(mbd_sim *s, int newton) {
  const natural_matrix_r *own = owner_of(s);
  const natural_system *system = own->base.system;
  const natural_params *v = own->base.v;
  const sim_state *now = &s->now;
  const size_t bytes = (size_t)system->count * sizeof *own->K;
  (void)newton;
  memset(own->K, 0, bytes), memset(own->C, 0, bytes);
  natural_add_slopes(system, v, s->t, now->z, now->zd, now->lam, 1, 0, own->K);
  natural_add_slopes(system, v, s->t, now->z, now->zd, NULL, 0, 1, own->C);
  natural_rates_q(v, s->t, now->z, now->zd, now->zdd, own->Phid_q, own->Phidd_q);
}

static void times(mbd_sim *s, int k, const mbd_real *z, const mbd_real *zd, mbd_real *f, mbd_real *g) {
  const natural_matrix_r *own = owner_of(s);
  const natural *n = own->base.n;
  const mbd_packed K = natural_packed(own->base.system, own->K), C = natural_packed(own->base.system, own->C);
  const mbd_packed Phid_q = {n->first, n->col, own->Phid_q, NULL}, Phidd_q = {n->first, n->col, own->Phidd_q, NULL};
  if (!zd) {
    mbd_packed_mul_add(n->nphi, k, -1, &Phid_q, z, g);
    return;
  }
  mbd_packed_mul_add(n->nq, k, -1, &K, z, f);
  mbd_packed_mul_add(n->nq, k, -1, &C, zd, f);
  mbd_packed_mul_add(n->nphi, k, -1, &Phidd_q, z, g);
  mbd_packed_mul_add(n->nphi, k, -2, &Phid_q, zd, g);
}

const ss_mechanics ss_natural = {.choice = choice,
                                 .place = nothing,
                                 .move = nothing,
                                 .show = show,
                                 .outputs = outputs,
                                 .phi_t = phi_t,
                                 .sides = sides,
                                 .direction = direction,
                                 .begin_back = no_sweeps,
                                 .outputs_back = outputs_back,
                                 .motion_back = motion_back,
                                 .rows_back = rows_back,
                                 .read = nothing_to_read,
                                 .end_back = nothing_left,
                                 .linearize = linearize,
                                 .times = times};

/* ---- R'MR ---- */

static const double accepted = 1e-9; /* residual of a solution, relative to its right-hand sides */

typedef struct projected {
  mbd_real *MR;  /* [nq][nf] */
  mbd_real *RMR; /* [nf][nf] factors */
  int *piv;
  mbd_real *e, *w; /* [nq][k], [nf][k] */
  mbd_real *none;  /* [nf][k] */
  mbd_arena arena;
} projected;

static natural_independent *kin_of(const mbd_sim *s) {
  return (natural_independent *)ss_of(s)->kin;
}

static mbd_status create(mbd_sim *s, void **own, mbd_error *err) {
  const size_t n = (size_t)ss_of(s)->n + 1, nf = (size_t)ss_of(s)->most_free + 1, k = (size_t)ss_columns(s);
  projected *q = calloc(1, sizeof *q);
  *own = q;
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for Matrix R"); }
  while (mbd_arena_pass(&q->arena)) {
    q->MR = mbd_arena_real(&q->arena, n * nf), q->RMR = mbd_arena_real(&q->arena, nf * nf);
    q->piv = mbd_arena_take(&q->arena, nf * sizeof *q->piv);
    q->e = mbd_arena_real(&q->arena, n * k);
    MBD_ARENA_REALS(&q->arena, nf * k, &q->w, &q->none);
  }
  return mbd_arena_check(&q->arena, "Matrix R", err);
}

static void destroy(void *own) {
  projected *q = own;
  free(q->arena.base);
  free(q);
}

static mbd_packed mass_of(const mbd_sim *s) {
  return owner_of(s)->base.M_packed;
}

static mbd_status factor(mbd_sim *s, void *own, mbd_error *err) {
  projected *q = own;
  const int n = ss_of(s)->n, nf = ss_of(s)->kin->nf;
  const mbd_packed M = mass_of(s);
  const mbd_real *R = natural_independent_R(kin_of(s));
  memset(q->MR, 0, (size_t)n * (size_t)nf * sizeof *q->MR);
  memset(q->RMR, 0, (size_t)nf * (size_t)nf * sizeof *q->RMR);
  mbd_packed_mul_add(n, nf, 1, &M, R, q->MR);
  mbd_mulT_add(n, nf, nf, 1, R, q->MR, q->RMR);
  if (nf == 0 || mbd_lu_factor(nf, q->RMR, q->piv) == MBD_OK) { return MBD_OK; }
  MBD_FAIL(err, MBD_SINGULAR,
           "the mass matrix is singular on the motions that the constraints allow: a coordinate moves without inertia");
}

static mbd_status solve(mbd_sim *s, void *own, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                        mbd_error *err) {
  projected *q = own;
  natural_independent *kin = kin_of(s);
  const int n = ss_of(s)->n, nf = kin->base.nf;
  const size_t bytes = (size_t)n * (size_t)k * sizeof *f, of_w = (size_t)nf * (size_t)k * sizeof *f;
  const mbd_packed M = mass_of(s);
  const mbd_real *R = natural_independent_R(kin);
  /* x = S g. */
  independent_solve(&kin->base, k, g, NULL, x);
  /* (R' M R) w = R' (f - M S g), x += R w, theory.md §5.3 (5.7a). */
  /* y = S' (f - M x). R' (f - M x) would be zero without rounding: its size tells whether the solution is accurate. */
  memcpy(q->e, f, bytes);
  mbd_packed_mul_add(n, k, -1, &M, x, q->e);
  memset(q->w, 0, of_w);
  mbd_mulT_add(n, nf, k, 1, R, q->e, q->w);
  const double sides_of = mbd_norm_inf(nf * k, q->w) + mbd_norm_inf(n * k, f);
  mbd_lu_solve(nf, q->RMR, q->piv, k, q->w);
  mbd_mul_add(n, nf, k, 1, R, q->w, x);
  memcpy(q->e, f, bytes);
  mbd_packed_mul_add(n, k, -1, &M, x, q->e);
  independent_solve_T(&kin->base, k, q->e, y, q->none);
  const double left = mbd_norm_inf(nf * k, q->none);
  if (left <= accepted * sides_of) { return MBD_OK; }
  if (isnan(left)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
  MBD_FAIL(err, MBD_SINGULAR,
           "accelerations in independent natural coordinates are not exact: a residual of %.3g of the forces (a nearly "
           "singular position: formulation = ali3p)",
           left / sides_of);
}

const ss_ops ss_natural_projected = {.create = create, .destroy = destroy, .factor = factor, .solve = solve};
