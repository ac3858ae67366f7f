/* The table of projection matrices: a new one is one file and one word here. */
#include "base/table.h"
#include "formulation/projection.h"

#define MBD_PROJECTIONS(X) X(mass) X(unit) X(tangent)

#define DECLARED(n) extern const mbd_projection_ops mbd_projection_##n;
#define LISTED(n)   &mbd_projection_##n,
MBD_PROJECTIONS(DECLARED)

MBD_TABLE(mbd_projection_ops, MBD_PROJECTIONS(LISTED), mbd_projection_at, mbd_projection_find, mbd_projection_name,
          name)

mbd_status projection_derivatives(const mbd_sim *s, mbd_error *err) {
  const mbd_projection_ops *ops = mbd_projection_find(s->c.projection_matrix);
  if (ops->depends != PROJECTION_NO_DERIVATIVES || s->m->nphi == 0) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_UNSUPPORTED,
      "projection_matrix '%s' has no derivatives: direct differentiation and discrete adjoint need 'mass' or 'unit'; "
      "continuous adjoint, complex step and central differences do not",
      ops->name);
}
