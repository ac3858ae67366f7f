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

#include "dynamics/parts.h"
#include "kinematics/sweep.h"

/* Bn of one body. */
static void velocity_block(const body_state *b, mbd_real Bn[9]) {
  const mbd_real *v = b->V, *w = b->V + 3, *J = b->in.J, *h = b->in.h;
  const mbd_real trace = J[0] + J[4] + J[8], hv = v3_dot(h, v);
  for (int k = 0; k < 3; k++) { /* columns of 2 w~ J */
    mbd_real Jk[3] = {J[k], J[3 + k], J[6 + k]}, wJ[3];
    v3_cross(wJ, w, Jk);
    for (int i = 0; i < 3; i++) {
      Bn[3 * i + k] = 2 * wJ[i] - 2 * (v[i] * h[k] - (i == k ? hv : 0));
    } /* h~v~ = v h' - h.v 1 */
  }
  Bn[1] += trace * w[2], Bn[2] -= trace * w[1];
  Bn[3] -= trace * w[2], Bn[5] += trace * w[0];
  Bn[6] += trace * w[1], Bn[7] -= trace * w[0];
}

static void composite_init(const body_state *b, int moving, composite *c) {
  c->in = b->in;
  sv_copy(c->W, b->W);
  v3_copy(c->pf, b->p);
  if (moving) {
    velocity_block(b, c->Bn);
  } else {
    memset(c->Bn, 0, sizeof c->Bn);
  }
}

/* c += d, given at a point displaced by s:  Bn' = Bn + s~ (-2 pf~),  s~ pf~ = pf s' - s.pf 1 */
static void composite_add_from(composite *c, const composite *d, const mbd_real s[3], int moving) {
  sv_inertia_add_from(&c->in, &d->in, s);
  sv_add_wrench_from(c->W, d->W, s);
  if (!moving) { return; }
  v3_add(c->pf, c->pf, d->pf);
  mbd_real spf = v3_dot(s, d->pf);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { c->Bn[3 * i + k] += d->Bn[3 * i + k] - 2 * d->pf[i] * s[k]; }
    c->Bn[4 * i] += 2 * spf;
  }
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

/* The wrenches that coordinate j causes, carried from joint to joint towards the ground. */
typedef struct column_wrench {
  mbd_real z[6], v[6], a[6]; /* dW/dz, dW/dzd, dW/dzdd = I b */
  mbd_real Bb[6], Kb[6]; /* B' b, K' b; of inertia alone the first has an angular part only, and the second is zero */
  int moving, sloped;    /* with velocities; with elements among them */
} column_wrench;

static void column_wrenches(const composite *q, const column_state *c, column_wrench *u) {
  sv_inertia_mul(u->a, &q->in, c->b);
  sv_inertia_mul(u->z, &q->in, c->e);
  sv_cross_wrench_add(u->z, c->b, q->W);
  if (u->moving) {
    sv_inertia_mul(u->v, &q->in, c->cbd);
    add_B(u->v, q, c->b);
    add_B(u->z, q, c->c);
    B_transposed(u->Bb + 3, q, c->b);
  }
}

static void column_slopes(const mbd_work *w, int body, int j, column_wrench *u) {
  slopes_column s;
  slopes_of_column(w, body, j, &s);
  u->sloped = 1;
  sv_add(u->z, s.z);
  if (w->slopes[body].damped) { sv_add(u->v, s.v); }
  if (w->model->body[body].parent <= 0) { return; } /* there is none to pair it with */
  sv_copy(u->Kb, s.Kb);
  if (w->slopes[body].damped) { sv_add(u->Bb, s.Db); }
}

static void wrenches_shift(column_wrench *u, const mbd_real s[3]) {
  v3_cross_add(u->a + 3, s, u->a);
  v3_cross_add(u->z + 3, s, u->z);
  if (u->moving) { v3_cross_add(u->v + 3, s, u->v); }
  if (!u->sloped) { return; }
  v3_cross_add(u->Kb + 3, s, u->Kb);
  v3_cross_add(u->Bb + 3, s, u->Bb);
}

/* Row and column j against coordinate k of a joint nearer to the ground. */
static inline void pair(const mbd_work *w, int j, int k, const column_wrench *u, mbd_real *K, mbd_real *C,
                        mbd_real *M) {
  const column_state *c = &w->col[k];
  const int n = w->model->nz, below = j * n + k, above = k * n + j;
  K[above] += sv_dot(c->b, u->z);
  if (M) { M[above] = M[below] = sv_dot(c->b, u->a); }
  mbd_real row = sv_dot(c->e, u->a);
  if (u->sloped) { row += sv_dot(c->b, u->Kb); }
  if (u->moving) {
    mbd_real rate = sv_dot(c->cbd, u->a) + v3_dot(c->b + 3, u->Bb + 3);
    row += v3_dot(c->c + 3, u->Bb + 3);
    if (u->sloped) { row += v3_dot(c->c, u->Bb), rate += v3_dot(c->b, u->Bb); }
    C[above] += sv_dot(c->b, u->v);
    C[below] += rate;
  }
  K[below] += row;
}

/* The same for all of them. */
static void pair_with_ancestors(mbd_work *w, int j, column_wrench *u, mbd_real *K, mbd_real *C, mbd_real *M) {
  const mbd_model *m = w->model;
  int body = m->z_body[j];
  if (w->reference == MBD_RTDYN1) { /* one reference point for all */
    for (int k = m->z_above[m->body[body].z0]; k >= 0; k = m->z_above[k]) { pair(w, j, k, u, K, C, M); }
    return;
  }
  for (int h = m->body[body].parent; h > 0; body = h, h = m->body[h].parent) {
    const mbd_body *q = &m->body[h];
    mbd_real s[3];
    v3_sub(s, w->body[body].r, w->body[h].r);
    wrenches_shift(u, s);
    for (int k = q->z0; k < q->z0 + q->nz; k++) { pair(w, j, k, u, K, C, M); }
  }
}

static void pair_within_joint(const mbd_work *w, int j, const column_wrench *u, mbd_real *K, mbd_real *C, mbd_real *M) {
  const mbd_model *m = w->model;
  const mbd_body *q = &m->body[m->z_body[j]];
  int n = m->nz;
  for (int k = q->z0; k < q->z0 + q->nz; k++) {
    const mbd_real *b = w->col[k].b;
    K[k * n + j] += sv_dot(b, u->z);
    if (M) { M[k * n + j] = sv_dot(b, u->a); }
    if (u->moving) { C[k * n + j] += sv_dot(b, u->v); }
  }
}

/* Inertia of each body (none: bodies without), and the wrenches of the elements on it. */
static void composites_init(mbd_work *w, int inertia) {
  for (int i = 1; i < w->model->nb; i++) {
    composite *c = &w->comp[i];
    if (inertia) {
      composite_init(&w->body[i], w->moving, c);
    } else {
      memset(c, 0, sizeof *c);
    }
    if (w->slopes[i].any) {
      mbd_real arm[3];
      v3_sub(arm, w->body[i].g, w->body[i].r);
      sv_add_wrench_from(c->W, w->slopes[i].F, arm);
    }
  }
}

static int slopes_on_any_body(const mbd_work *w) {
  for (int i = 1; i < w->model->nb; i++) {
    if (w->slopes[i].any) { return 1; }
  }
  return 0;
}

void bodies_jacobian(mbd_work *w, int inertia, mbd_real *K, mbd_real *C, mbd_real *M) {
  const mbd_model *m = w->model;
  if (!inertia && !slopes_on_any_body(w)) { return; }
  assert(C || !inertia || !w->moving);
  if (!inertia) { M = NULL; }
  sweep_columns(w);
  composites_init(w, inertia);
  for (int i = m->nb - 1; i > 0; i--) {
    const mbd_body *q = &m->body[i];
    body_slopes *slopes = &w->slopes[i];
    if (!inertia && !slopes->any) { continue; }
    for (int j = q->z0; j < q->z0 + q->nz; j++) {
      column_wrench u = {.moving = w->moving && C};
      column_wrenches(&w->comp[i], &w->col[j], &u);
      if (slopes->any) { column_slopes(w, i, j, &u); }
      pair_within_joint(w, j, &u, K, C, M);
      pair_with_ancestors(w, j, &u, K, C, M);
    }
    bend_within_joint(w, i, w->comp[i].W, K);
    if (q->parent > 0) {
      mbd_real s[3];
      v3_sub(s, w->body[i].r, w->body[q->parent].r);
      composite_add_from(&w->comp[q->parent], &w->comp[i], s, w->moving);
      if (slopes->any) { slopes_add_from(w, q->parent, i); }
    }
    slopes->any = 0;
  }
  if (M) { rotors_mass(w, M); }
}

/* ---- applied forces ---- */

/* K -= x_z' (df/dx x_z + df/dxd xd_z) + f . x_zz,   C -= x_z' df/dxd x_z,   and f itself */
static void force_jacobian(mbd_work *w, const mbd_force *q, mbd_real (*f)[3], mbd_real *K, mbd_real *C) {
  const mbd_lift *l = &q->lift;
  const int n = w->model->nz;
  mbd_arg_state s;
  mbd_element_input in;
  mbd_real F_x[MBD_ARG_MAX][MBD_ARG_MAX][9], F_xd[MBD_ARG_MAX][MBD_ARG_MAX][9];
  lift_block bx[MBD_ARG_MAX * MBD_ARG_MAX], bxd[MBD_ARG_MAX * MBD_ARG_MAX];
  mbd_blocks_zero(l->narg, F_x);
  mbd_blocks_zero(l->narg, F_xd);
  force_input(w, q, &s, &in);
  q->ops->f_x(&in, f, F_x, F_xd);
  if (l->body > 0) {
    slopes_add(w, l, &s, CONST3(f), CONSTH(F_x), CONSTH(F_xd), -1);
    return;
  }
  lift_columns(w, l);
  lift_rate_columns(w, l, 0);
  const int nx = lift_blocks(l->narg, CONSTH(F_x), bx), nxd = lift_blocks(l->narg, CONSTH(F_xd), bxd);
  int pushed[MBD_ARG_MAX] = {0}; /* arguments with a force that changes */
  for (int i = 0; i < nx; i++) { pushed[bx[i].a] = 1; }
  for (int i = 0; i < nxd; i++) { pushed[bxd[i].a] = 1; }
  for (int cj = 0; cj < l->ncol; cj++) {
    mbd_real df[MBD_ARG_MAX][3], dfd[MBD_ARG_MAX][3];
    mbd_args_zero(l->narg, df), mbd_args_zero(l->narg, dfd);
    for (int i = 0; i < nx; i++) {
      const int a = bx[i].a, b = bx[i].b;
      if (l->flag[b * l->ncol + cj]) { m3_vec_add(df[a], F_x[a][b], w->dx + lift_at(l, b, cj)); }
    }
    for (int i = 0; i < nxd; i++) {
      const int a = bxd[i].a, b = bxd[i].b;
      if (!l->flag[b * l->ncol + cj]) { continue; } /* not moved by this coordinate */
      m3_vec_add(df[a], F_xd[a][b], w->dxd + lift_at(l, b, cj));
      m3_vec_add(dfd[a], F_xd[a][b], w->dx + lift_at(l, b, cj));
    }
    for (int a = 0; a < l->narg; a++) {
      if (!pushed[a]) { continue; }
      for (int ck = 0; ck < l->ncol; ck++) {
        const mbd_real *dx = w->dx + lift_at(l, a, ck);
        if (!l->flag[a * l->ncol + ck]) { continue; }
        K[l->col[ck] * n + l->col[cj]] -= v3_dot(dx, df[a]);
        if (C) { C[l->col[ck] * n + l->col[cj]] -= v3_dot(dx, dfd[a]); }
      }
    }
  }
  second_add(w, l, (const mbd_real(*)[3])f, -1);
}

void forces_jacobian(mbd_work *w, mbd_real *K, mbd_real *C) {
  for (int i = 0; i < w->model->nforce; i++) { force_jacobian(w, &w->model->force[i], w->force[i], K, C); }
  w->forces_known = 1;
}

void motion_mass(mbd_work *w, mbd_real *M) {
  const mbd_model *m = w->model;
  const int n = m->nz;
  assert(w->stage >= WORK_PLACED);
  for (int i = 1; i < m->nb; i++) { w->comp[i].in = w->body[i].in; }
  for (int i = m->nb - 1; i > 0; i--) {
    const mbd_body *q = &m->body[i];
    mbd_real s[3];
    for (int j = q->z0; j < q->z0 + q->nz; j++) {
      mbd_real y[6];
      sv_inertia_mul(y, &w->comp[i].in, w->col[j].b);
      for (int k = q->z0; k < q->z0 + q->nz; k++) { M[k * n + j] = sv_dot(w->col[k].b, y); }
      for (int h = q->parent, from = i; h > 0; from = h, h = m->body[h].parent) {
        v3_sub(s, w->body[from].r, w->body[h].r);
        v3_cross_add(y + 3, s, y);
        for (int k = m->body[h].z0; k < m->body[h].z0 + m->body[h].nz; k++) {
          M[k * n + j] = M[j * n + k] = sv_dot(w->col[k].b, y);
        }
      }
    }
    if (q->parent > 0) {
      v3_sub(s, w->body[i].r, w->body[q->parent].r);
      sv_inertia_add_from(&w->comp[q->parent].in, &w->comp[i].in, s);
    }
  }
  rotors_mass(w, M);
}
