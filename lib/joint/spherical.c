/* Spherical joint: free rotation about a shared point, by four Euler parameters.
 *   b = [ 2 (r_j~ - r_i~) E ; 2 E ]      (S0 Table 11)
 * Their normalization is a constraint of the model. */
#include "joint/joint.h"
#include "joint/joint_math.h"

static void spherical_pose(const mbd_real *z, const mbd_real *Q, mbd_real *R, mbd_real *d) {
  (void)Q;
  euler_rotation(R, z);
  v3_set(d, 0, 0, 0);
}

/* n twists without translation. */
static void turns(int n, const mbd_real *w, mbd_real *H) {
  for (int k = 0; k < n; k++) {
    v3_set(H + 6 * k, 0, 0, 0);
    v3_copy(H + 6 * k + 3, w + 3 * k);
  }
}

static void spherical_h(const mbd_real *z, const mbd_real *Q, mbd_real *H) {
  mbd_real w[12];
  (void)Q;
  euler_twists(w, z);
  turns(4, w, H);
}

static void spherical_hd_zd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *g) {
  (void)Q;
  v3_set(g, 0, 0, 0);
  euler_rate_term(g + 3, z, zd);
}

static void spherical_dh(const mbd_real *z, const mbd_real *Q, mbd_real *dH) {
  mbd_real dw[48];
  (void)Q;
  euler_dtwists(dw, z);
  turns(16, dw, dH);
}

static void spherical_dh_times(const mbd_real *z, const mbd_real *Q, const mbd_real *x, mbd_real *out) {
  mbd_real w[12];
  (void)Q;
  euler_dtwists_times(w, z, x);
  turns(4, w, out);
}

static void spherical_hd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *Hd) {
  mbd_real w[12];
  (void)Q;
  euler_twist_rates(w, z, zd);
  turns(4, w, Hd);
}

static void spherical_dhd_zd(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *dg) {
  mbd_real dgw[12];
  (void)Q;
  euler_drate_term(dgw, z, zd);
  turns(4, dgw, dg);
}

static const char *const names[] = {"e0", "e1", "e2", "e3"};
static const char *const units[] = {"-", "-", "-", "-"};

const mbd_joint_ops mbd_joint_spherical = {
    JOINT(spherical, 4,
          "Free rotation about a shared point, by four Euler parameters (e0, e1, e2, e3) of the body farther from the "
          "ground "
          "relative to the other, whatever their order: 1, 0, 0, 0 where the body frames are parallel, cos(phi/2), "
          "sin(phi/2) u after a turn by phi about the unit vector u. Their normalization becomes a constraint.",
          .naxis = 0, .npoint = 1, .image = MBD_IMAGE_AXIS),
    .euler = 0,
    .mid = 4,
    JOINT_COLUMNS_CHANGE(spherical),
    .nclosure = 1,
    .closure = {{"coincident", NULL, NULL}},
};
