/* The transposes of natural_direct.c, with reverse sweeps in the place of directions (lib/natural/reverse.h). "by x": the derivative of an objective
 * by x.
 *
 * reactions      [M Phi_z'; Phi_z 0] [mu; nu] = [0; by lam],   z, zd, zdd -= d of mu . (r(z, zd, zdd + x) + Phi_z' lam) + nu . Phi_z x
 * joints         zdd, zd, z in this order: y from by z by the transpose of what finds z' from x':  the bases in q += y, and
 *                z, zd, theta -= d of y . x, of its rates and of the rates of |e|^2 = 1                          (5.4c)
 * The constants of a design gather derivatives over all nodes, which go to the coefficients at the start.
 * Equations: theory.md §5.1 (5.4c). */
#include <string.h>

#include "formulation/mass.h"
#include "formulation/natural_run.h"
#include "objective/objectives.h"

static void negate(int n, mbd_real *x) {
  for (int i = 0; i < n; i++) { x[i] = -x[i]; }
}

/* ---- reactions ---- */

static int any(size_t n, const mbd_real *x) {
  for (size_t i = 0; i < n; i++) {
    if (mbd_any(x[i] != 0)) { return 1; }
  }
  return 0;
}

/* nu . Phi_z x = nu . (Phid with the rates x, less that at rest) */
static void natural_adjoint_reverse_rates(mbd_sim *s, sim_adjoint *a) {
  natural_run *r = natural_run_of(s);
  const int nz = s->m->nz, m = s->m->nphi;
  memset(r->by_z, 0, (size_t)nz * sizeof *r->by_z);
  for (int at_rest = 0; at_rest < 2; at_rest++) {
    motion_move(s->w, at_rest ? r->by_z : r->x_z, r->by_z, 0);
    adjoint_begin(s, a);
    for (int k = 0; k < a->npsi; k++) {
      adjoint_get(m, a->npsi, k, at_rest ? 1 : -1, a->nu, a->row);
      motion_reverse_rows(&a->reverse[k], s->eq, NULL, a->row, NULL);
    }
    adjoint_read(s, a, 0, a->z);
    adjoint_read_joints(a);
  }
}

static mbd_status reactions_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  natural_run *r = natural_run_of(s);
  const int nz = s->m->nz, m = s->m->nphi;
  if (!any((size_t)m * (size_t)a->npsi, a->lam)) { return MBD_OK; }
  /* [M Phi_z'; Phi_z 0] [mu; nu] = [0; by lam]. */
  MBD_TRY(mass_factor(s, &r->x, err));
  adjoint_zero((size_t)nz * (size_t)a->npsi, a->f);
  sim_leave_out(s, a->npsi, a->lam);
  MBD_TRY(adjoint_solve(a, &r->x.motion, a->f, a->lam, err));
  /* Derivatives of -mu . (r + Phi_z' lam), at the accelerations zdd + x that these reactions balance. */
  for (int j = 0; j < nz; j++) { r->by_z[j] = s->now.zdd[j] + r->x_z[j]; }
  motion_move(s->w, s->now.zd, r->by_z, 1);
  adjoint_begin(s, a);
  motion_linearize(s->w, s->eq, s->now.lam, &a->linear);
  for (int k = 0; k < a->npsi; k++) {
    adjoint_get(nz, a->npsi, k, -1, a->mu, a->column);
    motion_reverse_residual(&a->reverse[k], &a->linear, a->column);
  }
  adjoint_read_all(s, a);
  adjoint_read_joints(a);
  /* Derivatives of -nu . Phi_z x. */
  natural_adjoint_reverse_rates(s, a);
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
  natural_run *r = natural_run_of(s);
  natural_back *b = &r->back;
  const int nz = s->m->nz, rows = natural_bases_rows(r->n);
  mbd_real *const z = a->all, *const zd = z + nz, *const w = z + order * nz;
  MBD_TRY(natural_joints_reverse(r->v, s->w, r->now.q, w, r->X, b->bases, err));
  natural_bases_scatter(r->n, b->bases, order == 0 ? b->by[k] : NULL, to);
  negate(rows, b->bases);
  reverse_begin(&a->reverse[k], s->w, a->theta[k]);
  natural_bases_reverse(r->v, order == 0 ? b->bases : b->none, order == 1 ? b->bases : b->none,
                        order == 2 ? b->bases : b->none, &a->reverse[k], b->by[k]);
  reverse_coordinates(&a->reverse[k], order > 0 ? z : NULL, order > 1 ? zd : NULL, NULL);
  reverse_joints(&a->reverse[k]);
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

mbd_status natural_joint_outputs_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  adjoint_outputs(s, a);
  adjoint_read_all(s, a);
  adjoint_read_joints(a);
  return reactions_back(s, a, err);
}

/* ---- the start ---- */

void natural_adjoint_begin(mbd_sim *s, sim_adjoint *a) {
  natural_run *r = natural_run_of(s);
  natural_sens *d = &r->sens;
  const sim_adjoint *by = &r->by;
  const int n = r->n->nq;
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  adjoint_begin(s, a);
  for (int k = 0; k < a->npsi; k++) {
    adjoint_get(n, a->npsi, k, 1, by->z, d->dq), adjoint_get(n, a->npsi, k, 1, by->zd, d->dqd);
    adjoint_get(n, a->npsi, k, 1, by->zdd, d->dqdd);
    for (int j = 0; s->scheme.has_acc && j < n; j++) { d->dqdd[j] += by->acc[j * a->npsi + k]; }
    natural_take_reverse(r->v, d->dq, d->dqd, d->dqdd, &a->reverse[k], r->back.by[k]);
    natural_params_reverse(r->v, r->back.by[k], a->theta[k]);
  }
  adjoint_read_all(s, a);
  adjoint_read_joints(a);
}
