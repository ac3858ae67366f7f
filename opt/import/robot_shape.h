/* What links look like: shapes of a robot's file, and its meshes, which are files of their own. */
#ifndef MBO_ROBOT_SHAPE_H
#define MBO_ROBOT_SHAPE_H

#include "import/robot.h"

/* Where files of meshes may be: in the folder `root` of the robots, or below, and in the folder `packages`; NULL: no other. `out` is the folder in which the
 * model file is written. */
typedef struct robot_folders {
  const char *root, *packages, *out;
  double density; /* [kg/m^3] of links without mass that have shapes; 0: they stay without */
} robot_folders;

/* Finds the meshes that the robot's file names, relative to its folder or as package://PACKAGE/PATH, where PACKAGE is searched from that folder
 * upwards within the root, then in `packages`. STL and OBJ are drawn as they are where all of them have few enough triangles, else as boxes around
 * them; where nothing can be read, a link with mass gets the box of its moments of inertia. What is drawn otherwise is a warning. With a density, links
 * without mass get that of their shapes, of meshes by the volume that these enclose. No file outside these
 * folders is opened, nor one to which a link of the file system leads out of them. MBD_NO_MEMORY. */
mbd_status robot_find_meshes(robot *r, const robot_folders *folders, mbd_error *err);

/* Writes the shapes of a link, whose meshes have been found, as sections. */
void robot_write_shapes(const robot_link *link, FILE *out);

#endif
