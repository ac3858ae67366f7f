/* The table of tangents: how Newton's iteration of a time step gets the derivatives of the residual that its matrix is made of,
 *   K = d(r + Phi_z' lam)/dz,   C = dr/dzd          (theory.md §5.1; S3 (20))
 * The solution is that of the residual in any case, so an entry changes the path of Newton alone. Derivatives of the step take the
 * analytic tangent at its solution; in runs with them the next step begins with it, too. */
#ifndef MBD_TANGENT_H
#define MBD_TANGENT_H

#include "state/sim.h"

/* The motion at which K and C are evaluated: coordinates, rates [nz], multipliers [nphi]; the work is placed and moved there. */
typedef struct tangent_motion {
  const mbd_real *z, *zd, *zdd, *lam;
} tangent_motion;

struct mbd_tangent_ops {
  const char *name;
  const char *doc;
  /* s->tangent_memory; at: where K and C can differ from zero, symmetric [nz] rows. NULL: nothing of its own. */
  mbd_status (*create)(mbd_sim *s, const mbd_nonzeros *at, mbd_error *err);
  void (*destroy)(void *memory);
  /* K and C [nz][nz], packed if `at` says so, of which entries outside `at` are zero and stay so; leaves the work placed and moved as before.
   * NULL: by motion_jacobian. */
  void (*evaluate)(mbd_sim *s, const tangent_motion *motion, mbd_real *K, mbd_real *C);
};

/* Returns MBD_UNSUPPORTED if the case names a tangent that is not available for it. */
mbd_status tangent_check(const mbd_sim *s, mbd_error *err);

const mbd_tangent_ops *mbd_tangent_at(int i);
const mbd_tangent_ops *mbd_tangent_find(const char *name);

#endif
