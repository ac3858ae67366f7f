/* A file beside a robot's own that says where its loops are closed, for formats that have trees alone. It is a YAML file of lists, or an INI
 * file with `=` in the place of the colons:
 *   closed_loop: [[A, B], ...]      links, or joints, whose frames coincide
 *   type: [6d | 3d, ...]            of each, or one for all: all six freedoms are closed, or the three of a point
 *   name_mot: [JOINT, ...]          joints that a motor drives
 *   joint_name: [JOINT, ...]        joints of another type than in the robot's file,
 *   joint_type: [SPHERICAL | FIXED | UJOINT_XY ..., ...]  which is this one */
#ifndef MBO_LOOP_FILE_H
#define MBO_LOOP_FILE_H

#include "import/robot.h"

/* Reads the file into a robot whose links and joints have been added. MBD_IO_ERROR: it cannot be read; MBD_BAD_INPUT: "FILE:LINE: ...";
 * MBD_NO_MEMORY. */
mbd_status loop_file_read(const char *path, robot *r, mbd_error *err);

/* The path of the file beside a robot's file, NAME.yaml, NAME.yml, NAME.ini or robot.yaml for NAME.urdf, if it has a key closed_loop, in new memory;
 * *path is NULL if there is none. MBD_NO_MEMORY. */
mbd_status loop_file_find(const char *beside, char **path, mbd_error *err);

#endif
