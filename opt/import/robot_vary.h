/* Numbers of a robot that may vary: scalars of its model file with the values of the robot's file, and design variables of its run file. */
#ifndef MBO_ROBOT_VARY_H
#define MBO_ROBOT_VARY_H

#include "import/robot.h"

/* Kinds of them, as bits of robot.vary:
 *   lengths  JOINT_length: distance of a joint from the origin of its link, along the direction of the file [m]
 *   joints   JOINT_x, JOINT_y, JOINT_z: its place on the link [m]
 *   masses   LINK_density: factor of a link's mass and inertia, whose ratio so stays that of a body
 *   springs  JOINT_stiffness, JOINT_rest
 *   dampers  JOINT_damping
 *   rotors   JOINT_rotor [kg m^2]
 *   sizes    LINK_size: factor of the places of joints, points and the centre of mass on a link; its mass goes with the third power and its
 *            inertia with the fifth, as those of a body of the same material and form
 * A joint that closes a loop, or whose frame on the second link is not at its origin, has places on both: JOINT_end_length and so on. Places of
 * links that carry nothing are left out. */
enum {
  ROBOT_VARY_LENGTHS = 1,
  ROBOT_VARY_JOINTS = 2,
  ROBOT_VARY_MASSES = 4,
  ROBOT_VARY_SPRINGS = 8,
  ROBOT_VARY_DAMPERS = 16,
  ROBOT_VARY_ROTORS = 32,
  ROBOT_VARY_SIZES = 64
};

/* Reads a list of kinds, "lengths,masses". MBD_BAD_INPUT: a word is not known, or both lengths and joints are in the list. */
mbd_status robot_vary_read(const char *list, unsigned *vary, mbd_error *err);

/* A number that may vary, with bounds that make sense of its value. */
typedef struct robot_variable {
  char name[160];
  double value, lower, upper, scale;
  const char *unit;
  int opens; /* 1: if it changes alone, a loop cannot be closed: it is a scalar, but no design variable */
} robot_variable;

/* Calls f with all of them, in the order of links and joints. */
void robot_each_variable(const robot *r, void (*f)(const robot_variable *v, FILE *out), FILE *out);

/* Writes the value of a number: its name if it varies, else `value`. */
void robot_write_place(const robot *r, const robot_joint *j, int k, const double xyz[3], FILE *out); /* "x, y, z" */
void robot_write_of_link(const robot *r, const robot_link *link, const double v[3],
                         FILE *out); /* "x, y, z" of a place that moves with the link's size */
void robot_write_density(const robot *r, const robot_link *link, int power,
                         FILE *out); /* "*LINK_density*LINK_size^power" or nothing, behind a number */
void robot_write_value(const robot *r, unsigned kind, const robot_joint *j, const char *name, double value, FILE *out);

#endif
