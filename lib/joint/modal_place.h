/* The place of a node of a flexible body and its rates, in the frame of its joint (modal.h): theory.md §12 (12.1), (12.2). */
#ifndef MBD_MODAL_PLACE_H
#define MBD_MODAL_PLACE_H

#include "base/v3.h"
#include "joint/modal.h"

/* The place of a node. */
typedef struct modal_place {
  int nm;
  mbd_real L, c;             /* c = 4/(4 + |phi|^2) */
  const mbd_real *own;       /* the numbers of the node */
  mbd_real d[3], phi[3];     /* displacement from the point of the joint, rotation */
  mbd_real Geta[MBD_NZ_MAX]; /* G eta */
} modal_place;

static inline const mbd_real *modal_translation(const modal_place *m, int k) {
  return m->own + modal_shape(k);
}

static inline const mbd_real *modal_rotation(const modal_place *m, int k) {
  return m->own + modal_shape(k) + 3;
}

/* out = G x */
static inline void modal_shorten(const modal_place *m, const mbd_real *x, mbd_real *out) {
  const mbd_real *G = m->own + modal_shortening(m->nm);
  for (int j = 0; j < m->nm; j++) { out[j] = 0; }
  for (int k = 0; k < m->nm; k++, G += m->nm) { /* symmetric */
    for (int j = 0; j < m->nm; j++) { out[j] += x[k] * G[j]; }
  }
}

/* out = [ S x ; Psi x ] */
static inline void modal_sum(const modal_place *m, const mbd_real *x, mbd_real out[6]) {
  const mbd_real *shape = m->own + modal_shape(0);
  mbd_real sum[6] = {0};
  for (int k = 0; k < m->nm; k++, shape += 6) {
    for (int i = 0; i < 6; i++) { sum[i] += x[k] * shape[i]; }
  }
  for (int i = 0; i < 6; i++) { out[i] = sum[i]; }
}

static inline mbd_real modal_dot(int n, const mbd_real *x, const mbd_real *y) {
  mbd_real sum = 0;
  for (int k = 0; k < n; k++) { sum += x[k] * y[k]; }
  return sum;
}

/* l_k = L (S_k + e_z (G eta)_k) */
static inline void modal_shift(const modal_place *m, int k, mbd_real l[3]) {
  v3_scale(l, m->L, modal_translation(m, k));
  l[2] += m->L * m->Geta[k];
}

/* out = T psi */
static inline void modal_twist(const modal_place *m, const mbd_real psi[3], mbd_real out[3]) {
  v3_cross(out, m->phi, psi);
  v3_scale(out, m->c / 2, out);
  v3_axpy(out, m->c, psi);
}

static inline void modal_place_at(const mbd_real *z, const mbd_real *own, modal_place *m) {
  mbd_real sum[6];
  m->nm = (int)mbd_same(own[MODAL_COUNT]), m->L = own[MODAL_SCALE], m->own = own;
  modal_shorten(m, z, m->Geta);
  modal_sum(m, z, sum);
  sum[2] += own[MODAL_AT] + modal_dot(m->nm, z, m->Geta) / 2;
  v3_scale(m->d, m->L, sum);
  v3_copy(m->phi, sum + 3);
  m->c = 4 / (4 + v3_dot(m->phi, m->phi));
}

/* R = 1 + c (phi~ + phi~ phi~/2),  phi~ phi~ = phi phi' - |phi|^2 1 */
static inline void modal_rotation_matrix(const modal_place *m, mbd_real R[9]) {
  const mbd_real *p = m->phi, h = m->c / 2, pp = v3_dot(p, p);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    R[4 * i] = 1 + h * (p[i] * p[i] - pp);
    R[3 * i + j] = h * p[i] * p[j] - m->c * p[k];
    R[3 * j + i] = h * p[i] * p[j] + m->c * p[k];
  }
}

/* A velocity of the node: phid = Psi zd, w = T phid, dd = sum l_k zd_k; G zd is set by modal_shorten where it is needed. */
typedef struct modal_rate {
  mbd_real phid[3], w[3], dd[3], Gzd[MBD_NZ_MAX], s; /* s = phi . phid */
} modal_rate;

static inline void modal_rate_of(const modal_place *m, const mbd_real *zd, modal_rate *v) {
  mbd_real sum[6];
  modal_sum(m, zd, sum);
  sum[2] += modal_dot(m->nm, zd, m->Geta);
  v3_scale(v->dd, m->L, sum);
  v3_copy(v->phid, sum + 3);
  modal_twist(m, v->phid, v->w);
  v->s = v3_dot(m->phi, v->phid);
}

#endif
