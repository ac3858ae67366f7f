/* Robots in the Unified Robot Description Format (URDF) of ROS. */
#ifndef MBO_URDF_H
#define MBO_URDF_H

#include "import/robot.h"

/* Reads a file, and the file that is found beside it if that says where loops are closed (loop_file.h). The result has to be freed in any case. MBD_IO_ERROR: the file cannot be read; MBD_BAD_INPUT:
 * "FILE:LINE: ..."; MBD_NOT_BUILT_IN: the program was built without expat. */
mbd_status urdf_read(const char *path, robot *r, mbd_error *err);

#endif
