/* Floating joint: three translations along the parent's axes, then free rotation about the displaced point by four
 * Euler parameters:  H_k = [ e_k ; 0 ],  H_(3+k) = [ d x w_k ; w_k ]   (S0 Table 11) */
#include "joint/joint.h"
#include "joint/joint_math.h"

static void floating_pose(const mbd_real *z, const mbd_real *Q, mbd_real *R, mbd_real *d) {
  (void)Q;
  v3_copy(d, z);
  euler_rotation(R, z + 3);
}

/* [ d x w ; w ] */
static void about_displaced_point(mbd_real *out, const mbd_real *d, const mbd_real *w) {
  v3_cross(out, d, w);
  v3_copy(out + 3, w);
}

static void floating_h(const mbd_real *z, const mbd_real *Q, mbd_real *H) {
  mbd_real w[12];
  (void)Q;
  euler_twists(w, z + 3);
  for (int k = 0; k < 3; k++) { joint_unit_twist(H + 6 * k, k); }
  for (int k = 0; k < 4; k++) { about_displaced_point(H + 6 * (3 + k), z, w + 3 * k); }
}

/* g = [ dd x w + d x g_w ; g_w ] */
static void floating_hd_zd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *g) {
  mbd_real gw[3], w[3];
  (void)Q;
  euler_rate_term(gw, z + 3, zd + 3);
  euler_E_mul(w, z + 3, zd + 3, 2 / euler_norm2(z + 3));
  about_displaced_point(g, z, gw);
  v3_cross_add(g, zd, w);
}

static void floating_dh(const mbd_real *z, const mbd_real *Q, mbd_real *dH) {
  mbd_real w[12], dw[48];
  (void)Q;
  memset(dH, 0, sizeof(mbd_real) * 7 * 7 * 6);
  euler_twists(w, z + 3);
  euler_dtwists(dw, z + 3);
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < 3; i++) { /* d/dz_i: [ e_i x w_k ; 0 ] */
      const mbd_real e[3] = {i == 0, i == 1, i == 2};
      v3_cross(dH + 6 * (7 * i + 3 + k), e, w + 3 * k);
    }
    for (int j = 0; j < 4; j++) { about_displaced_point(dH + 6 * (7 * (3 + j) + 3 + k), z, dw + 3 * (4 * j + k)); }
  }
}

/* out [3][6] = [ e_i x W ; 0 ] */
static void unit_crosses(const mbd_real W[3], mbd_real *out) {
  for (int i = 0; i < 3; i++) {
    const mbd_real e[3] = {i == 0, i == 1, i == 2};
    v3_cross(out + 6 * i, e, W);
    v3_set(out + 6 * i + 3, 0, 0, 0);
  }
}

/* [ e_i x W ; 0 ] and [ d x W_j ; W_j ],  W = sum_k w_k x_k */
static void floating_dh_times(const mbd_real *z, const mbd_real *Q, const mbd_real *x, mbd_real *out) {
  mbd_real W[3], dW[12];
  (void)Q;
  euler_E_mul(W, z + 3, x + 3, 2 / euler_norm2(z + 3));
  euler_dtwists_times(dW, z + 3, x + 3);
  unit_crosses(W, out);
  for (int j = 0; j < 4; j++) { about_displaced_point(out + 6 * (3 + j), z, dW + 3 * j); }
}

/* [ dd x w_k + d x wd_k ; wd_k ] */
static void floating_hd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *Hd) {
  mbd_real w[12], wd[12];
  (void)Q;
  euler_twists(w, z + 3);
  euler_twist_rates(wd, z + 3, zd + 3);
  memset(Hd, 0, sizeof(mbd_real) * 3 * 6);
  for (int k = 0; k < 4; k++) {
    about_displaced_point(Hd + 6 * (3 + k), z, wd + 3 * k);
    v3_cross_add(Hd + 6 * (3 + k), zd, w + 3 * k);
  }
}

static void floating_dhd_zd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *dg) {
  mbd_real gw[3], dgw[12], wj[12];
  (void)Q;
  euler_rate_term(gw, z + 3, zd + 3);
  euler_drate_term(dgw, z + 3, zd + 3);
  euler_dtwists_times(wj, z + 3, zd + 3);
  unit_crosses(gw, dg);
  for (int j = 0; j < 4; j++) { /* [ dd x dw/dp_j + d x dg_w ; dg_w ] */
    about_displaced_point(dg + 6 * (3 + j), z, dgw + 3 * j);
    v3_cross_add(dg + 6 * (3 + j), zd, wj + 3 * j);
  }
}

static const char *const names[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
static const char *const units[] = {"m", "m", "m", "-", "-", "-", "-"};

const mbd_joint_ops mbd_joint_floating = {
    JOINT(floating, 7,
          "All six motions of the body farther from the ground relative to the other, whatever their order: "
          "displacement (x, "
          "y, z) of a point (without points: of the origin of its frame) along the axes of the other body, and four "
          "Euler "
          "parameters (e0, e1, e2, e3) as of spherical, whose normalization becomes a constraint. A body with no joint "
          "gets one to the ground.",
          .naxis = 0, .npoint = 0, .image = MBD_IMAGE_AXIS),
    .euler = 3,
    .mid = 7,
    JOINT_COLUMNS_CHANGE(floating),
    .measure = {MEASURE_TRAVEL("Px"), MEASURE_TRAVEL("Py"), MEASURE_TRAVEL("Pz")},
};
