/* A node of a flexible body, as a body behind a joint whose coordinates are amplitudes of shapes (modal.h). With l_k = dd/deta_k,
 * c = 4/(4 + |phi|^2) and T = c (1 + phi~/2), for which w = T phid,
 *   H_k  = [ l_k + d x t_k ; t_k ],    t_k = T Psi_k
 *   dH_k/deta_j = [ L e_z G_kj + l_j x t_k + d x dt_k/deta_j ; dt_k/deta_j ]
 *   dt_k/deta_j = -c/2 (phi . Psi_j) t_k + c/2 Psi_j x Psi_k
 * Equations: theory.md §12 (12.1), (12.2), (12.3). */
#include "joint/modal.h"

#include "joint/joint_math.h"

/* The place of a node. */
typedef struct modal_place {
  int nm;
  mbd_real L, c;             /* c = 4/(4 + |phi|^2) */
  const mbd_real *own;       /* the numbers of the node */
  mbd_real d[3], phi[3];     /* displacement from the point of the joint, rotation */
  mbd_real Geta[MBD_NZ_MAX]; /* G eta */
} modal_place;

static const mbd_real *translation(const modal_place *m, int k) {
  return m->own + modal_shape(k);
}

static const mbd_real *rotation(const modal_place *m, int k) {
  return m->own + modal_shape(k) + 3;
}

/* out = G x */
static void shorten(const modal_place *m, const mbd_real *x, mbd_real *out) {
  const mbd_real *G = m->own + modal_shortening(m->nm);
  for (int j = 0; j < m->nm; j++) {
    out[j] = 0;
    for (int k = 0; k < m->nm; k++) { out[j] += G[j * m->nm + k] * x[k]; }
  }
}

/* out = Psi x */
static void turn(const modal_place *m, const mbd_real *x, mbd_real out[3]) {
  v3_set(out, 0, 0, 0);
  for (int k = 0; k < m->nm; k++) { v3_axpy(out, x[k], rotation(m, k)); }
}

/* l_k = L (S_k + e_z (G eta)_k) */
static void shift(const modal_place *m, int k, mbd_real l[3]) {
  v3_scale(l, m->L, translation(m, k));
  l[2] += m->L * m->Geta[k];
}

/* out = T psi */
static void twist(const modal_place *m, const mbd_real psi[3], mbd_real out[3]) {
  v3_cross(out, m->phi, psi);
  v3_scale(out, m->c / 2, out);
  v3_axpy(out, m->c, psi);
}

static modal_place place(const mbd_real *z, const mbd_real *own) {
  modal_place m = {.nm = (int)mbd_same(own[MODAL_COUNT]), .L = own[MODAL_SCALE], .own = own};
  mbd_real along = own[MODAL_AT];
  shorten(&m, z, m.Geta);
  for (int k = 0; k < m.nm; k++) {
    v3_axpy(m.d, z[k], translation(&m, k));
    along += z[k] * m.Geta[k] / 2;
  }
  m.d[2] += along;
  v3_scale(m.d, m.L, m.d);
  turn(&m, z, m.phi);
  m.c = 4 / (4 + v3_dot(m.phi, m.phi));
  return m;
}

static void modal_pose(const mbd_real *z, const mbd_real *own, mbd_real *R, mbd_real *d) {
  const modal_place m = place(z, own);
  const mbd_real *p = m.phi, h = m.c / 2, pp = v3_dot(p, p);
  v3_copy(d, m.d);
  /* phi~ phi~ = phi phi' - |phi|^2 1 */
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    R[4 * i] = 1 + h * (p[i] * p[i] - pp);
    R[3 * i + j] = h * p[i] * p[j] - m.c * p[k];
    R[3 * j + i] = h * p[i] * p[j] + m.c * p[k];
  }
}

static void modal_h(const mbd_real *z, const mbd_real *own, mbd_real *H) {
  const modal_place m = place(z, own);
  for (int k = 0; k < m.nm; k++, H += 6) {
    twist(&m, rotation(&m, k), H + 3);
    shift(&m, k, H);
    v3_cross_add(H, m.d, H + 3);
  }
}

/* A velocity of the node: phid = Psi zd, w = T phid, dd = sum l_k zd_k, G zd. */
typedef struct modal_rate {
  mbd_real phid[3], w[3], dd[3], Gzd[MBD_NZ_MAX], s; /* s = phi . phid */
} modal_rate;

static modal_rate rate_of(const modal_place *m, const mbd_real *zd) {
  modal_rate v;
  turn(m, zd, v.phid);
  twist(m, v.phid, v.w);
  v3_set(v.dd, 0, 0, 0);
  for (int k = 0; k < m->nm; k++) {
    mbd_real l[3];
    shift(m, k, l);
    v3_axpy(v.dd, zd[k], l);
  }
  shorten(m, zd, v.Gzd);
  v.s = v3_dot(m->phi, v.phid);
  return v;
}

/* g = [ L e_z zd' G zd + dd x w + d x gw ; gw ],  gw = -c/2 (phi . phid) w */
static void modal_hd_zd(const mbd_real *z, const mbd_real *own, const mbd_real *zd, mbd_real *g) {
  const modal_place m = place(z, own);
  const modal_rate v = rate_of(&m, zd);
  v3_scale(g + 3, -m.c / 2 * v.s, v.w);
  v3_cross(g, v.dd, v.w);
  v3_cross_add(g, m.d, g + 3);
  for (int k = 0; k < m.nm; k++) { g[2] += m.L * zd[k] * v.Gzd[k]; }
}

/* The same at the velocity 1 of shape k alone. */
static modal_rate rate_of_shape(const modal_place *m, int k) {
  modal_rate v;
  const mbd_real *G = m->own + modal_shortening(m->nm);
  v3_copy(v.phid, rotation(m, k));
  twist(m, v.phid, v.w);
  shift(m, k, v.dd);
  for (int j = 0; j < m->nm; j++) { v.Gzd[j] = G[j * m->nm + k]; }
  v.s = v3_dot(m->phi, v.phid);
  return v;
}

/* out_j = sum_k dH_k/deta_j zd_k of the velocity v, out_j `apart` numbers apart */
static void dh_of_rate(const modal_place *m, const modal_rate *v, int apart, mbd_real *out) {
  for (int j = 0; j < m->nm; j++, out += apart) {
    mbd_real l[3];
    shift(m, j, l);
    v3_cross(out + 3, rotation(m, j), v->phid);
    v3_scale(out + 3, m->c / 2, out + 3);
    v3_axpy(out + 3, -m->c / 2 * v3_dot(m->phi, rotation(m, j)), v->w);
    v3_cross(out, l, v->w);
    v3_cross_add(out, m->d, out + 3);
    out[2] += m->L * v->Gzd[j];
  }
}

/* out_j = sum_k dH_k/deta_j x_k */
static void modal_dh_times(const mbd_real *z, const mbd_real *own, const mbd_real *x, mbd_real *out) {
  const modal_place m = place(z, own);
  const modal_rate v = rate_of(&m, x);
  dh_of_rate(&m, &v, 6, out);
}

static void modal_dh(const mbd_real *z, const mbd_real *own, mbd_real *dH) {
  const modal_place m = place(z, own);
  for (int k = 0; k < m.nm; k++) {
    const modal_rate v = rate_of_shape(&m, k);
    dh_of_rate(&m, &v, 6 * m.nm, dH + 6 * k);
  }
}

/* Hd_k = sum_j dH_k/deta_j zd_j */
static void modal_hd(const mbd_real *z, const mbd_real *own, const mbd_real *zd, mbd_real *Hd) {
  const modal_place m = place(z, own);
  const modal_rate v = rate_of(&m, zd);
  for (int k = 0; k < m.nm; k++, Hd += 6) {
    mbd_real t[3];
    twist(&m, rotation(&m, k), t);
    v3_cross(Hd + 3, v.phid, rotation(&m, k));
    v3_scale(Hd + 3, m.c / 2, Hd + 3);
    v3_axpy(Hd + 3, -m.c / 2 * v.s, t);
    v3_cross(Hd, v.dd, t);
    v3_cross_add(Hd, m.d, Hd + 3);
    Hd[2] += m.L * v.Gzd[k];
  }
}

/* dg_j = dg/deta_j, from dw_j = -c/2 (phi . Psi_j) w + c/2 Psi_j x phid and
 *   dgw_j = c^2/4 (phi . Psi_j) s w - c/2 (Psi_j . phid) w - c/2 s dw_j */
static void modal_dhd_zd(const mbd_real *z, const mbd_real *own, const mbd_real *zd, mbd_real *dg) {
  const modal_place m = place(z, own);
  const modal_rate v = rate_of(&m, zd);
  const mbd_real h = m.c / 2;
  mbd_real gw[3];
  v3_scale(gw, -h * v.s, v.w);
  for (int j = 0; j < m.nm; j++, dg += 6) {
    const mbd_real *psi = rotation(&m, j), turned = v3_dot(m.phi, psi);
    mbd_real l[3], dw[3], ddd[3] = {0, 0, m.L * v.Gzd[j]};
    shift(&m, j, l);
    v3_cross(dw, psi, v.phid);
    v3_scale(dw, h, dw);
    v3_axpy(dw, -h * turned, v.w);
    v3_scale(dg + 3, h * h * turned * v.s - h * v3_dot(psi, v.phid), v.w);
    v3_axpy(dg + 3, -h * v.s, dw);
    v3_cross(dg, ddd, v.w);
    v3_cross_add(dg, v.dd, dw);
    v3_cross_add(dg, l, gw);
    v3_cross_add(dg, m.d, dg + 3);
  }
}

static const char *const names[MBD_NZ_MAX] = {"shape1",  "shape2",  "shape3",  "shape4",  "shape5",  "shape6",
                                              "shape7",  "shape8",  "shape9",  "shape10", "shape11", "shape12",
                                              "shape13", "shape14", "shape15", "shape16"};
static const char *const units[MBD_NZ_MAX] = {"-", "-", "-", "-", "-", "-", "-", "-",
                                              "-", "-", "-", "-", "-", "-", "-", "-"};

#define MODAL(n)                                                                                                  \
  {                                                                                                               \
    JOINT(modal, n, "A node of a flexible body.", .image = MBD_IMAGE_NONE), .euler = -1, .mid = (n), .scaled = 1, \
                                                                            JOINT_COLUMNS_CHANGE(modal)           \
  }

static const mbd_joint_ops rows[MBD_NZ_MAX] = {MODAL(1),  MODAL(2),  MODAL(3),  MODAL(4),  MODAL(5),  MODAL(6),
                                               MODAL(7),  MODAL(8),  MODAL(9),  MODAL(10), MODAL(11), MODAL(12),
                                               MODAL(13), MODAL(14), MODAL(15), MODAL(16)};

const mbd_joint_ops *modal_joint(int nm) {
  return &rows[nm - 1];
}
