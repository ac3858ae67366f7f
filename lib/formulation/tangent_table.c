/* The table of tangents: a new one is one word here, and a file unless motion_jacobian computes it. */
#include "base/table.h"
#include "formulation/formulation.h"
#include "formulation/tangent.h"

static const mbd_tangent_ops mbd_tangent_analytic = {
    .name = "analytic",
    .doc = "By differentiated sweeps over the bodies: exact, and the least work.",
};
extern const mbd_tangent_ops mbd_tangent_differences;

#define MBD_TANGENTS(X) X(analytic) X(differences)
#define LISTED(n)       &mbd_tangent_##n,

MBD_TABLE(mbd_tangent_ops, MBD_TANGENTS(LISTED), mbd_tangent_at, mbd_tangent_find, mbd_tangent_name, name)

mbd_status tangent_check(const mbd_sim *s, mbd_error *err) {
  if (!s->tangent->evaluate) { return MBD_OK; }
  if (!s->integrator->scheme) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "tangent = %s: integrator '%s' solves no equations by Newton's iteration; expected tangent = analytic, or "
             "integrator = " MBD_IMPLICIT_NAMES,
             s->tangent->name, s->integrator->name);
  }
  if (!s->ops->tangent) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "tangent = %s: formulation '%s' forms no tangent matrix; expected tangent = analytic, or formulation = "
             "ali3p, penalty, matrix_r or semi_recursive",
             s->tangent->name, s->ops->name);
  }
  return MBD_OK;
}
