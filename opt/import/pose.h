/* Poses of frames in other ones. */
#ifndef MBO_IMPORT_POSE_H
#define MBO_IMPORT_POSE_H

#include "import/robot.h"

robot_pose pose_identity(void);
robot_pose pose_shift(const double v[3]);                 /* by a vector */
robot_pose pose_turn(const double axis[3], double angle); /* about an axis of length 1 through the origin */
robot_pose pose_product(const robot_pose *first,
                        const robot_pose *next); /* of `next`, which is given in the frame of `first` */
robot_pose pose_inverse(const robot_pose *pose);

/* R of a quaternion of any length > 0, the real part first. */
void pose_quaternion(const double quaternion[4], double R[9]);

/* Sets entries to zero that are only the rounding of a right angle. */
void pose_tidy(double R[9]);

#endif
