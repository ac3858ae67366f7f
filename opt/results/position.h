/* A picture of the bodies at the present position of a simulation, such as the closest position if the start cannot be
 * assembled. */
#ifndef MBO_POSITION_H
#define MBO_POSITION_H

#include <stdio.h>

#include "mechanism/mechanism.h"

/* Write an SVG, to a file completely or not at all: every body as lines between its points, seen along the global axis along
 * which they extend least; points with one name that are apart are joined by a dashed line. After mbd_sim_start or _run
 * of load->sim. Errors of files. */
mbd_status position_draw(const mechanism_case *load, FILE *out, mbd_error *err);
mbd_status position_write(const mechanism_case *load, const char *path, mbd_error *err);

#endif
