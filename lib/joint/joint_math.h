/* Functions that several joints use. */
#ifndef MBD_JOINT_MATH_H
#define MBD_JOINT_MATH_H

#include <string.h>

#include "base/v3.h"

/* R = rotation about e_z by the angle a. */
static inline void joint_rot_z(mbd_real R[9], mbd_real a) {
  mbd_real c = mbd_cos(a), s = mbd_sin(a);
  R[0] = c, R[1] = -s, R[2] = 0;
  R[3] = s, R[4] = c, R[5] = 0;
  R[6] = 0, R[7] = 0, R[8] = 1;
}

/* One column [v; w] of H set to the unit vector number k of its six. */
static inline void joint_unit_twist(mbd_real H[6], int k) {
  for (int i = 0; i < 6; i++) { H[i] = 0; }
  H[k] = 1;
}

/* Euler parameters p = (e0, e), of any length N = p'p > 0: the rotation is that of p / sqrt(N), so that the twists
 * below are its exact derivative also off the unit sphere, where Newton iterations pass.
 *   R = 1 + (2/N)(e0 e~ + e~ e~),    w = (2/N) E pd,   E = [ -e , e~ + e0 1 ]      (S0 Table 11) */
static inline mbd_real euler_norm2(const mbd_real p[4]) {
  return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
}

static inline void euler_rotation(mbd_real R[9], const mbd_real p[4]) {
  mbd_real s = 2 / euler_norm2(p), a = p[0], x = p[1], y = p[2], z = p[3];
  R[0] = 1 - s * (y * y + z * z), R[1] = s * (x * y - a * z), R[2] = s * (x * z + a * y);
  R[3] = s * (x * y + a * z), R[4] = 1 - s * (x * x + z * z), R[5] = s * (y * z - a * x);
  R[6] = s * (x * z - a * y), R[7] = s * (y * z + a * x), R[8] = 1 - s * (x * x + y * y);
}

/* out = s * (column k of E(p)); E is linear in p. */
static inline void euler_E_column(mbd_real out[3], const mbd_real p[4], int k, mbd_real s) {
  mbd_real a = s * p[0], x = s * p[1], y = s * p[2], z = s * p[3];
  switch (k) {
    case 0: out[0] = -x, out[1] = -y, out[2] = -z; break;
    case 1: out[0] = a, out[1] = z, out[2] = -y; break;
    case 2: out[0] = -z, out[1] = a, out[2] = x; break;
    default: out[0] = y, out[1] = -x, out[2] = a; break;
  }
}

/* out = s * E(p) q  =  s (-e q0 + e0 qe + e x qe) */
static inline void euler_E_mul(mbd_real out[3], const mbd_real p[4], const mbd_real q[4], mbd_real s) {
  v3_cross(out, p + 1, q + 1);
  for (int i = 0; i < 3; i++) { out[i] = s * (out[i] - p[1 + i] * q[0] + p[0] * q[1 + i]); }
}

/* w [4][3], the angular twists of the four Euler parameters. */
static inline void euler_twists(mbd_real *w, const mbd_real p[4]) {
  mbd_real s = 2 / euler_norm2(p);
  for (int k = 0; k < 4; k++) { euler_E_column(w + 3 * k, p, k, s); }
}

/* dw [4][4][3]: dw[j][k] = d w_k / d p_j = (2/N) E_k(u_j) - (4 p_j / N^2) E_k(p), u_j the unit vector j */
static inline void euler_dtwists(mbd_real *dw, const mbd_real p[4]) {
  mbd_real N = euler_norm2(p);
  for (int j = 0; j < 4; j++) {
    mbd_real u[4] = {0, 0, 0, 0};
    u[j] = 1;
    for (int k = 0; k < 4; k++) {
      mbd_real a[3], b[3];
      euler_E_column(a, u, k, 2 / N);
      euler_E_column(b, p, k, 4 * p[j] / (N * N));
      v3_sub(dw + 3 * (4 * j + k), a, b);
    }
  }
}

/* out [4][3]: out[j] = d/dp_j sum_k w_k x_k = (2/N) E(u_j) x - (4 p_j / N^2) E(p) x */
static inline void euler_dtwists_times(mbd_real *out, const mbd_real p[4], const mbd_real x[4]) {
  const mbd_real N = euler_norm2(p), s = 2 / N;
  mbd_real Ex[3];
  euler_E_mul(Ex, p, x, -4 / (N * N));
  for (int i = 0; i < 3; i++) { out[i] = s * x[1 + i] + p[0] * Ex[i]; }
  for (int j = 0; j < 3; j++) { /* E(u_j) x = u_j x xe - u_j x0 */
    mbd_real *o = out + 3 * (1 + j);
    const int a = (j + 1) % 3, b = (j + 2) % 3;
    o[j] = -s * x[0] + p[1 + j] * Ex[j];
    o[a] = -s * x[1 + b] + p[1 + j] * Ex[a];
    o[b] = s * x[1 + a] + p[1 + j] * Ex[b];
  }
}

/* wd [4][3]: rates of the twists, (2/N) E_k(pd) - (4 p'pd / N^2) E_k(p) */
static inline void euler_twist_rates(mbd_real *wd, const mbd_real p[4], const mbd_real pd[4]) {
  const mbd_real N = euler_norm2(p), s = -4 * (p[0] * pd[0] + p[1] * pd[1] + p[2] * pd[2] + p[3] * pd[3]) / (N * N);
  for (int k = 0; k < 4; k++) {
    mbd_real a[3], b[3];
    euler_E_column(a, pd, k, 2 / N);
    euler_E_column(b, p, k, s);
    v3_add(wd + 3 * k, a, b);
  }
}

/* g = sum_kl dw_k/dp_l pd_l pd_k = -(Nd/N) w,  Nd = 2 p'pd   (E(pd) pd = 0) */
static inline void euler_rate_term(mbd_real g[3], const mbd_real p[4], const mbd_real pd[4]) {
  mbd_real N = euler_norm2(p), Nd = 2 * (p[0] * pd[0] + p[1] * pd[1] + p[2] * pd[2] + p[3] * pd[3]);
  euler_E_mul(g, p, pd, -2 * Nd / (N * N));
}

/* dg [4][3]: dg[j] = d g / d p_j = -(2/N^2) [ Nd E(u_j)pd + 2 pd_j E(p)pd - (4 Nd p_j / N) E(p)pd ] */
static inline void euler_drate_term(mbd_real *dg, const mbd_real p[4], const mbd_real pd[4]) {
  mbd_real N = euler_norm2(p), Nd = 2 * (p[0] * pd[0] + p[1] * pd[1] + p[2] * pd[2] + p[3] * pd[3]);
  mbd_real s = -2 / (N * N), Epd[3];
  euler_E_mul(Epd, p, pd, s);
  for (int j = 0; j < 4; j++) {
    mbd_real u[4] = {0, 0, 0, 0}, a[3];
    u[j] = 1;
    euler_E_mul(a, u, pd, s * Nd);
    for (int i = 0; i < 3; i++) { dg[3 * j + i] = a[i] + (2 * pd[j] - 4 * Nd * p[j] / N) * Epd[i]; }
  }
}

/* Entries of a joint's row: its name, coordinates `names` and `units`, further members of mbd_joint_info, and functions called after
 * it. JOINT_COLUMNS_CHANGE: the further functions of a joint whose columns depend on its coordinates. */
#define JOINT(NAME, NZ, DOC, ...)                                                                           \
  .info = {.name = #NAME, .doc = DOC, .nz = NZ, .coordinate = names, .unit = units, __VA_ARGS__}, .nz = NZ, \
  .pose = NAME##_pose, .h = NAME##_h
#define JOINT_COLUMNS_CHANGE(NAME) \
  .hd_zd = NAME##_hd_zd, .dh = NAME##_dh, .dh_times = NAME##_dh_times, .hd = NAME##_hd, .dhd_zd = NAME##_dhd_zd

#endif
