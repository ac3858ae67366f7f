/* The constraint equations of a model in its coordinates, and their derivatives.
 *
 * A list of constraints is either those of the model or the quantities held at the start; both have rows of their own.
 * All functions work at the state of the last sweeps; matrices are row-major [nrow][nz]. */
#ifndef MBD_EQUATIONS_H
#define MBD_EQUATIONS_H

#include "kinematics/pull.h"
#include "la/packed.h"

typedef struct eq_list {
  const mbd_constraint *c;
  int n, nrow;
} eq_list;

static inline eq_list eq_constraints(const mbd_model *m) {
  return (eq_list){m->constraint, m->nconstraint, m->nphi};
}
static inline eq_list eq_holds(const mbd_model *m) {
  return (eq_list){m->hold, m->nhold, m->nhold_row};
}

/* Phi_z and (unless NULL) Phi in one pass */
void eq_phi_z(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi, mbd_real *Phi_z);
/* The same into rows anywhere, zero before: row i begins at row[i] [nrow], column j is its entry at[j] [nz] */
void eq_phi_z_rows(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi, mbd_real *const *row,
                   const int *at);
/* The same, without the entries that are always zero: for a Phi_z of these equations, which has them. */
void eq_phi_z_places(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi, mbd_real *Phi_z);
/* In rows of P, each with the columns of its constraint; rows that are all zero have none. Memory for all of them. */
void eq_phi_z_packed(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi, const mbd_packed *P);
/* phi_t = dPhi/dt at fixed z; needs sweep_position only */
void eq_time(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phi_t);
/* Phidd; needs sweep_motion */
void eq_phidd(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *phidd);
/* dPhid/dz, dPhidd/dz, dPhidd/dzd; the last two may be NULL; needs sweep_columns */
void eq_rates_z(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *Phid_z, mbd_real *Phidd_z,
                mbd_real *Phidd_zd);
void eq_rates_z_places(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, mbd_real *Phid_z, mbd_real *Phidd_z,
                       mbd_real *Phidd_zd); /* as eq_phi_z_places */
/* K [nz][nz] += d(Phi_z' s)/dz at fixed s [nrow], and what DYN_OPEN has left; needs sweep_position */
void eq_hessian(const mbd_params *p, mbd_work *w, eq_list e, mbd_real t, const mbd_real *s, mbd_real *K);

/* T [nz][nz] += Phi_z' alpha Phi_z, using that an element touches few columns */
void eq_add_gram(const mbd_model *m, eq_list e, const mbd_real *Phi_z, mbd_real alpha, mbd_real *T);

/* Derivatives along a direction v of coefficients and coordinates (vary_motion at the same state); d NULL: coordinates
 * only; dphid, dphidd may be NULL. Cost O(rows). */
void eq_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, eq_list e, mbd_real t,
                  mbd_real *dphi, mbd_real *dphid, mbd_real *dphidd);
/* dr [nz] += d(Phi_z' s) along it at fixed s. Cost O(bodies + rows). */
void eq_reaction_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v, eq_list e,
                           mbd_real t, const mbd_real *s, mbd_real *dr);

/* ---- reverse (kinematics/pull.h): derivatives added to q and theta; theta NULL: coordinates only ---- */

/* of nu . Phi + nud . Phid + nudd . Phidd; NULL: not there. Needs sweep_motion for the last two. */
void eq_pull(const mbd_params *p, const mbd_work *w, eq_list e, mbd_real t, const mbd_real *nu, const mbd_real *nud,
             const mbd_real *nudd, mbd_pull *q, params_pull *theta);
/* The reactions of a constraint at a position: f_a = sum_r s_r dphi_r/dx_a, H[a][b] = df_a/dx_b; any: f is not zero. */
typedef struct reaction_linear {
  mbd_real f[MBD_ARG_MAX][3], H[MBD_ARG_MAX][MBD_ARG_MAX][9];
  int any, nH;
  lift_block H_at[MBD_ARG_MAX * MBD_ARG_MAX];
} reaction_linear;

/* of mu . Phi_z' s for many mu at one position: list [e.n], made once, and its use; not for held quantities, whose
 * reactions may depend on their own data */
void eq_linearize_reactions(const mbd_params *p, const mbd_work *w, eq_list e, mbd_real t, const mbd_real *s,
                            reaction_linear *list);
void eq_pull_linear(const mbd_work *w, eq_list e, const reaction_linear *list, int mu, mbd_pull *q, params_pull *theta);

/* of mu . Phi_z' s, with the rates of the virtual field number mu */
void eq_pull_reaction(const mbd_params *p, const mbd_work *w, eq_list e, mbd_real t, const mbd_real *s, int mu,
                      mbd_pull *q, params_pull *theta);

#endif
