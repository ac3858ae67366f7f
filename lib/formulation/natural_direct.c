/* Direct differentiation of ALI3-P in natural coordinates: every equation of the step differentiated at the converged state, on its own
 * factors, along the directions of the run (S0 §4 on q, with the constant mass matrix). With ' the change along a direction, v_, a_ the
 * parts of v*', a*' that the node before has fixed, and dq' = q' - q_':
 *   T dq' + Phi_q' lam' = -(C v_ + M a_ + K q_' + r_theta),     Phi_q dq' = -Phi_theta - Phi_q q_'
 *   M qd' + Phi_q' sigma' = M v*' - (M' (qd - v*) + (Phi_q' sigma)'),     Phi_q qd' = -(Phid' at fixed qd)
 * and the same of qdd with a*, kappa, Phidd. Then the state in joint coordinates: of the bases x of all bodies, which are in q, the bodies
 * say x = x(z; theta), and x_z is also the derivative of xd by zd and of xdd by zdd, so
 *   x_z z' = x' - x_theta,   x_z zd' = xd' - (xd)' of (theta, z'),   x_z zdd' = xdd' - (xdd)' of (theta, z', zd')
 * joint by joint from the motions of its two bodies (lib/natural/joints.c), with the rates of |e|^2 = 1 of Euler parameters. */
#include <string.h>

#include "formulation/mass.h"
#include "formulation/natural_ali3p.h"

static void get_column(int n, int np, int k, const mbd_real *block, mbd_real *column) {
  for (int i = 0; i < n; i++) { column[i] = block[i * np + k]; }
}
static void put_column(int n, int np, int k, mbd_real scale, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] = scale * column[i]; }
}

static void add_column(int n, int np, int k, mbd_real scale, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] += scale * column[i]; }
}

/* Returns direction k of the coefficients. */
static natural_along along(const mbd_sim *s, int k) {
  const natural_ali3p *own = natural_ali3p_of(s);
  const size_t from = (size_t)k * (size_t)natural_moves(own->n);
  return (natural_along){
      .d = s->d[k], .dv = own->sens.dv[k], .dt = s->stretch[k] * s->t, .moves = own->sens.moves + from};
}

/* ---- the start ---- */

/* Differentiates natural_take along direction k, with columns of the state in joint coordinates; NULL: held. */
static void take_along(mbd_sim *s, int k, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dzdd) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_sens *q = &own->sens;
  motion_along(s->w, s->d[k], dz, dzd, dzdd);
  natural_take_direction(own->v, s->d[k], q->dv[k], s->w, q->dq, q->dqd, q->dqdd);
}

/* Computes the same for the bases of the bodies. */
static void bases_along(mbd_sim *s, int k, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dzdd) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_sens *q = &own->sens;
  motion_along(s->w, s->d[k], dz, dzd, dzdd);
  natural_bases_direction(own->v, s->d[k], q->dv[k], s->w, q->x, q->xd, q->xdd);
}

void natural_sens_begin(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_sens *q = &own->sens;
  const int n = own->n->nq, nz = s->m->nz, np = s->np;
  for (int k = 0; k < np; k++) {
    natural_params_direct(own->v, s->d[k], q->dv[k]);
    natural_find_moves(own->v, s->d[k], q->dv[k], s->c.free_duration > 0,
                       q->moves + (size_t)k * (size_t)natural_moves(own->n));
    get_column(nz, np, k, s->sens.z, q->dz), get_column(nz, np, k, s->sens.zd, q->dzd);
    get_column(nz, np, k, s->sens.zdd, q->dzdd);
    take_along(s, k, q->dz, q->dzd, q->dzdd);
    put_column(n, np, k, 1, q->dq, q->q), put_column(n, np, k, 1, q->dqd, q->qd);
    put_column(n, np, k, 1, q->dqdd, q->qdd);
  }
  if (s->scheme.has_acc) { memcpy(q->acc, q->qdd, (size_t)n * (size_t)np * sizeof *q->acc); }
}

/* ---- the motion ---- */

mbd_status natural_sens_motion(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_sens *q = &own->sens;
  const mbd_scheme *scheme = &s->scheme;
  const int n = own->n->nq, m = own->n->nphi, np = s->np;
  const size_t size = (size_t)n * (size_t)np, rows = (size_t)m * (size_t)np;
  const sim_state before = {.zd = own->before.qd, .zdd = own->before.qdd, .acc = own->before.acc};
  /* The tangent at the solution and its factors are those of the step. */
  natural_solver memory;
  mbd_saddle system =
      natural_system_of(s, &memory, own->T, own->Phi_T, &own->T_lu, own->alpha_T, "sensitivities of the time step");
  system.predict = 1;
  /* Contributions of the previous node: v_, a_ of v*', a*', and the part of a stretched step, theory.md §7.4 (7.8). */
  scheme_history(scheme, size, q->qd, q->qdd, q->acc, q->vs, q->as);
  sim_stretch_history(s, n, &before, own->vs, own->as, q->vs, q->as);
  scheme_carry_acc(scheme, size, q->qdd, q->acc, q->acc);
  /* Right-hand sides, theory.md §7.1 (7.1), for all directions at once: the parts of q_', v_ and a_, */
  const mbd_packed K = natural_packed(own->system, own->K), C = natural_packed(own->system, own->C);
  memset(q->side, 0, size * sizeof *q->side), memset(q->row_side, 0, rows * sizeof *q->row_side);
  mbd_packed_mul_add(n, np, -1, &K, q->q, q->side);
  mbd_packed_mul_add(n, np, -1, &C, q->vs, q->side);
  mbd_packed_mul_add(n, np, -1, &own->M_packed, q->as, q->side);
  mbd_packed_mul_add(m, np, -1, &memory.Phi, q->q, q->row_side);
  /* and for one direction after the other the part of its coefficients: -(M a* - Q + Phi_q' lam)_theta theta', -Phi_theta theta'. */
  for (int k = 0; k < np; k++) {
    const natural_along to = along(s, k);
    memset(q->dr, 0, (size_t)n * sizeof *q->dr);
    natural_weight_direction(own->v, &to, q->dr);
    natural_forces_direction(own->v, s->t, own->now.q, own->vs, &to, q->dr);
    for (int j = 0; j < n; j++) { q->dr[j] = -q->dr[j]; }
    natural_mass_direction(own->v, &to, own->as, q->dr);
    natural_reactions_direction(own->v, s->t, own->now.q, own->now.lam, &to, q->dr);
    natural_rows_direction(own->v, s->t, own->now.q, own->vs, own->as, &to, q->dphi, NULL, NULL);
    add_column(n, np, k, -1, q->dr, q->side), add_column(m, np, k, -1, q->dphi, q->row_side);
  }
  /* T dq' + Phi_q' lam' = side, Phi_q dq' = row_side; then q' = q_' + dq', v*' = v_ + c dq', a*' = a_ + a dq'. */
  memset(q->mult, 0, rows * sizeof *q->mult);
  MBD_TRY(mbd_saddle_solve(&system, np, q->side, q->row_side, q->moved, q->mult, q->step, q->rest, err));
  for (size_t i = 0; i < size; i++) {
    q->q[i] += q->moved[i];
    q->vs[i] += scheme->c * q->moved[i];
    q->as[i] += scheme->a * q->moved[i];
  }
  return MBD_OK;
}

/* ---- the projections ---- */

/* Computes the right-hand sides of one differentiated projection, the parts of q' and qd': side := M star' - (Phi_q' mult)_q q',  row_side := -Phid_q
 * q' of velocities (order 1), -(Phidd_q q' + 2 Phid_q qd') of accelerations (2). */
static void project_sides(mbd_sim *s, int order, const mbd_real *mult, const mbd_real *starp) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_sens *q = &own->sens;
  const natural *n = own->n;
  const int np = s->np;
  const mbd_packed Phid_q = {n->first, n->col, q->Phid_q, NULL}, Phidd_q = {n->first, n->col, q->Phidd_q, NULL};
  memset(q->side, 0, (size_t)n->nq * (size_t)np * sizeof *q->side);
  memset(q->row_side, 0, (size_t)n->nphi * (size_t)np * sizeof *q->row_side);
  mbd_packed_mul_add(n->nq, np, 1, &own->M_packed, starp, q->side);
  natural_reactions_times(own->v, s->t, own->now.q, mult, np, -1, q->q, q->side);
  mbd_packed_mul_add(n->nphi, np, -1, order == 1 ? &Phid_q : &Phidd_q, q->q, q->row_side);
  if (order == 2) { mbd_packed_mul_add(n->nphi, np, -2, &Phid_q, q->qd, q->row_side); }
}

/* Solves for x' of one projection, from star' in block starp. */
static mbd_status project(mbd_sim *s, int order, const mbd_real *x, const mbd_real *star, const mbd_real *mult,
                          const mbd_real *starp, mbd_real *xp, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_sens *q = &own->sens;
  const natural_node *now = &own->now;
  const int n = own->n->nq, m = own->n->nphi, np = s->np;
  natural_solver memory;
  mbd_saddle system = natural_projection_system(s, &memory, "sensitivities of velocities or accelerations");
  system.predict = 1;
  project_sides(s, order, mult, starp);
  for (int j = 0; j < n; j++) { own->f[j] = star[j] - x[j]; }
  /* The parts of the coefficients: of M (x - x*) + Phi_q' mult, and of Phid or Phidd. */
  for (int k = 0; k < np; k++) {
    const natural_along to = along(s, k);
    memset(q->dr, 0, (size_t)n * sizeof *q->dr);
    natural_reactions_direction(own->v, s->t, now->q, mult, &to, q->dr);
    for (int j = 0; j < n; j++) { q->dr[j] = -q->dr[j]; }
    natural_mass_direction(own->v, &to, own->f, q->dr);
    natural_rows_direction(own->v, s->t, now->q, now->qd, order == 2 ? x : own->as, &to, NULL,
                           order == 1 ? q->dphi : NULL, order == 2 ? q->dphi : NULL);
    add_column(n, np, k, 1, q->dr, q->side), add_column(m, np, k, -1, q->dphi, q->row_side);
  }
  /* M x' + Phi_q' mult' = side, Phi_q x' = row_side. */
  memset(q->mult, 0, (size_t)m * (size_t)np * sizeof *q->mult);
  return mbd_saddle_solve(&system, np, q->side, q->row_side, xp, q->mult, q->step, q->rest, err);
}

mbd_status natural_sens_projection(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_sens *q = &own->sens;
  const natural_node *now = &own->now;
  natural_rates_q(own->v, s->t, now->q, now->qd, now->qdd, q->Phid_q, q->Phidd_q);
  MBD_TRY(project(s, 1, own->now.qd, own->vs, own->sv, q->vs, q->qd, err));
  MBD_TRY(project(s, 2, own->now.qdd, own->as, own->sa, q->as, q->qdd, err));
  scheme_close_acc(&s->scheme, (size_t)own->n->nq * (size_t)s->np, q->qdd, q->acc);
  return MBD_OK;
}

/* ---- joint coordinates ---- */

static mbd_real dot4(const mbd_real *a, const mbd_real *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* The value of e . x that |e| = 1 and its rates prescribe for the Euler parameters e from coordinate j on, with x = z', zd', zdd' (order
 * 0, 1, 2). */
static mbd_real norm_change(const mbd_sim *s, int order, int j) {
  const natural_sens *q = &natural_ali3p_of(s)->sens;
  if (order == 0) { return 0; }
  if (order == 1) { return -dot4(s->now.zd + j, q->dz + j); }
  return -2 * dot4(s->now.zd + j, q->dzd + j) - dot4(s->now.zdd + j, q->dz + j);
}

/* Computes the change of z, zd or zdd (order 0, 1, 2) along direction k, from column k of q', qd' or qdd' less what bases_along has left. */
static mbd_status find_column(mbd_sim *s, int order, int k, const mbd_real *block, const mbd_real *there, mbd_real *x,
                              mbd_error *err) {
  const natural_ali3p *own = natural_ali3p_of(s);
  const natural_sens *q = &own->sens;
  get_column(own->n->nq, s->np, k, block, q->dr);
  natural_bases_gather(own->n, order == 0 ? q->dv[k] : NULL, q->dr, q->gap);
  for (int j = 0; j < natural_bases_rows(own->n); j++) { q->gap[j] -= there[j]; }
  for (int i = 1; i < s->m->nb; i++) {
    const int e = s->m->joint[s->m->body[i].joint].ops->euler;
    q->norm[i] = e < 0 ? 0 : norm_change(s, order, s->m->body[i].z0 + e);
  }
  return natural_joints_change(own->v, s->w, own->now.q, q->gap, q->norm, own->X, x, err);
}

/* M x' + Phi_z' lam' = -(the change of r(z, zd, zdd + x) + Phi_z' lam),  Phi_z x' = -Phi_z' x, of find_reactions. */
static mbd_status reactions(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_sens *q = &own->sens;
  const int nz = s->m->nz, m = s->m->nphi, np = s->np;
  const motion_terms e = motion_equations(s->eq, s->now.lam), rows = {.rows = s->eq};
  if (!natural_reads_reactions(s)) { return MBD_OK; }
  for (int j = 0; j < nz; j++) { own->by_z[j] = s->now.zdd[j] + own->x_z[j]; }
  motion_move(s->w, s->now.zd, own->by_z, 1);
  for (int k = 0; k < np; k++) {
    get_column(nz, np, k, s->sens.z, q->dz), get_column(nz, np, k, s->sens.zd, q->dzd);
    get_column(nz, np, k, s->sens.zdd, q->dzdd);
    motion_along(s->w, s->d[k], q->dz, q->dzd, q->dzdd), motion_stretch(s->w, s->stretch[k]);
    motion_direction(s->w, &e, own->dz, NULL, NULL, NULL);
    put_column(nz, np, k, -1, own->dz, q->z_side);
  }
  for (int at_rest = 0; at_rest < 2; at_rest++) { /* less what time makes of Phid */
    memset(own->by_z, 0, (size_t)nz * sizeof *own->by_z);
    motion_move(s->w, at_rest ? own->by_z : own->x_z, own->by_z, 0);
    for (int k = 0; k < np; k++) {
      get_column(nz, np, k, s->sens.z, q->dz);
      motion_along(s->w, s->d[k], q->dz, NULL, NULL), motion_stretch(s->w, s->stretch[k]);
      motion_direction(s->w, &rows, NULL, NULL, own->none, NULL);
      for (int i = 0; i < m; i++) {
        const mbd_real before = at_rest ? q->z_row_side[i * np + k] : 0;
        q->z_row_side[i * np + k] = before + (at_rest ? own->none[i] : -own->none[i]);
      }
    }
  }
  mbd_saddle system = own->x.motion;
  system.predict = 1;
  return mbd_saddle_solve(&system, np, q->z_side, q->z_row_side, q->x_z, s->sens.lam, q->z_step, q->z_rest, err);
}

mbd_status natural_sens_joints(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_sens *q = &own->sens;
  const int nz = s->m->nz, np = s->np;
  for (int k = 0; k < np; k++) {
    bases_along(s, k, NULL, NULL, NULL);
    MBD_TRY(find_column(s, 0, k, q->q, q->x, q->dz, err));
    bases_along(s, k, q->dz, NULL, NULL);
    MBD_TRY(find_column(s, 1, k, q->qd, q->xd, q->dzd, err));
    bases_along(s, k, q->dz, q->dzd, NULL);
    MBD_TRY(find_column(s, 2, k, q->qdd, q->xdd, q->dzdd, err));
    put_column(nz, np, k, 1, q->dz, s->sens.z), put_column(nz, np, k, 1, q->dzd, s->sens.zd);
    put_column(nz, np, k, 1, q->dzdd, s->sens.zdd);
  }
  MBD_TRY(reactions(s, err));
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}
