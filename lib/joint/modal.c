/* A node of a flexible body, as a body behind a joint whose coordinates are amplitudes of shapes (modal.h). With l_k = dd/deta_k,
 * c = 4/(4 + |phi|^2) and T = c (1 + phi~/2), for which w = T phid,
 *   H_k  = [ l_k + d x t_k ; t_k ],    t_k = T Psi_k
 *   dH_k/deta_j = [ L e_z G_kj + l_j x t_k + d x dt_k/deta_j ; dt_k/deta_j ]
 *   dt_k/deta_j = -c/2 (phi . Psi_j) t_k + c/2 Psi_j x Psi_k
 * Equations: theory.md §12 (12.1), (12.2), (12.3). */
#include "joint/modal.h"

#include "joint/joint_math.h"
#include "joint/modal_place.h"

static void modal_pose(const mbd_real *z, const mbd_real *own, mbd_real *R, mbd_real *d) {
  modal_place m;
  modal_place_at(z, own, &m);
  v3_copy(d, m.d);
  modal_rotation_matrix(&m, R);
}

static void modal_h(const mbd_real *z, const mbd_real *own, mbd_real *H) {
  modal_place m;
  modal_place_at(z, own, &m);
  for (int k = 0; k < m.nm; k++, H += 6) {
    modal_twist(&m, modal_rotation(&m, k), H + 3);
    modal_shift(&m, k, H);
    v3_cross_add(H, m.d, H + 3);
  }
}

static void shortened_rate(const modal_place *m, const mbd_real *zd, modal_rate *v) {
  modal_rate_of(m, zd, v);
  modal_shorten(m, zd, v->Gzd);
}

/* g = [ L e_z zd' G zd + dd x w + d x gw ; gw ],  gw = -c/2 (phi . phid) w */
static void modal_hd_zd(const mbd_real *z, const mbd_real *own, const mbd_real *zd, mbd_real *g) {
  modal_place m;
  modal_place_at(z, own, &m);
  modal_rate v;
  shortened_rate(&m, zd, &v);
  v3_scale(g + 3, -m.c / 2 * v.s, v.w);
  v3_cross(g, v.dd, v.w);
  v3_cross_add(g, m.d, g + 3);
  g[2] += m.L * modal_dot(m.nm, zd, v.Gzd);
}

/* The same at the velocity 1 of shape k alone. */
static modal_rate rate_of_shape(const modal_place *m, int k) {
  modal_rate v;
  const mbd_real *G = m->own + modal_shortening(m->nm);
  v3_copy(v.phid, modal_rotation(m, k));
  modal_twist(m, v.phid, v.w);
  modal_shift(m, k, v.dd);
  for (int j = 0; j < m->nm; j++) { v.Gzd[j] = G[j * m->nm + k]; }
  v.s = v3_dot(m->phi, v.phid);
  return v;
}

/* out_j = sum_k dH_k/deta_j zd_k of the velocity v, out_j `apart` numbers apart */
static void dh_of_rate(const modal_place *m, const modal_rate *v, int apart, mbd_real *out) {
  for (int j = 0; j < m->nm; j++, out += apart) {
    mbd_real l[3];
    modal_shift(m, j, l);
    v3_cross(out + 3, modal_rotation(m, j), v->phid);
    v3_scale(out + 3, m->c / 2, out + 3);
    v3_axpy(out + 3, -m->c / 2 * v3_dot(m->phi, modal_rotation(m, j)), v->w);
    v3_cross(out, l, v->w);
    v3_cross_add(out, m->d, out + 3);
    out[2] += m->L * v->Gzd[j];
  }
}

/* out_j = sum_k dH_k/deta_j x_k */
static void modal_dh_times(const mbd_real *z, const mbd_real *own, const mbd_real *x, mbd_real *out) {
  modal_place m;
  modal_place_at(z, own, &m);
  modal_rate v;
  shortened_rate(&m, x, &v);
  dh_of_rate(&m, &v, 6, out);
}

static void modal_dh(const mbd_real *z, const mbd_real *own, mbd_real *dH) {
  modal_place m;
  modal_place_at(z, own, &m);
  for (int k = 0; k < m.nm; k++) {
    const modal_rate v = rate_of_shape(&m, k);
    dh_of_rate(&m, &v, 6 * m.nm, dH + 6 * k);
  }
}

/* Hd_k = sum_j dH_k/deta_j zd_j */
static void modal_hd(const mbd_real *z, const mbd_real *own, const mbd_real *zd, mbd_real *Hd) {
  modal_place m;
  modal_place_at(z, own, &m);
  modal_rate v;
  shortened_rate(&m, zd, &v);
  for (int k = 0; k < m.nm; k++, Hd += 6) {
    mbd_real t[3];
    modal_twist(&m, modal_rotation(&m, k), t);
    v3_cross(Hd + 3, v.phid, modal_rotation(&m, k));
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
  modal_place m;
  modal_place_at(z, own, &m);
  modal_rate v;
  shortened_rate(&m, zd, &v);
  const mbd_real h = m.c / 2;
  mbd_real gw[3];
  v3_scale(gw, -h * v.s, v.w);
  for (int j = 0; j < m.nm; j++, dg += 6) {
    const mbd_real *psi = modal_rotation(&m, j), turned = v3_dot(m.phi, psi);
    mbd_real l[3], dw[3], ddd[3] = {0, 0, m.L * v.Gzd[j]};
    modal_shift(&m, j, l);
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
