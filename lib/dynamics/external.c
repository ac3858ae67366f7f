/* Wrenches from outside (S4 (9), theory.md §3 (3.8)): a force f and a torque n, held in global axes, on a body at a point fixed in it.
 * About the reference point r of the body, with a = point - r,
 *   W -= [ f ; a x f + n ],       mu . r -= u . f + U_w . n,   u = U_v + U_w x a
 * where the body moves by x, the point moves by dp = x_v + x_w x a and, as the point is shifted on the body, by A dpoint. */
#include <assert.h>

#include "dynamics/parts.h"

static void arm_of(const mbd_work *w, const external_wrench *wrench, mbd_real a[3]) {
  const body_state *b = &w->body[wrench->body];
  v3_sub(a, b->o, b->r);
  m3_vec_add(a, b->A, wrench->point);
}

void externals_apply(mbd_work *w) {
  for (int i = 0; i < w->external.n; i++) {
    const external_wrench *wrench = &w->external.wrench[i];
    mbd_real F[6], a[3];
    arm_of(w, wrench, a);
    v3_copy(F, wrench->force);
    v3_copy(F + 3, wrench->torque);
    v3_cross_add(F + 3, a, wrench->force);
    sv_axpy(w->F + 6 * wrench->body, -1, F);
  }
}

void externals_jacobian(mbd_work *w) {
  for (int i = 0; i < w->external.n; i++) {
    const external_wrench *wrench = &w->external.wrench[i];
    mbd_real a[3];
    arm_of(w, wrench, a);
    second_add_wrench(w, wrench->body, a, wrench->force, wrench->torque, -1);
  }
}

/* dW -= [ df ; a x df + dn + dp x f ] at a fixed place of r. */
void externals_direction(mbd_work *w) {
  for (int i = 0; i < w->external.n; i++) {
    const external_wrench *wrench = &w->external.wrench[i],
                          *d = w->variation.last.external ? &w->variation.last.external[i] : NULL;
    const body_variation *v = &w->variation.last.body[wrench->body];
    mbd_real a[3], dp[3] = {0, 0, 0}, F[6] = {0}, dF[6] = {0};
    if (!d && !v->active) { continue; }
    arm_of(w, wrench, a);
    /* The direction changes the point in the body, the force and the torque. */
    if (d) {
      m3_vec_add(dp, w->body[wrench->body].A, d->point);
      v3_axpy(dF, -1, d->force);
      v3_axpy(dF + 3, -1, d->torque);
      v3_cross_sub(dF + 3, a, d->force);
    }
    /* The direction moves the body, and the point with it. */
    if (v->active) {
      v3_add(dp, dp, v->x);
      v3_cross_add(dp, v->x + 3, a);
      v3_axpy(F, -1, wrench->force);
      v3_axpy(F + 3, -1, wrench->torque);
      v3_cross_sub(F + 3, a, wrench->force);
    }
    v3_cross_sub(dF + 3, dp, wrench->force);
    vary_wrench(w, wrench->body, v->active ? F : NULL, dF);
  }
}

/* Computes the virtual velocity of the point. */
static void virtual_velocity(const mbd_real U[6], const mbd_real a[3], mbd_real u[3]) {
  v3_copy(u, U);
  v3_cross_add(u, U + 3, a);
}

/* By the place and the turn of the body, at which U is carried along: X += u x (-f), U_w x (-n);  by U itself: Y -= [ f ; a x f + n ]. */
void externals_reverse(mbd_reverse *p, int mu) {
  const mbd_work *w = p->w;
  for (int i = 0; i < w->external.n; i++) {
    const external_wrench *wrench = &w->external.wrench[i];
    const mbd_real *U = p->field[mu].U + 6 * wrench->body;
    body_reverse *by_body = &p->body[wrench->body];
    mbd_real a[3], u[3], *Y = by_body->Y[mu];
    arm_of(w, wrench, a);
    virtual_velocity(U, a, u);
    v3_cross_sub(by_body->X + 3, u, wrench->force);
    v3_cross_sub(by_body->X + 3, U + 3, wrench->torque);
    v3_axpy(Y, -1, wrench->force);
    v3_axpy(Y + 3, -1, wrench->torque);
    v3_cross_sub(Y + 3, a, wrench->force);
  }
}

void motion_reverse_external(const mbd_reverse *p, external_wrench *change) {
  const mbd_work *w = p->w;
  assert(p->nfield == 1);
  for (int i = 0; i < w->external.n; i++) {
    const external_wrench *wrench = &w->external.wrench[i];
    const mbd_real *U = p->field[0].U + 6 * wrench->body;
    mbd_real a[3], u[3], fU[3], local[3];
    arm_of(w, wrench, a);
    virtual_velocity(U, a, u);
    v3_axpy(change[i].force, -1, u);
    v3_axpy(change[i].torque, -1, U + 3);
    v3_cross(fU, wrench->force, U + 3); /* f . (U_w x dp) = dp . (f x U_w) */
    m3_Tvec(local, w->body[wrench->body].A, fU);
    v3_axpy(change[i].point, -1, local);
  }
}
