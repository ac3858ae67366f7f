/* Derivatives of a run in natural coordinates along its directions: of the start, and of the state in joint coordinates. Of the bases x of all
 * bodies, which are in q, the bodies say x = x(z; theta), and x_z is also the derivative of xd by zd and of xdd by zdd, so with ' the change
 * along a direction
 *   x_z z' = x' - x_theta,   x_z zd' = xd' - (xd)' of (theta, z'),   x_z zdd' = xdd' - (xdd)' of (theta, z', zd')
 * joint by joint from the motions of its two bodies (lib/natural/joints.c), with the rates of |e|^2 = 1 of Euler parameters.
 * Equations: theory.md §5.1 (5.4c). */
#include <string.h>

#include "formulation/natural_run.h"

static void get_column(int n, int np, int k, const mbd_real *block, mbd_real *column) {
  for (int i = 0; i < n; i++) { column[i] = block[i * np + k]; }
}
static void put_column(int n, int np, int k, mbd_real scale, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] = scale * column[i]; }
}

/* ---- the start ---- */

/* Differentiates natural_take along direction k, with columns of the state in joint coordinates; NULL: held. */
static void take_along(mbd_sim *s, int k, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dzdd) {
  natural_run *r = natural_run_of(s);
  natural_sens *sens = &r->sens;
  motion_along(s->w, s->d[k], dz, dzd, dzdd);
  natural_take_direction(r->v, s->d[k], sens->dv[k], s->w, sens->dq, sens->dqd, sens->dqdd);
}

/* Computes the same for the bases of the bodies. */
static void bases_along(mbd_sim *s, int k, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dzdd) {
  natural_run *r = natural_run_of(s);
  natural_sens *sens = &r->sens;
  motion_along(s->w, s->d[k], dz, dzd, dzdd);
  natural_bases_direction(r->v, s->d[k], sens->dv[k], s->w, sens->x, sens->xd, sens->xdd);
}

void natural_sens_begin(mbd_sim *s) {
  natural_run *r = natural_run_of(s);
  natural_sens *sens = &r->sens;
  const int n = r->n->nq, nz = s->m->nz, np = s->np;
  for (int k = 0; k < np; k++) {
    natural_params_direct(r->v, s->d[k], sens->dv[k]);
    natural_find_moves(r->v, s->d[k], sens->dv[k], s->c.free_duration > 0,
                       sens->moves + (size_t)k * (size_t)natural_moves(r->n));
    get_column(nz, np, k, s->sens.z, sens->dz), get_column(nz, np, k, s->sens.zd, sens->dzd);
    get_column(nz, np, k, s->sens.zdd, sens->dzdd);
    take_along(s, k, sens->dz, sens->dzd, sens->dzdd);
    put_column(n, np, k, 1, sens->dq, sens->q), put_column(n, np, k, 1, sens->dqd, sens->qd);
    put_column(n, np, k, 1, sens->dqdd, sens->qdd);
  }
  memset(sens->lam, 0, (size_t)r->n->nphi * (size_t)np * sizeof *sens->lam);
  if (s->scheme.has_acc) { memcpy(sens->acc, sens->qdd, (size_t)n * (size_t)np * sizeof *sens->acc); }
}

/* ---- joint coordinates ---- */

static mbd_real dot4(const mbd_real *a, const mbd_real *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* The value of e . x that |e| = 1 and its rates prescribe for the Euler parameters e from coordinate j on, with x = z', zd', zdd' (order
 * 0, 1, 2). */
static mbd_real norm_change(const mbd_sim *s, int order, int j) {
  const natural_sens *sens = &natural_run_of(s)->sens;
  if (order == 0) { return 0; }
  if (order == 1) { return -dot4(s->now.zd + j, sens->dz + j); }
  return -2 * dot4(s->now.zd + j, sens->dzd + j) - dot4(s->now.zdd + j, sens->dz + j);
}

/* Computes the change of z, zd or zdd (order 0, 1, 2) along direction k, from column k of q', qd' or qdd' less what bases_along has left. */
static mbd_status find_column(mbd_sim *s, int order, int k, const mbd_real *block, const mbd_real *there, mbd_real *x,
                              mbd_error *err) {
  const natural_run *r = natural_run_of(s);
  const natural_sens *sens = &r->sens;
  get_column(r->n->nq, s->np, k, block, sens->dq);
  natural_bases_gather(r->n, order == 0 ? sens->dv[k] : NULL, sens->dq, sens->difference);
  for (int j = 0; j < natural_bases_rows(r->n); j++) { sens->difference[j] -= there[j]; }
  for (int i = 1; i < s->m->nb; i++) {
    const int e = s->m->joint[s->m->body[i].joint].ops->euler;
    sens->norm[i] = e < 0 ? 0 : norm_change(s, order, s->m->body[i].z0 + e);
  }
  return natural_joints_change(r->v, s->w, r->now.q, sens->difference, sens->norm, r->X, x, err);
}

/* M x' + Phi_z' lam' = -(the change of r(z, zd, zdd + x) + Phi_z' lam),  Phi_z x' = -Phi_z' x, of natural_find_reactions. */
static mbd_status reactions(mbd_sim *s, mbd_error *err) {
  natural_run *r = natural_run_of(s);
  natural_sens *sens = &r->sens;
  const int nz = s->m->nz, m = s->m->nphi, np = s->np;
  const motion_terms e = motion_equations(s->eq, s->now.lam), rows = {.rows = s->eq};
  if (!natural_reads_reactions(s)) { return MBD_OK; }
  for (int j = 0; j < nz; j++) { r->by_z[j] = s->now.zdd[j] + r->x_z[j]; }
  motion_move(s->w, s->now.zd, r->by_z, 1);
  for (int k = 0; k < np; k++) {
    get_column(nz, np, k, s->sens.z, sens->dz), get_column(nz, np, k, s->sens.zd, sens->dzd);
    get_column(nz, np, k, s->sens.zdd, sens->dzdd);
    motion_along(s->w, s->d[k], sens->dz, sens->dzd, sens->dzdd), motion_stretch(s->w, s->stretch[k]);
    motion_direction(s->w, &e, r->dz, NULL, NULL, NULL);
    put_column(nz, np, k, -1, r->dz, sens->rhs);
  }
  for (int at_rest = 0; at_rest < 2; at_rest++) { /* less what time makes of Phid */
    memset(r->by_z, 0, (size_t)nz * sizeof *r->by_z);
    motion_move(s->w, at_rest ? r->by_z : r->x_z, r->by_z, 0);
    for (int k = 0; k < np; k++) {
      get_column(nz, np, k, s->sens.z, sens->dz);
      motion_along(s->w, s->d[k], sens->dz, NULL, NULL), motion_stretch(s->w, s->stretch[k]);
      motion_direction(s->w, &rows, NULL, NULL, r->none, NULL);
      for (int i = 0; i < m; i++) {
        const mbd_real before = at_rest ? sens->row_rhs[i * np + k] : 0;
        sens->row_rhs[i * np + k] = before + (at_rest ? r->none[i] : -r->none[i]);
      }
    }
  }
  sim_leave_out(s, np, sens->row_rhs);
  mbd_saddle system = r->x.motion;
  system.predict = 1;
  return mbd_saddle_solve(&system, np, sens->rhs, sens->row_rhs, sens->x_z, s->sens.lam, sens->step, sens->rg, err);
}

mbd_status natural_sens_joints(mbd_sim *s, mbd_error *err) {
  natural_run *r = natural_run_of(s);
  natural_sens *sens = &r->sens;
  const int nz = s->m->nz, np = s->np;
  for (int k = 0; k < np; k++) {
    bases_along(s, k, NULL, NULL, NULL);
    MBD_TRY(find_column(s, 0, k, sens->q, sens->x, sens->dz, err));
    bases_along(s, k, sens->dz, NULL, NULL);
    MBD_TRY(find_column(s, 1, k, sens->qd, sens->xd, sens->dzd, err));
    bases_along(s, k, sens->dz, sens->dzd, NULL);
    MBD_TRY(find_column(s, 2, k, sens->qdd, sens->xdd, sens->dzdd, err));
    put_column(nz, np, k, 1, sens->dz, s->sens.z), put_column(nz, np, k, 1, sens->dzd, s->sens.zd);
    put_column(nz, np, k, 1, sens->dzdd, s->sens.zdd);
  }
  MBD_TRY(reactions(s, err));
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}
