/* A mechanism at a design, in URDF. */
#ifndef MBO_URDF_WRITE_H
#define MBO_URDF_WRITE_H

#include "import/robot_export.h"

/* Writes the bodies of a model with their masses, and its joints: those of the tree as <joint>, those that are cut as <loop_joint>. Links have the axes
 * of their bodies, and their origins at the joints that carry them, so that coordinates keep their zeros. Spherical and cylindrical joints
 * of the tree become floating ones with a <loop_joint> that keeps the rest. Friction and couplings of a robot that was imported go along by their names,
 * JOINT_friction and JOINT_mimic; what else the model has is told.
 * MBD_UNSUPPORTED: a cardan joint; MBD_NO_MEMORY. */
mbd_status urdf_write(const robot_source *s, FILE *out, mbd_error *err);

#endif
