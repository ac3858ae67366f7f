/* The residual and its derivatives (theory.md §3):  r = M(z) zdd - Q(z, zd, t) + Phi_z' lam.
 *
 * All functions work at the state of the last sweep_position and sweep_motion. Matrices are row-major. */
#ifndef MBD_DYNAMICS_H
#define MBD_DYNAMICS_H

#include "kinematics/pull.h"

/* What the residual contains: a projection has inertia only, the equations of motion also the applied forces.
 * DYN_OPEN, for dyn_jacobian: eq_hessian follows with the same K and sums up the forces' second derivatives with its own.
 * DYN_CLEARED: the caller has cleared the matrices, by lists of their nonzeros. */
enum { DYN_INERTIA = 1, DYN_FORCES = 2, DYN_OPEN = 4, DYN_CLEARED = 8 };

/* r [nz] without constraint reactions. Cost O(bodies). */
void dyn_residual(const mbd_params *p, mbd_work *w, mbd_real t, unsigned what, mbd_real *r);

/* K = dr/dz, C = dr/dzd, M = dr/dzdd [nz][nz], overwritten; needs sweep_columns. C may be NULL (velocities zero, no
 * forces), and M (not wanted). Cost O(sum of the depths). */
void dyn_jacobian(const mbd_params *p, mbd_work *w, mbd_real t, unsigned what, mbd_real *K, mbd_real *C, mbd_real *M);

/* M alone, by composite bodies; needs sweep_position only. */
void dyn_mass(mbd_work *w, mbd_real *M);
void dyn_mass_places(mbd_work *w, mbd_real *M); /* the same, without the entries that are always zero */

/* dr [nz] = (dr/dtheta) dtheta + K dz + C dzd + M dzdd, overwritten; v from vary_motion at the same state, which has the
 * coordinates' part; d NULL: coordinates only. Cost O(bodies + forces). */
void dyn_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, mbd_real t,
                   unsigned what, mbd_real *dr);

/* A force and its slopes at a state: K[a][b] = df_a/dx_b, D[a][b] = df_a/dxd_b, and which of them are not zero. */
typedef struct force_linear {
  mbd_real f[MBD_ARG_MAX][3], K[MBD_ARG_MAX][MBD_ARG_MAX][9], D[MBD_ARG_MAX][MBD_ARG_MAX][9];
  int nK, nD;
  lift_block K_at[MBD_ARG_MAX * MBD_ARG_MAX], D_at[MBD_ARG_MAX * MBD_ARG_MAX];
} force_linear;

/* All of them, list [nforce]; needs sweep_motion. */
void dyn_linearize_forces(const mbd_params *p, const mbd_work *w, mbd_real t, force_linear *list);

/* ---- reverse (kinematics/pull.h): derivatives added to q and theta; theta NULL: coordinates only ---- */

/* of mu . r by the state, with mu the rates of the first virtual field; force [nforce]: linearized there, NULL: without
 * forces */
void dyn_pull(const mbd_work *w, const force_linear *force, mbd_pull *q, params_pull *theta);

/* of mu . r by the coefficients that are not geometry */
void dyn_pull_coefficients(const mbd_params *p, const mbd_work *w, mbd_real t, const mbd_pull *q, params_pull *theta);

/* of mu . M x, with the rates of two virtual fields; needs sweep_position only. */
void dyn_pull_mass(const mbd_params *p, const mbd_work *w, int mu, int x, mbd_pull *q, params_pull *theta);

/* theta += s d(a . I b) of body i by its mass, centre of mass and inertia, for motions a, b at its reference point. */
void dyn_pull_inertia(const mbd_params *p, const mbd_work *w, int i, const mbd_real a[6], const mbd_real b[6],
                      mbd_real s, params_pull *theta);

/* Kinetic energy, and the potential energy of gravity and of the springs. */
mbd_real dyn_kinetic(const mbd_work *w);
mbd_real dyn_potential(const mbd_params *p, const mbd_work *w, mbd_real t);

#endif
