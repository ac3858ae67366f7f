/* The matrices of a time step, Phi_z and A + alpha Phi_z' Phi_z: where they can differ from zero, dense or sparse factors, and
 * products. */
#ifndef MBD_MATRICES_H
#define MBD_MATRICES_H

#include "state/sim.h"

/* Fill M_at, T0_at, Phi_at. */
mbd_status sim_nonzeros(mbd_sim *s, mbd_error *err);

/* Dense or sparse factors, as the case says; after sim_nonzeros. */
mbd_status sim_choose_solver(mbd_sim *s, mbd_error *err);
void sim_places_destroy(sim_places *g); /* NULL allowed */

/* f: T_lu or P_lu, factors of A + alpha Phi_z' Phi_z, A [nz][nz] and Phi_z of sim_phi_z. MBD_SINGULAR with the text `why`. */
mbd_status sim_factor(mbd_sim *s, const mbd_real *A, double alpha, mbd_factors *f, const char *why, mbd_error *err);

/* at := where dense factors differ from zero; nothing of sparse ones, which need no list. */
void sim_find_factors(const mbd_sim *s, const mbd_factors *f, const mbd_nonzeros *at);

/* Where K and C can differ from zero, for motion_jacobian; NULL: not listed. */
static inline const mbd_nonzeros *sim_tangent_at(const mbd_sim *s) {
  return s->sparse ? &s->T0_at : NULL;
}

/* A [nz][nz] := 0; at: where it can differ from zero */
void sim_clear(const mbd_sim *s, const mbd_nonzeros *at, mbd_real *A);

/* Phi (NULL: not wanted) and Phi_z at the swept position, packed alone if sparse; products with it: y [nphi][k] += c Phi_z x [nz][k], and
 * x [nz][k] += c Phi_z' y [nphi][k] */
void sim_phi_z(mbd_sim *s, mbd_real *phi);
void sim_pack_phi(mbd_sim *s); /* after motion_phi has made Phi_z without it */
void sim_phi_mul_add(const mbd_sim *s, int k, mbd_real c, const mbd_real *x, mbd_real *y);
void sim_phi_mulT_add(const mbd_sim *s, int k, mbd_real c, const mbd_real *y, mbd_real *x);

/* alpha for this A and Phi_z of sim_phi_z */
double sim_penalty(const mbd_sim *s, const mbd_real *A);

#endif
