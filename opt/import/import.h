/* Robots in every format that the program reads, by what is in the file. */
#ifndef MBO_IMPORT_H
#define MBO_IMPORT_H

#include "import/robot.h"

/* Reads a file whose outermost element is <robot> (URDF), <mujoco> (MJCF) or <sdf> (SDFormat). The result has to be freed in any case. MBD_IO_ERROR: the file
 * cannot be read; MBD_BAD_INPUT: "FILE:LINE: ..."; MBD_NOT_BUILT_IN: the program was built without expat. */
mbd_status import_read(const char *path, robot *r, mbd_error *err);

#endif
