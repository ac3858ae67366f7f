/* Forward kinematics of a robot's tree: where its links are, and how each coordinate moves them.
 *
 * A joint with the frames F0 and F1 on its links and the motion (d, R) between these places its second link at
 *   p_1 = p_0 + A_0 (x_0 + F0 d) - A_1 x_1,    A_1 = A_0 F0 R F1'
 * with A the orientation of a link, p the place of its origin, x the origin of the frame there. A coordinate turns all that the joint carries
 * about an axis w through a point o, dr = w x (r - o), or moves it along w. */
#ifndef MBO_ROBOT_PLACE_H
#define MBO_ROBOT_PLACE_H

#include "import/robot.h"

enum { DIRECTIONS_MAX = 6 };

/* The motion of a joint of the tree: displacement and rotation of its frame on the second link in that on the first. */
typedef struct joint_motion {
  double d[3], R[9];
  double q[DIRECTIONS_MAX]; /* sums of the steps of its directions */
  int first, n;             /* its coordinates among all that move */
  int number;               /* of the first of them among all of the tree */
} joint_motion;

/* How a coordinate moves what the joint carries: turns it about an axis through a point, or moves it along the axis. */
typedef struct joint_direction {
  double axis[3], point[3]; /* along the axes of the root */
  int turns, joint;
} joint_direction;

typedef struct robot_placement {
  const robot *r;
  int n;                  /* coordinates */
  joint_motion *now;      /* [njoint] */
  robot_pose *link;       /* [nlink] in the frame of the root */
  joint_direction *along; /* [n] */
} robot_placement;

/* A robot that has its tree; only_bound: joints that no loop and no coupling binds stay at zero. It has to be freed in any case. MBD_NO_MEMORY. */
mbd_status placement_create(robot_placement *p, const robot *r, int only_bound, mbd_error *err);
void placement_free(robot_placement *p);

/* Sets the motions of the file, changed by dq [n], which is overwritten; makes steps of the coordinates from the present motions. */
void placement_reset(robot_placement *p, double *dq);
void placement_step(robot_placement *p, const double *dq);

/* Computes link and along from the motions. */
void placement_place(robot_placement *p);

/* The frame of a joint on its link k, in the frame of the root. */
void placement_frame(const robot_placement *p, const robot_joint *j, int k, robot_pose *frame);

/* How a coordinate moves a link at a point: its velocity v there and its rate of turn w. */
void direction_moves(const joint_direction *a, const double point[3], double v[3], double w[3]);

#endif
