/* The frames of a robot's links, and the position in which its loops are closed. */
#ifndef MBO_ROBOT_POSE_H
#define MBO_ROBOT_POSE_H

#include "import/robot.h"

/* Searches for the position near that of the file in which the joints that close loops are closed and couplings hold, by damped least squares.
 * Sets robot_joint.start and robot.guess to the closest position that is found, whether it is one of these or not; no equation of the
 * model is involved. The robot has its tree and its names. MBD_NO_MEMORY.
 * Cost: an iteration takes of the order of n^2 m operations for n coordinates and m conditions. */
mbd_status robot_search_closed(robot *r, mbd_error *err);

#endif
