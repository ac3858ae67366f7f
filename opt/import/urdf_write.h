/* A mechanism at a design, in URDF. */
#ifndef MBO_URDF_WRITE_H
#define MBO_URDF_WRITE_H

#include <stdio.h>

#include "mbd/params.h"

/* Writes the bodies of a model with their masses, and its joints: those of the tree as <joint>, those that are cut as <loop_joint>. Links have the axes
 * of their bodies, and their origins at the joints that carry them, so that coordinates keep their zeros. Spherical and cylindrical joints
 * of the tree become floating ones with a <loop_joint> that keeps the rest. Friction and couplings of a robot that was imported go along by their names,
 * JOINT_friction and JOINT_mimic; what else the model has is named by calls of `tell`, unless that is NULL.
 * MBD_UNSUPPORTED: a cardan joint; MBD_NO_MEMORY. */
mbd_status urdf_write(const mbd_model *m, const mbd_params *p, const double *theta, const char *name, FILE *out,
                      void (*tell)(const char *what, const char *why), mbd_error *err);

#endif
