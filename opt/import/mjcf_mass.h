/* Masses of bodies in MJCF: from their <inertial>, or from the geometry of their geoms. */
#ifndef MBO_MJCF_MASS_H
#define MBO_MJCF_MASS_H

#include "import/mjcf_file.h"
#include "import/solid.h"

/* Reads <inertial>, in the frame of the body. */
mbd_status mjcf_read_inertial(const mjcf_file *f, const xml_element *e, solid *m);

/* Adds the mass of a geom, whose body's frame or <frame> has the pose `around` in the frame of m: of the volume of its shape times its density, or
 * scaled to its mass. Shapes without volume, and those whose group is not among the ones of inertia, have none. */
mbd_status mjcf_add_geom(const mjcf_file *f, const xml_element *e, const robot_pose *around, solid *m);

/* The bounds and the balance of <compiler>, applied to a body. */
mbd_status mjcf_correct_mass(const mjcf_file *f, const xml_element *body, solid *m);

/* Adds what is seen of a geom to a link, in whose frame the frame around the geom has the pose `around`. MBD_NO_MEMORY. */
mbd_status mjcf_add_look(const mjcf_file *f, const xml_element *e, const robot_pose *around, robot_link *link);

#endif
