/* The table of forces: a new one is one file and one word here. */
#include "base/table.h"
#include "force/force.h"

/* clang-format off */
#define MBD_FORCES(X) \
  X(spring) X(bump_stop) X(rebound_stop) \
  X(torsion_spring) X(anti_roll_bar) X(joint_friction) X(rotor_inertia) X(wheel_torque) X(bushing) \
  X(point_force) X(follower_force) X(body_torque) X(relative_torque) X(coordinate_force) \
  X(tyre_contact) X(tyre_magic_formula) X(roll_feedback) X(expression) X(user)
/* clang-format on */

#define DECLARED(n) extern const mbd_force_ops mbd_force_##n;
#define LISTED(n)   &mbd_force_##n,
MBD_FORCES(DECLARED)

MBD_TABLE(mbd_force_ops, MBD_FORCES(LISTED), mbd_force_at, mbd_force_find, mbd_force_name, info.name)

MBD_TABLE_PART(const mbd_element_info *, mbd_force_info, mbd_force_at, info)
MBD_TABLE_MEMBER(const mbd_image_info *, mbd_force_image, mbd_force_at, image)
MBD_TABLE_MEMBER(const mbd_force_state_info *, mbd_force_states, mbd_force_at, states)

const char *mbd_force_output(int i, int k, const char **unit) {
  const mbd_force_ops *f = mbd_force_at(i);
  if (!f || k < 0 || k >= f->nscalar) { return NULL; }
  *unit = f->scalar_unit[k] ? f->scalar_unit[k] : "N or N m";
  return f->scalar_name[k];
}
