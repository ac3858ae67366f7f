/* Exact Jacobians of the residual, K = dr/dz, C = dr/dzd, M = dr/dzdd, without three-index arrays: theory.md §3 (3.3), where
 * S0 (20), (25), (31) have such arrays; the torque sensitivities of S4 (16), (17).
 *
 * A coordinate j displaces all bodies beyond it by the twist b_j (work.h). The inertia wrench of such a body changes by
 *   dW = b_j x* W + I e_j + B c_j,      B x = V x* (I x) + x x* (I V) - I (V x x)
 * and of B only the columns for the angular part of x are not zero:
 *   B = [ 0 , -2 pf~ ; 0 , Bn ],        Bn = 2 w~ J - tr(J) w~ - 2 h~ v~,   pf = m v + w x h
 * I, pf, Bn and W add up over the bodies beyond a joint (`composite`), so with F the summed wrench of joint j
 *   column j, rows k at or before the joint:  K_kj = b_k . (b_j x* F + I e_j + B c_j),  C_kj = b_k . (I (c_j + bd_j) + B b_j)
 *   row j, columns k before the joint:        K_jk = e_k . I b_j + c_k . B' b_j,        C_jk = (c_k + bd_k) . I b_j + b_k . B' b_j
 * where b_j x* F drops out of the rows beyond (they turn with it), and twists b_k that bend within their own joint add
 * (db_k/dz_j) . F.
 *
 * Forces and reactions on one body alone have a wrench and slopes of the same form (kinematics/slopes.c): their wrenches are among F,
 * their D is a part of B, here with columns for the linear part of x too, and a displacement itself changes the wrench by K x,
 *   K_kj += b_k . K b_j,      K_jk += b_k . K' b_j */
#include <assert.h>
#include <string.h>

#include "dynamics/composite.h"
#include "dynamics/pairs.h"
#include "dynamics/parts.h"
#include "kinematics/chain.h"
#include "kinematics/sweep.h"

static void composite_init(const body_state *b, int moving, composite *c) {
  c->in = b->in;
  sv_copy(c->W, b->W);
  v3_copy(c->pf, b->p);
  if (moving) {
    velocity_block(&b->in, b->V, c->Bn);
  } else {
    memset(c->Bn, 0, sizeof c->Bn);
  }
}

/* c += d, given at the same point */
static void composite_add(composite *c, const composite *d, int moving) {
  sv_inertia_add(&c->in, &d->in);
  sv_add(c->W, d->W);
  if (!moving) { return; }
  v3_add(c->pf, c->pf, d->pf);
  for (int k = 0; k < 9; k++) { c->Bn[k] += d->Bn[k]; }
}

/* F += B x:  f -= 2 pf x xw,  n += Bn xw */
static void add_B(mbd_real F[6], const composite *c, const mbd_real x[6]) {
  mbd_real t[3];
  v3_cross(t, c->pf, x + 3);
  v3_axpy(F, -2, t);
  m3_vec_add(F + 3, c->Bn, x + 3);
}

/* B' x has an angular part only:  2 pf x xv + Bn' xw */
static void B_transposed(mbd_real out[3], const composite *c, const mbd_real x[6]) {
  mbd_real t[3];
  m3_Tvec(out, c->Bn, x + 3);
  v3_cross(t, c->pf, x);
  v3_axpy(out, 2, t);
}

static void column_wrenches(const composite *inertia, const column_state *column, column_wrench *u) {
  sv_inertia_mul(u->a, &inertia->in, column->b);
  sv_inertia_mul(u->z, &inertia->in, column->e);
  sv_cross_wrench_add(u->z, column->b, inertia->W);
  if (u->moving) {
    sv_inertia_mul(u->v, &inertia->in, column->cbd);
    add_B(u->v, inertia, column->b);
    add_B(u->z, inertia, column->c);
    B_transposed(u->Bb + 3, inertia, column->b);
  }
}

static void column_slopes(const mbd_work *w, int body, int column, column_wrench *u) {
  slopes_column s;
  slopes_of_column(w, body, column, &s);
  u->sloped = 1;
  sv_add(u->z, s.z);
  if (w->forces.slopes[body].damped) { sv_add(u->v, s.v); }
  if (w->model->body[body].parent <= 0) { return; } /* there is none to pair it with */
  sv_copy(u->Kb, s.Kb);
  if (w->forces.slopes[body].damped) { sv_add(u->Bb, s.Db); }
}

/* ---- pairs of coordinates ---- */

/* Moves a wrench from r of body i to the point of the chain. */
static inline void wrench_to(const mbd_work *w, int i, const mbd_real at[3], mbd_real F[6]) {
  mbd_real s[3];
  if (w->reference == MBD_RTDYN1) { return; }
  v3_sub(s, w->body[i].r, at);
  v3_cross_add(F + 3, s, F);
}

static void wrenches_to(const mbd_work *w, int i, const mbd_real at[3], column_wrench *u) {
  wrench_to(w, i, at, u->a), wrench_to(w, i, at, u->z);
  if (u->moving) { wrench_to(w, i, at, u->v); }
  if (u->sloped) { wrench_to(w, i, at, u->Kb), wrench_to(w, i, at, u->Bb); }
}

/* Adds what an amplitude causes by a node to what it causes by all of them, at the body of the beam. */
static void add_to_shape(mbd_work *w, int i, int j, column_wrench *u) {
  column_wrench *sum = &w->formed.shape[j];
  wrenches_to(w, i, w->body[w->model->body[i].parent].r, u);
  for (int k = 0; k < 6; k++) { sum->a[k] += u->a[k], sum->z[k] += u->z[k]; }
  for (int k = 0; u->moving && k < 6; k++) { sum->v[k] += u->v[k], sum->Bb[k] += u->Bb[k]; }
  if (!u->sloped) { return; }
  for (int k = 0; k < 6; k++) { sum->Kb[k] += u->Kb[k]; }
  for (int k = 0; !u->moving && k < 6; k++) { sum->Bb[k] += u->Bb[k]; }
  sum->sloped = 1;
}

/* The entries of K, C, M for each pair of an amplitude of a beam, whose clamped end is body i, and a coordinate nearer to the ground. */
static void pair_shapes(mbd_work *w, int i, mbd_real *K, mbd_real *C, mbd_real *M) {
  const mbd_beam *beam = &w->model->beam[w->model->body[i].flexible - 1];
  chain_hold(w, i, 1);
  for (int j = beam->z0; w->formed.chain.n > 0 && j < beam->z0 + beam->layout.n; j++) {
    column_wrench *u = &w->formed.shape[j];
    u->moving = w->moving && C;
    wrenches_to(w, i, w->formed.chain.r, u);
    pairs_with_chain(w, j, u, K, C, M);
  }
}

static void pair_within_joint(const mbd_work *w, const mbd_body *body, int j, const column_wrench *u, mbd_real *K,
                              mbd_real *C, mbd_real *M) {
  int n = w->model->nz;
  for (int k = body->z0; k < body->z0 + body->nz; k++) {
    const mbd_real *b = w->col[body->c0 + k - body->z0].b;
    const size_t at = mbd_entry(w->formed.K_at, n, k, j);
    K[at] += sv_dot(b, u->z);
    if (M) { M[mbd_entry(w->formed.M_at, n, k, j)] += sv_dot(b, u->a); }
    if (u->moving) { C[at] += sv_dot(b, u->v); }
  }
}

/* Computes the entries of K, C, M for each pair of a coordinate of body i and a coordinate of its joint or of a joint nearer to the ground. */
static void pair_joint(mbd_work *w, int i, mbd_real *K, mbd_real *C, mbd_real *M) {
  const mbd_body *body = &w->model->body[i];
  chain_hold(w, body->parent, 1);
  for (int j = body->z0; j < body->z0 + body->nz; j++) {
    const int column = body->c0 + j - body->z0;
    column_wrench u = {.moving = w->moving && C};
    column_wrenches(&w->comp[i], &w->col[column], &u);
    if (w->forces.slopes[i].any) { column_slopes(w, i, column, &u); }
    pair_within_joint(w, body, j, &u, K, C, M);
    if (body->before == 0) { continue; }
    if (w->model->joint[body->joint].beam) {
      add_to_shape(w, i, j, &u);
      continue;
    }
    wrenches_to(w, i, w->formed.chain.r, &u);
    pairs_with_chain(w, j, &u, K, C, M);
  }
}

static void composite_to_parent(mbd_work *w, int i, int parent) {
  mbd_real s[3];
  if (w->forces.slopes[i].any) { slopes_add_from(w, parent, i); }
  if (w->reference == MBD_RTDYN1) { /* the origin for both */
    composite_add(&w->comp[parent], &w->comp[i], w->moving);
    return;
  }
  v3_sub(s, w->body[i].r, w->body[parent].r);
  composite_add_from(&w->comp[parent], &w->comp[i], s, w->moving);
}

/* Initializes the composite of each body with its own inertia (zero if inertia = 0) and with the wrenches of the elements on it. */
static void composites_init(mbd_work *w, int inertia) {
  for (int i = 1; i < w->model->nb; i++) {
    composite *c = &w->comp[i];
    if (w->model->body[i].light) { continue; }
    if (inertia) {
      composite_init(&w->body[i], w->moving, c);
    } else {
      memset(c, 0, sizeof *c);
    }
    if (w->forces.slopes[i].any) {
      mbd_real arm[3];
      v3_sub(arm, w->body[i].g, w->body[i].r);
      sv_add_wrench_from(c->W, w->forces.slopes[i].F, arm);
    }
  }
}

static int slopes_on_any_body(const mbd_work *w) {
  for (int i = 1; i < w->model->nb; i++) {
    if (w->forces.slopes[i].any) { return 1; }
  }
  return 0;
}

void bodies_jacobian(mbd_work *w, int inertia, mbd_real *K, mbd_real *C, const mbd_nonzeros *M_at, mbd_real *M) {
  const mbd_model *m = w->model;
  if (!inertia && !slopes_on_any_body(w)) { return; }
  assert(C ? w->moving : !inertia || !w->moving); /* C is undefined in a work that takes velocities as zero */
  if (!inertia) { M = NULL; }
  if (M) { mbd_nonzeros_clear(m->nz, M_at, M); }
  sweep_columns(w);
  composites_init(w, inertia);
  beams_matrices(w, inertia, K, C, M);
  chain_begin(w);
  for (int d = m->nb - 1; d > 0; d--) {
    const int i = m->depth_first[d], parent = m->body[i].parent;
    if (m->body[i].light || (!inertia && !w->forces.slopes[i].any)) { continue; }
    if (m->body[i].flexible) { pair_shapes(w, i, K, C, M); }
    pair_joint(w, i, K, C, M);
    bend_within_joint(w, i, w->comp[i].W, K);
    if (parent > 0) { composite_to_parent(w, i, parent); }
    w->forces.slopes[i].any = 0;
  }
  if (M) { rotors_mass(w, M); }
}

/* ---- applied forces ---- */

/* 1: all arguments are coordinates, as those of the elasticity of a beam. */
static int on_coordinates(const mbd_lift *l) {
  int all = 1;
  for (int a = 0; a < l->narg; a++) { all &= l->arg[a].kind == MBD_ARG_COORDINATE; }
  return all;
}

static void coordinate_slopes(const mbd_work *w, const mbd_lift *l, const mbd_real (*F)[ELEMENT_ARG_MAX][9],
                              mbd_real *A) {
  for (int a = 0; a < l->narg; a++) {
    for (int b = 0; b < l->narg; b++) {
      if (mbd_none(F[a][b][0] != 0)) { continue; }
      A[mbd_entry(w->formed.K_at, w->model->nz, l->arg[a].b, l->arg[b].b)] -= F[a][b][0];
    }
  }
}

/* K -= x_z' (df/dx x_z + df/dxd xd_z) + f . x_zz,   C -= x_z' df/dxd x_z,   and f itself */
static void force_jacobian(mbd_work *w, const mbd_force *force, mbd_real (*f)[3], mbd_real *K, mbd_real *C,
                           mbd_real **kept) {
  const mbd_lift *l = &force->lift;
  const mbd_nonzeros *packed = w->formed.K_at;
  const int n = w->model->nz;
  mbd_arg_state state;
  mbd_element_input in;
  mbd_real F_x[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], F_xd[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  lift_block bx[ELEMENT_ARG_MAX * ELEMENT_ARG_MAX], bxd[ELEMENT_ARG_MAX * ELEMENT_ARG_MAX];
  mbd_blocks_zero(l->narg, F_x);
  mbd_blocks_zero(l->narg, F_xd);
  force_input(w, force, &state, &in);
  force->ops->f_x(&in, f, F_x, F_xd);
  if (*kept) { force_keep(force, CONST3(f), CONSTH(F_x), CONSTH(F_xd), kept); }
  if (l->body > 0) {
    slopes_add(w, l, &state, CONST3(f), CONSTH(F_x), CONSTH(F_xd), -1);
    return;
  }
  if (on_coordinates(l)) {
    coordinate_slopes(w, l, CONSTH(F_x), K);
    if (C) { coordinate_slopes(w, l, CONSTH(F_xd), C); }
    return;
  }
  lift_columns(w, l);
  lift_rate_columns(w, l, 0);
  const int nx = lift_blocks(l->narg, CONSTH(F_x), bx), nxd = lift_blocks(l->narg, CONSTH(F_xd), bxd);
  int pushed[ELEMENT_ARG_MAX] = {0}; /* arguments with a force that changes */
  for (int i = 0; i < nx; i++) { pushed[bx[i].a] = 1; }
  for (int i = 0; i < nxd; i++) { pushed[bxd[i].a] = 1; }
  for (int cj = 0; cj < l->ncol; cj++) {
    mbd_real df[ELEMENT_ARG_MAX][3], dfd[ELEMENT_ARG_MAX][3];
    mbd_args_zero(l->narg, df), mbd_args_zero(l->narg, dfd);
    for (int i = 0; i < nx; i++) {
      const int a = bx[i].a, b = bx[i].b;
      if (l->flag[b * l->ncol + cj]) { m3_vec_add(df[a], F_x[a][b], w->element.dx + lift_at(l, b, cj)); }
    }
    for (int i = 0; i < nxd; i++) {
      const int a = bxd[i].a, b = bxd[i].b;
      if (!l->flag[b * l->ncol + cj]) { continue; } /* not moved by this coordinate */
      m3_vec_add(df[a], F_xd[a][b], w->element.dxd + lift_at(l, b, cj));
      m3_vec_add(dfd[a], F_xd[a][b], w->element.dx + lift_at(l, b, cj));
    }
    for (int a = 0; a < l->narg; a++) {
      if (!pushed[a]) { continue; }
      for (int ck = 0, place = -1; ck < l->ncol; ck++) {
        const mbd_real *dx = w->element.dx + lift_at(l, a, ck);
        if (!l->flag[a * l->ncol + ck]) { continue; }
        const size_t at = entry_of_column(packed, n, l->col[ck], l->col[cj], &place);
        K[at] -= v3_dot(dx, df[a]);
        if (C) { C[at] -= v3_dot(dx, dfd[a]); }
      }
    }
  }
  second_add(w, l, (const mbd_real(*)[3])f, -1);
}

void forces_jacobian(mbd_work *w, mbd_real *K, mbd_real *C) {
  mbd_real *kept = w->forces.kept_slopes;
  for (int i = 0; i < w->model->nforce; i++) {
    force_jacobian(w, &w->model->force[i], w->forces.on_args[i], K, C, &kept);
  }
  w->forces.known = 1;
}

/* Computes the entries of M for each pair of a coordinate of body i and a coordinate of its joint or of a joint nearer to the ground. */
static void mass_of_joint(mbd_work *w, int i, mbd_real *M) {
  const mbd_body *body = &w->model->body[i];
  const int n = w->model->nz;
  chain_hold(w, body->parent, 0);
  for (int j = body->z0; j < body->z0 + body->nz; j++) {
    mbd_real a[6];
    const column_state *col = w->col + body->c0;
    sv_inertia_mul(a, &w->comp[i].in, col[j - body->z0].b);
    for (int k = body->z0; k < body->z0 + body->nz; k++) {
      M[mbd_entry(w->formed.M_at, n, k, j)] += sv_dot(col[k - body->z0].b, a);
    }
    if (body->before == 0) { continue; }
    if (w->model->joint[body->joint].beam) {
      wrench_to(w, i, w->body[body->parent].r, a);
      sv_add(w->formed.shape[j].a, a);
      continue;
    }
    wrench_to(w, i, w->formed.chain.r, a);
    mass_with_chain(w, j, a, M);
  }
}

static void mass_of_shapes(mbd_work *w, int i, mbd_real *M) {
  const mbd_beam *beam = &w->model->beam[w->model->body[i].flexible - 1];
  chain_hold(w, i, 0);
  for (int j = beam->z0; w->formed.chain.n > 0 && j < beam->z0 + beam->layout.n; j++) {
    wrench_to(w, i, w->formed.chain.r, w->formed.shape[j].a);
    mass_with_chain(w, j, w->formed.shape[j].a, M);
  }
}

static void inertia_to_parent(mbd_work *w, int i, int parent) {
  mbd_real s[3];
  if (w->reference == MBD_RTDYN1) { /* the origin for both */
    sv_inertia_add(&w->comp[parent].in, &w->comp[i].in);
    return;
  }
  v3_sub(s, w->body[i].r, w->body[parent].r);
  sv_inertia_add_from(&w->comp[parent].in, &w->comp[i].in, s);
}

void motion_mass(mbd_work *w, const mbd_nonzeros *at, mbd_real *M) {
  const mbd_model *m = w->model;
  w->formed.M_at = at && at->mirror ? at : NULL;
  assert(w->stage >= WORK_PLACED);
  mbd_nonzeros_clear(m->nz, at, M);
  chain_begin(w);
  for (int i = 1; i < m->nb; i++) {
    if (!m->body[i].light) { w->comp[i].in = w->body[i].in; }
  }
  beams_matrices(w, 1, NULL, NULL, M);
  for (int d = m->nb - 1; d > 0; d--) {
    const int i = m->depth_first[d], parent = m->body[i].parent;
    if (m->body[i].light) { continue; }
    if (m->body[i].flexible) { mass_of_shapes(w, i, M); }
    mass_of_joint(w, i, M);
    if (parent > 0) { inertia_to_parent(w, i, parent); }
  }
  rotors_mass(w, M);
}
