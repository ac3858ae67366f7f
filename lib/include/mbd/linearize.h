/* Small motions about the start of a case: their linear system, and its eigenvalues. */
#ifndef MBD_LINEARIZE_H
#define MBD_LINEARIZE_H

#include "mbd/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The linear system x' = A x with x = (dz, dzd, dx), the deviations of independent coordinates, of independent rates and of the model's states from the
 * motion; order = n + nrate + nstate. Without velocity constraints the rates are those of the n coordinates, nrate = n. The other coordinates follow from the
 * constraints; for a body near its reference orientation, e0 of its Euler parameters is one of these. */
typedef struct mbd_linear {
  int n;     /* degrees of freedom */
  int *z;    /* [n] independent coordinates */
  double *A; /* [order][order], row-major */
  double *re,
      *im; /* [order] eigenvalues [1/s], the least stable first, of equal real parts the lowest frequency; of a pair the one with im > 0 comes first */
  double *
      shape; /* [order][n] row i: magnitude of each coordinate in mode i, scaled so that the largest is 1; zero where only states move */
  double acceleration,
      jerk;        /* largest ones of the independent rates at the start, [m/s^2] or [rad/s^2], and per second */
  int accelerated; /* the coordinate with the largest acceleration */
  /* [order][n] row i: the same magnitudes, each times the root mean square displacement [m] of the mass that its coordinate moves at a unit while
   * the other independent ones rest: so those in m and in rad compare. The largest is 1. */
  double *share;
  /* [order] of the eigenvector of mode i: the largest row of |A x - lambda x|, relative to that row of |A| + |lambda| and to the largest |x_k|.
   * Rounding leaves 1e-12; above 1e-6 shape and share mean nothing. */
  double *residual;
  int nstate;          /* states of the model (mbd_model_nstate) */
  double *state_shape; /* [order][nstate] row i: magnitude of each state in mode i, scaled so that the largest is 1 */
  int nrate, *rate;    /* [nrate] coordinates among z whose rates are independent */
  /* [order] 1: a rigid motion, free: a displacement on which no force depends, as a shift in the plane, a turn or the phase of a wheel, or one that leads
   * to these, as a heading at speed or the speed itself. They are found by their vectors, and their eigenvalues are zero. */
  int *rigid;
} mbd_linear;

/* Linearizes the equations of motion about the state at the start of the case of `s` (theory.md §3 (3.3)).
 *   M dzdd + C dzd + K dz + Phi_z' dlam = 0,   Phi_z dz = 0
 * with K of all forces, inertia forces and reactions, on the tangent space of the constraints (redundant ones allowed), and with velocity constraints
 * A dzd + Psi_z dz = 0 beside Phi_z dzd, theory.md §3 (3.11).
 * The eigenvalues describe a *steady* motion: an equilibrium, or one with constant rates of coordinates on which no force depends. If
 * acceleration and jerk are not zero, A is valid at this instant only. Curves over time are evaluated at t = 0.
 * out      to be freed with mbd_linear_free; zeroed on failure
 * returns  the errors of mbd_sim_start; MBD_NO_MEMORY; MBD_NOT_BUILT_IN without LAPACK
 *          and MBD_UNSUPPORTED if the model has states, or velocity constraints, and the program was compiled with a header without `nstate`, `nrate`
 * cost     that of a start, and of the eigenvalues of a matrix of this order */
mbd_status mbd_sim_linearize_sized(mbd_sim *s, const mbd_params *p, mbd_linear *out, size_t size, mbd_error *err);
void mbd_linear_free_sized(mbd_linear *l, size_t size);
static inline mbd_status mbd_sim_linearize(mbd_sim *s, const mbd_params *p, mbd_linear *out, mbd_error *err) {
  return mbd_sim_linearize_sized(s, p, out, sizeof *out, err);
}
static inline void mbd_linear_free(mbd_linear *l) {
  mbd_linear_free_sized(l, sizeof *l);
}

/* The same, and the motion of the bodies in each mode, for pictures: body i of nb (in tree order, without the ground) moves by
 *   Re((c + j s) exp(lambda t)),   c = bodies[mode][0][i], s = bodies[mode][1][i],   [order][2][nb][6]
 * from its place at the start: its centre of mass by three components [m], then its rotation vector [rad], both in global axes. Modes are
 * those of `out`; s = 0 for a mode that does not oscillate. As in `shape`, the coordinate that moves farthest moves by 1.
 * bodies   to be freed by the caller; NULL on failure, and where nothing is free to move
 * cost     a sweep over the bodies for each mode */
mbd_status mbd_sim_linearize_bodies_sized(mbd_sim *s, const mbd_params *p, mbd_linear *out, size_t size,
                                          double **bodies, mbd_error *err);
static inline mbd_status mbd_sim_linearize_bodies(mbd_sim *s, const mbd_params *p, mbd_linear *out, double **bodies,
                                                  mbd_error *err) {
  return mbd_sim_linearize_bodies_sized(s, p, out, sizeof *out, bodies, err);
}

/* The same with the vectors of the modes, by which modes are followed from one design to another, and differentiated. The system is that of
 * mbd_modes_linear. Errors and cost: those of mbd_sim_linearize, and three systems with the factors of M for each mode. The caller frees *out. */
typedef struct mbd_modes mbd_modes;
mbd_status mbd_sim_modes(mbd_sim *s, const mbd_params *p, mbd_modes **out, mbd_error *err);
void mbd_modes_free(mbd_modes *m); /* NULL allowed */
const mbd_linear *mbd_modes_linear(const mbd_modes *m);

/* How alike mode i of a and mode j of b are, of the same mechanism with other numbers:
 *   |(w_i'v_j) (w_j'v_i)|,   w'v = 1
 * with right and left vectors v, w. It is the modal assurance criterion with left vectors in the place of conjugate ones, so that it does not depend on
 * units and on the choice of coordinates: 1 for the same mode, 0 for two modes of one system; near a double eigenvalue it can exceed 1.
 * Not finite where a mode is rigid or has no left vector, as in a Jordan block. */
double mbd_modes_likeness(const mbd_modes *a, int i, const mbd_modes *b, int j);

/* d lambda = w'dA v of mode i for a change dA [order][order] of the matrix: real part, imaginary part. */
void mbd_modes_along(const mbd_modes *m, int i, const double *dA, double change[2]);

/* The condition of mode i, sum_k |w_k v_k| with w'v = 1: 1 where vectors are far from each other, large near a double eigenvalue with one vector. It has no
 * unit. */
double mbd_modes_condition(const mbd_modes *m, int i);

/* What the derivatives of mode i are made of, for mbd_referee_modes (mbd/referee.h). NULL: there are none, of a rigid motion, of the second of a pair, of a double
 * eigenvalue with one vector, and of states that measure. */
enum {
  MBD_MODE_RIGHT = 5
}; /* the library's own: real part, imaginary part, and rigid motions that are large in a slow mode */
const double *mbd_modes_vectors(const mbd_modes *m, int i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
