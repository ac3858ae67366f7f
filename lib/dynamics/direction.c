/* Derivative of the residual along a direction of coefficients, z, zd, zdd and t held. */
#include <string.h>

#include "dynamics/dynamics.h"

/* Change of a body's inertia by its own mass, centre of mass and inertia coefficients. c = g - r, dc = A dcom:
 *   dh = dm c + m dc,   dJ = A dJ_G A' + dm (|c|^2 1 - c c') + m (2 c.dc 1 - dc c' - c dc') */
static void vary_inertia(const mbd_real *theta, const mbd_real *dtheta, const mbd_body *q, const body_state *b,
                         mbd_inertia *d) {
  const mbd_real *J = dtheta + q->inertia, dm = dtheta[q->mass], m = theta[q->mass];
  const mbd_real JG[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
  mbd_real AJ[9], c[3], dc[3];
  v3_sub(c, b->g, b->r);
  m3_vec(dc, b->A, dtheta + q->com);
  m3_mul(AJ, b->A, JG);
  m3_mulT(d->J, AJ, b->A);
  mbd_real diag = dm * v3_dot(c, c) + 2 * m * v3_dot(c, dc);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { d->J[3 * i + k] -= dm * c[i] * c[k] + m * (dc[i] * c[k] + c[i] * dc[k]); }
    d->J[4 * i] += diag;
    d->h[i] = dm * c[i] + m * dc[i];
  }
  d->m = dm;
}

/* dW of one body: its displacement x, c, e (as in jacobian.c), its own inertia, gravity. */
static void vary_wrench(const mbd_params *p, const mbd_dparams *d, const mbd_work *w, const mbd_variation *v, int i,
                        mbd_real dW[6]) {
  const mbd_model *m = w->model;
  const body_state *b = &w->body[i];
  const body_variation *vi = &v->body[i];
  mbd_real t[6], u[6];
  sv_zero(dW);
  if (vi->active) {
    sv_inertia_mul(dW, &b->in, vi->e);
    sv_cross_wrench_add(dW, vi->x, b->W);
    if (w->moving) { /* B c = V x* (I c) + c x* p - I (V x c) */
      sv_inertia_mul(t, &b->in, vi->c);
      sv_cross_wrench_add(dW, b->V, t);
      sv_cross_wrench_add(dW, vi->c, b->p);
      sv_cross(t, b->V, vi->c);
      sv_inertia_mul(u, &b->in, t);
      sv_axpy(dW, -1, u);
    }
  }
  if (d->body_active[i]) {
    mbd_inertia din;
    vary_inertia(p->theta, d->dtheta, &m->body[i], b, &din);
    sv_inertia_mul(t, &din, b->Vd);
    sv_add(dW, t);
    if (w->moving) {
      sv_inertia_mul(t, &din, b->V);
      sv_cross_wrench_add(dW, b->V, t);
    }
  }
  if (d->any_gravity && w->gravity_on) {
    sv_zero(u);
    v3_scale(u, -1, d->dtheta + m->gravity);
    sv_inertia_mul(t, &b->in, u);
    sv_add(dW, t);
  }
}

/* dr_j = b_j . dF_i + db_j . F_i with the inertia wrenches summed towards the ground. */
static void inertia_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v,
                              mbd_real *dr) {
  const mbd_model *m = w->model;
  mbd_real *F = w->F;
  for (int i = 1; i < m->nb; i++) {
    sv_copy(w->comp[i].W, w->body[i].W);
    vary_wrench(p, d, w, v, i, F + 6 * i);
  }
  for (int i = m->nb - 1; i > 0; i--) {
    const mbd_body *q = &m->body[i];
    for (int j = q->z0; j < q->z0 + q->nz; j++) {
      dr[j] += sv_dot(w->col[j].b, F + 6 * i);
      if (v->body[i].active) {
        mbd_real db[6];
        vary_b(w, v, j, db);
        dr[j] += sv_dot(db, w->comp[i].W);
      }
    }
    if (q->parent > 0) {
      mbd_real s[3];
      v3_sub(s, w->body[i].r, w->body[q->parent].r);
      sv_add_wrench_from(F + 6 * q->parent, F + 6 * i, s);
      sv_add_wrench_from(w->comp[q->parent].W, w->comp[i].W, s);
    }
  }
}

/* dr -= dx_z' f + x_z' (f_x dx + f_xd dxd + f_c dc) */
static void force_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, int i,
                            mbd_real t, mbd_real *dr) {
  const mbd_force *q = &w->model->force[i];
  const mbd_lift *l = &q->lift;
  mbd_arg_state s, ds;
  mbd_element_input in;
  mbd_real df[MBD_ARG_MAX][3];
  int moved = vary_arguments(d, w, v, l, 1, &ds);
  if (!moved && !d->force_active[i]) { return; }
  mbd_args_zero(l->narg, df);
  lift_values(w, l, 1, &s);
  params_force_input(p, q, t, &s, &in);
  if (d->force_active[i]) {
    mbd_element_direction e = params_direction(d, q->coef, 0);
    q->ops->f_c(&in, &e, df);
  }
  lift_columns(w, l);
  if (moved) {
    mbd_real F_x[MBD_ARG_MAX][MBD_ARG_MAX][9], F_xd[MBD_ARG_MAX][MBD_ARG_MAX][9], f[MBD_ARG_MAX][3];
    mbd_blocks_zero(l->narg, F_x);
    mbd_blocks_zero(l->narg, F_xd);
    q->ops->f(&in, f);
    q->ops->f_x(&in, F_x, F_xd);
    for (int a = 0; a < l->narg; a++) {
      for (int b = 0; b < l->narg; b++) {
        m3_vec_add(df[a], F_x[a][b], ds.x[b]);
        m3_vec_add(df[a], F_xd[a][b], ds.xd[b]);
      }
    }
    vary_columns(d, w, v, l, w->dxd);
    for (int a = 0; a < l->narg; a++) {
      for (int c = 0; c < l->ncol; c++) { dr[l->col[c]] -= v3_dot(w->dxd + lift_at(l, a, c), f[a]); }
    }
  }
  for (int a = 0; a < l->narg; a++) {
    for (int c = 0; c < l->ncol; c++) { dr[l->col[c]] -= v3_dot(w->dx + lift_at(l, a, c), df[a]); }
  }
}

void dyn_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, mbd_real t,
                   unsigned what, mbd_real *dr) {
  const mbd_model *m = w->model;
  memset(dr, 0, (size_t)m->nz * sizeof *dr);
  if (v->any || d->any_body || (d->any_gravity && w->gravity_on)) { inertia_direction(p, d, w, v, dr); }
  if (!(what & DYN_FORCES) || !(v->any || d->any_marker || d->any_force)) { return; }
  for (int i = 0; i < m->nforce; i++) { force_direction(p, d, w, v, i, t, dr); }
}
