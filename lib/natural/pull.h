/* Reverse sweeps in natural coordinates: the transposes of direct.h. A scalar L is made of equations, reactions, forces or masses by given
 * weights; its derivatives by q, qd, qdd, by the numbers of the natural model and by the coefficients come at the cost of about one
 * evaluation, whatever the number of coefficients. With A the map of the direction and A' that of the sweep,  y . (A x) = (A' y) . x.
 *
 * The numbers of the natural model are constants of a design, so their derivatives are summed over all evaluations of a design and taken
 * to the coefficients once, by natural_params_pull. */
#ifndef MBD_NATURAL_PULL_H
#define MBD_NATURAL_PULL_H

#include "kinematics/pull.h"
#include "natural/natural.h"

/* Where derivatives of L are added; owned by the caller. */
typedef struct natural_pull {
  params_pull *theta;     /* by the coefficients of elements, and by the time; NULL: the state alone */
  natural_params *by;     /* by the numbers of v (made by natural_params_alloc); NULL with theta */
  mbd_real *q, *qd, *qdd; /* [nq] */
} natural_pull;

/* All derivatives in `by` are zero. */
void natural_params_clear(natural_params *by);

/* Takes what has come to `by` to theta, which params_pull_finish then completes; `by` comes back undefined (natural_params_clear). Once
 * per gradient. The transpose of natural_params_direct. */
void natural_params_pull(const natural_params *v, natural_params *by, params_pull *theta);

/* L = nu . Phi + nud . Phid + nudd . Phidd at q, qd, qdd; weights [nphi]. */
void natural_rows_pull(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd,
                       const mbd_real *nu, const mbd_real *nud, const mbd_real *nudd, const natural_pull *to);

/* L = mu . (Phi_q' lam) at fixed lam, mu [nq]. */
void natural_reactions_pull(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *lam,
                            const mbd_real *mu, const natural_pull *to);

/* L = mu . Q of the forces, mu [nq]. */
void natural_forces_pull(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *mu,
                         const natural_pull *to);

/* L = mu . Q of the weights; L = mu . (M x): by the coefficients. */
void natural_weight_pull(const natural_params *v, const mbd_real *mu, const natural_pull *to);
void natural_mass_pull(const natural_params *v, const mbd_real *mu, const mbd_real *x, const natural_pull *to);

/* L = x . q + xd . qd + xdd . qdd of what natural_take takes of a moved state, weights [nq]: added to the sweep at this state, which the
 * caller has begun, and which pull_coordinates and pull_joints read. by: NULL: the state alone. */
void natural_take_pull(const natural_params *v, const mbd_real *x, const mbd_real *xd, const mbd_real *xdd,
                       mbd_pull *sweep, natural_params *by);

/* The same of natural_bases_direction, weights [natural_bases_rows]. And q [nq], and the constants in `by` where it is not NULL, += the
 * transpose of natural_bases_gather. */
void natural_bases_pull(const natural_params *v, const mbd_real *x, const mbd_real *xd, const mbd_real *xdd,
                        mbd_pull *sweep, natural_params *by);
void natural_bases_scatter(const natural *n, const mbd_real *x, natural_params *by, mbd_real *q);

/* L = g . local, local the coordinates of natural_local_value: to theta, and to the offsets in `by`. */
void natural_local_pull(const natural_params *v, const natural_local *l, const mbd_real g[3], natural_params *by,
                        params_pull *theta);

#endif
