/* The mechanism as the formulations need it, in the coordinates in which they work: joint coordinates (mechanics_joint.c), or natural ones
 * (mechanics_natural.c), for which z, nz, nphi stand then here and in the formulations.
 * Equations: theory.md §3 (3.1), theory.md §4 (4.2), (4.8) to (4.12), theory.md §5.1 (5.4a). */
#ifndef MBD_MECHANICS_H
#define MBD_MECHANICS_H

#include "formulation/matrices.h"
#include "formulation/newton.h"
#include "formulation/projection.h"
#include "state/adjoint.h"

/* Derivatives of Phid and Phidd [nphi][nz], which can differ from zero at Phi_at. Natural coordinates have memory of their own for them. */
typedef struct rate_slopes {
  mbd_real *Phid_z, *Phidd_z, *Phidd_zd;
  const mbd_nonzeros *Phi_at;
} rate_slopes;

typedef struct mechanics {
  /* 0: `direction` takes columns of z and zd together with the coefficients; 1: their part is a product with K, C and the rate_slopes. */
  int by_matrices;
  size_t (*slopes_size)(const mbd_sim *s); /* entries of K or C where they are not those of `matrices` */
  mbd_status (*matrices)(const mbd_sim *s, matrices *x,
                         mbd_error *err); /* memory, places and solver of M, Phi_z, K, C */

  /* The motion at which all functions below evaluate: at s->now.z, s->t; with these rates (zd NULL: at rest), which stay in place. */
  void (*place)(mbd_sim *s);
  void (*move)(mbd_sim *s, const mbd_real *zd, const mbd_real *zdd, int gravity);
  /* Constraint i, of `ops->nphi` equations from row *row on, and its name; NULL past the last */
  const mbd_constraint_ops *(*constraint)(const mbd_sim *s, int i, const char **name, int *row);
  double (*extent)(
      const mbd_sim *s); /* 1 and the largest coordinate or distance from the origin, for rounding errors of Phi */

  /* Values. */
  void (*rows)(mbd_sim *s, const struct matrices *x, mbd_real *phi); /* Phi (NULL: not wanted), and Phi_z of x */
  void (*phi_t)(mbd_sim *s, mbd_real *phi_t);                        /* Phid at zd = 0 */
  void (*phidd)(mbd_sim *s, mbd_real *phidd);                        /* Phidd */
  /* Psi and (NULL: not wanted) Psi_z of velocity constraints, [nvelocity_row of the model], [.][nz], with it (NULL: not wanted) Psid_z, Psid_zd; among
   * the rows above Psi, A, Psid are in the places of Phid, Phi_z, Phidd */
  void (*velocity_rows)(mbd_sim *s, mbd_real *psi, mbd_real *psi_z, mbd_real *psid_z, mbd_real *psid_zd);
  void (*mass)(mbd_sim *s, const struct matrices *x, mbd_real *M); /* at the places of M of x */
  void (*residual)(mbd_sim *s, mbd_real *r);                       /* r */
  void (*residual_held)(mbd_sim *s, mbd_real *phi, mbd_real *r); /* Phi, r + Phi_z' lam; leaves Phi_z of the matrices */
  /* K, C of r + Phi_z' lam by z, zd, at the places of x or (NULL) slopes_size(); M (NULL: not wanted) at those of x. */
  void (*tangent)(mbd_sim *s, const mbd_real *lam, const struct matrices *x, mbd_real *K, mbd_real *C, mbd_real *M);
  /* y [nz][k] -= K x [nz][k], K of slopes_size(), which can differ from zero at K_at */
  void (*slopes_times)(const mbd_sim *s, mbd_real *K, const mbd_nonzeros *K_at, int k, const mbd_real *x, mbd_real *y);

  /* Derivatives along the directions of the run. Of r + Phi_z' lam, Phi, Phid, Phidd (NULL: not wanted) along direction k of the coefficients
   * and columns k of zp, zdp [nz][np] (NULL: held; zdp with zp alone; both NULL where by_matrices). */
  void (*direction)(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp, mbd_real *dr, mbd_real *dphi,
                    mbd_real *dphid, mbd_real *dphidd);
  /* Of Phid and Phidd: prepares the derivatives by z and zd; adds c times their products with zp, zdp [nz][k] (NULL: held) to Gd, Gdd
   * [nphi][k] (NULL: not wanted), of Phid that with zp. A call without Phidd leaves what the last one with it has prepared of that. J NULL:
   * products are made by sweeps along the columns, with c = 1 and k = np. */
  void (*linearize_rates)(mbd_sim *s, const rate_slopes *J, int of_phidd);
  void (*rates_times)(mbd_sim *s, const rate_slopes *J, int k, double c, const mbd_real *zp, const mbd_real *zdp,
                      mbd_real *Gd, mbd_real *Gdd);
  /* Of P x + Phi_z' mult, where the motion is moved at rest with zdd = x: the part of zp [nz][np] is subtracted from B, by its matrix Kp at
   * K_at of `places`, or (NULL) by sweeps along the columns; that of direction k. */
  void (*rest_times)(mbd_sim *s, const mbd_projection_ops *P, const mbd_real *mult, const struct matrices *places,
                     mbd_real *Kp, const mbd_real *zp, mbd_real *B);
  void (*rest_direction)(mbd_sim *s, const mbd_projection_ops *P, int k, const mbd_real *mult, mbd_real *dr);

  /* Reverse sweeps of all objectives of `a`: they are begun, gather derivatives, are read by z, zd, zdd, and end with what they add to the
   * coefficients. */
  void (*begin_back)(const mbd_sim *s, sim_adjoint *a);
  mbd_status (*outputs_back)(mbd_sim *s, sim_adjoint *a,
                             mbd_error *err); /* begins them with the objectives' own at s->now */
  /* -mu . (r + Phi_z' lam), mu [nz][npsi], after `linearize` at this motion with lam; lam NULL: only for the coefficients of inertia, forces and
   * gravity, without it. slopes: those of the step's record; NULL: evaluated */
  void (*linearize)(mbd_sim *s, sim_adjoint *a, const mbd_real *lam, const mbd_real *slopes);
  void (*residual_back)(mbd_sim *s, sim_adjoint *a, const mbd_real *mu, const mbd_real *lam);
  /* -nu . (w_0 Phi + w_1 Phid + w_2 Phidd) of a->nu */
  void (*rows_back)(mbd_sim *s, sim_adjoint *a, const double weight[3]);
  /* -mu . (P x + Phi_z' mult) at rest */
  void (*rest_back)(mbd_sim *s, const mbd_projection_ops *P, sim_adjoint *a, const mbd_real *mu, const mbd_real *x,
                    const mbd_real *mult);
  void (*read)(mbd_sim *s, sim_adjoint *a, int order, mbd_real *block); /* block += by z, zd or zdd */
  void (*read_all)(mbd_sim *s, sim_adjoint *a, mbd_real *z, mbd_real *zd, mbd_real *zdd);
  void (*end_back)(sim_adjoint *a);

  void (*outputs)(mbd_sim *s); /* quadrature_outputs at a node */
  /* newton_ops.show of the iterate at s->now.z with the rates zd, from which c times `correction` leads to the other end of the path */
  mbd_status (*show)(mbd_sim *s, const mbd_real *zd, double c, const mbd_real *correction, newton_memory *newton,
                     mbd_sim **seen, mbd_error *err);
} mechanics;

extern const mechanics mechanics_joint, mechanics_natural;

/* of[i] := what rows_back gives Phi, Phid and Phidd of objective k, [m] numbers in a->weights; NULL: nothing. In the equations of the motion,
 * where Phi alone has a weight, Psi/c takes its place in the rows of velocity constraints. */
static inline void mechanics_row_weights(const mbd_sim *s, const sim_adjoint *a, int k, int m, const double weight[3],
                                         mbd_real *of[3]) {
  const int velocity = weight[0] != 0 && weight[1] == 0 && s->m->nvelocity > 0 && mbd_any(s->scheme.c != 0);
  for (int i = 0; i < 3; i++) {
    of[i] = weight[i] != 0 || (i == 1 && velocity) ? a->weights[i] : NULL;
    if (of[i]) { adjoint_get(m, a->npsi, k, -weight[i], a->nu, of[i]); }
  }
  for (int i = s->velocity_row; velocity && i < m; i++) { of[1][i] = of[0][i] / s->scheme.c; }
}

#endif
