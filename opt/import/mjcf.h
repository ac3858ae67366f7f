/* Robots in MJCF, the XML format of MuJoCo (Todorov, Erez, Tassa: MuJoCo, a physics engine for model-based control, IROS 2012; the XML
 * reference of its documentation). */
#ifndef MBO_MJCF_H
#define MBO_MJCF_H

#include "import/robot.h"

/* Reads a file with those that it includes, which have to be in its folder or below. The result has to be freed in any case. MBD_IO_ERROR: a
 * file cannot be read; MBD_BAD_INPUT: "FILE:LINE: ..."; MBD_NOT_BUILT_IN: the program was built without expat. */
mbd_status mjcf_read(const char *path, robot *r, mbd_error *err);

#endif
