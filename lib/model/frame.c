#include "model/frame.h"

#include "base/v3.h"

/* u = a/|a| and its change for da */
static void unit(const mbd_real a[3], const mbd_real da[3], mbd_real u[3], mbd_real du[3]) {
  mbd_real length = mbd_sqrt(v3_dot(a, a));
  v3_scale(u, 1 / length, a);
  mbd_real along = v3_dot(u, da);
  for (int i = 0; i < 3; i++) { du[i] = (da[i] - along * u[i]) / length; }
}

/* The coordinate axis nearest to u, with its sign, the earlier one of two that are as near. The joint frame is the one about this axis, turned
 * to u. */
static void nearest_axis(const mbd_real u[3], mbd_real e[3]) {
  static const double nearer = 1 + 1e-9;
  const mbd_value size[3] = {mbd_abs(mbd_re(u[0])), mbd_abs(mbd_re(u[1])), mbd_abs(mbd_re(u[2]))};
  const mbd_truth is_y = size[1] > size[0] * nearer;
  const mbd_truth is_z = size[2] > mbd_re(mbd_select(is_y, size[1], size[0])) * nearer;
  for (int i = 0; i < 3; i++) { e[i] = mbd_select(mbd_re(u[i]) < 0, -1, 1); }
  e[0] = mbd_select(is_y | is_z, 0, e[0]);
  e[1] = mbd_select(is_z, 0, mbd_select(is_y, e[1], 0));
  e[2] = mbd_select(is_z, e[2], 0);
}

/* E: a constant frame with e_z along the coordinate axis e, right-handed; e_x is the axis behind it, x after z. */
static void axis_frame(const mbd_real e[3], mbd_real E[9]) {
  const mbd_real x[3] = {mbd_abs(mbd_re(e[2])), mbd_abs(mbd_re(e[0])), mbd_abs(mbd_re(e[1]))};
  mbd_real y[3];
  v3_cross(y, e, x);
  for (int i = 0; i < 3; i++) { E[3 * i] = x[i], E[3 * i + 1] = y[i], E[3 * i + 2] = e[i]; }
}

void frame_about(const mbd_real a[3], mbd_real F[9]) {
  const mbd_real still[3] = {0, 0, 0};
  mbd_real u[3], du[3], e[3], E[9], R[9];
  unit(a, still, u, du);
  nearest_axis(u, e);
  axis_frame(e, E);
  m3_align(e, u, R);
  m3_mul(F, R, E);
}

/* With s = e x u, c = e.u, R = 1 + s~ + s~s~/(1 + c):
 *   dR = ds~ + (ds~ s~ + s~ ds~)/(1 + c) - s~s~ dc/(1 + c)^2,   phi~ = dR R' */
void frame_about_turn(const mbd_real a[3], const mbd_real da[3], mbd_real phi[3]) {
  mbd_real u[3], du[3], e[3], s[3], ds[3], R[9];
  unit(a, da, u, du);
  nearest_axis(u, e);
  m3_align(e, u, R);
  v3_set(phi, 0, 0, 0);
  v3_cross(s, e, u);
  v3_cross(ds, e, du);
  mbd_real c = 1 + v3_dot(e, u), dc = v3_dot(e, du);
  for (int k = 0; k < 3; k++) { /* phi = 1/2 sum_k R_k x dR_k over the columns of R */
    mbd_real r[3], dr[3], ek[3] = {0, 0, 0}, sk[3], t[3];
    ek[k] = 1;
    for (int i = 0; i < 3; i++) { r[i] = R[3 * i + k]; }
    v3_cross(dr, ds, ek);
    v3_cross(sk, s, ek);
    v3_cross(t, ds, sk);
    v3_axpy(dr, 1 / c, t);
    v3_cross(t, ds, ek);
    v3_cross(sk, s, t);
    v3_axpy(dr, 1 / c, sk);
    v3_cross(sk, s, ek);
    v3_cross(t, s, sk);
    v3_axpy(dr, -dc / (c * c), t);
    v3_cross(t, r, dr);
    v3_axpy(phi, 0.5, t);
  }
}

void frame_spanned(int k, const mbd_real *a, const mbd_real *b, const mbd_real *da, const mbd_real *db, mbd_real e[3],
                   mbd_real de[3]) {
  mbd_real n[3], dn[3], x[3], dx[3], z[3], dz[3];
  v3_cross(n, a, b);
  v3_cross(dn, da, b);
  v3_cross_add(dn, a, db);
  unit(a, da, x, dx);
  unit(n, dn, z, dz);
  if (k == 1) {
    v3_cross(e, z, x);
    v3_cross(de, dz, x);
    v3_cross_add(de, z, dx);
  } else {
    v3_copy(e, k == 0 ? x : z);
    v3_copy(de, k == 0 ? dx : dz);
  }
}

/* Axes x, y, z of `across` are y, z, x of the frame that a and b span:  e_z = a/|a|, e_y = a x b/|a x b|, e_x = e_y x e_z. */
static const int spanned_axis[3] = {1, 2, 0};

void frame_across(const mbd_real a[3], const mbd_real b[3], mbd_real F[9]) {
  const mbd_real still[3] = {0, 0, 0};
  mbd_real e[3], none[3];
  for (int k = 0; k < 3; k++) {
    frame_spanned(spanned_axis[k], a, b, still, still, e, none);
    for (int i = 0; i < 3; i++) { F[3 * i + k] = e[i]; }
  }
}

/* phi = 1/2 sum_k e_k x de_k */
void frame_across_turn(const mbd_real a[3], const mbd_real b[3], const mbd_real da[3], const mbd_real db[3],
                       mbd_real phi[3]) {
  mbd_real e[3], de[3], turn[3];
  v3_set(phi, 0, 0, 0);
  for (int k = 0; k < 3; k++) {
    frame_spanned(k, a, b, da, db, e, de);
    v3_cross(turn, e, de);
    v3_axpy(phi, 0.5, turn);
  }
}
