/* The table of formulations: a new one is one file and one word here. */
#include "base/table.h"
#include "formulation/formulation.h"

#define MBD_FORMULATIONS(X) X(ali3p) X(penalty) X(matrix_r) X(semi_recursive) X(fully_recursive)

#define DECLARED(n) extern const mbd_formulation_ops mbd_formulation_##n;
#define LISTED(n)   &mbd_formulation_##n,
MBD_FORMULATIONS(DECLARED)

MBD_TABLE(mbd_formulation_ops, MBD_FORMULATIONS(LISTED), mbd_formulation_at, mbd_formulation_find, mbd_formulation_name,
          name)

mbd_status formulation_choose(const mbd_case *c, const mbd_formulation_ops **out, mbd_error *err) {
  *out = mbd_formulation_find(c->formulation);
  if (c->coordinates == MBD_COORDINATES_JOINT) { return MBD_OK; }
  *out = (*out)->in_natural;
  if (*out && strcmp(c->tangent, "analytic") != 0) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "coordinates = natural: tangent = %s, expected analytic", c->tangent);
  }
  if (*out) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED, "coordinates = natural: formulation = %s, expected ali3p or matrix_r", c->formulation);
}
