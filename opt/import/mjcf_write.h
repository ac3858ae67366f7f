/* A mechanism at a design, in MJCF. */
#ifndef MBO_MJCF_WRITE_H
#define MBO_MJCF_WRITE_H

#include "import/robot_export.h"

/* Writes the bodies of a model with their own frames, where the position of s->sim puts them: `ref` of hinges and slides is their coordinate there, so that
 * these keep their zeros and loops are closed. Ball joints, and what joints of several coordinates become, count from that position.
 *
 * Joints of the tree become hinge, slide, ball, free or none; cylindrical and planar joints, cardan joints, and floating ones that are not on the ground become
 * several joints of a body. A body without mass that carries a single body, with which MuJoCo would not move, is left out: its joints become
 * those of the other. Joints that are cut become <connect> (spherical), two of them on the axis (revolute), or <weld>; driven coordinates get
 * a <motor>. Springs, dampers, friction, rotors and couplings of a robot that was imported go along by their names; what else the model has is told.
 * MBD_UNSUPPORTED: a cut joint of another type, or a flexible body; MBD_NO_MEMORY. */
mbd_status mjcf_write(const robot_source *s, FILE *out, mbd_error *err);

#endif
