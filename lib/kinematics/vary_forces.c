/* Change of generalized forces along a direction, without columns of elements. A force enters r_j as b_j . F with the wrench F
 * on all bodies beyond joint j, so along the direction
 *   dr_j = b_j . dF + db_j . F
 * and F, dF add up towards the ground. At a fixed reference point the wrench of a force f on a point p (arm = p - r) or on a
 * vector u changes by
 *   dF = [df ; arm x df + dp x f],      [0 ; u x df + du x f]
 * The columns of a joint are carried by what is below it and bend with its own coordinates:
 *   db_j = x0 x b_j + sum_k dz_k db_j/dz_k,    (x x b) . F = -b . (x x* F)
 * with x1 in the place of x0 for those behind a joint's middle frame.
 * Equations: theory.md §3 (3.4), the derivative of (3.2). */
#include <string.h>

#include "kinematics/lift.h"

/* Returns the sum of a body. That of the ground, which no joint carries, records whether there is anything to sum. */
static wrench_variation *sum_in_use(mbd_work *w, int body) {
  wrench_variation *s = &w->variation.dF[body];
  if (!s->any) { memset(s, 0, sizeof *s); }
  s->any = w->variation.dF[0].any = 1;
  return s;
}

void vary_wrench(mbd_work *w, int body, const mbd_real *F, const mbd_real dF[6]) {
  wrench_variation *s = sum_in_use(w, body);
  if (F) { sv_add(s->F, F); }
  sv_add(s->dF, dF);
}

/* [f ; arm x f] of a point, [0 ; arm x f] of a vector */
static void add_wrench(mbd_real F[6], mbd_real sign, const mbd_real f[3], const mbd_real arm[3], int is_point) {
  mbd_real n[3];
  v3_cross(n, arm, f);
  if (is_point) { v3_axpy(F, sign, f); }
  v3_axpy(F + 3, sign, n);
}

static void vary_marker_force(mbd_work *w, int k, const mbd_real *f, const mbd_real df[3], mbd_real sign) {
  const mbd_marker *marker = &w->model->marker[k];
  mbd_real arm[3], dp[3] = {0, 0, 0};
  if (marker->body == 0) { return; }
  wrench_variation *s = sum_in_use(w, marker->body);
  marker_arm(w, k, arm);
  add_wrench(s->dF, sign, df, arm, marker->is_point);
  if (!f || !vary_marker_place(w, k, sign, dp)) { return; }
  v3_cross_add(s->dF + 3, dp, f);
  add_wrench(s->F, sign, f, arm, marker->is_point);
}

static void vary_moment(mbd_work *w, int body, const mbd_real *f, const mbd_real df[3], mbd_real sign) {
  if (body == 0) { return; }
  wrench_variation *s = sum_in_use(w, body);
  if (f) { v3_axpy(s->F + 3, sign, f); }
  v3_axpy(s->dF + 3, sign, df);
}

void vary_forces(mbd_work *w, const mbd_lift *l, const mbd_real (*f)[3], const mbd_real (*df)[3], mbd_real sign,
                 mbd_real *dr) {
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) {
      dr[arg->b] += sign * df[a][0];
      continue;
    }
    for (int end = 0; end < 2; end++) {
      const int k = end ? arg->a : arg->b;
      if (k < 0) { continue; }
      if (arg->kind == MBD_ARG_ROTATION) {
        vary_moment(w, k, f ? f[a] : NULL, df[a], end ? -sign : sign);
      } else {
        vary_marker_force(w, k, f ? f[a] : NULL, df[a], end ? -sign : sign);
      }
    }
  }
}

/* ---- the sum ---- */

/* dF - x x* F */
static void carried(const wrench_variation *s, const mbd_real x[6], mbd_real G[6]) {
  mbd_real xF[6] = {0};
  sv_cross_wrench_add(xF, x, s->F);
  for (int k = 0; k < 6; k++) { G[k] = s->dF[k] - xF[k]; }
}

/* dr_j += (sum_k dz_k db_j/dz_k) . F */
static void bend(const mbd_work *w, int i, const mbd_real F[6], mbd_real *dr) {
  const mbd_body *body = &w->model->body[i];
  const mbd_joint *joint = &w->model->joint[body->joint];
  mbd_real dH[MBD_NZ_MAX * 6], local[6];
  if (!joint->ops->hd) { return; }
  joint->ops->hd(w->z + body->z0, w->p->joint[body->joint].own, w->variation.last.dz + body->z0, dH);
  body_local_wrench(local, &w->body[i], F);
  for (int j = 0; j < body->nz; j++) { dr[body->z0 + j] += sv_dot(dH + 6 * j, local); }
}

/* dr_j += scale (db_j/dscale) . F, of a joint with a scale */
static void bend_by_scale(const mbd_work *w, int i, const mbd_real F[6], mbd_real *dr) {
  const mbd_body *body = &w->model->body[i];
  const mbd_dparams *d = w->variation.last.d;
  if (!d || mbd_none(d->joint[body->joint].scale != 0)) { return; }
  for (int k = 0; k < body->nz; k++) {
    mbd_real unit[MBD_NZ_MAX] = {0}, change[6];
    unit[k] = 1;
    joint_scale_times(w, i, unit, change);
    dr[body->z0 + k] += d->joint[body->joint].scale * sv_dot(change, F);
  }
}

static void read_joint(const mbd_work *w, int i, mbd_real *dr) {
  const mbd_body *body = &w->model->body[i];
  const body_variation *vi = &w->variation.last.body[i];
  const wrench_variation *s = &w->variation.dF[i];
  const int mid = w->model->joint[body->joint].ops->mid;
  const column_state *col = w->col + body->c0;
  mbd_real G[6];
  if (!vi->active) {
    for (int k = 0; k < body->nz; k++) { dr[body->z0 + k] += sv_dot(col[k].b, s->dF); }
    return;
  }
  carried(s, vi->x0, G);
  for (int k = 0; k < body->nz; k++) {
    if (k == mid) { carried(s, vi->x1, G); }
    dr[body->z0 + k] += sv_dot(col[k].b, G);
  }
  if (w->variation.last.dz) { bend(w, i, s->F, dr); }
  bend_by_scale(w, i, s->F, dr);
}

void vary_sum(mbd_work *w, mbd_real *dr) {
  const mbd_model *m = w->model;
  if (!w->variation.dF[0].any) { return; }
  w->variation.dF[0].any = 0;
  for (int i = m->nb - 1; i > 0; i--) {
    const int parent = m->body[i].parent;
    wrench_variation *s = &w->variation.dF[i];
    if (!s->any) { continue; }
    s->any = 0;
    read_joint(w, i, dr);
    if (parent == 0) { continue; }
    mbd_real arm[3];
    v3_sub(arm, w->body[i].r, w->body[parent].r);
    wrench_variation *to = sum_in_use(w, parent);
    sv_add_wrench_from(to->dF, s->dF, arm);
    if (w->variation.last.body[parent].active) { sv_add_wrench_from(to->F, s->F, arm); }
  }
}
