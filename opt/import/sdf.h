/* Robots in SDFormat, the format of Gazebo and of Drake (its specification, versions 1.5 to 1.12, of Open Robotics). */
#ifndef MBO_SDF_H
#define MBO_SDF_H

#include "import/robot.h"

/* Reads a file with one model. The result has to be freed in any case. MBD_IO_ERROR: the file cannot be read; MBD_BAD_INPUT:
 * "FILE:LINE: ..."; MBD_NOT_BUILT_IN: the program was built without expat. */
mbd_status sdf_read(const char *path, robot *r, mbd_error *err);

#endif
