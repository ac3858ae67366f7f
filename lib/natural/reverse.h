/* Reverse sweeps in natural coordinates: the transposes of direct.h. A scalar L is a sum of equations, reactions, forces or masses with given
 * weights. One sweep computes its derivatives by q, qd, qdd, by the constants of the natural model and by all coefficients, at the cost of
 * about one evaluation. With A the map of the direction and A' that of the sweep,  y . (A x) = (A' y) . x.
 *
 * The constants of the natural model do not change during a run, so that their derivatives are summed over all
 * evaluations and propagated to the coefficients once, by natural_params_reverse. Equations: theory.md §5.1 (5.4c). */
#ifndef MBD_NATURAL_REVERSE_H
#define MBD_NATURAL_REVERSE_H

#include "kinematics/reverse.h"
#include "natural/natural.h"

/* Arrays to which the derivatives of L are added; the caller owns them. */
typedef struct natural_reverse {
  params_reverse *theta;  /* by the coefficients of elements, and by the time; NULL: the state alone */
  natural_params *by;     /* by the numbers of v (made by natural_params_alloc); NULL with theta */
  mbd_real *q, *qd, *qdd; /* [nq] */
} natural_reverse;

/* Sets all derivatives in `by` to zero. */
void natural_params_clear(natural_params *by);

/* Propagates the derivatives in `by` to theta, which params_reverse_finish then completes. `by` is undefined afterwards
 * (natural_params_clear). To be called once per gradient. The transpose of natural_params_direct. */
void natural_params_reverse(const natural_params *v, natural_params *by, params_reverse *theta);

/* L = nu . Phi + nud . Phid + nudd . Phidd at q, qd, qdd; weights [nphi]. */
void natural_rows_reverse(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                          const mbd_real *qdd, const mbd_real *nu, const mbd_real *nud, const mbd_real *nudd,
                          const natural_reverse *to);

/* L = mu . (Phi_q' lam) at fixed lam, mu [nq]. */
void natural_reactions_reverse(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *lam,
                               const mbd_real *mu, const natural_reverse *to);

/* L = mu . Q of the forces, mu [nq]. */
void natural_forces_reverse(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                            const mbd_real *mu, const natural_reverse *to);

/* L = mu . Q of the weights, and L = mu . (M x), both by the coefficients. */
void natural_weight_reverse(const natural_params *v, const mbd_real *mu, const natural_reverse *to);
void natural_mass_reverse(const natural_params *v, const mbd_real *mu, const mbd_real *x, const natural_reverse *to);

/* L = x . q + xd . qd + xdd . qdd with the weights x, xd, xdd [nq], where natural_take gives q, qd, qdd. Adds to the sweep at this state,
 * which the caller has begun and which reverse_coordinates and reverse_joints read. by NULL: derivatives by the state alone. */
void natural_take_reverse(const natural_params *v, const mbd_real *x, const mbd_real *xd, const mbd_real *xdd,
                          mbd_reverse *sweep, natural_params *by);

/* The same for natural_bases_direction, with weights [natural_bases_rows]. The second function is the transpose of natural_bases_gather: it
 * adds to q [nq] and, if `by` is not NULL, to the constants. */
void natural_bases_reverse(const natural_params *v, const mbd_real *x, const mbd_real *xd, const mbd_real *xdd,
                           mbd_reverse *sweep, natural_params *by);
void natural_bases_scatter(const natural *n, const mbd_real *x, natural_params *by, mbd_real *q);

/* L = g . local, local the coordinates of natural_local_value: to theta, and to the offsets in `by`. */
void natural_local_reverse(const natural_params *v, const natural_local *l, const mbd_real g[3], natural_params *by,
                           params_reverse *theta);

#endif
