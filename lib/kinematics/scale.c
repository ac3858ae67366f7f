/* The scale s of a joint whose translations are in proportion to it, as a coordinate whose rate is zero: with H_k = [ s h_k + ... ; t_k ] its
 * derivatives are those of the translations, divided by s. In the global frame at r
 *   b = [ d/s ; 0 ],    c = -b x V + sum_k db_k/ds zd_k,    e = d(Vd)/ds - b x Vd - c x V
 * as of a coordinate (sweep.c), with d(Vd)/ds = sum_k db_k/ds zdd_k + V_h x sum_k db_k/ds zd_k + dg/ds.
 * Equations: theory.md §12 (12.8). */
#include "joint/modal.h"
#include "kinematics/lift.h"

static const mbd_real *own_of(const mbd_work *w, int body) {
  return w->p->joint[w->model->body[body].joint].own;
}

/* A translation in the frame of the joint, per unit of its scale, as a twist in the global frame at r. */
static void per_scale(const mbd_work *w, int body, const mbd_real translation[3], mbd_real out[6]) {
  mbd_real H[6] = {0};
  v3_scale(H, 1 / own_of(w, body)[MODAL_SCALE], translation);
  body_twist(out, &w->body[body], H);
}

void joint_scale_times(const mbd_work *w, int body, const mbd_real *x, mbd_real out[6]) {
  const mbd_body *of = &w->model->body[body];
  mbd_real H[6 * MBD_NZ_MAX], sum[6] = {0};
  w->model->joint[of->joint].ops->h(w->z + of->z0, own_of(w, body), H);
  for (int k = 0; k < of->nz; k++) { sv_axpy(sum, x[k], H + 6 * k); }
  per_scale(w, body, sum, out);
}

void joint_scale_column(const mbd_work *w, int body, int rates, column_state *column) {
  const mbd_body *of = &w->model->body[body];
  const mbd_joint_ops *ops = w->model->joint[of->joint].ops;
  const body_state *b = &w->body[body];
  mbd_real R[9], d[3], by_zd[6], by_zdd[6], g[6], at_r[6];
  *column = (column_state){0};
  ops->pose(w->z + of->z0, own_of(w, body), R, d);
  per_scale(w, body, d, column->b);
  if (!rates) { return; }
  sv_cross(column->e, b->Vd, column->b);
  joint_scale_times(w, body, w->zdd + of->z0, by_zdd);
  sv_add(column->e, by_zdd);
  if (!w->moving) { return; }
  sv_cross(column->c, b->V, column->b);
  joint_scale_times(w, body, w->zd + of->z0, by_zd);
  sv_add(column->c, by_zd);
  ops->hd_zd(w->z + of->z0, own_of(w, body), w->zd + of->z0, g);
  per_scale(w, body, g, at_r);
  sv_add(column->e, at_r);
  sv_cross_add(column->e, b->Vh, by_zd);
  sv_cross_sub(column->e, column->c, b->V);
}
