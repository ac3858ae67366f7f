/* The table of constraints: a new one is one file and one word here. */
#include "base/table.h"
#include "constraint/constraint.h"

/* clang-format off */
#define MBD_CONSTRAINTS(X) \
  X(distance) X(rod) X(driven_distance) X(distance_coordinate) X(displacement_coordinate) X(sum_coordinate) X(driven_coordinate) \
  X(angle_coordinate) X(gear) X(cam) X(rack_and_pinion) X(rack_travel) \
  X(aligned) X(parallel) X(perpendicular) X(in_plane) X(coincident) \
  /* of velocities */ \
  X(knife_edge) X(driven_velocity) X(rolling) X(expression) \
  /* made by the program */ \
  X(dot_design) X(unit_norm) \
  X(hold_coordinate) X(hold_x) X(hold_y) X(hold_z) X(hold_angle_x) X(hold_angle_y) X(hold_angle_z)
/* clang-format on */

#define DECLARED(n) extern const mbd_constraint_ops mbd_constraint_##n;
#define LISTED(n)   &mbd_constraint_##n,
MBD_CONSTRAINTS(DECLARED)

MBD_TABLE(mbd_constraint_ops, MBD_CONSTRAINTS(LISTED), mbd_constraint_at, mbd_constraint_find, mbd_constraint_name,
          info.name)

MBD_TABLE_MEMBER(const mbd_image_info *, mbd_constraint_image, mbd_constraint_at, image)
MBD_TABLE_MEMBER(const char *, mbd_constraint_coordinate_unit, mbd_constraint_at, coordinate_unit)

/* Only what model files can name: those made by the program stand at the end. */
const mbd_element_info *mbd_constraint_info(int i) {
  const mbd_constraint_ops *c = mbd_constraint_at(i);
  return c && !c->internal ? &c->info : NULL;
}
